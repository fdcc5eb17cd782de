"""What a run must hold for a study's report: protocols, variants, families of tests; derived from its declarations."""

from collections.abc import Sequence
from functools import cache

from tasks.corpora.protocols import parse_protocol
from tasks.records import BenchError
from tasks.significance.families import Family
from tasks.simulation.variants import parse
from tasks.studies.catalog import AVAILABLE, Declarations, declarations
from tasks.studies.declared import Quantity


def datasets(study: str) -> tuple[str, ...]:
    """Return the data sets of a study, in the order of its report.

    >>> datasets("study-a")
    ('longmemeval-s', 'nfcorpus', 'locomo')
    """
    return tuple(declarations(study).protocol_of)


def protocols(study: str, dataset: str, *, has_cross: bool = True) -> tuple[str, ...]:
    """Return the protocols that a data set is judged by, that of the main table first.

    Without `has_cross` those are left out that only serve the table of both studies' methods.

    >>> protocols("study-a", "longmemeval-s")[1]
    'pooled-turn(relevance=study-a,sample=200)'
    """
    declared = declarations(study)
    main = _main_protocol(declared, dataset)
    found = dict.fromkeys([main, *(quantity.protocol for quantity in _quantities(study, dataset))])
    return tuple(name for name in found if has_cross or name == main or name not in declared.cross)


def variants(study: str, dataset: str, protocol: str, encoders: Sequence[str] = AVAILABLE) -> tuple[str, ...]:
    """Return the variants of the search that a protocol judges: every side of every number, each once.

    Protocols of one search judge the same variants. A variant whose encoder is not among `encoders` is left out: its
    numbers are then not measured.
    """
    compared = families(study, dataset, protocol, encoders)
    names = [name for family in compared for name in (family.baseline, *family.variants)]
    same = set(_same_search(study, dataset, protocol))
    for quantity in _quantities(study, dataset):
        if quantity.protocol in same and quantity.source is None:
            names += [quantity.variant, *([quantity.against] if quantity.against else [])]
    return tuple(name for name in dict.fromkeys(names) if is_available(name, encoders))


def families(study: str, dataset: str, protocol: str, encoders: Sequence[str] = AVAILABLE) -> tuple[Family, ...]:
    """Return the families of tests of the search that a protocol judges, the main one first."""
    declared = declarations(study)
    asked = protocols(study, dataset)
    if protocol not in asked:
        raise BenchError(f"protocol {protocol!r} of {dataset}; expected one of {', '.join(asked)}")
    found = [
        family
        for name in _same_search(study, dataset, protocol)
        for family in declared.families(dataset, name, encoders)
    ]
    return tuple({family.name: family for family in found}.values())


def is_available(variant: str, encoders: Sequence[str]) -> bool:
    """Whether a variant needs none but the given encoders.

    >>> is_available("dense(encoder=e5-large-v2)", ["all-MiniLM-L6-v2"]), is_available("bm25", [])
    (False, True)
    """
    parsed = parse(variant)
    return "encoder" not in parsed.stage_names or parsed.first_stage.encoder in encoders


@cache
def _quantities(study: str, dataset: str) -> tuple[Quantity, ...]:
    """Return what is measured on a data set; some thousand declarations, asked for again and again."""
    return tuple(declarations(study).quantities(dataset))


def _same_search(study: str, dataset: str, protocol: str) -> list[str]:
    search = parse_protocol(protocol).search
    return [name for name in protocols(study, dataset) if parse_protocol(name).search == search]


def _main_protocol(declared: Declarations, dataset: str) -> str:
    if dataset not in declared.protocol_of:
        raise BenchError(
            f"{declared.label} has no data set {dataset!r}; expected one of {', '.join(declared.protocol_of)}"
        )
    return declared.protocol_of[dataset]

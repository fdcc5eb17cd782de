"""What a run must hold for a study's report: protocols, variants, families of tests; derived from its declarations."""

from collections.abc import Iterable, Iterator

from tasks.records import BenchError
from tasks.significance.families import Family
from tasks.studies.declared import Quantity
from tasks.studies.names import (
    BASELINES,
    BEHAVIOUR,
    LOCOMO,
    LONGMEMEVAL,
    NFCORPUS,
    PROTOCOL_OF,
    SPLIT,
    STUDY_A_POOL,
    SUPPRESSION,
    TOKENIZERS,
    Settings,
    baseline,
    deduplicated,
    main_variant,
    rif,
    sampled,
    variant,
)
from tasks.studies.study_a import CLUSTER_COUNTS, MAIN_ROWS, SOURCES, SWEEP, tables
from tasks.studies.study_a_retrieval import IDFS, adaptive
from tasks.studies.text_against_code import RULES, places

DATASETS = tuple(PROTOCOL_OF)


def protocols(dataset: str) -> tuple[str, ...]:
    """Return the protocols that a data set is judged by, that of the main table first.

    >>> protocols("longmemeval-s")[1]
    'pooled-turn(relevance=study-a,sample=200)'
    """
    return tuple(dict.fromkeys([_main_protocol(dataset), *(quantity.protocol for quantity in _quantities(dataset))]))


def variants(dataset: str, protocol: str) -> tuple[str, ...]:
    """Return the variants that a data set needs under a protocol: every side of every number, each once."""
    names = [variant for family in families(dataset, protocol) for variant in (family.baseline, *family.variants)]
    for quantity in _quantities(dataset):
        if quantity.protocol == protocol:
            names += [quantity.variant, *([quantity.against] if quantity.against else [])]
    return tuple(dict.fromkeys(names))


def families(dataset: str, protocol: str) -> tuple[Family, ...]:
    """Return the families of tests under a protocol, the main one first."""
    if protocol == _main_protocol(dataset):
        return (*_common(dataset), *(_longmemeval() if dataset == LONGMEMEVAL else ()))
    if dataset == LONGMEMEVAL and protocol == sampled(STUDY_A_POOL, 200):
        return tuple(_baselines())
    if dataset == LONGMEMEVAL and protocol == sampled(STUDY_A_POOL, 100):
        return tuple(_depths())
    if dataset == LONGMEMEVAL and protocol == deduplicated(STUDY_A_POOL):
        return (_over("near-duplicates removed", SPLIT, SUPPRESSION),)
    raise BenchError(f"protocol {protocol!r} of {dataset}; expected one of {', '.join(protocols(dataset))}")


def _main_protocol(dataset: str) -> str:
    if dataset not in PROTOCOL_OF:
        raise BenchError(f"study A has no data set {dataset!r}; expected one of {', '.join(PROTOCOL_OF)}")
    return PROTOCOL_OF[dataset]


def _quantities(dataset: str) -> Iterator[Quantity]:
    yield from (cell.quantity for cell in tables() if cell.dataset == dataset)
    for place in places():
        for reading in place.readings:
            if reading.dataset == dataset:
                yield reading.quantity


def _common(dataset: str) -> Iterator[Family]:
    """Yield the families of every data set: the main table and gap against uniform, on both tokenizers; BM25's idf."""
    for tokenizer, stage in TOKENIZERS.items():
        names = {row: main_variant(row, stage, SUPPRESSION) for row in MAIN_ROWS}
        name = "main" if stage is SPLIT else f"main, {tokenizer}"
        yield _family(name, names["baseline"], (names[row] for row in MAIN_ROWS if row != "baseline"))
    for tokenizer, stage in TOKENIZERS.items():
        names = {row: main_variant(row, stage, SUPPRESSION) for row in MAIN_ROWS}
        others = ("clustered30-gap", "global-gap", "global-uniform", "baseline")
        against = names["clustered30-uniform"]
        yield _family(f"against clustered 30, uniform, {tokenizer}", against, (names[row] for row in others))
    if dataset == LOCOMO:
        return
    for tokenizer, stage in TOKENIZERS.items():
        floor, lucene = ({**stage, **SUPPRESSION, "idf": idf} for idf in IDFS)
        yield _family(f"BM25's idf, {tokenizer}", variant("bm25", floor), (variant("bm25", lucene),))
        yield _family(f"Lucene's idf, {tokenizer}", baseline(lucene), (rif("gap", 30, lucene),))
    if dataset == NFCORPUS:
        yield _over("BM25 lists not filled", SPLIT, SUPPRESSION, {"fill": False})


def _family(name: str, against: str, variants: Iterable[str]) -> Family:
    return Family(name=name, baseline=against, variants=tuple(variants))


def _over(name: str, *stage: Settings) -> Family:
    """Return the effect of suppression over another first stage."""
    return _family(name, baseline(*stage), (rif("gap", 30, *stage),))


def _longmemeval() -> Iterator[Family]:
    for tokenizer, stage in TOKENIZERS.items():
        counted = (rif(rule, k, stage, SUPPRESSION) for rule in ("uniform", "gap") for k in CLUSTER_COUNTS)
        yield _family(f"clusters, {tokenizer}", baseline(stage, SUPPRESSION), counted)
    against = baseline(SPLIT, SUPPRESSION)
    swept = (rif("uniform", 1, values, SPLIT, SUPPRESSION) for values in SWEEP.values())
    yield _family("parameters", against, swept)
    sources = (rif("gap", 30, settings, SPLIT, SUPPRESSION) for settings in SOURCES.values())
    yield _family("cluster source", against, sources)
    rules = (rif("gap", 30, settings, SPLIT, SUPPRESSION) for settings in RULES.values() if settings)
    yield _family("rules", against, rules)
    yield _over("lists of 80", SPLIT, BEHAVIOUR)
    yield _over("ranks from 1", SPLIT, SUPPRESSION, {"rank_origin": 1})
    yield _over("opaque ties", SPLIT, SUPPRESSION, {"ties": "opaque"})


def _baselines() -> Iterator[Family]:
    for tokenizer, stage in TOKENIZERS.items():
        others = [variant(kind, stage, BASELINES) for kind in ("bm25", "dense", "hybrid-rrf", "dense-rerank")]
        yield _family(f"baselines, {tokenizer}", baseline(stage, BASELINES, {"pool": "all"}), others)


def _depths() -> Iterator[Family]:
    yield _family("depth", adaptive("split", 30), (adaptive("split", k) for k in (60, 100, 200)))
    names = ("regex", "regex+stop", "regex+stop+porter")
    yield _family("tokenizers", adaptive("split", 100), (adaptive(name, 100) for name in names))

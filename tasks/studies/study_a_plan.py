"""What a run must hold for study A's report beside the two sides of its numbers: families of tests."""

from collections.abc import Iterable, Iterator, Sequence

from tasks.records import BenchError
from tasks.significance.families import Family
from tasks.studies.declared import Quantity
from tasks.studies.names import LOCOMO, LONGMEMEVAL, NFCORPUS, Settings, sampled, variant
from tasks.studies.study_a import CLUSTER_COUNTS, MAIN_ROWS, SOURCES, SWEEP, tables
from tasks.studies.study_a_names import (
    BASELINES,
    BEHAVIOUR,
    PROTOCOL_OF,
    SPLIT,
    STUDY_A_POOL,
    SUPPRESSION,
    TOKENIZERS,
    baseline,
    deduplicated,
    main_variant,
    rif,
)
from tasks.studies.study_a_retrieval import IDFS, adaptive
from tasks.studies.study_a_text import RULES, places


def quantities(dataset: str) -> Iterator[Quantity]:
    """Yield what is measured on a data set: every cell, and every reading of a place where text and code differ."""
    yield from (cell.quantity for cell in tables() if cell.dataset == dataset)
    for place in places():
        for reading in place.readings:
            if reading.dataset == dataset:
                yield reading.quantity


def families(dataset: str, protocol: str, _encoders: Sequence[str]) -> tuple[Family, ...]:
    """Return the families of tests under a protocol, the main one first. The study has one encoder."""
    if protocol == PROTOCOL_OF[dataset]:
        return (*_common(dataset), *(_longmemeval() if dataset == LONGMEMEVAL else ()))
    if dataset == LONGMEMEVAL and protocol == sampled(STUDY_A_POOL, 200):
        return tuple(_baselines())
    if dataset == LONGMEMEVAL and protocol == sampled(STUDY_A_POOL, 100):
        return tuple(_depths())
    if dataset == LONGMEMEVAL and protocol == deduplicated(STUDY_A_POOL):
        return (_over("near-duplicates removed", SPLIT, SUPPRESSION),)
    raise BenchError(f"study A has no families of tests for protocol {protocol!r} of {dataset}")


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

"""Study B's tables on LongMemEval-S, each question in its own haystack (protocols.md B.4).

Its sample of 150 questions cannot be drawn again: it came from a mirror that mixes other rows. Its numbers are set
beside all questions that can be answered, and, as a table of its own that is not counted twice, beside a seeded sample.
"""

from collections.abc import Iterator

from tasks.studies.declared import Cell, Quantity, Statistic, Where
from tasks.studies.names import LONGMEMEVAL
from tasks.studies.study_b_names import (
    HAYSTACKS,
    MINILM,
    OFFICIAL_SESSIONS,
    PUBLISHED_ENCODERS,
    SAMPLED_HAYSTACKS,
    bm25,
    fusion,
    session,
)

HIT = "Success@1"
MEASURES = {
    "recall_at_1": "R@1", "recall_at_3": "R@3", "recall_at_5": "R@5", "mrr": "RR", "ndcg_at_5": "nDCG@5",
}  # fmt: skip
METHODS = {
    "bm25": bm25(),
    "dense mean": session("mean"),
    "dense max": session("max"),
    "dense top3": session("top3"),
    "fusion max": fusion("max"),
    "fusion mean": fusion("mean"),
    "rrf": fusion("max", combine="rrf"),
}
"""The rows of the study's table."""
OFFICIAL_MEASURES = {
    "recall_any_at_5": "Success@5", "recall_all_at_5": "R_all@5", "ndcg_any_at_5": "nDCG(dcg='longmemeval')@5",
    "recall_any_at_10": "Success@10", "ndcg_any_at_10": "nDCG(dcg='longmemeval')@10",
}  # fmt: skip
"""LongMemEval's own names of its measures, and ours (protocols.md, part C)."""
OFFICIAL = "LongMemEval-S, official"
ALL, SAMPLE, TESTS, WHOLE = "LongMemEval-S", "LongMemEval-S, 150", "LongMemEval-S tests", "LongMemEval-S, 500"


def tables() -> Iterator[Cell]:
    """Yield every cell."""
    for table, protocol in ((ALL, HAYSTACKS), (SAMPLE, SAMPLED_HAYSTACKS)):
        for row, name in METHODS.items():
            line = (("encoder", MINILM), ("method", row))
            for column, measure in MEASURES.items():
                where = Where("fusion_longmemeval.csv", line, column, decimals=4)
                yield Cell(table, LONGMEMEVAL, row, column, Quantity(protocol, name, measure), where)
            yield Cell(table, LONGMEMEVAL, row, "hit_at_1", Quantity(protocol, name, HIT))
    for row, name in METHODS.items():
        for column, measure in OFFICIAL_MEASURES.items():
            yield Cell(OFFICIAL, LONGMEMEVAL, row, column, Quantity(OFFICIAL_SESSIONS, name, measure))
    yield from _tests()
    yield from _whole()


def _difference(name: str, against: str, statistic: Statistic = Statistic.DIFFERENCE) -> Quantity:
    return Quantity(HAYSTACKS, name, HIT, statistic, against)


def _tests() -> Iterator[Cell]:
    """Yield the differences in Hit@1; of MiniLM on 150 questions, and of bge-base on all."""
    base = PUBLISHED_ENCODERS["bge-base"]
    sides = {
        ("150", MINILM, "late - early"): (session("max"), session("mean")),
        ("150", MINILM, "fusion late - fusion early"): (fusion("max"), fusion("mean")),
        ("150", MINILM, "fusion - bm25"): (fusion("max"), bm25()),
        ("150", MINILM, "fusion - rrf"): (fusion("max"), fusion("max", combine="rrf")),
        ("500", "bge-base", "fusion - bm25"): (fusion("max", base), bm25()),
        ("500", "bge-base", "fusion - late"): (fusion("max", base), session("max", base)),
        ("500", "bge-base", "fusion - rrf"): (fusion("max", base), fusion("max", base, combine="rrf")),
    }
    for (n, label, comparison), (name, against) in sides.items():
        line = (("encoder", label), ("n", n), ("comparison", comparison))
        file, decimals = "fusion_longmemeval_tests.csv", 2 if n == "150" else 1
        delta = Where(file, line, "delta_pp", "lo_pp", "hi_pp", decimals=decimals, is_percent=True)
        row = f"{comparison}, {label}"
        yield Cell(TESTS, LONGMEMEVAL, row, "delta_pp", _difference(name, against), delta)
        p = _difference(name, against, Statistic.P_ONE_SIDED)
        yield Cell(TESTS, LONGMEMEVAL, row, "p_one_sided", p, Where(file, line, "p_one_sided"))
    late = _difference(fusion("max"), session("max"))
    yield Cell(TESTS, LONGMEMEVAL, f"fusion - late, {MINILM}", "delta_pp", late)


def _whole() -> Iterator[Cell]:
    """Yield the run on all 500 questions that the paper leaves out, and ours with the encoder that we have."""
    for label, encoder in (("bge-base", PUBLISHED_ENCODERS["bge-base"]), (MINILM, MINILM)):
        names = {
            "bm25": bm25(),
            "late": session("max", encoder),
            "rrf": fusion("max", encoder, combine="rrf"),
            "weighted": fusion("max", encoder),
        }
        for column, name in names.items():
            line = (("dataset", "longmemeval-s (500)"), ("encoder", label))
            where = Where("fusion_combiners.csv", line, column, decimals=3) if label == "bge-base" else None
            yield Cell(WHOLE, LONGMEMEVAL, label, column, Quantity(HAYSTACKS, name, HIT), where)

"""Names of measures, in the grammar of ir-measures: `str(parse(name)) == name`."""

import re
from collections.abc import Callable

from pydantic import field_validator

from tasks.measures.judged import Measure
from tasks.measures.ndcg import NDCG
from tasks.measures.recall import PoolRecall, Recall, RecallAll
from tasks.measures.reciprocal_rank import ReciprocalRank
from tasks.measures.success import Success
from tasks.records import BenchError, Params

_WITH_CUTOFF: dict[str, Callable[[int], Measure]] = {
    "nDCG": NDCG,
    "nDCG(dcg='exp-log2')": lambda cutoff: NDCG(cutoff, "exp-log2"),
    "nDCG(dcg='longmemeval')": lambda cutoff: NDCG(cutoff, "longmemeval"),
    "R": Recall,
    "R_all": RecallAll,
    "pool_R": PoolRecall,
    "RR": ReciprocalRank,
    "Success": Success,
}
_NAME = re.compile(r"(?P<family>.+)@(?P<cutoff>[1-9][0-9]*)")


def parse(name: str) -> Measure:
    """Return the measure of that name.

    >>> str(parse("nDCG(dcg='exp-log2')@10"))
    "nDCG(dcg='exp-log2')@10"

    Raises
    ------
    BenchError
        When there is none: names the forms.
    """
    if name == "RR":
        return ReciprocalRank()
    match = _NAME.fullmatch(name)
    if match is None or match["family"] not in _WITH_CUTOFF:
        forms = ", ".join(f"{family}@k" for family in _WITH_CUTOFF)
        raise BenchError(f"measure {name!r} is unknown; expected RR or one of: {forms}, with k = 1, 2, 3, ...")
    return _WITH_CUTOFF[match["family"]](int(match["cutoff"]))


OFFICIAL = tuple(
    f"{family}@{k}" for family in ("Success", "R_all", "nDCG(dcg='longmemeval')") for k in (1, 3, 5, 10, 30, 50)
)
"""LongMemEval's recall_any, recall_all and ndcg_any (protocols.md, part C)."""


class MeasureParams(Params):
    """Which measures are computed, in this order.

    Attributes
    ----------
    names
        Names of measures, each once.
    stream_seed
        Seed of the query stream that the variants with state were replayed on: a column of their rows.
    """

    names: tuple[str, ...] = (
        "nDCG@10",
        "nDCG(dcg='exp-log2')@10",
        "R@10",
        "R@30",
        "pool_R@30",
        "RR",
        "Success@1",
        "Success@5",
        "R_all@5",
    )
    stream_seed: int = 42

    @field_validator("names")
    @classmethod
    def _are_known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        problems = []
        for name in sorted(set(names)):
            try:
                parse(name)
            except BenchError as error:
                problems.append(str(error))
        problems += [f"measure {name!r} comes twice" for name in sorted(set(names)) if names.count(name) > 1]
        if problems:
            raise ValueError("; ".join(problems))
        return names

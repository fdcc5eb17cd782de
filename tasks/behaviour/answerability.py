"""Whether the first score tells questions that the history can answer from those that it cannot (row M1).

The area under the ROC curve: the probability that an answerable question's first score is above an unanswerable one's,
ties counted half (Hanley & McNeil 1982).
"""

from dataclasses import dataclass, fields

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.records import Block

Scores = NDArray[np.float64]
QUANTILES = {"q05": 0.05, "median": 0.5, "q95": 0.95}


@dataclass(frozen=True, slots=True)
class Answerability:
    """Distribution of the first score of both kinds of questions, and how well it separates them.

    Attributes
    ----------
    n_answerable, n_unanswerable
        Questions of the block main, and of the block abstention, for which something was ranked.
    auroc
        0.5: the score says nothing; 1: it separates them. NaN without questions of both kinds.
    answerable_q05, ..., unanswerable_q95
        Quantiles of the first score; NaN without questions.
    """

    n_answerable: int
    n_unanswerable: int
    auroc: float
    answerable_q05: float
    answerable_median: float
    answerable_q95: float
    unanswerable_q05: float
    unanswerable_median: float
    unanswerable_q95: float


SCHEMA: dict[str, pl.DataType] = {
    "variant": pl.String(),
    **{field.name: pl.Int32() if field.type is int else pl.Float64() for field in fields(Answerability)},
}


def answerability(rankings: pl.DataFrame, queries: pl.DataFrame) -> Answerability:
    """Compare the first scores of the blocks main and abstention.

    Parameters
    ----------
    rankings
        Columns query_index, rank (1-based), score: what ordered the ranking.
    queries
        Columns query_index, block.
    """
    first = rankings.filter(pl.col("rank") == 1).join(
        queries.select("query_index", "block"), on="query_index", validate="1:1"
    )
    yes, no = (
        first.filter(pl.col("block") == block)["score"].cast(pl.Float64).to_numpy()
        for block in (Block.MAIN, Block.ABSTENTION)
    )
    return Answerability(len(yes), len(no), auroc(yes, no), *_quantiles(yes), *_quantiles(no))


def auroc(positive: Scores, negative: Scores) -> float:
    """Return the area under the ROC curve; NaN where one side is empty.

    >>> auroc(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    if not len(positive) or not len(negative):
        return float("nan")
    from scipy.stats import mannwhitneyu  # slow to import

    statistic = mannwhitneyu(positive, negative, method="asymptotic").statistic
    return float(statistic / (len(positive) * len(negative)))


def _quantiles(scores: Scores) -> list[float]:
    if not len(scores):
        return [float("nan")] * len(QUANTILES)
    return [float(value) for value in np.quantile(scores, list(QUANTILES.values()))]

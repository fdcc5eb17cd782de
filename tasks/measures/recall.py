"""Recall, as a share of the relevant items, as "all of them", and of the pool that reaches the reranker."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tasks.measures.judged import Gains, Judged, Values


@dataclass(frozen=True, slots=True)
class Recall:
    """``R@k``: the share of the relevant items that are among the first k (not "any", not "all": fault T2)."""

    cutoff: int
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return f"R@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64 in [0, 1]."""
        return _found(judged.gains, self.cutoff) / judged.n_relevant


@dataclass(frozen=True, slots=True)
class RecallAll:
    """``R_all@k``: 1 where every relevant item is among the first k, else 0 (LongMemEval's recall_all)."""

    cutoff: int
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return f"R_all@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64, 0 or 1."""
        values: Values = (_found(judged.gains, self.cutoff) == judged.n_relevant).astype(np.float64)
        return values


@dataclass(frozen=True, slots=True)
class PoolRecall:
    """``pool_R@k``: recall of the first k of the pool that reached the reranker (study A's "Recall@30").

    Undefined for a variant that reranks nothing.
    """

    cutoff: int
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return f"pool_R@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64 in [0, 1], all NaN without a pool."""
        if judged.pool_gains is None:
            return np.full(len(judged.gains), np.nan)
        return _found(judged.pool_gains, self.cutoff) / judged.n_relevant


def _found(gains: Gains, cutoff: int) -> Values:
    """Return how many relevant items are among the first `cutoff`, (n,) float64."""
    found: Values = np.count_nonzero(gains[:, :cutoff] > 0, axis=1).astype(np.float64)
    return found

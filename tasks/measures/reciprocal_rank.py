"""Reciprocal rank of the first relevant item."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tasks.measures.judged import Judged, Values


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """``RR``, or ``RR@k``: 1 / rank of the first relevant item, 0 where none was ranked (among the first k)."""

    cutoff: int | None = None
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return "RR" if self.cutoff is None else f"RR@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64 in [0, 1]."""
        is_relevant = judged.gains[:, : self.cutoff] > 0
        if is_relevant.shape[1] == 0:
            return np.zeros(len(is_relevant))
        return np.where(is_relevant.any(axis=1), 1.0 / (1 + is_relevant.argmax(axis=1)), 0.0)

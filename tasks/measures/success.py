"""Whether any relevant item is near the top."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tasks.measures.judged import Judged, Values


@dataclass(frozen=True, slots=True)
class Success:
    """``Success@k``: 1 where any relevant item is among the first k, else 0 (the studies' Hit@k, "recall any")."""

    cutoff: int
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return f"Success@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64, 0 or 1."""
        values: Values = np.any(judged.gains[:, : self.cutoff] > 0, axis=1).astype(np.float64)
        return values

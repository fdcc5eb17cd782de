"""Normalised discounted cumulative gain."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tasks.measures.judged import Gains, Judged, Values


@dataclass(frozen=True, slots=True)
class NDCG:
    """``nDCG@k`` with the gain as it is (trec_eval, BEIR), ``2^gain - 1`` as study A takes it, or LongMemEval's own.

    Attributes
    ----------
    cutoff
        Ranks that count. The ideal ranking is that of all relevant items of the query, cut at the same rank.
    dcg
        ``log2``: linear gain; ``exp-log2``: exponential gain. The discount is log2(rank + 1) in both. ``longmemeval``:
        linear gain, ranks 1 and 2 both undiscounted, then log2(rank) (protocols.md, part C).
    """

    cutoff: int
    dcg: Literal["log2", "exp-log2", "longmemeval"] = "log2"
    unanswered: ClassVar[float] = 0.0
    without_relevance: ClassVar[float] = float("nan")

    def __str__(self) -> str:
        return f"nDCG@{self.cutoff}" if self.dcg == "log2" else f"nDCG(dcg='{self.dcg}')@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return DCG divided by the ideal DCG, (n,) float64 in [0, 1]."""
        return self._discounted(judged.gains) / self._discounted(judged.ideal)

    def _discounted(self, gains: Gains) -> Values:
        cut = gains[:, : self.cutoff].astype(np.float64)
        if self.dcg == "exp-log2":
            cut = np.exp2(cut) - 1.0
        # Järvelin & Kekäläinen 2002, with the discount of Burges et al. 2005: sum over ranks i of g_i / log2(i + 1).
        # Summed rank by rank: numpy's pairwise sum of a row depends on the padding behind it.
        total = np.zeros(len(cut))
        for rank, column in enumerate(cut.T, start=1):
            total += column / self._discount(rank)
        return total

    def _discount(self, rank: int) -> float:
        return float(np.log2(max(rank, 2)) if self.dcg == "longmemeval" else np.log2(rank + 1))

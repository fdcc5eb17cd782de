"""Near-duplicates among the rows of a dense index: greedy, the first wins.

Rows are read in order. A row is removed when its cosine with an earlier row *that was kept* reaches the threshold;
otherwise it is kept. That is the leader algorithm (J. A. Hartigan, Clustering Algorithms, Wiley 1975, chapter 3), but
a removed row belongs to the nearest of the kept rows before it, not to the first that is near enough. It is no
transitive closure: of a chain a ~ b ~ c with a and c far apart, b goes and c stays. SemHash (Minish Lab) and SemDeDup
(Abbas et al. 2023, arXiv 2303.09540) drop c too: there a removed row removes others.

The search is exhaustive and exact. FAISS's range search finds who could reach the threshold, in float32; whether it
does is decided in float64, one pair at a time, so that neither the size of blocks nor the number of threads matters.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tasks.indexes.dense import SLACK, Indices, Scores, Vectors
from tasks.progress import Progress, silent
from tasks.records import BenchError

TOLERANCE = 1e-6
"""How far below the threshold a cosine still reaches it. Vectors of unit length in float32 hold a cosine to about 1e-7:
a pair at exactly 0.95 may be stored as 0.94999996, and a vector's cosine with itself as 0.9999999."""
BLOCK = 2048
"""Rows compared with so many others at once: at most 50 MB of pairs (12 bytes each) if all of them are near."""
PAIRS = 4096
"""Pairs whose exact cosine is computed at once: 37 MB at 384 dimensions."""
UNIT_ERROR = 1e-3
"""How far a length may be from 1."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """What stands for each row.

    Attributes
    ----------
    kept_of
        Shape (n,), int64: the kept row that stands for the row, never a later one; the row itself where it is kept.
    cosine
        Shape (n,), float64: cosine with that row; 1 for rows that are kept, and for equal texts.
    """

    kept_of: Indices
    cosine: Scores

    @property
    def is_kept(self) -> Flags:
        """Whether each row is kept, shape (n,)."""
        return np.asarray(self.kept_of == np.arange(len(self.kept_of)))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs that reach the threshold: `place` in the batch, the other row (or place), and their cosine."""

    place: Indices
    other: Indices
    cosine: Scores

    def among(self, chosen: Flags | Indices) -> "_Pairs":
        return _Pairs(self.place[chosen], self.other[chosen], self.cosine[chosen])


def near_duplicates(
    vectors: Vectors, text_of: Indices, threshold: float, *, block: int = BLOCK, progress: Progress = silent
) -> NearDuplicates:
    """Find the near-duplicates among the rows of `vectors`.

    Parameters
    ----------
    vectors
        Shape (n, d), float32, L2-normalised; a row of zeros (an encoder's answer to no word) is near nothing. May be
        memory-mapped.
    text_of
        Shape (n,): rows with an equal number have equal texts, and so equal vectors. They are near-duplicates at every
        threshold, and only the first of them is searched.
    threshold
        Cosine from which a row is removed, above 0 and at most 1; `TOLERANCE` below it still counts.
    block
        Rows compared at once: a matter of memory (12 * block**2 bytes at worst), not of the result.
    progress
        Told the pairs of distinct texts done. Each with a kept one costs 2 * d float operations: 1.4e13 in all (minutes
        on two cores) for the 189,264 distinct texts of LongMemEval-S.

    Raises
    ------
    BenchError
        When the threshold is out of range, the rows do not fit together, or a vector is not of unit length.
    """
    check_threshold(threshold)
    if len(vectors) != len(text_of):
        raise BenchError(f"{len(vectors)} vectors came for {len(text_of)} texts; expected one each: build them anew")
    _, first, number = np.unique(text_of, return_index=True, return_inverse=True)
    rows = np.sort(first)
    kept_of, cosine = _Search(vectors, threshold, block).run(rows, progress)
    place = np.searchsorted(rows, first[number])  # of the first row with the same text
    found = kept_of[place], cosine[place]
    return NearDuplicates(*found)


def check_threshold(threshold: float) -> None:
    """Raise an error in words unless the threshold is a cosine that can be reached, and above 0."""
    if not 0 < threshold <= 1:
        raise BenchError(
            f"threshold {threshold} of near-duplicates; expected a cosine above 0 and at most 1, such as 0.95"
        )


class _Search:
    def __init__(self, vectors: Vectors, threshold: float, block: int) -> None:
        self._vectors = vectors
        self._bound = max(threshold - TOLERANCE, float(np.finfo(np.float64).tiny))  # 0 is near nothing
        self._block = block

    def run(self, rows: Indices, progress: Progress) -> tuple[Indices, Scores]:
        """Return for each of the ascending `rows` the row that stands for it, and the cosine of the two."""
        kept_of, cosine = rows.copy(), np.ones(len(rows))
        kept = np.empty(0, np.int64)
        for start in range(0, len(rows), self._block):
            batch = rows[start : start + self._block]
            best_row, best = self._nearest(batch, kept)
            is_new = best_row < 0
            kept = np.concatenate([kept, batch[is_new]])
            kept_of[start : start + len(batch)] = np.where(is_new, batch, best_row)
            cosine[start : start + len(batch)] = np.where(is_new, 1.0, best)
            progress(_n_pairs(start + len(batch)), _n_pairs(len(rows)), "pairs of texts")
        return kept_of, cosine

    def _nearest(self, batch: Indices, kept: Indices) -> tuple[Indices, Scores]:
        """Return for each row of the batch the nearest kept row before it, -1 where it is kept, and their cosine."""
        mine = self._read(batch)
        _refuse_lengths(mine, batch)
        best_row, best = np.full(len(batch), -1, np.int64), np.zeros(len(batch))
        for start in range(0, len(kept), self._block):
            columns = kept[start : start + self._block]
            pairs = self._near(mine, self._read(columns))
            _improve(best_row, best, pairs, columns)
        within = self._near(mine, mine)
        within = within.among(within.other < within.place)
        is_kept = _first_wins(best_row < 0, within)
        _improve(best_row, best, within.among(is_kept[within.other]), batch)
        return best_row, best

    def _read(self, rows: Indices) -> Vectors:
        return np.ascontiguousarray(self._vectors[rows], dtype=np.float32)

    def _near(self, mine: Vectors, others: Vectors) -> _Pairs:
        """Return the pairs of a row of `mine` and a row of `others` that reach the threshold, `place` ascending."""
        import faiss

        index = faiss.IndexFlatIP(others.shape[1])
        index.add(others)
        limits, _, found = index.range_search(mine, self._bound - SLACK)
        place, other = np.repeat(np.arange(len(mine)), _lengths(limits)), found.astype(np.int64)
        cosine = np.empty(len(other))
        for start in range(0, len(other), PAIRS):
            part = slice(start, start + PAIRS)
            products = mine[place[part]].astype(np.float64) * others[other[part]].astype(np.float64)
            cosine[part] = products.sum(axis=1)
        return _Pairs(place, other, cosine).among(cosine >= self._bound)


def _n_pairs(n: int) -> int:
    """Return how many pairs n texts make; time goes with it, not with n."""
    return n * (n - 1) // 2


def _lengths(limits: Indices) -> Indices:
    return np.asarray(limits[1:] - limits[:-1], dtype=np.int64)


def _first_wins(is_free: Flags, pairs: _Pairs) -> Flags:
    """Return which rows of a batch are kept: those free of earlier batches, unless near an earlier kept one of it."""
    is_kept = is_free.copy()
    bounds = np.flatnonzero(np.diff(pairs.place, prepend=-1, append=-1))
    for start, stop in pairwise(bounds):
        if is_kept[pairs.other[start:stop]].any():
            is_kept[pairs.place[start]] = False
    return is_kept


def _improve(best_row: Indices, best: Scores, pairs: _Pairs, rows: Indices) -> None:
    """Replace, in place, what a pair is nearer than; of equally near rows the earliest stays."""
    order = np.lexsort((pairs.other, -pairs.cosine, pairs.place))
    pairs = pairs.among(order[np.diff(pairs.place[order], prepend=-1) != 0])
    pairs = pairs.among((best_row[pairs.place] < 0) | (pairs.cosine > best[pairs.place]))
    best_row[pairs.place], best[pairs.place] = rows[pairs.other], pairs.cosine


def _refuse_lengths(vectors: Vectors, rows: Indices) -> None:
    length = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~((np.abs(length - 1) <= UNIT_ERROR) | (length == 0)))  # so written that NaN is wrong
    if wrong.size:
        raise BenchError(
            f"vector of row {rows[wrong[0]]} has length {length[wrong[0]]:.4g}; expected 1 (L2-normalised): build the "
            "embeddings anew"
        )

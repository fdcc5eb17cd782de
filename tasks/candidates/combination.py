"""Combining two scores of the same candidates: normalise each within its candidate set, then weigh (study B, B.2).

Everything works on all candidate sets of a corpus at once: scores stand end to end, and `offsets` says where each set
starts. A set may be empty.
"""

import numpy as np
import numpy.typing as npt

NEGLIGIBLE = 1e-9
"""A set whose scores spread less than this has no order worth amplifying: its normalised scores are 0 (B.2)."""

Scores = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def z_normalised(scores: Scores, offsets: Integers) -> Scores:
    """Return z = (x - mean) / sd within each set, sd = sqrt(mean((x - mean)^2)); zeros where sd < 1e-9.

    The population's standard deviation, as in study B (arXiv 2606.04194; protocols.md B.2).

    Parameters
    ----------
    scores
        Shape (n,), finite: those of all sets, end to end.
    offsets
        Shape (m + 1,), ascending from 0 to n: set i is `scores[offsets[i]:offsets[i + 1]]`.

    >>> z_normalised(np.array([1.0, 3.0, 7.0, 7.0]), np.array([0, 2, 4])).tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    centred = scores - _means(scores, offsets)
    sd = np.sqrt(_means(centred**2, offsets))
    return np.where(sd < NEGLIGIBLE, 0.0, centred / np.maximum(sd, NEGLIGIBLE))


def min_max(scores: Scores, offsets: Integers) -> Scores:
    """Return (x - min) / (max - min) within each set, in [0, 1]; zeros where max - min < 1e-9.

    The linear normalisation of Lee (SIGIR 1997, "Analyses of multiple evidence combination"). Shapes as in
    `z_normalised`.

    >>> min_max(np.array([1.0, 3.0, 2.0, 7.0]), np.array([0, 3, 4])).tolist()
    [0.0, 1.0, 0.5, 0.0]
    """
    low, high = (_extremes(scores, offsets, of) for of in (np.minimum, np.maximum))
    spread = high - low
    return np.where(spread < NEGLIGIBLE, 0.0, (scores - low) / np.maximum(spread, NEGLIGIBLE))


def weighted(alpha: float | Scores, bm25: Scores, dense: Scores) -> Scores:
    """Return alpha * bm25 + (1 - alpha) * dense (protocols.md B.2); `alpha` is the weight of BM25, one or one per row.

    >>> weighted(0.25, np.array([1.0]), np.array([-1.0])).tolist()
    [-0.5]
    """
    return np.asarray(alpha * bm25 + (1.0 - np.asarray(alpha)) * dense, dtype=np.float64)


def reciprocal_ranks(first: Integers, second: Integers, *, rrf_k: int = 60, rank_origin: int = 1) -> Scores:
    """Return 1 / (rrf_k + r1) + 1 / (rrf_k + r2), where both lists rank every candidate.

    Cormack, Clarke and Büttcher (SIGIR 2009); over all candidates, not over the best of each list, as in B.2.

    Parameters
    ----------
    first, second
        Shape (n,): 0-based rank of each candidate in its set by either score.
    rrf_k, rank_origin
        r = rank + `rank_origin`.

    >>> reciprocal_ranks(np.array([0, 1]), np.array([0, 2])).round(6).tolist()
    [0.032787, 0.032002]
    """
    offset = rrf_k + rank_origin
    return np.asarray(1.0 / (offset + first) + 1.0 / (offset + second), dtype=np.float64)


def _means(values: Scores, offsets: Integers) -> Scores:
    """Return (n,): at each row the mean of its set."""
    lengths = np.diff(offsets)
    members = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.bincount(members, weights=values, minlength=len(lengths))
    return np.asarray(sums[members] / lengths[members], dtype=np.float64)


def _extremes(values: Scores, offsets: Integers, of: np.ufunc) -> Scores:
    """Return (n,): at each row the extreme of its set; `reduceat` knows no empty sets, so they are left out."""
    lengths = np.diff(offsets)
    is_filled = lengths > 0
    if not is_filled.any():
        return values
    return np.repeat(of.reduceat(values, offsets[:-1][is_filled]), lengths[is_filled])

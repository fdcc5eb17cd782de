"""What a random order of the pool would score: the floor that a measure must be read against (row L12).

Expected values over all orders of a pool of `n_documents`, of which those with the given gains are relevant. A
random order puts every document at every rank with probability 1 / n_documents.
"""

import re
from functools import cache
from math import comb, log2, nan

import numpy as np

_CUT = re.compile(r"(?P<name>.+)@(?P<k>\d+)")


@cache  # most questions of a pool have as many relevant documents as others, and RR takes a step per document
def expected(measure: str, gains: tuple[int, ...], n_documents: int) -> float | None:
    """Return the expected value of `measure`, NaN without a relevant document, None where we have no formula.

    >>> expected("R@10", (1, 1), 40)
    0.25
    >>> expected("Success@1", (1, 1), 4)
    0.5
    """
    relevant = tuple(gain for gain in gains if gain > 0)
    if measure == "RR":
        return _reciprocal_rank(len(relevant), n_documents) if relevant else nan
    match = _CUT.fullmatch(measure)
    if match is None or match["name"] not in _FORMULAS:
        return None
    if not relevant:
        return nan
    return _FORMULAS[match["name"]](relevant, int(match["k"]), max(n_documents, len(relevant)))


def _ndcg_linear(gains: tuple[int, ...], k: int, n: int) -> float:
    return _ndcg(np.array(gains, dtype=float), k, n)


def _ndcg_exponential(gains: tuple[int, ...], k: int, n: int) -> float:
    return _ndcg(np.exp2(np.array(gains, dtype=float)) - 1, k, n)


def _ndcg(gains: "np.ndarray[tuple[int], np.dtype[np.float64]]", k: int, n: int) -> float:
    discounts = np.array([1 / log2(rank + 1) for rank in range(1, min(k, n) + 1)])
    ideal = np.sort(gains)[::-1][:k]
    return float(gains.sum() / n * discounts.sum() / (ideal @ discounts[: len(ideal)]))


def _recall(_gains: tuple[int, ...], k: int, n: int) -> float:
    return min(k, n) / n


def _success(gains: tuple[int, ...], k: int, n: int) -> float:
    return 1 - comb(n - len(gains), min(k, n)) / comb(n, min(k, n))


def _recall_all(gains: tuple[int, ...], k: int, n: int) -> float:
    k = min(k, n)
    return comb(n - len(gains), k - len(gains)) / comb(n, k) if k >= len(gains) else 0.0


def _reciprocal_rank(n_relevant: int, n: int) -> float:
    """Sum over the first relevant document's rank r of P(r) / r, with P(r) = C(n - r, R - 1) / C(n, R)."""
    total, probability = 0.0, n_relevant / n
    for rank in range(1, n - n_relevant + 2):
        total += probability / rank
        remaining = n - rank
        if remaining:
            probability *= max(remaining - n_relevant + 1, 0) / remaining
    return total


_FORMULAS = {
    "nDCG": _ndcg_linear,
    "nDCG(dcg='exp-log2')": _ndcg_exponential,
    "R": _recall,
    "R_all": _recall_all,
    "pool_R": _recall,
    "Success": _success,
}

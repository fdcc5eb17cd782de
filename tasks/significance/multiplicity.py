"""p-values adjusted for the number of comparisons in a named family. All control the family-wise error rate."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.records import BenchError

Values = NDArray[np.float64]


def bonferroni(p_values: ArrayLike) -> Values:
    """Return min(1, m p) for each of the m p-values (Dunn 1961).

    >>> bonferroni([0.01, 0.4, 0.02]).round(2).tolist()
    [0.03, 1.0, 0.06]
    """
    p = _validate(p_values)
    return np.minimum(1.0, p * len(p))


def holm(p_values: ArrayLike) -> Values:
    """Return the step-down adjusted p-values of Holm (1979): never above Bonferroni's.

    >>> holm([0.01, 0.4, 0.02]).round(2).tolist()
    [0.03, 0.4, 0.04]
    """
    p = _validate(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def _validate(p_values: ArrayLike) -> Values:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise BenchError(f"p-values of shape {p.shape}; expected one dimension")
    if not ((p >= 0) & (p <= 1)).all():
        raise BenchError("a p-value is not between 0 and 1; expected only comparisons that have one in the family")
    return p

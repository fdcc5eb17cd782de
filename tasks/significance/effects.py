"""How large a paired difference is, how often it goes which way, and what could have been seen at all."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from tasks.records import BenchError

ROUNDING = 1e-12
"""Differences up to this size are ties: the measures lie in [0, 1] and are sums of few terms."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Size of a paired difference over `n` units; `n_undefined` pairs were NaN and left out.

    Attributes
    ----------
    wins, ties, losses
        Units whose difference is above, at, or below zero.
    effect_size
        Cohen's d_z: mean difference / its standard deviation (n - 1). 0 where all differences are zero, infinite
        where they are equal and not zero, NaN with fewer than two units.
    minimum_detectable_effect
        The smallest mean difference that a two-sided test at `alpha` finds with probability `power`, given this
        standard deviation and n; NaN with fewer than two units.
    """

    n: int
    n_undefined: int
    wins: int
    ties: int
    losses: int
    effect_size: float
    minimum_detectable_effect: float


def effect(differences: ArrayLike, *, alpha: float = 0.05, power: float = 0.8) -> Effect:
    """Describe paired differences (n,); NaN is excluded and counted.

    Raises
    ------
    BenchError
        When `differences` is not one-dimensional, or a parameter is out of range.
    """
    given = _validate(differences, alpha, power)
    defined = given[~np.isnan(given)]
    n = len(defined)
    wins, losses = int(np.count_nonzero(defined > ROUNDING)), int(np.count_nonzero(defined < -ROUNDING))
    deviation = float(defined.std(ddof=1)) if n > 1 else float("nan")
    # Cohen (1988), section 2.3: d_z = mean / sd of the differences.
    size = _ratio(float(defined.mean()), deviation) if n > 1 else float("nan")
    # Bloom (1995), "Minimum detectable effects": (z_{1 - alpha/2} + z_{power}) x standard error (normal approximation).
    multiplier = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    detectable = multiplier * deviation / float(np.sqrt(n)) if n > 1 else float("nan")
    return Effect(n, len(given) - n, wins, n - wins - losses, losses, size, detectable)


def _validate(differences: ArrayLike, alpha: float, power: float) -> np.ndarray:
    array = np.asarray(differences, dtype=np.float64)
    if array.ndim != 1:
        raise BenchError(f"differences of shape {array.shape}; expected one dimension")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise BenchError(f"alpha {alpha} and power {power}; expected numbers between 0 and 1")
    return array


def _ratio(mean: float, deviation: float) -> float:
    if deviation > ROUNDING:
        return mean / deviation
    return 0.0 if abs(mean) <= ROUNDING else float(np.copysign(np.inf, mean))

"""Intervals and tests of a mean over few groups, studentised with the cluster-robust variance.

The mean d of n differences in G groups with sums S_g and sizes n_g is a regression on a constant; its cluster-robust
variance is G / (G - 1) sum_g (S_g - n_g d)^2 / n^2 (Liang & Zeger 1986; Cameron & Miller 2015, "A practitioner's
guide to cluster-robust inference"). The factor is the same in the data and in every draw, and cancels from the ratio
of the two, so that it is left out here: `t` below is the usual one times sqrt(G / (G - 1)).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.records import BenchError
from tasks.significance.grouped import Clustered, Grouped, Values, collect, drawn_counts
from tasks.significance.permutation import TOLERANCE

T_DRAWS = 3_999
"""(T_DRAWS + 1) x 0.05 and x 0.025 are whole numbers, so that quantiles are draws, and test and interval agree
(Davidson & MacKinnon 2000, "Bootstrap tests: how many bootstraps?")."""

LEVEL = 0.95

WEBB = np.sqrt([0.5, 1.0, 1.5])
"""Magnitudes of Webb's six-point weights; each with either sign has probability 1/6 (Webb 2014, "Reworking wild
bootstrap based inference for clustered errors"). With ten groups two-point weights have 2^9 different t, and with six
groups 32; six-point weights have so many that p-values are as good as continuous."""

UNBOUNDED = 1e6
"""A studentised quantile beyond this comes of draws without variance (one group drawn G times): no finite interval."""

MAX_CELLS = 100_000
"""Draws times columns that are worked on at once: ten arrays of 0.8 MB, which stay in the processor's cache."""

N_DOUBLINGS, N_HALVINGS = 14, 32
"""Search for an end of an interval: up to 2^14 standard errors away, to 2^-32 of the distance."""


def cluster_bootstrap_t(part: Grouped, *, rng: np.random.Generator, n_draws: int = T_DRAWS) -> list[Clustered]:
    """Return the cluster bootstrap-t of each column: groups are resampled, and the mean is studentised in each draw.

    Source: Cameron, Gelbach & Miller (2008), "pairs cluster bootstrap-t"; Efron & Tibshirani (1993), section 12.5,
    for the interval d - t*_{0.975} se to d - t*_{0.025} se. The p is that of the same two tails: twice the smaller of
    the shares (b + 1) / (m + 1) of t* at or beyond t, so that the interval leaves 0 out if and only if p <= 0.05.

    Where the groups do not differ (no variance), or there is one, there is neither interval nor p.

    Parameters
    ----------
    part
        G groups, m columns.
    rng
        Draws are ``rng.integers(0, G, size=(n_draws, G))``, the same for all columns.
    n_draws
        Number m of draws; (m + 1) x 0.025 is a whole number.

    Raises
    ------
    BenchError
        When it is not.
    """
    rank = _rank(n_draws, (1 - LEVEL) / 2)
    if part.n_groups < 2:
        return collect(part, np.nan, np.nan, np.nan, np.nan)
    counts = drawn_counts(part.n_groups, n_draws, rng)
    lo, hi, p = (np.full(part.sums.shape[1], np.nan) for _ in range(3))
    for places, some, deviation in _studentised(part, n_draws):
        drawn = np.sort(_drawn_t(some, counts, deviation), axis=0)
        error = deviation / some.n
        low, high = drawn[rank - 1], drawn[-rank]
        lo[places] = _limit(some.means, high, error)
        hi[places] = _limit(some.means, low, error)
        t = some.means / error
        slack = TOLERANCE * np.abs(t)
        tails = np.minimum((drawn >= t - slack).sum(axis=0), (drawn <= t + slack).sum(axis=0))
        p[places] = np.minimum(1.0, 2 * (tails + 1) / (n_draws + 1))
    return collect(part, lo, hi, p, np.where(np.isnan(p), np.nan, 2 / (n_draws + 1)))


def wild_cluster(part: Grouped, *, rng: np.random.Generator, n_draws: int = T_DRAWS) -> list[Clustered]:
    """Return the wild cluster bootstrap of each column, null imposed, with Webb's weights; interval by test inversion.

    To test that the mean is d0, the residuals of a group, S_g - n_g d0, are multiplied by one weight per draw, and t*
    of the product, studentised by its own cluster-robust variance, is compared with t of the data in absolute value:
    p = (b + 1) / (m + 1). Source: Cameron, Gelbach & Miller (2008), who impose the null; that version, with these
    weights, is the one advised for few groups of unequal size (MacKinnon & Webb 2018, "The wild bootstrap for few
    (treated) clusters"; Roodman, MacKinnon, Nielsen & Webb 2019, "Fast and wild", also for the interval: all d0 with
    p above 0.05, here from the mean outward to the first that is not). `p` is that of d0 = 0.

    Where the groups do not differ (no variance), or there is one, there is neither interval nor p; where no d0 is
    rejected (two groups), no finite interval.

    Parameters
    ----------
    part
        G groups, m columns.
    rng
        Weights are ``rng.choice(WEBB, ...) * rng.choice([-1, 1], ...)`` of shape (n_draws, G), the same for all columns
        and all d0.
    n_draws
        Number m of draws; (m + 1) x 0.05 is a whole number.

    Raises
    ------
    BenchError
        When it is not.
    """
    n_rejected = _rank(n_draws, 1 - LEVEL) - 1
    if part.n_groups < 2:
        return collect(part, np.nan, np.nan, np.nan, np.nan)
    shape = (n_draws, part.n_groups)
    weights = rng.choice(WEBB, size=shape) * rng.choice([-1.0, 1.0], size=shape)
    lo, hi, p = (np.full(part.sums.shape[1], np.nan) for _ in range(3))
    for places, some, deviation in _studentised(part, n_draws):
        drawn = _Wild.of(some, weights, deviation)
        error = deviation / some.n
        lo[places] = _limit(some.means, drawn.last_accepted(1.0, n_rejected), error)
        hi[places] = _limit(some.means, drawn.last_accepted(-1.0, n_rejected), error)
        p[places] = (drawn.n_as_far(some.means / error) + 1) / (n_draws + 1)
    return collect(part, lo, hi, p, np.where(np.isnan(p), np.nan, 1 / (n_draws + 1)))


@dataclass(frozen=True, slots=True)
class _Wild:
    """Draws t* as a function of t = (mean - d0) / se, m columns at once: t moves the residuals by t n_g se.

    With residuals r_g = (S_g - n_g d) / deviation and shares s_g = n_g / n, a draw's mean is M + t N with M = sum w_g
    r_g and N = sum w_g s_g, and its residuals are A_g + t B_g with A_g = w_g r_g - s_g M and B_g = w_g s_g - s_g N.
    So (M + t N)^2 - t^2 sum (A_g + t B_g)^2 is a polynomial in t, and not negative where |t*| >= |t|.

    Attributes
    ----------
    coefficients
        Those of t^0 to t^4, each (n_draws, m).
    """

    coefficients: tuple[Values, ...]

    @classmethod
    def of(cls, part: Grouped, weights: Values, deviation: Values) -> "_Wild":
        residuals, shares = part.residuals / deviation, part.sizes / part.n
        m, n = weights @ residuals, weights @ shares
        aa, ab, bb = (np.zeros_like(m) for _ in range(3))
        for weight, residual, share in zip(weights.T[:, :, None], residuals, shares, strict=True):
            a, b = weight * residual - share * m, weight * share - share * n
            aa += a * a
            ab += a * b
            bb += b * b
        strict = 1 - TOLERANCE  # equal but for rounding is equal: equal weights in all groups give the data again
        return cls((m * m, 2 * m * n, n * n - strict * aa, -2 * strict * ab, -strict * bb))

    def n_as_far(self, t: Values) -> NDArray[np.int64]:
        """Return how many draws have |t*| >= |t|, (m,)."""
        total = self.coefficients[-1] * t
        for coefficient in self.coefficients[-2:0:-1]:
            total += coefficient
            total *= t
        total += self.coefficients[0]
        return np.asarray((total >= 0).sum(axis=0))

    def last_accepted(self, sign: float, n_rejected: int) -> Values:
        """Return the t on one side at which the test begins to reject, (m,); infinite where it never does."""
        inside = np.zeros(self.coefficients[0].shape[1])
        outside = np.full_like(inside, sign)
        for _ in range(N_DOUBLINGS):
            is_accepted = self.n_as_far(outside) > n_rejected
            if not is_accepted.any():
                break
            inside, outside = np.where(is_accepted, outside, inside), np.where(is_accepted, 2 * outside, outside)
        is_endless = self.n_as_far(outside) > n_rejected
        for _ in range(N_HALVINGS):
            middle = (inside + outside) / 2
            is_accepted = self.n_as_far(middle) > n_rejected
            inside, outside = np.where(is_accepted, middle, inside), np.where(is_accepted, outside, middle)
        return np.where(is_endless, sign * np.inf, inside)


def _drawn_t(part: Grouped, counts: Values, deviation: Values) -> Values:
    """Return t* of each draw of groups, (n_draws, m); infinite where a draw has no variance."""
    residuals, sizes = part.residuals / deviation, part.sizes / part.n
    n_drawn = counts @ sizes
    mean = (counts @ residuals) / n_drawn  # of the draw, less that of the data
    variance = np.zeros_like(mean)
    for count, residual, size in zip(counts.T[:, :, None], residuals, sizes, strict=True):
        variance += count * (residual - size * mean) ** 2
    # The largest that can be meant: a draw of one group alone has a variance of rounding errors, not of zero.
    smallest = np.abs(mean) * n_drawn / (1e3 * UNBOUNDED)
    return np.asarray(mean * n_drawn / np.maximum(np.maximum(np.sqrt(variance), smallest), np.finfo(float).tiny))


def _studentised(part: Grouped, n_draws: int) -> Iterator[tuple[NDArray[np.int64], Grouped, Values]]:
    """Yield (places, columns, root of their sum of squared residuals) of what varies between groups, some at once."""
    deviation = np.sqrt((part.residuals**2).sum(axis=0))
    varying = np.flatnonzero(deviation > 0)
    step = max(1, MAX_CELLS // n_draws)
    for start in range(0, len(varying), step):
        places = varying[start : start + step]
        yield places, Grouped(part.sums[:, places], part.sizes[:, places]), deviation[places]


def _limit(mean: Values, t: Values, error: Values) -> Values:
    """Return mean - t error; NaN where t is beyond all bounds."""
    is_bounded = np.abs(t) < UNBOUNDED
    return np.where(is_bounded, mean - np.where(is_bounded, t, 0.0) * error, np.nan)


def _rank(n_draws: int, tail: float) -> int:
    """Return (n_draws + 1) x tail: from the end of the sorted draws, the place of the quantile."""
    rank = (n_draws + 1) * tail
    if n_draws < 1 or abs(rank - round(rank)) > 1e-9 or round(rank) < 1:
        raise BenchError(
            f"n_draws {n_draws}; expected such that (n_draws + 1) x {tail:g} is a whole number, as 3,999 or 9,999"
        )
    return round(rank)

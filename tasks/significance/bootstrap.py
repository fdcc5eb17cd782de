"""Percentile bootstrap of a mean, and of the mean of paired differences.

Source: Efron & Tibshirani (1993), "An Introduction to the Bootstrap", chapter 13; study A, protocol A.8.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.randomness import generator
from tasks.records import BenchError

MAX_DRAWS_IN_MEMORY = 4_000_000
"""Index draws held at once: 32 MB, whatever the numbers of resamples and queries."""

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval; NaN where no value was defined.

    `n` values were averaged, `n_undefined` were NaN and left out.
    """

    mean: float
    lo: float
    hi: float
    n: int
    n_undefined: int


def mean_interval(
    values: ArrayLike, *, rng: np.random.Generator, n_resamples: int = 10_000, level: float = 0.95
) -> Interval:
    """Return the mean of `values` (n,) and its percentile bootstrap interval; NaN is excluded and counted.

    Index draws are ``rng.integers(0, n, size=(n_resamples, n))``, made in chunks: memory is bounded.

    Raises
    ------
    BenchError
        When `values` is not one-dimensional or holds an infinite value, or a parameter is out of range.
    """
    given = _validate(values, 1, n_resamples, level)
    defined = given[~np.isnan(given)]
    n_undefined = len(given) - len(defined)
    if len(defined) == 0:
        return Interval(np.nan, np.nan, np.nan, 0, n_undefined)
    means = np.concatenate([defined[draws].mean(axis=1) for draws in _draws(len(defined), n_resamples, rng)])
    lo, hi = np.percentile(means, _percentiles(level))
    return Interval(float(defined.mean()), float(lo), float(hi), len(defined), n_undefined)


def paired_interval(
    treatment: ArrayLike,
    baseline: ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return `mean_interval` of treatment - baseline, unit by unit; a pair with a NaN is excluded and counted."""
    return mean_interval(differences(treatment, baseline), rng=rng, n_resamples=n_resamples, level=level)


def mean_intervals(
    columns: ArrayLike, *, rng: np.random.Generator, n_resamples: int = 10_000, level: float = 0.95
) -> list[Interval]:
    """Return `mean_interval` of each column of (n, m), all from the same draws.

    Shared draws are common random numbers for the variants, and cost one pass. Equal to `mean_interval` with an equal
    generator, except for the order of summation (1e-12).

    Raises
    ------
    BenchError
        As `mean_interval`; and when a value is NaN: columns that miss different units cannot share draws.
    """
    given = _validate(columns, 2, n_resamples, level)
    n, n_columns = given.shape
    if np.isnan(given).any():
        raise BenchError("a column holds NaN; expected the rows in which every column is defined")
    if n == 0:
        return [Interval(np.nan, np.nan, np.nan, 0, 0)] * n_columns
    means = np.concatenate([_counts(draws) @ given / n for draws in _draws(n, n_resamples, rng)])
    lows, highs = np.percentile(means, _percentiles(level), axis=0)
    rows = zip(given.mean(axis=0), lows, highs, strict=True)
    return [Interval(float(mean), float(lo), float(hi), n, 0) for mean, lo, hi in rows]


def alike(columns: Values) -> Iterator[tuple[NDArray[np.int64], Values]]:
    """Yield (places of columns, their defined rows) for the columns of (n, m) that are NaN in the same rows."""
    is_defined = ~np.isnan(columns)
    patterns, group = np.unique(is_defined.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        places = np.flatnonzero(group.ravel() == number)
        yield places, columns[np.ix_(pattern, places)]


def column_intervals(columns: Values, *, seed: int, names: Sequence[str], n_resamples: int = 10_000) -> list[Interval]:
    """Return `mean_interval` of each column of (n, m), NaN left out and counted.

    Columns with as many defined rows see the same draws, whatever the others: those of the generator `names` of `seed`.
    """
    found: dict[int, Interval] = {}
    for places, defined in alike(columns):
        several = mean_intervals(defined, rng=generator(seed, *names), n_resamples=n_resamples)
        n_undefined = len(columns) - len(defined)
        for place, one in zip(places.tolist(), several, strict=True):
            found[place] = replace(one, n_undefined=n_undefined)
    return [found[place] for place in range(columns.shape[1])]


def differences(treatment: ArrayLike, baseline: ArrayLike) -> Values:
    """Return treatment - baseline, (n,) float64; raises `BenchError` when they are not paired."""
    ours, theirs = np.asarray(treatment, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if ours.shape != theirs.shape:
        raise BenchError(f"paired values of shapes {ours.shape} and {theirs.shape}; expected equal shapes")
    return np.asarray(ours - theirs)


def _validate(values: ArrayLike, n_dimensions: int, n_resamples: int, level: float) -> Values:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != n_dimensions:
        raise BenchError(f"values of shape {array.shape}; expected {n_dimensions} dimension(s)")
    if np.isinf(array).any():
        raise BenchError("an infinite value; expected finite values, or NaN for undefined")
    if n_resamples < 1:
        raise BenchError(f"n_resamples {n_resamples}; expected at least 1")
    if not 0 < level < 1:
        raise BenchError(f"level {level}; expected a number between 0 and 1, such as 0.95")
    return array


def _percentiles(level: float) -> tuple[float, float]:
    tail = round(50 * (1 - level), 10)  # 2.5, not 2.5000000000000022
    return tail, 100 - tail


def _draws(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield the index draws, (rows, n) at a time: the same numbers as one draw of (n_resamples, n)."""
    n_rows = max(1, MAX_DRAWS_IN_MEMORY // n)
    for start in range(0, n_resamples, n_rows):
        yield rng.integers(0, n, size=(min(n_rows, n_resamples - start), n))


def _counts(draws: NDArray[np.int64]) -> Values:
    """Return how often each unit was drawn in each resample, (rows, n) float64."""
    n_rows, n = draws.shape
    flat = (draws + n * np.arange(n_rows)[:, None]).ravel()
    return np.bincount(flat, minlength=n_rows * n).reshape(n_rows, n).astype(np.float64)

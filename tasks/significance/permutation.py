"""Two-sided paired sign-flip permutation test of a mean difference.

Source: Fisher (1935), "The Design of Experiments", section 21; Phipson & Smyth (2010), "Permutation p-values should
never be zero", for (b + 1) / (m + 1); study A, protocol A.8.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.records import BenchError
from tasks.significance.effects import ROUNDING

EXACT_LIMIT = 20
"""Non-zero differences up to which all sign patterns are enumerated (2^20, of which half by symmetry)."""

TOLERANCE = 1e-11
"""Two statistics closer than this share of the mean absolute difference are equal: they differ by rounding only."""

MAX_SIGNS_IN_MEMORY = 4_000_000

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Result of the test.

    Attributes
    ----------
    p
        Two-sided p-value, in (0, 1]; NaN where no difference was defined.
    n, n_nonzero, n_undefined
        Differences used, those of them that are not zero, and those left out because they are NaN.
    is_exact
        Whether all sign patterns were enumerated.
    """

    p: float
    n: int
    n_nonzero: int
    n_undefined: int
    is_exact: bool


def sign_flip(
    differences: ArrayLike,
    *,
    rng: np.random.Generator,
    n_draws: int = 10_000,
    exact_limit: int = EXACT_LIMIT,
    tolerance: float = TOLERANCE,
) -> SignFlip:
    """Test whether the mean of paired differences (n,) is zero, under random signs.

    Parameters
    ----------
    differences
        NaN is excluded and counted.
    rng
        Used only when the patterns are sampled: signs are ``rng.choice([-1.0, 1.0], size=(n_draws, n))``.
    n_draws
        Number of sampled patterns m; p = (b + 1) / (m + 1).
    exact_limit
        Enumerate all patterns up to this many non-zero differences; 0 always samples.
    tolerance
        Share of the mean absolute difference below which statistics are equal. 0 compares floating-point numbers as
        study A does, where rounding decides on ties.

    Raises
    ------
    BenchError
        When a value is infinite, the shape is wrong, or a parameter is out of range.
    """
    given = _validate(differences, 1, n_draws, exact_limit)
    defined = given[~np.isnan(given)]
    n_undefined = len(given) - len(defined)
    n_nonzero = _n_nonzero(defined)
    if len(defined) == 0:
        return SignFlip(np.nan, 0, 0, n_undefined, is_exact=True)
    if n_nonzero <= exact_limit:
        return SignFlip(_exact_p(defined, tolerance), len(defined), n_nonzero, n_undefined, is_exact=True)
    null = np.concatenate([(signs * defined).mean(axis=1) for signs in _signs(len(defined), n_draws, rng)])
    p = _sampled_p(null, defined, tolerance)
    return SignFlip(p, len(defined), n_nonzero, n_undefined, is_exact=False)


def sign_flips(columns: ArrayLike, *, rng: np.random.Generator, n_draws: int = 10_000) -> list[SignFlip]:
    """Return `sign_flip` of each column of (n, m); those that are sampled share one sign matrix.

    Raises
    ------
    BenchError
        As `sign_flip`; and when a value is NaN: columns that miss different units cannot share signs.
    """
    given = _validate(columns, 2, n_draws, EXACT_LIMIT)
    if np.isnan(given).any():
        raise BenchError("a column holds NaN; expected the rows in which every column is defined")
    results = {
        column: sign_flip(given[:, column], rng=rng)
        for column in range(given.shape[1])
        if _n_nonzero(given[:, column]) <= EXACT_LIMIT
    }
    sampled = [column for column in range(given.shape[1]) if column not in results]
    if sampled:
        n, rest = len(given), given[:, sampled]
        null = np.concatenate([signs @ rest / n for signs in _signs(n, n_draws, rng)])
        for place, column in enumerate(sampled):
            p = _sampled_p(null[:, place], given[:, column], TOLERANCE)
            results[column] = SignFlip(p, n, _n_nonzero(given[:, column]), 0, is_exact=False)
    return [results[column] for column in range(given.shape[1])]


def _validate(differences: ArrayLike, n_dimensions: int, n_draws: int, exact_limit: int) -> Values:
    array = np.asarray(differences, dtype=np.float64)
    if array.ndim != n_dimensions:
        raise BenchError(f"differences of shape {array.shape}; expected {n_dimensions} dimension(s)")
    if np.isinf(array).any():
        raise BenchError("an infinite difference; expected finite values, or NaN for undefined")
    if n_draws < 1:
        raise BenchError(f"n_draws {n_draws}; expected at least 1")
    if not 0 <= exact_limit <= 24:
        raise BenchError(f"exact_limit {exact_limit}; expected 0 to 24 (2^23 statistics are 64 MB)")
    return array


def _n_nonzero(defined: Values) -> int:
    return int(np.count_nonzero(np.abs(defined) > ROUNDING))


def _exact_p(defined: Values, tolerance: float) -> float:
    """Share of all sign patterns whose mean is at least as far from zero. Zero differences change no pattern."""
    nonzero = defined[np.abs(defined) > ROUNDING]
    if len(nonzero) == 0:
        return 1.0
    # The first sign is fixed: a pattern and its opposite are equally far from zero.
    sums = nonzero[:1]
    for difference in nonzero[1:]:
        sums = np.concatenate([sums + difference, sums - difference])
    threshold = abs(nonzero.sum()) - tolerance * np.abs(nonzero).sum()
    return float(np.count_nonzero(np.abs(sums) >= threshold) / len(sums))


def _sampled_p(null: Values, defined: Values, tolerance: float) -> float:
    threshold = abs(defined.mean()) - tolerance * np.abs(defined).mean()
    n_as_far = int(np.count_nonzero(np.abs(null) >= threshold))
    return (n_as_far + 1) / (len(null) + 1)


def _signs(n: int, n_draws: int, rng: np.random.Generator) -> Iterator[Values]:
    """Yield the signs, (rows, n) at a time: the same numbers as one draw of (n_draws, n)."""
    n_rows = max(1, MAX_SIGNS_IN_MEMORY // n)
    for start in range(0, n_draws, n_rows):
        yield rng.choice([-1.0, 1.0], size=(min(n_rows, n_draws - start), n))

"""Paired differences of grouped questions, reduced to sums and sizes of groups: all that inference needs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.records import BenchError

Values = NDArray[np.float64]
Places = NDArray[np.int64]

ROUNDING = 1e-12
"""Share of the largest sum of a group below which what is left of a sum is rounding."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """Columns of differences (a column is a variant in a measure) whose defined values are in the same G groups.

    Attributes
    ----------
    sums
        Shape (G, m), float64: sum of the defined differences of each group and column.
    sizes
        Shape (G, m), float64: how many these are, at least 1.
    """

    sums: Values
    sizes: Values

    @property
    def n_groups(self) -> int:
        """Number of groups, G; 0 where nothing is defined."""
        return len(self.sums)

    @property
    def n(self) -> Values:
        """Defined differences of each column, (m,)."""
        return np.asarray(self.sizes.sum(axis=0))

    @property
    def means(self) -> Values:
        """Mean over all defined differences of each column, (m,): a group weighs as many as it has. NaN without any."""
        if not self.n_groups:
            return np.full(self.sums.shape[1], np.nan)
        return np.asarray(self.sums.sum(axis=0) / self.n)

    @property
    def residuals(self) -> Values:
        """Sums of the groups less what their sizes and the mean give, (G, m); exactly 0 where that is rounding."""
        expected = self.sizes * self.means
        left = self.sums - expected
        scale = np.abs(self.sums).max(axis=0, initial=0.0) + np.abs(expected).max(axis=0, initial=0.0)
        return np.where(np.abs(left) > ROUNDING * scale, left, 0.0)


@dataclass(frozen=True, slots=True)
class Clustered:
    """What one method says about the mean of one column.

    Attributes
    ----------
    delta
        Mean over all questions; NaN without any.
    lo, hi
        Ends of the interval; NaN where the method gives none, or no finite one.
    p
        p-value; NaN where the method gives none.
    p_floor
        The smallest p-value that the method could have given with so many groups and draws; NaN where it knows none.
    n, n_groups
        Defined differences, and the groups that they are in.
    is_one_sided
        Whether `p` is about differences above zero only.
    """

    delta: float
    lo: float
    hi: float
    p: float
    p_floor: float
    n: int
    n_groups: int
    is_one_sided: bool = False


def grouped(columns: ArrayLike, groups: ArrayLike) -> Iterator[tuple[Places, Grouped]]:
    """Reduce differences to groups, and yield (places of columns, their groups) for columns with the same groups.

    Parameters
    ----------
    columns
        Shape (n, m), float64: a row per question. NaN is left out; a group without any defined difference is no group
        of that column.
    groups
        Shape (n,), integers from 0: the group (the conversation) of each question.

    Raises
    ------
    BenchError
        When the shapes do not fit, a difference is infinite, or a group is not a number from 0.
    """
    differences, numbers = _validate(columns, groups)
    sums, sizes = _reduced(differences, numbers)
    patterns, pattern_of = np.unique((sizes > 0).T, axis=0, return_inverse=True)
    for number, is_there in enumerate(patterns):
        places = np.flatnonzero(pattern_of.ravel() == number)
        rows = np.ix_(is_there, places)
        yield places, Grouped(sums[rows], sizes[rows])


def drawn_counts(n_groups: int, n_draws: int, rng: np.random.Generator) -> Values:
    """Return how often each group is in each draw of `n_groups` with replacement, (n_draws, n_groups) float64."""
    draws = rng.integers(0, n_groups, size=(n_draws, n_groups))
    flat = (draws + n_groups * np.arange(n_draws)[:, None]).ravel()
    return np.bincount(flat, minlength=n_draws * n_groups).reshape(n_draws, n_groups).astype(np.float64)


def collect(
    part: Grouped,
    lo: Values | float,
    hi: Values | float,
    p: Values | float,
    p_floor: Values | float,
    *,
    is_one_sided: bool = False,
) -> list[Clustered]:
    """Return the results of the columns of `part`, each of whose numbers is given by column (m,) or for all."""
    shape = part.n.shape
    numbers = [np.broadcast_to(np.asarray(given, dtype=np.float64), shape).tolist() for given in (lo, hi, p, p_floor)]
    rows = zip(part.means.tolist(), *numbers, part.n.tolist(), strict=True)
    return [
        Clustered(mean, low, high, one, floor, int(n), part.n_groups, is_one_sided)
        for mean, low, high, one, floor, n in rows
    ]


def _reduced(differences: Values, numbers: NDArray[np.int64]) -> tuple[Values, Values]:
    """Return sums and sizes of all groups, (G, m); summed in the order of the questions, whatever the threads."""
    if not len(numbers):
        nothing = np.empty((0, differences.shape[1]))
        return nothing, nothing
    order = np.argsort(numbers, kind="stable")
    starts = np.unique(numbers[order], return_index=True)[1]
    is_defined = ~np.isnan(differences[order])
    filled = np.where(is_defined, differences[order], 0.0)
    return (
        np.add.reduceat(filled, starts, axis=0),
        np.add.reduceat(is_defined.astype(np.float64), starts, axis=0),
    )


def _validate(columns: ArrayLike, groups: ArrayLike) -> tuple[Values, NDArray[np.int64]]:
    differences, given = np.asarray(columns, dtype=np.float64), np.asarray(groups)
    if differences.ndim != 2:
        raise BenchError(f"differences of shape {differences.shape}; expected (questions, columns)")
    if given.shape != differences.shape[:1]:
        raise BenchError(
            f"groups of shape {given.shape} for {len(differences)} questions; expected one group for each question"
        )
    if np.isinf(differences).any():
        raise BenchError("an infinite difference; expected finite values, or NaN for undefined")
    if given.size and (not np.issubdtype(given.dtype, np.integer) or given.min() < 0):
        raise BenchError(f"groups of type {given.dtype}; expected whole numbers from 0, one for each group")
    return differences, given.astype(np.int64)

"""Two methods for questions that come in few groups: study B's cluster bootstrap, and exact sign flips of whole groups.

Questions about one conversation are alike, so that the conversations, not the questions, are the draws. Both methods,
and those of `studentised`, are about the mean over all questions.
"""

import numpy as np

from tasks.records import BenchError
from tasks.significance.grouped import Clustered, Grouped, collect, drawn_counts
from tasks.significance.permutation import TOLERANCE, sign_flips

CLUSTER_DRAWS = 4_000
"""Study B's number of draws (protocol B.3)."""

SIGN_DRAWS = 10_000
"""Sampled sign patterns where there are more groups than `permutation.EXACT_LIMIT`."""


def cluster_bootstrap(part: Grouped, *, rng: np.random.Generator, n_draws: int = CLUSTER_DRAWS) -> list[Clustered]:
    """Return study B's conversation-cluster bootstrap of each column (protocol B.3).

    Each draw takes G of the G groups with replacement, all questions of a group with it, and averages over all
    questions of the drawn groups: a group drawn twice weighs twice. The interval is from 2.5 to 97.5 % of the draws;
    the one-sided p is the share of draws <= 0, and may be 0. With one group every draw is the data: no interval, and
    no p.

    Parameters
    ----------
    part
        G groups, m columns.
    rng
        Draws are ``rng.integers(0, G, size=(n_draws, G))``, the same for all columns.
    n_draws
        Number of draws.
    """
    _validate(n_draws)
    n_groups = part.n_groups
    if n_groups < 2:
        return collect(part, np.nan, np.nan, np.nan, np.nan, is_one_sided=True)
    counts = drawn_counts(n_groups, n_draws, rng)
    means = (counts @ part.sums) / (counts @ part.sizes)
    lo, hi = np.percentile(means, (2.5, 97.5), axis=0)
    nothing = TOLERANCE * np.abs(part.sums).sum(axis=0) / part.n  # a draw that is 0 but for rounding is 0
    return collect(part, lo, hi, (means <= nothing).mean(axis=0), np.nan, is_one_sided=True)


def cluster_sign_flip(part: Grouped, *, rng: np.random.Generator, n_draws: int = SIGN_DRAWS) -> list[Clustered]:
    """Return the two-sided p-value of each column when the sign of a whole group is random.

    The null hypothesis is that the differences of a group, together, are as likely as their opposites, and independent
    of other groups. Then all 2^G patterns of signs are equally likely, and the share of patterns whose statistic is at
    least as far from zero is an exact p-value, whatever the correlation within groups and however unequal they are.

    The statistic is the sum over groups of the group's sum: the number of questions is the same in every pattern, so
    that it orders the patterns as the mean over all questions does, which is the number that is reported. (The sum of
    the groups' means would test the mean over conversations.) Statistics that differ by rounding count as equal.

    The pattern that is the data and its opposite are always as far: p is never below 2 / 2^G, `p_floor`; with ten
    conversations 2 / 1024. (A group whose sum is zero leaves both its patterns alike, which doubles the smallest p once
    more.) Above 20 groups patterns are sampled, p = (b + 1) / (m + 1).

    Parameters
    ----------
    part
        G groups, m columns.
    rng
        Used only where patterns are sampled.
    n_draws
        Sampled patterns.
    """
    _validate(n_draws)
    n_groups = part.n_groups
    if not n_groups:
        return collect(part, np.nan, np.nan, np.nan, np.nan)
    tests = sign_flips(part.sums, rng=rng, n_draws=n_draws)
    p = np.array([test.p for test in tests])
    floors = np.array([sign_flip_floor(n_groups, None if test.is_exact else n_draws) for test in tests])
    return collect(part, np.nan, np.nan, p, floors)


def sign_flip_floor(n_groups: int, n_draws: int | None = None) -> float:
    """Return the smallest two-sided p-value of sign flips of so many groups; with draws, of that many sampled patterns.

    >>> sign_flip_floor(10) == 2 / 1024, sign_flip_floor(1)
    (True, 1.0)
    >>> sign_flip_floor(30, 999)
    0.001
    """
    exact = 2.0 ** (1 - n_groups)
    return exact if n_draws is None else max(exact, 1 / (n_draws + 1))


def _validate(n_draws: int) -> None:
    if n_draws < 1:
        raise BenchError(f"n_draws {n_draws}; expected at least 1")

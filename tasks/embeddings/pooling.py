r"""The dense score of a session, from the cosines of its turns: one small family with one interface (protocols.md B.2).

With q the question, t_1 ... t_n the L2-normalised turn vectors of a session and c_i = cos(q, t_i):

========  =====================================================  ===================================
`mean`    cos(q, m / \|m\|), m = (t_1 + ... + t_n) / n           early: the turns become one vector
`max`     max_i c_i                                              late: max-sim
`top<k>`  mean of the k largest c_i (of all where n < k)         `top3`
`lse<b>`  (1/b) ln sum_i exp(b c_i), b > 0                       `lse10`
`text`    the cosine of one vector of the session's own text     there is one row per session already
========  =====================================================  ===================================

The log-sum-exp of B.2 is a sum, not a mean: it is not divided by n inside the logarithm. A session of n equal turns
gets c + ln(n)/b: long sessions gain over short ones, all the more where an encoder's cosines lie close together.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from tasks.records import BenchError

Scores = npt.NDArray[np.float64]
Units = npt.NDArray[np.integer[Any]]
Vectors = npt.NDArray[np.floating[Any]]

Kind = Literal["mean", "max", "top", "lse", "text"]

_PLAIN: dict[str, Kind] = {"mean": "mean", "max": "max", "text": "text"}
_NAME = re.compile(r"(?P<kind>mean|max|text)|top(?P<k>[1-9][0-9]*)|lse(?P<beta>[0-9]+(?:\.[0-9]+)?)")
_SHORTEST = 1e-12
"""A sum of turn vectors shorter than this has no direction: the session scores 0."""


@dataclass(frozen=True, slots=True)
class Pool:
    """How the turns of a session become one score; `Pool.parse(str(pool)) == pool`.

    Attributes
    ----------
    kind
        The member of the family.
    k
        Of `top`: how many of the best turns count, at least 1.
    beta
        Of `lse`: above 0; the larger, the nearer to `max`.
    """

    kind: Kind
    k: int = 0
    beta: float = 0.0

    @classmethod
    def parse(cls, name: str) -> Self:
        """Return the pool of that name.

        >>> [str(Pool.parse(name)) for name in ("mean", "top3", "lse10", "lse2.50")]
        ['mean', 'top3', 'lse10', 'lse2.5']

        Raises
        ------
        BenchError
            When there is none.
        """
        found = _NAME.fullmatch(name)
        beta = float(found["beta"]) if found and found["beta"] else 0.0
        if found is None or (found["beta"] and not 0 < beta < math.inf):
            raise BenchError(
                f"pool {name!r} is unknown; expected mean, max, text, top<k> such as top3 with k of at least 1, or "
                "lse<beta> such as lse10 or lse2.5 with beta above 0"
            )
        if found["beta"]:
            return cls("lse", beta=beta)
        return cls("top", k=int(found["k"])) if found["k"] else cls(_PLAIN[found["kind"]])

    def __str__(self) -> str:
        if self.kind == "top":
            return f"top{self.k}"
        return f"lse{np.format_float_positional(self.beta, trim='-')}" if self.kind == "lse" else self.kind

    @property
    def needs_vectors(self) -> bool:
        """Whether cosines are not enough: the length of a session's mean is not in them, and `text` has its own."""
        return self.kind in ("mean", "text")

    def scores(self, cosines: Scores, units: Units, turns: Vectors | None = None) -> Scores:
        """Return the scores of all sessions for all questions at once, (n_queries, n_sessions), float64.

        Parameters
        ----------
        cosines
            Shape (n_queries, n_turns), float64: the questions against the turns (for `text`, the sessions) of a scope.
        units
            Shape (n_turns,): number of the session of each turn, ascending from 0 without gaps.
        turns
            Shape (n_turns, d), L2-normalised: the vectors of the turns, which only `mean` needs.

        Raises
        ------
        BenchError
            When the parts do not belong together. Memory: a few arrays of the size of `cosines`.
        """
        starts = session_starts(units)
        if cosines.ndim != 2 or cosines.shape[1] != len(units):
            raise BenchError(f"cosines of shape {cosines.shape} for {len(units)} turns; expected one column per turn")
        if not len(units):
            return np.zeros((len(cosines), 0))
        match self.kind:
            case "mean":
                return _mean(cosines, starts, turns)
            case "max":
                return np.asarray(np.maximum.reduceat(cosines, starts, axis=1))
            case "top":
                return _top(cosines, units, starts, self.k)
            case "lse":
                return _log_sum_exp(cosines, units, starts, self.beta)
            case "text":
                return _as_they_are(cosines, starts)


def cosines_of(queries: Vectors, turns: Vectors) -> Scores:
    """Return the inner products of L2-normalised vectors in float64, shape (n_queries, n_turns).

    One matrix product, but not BLAS's: equal vectors get equal scores to the last bit, wherever they stand, and a score
    depends neither on the number of threads nor on which questions are asked together. It takes 45 ms for 250 questions
    and 700 turns of 384 dimensions.
    """
    return np.asarray(np.einsum("qd,td->qt", queries.astype(np.float64), turns.astype(np.float64), optimize=False))


def pool_name(name: str) -> str:
    """Return the canonical name of a pool, for a parameter; raises `ValueError` for an unknown one.

    >>> pool_name("lse2.50")
    'lse2.5'
    """
    try:
        return str(Pool.parse(name))
    except BenchError as error:
        raise ValueError(str(error)) from error


def session_starts(units: Units) -> npt.NDArray[np.int64]:
    """Return the place of the first turn of each session, shape (n_sessions,), int64.

    Raises
    ------
    BenchError
        When the numbers do not ascend from 0 without gaps: a session without a turn has no score.

    >>> session_starts(np.array([0, 0, 1, 2, 2])).tolist()
    [0, 2, 3]
    """
    steps = np.diff(units, prepend=-1)
    if np.any((steps != 0) & (steps != 1)) or (len(units) and units[0] != 0):
        raise BenchError("session numbers of the turns of a scope; expected them to ascend from 0 without gaps")
    return np.flatnonzero(steps)


def _mean(cosines: Scores, starts: npt.NDArray[np.int64], turns: Vectors | None) -> Scores:
    """Return cos(q, m / |m|) = sum_i c_i / |sum_i t_i|: inner products are linear, and 1/n cancels (B.2, early)."""
    if turns is None or len(turns) != cosines.shape[1]:
        came = "no turn vectors" if turns is None else f"{len(turns)} turn vectors for {cosines.shape[1]} turns"
        raise BenchError(f"pool mean: {came} came; expected one per turn, as the length of their mean is needed")
    lengths = np.linalg.norm(np.add.reduceat(turns.astype(np.float64), starts, axis=0), axis=1)
    has_direction = lengths >= _SHORTEST
    scores = np.add.reduceat(cosines, starts, axis=1) / np.where(has_direction, lengths, 1.0)
    return np.where(has_direction, scores, 0.0)


def _top(cosines: Scores, units: Units, starts: npt.NDArray[np.int64], k: int) -> Scores:
    """Return the mean of the k largest c_i, of all where a session has fewer (B.2, top3)."""
    sizes = np.diff(starts, append=len(units))
    order = np.lexsort((-cosines, np.broadcast_to(units, cosines.shape)), axis=1)
    is_counted = np.arange(len(units)) - starts[units] < k
    counted = np.where(is_counted, np.take_along_axis(cosines, order, axis=1), 0.0)
    return np.asarray(np.add.reduceat(counted, starts, axis=1) / np.minimum(sizes, k))


def _log_sum_exp(cosines: Scores, units: Units, starts: npt.NDArray[np.int64], beta: float) -> Scores:
    """Return (1/beta) ln sum_i exp(beta c_i) (B.2, lse10), the largest taken out so that nothing overflows."""
    best = np.maximum.reduceat(cosines, starts, axis=1)
    with np.errstate(over="ignore", under="ignore"):  # far below the best: exp(-inf) is the 0 that is meant
        shares = np.exp(beta * (cosines - best[:, units]))
    return np.asarray(best + np.log(np.add.reduceat(shares, starts, axis=1)) / beta)


def _as_they_are(cosines: Scores, starts: npt.NDArray[np.int64]) -> Scores:
    if len(starts) != cosines.shape[1]:
        raise BenchError(
            f"pool text: {cosines.shape[1]} columns for {len(starts)} sessions; expected one vector per session's text"
        )
    return cosines

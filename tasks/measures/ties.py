"""Which ranked items have equal scores: groups inside which the order of a ranking says nothing."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.measures.judged import Gains, Judged, Values
from tasks.records import BenchError

DECIMALS = 9
"""Scores that agree to this many decimals are equal: `tasks.candidates.ranking.DECIMALS`, which a test holds equal (a
stage may not import a later one)."""

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ties:
    """The groups of equal scores in the rankings of `n` queries, padded to the longest (at least one place).

    A place is 0-based. Places behind the last item of a query are groups of one, with gain 0.

    Attributes
    ----------
    gains
        (n, depth) gain of the item at each place.
    starts, ends
        (n, depth) first place of the group of each place, and the place behind its last.
    n_ranked
        (n,) number of ranked items.
    ideal
        (n, most relevant items of a query) gains of all relevant items, descending, padded with 0.
    is_cut
        (n,) whether items that were not kept might follow the last one.
    """

    gains: Gains
    starts: Places
    ends: Places
    n_ranked: Places
    ideal: Gains
    is_cut: Flags

    def judged(self, gains: Gains | None = None) -> Judged:
        """Return what measures read, with these gains in place of those as ranked."""
        return Judged(self.gains if gains is None else gains, self.n_ranked, self.ideal)

    def group_sums(self, values: Gains | Values | Flags) -> Values:
        """Return (n, depth) float64: at each place the sum of `values` (n, depth) over the group of the place."""
        ids = (self.starts + np.arange(len(values))[:, None] * values.shape[1]).ravel()
        sums: Values = np.bincount(ids, weights=values.ravel(), minlength=values.size)[ids].reshape(values.shape)
        return sums

    def group_means(self, values: Gains | Values | Flags) -> Values:
        """Return (n, depth) float64: at each place the mean of `values` (n, depth) over the group of the place."""
        return self.group_sums(values) / (self.ends - self.starts)


def find_ties(rankings: pl.DataFrame, ideal: Gains, is_cut: Flags | None = None) -> Ties:
    """Return the groups of equal scores of many rankings.

    Parameters
    ----------
    rankings
        Columns query_index, rank (1, 2, 3, ... without gaps), score (finite, never rising with the rank) and gain (0 or
        less where not relevant), one row per ranked item.
    ideal
        (n, most relevant items of a query), as in `Judged`: decides how many queries there are.
    is_cut
        (n,) whether more might follow the last ranked item; None: it might for every query. A ranking shorter than the
        depth it was cut at holds all that was found.

    Raises
    ------
    BenchError
        Naming the queries whose ranks have gaps or whose scores are not finite or rise.
    """
    n = len(ideal)
    table = rankings.select("query_index", "rank", "score", "gain").sort("query_index", "rank")
    query = table["query_index"].to_numpy().astype(np.int64)
    if query.size and not 0 <= query[0] <= query[-1] < n:
        raise BenchError(f"rankings for query_index {query[0]} to {query[-1]} came; expected 0 to {n - 1}")
    n_ranked = np.bincount(query, minlength=n).astype(np.int64)
    place = np.arange(len(query)) - np.repeat(np.cumsum(n_ranked) - n_ranked, n_ranked)
    _refuse(query[table["rank"].to_numpy() != place + 1], "have ranks other than 1, 2, 3, ...")
    flat = table["score"].cast(pl.Float64).fill_null(np.nan).to_numpy().round(DECIMALS)
    _refuse(query[~np.isfinite(flat)], "have scores that are not finite")
    shape = (n, max(1, int(n_ranked.max(initial=0))))
    scores, gains = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
    scores[query, place] = flat
    gains[query, place] = table["gain"].to_numpy().clip(min=0)
    _refuse(np.flatnonzero((np.diff(scores, axis=1) > 0).any(axis=1)), "have scores that rise with the rank")
    starts, ends = _groups(scores)
    return Ties(gains, starts, ends, n_ranked, ideal, np.ones(n, dtype=np.bool_) if is_cut is None else is_cut)


def _groups(scores: Values) -> tuple[Places, Places]:
    """Return the first place, and the place behind the last, of each place's group; NaN equals nothing."""
    n, depth = scores.shape
    is_first = np.ones((n, depth), dtype=np.bool_)
    is_first[:, 1:] = scores[:, 1:] != scores[:, :-1]
    is_last = np.ones((n, depth), dtype=np.bool_)
    is_last[:, :-1] = is_first[:, 1:]
    places = np.arange(depth)
    starts = np.maximum.accumulate(np.where(is_first, places, 0), axis=1)
    ends = np.minimum.accumulate(np.where(is_last, places + 1, depth)[:, ::-1], axis=1)[:, ::-1]
    return starts.astype(np.int64), ends.astype(np.int64)


def _refuse(queries: NDArray[np.int64], what: str) -> None:
    names = np.unique(queries)
    if len(names):
        shown = ", ".join(map(str, names[:5]))
        raise BenchError(
            f"the rankings of {len(names)} queries (query_index {shown}) {what}; expected finite scores, best first. "
            "Recompute the rankings."
        )

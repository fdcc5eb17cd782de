"""What every measure reads: the gains of the ranked items of many queries, as arrays."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.records import BenchError

Gains = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged rankings of `n` queries.

    Attributes
    ----------
    gains
        (n, depth) gain of the item at each rank, best first; 0 where it is not relevant and after the last item.
    n_ranked
        (n,) number of ranked items.
    ideal
        (n, most relevant items of a query) gains of all relevant items of the query, descending, padded with 0.
    pool_gains
        (n, pool size) gains of the items that reached the reranker, in the order of the first stage, padded with 0;
        None where nothing was reranked.
    """

    gains: Gains
    n_ranked: NDArray[np.int64]
    ideal: Gains
    pool_gains: Gains | None = None

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """(n,) number of relevant items of each query."""
        n_relevant: NDArray[np.int64] = np.count_nonzero(self.ideal > 0, axis=1)
        return n_relevant


class Measure(Protocol):
    """A measure of a ranking. `str(measure)` is its name in the grammar of ir-measures."""

    unanswered: ClassVar[float]
    """Value of a query that has relevant items but for which nothing was ranked (fault T3)."""
    without_relevance: ClassVar[float]
    """Value of a query without relevant items."""

    def values(self, judged: Judged) -> Values:
        """Return (n,) float64; entries of unanswered queries and of queries without relevance are ignored."""


def evaluate(measure: Measure, judged: Judged) -> Values:
    """Return the value of each query, (n,) float64, with the measure's own values where there is nothing to measure.

    NaN means undefined, and is for the statistics to exclude and count. A query without relevance has no value
    whether or not it was answered.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = measure.values(judged)
    is_unanswered = (judged.n_ranked == 0) & ~np.isnan(values)
    values = np.where(is_unanswered, measure.unanswered, values)
    return np.where(judged.n_relevant == 0, measure.without_relevance, values)


def fold(rankings: pl.DataFrame, item_of: NDArray[np.int32]) -> pl.DataFrame:
    """Return a ranking of items from one of documents: an item stands where its first document stood.

    Parameters
    ----------
    rankings
        Columns query_index, rank (1-based), document_index, logit (nullable), initial_position (0-based).
    item_of
        (n_documents,) the item of each document.

    Returns
    -------
    polars.DataFrame
        With item_index in place of document_index; rank and initial_position count items without gaps.
    """
    items = rankings.with_columns(item_index=pl.Series(item_of)[rankings["document_index"]]).drop("document_index")
    keys = ["query_index", "item_index"]
    if items.select(keys).is_unique().all():
        return items
    first = items.group_by(keys).agg(
        pl.col("rank").min(), pl.col("logit").sort_by("rank").first(), pl.col("initial_position").min()
    )
    counted = [
        (pl.col(name).rank("ordinal").over("query_index").cast(pl.Int32) + origin).alias(name)
        for name, origin in (("rank", 0), ("initial_position", -1))
    ]
    return first.with_columns(counted).sort("query_index", "rank")


def judge(rankings: pl.DataFrame, relevance: pl.DataFrame, n_queries: int) -> Judged:
    """Look up the gain of every ranked item.

    Parameters
    ----------
    rankings
        Columns query_index, rank (1-based, no gaps), item_index, logit (nullable), initial_position (0-based).
    relevance
        Columns query_index, item_index, gain; gains below 1 count as not relevant, as in trec_eval.
    n_queries
        Number of queries of the corpus: all get a row, whether ranked, judged, or neither.

    Raises
    ------
    BenchError
        When a ranking holds an item twice, or its ranks are not 1, 2, 3, ...
    """
    relevance = relevance.filter(pl.col("gain") > 0).select("query_index", "item_index", "gain")
    _check(rankings)
    ranked = rankings.join(
        relevance, on=["query_index", "item_index"], how="left", validate="1:1", maintain_order="left"
    ).with_columns(pl.col("gain").fill_null(0))
    has_pool = bool(ranked["logit"].is_not_null().any())
    if has_pool and not ranked.select("query_index", "initial_position").is_unique().all():
        raise BenchError("two items of a pool share an initial_position; expected 0, 1, 2, ...")
    ideal = relevance.with_columns(
        place=pl.col("gain").rank("ordinal", descending=True).over("query_index").cast(pl.Int64) - 1
    )
    n_ranked = np.bincount(ranked["query_index"].to_numpy(), minlength=n_queries).astype(np.int64)
    return Judged(
        gains=_scatter(ranked, pl.col("rank") - 1, n_queries),
        n_ranked=n_ranked,
        ideal=_scatter(ideal, pl.col("place"), n_queries),
        pool_gains=_scatter(ranked, pl.col("initial_position"), n_queries) if has_pool else None,
    )


def _scatter(table: pl.DataFrame, place: pl.Expr, n_queries: int) -> Gains:
    """Return (n_queries, largest place + 1) int64 with the gain of each row at (query_index, place)."""
    places = table.select(place.cast(pl.Int64).alias("place"))["place"].to_numpy()
    gains = np.zeros((n_queries, int(places.max(initial=-1)) + 1), dtype=np.int64)
    gains[table["query_index"].to_numpy(), places] = table["gain"].to_numpy()
    return gains


def _check(rankings: pl.DataFrame) -> None:
    facts = rankings.group_by("query_index").agg(
        n=pl.len(),
        n_items=pl.col("item_index").n_unique(),
        n_ranks=pl.col("rank").n_unique(),
        first=pl.col("rank").min(),
        last=pl.col("rank").max(),
    )
    is_bad = (
        (pl.col("n_items") != pl.col("n"))
        | (pl.col("n_ranks") != pl.col("n"))
        | (pl.col("first") != 1)
        | (pl.col("last") != pl.col("n"))
    )
    bad = facts.filter(is_bad)["query_index"].sort().to_list()
    if bad:
        raise BenchError(
            f"the rankings of {len(bad)} queries (query_index {', '.join(map(str, bad[:5]))}) hold an item twice or "
            "ranks other than 1, 2, 3, ...; expected each item once. Recompute the rankings."
        )

"""The layout of `query_metrics`: one row per variant, measure and query; and what is read to fill it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.measures.judged import Values
from tasks.records import BenchError

SCHEMA: dict[str, type[pl.DataType]] = {
    "variant": pl.Utf8,
    "stream_seed": pl.Int64,
    "split": pl.Utf8,
    "query_index": pl.Int32,
    "query_id": pl.Utf8,
    "measure": pl.Utf8,
    "value": pl.Float64,
}
RANKING_COLUMNS = ["query_index", "rank", "document_index", "logit", "suppression", "initial_position"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the values of a variant come from: the columns stream_seed and split, null for a variant without state."""

    variant: str
    stream_seed: int | None
    split: str | None


def read_rankings(directory: Path, queries: pl.DataFrame, columns: Sequence[str] = RANKING_COLUMNS) -> pl.DataFrame:
    """Read columns of an artifact of the step `replay`, sorted by query_index and rank.

    Raises
    ------
    BenchError
        When the table is absent, or ranks documents for queries that the corpus does not have.
    """
    path = directory / "rankings.parquet"
    if not path.is_file():
        raise BenchError(f"no table {path.name} in {directory}; expected rankings: run the simulation stage")
    rankings = pl.read_parquet(path, columns=list(columns)).sort("query_index", "rank")
    unknown = set(rankings["query_index"].unique()) - set(queries["query_index"])
    if unknown:
        raise BenchError(
            f"{path} ranks for {len(unknown)} unknown queries (query_index {min(unknown)}, ...); the corpus has "
            f"{queries.height}. The rankings belong to another corpus: recompute them."
        )
    return rankings


def origin(variant: str, directory: Path, rankings: pl.DataFrame, stream_seed: int) -> Origin:
    """Say where a variant's values come from.

    A variant has state when its replay left entries in `suppression.parquet`, or suppression in its rankings. Its
    queries are those that drove the state: the split is ``transductive`` (protocol A.6).
    """
    path = directory / "suppression.parquet"
    n_entries = int(pl.read_parquet(path, columns=["n_entries"])["n_entries"].sum()) if path.is_file() else 0
    if n_entries > 0 or bool((rankings["suppression"] != 0).any()):
        return Origin(variant, stream_seed, "transductive")
    return Origin(variant, None, None)


def metric_rows(source: Origin, queries: pl.DataFrame, values: Mapping[str, Values]) -> pl.DataFrame:
    """Return the rows of one variant, ordered by measure as given, then by query_index; undefined values are NaN.

    Parameters
    ----------
    source
        Where the values come from.
    queries
        Columns query_index (0, 1, 2, ...) and query_id.
    values
        By measure: (n_queries,) float64.
    """
    rows = [
        queries.select(
            pl.lit(source.variant, dtype=pl.Utf8).alias("variant"),
            pl.lit(source.stream_seed, dtype=pl.Int64).alias("stream_seed"),
            pl.lit(source.split, dtype=pl.Utf8).alias("split"),
            pl.col("query_index").cast(pl.Int32),
            pl.col("query_id"),
            pl.lit(measure, dtype=pl.Utf8).alias("measure"),
            pl.Series("value", column, dtype=pl.Float64),
        )
        for measure, column in values.items()
    ]
    return pl.concat([pl.DataFrame(schema=SCHEMA), *rows])

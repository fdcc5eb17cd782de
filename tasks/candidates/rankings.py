"""The table `rankings`: its one home, its writer, and how scores of many candidate sets become ranks."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.candidates.ranking import DECIMALS, TieOrder
from tasks.records import BenchError

RANKINGS: dict[str, type[pl.DataType]] = {
    "query_index": pl.Int32,
    "rank": pl.Int32,
    "document_index": pl.Int32,
    "score": pl.Float64,
    "logit": pl.Float64,
    "suppression": pl.Float64,
    "initial_position": pl.Int32,
}
"""`rank` counts from 1 and alone says the order; `initial_position` is the 0-based position before reranking."""

Scores = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def tie_priority(ties: TieOrder, n_documents: int) -> Integers:
    """Return (n_documents,) int64: the place of each document of a corpus among equals; lower comes first.

    It is what `ties.top` makes of a corpus where every score is equal, so that the rule stays in one place.
    """
    order = ties.top(np.zeros(n_documents), np.arange(n_documents, dtype=np.int64), n_documents)
    priority = np.empty(n_documents, np.int64)
    priority[order] = np.arange(n_documents)
    return priority


def ranked_places(scores: Scores, offsets: Integers, priority: Integers) -> Integers:
    """Return (n,) int64: the 0-based rank of each row in its set, by score, then by priority.

    Scores that agree to `DECIMALS` are equal, as in `TieOrder.top`.

    Parameters
    ----------
    scores
        Shape (n,): those of all sets, end to end; larger is better.
    offsets
        Shape (m + 1,): set i is rows `offsets[i]` to `offsets[i + 1]`.
    priority
        Shape (n,), distinct within a set: lower comes first among equals.

    Raises
    ------
    BenchError
        When a score is not finite: it has no place in an order.

    >>> ranked_places(np.array([1.0, 2.0, 5.0, 5.0]), np.array([0, 2, 4]), np.array([0, 1, 1, 0])).tolist()
    [1, 0, 1, 0]
    """
    if n_bad := int(np.count_nonzero(~np.isfinite(scores))):
        raise BenchError(f"{n_bad} of {len(scores)} scores are not finite; expected numbers. Recompute the scores.")
    lengths = np.diff(offsets)
    order = np.lexsort((priority, -scores.round(DECIMALS), np.repeat(np.arange(len(lengths)), lengths)))
    places = np.empty(len(scores), np.int64)
    places[order] = np.arange(len(scores)) - np.repeat(offsets[:-1], lengths)
    return places


def ranking_table(
    query_index: Integers, offsets: Integers, documents: Integers, scores: Scores, places: Integers
) -> pl.DataFrame:
    """Return the table of rankings that nothing reranked, sorted by query_index and rank.

    Parameters
    ----------
    query_index
        Shape (m,), ascending.
    offsets
        Shape (m + 1,): the rows of each query.
    documents, scores, places
        Shape (n,): document_index, score and 0-based rank of each row. Scores are written rounded to `DECIMALS`, as
        they were compared.
    """
    return (
        pl.DataFrame(
            {
                "query_index": np.repeat(query_index, np.diff(offsets)),
                "rank": places + 1,
                "document_index": documents,
                "score": scores.round(DECIMALS) + 0.0,  # no -0.0
                "initial_position": places,
            }
        )
        .with_columns(logit=pl.lit(None, pl.Float64), suppression=pl.lit(0.0))
        .select(pl.col(name).cast(dtype) for name, dtype in RANKINGS.items())
        .sort("query_index", "rank")
    )


def write_rankings(rankings: pl.DataFrame, out: Path) -> None:
    """Write `rankings.parquet` with exactly the columns and types of `RANKINGS`.

    Raises
    ------
    BenchError
        When a column is missing, or has values that its type cannot hold.
    """
    try:
        table = rankings.select(pl.col(name).cast(dtype) for name, dtype in RANKINGS.items())
    except (pl.exceptions.ColumnNotFoundError, pl.exceptions.InvalidOperationError) as error:
        raise BenchError(f"no table of rankings: {error}; expected the columns {', '.join(RANKINGS)}") from error
    table.write_parquet(out / "rankings.parquet", compression="zstd")


def read_rankings(directory: Path) -> pl.DataFrame:
    """Return the table of an artifact, sorted by query_index and rank.

    Raises
    ------
    BenchError
        When it is absent.
    """
    path = directory / "rankings.parquet"
    if not path.is_file():
        raise BenchError(f"no table {path.name} in {directory}; expected rankings: run the step that ranks")
    return pl.read_parquet(path).sort("query_index", "rank")

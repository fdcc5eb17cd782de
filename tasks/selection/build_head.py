"""Build the head of a ranking: the best sessions of each question, as candidates for a reranker."""

from pathlib import Path

import polars as pl
from pydantic import Field

from tasks.candidates.rankings import read_rankings
from tasks.progress import Progress, silent
from tasks.records import Params

HEAD = {"query_index": pl.Int32, "position": pl.Int32, "document_index": pl.Int32}


class HeadParams(Params):
    """`top` is how many of each question's ranking are reranked (study B: 10)."""

    top: int = Field(default=10, ge=1)


def build(rankings_dir: Path, params: HeadParams, out: Path, progress: Progress = silent) -> None:
    """Write `candidates.parquet` (query_index, position from 0, document_index), sorted by the first two.

    It is what the stage reranking lists its pairs from.

    Parameters
    ----------
    rankings_dir
        Artifact with `rankings.parquet`.
    params
        How many.
    out
        Where the table is written.
    """
    head = read_rankings(rankings_dir).filter(pl.col("rank") <= params.top).with_columns(position=pl.col("rank") - 1)
    head.select(pl.col(name).cast(dtype) for name, dtype in HEAD.items()).write_parquet(
        out / "candidates.parquet", compression="zstd"
    )
    progress(1, 1, "rankings")

"""Write the candidates of several pools as one list, so that a pair that is in several is scored once."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.progress import Progress, silent

UNION: dict[str, type[pl.DataType]] = {"query_index": pl.Int32, "document_index": pl.Int32}


def build(pools: Sequence[Path], out: Path, progress: Progress = silent) -> None:
    """Write `candidates.parquet`: query_index and document_index, each pair once, sorted by both.

    Parameters
    ----------
    pools
        Artifacts of the candidates stage over one corpus.
    out
        Where the table is written. Memory: 8 bytes per row of all pools.
    """
    frames = [pl.read_parquet(pool / "candidates.parquet", columns=list(UNION)) for pool in pools]
    union = pl.concat([pl.DataFrame(schema=UNION), *frames]).unique().sort("query_index", "document_index")
    union.write_parquet(out / "candidates.parquet", compression="zstd")
    progress(1, 1, "unions")

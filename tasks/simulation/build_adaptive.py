"""Adaptive depth (study A; protocols.md A.10): where the best logit of a first pass is low, a deeper one counts.

Both passes are rankings of the step `replay`: the best k of the fusion of two lists of depth k, all reranked.
"""

from pathlib import Path

import polars as pl

from tasks.corpora.samples import ASKED
from tasks.progress import Progress, silent
from tasks.records import BenchError

RANKINGS = "rankings.parquet"


def build_unsure(first_dir: Path, threshold: float, out: Path, progress: Progress = silent) -> None:
    """Write `asked.parquet`: the queries whose best logit in the first pass is below `threshold`.

    Parameters
    ----------
    first_dir
        Artifact of the step `replay`: the first pass.
    threshold
        Study A: 4.0.
    """
    best = pl.read_parquet(first_dir / RANKINGS, columns=["query_index", "logit"]).group_by("query_index").max()
    best.filter(pl.col("logit") < threshold).select("query_index").sort("query_index").write_parquet(out / ASKED)
    progress(1, 1, "passes")


def build_second_pass(
    first_dir: Path, unsure_dir: Path, deep_dir: Path, out: Path, progress: Progress = silent
) -> None:
    """Write the rankings of adaptive depth, in the layout of the step `replay`.

    Parameters
    ----------
    first_dir, deep_dir
        Artifacts of the step `replay`: the two passes.
    unsure_dir
        Artifact of `build_unsure`: whose second pass counts.

    Raises
    ------
    BenchError
        When the second pass is not that of the unsure queries.
    """
    unsure, first, deep = (
        pl.read_parquet(path) for path in (unsure_dir / ASKED, first_dir / RANKINGS, deep_dir / RANKINGS)
    )
    if strangers := deep.join(unsure, on="query_index", how="anti")["query_index"].n_unique():
        raise BenchError(f"the second pass ranks {strangers} queries that the first was sure of; make it again")
    sure = first.join(unsure, on="query_index", how="anti")
    pl.concat([sure, deep]).sort("query_index", "rank").write_parquet(out / RANKINGS, compression="zstd")
    for name in ("suppression.parquet", "trace.parquet"):
        if (first_dir / name).is_file():
            pl.read_parquet(first_dir / name).write_parquet(out / name, compression="zstd")
    progress(1, 1, "passes")

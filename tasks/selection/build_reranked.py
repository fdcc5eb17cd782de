"""Build rankings whose head is reordered by a cross-encoder (study B's rerank, protocols.md B.2)."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from pydantic import Field

from tasks.candidates.ranking import DECIMALS
from tasks.candidates.rankings import RANKINGS, read_rankings, write_rankings
from tasks.progress import Progress, silent
from tasks.records import Params
from tasks.reranking.logits import with_logits

STEP_DOWN = 1.0
"""How far the score of the best that was not reranked lies below the least logit of those that were."""


class RerankedParams(Params):
    """`top` is how many of each question's ranking are reordered (study B: 10)."""

    top: int = Field(default=10, ge=1)


def build(
    rankings_dir: Path,
    pairs_dir: Path,
    logit_shards: Sequence[Path],
    params: RerankedParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `rankings.parquet`: the best `top` of each question by logit, stable; then the rest in their order.

    `rank` alone says the order. `logit` is null for the rest. `initial_position` is the place before reranking.
    `score` continues the scale of the logits downwards, because a score may never rise with the rank (the tie audit
    reads it): it is the logit of what was reranked; for the rest, the least logit of the question's head, minus 1,
    minus how far the fused score lies below that of the best of the rest. Equal scores are thus equal logits, or equal
    fused scores, and no tie crosses the cut; between questions the scores of the rest mean nothing.

    Parameters
    ----------
    rankings_dir
        Artifact of the step `fused`.
    pairs_dir, logit_shards
        Artifacts of the stage reranking that hold the best `top` of each question (the step `head`).
    params
        How many.
    out
        Where the table is written.

    Raises
    ------
    BenchError
        When one of the best `top` has no finite logit.
    """
    fused = read_rankings(rankings_dir).drop("logit").with_columns(is_head=pl.col("rank") <= params.top)
    head = with_logits(fused.filter("is_head"), pairs_dir, logit_shards).with_columns(
        score=pl.col("logit").round(DECIMALS)
    )
    floor = head.group_by("query_index").agg(floor=pl.col("score").min() - STEP_DOWN)
    below = pl.col("score").max().over("query_index") - pl.col("score")
    rest = (
        fused.filter(~pl.col("is_head"))
        .with_columns(below=below)
        .join(floor, on="query_index", how="left", validate="m:1", maintain_order="left")
        .with_columns(score=(pl.col("floor") - pl.col("below")).round(DECIMALS), logit=pl.lit(None, pl.Float64))
    )
    columns = [*(name for name in RANKINGS if name != "rank"), "is_head"]
    # Within the head the logit decides, within the rest the place before: a null logit is the same for all of it.
    ordered = pl.concat([head.select(columns), rest.select(columns)]).sort(
        "query_index", "is_head", "logit", "initial_position", descending=[False, True, True, False]
    )
    write_rankings(ordered.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_index")), out)
    progress(1, 1, "rankings")

"""Candidates with the logits of their pairs."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.records import BenchError
from tasks.reranking.build import read_logits


def with_logits(candidates: pl.DataFrame, pairs_dir: Path | None, shards: Sequence[Path]) -> pl.DataFrame:
    """Return the candidates, in their order, with the column `logit`; raises `BenchError` where one has none."""
    if pairs_dir is None or (candidates.height and not shards):
        raise BenchError("a reranked variant came without pairs or logits; run the reranking stage")
    pairs = pl.read_parquet(pairs_dir / "pairs.parquet", columns=["query_index", "document_index", "pair_key"])
    logits = read_logits(shards)
    keyed = candidates.join(
        pairs, on=["query_index", "document_index"], how="left", validate="m:1", maintain_order="left"
    )
    scored = keyed.join(logits, on="pair_key", how="left", validate="m:1", maintain_order="left").drop("pair_key")
    if n_missing := scored.filter(pl.col("logit").is_null() | ~pl.col("logit").is_finite()).height:
        raise BenchError(
            f"{n_missing} of {scored.height} candidates have no finite logit; run the reranking stage on them"
        )
    return scored

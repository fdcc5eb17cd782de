"""Build the rankings of one variant, and the suppression it ends with."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from pydantic import Field

from tasks.candidates.rankings import write_rankings
from tasks.progress import Progress, silent
from tasks.records import BenchError, Params
from tasks.reranking.logits import with_logits
from tasks.simulation.suppressed import TRACE, read_asking, read_scopes, suppressed
from tasks.simulation.variants import Variant, parse

LISTS = {
    "bm25": ("bm25_rank", "bm25_score"),
    "dense": ("dense_rank", "dense_score"),
    "dense-rerank": ("dense_rank", "dense_score"),
    "hybrid-rrf": ("position", "rrf"),
    "hybrid-fusion": ("position", "rrf"),
    "hybrid-rerank": ("position", "rrf"),
}
"""Stateless variants: the column that orders the list, and its score."""


class ReplayParams(Params):
    """Parameters of the rankings.

    Attributes
    ----------
    depth
        Rows kept of each query's ranking. A reranked one is kept whole: `pool_R@k` looks at all that was reranked.
    trace_every
        Steps of a scope's stream between two looks at the state.
    niter, cluster_seed
        Of `faiss.Kmeans`, where a variant fits its clusters on the stream.
    """

    depth: int = Field(default=30, ge=1)
    trace_every: int = Field(default=250, ge=1)
    niter: int = Field(default=20, ge=1)
    cluster_seed: int = 42


def build(
    variant: str,
    candidates_dir: Path,
    pairs_dir: Path | None,
    logit_shards: Sequence[Path],
    clusters_dir: Path | None,
    stream_dir: Path | None,
    corpus_dir: Path,
    params: ReplayParams,
    out: Path,
    progress: Progress = silent,
    dense_dir: Path | None = None,
) -> None:
    """Write `rankings.parquet`, and `suppression.parquet` and `trace.parquet` (without rows for stateless variants).

    `initial_position` is the 0-based position before reranking (equal to rank - 1 without reranking); `score` is what
    ordered the ranking: the logit of reranked variants, else the list's score. In `suppression.parquet`, `n_entries`
    counts the (cluster, document) pairs updated at least once, `mean` is over them; `n_documents_above` counts the
    documents above 0.01 in any cluster, of the `n_documents` of the scope. Study A's "share of the corpus" is
    `n_entries_above` over `n_documents`, which exceeds 1 where clusters share documents. `trace.parquet` has the same
    after `step` steps of a scope's stream: every `trace_every` steps, and at its end. Where decay is applied on read,
    both tables and the rankings show what is left of an entry at that step.

    Parameters
    ----------
    variant
        Canonical name of the variant.
    candidates_dir
        Artifact of the candidates stage.
    pairs_dir, logit_shards
        Artifacts of the reranking stage; only reranked variants read them.
    clusters_dir, stream_dir
        Artifacts of the clusters stage and of the stream; only `rif` reads them, and the clusters only where they do
        not depend on the stream.
    corpus_dir
        Artifact of the corpora stage.
    params
        Depth, trace, and k-means.
    dense_dir
        Artifact of the dense index; only `rif` reads it, where its clusters depend on the stream.

    Raises
    ------
    BenchError
        For an unknown variant, or one that is made of two passes; when a candidate has no logit, or a query no cluster;
        when the stream is shorter than the steps of the variant.
    """
    what = parse(variant)
    if what.rif is None and what.name not in LISTS:
        raise BenchError(f"{variant} is no ranking of one list; expected rif(...) or one of {', '.join(LISTS)}")
    candidates = pl.read_parquet(candidates_dir / "candidates.parquet").sort("query_index", "position")
    candidates = candidates.with_columns(logit=pl.lit(None, pl.Float64))
    if what.is_reranked:
        candidates = with_logits(candidates.drop("logit"), pairs_dir, logit_shards)
    trace = pl.DataFrame(schema=TRACE)
    if what.rif is None:
        rankings = _stateless(what, candidates)
    elif stream_dir is None:
        raise BenchError("a rif variant came without a stream; draw it")
    else:
        scoped = read_scopes(candidates_dir, corpus_dir)
        asking = read_asking(what.rif, scoped, clusters_dir, dense_dir, niter=params.niter, seed=params.cluster_seed)
        rankings, trace = suppressed(what.rif, candidates, scoped, asking, stream_dir, params.trace_every)
    rankings = rankings.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_index"))
    kept = rankings if what.is_reranked else rankings.filter(pl.col("rank") <= params.depth)
    write_rankings(kept, out)
    end = trace.group_by("scope_id", maintain_order=True).last().drop("step")
    end.write_parquet(out / "suppression.parquet", compression="zstd")
    trace.write_parquet(out / "trace.parquet", compression="zstd")
    progress(1, 1, "variants")


def _stateless(variant: Variant, candidates: pl.DataFrame) -> pl.DataFrame:
    """Return the variant's list; its best `pool` reranked, stable, where the variant says so."""
    order, score = LISTS[variant.name]
    listed = candidates.filter(pl.col(order).is_not_null()).sort("query_index", order)
    listed = listed.with_columns(initial_position=pl.int_range(pl.len()).over("query_index"))
    if variant.is_reranked:
        score = "logit"
        if variant.pool is not None:
            listed = listed.filter(pl.col("initial_position") < variant.pool)
        listed = listed.sort(
            "query_index", "logit", "initial_position", descending=[False, True, False], maintain_order=True
        )
    return listed.with_columns(score=pl.col(score), suppression=pl.lit(0.0))

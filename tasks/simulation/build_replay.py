"""Build the rankings of one variant, and the suppression it ends with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from tasks.progress import Progress, silent
from tasks.records import BenchError, Params
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import Variant, parse

RANKINGS: dict[str, type[pl.DataType]] = {
    "query_index": pl.Int32,
    "rank": pl.Int32,
    "document_index": pl.Int32,
    "score": pl.Float64,
    "logit": pl.Float64,
    "suppression": pl.Float64,
    "initial_position": pl.Int32,
}
SUPPRESSION: dict[str, type[pl.DataType]] = {
    "scope_id": pl.Utf8,
    "n_entries": pl.Int64,
    "n_entries_above": pl.Int64,
    "n_documents_above": pl.Int64,
    "n_documents": pl.Int64,
    "max": pl.Float64,
    "mean": pl.Float64,
}

LISTS = {
    "bm25": ("bm25_rank", "bm25_score"),
    "dense": ("dense_rank", "dense_score"),
    "dense-rerank": ("dense_rank", "dense_score"),
    "hybrid-rrf": ("position", "rrf"),
    "hybrid-rerank": ("position", "rrf"),
}
"""Stateless variants: the column that orders the list, and its score."""

SATURATED = 0.01
"""An entry above this counts as suppressed (A.10)."""


class ReplayParams(Params):
    """Parameters of the rankings.

    Attributes
    ----------
    depth
        Rows kept of each query's ranking; in a stateless variant also the candidates that are reranked.
    """

    depth: int = Field(default=30, ge=1)


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
) -> None:
    """Write `rankings.parquet` and `suppression.parquet` (without rows for variants without suppression).

    `initial_position` is the 0-based position before reranking (equal to rank - 1 without reranking); `score` is what
    ordered the ranking: the logit of reranked variants, else the list's score. In `suppression.parquet`, `n_entries`
    counts the (cluster, document) pairs updated at least once, `mean` is over them; `n_documents_above` counts the
    documents above 0.01 in any cluster, of the `n_documents` of the scope. Study A's "share of the corpus" is
    `n_entries_above` over `n_documents`, which exceeds 1 where clusters share documents.

    Parameters
    ----------
    variant
        Canonical name of the variant.
    candidates_dir
        Artifact of the candidates stage.
    pairs_dir, logit_shards
        Artifacts of the reranking stage; only reranked variants read them.
    clusters_dir, stream_dir
        Artifacts of the clusters stage and of the stream; only `rif` reads them.
    corpus_dir
        Artifact of the corpora stage.
    params
        Depth.

    Raises
    ------
    BenchError
        For an unknown variant; when a candidate has no logit, or a query no cluster.
    """
    what = parse(variant)
    candidates = pl.read_parquet(candidates_dir / "candidates.parquet").sort("query_index", "position")
    candidates = candidates.with_columns(logit=pl.lit(None, pl.Float64))
    if what.is_reranked:
        candidates = _with_logits(candidates.drop("logit"), pairs_dir, logit_shards)
    suppression = pl.DataFrame(schema=SUPPRESSION)
    if what.rif is None:
        rankings = _stateless(what, candidates, params.depth)
    else:
        inputs = _read_inputs(what.rif, candidates_dir, clusters_dir, stream_dir, corpus_dir)
        rankings, suppression = _suppressed(what.rif, candidates, inputs, params.depth)
    rankings.select(pl.col(name).cast(dtype) for name, dtype in RANKINGS.items()).write_parquet(
        out / "rankings.parquet", compression="zstd"
    )
    suppression.write_parquet(out / "suppression.parquet", compression="zstd")
    progress(1, 1, "variants")


def _with_logits(candidates: pl.DataFrame, pairs_dir: Path | None, shards: Sequence[Path]) -> pl.DataFrame:
    if pairs_dir is None or (candidates.height and not shards):
        raise BenchError("a reranked variant came without pairs or logits; run the reranking stage")
    pairs = pl.read_parquet(pairs_dir / "pairs.parquet", columns=["query_index", "document_index", "pair_key"])
    logits = pl.concat(
        [pl.DataFrame(schema={"pair_key": pl.Utf8, "logit": pl.Float64})]
        + [pl.read_parquet(shard / "logits.parquet", columns=["pair_key", "logit"]) for shard in shards]
    ).unique("pair_key", keep="first", maintain_order=True)
    keyed = candidates.join(
        pairs, on=["query_index", "document_index"], how="left", validate="m:1", maintain_order="left"
    )
    scored = keyed.join(logits, on="pair_key", how="left", validate="m:1", maintain_order="left").drop("pair_key")
    if n_missing := scored.filter(pl.col("logit").is_null() | ~pl.col("logit").is_finite()).height:
        raise BenchError(
            f"{n_missing} of {scored.height} candidates have no finite logit; run the reranking stage on them"
        )
    return scored


def _stateless(variant: Variant, candidates: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Cut the variant's list at `depth`; rerank what is left, stable, where the variant says so."""
    order, score = LISTS[variant.name]
    listed = candidates.filter(pl.col(order).is_not_null()).sort("query_index", order)
    listed = listed.with_columns(initial_position=pl.int_range(pl.len()).over("query_index"))
    listed = listed.filter(pl.col("initial_position") < depth)
    if variant.is_reranked:
        score = "logit"
        listed = listed.sort(
            "query_index", "logit", "initial_position", descending=[False, True, False], maintain_order=True
        )
    return listed.with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("query_index"), score=pl.col(score), suppression=pl.lit(0.0)
    )


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Arrays by query_index: scope and state key of each query; and the stream, scope after scope."""

    scope_ids: list[str]
    query_scope: npt.NDArray[np.int64]
    cluster: npt.NDArray[np.int64]
    n_documents: dict[str, int]
    steps: npt.NDArray[np.int64]
    queries: npt.NDArray[np.int64]


def _read_inputs(
    rif: RifParams, candidates_dir: Path, clusters_dir: Path | None, stream_dir: Path | None, corpus_dir: Path
) -> _Inputs:
    if clusters_dir is None or stream_dir is None:
        raise BenchError("a rif variant came without clusters or a stream; run these stages")
    n_queries = pl.read_parquet(corpus_dir / "queries.parquet", columns=["query_index"]).height
    pools = pl.read_parquet(candidates_dir / "pools.parquet").sort("query_index")
    all_clusters = pl.read_parquet(clusters_dir / "clusters.parquet")
    clusters = all_clusters.filter(pl.col("n_clusters") == rif.clusters).sort("query_index")
    if not pools.height == clusters.height == n_queries:
        available = sorted(all_clusters["n_clusters"].unique().to_list())
        raise BenchError(
            f"{n_queries} queries have {pools.height} pools and {clusters.height} clusters at K = {rif.clusters} "
            f"(clustered for K in {available}); expected one each: add the K to the clusters stage"
        )
    scope_ids = pools["scope_id"].unique(maintain_order=True).to_list()
    number = {scope_id: i for i, scope_id in enumerate(scope_ids)}
    query_scope = pools["scope_id"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    stream = pl.read_parquet(stream_dir / "stream.parquet")
    return _Inputs(
        scope_ids=scope_ids,
        query_scope=query_scope,
        cluster=query_scope * (rif.clusters + 1) + clusters["cluster"].to_numpy().astype(np.int64),
        n_documents=dict(pools.select("scope_id", "n_documents").unique().iter_rows()),
        steps=stream["step"].to_numpy().astype(np.int64),
        queries=stream["query_index"].to_numpy().astype(np.int64),
    )


def _suppressed(
    rif: RifParams, candidates: pl.DataFrame, inputs: _Inputs, depth: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    from tasks.simulation.layout import Pools, Served, lay_out  # numba: only where a stream is replayed
    from tasks.simulation.replay import replay

    lengths = np.bincount(candidates["query_index"].to_numpy(), minlength=len(inputs.query_scope))
    pools = Pools(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        documents=candidates["document_index"].to_numpy().astype(np.int64),
        rrf=candidates["rrf"].to_numpy(),
        logits=candidates["logit"].to_numpy(),
    )
    served = Served.fixed(inputs.steps, inputs.queries, inputs.cluster)
    result = replay(lay_out(pools, served), served, rif)
    rankings = (
        candidates[result.rows]
        .with_columns(
            initial_position=pl.Series(result.r_init),
            suppression=pl.Series(result.suppression),
            score=pl.col("logit"),
        )
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_index"))
        .filter(pl.col("rank") <= depth)
    )
    scope_of_entry = result.entry_cluster // (rif.clusters + 1)
    rows = [
        _diagnostics(
            scope_id,
            result.entry_s[scope_of_entry == number],
            result.entry_document[scope_of_entry == number],
            inputs.n_documents[scope_id],
        )
        for number, scope_id in enumerate(inputs.scope_ids)
    ]
    return rankings, pl.DataFrame(rows, schema=SUPPRESSION, orient="row")


def _diagnostics(
    scope_id: str, s: npt.NDArray[np.float64], documents: npt.NDArray[np.int64], n_documents: int
) -> tuple[object, ...]:
    is_above = s > SATURATED
    n_documents_above = len(np.unique(documents[is_above]))
    mean = float(s.mean()) if s.size else 0.0
    largest = float(s.max(initial=0.0))
    return scope_id, s.size, int(is_above.sum()), n_documents_above, n_documents, largest, mean

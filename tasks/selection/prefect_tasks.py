"""Choosing out of sample, as cached steps: fused rankings, their reranked head, and the grid of BM25's parameters."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.selection import build_fused, build_grid, build_head, build_latency, build_reranked
from tasks.selection.latency import LatencyParams


@step(stage="selection", module=build_fused, libraries=("numpy", "polars", "scikit-learn"))
def fused(
    out: Path,
    progress: Progress,
    *,
    sessions: Artifact,
    corpus: Artifact,
    classes: Artifact | None,
    bm25: Artifact | None,
    protocol: str,
    params: build_fused.FusionParams,
) -> None:
    """Rank sessions by BM25 and a dense score together; only `combine=adaptive` needs the BM25 index."""
    classes_dir, bm25_dir = (artifact.path if artifact else None for artifact in (classes, bm25))
    build_fused.build(sessions.path, corpus.path, protocol, params, out, progress, classes_dir, bm25_dir)


@step(stage="selection", module=build_head)
def head(out: Path, progress: Progress, *, rankings: Artifact, params: build_head.HeadParams) -> None:
    """List the best sessions of each question, for the stage reranking."""
    build_head.build(rankings.path, params, out, progress)


@step(stage="selection", module=build_reranked)
def reranked(
    out: Path,
    progress: Progress,
    *,
    rankings: Artifact,
    pairs: Artifact,
    shards: Sequence[Artifact],
    params: build_reranked.RerankedParams,
) -> None:
    """Reorder the best sessions of each question by the cross-encoder; the rest keep their order."""
    build_reranked.build(rankings.path, pairs.path, [shard.path for shard in shards], params, out, progress)


@step(stage="selection", module=build_grid, libraries=("numpy", "polars"))
def bm25_grid(
    out: Path,
    progress: Progress,
    *,
    tokens: Artifact,
    corpus: Artifact,
    classes: Artifact | None,
    protocol: str,
    params: build_grid.GridParams,
) -> None:
    """Measure BM25 under every setting of a grid, and choose one for each conversation on the others."""
    classes_dir = classes.path if classes else None
    build_grid.build(tokens.path, corpus.path, protocol, params, out, progress, classes_dir)


@step(stage="selection", module=build_latency, libraries=("numpy", "onnxruntime", "tokenizers", "torch"))
def latency(
    out: Path,
    progress: Progress,
    *,
    corpus: Artifact,
    texts: Artifact,
    bm25: Artifact,
    dense: Artifact,
    encoder: Artifact,
    reranker: Artifact,
    protocol: str,
    params: LatencyParams,
) -> None:
    """Measure how long one question takes on this machine. Not deterministic: kept per machine (`params.machine`)."""
    inputs = build_latency.LatencyInputs(corpus.path, texts.path, bm25.path, dense.path, encoder.path, reranker.path)
    build_latency.build(inputs, protocol, params, out, progress)

"""The indexes as cached steps."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.indexes import build_bm25, build_deduplicated, build_dense, build_late_interaction
from tasks.indexes.bm25 import Bm25Params
from tasks.indexes.build_deduplicated import DeduplicationParams
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="indexes", module=build_dense, libraries=("numpy",))
def dense(
    out: Path,
    progress: Progress,
    *,
    texts: Artifact,
    document_shards: Sequence[Artifact],
    query_shards: Sequence[Artifact],
) -> None:
    """Put the vectors of all documents and queries in the order of their index."""
    shards = [[shard.path for shard in side] for side in (document_shards, query_shards)]
    build_dense.build(texts.path, shards[0], shards[1], out, progress)


@step(stage="indexes", module=build_bm25, libraries=("bm25s", "numpy"))
def bm25(
    out: Path, progress: Progress, *, tokens: Artifact, corpus: Artifact, protocol: str, params: Bm25Params
) -> None:
    """Build the BM25 index of every scope."""
    build_bm25.build(tokens.path, corpus.path, protocol, params, out, progress)


@step(stage="indexes", module=build_late_interaction, libraries=("numba", "numpy"))
def late_interaction(
    out: Path,
    progress: Progress,
    *,
    corpus: Artifact,
    texts: Artifact,
    document_shards: Sequence[Artifact],
    query_shards: Sequence[Artifact],
    protocol: str,
) -> None:
    """Score every document that a query may find by late interaction, from the vectors of word pieces."""
    shards = [[shard.path for shard in side] for side in (document_shards, query_shards)]
    build_late_interaction.build(corpus.path, texts.path, shards[0], shards[1], protocol, out, progress)


@step(stage="indexes", module=build_deduplicated, libraries=("faiss-cpu", "numpy", "pyarrow"))
def deduplicated(
    out: Path, progress: Progress, *, corpus: Artifact, texts: Artifact, index: Artifact, params: DeduplicationParams
) -> None:
    """Remove the near-duplicates from a corpus, by the vectors of its dense index; the result is a corpus again."""
    build_deduplicated.build(corpus.path, texts.path, index.path, params, out, progress)

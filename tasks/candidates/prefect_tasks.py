"""The pool of candidates, and the union of several, as cached steps."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.candidates import build, build_union
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="candidates", module=build, libraries=("bm25s", "faiss-cpu", "numpy"))
def pool(
    out: Path,
    progress: Progress,
    *,
    corpus: Artifact,
    dense: Artifact,
    bm25: Artifact,
    protocol: str,
    params: build.CandidateParams,
    asked: Artifact | None,
) -> None:
    """Take the best of each list, fuse them by reciprocal rank, and keep the union; for some of the queries or all."""
    asked_dir = asked.path if asked else None
    build.build(corpus.path, dense.path, bm25.path, protocol, params, out, progress, asked_dir)


@step(stage="candidates", module=build_union)
def union(out: Path, progress: Progress, *, pools: Sequence[Artifact]) -> None:
    """List the candidates of several pools, each once."""
    build_union.build([pool.path for pool in pools], out, progress)

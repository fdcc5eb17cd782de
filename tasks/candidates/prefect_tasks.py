"""The pool of candidates as a cached step."""

from pathlib import Path

from tasks.artifacts import Artifact
from tasks.candidates import build
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

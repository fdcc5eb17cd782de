"""The pool of candidates, the union of several, and the scores of whole sessions, as cached steps."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.candidates import build, build_sessions, build_union
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


@step(stage="candidates", module=build_sessions, libraries=("numpy",))
def sessions(
    out: Path,
    progress: Progress,
    *,
    corpus: Artifact,
    dense: Artifact | None,
    bm25: Artifact,
    session_texts: Artifact | None,
    turn_scores: Artifact | None,
    protocol: str,
    params: build_sessions.SessionScoreParams,
    asked: Artifact | None,
) -> None:
    """Score every session that a query may find, by BM25 and by its turns: vectors, or scores of late interaction."""
    build_sessions.build(
        corpus.path,
        dense.path if dense else None,
        bm25.path,
        protocol,
        params,
        out,
        progress,
        session_texts_dir=session_texts.path if session_texts else None,
        turn_scores_dir=turn_scores.path if turn_scores else None,
        asked_dir=asked.path if asked else None,
    )

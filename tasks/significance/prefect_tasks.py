"""Statistics as a cached step."""

from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.significance import build
from tasks.significance.tables import SignificanceParams


@step(stage="significance", module=build, libraries=("numpy",))
def statistics(
    out: Path, progress: Progress, *, metrics: Artifact, corpus: Artifact, params: SignificanceParams
) -> None:
    """Summarise every variant, and compare it with the baseline question by question."""
    build.build(metrics.path, corpus.path, params, out, progress)

"""The stage measures as a cached step."""

from collections.abc import Mapping
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.measures import build
from tasks.measures.names import MeasureParams
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="measures", module=build, libraries=("numpy",))
def query_metrics(
    out: Path,
    progress: Progress,
    *,
    rankings: Mapping[str, Artifact],
    corpus: Artifact,
    classes: Artifact | None,
    protocol: str,
    params: MeasureParams,
) -> None:
    """Compute every measure of every variant and query."""
    places = {variant: artifact.path for variant, artifact in rankings.items()}
    build.build(places, corpus.path, classes.path if classes else None, protocol, params, out, progress)

"""The stage measures as a cached step."""

from collections.abc import Mapping
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.measures import build, build_query_groups, build_ties
from tasks.measures.names import MeasureParams
from tasks.measures.query_groups import QueryGroupParams
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
    asked: Artifact | None,
) -> None:
    """Compute every measure of every variant and query."""
    asked_dir = asked.path if asked else None
    places = {variant: artifact.path for variant, artifact in rankings.items()}
    build.build(places, corpus.path, classes.path if classes else None, protocol, params, out, progress, asked_dir)


@step(stage="measures", module=build_ties, libraries=("numpy",))
def tie_audit(
    out: Path,
    progress: Progress,
    *,
    rankings: Mapping[str, Artifact],
    corpus: Artifact,
    protocol: str,
    params: MeasureParams,
    asked: Artifact | None,
) -> None:
    """Say how far each measure depends on the order of equal scores."""
    asked_dir = asked.path if asked else None
    places = {variant: artifact.path for variant, artifact in rankings.items()}
    build_ties.build(places, corpus.path, protocol, params, out, progress, asked_dir)


@step(stage="measures", module=build_query_groups, libraries=("numpy", "polars"))
def query_groups(out: Path, progress: Progress, *, corpus: Artifact, protocol: str, params: QueryGroupParams) -> None:
    """Say which groups each question is in: its kind, and length and number of its gold sessions."""
    build_query_groups.build(corpus.path, protocol, params, out, progress)

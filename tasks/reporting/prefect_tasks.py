"""Figures and warehouse tables as a cached step."""

from collections.abc import Mapping
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.reporting import build


@step(stage="reporting", module=build, libraries=("matplotlib", "polars"))
def tables_and_figures(
    out: Path,
    progress: Progress,
    *,
    dataset: str,
    protocol: str,
    corpus: Artifact,
    candidates: Artifact,
    rankings: Mapping[str, Artifact],
    metrics: Artifact,
    behaviour: Artifact,
    significance: Artifact,
    classes: Artifact | None,
    params: build.ReportParams,
) -> None:
    """Draw the figures, and put the results into the warehouse's schema."""
    build.build(
        dataset,
        protocol,
        corpus.path,
        candidates.path,
        {variant: artifact.path for variant, artifact in rankings.items()},
        metrics.path,
        behaviour.path,
        significance.path,
        classes.path if classes else None,
        params,
        out,
        progress,
    )

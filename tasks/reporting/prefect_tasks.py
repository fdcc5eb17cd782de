"""Figures and warehouse tables as a cached step."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.reporting import build
from tasks.reporting.sources import Inputs


@step(stage="reporting", module=build, libraries=("matplotlib", "polars"))
def tables_and_figures(
    out: Path,
    progress: Progress,
    *,
    dataset: str,
    protocol: str,
    corpus: Artifact,
    candidates: Mapping[str, Artifact],
    rankings: Mapping[str, Artifact],
    metrics: Artifact,
    ties: Artifact,
    behaviour: Artifact,
    significance: Artifact,
    classes: Artifact,
    texts: Artifact,
    truncation: Artifact,
    groups: Artifact,
    params: build.ReportParams,
    streams: Mapping[str, Artifact] | None = None,
    fused: Mapping[str, Artifact] | None = None,
    grid: Artifact | None = None,
    latency: Sequence[Artifact] = (),
) -> None:
    """Draw the figures, and put the results into the warehouse's schema.

    `candidates`, `rankings` and `streams` are by canonical name of the variant; `streams` where there are many,
    `fused` where scores are combined; `latency` by encoder.
    """
    inputs = Inputs(
        corpus=corpus.path,
        candidates={variant: artifact.path for variant, artifact in candidates.items()},
        rankings={variant: artifact.path for variant, artifact in rankings.items()},
        metrics=metrics.path,
        ties=ties.path,
        behaviour=behaviour.path,
        significance=significance.path,
        classes=classes.path,
        texts=texts.path,
        truncation=truncation.path,
        groups=groups.path,
        fused={variant: artifact.path for variant, artifact in (fused or {}).items()},
        grid=grid.path if grid else None,
        latency=[artifact.path for artifact in latency],
        streams={variant: artifact.path for variant, artifact in (streams or {}).items()},
    )
    build.build(dataset, protocol, inputs, params, out, progress)

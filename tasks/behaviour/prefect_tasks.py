"""The stage behaviour as a cached step."""

from collections.abc import Mapping
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.behaviour import build
from tasks.behaviour.decomposition import BehaviourParams
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="behaviour", module=build, libraries=("numpy", "scipy"))
def behaviour_metrics(
    out: Path,
    progress: Progress,
    *,
    rankings: Mapping[str, Artifact],
    corpus: Artifact,
    classes: Artifact | None,
    protocol: str,
    params: BehaviourParams,
    asked: Artifact | None,
) -> None:
    """Say what kind of error the top-1 of every variant and query is."""
    asked_dir = asked.path if asked else None
    places = {variant: artifact.path for variant, artifact in rankings.items()}
    build.build(places, corpus.path, classes.path if classes else None, protocol, params, out, progress, asked_dir)

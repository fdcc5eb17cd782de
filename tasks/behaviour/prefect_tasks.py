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
) -> None:
    """Say what kind of error the top-1 of every variant and query is."""
    places = {variant: artifact.path for variant, artifact in rankings.items()}
    build.build(places, corpus.path, classes.path if classes else None, protocol, params, out, progress)

"""Downloads as cached steps."""

from pathlib import Path

from tasks.artifacts import Artifact
from tasks.downloads import build
from tasks.downloads.catalog import ModelEntry, load_catalog
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="downloads", module=build, unkeyed=("mirror", "accept_local"))
def dataset(
    out: Path, progress: Progress, *, source: build.DatasetSource, mirror: Path | None, accept_local: Path | None
) -> None:
    """Fetch the raw file of a dataset and verify its hash."""
    build.fetch_dataset(load_catalog().dataset(source.name), mirror, accept_local, out, progress)


@step(stage="downloads", module=build)
def model(out: Path, progress: Progress, *, entry: ModelEntry) -> None:
    """Fetch the files of a model and verify their hash."""
    build.fetch_model(entry, out, progress)


def fetch_dataset(name: str, mirror: Path | None, accept_local: Path | None) -> Artifact:
    """Return the raw file of the dataset `name`: from a local file, a mirror, or its address."""
    source = build.resolve_dataset(load_catalog().dataset(name), mirror, accept_local)
    return dataset(source=source, mirror=mirror, accept_local=accept_local)


def fetch_model(name: str) -> Artifact:
    """Return the files of the model `name` of the catalogue."""
    return model(entry=load_catalog().model(name))

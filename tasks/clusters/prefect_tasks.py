"""Query clusters as a cached step."""

from pathlib import Path

from tasks.artifacts import Artifact
from tasks.clusters import build
from tasks.clusters.kmeans import ClusterParams
from tasks.prefect_cache import step
from tasks.progress import Progress


@step(stage="clusters", module=build, libraries=("faiss-cpu", "numpy"))
def clusters(
    out: Path, progress: Progress, *, dense: Artifact, corpus: Artifact, protocol: str, params: ClusterParams
) -> None:
    """Cluster the queries of every scope by k-means over their vectors, or over those of the documents."""
    build.build(dense.path, corpus.path, protocol, params, out, progress)

"""k-means over query vectors, as study A runs it (protocols.md A.5)."""

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from tasks.records import Params


class ClusterParams(Params):
    """Parameters of the clustering.

    Attributes
    ----------
    counts
        Requested numbers of clusters, distinct; 0 and 1 mean global: everything in cluster 0.
    niter, seed
        Iterations and seed of `faiss.Kmeans`.
    """

    counts: tuple[int, ...] = (1, 30)
    niter: int = Field(default=20, ge=1)
    seed: int = 42

    @field_validator("counts")
    @classmethod
    def _are_counts(cls, counts: tuple[int, ...]) -> tuple[int, ...]:
        if not counts or min(counts) < 0 or len(set(counts)) != len(counts):
            raise ValueError(f"got {counts}; expected distinct numbers of clusters, each 0 or more")
        return counts


def assign_clusters(
    vectors: npt.NDArray[np.float32], n_clusters: int, *, niter: int = 20, seed: int = 42
) -> npt.NDArray[np.int32]:
    """Fit `n_clusters` centroids on the vectors and give each the one with the largest inner product.

    Parameters
    ----------
    vectors
        Shape (n, d), float32, normalised.
    n_clusters
        Cut to n; with 0 or 1, everything is in cluster 0.

    Returns
    -------
    numpy.ndarray
        Shape (n,), int32, values 0 to n_clusters - 1; of equal products the lowest number.
    """
    n_clusters = min(n_clusters, len(vectors))
    if n_clusters <= 1:
        return np.zeros(len(vectors), np.int32)
    import faiss

    previous = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        # min_points_per_centroid only silences FAISS's warning about few points; it changes no result.
        model = faiss.Kmeans(vectors.shape[1], n_clusters, niter=niter, seed=seed, min_points_per_centroid=1)
        model.train(np.ascontiguousarray(vectors, dtype=np.float32))
    finally:
        faiss.omp_set_num_threads(previous)
    centroids = np.asarray(model.centroids, dtype=np.float64)
    return np.asarray(np.argmax(vectors.astype(np.float64) @ centroids.T, axis=1), dtype=np.int32)

"""k-means over query vectors, as study A runs it (protocols.md A.5)."""

from enum import StrEnum

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from tasks.records import Params

Vectors = npt.NDArray[np.float32]
Centroids = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]


class ClusterSource(StrEnum):
    """What the clusters of queries are fitted on."""

    ALL_QUERIES = "all-queries"
    """All queries of the scope (the released benchmark): known before the first one is asked."""
    CORPUS = "corpus"
    """The documents of the scope: study A's counter-example."""
    BUFFER = "buffer"
    """The first retrievals of the stream, then frozen (the paper's text)."""
    ONLINE = "online"
    """As `buffer`, but each later retrieval moves its centroid. Not in the study."""


STREAM_SOURCES = (ClusterSource.BUFFER, ClusterSource.ONLINE)
"""Sources that depend on the stream, and so are fitted where it is replayed."""


class ClusterParams(Params):
    """Parameters of the clusterings that do not depend on the stream.

    Attributes
    ----------
    sources
        What to fit on, distinct: `all-queries`, `corpus`.
    counts
        Requested numbers of clusters, distinct; 0 and 1 mean global: everything in cluster 0.
    niter, seed
        Iterations and seed of `faiss.Kmeans`.
    """

    sources: tuple[ClusterSource, ...] = (ClusterSource.ALL_QUERIES,)
    counts: tuple[int, ...] = (1, 30)
    niter: int = Field(default=20, ge=1)
    seed: int = 42

    @field_validator("counts")
    @classmethod
    def _are_counts(cls, counts: tuple[int, ...]) -> tuple[int, ...]:
        if not counts or min(counts) < 0 or len(set(counts)) != len(counts):
            raise ValueError(f"got {counts}; expected distinct numbers of clusters, each 0 or more")
        return counts

    @field_validator("sources")
    @classmethod
    def _are_sources(cls, sources: tuple[ClusterSource, ...]) -> tuple[ClusterSource, ...]:
        if not sources or set(sources) & set(STREAM_SOURCES) or len(set(sources)) != len(sources):
            raise ValueError(f"got {[*map(str, sources)]}; expected all-queries, corpus or both (others need a stream)")
        return sources


QUERIES_PER_CLUSTER = 10
"""In a conversation, K is cut to a tenth of its questions."""


def effective_count(count: int, n_queries: int, *, is_pooled: bool) -> int:
    """Return the number of clusters that a scope of so many queries gets.

    >>> effective_count(30, 199, is_pooled=False), effective_count(30, 5, is_pooled=False)
    (19, 1)
    >>> effective_count(30, 500, is_pooled=True), effective_count(30, 12, is_pooled=True)
    (30, 12)
    """
    limit = n_queries if is_pooled else n_queries // QUERIES_PER_CLUSTER
    return max(1, min(count, limit))


def assign_clusters(vectors: Vectors, n_clusters: int, *, niter: int = 20, seed: int = 42) -> Numbers:
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
    return nearest(vectors, fit_centroids(vectors, n_clusters, niter=niter, seed=seed))


def fit_centroids(vectors: Vectors, n_clusters: int, *, niter: int = 20, seed: int = 42) -> Centroids:
    """Return the centroids of `faiss.Kmeans`, not normalised: means of the vectors nearest to them.

    FAISS fits on at most 256 vectors per centroid, a seeded sample of larger inputs.

    Parameters
    ----------
    vectors
        Shape (n, d), float32, normalised. A contiguous array is read without a copy.
    n_clusters
        Cut to n; 0 is 1.

    Returns
    -------
    numpy.ndarray
        Shape (n_clusters, d), float64; (0, d) without vectors.
    """
    n_clusters = min(max(n_clusters, 1), len(vectors))
    if n_clusters <= 1:
        shape = (n_clusters, vectors.shape[1])
        return vectors.mean(axis=0, dtype=np.float64).reshape(shape) if n_clusters else np.empty(shape)
    import faiss

    previous = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        # min_points_per_centroid only silences FAISS's warning about few points; it changes no result.
        model = faiss.Kmeans(vectors.shape[1], n_clusters, niter=niter, seed=seed, min_points_per_centroid=1)
        model.train(np.ascontiguousarray(vectors, dtype=np.float32))
    finally:
        faiss.omp_set_num_threads(previous)
    return np.asarray(model.centroids, dtype=np.float64)


def nearest(vectors: Vectors, centroids: Centroids) -> Numbers:
    """Return for each vector the centroid with the largest inner product, of equal ones the first.

    Parameters
    ----------
    vectors
        Shape (n, d), float32.
    centroids
        Shape (k, d), float64; with none or one, everything is in cluster 0.

    Returns
    -------
    numpy.ndarray
        Shape (n,), int32.
    """
    if len(centroids) <= 1:
        return np.zeros(len(vectors), np.int32)
    return np.asarray(np.argmax(vectors.astype(np.float64) @ centroids.T, axis=1), dtype=np.int32)

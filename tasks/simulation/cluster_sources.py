"""The cluster in which each step of a stream, and each evaluated query, is met (protocols.md A.5).

Whatever clusters come from, the replay sees two arrays: the cluster of every step, `COLD` before there are clusters,
and the cluster of every query at evaluation.

* `all-queries`, `corpus`: fitted before the stream (stage clusters); a query is in one cluster all the time.
* `buffer`: fitted on the query vectors of the first `burn_in` steps, a query as often as it was asked; then frozen. The
  steps before are cold. A query is in one cluster from then on. The paper's three versions of it are `burn_in=300`
  (10 per cluster), `burn_in=2000` with `steps=3000`, and `burn_in=5000`, which learns nothing in 5,000 steps.
* `online`: begins as `buffer`. Each later retrieval is assigned to a centroid, and then moves it: c += (x - c) / n,
  with n the members so far, of the fit and since, this one included (Sculley 2010, "Web-scale k-means clustering",
  algorithm 1 with batches of one). Centroids are means of their members as those of the other sources are, not
  normalised. The evaluation asks the final centroids.

A query always goes to the centroid with the largest inner product. K is cut as in the stage clusters, and to the
retrievals that are there to fit on. Each scope has its own stream, and so its own clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tasks.clusters.kmeans import Centroids, ClusterSource, Vectors, effective_count, fit_centroids, nearest
from tasks.records import BenchError
from tasks.simulation.layout import COLD, Integers, Served
from tasks.simulation.streams import ScopeStream
from tasks.simulation.suppression import RifParams


@dataclass(frozen=True, slots=True)
class Asking:
    """What is known of the queries before a stream.

    Attributes
    ----------
    query_scope
        Shape (n_queries,): number of each query's scope.
    is_pooled
        Whether there is one scope for all; else K is cut by the number of queries of the scope.
    fitted
        Shape (n_queries,), int64: the cluster of each query within its scope, of the variant's source and K; None where
        clusters depend on the stream.
    vectors
        Shape (n_queries, d), float32, normalised; None where clusters do not depend on the stream.
    niter, seed
        Of `faiss.Kmeans`.
    """

    query_scope: Integers
    is_pooled: bool
    fitted: Integers | None = None
    vectors: Vectors | None = None
    niter: int = 20
    seed: int = 42


def in_clusters(streams: Sequence[ScopeStream], asking: Asking, rif: RifParams) -> Served:
    """Return the streams, scope after scope and cut at `rif.steps`, with the cluster of each step and query.

    Cluster numbers are scope x K + cluster within the scope, so that scopes share none.

    Parameters
    ----------
    streams
        The stream of every scope, in their order.
    asking
        Scopes, and the clusters or the vectors of the queries.
    rif
        Clusters, source, burn-in and steps.

    Raises
    ------
    BenchError
        When no stream is as long as `rif.steps`, or the source needs what did not come.
    """
    longest = max((stream.n_steps for stream in streams), default=0)
    if rif.steps > longest:
        raise BenchError(f"steps={rif.steps}, but the longest stream has {longest} steps; draw a longer one")
    n_queries = len(asking.query_scope)
    query_clusters, end_steps = np.full(n_queries, COLD, np.int64), np.zeros(n_queries, np.int64)
    cut = [_cut(stream, rif.steps) for stream in streams]
    step_clusters = [np.empty(0, np.int64)]
    for stream in cut:
        own = np.flatnonzero(asking.query_scope == stream.scope)
        of_steps, of_queries = _clusters(stream, own, asking, rif)
        first = stream.scope * rif.clusters
        step_clusters.append(np.where(of_steps == COLD, COLD, first + of_steps))
        query_clusters[own] = np.where(of_queries == COLD, COLD, first + of_queries)
        end_steps[own] = stream.n_steps
    return Served(
        steps=np.concatenate([np.empty(0, np.int64), *(stream.steps for stream in cut)]),
        queries=np.concatenate([np.empty(0, np.int64), *(stream.queries for stream in cut)]),
        step_clusters=np.concatenate(step_clusters),
        query_clusters=query_clusters,
        end_steps=end_steps,
    )


def _cut(stream: ScopeStream, steps: int) -> ScopeStream:
    """Return the first `steps` steps of a stream; all of them for 0."""
    if not steps or steps >= stream.n_steps:
        return stream
    is_served = stream.steps < steps
    return ScopeStream(stream.scope, steps, stream.steps[is_served], stream.queries[is_served])


def _clusters(stream: ScopeStream, own: Integers, asking: Asking, rif: RifParams) -> tuple[Integers, Integers]:
    """Return the clusters of a scope's steps and of its queries `own` at evaluation, numbered within the scope."""
    if rif.source in (ClusterSource.ALL_QUERIES, ClusterSource.CORPUS):
        if asking.fitted is None:
            raise BenchError(f"source={rif.source} came without clusters; run the stage clusters")
        return asking.fitted[stream.queries], asking.fitted[own]
    if asking.vectors is None:
        raise BenchError(f"source={rif.source} came without query vectors; run the stage indexes")
    n_cold = int(np.searchsorted(stream.steps, rif.burn_in))
    of_steps = np.full(len(stream.steps), COLD, np.int64)
    if n_cold == 0 or stream.n_steps < rif.burn_in:  # there never are clusters
        return of_steps, np.full(len(own), COLD, np.int64)
    vectors = np.asarray(asking.vectors[own])
    asked = np.searchsorted(own, stream.queries)
    n_clusters = effective_count(rif.clusters, len(own), is_pooled=asking.is_pooled)
    centroids = fit_centroids(vectors[asked[:n_cold]], n_clusters, niter=asking.niter, seed=asking.seed)
    of_queries = nearest(vectors, centroids)
    if rif.source is ClusterSource.BUFFER:
        of_steps[n_cold:] = of_queries[asked[n_cold:]]
        return of_steps, of_queries.astype(np.int64)
    counts = np.bincount(of_queries[asked[:n_cold]], minlength=len(centroids))
    of_steps[n_cold:], centroids = follow(vectors[asked[n_cold:]], centroids, counts)
    return of_steps, nearest(vectors, centroids).astype(np.int64)


def follow(vectors: Vectors, centroids: Centroids, counts: Integers) -> tuple[Integers, Centroids]:
    """Assign vectors one after the other, each to the centroid with the largest inner product, which then moves.

    Parameters
    ----------
    vectors
        Shape (n, d), float32, in the order of the stream.
    centroids, counts
        Shapes (k, d), float64, and (k,): at first, with their members so far.

    Returns
    -------
    (clusters, centroids)
        Shape (n,), int64: each vector's cluster, before it moved; and the centroids at last.
    """
    centroids, counts = centroids.copy(), counts.astype(np.float64)
    clusters = np.empty(len(vectors), np.int64)
    for place, vector in enumerate(vectors.astype(np.float64)):
        cluster = int(np.argmax(centroids @ vector))
        counts[cluster] += 1
        centroids[cluster] += (vector - centroids[cluster]) / counts[cluster]
        clusters[place] = cluster
    return clusters, centroids

"""What replays share: the candidates, the streams with their clusters, and where the state of each lies.

What depends on candidates and clusters only is a `Layout`, made once for any number of replays (`replay.py`).
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.int32]

COLD = -1
"""The cluster of a retrieval before there are clusters: ranked without suppression, and nothing is learned."""


@dataclass(frozen=True, slots=True)
class Pools:
    """The candidates of all queries, end to end, each query's in the order of their position.

    Attributes
    ----------
    offsets
        Shape (n_queries + 1,), int64: query i has rows `offsets[i]` to `offsets[i + 1] - 1`.
    documents
        Shape (n_rows,), int64, distinct within a query.
    rrf, logits
        Shape (n_rows,), float64, finite.
    """

    offsets: Integers
    documents: Integers
    rrf: Floats
    logits: Floats


@dataclass(frozen=True, slots=True)
class Served:
    """A stream, and the clusters in which it and the evaluation meet their queries.

    Queries that share no cluster share no state, so several scopes are replayed in one call when their clusters have
    different numbers.

    Attributes
    ----------
    steps, queries
        Shape (n_steps,), int64: step number and query of each step that is served, in order.
    step_clusters
        Shape (n_steps,), int64: the cluster of each step, `COLD` before there are clusters.
    query_clusters
        Shape (n_queries,), int64: the cluster of each query at evaluation, or `COLD`.
    end_steps
        Shape (n_queries,), int64: the step at which each query is evaluated, the one after the last of its scope's
        stream. Only decay on read looks at it.
    """

    steps: Integers
    queries: Integers
    step_clusters: Integers
    query_clusters: Integers
    end_steps: Integers

    @classmethod
    def fixed(cls, steps: Integers, queries: Integers, query_clusters: Integers) -> "Served":
        """Return one scope's stream where a query is in one cluster all the time."""
        end = int(steps.max(initial=-1)) + 1
        clusters = np.asarray(query_clusters, np.int64)
        return cls(steps, queries, clusters[queries], clusters, np.full(len(clusters), end, np.int64))

    def part(self, start: int, stop: int) -> "Served":
        """Return the same with the steps at places `start` to `stop - 1` only."""
        return replace(
            self,
            steps=self.steps[start:stop],
            queries=self.queries[start:stop],
            step_clusters=self.step_clusters[start:stop],
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the state of each (cluster, document) lies, for each (query, cluster) that can be met.

    Attributes
    ----------
    pools
        The candidates.
    losing
        Shape (n_rows,), float64: sigmoid(-logit).
    by_logit
        Shape (n_rows,), int32: each query's 0-based candidates by logit, descending, stable.
    pair_keys
        Shape (n_pairs,), int64, ascending: query x `width` + cluster.
    pair_starts
        Shape (n_pairs + 1,), int64: a pair's candidates have the slots from `pair_starts[pair]` on.
    slots
        Shape (sum of the pairs' candidates,), int32: the entry of each.
    entry_cluster, entry_document
        Shape (n_entries,), int64: sorted by (cluster, document).
    width
        One more than the largest cluster.
    """

    pools: Pools
    losing: Floats
    by_logit: Slots
    pair_keys: Integers
    pair_starts: Integers
    slots: Slots
    entry_cluster: Integers
    entry_document: Integers
    width: int


def lay_out(pools: Pools, *served: Served) -> Layout:
    """Return the layout on which these streams, and all that meet no other (query, cluster), can be replayed.

    Parameters
    ----------
    pools
        Candidates and logits.
    served
        Streams with their clusters. Where clusters do not depend on the stream, one stream serves for all.

    Notes
    -----
    Memory: 44 bytes per candidate row, and per candidate of each (query, cluster) 4 bytes for its slot and at most 16
    for its entry; 48 more while it is made. With clusters that move (`online`) a query has as many pairs as clusters it
    was met in, at most one per step: 10,000 steps of 60 candidates take 44 MB at the very worst.
    """
    from tasks.simulation.replay_kernels import sigmoids_of_losing  # numba: only where a stream is replayed

    width = max(
        (int(c.max(initial=COLD)) for one in served for c in (one.step_clusters, one.query_clusters)), default=0
    )
    width = max(width, 0) + 1
    pair_keys = np.unique(np.concatenate([np.empty(0, np.int64), *(_met(one, width) for one in served)]))
    query, cluster = np.divmod(pair_keys, width)
    lengths = np.diff(pools.offsets)
    pair_starts = np.concatenate([[0], np.cumsum(lengths[query])]).astype(np.int64)
    rows = np.arange(pair_starts[-1]) + np.repeat(pools.offsets[query] - pair_starts[:-1], lengths[query])
    n_documents = int(pools.documents.max(initial=-1)) + 1
    entries = np.repeat(cluster, lengths[query]) * n_documents + pools.documents[rows]
    keys, slots = np.unique(entries, return_inverse=True)
    query_of_row = np.repeat(np.arange(len(lengths)), lengths)
    by_logit = np.lexsort((-pools.logits, query_of_row)) - np.repeat(pools.offsets[:-1], lengths)
    return Layout(
        pools=pools,
        losing=sigmoids_of_losing(pools.logits),
        by_logit=by_logit.astype(np.int32),
        pair_keys=pair_keys,
        pair_starts=pair_starts,
        slots=slots.astype(np.int32),
        entry_cluster=keys // max(n_documents, 1),
        entry_document=keys % max(n_documents, 1),
        width=width,
    )


def _met(served: Served, width: int) -> Integers:
    """Return the keys of the (query, cluster) pairs that a stream and its evaluation meet."""
    queries = np.concatenate([served.queries, np.arange(len(served.query_clusters))])
    clusters = np.concatenate([served.step_clusters, served.query_clusters])
    return np.unique((queries * width + clusters)[clusters != COLD])


def pairs_of(layout: Layout, queries: Integers, clusters: Integers) -> Integers:
    """Return the pair of each (query, cluster), -1 where it is cold."""
    keys = np.where(clusters == COLD, COLD, queries * layout.width + clusters)
    found = np.searchsorted(layout.pair_keys, keys)
    known = np.append(layout.pair_keys, -2)[found]
    if (wrong := (clusters != COLD) & ((known != keys) | (clusters >= layout.width) | (clusters < COLD))).any():
        place = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"query {queries[place]} in cluster {clusters[place]} is not in the layout; lay its stream out"
        )
    return np.where(clusters == COLD, COLD, found).astype(np.int64)

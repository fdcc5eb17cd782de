"""The replay of query streams as compiled array work: what `reference.py` says, about a thousand times faster.

The rules (protocols.md A.4) are written a second time in `replay_kernels.py`, on purpose: two independent
implementations must agree. `replay` runs on a `Layout` for any number of parameters and streams, in threads if wanted:
it changes nothing but what it returns.

    layout = lay_out(pools, served)
    result = replay(layout, served, params)
"""

from dataclasses import dataclass

import numpy as np

from tasks.simulation.layout import Floats, Integers, Layout, Served, Slots, pairs_of
from tasks.simulation.replay_kernels import decay_all, evaluate_all, serve_steps
from tasks.simulation.suppression import Decay, RifParams, Rule, RuleSet


@dataclass(frozen=True, slots=True)
class State:
    """Suppression of each entry as stored, (n_entries,) float64, and the step of its last update, -1 before it."""

    s: Floats
    last: Integers


@dataclass(frozen=True, slots=True)
class Replayed:
    """Rankings under the frozen state, end to end, and the state itself.

    Attributes
    ----------
    offsets
        Shape (n_queries + 1,): query i has the places `offsets[i]` to `offsets[i + 1] - 1`, best first.
    rows
        Row of `Pools` at each place.
    r_init
        0-based position of that row before reranking.
    suppression
        Its suppression as the evaluation read it: as stored, or decayed to the end where decay is applied on read.
    entry_cluster, entry_document, entry_s
        The state's touched entries: cluster, document, suppression (read as above); sorted by (cluster, document).
    """

    offsets: Integers
    rows: Integers
    r_init: Integers
    suppression: Floats
    entry_cluster: Integers
    entry_document: Integers
    entry_s: Floats


def replay(layout: Layout, served: Served, params: RifParams) -> Replayed:
    """Serve the stream from an empty state, then rank every query with the state frozen.

    Parameters
    ----------
    layout
        Of the same candidates, and of all pairs of query and cluster that are met.
    served
        The stream and its clusters.
    params
        The rules. Number and source of clusters, burn-in and steps have already made `served` and change nothing here.

    Raises
    ------
    ValueError
        When the layout lacks a pair of query and cluster.

    Notes
    -----
    Memory: 16 bytes per entry, 24 per step, 32 per place of the result. Releases the interpreter lock while it runs.
    """
    state = new_state(layout)
    serve(layout, served, params, state)
    return evaluate(layout, served, params, state)


def new_state(layout: Layout) -> State:
    """Return the state before the first step."""
    n_entries = len(layout.entry_cluster)
    return State(np.zeros(n_entries), np.full(n_entries, -1, np.int64))


def serve(layout: Layout, served: Served, params: RifParams, state: State) -> None:
    """Serve steps, changing the state. Parts of a stream (`Served.part`), one after the other, are the whole."""
    serve_steps(
        _arrays(layout),
        (state.s, state.last),
        np.ascontiguousarray(served.steps, np.int64),
        np.ascontiguousarray(served.queries, np.int64),
        pairs_of(layout, served.queries, served.step_clusters),
        _switches(params),
        (params.alpha, params.eta, params.rho, params.lambda_, params.s_max),
        (params.pool, params.winners),
    )


def evaluate(layout: Layout, served: Served, params: RifParams, state: State) -> Replayed:
    """Rank every query in its cluster of the evaluation, at the step after the last; the state stays as it is."""
    n_queries = len(served.query_clusters)
    pairs = pairs_of(layout, np.arange(n_queries), served.query_clusters)
    offsets = np.concatenate([[0], np.cumsum(np.minimum(np.diff(layout.pools.offsets), params.pool))]).astype(np.int64)
    rows, r_init, suppression = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64), np.empty(offsets[-1])
    end_steps = np.ascontiguousarray(served.end_steps, np.int64)
    evaluate_all(
        _arrays(layout),
        (state.s, state.last),
        pairs,
        end_steps,
        _switches(params),
        (params.alpha, params.lambda_),
        params.pool,
        (offsets, rows, r_init, suppression),
    )
    touched = np.flatnonzero(state.last >= 0)
    owner = np.zeros(len(state.s), np.int64)
    if params.decay is Decay.READ:
        owner[layout.slots] = np.repeat(layout.pair_keys // layout.width, np.diff(layout.pair_starts))
    at = end_steps[owner[touched]] if n_queries else np.empty(0, np.int64)
    s = as_read(State(state.s[touched], state.last[touched]), params, at)
    return Replayed(
        offsets, rows, r_init, suppression, layout.entry_cluster[touched], layout.entry_document[touched], s
    )


def as_read(state: State, params: RifParams, at: Integers | int) -> Floats:
    """Return what a retrieval at step `at`, one for all or (n_entries,), would read of each entry."""
    if params.decay is Decay.WRITE:
        return state.s.copy()
    out = np.empty(len(state.s))
    decay_all(state.s, state.last, np.broadcast_to(np.asarray(at, np.int64), state.s.shape).copy(), params.lambda_, out)
    return out


def _arrays(layout: Layout) -> tuple[Integers, Floats, Floats, Floats, Slots, Integers, Slots]:
    pools = layout.pools
    return pools.offsets, pools.rrf, pools.logits, layout.losing, layout.by_logit, layout.pair_starts, layout.slots


def _switches(params: RifParams) -> tuple[bool, bool, bool, bool]:
    return (
        params.rule_set is RuleSet.PAPER_LITERAL,
        params.rule_set is RuleSet.RELEASED,
        params.rule is Rule.GAP,
        params.decay is Decay.READ,
    )

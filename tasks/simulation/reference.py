"""The replay of a query stream, written the obvious way: one step at a time, plain Python, no arrays.

It is the truth that the fast engine (`replay.py`) is tested against; nothing else uses it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.simulation.suppression import Decay, RifParams, RuleSet, decayed, strength, updated


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document in the union of a query's lists."""

    document: int
    rrf: float
    logit: float


@dataclass(frozen=True, slots=True)
class Competitor:
    """A candidate that reached the reranker. `r_init` is its 0-based position before, `suppression` as it was read."""

    document: int
    logit: float
    r_init: int
    suppression: float


@dataclass
class State:
    """Suppression and step of the last update, by (cluster, document)."""

    s: dict[tuple[int, int], float] = field(default_factory=dict)
    last: dict[tuple[int, int], int] = field(default_factory=dict)

    def stored(self, cluster: int | None, document: int) -> float:
        """Return the suppression of an entry as it was last written; without a cluster there is none."""
        return 0.0 if cluster is None else self.s.get((cluster, document), 0.0)

    def read(self, cluster: int | None, document: int, t: int, params: RifParams) -> float:
        """Return the suppression that a retrieval at step `t` meets."""
        s = self.stored(cluster, document)
        if params.decay is Decay.WRITE or cluster is None or (cluster, document) not in self.last:
            return s
        return decayed(s, params.lambda_, t - self.last[cluster, document])


def rank(
    candidates: Sequence[Candidate], cluster: int | None, t: int, state: State, params: RifParams
) -> list[Competitor]:
    """Return the competitors by logit, descending, stable (A.4, steps 1 and 2). Does not change the state."""

    def suppression(candidate: Candidate) -> float:
        return state.read(cluster, candidate.document, t, params)

    def adjusted(candidate: Candidate) -> float:
        return candidate.rrf - params.alpha * suppression(candidate)

    # sorted(..., reverse=True) is stable: equal scores keep their order.
    if params.rule_set is RuleSet.PAPER_LITERAL:
        pool = sorted(candidates, key=lambda c: c.rrf, reverse=True)[: params.pool]
        before = sorted(pool, key=adjusted, reverse=True)
    else:
        before = pool = sorted(candidates, key=adjusted, reverse=True)[: params.pool]
    r_init = {candidate.document: position for position, candidate in enumerate(before)}
    return [
        Competitor(c.document, c.logit, r_init[c.document], suppression(c))
        for c in sorted(pool, key=lambda c: c.logit, reverse=True)
    ]


def step(candidates: Sequence[Candidate], cluster: int | None, t: int, state: State, params: RifParams) -> None:
    """Serve one query at step `t` and update the state (A.4, steps 3 to 5). Without clusters nothing is learned."""
    if cluster is None:
        return
    competitors = rank(candidates, cluster, t, state, params)
    for r_final, competitor in enumerate(competitors):
        entry = (cluster, competitor.document)
        last = state.last.get(entry)
        state.s[entry] = updated(
            params,
            state.stored(cluster, competitor.document),
            None if last is None else t - last,
            is_winner=r_final < params.winners,
            push=strength(params.rule, competitor.r_init, r_final, len(competitors), competitor.logit),
        )
        state.last[entry] = t


def replay(
    pools: Mapping[int, Sequence[Candidate]],
    stream: Iterable[tuple[int, int, int | None]],
    clusters: Mapping[int, int | None],
    ends: Mapping[int, int],
    params: RifParams,
) -> tuple[dict[int, list[Competitor]], State]:
    """Serve the stream, then rank every query with the state frozen.

    Parameters
    ----------
    pools
        Candidates of each query, by position.
    stream
        Step number, query and cluster of each step, in order; without a cluster (None) the step is cold.
    clusters, ends
        Of each query: its cluster at evaluation, and the step at which it is evaluated.

    Returns
    -------
    (dict, State)
        Per query, its competitors in final order; and the final state.
    """
    state = State()
    for t, query, cluster in stream:
        step(pools[query], cluster, t, state, params)
    return {query: rank(pool, clusters[query], ends[query], state, params) for query, pool in pools.items()}, state

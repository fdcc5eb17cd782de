"""The replay of a query stream, written the obvious way: one step at a time, plain Python, no arrays.

It is the truth that the fast engine (`replay.py`) is tested against; nothing else uses it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.simulation.suppression import RifParams, RuleSet, strength, updated


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document in the union of a query's lists."""

    document: int
    rrf: float
    logit: float


@dataclass(frozen=True, slots=True)
class Competitor:
    """A candidate that reached the reranker. `r_init` is its 0-based position before reranking."""

    document: int
    logit: float
    r_init: int
    suppression: float


@dataclass
class State:
    """Suppression and step of the last update, by (cluster, document)."""

    s: dict[tuple[int, int], float] = field(default_factory=dict)
    last: dict[tuple[int, int], int] = field(default_factory=dict)


def rank(candidates: Sequence[Candidate], cluster: int, state: State, params: RifParams) -> list[Competitor]:
    """Return the competitors by logit, descending, stable (A.4, steps 1 and 2). Does not change the state."""

    def suppression(candidate: Candidate) -> float:
        return state.s.get((cluster, candidate.document), 0.0)

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


def step(candidates: Sequence[Candidate], cluster: int, t: int, state: State, params: RifParams) -> None:
    """Serve one query at step `t` and update the state (A.4, steps 3 to 5)."""
    competitors = rank(candidates, cluster, state, params)
    for r_final, competitor in enumerate(competitors):
        entry = (cluster, competitor.document)
        last = state.last.get(entry)
        state.s[entry] = updated(
            params,
            competitor.suppression,
            None if last is None else t - last,
            is_winner=r_final < params.winners,
            push=strength(params.rule, competitor.r_init, r_final, len(competitors), competitor.logit),
        )
        state.last[entry] = t


def replay(
    pools: Mapping[int, Sequence[Candidate]],
    clusters: Mapping[int, int],
    stream: Iterable[tuple[int, int]],
    params: RifParams,
) -> tuple[dict[int, list[Competitor]], State]:
    """Serve the stream's (step, query) pairs, then rank every query with the state frozen.

    Parameters
    ----------
    pools
        Candidates of each query, by position.
    clusters
        Cluster of each query.
    stream
        Steps in order.

    Returns
    -------
    (dict, State)
        Per query, its competitors in final order; and the final state.
    """
    state = State()
    for t, query in stream:
        step(pools[query], clusters[query], t, state, params)
    return {query: rank(pool, clusters[query], state, params) for query, pool in pools.items()}, state

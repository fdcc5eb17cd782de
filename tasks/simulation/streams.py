"""Query streams: who asks what, in which order (study A's "burn-in"; protocols.md A.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tasks import randomness
from tasks.records import BenchError, Params

Integers = npt.NDArray[np.int64]


class StreamParams(Params):
    """Parameters of a stream.

    Attributes
    ----------
    steps
        Length of the stream of a pooled protocol; study A: 5,000 on LongMemEval-S, 3,000 on NFCorpus.
    steps_per_query
        In a conversation protocol, the length of each conversation's stream over its number of queries.
    hot_share
        Share of the queries that are hot.
    hot_probability
        Probability that a step asks a hot query.
    seed
        Seed of the stream.
    published_ids
        Query ids to draw over, in this order, instead of the corpus's own. Steps that draw an id which the corpus
        does not have are left out; the others keep their step number.
    """

    steps: int = Field(default=5000, ge=0)
    steps_per_query: int = Field(default=10, ge=0)
    hot_share: float = Field(default=0.2, gt=0, le=1)
    hot_probability: float = Field(default=0.7, ge=0, le=1)
    seed: int = Field(default=42, ge=0)
    published_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Populations:
    """Who asks in each scope.

    Attributes
    ----------
    scope_ids
        Ids of the scopes, in the order of the corpus.
    queries
        Per scope, (n_queries,) int64: the query indexes that its stream is drawn over, in this order; -1 for a
        published query that the corpus does not have.
    is_pooled
        Whether the protocol has one scope for all, and so the stream of study A.
    """

    scope_ids: tuple[str, ...]
    queries: tuple[Integers, ...]
    is_pooled: bool


@dataclass(frozen=True, slots=True)
class ScopeStream:
    """The stream of one scope.

    Attributes
    ----------
    scope
        Its number among the scopes.
    n_steps
        Length of the stream, steps of missing queries included.
    steps, queries
        Shape (n_served,), int64: step number, ascending, and query index of each step that is not left out.
    """

    scope: int
    n_steps: int
    steps: Integers
    queries: Integers


def populations(
    scope_ids: Sequence[str],
    query_scope: npt.NDArray[np.integer],
    query_ids: Sequence[str],
    params: StreamParams,
    *,
    is_pooled: bool,
) -> Populations:
    """Return who asks in each scope: its queries in the order of the corpus, or the published ones in theirs.

    Parameters
    ----------
    scope_ids, query_scope, query_ids
        Scopes; number of the scope, and id, of each query.
    params
        Its published ids.
    is_pooled
        Whether the protocol is pooled.

    Raises
    ------
    BenchError
        When published ids are given for several scopes, or leave queries of the corpus out.
    """
    if not params.published_ids:
        asked = tuple(np.flatnonzero(query_scope == number).astype(np.int64) for number in range(len(scope_ids)))
        return Populations(tuple(scope_ids), asked, is_pooled)
    if len(scope_ids) != 1:
        raise BenchError(f"published_ids belong to a protocol with one scope; this one has {len(scope_ids)}")
    if absent := sorted(set(query_ids) - set(params.published_ids)):
        raise BenchError(f"{len(absent)} queries are not among published_ids, e.g. {absent[0]}; expected all of them")
    return Populations(tuple(scope_ids), (locate(params.published_ids, query_ids),), is_pooled)


def draw_streams(population: Populations, params: StreamParams, *, seed: int) -> list[ScopeStream]:
    """Draw the stream of every scope.

    A pooled protocol has one stream, drawn with `numpy.random.default_rng(seed)` as study A does; each conversation
    has its own stream and its own generator, named by the scope.

    Parameters
    ----------
    population
        Who asks.
    params
        Length and hot set; its own `seed` is not looked at, so that one set of parameters serves for many seeds.
    seed
        The seed of these streams.

    Returns
    -------
    list of ScopeStream
        One per scope, in their order. A longer stream of the same seed begins with the shorter one.
    """
    drawn = []
    for number, (scope_id, queries) in enumerate(zip(population.scope_ids, population.queries, strict=True)):
        n_steps = params.steps if population.is_pooled else params.steps_per_query * queries.size
        rng = np.random.default_rng(seed) if population.is_pooled else randomness.generator(seed, "stream", scope_id)
        places = draw_stream(
            queries.size, n_steps, hot_share=params.hot_share, hot_probability=params.hot_probability, rng=rng
        )
        asked = queries[places]
        drawn.append(ScopeStream(number, len(places), np.flatnonzero(asked >= 0), asked[asked >= 0]))
    return drawn


def draw_stream(
    n_queries: int, steps: int, *, hot_share: float, hot_probability: float, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw the query of each step, in the draw order of study A's code.

    Parameters
    ----------
    n_queries
        Queries to draw over; with none, the stream is empty.
    steps
        Length of the stream.
    hot_share
        max(1, int(n_queries x hot_share)) queries, drawn without replacement, are hot.
    hot_probability
        Each step asks a uniform hot query with this probability, else a uniform cold one. Without cold queries it
        is always a hot one.
    rng
        The generator; study A's is `numpy.random.default_rng(42)`.

    Returns
    -------
    numpy.ndarray
        Shape (steps,), int64: place of the query, 0 to n_queries - 1.
    """
    if n_queries == 0:
        return np.empty(0, np.int64)
    hot = rng.choice(n_queries, size=max(1, int(n_queries * hot_share)), replace=False)
    cold = np.setdiff1d(np.arange(n_queries), hot)  # ascending: cold queries keep their original order
    drawn = np.empty(steps, np.int64)
    for step in range(steps):
        group = hot if rng.random() < hot_probability or not cold.size else cold
        drawn[step] = group[rng.integers(len(group))]
    return drawn


def locate(published_ids: Sequence[str], query_ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the index in `query_ids` of each published id, -1 where it is missing.

    >>> locate(["a", "b", "c"], ["c", "a"]).tolist()
    [1, -1, 0]
    """
    index = {query_id: i for i, query_id in enumerate(query_ids)}
    return np.array([index.get(query_id, -1) for query_id in published_ids], dtype=np.int64)

"""Query streams: who asks what, in which order (study A's "burn-in"; protocols.md A.6)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tasks.records import Params


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

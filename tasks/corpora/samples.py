"""A part of the questions: which ones are asked where a table is of a sample, as some of study A's are."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.records import BenchError

ASKED = "asked.parquet"
SAMPLE_SEED = 0
"""Study A's (protocols.md A.10)."""


def sample_of(query_ids: Sequence[str], size: int, population: Sequence[str] = ()) -> NDArray[np.bool_]:
    """Return (n,) bool: whether each query is in the sample `default_rng(0).choice(n, size, replace=False)`.

    Parameters
    ----------
    query_ids
        Of the corpus.
    size
        Ids drawn, without replacement.
    population
        Ids to draw from, in this order, when it is not the corpus that was drawn from; drawn ids that the corpus does
        not have are left out.

    Raises
    ------
    BenchError
        When the sample is larger than what it is drawn from, or nothing of it is in the corpus.

    >>> sample_of(["a", "b", "c", "d"], 2).tolist()  # numpy draws places 2 and 3
    [False, False, True, True]
    """
    drawn_from = list(population or query_ids)
    if not 0 < size <= len(drawn_from):
        raise BenchError(f"a sample of {size} questions of {len(drawn_from)}; expected 1 to {len(drawn_from)}")
    places = np.random.default_rng(SAMPLE_SEED).choice(len(drawn_from), size, replace=False)
    drawn = {drawn_from[place] for place in places.tolist()}
    is_drawn = np.array([query_id in drawn for query_id in query_ids], dtype=bool)
    if not is_drawn.any():
        raise BenchError(f"none of the {size} sampled ids is in the corpus, e.g. {sorted(drawn)[0]}; expected its ids")
    return is_drawn


def write_asked(is_asked: NDArray[np.bool_], out: Path) -> None:
    """Write `asked.parquet`: query_index (Int32), ascending."""
    pl.DataFrame({"query_index": np.flatnonzero(is_asked).astype(np.int32)}).write_parquet(out / ASKED)


def read_asked(directory: Path | None, n_queries: int) -> NDArray[np.bool_]:
    """Return (n_queries,) bool: whether each query is asked; all without a directory."""
    if directory is None:
        return np.ones(n_queries, dtype=bool)
    is_asked = np.zeros(n_queries, dtype=bool)
    found = pl.read_parquet(directory / ASKED)["query_index"].to_numpy()
    if found.size and int(found.max()) >= n_queries:
        raise BenchError(f"{directory / ASKED} asks query {int(found.max())}, but the corpus has {n_queries}")
    is_asked[found] = True
    return is_asked

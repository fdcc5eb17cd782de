"""The grid against the index of each setting by itself."""

import itertools
import time
from typing import Literal

import numpy as np
import polars as pl
import pytest

from tasks.indexes.bm25 import Bm25Params, RaggedTokens, count_terms, index_scope
from tasks.indexes.bm25_grid import grid_scores

VARIANTS: tuple[Literal["lucene", "okapi-floor", "bm25l"], ...] = ("lucene", "okapi-floor", "bm25l")
K1 = (0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 1.8, 2.2, 2.6, 3.0)
B = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)


def _ragged(lists: list[list[int]]) -> RaggedTokens:
    return RaggedTokens.from_series(pl.Series(lists, dtype=pl.List(pl.UInt32)))


def _random(seed: int, n: int, longest: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [np.minimum(rng.geometric(0.1, size=int(rng.integers(0, longest))), 45).tolist() for _ in range(n)]


@pytest.mark.parametrize("seed", range(3))
def test_grid_against_the_index_of_each_setting(seed: int) -> None:
    """Questions with repeats, with tokens that no unit has, and without any; units without a token."""
    units, queries = _ragged(_random(seed, 30, 40)), _ragged([[], [99], [7, 7, 99, 7], *_random(seed + 50, 20, 9)])
    settings = [Bm25Params(variant=v, k1=k1, b=b) for v in VARIANTS for k1 in (0.0, 0.4, 3.0) for b in (0.0, 0.75, 1.0)]
    found = grid_scores(units, queries, settings)
    assert found.shape == (27, 23, 30)
    for number, setting in enumerate(settings):
        alone = index_scope(units, setting)
        expected = [alone.scores(queries[row]) for row in range(len(queries))]
        np.testing.assert_allclose(found[number], expected, rtol=1e-12, atol=1e-13, err_msg=str(setting))


@pytest.mark.parametrize("units", [[], [[]], [[], []], [[3], []]])
@pytest.mark.parametrize("queries", [[], [[]], [[3], [4]]])
def test_nothing_to_score(units: list[list[int]], queries: list[list[int]]) -> None:
    found = grid_scores(_ragged(units), _ragged(queries), [Bm25Params()])
    assert found.shape == (1, len(queries), len(units))
    assert np.count_nonzero(found) == (len(queries) == 2 and [3] in units)


def test_counts_against_hand_computed() -> None:
    counts = count_terms(_ragged([[5, 2, 5], [], [2, 9]]))
    assert counts.tokens.tolist() == [2, 5, 9]
    assert counts.starts.tolist() == [0, 2, 3, 4]
    assert (counts.places.tolist(), counts.frequencies.tolist()) == ([0, 2, 0, 2], [1, 1, 2, 1])
    assert counts.lengths.tolist() == [3, 0, 2]


def test_the_grid_of_a_conversation_takes_a_second() -> None:
    """A scope of LoCoMo's size, 200 settings: all ten conversations must take well under three minutes."""
    units, queries = _ragged(_random(1, 27, 900)), _ragged(_random(2, 200, 9))
    settings = [Bm25Params(variant=v, k1=k1, b=b) for v, k1, b in itertools.product(("lucene", "bm25l"), K1, B)]
    started = time.process_time()
    assert grid_scores(units, queries, settings).shape == (200, 200, 27)
    assert time.process_time() - started < 6

"""Combiners on numbers that can be checked by hand, and where a candidate set has nothing to tell."""

import numpy as np
import pytest

from tasks.candidates.combination import min_max, reciprocal_ranks, weighted, z_normalised

OFFSETS = np.array([0, 4, 4, 5, 7])
"""Sets of four, none, one and two."""
SCORES = np.array([2.0, 4.0, 4.0, 6.0, 9.0, -1.0, 3.0])


def test_z_against_hand_computed() -> None:
    # Mean 4, deviations -2 0 0 2, population variance 8/4; alone: no spread; mean 1, sd 2.
    expected = [-np.sqrt(2), 0, 0, np.sqrt(2), 0, -1, 1]
    assert z_normalised(SCORES, OFFSETS) == pytest.approx(expected)


def test_min_max_against_hand_computed() -> None:
    assert min_max(SCORES, OFFSETS).tolist() == [0, 0.5, 0.5, 1, 0, 0, 1]


@pytest.mark.parametrize("normalise", [z_normalised, min_max])
def test_a_set_without_spread_says_nothing(normalise: object) -> None:
    """0.1 + 0.2 and 0.3 differ in the last digit, which must not become an order; 1e-8 is a spread."""
    assert callable(normalise)
    dust, spread = np.array([0.3, 0.1 + 0.2, 0.3]), np.array([0.0, 1e-8])
    assert normalise(dust, np.array([0, 3])).tolist() == [0, 0, 0]
    assert np.ptp(normalise(spread, np.array([0, 2]))) > 0.5


@pytest.mark.parametrize("normalise", [z_normalised, min_max])
@pytest.mark.parametrize("offsets", [[0], [0, 0], [0, 0, 0]])
def test_no_candidates(normalise: object, offsets: list[int]) -> None:
    assert callable(normalise)
    assert normalise(np.empty(0), np.array(offsets)).shape == (0,)


def test_weights_are_of_bm25_for_all_rows_or_for_each() -> None:
    bm25, dense = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    assert weighted(1.0, bm25, dense).tolist() == [1, 2]
    assert weighted(0.0, bm25, dense).tolist() == [10, 20]
    assert weighted(np.array([1.0, 0.5]), bm25, dense).tolist() == [1, 11]


def test_reciprocal_ranks_against_hand_computed() -> None:
    first, second = np.array([0, 3]), np.array([1, 0])
    assert reciprocal_ranks(first, second).tolist() == [1 / 61 + 1 / 62, 1 / 64 + 1 / 61]
    assert reciprocal_ranks(first, second, rrf_k=1, rank_origin=0).tolist() == [1 + 1 / 2, 1 / 4 + 1]

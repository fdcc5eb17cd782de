"""The pools, by hand, and what they refuse."""

import math

import numpy as np
import pytest

from tasks.embeddings.pooling import Pool, cosines_of
from tasks.records import BenchError

# Two sessions: turns (1, 0), (0.6, 0.8), (0, 1) and turn (0.8, 0.6); the question is (1, 0).
TURNS = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.8, 0.6]])
UNITS = np.array([0, 0, 0, 1])
QUERY = np.array([[1.0, 0.0]])


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("max", [1.0, 0.8]),
        ("mean", [1.6 / math.hypot(1.6, 1.8), 0.8]),
        ("top2", [0.8, 0.8]),
        ("top3", [1.6 / 3, 0.8]),
        ("lse10", [math.log(math.exp(10) + math.exp(6) + 1) / 10, 0.8]),
    ],
)
def test_pools_against_hand_computed(pool: str, expected: list[float]) -> None:
    assert Pool.parse(pool).scores(cosines_of(QUERY, TURNS), UNITS, TURNS)[0].tolist() == pytest.approx(expected)


def test_log_sum_exp_is_not_divided_by_the_number_of_turns() -> None:
    """B.2: n equal turns score c + ln(n) / beta."""
    assert Pool("lse", beta=10).scores(np.full((1, 5), 0.3), np.zeros(5, int))[0, 0] == pytest.approx(
        0.3 + math.log(5) / 10
    )


@pytest.mark.parametrize("beta", [1e4, 1e300])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_log_sum_exp_neither_overflows_nor_vanishes(beta: float, sign: float) -> None:
    cosines = sign * np.array([[0.9, 0.1, -0.9]])
    assert Pool("lse", beta=beta).scores(cosines, np.zeros(3, int))[0, 0] == pytest.approx(0.9, abs=1e-3)


def test_turns_that_cancel_have_no_direction() -> None:
    turns = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    found = Pool("mean").scores(cosines_of(QUERY, turns), np.array([0, 0, 1]), turns)
    assert found.tolist() == [[0.0, 0.0]]


def test_float32_vectors_are_summed_in_float64() -> None:
    """1e8 + 1 - 1e8 is 0 in float32."""
    vectors = np.array([[1e8, 1.0, -1e8]], dtype=np.float32)
    assert cosines_of(np.ones((1, 3), np.float32), vectors)[0, 0] == 1.0


def test_text_has_one_row_per_session() -> None:
    cosines = np.array([[0.2, 0.4]])
    assert Pool("text").scores(cosines, np.array([0, 1])).tolist() == [[0.2, 0.4]]
    with pytest.raises(BenchError, match="2 columns for 1 sessions"):
        Pool("text").scores(cosines, np.array([0, 0]))


@pytest.mark.parametrize("pool", ["mean", "max", "top3", "lse10", "text"])
def test_nothing_to_score(pool: str) -> None:
    empty = np.empty(0, np.int32)
    assert Pool.parse(pool).scores(np.empty((3, 0)), empty, np.empty((0, 2))).shape == (3, 0)
    assert Pool.parse(pool).scores(np.empty((0, 1)), np.array([0]), np.ones((1, 2))).shape == (0, 1)


@pytest.mark.parametrize(
    "name", ["", "top", "top0", "top-1", "top2.5", "lse", "lse0", "lse0.0", "lse-1", "lse1e3", "lse" + "9" * 400, "MAX"]
)
def test_unknown_pool_is_an_error_in_words(name: str) -> None:
    with pytest.raises(BenchError, match="expected mean, max, text, top<k>"):
        Pool.parse(name)


def test_mean_wants_the_vectors() -> None:
    with pytest.raises(BenchError, match="no turn vectors came"):
        Pool("mean").scores(np.zeros((1, 2)), np.array([0, 1]))
    with pytest.raises(BenchError, match="1 turn vectors for 2 turns"):
        Pool("mean").scores(np.zeros((1, 2)), np.array([0, 1]), np.ones((1, 3)))


def test_cosines_of_another_scope_are_refused() -> None:
    with pytest.raises(BenchError, match=r"shape \(1, 3\) for 2 turns"):
        Pool("max").scores(np.zeros((1, 3)), np.array([0, 1]))

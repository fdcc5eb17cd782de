"""The scores of sessions against the formulas of protocols.md B.2, written out one session at a time."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.embeddings.pooling import Pool, cosines_of
from tasks.records import BenchError

SETTINGS = settings(max_examples=150, deadline=None)
POOLS = st.sampled_from(["max", "mean", "top1", "top3", "top7", "lse0.1", "lse2.5", "lse10", "lse5000"])
Floats = npt.NDArray[np.float64]


@st.composite
def scopes(draw: st.DrawFn) -> tuple[Floats, Floats, npt.NDArray[np.int32]]:
    """Return unit vectors of questions and of turns, and the session of each turn; few distinct ones, so many tie."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    distinct = rng.standard_normal((draw(st.integers(1, 8)), 4))
    distinct /= np.linalg.norm(distinct, axis=1, keepdims=True)
    turns = distinct[rng.integers(len(distinct), size=sum(sizes))]
    queries = distinct[rng.integers(len(distinct), size=draw(st.integers(1, 4)))]
    return queries, turns, np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)


def by_definition(pool: str, query: Floats, turns: Floats) -> float:
    """Return the score of one session for one question."""
    cosines = sorted((float(query @ turn) for turn in turns), reverse=True)
    if pool == "mean":
        mean = turns.mean(axis=0)
        return float(query @ (mean / np.linalg.norm(mean)))
    if pool == "max":
        return cosines[0]
    if pool.startswith("top"):
        best = cosines[: int(pool[3:])]
        return sum(best) / len(best)
    beta, best_one = float(pool[3:]), cosines[0]
    return best_one + math.log(math.fsum(math.exp(beta * (cosine - best_one)) for cosine in cosines)) / beta


@SETTINGS
@given(scopes(), POOLS)
def test_scores_against_definition(scope: tuple[Floats, Floats, npt.NDArray[np.int32]], pool: str) -> None:
    queries, turns, units = scope
    found = Pool.parse(pool).scores(cosines_of(queries, turns), units, turns)
    expected = [[by_definition(pool, q, turns[units == s]) for s in range(units[-1] + 1)] for q in queries]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@SETTINGS
@given(scopes(), st.floats(0.05, 700))
def test_log_sum_exp_against_the_published_formula(
    scope: tuple[Floats, Floats, npt.NDArray[np.int32]], beta: float
) -> None:
    """Without taking the largest out, as printed: exp(700) is still a number."""
    queries, turns, units = scope
    cosines = cosines_of(queries, turns)
    found = Pool("lse", beta=beta).scores(cosines, units)
    for session in range(units[-1] + 1):
        expected = np.log(np.exp(beta * cosines[:, units == session]).sum(axis=1)) / beta
        np.testing.assert_allclose(found[:, session], expected, rtol=0, atol=1e-9)


@SETTINGS
@given(scopes(), POOLS)
def test_one_turn_is_its_own_score(scope: tuple[Floats, Floats, npt.NDArray[np.int32]], pool: str) -> None:
    queries, turns, _ = scope
    cosines = cosines_of(queries, turns)
    found = Pool.parse(pool).scores(cosines, np.arange(len(turns)), turns)
    np.testing.assert_allclose(found, cosines, rtol=0, atol=1e-12)


@SETTINGS
@given(scopes(), st.integers(6, 50), st.floats(0.1, 100))
def test_order_within_the_family(scope: tuple[Floats, Floats, npt.NDArray[np.int32]], large: int, beta: float) -> None:
    """mean of all <= top3 <= max <= lse <= max + ln(n) / beta, with n turns; `top` of all is the mean of all."""
    queries, turns, units = scope
    cosines = cosines_of(queries, turns)
    best, top, lse = (Pool.parse(name).scores(cosines, units) for name in ("max", "top3", f"lse{beta:.6f}"))
    sizes = np.bincount(units)
    everything = np.add.reduceat(cosines, np.searchsorted(units, np.arange(len(sizes))), axis=1) / sizes
    np.testing.assert_allclose(Pool("top", k=large).scores(cosines, units), everything, rtol=0, atol=1e-12)
    assert np.all(everything <= top + 1e-12)
    assert np.all(top <= best + 1e-12)
    assert np.all(best <= lse + 1e-12)
    assert np.all(lse <= best + np.log(sizes) / float(f"{beta:.6f}") + 1e-9)


@SETTINGS
@given(scopes(), POOLS, st.data())
def test_a_question_does_not_depend_on_the_others(
    scope: tuple[Floats, Floats, npt.NDArray[np.int32]], pool: str, data: st.DataObject
) -> None:
    queries, turns, units = scope
    one = data.draw(st.integers(0, len(queries) - 1))
    together = Pool.parse(pool).scores(cosines_of(queries, turns), units, turns)
    alone = Pool.parse(pool).scores(cosines_of(queries[one : one + 1], turns), units, turns)
    assert together[one].tobytes() == alone[0].tobytes()


@SETTINGS
@given(scopes(), st.randoms(use_true_random=False))
def test_equal_vectors_have_equal_cosines(scope: tuple[Floats, Floats, npt.NDArray[np.int32]], random: object) -> None:
    queries, turns, _ = scope
    order = list(range(len(turns)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert cosines_of(queries, turns[order]).tobytes() == cosines_of(queries, turns)[:, order].tobytes()


@SETTINGS
@given(
    st.one_of(
        st.sampled_from([Pool("mean"), Pool("max"), Pool("text")]),
        st.builds(Pool, st.just("top"), k=st.integers(1, 10**6)),
        st.builds(Pool, st.just("lse"), beta=st.floats(1e-12, 1e15)),
    )
)
def test_names_parse_back(pool: Pool) -> None:
    assert Pool.parse(str(pool)) == pool


@SETTINGS
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=6))
def test_only_numbers_that_ascend_from_0_without_gaps_are_sessions(units: list[int]) -> None:
    """numpy's reduceat would score a gap, or sessions out of order, without a word."""
    cosines = np.zeros((2, len(units)))
    if units == sorted(units) and set(units) == set(range(max(units) + 1)):
        assert Pool("max").scores(cosines, np.array(units)).shape == (2, len(set(units)))
    else:
        with pytest.raises(BenchError, match="ascend from 0 without gaps"):
            Pool("max").scores(cosines, np.array(units))

"""Whatever the tie rule, a value lies within the bounds of the tie audit; without ties the bounds are the value."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.candidates.ranking import TieOrder, TieRule
from tasks.measures.judged import Judged, evaluate
from tasks.measures.names import parse
from tasks.measures.tie_audit import TieAudit, audit
from tasks.measures.ties import Ties, find_ties

NAMES = [
    "nDCG@3",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='longmemeval')@5",
    "R@5",
    "R_all@5",
    "RR",
    "RR@4",
    "Success@1",
    "Success@5",
]
ITEMS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 0, 0, 1, 2, 3])), max_size=25)
MISSING = st.lists(st.integers(1, 3), max_size=3)
SEED = st.integers(0, 2**32 - 1)


def as_ranked(items: list[tuple[int, int]], missing: list[int], rule: TieRule, seed: int) -> Ties:
    """Rank the items (score, gain) by the project's own tie rule."""
    keys = [f"key {place}" for place in range(len(items))]
    scores = np.array([score for score, _ in items], dtype=np.float64)
    order = TieOrder(rule, keys, keys, seed=seed).top(scores, np.arange(len(items)), len(items))
    gains = [items[place][1] for place in order]
    table = pl.DataFrame(
        {"query_index": 0, "rank": np.arange(1, len(items) + 1), "score": scores[order], "gain": gains},
        schema={"query_index": pl.Int32, "rank": pl.Int32, "score": pl.Float64, "gain": pl.Int32},
    )
    relevant = sorted([*(gain for gain in gains if gain), *missing], reverse=True)
    return find_ties(table, np.array([relevant], dtype=np.int64).reshape(1, -1))


def four(found: TieAudit) -> tuple[float, float, float, float]:
    assert found.expected is not None
    return found.pessimistic[0], found.value[0], found.expected[0], found.optimistic[0]


@settings(deadline=None, max_examples=50)
@given(items=ITEMS, missing=MISSING, seeds=st.tuples(SEED, SEED))
def test_any_opaque_order_is_within_the_bounds(
    items: list[tuple[int, int]], missing: list[int], seeds: tuple[int, int]
) -> None:
    one, other = (as_ranked(items, missing, TieRule.OPAQUE, seed) for seed in seeds)
    for name in NAMES:
        pessimistic, value, expected, optimistic = four(audit(one, parse(name)))
        if not missing and not any(gain for _, gain in items):
            assert np.isnan([pessimistic, value, expected, optimistic]).all()
            continue
        assert pessimistic - 1e-12 <= expected <= optimistic + 1e-12, name
        assert pessimistic <= value <= optimistic, name
        # The bounds belong to the scores: no order inside ties changes them.
        moved = four(audit(other, parse(name)))
        assert pessimistic <= moved[1] <= optimistic, name
        assert (moved[0], moved[3]) == (pessimistic, optimistic), name
        assert moved[2] == pytest.approx(expected, abs=1e-12), name


@settings(deadline=None, max_examples=50)
@given(gains=st.lists(st.integers(0, 3), min_size=1, max_size=25), missing=MISSING)
def test_without_ties_nothing_can_move(gains: list[int], missing: list[int]) -> None:
    items = list(zip(range(len(gains), 0, -1), gains, strict=True))
    ties = as_ranked(items, missing, TieRule.EARLIEST, 0)
    for name in NAMES:
        values = four(audit(ties, parse(name)))
        np.testing.assert_array_equal(values, [values[0]] * 4, err_msg=name)


@settings(deadline=None, max_examples=50)
@given(queries=st.lists(st.tuples(ITEMS, MISSING), min_size=2, max_size=4), seed=SEED)
def test_a_query_does_not_depend_on_its_neighbours(
    queries: list[tuple[list[tuple[int, int]], list[int]]], seed: int
) -> None:
    """Padding to a longer ranking is not ranked, and equal scores of two queries are no tie."""
    apart = [as_ranked(items, missing, TieRule.OPAQUE, seed) for items, missing in queries]
    tables = [
        pl.DataFrame(
            {
                "query_index": query,
                "rank": np.arange(1, one.n_ranked[0] + 1),
                "score": -one.starts[0, : one.n_ranked[0]].astype(np.float64),
                "gain": one.gains[0, : one.n_ranked[0]],
            }
        )
        for query, one in enumerate(apart)
    ]
    ideal = np.zeros((len(apart), max(one.ideal.shape[1] for one in apart)), dtype=np.int64)
    for query, one in enumerate(apart):
        ideal[query, : one.ideal.shape[1]] = one.ideal[0]
    together = find_ties(pl.concat(tables, how="vertical_relaxed"), ideal)
    for name in NAMES:
        alone = [four(audit(one, parse(name))) for one in apart]
        found = audit(together, parse(name))
        assert found.expected is not None
        rows = zip(found.pessimistic, found.value, found.expected, found.optimistic, strict=True)
        np.testing.assert_allclose([*rows], alone, rtol=0, atol=1e-12, err_msg=name)


@settings(deadline=None, max_examples=50)
@given(items=ITEMS, missing=MISSING, seed=SEED)
def test_sampled_mean_matches_the_exact_one(items: list[tuple[int, int]], missing: list[int], seed: int) -> None:
    ties = as_ranked(items, missing, TieRule.OPAQUE, seed)
    if not ties.judged().n_relevant[0] or not items:
        return
    rng = np.random.default_rng(seed)
    n = 400
    keys = rng.random((n, ties.gains.shape[1]))
    order = np.lexsort((keys, np.repeat(ties.starts, n, axis=0)), axis=-1)
    drawn = Judged(
        np.take_along_axis(np.repeat(ties.gains, n, axis=0), order, axis=1),
        np.repeat(ties.n_ranked, n),
        np.repeat(ties.ideal, n, axis=0),
    )
    for name in NAMES:
        found = audit(ties, parse(name))
        pessimistic, _, expected, optimistic = four(found)
        # Hoeffding: the mean of n values in an interval is off by more than 0.16 of it once in 10^8 cases.
        assert abs(evaluate(parse(name), drawn).mean() - expected) <= 0.16 * (optimistic - pessimistic) + 1e-12, name

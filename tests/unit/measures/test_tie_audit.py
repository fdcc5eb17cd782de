"""The tie audit: hand-computed values, every order of small rankings, and trec_eval on relabelled ties."""

import itertools
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

from tasks.candidates import ranking
from tasks.measures.judged import Judged, evaluate
from tasks.measures.names import parse
from tasks.measures.tie_audit import TieAudit, audit
from tasks.measures.ties import DECIMALS, Ties, find_ties
from tasks.records import BenchError

NAMES = [
    "nDCG@3",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@3",
    "nDCG(dcg='longmemeval')@3",
    "R@3",
    "R_all@3",
    "R_all@4",
    "RR",
    "RR@2",
    "Success@1",
    "Success@3",
]
NAN = float("nan")
Ranking = Sequence[tuple[float, int]]
"""(score, gain) of each ranked item, best first."""


def make_ties(rankings: Sequence[Ranking], not_ranked: Sequence[Sequence[int]] = (), **options: Any) -> Ties:
    """Return the ties of rankings whose relevant items are those ranked and, per query, those of `not_ranked`."""
    rows = [
        (query, rank, score, gain)
        for query, items in enumerate(rankings)
        for rank, (score, gain) in enumerate(items, start=1)
    ]
    columns = {"query_index": pl.Int32, "rank": pl.Int32, "score": pl.Float64, "gain": pl.Int32}
    missing = [*not_ranked, *[()] * (len(rankings) - len(not_ranked))]
    gains = [
        sorted([*(gain for _, gain in items if gain > 0), *more], reverse=True)
        for items, more in zip(rankings, missing, strict=True)
    ]
    ideal = np.zeros((len(rankings), max(map(len, gains), default=0)), dtype=np.int64)
    for query, of_query in enumerate(gains):
        ideal[query, : len(of_query)] = of_query
    return find_ties(pl.DataFrame(rows, schema=columns, orient="row"), ideal, **options)


def bounds(found: TieAudit) -> tuple[float, float, float]:
    assert found.expected is not None
    assert len(found.value) == 1
    return found.pessimistic[0], found.expected[0], found.optimistic[0]


def orders(items: Ranking) -> Iterator[list[tuple[float, int]]]:
    """Yield every order of the items inside groups of equal scores, each equally often."""
    groups = [list(group) for _, group in itertools.groupby(items, key=lambda item: item[0])]
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [item for part in parts for item in part]


SMALL: dict[str, tuple[Ranking, list[int]]] = {
    "one group": ([(1.0, 0), (1.0, 2), (1.0, 1), (1.0, 0), (1.0, 0)], []),
    "a group across the cut": ([(5.0, 1), (4.0, 0), (3.0, 0), (3.0, 1), (3.0, 0), (2.0, 1)], []),
    "relevant items missing": ([(2.0, 0), (2.0, 1), (1.0, 0), (1.0, 3), (1.0, 0)], [1, 1]),
    "all relevant in the group": ([(3.0, 0), (2.0, 1), (2.0, 1), (2.0, 1)], []),
    "relevant in front": ([(3.0, 1), (3.0, 1), (2.0, 0), (2.0, 2), (2.0, 0), (2.0, 0)], []),
    "nothing relevant ranked": ([(1.0, 0), (1.0, 0), (0.5, 0)], [2]),
    "shorter than the cut": ([(1.0, 0), (1.0, 1)], []),
    "two groups": ([(2.0, 0), (2.0, 1), (2.0, 0), (1.0, 0), (1.0, 1), (1.0, 1)], [1]),
    "no ties": ([(3.0, 0), (2.0, 2), (1.0, 1), (0.0, 0)], []),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", sorted(SMALL))
def test_audit_against_every_order(name: str, case: str) -> None:
    items, missing = SMALL[case]
    ties = make_ties([items], [missing])
    values = [
        evaluate(parse(name), Judged(np.array([[gain for _, gain in order]]), ties.n_ranked, ties.ideal))[0]
        for order in orders(items)
    ]
    expected = (min(values), math.fsum(values) / len(values), max(values))
    assert bounds(audit(ties, parse(name))) == pytest.approx(expected, abs=1e-12)


# Scores 2, 1, 1, 1, 1 with gains 0, 1, 0, 0, 2, cut at 2: one of the four tied items comes second.
DISCOUNT = 1 / math.log2(3)
HAND_COMPUTED = {
    "nDCG@2": (0.0, 0.75 * DISCOUNT / (2 + DISCOUNT), 2 * DISCOUNT / (2 + DISCOUNT)),
    "nDCG(dcg='exp-log2')@2": (0.0, DISCOUNT / (3 + DISCOUNT), 3 * DISCOUNT / (3 + DISCOUNT)),
    "nDCG(dcg='longmemeval')@2": (0.0, 0.75 / 3, 2 / 3),
    "R@2": (0.0, 0.25, 0.5),
    "R@3": (0.0, 0.5, 1.0),
    "R_all@3": (0.0, 1 / 6, 1.0),
    "Success@1": (0.0, 0.0, 0.0),
    "Success@2": (0.0, 0.5, 1.0),
    "Success@3": (0.0, 5 / 6, 1.0),
    "RR": (1 / 4, (1 / 2) / 2 + (1 / 3) / 3 + (1 / 6) / 4, 1 / 2),
    "RR@2": (0.0, 1 / 4, 1 / 2),
}


@pytest.mark.parametrize("name", sorted(HAND_COMPUTED))
def test_audit_against_hand_computed(name: str) -> None:
    found = audit(make_ties([[(2.0, 0), (1.0, 1), (1.0, 0), (1.0, 0), (1.0, 2)]]), parse(name))
    assert bounds(found) == pytest.approx(HAND_COMPUTED[name], abs=1e-15)
    assert found.is_tied_at_cut.tolist() == [name.endswith(("@2", "@3"))]


# Cut at 3. Scores -> whether tied at the cut, and whether the group of the third item goes on to the last.
CUTS = {
    "no ties": ([5, 4, 3, 2], False, False),
    "a group ends at the cut": ([5, 4, 4, 2], False, False),
    "a group begins behind the cut": ([5, 4, 3, 2, 2], False, False),
    "a group across the cut": ([5, 4, 3, 3, 2], True, False),
    "to the last item": ([5, 4, 3, 3, 3], True, True),
    "everything equal": ([1, 1, 1, 1], True, True),
    "the cut is the depth": ([5, 4, 3], False, True),
    "shorter than the cut": ([5, 4], False, True),
    "nothing": ([], False, False),
}


@pytest.mark.parametrize("case", sorted(CUTS))
def test_flags_against_hand_written(case: str) -> None:
    scores, is_tied, reaches = CUTS[case]
    ties = make_ties([[(float(score), 0) for score in scores]], [[1]])
    found = audit(ties, parse("R@3"))
    assert (found.is_tied_at_cut.tolist(), found.reaches_depth.tolist()) == ([is_tied], [reaches])
    whole = make_ties([[(float(score), 0) for score in scores]], [[1]], is_cut=np.zeros(1, dtype=bool))
    assert not audit(whole, parse("R@3")).reaches_depth.any(), "a ranking that holds everything has no depth"


def test_flags_of_a_measure_without_cutoff_follow_the_first_relevant_item() -> None:
    in_front, in_last = [(2.0, 1), (2.0, 0), (1.0, 0)], [(2.0, 0), (1.0, 0), (1.0, 1)]
    found = audit(make_ties([in_front, in_last, [(1.0, 0)]], [(), (), [1]]), parse("RR"))
    assert found.reaches_depth.tolist() == [False, True, False]
    assert found.is_tied_at_cut.tolist() == [False, False, False]


@pytest.mark.parametrize("name", NAMES)
def test_queries_without_results_or_relevance_keep_the_measure_s_own_values(name: str) -> None:
    found = audit(make_ties([[], [(1.0, 0), (1.0, 0)], []], [[1], [], []]), parse(name))
    for values in (found.value, found.optimistic, found.expected, found.pessimistic):
        assert values is not None
        np.testing.assert_array_equal(values, [0.0, NAN, NAN])


@pytest.mark.parametrize("name", NAMES)
def test_no_queries(name: str) -> None:
    assert audit(make_ties([]), parse(name)).value.shape == (0,)


@pytest.mark.parametrize("name", NAMES)
def test_without_ties_all_values_are_the_value(name: str) -> None:
    rng = np.random.default_rng(3)
    items = [[(float(-rank), int(gain)) for rank, gain in enumerate(rng.integers(0, 3, 30))] for _ in range(50)]
    found = audit(make_ties(items, [[1, 2]] * 50), parse(name))
    for values in (found.optimistic, found.expected, found.pessimistic):
        np.testing.assert_array_equal(values, found.value)
    assert not found.is_tied_at_cut.any()


def test_scores_equal_to_nine_decimals_tie_as_in_the_ranking() -> None:
    assert DECIMALS == ranking.DECIMALS
    near, apart = [(1.0, 0), (1.0 - 1e-11, 1)], [(1.0, 0), (1.0 - 1e-8, 1)]
    found = audit(make_ties([near, apart]), parse("Success@1"))
    assert found.is_tied_at_cut.tolist() == [True, False]
    assert found.optimistic.tolist() == [1.0, 0.0]


def test_last_digit_may_rise_inside_a_tie() -> None:
    """`released` sorts by the full score, so a list ordered by the rule of another may rise in its last digit."""
    assert make_ties([[(0.3, 0), (0.1 + 0.2, 1)]]).starts.tolist() == [[0, 0]]


def test_negative_gain_is_not_relevant() -> None:
    found = audit(make_ties([[(1.0, -1), (1.0, 1)]]), parse("nDCG@1"))
    assert bounds(found) == (0.0, 0.5, 1.0)


def test_pool_recall_is_refused() -> None:
    with pytest.raises(BenchError, match=r"pool_R@30 has no tie audit"):
        audit(make_ties([[(1.0, 1)]]), parse("pool_R@30"))


def test_measure_without_a_closed_form_has_bounds_only() -> None:
    class Precision:
        cutoff = 1
        unanswered: ClassVar[float] = 0.0
        without_relevance: ClassVar[float] = NAN

        def values(self, judged: Judged) -> Any:
            return (judged.gains[:, :1] > 0).mean(axis=1)

    found = audit(make_ties([[(1.0, 0), (1.0, 1)]]), Precision())
    assert found.expected is None
    assert (found.pessimistic.tolist(), found.optimistic.tolist()) == ([0.0], [1.0])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, 1, 1.0), (0, 2, 2.0)], "query_index 0. have scores that rise with the rank"),
        ([(0, 1, None)], "have scores that are not finite"),
        ([(0, 1, NAN)], "have scores that are not finite"),
        ([(0, 1, 2.0), (0, 3, 1.0)], "have ranks other than 1, 2, 3"),
        ([(0, 1, 2.0), (0, 1, 2.0)], "have ranks other than 1, 2, 3"),
        ([(0, 0, 2.0)], "have ranks other than 1, 2, 3"),
        ([(1, 1, 2.0)], "query_index 1 to 1 came; expected 0 to 0"),
        ([(-1, 1, 2.0)], "query_index -1 to -1 came"),
    ],
)
def test_what_is_no_ranking_is_refused(rows: list[tuple[int, int, float | None]], message: str) -> None:
    columns = {"query_index": pl.Int32, "rank": pl.Int32, "score": pl.Float64}
    table = pl.DataFrame(rows, schema=columns, orient="row").with_columns(gain=pl.lit(1))
    with pytest.raises(BenchError, match=message):
        find_ties(table, np.ones((1, 1), dtype=np.int64))


@pytest.fixture(scope="module")
def ir_measures() -> Iterator[Any]:
    with warnings.catch_warnings():
        # Importing ir_measures touches deprecated interfaces of packaging and pkg_resources: not ours to fix.
        warnings.simplefilter("ignore", DeprecationWarning)
        import ir_measures as module
    yield module


def random_rankings(n_queries: int, depth: int) -> list[list[tuple[float, int]]]:
    rng = np.random.default_rng(8)
    made = []
    for _ in range(n_queries):
        scores = np.sort(rng.integers(0, 6, depth))[::-1].astype(float)
        made.append(list(zip(scores.tolist(), rng.choice(4, depth, p=[0.7, 0.15, 0.1, 0.05]).tolist(), strict=True)))
    return made


@pytest.mark.parametrize("bound", ["optimistic", "pessimistic"])
def test_bounds_against_trec_eval_with_ids_that_know_the_gain(ir_measures: Any, bound: str) -> None:
    """trec_eval puts the larger id first among equal scores: ids that sort by gain make it the best or worst order."""
    items = random_rankings(40, 20)
    sign = 1 if bound == "optimistic" else -1
    ids = [[f"{50 + sign * gain}-{place:02}" for place, (_, gain) in enumerate(one)] for one in items]
    run, qrels = [], []
    for query, (one, names) in enumerate(zip(items, ids, strict=True)):
        for (score, gain), name in zip(one, names, strict=True):
            run.append(ir_measures.ScoredDoc(f"q{query}", name, score))
            qrels.append(ir_measures.Qrel(f"q{query}", name, gain))
    names = ["nDCG@10", "nDCG@3", "R@5", "RR", "Success@1", "Success@5"]
    parsed = [ir_measures.parse_measure(name) for name in names]
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(parsed, qrels, run)}
    ties = make_ties(items)
    is_judged = ties.ideal[:, 0] > 0
    for name in names:
        ours = getattr(audit(ties, parse(name)), bound)
        expected = [theirs[f"q{query}", name] for query in np.flatnonzero(is_judged)]
        assert ours[is_judged] == pytest.approx(expected, abs=1e-12), name


def test_ten_variants_of_500_queries_take_less_than_a_second() -> None:
    items = random_rankings(500, 30)
    table = pl.DataFrame(
        [(q, rank, s, g) for q, one in enumerate(items) for rank, (s, g) in enumerate(one, start=1)],
        schema=["query_index", "rank", "score", "gain"],
        orient="row",
    )
    ideal = np.ones((500, 5), dtype=np.int64)
    began = time.process_time()
    for _ in range(10):
        ties = find_ties(table, ideal)
        for name in ("nDCG@10", "R@10", "Success@5", "R_all@5", "RR"):
            audit(ties, parse(name))
    assert time.process_time() - began < 1.0

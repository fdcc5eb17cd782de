"""Combiners, ranks and the choice of a weight against formulas of three lines and brute force."""

import itertools
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.candidates.combination import min_max, reciprocal_ranks, weighted, z_normalised
from tasks.candidates.fusion import reciprocal_rank_fusion
from tasks.candidates.ranking import TieOrder, TieRule
from tasks.candidates.rankings import ranked_places, tie_priority
from tasks.selection.folds import Folds, leave_one_group_out, seeded_folds
from tasks.selection.weights import GRID, choose

SETTINGS = settings(max_examples=100, deadline=None)
SETS = st.lists(st.lists(st.floats(-50, 50, width=32), max_size=9), max_size=6)
TIED = st.lists(st.lists(st.sampled_from([0.0, 0.3, 0.1 + 0.2, 2.0]), max_size=8), max_size=6)


def _ragged(sets: list[list[float]]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    return np.array([x for values in sets for x in values], float), np.cumsum([0, *map(len, sets)])


def _z(x: list[float]) -> list[float]:
    mean = sum(x) / len(x) if x else 0.0
    sd = (sum((value - mean) ** 2 for value in x) / len(x)) ** 0.5 if x else 0.0
    return [0.0 if sd < 1e-9 else (value - mean) / sd for value in x]


@SETTINGS
@given(SETS)
def test_z_against_the_formula(sets: list[list[float]]) -> None:
    expected = [value for values in sets for value in _z(values)]
    np.testing.assert_allclose(z_normalised(*_ragged(sets)), expected, rtol=1e-6, atol=1e-6)


@SETTINGS
@given(SETS)
def test_min_max_against_the_formula(sets: list[list[float]]) -> None:
    spreads = [max(values) - min(values) if values else 0.0 for values in sets]
    expected = [
        0.0 if spread < 1e-9 else (value - min(values)) / spread
        for values, spread in zip(sets, spreads, strict=True)
        for value in values
    ]
    np.testing.assert_allclose(min_max(*_ragged(sets)), expected, rtol=1e-12, atol=0)


@SETTINGS
@given(SETS, st.floats(0.1, 10), st.floats(-10, 10))
def test_the_unit_and_the_origin_of_a_score_do_not_matter(sets: list[list[float]], unit: float, origin: float) -> None:
    scores, offsets = _ragged([[round(value) for value in values] for values in sets])
    for normalise in (z_normalised, min_max):
        moved = normalise(scores * unit + origin, offsets)
        np.testing.assert_allclose(moved, normalise(scores, offsets), rtol=1e-9, atol=1e-9)


@SETTINGS
@given(TIED, st.sampled_from([TieRule.OPAQUE, TieRule.EARLIEST, TieRule.TREC_EVAL]))
def test_ranks_against_the_tie_order(sets: list[list[float]], rule: TieRule) -> None:
    """Set by set, what `TieOrder.top` says; the documents of a set are not in source order."""
    scores, offsets = _ragged(sets)
    n = len(scores)
    order = TieOrder(rule, [f"key-{i}" for i in range(n)], [f"id-{i:03}" for i in range(n)])
    documents = np.random.default_rng(n).permutation(n)
    places = ranked_places(scores, offsets, tie_priority(order, n)[documents])
    for start, stop in itertools.pairwise(offsets.tolist()):
        best_first = order.top(scores[start:stop], documents[start:stop], stop - start)
        assert np.argsort(places[start:stop]).tolist() == best_first.tolist()


@SETTINGS
@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(0, 90), st.integers(0, 1))
def test_reciprocal_ranks_against_the_fusion_of_whole_lists(
    first: list[int], second: list[int], rrf_k: int, origin: int
) -> None:
    """A list here is the documents in their order; `reciprocal_ranks` wants the rank of each document."""
    if rrf_k + origin == 0:
        rrf_k = 1
    fused = reciprocal_rank_fusion(np.array(first), np.array(second), rrf_k=rrf_k, rank_origin=origin)
    found = reciprocal_ranks(np.argsort(first), np.argsort(second), rrf_k=rrf_k, rank_origin=origin)
    np.testing.assert_allclose(found[fused.documents], fused.rrf, rtol=1e-14)


@SETTINGS
@given(st.data())
def test_choice_against_brute_force(data: st.DataObject) -> None:
    """For each fold: walk the settings, keep the first with the best exact mean over the other folds' questions."""
    n, n_settings = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 5))
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n).filter(lambda g: len(set(g)) > 1))
    defined = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    bits = st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n_settings, max_size=n_settings)
    hits = data.draw(bits)
    others = [[i for i in range(n) if groups[i] != name and defined[i]] for name in sorted(set(groups))]
    if not all(others):
        return
    choices = choose(np.array(hits), np.array(defined), leave_one_group_out(groups))
    for choice, development in zip(choices, others, strict=True):
        best, best_mean = -1, Fraction(-1)
        for setting in range(n_settings):
            mean = Fraction(sum(hits[setting][i] for i in development), len(development))
            if mean > best_mean:
                best, best_mean = setting, mean
        assert (choice.setting, choice.n_development) == (best, len(development))
        assert choice.development_value == float(best_mean)


@SETTINGS
@given(st.data())
def test_labels_of_a_held_out_fold_do_not_reach_its_choice(data: st.DataObject) -> None:
    n = 12
    folds = Folds(np.arange(n, dtype=np.int32) % 3, ("a", "b", "c"))
    hits = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=4, max_size=4)))
    changed = hits.copy()
    changed[:, folds.fold == 1] = ~hits[:, folds.fold == 1]
    before, after = (choose(found, np.ones(n, bool), folds)[1] for found in (hits, changed))
    assert before == after


@SETTINGS
@given(st.integers(2, 30), st.integers(2, 6), st.integers(0, 5), st.randoms(use_true_random=False))
def test_folds_do_not_depend_on_the_order_of_rows(n: int, n_folds: int, seed: int, random: object) -> None:
    if n < n_folds:
        return
    ids = [f"q{i}" for i in range(n)]
    plain = dict(zip(ids, seeded_folds(ids, n_folds, seed).fold.tolist(), strict=True))
    random.shuffle(ids)  # type: ignore[attr-defined]
    assert dict(zip(ids, seeded_folds(ids, n_folds, seed).fold.tolist(), strict=True)) == plain
    sizes = np.bincount(list(plain.values()), minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1


@SETTINGS
@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_ends_of_the_grid_are_the_lists_themselves(bm25: float, dense: float) -> None:
    ends = [weighted(alpha, np.array([bm25]), np.array([dense]))[0] for alpha in (GRID[0], GRID[-1])]
    assert ends == [dense, bm25]

"""Properties of the one place that orders scores."""

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.candidates.fusion import reciprocal_rank_fusion
from tasks.candidates.ranking import TieOrder, TieRule

SETTINGS = settings(max_examples=100, deadline=None)
RULES = st.sampled_from(TieRule)
SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=1, max_size=40)


def _order(rule: TieRule, n: int, seed: int = 0) -> TieOrder:
    return TieOrder(rule, [f"key-{i}" for i in range(n)], [f"id-{i:03}" for i in range(n)], seed=seed)


def _arrays(scores: list[float]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    return np.array(scores), np.arange(len(scores))


@SETTINGS
@given(SCORES, RULES, st.integers(0, 45))
def test_top_k_is_a_prefix_of_the_ranking(scores: list[float], rule: TieRule, k: int) -> None:
    order, (values, documents) = _order(rule, len(scores)), _arrays(scores)
    for top in (order.top, order.top_bm25, order.top_fused):
        whole = top(values, documents, len(scores)).tolist()
        assert sorted(whole) == list(range(len(scores)))
        assert top(values, documents, k).tolist() == whole[:k]


@SETTINGS
@given(SCORES, RULES)
def test_scores_never_increase(scores: list[float], rule: TieRule) -> None:
    order, (values, documents) = _order(rule, len(scores)), _arrays(scores)
    for top in (order.top, order.top_bm25, order.top_fused):
        assert np.all(np.diff(values[top(values, documents, len(scores))]) <= 0)


@SETTINGS
@given(SCORES, st.randoms(use_true_random=False), st.sampled_from([TieRule.OPAQUE, TieRule.TREC_EVAL]))
def test_source_order_does_not_matter(scores: list[float], random: object, rule: TieRule) -> None:
    """Shuffle the corpus: under rules that know only names, the same names come out in the same order."""
    n = len(scores)
    shuffled = list(range(n))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    keys, ids = [f"key-{i}" for i in range(n)], [f"id-{i:03}" for i in range(n)]
    plain = TieOrder(rule, keys, ids)
    mixed = TieOrder(rule, [keys[i] for i in shuffled], [ids[i] for i in shuffled])
    values, documents = _arrays(scores)
    expected = [ids[i] for i in plain.top(values, documents, n)]
    assert [ids[shuffled[i]] for i in mixed.top(values[shuffled], documents, n)] == expected


@SETTINGS
@given(SCORES)
def test_renaming_ids_changes_nothing_under_opaque(scores: list[float]) -> None:
    n = len(scores)
    keys = [f"key-{i}" for i in range(n)]
    values, documents = _arrays(scores)
    ours = TieOrder(TieRule.OPAQUE, keys, [f"answer_{i}" for i in range(n)]).top(values, documents, n)
    theirs = TieOrder(TieRule.OPAQUE, keys, [f"{n - i}" for i in range(n)]).top(values, documents, n)
    assert ours.tolist() == theirs.tolist()


LISTS = st.lists(st.integers(0, 30), unique=True, max_size=20)


@SETTINGS
@given(LISTS, LISTS, st.sampled_from([0, 1]))
def test_fusion_against_its_definition(first: list[int], second: list[int], origin: int) -> None:
    fused = reciprocal_rank_fusion(np.array(first, np.int64), np.array(second, np.int64), rrf_k=60, rank_origin=origin)
    assert sorted(fused.documents.tolist()) == sorted({*first, *second})
    for document, score in zip(fused.documents.tolist(), fused.rrf.tolist(), strict=True):
        ranks = [ranked.index(document) + origin for ranked in (first, second) if document in ranked]
        assert abs(score - sum(1 / (60 + rank) for rank in ranks)) < 1e-15

import numpy as np
import pytest

from tasks.candidates.fusion import ABSENT, reciprocal_rank_fusion
from tasks.candidates.ranking import TieOrder, TieRule
from tasks.randomness import opaque_key

IDS = ["b", "d", "a", "c"]
KEYS = ["k0", "k1", "k2", "k3"]
ALL = np.arange(4)


def _order(rule: TieRule, seed: int = 0) -> TieOrder:
    return TieOrder(rule, KEYS, IDS, seed=seed)


def test_opaque_orders_by_keyed_hash() -> None:
    expected = sorted(range(4), key=lambda i: opaque_key(KEYS[i], seed=5))
    assert _order(TieRule.OPAQUE, seed=5).top(np.zeros(4), ALL, 4).tolist() == expected


def test_a_sum_in_another_order_is_a_tie() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in their last digit: the rule decides, not the order of terms."""
    order = TieOrder(TieRule.EARLIEST, ["a", "b"], ["a", "b"])
    one, two = 0.3 + 0.2 + 0.1, 0.1 + 0.2 + 0.3
    assert one < two
    assert order.top(np.array([one, two]), np.array([0, 1]), 2).tolist() == [0, 1]
    assert order.top(np.array([one, two + 1e-6]), np.array([0, 1]), 2).tolist() == [1, 0]


def test_opaque_seed_changes_the_order() -> None:
    orders = {tuple(_order(TieRule.OPAQUE, seed).top(np.zeros(4), ALL, 4).tolist()) for seed in range(10)}
    assert len(orders) > 1


def test_earliest_is_source_order() -> None:
    scores = np.array([1.0, 2.0, 2.0, 1.0])
    assert _order(TieRule.EARLIEST).top(scores, ALL, 4).tolist() == [1, 2, 0, 3]
    assert _order(TieRule.EARLIEST).top(scores, ALL, 3).tolist() == [1, 2, 0]


def test_earliest_looks_at_documents_not_at_places() -> None:
    assert _order(TieRule.EARLIEST).top(np.zeros(3), np.array([3, 0, 2]), 3).tolist() == [1, 2, 0]


def test_trec_eval_is_descending_id() -> None:
    assert [IDS[i] for i in _order(TieRule.TREC_EVAL).top(np.zeros(4), ALL, 4)] == ["d", "c", "b", "a"]


def test_trec_eval_rule_against_ir_measures() -> None:
    """Reciprocal rank of the only relevant document among equals reveals trec_eval's place for it."""
    ir_measures = pytest.importorskip("ir_measures")
    order = _order(TieRule.TREC_EVAL).top(np.zeros(4), ALL, 4).tolist()
    run = [ir_measures.ScoredDoc("q", name, 1.0) for name in IDS]
    for place, document in enumerate(order):
        qrels = [ir_measures.Qrel("q", IDS[document], 1)]
        (value,) = ir_measures.pytrec_eval.iter_calc([ir_measures.RR], qrels, run)
        assert value.value == pytest.approx(1 / (place + 1))


def test_released_bm25_is_numpy_argsort_reversed() -> None:
    scores = np.random.default_rng(0).integers(0, 4, size=200).astype(np.float64)
    documents = np.arange(200)
    order = TieOrder(TieRule.RELEASED, [str(i) for i in documents], [str(i) for i in documents])
    assert order.top_bm25(scores, documents, 30).tolist() == np.argsort(scores)[::-1][:30].tolist()
    assert order.top(scores, documents, 30).tolist() == np.argsort(-scores, kind="stable")[:30].tolist()


def test_released_fusion_puts_dense_first() -> None:
    fused = reciprocal_rank_fusion(np.array([3, 1]), np.array([0, 2]), rank_origin=0)
    order = _order(TieRule.RELEASED).top_fused(fused.rrf, fused.documents, 4)
    assert fused.documents[order].tolist() == [3, 0, 1, 2]
    order = _order(TieRule.EARLIEST).top_fused(fused.rrf, fused.documents, 4)
    assert fused.documents[order].tolist() == [0, 3, 1, 2]


@pytest.mark.parametrize("rule", TieRule)
def test_nothing_to_rank(rule: TieRule) -> None:
    empty = np.empty(0, np.int64)
    order = TieOrder(rule, [], [])
    for top in (order.top, order.top_bm25, order.top_fused):
        assert top(np.empty(0), empty, 30).tolist() == []


def test_equal_keys_do_not_confuse_opaque() -> None:
    assert sorted(TieOrder(TieRule.OPAQUE, ["x", "x"], ["a", "b"]).top(np.zeros(2), np.arange(2), 2)) == [0, 1]


@pytest.mark.parametrize(("origin", "best"), [(0, 1 / 60 + 1 / 61), (1, 1 / 61 + 1 / 62)])
def test_rrf_against_hand_computed(origin: int, best: float) -> None:
    fused = reciprocal_rank_fusion(np.array([5, 6]), np.array([7, 5]), rank_origin=origin)
    assert fused.documents.tolist() == [5, 6, 7]
    assert fused.first_rank.tolist() == [0, 1, ABSENT]
    assert fused.second_rank.tolist() == [1, ABSENT, 0]
    assert fused.rrf.tolist() == [best, 1 / (61 + origin), 1 / (60 + origin)]


def test_rrf_of_empty_lists() -> None:
    empty = np.empty(0, np.int64)
    assert reciprocal_rank_fusion(empty, empty).documents.tolist() == []
    assert reciprocal_rank_fusion(empty, np.array([4])).documents.tolist() == [4]

"""Values of each measure, and of the queries that have none."""

import math

import numpy as np
import polars as pl
import pytest

from tasks.measures.judged import Judged, evaluate, fold, judge
from tasks.measures.names import MeasureParams, parse
from tasks.records import BenchError

NAMES = [*MeasureParams().names, "RR@2", "R@1", "R_all@2"]
NAN = float("nan")


def make_judged(
    rankings: dict[int, list[int]], relevance: dict[int, dict[int, int]], n_queries: int, *, is_reranked: bool = True
) -> Judged:
    ranked = pl.DataFrame(
        [
            (query, rank, document, 1.0 if is_reranked else None, rank - 1)
            for query, documents in rankings.items()
            for rank, document in enumerate(documents, start=1)
        ],
        schema={
            "query_index": pl.Int32,
            "rank": pl.Int32,
            "item_index": pl.Int32,
            "logit": pl.Float64,
            "initial_position": pl.Int32,
        },
        orient="row",
    )
    relevant = pl.DataFrame(
        [(query, document, gain) for query, gains in relevance.items() for document, gain in gains.items()],
        schema={"query_index": pl.Int32, "item_index": pl.Int32, "gain": pl.Int32},
        orient="row",
    )
    return judge(ranked, relevant, n_queries)


# One query: documents 5, 2, 9, 7 ranked; 2 has gain 2, 7 gain 1, 8 (not ranked) gain 1.
IDEAL = 2 + 1 / math.log2(3) + 1 / 2
IDEAL_EXP = 3 + 1 / math.log2(3) + 1 / 2
HAND_COMPUTED = {
    "nDCG@10": (2 / math.log2(3) + 1 / math.log2(5)) / IDEAL,
    "nDCG@2": (2 / math.log2(3)) / (2 + 1 / math.log2(3)),
    "nDCG(dcg='exp-log2')@10": (3 / math.log2(3) + 1 / math.log2(5)) / IDEAL_EXP,
    # LongMemEval's own: ranks 1 and 2 undiscounted, then log2(rank); the ideal has gains 2, 1, 1.
    "nDCG(dcg='longmemeval')@10": (2 + 1 / 2) / (2 + 1 + 1 / math.log2(3)),
    "R@2": 1 / 3,
    "R@30": 2 / 3,
    "R_all@5": 0.0,
    "pool_R@30": 2 / 3,
    "RR": 1 / 2,
    "RR@1": 0.0,
    "Success@1": 0.0,
    "Success@2": 1.0,
}


@pytest.mark.parametrize("name", sorted(HAND_COMPUTED))
def test_value_against_hand_computed(name: str) -> None:
    judged = make_judged({0: [5, 2, 9, 7]}, {0: {2: 2, 7: 1, 8: 1}}, 1)
    assert evaluate(parse(name), judged) == pytest.approx([HAND_COMPUTED[name]], abs=1e-15)


def test_folding_counts_an_item_once_at_its_first_rank() -> None:
    """Documents 0, 1, 2, 3 of items 5, 5, 6, 5: ranked 1, 0, 2, 3, and in the pool 3, 2, 1, 0."""
    ranked = pl.DataFrame(
        {
            "query_index": [0] * 4,
            "rank": [1, 2, 3, 4],
            "document_index": [1, 0, 2, 3],
            "logit": [4.0, 3.0, 2.0, 1.0],
            "initial_position": [2, 3, 1, 0],
        },
        schema_overrides={"query_index": pl.Int32, "rank": pl.Int32, "document_index": pl.Int32},
    )
    items = fold(ranked, np.array([5, 5, 6, 5], dtype=np.int32))
    assert items.select("item_index", "rank", "logit", "initial_position").rows() == [(5, 1, 4.0, 0), (6, 2, 2.0, 1)]
    unfolded = fold(ranked, np.arange(4, dtype=np.int32))
    assert unfolded["item_index"].to_list() == [1, 0, 2, 3]


def test_folding_joins_the_first_k_distinct_sessions_as_part_c_does() -> None:
    """The effective k grows until k distinct sessions are seen: with k = 2, the third turn counts."""
    ranked = pl.DataFrame(
        {
            "query_index": [0] * 3,
            "rank": [1, 2, 3],
            "document_index": [0, 1, 2],
            "logit": [None] * 3,
            "initial_position": [0, 1, 2],
        },
        schema_overrides={"query_index": pl.Int32, "rank": pl.Int32, "document_index": pl.Int32, "logit": pl.Float64},
    )
    relevant = pl.DataFrame({"query_index": [0], "item_index": [9], "gain": [1]})
    judged = judge(fold(ranked, np.array([8, 8, 9], dtype=np.int32)), relevant, 1)
    assert evaluate(parse("Success@2"), judged).tolist() == [1.0]
    assert evaluate(parse("Success@1"), judged).tolist() == [0.0]


@pytest.mark.parametrize("name", NAMES)
def test_perfect_ranking_has_one(name: str) -> None:
    judged = make_judged({0: [4]}, {0: {4: 3}}, 1)
    assert evaluate(parse(name), judged).tolist() == [1.0]


def test_ideal_is_over_all_relevant_items_cut_at_the_rank() -> None:
    judged = make_judged({0: list(range(10))}, {0: dict.fromkeys(range(12), 1)}, 1)
    assert evaluate(parse("nDCG@10"), judged).tolist() == [1.0]
    assert evaluate(parse("R@30"), judged).tolist() == [10 / 12]


def test_all_relevant_needs_every_item() -> None:
    judged = make_judged({0: [1, 2, 3], 1: [1, 2, 3]}, {0: {1: 1, 3: 1}, 1: {1: 1, 2: 1}}, 2)
    assert evaluate(parse("R_all@2"), judged).tolist() == [0.0, 1.0]


def test_pool_recall_reads_the_pool_in_first_stage_order() -> None:
    ranked = pl.DataFrame(
        {
            "query_index": [0, 0, 0],
            "rank": [1, 2, 3],
            "item_index": [7, 8, 9],
            "logit": [3.0, 2.0, 1.0],
            "initial_position": [2, 0, 1],
        }
    )
    relevant = pl.DataFrame({"query_index": [0], "item_index": [7], "gain": [1]})
    judged = judge(ranked, relevant, 1)
    assert evaluate(parse("pool_R@2"), judged).tolist() == [0.0]
    assert evaluate(parse("pool_R@3"), judged).tolist() == [1.0]
    assert evaluate(parse("R@1"), judged).tolist() == [1.0]


def test_pool_recall_is_undefined_without_reranking() -> None:
    judged = make_judged({0: [1]}, {0: {1: 1}, 1: {1: 1}}, 2, is_reranked=False)
    assert np.isnan(evaluate(parse("pool_R@30"), judged)).all()


# The five emptinesses: (ranked, relevant, value of every measure)
EMPTINESSES = {
    "results without judgements": ({0: [1, 2]}, {}, [NAN]),
    "judgements without results": ({}, {0: {1: 1}}, [0.0]),
    "a query without judgements beside one with": ({0: [1], 1: [1]}, {1: {1: 1}}, [NAN, 1.0]),
    "a query without results beside one with": ({1: [1]}, {0: {1: 1}, 1: {1: 1}}, [0.0, 1.0]),
    "both empty": ({}, {}, [NAN]),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("emptiness", sorted(EMPTINESSES))
def test_five_emptinesses(name: str, emptiness: str) -> None:
    rankings, relevance, expected = EMPTINESSES[emptiness]
    values = evaluate(parse(name), make_judged(rankings, relevance, len(expected)))
    if name.startswith("pool_R") and not rankings:
        assert np.isnan(values).all()  # nothing shows that this variant reranks
    else:
        assert values.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_measure_declares_its_values_of_nothing(name: str) -> None:
    measure = parse(name)
    assert measure.unanswered == 0.0
    assert math.isnan(measure.without_relevance)


def test_gains_below_one_are_not_relevant() -> None:
    judged = make_judged({0: [1, 2]}, {0: {1: -1, 2: 1, 3: 0}}, 1)
    assert evaluate(parse("RR"), judged).tolist() == [0.5]
    assert evaluate(parse("R@30"), judged).tolist() == [1.0]


@pytest.mark.parametrize("documents", [[3, 3], [1, 2, 1]])
def test_document_ranked_twice_is_refused(documents: list[int]) -> None:
    with pytest.raises(BenchError, match=r"query_index 0.*item twice"):
        make_judged({0: documents}, {0: {3: 1}}, 1)


@pytest.mark.parametrize("name", NAMES)
def test_name_parses_back(name: str) -> None:
    assert str(parse(name)) == name


@pytest.mark.parametrize("name", ["ndcg@10", "nDCG", "R@0", "R@", "R@5.0", "nDCG(dcg='log')@10", "recall@5", ""])
def test_unknown_name_lists_the_forms(name: str) -> None:
    with pytest.raises(BenchError, match=r"is unknown; expected RR or one of: nDCG@k"):
        parse(name)


def test_params_name_every_offender() -> None:
    with pytest.raises(ValueError, match=r"(?s)'Hit@1' is unknown.*'recall' is unknown.*'RR' comes twice"):
        MeasureParams(names=("recall", "Hit@1", "RR", "RR"))

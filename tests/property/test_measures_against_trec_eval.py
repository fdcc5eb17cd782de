"""Our measures against trec_eval, through ir-measures, on random and on tied rankings."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.measures.judged import evaluate, judge
from tasks.measures.names import parse

NAMES = ["nDCG@10", "nDCG@3", "R@5", "R@30", "RR", "RR@5", "Success@1", "Success@5"]
N_QUERIES, N_DOCUMENTS = 60, 40


@pytest.fixture(scope="module")
def ir_measures() -> Iterator[Any]:
    with warnings.catch_warnings():
        # Importing ir_measures touches deprecated interfaces of packaging and pkg_resources: not ours to fix.
        warnings.simplefilter("ignore", DeprecationWarning)
        import ir_measures as module
    yield module


def random_case(seed: int, *, is_tied: bool) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return scores, rankings and relevance. Tied scores are ordered as trec_eval does: by id, descending."""
    rng = np.random.default_rng(seed)
    scores = pl.concat(
        pl.DataFrame(
            {
                "query_index": np.full(n, query),
                "item_index": rng.permutation(N_DOCUMENTS)[:n],
                "score": rng.integers(0, 4, n).astype(float) if is_tied else rng.random(n),
            }
        )
        for query, n in enumerate(rng.integers(1, N_DOCUMENTS, N_QUERIES))
    )
    rankings = (
        scores.with_columns(document_id=pl.format("d{}", pl.col("item_index")))
        .sort("query_index", "score", "document_id", descending=[False, True, True])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_index"), logit=pl.lit(0.0))
        .with_columns(initial_position=pl.col("rank") - 1)
    )
    relevance = pl.concat(
        pl.DataFrame(
            {
                "query_index": np.full(n, query),
                "item_index": rng.permutation(N_DOCUMENTS)[:n],
                "gain": rng.integers(0, 4, n),
            }
        )
        for query, n in enumerate(rng.integers(1, 15, N_QUERIES))
    )
    return scores, rankings, relevance


@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_measures_against_trec_eval(ir_measures: Any, seed: int, is_tied: bool) -> None:
    scores, rankings, relevance = random_case(seed, is_tied=is_tied)
    qrels = [ir_measures.Qrel(f"q{q}", f"d{d}", int(gain)) for q, d, gain in relevance.iter_rows()]
    run = [ir_measures.ScoredDoc(f"q{q}", f"d{d}", float(score)) for q, d, score in scores.iter_rows()]
    judged = judge(rankings, relevance, N_QUERIES)
    parsed = [ir_measures.parse_measure(name) for name in NAMES]
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(parsed, qrels, run)}
    has_relevance = judged.n_relevant > 0
    assert has_relevance.sum() > 50
    for name in NAMES:
        if name == "RR@5" and is_tied:
            continue  # ir-measures takes a cut reciprocal rank from MS MARCO's script, which has another tie rule
        ours = evaluate(parse(name), judged)
        expected = [theirs[f"q{query}", name] for query in range(N_QUERIES) if has_relevance[query]]
        assert ours[has_relevance] == pytest.approx(expected, abs=1e-12), name
        assert np.isnan(ours[~has_relevance]).all(), name


def test_exponential_gain_against_a_loop() -> None:
    _, rankings, relevance = random_case(4, is_tied=False)
    values = evaluate(parse("nDCG(dcg='exp-log2')@10"), judge(rankings, relevance, N_QUERIES))
    for query in range(N_QUERIES):
        gains = {d: g for q, d, g in relevance.iter_rows() if q == query}
        order = rankings.filter(pl.col("query_index") == query)["item_index"].to_list()
        dcg = sum((2 ** gains.get(d, 0) - 1) / np.log2(i + 2) for i, d in enumerate(order[:10]))
        best = sum((2**g - 1) / np.log2(i + 2) for i, g in enumerate(sorted(gains.values(), reverse=True)[:10]))
        assert values[query] == pytest.approx(dcg / best if best else np.nan, nan_ok=True)


@pytest.mark.parametrize("name", [*NAMES, "R_all@5", "pool_R@30", "nDCG(dcg='exp-log2')@10"])
def test_values_do_not_depend_on_other_queries(name: str) -> None:
    _, rankings, relevance = random_case(5, is_tied=True)
    together = evaluate(parse(name), judge(rankings, relevance, N_QUERIES))
    for query in range(0, N_QUERIES, 7):
        mine = pl.col("query_index") == query
        alone = evaluate(parse(name), judge(rankings.filter(mine), relevance.filter(mine), N_QUERIES))
        np.testing.assert_array_equal(alone[query], together[query])

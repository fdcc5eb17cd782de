"""Answerable or not: the area under the ROC curve, and the distributions beside it."""

import math

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tasks.behaviour.answerability import SCHEMA, answerability, auroc


@pytest.mark.parametrize("seed", range(5))
def test_auroc_against_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    yes, no = rng.integers(0, 6, 40).astype(float), rng.integers(-2, 5, 9).astype(float)  # with ties
    expected = roc_auc_score([1] * len(yes) + [0] * len(no), np.concatenate([yes, no]))
    assert auroc(yes, no) == pytest.approx(expected, abs=1e-12)


def test_blocks_against_hand_computed() -> None:
    """Main scores 3 and 1, abstention 2: one of two pairs is in order. Adversarial questions take no part."""
    queries = pl.DataFrame({"query_index": range(5), "block": ["main", "main", "abstention", "adversarial", "main"]})
    rankings = pl.DataFrame(
        {"query_index": [0, 0, 1, 2, 3], "rank": [1, 2, 1, 1, 1], "score": [3.0, 9.0, 1.0, 2.0, 7.0]}
    )
    found = answerability(rankings, queries)
    assert (found.n_answerable, found.n_unanswerable, found.auroc) == (2, 1, 0.5)
    assert (found.answerable_median, found.unanswerable_median) == (2.0, 2.0)
    assert found.answerable_q05 == pytest.approx(1.1)


def test_without_unanswerable_questions_there_is_no_area() -> None:
    queries = pl.DataFrame({"query_index": [0], "block": ["main"]})
    found = answerability(pl.DataFrame({"query_index": [0], "rank": [1], "score": [1.0]}), queries)
    assert found.n_unanswerable == 0
    assert math.isnan(found.auroc) and math.isnan(found.unanswerable_median)


def test_counts_are_integers_and_the_rest_is_real() -> None:
    assert SCHEMA["n_answerable"] == pl.Int32()
    assert SCHEMA["auroc"] == pl.Float64()

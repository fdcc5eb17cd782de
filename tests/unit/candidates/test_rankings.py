"""The table of rankings, and scores that become ranks."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.candidates.ranking import TieOrder, TieRule
from tasks.candidates.rankings import (
    RANKINGS,
    ranked_places,
    ranking_table,
    read_rankings,
    tie_priority,
    write_rankings,
)
from tasks.records import BenchError


def _table() -> pl.DataFrame:
    """Query 2 with two candidates and query 5 with one; the scores of query 2 differ by dust."""
    queries, offsets = np.array([2, 5]), np.array([0, 2, 3])
    scores = np.array([0.3, 0.1 + 0.2, -0.0])
    places = ranked_places(scores, offsets, np.array([0, 1, 0]))
    return ranking_table(queries, offsets, np.array([7, 3, 4]), scores, places)


def test_table_against_hand_computed() -> None:
    table = _table()
    assert table.schema == pl.Schema(RANKINGS)
    assert table.rows() == [
        (2, 1, 7, 0.3, None, 0.0, 0),
        (2, 2, 3, 0.3, None, 0.0, 1),
        (5, 1, 4, 0.0, None, 0.0, 0),
    ]
    assert not np.signbit(table["score"][2])


@pytest.mark.parametrize("rule", [TieRule.OPAQUE, TieRule.EARLIEST, TieRule.TREC_EVAL])
def test_priority_against_the_tie_order(rule: TieRule) -> None:
    order = TieOrder(rule, [f"k{i}" for i in range(9)], [f"d{i}" for i in range(9)], seed=3)
    documents = np.array([8, 1, 5, 2])
    expected = order.top(np.zeros(4), documents, 4)
    assert np.argsort(tie_priority(order, 9)[documents]).tolist() == expected.tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_has_no_rank(bad: float) -> None:
    with pytest.raises(BenchError, match="1 of 2 scores are not finite"):
        ranked_places(np.array([1.0, bad]), np.array([0, 2]), np.array([0, 1]))


def test_written_is_what_is_read(tmp_path: Path) -> None:
    table = _table()
    write_rankings(table.with_columns(extra=1, rank=pl.col("rank").cast(pl.Int64)).reverse(), tmp_path)
    assert read_rankings(tmp_path).equals(table)
    assert read_rankings(tmp_path).schema == pl.Schema(RANKINGS)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="run the step that ranks"):
        read_rankings(tmp_path)
    with pytest.raises(BenchError, match="expected the columns query_index, rank"):
        write_rankings(_table().drop("logit"), tmp_path)
    with pytest.raises(BenchError, match="no table of rankings"):
        write_rankings(_table().with_columns(rank=pl.lit(2**40)), tmp_path)

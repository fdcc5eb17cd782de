"""Adaptive depth from two hand-written passes."""

from pathlib import Path

import polars as pl
import pytest

from tasks.candidates.rankings import RANKINGS
from tasks.corpora.samples import read_asked
from tasks.records import BenchError
from tasks.simulation.build_adaptive import build_second_pass, build_unsure

FIRST = {0: [5.0, 1.0], 1: [3.9, 3.0], 2: [4.0, -1.0]}
DEEP = {1: [6.0, 3.9, 3.0]}


def write_pass(directory: Path, logits: dict[int, list[float]]) -> Path:
    directory.mkdir()
    rows = [
        (query, place + 1, 10 * query + place, logit, logit, 0.0, place)
        for query, found in logits.items()
        for place, logit in enumerate(found)
    ]
    pl.DataFrame(rows, schema=RANKINGS, orient="row").write_parquet(directory / "rankings.parquet")
    return directory


def unsure_of(tmp_path: Path, first: Path, threshold: float) -> Path:
    out = tmp_path / f"unsure{threshold}"
    out.mkdir()
    build_unsure(first, threshold, out)
    return out


def test_unsure_is_whose_best_logit_is_below_the_threshold(tmp_path: Path) -> None:
    first = write_pass(tmp_path / "first", FIRST)
    assert read_asked(unsure_of(tmp_path, first, 4.0), 4).tolist() == [False, True, False, False]
    assert read_asked(unsure_of(tmp_path, first, 5.5), 4).tolist() == [True, True, True, False]


def test_the_second_pass_counts_where_the_first_was_unsure(tmp_path: Path) -> None:
    first, deep = write_pass(tmp_path / "first", FIRST), write_pass(tmp_path / "deep", DEEP)
    out = tmp_path / "out"
    out.mkdir()
    build_second_pass(first, unsure_of(tmp_path, first, 4.0), deep, out)
    found = pl.read_parquet(out / "rankings.parquet")
    assert dict(found.schema) == RANKINGS
    by_query = {query[0]: part["logit"].to_list() for query, part in found.group_by("query_index", maintain_order=True)}
    assert by_query == {0: [5.0, 1.0], 1: [6.0, 3.9, 3.0], 2: [4.0, -1.0]}


def test_a_second_pass_of_other_queries_is_refused(tmp_path: Path) -> None:
    first, deep = write_pass(tmp_path / "first", FIRST), write_pass(tmp_path / "deep", {0: [9.0]})
    with pytest.raises(BenchError, match="ranks 1 queries that the first was sure of"):
        build_second_pass(first, unsure_of(tmp_path, first, 4.0), deep, tmp_path)

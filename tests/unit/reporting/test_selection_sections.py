"""What was chosen out of sample, as tables and sections: every number from the handmade world."""

from pathlib import Path

import pytest

from tasks.reporting import schemas
from tasks.reporting.selection_schemas import ALPHA_CHOICES, ALPHA_CURVE, BM25_GRID, BM25_GRID_CHOICES
from tasks.reporting.selection_sections import bm25_grid, weights
from tasks.reporting.warehouse import read_facts
from tests.unit.reporting.handmade import World


def test_tables_hold_what_was_chosen(report_dir: Path) -> None:
    tables = report_dir / "tables"
    choices = schemas.read(tables, ALPHA_CHOICES)
    assert choices.select("variant", "group", "alpha").rows() == [("dense", "conv-1", 0.5), ("dense", "conv-2", 1.0)]
    assert schemas.read(tables, ALPHA_CURVE)["value"].to_list() == [0.2, 0.8, 0.6]
    assert schemas.read(tables, BM25_GRID)["idf"].to_list() == ["bm25l", "lucene", "lucene"]
    assert schemas.read(tables, BM25_GRID_CHOICES)["n_hits_held_out"].to_list() == [2, 1]


def test_weights_say_which_fold_chose_what(report_dir: Path) -> None:
    lines = weights(read_facts(report_dir), report_dir)
    assert "| dense | 0.50 | 1.00 |" in lines
    # The best is bold, what a fold chose has an arrow; 0 is neither.
    assert {"| 0.00 | 0.2000 |", "| 0.50 | **0.8000** ← |", "| 1.00 | 0.6000 ← |"} <= set(lines)


def test_grid_sets_the_ceiling_beside_what_is_held_out(report_dir: Path) -> None:
    lines = bm25_grid(read_facts(report_dir), report_dir)
    best = next(line for line in lines if line.startswith("| lucene"))
    assert best == "| lucene | 0.6 | 0.4 | 0.8000 |"
    assert any("2 folds" in line and "0.6000 held out, against 0.8000" in line for line in lines)  # 3 of 5


def test_a_run_that_chose_nothing_has_neither_section(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    bare = replace(world.inputs, fused={}, grid=None, latency=())
    monkeypatch.setattr(World, "inputs", property(lambda _: bare))
    report = world.report("bare", is_drawn=False)
    facts = read_facts(report)
    assert weights(facts, report) == bm25_grid(facts, report) == []

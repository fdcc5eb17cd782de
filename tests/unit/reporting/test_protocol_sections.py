"""Several protocols of one run: the section that sets them side by side, and the tables that hold them all."""

from pathlib import Path

import polars as pl
import pytest

from tasks.progress import silent
from tasks.reporting import build as builder
from tasks.reporting.markdown import render
from tasks.reporting.protocol_sections import protocols
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.warehouse import publish
from tests.unit.reporting.handmade import World, make_run

OTHER = "conversation-turn(qrels=patched)"


@pytest.fixture
def both(world: World) -> list[Path]:
    """The report of the main protocol, and one under which bm25 has 0.75 everywhere."""
    main = world.report(is_drawn=False)

    def lift(table: pl.DataFrame) -> pl.DataFrame:
        is_bm25 = (pl.col("variant") == "bm25") & (pl.col("measure") == "nDCG@10")
        value = "mean" if "mean" in table.columns else "value"
        lifted = [pl.when(is_bm25 & pl.col(name).is_not_nan()).then(0.75).otherwise(name).alias(name)
                  for name in (value, "lo", "hi") if name in table.columns]  # fmt: skip
        return table.with_columns(lifted)

    world.edit("metrics/query_metrics", lift)
    world.edit("significance/summary", lift)
    other = world.root / "other"
    builder.build("locomo", OTHER, world.inputs, builder.ReportParams(is_drawn=False), other, silent)
    return [main, other]


def test_a_column_per_protocol_with_its_own_means(both: list[Path]) -> None:
    lines = protocols(both)
    header = next(line for line in lines if line.startswith("| variant"))
    assert header == f"| variant | `conversation-turn` | `{OTHER}` |"
    bm25 = next(line for line in lines if line.startswith("| bm25")).split("|")
    assert bm25[2].strip().startswith("0.3260")  # (0.5 + 0 + 0 + 0.5 + 0.63) / 5, and the difference if shown
    assert bm25[3].strip().startswith("0.7500")
    assert any("judgements with the corrections of the overlay" in line for line in lines)


def test_a_run_with_one_protocol_has_no_such_section(both: list[Path], run_facts: RunFacts) -> None:
    assert protocols(both[:1]) == []
    assert "under other protocols" not in render(both[:1], run_facts)
    assert "under other protocols" in render(both, run_facts)


def test_tables_hold_every_protocol_and_the_ledger_once(both: list[Path], tmp_path: Path) -> None:
    publish(both, make_run("r1"), tmp_path)
    names = {}
    for table in ("queries", "query_metrics", "summary", "defects", "runs"):
        (path,) = tmp_path.glob(f"{table}/*/run_id=r1/*.parquet")
        names[table] = pl.read_parquet(path)
    alone = pl.read_parquet(both[0] / "tables" / "defects.parquet")
    assert names["defects"].equals(alone)
    for table in ("queries", "query_metrics", "summary"):
        assert set(names[table]["protocol"]) == {"conversation-turn", OTHER}
    assert names["runs"].select("protocol", "other_protocols").row(0) == ("conversation-turn", [OTHER])


def test_figures_are_drawn_of_the_main_protocol_only(both: list[Path]) -> None:
    assert not (both[1] / "figures").exists()

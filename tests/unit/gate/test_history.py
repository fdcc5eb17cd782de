"""The history: its views, also in a plain shell and before anything was accepted, and its figure."""

from pathlib import Path

import pytest

from tasks.gate.accepted import accept
from tasks.gate.history import draw_history, read_history
from tasks.gate.schemas import ACCEPTED, VERDICTS
from tasks.records import BenchError
from tasks.reporting.sql import open_warehouse
from tests.unit.gate.nights import BM25, RERANK, Night, judge, values

VIEWS = Path(__file__).resolve().parents[3] / "reports" / "views.sql"


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Three nights: the first one accepted, the last one worse."""
    root = tmp_path / "reports" / "warehouse"
    Night("a", 0).write(root)
    accept(root, "a", why="the first", by="Ada", git_commit="abc")
    for number, name in ((1, "b"), (2, "c")):
        columns = {BM25: list(values() * (0.5 if name == "c" else 1)), RERANK: list(values(seed=1))}
        artifacts = (("text/tokens", name, name), ("measures/query_metrics", f"m{name}", name))
        judge(root, Night(name, number, columns=columns, artifacts=artifacts).write(root))
    return root


def test_history_against_hand_computed(warehouse: Path) -> None:
    rows = read_history(warehouse, VIEWS).rows(named=True)
    assert [row["run_id"] for row in rows] == ["a", "b", "c"]
    assert [row["verdict"] for row in rows] == [None, "pass", "regress"]
    assert [row["is_accepted"] for row in rows] == [True, False, False]
    assert [row["accepted_run"] for row in rows] == [None, "a", "a"]
    best, base = values(seed=1).mean(), values().mean()
    assert [row["best_mean"] for row in rows] == pytest.approx([max(best, base), max(best, base), best])
    assert [row["baseline_mean"] for row in rows] == pytest.approx([base, base, base / 2])
    assert {row["seconds"] for row in rows} == {240.0}
    assert {row["n"] for row in rows} == {200}
    assert read_history(warehouse, VIEWS, last=1)["run_id"].to_list() == ["c"]


def test_the_last_verdict_and_the_counting_acceptance_are_shown(warehouse: Path) -> None:
    accept(warehouse, "c", why="meant", by="Ada", git_commit="abc")
    judge(warehouse, "c")
    rows = {row["run_id"]: row for row in read_history(warehouse, VIEWS).rows(named=True)}
    assert (rows["c"]["verdict"], rows["c"]["is_accepted"], rows["a"]["is_accepted"]) == ("pass", True, False)


def test_views_are_empty_before_anything_was_accepted(tmp_path: Path) -> None:
    Night("a").write(tmp_path)
    with open_warehouse(tmp_path, VIEWS) as opened:
        for table in (ACCEPTED, VERDICTS):
            found = [row[0] for row in opened.execute(f"DESCRIBE {table.name}").fetchall()]
            assert set(found) == {*table.schema, "dataset", "run_id"}
            assert opened.execute(f"SELECT count(*) FROM {table.name}").fetchone() == (0,)
    assert read_history(tmp_path, VIEWS)["verdict"].to_list() == [None]


def test_views_have_what_was_written(warehouse: Path) -> None:
    with open_warehouse(warehouse, VIEWS) as opened:
        assert opened.execute("SELECT run_id, why, accepted_by FROM accepted").fetchall() == [("a", "the first", "Ada")]
        assert opened.execute("SELECT run_id, verdict FROM verdicts ORDER BY run_id").fetchall() == [
            ("b", "pass"), ("c", "regress")
        ]  # fmt: skip


def test_figures_are_written_byte_for_byte_the_same(warehouse: Path, tmp_path: Path) -> None:
    history = read_history(warehouse, VIEWS)
    written = draw_history(history, tmp_path / "one" / "history.png")
    assert [path.name for path in written] == ["history.png", "history.svg"]
    again = draw_history(history, tmp_path / "two" / "history")
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]
    assert written[0].read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said_in_words(warehouse: Path, tmp_path: Path) -> None:
    history = read_history(warehouse, VIEWS)
    with pytest.raises(BenchError, match=r"ending '\.pdf'"):
        draw_history(history, tmp_path / "x.pdf")
    with pytest.raises(BenchError, match="no evaluation in the warehouse"):
        draw_history(history.clear(), tmp_path / "x.png")
    (tmp_path / "file").write_text("x")
    with pytest.raises(BenchError, match="cannot write the figure"):
        draw_history(history, tmp_path / "file" / "x.png")


def test_a_damaged_file_is_said_in_words(warehouse: Path) -> None:
    next((warehouse / "verdicts").rglob("*.parquet")).write_bytes(b"x")
    with pytest.raises(BenchError, match="parquet"):
        read_history(warehouse, VIEWS)

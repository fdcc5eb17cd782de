"""Hidden folders of publications: what killed processes left is removed, and nothing else."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.reporting import markdown, warehouse
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.scratch import abandoned_in, scratch_in
from tests.unit.reporting.handmade import make_run


@pytest.fixture
def dead_pid() -> int:
    """The number of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def visible(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("*/*/*/*") if path.is_file())


def left_by(pid: int, folder: Path, run_id: str) -> Path:
    path = scratch_in(folder, run_id)
    path = path.with_name(path.name.replace(f"-{os.getpid()}.tmp", f"-{pid}.tmp"))
    path.mkdir(parents=True)
    (path / "half").write_bytes(b"half")
    return path


def test_only_dead_processes_of_this_machine_have_abandoned_something(tmp_path: Path, dead_pid: int) -> None:
    ours = left_by(dead_pid, tmp_path, "20260101T000000Z-locomo-abc123")
    left_by(os.getpid(), tmp_path, "r2")
    (tmp_path / f".r3.0123abcd-other-machine-{dead_pid}.tmp").mkdir()
    (tmp_path / ".something-else.tmp").mkdir()
    assert list(abandoned_in(tmp_path)) == [("20260101T000000Z-locomo-abc123", ours)]


def test_a_sweep_of_reports_leaves_reports_and_work_in_hand(tmp_path: Path, dead_pid: int) -> None:
    left_by(dead_pid, tmp_path, "r1")
    alive, whole = left_by(os.getpid(), tmp_path, "r2"), tmp_path / "r3"
    whole.mkdir()
    markdown.sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([alive, whole])


def test_a_sweep_of_the_warehouse_removes_tables_of_the_killed_run_alone(
    report_dir: Path, tmp_path: Path, dead_pid: int
) -> None:
    warehouse.publish([report_dir], make_run("whole"), tmp_path)
    before = visible(tmp_path)
    for table in ("summary", "queries"):
        (tmp_path / table / "dataset=locomo" / "run_id=killed").mkdir()
        (tmp_path / table / "dataset=locomo" / "run_id=other").mkdir()
    left_by(dead_pid, tmp_path, "killed")
    left_by(dead_pid, tmp_path, "whole")  # killed after its last rename
    left_by(os.getpid(), tmp_path, "other")
    warehouse.sweep(tmp_path)
    assert not list(tmp_path.glob("*/*/run_id=killed"))
    assert len(list(tmp_path.glob("*/*/run_id=other"))) == 2
    assert visible(tmp_path) == before
    assert [path.name.startswith(".other.") for path in tmp_path.glob(".*")] == [True]


def test_a_run_that_was_killed_between_its_data_sets_is_removed_whole(
    report_dir: Path, tmp_path: Path, dead_pid: int
) -> None:
    warehouse.publish([report_dir], make_run("whole"), tmp_path)
    before = visible(tmp_path)
    warehouse.publish([report_dir], make_run("killed"), tmp_path)  # its second data set did not get its row
    (tmp_path / "summary" / "dataset=nfcorpus" / "run_id=killed").mkdir(parents=True)
    left = left_by(dead_pid, tmp_path, "killed")
    (left / "runs" / "dataset=nfcorpus" / "run_id=killed").mkdir(parents=True)
    warehouse.sweep(tmp_path)
    assert visible(tmp_path) == before
    assert not list(tmp_path.glob("*/*/run_id=killed"))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("n_renames", range(1, 18))
def test_an_interrupt_right_after_a_rename_is_taken_back(
    report_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_renames: int
) -> None:
    real: Callable[[Path, Path], Path] = Path.rename
    done: list[Path] = []

    def rename(self: Path, target: Path) -> Path:
        done.append(real(self, target))
        if len(done) == n_renames:
            raise KeyboardInterrupt
        return done[-1]

    monkeypatch.setattr(Path, "rename", rename)
    run: RunFacts = make_run()
    with pytest.raises(KeyboardInterrupt):
        warehouse.publish([report_dir], run, tmp_path)
    assert not visible(tmp_path)
    assert not warehouse.is_published(tmp_path, run.run_id)

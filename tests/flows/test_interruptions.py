"""Killed runs and edited code, with real processes: what is left, and what the next run of the same command does."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.flows.main_job import settings, table_hashes

pytestmark = pytest.mark.slow
CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300.0


class Bench:
    """The command line with a store, a reports folder and a Prefect home of its own."""

    def __init__(self, root: Path, checkout: Path = CHECKOUT, store: Path | None = None) -> None:
        self.root, self.checkout = root, checkout
        self.store, self.reports = store or root / "store", root / "reports"

    def start(self, *more: str) -> subprocess.Popen[str]:
        words = [word for setting in settings(*more) for word in ("--set", setting)]
        environment = {
            **os.environ,
            "MNEMOBENCH_STORE": str(self.store),
            "MNEMOBENCH_REPORTS": str(self.reports),
            "PREFECT_HOME": str(self.root / "prefect"),
            "PYTHONPATH": str(self.checkout),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "run", "--profile", "sample", *words],
            cwd=self.checkout,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, *more: str) -> str:
        """Run to the end; return the run's id."""
        before = self.run_ids()
        process = self.start(*more)
        output, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, output
        (new,) = self.run_ids() - before
        return new

    def run_ids(self) -> set[str]:
        return {path.parent.name for path in self.reports.glob("*/report.md")}

    def computed(self, run_id: str) -> list[str]:
        """Return the steps that a run computed, once each, in order."""
        (path,) = (self.reports / "warehouse" / "timings").glob(f"*/run_id={run_id}/*.parquet")
        steps = pl.read_parquet(path).filter(pl.col("state") == "computed")["step"].to_list()
        return list(dict.fromkeys(steps))

    def finished(self, stage: str) -> dict[str, int]:
        """Return the artifacts of a stage with the time of their manifest, ns."""
        return {path.parent.name: path.stat().st_mtime_ns for path in (self.store / stage).glob("[!.]*/manifest.json")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str]:
    bench = Bench(tmp_path_factory.mktemp("undisturbed"))
    return bench, bench.run()


@pytest.fixture
def bench(tmp_path: Path, undisturbed: tuple[Bench, str]) -> Bench:
    """A bench whose models are already fetched."""
    bench = Bench(tmp_path)
    shutil.copytree(undisturbed[0].store / "downloads", bench.store / "downloads")
    return bench


def interrupt(bench: Bench, stage: str, n_artifacts: int, number: signal.Signals) -> tuple[int, str]:
    """Send a signal to a run once `n_artifacts` of a stage are finished; return its exit code and output."""
    process = bench.start()
    end = time.monotonic() + PATIENCE_S
    while len(bench.finished(stage)) < n_artifacts:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.02)
    if number is signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does: every process of the group gets it
    else:
        process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    print(f"pid {process.pid} got {number.name} in {stage} and ended with {process.returncode}")  # noqa: T201
    assert survivors(bench) == [], "Prefect's server outlives the run"
    return process.returncode, output


def survivors(bench: Bench) -> list[str]:
    """Return the processes with the bench's Prefect home that are still there after ten seconds."""
    mark = f"PREFECT_HOME={bench.root / 'prefect'}".encode()
    for _ in range(100):
        found = [pid.name for pid in Path("/proc").glob("[0-9]*") if mark in environment_of(pid)]
        if not found:
            break
        time.sleep(0.1)
    return found


def environment_of(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(("stage", "n_artifacts"), [("embeddings", 4), ("reranking", 2), ("simulation", 2)])
def test_a_killed_run_resumes_and_its_tables_are_those_of_an_undisturbed_one(
    bench: Bench, undisturbed: tuple[Bench, str], stage: str, n_artifacts: int
) -> None:
    code, _ = interrupt(bench, stage, n_artifacts, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert bench.run_ids() == set()
    finished = bench.finished(stage)
    assert len(finished) >= n_artifacts
    run_id = bench.run()
    assert finished.items() <= bench.finished(stage).items(), "a finished shard was made again"
    assert len(bench.finished(stage)) > len(finished), "the kill came after the stage"
    assert not list(bench.store.glob("*/.*.tmp"))
    reference, reference_id = undisturbed
    assert table_hashes(bench.reports, run_id) == table_hashes(reference.reports, reference_id)


def test_ctrl_c_says_that_finished_work_is_kept(bench: Bench, undisturbed: tuple[Bench, str]) -> None:
    started = time.monotonic()
    code, output = interrupt(bench, "reranking", 3, signal.SIGINT)
    assert code == 130
    assert "stopped. Finished work is kept" in output
    assert time.monotonic() - started < PATIENCE_S / 2
    assert "Traceback" not in output
    assert not list(bench.store.glob("*/.*.tmp"))
    run_id = bench.run()
    reference, reference_id = undisturbed
    assert table_hashes(bench.reports, run_id) == table_hashes(reference.reports, reference_id)


@pytest.fixture
def copied(tmp_path: Path, undisturbed: tuple[Bench, str]) -> Bench:
    """A copy of the checkout, over the store of the undisturbed run."""
    checkout = tmp_path / "checkout"
    for folder in ("flows", "tasks", "data"):
        ignored = shutil.ignore_patterns("__pycache__", "derived", "raw")
        shutil.copytree(CHECKOUT / folder, checkout / folder, ignore=ignored)
    return Bench(tmp_path, checkout, undisturbed[0].store)


def edit(bench: Bench, module: str, old: str, new: str) -> None:
    path = bench.checkout / module
    text = path.read_text()
    assert text.count(old) >= 1, f"{module} has no {old!r}"
    path.write_text(text.replace(old, new))


def test_a_damaged_prefect_database_is_said_in_words(bench: Bench) -> None:
    home = bench.root / "prefect"
    home.mkdir()
    (home / "prefect.db").write_bytes(b"not a database at all" * 400)
    process = bench.start()
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "prefect.db is damaged: delete it" in output
    assert "Traceback" not in output


def test_an_edited_comment_recomputes_nothing_and_an_edited_algorithm_its_dependants(
    copied: Bench, undisturbed: tuple[Bench, str]
) -> None:
    assert copied.computed(copied.run()) == []
    edit(copied, "tasks/measures/ndcg.py", '"""Normalised', '"""Edited. Normalised')
    edit(copied, "tasks/candidates/fusion.py", "\nimport ", "\n# A remark.\nimport ")
    assert copied.computed(copied.run()) == []
    edit(copied, "tasks/measures/ndcg.py", "np.log2(rank + 1)", "np.log2(rank + 2)")
    run_id = copied.run()
    assert {"query_metrics", "statistics"} <= set(copied.computed(run_id))
    assert set(copied.computed(run_id)) <= {
        "query_metrics",
        "tie_audit",
        "behaviour_metrics",
        "statistics",
        "tables_and_figures",
    }

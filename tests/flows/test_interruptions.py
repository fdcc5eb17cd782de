"""Runs stopped at work, without any help, and edited code: real processes, and what the next run of the command does.

`test_crash_matrix` stops runs at exact places, over a shared Prefect server. Here nothing but the signal is ours, and
each run has its own server, which must end with it.
"""

import shutil
import signal
from pathlib import Path

import pytest

from tests.flows.crash_bench import CHECKOUT, Bench, Reference, send, wait_for
from tests.flows.main_job import settings

pytestmark = pytest.mark.slow
EXIT = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str]:
    """Return a run of some tens of seconds, long enough to be hit while it works."""
    words = [word for setting in settings() for word in ("--set", setting)]
    bench = Bench(tmp_path_factory.mktemp("small"), ["--profile", "sample", *words])
    return bench, bench.run()


@pytest.mark.parametrize(
    ("stage", "n_artifacts", "number"),
    [("embeddings", 4, signal.SIGKILL), ("reranking", 2, signal.SIGTERM), ("reranking", 3, signal.SIGINT)],
)
def test_a_run_stopped_at_work_resumes_and_its_tables_are_those_of_an_undisturbed_one(
    undisturbed: tuple[Bench, str], tmp_path: Path, stage: str, n_artifacts: int, number: signal.Signals
) -> None:
    whole, whole_id = undisturbed
    bench = Bench(tmp_path, whole.words)
    stages = ("embeddings", "indexes", "candidates", "reranking", "clusters", "simulation")
    late = (*stages[stages.index(stage) :], "measures", "behaviour", "significance", "reporting")
    bench.take_store_of(whole, without={kept.step for kept in whole.kept() if kept.step.startswith(late)})

    process = bench.start()
    wait_for(process, lambda: len(bench.kept(stage)) >= n_artifacts)
    send(process, number)
    code, output = bench.end(process)
    print(f"pid {process.pid} got {number.name} in {stage} and ended with {code}")  # noqa: T201
    assert code == EXIT[number], output
    assert "Traceback" not in output
    assert bench.run_ids() == set()
    if number is not signal.SIGKILL:
        assert "stopped. Finished work is kept" in output
        assert bench.hidden() == []

    finished = bench.kept()
    run_id = bench.run()
    assert finished <= bench.kept(), "a finished shard was made again"
    assert len(bench.kept(stage)) > len([kept for kept in finished if kept.step.startswith(stage)]), "it came too late"
    assert bench.hidden() == []
    assert bench.hashes(run_id) == whole.hashes(whole_id)


def test_a_damaged_prefect_database_is_said_in_words(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path)
    bench.home, bench.api_url = tmp_path / "prefect", None
    bench.home.mkdir()
    (bench.home / "prefect.db").write_bytes(b"not a database at all" * 400)
    assert "prefect.db is damaged: delete it" in bench.fail()


@pytest.fixture
def copied(tmp_path: Path, reference: Reference) -> Bench:
    """A copy of the checkout, over a copy of the reference's store."""
    bench = reference.bench_at(tmp_path)
    bench.checkout = tmp_path / "checkout"
    for folder in ("flows", "tasks", "data"):
        ignored = shutil.ignore_patterns("__pycache__", "derived", "raw")
        shutil.copytree(CHECKOUT / folder, bench.checkout / folder, ignore=ignored)
    return bench


def edit(bench: Bench, module: str, old: str, new: str) -> None:
    path = bench.checkout / module
    text = path.read_text()
    assert text.count(old) >= 1, f"{module} has no {old!r}"
    path.write_text(text.replace(old, new))


def test_an_edited_comment_recomputes_nothing_and_an_edited_algorithm_its_dependants(copied: Bench) -> None:
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

"""The crash matrix, by stage: a run is stopped in the middle of each stage's work, by each signal, and goes on later.

Real processes over one made-up conversation file: `stall` stops a run where its step has half-written a file, and the
signal comes then. The run is then started again undisturbed, and compared with a run that nothing ever disturbed.

===============  ======  =========================================  ===================================================
what happens     exit    what is left                               what the next run of the same command does
===============  ======  =========================================  ===================================================
SIGKILL          -9      finished artifacts; one hidden folder      removes the folder; makes the killed artifact and
                         `.<key>-...tmp` with half a file; no       those after it, nothing else; the tables are equal
                         report, no row; Prefect's server ends
                         with its parent
SIGTERM          143     finished artifacts; nothing hidden;        the same
                         words: finished work is kept
SIGINT (Ctrl-C)  130     the same                                   the same
any of them,     as      SIGKILL: a hidden report folder, or the    removes hidden folders and tables without a row in
publishing       above   run's report and some tables without a     `runs` (views never showed them); computes nothing;
                         row in `runs`. Others: nothing             publishes under a new id
===============  ======  =========================================  ===================================================

A whole report whose run was killed before its row came stays: it is true, only no view knows it.
"""

import signal
from pathlib import Path

import pytest

from tests.flows.crash_bench import STEPS, Bench, Reference, from_step, send

pytestmark = pytest.mark.slow

KILLED = (
    "downloads/dataset",
    "corpora/locomo",
    "downloads/model",
    "embeddings/vectors=1",
    "text/tokens",
    "indexes/bm25",
    "candidates/pool",
    "reranking/logits=1",
    "clusters/clusters",
    "simulation/replay=hybrid-rerank(k=4)",
    "measures/query_metrics",
    "behaviour/behaviour_metrics",
    "significance/statistics",
    "reporting/tables_and_figures",
)
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
"""SIGKILL last: what it leaves is what the next run meets."""


def stop(bench: Bench, step: str, number: signal.Signals) -> str:
    """Send a signal to a run that is inside a step; return what it said."""
    process = bench.start_stalled(step)
    here = bench.stalled()
    assert here["pid"] == process.pid
    assert f"{here['step']}" == step.partition("=")[0]
    send(process, number)
    code, output = bench.end(process)
    print(f"pid {here['pid']} got {number.name} in {step} and ended with {code}; hidden: {bench.hidden()}")  # noqa: T201
    assert code == SIGNALS[number], output
    assert "Traceback" not in output, output
    if number is not signal.SIGKILL:
        assert "stopped. Finished work is kept" in output
        assert bench.hidden() == []
    return output


def test_the_steps_of_the_matrix_are_those_of_a_run(reference: Reference) -> None:
    steps = {kept.step for kept in reference.bench.kept()}
    assert steps == set(STEPS)
    assert {step.partition("/")[0] for step in steps} == {step.partition("/")[0] for step in KILLED}


@pytest.mark.parametrize("step", KILLED)
def test_a_run_stopped_in_a_stage_resumes_there_and_gives_the_tables_of_an_undisturbed_one(
    reference: Reference, tmp_path: Path, step: str
) -> None:
    bench = reference.bench_at(tmp_path, without=from_step(step.partition("=")[0]))
    before: set[tuple[object, ...]] = set(bench.kept())
    for number in SIGNALS:
        stop(bench, step, number)
        assert before <= bench.kept(), "a finished artifact was made again"
        before = set(bench.kept())
    assert bench.run_ids() == set()
    (half_written,) = bench.hidden()
    assert half_written.endswith(".tmp")

    finished = bench.kept()
    run_id = bench.run()
    assert bench.computed_keys(run_id) == reference.keys - {artifact.key for artifact in finished}
    assert finished <= bench.kept(), "a finished artifact was made again"
    assert bench.digests() == reference.bench.digests()
    assert bench.hidden() == []
    assert bench.hashes(run_id) == reference.hashes


@pytest.mark.parametrize("place", ["report", "warehouse"])
def test_a_run_stopped_while_it_publishes_publishes_whole_the_next_time(
    reference: Reference, tmp_path: Path, place: str
) -> None:
    bench = reference.bench_at(tmp_path)
    for number in SIGNALS:
        stop(bench, f"publishing/{place}", number)
        if number is not signal.SIGKILL:
            assert bench.published() == set()
    (hidden,) = bench.hidden()
    killed = hidden[1:].partition(".")[0]
    tables = {"report": set[str](), "warehouse": {"queries", "query_metrics", "behaviour"}}[place]
    assert {path.name for path in bench.published()} == tables | {"report": set(), "warehouse": {killed}}[place]

    run_id = bench.run()
    assert bench.computed(run_id) == []
    assert bench.hidden() == []
    assert not list(bench.reports.glob(f"warehouse/*/*/run_id={killed}"))
    assert bench.hashes(run_id) == reference.hashes

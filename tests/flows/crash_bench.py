"""What the tests of interrupted runs share: the command line with places of its own, and a conversation of our own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from flows import local_server
from tests.flows.main_job import table_hashes

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE_S = float(os.environ.get("MNEMOBENCH_TEST_PATIENCE_S", "300"))
STEPS = (
    "downloads/dataset",
    "corpora/locomo",
    "downloads/model",
    "text/texts",
    "embeddings/plan",
    "embeddings/vectors",
    "indexes/dense",
    "embeddings/truncation",
    "corpora/classes",
    "text/tokens",
    "indexes/bm25",
    "candidates/pool",
    "reranking/pairs",
    "reranking/logits",
    "clusters/clusters",
    "simulation/stream",
    "simulation/replay",
    "measures/query_metrics",
    "measures/tie_audit",
    "measures/query_groups",
    "behaviour/behaviour_metrics",
    "significance/statistics",
    "reporting/tables_and_figures",
)
"""The steps of a LoCoMo run in the order in which they are first reached."""

TINY = (
    "other_protocols=[]",
    "candidates.k=4",
    "stream.steps_per_query=2",
    "significance.n_resamples=200",
    "encoder.batch_tokens=128",
    "encoder.shard_tokens=400",
    "pairs.shard_tokens=1500",
    'variants=["bm25", "dense", "hybrid-rrf", "hybrid-rerank", "rif(rule=gap,clusters=2)"]',
)
"""Settings of a run over `conversations()` that computes for a few seconds, in several shards."""

_THINGS = ("violin", "kayak", "quilt", "camera")
_PLACES = ("Lisbon", "the lake", "grandma's barn", "Oslo", "the market", "the attic", "Utah")
_DEEDS = ("repaired", "sold", "painted", "borrowed", "photographed")
_ASKED = ("fix", "get rid of", "colour", "have on loan", "take a picture of")
N_FACTS = 12


def conversations() -> list[dict[str, Any]]:
    """Return two made-up conversations in LoCoMo's shape: 48 turns, and 24 questions with one turn of evidence each.

    Questions are in other words than their evidence, and things return: retrievers must differ, or equal tables would
    say little.
    """
    return [_conversation(number, names) for number, names in enumerate((("Ada", "Ben"), ("Cleo", "Dan")))]


def _conversation(number: int, names: tuple[str, str]) -> dict[str, Any]:
    talk: dict[str, Any] = {"speaker_a": names[0], "speaker_b": names[1]}
    questions = []
    for index in range(N_FACTS):
        session, turn = index // 4 + 1, index % 4 * 2 + 1
        thing, place = _THINGS[index * 3 % len(_THINGS)], _PLACES[(index + number) % len(_PLACES)]
        deed, who = (index + number) % len(_DEEDS), names[index % 2]
        talk.setdefault(f"session_{session}_date_time", f"1:{10 + session} pm on {session} May, 2023")
        turns = talk.setdefault(f"session_{session}", [])
        lines = {who: f"I {_DEEDS[deed]} the {thing} in {place}.", names[1 - index % 2]: f"The {thing}? In {place}?"}
        for offset, (speaker, line) in enumerate(lines.items()):
            turns.append({"speaker": speaker, "dia_id": f"D{session}:{turn + offset}", "text": line})
        asked = f"Where did {who} {_ASKED[deed]} the {thing}?"
        category = 2 if index % 3 else 5
        questions.append({"question": asked, "answer": place, "evidence": [f"D{session}:{turn}"], "category": category})
    return {"sample_id": f"made-up-{number}", "conversation": talk, "qa": questions}


class Kept(NamedTuple):
    """A finished artifact as it lies on disk: made again, it would be another inode with another time."""

    step: str
    key: str
    inode: int
    mtime_ns: int

    @classmethod
    def at(cls, manifest: Path) -> "Kept":
        """Return the artifact of a manifest."""
        stage, key, _ = manifest.parts[-3:]
        stat = manifest.stat()
        return cls(f"{stage}/{json.loads(manifest.read_bytes())['step']}", key, stat.st_ino, stat.st_mtime_ns)


class Bench:
    """The command line with a store, a reports folder and a Prefect home of its own, and what a run left there."""

    def __init__(
        self, root: Path, words: Sequence[str], *, checkout: Path = CHECKOUT, store: Path | None = None
    ) -> None:
        self.root, self.words, self.checkout = root, tuple(words), checkout
        self.store, self.reports, self.home = store or root / "store", root / "reports", root / "prefect"
        self.at = root / "at.json"
        self.api_url: str | None = None

    def start(self, *more: str, program: Sequence[str] = ("flows.cli",), **variables: str) -> subprocess.Popen[str]:
        """Start `mnemobench run` with the bench's words and `more`; `program` is a module and its own arguments."""
        places = {"MNEMOBENCH_STORE": self.store, "MNEMOBENCH_REPORTS": self.reports, "PREFECT_HOME": self.home}
        return subprocess.Popen(
            [sys.executable, "-m", *program, "run", *self.words, *more],
            cwd=self.checkout,
            env={
                **os.environ,
                **{name: str(place) for name, place in places.items()},
                "PYTHONPATH": str(self.checkout),
                "COLUMNS": "200",
                **({"PREFECT_API_URL": self.api_url} if self.api_url else {}),
                **variables,
            },
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def start_stalled(self, step: str, *more: str, is_before: bool = False, clock_s: int = 0) -> subprocess.Popen[str]:
        """Start a run that stops inside a step (see `stall`), and return when it is there."""
        self.at.unlink(missing_ok=True)
        self.at.with_suffix(".go").unlink(missing_ok=True)
        options = ["--at", str(self.at), "--step", step, "--clock", str(clock_s), *(["--before"] if is_before else [])]
        process = self.start(*more, program=("tests.flows.stall", *options, "--"))
        wait_for(process, self.at.exists)
        return process

    def stalled(self) -> dict[str, Any]:
        """Return what the stalled run said of itself: pid, step, folder."""
        said: dict[str, Any] = json.loads(self.at.read_text())
        return said

    def release(self) -> None:
        """Let a run that stalled before its work go on."""
        self.at.with_suffix(".go").touch()

    def end(self, process: subprocess.Popen[str], timeout_s: float = PATIENCE_S) -> tuple[int, str]:
        """Wait for the end of a run; return its exit code and output. Nothing that it started may be left."""
        output, _ = process.communicate(timeout=timeout_s)
        assert self.survivors() == [], "a process outlives the run"
        return process.returncode, output

    def run(self, *more: str, **variables: str) -> str:
        """Run to the end; return the run's id."""
        before = self.run_ids()
        code, output = self.end(self.start(*more, **variables))
        assert code == 0, output
        (new,) = self.run_ids() - before
        return new

    def fail(self, *more: str, **variables: str) -> str:
        """Run into an error for people: exit code 2, words, no traceback, nothing published. Return the words."""
        before = self.run_ids()
        code, output = self.end(self.start(*more, **variables))
        assert_words(code, output)
        assert self.run_ids() == before
        return output

    def run_ids(self) -> set[str]:
        """Return the ids of the runs with a report."""
        return {path.parent.name for path in self.reports.glob("[!.]*/report.md")}

    def events(self, run_id: str) -> pl.DataFrame:
        """Return the rows of the warehouse's table `timings` of a run."""
        (path,) = (self.reports / "warehouse" / "timings").glob(f"*/run_id={run_id}/*.parquet")
        return pl.read_parquet(path)

    def computed(self, run_id: str) -> list[str]:
        """Return the steps that a run computed, once each, sorted."""
        return sorted(set(self.events(run_id).filter(pl.col("state") == "computed")["step"]))

    def computed_keys(self, run_id: str) -> set[str]:
        """Return the keys of the artifacts that a run computed."""
        return set(self.events(run_id).filter(pl.col("state") == "computed")["artifact_key"])

    def hashes(self, run_id: str) -> dict[str, str]:
        """Return the SHA-256 of each result table of a run."""
        return table_hashes(self.reports, run_id)

    def kept(self, stage: str = "*") -> set[Kept]:
        """Return the finished artifacts of a stage, or of all."""
        return {Kept.at(path) for path in self.store.glob(f"{stage}/[!.]*/manifest.json")}

    def digests(self) -> dict[str, str]:
        """Return the digest of the content of each finished artifact, by key."""
        manifests = [json.loads(path.read_bytes()) for path in self.store.glob("*/[!.]*/manifest.json")]
        return {manifest["key"]: manifest["digest"] for manifest in manifests}

    def published(self) -> set[Path]:
        """Return the folders of reports, and those of tables that hold rows of any run."""
        reports = [path for path in self.reports.glob("[!.]*") if path.name != "warehouse"]
        return {*reports, *(path.parents[1] for path in self.reports.glob("warehouse/[!.]*/*/run_id=*"))}

    def hidden(self) -> list[str]:
        """Return what is hidden in the store and in the reports: everything half-written is."""
        places = (*self.store.glob("*/.*"), *self.reports.glob(".*"), *self.reports.glob("warehouse/.*"))
        return sorted(path.name for path in places)

    def survivors(self) -> list[str]:
        """Return the processes with the bench's reports folder that are still there after ten seconds."""
        mark = f"MNEMOBENCH_REPORTS={self.reports}\0".encode()
        found: list[str] = []
        for _ in range(200):
            found = [pid.name for pid in Path("/proc").glob("[0-9]*") if mark in _environment_of(pid)]
            if not found:
                break
            time.sleep(0.05)
        return found

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query of `mnemobench sql`."""
        places = {"MNEMOBENCH_REPORTS": str(self.reports), "PYTHONPATH": str(self.checkout)}
        command = [sys.executable, "-m", "flows.cli", "sql", "--json", query]
        done = subprocess.run(command, cwd=self.checkout, env={**os.environ, **places}, capture_output=True, check=True)
        rows: list[dict[str, Any]] = json.loads(done.stdout)
        return rows

    def take_store_of(self, other: "Bench", *, without: Iterable[str] = (), is_linked: bool = True) -> None:
        """Fill the store with that of another bench, leaving out steps `stage/step`; and share its Prefect home.

        Files are hard links: artifacts are never written to. A test that damages them asks for copies.
        """
        self.home = other.home  # a migrated database saves seconds, and a checkout has one home for all its runs
        left_out = set(without)
        for kept in sorted(other.kept()):
            if kept.step not in left_out:
                place = Path(kept.step.partition("/")[0]) / kept.key
                copy = os.link if is_linked else shutil.copy2
                shutil.copytree(other.store / place, self.store / place, copy_function=copy)


class Reference(NamedTuple):
    """A run that nothing disturbed."""

    bench: Bench
    run_id: str
    hashes: dict[str, str]
    keys: set[str]
    api_url: str
    """A Prefect server that is up: every run with one of its own would take twice as long."""

    @classmethod
    def make(cls, root: Path, api_url: str) -> "Reference":
        """Make the run, with its dataset file, in a fresh folder."""
        file = root / "made-up.json"
        file.write_text(json.dumps(conversations()), encoding="utf-8")
        words = [word for setting in TINY for word in ("--set", setting)]
        bench = Bench(root, ["--profile", "locomo", "--accept-local", str(file), *words])
        bench.api_url = api_url
        run_id = bench.run()
        return cls(bench, run_id, bench.hashes(run_id), bench.computed_keys(run_id), api_url)

    def bench_at(self, root: Path, *, without: Iterable[str] = (), is_linked: bool = True) -> Bench:
        """Return another bench for the same run, whose store holds all but some steps."""
        bench = Bench(root, self.bench.words)
        bench.take_store_of(self.bench, without=without, is_linked=is_linked)
        bench.api_url = self.api_url
        return bench


@contextmanager
def shared_server(home: Path) -> Iterator[str]:
    """Give the address of a Prefect server that ends with the test session."""
    server = local_server._Server.start(home)
    try:
        end = time.monotonic() + PATIENCE_S
        while not server.answers():
            assert server.process.poll() is None, server.why()
            assert time.monotonic() < end
            time.sleep(0.05)
        yield f"http://127.0.0.1:{server.port}/api"
    finally:
        server.stop()


def from_step(step: str) -> tuple[str, ...]:
    """Return a step and all later ones."""
    return STEPS[STEPS.index(step) :]


def wait_for(process: subprocess.Popen[str], is_there: Callable[[], bool]) -> None:
    """Return when `is_there()`; fail where the process ends before, or takes too long."""
    end = time.monotonic() + PATIENCE_S
    while not is_there():
        assert process.poll() is None, f"the run ended before it was where the test wants it: {process.communicate()}"
        assert time.monotonic() < end
        time.sleep(0.02)


def send(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Send a signal as it comes in life: Ctrl-C of a terminal goes to every process of the group, others to one."""
    if number is signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)


def assert_words(code: int, output: str) -> None:
    """Check that a run ended with an error for people."""
    assert code == 2, output
    assert "mnemobench: " in output
    assert "Traceback" not in output, output


def _environment_of(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes() + b"\0"
    except OSError:
        return b""

"""What the tests of the gate's flow share: a made-up data set, a checkout to plant faults in, and runs there.

A fault is planted in the source of a copy of the real code, as a commit would: keys, cache and reasons are then those
of life, and what did not change is taken from the store of the accepted run.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
N_CONVERSATIONS, N_FACTS = 4, 24
SETTINGS = (
    "other_protocols=[]",
    "candidates.k=12",
    "stream.steps_per_query=20",
    "significance.n_resamples=200",
    "encoder.shard_tokens=1500",
    "pairs.shard_tokens=8000",
    'significance.baseline="hybrid-rerank(pool=8)"',
    'variants=["bm25", "dense", "hybrid-rerank(pool=8)", "rif(rule=gap,clusters=1,pool=8,winners=3)"]',
)
"""Few variants: the family of the gate is small, so that a hundred questions are enough to see a fault."""

_SYLLABLES = ("ka", "ro", "ten", "mi", "lus", "po", "ver", "shi", "dan", "gor")
_THINGS = ("violin", "kayak", "quilt", "camera")
_PADDING = ("", "yesterday ", "very early yesterday ", "again ")

_NIGHT = """
import sys
from pathlib import Path
from flows import environment
environment.prepare()
from tasks.records import BenchError
from flows.nightly_regression import nightly_regression
try:
    nightly_regression(("locomo",), None, None, sys.argv[2:], Path(sys.argv[1]))
except BenchError as error:
    print(error)
    sys.exit(7)
"""


def write_data(path: Path, n_facts: int = N_FACTS) -> Path:
    """Write conversations in LoCoMo's shape: one question for each fact, which one name in it decides."""
    talks = [_conversation(number, n_facts) for number in range(N_CONVERSATIONS)]
    path.write_text(json.dumps(talks), encoding="utf-8")
    return path


def _conversation(number: int, n_facts: int) -> dict[str, Any]:
    names = (("Ada", "Ben"), ("Cleo", "Dan"), ("Eve", "Finn"), ("Gus", "Hana"))[number]
    talk: dict[str, Any] = {"speaker_a": names[0], "speaker_b": names[1]}
    questions = []
    for index in range(n_facts):
        session, turn = index // 6 + 1, index % 6 * 2 + 1
        thing, who, padding = _THINGS[index % 4], names[index % 2], _PADDING[index // 2 % 4]
        place = _name(number * n_facts + index)
        talk.setdefault(f"session_{session}_date_time", f"1:{10 + session} pm on {session} May, 2023")
        turns = talk.setdefault(f"session_{session}", [])
        for offset, line in enumerate((f"I {padding}sold the {thing} in {place}.", f"The {thing}? Where was it sold?")):
            speaker = who if offset == 0 else names[1 - index % 2]
            turns.append({"speaker": speaker, "dia_id": f"D{session}:{turn + offset}", "text": line})
        asked = f"Which thing was {padding}sold in {place}?"
        questions.append({"question": asked, "answer": thing, "evidence": [f"D{session}:{turn}"], "category": 2})
    return {"sample_id": f"made-up-{number}", "conversation": talk, "qa": questions}


def _name(number: int) -> str:
    """Return a name of its own for each number: the only word that tells one fact from another."""
    return "".join(_SYLLABLES[number * factor // divisor % 10] for factor, divisor in ((1, 10), (1, 1), (7, 3))).title()


class Done(NamedTuple):
    """What a night left: whether the flow run failed, its words, and its run's id."""

    failed: bool
    said: str
    run_id: str


class Bench:
    """A copy of the checkout with a store, reports and a data file of its own."""

    def __init__(self, root: Path, api_url: str) -> None:
        self.root, self.checkout, self.reports = root, root / "checkout", root / "reports"
        self.data = write_data(root / "made-up.json")
        self.environment = {
            **os.environ,
            "PREFECT_API_URL": api_url,
            "PREFECT_HOME": str(root / "prefect"),
            "MNEMOBENCH_REPORTS": str(self.reports),
            "MNEMOBENCH_STORE": str(root / "store"),
            "PYTHONPATH": str(self.checkout),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "200",
        }
        skipped = shutil.ignore_patterns("__pycache__", "raw", "derived", "warehouse", "2026*")
        for name in ("flows", "tasks", "data", "reports"):
            shutil.copytree(CHECKOUT / name, self.checkout / name, ignore=skipped)
        for name in ("pyproject.toml", "requirements.lock"):
            shutil.copy2(CHECKOUT / name, self.checkout / name)

    def night(self, *settings: str, data: Path | None = None) -> Done:
        """Run the nightly flow over the made-up data; return how it ended."""
        before = self.run_ids()
        words = [str(data or self.data), *SETTINGS, *settings]
        done = self._python("-c", _NIGHT, *words)
        assert done.returncode in (0, 7), done.stdout + done.stderr
        (run_id,) = self.run_ids() - before
        return Done(done.returncode == 7, done.stdout, run_id)

    def mnemobench(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return self._python("-m", "flows.cli", *words)

    def plant(self, file: str, right: str, wrong: str) -> None:
        """Change the real source: the text must be there exactly once."""
        path = self.checkout / "tasks" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(right) == 1, f"{file} no longer holds {right!r} once: plant the fault in what it became"
        path.write_text(text.replace(right, wrong), encoding="utf-8")

    def heal(self, file: str) -> None:
        """Bring the real source back."""
        shutil.copy2(CHECKOUT / "tasks" / file, self.checkout / "tasks" / file)

    def run_ids(self) -> set[str]:
        """Return the ids of the published runs."""
        return {path.name.removeprefix("run_id=") for path in self.reports.glob("warehouse/runs/*/run_id=*")}

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=self.checkout, env=self.environment, capture_output=True, text=True,
            timeout=400, check=False,
        )  # fmt: skip

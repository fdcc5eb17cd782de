"""The command `overlay`: words, counts and the file it leaves, for right and wrong input."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows.overlay import overlay_here
from tasks.corpora.overlays import read_overlay
from tasks.records import BenchError

CHECKOUT = Path(__file__).resolve().parents[2]
FAULTS = CHECKOUT / "tests" / "fixtures" / "corpora" / "locomo_faults.json"


def mnemobench(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *words],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "PYTHONPATH": str(CHECKOUT),
            "COLUMNS": "200",
            "MNEMOBENCH_STORE": str(tmp_path / "store"),
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def audit(tmp_path: Path, **changes: Any) -> Path:
    """Write an audit of one item: it says that the fixture's second conversation does not answer its question."""
    item = {
        "question_id": "locomo_1_qa0",
        "question": "How hot is the kiln?",
        "error_type": "[red]ODD[/red]",
        "cited_evidence": ["D1:1"],
        "correct_evidence": [],
        "reasoning": "nobody says",
    }
    path = tmp_path / "audit.json"
    path.write_text(json.dumps([item | changes]), encoding="utf-8")
    return path


def here(tmp_path: Path, audit_file: Path, **changes: Any) -> str:
    """Run the command in this process on the fixture; return what it prints."""
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    arguments: dict[str, Any] = {
        "dataset": "locomo",
        "out": tmp_path / "overlay.jsonl",
        "accept_local": FAULTS,
    } | changes
    overlay_here(console, audit_file=audit_file, mirror=None, store=tmp_path / "store", **arguments)
    return printed.getvalue()


@pytest.mark.usefixtures("prefect_server")
def test_counts_and_overlay_against_hand_computed(tmp_path: Path) -> None:
    said = here(tmp_path, audit(tmp_path))
    assert "corpora/locomo                computed" in said
    row = next(line for line in said.splitlines() if "ODD" in line)
    assert [cell.strip() for cell in row.split("│")[1:-1]] == ["[red]ODD[/red]", "1", "1", "1", "0", "1"]
    assert "1 items read, 1 lines written for 1 questions, 0 items skipped" in said
    assert "no longer scored: talk-2_qa0" in said
    (line,) = read_overlay(tmp_path / "overlay.jsonl").corrections
    assert (line.query, line.document, line.old, line.new) == ("talk-2_qa0", "talk-2:D1:1", 1, 0)
    first = (tmp_path / "overlay.jsonl").read_bytes()
    again = here(tmp_path, tmp_path / "audit.json")
    assert "corpora/locomo                cached" in again
    assert (tmp_path / "overlay.jsonl").read_bytes() == first


@pytest.mark.usefixtures("prefect_server")
def test_an_audit_of_another_file_leaves_the_old_overlay_alone(tmp_path: Path) -> None:
    (tmp_path / "overlay.jsonl").write_text("old", encoding="utf-8")
    with pytest.raises(BenchError, match=r"^audit\.json: 1 of 1 items are not about this LoCoMo file: .* asks 'x'"):
        here(tmp_path, audit(tmp_path, question="x"))
    assert (tmp_path / "overlay.jsonl").read_text(encoding="utf-8") == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"overlay.jsonl", "audit.json", "store"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dataset": "nfcorpus"}, "no audit of 'nfcorpus' can be converted; there is one of: locomo"),
        ({"out": Path("/")}, "--out / is a folder; expected the name of a file to write"),
        ({"out": Path("/absent/overlay.jsonl")}, "is in a folder that does not exist"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchError, match=said):
        here(tmp_path, audit(tmp_path), **changes)
    assert not (tmp_path / "store").exists()


def test_the_audit_is_never_overwritten(tmp_path: Path) -> None:
    path = audit(tmp_path)
    with pytest.raises(BenchError, match="is the audit itself"):
        here(tmp_path, path, out=tmp_path / ".." / tmp_path.name / "audit.json")


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no such file; expected the audit"), (b"[{", "ends too early"), (b'{"a": 1}', "expected a list")],
)
def test_a_wrong_audit_is_said_in_words_and_exits_with_2(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "audit.json"
    if content is not None:
        path.write_bytes(content)
    done = mnemobench(tmp_path, "overlay", str(path), "--out", str(tmp_path / "overlay.jsonl"))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "overlay.jsonl").exists()


def test_real_audit_against_pinned_counts(mirror: Path, tmp_path: Path) -> None:
    path = mirror / "locomo" / "audit_errors.json"
    if not path.is_file():
        pytest.skip(f"the audit of LoCoMo is not in the mirror: looked for {path}")
    out = tmp_path / "overlay.jsonl"
    done = mnemobench(tmp_path, "overlay", str(path), "--mirror", str(mirror), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "156 items read, 194 lines written for 93 questions, 63 items skipped" in done.stdout
    assert "59 skipped: the evidence is as cited" in done.stdout
    row = next(line for line in done.stdout.splitlines() if "WRONG_CITATION" in line)
    assert [cell.strip() for cell in row.split("│")[2:-1]] == ["57", "54", "120", "69", "51"]
    assert len(read_overlay(out).corrections) == 194

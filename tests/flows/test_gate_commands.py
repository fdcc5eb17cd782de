"""`mnemobench accept`, `gate` and `history` over handmade nights: words, exit codes, colours."""

import io
import json
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from flows import gate_commands
from flows.gate_commands import judge_and_record, show_verdict
from tests.flows.test_cli import mnemobench
from tests.unit.gate.nights import BM25, RERANK, Night, values


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Two nights, the second one worse."""
    warehouse = tmp_path / "reports" / "warehouse"
    Night("a").write(warehouse)
    columns = {BM25: list(values() * 0.5), RERANK: list(values(seed=1))}
    artifacts = (("text/tokens", "t", "t"), ("measures/query_metrics", "m", "m"))
    Night("b", 1, columns=columns, artifacts=artifacts).write(warehouse)
    return tmp_path / "reports"


def test_accept_and_gate_exit_codes(reports: Path, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return mnemobench(*words, MNEMOBENCH_REPORTS=str(reports), MNEMOBENCH_STORE=str(tmp_path / "store"))

    first = run("gate", "a")
    assert (first.returncode, 'To accept it: mnemobench accept a --why "..."' in first.stdout) == (0, True)
    accepted = run("accept", "a", "--why", "the first")
    assert accepted.stdout == "Accepted: a is what profile locomo is held to on locomo from now on.\n"
    worse = run("gate", "b")
    assert (worse.returncode, worse.stdout.splitlines()[0]) == (1, "locomo: regress")
    assert "\x1b" not in worse.stdout
    Night("c", 2, facts={"dataset_fingerprint": "0" * 64}).write(reports / "warehouse")
    other = run("gate", "c", "--json")
    assert (other.returncode, json.loads(other.stdout)["verdict"]) == (2, "not comparable")
    shown = run("history")
    assert "a (accepted)" in shown.stdout
    assert "not comparable" in shown.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("accept", "x", "--why", "y"), "no run 'x' in"),
        (("accept", "failed", "--why", "y"), "run failed ended as 'failed' on locomo"),
        (("gate", "x"), "no run 'x' in"),
        (("gate", "damaged"), "cannot be read"),
        (("history", "--figure", "x.pdf"), "ending '.pdf'"),
    ],
)
def test_errors_are_words_and_exit_with_2(reports: Path, words: tuple[str, ...], said: str) -> None:
    warehouse = reports / "warehouse"
    Night("failed", facts={"status": "failed"}).write(warehouse)
    Night("damaged").write(warehouse)
    if "damaged" in words:
        next(warehouse.glob("timings/*/run_id=damaged/*")).write_bytes(b"PAR1")
    done = mnemobench(*words, MNEMOBENCH_REPORTS=str(reports))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_colours_are_for_terminals(reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOBENCH_REPORTS", str(reports))
    verdict = judge_and_record("a", tmp_path / "store")
    for is_terminal in (True, False):
        out = io.StringIO()
        show_verdict(Console(file=out, force_terminal=is_terminal or None, highlight=False), verdict)
        assert ("\x1b[32m" in out.getvalue()) == is_terminal


def test_an_account_or_checkout_without_a_name_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("flows.gate_commands.getpass.getuser", nobody)
    assert gate_commands.account() == "unknown"
    monkeypatch.setattr(gate_commands, "CHECKOUT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert gate_commands.git_commit() == "unknown"

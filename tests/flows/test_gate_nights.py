"""The nightly flow and its gate: faults planted in the real source are caught, and what is right passes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.crash_bench import shared_server
from tests.flows.gate_bench import Bench, Done, write_data

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    root = tmp_path_factory.mktemp("gate")
    (root / "prefect").mkdir()
    with shared_server(root / "prefect") as api_url:
        yield Bench(root, api_url)


@pytest.fixture(scope="module")
def first(bench: Bench) -> Done:
    """The first night, and its acceptance."""
    done = bench.night()
    assert not done.failed, done.said
    accepted = bench.mnemobench("accept", done.run_id, "--why", "the first night", "--by", "Ada")
    assert accepted.returncode == 0, accepted.stderr
    return done


def judged(bench: Bench, run_id: str, code: int) -> dict[str, Any]:
    """Return what `mnemobench gate --json` says of the only data set."""
    done = bench.mnemobench("gate", run_id, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    (part,) = json.loads(done.stdout)["parts"]
    found: dict[str, Any] = part
    return found


def test_a_night_that_changes_nothing_passes(bench: Bench, first: Done) -> None:
    again = bench.night()
    assert not again.failed
    assert "bit by bit" in judged(bench, again.run_id, 0)["sentence"]


FAULTS = {
    "worse tokenizer": (
        "text/tokenizers.py",
        "return _WORD.findall(text.lower())",
        "return _WORD.findall(text.lower())[::2]",
        "the code of text/tokens changed",
        "bm25",
    ),
    "sign error in a rule": (
        "simulation/replay_kernels.py",
        "max(0.0, old - rho) if r_final < winners",
        "max(0.0, old + rho) if r_final < winners",
        "the code of simulation/replay changed",
        "rif(",
    ),
    "lost shard of vectors": (
        "embeddings/build.py",
        "    _check_finite(vectors, shard, facts)\n    column",
        "    vectors *= shard_index != 0\n    _check_finite(vectors, shard, facts)\n    column",
        "the code of embeddings/vectors changed",
        "dense",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_the_night_and_says_where(bench: Bench, first: Done, fault: str) -> None:
    file, right, wrong, because, variant = FAULTS[fault]
    bench.plant(file, right, wrong)
    try:
        done = bench.night()
    finally:
        bench.heal(file)
    assert done.failed, "the night passed"
    assert f"{done.run_id}: regress. locomo conversation-turn: " in done.said
    assert because in done.said
    assert f"Report: {bench.reports / done.run_id / 'report.md'}" in done.said
    assert f"mnemobench accept {done.run_id}" in done.said
    cells = judged(bench, done.run_id, 1)["cells"]
    assert any(cell["verdict"] == "regress" and cell["variant"].startswith(variant) for cell in cells)


def test_a_repaired_fault_is_an_improvement_that_is_proposed(bench: Bench, first: Done) -> None:
    file, right, wrong, _, _ = FAULTS["worse tokenizer"]
    bench.plant(file, right, wrong)
    try:
        worse = bench.night()
    finally:
        bench.heal(file)
    assert bench.mnemobench("accept", worse.run_id, "--why", "to be better than it").returncode == 0
    try:
        better = bench.night()
        assert not better.failed
        shown = bench.mnemobench("gate", better.run_id)
        assert shown.returncode == 0
        assert "locomo: improve" in shown.stdout
        assert f'To accept it: mnemobench accept {better.run_id} --why "..."' in shown.stdout
        assert "\x1b" not in shown.stdout
    finally:
        bench.mnemobench("accept", first.run_id, "--why", "back")


def test_other_data_are_not_comparable(bench: Bench, first: Done, tmp_path: Path) -> None:
    done = bench.night(data=write_data(tmp_path / "other.json", n_facts=18))
    assert done.failed
    assert "not comparable" in done.said
    assert "data fingerprint" in judged(bench, done.run_id, 2)["sentence"]


def test_the_history_shows_every_night(bench: Bench, first: Done) -> None:
    figure = bench.root / "history.png"
    shown = bench.mnemobench("history", "--json", "--last", "100", "--figure", str(figure))
    assert {row["run_id"] for row in json.loads(shown.stdout)} == bench.run_ids()
    assert figure.is_file()
    assert figure.with_suffix(".svg").is_file()

"""Accepted baselines: what may be accepted, what counts, and that nothing is ever rewritten."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tasks.gate.accepted import Acceptance, accept, accepted_for
from tasks.gate.appended import append, read_all
from tasks.gate.schemas import ACCEPTED, VERDICTS
from tasks.records import BenchError
from tasks.reporting.schemas import QUERY_METRICS, RUNS
from tests.unit.gate.nights import Night


def accept_it(warehouse: Path, run_id: str, why: str = "it is right") -> list[Acceptance]:
    return accept(warehouse, run_id, why=why, by="Ada", git_commit="abc")


def hashes(warehouse: Path) -> dict[Path, str]:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in warehouse.rglob("*.parquet")}


def test_the_last_acceptance_counts_and_the_first_file_is_never_touched(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        Night(name, number).write(tmp_path)
    accept_it(tmp_path, "a")
    before = hashes(tmp_path)
    for name in ("b", "a"):  # and back again: a run may be accepted twice
        (found,) = accept_it(tmp_path, name, f"back to {name}")
        assert (found.run_id, found.why, found.accepted_by, found.git_commit) == (name, f"back to {name}", "Ada", "abc")
    assert {path: digest for path, digest in hashes(tmp_path).items() if path in before} == before
    assert read_all(tmp_path, ACCEPTED)["run_id"].to_list() == ["a", "b", "a"]


def test_profiles_and_data_sets_have_baselines_of_their_own(tmp_path: Path) -> None:
    Night("a").write(tmp_path)
    Night("a", dataset="nfcorpus").write(tmp_path)
    Night("c", facts={"profile": "other"}).write(tmp_path)
    assert [found.dataset for found in accept_it(tmp_path, "a")] == ["locomo", "nfcorpus"]
    assert accepted_for(tmp_path, "other", "locomo") is None
    (other,) = accept_it(tmp_path, "c")
    assert accepted_for(tmp_path, "other", "locomo") == other
    counting = accepted_for(tmp_path, "locomo", "locomo")
    assert counting is not None
    assert counting.run_id == "a"


@pytest.mark.parametrize(
    ("facts", "said"),
    [({"status": "failed"}, "ended as 'failed'"), ({"kind": "sweep"}, "sweep over parameters")],
)
def test_a_run_that_failed_or_is_a_sweep_is_refused(tmp_path: Path, facts: dict[str, Any], said: str) -> None:
    Night("a", facts=facts).write(tmp_path)
    with pytest.raises(BenchError, match=said):
        accept_it(tmp_path, "a")
    assert not (tmp_path / "accepted").exists()


def test_an_unknown_run_names_the_last_ones(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="there are no runs yet"):
        accept_it(tmp_path, "x")
    Night("a").write(tmp_path)
    with pytest.raises(BenchError, match=r"no run 'x' in .*the last of 1 are: a"):
        accept_it(tmp_path, "x")
    with pytest.raises(BenchError, match=r"no run '\*'"):
        accept_it(tmp_path, "*")


def test_a_run_without_its_last_table_did_not_come_to_its_end(tmp_path: Path) -> None:
    Night("a").write(tmp_path)
    next((tmp_path / RUNS.name).rglob("*.parquet")).unlink()
    with pytest.raises(BenchError, match="did not come to its end"):
        accept_it(tmp_path, "a")


@pytest.mark.parametrize("table", [QUERY_METRICS.name, RUNS.name, ACCEPTED.name])
@pytest.mark.parametrize("content", [b"", b"PAR1 cut off"])
def test_a_damaged_file_is_named(tmp_path: Path, table: str, content: bytes) -> None:
    Night("a").write(tmp_path)
    accept_it(tmp_path, "a")
    (path,) = (tmp_path / table).rglob("*.parquet")
    path.write_bytes(content)
    with pytest.raises(BenchError, match=rf"{table}.*cannot be read.*damaged"):
        accept_it(tmp_path, "a")


@pytest.mark.parametrize("why", ["", "  \n"])
def test_a_reason_is_needed(tmp_path: Path, why: str) -> None:
    Night("a").write(tmp_path)
    with pytest.raises(BenchError, match="an empty reason"):
        accept_it(tmp_path, "a", why)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Night("a").write(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tasks.gate.appended.os.fsync", full)
    with pytest.raises(BenchError, match="No space left on device"):
        accept_it(tmp_path, "a")
    assert [path for path in (tmp_path / "accepted").rglob("*") if path.is_file()] == []
    assert accepted_for(tmp_path, "locomo", "locomo") is None


def test_a_half_written_row_is_not_read(tmp_path: Path) -> None:
    Night("a").write(tmp_path)
    accept_it(tmp_path, "a")
    (path,) = (tmp_path / "accepted").rglob("*.parquet")
    path.with_name(f".{path.name}.tmp").write_bytes(path.read_bytes()[:40])
    assert read_all(tmp_path, ACCEPTED).height == 1


def test_a_row_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"table verdicts .*nulls"):
        append(tmp_path, VERDICTS, "locomo", "a", {"profile": "locomo"})
    assert not list(tmp_path.rglob("*.parquet"))

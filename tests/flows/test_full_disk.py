"""Which errors come from a full disk, and what a person then reads."""

import shutil
from pathlib import Path

import pytest

from flows.full_disk import explain, full_disk_in_words
from tasks.records import BenchError

AS_SEEN = [
    OSError(28, "No space left on device"),
    OSError(122, "Disk quota exceeded"),
    OSError("20000 requested and 1008 written"),  # numpy.save
    RuntimeError("parquet: File out of specification: underlying IO error: No space left on device (os error 28)"),
    RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
    RuntimeError("(sqlite3.OperationalError) database or disk is full"),
]
"""Errors as numpy, polars, safetensors and SQLite raised them on a full tmpfs."""


@pytest.mark.parametrize("error", AS_SEEN, ids=str)
def test_what_libraries_say_on_a_full_disk_is_said_in_words(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no space left on the disk of") as said, full_disk_in_words([tmp_path]):
        raise error
    assert "run the same command again" in str(said.value)
    assert str(tmp_path) in str(said.value)


def test_a_cause_counts(tmp_path: Path) -> None:
    error = RuntimeError("Flow run crashed")
    error.__cause__ = OSError(28, "No space left on device")
    assert explain(error, [tmp_path])


def test_any_error_on_a_disk_without_room_is_the_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {tmp_path: 1000, tmp_path / "roomy": 10**9}
    (tmp_path / "roomy").mkdir()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=free[place]))
    said = explain(RuntimeError("Server error '500'"), [tmp_path / "not there yet", tmp_path / "roomy"])
    assert said
    assert said.startswith(f"no space left on the disk of {tmp_path / 'not there yet'}. Finished work is kept")


@pytest.mark.parametrize("error", [ValueError("7 requested"), OSError(13, "Permission denied"), KeyError("x")])
def test_other_errors_stay_what_they_are(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(type(error)), full_disk_in_words([tmp_path]):
        raise error

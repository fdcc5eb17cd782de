"""The command line: words and exit codes, for right and wrong use."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flows.settings import profile_names
from flows.study_config import load_study

CHECKOUT = Path(__file__).resolve().parents[2]


def mnemobench(*words: str, cwd: Path = CHECKOUT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--profile", "smaple"), "unknown profile 'smaple'; there are: locomo, longmemeval, nfcorpus, sample"),
        (
            ("run", "--set", "candidates.depth=3"),
            "unknown key candidates.depth; valid here: bm25_weight, combine, fill_zero_scores",
        ),
        (("run", "--set", "stream.steps=x"), "stream.steps = 'x'"),
        (("sql", "--csv", "--json", "SELECT 1"), "--csv and --json were both given"),
    ],
)
def test_wrong_use_is_said_in_words_and_exits_with_2(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = mnemobench(*words, MNEMOBENCH_STORE=str(tmp_path))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_sql_without_runs_says_what_to_do(tmp_path: Path) -> None:
    done = mnemobench("sql", "SELECT * FROM runs", MNEMOBENCH_REPORTS=str(tmp_path))
    assert done.returncode == 2
    assert "make run" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "expected"),
        (b"PK\x03\x04 cut off", "efe5be03f8c5b86a5870102d0599d227c8c6e2484328e68c6522560385671b0b"),
    ],
)
def test_a_wrong_file_in_the_mirror_shows_both_hashes(tmp_path: Path, content: bytes, said: str) -> None:
    folder = tmp_path / "mirror" / "nfcorpus"
    folder.mkdir(parents=True)
    (folder / "nfcorpus.zip").write_bytes(content)
    done = mnemobench(
        "run", "--profile", "nfcorpus", "--mirror", str(tmp_path / "mirror"), MNEMOBENCH_STORE=str(tmp_path / "store")
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_too_little_disk_is_said_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.resources import check_room
    from flows.run_config import load_config
    from tasks.records import BenchError

    usage = shutil.disk_usage(tmp_path)._replace(free=10 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(BenchError, match=r"has 10 MB free; profile locomo needs about \d+ MB"):
        check_room([load_config("locomo")], tmp_path / "not" / "there")


def test_doctor_says_what_each_profile_needs(tmp_path: Path) -> None:
    done = mnemobench("doctor", "--mirror", str(tmp_path), MNEMOBENCH_STORE=str(tmp_path / "store"))
    assert done.returncode == 1
    assert all(profile in done.stdout for profile in ("sample", "locomo", "longmemeval", "nfcorpus"))
    assert done.stdout.count("missing in the mirror") == n_runs_of_real_data()
    assert "packages are those of requirements.lock" in done.stdout


def test_doctor_is_content_where_nothing_is_missing(mirror: Path, tmp_path: Path) -> None:
    done = mnemobench("doctor", "--mirror", str(mirror), MNEMOBENCH_STORE=str(tmp_path / "store"))
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("in the mirror") == n_runs_of_real_data()


def n_runs_of_real_data() -> int:
    """The profiles of one data set but the made-up one, and the runs of the studies."""
    return len(profile_names()) - 1 + sum(len(load_study(name).runs) for name in profile_names(studies=True))


def test_sql_may_begin_with_a_comment(tmp_path: Path) -> None:
    done = mnemobench("sql", "-- how many?\nSELECT 1", MNEMOBENCH_REPORTS=str(tmp_path))
    assert "make run" in done.stderr
    assert "No such option" not in done.stderr


def test_json_of_sql_is_json(tmp_path: Path) -> None:
    runs = sorted(CHECKOUT.glob("reports/warehouse/runs/*/*/*.parquet"))
    if not runs:
        pytest.skip("no run in reports/warehouse of this checkout: `make run` makes one")
    done = mnemobench("sql", "--json", "SELECT count(*) AS n FROM runs")
    assert json.loads(done.stdout)[0]["n"] >= 1

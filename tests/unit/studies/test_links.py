"""The reports of the two studies lead to one another."""

import json
from pathlib import Path

import pytest

from tasks.studies.links import other_study


def report(root: Path, run_id: str, profile: str, *, is_whole: bool = True) -> None:
    folder = root / run_id
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"runs": [{"profile": profile}]}), encoding="utf-8")
    if is_whole:
        (folder / "report.md").write_text("# A report", encoding="utf-8")


def test_the_newest_whole_report_of_the_other_study_is_linked(tmp_path: Path) -> None:
    report(tmp_path, "20261101T000000Z-study-b-aaaaaa", "study-b")
    report(tmp_path, "20261102T000000Z-study-b-bbbbbb", "study-b")
    report(tmp_path, "20261103T000000Z-study-b-cccccc", "study-b", is_whole=False)
    report(tmp_path, "20261104T000000Z-study-b-dddddd", "my-study-b-copy")
    report(tmp_path, "20261105T000000Z-study-a-eeeeee", "study-a")
    (line, _) = other_study("study-a", tmp_path)
    assert "[20261102T000000Z-study-b-bbbbbb](../20261102T000000Z-study-b-bbbbbb/report.md)" in line
    (back, _) = other_study("study-b", tmp_path)
    assert "(../20261105T000000Z-study-a-eeeeee/report.md)" in back


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"runs": []}', '{"runs": [3]}', "\u0000"])
def test_a_damaged_manifest_is_passed_over(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "20261101T000000Z-study-b-aaaaaa"
    folder.mkdir()
    (folder / "report.md").write_text("# A report", encoding="utf-8")
    (folder / "manifest.json").write_text(content, encoding="utf-8")
    (line, _) = other_study("study-a", tmp_path)
    assert line.endswith("`mnemobench run --profile study-b`; no report of it is here yet.")


def test_no_report_yet_says_how_to_make_it(tmp_path: Path) -> None:
    (line, _) = other_study("study-b", tmp_path / "nowhere")
    assert "`mnemobench run --profile study-a`" in line

"""The report of a study: its sentences follow from the numbers, and its tables hold together."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from tasks.files import sha256_of
from tasks.records import BenchError
from tasks.studies import study_a_figures as figures
from tasks.studies.markdown import render, write_study_report
from tasks.studies.published import Published
from tests.unit.reporting.handmade import make_run


def section(report: str, title: str) -> str:
    return report.partition(f"\n## {title}")[2].partition("\n## ")[0]


def tables_of(report: str) -> list[list[str]]:
    blocks = re.findall(r"(?:^\|.*\|\n)+", report, flags=re.MULTILINE)
    return [block.splitlines() for block in blocks]


def test_the_opening_says_what_came_out(same_study: Path) -> None:
    opening = render(same_study).partition("\n## ")[0]
    assert "4 of 4 effects on nDCG@10 have the published sign." in opening
    assert "over the 499 shared questions: 0.0000 [0.0000, 0.0000], equal on 100.0 % of them." in opening
    assert "The recall of its pool is equal on 100.0 %: nothing differs." in opening
    assert "Over 20 streams that effect is" in opening
    assert "not measured" not in opening


def test_the_opening_follows_the_numbers(small_study: Path) -> None:
    opening = render(small_study).partition("\n## ")[0]
    assert "0 of 1 effects on nDCG@10 have the published sign." in opening
    assert (
        "Intervals exclude 0 here for [clustered 30, rank-gap], in the study for [clustered 30, rank-gap]"
        not in opening
    )
    assert "what differs is the reranker (L-12 in int8, not L-6)" in opening
    assert re.search(r"\d+ are not measured in this run\.", opening)
    assert "| global, gap" not in opening
    assert "| global, rank-gap | 0.3038 [0.2713, 0.3364] | *not measured* |" in opening


@pytest.mark.parametrize("name", ["same_study", "small_study"])
def test_every_table_has_as_many_cells_in_every_row(name: str, request: pytest.FixtureRequest) -> None:
    report = render(request.getfixturevalue(name))
    for block in tables_of(report):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block}
        assert len(widths) == 1, block[:3]
    assert not re.search(r"\bnan\b|\bNone\b|\bNaN\b", report)


def test_each_published_number_is_counted_once(same_study: Path) -> None:
    report = render(same_study)
    cells = pl.read_parquet(same_study / "study_cells.parquet")
    n = cells.filter(pl.col("table") != "main, regex").height
    assert f"Study A published {n:,} numbers that have a counterpart here." in report
    counted = [
        [int(cell) for cell in line.split(" | ")[1:-1]] for line in tables_of(section(report, "Verdicts"))[0][2:]
    ]
    assert (
        sum(map(sum, counted))
        + sum(int(line.rpartition(" | ")[2].strip(" |")) for line in tables_of(section(report, "Verdicts"))[0][2:])
        == n
    )


def test_sections_without_a_source_are_left_out(small_study: Path) -> None:
    report = render(small_study)
    assert "streams do to it" not in report
    assert "LoCoMo: the same table" not in report
    assert "*not measured*" in section(report, "Baselines")


def test_text_against_code_has_every_place_and_its_claims(same_study: Path) -> None:
    text = section(render(same_study), "Text against code")
    assert text.count("\n### ") == 12
    assert "| 0.3369 |" in text
    assert "| -50.0 % |  | -30.0 % |" in text  # the handmade gap state holds half as many
    assert "exactly 0" in text


def test_the_reranker_that_cannot_be_run_is_named(same_study: Path) -> None:
    assert "ms-marco-MiniLM-L-6-v2, lives on a hub" in section(render(same_study), "Causes")


def test_locomo_is_ours_alone(same_study: Path) -> None:
    text = section(render(same_study), "LoCoMo: the same table, which nobody published")
    assert "split tokenizer, 40 questions of the main block" in text
    assert "verdict" not in text


def test_the_report_names_the_run_and_takes_its_figures_along(same_study: Path, tmp_path: Path) -> None:
    for _ in range(2):  # the second replaces the first as a whole
        path = write_study_report(same_study, [make_run()] * 3, tmp_path)
    folder = tmp_path / "2026-11-03T02-15-00_ab12"
    assert path == folder / "report.md"
    assert list(tmp_path.iterdir()) == [folder]
    text = path.read_text(encoding="utf-8")
    assert "Run `2026-11-03T02-15-00_ab12`" in text
    assert "> **LongMemEval-S: 499 of 500 questions**" in text
    assert text.count("all-MiniLM-L6-v2") == 1
    assert section(text, "Cost").count("<details>") == 3
    assert "<summary>LoCoMo</summary>" in section(text, "Cost")
    assert "mnemobench run --profile locomo" in section(text, "Make it again")
    for stem in re.findall(r"\]\((figures/[a-z]+\.png)\)", text):
        assert (folder / stem).is_file()
    files = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["sha256"]
    assert files["report.md"] == sha256_of(path)
    assert sorted(p.stem for p in (folder / "figures").glob("*.png")) == ["clusters", "effects", "streams"]


def test_a_report_that_cannot_be_written_is_an_error_for_people(same_study: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(BenchError, match="cannot write the report to"):
        write_study_report(same_study, [make_run()], tmp_path / "file")
    with pytest.raises(BenchError, match="no run of a data set"):
        write_study_report(same_study, [], tmp_path)


def test_figures_of_a_run_with_little_in_it_are_drawn_twice_the_same(small_study: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        figures.draw_all(small_study, tmp_path / folder, Published())
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["clusters.png", "clusters.svg", "effects.png", "effects.svg"]
    for name in names:
        assert sha256_of(tmp_path / "one" / name) == sha256_of(tmp_path / "two" / name)


def test_saturation_stands_beside_our_counts_after_1000_steps(same_study: Path) -> None:
    """The made-up state after t steps is t documents, or t / 2 under the gap rule; 8,166 and 5,141 were published."""
    found = section(render(same_study), "Suppression over the stream")
    assert "| LongMemEval-S: clustered30-uniform, 5,000 steps | 8,166 | 1,000 | -87.8 % |" in found
    assert "| LongMemEval-S: clustered30-gap, 5,000 steps | 5,141 | 500 | -90.3 % |" in found
    assert "For comparison, the documents after 1,000 steps." in found  # far from the published: nothing is explained
    assert found.count("| 2,000 |") >= 4

"""The tables and the report of study B, over handmade reports whose numbers are known."""

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tasks.records import BenchError, Block
from tasks.studies.build import build
from tasks.studies.declared import Quantity, Statistic
from tasks.studies.estimates import Estimate, StudyParams, estimates
from tasks.studies.markdown import render, write_study_report
from tasks.studies.opening import in_words
from tasks.studies.published import Number, Published
from tasks.studies.results import Results
from tasks.studies.study import Study
from tasks.studies.study_b_names import AVAILABLE, LOCOMO_SESSIONS, MINILM, fusion, session
from tasks.studies.verdicts import Basis, Verdict, judge
from tests.unit.reporting.handmade import make_run
from tests.unit.studies.handmade_study_b import SLOW_MS, N, hits, values_of, write_report_b, write_reports_b

FEW = StudyParams(study="study-b", n_resamples=200)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that needs no hub is measured."""
    root = tmp_path_factory.mktemp("whole")
    reports = {name: write_reports_b(root, name) for name in ("locomo", "longmemeval-s", "nfcorpus")}
    build(reports, FEW, root / "study")
    return root / "study"


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One protocol of one data set."""
    root = tmp_path_factory.mktemp("little")
    reports = {"nfcorpus": write_reports_b(root, "nfcorpus")}
    build(reports, FEW, root / "study")
    return root / "study"


def row(study: Path, table: str, name: str, column: str, file: str = "study_cells") -> dict[str, object]:
    frame = pl.read_parquet(study / f"{file}.parquet").filter(
        pl.col("table") == table, pl.col("row") == name, pl.col("column") == column
    )
    assert frame.height == 1, frame
    return frame.row(0, named=True)


def test_bm25_is_equal_to_the_printed_digits(whole: Path) -> None:
    cell = row(whole, "full metrics", "bm25", "hit_at_1")
    assert (cell["ours"], cell["verdict"], cell["basis"], cell["study"]) == (0.6395, "equal", "digits", "study-b")
    last = row(whole, "alpha curve", "1.00", "e5-large-v2")  # the weight of BM25 is 1: no encoder has a say
    assert (last["ours"], last["verdict"]) == (0.6395, "equal")
    assert row(whole, "alpha curve", "0.95", "e5-large-v2")["verdict"] == "not measured"


def test_differences_against_arithmetic(whole: Path) -> None:
    cell = row(whole, "fusion over late", MINILM, "delta_pp", "study_unpublished")
    assert cell["ours"] == pytest.approx((1323 - 823) / N)
    assert cell["n"] == N
    cell = row(whole, "late against early", MINILM, "dense_late_minus_early_pp", "study_unpublished")
    assert cell["ours"] == pytest.approx((823 - 655) / N)
    cell = row(whole, "LongMemEval-S tests", f"late - early, {MINILM}", "delta_pp")
    assert cell["ours"] == pytest.approx((823 - 655) / N)
    assert cell["published"] == 0.0467
    assert row(whole, "LongMemEval-S tests", f"late - early, {MINILM}", "p_one_sided")["ours"] == 0.0


def test_groups_and_counts_against_the_handmade_ones(whole: Path) -> None:
    cell = row(whole, "categories", "multi-hop", "n")
    assert (cell["ours"], cell["published"], cell["verdict"]) == (400.0, 281.0, "different")
    thirds = [row(whole, "length", "questions", name, "study_unpublished")["ours"] for name in ("8-15", "16-25", "26+")]
    assert thirds == [667.0, 667.0, 666.0]
    totals = [
        row(whole, "totals", "questions", f"{evidence}: {block}", "study_unpublished")["ours"]
        for evidence in ("strict", "tolerant")
        for block in ("main", "adversarial", "all")
    ]
    assert totals == [1600.0, 400.0, 2000.0] * 2
    parts = [row(whole, "totals", "bm25", f"strict: {block}", "study_unpublished") for block in ("main", "adversarial")]
    assert 0.8 * parts[0]["ours"] + 0.2 * parts[1]["ours"] == pytest.approx(0.6395)  # type: ignore[operator]


def test_tables_of_the_report_are_read_at_their_line(whole: Path) -> None:
    assert row(whole, "BM25 grid", "bm25l, k1 1.2, b 0.2", "hit_at_1")["ours"] == 0.6485
    held_out = row(whole, "BM25 grid", "leave-one-conversation-out", "hit_at_1")
    assert held_out["ours"] == pytest.approx((127 + 9 * 128) / N)
    assert held_out["verdict"] == "equal"
    assert row(whole, "alpha curve", "0.35", MINILM, "study_unpublished")["ours"] == pytest.approx(0.57)


def test_latency_has_no_verdict(whole: Path) -> None:
    cell = row(whole, "latency", "max-sim", "mean")
    assert (cell["ours"], cell["published"], cell["verdict"], cell["basis"]) == (SLOW_MS, 161.0, "no verdict", "none")


def test_an_encoder_of_a_hub_is_not_measured_and_says_why(whole: Path) -> None:
    cell = row(whole, "full metrics", "fusion max, e5-large-v2", "hit_at_1")
    assert (cell["published"], cell["verdict"], cell["artifact_keys"]) == (0.7518, "not measured", [])
    report = render(whole)
    assert re.search(r"\| fusion max, e5-large-v2 \| 0\.7518 \|.*\| \*needs a hub\* \|", report)


def test_intervals_are_over_conversations_on_locomo_alone(tmp_path: Path) -> None:
    """Every conversation has the same mean: whole conversations drawn give one value, questions drawn do not."""

    def interval(dataset: str, protocol: str) -> tuple[float, float]:
        folder = tmp_path / dataset / ("ef" * 32)
        write_report_b(folder, dataset, protocol, [session("max")])
        asked = Quantity(protocol, session("max"), "Success@1")
        p = replace(asked, statistic=Statistic.P_ONE_SIDED)
        found = estimates(Results.of(dataset, [folder], blocks=lambda _: frozenset(Block)), [asked, p], FEW)
        assert found[asked].value == pytest.approx(hits(820).mean())
        assert (found[p].value, found[p].n) == (0.0, N)
        return found[asked].lo, found[asked].hi

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.unit.studies.handmade_study_b.values_of", lambda *_: hits(820))
        assert interval("locomo", LOCOMO_SESSIONS) == (0.41, 0.41)
        lo, hi = interval("longmemeval-s", "haystack-session")
    assert lo < 0.40 < 0.42 < hi


def test_comparisons_by_every_method_are_shown(whole: Path) -> None:
    report = render(whole)
    text = report.partition("## Few conversations")[2].partition("\n## ")[0]
    assert "which lie in 10 conversations" in text
    shown = "[+0.2300, +0.2700] | [+0.2400, +0.2600] | – | [+0.2200, +0.2800] | 0.0039 (floor 0.0020) |"
    assert f"| +0.2500 | {shown}" in text
    assert "The exact test gives p 0.0039, its floor 0.0020." in report


def test_a_one_sided_p_is_judged_by_the_level() -> None:
    ours = Estimate(0.01, n=100)
    assert judge(Number(0.02, 3), ours, None, Statistic.P_ONE_SIDED) == (Verdict.CONSISTENT, Basis.DIGITS)
    assert judge(Number(0.432, 4), ours, None, Statistic.P_ONE_SIDED) == (Verdict.DIFFERENT, Basis.DIGITS)


def test_the_opening_says_what_came_out(whole: Path) -> None:
    verdicts, told = in_words(Study.read(whole))
    assert verdicts.startswith("Study B published ")
    assert "15 are shown without a verdict" in verdicts
    assert told["BM25"].startswith("1 of 5 measures on LoCoMo are equal to the printed digits")
    assert "+0.2500" in told["Fusion over late"]
    deltas = [
        values_of(fusion("max", name), "Success@1").sum() - values_of(session("max", name), "Success@1").sum()
        for name in AVAILABLE
    ]
    assert f"{sum(delta > 0 for delta in deltas)} of 3 have the published sign" in told["Fusion over late"]
    assert "6 of the study's 6 encoders live on a hub" in told["Encoders"]
    assert "not significant there, and +0.0700 [+0.0460, +0.0960] with bge-base on all 500" in told["LongMemEval-S"]


def test_weaknesses_have_their_numbers(whole: Path) -> None:
    text = render(whole).partition("## Weaknesses")[2].partition("\n## ")[0]
    assert "3 of 2,000 questions are decided by the order of equals alone" in text
    assert "BM25: 0.6395 with them" in text
    assert "with the latest, BM25's Hit@1 is 0.6390" in text
    assert "is 1.00, 0.7000; chosen on the other conversations it gives 0.6615 (-0.0385)" in text
    assert "The published curve of e5-large-v2 has its top, 0.7518, at 0.40" in text


def test_the_report_of_a_run_with_little_in_it(little: Path) -> None:
    report = render(little)
    assert "**LoCoMo**: not measured in this run." in report
    assert "Its row on LoCoMo is not measured in this run." in report
    assert "**NFCorpus, `pooled-document`**" in report
    assert "**LongMemEval-S**: not measured in this run." in report


@pytest.mark.parametrize("name", ["whole", "little"])
def test_every_table_has_as_many_cells_in_every_row(name: str, request: pytest.FixtureRequest) -> None:
    report = render(request.getfixturevalue(name))
    blocks = re.findall(r"(?:^\|.*\|\n)+", report, flags=re.MULTILINE)
    assert len(blocks) > 5
    for block in blocks:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block[:500]
    assert not re.search(r"\bnan\b|\bNone\b|\bNaN\b", report)


def test_chosen_weights_are_shown(whole: Path) -> None:
    text = render(whole).partition("## Weight of BM25")[2].partition("\n## ")[0]
    assert "| conv-9 | 0.40 | 0.6600 | 200 |" in text


def test_each_published_number_is_counted_once(whole: Path) -> None:
    study = Study.read(whole)
    cells = pl.read_parquet(whole / "study_cells.parquet")
    assert len(study.published) == cells.filter(pl.col("table") != "LongMemEval-S, 150").height
    assert cells.filter(pl.col("table") == "LongMemEval-S, 150").height == 35


def test_the_report_takes_its_figures_along(whole: Path, tmp_path: Path) -> None:
    path = write_study_report(whole, [make_run()] * 3, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Study B: what reproduces, what does not, and why")
    stems = re.findall(r"\]\((figures/[a-z]+\.png)\)", text)
    assert sorted(stems) == ["figures/alpha.png", "figures/fusion.png"]
    assert all((path.parent / stem).is_file() for stem in stems)


def test_an_artifact_says_which_study_it_is(whole: Path) -> None:
    assert json.loads((whole / "study.json").read_text(encoding="utf-8")) == {"study": "study-b"}
    assert Study.read(whole).name == "study-b"
    with pytest.raises(BenchError, match="holds study-b, but the published files are of study-a"):
        Study.read(whole, Published("study-a"))
    with pytest.raises(BenchError, match="no study 'study-c' was published"):
        Published("study-c")


def test_reports_of_a_data_set_that_the_study_has_not(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="study B has no data set synthetic; expected some of locomo"):
        build({"synthetic": []}, FEW, tmp_path)


def test_receipts_name_the_report(whole: Path) -> None:
    assert row(whole, "full metrics", "bm25", "mrr")["artifact_keys"] == ["0" + "cd" * 31]
    assert row(whole, "full metrics", "bm25", "mrr")["protocol"] == LOCOMO_SESSIONS

"""The tables of a study, over handmade reports whose numbers are known."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.records import BenchError
from tasks.studies.build import build, study_cells
from tasks.studies.declared import NDCG, POOL_RECALL
from tasks.studies.estimates import StudyParams
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.study_a_names import SPLIT, SUPPRESSION, baseline
from tests.unit.studies.conftest import FEW
from tests.unit.studies.handmade_study import MISSING, write_reports

PLAIN = baseline(SPLIT, SUPPRESSION)


def row(study: Path, name: str, **where: object) -> dict[str, object]:
    frame = pl.read_parquet(study / f"{name}.parquet").filter(
        pl.col(key) == pl.lit(value) for key, value in where.items()
    )
    assert frame.height == 1, frame
    return frame.row(0, named=True)


def published_values(variant: str, measure: str) -> dict[str, float]:
    values = Published().per_query("longmemeval-s", variant, measure)
    assert values is not None
    return dict(values)


def test_published_values_come_out_equal_where_no_question_is_missing(same_study: Path) -> None:
    cells = study_cells(same_study, "nfcorpus").filter(pl.col("table") == "main")
    assert cells.height == 26
    is_p = pl.col("column").str.starts_with("p_")
    means = cells.filter(~is_p)
    assert set(means["verdict"]) == {"equal"}
    assert set(means["share_identical"]) == {1.0}
    assert means["difference"].abs().max() == 0
    assert set(cells.filter(is_p)["verdict"]) <= {"equal", "consistent"}  # other random signs than the study's


def test_a_missing_question_moves_digits_and_no_paired_test(same_study: Path) -> None:
    cells = study_cells(same_study, "longmemeval-s").filter(pl.col("table") == "main", pl.col("column") == "ndcg_at_10")
    assert set(cells["n_shared"]) == {499}
    assert cells["difference"].abs().max() == 0
    assert set(cells["verdict"]) <= {"equal", "consistent"}
    plain = row(same_study, "study_causes", row="baseline", dataset="longmemeval-s", cause="missing questions")
    values = published_values("baseline", NDCG)
    without = [value for query_id, value in values.items() if query_id != MISSING]
    assert plain["ndcg"] == pytest.approx(np.mean(without) - np.mean(list(values.values())))
    assert plain["ndcg"] != 0


def test_a_shifted_baseline_is_different_by_the_shift(small_study: Path) -> None:
    values = {q: v for q, v in published_values("baseline", NDCG).items() if q != MISSING}
    shift = np.mean([min(v + 0.125, 1) - v for v in values.values()])
    cell = row(small_study, "study_cells", table="main", row="baseline", column="ndcg_at_10", dataset="longmemeval-s")
    assert cell["difference"] == pytest.approx(shift)
    assert (cell["verdict"], cell["basis"]) == ("different", "paired")
    assert cell["share_identical"] == pytest.approx(np.mean([v == 1 for v in values.values()]))
    assert cell["p"] == pytest.approx(1 / 201)
    effect = row(
        small_study, "study_cells", table="main", row="clustered30-gap", column="delta_ndcg", dataset="longmemeval-s"
    )
    assert effect["difference"] == pytest.approx(-shift)
    pairs = row(small_study, "study_agreement", row="baseline", measure=NDCG)
    assert pairs["published_shared"] == pytest.approx(np.mean(list(values.values())))
    assert pairs["n_published"] == 500


def test_the_causes_tell_the_first_stage_from_the_reranker(small_study: Path) -> None:
    first = row(small_study, "study_causes", row="baseline", cause="first stage")
    assert (first["recall"], first["n"]) == (0, 499)
    assert np.isnan(first["ndcg"])  # type: ignore[call-overload]
    rest = row(small_study, "study_causes", row="baseline", cause="reranker")
    cell = row(small_study, "study_cells", table="main", row="baseline", column="ndcg_at_10", dataset="longmemeval-s")
    assert rest["ndcg"] == pytest.approx(cell["difference"])
    causes = pl.read_parquet(small_study / "study_causes.parquet")
    assert "rank origin" not in set(causes["cause"])  # not in this run


def test_a_variant_that_is_not_in_the_run_is_not_measured(small_study: Path) -> None:
    cells = study_cells(small_study, "longmemeval-s")
    absent = cells.filter(pl.col("verdict") == "not measured")
    assert absent.height == cells.filter(pl.col("ours").is_nan()).height > 100
    assert set(cells.filter(pl.col("table") == "baselines")["verdict"]) == {"not measured"}
    assert set(study_cells(small_study, "nfcorpus")["verdict"]) == {"not measured"}
    assert study_cells(small_study, "locomo").height == 0
    assert cells.filter((pl.col("verdict") == "not measured") == (pl.col("artifact_keys").list.len() > 0)).height == 0


def test_states_are_read_at_their_step(same_study: Path) -> None:
    def ours(dataset: str, name: str, column: str) -> object:
        return row(same_study, "study_cells", table="saturation", dataset=dataset, row=name, column=column)["ours"]

    assert ours("longmemeval-s", "clustered30-gap, 5,000 steps", "suppressed_entries") == 2500
    assert ours("nfcorpus", "clustered30-uniform, 3,000 steps", "suppressed_entries") == 3000
    assert ours("longmemeval-s", "(any), 3,000 steps", "share_of_corpus") == pytest.approx(3000 / 199_240)


def test_the_algorithm_box_to_the_letter_is_set_against_the_code(small_study: Path) -> None:
    found = pl.read_parquet(small_study / "study_readings.parquet").filter(pl.col("place") == "rules")
    released, literal = (
        found.filter(pl.col("reading") == name).row(0, named=True)
        for name in ("released", "the algorithm box to the letter")
    )
    assert literal["shift"] == pytest.approx(literal["ours"] - released["ours"])
    assert literal["shift_lo"] < literal["shift"] < literal["shift_hi"]
    assert np.isnan(released["shift"])
    assert found.filter(pl.col("reading") == "the text's")["ours"].is_nan().all()


def test_readings_of_two_samples_have_no_paired_interval(same_study: Path) -> None:
    found = pl.read_parquet(same_study / "study_readings.parquet").filter(pl.col("place") == "dense + rerank")
    sample, everything = (
        found.filter(pl.col("reading") == name).row(0, named=True) for name in ("the 200 questions", "all questions")
    )
    assert (sample["n"], everything["n"], everything["claim"]) == (200, 499, 0.2217)
    assert everything["shift"] == pytest.approx(everything["ours"] - sample["ours"]) != 0
    assert np.isnan(everything["shift_lo"])


def test_a_relative_gain_is_over_the_baseline(same_study: Path) -> None:
    cell = row(same_study, "study_unpublished", table="cluster source", row="all queries", column="relative_ndcg_gain")
    means = {
        name: np.mean([v for q, v in published_values(name, NDCG).items() if q != MISSING])
        for name in ("baseline", "clustered30-gap")
    }
    assert cell["ours"] == pytest.approx(means["clustered30-gap"] / means["baseline"] - 1)


def test_streams_against_the_means_of_the_baseline(same_study: Path) -> None:
    found = row(same_study, "study_streams", dataset="nfcorpus", row="global-uniform", measure=NDCG)
    deltas = np.array(found["deltas"])
    values = [np.mean(list(Published().per_query("nfcorpus", name, NDCG).values())) for name in ("baseline",)]  # type: ignore[union-attr]
    assert found["n_streams"] == len(deltas) == 20
    assert found["delta"] == pytest.approx(deltas.mean())
    assert found["mean"] == pytest.approx(deltas.mean() + values[0])
    assert found["delta_sd"] == pytest.approx(deltas.std(ddof=1)) == found["sd"]
    assert found["share_opposite"] == np.mean(deltas > 0)  # the mean effect is below 0
    assert found["published_delta"] == -0.0264
    assert found["share_as_far"] == np.mean(deltas <= -0.0264)


def test_receipts_name_the_report_and_the_rankings(same_study: Path) -> None:
    cell = row(same_study, "study_cells", table="main", dataset="nfcorpus", row="clustered30-gap", column="delta_ndcg")
    assert cell["artifact_keys"] == ["0" + "ab" * 31, "g" * 64, "k" * 64]


def test_states_of_two_questions_types_are_apart(same_study: Path) -> None:
    columns = ("knowledge-update: exact_episode", "overall: exact_episode")
    kind, overall = (
        row(same_study, "study_cells", table="behaviour", row=name, column="baseline")["ours"] for name in columns
    )
    assert kind != overall


def test_the_recall_of_the_pool_is_its_own_measure(same_study: Path) -> None:
    cell = row(same_study, "study_cells", table="main", dataset="nfcorpus", row="baseline", column="recall_at_30")
    assert (cell["measure"], cell["published"]) == (POOL_RECALL, 0.2131)


def test_wrong_reports_and_changed_published_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no data set msmarco; expected some of longmemeval-s, nfcorpus, locomo"):
        build({"msmarco": []}, FEW, tmp_path)
    with pytest.raises(BenchError, match=r"the published files have digest .*, expected 0123"):
        build({}, StudyParams(published_digest="0123"), tmp_path)
    folders = write_reports(tmp_path, "nfcorpus", only=[PLAIN])
    with pytest.raises(BenchError, match="a report of nfcorpus under pooled-document; expected one of locomo"):
        Results.of("locomo", folders)
    with pytest.raises(BenchError, match="there is pooled-document so far"):
        Results.of("nfcorpus", [*folders, *folders])


def test_only_the_main_block_counts_under_other_relevance_than_the_study_s(tmp_path: Path) -> None:
    (folder,) = write_reports(tmp_path, "nfcorpus", only=[PLAIN])
    path = folder / "tables" / "queries.parquet"
    queries = pl.read_parquet(path)
    dropped = pl.Series([*["adversarial"] * 3, *["main"] * (queries.height - 3)])
    queries.with_columns(dropped.alias("block")).write_parquet(path)
    assert len(Results.of("nfcorpus", [folder]).judged["pooled-document"].query_ids) == queries.height - 3
    facts = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (folder / "report.json").write_text(json.dumps(facts | {"protocol": "pooled-turn(relevance=study-a)"}))
    assert len(Results.of("nfcorpus", [folder]).judged["pooled-turn(relevance=study-a)"].query_ids) == queries.height

"""Study A's published statistics, reproduced exactly from its published per-query values."""

import csv
import json
from functools import cache
from pathlib import Path

import pytest

from tasks.significance.published import PairedTest, PerQuery, StudyARow, study_a_table

DATA = Path(__file__).resolve().parents[2] / "data" / "published" / "study-a"
FILES = {
    "longmemeval-s": DATA / "rif_longmemeval_per_query.json",
    "nfcorpus": DATA / "rif_nfcorpus_per_query.json",
}


def read_rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def reproduced(dataset: str, baseline: str) -> dict[str, StudyARow]:
    content = json.loads(FILES[dataset].read_text(encoding="utf-8"))
    # The study calls its uniform rule "original".
    variants = {
        config["name"].replace("-original", "-uniform"): PerQuery(config["ndcg"], config["recall"])
        for config in content["configs"]
    }
    return study_a_table(variants, baseline)


def numbers_of(paired: PairedTest | None) -> list[float]:
    assert paired is not None
    return [paired.difference.mean, paired.difference.lo, paired.difference.hi, paired.p]


def printed(numbers: list[float]) -> list[float]:
    return [float(f"{number:.4f}") for number in numbers]


MAIN = [(row["dataset"], row["variant"], row) for row in read_rows("rif_main.csv") if row["tokenizer"] == "split"]


@pytest.mark.parametrize(("dataset", "variant", "row"), MAIN, ids=[f"{d}-{v}" for d, v, _ in MAIN])
def test_main_table_against_published(dataset: str, variant: str, row: dict[str, str]) -> None:
    ours = reproduced(dataset, "baseline")[variant]
    for interval, names in (
        (ours.ndcg, ("ndcg_at_10", "ndcg_lo", "ndcg_hi")),
        (ours.recall, ("recall_at_30", "recall_lo", "recall_hi")),
    ):
        assert printed([interval.mean, interval.lo, interval.hi]) == [float(row[name]) for name in names]
    if variant == "baseline":
        assert ours.ndcg_against_baseline is None
        return
    expected = [float(row[name]) for name in ("delta_ndcg", "delta_ndcg_lo", "delta_ndcg_hi", "p_ndcg")]
    assert printed(numbers_of(ours.ndcg_against_baseline)) == expected
    expected = [float(row[name]) for name in ("delta_recall", "delta_recall_lo", "delta_recall_hi", "p_recall")]
    assert printed(numbers_of(ours.recall_against_baseline)) == expected


PAIRWISE = [(row["dataset"], row["treatment"], row["against"], row) for row in read_rows("rif_pairwise.csv")]


@pytest.mark.parametrize(("dataset", "variant", "against", "row"), PAIRWISE, ids=[f"{p[0]}-{p[1]}" for p in PAIRWISE])
def test_pairwise_table_against_published(dataset: str, variant: str, against: str, row: dict[str, str]) -> None:
    ours = reproduced(dataset, against)[variant]
    expected = [float(row[name]) for name in ("delta_ndcg", "lo", "hi", "p")]
    assert printed(numbers_of(ours.ndcg_against_baseline)) == expected
    expected = [float(row[name]) for name in ("delta_recall", "r_lo", "r_hi", "r_p")]
    assert printed(numbers_of(ours.recall_against_baseline)) == expected


def test_every_published_row_is_checked() -> None:
    assert len(MAIN) == 10
    assert len(PAIRWISE) == 4

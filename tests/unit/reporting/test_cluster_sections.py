"""Comparisons over few groups in a report: their table and their section, from a handmade run."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.records import BenchError
from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.cluster_sections import few_groups
from tasks.reporting.cluster_tables import cluster_comparisons
from tasks.reporting.declared import write
from tasks.reporting.sources import Sources
from tasks.reporting.warehouse import read_facts
from tasks.significance.schemas import CLUSTER_COMPARISON_SCHEMA
from tests.unit.reporting.handmade import World

PROTOCOL = "conversation-turn"
GAP, UNIFORM = "rif(rule=gap,clusters=30)", "rif(rule=uniform,clusters=1)"
MAIN_FAMILY = "variants against hybrid-rerank"
Write = Callable[[pl.DataFrame], Path]


def rows_of(
    variant: str, *, family: str = MAIN_FAMILY, block: str = "main", n_groups: int = 10, shift: float = 0.0
) -> list[tuple[Any, ...]]:
    baseline = "hybrid-rerank" if family == MAIN_FAMILY else UNIFORM
    start = (block, family, variant, baseline, "nDCG@10")
    delta, floor = 0.05 + shift, 2 / 2**n_groups
    return [
        (*start, "question-bootstrap", 1536, n_groups, delta, 0.04, 0.06, None, None, False),
        (*start, "cluster-bootstrap", 1536, n_groups, delta, 0.03, 0.07, 0.0, None, True),
        (*start, "cluster-sign-flip", 1536, n_groups, delta, None, None, floor, floor, False),
        (*start, "cluster-bootstrap-t", 1536, n_groups, delta, 0.02, 0.08, 0.001, 0.0005, False),
        (*start, "wild-cluster", 1536, n_groups, delta, -0.01, 0.09, 0.004, 0.00025, False),
    ]


def frame_of(*parts: list[tuple[Any, ...]]) -> pl.DataFrame:
    rows = [row for part in parts for row in part]
    return pl.DataFrame(rows, schema=CLUSTER_COMPARISON_SCHEMA, orient="row")


@pytest.fixture
def report_of(report_dir: Path, tmp_path: Path) -> Write:
    """Copy the handmade report, with these rows as its comparisons over groups."""

    def copied(frame: pl.DataFrame) -> Path:
        copy = tmp_path / "report"
        shutil.copytree(report_dir, copy)
        typed = frame.with_columns(pl.col("n", "n_groups").cast(pl.Int32), pl.lit(PROTOCOL).alias("protocol"))
        write(typed, CLUSTER_COMPARISONS, copy / "tables" / "cluster_comparisons.parquet")
        return copy

    return copied


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def rows_under(lines: list[str]) -> list[list[str]]:
    found = [cells(line) for line in lines if line.startswith("|")]
    return [found[0], *found[2:]]


# --- the table -----------------------------------------------------------------------------------------------------


def test_table_carries_the_protocol_in_its_key(world: World) -> None:
    frame_of(rows_of("dense"), rows_of("bm25")).write_parquet(world.inputs.significance / "cluster_comparisons.parquet")
    found = cluster_comparisons(Sources.read(world.inputs, PROTOCOL))
    assert found.schema == CLUSTER_COMPARISONS.schema
    assert found["protocol"].unique().to_list() == [PROTOCOL]
    assert "protocol" in CLUSTER_COMPARISONS.key
    assert found["variant"].to_list() == ["bm25"] * 5 + ["dense"] * 5  # by key
    assert found.filter(method="cluster-sign-flip")["lo"].null_count() == 2


def test_doubled_and_missing_tables_are_refused(world: World) -> None:
    source = Sources.read(world.inputs, PROTOCOL)
    path = world.inputs.significance / "cluster_comparisons.parquet"
    path.unlink(missing_ok=True)
    with pytest.raises(BenchError, match="cannot be read as Parquet"):
        cluster_comparisons(source)
    frame_of(rows_of("dense"), rows_of("dense")).write_parquet(path)
    with pytest.raises(BenchError, match="10 rows share their key"):
        cluster_comparisons(source)


# --- the section ---------------------------------------------------------------------------------------------------


def test_section_sets_four_intervals_side_by_side_with_the_floor(report_of: Write) -> None:
    report = report_of(frame_of(rows_of(GAP), rows_of("bm25", shift=-0.1), rows_of(GAP, block="adversarial")))
    lines = few_groups(read_facts(report), report)
    assert lines[0] == "## Few groups: nDCG@10 against hybrid-rerank, block main"
    header, *rows = rows_under(lines)
    assert [name for name in header if name.startswith(("questions:", "conversations:"))] == header[2:6]
    assert [row[0] for row in rows] == ["bm25", "clustered 30, rank-gap"]  # as people read them; main block only
    assert rows[1][1:] == [
        "+0.0500",
        "[+0.0400, +0.0600]",
        "[+0.0300, +0.0700]",
        "[+0.0200, +0.0800]",
        "[-0.0100, +0.0900]",
        "0 of 4,000 draws",
        "0.0020",
        "2/1024",
    ]
    assert rows[0][1] == "-0.0500"


def test_section_says_what_few_groups_mean(report_of: Write) -> None:
    report = report_of(frame_of(rows_of(GAP)))
    text = few_groups(read_facts(report), report)[2]
    assert "1,536 questions come from 10 conversations" in text
    assert "no exact p is below 2/1024 = 0.0020, however large the difference" in text


def test_section_of_another_family(report_of: Write) -> None:
    report = report_of(frame_of(rows_of("bm25"), rows_of(GAP, family="gap | against uniform", n_groups=4)))
    lines = few_groups(read_facts(report), report, family=1)
    assert "against global, uniform" in lines[0]
    (row,) = rows_under(lines)[1:]
    assert (row[0], row[-2:]) == ("clustered 30, rank-gap", ["0.1250", "2/16"])


def test_absent_numbers_are_dashes_and_sampled_floors_numbers(report_of: Write) -> None:
    is_studentised = pl.col("method").is_in(["cluster-bootstrap-t", "wild-cluster"])
    frame = frame_of(rows_of(GAP, n_groups=2)).with_columns(
        pl.when(is_studentised).then(None).otherwise(pl.col(name)).alias(name) for name in ("lo", "hi")
    )
    many = frame_of(rows_of("bm25", n_groups=30)).with_columns(
        pl.when(pl.col("p_floor").is_not_null()).then(pl.lit(0.001)).alias("p_floor")
    )
    report = report_of(pl.concat([frame, many]))
    bm25, gap = rows_under(few_groups(read_facts(report), report))[1:]
    assert gap[4:6] == ["–", "–"]
    assert gap[-1] == "2/4"
    assert bm25[-1] == "0.0010"


def test_nothing_grouped_or_compared_gives_no_section(report_of: Write) -> None:
    report = report_of(frame_of(rows_of(GAP, block="adversarial")))
    facts = read_facts(report)
    assert few_groups(facts, report) == []
    assert few_groups(facts | {"families": []}, report) == []

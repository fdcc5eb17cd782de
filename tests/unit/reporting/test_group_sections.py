"""Groups of questions in a report: their table, section and figures, from a handmade run."""

import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.randomness import generator
from tasks.records import BenchError
from tasks.reporting import group_figures, schemas
from tasks.reporting.group_schemas import GROUP_SUMMARY, QUERY_GROUPS
from tasks.reporting.group_sections import FIGURES, groups
from tasks.reporting.group_tables import group_summary, query_groups
from tasks.reporting.sources import Sources
from tasks.reporting.warehouse import read_facts
from tasks.significance.bootstrap import mean_interval
from tests.unit.reporting.handmade import QUERIES, World

PROTOCOL = "conversation-turn"
LENGTHS = ("8-15", "8-15", "26+", "26+", "26+", "8-15", None)
"""Class of the longest gold session of each question of the handmade run; the last has no gold."""
GAP = "rif(rule=gap,clusters=30)"


def handmade_groups() -> pl.DataFrame:
    types = [(PROTOCOL, query_id, "question_type", kind) for query_id, kind, _, _ in QUERIES]
    classes = zip(QUERIES, LENGTHS, strict=True)
    lengths = [(PROTOCOL, query[0], "gold_session_length", group) for query, group in classes if group]
    return pl.DataFrame([*types, *lengths], schema=QUERY_GROUPS.schema, orient="row")


def summary_of(report_dir: Path, metrics: pl.DataFrame | None = None) -> pl.DataFrame:
    tables = report_dir / "tables"
    values = schemas.read(tables, schemas.QUERY_METRICS) if metrics is None else metrics
    return group_summary(values, schemas.read(tables, schemas.QUERIES), handmade_groups(), ["nDCG@10"], seed=3)


@pytest.fixture
def report(report_dir: Path, tmp_path: Path) -> Path:
    """A copy of the handmade report, with the groups of its questions."""
    copy = tmp_path / "report"
    shutil.copytree(report_dir, copy)
    schemas.write(handmade_groups(), QUERY_GROUPS, copy / "tables" / "query_groups.parquet")
    schemas.write(summary_of(copy), GROUP_SUMMARY, copy / "tables" / "group_summary.parquet")
    return copy


def row(summary: pl.DataFrame, block: str, group: str, variant: str) -> dict[str, Any]:
    return summary.row(
        by_predicate=(pl.col("block") == block) & (pl.col("group") == group) & (pl.col("variant") == variant),
        named=True,
    )


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def table_under(lines: list[str], title: str) -> list[list[str]]:
    """Return the first table after a title: header, then rows, without the line of dashes."""
    after = lines[lines.index(title) + 1 :]
    start = next(place for place, line in enumerate(after) if line.startswith("| variant"))
    end = next(place for place, line in enumerate(after) if place > start and not line.startswith("|"))
    return [cells(line) for line in after[start:end] if not line.startswith("| :--")]


# --- the table -----------------------------------------------------------------------------------------------------


def test_means_and_counts_against_hand_computed(report: Path) -> None:
    summary = summary_of(report)
    found = row(summary, "main", "multi-hop", "hybrid-rerank")  # 1.0, 0.5, and one without evidence
    assert (found["n"], found["n_undefined"], found["mean"]) == (2, 1, 0.75)
    assert (found["lo"], found["hi"]) == (0.5, 1.0)  # of two questions a resample is one of them twice 1 time in 4
    assert row(summary, "main", "26+", "bm25")["mean"] == pytest.approx((0.0 + 0.5 + 0.63) / 3)
    assert row(summary, "main", "8-15", "bm25")["mean"] == 0.25
    assert row(summary, "main", "8-15", GAP)["n_undefined"] == 0
    assert row(summary, "adversarial", "8-15", "bm25")["mean"] == 0.0
    assert row(summary, "all", "8-15", "hybrid-rerank")["mean"] == pytest.approx((1.0 + 0.5 + 0.4) / 3)
    assert row(summary, "all", "adversarial", "dense")["n"] == 1


def test_adversarial_questions_are_in_no_mean_of_the_main_block(report: Path) -> None:
    summary = summary_of(report)
    assert "adversarial" not in summary.filter(pl.col("block") == "main")["group"].to_list()
    sizes = {block: row(summary, block, "8-15", "bm25")["n"] for block in ("main", "adversarial", "all")}
    assert sizes == {"main": 2, "adversarial": 1, "all": 3}


def test_intervals_are_those_of_the_named_generator(report: Path) -> None:
    found = row(summary_of(report), "main", "26+", "bm25")
    rng = generator(3, "group means", "main", "gold_session_length", "26+")
    expected = mean_interval([0.0, 0.5, 0.63], rng=rng)
    assert (found["lo"], found["hi"]) == pytest.approx((expected.lo, expected.hi))
    assert found["lo"] < found["mean"] < found["hi"]


def test_a_question_missing_from_one_variant_is_counted_there_only(report: Path) -> None:
    metrics = schemas.read(report / "tables", schemas.QUERY_METRICS)
    is_lost = (pl.col("variant") == "bm25") & (pl.col("query_id") == QUERIES[3][0])  # the question with 0.5
    lost = summary_of(report, metrics.with_columns(value=pl.when(is_lost).then(float("nan")).otherwise("value")))
    found = row(lost, "main", "26+", "bm25")
    assert (found["n"], found["n_undefined"], found["mean"]) == (2, 1, pytest.approx(0.315))
    assert row(lost, "main", "26+", "dense") == row(summary_of(report), "main", "26+", "dense")


def test_one_block_with_values_has_no_second_total(report: Path) -> None:
    metrics = schemas.read(report / "tables", schemas.QUERY_METRICS)
    main_only = metrics.with_columns(
        value=pl.when(pl.col("query_id") == QUERIES[5][0]).then(float("nan")).otherwise("value")
    )
    assert summary_of(report, main_only)["block"].unique().to_list() == ["main"]


def test_query_groups_carry_the_ids_of_the_corpus_and_only_of_questions_asked(world: World) -> None:
    schema = {"query_index": pl.Int32, "by": pl.Utf8, "group": pl.Utf8}
    rows = [
        (1, "n_gold_sessions", "1"),
        (0, "question_type", "x"),
        (0, "n_gold_sessions", "3+"),
        (3, "question_type", "y"),
    ]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    world.edit("groups/query_groups", lambda _: table)
    asked = pl.DataFrame({"query_id": [QUERIES[0][0], QUERIES[1][0]]})
    found = schemas.conform(query_groups(Sources.read(world.inputs, PROTOCOL), asked), QUERY_GROUPS)
    assert found.rows() == [
        (PROTOCOL, "conv-1_qa0", "n_gold_sessions", "3+"),
        (PROTOCOL, "conv-1_qa0", "question_type", "x"),
        (PROTOCOL, QUERIES[1][0], "n_gold_sessions", "1"),
    ]


def test_a_question_twice_in_one_grouping_is_refused(tmp_path: Path) -> None:
    twice = pl.concat([handmade_groups(), handmade_groups()])
    with pytest.raises(BenchError, match="share their key"):
        schemas.write(twice, QUERY_GROUPS, tmp_path / "query_groups.parquet")


# --- the section ---------------------------------------------------------------------------------------------------


def test_section_has_both_totals(report: Path) -> None:
    header, *rows = table_under(groups(read_facts(report), report), "### Blocks")
    assert header == ["variant", "main (n = 5 of 6)", "adversarial (n = 1 of 1)", "all questions (n = 6 of 7)"]
    assert next(line for line in rows if line[0] == "hybrid-rerank")[1].startswith("0.6260 [")  # 3.13 / 5


def test_section_by_type_against_hand_computed(report: Path) -> None:
    lines = groups(read_facts(report), report)
    header, *rows = table_under(lines, "### By question type")
    assert header[1:3] == ["knowledge-update (n = 1)", "multi-hop (n = 2)"]
    assert header[3].startswith("temporal \\$x\\$") and header[3].endswith("(n = 2)")  # escaped
    assert next(line for line in rows if line[0] == "hybrid-rerank")[2] == "0.7500 [0.5000, 1.0000]"
    by_type = lines[lines.index("### By question type") : lines.index("### By length of the longest gold session")]
    assert "**Adversarial**" not in by_type  # one type: its mean is that of its block, above


def test_section_by_length_has_every_block_and_classes_in_order(report: Path) -> None:
    lines = groups(read_facts(report), report)
    lines = lines[lines.index("### By length of the longest gold session") :]
    assert [line for line in lines if line.startswith("**")] == ["**Main**", "**Adversarial**", "**All questions**"]
    assert table_under(lines, "**Main**")[0] == ["variant", "8-15 turns (n = 2)", "26+ turns (n = 3)"]
    assert table_under(lines, "**Adversarial**")[0] == ["variant", "8-15 turns (n = 1)"]
    assert table_under(lines, "**All questions**")[0] == ["variant", "8-15 turns (n = 3)", "26+ turns (n = 3)"]
    bm25 = next(line for line in table_under(lines, "**All questions**") if line[0] == "bm25")
    assert bm25[1].startswith("0.1667 [")  # 0.5, 0.0, 0.0


def test_a_cell_with_fewer_questions_says_so(report: Path) -> None:
    summary = summary_of(report)
    is_it = (pl.col("variant") == "bm25") & (pl.col("block") == "main") & (pl.col("group") == "26+")
    fewer = summary.with_columns(n=pl.when(is_it).then(2).otherwise("n").cast(pl.Int32))
    schemas.write(fewer, GROUP_SUMMARY, report / "tables" / "group_summary.parquet")
    lines = groups(read_facts(report), report)
    lines = lines[lines.index("### By length of the longest gold session") :]
    bm25, dense = (
        next(line for line in table_under(lines, "**Main**") if line[0] == name) for name in ("bm25", "dense")
    )
    assert bm25[2].endswith("(n = 2)")
    assert "n =" not in dense[2]


def test_no_groups_and_one_block_give_no_section(report: Path) -> None:
    schemas.write(summary_of(report).clear(), GROUP_SUMMARY, report / "tables" / "group_summary.parquet")
    summary = schemas.read(report / "tables", schemas.SUMMARY)
    main_only = summary.filter(pl.col("block") == "main")
    schemas.write(main_only, schemas.SUMMARY, report / "tables" / "summary.parquet")
    assert groups(read_facts(report), report) == []


# --- the figures ---------------------------------------------------------------------------------------------------


def test_figures_are_drawn_once_per_grouping_with_sessions(report: Path, tmp_path: Path) -> None:
    facts, summary = read_facts(report), summary_of(report)
    for folder in ("a", "b"):
        group_figures.draw(summary, facts, tmp_path / folder)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "gold_session_length.png",
        "gold_session_length.svg",
    ]
    assert set(FIGURES) >= {"gold_session_length"}
    for name in ("gold_session_length.png", "gold_session_length.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    svg = (tmp_path / "a" / "gold_session_length.svg").read_text(encoding="utf-8")
    shown = [text.strip() for text in re.findall(r"<!-- (.*?) -->", svg)]
    assert {"0.75", "0.54", "0.40"} <= set(shown)  # hybrid-rerank: (1 + 0.5) / 2, (0 + 0.63 + 1) / 3, and 0.4 alone
    assert {"main", "8-15 turns", "n = 2", "26+ turns", "n = 3", "adversarial", "n = 1"} <= set(shown)

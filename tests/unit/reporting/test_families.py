"""Families of comparisons in a report: the main one leads, the others have a section of their own."""

from pathlib import Path

import polars as pl
import pytest

from tasks.reporting.families import baseline_of, members
from tasks.reporting.headline import headline_sentences, headline_table
from tasks.reporting.markdown import render
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.warehouse import read_facts
from tests.unit.reporting.handmade import VARIANTS, World


@pytest.fixture
def two_stages(world: World) -> World:
    """Dense and bm25 as a family of their own, with dense as its baseline; the pairwise family after it."""

    def split(table: pl.DataFrame) -> pl.DataFrame:
        of_other = table.filter(pl.col("variant") == "bm25", family_index=0)
        other = of_other.with_columns(
            pl.lit("over <another> first stage").alias("family"),
            pl.lit(1, pl.Int32).alias("family_index"),
            pl.lit("dense").alias("baseline"),
        )
        pairwise = table.filter(family_index=1).with_columns(pl.lit(2, pl.Int32).alias("family_index"))
        return pl.concat([table.filter(pl.col("variant").str.starts_with("rif("), family_index=0), other, pairwise])

    world.edit("significance/comparisons", split)
    return world


def test_headline_and_figures_are_of_the_main_family(two_stages: World, run_facts: RunFacts) -> None:
    report = two_stages.report(is_drawn=False)
    assert [row[0] for row in headline_table(report).rows] == [
        "hybrid-rerank",
        "global, uniform",
        "clustered 30, rank-gap",
    ]
    sentences = " ".join(headline_sentences(report))
    assert "clustered 30, rank-gap (+0.2740)" in sentences
    assert "bm25" not in sentences
    facts = read_facts(report)
    assert facts["baseline"] == "hybrid-rerank"
    assert [family["baseline"] for family in facts["families"]] == [
        "hybrid-rerank", "dense", "rif(rule=uniform,clusters=1)",
    ]  # fmt: skip


def test_other_families_have_a_table_each(two_stages: World, run_facts: RunFacts) -> None:
    text = (
        render([two_stages.report(is_drawn=False)], run_facts).split("## Other comparisons\n", 1)[1].split("\n## ")[0]
    )
    assert "### over &lt;another&gt; first stage" in text
    assert "### gap \\| against uniform" in text
    first, second = text.split("### ")[1:]
    assert "| dense | 0.3860" in first
    assert "| baseline |" in first
    assert "Against dense, nDCG@10 is worse with bm25 (-0.3000)." in first
    assert "clustered 30" not in first
    assert "Against global, uniform, nDCG@10 is better with clustered 30, rank-gap (+0.2740)." in second


def test_means_of_other_families_are_folded(two_stages: World, run_facts: RunFacts) -> None:
    text = render([two_stages.report(is_drawn=False)], run_facts).split("## All measures\n", 1)[1].split("\n## ")[0]
    leading, folded = text.split("Variants of other comparisons")
    assert "| bm25 |" not in leading
    assert "| bm25 |" in folded


def test_one_family_has_no_section_of_others(world: World, run_facts: RunFacts) -> None:
    world.edit("significance/comparisons", lambda t: t.filter(family_index=0))
    text = render([world.report(is_drawn=False)], run_facts)
    assert "Other comparisons" not in text
    assert "Variants of other comparisons" not in text


def test_a_variant_in_no_family_is_led_with(report_dir: Path) -> None:
    facts = read_facts(report_dir)
    assert members(facts) == sorted(VARIANTS, key=facts["variants"].index)
    alone = facts | {"families": [family | {"variants": ["dense"]} for family in facts["families"][:1]]}
    assert members(alone) == facts["variants"]
    assert baseline_of(facts | {"families": []}) is None
    assert members(facts | {"families": []}) == facts["variants"]


def test_measures_of_a_ledger_are_not_longer_than_a_line(world: World, run_facts: RunFacts) -> None:
    def longer(table: pl.DataFrame) -> pl.DataFrame:
        return table.with_columns(pl.concat_str(pl.lit("i" * 10_000), pl.col("record_id")).alias("record_id"))

    world.edit("corpus/defects", longer)
    text = render([world.report(is_drawn=False)], run_facts)
    assert "i" * 201 not in text
    assert "…" in text
    assert "conv-2 qa\\[3\\] |" in text  # its end tells ids apart

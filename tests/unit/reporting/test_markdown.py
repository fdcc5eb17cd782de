import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.files import sha256_of
from tasks.records import BenchError
from tasks.reporting import markdown
from tasks.reporting.headline import headline_sentences, headline_table, verdict
from tasks.reporting.markdown import render, write_report
from tasks.reporting.run_facts import ModelFacts, RunFacts
from tasks.reporting.text_format import escape, estimate, p_value, signed
from tests.unit.reporting.handmade import World

NAN = float("nan")


def test_headline_rows_against_hand_computed(report_dir: Path) -> None:
    table = headline_table(report_dir)
    assert table.title == "locomo, conversation-turn, block main: nDCG@10, n = 5 questions"
    rows = {row[0]: row for row in table.rows}
    assert rows["hybrid-rerank"][1:] == ("0.6260 [0.5260, 0.7260]", "0.6260", "baseline", "", "")
    assert rows["bm25"][1:] == (
        "0.3260 [0.2260, 0.4260]", "0.3260", "-0.3000 [-0.4800, -0.1200]", "0.0080", "0 / 1 / 4",
    )  # fmt: skip
    assert rows["global, uniform"][3:] == ("0.0000 [0.0000, 0.0000]", "1.0000", "0 / 5 / 0")
    assert all(len(row) == len(table.header) == len(table.align) for row in table.rows)


def test_headline_has_no_conversation_column_where_there_are_none(world: World) -> None:
    world.edit(
        "significance/summary", lambda t: t.with_columns(pl.lit(None, pl.Float64).alias("mean_over_conversations"))
    )
    assert "mean over conversations" not in headline_table(world.report(is_drawn=False)).header


@pytest.mark.parametrize(
    ("lo", "hi", "p", "p_adjusted", "expected"),
    [
        (0.01, 0.03, 0.001, 0.004, "better"),
        (-0.03, -0.01, 0.001, 0.004, "worse"),
        (-0.01, 0.03, 0.2, 0.8, "not shown"),
        (0.001, 0.03, 0.03, 0.12, "not shown"),  # the interval alone is not corrected for the family
        (0.0, 0.03, 0.001, 0.004, "not shown"),
        (0.01, 0.03, 0.001, None, "better"),  # no family: the raw p counts
        (0.01, 0.03, 0.2, None, "not shown"),
        (NAN, NAN, NAN, NAN, "not shown"),
    ],
)
def test_verdict_needs_interval_and_adjusted_p(
    lo: float, hi: float, p: float, p_adjusted: float | None, expected: str
) -> None:
    assert verdict({"lo": lo, "hi": hi, "p": p, "p_adjusted": p_adjusted}) == expected


def test_sentences_name_better_worse_and_not_shown(report_dir: Path) -> None:
    text = " ".join(headline_sentences(report_dir))
    assert "nDCG@10 is better with clustered 30, rank-gap (+0.2740)." in text
    assert "nDCG@10 is worse with bm25 (-0.3000); dense (-0.2400)." in text
    assert "A difference is not shown for global, uniform" in text
    assert "such a test finds a true difference of 0.1200 four times in five" in text
    assert "transductive" in text


def test_sentences_when_nothing_is_shown(world: World) -> None:
    world.edit(
        "significance/comparisons",
        lambda t: t.with_columns(pl.lit(1.0).alias("p_adjusted"), pl.lit(NAN).alias("minimum_detectable_effect")),
    )
    text = " ".join(headline_sentences(world.report(is_drawn=False)))
    assert "No variant is shown to differ from hybrid-rerank in nDCG@10." in text
    assert "better with" not in text
    assert "four times in five" not in text


def test_sentences_without_a_comparison(world: World) -> None:
    world.edit("significance/comparisons", lambda t: t.clear())
    first, *others = headline_sentences(world.report(is_drawn=False))
    assert first == "Nothing was compared: the run has no baseline beside another variant."
    assert all("transductive" in sentence for sentence in others)


def test_report_has_its_parts_in_order(report_dir: Path, run_facts: RunFacts) -> None:
    text = render([report_dir], run_facts)
    wanted = [
        "block main: nDCG@10", "is better with", "499 of 500 questions", "figures/differences.png", "## All measures",
        "random order of the pool", "### Adversarial", "### All questions", "## Behaviour", "## Pools",
        "k reaches the size of the pool", "a local file, not the official one", "CC BY-NC 4.0", "## What we met",
        "## Models", "a" * 64, "## Method", "**transductive**", "## Cost", "2 min 25 s", "## Make it again",
        "mnemobench run --profile locomo", "```sql",
    ]  # fmt: skip
    places = [text.find(part) for part in wanted]
    assert -1 not in places, wanted[places.index(-1)]
    assert places == sorted(places)
    assert "SECRET TEXT" not in text


def test_undefined_numbers_are_dashes_not_nan(world: World, run_facts: RunFacts) -> None:
    in_adversarial = pl.col("query_id") == "conv-2_qa2"
    for name in ("metrics/query_metrics", "behaviour/behaviour_metrics"):
        world.edit(name, lambda t: t.with_columns(value=pl.when(in_adversarial).then(NAN).otherwise(pl.col("value"))))
    world.edit("significance/summary", lambda t: t.filter(pl.col("block") == "main"))
    world.edit("significance/comparisons", lambda t: t.filter(pl.col("block") == "main"))
    text = render([world.report(is_drawn=False)], run_facts)
    assert not re.search(r"\bnan\b|\bnull\b|\bNone\b", text, re.IGNORECASE)
    assert "–" in text  # abstain@2 of bm25


def test_names_from_data_are_shown_and_not_obeyed(world: World, run_facts: RunFacts) -> None:
    facts = json.loads((world.root / "corpus" / "facts.json").read_text(encoding="utf-8"))
    facts["note"], facts["licence"] = "<script>alert(1)</script>", "[x](javascript:alert(1))"
    (world.root / "corpus" / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    run = replace(run_facts, models=(ModelFacts("encoder", "a|b\n# c", "d" * 64, "<b>"),))
    text = render([world.report(is_drawn=False)], run)
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text
    assert "[x](" not in text.replace("\\[x\\](", "")
    assert "a\\|b \\# c" in text
    allowed = {"details", "summary", "/details", "/summary"}
    assert set(re.findall(r"<(/?[a-zA-Z][^ >]*)", text)) <= allowed


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("<script>", "&lt;script&gt;"),
        ("a | b", "a \\| b"),
        ("*x* _y_ `z`", "\\*x\\* \\_y\\_ \\`z\\`"),
        ("a\n\x1b[31mb\u202e", "a \\[31mb "),
        ("http://e.x www.e.x a@b.c", "http&#58;//e.x www&#46;e.x a&#64;b.c"),
        ("&lt;", "&amp;lt;"),
        ("ünï", "ünï"),
    ],
)
def test_escape(raw: str, expected: str) -> None:
    assert escape(raw) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (p_value(0.0), "< 0.0001"),
        (p_value(1.0), "1.0000"),
        (p_value(None), "–"),
        (signed(-0.0), "0.0000"),
        (estimate(NAN, NAN, NAN), "–"),
        (estimate(-0.5, -1, 0.25, is_difference=True), "-0.5000 [-1.0000, +0.2500]"),
    ],
)
def test_numbers(printed: str, expected: str) -> None:
    assert printed == expected


def test_written_report_is_whole_and_listed(report_dir: Path, run_facts: RunFacts, tmp_path: Path) -> None:
    path = write_report([report_dir], run_facts, tmp_path)
    assert path == tmp_path / run_facts.run_id / "report.md"
    manifest = json.loads((path.parent / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["run"]["seed"] == 42
    assert manifest["report"]["dataset"] == "locomo"
    for name, digest in manifest["sha256"].items():
        assert sha256_of(path.parent / name) == digest
    for linked in re.findall(r"\]\((figures/[^)]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / linked).is_file()
    assert write_report([report_dir], run_facts, tmp_path) == path  # again: replaced as a whole
    assert [entry.name for entry in tmp_path.iterdir()] == [run_facts.run_id]


def test_crash_while_writing_leaves_no_report(
    report_dir: Path, run_facts: RunFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(markdown, "write_manifest", crash)
    with pytest.raises(KeyboardInterrupt):
        write_report([report_dir], run_facts, tmp_path)
    assert not list(tmp_path.iterdir())


def test_unwritable_report_folder_is_an_error_for_people(report_dir: Path, run_facts: RunFacts, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(BenchError, match="cannot write the report"):
        write_report([report_dir], run_facts, tmp_path / "file")

import hashlib
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.progress import silent
from tasks.records import BenchError
from tasks.reporting.build import ReportParams, build
from tasks.reporting.labels import variant_label, variant_order
from tasks.reporting.schemas import QUERY_METRICS, RANKINGS, SUMMARY, SUPPRESSION, read
from tests.unit.reporting.handmade import VARIANTS, World


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_equal_inputs_give_equal_bytes_whatever_the_order_of_the_variants(world: World) -> None:
    first = world.report("first")
    i = world.inputs
    backwards = dict(reversed(list(i.rankings.items())))
    second = world.root / "second"
    build(
        "locomo", "conversation-turn", replace(i, rankings=backwards), ReportParams(), second, silent
    )  # fmt: skip
    assert digests(first) == digests(second)
    assert {"figures/differences.png", "figures/differences.svg", "report.json"} <= digests(first).keys()


def test_figures_change_with_the_data_and_carry_no_date(world: World) -> None:
    before = digests(world.report("before"))
    world.edit("significance/comparisons", lambda t: t.with_columns(pl.col("hi") + 0.01))
    after = world.report("after")
    changed = {name for name, digest in digests(after).items() if digest != before[name]}
    assert {"figures/differences.png", "figures/differences.svg"} <= changed
    assert "figures/question_types.png" not in changed
    for figure in (after / "figures").glob("*.svg"):
        assert not re.search(r"<dc:date>|Matplotlib v", figure.read_text(encoding="utf-8"))


def test_rankings_are_joined_with_first_stage_and_gain_against_hand_computed(report_dir: Path) -> None:
    table = read(report_dir / "tables", RANKINGS)
    assert table["rank"].max() == 10  # the input has 12
    row = table.filter(
        pl.col("variant") == "rif(rule=gap,clusters=30)", pl.col("query_id") == "conv-1_qa2", pl.col("rank") == 3
    ).row(0, named=True)
    assert (row["document_id"], row["session_id"], row["gain"]) == ("conv-1:D1:2", "conv-1:D1", 1)
    assert (row["dense_rank"], row["bm25_rank"], row["rrf"]) == (None, 2, 1 / 62)
    assert (row["suppression"], row["stream_seed"], row["logit"]) == (0.25, 42, 2.0)
    assert table.filter(pl.col("variant") == "bm25")["logit"].null_count() == table.filter(variant="bm25").height


def test_rankings_have_the_first_stage_of_their_variant(world: World) -> None:
    other = world.root / "other first stage"
    shutil.copytree(world.root / "candidates", other)
    changed = pl.read_parquet(other / "candidates.parquet").with_columns(pl.col("rrf") + 1.0)
    changed.write_parquet(other / "candidates.parquet")
    inputs = replace(world.inputs, candidates={**world.inputs.candidates, "bm25": other})
    build("locomo", "conversation-turn", inputs, ReportParams(is_drawn=False), world.root / "out", silent)
    table = read(world.root / "out" / "tables", RANKINGS)
    assert set(table.filter(pl.col("rrf") > 1)["variant"]) == {"bm25"}
    assert set(table.filter(pl.col("rrf") < 1)["variant"]) == set(VARIANTS) - {"bm25"}


def test_questions_that_were_not_asked_are_not_in_the_random_floor(world: World) -> None:
    world.edit("candidates/pools", lambda t: t.filter(pl.col("query_index") != 0))  # the pool of 25
    table = read(world.report(is_drawn=False) / "tables", SUMMARY).filter(block="main", measure="Success@1")
    assert table["random_mean"].unique().to_list() == pytest.approx([1 / 12])


def test_the_corpus_is_read_once_and_no_texts_of_documents(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, object]] = []
    real = pl.read_parquet

    def noted(path: Path, **options: Any) -> pl.DataFrame:
        opened.append((path.name, options.get("columns")))
        return real(path, **options)

    monkeypatch.setattr(pl, "read_parquet", noted)
    world.report(is_drawn=False)
    names = [name for name, _ in opened]
    once = ("documents", "queries", "judgements_turn", "candidates", "document_texts")
    assert {name: names.count(f"{name}.parquet") for name in once} == dict.fromkeys(once, 1)
    columns = dict(opened)
    assert columns["document_texts.parquet"] == ["document_index", "text_key"]
    assert "text" not in columns["documents.parquet"]  # type: ignore[operator]


def test_undefined_stays_nan_and_is_never_null(report_dir: Path) -> None:
    table = read(report_dir / "tables", QUERY_METRICS)
    assert table["value"].null_count() == 0
    assert table["value"].is_nan().sum() == 4 * len(VARIANTS)


def test_variants_without_state_have_no_suppression_rows(report_dir: Path) -> None:
    table = read(report_dir / "tables", SUPPRESSION)
    assert set(table["variant"]) == {"rif(rule=gap,clusters=30)", "rif(rule=uniform,clusters=1)"}


def test_random_floor_of_the_main_block_against_hand_computed(report_dir: Path) -> None:
    table = read(report_dir / "tables", SUMMARY).filter(block="main", measure="Success@1")
    # 5 questions of the main block have one relevant document: pools of 25, 12, 12, 12, 12
    assert table["random_mean"].unique().to_list() == pytest.approx([(1 / 25 + 4 / 12) / 5])


def test_no_text_of_the_data_reaches_the_artifact(report_dir: Path) -> None:
    for path in (report_dir / "tables").glob("*.parquet"):
        assert "SECRET TEXT" not in str(pl.read_parquet(path).rows())
    assert "never in a report" not in (report_dir / "report.json").read_text(encoding="utf-8")


def test_corpus_without_sessions_gets_the_pool_figure(world: World) -> None:
    world.edit("corpus/documents", lambda t: t.with_columns(pl.lit(None, dtype=pl.String).alias("session_id")))
    figures = {path.name for path in (world.report() / "figures").glob("*.png")}
    assert "pool_and_ranking.png" in figures
    assert "behaviour.png" not in figures


def test_run_without_comparison_or_state_is_still_drawn(world: World) -> None:
    world.edit("significance/comparisons", lambda t: t.clear())
    i = world.inputs
    only = replace(i, rankings={"hybrid-rerank": i.rankings["hybrid-rerank"]})
    for name in ("metrics/query_metrics", "behaviour/behaviour_metrics", "significance/summary"):
        world.edit(name, lambda t: t.filter(variant="hybrid-rerank"))
    out = world.root / "alone"
    build(
        "locomo", "conversation-turn", only, ReportParams(), out, silent
    )  # fmt: skip
    assert not (out / "figures" / "suppression.png").exists()
    assert (out / "figures" / "differences.png").is_file()


def test_absent_input_is_named(world: World) -> None:
    (world.root / "significance" / "summary.parquet").unlink()
    with pytest.raises(BenchError, match=r"summary\.parquet"):
        world.report()


def test_several_seeds_of_a_variant_are_refused(world: World) -> None:
    world.edit(
        "metrics/query_metrics",
        lambda t: pl.concat(
            [t, t.filter(pl.col("stream_seed") == 42).with_columns(pl.lit(7, pl.Int64).alias("stream_seed"))]
        ),
    )
    with pytest.raises(BenchError, match="several stream seeds"):
        world.report()


@pytest.mark.parametrize(
    ("variant", "label"),
    [
        ("rif(rule=uniform,clusters=1)", "global, uniform"),
        ("rif(rule=gap,clusters=30,alpha=0.1)", "clustered 30, rank-gap, alpha 0.1"),
        ("session(pool=max)", "max-sim"),
        ("session(pool=best)", "session(pool=best)"),
        ("<b>", "<b>"),
    ],
)
def test_labels_of_variants(variant: str, label: str) -> None:
    assert variant_label(variant) == label


def test_variants_are_read_from_simple_to_finely_clustered() -> None:
    names = ["rif(rule=gap,clusters=1)", "rif(rule=uniform,clusters=30)", "rif(rule=uniform,clusters=1)", "dense"]
    assert sorted(names, key=variant_order) == [
        "dense", "rif(rule=uniform,clusters=1)", "rif(rule=gap,clusters=1)", "rif(rule=uniform,clusters=30)",
    ]  # fmt: skip

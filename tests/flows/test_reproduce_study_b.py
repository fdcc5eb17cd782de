"""The flow of study B on one made-up conversation file with real models: its report and what lands in the warehouse."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from flows.reproduce_study import reproduce_study
from tests.flows.crash_bench import conversations

SETTINGS = [
    'datasets=["locomo"]',
    'encoders=["all-MiniLM-L6-v2"]',
    "options.locomo.latency_queries=2",
    "cross=false",
    "stream.steps_per_query=2",
    "significance.n_resamples=200",
]
FUSION = "fusion(pool=max,tokenizer=word3+stop,ties=earliest)"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("prefect_server")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, prefect_server: None) -> Iterator[tuple[str, Path]]:
    """The text of the report, and the warehouse."""
    root = tmp_path_factory.mktemp("study-b")
    file = root / "made-up.json"
    file.write_text(json.dumps(conversations()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "MNEMOBENCH_REPORTS", str(root / "reports"))
        published = reproduce_study("study-b", SETTINGS, None, root / "store", file)
        yield Path(published.report).read_text(encoding="utf-8"), root / "reports" / "warehouse"


def table(warehouse: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(warehouse / name / "**" / "*.parquet")


def test_the_report_has_the_studys_sections_and_says_what_needs_a_hub(run: tuple[str, Path]) -> None:
    report, _ = run
    assert report.startswith("# Study B: what reproduces")
    for section in ("## The full metric set", "## Few conversations", "## Rerank", "## BM25 grid", "## Latency"):
        assert section in report
    assert "*needs a hub*" in report
    assert "mnemobench run --profile study-b" in report


def test_weights_are_chosen_on_the_other_conversations(run: tuple[str, Path]) -> None:
    _, warehouse = run
    names = [record["sample_id"] for record in conversations()]
    chosen = table(warehouse, "alpha_choices").filter(
        pl.col("variant") == FUSION, pl.col("protocol") == "conversation-session(evidence=strict)"
    )
    assert sorted(chosen["group"]) == sorted(names)
    total = chosen["n_held_out"].sum()
    assert (chosen["n_held_out"] + chosen["n_development"]).to_list() == [total] * len(names)


def test_every_session_of_the_conversation_is_ranked_and_the_best_are_reranked(run: tuple[str, Path]) -> None:
    _, warehouse = run
    summary = table(warehouse, "summary").filter(pl.col("measure") == "Success@1", pl.col("block") == "all")
    assert {name.split("(")[0] for name in summary["variant"]} >= {"bm25", "session", "fusion", "fusion-rerank"}
    groups = table(warehouse, "query_groups")
    assert set(groups["by"]) == {"question_type", "gold_session_length", "n_gold_sessions"}
    times = table(warehouse, "latency")
    assert set(times["stage"]) == {"query encode", "bm25", "max-sim", "fusion", "rerank top-10"}
    assert (times["median_ms"] > 0).all()


def test_no_cell_that_needs_a_hub_is_filled(run: tuple[str, Path]) -> None:
    cells = table(run[1], "study_cells")
    of_the_hub = cells.filter(pl.col("variant").str.contains("encoder=e5-large-v2"))
    assert of_the_hub.height > 10
    assert set(of_the_hub["verdict"]) == {"not measured"}
    assert of_the_hub["ours"].is_nan().all()
    assert cells.filter(pl.col("verdict") == "not measured")["artifact_keys"].list.len().sum() == 0

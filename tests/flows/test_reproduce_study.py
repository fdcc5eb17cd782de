"""The flow of a study on one made-up conversation file with real models: what it leaves, what a second run computes."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from flows.listeners import listening
from flows.publish import Published
from flows.reproduce_study import reproduce_study
from tests.flows.crash_bench import conversations
from tests.flows.main_job import Recorder, table_hashes

SETTINGS = ['datasets=["locomo"]', "stream_seeds=3", "stream.steps_per_query=2", "significance.n_resamples=200"]
MAIN = "rif(rule=gap,clusters=30,tokenizer=split,idf=okapi-floor,rank_origin=0,ties=released,fill=true)"

pytestmark = pytest.mark.usefixtures("prefect_server")


class Done(NamedTuple):
    published: Published
    recorder: Recorder
    reports: Path

    def table(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.reports / "warehouse" / name / "dataset=locomo" / f"run_id={self.published.run_id}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, prefect_server: None) -> Iterator[tuple[Done, Done]]:
    root = tmp_path_factory.mktemp("study")
    file = root / "made-up.json"
    file.write_text(json.dumps(conversations()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "MNEMOBENCH_REPORTS", str(root / "reports"))
        done = []
        for _ in range(2):
            recorder = Recorder()
            with listening(recorder):
                published = reproduce_study("study-a", SETTINGS, None, root / "store", file)
            done.append(Done(published, recorder, root / "reports"))
        yield done[0], done[1]


def test_the_report_has_the_studys_table_on_this_data(runs: tuple[Done, Done]) -> None:
    report = Path(runs[0].published.report).read_text()
    assert report.startswith("# Study A: what reproduces")
    assert "## LoCoMo" in report
    assert "mnemobench run --profile study-a" in report
    figures = list(Path(runs[0].published.report).parent.glob("figures/*.png"))
    assert figures
    assert all(figure.stat().st_size > 5_000 for figure in figures)


def test_comparisons_come_in_the_studys_families(runs: tuple[Done, Done]) -> None:
    comparisons = runs[0].table("comparisons")
    sizes = dict(comparisons.filter(block="main", measure="pool_R@30").group_by("family").len().iter_rows())
    assert sizes["main"] == sizes["main, regex"] == 4
    assert comparisons.filter(family="main")["baseline"].unique().item().startswith("hybrid-rerank(tokenizer=split")


def test_variants_with_state_were_replayed_on_other_streams(runs: tuple[Done, Done]) -> None:
    streams = runs[0].table("stream_metrics")
    assert streams["stream_seed"].unique().sort().to_list() == [0, 1, 2]
    assert streams["variant"].n_unique() == 8
    assert streams.filter(variant=MAIN, measure="pool_R@30")["delta"].is_not_nan().all()


def test_each_first_stage_has_its_own_candidates(runs: tuple[Done, Done]) -> None:
    """The rank in the BM25 list is that of the variant's own tokenizer, and never null in both lists."""
    rankings = runs[0].table("rankings").filter(pl.col("variant").str.starts_with("hybrid-rerank"))
    assert rankings["variant"].n_unique() == 2
    assert rankings.filter(pl.col("dense_rank").is_null() & pl.col("bm25_rank").is_null()).is_empty()


def test_numbers_of_other_data_sets_are_not_measured(runs: tuple[Done, Done]) -> None:
    assert runs[0].table("study_cells").is_empty()  # nobody published LoCoMo
    assert "not measured" in Path(runs[0].published.report).read_text()


def test_a_second_run_computes_nothing_and_gives_the_same_tables(runs: tuple[Done, Done]) -> None:
    first, again = runs
    assert again.recorder.computed() == []
    hashes = table_hashes(first.reports, first.published.run_id)
    assert len(hashes) > 10
    assert table_hashes(again.reports, again.published.run_id) == hashes


def test_pairs_of_several_pools_are_scored_once(runs: tuple[Done, Done]) -> None:
    """Two tokenizers, one list of pairs: the cross-encoder sees a pair once."""
    assert [event.step for event in runs[0].recorder.events].count("pairs") == 1

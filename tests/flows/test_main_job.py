"""The main job with real models on a small generated corpus: what it leaves, and what a second run computes."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from flows.evaluate_memory import evaluate_memory
from flows.listeners import listening
from flows.publish import Published
from tasks.records import BenchError
from tests.flows.main_job import RUN_ONLY, Recorder, settings, table_hashes

pytestmark = pytest.mark.usefixtures("prefect_server")

DEPENDANTS_OF_MEASURES = ["query_metrics", "tie_audit", "statistics", "tables_and_figures"]


class Done(NamedTuple):
    published: Published
    recorder: Recorder


class Place:
    """A store and a reports folder, and runs in them."""

    def __init__(self, root: Path) -> None:
        self.store, self.reports = root / "store", root / "reports"

    def run(self, *more: str, profile: str = "sample") -> Done:
        recorder = Recorder()
        with listening(recorder):
            published = evaluate_memory(profile, settings(*more), None, self.store)
        return Done(published, recorder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("main_job"))
    before = os.environ.get("MNEMOBENCH_REPORTS")
    os.environ["MNEMOBENCH_REPORTS"] = str(place.reports)
    yield place
    os.environ.pop("MNEMOBENCH_REPORTS")
    if before is not None:
        os.environ["MNEMOBENCH_REPORTS"] = before


@pytest.fixture(scope="module")
def first(place: Place, prefect_server: None) -> Done:
    return place.run()


def test_a_run_leaves_report_figures_manifest_and_tables(place: Place, first: Done) -> None:
    folder = place.reports / first.published.run_id
    report = (folder / "report.md").read_text()
    assert "nDCG@10" in report
    assert "clustered 3, rank-gap" in report
    figures = list((folder / "figures").glob("*.png"))
    assert len(figures) >= 3
    assert all(f"figures/{figure.name}" in report for figure in figures)
    assert json.loads((folder / "manifest.json").read_text())["run"]["run_id"] == first.published.run_id
    tables = {path.name for path in (place.reports / "warehouse").iterdir()}
    assert {"query_metrics", "rankings", "comparisons", "behaviour", "suppression", "defects"} | RUN_ONLY <= tables


def test_the_report_names_its_models_with_their_digests(place: Place, first: Done) -> None:
    runs = pl.read_parquet(place.reports / "warehouse" / "runs")
    report = (place.reports / first.published.run_id / "report.md").read_text()
    models = runs["models"][0].to_list()
    assert [model["name"] for model in models] == ["all-MiniLM-L6-v2", "ms-marco-MiniLM-L-12-v2-int8"]
    assert all(model["digest"][:12] in report for model in models)


def test_every_variant_has_a_value_for_every_answerable_question(place: Place, first: Done) -> None:
    metrics = pl.read_parquet(place.reports / "warehouse" / "query_metrics")
    scored = metrics.filter(pl.col("measure") == "nDCG@10", pl.col("value").is_finite())
    assert scored["variant"].n_unique() == 5
    assert scored["protocol"].n_unique() == 4
    assert scored.filter(protocol="pooled-turn")["variant"].n_unique() == 5
    assert scored.group_by("protocol", "variant").len()["len"].n_unique() == 1
    assert scored["value"].is_between(0, 1).all()


def test_a_second_run_computes_nothing_and_its_tables_are_equal(place: Place, first: Done) -> None:
    again = place.run()
    assert again.recorder.computed() == []
    assert again.published.run_id != first.published.run_id
    ours, theirs = (table_hashes(place.reports, done.published.run_id) for done in (first, again))
    assert ours == theirs
    assert len(ours) >= 8


def test_a_fresh_store_gives_equal_tables(place: Place, first: Done, tmp_path: Path) -> None:
    other = Place(tmp_path)
    other.reports = place.reports
    again = other.run()
    assert again.recorder.computed()
    assert table_hashes(place.reports, again.published.run_id) == table_hashes(place.reports, first.published.run_id)


@pytest.mark.parametrize(
    ("setting", "computed"),
    [
        ("significance.seed=5", ["statistics", "tables_and_figures"]),
        ('measures.names=["nDCG@10", "R@5", "pool_R@30"]', [*DEPENDANTS_OF_MEASURES]),
        ("stream.seed=7", ["stream", "replay", "query_metrics", "tie_audit", "behaviour_metrics"]),
        ("tokenizer.name=split", ["tokens", "bm25", "pool", "pairs", "logits", "replay"]),
    ],
)
def test_a_parameter_recomputes_its_stage_and_what_depends_on_it(
    place: Place, first: Done, setting: str, computed: list[str]
) -> None:
    again = place.run(setting)
    came = again.recorder.computed()
    assert came[: len(computed)] == computed
    assert not {"synthetic", "texts", "plan", "vectors", "dense", "model"} & set(came)


def test_pairs_known_under_other_candidates_are_not_scored_again(place: Place, first: Done) -> None:
    again = place.run("candidates.tie_seed=9", "candidates.k=3")
    assert "logits" in again.recorder.computed()
    costs = [event.cpu_s for event in again.recorder.events if event.step == "logits" and not event.is_cached]
    before = [event.cpu_s for event in first.recorder.events if event.step == "logits"]
    assert sum(costs) < sum(before) / 2


@pytest.mark.parametrize("step", ["texts", "vectors", "bm25", "pool", "clusters", "logits", "replay", "statistics"])
def test_a_deleted_artifact_is_recomputed_alone(place: Place, first: Done, step: str) -> None:
    event = next(event for event in first.recorder.events if event.step == step)
    shutil.rmtree(place.store / event.stage / event.key)
    again = place.run()
    computed = [event for event in again.recorder.events if not event.is_cached]
    assert [(item.step, item.key, item.digest) for item in computed] == [(event.step, event.key, event.digest)]


def test_a_wrong_setting_stops_before_any_work(place: Place) -> None:
    with pytest.raises(BenchError, match=r"unknown key candidates\.depth"):
        place.run("candidates.depth=3")

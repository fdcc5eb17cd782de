"""Tables, section and figures of what a stream does."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.records import BenchError
from tasks.reporting import stream_figures
from tasks.reporting.markdown import render
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.schemas import STREAM_METRICS, SUPPRESSION_TRACE, read
from tasks.reporting.stream_figures import over_steps, over_streams, totals
from tasks.reporting.stream_spread import Spread
from tests.unit.reporting.handmade import SEEDS, WITH_STATE, World

GAP, UNIFORM = WITH_STATE


def spread(deltas: list[float], delta_here: float, variant: str = GAP) -> Spread:
    values = np.array(deltas)
    return Spread(variant, "nDCG@10", 42, 0.3 + delta_here, delta_here, 0.3 + values, values)


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


# --- tables ----------------------------------------------------------------------------------------------------------


def test_stream_metrics_against_hand_computed(report_dir: Path) -> None:
    table = read(report_dir / "tables", STREAM_METRICS)
    assert table.height == len(WITH_STATE) * len(SEEDS)
    assert table["n"].unique().to_list() == [5]  # of the block main, less the one with nothing relevant
    assert table["baseline"].unique().to_list() == ["hybrid-rerank"]
    gap = table.filter(variant=GAP)
    assert gap["stream_seed"].to_list() == [1, 2, 3, 42]
    assert gap["mean"].to_list() == pytest.approx([0.9 - 0.02, 0.9 - 0.04, 0.9 - 0.06, 0.9], abs=1e-7)
    assert gap["delta"].to_list() == pytest.approx([0.274 - 0.02, 0.274 - 0.04, 0.274 - 0.06, 0.274], abs=1e-7)
    assert table.filter(variant=UNIFORM, stream_seed=42)["delta"].to_list() == [
        0.0
    ]  # equal values, kept in half as many bits


def test_baseline_with_state_is_taken_after_the_same_stream(world: World) -> None:
    world.edit(
        "significance/comparisons", lambda t: t.filter(family_index=1).with_columns(family_index=pl.lit(0, pl.Int32))
    )
    table = read(world.report(is_drawn=False) / "tables", STREAM_METRICS)
    # the second question loses as much after each stream in both
    assert table.filter(variant=GAP)["delta"].to_list() == pytest.approx([0.274] * 4, abs=1e-7)
    alone = table.filter(variant=UNIFORM)
    assert alone["baseline"].null_count() == 4
    assert alone["delta"].is_nan().all()


def test_trace_is_kept_and_absent_where_none_was_recorded(world: World) -> None:
    table = read(world.report("with", is_drawn=False) / "tables", SUPPRESSION_TRACE)
    assert (
        table.group_by("variant", "scope_id").agg("step").sort("variant", "scope_id")["step"].to_list()
        == [[0, 50, 100]] * 4
    )
    for place in (3, 4):
        (world.root / "rankings" / str(place) / "trace.parquet").unlink()
    assert read(world.report("without", is_drawn=False) / "tables", SUPPRESSION_TRACE).height == 0


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("rankings/3/trace", lambda t: t.filter(pl.col("step") < 100), "its last step is not the state"),
        ("rankings/3/trace", lambda t: t.with_columns(pl.col("step") - 50), "no steps before its first"),
        ("rankings/3/trace", lambda t: t.with_columns(pl.col("max") * float("inf")), "trace: suppression is finite"),
        ("streams/3/stream_values", lambda t: t.filter(stream_seed=1), "has the same number of streams"),
        ("streams/3/stream_values", lambda t: pl.concat([t, t[:1]]), "2 values share stream, measure and question"),
        ("streams/3/stream_values", lambda t: t.with_columns(pl.col("value") + 0.3), "a mean outside 0 to 1"),
        ("streams/3/stream_values", lambda t: t.with_columns(pl.col("value") - 0.01), "own stream has another mean"),
    ],
)  # fmt: skip
def test_planted_fault_stops_the_report(world: World, table: str, change: object, message: str) -> None:
    world.edit(table, change)  # type: ignore[arg-type]
    with pytest.raises(BenchError, match=message):
        world.report(is_drawn=False)


# --- section ---------------------------------------------------------------------------------------------------------


def test_section_against_hand_computed(report_dir: Path, run_facts: RunFacts) -> None:
    text = section(render([report_dir], run_facts), "Other streams")
    assert "after one stream of queries, seed 42; here are 4 (seeds 1 to 42, that of the run among them)" in text
    # 0.9, 0.88, 0.86, 0.84: mean 0.87, standard deviation with n - 1: 0.0258
    assert (
        "| clustered 30, rank-gap | 0.9000 | 0.8700 ± 0.0258 [0.8400, 0.9000] | +0.2740 | "
        "+0.2440 ± 0.0258 [+0.2140, +0.2740] | 0.0 % |" in text
    )
    assert "| global, uniform | 0.6260 | 0.5960 ± 0.0258 [0.5660, 0.6260] | 0.0000 |" in text
    assert "see 4 streams under *Other streams*" in render([report_dir], run_facts)


def test_report_without_other_streams_has_no_section(world: World, run_facts: RunFacts) -> None:
    for place in (3, 4):
        world.edit(f"streams/{place}/stream_values", lambda t: t.clear())
    text = render([world.report(is_drawn=False)], run_facts)
    assert "Other streams" not in text
    assert "the intervals do not hold what another stream would change." in text


@pytest.mark.parametrize(
    ("deltas", "here", "expected"),
    [
        ([0.1, -0.1, 0.2, 0.0], 0.1, 0.25),
        ([0.1, -0.1, 0.2, 0.0], -0.1, 0.5),
        ([0.1, -1e-12, 0.2, 0.0], 0.1, 0.0),  # rounding has no sign
        ([0.1, -0.1], 0.0, float("nan")),
        ([0.1, -0.1], float("nan"), float("nan")),
        ([float("nan")] * 2, 0.1, float("nan")),
    ],
)
def test_share_of_streams_with_the_other_sign(deltas: list[float], here: float, expected: float) -> None:
    assert spread(deltas, here).share_opposite == pytest.approx(expected, nan_ok=True)


# --- figures ---------------------------------------------------------------------------------------------------------


def test_figures_are_drawn_and_shown(report_dir: Path, run_facts: RunFacts) -> None:
    text = render([report_dir], run_facts)
    for name in ("streams", "suppression_over_stream"):
        assert (report_dir / "figures" / f"{name}.svg").is_file()
        assert f"(figures/{name}.png)" in text


def test_totals_over_scopes_against_hand_computed() -> None:
    rows = [("a", 2, 5), ("a", 4, 9), ("b", 3, 1), ("b", 8, 2)]
    trace = pl.DataFrame(rows, schema=["scope_id", "step", "n_entries_above"], orient="row")
    steps, entries = totals(trace)
    assert steps.tolist() == [0, 2, 3, 4, 8]
    assert entries.tolist() == [0, 5, 6, 10, 11]  # a scope whose stream has ended keeps its last state


def test_dots_of_a_bin_stand_apart_and_others_in_the_middle() -> None:
    offsets = stream_figures._stacked(np.array([0.1, 0.5, 0.1001, 0.0999]), 0.01)
    assert offsets[1] == 0
    assert sorted(offsets[[0, 2, 3]].round(9)) == [-0.11, 0, 0.11]
    crowd = stream_figures._stacked(np.zeros(1000), 0.01)
    assert len(set(crowd)) == 1000
    assert np.abs(crowd).max() <= 0.4 + 1e-12


@pytest.mark.parametrize(
    "spreads",
    [[spread([0.0] * 20, 0.0)], [spread([0.1], 0.1)], [spread([0.01, -0.02], 0.01), spread([0.2, 0.3], -0.1, UNIFORM)]],
    ids=["all equal", "one stream", "both signs"],
)
def test_extreme_streams_are_drawn(tmp_path: Path, spreads: list[Spread]) -> None:
    over_streams(spreads, "hybrid-rerank", "locomo", tmp_path / "streams")
    assert (tmp_path / "streams.png").stat().st_size > 5_000


@pytest.mark.parametrize("n_variants", [1, 20])
def test_extreme_traces_are_drawn(tmp_path: Path, n_variants: int) -> None:
    rows = [
        (f"rif(rule=gap,clusters=30,alpha={0.1 + place / 100:.2f})", "pool", step, 0, 100)
        for place in range(n_variants)
        for step in (1, 2)
    ]
    names = ["variant", "scope_id", "step", "n_entries_above", "n_documents"]
    over_steps(pl.DataFrame(rows, schema=names, orient="row"), "locomo", tmp_path / "steps")
    assert (tmp_path / "steps.png").stat().st_size > 5_000

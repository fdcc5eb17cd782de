"""The sweep with real models on a small generated corpus: what it leaves, what it computes again, what it refuses."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from flows.environment import VIEWS
from flows.evaluate_memory import evaluate_memory
from flows.listeners import listening
from flows.sweep_parameters import Sweep, sweep_parameters
from flows.sweep_plan import plan_sweep
from tasks.artifacts import read_manifest
from tasks.records import BenchError
from tasks.reporting.sql import open_warehouse, run_query
from tests.flows import main_job
from tests.flows.test_cli import CHECKOUT, mnemobench

pytestmark = pytest.mark.usefixtures("prefect_server")

GRID = "alpha=0.1,1;clusters=1,3;rule=uniform,gap"
BASE = "rif(rule=gap,clusters=3,pool=8,winners=1)"
"""Few compete and one wins: of a dozen questions on a short stream, suppression changes some."""
SMALL = [
    setting
    for setting in main_job.SMALL
    if not setting.startswith(("variants=", "candidates.k=", "pairs.shard_tokens="))
]
FIRST_SEED, N_STREAMS = 40, 3


class Done(NamedTuple):
    sweep: Sweep
    recorder: main_job.Recorder


class Place:
    """A store and a reports folder, and sweeps in them."""

    def __init__(self, root: Path) -> None:
        self.store, self.reports = root / "store", root / "reports"

    def sweep(self, grid: str = GRID, *, base: str = BASE, settings: tuple[str, ...] = (), **more: Any) -> Done:
        recorder = main_job.Recorder()
        wanted: dict[str, Any] = {
            "streams": N_STREAMS,
            "first_seed": FIRST_SEED,
            "measures": ["nDCG@10", "exact_episode"],
            **more,
        }
        with listening(recorder):
            done = sweep_parameters("sample", grid, base, settings=[*SMALL, *settings], store=self.store, **wanted)
        return Done(done, recorder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("sweep"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MNEMOBENCH_REPORTS", str(place.reports))
        yield place


@pytest.fixture(scope="module")
def first(place: Place, prefect_server: None) -> Done:
    return place.sweep()


def rows_of(place: Place, done: Done) -> pl.DataFrame:
    (path,) = (place.reports / "warehouse" / "sweep_metrics").glob(f"*/run_id={done.sweep.run_id}/*.parquet")
    return pl.read_parquet(path)


def test_a_sweep_leaves_report_heat_maps_and_rows(place: Place, first: Done) -> None:
    report = Path(first.sweep.report).read_text()
    assert "8 settings of suppression, 3 streams each" in report
    assert "The best cell is optimistic" in report
    for stem in ("heat_map_nDCG_10", "heat_map_exact_episode"):
        assert f"figures/{stem}.png" in report
        for suffix in ("png", "svg"):
            assert (Path(first.sweep.report).parent / "figures" / f"{stem}.{suffix}").stat().st_size > 1000
    rows = rows_of(place, first)
    assert rows.height == 8 * 2
    assert rows["variant"].n_unique() == 8
    assert rows["baseline"].unique().to_list() == ["hybrid-rerank(pool=8)"]
    assert rows["n_streams"].unique().to_list() == [N_STREAMS]
    (run,) = pl.read_parquet(place.reports / "warehouse" / "runs").rows(named=True)
    assert (run["kind"], run["profile"], run["main_measure"]) == ("sweep", "sample", "nDCG@10")
    assert run["command"].startswith("mnemobench sweep --profile sample --grid 'alpha=0.1,1.0;clusters=1,3;")


def test_the_sql_example_shows_the_sweep_and_latest_runs_does_not(place: Place, first: Done) -> None:
    connection = open_warehouse(place.reports / "warehouse", VIEWS)
    said = run_query(connection, (VIEWS.parent / "queries" / "sweep_cells.sql").read_text(), "csv")
    assert said.count("rif(rule=") == 16
    assert run_query(connection, "SELECT count(*) AS n FROM latest_runs", "csv").split() == ["n", "0"]


def test_a_cell_is_what_a_run_gives_on_that_stream(place: Place, first: Done) -> None:
    """Seed by seed, the main job's mean and difference to its baseline, over the questions of the main block."""
    cell = "rif(rule=gap,clusters=3,alpha=1.0,pool=8,winners=1)"
    means, deltas = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + N_STREAMS):
        variants = f'variants=["hybrid-rerank(pool=8)", "{cell}"]'
        chosen = [*SMALL, variants, 'significance.baseline="hybrid-rerank(pool=8)"', f"stream.seed={seed}"]
        with listening(main_job.Recorder()):
            run = evaluate_memory("sample", [*chosen, "other_protocols=[]"], None, place.store)
        folder = place.reports / "warehouse"
        where = f"*/run_id={run.run_id}/*.parquet"
        of_cell = (pl.col("variant") == cell) & (pl.col("block") == "main") & (pl.col("measure") == "nDCG@10")
        summary = pl.read_parquet(next((folder / "summary").glob(where))).filter(of_cell)
        compared = pl.read_parquet(next((folder / "comparisons").glob(where))).filter(of_cell)
        means.append(summary["mean"].item())
        deltas.append(compared["delta"].item())
    (row,) = rows_of(place, first).filter(variant=cell, measure="nDCG@10").rows(named=True)
    assert row["mean"] == pytest.approx(sum(means) / N_STREAMS, abs=1e-9)
    assert (row["min"], row["max"]) == pytest.approx((min(means), max(means)), abs=1e-9)
    assert row["delta"] == pytest.approx(sum(deltas) / N_STREAMS, abs=1e-9)
    assert (row["delta_min"], row["delta_max"]) == pytest.approx((min(deltas), max(deltas)), abs=1e-9)


def test_suppression_changes_something_here(place: Place, first: Done) -> None:
    """Else the comparison above could not fail."""
    rows = rows_of(place, first)
    assert (rows["delta"] != 0).any()
    assert rows.filter(measure="nDCG@10")["mean"].n_unique() > 2


def test_the_same_sweep_computes_nothing_and_its_rows_are_equal(place: Place, first: Done) -> None:
    again = place.sweep()
    assert again.recorder.computed() == []
    assert rows_of(place, again).equals(rows_of(place, first))


def test_a_killed_sweep_goes_on_at_the_shard_that_is_missing(
    place: Place, first: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of two cells: one that is lost is replayed alone, and the rows are those of one shard."""
    monkeypatch.setattr("flows.sweep_parameters.REPLAYS_PER_SHARD", 2 * N_STREAMS)
    cut = place.sweep()
    shards = [event for event in cut.recorder.events if event.step == "sweep"]
    assert len(shards) == 4
    assert rows_of(place, cut).equals(rows_of(place, first))
    shutil.rmtree(place.store / "simulation" / shards[2].key)
    again = place.sweep()
    assert [event.key for event in again.recorder.events if not event.is_cached] == [shards[2].key]
    assert rows_of(place, again).equals(rows_of(place, first))
    manifest = read_manifest(place.store / "simulation" / shards[2].key)
    assert manifest is not None and len(manifest["ingredients"]["params"]["variants"]) == 2


def test_other_cells_start_from_the_same_candidates_and_logits(place: Place, first: Done) -> None:
    again = place.sweep("eta=0.2,0.4;source=all-queries,corpus")
    assert again.recorder.computed() == ["clusters", "sweep"]
    assert rows_of(place, again)["variant"].n_unique() == 4


def test_clusters_of_the_stream_can_be_swept(place: Place, first: Done) -> None:
    base = "rif(rule=gap,clusters=2,pool=8,winners=1,source=buffer,burn_in=20)"
    done = place.sweep("burn_in=20,40;steps=0,50", base=base)
    assert rows_of(place, done)["mean"].is_finite().all()


def test_protocols_that_judge_otherwise_can_be_swept(place: Place, first: Done) -> None:
    done = place.sweep("alpha=0.1,1", settings=('protocol="conversation-turn(twins=collapsed)"',))
    assert rows_of(place, done)["protocol"].unique().to_list() == ["conversation-turn(twins=collapsed)"]


def test_a_large_grid_is_refused_before_any_work(place: Place) -> None:
    before = sorted(place.store.rglob("*")) if place.store.exists() else []
    with pytest.raises(
        BenchError, match=r"1,000,000 cells on 3 streams are 3,000,000 replays, more than 20,000: say --yes"
    ):
        place.sweep("alpha=0.001:1:1000;eta=0.001:1:1000")
    assert (sorted(place.store.rglob("*")) if place.store.exists() else []) == before


@pytest.mark.parametrize(
    ("grid", "more", "message"),
    [
        ("beta=1", {}, "axis 'beta=1' of the grid; expected name=values"),
        ("alpha=1", {"base": "bm25"}, "the base 'bm25' has no suppression to sweep"),
        ("alpha=1", {"measures": ["nDCG@10", "AP"]}, "measure 'AP' is not among those of streams and sweeps"),
        ("alpha=1", {"measures": ["RR", "RR"]}, "measures RR come twice"),
        ("alpha=1", {"streams": 0}, "0 streams from seed 40; expected at least one"),
        ("alpha=1", {"settings": ("protocol=haystack-turn",)}, "protocol haystack-turn does not fit synthetic"),
    ],
)
def test_wrong_use_is_said_before_any_work(place: Place, grid: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(BenchError, match=message):
        place.sweep(grid, **more)


def test_what_a_large_sweep_does_is_known_without_its_cells() -> None:
    plan = plan_sweep("longmemeval", "alpha=0.001:1:1000;eta=0.001:1:1000", BASE, 20, 0, (), ())
    assert plan.n_replays == 20_000_000
    assert plan.baseline == "hybrid-rerank(pool=8)"
    assert plan.params.measures == ("nDCG@10", "pool_R@30")


def test_the_command_line_says_the_cost_and_exits_with_2(tmp_path: Path) -> None:
    done = mnemobench(
        "sweep",
        "--profile=longmemeval",
        "--grid=alpha=0.001:1:1000;eta=0.001:1:1000",
        MNEMOBENCH_STORE=str(tmp_path / "store"),
        MNEMOBENCH_REPORTS=str(tmp_path / "reports"),
    )
    assert done.returncode == 2
    assert "1,000,000 cells on 20 streams: 20,000,000 replays, about" in done.stdout
    assert "say --yes to go on" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_command_line_sweeps(place: Place, first: Done, tmp_path: Path) -> None:
    """Over the store of the tests above: only the cells are new."""
    words = [word for setting in SMALL for word in ("--set", setting)]
    done = mnemobench(
        "sweep",
        "--grid=winners=1,2",
        f"--base={BASE}",
        "--streams=2",
        "--measure=R@5",
        *words,
        cwd=CHECKOUT,
        MNEMOBENCH_STORE=str(place.store),
        MNEMOBENCH_REPORTS=str(tmp_path / "reports"),
        PREFECT_API_URL=os.environ.get("PREFECT_API_URL", ""),
    )
    assert done.returncode == 0, done.stderr
    assert "2 cells on 2 streams: 4 replays, about" in done.stdout
    assert "R@5 of the baseline" in done.stdout
    (report,) = (tmp_path / "reports").glob("*-sample-sweep-*/report.md")
    assert str(report) in done.stdout

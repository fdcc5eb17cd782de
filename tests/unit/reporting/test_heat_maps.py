"""Sweeps: rows of the warehouse, heat maps and the report, from hand-written cells."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tasks.records import BenchError
from tasks.reporting import heat_maps
from tasks.reporting.grid_layout import arrange, ascending, matrix
from tasks.reporting.heat_maps import Words, heat_map
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.sweep_report import draw_all, render, write_sweep_report
from tasks.reporting.sweep_tables import Swept, share_opposite, sweep_metrics
from tasks.simulation.build_sweep import CELLS
from tasks.simulation.grids import Axis, Grid, parse_grid

BASE = "rif(rule=gap,clusters=30)"
WORDS = Words("made-up", "nDCG@10", "hybrid-rerank", 4, 100)
MEASURES = ("nDCG@10", "R@10")
N_STREAMS = 4
Delta = Callable[[dict[str, object], int], float]


def rising(values: dict[str, object], seed: int) -> float:
    """Fall with eta, rise with alpha, better for gap; the streams differ by up to 0.003."""
    alpha, eta = float(str(values.get("alpha", 0.3))), float(str(values.get("eta", 0.1)))
    return 0.02 * alpha - 0.05 * eta + (0.004 if values.get("rule") == "gap" else 0.0) + 0.001 * (seed - 1.5)


def shard(grid: Grid, folder: Path, delta: Delta = rising, measures: tuple[str, ...] = MEASURES) -> Path:
    """Write what the step `sweep` leaves, with a baseline of 0.3."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        (str(cell.variant), seed, measure, 100, 0.3 + delta({**cell.values}, seed), delta({**cell.values}, seed))
        for cell in grid.cells()
        for seed in range(N_STREAMS)
        for measure in measures
    ]
    pl.DataFrame(rows, schema=CELLS, orient="row").write_parquet(folder / "cells.parquet")
    return folder


def swept(text: str, folder: Path, delta: Delta = rising, base: str = BASE) -> Swept:
    grid = parse_grid(text, base)
    metrics = sweep_metrics(grid, [shard(grid, folder, delta)], "pooled-turn", "hybrid-rerank", MEASURES, N_STREAMS)
    return Swept(
        "made-up",
        "pooled-turn",
        "main",
        grid,
        "hybrid-rerank",
        MEASURES,
        range(N_STREAMS),
        {"nDCG@10": 0.3, "R@10": 0.3},
        metrics,
    )


# --- rows of the warehouse -----------------------------------------------------------------------------------------


def test_rows_against_hand_computed(tmp_path: Path) -> None:
    deltas = {0.1: [0.01, 0.02, -0.01, 0.02], 0.5: [-0.01, -0.03, 0.0, 0.0]}
    found = swept("alpha=0.1,0.5", tmp_path, lambda values, seed: deltas[float(str(values["alpha"]))][seed])
    rows = found.rows().filter(measure="nDCG@10").sort("variant")
    first, second = rows.rows(named=True)
    assert first["variant"] == "rif(rule=gap,clusters=30,alpha=0.1)"
    assert (first["n"], first["n_streams"], first["baseline"]) == (100, 4, "hybrid-rerank")
    assert first["delta"] == pytest.approx(0.01)
    assert first["mean"] == pytest.approx(0.31)
    assert first["delta_sd"] == pytest.approx(np.std([0.01, 0.02, -0.01, 0.02], ddof=1))
    assert (first["delta_min"], first["delta_max"]) == (-0.01, 0.02)
    assert (first["min"], first["max"]) == pytest.approx((0.29, 0.32))
    assert first["share_opposite"] == 0.25
    assert first["parameters"] == [{"name": "alpha", "value": "0.1"}]
    assert second["share_opposite"] == 0, "a difference of 0 has no sign"


def test_one_stream_has_no_standard_deviation(tmp_path: Path) -> None:
    grid = parse_grid("alpha=0.1", BASE)
    cells = pl.read_parquet(shard(grid, tmp_path) / "cells.parquet").filter(stream_seed=0)
    cells.write_parquet(tmp_path / "cells.parquet")
    (row, _) = sweep_metrics(grid, [tmp_path], "pooled-turn", "hybrid-rerank", MEASURES, 1).rows(named=True)
    assert np.isnan(row["sd"])
    assert row["delta_min"] == row["delta"] == row["delta_max"]


def test_cells_of_several_shards_keep_their_order(tmp_path: Path) -> None:
    grid = parse_grid("alpha=0.1,0.3,0.5;rule=uniform,gap", BASE)
    whole = pl.read_parquet(shard(grid, tmp_path / "whole") / "cells.parquet")
    parts = [tmp_path / "a", tmp_path / "b"]
    cut = 2 * N_STREAMS * len(MEASURES)
    for part, rows in zip(parts, (whole[:cut], whole[cut:]), strict=True):
        part.mkdir()
        rows.write_parquet(part / "cells.parquet")
    args = ("pooled-turn", "hybrid-rerank", MEASURES, N_STREAMS)
    assert sweep_metrics(grid, parts, *args).equals(sweep_metrics(grid, [tmp_path / "whole"], *args))
    with pytest.raises(BenchError, match="rows of 2 shards; expected"):
        sweep_metrics(grid, parts[::-1], *args)
    with pytest.raises(BenchError, match="32 rows of 1 shards"):
        sweep_metrics(grid, parts[1:], *args)


def test_share_of_the_other_sign() -> None:
    deltas = np.array([[[0.1, -0.2], [0.1, 0.1], [-0.1, -0.2]], [[np.nan, 0.0], [0.1, 0.0], [0.1, 0.0]]])
    np.testing.assert_allclose(share_opposite(deltas), [[1 / 3, 1 / 3], [np.nan, 0]])


# --- arrangement ---------------------------------------------------------------------------------------------------


def frame(grid: Grid, delta: Delta = rising) -> pl.DataFrame:
    rows = [
        {f"axis:{axis.name}": str(Axis(axis.name, (cell.values[axis.name],))).partition("=")[2] for axis in grid.axes}
        | {"delta": delta({**cell.values}, 0), "share_opposite": 0.0, "delta_min": -0.01, "delta_max": 0.02}
        for cell in grid.cells()
    ]
    return pl.DataFrame(rows)


def test_two_axes_are_drawn_the_longer_one_across() -> None:
    grid = parse_grid("alpha=0.1,0.3;eta=0.05:0.5:10", BASE)
    arranged = arrange(grid.axes, frame(grid), grid.default_cell())
    assert (arranged.x, arranged.y) == (grid.axes[1], grid.axes[0])
    assert arranged.panels == ({},)
    assert (arranged.held, arranged.n_hidden) == ({}, 0)


def test_numbers_are_drawn_and_words_make_panels() -> None:
    grid = parse_grid("rule=uniform,gap;alpha=0.1,0.3,1;eta=0.1,0.2,0.3,0.4;rho=0.05", BASE)
    arranged = arrange(grid.axes, frame(grid), grid.default_cell())
    assert arranged.x is not None and arranged.y is not None
    assert (arranged.x.name, arranged.y.name) == ("eta", "alpha")
    assert arranged.panels == ({"rule": "uniform"}, {"rule": "gap"})
    assert arranged.held == {"rho": 0.05}
    assert arranged.n_hidden == 0


def test_the_two_numbers_with_most_spread_are_drawn() -> None:
    grid = parse_grid("lambda=0.001,0.01;alpha=0.1,1;eta=0.1,0.9", BASE)
    arranged = arrange(grid.axes, frame(grid), None)
    assert {axis.name for axis in (arranged.x, arranged.y) if axis} == {"alpha", "eta"}
    assert arranged.panels == ({"lambda": 0.001}, {"lambda": 0.01})


def test_what_has_no_room_is_held_at_the_default() -> None:
    grid = parse_grid("alpha=0.1:1:4;eta=0.1:0.9:5;rho=0,0.05,0.1,0.2;clusters=1,10,20,30;rule=gap,uniform", BASE)
    default = grid.default_cell()
    assert default is None, "alpha 0.3 is not on the grid"
    arranged = arrange(grid.axes, frame(grid), {"clusters": 30, "rho": 0.05, "rule": "gap"})
    n_drawn = 4 * 5 * len(arranged.panels)
    assert len(arranged.panels) <= 12
    assert arranged.n_hidden == grid.n_cells - n_drawn > 0
    assert arranged.held in ({"clusters": 30}, {"rho": 0.05})


def test_matrix_against_hand_computed() -> None:
    grid = parse_grid("eta=0.5,0.1;alpha=1,0.2", BASE)
    found = matrix(frame(grid), (grid.axes[0], grid.axes[1]), {}, "delta")
    assert ascending(grid.axes[0]) == [0.1, 0.5]
    hand = [[rising({"alpha": a, "eta": e}, 0) for e in (0.1, 0.5)] for a in (0.2, 1.0)]
    np.testing.assert_allclose(found, hand)
    missing = frame(grid).filter(pl.col("axis:eta") != "0.5")
    assert np.isnan(matrix(missing, (grid.axes[0], grid.axes[1]), {}, "delta")[:, 1]).all()


# --- figures -------------------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Keep the figures instead of writing them."""
    figures: list[Figure] = []

    def keep(draw: Callable[[Figure], None], height_in: float, stem: Path) -> None:
        figure = Figure(figsize=(9, height_in))
        FigureCanvasAgg(figure)
        draw(figure)
        figures.append(figure)

    monkeypatch.setattr(heat_maps, "save", keep)
    return figures


def test_a_panel_shows_the_differences_with_their_real_values(drawn: list[Figure]) -> None:
    grid = parse_grid("alpha=0.1,0.3,1;eta=0.05,0.1;rule=uniform,gap", BASE)
    heat_map(frame(grid), grid.axes, grid.default_cell(), WORDS, Path("unused"))
    uniform, gap, bar = drawn[0].axes
    assert [axes.get_title() for axes in (uniform, gap)] == ["rule uniform", "rule gap"]
    assert [label.get_text() for label in gap.get_xticklabels()] == ["0.1", "0.3", "1"]
    assert [label.get_text() for label in uniform.get_yticklabels()] == ["0.05", "0.1"]
    (mesh,) = [item for item in gap.collections if isinstance(item, QuadMesh)]
    hand = [[rising({"alpha": a, "eta": e, "rule": "gap"}, 0) for a in (0.1, 0.3, 1)] for e in (0.05, 0.1)]
    values = mesh.get_array()
    assert values is not None
    np.testing.assert_allclose(values, hand)
    assert {text.get_text() for text in gap.texts} >= {"+.020", "-.001"}
    assert "difference in nDCG@10 to hybrid-rerank (mean over 4 streams, n = 100)" in bar.get_xlabel()


def test_colours_diverge_around_the_baseline(drawn: list[Figure]) -> None:
    grid = parse_grid("alpha=0,1;eta=0.1,0.9", BASE)
    heat_map(frame(grid), grid.axes, None, WORDS, Path("unused"))
    (mesh,) = [item for item in drawn[0].axes[0].collections if isinstance(item, QuadMesh)]
    low, high = mesh.get_clim()
    assert low is not None and low == -(high or 0)
    worse, same, better = mesh.to_rgba(np.array([-0.001, 0.0, 0.001]))
    assert worse[0] > worse[2], "worse is vermilion"
    assert better[2] > better[0], "better is blue"
    assert min(same[:3]) > 0.95, "the baseline is nearly white"


def frames_of(figure: Figure) -> list[list[tuple[float, float]]]:
    """Return, for each panel, the places of its frames."""
    return [
        [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_linewidth() > 1]
        for axes in figure.axes
    ]


def test_the_default_cell_is_framed_in_its_panel_only(drawn: list[Figure]) -> None:
    grid = parse_grid("alpha=0.1,0.3,1;eta=0.05,0.1;rule=uniform,gap", BASE)
    heat_map(frame(grid), grid.axes, grid.default_cell(), WORDS, Path("unused"))
    heat_map(frame(grid), grid.axes, None, WORDS, Path("unused"))
    assert frames_of(drawn[0])[:2] == [[], [(0.5, 0.5)]]
    assert frames_of(drawn[1])[:2] == [[], []]


def test_cells_whose_sign_the_streams_dispute_are_hatched(drawn: list[Figure]) -> None:
    grid = parse_grid("alpha=0.1,0.3,1;eta=0.05,0.1", BASE)
    disputed = frame(grid).with_columns(share_opposite=pl.Series([0.0, 0.05, 0.06, 0.5, 0.0, float("nan")]))
    heat_map(disputed, grid.axes, None, WORDS, Path("unused"))
    hatched = [patch for patch in drawn[0].axes[0].patches if patch.get_hatch()]
    assert len(hatched) == 2


def test_one_axis_is_a_line_with_the_range_of_the_streams(drawn: list[Figure]) -> None:
    grid = parse_grid("alpha=0.03:3:9:log;rule=gap", BASE)
    heat_map(frame(grid), grid.axes, None, WORDS, Path("unused"))
    (axes,) = drawn[0].axes
    assert axes.get_xscale() == "log"
    line = axes.get_lines()[1]
    np.testing.assert_allclose(np.asarray(line.get_xdata()), [float(value) for value in grid.axes[0].values])


@pytest.mark.parametrize(
    "text", ["alpha=0.1", "rule=uniform,gap", "rule=uniform,gap;rule_set=released,paper", "alpha=0,1;eta=0,1;rho=0,1"]
)
def test_every_kind_of_grid_can_be_drawn_and_gives_the_same_bytes(text: str, tmp_path: Path) -> None:
    found = swept(text, tmp_path / "cells", lambda values, seed: 0.0)
    for name in ("one", "two"):
        draw_all(found, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["heat_map_R_10.png", "heat_map_R_10.svg", "heat_map_nDCG_10.png", "heat_map_nDCG_10.svg"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_undefined_cells_can_be_drawn(tmp_path: Path) -> None:
    found = swept("alpha=0,1;eta=0.1,0.2", tmp_path / "cells", lambda values, seed: float("nan"))
    arranged = draw_all(found, tmp_path / "figures")
    assert "No question has a value of nDCG&#64;10" in render(found, arranged, {}, RUN)


# --- report --------------------------------------------------------------------------------------------------------

RUN = RunFacts(
    run_id="20300101T000000Z-made-up-sweep-abcdef",
    profile="made-up",
    started_at=datetime(2030, 1, 1, tzinfo=UTC),
    finished_at=datetime(2030, 1, 1, 0, 1, tzinfo=UTC),
    status="complete",
    seed=0,
    code_fingerprint="c" * 64,
    config_fingerprint="f" * 64,
    mnemobench_version="0",
    command="mnemobench sweep --grid 'alpha=1'",
)


def test_report_says_what_was_swept_and_warns_of_the_best_cell(tmp_path: Path) -> None:
    found = swept("alpha=0.1,0.3,1;eta=0.1,0.9;rule=uniform,gap", tmp_path)
    path = write_sweep_report(found, {"note": "499 of 500"}, RUN, tmp_path / "reports")
    report = path.read_text()
    assert "# made-up: 12 settings of suppression, 4 streams each" in report
    assert "**The best cell is optimistic**: it is the largest of 12 values on the same questions" in report
    assert "12 cells, 4 streams (seeds 0 to 3): 48 replays" in report
    assert "| alpha | 3 | 0.1, 0.3, 1.0 |" in report
    assert "499 of 500" in report
    assert RUN.command in report
    cells = [(a, e, r) for a in (0.1, 0.3, 1) for e in (0.1, 0.9) for r in ("gap", "uniform")]
    n_higher = sum(rising({"alpha": a, "eta": e, "rule": r}, 1) + 0.0005 > 0 for a, e, r in cells)
    assert f"Against it {n_higher} of 12 cells are higher, {12 - n_higher} lower and 0 equal" in report
    for figure in ("heat_map_nDCG_10", "heat_map_R_10"):
        assert f"figures/{figure}.png" in report
        assert (path.parent / "figures" / f"{figure}.png").is_file()
    assert (path.parent / "manifest.json").is_file()
    assert not list((tmp_path / "reports").glob(".*"))


def test_best_and_worst_are_in_order_and_all_there(tmp_path: Path) -> None:
    found = swept("alpha=0.1,0.3,1;eta=0.1,0.9", tmp_path / "cells")
    report = render(found, draw_all(found, tmp_path / "figures"), {}, RUN)
    section = report.split("### nDCG&#64;10")[1].split("###")[0]
    listed = [line.split(" | ")[4] for line in section.splitlines() if line.startswith(("| 0", "| 1"))]
    assert len(listed) == 6
    assert [float(delta) for delta in listed] == sorted((float(delta) for delta in listed), reverse=True)


def test_share_of_streams_is_told_by_measure(tmp_path: Path) -> None:
    found = swept(
        "alpha=0.1,0.9", tmp_path / "cells", lambda values, seed: 0.01 - 0.02 * (seed == 0) * (values["alpha"] == 0.1)
    )
    report = render(found, draw_all(found, tmp_path / "figures"), {}, RUN)
    assert "| nDCG&#64;10 | 1 of 2 | 1 | 25.0 % |" in report

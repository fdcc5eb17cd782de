"""Figures of a study: published effects beside ours, effects over many streams, and the number of clusters."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tasks.reporting.figure_style import BLUE, GREEN, INK, MUTED, ORANGE, VERMILION, row_height, save
from tasks.studies.declared import NDCG, POOL_RECALL
from tasks.studies.published import Number, Published
from tasks.studies.study import DATASET_LABELS
from tasks.studies.study_a import CLUSTER_COUNTS, MAIN_ROWS, tables
from tasks.studies.study_a_names import PROTOCOL_OF, ROW_LABELS

SHORT = {NDCG: "nDCG@10", POOL_RECALL: "Recall@30"}
_COLUMNS = {NDCG: "delta_ndcg", POOL_RECALL: "delta_recall"}
_OURS, _PUBLISHED = BLUE, ORANGE
_SHARED = ("dataset", "table", "row", "column", "ours", "lo", "hi")
Effect = tuple[float, float, float]


def draw_all(study_dir: Path, folder: Path, published: Published) -> None:
    """Draw every figure that the tables of a study can fill, as `<folder>/<name>.png` and `.svg`."""
    cells = pl.read_parquet(study_dir / "study_cells.parquet")
    unpublished = pl.read_parquet(study_dir / "study_unpublished.parquet")
    streams = pl.read_parquet(study_dir / "study_streams.parquet")
    ours = pl.concat([frame.select(_SHARED) for frame in (cells, unpublished)]).filter(pl.col("ours").is_not_nan())
    effects(ours, published, folder / "effects")
    clusters(ours, published, folder / "clusters")
    if streams.height:
        over_streams(streams, folder / "streams")


def effects(ours: pl.DataFrame, published: Published, stem: Path) -> None:
    """Draw the effects of the main table, published above ours, with 95 % intervals."""
    mine = _effects_of(ours, "main")
    theirs = _published_effects(published)
    datasets = [name for name in PROTOCOL_OF if any(key[0] == name for key in (*mine, *theirs))]
    rows = [row for row in MAIN_ROWS if row != "baseline"][::-1]

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(datasets), 2, sharey=True, squeeze=False)
        for place, dataset in enumerate(datasets):
            for axes, measure in zip(grid[place], SHORT, strict=True):
                axes.axvline(0, color=INK, linewidth=1.2)
                for height, row in enumerate(rows):
                    _bar(axes, theirs.get((dataset, row, measure)), height + 0.15, _PUBLISHED, "D")
                    _bar(axes, mine.get((dataset, row, measure)), height - 0.15, _OURS, "o")
                axes.set_yticks(range(len(rows)), [ROW_LABELS[row] for row in rows])
                axes.set_ylim(-0.6, len(rows) - 0.4)
                axes.tick_params(axis="y", length=0)
                axes.set_title(f"{DATASET_LABELS[dataset]}: {SHORT[measure]}", fontsize=11)
                axes.margins(x=0.08)
        figure.supxlabel(
            "difference to the baseline (line: 95 % bootstrap interval over questions; filled: it excludes 0)",
            fontsize=11,
        )
        _legend(figure, [("published", _PUBLISHED, "D"), ("ours", _OURS, "o")])

    save(draw, 0.9 + 2.3 * max(1, len(datasets)), stem)


def over_streams(streams: pl.DataFrame, stem: Path) -> None:
    """Draw one dot per stream: the effect on nDCG@10 that each seed of the stream would have reported."""
    shown = streams.filter(pl.col("measure") == NDCG, ~pl.col("row").str.contains(":"))
    datasets = [name for name in PROTOCOL_OF if name in set(shown["dataset"])]
    rows = [row for row in MAIN_ROWS if row != "baseline"][::-1]

    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
        for axes, dataset in zip(grid, datasets, strict=True):
            axes.axvline(0, color=INK, linewidth=1.2)
            for height, row in enumerate(rows):
                found = shown.filter(pl.col("dataset") == dataset, pl.col("row") == row)
                if found.height:
                    _cloud(axes, found.row(0, named=True), height)
            axes.set_yticks(range(len(rows)), [ROW_LABELS[row] for row in rows])
            axes.set_ylim(-0.6, len(rows) - 0.4)
            axes.tick_params(axis="y", length=0)
            axes.set_title(DATASET_LABELS[dataset])
            axes.margins(x=0.08)
        n = max(shown["n_streams"].to_list())
        figure.supxlabel(
            f"effect on nDCG@10 (dot: one of up to {n:,} streams of the same questions; bar: their mean)", fontsize=11
        )
        _legend(
            figure,
            [
                ("published, one stream", _PUBLISHED, "D"),
                ("ours", _OURS, "o"),
                ("other sign than the mean", VERMILION, "o"),
            ],
        )

    if datasets:
        save(draw, row_height(len(rows), per_row_in=0.7), stem)


def clusters(ours: pl.DataFrame, published: Published, stem: Path) -> None:
    """Draw nDCG@10 by the number of clusters, on both tokenizers: published and ours, both rules."""
    mine = ours.filter(pl.col("table") == "clusters", pl.col("column") == "ndcg_at_10")
    values = {row: (value, lo, hi) for row, value, lo, hi in mine.select("row", "ours", "lo", "hi").iter_rows()}
    theirs = _published_sweep(published)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, 2, sharey=True, squeeze=False)[0]
        for axes, tokenizer in zip(grid, ("split", "regex"), strict=True):
            _sweep_panel(axes, tokenizer, values, theirs)
            axes.set_title(f"LongMemEval-S, {tokenizer} tokenizer", fontsize=11)
        grid[0].set_ylabel("nDCG@10")
        figure.supxlabel("query clusters (1: one global state; dashed: baseline without suppression)", fontsize=11)
        _legend(
            figure,
            [
                ("published, uniform", _PUBLISHED, "D"),
                ("ours, uniform", _OURS, "o"),
                ("ours, rank-gap", GREEN, "s"),
            ],
        )

    save(draw, 4.2, stem)


def _sweep_panel(axes: Axes, tokenizer: str, values: dict[str, Effect], theirs: dict[str, Number]) -> None:
    places = np.arange(len(CLUSTER_COUNTS))
    baseline = f"{tokenizer}: none (baseline)"
    levels = [(values[baseline][0], _OURS)] if baseline in values else []
    levels += [(theirs[baseline].value, _PUBLISHED)] if baseline in theirs else []
    for level, color in levels:
        axes.axhline(level, color=color, linestyle="--", linewidth=1.2)
    for rule, color, marker, offset in (("uniform", _OURS, "o", 0.0), ("gap", GREEN, "s", 0.1)):
        found = [
            (place + offset, values[name])
            for place, k in zip(places, CLUSTER_COUNTS, strict=True)
            if (name := f"{tokenizer}: {rule}, {k}") in values
        ]
        _line(axes, [x for x, _ in found], [value for _, (value, _, _) in found], color, marker)
        for x, (_, lo, hi) in found:
            axes.plot([x, x], [lo, hi], color=color, linewidth=1.2, alpha=0.35)
    names = [(place - 0.1, f"{tokenizer}: uniform, {k}") for place, k in zip(places, CLUSTER_COUNTS, strict=True)]
    known = [(x, theirs[name].value) for x, name in names if name in theirs]
    _line(axes, [x for x, _ in known], [y for _, y in known], _PUBLISHED, "D")
    axes.set_xticks(places, [str(k) for k in CLUSTER_COUNTS])
    axes.grid(visible=False, axis="x")
    axes.grid(visible=True, axis="y")


def _line(axes: Axes, x: Sequence[float], y: Sequence[float], color: str, marker: str) -> None:
    axes.plot(x, y, color=color, marker=marker, markersize=7, linewidth=1.8)


def _bar(axes: Axes, effect: Effect | None, height: float, color: str, marker: str) -> None:
    if effect is None:
        return
    value, lo, hi = effect
    axes.plot([lo, hi], [height, height], color=color, linewidth=2.6, solid_capstyle="butt")
    is_shown = lo > 0 or hi < 0
    axes.plot(value, height, marker=marker, color=color, markerfacecolor=color if is_shown else "white", markersize=8)


def _cloud(axes: Axes, row: dict[str, Any], height: float) -> None:
    deltas = np.array(row["deltas"])
    # Offsets by rank, not by chance: equal data give equal pictures.
    offsets = 0.26 * (((np.arange(len(deltas)) * 0.618034) % 1.0) - 0.5)
    is_opposite = np.sign(deltas) == -np.sign(deltas.mean())
    for mask, color in ((~is_opposite, _OURS), (is_opposite, VERMILION)):
        axes.plot(deltas[mask], height + offsets[mask], "o", color=color, markersize=4, alpha=0.55, markeredgewidth=0)
    axes.plot([deltas.mean()] * 2, [height - 0.24, height + 0.24], color=INK, linewidth=2.2)
    if not np.isnan(row["published_delta"]):
        axes.plot(row["published_delta"], height, marker="D", color=_PUBLISHED, markersize=9, markeredgecolor=INK)


def _legend(figure: Figure, entries: Sequence[tuple[str, str, str]]) -> None:
    handles = [
        Line2D([], [], color=color, marker=marker, label=label, linewidth=2, markersize=7)
        for label, color, marker in entries
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(entries), fontsize=11, labelcolor=MUTED)


def _effects_of(ours: pl.DataFrame, table: str) -> dict[tuple[str, str, str], Effect]:
    found = {}
    for measure, column in _COLUMNS.items():
        for row in ours.filter(pl.col("table") == table, pl.col("column") == column).iter_rows(named=True):
            found[row["dataset"], row["row"], measure] = (row["ours"], row["lo"], row["hi"])
    return found


def _published_effects(published: Published) -> dict[tuple[str, str, str], Effect]:
    found = {}
    for cell in tables():
        measure = cell.quantity.measure
        if cell.table == "main" and cell.where is not None and cell.column == _COLUMNS.get(measure):
            number = published.number(cell.where)
            if number.lo is not None and number.hi is not None:
                found[cell.dataset, cell.row, measure] = (number.value, number.lo, number.hi)
    return found


def _published_sweep(published: Published) -> dict[str, Number]:
    return {
        cell.row: published.number(cell.where)
        for cell in tables()
        if cell.table == "clusters" and cell.column == "ndcg_at_10" and cell.where is not None
    }

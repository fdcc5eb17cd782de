"""The last runs: headline measure, verdict and time, as a table and as a figure."""

from math import nan
from pathlib import Path
from typing import Any

import duckdb
import matplotlib.dates
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tasks.gate.quality import IMPROVE, NOT_COMPARABLE, PASS, REGRESS
from tasks.records import BenchError
from tasks.reporting.figure_style import BETTER, BLUE, INK, MUTED, ORANGE, UNSURE, WORSE, save
from tasks.reporting.sql import open_warehouse

_MARKS = {PASS: (BLUE, "o"), IMPROVE: (BETTER, "^"), REGRESS: (WORSE, "v"), NOT_COMPARABLE: (UNSURE, "X")}
"""Colour and shape say the same thing."""
_UNJUDGED = (MUTED, ".")
_PER_SERIES_IN, _EXTRA_IN = 1.9, 1.2
FORMATS = (".png", ".svg")
_dates: Any = matplotlib.dates  # without types


def read_history(warehouse: Path, views: Path, last: int | None = None) -> pl.DataFrame:
    """Return the view `history`, oldest run first: one row per evaluation and data set.

    Parameters
    ----------
    warehouse
        Root folder of the tables.
    views
        `reports/views.sql`.
    last
        Only the last ones.

    Raises
    ------
    BenchError
        When there are no runs, or a file is damaged.
    """
    with open_warehouse(warehouse, views) as connection:
        try:
            found = connection.sql("FROM history ORDER BY finished_at, run_id, dataset")
            rows = pl.DataFrame(pl.from_arrow(found.to_arrow_table()))
        except duckdb.Error as error:
            raise BenchError(f"the history of {warehouse} cannot be read: {error}") from error
    return rows if last is None else rows.tail(last)


def draw_history(history: pl.DataFrame, path: Path) -> list[Path]:
    """Draw the main measure of the best variant and the baseline over time, one panel per profile and data set.

    Parameters
    ----------
    history
        From `read_history`.
    path
        Name of the figure: `<stem>.png` and `<stem>.svg` are written.

    Raises
    ------
    BenchError
        When the name has another ending, there is no run, or the folder cannot be written.
    """
    if path.suffix not in ("", *FORMATS):
        raise BenchError(f"figure {path}: ending {path.suffix!r}; expected a name that ends with .png or .svg, or none")
    if not history.height:
        raise BenchError("no evaluation in the warehouse yet, so there is no history to draw; make a run: `make run`")
    stem = path.with_suffix("") if path.suffix in FORMATS else path
    panels = history.partition_by("profile", "dataset", "protocol", "main_measure", maintain_order=True)

    def draw(figure: Figure) -> None:
        places = figure.subplots(len(panels), 1, squeeze=False)
        for axes, panel in zip(places[:, 0], panels, strict=True):
            _draw_panel(axes, panel)
        figure.legend(handles=_legend(), loc="outside lower center", ncols=4)

    try:
        save(draw, _EXTRA_IN + _PER_SERIES_IN * len(panels), stem)
    except OSError as error:
        raise BenchError(f"cannot write the figure to {path.parent}: {error.strerror or error}") from error
    return [stem.with_name(f"{stem.name}{ending}") for ending in FORMATS]


def _draw_panel(axes: Axes, panel: pl.DataFrame) -> None:
    rows = list(panel.iter_rows(named=True))
    times = [_time(row) for row in rows]
    axes.plot(times, _series(rows, "baseline_mean"), color=ORANGE, linestyle="--")
    axes.plot(times, _series(rows, "best_mean"), color=BLUE)
    for place, row in enumerate(rows):
        _draw_run(axes, row, "right" if place and row is rows[-1] else "center")
    first = rows[-1]
    axes.set_title(f"{first['profile']}: {first['dataset']}, {first['protocol']}")
    axes.set_ylabel(first["main_measure"])
    axes.grid(visible=True, axis="y")
    axes.margins(y=0.25)
    locator = _dates.AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(_dates.ConciseDateFormatter(locator))
    if len(rows) == 1:
        axes.set_xlim(times[0] - 1, times[0] + 1)


def _series(rows: list[dict[str, Any]], name: str) -> list[float]:
    return [nan if row[name] is None else float(row[name]) for row in rows]


def _draw_run(axes: Axes, row: dict[str, Any], side: str) -> None:
    colour, marker = _MARKS.get(row["verdict"] or "", _UNJUDGED)
    if row["best_mean"] is None:
        return
    finished = _time(row)
    axes.plot([finished], [row["best_mean"]], color=colour, marker=marker, markersize=8, linestyle="")
    if row["is_accepted"]:
        axes.plot([finished], [row["best_mean"]], marker="o", markersize=14, fillstyle="none", color=INK, linestyle="")
    if row["verdict"] not in (None, PASS):
        axes.annotate(row["verdict"], (finished, row["best_mean"]), (0, 9), textcoords="offset points", ha=side)


def _legend() -> list[Line2D]:
    lines = [
        Line2D([], [], color=BLUE, label="best variant"),
        Line2D([], [], color=ORANGE, linestyle="--", label="baseline"),
    ]
    marks = [*_MARKS.items(), ("not judged", _UNJUDGED)]
    judged = [Line2D([], [], color=colour, marker=mark, linestyle="", label=name) for name, (colour, mark) in marks]
    ring = Line2D([], [], color=INK, marker="o", markersize=12, fillstyle="none", linestyle="", label="accepted")
    return [*lines, *judged, ring]


def _time(row: dict[str, Any]) -> float:
    return float(_dates.date2num(row["finished_at"]))

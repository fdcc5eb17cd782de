"""Heat maps of a sweep: the difference to the baseline in every cell of a grid, over the values of its axes."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from tasks.reporting.figure_style import BLUE, GRID, INK, VERMILION, WIDTH_IN, save
from tasks.reporting.grid_layout import Arrangement, Where, arrange, ascending, columns_of, matrix
from tasks.reporting.labels import variant_label
from tasks.reporting.sweep_tables import UNSURE_SHARE
from tasks.simulation.grids import Axis, Value, text_of

_COLORS = LinearSegmentedColormap.from_list(
    "difference", [VERMILION, "#F3B48E", "#F7F7F5", "#8FC1E3", BLUE]
).with_extremes(bad="#EBEBEB")
_DARK = 0.25
"""Below this relative luminance of a cell (WCAG 2), white has more contrast on it than ink."""
_HATCH = "#B0B0B0"
_NUMBER_IN = 0.62
"""Least width of a cell, in inches, in which a number has room."""


@dataclass(frozen=True, slots=True)
class Words:
    """What titles and labels say."""

    dataset: str
    measure: str
    baseline: str
    n_streams: int
    n_questions: int

    @property
    def difference(self) -> str:
        """The quantity drawn."""
        return f"difference in {self.measure} to {variant_label(self.baseline)}"


def heat_map(cells: pl.DataFrame, axes: Sequence[Axis], default: Where | None, words: Words, stem: Path) -> Arrangement:
    """Draw one measure of a sweep to `<stem>.png` and `<stem>.svg`: a heat map, or a line where one axis varies.

    Blue is better than the baseline, vermilion worse, by one scale for all panels. A frame marks the default; cells in
    which more than 5 % of the streams have the other sign are hatched.

    Parameters
    ----------
    cells
        Rows of `sweep_metrics` of the measure, with a column `axis:<name>` (text) per axis.
    axes, default
        As for `arrange`.
    words
        What titles and labels say.
    stem
        Path of the files without their suffix.
    """
    arranged = arrange(axes, cells, default)
    if arranged.x is None or arranged.y is None:
        _line(cells, arranged.x or axes[0], default, words, stem)
        return arranged
    n_columns = columns_of(len(arranged.panels), len(arranged.x.values))
    n_rows = math.ceil(len(arranged.panels) / n_columns)
    per_cell = 0.4 if n_rows * len(arranged.y.values) <= 20 else 0.28
    height = 1.95 + n_rows * (0.6 + max(1.0, per_cell * len(arranged.y.values)))
    x, y = arranged.x, arranged.y

    def draw(figure: Figure) -> None:
        grid = figure.subplots(n_rows, n_columns, squeeze=False)
        largest = np.nanmax(np.abs(cells["delta"].to_numpy()), initial=1e-9)
        scale = Normalize(-largest, largest)
        has_numbers = (WIDTH_IN - 1.2) / n_columns / len(x.values) >= _NUMBER_IN
        mesh: Any = None
        for place, axes_ in enumerate(grid.flat):
            axes_.set_visible(place < len(arranged.panels))
            if place >= len(arranged.panels):
                continue
            where = {**arranged.held, **arranged.panels[place]}
            mesh = _panel(axes_, cells, (x, y), where, scale, has_numbers=has_numbers)
            _mark_default(axes_, (x, y), where, default)
            axes_.set_title(_place(arranged.panels[place]), fontsize=10.5, fontweight="normal")
            _label(axes_, x, y, is_left=place % n_columns == 0, is_low=place + n_columns >= len(arranged.panels))
        held = f" at {_place(arranged.held)}" if arranged.held else ""
        figure.suptitle(f"{words.dataset}: {words.measure} over the grid{held}", fontweight="bold", x=0.01, ha="left")
        room, gap = 0.3 / height, 0.12 / height
        bar = figure.colorbar(mesh, ax=grid, orientation="horizontal", fraction=room, pad=gap, aspect=50)
        bar.outline.set_visible(False)
        bar.ax.grid(visible=False)
        bar.ax.tick_params(labelsize=10)
        bar.locator = MaxNLocator(nbins=8, steps=[1, 2, 5, 10])
        decimals = max(3, 1 + math.ceil(-math.log10(largest)))
        bar.ax.xaxis.set_major_formatter(lambda value, _: f"{value:+.{decimals}f}" if abs(value) > 1e-12 else "0")
        bar.set_label(_legend(words, default), fontsize=10)

    save(draw, height, stem)
    return arranged


def _legend(words: Words, default: Where | None) -> str:
    frame = "frame: the base variant    " if default is not None else ""
    streams = f"mean over {words.n_streams:,} streams" if words.n_streams > 1 else "one stream"
    return (
        f"◀ worse    {words.difference} ({streams}, n = {words.n_questions:,})    better ▶\n"
        f"{frame}hatched: more than {100 * UNSURE_SHARE:.0f} % of the streams have the other sign"
    )


def _panel(
    axes: Axes, cells: pl.DataFrame, drawn: tuple[Axis, Axis], where: Where, scale: Normalize, *, has_numbers: bool
) -> Any:
    deltas = matrix(cells, drawn, where, "delta")
    shares = matrix(cells, drawn, where, "share_opposite")
    n_y, n_x = deltas.shape
    mesh = axes.pcolormesh(
        np.arange(n_x + 1) - 0.5,
        np.arange(n_y + 1) - 0.5,
        np.ma.masked_invalid(deltas),
        cmap=_COLORS,
        norm=scale,
        edgecolors="white",
        linewidth=1.2,
    )
    for row, column in itertools.product(range(n_y), range(n_x)):
        delta = float(deltas[row, column])
        if shares[row, column] > UNSURE_SHARE:
            axes.add_patch(Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, fill=False, hatch="///", ec=_HATCH, lw=0))
        if has_numbers:
            color = "white" if _luminance(_COLORS(scale(delta))) < _DARK else INK
            axes.text(column, row, _number(delta), ha="center", va="center", fontsize=9, color=color)
    return mesh


def _luminance(color: tuple[float, ...]) -> float:
    """Return the relative luminance of a colour, 0 for black to 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _number(delta: float) -> str:
    """Print a difference to three places without its leading zero, to fit in a cell.

    >>> _number(0.0134), _number(-0.00004), _number(float("nan"))
    ('+.013', '.000', '–')
    """
    if not math.isfinite(delta):
        return "–"
    return ".000" if abs(delta) < 0.0005 else f"{delta:+.3f}".replace("0.", ".", 1)


def _mark_default(axes: Axes, drawn: tuple[Axis, Axis], where: Where, default: Where | None) -> None:
    if default is None or any(default[name] != value for name, value in where.items()):
        return
    x, y = (ascending(axis).index(default[axis.name]) for axis in drawn)
    axes.add_patch(
        Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=2.4, clip_on=False, zorder=5)
    )


def _label(axes: Axes, x: Axis, y: Axis, *, is_left: bool, is_low: bool) -> None:
    axes.grid(visible=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=10)
    labels = [_short(value) for value in ascending(x)]
    is_crowded = sum(map(len, labels)) > 36
    axes.set_xticks(range(len(x.values)), labels if is_low else [], rotation=90 if is_crowded else 0)
    axes.set_yticks(range(len(y.values)), [_short(value) for value in ascending(y)] if is_left else [])
    if is_low:
        axes.set_xlabel(x.name)
    if is_left:
        axes.set_ylabel(y.name)


def _short(value: Value) -> str:
    """Print a value for a tick: at most three significant digits.

    >>> _short(0.31622776), _short(30), _short("gap")
    ('0.316', '30', 'gap')
    """
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _place(where: Where) -> str:
    return ", ".join(f"{name} {_short(value)}" for name, value in where.items())


def _line(cells: pl.DataFrame, axis: Axis, default: Where | None, words: Words, stem: Path) -> None:
    """Draw the difference along one axis: its mean, and the range of the streams."""
    values = ascending(axis)
    by_value = {row[f"axis:{axis.name}"]: row for row in cells.iter_rows(named=True)}
    rows = [by_value[text_of(value)] for value in values]
    places = [float(value) for value in values] if axis.is_number else list(range(len(values)))
    mean, low, high = (np.array([row[name] for row in rows]) for name in ("delta", "delta_min", "delta_max"))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.grid(visible=True, axis="y", color=GRID)
        axes.axhline(0, color=INK, linewidth=1.2)
        if axis.is_number and len(values) > 1:
            axes.fill_between(places, low, high, color=BLUE, alpha=0.15, linewidth=0)
            axes.plot(places, mean, color=BLUE, linewidth=2.2)
        else:
            axes.vlines(places, low, high, color=BLUE, alpha=0.35, linewidth=6)
        axes.plot(places, mean, "o", color=BLUE, markersize=7)
        if default is not None:
            here = values.index(default[axis.name])
            ring: dict[str, Any] = {
                "markersize": 14,
                "markerfacecolor": "none",
                "markeredgecolor": INK,
                "markeredgewidth": 2,
            }
            axes.plot(places[here], mean[here], "o", **ring)
        if _is_geometric(places) and axis.is_number:
            axes.set_xscale("log")
        axes.set_xticks(places, [_short(value) for value in values])
        axes.minorticks_off()
        axes.margins(x=0.06 if len(values) > 1 else 0.5)
        axes.set_title(f"{words.dataset}: {words.measure} along {axis.name}")
        streams = (
            f"line: mean of {words.n_streams:,} streams, band: their range" if words.n_streams > 1 else "one stream"
        )
        ring_words = "; ring: the base variant" if default is not None else ""
        axes.set_xlabel(f"{axis.name}   ({streams}{ring_words}; n = {words.n_questions:,})")
        axes.set_ylabel(f"difference in {words.measure}\nto {variant_label(words.baseline)}")

    save(draw, 4.6, stem)


def _is_geometric(places: Sequence[float]) -> bool:
    """Say whether values spread so far that a linear axis would crowd most of them at one end."""
    return len(places) > 2 and min(places) > 0 and max(places) / min(places) >= 30

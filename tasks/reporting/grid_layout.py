"""How a grid of several axes becomes flat panels: which axes are drawn, which make panels, and what is left out."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.simulation.grids import Axis, Value, text_of

MOST_PANELS = 12
Floats = npt.NDArray[np.float64]
Where = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which axis goes where.

    Attributes
    ----------
    x, y
        Across and up; None where the grid has fewer axes of several values.
    panels
        Values that single panels are at, by axis.
    held
        Values that everything drawn is at: axes of one value, and those for which there is no room.
    n_hidden
        Cells that are not drawn for lack of room.
    """

    x: Axis | None
    y: Axis | None
    panels: tuple[dict[str, Value], ...]
    held: dict[str, Value]
    n_hidden: int


def arrange(axes: Sequence[Axis], cells: pl.DataFrame, default: Where | None) -> Arrangement:
    """Say which two axes are drawn, which make panels, and what is left out.

    Drawn are the two along which the difference varies most, numbers before words; the others make panels, those that
    vary most first, as long as there are at most 12. What is left is held at the default, or at its first value.

    Parameters
    ----------
    axes
        Of the grid.
    cells
        A column `axis:<name>` (text) per axis, and `delta`.
    default
        Values of the cell that is the base, where the grid holds it.
    """
    several = [axis for axis in axes if len(axis.values) > 1]
    ranked = sorted(several, key=lambda axis: (axis.is_number, _spread(axis, cells)), reverse=True)
    drawn = sorted(ranked[:2], key=lambda axis: len(axis.values), reverse=True)
    others = sorted(ranked[2:], key=lambda axis: _spread(axis, cells), reverse=True)
    shown: list[Axis] = []
    for axis in others:
        if math.prod(len(one.values) for one in (*shown, axis)) <= MOST_PANELS:
            shown.append(axis)
    shown.sort(key=lambda axis: [one.name for one in axes].index(axis.name))
    panels = tuple(
        dict(zip([axis.name for axis in shown], values, strict=True))
        for values in itertools.product(*(axis.values for axis in shown))
    )
    held = {
        axis.name: (default or {}).get(axis.name, axis.values[0])
        for axis in axes
        if axis not in drawn and axis not in shown
    }
    x, y = (*drawn, None, None)[:2]
    n_drawn = math.prod(len(axis.values) for axis in (*drawn, *shown))
    return Arrangement(x, y, panels, held, math.prod(len(axis.values) for axis in axes) - n_drawn)


def columns_of(n_panels: int, n_across: int) -> int:
    """Return how many panels stand side by side: so many that the cells of a panel stay readable."""
    widest = 4 if n_across <= 4 else 3 if n_across <= 8 else 2
    if n_panels <= widest:
        return n_panels
    return min(range(2, widest + 1), key=lambda columns: (math.ceil(n_panels / columns) * columns - n_panels, -columns))


def ascending(axis: Axis) -> list[Value]:
    """Return the values from small to large; words as they were given."""
    return sorted(axis.values, key=float) if axis.is_number else list(axis.values)


def matrix(cells: pl.DataFrame, drawn: tuple[Axis, Axis], where: Where, column: str) -> Floats:
    """Return (values of y, values of x) float64, both ascending; NaN where there is no cell."""
    x, y = drawn
    kept = cells.filter(pl.all_horizontal([pl.lit(value=True), *_conditions(where)]))
    found = {(a, b): value for a, b, value in kept.select(f"axis:{x.name}", f"axis:{y.name}", column).iter_rows()}
    return np.array([[found.get((text_of(a), text_of(b)), np.nan) for a in ascending(x)] for b in ascending(y)])


def _conditions(where: Where) -> list[pl.Expr]:
    return [pl.col(f"axis:{name}") == text_of(value) for name, value in where.items()]


def _spread(axis: Axis, cells: pl.DataFrame) -> float:
    """Return how far the mean difference moves along an axis."""
    means = cells.group_by(f"axis:{axis.name}").agg(pl.col("delta").mean())["delta"].to_numpy()
    return float(np.nan_to_num(np.ptp(means)))

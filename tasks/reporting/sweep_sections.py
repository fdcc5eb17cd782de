"""Sections of a sweep's report: the cells at either end, what each axis does, and where the streams disagree."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tasks.reporting.sweep_tables import UNSURE_SHARE, Swept
from tasks.reporting.text_format import UNDEFINED, escape, number, share, signed, table
from tasks.simulation.grids import text_of

MOST_ROWS = 10
"""Cells listed at either end."""


def best_and_worst(swept: Swept) -> list[str]:
    """List the cells at either end, of every measure."""
    lines = ["## Best and worst cells", ""]
    lines += [f"The extremes of {swept.n_cells:,} cells on the same questions: see the warning above.", ""]
    for measure in swept.measures:
        cells = swept.of(measure).filter(pl.col("delta").is_not_nan()).sort("delta", descending=True)
        n = min(MOST_ROWS, (cells.height + 1) // 2)
        shown = pl.concat([cells.head(n), cells.tail(min(n, cells.height - n))])
        rows = [_row(swept, row) for row in shown.iter_rows(named=True)]
        if cells.height > 2 * n:
            rows.insert(n, ["…"] * len(_header(swept)))
        align = "l" * len(swept.grid.axes) + "rrrrrr"
        lines += [f"### {escape(measure)}", "", *table(_header(swept), rows, align)]
    return lines


def _header(swept: Swept) -> list[str]:
    return [
        *(axis.name for axis in swept.grid.axes),
        *("mean", "sd over streams", "difference", "least", "largest", "streams of other sign"),
    ]


def _row(swept: Swept, row: Mapping[str, Any]) -> list[str]:
    values = [escape(row[f"axis:{axis.name}"]) for axis in swept.grid.axes]
    differences = [signed(row[name]) for name in ("delta", "delta_min", "delta_max")]
    return [*values, number(row["mean"]), number(row["sd"]), *differences, share(row["share_opposite"])]


def along_axes(swept: Swept) -> list[str]:
    """Show what each value does, averaged over everything else."""
    axes = [axis for axis in swept.grid.axes if len(axis.values) > 1]
    if len(axes) < 2:
        return []
    measure = swept.measures[0]
    cells = swept.of(measure)
    rows = []
    for axis in axes:
        for value in axis.values:
            own = cells.filter(pl.col(f"axis:{axis.name}") == text_of(value))["delta"].drop_nans()
            numbers = [float(found) for found in (own.mean(), own.min(), own.max()) if isinstance(found, float)]
            rows.append([axis.name, escape(text_of(value)), f"{own.len():,}", *map(signed, numbers)])
    header = ["axis", "value", "cells", "mean difference", "least", "largest"]
    return [f"## Along each axis: {escape(measure)}", "", *table(header, rows, "llrrrr")]


def signs(swept: Swept) -> list[str]:
    """Say in how many cells the streams disagree about the sign."""
    if len(swept.seeds) == 1:
        return [
            "## Streams",
            "",
            "One stream: what its seed does to a cell is not known. Ask for more with --streams.",
            "",
        ]
    rows = []
    for measure in swept.measures:
        cells = swept.of(measure)
        shares = cells["share_opposite"].drop_nans().to_numpy()
        spread = (cells["delta_max"] - cells["delta_min"]).drop_nans().median()
        rows.append(
            [
                escape(measure),
                f"{int((shares > 0).sum()):,} of {shares.size:,}",
                f"{int((shares > UNSURE_SHARE).sum()):,}",
                share(float(shares.max())) if shares.size else UNDEFINED,
                number(float(spread)) if isinstance(spread, float) else UNDEFINED,
            ]
        )
    header = [
        "measure",
        "cells with a stream of the other sign",
        "with more than 5 %",
        "largest share",
        "range, median",
    ]
    return [
        "## Streams",
        "",
        "A cell's difference is the mean over its streams. Where single streams have the other sign, the seed of one "
        "stream would have turned the conclusion. *Range*: largest less least difference of a cell.",
        "",
        *table(header, rows, "lrrrr"),
    ]

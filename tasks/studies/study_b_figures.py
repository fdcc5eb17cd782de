"""Figures of study B: Hit@1 by the weight of BM25, and what fusion adds to late interaction, published and ours."""

from pathlib import Path

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tasks.reporting.figure_style import BLUE, GREEN, INK, MUTED, ORANGE, VERMILION, row_height, save
from tasks.studies.declared import Cell
from tasks.studies.published import Published
from tasks.studies.study_b import tables

_PUBLISHED = ORANGE
_OURS = (BLUE, GREEN, VERMILION)
Effect = tuple[float, float, float]
_SHARED = ("dataset", "table", "row", "column", "ours", "lo", "hi")


def draw_all(study_dir: Path, folder: Path, published: Published) -> None:
    """Draw every figure that the tables of the study can fill, as `<folder>/<name>.png` and `.svg`."""
    names = ("study_cells", "study_unpublished")
    ours = pl.concat([pl.read_parquet(study_dir / f"{name}.parquet").select(_SHARED) for name in names])
    measured = ours.filter(pl.col("ours").is_not_nan())
    curve(measured, published, folder / "alpha")
    fusion_over_late(measured, published, folder / "fusion")


def curve(ours: pl.DataFrame, published: Published, stem: Path) -> None:
    """Draw Hit@1 by the weight of BM25, one line per encoder."""
    theirs = {
        float(cell.row): published.number(cell.where).value
        for cell in _declared("alpha curve", "e5-large-v2")
        if cell.where is not None
    }
    mine = ours.filter(pl.col("table") == "alpha curve", pl.col("column") != "e5-large-v2")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(list(theirs), list(theirs.values()), color=_PUBLISHED, marker="D", markersize=5, linewidth=1.8)
        entries = [("e5-large-v2, published", _PUBLISHED, "D")]
        for color, encoder in zip(_OURS, mine["column"].unique(maintain_order=True), strict=False):
            found = mine.filter(pl.col("column") == encoder)
            x = [float(row) for row in found["row"]]
            axes.plot(x, found["ours"].to_list(), color=color, marker="o", markersize=5, linewidth=1.8)
            entries.append((f"{encoder}, ours", color, "o"))
        axes.set_xlabel("weight of BM25 (0: dense alone, 1: BM25 alone)")
        axes.set_ylabel("Hit@1")
        _legend(figure, entries)

    save(draw, 4.2, stem)


def fusion_over_late(ours: pl.DataFrame, published: Published, stem: Path) -> None:
    """Draw fusion minus late in Hit@1 with its interval: published above ours."""
    theirs: dict[str, Effect] = {}
    for cell in _declared("fusion over late", "delta_pp"):
        if cell.where is not None:
            number = published.number(cell.where)
            lo, hi = (number.value if end is None else end for end in (number.lo, number.hi))
            theirs[cell.row] = (number.value, lo, hi)
    rows: list[tuple[str, str, float, float, float]] = [("published", row, *values) for row, values in theirs.items()]
    mine = ours.filter(pl.col("table") == "fusion over late", pl.col("column") == "delta_pp")
    rows += [("ours", *values) for values in mine.select("row", "ours", "lo", "hi").iter_rows()]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1.2)
        for height, (side, _, value, lo, hi) in enumerate(rows[::-1]):
            color, marker = (_PUBLISHED, "D") if side == "published" else (BLUE, "o")
            axes.plot([lo, hi], [height, height], color=color, linewidth=2.6, solid_capstyle="butt")
            is_shown = lo > 0 or hi < 0
            axes.plot(value, height, marker=marker, color=color, markerfacecolor=color if is_shown else "white")
        axes.set_yticks(range(len(rows)), [row[1] for row in rows[::-1]])
        axes.tick_params(axis="y", length=0)
        figure.supxlabel(
            "fusion − late in Hit@1 on LoCoMo (95 % over conversations; filled: it excludes 0)", fontsize=11
        )
        _legend(figure, [("published", _PUBLISHED, "D"), ("ours", BLUE, "o")])

    save(draw, row_height(len(rows), per_row_in=0.4), stem)


def _declared(table: str, column: str) -> list[Cell]:
    return [cell for cell in tables() if cell.table == table and cell.column == column]


def _legend(figure: Figure, entries: list[tuple[str, str, str]]) -> None:
    handles = [
        Line2D([], [], color=color, marker=marker, label=label, linewidth=2, markersize=6)
        for label, color, marker in entries
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, fontsize=10, labelcolor=MUTED)

"""Figures of a measure by length and number of gold sessions; for question types see `figures.question_types`."""

from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.measures.query_groups import QUESTION_TYPE
from tasks.reporting.families import members
from tasks.reporting.figure_style import INK, ORANGE, SKY, save
from tasks.reporting.group_sections import TITLES, blocks_in_order, group_name
from tasks.reporting.group_tables import groupings, in_order
from tasks.reporting.labels import block_label, lines_of_label, variant_order


def draw(summary: pl.DataFrame, facts: dict[str, Any], folder: Path) -> None:
    """Draw one figure per grouping of the table `group_summary`, of the variants that a report leads with."""
    measure = facts["params"]["main_measure"]
    shown = summary.filter(
        pl.col("measure") == measure, pl.col("variant").is_in(members(facts)), pl.col("block") != ALL_BLOCKS
    )
    for by in groupings(shown):
        if by != QUESTION_TYPE:
            group_means(shown.filter(pl.col("by") == by), by, measure, facts["dataset"], folder / by)


def group_means(summary: pl.DataFrame, by: str, measure: str, dataset: str, stem: Path) -> None:
    """One row of panels per block, one panel per group, one bar per variant; line: 95 % bootstrap interval."""
    summary = summary.filter(pl.col("n") > 0)
    blocks, names = blocks_in_order(summary["block"].to_list()), in_order(by, summary["group"].to_list())
    if not names:
        return
    variants = sorted(set(summary["variant"]), key=variant_order, reverse=True)  # the first one read is on top
    cells = {(row["block"], row["group"], row["variant"]): row for row in summary.iter_rows(named=True)}
    top = max([0.05, *summary["hi"]])

    def on(figure: Figure) -> None:
        grid = figure.subplots(len(blocks), len(names), sharex=True, sharey=True, squeeze=False)
        for line, block in zip(grid, blocks, strict=True):
            for axes, group in zip(line, names, strict=True):
                bars = [cells.get((block, group, variant)) for variant in variants]
                _panel(axes, bars, is_main=block == "main")
                n = max((bar["n"] for bar in bars if bar), default=0)
                first = "" if len(blocks) == 1 else f"{block_label(block)}\n"
                axes.set_title(f"{first}{group_name(by, group)}\nn = {n:,}", fontsize=11)
                axes.set_xlim(0, top * 1.42)  # room for the numbers behind the lines
                axes.tick_params(axis="x", labelbottom=n > 0)
                if not n:  # not hidden: the names of the variants may hang on it
                    axes.grid(visible=False)
                    axes.spines[:].set_visible(False)
                    axes.tick_params(axis="x", length=0)
        grid[0][0].set_yticks(range(len(variants)), [lines_of_label(variant, 26) for variant in variants])
        grid[0][0].set_ylim(-0.6, len(variants) - 0.4)
        figure.supxlabel(f"{measure}, from 0 to 1 (bar: mean; line: 95 % bootstrap interval)", fontsize=12)
        figure.suptitle(f"{dataset}: {measure} by {TITLES[by]}", fontweight="bold", x=0.01, ha="left")

    n_title_lines = 2 if len(blocks) == 1 else 3
    n_label_lines = max(lines_of_label(variant, 26).count("\n") + 1 for variant in variants)
    per_bar = max(0.34, 0.22 * n_label_lines)
    save(on, 1.2 + len(blocks) * (0.35 + 0.2 * n_title_lines + per_bar * max(len(variants), 2)), stem)


def _panel(axes: Axes, bars: list[dict[str, Any] | None], *, is_main: bool) -> None:
    """Colour and hatch say the same thing: whether the questions are of the main block."""
    for place, bar in enumerate(bars):
        if bar is None:
            continue
        axes.barh(
            place,
            bar["mean"],
            height=0.72,
            color=SKY if is_main else ORANGE,
            hatch="" if is_main else "//",
            edgecolor=INK,
            linewidth=0.5,
        )
        axes.plot([bar["lo"], bar["hi"]], [place, place], color=INK, linewidth=1.6)
        axes.text(bar["hi"], place, f" {bar['mean']:.2f}", va="center", ha="left", fontsize=11)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=3)

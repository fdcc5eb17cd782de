"""The curve of a fusion's weight: what every weight gives, and where it was chosen."""

from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from tasks.reporting.figure_style import BLUE, GREEN, INK, ORANGE, SKY, VERMILION, save
from tasks.reporting.labels import lines_of_label, variant_order

STEM = "alpha_curve"
TITLE = "Weight of BM25 in the fusion"
_LOOKS = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (VERMILION, ":"), (SKY, "-"), (INK, "--"))
MOST_CURVES = len(_LOOKS)
WIDEST = 36
"""Characters in a line of the legend: two columns of them fit."""


def draw(curve: pl.DataFrame, choices: pl.DataFrame, dataset: str, folder: Path) -> None:
    """Draw Success@1 over alpha, a line per variant (the best few), a dot at each weight that a fold chose."""
    hits = curve.filter(pl.col("measure") == "Success@1")
    best = hits.group_by("variant").agg(pl.col("value").max()).sort("value", "variant", descending=[True, False])
    variants = sorted(best["variant"].head(MOST_CURVES), key=variant_order)
    if not variants:
        return

    def on(figure: Figure) -> None:
        axes = figure.subplots()
        for (colour, dashes), variant in zip(_LOOKS, variants, strict=False):
            mine = hits.filter(pl.col("variant") == variant).sort("alpha")
            axes.plot(mine["alpha"], mine["value"], dashes, color=colour, label=lines_of_label(variant, WIDEST))
            chosen = mine.join(choices.filter(pl.col("variant") == variant).select("alpha").unique(), on="alpha")
            axes.plot(chosen["alpha"], chosen["value"], "o", color=colour, markersize=6)
        axes.set_xlabel("alpha: weight of BM25 (0: dense alone, 1: BM25 alone)")
        axes.set_ylabel("Success@1 (share of questions)")
        n = int(hits["n"].max() or 0)  # type: ignore[arg-type]
        axes.set_title(f"{TITLE}, {dataset}, n = {n:,}; dots: chosen on other folds")
        axes.grid(axis="y")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)

    n_lines = sum(lines_of_label(variant, WIDEST).count("\n") + 1 for variant in variants)
    save(on, 5.4 + 0.27 * n_lines, folder / STEM)

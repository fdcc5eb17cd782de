"""What was chosen out of sample: weights of fusion for each fold, the in-sample curve, and settings of BM25."""

from pathlib import Path

import polars as pl

from tasks.reporting.labels import variant_label, variant_order
from tasks.reporting.sections import Facts, folded, read_table
from tasks.reporting.selection_schemas import ALPHA_CHOICES, ALPHA_CURVE, BM25_GRID, BM25_GRID_CHOICES
from tasks.reporting.text_format import escape, number, table

SHOWN_SETTINGS = 10
"""Best settings of the grid that are printed; all of them are in the warehouse."""


def weights(facts: Facts, report_dir: Path) -> list[str]:
    """Show which weight each fold got, and what every weight would have given on all questions."""
    choices = read_table(report_dir, ALPHA_CHOICES)
    curve = read_table(report_dir, ALPHA_CURVE)
    if not choices.height and not curve.height:
        return []
    lines = [
        "## Weights of fusion",
        "",
        "A score is alpha times BM25's and 1 - alpha times the dense one, both normalised within the question's "
        "sessions. For each fold alpha is the one with the best Success@1 on the questions of the *other* folds, the "
        "smallest of equals: what is reported is held out.",
        "",
    ]
    return [*lines, *_choices(choices), *_curve(curve, choices)]


def _choices(choices: pl.DataFrame) -> list[str]:
    if not choices.height:
        return []
    groups = choices.sort("fold")["group"].unique(maintain_order=True).to_list()
    cells = {(row["variant"], row["group"]): row["alpha"] for row in choices.iter_rows(named=True)}
    variants = sorted(choices["variant"].unique(), key=variant_order)
    rows = [
        [
            escape(variant_label(variant)),
            *(f"{cells[variant, group]:.2f}" if (variant, group) in cells else "" for group in groups),
        ]
        for variant in variants
    ]
    header = ["alpha, held-out fold", *map(escape, groups)]
    return table(header, rows, "l" + "r" * len(groups))


def _curve(curve: pl.DataFrame, choices: pl.DataFrame) -> list[str]:
    """Return the in-sample curve of the measure that weights are chosen by, one column per variant."""
    hits = curve.filter(pl.col("measure") == "Success@1")
    variants = sorted(hits["variant"].unique(), key=variant_order)
    if not variants:
        return []
    chosen = {name: set(part["alpha"]) for (name,), part in choices.group_by("variant")}
    values = {(row["variant"], row["alpha"]): row["value"] for row in hits.iter_rows(named=True)}
    best = {name: max(value for (variant, _), value in values.items() if variant == name) for name in variants}

    def cell(variant: str, alpha: float) -> str:
        value = values.get((variant, alpha))
        shown = number(value)
        shown = f"**{shown}**" if value == best[variant] else shown
        return f"{shown} ←" if alpha in chosen.get(variant, set()) else shown

    rows = [[f"{alpha:.2f}", *(cell(name, alpha) for name in variants)] for alpha in sorted(set(hits["alpha"]))]
    header = ["alpha", *(escape(variant_label(name)) for name in variants)]
    text = "Success@1 of every weight on all questions: in-sample, to look at and not to report. ←: chosen by a fold."
    return [text, "", *folded("The curve", table(header, rows, "r" * len(header)))]


def bm25_grid(facts: Facts, report_dir: Path) -> list[str]:
    """Show the best settings of BM25 in hindsight, and what choosing them on other folds gives."""
    grid, choices = read_table(report_dir, BM25_GRID), read_table(report_dir, BM25_GRID_CHOICES)
    if not grid.height:
        return []
    best = grid.sort("value", "idf", "k1", "b", descending=[True, True, False, False]).head(SHOWN_SETTINGS)
    rows = [
        [escape(row["idf"]), f"{row['k1']:g}", f"{row['b']:g}", number(row["value"])]
        for row in best.iter_rows(named=True)
    ]
    lines = ["## BM25's settings", "", f"Success@1 of the best {len(rows)} of {grid.height} settings: a ceiling, found "
             "by looking at the answers.", ""]  # fmt: skip
    lines += table(["idf", "k1", "b", "Success@1"], rows, "lrrr")
    if choices.height:
        held_out = sum(choices["n_hits_held_out"].to_list()) / sum(choices["n_held_out"].to_list())
        distinct = choices.select("idf", "k1", "b").unique().height
        lines += [
            f"Chosen for each of {choices.height} folds on the others ({distinct} distinct settings): "
            f"{number(held_out)} held out, against {number(max(grid['value'].to_list()))} in hindsight.",
            "",
        ]
    return lines

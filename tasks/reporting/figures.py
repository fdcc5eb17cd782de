"""Figures of one report, drawn from its tables: differences, question types, behaviour, changes, suppression."""

from math import ceil, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasks.reporting.figure_style import (
    BETTER,
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    SAME,
    UNSURE,
    VERMILION,
    WORSE,
    row_height,
    save,
)
from tasks.reporting.headline import verdict
from tasks.reporting.labels import lines_of_label, question_type_label, variant_label, variant_order

_DECOMPOSITION = (
    ("exact_episode", "right turn", BLUE, ""),
    ("sibling_confusion", "right session, wrong turn", ORANGE, "//"),
    ("wrong_family", "wrong session", SAME, ""),
)

_VERDICT_MARKS = {"better": (BETTER, ">"), "worse": (WORSE, "<"), "not shown": (UNSURE, "o")}
"""Colour and shape say the same thing."""


def _ordered(variants: list[str]) -> list[str]:
    """First variant at the bottom of a horizontal chart is the last one read."""
    return sorted(set(variants), key=variant_order, reverse=True)


def _name_rows(axes: Axes, variants: list[str]) -> None:
    axes.set_yticks(range(len(variants)), [lines_of_label(variant) for variant in variants])
    axes.set_ylim(-0.6, len(variants) - 0.4)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


# --- differences to the baseline -----------------------------------------------------------------------------------


def differences(compared: pl.DataFrame, measure: str, dataset: str, stem: Path) -> None:
    """Forest plot: paired difference to the baseline and its 95 % interval, one row per variant."""
    rows = {row["variant"]: row for row in compared.iter_rows(named=True) if isfinite(row["delta"])}
    variants = _ordered(list(rows))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1.2)
        for place, variant in enumerate(variants):
            row = rows[variant]
            color, marker = _VERDICT_MARKS[verdict(row)]
            axes.plot([row["lo"], row["hi"]], [place, place], color=color, linewidth=2.6, solid_capstyle="butt")
            face = "white" if marker == "o" else color
            axes.plot(row["delta"], place, marker=marker, color=color, markerfacecolor=face, markersize=9)
        _name_rows(axes, variants)
        baseline = compared["baseline"].first() if compared.height else "the baseline"
        n = max((row["n"] for row in rows.values()), default=0)
        axes.set_title(f"{dataset}: difference in {measure} to {variant_label(str(baseline))}")
        axes.set_xlabel(
            f"difference in {measure} (per-query mean, n = {n:,}; line: 95 % bootstrap interval)\n"
            "◀ worse    filled mark: interval excludes 0, adjusted p < 0.05    better ▶"
        )
        _widen(axes)

    save(draw, row_height(len(variants)), stem)


def _widen(axes: Axes) -> None:
    low, high = axes.get_xlim()
    if high - low < 1e-6:  # all differences exactly 0
        axes.set_xlim(-0.01, 0.01)
    else:
        axes.margins(x=0.08)


# --- the main measure by question type -----------------------------------------------------------------------------


def question_types(scores: pl.DataFrame, measure: str, dataset: str, stem: Path) -> None:
    """One panel per question type, one bar per variant. `scores`: variant, question_type, block, value."""
    scores = scores.filter(pl.col("value").is_not_nan())
    types = (
        scores.group_by("question_type", "block")
        .agg(pl.col("value").len())
        .sort(pl.col("block") != "main", "block", "question_type")
        .rows()
    )
    variants = _ordered(scores["variant"].unique().to_list())
    n_columns = max(1, min(3 if len(variants) <= 10 else 2, len(types)))
    n_rows = max(1, ceil(len(types) / n_columns))
    means = scores.group_by("variant", "question_type", "block").agg(pl.col("value").mean())["value"].to_list()
    top = max([0.05, *means])

    def draw(figure: Figure) -> None:
        grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
        for axes, (question_type, block, _) in zip(grid.flat, types, strict=False):
            mine = scores.filter(pl.col("question_type") == question_type, pl.col("block") == block)
            _type_panel(axes, mine, variants)
            suffix = "" if block in ("main", question_type) else f" [{block}]"
            n = mine["query_id"].n_unique()
            axes.set_title(f"{question_type_label(question_type + suffix)}\nn = {n:,}", fontsize=10)
            axes.set_xlim(0, min(1.3, top * 1.45))
        for place, axes in enumerate(grid.flat):
            axes.set_visible(place < len(types))
            axes.tick_params(axis="x", labelbottom=place + n_columns >= len(types))
        figure.supxlabel(f"{measure}, from 0 to 1 (bar: mean; thin line: mean ± 1.96 standard errors)", fontsize=12)
        figure.suptitle(f"{dataset}: {measure} by question type", fontweight="bold", x=0.01, ha="left")

    save(draw, 1.3 + n_rows * (0.75 + 0.33 * max(len(variants), 3)), stem)


def _type_panel(axes: Axes, scores: pl.DataFrame, variants: list[str]) -> None:
    for place, variant in enumerate(variants):
        values = scores.filter(pl.col("variant") == variant)["value"].to_numpy()
        if not len(values):
            continue
        mean = float(values.mean())
        error = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        is_plain = not variant.startswith("rif(")
        axes.barh(place, mean, height=0.72, color="#9DC3E0" if is_plain else ORANGE, edgecolor=INK, linewidth=0.5)
        low, high = max(mean - error, 0.0), min(mean + error, 1.0)
        axes.plot([low, high], [place, place], color=INK, linewidth=1.0)
        axes.text(high, place, f" {mean:.2f}", va="center", ha="left", fontsize=11)
    _name_rows(axes, variants)


# --- behaviour -----------------------------------------------------------------------------------------------------


def behaviour(shares: pl.DataFrame, dataset: str, stem: Path) -> None:
    """Stacked bars of what the first document is. `shares`: variant, measure, share (0 to 1), n."""
    table = {(variant, measure): share for variant, measure, share, _ in shares.iter_rows()}
    variants = _ordered(shares["variant"].to_list())
    shown = shares.filter(pl.col("measure").is_in([measure for measure, *_ in _DECOMPOSITION]))
    n = max(shown["n"].to_list(), default=0)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        left = np.zeros(len(variants))
        for measure, label, color, hatch in _DECOMPOSITION:
            width = np.array([100 * table.get((variant, measure), 0.0) for variant in variants])
            _stack(axes, width, left, label, color, hatch)
            left += width
        _name_rows(axes, variants)
        axes.set_xlim(0, 100)
        axes.set_title(f"{dataset}: what the first result is", pad=34)
        axes.set_xlabel(f"share of questions, % (n = {n:,})")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2, handlelength=1.4)

    save(draw, row_height(len(variants), extra_in=2.0), stem)


def _stack(axes: Axes, width: Any, left: Any, label: str, color: str, hatch: str) -> None:
    bars = axes.barh(
        range(len(width)), width, left=left, height=0.72, label=label, color=color, hatch=hatch, edgecolor="white"
    )
    texts = [f"{share:.0f}" if share >= 4 else "" for share in width]
    for text in axes.bar_label(bars, texts, label_type="center", fontsize=11, color="white" if color == BLUE else INK):
        text.set_bbox({"facecolor": color, "edgecolor": "none", "pad": 1.0} if hatch else None)


def pool_against_measure(points: pl.DataFrame, measure: str, pool_measure: str, dataset: str, stem: Path) -> None:
    """Where a corpus has no sessions: how much the pool holds against what the ranking makes of it.

    `points`: variant, pool_recall, mean, both from 0 to 1.
    """
    rows = sorted(points.iter_rows(), key=lambda row: variant_order(row[0]), reverse=True)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, (_, pool_recall, mean) in enumerate(rows):
            axes.plot([pool_recall, mean], [place, place], color=MUTED, linewidth=1.2)
            axes.plot(pool_recall, place, "o", color=GREEN, markersize=10, label=f"{pool_measure} (the pool)")
            axes.plot(mean, place, "D", color=VERMILION, markersize=9, label=f"{measure} (the ranking)")
        _name_rows(axes, [row[0] for row in rows])
        axes.margins(x=0.08)
        axes.set_title(f"{dataset}: the pool and the ranking", pad=34)
        axes.set_xlabel("mean over questions, from 0 to 1")
        handles, labels = axes.get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        axes.legend(
            unique.values(), unique.keys(), loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2
        )

    save(draw, row_height(len(rows), extra_in=2.0), stem)


# --- changes and suppression ---------------------------------------------------------------------------------------


def changes(compared: pl.DataFrame, measure: str, dataset: str, stem: Path) -> None:
    """Diverging bars: on how many questions a variant is worse and better than the baseline, and on how many equal."""
    rows = {row["variant"]: row for row in compared.iter_rows(named=True)}
    variants = _ordered(list(rows))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        widest = max([1, *(max(row["wins"], row["losses"]) for row in rows.values())])
        for place, variant in enumerate(variants):
            row = rows[variant]
            axes.barh(place, row["wins"], height=0.72, color=BETTER, label="better" if not place else None)
            axes.barh(
                place,
                -row["losses"],
                height=0.72,
                color=WORSE,
                hatch="//",
                edgecolor="white",
                label="worse" if not place else None,
            )
            axes.text(row["wins"] + widest * 0.02, place, f"{row['wins']:,}", va="center", ha="left")
            axes.text(-row["losses"] - widest * 0.02, place, f"{row['losses']:,}", va="center", ha="right")
            ties = f"{row['ties']:,} equal"
            place_right = axes.get_yaxis_transform()
            axes.text(1.0, place, ties, va="center", ha="right", transform=place_right, backgroundcolor="white")
        axes.axvline(0, color=INK, linewidth=1.2)
        _name_rows(axes, variants)
        axes.set_xlim(-widest * 1.2, widest * 1.75)
        axes.xaxis.set_major_locator(_integers())
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}" if abs(value) <= widest * 1.2 else "")
        baseline = compared["baseline"].first() if compared.height else "the baseline"
        axes.set_title(f"{dataset}: questions that change against {variant_label(str(baseline))}", pad=34)
        axes.set_xlabel(f"number of questions whose {measure} is worse (left) or better (right)")
        if variants:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2, handlelength=1.4)

    save(draw, row_height(len(variants), extra_in=2.0), stem)


def _integers() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=7, integer=True)


def suppression(state: pl.DataFrame, dataset: str, stem: Path) -> None:
    """Two panels: how many documents carry suppression, and how strong it is, at the end of the stream.

    `state`: variant, share_of_documents (0 to 1), and over the entries of all scopes their mean and max.
    """
    rows = sorted(state.iter_rows(named=True), key=lambda row: variant_order(row["variant"]), reverse=True)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for place, row in enumerate(rows):
            left.barh(place, 100 * row["share_of_documents"], height=0.72, color=ORANGE, edgecolor=INK, linewidth=0.5)
            right.plot([row["mean"], row["max"]], [place, place], color=MUTED, linewidth=1.6)
            right.plot(row["mean"], place, "o", color=BLUE, markersize=9, label="mean" if not place else None)
            right.plot(row["max"], place, "D", color=VERMILION, markersize=8, label="largest" if not place else None)
        _name_rows(left, [row["variant"] for row in rows])
        right.tick_params(axis="y", length=0)
        left.set_xlim(0, 100)
        right.set_xlim(left=0)
        left.set_xlabel("documents with s > 0.01 in any cluster, %")
        right.set_xlabel("suppression s per entry (no unit)")
        right.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)
        figure.suptitle(f"{dataset}: suppression at the end of the stream", fontweight="bold", x=0.01, ha="left")

    save(draw, row_height(len(rows), extra_in=2.2), stem)

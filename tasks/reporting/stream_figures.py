"""Figures of what a stream does: differences over many streams, and the state as one stream goes on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from tasks.reporting.figure_style import BLUE, GREEN, INK, MUTED, ORANGE, SKY, VERMILION, row_height, save
from tasks.reporting.labels import lines_of_label, variant_label, variant_order
from tasks.reporting.stream_spread import Spread

Values = npt.NDArray[np.float64]

_N_BINS = 70
"""Columns of dots over the width of the figure."""
_ROOM = 0.40
"""Half the height that the dots of a row may take, in rows."""
_LINES = (BLUE, ORANGE, GREEN, VERMILION, SKY, MUTED)
_MAX_NAMED = 12
"""Lines that get a name at their end; more would not be told apart."""


# --- differences over many streams ---------------------------------------------------------------------------------


def over_streams(spreads: Sequence[Spread], baseline: str, dataset: str, stem: Path) -> None:
    """One row per variant, one dot per stream: the mean difference to the baseline; the run's own stream is marked.

    `spreads` are of one measure and have differences.
    """
    rows = sorted(spreads, key=lambda spread: variant_order(spread.variant), reverse=True)
    measure, own = rows[0].measure, rows[0].own_seed
    everything = np.concatenate([[0.0, row.delta_here] for row in rows] + [row.deltas for row in rows])
    low, high = float(everything.min()), float(everything.max())
    if high - low < 1e-9:
        low, high = -0.01, 0.01

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1.2)
        for place, row in enumerate(rows):
            _swarm(axes, place, row, (high - low) / _N_BINS)
        axes.set_yticks(range(len(rows)), [lines_of_label(row.variant) for row in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(low - 0.06 * (high - low), high + 0.06 * (high - low))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        axes.set_title(f"{dataset}: what another stream changes")
        axes.set_xlabel(
            f"difference in {measure} to {variant_label(baseline)}, mean over questions\n◀ worse        better ▶"
        )
        keys = _keys(own, len(rows[0].deltas))
        figure.legend(handles=keys, loc="outside lower left", ncols=len(keys), handletextpad=0.2, fontsize=11)

    save(draw, row_height(len(rows), per_row_in=0.62, extra_in=2.0), stem)


def _swarm(axes: Axes, place: int, row: Spread, width: float) -> None:
    """Draw dots side by side where they would lie on each other, the mean of all, and the run's own stream."""
    heights = place + _stacked(row.deltas, width)
    for is_drawn, edge, face in ((~row.is_opposite, "white", BLUE), (row.is_opposite, ORANGE, "white")):
        axes.plot(
            row.deltas[is_drawn],
            heights[is_drawn],
            "o",
            markerfacecolor=face,
            markeredgecolor=edge,
            markeredgewidth=0.5 if edge == "white" else 1.2,
            markersize=5.2,
        )
    mean = float(row.deltas.mean())
    axes.plot([mean, mean], [place - 0.46, place + 0.46], color=INK, linewidth=1.6, solid_capstyle="butt")
    axes.plot(row.delta_here, place, "D", color=VERMILION, markersize=9, markeredgecolor="white", markeredgewidth=1.3)


def _stacked(values: Values, width: float) -> Values:
    """Return an offset for each value such that values of one bin stand over each other, around the middle.

    The order of the bins is that of the values, so that equal values give equal pictures.
    """
    bins = np.round(values / width).astype(np.int64)
    order = np.lexsort((values, bins))
    offsets = np.zeros(len(values))
    _, starts, counts = np.unique(bins[order], return_index=True, return_counts=True)
    step = min(0.11, 2 * _ROOM / max(int(counts.max()) - 1, 1))
    for start, count in zip(starts, counts, strict=True):
        offsets[order[start : start + count]] = (np.arange(count) - (count - 1) / 2) * step
    return offsets


def _keys(own_seed: int, n_streams: int) -> list[Line2D]:
    def dot(color: str, face: str, label: str, marker: str = "o", size: float = 6) -> Line2D:
        return Line2D(
            [], [], color=color, markerfacecolor=face, marker=marker, linestyle="", markersize=size, label=label
        )

    return [
        dot(BLUE, BLUE, f"one of {n_streams:,} streams"),
        dot(ORANGE, "white", "with the other sign"),
        dot(VERMILION, VERMILION, f"the run's own (seed {own_seed})", "D", 8),
        Line2D([], [], color=INK, marker="|", linestyle="", markersize=13, markeredgewidth=1.6, label="mean"),
    ]


# --- the state as the stream goes on -------------------------------------------------------------------------------


def over_steps(trace: pl.DataFrame, dataset: str, stem: Path) -> None:
    """One line per variant: the entries with s > 0.01 after each recorded step, over all scopes.

    `trace` has the columns of `suppression_trace`. A scope whose stream has ended keeps its last state.
    """
    variants = sorted(trace["variant"].unique(), key=variant_order)
    lines = {variant: totals(trace.filter(pl.col("variant") == variant)) for variant in variants}
    n_documents = int(trace.select("scope_id", "n_documents").unique()["n_documents"].sum())

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        looks = _looks(variants)
        for variant in variants:
            axes.plot(*lines[variant], **looks[variant])
        last = max(int(steps[-1]) for steps, _ in lines.values())
        top = max(float(entries.max()) for _, entries in lines.values()) or 1.0
        axes.set_xlim(0, last)
        axes.set_ylim(0, 1.08 * top)
        axes.grid(visible=True, axis="y")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_title(f"{dataset}: suppression over the stream")
        where = "" if trace["scope_id"].n_unique() == 1 else ", in each conversation"
        axes.set_xlabel(f"queries served{where}")
        axes.set_ylabel("entries with s > 0.01\n(beside the names: their share of the documents)", fontsize=11)
        _name_ends(axes, [(float(lines[name][1][-1]), name) for name in variants], looks, n_documents, top)

    save(draw, 4.8, stem)


def totals(trace: pl.DataFrame) -> tuple[Values, Values]:
    """Return the recorded steps, from 0, and the entries above 0.01 of all scopes after each of them.

    `trace` is of one variant. Before its first recorded step a scope has none; after its last one it keeps that state.
    """
    steps = np.unique(np.concatenate([[0], trace["step"].to_numpy()]))
    entries = np.zeros(len(steps))
    for _, part in trace.sort("step").group_by("scope_id", maintain_order=True):
        place = np.searchsorted(part["step"].to_numpy(), steps, side="right") - 1
        known = part["n_entries_above"].to_numpy().astype(np.float64)
        entries += np.where(place < 0, 0.0, known[np.maximum(place, 0)])
    return steps.astype(np.float64), entries


def _looks(variants: list[str]) -> dict[str, dict[str, Any]]:
    """Return how each line is drawn: colour by clusters, dashes by rule, where these tell all apart."""
    orders = [variant_order(variant) for variant in variants]
    kinds = [(order[1], order[2]) for order in orders]
    if len(set(kinds)) < len(kinds):
        kinds = [(place, True) for place in range(len(variants))]
    colors = sorted({clusters for clusters, _ in kinds})
    return {
        variant: {
            "color": _LINES[colors.index(clusters) % len(_LINES)],
            "linestyle": "-" if is_solid and colors.index(clusters) < len(_LINES) else (0, (4, 1.6)),
            "linewidth": 2.2,
        }
        for variant, (clusters, is_solid) in zip(variants, kinds, strict=True)
    }


def _name_ends(
    axes: Axes, ends: list[tuple[float, str]], looks: dict[str, dict[str, Any]], n_documents: int, top: float
) -> None:
    """Write each line's name beside its end, moved apart where two would touch, with its share of the documents."""
    gap = 0.065 * top
    chosen = sorted(sorted(ends, reverse=True)[:_MAX_NAMED])
    heights: list[float] = []
    for value, _ in chosen:
        heights.append(max(value, heights[-1] + gap) if heights else value)
    excess = max(0.0, heights[-1] - 1.06 * top)
    transform = axes.get_yaxis_transform()
    for height, (value, name) in zip(heights, chosen, strict=True):
        end = height - excess
        axes.plot([1.0, 1.012], [value, end], clip_on=False, transform=transform, **looks[name])
        share = f" ({100 * value / n_documents:.3g} %)" if n_documents else ""
        axes.text(
            1.02, end, f"{variant_label(name)}: {value:,.0f}{share}", transform=transform, va="center", fontsize=10
        )

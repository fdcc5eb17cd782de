"""`report.md` of a sweep: what was swept, what the cells say and how far that can be believed, figures, cost."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tasks.files import write_text
from tasks.reporting.data_sections import cost
from tasks.reporting.grid_layout import Arrangement
from tasks.reporting.labels import block_label, variant_label
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.run_sections import facts_of, make_it_again, models, run_line, write_manifest
from tasks.reporting.scratch import report_folder
from tasks.reporting.sweep_sections import along_axes, best_and_worst, signs
from tasks.reporting.sweep_tables import Swept
from tasks.reporting.text_format import escape, number, signed, table
from tasks.simulation.grids import text_of

Facts = Mapping[str, Any]


def write_sweep_report(swept: Swept, corpus: Facts, run: RunFacts, reports_root: Path) -> Path:
    """Write `<reports_root>/<run_id>/` (report.md, figures/, manifest.json) under a hidden name, then rename it.

    Parameters
    ----------
    swept
        What was found.
    corpus
        `facts.json` of the corpus.
    run
        Facts of the run.

    Returns
    -------
    Path
        The report.md.

    Raises
    ------
    BenchError
        When the folder cannot be written.
    """
    with report_folder(reports_root, run.run_id) as folder:
        drawn = draw_all(swept, folder / "figures")
        write_text(folder / "report.md", render(swept, drawn, corpus, run))
        write_manifest(folder, {"run": facts_of(run), "sweep": _facts(swept), "corpus": dict(corpus)})
    return reports_root / run.run_id / "report.md"


def draw_all(swept: Swept, folder: Path) -> dict[str, tuple[str, Arrangement]]:
    """Draw a heat map of each measure; return the name of its file without suffix, and how it is arranged."""
    from tasks.reporting.heat_maps import Words, heat_map  # matplotlib is slow to import

    drawn = {}
    for measure in swept.measures:
        cells = swept.of(measure)
        stem = "heat_map_" + re.sub(r"[^A-Za-z0-9]+", "_", measure).strip("_")
        words = Words(swept.dataset, measure, swept.baseline, len(swept.seeds), int(cells["n"][0]))
        drawn[measure] = stem, heat_map(cells, swept.grid.axes, swept.grid.default_cell(), words, folder / stem)
    return drawn


def render(swept: Swept, drawn: Mapping[str, tuple[str, Arrangement]], corpus: Facts, run: RunFacts) -> str:
    """Return the report as Markdown (GitHub flavour). Text from data is escaped."""
    lines = [f"# {escape(swept.dataset)}: {swept.n_cells:,} settings of suppression, {_streams(swept)} each", ""]
    lines += headline(swept)
    if corpus.get("note"):
        lines += [f"> **{escape(corpus['note'])}**", ""]
    lines += run_line(run)
    for measure in swept.measures:
        stem, arranged = drawn[measure]
        lines += [f"![{escape(measure)} over the grid](figures/{stem}.png)", "", *_left_out(arranged)]
    lines += [*_what(swept), *best_and_worst(swept), *along_axes(swept), *signs(swept)]
    return "\n".join([*lines, *cost(run), *models(run.models), *_again(swept, run)]).rstrip() + "\n"


def headline(swept: Swept, escape: Callable[[object], str] = escape) -> list[str]:
    """Say in a few sentences what the main measure did over the grid; `escape` prints names from data."""
    measure = swept.measures[0]
    cells = swept.of(measure).filter(pl.col("delta").is_not_nan())
    if not cells.height:
        return [f"No question has a value of {escape(measure)}.", ""]
    best, worst = (cells.sort("delta", descending=is_down).row(0, named=True) for is_down in (True, False))
    n_better, n_worse = int((cells["delta"] > 0).sum()), int((cells["delta"] < 0).sum())
    n_equal = cells.height - n_better - n_worse
    ends = f"from {signed(worst['delta'])} to {signed(best['delta'])}"
    own = cells.filter(pl.col("variant") == str(swept.grid.base)).rows(named=True)
    of_base = [f" The base, {escape(variant_label(str(swept.grid.base)))}: {_cell(row)}." for row in own]
    return [
        f"{escape(measure)} of the baseline {escape(variant_label(swept.baseline))} is "
        f"{number(swept.untouched[measure])}. Against it {n_better:,} of {cells.height:,} cells are higher, "
        f"{n_worse:,} lower and {n_equal:,} equal: {ends}.{''.join(of_base)}",
        "",
        f"**The best cell is optimistic**: it is the largest of {cells.height:,} values on the same questions, and one "
        "of them would be the largest by luck alone. To choose a setting by it, measure it on other questions.",
        "",
    ]


def _streams(swept: Swept) -> str:
    n = len(swept.seeds)
    return "one stream" if n == 1 else f"{n:,} streams"


def _cell(row: Mapping[str, Any]) -> str:
    """Print a cell's mean, its difference, and what the streams do to that."""
    if row["n_streams"] == 1:
        return f"{number(row['mean'])} ({signed(row['delta'])})"
    between = f"{signed(row['delta_min'])} to {signed(row['delta_max'])} over the streams"
    return f"{number(row['mean'])} ({signed(row['delta'])}; {between})"


def _left_out(arranged: Arrangement) -> list[str]:
    if not arranged.n_hidden:
        return []
    held = ", ".join(f"{name} {escape(text_of(value))}" for name, value in arranged.held.items())
    return [f"*{arranged.n_hidden:,} cells are not drawn for lack of room: the figure is at {held}.*", ""]


def _what(swept: Swept) -> list[str]:
    default = swept.grid.default_cell()
    rows = [
        [axis.name, f"{len(axis.values):,}", escape(", ".join(map(text_of, axis.values)))] for axis in swept.grid.axes
    ]
    last = "" if default is not None else " The base itself is not a cell of the grid."
    seeds = f"seed {swept.seeds[0]}" if len(swept.seeds) == 1 else f"seeds {swept.seeds[0]} to {swept.seeds[-1]}"
    return [
        "## What was swept",
        "",
        f"* Base: `{swept.grid.base}`. What is no axis is as it says.{last}",
        f"* {swept.n_cells:,} cells, {_streams(swept)} ({seeds}): {swept.n_cells * len(swept.seeds):,} replays. All "
        "cells have the same candidates and logits, and streams of the same seeds.",
        f"* Protocol `{swept.protocol}`; means are over the questions of the block *{block_label(swept.block)}*.",
        f"* Baseline: `{swept.baseline}`, the same reranked pool without suppression, for every cell.",
        "* Every question is scored after the streams that it took part in (transductive, as in study A).",
        "",
        *table(["axis", "values", "which"], rows, "lrl"),
    ]


def _again(swept: Swept, run: RunFacts) -> list[str]:
    listed = "; ".join(f"{escape(name)}: {escape(value)}" for name, value in run.method.items())
    measure = swept.measures[0].replace("'", "''")
    return [
        *make_it_again(run, f". Settings: {listed}."),
        "```sql",
        "SELECT variant, mean, sd, delta, delta_min, delta_max, share_opposite",
        f"FROM sweep_metrics WHERE run_id = '{run.run_id}' AND measure = '{measure}' ORDER BY delta DESC;",
        "```",
        "",
    ]


def _facts(swept: Swept) -> dict[str, Any]:
    return {
        "base": str(swept.grid.base),
        "axes": [{"name": axis.name, "values": list(axis.values)} for axis in swept.grid.axes],
        "baseline": swept.baseline,
        "measures": swept.measures,
        "seeds": [swept.seeds[0], swept.seeds[-1]],
        "protocol": swept.protocol,
        "block": swept.block,
    }

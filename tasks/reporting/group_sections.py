"""The section of a report that breaks the main measure down by groups of questions."""

from pathlib import Path
from typing import Any

import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.measures.query_groups import GOLD_SESSION_LENGTH, N_GOLD_SESSIONS, QUESTION_TYPE
from tasks.reporting import schemas
from tasks.reporting.families import members
from tasks.reporting.group_schemas import GROUP_SUMMARY
from tasks.reporting.group_tables import groupings, in_order
from tasks.reporting.labels import block_label, variant_label
from tasks.reporting.sections import Facts, folded, read_table
from tasks.reporting.text_format import UNDEFINED, escape, estimate, table

TITLES = {
    QUESTION_TYPE: "question type",
    GOLD_SESSION_LENGTH: "length of the longest gold session",
    N_GOLD_SESSIONS: "number of gold sessions",
}
_BLOCKS = ("main", "adversarial", "abstention")
Cells = dict[tuple[str, str], dict[str, Any]]
"""By variant and column: n, mean, lo and hi."""
FIGURES = {
    "gold_session_length": "The main measure by length of the longest gold session",
    "n_gold_sessions": "The main measure by number of gold sessions",
}
"""Titles of the figures that `group_figures.draw` writes, by stem: for the report."""


def group_name(by: str, group: str) -> str:
    """Return a group for people, not escaped.

    >>> group_name("gold_session_length", "8-15"), group_name("n_gold_sessions", "1")
    ('8-15 turns', '1 session')
    """
    if by == QUESTION_TYPE:
        return " ".join(group.split()) or "(no type)"
    unit = "turn" if by == GOLD_SESSION_LENGTH else "session"
    return f"{group} {unit}" if group == "1" else f"{group} {unit}s"


def groups(facts: Facts, report_dir: Path) -> list[str]:
    """Show the main measure by question type, length and number of gold sessions, block by block."""
    measure = facts["params"]["main_measure"]
    found = read_table(report_dir, GROUP_SUMMARY).filter(pl.col("measure") == measure)
    parts = _totals(facts, report_dir)
    for by in groupings(found):
        parts += _grouping(by, found.filter(pl.col("by") == by), facts)
    if not parts:
        return []
    text = (
        f"{measure}; in brackets the 95 % bootstrap interval over the questions of a group. The intervals are not "
        "adjusted for the number of groups, and two that overlap may still differ."
    )
    return ["## Groups of questions", "", text, "", *parts]


def _totals(facts: Facts, report_dir: Path) -> list[str]:
    """Set the blocks side by side with their sizes, where several have values."""
    measure = facts["params"]["main_measure"]
    summary = read_table(report_dir, schemas.SUMMARY).filter(pl.col("measure") == measure, pl.col("n") > 0)
    blocks = blocks_in_order(summary["block"].to_list())
    if len(blocks) < 2:
        return []
    asked = read_table(report_dir, schemas.QUERIES)
    sizes = dict(asked.filter(pl.col("block").is_in(blocks)).group_by("block").len().iter_rows())
    sizes[ALL_BLOCKS] = sum(sizes.values())
    cells: Cells = {(row["variant"], row["block"]): row for row in summary.iter_rows(named=True)}
    with_value = {block: max(n for n in summary.filter(pl.col("block") == block)["n"]) for block in blocks}
    heads = {block: f"{block_label(block)} (n = {with_value[block]:,} of {sizes[block]:,})" for block in blocks}
    text = f"Of the questions of a block, so many have a value: something relevant that can be found. {_listed(heads)}."
    return ["### Blocks", "", text, "", *_tables(heads, cells, with_value, facts)]


def _listed(heads: dict[str, str]) -> str:
    return escape("; ".join(heads.values()).capitalize())


def _grouping(by: str, found: pl.DataFrame, facts: Facts) -> list[str]:
    lines: list[str] = []
    for block in blocks_in_order(found["block"].to_list()):
        mine = found.filter(pl.col("block") == block)
        names = in_order(by, mine["group"].to_list())
        # A type is in one block, mostly: all blocks again, or a block that is one type, would repeat what is there.
        if by == QUESTION_TYPE and (block == ALL_BLOCKS or len(names) < 2):
            continue
        sizes = {name: max(mine.filter(pl.col("group") == name)["n"].to_list()) for name in names}
        heads = {name: f"{escape(group_name(by, name))} (n = {sizes[name]:,})" for name in names}
        cells: Cells = {(row["variant"], row["group"]): row for row in mine.iter_rows(named=True)}
        lines += [f"**{escape(block_label(block).capitalize())}**", "", *_tables(heads, cells, sizes, facts)]
    return [f"### By {TITLES[by]}", "", *lines] if lines else []


def blocks_in_order(blocks: list[str]) -> list[str]:
    """Return blocks in the order of a report: main first, all questions last, each once."""
    there = set(blocks)
    named = [block for block in _BLOCKS if block in there]
    return [*named, *sorted(there - {*_BLOCKS, ALL_BLOCKS}), *([ALL_BLOCKS] if ALL_BLOCKS in there else [])]


def _tables(heads: dict[str, str], cells: Cells, sizes: dict[str, int], facts: Facts) -> list[str]:
    """Return a table with a row per variant of the main family, and one of the others that a reader opens."""
    known = {variant for variant, _ in cells}
    leading = [name for name in members(facts) if name in known]
    others = [name for name in facts["variants"] if name in known and name not in leading]
    shown, hidden = (
        table(
            ["variant", *heads.values()],
            [[escape(variant_label(name)), *(_cell(cells.get((name, k)), sizes[k]) for k in heads)] for name in names],
            "l" + "r" * len(heads),
        )
        for names in (leading, others)
    )
    return shown + (folded("Variants of other comparisons", hidden) if others else [])


def _cell(row: dict[str, Any] | None, n: int) -> str:
    """Print a mean with its interval, and its n where that is not the one of the column."""
    if row is None or not row["n"]:
        return UNDEFINED
    own = "" if row["n"] == n else f" (n = {row['n']:,})"
    return estimate(row["mean"], row["lo"], row["hi"]) + own

"""The section of a report that sets intervals over questions beside intervals over their few groups."""

from pathlib import Path
from typing import Any

import polars as pl

from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.families import MAIN
from tasks.reporting.labels import block_label, variant_label
from tasks.reporting.sections import Facts, read_table
from tasks.reporting.text_format import UNDEFINED, escape, interval, p_value, signed, table
from tasks.significance.cluster_tables import (
    CLUSTER_BOOTSTRAP,
    CLUSTER_BOOTSTRAP_T,
    CLUSTER_SIGN_FLIP,
    QUESTION_BOOTSTRAP,
    WILD_CLUSTER,
)
from tasks.significance.clustered import CLUSTER_DRAWS, sign_flip_floor
from tasks.significance.permutation import EXACT_LIMIT

_INTERVALS = {
    QUESTION_BOOTSTRAP: "questions: percentile",
    CLUSTER_BOOTSTRAP: "conversations: percentile (study B)",
    CLUSTER_BOOTSTRAP_T: "conversations: bootstrap-t",
    WILD_CLUSTER: "conversations: wild bootstrap",
}
Row = dict[str, Any]


def few_groups(facts: Facts, report_dir: Path, *, family: int = MAIN) -> list[str]:
    """Show the main measure of the main block with four intervals, and the p of sign flips with its floor.

    Nothing where questions are not grouped, or nothing was compared.
    """
    found = _of_family(facts, report_dir, family)
    if not found:
        return []
    measure, block = facts["params"]["main_measure"], facts["params"]["main_block"]
    against = escape(variant_label(facts["families"][family]["baseline"]))
    title = f"## Few groups: {measure} against {against}, block {escape(block_label(block))}"
    header = ["variant", "difference", *_INTERVALS.values(), "one-sided p (study B)", "p of sign flips", "its floor"]
    rows = [_cells(variant, found[variant]) for variant in facts["variants"] if variant in found]
    return [title, "", _meaning(found), "", *table(header, rows, "l" + "r" * (len(header) - 1)), _reading(), ""]


def _of_family(facts: Facts, report_dir: Path, family: int) -> dict[str, dict[str, Row]]:
    """Return the rows by variant and method."""
    if family >= len(facts["families"]):
        return {}
    frame = read_table(report_dir, CLUSTER_COMPARISONS).filter(
        pl.col("family") == facts["families"][family]["name"],
        pl.col("block") == facts["params"]["main_block"],
        pl.col("measure") == facts["params"]["main_measure"],
    )
    found: dict[str, dict[str, Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(row["variant"], {})[row["method"]] = row
    return found


def _cells(variant: str, by_method: dict[str, Row]) -> list[str]:
    flips, study = by_method[CLUSTER_SIGN_FLIP], by_method[CLUSTER_BOOTSTRAP]
    return [
        escape(variant_label(variant)),
        signed(flips["delta"]),
        *(_interval(by_method[method]) for method in _INTERVALS),
        f"0 of {CLUSTER_DRAWS:,} draws" if study["p"] == 0 else p_value(study["p"]),
        p_value(flips["p"]),
        _floor(flips),
    ]


def _interval(row: Row) -> str:
    return UNDEFINED if row["lo"] is None or row["hi"] is None else interval(row["lo"], row["hi"], is_difference=True)


def _floor(row: Row) -> str:
    """Print the floor as the share of patterns that it is; as a number where patterns were sampled."""
    if row["p_floor"] is None:
        return UNDEFINED
    is_exact = row["n_groups"] <= EXACT_LIMIT and row["p_floor"] == sign_flip_floor(row["n_groups"])
    return f"2/{2 ** row['n_groups']}" if is_exact else p_value(row["p_floor"])


def _meaning(found: dict[str, dict[str, Row]]) -> str:
    """Say what few groups mean, with the numbers of this table."""
    flips = [by_method[CLUSTER_SIGN_FLIP] for by_method in found.values()]
    n, n_groups = max(row["n"] for row in flips), max(row["n_groups"] for row in flips)
    floors = [row for row in flips if row["n_groups"] == n_groups and row["p_floor"] is not None]
    floor = ""
    if floors:
        smallest = f"{_floor(floors[0])} = {p_value(floors[0]['p_floor'])}"
        floor = f", and over so few no exact p is below {smallest}, however large the difference"
    return (
        f"The {n:,} questions come from {n_groups:,} conversations, and those about one conversation are alike: what "
        f"holds beyond these conversations is to be read over conversations, not over questions{floor}."
    )


def _reading() -> str:
    return (
        "Intervals are 95 % nominal, of the mean over all questions; no p is adjusted for the family. The percentile "
        "interval over conversations, study B's, is too short where these are few: in simulations with ten groups of "
        "LoCoMo's sizes it holds the truth about 90 times in 100, the bootstrap-t and the wild bootstrap (studentised "
        "with the cluster-robust variance) about 95 times; 87, 93 and 91 times where a few conversations gain much and "
        "the others lose a little. Sign flips are exact if a conversation's differences are as "
        f"likely as their opposites. {UNDEFINED}: conversations do not differ, or are too few for a finite interval."
    )

"""How published numbers and ours are set side by side in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks.reporting.text_format import UNDEFINED, escape, estimate, interval, number, p_value, share, signed, table
from tasks.studies.declared import STATE_MEASURES
from tasks.studies.study import Row, Study, is_measured, is_weak
from tasks.studies.verdicts import Verdict

NOT_MEASURED = "*not measured*"
NOT_PUBLISHED = UNDEFINED
QUESTIONS, LATENCY = "questions", "latency_ms"
"""The row that counts the questions of a column, and the measure whose values are milliseconds."""
_COUNTS = set(STATE_MEASURES) - {"share_of_documents_above"}


def verdict_text(row: Row) -> str:
    """Say a verdict, and whether it rests on the weaker test.

    >>> verdict_text({"verdict": "consistent", "basis": "interval"})
    'consistent (weak test)'
    """
    if row["verdict"] is None:
        return NOT_PUBLISHED
    if is_weak(row):
        return "consistent (weak test)"
    said = str(row["verdict"])
    return f"**{said}**" if said == Verdict.DIFFERENT else said


def value_text(
    row: Row, value: float, lo: float | None = None, hi: float | None = None, decimals: int | None = None
) -> str:
    """Print a value of a cell as its measure asks for, with an interval where there is one; to `decimals` if given.

    >>> value_text({"column": "delta_ndcg", "measure": "R@10"}, 0.0123, 0.01, 0.02)
    '+0.0123 [+0.0100, +0.0200]'
    >>> value_text({"column": "suppressed", "measure": "n_entries_above"}, 14397.0)
    '14,397'
    """
    if value != value:
        return UNDEFINED
    column, measure = row["column"], row["measure"]
    if column in ("p", "r_p") or column.startswith("p_"):
        return p_value(value)
    if measure in _COUNTS or column == "n" or row.get("row") == QUESTIONS:
        return f"{value:,.0f}"
    if measure == LATENCY:
        return f"{value:,.1f}"
    if column in ("share_of_corpus", "deep_pass_share"):
        return share(value)
    has_interval = lo is not None and hi is not None and lo == lo and hi == hi
    if column == "relative_ndcg_gain":
        return f"{value:+.1%} [{lo:+.1%}, {hi:+.1%}]" if has_interval else f"{value:+.1%}"
    is_difference = column.startswith("delta") or row.get("against") is not None
    if has_interval:
        return estimate(value, lo, hi, is_difference=is_difference)
    if is_difference:
        return signed(value)
    return number(value) if decimals is None else f"{value:.{decimals}f}"


def published_text(study: Study, row: Row) -> str:
    """Print the published number of a cell; a dash where nobody published one."""
    key = (row["dataset"], row["table"], row["row"], row["column"])
    if key not in study.intervals:
        return NOT_PUBLISHED
    found = study.intervals[key]
    return value_text(row, found.value, found.lo, found.hi, found.decimals)


def ours_text(row: Row) -> str:
    """Print our number of a cell with its interval."""
    return value_text(row, row["ours"], row["lo"], row["hi"]) if is_measured(row) else NOT_MEASURED


def shift_text(row: Row) -> str:
    """Print ours - published with its interval."""
    if row["verdict"] in (None, Verdict.NOT_MEASURED):
        return UNDEFINED
    low, high = row["difference_lo"], row["difference_hi"]
    said = signed(row["difference"])
    return f"{said} {interval(low, high, is_difference=True)}" if low == low else said


def side_by_side(study: Study, rows: Mapping[tuple[str, str], Row], columns: Mapping[str, str]) -> list[str]:
    """Return a table with published, ours and verdict for each column; `columns` are labels by column of the cells."""
    header = ["", *(part for label in columns.values() for part in (f"{label}, published", "ours [95 %]", "verdict"))]
    lines = []
    for label in dict.fromkeys(row for row, _ in rows):
        cells = [rows.get((label, column)) for column in columns]
        lines.append([escape(label), *(part for cell in cells for part in _three(study, cell))])
    return table(header, lines, "l" + "rrl" * len(columns))


def receipts(rows: Iterable[Row]) -> list[str]:
    """Name the artifacts of this run that a table comes from: its reports, and how many rankings they judge."""
    reports: dict[str, set[str]] = {}
    for row in rows:
        if row["artifact_keys"]:
            reports.setdefault(row["artifact_keys"][0], set()).update(row["artifact_keys"][1:])
    if not reports:
        return []
    said = [
        f"`{escape(key[:16])}`" + (f" with {len(rankings):,} rankings" if rankings else "")
        for key, rankings in reports.items()
    ]
    return [f"*Receipts of this run: reporting {', '.join(said)}.*", ""]


def listed(words: Sequence[str]) -> str:
    """Join labels, which may hold commas; `none` where there are none.

    >>> listed(["global, uniform", "baseline"])
    'global, uniform; baseline'
    """
    return "; ".join(words) or "none"


def _three(study: Study, row: Row | None) -> tuple[str, str, str]:
    if row is None:
        return "", "", ""
    return published_text(study, row), ours_text(row), verdict_text(row)


def by_dataset(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group rows of a table by data set, in their order."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row["dataset"], []).append(row)
    return found

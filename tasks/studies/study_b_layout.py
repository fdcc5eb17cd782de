"""How study B's cells are printed: the reason why one is not measured, and tables of ours beside the published."""

from collections.abc import Mapping

from tasks.reporting.text_format import escape, table
from tasks.simulation.variants import parse
from tasks.studies.layout import NOT_MEASURED, NOT_PUBLISHED, ours_text, published_text, receipts, verdict_text
from tasks.studies.study import Row, Study, is_measured
from tasks.studies.study_b_names import PUBLISHED_ENCODERS
from tasks.studies.verdicts import Verdict

Cells = Mapping[tuple[str, str], Row]
NEEDS_HUB = "*needs a hub*"


def needs_hub(row: Row) -> bool:
    """Whether a cell asks for an encoder that lives on a hub."""
    variants = [parse(name) for name in (row["variant"], row["against"]) if name]
    used = {variant.first_stage.encoder for variant in variants if "encoder" in variant.stage_names}
    return bool(used & set(PUBLISHED_ENCODERS.values()))


def ours(row: Row) -> str:
    """Print our number, or why there is none."""
    if is_measured(row):
        return ours_text(row)
    return NEEDS_HUB if needs_hub(row) else NOT_MEASURED


def verdict(row: Row) -> str:
    """Print the verdict; of what is not measured the reason stands beside it."""
    return "" if row["verdict"] == Verdict.NOT_MEASURED else verdict_text(row)


def set_beside(study: Study, cells: Cells, columns: Mapping[str, str], *, first: str = "") -> list[str]:
    """Return tables of some columns of a table of cells, by their labels.

    Rows with a published number that we measure have published, ours and verdict; rows that nobody published have ours;
    published rows that this run does not hold are folded away, with the reason.
    """
    measured: list[str] = []
    own: list[str] = []
    absent: list[str] = []
    for row in _rows(cells, columns):
        found = [cells[row, column] for column in columns if (row, column) in cells]
        is_known = any(cell["verdict"] is not None for cell in found)
        if any(is_measured(cell) for cell in found):
            (measured if is_known else own).append(row)
        elif is_known:
            absent.append(row)
    lines = _compared(study, cells, columns, measured, first) if measured else []
    lines += _ours_alone(cells, columns, own, first) if own else []
    lines += _absent(study, cells, columns, absent, first) if absent else []
    return [*lines, *receipts(cell for (_, column), cell in cells.items() if column in columns)]


def _rows(cells: Cells, columns: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(row for row, column in cells if column in columns))


def _compared(study: Study, cells: Cells, columns: Mapping[str, str], rows: list[str], first: str) -> list[str]:
    header = [
        first,
        *(part for label in columns.values() for part in (f"{label}, published", "ours [95 %]", "verdict")),
    ]
    lines = []
    for row in rows:
        parts = [escape(row)]
        for column in columns:
            cell = cells.get((row, column))
            parts += ["", "", ""] if cell is None else [published_text(study, cell), ours(cell), verdict(cell)]
        lines.append(parts)
    return table(header, lines, "l" + "rrl" * len(columns))


def _ours_alone(cells: Cells, columns: Mapping[str, str], rows: list[str], first: str) -> list[str]:
    lines = [
        [escape(row), *(ours(cells[row, column]) if (row, column) in cells else "" for column in columns)]
        for row in rows
    ]
    header = [first, *(f"{label}, ours [95 %]" for label in columns.values())]
    return table(header, lines, "l" + "r" * len(columns))


def _absent(study: Study, cells: Cells, columns: Mapping[str, str], rows: list[str], first: str) -> list[str]:
    lines = [
        [
            escape(row),
            *(
                published_text(study, cells[row, column]) if (row, column) in cells else NOT_PUBLISHED
                for column in columns
            ),
            NEEDS_HUB if any(needs_hub(cells[row, c]) for c in columns if (row, c) in cells) else NOT_MEASURED,
        ]
        for row in rows
    ]
    header = [first, *(f"{label}, published" for label in columns.values()), "ours"]
    said = f"<details><summary>{len(rows):,} published rows that this run does not hold</summary>"
    return [said, "", *table(header, lines, "l" + "r" * len(columns) + "l"), "</details>", ""]

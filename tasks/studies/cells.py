"""Published numbers beside ours with a verdict, and cells that nobody published."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

from tasks.reporting.schemas import Table, conform
from tasks.studies.declared import Cell, Quantity, Statistic
from tasks.studies.estimates import NAN, Estimate, StudyParams
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.schemas import CELLS, UNPUBLISHED
from tasks.studies.verdicts import Basis, Paired, Pairs, Verdict, judge, paired_tests

Estimates = Mapping[Quantity, Estimate]
PairsOf = Callable[[Cell, Results, Published], Pairs | None]
"""Both sides of a cell question by question, where the study published them."""
_TESTS = (Statistic.P, Statistic.P_ONE_SIDED)


def published_cells(
    cells: Iterable[Cell],
    results: Results,
    found: Estimates,
    published: Published,
    params: StudyParams,
    pairs_of: PairsOf | None = None,
) -> pl.DataFrame:
    """Return the rows of `CELLS` of one data set: published, ours, difference, verdict."""
    mine = [cell for cell in cells if cell.where is not None]
    pairs: dict[int, Pairs] = {}
    for place, cell in enumerate(mine):
        both = pairs_of(cell, results, published) if pairs_of else None
        if both is not None:
            pairs[place] = both
    tests = paired_tests(pairs, params)
    rows = [_row(cell, results, found[cell.quantity], published, tests.get(place)) for place, cell in enumerate(mine)]
    return _frame(rows, CELLS)


def unpublished_cells(cells: Iterable[Cell], results: Results, found: Estimates) -> pl.DataFrame:
    """Return the rows of `UNPUBLISHED` of one data set."""
    rows = []
    for cell in cells:
        if cell.where is None:
            ours = found[cell.quantity]
            rows.append(_place(cell, results) | {"n": ours.n, "ours": ours.value, "lo": ours.lo, "hi": ours.hi})
    return _frame(rows, UNPUBLISHED)


def _row(cell: Cell, results: Results, ours: Estimate, published: Published, paired: Paired | None) -> dict[str, Any]:
    assert cell.where is not None  # only published cells come here
    number = published.number(cell.where)
    is_p = cell.quantity.statistic in _TESTS
    verdict, basis = judge(number, ours, paired, cell.quantity.statistic)
    if not cell.is_judged and verdict is not Verdict.NOT_MEASURED:
        verdict, basis = Verdict.NOT_JUDGED, Basis.NONE
    if paired is not None and not is_p:
        difference = (paired.difference, paired.lo, paired.hi)
    else:
        difference = (ours.value - number.value, ours.lo - number.value, ours.hi - number.value)
    row = _place(cell, results)
    if verdict is Verdict.NOT_MEASURED:
        row["artifact_keys"] = []  # a report that does not hold a number is no receipt of it
    return row | {
        "study": published.study,
        "published": number.value,
        "ours": ours.value,
        "lo": ours.lo,
        "hi": ours.hi,
        "difference": difference[0],
        "difference_lo": difference[1] if cell.is_judged else NAN,
        "difference_hi": difference[2] if cell.is_judged else NAN,
        "p": None if paired is None or is_p else paired.p,
        "n_shared": None if paired is None else paired.n_shared,
        "share_identical": None if paired is None or is_p else paired.share_identical,
        "basis": basis.value,
        "verdict": verdict.value,
    }


def _place(cell: Cell, results: Results) -> dict[str, Any]:
    quantity = cell.quantity
    # What stands in a table of the report needs no ranking of ours: a setting of the grid is no variant of the run.
    rankings = () if quantity.source else (quantity.variant, quantity.against)
    return {
        "dataset": cell.dataset,
        "table": cell.table,
        "row": cell.row,
        "column": cell.column,
        "protocol": quantity.protocol,
        "variant": quantity.variant,
        "against": quantity.against,
        "measure": quantity.measure,
        "artifact_keys": results.receipts(quantity.protocol, *rankings),
    }


def _frame(rows: list[dict[str, Any]], declared: Table) -> pl.DataFrame:
    return conform(pl.DataFrame(rows, schema=declared.schema), declared)

"""Published numbers beside ours with a verdict, cells that nobody published, and the agreement query by query."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from tasks.reporting.schemas import Table, conform
from tasks.studies.declared import NDCG, POOL_RECALL, Cell, Quantity, Statistic
from tasks.studies.estimates import Estimate, StudyParams
from tasks.studies.names import PROTOCOL_OF, SPLIT, SUPPRESSION, main_variant
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.schemas import AGREEMENT, CELLS, UNPUBLISHED
from tasks.studies.study_a import MAIN_ROWS, STUDY
from tasks.studies.verdicts import Paired, Pairs, judge, paired_tests

ROW_OF = {main_variant(row, SPLIT, SUPPRESSION): row for row in MAIN_ROWS}
"""The rows whose per-query values were published, by the variant that we measure for them."""
_PER_QUERY_FILES = ("rif_main.csv", "rif_pairwise.csv")
Estimates = Mapping[Quantity, Estimate]


def published_cells(
    cells: Iterable[Cell], results: Results, found: Estimates, published: Published, params: StudyParams
) -> pl.DataFrame:
    """Return the rows of `CELLS` of one data set: published, ours, difference, verdict."""
    mine = [cell for cell in cells if cell.where is not None]
    pairs = {place: both for place, cell in enumerate(mine) if (both := _pairs(cell, results, published)) is not None}
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


def agreement(results: Results, published: Published, params: StudyParams) -> pl.DataFrame:
    """Return the rows of `AGREEMENT`: every row of the main table whose per-query values were published."""
    protocol = PROTOCOL_OF[results.dataset]
    known: list[tuple[str, str, str, list[float], Pairs]] = []
    for variant, row in ROW_OF.items():
        for measure in (NDCG, POOL_RECALL):
            theirs = published.per_query(results.dataset, row, measure)
            ours = results.values(protocol, variant, measure)
            if theirs is not None and ours is not None:
                pairs = Pairs.of(results.judged[protocol].query_ids, ours, theirs)
                known.append((row, variant, measure, list(theirs.values()), pairs))
    tests = paired_tests({place: entry[-1] for place, entry in enumerate(known)}, params)
    rows = [
        {
            "dataset": results.dataset, "row": row, "variant": variant, "measure": measure,
            "n_shared": test.n_shared, "n_published": len(theirs), "published": float(np.mean(theirs)),
            "published_shared": float(pairs.published.mean()), "ours": float(pairs.ours.mean()),
            "difference": test.difference, "lo": test.lo, "hi": test.hi, "p": test.p,
            "share_identical": test.share_identical, "correlation": test.correlation,
        }
        for place, (row, variant, measure, theirs, pairs) in enumerate(known)
        if (test := tests.get(place)) is not None
    ]  # fmt: skip
    return _frame(rows, AGREEMENT)


def _pairs(cell: Cell, results: Results, published: Published) -> Pairs | None:
    """Return both sides of a cell question by question, where the study published them."""
    quantity = cell.quantity
    if cell.where is None or cell.where.file not in _PER_QUERY_FILES or quantity.protocol not in results.judged:
        return None

    def side(variant: str) -> Pairs | None:
        theirs = published.per_query(cell.dataset, ROW_OF[variant], quantity.measure)
        ours = results.values(quantity.protocol, variant, quantity.measure)
        if theirs is None or ours is None:
            return None
        return Pairs.of(results.judged[quantity.protocol].query_ids, ours, theirs)

    both = side(quantity.variant)
    if quantity.against is None or both is None:
        return both
    other = side(quantity.against)
    return None if other is None else both.minus(other)


def _row(cell: Cell, results: Results, ours: Estimate, published: Published, paired: Paired | None) -> dict[str, Any]:
    assert cell.where is not None  # only published cells come here
    number = published.number(cell.where)
    is_p = cell.quantity.statistic is Statistic.P
    verdict, basis = judge(number, ours, paired, cell.quantity.statistic)
    if paired is not None and not is_p:
        difference = (paired.difference, paired.lo, paired.hi)
    else:
        difference = (ours.value - number.value, ours.lo - number.value, ours.hi - number.value)
    return _place(cell, results) | {
        "study": STUDY,
        "published": number.value,
        "ours": ours.value,
        "lo": ours.lo,
        "hi": ours.hi,
        "difference": difference[0],
        "difference_lo": difference[1],
        "difference_hi": difference[2],
        "p": None if paired is None or is_p else paired.p,
        "n_shared": None if paired is None else paired.n_shared,
        "share_identical": None if paired is None or is_p else paired.share_identical,
        "basis": basis.value,
        "verdict": verdict.value,
    }


def _place(cell: Cell, results: Results) -> dict[str, Any]:
    quantity = cell.quantity
    return {
        "dataset": cell.dataset,
        "table": cell.table,
        "row": cell.row,
        "column": cell.column,
        "protocol": quantity.protocol,
        "variant": quantity.variant,
        "against": quantity.against,
        "measure": quantity.measure,
        "artifact_keys": results.receipts(quantity.protocol, quantity.variant, quantity.against),
    }


def _frame(rows: list[dict[str, Any]], declared: Table) -> pl.DataFrame:
    return conform(pl.DataFrame(rows, schema=declared.schema), declared)

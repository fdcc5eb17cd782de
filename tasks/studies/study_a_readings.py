"""What we measure under each reading of a place where text and code differ, and how far it is from the code's."""

from typing import Any

import numpy as np
import polars as pl

from tasks.reporting.schemas import conform
from tasks.studies.declared import Place, Quantity, Reading
from tasks.studies.estimates import NAN, Estimate, StudyParams, column_intervals, estimates, vector
from tasks.studies.published import Published
from tasks.studies.results import Results, Values
from tasks.studies.schemas import READINGS

Entry = tuple[Place, Reading, Quantity]


def readings(places: tuple[Place, ...], results: Results, published: Published, params: StudyParams) -> pl.DataFrame:
    """Return the rows of `READINGS` of one data set; a reading that the run does not hold has NaN."""
    entries: list[Entry] = [
        (place, reading, reading.quantity)
        for place in places
        for reading in place.readings
        if reading.dataset == results.dataset
    ]
    found = estimates(results, (quantity for _, _, quantity in entries), params)
    shifts = _shifts(entries, results, found, params)
    rows = [
        {
            "dataset": results.dataset, "place": place.name, "reading": reading.label, "group": reading.group,
            "protocol": quantity.protocol, "variant": quantity.variant, "against": quantity.against,
            "measure": quantity.measure, "statistic": quantity.statistic.value, "position": number,
            "n": found[quantity].n, "ours": found[quantity].value, "lo": found[quantity].lo, "hi": found[quantity].hi,
            "shift": shifts[number].value, "shift_lo": shifts[number].lo, "shift_hi": shifts[number].hi,
            "claim": published.claim(reading.claim).value if reading.claim else NAN,
            "artifact_keys": results.receipts(quantity.protocol, quantity.variant, quantity.against),
        }
        for number, (place, reading, quantity) in enumerate(entries)
    ]  # fmt: skip
    frame: list[dict[str, Any]] = rows
    return conform(pl.DataFrame(frame, schema=READINGS.schema), READINGS)


def _shifts(
    entries: list[Entry], results: Results, found: dict[Quantity, Estimate], params: StudyParams
) -> list[Estimate]:
    """Return each reading's difference to the first of its group: paired where both are over the same questions."""
    firsts: dict[tuple[object, ...], Quantity] = {}
    columns: dict[int, Values] = {}
    shifts = []
    for number, (place, reading, quantity) in enumerate(entries):
        group = (place.name, reading.group, quantity.measure, quantity.statistic)
        first = firsts.setdefault(group, quantity)
        if first is quantity:
            shifts.append(Estimate())
            continue
        shifts.append(Estimate(found[quantity].value - found[first].value))
        ours, other = vector(results, quantity), vector(results, first)
        if ours is not None and other is not None and _has_same_questions(results, quantity, first, ours, other):
            columns[number] = np.asarray(ours - other)
    for number, interval in column_intervals(columns, params).items():
        shifts[number] = Estimate(interval.mean, interval.lo, interval.hi, interval.n)
    return shifts


def _has_same_questions(results: Results, one: Quantity, two: Quantity, ours: Values, other: Values) -> bool:
    """Whether both are defined for the same questions: those of a sample are not those of its whole."""
    ids = [results.judged[quantity.protocol].query_ids for quantity in (one, two)]
    return ids[0] == ids[1] and bool((np.isnan(ours) == np.isnan(other)).all())

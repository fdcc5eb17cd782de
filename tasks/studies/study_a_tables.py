"""The tables that study A's artifact holds beside its cells."""

import polars as pl

from tasks.studies.declared import Cell
from tasks.studies.estimates import StudyParams
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.schemas import AGREEMENT, CAUSES, READINGS, STREAMS, TRACES
from tasks.studies.study_a_agreement import agreement
from tasks.studies.study_a_causes import causes
from tasks.studies.study_a_readings import readings
from tasks.studies.study_a_streams import streams, traces
from tasks.studies.study_a_text import places

TABLES = (AGREEMENT, READINGS, CAUSES, STREAMS, TRACES)


def frames(
    cells: tuple[Cell, ...], results: Results, published: Published, params: StudyParams
) -> tuple[pl.DataFrame, ...]:
    """Return the rows of `TABLES` of one data set, in their order."""
    return (
        agreement(results, published, params),
        readings(places(), results, published, params),
        causes(results, published, params),
        streams(cells, results, published),
        traces(results),
    )

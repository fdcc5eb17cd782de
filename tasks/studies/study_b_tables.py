"""The tables that study B's artifact holds beside its cells: what ties could do, and the weights that were chosen."""

import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.schemas import Table, conform, fit
from tasks.reporting.selection_schemas import ALPHA_CHOICES
from tasks.studies.declared import Cell
from tasks.studies.estimates import StudyParams
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.schemas import CHOICES, INFERENCE, SESSION_TIES
from tasks.studies.study_b import HIT
from tasks.studies.study_b_names import HAYSTACKS, LOCOMO_SESSIONS

TABLES = (SESSION_TIES, CHOICES, INFERENCE)
_PROTOCOLS = (LOCOMO_SESSIONS, HAYSTACKS)


def frames(
    _cells: tuple[Cell, ...], results: Results, _published: Published, _params: StudyParams
) -> tuple[pl.DataFrame, ...]:
    """Return the rows of `TABLES` of one data set, in their order."""
    return _ties(results), _choices(results), _inference(results)


def _ties(results: Results) -> pl.DataFrame:
    found = [results.judged[protocol].ties for protocol in _PROTOCOLS if protocol in results.judged]
    return _of_dataset(pl.concat(found) if found else None, results, SESSION_TIES)


def _choices(results: Results) -> pl.DataFrame:
    tables = [
        results.judged[protocol].table(ALPHA_CHOICES.name) for protocol in _PROTOCOLS if protocol in results.judged
    ]
    found = [table for table in tables if table is not None]
    return _of_dataset(pl.concat(found) if found else None, results, CHOICES)


def _inference(results: Results) -> pl.DataFrame:
    report = results.judged.get(LOCOMO_SESSIONS)
    found = None if report is None else report.table(CLUSTER_COMPARISONS.name)
    if found is not None:
        found = found.filter(pl.col("block") == ALL_BLOCKS, pl.col("measure") == HIT)
    return _of_dataset(found, results, INFERENCE)


def _of_dataset(frame: pl.DataFrame | None, results: Results, table: Table) -> pl.DataFrame:
    if frame is None:
        return pl.DataFrame(schema=table.schema)
    return conform(fit(frame.with_columns(pl.lit(results.dataset).alias("dataset")), table), table)

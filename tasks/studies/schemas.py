"""The tables of a study's artifact beside `study_cells`: all have the column `dataset` first."""

import polars as pl

from tasks.reporting.schemas import STUDY_CELLS, Column, Table

STRING, REAL, INT32, INT64 = pl.String(), pl.Float64(), pl.Int32(), pl.Int64()


def _table(name: str, key: tuple[str, ...], *columns: Column) -> Table:
    return Table(name, (Column("dataset", STRING), *columns), ("dataset", *key))


def _columns(dtype: pl.DataType, *names: str) -> list[Column]:
    return [Column(name, dtype) for name in names]


_OR_NULL = [Column("against", STRING, is_nullable=True)]

CELLS = Table("study_cells", (Column("dataset", STRING), *STUDY_CELLS.columns), ("dataset", *STUDY_CELLS.key))
"""As the warehouse's table, for all data sets of the study."""

UNPUBLISHED = _table(
    "study_unpublished",
    ("table", "row", "column"),
    *_columns(STRING, "table", "row", "column", "protocol", "variant"),
    *_OR_NULL,
    *_columns(STRING, "measure"),
    *_columns(INT32, "n"),
    *_columns(REAL, "ours", "lo", "hi"),
    Column("artifact_keys", pl.List(STRING)),
)
"""Cells of the study's tables that nobody published: ours alone."""

AGREEMENT = _table(
    "study_agreement",
    ("row", "measure"),
    *_columns(STRING, "row", "variant", "measure"),
    *_columns(INT32, "n_shared", "n_published"),
    *_columns(REAL, "published", "published_shared", "ours", "difference", "lo", "hi", "p"),
    *_columns(REAL, "share_identical", "correlation"),
)
"""Our per-query values against the published ones, for each row of the main table and measure."""

READINGS = _table(
    "study_readings",
    ("place", "reading", "protocol", "variant", "measure", "statistic"),
    *_columns(STRING, "place", "reading", "group", "protocol", "variant"),
    *_OR_NULL,
    *_columns(STRING, "measure", "statistic"),
    *_columns(INT32, "position", "n"),
    *_columns(REAL, "ours", "lo", "hi", "shift", "shift_lo", "shift_hi", "claim"),
    Column("artifact_keys", pl.List(STRING)),
)
"""What we measure under each reading of a place; `shift` is the difference to the code's reading."""

CAUSES = _table(
    "study_causes",
    ("row", "position"),
    *_columns(STRING, "row", "cause", "how"),
    *_columns(INT32, "position", "n"),
    *_columns(REAL, "ndcg", "ndcg_lo", "ndcg_hi", "recall", "recall_lo", "recall_hi"),
)
"""How far each known cause moves a row of the main table: measured shifts, NaN where a cause does not apply."""

STREAMS = _table(
    "study_streams",
    ("row", "measure"),
    *_columns(STRING, "row", "variant", "measure"),
    *_columns(INT32, "n_streams"),
    *_columns(REAL, "mean", "sd", "min", "max", "delta", "delta_sd", "delta_min", "delta_max", "share_opposite"),
    *_columns(REAL, "share_as_far", "published_delta"),
    Column("deltas", pl.List(REAL)),
)
"""What many streams do to the rows of the main table; `deltas` has one value per stream, ascending."""

TRACES = _table(
    "study_traces",
    ("row", "step"),
    *_columns(STRING, "row", "variant"),
    *_columns(INT64, "step", "n_entries", "n_entries_above", "n_documents_above", "n_documents"),
    *_columns(REAL, "max", "mean"),
)
"""The state over the stream, summed over scopes, for the rows of the main table."""

SESSION_TIES = _table(
    "study_ties",
    ("protocol", "variant", "measure"),
    *_columns(STRING, "protocol", "variant", "measure"),
    *_columns(INT32, "n", "n_tied_at_cut", "n_undecided"),
    *_columns(REAL, "value", "pessimistic", "expected", "optimistic"),
)
"""What the order of equal scores could do to each variant (the tie audit), over the questions that count."""

CHOICES = _table(
    "study_choices",
    ("protocol", "variant", "fold"),
    *_columns(STRING, "protocol", "variant"),
    *_columns(INT32, "fold"),
    *_columns(STRING, "group"),
    *_columns(INT32, "n_held_out", "n_development"),
    *_columns(REAL, "alpha", "development_value"),
)
"""The weight of BM25 chosen for each fold, and what it gave on the questions it was chosen on."""

INFERENCE = _table(
    "study_inference",
    ("protocol", "family", "variant", "baseline", "method"),
    *_columns(STRING, "protocol", "family", "variant", "baseline", "method"),
    *_columns(INT64, "n", "n_groups"),
    *_columns(REAL, "delta"),
    *[Column(name, REAL, is_nullable=True) for name in ("lo", "hi", "p", "p_floor")],
    Column("is_one_sided", pl.Boolean()),
)
"""The comparisons in Hit@1 by each method for few conversations, over all questions (`cluster_comparisons`)."""

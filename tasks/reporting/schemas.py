"""The tables of the warehouse: columns, types, what may be null, and keys.

Meaning, units and examples of every column are in `data/README.md`; a test compares the two.

`dataset` and `run_id` are columns of every table too: they are the partition directories, not in the files.
"""

from collections.abc import Mapping

import polars as pl

from tasks.reporting.cluster_schemas import CLUSTER_TABLES
from tasks.reporting.declared import (
    INT32,
    INT64,
    REAL,
    SCHEMA_VERSION,
    STRING,
    Column,
    Table,
    columns,
    conform,
    fit,
    read,
    write,
)
from tasks.reporting.group_schemas import GROUP_TABLES
from tasks.reporting.latency_schemas import LATENCY_TABLES
from tasks.reporting.run_schemas import ARTIFACTS, RUN_TABLES, RUNS, TIMINGS
from tasks.reporting.selection_schemas import SELECTION_TABLES

__all__ = [
    "ARTIFACTS",
    "RUNS",
    "RUN_TABLES",
    "SCHEMA_VERSION",
    "TIMINGS",
    "Column",
    "Table",
    "conform",
    "fit",
    "read",
    "write",
]

PARAMETERS = pl.List(pl.Struct({"name": pl.String(), "value": pl.String()}))


_ONE_VALUE = columns(
    protocol=STRING,
    variant=STRING,
    stream_seed_OR_NULL=INT64,
    split_OR_NULL=STRING,
    query_id=STRING,
    measure=STRING,
    value=REAL,
)
_VALUE_KEY = ("protocol", "variant", "stream_seed", "split", "query_id", "measure")

_STATE = {
    "n_entries": INT64,
    "n_entries_above": INT64,
    "n_documents_above": INT64,
    "n_documents": INT64,
    "max": REAL,
    "mean": REAL,
}
"""The state of suppression of one scope, as the simulation describes it."""

QUERIES = Table(
    "queries",
    columns(
        protocol=STRING,
        query_id=STRING,
        question_type=STRING,
        block=STRING,
        scope_id_OR_NULL=STRING,
        n_relevant=INT32,
        n_reachable=INT32,
        n_pool_OR_NULL=INT32,
        n_matching_OR_NULL=INT32,
    ),
    key=("protocol", "query_id"),
)
QUERY_METRICS = Table("query_metrics", _ONE_VALUE, key=_VALUE_KEY)
BEHAVIOUR = Table("behaviour", _ONE_VALUE, key=_VALUE_KEY)
RANKINGS = Table(
    "rankings",
    columns(
        protocol=STRING,
        variant=STRING,
        stream_seed_OR_NULL=INT64,
        query_id=STRING,
        rank=INT32,
        document_id=STRING,
        session_id_OR_NULL=STRING,
        gain=INT32,
        score=REAL,
        logit_OR_NULL=REAL,
        suppression=REAL,
        initial_position=INT32,
        dense_rank_OR_NULL=INT32,
        bm25_rank_OR_NULL=INT32,
        dense_score_OR_NULL=REAL,
        bm25_score_OR_NULL=REAL,
        rrf_OR_NULL=REAL,
    ),
    key=("protocol", "variant", "stream_seed", "query_id", "rank"),
)
SUMMARY = Table(
    "summary",
    columns(
        protocol=STRING,
        block=STRING,
        variant=STRING,
        measure=STRING,
        n=INT32,
        n_undefined=INT32,
        mean=REAL,
        lo=REAL,
        hi=REAL,
        mean_over_conversations_OR_NULL=REAL,
        random_mean_OR_NULL=REAL,
    ),
    key=("protocol", "block", "variant", "measure"),
)
COMPARISONS = Table(
    "comparisons",
    columns(
        protocol=STRING,
        block=STRING,
        family=STRING,
        family_index=INT32,
        variant=STRING,
        baseline=STRING,
        measure=STRING,
        n=INT32,
        delta=REAL,
        lo=REAL,
        hi=REAL,
        p=REAL,
        p_adjusted_OR_NULL=REAL,
        family_size=INT32,
        effect_size_OR_NULL=REAL,
        wins=INT32,
        ties=INT32,
        losses=INT32,
        minimum_detectable_effect_OR_NULL=REAL,
    ),
    key=("protocol", "block", "family", "variant", "baseline", "measure"),
)
SUPPRESSION = Table(
    "suppression",
    columns(
        protocol=STRING,
        variant=STRING,
        stream_seed_OR_NULL=INT64,
        scope_id=STRING,
        **_STATE,
    ),
    key=("protocol", "variant", "stream_seed", "scope_id"),
)
SUPPRESSION_TRACE = Table(
    "suppression_trace",
    columns(
        protocol=STRING,
        variant=STRING,
        stream_seed=INT64,
        scope_id=STRING,
        step=INT64,
        **_STATE,
    ),
    key=("protocol", "variant", "stream_seed", "scope_id", "step"),
)
STREAM_METRICS = Table(
    "stream_metrics",
    columns(
        protocol=STRING,
        variant=STRING,
        stream_seed=INT64,
        measure=STRING,
        baseline_OR_NULL=STRING,
        n=INT32,
        mean=REAL,
        delta=REAL,
    ),
    key=("protocol", "variant", "stream_seed", "measure"),
)
ANSWERABILITY = Table(
    "answerability",
    columns(
        protocol=STRING,
        variant=STRING,
        n_answerable=INT32,
        n_unanswerable=INT32,
        auroc=REAL,
        answerable_q05=REAL,
        answerable_median=REAL,
        answerable_q95=REAL,
        unanswerable_q05=REAL,
        unanswerable_median=REAL,
        unanswerable_q95=REAL,
    ),
    key=("protocol", "variant"),
)
TIES = Table(
    "ties",
    columns(
        protocol=STRING,
        block=STRING,
        variant=STRING,
        measure=STRING,
        n=INT32,
        n_tied_at_cut=INT32,
        n_undecided=INT32,
        n_reaching_depth=INT32,
        value=REAL,
        pessimistic=REAL,
        expected=REAL,
        optimistic=REAL,
    ),
    key=("protocol", "block", "variant", "measure"),
)
DEFECTS = Table(
    "defects",
    columns(record_id=STRING, kind=STRING, policy=STRING, detail=STRING, n_queries=INT32, query_ids=pl.List(STRING)),
    key=("kind", "record_id", "policy", "detail"),
    is_key_unique=False,  # a record may have one fault twice
)
SWEEP_METRICS = Table(
    "sweep_metrics",
    columns(
        protocol=STRING,
        variant=STRING,
        measure=STRING,
        baseline_OR_NULL=STRING,
        n=INT32,
        n_streams=INT32,
        mean=REAL,
        sd=REAL,
        min=REAL,
        max=REAL,
        delta=REAL,
        delta_sd=REAL,
        delta_min=REAL,
        delta_max=REAL,
        share_opposite=REAL,
        parameters=PARAMETERS,
    ),
    key=("protocol", "variant", "measure"),
)
STUDY_CELLS = Table(
    "study_cells",
    columns(
        study=STRING,
        table=STRING,
        row=STRING,
        column=STRING,
        protocol=STRING,
        variant=STRING,
        against_OR_NULL=STRING,
        measure=STRING,
        published=REAL,
        ours=REAL,
        lo=REAL,
        hi=REAL,
        difference=REAL,
        difference_lo=REAL,
        difference_hi=REAL,
        p_OR_NULL=REAL,
        n_shared_OR_NULL=INT32,
        share_identical_OR_NULL=REAL,
        basis=STRING,
        verdict=STRING,
        artifact_keys=pl.List(STRING),
    ),
    key=("study", "table", "row", "column"),
)

REPORT_TABLES = (
    QUERIES,
    QUERY_METRICS,
    BEHAVIOUR,
    RANKINGS,
    SUMMARY,
    COMPARISONS,
    SUPPRESSION,
    SUPPRESSION_TRACE,
    STREAM_METRICS,
    TIES,
    ANSWERABILITY,
    DEFECTS,
    *CLUSTER_TABLES,
    *GROUP_TABLES,
    *SELECTION_TABLES,
    *LATENCY_TABLES,
)
"""Written by `build`: functions of the results alone."""
EXTRA_TABLES = (SWEEP_METRICS, STUDY_CELLS)
"""Given to `publish` beside the reports, by sweeps and studies; empty in every other run."""
TABLES: Mapping[str, Table] = {table.name: table for table in (*REPORT_TABLES, *EXTRA_TABLES, *RUN_TABLES)}

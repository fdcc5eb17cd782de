"""The tables of the warehouse: columns, types, what may be null, and keys.

Meaning, units and examples of every column are in `data/README.md`; a test compares the two.

`dataset` and `run_id` are columns of every table too: they are the partition directories, not in the files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from tasks.records import BenchError

SCHEMA_VERSION = 2
"""Raised by every change of a column's name, type or meaning; stored in `runs.schema_version`."""

STRING, BOOLEAN, REAL = pl.String(), pl.Boolean(), pl.Float64()
INT32, INT64, TIME = pl.Int32(), pl.Int64(), pl.Datetime("us")
MODELS = pl.List(pl.Struct({"role": pl.String(), "name": pl.String(), "digest": pl.String(), "licence": pl.String()}))


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Text is UTF-8; an undefined real number is NaN, never null, unless `is_nullable`."""

    name: str
    dtype: pl.DataType
    is_nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns in order, and the columns that order, and mostly identify, a row within one run."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    is_key_unique: bool = True

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column names and polars types, in order."""
        return {column.name: column.dtype for column in self.columns}


def _columns(**dtypes: pl.DataType) -> tuple[Column, ...]:
    """Declare columns; a name that ends with `_OR_NULL` may be null."""
    return tuple(
        Column(name.removesuffix("_OR_NULL"), dtype, name.endswith("_OR_NULL")) for name, dtype in dtypes.items()
    )


_ONE_VALUE = _columns(
    protocol=STRING,
    variant=STRING,
    stream_seed_OR_NULL=INT64,
    split_OR_NULL=STRING,
    query_id=STRING,
    measure=STRING,
    value=REAL,
)
_VALUE_KEY = ("protocol", "variant", "stream_seed", "split", "query_id", "measure")

RUNS = Table(
    "runs",
    _columns(
        profile=STRING,
        status=STRING,
        started_at=TIME,
        finished_at=TIME,
        protocol=STRING,
        other_protocols=pl.List(STRING),
        baseline_OR_NULL=STRING,
        main_measure=STRING,
        seed=INT64,
        n_queries=INT32,
        n_documents=INT32,
        dataset_fingerprint=STRING,
        source_name_OR_NULL=STRING,
        source_sha256_OR_NULL=STRING,
        is_official_source_OR_NULL=BOOLEAN,
        licence=STRING,
        note_OR_NULL=STRING,
        models=MODELS,
        code_fingerprint=STRING,
        config_fingerprint=STRING,
        report_digest_OR_NULL=STRING,
        mnemobench_version=STRING,
        schema_version=INT32,
        command=STRING,
    ),
    key=("protocol",),
)
QUERIES = Table(
    "queries",
    _columns(
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
    _columns(
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
    _columns(
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
    _columns(
        protocol=STRING,
        block=STRING,
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
    key=("protocol", "block", "variant", "baseline", "measure"),
)
SUPPRESSION = Table(
    "suppression",
    _columns(
        protocol=STRING,
        variant=STRING,
        stream_seed_OR_NULL=INT64,
        scope_id=STRING,
        n_entries=INT64,
        n_entries_above=INT64,
        n_documents_above=INT64,
        n_documents=INT64,
        max=REAL,
        mean=REAL,
    ),
    key=("protocol", "variant", "stream_seed", "scope_id"),
)
ANSWERABILITY = Table(
    "answerability",
    _columns(
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
    _columns(
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
    _columns(record_id=STRING, kind=STRING, policy=STRING, detail=STRING, n_queries=INT32, query_ids=pl.List(STRING)),
    key=("kind", "record_id", "policy", "detail"),
    is_key_unique=False,  # a record may have one fault twice
)
TIMINGS = Table(
    "timings",
    _columns(
        stage=STRING,
        step=STRING,
        artifact_key=STRING,
        state=STRING,
        reason=STRING,
        wall_s=REAL,
        made_wall_s=REAL,
        cpu_s=REAL,
        peak_memory_mb=REAL,
    ),
    key=("stage", "step", "artifact_key"),
)
ARTIFACTS = Table(
    "artifacts",
    _columns(stage=STRING, step=STRING, artifact_key=STRING, digest=STRING, n_files=INT32, n_bytes=INT64),
    key=("stage", "step", "artifact_key"),
)

REPORT_TABLES = (
    QUERIES,
    QUERY_METRICS,
    BEHAVIOUR,
    RANKINGS,
    SUMMARY,
    COMPARISONS,
    SUPPRESSION,
    TIES,
    ANSWERABILITY,
    DEFECTS,
)
"""Written by `build`: functions of the results alone."""
RUN_TABLES = (TIMINGS, ARTIFACTS, RUNS)
"""Written by `publish`: facts of one run. `runs` comes last: its row says that the run is complete."""
TABLES: Mapping[str, Table] = {table.name: table for table in (*REPORT_TABLES, *RUN_TABLES)}


def conform(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return `frame` with the table's columns in order, sorted by its key.

    Raises
    ------
    BenchError
        Lists every missing, unexpected, wrongly typed or wrongly null column, and a repeated key.
    """
    wanted, found = table.schema, frame.schema
    faults = [f"column {name} is missing" for name in wanted if name not in found]
    faults += [f"column {name} is not declared" for name in found if name not in wanted]
    faults += [
        f"column {name} has type {found[name]}, expected {dtype}"
        for name, dtype in wanted.items()
        if name in found and found[name] != dtype
    ]
    faults += [
        f"column {column.name} has {count} nulls, none is allowed"
        for column in table.columns
        if column.name in found and not column.is_nullable and (count := frame[column.name].null_count())
    ]
    if not faults and table.is_key_unique and (n_repeated := int(frame.select(table.key).is_duplicated().sum())):
        faults.append(f"{n_repeated} rows share their key ({', '.join(table.key)})")
    if faults:
        raise BenchError(
            f"table {table.name} does not fit its schema (version {SCHEMA_VERSION}): {'; '.join(faults)}. "
            "Correct the stage that made it, or change tasks/reporting/schemas.py and data/README.md together."
        )
    return frame.select(list(wanted)).sort(table.key, nulls_last=False)


def write(frame: pl.DataFrame, table: Table, path: Path) -> None:
    """Check `frame` against `table` and write it as zstd Parquet; equal rows give equal bytes.

    Columns of real numbers get no min/max statistics: these leave NaN out, and DuckDB 2.0.1 concludes from them that
    there is none (`WHERE NOT isnan(value)` then keeps the NaN; a test holds it to the right answer).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    summarised = [column.name for column in table.columns if column.dtype != REAL and not column.dtype.is_nested()]
    pq.write_table(conform(frame, table).to_arrow(), path, compression="zstd", write_statistics=summarised)


def read(directory: Path, table: Table) -> pl.DataFrame:
    """Read `<directory>/<table>.parquet` as `write` left it."""
    return pl.read_parquet(directory / f"{table.name}.parquet")

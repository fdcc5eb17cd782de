"""The tables of the warehouse that hold facts of a run, not results; the others are in `schemas`."""

import polars as pl

from tasks.reporting.declared import BOOLEAN, INT32, INT64, REAL, STRING, TIME, Table, columns

MODELS = pl.List(pl.Struct({"role": pl.String(), "name": pl.String(), "digest": pl.String(), "licence": pl.String()}))

RUNS = Table(
    "runs",
    columns(
        kind=STRING,
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
TIMINGS = Table(
    "timings",
    columns(
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
    columns(stage=STRING, step=STRING, artifact_key=STRING, digest=STRING, n_files=INT32, n_bytes=INT64),
    key=("stage", "step", "artifact_key"),
)

RUN_TABLES = (TIMINGS, ARTIFACTS, RUNS)
"""Written by `publish`: facts of one run. `runs` comes last: its row says that the run is complete."""

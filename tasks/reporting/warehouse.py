"""Append one run to the results warehouse: `<warehouse>/<table>/dataset=<d>/run_id=<r>/part-0.parquet`.

All tables are written and flushed under a hidden folder first, then renamed into place, `runs` last. The views of
`reports/views.sql` show only runs that have a row in `runs`, so that a run killed between two renames is not seen;
`sweep`, which the next run calls, removes what it left.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.reporting import checks
from tasks.reporting.run_facts import RunFacts, StageEvent, path_safe, utc
from tasks.reporting.schemas import (
    ARTIFACTS,
    DEFECTS,
    REPORT_TABLES,
    RUN_TABLES,
    RUNS,
    SCHEMA_VERSION,
    TIMINGS,
    Table,
    conform,
    read,
    write,
)
from tasks.reporting.scratch import abandoned_in, scratch_in


def publish(report_dirs: Sequence[Path], run: RunFacts, warehouse: Path) -> None:
    """Append the tables of a run's reports and its facts. Other runs are not touched.

    Parameters
    ----------
    report_dirs
        What `build` wrote for each protocol of one data set, the main one first.
    run
        Facts of the run.
    warehouse
        Root folder; made where it is missing.

    Raises
    ------
    BenchError
        When a check fails, the run is already published, or the folder cannot be written.
    """
    tables = _joined(report_dirs)
    facts = read_facts(report_dirs[0])
    others = [read_facts(folder)["protocol"] for folder in report_dirs[1:]]
    tables |= {RUNS.name: _runs(facts, others, run), TIMINGS.name: _timings(run), ARTIFACTS.name: _artifacts(run)}
    partition = f"dataset={path_safe('dataset', facts['dataset'])}/run_id={run.run_id}"
    if (warehouse / RUNS.name / partition).exists():
        raise BenchError(
            f"run {run.run_id} of {facts['dataset']} is already in {warehouse}; a published run is never rewritten. "
            "Start a new run, or remove that one with `mnemobench vacuum`."
        )
    with _scratch(warehouse, run.run_id) as scratch:
        for table in (*REPORT_TABLES, *RUN_TABLES):
            path = scratch / table.name / "part-0.parquet"
            write(tables[table.name], table, path)
            _flush(path)
        _move(scratch, warehouse, partition)


def is_published(warehouse: Path, run_id: str) -> bool:
    """Say whether a run has its row in `runs`: its tables are all there then."""
    return any((warehouse / RUNS.name).glob(f"dataset=*/run_id={run_id}"))


def sweep(warehouse: Path) -> None:
    """Remove what killed publications of this machine left: hidden folders, and tables of runs without a row."""
    for run_id, scratch in abandoned_in(warehouse):
        if not is_published(warehouse, run_id):
            for partition in warehouse.glob(f"*/dataset=*/run_id={run_id}"):
                shutil.rmtree(partition, ignore_errors=True)
        shutil.rmtree(scratch, ignore_errors=True)  # last: it names the run whose tables are removed


def read_facts(report_dir: Path) -> dict[str, Any]:
    """Read `report.json` of a report's artifact.

    Raises
    ------
    BenchError
        When it is absent, or of another schema version.
    """
    path = report_dir / "report.json"
    if not path.is_file():
        raise BenchError(f"no {path.name} in {report_dir}; expected what the reporting stage wrote")
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if facts["schema_version"] != SCHEMA_VERSION:
        raise BenchError(
            f"{path} has schema version {facts['schema_version']}, expected {SCHEMA_VERSION}: make the report again"
        )
    return facts


def _joined(report_dirs: Sequence[Path]) -> dict[str, pl.DataFrame]:
    """Return the tables of all reports as one, each checked; the ledger, which is of the data, has each row once."""
    read_all = [{table.name: read(folder / "tables", table) for table in REPORT_TABLES} for folder in report_dirs]
    for folder, tables in zip(report_dirs, read_all, strict=True):
        checks.check(tables, read_facts(folder))
    joined = {table.name: pl.concat([tables[table.name] for tables in read_all]) for table in REPORT_TABLES}
    own = read_all[0][DEFECTS.name]
    added = [tables[DEFECTS.name].join(own, on=DEFECTS.key, how="anti") for tables in read_all[1:]]
    more = pl.concat([own.clear(), *added]).unique(DEFECTS.key, keep="first", maintain_order=True)
    return joined | {DEFECTS.name: pl.concat([own, more])}


@contextmanager
def _scratch(warehouse: Path, run_id: str) -> Iterator[Path]:
    scratch = scratch_in(warehouse, run_id)
    try:
        scratch.mkdir(parents=True)
        yield scratch
    except OSError as error:
        raise BenchError(
            f"cannot write to the warehouse {warehouse}: {error.strerror or error}. Nothing was published; "
            "make room or the folder writable, and run the same command again."
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move(scratch: Path, warehouse: Path, partition: str) -> None:
    """Rename every table's folder into place, `runs` last; on an exception take back what was moved."""
    order = (*REPORT_TABLES, *RUN_TABLES)
    try:
        for table in order:
            target = warehouse / table.name / partition
            target.parent.mkdir(parents=True, exist_ok=True)
            _remove_leftover(target, table)
            (scratch / table.name).rename(target)
    except BaseException:
        # Asked of the disk: a signal may come between a rename and a note of it.
        for table in reversed([table for table in order if not (scratch / table.name).exists()]):
            shutil.rmtree(warehouse / table.name / partition, ignore_errors=True)
        raise


def _remove_leftover(target: Path, table: Table) -> None:
    """Remove what a killed publication of this very run left: it has no row in `runs`."""
    if table is not RUNS and target.exists():
        shutil.rmtree(target)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _runs(facts: dict[str, Any], others: list[str], run: RunFacts) -> pl.DataFrame:
    corpus = facts["corpus"]
    source = corpus.get("source") or {}
    row = {
        "profile": run.profile,
        "status": run.status,
        "started_at": utc(run.started_at),
        "finished_at": utc(run.finished_at),
        "protocol": facts["protocol"],
        "other_protocols": others,
        "baseline": facts["baseline"],
        "main_measure": facts["params"]["main_measure"],
        "seed": run.seed,
        "n_queries": corpus["n_queries"],
        "n_documents": corpus["n_documents"],
        "dataset_fingerprint": facts["dataset_fingerprint"],
        "source_name": source.get("name"),
        "source_sha256": source.get("sha256"),
        "is_official_source": source.get("is_official"),
        "licence": corpus.get("licence") or "unknown",
        "note": corpus.get("note"),
        "models": [
            {"role": model.role, "name": model.name, "digest": model.digest, "licence": model.licence}
            for model in run.models
        ],
        "code_fingerprint": run.code_fingerprint,
        "config_fingerprint": run.config_fingerprint,
        "report_digest": _digest_of_report(run),
        "mnemobench_version": run.mnemobench_version,
        "schema_version": SCHEMA_VERSION,
        "command": run.command,
    }
    return conform(pl.DataFrame([row], schema=RUNS.schema), RUNS)


def _digest_of_report(run: RunFacts) -> str | None:
    digests = [event.digest for event in run.stages if event.stage == "reporting"]
    return digests[-1] if digests else None


def _timings(run: RunFacts) -> pl.DataFrame:
    rows = [
        (e.stage, e.step, e.key, e.state, e.reason, e.wall_s, e.made_wall_s, e.cpu_s, e.peak_memory_mb)
        for e in _distinct(run)
    ]
    return pl.DataFrame(rows, schema=TIMINGS.schema, orient="row")


def _artifacts(run: RunFacts) -> pl.DataFrame:
    rows = [(e.stage, e.step, e.key, e.digest, e.n_files, e.n_bytes) for e in _distinct(run)]
    return pl.DataFrame(rows, schema=ARTIFACTS.schema, orient="row")


def _distinct(run: RunFacts) -> list[StageEvent]:
    """One event per artifact: a run that meets an artifact again (cached by then) tells the first meeting."""
    first: dict[tuple[str, str, str], StageEvent] = {}
    for event in run.stages:
        first.setdefault((event.stage, event.step, event.key), event)
    return list(first.values())

"""Append one run to the results warehouse: `<warehouse>/<table>/dataset=<d>/run_id=<r>/part-0.parquet`.

A run may hold several data sets: each is a partition of its own. All tables of all partitions are written and flushed
under a hidden folder first, then renamed into place, `runs` last. The views of `reports/views.sql` show only runs that
have a row in `runs`, so that a run killed between two renames is not seen; `sweep`, which the next run calls, removes
what it left.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.reporting import checks, run_rows
from tasks.reporting.declared import REAL
from tasks.reporting.run_facts import DataFacts, RunFacts, path_safe
from tasks.reporting.schemas import (
    DEFECTS,
    EXTRA_TABLES,
    REPORT_TABLES,
    RUN_TABLES,
    RUNS,
    SCHEMA_VERSION,
    SWEEP_METRICS,
    Table,
    fit,
    read,
    write,
)
from tasks.reporting.scratch import abandoned_in, scratch_in

_Tables = dict[str, pl.DataFrame]
_ORDER = (*REPORT_TABLES, *EXTRA_TABLES, *RUN_TABLES)
"""`runs` is the last."""


@dataclass(frozen=True, slots=True)
class Partition:
    """What a run found on one data set.

    Attributes
    ----------
    report_dirs
        What `build` wrote for each protocol, the main one first.
    run
        Facts of the run. All partitions of a run have its id; each may have its own models and stages.
    extra
        Rows of `EXTRA_TABLES` by the table's name. Columns that may be null may be absent, other types are cast, and a
        real number that is null but may not be becomes NaN.
    """

    report_dirs: Sequence[Path]
    run: RunFacts
    extra: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def publish(
    report_dirs: Sequence[Path], run: RunFacts, warehouse: Path, *, extra: Mapping[str, pl.DataFrame] | None = None
) -> None:
    """Append the tables of a run over one data set: `publish_together` with one partition."""
    publish_together([Partition(report_dirs, run, extra or {})], warehouse)


def publish_together(partitions: Sequence[Partition], warehouse: Path) -> None:
    """Append the tables of a run, all of its data sets or none. Other runs are not touched.

    Parameters
    ----------
    partitions
        One per data set; their run ids are equal. Every partition gets every table, empty where there is nothing.
    warehouse
        Root folder; made where it is missing.

    Raises
    ------
    BenchError
        When a check fails, the run is already published, partitions do not fit together, or the folder cannot be
        written.
    """
    run_ids, datasets = {part.run.run_id for part in partitions}, []
    ready = {}
    for part in partitions:
        facts, *others = map(read_facts, part.report_dirs)
        datasets.append(facts["dataset"])
        data = DataFacts.of_report(facts, tuple(other["protocol"] for other in others))
        ready[data.dataset] = _joined(part.report_dirs) | run_rows.of_run("evaluation", data, part.run)
        ready[data.dataset] |= _extra(part.extra, data.dataset)
    if len(run_ids) != 1 or len(ready) < len(partitions):
        raise BenchError(
            f"a run is published with the ids {', '.join(sorted(run_ids))} and the data sets {', '.join(datasets)}; "
            "expected one id, and each data set once"
        )
    _publish(ready, run_ids.pop(), warehouse)


def publish_sweep(frame: pl.DataFrame, facts: DataFacts, run: RunFacts, warehouse: Path) -> None:
    """Append a run that has no reports: the rows of a sweep over parameters, and the facts of the run.

    Parameters
    ----------
    frame
        Rows of `schemas.SWEEP_METRICS`.
    facts
        What was measured on.
    run, warehouse
        As in `publish_together`.

    Raises
    ------
    BenchError
        As `publish_together`.
    """
    tables = run_rows.of_run("sweep", facts, run) | _extra({SWEEP_METRICS.name: frame}, facts.dataset)
    _publish({facts.dataset: {table.name: _empty(table) for table in REPORT_TABLES} | tables}, run.run_id, warehouse)


def is_published(warehouse: Path, run_id: str) -> bool:
    """Say whether a run has a row in `runs`: all its tables are there then."""
    return any((warehouse / RUNS.name).glob(f"dataset=*/run_id={run_id}"))


def sweep(warehouse: Path) -> None:
    """Remove what killed publications of this machine left: hidden folders, and tables of runs that lack a row."""
    for run_id, scratch in abandoned_in(warehouse):
        if not is_published(warehouse, run_id) or any((scratch / RUNS.name).glob("*/*")):
            for table in (RUNS.name, "*"):  # from here on no view shows any of it
                for partition in warehouse.glob(f"{table}/dataset=*/run_id={run_id}"):
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


def _extra(given: Mapping[str, pl.DataFrame], dataset: str) -> _Tables:
    """Return all of `EXTRA_TABLES`, checked; empty where nothing is given."""
    names = [table.name for table in EXTRA_TABLES]
    if unknown := sorted(set(given) - set(names)):
        raise BenchError(f"tables {', '.join(unknown)} cannot be added to a run; expected {' or '.join(names)}")
    tables = {table.name: _defined(fit(given.get(table.name, _empty(table)), table), table) for table in EXTRA_TABLES}
    checks.check_extra(tables, dataset)
    return tables


def _defined(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return `frame` with NaN for the null values of real columns that may not be null."""
    undefined = [column.name for column in table.columns if column.dtype == REAL and not column.is_nullable]
    return frame.with_columns(pl.col(undefined).fill_null(float("nan")))


def _empty(table: Table) -> pl.DataFrame:
    return pl.DataFrame(schema=table.schema)


def _publish(ready: Mapping[str, _Tables], run_id: str, warehouse: Path) -> None:
    """Write the tables of each data set, and move them into place together."""
    partitions = {f"dataset={path_safe('dataset', name)}/run_id={run_id}": tables for name, tables in ready.items()}
    if there := [partition for partition in partitions if (warehouse / RUNS.name / partition).exists()]:
        raise BenchError(
            f"run {run_id} is already in {warehouse} ({', '.join(there)}); a published run is never rewritten. "
            "Start a new run, or remove that one with `mnemobench vacuum`."
        )
    with _scratch(warehouse, run_id) as scratch:
        for table in _ORDER:
            for partition, tables in partitions.items():
                path = scratch / table.name / partition / "part-0.parquet"
                write(tables[table.name], table, path)
                _flush(path)
        _move(scratch, warehouse, list(partitions))


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


def _move(scratch: Path, warehouse: Path, partitions: Sequence[str]) -> None:
    """Rename every table's folders into place, those of `runs` last; on an exception take back what was moved."""
    moves = [(table, f"{table.name}/{partition}") for table in _ORDER for partition in partitions]
    try:
        for table, place in moves:
            target = warehouse / place
            target.parent.mkdir(parents=True, exist_ok=True)
            _remove_leftover(target, table)
            (scratch / place).rename(target)
    except BaseException:
        # Asked of the disk: a signal may come between a rename and a note of it.
        for place in reversed([place for _, place in moves if not (scratch / place).exists()]):
            shutil.rmtree(warehouse / place, ignore_errors=True)
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

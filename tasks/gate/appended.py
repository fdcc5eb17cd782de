"""Tables of the warehouse that only grow: each row is a file, `<table>/dataset=<d>/run_id=<r>/<time>.parquet`.

A file appears under its name when it is whole, and nothing that is there is ever written again.
"""

import os
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from tasks.gate.runs import read_part
from tasks.records import BenchError
from tasks.reporting.declared import Table, conform, write
from tasks.reporting.run_facts import path_safe


def now() -> datetime:
    """Return the present moment as the warehouse keeps it: UTC, without a time zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def append(warehouse: Path, table: Table, dataset: str, run_id: str, row: Mapping[str, Any]) -> Path:
    """Add one row about a run; return its file.

    Raises
    ------
    BenchError
        When the row does not fit the table, or the folder cannot be written: nothing is left then.
    """
    frame = conform(pl.DataFrame([row], schema=table.schema), table)
    partition = f"dataset={path_safe('dataset', dataset)}/run_id={path_safe('run_id', run_id)}"
    path = warehouse / table.name / partition / f"{now():%Y%m%dT%H%M%S%fZ}-{uuid.uuid4().hex[:8]}.parquet"
    scratch = path.with_name(f".{path.name}.tmp")  # hidden, and no `*.parquet`: nobody reads it half-written
    try:
        write(frame, table, scratch)
        with scratch.open("rb") as file:
            os.fsync(file.fileno())
        scratch.rename(path)
    except OSError as error:
        raise BenchError(
            f"cannot write to {path.parent}: {error.strerror or error}. Nothing was added; make room or the folder "
            "writable, and run the same command again."
        ) from error
    finally:
        scratch.unlink(missing_ok=True)
    return path


def read_all(warehouse: Path, table: Table) -> pl.DataFrame:
    """Return all rows, oldest file first, with `dataset` and `run_id`.

    Raises
    ------
    BenchError
        When a file is damaged: names it.
    """
    schema = {**table.schema, "dataset": pl.String(), "run_id": pl.String()}
    paths = sorted((warehouse / table.name).glob("dataset=*/run_id=*/[!.]*.parquet"), key=lambda path: path.name)
    parts = [read_part(path) for path in paths]
    return pl.concat([pl.DataFrame(schema=schema), *(part.select(list(schema)) for part in parts)])

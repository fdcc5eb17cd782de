"""DuckDB over the results warehouse, with the views of `reports/views.sql` loaded."""

import csv
import io
import json
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from math import isfinite, isnan
from pathlib import Path
from typing import Any, Literal, get_args

import duckdb
import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import TABLES

Output = Literal["text", "csv", "json"]

_READ = re.compile(
    r"SELECT \* FROM read_parquet\('reports/warehouse/(?P<files>(?P<table>[\w\[\]]+\*?)/[^']*)'(?P<options>[^)]*)\)"
)
"""How `views.sql` reads a table of the warehouse, for a shell in the root of the checkout."""
_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI}
_SPACE = re.compile(r"\s+|--[^\n]*(\n|$)|/\*.*?\*/", re.DOTALL)
_EXPLAIN = re.compile(r"explain\b\s*(analyze\b)?\s*(\([^)]*\))?", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MAX_CELL = 80


def open_warehouse(warehouse: Path, views: Path, *, read_only: bool = True) -> duckdb.DuckDBPyConnection:
    """Open an in-memory database whose views read the warehouse's Parquet files.

    Parameters
    ----------
    warehouse
        Root folder of the tables.
    views
        `reports/views.sql`.
    read_only
        Then no other file can be read, nothing can be installed, settings are locked, and `run_query` accepts
        only statements that read.

    Raises
    ------
    BenchError
        When no run was published yet, or a view cannot be made.
    """
    root = warehouse.resolve()
    if not any((root / "runs").glob("dataset=*/run_id=*/*.parquet")):
        raise BenchError(f"no runs yet in {warehouse}; make one first: `make run`")
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    try:
        _declare(connection)
        connection.execute(_READ.sub(partial(_with_declared, root), views.read_text(encoding="utf-8")))
        if read_only:
            connection.execute(f"SET allowed_directories = ['{_quoted(root)}/']")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
    except (OSError, duckdb.Error) as error:
        connection.close()
        raise BenchError(f"{views}: {error}") from error
    return connection


def _declare(connection: duckdb.DuckDBPyConnection) -> None:
    """Make an empty table of each declared one, in a schema of their own."""
    connection.execute("CREATE SCHEMA declared")
    for table in TABLES.values():
        partition = {"dataset": pl.String(), "run_id": pl.String()}
        connection.register("_empty", pl.DataFrame(schema={**table.schema, **partition}).to_arrow())
        connection.execute(f'CREATE TABLE declared."{table.name}" AS FROM _empty')
        connection.unregister("_empty")


def _with_declared(root: Path, found: re.Match[str]) -> str:
    """Return SQL that reads a table, with the declared columns that its files lack, empty where there are no files.

    Runs of an older version of the project do not have every table, or every column.
    """
    there = f"SELECT * FROM read_parquet('{_quoted(root)}/{found['files']}'{found['options']})"
    if found["table"] not in TABLES:
        return there
    declared = f'SELECT * FROM declared."{found["table"]}"'
    return f"SELECT * FROM ({declared} UNION ALL BY NAME {there})" if any(root.glob(found["files"])) else declared


def _quoted(path: Path) -> str:
    return path.as_posix().replace("'", "''")


def run_query(connection: duckdb.DuckDBPyConnection, sql: str, output: Output = "text") -> str:
    """Run one or several statements and return the last one's rows as text, CSV or JSON.

    Text is aligned columns for a terminal, long cells cut and control characters removed. CSV has a header and empty
    fields for null. JSON is a list of objects; NaN and infinities become null, because JSON has none.

    Parameters
    ----------
    connection
        From `open_warehouse`.
    sql
        Statements, separated by semicolons.
    output
        `text`, `csv` or `json`.

    Raises
    ------
    BenchError
        When the SQL is wrong, there is none, or it would write although the connection is read-only.
    """
    if output not in get_args(Output):
        raise BenchError(f"output {output!r} is unknown; expected one of: {', '.join(get_args(Output))}")
    try:
        statements = duckdb.extract_statements(sql)
        if not statements:
            raise BenchError("the query is empty; expected SQL, e.g. `SELECT * FROM latest_runs`")
        if _is_read_only(connection):
            for statement in statements:
                _must_read(statement)
        for statement in statements:
            cursor = connection.execute(statement)
        names = _distinct([column[0] for column in cursor.description or []])
        rows = cursor.fetchall() if names else []
    except duckdb.Error as error:
        raise BenchError(f"the query failed: {error}\nTables and columns: data/README.md, or `SHOW TABLES`.") from error
    return {"text": _text, "csv": _csv, "json": _json}[output](names, rows)


def _is_read_only(connection: duckdb.DuckDBPyConnection) -> bool:
    row = connection.execute("SELECT current_setting('enable_external_access')").fetchone()
    return row is not None and not row[0]


def _must_read(statement: duckdb.Statement) -> None:
    """Refuse what may write: DuckDB itself would still let `COPY ... TO` write inside the warehouse.

    A pivot is a statement of several parts, and so is a COPY or CREATE around one: its first word tells them apart.
    `EXPLAIN ANALYZE` runs what it explains.
    """
    text = _strip(statement.query)
    kind = statement.type
    if kind == duckdb.StatementType.EXPLAIN:
        text = _strip(_EXPLAIN.sub("", text, count=1))
        inner = duckdb.extract_statements(text)
        kind = inner[0].type if len(inner) == 1 else kind
        is_reading = kind == duckdb.StatementType.SELECT
    else:
        is_reading = kind in _READING
    if kind == duckdb.StatementType.MULTI:
        is_reading = re.match(r"(pivot|unpivot|from|select|with|\()", text, re.IGNORECASE) is not None
    if not is_reading:
        raise BenchError(
            f"{kind.name} is refused: the warehouse is open for reading. Expected SELECT, FROM, WITH, PIVOT, DESCRIBE, "
            "SUMMARIZE, SHOW or EXPLAIN; say that you want to write to get more."
        )


def _strip(sql: str) -> str:
    """Remove spaces and comments before the first word."""
    while (found := _SPACE.match(sql)) is not None and found.end():
        sql = sql[found.end() :]
    return sql


def _distinct(names: Sequence[str]) -> list[str]:
    """Number repeated column names, so that JSON loses none: `x`, `x_1`."""
    seen: list[str] = []
    for name in names:
        candidate, place = name, 0
        while candidate in seen:
            place += 1
            candidate = f"{name}_{place}"
        seen.append(candidate)
    return seen


def _text(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not names:
        return "done\n"
    is_number = [
        any(row[place] is not None for row in rows)
        and all(row[place] is None or isinstance(row[place], int | float | Decimal) for row in rows)
        for place in range(len(names))
    ]
    cells = [list(names), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ).rstrip()
        for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*lines, f"({len(rows):,} row{'' if len(rows) == 1 else 's'})"]) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return "NaN" if isnan(value) else f"{value:.6g}"
    text = _CONTROL.sub(" ", str(value))
    return text if len(text) <= _MAX_CELL else f"{text[: _MAX_CELL - 1]}…"


def _csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_value(value) for value in row] for row in rows)
    return out.getvalue()


def _csv_value(value: Any) -> Any:
    if isinstance(value, list | dict | tuple):
        return json.dumps(_plain(value), ensure_ascii=False)
    return "NaN" if isinstance(value, float) and isnan(value) else value


def _json(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    objects = [dict(zip(names, map(_plain, row), strict=True)) for row in rows]
    return json.dumps(objects, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return `value` in the types of JSON."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float) else str(value)

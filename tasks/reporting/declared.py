"""What a declared table is, and how its files are checked, written and read."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from tasks.records import BenchError

SCHEMA_VERSION = 4
"""Raised by every change of a column's name, type or meaning; stored in `runs.schema_version`.

3: comparisons come in families (`family`, `family_index`, the key of `comparisons`), `runs.kind` tells sweeps apart,
and there are tables of many streams, of the state over the stream, of sweeps and of a published study's cells.
4: tables of groups of questions, of weights and settings chosen out of sample, of latency, of tests for few groups.
"""

STRING, BOOLEAN, REAL = pl.String(), pl.Boolean(), pl.Float64()
INT32, INT64, TIME = pl.Int32(), pl.Int64(), pl.Datetime("us")


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


def columns(**dtypes: pl.DataType) -> tuple[Column, ...]:
    """Declare columns; a name that ends with `_OR_NULL` may be null."""
    return tuple(
        Column(name.removesuffix("_OR_NULL"), dtype, name.endswith("_OR_NULL")) for name, dtype in dtypes.items()
    )


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


def fit(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Select the table's columns with its types; a column that may be null and is absent becomes null.

    Raises
    ------
    BenchError
        When another column is absent, or a value does not fit the type.
    """
    absent = [
        pl.lit(None, dtype=column.dtype).alias(column.name)
        for column in table.columns
        if column.is_nullable and column.name not in frame.columns
    ]
    there = {*frame.columns, *(expression.meta.output_name() for expression in absent)}
    if missing := [name for name in table.schema if name not in there]:
        raise BenchError(f"table {table.name}: no column {', '.join(missing)} in what the earlier stages wrote")
    try:
        return frame.with_columns(absent).select(pl.col(name).cast(dtype) for name, dtype in table.schema.items())
    except pl.exceptions.PolarsError as error:
        raise BenchError(f"table {table.name}: {error}; expected the types of tasks/reporting/schemas.py") from error


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

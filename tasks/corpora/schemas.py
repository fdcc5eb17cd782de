"""Schemas of the normalised tables of a corpus, and a writer that streams rows of one of them into Parquet."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.records import BenchError, Defect

TEXT_COLUMNS = ("title", "text", "caption")
"""Columns of `documents` that hold content: the only ones whose size grows with the length of the turns."""


def _schema(required: Mapping[str, pa.DataType], nullable: Mapping[str, pa.DataType], order: str) -> pa.Schema:
    types = {**required, **nullable}
    return pa.schema([pa.field(name, types[name], nullable=name in nullable) for name in order.split()])


_TEXT, _INT, _TIME = pa.string(), pa.int32(), pa.timestamp("us")

SCHEMAS: dict[str, pa.Schema] = {
    "documents": _schema(
        {"document_index": _INT, "document_key": _TEXT, "document_id": _TEXT, "text": _TEXT, "is_empty": pa.bool_()},
        {"session_id": _TEXT, "turn_index": _INT, "speaker": _TEXT, "title": _TEXT, "caption": _TEXT},
        "document_index document_key document_id session_id turn_index speaker title text caption is_empty",
    ),
    "sessions": _schema(
        {"session_id": _TEXT, "position": _INT, "n_turns": _INT},
        {"date": _TIME},
        "session_id position n_turns date",
    ),
    "scopes": _schema({"scope_id": _TEXT, "session_id": _TEXT, "position": _INT}, {}, "scope_id session_id position"),
    "queries": _schema(
        {"query_index": _INT, "query_id": _TEXT, "text": _TEXT, "question_type": _TEXT, "block": _TEXT},
        {"scope_id": _TEXT, "answer": _TEXT, "date": _TIME},
        "query_index query_id text question_type block scope_id answer date",
    ),
    "judgements_turn": _schema(
        {"query_id": _TEXT, "document_id": _TEXT, "gain": _INT}, {}, "query_id document_id gain"
    ),
    "judgements_session": _schema(
        {"query_id": _TEXT, "session_id": _TEXT, "gain": _INT}, {}, "query_id session_id gain"
    ),
    "defects": _schema(
        {
            "record_id": _TEXT,
            "kind": _TEXT,
            "policy": _TEXT,
            "detail": _TEXT,
            "n_queries": _INT,
            "query_ids": pa.list_(_TEXT),
        },
        {},
        "record_id kind policy detail n_queries query_ids",
    ),
}
"""Arrow schema of each table, by name: the file is `<name>.parquet`."""


class TableWriter:
    """Rows of one table, written as row groups: memory is bounded by one group of `ROWS` rows or `CHARACTERS`."""

    ROWS, CHARACTERS = 20_000, 32_000_000

    def __init__(self, out: Path, name: str) -> None:
        self._schema = SCHEMAS[name]
        self._name = name
        self._writer = pq.ParquetWriter(out / f"{name}.parquet", self._schema, compression="zstd")
        self._rows: list[tuple[Any, ...]] = []
        self._characters = 0
        self.n_rows = 0

    def add(self, *row: Any, characters: int = 0) -> None:
        """Add one row, in the order of the schema; `characters` is the length of its long texts."""
        self._rows.append(row)
        self._characters += characters
        self.n_rows += 1
        if len(self._rows) >= self.ROWS or self._characters >= self.CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True) if self._rows else [() for _ in self._schema]
        arrays = [self._array(column, field) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()
        self._characters = 0

    def _array(self, column: tuple[Any, ...], field: Any) -> Any:
        try:
            return pa.array(column, type=field.type)
        except (UnicodeEncodeError, pa.ArrowException, OverflowError) as error:
            raise BenchError(
                f"table {self._name}, column {field.name}, rows up to {self.n_rows}: {error}; expected {field.type}"
            ) from error

    def close(self, *, is_complete: bool) -> None:
        """Write what remains and the footer; after a failure only release the file."""
        try:
            if is_complete and (self._rows or self.n_rows == 0):
                self._flush()
        finally:
            self._writer.close()


def write_table(out: Path, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write one whole table of `SCHEMAS`, its rows in the order of the schema."""
    table = TableWriter(out, name)
    is_complete = False
    try:
        for row in rows:
            table.add(*row)
        is_complete = True
    finally:
        table.close(is_complete=is_complete)


def defect_row(defect: Defect) -> tuple[Any, ...]:
    """Return a row of `defects`."""
    ids = list(defect.query_ids)
    return (defect.record_id, defect.kind, defect.policy, defect.detail, len(ids), ids)

"""The truth table of the synthetic corpus, `planted.parquet`: which role each document plays.

Columns: `document_index` (row of the documents), `document_id`, `role` (evidence, stale, distractor, twin, filler),
`query_id` (the question that the turn is evidence or stale for, or would be, were it not a twin; null otherwise),
`is_asked` (whether that question is among the queries; false without one), `domain` of the session, and `twin_of`
(the document that a twin repeats; null otherwise).
"""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.corpora.synthetic.history import History

SCHEMA = pa.schema(
    [
        pa.field("document_index", pa.int32(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("query_id", pa.string()),
        pa.field("is_asked", pa.bool_(), nullable=False),
        pa.field("domain", pa.string(), nullable=False),
        pa.field("twin_of", pa.string()),
    ]
)


class PlantedWriter:
    """Streams the table into `out`; use as a context manager. Memory: one row group of `ROWS` rows."""

    ROWS = 50_000

    def __init__(self, out: Path) -> None:
        self._writer = pq.ParquetWriter(out / "planted.parquet", SCHEMA, compression="zstd")
        self._rows: list[tuple[Any, ...]] = []
        self._n_rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            self._writer.close()

    def add(self, history: History, asked: set[str]) -> None:
        """Add every turn of a history, in the order of the documents; `asked` are ids of its queries."""
        for session in history.sessions:
            for turn in session.turns:
                is_asked = turn.query_id in asked
                role, domain = turn.role.value, session.domain
                row = (self._n_rows, turn.document_id, role, turn.query_id, is_asked, domain, turn.twin_of)
                self._rows.append(row)
                self._n_rows += 1
        if len(self._rows) >= self.ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            columns = zip(*self._rows, strict=True)
            arrays = [pa.array(column, type=field.type) for column, field in zip(columns, SCHEMA, strict=True)]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
            self._rows.clear()

"""A study's artifact as its report reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tasks.studies.names import PROTOCOL_OF
from tasks.studies.published import Number, Published
from tasks.studies.schemas import AGREEMENT, CAUSES, CELLS, READINGS, STREAMS, TRACES, UNPUBLISHED
from tasks.studies.streams import main_rows
from tasks.studies.study_a import MAIN_REGEX, tables
from tasks.studies.verdicts import Verdict

Row = Mapping[str, Any]
Key = tuple[str, str, str, str]
"""Data set, table, row, column."""

DATASET_LABELS = {"longmemeval-s": "LongMemEval-S", "nfcorpus": "NFCorpus", "locomo": "LoCoMo"}
ROW_LABELS = {
    "baseline": "baseline",
    "global-uniform": "global, uniform",
    "global-gap": "global, rank-gap",
    "clustered30-uniform": "clustered 30, uniform",
    "clustered30-gap": "clustered 30, rank-gap",
}


@dataclass(frozen=True, slots=True)
class Study:
    """The tables of a study's artifact.

    Attributes
    ----------
    cells
        Every cell by its place, in the order of the declarations; `verdict` is None where nothing was published.
    intervals
        The published number of a cell, with its interval where one was printed.
    agreement, readings, causes, streams, traces
        Rows of the other tables.
    """

    cells: Mapping[Key, Row]
    intervals: Mapping[Key, Number]
    agreement: Sequence[Row]
    readings: Sequence[Row]
    causes: Sequence[Row]
    streams: Sequence[Row]
    traces: Sequence[Row]

    @classmethod
    def read(cls, study_dir: Path, published: Published) -> "Study":
        """Read what `build` wrote."""
        frames = {
            table.name: pl.read_parquet(study_dir / f"{table.name}.parquet")
            for table in (CELLS, UNPUBLISHED, AGREEMENT, READINGS, CAUSES, STREAMS, TRACES)
        }
        found: dict[Key, Row] = {}
        for name in (CELLS.name, UNPUBLISHED.name):
            for row in frames[name].iter_rows(named=True):
                found[row["dataset"], row["table"], row["row"], row["column"]] = {"verdict": None, **row}
        declared = [((cell.dataset, cell.table, cell.row, cell.column), cell.where) for cell in tables()]
        return cls(
            {key: found[key] for key, _ in declared},
            {key: published.number(where) for key, where in declared if where is not None},
            *(_in_order(frames[table.name]) for table in (AGREEMENT, READINGS, CAUSES, STREAMS, TRACES)),
        )

    def of(self, table: str, dataset: str) -> dict[tuple[str, str], Row]:
        """Return the cells of a table and data set by row and column."""
        return {key[2:]: row for key, row in self.cells.items() if key[:2] == (dataset, table)}

    @property
    def datasets(self) -> list[str]:
        """The data sets of which something was measured."""
        measured = {key[0] for key, row in self.cells.items() if is_measured(row)}
        return [name for name in PROTOCOL_OF if name in measured]

    @property
    def published(self) -> list[Row]:
        """The cells with a published number, each number once: some of the cluster sweep also stand in a main table."""
        return [row for row in self.cells.values() if row["verdict"] is not None and row["table"] != MAIN_REGEX]


def _in_order(frame: pl.DataFrame) -> list[Row]:
    """Return the rows of a table as the report shows them: by data set, then by row of the main tables."""
    datasets, rows = list(PROTOCOL_OF), list(main_rows())

    def place(row: Row) -> tuple[int, int]:
        name = row.get("row")
        return datasets.index(row["dataset"]), rows.index(name) if name in rows else -1

    return sorted(frame.to_dicts(), key=place)


def is_measured(row: Row) -> bool:
    """Whether the run holds our side of a cell."""
    value: float = row["ours"]
    return value == value  # NaN is not


def is_weak(row: Row) -> bool:
    """Whether a verdict rests on our own interval alone."""
    return bool(row["verdict"] == Verdict.CONSISTENT and row["basis"] == "interval")

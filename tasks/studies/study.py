"""A study's artifact as its report reads it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.studies.build import STUDY
from tasks.studies.catalog import Declarations, declarations
from tasks.studies.names import DATASET_LABELS
from tasks.studies.published import STUDY_A, Number, Published
from tasks.studies.schemas import AGREEMENT, CAUSES, CELLS, READINGS, STREAMS, TRACES, UNPUBLISHED
from tasks.studies.verdicts import Verdict

__all__ = ["DATASET_LABELS", "Key", "Row", "Study", "is_measured", "is_weak"]

Row = Mapping[str, Any]
Key = tuple[str, str, str, str]
"""Data set, table, row, column."""


@dataclass(frozen=True, slots=True)
class Study:
    """The tables of a study's artifact.

    Attributes
    ----------
    name
        Of the study.
    cells
        Every cell by its place, in the order of the declarations; `verdict` is None where nothing was published.
    intervals
        The published number of a cell, with its interval where one was printed.
    tables
        Rows of the study's other tables, by name.
    """

    name: str
    cells: Mapping[Key, Row]
    intervals: Mapping[Key, Number]
    tables: Mapping[str, Sequence[Row]]

    @classmethod
    def read(cls, study_dir: Path, published: Published | None = None) -> "Study":
        """Read what `build` wrote; `published` are the study's own files unless they are given."""
        name = _name(study_dir)
        if published is not None and published.study != name:
            raise BenchError(f"{study_dir} holds {name}, but the published files are of {published.study}")
        declared, files = declarations(name), published or Published(name)
        frames = {
            table.name: pl.read_parquet(study_dir / f"{table.name}.parquet")
            for table in (CELLS, UNPUBLISHED, *declared.tables)
        }
        found: dict[Key, Row] = {}
        for table in (CELLS.name, UNPUBLISHED.name):
            for row in frames[table].iter_rows(named=True):
                found[row["dataset"], row["table"], row["row"], row["column"]] = {"verdict": None, **row}
        places = [((cell.dataset, cell.table, cell.row, cell.column), cell.where) for cell in declared.cells()]
        return cls(
            name,
            {key: found[key] for key, _ in places},
            {key: files.number(where) for key, where in places if where is not None},
            {table.name: _in_order(frames[table.name], declared) for table in declared.tables},
        )

    def of(self, table: str, dataset: str) -> dict[tuple[str, str], Row]:
        """Return the cells of a table and data set by row and column."""
        return {key[2:]: row for key, row in self.cells.items() if key[:2] == (dataset, table)}

    @property
    def datasets(self) -> list[str]:
        """The data sets of which something was measured."""
        measured = {key[0] for key, row in self.cells.items() if is_measured(row)}
        return [name for name in declarations(self.name).protocol_of if name in measured]

    @property
    def published(self) -> list[Row]:
        """The cells with a published number, each number once: some also stand in another table."""
        repeated = declarations(self.name).repeated
        return [row for row in self.cells.values() if row["verdict"] is not None and row["table"] not in repeated]

    @property
    def agreement(self) -> Sequence[Row]:
        """Our values against the published ones (study A)."""
        return self.tables.get(AGREEMENT.name, ())

    @property
    def readings(self) -> Sequence[Row]:
        """What is measured where text and code differ (study A)."""
        return self.tables.get(READINGS.name, ())

    @property
    def causes(self) -> Sequence[Row]:
        """What moves our number away from the published one (study A)."""
        return self.tables.get(CAUSES.name, ())

    @property
    def streams(self) -> Sequence[Row]:
        """What many streams do (study A)."""
        return self.tables.get(STREAMS.name, ())

    @property
    def traces(self) -> Sequence[Row]:
        """The state over the stream (study A)."""
        return self.tables.get(TRACES.name, ())


def _name(study_dir: Path) -> str:
    """Return the study that an artifact is of; those that do not say it are of the first study there was."""
    path = study_dir / STUDY
    return str(json.loads(path.read_text(encoding="utf-8"))["study"]) if path.is_file() else STUDY_A


def _in_order(frame: pl.DataFrame, declared: Declarations) -> list[Row]:
    """Return the rows of a table as the report shows them: by data set, then by row of the main tables."""
    datasets, rows = list(declared.protocol_of), declared.rows

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

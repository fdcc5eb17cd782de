"""The studies that can be reproduced: what each declares, and what of its report is its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import Table
from tasks.significance.families import Family
from tasks.studies import (
    study_a,
    study_a_agreement,
    study_a_names,
    study_a_plan,
    study_a_streams,
    study_a_tables,
    study_b,
    study_b_names,
    study_b_plan,
    study_b_tables,
)
from tasks.studies.cells import PairsOf
from tasks.studies.declared import Cell, Quantity
from tasks.studies.estimates import StudyParams
from tasks.studies.published import STUDY_A, STUDY_B, Published
from tasks.studies.results import Blocks, Results, study_a_blocks

AVAILABLE = study_b_names.AVAILABLE
"""Encoders that need no hub."""
Frames = Callable[[tuple[Cell, ...], Results, Published, StudyParams], tuple[pl.DataFrame, ...]]


@dataclass(frozen=True, slots=True)
class Declarations:
    """What a study declares.

    Attributes
    ----------
    name, label
        In files and columns; for people.
    protocol_of
        By data set, in the order of the report: the protocol of its main table.
    cells
        Every cell of every table, in the order of the report.
    quantities
        Everything that is measured on a data set.
    families
        The families of tests of a data set under a protocol, with the encoders there are.
    blocks
        The questions that count under a protocol.
    tables, frames
        The tables beside the cells, and their rows for one data set.
    pairs_of
        Both sides of a cell question by question; None where the study published no such values.
    repeated
        Tables whose published numbers also stand in another: they are counted there.
    rows
        Names of rows in the order in which tables other than the cells show them.
    cross
        Protocols that only serve the table of both studies' methods.
    """

    name: str
    label: str
    protocol_of: Mapping[str, str]
    cells: Callable[[], tuple[Cell, ...]]
    quantities: Callable[[str], Iterator[Quantity]]
    families: Callable[[str, str, Sequence[str]], tuple[Family, ...]]
    blocks: Blocks
    tables: tuple[Table, ...]
    frames: Frames
    pairs_of: PairsOf | None
    repeated: frozenset[str]
    rows: tuple[str, ...]
    cross: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """Its label at the start of a sentence."""
        return self.label[0].upper() + self.label[1:]


@cache
def declarations(study: str) -> Declarations:
    """Return what a study declares.

    Raises
    ------
    BenchError
        When there is no such study.
    """
    if study not in _STUDIES:
        raise BenchError(f"unknown study {study!r}; expected one of {', '.join(_STUDIES)}")
    return _STUDIES[study]()


def _study_a() -> Declarations:
    return Declarations(
        name=STUDY_A,
        label="study A",
        protocol_of=study_a_names.PROTOCOL_OF,
        cells=study_a.tables,
        quantities=study_a_plan.quantities,
        families=study_a_plan.families,
        blocks=study_a_blocks,
        tables=study_a_tables.TABLES,
        frames=study_a_tables.frames,
        pairs_of=study_a_agreement.pairs_of,
        repeated=frozenset({study_a.MAIN_REGEX}),
        rows=tuple(study_a_streams.main_rows()),
    )


def _study_b() -> Declarations:
    return Declarations(
        name=STUDY_B,
        label="study B",
        protocol_of=study_b_names.PROTOCOL_OF,
        cells=study_b.tables,
        quantities=study_b_plan.quantities,
        families=study_b_plan.families,
        blocks=study_b_names.blocks,
        tables=study_b_tables.TABLES,
        frames=study_b_tables.frames,
        pairs_of=None,
        repeated=frozenset({study_b.SAMPLE}),
        rows=(),
        cross=frozenset({*study_b_names.CROSS_PROTOCOLS.values(), study_b_names.POOLED_SESSIONS}),
    )


_STUDIES: Mapping[str, Callable[[], Declarations]] = {STUDY_A: _study_a, STUDY_B: _study_b}

"""Our side: per-query values, states and streams of one data set, from the reports of a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.corpora.protocols import Protocol, Relevance, parse_protocol
from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.records import BenchError, Block
from tasks.reporting.schemas import (
    BEHAVIOUR,
    QUERIES,
    QUERY_METRICS,
    STREAM_METRICS,
    SUPPRESSION,
    SUPPRESSION_TRACE,
    TIES,
    Table,
    read,
)
from tasks.reporting.warehouse import read_facts

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]
Keys = Mapping[str, Mapping[str, str]]
"""By protocol and variant: the key of the artifact that holds its rankings."""
Blocks = Callable[[Protocol], frozenset[str]]
"""The blocks of questions that a study counts under a protocol."""


def study_a_blocks(protocol: Protocol) -> frozenset[str]:
    """Return the blocks that study A counts: under its own relevance every question, else those of the main block."""
    return frozenset(Block) if protocol.relevance is Relevance.STUDY_A else frozenset({Block.MAIN})


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a report that are looked at, (n,) each, in one order.

    Attributes
    ----------
    query_ids, question_types, blocks
        Their ids, types and blocks.
    scope_ids
        Whose history each searches; "" where all search the same.
    """

    query_ids: tuple[str, ...]
    question_types: NDArray[np.str_]
    blocks: NDArray[np.str_]
    scope_ids: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one report says: the values of its questions by variant and measure.

    Attributes
    ----------
    key
        Name of the report's folder, which is the key of its artifact.
    variants
        Names of the variants in it.
    questions
        The questions that the study counts.
    values
        (n,) by variant and measure; NaN where undefined.
    states, traces, streams, ties
        Tables of the report; of `ties` the rows of the questions that count.
    tables
        Folder of all its tables.
    """

    key: str
    variants: frozenset[str]
    questions: Questions
    values: Mapping[tuple[str, str], Values]
    states: pl.DataFrame
    traces: pl.DataFrame
    streams: pl.DataFrame
    ties: pl.DataFrame
    tables: Path

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Ids of the questions that count."""
        return self.questions.query_ids

    def table(self, name: str) -> pl.DataFrame | None:
        """Return another table of the report; None where it has none of that name, or an empty one."""
        path = self.tables / f"{name}.parquet"
        found = pl.read_parquet(path) if path.is_file() else None
        return found if found is not None and found.height else None


@dataclass(frozen=True, slots=True)
class Results:
    """The reports of one data set by protocol, and the keys of the rankings they judge."""

    dataset: str
    judged: Mapping[str, Judged] = field(default_factory=dict)
    keys: Keys = field(default_factory=dict)

    @classmethod
    def of(
        cls, dataset: str, folders: Sequence[Path], keys: Keys | None = None, blocks: Blocks = study_a_blocks
    ) -> "Results":
        """Read the reports of a data set; `blocks` says which questions count.

        Raises
        ------
        BenchError
            When a report is of another data set, or two are of one protocol.
        """
        judged: dict[str, Judged] = {}
        for folder in folders:
            facts = read_facts(folder)
            if facts["dataset"] != dataset or facts["protocol"] in judged:
                raise BenchError(
                    f"{folder}: a report of {facts['dataset']} under {facts['protocol']}; expected one of {dataset} "
                    f"for each protocol, and there is {', '.join(judged) or 'none'} so far"
                )
            judged[facts["protocol"]] = _judged(folder, facts, blocks)
        return cls(dataset, judged, keys or {})

    def values(self, protocol: str, variant: str, measure: str) -> Values | None:
        """Return the values of a variant's questions; None where the run does not hold them."""
        report = self.judged.get(protocol)
        return None if report is None else report.values.get((variant, measure))

    def state(self, protocol: str, variant: str, measure: str, step: int | None) -> float:
        """Return a measure of the state, summed over scopes; NaN where the run does not hold it.

        Parameters
        ----------
        measure
            `n_entries_above`, `n_documents_above`, or `share_of_documents_above`.
        step
            After so many steps; None, or the last step of the trace, is the end of the stream.
        """
        report = self.judged.get(protocol)
        if report is None:
            return float("nan")
        rows = report.states.filter(pl.col("variant") == variant)
        if step is not None:
            trace = report.traces.filter(pl.col("variant") == variant)
            rows = trace.filter(pl.col("step") == step)
        if not rows.height:
            return float("nan")
        share = float(rows["n_documents_above"].sum()) / max(1, int(rows["n_documents"].sum()))
        return share if measure == "share_of_documents_above" else float(rows[measure].sum())

    def receipts(self, protocol: str, *variants: str | None) -> list[str]:
        """Return the keys of the artifacts that a number about these variants comes from, the report's first.

        None where the run does not hold one of them.
        """
        report, names = self.judged.get(protocol), [name for name in variants if name is not None]
        if report is None or not report.variants.issuperset(names):
            return []
        known = self.keys.get(protocol, {})
        return [report.key, *(known[name] for name in names if name in known)]


def _judged(folder: Path, facts: Mapping[str, Any], blocks: Blocks) -> Judged:
    tables = folder / "tables"
    counted = blocks(parse_protocol(facts["protocol"]))
    asked = read(tables, QUERIES).filter(pl.col("block").is_in(sorted(counted)))
    asked = asked.select("query_id", "question_type", "block", "scope_id").with_row_index("place")
    ties = _optional(tables, TIES)
    has_all = ALL_BLOCKS in set(ties["block"])
    block = ALL_BLOCKS if len(counted) > 1 and has_all else Block.MAIN.value
    values: dict[tuple[str, str], Values] = {}
    for declared in (QUERY_METRICS, BEHAVIOUR):
        values |= _by_variant(read(tables, declared), asked)
    return Judged(
        key=folder.name,
        variants=frozenset(variant for variant, _ in values),
        questions=Questions(
            query_ids=tuple(asked["query_id"]),
            question_types=asked["question_type"].to_numpy().astype(str),
            blocks=asked["block"].to_numpy().astype(str),
            scope_ids=asked["scope_id"].fill_null("").to_numpy().astype(str),
        ),
        values=values,
        states=_optional(tables, SUPPRESSION),
        traces=_optional(tables, SUPPRESSION_TRACE),
        streams=_optional(tables, STREAM_METRICS),
        ties=ties.filter(pl.col("block") == block),
        tables=tables,
    )


def _by_variant(frame: pl.DataFrame, asked: pl.DataFrame) -> dict[tuple[str, str], Values]:
    placed = frame.join(asked.select("query_id", "place"), on="query_id", validate="m:1")
    found = {}
    for (variant, measure), rows in placed.group_by("variant", "measure", maintain_order=True):
        column = np.full(asked.height, np.nan)
        column[rows["place"].to_numpy()] = rows["value"].to_numpy()
        found[str(variant), str(measure)] = column
    return found


def _optional(tables: Path, declared: Table) -> pl.DataFrame:
    """Read a table; one that a report does not have is empty."""
    is_there = (tables / f"{declared.name}.parquet").is_file()
    return read(tables, declared) if is_there else pl.DataFrame(schema=declared.schema)

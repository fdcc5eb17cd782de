"""What is right about the candidates of every query under a protocol, as arrays beside those of `Pools`."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.corpora.protocols import Protocol
from tasks.corpora.question_kinds import KNOWLEDGE_UPDATE
from tasks.corpora.relevance import families, has_a_value, judging
from tasks.corpora.samples import read_asked
from tasks.corpora.tables import Corpus
from tasks.measures.judged import judge

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right about the candidates of `n` queries, row by row of `Pools`.

    Attributes
    ----------
    items
        (n_rows,) int64: number, within its query, of the item that a row counts as; 0 to rows of the query - 1.
    gains
        (n_rows,) int64: gain of that item, 0 where it is not relevant.
    is_family
        (n_rows,) bool: whether the session of the row's document holds a relevant document of the query.
    ideal
        (n, most relevant items of a query) int64: gains of all relevant items, descending, padded with 0.
    has_value
        (n,) bool: whether the measures of a query are defined: it is scored, and something is relevant.
    has_behaviour
        (n,) bool: the same for what the top-1 is; all False where documents have no sessions.
    is_update
        (n,) bool: whether the question asks for knowledge that changed.
    """

    items: Integers
    gains: Integers
    is_family: Booleans
    ideal: Integers
    has_value: Booleans
    has_behaviour: Booleans
    is_update: Booleans


def truth_of(
    candidates: pl.DataFrame,
    corpus: Corpus,
    protocol: Protocol,
    classes_dir: Path | None = None,
    asked_dir: Path | None = None,
) -> Truth:
    """Look up what is relevant among the candidates under a protocol.

    Parameters
    ----------
    candidates
        Columns query_index and document_index, in the order of the rows of `Pools`: by query.
    corpus
        Its tables; texts are not needed.
    protocol
        Decides what a document counts as, and what is relevant.
    classes_dir
        Artifact of the step `classes`; only protocols that collapse twins read it.
    asked_dir
        Artifact with `asked.parquet`: only those queries have values; None for all.
    """
    judged_by = judging(corpus, protocol, classes_dir)
    relevant = judged_by.of_documents()
    is_scored = has_a_value(corpus.queries, protocol) & read_asked(asked_dir, corpus.queries.height)
    sessions = families(corpus, protocol, classes_dir)
    rows = (
        candidates.select("query_index", "document_index")
        .with_columns(item_index=pl.Series(judged_by.item_of)[candidates["document_index"]])
        .join(relevant, on=["query_index", "document_index"], how="left", validate="m:1", maintain_order="left")
        .join(sessions, on="document_index", how="left", validate="m:1", maintain_order="left")
        .join(_relevant_sessions(relevant, sessions), ["query_index", "session_id"], "left", maintain_order="left")
        .with_columns(pl.col("item_index").rank("dense").over("query_index") - 1)
    )
    nothing = pl.DataFrame(
        schema={"query_index": pl.Int32, "rank": pl.Int32, "item_index": pl.Int32, "logit": pl.Float64}
        | {"initial_position": pl.Int32}
    )
    ideal = judge(nothing, judged_by.relevance, corpus.queries.height).ideal
    asks_documents = np.isin(np.arange(corpus.queries.height), relevant["query_index"].to_numpy())
    return Truth(
        items=rows["item_index"].to_numpy().astype(np.int64),
        gains=rows["gain"].fill_null(0).to_numpy().astype(np.int64),
        is_family=rows["is_family"].fill_null(value=False).to_numpy(),
        ideal=ideal,
        has_value=is_scored & (ideal > 0).any(axis=1),
        has_behaviour=is_scored & asks_documents & bool(sessions["session_id"].count()),
        is_update=(corpus.queries["question_type"] == KNOWLEDGE_UPDATE).to_numpy(),
    )


def _relevant_sessions(relevant: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Return query_index, session_id, is_family (True) of the sessions that hold a relevant document."""
    known = relevant.join(sessions, on="document_index", how="inner", validate="m:1")
    return known.select("query_index", "session_id").drop_nulls().unique().with_columns(is_family=True)

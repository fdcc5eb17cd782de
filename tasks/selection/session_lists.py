"""The candidate sets of all questions, read from an artifact `candidates/sessions`, and what is right about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.candidates.ranking import TieOrder, TieRule
from tasks.candidates.rankings import ranked_places, tie_priority
from tasks.corpora.protocols import Protocol
from tasks.corpora.relevance import has_a_value, judging
from tasks.corpora.tables import Corpus
from tasks.measures.judged import Judged, evaluate, fold, judge
from tasks.measures.names import parse
from tasks.records import BenchError

Integers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

SELECTED_BY = "Success@1"
"""What settings are chosen by (protocols.md B.2)."""

_COLUMNS = ("query_index", "document_index", "bm25_score", "dense_score")


@dataclass(frozen=True, slots=True)
class SessionLists:
    """The sessions of every question's scope, with both scores.

    Attributes
    ----------
    queries
        Shape (m,), int64: query_index of the questions that are asked, ascending.
    scope_ids
        The scope of each of them.
    offsets
        Shape (m + 1,), int64: question i has the rows `offsets[i]` to `offsets[i + 1]`.
    documents
        Shape (n,), int64: the document index of each session's best turn.
    bm25, dense
        Shape (n,), float64.
    priority
        Shape (n,), int64: order among equal scores, lower first.
    """

    queries: Integers
    scope_ids: tuple[str, ...]
    offsets: Integers
    documents: Integers
    bm25: Scores
    dense: Scores
    priority: Integers

    @property
    def query_of_row(self) -> Integers:
        """Shape (n,): query_index of each row."""
        return np.repeat(self.queries, np.diff(self.offsets))

    def places(self, scores: Scores) -> Integers:
        """Return (n,) int64: the 0-based rank of each row by these scores, (n,)."""
        return ranked_places(scores, self.offsets, self.priority)


def read_lists(sessions_dir: Path, corpus: Corpus, ties: TieRule, tie_seed: int) -> SessionLists:
    """Read `candidates.parquet` and `pools.parquet` of an artifact `candidates/sessions`.

    Under `earliest` the order among equals is the session's place in the question's scope; under the other rules it is
    that of its best turn (`tasks.candidates.ranking`).

    Raises
    ------
    BenchError
        When a table is absent, a score is missing, a question is ranked without being asked, or the documents are
        those of another corpus.
    """
    rows, pools = (_read(sessions_dir / name) for name in ("candidates.parquet", "pools.parquet"))
    pools = pools.sort("query_index")
    if n_missing := rows.select("bm25_score", "dense_score").null_count().sum_horizontal().item():
        raise BenchError(
            f"{n_missing} scores in {sessions_dir} are missing; expected both scores of every session, as the step "
            "`sessions` of the stage candidates writes them"
        )
    rows = rows.select(_COLUMNS).sort("query_index", "document_index")
    _refuse_foreign(rows, pools, corpus, sessions_dir)
    return make_lists(rows, pools, corpus, ties, tie_seed)


def make_lists(rows: pl.DataFrame, pools: pl.DataFrame, corpus: Corpus, ties: TieRule, tie_seed: int) -> SessionLists:
    """Return the lists of two tables.

    Parameters
    ----------
    rows
        Columns query_index, document_index, bm25_score, dense_score, sorted by query_index.
    pools
        Columns query_index and scope_id, ascending: every question that is asked.
    corpus, ties, tie_seed
        The order among equals, as in `read_lists`.

    Raises
    ------
    BenchError
        When a row is not in its question's scope.
    """
    counts = pools.join(rows.group_by("query_index").len(), on="query_index", how="left", maintain_order="left")["len"]
    return SessionLists(
        queries=pools["query_index"].to_numpy().astype(np.int64),
        scope_ids=tuple(pools["scope_id"].to_list()),
        offsets=np.concatenate([[0], np.cumsum(counts.fill_null(0).to_numpy())]).astype(np.int64),
        documents=rows["document_index"].to_numpy().astype(np.int64),
        bm25=rows["bm25_score"].to_numpy(),
        dense=rows["dense_score"].to_numpy(),
        priority=_priority(rows, pools, corpus, ties, tie_seed),
    )


class SessionTruth:
    """What is right about the candidates of `lists`, under a protocol; the measures are those of the stage measures.

    Parameters
    ----------
    lists
        The candidate sets.
    corpus, protocol, classes_dir
        Whose judgements count (`tasks.corpora.relevance.judging`).

    Attributes
    ----------
    is_defined
        Shape (m,), bool: whether the measures of a question have a value.
    """

    def __init__(self, lists: SessionLists, corpus: Corpus, protocol: Protocol, classes_dir: Path | None) -> None:
        self._lists = lists
        self._n_queries = corpus.queries.height
        judged_by = judging(corpus, protocol, classes_dir)
        self._item_of, self._relevance = judged_by.item_of, judged_by.relevance
        has_value = has_a_value(corpus.queries, protocol)
        has_value[np.setdiff1d(np.arange(corpus.queries.height), self._relevance["query_index"].to_numpy())] = False
        self.is_defined: npt.NDArray[np.bool_] = has_value[lists.queries]

    def judged(self, places: Integers, depth: int | None = None) -> Judged:
        """Return the judged rankings of all queries of the corpus, cut at a depth; `places` are 0-based ranks, (n,)."""
        ranked = pl.DataFrame(
            {
                "query_index": self._lists.query_of_row.astype(np.int32),
                "rank": (places + 1).astype(np.int32),
                "document_index": self._lists.documents.astype(np.int32),
                "initial_position": places.astype(np.int32),
            }
        ).with_columns(logit=pl.lit(None, pl.Float64))
        if depth is not None:
            ranked = ranked.filter(pl.col("rank") <= depth)
        return judge(fold(ranked, self._item_of), self._relevance, self._n_queries)

    def values(self, places: Integers, measures: Sequence[str]) -> Values:
        """Return (measures, m) float64: the value of each measure and question, NaN where it is not defined."""
        return self._values(self.judged(places), measures)

    def hits(self, places: Integers) -> npt.NDArray[np.bool_]:
        """Return (m,) bool: whether `SELECTED_BY` is 1; False where it is not defined."""
        return np.asarray(self._values(self.judged(places, depth=1), [SELECTED_BY])[0] == 1)

    def _values(self, judged: Judged, measures: Sequence[str]) -> Values:
        found = np.stack([evaluate(parse(name), judged)[self._lists.queries] for name in measures])
        return np.where(self.is_defined, found, np.nan)


def _read(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise BenchError(
            f"no table {path.name} in {path.parent}; expected an artifact of the step `sessions` of the stage "
            "candidates"
        )
    return pl.read_parquet(path)


def _refuse_foreign(rows: pl.DataFrame, pools: pl.DataFrame, corpus: Corpus, place: Path) -> None:
    """Refuse rows of questions that are not asked, and indexes that the corpus does not have."""
    n_strange = rows.join(pools, on="query_index", how="anti").height
    for name, frame, size in (
        ("query", pools, corpus.queries.height),
        ("document", rows, corpus.documents.height),
    ):
        n_strange += frame.filter(~pl.col(f"{name}_index").is_between(0, size - 1)).height
    if n_strange:
        raise BenchError(
            f"{n_strange} rows in {place} are of questions or documents that the corpus, or `pools.parquet`, does not "
            "have: the candidates are those of another corpus. Build them anew."
        )


def _priority(rows: pl.DataFrame, pools: pl.DataFrame, corpus: Corpus, ties: TieRule, tie_seed: int) -> Integers:
    """Return the order among equals of each row."""
    documents = corpus.documents
    if ties is not TieRule.EARLIEST:
        order = TieOrder(ties, documents["document_key"].to_list(), documents["document_id"].to_list(), seed=tie_seed)
        priority: Integers = tie_priority(order, documents.height)[rows["document_index"].to_numpy()]
        return priority
    placed = (
        rows.select("query_index", "document_index")
        .join(pools.select("query_index", "scope_id"), on="query_index", validate="m:1", maintain_order="left")
        .join(
            documents.select("document_index", "session_id").cast({"document_index": rows["document_index"].dtype}),
            on="document_index",
            validate="m:1",
            maintain_order="left",
        )
        .join(corpus.scopes, on=["scope_id", "session_id"], how="left", validate="m:1", maintain_order="left")
    )
    if placed.height != rows.height or placed["position"].null_count():
        raise BenchError(
            f"{placed['position'].null_count()} of {rows.height} candidates are in no session of their question's "
            "scope: the candidates are those of another corpus. Build them anew."
        )
    return placed["position"].to_numpy().astype(np.int64)

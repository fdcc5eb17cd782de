"""Build the candidates of every query: the union of its dense and BM25 lists, fused by reciprocal rank.

Where sessions are ranked, a candidate is a session, known by the document index of its best turn: the turn that a
reranker reads.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from tasks.candidates.combination import weighted, z_normalised
from tasks.candidates.fusion import ABSENT, Fused
from tasks.candidates.ranking import TieRule
from tasks.candidates.search import CANDIDATES, Indices, Pool, Search, fuse, write_tables
from tasks.indexes.bm25 import Bm25Scope
from tasks.indexes.dense import Vectors, exact_scores, neighbourhoods, open_vectors
from tasks.progress import Progress, silent
from tasks.records import Params

Scores = npt.NDArray[np.float64]


class CandidateParams(Params):
    """Parameters of the first stage. Study A's suppression runners: rank_origin 0, ties released, filling on.

    Attributes
    ----------
    k
        Depth of each of the two lists.
    rrf_k, rank_origin
        A document of rank r (from `rank_origin`) gets 1 / (rrf_k + r) from each list.
    combine
        `rrf`, or `z`: the two scores, z-normalised over the union of the lists and weighed (protocols.md B.2). Then
        `rrf` is that of a document with the fused rank in both lists: what is subtracted from it means the same.
    bm25_weight
        Weight of BM25 under `z`.
    ties
        The tie rule, for both lists and for the fused one.
    tie_seed
        Key of the `opaque` rule's hash.
    fill_zero_scores
        Whether documents with a BM25 score of 0 may fill a BM25 list that has fewer than k matching ones.
    """

    k: int = Field(default=30, ge=1)
    rrf_k: int = Field(default=60, ge=0)
    rank_origin: int = Field(default=1, ge=0, le=1)
    combine: Literal["rrf", "z"] = "rrf"
    bm25_weight: float = Field(default=0.5, ge=0, le=1)
    ties: TieRule = TieRule.OPAQUE
    tie_seed: int = 0
    fill_zero_scores: bool = False


def build(
    corpus_dir: Path,
    dense_dir: Path,
    bm25_dir: Path,
    protocol: str,
    params: CandidateParams,
    out: Path,
    progress: Progress = silent,
    asked_dir: Path | None = None,
) -> None:
    """Write `candidates.parquet` and `pools.parquet`.

    Parameters
    ----------
    corpus_dir, dense_dir, bm25_dir
        Artifacts of the stages corpora and indexes; the BM25 index must be of the same protocol.
    protocol
        Decides what a query may search.
    params
        Depth, fusion and ties.
    asked_dir
        Artifact with `asked.parquet`: only those queries search; None for all.
    out
        Where the tables are written: columns as in the data dictionary, sorted by (query_index, position). BM25
        scores are null where a document has none of the query's tokens and is not in the list. Memory: the largest
        scope's vectors where a scope is not the whole corpus, and one score per document.

    Raises
    ------
    BenchError
        When the inputs do not belong together.
    """
    search = _ListSearch(Search(corpus_dir, bm25_dir, protocol, asked_dir), dense_dir, params)
    tables, pools = [], []
    for done, (table, pool) in enumerate(search.results(), start=1):
        tables.append(table)
        pools.append(pool)
        progress(done, search.n_asked, "queries")
    write_tables(tables, pools, out)


@dataclass(frozen=True, slots=True)
class _Scope:
    """One scope opened for search.

    `documents` are the document indexes, `vectors` are in that order; `units` numbers the ranked unit of each, and
    `bm25` scores the units.
    """

    scope_id: str
    documents: Indices
    vectors: Vectors
    units: Indices
    bm25: Bm25Scope

    @property
    def ranks_documents(self) -> bool:
        """Whether every document is a unit of its own."""
        return self.bm25.n_documents == len(self.documents)


@dataclass(frozen=True, slots=True)
class _DenseList:
    """The dense list of a query, as units, best first; and for every unit the row of the document it is known by."""

    units: Indices
    row_of: Indices


class _ListSearch:
    """The two lists of every query, and their fusion."""

    def __init__(self, search: Search, dense_dir: Path, params: CandidateParams) -> None:
        self._search, self._params = search, params
        self._document_vectors, self._query_vectors = open_vectors(dense_dir)
        search.refuse_other_sizes(len(self._document_vectors), len(self._query_vectors))
        self._ties = search.ties(params.ties, params.tie_seed)
        self.n_asked = search.n_asked

    def results(self) -> Iterator[tuple[pl.DataFrame, Pool]]:
        """Yield, for each query that is asked, its candidates and its row of `pools`; scope by scope."""
        for number, queries in self._search.asked_scopes():
            scope = self._open(number)
            listed = self._dense_documents if scope.ranks_documents else self._dense_sessions
            for query, dense in zip(queries.tolist(), listed(scope, queries), strict=True):
                yield self._candidates(scope, query, dense)

    def _dense_documents(self, scope: _Scope, queries: Indices) -> Iterator[_DenseList]:
        every = np.arange(len(scope.documents))
        near = neighbourhoods(scope.vectors, np.asarray(self._query_vectors[queries]), self._params.k)
        for rows, scores in near:
            yield _DenseList(rows[self._ties.top(scores, scope.documents[rows], self._params.k)], every)

    def _dense_sessions(self, scope: _Scope, queries: Indices) -> Iterator[_DenseList]:
        """Score a session by its best turn (study B's max-sim), which is the document it is known by."""
        every = np.arange(len(scope.documents))
        starts = np.searchsorted(scope.units, np.arange(scope.bm25.n_documents))
        for query in queries:
            scores = exact_scores(scope.vectors, every, self._query_vectors[query])
            best = np.lexsort((every, -scores, scope.units))[starts]
            yield _DenseList(self._ties.top(scores[best], scope.documents[best], self._params.k), best)

    def _open(self, number: int) -> _Scope:
        documents, units = self._search.members(number)
        is_whole = np.array_equal(documents, np.arange(len(self._document_vectors)))
        vectors = self._document_vectors if is_whole else np.asarray(self._document_vectors[documents])
        scope_id = self._search.scopes.scope_ids[number]
        return _Scope(scope_id, documents, vectors, units, self._search.bm25_scope(number))

    def _candidates(self, scope: _Scope, query: int, dense: _DenseList) -> tuple[pl.DataFrame, Pool]:
        """Fuse the dense list with the BM25 list of the query."""
        scores = scope.bm25.scores(self._search.bm25.queries[query])
        documents = scope.documents[dense.row_of]
        listed = self._bm25_list(documents, scores)
        fused = fuse(self._ties, dense.units, listed, rrf_k=self._params.rrf_k, rank_origin=self._params.rank_origin)
        found = documents[fused.documents]
        dense_scores = exact_scores(scope.vectors, dense.row_of[fused.documents], self._query_vectors[query])
        by_score = self._weighed(scores[fused.documents], dense_scores)
        order = self._ties.top_fused(fused.rrf if by_score is None else by_score, found, len(found))
        if by_score is not None:
            fused = replace(fused, rrf=self._as_if_by_rank(order))
        table = _table(query, found, fused, dense_scores, scores[fused.documents])
        pool = (query, scope.scope_id, len(documents), int(np.count_nonzero(scores > 0)))
        ordered = table[order].with_columns(position=pl.int_range(pl.len(), dtype=pl.Int32))
        return ordered.select(*CANDIDATES), pool

    def _weighed(self, bm25_scores: Scores, dense_scores: Scores) -> Scores | None:
        """Return the weighed scores of the candidates; None where ranks are fused."""
        if self._params.combine == "rrf":
            return None
        whole = np.array([0, len(bm25_scores)])
        return weighted(self._params.bm25_weight, z_normalised(bm25_scores, whole), z_normalised(dense_scores, whole))

    def _as_if_by_rank(self, order: Indices) -> Scores:
        """Return what a candidate at each place of the order would have, were that its rank in both lists."""
        rrf = np.empty(len(order))
        rrf[order] = 2.0 / (self._params.rrf_k + self._params.rank_origin + np.arange(len(order)))
        return rrf

    def _bm25_list(self, documents: Indices, scores: Scores) -> Indices:
        """Return the best units of the scope; those that match nothing only where filling is asked for."""
        listed = self._ties.top_bm25(scores, documents, self._params.k)
        return listed if self._params.fill_zero_scores else listed[scores[listed] > 0]


def _table(query: int, documents: Indices, fused: Fused, dense_scores: Scores, bm25_scores: Scores) -> pl.DataFrame:
    has_bm25 = (fused.second_rank != ABSENT) | (bm25_scores != 0)
    columns = {
        "query_index": np.full(len(fused.documents), query, dtype=np.int32),
        "position": np.zeros(len(fused.documents), dtype=np.int32),
        "document_index": documents,
        "dense_rank": fused.first_rank,
        "bm25_rank": fused.second_rank,
        "dense_score": dense_scores,
        "bm25_score": bm25_scores,
        "rrf": fused.rrf,
    }
    return pl.DataFrame(columns).select(
        pl.col("query_index", "position"),
        pl.col("document_index").cast(pl.Int32),
        pl.col("dense_rank", "bm25_rank").cast(pl.Int32).replace(ABSENT, None),
        "dense_score",
        pl.when(pl.Series(has_bm25)).then("bm25_score").alias("bm25_score"),
        "rrf",
    )

"""Build the scores of every session that a question may find: BM25 of its text, and the pooled scores of its turns.

Study B's candidate set (protocols.md B.2): all sessions of the question's own conversation or haystack, none left out.
A session is known by the document index of its best turn, the turn that a reranker reads.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, field_validator

from tasks.candidates.ranking import DECIMALS, TieOrder, TieRule
from tasks.candidates.search import CANDIDATES, Indices, Pool, Search, fuse, write_tables
from tasks.candidates.turn_scores import Turns, open_turns
from tasks.corpora.protocols import parse_protocol
from tasks.embeddings import pooling
from tasks.indexes.dense import open_vectors
from tasks.progress import Progress, silent
from tasks.records import BenchError, Params

Scores = npt.NDArray[np.float64]


class SessionScoreParams(Params):
    """Parameters of the scores of sessions.

    Attributes
    ----------
    pool
        How the turns of a session become one dense score (`tasks.embeddings.pooling`).
    ties, tie_seed
        The order of equal scores. Under `earliest` (study B) it is the session's place in the scope; under the other
        rules that of its best turn.
    rrf_k, rank_origin
        A session of rank r (from `rank_origin`) gets 1 / (rrf_k + r) from each score.
    """

    pool: str = "max"
    ties: TieRule = TieRule.OPAQUE
    tie_seed: int = 0
    rrf_k: int = Field(default=60, ge=0)
    rank_origin: int = Field(default=1, ge=0, le=1)

    @field_validator("pool")
    @classmethod
    def _is_known(cls, name: str) -> str:
        return pooling.pool_name(name)


def build(
    corpus_dir: Path,
    dense_dir: Path | None,
    bm25_dir: Path,
    protocol: str,
    params: SessionScoreParams,
    out: Path,
    progress: Progress = silent,
    *,
    session_texts_dir: Path | None = None,
    turn_scores_dir: Path | None = None,
    asked_dir: Path | None = None,
) -> None:
    """Write `candidates.parquet` and `pools.parquet`: one row per query and session of its scope.

    Columns and order are those of `tasks.candidates.build`. Here `dense_score` is the pooled score, `bm25_score` that
    of the session's text (0 where no token matches), the two ranks and the RRF are over all sessions of the scope, and
    no value is null. `n_documents` and `n_matching` count sessions.

    Parameters
    ----------
    corpus_dir
        Artifact of the stage corpora.
    dense_dir
        Dense index of turns and queries; None where `turn_scores_dir` takes its place.
    bm25_dir
        BM25 index of the same protocol.
    protocol
        Must rank sessions.
    params
        Pool, ties and fusion.
    out
        Memory: the vectors and a few score matrices (queries x turns, float64) of one scope, and the table.
    session_texts_dir
        For the pool `text`: dense index whose rows are the texts of sessions, in the order of the table `sessions`.
    turn_scores_dir
        Scores of late interaction: `turn_scores.npy`, `offsets.npy`.
    asked_dir
        Artifact with `asked.parquet`: only those queries search; None for all.

    Raises
    ------
    BenchError
        When the protocol does not rank sessions, or the inputs do not belong together or to the pool.
    """
    if not parse_protocol(protocol).ranks_sessions:
        raise BenchError(
            f"protocol {protocol} ranks turns or documents; expected one that ranks sessions (...-session)"
        )
    pool = pooling.Pool.parse(params.pool)
    search = Search(corpus_dir, bm25_dir, protocol, asked_dir)
    turns = open_turns(dense_dir, turn_scores_dir, search)
    texts = _open_texts(session_texts_dir, search) if pool.kind == "text" else None
    scoring = _Scoring(search, params, pool, turns, texts)
    tables, pools, done = [], [], 0
    for table, rows in scoring.results():
        tables.append(table)
        pools += rows
        done += len(rows)
        progress(done, search.n_asked, "queries")
    write_tables(tables, pools, out)


@dataclass(frozen=True, slots=True)
class _SessionTexts:
    """The vectors of the texts of all sessions and of the queries; `session_of` is (n_documents,) int64."""

    sessions: pooling.Vectors
    queries: pooling.Vectors
    session_of: Indices

    def cosines(self, queries: Indices, first_turns: Indices) -> Scores:
        """Return the scores of the sessions that these turns are the first of, (n_queries, n_sessions)."""
        return pooling.cosines_of(self.queries[queries], self.sessions[self.session_of[first_turns]])


def _open_texts(directory: Path | None, search: Search) -> _SessionTexts:
    if directory is None:
        raise BenchError("pool text: no dense index of session texts came; expected one vector per session")
    corpus = search.corpus
    sessions, queries = open_vectors(directory)
    found, expected = (len(sessions), len(queries)), (corpus.sessions.height, corpus.queries.height)
    if found != expected:
        raise BenchError(f"the index of session texts holds {found} sessions and queries; expected {expected}")
    numbers = corpus.sessions.select("session_id").with_row_index("session")
    joined = corpus.documents.select("session_id").join(numbers, on="session_id", how="left", maintain_order="left")
    return _SessionTexts(sessions, queries, joined["session"].fill_null(0).to_numpy().astype(np.int64))


@dataclass(frozen=True, slots=True)
class _Scored:
    """Both scores of the sessions of a scope, (n_queries, n_sessions), and the document index of each best turn."""

    dense: Scores
    bm25: Scores
    best_turns: Indices


class _Scoring:
    """The scores and orders of one scope after the other."""

    def __init__(
        self,
        search: Search,
        params: SessionScoreParams,
        pool: pooling.Pool,
        turns: Turns,
        texts: _SessionTexts | None,
    ) -> None:
        self._search, self._params, self._pool, self._turns, self._texts = search, params, pool, turns, texts
        self._is_by_place = params.ties is TieRule.EARLIEST
        places = [""] * max(search.scopes.n_units, default=0)
        self._ties = (
            TieOrder(params.ties, places, places) if self._is_by_place else search.ties(params.ties, params.tie_seed)
        )

    def results(self) -> Iterator[tuple[pl.DataFrame, list[Pool]]]:
        """Yield the table and the rows of `pools` of the queries of each scope."""
        for number, queries in self._search.asked_scopes():
            scored = self._scored(number, queries)
            n_matching = np.count_nonzero(scored.bm25 > 0, axis=1).tolist()
            scope_id, n_sessions = self._search.scopes.scope_ids[number], scored.bm25.shape[1]
            pools = [(query, scope_id, n_sessions, n) for query, n in zip(queries.tolist(), n_matching, strict=True)]
            yield self._table(queries, scored), pools

    def _scored(self, number: int, queries: Indices) -> _Scored:
        documents, units = self._search.members(number)
        cosines, starts = self._turns.cosines(queries, documents), pooling.session_starts(units)
        if self._texts is not None:
            dense = self._pool.scores(self._texts.cosines(queries, documents[starts]), np.arange(len(starts)))
        else:
            vectors = self._turns.vectors(documents) if self._pool.needs_vectors else None
            dense = self._pool.scores(cosines, units, vectors)
        if not (np.isfinite(cosines).all() and np.isfinite(dense).all()):
            raise BenchError(f"dense scores of scope {number} are not finite; expected numbers: embed the texts anew")
        index, tokens = self._search.bm25_scope(number), self._search.bm25.queries
        bm25 = np.stack([index.scores(tokens[query]) for query in queries.tolist()])
        return _Scored(dense, bm25, documents[_best_turns(cosines, units, starts)])

    def _table(self, queries: Indices, scored: _Scored) -> pl.DataFrame:
        rows = [self._ranked(*of) for of in zip(scored.dense, scored.bm25, scored.best_turns, strict=True)]
        dense_rank, bm25_rank, rrf, position = (np.concatenate(part) for part in zip(*rows, strict=True))
        columns = {
            "query_index": np.repeat(queries, scored.bm25.shape[1]),
            "position": position,
            "document_index": scored.best_turns.ravel(),
            "dense_rank": dense_rank,
            "bm25_rank": bm25_rank,
            "dense_score": scored.dense.ravel(),
            "bm25_score": scored.bm25.ravel(),
            "rrf": rrf,
        }
        return pl.DataFrame(columns).select(pl.col(name).cast(dtype) for name, dtype in CANDIDATES.items())

    def _ranked(self, dense: Scores, bm25: Scores, best_turns: Indices) -> tuple[Indices, Indices, Scores, Indices]:
        """Return, for each session of one query, its ranks by either score, its RRF, and its rank by that."""
        n_sessions = len(dense)
        of = np.arange(n_sessions) if self._is_by_place else best_turns
        by_dense, by_bm25 = self._ties.top(dense, of, n_sessions), self._ties.top_bm25(bm25, of, n_sessions)
        fused = fuse(self._ties, by_dense, by_bm25, rrf_k=self._params.rrf_k, rank_origin=self._params.rank_origin)
        by_rrf = fused.documents[self._ties.top_fused(fused.rrf, of[fused.documents], n_sessions)]
        rrf = np.empty(n_sessions)
        rrf[fused.documents] = fused.rrf
        return (
            np.argsort(by_dense),
            np.argsort(by_bm25),
            rrf,
            np.argsort(by_rrf),
        )  # a permutation's argsort: its inverse


def _best_turns(cosines: Scores, units: Indices, starts: Indices) -> Indices:
    """Return the place of the best turn of each session, (n_queries, n_sessions); of equal ones the earliest."""
    rounded = cosines.round(DECIMALS)
    is_best = rounded == np.maximum.reduceat(rounded, starts, axis=1)[:, units]
    places = np.where(is_best, np.arange(len(units)), len(units))
    return np.asarray(np.minimum.reduceat(places, starts, axis=1))

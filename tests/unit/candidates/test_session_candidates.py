"""Candidates where sessions are ranked: a session is known by its best turn."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.candidates.build import CandidateParams, build
from tasks.candidates.ranking import TieRule
from tasks.corpora.tables import CorpusWriter
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Params
from tasks.records import Document, Query, ScopeMember, Session

PARAMS = CandidateParams(k=2, ties=TieRule.EARLIEST)
TOKENS = [[1], [2], [7, 7], [7], [1]]
VECTORS = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, 0.8]], dtype=np.float32)


@pytest.fixture
def found(tmp_path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Sessions a (turns 0, 1), b (turn 2) and c (turns 3, 4); the question is (1, 0), token 7."""
    corpus, dense, tokens, bm25, out = (tmp_path / name for name in ("corpus", "dense", "tokens", "bm25", "out"))
    for folder in (corpus, dense, tokens, bm25, out):
        folder.mkdir()
    with CorpusWriter(corpus, "tiny") as writer:
        for position, (session_id, n_turns) in enumerate({"a": 2, "b": 1, "c": 2}.items()):
            writer.add_session(Session(session_id, position, n_turns))
            writer.add_scope_member(ScopeMember("talk", session_id, position))
            for turn in range(n_turns):
                writer.add_document(Document(f"{session_id}{turn}", "x", session_id, turn, "user"))
        writer.add_query(Query("q", "?", "t", scope_id="talk"))
    np.save(dense / "document_vectors.npy", VECTORS)
    np.save(dense / "query_vectors.npy", np.array([[1.0, 0.0]], dtype=np.float32))
    lists = pl.List(pl.UInt32)
    pl.DataFrame({"document_index": range(5), "tokens": pl.Series(TOKENS, dtype=lists)}).write_parquet(
        tokens / "document_tokens.parquet"
    )
    pl.DataFrame({"query_index": [0], "tokens": pl.Series([[7]], dtype=lists)}).write_parquet(
        tokens / "query_tokens.parquet"
    )
    build_bm25.build(tokens, corpus, "conversation-session", Bm25Params(), bm25)
    build(corpus, dense, bm25, "conversation-session", PARAMS, out)
    return pl.read_parquet(out / "candidates.parquet"), pl.read_parquet(out / "pools.parquet")


def test_sessions_against_hand_computed(found: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """Dense by the best turn: a 1.0 (turn 1), c 0.8 (turn 3), b 0. BM25 over joined turns: b (7 twice), c; a none."""
    candidates, pools = found
    assert pools.rows() == [(0, "talk", 3, 2)]
    rows = candidates.select("document_index", "dense_rank", "bm25_rank", "dense_score").rows()
    assert rows == [
        (3, 1, 1, pytest.approx(0.8, abs=1e-6)),
        (1, 0, None, pytest.approx(1.0)),
        (2, None, 0, pytest.approx(0.0)),
    ]


def test_bm25_of_a_session_is_that_of_its_joined_turns(found: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """N = 3 sessions of two tokens each, df 2: ln(1 + 1.5/2.5), and the length norm is k1; b has tf 2, c tf 1."""
    idf, norm = np.log(1 + 1.5 / 2.5), 1.5
    scores = dict(found[0].select("document_index", "bm25_score").iter_rows())
    assert scores == {2: pytest.approx(idf * 2 / (2 + norm)), 3: pytest.approx(idf / (1 + norm)), 1: None}

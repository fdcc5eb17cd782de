"""Scopes and relevance of each protocol on a hand-written corpus."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.relevance import ProtocolName, relevance, relevant_sessions, scope_documents
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.records import BenchError, Document, Judgement, Query, ScopeMember, Session


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Two scopes that share session b and list it at different places; c has no turn."""
    with CorpusWriter(tmp_path, "tiny") as writer:
        for position, (session_id, n_turns) in enumerate([("a", 2), ("b", 3), ("c", 0)]):
            writer.add_session(Session(session_id, position, n_turns))
            writer.add_documents(Document(f"{session_id}{i}", "x", session_id, i) for i in range(n_turns))
        for scope_id, sessions in (("y", "ba"), ("x", "bc"), ("void", "c")):
            for position, session_id in enumerate(sessions):
                writer.add_scope_member(ScopeMember(scope_id, session_id, position))
        for query_id, scope_id in (("q0", "x"), ("q1", "y"), ("q2", "void"), ("q3", "x")):
            writer.add_query(Query(query_id, "?", "t", scope_id=scope_id))
        for query_id, document_id, gain in (("q1", "b2", 1), ("q1", "a0", 2), ("q0", "b0", 1)):
            writer.add_turn_judgement(Judgement(query_id, document_id, gain))
        writer.add_session_judgement(Judgement("q1", "b", 1))
        writer.add_session_judgement(Judgement("q1", "a", 1))
    return Corpus.read(tmp_path)


def test_pooled_scope_is_everything(corpus: Corpus) -> None:
    scopes = scope_documents(corpus, ProtocolName.POOLED_TURN)
    assert scopes.scope_ids == ("pool",)
    assert scopes.documents[0].tolist() == [0, 1, 2, 3, 4]
    assert scopes.query_scope.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("protocol", [name for name in ProtocolName if not name.is_pooled])
def test_scopes_against_hand_computed(corpus: Corpus, protocol: ProtocolName) -> None:
    scopes = scope_documents(corpus, protocol)
    assert scopes.scope_ids == ("y", "x", "void")
    assert [ids.tolist() for ids in scopes.documents] == [[2, 3, 4, 0, 1], [2, 3, 4], []]
    assert scopes.query_scope.tolist() == [1, 0, 2, 1]
    assert {ids.dtype for ids in scopes.documents} == {np.dtype(np.int32)}


def test_relevance_against_hand_computed(corpus: Corpus) -> None:
    found = relevance(corpus, ProtocolName.CONVERSATION_TURN)
    assert found.rows() == [(0, 2, 1), (1, 0, 2), (1, 4, 1)]
    assert set(found.schema.values()) == {pl.Int32()}
    assert relevant_sessions(corpus).rows() == [(1, "a", 1), (1, "b", 1)]


def test_session_protocol_has_no_document_gains(corpus: Corpus) -> None:
    with pytest.raises(BenchError, match="haystack-session ranks sessions"):
        relevance(corpus, ProtocolName.HAYSTACK_SESSION)


def test_query_without_scope_is_refused(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, "flat") as writer:
        writer.add_document(Document("d", "x"))
        writer.add_query(Query("q", "?", "t"))
    flat = Corpus.read(tmp_path)
    assert scope_documents(flat, ProtocolName.POOLED_DOCUMENT).documents[0].tolist() == [0]
    with pytest.raises(BenchError, match="1 of 1 queries of flat have no conversation"):
        scope_documents(flat, ProtocolName.CONVERSATION_TURN)

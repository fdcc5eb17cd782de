"""Scopes and relevance of each protocol on a hand-written corpus."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.protocols import Level, Protocol, ProtocolName, Relevance, Twins, parse_protocol
from tasks.corpora.relevance import families, has_a_value, judging, reachable, relevant_sessions
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.records import BenchError, Block, Document, Judgement, Query, ScopeMember, Session


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
    scopes = scope_documents(corpus, Protocol(ProtocolName.POOLED_TURN))
    assert scopes.scope_ids == ("pool",)
    assert scopes.documents[0].tolist() == [0, 1, 2, 3, 4]
    assert scopes.query_scope.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["conversation-turn", "conversation-session", "haystack-turn", "haystack-session"])
def test_scopes_against_hand_computed(corpus: Corpus, name: str) -> None:
    protocol = parse_protocol(name)
    scopes = scope_documents(corpus, protocol)
    assert scopes.scope_ids == ("y", "x", "void")
    assert [ids.tolist() for ids in scopes.documents] == [[2, 3, 4, 0, 1], [2, 3, 4], []]
    assert scopes.query_scope.tolist() == [1, 0, 2, 1]
    assert {ids.dtype for ids in (*scopes.documents, *scopes.units)} == {np.dtype(np.int32)}
    units = [[0, 0, 0, 1, 1], [0, 0, 0], []] if protocol.ranks_sessions else [[0, 1, 2, 3, 4], [0, 1, 2], []]
    assert [found.tolist() for found in scopes.units] == units
    assert scopes.n_units == [found[-1] + 1 if found else 0 for found in units]


def test_relevance_against_hand_computed(corpus: Corpus) -> None:
    found = judging(corpus, parse_protocol("conversation-turn"))
    assert found.item_of.tolist() == [0, 1, 2, 3, 4]
    assert found.relevance.rows() == [(0, 2, 1), (1, 0, 2), (1, 4, 1)]
    assert set(found.relevance.schema.values()) == {pl.Int32()}
    assert relevant_sessions(corpus).rows() == [(1, "a", 1), (1, "b", 1)]


@pytest.mark.parametrize("name", ["conversation-session", "conversation-turn(level=session)"])
def test_sessions_are_judged_by_their_own_judgements(corpus: Corpus, name: str) -> None:
    found = judging(corpus, parse_protocol(name))
    assert found.item_of.tolist() == [0, 0, 1, 1, 1]
    assert found.relevance.rows() == [(1, 0, 1), (1, 1, 1)]
    assert found.of_documents().rows() == [(1, index, 1) for index in range(5)]
    assert families(corpus, parse_protocol(name))["session_id"].null_count() == 5


def test_study_a_takes_every_turn_of_the_gold_sessions_where_no_turn_is_evidence(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, "tiny") as writer:
        writer.add_session(Session("answer_a", 0, 2))
        writer.add_documents(Document(f"answer_a_t{i}", "x", "answer_a", i) for i in range(2))
        for query_id, block in (("q0", Block.MAIN), ("q1_abs", Block.ABSTENTION)):
            writer.add_query(Query(query_id, "?", "t", block))
            writer.add_session_judgement(Judgement(query_id, "answer_a", 1))
        writer.add_turn_judgement(Judgement("q0", "answer_a_t1", 1))
    tiny = Corpus.read(tmp_path)
    ours, theirs = (parse_protocol(name) for name in ("pooled-turn", "pooled-turn(relevance=study-a)"))
    assert judging(tiny, ours).relevance.rows() == [(0, 1, 1)]
    assert judging(tiny, theirs).relevance.rows() == [(0, 1, 1), (1, 0, 1), (1, 1, 1)]
    assert has_a_value(tiny.queries, ours).tolist() == [True, False]
    assert has_a_value(tiny.queries, theirs).tolist() == [True, True]


@pytest.fixture
def haystack(tmp_path: Path) -> Corpus:
    """One haystack: gold session a with evidence of user and assistant, gold session b of the assistant alone."""
    with CorpusWriter(tmp_path, "tiny") as writer:
        for position, session_id in enumerate("abc"):
            writer.add_session(Session(session_id, position, 2))
            writer.add_scope_member(ScopeMember("q", session_id, position))
            for turn, speaker in enumerate(("user", "assistant")):
                writer.add_document(Document(f"{session_id}{turn}", "x", session_id, turn, speaker))
        writer.add_query(Query("q", "?", "t", scope_id="q"))
        for document_id in ("a0", "a1", "b1"):
            writer.add_turn_judgement(Judgement("q", document_id, 1))
        for session_id in "ab":
            writer.add_session_judgement(Judgement("q", session_id, 1))
    return Corpus.read(tmp_path)


def test_role_policy_leaves_assistant_turns_out_and_counts_what_is_out_of_reach(haystack: Corpus) -> None:
    user = parse_protocol("haystack-turn(roles=user)")
    assert scope_documents(haystack, user).documents[0].tolist() == [0, 2, 4]
    assert reachable(haystack, user, judging(haystack, user)).rows() == [(0, 3, 1)]
    every = parse_protocol("haystack-turn")
    assert reachable(haystack, every, judging(haystack, every)).rows() == [(0, 3, 3)]


def test_official_gold_against_part_c(haystack: Corpus) -> None:
    """A gold session whose user turns hold no evidence is renamed `noans_`; only user turns are a corpus."""
    by_turn, by_session = (parse_protocol(f"longmemeval-official-{unit}") for unit in ("turn", "session"))
    assert judging(haystack, by_turn).relevance.rows() == [(0, 0, 1)]
    assert judging(haystack, by_session).relevance.rows() == [(0, 0, 1)]
    assert scope_documents(haystack, by_session).documents[0].tolist() == [0, 2, 4]
    assert scope_documents(haystack, by_session).units[0].tolist() == [0, 1, 2]


def test_role_policy_needs_users(corpus: Corpus) -> None:
    with pytest.raises(BenchError, match="indexes the turns of the speaker 'user'; tiny has none"):
        scope_documents(corpus, parse_protocol("conversation-turn(roles=user)"))


def test_collapsed_twins_are_one_item_with_the_largest_gain(corpus: Corpus, tmp_path: Path) -> None:
    """Documents a0 and b2 (relevant with 2 and 1 to q1) are equal, and so are the sessions a and c."""
    pl.DataFrame({"document_index": range(5), "class_index": [0, 1, 2, 3, 0]}).write_parquet(
        tmp_path / "classes.parquet"
    )
    pl.DataFrame({"session_id": ["a", "b", "c"], "class_index": [0, 1, 0]}).write_parquet(
        tmp_path / "session_classes.parquet"
    )
    found = judging(corpus, Protocol(ProtocolName.POOLED_TURN, twins=Twins.COLLAPSED), tmp_path)
    assert found.item_of.tolist() == [0, 1, 2, 3, 0]
    assert found.relevance.rows() == [(0, 2, 1), (1, 0, 2)]
    assert found.of_documents().rows() == [(0, 2, 1), (1, 0, 2), (1, 4, 2)]
    by_family = families(corpus, Protocol(ProtocolName.POOLED_TURN, twins=Twins.COLLAPSED), tmp_path)
    assert by_family["session_id"].to_list() == ["0", "0", "1", "1", "1"]


def test_collapsing_without_classes_is_refused(corpus: Corpus) -> None:
    with pytest.raises(BenchError, match="needs the classes of equal texts"):
        judging(corpus, parse_protocol("pooled-turn(twins=collapsed)"))


@pytest.mark.parametrize(
    "text",
    [
        "pooled-turn",
        "pooled-turn(relevance=study-a)",
        "pooled-turn(twins=collapsed)",
        "haystack-turn(roles=user,level=session)",
        "longmemeval-official-turn(level=session)",
        "conversation-turn(qrels=patched)",
    ],
)
def test_a_protocol_parses_back_from_its_string(text: str) -> None:
    assert str(parse_protocol(text)) == text
    assert parse_protocol(str(parse_protocol(text))) == parse_protocol(text)


def test_protocols_with_the_same_search_share_their_rankings() -> None:
    judged = [parse_protocol(f"pooled-turn({option})") for option in ("twins=collapsed", "level=session", "")]
    assert {str(protocol.search) for protocol in judged} == {"pooled-turn"}
    assert parse_protocol("haystack-turn(roles=user)").search != parse_protocol("haystack-turn").search
    assert parse_protocol("haystack-session").level is Level.SESSION
    assert parse_protocol("pooled-turn").relevance is Relevance.EVIDENCE


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pooled", "unknown protocol 'pooled'; expected one of: pooled-document"),
        ("pooled-turn(twins=merged)", "parameter 'twins=merged'; expected, each once, roles=all|user"),
        ("pooled-turn(sample=-1)", "parameter 'sample=-1'; expected"),
        ("pooled-turn(dedup=1.5)", "expected a cosine above 0 and at most 1"),
        ("haystack-turn(dedup=0.9)", "often outside a question's own history; pooled only"),
        ("pooled-turn(dedup=0.9,qrels=patched)", "an overlay names documents that dedup may remove"),
        ("pooled-turn(sample=5,sample=6)", "parameter 'sample=6'; expected, each once"),
        ("pooled-document(roles=user)", "documents have no roles"),
        ("haystack-session(relevance=study-a)", "a rule for turns"),
    ],
)
def test_wrong_protocols_are_refused_in_words(text: str, fault: str) -> None:
    with pytest.raises(BenchError, match=re.escape(fault)):
        parse_protocol(text)


def test_query_without_scope_is_refused(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, "flat") as writer:
        writer.add_document(Document("d", "x"))
        writer.add_query(Query("q", "?", "t"))
    flat = Corpus.read(tmp_path)
    assert scope_documents(flat, Protocol(ProtocolName.POOLED_DOCUMENT)).documents[0].tolist() == [0]
    with pytest.raises(BenchError, match="1 of 1 queries of flat have no conversation"):
        scope_documents(flat, Protocol(ProtocolName.CONVERSATION_TURN))

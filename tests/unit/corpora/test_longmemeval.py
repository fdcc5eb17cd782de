"""LongMemEval-S: rows M1-M4, M6, M8, M10, M14, M16 on a hand-written file, and the counts of the mirror's copy."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import judging
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.records import BenchError


def _bytes(records: Any) -> bytes:
    return json.dumps(records).encode()


def _ledger(corpus: Corpus) -> list[tuple[str, str, str]]:
    return sorted(corpus.defects.select("record_id", "kind", "policy").rows())


@pytest.fixture
def corpus(build_bytes: Any, longmemeval_records: Any) -> Corpus:
    built: Corpus = build_bytes("longmemeval-s", _bytes(longmemeval_records))
    return built


def test_documents_against_hand_written(corpus: Corpus) -> None:
    assert corpus.documents["document_id"].to_list() == [
        f"{session}_t{turn}"
        for session in ("filler_a", "answer_1", "filler_b", "answer_2", "answer_3")
        for turn in (0, 1)
    ]
    row = corpus.documents.row(2, named=True)
    assert (row["session_id"], row["turn_index"], row["speaker"]) == ("answer_1", 0, "user")
    assert row["text"] == "I adopted a grey whippet."
    assert "answer" not in row["document_key"]
    assert corpus.documents.filter("is_empty")["document_id"].to_list() == ["filler_b_t1"]


def test_haystacks_against_hand_written(corpus: Corpus) -> None:
    assert corpus.scopes.rows() == [
        ("q1", "filler_a", 0),
        ("q1", "answer_1", 1),
        ("q1", "filler_b", 2),
        ("q1", "answer_2", 3),
        ("q2", "filler_b", 0),
        ("q2", "answer_3", 1),
        ("q3_abs", "filler_a", 0),
        ("q3_abs", "answer_2", 1),
    ]
    scopes = scope_documents(corpus, parse_protocol("haystack-turn"))
    assert scopes.scope_ids == ("q1", "q2", "q3_abs")
    assert [ids.tolist() for ids in scopes.documents] == [[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 8, 9], [0, 1, 6, 7]]


def test_two_levels_of_relevance_against_hand_written(corpus: Corpus) -> None:
    assert corpus.judgements_turn.rows() == [("q1", "answer_1_t0", 1), ("q2", "answer_3_t1", 1)]
    assert corpus.judgements_session.rows() == [
        ("q1", "answer_1", 1),
        ("q1", "answer_2", 1),
        ("q2", "answer_3", 1),
        ("q3_abs", "answer_2", 1),
    ]
    assert judging(corpus, parse_protocol("pooled-turn")).relevance.rows() == [(0, 2, 1), (1, 9, 1)]


def test_queries_against_hand_written(corpus: Corpus) -> None:
    rows = corpus.queries.select("query_id", "block", "scope_id", "answer").rows()
    assert rows == [
        ("q1", "main", "q1", "a whippet"),
        ("q2", "main", "q2", "1"),
        ("q3_abs", "abstention", "q3_abs", "not mentioned"),
    ]
    assert corpus.queries["date"].dt.to_string().to_list() == ["2023-05-30 23:40:00.000000"] * 3
    assert corpus.facts["note"] == "3 of 500 questions"


def test_ledger_against_hand_written(corpus: Corpus) -> None:
    assert _ledger(corpus) == [
        ("filler_b_t1", "empty_text", "kept"),
        ("haystack_dates", "session_redated", "first_date_kept"),
        ("q1", "gold_session_without_evidence_turn", "gold_at_session_level_only"),
        ("q2", "answer_is_a_number", "kept_as_text"),
        ("q2", "evidence_in_assistant_turns_only", "kept"),
        ("q2", "session_listed_twice", "first_kept"),
        ("q3_abs", "abstention_question", "own_block"),
        ("q3_abs", "gold_session_without_evidence_turn", "gold_at_session_level_only"),
        ("q3_abs", "no_evidence_turn", "excluded_at_turn_level"),
    ]
    redated = corpus.defects.filter(pl.col("kind") == "session_redated")["detail"].to_list()
    assert redated == ["2 sessions have another date in a later haystack, 2 times"]


def test_first_content_of_a_session_wins_and_is_listed(build_bytes: Any, longmemeval_records: Any) -> None:
    longmemeval_records[1]["haystack_sessions"][0][0]["content"] = "go on"
    built = build_bytes("longmemeval-s", _bytes(longmemeval_records))
    assert ("q2", "session_content_differs", "first_kept") in _ledger(built)
    assert built.documents.filter(pl.col("document_id") == "filler_b_t0")["text"].to_list() == ["continue"]


def test_gold_session_outside_the_haystack_is_dropped_and_listed(build_bytes: Any, longmemeval_records: Any) -> None:
    longmemeval_records[0]["answer_session_ids"] = ["answer_9", "filler_a"]
    ledger = _ledger(build_bytes("longmemeval-s", _bytes(longmemeval_records)))
    assert ("q1", "gold_session_absent", "dropped") in ledger
    assert ("q1", "evidence_outside_gold_sessions", "gold_at_turn_level") in ledger


def test_oracle_file_is_refused(build_bytes: Any, longmemeval_records: Any) -> None:
    oracle = longmemeval_records[1:2]
    keep = [1]
    for name in ("haystack_dates", "haystack_session_ids", "haystack_sessions"):
        oracle[0][name] = [oracle[0][name][index] for index in keep]
    with pytest.raises(BenchError, match="this is the oracle file, where recall is 1"):
        build_bytes("longmemeval-s", _bytes(oracle))


@pytest.mark.parametrize(
    "pack", [gzip.compress, zstandard.ZstdCompressor().compress, lambda data: b"\xef\xbb\xbf\n" + data]
)
def test_compression_and_bom_change_nothing(
    build_bytes: Any, longmemeval_records: Any, corpus: Corpus, pack: Any
) -> None:
    assert build_bytes("longmemeval-s", pack(_bytes(longmemeval_records))).documents.equals(corpus.documents)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_file_cut_at_any_place_is_refused(build_bytes: Any, longmemeval_records: Any, pack: Any) -> None:
    content = pack(_bytes(longmemeval_records))
    for length in range(0, len(content) - 1, max(1, len(content) // 40)):
        with pytest.raises(BenchError, match=r"longmemeval-s\.raw"):
            build_bytes("longmemeval-s", content[:length])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("question_id", 5, r"question 1\.question_id: 5 \(int\) came"),
        ("question_id", "q1", "query id 'q1' comes twice"),
        ("question_date", "2023/05/30 (Mon) 23:40", r"question 1 \('q2'\): question_date: .* right weekday"),
        ("haystack_dates", ["2023/05/21 (Sun) 03:24"], r"question 1 \('q2'\): lists of different lengths came"),
        ("haystack_dates", ["yesterday"] * 3, r"haystack_dates\[0\]: 'yesterday' came"),
        (
            "haystack_sessions",
            [[{"role": "user"}], [], []],
            r"haystack_sessions\[0\]\[0\]\.content: the key is missing",
        ),
        ("haystack_sessions", [[{"role": "tool", "content": ""}], [], []], r"\[0\]\[0\]\.role: 'tool'"),
        ("answer_session_ids", None, r"answer_session_ids: None"),
    ],
)
def test_fault_names_file_record_and_field(
    build_bytes: Any, longmemeval_records: Any, field: str, value: Any, message: str
) -> None:
    longmemeval_records[1][field] = value
    with pytest.raises(BenchError, match=message) as caught:
        build_bytes("longmemeval-s", _bytes(longmemeval_records))
    assert str(caught.value).startswith("longmemeval-s.raw: ")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"[1]", b"[null]", b"[" * 100_000, b"[{}] x", b"\x00"])
def test_other_shapes_are_refused(build_bytes: Any, content: bytes) -> None:
    with pytest.raises(BenchError, match=r"longmemeval-s\.raw"):
        build_bytes("longmemeval-s", content)


def test_no_mutation_gives_anything_but_bench_error(build_bytes: Any, longmemeval_records: Any, mutations: Any) -> None:
    outcomes = {"read": 0, "refused": 0}
    for _, mutated in mutations(longmemeval_records[:1]):
        try:
            build_bytes("longmemeval-s", _bytes(mutated))
            outcomes["read"] += 1
        except BenchError as error:
            assert str(error).startswith("longmemeval-s.raw: ")
            outcomes["refused"] += 1
    assert outcomes["read"] > 10
    assert outcomes["refused"] > 100


# --- the mirror's copy ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(build_bytes: Any, mirror: Path) -> Corpus:
    path = mirror / "longmemeval-s" / "longmemeval_s_cleaned.json.zst"
    if not path.is_file():
        pytest.skip(f"the mirror has no LongMemEval-S: looked for {path}")
    corpus: Corpus = build_bytes("longmemeval-s", path)
    return corpus


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@pytest.mark.slow
def test_copy_counts(copy: Corpus) -> None:
    assert (copy.documents.height, copy.sessions.height, copy.queries.height) == (199_240, 19_167, 499)
    assert copy.scopes.height == 23_793
    assert (copy.judgements_turn.height, copy.judgements_session.height) == (894, 946)
    assert copy.judgements_turn["query_id"].n_unique() == 478
    assert dict(copy.queries.group_by("question_type").len().iter_rows()) == {
        "multi-session": 133,
        "temporal-reasoning": 132,
        "knowledge-update": 78,
        "single-session-user": 70,
        "single-session-assistant": 56,
        "single-session-preference": 30,
    }
    assert dict(copy.defects.group_by("kind").len().iter_rows()) == {
        "abstention_question": 30,
        "answer_is_a_number": 32,
        "empty_text": 10,
        "evidence_in_assistant_turns_only": 51,
        "gold_session_without_evidence_turn": 94,
        "no_evidence_turn": 21,
        "session_listed_twice": 13,
        "session_redated": 1,
    }
    assert copy.facts["note"] == "499 of 500 questions"


@pytest.mark.slow
def test_copy_records_0_9_and_last(copy: Corpus) -> None:
    documents = copy.documents[[0, 9, 199_239]].select("document_id", "text")
    assert [(name, _seal(text)) for name, text in documents.rows()] == [
        ("sharegpt_yywfIrx_0_t0", "69795b9e"),
        ("85a1be56_1_t7", "ecfac1cd"),
        ("sharegpt_WXCvFir_11_t12", "f64a02d5"),
    ]
    queries = copy.queries[[0, 9, 498]].select("query_id", "question_type", "text")
    assert [(name, kind, _seal(text)) for name, kind, text in queries.rows()] == [
        ("e47becba", "single-session-user", "2ca9a0d5"),
        ("f8c5f88b", "single-session-user", "c34d2960"),
        ("778164c6", "single-session-assistant", "4e969c33"),
    ]


@pytest.mark.slow
def test_copy_relevance_against_study_a(copy: Corpus, mirror: Path) -> None:
    path = mirror.parent / "fixtures" / "rif_relevance.json"
    if not path.is_file():
        pytest.skip(f"study A's relevance is absent: looked for {path}")
    published = json.loads(path.read_text(encoding="utf-8"))
    ours = copy.judgements_turn.group_by("query_id").agg("document_id")
    compared = {query_id: sorted(ids) for query_id, ids in ours.iter_rows()}
    assert len(compared) == 478
    assert compared == {query_id: sorted(published[query_id]) for query_id in compared}

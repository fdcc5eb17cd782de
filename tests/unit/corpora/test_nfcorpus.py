"""NFCorpus: hand-written archives with every fault, and the counts of the official one."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.corpora.tables import Corpus
from tasks.records import BenchError

CORPUS, QUERIES, QRELS = "nfcorpus/corpus.jsonl", "nfcorpus/queries.jsonl", "nfcorpus/qrels/test.tsv"
Members = dict[str, bytes]
Zipped = Callable[[Members], bytes]


@pytest.fixture
def corpus(build_bytes: Any, zipped: Zipped, nfcorpus_members: Members) -> Corpus:
    built: Corpus = build_bytes("nfcorpus", zipped(nfcorpus_members))
    return built


def test_tables_against_hand_written(corpus: Corpus) -> None:
    assert corpus.documents.select("document_id", "title", "text", "is_empty").rows() == [
        ("MED-2", "Oats and blood lipids", "Beta-glucan lowers cholesterol.", False),
        ("MED-1", "", "", True),
        ("MED-3", "Walking", "Thirty minutes a day.", False),
    ]
    assert corpus.queries["query_id"].to_list() == ["PLAIN-2", "PLAIN-1", "PLAIN-5"]
    assert corpus.judgements_turn.rows() == [("PLAIN-2", "MED-2", 2), ("PLAIN-2", "MED-3", 1), ("PLAIN-1", "MED-3", 1)]
    assert corpus.documents["session_id"].null_count() == 3
    assert corpus.sessions.height + corpus.scopes.height + corpus.judgements_session.height == 0


def test_ledger_against_hand_written(corpus: Corpus) -> None:
    assert set(corpus.defects.select("record_id", "kind", "policy").rows()) == {
        ("MED-1", "empty_text", "kept"),
        (f"{QRELS}:5", "judgement_repeated", "counted_once"),
        (f"{QRELS}:6", "judgement_of_unknown_document", "dropped"),
        (f"{QRELS}:7", "negative_gain", "counted_as_0"),
        (f"{QRELS}:8", "judgement_of_unknown_document", "dropped"),
        ("PLAIN-5", "no_relevant_document", "excluded"),
        ("PLAIN-77", "judgements_of_unknown_query", "dropped"),
    }


def test_split_decides_the_queries(build_bytes: Any, zipped: Zipped, nfcorpus_members: Members) -> None:
    dev = build_bytes("nfcorpus", zipped(nfcorpus_members), split="dev")
    assert dev.queries["query_id"].to_list() == ["PLAIN-9"]


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        (CORPUS, b'{"_id": "A", "text": "x"}\n{"_id": "B", "text"', r"corpus\.jsonl, line 2: line 1, column 20"),
        (
            CORPUS,
            b'{"_id": "A", "text": "x"}\n\n{"_id": "B"}',
            r"corpus\.jsonl, line 3: record\.text: the key is missing",
        ),
        (CORPUS, b'{"_id": 7, "text": "x"}', r"record\._id: 7 \(int\) came"),
        (CORPUS, b'{"_id": "A", "text": null}', r"record\.text: None"),
        (CORPUS, b'{"_id": "A", "text": "x"}\n{"_id": "A", "text": "y"}', "document id 'A' comes twice"),
        (CORPUS, b'{"_id": "A", "text": "\xff"}', "not UTF-8"),
        (CORPUS, b'{"_id": "A", "text": "\\ud800"}', r"record\.text: '\\ud800'"),
        (QUERIES, b'{"_id": "PLAIN-1", "text": "x"}\n{"_id": "PLAIN-1", "text": "y"}', "PLAIN-1"),
        (QRELS, b"query\tdoc\tscore\n", "expected the header query-id <tab> corpus-id <tab> score"),
        (QRELS, b"", "expected the header"),
        (QRELS, b"query-id\tcorpus-id\tscore\nPLAIN-1\tMED-2\n", r"test\.tsv, line 2: 2 cells came"),
        (QRELS, b"query-id\tcorpus-id\tscore\nPLAIN-1\tMED-2\t1.5\n", r"line 2: score '1\.5' came"),
        (QRELS, b"query-id\tcorpus-id\tscore\nPLAIN-1\tMED-2\t1\nPLAIN-1\tMED-2\t2\n", "expected one gain"),
        (QRELS, b"query-id\tcorpus-id\tscore\nPLAIN-1\t\xff\t1\n", "not UTF-8"),
    ],
)
def test_fault_names_file_line_and_field(
    build_bytes: Any, zipped: Zipped, nfcorpus_members: Members, member: str, content: bytes, message: str
) -> None:
    with pytest.raises(BenchError, match=message) as caught:
        build_bytes("nfcorpus", zipped(nfcorpus_members | {member: content}))
    assert str(caught.value).startswith(f"nfcorpus.raw: {member}")


def test_missing_member_and_traversal_are_refused_or_ignored(
    build_bytes: Any, zipped: Zipped, nfcorpus_members: Members, corpus: Corpus, tmp_path: Path
) -> None:
    hostile = build_bytes("nfcorpus", zipped(nfcorpus_members | {"../../evil": b"x"}))
    assert hostile.documents.equals(corpus.documents)
    assert not list(tmp_path.parent.rglob("evil"))
    del nfcorpus_members[QRELS]
    with pytest.raises(BenchError, match=r"no member nfcorpus/qrels/test\.tsv; expected BEIR's layout"):
        build_bytes("nfcorpus", zipped(nfcorpus_members))


def test_archive_cut_at_any_place_is_refused(build_bytes: Any, zipped: Zipped, nfcorpus_members: Members) -> None:
    content = zipped(nfcorpus_members)
    for length in range(0, len(content), 97):
        with pytest.raises(BenchError, match=r"nfcorpus\.raw"):
            build_bytes("nfcorpus", content[:length])


def test_archive_with_a_flipped_byte_never_escapes(build_bytes: Any, zipped: Zipped, nfcorpus_members: Members) -> None:
    content = zipped(nfcorpus_members)
    n_refused = 0
    for place in range(0, len(content), 7):
        flipped = bytearray(content)
        flipped[place] ^= 0xFF
        try:
            build_bytes("nfcorpus", bytes(flipped))
        except BenchError:
            n_refused += 1
    assert n_refused > 20


def test_member_larger_than_the_bound_is_refused(
    build_bytes: Any, zipped: Zipped, nfcorpus_members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.corpora.nfcorpus.MAX_MEMBER_BYTES", 50)
    with pytest.raises(BenchError, match="expected at most 50"):
        build_bytes("nfcorpus", zipped(nfcorpus_members))


def test_bom_and_crlf_change_nothing(
    build_bytes: Any, zipped: Zipped, nfcorpus_members: Members, corpus: Corpus
) -> None:
    windows = {name: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") for name, content in nfcorpus_members.items()}
    built = build_bytes("nfcorpus", zipped(windows))
    assert built.documents.equals(corpus.documents)
    assert built.judgements_turn.equals(corpus.judgements_turn)


def test_official_counts_are_asserted(build_bytes: Any, zipped: Zipped, nfcorpus_members: Members) -> None:
    with pytest.raises(BenchError, match=r"\(3, 3\) documents and test queries; expected \(3633, 323\)"):
        build_bytes("nfcorpus", zipped(nfcorpus_members), is_official=True)


# --- the official file ---------------------------------------------------------------------------------------------


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@pytest.fixture(scope="module")
def official(build_bytes: Any, mirror: Path) -> Corpus:
    corpus: Corpus = build_bytes("nfcorpus", mirror / "nfcorpus" / "nfcorpus.zip", is_official=True)
    return corpus


def test_official_counts(official: Corpus) -> None:
    assert (official.documents.height, official.queries.height) == (3_633, 323)
    assert dict(official.judgements_turn.group_by("gain").len().iter_rows()) == {1: 11_758, 2: 576}
    assert official.judgements_turn["query_id"].n_unique() == 323
    assert official.defects.height == 0


def test_official_records_0_9_and_last(official: Corpus) -> None:
    documents = official.documents[[0, 9, 3_632]].select("document_id", "title", "text")
    assert [(name, _seal(title), _seal(text)) for name, title, text in documents.rows()] == [
        ("MED-10", "cf750e5e", "4058679b"),
        ("MED-335", "662bcb49", "e6c2a802"),
        ("MED-961", "90a8be0e", "f694022f"),
    ]
    queries = official.queries[[0, 9, 322]].select("query_id", "text")
    assert [(name, _seal(text)) for name, text in queries.rows()] == [
        ("PLAIN-2", "c8327ea7"),
        ("PLAIN-102", "d6098c5a"),
        ("PLAIN-3472", "a3341081"),
    ]
    assert official.queries.filter(pl.col("block") != "main").height == 0

"""The writer of corpus tables: order, keys, references, and what it refuses."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from tasks.corpora.schemas import SCHEMAS, TEXT_COLUMNS, TableWriter
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.files import sha256_of
from tasks.randomness import opaque_key
from tasks.records import BenchError, Block, Defect, Document, Judgement, Query, ScopeMember, Session

Fill = Callable[[CorpusWriter], None]


def _fill(writer: CorpusWriter) -> None:
    """Add a session, two turns, a question and its judgements; the documents come before their session."""
    writer.add_documents(
        [Document("s:1", "hello", "s", 0, "Ada", caption="a cat"), Document("s:2", " \n", "s", 1, "Ben")]
    )
    writer.add_session(Session("s", 0, 2, datetime(2024, 2, 29, 12, 30)))
    writer.add_scope_member(ScopeMember("talk", "s", 0))
    writer.add_query(Query("q", "who?", "single", Block.ADVERSARIAL, "talk", "Ada", datetime(2024, 3, 1)))
    writer.add_turn_judgement(Judgement("q", "s:1", 2))
    writer.add_session_judgement(Judgement("q", "s", 1))
    writer.add_defect(Defect("q", "odd", "kept", "a detail", ("q",)))


def _written(out: Path, *fills: Fill) -> Corpus:
    out.mkdir(exist_ok=True)
    with CorpusWriter(out, "tiny", source={"file": "x"}, licence="CC0", options={"a": 1}) as writer:
        for fill in fills:
            fill(writer)
        writer.note = "a note"
    return Corpus.read(out)


def test_tables_against_hand_written(tmp_path: Path) -> None:
    corpus = _written(tmp_path, _fill)
    key = opaque_key("tiny\x1fs:1")
    assert corpus.documents.rows() == [
        (0, key, "s:1", "s", 0, "Ada", None, "hello", "a cat", False),
        (1, opaque_key("tiny\x1fs:2"), "s:2", "s", 1, "Ben", None, " \n", None, True),
    ]
    assert corpus.sessions.rows() == [("s", 0, 2, datetime(2024, 2, 29, 12, 30))]
    assert corpus.scopes.rows() == [("talk", "s", 0)]
    assert corpus.queries.rows() == [
        (0, "q", "who?", "single", "adversarial", "talk", "Ada", datetime(2024, 3, 1)),
    ]
    assert corpus.judgements_turn.rows() == [("q", "s:1", 2)]
    assert corpus.judgements_session.rows() == [("q", "s", 1)]
    assert corpus.defects.rows() == [
        ("s:2", "empty_text", "kept", "", 0, []),
        ("q", "odd", "kept", "a detail", 1, ["q"]),
    ]
    assert corpus.facts == {
        "dataset": "tiny",
        "licence": "CC0",
        "n_documents": 2,
        "n_queries": 1,
        "n_sessions": 1,
        "note": "a note",
        "options": {"a": 1},
        "source": {"file": "x"},
    }


def test_types_are_the_contract(tmp_path: Path) -> None:
    corpus = _written(tmp_path, _fill)
    assert corpus.documents.schema["document_index"] == pl.Int32
    assert corpus.documents.schema["text"] == pl.String
    assert corpus.queries.schema["date"] == pl.Datetime("us")
    assert corpus.defects.schema["query_ids"] == pl.List(pl.String)


def test_empty_corpus_has_every_table(tmp_path: Path) -> None:
    corpus = _written(tmp_path)
    for name, schema in SCHEMAS.items():
        frame = getattr(corpus, name)
        assert frame.height == 0
        assert frame.columns == schema.names


def test_same_rows_give_identical_files(tmp_path: Path) -> None:
    digests = []
    for name in ("one", "two"):
        _written(tmp_path / name, _fill)
        digests.append({path.name: sha256_of(path) for path in (tmp_path / name).iterdir()})
    assert digests[0] == digests[1]
    assert len(digests[0]) == len(SCHEMAS) + 1


def test_row_groups_are_bounded_and_keep_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableWriter, "ROWS", 3)
    monkeypatch.setattr(TableWriter, "CHARACTERS", 100)

    def fill(writer: CorpusWriter) -> None:
        writer.add_documents(Document(f"d{index}", "x" * (200 if index == 4 else 1)) for index in range(8))

    corpus = _written(tmp_path, fill)
    assert corpus.documents["document_id"].to_list() == [f"d{index}" for index in range(8)]
    assert corpus.documents["document_index"].to_list() == list(range(8))
    assert pl.read_parquet(tmp_path / "documents.parquet")["text"].str.len_chars().to_list() == [
        1,
        1,
        1,
        1,
        200,
        1,
        1,
        1,
    ]


def test_reading_without_texts(tmp_path: Path) -> None:
    _written(tmp_path, _fill)
    columns = Corpus.read(tmp_path, with_texts=False).documents.columns
    assert columns == [name for name in SCHEMAS["documents"].names if name not in TEXT_COLUMNS]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda w: w.add_document(Document("s:1", "again", "s", 2)), "document id 's:1' comes twice"),
        (lambda w: w.add_session(Session("s", 1, 1)), "session id 's' comes twice"),
        (lambda w: w.add_scope_member(ScopeMember("talk", "s", 1)), "scope 'talk' lists session 's' twice"),
        (lambda w: w.add_query(Query("q", "x", "y")), "query id 'q' comes twice"),
        (lambda w: w.add_turn_judgement(Judgement("q", "s:1", 1)), "judgement of turn 's:1' for query 'q' comes twice"),
        (lambda w: w.add_session_judgement(Judgement("q", "s", 0)), "gain 0; expected 1 or more"),
        (lambda w: w.add_turn_judgement(Judgement("z", "s:2", 1)), "1 judgements of unknown queries: 'z'"),
        (lambda w: w.add_turn_judgement(Judgement("q", "z", 1)), "1 turn judgements of unknown documents: 'z'"),
        (lambda w: w.add_session_judgement(Judgement("q", "z", 1)), "1 session judgements of unknown sessions: 'z'"),
        (lambda w: w.add_document(Document("z", "x", "z", 0)), "1 documents of unknown sessions: 'z'"),
        (lambda w: w.add_scope_member(ScopeMember("talk", "z", 1)), "1 scopes with unknown sessions: 'z'"),
        (lambda w: w.add_query(Query("z", "x", "y", scope_id="z")), "1 queries of unknown scopes: 'z'"),
        (lambda w: w.add_document(Document("s:3", "x", "s", 2)), "n_turns differs from their documents: 's'"),
    ],
)
def test_contradiction_is_refused(tmp_path: Path, fault: Fill, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        _written(tmp_path, _fill, fault)
    assert not (tmp_path / "facts.json").exists()


def test_lone_surrogate_is_refused_with_its_column(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="table documents, column text"):
        _written(tmp_path, lambda writer: writer.add_document(Document("d", "\ud800")))


def test_an_error_inside_is_not_hidden_by_the_checks(tmp_path: Path) -> None:
    def fail(writer: CorpusWriter) -> None:
        raise BenchError("the first error")

    with pytest.raises(BenchError, match="the first error"):
        _written(tmp_path, lambda w: w.add_turn_judgement(Judgement("q", "z", 1)), fail)


def test_odd_ids_are_kept_as_they_are(tmp_path: Path) -> None:
    names = ["../../x", "<script>", "x" * 10_000, "nul\x00l", "e\u0301"]
    corpus = _written(tmp_path, lambda writer: writer.add_documents(Document(name, "t") for name in names))
    assert corpus.documents["document_id"].to_list() == names
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["facts.json", *(f"{n}.parquet" for n in SCHEMAS)]
    )


def test_reading_a_folder_without_tables_says_what_is_absent(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"no table documents\.parquet"):
        Corpus.read(tmp_path)


def test_facts_are_plain_json(tmp_path: Path) -> None:
    _written(tmp_path, _fill)
    assert json.loads((tmp_path / "facts.json").read_text(encoding="utf-8"))["dataset"] == "tiny"

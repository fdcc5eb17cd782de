"""The texts of sessions, as the documents of a text artifact."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.tables import CorpusWriter
from tasks.indexes import build_dense
from tasks.records import BenchError, Document, Query, ScopeMember, Session
from tasks.text import build_session_texts, build_texts
from tasks.text.documents import TextParams

FIRST = "Anna: Hello\nBen: \nAnna: Bye"


def write_corpus(folder: Path, *, has_sessions: bool = True) -> Path:
    """Sessions "b" (turns 0, 1, 3) and "a" (turn 2), a turn of one between those of the other, and the empty "c"."""
    folder.mkdir()
    with CorpusWriter(folder, "tiny") as writer:
        if has_sessions:
            for position, (session_id, n_turns) in enumerate({"b": 3, "a": 1, "c": 0}.items()):
                writer.add_session(Session(session_id, position, n_turns))
                writer.add_scope_member(ScopeMember("talk", session_id, position))
        rows = [("b", 0, "Anna", "Hello"), ("b", 1, "Ben", ""), ("a", 0, "Anna", "What?"), ("b", 2, "Anna", "Bye")]
        for number, (session_id, turn, speaker, text) in enumerate(rows):
            place = (session_id, turn, speaker) if has_sessions else (None, None, speaker)
            writer.add_document(Document(f"d{number}", text, *place))
        writer.add_query(Query("q", "Who said hello?", "t", scope_id="talk" if has_sessions else None))
    return folder


def texts_of(corpus: Path, out: Path) -> Path:
    out.mkdir()
    build_texts.build(corpus, TextParams(), out)
    return out


def sessions_of(texts: Path, corpus: Path, out: Path) -> Path:
    out.mkdir()
    build_session_texts.build(texts, corpus, out)
    return out


def test_session_texts_against_hand_written(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    texts = texts_of(corpus, tmp_path / "texts")
    out = sessions_of(texts, corpus, tmp_path / "sessions")
    table = pl.read_parquet(out / "document_texts.parquet")
    assert table.schema == pl.read_parquet(texts / "document_texts.parquet").schema
    assert table["document_index"].to_list() == [0, 1, 2]
    assert table["text"].to_list() == [FIRST, "Anna: What?", ""]
    assert table["text_key"].to_list() == build_texts.text_keys(table["text"])
    assert pl.read_parquet(out / "query_texts.parquet").equals(pl.read_parquet(texts / "query_texts.parquet"))


def test_dense_index_of_session_texts_has_a_row_per_session(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    out = sessions_of(texts_of(corpus, tmp_path / "texts"), corpus, tmp_path / "sessions")
    vectors = {FIRST: [1.0, 0.0], "Anna: What?": [0.0, 1.0], "": [0.0, -1.0], "Who said hello?": [0.6, 0.8]}
    shard, index = tmp_path / "shard", tmp_path / "index"
    shard.mkdir()
    index.mkdir()
    pl.DataFrame(
        {"text_key": build_texts.text_keys(vectors), "vector": list(vectors.values())},
        schema={"text_key": pl.String, "vector": pl.Array(pl.Float32, 2)},
    ).write_parquet(shard / "vectors.parquet")
    build_dense.build(out, [shard], [shard], index)
    assert np.load(index / "document_vectors.npy").tolist() == [[1, 0], [0, 1], [0, -1]]


def test_corpus_without_sessions_is_an_error(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", has_sessions=False)
    with pytest.raises(BenchError, match="has no sessions"):
        sessions_of(texts_of(corpus, tmp_path / "texts"), corpus, tmp_path / "sessions")


def test_texts_of_another_corpus_are_an_error(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    texts = texts_of(corpus, tmp_path / "texts")
    path = texts / "document_texts.parquet"
    pl.read_parquet(path).head(3).write_parquet(path)
    with pytest.raises(BenchError, match="holds 3 texts, not those of the 4 documents"):
        sessions_of(texts, corpus, tmp_path / "sessions")

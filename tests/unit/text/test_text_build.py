"""The tables of the stage `text`."""

from datetime import datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.corpora.tables import CorpusWriter
from tasks.files import sha256_of
from tasks.records import BenchError, Document, Session
from tasks.text import build_texts, build_tokens
from tasks.text.documents import TextParams
from tasks.text.tokenizers import TokenizerParams

SHA_32_OF_ABC = "ba7816bf8f01cfea414140de5dae2223"  # FIPS 180-2, appendix B.1, cut to 32 digits


def write_corpus(
    directory: Path, rows: list[tuple[str | None, str | None, str, str | None]], queries: list[str]
) -> None:
    documents = pl.DataFrame(
        rows, schema={"title": pl.Utf8, "speaker": pl.Utf8, "text": pl.Utf8, "caption": pl.Utf8}, orient="row"
    )
    documents.with_row_index("document_index").with_columns(pl.col("document_index").cast(pl.Int32)).write_parquet(
        directory / "documents.parquet"
    )
    pl.DataFrame({"text": queries}, schema={"text": pl.Utf8}).with_row_index("query_index").with_columns(
        pl.col("query_index").cast(pl.Int32)
    ).write_parquet(directory / "queries.parquet")


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    directory = tmp_path / "corpus"
    directory.mkdir()
    rows = [
        (None, "user", "my cat and my dog", "a cat"),
        ("Cats", None, "the cat", None),
        (None, "user", "", None),
        (None, None, "abc", ""),
        (None, "user", "my cat and my dog", None),
    ]
    write_corpus(directory, rows, ["my MY unicorn cat", "", "unicorn"])
    return directory


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def build_both(corpus_dir: Path, parent: Path, text: TextParams, tokenizer: str) -> tuple[Path, Path]:
    texts, tokens = folder(parent, "texts"), folder(parent, "tokens")
    build_texts.build(corpus_dir, text, texts)
    build_tokens.build(texts, TokenizerParams(name=tokenizer), tokens)
    return texts, tokens


def test_texts_against_hand_written(corpus_dir: Path, tmp_path: Path) -> None:
    texts, _ = build_both(corpus_dir, tmp_path, TextParams(), "regex")
    table = pl.read_parquet(texts / "document_texts.parquet")
    assert table["text"].to_list() == [
        "user: my cat and my dog",
        "Cats the cat",
        "user: ",
        "abc",
        "user: my cat and my dog",
    ]
    assert table.schema == {"document_index": pl.Int32, "text_key": pl.Utf8, "text": pl.Utf8}
    assert table["text_key"][3] == SHA_32_OF_ABC
    assert table["text_key"][0] == table["text_key"][4]
    assert table["text_key"].n_unique() == 4


def test_title_and_caption_are_options(corpus_dir: Path, tmp_path: Path) -> None:
    texts, _ = build_both(corpus_dir, tmp_path, TextParams(title="text", caption=True), "regex")
    assert pl.read_parquet(texts / "document_texts.parquet")["text"].to_list() == [
        "user: my cat and my dog a cat",
        "the cat",
        "user: ",
        "abc",
        "user: my cat and my dog",
    ]


DATED = {
    "d0": Document("d0", "hello", "early", 0, "user"),
    "d1": Document("d1", "", "early", 1, "assistant"),
    "d2": Document("d2", "later", "undated", 0, "user"),
    "d3": Document("d3", "my cat", "late", 0, "user", caption="a cat"),
    "d4": Document("d4", "abc", title="Letters"),
}


@pytest.fixture
def dated_dir(tmp_path: Path) -> Path:
    """Return a corpus whose sessions have a date, or none, and that holds a document without a session."""
    directory = folder(tmp_path, "dated")
    with CorpusWriter(directory, "hand-written") as writer:
        writer.add_session(Session("early", 0, 2, datetime(2023, 5, 8, 23, 59)))
        writer.add_session(Session("undated", 1, 1))
        writer.add_session(Session("late", 2, 1, datetime(2024, 2, 29)))
        writer.add_documents(DATED.values())
    return directory


def texts_of(corpus_dir: Path, parent: Path, name: str, params: TextParams) -> Path:
    out = folder(parent, name)
    build_texts.build(corpus_dir, params, out)
    return out / "document_texts.parquet"


def test_session_date_against_hand_written(dated_dir: Path, tmp_path: Path) -> None:
    table = pl.read_parquet(texts_of(dated_dir, tmp_path, "t", TextParams(session_date=True, caption=True)))
    assert table["document_index"].to_list() == [0, 1, 2, 3, 4]
    assert table["text"].to_list() == [
        "[2023-05-08] user: hello",
        "[2023-05-08] assistant: ",
        "user: later",
        "[2024-02-29] user: my cat a cat",
        "Letters abc",
    ]


def test_session_date_does_not_depend_on_chunks(
    dated_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pl.read_parquet(texts_of(dated_dir, tmp_path, "whole", TextParams(session_date=True)))
    monkeypatch.setattr(build_texts, "ROWS_PER_CHUNK", 2)
    assert pl.read_parquet(texts_of(dated_dir, tmp_path, "cut", TextParams(session_date=True))).equals(whole)


def test_default_text_file_is_what_it_was_before_the_date(dated_dir: Path, tmp_path: Path) -> None:
    """Hours of embeddings hang on the digest of this file: no date, and the bytes of a plain writer."""
    made = texts_of(dated_dir, tmp_path, "t", TextParams())
    texts = ["user: hello", "assistant: ", "user: later", "user: my cat", "Letters abc"]
    keys = build_texts.text_keys(texts)
    columns = [pa.array(range(5), pa.int32()), pa.array(keys, pa.large_string()), pa.array(texts, pa.large_string())]
    expected = tmp_path / "expected.parquet"
    with pq.ParquetWriter(expected, build_texts.DOCUMENT_SCHEMA, compression="zstd") as writer:
        writer.write_table(pa.Table.from_arrays(columns, schema=build_texts.DOCUMENT_SCHEMA))
    assert made.read_bytes() == expected.read_bytes()
    (dated_dir / "sessions.parquet").unlink()
    assert texts_of(dated_dir, tmp_path, "without sessions", TextParams()).read_bytes() == made.read_bytes()


def test_session_date_without_a_table_of_sessions_is_refused(dated_dir: Path, tmp_path: Path) -> None:
    (dated_dir / "sessions.parquet").unlink()
    with pytest.raises(BenchError, match=r"no table sessions\.parquet .* leave text\.session_date out"):
        texts_of(dated_dir, tmp_path, "t", TextParams(session_date=True))


def test_tokens_against_hand_computed(corpus_dir: Path, tmp_path: Path) -> None:
    _, tokens = build_both(corpus_dir, tmp_path, TextParams(), "regex")
    documents = pl.read_parquet(tokens / "document_tokens.parquet")
    vocabulary = pl.read_parquet(tokens / "vocabulary.parquet")
    queries = pl.read_parquet(tokens / "query_tokens.parquet")
    assert vocabulary["token"].to_list() == ["user", "my", "cat", "and", "dog", "cats", "the", "abc"]
    assert vocabulary["document_frequency"].to_list() == [3, 2, 3, 2, 2, 1, 1, 1]
    assert documents["tokens"].to_list() == [[0, 1, 2, 3, 1, 4], [5, 6, 2], [0], [7], [0, 1, 2, 3, 1, 4]]
    assert queries["tokens"].to_list() == [[1, 1, 2], [], []]
    assert queries["n_unknown"].to_list() == [1, 0, 1]
    assert documents.schema == {"document_index": pl.Int32, "tokens": pl.List(pl.UInt32)}
    assert queries.schema == {"query_index": pl.Int32, "tokens": pl.List(pl.UInt32), "n_unknown": pl.Int32}
    assert vocabulary.schema == {"token_id": pl.UInt32, "token": pl.Utf8, "document_frequency": pl.UInt32}


@pytest.mark.parametrize(
    ("tokenizer", "expected", "n_unknown"),
    [("word3+stop", [["cat", "dog"]], 1), ("regex", [["dog", "cat", "dog", "cat"]], 2), ("split", [["dog", "dog"]], 4)],
)
def test_study_b_counts_a_token_of_the_question_once(
    tmp_path: Path, tokenizer: str, expected: list[list[str]], n_unknown: int
) -> None:
    """Protocol B.2: each distinct query token once; of a document, every occurrence counts."""
    corpus = folder(tmp_path, "corpus")
    write_corpus(corpus, [(None, None, "cat dog dog", None)], ["dog Cat, dog CAT! unicorn unicorn"])
    _, tokens = build_both(corpus, tmp_path, TextParams(), tokenizer)
    words = pl.read_parquet(tokens / "vocabulary.parquet")["token"].to_list()
    queries = pl.read_parquet(tokens / "query_tokens.parquet")
    assert [sorted(words[token] for token in found) for found in queries["tokens"]] == [sorted(x) for x in expected]
    assert queries["n_unknown"].to_list() == [n_unknown]
    (document,) = pl.read_parquet(tokens / "document_tokens.parquet")["tokens"].to_list()
    assert [words[token] for token in document] == ["cat", "dog", "dog"]


def test_chunks_do_not_change_the_tables(corpus_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build_both(corpus_dir, folder(tmp_path, "whole"), TextParams(), "split")
    monkeypatch.setattr(build_texts, "ROWS_PER_CHUNK", 2)
    monkeypatch.setattr(build_tokens, "ROWS_PER_CHUNK", 2)
    cut = build_both(corpus_dir, folder(tmp_path, "cut"), TextParams(), "split")
    for one, two in zip(whole, cut, strict=True):
        for path in sorted(one.glob("*.parquet")):
            assert pl.read_parquet(path).equals(pl.read_parquet(two / path.name)), path.name


def test_files_are_identical_when_built_twice(corpus_dir: Path, tmp_path: Path) -> None:
    first = build_both(corpus_dir, folder(tmp_path, "1"), TextParams(), "regex")
    second = build_both(corpus_dir, folder(tmp_path, "2"), TextParams(), "regex")
    for one, two in zip(first, second, strict=True):
        assert {p.name: sha256_of(p) for p in one.iterdir()} == {p.name: sha256_of(p) for p in two.iterdir()}


def test_corpus_without_documents_or_queries(tmp_path: Path) -> None:
    corpus = folder(tmp_path, "empty")
    write_corpus(corpus, [], [])
    texts, tokens = build_both(corpus, tmp_path, TextParams(), "regex")
    assert pl.read_parquet(texts / "document_texts.parquet").height == 0
    assert pl.read_parquet(texts / "query_texts.parquet").height == 0
    assert pl.read_parquet(tokens / "vocabulary.parquet").height == 0
    assert pl.read_parquet(tokens / "query_tokens.parquet").schema["tokens"] == pl.List(pl.UInt32)

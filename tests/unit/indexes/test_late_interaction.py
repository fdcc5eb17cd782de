from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.indexes import build_late_interaction
from tasks.indexes.late_interaction import Offsets, Vectors, max_sim
from tasks.records import BenchError, Document, Query, ScopeMember, Session

WIDTH = 16
LENGTHS = {"d0": 3, "d1": 1, "d2": 7, "same": 4, "d5": 2, "q0": 5, "q1": 5}
DOCUMENT_KEYS = ["d0", "d1", "d2", "same", "same", "d5"]


def _unit(n: int, width: int = WIDTH, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((n, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _by_loops(query: Vectors, documents: Vectors, offsets: Offsets) -> list[float]:
    """Equation 3 of Khattab and Zaharia 2020, one product at a time in float64, over the number of query pieces."""
    scores = []
    for start, end in pairwise(offsets):
        best = [max(float(np.dot(q.astype(float), d.astype(float))) for d in documents[start:end]) for q in query]
        scores.append(sum(best) / len(query))
    return scores


def test_max_sim_against_hand_computed() -> None:
    query = np.array([[1, 0], [0, 1]], dtype=np.float32)
    pieces = np.array([[0.6, 0.8], [0.8, -0.6], [1, 0], [0, -1]], dtype=np.float32)
    scores = max_sim(query, pieces, np.array([0, 2, 3, 4]))
    np.testing.assert_allclose(scores, [(0.8 + 0.8) / 2, (1 + 0) / 2, (0 - 1) / 2], atol=1e-7)


def test_max_sim_against_brute_force() -> None:
    query, documents = _unit(32, 384), _unit(200, 384, seed=1)
    offsets = np.array([0, 1, 30, 31, 120, 200])
    np.testing.assert_allclose(max_sim(query, documents, offsets), _by_loops(query, documents, offsets), atol=1e-6)


def test_score_is_in_the_range_of_a_cosine_whatever_the_length_of_the_query() -> None:
    pieces = _unit(8, 384)
    for repeats in (1, 5):
        np.testing.assert_allclose(max_sim(np.tile(pieces, (repeats, 1)), pieces, np.array([0, 8])), 1, atol=1e-6)


def test_score_does_not_depend_on_the_other_documents() -> None:
    query, documents = _unit(32, 384), _unit(101, 384, seed=1)
    documents[60:63] = documents[5:8]
    offsets = np.array([0, 5, 8, 60, 63, 101])
    together = max_sim(query, documents, offsets)
    assert together[1] == together[3], "equal texts tie exactly"
    alone = [max_sim(query, documents[a:b], np.array([0, b - a]))[0] for a, b in pairwise(offsets)]
    np.testing.assert_array_equal(together, alone)


def test_text_without_vectors_and_other_dimensions_are_errors() -> None:
    with pytest.raises(BenchError, match="without any vector"):
        max_sim(_unit(2), _unit(3), np.array([0, 2, 2, 3]))
    with pytest.raises(BenchError, match="without any vector"):
        max_sim(_unit(0), _unit(3), np.array([0, 3]))
    with pytest.raises(BenchError, match="query has 8 dimensions, documents 16"):
        max_sim(_unit(2, 8), _unit(3), np.array([0, 3]))


class Bench:
    """Two talks: sessions a (turns 0, 1) and b (2, 3) in one, c (4, 5) in the other; turns 3 and 4 are equal."""

    def __init__(self, root: Path) -> None:
        self.corpus, self.texts, self.out = (root / name for name in ("corpus", "texts", "out"))
        for folder in (self.corpus, self.texts, self.out):
            folder.mkdir()
        with CorpusWriter(self.corpus, "tiny") as writer:
            for position, (session_id, scope) in enumerate({"a": "one", "b": "one", "c": "two"}.items()):
                writer.add_session(Session(session_id, position, 2))
                writer.add_scope_member(ScopeMember(scope, session_id, position))
                for turn in range(2):
                    writer.add_document(Document(f"{session_id}{turn}", "x", session_id, turn, "user"))
            writer.add_query(Query("of two", "?", "t", scope_id="two"))
            writer.add_query(Query("of one", "?", "t", scope_id="one"))
        self._write_keys("document", DOCUMENT_KEYS)
        self._write_keys("query", ["q0", "q1"])
        self.vectors = {key: _unit(n, seed=number) for number, (key, n) in enumerate(LENGTHS.items())}
        self.documents = [self._shard(root / "s0", ["d2", "same"]), self._shard(root / "s1", ["d5", "d1", "d0"])]
        self.queries = [self._shard(root / "s2", ["q1", "q0"])]

    def _write_keys(self, side: str, keys: list[str]) -> None:
        pl.DataFrame(
            {f"{side}_index": pl.Series(range(len(keys)), dtype=pl.Int32), "text_key": keys, "text": keys}
        ).write_parquet(self.texts / f"{side}_texts.parquet")

    def _shard(self, folder: Path, keys: list[str]) -> Path:
        folder.mkdir()
        np.save(folder / "token_vectors.npy", np.concatenate([self.vectors[key] for key in keys]).astype(np.float16))
        counts = pl.Series([len(self.vectors[key]) for key in keys], dtype=pl.Int32)
        pl.DataFrame({"text_key": keys, "n_vectors": counts}).write_parquet(folder / "texts.parquet")
        return folder

    def expected(self, query: str, rows: list[int]) -> list[float]:
        keys = [DOCUMENT_KEYS[row] for row in rows]
        documents = np.concatenate([self.vectors[key] for key in keys])
        offsets = np.concatenate([[0], np.cumsum([len(self.vectors[key]) for key in keys])])
        return _by_loops(self.vectors[query], documents, offsets)

    def build(self, protocol: str) -> tuple[Vectors, Offsets]:
        build_late_interaction.build(self.corpus, self.texts, self.documents, self.queries, protocol, self.out)
        return np.load(self.out / "turn_scores.npy"), np.load(self.out / "offsets.npy")


@pytest.fixture
def tiny(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("at_once", [1, 9, 65_536])
def test_scores_of_each_scope_against_brute_force(tiny: Bench, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_late_interaction, "PIECES_AT_ONCE", at_once)
    scores, offsets = tiny.build("conversation-session")
    assert (str(scores.dtype), str(offsets.dtype)) == ("float32", "int64")
    assert offsets.tolist() == [0, 2, 6]
    expected = tiny.expected("q0", [4, 5]) + tiny.expected("q1", [0, 1, 2, 3])
    np.testing.assert_allclose(scores, expected, atol=5e-4)  # float16
    assert np.abs(scores).max() <= 1


def test_order_is_that_of_the_scope(tiny: Bench) -> None:
    scopes = scope_documents(Corpus.read(tiny.corpus), parse_protocol("pooled-turn"))
    scores, offsets = tiny.build("pooled-turn")
    assert offsets.tolist() == [0, 6, 12]
    rows = scopes.documents[0].tolist()
    np.testing.assert_allclose(scores[6:], tiny.expected("q1", rows), atol=5e-4)
    assert scores[6 + rows.index(3)] == scores[6 + rows.index(4)], "equal texts tie exactly"


def test_files_do_not_depend_on_the_number_of_threads(tiny: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = set()
    for threads in (1, 3):
        monkeypatch.setattr(build_late_interaction, "n_cores", lambda threads=threads: threads)
        tiny.build("conversation-session")
        contents.add((tiny.out / "turn_scores.npy").read_bytes())
    assert len(contents) == 1


def test_missing_text_names_its_key(tiny: Bench) -> None:
    tiny.documents = tiny.documents[:1]
    with pytest.raises(
        BenchError, match=r"3 document texts have no vectors in 1 shards \(first missing text key: d0\)"
    ):
        tiny.build("conversation-session")


def test_texts_of_another_corpus_are_an_error(tiny: Bench) -> None:
    path = tiny.texts / "query_texts.parquet"
    pl.read_parquet(path).head(1).write_parquet(path)
    with pytest.raises(BenchError, match="has 1 query texts, the corpus 2"):
        tiny.build("conversation-session")


def test_vectors_of_whole_texts_are_an_error(tiny: Bench, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    tiny.queries = [tmp_path / "other"]
    with pytest.raises(BenchError, match="A model with one vector per text has no late interaction"):
        tiny.build("conversation-session")

"""Times of the stages: what the clock counts, on models and a clock made for the test, and on a small corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from tasks.corpora.tables import CorpusWriter
from tasks.downloads.model_facts import ModelShape, write_facts
from tasks.embeddings.encoders import Vectors
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Params, RaggedTokens, index_scope
from tasks.records import BenchError, Document, Judgement, Query, ScopeMember, Session
from tasks.selection import build_latency, latency
from tasks.selection.build_latency import LATENCY, LatencyInputs
from tasks.selection.latency import Asked, LatencyParams, Pipeline, Searched, measure, summarise, this_machine

MS = 1_000_000
LETTERS = "abcd"


class Time:
    """A clock that stands still unless somebody works."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class Letters:
    """Encodes a text by its letters, in 5 ms; the calling threads are counted."""

    def __init__(self, time: Time) -> None:
        self.time, self.dimension, self.seen, self.n_prepared = time, len(LETTERS), list[str](), 0

    def prepare_thread(self) -> None:
        self.n_prepared += 1

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        return np.array([len(text) for text in texts], np.int32)

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.time.now += 5 * MS
        self.seen += texts
        return unit([[text.count(letter) for letter in LETTERS] for text in texts])


class Lengths:
    """Scores a pair by the length of the turn: 2 ms to tokenise, 1 ms per letter."""

    def __init__(self, time: Time) -> None:
        self.time, self.pairs, self.n_prepared = time, list[tuple[str, str]](), 0

    def prepare_thread(self) -> None:
        self.n_prepared += 1

    def tokenise(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        self.time.now += 2 * MS
        self.pairs += pairs
        return [document for _, document in pairs]

    def logit(self, encoding: Any) -> float:
        self.time.now += len(encoding) * MS
        return float(len(encoding))


def unit(rows: Sequence[Sequence[float]]) -> Vectors:
    array = np.array(rows, np.float32)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True))


TURNS = ("ab", "b", "cccc", "a", "d", "dd")
UNITS = (0, 0, 1, 2, 2, 3)
"""Four sessions. A question `a`: the best turn is the third of the sessions, then `ab` of the first; 0 elsewhere."""


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def asked() -> Asked:
    sessions = [[0, 1, 1], [2, 2, 2, 2], [0, 3], [3, 3]]  # letters as token ids
    values = np.array([token for tokens in sessions for token in tokens], np.uint32)
    offsets = np.concatenate([[0], np.cumsum([len(tokens) for tokens in sessions])])
    scope = Searched(
        documents=np.arange(10, 16),
        turns=unit([[turn.count(letter) for letter in LETTERS] for turn in TURNS]),
        units=np.array(UNITS),
        bm25=index_scope(RaggedTokens(values, offsets), Bm25Params()),
    )
    return Asked("query: a", "a", np.array([0], np.uint32), scope)


def pipeline(time: Time, **params: Any) -> Pipeline:
    texts = {10 + place: turn for place, turn in enumerate(TURNS)}
    settings = LatencyParams(machine="a test", n_warmup=1).model_copy(update=params)
    return Pipeline(Letters(time), Lengths(time), texts, settings, clock=time)


def test_each_stage_counts_its_own_work_against_hand_computed(time: Time, asked: Asked) -> None:
    one = pipeline(time, top=2)
    times, documents = one.answer(asked)
    assert times == [5 * MS, 0, 0, 0, (2 + 1 + 2 + 2) * MS]  # pairs with "a" and "ab"; the rest stands still
    assert documents == [10, 13]  # the reranker likes long turns: "ab" before "a"
    assert isinstance(one.encoder, Letters) and isinstance(one.reranker, Lengths)
    assert one.encoder.seen == ["query: a"]  # with the prefix
    assert one.reranker.pairs == [("a", "a"), ("a", "ab")]  # without; best first


@pytest.mark.parametrize(
    ("name", "stage"), [("cosines_of", 2), ("z_normalised", 3), ("ranked_places", 3), ("best_turns", None)]
)
def test_a_slow_function_is_seen_in_its_stage(
    time: Time, asked: Asked, monkeypatch: pytest.MonkeyPatch, name: str, stage: int | None
) -> None:
    real, cost = getattr(latency, name), {"z_normalised": 20}.get(name, 40)  # normalised twice: BM25 and dense

    def slow(*given: Any) -> Any:
        time.now += cost * MS
        return real(*given)

    monkeypatch.setattr(latency, name, slow)
    times, _ = pipeline(time, top=1).answer(asked)
    assert [place for place, value in enumerate(times) if value == 40 * MS] == ([] if stage is None else [stage])
    assert times[0] == 5 * MS
    assert times[4] == 3 * MS


def test_only_one_weight_decides_what_is_reranked(time: Time, asked: Asked) -> None:
    dense = pipeline(time, top=4, alpha=0.0)
    dense.answer(asked)
    assert isinstance(dense.reranker, Lengths)
    assert [turn for _, turn in dense.reranker.pairs] == ["a", "ab", "cccc", "dd"]  # equal ones: the earliest
    ours = replace(asked, tokens=np.array([2], np.uint32))
    lexical = pipeline(time, top=1, alpha=1.0)
    lexical.answer(ours)
    assert isinstance(lexical.reranker, Lengths)
    assert [turn for _, turn in lexical.reranker.pairs] == ["cccc"]


def test_the_warm_up_is_not_measured(time: Time, asked: Asked) -> None:
    one = pipeline(time, top=1, n_warmup=3)
    told = list[tuple[int, int]]()
    times = measure(one, [asked, asked], lambda done, total, _: told.append((done, total)))
    assert times.shape == (2, 5)
    assert isinstance(one.encoder, Letters) and isinstance(one.reranker, Lengths)
    assert len(one.encoder.seen) == 4  # at most the sample warms up
    assert (one.encoder.n_prepared, one.reranker.n_prepared) == (1, 1)
    assert told == [(1, 2), (2, 2)]


def test_no_question_is_an_error_in_words(time: Time) -> None:
    with pytest.raises(BenchError, match="no question to measure"):
        measure(pipeline(time), [])


def test_summary_against_hand_computed() -> None:
    times = np.arange(1, 101)[:, None] * np.array([[MS, 1000]])  # 1 to 100 ms, and as many µs
    table = summarise(times, ["slow", "fast"])
    assert table.row(0) == ("slow", 100, 50.5, 50.5, pytest.approx(95.05), 1.0)
    assert table.row(1) == ("fast", 100, pytest.approx(0.0505), pytest.approx(0.0505), pytest.approx(0.09505), 0.001)


# --- on a small corpus ---------------------------------------------------------------------------------------------


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LatencyInputs]:
    """Two conversations of two sessions each, with their indexes; a third conversation has no turn."""
    folders = LatencyInputs(*(tmp_path / name for name in ("corpus", "texts", "bm25", "dense", "encoder", "reranker")))
    for folder in (folders.corpus, folders.texts, folders.bm25, folders.dense, folders.encoder, folders.reranker):
        folder.mkdir()
    turns = [("x0", "ab"), ("x0", "b"), ("x1", "c"), ("y0", "a"), ("y1", "d"), ("y1", "dd")]
    questions = [("q0", "a", "x"), ("q1", "d", "y"), ("q2", "b", "x"), ("q3", "a", "void")]
    with CorpusWriter(folders.corpus, "tiny") as writer:
        for position, (session, scope) in enumerate(
            [("x0", "x"), ("x1", "x"), ("y0", "y"), ("y1", "y"), ("v", "void")]
        ):
            of_session = [text for name, text in turns if name == session]
            writer.add_session(Session(session, position, len(of_session)))
            writer.add_scope_member(ScopeMember(scope, session, position))
            writer.add_documents(Document(f"{session}{i}", text, session, i) for i, text in enumerate(of_session))
        for query_id, text, scope in questions:
            writer.add_query(Query(query_id, text, "t", scope_id=scope))
        writer.add_session_judgement(Judgement("q0", "x0", 1))
    for side, found in (("document", [text for _, text in turns]), ("query", [text for _, text, _ in questions])):
        index = pl.Series(f"{side}_index", range(len(found)), dtype=pl.Int32)
        tokens = pl.Series("tokens", [[LETTERS.index(one) for one in text] for text in found], dtype=pl.List(pl.UInt32))
        pl.DataFrame([index, pl.Series("text", found)]).write_parquet(folders.texts / f"{side}_texts.parquet")
        pl.DataFrame([index, tokens]).write_parquet(folders.texts / f"{side}_tokens.parquet")
        vectors = unit([[text.count(letter) for letter in LETTERS] for text in found])
        np.save(folders.dense / f"{side}_vectors.npy", vectors)
    build_bm25.build(folders.texts, folders.corpus, "conversation-session", Bm25Params(), folders.bm25)
    shape = ModelShape(kind="bi-encoder", backend="torch", max_length=9, dimension=4, query_prefix="ask: ")
    write_facts("letters", "none", shape, {}, folders.encoder)
    write_facts("lengths", "none", ModelShape(kind="cross-encoder", backend="onnx", max_length=9), {}, folders.reranker)
    time = Time()
    encoder, reranker = Letters(time), Lengths(time)
    monkeypatch.setattr(build_latency, "load_encoder", lambda *_: encoder)
    monkeypatch.setattr(build_latency, "load_cross_encoder", lambda *_: reranker)
    yield folders
    assert set(encoder.seen) <= {"ask: a", "ask: d", "ask: b"}


def build(inputs: LatencyInputs, out: Path, **params: Any) -> pl.DataFrame:
    out.mkdir()
    settings = LatencyParams.model_validate({"machine": this_machine(), "n_warmup": 1} | params)
    build_latency.build(inputs, "conversation-session", settings, out)
    return pl.read_parquet(out / "latency.parquet")


def test_table_has_the_studys_stages_and_sane_times(inputs: LatencyInputs, tmp_path: Path) -> None:
    table = build(inputs, tmp_path / "out")
    assert dict(table.schema) == LATENCY
    assert table["stage"].to_list() == ["query encode", "bm25", "max-sim", "fusion", "rerank top-10"]
    assert table["n"].to_list() == [3] * 5  # the fourth question has nothing to search
    assert set(table.select("encoder", "reranker").iter_rows()) == {("letters", "lengths")}
    for row in table.iter_rows(named=True):
        assert 0 < row["min_ms"] <= row["median_ms"] <= row["p95_ms"]
        assert row["min_ms"] <= row["mean_ms"]
    assert f"{table['cpu_model'][0]}, {table['n_cores'][0]} core" in this_machine()


def test_the_sample_is_drawn_by_its_seed(inputs: LatencyInputs, tmp_path: Path) -> None:
    drawn = {}
    for seed in range(20):
        settings = LatencyParams(machine=this_machine(), n_queries=2, seed=seed)
        sample, again = (build_latency._sample(inputs, "conversation-session", settings, 4) for _ in range(2))
        drawn[seed] = [asked.text for asked in sample]
        assert drawn[seed] == [asked.text for asked in again]
        assert len(set(drawn[seed])) == 2
    assert len(set(map(tuple, drawn.values()))) > 1
    assert build(inputs, tmp_path / "out", n_queries=2)["n"].to_list() == [2] * 5


def test_another_machine_is_refused(inputs: LatencyInputs, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="this machine is"):
        build(inputs, tmp_path / "out", machine="a faster one")


def test_turns_are_refused(inputs: LatencyInputs, tmp_path: Path) -> None:
    settings = LatencyParams(machine=this_machine())
    with pytest.raises(BenchError, match="ranks sessions"):
        build_latency.build(inputs, "conversation-turn", settings, tmp_path)


def test_vectors_of_another_model_are_refused(inputs: LatencyInputs, tmp_path: Path) -> None:
    for side, n in (("document", 6), ("query", 4)):
        np.save(inputs.dense / f"{side}_vectors.npy", np.zeros((n, 7), np.float32))
    with pytest.raises(BenchError, match="another model"):
        build(inputs, tmp_path / "out")


def test_texts_of_another_corpus_are_refused(inputs: LatencyInputs, tmp_path: Path) -> None:
    path = inputs.texts / "document_texts.parquet"
    pl.read_parquet(path).filter(pl.col("document_index") != 1).write_parquet(path)
    with pytest.raises(BenchError, match="no text"):
        build(inputs, tmp_path / "out")

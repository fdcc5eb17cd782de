from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.corpora.tables import CorpusWriter
from tasks.records import BenchError, Document, Query, ScopeMember, Session
from tasks.simulation.build_stream import build, read_populations
from tasks.simulation.streams import StreamParams, draw_stream, draw_streams


def _draw(n: int, steps: int, seed: int = 42, *, share: float = 0.2, probability: float = 0.7) -> list[int]:
    rng = np.random.default_rng(seed)
    return [int(query) for query in draw_stream(n, steps, hot_share=share, hot_probability=probability, rng=rng)]


def test_draw_order_against_protocol() -> None:
    """A.6, written out: hot set first, then per step one uniform and one integer."""
    rng = np.random.default_rng(7)
    hot = rng.choice(23, size=max(1, int(23 * 0.2)), replace=False).tolist()
    cold = [query for query in range(23) if query not in hot]
    expected = []
    for _ in range(200):
        group = hot if rng.random() < 0.7 else cold
        expected.append(group[int(rng.integers(len(group)))])
    assert _draw(23, 200, seed=7) == expected


def test_hot_queries_get_their_share() -> None:
    drawn = np.array(_draw(100, 20_000))
    hot = np.random.default_rng(42).choice(100, size=20, replace=False)
    assert np.isin(drawn, hot).mean() == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize(("n", "share"), [(1, 0.2), (3, 1.0)])
def test_without_cold_queries_all_steps_are_hot(n: int, share: float) -> None:
    drawn = _draw(n, 50, share=share, probability=0.0)
    assert len(drawn) == 50
    assert set(drawn) <= set(range(n))


def test_no_queries_give_an_empty_stream() -> None:
    assert _draw(0, 50) == []


def test_global_seed_does_not_matter() -> None:
    np.random.seed(1)  # noqa: NPY002 (this is what must not matter)
    first = _draw(20, 50)
    np.random.seed(2)  # noqa: NPY002 (as above)
    assert _draw(20, 50) == first


@pytest.mark.parametrize("wrong", [{"hot_share": 0}, {"hot_probability": 1.1}, {"steps": -1}, {"n_steps": 5}])
def test_wrong_parameter_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        StreamParams.model_validate(wrong)


@pytest.mark.parametrize("seed", [0, 42])
def test_a_long_stream_begins_with_the_short_one(seed: int) -> None:
    assert _draw(499, 10_000, seed)[:5000] == _draw(499, 5000, seed)


# --- the artifact -----------------------------------------------------------------------------------------------


def _corpus(folder: Path, n_queries: int, n_scopes: int = 2) -> Path:
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    with CorpusWriter(corpus, "made-up") as writer:
        for number in range(n_scopes):
            writer.add_session(Session(f"s{number}", number, 1))
            writer.add_scope_member(ScopeMember(f"c{number}", f"s{number}", 0))
            writer.add_document(Document(f"d{number}", "text", session_id=f"s{number}", turn_index=0))
        for i in range(n_queries):
            writer.add_query(Query(f"q{i}", "text", "kind", scope_id=f"c{i % n_scopes}"))
    return corpus


def _stream(folder: Path, protocol: str, params: StreamParams, *, n_queries: int = 10) -> pl.DataFrame:
    build(_corpus(folder, n_queries), protocol, params, folder)
    frame = pl.read_parquet(folder / "stream.parquet")
    assert dict(frame.schema) == {"scope_id": pl.Utf8, "step": pl.Int32, "query_index": pl.Int32}
    return frame


def test_pooled_stream_is_study_a_s(tmp_path: Path) -> None:
    frame = _stream(tmp_path, "pooled-turn", StreamParams(steps=300))
    assert frame["scope_id"].unique().to_list() == ["pool"]
    assert frame["step"].to_list() == list(range(300))
    assert frame["query_index"].to_list() == _draw(10, 300)


def test_each_conversation_has_its_own_stream(tmp_path: Path) -> None:
    frame = _stream(tmp_path, "conversation-turn", StreamParams(steps=300), n_queries=10)
    for number in range(2):
        own = frame.filter(pl.col("scope_id") == f"c{number}")
        assert own["step"].to_list() == list(range(50))  # 10 x its 5 questions
        assert set((own["query_index"] % 2).to_list()) == {number}
    first, second = (frame.filter(pl.col("scope_id") == name)["query_index"] // 2 for name in ("c0", "c1"))
    assert first.to_list() != second.to_list()


def test_seed_changes_the_stream(tmp_path: Path) -> None:
    frames = [
        _stream(tmp_path / str(seed), "conversation-turn", StreamParams(seed=seed))["query_index"].to_list()
        for seed in (1, 2)
    ]
    assert frames[0] != frames[1]


def test_missing_published_query_is_skipped_and_steps_keep_their_number(tmp_path: Path) -> None:
    published = ("q2", "gone", "q0", "q1")
    frame = _stream(tmp_path, "pooled-turn", StreamParams(steps=100, published_ids=published), n_queries=3)
    names = [(step, published[i]) for step, i in enumerate(_draw(4, 100)) if published[i] != "gone"]
    assert [(step, f"q{i}") for step, i in frame.select("step", "query_index").iter_rows()] == names
    assert 0 < frame.height < 100


def test_published_ids_must_hold_every_query(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="2 queries are not among published_ids"):
        _stream(tmp_path, "pooled-turn", StreamParams(published_ids=("q0",)), n_queries=3)


def test_published_ids_belong_to_one_scope(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="has 2"):
        _stream(tmp_path, "conversation-turn", StreamParams(published_ids=("q0", "q1")), n_queries=2)


@pytest.mark.parametrize(("protocol", "expected"), [("pooled-turn", [("pool", 100)]), ("conversation-turn", None)])
def test_lengths_hold_the_steps_that_are_left_out(
    tmp_path: Path, protocol: str, expected: list[tuple[str, int]] | None
) -> None:
    published = ("gone", "q0", "q1", "q2", "lost", "also gone") if expected else ()
    frame = _stream(tmp_path, protocol, StreamParams(steps=100, published_ids=published), n_queries=3)
    lengths = pl.read_parquet(tmp_path / "lengths.parquet")
    assert dict(lengths.schema) == {"scope_id": pl.Utf8, "n_steps": pl.Int32}
    assert lengths.rows() == (expected or [("c0", 20), ("c1", 10)])
    assert (frame.height < lengths["n_steps"].sum()) == (expected is not None)


@pytest.mark.parametrize("protocol", ["pooled-turn", "conversation-turn"])
def test_many_seeds_against_the_artifact(tmp_path: Path, protocol: str) -> None:
    """What `build` writes for each seed is what is drawn in memory, whatever seed the parameters themselves hold."""
    corpus = _corpus(tmp_path, 10)
    population = read_populations(corpus, protocol, StreamParams(steps=50))
    contents = []
    for seed in (1, 2, 3):
        build(corpus, protocol, StreamParams(steps=50, seed=seed), tmp_path)
        frame = pl.read_parquet(tmp_path / "stream.parquet")
        streams = draw_streams(population, StreamParams(steps=50), seed=seed)
        assert frame["query_index"].to_list() == np.concatenate([stream.queries for stream in streams]).tolist()
        assert frame["step"].to_list() == np.concatenate([stream.steps for stream in streams]).tolist()
        contents.append(frame["query_index"].to_list())
    assert contents[0] != contents[1] != contents[2]

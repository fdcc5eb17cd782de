"""The scores of all sessions of a scope, on made-up haystacks: every rank and score against one written out here."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.candidates.build_sessions import SessionScoreParams, build
from tasks.candidates.ranking import TieRule
from tasks.candidates.search import CANDIDATES, POOLS
from tasks.corpora.samples import write_asked
from tasks.corpora.tables import CorpusWriter
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Params
from tasks.records import BenchError, Document, Query, ScopeMember, Session

PROTOCOL = "haystack-session"
EARLIEST = SessionScoreParams(ties=TieRule.EARLIEST)
# Sessions a (turns 0 to 2), b (3), c (4, 5); the haystacks list them in another order than the corpus.
SIZES = {"a": 3, "b": 1, "c": 2}
HAYSTACKS = {"h0": ["c", "a", "b"], "h1": ["b", "a"]}
TURNS = {"a": [0, 1, 2], "b": [3], "c": [4, 5]}
TOKENS = [[1], [2], [7], [7, 7], [2], [1]]
QUERY_TOKENS = [[7], [9], [2, 1]]
QUERY_SCOPES = ["h0", "h1", "h0"]
VECTORS = [[0.6, 0.8], [1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6]]
QUERY_VECTORS = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]


@dataclass(frozen=True)
class Inputs:
    """Artifacts of the made-up corpus."""

    folder: Path
    corpus: Path
    dense: Path
    bm25: Path

    def build(
        self,
        params: SessionScoreParams = EARLIEST,
        *,
        dense: Path | None = None,
        texts: Path | None = None,
        late: Path | None = None,
        asked: Path | None = None,
        protocol: str = PROTOCOL,
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        out = self.folder / f"out-{len(list(self.folder.iterdir()))}"
        out.mkdir()
        at = dense or (None if late else self.dense)
        build(
            self.corpus,
            at,
            self.bm25,
            protocol,
            params,
            out,
            session_texts_dir=texts,
            turn_scores_dir=late,
            asked_dir=asked,
        )
        return pl.read_parquet(out / "candidates.parquet"), pl.read_parquet(out / "pools.parquet")

    def late(self, scores: list[list[float]]) -> Path:
        """Write scores of late interaction, one list per query in the order of its scope."""
        directory = self.folder / f"late-{len(list(self.folder.iterdir()))}"
        directory.mkdir()
        np.save(directory / "turn_scores.npy", np.concatenate([np.asarray(of, np.float32) for of in scores]))
        np.save(directory / "offsets.npy", np.cumsum([0, *map(len, scores)]).astype(np.int64))
        return directory


def write_vectors(directory: Path, documents: list[list[float]], queries: list[list[float]]) -> Path:
    directory.mkdir()
    np.save(directory / "document_vectors.npy", np.array(documents, np.float32))
    np.save(directory / "query_vectors.npy", np.array(queries, np.float32))
    return directory


@dataclass(frozen=True)
class Content:
    """What the artifacts of a corpus are made of; sessions and their turns in the order of the corpus."""

    sizes: dict[str, int]
    haystacks: dict[str, list[str]]
    tokens: list[list[int]]
    query_tokens: list[list[int]]
    query_scopes: list[str]
    vectors: list[list[float]]
    query_vectors: list[list[float]]

    def write(self, folder: Path) -> Inputs:
        corpus, tokens, bm25 = (folder / name for name in ("corpus", "tokens", "bm25"))
        for directory in (corpus, tokens, bm25):
            directory.mkdir()
        with CorpusWriter(corpus, "tiny") as writer:
            for place, (session, size) in enumerate(self.sizes.items()):
                writer.add_session(Session(session, place, size))
                for turn in range(size):
                    writer.add_document(Document(f"{session}{turn}", "x", session, turn, "user"))
            for haystack, sessions in self.haystacks.items():
                for place, session in enumerate(sessions):
                    writer.add_scope_member(ScopeMember(haystack, session, place))
            for number, scope in enumerate(self.query_scopes):
                writer.add_query(Query(f"q{number}", "?", "kind", scope_id=scope))
        for name, lists in (("document", self.tokens), ("query", self.query_tokens)):
            pl.DataFrame(
                {f"{name}_index": range(len(lists)), "tokens": pl.Series(lists, dtype=pl.List(pl.UInt32))}
            ).write_parquet(tokens / f"{name}_tokens.parquet")
        build_bm25.build(tokens, corpus, PROTOCOL, Bm25Params(), bm25)
        return Inputs(folder, corpus, write_vectors(folder / "dense", self.vectors, self.query_vectors), bm25)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    content = Content(SIZES, HAYSTACKS, TOKENS, QUERY_TOKENS, QUERY_SCOPES, VECTORS, QUERY_VECTORS)
    return content.write(tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_ranks_against_a_slow_ranking(tmp_path: Path, seed: int) -> None:
    """A haystack of 12 sessions in a random order, with many equal turns, ranked with `sorted`; ties by place."""
    rng = np.random.default_rng(seed)
    sizes = {f"s{number:02}": int(rng.integers(1, 5)) for number in range(12)}
    n_turns, names = sum(sizes.values()), list(sizes)
    haystack = [names[number] for number in rng.permutation(12)]
    distinct = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6], [-0.6, 0.8], [0.28, 0.96], [-0.8, -0.6]])
    vectors = distinct[rng.integers(7, size=n_turns)]
    inputs = Content(
        sizes=sizes,
        haystacks={"h": haystack},
        tokens=[[int(rng.integers(1, 6))] for _ in range(n_turns)],
        query_tokens=[[1, 2], [3], [4, 4, 5], [9]],
        query_scopes=["h"] * 4,
        vectors=vectors.tolist(),
        query_vectors=distinct[:4].tolist(),
    ).write(tmp_path)
    table, _ = inputs.build()
    session_of = [name for name, size in sizes.items() for _ in range(size)]
    for query, vector in enumerate(distinct[:4].astype(np.float32).astype(np.float64)):
        found = {session_of[row["document_index"]]: row for row in table.filter(query_index=query).to_dicts()}
        cosines = vectors.astype(np.float32).astype(np.float64) @ vector
        best = {name: max(cosines[[i for i, of in enumerate(session_of) if of == name]]) for name in names}
        dense = sorted(haystack, key=lambda name: (-round(best[name], 9), haystack.index(name)))
        bm25 = sorted(haystack, key=lambda name: (-round(found[name]["bm25_score"], 9), haystack.index(name)))
        rrf = {name: 1 / (61 + dense.index(name)) + 1 / (61 + bm25.index(name)) for name in names}
        fused = sorted(haystack, key=lambda name: (-round(rrf[name], 9), haystack.index(name)))
        for column, expected in (("dense_rank", dense), ("bm25_rank", bm25), ("position", fused)):
            assert sorted(found, key=lambda name: found[name][column]) == expected
        assert {name: row["rrf"] for name, row in found.items()} == pytest.approx(rrf)


def rows(table: pl.DataFrame, query: int, *columns: str) -> list[tuple[object, ...]]:
    return table.filter(pl.col("query_index") == query).sort("document_index").select(columns).rows()


def test_sessions_against_hand_computed(inputs: Inputs) -> None:
    """Question 0, (1, 0): best turns a1 1.0, b 0, c1 0.8. Token 7: b has it twice of 2, a once of 3, c not at all."""
    table, pools = inputs.build()
    assert dict(table.schema) == CANDIDATES
    assert dict(pools.schema) == POOLS
    assert pools.rows() == [(0, "h0", 3, 2), (1, "h1", 2, 0), (2, "h0", 3, 2)]
    assert table.select("query_index", "position").rows() == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
        (2, 2),
    ]
    assert sum(table.null_count().row(0)) == 0
    idf, mean_length = np.log(1 + 1.5 / 2.5), 7 / 3
    norm = {n: 1.5 * (0.25 + 0.75 * n / mean_length) for n in (2, 3)}
    assert rows(table, 0, "document_index", "dense_rank", "bm25_rank", "position") == [
        (1, 0, 1, 0),
        (3, 2, 0, 1),
        (5, 1, 2, 2),
    ]
    scores = rows(table, 0, "dense_score", "bm25_score", "rrf")
    assert np.array(scores, np.float64) == pytest.approx(
        np.array(
            [
                (1.0, idf / (1 + norm[3]), 1 / 61 + 1 / 62),
                (0.0, idf * 2 / (2 + norm[2]), 1 / 63 + 1 / 61),
                (0.8, 0.0, 1 / 62 + 1 / 63),
            ]
        ),
        abs=1e-7,
    )


def test_equal_scores_are_in_the_order_of_the_scope(inputs: Inputs) -> None:
    """Question 2, (0.6, 0.8): best turns a0 = a2 = c0, all 1.0. Haystack 0 lists c before a, the corpus after it."""
    table, _ = inputs.build()
    assert rows(table, 2, "document_index", "dense_rank") == [(0, 1), (3, 2), (4, 0)]
    # Question 1 knows no word: every BM25 score is 0, haystack 1 lists b, then a.
    assert rows(table, 1, "document_index", "bm25_score", "bm25_rank") == [(0, 0.0, 1), (3, 0.0, 0)]


@pytest.mark.parametrize(("rank_origin", "rrf_k"), [(0, 60), (1, 5)])
def test_fusion_parameters_reach_the_fusion(inputs: Inputs, rank_origin: int, rrf_k: int) -> None:
    params = SessionScoreParams(ties=TieRule.EARLIEST, rank_origin=rank_origin, rrf_k=rrf_k)
    for dense, bm25, rrf in rows(inputs.build(params)[0], 0, "dense_rank", "bm25_rank", "rrf"):
        offset = rrf_k + rank_origin
        assert rrf == pytest.approx(1 / (offset + int(str(dense))) + 1 / (offset + int(str(bm25))))


@pytest.mark.parametrize("pool", ["mean", "max", "top2", "lse10", "lse2.5"])
def test_pools_against_their_formula(inputs: Inputs, pool: str) -> None:
    table, _ = inputs.build(SessionScoreParams(pool=pool, ties=TieRule.EARLIEST))
    vectors = np.array(VECTORS)
    for query, vector in enumerate(np.array(QUERY_VECTORS)):
        for document, found in rows(table, query, "document_index", "dense_score"):
            (turns,) = (turns for turns in TURNS.values() if document in turns)
            assert found == pytest.approx(pooled(pool, vector, vectors[turns]), abs=1e-6)


def pooled(pool: str, query: npt.NDArray[np.float64], turns: npt.NDArray[np.float64]) -> float:
    cosines = np.sort(turns @ query)[::-1]
    if pool == "mean":
        mean = turns.mean(axis=0)
        return float(query @ mean / np.linalg.norm(mean))
    if pool.startswith("lse"):
        beta = float(pool[3:])
        return float(np.log(np.exp(beta * cosines).sum()) / beta)
    return float(cosines[: {"max": 1, "top2": 2}[pool]].mean())


def test_a_session_is_known_by_its_best_turn_whatever_the_pool(inputs: Inputs) -> None:
    texts = write_vectors(inputs.folder / "texts", [[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]], QUERY_VECTORS)
    known = [rows(inputs.build()[0], query, "document_index") for query in range(3)]
    for pool in ("mean", "top3", "lse10", "text"):
        table, _ = inputs.build(SessionScoreParams(pool=pool), texts=texts)
        assert [rows(table, query, "document_index") for query in range(3)] == known


def test_text_scores_are_those_of_the_session_texts(inputs: Inputs) -> None:
    """Rows of the index are a, b, c, as in the table sessions; haystack 0 lists c, a, b."""
    texts = write_vectors(inputs.folder / "texts", [[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]], QUERY_VECTORS)
    table, _ = inputs.build(SessionScoreParams(pool="text", ties=TieRule.EARLIEST), texts=texts)
    assert np.array(rows(table, 0, "dense_score")).ravel() == pytest.approx([0.0, 1.0, 0.6])  # sessions a, b, c
    assert np.array(rows(table, 1, "dense_score")).ravel() == pytest.approx([1.0, 0.0])  # sessions a, b
    assert np.array(rows(table, 0, "dense_rank")).ravel().tolist() == [2, 0, 1]


def test_late_interaction_takes_the_place_of_cosines(inputs: Inputs) -> None:
    """The turns of haystack 0 are 4, 5 (c), 0, 1, 2 (a), 3 (b); those of haystack 1 are 3, 0, 1, 2."""
    late = inputs.late([[0.1, 0.5, 0.3, 0.2, 0.3, 0.9], [0.4, 0.1, 0.6, 0.2], [0.0, 0.0, 0.0, 0.0, 0.0, 0.25]])
    table, _ = inputs.build(SessionScoreParams(pool="top2", ties=TieRule.EARLIEST), late=late)
    expected = [[(0, 0.3), (3, 0.9), (5, 0.3)], [(1, 0.4), (3, 0.4)], [(0, 0.0), (3, 0.25), (4, 0.0)]]
    for query, of_query in enumerate(expected):
        found = rows(table, query, "document_index", "dense_score")
        assert [document for document, _ in found] == [document for document, _ in of_query]
        assert np.array([score for _, score in found]) == pytest.approx([score for _, score in of_query], abs=1e-6)


def test_only_asked_queries_search_and_their_scores_do_not_change(inputs: Inputs) -> None:
    everyone, _ = inputs.build(SessionScoreParams(pool="lse10"))
    asked = inputs.folder / "asked"
    asked.mkdir()
    write_asked(np.array([False, True, True]), asked)
    found, pools = inputs.build(SessionScoreParams(pool="lse10"), asked=asked)
    assert found.equals(everyone.filter(pl.col("query_index") > 0))
    assert pools["query_index"].to_list() == [1, 2]


@pytest.mark.parametrize("ties", TieRule)
def test_ranks_follow_the_scores_under_every_rule(inputs: Inputs, ties: TieRule) -> None:
    table, _ = inputs.build(SessionScoreParams(ties=ties))
    for (_,), part in table.group_by("query_index"):
        for rank, score in (("dense_rank", "dense_score"), ("bm25_rank", "bm25_score"), ("position", "rrf")):
            ordered = part.sort(rank)
            assert ordered[rank].to_list() == list(range(part.height))
            assert np.all(np.diff(ordered[score].to_numpy()) <= 1e-9)


def test_build_is_deterministic(inputs: Inputs) -> None:
    for one, two in zip(inputs.build(), inputs.build(), strict=True):
        assert one.equals(two)


def test_opaque_ties_hang_on_the_seed(inputs: Inputs) -> None:
    tables = [inputs.build(SessionScoreParams(tie_seed=seed))[0] for seed in range(8)]
    orders = {tuple(rows(table, 1, "bm25_rank")) for table in tables}
    assert len(orders) == 2


@pytest.mark.parametrize("protocol", ["haystack-turn", "pooled-turn"])
def test_a_protocol_that_ranks_turns_is_refused(inputs: Inputs, protocol: str) -> None:
    with pytest.raises(BenchError, match="expected one that ranks sessions"):
        inputs.build(protocol=protocol)


def test_inputs_that_do_not_belong_together_are_refused(inputs: Inputs) -> None:
    few = write_vectors(inputs.folder / "few", VECTORS[:5], QUERY_VECTORS)
    with pytest.raises(BenchError, match=r"\(5, 3, 3\).*expected \(6, 3, 3\)"):
        inputs.build(dense=few)
    with pytest.raises(BenchError, match="no dense index of session texts came"):
        inputs.build(SessionScoreParams(pool="text"))
    with pytest.raises(BenchError, match=r"\(6, 3\) sessions and queries; expected \(3, 3\)"):
        inputs.build(SessionScoreParams(pool="text"), texts=inputs.dense)
    full = [[0.0] * 6, [0.0] * 4, [0.0] * 6]
    with pytest.raises(BenchError, match="both came, or none"):
        inputs.build(dense=inputs.dense, late=inputs.late(full))
    with pytest.raises(BenchError, match="late interaction has no single vector per turn"):
        inputs.build(SessionScoreParams(pool="mean"), late=inputs.late(full))
    with pytest.raises(BenchError, match=r"\[5\] scores for each query of a scope with 6 turns"):
        inputs.build(late=inputs.late([[0.0] * 5, [0.0] * 4, [0.0] * 5]))
    with pytest.raises(BenchError, match="has 3 entries up to 10; expected 4 up to the 10 scores"):
        inputs.build(late=inputs.late(full[:2]))
    with pytest.raises(BenchError, match=r"no turn_scores\.npy"):
        inputs.build(late=inputs.dense)


def test_scores_that_are_no_numbers_are_refused(inputs: Inputs) -> None:
    broken = [*VECTORS[:5], [np.nan, 0.0]]
    with pytest.raises(BenchError, match="not finite"):
        inputs.build(dense=write_vectors(inputs.folder / "broken", broken, QUERY_VECTORS))


def test_pool_is_checked_and_written_in_one_way() -> None:
    assert SessionScoreParams(pool="lse2.50").pool == "lse2.5"
    with pytest.raises(ValidationError, match="expected mean, max, text"):
        SessionScoreParams(pool="median")

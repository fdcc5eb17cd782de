import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.candidates.build import CandidateParams, build
from tasks.candidates.ranking import TieRule
from tasks.candidates.search import CANDIDATES, POOLS
from tasks.corpora.samples import write_asked
from tasks.corpora.tables import CorpusWriter
from tasks.indexes.bm25 import Bm25Params, RaggedTokens, index_scope, write_index
from tasks.records import BenchError, Document, Query, ScopeMember, Session

Tokens = Sequence[Sequence[int]]
RELEASED = CandidateParams(rank_origin=0, ties=TieRule.RELEASED, fill_zero_scores=True)


def _ragged(lists: Tokens) -> RaggedTokens:
    return RaggedTokens.from_series(pl.Series([list(tokens) for tokens in lists], dtype=pl.List(pl.UInt32)))


def _normalised(vectors: Sequence[Sequence[float]]) -> npt.NDArray[np.float32]:
    array = np.array(vectors, dtype=np.float64)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True), dtype=np.float32)


class Inputs:
    """A corpus of `sizes[i]` documents in conversation i, with its indexes; query i belongs to conversation i mod n."""

    def __init__(
        self,
        folder: Path,
        documents: Tokens,
        queries: Tokens,
        *,
        sizes: Sequence[int] = (),
        vectors: Sequence[Sequence[float]] | None = None,
        query_vectors: Sequence[Sequence[float]] | None = None,
        prefix: str = "d",
    ) -> None:
        self.sizes = list(sizes) or [len(documents)]
        self.protocol = "conversation-turn" if sizes else "pooled-turn"
        self.directories = (folder / "corpus", folder / "dense", folder / "bm25")
        for directory in self.directories:
            directory.mkdir(parents=True)
        self._write_corpus(len(queries), prefix)
        rng = np.random.default_rng(0)
        np.save(
            self.directories[1] / "document_vectors.npy",
            _normalised(vectors or rng.random((len(documents), 4)).tolist()),
        )
        np.save(
            self.directories[1] / "query_vectors.npy",
            _normalised(query_vectors or rng.random((len(queries), 4)).tolist()),
        )
        edges = np.cumsum([0, *self.sizes])
        scopes = [index_scope(_ragged(documents[a:b]), Bm25Params()) for a, b in itertools.pairwise(edges.tolist())]
        names = [f"c{i}" for i in range(len(self.sizes))] if sizes else ["pool"]
        write_index(names, scopes, _ragged(queries), self.directories[2])
        self.out = folder / "out"
        self.out.mkdir()

    def _write_corpus(self, n_queries: int, prefix: str) -> None:
        with CorpusWriter(self.directories[0], "made-up") as writer:
            for number, size in enumerate(self.sizes):
                writer.add_session(Session(f"s{number}", number, size))
                writer.add_scope_member(ScopeMember(f"c{number}", f"s{number}", 0))
                for turn in range(size):
                    writer.add_document(
                        Document(f"{prefix}{number}-{turn}", "text", session_id=f"s{number}", turn_index=turn)
                    )
            for i in range(n_queries):
                writer.add_query(Query(f"q{i}", "text", "kind", scope_id=f"c{i % len(self.sizes)}"))

    def build(self, params: CandidateParams) -> tuple[pl.DataFrame, pl.DataFrame]:
        build(*self.directories, self.protocol, params, self.out)
        return pl.read_parquet(self.out / "candidates.parquet"), pl.read_parquet(self.out / "pools.parquet")


PLANE = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.5, 0.5]]


def test_candidates_against_hand_computed(tmp_path: Path) -> None:
    # Dense order for (1, 0): 0, 1, 3, 2. BM25 for token 7: document 2 alone. k = 2.
    inputs = Inputs(tmp_path, [[1], [1], [7], [1]], [[7]], vectors=PLANE, query_vectors=[[1.0, 0.0]])
    candidates, pools = inputs.build(CandidateParams(k=2, ties=TieRule.EARLIEST))
    assert candidates.schema == pl.Schema(CANDIDATES)
    assert pools.schema == pl.Schema(POOLS)
    assert pools.rows() == [(0, "pool", 4, 1)]
    assert candidates["document_index"].to_list() == [0, 2, 1]
    assert candidates["position"].to_list() == [0, 1, 2]
    assert candidates["dense_rank"].to_list() == [0, None, 1]
    assert candidates["bm25_rank"].to_list() == [None, 0, None]
    assert candidates["rrf"].to_list() == [1 / 61, 1 / 61, 1 / 62]
    assert candidates["dense_score"].to_list() == pytest.approx([1.0, 0.0, 0.9 / np.hypot(0.9, 0.1)], abs=1e-6)
    assert candidates["bm25_score"].null_count() == 2
    # N = 4, df 1, every length equal: ln(1 + 3.5/1.5) / 2.5
    assert candidates["bm25_score"][1] == pytest.approx(np.log(1 + 3.5 / 1.5) / 2.5)


def test_query_without_known_token_has_dense_candidates_only(tmp_path: Path) -> None:
    candidates, pools = Inputs(tmp_path, [[1], [2], [3]], [[]]).build(CandidateParams(k=2))
    assert candidates["bm25_rank"].null_count() == candidates.height == 2
    assert pools["n_matching"].to_list() == [0]


@pytest.mark.parametrize(("fills", "n_listed"), [(True, 3), (False, 1)])
def test_zero_scores_fill_the_list_only_on_demand(tmp_path: Path, fills: bool, n_listed: int) -> None:
    inputs = Inputs(tmp_path, [[1], [1], [7], [1]], [[7]])
    candidates, pools = inputs.build(CandidateParams(k=3, fill_zero_scores=fills))
    listed = candidates.drop_nulls("bm25_rank").sort("bm25_rank")
    assert listed["bm25_rank"].to_list() == list(range(n_listed))
    assert listed["document_index"][0] == 2
    assert listed["bm25_score"].null_count() == 0
    assert pools["n_matching"].to_list() == [1]


def test_released_fills_in_numpy_order(tmp_path: Path) -> None:
    n = 40
    tokens = [[7] if i % 9 == 0 else [1] for i in range(n)]
    candidates, _ = Inputs(tmp_path, tokens, [[7]]).build(RELEASED)
    scores = index_scope(_ragged(tokens), Bm25Params()).scores(np.array([7], np.uint32))
    listed = candidates.drop_nulls("bm25_rank").sort("bm25_rank")["document_index"].to_list()
    assert listed == np.argsort(scores)[::-1][:30].tolist()


@pytest.mark.parametrize("params", [CandidateParams(), RELEASED])
@pytest.mark.parametrize("n_documents", [1, 4])
def test_k_larger_than_scope(tmp_path: Path, n_documents: int, params: CandidateParams) -> None:
    candidates, pools = Inputs(tmp_path, [[1]] * n_documents, [[1], [9]]).build(params)
    assert pools["n_documents"].to_list() == [n_documents] * 2
    for query in (0, 1):
        found = candidates.filter(pl.col("query_index") == query)["document_index"].to_list()
        assert sorted(found) == list(range(n_documents))


def test_queries_see_their_own_conversation_only(tmp_path: Path) -> None:
    tokens = [[1, 2], [2], [1], [1, 3], [3]]
    candidates, pools = Inputs(tmp_path, tokens, [[1], [1], [3]], sizes=[2, 3]).build(CandidateParams())
    assert pools.rows() == [(0, "c0", 2, 1), (1, "c1", 3, 2), (2, "c0", 2, 0)]
    for query, own in ((0, {0, 1}), (1, {2, 3, 4}), (2, {0, 1})):
        assert set(candidates.filter(pl.col("query_index") == query)["document_index"]) == own


def _all_tied(folder: Path, prefix: str, params: CandidateParams) -> list[int]:
    inputs = Inputs(folder, [[1]] * 50, [[1]], vectors=[[1.0, 0.0]] * 50, query_vectors=[[1.0, 0.0]], prefix=prefix)
    return inputs.build(params)[0]["document_index"].to_list()


def test_ties_at_the_cut_are_decided_by_the_rule(tmp_path: Path) -> None:
    earliest = _all_tied(tmp_path / "a", "d", CandidateParams(k=5, ties=TieRule.EARLIEST))
    assert earliest == [0, 1, 2, 3, 4]
    opaque = _all_tied(tmp_path / "b", "d", CandidateParams(k=5))
    assert opaque != earliest
    assert len(opaque) == 5  # the same five in both lists: the rule is one
    assert opaque != _all_tied(tmp_path / "c", "d", CandidateParams(k=5, tie_seed=1))


def test_tie_order_hangs_on_the_key_alone(tmp_path: Path) -> None:
    """An `answer_` in every id changes the keys (they are hashes of the ids), never in favour of a document."""
    plain = _all_tied(tmp_path / "a", "d", CandidateParams(k=50))
    telling = _all_tied(tmp_path / "b", "answer_", CandidateParams(k=50))
    assert sorted(plain) == sorted(telling) == list(range(50))


def test_depth_gives_a_prefix_of_each_list(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    tokens = [rng.integers(0, 12, size=6).tolist() for _ in range(120)]
    lists: dict[int, Any] = {}
    for k in (7, 30):
        candidates, _ = Inputs(tmp_path / str(k), tokens, [[1, 2, 3], [4]]).build(CandidateParams(k=k))
        lists[k] = {
            (query, rank): candidates.filter(pl.col("query_index") == query).drop_nulls(rank).sort(rank)
            for query in (0, 1)
            for rank in ("dense_rank", "bm25_rank")
        }
    for name, shallow in lists[7].items():
        assert shallow["document_index"].to_list() == lists[30][name]["document_index"].to_list()[:7]


def test_build_is_deterministic(tmp_path: Path) -> None:
    tokens = [[i % 5, i % 3] for i in range(60)]
    inputs = [Inputs(tmp_path / name, tokens, [[1], [2, 0]]) for name in ("a", "b")]
    for one in inputs:
        one.build(CandidateParams())
    for name in ("candidates.parquet", "pools.parquet"):
        assert (inputs[0].out / name).read_bytes() == (inputs[1].out / name).read_bytes()


def test_no_queries(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path, [[1]], [], query_vectors=[[1.0, 0.0, 0.0, 0.0]])
    np.save(inputs.directories[1] / "query_vectors.npy", np.empty((0, 4), np.float32))
    candidates, pools = inputs.build(CandidateParams())
    assert candidates.schema == pl.Schema(CANDIDATES)
    assert (candidates.height, pools.height) == (0, 0)


def test_indexes_of_another_corpus_are_refused(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path, [[1], [2]], [[1]])
    np.save(inputs.directories[1] / "document_vectors.npy", np.ones((3, 4), np.float32))
    with pytest.raises(BenchError, match=r"\(3, 1, 1\).*expected \(2, 1, 1\)"):
        inputs.build(CandidateParams())


def test_bm25_index_of_another_protocol_is_refused(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path, [[1], [2]], [[1]])
    inputs.protocol = "conversation-turn"
    with pytest.raises(BenchError, match="other scopes than protocol conversation-turn"):
        inputs.build(CandidateParams())


@pytest.mark.parametrize("wrong", [{"k": 0}, {"rank_origin": 2}, {"ties": "random"}, {"depth": 3}])
def test_wrong_parameter_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CandidateParams.model_validate(wrong)


def test_only_asked_queries_search(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path, [[1], [1], [7], [1]], [[7], [1], [7]])
    everyone, _ = inputs.build(CandidateParams(k=2))
    asked = tmp_path / "asked"
    asked.mkdir()
    write_asked(np.array([False, True, True]), asked)
    build(*inputs.directories, inputs.protocol, CandidateParams(k=2), inputs.out, asked_dir=asked)
    found = pl.read_parquet(inputs.out / "candidates.parquet")
    assert found.equals(everyone.filter(pl.col("query_index") > 0))
    assert pl.read_parquet(inputs.out / "pools.parquet")["query_index"].to_list() == [1, 2]


def test_equal_scores_of_the_two_lists_keep_the_order_of_the_lists(tmp_path: Path) -> None:
    # Dense: 0, 1; BM25 for token 7: 2 alone. Documents 0 and 2 are both first in one list: equal RRF.
    orders = {}
    for ties in (TieRule.RELEASED, TieRule.RELEASED_BM25_FIRST):
        folder = tmp_path / ties
        folder.mkdir()
        inputs = Inputs(folder, [[1], [1], [7], [1]], [[7]], vectors=PLANE, query_vectors=[[1.0, 0.0]])
        candidates, _ = inputs.build(CandidateParams(k=2, ties=ties))
        orders[ties] = candidates["document_index"].to_list()
        ranks = {row["document_index"]: (row["dense_rank"], row["bm25_rank"]) for row in candidates.to_dicts()}
        assert ranks == {0: (0, None), 1: (1, None), 2: (None, 0)}
    assert orders == {TieRule.RELEASED: [0, 2, 1], TieRule.RELEASED_BM25_FIRST: [2, 0, 1]}


def test_scores_that_are_weighed_order_the_union_against_the_formula(tmp_path: Path) -> None:
    """Protocol B.2 over the union of the lists; `rrf` is then that of the fused rank in both lists."""
    inputs = Inputs(tmp_path, [[1], [1], [7], [1]], [[7]], vectors=PLANE, query_vectors=[[1.0, 0.0]])
    weight = 0.3
    candidates, _ = inputs.build(CandidateParams(k=2, ties=TieRule.EARLIEST, combine="z", bm25_weight=weight))
    bm25 = {0: 0.0, 1: 0.0, 2: float(np.log(1 + 3.5 / 1.5) / 2.5)}
    dense = {0: 1.0, 1: 0.9 / float(np.hypot(0.9, 0.1)), 2: 0.0}
    z = {
        d: weight * (bm25[d] - np.mean(list(bm25.values()))) / np.std(list(bm25.values()))
        + (1 - weight) * (dense[d] - np.mean(list(dense.values()))) / np.std(list(dense.values()))
        for d in bm25
    }
    assert candidates["document_index"].to_list() == sorted(z, key=lambda d: -z[d])
    assert candidates["rrf"].to_list() == [2 / 61, 2 / 62, 2 / 63]
    by_rank, _ = inputs.build(CandidateParams(k=2, ties=TieRule.EARLIEST))
    same = ["document_index", "dense_rank", "bm25_rank", "dense_score", "bm25_score"]
    assert candidates.select(same).sort("document_index").equals(by_rank.select(same).sort("document_index"))


@pytest.mark.parametrize(("weight", "first"), [(1.0, 2), (0.0, 0)])
def test_all_the_weight_on_one_list_puts_its_best_first(tmp_path: Path, weight: float, first: int) -> None:
    inputs = Inputs(tmp_path, [[1], [1], [7], [1]], [[7]], vectors=PLANE, query_vectors=[[1.0, 0.0]])
    candidates, _ = inputs.build(CandidateParams(k=2, combine="z", bm25_weight=weight))
    assert candidates["document_index"][0] == first

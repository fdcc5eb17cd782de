import math
from pathlib import Path
from typing import Literal

import bm25s
import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.corpora.tables import CorpusWriter
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Index, Bm25Params, RaggedTokens, index_scope, okapi_floor_idf
from tasks.records import BenchError, Document, Query, ScopeMember, Session

Tokens = list[list[int]]
FLOOR = Bm25Params(variant="okapi-floor")
LUCENE = Bm25Params()
BM25L = Bm25Params(variant="bm25l")
Variant = Literal["lucene", "okapi-floor", "bm25l"]


def _ragged(lists: Tokens) -> RaggedTokens:
    return RaggedTokens.from_series(pl.Series(lists, dtype=pl.List(pl.UInt32)))


def _query(*tokens: int) -> npt.NDArray[np.uint32]:
    return np.array(tokens, np.uint32)


def _random_tokens(seed: int, n_documents: int = 60) -> Tokens:
    rng = np.random.default_rng(seed)
    return [np.minimum(rng.geometric(0.12, size=int(rng.integers(0, 30))), 40).tolist() for _ in range(n_documents)]


def _rank_bm25_okapi(documents: Tokens, query: list[int], *, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """Score every document as rank_bm25's Okapi does: a dense loop over documents and tokens."""
    n, mean_length = len(documents), sum(map(len, documents)) / len(documents)
    vocabulary = sorted({token for document in documents for token in document})
    idf = {}
    for token in vocabulary:
        df = sum(token in document for document in documents)
        idf[token] = math.log(n - df + 0.5) - math.log(df + 0.5)
    floor = 0.25 * sum(idf.values()) / len(idf)
    idf = {token: floor if value < 0 else value for token, value in idf.items()}
    scores = []
    for document in documents:
        score = 0.0
        for token in query:
            tf = document.count(token)
            score += idf.get(token, 0.0) * (tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / mean_length)))
        scores.append(score)
    return scores


def test_lucene_against_hand_computed() -> None:
    # N = 2, mean length 1.5. Token 7: df 1, idf ln(1 + 1.5/1.5) = ln 2; tf 1, length 2: norm 1.5 (0.25 + 0.75 * 2/1.5)
    index = index_scope(_ragged([[7, 8], [8]]), LUCENE)
    assert index.scores(_query(7)).tolist() == pytest.approx([math.log(2) / 2.875, 0.0], abs=1e-15)


def test_okapi_floor_against_hand_computed() -> None:
    # N = 3; df 3, 1, 1: idf ln(0.5/3.5) < 0, ln(2.5/1.5) twice; all documents have the mean length 2, so norm = 1.5.
    rare, common = math.log(2.5 / 1.5), math.log(0.5 / 3.5)
    index = index_scope(_ragged([[1, 2], [1, 3], [1, 1]]), FLOOR)
    floor = 0.25 * (2 * rare + common) / 3
    assert floor < 0  # a mean below zero stays below zero, as in rank_bm25
    expected = [floor + rare, floor, floor * 2 * 2.5 / 3.5]
    assert index.scores(_query(1, 2)).tolist() == pytest.approx(expected, abs=1e-15)


def test_okapi_floor_idf_replaces_only_negative() -> None:
    idf = okapi_floor_idf(np.array([1, 2, 4]), 4)  # ln(3.5/1.5), ln 1 = 0, ln(0.5/4.5)
    mean = (math.log(3.5 / 1.5) + 0.0 + math.log(0.5 / 4.5)) / 3
    assert idf.tolist() == pytest.approx([math.log(3.5 / 1.5), 0.0, 0.25 * mean])


@pytest.mark.parametrize("seed", range(4))
def test_okapi_floor_against_dense_rank_bm25_formula(seed: int) -> None:
    documents = _random_tokens(seed)
    index = index_scope(_ragged(documents), FLOOR)
    for query in ([1], [1, 2, 3], [3, 3, 1], [40, 17, 9, 9, 9], [2, 999]):
        known = [token for token in query if token != 999]
        expected = _rank_bm25_okapi(documents, known)
        np.testing.assert_allclose(index.scores(_query(*query)), expected, rtol=1e-12, atol=1e-12)


def _bm25l(documents: Tokens, query: list[int], k1: float, b: float) -> list[float]:
    """Score every document by protocol B.2's BM25L, one document and token at a time."""
    n, mean_length = len(documents), sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for token in query:
            tf, df = document.count(token), sum(token in other for other in documents)
            if tf > 0:
                c = tf / (1 - b + b * len(document) / mean_length)
                score += math.log((n + 1) / (df + 0.5)) * (k1 + 1) * (c + 0.5) / (k1 + c + 0.5)
        scores.append(score)
    return scores


def test_bm25l_against_hand_computed() -> None:
    # N = 2, mean length 1.5; token 7: df 1, idf ln(3/1.5); tf 1, length 2: c = 1 / (0.25 + 0.75 * 2/1.5) = 0.8
    index = index_scope(_ragged([[7, 8], [8]]), BM25L)
    assert index.scores(_query(7)).tolist() == pytest.approx([math.log(2) * 2.5 * 1.3 / 2.8, 0.0], abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.4, 0.0), (3.0, 1.0), (0.0, 0.5)])
def test_bm25l_against_its_formula(seed: int, k1: float, b: float) -> None:
    documents = _random_tokens(seed)
    index = index_scope(_ragged(documents), Bm25Params(variant="bm25l", k1=k1, b=b))
    for query in ([1], [1, 2, 3], [3, 3, 1], [40, 17, 9]):
        np.testing.assert_allclose(index.scores(_query(*query)), _bm25l(documents, query, k1, b), atol=1e-12)


def test_lucene_against_bm25s() -> None:
    documents = _random_tokens(9)
    engine = bm25s.BM25(k1=1.2, b=0.6, method="lucene", dtype="float64")
    engine.index((documents, {str(token): token for token in range(41)}), show_progress=False)
    index = index_scope(_ragged(documents), Bm25Params(k1=1.2, b=0.6))
    for query in ([1], [5, 6, 7], [2, 2, 30]):
        np.testing.assert_allclose(
            index.scores(_query(*query)), engine.get_scores_from_ids(query), rtol=1e-14, atol=1e-14
        )


def test_query_token_counts_as_often_as_it_occurs() -> None:
    index = index_scope(_ragged([[1, 2], [2, 3]]), LUCENE)
    np.testing.assert_allclose(index.scores(_query(1, 1)), 2 * index.scores(_query(1)))


@pytest.mark.parametrize("params", [LUCENE, FLOOR, BM25L])
def test_documents_with_equal_tokens_tie_exactly(params: Bm25Params) -> None:
    documents = _random_tokens(3)
    index = index_scope(_ragged([*documents, [4, 5, 6, 4], *documents, [6, 4, 5, 4]]), params)
    scores = index.scores(_query(4, 6, 1, 2))
    assert scores[len(documents)] == scores[-1] > 0


@pytest.mark.parametrize("params", [LUCENE, FLOOR, BM25L])
@pytest.mark.parametrize("query", [(), (99,)])
def test_query_without_known_token_scores_nothing(params: Bm25Params, query: tuple[int, ...]) -> None:
    assert index_scope(_ragged([[1], [2, 3]]), params).scores(_query(*query)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("params", [LUCENE, FLOOR, BM25L])
@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_scope_without_tokens_scores_nothing(params: Bm25Params, documents: Tokens) -> None:
    assert index_scope(_ragged(documents), params).scores(_query(1)).tolist() == [0.0] * len(documents)


def test_empty_document_counts_in_statistics() -> None:
    # N = 2, mean length 1/2: idf ln(1 + 1.5/1.5), norm 1.5 (0.25 + 0.75 * 2)
    scores = index_scope(_ragged([[1], []]), LUCENE).scores(_query(1))
    assert scores.tolist() == pytest.approx([math.log(2) / (1 + 1.5 * 1.75), 0.0])


@pytest.mark.parametrize("wrong", [{"k1": -1}, {"b": 1.5}, {"variant": "okapi"}, {"k2": 1}])
def test_wrong_parameter_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Bm25Params.model_validate(wrong)


# --- the artifact -----------------------------------------------------------------------------------------------


def _write_inputs(folder: Path, tokens: Tokens, queries: Tokens) -> tuple[Path, Path]:
    """Write a corpus of two conversations, the first with two documents, and its tokens."""
    corpus, token_dir = folder / "corpus", folder / "tokens"
    corpus.mkdir(parents=True)
    token_dir.mkdir()
    with CorpusWriter(corpus, "made-up") as writer:
        for number, n_turns in enumerate([2, len(tokens) - 2]):
            writer.add_session(Session(f"s{number}", number, n_turns))
            writer.add_scope_member(ScopeMember(f"c{number}", f"s{number}", 0))
        for i in range(len(tokens)):
            session, turn = (0, i) if i < 2 else (1, i - 2)
            writer.add_document(Document(f"d{i}", "text", session_id=f"s{session}", turn_index=turn))
        for i in range(len(queries)):
            writer.add_query(Query(f"q{i}", "text", "kind", scope_id=f"c{i % 2}"))
    for name, lists in (("document", tokens), ("query", queries)):
        pl.DataFrame(
            {f"{name}_index": range(len(lists)), "tokens": lists},
            schema={f"{name}_index": pl.Int32, "tokens": pl.List(pl.UInt32)},
        ).write_parquet(token_dir / f"{name}_tokens.parquet")
    return token_dir, corpus


def _build(folder: Path, protocol: str, variant: Variant, tokens: Tokens, queries: Tokens) -> Path:
    inputs = _write_inputs(folder, tokens, queries)
    out = folder / "out"
    out.mkdir()
    build_bm25.build(*inputs, protocol, Bm25Params(variant=variant), out)
    return out


TOKENS: Tokens = [[1, 2], [2, 2, 3], [2, 4], [], [1, 5, 5]]


@pytest.mark.parametrize("variant", ["lucene", "okapi-floor", "bm25l"])
def test_statistics_are_those_of_the_scope(tmp_path: Path, variant: Variant) -> None:
    index = Bm25Index(_build(tmp_path, "conversation-turn", variant, TOKENS, [[2], [2, 9], []]))
    assert index.scope_ids == ["c0", "c1"]
    for number, documents in enumerate([TOKENS[:2], TOKENS[2:]]):
        alone = index_scope(_ragged(documents), Bm25Params(variant=variant))
        assert index.scope(number).scores(_query(1, 2)).tolist() == alone.scores(_query(1, 2)).tolist()
    assert [index.queries[i].tolist() for i in range(3)] == [[2], [2, 9], []]


def test_pooled_protocol_has_one_scope(tmp_path: Path) -> None:
    index = Bm25Index(_build(tmp_path, "pooled-turn", "lucene", TOKENS, [[2]]))
    assert index.scope_ids == ["pool"]
    whole = index_scope(_ragged(TOKENS), LUCENE)
    assert index.scope(0).scores(_query(2, 5)).tolist() == whole.scores(_query(2, 5)).tolist()


def test_build_is_deterministic(tmp_path: Path) -> None:
    first, second = (_build(tmp_path / name, "conversation-turn", "okapi-floor", TOKENS, [[2]]) for name in ("a", "b"))
    assert sorted(path.name for path in first.iterdir()) == sorted(path.name for path in second.iterdir())
    assert all(path.read_bytes() == (second / path.name).read_bytes() for path in first.iterdir())


def test_tokens_of_another_corpus_are_refused(tmp_path: Path) -> None:
    tokens, corpus = _write_inputs(tmp_path, TOKENS, [[1]])
    pl.read_parquet(tokens / "document_tokens.parquet").head(3).write_parquet(tokens / "document_tokens.parquet")
    with pytest.raises(BenchError, match=r"document_tokens\.parquet has 3 rows; expected 5"):
        build_bm25.build(tokens, corpus, "pooled-turn", LUCENE, tmp_path)


def test_reading_an_absent_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="run the indexes stage"):
        Bm25Index(tmp_path)

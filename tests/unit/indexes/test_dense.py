from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from tasks.indexes import build_dense
from tasks.indexes.dense import exact_scores, neighbourhoods, open_vectors
from tasks.records import BenchError

Vectors = npt.NDArray[np.float32]


def _unit(n: int, width: int = 16, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((n, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _texts(folder: Path, name: str, keys: list[str]) -> None:
    pl.DataFrame(
        {f"{name}_index": range(len(keys)), "text_key": keys, "text": keys},
        schema={f"{name}_index": pl.Int32, "text_key": pl.Utf8, "text": pl.Utf8},
    ).write_parquet(folder / f"{name}_texts.parquet")


def _shard(folder: Path, vectors: Mapping[str, list[float]], *, is_fixed: bool = True) -> Path:
    folder.mkdir()
    width = len(next(iter(vectors.values()), []))
    dtype = pl.Array(pl.Float32, width) if is_fixed else pl.List(pl.Float32)
    pl.DataFrame(
        {"text_key": list(vectors), "vector": list(vectors.values())}, schema={"text_key": pl.Utf8, "vector": dtype}
    ).write_parquet(folder / "vectors.parquet")
    return folder


@pytest.mark.parametrize("n_queries", [3, 50])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_neighbourhood_holds_the_best_against_full_scan(k: int, n_queries: int) -> None:
    documents, queries = _unit(500), _unit(n_queries, seed=1)
    for query, (rows, scores) in zip(queries, neighbourhoods(documents, queries, k), strict=True):
        everything = documents.astype(np.float64) @ query.astype(np.float64)
        best = np.argsort(-everything)[:k]
        assert set(best) <= set(rows)
        np.testing.assert_allclose(scores, everything[rows], atol=1e-14)


def test_all_documents_tied_at_the_cut_are_found() -> None:
    documents = _unit(900)
    documents[200:700] = documents[3]
    ((rows, scores),) = neighbourhoods(documents, documents[3:4], 10)
    assert {3, *range(200, 700)} <= set(rows.tolist())
    assert np.unique(scores[np.isin(rows, [3, *range(200, 700)])]).size == 1


def test_scores_do_not_depend_on_batch() -> None:
    documents, queries = _unit(300, 384), _unit(64, 384, seed=2)
    together = neighbourhoods(documents, queries, 20)
    for number in (0, 31, 63):
        ((rows, scores),) = neighbourhoods(documents, queries[number : number + 1], 20)
        alone, batched = (dict(zip(*pair, strict=True)) for pair in ((rows, scores), together[number]))
        best = sorted(alone, key=lambda row: -alone[row])[:20]
        assert [batched[row] for row in best] == [alone[row] for row in best]


def test_equal_vectors_score_equally_wherever_they_stand() -> None:
    documents = _unit(1001, 384)
    documents[1000] = documents[0]
    scores = exact_scores(documents, np.array([1000, 5, 0]), _unit(1, 384, seed=3)[0])
    assert scores[0] == scores[2] != scores[1]


@pytest.mark.parametrize("n_documents", [0, 1, 4])
def test_k_larger_than_corpus(n_documents: int) -> None:
    found = neighbourhoods(_unit(n_documents), _unit(2, seed=1), 30)
    assert [sorted(rows.tolist()) for rows, _ in found] == [list(range(n_documents))] * 2


def test_no_queries() -> None:
    assert neighbourhoods(_unit(5), _unit(0), 3) == []


@pytest.mark.parametrize("is_fixed", [True, False])
def test_rows_are_in_index_order_and_repeated_texts_share_a_vector(tmp_path: Path, is_fixed: bool) -> None:
    _texts(tmp_path, "document", ["b", "a", "b"])
    _texts(tmp_path, "query", ["a"])
    shards = [
        _shard(tmp_path / "s0", {"a": [1.0, 0.0], "unused": [0.5, 0.5]}, is_fixed=is_fixed),
        _shard(tmp_path / "s1", {"b": [0.0, 1.0]}, is_fixed=is_fixed),
    ]
    build_dense.build(tmp_path, shards, shards[:1], tmp_path)
    documents, queries = open_vectors(tmp_path)
    assert documents.dtype == queries.dtype == np.float32
    assert documents.tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    assert queries.tolist() == [[1.0, 0.0]]


def test_missing_vector_is_an_error(tmp_path: Path) -> None:
    _texts(tmp_path, "document", ["b", "a", "b"])
    _texts(tmp_path, "query", ["a"])
    shards = [_shard(tmp_path / "s0", {"a": [1.0, 0.0]})]
    with pytest.raises(BenchError, match=r"2 of 3 rows of document_texts\.parquet have no vector .* key: b"):
        build_dense.build(tmp_path, shards, shards, tmp_path)


def test_vectors_of_two_widths_are_an_error(tmp_path: Path) -> None:
    _texts(tmp_path, "document", ["a", "b"])
    _texts(tmp_path, "query", ["a"])
    shards = [_shard(tmp_path / "s0", {"a": [1.0, 0.0]}), _shard(tmp_path / "s1", {"b": [1.0]})]
    with pytest.raises(BenchError, match="vectors of 1 dimensions; expected 2"):
        build_dense.build(tmp_path, shards, shards, tmp_path)


def test_opening_an_absent_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="run the indexes stage"):
        open_vectors(tmp_path)

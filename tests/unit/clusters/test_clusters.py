from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.clusters.build import build
from tasks.clusters.kmeans import (
    ClusterParams,
    ClusterSource,
    assign_clusters,
    effective_count,
    fit_centroids,
    nearest,
)
from tasks.corpora.tables import CorpusWriter
from tasks.records import Document, Query, ScopeMember, Session


def _blobs(n_blobs: int, size: int, *, width: int = 16) -> npt.NDArray[np.float32]:
    """Return well separated groups on the sphere, blob i at rows i * size and on."""
    noise = 0.02 * np.random.default_rng(0).standard_normal((n_blobs * size, width))
    vectors = np.repeat(np.eye(width)[:n_blobs], size, axis=0) + noise
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def test_separated_groups_are_found() -> None:
    clusters = assign_clusters(_blobs(2, 40), 2).tolist()
    assert {*clusters[:40]} != {*clusters[40:]}
    assert len({*clusters[:40]}) == len({*clusters[40:]}) == 1


def test_assignment_against_faiss() -> None:
    """Study A: faiss.Kmeans with its defaults, and the centroid with the largest inner product."""
    faiss = pytest.importorskip("faiss")
    vectors = _blobs(8, 50)
    model = faiss.Kmeans(16, 5, niter=20, seed=42)  # 80 points per cluster: no warning
    model.train(vectors)
    assert assign_clusters(vectors, 5).tolist() == np.argmax(vectors @ model.centroids.T, axis=1).tolist()


@pytest.mark.parametrize("n_clusters", [0, 1])
def test_zero_and_one_are_global(n_clusters: int) -> None:
    assert assign_clusters(_blobs(3, 5), n_clusters).tolist() == [0] * 15


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_more_clusters_than_queries(n: int) -> None:
    clusters = assign_clusters(_blobs(7, 1)[:n], 30)
    assert clusters.dtype == np.int32
    assert len(set(clusters.tolist())) == n


def test_few_points_give_no_warning(capfd: pytest.CaptureFixture[str]) -> None:
    assign_clusters(_blobs(5, 4), 5)
    assert capfd.readouterr() == ("", "")


def test_identical_queries_do_not_fail() -> None:
    clusters = assign_clusters(np.repeat(_blobs(1, 1), 12, axis=0), 4)
    assert len(set(clusters.tolist())) == 1


def test_effective_count_of_conversations_is_a_tenth() -> None:
    assert effective_count(30, 105, is_pooled=False) == 10
    assert effective_count(30, 400, is_pooled=False) == 30
    assert effective_count(30, 3, is_pooled=False) == 1
    assert effective_count(0, 400, is_pooled=True) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"counts": ()},
        {"counts": (-1,)},
        {"counts": (3, 3)},
        {"k": 3},
        {"niter": 0},
        {"sources": ()},
        {"sources": ("buffer",)},
        {"sources": ("corpus", "corpus")},
        {"sources": ("documents",)},
    ],
)
def test_wrong_parameter_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ClusterParams.model_validate(wrong)


@pytest.mark.parametrize("k", [0, 1, 2, 9])
def test_few_points_have_centroids(k: int) -> None:
    """Of one cluster the centroid is the mean, of as many clusters as points they are the points."""
    vectors = _blobs(3, 1)
    centroids = fit_centroids(vectors, k)
    assert centroids.shape == (min(max(k, 1), 3), 16)
    if k <= 1:
        np.testing.assert_allclose(centroids[0], vectors.mean(axis=0), atol=1e-7)
    if k == 9:
        np.testing.assert_allclose(np.sort(centroids, axis=0), np.sort(vectors, axis=0), atol=1e-7)
    assert fit_centroids(vectors[:0], k).shape == (0, 16)


def test_nearest_is_the_largest_inner_product_and_of_equal_ones_the_first() -> None:
    """Not the nearest in distance: a long centroid wins over a close one."""
    centroids = np.array([[0.1, 0.0], [0.9, 0.3], [0.9, 0.3]])
    assert nearest(np.array([[1.0, 0.0], [0.1, -1.0]], np.float32), centroids).tolist() == [1, 0]


def _inputs(folder: Path, n_queries: int, documents_per_scope: int = 1) -> tuple[Path, Path]:
    corpus, dense = folder / "corpus", folder / "dense"
    corpus.mkdir()
    dense.mkdir()
    with CorpusWriter(corpus, "made-up") as writer:
        for number in range(2):
            writer.add_session(Session(f"s{number}", number, documents_per_scope))
            writer.add_scope_member(ScopeMember(f"c{number}", f"s{number}", 0))
            for turn in range(documents_per_scope):
                writer.add_document(Document(f"d{number}-{turn}", "text", session_id=f"s{number}", turn_index=turn))
        for i in range(n_queries):
            writer.add_query(Query(f"q{i}", "text", "kind", scope_id=f"c{i % 2}"))
    np.save(dense / "document_vectors.npy", np.random.default_rng(1).permutation(_blobs(2, documents_per_scope)))
    np.save(dense / "query_vectors.npy", _blobs(3, n_queries // 3))
    return dense, corpus


@pytest.mark.parametrize(("protocol", "n_scopes"), [("pooled-turn", 1), ("conversation-turn", 2)])
def test_every_query_is_in_one_cluster_per_count(tmp_path: Path, protocol: str, n_scopes: int) -> None:
    build(*_inputs(tmp_path, 60), protocol, ClusterParams(counts=(1, 3, 30)), tmp_path)
    frame = pl.read_parquet(tmp_path / "clusters.parquet")
    assert dict(frame.schema) == {
        "source": pl.Utf8,
        "n_clusters": pl.Int32,
        "scope_id": pl.Utf8,
        "query_index": pl.Int32,
        "cluster": pl.Int32,
    }
    assert frame["scope_id"].n_unique() == n_scopes
    for count in (1, 3, 30):
        assert frame.filter(pl.col("n_clusters") == count)["query_index"].to_list() == list(range(60))
    found = dict(frame.group_by("n_clusters").agg(pl.col("cluster").max()).iter_rows())
    assert found[1] == 0
    assert found[3] == 2
    assert found[30] <= (29 if n_scopes == 1 else 2)  # 30 queries a conversation: K = 3


def test_clusters_do_not_look_across_conversations(tmp_path: Path) -> None:
    dense, corpus = _inputs(tmp_path, 60)
    build(dense, corpus, "conversation-turn", ClusterParams(counts=(3,)), tmp_path)
    frame = pl.read_parquet(tmp_path / "clusters.parquet")
    own = np.load(dense / "query_vectors.npy")[0::2]
    assert frame.filter(pl.col("scope_id") == "c0")["cluster"].to_list() == assign_clusters(own, 3).tolist()


@pytest.mark.parametrize("protocol", ["pooled-turn", "conversation-turn"])
def test_corpus_clusters_against_faiss(tmp_path: Path, protocol: str) -> None:
    """Entry-based clusters: centroids of the documents that the scope holds, queries assigned to them."""
    faiss = pytest.importorskip("faiss")
    dense, corpus = _inputs(tmp_path, 60, documents_per_scope=100)
    sources = (ClusterSource.ALL_QUERIES, ClusterSource.CORPUS)
    build(dense, corpus, protocol, ClusterParams(counts=(1, 2), sources=sources), tmp_path)
    frame = pl.read_parquet(tmp_path / "clusters.parquet")
    assert frame.group_by("source", "n_clusters").len()["len"].to_list() == [60] * 4
    queries, documents = np.load(dense / "query_vectors.npy"), np.load(dense / "document_vectors.npy")
    own, held = (np.arange(60), np.arange(200)) if protocol == "pooled-turn" else (np.arange(1, 60, 2), slice(100, 200))
    model = faiss.Kmeans(16, 2, niter=20, seed=42)
    model.train(documents[held])
    expected = np.argmax(queries[own] @ model.centroids.T, axis=1)
    mine = frame.filter((pl.col("source") == "corpus") & (pl.col("n_clusters") == 2)).sort("query_index")["cluster"]
    assert mine.to_numpy()[own].tolist() == expected.tolist()
    assert len(set(expected.tolist())) == 2

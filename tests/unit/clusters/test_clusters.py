from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.clusters.build import build, effective_count
from tasks.clusters.kmeans import ClusterParams, assign_clusters
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
    assert effective_count(30, 105, "conversation-turn") == 10
    assert effective_count(30, 400, "conversation-turn") == 30
    assert effective_count(30, 3, "conversation-turn") == 1
    assert effective_count(0, 400, "pooled-turn") == 1


@pytest.mark.parametrize("wrong", [{"counts": ()}, {"counts": (-1,)}, {"counts": (3, 3)}, {"k": 3}, {"niter": 0}])
def test_wrong_parameter_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ClusterParams.model_validate(wrong)


def _inputs(folder: Path, n_queries: int) -> tuple[Path, Path]:
    corpus, dense = folder / "corpus", folder / "dense"
    corpus.mkdir()
    dense.mkdir()
    with CorpusWriter(corpus, "made-up") as writer:
        for number in range(2):
            writer.add_session(Session(f"s{number}", number, 1))
            writer.add_scope_member(ScopeMember(f"c{number}", f"s{number}", 0))
            writer.add_document(Document(f"d{number}", "text", session_id=f"s{number}", turn_index=0))
        for i in range(n_queries):
            writer.add_query(Query(f"q{i}", "text", "kind", scope_id=f"c{i % 2}"))
    np.save(dense / "document_vectors.npy", _blobs(2, 1))
    np.save(dense / "query_vectors.npy", _blobs(3, n_queries // 3))
    return dense, corpus


@pytest.mark.parametrize(("protocol", "n_scopes"), [("pooled-turn", 1), ("conversation-turn", 2)])
def test_every_query_is_in_one_cluster_per_count(tmp_path: Path, protocol: str, n_scopes: int) -> None:
    build(*_inputs(tmp_path, 60), protocol, ClusterParams(counts=(1, 3, 30)), tmp_path)
    frame = pl.read_parquet(tmp_path / "clusters.parquet")
    assert dict(frame.schema) == {
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

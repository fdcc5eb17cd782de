"""Build the clusters of the queries of each scope, for each requested number of clusters."""

from pathlib import Path

import numpy as np
import polars as pl

from tasks.clusters.kmeans import ClusterParams, assign_clusters
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.indexes.dense import open_vectors
from tasks.progress import Progress, silent

QUERIES_PER_CLUSTER = 10
"""In a conversation, K is cut to a tenth of its questions."""

CLUSTERS = pl.Schema({"n_clusters": pl.Int32, "scope_id": pl.Utf8, "query_index": pl.Int32, "cluster": pl.Int32})


def build(
    dense_dir: Path,
    corpus_dir: Path,
    protocol: str,
    params: ClusterParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `clusters.parquet`: n_clusters as requested, scope_id, query_index, cluster; every query once per count.

    Parameters
    ----------
    dense_dir, corpus_dir
        Artifacts of the stages indexes and corpora.
    protocol
        Decides the scopes: clusters are fitted on all queries of a scope, and never across scopes.
    params
        The numbers of clusters and the settings of k-means.
    """
    _, vectors = open_vectors(dense_dir)
    scopes = scope_documents(Corpus.read(corpus_dir, with_texts=False), parse_protocol(protocol))
    query_scope = np.asarray(scopes.query_scope)
    tables = []
    for done, (count, number) in enumerate(
        [(count, number) for count in params.counts for number in range(len(scopes.scope_ids))], start=1
    ):
        queries = np.flatnonzero(query_scope == number)
        n_clusters = effective_count(count, queries.size, protocol)
        clusters = assign_clusters(np.asarray(vectors[queries]), n_clusters, niter=params.niter, seed=params.seed)
        tables.append(
            pl.DataFrame({"query_index": queries, "cluster": clusters}).select(
                pl.lit(count).alias("n_clusters"),
                pl.lit(scopes.scope_ids[number]).alias("scope_id"),
                "query_index",
                "cluster",
            )
        )
        progress(done, len(params.counts) * len(scopes.scope_ids), "clusterings")
    frame = pl.concat(tables) if tables else pl.DataFrame(schema=CLUSTERS)
    frame.cast(CLUSTERS).sort("n_clusters", "query_index").write_parquet(out / "clusters.parquet", compression="zstd")


def effective_count(count: int, n_queries: int, protocol: str) -> int:
    """Return the number of clusters really fitted.

    >>> effective_count(30, 199, "conversation-turn"), effective_count(30, 5, "conversation-turn")
    (19, 1)
    >>> effective_count(30, 500, "pooled-turn"), effective_count(30, 12, "pooled-turn")
    (30, 12)
    """
    limit = n_queries // QUERIES_PER_CLUSTER if protocol.startswith("conversation-") else n_queries
    return max(1, min(count, limit))

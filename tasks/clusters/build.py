"""Build the clusters of the queries of each scope, for each source and each requested number of clusters."""

import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.clusters.kmeans import (
    ClusterParams,
    ClusterSource,
    Numbers,
    Vectors,
    effective_count,
    fit_centroids,
    nearest,
)
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.indexes.dense import open_vectors
from tasks.progress import Progress, silent

CLUSTERS = pl.Schema(
    {"source": pl.Utf8, "n_clusters": pl.Int32, "scope_id": pl.Utf8, "query_index": pl.Int32, "cluster": pl.Int32}
)


def build(
    dense_dir: Path,
    corpus_dir: Path,
    protocol: str,
    params: ClusterParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `clusters.parquet`: source, n_clusters as requested, scope_id, query_index, cluster.

    Every query is there once per source and count.

    Parameters
    ----------
    dense_dir, corpus_dir
        Artifacts of the stages indexes and corpora.
    protocol
        Decides the scopes: clusters are fitted on all queries, or all documents, of a scope, and never across scopes.
    params
        The sources, the numbers of clusters, and the settings of k-means. K is cut by the number of queries
        (`effective_count`), whatever the source, so that sources are compared at one K.

    Notes
    -----
    Memory: the vectors of one scope's queries; with source `corpus` also those of its documents, 4 bytes a number,
    except that a pool of all documents is read where it lies.
    """
    documents, queries = open_vectors(dense_dir)
    searched = parse_protocol(protocol)
    scopes = scope_documents(Corpus.read(corpus_dir, with_texts=False), searched)
    query_scope = np.asarray(scopes.query_scope)
    tables = []
    n_clusterings = len(params.sources) * len(scopes.scope_ids) * len(params.counts)
    for source, (number, scope_id) in itertools.product(params.sources, enumerate(scopes.scope_ids)):
        own = np.flatnonzero(query_scope == number)
        asked = np.asarray(queries[own])
        fitted_on = asked if source is ClusterSource.ALL_QUERIES else _rows(documents, scopes.documents[number])
        for count in params.counts:
            n_clusters = effective_count(count, own.size, is_pooled=searched.is_pooled)
            centroids = fit_centroids(fitted_on, n_clusters, niter=params.niter, seed=params.seed)
            tables.append(_table(source, count, scope_id, own, nearest(asked, centroids)))
            progress(len(tables), n_clusterings, "clusterings")
    frame = pl.concat([pl.DataFrame(schema=CLUSTERS), *tables])
    frame.sort("source", "n_clusters", "query_index").write_parquet(out / "clusters.parquet", compression="zstd")


def _rows(vectors: Vectors, rows: npt.NDArray[np.int32]) -> Vectors:
    """Return rows of mapped vectors, without a copy where they are all of them in their order."""
    if len(rows) == len(vectors) and np.array_equal(rows, np.arange(len(vectors))):
        return vectors
    return np.asarray(vectors[rows])


def _table(
    source: ClusterSource, count: int, scope_id: str, queries: npt.NDArray[np.int64], clusters: Numbers
) -> pl.DataFrame:
    columns = {"query_index": queries, "cluster": clusters}
    named = pl.DataFrame(columns).with_columns(
        source=pl.lit(str(source)), n_clusters=pl.lit(count), scope_id=pl.lit(scope_id)
    )
    return named.select(pl.col(name).cast(dtype) for name, dtype in CLUSTERS.items())

"""Exact inner-product search whose scores do not depend on how it was batched.

FAISS finds the neighbourhood; the scores that count are computed again, in float64, one pair at a time. FAISS sends
20 or more queries through BLAS, which changes distances in the last digits, and its top-k is then not always a prefix
of its top-K (faiss#808).
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from tasks.records import BenchError

Vectors = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

DOCUMENT_VECTORS = "document_vectors.npy"
QUERY_VECTORS = "query_vectors.npy"

MARGIN = 32
"""Neighbours fetched beyond k, before the exact scores decide."""
SLACK = 1e-4
"""A bound on the error of FAISS's float32 scores of normalised vectors: anything closer than this may change places."""
QUERY_BATCH = 256


def open_vectors(directory: Path) -> tuple[Vectors, Vectors]:
    """Open the vectors of documents, (n_documents, d), and of queries, (n_queries, d), memory-mapped and read-only.

    Raises
    ------
    BenchError
        When a file is absent, or the two have different dimensions.
    """
    opened = []
    for name in (DOCUMENT_VECTORS, QUERY_VECTORS):
        if not (directory / name).is_file():
            raise BenchError(f"no {name} in {directory}; expected a dense index: run the indexes stage")
        opened.append(np.load(directory / name, mmap_mode="r"))
    documents, queries = opened
    if documents.shape[1] != queries.shape[1]:
        raise BenchError(f"documents have {documents.shape[1]} dimensions, queries {queries.shape[1]}; expected equal")
    return documents, queries


def exact_scores(documents: Vectors, rows: Indices, query: Vectors) -> Scores:
    """Return the inner products of `documents[rows]` with `query` in float64.

    Equal vectors get equal scores, whatever their place: each row is multiplied and summed by itself.
    """
    products: npt.NDArray[np.float64] = documents[rows].astype(np.float64) * query.astype(np.float64)
    return np.asarray(products.sum(axis=1))


def neighbourhoods(documents: Vectors, queries: Vectors, k: int) -> list[tuple[Indices, Scores]]:
    """Find, for each query, rows among which its k best certainly are, all those tied with the k-th included.

    Parameters
    ----------
    documents
        Shape (n, d), normalised. A contiguous array is searched without a copy.
    queries
        Shape (m, d), normalised.
    k
        Depth; cut to n.

    Returns
    -------
    list of (rows, scores)
        Per query, in no promised order: at least min(k, n) rows, and their exact scores.
    """
    k = min(k, len(documents))
    found: list[tuple[Indices, Scores]] = [(np.empty(0, np.int64), np.empty(0))] * len(queries)
    todo, width = np.arange(len(queries)), min(k + MARGIN, len(documents))
    while k and todo.size:
        unsure = []
        for start in range(0, todo.size, QUERY_BATCH):
            batch = todo[start : start + QUERY_BATCH]
            for query, rows in zip(batch, _search(documents, queries[batch], width), strict=True):
                found[query] = rows, exact_scores(documents, rows, queries[query])
                if not _is_certain(found[query][1], k, len(documents)):
                    unsure.append(query)
        todo, width = np.array(unsure, dtype=np.int64), min(width * 4, len(documents))
    return found


def _is_certain(scores: Scores, k: int, n_documents: int) -> bool:
    """Say whether nothing outside can reach the k-th best: the worst row found is clearly below it."""
    if scores.size == n_documents:
        return True
    kth = np.partition(scores, scores.size - k)[scores.size - k]
    return bool(scores.min() < kth - SLACK)


def _search(documents: Vectors, queries: Vectors, width: int) -> Indices:
    """Return the `width` nearest rows of each query by FAISS's flat inner product, shape (m, width)."""
    import faiss

    previous = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        _, rows = faiss.knn(
            np.ascontiguousarray(queries), np.ascontiguousarray(documents), width, metric=faiss.METRIC_INNER_PRODUCT
        )
    finally:
        faiss.omp_set_num_threads(previous)
    return np.asarray(rows, dtype=np.int64)

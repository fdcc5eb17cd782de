"""Late interaction: the similarity of two texts from the vectors of their word pieces.

Khattab and Zaharia 2020 (arXiv 2004.12832), equation 3:  S(q, d) = sum_i max_j E_q[i] . E_d[j]^T

The score here is S(q, d) / |E_q|, the mean over the pieces of the query: of vectors of length 1 it lies in [-1, 1], so
that it has the scale of a cosine (the log-sum-exp of study B depends on it). For one query the order is the same.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.records import BenchError

TURN_SCORES, OFFSETS = "turn_scores.npy", "offsets.npy"
"""Files of the artifact with the scores of every (query, document of its scope)."""

Vectors = npt.NDArray[np.float32]
Offsets = npt.NDArray[np.int64]


def max_sim(query: Vectors, documents: Vectors, offsets: Offsets) -> npt.NDArray[np.float32]:
    """Return the late-interaction score of each document, shape (n_documents,), float32.

    Each score is a function of its query and document alone: neither the others nor a thread changes a digit, so equal
    texts get equal scores. Compiled, and free of Python's lock; no memory beyond the result.

    Parameters
    ----------
    query
        Shape (n_query_pieces, d), float32, rows of length 1.
    documents
        Shape (n_pieces, d), float32: the pieces of all documents end to end, rows of length 1.
    offsets
        Shape (n_documents + 1,), int64: document i has the rows ``offsets[i]:offsets[i + 1]``.

    Raises
    ------
    BenchError
        When the query or a document has no vector, or the two have different dimensions.

    Examples
    --------
    >>> query = np.array([[1, 0], [0, 1]], dtype=np.float32)
    >>> pieces = np.array([[0.8, 0.6], [0, 1], [-1, 0]], dtype=np.float32)
    >>> max_sim(query, pieces, np.array([0, 2, 3])).tolist()  # (0.8 + 1) / 2 and (-1 + 0) / 2
    [0.8999999761581421, -0.5]
    """
    if query.shape[1] != documents.shape[1]:
        raise BenchError(f"the query has {query.shape[1]} dimensions, documents {documents.shape[1]}; expected equal")
    if not len(query) or (np.diff(offsets) < 1).any():
        raise BenchError("a text without any vector came; expected at least those of its special pieces")
    scores = np.empty(len(offsets) - 1, dtype=np.float32)
    _kernel()(
        np.ascontiguousarray(query, dtype=np.float32),
        np.ascontiguousarray(documents, dtype=np.float32),
        np.ascontiguousarray(offsets, dtype=np.int64),
        scores,
    )
    return scores


@cache
def _kernel() -> Callable[..., None]:
    """Compile the loops on first use. `reassoc` lets a product be summed in lanes, as a matrix product does."""
    import numba

    flags = {"reassoc", "contract", "nsz"}
    compiled: Callable[..., None]
    try:
        compiled = numba.njit(cache=True, nogil=True, fastmath=flags)(_score_all)
    except RuntimeError:  # "no locator available": neither the checkout nor the user's cache can be written
        compiled = numba.njit(cache=False, nogil=True, fastmath=flags)(_score_all)
    return compiled


def _score_all(query: Any, documents: Any, offsets: Any, scores: Any) -> None:
    n_pieces, dimension = query.shape
    best = np.empty(n_pieces, np.float32)
    for document in range(len(offsets) - 1):
        best[:] = -np.inf
        for j in range(offsets[document], offsets[document + 1]):
            for i in range(n_pieces):
                product = np.float32(0)
                for k in range(dimension):
                    product += query[i, k] * documents[j, k]
                best[i] = max(best[i], product)
        total = 0.0
        for i in range(n_pieces):
            total += best[i]
        scores[document] = total / n_pieces

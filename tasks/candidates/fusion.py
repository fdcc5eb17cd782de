"""Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a score from ranks alone."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ABSENT = -1
"""The rank of a document that is not in a list."""


@dataclass(frozen=True, slots=True)
class Fused:
    """The union of two ranked lists: those of the first list in its order, then those of the second alone.

    Attributes
    ----------
    documents
        Shape (n,), int64.
    first_rank, second_rank
        Shape (n,), int64: 0-based rank in each list, `ABSENT` where not in it.
    rrf
        Shape (n,), float64.
    """

    documents: npt.NDArray[np.int64]
    first_rank: npt.NDArray[np.int64]
    second_rank: npt.NDArray[np.int64]
    rrf: npt.NDArray[np.float64]

    def exchanged(self) -> "Fused":
        """Return the same entries in the same order, with the names of the two lists exchanged."""
        return Fused(self.documents, self.second_rank, self.first_rank, self.rrf)


def reciprocal_rank_fusion(
    first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], *, rrf_k: int = 60, rank_origin: int = 1
) -> Fused:
    """Fuse two lists of distinct documents: the sum over lists of 1 / (rrf_k + rank), rank counted from `rank_origin`.

    >>> fused = reciprocal_rank_fusion(np.array([7, 8]), np.array([8, 9]), rank_origin=0)
    >>> fused.documents.tolist(), fused.rrf.round(5).tolist()
    ([7, 8, 9], [0.01667, 0.03306, 0.01639])
    """
    place = {document: rank for rank, document in enumerate(second.tolist())}
    in_first = set(first.tolist())
    only_second = [document for document in second.tolist() if document not in in_first]
    documents = np.array([*first.tolist(), *only_second], dtype=np.int64)
    first_rank = np.concatenate([np.arange(len(first)), np.full(len(only_second), ABSENT)]).astype(np.int64)
    second_rank = np.array([place.get(document, ABSENT) for document in documents.tolist()], dtype=np.int64)
    rrf = _reciprocal(first_rank, rrf_k + rank_origin) + _reciprocal(second_rank, rrf_k + rank_origin)
    return Fused(documents, first_rank, second_rank, rrf)


def _reciprocal(rank: npt.NDArray[np.int64], offset: int) -> npt.NDArray[np.float64]:
    return np.where(rank == ABSENT, 0.0, 1.0 / (offset + np.maximum(rank, 0)))

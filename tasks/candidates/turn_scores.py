"""The scores of turns that sessions are pooled from: cosines of vectors, or those of late interaction."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tasks.candidates.search import Indices, Search
from tasks.embeddings.pooling import Scores, Vectors, cosines_of
from tasks.indexes.dense import open_vectors
from tasks.indexes.late_interaction import OFFSETS, TURN_SCORES
from tasks.records import BenchError


class Turns(Protocol):
    """What scores the turns of a scope."""

    def cosines(self, queries: Indices, documents: Indices) -> Scores:
        """Return the scores of the documents of one scope for some of its queries, (n_queries, n_documents)."""

    def vectors(self, documents: Indices) -> Vectors:
        """Return the vectors of documents, (n, d).

        Raises
        ------
        BenchError
            Where a turn has no single vector.
        """


@dataclass(frozen=True, slots=True)
class DenseTurns:
    """Cosines of the vectors of a dense index, memory-mapped."""

    documents: Vectors
    queries: Vectors

    def cosines(self, queries: Indices, documents: Indices) -> Scores:
        """Return the inner products in float64."""
        return cosines_of(self.queries[queries], self.documents[documents])

    def vectors(self, documents: Indices) -> Vectors:
        """Return the rows of the index."""
        return np.asarray(self.documents[documents])


@dataclass(frozen=True, slots=True)
class LateTurns:
    """Scores of late interaction: those of query q are `scores[offsets[q]:offsets[q + 1]]`, in its scope's order."""

    scores: npt.NDArray[np.float32]
    offsets: Indices

    def cosines(self, queries: Indices, documents: Indices) -> Scores:
        """Return the stored scores as float64."""
        starts, sizes = self.offsets[queries], self.offsets[queries + 1] - self.offsets[queries]
        if np.any(sizes != len(documents)):
            raise BenchError(
                f"{TURN_SCORES}: {sorted(set(sizes.tolist()))} scores for each query of a scope with {len(documents)} "
                "turns; expected one per turn: the scores are of another protocol or corpus. Build them anew."
            )
        return np.asarray(self.scores[starts[:, None] + np.arange(len(documents))], np.float64)

    def vectors(self, documents: Indices) -> Vectors:
        """Refuse: a turn has one vector per token."""
        raise BenchError("late interaction has no single vector per turn; expected the pool max, top<k> or lse<beta>")


def open_turns(dense_dir: Path | None, turn_scores_dir: Path | None, search: Search) -> Turns:
    """Open the one of the two that came.

    Raises
    ------
    BenchError
        When both came or none, a file is absent, or they are not those of the corpus.
    """
    if (dense_dir is None) == (turn_scores_dir is None):
        raise BenchError("expected either a dense index or scores of late interaction; both came, or none")
    if dense_dir is not None:
        documents, queries = open_vectors(dense_dir)
        search.refuse_other_sizes(len(documents), len(queries))
        return DenseTurns(documents, queries)
    assert turn_scores_dir is not None
    for name in (TURN_SCORES, OFFSETS):
        if not (turn_scores_dir / name).is_file():
            raise BenchError(f"no {name} in {turn_scores_dir}; expected scores of late interaction: run that step")
    scores = np.load(turn_scores_dir / TURN_SCORES, mmap_mode="r")
    offsets = np.load(turn_scores_dir / OFFSETS)
    n_queries = search.corpus.queries.height
    if len(offsets) != n_queries + 1 or offsets[-1] != len(scores):
        raise BenchError(
            f"{OFFSETS} has {len(offsets)} entries up to {offsets[-1] if len(offsets) else 'nothing'}; expected "
            f"{n_queries + 1} up to the {len(scores)} scores"
        )
    return LateTurns(scores, offsets.astype(np.int64))

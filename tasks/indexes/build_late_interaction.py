"""Build the late-interaction scores of every (query, document of its scope)."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.embeddings.build_token_vectors import TokenShards
from tasks.embeddings.encoders import n_cores, normalise
from tasks.indexes.late_interaction import OFFSETS, TURN_SCORES, Offsets, Vectors, max_sim
from tasks.progress import Progress, silent
from tasks.records import BenchError

PIECES_AT_ONCE = 65_536
"""Vectors of documents held in memory: 100 MB at 384 dimensions."""

Scores = npt.NDArray[np.float32]


def build(
    corpus_dir: Path,
    texts_dir: Path,
    document_shards: Sequence[Path],
    query_shards: Sequence[Path],
    protocol: str,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `turn_scores.npy` and `offsets.npy`.

    The scores of query q are ``turn_scores[offsets[q]:offsets[q + 1]]`` (float32, in [-1, 1]), one per document of its
    scope, in the order of `scope_documents`; `offsets` is int64 of shape (n_queries + 1,).

    Parameters
    ----------
    corpus_dir
        Artifact of the stage `corpora`.
    texts_dir
        Artifact of the text stage: the keys of `document_texts.parquet` and `query_texts.parquet` are read.
    document_shards, query_shards
        Artifacts of the step `token_vectors`. Together they cover every text.
    protocol
        Decides what each query may find.
    out
        Where the two arrays are written. Memory: all scores, and `PIECES_AT_ONCE` vectors. Uses every core; no score
        depends on their number.
    progress
        Told the scores done.

    Raises
    ------
    BenchError
        When the texts are those of another corpus, or a text has no vectors.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    scopes = scope_documents(corpus, parse_protocol(protocol))
    documents = _Side.open(texts_dir, "document", document_shards, corpus.documents.height)
    queries = _Side.open(texts_dir, "query", query_shards, corpus.queries.height)
    sizes = np.array([len(rows) for rows in scopes.documents], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes[scopes.query_scope])]).astype(np.int64)
    scores = np.empty(int(offsets[-1]), dtype=np.float32)
    done = 0
    with ThreadPoolExecutor(n_cores(), thread_name_prefix="max-sim") as pool:
        try:
            for scope, rows in enumerate(scopes.documents):
                asking = np.flatnonzero(scopes.query_scope == scope)
                for chunk in _chunks(documents, rows) if asking.size else ():
                    found = pool.map(chunk.scores, (queries.vectors(int(query)) for query in asking))
                    for query, part in zip(asking, found, strict=True):
                        scores[offsets[query] + chunk.places] = part
                        done += len(part)
                    progress(done, len(scores), "scores")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    np.save(out / TURN_SCORES, scores)
    np.save(out / OFFSETS, offsets)


@dataclass(frozen=True, slots=True)
class _Side:
    """The vectors of all documents, or of all queries; `keys` are theirs in the order of their index."""

    keys: Sequence[str]
    shards: TokenShards

    @classmethod
    def open(cls, texts_dir: Path, name: str, shards: Sequence[Path], n_expected: int) -> "_Side":
        frame = pl.read_parquet(texts_dir / f"{name}_texts.parquet", columns=[f"{name}_index", "text_key"])
        keys = frame.sort(f"{name}_index")["text_key"].to_list()
        if len(keys) != n_expected:
            raise BenchError(
                f"{texts_dir} has {len(keys)} {name} texts, the corpus {n_expected}; expected the texts of this corpus"
            )
        found = TokenShards(shards)
        missing = found.missing(keys)
        if missing:
            raise BenchError(
                f"{len(missing)} {name} texts have no vectors in {len(shards)} shards (first missing text key: "
                f"{missing[0]}); run the embeddings stage again"
            )
        return cls(keys, found)

    def vectors(self, index: int) -> Vectors:
        """Return the vectors of one text, float32; rounding to float16 took their length from 1, which is put back."""
        return normalise(self.shards.vectors(self.keys[index]).astype(np.float32))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Some documents of a scope: their places in it, their vectors end to end, and where each one's begin."""

    places: npt.NDArray[np.int64]
    vectors: Vectors
    offsets: Offsets

    def scores(self, query: Vectors) -> Scores:
        """Return the scores of the documents for one query."""
        return max_sim(query, self.vectors, self.offsets)


def _chunks(documents: _Side, rows: npt.NDArray[np.int32]) -> Iterator[_Chunk]:
    """Yield the documents of a scope, at most `PIECES_AT_ONCE` vectors at once, but at least one document."""
    sizes = np.array([documents.shards.n_vectors(documents.keys[row]) for row in rows], dtype=np.int64)
    start = 0
    while start < len(rows):
        ends = np.cumsum(sizes[start:])
        stop = start + max(1, int(np.searchsorted(ends, PIECES_AT_ONCE, side="right")))
        vectors = np.concatenate([documents.vectors(int(row)) for row in rows[start:stop]])
        offsets = np.concatenate([[0], ends[: stop - start]]).astype(np.int64)
        yield _Chunk(np.arange(start, stop), vectors, offsets)
        start = stop

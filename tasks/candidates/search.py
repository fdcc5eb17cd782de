"""What every search has in common: who asks, what they may find, the BM25 index of it, and the tables that come out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.candidates.fusion import Fused, reciprocal_rank_fusion
from tasks.candidates.ranking import TieOrder, TieRule
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.samples import read_asked
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.indexes.bm25 import Bm25Index, Bm25Scope
from tasks.records import BenchError

Indices = npt.NDArray[np.int64]

CANDIDATES: dict[str, type[pl.DataType]] = {
    "query_index": pl.Int32,
    "position": pl.Int32,
    "document_index": pl.Int32,
    "dense_rank": pl.Int32,
    "bm25_rank": pl.Int32,
    "dense_score": pl.Float64,
    "bm25_score": pl.Float64,
    "rrf": pl.Float64,
}
POOLS = {"query_index": pl.Int32, "scope_id": pl.Utf8, "n_documents": pl.Int32, "n_matching": pl.Int32}

Pool = tuple[int, str, int, int]
"""A row of the table `pools`."""


class Search:
    """The questions of a corpus that are asked, the scopes of a protocol, and the BM25 index of each.

    Parameters
    ----------
    corpus_dir, bm25_dir
        Artifacts of the stages corpora and indexes; the BM25 index must be of the same protocol.
    protocol
        Decides what a query may search.
    asked_dir
        Artifact with `asked.parquet`: only those queries search; None for all.

    Raises
    ------
    BenchError
        When the index is not that of the protocol.
    """

    def __init__(self, corpus_dir: Path, bm25_dir: Path, protocol: str, asked_dir: Path | None) -> None:
        self.corpus = Corpus.read(corpus_dir, with_texts=False)
        self.is_asked = read_asked(asked_dir, self.corpus.queries.height)
        self.scopes = scope_documents(self.corpus, parse_protocol(protocol))
        self.bm25 = Bm25Index(bm25_dir)
        if self.bm25.scope_ids != list(self.scopes.scope_ids):
            raise BenchError(f"the BM25 index in {bm25_dir} has other scopes than protocol {protocol}; build it anew")

    @property
    def n_asked(self) -> int:
        """How many queries search."""
        return int(self.is_asked.sum())

    def refuse_other_sizes(self, n_document_vectors: int, n_query_vectors: int) -> None:
        """Raise an error in words unless the indexes have as many rows as the corpus."""
        sizes = (n_document_vectors, n_query_vectors, len(self.bm25.queries))
        expected = (self.corpus.documents.height, self.corpus.queries.height, self.corpus.queries.height)
        if sizes != expected:
            raise BenchError(
                f"indexes hold {sizes} document vectors, query vectors and query token lists; expected {expected}"
            )

    def asked_scopes(self) -> Iterator[tuple[int, Indices]]:
        """Yield the number of each scope that somebody asks, and who: query indexes, ascending."""
        query_scope = np.asarray(self.scopes.query_scope)
        for number in range(len(self.scopes.scope_ids)):
            queries = np.flatnonzero((query_scope == number) & self.is_asked)
            if queries.size:
                yield number, queries

    def members(self, number: int) -> tuple[Indices, Indices]:
        """Return the documents of a scope and the number of the ranked unit of each, both int64."""
        documents, units = (np.asarray(of[number], np.int64) for of in (self.scopes.documents, self.scopes.units))
        return documents, units

    def bm25_scope(self, number: int) -> Bm25Scope:
        """Return the BM25 index of a scope."""
        bm25 = self.bm25.scope(number)
        if bm25.n_documents != self.scopes.n_units[number]:
            raise BenchError(
                f"BM25 scope {number} has {bm25.n_documents} ranked units; expected {self.scopes.n_units[number]}"
            )
        return bm25

    def ties(self, rule: TieRule, seed: int) -> TieOrder:
        """Return the order among equals of the documents."""
        documents = self.corpus.documents
        return TieOrder(rule, documents["document_key"].to_list(), documents["document_id"].to_list(), seed=seed)


def fuse(ties: TieOrder, dense: Indices, bm25: Indices, *, rrf_k: int, rank_origin: int) -> Fused:
    """Fuse the two lists; where scores tie, some rules keep the order in which the lists come."""
    if ties.has_bm25_first:
        return reciprocal_rank_fusion(bm25, dense, rrf_k=rrf_k, rank_origin=rank_origin).exchanged()
    return reciprocal_rank_fusion(dense, bm25, rrf_k=rrf_k, rank_origin=rank_origin)


def write_tables(candidates: Sequence[pl.DataFrame], pools: Sequence[Pool], out: Path) -> None:
    """Write `candidates.parquet`, sorted by (query_index, position), and `pools.parquet`, sorted by query_index."""
    found = pl.concat(candidates) if candidates else pl.DataFrame(schema=CANDIDATES)
    found.sort("query_index", "position").write_parquet(out / "candidates.parquet", compression="zstd")
    pl.DataFrame(pools, schema=POOLS, orient="row").sort("query_index").write_parquet(
        out / "pools.parquet", compression="zstd"
    )

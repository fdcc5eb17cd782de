"""What each query may search under a protocol (its scope), and what is ranked there."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.corpora.protocols import Protocol, Roles
from tasks.corpora.tables import Corpus
from tasks.records import BenchError

Indices = NDArray[np.int32]
USER = "user"
"""The speaker of a user's turn in LongMemEval."""

POOL = "pool"
"""Id of the only scope of a pooled protocol."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """What each query may search.

    Attributes
    ----------
    scope_ids
        Ids in the order in which the corpus lists them; only `POOL` under a pooled protocol.
    documents
        For each scope the int32 document indices it holds, each once: by place of the session in the scope, then in
        source order. Ascending for conversations and pools, not for haystacks.
    query_scope
        int32 array of shape (n_queries,): position in `scope_ids` of each query's scope.
    units
        For each scope the number of the ranked unit of each of its documents, int32, ascending from 0: one per
        document, or one per session where sessions are ranked.
    """

    scope_ids: tuple[str, ...]
    documents: tuple[Indices, ...]
    query_scope: Indices
    units: tuple[Indices, ...]

    @property
    def n_units(self) -> list[int]:
        """Number of ranked units of each scope."""
        return [int(units[-1]) + 1 if units.size else 0 for units in self.units]


def scope_documents(corpus: Corpus, protocol: Protocol) -> Scopes:
    """Return the scopes of a protocol. Memory: 8 bytes per member of each scope.

    Raises
    ------
    BenchError
        When the protocol is not pooled and a query of the corpus has no scope, or no document is left.
    """
    if protocol.is_pooled:
        everything = np.flatnonzero(_is_indexed(corpus, protocol)).astype(np.int32)
        query_scope = np.zeros(corpus.queries.height, dtype=np.int32)
        return Scopes((POOL,), (everything,), query_scope, (_places(everything.size),))
    _refuse_unscoped(corpus, protocol)
    scope_ids = corpus.scopes["scope_id"].unique(maintain_order=True).to_list()
    members = _placed(corpus)
    placed = members.filter(_is_indexed(corpus, protocol)[members["document_index"].to_numpy()])
    starts = np.searchsorted(placed["scope_index"].to_numpy(), np.arange(1, len(scope_ids)))
    documents = np.split(placed["document_index"].to_numpy().astype(np.int32), starts)
    positions = np.split(placed["position"].to_numpy(), starts)
    place = {scope_id: position for position, scope_id in enumerate(scope_ids)}
    query_scope = np.array([place[scope_id] for scope_id in corpus.queries["scope_id"]], dtype=np.int32)
    units = [_numbered(found) if protocol.ranks_sessions else _places(found.size) for found in positions]
    return Scopes(tuple(scope_ids), tuple(documents), query_scope, tuple(units))


def _is_indexed(corpus: Corpus, protocol: Protocol) -> NDArray[np.bool_]:
    """Return (n_documents,) bool: whether the role policy indexes a document."""
    if protocol.roles is Roles.ALL:
        return np.ones(corpus.documents.height, dtype=bool)
    is_user = (corpus.documents["speaker"] == USER).fill_null(value=False).to_numpy()
    if not is_user.any():
        raise BenchError(
            f"protocol {protocol} indexes the turns of the speaker 'user'; {corpus.facts['dataset']} has none"
        )
    return np.asarray(is_user)


def _refuse_unscoped(corpus: Corpus, protocol: Protocol) -> None:
    unscoped = corpus.queries.filter(pl.col("scope_id").is_null()).height
    if unscoped:
        raise BenchError(
            f"protocol {protocol}: {unscoped} of {corpus.queries.height} queries of {corpus.facts['dataset']} have no "
            "conversation or haystack of their own; expected a pooled protocol for this data set"
        )


def _placed(corpus: Corpus) -> pl.DataFrame:
    """Return one row per (scope, document), scopes in order of appearance, then position, then source order."""
    order = corpus.scopes.select(pl.col("scope_id").unique(maintain_order=True)).with_row_index("scope_index")
    return (
        corpus.scopes.join(order, on="scope_id", validate="m:1")
        .join(corpus.documents.select("session_id", "document_index"), on="session_id")
        .sort("scope_index", "position", "document_index")
    )


def _numbered(positions: NDArray[np.int32]) -> Indices:
    """Return the 0-based number of each run of equal positions, which are ascending.

    >>> _numbered(np.array([0, 0, 2, 2, 5])).tolist()
    [0, 0, 1, 1, 2]
    """
    if not positions.size:
        return _places(0)
    return np.concatenate([[0], np.cumsum(np.diff(positions) != 0)]).astype(np.int32)


def _places(n: int) -> Indices:
    return np.arange(n, dtype=np.int32)

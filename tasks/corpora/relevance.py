"""Protocols: what a query may search (its scope), and what counts as relevant at which level.

Both follow from the tables of a corpus and the name of the protocol; nobody else decides them.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.corpora.tables import Corpus
from tasks.records import BenchError

POOL = "pool"
"""Id of the only scope of a pooled protocol."""


class ProtocolName(StrEnum):
    """The protocols (names: architecture.md). `<what is searched>-<what is ranked>`."""

    POOLED_DOCUMENT = "pooled-document"
    POOLED_TURN = "pooled-turn"
    CONVERSATION_TURN = "conversation-turn"
    CONVERSATION_SESSION = "conversation-session"
    HAYSTACK_TURN = "haystack-turn"
    HAYSTACK_SESSION = "haystack-session"

    @property
    def is_pooled(self) -> bool:
        """Whether every query searches the whole corpus."""
        return self.value.startswith("pooled-")

    @property
    def ranks_sessions(self) -> bool:
        """Whether the ranked unit is a session, not a document."""
        return self.value.endswith("-session")


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
    """

    scope_ids: tuple[str, ...]
    documents: tuple[NDArray[np.int32], ...]
    query_scope: NDArray[np.int32]


def scope_documents(corpus: Corpus, protocol: ProtocolName) -> Scopes:
    """Return the scopes of a protocol. Memory: 4 bytes per member of each scope.

    Raises
    ------
    BenchError
        When the protocol is not pooled and a query of the corpus has no scope.
    """
    if protocol.is_pooled:
        everything = np.arange(corpus.documents.height, dtype=np.int32)
        return Scopes((POOL,), (everything,), np.zeros(corpus.queries.height, dtype=np.int32))
    _refuse_unscoped(corpus, protocol)
    scope_ids = corpus.scopes["scope_id"].unique(maintain_order=True).to_list()
    placed = _placed(corpus)
    starts = np.searchsorted(placed["scope_index"].to_numpy(), np.arange(1, len(scope_ids)))
    documents = np.split(placed["document_index"].to_numpy().astype(np.int32), starts)
    place = {scope_id: position for position, scope_id in enumerate(scope_ids)}
    query_scope = np.array([place[scope_id] for scope_id in corpus.queries["scope_id"]], dtype=np.int32)
    return Scopes(tuple(scope_ids), tuple(documents), query_scope)


def relevance(corpus: Corpus, protocol: ProtocolName) -> pl.DataFrame:
    """Return the relevant documents: query_index, document_index, gain (all Int32), sorted by the first two.

    Raises
    ------
    BenchError
        When the protocol ranks sessions.
    """
    if protocol.ranks_sessions:
        raise BenchError(f"protocol {protocol} ranks sessions, so no document has a gain; expected a turn protocol")
    return (
        corpus.judgements_turn.join(_indexed(corpus.queries, "query"), on="query_id", how="inner", validate="m:1")
        .join(_indexed(corpus.documents, "document"), on="document_id", how="inner", validate="m:1")
        .select("query_index", "document_index", "gain")
        .sort("query_index", "document_index")
    )


def relevant_sessions(corpus: Corpus) -> pl.DataFrame:
    """Return the relevant sessions: query_index Int32, session_id, gain Int32, sorted by the first two."""
    return (
        corpus.judgements_session.join(_indexed(corpus.queries, "query"), on="query_id", how="inner", validate="m:1")
        .select("query_index", "session_id", "gain")
        .sort("query_index", "session_id")
    )


def _refuse_unscoped(corpus: Corpus, protocol: ProtocolName) -> None:
    unscoped = corpus.queries.filter(pl.col("scope_id").is_null()).height
    if unscoped:
        raise BenchError(
            f"protocol {protocol}: {unscoped} of {corpus.queries.height} queries of {corpus.facts['dataset']} have no "
            "conversation or haystack of their own; expected a pooled protocol for this data set"
        )


def _indexed(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.select(f"{name}_id", f"{name}_index")


def _placed(corpus: Corpus) -> pl.DataFrame:
    """Return one row per (scope, document), scopes in order of appearance, then position, then source order."""
    order = corpus.scopes.select(pl.col("scope_id").unique(maintain_order=True)).with_row_index("scope_index")
    return (
        corpus.scopes.join(order, on="scope_id", validate="m:1")
        .join(corpus.documents.select("session_id", "document_index"), on="session_id")
        .sort("scope_index", "position", "document_index")
    )

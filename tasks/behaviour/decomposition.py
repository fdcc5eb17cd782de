"""What the top-1 is: the right turn, its neighbour, or something else; and when a score says "I do not know".

Source: study A, protocol A.7.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import field_validator

from tasks.corpora.question_kinds import KNOWLEDGE_UPDATE
from tasks.records import Params

Values = NDArray[np.float64]


class BehaviourParams(Params):
    """Which behaviours are computed.

    Attributes
    ----------
    abstain_below
        Logits T of ``abstain@T``, ascending.
    stream_seed
        Seed of the query stream that the variants with state were replayed on: a column of their rows.
    """

    abstain_below: tuple[float, ...] = (0.0, 2.0, 4.0)
    stream_seed: int = 42

    @field_validator("abstain_below")
    @classmethod
    def _are_ascending(cls, thresholds: tuple[float, ...]) -> tuple[float, ...]:
        if list(thresholds) != sorted(set(thresholds)):
            raise ValueError("expected finite logits in ascending order, each once")
        return thresholds


@dataclass(frozen=True, slots=True)
class Top:
    """The first document of each of `n` queries, and what is known about it.

    Attributes
    ----------
    is_ranked
        (n,) whether anything was ranked.
    is_relevant
        (n,) whether the first document is relevant.
    is_in_relevant_session
        (n,) whether its session holds a relevant turn.
    logit
        (n,) its logit; NaN where nothing was ranked or nothing was reranked.
    has_relevance
        (n,) whether the query has a relevant turn and is scored.
    has_sessions
        Whether the corpus has sessions.
    is_reranked
        Whether the variant reranks: whether any document has a logit.
    """

    is_ranked: NDArray[np.bool_]
    is_relevant: NDArray[np.bool_]
    is_in_relevant_session: NDArray[np.bool_]
    logit: Values
    has_relevance: NDArray[np.bool_]
    has_sessions: bool
    is_reranked: bool


def top_of(
    rankings: pl.DataFrame, relevance: pl.DataFrame, documents: pl.DataFrame, is_scored: NDArray[np.bool_]
) -> Top:
    """Look up the first document of each query.

    Parameters
    ----------
    rankings
        Columns query_index, rank (1-based), document_index, logit (nullable).
    relevance
        Columns query_index, document_index, gain; gains below 1 are not relevant.
    documents
        Columns document_index, session_id (nullable: a document of no session).
    is_scored
        (n_queries,) whether a query's block has retrieval measures.
    """
    n_queries = len(is_scored)
    sessions = documents.select("document_index", "session_id")
    keys = ["query_index", "document_index"]
    relevant = relevance.filter(pl.col("gain") > 0).select(keys)
    families = (
        relevant.join(sessions, on="document_index", how="inner", validate="m:1")
        .select("query_index", "session_id")
        .drop_nulls()
        .unique()
    )
    first = (
        rankings.filter(pl.col("rank") == 1)
        .join(sessions, on="document_index", how="left", validate="m:1")
        .join(relevant.with_columns(is_relevant=True), on=keys, how="left", validate="1:1")
        .join(families.with_columns(is_family=True), on=["query_index", "session_id"], how="left", validate="1:1")
        .with_columns(pl.col("is_relevant", "is_family").fill_null(False))
    )
    where = first["query_index"].to_numpy()
    has_relevance = np.zeros(n_queries, dtype=bool)
    has_relevance[relevant["query_index"].unique().to_numpy()] = True
    logits = first["logit"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return Top(
        is_ranked=_placed(where, np.ones(len(where), dtype=bool), n_queries),
        is_relevant=_placed(where, first["is_relevant"].to_numpy(), n_queries),
        is_in_relevant_session=_placed(where, first["is_family"].to_numpy(), n_queries),
        logit=_placed(where, logits, n_queries, fill=np.nan),
        has_relevance=has_relevance & is_scored,
        has_sessions=bool(documents["session_id"].is_not_null().any()),
        is_reranked=bool(rankings["logit"].is_not_null().any()),
    )


def decompose(top: Top, question_types: pl.Series, abstain_below: tuple[float, ...]) -> Mapping[str, Values]:
    """Return the behaviours by name, each (n,) float64, NaN where it is undefined.

    ``exact_episode`` (the top-1 is relevant), ``sibling_confusion`` (its session holds a relevant turn, but it is not
    it) and ``wrong_family`` (its session holds none) sum to 1 for every question with relevance; a question for which
    nothing was ranked reached no session: it counts as ``wrong_family``. They are undefined on a corpus without
    sessions.

    ``stale_fact`` is ``sibling_confusion`` on the questions of type ``knowledge-update``, undefined elsewhere. It is a
    proxy: the sibling need not state the outdated fact.

    ``abstain@T`` is 1 where the top-1's logit is below T, or where a reranking variant found nothing at all. It needs
    no relevance, and is defined for questions that the history cannot answer too.
    """
    is_defined = top.has_relevance & top.has_sessions
    exact = top.is_ranked & top.is_relevant
    sibling = top.is_ranked & ~top.is_relevant & top.is_in_relevant_session
    is_update = (question_types == KNOWLEDGE_UPDATE).to_numpy()
    values = {
        "exact_episode": _where(is_defined, exact),
        "wrong_family": _where(is_defined, ~exact & ~sibling),
        "sibling_confusion": _where(is_defined, sibling),
        "stale_fact": _where(is_defined & is_update, sibling),
    }
    has_logit = ~np.isnan(top.logit)
    for threshold in abstain_below:
        would_abstain = ~top.is_ranked | (np.where(has_logit, top.logit, np.inf) < threshold)
        is_known = top.is_reranked & (has_logit | ~top.is_ranked)
        values[f"abstain@{threshold:g}"] = _where(is_known, would_abstain)
    return values


def _where(is_defined: NDArray[np.bool_], is_so: NDArray[np.bool_]) -> Values:
    return np.where(is_defined, is_so.astype(np.float64), np.nan)


def _placed(where: NDArray[np.int32], what: np.ndarray, n: int, fill: float | bool = False) -> np.ndarray:
    """Return (n,) with `what` at the positions `where` and `fill` elsewhere."""
    placed = np.full(n, fill, dtype=what.dtype)
    placed[where] = what
    return placed

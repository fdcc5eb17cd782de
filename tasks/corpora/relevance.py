"""What a ranked document counts as under a protocol, and which items are relevant."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.corpora.protocols import Level, Protocol, Relevance, Twins
from tasks.corpora.scopes import USER, Indices, scope_documents
from tasks.corpora.tables import Corpus
from tasks.records import BenchError, Block


@dataclass(frozen=True, slots=True)
class Judging:
    """What a ranked document counts as, and what is relevant.

    Attributes
    ----------
    item_of
        int32 array of shape (n_documents,): the item that each document stands for. Items are documents, sessions, or
        classes of equal ones.
    relevance
        Columns query_index, item_index, gain (all Int32), sorted by the first two.
    """

    item_of: Indices
    relevance: pl.DataFrame

    def of_documents(self) -> pl.DataFrame:
        """Return the gain of every document that stands for a relevant item: query_index, document_index, gain."""
        documents = pl.DataFrame({"item_index": self.item_of}).with_row_index("document_index")
        return (
            self.relevance.join(documents, on="item_index", validate="m:m")
            .select("query_index", pl.col("document_index").cast(pl.Int32), "gain")
            .sort("query_index", "document_index")
        )


def judging(corpus: Corpus, protocol: Protocol, classes_dir: Path | None = None) -> Judging:
    """Return what a ranked document counts as under a protocol, and what is relevant.

    Parameters
    ----------
    corpus
        Its tables; texts are not needed.
    protocol
        Level, relevance and twins.
    classes_dir
        Artifact of the step `classes`; needed where twins are collapsed.

    Raises
    ------
    BenchError
        When sessions are judged in a corpus without sessions, or classes are needed and absent.
    """
    if protocol.level is Level.SESSION:
        item_of, items = _sessions(corpus)
        gains = _session_gains(corpus, protocol).join(items, on="session_id", validate="m:1")
        relevance = gains.select("query_index", "item_index", "gain")
    else:
        item_of = _places(corpus.documents.height)
        relevance = _turn_gains(corpus, protocol).rename({"document_index": "item_index"})
    if protocol.twins is Twins.COLLAPSED:
        item_of, relevance = _collapsed(item_of, relevance, _classes(corpus, protocol, classes_dir))
    relevance = relevance.select(pl.col("query_index", "item_index", "gain").cast(pl.Int32))
    return Judging(item_of, relevance.sort("query_index", "item_index"))


def families(corpus: Corpus, protocol: Protocol, classes_dir: Path | None = None) -> pl.DataFrame:
    """Return document_index and session_id: the session, or class of equal sessions, of each document.

    `session_id` is null where the corpus has no sessions, or where sessions are what is judged.
    """
    known = corpus.documents.select("document_index", "session_id")
    if protocol.level is Level.SESSION or not corpus.sessions.height:
        return known.with_columns(session_id=pl.lit(None, pl.Utf8))
    if protocol.twins is Twins.RAW:
        return known
    as_sessions = replace(protocol, level=Level.SESSION, relevance=Relevance.EVIDENCE)
    item_of, _ = _sessions(corpus)
    class_of = _classes(corpus, as_sessions, classes_dir)
    return known.with_columns(session_id=pl.Series(class_of[item_of]).cast(pl.Utf8))


def reachable(corpus: Corpus, protocol: Protocol, judged: Judging) -> pl.DataFrame:
    """Return query_index, n_relevant and n_reachable: how many relevant items the query's scope holds (row M2).

    Queries without a relevant item are left out.
    """
    scopes = scope_documents(corpus, protocol)
    scope_of = pl.DataFrame({"scope": scopes.query_scope}).with_row_index("query_index").cast(pl.Int32)
    found = []
    for (scope,), part in judged.relevance.join(scope_of, on="query_index", validate="m:1").group_by("scope"):
        within = np.unique(judged.item_of[scopes.documents[int(str(scope))]])
        found.append(part.with_columns(is_within=pl.Series(np.isin(part["item_index"].to_numpy(), within))))
    rows = pl.concat(found) if found else judged.relevance.clear().with_columns(is_within=pl.lit(None, pl.Boolean))
    counts = rows.group_by("query_index").agg(n_relevant=pl.len(), n_reachable=pl.col("is_within").sum())
    return counts.cast(pl.Int32).sort("query_index")


def has_a_value(queries: pl.DataFrame, protocol: Protocol) -> NDArray[np.bool_]:
    """Return (n,) bool: whether retrieval measures are defined for the query's block.

    Questions that the history cannot answer have none, whatever the judgements say (row M1); study A scores them.
    """
    if protocol.relevance is Relevance.STUDY_A:
        return np.ones(queries.height, dtype=bool)
    return np.asarray(queries["block"].to_numpy() != Block.ABSTENTION.value)


def _turn_gains(corpus: Corpus, protocol: Protocol) -> pl.DataFrame:
    """Return query_index, document_index, gain of the relevant turns."""
    columns = ["document_id", "document_index", "session_id", "speaker"]
    found = (
        corpus.judgements_turn.filter(pl.col("gain") > 0)
        .join(_indexed(corpus.queries, "query"), on="query_id", how="inner", validate="m:1")
        .join(corpus.documents.select(columns), on="document_id", how="inner", validate="m:1")
    )
    if protocol.is_official:
        found = found.filter(pl.col("speaker") == USER)
    found = found.select("query_index", "document_index", "gain")
    if protocol.relevance is not Relevance.STUDY_A:
        return found
    turns = (
        relevant_sessions(corpus)
        .join(found, on="query_index", how="anti")
        .join(corpus.documents.select("session_id", "document_index"), on="session_id", validate="m:m")
        .select("query_index", "document_index", "gain")
    )
    return pl.concat([found, turns])


def _session_gains(corpus: Corpus, protocol: Protocol) -> pl.DataFrame:
    """Return query_index, session_id, gain of the relevant sessions.

    LongMemEval's own code renames a gold session whose user turns hold no evidence: it is not gold there (part C).
    """
    if not protocol.is_official:
        return relevant_sessions(corpus)
    return (
        _turn_gains(corpus, protocol)
        .join(corpus.documents.select("document_index", "session_id"), on="document_index", validate="m:1")
        .group_by("query_index", "session_id")
        .agg(pl.col("gain").max())
    )


def relevant_sessions(corpus: Corpus) -> pl.DataFrame:
    """Return the relevant sessions: query_index Int32, session_id, gain Int32, sorted by the first two."""
    return (
        corpus.judgements_session.filter(pl.col("gain") > 0)
        .join(_indexed(corpus.queries, "query"), on="query_id", how="inner", validate="m:1")
        .select("query_index", "session_id", "gain")
        .sort("query_index", "session_id")
    )


def _sessions(corpus: Corpus) -> tuple[Indices, pl.DataFrame]:
    """Return the number of the session of each document, and the table session_id, item_index."""
    items = corpus.sessions.select("session_id").with_row_index("item_index")
    item_of = corpus.documents.join(items, on="session_id", how="left", validate="m:1", maintain_order="left")
    if item_of["item_index"].null_count():
        raise BenchError(
            f"{item_of['item_index'].null_count()} documents of {corpus.facts['dataset']} are in no session; expected "
            "a protocol that judges documents"
        )
    return item_of["item_index"].to_numpy().astype(np.int32), items


def _classes(corpus: Corpus, protocol: Protocol, classes_dir: Path | None) -> Indices:
    """Return the class of each item of the protocol's level."""
    if classes_dir is None:
        raise BenchError(f"protocol {protocol} needs the classes of equal texts; run the step `classes` of the corpora")
    if protocol.level is Level.SESSION:
        found = pl.read_parquet(classes_dir / "session_classes.parquet", columns=["session_id", "class_index"])
        keyed = corpus.sessions.select("session_id").join(
            found, on="session_id", how="left", validate="1:1", maintain_order="left"
        )
    else:
        found = pl.read_parquet(classes_dir / "classes.parquet", columns=["document_index", "class_index"])
        keyed = corpus.documents.select("document_index").join(
            found, on="document_index", how="left", validate="1:1", maintain_order="left"
        )
    if keyed["class_index"].null_count():
        raise BenchError(f"the classes in {classes_dir} are of another corpus; run the step `classes` again")
    return keyed["class_index"].to_numpy().astype(np.int32)


def _collapsed(item_of: Indices, relevance: pl.DataFrame, class_of: Indices) -> tuple[Indices, pl.DataFrame]:
    """Replace items by their classes: a class has the largest gain of its members, and counts once (row M5)."""
    classes = pl.Series("item_index", class_of[relevance["item_index"].to_numpy()])
    merged = relevance.with_columns(classes).group_by("query_index", "item_index").agg(pl.col("gain").max())
    return class_of[item_of], merged


def _places(n: int) -> Indices:
    return np.arange(n, dtype=np.int32)


def _indexed(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.select(f"{name}_id", f"{name}_index")

"""Content classes: documents that read the same, and sessions that are lists of the same turns (fault M5).

Data sets repeat a document under several ids, and judge one of the copies only. Which documents are copies is decided
here, once; measures that look through copies, and the ledger, read these classes.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from tasks.corpora.tables import Corpus
from tasks.records import Block, Defect

CONTENT_COLUMNS = ("speaker", "title", "text", "caption")
"""What a reader sees of a document. The speaker counts: the same words from the user and from the assistant are two
documents (a retriever sees the role, and only one of them may be evidence). So does the caption: another image is
another document, whether or not a run shows captions to its retrievers. Date and place do not."""

_BETWEEN = b"\x1f"
"""Separates the parts in a digest; whitespace for `str.split`, so no folded part holds it."""

Digests = pl.DataFrame
"""Columns high and low (UInt64): the 16 bytes of a digest."""


def content_digest(parts: Iterable[str | None]) -> bytes:
    r"""Return 16 bytes that two documents share if and only if their parts are equal after folding (BLAKE2b).

    Folding is Unicode NFC, then every run of whitespace becomes one space, and none is left at either end. A missing
    part equals an empty one: a reader sees nothing of either.

    >>> content_digest(["user", "Cafe\u0301  au\nlait "]) == content_digest(["user", "Café au lait"])
    True
    >>> content_digest(["user", "yes"]) == content_digest(["assistant", "yes"])
    False
    """
    folded = (" ".join(unicodedata.normalize("NFC", part or "").split()) for part in parts)
    return hashlib.blake2b(_BETWEEN.join(part.encode() for part in folded), digest_size=16).digest()


def numbered(digests: Digests) -> pl.Series:
    """Return `class_index` (Int32, one per row): equal rows share a number, by first appearance from 0."""
    classes = digests.unique(maintain_order=True).with_row_index("class_index")
    joined = digests.join(classes, on=["high", "low"], how="left", validate="m:1", maintain_order="left")
    return joined["class_index"].cast(pl.Int32)


def session_classes(sessions: pl.DataFrame, documents: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """Return session_id and class_index (Int32, by first appearance in `sessions`), in the order of `sessions`.

    Two sessions are equal when the lists of the classes of their turns are, in the order of the turns.

    Parameters
    ----------
    sessions
        Column session_id.
    documents
        Columns document_index, session_id and turn_index.
    classes
        Columns document_index and class_index of the documents.
    """
    turns = (
        documents.filter(pl.col("session_id").is_not_null())
        .join(classes, on="document_index", how="inner", validate="1:1")
        .sort("session_id", "turn_index", "document_index")
        .group_by("session_id", maintain_order=True)
        .agg(turns=pl.col("class_index"))
    )
    listed = sessions.select("session_id").join(
        turns, on="session_id", how="left", validate="1:1", maintain_order="left"
    )
    numbers: dict[tuple[int, ...], int] = {}
    found = [numbers.setdefault(tuple(turns or ()), len(numbers)) for turns in listed["turns"].to_list()]
    return listed.select("session_id", pl.Series("class_index", found, dtype=pl.Int32))


@dataclass(frozen=True, slots=True)
class TwinFacts:
    """How far identical content under different ids reaches into the judgements.

    A *twin* of a gold item is another item of its class that the query does not judge relevant. Pooled: a twin counts
    wherever it stands, also outside the query's own haystack.

    Attributes
    ----------
    n_classes
        Classes of documents.
    n_shared_classes, n_shared_documents
        Classes with more than one document, and the documents in them.
    n_shared_sessions
        Groups of sessions with the same turns under different ids.
    n_gold_groups
        Those of them that hold a gold session of some query of any block, and a twin of it.
    n_filler_groups
        Those of them in which a twin is gold for no query at all: the evidence also stands as filler.
    gold_session_queries
        Ids of those queries, in the order of the corpus.
    n_answerable
        Queries of the block main with a gold turn.
    with_twin
        Ids of answerable queries with at least one gold turn that has a twin.
    only_twinned
        Ids of answerable queries whose gold turns all have one.
    """

    n_classes: int
    n_shared_classes: int
    n_shared_documents: int
    n_shared_sessions: int
    n_gold_groups: int
    n_filler_groups: int
    gold_session_queries: tuple[str, ...]
    n_answerable: int
    with_twin: tuple[str, ...]
    only_twinned: tuple[str, ...]


def twin_facts(corpus: Corpus, classes: pl.DataFrame, classes_of_sessions: pl.DataFrame) -> TwinFacts:
    """Count the twins of a corpus (its texts are not read).

    Parameters
    ----------
    corpus
        The tables; `Corpus.read(..., with_texts=False)` suffices.
    classes
        document_index, class_index: the table `classes`.
    classes_of_sessions
        session_id, class_index: the table `session_classes`.
    """
    by_id = corpus.documents.select("document_index", item=pl.col("document_id")).join(
        classes, on="document_index", how="inner", validate="1:1"
    )
    turns = _judged(corpus.judgements_turn, "document_id", by_id)
    sessions = _judged(
        corpus.judgements_session, "session_id", classes_of_sessions.rename({"session_id": "item"})
    ).filter("has_twin")
    never_gold = classes_of_sessions.join(
        corpus.judgements_session.filter(pl.col("gain") > 0), on="session_id", how="anti"
    )["class_index"]
    filler = sessions.filter(pl.col("class_index").is_in(never_gold.unique().implode()))["class_index"]
    main = corpus.queries.filter(pl.col("block") == Block.MAIN)["query_id"]
    answerable = (
        turns.filter(pl.col("query_id").is_in(main.implode()))
        .group_by("query_id")
        .agg(any=pl.col("has_twin").any(), all=pl.col("has_twin").all())
    )
    sizes = classes.group_by("class_index").len().filter(pl.col("len") > 1)
    order = corpus.queries["query_id"]
    return TwinFacts(
        n_classes=classes["class_index"].n_unique(),
        n_shared_classes=sizes.height,
        n_shared_documents=int(sizes["len"].sum()),
        n_shared_sessions=classes_of_sessions.group_by("class_index").len().filter(pl.col("len") > 1).height,
        n_gold_groups=sessions["class_index"].n_unique(),
        n_filler_groups=filler.n_unique(),
        gold_session_queries=_in_order(order, sessions["query_id"]),
        n_answerable=answerable.height,
        with_twin=_in_order(order, answerable.filter("any")["query_id"]),
        only_twinned=_in_order(order, answerable.filter("all")["query_id"]),
    )


def twin_defects(facts: TwinFacts) -> list[Defect]:
    """Return the ledger's rows of these facts: none where nothing is repeated."""
    rows = [
        Defect(
            "documents",
            "identical_documents",
            "kept",
            f"{facts.n_shared_classes} groups of documents, {facts.n_shared_documents} in all, read the same",
        )
        if facts.n_shared_classes
        else None,
        Defect(
            "sessions",
            "identical_sessions",
            "kept",
            f"{facts.n_shared_sessions} groups of sessions have the same turns under different ids; "
            f"{facts.n_gold_groups} of them hold a gold session and a twin of it that is not gold for the query, "
            f"{facts.n_filler_groups} a twin that is gold for none",
            facts.gold_session_queries,
        )
        if facts.n_shared_sessions
        else None,
        _turn_defect("gold_turn_with_twin", "at least one gold turn has", facts, facts.with_twin),
        _turn_defect("gold_turns_all_with_twin", "every gold turn has", facts, facts.only_twinned),
    ]
    return [row for row in rows if row is not None]


def _turn_defect(kind: str, what: str, facts: TwinFacts, query_ids: Sequence[str]) -> Defect | None:
    detail = (
        f"{len(query_ids)} of {facts.n_answerable} answerable questions: {what} an identical twin that is not judged "
        "relevant"
    )
    return (
        Defect("judgements_turn", kind, "raw_and_twin_aware_measures", detail, tuple(query_ids)) if query_ids else None
    )


def _judged(judgements: pl.DataFrame, item: str, classes: pl.DataFrame) -> pl.DataFrame:
    """Return query_id, class_index and has_twin of each gold item: whether its class is larger than its gold part."""
    sizes = classes.group_by("class_index").agg(size=pl.len())
    return (
        judgements.filter(pl.col("gain") > 0)
        .select("query_id", item=pl.col(item))
        .join(classes, on="item", how="inner", validate="m:1")
        .join(sizes, on="class_index", how="inner", validate="m:1")
        .with_columns(has_twin=pl.col("size") > pl.len().over("query_id", "class_index"))
        .select("query_id", "class_index", "has_twin")
    )


def _in_order(order: pl.Series, members: pl.Series) -> tuple[str, ...]:
    return tuple(order.filter(order.is_in(members.unique().implode())))

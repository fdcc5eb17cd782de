"""The nouns of the project: what a document, query, judgement, defect and error are.

Every stage may import this module; it imports nothing of the project.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class BenchError(Exception):
    """A failure a person can act on: what came, what was expected, what to do.

    The command line prints its text without a traceback and exits with 2.
    """


@contextmanager
def context(place: str) -> Iterator[None]:
    """Prefix the text of a `BenchError` raised inside with the place it concerns (file, record, field).

    >>> with context("locomo10.json"):
    ...     raise BenchError("conversation 3: no key 'qa'")
    Traceback (most recent call last):
        ...
    tasks.records.BenchError: locomo10.json: conversation 3: no key 'qa'
    """
    try:
        yield
    except BenchError as error:
        raise BenchError(f"{place}: {error}") from error


class Params(BaseModel):
    """Base of every parameter set: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Block(StrEnum):
    """The block of a report in which a query is averaged."""

    MAIN = "main"
    ADVERSARIAL = "adversarial"
    """LoCoMo's category 5: has evidence, is scored, never mixed into the main mean."""
    ABSTENTION = "abstention"
    """Questions that the history cannot answer: score distributions only."""


@dataclass(frozen=True, slots=True)
class Document:
    """The smallest thing a retriever returns: one turn of a conversation, or one abstract of NFCorpus.

    Attributes
    ----------
    document_id
        The id in the source, unique in its corpus. May give the label away: never shown to a retriever.
    session_id
        The session that holds the turn; None where the data set has no sessions.
    turn_index
        0-based position inside the session; None without sessions.
    speaker
        Role or name of who speaks; None where nobody does.
    title
        Title of a document; None for turns.
    text
        The content alone, as in the source.
    caption
        Caption of an image in the turn, where the source has one.
    """

    document_id: str
    text: str
    session_id: str | None = None
    turn_index: int | None = None
    speaker: str | None = None
    title: str | None = None
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A contiguous list of turns. `position` is its 0-based place in the source's order."""

    session_id: str
    position: int
    n_turns: int
    date: datetime | None = None


@dataclass(frozen=True, slots=True)
class ScopeMember:
    """One session belongs to one scope: a conversation, or the haystack of a question.

    A session may belong to many scopes. `position` is its 0-based place in the scope.
    """

    scope_id: str
    session_id: str
    position: int


@dataclass(frozen=True, slots=True)
class Query:
    """A question. `scope_id` names what it may search where the protocol is not pooled."""

    query_id: str
    text: str
    question_type: str
    block: Block = Block.MAIN
    scope_id: str | None = None
    answer: str | None = None
    date: datetime | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """`gain` of one item (a document, or a session) for one query. Items not listed have gain 0."""

    query_id: str
    item_id: str
    gain: int


@dataclass(frozen=True, slots=True)
class Defect:
    """A ledger row: a fault met in the data, and what was done about it.

    Attributes
    ----------
    record_id
        Where it was met: the source's own id, or a JSON path.
    kind
        Stable snake_case name of the fault, e.g. ``evidence_out_of_range``.
    policy
        What was done: stable snake_case, e.g. ``dropped_at_turn_level``.
    detail
        What came, in words a person understands.
    query_ids
        Ids of the affected queries.
    """

    record_id: str
    kind: str
    policy: str
    detail: str = ""
    query_ids: tuple[str, ...] = ()

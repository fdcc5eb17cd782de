"""The nouns of a synthetic history: what is stated, what is asked, and the finished sessions of one user."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tasks.records import Query


class Role(StrEnum):
    """Why a turn is there: the truth that `planted.parquet` records for every document."""

    EVIDENCE = "evidence"
    STALE = "stale"
    """States the old value of an updated fact."""
    DISTRACTOR = "distractor"
    """A chronic distractor."""
    TWIN = "twin"
    """Any turn of a copied session."""
    FILLER = "filler"


@dataclass(slots=True)
class Statement:
    """One turn that says something. `question` is the number of the user's question it concerns, or None.

    `user` is the user's sentence; `assistant` the assistant's, where that is what is asked about; `echo` repeats the
    old value in an earlier turn of the same session. `session` and `document_id` are known once it is placed.
    """

    role: Role
    kind: str
    user: str
    question: int | None = None
    assistant: str | None = None
    echo: str | None = None
    session: int = -1
    document_id: str = ""


@dataclass(slots=True)
class Draft:
    """A question before its statements are placed, in the order in which they are listed.

    Where it `asks_days`, the dates of the sessions give the answer.
    """

    question_type: str
    text: str
    answer: str
    statements: list[Statement] = field(default_factory=list)
    is_abstention: bool = False
    asks_days: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `query_id` is the question it is evidence for, stale for, or would be if it were not a twin."""

    document_id: str
    speaker: str
    text: str
    role: Role = Role.FILLER
    query_id: str | None = None
    twin_of: str | None = None


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """One session of a history, in order of time. `domain` is its main subject."""

    session_id: str
    date: datetime
    domain: str
    turns: tuple[Turn, ...]

    @property
    def is_evidence(self) -> bool:
        """Whether a turn of it answers a planned question."""
        return any(turn.role is Role.EVIDENCE for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the ids of its relevant turns and of their sessions, in order of time."""

    query: Query
    document_ids: tuple[str, ...]
    session_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All sessions of one user (scope), and all questions that were planned for it."""

    user_id: str
    sessions: tuple[FinishedSession, ...]
    questions: tuple[Question, ...]

"""LoCoMo: ten long conversations of two people, with questions whose evidence names turns.

Source: Maharana et al. 2024, github.com/snap-research/locomo, `data/locomo10.json` (CC BY-NC 4.0). A user's memory is
their own conversation: scope = conversation. Captions of images go to their own column.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from enum import IntEnum
from typing import Any, Literal

from pydantic import TypeAdapter

from tasks.corpora.dates import parse_locomo_date
from tasks.corpora.locomo_evidence import Evidence, read_evidence
from tasks.corpora.raw import RawFile, RawRecord, Text, load_json, validated
from tasks.corpora.tables import CorpusWriter, shown
from tasks.progress import Progress
from tasks.records import (
    BenchError,
    Block,
    Defect,
    Document,
    Judgement,
    Params,
    Query,
    ScopeMember,
    Session,
    context,
)

_SESSION_KEY = re.compile(r"session_(0|[1-9][0-9]{0,8})")
_DATE_KEY = re.compile(r"session_(0|[1-9][0-9]{0,8})_date_time")
_OTHER_KEYS = {"speaker_a", "speaker_b"}
MAX_FILE_BYTES = 256 * 1024**2
"""A larger file is refused, as it is read whole; the official one has 3 MB."""


class LocomoParams(Params):
    """Options of the parser.

    Attributes
    ----------
    evidence
        `tolerant`: every reference that can be read counts (1,982 scorable questions); `strict`: study B's rule,
        only strings that are exactly `D<int>:<int>` (1,978).
    """

    evidence: Literal["tolerant", "strict"] = "tolerant"


class Category(IntEnum):
    """LoCoMo's question categories. The numbers are not in the paper's order (memorybench#90)."""

    MULTI_HOP = 1
    TEMPORAL = 2
    OPEN_DOMAIN = 3
    SINGLE_HOP = 4
    ADVERSARIAL = 5

    @property
    def label(self) -> str:
        """The name in tables, e.g. `multi-hop`."""
        return self.name.lower().replace("_", "-")


OFFICIAL_COUNTS = {
    Category.MULTI_HOP: 282,
    Category.TEMPORAL: 321,
    Category.OPEN_DOMAIN: 96,
    Category.SINGLE_HOP: 841,
    Category.ADVERSARIAL: 446,
}
"""Questions per category of the official file (row L6 of the data issues): a wrong label would show here."""

OFFICIAL_CODE_SESSIONS = 19
"""The official retrieval code indexes sessions 1-19 only (row L13); we index all."""


class _Turn(RawRecord):
    speaker: Text
    dia_id: Text
    text: Text
    blip_caption: Text | None = None


class _Question(RawRecord):
    question: Text
    category: int
    evidence: list[Text]
    answer: Text | int | float | None = None


class _Conversation(RawRecord):
    sample_id: Text
    conversation: dict[Text, Any]
    qa: list[_Question]


_RECORD = TypeAdapter(_Conversation)
_TURNS = TypeAdapter(list[_Turn])
_DATE = TypeAdapter(Text)


def parse(raw: RawFile, params: LocomoParams, writer: CorpusWriter, progress: Progress) -> None:
    """Write the tables of a LoCoMo file.

    Raises
    ------
    BenchError
        Naming file, record and field, when the file is not of LoCoMo's shape.
    """
    with context(raw.path.name):
        if (size := raw.path.stat().st_size) > MAX_FILE_BYTES:
            raise BenchError(f"{size} bytes; expected at most {MAX_FILE_BYTES}")
        records = load_json(raw.path.read_bytes())
        if not isinstance(records, list) or not records:
            raise BenchError(f"{shown(records)} at the top; expected a list of at least one conversation")
        counts: Counter[Category] = Counter()
        first: dict[str, int] = {}
        for number, record in enumerate(records):
            conversation = validated(_RECORD, record, f"conversation {number}")
            with context(f"conversation {number} ({shown(conversation.sample_id)})"):
                if (before := first.setdefault(conversation.sample_id, number)) != number:
                    raise BenchError(f"sample_id: that of conversation {before} came again; expected unique ids")
                _ConversationParser(conversation, params, writer).parse()
            counts.update(Category(question.category) for question in conversation.qa)
            progress(number + 1, len(records), "conversations")
        if raw.is_official and counts != OFFICIAL_COUNTS:
            raise BenchError(f"questions per category {dict(counts)}; expected {OFFICIAL_COUNTS} in the official file")


class _ConversationParser:
    """Write one conversation: its sessions, turns, questions and judgements."""

    def __init__(self, record: _Conversation, params: LocomoParams, writer: CorpusWriter) -> None:
        self._record = record
        self._scope = record.sample_id
        self._is_strict = params.evidence == "strict"
        self._writer = writer
        self._turns: dict[tuple[int, int], str] = {}
        """Document id of (session number, turn number)."""
        self._captioned: set[str] = set()
        self._seen_only: list[str] = []
        """Questions whose evidence is all in turns with an image."""
        self._beyond: list[str] = []
        self._unanswered: list[str] = []

    def parse(self) -> None:
        """Write everything of this conversation."""
        numbers = self._session_numbers()
        for position, number in enumerate(numbers):
            self._add_session(number, position)
        for index, question in enumerate(self._record.qa):
            with context(f"qa[{index}]"):
                self._add_question(f"{self._scope}_qa{index}", question)
        self._note_conversation(numbers)

    def _session_numbers(self) -> list[int]:
        found = (_SESSION_KEY.fullmatch(key) for key in self._record.conversation)
        numbers = sorted(int(match[1]) for match in found if match)
        if not numbers:
            raise BenchError("conversation: no key session_<number>; expected at least one session")
        return numbers

    def _session_id(self, number: int) -> str:
        return f"{self._scope}:D{number}"

    def _add_session(self, number: int, position: int) -> None:
        key, session_id = f"session_{number}", self._session_id(number)
        turns = validated(_TURNS, self._record.conversation[key], f"conversation.{key}")
        date = self._date(number)
        if not turns:
            self._ledger(session_id, "session_without_turns", "kept")
        self._writer.add_session(Session(session_id, position, len(turns), date))
        self._writer.add_scope_member(ScopeMember(self._scope, session_id, position))
        for index, turn in enumerate(turns):
            with context(f"conversation.{key}[{index}].dia_id"):
                document_id = self._register(number, turn.dia_id)
                self._writer.add_document(
                    Document(document_id, turn.text, session_id, index, turn.speaker, caption=turn.blip_caption)
                )
                if turn.blip_caption:
                    self._captioned.add(document_id)

    def _register(self, session: int, dia_id: str) -> str:
        match = re.fullmatch(r"D([0-9]{1,9}):([0-9]{1,9})", dia_id)
        if match is None or int(match[1]) != session:
            raise BenchError(f"{shown(dia_id)} came; expected D{session}:<number of the turn>")
        reference = (session, int(match[2]))
        return self._turns.setdefault(reference, f"{self._session_id(session)}:{reference[1]}")

    def _date(self, number: int) -> datetime | None:
        key = f"session_{number}_date_time"
        value = self._record.conversation.get(key)
        if value is None:
            self._ledger(self._session_id(number), "session_without_date", "kept_without_date")
            return None
        with context(f"conversation.{key}"):
            return parse_locomo_date(validated(_DATE, value, "value"))

    def _add_question(self, query_id: str, question: _Question) -> None:
        if question.category not in set(Category):
            valid = ", ".join(f"{category.value} {category.label}" for category in Category)
            raise BenchError(f"category {shown(question.category)} came; expected one of {valid}")
        category = Category(question.category)
        is_adversarial = category is Category.ADVERSARIAL
        self._writer.add_query(
            Query(
                query_id,
                question.question,
                category.label,
                Block.ADVERSARIAL if is_adversarial else Block.MAIN,
                scope_id=self._scope,
                answer=None if question.answer is None else str(question.answer),
            )
        )
        if question.answer is None:
            self._unanswered.append(query_id)
        self._add_judgements(query_id, question.evidence)

    def _add_judgements(self, query_id: str, strings: list[str]) -> None:
        evidence = read_evidence(strings, is_strict=self._is_strict)
        for fault in evidence.faults:
            self._ledger(query_id, fault.kind, fault.policy, shown(fault.text), query_id)
        turns = list(dict.fromkeys(self._known_turns(query_id, evidence)))
        sessions = [name for name in self._named_sessions(evidence) if self._writer.has_session(name)]
        for turn in turns:
            self._writer.add_turn_judgement(Judgement(query_id, turn, 1))
        if turns and self._captioned.issuperset(turns):
            self._seen_only.append(query_id)
        for session in sessions:
            self._writer.add_session_judgement(Judgement(query_id, session, 1))
        if not sessions:
            kind = "no_readable_evidence" if strings else "no_evidence"
            self._ledger(query_id, kind, "excluded", f"evidence {shown(strings)}", query_id)
        elif not turns:
            self._ledger(query_id, "no_evidence_turn", "excluded_at_turn_level", f"evidence {shown(strings)}", query_id)
        if any(session > OFFICIAL_CODE_SESSIONS for session, _ in evidence.references):
            self._beyond.append(query_id)

    def _known_turns(self, query_id: str, evidence: Evidence) -> Iterator[str]:
        for session, turn in evidence.references:
            if (session, turn) in self._turns:
                yield self._turns[session, turn]
                continue
            has_session = self._writer.has_session(self._session_id(session))
            policy = "dropped_at_turn_level" if has_session else "dropped"
            detail = f"D{session}:{turn}: no such {'turn' if has_session else 'session'}"
            self._ledger(query_id, "evidence_out_of_range", policy, detail, query_id)

    def _named_sessions(self, evidence: Evidence) -> list[str]:
        return list(dict.fromkeys(self._session_id(session) for session, _ in evidence.references))

    def _note_conversation(self, numbers: list[int]) -> None:
        known = (_SESSION_KEY, _DATE_KEY)
        keys = self._record.conversation.keys() - _OTHER_KEYS
        if unknown := sorted(key for key in keys if not any(kind.fullmatch(key) for kind in known)):
            self._ledger(self._scope, "unknown_conversation_keys", "ignored", shown(unknown))
        if not self._record.qa:
            self._ledger(self._scope, "conversation_without_questions", "kept")
        dated = {int(match[1]) for key in self._record.conversation if (match := _DATE_KEY.fullmatch(key))}
        if spare := sorted(dated - set(numbers)):
            self._ledger(self._scope, "date_without_session", "ignored", f"sessions {', '.join(map(str, spare))}")
        if len(numbers) > OFFICIAL_CODE_SESSIONS:
            detail = f"{len(numbers)} sessions; the official retrieval code indexes the first 19 only"
            self._ledger(self._scope, "sessions_beyond_official_code", "all_indexed", detail, *self._beyond)
        if self._captioned:
            detail = f"{len(self._captioned)} turns carry an image's caption; read only where text.caption is set"
            self._ledger(self._scope, "turn_with_image", "caption_is_an_option", detail, *self._seen_only)
        if self._unanswered:
            detail = f"{len(self._unanswered)} questions have no answer; their evidence is scored all the same"
            self._ledger(self._scope, "question_without_answer", "scored", detail, *self._unanswered)

    def _ledger(self, record_id: str, kind: str, policy: str, detail: str = "", *query_ids: str) -> None:
        self._writer.add_defect(Defect(record_id, kind, policy, detail, query_ids))

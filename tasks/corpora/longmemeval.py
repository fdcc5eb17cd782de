"""LongMemEval-S (cleaned): questions, each with a haystack of chat sessions between a user and an assistant.

Source: Wu et al. 2025, huggingface.co/datasets/xiaowu0162/longmemeval-cleaned (MIT). The file is 277 MB of JSON, mostly
the same sessions again and again: it is read record by record, and a session is written when it is met first.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import TypeAdapter

from tasks.corpora.dates import parse_longmemeval_date
from tasks.corpora.json_stream import stream_records
from tasks.corpora.raw import RawFile, RawRecord, Text, validated
from tasks.corpora.tables import CorpusWriter, shown
from tasks.progress import Progress
from tasks.records import BenchError, Block, Defect, Document, Judgement, Params, Query, ScopeMember, Session, context

OFFICIAL_QUESTIONS, OFFICIAL_DOCUMENTS = 500, 199_509
ABSTENTION_SUFFIX = "_abs"
"""Ends the id of a question that the history cannot answer."""


class LongmemevalParams(Params):
    """The parser has no options: roles, dates and duplicates are options of later stages."""


class _Turn(RawRecord):
    role: Literal["user", "assistant"]
    content: Text
    has_answer: bool | None = None


class _Question(RawRecord):
    question_id: Text
    question_type: Text
    question: Text
    question_date: Text
    answer: Text | int | float | None = None
    answer_session_ids: list[Text]
    haystack_session_ids: list[Text]
    haystack_dates: list[Text]
    haystack_sessions: list[list[_Turn]]


_RECORD = TypeAdapter(_Question)


def parse(raw: RawFile, writer: CorpusWriter, progress: Progress) -> None:
    """Write the tables of a LongMemEval file (`.json`, `.json.gz` or `.json.zst`), in memory bounded by one question.

    Document ids are `{session_id}_t{turn index}`; the first occurrence of a session wins.

    Raises
    ------
    BenchError
        Naming file, record and field, when the file has another shape; for the oracle file, whose haystacks hold the
        evidence only.
    """
    parser = _Parser(writer)
    with context(raw.path.name):
        for number, record in enumerate(stream_records(raw.path)):
            question = validated(_RECORD, record, f"question {number}")
            with context(f"question {number} ({shown(question.question_id)})"):
                parser.add(question)
            progress(number + 1, max(OFFICIAL_QUESTIONS, number + 1), "questions")
        parser.finish(is_official=raw.is_official)
    notes = dict.fromkeys(filter(None, (raw.note, parser.note())))
    writer.note = "; ".join(notes) or None


class _Parser:
    """State across questions: which sessions were written, and what was met."""

    def __init__(self, writer: CorpusWriter) -> None:
        self._writer = writer
        self._contents: dict[str, bytes] = {}
        """Digest of the turns of each session as written."""
        self._dates: dict[str, datetime] = {}
        self._redated: dict[str, int] = {}
        """How many haystacks give a session another date than the first did."""
        self._n_questions = 0
        self._n_documents = 0
        self._n_oracle = 0
        self._abstention: list[str] = []
        self._numeric_answers: list[str] = []
        self._assistant_only: list[str] = []

    def add(self, question: _Question) -> None:
        """Write one question, and the sessions of its haystack that are new."""
        _refuse_uneven(question)
        self._n_questions += 1
        is_abstention = question.question_id.endswith(ABSTENTION_SUFFIX)
        with context("question_date"):
            date = parse_longmemeval_date(question.question_date)
        self._writer.add_query(
            Query(
                question.question_id,
                question.question,
                question.question_type,
                Block.ABSTENTION if is_abstention else Block.MAIN,
                scope_id=question.question_id,
                answer=None if question.answer is None else str(question.answer),
                date=date,
            )
        )
        if isinstance(question.answer, int | float):
            self._numeric_answers.append(question.question_id)
        if is_abstention:
            self._abstention.append(question.question_id)
        positions = self._add_haystack(question)
        self._n_oracle += positions.keys() <= set(question.answer_session_ids)
        self._add_judgements(question, positions)

    def finish(self, *, is_official: bool) -> None:
        """Write the summarising ledger rows, after the checks of the whole file."""
        if self._n_questions == 0:
            raise BenchError("no question came; expected a list of at least one")
        if self._n_oracle == self._n_questions:
            raise BenchError(
                "every haystack holds evidence sessions only: this is the oracle file, where recall is 1 whatever is "
                "retrieved. It is refused for retrieval; expected longmemeval_s_cleaned.json"
            )
        came = (self._n_questions, self._n_documents)
        if is_official and came != (OFFICIAL_QUESTIONS, OFFICIAL_DOCUMENTS):
            raise BenchError(f"{came} questions and turns; expected {(OFFICIAL_QUESTIONS, OFFICIAL_DOCUMENTS)}")
        self._note_questions("abstention_question", "own_block", "the history cannot answer it", self._abstention)
        self._note_questions("answer_is_a_number", "kept_as_text", "one type per column", self._numeric_answers)
        detail = "evidence in assistant turns only: out of reach where assistant turns are not indexed"
        self._note_questions("evidence_in_assistant_turns_only", "kept", detail, self._assistant_only)
        if self._redated:
            n_times = sum(self._redated.values())
            detail = f"{len(self._redated)} sessions have another date in a later haystack, {n_times} times"
            self._writer.add_defect(Defect("haystack_dates", "session_redated", "first_date_kept", detail))

    def note(self) -> str | None:
        """Return the sentence that every report must show when questions are missing."""
        if self._n_questions == OFFICIAL_QUESTIONS:
            return None
        return f"{self._n_questions} of {OFFICIAL_QUESTIONS} questions"

    def _add_haystack(self, question: _Question) -> dict[str, int]:
        """Write new sessions and the scope; return the index in the haystack of each session, of its first listing."""
        positions: dict[str, int] = {}
        for index, session_id in enumerate(question.haystack_session_ids):
            turns = question.haystack_sessions[index]
            with context(f"haystack_dates[{index}]"):
                date = parse_longmemeval_date(question.haystack_dates[index])
            if session_id in positions:
                first = question.haystack_dates[positions[session_id]]
                detail = f"{shown(session_id)} at {first} and at {question.haystack_dates[index]}"
                self._ledger(question, "session_listed_twice", "first_kept", detail)
                continue
            positions[session_id] = index
            self._writer.add_scope_member(ScopeMember(question.question_id, session_id, len(positions) - 1))
            self._meet(question, session_id, turns, date)
        return positions

    def _meet(self, question: _Question, session_id: str, turns: Sequence[_Turn], date: datetime) -> None:
        """Write a new session; compare a known one with what was written."""
        digest = _digest(turns)
        if session_id not in self._contents:
            self._contents[session_id], self._dates[session_id] = digest, date
            self._add_session(session_id, turns, date)
            return
        if self._contents[session_id] != digest:
            self._ledger(question, "session_content_differs", "first_kept", shown(session_id))
        if self._dates[session_id] != date:
            self._redated[session_id] = self._redated.get(session_id, 0) + 1

    def _add_session(self, session_id: str, turns: Sequence[_Turn], date: datetime) -> None:
        self._writer.add_session(Session(session_id, len(self._contents) - 1, len(turns), date))
        if not turns:
            self._writer.add_defect(Defect(session_id, "session_without_turns", "kept"))
        for index, turn in enumerate(turns):
            self._writer.add_document(
                Document(_document_id(session_id, index), turn.content, session_id, index, turn.role)
            )
        self._n_documents += len(turns)

    def _add_judgements(self, question: _Question, positions: dict[str, int]) -> None:
        """Turn level: `has_answer`; session level: `answer_session_ids`. Two different sets (row M3)."""
        gold = dict.fromkeys(question.answer_session_ids)
        if len(gold) != len(question.answer_session_ids):
            self._ledger(question, "gold_session_repeated", "counted_once", shown(question.answer_session_ids))
        roles: set[str] = set()
        for session_id, index in positions.items():
            found = [(i, turn) for i, turn in enumerate(question.haystack_sessions[index]) if turn.has_answer]
            for turn_index, turn in found:
                self._judge_turn(question, session_id, turn_index)
                roles.add(turn.role)
            if found and session_id not in gold:
                self._ledger(question, "evidence_outside_gold_sessions", "gold_at_turn_level", shown(session_id))
            if session_id in gold and not found:
                kind = "gold_session_without_evidence_turn"
                self._ledger(question, kind, "gold_at_session_level_only", shown(session_id))
        for session_id in gold:
            if session_id in positions:
                self._writer.add_session_judgement(Judgement(question.question_id, session_id, 1))
            else:
                self._ledger(question, "gold_session_absent", "dropped", shown(session_id))
        if not roles:
            self._ledger(question, "no_evidence_turn", "excluded_at_turn_level", f"{len(gold)} gold sessions")
        if roles == {"assistant"}:
            self._assistant_only.append(question.question_id)

    def _judge_turn(self, question: _Question, session_id: str, turn_index: int) -> None:
        document_id = _document_id(session_id, turn_index)
        if not self._writer.has_document(document_id):
            self._ledger(question, "evidence_turn_absent", "dropped", shown(document_id))
            return
        self._writer.add_turn_judgement(Judgement(question.question_id, document_id, 1))

    def _ledger(self, question: _Question, kind: str, policy: str, detail: str) -> None:
        name = question.question_id
        self._writer.add_defect(Defect(name, kind, policy, detail, (name,)))

    def _note_questions(self, kind: str, policy: str, detail: str, names: list[str]) -> None:
        for name in names:
            self._writer.add_defect(Defect(name, kind, policy, detail, (name,)))


def _document_id(session_id: str, turn_index: int) -> str:
    return f"{session_id}_t{turn_index}"


def _refuse_uneven(question: _Question) -> None:
    lengths = {
        name: len(getattr(question, name)) for name in ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    }
    if len(set(lengths.values())) > 1:
        raise BenchError(f"lists of different lengths came: {lengths}; expected one date and one session per id")
    if not question.haystack_session_ids:
        raise BenchError("haystack_session_ids: an empty list came; expected at least one session")


def _digest(turns: Sequence[_Turn]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for turn in turns:
        for part in (turn.role, turn.content):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "little"))
            digest.update(data)
    return digest.digest()

"""LoCoMo's label errors, as an independent audit lists them, turned into a qrels overlay (row L11 of the data issues).

Source: github.com/dial481/locomo-audit, `audit_errors.json` (CC BY-NC 4.0). An item names a question by the position of
its conversation in locomo10.json, repeats the question and its cited evidence, and says which evidence is correct.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from tasks.corpora.locomo_evidence import read_evidence
from tasks.corpora.overlays import Correction, read_bytes, refuse_faults
from tasks.corpora.raw import RawRecord, Text, load_json, validated
from tasks.corpora.tables import Corpus, shown
from tasks.records import BenchError, context

KNOWN_SOURCES = {
    "f298ef46263fada20688a1d672be37d4f488c6da3b19343eea55ae5c1b5fe55e": "dial481/locomo-audit, commit 9493fb4b"
}
"""Where a file of that SHA-256 comes from."""

_QUESTION_ID = re.compile(r"locomo_([0-9]{1,6})_qa([0-9]{1,6})")


class _Item(RawRecord):
    question_id: Text
    question: Text
    error_type: Annotated[Text, Field(min_length=1, max_length=100)]
    cited_evidence: list[Text]
    correct_evidence: list[Text]
    reasoning: Text


_ITEMS = TypeAdapter(list[_Item])


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit file: who claims it, and its items in the order of the file."""

    source: str
    items: tuple[_Item, ...]


class Outcome(StrEnum):
    """What became of an item, in words for people."""

    CORRECTED = "corrected"
    AS_CITED = "the evidence is as cited: the answer or the question is disputed"
    SAME_TURNS = "the evidence is the same turns, written differently"
    ABSENT_ONLY = "the evidence differs by cited turns only that do not exist"


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of one item, and how many judgements it adds and removes."""

    question_id: str
    error_type: str
    outcome: Outcome
    n_added: int = 0
    n_removed: int = 0


@dataclass(frozen=True, slots=True)
class Conversion:
    """The corrections of an audit, and what became of each of its items.

    Attributes
    ----------
    corrections
        In the order of the items; of one item first what was cited wrongly, then what was not cited.
    outcomes
        One per item, in the order of the file.
    n_absent_citations
        Cited references that cannot be read, or whose turn does not exist: nothing is judged, so nothing is corrected.
    emptied
        Ids of questions that have no evidence any more: they are no longer scored.
    """

    corrections: tuple[Correction, ...]
    outcomes: tuple[ItemOutcome, ...]
    n_absent_citations: int
    emptied: tuple[str, ...]


def read_audit(path: Path) -> Audit:
    """Read an audit file.

    Raises
    ------
    BenchError
        When it is absent, not JSON, not a list of items, or lists a question twice.
    """
    content = read_bytes(path, "the audit of LoCoMo, audit_errors.json")
    with context(path.name):
        value = load_json(content)
        if not isinstance(value, list) or not value:
            raise BenchError(f"{shown(value)} at the top; expected a list of at least one item")
        items = validated(_ITEMS, value, "items")
        repeated = sorted(name for name, n in Counter(item.question_id for item in items).items() if n > 1)
        refuse_faults(f"{len(repeated)} question ids come twice", [shown(name) for name in repeated])
    sha256 = hashlib.sha256(content).hexdigest()
    return Audit(KNOWN_SOURCES.get(sha256, f"{path.name}, sha256 {sha256}"), tuple(items))


def convert(audit: Audit, corpus: Corpus) -> Conversion:
    """Turn the items that correct evidence into corrections of a LoCoMo corpus (parsed with evidence=tolerant).

    `correct_evidence` replaces the citation: turns that are cited but not correct get gain 0, correct ones that are not
    cited gain 1. Whatever the type of the error: an item on a wrong answer may correct the evidence too.

    Raises
    ------
    BenchError
        When nothing is to be corrected; naming each item that is not about this corpus: an unknown question, another
        text, other cited turns than the judged ones, correct evidence that cannot be read or does not exist.
    """
    table = _Table.of(corpus)
    faults: list[str] = []
    found: list[_Compared] = []
    for index, item in enumerate(audit.items):
        try:
            with context(f"item {index} ({shown(item.question_id)})"):
                found.append(_compare(item, table))
        except BenchError as error:
            faults.append(str(error))
    what = f"{len(faults)} of {len(audit.items)} items are not about this LoCoMo file"
    refuse_faults(what, faults)
    corrections = tuple(line for compared in found for line in compared.corrections(audit.source))
    if not corrections:
        raise BenchError(f"none of {len(audit.items)} items corrects evidence: there is nothing to write")
    return Conversion(
        corrections,
        tuple(compared.outcome() for compared in found),
        sum(compared.n_absent for compared in found),
        tuple(compared.query_id for compared in found if compared.cited and not compared.correct),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """What of a corpus an audit is compared with."""

    conversations: Sequence[str]
    texts: dict[str, str]
    documents: frozenset[str]
    judged: dict[str, set[str]]

    @classmethod
    def of(cls, corpus: Corpus) -> "_Table":
        judged: dict[str, set[str]] = {}
        for query, document, _ in corpus.judgements_turn.iter_rows():
            judged.setdefault(query, set()).add(document)
        return cls(
            corpus.scopes["scope_id"].unique(maintain_order=True).to_list(),
            dict(corpus.queries.select("query_id", "text").iter_rows()),
            frozenset(corpus.documents["document_id"]),
            judged,
        )


@dataclass(frozen=True, slots=True)
class _Compared:
    """An item, its question in the corpus, and the existing turns (ids, each once) that it names."""

    item: _Item
    query_id: str
    cited: tuple[str, ...]
    correct: tuple[str, ...]
    n_absent: int

    @property
    def removed(self) -> list[str]:
        return [document for document in self.cited if document not in self.correct]

    @property
    def added(self) -> list[str]:
        return [document for document in self.correct if document not in self.cited]

    def corrections(self, source: str) -> list[Correction]:
        item = self.item
        reason = f"{item.question_id} {item.error_type}: {item.reasoning}"
        changes = [(document, 1, 0) for document in self.removed] + [(document, 0, 1) for document in self.added]
        return [
            Correction(
                dataset="locomo",
                query=self.query_id,
                document=document,
                old=old,
                new=new,
                source=source,
                reason=reason,
            )
            for document, old, new in changes
        ]

    def outcome(self) -> ItemOutcome:
        item = self.item
        if self.added or self.removed:
            outcome = Outcome.CORRECTED
        elif item.cited_evidence == item.correct_evidence:
            outcome = Outcome.AS_CITED
        else:
            outcome = Outcome.ABSENT_ONLY if self.n_absent else Outcome.SAME_TURNS
        return ItemOutcome(item.question_id, item.error_type, outcome, len(self.added), len(self.removed))


def _compare(item: _Item, table: _Table) -> _Compared:
    match = _QUESTION_ID.fullmatch(item.question_id)
    if match is None:
        raise BenchError("expected an id locomo_<position of the conversation>_qa<position of the question>")
    if int(match[1]) >= len(table.conversations):
        raise BenchError(f"conversation {int(match[1])} of {len(table.conversations)}, counted from 0")
    conversation = table.conversations[int(match[1])]
    query_id = f"{conversation}_qa{int(match[2])}"
    if query_id not in table.texts:
        raise BenchError(f"no question {shown(query_id)}")
    if item.question != table.texts[query_id]:
        raise BenchError(f"asks {shown(item.question)}; {shown(query_id)} is {shown(table.texts[query_id])}")
    cited, n_absent = _cited(item, conversation, table)
    if set(cited) != table.judged.get(query_id, set()):
        judged = sorted(table.judged.get(query_id, set()))
        raise BenchError(f"cites {shown(item.cited_evidence)}; judged are {shown(judged)}")
    return _Compared(item, query_id, cited, _correct(item, conversation, table), n_absent)


def _cited(item: _Item, conversation: str, table: _Table) -> tuple[tuple[str, ...], int]:
    """Return the cited turns that exist, and how many citations name none: the parser dropped the same ones."""
    evidence = read_evidence(item.cited_evidence, is_strict=False)
    named = _documents(evidence.references, conversation)
    known = tuple(document for document in named if document in table.documents)
    n_unreadable = sum(fault.kind == "evidence_unreadable" for fault in evidence.faults)
    return known, len(named) - len(known) + n_unreadable


def _correct(item: _Item, conversation: str, table: _Table) -> tuple[str, ...]:
    evidence = read_evidence(item.correct_evidence, is_strict=False)
    named = _documents(evidence.references, conversation)
    bad = [fault.text for fault in evidence.faults if fault.kind == "evidence_unreadable"]
    bad += [document for document in named if document not in table.documents]
    if bad:
        raise BenchError(f"correct_evidence: {shown(bad)} cannot be read or does not exist; expected D<int>:<int>")
    return tuple(named)


def _documents(references: Sequence[tuple[int, int]], conversation: str) -> list[str]:
    return [f"{conversation}:D{session}:{turn}" for session, turn in references]

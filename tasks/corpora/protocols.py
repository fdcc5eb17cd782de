"""Protocols: what a question may search, what is ranked, and how a ranking is judged.

A protocol has one canonical string that parses back. Its name and `roles` say what is searched and ranked; the other
parameters only say how the same rankings are judged, so that one search is judged in several ways side by side.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from tasks.records import BenchError


class ProtocolName(StrEnum):
    """The protocols (names: architecture.md). `<what is searched>-<what is ranked>`."""

    POOLED_DOCUMENT = "pooled-document"
    POOLED_TURN = "pooled-turn"
    CONVERSATION_TURN = "conversation-turn"
    CONVERSATION_SESSION = "conversation-session"
    HAYSTACK_TURN = "haystack-turn"
    HAYSTACK_SESSION = "haystack-session"
    OFFICIAL_TURN = "longmemeval-official-turn"
    OFFICIAL_SESSION = "longmemeval-official-session"


class Roles(StrEnum):
    """Whose turns are indexed (row M2)."""

    ALL = "all"
    USER = "user"


class Relevance(StrEnum):
    """Which turns are relevant."""

    EVIDENCE = "evidence"
    """The turns that the data set marks as evidence. A question without any has no value."""
    STUDY_A = "study-a"
    """The same; where a question has none, every turn of its gold sessions (protocol A.1). For the reproduction only:
    it calls about 22 turns relevant to a question that the history cannot answer (row M1)."""


class Twins(StrEnum):
    """What equal texts are (row M5)."""

    RAW = "raw"
    """Different documents, each judged as the data set judges its id."""
    COLLAPSED = "collapsed"
    """One document: it stands at the rank of its first copy, and is relevant if any copy is."""


class Level(StrEnum):
    """What is judged; a ranking of turns judged by session counts a session at the rank of its first turn."""

    TURN = "turn"
    SESSION = "session"


class Qrels(StrEnum):
    """Whose judgements count (row L11)."""

    ORIGINAL = "original"
    PATCHED = "patched"
    """Those of the data set, with the corrections of an overlay."""


class EvidenceRule(StrEnum):
    """Which evidence strings of LoCoMo count (rows L1 and L2)."""

    TOLERANT = "tolerant"
    """Every reference that can be read: 1,982 questions have some."""
    STRICT = "strict"
    """Study B's rule, only strings that are exactly one reference: 1,978 questions."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol; `parse_protocol(str(protocol)) == protocol`.

    >>> str(Protocol(ProtocolName.POOLED_TURN, twins=Twins.COLLAPSED))
    'pooled-turn(twins=collapsed)'
    """

    name: ProtocolName
    roles: Roles = Roles.ALL
    relevance: Relevance = Relevance.EVIDENCE
    twins: Twins = Twins.RAW
    level: Level = Level.TURN
    qrels: Qrels = Qrels.ORIGINAL
    evidence: EvidenceRule = EvidenceRule.TOLERANT
    sample: int = 0
    """Questions asked, drawn as study A draws them (`tasks.corpora.samples`); 0 for all."""
    dedup: float = 0.0
    """Documents with a cosine of so much to an earlier one are removed before anything is indexed; 0 for none."""

    def __post_init__(self) -> None:
        if self.ranks_sessions and self.level is Level.TURN:
            object.__setattr__(self, "level", Level.SESSION)
        if self.is_official and self.roles is Roles.ALL:
            object.__setattr__(self, "roles", Roles.USER)
        for fault in self._faults():
            raise BenchError(f"protocol {self.name}: {fault}")

    def _faults(self) -> list[str]:
        faults = []
        has_turns = self.name is not ProtocolName.POOLED_DOCUMENT
        defaults = (Roles.ALL, Relevance.EVIDENCE, Level.TURN)
        if not has_turns and (self.roles, self.relevance, self.level) != defaults:
            faults.append("documents have no roles, turns or sessions; expected twins, qrels, sample or dedup")
        if not 0 <= self.dedup <= 1:
            faults.append(f"dedup={self.dedup}; expected a cosine above 0 and at most 1, or 0 for no removal")
        if self.dedup and not self.is_pooled:
            faults.append("dedup keeps the first of its copies, often outside a question's own history; pooled only")
        if self.dedup and self.qrels is Qrels.PATCHED:
            faults.append("an overlay names documents that dedup may remove; choose one of qrels=patched and dedup")
        if self.evidence is EvidenceRule.STRICT and self.qrels is Qrels.PATCHED:
            faults.append("an overlay corrects the tolerant evidence; choose one of qrels=patched and evidence=strict")
        if self.relevance is Relevance.STUDY_A and (self.level is Level.SESSION or self.is_official):
            faults.append("relevance=study-a is a rule for turns, of study A")
        return faults

    def __str__(self) -> str:
        default = Protocol(self.name)
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(default, field.name)
        ]
        return f"{self.name}({','.join(changed)})" if changed else str(self.name)

    @property
    def is_pooled(self) -> bool:
        """Whether every query searches the whole corpus."""
        return self.name.value.startswith("pooled-")

    @property
    def is_official(self) -> bool:
        """Whether it is LongMemEval's own evaluation (protocols.md, part C)."""
        return self.name.value.startswith("longmemeval-official-")

    @property
    def shares_history(self) -> bool:
        """Whether several questions search the same history, so that one can learn from another."""
        return self.is_pooled or self.name.value.startswith("conversation-")

    @property
    def ranks_sessions(self) -> bool:
        """Whether the ranked unit is a session, not a turn or document."""
        return self.name.value.endswith("-session")

    @property
    def search(self) -> "Protocol":
        """The protocol that searches the same and judges as the data set does: the rankings of both are the same."""
        return Protocol(self.name, roles=self.roles, sample=self.sample, dedup=self.dedup)

    @property
    def folds(self) -> bool:
        """Whether ranked items are merged before they are judged."""
        return self.twins is Twins.COLLAPSED or (self.level is Level.SESSION and not self.ranks_sessions)


_NUMBERS: dict[str, Callable[[str], float]] = {"sample": int, "dedup": float}
_CHOICES: dict[str, type[StrEnum]] = {
    "roles": Roles,
    "relevance": Relevance,
    "twins": Twins,
    "level": Level,
    "qrels": Qrels,
    "evidence": EvidenceRule,
}


def parse_protocol(text: str) -> Protocol:
    """Return the protocol that a string names.

    >>> parse_protocol("haystack-turn(level=session, roles=user)").roles.value
    'user'

    Raises
    ------
    BenchError
        For an unknown name, parameter or value: it lists the valid ones.
    """
    match = re.fullmatch(r"([a-z-]+)(?:\(([^()]*)\))?", text.strip())
    if match is None or match[1] not in set(ProtocolName):
        raise BenchError(f"unknown protocol {text!r}; expected one of: {', '.join(ProtocolName)}")
    chosen: dict[str, Any] = {}
    for argument in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        name, _, value = (part.strip() for part in argument.partition("="))
        is_number = name in _NUMBERS and re.fullmatch(r"[0-9]+" if name == "sample" else r"[0-9]*\.?[0-9]+", value)
        if name in chosen or not (is_number or value in set(_CHOICES.get(name, ()))):
            valid = "; ".join(f"{key}={'|'.join(choices)}" for key, choices in _CHOICES.items())
            raise BenchError(
                f"protocol {text!r}: parameter {argument!r}; expected, each once, {valid}; sample=N; dedup=COSINE"
            )
        chosen[name] = _NUMBERS[name](value) if name in _NUMBERS else _CHOICES[name](value)
    return replace(Protocol(ProtocolName(match[1])), **chosen)

"""The sessions of one synthetic user: dates, small talk around the statements, chronic distractors, twins."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from tasks.corpora.synthetic.domains import BY_NAME, DOMAINS, domain_of
from tasks.corpora.synthetic.history import FinishedSession, Role, Statement, Turn
from tasks.corpora.synthetic.kinds import Domain
from tasks.corpora.synthetic.plan import Life
from tasks.corpora.synthetic.voice import Bindings, Dice, Grammar, capitalised
from tasks.corpora.synthetic.words import ACKS, ANECDOTES, BRIDGES, CHRONIC_LEADS, CLOSERS, THANKS

EPOCH = datetime(2023, 1, 1)
MOST_EXCHANGES = 7


def session_dates(dice: Dice, n_sessions: int) -> list[datetime]:
    """Return increasing dates, 0 to 9 days apart, to the minute."""
    dates = []
    moment = EPOCH + timedelta(days=dice.below(90), hours=7)
    for _ in range(n_sessions):
        moment += timedelta(days=dice.below(9), minutes=30 + dice.below(1400))
        dates.append(moment)
    return dates


def query_ids(user_id: str, abstentions: Sequence[bool]) -> list[str]:
    """Return the ids of a user's questions; abstentions end in ``_abs``, as in LongMemEval.

    >>> query_ids("u00003", [False, True])
    ['u00003_q00', 'u00003_q01_abs']
    """
    return [f"{user_id}_q{number:02d}{'_abs' if is_abs else ''}" for number, is_abs in enumerate(abstentions)]


class Slot:
    """One exchange: a user turn and the assistant's answer, with what is planted in either."""

    __slots__ = ("echo", "is_chronic", "statement")

    def __init__(self) -> None:
        self.statement: Statement | None = None
        self.echo: Statement | None = None
        self.is_chronic = False

    @property
    def is_free(self) -> bool:
        """Whether the assistant's turn may become a chronic distractor."""
        return self.statement is None and self.echo is None


def lay_out(dice: Dice, statements: Sequence[Statement], n_sessions: int) -> list[list[Slot]]:
    """Return the exchanges of each session with the statements in them; an echo comes before its update."""
    layouts = []
    for session in range(n_sessions):
        planted: list[tuple[Statement, bool]] = []
        for statement in dice.shuffled([one for one in statements if one.session == session]):
            if statement.echo is not None:
                planted.append((statement, True))
            planted.append((statement, False))
        n_exchanges = max(3 + dice.below(5), min(len(planted) + 1, MOST_EXCHANGES), len(planted))
        slots = [Slot() for _ in range(n_exchanges)]
        positions = sorted(dice.shuffled(range(n_exchanges))[: len(planted)])
        for position, (statement, is_echo) in zip(positions, planted, strict=True):
            if is_echo:
                slots[position].echo = statement
            else:
                slots[position].statement = statement
        layouts.append(slots)
    return layouts


def plant_distractors(dice: Dice, layouts: Sequence[Sequence[Slot]], n_distractors: int) -> None:
    """Mark free exchanges as chronic distractors: as many as asked for, or all that are free."""
    free = [slot for slots in layouts for slot in slots if slot.is_free]
    for slot in dice.shuffled(free)[:n_distractors]:
        slot.is_chronic = True


class Scribe:
    """Writes the turns of one user's sessions."""

    def __init__(self, grammar: Grammar, dice: Dice, life: Life, query_ids: Sequence[str]) -> None:
        self._grammar = grammar
        self._dice = dice
        self._life = life
        self._query_ids = query_ids

    def write(self, session_id: str, date: datetime, slots: Sequence[Slot]) -> FinishedSession:
        """Return the finished session; its id starts with ``answer_`` where it holds evidence, as in LongMemEval."""
        domain = self._domain(slots)
        has_evidence = any(slot.statement is not None and slot.statement.role is Role.EVIDENCE for slot in slots)
        session_id = f"answer_{session_id}" if has_evidence else session_id
        turns: list[Turn] = []
        for number, slot in enumerate(slots):
            bound = self._life.occasion(self._dice)
            turns += self._exchange(f"{session_id}_t", 2 * number, slot, domain, bound)
        return FinishedSession(session_id, date, domain.name, tuple(turns))

    def _domain(self, slots: Sequence[Slot]) -> Domain:
        stated = next((slot.statement for slot in slots if slot.statement is not None), None)
        if stated is not None:
            return domain_of(stated.kind)
        is_recurring = self._dice.uniform() < 0.85
        return BY_NAME[self._dice.pick(self._life.domains)] if is_recurring else self._dice.pick(DOMAINS)

    def _exchange(self, prefix: str, index: int, slot: Slot, domain: Domain, bound: Bindings) -> tuple[Turn, Turn]:
        statement, echo = slot.statement, slot.echo
        user, assistant = f"{prefix}{index}", f"{prefix}{index + 1}"
        if echo is not None and echo.echo is not None:
            text = self._user_says(echo.echo, domain, bound)
            return self._planted(echo, user, text, Role.STALE), Turn(assistant, "assistant", self._reply(domain, bound))
        if statement is None:
            role = Role.DISTRACTOR if slot.is_chronic else Role.FILLER
            reply = self._advice(domain, bound) if slot.is_chronic else self._reply(domain, bound)
            asking = Turn(user, "user", self._small_talk(domain, bound, is_first=index == 0))
            return asking, Turn(assistant, "assistant", reply, role)
        if statement.assistant is None:
            statement.document_id = user
            stating = self._planted(statement, user, self._user_says(statement.user, domain, bound), statement.role)
            return stating, Turn(assistant, "assistant", self._reply(domain, bound))
        statement.document_id = assistant
        told = f"{self._say(ACKS, bound)} {statement.assistant} {self._say(domain_of(statement.kind).tips, bound)}"
        asking = Turn(user, "user", self._user_says(statement.user, domain, bound))
        return asking, self._planted(statement, assistant, told.strip(), statement.role, speaker="assistant")

    def _planted(self, statement: Statement, document_id: str, text: str, role: Role, *, speaker: str = "user") -> Turn:
        query_id = None if statement.question is None else self._query_ids[statement.question]
        return Turn(document_id, speaker, text, role, query_id)

    def _user_says(self, sentence: str, domain: Domain, bound: Bindings) -> str:
        """Bury a statement in the user's turn: something before, often something after."""
        before = self._say(ANECDOTES if self._dice.uniform() < 0.35 else THANKS, bound)
        stated = capitalised(self._grammar.expand(self._dice, BRIDGES, bound) + sentence)
        after = self._dice.uniform()
        tail = self._say(domain.asks if after < 0.35 else domain.follows, bound) if after < 0.8 else ""
        return " ".join(part for part in (before, stated, tail) if part)

    def _small_talk(self, domain: Domain, bound: Bindings, *, is_first: bool) -> str:
        parts = [] if is_first else [self._say(THANKS, bound)]
        if self._dice.uniform() < 0.4:
            parts.append(self._say(ANECDOTES, bound))
        parts.append(self._say(domain.asks if is_first or self._dice.uniform() < 0.35 else domain.follows, bound))
        return " ".join(part for part in parts if part)

    def _reply(self, domain: Domain, bound: Bindings) -> str:
        parts = [self._say(ACKS, bound), self._say(domain.tips, bound)]
        if self._dice.uniform() < 0.6:
            parts.append(self._say(domain.tips, bound))
        parts.append(self._say(CLOSERS, bound))
        return " ".join(part for part in dict.fromkeys(parts) if part)

    def _advice(self, domain: Domain, bound: Bindings) -> str:
        """Return a chronic distractor: two or three general sentences in the words of the domain's questions."""
        frames = self._dice.shuffled(self._grammar.frames(domain.chronic))
        sentences = [self._grammar.fill(self._dice, frame, bound) for frame in frames[: 2 + self._dice.below(2)]]
        lead = capitalised(self._grammar.expand(self._dice, CHRONIC_LEADS, bound))
        return lead + " ".join(sentences)

    def _say(self, frames: tuple[str, ...], bound: Bindings) -> str:
        return self._grammar.say(self._dice, frames, bound)


def twin_of(session: FinishedSession, session_id: str, date: datetime) -> FinishedSession:
    """Return the same session, word by word, under another id and date."""
    turns = tuple(
        replace(turn, document_id=f"{session_id}_t{index}", role=Role.TWIN, twin_of=turn.document_id)
        for index, turn in enumerate(session.turns)
    )
    return FinishedSession(session_id, date, session.domain, turns)

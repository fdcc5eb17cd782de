"""What one synthetic user states and is asked: choice of facts, their wording, and their sessions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor

from tasks.corpora.synthetic.domains import BY_NAME, DOMAINS
from tasks.corpora.synthetic.history import Draft, Role, Statement
from tasks.corpora.synthetic.kinds import AssistantFact, EventSeries, Fact, Frames, Preference, UserFact
from tasks.corpora.synthetic.params import SyntheticParams
from tasks.corpora.synthetic.voice import Bindings, Dice, Grammar, Occasion, with_alias
from tasks.corpora.synthetic.words import ECHOES, HOMES, JOBS, KIN, NAMES, PET_KINDS, PET_NAMES

OTHER_TYPES: tuple[tuple[str, float], ...] = (
    ("single-session-user", 0.26),
    ("single-session-assistant", 0.17),
    ("single-session-preference", 0.12),
    ("multi-session", 0.23),
    ("temporal-reasoning", 0.22),
)
"""Types of the main questions that are no knowledge updates, with their weights."""

SORTS: dict[str, type[Fact]] = {
    "single-session-user": UserFact,
    "knowledge-update": UserFact,
    "single-session-assistant": AssistantFact,
    "single-session-preference": Preference,
    "multi-session": EventSeries,
    "temporal-reasoning": EventSeries,
}
BACKGROUND_SHARE = 0.5
"""Facts that are stated and never asked about, per question."""


def quota(position: int, rate: float) -> int:
    """Return the share of the `position`-th user, such that any first n users have floor(n * rate) together.

    >>> [quota(user, 0.4) for user in range(5)]
    [0, 0, 1, 0, 1]
    """
    return floor((position + 1) * rate + 1e-9) - floor(position * rate + 1e-9)


@dataclass(frozen=True, slots=True)
class Life:
    """What stays the same in all of a user's turns; `cast` has several people for some slots."""

    fixed: Bindings
    cast: dict[str, Frames]
    domains: Frames

    def occasion(self, dice: Dice) -> Occasion:
        """Return the slots of one occasion: this life, one member of the cast each, and fresh words."""
        return Occasion(self.fixed, self.cast, dice)


def draw_life(dice: Dice, n_domains: int) -> Life:
    """Draw a user's life: people with distinct names, a pet, a home, and the domains of recurring needs."""
    people = iter(dice.shuffled(NAMES))
    fixed = {slot: next(people) for slot in ("partner", "neighbor", "kid", "sibling")}
    fixed |= {"kin": dice.pick(KIN), "pet": dice.pick(PET_NAMES), "pet_kind": dice.pick(PET_KINDS)}
    fixed |= {"home": dice.pick(HOMES), "job": dice.pick(JOBS)}
    cast = {slot: tuple(next(people) for _ in range(n)) for slot, n in (("friend", 3), ("colleague", 2))}
    return Life(fixed, cast, tuple(dice.shuffled([domain.name for domain in DOMAINS])[:n_domains]))


class _Kinds:
    """The facts that a user has not used yet, those of the recurring domains first."""

    def __init__(self, dice: Dice, recurring: Frames) -> None:
        others = [domain.name for domain in DOMAINS if domain.name not in recurring]
        self._left: list[Fact] = []
        for names in (recurring, others):
            domains = [BY_NAME[name] for name in names]
            facts: list[Fact] = []
            for domain in domains:
                facts += [*domain.user, *domain.assistant, *domain.preferences, *domain.events]
            self._left += dice.shuffled(facts)

    def take(self, sort: type[Fact]) -> Fact | None:
        """Return the next unused fact of that sort, or None."""
        found = next((fact for fact in self._left if isinstance(fact, sort)), None)
        if found is not None:
            self._left.remove(found)
        return found


class Planner:
    """Plans one user: all randomness comes from `dice`."""

    def __init__(self, params: SyntheticParams, user: int, grammar: Grammar, dice: Dice, life: Life) -> None:
        self._params = params
        self._user = user
        self._grammar = grammar
        self._dice = dice
        self._life = life
        self._kinds = _Kinds(dice, life.domains)

    def plan(self) -> tuple[list[Draft], list[Statement]]:
        """Return the drafts of the user's questions in order, and the statements that nobody asks about."""
        drafts = [self._draft(*draft) for draft in self._types()]
        for number, draft in enumerate(drafts):
            for statement in draft.statements:
                statement.question = number
        n_background = round(BACKGROUND_SHARE * self._params.questions_per_user)
        return drafts, [self._background() for _ in range(n_background)]

    def _types(self) -> list[tuple[str, bool]]:
        """Return type and whether it is an abstention, of each question, in random order."""
        params, n = self._params, self._params.questions_per_user
        n_abstention = quota(self._user, n * params.abstention_share)
        rate = n * (1 - params.abstention_share) * params.update_share
        n_update = min(quota(self._user, rate), n - n_abstention)
        types = [("knowledge-update", False)] * n_update
        types += [(self._other_type(), False) for _ in range(n - n_update - n_abstention)]
        types += [(self._dice.pick(("single-session-user", "single-session-assistant")), True)] * n_abstention
        return self._dice.shuffled(types)

    def _other_type(self) -> str:
        left = self._dice.uniform()
        for name, weight in OTHER_TYPES:
            left -= weight
            if left < 0:
                return name
        return OTHER_TYPES[0][0]

    def _draft(self, question_type: str, is_abstention: bool) -> Draft:
        for name in (question_type, *(other for other, _ in OTHER_TYPES)):
            fact = self._kinds.take(SORTS[name])
            if fact is not None:
                return self._write(fact, name, is_abstention)
        raise AssertionError("bounds of questions_per_user leave a fact for every question")

    def _write(self, fact: Fact, question_type: str, is_abstention: bool) -> Draft:
        bound = self._life.occasion(self._dice).complete()
        is_far = self._dice.uniform() < self._params.paraphrase_share
        if isinstance(fact, EventSeries):
            return self._events(fact, question_type, bound, is_far)
        values = self._dice.shuffled(fact.values)
        bound |= {"old": values[0], "value": values[1]}
        text = self._say(fact.far if is_far else fact.near, bound)
        if is_abstention:
            return Draft(question_type, text, "The history does not say.", is_abstention=True)
        statements = self._statements(fact, question_type, bound)
        answer = f"Respects: {bound['value']}" if isinstance(fact, Preference) else bound["value"]
        return Draft(question_type, text, answer, statements)

    def _statements(self, fact: Fact, question_type: str, bound: Bindings) -> list[Statement]:
        if isinstance(fact, AssistantFact):
            prompt = self._expand(fact.prompt, bound)
            return [Statement(Role.EVIDENCE, fact.name, prompt, assistant=self._say(fact.told, bound))]
        if question_type != "knowledge-update" or not isinstance(fact, UserFact):
            return [Statement(Role.EVIDENCE, fact.name, self._expand(fact.said, bound))]
        bound["topic"] = fact.topic.format_map(bound)
        stale = self._expand(fact.said, bound | {"value": bound["old"]})
        fresh = Statement(Role.EVIDENCE, fact.name, self._expand(fact.changed, bound))
        if self._dice.uniform() < self._params.stale_echo_share:
            fresh.echo = self._expand(ECHOES, bound)
        return [Statement(Role.STALE, fact.name, stale), fresh]

    def _events(self, fact: EventSeries, question_type: str, bound: Bindings, is_far: bool) -> Draft:
        n_events = 2 if question_type == "temporal-reasoning" else 2 + self._dice.below(3)
        events = [with_alias(event) for event in self._dice.shuffled(fact.values)[:n_events]]
        statements = [
            Statement(Role.EVIDENCE, fact.name, self._expand(fact.said, bound | {"value": name})) for name, _ in events
        ]
        if question_type == "multi-session":
            text = self._say(fact.far if is_far else fact.near, bound)
            return Draft(question_type, text, str(n_events), statements)
        labels = [event[is_far] for event in events]
        bound |= dict(zip("ab", self._dice.shuffled(labels), strict=True))
        asks_days = self._dice.uniform() < 0.5
        text = self._say(fact.days if asks_days else fact.first, bound)
        return Draft(question_type, text, events[0][0], statements, asks_days=asks_days)

    def _background(self) -> Statement:
        fact = next(fact for sort in (UserFact, AssistantFact, Preference) if (fact := self._kinds.take(sort)))
        bound = self._life.occasion(self._dice).complete()
        bound["value"] = with_alias(self._dice.pick(fact.values))[0]
        if isinstance(fact, AssistantFact):
            told = self._say(fact.told, bound)
            return Statement(Role.FILLER, fact.name, self._expand(fact.prompt, bound), assistant=told)
        return Statement(Role.FILLER, fact.name, self._expand(fact.said, bound))

    def _expand(self, frames: Frames, bound: Bindings) -> str:
        return self._grammar.expand(self._dice, frames, bound)

    def _say(self, frames: Frames, bound: Bindings) -> str:
        return self._grammar.say(self._dice, frames, bound)


def place(dice: Dice, drafts: Iterable[Draft], background: Iterable[Statement], n_sessions: int) -> None:
    """Give every statement a session: statements of one question lie in different sessions, in their order.

    Three quarters of the sessions hold evidence; of those the emptiest are taken first, so that each holds about
    the same.
    """
    usable = dice.shuffled(range(n_sessions))[: max(4, round(0.75 * n_sessions))]
    filled = dict.fromkeys(range(n_sessions), 0)
    groups = [(draft.statements, usable) for draft in drafts if draft.statements]
    groups += [([statement], list(range(n_sessions))) for statement in background]
    for statements, sessions in groups:
        emptiest = sorted(dice.shuffled(sessions), key=filled.__getitem__)
        for statement, session in zip(statements, sorted(emptiest[: len(statements)]), strict=True):
            statement.session = session
            filled[session] += 1

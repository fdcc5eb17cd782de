"""The wording of the synthetic corpus: varied, grammatical frames, and no template that dominates."""

import re
from collections import Counter

import numpy as np
import pytest

from tasks.corpora.synthetic.domains import DOMAINS
from tasks.corpora.synthetic.generate import histories
from tasks.corpora.synthetic.history import Role, Turn
from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Fact, Frames, Preference, UserFact
from tasks.corpora.synthetic.params import SyntheticParams
from tasks.corpora.synthetic.plan import draw_life
from tasks.corpora.synthetic.voice import Dice, Frame, Grammar, slots
from tasks.corpora.synthetic.words import (
    ACKS,
    ANECDOTES,
    BRIDGES,
    CHRONIC_LEADS,
    CLOSERS,
    ECHOES,
    NAMES,
    PET_NAMES,
    THANKS,
    WORDS,
)

SMALL_TALK: tuple[Frames, ...] = (ACKS, ANECDOTES, BRIDGES, CHRONIC_LEADS, CLOSERS, THANKS)


def facts(domain: Domain) -> list[Fact]:
    return [*domain.user, *domain.assistant, *domain.preferences, *domain.events]


def frames(fact: Fact) -> list[Frames]:
    match fact:
        case UserFact():
            return [fact.said, fact.changed, fact.near, fact.far, (fact.topic,)]
        case AssistantFact():
            return [fact.prompt, fact.told, fact.near, fact.far]
        case Preference():
            return [fact.said, fact.near, fact.far]
        case EventSeries():
            return [fact.said, fact.near, fact.far, fact.first, fact.days]


ALL_FACTS = [fact for domain in DOMAINS for fact in facts(domain)]
ALL_FRAMES = [one for fact in ALL_FACTS for one in frames(fact)]
ALL_FRAMES += [one for domain in DOMAINS for one in (domain.asks, domain.follows, domain.tips, domain.chronic)]
ALL_FRAMES += [*SMALL_TALK, ECHOES]


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    return [turn for history in histories(SyntheticParams()) for session in history.sessions for turn in session.turns]


def test_every_slot_can_be_bound() -> None:
    dice = Dice(np.random.default_rng(0))
    bound = set(draw_life(dice, 4).occasion(dice).complete()) | {"value", "old", "topic", "a", "b"}
    assert {slot for one in ALL_FRAMES for slot in slots(one)} <= bound


@pytest.mark.parametrize("one", ALL_FRAMES, ids=lambda one: one[0][:40])
def test_brackets_are_balanced_and_choices_differ(one: Frames) -> None:
    for text in one:
        for sign in "[]{}":
            assert sign not in re.sub(r"\[[^\[\]{}]*\]|\[[^\[\]]*\]|\{\w+\}", "", text), text
        for choice in re.findall(r"\[([^\[\]]*)\]", text):
            options = choice.split("|")
            assert len(options) == len(set(options)) >= 1, text


@pytest.mark.parametrize("fact", ALL_FACTS, ids=lambda fact: fact.name)
def test_statements_hold_the_value_and_questions_do_not(fact: Fact) -> None:
    stating = fact.told if isinstance(fact, AssistantFact) else fact.said
    assert all("{value}" in text for text in stating)
    asking = fact.near + fact.far + (fact.first + fact.days if isinstance(fact, EventSeries) else ())
    assert not slots(asking) & {"value", "old"}
    if isinstance(fact, UserFact):
        assert all("{value}" in text for text in fact.changed)
        assert len(fact.said) >= 2
        assert len(fact.far) >= 2
    assert len(set(fact.values)) == len(fact.values) >= 4


def test_names_of_facts_and_lists_are_unique() -> None:
    assert len({fact.name for fact in ALL_FACTS}) == len(ALL_FACTS) >= 70
    for options in (NAMES, PET_NAMES, *WORDS.values()):
        assert len(set(options)) == len(options)
    assert all(fact.name.startswith(f"{domain.name}.") for domain in DOMAINS for fact in facts(domain))


def test_texts_are_clean_english(turns: list[Turn]) -> None:
    for turn in turns:
        assert not re.search(r"[\[\]{}|]|\s\s|^\s|\s$|\s[.,?!]|,,|\.\.", turn.text), turn.text
        assert turn.text[0].isupper() or turn.text[0].isdigit(), turn.text
        assert turn.text[-1] in ".?!", turn.text


def test_few_texts_repeat(turns: list[Turn]) -> None:
    texts = [turn.text for turn in turns if turn.role is not Role.TWIN]
    assert len(set(texts)) / len(texts) > 0.95
    assert max(Counter(texts).values()) <= 6


def masked(text: str) -> str:
    """Replace names, numbers and quoted entities, so that only the template is left."""
    return re.sub(r"\b[A-Z]\w*|\d+", "X", text)


def test_no_masked_template_dominates(turns: list[Turn]) -> None:
    templates = Counter(masked(turn.text) for turn in turns if turn.role is not Role.TWIN)
    assert templates.most_common(1)[0][1] / templates.total() < 0.005
    assert len(templates) / templates.total() > 0.85


def test_no_beginning_dominates(turns: list[Turn]) -> None:
    beginnings = Counter(" ".join(turn.text.split()[:4]) for turn in turns)
    assert beginnings.most_common(1)[0][1] / beginnings.total() < 0.02


def test_vocabulary_is_as_rich_as_talk(turns: list[Turn]) -> None:
    """Guiraud's index (distinct words / sqrt(words)); one template with a number in it has one below 1."""
    tokens = [token for turn in turns for token in re.findall(r"[a-z']+", turn.text.lower())]
    assert len(set(tokens)) / len(tokens) ** 0.5 > 8


def content_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]{4,}", masked(text).lower()) if word not in {"what", "which", "with"}}


def test_paraphrased_questions_share_fewer_words_with_their_evidence() -> None:
    overlaps = []
    for share in (0.0, 1.0):
        shared = []
        for history in histories(SyntheticParams(paraphrase_share=share, n_turns=4_000)):
            texts = {turn.document_id: turn.text for session in history.sessions for turn in session.turns}
            for question in history.questions:
                asked = content_words(question.query.text)
                stated = set().union(*(content_words(texts[one]) for one in question.document_ids))
                shared += [len(asked & stated) / max(1, len(asked))] if stated else []
        overlaps.append(np.mean(shared))
    assert overlaps[1] < 0.6 * overlaps[0]


def test_variety_widens_the_wording() -> None:
    counts = []
    for variety in (0.1, 0.5, 1.0):
        params = SyntheticParams(wording_variety=variety)
        found = [turn.text for history in histories(params) for one in history.sessions for turn in one.turns]
        counts.append(len({masked(text) for text in found}))
    assert counts[0] < counts[1] < counts[2]


def test_frame_against_hand_computed() -> None:
    grammar, dice = Grammar(1.0), Dice(np.random.default_rng(3))
    found = {grammar.say(dice, ("my [old|new] {pet} [sleeps|]",), {"pet": "cat"}) for _ in range(100)}
    assert found == {"My old cat sleeps", "My new cat sleeps", "My old cat ", "My new cat "}
    assert Frame("a [b|c|d] e", variety=0.5).pieces == ("a ", ("b", "c"), " e")

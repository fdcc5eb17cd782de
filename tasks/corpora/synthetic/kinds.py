"""What a domain of the synthetic corpus consists of: kinds of facts, and the small talk around them.

Frames are strings with two notations: ``[a|b|c]`` is a free choice, drawn anew each time a frame is used; ``{slot}``
is bound. Slots of the user's own life (`friend`, `pet`, ...) are bound once per user, `{value}` and `{old}` once per
fact, and every other slot is drawn once per fact from `synthetic_words.WORDS`, so that evidence and question agree.
``{city_alias}`` is the periphrase of the word that was drawn for ``{city}``.
"""

from dataclasses import dataclass

Frames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UserFact:
    """Something the user states once (`single-session-user`), and may change later (`knowledge-update`).

    Attributes
    ----------
    name
        ``<domain>.<kind>``.
    topic
        Noun phrase for what is stated, singular.
    values
        What may be stated.
    said
        Statements with ``{value}``.
    changed
        Statements of a new ``{value}`` that replaces an older one.
    near
        Questions that use the words of the statements.
    far
        Questions in other words.
    """

    name: str
    topic: str
    values: Frames
    said: Frames
    changed: Frames
    near: Frames
    far: Frames


@dataclass(frozen=True, slots=True)
class AssistantFact:
    """Something the assistant told the user (`single-session-assistant`): `prompt` by the user, `told` by it."""

    name: str
    values: Frames
    prompt: Frames
    told: Frames
    near: Frames
    far: Frames


@dataclass(frozen=True, slots=True)
class Preference:
    """A taste stated in passing (`single-session-preference`); the questions are requests that it should shape."""

    name: str
    values: Frames
    said: Frames
    near: Frames
    far: Frames


@dataclass(frozen=True, slots=True)
class EventSeries:
    """Events of one sort, each told on the day in a session of its own (`multi-session`, `temporal-reasoning`).

    `values` are the events; `near` and `far` ask for their number; `first` and `days` compare ``{a}`` with ``{b}``.
    """

    name: str
    values: Frames
    said: Frames
    near: Frames
    far: Frames
    first: Frames
    days: Frames


Fact = UserFact | AssistantFact | Preference | EventSeries


@dataclass(frozen=True, slots=True)
class Domain:
    """One area of life: its facts, and the frames of its small talk.

    Attributes
    ----------
    asks, follows
        What users open with, and go on with.
    tips
        What the assistant answers: one narrow piece of advice each.
    chronic
        Sentences of the chronic distractors: they use the words of this domain's questions and answer none.
    """

    name: str
    user: tuple[UserFact, ...]
    assistant: tuple[AssistantFact, ...]
    preferences: tuple[Preference, ...]
    events: tuple[EventSeries, ...]
    asks: Frames
    follows: Frames
    tips: Frames
    chronic: Frames


def words(text: str) -> Frames:
    """Split a compact list.

    >>> words("rye|spelt")
    ('rye', 'spelt')
    """
    return tuple(text.split("|"))

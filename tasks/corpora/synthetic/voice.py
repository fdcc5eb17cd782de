"""How the synthetic corpus speaks: cheap draws from a named random stream, and the expansion of frames."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import TypeVar

import numpy as np

from tasks.corpora.synthetic.kinds import Frames
from tasks.corpora.synthetic.words import WORDS

Drawn = TypeVar("Drawn")
Bindings = dict[str, str]

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


class Dice:
    """Draws from one generator, in blocks: a scalar call of numpy costs more than a whole sentence here."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.uniform: Callable[[], float] = _uniforms(rng).__next__

    def pick(self, options: Sequence[Drawn]) -> Drawn:
        """Return one of `options`, each equally likely."""
        return options[int(self.uniform() * len(options))]

    def below(self, n: int) -> int:
        """Return an integer in [0, n)."""
        return int(self.uniform() * n)

    def shuffled(self, items: Sequence[Drawn]) -> list[Drawn]:
        """Return the items in random order."""
        keyed = sorted((self.uniform(), position) for position in range(len(items)))
        return [items[position] for _, position in keyed]


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(1024).tolist()


class Frame:
    """A compiled frame: literal pieces and choices in turn, and whether it has slots."""

    __slots__ = ("has_slots", "pieces")

    def __init__(self, text: str, variety: float) -> None:
        pieces: list[str | Frames] = list(_CHOICE.split(text))
        for position in range(1, len(pieces), 2):
            pieces[position] = kept(tuple(str(pieces[position]).split("|")), variety)
        self.pieces = tuple(piece for piece in pieces if piece)
        self.has_slots = "{" in text


def kept(options: Frames, variety: float) -> Frames:
    """Return the first options, at least one: the share `variety` of all.

    >>> kept(("a", "b", "c"), 0.5)
    ('a', 'b')
    """
    return options[: max(1, ceil(variety * len(options)))]


class Grammar:
    """Compiles each frame once. `variety` is the share of the frames and of the choices that are used."""

    def __init__(self, variety: float) -> None:
        self._variety = variety
        self._compiled: dict[Frames, tuple[Frame, ...]] = {}

    def frames(self, frames: Frames) -> tuple[Frame, ...]:
        """Return the compiled frames of one place."""
        found = self._compiled.get(frames)
        if found is None:
            found = tuple(Frame(text, self._variety) for text in kept(frames, self._variety))
            self._compiled[frames] = found
        return found

    def say(self, dice: Dice, frames: Frames, bindings: Bindings) -> str:
        """Return one expansion of one of `frames`, with a capital first letter."""
        return capitalised(self.expand(dice, frames, bindings))

    def expand(self, dice: Dice, frames: Frames, bindings: Bindings) -> str:
        """Return one expansion of one of `frames`, as written there."""
        return self.fill(dice, dice.pick(self.frames(frames)), bindings)

    def fill(self, dice: Dice, frame: Frame, bindings: Bindings) -> str:
        """Return one expansion of a compiled frame."""
        uniform = dice.uniform
        text = "".join(
            [piece if isinstance(piece, str) else piece[int(uniform() * len(piece))] for piece in frame.pieces]
        )
        return text.format_map(bindings) if frame.has_slots else text


def capitalised(text: str) -> str:
    """Return the text with a capital first letter; the rest stays (unlike `str.capitalize`).

    >>> capitalised("my cousin Ines")
    'My cousin Ines'
    """
    return text[:1].upper() + text[1:]


def slots(frames: Frames) -> set[str]:
    """Return the names of the slots in the frames.

    >>> sorted(slots(("{a} met [{b}|c]",)))
    ['a', 'b']
    """
    return {name for text in frames for name in _SLOT.findall(text)}


def with_alias(word: str) -> tuple[str, str]:
    """Return a word and its periphrase, which is the word itself where the list has none.

    >>> with_alias("Lisbon=the Portuguese capital"), with_alias("June")
    (('Lisbon', 'the Portuguese capital'), ('June', 'June'))
    """
    name, _, alias = word.partition("=")
    return name, alias or name


_ALIASED = {slot: tuple(map(with_alias, options)) for slot, options in WORDS.items()}


class Occasion(dict[str, str]):
    """Slots of one occasion, drawn when they are first used: from the `cast` of the life, else from `WORDS`."""

    def __init__(self, fixed: Bindings, cast: Mapping[str, Frames], dice: Dice) -> None:
        super().__init__(fixed)
        self._cast = cast
        self._dice = dice

    def __missing__(self, slot: str) -> str:
        if slot in self._cast:
            self[slot] = self._dice.pick(self._cast[slot])
        else:
            name = slot.removesuffix("_alias")
            self[name], self[f"{name}_alias"] = self._dice.pick(_ALIASED[name])
        return self[slot]

    def complete(self) -> Bindings:
        """Return all slots as a plain dictionary, for texts that must agree with each other."""
        return {slot: self[slot] for slot in (*self, *self._cast, *_ALIASED, *(f"{name}_alias" for name in _ALIASED))}

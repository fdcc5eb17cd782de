"""How long work tells how far it is."""

from typing import Protocol


class Progress(Protocol):
    """Called by long work: `done` of `total` units so far."""

    def __call__(self, done: int, total: int, unit: str) -> None:
        """Report that `done` of `total` `unit`s are finished."""


def silent(done: int, total: int, unit: str) -> None:
    """Ignore progress."""

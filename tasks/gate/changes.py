"""One ingredient that changed between two runs, and several of them in words."""

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Change:
    """One ingredient of one step that changed.

    `kind` is `param`, `input`, `library` or `code`; `content` where no ingredient changed, `new` where the step is, and
    `unknown` where the recipe is no longer in the store (`name` is then what the run said of it, if anything).
    """

    step: str
    kind: str
    name: str = ""
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        """Return it in words.

        >>> str(Change("text/tokens", "param", "name", "'regex'", "'split'"))
        "name of text/tokens changed from 'regex' to 'split'"
        >>> str(Change("indexes/bm25", "code"))
        'the code of indexes/bm25 changed'
        """
        if self.kind == "code":
            return f"the code of {self.step} changed"
        if self.kind == "content":
            return f"{self.step} gave other bytes for the same ingredients"
        if self.kind == "new":
            return f"{self.step} is new"
        if self.kind == "unknown":
            return f"{self.step} changed ({self.name or 'its recipe is no longer in the store'})"
        what = {"param": self.name, "library": f"library {self.name}", "input": f"input {self.name}"}[self.kind]
        return f"{what} of {self.step} changed from {self.before} to {self.after}"


def in_words(changes: Sequence[Change]) -> str:
    """Return changes as one clause; empty for none."""
    told = [str(change) for change in changes[:_SHOWN]]
    more = len(changes) - len(told)
    return ", and ".join([*told, f"{more} more changed"] if more else told)

"""LoCoMo's evidence strings: reading references such as `D1:3`, and what to do with malformed ones."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_EXACT = re.compile(r"D([0-9]{1,9}):([0-9]{1,9})")
# Rows L1 and L2 of the data issues: several references in one string, and `D:11:26`.
_TOLERANT = re.compile(r"(?<![A-Za-z0-9])D:?([0-9]{1,9}):([0-9]{1,9})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Fault:
    """What was odd about one evidence string: kind and policy of its ledger row."""

    kind: str
    policy: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """References (session number, turn number) of one question in order, and the faults met; both without repeats."""

    references: tuple[tuple[int, int], ...]
    faults: tuple[Fault, ...]


def read_evidence(strings: Sequence[str], *, is_strict: bool) -> Evidence:
    """Return the references in a question's evidence strings.

    Parameters
    ----------
    strings
        The evidence list as it is in the file.
    is_strict
        Study B's rule: only strings that are exactly `D<int>:<int>` count. Otherwise every reference inside a
        string counts, and `D:11:26` is read as `D11:26`.

    >>> read_evidence(["D8:6; D9:17"], is_strict=False).references
    ((8, 6), (9, 17))
    >>> read_evidence(["D8:6; D9:17"], is_strict=True).references
    ()
    """
    references: dict[tuple[int, int], None] = {}
    faults: list[Fault] = []
    for text in strings:
        found = [(int(session), int(turn)) for session, turn in _TOLERANT.findall(text)]
        is_exact = _EXACT.fullmatch(text) is not None
        if not is_exact or text != "D{}:{}".format(*found[0]):
            faults.append(Fault(_kind(text, found, is_exact), _policy(found, is_exact, is_strict), text))
        for reference in found if is_exact or not is_strict else []:
            if reference in references:
                faults.append(Fault("evidence_repeated", "counted_once", text))
            references[reference] = None
    return Evidence(tuple(references), tuple(dict.fromkeys(faults)))


def _kind(text: str, found: list[tuple[int, int]], is_exact: bool) -> str:
    if is_exact:
        return "evidence_leading_zero"
    if not found:
        return "evidence_unreadable"
    return "evidence_joined" if len(found) > 1 else "evidence_malformed"


def _policy(found: list[tuple[int, int]], is_exact: bool, is_strict: bool) -> str:
    if not found or (is_strict and not is_exact):
        return "dropped"
    return "normalised" if len(found) == 1 else "split"

"""JSON without its loopholes: no key twice in an object, no NaN or infinity, a few levels only."""

import json
import math
from typing import Any

from tasks.corpora.tables import shown
from tasks.records import BenchError

MAX_DEPTH = 16
"""A value that nests deeper is refused; real records have 3 to 8 levels."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that comes twice, of which `json` would keep the last in silence."""
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise BenchError(f"the key {shown(twice)} comes twice in the object {shown(made)}; expected it once")
    return made


def _constant(text: str) -> float:
    raise BenchError(f"the number {text} came; expected JSON, which has none of that name")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise BenchError(f"the number {shown(text)} came; expected one that a double can hold")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
"""Raises `BenchError` for the loopholes, `ValueError` and `RecursionError` as `json` does for what is no JSON."""


def refuse_deep(value: object) -> None:
    """Raise `BenchError` when a value nests deeper than `MAX_DEPTH`: later code may recurse into what passes."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise BenchError(f"values nest more than {MAX_DEPTH} deep; expected a few levels only")


def _children(node: object) -> Any:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()

"""Settings as people write them: profiles, `key=value` overrides, and what is said of those that do not fit."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tasks.records import BenchError

PROFILES = Path(__file__).resolve().parent / "profiles"


def profile_names(*, studies: bool = False) -> list[str]:
    """Return the names of the committed profiles of one data set, or of those that reproduce a study, sorted."""
    return sorted(path.stem for path in PROFILES.glob("*.toml") if ("study" in read_profile(path.stem)) == studies)


def read_profile(name: str) -> dict[str, Any]:
    """Return the settings of a committed profile as they stand in its file."""
    return tomllib.loads((PROFILES / f"{name}.toml").read_text(encoding="utf-8"))


def apply(settings: dict[str, Any], override: str) -> None:
    """Put a `key=value` override into settings.

    Raises
    ------
    BenchError
        When it is not one, or its key leads through a value.
    """
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise BenchError(f"--set {override!r} is not key=value, e.g. --set candidates.k=20")
    if key.strip() == "profile":
        raise BenchError(f"--set {override!r}: choose a profile with --profile")
    *tables, last = key.strip().split(".")
    place = settings
    for table in tables:
        inner = place.setdefault(table, {})
        if not isinstance(inner, dict):
            raise BenchError(f"--set {override!r}: {table} is a value, not a table")
        place = inner
    place[last] = _value(text.strip())


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except tomllib.TOMLDecodeError:
        return text


def complaints(model: type[BaseModel], error: ValidationError) -> list[str]:
    """Return one sentence per fault, sorted; an unknown key names the valid ones of its table."""
    sentences = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"]) or "the profile"
        if fault["type"] == "extra_forbidden":
            valid = _fields(model, fault["loc"][:-1])
            sentences.append(f"unknown key {place}; valid here: {', '.join(valid)}")
        else:
            sentences.append(f"{place} = {fault['input']!r}: {fault['msg']}" if fault["loc"] else fault["msg"])
    return sorted(sentences)


def _fields(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return sorted(model.model_fields)

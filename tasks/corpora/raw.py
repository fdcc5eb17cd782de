"""Reading raw files that fight back: JSON with line and column of a fault, records with checked fields."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError

from tasks.corpora.strict_json import DECODER, refuse_deep
from tasks.corpora.tables import shown
from tasks.records import BenchError

SOURCE = "source.json"
_BOM = b"\xef\xbb\xbf"
_LONGEST_KEY = 80
_T = TypeVar("_T")


def _unicode(text: str) -> str:
    """Refuse half of a UTF-16 pair, which JSON can write as an escape: no table can hold it."""
    if not text.isascii():
        text.encode()
    return text


Text = Annotated[str, AfterValidator(_unicode)]
"""A string that can be written as UTF-8."""


class RawRecord(BaseModel):
    """Base of a record in a raw file: types are exact, keys we do not use are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


@dataclass(frozen=True, slots=True)
class RawFile:
    """A raw data file and what is known of it.

    Attributes
    ----------
    path
        The file.
    facts
        Content of `source.json`: name, file, sha256, bytes, origin, is_official, note (see `downloads.build`).
    """

    path: Path
    facts: dict[str, Any]

    @property
    def is_official(self) -> bool:
        """Whether its SHA-256 is the catalog's: only then are the catalog's counts asserted."""
        return bool(self.facts.get("is_official", False))

    @property
    def note(self) -> str | None:
        """A sentence that every report must show."""
        return self.facts.get("note")

    @property
    def licence(self) -> str | None:
        """Licence of the data, where the catalog states it."""
        return self.facts.get("licence")


def read_raw(raw_dir: Path) -> RawFile:
    """Return the raw file of a downloads artifact.

    Raises
    ------
    BenchError
        When `source.json` or the file it names is absent.
    """
    path = raw_dir / SOURCE
    if not path.is_file():
        raise BenchError(f"no {SOURCE} in {raw_dir}; expected a downloads artifact: run the downloads stage")
    facts = load_json(path.read_bytes())
    name = facts.get("file") if isinstance(facts, dict) else None
    if not isinstance(name, str) or Path(name).name != name:
        raise BenchError(f"{path}: file {shown(name)}; expected the plain name of a file beside it")
    if not (raw_dir / name).is_file():
        raise BenchError(f"no file {shown(name)} in {raw_dir}, though {SOURCE} names it: fetch it again")
    return RawFile(raw_dir / name, facts)


def load_json(content: bytes) -> Any:
    """Return the value of a whole JSON text in UTF-8, with or without a byte order mark.

    Raises
    ------
    BenchError
        With line and column, when it is not UTF-8 or not JSON, or is cut short; when an object has a key twice, a
        number is not finite, or values nest too deeply.
    """
    content = content.removeprefix(_BOM)
    try:
        value = DECODER.decode(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BenchError(
            f"line {line}, byte {error.start}: not UTF-8 ({error.reason}); expected JSON in UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(error.doc.rstrip())
        hint = "the file ends too early: fetch it again" if is_cut else "expected JSON"
        raise BenchError(f"line {error.lineno}, column {error.colno}: {error.msg}; {hint}") from error
    except RecursionError as error:
        raise BenchError("values nest too deeply to be read; expected a few levels only") from error
    except ValueError as error:
        raise BenchError(f"{error}; expected JSON with numbers of an ordinary size") from error
    refuse_deep(value)
    return value


def validated(kind: TypeAdapter[_T], value: object, record: str) -> _T:
    """Return `value` as `kind`.

    Raises
    ------
    BenchError
        Naming the record, and each field that is missing or has another type (at most five).
    """
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        shown_faults = "; ".join(_described(record, fault) for fault in faults[:5])
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise BenchError(f"{shown_faults}{more}") from error


def _key(name: str) -> str:
    """Return a key as it is where that is safe to print."""
    return name if name.isprintable() and len(name) <= _LONGEST_KEY else shown(name)


def _described(record: str, fault: Any) -> str:
    place = record
    for part in fault["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{_key(part)}"
    if fault["type"] == "missing":
        return f"{place}: the key is missing"
    came = fault["input"]
    return f"{place}: {shown(came)} ({type(came).__name__}) came; {fault['msg'].lower()}"

"""Qrels overlays: somebody's corrections of a data set's judgements, as a file that says who claims them and why.

The format is documented in data/README.md ("Qrels overlays"): JSON Lines, one `Correction` per line.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tasks.corpora.raw import Text, validated
from tasks.corpora.tables import shown
from tasks.files import write_text
from tasks.records import BenchError

_BOM = b"\xef\xbb\xbf"
_INT32_MAX = 2**31 - 1

Filled = Annotated[Text, Field(min_length=1)]
Gain = Annotated[int, Field(ge=0, le=_INT32_MAX)]


class Correction(BaseModel):
    """One line of an overlay: the gain of one document for one query.

    Attributes
    ----------
    dataset
        Name of the data set.
    query
        Id of the query, as in the table `queries`.
    document
        Id of the document, as in the table `documents`.
    old
        Gain that the data set gives it; 0 = not relevant.
    new
        Gain that it should have; 0 = not relevant.
    source
        Who claims it.
    reason
        Why, in free text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    dataset: Filled
    query: Filled
    document: Filled
    old: Gain
    new: Gain
    source: Filled
    reason: Filled


_LINE = TypeAdapter(Correction)


@dataclass(frozen=True, slots=True)
class Overlay:
    """A checked overlay file.

    Attributes
    ----------
    name
        Name of the file.
    sha256
        Of its bytes.
    corrections
        One per line, in the order of the file: that of line n is at n - 1.
    """

    name: str
    sha256: str
    corrections: tuple[Correction, ...]

    @property
    def dataset(self) -> str:
        """The data set whose judgements are corrected."""
        return self.corrections[0].dataset

    @property
    def sources(self) -> list[str]:
        """Who claims the corrections, sorted."""
        return sorted({correction.source for correction in self.corrections})


def read_overlay(path: Path) -> Overlay:
    """Return the corrections of a file.

    Raises
    ------
    BenchError
        When there is no such file, or naming each line that is not a correction of the data set of the first line,
        changes nothing, or corrects what an earlier line corrects.
    """
    content = read_bytes(path, "an overlay")
    lines = content.removeprefix(_BOM).split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    if not lines:
        raise BenchError(f"{path.name}: no line came; expected at least one correction")
    corrections: dict[tuple[str, str], Correction] = {}
    line_of: dict[tuple[str, str], int] = {}
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            correction = _correction(line, number)
        except BenchError as error:
            faults.append(str(error))
            continue
        pair = (correction.query, correction.document)
        first = next(iter(corrections.values()), correction)
        if pair in corrections:
            faults.append(f"line {number}: query and document are those of line {line_of[pair]}; expected them once")
        elif correction.dataset != first.dataset:
            faults.append(f"line {number}.dataset: {shown(correction.dataset)} came after {shown(first.dataset)}")
        else:
            corrections[pair], line_of[pair] = correction, number
    refuse_faults(f"{path.name}: {len(faults)} lines of {len(lines)} are no corrections", faults)
    return Overlay(path.name, hashlib.sha256(content).hexdigest(), tuple(corrections.values()))


def write_overlay(path: Path, corrections: Iterable[Correction]) -> None:
    """Write corrections as a file that `read_overlay` reads, whole or not at all.

    Raises
    ------
    BenchError
        When it cannot be written there.
    """
    lines = [json.dumps(correction.model_dump(), ensure_ascii=False) + "\n" for correction in corrections]
    try:
        write_text(path, "".join(lines))
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}; choose another place") from error


def read_bytes(path: Path, what: str) -> bytes:
    """Return the content of a file that a person named.

    Raises
    ------
    BenchError
        When it is absent, no file, or not ours to read.
    """
    if not path.is_file():
        found = "a folder, not a file" if path.is_dir() else "no such file"
        raise BenchError(f"{path}: {found}; expected {what}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}; expected {what}") from error


def refuse_faults(what: str, faults: Sequence[str], limit: int = 5) -> None:
    """Raise an error that lists the faults, the first `limit` of them in words, if there are any.

    >>> refuse_faults("x.jsonl: 3 faults", ["line 1: a", "line 2: b", "line 3: c"], limit=2)
    Traceback (most recent call last):
        ...
    tasks.records.BenchError: x.jsonl: 3 faults: line 1: a; line 2: b; and 1 more
    """
    if faults:
        more = f"; and {len(faults) - limit} more" if len(faults) > limit else ""
        raise BenchError(f"{what}: {'; '.join(faults[:limit])}{more}")


def _correction(line: bytes, number: int) -> Correction:
    place = f"line {number}"
    correction = validated(_LINE, _json(line, place), place)
    if correction.old == correction.new:
        raise BenchError(f"{place}: old and new are both {correction.new}; expected a change")
    return correction


def _json(line: bytes, place: str) -> Any:
    if not line.strip():
        raise BenchError(f"{place}: an empty line; expected a correction")
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_once_each)
    except UnicodeDecodeError as error:
        raise BenchError(f"{place}, byte {error.start}: not UTF-8 ({error.reason})") from error
    except json.JSONDecodeError as error:
        raise BenchError(f"{place}, column {error.colno}: {error.msg}; expected one JSON object per line") from error
    except RecursionError as error:
        raise BenchError(f"{place}: values nest too deeply to be read") from error
    except ValueError as error:
        raise BenchError(f"{place}: {error}") from error


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, unless a key comes twice: `json` would silently take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {shown(next(name for name in names if names.count(name) > 1))} comes twice")
    return found

"""Records of a large JSON list, one at a time: plain, gzip or zstd, in bounded memory."""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from tasks.corpora.strict_json import DECODER, refuse_deep
from tasks.corpora.tables import shown
from tasks.records import BenchError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BUFFER = 1 << 22
_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16
"""No token but a string is longer than this many characters before `json` sees that it is broken."""
MAX_RECORD_CHARACTERS = 256 * 1024**2
"""A record that is longer is refused, whatever it was packed to; real ones have half a million."""


def stream_records(path: Path) -> Iterator[Any]:
    """Yield each item of the JSON list in a file; compression is told by its first bytes, not by its name.

    Memory: about twice the longest record.

    Raises
    ------
    BenchError
        With the number of records read before it, when the text is not JSON in UTF-8 or ends too early, when an object
        has a key twice, when the top is not a list, or when the compression is damaged.
    """
    n_read = 0
    with path.open("rb") as file:
        try:
            for record in _items(_Text(_decompressed(file))):
                yield record
                n_read += 1
        except BenchError as error:
            raise BenchError(f"after {n_read} whole records: {error}") from error
        except UnicodeDecodeError as error:
            raise BenchError(f"after {n_read} whole records: not UTF-8 ({error.reason}); expected JSON") from error
        except (zstandard.ZstdError, EOFError, OSError, zlib.error) as error:
            raise BenchError(f"after {n_read} whole records: damaged compression ({error}); fetch it again") from error


def _decompressed(file: BinaryIO) -> BinaryIO:
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if magic == _ZSTD:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return file


def _items(text: "_Text") -> Iterator[Any]:
    if (mark := text.take()) != "[":
        raise BenchError(f"{shown(mark)} at the top; expected a list of records, or that list in gzip or zstd")
    if text.take() != "]":
        text.give_back()
        yield text.value()
        while (mark := text.take()) == ",":
            yield text.value()
        if mark != "]":
            came = f"{shown(mark)} came" if mark else "the file ends too early: fetch it again"
            raise BenchError(f"character {text.position}: {came}; expected ',' or ']' after a record")
    if mark := text.take():
        raise BenchError(f"character {text.position}: {shown(mark)} came; expected nothing after the list")


class _Text:
    """The text of a stream, read on demand: what was consumed is forgotten."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._held, self._at, self._forgotten = "", 0, 0

    @property
    def position(self) -> int:
        """Number, from 1, of the character that was taken last."""
        return self._forgotten + self._at

    def take(self) -> str:
        """Consume and return the next character that is not blank; an empty string at the end."""
        self._skip_blanks()
        mark = self._held[self._at : self._at + 1]
        self._at += len(mark)
        return mark

    def give_back(self) -> None:
        """Undo the last `take` of a character."""
        self._at -= 1

    def value(self) -> Any:
        """Consume and return the next value."""
        self._skip_blanks()
        self._held, self._forgotten, self._at = self._held[self._at :], self._forgotten + self._at, 0
        while True:
            try:
                value, end = DECODER.raw_decode(self._held)
            except json.JSONDecodeError as error:
                self._read_or_refuse(error)
                continue
            except RecursionError as error:
                raise BenchError("values nest too deeply to be read; expected a few levels only") from error
            except ValueError as error:
                raise BenchError(f"{error}; expected JSON with numbers of an ordinary size") from error
            # A number near the end may go on: of `1.5`, cut after the point, `json` takes the 1.
            if end < len(self._held) - _LONGEST_TOKEN or not self._read():
                self._at = end
                refuse_deep(value)
                return value

    def _read_or_refuse(self, error: json.JSONDecodeError) -> None:
        """Read on where a value may only be cut by the end of what was read."""
        is_at_the_end = error.pos >= len(self._held) - _LONGEST_TOKEN
        may_be_cut = is_at_the_end or error.msg.startswith("Unterminated string")
        if may_be_cut and self._read():
            return
        hint = "the file ends too early: fetch it again" if may_be_cut else "expected JSON"
        raise BenchError(f"character {self._forgotten + error.pos + 1}: {error.msg}; {hint}") from error

    def _skip_blanks(self) -> None:
        while True:
            found = _BLANKS.match(self._held, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._held):
                return
            self._held, self._forgotten, self._at = "", self._forgotten + self._at, 0
            if not self._read():
                return

    def _read(self) -> bool:
        """Read on, the more the longer the record is; say whether anything came."""
        if len(self._held) > MAX_RECORD_CHARACTERS:
            raise BenchError(f"a record of more than {MAX_RECORD_CHARACTERS} characters; expected shorter ones")
        data = self._stream.read(max(_BUFFER, len(self._held) // 2))
        self._held += self._decoder.decode(data, final=not data)
        return bool(data)

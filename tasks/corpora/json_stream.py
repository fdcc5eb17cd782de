"""Records of a large JSON list, one at a time: plain, gzip or zstd, in bounded memory."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import ijson
import zstandard
from ijson.common import ObjectBuilder

from tasks.records import BenchError

_GZIP, _ZSTD, _BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
_BUFFER = 1 << 20
_STEPS = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}
MAX_DEPTH = 16
"""A record that nests deeper is refused; real ones have 5 levels."""


def stream_records(path: Path) -> Iterator[Any]:
    """Yield each item of the JSON list in a file; compression is told by its first bytes, not by its name.

    Raises
    ------
    BenchError
        With the number of records read before it, when the text is not JSON or ends too early, when the top is not a
        list, or when the compression is damaged.
    """
    n_read = 0
    with path.open("rb") as file:
        try:
            for record in _items(_list_only(_decompressed(file))):
                yield record
                n_read += 1
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise BenchError(f"after {n_read} whole records: {_reason(error)}; expected a list in JSON") from error
        except (zstandard.ZstdError, EOFError, OSError, zlib.error) as error:
            raise BenchError(f"after {n_read} whole records: damaged compression ({error}); fetch it again") from error


def _items(stream: "_Resumed") -> Iterator[Any]:
    """Build the items from bare events: `ijson.items` keeps a path per level, quadratic memory in a deep file."""
    depth = 0
    builder = ObjectBuilder()
    for event, value in ijson.basic_parse(stream, use_float=True, buf_size=_BUFFER):
        depth += _STEPS.get(event, 0)
        if depth > MAX_DEPTH:
            raise BenchError(f"values nest more than {MAX_DEPTH} deep; expected a list of flat records")
        is_list_itself = depth == 0 or (depth == 1 and event == "start_array")
        if is_list_itself:
            continue
        builder.event(event, value)
        if depth == 1:
            yield builder.value
            builder = ObjectBuilder()


class _Resumed:
    """A byte stream whose first bytes were read already."""

    def __init__(self, head: bytes, tail: BinaryIO) -> None:
        self._head, self._tail = head, tail

    def read(self, size: int = -1) -> bytes:
        if size == 0:  # how ijson asks whether this is bytes or text
            return b""
        head, self._head = self._head, b""
        return head or self._tail.read(size)


def _decompressed(file: BinaryIO) -> BinaryIO:
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if magic == _ZSTD:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return file


def _list_only(stream: BinaryIO) -> _Resumed:
    """Skip a byte order mark and blanks; refuse a top that is not a list, of which ijson would yield nothing."""
    head = stream.read(_BUFFER).removeprefix(_BOM).lstrip()
    if not head.startswith(b"["):
        raise BenchError(f"{head[:20]!r} at the top; expected a list of records, or that list in gzip or zstd")
    return _Resumed(head, stream)


def _reason(error: Exception) -> str:
    """Return the parser's own words in one line, without its drawing of the place."""
    text = error.args[0] if error.args else error
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return words.strip().partition("\n")[0].removesuffix(".")

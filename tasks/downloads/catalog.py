"""The catalogue of pinned artefacts: datasets and models, with their hashes, counts and licences."""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, HttpUrl, TypeAdapter, ValidationError, model_validator

from tasks.downloads.model_facts import ModelShape
from tasks.files import CHECKOUT
from tasks.records import BenchError, Params

CATALOG = CHECKOUT / "data" / "catalog.toml"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _plain_file_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ValueError("expected a plain file name without folders")
    return name


def _relative_folder(path: str) -> str:
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\\" in path:
        raise ValueError("expected a relative folder such as package/model, without '..'")
    return path


def _web_address(url: str) -> str:
    TypeAdapter(HttpUrl).validate_python(url)
    return url


FileName = Annotated[str, AfterValidator(_plain_file_name)]
Folder = Annotated[str, AfterValidator(_relative_folder)]
Url = Annotated[str, AfterValidator(_web_address)]


class LocalSource(Params):
    """A known file that is not the official one: accepted from a mirror under its own hash, and reported as such.

    `note` is what every report from it must say, e.g. ``499 of 500 questions``.
    """

    file: FileName
    sha256: Sha256
    bytes: int = Field(gt=0)
    note: str


class DatasetEntry(Params):
    """One dataset: where its official file is, what it must hash to, and what it must hold.

    `counts` are facts that parsers assert (documents, questions, ...). `bytes` is the size of the official file.
    """

    name: FileName
    url: Url
    file: FileName
    sha256: Sha256
    bytes: int = Field(gt=0)
    licence: str = Field(min_length=1)
    counts: dict[str, int] = Field(default_factory=dict)
    local_sources: tuple[LocalSource, ...] = ()


class WheelSource(Params):
    """Model files inside a wheel of a package index; its code is neither installed nor imported."""

    type: Literal["wheel"]
    package: FileName
    version: FileName
    sha256: Sha256
    path: Folder


class HubSource(Params):
    """Model files on a hub, at one commit. `alternative` names a model that needs no hub, for the error message."""

    type: Literal["hub"]
    repository: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")
    revision: str = Field(pattern=r"^([0-9a-f]{40}|main)$")
    files: tuple[str, ...] = ("*.safetensors", "*.json", "*.txt")
    alternative: str | None = None


class ModelEntry(ModelShape):
    """One model: how it is called (`ModelShape`), and where its files come from."""

    name: FileName
    licence: str = Field(min_length=1)
    source: Annotated[WheelSource | HubSource, Field(discriminator="type")]

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> "ModelEntry":
        keeps_pieces = self.backend == "onnx" and self.pooling is None  # a ColBERT: one vector per word piece
        if self.kind == "bi-encoder" and (self.dimension is None or (self.pooling is None and not keeps_pieces)):
            raise ValueError(
                "a bi-encoder needs dimension and pooling; only one for onnx may have no pooling (ColBERT)"
            )
        return self


class Catalog(Params):
    """Every pinned artefact, by name."""

    datasets: dict[str, DatasetEntry]
    models: dict[str, ModelEntry]

    def dataset(self, name: str) -> DatasetEntry:
        """Return one dataset's entry; an unknown name is an error that lists the valid ones."""
        return _named(self.datasets, name, "dataset")

    def model(self, name: str) -> ModelEntry:
        """Return one model's entry; an unknown name is an error that lists the valid ones."""
        return _named(self.models, name, "model")


EntryT = TypeVar("EntryT")


def _named(entries: Mapping[str, EntryT], name: str, noun: str) -> EntryT:
    if name not in entries:
        raise BenchError(f"unknown {noun} {name!r}; expected one of: {', '.join(sorted(entries))}")
    return entries[name]


def load_catalog(path: Path = CATALOG) -> Catalog:
    """Read and validate a catalogue.

    Raises
    ------
    BenchError
        When the file cannot be read, or with *every* wrong field of every entry, sorted.
    """
    tables = _read(path)
    faults = [f"{key}: expected only [datasets.*] and [models.*]" for key in tables.keys() - {"datasets", "models"}]
    datasets = _entries(tables, "datasets", DatasetEntry.model_validate, faults)
    models = _entries(tables, "models", ModelEntry.model_validate, faults)
    if faults:
        listed = "\n".join(f"  {fault}" for fault in sorted(faults))
        raise BenchError(f"{path}: {len(faults)} fault(s) in the catalogue; correct them:\n{listed}")
    return Catalog(datasets=datasets, models=models)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise BenchError(f"cannot read the catalogue {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} is not valid TOML: {error}") from error


def _entries(
    tables: Mapping[str, Any], group: str, validate: Callable[[Any], EntryT], faults: list[str]
) -> dict[str, EntryT]:
    """Validate one group of entries; what is wrong is added to `faults`, so that all of it is shown at once."""
    found: dict[str, EntryT] = {}
    rows = tables.get(group, {})
    if not isinstance(rows, dict):
        faults.append(f"{group}: expected a table of entries")
        return found
    for name, row in rows.items():
        if not isinstance(row, dict):
            faults.append(f"{group}.{name}: expected a table")
            continue
        try:
            found[name] = validate({**row, "name": name})
        except ValidationError as error:
            for detail in error.errors():
                field = ".".join(str(part) for part in ("", *detail["loc"]))
                faults.append(f"{group}.{name}{field}: {detail['msg']} (came: {detail['input']!r:.80})")
    return found

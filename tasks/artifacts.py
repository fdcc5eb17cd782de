"""The content-addressed store: identity of a result, its key, and its place on disk.

An artifact is a directory `<store>/<stage>/<key>/` of files and a `manifest.json`. Its key is the SHA-256 of
everything that shapes its content (`Recipe`), so the same work is never done twice and different work never shares a
place. It is written into a temporary sibling and renamed: nothing half-written is ever read.
"""

import importlib.metadata
import json
import os
import platform
import resource
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tasks.files import json_digest, sha256_of, write_text
from tasks.records import BenchError

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A reference to a finished result: small, serialisable, the only thing that tasks exchange.

    `digest` is the SHA-256 over the names and SHA-256 of its files: equal content has an equal digest.
    """

    stage: str
    key: str
    digest: str
    root: str

    @property
    def path(self) -> Path:
        """The directory that holds its files."""
        return Path(self.root) / self.stage / self.key


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that shapes an artifact's content.

    Attributes
    ----------
    stage
        The stage's name: a package under `tasks/` and a directory of the store.
    step
        What the stage does here, for stages with several steps.
    code
        `code_fingerprint` of the module that does the work, taken when the process started: what is edited while it
        runs is not what it computes with.
    params
        JSON-able parameters.
    inputs
        Digest of each input, by name.
    libraries
        Distributions whose version changes the numbers.
    """

    stage: str
    step: str
    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()

    def ingredients(self) -> dict[str, Any]:
        """Return the key's ingredients as a JSON-able dictionary."""
        return {
            "stage": self.stage,
            "step": self.step,
            "code": self.code,
            "params": json.loads(json.dumps(self.params, sort_keys=True, allow_nan=False)),
            "inputs": dict(sorted(self.inputs.items())),
            "libraries": {name: _version(name) for name in sorted(self.libraries)},
        }

    @property
    def key(self) -> str:
        """SHA-256 of the canonical JSON of the ingredients, 64 hexadecimal digits."""
        return json_digest(self.ingredients())


@dataclass(frozen=True, slots=True)
class Cost:
    """What making an artifact took. `peak_memory_mb` is the process's high-water mark of resident memory."""

    wall_s: float
    cpu_s: float
    peak_memory_mb: float


@cache
def _version(distribution: str) -> str:
    return importlib.metadata.version(distribution)  # parses a whole file each time


class Store:
    """Artifacts under one root directory. Safe for several processes at once."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()

    def find(self, recipe: Recipe) -> Artifact | None:
        """Return the artifact of `recipe` when it is there and its files have the recorded checksums."""
        return self.get(recipe.stage, recipe.key)

    def get(self, stage: str, key: str) -> Artifact | None:
        """Return the verified artifact at `stage`/`key`, or None."""
        directory = self.root / stage / key
        manifest = read_manifest(directory)
        if manifest is None or not _is_intact(directory, manifest):
            return None
        return Artifact(stage, key, manifest["digest"], str(self.root))

    def make(self, recipe: Recipe, build: Callable[[Path], None]) -> Artifact:
        """Return the artifact of `recipe`, calling `build(directory)` to write its files where it is missing.

        Raises
        ------
        BenchError
            When the store cannot be written, or the disk is full.
        """
        found = self.find(recipe)
        if found is not None:
            return found
        started, cpu = time.monotonic(), _cpu_seconds()
        with self._scratch(recipe.stage, recipe.key) as scratch:
            build(scratch)
            cost = Cost(
                wall_s=round(time.monotonic() - started, 3),
                cpu_s=round(_cpu_seconds() - cpu, 3),
                peak_memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            )
            return self._commit(scratch, recipe, cost)

    def sweep(self) -> list[Path]:
        """Remove what killed processes of this machine left half-written, and return it. Others' work stays."""
        abandoned = [path for path in self.root.glob("*/.*.tmp") if _is_abandoned(path)]
        for path in abandoned:
            shutil.rmtree(path, ignore_errors=True)
        return abandoned

    def sweep_own(self) -> None:
        """Remove what this process left half-written: a signal can come at any line, inside a clean-up too."""
        for path in self.root.glob(f"*/.*-{_owner()}.tmp"):
            shutil.rmtree(path, ignore_errors=True)

    def check_writable(self) -> None:
        """Raise `BenchError` where the store cannot be written."""
        with self._scratch("downloads", "probe"):
            pass

    def has_all(self, recipes: Iterable[Recipe]) -> bool:
        """Say whether the artifacts of all `recipes` are there and intact."""
        return all(self.find(recipe) is not None for recipe in recipes)

    def manifests(self, stage: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (key, manifest) of each artifact of a stage, by key; whether its files are intact is not checked."""
        for path in sorted((self.root / stage).glob(f"[!.]*/{MANIFEST}")):  # a dot: half-written, or damaged
            if (manifest := read_manifest(path.parent)) is not None:
                yield path.parent.name, manifest

    def similar(self, recipe: Recipe, same_inputs: tuple[str, ...]) -> list[Artifact]:
        """Return the intact artifacts of the same step, code and libraries whose named inputs are those of `recipe`.

        Other inputs and the parameters may differ: the caller knows why that does not matter.
        """
        wanted = _likeness(recipe.ingredients(), same_inputs)
        keys = [
            key
            for key, manifest in self.manifests(recipe.stage)
            if _likeness(manifest["ingredients"], same_inputs) == wanted
        ]
        return [found for key in keys if (found := self.get(recipe.stage, key)) is not None]

    @contextmanager
    def _scratch(self, stage: str, key: str) -> Iterator[Path]:
        scratch = self.root / stage / f".{key[:16]}-{uuid.uuid4().hex[:8]}-{_owner()}.tmp"
        try:
            scratch.mkdir(parents=True)
        except OSError as error:
            raise BenchError(
                f"cannot write to the store {self.root}: {error.strerror}. "
                "Choose a writable folder with --store or MNEMOBENCH_STORE."
            ) from error
        try:
            yield scratch
        except OSError as error:
            if error.errno == 28:  # ENOSPC
                raise BenchError(
                    f"no space left on the disk of the store {self.root} (stage {stage}). Finished work is kept: "
                    "free some space, or move the store with --store, and run the same command again."
                ) from error
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _commit(self, scratch: Path, recipe: Recipe, cost: Cost) -> Artifact:
        files = {
            path.relative_to(scratch).as_posix(): _file_facts(path)
            for path in sorted(scratch.rglob("*"))
            if path.is_file()
        }
        digest = json_digest({name: facts["sha256"] for name, facts in files.items()})
        manifest = {
            "stage": recipe.stage,
            "step": recipe.step,
            "key": recipe.key,
            "digest": digest,
            "ingredients": recipe.ingredients(),
            "files": files,
            "cost": asdict(cost),
            "made": {
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                "host": platform.node(),
                "python": platform.python_version(),
                "machine": platform.machine(),
            },
        }
        write_text(scratch / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        target = self.root / recipe.stage / recipe.key
        self._rename(scratch, target, recipe)
        return Artifact(recipe.stage, recipe.key, digest, str(self.root))

    def _rename(self, scratch: Path, target: Path, recipe: Recipe) -> None:
        """Publish; the loser of a race adopts the winner's artifact, a corrupted one is replaced."""
        try:
            scratch.rename(target)
        except OSError:
            if self.find(recipe) is not None:
                return
            _discard(target)
            scratch.rename(target)

    def why_missing(self, recipe: Recipe) -> str:
        """Say why `recipe` is not in the store: the ingredients that differ from the nearest artifact of its step."""
        directory = self.root / recipe.stage / recipe.key
        if directory.exists():
            return "the artifact on disk is damaged"
        wanted = recipe.ingredients()
        differences = [
            _differences(wanted, manifest["ingredients"])
            for _, manifest in self.manifests(recipe.stage)
            if manifest.get("step") == recipe.step
        ]
        if not differences:
            return "first time"
        nearest = min(differences, key=lambda names: (len(names), names))
        return "changed: " + ", ".join(nearest) if nearest else "first time"


def read_manifest(directory: Path) -> dict[str, Any] | None:
    """Return the manifest of an artifact's directory, or None when there is none that can be read."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    parts = {"cost": dict, "digest": str, "files": dict, "ingredients": dict, "key": str, "stage": str, "step": str}
    is_whole = isinstance(manifest, dict) and all(isinstance(manifest.get(name), kind) for name, kind in parts.items())
    return manifest if is_whole else None


def _file_facts(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = {"sha256": sha256_of(path), "bytes": path.stat().st_size}
    if path.suffix == ".parquet":
        facts["rows"] = pq.read_metadata(path).num_rows
    return facts


def _is_intact(directory: Path, manifest: Mapping[str, Any]) -> bool:
    try:
        sums = {name: facts["sha256"] for name, facts in manifest["files"].items()}
    except (KeyError, TypeError):
        return False
    if json_digest(sums) != manifest["digest"]:
        return False
    return all(_has_checksum(directory / name, facts) for name, facts in manifest["files"].items())


_verified: set[tuple[str, int, int, str]] = set()


def _has_checksum(path: Path, facts: Mapping[str, Any]) -> bool:
    """Compare size and SHA-256; a file verified by this process is not hashed again until its time or size changes."""
    try:
        stat = path.stat()
        seal = (str(path), stat.st_mtime_ns, stat.st_size, facts["sha256"])
        if seal in _verified:
            return True
        is_same = bool(stat.st_size == facts.get("bytes") and sha256_of(path) == facts["sha256"])
    except OSError:
        return False
    if is_same:
        _verified.add(seal)
    return is_same


def _likeness(ingredients: Mapping[str, Any], same_inputs: tuple[str, ...]) -> dict[str, Any]:
    inputs = {name: ingredients["inputs"].get(name) for name in same_inputs}
    return {"inputs": inputs, **{name: ingredients[name] for name in ("step", "code", "libraries")}}


def _differences(wanted: Mapping[str, Any], existing: Mapping[str, Any]) -> list[str]:
    names: list[str] = []
    for group in ("params", "inputs", "libraries"):
        ours, theirs = wanted[group], existing.get(group, {})
        changed = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
        names += dict.fromkeys(f"{group} {name.partition('[')[0]}" for name in changed)
    if wanted["code"] != existing.get("code"):
        names.append("code")
    return names


def _owner() -> str:
    return f"{platform.node()}-{os.getpid()}"


def _is_abandoned(scratch: Path) -> bool:
    """Say whether the process that a scratch folder is named after was one of this machine and is gone."""
    host, _, number = scratch.name.removesuffix(".tmp").split("-", 2)[-1].rpartition("-")
    if host != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _discard(directory: Path) -> None:
    """Move a damaged artifact out of the way before deleting it, so that nobody reads it half-deleted."""
    grave = directory.with_name(f".{directory.name[:16]}.{uuid.uuid4().hex[:8]}.damaged")
    directory.rename(grave)
    shutil.rmtree(grave, ignore_errors=True)


def _cpu_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime

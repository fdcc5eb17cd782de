"""What a report says about the run itself: when, by which command, with which models, and what each stage cost."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tasks.files import json_digest
from tasks.records import BenchError

_PATH_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model that shaped the numbers. `role` is `encoder` or `reranker`; `digest` is the SHA-256 of its files."""

    role: str
    name: str
    digest: str
    licence: str = "unknown"


@dataclass(frozen=True, slots=True)
class StageEvent:
    """What happened to one artifact in this run.

    Attributes
    ----------
    stage, step, key, digest
        Identity of the artifact.
    is_cached
        Whether it was taken from the store.
    reason
        Why it was computed, or where it came from, in words.
    wall_s, cpu_s
        Seconds of this run; near 0 for a cached artifact.
    made_wall_s
        Seconds it took when it was made, in this run or an earlier one.
    peak_memory_mb
        High-water mark of resident memory of the process that made it, MB of 2**20 bytes.
    n_files, n_bytes
        Size of the artifact.
    """

    stage: str
    step: str
    key: str
    digest: str
    is_cached: bool
    reason: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    made_wall_s: float = 0.0
    peak_memory_mb: float = 0.0
    n_files: int = 0
    n_bytes: int = 0

    @property
    def state(self) -> str:
        """`cached` or `computed`."""
        return "cached" if self.is_cached else "computed"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run.

    Attributes
    ----------
    run_id
        Letters, digits, `.`, `_`, `-`: it names folders.
    profile
        Name of the configuration profile.
    started_at, finished_at
        With a time zone; kept as UTC.
    status
        `complete`, or what else the flow says.
    seed
        The run's seed, from which every random stream derives.
    code_fingerprint, config_fingerprint
        Digests of the code and of the resolved configuration.
    mnemobench_version
        Version of the project.
    command
        The command line that reproduces the run.
    models
        Models that shaped the numbers.
    stages
        One event per artifact.
    method
        Settings that the method paragraph names, e.g. `{"bootstrap resamples": "10,000"}`.
    """

    run_id: str
    profile: str
    started_at: datetime
    finished_at: datetime
    status: str
    seed: int
    code_fingerprint: str
    config_fingerprint: str
    mnemobench_version: str
    command: str
    models: tuple[ModelFacts, ...] = ()
    stages: tuple[StageEvent, ...] = ()
    method: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        path_safe("run_id", self.run_id)
        for name in ("started_at", "finished_at"):
            if getattr(self, name).tzinfo is None:
                raise BenchError(f"{name} {getattr(self, name)} has no time zone; expected one")

    @property
    def wall_s(self) -> float:
        """Seconds from start to end."""
        return (self.finished_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What a run measured on one data set, and what its numbers are about.

    Attributes
    ----------
    dataset
        Name of the data set.
    protocol, other_protocols
        The main protocol, and the further ones in order.
    corpus
        `facts.json` of the corpus: its size, source, licence and note.
    main_measure
        Measure of the headline.
    baseline
        Variant that the others are compared with in the main family; None where nothing is compared.
    """

    dataset: str
    protocol: str
    corpus: Mapping[str, Any]
    main_measure: str
    baseline: str | None = None
    other_protocols: tuple[str, ...] = ()

    @classmethod
    def of_report(cls, facts: Mapping[str, Any], other_protocols: tuple[str, ...] = ()) -> "DataFacts":
        """Return what `report.json` of the main protocol says."""
        measure = facts["params"]["main_measure"]
        return cls(facts["dataset"], facts["protocol"], facts["corpus"], measure, facts["baseline"], other_protocols)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over data set, protocol and corpus: runs with different ones are never compared."""
        return fingerprint(self.dataset, self.protocol, self.corpus)


def fingerprint(dataset: str, protocol: str, corpus: Mapping[str, Any]) -> str:
    """Return the SHA-256 over what was measured on."""
    return json_digest({"dataset": dataset, "protocol": protocol, "corpus": dict(corpus)})


def path_safe(what: str, name: str) -> str:
    """Return `name` when it may name a folder of the warehouse.

    >>> path_safe("run_id", "2026-11-03_sample")
    '2026-11-03_sample'

    Raises
    ------
    BenchError
        For anything but letters, digits, `.`, `_` and `-`.
    """
    if not _PATH_SAFE.fullmatch(name):
        raise BenchError(f"{what} {name!r} cannot name a folder; expected letters, digits, '.', '_' and '-'")
    return name


def utc(moment: datetime) -> datetime:
    """Return the moment in UTC without a time zone, as the warehouse keeps it."""
    return moment.astimezone(UTC).replace(tzinfo=None)

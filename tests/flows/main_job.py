"""What the tests of the main job share: a small run, and what is compared of two runs."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tasks.prefect_cache import StepEvent

SMALL = (
    "synthetic.n_questions=12",
    "synthetic.n_turns=2000",
    "candidates.k=4",
    "stream.steps=60",
    "significance.n_resamples=200",
    "encoder.shard_tokens=8192",
    "pairs.shard_tokens=2000",
    'variants=["bm25", "dense", "hybrid-rrf", "hybrid-rerank", "rif(rule=gap,clusters=3)"]',
)
"""A run of the sample profile that real models do in well under a minute, in several shards."""

RUN_ONLY = {"runs", "timings", "artifacts"}
"""Tables that say when and how long: the only ones in which two equal runs differ."""


class Recorder:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[StepEvent] = []

    def announced(self, stage: str, step: str, count: int) -> None:
        """Ignore."""

    def started(self, stage: str, step: str, reason: str | None) -> None:
        """Ignore."""

    def progressed(self, done: int, total: int, unit: str) -> None:
        """Ignore."""

    def finished(self, event: StepEvent) -> None:
        """Remember."""
        self.events.append(event)

    def computed(self) -> list[str]:
        """Return the steps that were computed, once each, in order."""
        return list(dict.fromkeys(event.step for event in self.events if not event.is_cached))


def table_hashes(reports: Path, run_id: str) -> dict[str, str]:
    """Return the SHA-256 of each result table of a run; those that tell times are left out."""
    files = sorted((reports / "warehouse").glob(f"*/*/run_id={run_id}/*.parquet"))
    return {
        path.parents[2].name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.parents[2].name not in RUN_ONLY
    }


def settings(*more: str, without: Sequence[str] = ()) -> list[str]:
    """Return the settings of the small run, with others."""
    return [*(setting for setting in SMALL if setting not in without), *more]

"""Accepted baselines: runs that a person declared to be the measure of later ones. Never simply the last run."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from tasks.gate.appended import append, now, read_all
from tasks.gate.runs import RunPart, parts_of
from tasks.gate.schemas import ACCEPTED
from tasks.records import BenchError, context


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Which run is accepted for a profile and data set; when (UTC), by whom, why, and at which commit."""

    profile: str
    dataset: str
    run_id: str
    accepted_at: datetime
    accepted_by: str
    why: str
    git_commit: str


def accept(warehouse: Path, run_id: str, *, why: str, by: str, git_commit: str) -> list[Acceptance]:
    """Accept a run for each of its data sets; earlier acceptances stay in the table, and count no longer.

    Parameters
    ----------
    warehouse
        Root folder of the tables.
    run_id
        A complete evaluation.
    why
        For those who ask later; not empty.
    by
        Who accepts it.
    git_commit
        Of the checkout that accepts.

    Raises
    ------
    BenchError
        When there is no such run, it is not complete, its tables cannot be read, or there is no reason.
    """
    if not why.strip():
        raise BenchError("an empty reason; expected --why with what changed and why that is right")
    parts = parts_of(warehouse, run_id)
    for part in parts:
        for table in (part.metrics(), part.artifacts()):
            if not table.height:
                raise BenchError(f"run {run_id} has no values of questions on {part.dataset}: nothing to accept")
    for part in parts:
        row = {
            "profile": part.profile,
            "accepted_at": now(),
            "accepted_by": by,
            "why": why.strip(),
            "git_commit": git_commit,
            "dataset_fingerprint": part.facts["dataset_fingerprint"],
            "config_fingerprint": part.facts["config_fingerprint"],
        }
        append(warehouse, ACCEPTED, part.dataset, run_id, row)
    return [found for part in parts if (found := accepted_for(warehouse, part.profile, part.dataset))]


def accepted_for(warehouse: Path, profile: str, dataset: str) -> Acceptance | None:
    """Return the acceptance that counts, the last one; None where nothing was accepted yet.

    Raises
    ------
    BenchError
        When a file of the table is damaged.
    """
    rows = read_all(warehouse, ACCEPTED).filter(pl.col("profile") == profile, pl.col("dataset") == dataset)
    if not rows.height:
        return None
    last = rows.sort("accepted_at", maintain_order=True).tail(1).row(0, named=True)
    return Acceptance(**{name: last[name] for name in Acceptance.__dataclass_fields__})


def baseline_of(part: RunPart) -> tuple[Acceptance, RunPart] | None:
    """Return what a run is compared with: the acceptance, and the accepted run; None where there is none yet.

    Raises
    ------
    BenchError
        When the accepted run has left the warehouse, or is damaged.
    """
    acceptance = accepted_for(part.warehouse, part.profile, part.dataset)
    if acceptance is None:
        return None
    with context(f"the accepted run {acceptance.run_id}"):
        accepted = {found.dataset: found for found in parts_of(part.warehouse, acceptance.run_id)}
    if part.dataset not in accepted:
        raise BenchError(f"the accepted run {acceptance.run_id} has no rows of {part.dataset} any more; accept another")
    return acceptance, accepted[part.dataset]

"""The nightly job: the profiles that a night can afford, one after the other, each held to its accepted run."""

from collections.abc import Sequence
from pathlib import Path

from prefect import flow
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from flows import environment
from flows.evaluate_memory import evaluate_memory
from flows.gate_commands import judge_and_record
from flows.publish import Published
from flows.run_config import load_config
from tasks.gate.gate import GateVerdict
from tasks.gate.words import accept_command, cell_rows, markdown, sentences
from tasks.records import BenchError

NIGHTLY = ("sample", "locomo", "nfcorpus")
"""NFCorpus is the negative control: no conversation, and suppression is known to hurt there (row N5)."""


@flow(name="nightly-regression")
def nightly_regression(
    profiles: tuple[str, ...] = NIGHTLY,
    mirror: Path | None = None,
    store: Path | None = None,
    settings: list[str] | None = None,
    accept_local: Path | None = None,
) -> list[Published]:
    """Evaluate each profile and hold it to its accepted run; finished work is taken from the store.

    A night computes only what changed. Every profile is evaluated and published, also after one that regressed. A
    profile without an accepted run passes, and its run is proposed.

    Parameters
    ----------
    profiles
        Names of files in `flows/profiles/`; all are checked before the first one runs.
    mirror, store, accept_local
        As for `evaluate_memory`.
    settings
        Overrides of every profile, each `key=value`.

    Returns
    -------
    list of Published
        One per profile, in order.

    Raises
    ------
    BenchError
        At the end, when a run regressed or cannot be compared: its sentence and its report.
    """
    for profile in profiles:
        load_config(profile, settings or [])
    published = [evaluate_memory(profile, settings, mirror, store, accept_local) for profile in profiles]
    verdicts = [judge_and_record(run.run_id, environment.store_root(store)) for run in published]
    for run, verdict in zip(published, verdicts, strict=True):
        show_in_prefect(run, verdict)
    fail_where_it_must(published, verdicts)
    return published


def show_in_prefect(run: Published, verdict: GateVerdict) -> None:
    """Add the verdict to the flow run: its Markdown with the place of the report, and the table of means that moved."""
    key = f"gate-{verdict.parts[0].part.profile}"
    create_markdown_artifact(f"{markdown(verdict)}\nReport: {run.report}\n", key=key, description=verdict.verdict)
    rows = [{"data set": part.part.dataset, **row} for part in verdict.parts for row in cell_rows(part)]
    if rows:
        create_table_artifact(rows, key=f"{key}-means", description="means that moved against the accepted run")


def fail_where_it_must(published: Sequence[Published], verdicts: Sequence[GateVerdict]) -> None:
    """Raise the sentences of all runs that regressed or are not comparable, each with its report and what to do."""
    told = [
        f"{run.run_id}: {verdict.verdict}. {' '.join(sentences(verdict))} Report: {run.report}. "
        f"If this is right, accept it: {accept_command(run.run_id)}"
        for run, verdict in zip(published, verdicts, strict=True)
        if verdict.exit_code
    ]
    if told:
        raise BenchError("\n".join(told))

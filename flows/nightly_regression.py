"""The nightly job: the profiles that a night can afford, one after the other."""

from pathlib import Path

from prefect import flow

from flows.evaluate_memory import evaluate_memory
from flows.publish import Published
from flows.run_config import load_config

NIGHTLY = ("sample", "locomo", "nfcorpus")
"""NFCorpus is the negative control: no conversation, and suppression is known to hurt there (row N5)."""


@flow(name="nightly-regression")
def nightly_regression(
    profiles: tuple[str, ...] = NIGHTLY, mirror: Path | None = None, store: Path | None = None
) -> list[Published]:
    """Evaluate each profile; finished work is taken from the store, so that a night computes only what changed.

    Parameters
    ----------
    profiles
        Names of files in `flows/profiles/`; all are checked before the first one runs.
    mirror, store
        As for `evaluate_memory`.

    Returns
    -------
    list of Published
        One per profile, in order.
    """
    for profile in profiles:
        load_config(profile)
    return [evaluate_memory(profile, None, mirror, store) for profile in profiles]

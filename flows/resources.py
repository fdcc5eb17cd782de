"""What a run needs of the machine, checked before any work."""

import shutil
from pathlib import Path

from flows.environment import store_root
from flows.run_config import RunConfig
from tasks.records import BenchError

MB = 2**20


def needed_mb(config: RunConfig) -> int:
    """Return the disk a cold run needs in its store, MB of 2**20 bytes, rounded up from measured runs."""
    models = 350  # two wheels while they are unpacked; 125 MB stay
    if config.dataset == "synthetic":
        return models + 20 + int(config.synthetic.n_turns // 200)
    return models + {"locomo": 120, "nfcorpus": 80}[config.dataset]


def check_room(config: RunConfig, store: Path | None) -> None:
    """Refuse to start where the disk is too small.

    Raises
    ------
    BenchError
        With what is free, what is needed, and what to do.
    """
    root = store_root(store).expanduser().absolute()
    place = next(folder for folder in (root, *root.parents) if folder.exists())
    free = shutil.disk_usage(place).free // MB
    if free < needed_mb(config):
        raise BenchError(
            f"the disk of the store {root} has {free:,} MB free; profile {config.profile} needs about "
            f"{needed_mb(config):,} MB when nothing is cached. Free some, or choose another folder with --store."
        )

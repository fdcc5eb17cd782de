"""Where a checkout keeps things, and Prefect's settings: set before Prefect is imported, never over the user's own."""

import os
from pathlib import Path

from tasks.files import CHECKOUT

VIEWS = CHECKOUT / "reports" / "views.sql"

_DEFAULTS = {
    "PREFECT_HOME": str(CHECKOUT / ".prefect"),
    # A flow started without a server (by Python, not by the command line) makes Prefect start one, which takes up to
    # 75 s on a cold machine; Prefect's own limit is 20.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # What goes wrong is said by the command line in words (or, if nobody foresaw it, by Python's own traceback);
    # Prefect would print a traceback of its own for each task and flow that it passes.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "DO_NOT_TRACK": "1",
    # Said outright, or the tokenizers warn when a process forks.
    "TOKENIZERS_PARALLELISM": "true",
}


def prepare() -> None:
    """Set the environment that Prefect reads when it is imported; what the user has set stays."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)


def store_root(chosen: Path | None) -> Path:
    """Return the store's root: the argument, else `MNEMOBENCH_STORE`, else `data/derived` of the checkout."""
    return chosen or Path(os.environ.get("MNEMOBENCH_STORE") or CHECKOUT / "data" / "derived")


def reports_root() -> Path:
    """Return where runs are published: `MNEMOBENCH_REPORTS`, else `reports` of the checkout."""
    return Path(os.environ.get("MNEMOBENCH_REPORTS") or CHECKOUT / "reports")


def prefect_home() -> Path:
    """Return where Prefect keeps its database and its references to results; `prepare` has set it."""
    return Path(os.environ["PREFECT_HOME"])


def mirror_root(chosen: Path | None) -> Path | None:
    """Return the mirror's root: the argument, else `MNEMOBENCH_MIRROR`, else none."""
    found = chosen or os.environ.get("MNEMOBENCH_MIRROR")
    return Path(found).expanduser().resolve() if found else None

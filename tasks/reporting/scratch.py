"""Hidden folders in which a publication is written before it gets its name, and what killed processes left of them."""

import os
import platform
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"\.(?P<run_id>.+)\.[0-9a-f]{8}-(?P<host>.+)-(?P<pid>[0-9]+)\.tmp")


def scratch_in(folder: Path, run_id: str) -> Path:
    """Return a hidden path in `folder` for work on a run, named after the process; it is not there yet."""
    return folder / f".{run_id}.{uuid.uuid4().hex[:8]}-{platform.node()}-{os.getpid()}.tmp"


def abandoned_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield (run id, path) of each hidden folder whose process was one of this machine and is gone."""
    for path in sorted(folder.glob(".*.tmp")):
        name = _NAME.fullmatch(path.name)
        if name and name["host"] == platform.node() and not _is_alive(int(name["pid"])):
            yield name["run_id"], path


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's process
    return True

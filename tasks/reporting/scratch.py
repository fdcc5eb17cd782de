"""Hidden folders in which a publication is written before it gets its name, and what killed processes left of them."""

import os
import platform
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.records import BenchError

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


@contextmanager
def report_folder(reports_root: Path, run_id: str) -> Iterator[Path]:
    """Give a hidden folder to write a report into; it gets its name, `<reports_root>/<run_id>`, when all is written.

    A report of the same run that is already there is replaced as a whole.

    Raises
    ------
    BenchError
        When the folder cannot be written; nothing is left then.
    """
    target, scratch = reports_root / run_id, scratch_in(reports_root, run_id)
    try:
        scratch.mkdir(parents=True)
        yield scratch
        _replace(scratch, target)
    except OSError as error:
        raise BenchError(
            f"cannot write the report to {target}: {error.strerror or error}. Finished work is kept: make room or the "
            "folder writable, or choose another one with MNEMOBENCH_REPORTS, and run the same command again."
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _replace(scratch: Path, target: Path) -> None:
    grave = scratch_in(scratch.parent, target.name)
    if target.exists():
        target.rename(grave)
    scratch.rename(target)
    shutil.rmtree(grave, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's process
    return True

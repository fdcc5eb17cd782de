"""A full disk, said in words: libraries say it in ways of their own, some without an error number."""

import errno
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tasks.records import BenchError

_SAID = re.compile(r"No space left|disk is full|Disk quota exceeded|^\d+ requested and \d+ written$")
"""Polars, pyarrow, safetensors and the system; SQLite; quotas; numpy."""
_NUMBERS = {errno.ENOSPC, errno.EDQUOT}
LITTLE_BYTES = 2**20


@contextmanager
def full_disk_in_words(places: Sequence[Path]) -> Iterator[None]:
    """Turn an error that comes from a full disk into one that a person can act on; see `explain`."""
    try:
        yield
    except BenchError:
        raise
    except Exception as error:
        said = explain(error, places)
        if said is None:
            raise
        raise BenchError(said) from error


def explain(error: BaseException, places: Sequence[Path]) -> str | None:
    """Return what a person reads when `error` comes from a full disk, None when it does not.

    Parameters
    ----------
    error
        What ended the run.
    places
        Folders that the run writes to, there or not. One whose disk has less than 1 MB left is full, whatever the error
        says: Prefect's server, for one, answers "500" then.
    """
    full = list(dict.fromkeys(place for place in places if _free_bytes(place) < LITTLE_BYTES))
    if not full and not any(map(_says_full, _chain(error))):
        return None
    where = " and ".join(map(str, full)) or f"one of {', '.join(map(str, places))}"
    said = " ".join(str(error).split())
    return (
        f"no space left on the disk of {where}. Finished work is kept: free some space, or choose other folders "
        f"(--store, MNEMOBENCH_REPORTS, PREFECT_HOME), and run the same command again. It was noticed by: {said:.200}"
    )


def _says_full(error: BaseException) -> bool:
    return (isinstance(error, OSError) and error.errno in _NUMBERS) or bool(_SAID.search(str(error)))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _free_bytes(place: Path) -> int:
    place = place.expanduser().absolute()
    return shutil.disk_usage(next(folder for folder in (place, *place.parents) if folder.exists())).free

"""One file over HTTP: retries with backoff, progress, size and hash checked, nothing half-written left behind."""

import hashlib
import time
from pathlib import Path

import httpx

from tasks.progress import Progress
from tasks.records import BenchError

ATTEMPTS = 5
FIRST_WAIT_S = 1.0
TIMEOUT_S = httpx.Timeout(30.0, connect=10.0)
WORTH_RETRYING = {408, 425, 429, 500, 502, 503, 504}
CHUNK_BYTES = 1 << 18


class _TransientError(Exception):
    """A failure that another attempt may cure."""


def download(url: str, sha256: str, n_bytes: int, target: Path, progress: Progress) -> None:
    """Fetch `url` into `target`, which appears only when its size and SHA-256 are as expected.

    A broken connection, a short body and a busy server are retried, waiting 1, 2, 4 and 8 seconds; nothing of a
    broken attempt is reused. A complete file with another hash stops at once: asking again would not change it.

    Raises
    ------
    BenchError
        When the server cannot be reached, refuses, or sends something else than expected (both hashes).
    """
    part = target.with_name(f".{target.name}.part")
    try:
        _retry(url, part, n_bytes, sha256, progress)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _retry(url: str, part: Path, n_bytes: int, sha256: str, progress: Progress) -> None:
    wait_s, reason = FIRST_WAIT_S, ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(wait_s)
            wait_s *= 2
        try:
            _attempt(url, part, n_bytes, sha256, progress)
            return
        except (_TransientError, httpx.TransportError) as error:
            reason = str(error) or type(error).__name__
    raise BenchError(
        f"could not fetch {url} in {ATTEMPTS} attempts: {reason}. Check the network, or give a folder that "
        "holds the file as <dataset>/<file> with --mirror DIR (or MNEMOBENCH_MIRROR)."
    )


def _attempt(url: str, part: Path, n_bytes: int, sha256: str, progress: Progress) -> None:
    digest, done = hashlib.sha256(), 0
    with httpx.stream("GET", url, follow_redirects=True, timeout=TIMEOUT_S) as response, part.open("wb") as file:
        _check_status(response, url)
        for chunk in response.iter_bytes(CHUNK_BYTES):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if done > n_bytes:
                break  # longer than expected: it cannot be the file, however much more comes
            progress(done, n_bytes, "bytes")
    if done < n_bytes:
        raise _TransientError(f"only {done:,} of {n_bytes:,} bytes came")
    check_hash(url, digest.hexdigest(), done, sha256, n_bytes)


def _check_status(response: httpx.Response, url: str) -> None:
    if response.status_code in WORTH_RETRYING:
        raise _TransientError(f"the server answered {response.status_code}")
    if response.status_code != 200:
        raise BenchError(
            f"could not fetch {url}: the server answered {response.status_code} {response.reason_phrase}. Give a "
            "folder that holds the file as <dataset>/<file> with --mirror DIR (or MNEMOBENCH_MIRROR)."
        )


def check_hash(what: str, came: str, came_bytes: int, expected: str, expected_bytes: int) -> None:
    """Raise `BenchError` showing both hashes and sizes unless they agree."""
    if came != expected:
        size = f"at least {came_bytes:,}" if came_bytes > expected_bytes else f"{came_bytes:,}"
        raise BenchError(
            f"{what} is not the expected file:\n  came      sha256 {came}, {size} bytes\n"
            f"  expected  sha256 {expected}, {expected_bytes:,} bytes\n"
            "It is truncated, damaged or another version. Delete it and fetch it again; to use it as it is, under "
            "its own hash, pass it with --accept-local."
        )

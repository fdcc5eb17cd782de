"""Files that are whole or absent, and their checksums."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
"""The root of the project's checkout."""


def json_digest(value: Any) -> str:
    """Return the SHA-256 of canonical JSON (sorted keys, no spaces), 64 hexadecimal digits.

    >>> json_digest({"b": 1, "a": 2}) == json_digest({"a": 2, "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_text(path: Path, text: str) -> None:
    """Write a text file under a temporary name, flush it to disk and rename it: readers see all of it or nothing."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with scratch.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)

"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Return the folder with the real dataset files, or skip: they may not be copied into the repository."""
    folder = Path(os.environ.get("MNEMOBENCH_TEST_MIRROR", CHECKOUT.parent / "shared" / "datasets"))
    if not (folder / "locomo" / "locomo10.json").is_file():
        pytest.skip(f"the mirror with the real datasets is absent: looked in {folder} (set MNEMOBENCH_TEST_MIRROR)")
    return folder

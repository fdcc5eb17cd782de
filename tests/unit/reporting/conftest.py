"""Fixtures of the reporting tests: a handmade run, and the report of it."""

from pathlib import Path

import pytest

from tasks.reporting.run_facts import RunFacts
from tests.unit.reporting.handmade import World, make_run, write_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "world")
    write_world(made)
    return made


@pytest.fixture(scope="session")
def report_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One report for all tests that only read it."""
    made = World(tmp_path_factory.mktemp("session") / "world")
    write_world(made)
    return made.report()


@pytest.fixture
def run_facts() -> RunFacts:
    return make_run()

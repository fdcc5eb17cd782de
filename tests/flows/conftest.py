"""The only place that starts Prefect's test harness."""

from collections.abc import Iterator

import pytest
from prefect.testing.utilities import prefect_test_harness

from tests.flows.crash_bench import Reference, shared_server


@pytest.fixture(scope="session")
def prefect_server() -> Iterator[None]:
    """Run flows against a temporary Prefect database."""
    with prefect_test_harness(server_startup_timeout=120):
        yield


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reference]:
    """Give an undisturbed run of the command line over a made-up conversation file, and a Prefect server to share."""
    with shared_server(tmp_path_factory.mktemp("prefect")) as api_url:
        yield Reference.make(tmp_path_factory.mktemp("undisturbed"), api_url)

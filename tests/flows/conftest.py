"""The only place that starts Prefect's test harness."""

from collections.abc import Iterator

import pytest
from prefect.testing.utilities import prefect_test_harness


@pytest.fixture(scope="session")
def prefect_server() -> Iterator[None]:
    """Run flows against a temporary Prefect database."""
    with prefect_test_harness(server_startup_timeout=120):
        yield

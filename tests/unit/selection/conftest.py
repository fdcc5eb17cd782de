"""Conversations of the tests of this stage."""

from pathlib import Path

import numpy as np
import pytest

from tests.unit.selection.talks import Talks


@pytest.fixture
def talks(tmp_path: Path) -> Talks:
    """Twelve questions of three conversations with random scores; gold is one session, or two for every fourth."""
    rng = np.random.default_rng(4)
    found = Talks(tmp_path, [0, 1, 2] * 4)
    found.write_corpus([[int(rng.integers(3))] if i % 4 else [0, 2] for i in range(12)])
    found.write_sessions(rng.random((12, 3)).tolist(), rng.random((12, 3)).tolist())
    return found

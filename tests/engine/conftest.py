"""What the engine's tests share: a root with a clock that only the test turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.logs import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """See `tests.engine.logs.Stage`."""
    with Stage(tmp_path) as stage:
        yield stage

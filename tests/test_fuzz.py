"""The targets of `make fuzz` take what they begin with, and inputs that were found once."""

from __future__ import annotations

import pytest

from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_targets_take_their_seeds(target: str) -> None:
    given = seeds(target, 10)
    assert given
    for data in given:
        TARGETS[target](data)

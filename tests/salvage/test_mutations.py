"""8,000 mutated logs through all that goes on after damage; by night a million (`tools.nightly`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.public import mutants
from tests.salvage import mutations


@pytest.mark.parametrize("count", [600, pytest.param(8_000, marks=pytest.mark.long)])
def test_mutated_logs(count: int, tmp_path: Path) -> None:
    assert mutations.write(tmp_path) > 40
    result = mutants.run(tmp_path, count, 7, 1, 900, mutations.__name__)
    assert not result.failures, "\n".join(result.failures)
    assert result.count == count and count / 50 < result.read_count < count / 2
    assert result.classes["save"] > count / 50

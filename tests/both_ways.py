"""Whatever a test builds the short way (`kformat.codec.writing`) is built by the builder, too, and has to be equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kformat.codec import building
from kformat.codec.writing import straight
from kformat.language.program import TypeProgram


@pytest.fixture(scope="module", autouse=True)
def both_ways() -> Iterator[None]:
    """For all tests of a module."""

    def checked(program: TypeProgram, obj: Any) -> bytes | None:
        data = straight(program, obj)
        assert data is None or data == building.computed(program, obj)
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "straight", checked)
        yield

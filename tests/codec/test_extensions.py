"""Other people's processes and types: registered by a call, or found by an entry point."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

import kformat
from kformat.codec import extensions
from kformat.errors import UsageError


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(extensions, "_processes", {})
    monkeypatch.setattr(extensions, "_types", {})
    extensions._load.cache_clear()
    yield
    extensions._load.cache_clear()


def test_a_registered_name_is_found_and_the_last_one_counts() -> None:
    kformat.register_process("a.b::c", bytes.upper)
    kformat.register_process("a.b::c", bytes.lower, bytes.upper)
    kformat.register_type("theirs", lambda stream: stream.read(1))
    assert extensions.process_of("a.b::c") == (bytes.lower, bytes.upper)
    assert extensions.opaque_type_of("theirs").write is None


@pytest.mark.parametrize("name", ["", "A", "a b", "a.", "__import__('os')", "a\n"])
def test_a_name_that_no_declaration_can_use(name: str) -> None:
    with pytest.raises(UsageError, match="is no name of a"):
        kformat.register_process(name, bytes.upper)
    with pytest.raises(UsageError, match="is no name of a"):
        kformat.register_type(name, bytes.upper)


def test_the_languages_own_processes_stay() -> None:
    with pytest.raises(UsageError, match="a part of the language"):
        kformat.register_process("zlib", bytes.upper)


def test_an_unknown_name_says_how_to_register_it() -> None:
    with pytest.raises(UsageError, match=r"kformat\.register_process\('none', decode, encode\)"):
        extensions.process_of("none")
    with pytest.raises(UsageError, match=r"kformat\.register_type\('none', read, write\)"):
        extensions.opaque_type_of("none")


def test_an_entry_point_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        def load(self) -> Any:
            return lambda: kformat.register_process("found", bytes.upper)

    asked: list[str] = []

    def entry_points(*, group: str) -> list[Entry]:
        asked.append(group)
        return [Entry()]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    assert extensions.process_of("found").decode(b"a") == b"A"
    with pytest.raises(UsageError):
        extensions.process_of("other")
    assert asked == ["kformat.extensions"]

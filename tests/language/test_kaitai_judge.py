"""Kaitai's own compiler as the judge of the language: our declarations, one or more per feature and per pair of
features that meet (`features/*.ksy`), compiled by it to Python, read the same bytes, sound and mutated.

Values are compared one by one, instances included; where one side refuses the bytes, so does the other. One difference
is on purpose: text that is no UTF-8 or ASCII is refused by Kaitai, and kept here (PEP 383). The bytes to read stand at
the head of each declaration.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kaitaistruct import KaitaiStruct

import kformat
from kformat.codec.reader import Reader
from kformat.codec.values import Value
from kformat.errors import DataError
from tests.draws import at_most
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import require

FEATURES = Path(__file__).parent / "features"
FILES = sorted(FEATURES.glob("*.ksy"))
MUTATIONS = 400
DEEPEST = 12


def inputs(path: Path) -> list[bytes]:
    """The bytes that a declaration is to read."""
    lines = path.read_text("utf-8").splitlines()
    return [bytes.fromhex(line.removeprefix("# in: ")) for line in lines if line.startswith("# in: ")]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], type[Any]]]:
    """Name -> the class that Kaitai's compiler makes of that declaration."""
    require(KAITAI)
    folder = tmp_path_factory.mktemp("kaitai")
    done = kaitai_compile(FILES, "python", folder, read_write=False)
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(folder))

    def module(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    def of(name: str) -> type[Any]:
        found: type[Any] = getattr(module(name), "".join(part.capitalize() for part in name.split("_")))
        return found

    yield of
    sys.path.remove(str(folder))


def plain(value: Any) -> Any:
    """What neither side has a class of its own for: enums as integers."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool | int | float | str | bytes | None):
        return value
    return bytes(value) if isinstance(value, bytearray | memoryview) else value


class Differs(AssertionError):
    """The two sides read another value."""


def compare(ours: Any, other: Any, path: str) -> None:
    """Go through both trees, by the names that the declaration has; Differs names the first place.

    Positions may lead in circles, which neither side sees before it is asked: so not deeper than `DEEPEST`.
    """
    if path.count(".") > DEEPEST:
        return
    if isinstance(ours, Value):
        if not isinstance(other, KaitaiStruct):
            raise Differs(f"{path}: {ours!r:.60} and {other!r:.60}")
        for name in (*ours._fields, *ours._instances):
            here, there = asked(ours, name), asked(other, name)
            if isinstance(there, UnicodeDecodeError):
                continue
            if isinstance(here, Exception) != isinstance(there, Exception):
                raise Differs(f"{path}.{name}: {here!r:.100} and {there!r:.100}")
            if not isinstance(here, Exception):
                compare(here, there, f"{path}.{name}")
    elif isinstance(ours, list | tuple):
        if not isinstance(other, list | bytes) or len(ours) != len(other):
            raise Differs(f"{path}: {len(ours)} elements and {other!r:.60}")
        for number, (here, there) in enumerate(zip(ours, other, strict=True)):
            compare(here, there, f"{path}[{number}]")
    elif not isinstance(ours, Reader):
        here, there = plain(ours), plain(other)
        both_are_nan = here != here and there != there
        if not both_are_nan and (here != there or isinstance(here, bytes) != isinstance(there, bytes)):
            raise Differs(f"{path}: {here!r:.60} and {there!r:.60}")


def asked(value: Any, name: str) -> Any:
    """An attribute; the error where it cannot be read; None where Kaitai has none (an `if` that is false)."""
    try:
        return getattr(value, name)
    except AttributeError:
        return None
    except Exception as error:
        return error


def made(kind: type[Any], data: bytes) -> Any:
    """What Kaitai's class reads; one with ``ks-debug`` waits to be told."""
    value = kind.from_bytes(data)
    if hasattr(value, "_debug"):
        value._read()
    return value


def read(read_it: Callable[[], Any]) -> Any:
    try:
        return read_it()
    except Exception as error:
        return error


def compared(path: Path, data: bytes, kind: type[Any]) -> str | None:
    """In what the two sides differ about some bytes; None where they do not."""
    ours = read(lambda: kformat.parse(path, data, trailing="keep"))
    other = read(lambda: made(kind, data))
    if isinstance(ours, Exception) and not isinstance(ours, DataError):
        return f"{type(ours).__name__}, no error of ours: {ours}"
    if isinstance(ours, Exception) or isinstance(other, Exception):
        if isinstance(other, UnicodeDecodeError) or (isinstance(ours, Exception) and isinstance(other, Exception)):
            return None
        return f"ours: {ours!r:.200}; theirs: {other!r:.200}"
    try:
        compare(ours, other, path.stem)
    except Differs as error:
        return str(error)
    return None


@pytest.mark.judge
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kaitai_reads_the_same(path: Path, theirs: Callable[[str], type[Any]]) -> None:
    kind = theirs(path.stem)
    assert inputs(path), "no bytes to read"
    for data in inputs(path):
        assert compared(path, data, kind) is None, data.hex()


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, or the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    return bytes(changed[: chance.randint(0, len(changed))] if chance.random() < 0.3 else changed)


@pytest.mark.judge
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kaitai_reads_mutated_bytes_the_same(path: Path, theirs: Callable[[str], type[Any]]) -> None:
    kind, chance = theirs(path.stem), random.Random(path.stem)
    for number in range(at_most(MUTATIONS)):
        data = mutated(inputs(path)[number % len(inputs(path))], chance)
        assert compared(path, data, kind) is None, data.hex()

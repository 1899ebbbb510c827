"""Trees of kformat and of the Python classes that Kaitai's compiler makes, compared value by value.

Instances are included. Where one side refuses the bytes, so must the other, and an instance that one side cannot read,
the other cannot read either. What may differ nevertheless, a caller says (`Known`).
"""

from __future__ import annotations

import importlib.util
import linecache
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from kaitaistruct import KaitaiStruct

import kformat
from kformat.codec.reader import Reader
from kformat.codec.values import Value
from kformat.errors import DataError
from tests.judges.kaitai import kaitai_compile

DEEPEST = 12

_SCALARS = frozenset({int, bool, str, bytes})

Known = Callable[[Any, Any], bool]
"""Whether what the two sides have in one place, values or the errors of reading them, is a difference on purpose."""


def bytes_are_text(ours: Any, other: Any) -> bool:
    """Text that is no UTF-8 or ASCII is refused by Kaitai, and kept here (PEP 383)."""
    return isinstance(other, UnicodeDecodeError)


def compile_all(files: Sequence[Path], folder: Path) -> None:
    """Have Kaitai's compiler write its Python classes for declarations into a folder."""
    done = kaitai_compile(files, "python", folder, read_write=False)
    lines = done.stderr.splitlines()
    errors = [": ".join(lines[index - 1 : index + 1]) for index, line in enumerate(lines) if "error:" in line]
    assert done.returncode == 0, errors or done.stderr


def class_of(name: str, folder: Path) -> type[Any]:
    """The class that Kaitai's compiler made of a declaration, where its folder is on `sys.path`."""
    found: type[Any] = getattr(_module(name, folder), "".join(part.capitalize() for part in name.split("_")))
    return found


def _module(name: str, folder: Path) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def plain(value: Any) -> Any:
    """What neither side has a class of its own for: enums as integers."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool | int | float | str | bytes | None):
        return value
    return bytes(value) if isinstance(value, bytearray | memoryview) else value


def shown(value: Any) -> str:
    """A value in a message."""
    try:
        return f"{value!r:.100}"
    except ValueError:  # Python does not write integers of thousands of digits
        return f"an integer of {value.bit_length():,} bits"


class Differs(AssertionError):
    """The two sides read another value."""


def compare(
    ours: Any,
    other: Any,
    path: str,
    known: Known = bytes_are_text,
    chance: random.Random | None = None,
    left_out: frozenset[str] = frozenset(),
) -> None:
    """Go through both trees, by the names that the declaration has; Differs names the first place.

    Both are asked in the same order: as declared, a structure's parts before what follows it, or as ``chance`` has it.
    What names in ``left_out`` are is asked, and may differ: what is asked after one that does, may follow from it, and
    is not compared.
    Positions may lead in circles, which neither side sees before it is asked: so not deeper than `DEEPEST`.
    """
    places = list(_places(ours, other, path, known))[::-1]
    while places:
        if chance is not None:
            index = chance.randrange(len(places))
            places[index], places[-1] = places[-1], places[index]
        value, theirs, name, path = places.pop()
        here, there = asked(value, name), asked(theirs, name)
        if name in left_out:
            if not same_fields(here, there):
                return
            continue
        if type(here) in _SCALARS and type(here) is type(there) and here == there:
            continue
        if isinstance(here, Exception) and not isinstance(here, DataError):
            raise Differs(f"{path}.{name}: {type(here).__name__}, no error of ours: {here}")
        if isinstance(here, Exception) or isinstance(there, Exception):
            if isinstance(here, Exception) != isinstance(there, Exception) and not known(here, there):
                raise Differs(f"{path}.{name}: {shown(here)} and {shown(there)}")
        else:
            places += list(_places(here, there, f"{path}.{name}", known))[::-1]


def same_fields(ours: Any, other: Any) -> bool:
    """Whether two values have the same fields, of which none has to be read."""
    if isinstance(ours, Exception) or isinstance(other, Exception):
        return isinstance(ours, Exception) and isinstance(other, Exception)
    if isinstance(ours, Value):
        return isinstance(other, KaitaiStruct) and all(
            same_fields(getattr(ours, name), asked(other, name)) for name in ours._fields
        )
    if isinstance(ours, list):
        return isinstance(other, list) and len(ours) == len(other) and all(map(same_fields, ours, other))
    return bool(plain(ours) == plain(other))


def _places(ours: Any, other: Any, path: str, known: Known) -> Iterator[tuple[Value, KaitaiStruct, str, str]]:
    """The attributes of two values that are still to be asked: each the two values, its name and their path; Differs if
    the values are of two kinds, or not equal.
    """
    if path.count(".") > DEEPEST:
        return
    if isinstance(ours, Value):
        if not isinstance(other, KaitaiStruct):
            raise Differs(f"{path}: {ours!r:.60} and {other!r:.60}")
        for name in (*ours._fields, *ours._instances):
            yield ours, other, name, path
    elif isinstance(ours, list | tuple):
        if isinstance(other, list) and len(ours) != len(other) and known(ours, other):
            ours = [item for item in ours if item is not None]
        if not isinstance(other, list | bytes) or len(ours) != len(other):
            raise Differs(f"{path}: {len(ours)} elements and {other!r:.60}")
        for number, (here, there) in enumerate(zip(ours, other, strict=True)):
            if type(here) not in _SCALARS or type(here) is not type(there) or here != there:
                yield from _places(here, there, f"{path}[{number}]", known)
    elif not isinstance(ours, Reader):
        here, there = plain(ours), plain(other)
        both_are_nan = here != here and there != there
        if not both_are_nan and (here != there or isinstance(here, bytes) != isinstance(there, bytes)):
            raise Differs(f"{path}: {shown(here)} and {shown(there)}")


def asked(value: Any, name: str) -> Any:
    """An attribute; the error where it cannot be read; None where Kaitai has none (an `if` that is false)."""
    try:
        return getattr(value, name)
    except AttributeError as error:
        is_instance = name in value._instances if isinstance(value, Value) else hasattr(type(value), name)
        return forgotten(error) if is_instance else None
    except Exception as error:
        return forgotten(error)


def forgotten(error: Exception) -> Exception:
    """The same error, as if nobody had asked. Kaitai's classes keep what they read of a list before it failed, and give
    that as the whole of an instance when it is asked for again: it is deleted. And they leave the stream where it was
    when it failed: it goes back.
    """
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        owner, around = frame.f_locals.get("self"), frame.f_locals.get("_pos")
        if isinstance(owner, KaitaiStruct):
            vars(owner).pop(f"_m_{frame.f_code.co_name}", None)
            if around is not None and ".seek(" not in linecache.getline(frame.f_code.co_filename, line):
                frame.f_locals.get("io", owner._io).seek(around)
    return error


def made(kind: type[Any], data: bytes) -> Any:
    """What Kaitai's class reads; one with ``ks-debug`` waits to be told."""
    value = kind.from_bytes(data)
    if hasattr(value, "_debug"):
        value._read()
    return value


def read(read_it: Callable[[], Any]) -> Any:
    """What is read, or the error."""
    try:
        return read_it()
    except Exception as error:
        return error


@dataclass(frozen=True)
class Compared:
    """``is_read``: whether kformat takes the bytes; ``difference``: where Kaitai's class differs; None: nowhere."""

    is_read: bool
    difference: str | None = None


def compared(
    declaration: Any,
    data: bytes,
    kind: type[Any],
    known: Known = bytes_are_text,
    trailing: Literal["error", "keep"] = "keep",
    chance: random.Random | None = None,
) -> Compared:
    """What the two sides make of some bytes. ``declaration`` is loaded, ``trailing`` as in `kformat.parse`, ``chance``
    as in `compare`.
    """
    ours = read(lambda: kformat.parse(declaration, data, trailing=trailing))
    other = read(lambda: made(kind, data))
    is_read = not isinstance(ours, Exception)
    if not is_read and not isinstance(ours, DataError):
        return Compared(is_read, f"{type(ours).__name__}, no error of ours: {ours}")
    if isinstance(ours, Exception) or isinstance(other, Exception):
        if (isinstance(ours, Exception) and isinstance(other, Exception)) or known(ours, other):
            return Compared(is_read)
        return Compared(is_read, f"ours: {ours!r:.200}; theirs: {other!r:.200}")
    try:
        compare(ours, other, ours._type.label, known, chance)
    except Differs as error:
        return Compared(is_read, str(error))
    return Compared(is_read)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, or the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    return bytes(changed[: chance.randint(0, len(changed))] if chance.random() < 0.3 else changed)

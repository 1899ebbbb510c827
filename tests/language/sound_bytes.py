"""Bytes that a declaration reads, found by what the class of Kaitai's compiler complains about.

What begins as zeros, small numbers or digits gets the bytes that a rule asks for, and more where it ends too early. It
takes seconds for a file of some fields, and finds nothing where numbers depend on each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from kaitaistruct import (
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStruct,
    KaitaiStructError,
    NoTerminatorFoundError,
    ValidationFailedError,
    ValidationNotEqualError,
)

from tests.language.beside_kaitai import asked, made, read

MOST_BYTES: Final = 8000
_STEPS: Final = 60
_FEW: Final = (0, 0, 0, 0, 1, 1, 2, 3, 4, 8, 16, 32, 65)


def sound_bytes(kind: type[Any], attempts: int, seed: int = 1) -> list[bytes]:
    """Different bytes that a class reads, at most twice as many as attempts: with instances that it cannot read, and
    with fewer of these.
    """
    chance, found = random.Random(seed), list[bytes]()
    for number in range(attempts):
        data = bytearray(chance.choices(((0,), _FEW, b"0")[number % 3], k=chance.choice((16, 64, 512))))
        good = [*_sound(kind, data, chance)]
        found += [one for one in dict.fromkeys((*good[:1], *good[-1:])) if one not in found]
    return found


def _sound(kind: type[Any], data: bytearray, chance: random.Random) -> Iterator[bytes]:
    """What is read of all that the bytes become."""
    for _ in range(_STEPS):
        value = read(lambda: made(kind, bytes(data)))
        if not isinstance(value, Exception):
            yield bytes(data)
            value = next(_broken(value, 0), None)
        if value is None or len(data) > MOST_BYTES or not _mended(data, value, chance):
            return


def _broken(value: Any, depth: int) -> Iterator[Exception]:
    """The errors of instances that cannot be read, of a value and some in it."""
    if isinstance(value, list):
        for item in value[:8]:
            yield from _broken(item, depth)
    if not isinstance(value, KaitaiStruct) or depth > 3:
        return
    fields = [name for name in vars(value) if not name.startswith("_")]
    for name in (*fields, *(name for name, what in vars(type(value)).items() if isinstance(what, property))):
        found = asked(value, name)
        if isinstance(found, KaitaiStructError):
            yield found
        yield from _broken(found, depth + 1)


def _mended(data: bytearray, error: Exception, chance: random.Random) -> bool:
    """Whether the bytes were changed as an error asks for."""
    match error:
        case EndOfStreamError():
            data += bytes(chance.choices(_FEW, k=chance.choice((8, 64, len(data)))))
            return True
        case NoTerminatorFoundError():
            data += bytes(16) + error.term
            return True
        case ValidationNotEqualError():
            return _put(data, error, error.expected)
        case InvalidArgumentError() if data:
            data[chance.randrange(min(len(data), 64))] = chance.choice((0, 1, 8, 16, 255, chance.randrange(256)))
            return True
        case ValidationFailedError() if data:
            position = min(error.io.pos(), len(data)) - 1
            data[max(position - chance.randrange(2), 0)] = chance.choice((*_FEW, chance.randrange(256)))
            return True
    return False


def _put(data: bytearray, error: Any, wanted: Any) -> bool:
    """Write what a rule wants in place of what was read: just before the stream's position, or where it is found."""
    one = wanted if isinstance(wanted, bytes | int) else getattr(wanted, "value", None)
    was = error.actual if isinstance(error.actual, bytes | int) else getattr(error.actual, "value", None)
    if isinstance(one, bytes) and isinstance(was, bytes):
        forms = [(was, one)]
    elif isinstance(one, int) and isinstance(was, int):
        signed = min(one, was) < 0
        sizes = [size for size in (1, 2, 4, 8) if max(abs(one), abs(was)) < 1 << 8 * size - signed]
        orders: tuple[Any, Any] = ("little", "big")
        forms = [
            (was.to_bytes(size, order, signed=signed), one.to_bytes(size, order, signed=signed))
            for size in sizes[::-1]
            for order in orders
        ]
    else:
        return False
    for before, after in forms:
        end = error.io.pos()
        if data[end - len(before) : end] == before:
            data[end - len(before) : end] = after
            return True
    for before, after in forms[:1]:
        at = data.find(before)
        if at >= 0 and before != after:
            data[at : at + len(before)] = after
            return True
    return False

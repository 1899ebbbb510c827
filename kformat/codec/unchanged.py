"""The bytes of a value that was read and not changed: those that it was read from.

A builder has to find out what streams will answer while it writes. An unchanged value needs none of that: its bytes are
read again, and if they give the value, they are its bytes.
"""

from __future__ import annotations

from typing import Any

from kformat.codec.parsing import read_value
from kformat.codec.reader import Reader
from kformat.codec.values import CONTENT, MISSING, REST, Value, plain
from kformat.errors import DataError
from kformat.language.program import TypeProgram


def unchanged(program: TypeProgram, value: object) -> bytes | None:
    """The bytes of the stream that a value was read from; None if they are not its alone, or it has changed."""
    if not isinstance(value, Value) or value._type != program or program.parameters:
        return None
    reader = getattr(value, "_io", None)
    if not isinstance(reader, Reader):
        return None
    data = bytes(reader.data[reader.base : reader.limit])
    trailing, limit = reader.state.trailing, reader.inflate_limit
    try:
        stream = Reader(data, source=reader.source, raw=reader.raw, trailing=trailing, inflate_limit=limit)
        return data if _are_same(value, read_value(program, stream)) else None
    except (DataError, RecursionError):
        return None


def _are_same(value: Value, other: Value) -> bool:
    """Whether a value equals another that was just read, whose instances are read as far as the value has them."""
    holders = _same_fields(value, other)
    while holders:
        here, there = holders.pop()
        for instance in here._type.instances:
            name = instance.field.name
            if instance.value is None and name in here.__dict__:
                inner = _same_instance(here, there, name)
                if inner is None:
                    return False
                holders += inner
    return holders is not None


def _same_instance(here: Value, there: Value, name: str) -> list[tuple[Value, Value]] | None:
    """As `_same_fields`, for an instance that is read from bytes."""
    content = here.__dict__[name]
    if content is there.__dict__.get(name) and there is not here:
        return _same_fields(content, content)
    if there is here:
        again = here.__dict__.pop(name), here._io.state.reread  # type: ignore[attr-defined]
    try:
        return _same_fields(content, getattr(there, name))
    except DataError:
        return None
    finally:
        if there is here:
            here.__dict__[name], here._io.state.reread = again  # type: ignore[attr-defined]


def _lend(here: Value, there: Value) -> None:
    """Give a value that was just read the answers of streams to the original value. It also gets instances that are as
    they were read, but may be read otherwise by now.
    """
    said: dict[str, dict[Any, Any]] = getattr(here, "_said", {})
    if there is not here:
        object.__setattr__(there, "_said", {**getattr(there, "_said", {}), **said})
        for name, answers in said.items():
            content = here.__dict__.get(name, MISSING)
            if CONTENT in answers and name not in there.__dict__ and plain(content) == answers[CONTENT]:
                there.__dict__[name] = content


def _same_fields(value: Any, other: Any) -> list[tuple[Value, Value]] | None:
    """Pairs of the structures with instances in a value and in the other, whose streams will answer as before; None if
    the two do not have the same fields.
    """
    pairs: list[tuple[Any, Any]] = [(value, other)]
    holders: list[tuple[Value, Value]] = []
    while pairs:
        here, there = pairs.pop()
        if isinstance(here, Value):
            if type(here) is not type(there) or getattr(here, REST, None) != getattr(there, REST, None):
                return None
            pairs += [(getattr(here, name, MISSING), getattr(there, name, MISSING)) for name in here._fields]
            if here._instances and here.__dict__:
                _lend(here, there)
                holders.append((here, there))
        elif isinstance(here, list):
            if type(there) is not list or len(here) != len(there):
                return None
            pairs += zip(here, there, strict=True)
        elif here is not there and (type(here) is not type(there) or here != there):
            return None
    return holders

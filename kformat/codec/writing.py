"""Generated writers, compiled when first used.

`straight` gives the bytes of a parsed value, or of one that is as complete, if nothing in it has to be computed: every
field is there, and lengths, counts, checksums, keys of switches and rules agree. Then a builder would write the same
bytes, many times as slowly. In any other case it gives None, and the builder computes, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from kformat.codec.values import MISSING, REST, Value, held
from kformat.codec.writer import GeneratedWriter, Others, computer_source, placer_source, writer_source
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.runtime import NAMES, UNFIT, Out, OutputStream, Unfit, finish
from kformat.language.program import TypeProgram


def straight(program: TypeProgram, value: Any) -> bytes | None:
    """The bytes of a complete value; None if a builder has to look at it."""
    if not isinstance(value, Value) or program.parameters or program.growing:
        return None
    stream = OutputStream(Out())
    stream.value = value
    try:
        writer_of(program)(value, stream.out, stream, None, None, None)
        rest = getattr(value, REST, b"")
        if type(rest) is not bytes or (rest and type_needs_stream(program)):
            return None
        stream.out += rest
        finish(stream)
        stream.out.is_at_end()
    except UNFIT:
        return None
    return bytes(stream.out)


@lru_cache(maxsize=4096)
def writer_of(program: TypeProgram) -> Callable[..., None]:
    """``write(value, out, stream, parent, root, little_endian, *arguments)``, which appends to a bytearray: the
    stream's. That is None where nothing in the type asks for it.
    """
    return _compiled(program, lambda: writer_source(program, _OTHERS), "write")


@lru_cache(maxsize=4096)
def placer_of(program: TypeProgram, name: str) -> Callable[..., None]:
    """``place(value, output, stream, root, little_endian)`` puts what an instance has at its position."""
    return _compiled(program, lambda: placer_source(program, _OTHERS, name), "place")


@lru_cache(maxsize=4096)
def computer_of(program: TypeProgram, name: str) -> Callable[..., Any]:
    """``compute(value)``: what a computed instance is now."""
    return _compiled(program, lambda: computer_source(program, _OTHERS, name), "compute")


_OTHERS: Final = Others(writer_of, placer_of)


def _compiled(program: TypeProgram, emit: Callable[[], GeneratedWriter], name: str) -> Callable[..., Any]:
    try:
        text, values = emit()
    except Unfit:
        return _unfit
    values |= NAMES
    values["of_"] = _of
    exec(compile(text, f"<writer of {program.label}>", "exec"), values)
    made: Callable[..., Any] = values[name]
    return made


def _unfit(*_: Any) -> None:
    raise Unfit


def _of(owner: Any, name: str) -> Any:
    """An attribute of another structure; an instance is computed again."""
    if isinstance(owner, Value) and name in owner._instances:
        found = held(owner, name)
        return computer_of(owner._type, name)(owner) if found is MISSING or name not in _read(owner._type) else found
    return getattr(owner, name)


@lru_cache(maxsize=1024)
def _read(program: TypeProgram) -> frozenset[str]:
    """The instances that are read from bytes."""
    return frozenset(item.field.name for item in program.instances if item.value is None)

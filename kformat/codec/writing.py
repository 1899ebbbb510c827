"""Generated writers, compiled when first used.

`straight` writes a parsed value, or one that is as complete, if nothing in it has to be computed: all fields are set,
and lengths, counts, checksums, keys of switches and rules agree. A builder would write the same bytes, many times as
slowly. In any other case it returns None, and the builder computes what is missing, or reports what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from kformat.codec.unfit import Unfit, unfit
from kformat.codec.values import MISSING, REST, Value, held
from kformat.codec.writer import GeneratedWriter, Others, computer_source, placer_source, rows_source, writer_source
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.runtime import NAMES, UNFIT, Out, OutputStream, Settle, finish
from kformat.language.program import TypeProgram


def straight(program: TypeProgram, value: Any, settle: Settle = unfit) -> bytes | None:
    """The bytes of a complete value; None if a builder has to look at it. ``settle`` gets what is another length, count
    or checksum.
    """
    if not isinstance(value, Value) or program.parameters or program.growing:
        return None
    stream = OutputStream(Out(settle))
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
    """The function ``write(value, out, stream, parent, root, little_endian, *arguments)``, which appends to the
    bytearray of the stream. ``stream`` is None where nothing in the type asks for it.
    """
    return _compiled(program, lambda: writer_source(program, _OTHERS), "write")


@lru_cache(maxsize=4096)
def placer_of(program: TypeProgram, name: str) -> Callable[..., None]:
    """The function ``place(value, output, stream, root, little_endian)``: writes an instance at its position."""
    return _compiled(program, lambda: placer_source(program, _OTHERS, name), "place")


@lru_cache(maxsize=4096)
def computer_of(program: TypeProgram, name: str) -> Callable[..., Any]:
    """The function ``compute(value)``: the present value of a computed instance."""
    return _compiled(program, lambda: computer_source(program, _OTHERS, name), "compute")


@lru_cache(maxsize=256)
def rows_writer(
    program: TypeProgram, fields: tuple[str, ...] | None = None
) -> Callable[[Iterable[tuple[Any, ...]]], list[bytes]]:
    """A function from tuples of fields to the bytes of each value; it computes lengths and counts.

    Args:
        fields: those in the tuples; by default all that are not computed. Of the others, integers have their constant
            ``-derive``, and lists are empty.

    It takes integers (only int), bytes (only bytes, and None where a negative length says so), text (str), and for a
    list of a type tuples of all its fields that are not computed. It raises `Unfit`, or any Python exception, for
    anything else, and for every value of a type that only a builder writes: then use `build`.

    Raises UsageError for a field that the type does not have.
    """
    known = tuple(field.name for field in program.fields if not (field.computed or field.raw))
    names = known if fields is None else tuple(program.field(name).name for name in fields)
    return _compiled(program, lambda: rows_source(program, _OTHERS, names), "rows")


_OTHERS: Final = Others(writer_of, placer_of, rows_writer)


def _compiled(program: TypeProgram, emit: Callable[[], GeneratedWriter], name: str) -> Callable[..., Any]:
    if any(field.positions is not None for field in program.fields):
        return unfit
    try:
        text, values = emit()
    except Unfit:
        return unfit
    values |= NAMES
    values["of_"] = _of
    exec(compile(text, f"<writer of {program.label}>", "exec"), values)
    made: Callable[..., Any] = values[name]
    return made


def _of(owner: Any, name: str) -> Any:
    """An attribute of another structure; an instance is computed again."""
    if isinstance(owner, Value) and name in owner._instances:
        value = held(owner, name)
        return computer_of(owner._type, name)(owner) if value is MISSING or name not in _read(owner._type) else value
    return getattr(owner, name)


@lru_cache(maxsize=1024)
def _read(program: TypeProgram) -> frozenset[str]:
    """The instances that are read from bytes."""
    return frozenset(item.field.name for item in program.instances if item.value is None)


__all__ = ["rows_writer"]

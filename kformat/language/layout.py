"""Program -> positions, sizes and numpy dtypes. Outside the compiler, only this module computes byte positions.

Examples: ``layout("record_batch").header_dtype`` is a whole header as columns, ``.reader("batch_length")`` reads one
integer from a buffer, ``.bits("attributes")`` splits an integer into bit fields, ``.rows()`` is a table to print.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from kformat.errors import UsageError
from kformat.integers import MAX_INT32
from kformat.language.checksums import stored_checksum
from kformat.language.expression import Expression, constant
from kformat.language.node import Node
from kformat.language.program import (
    Align,
    BitField,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    load_type,
)
from kformat.language.steps import known_size

_INTEGER_CODES: Final = {8: "bB", 16: "hH", 32: "iI", 64: "qQ"}
_FLOAT_CODES: Final = {32: "f", 64: "d"}
_MAX_DTYPE_BYTES: Final = MAX_INT32
"""numpy's own limit."""


def struct_format(step: Step) -> str | None:
    """The `struct` format of a fixed-size number, byte order included; None for anything else."""
    match step:
        case ReadInteger():
            code = _INTEGER_CODES[step.kind.bits][0 if step.kind.signed else 1]
            return ("<" if step.little_endian else ">") + code
        case ReadFloat():
            return ("<" if step.little_endian else ">") + _FLOAT_CODES[step.bits]
        case ReadBits() if step.size in (1, 2, 4, 8):
            return ">" + _INTEGER_CODES[step.size * 8][1]
    return None


def packed(step: ReadInteger, value: int) -> bytes:
    """The bytes of an integer; struct.error if it does not fit."""
    number = struct_format(step)
    assert number is not None
    return struct.pack(number, value)


def _numpy_type(step: Step) -> Any:
    """The numpy type of a fixed-size field; None for the others."""
    if step.condition is not None or getattr(step, "by_type", False):
        return None
    if isinstance(step, ReadBytes) and (step.trim is not None or step.process is not None):
        return None
    number = struct_format(step)
    if number is not None:
        return np.dtype(number)
    match step:
        case ReadBytes() if step.size is not None and step.size.is_constant:
            if not 0 < step.size.value <= _MAX_DTYPE_BYTES:
                return None
            return np.dtype(f"S{step.size.value}") if step.encoding else np.dtype(f"V{step.size.value}")
        case ReadLiteral():
            return np.dtype(f"V{len(step.contents)}")
        case ReadBits():
            return np.dtype(f"V{step.size}")
        case ReadType() if not step.arguments and not step.type.is_recursive:
            inner = layout(step.type)
            return inner.dtype if inner.is_fixed else None
        case ReadList() if step.count is not None and step.count.is_constant and step.count.value > 0:
            element = _numpy_type(step.element)
            if element is None or np.dtype(element).itemsize * step.count.value > _MAX_DTYPE_BYTES:
                return None
            return element, (step.count.value,)
    return None


class Covered(NamedTuple):
    """What a checksum covers.

    Attributes:
        algorithm: its canonical name. stored: the field that holds it.
        first, last: the fields that it covers; ``last`` is "" if it goes on to the end of the type.
        over: the expression whose value it covers instead, or "". condition: when the field holds a checksum, or "".
    """

    algorithm: str
    stored: str
    first: str
    last: str
    over: str = ""
    condition: str = ""

    def __str__(self) -> str:
        covered = self.first if self.first == self.last else f"{self.first} to {self.last or 'the end'}"
        return f"{self.algorithm} of {self.over or covered}" + f", if {self.condition}" * bool(self.condition)


_NO_FIELD: Final = Align | Check | CheckEnd | Checksum


class LayoutRow(Node):
    """One line of a table: ``position`` and ``size`` in bytes, or None if they depend on the data.

    ``size_text`` explains the size; ``depth`` counts the enclosing structures within the type.
    """

    name: str
    position: int | None
    size: int | None
    size_text: str
    type_text: str
    depth: int
    step: Step


class Layout:
    """Positions and sizes of one type's fields."""

    def __init__(self, program: TypeProgram) -> None:
        self.type = program

    @cached_property
    def _prefix(self) -> tuple[tuple[str, int, np.dtype[Any]], ...]:
        """(name, position, numpy type) of the fields before the first of variable size."""
        if self.type.bits:
            bits = sum(bit.width for bit in self.type.bits)
            return (("", 0, np.dtype(f">u{bits // 8}" if bits // 8 in (1, 2, 4, 8) else f"V{bits // 8}")),)
        columns, position = [], 0
        for step in self.type.steps:
            if isinstance(step, _NO_FIELD):
                continue
            kind = _numpy_type(step)
            if kind is None:
                break
            dtype = np.dtype(kind)
            if position + dtype.itemsize > _MAX_DTYPE_BYTES:
                break
            columns.append((step.name, position, dtype))
            position += dtype.itemsize
        return tuple(columns)

    @property
    def is_fixed(self) -> bool:
        """Whether every value of the type takes the same number of bytes."""
        return bool(self.type.bits) or (bool(self._reads) and len(self._prefix) == len(self._reads))

    @cached_property
    def _reads(self) -> list[Step]:
        """The steps that take bytes."""
        return [step for step in self.type.steps if not isinstance(step, _NO_FIELD)]

    @property
    def size(self) -> int:
        """Bytes of a value of a fixed-size type; UsageError for the others."""
        return int(self.dtype.itemsize)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The packed structured dtype of a fixed-size type, in the declared byte order; UsageError for the others."""
        if not self.is_fixed:
            raise UsageError(f"{self.type.name} has no fixed size, so no dtype; header_dtype covers its fixed fields")
        return self.header_dtype

    @cached_property
    def header_dtype(self) -> np.dtype[Any]:
        """The packed dtype of the longest run of fixed-size fields at the start; a structure of bits is one integer."""
        return np.dtype([(name or self.type.label, kind) for name, _, kind in self._prefix])

    @cached_property
    def one_size(self) -> int | None:
        """The bytes of each value; None if they differ."""
        sizes = self.extent
        if sizes is None or not all(size.is_constant for size in sizes):
            return None
        return sum(int(size.value) for size in sizes)

    @cached_property
    def extent(self) -> tuple[Expression, ...] | None:
        """The bytes of each field, as expressions over integers of the structure, and of structures in it, that come
        before; None if they do not say how many bytes a value takes.
        """
        if self.is_fixed:
            return (constant(self.size),)
        names, sizes = set[tuple[str, ...]](), list[Expression]()
        for step in self._reads:
            size, kind = known_size(step, names), _numpy_type(step)
            if size is None and kind is None:
                return None
            sizes.append(constant(np.dtype(kind).itemsize) if size is None else size)
            if isinstance(step, ReadInteger) and step.condition is None:
                names.add((step.name,))
            elif isinstance(step, ReadType) and step.condition is None:
                inner = (
                    field for field in step.type.steps if isinstance(field, ReadInteger) and field.condition is None
                )
                names |= {(step.name, field.name) for field in inner}
        return tuple(sizes)

    def position(self, name: str) -> int:
        """Bytes from the start of the type to a field; UsageError if it depends on the data."""
        end = 0
        for known, position, kind in self._prefix:
            if known == name:
                return position
            end = position + kind.itemsize
        if not self.type.bits and any(step.name == name for step in self._reads[len(self._prefix) :][:1]):
            return end  # the first field of variable size still has a fixed position
        self.type.field(name)
        raise UsageError(f"the position of {self.type.name}.{name} depends on the data")

    def end(self, name: str) -> int:
        """Bytes from the start of the type to the first byte after a field; UsageError as `position`."""
        return self.position(name) + int(self.header_dtype[name].itemsize)

    def reader(self, name: str) -> Callable[[Any, int], int]:
        """A function (buffer, position of the structure) -> the integer in that field, without bounds checks.

        It raises struct.error beyond the buffer's end, so callers check sizes first.
        """
        unpack, offset = struct.Struct(self._number(name)).unpack_from, self.position(name)
        return lambda buffer, position: unpack(buffer, position + offset)[0]

    def unpacker(self, *names: str) -> struct.Struct:
        """A function that reads these fields at once if they are adjacent; UsageError unless all are fixed-size numbers
        of one byte order.
        """
        numbers = [self._number(name) for name in names]
        if len({number[0] for number in numbers}) != 1:
            raise UsageError(f"{', '.join(names)} of {self.type.name} have no byte order in common")
        return struct.Struct(numbers[0][0] + "".join(number[1:] for number in numbers))

    def _number(self, name: str) -> str:
        """The `struct` format of a field; UsageError if it is not a fixed-size number."""
        step = next((step for step in self.type.steps if step.name == name), None)
        number = None if step is None else struct_format(step)
        if number is None:
            self.type.field(name)
            raise UsageError(f"{self.type.name}.{name} is not a fixed-size number")
        return number

    def writer(self, name: str) -> Callable[[Any, int, int], None]:
        """A function (writable buffer, position of the structure, integer) that writes the integer to that field.

        It raises struct.error beyond the buffer's end and for values out of range, so callers check first. It does not
        update the structure's checksum.
        """
        number, offset = self._number(name), self.position(name)
        pack = struct.Struct(number).pack_into
        return lambda buffer, position, value: pack(buffer, position + offset, value)

    def mend(self, buffer: Any, start: int = 0, end: int | None = None) -> None:
        """Write the right checksum into the structure from ``start`` to ``end`` in a writable buffer.

        UsageError if the type declares none.
        """
        sum_of, covered, put = self._mending
        with memoryview(buffer) as view, view[start + covered : end] as bytes_covered:
            computed = sum_of(bytes_covered)
        put(buffer, start, computed)

    @cached_property
    def _mending(self) -> tuple[Callable[[Any], int], int, Callable[[Any, int, int], None]]:
        _, name, covered = self.checksum()
        step = next(step for step in self.type.steps if isinstance(step, Checksum))
        return stored_checksum(self.type, step).of_value, covered, self.writer(name)

    def bits(self, name: str) -> dict[str, BitField]:
        """The bit fields of an integer field by name; UsageError if the field is not a structure of bits."""
        for step in self.type.steps:
            if isinstance(step, ReadBits) and step.name == name:
                return {bit.name: bit for bit in step.bits}
        self.type.field(name)
        raise UsageError(f"{self.type.name}.{name} is not a structure of bits")

    def bit_readers(self, name: str) -> dict[str, Callable[[Any], Any]]:
        """The bit fields as functions that read them from an integer, or from each integer in an array."""
        return {
            bit.name: lambda word, shift=bit.shift, mask=bit.mask: word >> shift & mask  # type: ignore[misc]
            for bit in self.bits(name).values()
        }

    def checksum(self) -> tuple[str, str, int]:
        """Algorithm, name of the field that stores the checksum, position of the first byte it covers; it covers the
        rest.

        UsageError if the type declares none of this kind.
        """
        for index, step in enumerate(self.type.steps):
            if isinstance(step, Checksum) and not step.part:
                return step.algorithm, step.name, self.position(self.type.steps[index + 1].name)
        raise UsageError(f"{self.type.name} has no checksum")

    @cached_property
    def covered(self) -> tuple[Covered, ...]:
        """What the checksums of the type cover, in the order of the bytes."""
        made: dict[str, Covered] = {}
        for index, step in enumerate(self.type.steps):
            if not isinstance(step, Checksum):
                continue
            if step.part == "over":
                made[step.path] = Covered(step.algorithm, step.path, "", "", str(step.over))
            if step.part in ("check", "over"):
                condition = "" if step.condition is None else str(step.condition)
                made[step.path] = made[step.path]._replace(condition=condition)
            elif step.part == "to":
                last = next(before for before in reversed(self.type.steps[:index]) if not isinstance(before, _NO_FIELD))
                made[step.path] = made[step.path]._replace(last=last.name)
            else:
                first = next(after for after in self.type.steps[index:] if not isinstance(after, _NO_FIELD))
                made[step.path] = Covered(step.algorithm, step.path, first.name, "")
        return tuple(made.values())

    def rows(self) -> Iterator[LayoutRow]:
        """All fields in order, including those of inlined structures, with position and size if known."""
        if self.type.bits:
            bits = sum(bit.width for bit in self.type.bits)
            for bit in self.type.bits:
                first = (bits - bit.shift - bit.width) // 8
                plural = "s" if bit.width > 1 else ""
                yield LayoutRow(
                    bit.name,
                    first,
                    None,
                    f"{bit.width} bit{plural}",
                    f"b{bit.width}",
                    0,
                    self.type.steps[0] if self.type.steps else Step(name=bit.name),
                )
            return
        yield from _rows(self.type.steps, 0, 0)


def rows_of(steps: Iterable[Step]) -> Iterator[LayoutRow]:
    """The rows of an instance's steps, which are read somewhere else."""
    return _rows(steps, None, 0)


def _rows(steps: Iterable[Step], position: int | None, depth: int) -> Iterator[LayoutRow]:
    for step in steps:
        if isinstance(step, _NO_FIELD):
            continue
        kind = _numpy_type(step)
        size = None if kind is None else int(np.dtype(kind).itemsize)
        yield LayoutRow(step.name, position, size, _size_text(step, size), _type_text(step), depth, step)
        if isinstance(step, Window):
            inner_start = position if step.codec is None else None
            yield from _rows(step.steps, inner_start, depth + 1)
        position = None if position is None or size is None else position + size


def _size_text(step: Step, size: int | None) -> str:
    if size is not None:
        return str(size)
    match step:
        case ReadVarint():
            return f"1-{step.max_bytes}"
        case ReadBit():
            return f"{step.width} bit" + "s" * (step.width > 1)
        case ReadBytes() | Window() if step.trim is not None and step.trim.delimited:
            return f"up to {(step.trim.terminator or b'').hex()}"
        case ReadBytes() | Window():
            return "the rest" if step.size is None else str(step.size)
        case ReadList():
            until = "the rest" if step.until is None else f"until {step.until}"
            return until if step.count is None else f"{step.count} times"
        case ReadInteger() | ReadFloat() | ReadBits():  # with a condition; otherwise the size would be known
            size = (
                step.size
                if isinstance(step, ReadBits)
                else (step.kind.bits if isinstance(step, ReadInteger) else step.bits) // 8
            )
            return f"{size} or 0" if step.condition is not None else str(size)
        case ReadLiteral():
            return f"{len(step.contents)} or 0" if step.condition is not None else str(len(step.contents))
        case ReadSwitch():
            sizes = {
                _size_text(inner, None) for case in step.cases for inner in case.steps if not isinstance(inner, Align)
            }
            sizes -= {"0"}
            if len(sizes) == 1 and all(case.steps for case in step.cases):  # that of the field
                return sizes.pop()
    return "its own"


_MOST_KINDS: Final = 3
"""A switch of more types is described by their number."""


def _type_text(step: Step) -> str:
    match step:
        case ReadInteger():
            return str(step.kind) + (" le" if step.little_endian and step.kind.bits > 8 else "")
        case ReadFloat():
            return f"float{step.bits}" + (" le" if step.little_endian else "")
        case ReadVarint():
            return f"{'varint' if step.zigzag else 'unsigned varint'}, {step.kind}"
        case ReadBits() | ReadType():
            return step.type.label
        case ReadBytes():
            processed = "" if step.process is None else f", by {step.process.name}"
            return ("text" if step.encoding else "bytes") + processed
        case ReadLiteral():
            return "contents"
        case ReadList():
            return f"list of {content_text(step.element)}"
        case Window():
            return "bytes" if step.codec is None else f"bytes, compressed by {step.codec}"
        case ReadBit():
            return f"b{step.width}" + (" le" if step.little_endian else "")
        case ReadOpaque():
            return step.type_name
        case ReadSwitch():
            steps = [inner for case in step.cases for inner in case.steps]
            texts = [content_text(inner) for inner in steps if not isinstance(inner, Align | Check)]
            kinds = list(dict.fromkeys(texts))
            which = f"one of {len(step.cases)} types" if len(kinds) > _MOST_KINDS else " or ".join(kinds) or "nothing"
            return f"{which}, by {step.on}"
    raise AssertionError(step)


def cases_of(step: ReadSwitch) -> list[tuple[str, str]]:
    """The cases of a switch: the value ("": any other), and what is read then."""
    cases = []
    for case in step.cases:
        kinds = [content_text(inner) for inner in case.steps if not isinstance(inner, Align | Check)]
        cases.append(("" if case.value is None else str(case.value), " ".join(kinds) or "nothing"))
    return cases


def content_text(step: Step) -> str:
    """The type of what is in a window of one value; of any other step, its type."""
    content = [inner for inner in step.steps if inner.name == step.name] if isinstance(step, Window) else []
    if not isinstance(step, Window) or step.codec is not None or not content:
        return _type_text(step)
    return _type_text(content[0]) + ("" if step.process is None else f", by {step.process.name}")


@lru_cache(maxsize=256)
def _layout(program: TypeProgram) -> Layout:
    return Layout(program)


def layout(format: Any) -> Layout:
    """The layout of a type: by the name of a shipped format, ``format::type``, a ``.ksy`` path, or a TypeProgram.

    Raises what `program.load_type` raises.
    """
    return _layout(load_type(format))


__all__ = ["layout"]

"""Program -> construct objects: the reference parser and builder.

`construct_of` gives a `construct.Construct` for any declared type; most callers need only `parse` and `build`. Numbers
use construct's own classes, varints a class in `reader`; this module adds three:

    Structure  runs a type's steps in order
    Window     a limit on the bytes, or a compressed payload
    Items      a list: counted, or to the end

They share one `Reader` with limits instead of nested streams, so positions are always absolute. Inside a compressed
payload a position is a pair: the start of the outermost structure, and the position in the decompressed bytes. An error
carries the indexed path (``record_batch.records[3].headers[0].key``) and, as `partial`, the value with all that was
read before it.

Parsing is strict: bytes that a declaration forbids are errors, and so are left-over bytes. Building computes all
lengths, counts and checksums, fills missing fields by their ``-derive``, and checks what it writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import construct

from kformat.codec.building import encode
from kformat.codec.reader import Reader, Varint, number
from kformat.codec.values import Value, enum_values, value_class
from kformat.errors import ChecksumError, DataError, InvalidError, UsageError, join_path
from kformat.language.expression import EvaluationError, compile_expression
from kformat.language.program import (
    Check,
    CheckEnd,
    Checksum,
    Enum,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    load_type,
)
from kformat.language.program import Window as WindowStep
from kformat.storage.checksum import ALGORITHMS
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

Run = Callable[["Reader", Any], None]
"""A step of the parser: takes bytes from the reader, sets attributes of the value."""


def _run(steps: Iterable[tuple[str, Run]], reader: Reader, value: Any) -> None:
    name = ""
    if reader.observer is not None:
        steps = reader.observer.watch(steps, reader, value)
    try:
        for name, run in steps:  # noqa: B007 (read in the except clauses)
            run(reader, value)
    except DataError as error:
        if name:
            error.path = join_path(name, error.path)
        raise
    except EvaluationError as error:
        raise reader.fail(InvalidError, str(error), reader.position, path=name) from None


# --- the construct classes -----------------------------------------------------------------------------------------


class Items(construct.Construct):
    """A list: ``count`` computes the number of elements from the enclosing value; None reads to the end."""

    def __init__(self, element: Callable[[Reader, Any, list[Any]], None], count: Callable[[Any], int] | None) -> None:
        super().__init__()
        self.element, self.count = element, count

    def into(self, reader: Reader, value: Any, items: list[Any]) -> None:
        """Parse into ``items``, so that they keep the elements before an error."""
        element, index = self.element, 0
        count = None if self.count is None else self.count(value)
        if count is not None and count < 0:
            message = "a negative number of elements"
            raise reader.fail(InvalidError, message, reader.position, expected=">= 0", found=count)
        try:
            if count is None:
                while reader.position < reader.limit:
                    reader.admit()
                    element(reader, value, items)
                    index += 1
            else:
                for index in range(count):  # noqa: B007 (read in the except clause)
                    reader.admit()
                    element(reader, value, items)
        except DataError as error:
            error.path = join_path(f"[{index}]", error.path)
            raise

    def _parse(self, stream: Reader, context: Any, path: str) -> list[Any]:
        items: list[Any] = []
        self.into(stream, context, items)
        return items


class Window(construct.Construct):
    """Steps within a number of bytes; with a codec, within the decompressed bytes."""

    def __init__(self, step: WindowStep, steps: tuple[tuple[str, Run], ...]) -> None:
        super().__init__()
        self.step, self.steps = step, steps
        self.size = None if step.size is None else compile_expression(step.size)
        self.codec = None if step.codec is None else compile_expression(step.codec)
        self.magic = None if step.magic is None else compile_expression(step.magic)

    def _parse(self, stream: Reader, context: Any, path: str) -> Any:
        reader, value, start, limit = stream, context, stream.position, stream.limit
        try:
            size = limit - start if self.size is None else self.size(value)
            codec = 0 if self.codec is None else self.codec(value)
            magic = None if self.magic is None else self.magic(value)
        except EvaluationError as error:
            raise reader.fail(InvalidError, str(error), start, path=self.step.name) from None
        if size < 0:
            raise reader.fail(InvalidError, "a negative size", start, path=self.step.name, expected=">= 0", found=size)
        cut = start + size > limit
        if cut and (codec or not reader.end_is_cut):
            raise self.short(reader, size)
        if codec and reader.raw:
            setattr(value, self.step.name, reader.read(size))
            return value
        if codec:
            inner = reader.inflate(codec, size, self.step.name, magic)
            _run(self.steps, inner, value)
            if inner.position < inner.limit:
                raise _leftover(inner, self.step.name)
            return value
        was_cut = reader.end_is_cut
        if not cut:
            reader.limit, reader.end_is_cut = start + size, False
        _run(self.steps, reader, value)
        if cut:  # all declared fields were there, but not all of the announced bytes
            raise self.short(reader, start + size - reader.position)
        if reader.position < reader.limit:
            raise _leftover(reader, self.step.name)
        reader.position, reader.limit, reader.end_is_cut = start + size, limit, was_cut
        return value

    def short(self, reader: Reader, size: int) -> DataError:
        error = reader.short(size)
        error.path = self.step.name
        return error


def _leftover(reader: Reader, path: str, partial: Value | None = None) -> DataError:
    found = f"{reader.limit - reader.position} bytes"
    message = "bytes are left over"
    return reader.fail(
        InvalidError, message, reader.position, path=path, expected="the end", found=found, partial=partial
    )


class Structure(construct.Construct):
    """A declared type. ``parse`` gives a `values.Value`; ``build`` takes one, a mapping, or any similar object."""

    def __init__(self, program: TypeProgram) -> None:
        super().__init__()
        self.program = program
        self.value_class = value_class(program)
        self.steps = _bit_steps(program) if program.bits else _compile_steps(program.steps)

    def read(self, reader: Reader) -> Value:
        """Parse one value; errors get this type's label as path prefix, and the partial value."""
        value = self.value_class.__new__(self.value_class)
        try:
            _run(self.steps, reader, value)
        except DataError as error:
            error.path = join_path(self.program.label, error.path)
            error.partial = value
            raise
        return value

    def _parse(self, stream: Any, context: Any, path: str) -> Value:
        if isinstance(stream, Reader):
            return self.read(stream)
        start = stream.tell()
        reader = Reader(stream.read(), origin=start)
        value = self.read(reader)
        stream.seek(start + reader.position)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        data = encode(self.program, obj)
        construct.stream_write(stream, data, len(data), path)
        return obj


@lru_cache(maxsize=256)
def _structure(program: TypeProgram) -> Structure:
    return Structure(program)


def construct_of(format: Any) -> Structure:
    """A construct.Construct of a type, for use alone or inside other constructs.

    ``format`` is a shipped name, ``format::type``, a ``.ksy`` path or a Declaration; raises as `program.load_type`, and
    UsageError for a type with parameters, which can only be read inside other types.
    """
    return _structure(_independent(load_type(format)))


def _independent(program: TypeProgram) -> TypeProgram:
    if program.parameters:
        needed = ", ".join(program.parameters)
        raise UsageError(f"{program.name} has parameters ({needed}) and is read as a part of other types only")
    return program


# --- steps of a parser ---------------------------------------------------------------------------------------------


def _compile_steps(steps: Iterable[Step]) -> tuple[tuple[str, Run], ...]:
    """The runs of some steps, each with the name that it adds to an error's path ("" if the run adds it itself)."""
    found: list[tuple[str, Run]] = []
    at_end: list[tuple[str, Run]] = []
    sums = {step.name for step in steps if isinstance(step, Checksum)}
    for step in steps:
        if isinstance(step, Check) and found and found[-1][0] == step.name:
            found[-1] = (step.name, _checked(found[-1][1], step))
            continue
        if isinstance(step, Checksum):
            run, last = _checksum(step)
            if last is not None:
                at_end.append((step.name, last))
        else:
            run = _compile_step(step)
        if step.name in sums and isinstance(step, ReadInteger):
            run = _with_position(step.name, run)
        found.append(("" if isinstance(step, WindowStep) else step.name, _conditional(step, run)))
    return (*found, *at_end)


def _conditional(step: Step, run: Run) -> Run:
    if step.condition is None:
        return run
    condition, name = compile_expression(step.condition), step.name
    outside = not isinstance(step, WindowStep)  # then the caller of the step adds the name to the path
    sets = not isinstance(step, CheckEnd | Checksum)

    def conditional(reader: Reader, value: Any) -> None:
        try:
            wanted = condition(value)
        except EvaluationError as error:
            raise reader.fail(InvalidError, str(error), reader.position, path="" if outside else name) from None
        if wanted:
            run(reader, value)
        elif sets:
            setattr(value, name, None)

    return conditional


def _with_position(name: str, run: Run) -> Run:
    """Remember the position of a stored checksum, for the mismatch error."""

    def marked(reader: Reader, value: Any) -> None:
        reader.marks[id(value), "field", name] = reader.position
        run(reader, value)

    return marked


def _compile_step(step: Step) -> Run:
    name = step.name
    match step:
        case ReadInteger() | ReadFloat():
            return _read_number(name, _fixed(step), getattr(step, "enum", None))
        case ReadVarint():
            return _read_number(name, _varint(step), step.enum)
        case ReadBytes():
            return _read_bytes(step)
        case ReadLiteral():
            return _read_literal(step)
        case ReadBits():
            return _read_bits(step)
        case ReadType():
            return _read_type(step)
        case ReadList():
            return _read_list(step)
        case WindowStep():
            window = Window(step, _compile_steps(step.steps))

            def enter(reader: Reader, value: Any) -> None:
                window._parse(reader, value, "")

            return enter
        case CheckEnd():
            return _check_end
    raise AssertionError(step)


def _fixed(step: Step) -> Callable[[Reader], Any]:
    """A fixed-size number; reads its bytes first, because construct wraps a stream's errors in its own."""
    subcon = number(step)
    size, parse = subcon.sizeof(), subcon._parse

    def read(reader: Reader) -> Any:
        if reader.position + size > reader.limit:
            raise reader.short(size)
        return parse(reader, None, "")

    return read


def _varint(step: ReadVarint) -> Callable[[Reader], Any]:
    parse = Varint(step.max_bytes, step.zigzag, step.kind.bits)._parse
    return lambda reader: parse(reader, None, "")


def _read_number(name: str, parse: Callable[[Reader], Any], enum: Enum | None) -> Run:
    if enum is None:

        def read(reader: Reader, value: Any) -> None:
            setattr(value, name, parse(reader))

        return read
    members = enum_values(enum)

    def read_enum(reader: Reader, value: Any) -> None:
        found = parse(reader)
        setattr(value, name, members.get(found, found))

    return read_enum


def _read_bytes(step: ReadBytes) -> Run:
    name = step.name
    size_of = None if step.size is None else compile_expression(step.size)
    text = step.encoding is not None

    def read(reader: Reader, value: Any) -> None:
        size = reader.limit - reader.position if size_of is None else size_of(value)
        if size < 0:
            raise reader.fail(InvalidError, "a negative size", reader.position, expected=">= 0", found=size)
        data = reader.read(size)
        # Bytes that are not UTF-8 become lone surrogates, so that the builder can restore them.
        setattr(value, name, data.decode("utf-8", "surrogateescape") if text else data)

    return read


def _read_literal(step: ReadLiteral) -> Run:
    name, contents = step.name, step.contents

    def read(reader: Reader, value: Any) -> None:
        start = reader.position
        found = reader.read(len(contents))
        if found != contents:
            raise reader.fail(
                InvalidError, "not the contents declared", start, expected=contents.hex(), found=found.hex()
            )
        setattr(value, name, found)

    return read


def _read_bits(step: ReadBits) -> Run:
    name, parse, make = step.name, _fixed(step), value_class(step.type)
    fields = [(bit.name, bit.shift, bit.mask, enum_values(bit.enum) if bit.enum else {}) for bit in step.bits]
    checks = [_rule(check) for check in step.type.steps if isinstance(check, Check)]

    def read(reader: Reader, value: Any) -> None:
        start = reader.position
        whole = parse(reader)
        bits = make.__new__(make)
        for field, shift, mask, members in fields:
            part = whole >> shift & mask
            setattr(bits, field, members.get(part, part))
        setattr(value, name, bits)
        for check in checks:
            check(reader, bits, start, True)

    return read


def _bit_steps(program: TypeProgram) -> tuple[tuple[str, Run], ...]:
    """A type of bits parsed by itself, like a field of that type."""
    size = sum(bit.width for bit in program.bits) // 8
    read = _read_bits(ReadBits(name="bits", size=size, bits=program.bits, type=program))

    class Holder:
        bits: Any

    def run(reader: Reader, value: Any) -> None:
        holder = Holder()
        try:
            read(reader, holder)
        finally:
            for name in program.fields if hasattr(holder, "bits") else ():
                setattr(value, name.name, getattr(holder.bits, name.name))

    return (("", run),)


def _new_type(step: ReadType) -> tuple[Callable[[Any], Value], Structure]:
    structure = _structure(step.type)
    make = structure.value_class
    arguments = [(name, compile_expression(node)) for name, node in step.arguments]

    def new(value: Any) -> Value:
        child = make.__new__(make)
        for name, argument in arguments:
            setattr(child, name, argument(value))
        return child

    return new, structure


def _read_type(step: ReadType) -> Run:
    name = step.name
    new, structure = _new_type(step)
    steps = structure.steps

    def read(reader: Reader, value: Any) -> None:
        child = new(value)
        setattr(value, name, child)
        _run(steps, reader, child)

    return read


def _read_list(step: ReadList) -> Run:
    name = step.name
    items = Items(_element(step.element), None if step.count is None else compile_expression(step.count))

    def read(reader: Reader, value: Any) -> None:
        found: list[Any] = []
        setattr(value, name, found)
        items.into(reader, value, found)

    return read


class _Slot:
    """Replaces the enclosing value if a list's elements are numbers, bytes or bits."""

    __slots__ = ("_element", "_outer")

    def __init__(self, outer: Any) -> None:
        self._outer = outer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outer, name)


def _element(step: Step) -> Callable[[Reader, Any, list[Any]], None]:
    if isinstance(step, ReadType):
        new, structure = _new_type(step)
        steps = structure.steps

        def read_value(reader: Reader, value: Any, items: list[Any]) -> None:
            child = new(value)
            items.append(child)
            _run(steps, reader, child)

        return read_value
    run = _compile_step(replace(step, name="_element"))  # no declared name begins with an underscore
    steps = (("", run),)

    def read_scalar(reader: Reader, value: Any, items: list[Any]) -> None:
        slot = _Slot(value)
        _run(steps, reader, slot)
        items.append(slot._element)

    return read_scalar


def _rule(step: Check) -> Callable[[Reader, Any, int, bool], None]:
    rule = None if step.rule is None else compile_expression(step.rule)
    name, allowed = step.name, step.allowed

    def check(reader: Reader, value: Any, start: int, named: bool) -> None:
        found = getattr(value, name)
        if (found in allowed) if rule is None else rule(value):
            return
        path, shown = name if named else "", _shown(found)
        raise reader.fail(
            InvalidError, "a value that is not allowed", start, path=path, expected=step.expected, found=shown
        )

    return check


def _shown(value: Any) -> Any:
    """Text as a literal: it may contain unprintable characters."""
    return int(value) if isinstance(value, int) else repr(value)


def _checked(run: Run, step: Check) -> Run:
    """A read with the check that follows it, so that an error can report the value's position."""
    check = _rule(step)
    condition = None if step.condition is None else compile_expression(step.condition)

    def read_and_check(reader: Reader, value: Any) -> None:
        start = reader.position
        run(reader, value)
        if condition is None or condition(value):
            check(reader, value, start, False)

    return read_and_check


def _check_end(reader: Reader, value: Any) -> None:
    # If the limit is the end of a truncated file, the window around reports it.
    if reader.position < reader.limit:
        raise _leftover(reader, "")


def _checksum(step: Checksum) -> tuple[Run, Run | None]:
    """Verifies a checksum: at its step, before the bytes it covers are read, if their end is known; else at the type's
    end.

    The end is known if lengths read so far determine it, or if the type fills its window, unless that window ends only
    because the file is truncated.
    """
    name, algorithm = step.name, ALGORITHMS[step.algorithm]
    length = None if step.length is None else compile_expression(step.length)

    def verify(reader: Reader, value: Any, start: int, end: int) -> None:
        position = reader.marks.pop((id(value), "field", name))
        if not reader.checksums:
            return
        computed, stored, error = algorithm(reader.data[start:end]), getattr(value, name), None
        if computed != stored:
            first = start + (0 if reader.outer is not None else reader.origin)
            covered = f"{step.algorithm} of bytes {first} to {first + end - start - 1} differs"
            error = reader.fail(ChecksumError, covered, position, expected=f"{computed:08x}", found=f"{stored:08x}")
        if reader.observer is not None:
            reader.observer.verified(name, error)
        elif error is not None:
            raise error

    def at_step(reader: Reader, value: Any) -> None:
        if length is not None:
            end = reader.position + length(value)
            if reader.position <= end <= reader.limit:  # else the fields after it report the end of the bytes
                verify(reader, value, reader.position, end)
        elif step.to_limit and not reader.end_is_cut:
            verify(reader, value, reader.position, reader.limit)
        else:
            reader.marks[id(value), "start", name] = reader.position

    def at_end(reader: Reader, value: Any) -> None:
        start = reader.marks.pop((id(value), "start", name), None)
        if start is not None:
            verify(reader, value, start, reader.position)

    return at_step, None if length is not None else at_end


# --- public functions ------------------------------------------------------------------------------------------------


def iterate(format: Any, reader: Reader, count: int | None, path: str, first: int = 0) -> Iterator[Value]:
    """Parse ``count`` consecutive values lazily, and check that nothing follows them.

    ``count`` is None to read to the end; ``first`` is the first value's index in its list; ``path`` is the list's
    (``record_batch.records``).

    Values and errors are those of a list of that type inside a structure, but the values are not all in memory at once.

    Raises DataError as `parse`; its `partial` is the incomplete element.
    """
    structure = construct_of(format)
    make, steps, room = structure.value_class, structure.steps, reader.room
    for index in itertools.count(first) if count is None else range(first, first + count):
        if count is None and reader.position >= reader.limit:
            return
        reader.room = room  # yielded values no longer count
        value = make.__new__(make)
        try:
            _run(steps, reader, value)
        except DataError as error:
            error.path, error.partial = join_path(f"{path}[{index}]", error.path), value
            raise
        yield value
    if reader.position < reader.limit:
        raise _leftover(reader, path)


def parse_prefix(
    format: Any,
    data: Any,
    position: int = 0,
    *,
    source: str = "<bytes>",
    origin: int = 0,
    checksums: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    raw: bool = False,
) -> tuple[Value, int]:
    """Parse one value that other bytes may follow: ``(value, position after it)``.

    Args:
        format: see `construct_of`.
        data: any buffer of bytes. ``position`` is where to begin, ``origin`` the absolute position of its first byte in
            ``source``, for errors.
        checksums: False ignores wrong checksums.
        inflate_limit: the most bytes of all decompressed payloads in the value together.

    Raises:
        DataError: a subclass for the kind of error; it holds source, position, path and the partial value.
    """
    reader = Reader(
        data,
        source=source,
        origin=origin,
        start=position,
        checksums=checksums,
        inflate_limit=inflate_limit,
        raw=raw,
    )
    value = construct_of(format).read(reader)
    return value, reader.position


def parse(
    format: Any,
    data: Any,
    *,
    source: str = "<bytes>",
    position: int = 0,
    checksums: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    raw: bool = False,
) -> Value:
    """Parse bytes that hold exactly one value.

    Args:
        format: a shipped name (``"record_batch"``), one of its types (``"control_record::leader_change"``), the path of
            a ``.ksy`` file, or a Declaration.
        data: any buffer of bytes: all of it is the value.
        source, position: the name of the source and the data's position in it, for errors.
        checksums: False ignores wrong checksums.
        inflate_limit: the most bytes of all decompressed payloads in the value together; 128 MiB by default. An element
            of a list in a payload counts as 64 bytes.
        raw: do not decompress payloads. The attribute named like the declared payload (``record_batch.payload``) holds
            the compressed bytes, its fields are missing, and `build` writes the same bytes again.

    Returns:
        An object with the declared names as attributes. Compressed payloads are decompressed and parsed like plain
        ones.

    Raises:
        TruncatedError, InvalidError, ChecksumError, CompressionError, LimitError: the bytes are wrong.
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    reader = Reader(data, source=source, origin=position, checksums=checksums, inflate_limit=inflate_limit, raw=raw)
    structure = construct_of(format)
    value = structure.read(reader)
    if reader.position < reader.limit:
        raise _leftover(reader, structure.program.label, value)
    return value


def build(format: Any, obj: Any) -> bytes:
    """Build the bytes of a value.

    Lengths, counts and checksums are always computed, even if the object has them; missing fields with a ``-derive``
    are derived. The result of `parse`, uncompressed and with shortest varints, gives the same bytes again; compressed
    payloads hold the same records, but maybe not the same bytes.

    Args:
        format: as for `parse`.
        obj: a parsed value, a mapping, or any object with the declared names as attributes; members of enums may be
            given by name (``{"compression": "gzip"}``).

    Raises:
        BuildError: with the path of the field that is missing, unknown, of the wrong type, or not allowed.
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    return encode(_independent(load_type(format)), obj)

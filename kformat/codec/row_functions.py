"""Generated Python functions for a declared type: encode many values at once, or decode only some columns of them.

The codec makes an object of every value and checks everything, which is slow for millions of values of one small type.
The source of these functions is generated from the steps of the type's program, specialized for the type, and compiled
once.

Rules:

* Results are the codec's. `RefusedError` means that the fast path does not apply, without a reason: the caller then
  uses the codec, which either raises an error with path and position, or accepts the input.
* A type with features unknown to the generator (conditions on other fields, bits, compressed windows) is a UsageError.
  Generated code comes only from a declaration and this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from kformat.codec.reader import Varint
from kformat.errors import UsageError
from kformat.language.expression import Expression, inverse
from kformat.language.layout import packed
from kformat.language.program import (
    Check,
    CheckEnd,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    load_type,
)

_TABLE_ENTRIES: Final = 1 << 16
"""Most varints in a table; without a limit it would grow forever."""


class RefusedError(Exception):
    """The fast path does not apply; use the codec."""


def _unknown(program: TypeProgram, what: object) -> UsageError:
    return UsageError(f"{program.name}: no function can be generated for {what}")


# --- to bytes ------------------------------------------------------------------------------------------------------


class _Varints(dict[int, bytes]):
    """An integer -> the constant bytes before it, and its varint; RefusedError if it does not fit."""

    def __init__(self, step: ReadVarint, prefix: bytes) -> None:
        super().__init__()
        self._varint, self._kind, self._prefix = Varint(step.max_bytes, step.zigzag, step.kind.bits), step.kind, prefix

    def __missing__(self, value: int) -> bytes:
        if not self._kind.low <= value <= self._kind.high:
            raise RefusedError
        found = self._prefix + self._varint.encode(value)
        if len(self) < _TABLE_ENTRIES:
            self[value] = found
        return found


RowWriter = Callable[[Iterable[tuple[Any, ...]]], list[bytes]]


@lru_cache(maxsize=64)
def row_writer(format: Any, given: tuple[str, ...] | None = None) -> RowWriter:
    """A function from tuples of fields to the bytes of all these values, as pieces to join.

    Args:
        format: as for `kformat.build`.
        given: the fields in the tuples; by default all that are not computed. Of the others, lists are empty, and
            integers have their constant ``-derive``.

    The function takes integers (only int), bytes (only bytes), text (str), and for a list of a type tuples of all its
    fields that are not computed. It raises RefusedError, or any Python exception, for anything else: then use `build`.

    Raises UsageError for a type that the generator does not support; also the exceptions of `load_type`.
    """
    program = load_type(format)
    return _WriterSource(program, given).compiled()


class _WriterSource:
    """The source of a function that writes one type."""

    def __init__(self, program: TypeProgram, given: tuple[str, ...] | None) -> None:
        self.program = program
        self.fields = {field.name: field for field in program.fields}
        known = (field.name for field in program.fields if not (field.computed or field.raw))
        self.given = tuple(known) if given is None else given
        for name in self.given:
            program.field(name)
        self.names: dict[str, Any] = {"RefusedError": RefusedError}
        self.body: list[str] = []

    def compiled(self) -> RowWriter:
        if self.program.bits:
            raise _unknown(self.program, "bits")
        try:
            pieces = self.steps(self.program.steps)
        except RefusedError:
            raise _unknown(self.program, "a constant that its field cannot hold") from None
        unpacked = "".join(f"{_field(name)}, " for name in self.given) or "_"
        source = "\n".join(
            [
                "def write(rows):",
                "    parts = []",
                "    add = parts.extend",
                f"    for {unpacked} in rows:",
                *(f"        {line}" for line in self.body),
                f"        add(({''.join(f'{piece}, ' for piece in pieces)}))",
                "    return parts",
            ]
        )
        exec(compile(source, f"<written from {self.program.name}>", "exec"), self.names)
        write: RowWriter = self.names["write"]
        return write

    def constant(self, value: Any) -> str:
        """A name for a value in the source."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def steps(self, steps: Sequence[Step]) -> list[str]:
        """Expressions for the pieces of these steps; statements that must run before them are added to the body.

        A length comes before the bytes that it measures, so its pieces are added when those are reached.
        """
        pieces: list[str] = []
        prefix = b""
        lengths: dict[str, tuple[int, ReadVarint, bytes]] = {}

        def flush() -> None:
            nonlocal prefix
            if prefix:
                pieces.append(self.constant(prefix))
                prefix = b""

        def measured(size: Expression | None) -> tuple[int, ReadVarint, bytes]:
            found = inverse(size) if size is not None else None
            if found is None or found[1] or len(found[0]) != 1 or found[0][0] not in lengths:
                raise _unknown(self.program, f"the size {size}")
            return lengths.pop(found[0][0])

        for step in steps:
            if isinstance(step, Check):
                if not self.fields[step.name].computed or not _is_not_negative(step.rule, step.name):
                    raise _unknown(self.program, f"the rule of {step.name}")
            elif isinstance(step, CheckEnd):
                pass  # a window gets the length of its content
            elif step.condition is not None and not isinstance(step, ReadBytes):
                raise _unknown(self.program, f"the condition of {step.name}")
            elif isinstance(step, ReadVarint) and self.fields[step.name].computed:
                pieces.append("")  # filled in later
                lengths[step.name] = len(pieces) - 1, step, prefix
                prefix = b""
            elif isinstance(step, ReadVarint | ReadInteger) and step.name not in self.given:
                prefix += self.derived(step)
            elif isinstance(step, ReadVarint):
                pieces.append(f"{self.constant(_Varints(step, prefix))}[{_field(step.name)}]")
                prefix = b""
            elif isinstance(step, ReadBytes):
                flush()
                at, length, before = measured(step.size)
                pieces[at], piece = self.data(step, length, before)
                pieces.append(piece)
            elif isinstance(step, ReadList):
                flush()
                at, length, before = measured(step.count)
                pieces[at], *more = self.listed(step, length, before)
                pieces += more
            elif isinstance(step, Window) and step.codec is None:
                flush()
                at, length, before = measured(step.size)
                inner = self.steps(step.steps)
                variables = [self.variable(piece) for piece in inner]
                size = " + ".join(f"len({variable})" for variable in variables) or "0"
                pieces[at] = f"{self.constant(_Varints(length, before))}[{size}]"
                pieces += variables
            else:
                raise _unknown(self.program, f"{type(step).__name__} {step.name}")
        flush()
        if lengths:
            raise _unknown(self.program, ", ".join(lengths))
        return pieces

    def variable(self, piece: str) -> str:
        """A variable for a piece, so that its length can be computed."""
        if piece.isidentifier():
            return piece
        name = f"v{len(self.body)}"
        self.body.append(f"{name} = {piece}")
        return name

    def derived(self, step: ReadVarint | ReadInteger) -> bytes:
        derive = self.fields[step.name].derive
        if derive is None or not derive.is_constant:
            raise _unknown(self.program, f"{step.name}, which is neither given nor constant")
        if isinstance(step, ReadVarint):
            return _Varints(step, b"")[derive.value]
        return packed(step, derive.value)

    def data(self, step: ReadBytes, length: ReadVarint, before: bytes) -> tuple[str, str]:
        """The pieces of a length and of its bytes or text."""
        if step.name not in self.given:
            raise _unknown(self.program, f"{step.name}, which is not given")
        table, name = self.constant(_Varints(length, before)), _field(step.name)
        measure, piece = f"length_of_{step.name}", f"data_of_{step.name}"
        if step.encoding is not None:
            if step.condition is not None:
                raise _unknown(self.program, f"the condition of {step.name}")
            self.body += [
                f"if type({name}) is not str: raise RefusedError",
                f"{piece} = {name}.encode('utf-8', 'surrogateescape')",
                f"{measure} = {table}[len({piece})]",
            ]
            return measure, piece
        self.body += [
            f"if type({name}) is bytes:",
            f"    {piece} = {name}",
            f"    {measure} = {table}[len({name})]",
        ]
        if step.condition is not None:
            if not _is_not_negative(step.condition, length.name):
                raise _unknown(self.program, f"the condition of {step.name}")
            self.body += [
                f"elif {name} is None:",
                f"    {piece} = {self.constant(b'')}",
                f"    {measure} = {self.constant(_Varints(length, before)[-1])}",
            ]
        self.body += ["else: raise RefusedError"]
        return measure, piece

    def listed(self, step: ReadList, count: ReadVarint, before: bytes) -> list[str]:
        """The pieces of a count and of its list."""
        empty, element = self.constant(_Varints(count, before)[0]), step.element
        if step.name not in self.given:
            return [empty]
        if not isinstance(element, ReadType) or element.arguments:
            raise _unknown(self.program, f"the elements of {step.name}")
        write, table = (
            self.constant(_WriterSource(element.type, None).compiled()),
            self.constant(_Varints(count, before)),
        )
        nothing, measure, piece = self.constant(b""), f"count_of_{step.name}", f"data_of_{step.name}"
        name = _field(step.name)
        self.body += [
            f"if {name}:",
            f"    {measure} = {table}[len({name})]",
            f"    {piece} = {nothing}.join({write}({name}))",
            "else:",
            f"    {measure}, {piece} = {empty}, {nothing}",
        ]
        return [measure, piece]


def _field(name: str) -> str:
    """A safe variable name for a declared field: neither a Python keyword nor a name used by the source."""
    return f"f_{name}"


def _is_not_negative(rule: Expression | None, name: str) -> bool:
    """Whether a rule is ``name >= 0``, which always holds for a computed length."""
    if rule is None or rule.op != ">=":
        return False
    left, right = rule.arguments
    return left.op == "name" and left.value == (name,) and right.is_constant and right.value == 0


# --- from bytes ----------------------------------------------------------------------------------------------------

RowReader = Callable[[bytes, int, int], tuple[list[int], ...]]


@lru_cache(maxsize=64)
def row_reader(format: Any, wanted: tuple[str, ...]) -> RowReader:
    """A function (bytes, position, count) -> a list of integers for each wanted field.

    The values are contiguous from the position to the end of the bytes. The function checks everything that the codec
    would check, lengths, windows and rules, but skips unwanted fields.

    It raises RefusedError if the values do not end with the bytes, or break a rule: then use `kformat.parse`.

    Raises UsageError for a type that the generator does not support, or a field that is not one of its integers; also
    the exceptions of `load_type`.
    """
    program = load_type(format)
    for name in wanted:
        if program.field(name).kind != "integer":
            raise UsageError(f"{program.name}.{name} is no integer")
    return _ReaderSource(program, wanted).compiled()


class _ReaderSource:
    """The source of a function that skips over the values of one type."""

    def __init__(self, program: TypeProgram, wanted: tuple[str, ...]) -> None:
        self.program, self.wanted = program, wanted
        self.names: dict[str, Any] = {"RefusedError": RefusedError}
        self.varints: dict[tuple[int, int], str] = {}
        self.read: set[str] = set()
        """The variables assigned so far."""
        self.scopes = 0

    def compiled(self) -> RowReader:
        body = self.steps(self.program, self.program.steps, "", "") or ["pass"]
        for name in self.wanted:
            if _field(name) not in self.read:
                raise _unknown(self.program, f"{name}, which is no varint that is always there")
        source = "\n".join(
            [
                "def read(data, position, count):",
                *(f"    column_of_{name} = []" for name in self.wanted),
                *(f"    add_{name} = column_of_{name}.append" for name in self.wanted),
                "    try:",
                "        for _ in range(count):",
                *(f"            {line}" for line in body),
                *(f"            add_{name}({_field(name)})" for name in self.wanted),
                "    except IndexError:",
                "        raise RefusedError from None",
                "    if position != len(data): raise RefusedError",
                f"    return ({''.join(f'column_of_{name}, ' for name in self.wanted)})",
            ]
        )
        exec(compile(source, f"<passed over from {self.program.name}>", "exec"), self.names)
        read: RowReader = self.names["read"]
        return read

    def steps(self, program: TypeProgram, steps: Sequence[Step], prefix: str, end: str) -> list[str]:
        """Lines for these steps; fields are variables with their type's prefix, ``end`` is the innermost window's."""
        if program.bits:
            raise _unknown(program, "bits")
        lines: list[str] = []
        for step in steps:
            read = set(self.read)
            more = self.one(program, step, prefix, end)
            if step.condition is not None and more:
                self.read = read
                if isinstance(step, ReadVarint | ReadInteger):
                    raise _unknown(program, f"the condition of {step.name}")
                more = [f"if {self.source(program, step.condition, prefix)}:", *(f"    {line}" for line in more)]
            lines += more
        return lines

    def one(self, program: TypeProgram, step: Step, prefix: str, end: str) -> list[str]:
        variable = _field(prefix + step.name)
        match step:
            case ReadVarint():
                self.read.add(variable)
                return self.varint(step, variable)
            case ReadInteger() if step.name not in self.wanted or prefix:
                return [f"position += {step.kind.bits // 8}"]
            case ReadBytes() if step.size is not None:
                return self.forward(program, step, step.size, prefix)
            case ReadList() if step.count is not None and isinstance(step.element, ReadType):
                element = step.element.type
                if step.element.arguments:
                    raise _unknown(program, f"the elements of {step.name}")
                self.scopes += 1  # no name begins with a digit, so variable names are unique
                count = self.source(program, step.count, prefix)
                inner = self.steps(element, element.steps, f"{self.scopes}_", end)
                return [
                    f"if {count}:",
                    f"    if {count} < 0: raise RefusedError",
                    f"    for _ in range({count}):",
                    *(f"        {line}" for line in inner),
                ]
            case Window() if step.codec is None and step.size is not None:
                inner_end = f"end_{prefix}{step.name}"
                return [
                    f"{inner_end} = position + {self.source(program, step.size, prefix)}",
                    *self.steps(program, step.steps, prefix, inner_end),
                    f"if position != {inner_end}: raise RefusedError",
                ]
            case Check() if step.rule is not None:
                return [f"if not {self.source(program, step.rule, prefix)}: raise RefusedError"]
            case CheckEnd() if end:
                return []  # the window checks it
        raise _unknown(program, f"{type(step).__name__} {step.name}")

    def forward(self, program: TypeProgram, step: Step, size: Expression, prefix: str) -> list[str]:
        """Skip so many bytes; running past the end is detected at the next byte, or at the end."""
        text = self.source(program, size, prefix)
        skip = f"position += {text}"
        if size.op == "name" and _is_not_negative(step.condition, ".".join(size.value)):
            return [skip]
        return [f"if {text} < 0: raise RefusedError", skip]

    def varint(self, step: ReadVarint, variable: str) -> list[str]:
        """One and two bytes inline, because nearly all varints are that short; longer ones in a function."""
        key = (step.max_bytes, step.kind.bits)
        if key not in self.varints:
            self.varints[key] = f"long_{len(self.varints)}"
            self.names[self.varints[key]] = _long_varint(*key)
        short, decoded = [], ""
        if step.zigzag:
            self.names["zigzag"] = [(raw >> 1) ^ -(raw & 1) for raw in range(128)]
            short = [f"    {variable} = zigzag[{variable}]"]
            decoded = f"    {variable} = ({variable} >> 1) ^ -({variable} & 1)"
        return [
            f"{variable} = data[position]",
            f"if {variable} < 128:",
            "    position += 1",
            *short,
            "else:",
            "    group = data[position + 1]",
            "    if group < 128:",
            "        position += 2",
            f"        {variable} = {variable} & 127 | group << 7",
            "    else:",
            f"        {variable}, position = {self.varints[key]}(data, position)",
            *filter(None, [decoded]),
        ]

    def source(self, program: TypeProgram, node: Expression, prefix: str) -> str:
        """A condition or size as Python; only with operators that never exceed 64 bits."""
        if node.is_constant:
            return repr(node.value)
        if node.op == "name" and len(node.value) == 1 and _field(prefix + node.value[0]) in self.read:
            return _field(prefix + node.value[0])
        if node.op in (">=", ">", "<=", "<", "==", "!=", "and", "or"):
            left, right = (self.source(program, argument, prefix) for argument in node.arguments)
            return f"({left} {node.op} {right})"
        raise _unknown(program, f"the expression {node}")


def _long_varint(max_bytes: int, bits: int) -> Callable[[bytes, int], tuple[int, int]]:
    """The unsigned integer of a varint of more than two bytes, and the position after it, read by the codec."""
    mask = (1 << bits) - 1

    def read(data: bytes, position: int) -> tuple[int, int]:
        raw = shift = 0
        for index in range(position, position + max_bytes):
            group = data[index]
            raw |= (group & 127) << shift
            if group < 128:
                return raw & mask, index + 1
            shift += 7
        raise RefusedError

    return read


__all__ = ["RefusedError", "row_reader", "row_writer"]

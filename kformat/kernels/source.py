"""TypeProgram -> the source of its decode kernel: a function that turns bytes into columns, to be compiled by numba.

The rows of a kernel are values of one type that lie one behind the other. Its columns are one-dimensional arrays:

* a number has one (`Part.VALUE`); what may be absent has `Part.VALID` (0 or 1) beside it;
* bytes, text, and payloads that have a codec of their own are a position and a length (-1: absent);
* fields of a structure stand under its name (``attributes.compression``);
* a list is `Part.OFFSETS`: where in the columns of its elements, which are a table of their own, those of row i begin
  (entry i) and end (entry i + 1);
* of a type with a checksum the bytes that it covers are a position and a length, for whoever verifies it.

The function runs the steps of `program`, in their order, and stops at the first that fails: it returns the number of
the site, which `Source.sites` explains, and leaves in ``state`` where it stopped, so that it can be called again, with
more room or more bytes. It never raises. What kernels have in common is in `runtime`.

A type that is outside of what kernels can do is refused with the path of what is.
"""

from __future__ import annotations

import enum
import keyword
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kformat.errors import UsageError
from kformat.expression import INT64_HIGH, INT64_LOW, Expression
from kformat.program import (
    BitField,
    Check,
    CheckEnd,
    Checksum,
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
    Window,
)

MAX_STEPS: Final = 1000
"""Most steps of a type with those of all types in it: what numba compiles in bearable time."""

MAX_LISTS: Final = 16
"""Deepest nesting of lists in lists: Python takes 20 loops in one another."""

ALL_READ: Final = 0
"""The site that stands for: all windows were read to their ends."""

LEFTOVER: Final = 1
"""The site behind the last row of a window: bytes are left over."""


class KernelError(UsageError):
    """A type that no kernel can be made for: says which part of it, and why."""


class Part(enum.Enum):
    """What a column holds of a field."""

    VALUE = "value"
    VALID = "valid"
    POSITION = "position"
    LENGTH = "length"
    OFFSETS = "offsets"
    COVERED_POSITION = "covered_position"
    COVERED_LENGTH = "covered_length"


class Column(NamedTuple):
    """One array of a kernel: ``name`` is the field's, ``kind`` its numpy type, ``table`` 0 for the rows' own."""

    name: str
    part: Part
    kind: str
    table: int

    @property
    def storage(self) -> str:
        """The numpy type as the kernel has it: of floats it moves the bits, whatever they mean."""
        return self.kind.replace("f", "u")

    @property
    def missing(self) -> int:
        """What stands in it where the field is absent."""
        return -1 if self.part in (Part.LENGTH, Part.COVERED_LENGTH) else 0


class Site(NamedTuple):
    """A place where a row may fail: the field's path in the declaration, and what is wrong there."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel as text.

    ``columns`` are the arrays that it takes, in their order; ``tables`` the names of the lists whose elements are
    tables, the first being the rows themselves; ``sites[n]`` explains the result n.
    """

    program: TypeProgram
    function: str
    text: str
    columns: tuple[Column, ...]
    tables: tuple[str, ...]
    sites: tuple[Site, ...]


_HEADER: Final = '''\
"""Decode kernels of {title}: bytes to columns.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

{imports}
'''
_IMPORTED: Final = {
    "numpy": ("np",),
    "kformat.kernels.runtime": (
        *("INT64_LOW", "U", "below", "difference_overflows", "equal", "helper", "kernel"),
        *("load", "load_2", "load_4", "load_8", "long_varint", "product_overflows", "sum_overflows"),
    ),
    "kformat.kernels.state": ("CAPACITY", "DONE", "ERROR_POSITION", "FIRST_TABLE", "POSITION", "ROW", "UNIT"),
}
"""What a kernel may use, by module."""


def decode_source(program: TypeProgram) -> Source:
    """The decode kernel of a type.

    Raises KernelError for a type with parameters, or with something that kernels cannot do.
    """
    if program.bits:
        raise KernelError(f"{program.name}: bits alone are no rows")
    if program.parameters:
        raise KernelError(f"{program.name}: a type with parameters is decoded as a part of other types only")
    if program.steps_count > MAX_STEPS:
        raise KernelError(f"{program.name}: {program.steps_count} steps; kernels are made of at most {MAX_STEPS}")
    return _Decoder(program).source()


def _known(steps: Sequence[Step]) -> int:
    """The fewest bytes of an element of a list."""
    (step,) = steps
    return max(1, step.type.minimum_size) if isinstance(step, ReadType) else 1


@dataclass(slots=True)
class _Scope:
    """Where a type's steps are at: what is put in front of its columns' names, and the variables of its fields."""

    prefix: str
    path: str
    table: int
    variables: dict[tuple[str, ...], str] = field(default_factory=dict)
    bytes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of fields of bytes: the variables with their position and length."""


class _Decoder:
    def __init__(self, program: TypeProgram) -> None:
        self.program = program
        self.lines: list[str] = []
        self.depth = 3
        self.columns: list[Column] = []
        self.tables: list[str] = [""]
        self.sites: list[Site] = [Site("", "all were read"), Site(program.name, "bytes are left over")]
        self.constants: list[bytes] = []
        self.function = "decode_" + program.name.replace("::", "__")
        self.count = 0
        self.lists = 0
        """How many lists the steps that are at it lie in."""

    # Text

    def emit(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.emit(head)
        self.depth += 1
        size = len(self.lines)
        yield
        if len(self.lines) == size:
            self.emit("pass")
        self.depth -= 1

    def variable(self, name: str) -> str:
        self.count += 1
        plain = "".join(letter if letter.isalnum() else "_" for letter in name)
        return f"v{self.count}_{plain}"

    def fail(self, scope: _Scope, name: str, problem: str) -> str:
        """The statement that leaves the kernel at a new site."""
        path = ".".join(part for part in (scope.path, name) if part)
        self.sites.append(Site(path, problem))
        return f"return LEAVE(np.int64({len(self.sites) - 1}), p, np.int64(0))"

    def refuse(self, scope: _Scope, step: Step, why: str) -> KernelError:
        return KernelError(".".join(part for part in (scope.path, step.name) if part) + f": {why}")

    # Columns

    def column(self, scope: _Scope, name: str, part: Part, kind: str) -> int:
        self.columns.append(Column(scope.prefix + name, part, kind, scope.table))
        return len(self.columns) - 1

    def put(self, column: int, value: str) -> None:
        table, part = self.columns[column].table, self.columns[column].part
        index = f"n{table}" if part is not Part.OFFSETS else f"n{table} + 1"
        self.emit(f"if w{column}:", f"    c{column}[U({index})] = {value}")

    def nothing(self, first: int, table: int) -> None:
        """In the columns from ``first`` on of a table: what says that nothing is there."""
        for number in range(first, len(self.columns)):
            column = self.columns[number]
            if column.table == table:
                child = self.tables.index(column.name) if column.part is Part.OFFSETS else 0
                self.put(number, f"n{child}" if column.part is Part.OFFSETS else str(column.missing))

    # Steps

    def source(self) -> Source:
        self.steps(self.program.steps, _Scope("", self.program.name, 0), "end")
        body, tables = self.lines, range(1, len(self.tables))
        function = self.function
        leave = ", ".join(["state", "unit", "done", "start", "n0", *(f"s{number}" for number in tables)])
        text = [
            "",
            "",
            "@helper",
            f"def leave_{function}({leave}, site, position, wanted):",
            '    """Remember where it stopped, in front of the row that was begun."""',
            *_indented("state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0"),
            *_indented("state[ERROR_POSITION], state[CAPACITY] = position, wanted"),
            *_indented(*(f"state[FIRST_TABLE + {number - 1}] = s{number}" for number in tables)),
            *_indented("return site"),
            "",
            "",
            "@kernel",
            f"def {function}(",
            "    data, starts, ends, counts, capacities, wanted, state,",
            *(f"    c{number}," for number in range(len(self.columns))),
            "):",
            *_indented(*(f"# c{number}: {_said(column, self.tables)}" for number, column in enumerate(self.columns))),
            *_indented(*(f"w{number} = wanted[{number}] != 0" for number in range(len(self.columns)))),
            *_indented(*(f"cap{number} = capacities[{number}]" for number in range(len(self.tables)))),
            *_indented("unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]"),
            *_indented(*(f"n{number} = state[FIRST_TABLE + {number - 1}]" for number in tables)),
            *_indented(
                "start = p",
                *(f"s{number} = n{number}" for number in tables),
                "while unit < len(starts):",
                "    end, count = ends[U(unit)], counts[U(unit)]",
                "    if done < 0:",
                "        done, p = np.int64(0), starts[U(unit)]",
                "    while done < count or (count < 0 and p < end):",
                "        start = p",
                *(f"        s{number} = n{number}" for number in tables),
                "        if n0 >= cap0:",
                "            return LEAVE(np.int64(-1), p, n0 + 1)",
            ),
            *body,
            *_indented(
                "        n0 += 1",
                "        done += 1",
                "    start = p",
                *(f"    s{number} = n{number}" for number in tables),
                "    if p < end:",
                f"        return LEAVE(np.int64({LEFTOVER}), p, np.int64(0))",
                "    unit += 1",
                "    done = np.int64(-1)",
                f"return LEAVE(np.int64({ALL_READ}), p, np.int64(0))",
            ),
        ]
        constants = [
            f"{self.constant_name(number)} = np.frombuffer({value!r}, np.uint8)"
            for number, value in enumerate(self.constants)
        ]
        whole = "\n".join([*constants, *text]).strip("\n").replace("LEAVE(", f"leave_{function}({leave}, ")
        return Source(self.program, function, whole, tuple(self.columns), tuple(self.tables), tuple(self.sites))

    def steps(self, steps: Sequence[Step], scope: _Scope, end: str) -> None:
        at_end: list[tuple[int, int, str]] = []
        for step in steps:
            if step.condition is None:
                self.step(step, scope, end, at_end)
                continue
            condition = self.expression(step.condition, scope, step.name)
            first, variables = len(self.columns), dict(scope.variables)
            valid = self.valid(step, scope)
            with self.block(f"if {condition}:"):
                if valid is not None:
                    self.put(valid, "1")
                self.step(step, scope, end, at_end)
            if isinstance(step, Check | CheckEnd | Checksum):
                continue
            with self.block("else:"):
                self.nothing(first, scope.table)
                for path, name in scope.variables.items():
                    if path not in variables:
                        self.emit(f"{name} = np.int64(0)")
        for position, length, start in at_end:
            self.put(position, start)
            self.put(length, f"p - {start}")

    def valid(self, step: Step, scope: _Scope) -> int | None:
        """The column that says whether an optional field is there, where its other columns do not."""
        plain_window = isinstance(step, Window) and step.codec is None
        if plain_window or isinstance(step, ReadInteger | ReadFloat | ReadVarint | ReadBits | ReadType | ReadList):
            return self.column(scope, step.name, Part.VALID, "u1")
        return None

    def step(self, step: Step, scope: _Scope, end: str, at_end: list[tuple[int, int, str]]) -> None:
        match step:
            case ReadInteger():
                value = self.fixed(step, scope, end, step.kind.bits // 8, step.little_endian, step.kind.signed)
                self.number(step.name, value, scope, f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}")
            case ReadFloat():
                value = self.fixed(step, scope, end, step.bits // 8, step.little_endian, False)
                self.put(self.column(scope, step.name, Part.VALUE, f"f{step.bits // 8}"), value)
            case ReadVarint():
                value = self.varint(step, scope, end)
                self.number(step.name, value, scope, f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}")
            case ReadBits():
                self.bits(step, self.fixed(step, scope, end, step.size, False, False), scope)
            case ReadBytes():
                self.pass_over(step.name, step.size, scope, end)
            case ReadLiteral():
                with self.block(f"if {end} - p < {len(step.contents)}:"):
                    self.emit(self.fail(scope, step.name, "the bytes end"))
                same = f"equal(data, p, {len(step.contents)}, {self.bytes_constant(step.contents)})"
                with self.block(f"if not {same}:"):
                    self.emit(self.fail(scope, step.name, "not the contents declared"))
                self.emit(f"p += {len(step.contents)}")
            case ReadType():
                self.structure(step, scope, end)
            case ReadList():
                self.elements(step, scope, end)
            case Window():
                self.window(step, scope, end)
            case Check():
                self.check(step, scope)
            case CheckEnd():
                with self.block(f"if p < {end}:"):
                    self.emit(self.fail(scope, step.name, "bytes are left over"))
            case Checksum():
                self.checksum(step, scope, end, at_end)
            case _:
                raise AssertionError(step)

    def fixed(self, step: Step, scope: _Scope, end: str, size: int, little_endian: bool, signed: bool) -> str:
        """A variable with the integer of so many bytes at the position, which moves behind it."""
        with self.block(f"if {end} - p < {size}:"):
            self.emit(self.fail(scope, step.name, "the bytes end"))
        variable = self.variable(step.name)
        if size == 1:
            value = "np.int64(data[U(p)])"
        elif size in (2, 4, 8) and not little_endian:
            value = f"load_{size}(data, p)"
        else:
            value = f"load(data, p, {size}, {little_endian})"
        if signed and size < 8:
            shift = 64 - 8 * size
            value = f"({value} << {shift}) >> {shift}"
        self.emit(f"{variable} = {value}", f"p += {size}")
        return variable

    def number(self, name: str, value: str, scope: _Scope, kind: str) -> None:
        self.put(self.column(scope, name, Part.VALUE, kind), value)
        scope.variables[(name,)] = value

    def varint(self, step: ReadVarint, scope: _Scope, end: str) -> str:
        raw = self.variable(step.name)
        with self.block(f"if p < {end} and data[U(p)] < 128:"):
            self.emit(f"{raw} = np.int64(data[U(p)])", "p += 1")
        with self.block(f"elif p + 1 < {end} and data[U(p + 1)] < 128:"):
            self.emit(f"{raw} = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7", "p += 2")
        with self.block("else:"):
            behind = self.variable("behind")
            self.emit(f"{raw}, {behind} = long_varint(data, p, {end}, {step.max_bytes})")
            with self.block(f"if {behind} < 0:"):
                self.emit(self.fail(scope, step.name, "a varint that does not end"))
            self.emit(f"p = {behind}")
        if step.zigzag:
            shifted = f"{raw} >> 1" if step.kind.bits < 64 else f"({raw} >> 1) & 0x7FFFFFFFFFFFFFFF"
            self.emit(f"{raw} = ({shifted}) ^ -({raw} & 1)")
        return raw

    def bits(self, step: ReadBits, whole: str, scope: _Scope) -> None:
        for bit in step.bits:
            self.bit(step, bit, whole, scope)
        inner = _Scope(scope.prefix, f"{scope.path}.{step.name}", scope.table)
        inner.variables = {(bit.name,): scope.variables[(step.name, bit.name)] for bit in step.bits}
        for check in step.type.steps:
            if isinstance(check, Check):
                self.check(check, inner)

    def bit(self, step: ReadBits, bit: BitField, whole: str, scope: _Scope) -> None:
        variable = self.variable(bit.name)
        self.emit(f"{variable} = {_masked(whole, bit)}")
        size = next(size for size in (1, 2, 4, 8) if bit.width <= 8 * size)
        self.put(self.column(scope, f"{step.name}.{bit.name}", Part.VALUE, f"u{size}"), variable)
        scope.variables[(step.name, bit.name)] = variable

    def pass_over(self, name: str, size: Expression | None, scope: _Scope, end: str) -> None:
        """Pass over bytes, and remember where they lie."""
        length, position = self.size(name, size, scope, end), self.variable("begin")
        self.emit(f"{position} = p")
        self.put(self.column(scope, name, Part.POSITION, "i8"), position)
        self.put(self.column(scope, name, Part.LENGTH, "i8"), length)
        self.emit(f"p += {length}")
        scope.bytes[name] = position, length

    def size(self, name: str, size: Expression | None, scope: _Scope, end: str) -> str:
        """A variable with a size that is not negative and within the bytes that are there."""
        variable = self.variable("size")
        if size is None:
            self.emit(f"{variable} = {end} - p")
            return variable
        self.emit(f"{variable} = {self.expression(size, scope, name)}")
        if size.low < 0 or size.high > INT64_HIGH:
            with self.block(f"if {variable} < 0:"):
                self.emit(self.fail(scope, name, "a negative size, or one beyond all bytes"))
        with self.block(f"if {variable} > {end} - p:"):
            self.emit(self.fail(scope, name, "the bytes end"))
        return variable

    def structure(self, step: ReadType, scope: _Scope, end: str) -> None:
        inner = _Scope(f"{scope.prefix}{step.name}.", f"{scope.path}.{step.name}", scope.table)
        self.inside(step, scope, inner, end)
        for path, variable in inner.variables.items():
            scope.variables[(step.name, *path)] = variable

    def inside(self, step: ReadType, scope: _Scope, inner: _Scope, end: str) -> None:
        for name, argument in step.arguments:
            variable = self.variable(name)
            self.emit(f"{variable} = {self.expression(argument, scope, step.name)}")
            inner.variables[(name,)] = variable
        self.steps(step.type.steps, inner, end)

    def elements(self, step: ReadList, scope: _Scope, end: str) -> None:
        offsets = self.column(scope, step.name, Part.OFFSETS, "i8")
        name, table = self.columns[offsets].name, len(self.tables)
        self.tables.append(name)
        element = step.element
        self.lists += 1
        if self.lists > MAX_LISTS:
            raise self.refuse(scope, step, f"lists in one another more than {MAX_LISTS} deep")
        if step.count is not None:
            count = self.variable("count")
            self.emit(f"{count} = {self.expression(step.count, scope, step.name)}")
            with self.block(f"if {count} < 0 or {count} > ({end} - p) // {_known([element])}:"):
                self.emit(self.fail(scope, step.name, "a negative number of elements, or more than there are bytes"))
            with self.block(f"if n{table} + {count} > cap{table}:"):
                self.emit(f"return LEAVE(np.int64({-1 - table}), p, n{table} + {count})")
            head = f"for _ in range({count}):"
        else:
            head = f"while p < {end}:"
        with self.block(head):
            if step.count is None:
                with self.block(f"if n{table} >= cap{table}:"):
                    self.emit(f"return LEAVE(np.int64({-1 - table}), p, n{table} + 1)")
            if isinstance(element, ReadType):
                self.inside(element, scope, _Scope(f"{name}.", f"{scope.path}.{step.name}", table), end)
            else:
                self.steps([element], _Scope(scope.prefix, scope.path, table, dict(scope.variables)), end)
            self.emit(f"n{table} += 1")
        self.lists -= 1
        self.put(offsets, f"n{table}")

    def window(self, step: Window, scope: _Scope, end: str) -> None:
        if step.codec is not None:  # what is in it may have to be inflated first, and is another kernel's
            self.pass_over(step.name, step.size, scope, end)
            return
        size = self.size(step.name, step.size, scope, end)
        inner = self.variable("end")
        self.emit(f"{inner} = p + {size}")
        self.steps(step.steps, scope, inner)
        with self.block(f"if p < {inner}:"):
            self.emit(self.fail(scope, step.name, "bytes are left over"))

    def check(self, step: Check, scope: _Scope) -> None:
        if step.rule is not None:
            wrong = f"not {self.expression(step.rule, scope, step.name)}"
        else:
            position, length = scope.bytes[step.name]
            same = [
                f"equal(data, {position}, {length}, {self.bytes_constant(data)})"
                for data in map(_bytes_of_text, step.allowed)
                if data is not None
            ]
            wrong = f"not ({' or '.join(same) or False})"
        with self.block(f"if {wrong}:"):
            self.emit(self.fail(scope, step.name, f"a value that is not allowed; expected {step.expected}"))

    def bytes_constant(self, value: bytes) -> str:
        if value not in self.constants:
            self.constants.append(value)
        return self.constant_name(self.constants.index(value))

    def constant_name(self, number: int) -> str:
        return f"{self.function}_{number}"

    def checksum(self, step: Checksum, scope: _Scope, end: str, at_end: list[tuple[int, int, str]]) -> None:
        position = self.column(scope, step.name, Part.COVERED_POSITION, "i8")
        length = self.column(scope, step.name, Part.COVERED_LENGTH, "i8")
        if step.length is None and not step.to_limit:
            start = self.variable("covered")
            self.emit(f"{start} = p")
            at_end.append((position, length, start))
            return
        size = f"{end} - p" if step.length is None else self.expression(step.length, scope, step.name)
        self.put(position, "p")
        self.put(length, size)

    # Expressions

    def expression(self, node: Expression, scope: _Scope, name: str) -> str:
        """Python that gives a node's value, for numba; what has to be done before is emitted."""
        return _Expressions(self, scope, name).text(node)


def _indented(*lines: str) -> list[str]:
    return [f"    {line}" for line in lines]


def _masked(whole: str, bit: BitField) -> str:
    shifted = f"{whole} >> {bit.shift}" if bit.shift else whole
    return f"({shifted}) & {bit.mask}" if bit.width < 64 else whole


def _said(column: Column, tables: Sequence[str]) -> str:
    where = f", per element of {tables[column.table]}" if column.table else ""
    return f"{column.name}, {column.part.value.replace('_', ' ')}{where}"


def _is_large(node: Expression) -> bool:
    """Whether a node may be above what an int64 holds, so that its variable has the bits of an unsigned number."""
    return node.high > INT64_HIGH


class _Expressions:
    def __init__(self, decoder: _Decoder, scope: _Scope, name: str) -> None:
        self.decoder, self.scope, self.name = decoder, scope, name

    def fails(self, condition: str, problem: str) -> None:
        with self.decoder.block(f"if {condition}:"):
            self.decoder.emit(self.decoder.fail(self.scope, self.name, problem))

    def named(self, text: str) -> str:
        """A variable for a text that is used more than once."""
        if text.isidentifier() and not keyword.iskeyword(text):
            return text
        variable = self.decoder.variable("")
        self.decoder.emit(f"{variable} = {text}")
        return variable

    def text(self, node: Expression) -> str:
        match node.op:
            case "constant":
                return _literal(node.value)
            case "name":
                return self.scope.variables[node.value]
            case "not":
                return f"(not {self.text(node.arguments[0])})"
            case "and" | "or":
                return self.both(node)
            case "if":
                return self.choice(node)
            case "<" | "<=" | ">" | ">=" | "==" | "!=":
                return self.comparison(node)
        return self.arithmetic(node)

    def both(self, node: Expression) -> str:
        left, right = node.arguments
        if not _may_fail(right):
            return f"({self.text(left)} {node.op} {self.text(right)})"
        result = self.decoder.variable("")
        self.decoder.emit(f"{result} = {self.text(left)}")
        with self.decoder.block(f"if {result}:" if node.op == "and" else f"if not {result}:"):
            self.decoder.emit(f"{result} = {self.text(right)}")
        return result

    def choice(self, node: Expression) -> str:
        condition, yes, no = node.arguments
        result = self.decoder.variable("")
        with self.decoder.block(f"if {self.text(condition)}:"):
            self.decoder.emit(f"{result} = {self.text(yes)}")
            if node.overflow == "error" and _is_large(yes):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        with self.decoder.block("else:"):
            self.decoder.emit(f"{result} = {self.text(no)}")
            if node.overflow == "error" and _is_large(no):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        return result

    def comparison(self, node: Expression) -> str:
        left, right = node.arguments
        one, other = self.text(left), self.text(right)
        if not (_is_large(left) or _is_large(right)):
            return f"({one} {node.op} {other})"
        signs, turned = f"{_is_large(left)}, {_is_large(right)}", f"{_is_large(right)}, {_is_large(left)}"
        match node.op:
            case "<":
                return f"below({one}, {other}, {signs})"
            case ">=":
                return f"(not below({one}, {other}, {signs}))"
            case ">":
                return f"below({other}, {one}, {turned})"
            case "<=":
                return f"(not below({other}, {one}, {turned}))"
        one, other = self.named(one), self.named(other)
        same = f"({one} == {other})" if _is_large(left) == _is_large(right) else f"({one} == {other} and {one} >= 0)"
        return same if node.op == "==" else f"(not {same})"

    def arithmetic(self, node: Expression) -> str:
        operands, op = [self.named(self.text(argument)) for argument in node.arguments], node.op
        large = [_is_large(argument) for argument in node.arguments]
        if any(large) and not (op == "&" and min(argument.high for argument in node.arguments) <= INT64_HIGH):
            raise KernelError(
                f"{self.scope.path}.{self.name}: {node}: arithmetic on numbers that may be above 2^63 - 1"
            )
        if op == "&" and any(large) and any(argument.low < 0 for argument in node.arguments):
            raise KernelError(f"{self.scope.path}.{self.name}: {node}: a negative number beside one above 2^63 - 1")
        if op in ("neg", "inv"):
            if op == "neg" and node.overflow == "error":
                self.fails(f"{operands[0]} == INT64_LOW", "a result outside of 64 bits")
            return f"({'-' if op == 'neg' else '~'}{operands[0]})"
        left, right = operands
        if node.overflow == "never":
            if op == "%" and node.arguments[1].low <= -1 <= node.arguments[1].high:
                return _remainder(left, right)
            return f"({left} {'//' if op == '/' else op} {right})"
        match op:
            case "/":
                self.fails(f"{right} == 0 or ({left} == INT64_LOW and {right} == -1)", "a result outside of 64 bits")
                return f"({left} // {right})"
            case "%":
                self.fails(f"{right} == 0", "division by zero")
                return _remainder(left, right)
            case "<<" | ">>":
                self.fails(f"{right} < 0 or {right} > 63", "a shift by less than 0 or more than 63")
                if op == ">>":
                    return f"({left} >> {right})"
                result = self.named(f"{left} << {right}")
                self.fails(f"{result} >> {right} != {left}", "a result outside of 64 bits")
                return result
            case "+" | "-" | "*":
                test = {"+": "sum_overflows", "-": "difference_overflows", "*": "product_overflows"}[op]
                self.fails(f"{test}({left}, {right})", "a result outside of 64 bits")
                return f"({left} {op} {right})"
        raise AssertionError(node)


def _remainder(left: str, right: str) -> str:
    """By -1 by itself: the processor's division of the lowest number by it is out of range, and stops the process."""
    return f"(np.int64(0) if {right} == -1 else {left} % {right})"


def _bytes_of_text(text: str) -> bytes | None:
    """The bytes that the codec decodes to this text; None where there are none."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return data if data.decode("utf-8", "surrogateescape") == text else None


def _may_fail(node: Expression) -> bool:
    return node.overflow == "error" or node.op == "if" or any(map(_may_fail, node.arguments))


def _literal(value: int | bool) -> str:
    if isinstance(value, bool):
        return str(value)
    bits = value - 2**64 if value > INT64_HIGH else value
    return "INT64_LOW" if bits == INT64_LOW else str(bits)


def module_text(sources: Sequence[Source], title: str) -> str:
    """The text of a module with these kernels."""
    body = "\n\n\n".join(source.text for source in sources)
    words = set(re.findall(r"\w+", body))
    lines = []
    for module, names in _IMPORTED.items():
        used = [name for name in names if name in words]
        if names == ("np",):
            lines += [f"import {module} as np", ""]
        else:
            lines += [f"from {module} import (", *(f"    {name}," for name in used), ")"]
    return _HEADER.format(title=title, imports="\n".join(lines)) + "\n\n" + body + "\n"


__all__ = ["MAX_STEPS", "Column", "KernelError", "Part", "Site", "Source", "decode_source", "module_text"]

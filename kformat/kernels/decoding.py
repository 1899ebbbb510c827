"""TypeProgram -> the source of its decode kernel: a function, compiled by numba, that decodes bytes into columns.

The rows of a kernel are consecutive values of one type. Its columns are one-dimensional arrays:

* a number has one (`Part.VALUE`); an optional field also has `Part.VALID` (0 or 1);
* bytes, text, and payloads with their own codec have a position and a length (-1: absent); on request (`PACKED`) bytes
  and text are also copied into contiguous memory: `Part.BYTES`, with row i from entry i of `Part.BYTE_OFFSETS` to
  entry i + 1, and `Part.IS_THERE` (0 or 1);
* fields of a structure are named after it (``attributes.compression``);
* a list is `Part.OFFSETS`: its elements are a table with columns of their own; those of row i begin at entry i and end
  at entry i + 1;
* a switch has the number of the case's kind (`Part.CASE`, from 1 in the order of `case_kinds`; 0: no case), and columns
  for each kind, named after it (``body.integer``, ``body.format::type.length``); those of other kinds are absent;
* a type with a checksum has position and length of the bytes that it covers, for a caller that verifies it.

The function runs the steps of `program` in order, and stops at the first that fails: it returns the number of the site
(see `Source.sites`) and stores in ``state`` where it stopped. It can then be called again, with more room or more
bytes. It never raises. Code shared by kernels is in `runtime`.

An unsupported type is refused with the path of the unsupported part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile
from typing import Final

import numpy as np

from kformat.integers import MAX_INT64
from kformat.kernels.leaves import Leaves, has_bits
from kformat.kernels.source import (
    ALL_READ,
    FULL_BYTES,
    LEFTOVER,
    MAX_LISTS,
    MAX_STEPS,
    KernelError,
    Leave,
    Line,
    Part,
    Scope,
    Source,
    indented,
)
from kformat.language import expression
from kformat.language.encodings import LENIENT
from kformat.language.expression import Expression
from kformat.language.node import replaced
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
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Trim,
    TypeProgram,
    Window,
    case_kind,
    case_kinds,
    content_of,
    expressions_in,
    kernel_reason,
    kernels_evaluate,
    of_elements,
    types_of,
)
from kformat.language.steps import leaves_bits
from kformat.language.types import Bytes, Text

_MOST_KINDS: Final = 255
PARAMETERS: Final = "_params"
BYTE_ORDER: Final = ("_parent", "_order")
"""Whether the structure that has the rows is little-endian, where a value says it."""
_ON: Final = "on"
"""What a switch compares, as a name."""


def decode_source(program: TypeProgram, rows: ReadList | None = None) -> Source:
    """The decode kernel of a type. One for the rows of a file, the elements of ``rows``, is given numbers of what is
    around them (`Source.context`), and has a column of the rows' positions, whose name is empty. It stops before a row
    that breaks a rule of the list, and before the list's last one, if a condition says which that is.

    Raises KernelError for a type with something that kernels do not support, and, unless for rows, for one that asks
    for what is around it.
    """
    reason = kernel_reason(program)
    if reason is not None:
        raise KernelError(f"{program.name}: {reason}, which kernels do not support")
    if program.bits:
        raise KernelError(f"{program.name}: bits alone are no rows")
    if program.parameters and rows is None:
        raise KernelError(f"{program.name}: a type with parameters is decoded as a part of other types only")
    if program.ends_in_bits:
        raise KernelError(f"{program.name}: a row may end within a byte")
    if program.steps_count > MAX_STEPS:
        raise KernelError(f"{program.name}: {program.steps_count} steps; kernels are made of at most {MAX_STEPS}")
    decoder = _Decoder(program, "decode_" + program.name.replace("::", "__"), 3)
    decoder.rows, decoder.takes_context = rows, rows is not None
    return decoder.source()


def _most(element: Step, end: str) -> str:
    """How many elements of a list there can be at most, up to a position."""
    if isinstance(element, ReadBit) and element.condition is None:
        return f"(({end} - p) * 8 + k) // {element.width}"
    size = max(1, element.type.minimum_size) if isinstance(element, ReadType) else 1
    return f"({end} - p) // {size}"


def _asked(program: TypeProgram, seen: set[TypeProgram]) -> set[str]:
    """The words of all names in the expressions of a type and those in it."""
    seen.add(program)
    nodes = (*expressions_in(program.steps), *expressions_in(tuple(one.value for one in program.instances)))
    words = {word for node in nodes if node.op == "name" for word in node.value}
    for inner in set(types_of(program.steps)) - seen:
        words |= _asked(inner, seen)
    return words


_SETS_NOTHING = Check | CheckEnd | Checksum | Align


class _Decoder(Leaves):
    def __init__(self, program: TypeProgram, function: str, depth: int) -> None:
        super().__init__(program, function, depth)
        self.asked = _asked(program, set())
        self.used: list[int] = []
        """The columns of the steps, in order; in cases of a switch some more than once."""
        self.rows: ReadList | None = None
        self.covered: dict[str, str] = {}
        """The variables with where the bytes of a checksum begin, by the prefix of its columns."""
        self.switches = 0
        """How many switches enclose the current steps."""
        self.of_cases: dict[tuple[str, Part, int], int] = {}
        """The columns in switches: cases of one kind share theirs."""
        self.are_there = 0
        """How many of the next steps read numbers whose bytes are known to be there."""
        self.widest: dict[str, str] = {}
        """The type of the numbers that cases share."""

    # Columns

    def column(self, scope: Scope, name: str, part: Part, kind: str) -> int:
        key = scope.prefix + name, part, scope.table
        number = self.of_cases.get(key)
        if part is Part.VALUE:
            kind = self.widest.get(key[0], kind)
        if number is None:
            number = super().column(scope, name, part, kind)
            if self.switches or part is Part.CASE:
                self.columns[number] = self.columns[number]._replace(is_zeroed=True)
            if self.switches:
                self.of_cases[key] = number
        elif self.columns[number].kind != kind:
            raise KernelError(f"{key[0]}: cases of one kind with columns of different types")
        self.used.append(number)
        return number

    def put(self, column: int, value: str) -> None:
        table, part = self.columns[column].table, self.columns[column].part
        index = f"n{table} + 1" if part in (Part.OFFSETS, Part.BYTE_OFFSETS) else f"n{table}"
        self.emit(f"if w{column}:", f"    {self.store(column, index, value)}")

    def store(self, column: int, index: str, value: str) -> str:
        return f"put_{np.dtype(self.columns[column].storage).itemsize}(a{column}, {index}, {value})"

    def nothing(self, first: int, table: int) -> None:
        """Mark the values in a table's columns, of those used from ``first`` on, as absent."""
        for number in dict.fromkeys(self.used[first:]):
            column = self.columns[number]
            if column.table != table or column.part is Part.BYTES or column.is_zero_if_absent:
                continue
            match column.part:
                case Part.OFFSETS:
                    self.put(number, f"n{self.tables.index(column.name)}")
                case Part.BYTE_OFFSETS:
                    self.put(number, f"get_4(a{number}, n{table})")
                case _:
                    self.put(number, str(column.missing))

    # Steps

    def source(self) -> Source:
        self.has_bits = has_bits(self.program)
        if self.has_bits:
            self.align()
        scope = Scope("", self.program.name, 0, program=self.program)
        if self.takes_context:
            self.put(self.column(scope, "", Part.POSITION, "i8"), "start")
            scope.variables |= {(name,): self.around((PARAMETERS, name)) for name in self.program.parameters}
        self.steps(self.program.steps, scope, "end")
        if self.rows is not None:
            self.rules_of_rows(self.rows, scope)
        body, tables = self.lines, range(1, len(self.tables))
        function = self.function
        remembered = ", ".join(["at", "unit", "done", "start", "n0", *(f"s{number}" for number in tables)])
        text: list[Line] = [
            "@helper",
            f"def leave_{function}({remembered}, site, position, wanted):",
            '    """Remember where it stopped, in front of the row that was begun."""',
            *indented("put_8(at, UNIT, unit)", "put_8(at, DONE, done)", "put_8(at, POSITION, start)"),
            *indented("put_8(at, ROW, n0)", "put_8(at, ERROR_POSITION, position)", "put_8(at, CAPACITY, wanted)"),
            *indented(*(f"put_8(at, FIRST_TABLE + {number - 1}, s{number})" for number in tables)),
            *indented("return site"),
            "",
            "",
            "@kernel",
            f"def {function}(",
            "    data, starts, ends, counts, capacities, wanted, state,",
            *(f"    c{number}," for number in range(len(self.columns))),
            "):",
            *indented(*(f"# c{number}: {self.said(column)}" for number, column in enumerate(self.columns))),
            *indented(*(f"w{number} = wanted[{number}] != 0" for number in range(len(self.columns)))),
            *indented(*(f"a{number} = address(c{number})" for number in range(len(self.columns)))),
            *indented("d, at = address(data), address(state)"),
            *indented(*(f"cap{number} = capacities[{number}]" for number in range(len(self.tables)))),
            *indented("unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]"),
            *indented(*(f"n{number} = state[FIRST_TABLE + {number - 1}]" for number in tables)),
            *indented(*(f"x{k} = state[FIRST_TABLE + {len(tables) + k}]" for k in range(len(self.context)))),
            *indented(
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
            ),
            Leave(-1, "n0 + 1", depth=4),
            *body,
            *indented(
                "        n0 += 1",
                "        done += 1",
                "    start = p",
                *(f"    s{number} = n{number}" for number in tables),
                "    if p < end:",
            ),
            Leave(LEFTOVER, depth=3),
            *indented("    unit += 1", "    done = np.int64(-1)"),
            Leave(ALL_READ, depth=1),
        ]
        return self.finished(text, remembered)

    def rules_of_rows(self, rows: ReadList, scope: Scope) -> None:
        """Leave before a row that the codec has to look at."""
        rules = [check.rule for check in rows.checks if check.rule is not None]
        if len(rules) < len(rows.checks):
            raise KernelError(f"{self.program.name}: a rule of the list of rows without an expression")
        wanted = [(of_rows(rule), "a value that is not allowed") for rule in rules]
        if rows.until is not None:
            wanted.append((expression.typed("not", (of_rows(rows.until),), 0), "the last row"))
        place = dataclasses.replace(scope, variables=dict(scope.variables))
        place.variables |= {("_", *path): variable for path, variable in scope.variables.items()}
        place.absent = {**scope.absent, **{("_", *path): variable for path, variable in scope.absent.items()}}
        for node, problem in wanted:
            if not kernels_evaluate(node, self.program):
                raise KernelError(f"{self.program.name}: the list of rows up to, or with a rule, {node}")
            if any(path[0] == "_index" for path in node.names()):
                place.variables["_index",] = f"({self.around(('_index',))} + n0)"
            with self.block(f"if not {self.expression(node, place, '')}:"):
                self.emit(self.fail(scope, "", problem))

    def steps(self, steps: Sequence[Step], scope: Scope, end: str) -> None:
        at_end: list[tuple[int, int, str]] = []
        for number, step in enumerate(steps):
            if step.condition is None:
                if not self.are_there:
                    self.look(steps[number:], scope, end)
                self.step(step, scope, end, at_end)
                continue
            condition = self.expression(step.condition, scope, step.name)
            if isinstance(step, Align):
                with self.block(f"if {condition}:"):
                    self.align()
                continue
            first, variables = len(self.used), dict(scope.variables)
            valid = self.valid(step, scope)
            is_asked = (step.name in self.asked or isinstance(step, Window)) and not isinstance(step, _SETS_NOTHING)
            present = self.variable("present") if is_asked else None
            with self.block(f"if {condition}:"):
                if valid is not None:
                    self.put(valid, "1")
                self.step(step, scope, end, at_end)
                if present is not None:
                    self.emit(f"{present} = True")
            if isinstance(step, _SETS_NOTHING):
                continue
            if present is not None:
                scope.absent[step.name,] = present
            with self.block("else:"):
                if present is not None:
                    self.emit(f"{present} = False")
                self.nothing(first, scope.table)
                for path, name in scope.variables.items():
                    if path not in variables:
                        self.emit(f"{name} = np.int64(0)")
                        if present is not None and path[0] != step.name:  # a field in a window of several
                            known = scope.absent.setdefault(path[:1], present)
                            if known != present:
                                self.emit(f"{known} = False")
        for position, length, start in at_end:
            self.put(position, start)
            self.put(length, f"p - {start}")

    def look(self, steps: Sequence[Step], scope: Scope, end: str) -> None:
        """Compare the bytes that are left with what the numbers at the beginning of some steps take, at once."""
        numbers = list(takewhile(_is_only_read, steps))
        if len(numbers) < 2:
            return
        sizes = list(accumulate(map(_size_of, numbers)))
        with self.block(f"if {end} - p < {sizes[-1]}:"):
            for step, before, size in zip(numbers, [0, *sizes], sizes, strict=False):
                left = self.fail(scope, step.name, "the bytes end")._replace(
                    position=f"p + {before}" if before else "p"
                )
                if size < sizes[-1]:
                    with self.block(f"if {end} - p < {size}:"):
                        self.emit(left)
                else:
                    self.emit(left)
        self.are_there = len(numbers)

    def valid(self, step: Step, scope: Scope) -> int | None:
        """The column that says whether an optional field is present, if its other columns do not."""
        plain_window = isinstance(step, Window) and step.codec is None
        kinds = ReadInteger | ReadFloat | ReadVarint | ReadBit | ReadBits | ReadType | ReadList | ReadSwitch
        if plain_window or isinstance(step, kinds):
            return self.column(scope, step.name, Part.VALID, "u1")
        return None

    def step(self, step: Step, scope: Scope, end: str, at_end: list[tuple[int, int, str]]) -> None:
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
            case ReadBit():
                value = self.read_bit(step, scope, end)
                self.number(step.name, value, scope, f"u{_bytes_for(step.width)}")
            case Align():
                self.align()
            case ReadBits():
                self.bits(step, self.fixed(step, scope, end, step.size, False, False), scope)
            case ReadBytes() if step.trim is not None:
                self.text(step, scope)
                self.cut(step, step.trim, scope, end)
            case ReadBytes():
                self.text(step, scope)
                self.pass_over(step.name, step.size, scope, end, can_pack=True)
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
            case ReadSwitch():
                self.switch(step, scope, end)
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

    def fixed(self, step: Step, scope: Scope, end: str, size: int, little_endian: bool, signed: bool) -> str:
        """A variable with the integer of so many bytes at the position; advances the position."""
        if self.are_there:
            self.are_there -= 1
        else:
            with self.block(f"if {end} - p < {size}:"):
                self.emit(self.fail(scope, step.name, "the bytes end"))
        variable = self.variable(step.name)
        if size == 1:
            value = "byte_at(d, p)"
        elif isinstance(step, ReadInteger | ReadFloat) and step.by_type:
            value = f"(word_{size}_le(d, p) if {self.around(BYTE_ORDER)} != 0 else word_{size}(d, p))"
        elif size in (2, 4, 8):
            value = f"word_{size}{'_le' if little_endian else ''}(d, p)"
        else:
            value = f"load(data, p, {size}, {little_endian})"
        if signed and size < 8:
            shift = 64 - 8 * size
            value = f"({value} << {shift}) >> {shift}"
        self.emit(f"{variable} = {value}", f"p += {size}")
        return variable

    def number(self, name: str, value: str, scope: Scope, kind: str) -> None:
        self.put(self.column(scope, name, Part.VALUE, kind), value)
        scope.variables[(name,)] = value

    def varint(self, step: ReadVarint, scope: Scope, end: str) -> str:
        raw = self.variable(step.name)
        with self.block(f"if p < {end} and byte_at(d, p) < 128:"):
            self.emit(f"{raw} = byte_at(d, p)", "p += 1")
        with self.block(f"elif p + 1 < {end} and byte_at(d, p + 1) < 128:"):
            self.emit(f"{raw} = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7", "p += 2")
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

    def bits(self, step: ReadBits, whole: str, scope: Scope) -> None:
        for bit in step.bits:
            self.bit(step, bit, whole, scope)
        inner = Scope(scope.prefix, f"{scope.path}.{step.name}", scope.table)
        inner.variables = {(bit.name,): scope.variables[(step.name, bit.name)] for bit in step.bits}
        for check in step.type.steps:
            if isinstance(check, Check):
                self.check(check, inner)

    def bit(self, step: ReadBits, bit: BitField, whole: str, scope: Scope) -> None:
        variable = self.variable(bit.name)
        self.emit(f"{variable} = {_masked(whole, bit)}")
        kind = f"u{_bytes_for(bit.width)}"
        self.put(self.column(scope, f"{step.name}.{bit.name}", Part.VALUE, kind), variable)
        scope.variables[(step.name, bit.name)] = variable

    def pass_over(self, name: str, size: Expression | None, scope: Scope, end: str, *, can_pack: bool = False) -> None:
        """Skip bytes, and record their place."""
        length = self.size(name, size, scope, end)
        self.placed(name, length, scope, can_pack)
        self.emit(f"p += {length}")

    def placed(self, name: str, length: str, scope: Scope, can_pack: bool) -> None:
        """The columns of so many bytes at the position."""
        position = self.variable("begin")
        self.emit(f"{position} = p")
        self.put(self.column(scope, name, Part.POSITION, "i8"), position)
        self.put(self.column(scope, name, Part.LENGTH, "i8"), length)
        if can_pack:
            self.pack(name, position, length, scope)
        scope.bytes[name] = position, length

    def text(self, step: ReadBytes, scope: Scope) -> None:
        """Text that the codec refuses if it is not in its encoding: kernels do not look at it."""
        if step.encoding is not None and step.encoding.upper() not in LENIENT:
            self.texts[scope.prefix + step.name] = step.encoding

    def cut(self, step: ReadBytes, trim: Trim, scope: Scope, end: str) -> None:
        """Bytes that end by their content."""
        length, taken = self.content(step, trim, scope, end)
        self.placed(step.name, length, scope, True)
        self.emit(f"p += {taken}")

    def content(self, step: ReadBytes | Window, trim: Trim, scope: Scope, end: str) -> tuple[str, str]:
        """How many bytes from the position on count, and how many are taken: two variables."""
        if trim.delimited:
            return self.delimited(step.name, trim, scope, end)
        taken = self.size(step.name, step.size, scope, end)
        return self.trimmed(trim, taken), taken

    def pack(self, name: str, position: str, length: str, scope: Scope) -> None:
        """Append a copy of the bytes to those of previous rows, if packed."""
        packed = self.column(scope, name, Part.BYTES, "u1")
        offsets = self.column(scope, name, Part.BYTE_OFFSETS, "i4")
        is_there = self.column(scope, name, Part.IS_THERE, "u1")
        row, begin = f"n{scope.table}", self.variable("packed")
        with self.block(f"if w{packed}:"):
            self.emit(f"{begin} = get_4(a{offsets}, {row})")
            with self.block(f"if {length} > len(c{packed}) - {begin}:"):
                self.emit(Leave(-FULL_BYTES - packed, f"{begin} + {length}"))
            self.emit(
                f"append(c{packed}, {begin}, data, {position}, {length})",
                self.store(offsets, f"{row} + 1", f"{begin} + {length}"),
                self.store(is_there, row, "1"),
            )

    def size(self, name: str, size: Expression | None, scope: Scope, end: str) -> str:
        """A variable with a size, checked to be non-negative and within the remaining bytes."""
        variable = self.variable("size")
        if size is None:
            self.emit(f"{variable} = {end} - p")
            return variable
        self.emit(f"{variable} = {self.expression(size, scope, name)}")
        if size.low < 0 or size.high > MAX_INT64:
            with self.block(f"if {variable} < 0:"):
                self.emit(self.fail(scope, name, "a negative size, or one beyond all bytes"))
        with self.block(f"if {variable} > {end} - p:"):
            self.emit(self.fail(scope, name, "the bytes end"))
        return variable

    def structure(self, step: ReadType, scope: Scope, end: str) -> None:
        inner = Scope(f"{scope.prefix}{step.name}.", f"{scope.path}.{step.name}", scope.table)
        inner.parent, inner.is_foreign = scope, step.foreign
        self.inside(step, scope, inner, end)
        for path, variable in inner.variables.items():
            scope.variables[(step.name, *path)] = variable
        for path, variable in inner.absent.items():
            scope.absent[(step.name, *path)] = variable

    def inside(self, step: ReadType, scope: Scope, inner: Scope, end: str) -> None:
        for name, argument in step.arguments:
            variable = self.variable(name)
            self.emit(f"{variable} = {self.expression(argument, scope, step.name)}")
            inner.variables[(name,)] = variable
        inner.program = step.type
        self.steps(step.type.steps, inner, end)

    def elements(self, step: ReadList, scope: Scope, end: str) -> None:
        offsets = self.column(scope, step.name, Part.OFFSETS, "i8")
        name = self.columns[offsets].name
        if name not in self.tables:  # cases of one kind share theirs
            self.tables.append(name)
        table = self.tables.index(name)
        element = step.element
        self.lists += 1
        if self.lists > MAX_LISTS:
            raise self.refuse(scope, step, f"lists nested more than {MAX_LISTS} deep")
        if step.count is not None:
            count = self.variable("count")
            self.emit(f"{count} = {self.expression(step.count, scope, step.name)}")
            if step.count.low < 0:
                with self.block(f"if {count} < 0:"):
                    self.emit(f"{count} = 0")
            with self.block(f"if {count} > {_most(element, end)}:"):
                self.emit(self.fail(scope, step.name, "more elements than there are bytes"))
            with self.block(f"if n{table} + {count} > cap{table}:"):
                self.emit(Leave(-1 - table, f"n{table} + {count}"))
            if self.are_plain(step):
                self.numbers(element, count, dataclasses.replace(scope, table=table), end)
                self.lists -= 1
                self.put(offsets, f"n{table}")
                return
            head = f"for _ in range({count}):"
        else:
            head = f"while p < {end}:" if not self.has_bits else f"while p < {end} or k > 0:"
            head = head if step.until is None else "while True:"
        first = ""
        if step.until is not None or step.checks:
            first = self.variable("first")
            self.emit(f"{first} = n{table}")
        with self.block(head):
            if step.count is None:
                with self.block(f"if n{table} >= cap{table}:"):
                    self.emit(Leave(-1 - table, f"n{table} + 1"))
            if step.align:
                self.align()
            if isinstance(element, ReadType):
                read = Scope(f"{name}.", f"{scope.path}.{step.name}", table)
                read.parent, read.is_foreign = scope, element.foreign
                self.inside(element, scope, read, end)
            else:
                read = dataclasses.replace(
                    scope, table=table, variables=dict(scope.variables), bytes={}, absent=dict(scope.absent)
                )
                self.steps([element], read, end)
            done = self.conditions(step, scope, read, f"(n{table} - {first})")
            self.emit(f"n{table} += 1")
            if step.until is not None:
                self.emit(f"if {done}:", "    break")
        self.lists -= 1
        self.put(offsets, f"n{table}")

    def are_plain(self, step: ReadList) -> bool:
        """Whether a list's elements are numbers that are only read; those in a switch may share a column."""
        element = step.element
        if not isinstance(element, ReadInteger | ReadFloat) or element.by_type or _size_of(element) not in (1, 2, 4, 8):
            return False
        return _is_only_read(element) and not (step.until is not None or step.checks or step.align or self.switches)

    def numbers(self, element: Step, count: str, scope: Scope, end: str) -> None:
        """Copy the elements of a list at once."""
        assert isinstance(element, ReadInteger | ReadFloat)
        size, table = _size_of(element), scope.table
        with self.block(f"if {count} > ({end} - p) // {size}:"):
            self.emit(f"p += ({end} - p) // {size} * {size}", self.fail(scope, element.name, "the bytes end"))
        kind = "f" if isinstance(element, ReadFloat) else "i" if element.kind.signed else "u"
        column = self.column(scope, element.name, Part.VALUE, f"{kind}{size}")
        order = "_le" if element.little_endian and size > 1 else ""
        with self.block(f"if w{column}:"):
            self.emit(f"words_{size}{order}(a{column}, n{table}, cap{table}, d, p, len(data), {count})")
        self.emit(f"n{table} += {count}", f"p += {size} * {count}")

    def conditions(self, step: ReadList, scope: Scope, read: Scope, index: str) -> str:
        """The rules on an element of a list that was read, and a variable: whether it is the last."""
        if step.until is None and not step.checks:
            return ""
        is_type, content = isinstance(step.element, ReadType), content_of(step.element)
        if isinstance(content, ReadInteger | ReadVarint) and content.enum is not None and not content.kind.signed:
            if content.kind.bits == 64:
                raise self.refuse(scope, step, "a condition on members of an enum of 64 bits")
        place = dataclasses.replace(scope, variables=dict(scope.variables), absent=dict(scope.absent))
        for known, found in ((place.variables, read.variables), (place.absent, read.absent)):
            paths = (
                found.items() if is_type else [(path[1:], one) for path, one in found.items() if path[0] == step.name]
            )
            known.update({("_", *path): one for path, one in paths})
        place.variables["_index",] = index
        place.bytes = {step.name: read.bytes[step.name]} if step.name in read.bytes and not is_type else {}
        if ("_",) in place.variables:
            place.variables[step.name,] = place.variables["_",]
        for check in step.checks:
            self.check(check if check.rule is None else replaced(check, rule=of_elements(check.rule)), place)
        if step.until is None:
            return ""
        last = self.variable("last")
        self.emit(f"{last} = {self.expression(of_elements(step.until), place, step.name)}")
        return last

    def window(self, step: Window, scope: Scope, end: str) -> None:
        if step.codec is not None:  # its content may have to be decompressed first, for another kernel
            self.pass_over(step.name, step.size, scope, end)
            return
        inner, after = self.variable("end"), ""
        if step.trim is None:
            self.emit(f"{inner} = p + {self.size(step.name, step.size, scope, end)}")
        else:
            size, taken = self.content(step, step.trim, scope, end)
            after = self.variable("after")
            self.emit(f"{inner} = p + {size}", f"{after} = p + {taken}")
        self.steps(step.steps, scope, inner)
        with self.block(f"if p < {inner}:"):
            self.emit(self.fail(scope, step.name, "bytes are left over"))
        if after:
            self.emit(f"p = {after}")
        if leaves_bits(step.steps):
            self.align()

    def switch(self, step: ReadSwitch, scope: Scope, end: str) -> None:
        """One of several steps: absent are the columns of the others, which are written only where they are not 0."""
        kinds = case_kinds(step)
        if len(kinds) > _MOST_KINDS:
            raise self.refuse(scope, step, f"a switch of more than {_MOST_KINDS} kinds of values")
        chosen, name = self.column(scope, step.name, Part.CASE, "u1"), scope.prefix + step.name
        equals = self.case_test(step, scope)
        if "integer" in kinds:
            self.widest[f"{name}.integer"] = self.widest_of(kinds["integer"], scope, step)
        value, present = None, None
        if step.name in self.asked and list(kinds) == ["integer"]:
            value, present = self.variable(step.name), self.variable("present")
        alike: dict[tuple[Step, ...], list[str]] = {}
        for case in step.cases:
            if case.value is not None:
                alike.setdefault(case.steps, []).append(equals(case.value))
        default = next((case.steps for case in step.cases if case.value is None), ())
        before, used, word = len(self.lines), len(self.used), "if"
        self.switches += 1
        for steps, tests in (*alike.items(), (default, None)):
            found = [test for test in tests or () if test]
            if tests is not None and not found:
                continue
            head = f"{word} {' or '.join(found)}:" if tests is not None else "else:" if word == "elif" else "if True:"
            with self.block(head):
                for inner in steps:
                    if isinstance(inner, Align):
                        self.align()
                        continue
                    kind = case_kind(inner)
                    self.put(chosen, str(1 + list(kinds).index(kind)))
                    place = dataclasses.replace(
                        scope,
                        prefix=f"{name}.",
                        path=f"{scope.path}.{step.name}",
                        variables=dict(scope.variables),
                        bytes=dict(scope.bytes),
                        absent=dict(scope.absent),
                    )
                    self.steps([_renamed(inner, kind)], place, end)
                    if value is not None:
                        self.emit(f"{value} = {place.variables[kind,]}", f"{present} = True")
            word = "elif"
        self.switches -= 1
        after, self.lines = self.lines, []
        if value is not None and present is not None:
            self.emit(f"{value} = np.int64(0)", f"{present} = False")
            scope.variables[step.name,], scope.absent[step.name,] = value, present
        self.nothing(used, scope.table)
        after[before:before] = self.lines
        self.lines = after

    def case_test(self, step: ReadSwitch, scope: Scope) -> Callable[[Expression], str]:
        """What says whether a switch has a case's value: a condition, or an empty one that never holds."""
        on = step.on
        if isinstance(on.type, Text | Bytes):
            found = scope.bytes.get(on.value[0])
            if found is None or on.value in scope.absent or scope.prefix + on.value[0] in self.texts:
                raise self.refuse(scope, step, f"a switch on {on}")
            return lambda value: self.is_text(found, value.value)
        variable = self.variable("on")
        test = scope.absent.get(on.value) if on.op == "name" and len(on.value) == 1 else None
        if test is None:
            self.emit(f"{variable} = {self.expression(on, scope, step.name)}")
        else:  # null has no case
            variable = scope.variables[on.value]
        place = dataclasses.replace(
            scope, variables={(_ON,): variable}, absent={} if test is None else {(_ON,): test}, program=None
        )
        known = expression.name((_ON,), on.type, on.low, on.high)
        return lambda value: self.expression(expression.combine("==", known, value), place, step.name)

    def widest_of(self, steps: Sequence[Step], scope: Scope, switch: ReadSwitch) -> str:
        """The type of a column for the integers of some cases."""
        numbers = [content_of(step) for step in steps]
        kinds = [step.kind for step in numbers if isinstance(step, ReadInteger | ReadVarint)]
        bits, signed = max(kind.bits for kind in kinds), any(kind.signed for kind in kinds)
        if signed and any(not kind.signed and kind.bits == bits for kind in kinds):
            bits *= 2
        if bits > 64:
            raise self.refuse(scope, switch, "numbers of more than 64 bits")
        return f"{'i' if signed else 'u'}{bits // 8}"

    def checksum(self, step: Checksum, scope: Scope, end: str, at_end: list[tuple[int, int, str]]) -> None:
        if step.part == "from":
            self.covered[scope.prefix] = self.variable("covered")
            self.emit(f"{self.covered[scope.prefix]} = p")
        if step.part in ("from", "check"):
            return
        position = self.column(scope, step.name, Part.COVERED_POSITION, "i8")
        length = self.column(scope, step.name, Part.COVERED_LENGTH, "i8")
        if step.part == "to":
            self.put(position, self.covered[scope.prefix])
            self.put(length, f"p - {self.covered[scope.prefix]}")
            return
        if step.length is None and not step.to_limit:
            start = self.variable("covered")
            self.emit(f"{start} = p")
            at_end.append((position, length, start))
            return
        size = f"{end} - p" if step.length is None else self.expression(step.length, scope, step.name)
        self.put(position, "p")
        self.put(length, size)


def _is_only_read(step: Step) -> bool:
    """Whether a step reads a number, and nothing else is asked of that."""
    is_free = isinstance(step, ReadInteger | ReadFloat | ReadBits) and step.condition is None
    return is_free and not (isinstance(step, ReadBits) and any(isinstance(one, Check) for one in step.type.steps))


def _size_of(step: Step) -> int:
    match step:
        case ReadInteger():
            return step.kind.bits // 8
        case ReadFloat():
            return step.bits // 8
        case ReadBits():
            return step.size
    raise AssertionError(step)


def _bytes_for(width: int) -> int:
    return next(size for size in (1, 2, 4, 8) if width <= 8 * size)


def of_rows(node: Expression) -> Expression:
    """A condition on the elements of a list as one of an element: other names are those of its parent, and bytes and
    texts its own.
    """

    def of_parent(part: Expression) -> Expression:
        if part.op == "name" and part.value[0] == "_" and len(part.value) == 2 and isinstance(part.type, Text | Bytes):
            return replaced(part, value=part.value[1:])
        if part.op == "name" and part.value[0] not in ("_", "_index", "_root"):
            return replaced(part, value=("_parent", *part.value))
        return replaced(part, arguments=tuple(map(of_parent, part.arguments))) if part.arguments else part

    return of_parent(of_elements(node))


def _renamed(step: Step, name: str) -> Step:
    if not isinstance(step, Window):
        return replaced(step, name=name)
    steps = tuple(_renamed(inner, name) if inner.name == step.name else inner for inner in step.steps)
    return replaced(step, name=name, steps=steps)


def _masked(whole: str, bit: BitField) -> str:
    shifted = f"{whole} >> {bit.shift}" if bit.shift else whole
    return f"({shifted}) & {bit.mask}" if bit.width < 64 else whole


__all__ = ["decode_source"]

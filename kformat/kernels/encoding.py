"""TypeProgram -> the source of its encode kernel: a function, compiled by numba, that encodes columns into bytes.

Its input are the columns of the decode kernel (see `decoding`), except those that follow from others: lengths of bytes
and windows, and counts of lists. For each bytes field it also takes the array that positions and lengths refer to
(`Part.BYTES`). Rows are written one after the other; varints are as short as possible.

Values that `build` fills in may be left out (`EncodeSource.optional`): fields with a ``-derive``, nullable bytes,
lists. Their columns are then empty arrays.

Rows may be divided into units with a limit on bytes or rows. The kernel computes a row's size before writing it; a row
that does not fit begins the next unit. A gap may be left before each unit. Fields with a ``-base`` are then given as
absolute values, and stored relative to that field of the unit's first row.

Each row is measured, checked for room, and then written; a value that the declaration forbids stops the kernel, as
damaged bytes stop the decode kernel. Values of absent fields are ignored, but a field's absence must agree with its
condition.

Payloads with a codec are treated as bytes. Checksums are treated as numbers; those of the rows' own type may be left
out, and are then computed after the kernel (`packing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from kformat.kernels.source import ALL_READ, MAX_STEPS, Emitter, KernelError, Leave, Line, Part, Scope, Source
from kformat.language import expression
from kformat.language.expression import Expression
from kformat.language.program import (
    Check,
    CheckEnd,
    Checksum,
    Field,
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
    TypeProgram,
    Window,
    encode_reason,
    types_of,
)
from kformat.language.steps import all_steps


@dataclass(slots=True)
class _Place(Scope):
    """One structure to write: ``row`` is the variable with its row number in its table."""

    row: str = "n0"
    inner: dict[str, _Place] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    """For optional fields: the variable that says whether they are present."""
    lists: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    """For lists: the variables with their first element and the one after their last, and their table."""
    sizes: dict[str, str] = field(default_factory=dict)
    """For windows: the variable with their size."""
    computed: dict[str, str] = field(default_factory=dict)
    """For lengths and counts: the variable that they are computed into."""
    measured: dict[str, str] = field(default_factory=dict)
    """And the one that says whether that is done: of several fields sharing a length, only one may be present."""
    fields: dict[str, Field] = field(default_factory=dict)
    """The declared fields."""
    late: list[tuple[str, int, ReadInteger | ReadVarint, Expression]] = field(default_factory=list)
    """For fields that may be derived: variable, column, step, and derivation."""


@dataclass(frozen=True, slots=True)
class EncodeSource(Source):
    """The text of an encode kernel; ``optional`` are the numbers of the columns that may be left out."""

    optional: frozenset[int] = frozenset()


def encode_source(program: TypeProgram) -> EncodeSource:
    """The encode kernel of a type.

    Raises KernelError for a type with parameters, or with something that kernels do not support.
    """
    reason = encode_reason(program)
    if reason is not None:
        raise KernelError(f"{program.name}: {reason}, which kernels do not support")
    if _is_decoded_alone(program):
        raise KernelError(f"{program.name}: a switch or conditions on elements, which kernels only decode")
    if program.bits or program.parameters:
        raise KernelError(f"{program.name}: {'bits alone are' if program.bits else 'a type with parameters is'} no row")
    if program.steps_count > MAX_STEPS:
        raise KernelError(f"{program.name}: {program.steps_count} steps; kernels are made of at most {MAX_STEPS}")
    return _Encoder(program).source()


def _is_decoded_alone(program: TypeProgram) -> bool:
    steps = list(all_steps(program.steps))
    lists = [step for step in steps if isinstance(step, ReadList)]
    if any(step.until is not None or step.checks for step in lists) or any(isinstance(s, ReadSwitch) for s in steps):
        return True
    return any(map(_is_decoded_alone, set(types_of(steps))))


def _is_bytes(step: Step) -> bool:
    return isinstance(step, ReadBytes) or (isinstance(step, Window) and step.codec is not None)


def _length_of(step: Step) -> Expression | None:
    match step:
        case ReadBytes() | Window():
            return step.size
        case ReadList():
            return step.count
    return None


class _Encoder(Emitter):
    def __init__(self, program: TypeProgram) -> None:
        super().__init__(program, "encode_" + program.name.replace("::", "__"), 2)
        self.known: dict[tuple[str, Part], int] = {}
        self.optional: set[int] = set()
        if any(isinstance(step, Checksum) and step.part for step in program.steps):
            raise KernelError(f"{program.name}: a checksum of the bytes between two fields")
        self.checksums = {step.name for step in program.steps if isinstance(step, Checksum)}

    def source(self) -> EncodeSource:
        place = _Place("", self.program.name, 0, fields=_fields_of(self.program))
        self.prepare(self.program.steps, place)
        total = self.variable("total")
        self.emit(f"{total} = np.int64(0)")
        self.measure(self.program.steps, place, total)
        with self.block(f"if most_rows > 0 and n0 > first and {total} > most_bytes - (p - begin):"):
            self.emit("is_full = True", "continue")
        with self.block(f"if {total} > len(out) - p:"):
            self.emit(Leave(-1, f"p + {total}"))
        self.write(self.program.steps, place)
        remembered = "state, n0, start, units, first, begin"
        head = [
            "@helper",
            f"def leave_{self.function}({remembered}, site, position, wanted):",
            '    """Remember where it stopped, in front of the row that was begun."""',
            "    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted",
            "    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin",
            "    return site",
            "",
            "",
            "@kernel",
            f"def {self.function}(",
            "    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,",
            *(f"    c{number}," for number in range(len(self.columns))),
            "):",
            *(f"    # c{number}: {self.said(column)}" for number, column in enumerate(self.columns)),
            *(f"    size{number} = sizes[{number}]" for number in range(1, len(self.tables))),
            "    n0, p = state[ROW], state[POSITION]",
            "    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]",
            "    start, is_full = p, False",
            "    while n0 < rows:",
            "        start = p",
            "        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):",
            "            firsts[U(units)] = n0",
            "            p += gap",
            "            start, units, first, begin, is_full = p, units + 1, n0, p, False",
        ]
        tail: list[Line] = [
            "        out_ends[U(n0)] = p",
            "        n0 += 1",
            "    start = p",
            Leave(ALL_READ, depth=1),
        ]
        made = self.finished([*head, *self.lines, *tail], remembered)
        return EncodeSource(
            **{item.name: getattr(made, item.name) for item in fields(made)}, optional=frozenset(self.optional)
        )

    def given(self, place: _Place, name: str, part: Part, kind: str) -> int:
        """The column for a field's part; repeated calls return the same column."""
        key = place.prefix + name, part
        if key not in self.known:
            self.known[key] = self.column(place, name, part, kind)
        return self.known[key]

    def load(self, place: _Place, name: str, part: Part, kind: str) -> str:
        variable = self.variable(name)
        self.emit(f"{variable} = np.int64(c{self.given(place, name, part, kind)}[U({place.row})])")
        return variable

    def number(self, place: _Place, name: str, kind: str, step: ReadInteger | ReadVarint) -> str:
        """The variable of a number that is given, or optional if the declaration derives it."""
        declared = place.fields.get(name)
        column = self.given(place, name, Part.VALUE, kind)
        found = f"np.int64(c{column}[U({place.row})])"
        derive = None if declared is None else declared.derive
        variable = self.variable(name)
        if derive is None and name in self.checksums and not place.prefix:
            self.optional.add(column)
            self.emit(f"{variable} = {found} if len(c{column}) else np.int64(0)")
        elif derive is None:
            self.emit(f"{variable} = {found}")
        elif derive.is_constant and isinstance(derive.value, int):
            self.optional.add(column)
            self.emit(f"{variable} = {found} if len(c{column}) else {self.expression(derive, place, name)}")
        else:
            self.emit(f"{variable} = {found} if len(c{column}) else np.int64(0)")
            place.late.append((variable, column, step, derive))
        if declared is not None and declared.base is not None and not place.table and not place.prefix:
            self.relative(place, step, variable, column)
        return variable

    def relative(self, place: _Place, step: ReadInteger | ReadVarint, variable: str, column: int) -> None:
        """In a unit: the difference between a number and that of the unit's first row."""
        base = self.variable("base")
        with self.block(f"if most_rows > 0 and len(c{column}):"):
            self.emit(f"{base} = np.int64(c{column}[U(first)])")
            with self.block(f"if difference_overflows({variable}, {base}):"):
                self.emit(self.fail(place, step.name, "too far from that of the unit's first row"))
            self.emit(f"{variable} = {variable} - {base}")
            self.within(place, step, variable)

    def within(self, place: _Place, step: ReadInteger | ReadVarint, variable: str) -> None:
        """Check that a computed number is in its type's range."""
        if step.kind.bits < 64:
            with self.block(f"if {variable} < {step.kind.low} or {variable} > {step.kind.high}:"):
                expected = f"{step.kind.low}..{step.kind.high}"
                self.emit(self.fail(place, step.name, f"it does not fit; expected {expected}"))

    def derive_late(self, steps: Sequence[Step], place: _Place) -> None:
        """Derive numbers that were left out; after lengths and counts, as in `build`."""
        unknown = {step.name for _, _, step, _ in place.late} | _measured_in(steps)
        for variable, column, step, derive in place.late:
            if any(path not in place.variables or path[0] in unknown for path in derive.names()):
                continue  # required
            lines, sites = len(self.lines), len(self.sites)
            try:
                with self.block(f"if len(c{column}) == 0:"):
                    self.emit(f"{variable} = {self.expression(derive, place, step.name)}")
                    self.within(place, step, variable)
            except KernelError:  # required, too
                del self.lines[lines:], self.sites[sites:]
                continue
            self.optional.add(column)
            unknown.discard(step.name)

    # Given and derived values

    def prepare(self, steps: Sequence[Step], place: _Place) -> None:
        for name in _computed_in(steps, place.path):
            place.computed[name], place.measured[name] = self.variable(name), self.variable("measured")
            self.emit(f"{place.computed[name]} = np.int64(0)", f"{place.measured[name]} = False")
        self.fill(steps, place)
        self.lengths(steps, place)
        self.derive_late(steps, place)
        self.windows(steps, place)

    def fill(self, steps: Sequence[Step], place: _Place) -> None:
        for step in steps:
            optional = step.condition is not None
            match step:
                case Check() | CheckEnd() | Checksum() | ReadLiteral():
                    continue
                case ReadBytes() | Window() if _is_bytes(step):
                    self.fill_bytes(step, place)
                    if optional:
                        place.present[step.name] = f"{place.bytes[step.name][1]} >= 0"
                    continue
            if optional:
                place.present[step.name] = f"{self.load(place, step.name, Part.VALID, 'u1')} != 0"
            match step:
                case ReadInteger() | ReadVarint():
                    kind = f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}"
                    found = place.computed.get(step.name) or self.number(place, step.name, kind, step)
                    place.variables[(step.name,)] = found
                case ReadFloat():
                    place.variables[(step.name,)] = self.load(place, step.name, Part.VALUE, f"f{step.bits // 8}")
                case ReadBits():
                    for bit in step.bits:
                        size = next(size for size in (1, 2, 4, 8) if bit.width <= 8 * size)
                        place.variables[(step.name, bit.name)] = self.bit(place, step, bit.name, f"u{size}")
                case ReadType():
                    place.inner[step.name] = self.structure_of(step, place, f"{place.prefix}{step.name}.", place.row)
                    for path, variable in place.inner[step.name].variables.items():
                        place.variables[(step.name, *path)] = variable
                case ReadList():
                    self.fill_list(step, place)
                case Window():
                    self.fill(step.steps, place)

    def bit(self, place: _Place, step: ReadBits, name: str, kind: str) -> str:
        path, derive = f"{step.name}.{name}", step.type.field(name).derive
        if derive is None or not derive.is_constant:
            return self.load(place, path, Part.VALUE, kind)
        column, variable = self.given(place, path, Part.VALUE, kind), self.variable(path)
        self.optional.add(column)
        found = f"np.int64(c{column}[U({place.row})])"
        self.emit(f"{variable} = {found} if len(c{column}) else np.int64({int(derive.value)})")
        return variable

    def fill_bytes(self, step: Step, place: _Place) -> None:
        if step.condition is None:
            position = self.load(place, step.name, Part.POSITION, "i8")
            length = self.load(place, step.name, Part.LENGTH, "i8")
        else:
            position, length = self.variable(step.name), self.variable(step.name)
            self.emit(f"{position}, {length} = np.int64(0), np.int64(-1)")
            columns = [self.given(place, step.name, part, "i8") for part in (Part.POSITION, Part.LENGTH)]
            self.optional.update(columns)
            with self.block(f"if len(c{columns[1]}):"):
                for variable, column in zip((position, length), columns, strict=True):
                    self.emit(f"{variable} = np.int64(c{column}[U({place.row})])")
        buffer = self.given(place, step.name, Part.BYTES, "u1")
        wrong = f"{position} < 0 or {length} > len(c{buffer}) - {position}"
        with self.block(f"if {length} >= 0 and ({wrong}):"):
            self.emit(self.fail(place, step.name, "bytes that do not lie in those given"))
        place.bytes[step.name] = position, length

    def fill_list(self, step: ReadList, place: _Place) -> None:
        column = self.given(place, step.name, Part.OFFSETS, "i8")
        name = self.columns[column].name
        if name not in self.tables:
            self.tables.append(name)
        table = self.tables.index(name)
        self.optional.add(column)
        begin, end = self.variable("begin"), self.variable("end")
        self.emit(f"{begin}, {end} = np.int64(0), np.int64(0)")
        with self.block(f"if len(c{column}):"):
            self.emit(f"{begin} = c{column}[U({place.row})]", f"{end} = c{column}[U({place.row} + 1)]")
        with self.block(f"if {begin} < 0 or {end} < {begin} or {end} > size{table}:"):
            self.emit(self.fail(place, step.name, "elements that are not there"))
        place.lists[step.name] = begin, end, table

    def structure_of(self, step: ReadType, place: _Place, prefix: str, row: str, table: int | None = None) -> _Place:
        inner = _Place(prefix, f"{place.path}.{step.name}", place.table if table is None else table, row=row)
        inner.fields = _fields_of(step.type)
        for name, argument in step.arguments:
            if any(path[0] in place.computed for path in argument.names()) and table is None:
                raise KernelError(
                    f"{place.path}.{step.name}: {argument}: a parameter that follows from what is written"
                )
            variable = self.variable(name)
            self.emit(f"{variable} = {self.expression(argument, place, step.name)}")
            inner.variables[(name,)] = variable
        self.prepare(step.type.steps, inner)
        return inner

    def lengths(self, steps: Sequence[Step], place: _Place) -> None:
        """Compute the lengths of bytes and the counts of lists."""
        for step in steps:
            if _is_bytes(step):
                self.compute(step, place, place.bytes[step.name][1])
            elif isinstance(step, ReadList):
                begin, end, _ = place.lists[step.name]
                self.compute(step, place, f"{end} - {begin}")
            elif isinstance(step, Window):
                self.lengths(step.steps, place)

    def windows(self, steps: Sequence[Step], place: _Place) -> None:
        """Measure windows, innermost first, and compute their lengths."""
        for step in steps:
            if isinstance(step, Window) and step.codec is None:
                self.windows(step.steps, place)
                size = place.sizes[step.name] = self.variable("size")
                self.emit(f"{size} = np.int64(0)")
                self.measure(step.steps, place, size)
                self.compute(step, place, size)

    def compute(self, step: Step, place: _Place, length: str) -> None:
        found = _inverse(step)
        if found is None or found[0] not in place.computed:
            return
        name, difference = found
        value = f"{length} + {difference}" if difference else length
        if step.condition is None:
            self.emit(f"{place.computed[name]} = {value}")
            return
        with self.block(f"if {place.present[step.name]}:"):
            self.emit(f"{place.computed[name]} = {value}", f"{place.measured[name]} = True")
        if (name,) in step.condition.names():  # the length itself marks the field as null
            with self.block(f"elif not {place.measured[name]}:"):
                self.emit(f"{place.computed[name]} = np.int64({-1 + difference})")

    # Sizes

    def measure(self, steps: Iterable[Step], place: _Place, total: str) -> None:
        """Add the number of bytes that the steps write to a variable."""
        for step in steps:
            if isinstance(step, Check | CheckEnd | Checksum):
                continue
            if step.condition is None:
                self.measure_one(step, place, total)
                continue
            present = place.present.get(step.name)
            with self.block(f"if {present or self.expression(step.condition, place, step.name)}:"):
                self.measure_one(step, place, total)

    def measure_one(self, step: Step, place: _Place, total: str) -> None:
        size = _fixed_size(step)
        if size is not None:
            self.emit(f"{total} += {size}")
            return
        match step:
            case ReadVarint():
                self.emit(f"{total} += varint_size({_raw(step, place.variables[(step.name,)])})")
            case ReadBytes() | Window() if _is_bytes(step):
                self.emit(f"{total} += max({place.bytes[step.name][1]}, 0)")
            case Window():
                self.emit(f"{total} += {place.sizes[step.name]}")
            case ReadType():
                self.measure(step.type.steps, place.inner[step.name], total)
            case ReadList():
                begin, end, table = place.lists[step.name]
                size = _fixed_size(step.element)
                if size is not None:
                    self.emit(f"{total} += ({end} - {begin}) * {size}")
                    return
                index = self.variable("element")
                with self.block(f"for {index} in range({begin}, {end}):"):
                    inner, inside = self.element(step, place, index, table)
                    self.measure(inside, inner, total)

    def element(self, step: ReadList, place: _Place, index: str, table: int) -> tuple[_Place, Sequence[Step]]:
        """The place of an element, and its steps."""
        if isinstance(step.element, ReadType):
            inner = self.structure_of(step.element, place, f"{place.prefix}{step.name}.", index, table)
            return inner, step.element.type.steps
        inner = _Place(place.prefix, place.path, table, dict(place.variables), row=index)
        self.fill([step.element], inner)
        return inner, [step.element]

    # Bytes

    def write(self, steps: Sequence[Step], place: _Place) -> None:
        for step in steps:
            if isinstance(step, CheckEnd | Checksum):
                continue
            if step.condition is None:
                self.write_one(step, place)
                continue
            condition = self.expression(step.condition, place, step.name)
            present = place.present.get(step.name)
            if present is not None and not isinstance(step, Check):
                with self.block(f"if ({present}) != ({condition}):"):
                    self.emit(self.fail(place, step.name, "there where it may not be, or absent where it may not be"))
            with self.block(f"if {condition}:"):
                self.write_one(step, place)

    def write_one(self, step: Step, place: _Place) -> None:
        match step:
            case ReadInteger():
                value = self.fitting(step, place)
                self.store(value, step.kind.bits // 8, step.little_endian)
            case ReadFloat():
                self.store(place.variables[(step.name,)], step.bits // 8, step.little_endian)
            case ReadVarint():
                self.emit(f"p = store_varint(out, p, {_raw(step, self.fitting(step, place))})")
            case ReadBits():
                self.write_bits(step, place)
            case ReadLiteral():
                constant = self.bytes_constant(step.contents)
                self.emit(f"copy(out, p, {constant}, 0, {len(step.contents)})", f"p += {len(step.contents)}")
            case ReadBytes() | Window() if _is_bytes(step):
                position, length = place.bytes[step.name]
                with self.block(f"if {length} < 0:"):
                    self.emit(self.fail(place, step.name, "it may not be null"))
                self.agrees(step, place, length)
                buffer = self.given(place, step.name, Part.BYTES, "u1")
                self.emit(f"copy(out, p, c{buffer}, {position}, {length})", f"p += {length}")
            case Window():
                self.agrees(step, place, place.sizes[step.name])
                self.write(step.steps, place)
            case ReadType():
                self.write(step.type.steps, place.inner[step.name])
            case ReadList():
                begin, end, table = place.lists[step.name]
                self.agrees(step, place, f"{end} - {begin}")
                index = self.variable("element")
                with self.block(f"for {index} in range({begin}, {end}):"):
                    inner, inside = self.element(step, place, index, table)
                    self.write(inside, inner)
            case Check():
                self.check_written(step, place)

    def fitting(self, step: ReadInteger | ReadVarint, place: _Place) -> str:
        """The variable of a number; a computed one is checked against its type."""
        value, kind = place.variables[(step.name,)], step.kind
        if step.name in place.computed and kind.bits < 64:
            with self.block(f"if {value} < {kind.low} or {value} > {kind.high}:"):
                self.emit(self.fail(place, step.name, f"a length that does not fit; expected {kind.low}..{kind.high}"))
        return value

    def store(self, value: str, size: int, little_endian: bool) -> None:
        if size == 1:
            self.emit(f"out[U(p)] = np.uint8({value} & 255)")
        elif size in (2, 4, 8) and not little_endian:
            self.emit(f"store_{size}(out, p, {value})")
        else:
            self.emit(f"store(out, p, {value}, {size}, {little_endian})")
        self.emit(f"p += {size}")

    def write_bits(self, step: ReadBits, place: _Place) -> None:
        parts = []
        for bit in step.bits:
            variable = place.variables[(step.name, bit.name)]
            if bit.width < 64:
                with self.block(f"if {variable} < 0 or {variable} > {bit.mask}:"):
                    self.emit(self.fail(place, f"{step.name}.{bit.name}", f"it does not fit; expected 0..{bit.mask}"))
            parts.append(f"{variable} << {bit.shift}" if bit.shift else variable)
        whole = self.variable(step.name)
        self.emit(f"{whole} = {' | '.join(parts)}")
        inner = Scope(place.prefix, f"{place.path}.{step.name}", place.table)
        inner.variables = {(bit.name,): place.variables[(step.name, bit.name)] for bit in step.bits}
        for check in step.type.steps:
            if isinstance(check, Check):
                self.check(check, inner)
        self.store(whole, step.size, False)

    def agrees(self, step: Step, place: _Place, length: str) -> None:
        """Check a length against its declaration, unless it was computed from that."""
        size, found = _length_of(step), _inverse(step)
        if size is None or (found is not None and found[0] in place.computed and step.condition is None):
            return
        wanted = self.expression(size, place, step.name)
        if isinstance(step, ReadList) and size.low < 0:  # a negative count is that of no element
            wanted = f"max({wanted}, 0)"
        with self.block(f"if {length} != {wanted}:"):
            self.emit(self.fail(place, step.name, f"not of the size that the declaration asks for; expected {size}"))

    def check_written(self, step: Check, place: _Place) -> None:
        if step.rule is not None:
            self.check(step, place)
            return
        buffer = self.given(place, step.name, Part.BYTES, "u1")
        self.check(step, place, f"c{buffer}")


def _fields_of(program: TypeProgram) -> dict[str, Field]:
    return {item.name: item for item in program.fields}


def _raw(step: ReadVarint, value: str) -> str:
    return f"({value} << 1) ^ ({value} >> 63)" if step.zigzag else value


def _inverse(step: Step) -> tuple[str, int] | None:
    size = _length_of(step)
    found = None if size is None else expression.inverse(size)
    return (found[0][0], found[1]) if found is not None and len(found[0]) == 1 else None


def _computed_in(steps: Sequence[Step], path: str) -> list[str]:
    """The fields of a structure that follow from others of it."""
    numbers = {step.name for step in _flat(steps) if isinstance(step, ReadInteger | ReadVarint)}
    found: dict[str, Step] = {}
    for step in _flat(steps):
        inverse = _inverse(step)
        if inverse is not None and inverse[0] in numbers:
            other = found.setdefault(inverse[0], step)
            if other is not step and (other.condition is None or step.condition is None):
                raise KernelError(f"{path}.{inverse[0]}: the length of both {other.name} and {step.name}")
    return list(found)


def _measured_in(steps: Iterable[Step]) -> set[str]:
    """The fields that hold the lengths of windows."""
    inverses = (_inverse(step) for step in _flat(steps) if isinstance(step, Window) and step.codec is None)
    return {inverse[0] for inverse in inverses if inverse is not None}


def _flat(steps: Iterable[Step]) -> Iterable[Step]:
    """The steps of a structure, including those in its windows."""
    for step in steps:
        yield step
        if isinstance(step, Window) and step.codec is None:
            yield from _flat(step.steps)


def _fixed_size(step: Step) -> int | None:
    """The number of bytes of an unconditional step of fixed size."""
    match step:
        case ReadInteger():
            return step.kind.bits // 8
        case ReadFloat():
            return step.bits // 8
        case ReadBits():
            return step.size
        case ReadLiteral():
            return len(step.contents)
        case ReadType():
            reads = [inner for inner in step.type.steps if not isinstance(inner, Check | CheckEnd | Checksum)]
            sizes = [_fixed_size(inner) if inner.condition is None else None for inner in reads]
            return None if None in sizes else sum(size for size in sizes if size is not None)
    return None

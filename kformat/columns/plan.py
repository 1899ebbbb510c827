"""The columns of a type's rows: a tree of shapes, made from its program alone.

A back end fills the tree and decides nothing: this module decides which fields there are, their names, and their Arrow
types. The rules:

    integers            `Number`: of the declared width; bits: of the smallest that holds them; computed ones: 64 bits;
                        the cases of a switch: of a width for all of them
    floats, b1          `Real`, `Flag`
    enums               `EnumNames`: text, a number without a name as its digits; or, on request, numbers
    bytes, text         `Binary`, `TextShape`
    logical types       `LogicalShape`: what stored numbers and bytes mean
    structures, lists   `RecordShape`, `Many`
    switches            `OneOf`: a structure with a nullable column for each kind of case, named after its type, or
                        ``bytes``, ``text``, ``integer``, ``float``, ``boolean``; if all cases are of one such kind,
                        that
    tags                `TagShape`: the content of the tag, or its default
    a path in a row     `Through`: a flat column with its value (``header.length``), in lists a list of them

Without a choice a row has all its fields, tags and value instances, but not literals (``contents``), fields that are
hidden or have no id, and instances that are read from another place or are structures; those are there by name. What
can have no column is in `Plan.left_out`, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from kformat.columns.rows import Rows, for_names
from kformat.errors import UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language import types
from kformat.language.node import Node
from kformat.language.program import (
    BitField,
    Enum,
    Field,
    Instance,
    LogicalType,
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
    TaggedField,
    TypeProgram,
    Window,
    case_kind,
)
from kformat.language.types import Type

FILE, POSITION, INDEX = "_file", "_position", "_index"
ROOT, PARENT = "_root", "_parent"
OF_THE_PLACE: Final = (FILE, POSITION, INDEX)
"""Columns of where a row is: the file's name, the row's first byte in it, its index in its list."""

MAX_COLUMNS: Final = 5000
"""Most columns of a row, with all in them; more have to be chosen."""


class Number(Node):
    """An integer; 128 bits: it may be any number of 64 bits, signed or not."""

    bits: int
    signed: bool


class Real(Node):
    bits: int


class Flag(Node):
    pass


class Binary(Node):
    pass


class TextShape(Node):
    """``encoding``: the declared one; None for computed text."""

    encoding: str | None = None


class EnumNames(Node):
    """Members of an enum; ``number`` is the shape of their numbers."""

    enum: Enum
    number: Number


class LogicalShape(Node):
    """What a number, or bytes, mean (``-as``); ``stored`` is the shape of what is stored."""

    logical: LogicalType
    stored: Shape


class RecordShape(Node):
    columns: tuple[Column, ...]


class Many(Node):
    element: Shape
    is_nullable: bool = False


class OneOf(Node):
    """The cases of a switch; ``kinds`` are the kinds of their values (`case_kind`)."""

    cases: tuple[Column, ...]
    kinds: tuple[str, ...]


class TagShape(Node):
    """A tag that is an attribute (``-tagged``): ``values`` and ``numbers`` lead from the structure to the contents of
    all tags in its list, and to their numbers; ``inner`` is the shape of one content.
    """

    inner: Shape
    values: Shape
    numbers: Shape
    tagged: TaggedField


class Through(Node):
    """The value of one attribute of a structure, or of one case of a switch (``kind``, with an attribute None)."""

    attribute: str | None
    kind: str
    inner: Shape


Shape: TypeAlias = (
    Number
    | Real
    | Flag
    | Binary
    | TextShape
    | EnumNames
    | LogicalShape
    | RecordShape
    | Many
    | OneOf
    | TagShape
    | Through
)


class Column(Node):
    """A column; ``attribute`` is the attribute of a value: the name, except in a `OneOf`, or for a path."""

    name: str
    attribute: str
    shape: Shape
    is_nullable: bool


class ChosenColumn(NamedTuple):
    """A column of the result. ``origin`` is the owner of the attribute: the row (""), `ROOT` or `PARENT`; or one of
    `OF_THE_PLACE` itself.
    """

    column: Column
    origin: str


def numbers_of_names(column: Column, path: str) -> dict[str, dict[str, int]]:
    """The path of each enum in a column -> the numbers of its names."""
    numbers, pending = dict[str, dict[str, int]](), [(path, column.shape)]
    while pending:
        here, shape = pending.pop()
        match shape:
            case EnumNames():
                numbers[here] = {name: number for number, name in reversed(shape.enum.members.items())}
            case Many():
                pending.append((here, shape.element))
            case Through() | TagShape():
                pending.append((here, shape.inner))
            case RecordShape() | OneOf():
                inner = shape.columns if isinstance(shape, RecordShape) else shape.cases
                pending += [(f"{here}.{child.name}", child.shape) for child in inner]
    return numbers


class Plan(NamedTuple):
    """The columns of rows; the reason in ``rows`` is the one for these columns."""

    rows: Rows
    columns: tuple[ChosenColumn, ...]
    left_out: dict[str, str]


# --- the shapes of steps ---------------------------------------------------------------------------------------------


class Left(Node):
    """The reason why there is no column."""

    reason: str


class DeclaredEntry(NamedTuple):
    """A field or instance as declared; ``shape`` makes its shape."""

    name: str
    shape: Callable[[], Shape | Left]
    is_nullable: bool
    is_default: bool


class Shapes:
    """The shapes of types; ``names``: enums are `EnumNames`; ``stored``: none is a `LogicalShape`."""

    def __init__(self, names: bool, stored: bool = False) -> None:
        self.names, self.stored = names, stored
        self.count = 0

    def record(
        self, program: TypeProgram, around: tuple[TypeProgram, ...], path: str, left: dict[str, str]
    ) -> RecordShape:
        """The structure with its default columns."""
        columns = []
        for entry in self.entries(program, around):
            if not entry.is_default:
                continue
            shape, here = entry.shape(), f"{path}{entry.name}"
            shape = self.complete(shape, here, left)
            if isinstance(shape, Left):
                left[here] = shape.reason
                continue
            self.count += 1
            if self.count > MAX_COLUMNS:
                raise UsageError(f"{program.name} has more than {MAX_COLUMNS} columns; name those that you want")
            columns.append(Column(entry.name, entry.name, shape, entry.is_nullable))
        return RecordShape(tuple(columns))

    def complete(self, shape: Shape | Open | Left, path: str, left: dict[str, str]) -> Shape | Left:
        """The shape with all columns of its structures."""
        match shape:
            case Open():
                record = self.record(shape.program, shape.around, f"{path}.", left)
                return record if record.columns else Left("a structure without columns")
            case Many():
                element = self.complete(shape.element, path, left)
                return element if isinstance(element, Left) else Many(element, shape.is_nullable)
            case OneOf():
                cases, kinds = [], []
                for case, kind in zip(shape.cases, shape.kinds, strict=True):
                    inner = self.complete(case.shape, f"{path}.{case.name}", left)
                    if isinstance(inner, Left):
                        left[f"{path}.{case.name}"] = inner.reason
                    else:
                        cases.append(Column(case.name, case.name, inner, True))
                        kinds.append(kind)
                return OneOf(tuple(cases), tuple(kinds)) if cases else Left("no case has a column")
            case TagShape():
                inner = self.complete(shape.inner, path, left)
                if isinstance(inner, Left):
                    return inner
                return TagShape(inner, _around(shape.tagged, inner), shape.numbers, shape.tagged)
        return shape

    def entries(self, program: TypeProgram, around: tuple[TypeProgram, ...]) -> Iterator[DeclaredEntry]:
        """All fields and instances of a type."""
        inside = (*around, program)
        if program.bits:
            for bit in program.bits:
                yield DeclaredEntry(bit.name, lambda bit=bit: self.bit(bit, program), False, True)  # type: ignore[misc]
            return
        steps = dict(_steps_by_name(program.steps))
        for field in program.fields:
            step = steps.get(field.name)
            if field.raw or step is None:
                continue
            for tagged in program.tagged:
                if tagged.before == field.name:
                    yield self.tag(tagged, inside)
            default = not (isinstance(step, ReadLiteral) or field.name.startswith("_") or field.hidden)
            yield DeclaredEntry(
                field.name,
                lambda step=step, field=field: self.meant(self.of(step, inside), field),  # type: ignore[misc]
                field.optional,
                default,
            )
        for tagged in program.tagged:
            if not tagged.before:
                yield self.tag(tagged, inside)
        for instance in program.instances:
            is_default = instance.value is not None and instance.field.type is None
            is_default = is_default and not types.is_structure(instance.field.value_type or types.ANY)
            yield DeclaredEntry(
                instance.field.name,
                lambda instance=instance: self.meant(self.of_instance(instance, inside), instance.field),  # type: ignore[misc]
                True,
                is_default,
            )

    def tag(self, tagged: TaggedField, inside: tuple[TypeProgram, ...]) -> DeclaredEntry:
        """A tag as an entry of the structure that has it."""
        step = dict(_steps_by_name(tagged.case.steps))[tagged.field.name]

        def shape() -> Any:
            inner = self.meant(self.of(step, inside), tagged.field)
            if isinstance(inner, Left):
                return inner
            number = dict(_steps_by_name(_elements(tagged, inside[-1]).steps))[tagged.number]
            numbers = _through(tagged.path, Many(Through(tagged.number, "", self.of(number, inside))))
            return TagShape(inner, _around(tagged, inner), numbers, tagged)

        return DeclaredEntry(tagged.field.name, shape, tagged.default is None or tagged.field.optional, True)

    def of(self, step: Step, around: tuple[TypeProgram, ...]) -> Any:
        match step:
            case ReadInteger() | ReadVarint():
                return self.integer(Number(step.kind.bits, step.kind.signed), step.enum)
            case ReadFloat():
                return Real(step.bits)
            case ReadBit():
                return Flag() if step.boolean else self.bits(step.width, step.enum)
            case ReadBits():
                return self.structure(step.type, around)
            case ReadBytes():
                return Binary() if step.encoding is None else TextShape(step.encoding)
            case ReadLiteral():
                return Binary()
            case ReadType():
                return self.structure(step.type, around)
            case ReadList():
                element = self.of(step.element, around)
                if isinstance(element, Left):
                    return element
                return Many(element, step.element.condition is not None or _may_be_null(step.element))
            case Window():
                inner = [part for part in step.steps if part.name == step.name]
                return self.of(inner[0], around) if inner else Left("bytes that several fields share")
            case ReadSwitch():
                return self.one_of(step, around)
            case ReadOpaque():
                return Left("a type that other code reads")
        raise AssertionError(step)

    def structure(self, program: TypeProgram, around: tuple[TypeProgram, ...]) -> Any:
        return Left("the type contains itself") if program in around else Open(program, around)

    def integer(self, number: Number, enum: Enum | None) -> Shape:
        return EnumNames(enum, number) if enum is not None and self.names else number

    def meant(self, shape: Any, field: Field) -> Any:
        """The shape of a field, or of an instance, by its logical type; of a list the elements have it."""
        if field.logical is None or self.stored or isinstance(shape, Left):
            return shape
        if isinstance(shape, Many):
            return Many(self.meant(shape.element, field), shape.is_nullable)
        return LogicalShape(field.logical, shape.number if isinstance(shape, EnumNames) else shape)

    def bit(self, bit: BitField, program: TypeProgram) -> Shape | Left:
        field = next(field for field in program.fields if field.name == bit.name)
        return self.meant(self.bits(bit.width, bit.enum), field)

    def bits(self, width: int, enum: Enum | None) -> Shape | Left:
        bits = next((bits for bits in (8, 16, 32, 64) if width <= bits), None)
        return Left(f"a number of {width} bits") if bits is None else self.integer(Number(bits, False), enum)

    def one_of(self, step: ReadSwitch, around: tuple[TypeProgram, ...]) -> Any:
        shapes: dict[str, Any] = {}
        for case in step.cases:
            for inner in case.steps:
                content: Step | None = inner
                while isinstance(content, Window):
                    content = next((part for part in content.steps if part.name == step.name), None)
                if content is None or content.name != step.name or not _takes_bytes(content):
                    continue
                shape = self.of(content, around)
                kind = case_kind(content)
                shapes[kind] = _wider(shapes[kind], shape) if kind in shapes else shape
        if not shapes:
            return Left("no case has a value")
        if len(shapes) == 1 and not isinstance(next(iter(shapes.values())), Open | Left):
            return next(iter(shapes.values()))
        names: dict[str, str] = {}
        for kind in shapes:
            name = kind.rsplit("::", 1)[-1]
            while name in names.values():
                name += "_"
            names[kind] = name
        cases = tuple(Column(names[kind], names[kind], shape, True) for kind, shape in shapes.items())
        return OneOf(cases, tuple(shapes))

    def of_instance(self, instance: Instance, around: tuple[TypeProgram, ...]) -> Any:
        field = instance.field
        if instance.value is None:
            step = dict(_steps_by_name(instance.steps)).get(field.name)
            return Left("nothing is read") if step is None else self.of(step, around)
        if field.type is not None:
            return self.structure(field.type, around)
        number = _computed(instance.value.low, instance.value.high)
        if instance.enum is not None:
            return self.integer(number, instance.enum)
        return self.computed(field.value_type or instance.value.type, number, field)

    def computed(self, type: Type | None, number: Number, field: Field) -> Any:
        match type:
            case types.Integer():
                return number
            case types.EnumType():
                return self.integer(number, field.enum)
            case types.Float():
                return Real(64)
            case types.Boolean():
                return Flag()
            case types.Bytes():
                return Binary()
            case types.Text():
                return TextShape()
            case types.ListOf():
                element = self.computed(type.element, _computed(MIN_INT64, MAX_INT64), field)
                return element if isinstance(element, Left) else Many(element, True)
        return Left(f"a value that is {type}")


def _through(path: tuple[str, ...], shape: Any) -> Any:
    for name in reversed(path):
        shape = Through(name, "", shape)
    return shape


def _around(tagged: TaggedField, inner: Any) -> Any:
    """The shape of the contents of all tags of a list that have one number."""
    content = Through(tagged.data, "", Through(None, tagged.case.name, Through(tagged.field.name, "", inner)))
    return _through(tagged.path, Many(content, True))


def _elements(tagged: TaggedField, program: TypeProgram) -> TypeProgram:
    """The type of a list's elements."""
    for name in tagged.path:
        kind = program.field(name).type
        assert kind is not None
        program = kind
    return program


class Open(Node):
    """A structure whose columns are not listed yet."""

    program: TypeProgram
    around: tuple[TypeProgram, ...]


def _computed(low: int, high: int) -> Number:
    is_unsigned = 0 <= low and high > MAX_INT64
    return Number(64, not is_unsigned or high > 2 * MAX_INT64 + 1)


def _wider(first: Any, second: Any) -> Any:
    """A shape for the values of two cases of one kind."""
    if isinstance(first, EnumNames) and isinstance(second, EnumNames) and first.enum == second.enum:
        return EnumNames(first.enum, _wider(first.number, second.number))
    numbers = [shape.number if isinstance(shape, EnumNames) else shape for shape in (first, second)]
    if all(isinstance(number, Number) for number in numbers):
        bits = max(number.bits for number in numbers)
        signed = any(number.signed for number in numbers)
        unsigned = max((number.bits for number in numbers if not number.signed), default=0)
        return Number(bits * 2 if signed and unsigned == bits else bits, signed)
    if isinstance(first, Real) and isinstance(second, Real):
        return Real(max(first.bits, second.bits))
    return first


def _may_be_null(step: Step) -> bool:
    return isinstance(step, ReadSwitch) or (isinstance(step, Window) and any(map(_may_be_null, step.steps)))


def _takes_bytes(step: Step) -> bool:
    kinds = ReadInteger | ReadVarint | ReadFloat | ReadBit | ReadBits | ReadBytes | ReadLiteral | ReadType | ReadList
    return isinstance(step, kinds | ReadOpaque | ReadSwitch)


def _steps_by_name(steps: Iterable[Step]) -> Iterator[tuple[str, Step]]:
    """The steps that set a field, including those of windows whose fields are the type's own."""
    for step in steps:
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            yield from _steps_by_name(step.steps)
        elif isinstance(step, Window) or _takes_bytes(step):
            yield step.name, step


# --- choosing columns -------------------------------------------------------------------------------------------------


def plan_of(rows: Rows, columns: Iterable[str] | None, enums: str, *, stored: bool = False) -> Plan:
    """The columns of rows; ``columns`` and ``enums`` as for `scanning.scan`; ``stored``: logical types are what is
    stored. Raises UsageError.
    """
    if enums not in ("names", "numbers"):
        raise UsageError(f"enums is {enums!r:.60}; 'names' or 'numbers' is expected")
    return _plan(rows, _texts(columns), enums == "names", stored)


def _texts(columns: Any) -> tuple[str, ...] | None:
    """The names of columns, or of one column; UsageError for anything else."""
    if columns is None:
        return None
    if isinstance(columns, str):
        return (columns,)
    names = tuple(columns) if isinstance(columns, Iterable) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"columns are {columns!r:.60}; a list of paths is expected")
    return names


@lru_cache(maxsize=64)
def _plan(rows: Rows, wanted: tuple[str, ...] | None, names: bool, stored: bool) -> Plan:
    shapes, left = Shapes(names, stored), dict[str, str]()
    if wanted is None:
        record = shapes.record(rows.type, (), "", left)
        if not record.columns:
            raise UsageError(f"{rows.type.name} has no columns")
        return _planned(rows, tuple(ChosenColumn(column, "") for column in record.columns), left)
    if not wanted:
        raise UsageError(f"no column is selected; there are {_there_are(shapes, rows.type)}")
    twice = sorted({name for name in wanted if wanted.count(name) > 1})
    if twice:
        raise UsageError(f"a column is named twice: {', '.join(twice)}")
    return _planned(rows, tuple(_chosen(shapes, rows, name, left) for name in wanted), left)


def _planned(rows: Rows, columns: tuple[ChosenColumn, ...], left: dict[str, str]) -> Plan:
    own, around = set[str](), set[str]()
    for column, origin in columns:
        if origin not in OF_THE_PLACE:
            names = around if origin else own
            if not isinstance(column.shape, Through):
                names.add(column.attribute)
            names.update(_attributes(column.shape))
    return Plan(for_names(rows, own, around), columns, left)


def _attributes(shape: Shape) -> Iterator[str]:
    """The attributes from which a column takes its values."""
    match shape:
        case RecordShape():
            for column in shape.columns:
                yield column.attribute
                yield from _attributes(column.shape)
        case Many():
            yield from _attributes(shape.element)
        case OneOf():
            for case in shape.cases:
                yield from _attributes(case.shape)
        case TagShape():
            yield from (*shape.tagged.path, shape.tagged.number, shape.tagged.data)
            yield from _attributes(shape.inner)
        case Through():
            if shape.attribute is not None:
                yield shape.attribute
            yield from _attributes(shape.inner)


def _chosen(shapes: Shapes, rows: Rows, name: str, left: dict[str, str]) -> ChosenColumn:
    if name in OF_THE_PLACE:
        number = Number(64, True)
        is_maybe_absent = name == POSITION and rows.reason is not None  # rows may be in decoded bytes
        return ChosenColumn(Column(name, name, TextShape() if name == FILE else number, is_maybe_absent), name)
    origin, _, inner = name.partition(".")
    if origin in (ROOT, PARENT) and inner:
        holders = [rows.root]
        for word in rows.path[:-1]:
            holders.append(_type_at(holders[-1], word))
        program = rows.root if origin == ROOT else holders[-1]
        path = rows.path if origin == ROOT or len(holders) == 1 else rows.path[-1:]
        _refuse_later(program, inner.split(".")[0], path, name)
        return ChosenColumn(_column(shapes, program, inner, name, left), origin)
    return ChosenColumn(_column(shapes, rows.type, name, name, left), "")


def _type_at(program: TypeProgram, name: str) -> TypeProgram:
    from_steps = [*program.steps, *(step for instance in program.instances for step in instance.steps)]
    for step in from_steps:
        type_program = _first_type(step, name)
        if type_program is not None:
            return type_program
    raise AssertionError(name)


def _first_type(step: Step, name: str) -> TypeProgram | None:
    if isinstance(step, ReadType):
        return step.type if step.name == name else None
    inner: Sequence[Step] = ()
    match step:
        case ReadList():
            inner = (step.element,)
        case Window():
            inner = step.steps
        case ReadSwitch():
            inner = tuple(part for case in step.cases for part in case.steps)
    return next((program for part in inner if (program := _first_type(part, name)) is not None), None)


def _refuse_later(program: TypeProgram, name: str, path: tuple[str, ...], column: str) -> None:
    """Refuse a column around the rows that is read with the rows, or after them."""
    names = [step.name for step in program.steps]
    if path and name in names and path[0] in names and names.index(name) >= names.index(path[0]):
        raise UsageError(f"{column}: {name} is read with the rows or after them, and only what precedes them is joined")


def _column(shapes: Shapes, program: TypeProgram, text: str, name: str, left: dict[str, str]) -> Column:
    """The flat column of a path."""
    words = text.split(".")
    shape, is_nullable = _inside(shapes, Open(program, ()), words, 0, name)
    completed = shapes.complete(shape, name, left)
    if isinstance(completed, Left):
        raise UsageError(f"{name}: no column: {completed.reason}")
    return Column(name, name, _closed(shapes, completed, name, left), is_nullable)


def _closed(shapes: Shapes, shape: Any, name: str, left: dict[str, str]) -> Any:
    """The shape of a path with its last part completed."""
    if isinstance(shape, TagShape):
        inner = shapes.complete(shape.inner, name, left)
        if isinstance(inner, Left):
            raise UsageError(f"{name}: no column: {inner.reason}")
        inner = _closed(shapes, inner, name, left)
        return TagShape(inner, _around(shape.tagged, inner), shape.numbers, shape.tagged)
    if isinstance(shape, Through):
        inner = shapes.complete(shape.inner, name, left)
        if isinstance(inner, Left):
            raise UsageError(f"{name}: no column: {inner.reason}")
        return Through(shape.attribute, shape.kind, _closed(shapes, inner, name, left))
    if isinstance(shape, Many):
        return Many(_closed(shapes, shape.element, name, left), shape.is_nullable)
    return shape


def _inside(shapes: Shapes, shape: Any, words: list[str], depth: int, name: str) -> tuple[Any, bool]:
    if isinstance(shape, Left):
        raise UsageError(f"{name}: {'.'.join(words[:depth]) or name} has no column: {shape.reason}")
    if depth == len(words):
        return shape, False
    word = words[depth]
    if isinstance(shape, TagShape):
        inner, _ = _inside(shapes, shape.inner, words, depth, name)
        return TagShape(inner, _around(shape.tagged, inner), shape.numbers, shape.tagged), True
    if isinstance(shape, Many):
        inner, is_nullable = _inside(shapes, shape.element, words, depth, name)
        return Many(inner, shape.is_nullable or is_nullable), False
    if isinstance(shape, OneOf):
        for case, kind in zip(shape.cases, shape.kinds, strict=True):
            if case.name == word:
                return Through(None, kind, _inside(shapes, case.shape, words, depth + 1, name)[0]), True
        there = ", ".join(case.name for case in shape.cases)
        raise UsageError(f"{name}: {'.'.join(words[:depth])} has no case {word!r:.60}; there are {there}")
    if not isinstance(shape, Open):
        raise UsageError(f"{name}: there is nothing in {'.'.join(words[:depth])}, which is no structure")
    for entry in shapes.entries(shape.program, shape.around):
        if entry.name == word:
            inner, is_nullable = _inside(shapes, entry.shape(), words, depth + 1, name)
            return Through(word, "", inner), is_nullable or entry.is_nullable
    there = _there_are(shapes, shape.program)
    raise UsageError(f"{name}: {shape.program.name} has no field {word!r:.60}; there are {there}")


def _there_are(shapes: Shapes, program: TypeProgram) -> str:
    return ", ".join(entry.name for entry in shapes.entries(program, ())) or "none"


__all__ = [
    "Binary",
    "ChosenColumn",
    "Column",
    "EnumNames",
    "Flag",
    "Left",
    "LogicalShape",
    "Many",
    "Number",
    "OneOf",
    "Open",
    "Plan",
    "Real",
    "RecordShape",
    "Shape",
    "Shapes",
    "TagShape",
    "TextShape",
    "Through",
    "plan_of",
]

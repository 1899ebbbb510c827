"""Rows of a fixed size as Arrow arrays, with numpy alone: a view of the bytes, and a copy of each column in the
machine's byte order.

This covers types whose every field has a fixed size and no condition, with rules and value instances that are integer
arithmetic which cannot fail (`vector`). Rules are computed for all rows at once; the codec reads the first row that
breaks one, for its error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import lru_cache, reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.codec.leftover import reads_elsewhere
from kformat.codec.parser.lists import can_be_taken
from kformat.columns.arrow import allocate, pyarrow
from kformat.columns.filling import arrow_type
from kformat.columns.logical import NoMeaning, logical_array
from kformat.columns.plan import (
    EnumNames,
    Flag,
    LogicalShape,
    Many,
    Number,
    Plan,
    RecordShape,
    Shape,
    TextShape,
    Through,
)
from kformat.columns.rows import is_one_list, with_computed
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kernels import texts_of
from kformat.language.encodings import LENIENT
from kformat.language.expression import Expression
from kformat.language.layout import layout
from kformat.language.program import (
    Check,
    Instance,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps, content_of, reached, words_of
from kformat.language.types import Boolean, EnumType, Float, Integer

Array = npt.NDArray[Any]
Make = Callable[[Array], Any]
"""Rows, or fields of rows -> an Arrow array, or an array of numbers."""


class NotFixed(Exception):
    """The reason why the codec reads the rows."""


class Unsound(Exception):
    """A row has text that is not in its encoding, or a number that its logical type does not have; ``args[0]`` is the
    index of the first one."""


class Fixed:
    """Decodes the rows of a plan; NotFixed if they are not of this kind."""

    def __init__(self, plan: Plan) -> None:
        program = plan.rows.type
        reason = why_not_alone(plan)
        if reason is not None:
            raise NotFixed(reason)
        rows = list_of(plan)[0] if plan.rows.path else None
        if plan.rows.path and (rows is None or rows.until is not None or rows.checks or program.parameters):
            raise NotFixed("the list has conditions or rules of its own")
        if not layout(program).is_fixed or program.bits:
            raise NotFixed("rows have no fixed size")
        self.size, self.dtype = layout(program).size, layout(program).dtype
        self.tests: list[Callable[[Array], Array]] = []
        _add_tests(program, lambda rows: rows, self.tests)
        self.columns: list[tuple[str, Make | None]] = []
        for chosen in plan.columns:
            column = chosen.column
            make = None
            if chosen.origin == "":
                is_path = isinstance(column.shape, Through)
                shape = column.shape if is_path else Through(column.attribute, "", column.shape)
                make = self.maker(shape, program)
            self.columns.append((chosen.origin, make))

    def rows(self, data: Any, start: int, count: int) -> Array:
        """A view of some rows."""
        return np.frombuffer(data, self.dtype, count, start)

    def sound(self, rows: Array) -> int:
        """The number of rows, from the first on, that keep all rules."""
        kept = self.kept(rows)
        return len(rows) if kept is None or kept.all() else int(np.argmin(kept))

    def kept(self, rows: Array) -> Array | None:
        """Which rows keep all rules, as a mask; None if there are no rules."""
        return reduce(operator.and_, (test(rows) for test in self.tests)) if self.tests else None

    # makers

    def maker(self, shape: Shape, program: TypeProgram) -> Make:
        """A function that makes a column from rows of a type."""
        assert isinstance(shape, Through)
        if shape.attribute is None:
            raise NotFixed("a switch")
        name = shape.attribute
        for instance in program.instances:
            if instance.field.name == name:
                return _computed(instance, shape.inner, program)
        step = next(step for step in program.steps if step.name == name and not isinstance(step, Check))
        inner = self.of_step(shape.inner, step, in_list=False)
        return lambda rows: inner(rows[name])

    def of_step(self, shape: Shape, step: Step, in_list: bool) -> Make:
        if isinstance(shape, LogicalShape):
            return meaning_of(shape, self.of_step(shape.stored, step, in_list))
        match step:
            case ReadInteger() | ReadFloat():
                return numbers_of(shape)
            case ReadBits():
                return self.bits(shape, step)
            case ReadBytes() if step.encoding is not None:
                if step.encoding.upper() not in LENIENT or in_list:
                    raise NotFixed(f"{step.name}: text in {step.encoding}" + " in a list" * in_list)
                return self.text(step)
            case ReadBytes() | ReadLiteral():
                return _bytes(shape)
            case ReadType():
                return self.structure(shape, step.type, in_list)
            case ReadList():
                assert isinstance(shape, Many)
                inner, kind = self.of_step(shape.element, step.element, True), arrow_type(shape)
                return lambda values: _many(values, inner, kind)
        raise NotFixed(f"{step.name} has no fixed size")

    def text(self, step: ReadBytes) -> Make:
        """A function that makes a column of text; it raises Unsound if some text is not in its encoding."""
        utf8 = step.encoding is not None and step.encoding.upper() == "UTF-8"
        make = _bytes(TextShape(step.encoding))

        def texts(values: Array) -> Any:
            size = values.dtype.itemsize
            data = np.frombuffer(values.tobytes(), np.uint8)
            texts_are_sound(data, np.arange(0, len(data) + size, size), utf8)
            return make(values)

        return texts

    def structure(self, shape: Shape, program: TypeProgram, in_list: bool) -> Make:
        if isinstance(shape, Through):
            if in_list:
                raise NotFixed("a part of the elements of a list")
            return self.maker(shape, program)
        assert isinstance(shape, RecordShape)
        pa, fields = pyarrow(), list(arrow_type(shape))
        parts = [self.maker(Through(column.attribute, "", column.shape), program) for column in shape.columns]
        return lambda rows: pa.StructArray.from_arrays([part(rows) for part in parts], fields=fields)

    def bits(self, shape: Shape, step: ReadBits) -> Make:
        word_of = _word(step)
        by_name = {bit.name: bit for bit in step.bits}
        if isinstance(shape, Through):
            assert shape.attribute is not None
            bit, make = by_name[shape.attribute], numbers_of(shape.inner)
            return lambda values: make(bit.of(word_of(values)))
        assert isinstance(shape, RecordShape)
        pa, fields = pyarrow(), list(arrow_type(shape))
        parts = [(by_name[column.attribute], numbers_of(column.shape)) for column in shape.columns]

        def record(values: Array) -> Any:
            word = word_of(values)
            return pa.StructArray.from_arrays([make(bit.of(word)) for bit, make in parts], fields=fields)

        return record


@lru_cache(maxsize=64)
def _fixed(rows: Any, columns: Any) -> Fixed | str:
    try:
        return Fixed(Plan(rows, columns, {}))
    except NotFixed as problem:
        return str(problem)


def fixed_of(plan: Plan) -> Fixed | str:
    """The numpy decoder for the rows of a plan, or why there is none."""
    return _fixed(plan.rows, plan.columns)


def why_not_alone(plan: Plan) -> str | None:
    """Why a row cannot be read alone, as a value with nothing around it; None if it can."""
    is_apart = not plan.rows.path and reads_elsewhere(plan.rows.root)
    return "instances are read from other places" if is_apart else None


def can_split(plan: Plan) -> bool:
    """Whether parts of a file can be read alone: the rows have a fixed size and are one list, and no instance may read
    bytes left over before them or after them.
    """
    fixed = fixed_of(plan)
    if not isinstance(fixed, Fixed) or plan.rows.reason is not None or reads_elsewhere(plan.rows.root):
        return False
    rows, _ = list_of(plan)
    return is_one_list(plan.rows) and rows is not None and isinstance(rows.element, ReadType)


def list_of(plan: Plan) -> tuple[ReadList | None, bool]:
    """The list of the rows, None unless they follow each other and all lists at the path are alike; and whether the
    rows cannot see the root and the structure that has the list: a type on the path is foreign, or they have another
    parent.
    """
    types, is_foreign, steps = [ReadType(name="", type=plan.rows.root)], False, list[Step]()
    for name in plan.rows.path:
        programs = {step.type: None for step in types}
        is_foreign = is_foreign or any(step.foreign for step in types)
        steps = [step for program in programs for step in _at(program, name)]
        if any(
            instance.field.name == name and instance.value is not None
            for program in programs
            for instance in program.instances
        ):
            return None, False  # of some values a computed instance has that name
        types = [step for step in steps if isinstance(step, ReadType)]
    lists = [step for step in steps if isinstance(step, ReadList)]
    if not lists or any(step != lists[0] for step in lists) or not can_be_taken(lists[0]):
        return None, False
    if len(types) > len(lists):  # of some values a structure that is in no list
        return None, False
    part, element = lists[0].element, content_of(lists[0].element)
    if isinstance(part, Window):
        computed = [
            instance
            for program in reached(plan.rows.root)
            for instance in program.instances
            if instance.value is not None
        ]
        if "_io" in with_computed(words_of((part.size,)), computed):  # it may change from row to row
            return None, False
    assert isinstance(element, ReadType)
    return lists[0], is_foreign or element.foreign or element.orphan or element.parent is not None


def _at(program: TypeProgram, name: str) -> Iterator[Step]:
    """The steps of a type, and of its instances, that set such a field."""
    steps = (*program.steps, *(step for instance in program.instances for step in instance.steps))
    return (step for step in all_steps(steps) if step.name == name)


# --- columns ----------------------------------------------------------------------------------------------------------


def _native(shape: Number) -> np.dtype[Any]:
    return np.dtype(getattr(np, f"{'' if shape.signed else 'u'}int{shape.bits}"))


def validity_of(there: Array) -> Any:
    """The validity buffer of a column for Arrow; None if nothing is null."""
    return None if np.count_nonzero(there) == len(there) else pyarrow().py_buffer(np.packbits(there, bitorder="little"))


def numbers_of(shape: Shape, *, with_kernels: bool = False) -> Callable[..., Any]:
    """A function that makes a column of numbers, flags or names from an array of integers or floats, and a validity or
    None; NotFixed for other shapes.
    """
    pa, kind = pyarrow(), arrow_type(shape)
    if isinstance(shape, LogicalShape):
        return meaning_of(shape, numbers_of(shape.stored, with_kernels=with_kernels))
    if isinstance(shape, EnumNames):
        return _names(shape, with_kernels)
    if isinstance(shape, Number) and shape.bits > 64:
        raise NotFixed("numbers of more than 64 bits")
    is_flag = isinstance(shape, Flag)
    native = _native(shape) if isinstance(shape, Number) else np.dtype(np.bool_ if is_flag else kind.to_pandas_dtype())

    def numbers(values: Array, validity: Any = None) -> Any:
        content = np.ascontiguousarray(values, native)
        content = np.packbits(content, bitorder="little") if is_flag else content
        return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(content)])

    return numbers


def meaning_of(shape: LogicalShape, make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a column of a logical type, from one that makes it of what is stored; it raises Unsound."""
    kind = arrow_type(shape)

    def meanings(*values: Any) -> Any:
        try:
            return logical_array(shape.logical, make(*values), kind)
        except NoMeaning as problem:
            raise Unsound(problem.args[0]) from None

    return meanings


def _names(shape: EnumNames, with_kernels: bool) -> Callable[..., Any]:
    """A function that makes texts of the members of an enum. For small numbers all texts are computed in advance."""
    pa, members, native = pyarrow(), shape.enum.members, _native(shape.number)
    texts = pa.array([members.get(number) or str(number) for number in range(256)], pa.string())
    edges, data = (np.frombuffer(buffer, kind) for buffer, kind in zip(texts.buffers()[1:], ("i4", "u1"), strict=True))
    data = np.append(data, np.zeros(32, np.uint8))

    def names(values: Array, validity: Any = None) -> Any:
        content = np.ascontiguousarray(values, native)
        text_buffers = texts_of(content, edges, data, allocate) if with_kernels and native == np.uint8 else None
        if text_buffers is not None:
            buffers = [validity, *map(pa.py_buffer, text_buffers)]
            return pa.Array.from_buffers(pa.string(), len(content), buffers)
        if native == np.uint8:
            indices = pa.Array.from_buffers(pa.uint8(), len(content), [validity, pa.py_buffer(content)])
            return texts.take(indices)
        encoded = pa.Array.from_buffers(pa.from_numpy_dtype(native), len(content), [validity, pa.py_buffer(content)])
        encoded = encoded.dictionary_encode()
        words = [members.get(number) or str(number) for number in encoded.dictionary.to_pylist()]
        return pa.array(words, pa.string()).take(encoded.indices)

    return names


def _bytes(shape: Shape) -> Make:
    kind = arrow_type(shape)

    def make(values: Array) -> Any:
        pa, size = pyarrow(), values.dtype.itemsize
        ends = np.arange(0, (len(values) + 1) * size, size, dtype=np.int32)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(ends), pa.py_buffer(values.tobytes())])

    return make


def _many(values: Array, inner: Make, kind: Any) -> Any:
    pa, count = pyarrow(), values.shape[1]
    ends = pa.array(np.arange(0, len(values) * count + 1, count, dtype=np.int32))
    try:
        elements = inner(values.reshape(-1, *values.shape[2:]))
    except Unsound as problem:
        raise Unsound(problem.args[0] // count) from None
    return pa.ListArray.from_arrays(ends, elements, kind)


def _word(step: ReadBits) -> Callable[[Array], Array]:
    """The integer that a structure of bits is read as."""
    (number,) = layout(step.type).dtype.fields or {"": None}
    dtype = layout(step.type).dtype[number] if number else None
    if dtype is None or dtype.kind != "u":
        raise NotFixed(f"{step.name} is {step.size} bytes of bits")
    native = dtype.newbyteorder("=")
    return lambda values: np.ascontiguousarray(values).view(dtype).astype(native)


# --- rules and instances ----------------------------------------------------------------------------------------------


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "/": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "neg": operator.neg,
    "inv": operator.invert,
    "if": np.where,
}


_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_FLOAT_OPERATORS: Final = {op: _OPERATORS[op] for op in ("+", "-", "*", "neg", "if", *_COMPARISONS)} | {
    "/": operator.truediv
}
_MOST_EXACT: Final = 1 << 53
"""Floats of 64 bits have all integers up to this."""


Fields = Callable[[tuple[str, ...]], Callable[[Any], Array]]
"""The path of a number of 64 bits, integer or float -> a function that takes it from all rows; NotFixed for others."""


def vector(node: Expression, fields: Fields, checked: str = "") -> Callable[[Any], Any]:
    """An expression over all rows: integers of 64 bits that cannot overflow, floats, and truth values; NotFixed for
    others. ``checked`` is the field that ``_`` means.
    """
    kind = node.type
    is_integer = isinstance(kind, Integer | EnumType) and MIN_INT64 <= node.low and node.high <= MAX_INT64
    is_float = isinstance(kind, Float)
    if not is_integer and not is_float and not isinstance(kind, Boolean):
        raise NotFixed(f"the expression {node}")
    if node.op == "constant":
        value = int(node.value) if is_integer else float(node.value) if is_float else bool(node.value)
        return lambda rows: value
    if node.op == "local" and node.value == "_" and checked:
        return fields((checked,))
    if node.op == "name":
        return fields(node.value)
    if node.op == "method" and node.value == "to_i" and not isinstance(node.arguments[0].type, Float):
        return vector(node.arguments[0], fields, checked)
    of_floats = any(isinstance(argument.type, Float) for argument in node.arguments)
    apply = (_FLOAT_OPERATORS if of_floats else _OPERATORS).get(node.op)
    if apply is None or not (_is_same_in_floats(node) if of_floats else _always_has_a_result(node)):
        raise NotFixed(f"the expression {node}")
    parts = [vector(argument, fields, checked) for argument in node.arguments]
    if not of_floats:
        return lambda rows: apply(*(part(rows) for part in parts))

    def compute(rows: Any) -> Any:
        with np.errstate(all="ignore"):  # infinities and NaN are values
            return apply(*(part(rows) for part in parts))

    return compute


def _is_same_in_floats(node: Expression) -> bool:
    """Whether an operation on floats, or on one and an integer, has the result that it has in Python, for all values:
    a division by zero has none, and Python compares integers exactly.
    """
    if node.op == "/":
        return node.arguments[1].is_constant and node.arguments[1].value != 0
    integers = [argument for argument in node.arguments if isinstance(argument.type, Integer)]
    return node.op not in _COMPARISONS or all(
        -_MOST_EXACT <= argument.low and argument.high <= _MOST_EXACT for argument in integers
    )


def _always_has_a_result(node: Expression) -> bool:
    """Whether the operation has a result of 64 bits for all values of its sides: numpy evaluates even those that the
    codec does not (``a != 0 and b / a``).
    """
    if node.op in ("<<", ">>") and node.arguments[1].high > 63:
        return False
    return node.overflow == "never"


def _field(program: TypeProgram, path: tuple[str, ...]) -> Callable[[Array], Array]:
    """A function that takes a number from each row, in 64 bits."""
    name, *others = path
    step = next((step for step in program.steps if step.name == name and not isinstance(step, Check)), None)
    instance = next((instance for instance in program.instances if instance.field.name == name), None)
    if instance is not None and not others and instance.condition is None and instance.value is not None:
        return vector(instance.value, lambda path: _field(program, path))
    if isinstance(step, ReadInteger) and not others and (step.kind.bits < 64 or step.kind.signed):
        return lambda rows: rows[name].astype(np.int64)
    if isinstance(step, ReadFloat) and not others:
        return lambda rows: rows[name].astype(np.float64)
    if isinstance(step, ReadType) and others and not step.foreign:
        inner = _field(step.type, tuple(others))
        return lambda rows: inner(rows[name])
    if isinstance(step, ReadBits) and len(others) == 1:
        bit, word_of = next((bit for bit in step.bits if bit.name == others[0]), None), _word(step)
        if bit is not None and bit.width < 64:
            return lambda rows: bit.of(word_of(rows[name])).astype(np.int64)
    raise NotFixed(f"{'.'.join(path)} in an expression")


def _computed(instance: Instance, shape: Shape, program: TypeProgram) -> Make:
    node = instance.value
    if node is None or instance.condition is not None or instance.checks:
        raise NotFixed(f"the instance {instance.field.name}")
    compute, make = vector(node, lambda path: _field(program, path)), numbers_of(shape)

    def column(rows: Array) -> Any:
        results = np.asarray(compute(rows))
        return make(np.broadcast_to(results, (len(rows),)))

    return column


def _add_tests(program: TypeProgram, reach: Callable[[Array], Array], tests: list[Callable[[Array], Array]]) -> None:
    """Add the rules that all rows have to keep."""
    for step in program.steps:
        match step:
            case Check():
                test = _rule(step, program)
                tests.append(lambda rows, test=test: test(reach(rows)))  # type: ignore[misc]
            case ReadLiteral():
                tests.append(
                    lambda rows, step=step: _bytes_of(reach(rows)[step.name], step.contents)  # type: ignore[misc]
                )
            case ReadBits() if any(isinstance(inner, Check) for inner in step.type.steps):
                raise NotFixed(f"a rule on bits of {step.name}")
            case ReadType():
                name = step.name
                _add_tests(step.type, lambda rows, name=name: reach(rows)[name], tests)  # type: ignore[misc]
            case ReadList():
                if step.checks or not _is_free(step.element):
                    raise NotFixed(f"a rule on the elements of {step.name}")
            case ReadInteger() | ReadFloat() | ReadBytes() | ReadBits():
                pass
            case _:
                raise NotFixed(f"{step.name}: {type(step).__name__}")


def _is_free(step: Step) -> bool:
    """Whether the elements of a list need no test."""
    match step:
        case ReadList():
            return not step.checks and _is_free(step.element)
        case ReadType():
            return all(map(_is_free, step.type.steps))
        case ReadBits():
            return not any(isinstance(inner, Check) for inner in step.type.steps)
    return isinstance(step, ReadInteger | ReadFloat) or (isinstance(step, ReadBytes) and step.encoding is None)


def _rule(check: Check, program: TypeProgram) -> Callable[[Array], Array]:
    if check.condition is not None:
        raise NotFixed(f"a rule on {check.name} with a condition")
    if check.rule is not None:
        rule = vector(check.rule, lambda path: _field(program, path), check.name)
        return lambda rows: np.broadcast_to(np.asarray(rule(rows), bool), (len(rows),))
    if not all(isinstance(number, int) and MIN_INT64 <= number <= MAX_INT64 for number in check.allowed):
        raise NotFixed(f"a rule on {check.name}")
    field, allowed = _field(program, (check.name,)), np.array([int(number) for number in check.allowed], np.int64)
    return lambda rows: np.isin(field(rows), allowed)


def _cells(values: Array) -> npt.NDArray[np.uint8]:
    """Bytes of each row, in a row."""
    return np.frombuffer(values.tobytes(), np.uint8).reshape(len(values), -1)


def _bytes_of(values: Array, contents: bytes) -> Array:
    same: Array = np.asarray((_cells(values) == np.frombuffer(contents, np.uint8)).all(axis=1))
    return same


def _is_utf8(data: Array, ends: Array) -> bool:
    pa = pyarrow()
    buffers = [None, pa.py_buffer(np.ascontiguousarray(ends, np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    try:
        pa.Array.from_buffers(pa.string(), len(ends) - 1, buffers).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def texts_are_sound(data: Array, ends: Array, utf8: bool) -> None:
    """Raise Unsound for the first of some texts, one after the other in ``data``, that is not in its encoding."""
    if not len(data) or data.max() < 128 or (utf8 and _is_utf8(data, ends)):
        return
    starts = np.searchsorted(ends, np.flatnonzero(data >= 128), side="right") - 1
    for index in np.unique(starts).tolist():
        try:
            data[ends[index] : ends[index + 1]].tobytes().decode("utf-8" if utf8 else "ascii")
        except UnicodeDecodeError:
            raise Unsound(index) from None

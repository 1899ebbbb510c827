"""Rows that a kernel decodes -> Arrow arrays.

A kernel accepts and refuses what the codec does, so it decodes as many rows as it can of the bytes in memory, and the
codec reads the next one, which is cut off or wrong. All text is checked here, even if not asked for: kernels do not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.columns.arrow import allocate, pyarrow
from kformat.columns.filling import arrow_type
from kformat.columns.fixed import (
    NotFixed,
    Unsound,
    list_of,
    meaning_of,
    numbers_of,
    texts_are_sound,
    validity_of,
    vector,
    why_not_alone,
)
from kformat.columns.plan import (
    INDEX,
    PARENT,
    POSITION,
    ROOT,
    LogicalShape,
    Many,
    OneOf,
    Plan,
    RecordShape,
    Shape,
    TagShape,
    TextShape,
    Through,
)
from kformat.columns.row_sums import NotCompiled, row_sums
from kformat.columns.tags import tag_array
from kformat.errors import KformatError, MissingDependencyError
from kformat.integers import MAX_INT64
from kformat.kernels import Decoded, Kernel, KernelError, Part, kernel, kernel_of_rows
from kformat.kernels.decode import PARAMETERS
from kformat.kernels.readiness import Readiness
from kformat.language.encodings import LENIENT, reads_all
from kformat.language.expression import compile_expression
from kformat.language.inlined import for_kernels
from kformat.language.node import replaced
from kformat.language.program import (
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
    TypeProgram,
    Window,
    case_kinds,
    content_of,
    expressions_in,
    kernel_reason,
    types_of,
)
from kformat.language.steps import end_position, inner_steps, takes_the_rest

Array = npt.NDArray[Any]
Valid = tuple[tuple[str, int], ...]
"""What must be present for a column not to be null: optional fields (-1), any case of a switch (0), or cases of the
kind with this number.
"""


_BYTES_OF_ROW: Final = 16
"""A guess of a row's size."""
_SPARE: Final = 64
"""Rows and bytes for which memory is always allocated."""
_MARGIN: Final = 1.1


class Compiled:
    """Decodes the rows of a plan with a kernel; NotCompiled if none can."""

    def __init__(self, plan: Plan, trailing: str) -> None:
        program = plan.rows.type
        reason = why_not_alone(plan)
        if reason is not None:
            raise NotCompiled(reason)
        rows, is_foreign = list_of(plan) if plan.rows.path else (None, False)
        if plan.rows.path and rows is None:
            raise NotCompiled("the list has conditions or rules of its own")
        if plan.rows.path and not program.minimum_size:
            raise NotCompiled("a row may take no bytes")
        reason = kernel_reason(program)
        if reason is not None:
            raise NotCompiled(f"{reason}, which kernels do not support")
        self.sums = list(row_sums(program, program.steps, ""))
        places = [chosen.origin for chosen in plan.columns if chosen.origin == POSITION]
        if rows is None and (self.sums or places):
            raise NotCompiled("a checksum" if self.sums else "the positions of rows")
        if rows is not None and plan.rows.reason is not None and end_position(rows) is not None:
            rows = replaced(rows, until=None)  # `WholeLists` knows where they end
        asks = bool(self.sums or places or program.parameters) or _asks_around(program)
        asks = asks or (rows is not None and (rows.until is not None or bool(rows.checks)))
        try:
            self.kernel: Kernel = kernel(program) if rows is None or not asks else kernel_of_rows(program, rows)
        except KernelError as error:
            raise NotCompiled(str(error).removeprefix(f"{program.name}: ")) from None
        self.context: list[Callable[[Any, Any, int], int]] = []
        if rows is not None:
            if self.kernel.source.context and is_foreign:
                message = "the rows are of another file's type, or have another parent, and ask for what is around them"
                raise NotCompiled(message)
            self.context = [_getter(path, rows) for path in self.kernel.source.context]
        is_sized = rows is not None and isinstance(rows.element, Window)
        if is_sized and self.sums:
            raise NotCompiled("a checksum")
        if rows is not None and not is_sized and takes_the_rest(program.steps):
            raise NotCompiled("a row may take all bytes to the end")
        if trailing != "error" and _has(program, Window):
            raise NotCompiled("bytes that are left over are passed over")
        self.tables = {name: number for number, name in enumerate(self.kernel.source.tables)}
        self.fields: set[str] = {"" for _ in (self.sums or places)[:1]}
        self.fields |= {checksum.name for checksum in self.sums}
        self.packed: set[str] = set()
        self.texts = dict(self.kernel.source.texts)
        self.strict = {name: encoding for name, encoding in self.texts.items() if not reads_all(encoding)}
        self.packed |= self.strict.keys()
        self.rates: list[float] = []
        """Rows of each table per byte of input, in recent input; `bytes_rates`: bytes of each packed field per byte."""
        self.bytes_rates: dict[str, float] = {}
        self.columns: list[tuple[str, Callable[[Decoded], Any] | None]] = []
        for chosen in plan.columns:
            make = None
            if chosen.origin == "":
                column = chosen.column
                is_path = isinstance(column.shape, Through)
                shape = column.shape if is_path else Through(column.attribute, "", column.shape)
                make = self.part(shape, program, "", (), 0)
            self.columns.append((chosen.origin, make))

    @property
    def readiness(self) -> Readiness:
        """Whether the kernel is ready."""
        return self.kernel.readiness

    def decode(
        self,
        data: Any,
        start: int,
        end: int,
        most: int,
        *,
        width: int | None = None,
        root: Any = None,
        holder: Any = None,
        index: int = 0,
        checksums: bool = True,
    ) -> tuple[Decoded, int, int] | None:
        """Decode sound rows, up to ``most`` (-1: all): the columns, the number of sound rows, and where they end. The
        columns may have unsound rows after those. ``width``: the size of the part that each row is in. ``index``: of
        the first row. None if the rows need what their ``root`` and ``holder`` do not have.

        Raises MissingDependencyError without numba.
        """
        try:
            around = [get(root, holder, index) for get in self.context]
        except (AttributeError, KformatError, TypeError):  # the codec says why, if that matters
            return None
        if width is not None:
            count = (end - start) // width if most < 0 else min((end - start) // width, most)
            starts = start + width * np.arange(count, dtype=np.int64)
            windows = np.stack([starts, starts + width, np.ones_like(starts)], axis=1)
            decoded = self.found(data, windows, end - start, around)
            sound = len(windows) if decoded.problem is None else decoded.problem.unit
            return decoded, sound, start + sound * width
        decoded = self.found(data, [(start, end, most)], end - start, around)
        stop = end if decoded.problem is None else decoded.problem.position
        sound = min(
            (checksum.verified(decoded, data, end) for checksum in self.sums if checksums), default=decoded.rows[0]
        )
        if sound < decoded.rows[0]:
            stop = int(decoded.columns["", Part.POSITION][sound])
        return decoded, sound, stop

    def largest(self, columns: Decoded, count: int, stop: int) -> int:
        """The bytes of the largest of the first rows, which end at ``stop``; 0 if their positions are not decoded."""
        positions = self.positions(columns)
        return 0 if positions is None or not count else int(np.diff(positions[:count], append=stop).max())

    def windows(self, data: Any, windows: Any, size: int) -> Decoded:
        """Decode several windows (`Kernel.decode`), of ``size`` bytes in all; raises Unsound for text that is not in
        its encoding.
        """
        decoded = self.found(data, windows, size, ())
        self.check_texts(decoded)
        return decoded

    def check_texts(self, decoded: Decoded) -> None:
        """Raise Unsound if there is text that the codec refuses."""
        for name, encoding in self.strict.items():
            _texts(decoded, name, encoding)

    def found(self, data: Any, windows: Any, size: int, context: Sequence[int]) -> Decoded:
        """The kernel's columns; text is not checked yet."""
        first = min(size // max(1, self.kernel.source.program.minimum_size), size // _BYTES_OF_ROW)
        rows = [int(size * rate) + _SPARE for rate in self.rates] or [first + _SPARE] * len(self.tables)
        bytes_of = {name: int(size * self.bytes_rates.get(name, 0.25)) + _SPARE for name in self.packed}
        room: dict[str, Any] = {"packed": bytes_of, "room": rows, "allocate": allocate}
        decoded = self.kernel.decode(data, windows, fields=self.fields, context=context, **room)
        if decoded.rows[0] > _SPARE:  # what comes is like what came
            consumed = size if decoded.problem is None else int(decoded.problem.position - windows[0][0])
            read = _MARGIN / max(1, consumed)
            self.rates = [count * read for count in decoded.rows]
            self.bytes_rates = {name: len(decoded.columns[name, Part.BYTES]) * read for name in self.packed}
        return decoded

    def positions(self, decoded: Decoded) -> Array | None:
        """The position of each row in the bytes, if that is one of the columns."""
        return decoded.columns.get(("", Part.POSITION))

    # columns

    def part(self, shape: Shape, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        """A field of a structure whose columns begin with ``prefix``."""
        assert isinstance(shape, Through)
        if shape.attribute is None:
            raise NotCompiled("a switch")
        if isinstance(shape.inner, TagShape):
            return self.tag(shape.inner, program, prefix, valid, table)
        name = shape.attribute
        step = next((step for step in _flat(program.steps) if step.name == name), None)
        if step is None:
            return self.instance(shape.inner, name, program, prefix, valid, table)
        return self.of_step(shape.inner, step, prefix, valid, table)

    def of_step(self, shape: Shape, step: Step, prefix: str, valid: Valid, table: int) -> Any:
        name = f"{prefix}{step.name}"
        if step.condition is not None and not isinstance(step, ReadBytes | ReadLiteral):
            self.fields.add(name)
            valid = (*valid, (name, -1))
        match step:
            case ReadInteger() | ReadFloat() | ReadVarint() | ReadBit():
                self.fields.add(name)
                return self.numbers(shape, name, valid)
            case ReadBytes():
                return self.bytes(shape, step, name)
            case ReadBits():
                return self.structure(shape, step.type, f"{name}.", valid, table)
            case ReadType():
                return self.structure(shape, step.type, f"{name}.", valid, table)
            case Window() if step.codec is None and len(step.steps) == 1:
                return self.of_step(shape, step.steps[0], prefix, valid, table)
            case ReadList():
                return self.many(shape, step, name, valid)
            case ReadSwitch():
                return self.switch(shape, step, name, valid, table)
        raise NotCompiled(f"{name}: {type(step).__name__}")

    def tag(self, shape: TagShape, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        """A tag: the content of the last one with its number in each structure's list, or its default."""
        if valid:
            raise NotCompiled(f"{prefix}{shape.tagged.field.name}: a tag of a structure that may be missing")
        contents = self.part(shape.values, program, prefix, (), table)
        numbers = self.part(shape.numbers, program, prefix, (), table)

        def column(decoded: Decoded) -> Any:
            return tag_array(shape.tagged, shape.inner, contents(decoded), numbers(decoded))

        return column

    def instance(self, shape: Shape, name: str, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        """A value instance, computed from columns."""
        instance = next(candidate for candidate in program.instances if candidate.field.name == name)
        if instance.value is None or instance.condition is not None or instance.checks or valid:
            raise NotCompiled(f"{prefix}{name}: an instance")
        node = for_kernels(instance.value, program)
        if node is None:
            raise NotCompiled(f"the expression {instance.value}")
        try:
            compute = vector(node, lambda path: self.field(path, program, prefix))
            make = numbers_of(shape, with_kernels=True)
        except NotFixed as problem:
            raise NotCompiled(str(problem)) from None

        def column(decoded: Decoded) -> Any:
            return make(np.broadcast_to(np.asarray(compute(decoded)), (decoded.rows[table],)))

        return column

    def field(self, path: tuple[str, ...], program: TypeProgram, prefix: str) -> Callable[[Decoded], Array]:
        """A number that an expression uses, in 64 bits."""
        name, *others = path
        step = next((step for step in _flat(program.steps) if step.name == name), None)
        while isinstance(step, Window) and len(step.steps) == 1 and step.codec is None and step.condition is None:
            step = step.steps[0]
        if isinstance(step, ReadInteger | ReadVarint) and not others and step.condition is None:
            if step.kind.bits < 64 or step.kind.signed:
                column = f"{prefix}{name}"
                self.fields.add(column)
                return lambda decoded: decoded[column].astype(np.int64)
        if isinstance(step, ReadFloat) and not others and step.condition is None:
            self.fields.add(f"{prefix}{name}")
            return lambda decoded: decoded[f"{prefix}{name}"].astype(np.float64)
        if isinstance(step, ReadBit) and not others and step.condition is None and step.width < 64:
            self.fields.add(f"{prefix}{name}")
            return lambda decoded: decoded[f"{prefix}{name}"].astype(np.int64)
        if isinstance(step, ReadType) and others and step.condition is None:
            return self.field(tuple(others), step.type, f"{prefix}{name}.")
        if isinstance(step, ReadBits) and len(others) == 1 and step.condition is None:
            bit = f"{prefix}{name}.{others[0]}"
            if next(bit_field.width for bit_field in step.bits if bit_field.name == others[0]) < 64:
                self.fields.add(bit)
                return lambda decoded: decoded[bit].astype(np.int64)
        raise NotFixed(f"{'.'.join(path)} in an expression")

    def switch(self, shape: Shape, step: ReadSwitch, name: str, valid: Valid, table: int) -> Any:
        """A structure with a column for each kind of case, one of these columns, or the only one."""
        self.fields.add(name)
        kinds = case_kinds(step)
        numbers = {kind: number for number, kind in enumerate(kinds, 1)}

        def case(kind: str, inner: Shape) -> Any:
            return self.case(inner, kinds[kind], f"{name}.{kind}", (*valid, (name, numbers[kind])), table)

        if isinstance(shape, Through):
            return case(shape.kind, shape.inner)
        if not isinstance(shape, OneOf):
            return case(next(iter(kinds)), shape)
        cases = [case(kind, column.shape) for kind, column in zip(shape.kinds, shape.cases, strict=True)]
        make = _structures(arrow_type(shape), cases)
        return lambda decoded: make(decoded, _validity(decoded, (*valid, (name, 0))))

    def case(self, shape: Shape, steps: list[Step], name: str, valid: Valid, table: int) -> Any:
        """The values of the cases of one kind."""
        contents = [content_of(step) for step in steps]
        first = contents[0]
        match first:
            case ReadInteger() | ReadFloat() | ReadVarint():
                self.fields.add(name)
                return self.numbers(shape, name, valid)
            case ReadBytes() if len({inner.encoding for inner in contents if isinstance(inner, ReadBytes)}) == 1:
                return self.bytes(shape, first, name)
            case ReadBits() | ReadType():
                return self.structure(shape, first.type, f"{name}.", valid, table)
        raise NotCompiled(f"{name}: {type(first).__name__} in a switch")

    def numbers(self, shape: Shape, name: str, valid: Valid) -> Any:
        try:
            make = numbers_of(shape, with_kernels=True)
        except NotFixed as problem:
            raise NotCompiled(str(problem)) from None
        return lambda decoded: make(decoded[name], _validity(decoded, valid))

    def bytes(self, shape: Shape, step: ReadBytes, name: str) -> Any:
        if isinstance(shape, LogicalShape):
            return meaning_of(shape, self.bytes(shape.stored, step, name))
        self.packed.add(name)
        kind = arrow_type(shape)
        encoding = step.encoding.upper() if step.encoding is not None and isinstance(shape, TextShape) else None
        if encoding is not None and encoding not in LENIENT:
            return lambda decoded: pyarrow().array(_texts(decoded, name, encoding), kind)

        def column(decoded: Decoded) -> Any:
            pa = pyarrow()
            data, ends = decoded.columns[name, Part.BYTES], decoded.columns[name, Part.BYTE_OFFSETS]
            there = decoded.columns[name, Part.IS_THERE]
            if encoding is not None:
                texts_are_sound(data, ends, encoding == "UTF-8")
            buffers = [validity_of(there.view(np.bool_)), pa.py_buffer(ends), pa.py_buffer(data)]
            return pa.Array.from_buffers(kind, len(there), buffers)

        return column

    def structure(self, shape: Shape, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        if isinstance(shape, Through):
            return self.part(shape, program, prefix, valid, table)
        assert isinstance(shape, RecordShape)
        inner = [self.child(column.attribute, column.shape, program, prefix, table) for column in shape.columns]
        make = _structures(arrow_type(shape), inner)
        return lambda decoded: make(decoded, _validity(decoded, valid))

    def child(self, name: str, shape: Shape, program: TypeProgram, prefix: str, table: int) -> Any:
        if program.bits:
            self.fields.add(f"{prefix}{name}")
            return self.numbers(shape, f"{prefix}{name}", ())
        return self.part(Through(name, "", shape), program, prefix, (), table)

    def many(self, shape: Shape, step: ReadList, name: str, valid: Valid) -> Any:
        assert isinstance(shape, Many)
        self.fields.add(name)
        pa, kind, element = pyarrow(), arrow_type(shape), step.element
        table = self.tables[name]
        if isinstance(element, ReadType):
            inner = self.structure(shape.element, element.type, f"{name}.", (), table)
        else:
            inner = self.of_step(shape.element, element, name.removesuffix(step.name), (), table)

        def column(decoded: Decoded) -> Any:
            ends = decoded.columns[name, Part.OFFSETS].astype(np.int32)
            buffers = [_validity(decoded, valid), pa.py_buffer(ends)]
            return pa.Array.from_buffers(kind, len(ends) - 1, buffers, children=[inner(decoded)])

        return column


def _asks_around(program: TypeProgram) -> bool:
    """Whether expressions may use what is around the rows."""
    if any(node.op == "name" and node.value[0] in (ROOT, PARENT) for node in expressions_in(program.steps)):
        return True
    if program.byte_order is not None:
        return True
    return any(map(_asks_around, set(types_of(program.steps))))


def _getter(path: tuple[str, ...], rows: ReadList) -> Callable[[Any, Any, int], int]:
    """A getter of a number around the rows, as 64 bits, from the root, the structure that has the rows, and the first
    row's index. It raises the error it meets if there is no such number.
    """
    origin, *words = path
    if origin == INDEX:
        return lambda root, holder, index: index
    if origin == PARAMETERS:
        element = content_of(rows.element)
        assert isinstance(element, ReadType)
        compute = compile_expression(dict(element.arguments)[words[0]])
    else:
        compute = operator.attrgetter(".".join(words))

    def get(root: Any, holder: Any, index: int) -> int:
        number = operator.index(compute(root if origin == ROOT else holder))
        return number - (1 << 64) if number > MAX_INT64 else number

    return get


def _texts(decoded: Decoded, name: str, encoding: str) -> list[str | None]:
    """Texts in an encoding that the codec reads strictly; raises Unsound for bytes that are no such text."""
    data, ends = decoded.columns[name, Part.BYTES].tobytes(), decoded.columns[name, Part.BYTE_OFFSETS].tolist()
    there = decoded.columns[name, Part.IS_THERE].tolist()
    texts: list[str | None] = []
    for index, is_there in enumerate(there):
        try:
            texts.append(data[ends[index] : ends[index + 1]].decode(encoding) if is_there else None)
        except UnicodeDecodeError:
            raise Unsound(index) from None
    return texts


def _validity(decoded: Decoded, valid: Valid) -> Any:
    """The validity buffer of a column for Arrow; None if nothing is null."""
    parts = []
    for name, case in valid:
        if case < 0:
            parts.append(decoded.columns[name, Part.VALID].view(np.bool_))
        else:
            cases = decoded.columns[name, Part.CASE]
            parts.append(cases != 0 if case == 0 else cases == case)
    return validity_of(reduce(operator.and_, parts)) if parts else None


def _structures(kind: Any, parts: list[Callable[[Decoded], Any]]) -> Callable[[Decoded, Any], Any]:
    """A function that makes structures of their parts, with a validity."""
    pa = pyarrow()

    def make(decoded: Decoded, validity: Any) -> Any:
        children = [part(decoded) for part in parts]
        return pa.Array.from_buffers(kind, len(children[0]), [validity], children=children)

    return make


def _flat(steps: Sequence[Step]) -> list[Step]:
    """The steps that set a field of the type."""
    field_steps: list[Step] = []
    for step in steps:
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            field_steps += _flat(step.steps)
        elif isinstance(step, Window | _FIELDS):
            field_steps.append(step)
    return field_steps


_FIELDS = (
    ReadInteger | ReadFloat | ReadVarint | ReadBit | ReadBits | ReadBytes | ReadLiteral | ReadType | ReadList
) | ReadSwitch


def _has(program: TypeProgram, kind: type[Step]) -> bool:
    def in_step(step: Step) -> bool:
        return isinstance(step, kind) or any(map(in_step, inner_steps(step)))

    return any(map(in_step, program.steps)) or any(_has(inner, kind) for inner in set(types_of(program.steps)))


@lru_cache(maxsize=64)
def _compiled(rows: Any, columns: Any, trailing: str) -> Compiled | str:
    try:
        return Compiled(Plan(rows, columns, {}), trailing)
    except NotCompiled as problem:
        return str(problem)
    except MissingDependencyError as problem:
        return str(problem)


def compiled_of(plan: Plan, trailing: str) -> Compiled | str:
    """The kernel decoder for the rows of a plan, or why there is none."""
    return _compiled(plan.rows, plan.columns, trailing)


__all__ = ["Compiled", "compiled_of"]

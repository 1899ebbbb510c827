"""Rows that a kernel decodes -> Arrow arrays.

A kernel accepts and refuses what the codec does, so it decodes as many rows as it can of the bytes that are held, and
the codec reads the next one, which is cut off or wrong. Text is checked here, wanted or not: kernels do not look at it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
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
    Many,
    OneOf,
    Plan,
    RecordShape,
    Shape,
    TextShape,
    Through,
)
from kformat.errors import KformatError, MissingDependencyError
from kformat.integers import MAX_INT64
from kformat.kernels import Decoded, Kernel, KernelError, Part, kernel, kernel_of_rows
from kformat.kernels import checksums as kernel_checksums
from kformat.kernels.decode import PARAMETERS
from kformat.kernels.readiness import Readiness
from kformat.language.encodings import LENIENT, reads_all
from kformat.language.expression import compile_expression
from kformat.language.inlined import for_kernels
from kformat.language.program import (
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
    TypeProgram,
    Window,
    case_kinds,
    content_of,
    expressions_in,
    kernel_reason,
    types_of,
)
from kformat.language.steps import inner_steps, takes_the_rest
from kformat.storage.checksum import ALGORITHMS

Array = npt.NDArray[Any]
Valid = tuple[tuple[str, int], ...]
"""What has to be there around a column, or it is null: optional fields (-1), any case of a switch (0), or cases of its
kind with this number.
"""


_BYTES_OF_ROW: Final = 16
"""A guess."""
_SPARE: Final = 64
"""Rows and bytes that there is room for in any case."""
_MARGIN: Final = 1.1


class NotCompiled(Exception):
    """Why no kernel decodes the rows."""


class Compiled:
    """What decodes the rows of a plan by a kernel; NotCompiled if none does."""

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
        self.sums = list(_checksums(program.steps, ""))
        places = [chosen.origin for chosen in plan.columns if chosen.origin == POSITION]
        if rows is None and (self.sums or places):
            raise NotCompiled("a checksum" if self.sums else "the positions of rows")
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
        for name, _ in self.sums:
            self.fields.add(name)
        self.packed: set[str] = set()
        self.texts = dict(self.kernel.source.texts)
        self.strict = {name: encoding for name, encoding in self.texts.items() if not reads_all(encoding)}
        self.packed |= self.strict.keys()
        self.rates: list[float] = []
        """How many rows of each table a byte gave lately, and how many of each packed field's bytes."""
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
        """Whether the kernel decodes by now."""
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
        """As many rows as are sound, up to ``most`` (-1: all): the columns, how many, and where they end. There may be
        more in the columns, which are not. ``width``: each is in a part of such a size. ``index`` is the first one's.
        None if the rows need what their ``root`` and ``holder`` do not have.

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
            found = self.found(data, windows, end - start, around)
            sound = len(windows) if found.problem is None else found.problem.unit
            return found, sound, start + sound * width
        found = self.found(data, [(start, end, most)], end - start, around)
        stop = end if found.problem is None else found.problem.position
        sound = min((self.verified(found, data, end, *item) for item in self.sums if checksums), default=found.rows[0])
        if sound < found.rows[0]:
            stop = int(found.columns["", Part.POSITION][sound])
        return found, sound, stop

    def windows(self, data: Any, windows: Any, size: int) -> Decoded:
        """The same of several windows (`Kernel.decode`), which have so many bytes in all; raises Unsound for text that
        is none.
        """
        found = self.found(data, windows, size, ())
        self.check_texts(found)
        return found

    def check_texts(self, found: Decoded) -> None:
        """Raise Unsound if there is text that the codec refuses."""
        for name, encoding in self.strict.items():
            _texts(found, name, encoding)

    def found(self, data: Any, windows: Any, size: int, context: Sequence[int]) -> Decoded:
        """What the kernel gives, with text that may be none."""
        first = min(size // max(1, self.kernel.source.program.minimum_size), size // _BYTES_OF_ROW)
        rows = [int(size * rate) + _SPARE for rate in self.rates] or [first + _SPARE] * len(self.tables)
        bytes_of = {name: int(size * self.bytes_rates.get(name, 0.25)) + _SPARE for name in self.packed}
        room: dict[str, Any] = {"packed": bytes_of, "room": rows, "allocate": allocate}
        found = self.kernel.decode(data, windows, fields=self.fields, context=context, **room)
        if found.rows[0] > _SPARE:  # what comes is like what came
            taken = size if found.problem is None else int(found.problem.position - windows[0][0])
            read = _MARGIN / max(1, taken)
            self.rates = [count * read for count in found.rows]
            self.bytes_rates = {name: len(found.columns[name, Part.BYTES]) * read for name in self.packed}
        return found

    def positions(self, found: Decoded) -> Array | None:
        """Where each row begins in the bytes, if that is one of the columns."""
        return found.columns.get(("", Part.POSITION))

    def verified(self, found: Decoded, data: Any, end: int, name: str, algorithm: str) -> int:
        """How many rows have the right checksum, from the first on."""
        starts, sizes = found.columns[name, Part.COVERED_POSITION], found.columns[name, Part.COVERED_LENGTH]
        stored = found[name]
        inside = sizes <= end - starts
        some = np.flatnonzero(inside & (sizes >= 0))
        view = np.frombuffer(data, np.uint8)
        if algorithm == "crc32c":
            sums = kernel_checksums(view, starts[some], starts[some] + sizes[some])
        else:
            compute, places = ALGORITHMS[algorithm], zip(starts[some].tolist(), sizes[some].tolist(), strict=True)
            sums = np.array([compute(view[place : place + size].tobytes()) for place, size in places], np.uint32)
        inside[some] &= sums == stored[some]
        return len(inside) if inside.all() else int(np.argmin(inside))

    # columns

    def part(self, shape: Shape, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        """A field of a structure whose columns begin with ``prefix``."""
        assert isinstance(shape, Through)
        if shape.attribute is None:
            raise NotCompiled("a switch")
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

    def instance(self, shape: Shape, name: str, program: TypeProgram, prefix: str, valid: Valid, table: int) -> Any:
        """A value instance, computed from columns."""
        instance = next(one for one in program.instances if one.field.name == name)
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

        def column(found: Decoded) -> Any:
            return make(np.broadcast_to(np.asarray(compute(found)), (found.rows[table],)))

        return column

    def field(self, path: tuple[str, ...], program: TypeProgram, prefix: str) -> Callable[[Decoded], Array]:
        """A number that an expression asks for, in 64 bits."""
        name, *others = path
        step = next((step for step in _flat(program.steps) if step.name == name), None)
        while isinstance(step, Window) and len(step.steps) == 1 and step.codec is None and step.condition is None:
            step = step.steps[0]
        if isinstance(step, ReadInteger | ReadVarint) and not others and step.condition is None:
            if step.kind.bits < 64 or step.kind.signed:
                column = f"{prefix}{name}"
                self.fields.add(column)
                return lambda found: found[column].astype(np.int64)
        if isinstance(step, ReadBit) and not others and step.condition is None and step.width < 64:
            self.fields.add(f"{prefix}{name}")
            return lambda found: found[f"{prefix}{name}"].astype(np.int64)
        if isinstance(step, ReadType) and others and step.condition is None:
            return self.field(tuple(others), step.type, f"{prefix}{name}.")
        if isinstance(step, ReadBits) and len(others) == 1 and step.condition is None:
            bit = f"{prefix}{name}.{others[0]}"
            if next(one.width for one in step.bits if one.name == others[0]) < 64:
                self.fields.add(bit)
                return lambda found: found[bit].astype(np.int64)
        raise NotFixed(f"{'.'.join(path)} in an expression")

    def switch(self, shape: Shape, step: ReadSwitch, name: str, valid: Valid, table: int) -> Any:
        """A structure of a column for each kind of case, one of those, or the only one."""
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
        return lambda found: make(found, _validity(found, (*valid, (name, 0))))

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
        return lambda found: make(found[name], _validity(found, valid))

    def bytes(self, shape: Shape, step: ReadBytes, name: str) -> Any:
        self.packed.add(name)
        kind = arrow_type(shape)
        encoding = step.encoding.upper() if step.encoding is not None and isinstance(shape, TextShape) else None
        if encoding is not None and encoding not in LENIENT:
            return lambda found: pyarrow().array(_texts(found, name, encoding), kind)

        def column(found: Decoded) -> Any:
            pa = pyarrow()
            data, ends = found.columns[name, Part.BYTES], found.columns[name, Part.BYTE_OFFSETS]
            there = found.columns[name, Part.IS_THERE]
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
        return lambda found: make(found, _validity(found, valid))

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

        def column(found: Decoded) -> Any:
            ends = found.columns[name, Part.OFFSETS].astype(np.int32)
            buffers = [_validity(found, valid), pa.py_buffer(ends)]
            return pa.Array.from_buffers(kind, len(ends) - 1, buffers, children=[inner(found)])

        return column


def _checksums(steps: Sequence[Step], prefix: str) -> Iterator[tuple[str, str]]:
    """The columns of checksums, each with its algorithm; NotCompiled for those that are not one of each row."""
    for step in steps:
        match step:
            case Checksum() if step.to_limit:
                raise NotCompiled("a checksum up to the end of a part")
            case Checksum():
                if step.part in ("", "check"):
                    yield f"{prefix}{step.name}", step.algorithm
            case ReadType():
                yield from _checksums(step.type.steps, f"{prefix}{step.name}.")
            case Window() if not any(inner.name == step.name for inner in step.steps):
                yield from _checksums(step.steps, prefix)
            case _ if any(_has(inner, Checksum) for inner in types_of([step])):
                raise NotCompiled(f"{prefix}{step.name}: a checksum in a list, or one of several types")


def _asks_around(program: TypeProgram) -> bool:
    """Whether expressions may ask for what is around the rows."""
    if any(node.op == "name" and node.value[0] in (ROOT, PARENT) for node in expressions_in(program.steps)):
        return True
    if program.byte_order is not None:
        return True
    return any(map(_asks_around, set(types_of(program.steps))))


def _getter(path: tuple[str, ...], rows: ReadList) -> Callable[[Any, Any, int], int]:
    """What takes a number of what is around the rows, from the root, from the structure that has them, and from the
    index of the first one, as 64 bits.
    It raises what it meets if there is none.
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
        found = operator.index(compute(root if origin == ROOT else holder))
        return found - (1 << 64) if found > MAX_INT64 else found

    return get


def _texts(found: Decoded, name: str, encoding: str) -> list[str | None]:
    """Texts in an encoding that the codec reads strictly; raises Unsound if one is none."""
    data, ends = found.columns[name, Part.BYTES].tobytes(), found.columns[name, Part.BYTE_OFFSETS].tolist()
    there = found.columns[name, Part.IS_THERE].tolist()
    texts: list[str | None] = []
    for index, is_there in enumerate(there):
        try:
            texts.append(data[ends[index] : ends[index + 1]].decode(encoding) if is_there else None)
        except UnicodeDecodeError:
            raise Unsound(index) from None
    return texts


def _validity(found: Decoded, valid: Valid) -> Any:
    """The validity of a column for Arrow: a buffer, or None if all is there."""
    parts = []
    for name, case in valid:
        if case < 0:
            parts.append(found.columns[name, Part.VALID].view(np.bool_))
        else:
            cases = found.columns[name, Part.CASE]
            parts.append(cases != 0 if case == 0 else cases == case)
    return validity_of(reduce(operator.and_, parts)) if parts else None


def _structures(kind: Any, parts: list[Callable[[Decoded], Any]]) -> Callable[[Decoded, Any], Any]:
    """What makes structures of their parts, with a validity."""
    pa = pyarrow()

    def make(found: Decoded, validity: Any) -> Any:
        children = [part(found) for part in parts]
        return pa.Array.from_buffers(kind, len(children[0]), [validity], children=children)

    return make


def _flat(steps: Sequence[Step]) -> list[Step]:
    """The steps that set a field of the type."""
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            found += _flat(step.steps)
        elif isinstance(step, Window | _FIELDS):
            found.append(step)
    return found


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
    """What decodes the rows of a plan by a kernel, or why none does."""
    return _compiled(plan.rows, plan.columns, trailing)


__all__ = ["Compiled", "compiled_of"]

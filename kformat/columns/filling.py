"""Values that the codec read -> Arrow arrays, one column after the other: the reference of all back ends.

A column of a batch is made by a handful of loops in C (`map`, `pyarrow.array`), not by a walk over each value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from kformat.codec.values import Value
from kformat.columns.arrow import pyarrow
from kformat.columns.logical import logical_array, logical_type
from kformat.columns.plan import (
    FILE,
    INDEX,
    PARENT,
    POSITION,
    Binary,
    ChosenColumn,
    Column,
    EnumNames,
    Flag,
    LogicalShape,
    Many,
    Number,
    OneOf,
    Plan,
    Real,
    RecordShape,
    Shape,
    TagShape,
    TextShape,
    Through,
)
from kformat.errors import DataError, InvalidError, join_path

_DIGITS: Final = 20
"""Digits of a number of 64 bits."""


def arrow_type(shape: Shape) -> Any:
    """The Arrow type of a shape. The fields of a structure may be null, since the structure may be."""
    pa = pyarrow()
    match shape:
        case Number() if shape.bits > 64:
            return pa.decimal128(_DIGITS, 0)
        case Number():
            return getattr(pa, f"{'' if shape.signed else 'u'}int{shape.bits}")()
        case Real():
            return pa.float32() if shape.bits == 32 else pa.float64()
        case Flag():
            return pa.bool_()
        case Binary():
            return pa.binary()
        case TextShape() | EnumNames():
            return pa.string()
        case LogicalShape():
            return logical_type(shape.logical, shape.stored.bits if isinstance(shape.stored, Number) else 0)
        case RecordShape():
            return pa.struct([pa.field(column.name, arrow_type(column.shape)) for column in shape.columns])
        case OneOf():
            return pa.struct([pa.field(column.name, arrow_type(column.shape)) for column in shape.cases])
        case Many():
            return pa.list_(pa.field("item", arrow_type(shape.element), shape.is_nullable))
        case Through() | TagShape():
            return arrow_type(shape.inner)
    raise AssertionError(shape)


def arrow_field(column: Column) -> Any:
    """A column as a field of a schema."""
    return pyarrow().field(column.name, arrow_type(column.shape), column.is_nullable)


@lru_cache(maxsize=64)
def _schema(columns: tuple[ChosenColumn, ...]) -> Any:
    return pyarrow().schema([arrow_field(chosen.column) for chosen in columns])


def schema_of(plan: Plan) -> Any:
    """The ``pyarrow.Schema`` of the rows."""
    return _schema(plan.columns)


Fill = Callable[[Sequence[Any]], Any]
"""Values, some of them None -> an Arrow array."""


@lru_cache(maxsize=4096)
def filler(shape: Shape) -> Fill:
    """A function that makes an array of a shape. Errors of attributes pass; pyarrow raises for what does not fit."""
    pa, kind = pyarrow(), arrow_type(shape)
    match shape:
        case EnumNames():
            names = shape.enum.members

            def named(values: Sequence[Any]) -> Any:
                get = names.get
                texts = [None if value is None else get(value) or str(int(value)) for value in values]
                return pa.array(texts, kind)

            return named
        case LogicalShape():
            fill = filler(shape.stored)
            return lambda values: logical_array(shape.logical, fill(values), kind)
        case RecordShape():
            return _structure(shape.columns, kind)
        case OneOf():
            return _one_of(shape, kind)
        case Many():
            return _many(shape, kind)
        case TagShape():
            return filler(shape.inner)
        case Through():
            inner = filler(shape.inner)
            take = _case(shape.kind) if shape.attribute is None else _attribute(shape.attribute)
            return lambda values: inner(take(values))
    return lambda values: pa.array(values, kind)


def _attribute(name: str) -> Callable[[Sequence[Any]], Sequence[Any]]:
    get = attrgetter(name)

    def take(values: Sequence[Any]) -> Sequence[Any]:
        try:
            return list(map(get, values))
        except AttributeError:
            return [None if value is None else get(value) for value in values]

    return take


def _structure(columns: tuple[Column, ...], kind: Any) -> Fill:
    pa, parts = pyarrow(), [(_attribute(column.attribute), filler(column.shape)) for column in columns]
    fields = list(kind)

    def fill(values: Sequence[Any]) -> Any:
        arrays = [make(take(values)) for take, make in parts]
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=_mask(values))

    return fill


def _mask(values: Sequence[Any]) -> Any:
    absent = [value is None for value in values]
    return pyarrow().array(absent) if any(absent) else None


def kind_of_value(value: Any) -> str:
    """The case of a switch that a value belongs to, named as `case_kind` does."""
    match value:
        case Value():
            return value._type.name
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "float"
        case bytes():
            return "bytes"
        case str():
            return "text"
    return "list" if isinstance(value, list) else ""


def _case(kind: str) -> Callable[[Sequence[Any]], Sequence[Any]]:
    return lambda values: [value if kind_of_value(value) == kind else None for value in values]


def _one_of(shape: OneOf, kind: Any) -> Fill:
    pa, parts = pyarrow(), [(name, filler(case.shape)) for name, case in zip(shape.kinds, shape.cases, strict=True)]
    fields = list(kind)

    def fill(values: Sequence[Any]) -> Any:
        kinds = [kind_of_value(value) for value in values]
        arrays = []
        for wanted, make in parts:
            arrays.append(make([value if name == wanted else None for value, name in zip(values, kinds, strict=True)]))
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=_mask(values))

    return fill


def _many(shape: Many, kind: Any) -> Fill:
    pa, make = pyarrow(), filler(shape.element)

    def fill(values: Sequence[Any]) -> Any:
        lists = [() if value is None else value for value in values]
        ends = pa.array(list(accumulate(map(len, lists), initial=0)), pa.int32())
        elements = make(list(chain.from_iterable(lists)))
        return pa.ListArray.from_arrays(ends, elements, kind, mask=_mask(values))

    return fill


class RowBatch:
    """Rows collected for a record batch: values, and the place of each."""

    def __init__(self, plan: Plan, file: str) -> None:
        self.plan, self.file, self.schema = plan, file, schema_of(plan)
        self.values: list[Any] = []
        self.root: Any = None
        """The value that holds all of them."""
        self.places: list[tuple[Any, int, Any]] = []
        """For each row its position, its index in its list, and the structure that has the list."""

    def record_batch(self, start: int = 0, end: int | None = None) -> Any:
        """A record batch of some of the rows; raises what reading their instances raises, and pyarrow's exceptions."""
        values, places = self.values[start:end], self.places[start:end]
        arrays = [self._array(chosen, values, places) for chosen in self.plan.columns]
        return pyarrow().RecordBatch.from_arrays(arrays, schema=self.schema)

    def _array(self, chosen: ChosenColumn, values: list[Any], places: list[tuple[Any, int, Any]]) -> Any:
        make, pa = filler(chosen.column.shape), pyarrow()
        match chosen.origin:
            case "":
                if isinstance(chosen.column.shape, Through):
                    return make(values)
                return make(_attribute(chosen.column.attribute)(values))
            case _ if chosen.origin == FILE:
                return pa.array([self.file], pa.string()).take(pa.array(np.zeros(len(values), np.int32)))
            case _ if chosen.origin == POSITION:
                return pa.array([position for position, _, _ in places], pa.int64())
            case _ if chosen.origin == INDEX:
                return pa.array([index for _, index, _ in places], pa.int64())
            case _ if chosen.origin == PARENT:
                return make([holder for _, _, holder in places])
        return make([self.root] * len(values))

    def fixed(self, columns: Any, rows: Any, position: int, index: int, holder: Any) -> Any:
        """Rows of a fixed size, from a position and an index on; ``columns`` is a `fixed.Fixed`."""
        positions = np.arange(position, position + len(rows) * columns.size, columns.size, dtype=np.int64)
        return self.made(columns, rows, len(rows), positions, index, holder)

    def compiled(self, columns: Any, decoded: Any, origin: int, index: int, holder: Any) -> Any:
        """All rows that a kernel decoded, from bytes at ``origin``; ``columns`` is a `compiled_rows.Compiled`."""
        positions = columns.positions(decoded)
        return self.made(
            columns, decoded, decoded.rows[0], None if positions is None else positions + origin, index, holder
        )

    def made(self, columns: Any, rows: Any, count: int, positions: Any, index: int, holder: Any) -> Any:
        """Rows of a back end that makes whole columns out of ``rows``."""
        arrays, pa = [], pyarrow()
        for chosen, (origin, make) in zip(self.plan.columns, columns.columns, strict=True):
            if origin == "":
                arrays.append(make(rows))
            elif origin == POSITION:
                arrays.append(pa.array(positions))
            elif origin == INDEX:
                arrays.append(pa.array(np.arange(index, index + count, dtype=np.int64)))
            else:
                column = self._array(chosen, [None], [(None, index, holder)])
                arrays.append(column.take(pa.array(np.zeros(count, np.int32))))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def first_bad(self, why: Exception) -> tuple[int, Exception]:
        """The first row that cannot be a row of the result, and the error. ``why`` is the error of all rows together:
        an instance that had no value may have one when it is read again, since others are kept. Then ``why`` is the
        last row's.
        """
        for index in range(len(self.values)):
            try:
                self.record_batch(index, index + 1)
            except DataError as error:
                return index, error
            except misfits() as error:
                return index, error
        return len(self.values) - 1, why


def misfits() -> tuple[type[Exception], ...]:
    """What pyarrow raises for a value that does not fit its column."""
    return (UnicodeError, OverflowError, pyarrow().ArrowInvalid, pyarrow().ArrowCapacityError)


def misfit(plan: Plan, value: Any, around: Mapping[str, Any]) -> tuple[str, str, Any]:
    """The path in a row of a value that does not fit, what is expected, and what is found; ``around``: see
    `misfit_error`.
    """
    for chosen in plan.columns:
        if chosen.origin in around:
            bad = _bad(chosen.column.shape, around[chosen.origin], "")
            if bad is not None:
                return join_path(chosen.origin, bad[0].lstrip(".")), *bad[1:]
        if chosen.origin == "":
            shape, item = chosen.column.shape, value
            path = "" if isinstance(shape, Through) else chosen.column.attribute
            if path:
                item = getattr(value, path)
            bad = _bad(shape, item, path)
            if bad is not None:
                return bad
    return "", "values that fit their columns", ""


def _bad(shape: Shape, value: Any, path: str) -> tuple[str, str, Any] | None:
    if value is None:
        return None
    match shape:
        case RecordShape() | OneOf():
            columns = shape.columns if isinstance(shape, RecordShape) else shape.cases
            for number, column in enumerate(columns):
                if isinstance(shape, OneOf):
                    inner, here = (value if kind_of_value(value) == shape.kinds[number] else None), path
                else:
                    inner, here = getattr(value, column.attribute), join_path(path, column.attribute)
                bad = _bad(column.shape, inner, here)
                if bad is not None:
                    return bad
            return None
        case TagShape():
            return _bad(shape.inner, value, path)
        case Through():
            if shape.attribute is None:
                return _bad(shape.inner, value if kind_of_value(value) == shape.kind else None, path)
            return _bad(shape.inner, getattr(value, shape.attribute), join_path(path, shape.attribute))
        case Many():
            problems = (_bad(shape.element, item, f"{path}[{index}]") for index, item in enumerate(value))
            return next((bad for bad in problems if bad is not None), None)
    try:
        filler(shape)([value])
    except UnicodeError:
        encoding = (shape.encoding if isinstance(shape, TextShape) else None) or "Unicode"
        return path, f"text in {encoding}", value.encode("utf-8", "surrogateescape")
    except misfits():
        kind = str(arrow_type(shape))
        return path, f"a value that fits {kind}", value if isinstance(value, int) else repr(value)[:200]
    return None


def misfit_error(
    plan: Plan,
    value: Any,
    source: str,
    position: int | None,
    data: bytes = b"",
    around: Mapping[str, Any] = MappingProxyType({}),
) -> InvalidError:
    """The error of a row with a value that does not fit its column; its path begins in the row. With the row's bytes
    (``data``) the position is that of the first byte that is no text, if the text occurs once in them. ``around``: the
    structures around the row, by the names that columns have for them.
    """
    path, expected, found = misfit(plan, value, around)
    if isinstance(found, bytes):
        at = data.find(found)
        if position is not None and at >= 0 and data.find(found, at + 1) < 0:
            position += at + _first_bad(found, expected.removeprefix("text in "))
        found = found[:_MOST_SHOWN].hex() + "..." * (len(found) > _MOST_SHOWN)
    shown = found if not isinstance(found, int) or abs(found) < 1 << 64 else "a larger number"
    message = "a value that has no place in its column"
    return InvalidError(message, source=source, position=position, path=path, expected=expected, found=shown)


_MOST_SHOWN: Final = 100
"""Most bytes of undecodable text that an error shows."""


def _first_bad(data: bytes, encoding: str) -> int:
    """Where bytes stop being text."""
    try:
        data.decode("ascii" if encoding.upper() == "ASCII" else "utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


__all__ = ["FILE", "RowBatch", "arrow_type", "filler", "schema_of"]

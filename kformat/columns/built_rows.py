"""Rows that are columns -> the bytes of a file of them: the inverse of `scanning.scan`.

Rows whose bytes depend on nothing around them are built by `building.Builder`, many at once, and written as they are;
others are objects, which the codec builds with the rest of the file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kformat.codec.builder.written_rows import WrittenRows
from kformat.codec.building import around_rows
from kformat.codec.constructs import build, parse
from kformat.codec.values import MISSING, Value, held
from kformat.columns.arrow import arrow_compute, pyarrow
from kformat.columns.building import Builder, values_of
from kformat.columns.plan import OF_THE_PLACE
from kformat.columns.rows import Rows, depends_on_its_context, find, holder_of, is_one_list, step_of
from kformat.errors import BuildError, UsageError
from kformat.language.program import ReadList, ReadType
from kformat.language.steps import nodes_of, reached

_PLACES: Final = ("_root.", "_parent.")
_EXACT: Final = 2**53
"""Up to here a double has all whole numbers."""


def build_rows(format: Any, rows: Any, row: str | None, around: Any, onto: bytes | None = None) -> bytes:
    """The bytes of a file with these rows; arguments and errors as for `kformat.build`."""
    which = find(format, row)
    batches = _batches(rows, {field.name for field in which.type.fields if field.kind == "integer"})
    if not which.path:
        return b"".join(_whole_files(which, batches))
    holder = holder_of(which) if is_one_list(which) else None
    if holder is None or not any(step.name == which.path[-1] for step in holder.steps):
        raise UsageError(f"{which.root.label}: {which} is no list that is built by itself; build the whole value")
    given = _around(format, onto if around is None else around)
    if onto is None and stand_alone(which):
        return around_rows(which.root, given_with(given, which.path, _written(which, batches)))
    items = [value for batch in batches for value in values_of(which.type, batch, which.path[-1])]
    return build(format, given_with(given, which.path, items), onto=onto)


def _batches(rows: Any, integers: set[str]) -> Iterator[Any]:
    """The rows as arrays of structures, without the columns of a row's place; ``integers``: the names of integers."""
    pa = pyarrow()
    reader = pa.RecordBatchReader.from_stream(rows)
    names = [name for name in reader.schema.names if name not in OF_THE_PLACE and not name.startswith(_PLACES)]
    if len(set(names)) < len(names):
        raise UsageError(f"two columns have one name: {next(name for name in names if names.count(name) > 1)}")
    kinds = [_without_views(reader.schema.field(name).type) for name in names]
    for batch in reader:
        columns = [batch.column(name).cast(kind) for name, kind in zip(names, kinds, strict=True)]
        columns = [_whole(column) if name in integers else column for name, column in zip(names, columns, strict=True)]
        yield _structures([name.split(".") for name in names], columns, batch.num_rows)


def _whole(column: Any) -> Any:
    """Floats that are whole numbers as integers, NaN as null: so pandas keeps integers of which some are missing."""
    pa = pyarrow()
    if not pa.types.is_floating(column.type):
        return column
    compute = arrow_compute()
    column = compute.if_else(compute.is_nan(column), None, column)
    fits = compute.and_(compute.equal(column, compute.floor(column)), compute.less_equal(compute.abs(column), _EXACT))
    return column.cast(pa.int64()) if compute.all(fits, min_count=0).as_py() else column


def _structures(paths: list[list[str]], columns: list[Any], count: int) -> Any:
    """An array of structures from columns by their paths: ``header.kind`` is in a structure ``header``."""
    pa = pyarrow()
    if not columns:
        return pa.array([{}] * count, pa.struct([]))
    made = dict[str, Any]()
    for first in dict.fromkeys(path[0] for path in paths):
        inner = [(path[1:], column) for path, column in zip(paths, columns, strict=True) if path[0] == first]
        if any(path for path, _ in inner) and all(path for path, _ in inner):
            part = _structures([path for path, _ in inner], [column for _, column in inner], count)
            nulls = functools.reduce(arrow_compute().and_, (column.is_null() for _, column in inner))
            made[first] = pa.StructArray.from_arrays(part.flatten(), part.type.names, mask=nulls)
        elif len(inner) == 1:
            made[first] = inner[0][1]
        else:
            raise UsageError(f"the column {first!r} is there, and a column in it")
    return pa.StructArray.from_arrays(list(made.values()), list(made))


def _without_views(kind: Any) -> Any:
    """A type with offsets in place of views, of which Arrow's functions know little. polars has views."""
    pa = pyarrow()
    types = pa.types
    if types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        return pa.struct([field.with_type(_without_views(field.type)) for field in fields])
    if types.is_list(kind) or types.is_large_list(kind):
        inner = kind.value_field.with_type(_without_views(kind.value_type))
        return pa.list_(inner) if types.is_list(kind) else pa.large_list(inner)
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_views(kind.value_type))
    return (
        pa.large_binary() if types.is_binary_view(kind) else pa.large_string() if types.is_string_view(kind) else kind
    )


def _around(format: Any, around: Any) -> Any:
    if around is None:
        return {}
    if isinstance(around, bytes | bytearray | memoryview):
        return parse(format, bytes(around), trailing="keep")
    if isinstance(around, Value | Mapping):
        return around
    raise UsageError(f"around is {around!r:.60}; a mapping, a parsed value or the bytes of a file are expected")


def given_with(value: Any, path: tuple[str, ...], rows: Any, *, is_whole: bool = True) -> dict[str, Any]:
    """What a builder gets: the fields of a value, or of a mapping, with the rows in place of their list; ``is_whole``:
    also those after the list.
    """
    if isinstance(value, Value):
        fields = {name: held(value, name) for name in value._fields if held(value, name) is not MISSING}
    else:
        fields = dict(value or {})
    given = dict[str, Any]()
    for name in dict.fromkeys((*fields, path[0])):
        if name == path[0]:
            inner = fields.get(name)
            if len(path) == 1 and not len(rows) and name in fields and inner is None:
                given[name] = None  # its condition is false
                continue
            given[name] = rows if len(path) == 1 else given_with(inner, path[1:], rows, is_whole=is_whole)
            if not is_whole:
                break
        else:
            given[name] = fields[name]
    return given


def stand_alone(rows: Rows) -> bool:
    """Whether the bytes of a row are the same wherever it is."""
    step = step_of(rows)
    if not isinstance(step, ReadList) or not isinstance(step.element, ReadType):
        return False
    if (
        step.align
        or step.checks
        or step.until is not None
        or step.element.arguments
        or step.element.condition is not None
    ):
        return False
    if rows.type.parameters or depends_on_its_context(rows):
        return False
    for program in reached(rows.type):
        if program.tagged or any(instance.value is None for instance in program.instances):
            return False
        if any(node.op == "name" and "_io" in node.value for node in nodes_of((program.steps, program.instances))):
            return False
    return True


def _written(rows: Rows, batches: Iterator[Any]) -> WrittenRows:
    """The bytes of all rows, and where each begins."""
    builder, parts, starts, end = Builder(rows.type, source=rows.path[-1]), list[Any](), list[int](), 0
    for array in batches:
        built = builder.build(array)
        for item in built.array:
            data = item.as_py()
            if data is None:
                raise BuildError("may not be null", path=f"{rows.whole_path}[{len(starts)}]")
            parts.append(data)
            starts.append(end)
            end += len(data)
        if built.problem is not None:
            below = built.problem.path.removeprefix(rows.path[-1])
            built.problem.path = f"{rows.whole_path}[{len(starts)}]{below}"
            raise built.problem
    return WrittenRows(parts, starts)


def _whole_files(rows: Rows, batches: Iterator[Any]) -> Iterator[bytes]:
    builder = Builder(rows.root, source=rows.root.label)
    for array in batches:
        built = builder.build(array)
        yield from (item.as_py() or b"" for item in built.array)
        if built.problem is not None:
            raise built.problem


__all__ = ["build_rows", "given_with"]

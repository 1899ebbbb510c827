"""Arrow tables -> rows of records: key, value, timestamp, headers and offset as arrays, from any library.

pyarrow (extra ``arrow``) reads any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``; pyarrow's own objects
are used directly. Columns are found by name; every Arrow type with the same meaning is accepted.

pyarrow before 25 crashes the process when it exports a column of views made by a cast if no value is longer than 12
bytes: the cast leaves a null pointer among the buffers, and the export dereferences it. Other libraries' objects may
export through pyarrow, and there is no way to tell: with such a pyarrow their columns of views are refused, unless the
library is known to export by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.writing import Columns
from kformat.kafka.columns.arrow import RecordBatch, pyarrow
from kformat.kafka.columns.chunks import Scattered

Array: TypeAlias = npt.NDArray[Any]

COLUMNS: Final = ("key", "value", "timestamp", "headers")
"""The columns that are read; only ``value`` is required."""

OFFSET: Final = "offset"
"""Read as well, and required, if offsets are kept."""

_EXPORTS_VIEWS: Final = 25
"""The first pyarrow that exports every column of views."""
_EXPORT_BY_THEMSELVES: Final = {"polars", "duckdb", "_duckdb"}
"""Libraries whose streams do not go through pyarrow."""

_MOST_JOINED_BYTES: Final = 1 << 30
_PER_MS: Final = {"us": 1_000, "ns": 1_000_000}


class Headers(NamedTuple):
    """Headers of rows: those of row i are entries ``offsets[i]`` to ``offsets[i + 1]`` of keys and values."""

    offsets: npt.NDArray[np.int64]
    keys: Scattered
    values: Scattered


@dataclass(frozen=True, slots=True)
class RecordRows:
    """Records as columns; timestamps are int64, ms. ``offsets`` (int64) exist only if offsets are kept."""

    timestamps: npt.NDArray[np.int64]
    key: Scattered | None
    value: Scattered
    headers: Headers | None
    offsets: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.timestamps)

    def first(self, count: int) -> RecordRows:
        """The first ``count`` rows."""
        headers = self.headers
        return RecordRows(
            self.timestamps[:count],
            None if self.key is None else _first(self.key, count),
            _first(self.value, count),
            None if headers is None else headers._replace(offsets=headers.offsets[: count + 1]),
            None if self.offsets is None else self.offsets[:count],
        )

    def after(self, count: int) -> RecordRows:
        """The rows after the first ``count``."""
        headers = self.headers
        return RecordRows(
            self.timestamps[count:],
            None if self.key is None else _after(self.key, count),
            _after(self.value, count),
            None if headers is None else headers._replace(offsets=headers.offsets[count:]),
            None if self.offsets is None else self.offsets[count:],
        )

    def fitting(self, size: int) -> RecordRows:
        """The first rows whose keys, values and headers together fit into ``size`` bytes, plus two more."""
        if self.headers is None and self.most_bytes() <= size:
            return self
        sizes = self.sizes()
        if int(sizes.sum()) <= size:
            return self
        count = int(np.searchsorted(np.cumsum(sizes), size, side="right")) + 2
        return self if count >= len(self) else self.first(count)

    def most_bytes(self) -> int:
        """An upper bound for the bytes of keys and values together."""
        columns = [column for column in (self.key, self.value) if column is not None]
        return sum(int(column.lengths.sum()) for column in columns) + len(columns) * len(self)  # a null counts -1

    def sizes(self) -> npt.NDArray[np.int64]:
        """The bytes of key, value and headers in each row."""
        sizes = self.value.lengths.clip(0)
        if self.key is not None:
            sizes = sizes + self.key.lengths.clip(0)
        if self.headers is not None:
            each = self.headers.keys.lengths.clip(0) + self.headers.values.lengths.clip(0)
            sizes = sizes + np.diff(np.concatenate((np.zeros(1, np.int64), np.cumsum(each)))[self.headers.offsets])
        return sizes

    def plain(self) -> Columns:
        """The rows as Python objects."""
        keys = [None] * len(self) if self.key is None else self.key.to_list()
        timestamps, values = self.timestamps.tolist(), self.value.to_list()
        own = None if self.offsets is None else self.offsets.tolist()
        if self.headers is None:
            return Columns(timestamps, keys, values, offsets=own)
        names = [
            None if name is None else name.decode("utf-8", "surrogateescape") for name in self.headers.keys.to_list()
        ]
        pairs: Any = list(zip(names, self.headers.values.to_list(), strict=True))
        offsets = self.headers.offsets.tolist()
        return Columns(timestamps, keys, values, [pairs[a:b] for a, b in pairwise(offsets)], own)


def _first(column: Scattered, count: int) -> Scattered:
    return Scattered(column.data, column.positions[:count], column.lengths[:count])


def _after(column: Scattered, count: int) -> Scattered:
    return Scattered(column.data, column.positions[count:], column.lengths[count:])


def rows_of_columns(columns: Columns) -> RecordRows | None:
    """Convert Python objects to arrays; None if a value is of another type, or a timestamp or offset beyond int64."""
    try:
        if set(map(type, columns.timestamps)) != {int}:
            return None
        timestamps = np.array(columns.timestamps, np.int64)
        offsets = None if columns.offsets is None else np.array(columns.offsets, np.int64)
        headers = None if columns.headers is None else _header_columns(columns.headers)
    except (OverflowError, TypeError, ValueError, UnicodeEncodeError):
        return None
    has_keys = set(map(type, columns.keys)) != {type(None)}
    key, value = _joined(columns.keys) if has_keys else None, _joined(columns.values)
    if value is None or (key is None and has_keys) or (columns.headers is not None and headers is None):
        return None
    return RecordRows(timestamps, key, value, headers, offsets)


def _joined(values: Sequence[bytes | None]) -> Scattered | None:
    """Join bytes and nulls; None if there is anything else."""
    kinds = set(map(type, values))
    if not kinds <= {bytes, type(None)}:
        return None
    if type(None) in kinds:
        lengths = np.fromiter([-1 if value is None else len(value) for value in values], np.int64, len(values))
        values = [value or b"" for value in values]
    else:
        lengths = np.fromiter(map(len, values), np.int64, len(values))  # type: ignore[arg-type]
    sizes = lengths.clip(0)
    data = np.frombuffer(b"".join(values), np.uint8)  # type: ignore[arg-type]
    return Scattered(data, np.cumsum(sizes) - sizes, lengths)


def _header_columns(rows: Sequence[Any]) -> Headers | None:
    """Join lists of pairs of text and bytes; None if there is anything else. Raises what unpacking a pair raises."""
    if not {tuple, list}.issuperset(map(type, rows)):
        return None
    pairs = [pair for pairs in rows for pair in pairs]
    names, values = [name for name, _ in pairs], [value for _, value in pairs]
    if set(map(type, names)) - {str} or set(map(type, pairs)) - {tuple, list}:
        return None
    keys, value_column = _joined([name.encode("utf-8", "surrogateescape") for name in names]), _joined(values)
    if keys is None or value_column is None:
        return None
    offsets = np.zeros(len(rows) + 1, np.int64)
    offsets[1:] = np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))
    return Headers(offsets, keys, value_column)


class ArrowStream(Protocol):
    """A table, a frame or a reader that exports its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...


class ArrowArray(Protocol):
    """A record batch, or an array of structures, that exports its rows as an Arrow array."""

    def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...


def is_table(table: Any) -> bool:
    """Whether an object has Arrow's interface."""
    return hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")


def record_batches(table: Any, *, with_offsets: bool = False) -> Iterator[RecordBatch]:
    """The record batches of a table, with only the columns that are read; including `OFFSET` if requested.

    Raises UsageError for an object that is not a table, a missing column of values (or offsets), an unsupported type,
    or columns of views that could crash this pyarrow; MissingDependencyError if pyarrow is missing.
    """
    return _opened(table, (*COLUMNS, OFFSET) if with_offsets else COLUMNS)[0]


def _opened(table: Any, known: tuple[str, ...] = COLUMNS) -> tuple[Iterator[RecordBatch], Any]:
    """A table's record batches and their schema, restricted to the columns that are read."""
    batches, schema = batches_of(table)
    selected = _selected(schema, known)
    if selected.names != schema.names:
        batches = (batch.select(selected.names) for batch in batches)
    return iter(batches), selected


@lru_cache(maxsize=64)
def _selected(schema: Any, known: tuple[str, ...]) -> Any:
    """The columns of a schema that are read; UsageError as `record_batches`."""
    names = [name for name in known if name in schema.names]
    for name in ("value", OFFSET):
        if name in known and name not in names:
            raise UsageError(f"column {name} is expected, found {', '.join(schema.names) or 'no column'}")
    for name in names:
        if schema.names.count(name) > 1:
            raise UsageError(f"column {name} is there {schema.names.count(name)} times")
        _check_type(name, schema.field(name).type)
    return pyarrow().schema([schema.field(name) for name in names])


def batches_of(table: Any) -> tuple[Iterable[RecordBatch], Any]:
    """The record batches of a table with all columns, and their schema. Raises as `record_batches`, but for columns."""
    if not is_table(table):
        raise UsageError(
            f"a table is expected: anything with __arrow_c_stream__ or __arrow_c_array__, found {type(table).__name__}"
        )
    pa = pyarrow()
    try:
        match table:
            case pa.Table():
                return table.to_reader(), table.schema
            case pa.RecordBatchReader():
                return table, table.schema
            case pa.RecordBatch():
                return [table], table.schema
            case pa.StructArray() | pa.ChunkedArray() if pa.types.is_struct(table.type):
                if table.null_count:
                    raise UsageError(f"a table is expected, found {type(table).__name__}: {table.null_count} null rows")
                chunks = [table] if isinstance(table, pa.StructArray) else table.chunks
                return map(pa.RecordBatch.from_struct_array, chunks), pa.schema(list(table.type))
        if not hasattr(table, "__arrow_c_stream__"):
            batch = pa.record_batch(table)
            return [batch], batch.schema
        reader = pa.RecordBatchReader.from_stream(table)
    except pa.ArrowException as error:
        raise UsageError(f"a table is expected, found {type(table).__name__}: {error}") from error
    if int(pa.__version__.split(".")[0]) < _EXPORTS_VIEWS and not _exports_by_itself(table):
        for field in reader.schema:
            if _has_views(field.type):
                raise UsageError(
                    f"column {field.name}: {field.type} of {type(table).__name__} may crash the process with pyarrow"
                    f" {pa.__version__}: give a pyarrow.Table, or install pyarrow {_EXPORTS_VIEWS} or later"
                )
    return reader, reader.schema


def _exports_by_itself(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] in _EXPORT_BY_THEMSELVES


def _has_views(kind: Any) -> bool:
    """Whether a type is a view type, or contains one."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return _has_views(kind.value_type)
    inner = [kind.field(number).type for number in range(kind.num_fields)]
    return types.is_binary_view(kind) or types.is_string_view(kind) or any(map(_has_views, inner))


def rows_of_table(table: Any, timestamp: int) -> list[RecordRows]:
    """The rows of a table from `whole_table`, in one piece if it is below a GiB; no piece is empty. Raises as
    `rows_of`."""
    batches = [batch for batch in table.to_batches() if batch.num_rows]
    if len(batches) > 1 and table.nbytes < _MOST_JOINED_BYTES:
        batches = [joined(batches)]
    return [rows_of(batch, timestamp) for batch in batches]


def whole_table(table: Any) -> Any:
    """Read a whole table: a ``pyarrow.Table`` of the columns that are read. Raises as `record_batches`."""
    batches, schema = _opened(table)
    return pyarrow().Table.from_batches(list(batches), schema)


def joined(batches: list[RecordBatch]) -> RecordBatch:
    """Record batches of one schema, copied into one; a single one as it is."""
    if len(batches) == 1:
        return batches[0]
    return pyarrow().Table.from_batches(batches).combine_chunks().to_batches()[0]


def rows_of(batch: RecordBatch, timestamp: int) -> RecordRows:
    """The rows of a record batch from `record_batches`; ``timestamp``, ms, is for rows without one.

    Raises UsageError for a timestamp that does not fit in milliseconds.
    """
    names = batch.schema.names
    has_times = "timestamp" in names
    return RecordRows(
        milliseconds(batch.column("timestamp"), timestamp) if has_times else np.full(batch.num_rows, timestamp),
        _scattered(batch.column("key")) if "key" in names else None,
        _scattered(batch.column("value")),
        _headers(batch.column("headers")) if "headers" in names else None,
        _offsets(batch.column(OFFSET)) if OFFSET in names else None,
    )


# --- types ---------------------------------------------------------------------------------------------------------


def _is_of_bytes(kind: Any) -> bool:
    types = pyarrow().types
    tests = ("binary", "large_binary", "fixed_size_binary", "binary_view", "string", "large_string", "string_view")
    if types.is_dictionary(kind):
        return _is_of_bytes(kind.value_type)
    return types.is_null(kind) or any(getattr(types, f"is_{test}")(kind) for test in tests)


def _is_list(kind: Any) -> bool:
    types = pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _check_type(name: str, kind: Any) -> None:
    """Raise for an unsupported column type."""
    types = pyarrow().types
    if name in ("key", "value"):
        expected, is_right = "binary or string", _is_of_bytes(kind)
    elif name == "timestamp":
        expected = "timestamp, or integers in milliseconds"
        is_right = types.is_timestamp(kind) or types.is_integer(kind) or types.is_null(kind)
    elif name == OFFSET:
        expected, is_right = "integers", types.is_integer(kind)
    else:
        expected, is_right = "list<struct<key: string, value: binary>>", types.is_null(kind)
        if _is_list(kind) and types.is_null(kind.value_type):
            is_right = True  # pandas knows no more of empty lists
        elif _is_list(kind) and types.is_struct(kind.value_type):
            struct = kind.value_type
            fields = [struct.field(number) for number in range(struct.num_fields)]
            is_right = sorted(field.name for field in fields) == ["key", "value"] and all(
                _is_of_bytes(field.type) for field in fields
            )
    if not is_right:
        raise UsageError(f"column {name}: {expected} is expected, found {kind}")


# --- arrays --------------------------------------------------------------------------------------------------------


def _scattered(array: Any) -> Scattered:
    """The positions of an array's bytes; text is UTF-8."""
    pa, count = pyarrow(), len(array)
    kind = array.type
    if pa.types.is_binary(kind) or pa.types.is_string(kind):
        return _laid_out(array, np.int32)
    if pa.types.is_dictionary(kind):
        return _looked_up(_scattered(array.dictionary), array.indices)
    if pa.types.is_null(kind):
        return Scattered(np.empty(0, np.uint8), np.zeros(count, np.int64), np.full(count, -1, np.int64))
    if pa.types.is_binary_view(kind) or pa.types.is_string_view(kind):
        return _scattered(array.cast(pa.large_binary()))
    if not pa.types.is_fixed_size_binary(kind):
        return _laid_out(array, np.int64)
    _, data = array.buffers()
    positions = (array.offset + np.arange(count, dtype=np.int64)) * kind.byte_width
    lengths = np.full(count, kind.byte_width, np.int64)
    if array.null_count:
        lengths[_nulls(array)] = -1
    return Scattered(np.frombuffer(b"" if data is None else data, np.uint8), positions, lengths)


def _laid_out(array: Any, kind: Any) -> Scattered:
    """As `_scattered`, for an array with offsets of a type."""
    _, ends, data = array.buffers()
    offsets = _numbers(ends, kind, array.offset, len(array) + 1).astype(np.int64)
    lengths = offsets[1:] - offsets[:-1]
    if array.null_count:
        lengths[_nulls(array)] = -1
    return Scattered(np.frombuffer(b"" if data is None else data, np.uint8), offsets[:-1], lengths)


def _looked_up(dictionary: Scattered, indices: Any) -> Scattered:
    """The entries of a dictionary with these numbers; length -1 for a null number."""
    count = len(indices)
    positions, lengths = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    is_there = ~_nulls(indices)
    numbers = indices.drop_null().to_numpy()
    positions[is_there], lengths[is_there] = dictionary.positions[numbers], dictionary.lengths[numbers]
    return Scattered(dictionary.data, positions, lengths)


def _numbers(buffer: Any, kind: Any, start: int, count: int) -> Array:
    """Read ``count`` numbers from a buffer; the buffer may be missing if there are none."""
    if buffer is None or not buffer.size:
        return np.zeros(count, kind)
    return np.frombuffer(buffer, kind, count, start * np.dtype(kind).itemsize)


def _nulls(array: Any) -> npt.NDArray[np.bool_]:
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False), np.bool_)


def milliseconds(array: Any, timestamp: int) -> npt.NDArray[np.int64]:
    """A column of times as ms, rounded down; ``timestamp`` for nulls. UsageError if a value does not fit."""
    pa, count = pyarrow(), len(array)
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(count, timestamp, np.int64)
    try:
        numbers = array.view(pa.int64()) if pa.types.is_timestamp(kind) else array.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise UsageError(f"column timestamp: a number is out of range: {error}") from error
    times = _numbers(numbers.buffers()[1], np.int64, numbers.offset, count)
    unit = kind.unit if pa.types.is_timestamp(kind) else "ms"
    is_null = _nulls(array) if array.null_count else None
    if unit == "s":
        if is_null is not None:
            times = np.where(is_null, 0, times)
        if count and max(int(times.max()), -int(times.min())) > MAX_INT64 // 1_000:
            raise UsageError("column timestamp: seconds that do not fit in milliseconds")
        times = times * 1_000
    elif unit in _PER_MS:
        times = times // _PER_MS[unit]
    return times if is_null is None else np.where(is_null, timestamp, times)


def _offsets(array: Any) -> npt.NDArray[np.int64]:
    if array.null_count:
        raise UsageError(f"column {OFFSET}: {array.null_count} rows have no offset")
    try:
        return np.asarray(array.cast(pyarrow().int64()).to_numpy())
    except pyarrow().ArrowInvalid as error:
        raise UsageError(f"column {OFFSET}: a number is out of range: {error}") from error


def _headers(array: Any) -> Headers | None:
    pa, count = pyarrow(), len(array)
    if pa.types.is_null(array.type) or not count:
        return None
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_type))
    is_large = pa.types.is_large_list(array.type)
    offsets = _numbers(array.buffers()[1], np.int64 if is_large else np.int32, array.offset, count + 1)
    offsets = offsets.astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    pairs = array.values.slice(first, last - first)
    if pa.types.is_null(pairs.type):
        keys = values = _scattered(pairs)
    else:
        keys, values = (_scattered(pairs.field(pairs.type.get_field_index(name))) for name in ("key", "value"))
    if pairs.null_count:
        keys.lengths[_nulls(pairs)] = -1  # no header may have this: the row will be refused
    offsets -= first
    if array.null_count:  # a null takes no bytes, whatever the offsets say
        counts = np.where(_nulls(array), 0, np.diff(offsets))
        is_taken = np.repeat(~_nulls(array), np.diff(offsets))
        keys, values = (Scattered(of.data, of.positions[is_taken], of.lengths[is_taken]) for of in (keys, values))
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    return Headers(offsets, keys, values)


__all__ = ["RecordRows", "batches_of", "is_table", "record_batches", "rows_of", "rows_of_table", "whole_table"]

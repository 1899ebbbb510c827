"""Columns -> Arrow: tables, record batches, and the stream that polars, DuckDB and pandas read without a copy.

The columns are those of Spark's Kafka source, in Arrow's types:

    key, value      binary, contiguous; null differs from empty. On request, views of the buffers that were read:
                    nothing is copied, but one live view keeps the whole buffer in memory
    topic           string; a folder name that is not UTF-8 is decoded with U+FFFD
    partition       int32
    offset          int64
    timestamp       timestamp[ms, UTC]; -1, "none", is 1969-12-31 23:59:59.999
    timestampType   int32: 0 CreateTime, 1 LogAppendTime
    headers         list<element: struct<key: string, value: binary>>: in order, duplicates kept; empty if none.
                    A key that is not UTF-8 is decoded with U+FFFD, as a consumer does

On request also fields of the records' batches: partition_leader_epoch, producer_id, producer_epoch, base_sequence,
batch_base_offset, batch_position (in bytes, of its file), compression (the codec's name), is_transactional, is_control.
The columns of `kformat.kafka.columns.declared` replace keys and values that are declared formats. pyarrow is imported
on the first call; the extra ``arrow`` installs it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from kformat.columns.arrow import RecordBatch as RecordBatch
from kformat.columns.arrow import RecordBatchReader as RecordBatchReader
from kformat.columns.arrow import Table as Table
from kformat.columns.arrow import allocate as allocate
from kformat.columns.arrow import file_writer as columns_writer
from kformat.columns.arrow import pyarrow as pyarrow
from kformat.columns.arrow import reader_of as reader_of
from kformat.errors import MissingDependencyError, UsageError
from kformat.kafka.batch.compression import CODEC_LABELS
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.columns.chunks import (
    BATCH_COLUMNS,
    PLACE_COLUMNS,
    Chunk,
    HeaderColumns,
    Packed,
    Scattered,
    Viewed,
    Wanted,
)
from kformat.kafka.columns.declared import DeclaredColumns, Given, with_layouts
from kformat.kernels import gather, views

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_COLUMNS: Final = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers")
"""The columns of Spark's Kafka source."""
COLUMNS: Final = (*DEFAULT_COLUMNS, *BATCH_COLUMNS, *PLACE_COLUMNS)
"""All columns that can be requested."""

_OWN_NAMES: Final = {"timestampType": "timestamp_type"}
_OF_THE_PARTITION: Final = ("topic", "partition")


_MOST_TEXT_BYTES: Final = 1 << 30
_ENCODINGS: Final = {
    "DELTA_BINARY_PACKED": ("offset", "timestamp", "base_sequence"),
    "DELTA_BYTE_ARRAY": ("key", "value"),
}
"""Parquet encodings of columns that change from row to row. Slowly growing numbers are delta-encoded, which takes a
third of the time. Bytes are stored as the length of the prefix shared with the previous value, plus the rest: smaller
for every kind of value tried (JSON by 5 %, a counter by 75 %), mostly faster to write, and as fast to read in Arrow,
DuckDB and Spark; Polars takes twice as long.
"""
_WITHOUT_STATISTICS: Final = ("key", "value", "headers")
"""Columns in log order: the minimum and maximum of so many rows are useless."""
_REPETITIVE: Final = (
    *("topic", "partition", "timestampType", "partition_leader_epoch", "producer_id", "producer_epoch"),
    *PLACE_COLUMNS,
)
_REPETITIVE_IN: Final = {"headers": "headers.list.element.key"}


@cache
def _types() -> dict[str, Any]:
    pa = pyarrow()
    header = pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.binary())])
    return {
        "key": pa.binary(),
        "value": pa.binary(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "offset": pa.int64(),
        "timestamp": pa.timestamp("ms", tz="UTC"),
        "timestampType": pa.int32(),
        "headers": pa.list_(pa.field("element", header, nullable=False)),
        "partition_leader_epoch": pa.int32(),
        "producer_id": pa.int64(),
        "producer_epoch": pa.int16(),
        "base_sequence": pa.int32(),
        "batch_base_offset": pa.int64(),
        "batch_position": pa.int64(),
        "compression": pa.string(),
        "is_transactional": pa.bool_(),
        "is_control": pa.bool_(),
    }


def arrow_schema(
    columns: Iterable[str] = DEFAULT_COLUMNS, *, as_views: bool = False, declared: DeclaredColumns | None = None
) -> pa.Schema:
    """The Arrow schema of some columns; keys and values are views if requested.

    Raises UsageError for an unknown or repeated column; MissingDependencyError if pyarrow is missing.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    of = _types() | ({"key": pyarrow().binary_view(), "value": pyarrow().binary_view()} if as_views else {})
    of |= {} if declared is None else declared.fields()
    known = dict.fromkeys((*COLUMNS, *(() if declared is None else declared.names)))
    unknown = [name for name in names if name not in of]
    if not names:
        raise UsageError(f"no column is selected; there are {', '.join(known)}")
    if unknown or len(set(names)) < len(names):
        wrong = f"no column {', '.join(map(repr, unknown))}" if unknown else "a column is named twice"
        raise UsageError(f"{wrong}; there are {', '.join(known)}")
    return pyarrow().schema([(name, of[name]) for name in names])


def declared_columns(
    columns: Iterable[str], value_as: Given, key_as: Given, enums: str
) -> tuple[list[str], DeclaredColumns | None]:
    """The columns that a caller of `Partition.record_batches` requests, and those of them made from layouts."""
    names = [columns] if isinstance(columns, str) else list(columns)
    if isinstance(value_as, DeclaredColumns):
        return list(value_as.columns), value_as if value_as.sides else None
    if value_as is None and key_as is None:
        return names, None
    names = list(with_layouts(names, value_as, key_as)) if columns is DEFAULT_COLUMNS else names
    return names, DeclaredColumns(tuple(names), value_as, key_as, enums)


def reader_of_chunks(
    read: Callable[[Wanted], Iterable[Chunk]],
    wanted: Wanted,
    columns: Iterable[str],
    topic: str,
    partition: int,
    *,
    value_as: Given,
    key_as: Given,
    enums: str,
) -> RecordBatchReader:
    """The record batches of a partition's chunks, which ``read`` yields for the wanted records, with the columns that
    are needed. Raises as `arrow_schema` and `declared_columns`, before anything is read."""
    names, declared = declared_columns(columns, value_as, key_as, enums)
    schema = arrow_schema(names, declared=declared)
    wanted = replace(wanted, columns=columns_to_read(names if declared is None else declared.base))
    return reader_of(schema, Converter(schema, topic, partition, declared=declared).batches(read(wanted)))


def columns_to_read(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns to read with `kformat.kafka.columns.chunks`: all but the partition's own."""
    return tuple(_OWN_NAMES.get(name, name) for name in columns if name not in _OF_THE_PARTITION)


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts the chunks of one partition to record batches; ``declared``: with columns of declared values."""

    schema: pa.Schema
    topic: str
    partition: int
    declared: DeclaredColumns | None = field(default=None, kw_only=True)

    def batches(self, chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
        """One record batch for each chunk; several if declared values take far more memory than their bytes."""
        fields, made = [(field.name, field.type) for field in self.schema], pyarrow().RecordBatch.from_arrays
        if self.declared is not None:
            yield from self._declared(self.declared, chunks)
            return
        for chunk in chunks:
            yield made([self.array(name, kind, chunk) for name, kind in fields], schema=self.schema)

    def _declared(self, declared: DeclaredColumns, chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
        pa, sides = pyarrow(), declared.binaries
        others = [field for field in self.schema if field.name not in declared.fields()]
        for chunk in chunks:
            binaries = {side: binary_array(getattr(chunk, side), pa.binary()) for side in sides}
            plain = {field.name: self.array(field.name, field.type, chunk) for field in others}
            for start, count, declared_arrays in declared.parts(self.topic, binaries, len(chunk)):
                arrays = declared_arrays | {name: array.slice(start, count) for name, array in plain.items()}
                yield pa.RecordBatch.from_arrays([arrays[name] for name in self.schema.names], schema=self.schema)

    def array(self, name: str, kind: Any, chunk: Chunk) -> Any:
        pa = pyarrow()
        match name:
            case "topic":
                return repeated_text(self.topic, len(chunk), kind)
            case "partition":
                return number_array(np.full(len(chunk), self.partition, np.int32), kind)
            case "key" | "value":
                viewed, column = chunk.viewed.get(name), getattr(chunk, name)
                if viewed is not None:
                    return _view_array(viewed, kind)
                return binary_array(column, kind) if kind == pa.binary() else _views(column, kind)
            case "headers":
                assert chunk.headers is not None
                return header_lists(chunk.headers, kind)
        return number_array(chunk.numbers[_OWN_NAMES.get(name, name)], kind)


def number_array(numbers: np.ndarray[Any, Any], kind: Any) -> Any:
    """Numbers as an Arrow array of a type, without a copy if the width is the same. As strings they are codec names."""
    pa = pyarrow()
    if kind == pa.string():
        return pa.array(CODEC_LABELS, kind).take(pa.array(numbers))
    if kind == pa.bool_():  # `pa.array` of numpy's imports pandas
        bits = np.packbits(numbers.astype(bool), bitorder="little")
        return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(bits)])
    wide = np.ascontiguousarray(numbers, dtype=f"i{kind.bit_width // 8}")
    return pa.Array.from_buffers(kind, len(wide), [None, pa.py_buffer(wide)])


def repeated_text(name: str, count: int, kind: Any) -> Any:
    """The same name in all rows, with U+FFFD for bytes that are not UTF-8. Avoids Arrow scalars, because they import
    pandas if it is installed.
    """
    text = os.fsencode(name).decode("utf-8", "replace").encode()
    pa, size = pyarrow(), len(text)
    if count * size > _MOST_TEXT_BYTES:
        return pa.repeat(pa.scalar(text.decode(), kind), count)
    buffers = [None, pa.py_buffer(np.arange(0, (count + 1) * size, size, dtype=np.int32)), pa.py_buffer(text * count)]
    return pa.Array.from_buffers(kind, count, buffers)


def binary_array(column: Scattered | Packed, kind: Any) -> Any:
    """The bytes, contiguous, as an Arrow array."""
    pa = pyarrow()
    if isinstance(column, Packed):
        validity = None if column.is_there is None else pa.py_buffer(np.packbits(column.is_there, bitorder="little"))
        buffers = [validity, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
        return pa.Array.from_buffers(kind, len(column.offsets) - 1, buffers)
    count = len(column.lengths)
    offsets = np.zeros(count + 1, np.int32)
    is_null = column.lengths < 0
    data = _gathered(column, offsets)
    validity = pa.py_buffer(np.packbits(~is_null, bitorder="little")) if is_null.any() else None
    return pa.Array.from_buffers(kind, count, [validity, pa.py_buffer(offsets), pa.py_buffer(data)])


def _view_array(column: Viewed, kind: Any) -> Any:
    pa = pyarrow()
    is_there = column.is_there
    validity = None if is_there.all() else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.Array.from_buffers(kind, len(is_there), [validity, pa.py_buffer(column.views), pa.py_buffer(column.data)])


def _views(column: Scattered | Packed, kind: Any) -> Any:
    if RECORD_KERNELS.is_there:
        with contextlib.suppress(MissingDependencyError):  # numba
            viewed = views(column.data, column.positions, column.lengths)
            return _view_array(Viewed(column.data, viewed, (column.lengths >= 0).view(np.uint8)), kind)
    return pyarrow().array(column.to_list(), kind)


def _gathered(column: Scattered, offsets: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if RECORD_KERNELS.is_there:
        with contextlib.suppress(MissingDependencyError):  # numba
            return gather(column.data, column.positions, column.lengths, offsets[1:])
    np.cumsum(column.lengths.clip(0), out=offsets[1:])
    return np.frombuffer(b"".join(item for item in column.to_list() if item), np.uint8)


def header_lists(headers: HeaderColumns, kind: Any, *, null_for_none: bool = False) -> Any:
    """Headers as an Arrow array of lists; a row without headers gets an empty list, or null."""
    pa = pyarrow()
    offsets = pa.py_buffer(headers.offsets.astype(np.int32))
    element = kind.value_type
    keys, values = (
        _texts(headers.keys, element.field("key").type),
        binary_array(headers.values, element.field("value").type),
    )
    pairs = pa.StructArray.from_arrays([keys, values], fields=list(element))
    has_any = np.diff(headers.offsets) > 0 if null_for_none else None
    validity = None if has_any is None or has_any.all() else pa.py_buffer(np.packbits(has_any, bitorder="little"))
    return pa.Array.from_buffers(kind, len(headers.offsets) - 1, [validity, offsets], children=[pairs])


def _texts(column: Scattered | Packed, kind: Any) -> Any:
    array = binary_array(column, kind)
    data = array.buffers()[2]
    if data is None or not len(array) or int(np.frombuffer(data, np.int8).min(initial=0)) >= 0:
        return array  # ASCII
    try:
        array.validate(full=True)
    except pyarrow().ArrowInvalid:
        return pyarrow().array([(item or b"").decode("utf-8", "replace") for item in column.to_list()], kind)
    return array


def file_writer(kind: str, stream: IO[bytes], schema: Any, *, repetitive: Iterable[str] = ()) -> Any:
    """A writer of record batches to a file: ``parquet`` (zstd) or ``arrow`` (IPC), with `write` and `close`.

    In Parquet only columns with many repeated values get a dictionary: the fixed ones, header keys among them, and
    those named in ``repetitive``. A dictionary of keys or values would be as large as the column. In declared values
    text gets one, integers are delta-encoded, and numbers have statistics.
    """
    types = pyarrow().types
    plain = [field.name for field in schema if field.name in COLUMNS and not types.is_struct(field.type)]
    parts = [leaf for field in schema if field.name not in plain for leaf in _leaves(field.name, field.type)]
    repetitive = [_REPETITIVE_IN.get(name, name) for name in plain if _is_repetitive(name, repetitive)]
    encodings = {name: kind for kind, those in _ENCODINGS.items() for name in those if name in plain}
    return columns_writer(
        kind,
        stream,
        schema,
        with_dictionary=[*repetitive, *(path for path, kind in parts if types.is_string(kind))],
        encodings=encodings | {path: "DELTA_BINARY_PACKED" for path, kind in parts if types.is_integer(kind)},
        with_statistics=[
            *(name for name in plain if name not in _WITHOUT_STATISTICS),
            *(path for path, kind in parts if types.is_primitive(kind)),
        ],
    )


def _leaves(path: str, kind: Any) -> Iterator[tuple[str, Any]]:
    """The leaf columns that Parquet stores for a column: paths and types."""
    types = pyarrow().types
    if types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    else:
        yield path, kind


def _is_repetitive(name: str, more: Iterable[str]) -> bool:
    return name in (*_REPETITIVE, *more, *_REPETITIVE_IN)


__all__ = [
    "COLUMNS",
    "DEFAULT_COLUMNS",
    "Converter",
    "RecordBatchReader",
    "Table",
    "allocate",
    "arrow_schema",
    "declared_columns",
    "reader_of",
    "reader_of_chunks",
]

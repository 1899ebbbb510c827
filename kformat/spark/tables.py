"""The tables: the kinds of rows, their columns in order, and the columns' types in Spark's SQL.

Names, types and order of a record's columns are those of Spark's own Kafka source, so that queries work unchanged; all
other names are Kafka's. Every column may be null.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kformat.columns.logical import is_uuid, plain_array
from kformat.errors import InvalidError, UsageError
from kformat.kafka.columns.declared import DeclaredColumns, Layouts, with_layouts

if TYPE_CHECKING:
    import pyarrow as pa

HEADERS = {"headers": "array<struct<key:string,value:binary>>"}
"""The columns of the option ``includeHeaders``."""

METADATA: Mapping[str, str] = {
    "leaderEpoch": "int",
    "batchBaseOffset": "bigint",
    "position": "bigint",
    "codec": "string",
    "producerId": "bigint",
    "producerEpoch": "int",
    "sequence": "int",
    "isTransactional": "boolean",
    "isControl": "boolean",
    "segment": "string",
    "folder": "string",
}
"""The columns of the option ``includeMetadata``: a record's batch, and its place. ``sequence`` is the record's own."""

TABLES: Mapping[str, Mapping[str, str]] = {
    "records": {
        "key": "binary",
        "value": "binary",
        "topic": "string",
        "partition": "int",
        "offset": "bigint",
        "timestamp": "timestamp",
        "timestampType": "int",
        **HEADERS,
        **METADATA,
    },
    # One row per record batch, from its header alone.
    "batches": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "position": "bigint",
        "size": "bigint",
        "base_offset": "bigint",
        "last_offset": "bigint",
        "records_count": "int",
        "base_timestamp": "timestamp",
        "max_timestamp": "timestamp",
        "timestamp_type": "int",
        "compression": "string",
        "partition_leader_epoch": "int",
        "producer_id": "bigint",
        "producer_epoch": "int",
        "base_sequence": "int",
        "is_transactional": "boolean",
        "is_control": "boolean",
        "has_delete_horizon": "boolean",
        "magic": "int",
        "crc": "bigint",
    },
    # One row per segment, as `kformat ls` has it.
    "segments": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "base_offset": "bigint",
        "next_offset": "bigint",
        "first_timestamp": "timestamp",
        "last_timestamp": "timestamp",
        "records_count": "bigint",
        "batches_count": "bigint",
        "size_bytes": "bigint",
        "codecs": "array<string>",
        "offset_index_entries": "bigint",
        "time_index_entries": "bigint",
        "remark": "string",
    },
    # One row per entry of an offset index (`position` is set) or of a time index (`timestamp` is set).
    "index": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "kind": "string",
        "entry": "int",
        "offset": "bigint",
        "position": "bigint",
        "timestamp": "timestamp",
    },
}
"""The kinds of rows, and for each its columns in order with their Spark SQL types."""


class ValueFormats(NamedTuple):
    """Which declared formats the values and keys of records are (options ``valueAs`` and ``keyAs``); pickles."""

    value_as: Layouts | None = None
    key_as: Layouts | None = None

    def __bool__(self) -> bool:
        return self.value_as is not None or self.key_as is not None

    def declared(self, columns: Iterable[str]) -> DeclaredColumns | None:
        """The columns that layouts declare, of these; UsageError for one that is not in a value."""
        return DeclaredColumns(tuple(columns), self.value_as, self.key_as) if self else None


PLAIN: Final = ValueFormats()
"""Values and keys are bytes."""


def columns_of(rows: str, *, with_headers: bool, with_metadata: bool, layout: ValueFormats = PLAIN) -> tuple[str, ...]:
    """The default columns of a DataFrame."""
    left_out = (set() if with_headers else set(HEADERS)) | (set() if with_metadata else set(METADATA))
    names = tuple(name for name in TABLES[rows] if rows != "records" or name not in left_out)
    return with_layouts(names, layout.value_as, layout.key_as) if layout else names


def types_of(rows: str, columns: Iterable[str], layout: ValueFormats = PLAIN) -> dict[str, str]:
    """The Spark SQL types of some existing columns, in order."""
    names = tuple(columns)
    declared = layout.declared(names)
    own = {} if declared is None else {name: sql_type(spark_type(kind)) for name, kind in declared.fields().items()}
    return {name: own.get(name) or TABLES[rows][name] for name in names}


def choose(rows: str, wanted: Iterable[tuple[str, str]], layout: ValueFormats = PLAIN) -> tuple[str, ...]:
    """The columns of a user's own schema: any of the known ones, in any order, whatever the options say.

    Args:
        rows: a key of ``TABLES``.
        wanted: names and Spark SQL types (``DataType.simpleString``, with `` not null`` after it where it is so).
        layout: of values and keys.

    Raises:
        UsageError: a name that is not known (with the nearest), named twice, of another type, or no name at all.
    """
    pairs = list(wanted)
    chosen = named(rows, (name for name, _ in pairs), "schema", layout)
    known = types_of(rows, chosen, layout)
    for name, kind in pairs:
        if kind.replace("`", "") != known[name].replace("`", ""):
            raise UsageError(f"schema: column {name} is {known[name]} and may be null, not {kind}")
    return chosen


def named(rows: str, wanted: Iterable[str], where: str, layout: ValueFormats = PLAIN) -> tuple[str, ...]:
    """Check names of columns; UsageError, as in `choose`, for an unknown or repeated name, or for no names."""
    names = list(wanted)
    declared = layout.declared(names)
    own = {} if declared is None else declared.fields()
    known = dict.fromkeys((*TABLES[rows], *(() if declared is None else declared.names)))
    chosen: list[str] = []
    for name in names:
        if name not in known and name not in own:
            raise UsageError(f"{where}: rows={rows} have no column {name!r}{nearest(name, known)}")
        if name in chosen:
            raise UsageError(f"{where}: column {name} is named twice")
        chosen.append(name)
    if not chosen:
        raise UsageError(f"{where}: no columns; rows={rows} have {', '.join(known)}")
    return tuple(chosen)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name."""
    names = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    hint = f": did you mean {names[close[0]]}?" if close else ":"
    return f"{hint} there are {', '.join(names.values())}"


# Arrow's types in Spark


def spark_type(kind: pa.DataType) -> pa.DataType:
    """The Arrow type of a declared column in Spark, which has no unsigned numbers."""
    import pyarrow as pa

    of_unsigned = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", spark_type(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, spark_type(field.type)) for field in kind])
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz="UTC")
    if is_uuid(kind):
        return pa.string()
    if pa.types.is_float16(kind):
        return pa.float32()
    return pa.decimal128(20, 0) if pa.types.is_uint64(kind) else of_unsigned.get(kind, kind)


def as_spark(batch: pa.RecordBatch, schema: pa.Schema, source: str) -> pa.RecordBatch:
    """A record batch in the types of a schema with its columns, as `spark_type` makes them; errors name ``source``."""
    import pyarrow as pa

    pairs = zip(batch.columns, schema, strict=True)
    arrays = [_cast(column, field.type, field.name, source) for column, field in pairs]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(array: pa.Array, kind: pa.DataType, name: str, source: str) -> pa.Array:
    """A column in a type of Spark. InvalidError for a time that 64 bits of microseconds do not hold."""
    import pyarrow as pa

    if array.type == kind:
        return array
    if is_uuid(array.type):
        return plain_array(array)
    if pa.types.is_struct(kind):
        pairs = zip(array.flatten(), kind, strict=True)
        inner = [_cast(child, field.type, f"{name}.{field.name}", source) for child, field in pairs]
        return pa.StructArray.from_arrays(inner, fields=list(kind), mask=_nulls(array))
    if pa.types.is_list(kind):
        lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        ends = pa.array(np.append(0, np.cumsum(lengths)), pa.int32())
        return pa.ListArray.from_arrays(
            ends, _cast(array.flatten(), kind.value_type, name, source), kind, mask=_nulls(array)
        )
    if pa.types.is_timestamp(kind):
        if array.type.unit == "ns":  # Spark has no more than microseconds: those that have passed
            numbers = array.cast("int64").fill_null(0).to_numpy(zero_copy_only=False) // 1000
            return pa.array(numbers, pa.int64(), mask=np.asarray(array.is_null())).cast(kind)
        try:
            return array.cast(kind)
        except pa.ArrowInvalid:
            message = f"a time that Spark does not hold, whose times are {kind}"
            raise InvalidError(message, source=source, path=name) from None
    return array.cast(kind)


def _nulls(array: pa.Array) -> Any:
    return array.is_null() if array.null_count else None


def sql_type(kind: pa.DataType) -> str:
    """The name in Spark's SQL of a type that `spark_type` makes."""
    import pyarrow as pa

    if pa.types.is_list(kind):
        return f"array<{sql_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{quoted(field.name)}:{sql_type(field.type)}' for field in kind)}>"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return _SQL[str(kind)]


_SQL: Final = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "bool": "boolean",
    "binary": "binary",
    "string": "string",
    "timestamp[us, tz=UTC]": "timestamp",
}


def quoted(name: str) -> str:
    """Quote a name for Spark's SQL."""
    return f"`{name.replace('`', '``')}`"

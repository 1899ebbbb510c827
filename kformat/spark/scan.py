"""One split in, Arrow record batches out: the only module of kformat.spark that decodes.

Rules:

* Rows are those of the single-machine reader (`Partition.record_batches`), by the same kernels: control records are
  left out unless requested, and transactions are handled as planned.
* Columns that are not requested are decoded no further than their batch requires.
* A timestamp is Kafka's milliseconds in microseconds, as in Spark's Kafka source: -1, "none", becomes
  1969-12-31 23:59:59.999 UTC. One that does not fit into microseconds is an error in both.
* Damage ends the scan with the error of the single-machine reader, unless the caller lets it continue: at the next
  batch, or, if its start is unknown, at the next entry of the offset index. Only in a partition's last segment, which
  may be in use, an incomplete batch is the end, as for Kafka.
* pyarrow is imported by the first scan, not by this module: Spark imports it when it looks for data sources.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from kformat.columns.skipped import passing_over
from kformat.errors import DataError, InvalidError, KformatError, TruncatedError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import BatchHeaders, is_room, iter_batch_headers
from kformat.kafka.batch.compression import CODEC_LABELS
from kformat.kafka.columns.arrow import Converter, allocate, header_lists, number_array, repeated_text
from kformat.kafka.columns.chunks import LARGE_CHUNK_BYTES, Chunk, Wanted, read_chunks
from kformat.kafka.columns.declared import DeclaredColumns
from kformat.kafka.damage.corrupt import DamagedLog
from kformat.kafka.log.partition import Segment, open_partition
from kformat.kafka.log.segment_summary import segment_row
from kformat.spark.options import SplitReading
from kformat.spark.plan import LOG, Split
from kformat.spark.tables import METADATA, PLAIN, TABLES, ValueFormats, as_spark, spark_type
from kformat.storage.address import absolute, base_name, folder_of, status
from kformat.storage.byte_source import ByteSource

if TYPE_CHECKING:
    import pyarrow as pa

WINDOW_BYTES: Final = 32 << 20
"""How many bytes of a log are read for headers at once."""

_LARGEST_TIMESTAMP_MS: Final = (MAX_INT64) // 1000

_READ: Final[Mapping[str, tuple[str, ...]]] = {
    "topic": (),
    "partition": (),
    "segment": (),
    "folder": (),
    "timestampType": ("timestamp_type",),
    "leaderEpoch": ("partition_leader_epoch",),
    "batchBaseOffset": ("batch_base_offset",),
    "position": ("batch_position",),
    "codec": ("compression",),
    "producerId": ("producer_id",),
    "producerEpoch": ("producer_epoch",),
    "sequence": ("sequence",),
    "isTransactional": ("is_transactional",),
    "isControl": ("is_control",),
}
"""The columns of `kformat.kafka.columns.chunks` that a column is made of, if they have other names."""

Item = TypeVar("Item")
Columns = tuple[int, dict[str, Callable[[], Any]]]
"""A number of rows, and for each column a function that makes its values: one for each row, or one for all."""


def _folder(log: str) -> str:
    return str(folder_of(log))


_OF_THE_SPLIT: Final[Mapping[str, Callable[[Split], str | int]]] = {
    "topic": lambda split: split.topic,
    "partition": lambda split: split.partition,
    "segment": lambda split: base_name(split.log),
    "folder": lambda split: _folder(split.log),
}


@cache
def _arrow_types() -> Mapping[str, pa.DataType]:
    import pyarrow as pa

    header = pa.struct([("key", pa.string()), ("value", pa.binary())])
    return {
        "binary": pa.binary(),
        "string": pa.string(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "boolean": pa.bool_(),
        "timestamp": pa.timestamp("us", tz="UTC"),
        "array<string>": pa.list_(pa.field("element", pa.string())),
        "array<struct<key:string,value:binary>>": pa.list_(pa.field("element", header)),
    }


def arrow_schema(rows: str, columns: Iterable[str], layout: ValueFormats = PLAIN) -> pa.Schema:
    """The Arrow schema of some columns of ``TABLES[rows]``, or of declared values, as Spark 4.2 and later require."""
    names = tuple(columns)
    declared = layout.declared(names)
    return _schema(rows, names, {} if declared is None else declared.fields(), spark_type)


def _schema(rows: str, names: Iterable[str], own: Mapping[str, Any], as_spark: Callable[[Any], Any]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [(name, as_spark(own[name]) if name in own else _arrow_types()[TABLES[rows][name]]) for name in names]
    )


def scan(split: Split, columns: Sequence[str], reading: SplitReading) -> Iterator[pa.RecordBatch]:
    """The rows of one split as Arrow record batches of the schema that `arrow_schema` gives for it.

    Raises (while iterating):
        DataError: bytes that are not what they should be; says file, position, expected, found.
        OSError: a file cannot be read.
    """
    schema = arrow_schema(reading.rows, columns, reading.layout)
    declared = reading.layout.declared(columns)
    try:
        with ByteSource(split.log) as source:
            if source.size < split.end:
                message = "the file is shorter than when the read was planned"
                raise TruncatedError(
                    message, source=split.log, position=source.size, expected=f"{split.end} bytes", found=source.size
                )
            if reading.rows == "records":
                read = tuple(columns) if declared is None else declared.base
                chunks = _chunks(source, split, read, reading)
                if declared is None:
                    yield from _SplitRecords(schema, split.topic, split.partition, split).batches(chunks)
                else:
                    yield from _with_declared(schema, split, declared, chunks)
            else:
                for count, makers in _TABLES[reading.rows](source, split, reading):
                    yield _batch(schema, split, count, makers)
    except (FileNotFoundError, TruncatedError) as error:
        is_lost = isinstance(error, FileNotFoundError) or status(split.log).st_size < split.end
        if reading.fail_on_data_loss or not is_lost:
            raise
        LOG.warning("%s", error)


# Records


def _chunks(source: ByteSource, split: Split, columns: Sequence[str], reading: SplitReading) -> Iterator[Chunk]:
    wanted = Wanted(
        columns=tuple(dict.fromkeys(name for column in columns for name in _READ.get(column, (column,)))),
        start_offset=split.start_offset,
        end_offset=split.end_offset,
        since_ms=split.since_ms,
        include_control=reading.include_control,
        aborted=split.aborted,
        checksums=reading.check_crcs,
    )

    def read(log: ByteSource, position: int, end: int) -> Generator[Chunk, None, bool]:
        return read_chunks(log, wanted, position, end, chunk_bytes=LARGE_CHUNK_BYTES, allocate=allocate)

    yield from _after_damage(read, source, split, reading)


def _after_damage(
    read: Callable[[ByteSource, int, int], Generator[Item, None, bool]],
    source: ByteSource,
    split: Split,
    reading: SplitReading,
) -> Iterator[Item]:
    """Read a split, also after damage if that is to be skipped."""
    if reading.on_corrupt != "error":
        damaged = DamagedLog(source, partial(_segments, split), split.end)
        passed = passing_over(reading.on_corrupt, log=LOG)
        yield from damaged.read(read, split.start, passed, is_open=split.is_last)
        return
    try:
        yield from read(source, split.start, split.end)
    except (DataError, OSError) as error:
        damaged = DamagedLog(source, partial(_segments, split), split.end)
        if not (split.is_last and damaged.is_unfinished(error, split.start)):
            raise


@dataclass(frozen=True, slots=True)
class _SplitRecords(Converter):
    """Makes Spark's record batches of the chunks of a split."""

    split: Split

    def array(self, name: str, kind: Any, chunk: Chunk) -> Any:
        numbers = chunk.numbers
        match name:
            case "timestamp":
                return number_array(_microseconds(numbers["timestamp"], self.split.log), kind)
            case "headers":
                assert chunk.headers is not None
                # Spark's Kafka source has null, not an empty array, for a record without headers.
                return header_lists(chunk.headers, kind, null_for_none=True)
            case "segment" | "folder":
                return repeated_text(str(_OF_THE_SPLIT[name](self.split)), len(chunk), kind)
        if name in METADATA:
            return number_array(numbers[_READ[name][0]], kind)
        return Converter.array(self, name, kind, chunk)


def _with_declared(
    schema: pa.Schema, split: Split, declared: DeclaredColumns, chunks: Iterable[Chunk]
) -> Iterator[pa.RecordBatch]:
    """Records with columns of declared values; how many do not parse is logged."""
    own = _schema("records", schema.names, declared.fields(), lambda kind: kind)
    for batch in _SplitRecords(own, split.topic, split.partition, split, declared=declared).batches(chunks):
        yield as_spark(batch, schema, str(split.log))
    for line in declared.remarks():
        LOG.warning("%s: %s", split.log, line)


def _microseconds(milliseconds: np.ndarray[Any, Any], source: str) -> np.ndarray[Any, Any]:
    if len(milliseconds) and max(abs(int(milliseconds.min())), int(milliseconds.max())) > _LARGEST_TIMESTAMP_MS:
        beyond = milliseconds[(milliseconds > _LARGEST_TIMESTAMP_MS) | (milliseconds < -_LARGEST_TIMESTAMP_MS)]
        raise InvalidError(
            "a timestamp that microseconds cannot hold; a schema without this column reads the others",
            source=source,
            expected=f"at most {_LARGEST_TIMESTAMP_MS} ms before or after 1970",
            found=int(beyond[0]),
        )
    return milliseconds * 1000


# Rows that are not records


def _batch(schema: pa.Schema, split: Split, count: int, makers: Mapping[str, Callable[[], Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    own = {name: partial(of_split, split) for name, of_split in _OF_THE_SPLIT.items()}
    arrays = [_array((own | dict(makers))[field.name](), field.type, count, split.log) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Any, kind: pa.DataType, count: int, source: str) -> pa.Array:
    import pyarrow as pa

    if isinstance(values, str):
        return repeated_text(values, count, kind)
    if values is None or isinstance(values, int):
        if isinstance(values, int) and pa.types.is_timestamp(kind):
            values = int(_microseconds(np.array([values]), source)[0])
        return pa.repeat(pa.scalar(values, kind), count)
    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    return pa.array(_microseconds(np.asarray(values, dtype=np.int64), source), pa.int64()).cast(kind)


def _batch_rows(source: ByteSource, split: Split, reading: SplitReading) -> Iterator[Columns]:
    def read(log: ByteSource, position: int, end: int) -> Generator[Columns, None, bool]:
        for headers in iter_batch_headers(log, position, end, window_bytes=WINDOW_BYTES):
            yield _batch_columns(headers, split)
            problem = headers.problem
            if problem is not None and not (isinstance(problem, InvalidError) and is_room(log, headers.valid_bytes)):
                raise problem  # it is not room that `log.preallocate` made
        return False

    yield from _after_damage(read, source, split, reading)


def _batch_columns(headers: BatchHeaders, split: Split) -> Columns:
    codecs = np.array(CODEC_LABELS)
    rows: Any = slice(None)
    if split.has_range:
        # By its last offset, so that a batch is in only one of two adjacent ranges.
        rows = (headers.last_offset >= split.start_offset) & (headers.last_offset < min(split.end_offset, MAX_INT64))
    makers: dict[str, Callable[[], Any]] = {
        name: partial(_column, headers, name, kind == "boolean", rows)
        for name, kind in TABLES["batches"].items()
        if name not in _OF_THE_SPLIT
    }
    makers["compression"] = lambda: codecs[headers.compression[rows]]
    return len(headers.position[rows]), makers


def _column(headers: BatchHeaders, name: str, is_flag: bool, rows: Any) -> Any:
    column = getattr(headers, name)[rows]
    return column != 0 if is_flag else column


def _index_rows(source: ByteSource, split: Split, reading: SplitReading) -> Iterator[Columns]:
    segment = _segment(split)
    for kind, read in (("offset", segment.offset_entries), ("time", segment.time_entries)):
        try:
            entries = read()
        except DataError as error:
            if reading.on_corrupt == "error":
                raise
            if reading.on_corrupt == "report":
                LOG.warning("%s", error, extra={"context": {"source": split.log, "position": str(error.position)}})
            continue
        yield _index_columns(kind, entries, split.base_offset)


def _index_columns(kind: str, entries: Any, base_offset: int) -> Columns:
    def native(name: str) -> Any:
        return entries[name].astype(np.int64) if name in entries.dtype.names else None

    return len(entries), {
        "kind": lambda: kind,
        "entry": lambda: np.arange(len(entries)),
        "offset": lambda: native("relative_offset") + base_offset,
        "position": lambda: native("position"),
        "timestamp": lambda: native("timestamp"),
    }


def _segment_rows(source: ByteSource, split: Split, reading: SplitReading) -> Iterator[Columns]:
    row, problems = segment_row(_segment(split))
    for problem in problems:
        LOG.warning("%s", problem)
    row["codecs"] = [row["codecs"]]
    yield 1, {name: partial(row.get, name) for name in TABLES["segments"] if name not in _OF_THE_SPLIT}


def _segments(split: Split) -> tuple[Segment, Segment | None]:
    """The segment of a split, and the next one, as they exist now."""
    segments: tuple[Segment, ...] = ()
    with contextlib.suppress(OSError, KformatError):
        segments = open_partition(folder_of(split.log)).segments
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        if absolute(segment.log) == split.log:
            return segment, following
    return _segment(split), None


def _segment(split: Split) -> Segment:
    (segment,) = open_partition(split.log).segments
    return segment


_TABLES: Final[Mapping[str, Callable[[ByteSource, Split, SplitReading], Iterator[Columns]]]] = {
    "batches": _batch_rows,
    "segments": _segment_rows,
    "index": _index_rows,
}

"""One split in, Arrow record batches out: the only place of kformat.spark that decodes.

Rules:
* A column that is not asked for is not decoded further than its batch must be.
* Arrow batches are bounded: records to about ``CHUNK_BYTES`` of keys, values and headers and at most ``CHUNK_ROWS``
  rows (one record larger than that travels alone), headers to those of ``WINDOW_BYTES`` of log.
* Records are those that a consumer sees (``read_uncommitted``): control records stay out, aborted ones are in.
* A timestamp is Kafka's milliseconds in microseconds, as in Spark's Kafka source: -1, "none", becomes
  1969-12-31 23:59:59.999 UTC. One that microseconds cannot hold is an error there and here.
* Bad bytes end the scan with the error of the single-machine reader. Only in a partition's last segment, to which
  somebody may be writing, a batch that is not all there is its end, as it is for Kafka. Checksums are not looked at.
* pyarrow comes with the first scan, not with this module: whatever looks for Spark's data sources imports it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kformat.batches import AnyBatch, BatchHeaders, iter_batches, read_batch_headers
from kformat.compression import codec_name
from kformat.errors import InvalidError, TruncatedError
from kformat.partition import open_partition
from kformat.records import Record
from kformat.spark.plan import TABLES, Split

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK_BYTES = 4 << 20
CHUNK_ROWS = 16_384
WINDOW_BYTES = 32 << 20

_ROW_BYTES = 64
_LARGEST_TIMESTAMP_MS = (2**63 - 1) // 1000

Chunk = tuple[int, dict[str, Callable[[], Any]]]
"""A number of rows, and for each column what makes its values: one for each row, or one that stands for all."""


_OF_THE_SPLIT: Mapping[str, Callable[[Split], str | int]] = {
    "topic": lambda split: _text(split.topic),
    "partition": lambda split: split.partition,
    "segment": lambda split: Path(split.log).name,
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
        "array<struct<key:string,value:binary>>": pa.list_(pa.field("element", header)),
    }


def arrow_schema(rows: str, columns: Iterable[str]) -> pa.Schema:
    """The Arrow schema of some columns of ``TABLES[rows]``: the one that Spark 4.2 and later insist on."""
    import pyarrow as pa

    return pa.schema([(name, _arrow_types()[TABLES[rows][name]]) for name in columns])


def scan(split: Split, rows: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of one split as Arrow record batches of the schema ``arrow_schema(rows, columns)``.

    Raises (while iterating):
        DataError: bytes that are not what they should be; says file, position, expected, found.
        OSError: a file cannot be read.
    """
    import pyarrow as pa

    schema = arrow_schema(rows, columns)
    of_the_split = {name: partial(make, split) for name, make in _OF_THE_SPLIT.items()}
    size = os.stat(split.log).st_size
    if size < split.end:
        message = "the file is shorter than when the read was planned"
        raise TruncatedError(message, source=split.log, position=size, expected=f"{split.end} bytes", found=size)
    for count, makers in _CHUNKS[rows](split):
        arrays = [_array((of_the_split | makers)[field.name](), field.type, count, split.log) for field in schema]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Any, kind: pa.DataType, count: int, source: str) -> pa.Array:
    import pyarrow as pa

    if values is None or isinstance(values, str | int):
        return pa.repeat(pa.scalar(values, kind), count)
    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    milliseconds = np.asarray(values, dtype=np.int64)
    beyond = milliseconds[(milliseconds > _LARGEST_TIMESTAMP_MS) | (milliseconds < -_LARGEST_TIMESTAMP_MS)]
    if beyond.size:
        raise InvalidError(
            "a timestamp that microseconds cannot hold; a schema without this column reads the others",
            source=source,
            expected=f"at most {_LARGEST_TIMESTAMP_MS} ms before or after 1970",
            found=int(beyond[0]),
        )
    return pa.array(milliseconds * 1000, pa.int64()).cast(kind)


def _batches(split: Split) -> Iterator[AnyBatch]:
    try:
        yield from iter_batches(split.log, split.start, split.end)
    except TruncatedError:
        if not split.is_last:
            raise


def _record_chunks(split: Split) -> Iterator[Chunk]:
    records: list[Record] = []
    size = 0
    for batch in _batches(split):
        if batch.is_control:
            continue
        for record in batch.records():
            records.append(record)
            size += _ROW_BYTES + len(record.key or b"") + len(record.value or b"")
            size += sum(_ROW_BYTES + len(value or b"") for _, value in record.headers)
            if size >= CHUNK_BYTES or len(records) >= CHUNK_ROWS:
                yield _record_chunk(records)
                records, size = [], 0
    yield _record_chunk(records)


def _record_chunk(records: list[Record]) -> Chunk:
    return len(records), {
        "key": lambda: [record.key for record in records],
        "value": lambda: [record.value for record in records],
        "offset": lambda: [record.offset for record in records],
        "timestamp": lambda: [record.timestamp for record in records],
        "timestampType": lambda: [int(record.timestamp_type) for record in records],
        # Spark's Kafka source has null, not an empty array, for a record without headers.
        "headers": lambda: [[(_text(key), value) for key, value in record.headers] or None for record in records],
    }


def _text(key: str) -> str:
    """Text as Kafka's consumer shows it: what is no UTF-8, lone surrogates here, becomes U+FFFD."""
    return key if key.isascii() else key.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _batch_chunks(split: Split) -> Iterator[Chunk]:
    position, window, stop = split.start, WINDOW_BYTES, -1
    while stop < split.end:
        stop = min(position + window, split.end)
        headers = read_batch_headers(split.log, position, stop)
        yield _batch_chunk(headers)
        is_expected = isinstance(headers.problem, TruncatedError) and (stop < split.end or split.is_last)
        if headers.problem is not None and not is_expected:
            raise headers.problem
        # Cut off by the window, most likely: go on where the sound framing ended, and look further if that was nowhere.
        window = WINDOW_BYTES if headers.valid_bytes > position else window * 2
        position = headers.valid_bytes


def _batch_chunk(headers: BatchHeaders) -> Chunk:
    codecs = np.array([codec_name(number) for number in range(8)])
    makers: dict[str, Callable[[], Any]] = {
        name: partial(getattr, headers, name) for name in TABLES["batches"] if name not in _OF_THE_SPLIT
    }
    makers["compression"] = lambda: codecs[headers.compression]
    makers |= {name: partial(_is_set, headers, name) for name, kind in TABLES["batches"].items() if kind == "boolean"}
    return len(headers), makers


def _is_set(headers: BatchHeaders, name: str) -> Any:
    return getattr(headers, name) != 0


def _index_chunks(split: Split) -> Iterator[Chunk]:
    (segment,) = open_partition(split.log).segments
    for kind, entries in (("offset", segment.offset_entries()), ("time", segment.time_entries())):
        yield _index_chunk(kind, entries, split.base_offset)


def _index_chunk(kind: str, entries: Any, base_offset: int) -> Chunk:
    def native(name: str) -> Any:
        return entries[name].astype(np.int64) if name in entries.dtype.names else None

    return len(entries), {
        "kind": lambda: kind,
        "entry": lambda: np.arange(len(entries)),
        "offset": lambda: native("relative_offset") + base_offset,
        "position": lambda: native("position"),
        "timestamp": lambda: native("timestamp"),
    }


_CHUNKS: Mapping[str, Callable[[Split], Iterator[Chunk]]] = {
    "records": _record_chunks,
    "batches": _batch_chunks,
    "index": _index_chunks,
}

"""The bytes of batches that compaction changes: rebuilt from the records that stay (MemoryRecords.filterTo,
buildRetainedRecordsInto), or without any (DefaultRecordBatch.writeEmptyHeader).

`rebuilt_batch` rebuilds one batch, by the codec; `rebuilt_batches` many, by kernels, to the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import build
from kformat.codec.unfit import Unfit
from kformat.codec.writing import rows_writer
from kformat.errors import UsageError
from kformat.integers import MAX_INT32, wrapped_int64
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.framing import FRAME_BYTES, HEADER_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record, TimestampType
from kformat.kafka.columns.chunks import Chunk
from kformat.kernels import Part, seal
from kformat.kernels.composing import arguments, composed
from kformat.kernels.encode import EncodeSource, encode_source
from kformat.kernels.state import FIRST_TABLE, POSITION
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat.storage.checksum import crc32c_of_pairs

Array = npt.NDArray[Any]

NO_TIMESTAMP: Final = -1
_RECORD: Final = "record_batch::record"
_LAYOUT: Final = layout("record_batch")
_PUT_LENGTH: Final = _LAYOUT.writer("batch_length")
_PUT_ATTRIBUTES: Final = _LAYOUT.writer("attributes")
_PUT_BASE_TIMESTAMP: Final = _LAYOUT.writer("base_timestamp")
_PUT_MAX_TIMESTAMP: Final = _LAYOUT.writer("max_timestamp")
_PUT_COUNT: Final = _LAYOUT.writer("records_count")
_HEADER: Final = _LAYOUT.header_dtype
_, _CHECKSUM, _COVERED_FROM = _LAYOUT.checksum()
_CHECKSUM_POSITION: Final = _LAYOUT.position(_CHECKSUM)
_READ_BITS: Final = _LAYOUT.bit_readers("attributes")
_COMPRESSION, _TIMESTAMP_TYPE = _READ_BITS["compression"], _READ_BITS["timestamp_type"]
_BITS: Final = _LAYOUT.bits("attributes")
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_WRITE: Final = rows_writer(load_type(_RECORD), ("timestamp_delta", "offset_delta", "key", "value", "headers"))
_RECORDS_AT_ONCE: Final = 2048
_MOST_BESIDE: Final = 36
"""The most bytes of a record, and more than those of a header, that are neither of its key nor of its value."""


def _mask(*names: str) -> int:
    return sum(_BITS[name].mask << _BITS[name].shift for name in names)


_KEPT_BITS: Final = _mask("compression", "timestamp_type", "is_transactional", "is_control")
_KEPT_BITS_OF_EMPTY: Final = _mask("timestamp_type", "is_transactional", "is_control")
_HAS_HORIZON: Final = _mask("has_delete_horizon")


def rebuilt_batch(batch: Batch, records: Iterable[Record], horizon_ms: int | None = None) -> bytes:
    """Rebuild a batch of magic 2 from some of its records, with the same last offset (buildRetainedRecordsInto).

    The base timestamp is the delete horizon, if given; otherwise the first record's timestamp.
    """
    base, largest, count, first = horizon_ms, NO_TIMESTAMP, 0, batch.base_offset
    written: list[bytes] = []
    groups = iter(records)
    while chunk := list(islice(groups, _RECORDS_AT_ONCE)):
        if base is None:
            base = chunk[0].timestamp
        rows = [
            (timestamp - base, offset - first, key, value, headers)
            for offset, timestamp, _, key, value, headers, _ in chunk
        ]
        try:
            written.append(b"".join(_WRITE(rows)))
        except Unfit:  # timestamps so far apart that Java's difference wraps
            written.append(b"".join(_WRITE([(wrapped_int64(row[0]), *row[1:]) for row in rows])))
        largest = max(largest, *(record.timestamp for record in chunk))
        count += len(chunk)
    if base is None or not count:
        raise UsageError("a batch is rebuilt from at least one record; see empty_batch")
    payload = b"".join(written)
    if batch.compression:
        payload = compress(batch.compression, payload)
    if batch.timestamp_type == _LOG_APPEND_TIME:
        largest = batch.max_timestamp
    data = bytearray(batch.raw[:HEADER_BYTES])
    data += payload
    attributes = batch.attributes & _KEPT_BITS | (0 if horizon_ms is None else _HAS_HORIZON)
    _set(data, attributes, base, largest, count)
    return bytes(data)


_TEXT: Final = '''\
"""Made by kformat_engine.rebuilding; calls a kernel whose text is {digest}."""

import numpy as np

from kformat.kernels.runtime import U, kernel


@kernel
def encode_batches(out, edges, ends, gap, sizes, {columns}):
    """Encode the records of batches, with a gap before each: 0, or why a record is refused.

    Those of a batch end before the row of its edge; ``ends`` is where their bytes end.
    """
    state, no_firsts = np.zeros({state_words}, np.int64), np.empty(0, np.int64)
    record_ends = np.empty(sizes[0], np.int64)
    for batch in range(len(edges)):
        state[{position}] += gap
        if state[{position}] > len(out):
            return -1
        site = encode_records(out, record_ends, no_firsts, edges[U(batch)], 0, 0, 0, sizes, state, {columns})
        if site != 0:
            return site
        ends[U(batch)] = state[{position}]
    return 0
'''


@cache
def _source() -> EncodeSource:
    return encode_source(load_type(_RECORD))


@cache
def _function() -> Any:
    records = _source()
    return composed(
        _TEXT,
        "what rebuilds batches",
        {"encode_records": records},
        columns=arguments(records),
        state_words=FIRST_TABLE + 3,
        position=POSITION,
    ).encode_batches


def rebuilt_batches(
    headers: Array, chunk: Chunk, counts: Array, has_horizon: npt.NDArray[np.bool_], horizons: Array
) -> list[Iterable[Any]] | None:
    """`rebuilt_batch` of several batches, each in parts, by kernels; None if these refuse a record, or bytes are many.

    Args:
        headers: of the batches as they were, as `BatchHeaders.columns`.
        chunk: their records that stay, with `RECORD_COLUMNS`. counts: how many each has, at least one.
        has_horizon, horizons: the delete horizon of each that has one, ms.

    Raises MissingDependencyError if numba is missing.
    """
    firsts, timestamps, made = np.cumsum(counts) - counts, chunk.numbers["timestamp"], headers.astype(_HEADER)
    made["base_timestamp"] = np.where(has_horizon, horizons, timestamps[firsts])
    made["attributes"] = made["attributes"] & _KEPT_BITS | np.where(has_horizon, _HAS_HORIZON, 0)
    largest = np.maximum(np.maximum.reduceat(timestamps, firsts), NO_TIMESTAMP)
    is_appended = _TIMESTAMP_TYPE(headers["attributes"]) == _LOG_APPEND_TIME
    made["max_timestamp"] = np.where(is_appended, headers["max_timestamp"], largest)
    made["records_count"] = counts
    encoded = _encoded(chunk, counts, made)
    if encoded is None:
        return None
    data, edges = encoded
    codecs = _COMPRESSION(headers["attributes"])
    if not codecs.any():
        made["batch_length"] = np.diff(edges) - FRAME_BYTES
        seal(data, edges, made.view(np.uint8), _COVERED_FROM, _CHECKSUM_POSITION)
        return [(data[start:end],) for start, end in pairwise(edges.tolist())]
    payloads: list[Any] = [data[start + HEADER_BYTES : end] for start, end in pairwise(edges.tolist())]
    for row in np.flatnonzero(codecs).tolist():
        payloads[row] = np.frombuffer(compress(int(codecs[row]), payloads[row]), np.uint8)
    made["batch_length"] = np.array([len(payload) for payload in payloads]) + (HEADER_BYTES - FRAME_BYTES)
    starts = made.view(np.uint8).reshape(len(made), HEADER_BYTES)
    made[_CHECKSUM] = crc32c_of_pairs(np.ascontiguousarray(starts[:, _COVERED_FROM:]), payloads)
    return list(zip(starts, payloads, strict=True))


def _encoded(chunk: Chunk, counts: Array, made: Array) -> tuple[Array, Array] | None:
    """The records of batches, each after room for its header, and the edges of the batches; None as above."""
    key, value, headers = chunk.key, chunk.value, chunk.headers
    assert key is not None and value is not None and headers is not None
    columns: dict[tuple[str, Part], Array] = {
        # The differences wrap, as Java's do.
        ("timestamp_delta", Part.VALUE): chunk.numbers["timestamp"] - np.repeat(made["base_timestamp"], counts),
        ("offset_delta", Part.VALUE): chunk.numbers["offset"] - np.repeat(made["base_offset"], counts),
        ("headers", Part.OFFSETS): headers.offsets,
    }
    of_bytes = {"key": key, "value": value, "headers.key": headers.keys, "headers.value": headers.values}
    for name, rows in of_bytes.items():
        columns |= {(name, Part.POSITION): rows.positions, (name, Part.LENGTH): rows.lengths}
        columns[name, Part.BYTES] = rows.data
    arrays, most_bytes = list[Array](), _MOST_BESIDE * len(chunk) + HEADER_BYTES * len(counts)
    for column in _source().columns:
        array = np.ascontiguousarray(columns.get((column.name, column.part), ()), column.storage).view()
        array.flags.writeable = False
        arrays.append(array)
        if column.part is Part.LENGTH:
            most_bytes += int(array.clip(0).sum()) + _MOST_BESIDE * len(array)
    if most_bytes > MAX_INT32:
        return None
    data, edges = np.empty(most_bytes, np.uint8), np.zeros(len(counts) + 1, np.int64)
    sizes = np.array([len(chunk), len(headers.keys.lengths)], np.int64)
    site = _function()(data, np.cumsum(counts), edges[1:], HEADER_BYTES, sizes, *arrays)
    return None if site else (data, edges)


def empty_batch(batch: Batch) -> bytes:
    """The header of a batch of magic 2 without its records (DefaultRecordBatch.writeEmptyHeader)."""
    data = bytearray(batch.raw[:HEADER_BYTES])
    _set(data, batch.attributes & _KEPT_BITS_OF_EMPTY, NO_TIMESTAMP, batch.max_timestamp, 0)
    return bytes(data)


def _set(data: bytearray, attributes: int, base_timestamp: int, max_timestamp: int, count: int) -> None:
    _PUT_LENGTH(data, 0, len(data) - FRAME_BYTES)
    _PUT_ATTRIBUTES(data, 0, attributes)
    _PUT_BASE_TIMESTAMP(data, 0, base_timestamp)
    _PUT_MAX_TIMESTAMP(data, 0, max_timestamp)
    _PUT_COUNT(data, 0, count)
    _LAYOUT.mend(data)


def rebuilt_wrapper(batch: LegacyBatch, records: list[Record]) -> bytes:
    """Rebuild a wrapper of magic 0 or 1 from some of its messages; its offset becomes that of the last one."""
    if not records:
        raise UsageError("a wrapper has at least one message")
    magic, base = batch.magic, records[0].offset
    is_stamped = bool(magic) and batch.timestamp_type == _LOG_APPEND_TIME
    kind = {"timestamp_type": "log_append_time" if is_stamped else "create_time"}
    messages = [
        {
            "offset": record.offset - (base if magic else 0),
            "message": {
                "magic": magic,
                "attributes": kind,
                **({"timestamp": batch.max_timestamp if is_stamped else record.timestamp} if magic else {}),
                "key": record.key,
                "value": record.value,
            },
        }
        for record in records
    ]
    largest = batch.max_timestamp if is_stamped else max(NO_TIMESTAMP, *(record.timestamp for record in records))
    return build(
        "legacy_message",
        {
            "offset": records[-1].offset,
            "message": {
                "magic": magic,
                "attributes": {"compression": CODEC_NAMES[batch.compression], **kind},
                **({"timestamp": largest} if magic else {}),
                "key": None,
                "message_set": {"messages": messages},
            },
        },
    )


__all__ = ["NO_TIMESTAMP", "empty_batch", "rebuilt_batch", "rebuilt_batches", "rebuilt_wrapper"]

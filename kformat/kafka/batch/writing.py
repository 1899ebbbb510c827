"""Records -> the bytes of batches of magic 2, for writers: the same as `kformat.build`, from columns, and fast.

Rules:

* Bytes and errors are those of ``kformat.build("record_batch", ...)``: it builds what the fast path does not support.
* Offsets count up from ``base_offset``, as a leader assigns them, unless the columns have their own; those may have
  gaps, as after compaction. Timestamps are stored as deltas to the first record's, as in Kafka's own builder.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise, repeat
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import build
from kformat.codec.unfit import Unfit
from kformat.codec.writing import rows_writer
from kformat.errors import UsageError
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES
from kformat.kafka.batch.records import TimestampType, add_sequence
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat.storage.algorithms import algorithm_of

Headers = Sequence[tuple[str, bytes | None]]

_LAYOUT: Final = layout("record_batch")
_PUT_BASE_OFFSET: Final = _LAYOUT.writer("base_offset")
_PUT_LENGTH: Final = _LAYOUT.writer("batch_length")
_PUT_LEADER_EPOCH: Final = _LAYOUT.writer("partition_leader_epoch")
_PUT_LAST_OFFSET_DELTA: Final = _LAYOUT.writer("last_offset_delta")
_PUT_BASE_TIMESTAMP: Final = _LAYOUT.writer("base_timestamp")
_PUT_MAX_TIMESTAMP: Final = _LAYOUT.writer("max_timestamp")
_PUT_PRODUCER_ID: Final = _LAYOUT.writer("producer_id")
_PUT_PRODUCER_EPOCH: Final = _LAYOUT.writer("producer_epoch")
_PUT_BASE_SEQUENCE: Final = _LAYOUT.writer("base_sequence")
_PUT_COUNT: Final = _LAYOUT.writer("records_count")
_ALGORITHM, _, _COVERED_FROM = _LAYOUT.checksum()
_SUM: Final = algorithm_of(_ALGORITHM).compute
_NAMES: Final = ("base_offset", "batch_length", "partition_leader_epoch", "magic", "crc", "attributes")
_LATER: Final = ("last_offset_delta", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch")
assert _LAYOUT.header_dtype.names == (*_NAMES, *_LATER, "base_sequence", "records_count")
assert _COVERED_FROM == _LAYOUT.position("attributes")
# The header in two pieces, before what the checksum covers and after.
_UNCOVERED: Final = _LAYOUT.unpacker(*_NAMES[:-1])
_COVERED: Final = _LAYOUT.unpacker(_NAMES[-1], *_LATER, "base_sequence", "records_count").pack
_CREATE_TIME: Final = int(TimestampType["create_time"])
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_FIELDS: Final = ("timestamp_delta", "offset_delta", "key", "value", "headers")
_RECORD: Final = load_type("record_batch::record")
_WRITE: Final = rows_writer(_RECORD, _FIELDS)
_WRITE_WITHOUT_HEADERS: Final = rows_writer(_RECORD, _FIELDS[:-1])
_TAKEN: Final = frozenset({bytes, type(None)})
_LEAST: Final = _RECORD.minimum_size
_MORE: Final = 16
"""How many records to try above the number that fitted the last time."""


class Columns(NamedTuple):
    """Records: timestamps (ms), keys and values (bytes or None), headers (pairs of text and bytes or None) or None.

    ``offsets``, strictly increasing, replace those that would be assigned.
    """

    timestamps: Sequence[int]
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]
    headers: Sequence[Headers] | None = None
    offsets: Sequence[int] | None = None

    def part(self, start: int, end: int) -> Columns:
        """The records from number ``start`` to ``end`` (exclusive)."""
        return Columns(*(None if column is None else column[start:end] for column in self))  # type: ignore[arg-type]

    def deltas(self) -> Sequence[int]:
        """How far each record's offset is above the first one's."""
        if self.offsets is None:
            return range(len(self.timestamps))
        return [offset - self.offsets[0] for offset in self.offsets]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFields:
    """The batch's fields besides its records; `build` refuses invalid ones.

    ``compression`` is ``none``, ``gzip``, ``snappy``, ``lz4`` or ``zstd``; ``level`` is as for
    `kformat.kafka.batch.compression.compress`. With ``append_time``, the broker's clock in ms, the batch is a
    log_append_time one; the records' own timestamps are stored, but readers do not see them.
    """

    leader_epoch: int = -1
    compression: str = "none"
    level: int | None = None
    append_time: int | None = None
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    is_transactional: bool = False
    is_control: bool = False


DEFAULT_FIELDS: Final = BatchFields()


def build_batch(columns: Columns, *, base_offset: int = 0, fields: BatchFields = DEFAULT_FIELDS) -> bytes:
    """A batch of magic 2 with these records. ``base_offset`` applies if they have no offsets of their own.

    Raises:
        BuildError: a field is of the wrong type or does not fit; with its path.
        UsageError: columns of different lengths, no records, offsets that do not increase, an unknown codec or level.
    """
    columns = _plain(columns)
    if columns.offsets is not None:
        base_offset = columns.offsets[0]
    try:
        return _finished(b"".join(_written(columns)), columns, base_offset, fields)
    except Exception:
        return _built(columns, base_offset, fields)


def build_plain(
    keys: Sequence[bytes | None],
    values: Sequence[bytes | None],
    timestamp: int,
    *,
    base_offset: int,
    leader_epoch: int,
    most_bytes: int,
) -> bytes | None:
    """`build_batch` for records of one time without headers, in a batch without compression and producer; None if it
    is larger than ``most_bytes``, and for values that only `build_batch` takes, or refuses."""
    try:
        records = _WRITE_WITHOUT_HEADERS(zip(repeat(0), range(len(keys)), keys, values))
        covered = b"".join((_COVERED(0, len(keys) - 1, timestamp, timestamp, -1, -1, -1, len(keys)), *records))
        size = _UNCOVERED.size + len(covered)
        if size > most_bytes:
            return None
        return _UNCOVERED.pack(base_offset, size - FRAME_BYTES, leader_epoch, CURRENT_MAGIC, _SUM(covered)) + covered
    except Exception:
        return None


def divided(
    columns: Columns,
    max_bytes: int,
    *,
    max_records: int | None = None,
    base_offset: int = 0,
    fields: BatchFields = DEFAULT_FIELDS,
) -> list[tuple[int, bytes]]:
    """Divide the records into batches: for each the number of its records, and its bytes.

    A batch ends before it would be larger than ``max_bytes``, uncompressed, or have more than ``max_records``; a larger
    record gets its own batch. Offsets and a producer's sequence numbers continue from batch to batch.

    Raises what `build_batch` raises, before anything is returned; a path counts the records from the batch's first.
    """
    columns = _plain(columns)
    total, room = len(columns.timestamps), max_bytes - HEADER_BYTES
    offsets: Sequence[int] = columns.offsets or range(base_offset, base_offset + total)
    batches: list[tuple[int, bytes]] = []
    start, guess = 0, total
    least = [0] * (total + 1)
    while start < total:
        if not start:
            least = _least_bytes(columns)
        # No more than can fit by their keys and values alone, and not many more than fitted the last time.
        most = max(bisect_right(least, least[start] + room) - 1, start + 1)
        if max_records is not None:
            most = min(most, start + max_records)
        end = min(most, start + guess)
        part = columns.part(start, end)
        try:
            records = _written(part)
            payload = b"".join(records)
            if len(payload) > room and end - start > 1:
                ends = list(accumulate(map(len, records)))
                fitting = max(1, bisect_right(ends, room))
                payload, part = payload[: ends[fitting - 1]], part.part(0, fitting)
            elif end < most and len(payload) <= room:
                guess *= 2
                continue
            data = _finished(payload, part, offsets[start], fields)
        except Exception:
            data = _built(part, offsets[start], fields)
        count = len(part.timestamps)
        batches.append((count, data))
        if fields.base_sequence >= 0:
            fields = replace(fields, base_sequence=add_sequence(fields.base_sequence, count))
        start, guess = start + count, count + count // _MORE + _MORE
    return batches


def _plain(columns: Columns) -> Columns:
    """Columns of one length, converted to the types of the fast path if `build` accepts their types."""
    timestamps, keys, values, headers, offsets = columns
    count = len(timestamps)
    lengths = [len(column) for column in columns if column is not None]
    if lengths != [count] * len(lengths):
        raise UsageError(f"timestamps, keys, values, headers and offsets have different lengths: {lengths}")
    if not count:
        raise UsageError("a batch is made of at least one record")
    if not {int}.issuperset(map(type, timestamps)):
        timestamps = [_plain_integer(item) for item in timestamps]
    if not _TAKEN.issuperset(map(type, keys)):
        keys = [_plain_bytes(item) for item in keys]
    if not _TAKEN.issuperset(map(type, values)):
        values = [_plain_bytes(item) for item in values]
    if offsets is not None and not all(before < after for before, after in pairwise(offsets)):
        raise UsageError("offsets must increase from record to record")
    return Columns(timestamps, keys, values, headers if headers is not None and any(headers) else None, offsets)


def _plain_integer(item: Any) -> Any:
    try:
        return operator.index(item)
    except TypeError:
        return item


def _plain_bytes(item: Any) -> Any:
    return bytes(item) if isinstance(item, bytearray | memoryview) else item


def _least_bytes(columns: Columns) -> list[int]:
    """A lower bound for the bytes of the first 0, 1, 2, ... records; values of the wrong type count as 0."""
    try:
        sizes = [
            _LEAST + (len(key) if key else 0) + (len(value) if value else 0)
            for key, value in zip(columns.keys, columns.values, strict=True)
        ]
    except TypeError:
        sizes = [_LEAST] * len(columns.keys)
    return list(accumulate(sizes, initial=0))


def _written(columns: Columns) -> list[bytes]:
    """The bytes of each record; raises on any invalid value."""
    timestamps, keys, values, headers, _ = columns
    base = timestamps[0]
    deltas, numbers = [timestamp - base for timestamp in timestamps], columns.deltas()
    if not {int}.issuperset(map(type, deltas)):
        raise Unfit
    if headers is None:
        return _WRITE_WITHOUT_HEADERS(zip(deltas, numbers, keys, values, strict=True))
    return _WRITE(zip(deltas, numbers, keys, values, headers, strict=True))


@lru_cache(maxsize=64)
def header_of(codec: int, log_append_time: bool, is_transactional: bool, is_control: bool = False) -> bytes:
    """The header of a batch as `build` makes it; fields that differ between batches are still missing."""
    attributes = {
        "compression": codec,
        "timestamp_type": _LOG_APPEND_TIME if log_append_time else _CREATE_TIME,
        "is_transactional": int(is_transactional),
        "is_control": int(is_control),
    }
    payload: dict[str, Any] = {"payload": b""} if codec else {"records": []}
    return build(
        "record_batch",
        {"attributes": attributes, "base_timestamp": 0, "max_timestamp": 0, "records_count": 0, **payload},
    )


def _finished(payload: bytes, columns: Columns, base_offset: int, fields: BatchFields) -> bytes:
    """A batch with this payload; raises on any invalid value."""
    timestamps, codec = columns.timestamps, CODEC_NAMES.index(fields.compression)
    if codec:
        payload = compress(codec, payload, level=fields.level)
    header = header_of(codec, fields.append_time is not None, fields.is_transactional, fields.is_control)
    data = bytearray(header)
    data += payload
    for put, value in (
        (_PUT_BASE_OFFSET, base_offset),
        (_PUT_LENGTH, len(data) - FRAME_BYTES),
        (_PUT_LEADER_EPOCH, fields.leader_epoch),
        (_PUT_LAST_OFFSET_DELTA, columns.deltas()[-1]),
        (_PUT_BASE_TIMESTAMP, timestamps[0]),
        (_PUT_MAX_TIMESTAMP, max(timestamps) if fields.append_time is None else fields.append_time),
        (_PUT_PRODUCER_ID, fields.producer_id),
        (_PUT_PRODUCER_EPOCH, fields.producer_epoch),
        (_PUT_BASE_SEQUENCE, fields.base_sequence),
        (_PUT_COUNT, len(timestamps)),
    ):
        put(data, 0, value)
    _LAYOUT.mend(data)
    return bytes(data)


def _built(columns: Columns, base_offset: int, fields: BatchFields) -> bytes:
    """Build the batch with the codec's own builder, which reports what the fast path does not accept."""
    timestamps, keys, values, headers, _ = columns
    if fields.compression not in CODEC_NAMES:
        raise UsageError(f"no codec {fields.compression!r}; there are {', '.join(CODEC_NAMES)}")
    pairs = [()] * len(keys) if headers is None else headers
    records = [
        {
            "timestamp_delta": _less(timestamp, timestamps[0]),
            "offset_delta": delta,
            "key": key,
            "value": value,
            "headers": _fields_of_headers(record_headers),
        }
        for delta, timestamp, key, value, record_headers in zip(
            columns.deltas(), timestamps, keys, values, pairs, strict=True
        )
    ]
    attributes: dict[str, Any] = {
        "is_transactional": int(fields.is_transactional),
        "is_control": int(fields.is_control),
        "timestamp_type": _CREATE_TIME if fields.append_time is None else _LOG_APPEND_TIME,
    }
    batch: dict[str, Any] = {
        "base_offset": base_offset,
        "partition_leader_epoch": fields.leader_epoch,
        "attributes": attributes,
        "base_timestamp": timestamps[0],
        "max_timestamp": fields.append_time,
        "producer_id": fields.producer_id,
        "producer_epoch": fields.producer_epoch,
        "base_sequence": fields.base_sequence,
        "last_offset_delta": columns.deltas()[-1],
        "records_count": len(records),
    }
    if fields.append_time is None:
        batch["max_timestamp"] = max((item for item in timestamps if isinstance(item, int)), default=0)
    plain = build("record_batch", {**batch, "records": records})
    codec = CODEC_NAMES.index(fields.compression)
    if not codec:
        return plain
    attributes["compression"] = codec
    payload = compress(codec, memoryview(plain)[HEADER_BYTES:], level=fields.level)
    return build("record_batch", {**batch, "payload": payload})


def _less(timestamp: Any, base: Any) -> Any:
    """The delta; a value that is not an integer is passed on, so that the builder refuses it."""
    return timestamp - base if isinstance(timestamp, int) and isinstance(base, int) else timestamp


def _fields_of_headers(headers: Any) -> Any:
    """Pairs as the builder takes them; other values are passed on, so that it refuses them."""
    if isinstance(headers, str | bytes) or not isinstance(headers, Iterable):
        return headers
    return [
        {"key": item[0], "value": item[1]} if isinstance(item, Sequence) and len(item) == 2 else item
        for item in headers
    ]


__all__ = ["BatchFields", "Columns", "build_batch", "build_plain", "divided"]

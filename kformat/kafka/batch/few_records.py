"""A few records of one batch, found by a kernel that walks over all of it: for point reads and lookups by time, where
decoding a batch into columns costs more than the walk. Of a local file the kernel reads the batch itself, from where an
index says that it may begin: one call from an offset to the record.

Rules:

* The results are those of `Batch.records`. They come only if all records of the batch can be read, so that no error
  follows the wanted ones; otherwise the functions return None, and the caller reads the batch with the codec, which
  reports what is wrong. The caller verifies checksums, unless the kernel has read the batch.
* What is unusual in a file (magic 0 and 1, control batches, frames that do not fit) is left to the caller, too.
* The kernel that reads records is generated from the declaration. The one here calls it and picks rows, so that Python
  sees the numbers of the wanted ones alone.
* Loading numba takes longer than reading many batches by the codec: `RECORD_KERNELS` says when it pays.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.errors import CompressionError, LimitError, MissingDependencyError
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT64, wrapped_int64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import decompress
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MAX_LOG_BYTES
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequence
from kformat.kernels import kernel
from kformat.kernels.compiled import compiled_by_hand
from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decode import decode_source
from kformat.kernels.source import Part
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_RECORD: Final = "record_batch::record"
_OF_RECORD: Final = (
    *((name, Part.VALUE) for name in ("offset_delta", "timestamp_delta", "headers_count")),
    *((name, part) for name in ("key", "value") for part in (Part.POSITION, Part.LENGTH)),
)
_OF_BATCH: Final = (
    *(("crc", Part.VALUE), ("crc", Part.COVERED_POSITION), ("payload", Part.POSITION), ("payload", Part.LENGTH)),
    *((f"attributes.{name}", Part.VALUE) for name in ("compression", "timestamp_type", "is_control")),
    *(
        (name, Part.VALUE)
        for name in ("base_offset", "base_timestamp", "max_timestamp", "base_sequence", "records_count")
    ),
    ("partition_leader_epoch", Part.VALUE),
)
_LEAST: Final = load_type(_RECORD).minimum_size
_LAYOUT: Final = layout("record_batch")
_WINDOW_BYTES: Final = 4096
_ROOM_BYTES: Final = 1 << 15
_LARGEST_BYTES: Final = 1 << 18
"""The largest batch that is read for a few of its records."""
_LOOK, _ROOM, _COMPRESSED = -1, -2, -3
_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]
_KINDS: Final = {int(kind): kind for kind in TimestampType}


class _Row(NamedTuple):
    """What the kernel returns for a record: its deltas, the places of key and value, the number of its headers, and the
    number of headers before it in the batch."""

    offset_delta: int
    timestamp_delta: int
    key_position: int
    key_length: int
    value_position: int
    value_length: int
    headers_count: int
    headers_before: int


class _Header(NamedTuple):
    """What the kernel says of the batch that it found: where it lies in the memory and in the file, and its fields."""

    place: int
    position: int
    size: int
    base_offset: int
    last_offset: int
    base_timestamp: int
    max_timestamp: int
    timestamp_type: int
    base_sequence: int
    records_count: int
    partition_leader_epoch: int


_TEXT: Final = '''\
"""Made by kformat.kafka.batch.few_records; calls kernels whose texts are {digest}."""

import numpy as np

from kformat.kernels.pieces import move, pread
from kformat.kernels.runtime import MIN_INT64, U, address, byte_at, kernel, sum_at, word_4, word_8


@kernel
def wanted_rows(
    data, begin, behind, records, base_offset, base_timestamp, first_offset, last_offset, first_timestamp,
    last_timestamp, rows
):
    """How many records are in the ranges (inclusive), of which as many are described as there is room for; -1 if not
    all records of the batch can be read."""
    room = records
    window, end, count = np.empty(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
    window[0], end[0], count[0] = begin, behind, records
    {record_columns}
    if decode_records(data, window, end, count, capacities, wanted, state, {record_arguments}) != 0:
        return -1
    found = headers = np.int64(0)
    for row in range(records):
        at = U(row)
        offset = np.int64(U(base_offset) + U(np.int64({offset_delta}[at])))
        timestamp = np.int64(U(base_timestamp) + U({timestamp_delta}[at]))
        if first_offset <= offset <= last_offset and first_timestamp <= timestamp <= last_timestamp:
            if found < len(rows):
                rows[found, {row_offset_delta}] = {offset_delta}[at]
                rows[found, {row_timestamp_delta}] = {timestamp_delta}[at]
                rows[found, {row_key_position}] = {key_position}[at]
                rows[found, {row_key_length}] = {key_length}[at]
                rows[found, {row_value_position}] = {value_position}[at]
                rows[found, {row_value_length}] = {value_length}[at]
                rows[found, {row_headers_count}] = {headers_count}[at]
                rows[found, {row_headers_before}] = headers
            found += 1
        headers += np.int64({headers_count}[at])
    return found


@kernel
def rows_at(
    data, reader, descriptor, position, end, segment_offset, entry_offset, verifies, sums, by_time, first_offset,
    last_offset, first_timestamp, last_timestamp, rows, header
):
    """`wanted_rows` of the first batch of a file, from a position on, that ends at or above the first offset; or by
    time of the first one that has such a record, and whose largest timestamp is in the range. ``header`` describes it.

    {look}: something else has to look. {need_room}: the batch needs more room. {compressed}: it is sound, and
    compressed.

    The batch at the position has to begin at or below the entry's offset. On the way offsets have to increase, and to
    belong to the segment. The checksum counts of the batch that is found; with ``verifies`` 1 of the first one, too,
    and with 2 of all on the way. By offset, one that begins above the first offset is left to something else: what was
    passed over may be damaged.
    """
    memory = address(data)
    base, filled, at, before = position, np.int64(0), position, segment_offset - 1
    window, stop, no_count = np.empty(1, np.int64), np.empty(1, np.int64), np.full(1, -1)
    room = 1
    {batch_columns}
    while at + {header_bytes} <= end:
        if at + {header_bytes} > base + filled:
            base = at
            filled = pread(reader, descriptor, memory, min({window_bytes}, len(data), end - at), at)
            if filled < {header_bytes}:
                return {look}
        place = at - base
        size = {frame_bytes} + np.int64(np.int32(word_4(memory, place + {length_at})))
        if byte_at(memory, place + {magic_at}) != {current} or size < {header_bytes} or at + size > end:
            return {look}
        first, most = word_8(memory, place + {offset_at}), word_8(memory, place + {max_timestamp_at})
        last = np.int64(U(first) + U(np.int64(np.int32(word_4(memory, place + {delta_at})))))
        if first <= before or last < first or last - segment_offset > {max_int32}:
            return {look}
        if at == position and 0 <= entry_offset < first:
            return {look}
        before = last
        is_wanted = first_timestamp <= most <= last_timestamp if by_time != 0 else last >= first_offset
        if is_wanted and by_time == 0 and first > first_offset:
            return {look}
        if is_wanted or verifies == 2 or (verifies == 1 and at == position):
            if place + size > filled:
                if size > len(data):
                    header[{header_size}] = size
                    return {need_room}
                move(memory, memory + place, filled - place)
                base, filled, place = at, filled - place, 0
                if pread(reader, descriptor, memory + filled, size - filled, base + filled) < size - filled:
                    return {look}
                filled = size
            window[0], stop[0], state[:], state[{done}] = place, place + size, 0, -1
            decode_batches(data, window, stop, no_count, capacities, wanted, state, {batch_arguments})
            if state[{row}] != 1:
                return {look}
            covered = {of_covered}[0]
            if sum_at(sums, data, covered, place + size - covered) != {of_crc}[0]:
                return {look}
        if is_wanted:
            records = np.int64({of_records_count}[0])
            header[{header_place}], header[{header_position}], header[{header_size}] = place, at, size
            header[{header_base_offset}], header[{header_last_offset}] = first, last
            header[{header_base_timestamp}], header[{header_max_timestamp}] = {of_base_timestamp}[0], most
            header[{header_timestamp_type}] = {of_timestamp_type}[0]
            header[{header_base_sequence}], header[{header_records_count}] = {of_base_sequence}[0], records
            header[{header_partition_leader_epoch}] = {of_partition_leader_epoch}[0]
            if (by_time == 0 and {of_is_control}[0] != 0) or records <= 0:
                return {look}
            if {of_compression}[0] != 0:
                return {compressed}
            if records > {of_payload_length}[0] // {least_size}:
                return {look}
            lowest, highest = first_timestamp, last_timestamp
            if by_time != 0 and {of_timestamp_type}[0] == {log_append_time}:
                lowest, highest = MIN_INT64, np.int64({max_int64})
            found = wanted_rows(
                data, {of_payload_position}[0], place + size, records, first, {of_base_timestamp}[0], first_offset,
                last_offset, lowest, highest, rows
            )
            if found != 0:
                return found
            if by_time == 0:
                return {look}
        at += size
    return {look}
'''


@cache
def _functions() -> Any:
    """The module of both kernels."""
    batches, records = decode_source(load_type("record_batch")), decode_source(load_type(_RECORD))
    # One batch is read at a time, and nothing makes the columns zero in between.
    assert not any(column.is_zeroed for column in batches.columns if (column.name, column.part) in _OF_BATCH)
    at = {"length": "batch_length", "magic": "magic", "offset": "base_offset", "delta": "last_offset_delta"}
    at |= {"max_timestamp": "max_timestamp"}
    return composed(
        _TEXT,
        "what finds a few records",
        {"decode_batches": batches, "decode_records": records},
        record_columns="\n    ".join(column_lines(records, _OF_RECORD)),
        record_arguments=arguments(records),
        batch_columns="\n    ".join(column_lines(batches, _OF_BATCH)),
        batch_arguments=arguments(batches),
        header_bytes=HEADER_BYTES,
        frame_bytes=FRAME_BYTES,
        window_bytes=_WINDOW_BYTES,
        least_size=_LEAST,
        log_append_time=int(_LOG_APPEND_TIME),
        max_int32=MAX_INT32,
        max_int64=MAX_INT64,
        current=CURRENT_MAGIC,
        look=_LOOK,
        need_room=_ROOM,
        compressed=_COMPRESSED,
        **{f"{name}_at": _LAYOUT.position(field) for name, field in at.items()},
        **{f"of_{name}": column for name, column in column_names(batches, _OF_BATCH).items()},
        **places("header", _Header._fields),
        **places("row", _Row._fields),
        **column_names(records, _OF_RECORD),
    )


def _function_for(batch: Batch) -> Any:
    """The kernel; None to leave the batch to the codec."""
    if batch.records_count <= 0 or not RECORD_KERNELS.are_ready(batch.size):
        return None
    try:
        return _functions().wanted_rows
    except MissingDependencyError:
        return None


def use_once(batch: Batch) -> None:
    """Compile the kernels, by using them for a batch."""
    _FewRecords(batch).rows(_functions().wanted_rows, (0, 0, MIN_INT64, MAX_INT64), 1, is_all=False)
    with tempfile.TemporaryFile() as file:
        file.write(batch.raw)
        file.flush()
        FileSearch(file.fileno(), "", batch.size, 0)._rows(_called(), 0, -1, 0, False, (0, 0, MIN_INT64, MAX_INT64))


class _FewRecords:
    """The records of a batch, ready to be walked over, and their bytes."""

    __slots__ = ("batch", "data", "start", "view")

    def __init__(self, batch: Batch) -> None:
        """Raises CompressionError, LimitError."""
        self.batch = batch
        if batch.compression:
            payload = memoryview(batch.raw)[HEADER_BYTES:]
            self.data, self.start = decompress(batch.compression, payload, limit=batch.limit), 0
        else:
            self.data, self.start = batch.raw, HEADER_BYTES
        self.view = np.frombuffer(self.data, np.uint8)
        self.view.flags.writeable = False

    def rows(
        self, function: Any, ranges: tuple[int, int, int, int], room: int, *, is_all: bool
    ) -> npt.NDArray[np.int64] | None:
        """The rows in the ranges of offsets and timestamps; None if the records cannot be read.

        Returns the first ``room`` rows, or all with ``is_all``: an offset that occurs twice has two rows.
        """
        batch, size = self.batch, len(self.data)
        if batch.records_count > (size - self.start) // _LEAST:  # more than there can be: do not allocate for them
            return None
        while True:
            matches = np.empty((room, len(_Row._fields)), np.int64)
            count = function(
                *(self.view, self.start, size, batch.records_count, batch.base_offset, batch.base_timestamp),
                *(*ranges, matches),
            )
            if not is_all or count <= room:
                return None if count < 0 else matches[: min(count, room)]
            room = int(count)


def records_between(batch: Batch, start_offset: int, end_offset: int) -> Iterator[Record] | None:
    """The records of a batch from ``start_offset`` on, below ``end_offset``; None if the codec has to read it."""
    function = _function_for(batch)
    if function is None:
        return None
    first, last = max(start_offset, MIN_INT64), min(end_offset - 1, MAX_INT64)
    if first > last:
        first, last = 0, -1  # nothing is wanted, but it may be damaged
    try:
        walk = _FewRecords(batch)
    except (CompressionError, LimitError):
        return None
    room = min(batch.records_count, last - first + 1)
    matches = walk.rows(function, (first, last, MIN_INT64, MAX_INT64), room, is_all=True)
    return None if matches is None else _records(walk, matches)


def _records(walk: _FewRecords, matches: npt.NDArray[np.int64]) -> Iterator[Record]:
    batch, data = walk.batch, walk.data
    headers: tuple[list[Any], list[Any]] | None = None
    for rows in (matches[:1], matches[1:]):  # mostly one is wanted
        for row in rows.tolist():
            pairs: Any = ()
            header_count, header_at = row[-2:]
            if header_count:
                headers = _headers(walk) if headers is None else headers
                end = header_at + header_count
                pairs = tuple(zip(headers[0][header_at:end], headers[1][header_at:end], strict=True))
            yield _record(batch, data, row, pairs)


def _record(batch: Batch | _Header, data: bytes, row: list[int], headers: Any) -> Record:
    """The record of a row; the row's positions count from the beginning of the data."""
    offset, timestamp, key_at, key_size, value_at, value_size, _, _ = row
    kind, sequence = _KINDS[batch.timestamp_type], batch.base_sequence
    return Record(
        wrapped_int64(batch.base_offset + offset),
        _timestamp(batch, timestamp),
        kind,
        None if key_size < 0 else data[key_at : key_at + key_size],
        None if value_size < 0 else data[value_at : value_at + value_size],
        headers,
        -1 if sequence < 0 else add_sequence(sequence, offset),
    )


def _timestamp(batch: Batch | _Header, delta: int) -> int:
    """The timestamp of a record, ms: in a log_append_time batch that of the batch."""
    is_stamped = batch.timestamp_type == _LOG_APPEND_TIME
    return batch.max_timestamp if is_stamped else wrapped_int64(batch.base_timestamp + delta)


def _headers(walk: _FewRecords) -> tuple[list[str], list[bytes | None]]:
    """Keys and values of all headers of the batch."""
    window = [(walk.start, len(walk.data), walk.batch.records_count)]
    columns = kernel(_RECORD).decode(walk.data, window, fields=("headers.key", "headers.value")).columns
    view = byte_view(walk.data)
    keys, values = (
        [
            None if length < 0 else bytes(view[position : position + length])
            for position, length in zip(
                columns[name, Part.POSITION].tolist(), columns[name, Part.LENGTH].tolist(), strict=True
            )
        ]
        for name in ("headers.key", "headers.value")
    )
    return ["" if key is None else key.decode("utf-8", "surrogateescape") for key in keys], values


class FoundRecords(NamedTuple):
    """The wanted records of the first batch that ends at or above an offset: at least one; and that batch.

    ``position`` and ``size`` of the batch are in bytes; ``next_offset`` is the one after its last; ``start``: the bytes
    of its header.
    """

    records: Iterator[Record]
    position: int
    size: int
    next_offset: int
    start: bytes


@cache
def _called() -> tuple[Any, int, int] | None:
    """The kernel that reads a file, and the addresses of what it calls; None if there is no such thing."""
    try:
        function = _functions().rows_at
        sums = compiled_by_hand("kformat.kernels.summing").address_of_sum()
        reader = compiled_by_hand("kformat.kernels.pieces").address_of_pread()
    except MissingDependencyError:
        return None
    return (function, reader, sums) if sums and reader else None


class FileSearch:
    """Searches in the batches of a local file, whose first ``end`` bytes are a segment with a base offset.

    Each search begins at the position of an index entry, whose batch has to begin at or below the entry's offset (-1
    for any). Batches that are passed over only need a header with offsets that increase, and belong to the segment. A
    result of None says that something else has to look: there is no such batch, it is damaged, or it is unusual.
    """

    __slots__ = ("_descriptor", "_end", "_limit", "_name", "_segment_offset")

    def __init__(
        self, descriptor: int, name: str, end: int, segment_offset: int, limit: int = DEFAULT_INFLATE_LIMIT
    ) -> None:
        self._descriptor, self._name, self._limit = descriptor, name, limit
        self._end, self._segment_offset = min(end, MAX_LOG_BYTES), segment_offset

    def records(
        self,
        start_offset: int,
        end_offset: int,
        position: int = 0,
        entry_offset: int = -1,
        *,
        verifies: bool = False,
    ) -> FoundRecords | None:
        """The records from an offset to another (exclusive), of the batch that holds the first. With ``verifies`` the
        batch at the position is sound, too."""
        if not 0 <= start_offset < end_offset or start_offset > MAX_INT64:
            return None
        if not RECORD_KERNELS.are_ready(_WINDOW_BYTES):
            return None
        called, last = _called(), min(end_offset - 1, MAX_INT64)
        if called is None:
            return None
        ranges = start_offset, last, MIN_INT64, MAX_INT64
        count, header, rows, data = self._rows(called, position, entry_offset, int(verifies), False, ranges)
        if count < 1 and count != _COMPRESSED:
            return None
        end = header.place + header.size
        records: Iterator[Record] | None
        if count == 1 and not rows[0, -2]:
            record = _record(header, data[:end].tobytes(), rows[0].tolist(), ())
            records = iter((record,))
        else:
            batch = Batch(data[header.place : end].tobytes(), header.position, self._name, self._limit)
            records = records_between(batch, start_offset, end_offset)
        if records is None:
            return None
        next_offset = wrapped_int64(header.last_offset + 1)
        start = data[header.place : header.place + HEADER_BYTES].tobytes()
        return FoundRecords(records, header.position, header.size, next_offset, start)

    def timestamp(
        self,
        first_offset: int,
        first_timestamp: int,
        last_timestamp: int,
        position: int = 0,
        entry_offset: int = -1,
        *,
        verifies: bool = False,
    ) -> tuple[int, int, int] | None:
        """Timestamp, offset and leader epoch of the first record in the ranges (inclusive), searched in batches whose
        largest timestamp is in the range, too. With ``verifies`` those that are passed over are sound, too."""
        if not MIN_INT64 <= first_timestamp <= MAX_INT64 or not MIN_INT64 <= first_offset <= MAX_INT64:
            return None
        if not RECORD_KERNELS.are_ready(_WINDOW_BYTES) or (called := _called()) is None:
            return None
        ranges = first_offset, MAX_INT64, first_timestamp, last_timestamp
        count, header, rows, _ = self._rows(called, position, entry_offset, 2 * verifies, True, ranges)
        if count < 1:
            return None
        row = _Row(*rows[0].tolist())
        timestamp = _timestamp(header, row.timestamp_delta)
        return timestamp, wrapped_int64(header.base_offset + row.offset_delta), header.partition_leader_epoch

    def _rows(
        self,
        called: Any,
        position: int,
        entry_offset: int,
        verifies: int,
        by_time: bool,
        ranges: tuple[int, int, int, int],
    ) -> tuple[int, _Header, npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """What the kernel returns, the header of the batch that it found, the first row, and the bytes."""
        function, reader, sums = called
        rows, header = np.empty((1, len(_Row._fields)), np.int64), np.empty(len(_Header._fields), np.int64)
        room = _ROOM_BYTES
        while True:
            data = np.empty(room, np.uint8)
            data.flags.writeable = False  # as the kernels take it that decode; this one writes by its address
            count = function(
                *(data, reader, self._descriptor, position, self._end, self._segment_offset, entry_offset, verifies),
                *(sums, by_time, *ranges, rows, header),
            )
            found = _Header(*header.tolist())
            if count != _ROOM or not room < found.size <= min(_LARGEST_BYTES, self._limit):
                return count, found, rows, data
            room = found.size


def stamp_from(
    batch: AnyBatch, first_offset: int, first_timestamp: int, last_timestamp: int = MAX_INT64
) -> tuple[int, int] | tuple[()] | None:
    """Timestamp and offset of the first record in the ranges (inclusive), () for none; None if the codec has to look.

    The batch's largest timestamp is in the range. In a log_append_time batch it is the timestamp of all records.
    """
    function = _function_for(batch) if isinstance(batch, Batch) else None
    if function is None or not isinstance(batch, Batch):
        return None
    is_stamped = batch.timestamp_type == _LOG_APPEND_TIME
    times = (MIN_INT64, MAX_INT64) if is_stamped else (first_timestamp, last_timestamp)
    try:
        walk = _FewRecords(batch)
    except (CompressionError, LimitError):
        return None
    matches = walk.rows(function, (first_offset, MAX_INT64, *times), 1, is_all=False)
    if matches is None:
        return None
    if not len(matches):
        return ()
    row = _Row(*matches[0].tolist())
    return _timestamp(batch, row.timestamp_delta), wrapped_int64(batch.base_offset + row.offset_delta)


__all__ = ["FileSearch", "FoundRecords", "records_between", "stamp_from"]

"""A few records of one batch, found by a kernel that walks over all of it: for point reads and lookups by time, where
decoding a batch into columns costs more than the walk.

Rules:

* The results are those of `Batch.records`. They come only if all records of the batch can be read, so that no error
  follows the wanted ones; otherwise the functions return None, and the caller reads the batch with the codec, which
  reports what is wrong. The caller verifies checksums.
* The kernel that reads records is generated from the declaration. The one here calls it and picks rows, so that Python
  sees the numbers of the wanted ones alone.
* Loading numba takes longer than reading many batches by the codec: `RECORD_KERNELS` says when it pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.errors import CompressionError, LimitError, MissingDependencyError
from kformat.integers import MAX_INT64, MIN_INT64, wrapped_int64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import decompress
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequence
from kformat.kernels import kernel
from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decode import decode_source
from kformat.kernels.source import Part
from kformat.language.program import load_type
from kformat.storage.checksum import byte_view

_RECORD: Final = "record_batch::record"
_OF_RECORD: Final = (
    *((name, Part.VALUE) for name in ("offset_delta", "timestamp_delta", "headers_count")),
    *((name, part) for name in ("key", "value") for part in (Part.POSITION, Part.LENGTH)),
)
_LEAST: Final = load_type(_RECORD).minimum_size
_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]


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


_TEXT: Final = '''\
"""Made by kformat.kafka.batch.few_records; calls a kernel whose text is {digest}."""

import numpy as np

from kformat.kernels.runtime import U, kernel


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
'''


@cache
def _function() -> Any:
    records = decode_source(load_type(_RECORD))
    return composed(
        _TEXT,
        "what finds a few records",
        {"decode_records": records},
        record_columns="\n    ".join(column_lines(records, _OF_RECORD)),
        record_arguments=arguments(records),
        **places("row", _Row._fields),
        **column_names(records, _OF_RECORD),
    ).wanted_rows


def _function_for(batch: Batch) -> Any:
    """The kernel; None to leave the batch to the codec."""
    if batch.records_count <= 0 or not RECORD_KERNELS.are_ready(batch.size):
        return None
    try:
        return _function()
    except MissingDependencyError:
        return None


def use_once(batch: Batch) -> None:
    """Compile the kernel, by using it for a batch."""
    _FewRecords(batch).rows(_function(), (0, 0, MIN_INT64, MAX_INT64), 1, is_all=False)


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
    kind, sequence = batch.timestamp_type, batch.base_sequence
    is_stamped = kind == _LOG_APPEND_TIME
    headers: tuple[list[Any], list[Any]] | None = None
    for rows in (matches[:1], matches[1:]):  # mostly one is wanted
        for offset, timestamp, key_at, key_size, value_at, value_size, header_count, header_at in rows.tolist():
            pairs: Any = ()
            if header_count:
                headers = _headers(walk) if headers is None else headers
                end = header_at + header_count
                pairs = tuple(zip(headers[0][header_at:end], headers[1][header_at:end], strict=True))
            yield Record(
                wrapped_int64(batch.base_offset + offset),
                batch.max_timestamp if is_stamped else wrapped_int64(batch.base_timestamp + timestamp),
                kind,
                None if key_size < 0 else data[key_at : key_at + key_size],
                None if value_size < 0 else data[value_at : value_at + value_size],
                pairs,
                -1 if sequence < 0 else add_sequence(sequence, offset),
            )


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
    timestamp = batch.max_timestamp if is_stamped else wrapped_int64(batch.base_timestamp + row.timestamp_delta)
    return timestamp, wrapped_int64(batch.base_offset + row.offset_delta)


__all__ = ["records_between", "stamp_from"]

"""A leader's checks and changes of appended batches in one kernel: headers, checksums, every record.

The kernels that read batches and records are generated from the declarations; the kernel here calls them and checks
their results. It is a text template, because their columns are known only when they are generated.

It recognizes plain batches: valid ones that need only offsets. For other batches it reports neither the problem nor the
required changes.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.integers import MAX_INT64
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kernels.compiled import compiled_by_hand
from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decode import decode_source
from kformat.kernels.source import Part
from kformat.language.layout import layout
from kformat.language.program import load_type

_OF_BATCH: Final = (
    *(("base_offset", Part.VALUE), ("crc", Part.VALUE), ("crc", Part.COVERED_POSITION)),
    *((f"attributes.{name}", Part.VALUE) for name in ("is_control", "timestamp_type", "compression")),
    *(
        (name, Part.VALUE)
        for name in (
            *("last_offset_delta", "base_timestamp", "max_timestamp"),
            *("producer_id", "base_sequence", "records_count"),
        )
    ),
    *(("payload", Part.POSITION), ("payload", Part.LENGTH)),
)
_OF_RECORD: Final = (("timestamp_delta", Part.VALUE), ("key_length", Part.VALUE))


class AppendBatch(NamedTuple):
    """The fields of a batch that the log needs to store it.

    ``max_timestamp_offset`` is the offset of a time index entry: the last offset, or the record's own under the writer
    profiles up to Kafka 3.7. For an entry of magic 0 or 1 ``base_offset`` is the last offset as well, as Kafka has it
    without decompressing, and ``leader_epoch`` and ``producer_id`` are -1.
    """

    base_offset: int
    last_offset: int
    max_timestamp: int
    max_timestamp_offset: int
    size: int
    leader_epoch: int
    magic: int
    producer_id: int


class _PlacingLimits(NamedTuple):
    """The conditions for batches, as arguments of `placed_batches`; times in ms."""

    most_bytes: int
    before: int
    after: int
    needs_keys: bool
    by_record: bool


_COLUMNS: Final = len(AppendBatch._fields)
_LEAST: Final = load_type("record_batch").minimum_size
_BYTES_PER_BATCH: Final = 512
"""The assumed size of a batch, for the room; if batches are smaller, there is room for the most possible."""
_NO_ROOM: Final = -2
_LAYOUT: Final = layout("record_batch")

_TEXT: Final = '''\
"""Made by kformat_engine.leader_kernels; calls kernels whose texts are {digest}."""

import numpy as np

from kformat.kernels.runtime import U, copy, helper, kernel, store_4, store_8, sum_at, sum_overflows


@kernel
def placed_batches(data, address, limits, now, next_offset, leader_epoch, placed, found):
    """The number of batches, all of them plain, whose copies got offsets and leader epoch; -1 where one is not plain,
    {no_room} where they are more than there is room for."""
    needs_keys = limits[{limit_needs_keys}]
    before, after = limits[{limit_before}], limits[{limit_after}]
    room = len(found)
    window, end, count = np.zeros(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
    end[0], count[0] = len(data), -1
    {batch_columns}
    site = decode_batches(data, window, end, count, capacities, wanted, state, {batch_arguments})
    if site != 0:
        return -1 if site > 0 else {no_room}
    batches = state[{row}]
    position = np.int64(0)
    for batch in range(batches):
        at = U(batch)
        begin, size, records = {payload_position}[at], {payload_length}[at], np.int64({records_count}[at])
        behind = begin + size
        if (
            {base_offset}[at] != 0
            or behind - position > limits[{limit_most_bytes}]
            or {compression}[at] != 0
            or {timestamp_type}[at] != 0
            or {is_control}[at] != 0
            or records <= 0
            or np.int64({last_offset_delta}[at]) + 1 != records
            or ({producer_id}[at] > -1 and {base_sequence}[at] < 0)
            or records > size // {least}
            or next_offset > {max_int64} - records
        ):
            return -1
        copy(placed, position, data, position, behind - position)
        covered = {covered}[at]
        if sum_at(address, placed, covered, behind - covered) != {crc}[at]:
            return -1
        base = {base_timestamp}[at]
        if not records_of(data, begin, behind, records, base, now, before, after, needs_keys, found[at]):
            return -1
        if found[at, {found_max_timestamp}] != {max_timestamp}[at]:
            return -1
        store_8(placed, position + {base_offset_position}, next_offset)
        store_4(placed, position + {leader_epoch_position}, leader_epoch)
        found[at, {found_base_offset}], found[at, {found_last_offset}] = next_offset, next_offset + (records - 1)
        if limits[{limit_by_record}] != 0:
            found[at, {found_max_timestamp_offset}] += next_offset
        else:
            found[at, {found_max_timestamp_offset}] = next_offset + (records - 1)
        found[at, {found_size}], found[at, {found_producer_id}] = behind - position, {producer_id}[at]
        found[at, {found_leader_epoch}], found[at, {found_magic}] = leader_epoch, {current_magic}
        position, next_offset = behind, next_offset + records
    return batches
'''
_RECORDS: Final = '''\
@kernel
def records_of(data, begin, behind, records, base, now, before, after, needs_keys, found):
    """Whether they can be read, and the timestamps and keys of all are as they have to be."""
    room = records
    window, end, count = np.empty(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
    window[0], end[0], count[0] = begin, behind, records
    {record_columns}
    if decode_records(data, window, end, count, capacities, wanted, state, {record_arguments}) != 0:
        return False
    lowest = largest = {timestamp_delta}[0]
    largest_row, least_key = np.int64(0), np.int64(0)
    for row in range(records):
        delta = {timestamp_delta}[U(row)]
        if delta > largest:
            largest, largest_row = delta, np.int64(row)
        lowest = min(lowest, delta)
        least_key = min(least_key, np.int64({key_length}[U(row)]))
    if sum_overflows(base, lowest) or sum_overflows(base, largest) or (needs_keys != 0 and least_key < 0):
        return False
    lowest, largest = base + lowest, base + largest
    # Neither now nor a timestamp is below 0: their difference is a number.
    if lowest < 0 or now - lowest > before or lowest - now > after or now - largest > before or largest - now > after:
        return False
    found[{found_max_timestamp}], found[{found_max_timestamp_offset}] = largest, largest_row
    return True
'''


@cache
def _function() -> Any:
    batches, records = (decode_source(load_type(name)) for name in ("record_batch", "record_batch::record"))
    return composed(
        _TEXT.replace("@kernel\n", _RECORDS.replace("@kernel", "@helper") + "\n\n@kernel\n", 1),
        "what a leader looks at",
        {"decode_batches": batches, "decode_records": records},
        batch_columns="\n    ".join(column_lines(batches, _OF_BATCH)),
        batch_arguments=arguments(batches),
        record_columns="\n    ".join(column_lines(records, _OF_RECORD)),
        record_arguments=arguments(records),
        least=records.program.minimum_size,
        max_int64=MAX_INT64,
        no_room=_NO_ROOM,
        current_magic=CURRENT_MAGIC,
        base_offset_position=_LAYOUT.position("base_offset"),
        leader_epoch_position=_LAYOUT.position("partition_leader_epoch"),
        **places("limit", _PlacingLimits._fields),
        **places("found", AppendBatch._fields),
        **column_names(batches, _OF_BATCH),
        **column_names(records, _OF_RECORD),
    ).placed_batches


@lru_cache(maxsize=64)
def _limits(*limits: int) -> npt.NDArray[np.int64]:
    return np.array(limits, np.int64)


def placed_batches(
    data: npt.NDArray[np.uint8],
    placed: npt.NDArray[np.uint8],
    *,
    next_offset: int,
    leader_epoch: int,
    most_bytes: int,
    now_ms: int,
    before_ms: int,
    after_ms: int,
    needs_keys: bool,
    by_record: bool,
) -> list[list[int]] | None:
    """The numbers of the batches in some bytes (`AppendBatch`), if all of them are plain and fill the bytes; else None.

    A plain batch has magic 2, at most ``most_bytes``, no compression, the right checksum, and create times from
    ``before_ms`` before ``now_ms`` to ``after_ms`` after it, none below 0, the largest of which is in the header; it is
    no control batch; it has base offset 0, one record for each offset, a sequence number if it has a producer, and keys
    if they are required. Copies of them are placed: they have offsets from ``next_offset`` on, and the leader epoch.

    Args:
        data: uint8, not writeable. placed: uint8, of the same length or longer; undefined if the result is None.
        next_offset, now_ms: not below 0. leader_epoch: an int32.

    Raises MissingDependencyError if numba is missing.
    """
    function = _function()
    address = compiled_by_hand("kformat.kernels.summing").address_of_sum()
    if address is None:
        return None
    limits, room = _limits(most_bytes, before_ms, after_ms, needs_keys, by_record), len(data) // _BYTES_PER_BATCH + 4
    while True:
        batches = np.empty((room, _COLUMNS), np.int64)
        count = function(data, address, limits, now_ms, next_offset, leader_epoch, placed, batches)
        if count != _NO_ROOM:
            break
        room = len(data) // _LEAST + 1
    rows: list[list[int]] = batches[:count].tolist()
    return None if count < 0 else rows


__all__ = ["AppendBatch", "placed_batches"]

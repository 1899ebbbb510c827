"""A leader's checks of appended batches, in one kernel: headers, and every record.

The kernels that read batches and records are generated from the declarations; the kernel here calls them and checks
their results. It is a text template, because their columns are known only when they are generated.

It recognizes plain batches: valid ones that need only offsets. For other batches it does not say what is wrong, or what
else must be done.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decoding import decode_source
from kformat.kernels.source import Part
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


class PlainBatch(NamedTuple):
    """A batch that needs only offsets: its place, and the facts that a log needs.

    ``largest_row`` is the number of the first record with the largest timestamp; ``covered`` is the start of the bytes
    that its checksum, ``crc``, covers.
    """

    position: int
    end: int
    records_count: int
    max_timestamp: int
    largest_row: int
    producer_id: int
    crc: int
    covered: int


class _Limits(NamedTuple):
    """The conditions for batches, as arguments of `plain_batches`; times in ms."""

    most_bytes: int
    now: int
    before: int
    after: int
    needs_keys: bool


_COLUMNS: Final = len(PlainBatch._fields)
_LEAST: Final = load_type("record_batch").minimum_size

_TEXT: Final = '''\
"""Made by kformat.kafka.leader_kernels; calls kernels whose texts are {digest}."""

import numpy as np

from kformat.kernels.runtime import U, helper, kernel, sum_overflows


@kernel
def plain_batches(data, limits, found):
    """The number of batches, all of them plain; -1 where one is not, or they are more than there is room for."""
    now, needs_keys = limits[{limit_now}], limits[{limit_needs_keys}]
    before, after = limits[{limit_before}], limits[{limit_after}]
    room = len(found)
    window, end, count = np.zeros(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
    end[0], count[0] = len(data), -1
    {batch_columns}
    if decode_batches(data, window, end, count, capacities, wanted, state, {batch_arguments}) != 0:
        return -1
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
        ):
            return -1
        base = {base_timestamp}[at]
        if not records_of(data, begin, behind, records, base, now, before, after, needs_keys, found[at]):
            return -1
        if found[at, {found_max_timestamp}] != {max_timestamp}[at]:
            return -1
        found[at, {found_position}], found[at, {found_end}] = position, behind
        found[at, {found_records_count}], found[at, {found_producer_id}] = records, {producer_id}[at]
        found[at, {found_crc}], found[at, {found_covered}] = {crc}[at], {covered}[at]
        position = behind
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
    found[{found_max_timestamp}], found[{found_largest_row}] = largest, largest_row
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
        **places("limit", _Limits._fields),
        **places("found", PlainBatch._fields),
        **column_names(batches, _OF_BATCH),
        **column_names(records, _OF_RECORD),
    ).plain_batches


def plain_batches(
    data: npt.NDArray[np.uint8], *, most_bytes: int, now_ms: int, before_ms: int, after_ms: int, needs_keys: bool
) -> list[PlainBatch] | None:
    """The batches in some bytes, if all of them are plain and fill the bytes; otherwise None.

    A plain batch has magic 2, at most ``most_bytes``, no compression, and create times from ``before_ms`` before
    ``now_ms`` to ``after_ms`` after it, none below 0, the largest of which is in the header; it is no control batch; it
    has base offset 0, one record for each offset, a sequence number if it has a producer, and keys if they are
    required. Its checksum is not verified.

    Args:
        data: uint8, not writeable. now_ms: not below 0.

    Raises MissingDependencyError if numba is missing.
    """
    found = np.empty((len(data) // _LEAST + 1, _COLUMNS), np.int64)
    limits = _Limits(most_bytes, now_ms, before_ms, after_ms, needs_keys)
    count = _function()(data, np.array(limits, np.int64), found)
    return None if count < 0 else [PlainBatch(*row) for row in found[:count].tolist()]


__all__ = ["plain_batches"]

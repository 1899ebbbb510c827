"""Decode bytes of a log into rows of records in one kernel: headers, checksums, records, absolute offsets and times.

It handles plain batches: uncompressed, valid, with readable records. Most batches are plain, and separate calls for the
four steps would cost more than the steps themselves. If any batch is not plain it returns nothing, and a slower path
reads the bytes.

The kernels that read batches and records are generated from the declarations; the kernel here calls them for a few
batches at a time: few enough that the bytes are still in the CPU cache, after the checksum, when the records are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.integers import MAX_INT32
from kformat.kernels.compiled import compiled_by_hand
from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decode import decode_source
from kformat.kernels.running import Allocate, Array, Decoded, DecodePlan, DecodeRun, plan_of
from kformat.kernels.source import Part
from kformat.kernels.state import CAPACITY, POSITION, UNIT
from kformat.language.program import load_type

_OF_BATCH: Final = (
    *(("crc", Part.VALUE), ("crc", Part.COVERED_POSITION), ("payload", Part.POSITION), ("payload", Part.LENGTH)),
    *(
        (f"attributes.{name}", Part.VALUE)
        for name in ("is_control", "is_transactional", "timestamp_type", "compression")
    ),
    *(
        (name, Part.VALUE)
        for name in (
            *("base_offset", "last_offset_delta", "base_timestamp", "max_timestamp", "records_count"),
            *("partition_leader_epoch", "producer_id", "producer_epoch", "base_sequence"),
        )
    ),
)
_OF_RECORD: Final = (("offset_delta", Part.VALUE), ("timestamp_delta", Part.VALUE))

NUMBERS: Final[dict[str, str]] = {
    "offset": "i8",
    "timestamp": "i8",
    "timestamp_type": "i1",
    "partition_leader_epoch": "i4",
    "producer_id": "i8",
    "producer_epoch": "i2",
    "base_sequence": "i4",
    "sequence": "i4",
}
"""Columns made for every row from the batches' headers, with numpy's types."""

_DELTAS: Final = {"offset": "offset_delta", "timestamp": "timestamp_delta", "sequence": "offset_delta"}
"""Record fields that are added to a number of the batch."""

_NO_ROOM: Final = -(1 << 30)
_BATCHES_AT_FIRST: Final = 1024
_BYTES_AT_ONCE: Final = 128 << 10
_MORE: Final = 1.02
"""How much more room to allocate than the previous chunk would have needed."""


class _DecodeLimits(NamedTuple):
    """The kernel's input besides the bytes: room for how many batches, the request to `RowReader`, the address of the
    checksum function (0 for none), and how many bytes of records are read at once.
    """

    room: int
    first_offset: int
    last_offset: int
    include_control: bool
    refuse_transactional: bool
    address: int
    bytes_at_once: int
    log_append_time: int


_TEXT: Final = '''\
"""Made by kformat.kafka.columns.record_kernels; calls kernels whose texts are {digest}."""

import numpy as np

from kformat.kernels.runtime import U, helper, kernel, sum_at


@helper
def batches_of(data, room):
    """What their kernel gives, how many there are, and their columns."""
    window, end, count = np.zeros(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
    end[0], count[0] = len(data), -1
    {batch_columns}
    site = decode_batches(data, window, end, count, capacities, wanted, state, {batch_arguments})
    return site, state[{row}], {batch_names}


@helper
def sequence_at(first, delta):
    """`kformat.kafka.batch.records.add_sequence`; -1 where the batch has no sequence number."""
    if first < 0:
        return -1
    if first > np.int64(np.int32({max_int32} - delta)):
        return np.int64(np.int32(delta - ({max_int32} - first) - 1))
    return np.int64(np.int32(first + delta))


@kernel
def plain_rows(
    data, limits, offset, timestamp, timestamp_type, partition_leader_epoch, producer_id, producer_epoch, base_sequence,
    sequence, capacities, wanted, state, {record_arguments}
):
    """0 where all is read; 1 where something else has to look; what the records' kernel gives that has not enough room,
    and {no_room} where there is none for the batches.

    In the state, the position is that behind the last batch.
    """
    least, most, address = limits[{limit_first_offset}], limits[{limit_last_offset}], limits[{limit_address}]
    take_control, refuse_transactional = limits[{limit_include_control}], limits[{limit_refuse_transactional}]
    enough, log_append_time = limits[{limit_bytes_at_once}], limits[{limit_log_append_time}]
    site, count, {of_batches} = batches_of(data, limits[{limit_room}])
    if site < 0:
        return {no_room}
    if count == 0:
        return 1
    starts, ends, counts = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    batches = np.empty(count, np.int64)
    windows = rows = 0
    for batch in range(count):
        at = U(batch)
        records, first = np.int64(of_records_count[at]), of_base_offset[at]
        last = np.int64(U(first) + U(np.int64(of_last_offset_delta[at])))
        if last < least:
            continue
        if last >= most or first > most:
            return 1
        if records <= 0 or (of_is_control[at] != 0 and take_control == 0):
            continue
        if (
            of_compression[at] != 0
            or records > of_payload_length[at] // {least_size}
            or (of_is_transactional[at] != 0 and refuse_transactional != 0)
        ):
            return 1
        starts[windows], counts[windows], batches[windows] = of_payload_position[at], records, batch
        ends[windows] = starts[windows] + of_payload_length[at]
        rows += records
        windows += 1
    state[:] = 0
    if rows > capacities[0]:
        state[{capacity}] = rows
        return -1
    batch = window = row = 0
    while batch < count:
        first_window = window
        begin = of_payload_position[U(batch)]
        while batch < count:
            at = U(batch)
            behind = of_payload_position[at] + of_payload_length[at]
            if address != 0:
                covered = of_covered[at]
                if sum_at(address, data, covered, behind - covered) != of_crc[at]:
                    return 1
            if window < windows and batches[U(window)] == batch:
                window += 1
            batch += 1
            if behind - begin > enough:
                break
        state[{unit}], state[{done}] = 0, -1
        site = decode_records(
            data, starts[first_window:window], ends[first_window:window], counts[first_window:window],
            capacities, wanted, state, {record_arguments}
        )
        if site != 0:
            return 1 if site > 0 else site
        for number in range(first_window, window):
            at = U(batches[U(number)])
            until = row + counts[U(number)]
            if len(offset):
                base = U(of_base_offset[at])
                for index in range(row, until):
                    offset[U(index)] = np.int64(base + U(np.int64({offset_delta}[U(index)])))
            if len(timestamp):
                if of_timestamp_type[at] == log_append_time:
                    timestamp[row:until] = of_max_timestamp[at]
                else:
                    base = U(of_base_timestamp[at])
                    for index in range(row, until):
                        timestamp[U(index)] = np.int64(base + U({timestamp_delta}[U(index)]))
            if len(timestamp_type):
                timestamp_type[row:until] = of_timestamp_type[at]
            if len(partition_leader_epoch):
                partition_leader_epoch[row:until] = of_partition_leader_epoch[at]
            if len(producer_id):
                producer_id[row:until] = of_producer_id[at]
            if len(producer_epoch):
                producer_epoch[row:until] = of_producer_epoch[at]
            if len(base_sequence):
                base_sequence[row:until] = of_base_sequence[at]
            if len(sequence):
                first_sequence = np.int64(of_base_sequence[at])
                for index in range(row, until):
                    sequence[U(index)] = sequence_at(first_sequence, np.int64({offset_delta}[U(index)]))
            row = until
    state[{position}] = behind
    return 0
'''


@cache
def _function() -> Any:
    batches, records = (decode_source(load_type(name)) for name in ("record_batch", "record_batch::record"))
    of_batch = column_names(batches, _OF_BATCH)
    return composed(
        _TEXT,
        "what reads plain batches",
        {"decode_batches": batches, "decode_records": records},
        batch_columns="\n    ".join(column_lines(batches, _OF_BATCH)),
        batch_arguments=arguments(batches),
        batch_names=", ".join(of_batch.values()),
        of_batches=", ".join(f"of_{name}" for name in of_batch),
        record_arguments=arguments(records),
        least_size=records.program.minimum_size,
        capacity=CAPACITY,
        position=POSITION,
        unit=UNIT,
        no_room=_NO_ROOM,
        max_int32=MAX_INT32,
        **places("limit", _DecodeLimits._fields),
        **column_names(records, _OF_RECORD),
    ).plain_rows


class DecodedRows(NamedTuple):
    """The result: how many bytes of the data the batches took, the numbers of all rows by name, and the records'
    columns.
    """

    size: int
    numbers: dict[str, Array]
    records: Decoded


@lru_cache(maxsize=64)
def _plan_of(fields: frozenset[str], packed: frozenset[str]) -> DecodePlan:
    return plan_of(decode_source(load_type("record_batch::record")), fields, packed)


class RowReader:
    """Reads plain batches, chunk by chunk; it estimates the room for each chunk from the one before.

    Args:
        numbers: the wanted names of `NUMBERS`.
        fields, packed: the wanted fields of records, and those to pack, as for `Kernel.decode`.
        first_offset, last_offset: batches below the first are left out; one that reaches the last is not plain, as
            the caller must end there.
        include_control: whether to include control batches.
        include_transactional: whether transactional batches are plain.
        checksums: whether to verify checksums.
        log_append_time: the timestamp type of batches in which all records have the largest timestamp.
        allocate: allocates the memory of columns; by default numpy.

    Raises MissingDependencyError if numba is missing.
    """

    def __init__(
        self,
        numbers: Iterable[str],
        fields: Iterable[str],
        packed: Iterable[str],
        *,
        first_offset: int,
        last_offset: int,
        include_control: bool,
        include_transactional: bool,
        checksums: bool,
        log_append_time: int,
        allocate: Allocate | None = None,
    ) -> None:
        self._function, self._allocate = _function(), allocate
        address = compiled_by_hand("kformat.kernels.summing").address_of_sum() or 0 if checksums else 0
        self._can_sum = bool(address) or not checksums
        self._limits = _DecodeLimits(
            room=_BATCHES_AT_FIRST,
            first_offset=first_offset,
            last_offset=last_offset,
            include_control=include_control,
            refuse_transactional=not include_transactional,
            address=address,
            bytes_at_once=_BYTES_AT_ONCE,
            log_append_time=log_append_time,
        )
        self._numbers = {name: kind for name, kind in NUMBERS.items() if name in set(numbers)}
        self._all_numbers = {name: np.empty(0, kind) for name, kind in NUMBERS.items()}
        deltas = {delta for name, delta in _DELTAS.items() if name in self._numbers}
        self._plan = _plan_of(frozenset(fields) | deltas, frozenset(packed))
        self._rows_per_byte = 0.0
        self._bytes_per_byte = dict.fromkeys(packed, 1.0)

    def read(self, data: npt.NDArray[np.uint8]) -> DecodedRows | None:
        """The rows of the whole batches in the data; None if one is not plain, or there is none.

        Args:
            data: uint8, not writeable, of less than 2 GiB.
        """
        if not self._can_sum:
            return None
        size = len(data)
        packed = {name: int(_MORE * share * size) + 64 for name, share in self._bytes_per_byte.items()}
        run = DecodeRun(self._plan, int(_MORE * self._rows_per_byte * size) + 1, packed, self._allocate)
        while True:
            numbers = {name: run.made(int(run.capacities[0]), kind) for name, kind in self._numbers.items()}
            all_numbers, limits = (self._all_numbers | numbers).values(), np.array(self._limits, np.int64)
            site = self._function(
                *(data, limits, *all_numbers, run.capacities, self._plan.wanted, run.state, *run.columns)
            )
            if site >= 0:
                break
            if site == _NO_ROOM:
                self._limits = self._limits._replace(room=2 * self._limits.room)
            else:
                run.make_room(site)
        if site:
            return None
        records, used = run.decoded(site), int(run.state[POSITION])
        count = records.rows[0]
        self._rows_per_byte = count / used
        for name in packed:
            self._bytes_per_byte[name] = len(records.columns[name, Part.BYTES]) / used
        return DecodedRows(used, {name: column[:count] for name, column in numbers.items()}, records)

"""Decode bytes of a log into rows of records in one kernel: headers, checksums, records, absolute offsets and times.

It handles plain batches: uncompressed, valid, with readable records. Most batches are plain, and separate calls for the
four steps would cost more than the steps themselves. If any batch is not plain it returns nothing, and a slower path
reads the bytes.

The kernels that read batches and records are generated from the declarations; the kernel here calls them for a piece of
the log at a time, and reads that piece of a local file itself. A piece is small enough to stay in the CPU's cache: its
bytes come from memory once, and the checksum, the headers, the records and their columns find them there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.integers import MAX_INT32
from kformat.kernels.compiled import compiled_by_hand
from kformat.kernels.composing import arguments, column_lines, column_names, composed, places
from kformat.kernels.decode import decode_source
from kformat.kernels.running import Allocate, Array, Decoded, DecodePlan, DecodeRun, columns_at_once, plan_of
from kformat.kernels.source import FULL_BYTES, PACKED, Part, Source
from kformat.kernels.state import CAPACITY, FIRST_TABLE, POSITION, UNIT
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
VIEWABLE: Final = ("key", "value")
"""Fields of records that can be read as Arrow's views."""

_OF_RECORD: Final = (
    *(("offset_delta", Part.VALUE), ("timestamp_delta", Part.VALUE), ("headers", Part.OFFSETS)),
    *((name, part) for name in VIEWABLE for part in (Part.POSITION, Part.LENGTH)),
)

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

_OF_VIEWS: Final[dict[str, Any]] = {"views": ("i8", 2), "is_there": "u1"}
_OUTPUTS: Final[dict[Any, np.dtype[Any]]] = {name: np.dtype(kind) for name, kind in NUMBERS.items()} | {
    (name, part): np.dtype(kind) for name in VIEWABLE for part, kind in _OF_VIEWS.items()
}
"""The columns that the kernel makes besides those of records, in the order of its arguments."""

_DELTAS: Final = {"offset": "offset_delta", "timestamp": "timestamp_delta", "sequence": "offset_delta"}
"""Record fields that are added to a number of the batch."""

_BATCHES_AT_ONCE: Final = 256
_PIECE_BYTES: Final = 192 << 10
"""How much of the log is brought to the CPU's cache, verified and decoded before the next bytes are touched: few enough
to stay in a second-level cache of 1 MiB together with what is written of them.
"""
_MORE: Final = 1.02
"""How much more room to allocate than the previous chunk would have needed."""
_FEWEST: Final = 64
_HEADERS_PER_BYTE: Final = 1 / 64  # expected before any were read


class _DecodeLimits(NamedTuple):
    """The kernel's input besides the bytes.

    room: for how many batches; first_offset ... log_append_time: the request to `RowReader`; address: of the checksum
    function, 0 for none; piece: how many bytes at once; reader, descriptor: the address of ``pread``, 0 if all bytes
    are there, and the file; position, end: in the file, of the first byte of the data and of the last to read; keeps:
    whether bytes stay where they were read.
    """

    room: int
    first_offset: int
    last_offset: int
    include_control: int
    refuse_transactional: int
    address: int
    log_append_time: int
    piece: int
    reader: int = 0
    descriptor: int = -1
    position: int = 0
    end: int = 0
    keeps: int = 1


_TEXT: Final = '''\
"""Made by kformat.kafka.columns.record_kernels; calls kernels whose texts are {digest}."""

import numpy as np

from kformat.kernels.gathering import put_view
from kformat.kernels.pieces import move, pread
from kformat.kernels.runtime import U, address, helper, kernel, sum_at


@helper
def batch_columns(room):
    """Columns for so many batches, and the other arguments of their kernel."""
    {batch_columns}
    return capacities, wanted, state, {batch_arguments}


@helper
def sequence_at(first, delta):
    """`kformat.kafka.batch.records.add_sequence`; -1 where the batch has no sequence number."""
    if first < 0:
        return -1
    if first > np.int64(np.int32({max_int32} - delta)):
        return np.int64(np.int32(delta - ({max_int32} - first) - 1))
    return np.int64(np.int32(first + delta))


@helper
def put_views(data, positions, lengths, views, is_there, row, count):
    """Arrow's views of so many rows, from a row on, and whether each is not null."""
    first, target, end = address(data), address(views), len(data)
    is_there[row : row + count] = 1
    for index in range(count):
        at, size = positions[U(index)], lengths[U(index)]
        if size < 0:
            is_there[U(row + index)] = 0
        put_view(target, row + index, first, at, size, end - at)


@kernel
def plain_rows(
    data, limits, offset, timestamp, timestamp_type, partition_leader_epoch, producer_id, producer_epoch,
    base_sequence, sequence, key_views, key_there, value_views, value_there, capacities, wanted, state, {record_columns}
):
    """0 where rows were read; 1 where something else has to look; or what the records' kernel returns that has not
    enough room for the first batches. If room is missing later, what was read until then is the result.

    In the state, the position is that after the last batch, counted from the first byte of the data.
    """
    least, most, sums = limits[{limit_first_offset}], limits[{limit_last_offset}], limits[{limit_address}]
    take_control, refuse_transactional = limits[{limit_include_control}], limits[{limit_refuse_transactional}]
    log_append_time, piece = limits[{limit_log_append_time}], limits[{limit_piece}]
    reader, descriptor, keeps = limits[{limit_reader}], limits[{limit_descriptor}], limits[{limit_keeps}]
    first, stop, room = limits[{limit_position}], limits[{limit_end}], limits[{limit_room}]
    starts, ends, counts = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    batches, left = np.empty(room, np.int64), capacities.copy()
    window, end, no_count = np.empty(1, np.int64), np.empty(1, np.int64), np.full(1, -1)
    of_capacities, of_wanted, of_state, {own_arguments} = batch_columns(room)
    {of_batches}
    base, begin, filled, row, is_full = first, np.int64(0), np.int64(0), np.int64(0), False
    state[:] = 0
    while not is_full:
        window[0], end[0], of_state[:], of_state[{done}] = begin, filled, 0, -1
        decode_batches(data, window, end, no_count, of_capacities, of_wanted, of_state, {own_arguments})
        count = of_state[{row}]
        if count == 0:
            if keeps == 0 and begin > 0:
                move(address(data), address(data) + begin, filled - begin)
                base, begin, filled = base + begin, 0, filled - begin
            size = min(piece, len(data) - filled, stop - base - filled)
            if size > 0 and reader != 0:
                size = pread(reader, descriptor, address(data) + filled, size, base + filled)
            if size <= 0:
                break
            filled += size
            continue
        windows = rows = 0
        behind = begin
        for batch in range(count):
            at = U(batch)
            records, lowest = np.int64(of_records_count[at]), of_base_offset[at]
            last = np.int64(U(lowest) + U(np.int64(of_last_offset_delta[at])))
            behind = of_payload_position[at] + of_payload_length[at]
            if last >= least:
                if last >= most or lowest > most:
                    return 1
                if records > 0 and (of_is_control[at] == 0 or take_control != 0):
                    if (
                        of_compression[at] != 0
                        or records > of_payload_length[at] // {least_size}
                        or (of_is_transactional[at] != 0 and refuse_transactional != 0)
                    ):
                        return 1
                    starts[U(windows)], ends[U(windows)] = of_payload_position[at], behind
                    counts[U(windows)], batches[U(windows)] = records, batch
                    rows += records
                    windows += 1
                covered = of_covered[at]
                if sums != 0 and sum_at(sums, data, covered, behind - covered) != of_crc[at]:
                    return 1
        if row + rows > capacities[0]:
            if row > 0:
                break
            state[{capacity}], state[{position}] = rows, behind
            return -1
        left[0] = capacities[0] - row
        state[{unit}], state[{done}], state[{row}] = 0, -1, 0
        place = row if len(key_views) + len(value_views) == 0 else 0
        site = decode_records(
            data, starts[:windows], ends[:windows], counts[:windows], left, wanted, state, {record_arguments}
        )
        if site > 0:
            return 1
        if site < 0:
            windows, is_full = state[{unit}], True
            if windows == 0:
                if row == 0:
                    return site
                break
            behind = ends[U(windows - 1)]
        from_row = row
        for number in range(windows):
            at = U(batches[U(number)])
            until, delta = row + counts[U(number)], row - from_row
            if len(offset):
                origin = U(of_base_offset[at])
                for index in range(row, until):
                    offset[U(index)] = np.int64(origin + U(np.int64({offset_delta}[U(index - from_row)])))
            if len(timestamp):
                if of_timestamp_type[at] == log_append_time:
                    timestamp[row:until] = of_max_timestamp[at]
                else:
                    origin = U(of_base_timestamp[at])
                    for index in range(row, until):
                        timestamp[U(index)] = np.int64(origin + U({timestamp_delta}[U(index - from_row)]))
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
                    sequence[U(index)] = sequence_at(first_sequence, np.int64({offset_delta}[U(index - from_row)]))
            row = until
        if len(key_views):
            put_views(data, {key_position}, {key_length}, key_views, key_there, from_row, row - from_row)
        if len(value_views):
            put_views(data, {value_position}, {value_length}, value_views, value_there, from_row, row - from_row)
        begin = behind
    if base + begin == first:
        return 1
    if len({headers_offsets}):
        state[{first_table}] = {headers_offsets}[U(row)]  # without those of a batch that was begun
    state[{position}], state[{row}] = base + begin - first, row
    return 0
'''


@cache
def _source() -> Source:
    return decode_source(load_type("record_batch::record"))


def _record_arguments(records: Source) -> str:
    """The columns of records, each from the present row on. Columns that are only a step to others are overwritten
    with each piece of the log, so that they stay in the cache.
    """
    kept = {Part.BYTE_OFFSETS: "row", Part.IS_THERE: "row", Part.OFFSETS: "row"}
    kept |= {Part.POSITION: "place", Part.LENGTH: "place"}
    return ", ".join(
        f"c{number}[{kept[column.part]}:]" if not column.table and column.part in kept else f"c{number}"
        for number, column in enumerate(records.columns)
    )


@cache
def _function() -> Any:
    batches, records = decode_source(load_type("record_batch")), _source()
    of_batch = column_names(batches, _OF_BATCH)
    # The columns of batches are used again for each piece of the log, and nothing makes them zero in between.
    assert not any(column.is_zeroed for column in batches.columns if (column.name, column.part) in _OF_BATCH)
    return composed(
        _TEXT,
        "what reads plain batches",
        {"decode_batches": batches, "decode_records": records},
        batch_columns="\n    ".join(column_lines(batches, _OF_BATCH)),
        batch_arguments=arguments(batches),
        own_arguments=arguments(batches, "b"),
        of_batches="\n    ".join(f"of_{name} = {column.replace('c', 'b')}" for name, column in of_batch.items()),
        record_columns=arguments(records),
        record_arguments=_record_arguments(records),
        least_size=records.program.minimum_size,
        capacity=CAPACITY,
        position=POSITION,
        unit=UNIT,
        first_table=FIRST_TABLE,
        max_int32=MAX_INT32,
        **places("limit", _DecodeLimits._fields),
        **column_names(records, _OF_RECORD),
    ).plain_rows


class DecodedRows(NamedTuple):
    """The result: the size of the batches in the log, the numbers of all rows by name, and the records' columns."""

    size: int
    numbers: dict[str, Array]
    records: Decoded
    views: dict[str, tuple[Array, Array]]
    """Of fields read as views, the views, int64 of shape (rows, 2), and uint8, 0 for null."""


@lru_cache(maxsize=64)
def _plan_of(
    fields: frozenset[str], packed: frozenset[str], steps: frozenset[str]
) -> tuple[DecodePlan, dict[int, str]]:
    """What to read, and the numbers of the columns that are only a step to others, with numpy's types."""
    plan, kinds = plan_of(_source(), fields, packed), dict[int, str]()
    for number, column in enumerate(plan.source.columns):
        if column.name in steps and column.part not in PACKED:
            kinds[number] = column.storage
    wanted = plan.wanted.copy()
    wanted[list(kinds)] = 1
    return replace(plan, wanted=wanted), kinds


class RowReader:
    """Reads plain batches, chunk by chunk; it estimates the room for each chunk from the one before.

    Args:
        numbers: the wanted names of `NUMBERS`.
        fields, packed: the wanted fields of records, and those to pack, as for `Kernel.decode`.
        viewed: those of ``key`` and ``value`` to read as Arrow's views of the data, and not as fields.
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
        viewed: Iterable[str] = (),
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
        limits = _DecodeLimits(
            room=_BATCHES_AT_ONCE,
            first_offset=first_offset,
            last_offset=last_offset,
            include_control=include_control,
            refuse_transactional=not include_transactional,
            address=address,
            log_append_time=log_append_time,
            piece=_PIECE_BYTES,
        )
        self._limits = np.array(limits, np.int64)
        self._numbers = tuple(name for name in NUMBERS if name in set(numbers))
        self._viewed, deltas = tuple(viewed), {delta for name, delta in _DELTAS.items() if name in self._numbers}
        self._plan, self._steps = _plan_of(
            frozenset(fields) - deltas - {*self._viewed}, frozenset(packed), frozenset(deltas | {*self._viewed})
        )
        self._outputs = [np.empty(0, kind) for kind in _OUTPUTS.values()]
        wanted = {*self._numbers, *((name, part) for name in self._viewed for part in _OF_VIEWS)}
        self._places = [(place, kind) for place, (name, kind) in enumerate(_OUTPUTS.items()) if name in wanted]
        self._columns = [
            (number, column.table, np.dtype(kind), more) for number, column, kind, more in self._plan.columns
        ]
        self._scratch: dict[int, Array] = {}
        self._rows_per_byte, self._headers_per_byte = 0.0, _HEADERS_PER_BYTE
        self._bytes_per_byte = dict.fromkeys(packed, 1.0)

    def read(self, data: npt.NDArray[np.uint8]) -> DecodedRows | None:
        """The rows of the whole batches in the data; None if one is not plain, or there is none.

        Not all batches are read if the columns are full before, which is rare.

        Args:
            data: uint8, not writeable, of less than 2 GiB.
        """
        return self._read(data, len(data), (0, -1, 0, len(data), True))

    def read_file(
        self, descriptor: int, position: int, room: npt.NDArray[np.uint8], *, keeps: bool
    ) -> DecodedRows | None:
        """As `read`, of a local file from a position on. The kernel reads the file itself, piece by piece: it
        verifies and decodes each while it is in the CPU's cache, and without a call from Python.

        Args:
            room: memory for the bytes, as much as is to be read.
            keeps: whether the room holds all bytes afterwards, one after the other; otherwise any.

        Returns None also if the file cannot be read.
        """
        reader, data, size = compiled_by_hand("kformat.kernels.pieces").address_of_pread(), room.view(), len(room)
        data.flags.writeable = False
        if reader is None:
            return self.read(data[: os.preadv(descriptor, [room.data], position)])
        return self._read(data, size, (reader, descriptor, position, position + size, keeps))

    def _read(
        self, data: npt.NDArray[np.uint8], size: int, place: tuple[int, int, int, int, bool]
    ) -> DecodedRows | None:
        """Read so many bytes, with the last of `_DecodeLimits`."""
        if not self._can_sum:
            return None
        limits, site = self._limits.copy(), -1
        limits[-len(place) :] = place
        while site < 0:
            outputs, run = self._made(size)
            site = self._function(data, limits, *outputs, run.capacities, self._plan.wanted, run.state, *run.columns)
            if site < 0:
                self._expect_more(site, run.state, size)
        if site:
            return None
        records, used = run.decoded(site), int(run.state[POSITION])
        count = records.rows[0]
        self._rows_per_byte, self._headers_per_byte = count / used, records.rows[1] / used
        for name in self._bytes_per_byte:
            self._bytes_per_byte[name] = len(records.columns[name, Part.BYTES]) / used
        made = {name: array[:count] for name, array in zip(_OUTPUTS, outputs, strict=True) if len(array)}
        return DecodedRows(
            used,
            {name: made[name] for name in self._numbers},
            records,
            {name: (made[name, "views"], made[name, "is_there"]) for name in self._viewed},
        )

    def _made(self, size: int) -> tuple[list[Array], DecodeRun]:
        """Columns for so many bytes of the log: those of `_OUTPUTS`, and the records' own.

        All but packed bytes are in one piece of memory: allocating each by itself was a third of what a chunk costs
        besides its records (2026-12-01).
        """
        rows = int(_MORE * self._rows_per_byte * size) + 1
        tables = rows, int(_MORE * self._headers_per_byte * size) + _FEWEST
        kinds = [(kind, rows) for _, kind in self._places]
        kinds += [(kind, tables[table] + more) for _, table, kind, more in self._columns]
        arrays = columns_at_once(kinds, self._allocate)
        outputs, own = self._outputs.copy(), dict[int, Array]()
        for (place, _), array in zip(self._places, arrays, strict=False):
            outputs[place] = array
        for (number, *_), array in zip(self._columns, arrays[len(self._places) :], strict=True):
            own[number] = array
        for number, kind in self._steps.items():
            if len(self._scratch.get(number, ())) < rows:
                self._scratch[number] = np.empty(rows, kind)
            own[number] = self._scratch[number]
        packed = {name: int(_MORE * share * size) + _FEWEST for name, share in self._bytes_per_byte.items()}
        run = DecodeRun(self._plan, tables, packed, self._allocate, made=own)
        run.capacities[0] = rows
        return outputs, run

    def _expect_more(self, site: int, state: Array, size: int) -> None:
        """Raise the estimates after the first batches did not find enough room: to what was needed so far, or double.

        No byte is in two keys or values, and a header takes two of them: more room is never needed.
        """
        needed = int(state[CAPACITY]) / size
        if site == -1:
            self._rows_per_byte = int(state[CAPACITY]) / min(size, int(state[POSITION]))
        elif site > -FULL_BYTES:
            self._headers_per_byte = min(0.5, max(2 * self._headers_per_byte, needed))
        else:
            name = self._plan.source.columns[-site - FULL_BYTES].name
            self._bytes_per_byte[name] = min(1.0, max(2 * self._bytes_per_byte[name], needed))

"""Segments -> columns: the records of a log as arrays, thousands at a time, by the kernels; and as `Record`s, which
are made of them.

Rules:

* The records are those of `Batch.records`, in their order, and so is the error after the last one that can be read:
  where a kernel refuses a batch, the codec reads it and says what is wrong.
* Of a range of offsets they are those of `Partition.records`, with and without numba: a batch that ends below the range
  is passed over; reading ends at the next one that begins after the range, or after one that reaches its end, in
  whatever order the offsets are. Only framing is looked at outside of the range.
* What is not asked for is not made: a column costs its own writing, and nothing else.
* Checksums are looked at unless the caller says otherwise; a batch with a wrong one is an error.
* Memory is that of a chunk, and of one more for each thread: about ``chunk_bytes`` of the log, or one batch where that
  is larger; as much again where bytes are packed; a few columns of integers; and what compressed batches inflate to,
  4 MiB at once, or one batch where that is larger.
* Batches of magic 0 and 1 are read by the codec, and so is everything where numba is missing: the same columns, slower.
  Records (`RecordReader`) come from the codec without a detour over columns then; and as long as numba is not loaded,
  so do the first ones, because loading it takes longer than reading a short log.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from kformat.errors import CompressionError, DataError, LimitError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batches import AnyBatch, check_end, read_batch
from kformat.kafka.compression import decompress, decompress_into
from kformat.kafka.framing import CURRENT_MAGIC, HEADER_BYTES, MAX_LOG_BYTES, Walk, last_offsets
from kformat.kafka.legacy import LegacyBatch
from kformat.kafka.record_kernels import NUMBERS, RowReader
from kformat.kafka.records import Batch, Record, TimestampType, add_sequences
from kformat.kafka.transactions import Aborted
from kformat.kernels import MAX_PACKED_BYTES, Allocate, Decoded, Part, checksums, kernel, spread_over
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

Array = npt.NDArray[Any]

DEFAULT_CHUNK_BYTES: Final = 2 << 20
"""How much of a log is looked at at once: so much that what is done once for all of it costs little, and no more, so
that it is still in the processor's cache when its columns are used."""

LARGE_CHUNK_BYTES: Final = 4 << 20
"""The same for who hands chunks to another process, where more is done once for each: Spark scanned a topic in 8 to
15 % less time than with half of it."""

_SPARE: Final[list[bytearray]] = []
"""Memory for the next that reads: one piece at most, no larger than `LARGE_CHUNK_BYTES`."""
_INFLATED_BYTES: Final = 4 << 20
_MOST_PASSED_OVER: Final = 15
_BATCHES_AT_FIRST: Final = 1024
_RECORD: Final = "record_batch::record"
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])

BATCH_COLUMNS: Final = ("partition_leader_epoch", "producer_id", "producer_epoch", "base_sequence")
"""Fields of a batch that may be asked for together with its records; of entries of magic 0 and 1 they are -1."""
RECORD_COLUMNS: Final = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")
COLUMNS: Final = (*RECORD_COLUMNS, "sequence", *BATCH_COLUMNS)
"""What records are, and what their producer says of them."""
PLACE_COLUMNS: Final = {
    "batch_base_offset": np.int64,
    "batch_position": np.int64,
    "compression": np.int8,
    "is_transactional": np.bool_,
    "is_control": np.bool_,
}
"""Of a record's batch, what it is and where in the file it begins, which may be asked for, too, and numpy's types."""

_FIELDS: Final = {
    "offset": ("offset_delta",),
    "timestamp": ("timestamp_delta",),
    "key": ("key",),
    "value": ("value",),
    "headers": ("headers", "headers.key", "headers.value"),
    "sequence": ("offset_delta",),
}
_PACKABLE: Final = ("key", "value", "headers.key", "headers.value")
_OF_BATCHES: Final = (
    "base_offset",
    "crc",
    "attributes.is_control",
    "attributes.is_transactional",
    "attributes.timestamp_type",
    "attributes.compression",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "records_count",
    "payload",
    *BATCH_COLUMNS,
)


_MOST_RECORDS: Final = 16_384
_RECORDS_AT_ONCE: Final = 2048  # made of columns: so few that their bytes are still in the processor's cache
_RECORD_CHUNK_BYTES: Final = 1 << 20  # of a log become records at once
_BYTES_BY_CODEC: Final = 1 << 20
"""How much of a log the codec reads into records before numba is loaded for it: that takes longer."""
_MOST_BYTES_OF_ROWS: Final = 4096  # that lie scattered and are as long as each other
_BYTES_PER_CUT: Final = 512  # are copied in less than the time that is saved with each
_SMALL_BYTES: Final = 2048
"""What has no more bytes the codec has read before a kernel was called."""
_TIMESTAMP_TYPES: Final = {int(kind): kind for kind in TimestampType}  # others, of magic 0, stay numbers
_KINDS: Final = {
    "partition_leader_epoch": np.int32,
    "producer_id": np.int64,
    "producer_epoch": np.int16,
    "base_sequence": np.int32,
}


class Scattered(NamedTuple):
    """Bytes of rows: those of row i are ``data[positions[i] : positions[i] + lengths[i]]``; a length of -1 is null.

    ``data`` is uint8, read-only; ``positions`` and ``lengths`` are int64.
    """

    data: npt.NDArray[np.uint8]
    positions: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def take(self, rows: Array) -> Scattered:
        """Some rows, by a mask or by numbers."""
        return Scattered(self.data, self.positions[rows], self.lengths[rows])

    def to_list(self) -> list[bytes | None]:
        """The bytes themselves."""
        view = byte_view(self.data.data)
        return [
            None if length < 0 else bytes(view[position : position + length])
            for position, length in zip(self.positions.tolist(), self.lengths.tolist(), strict=True)
        ]


class Packed(NamedTuple):
    """Bytes of rows, one after the other: those of row i are ``data[offsets[i] : offsets[i + 1]]``.

    ``data`` is uint8; ``offsets`` is int32, with one entry more than there are rows, the first being 0; ``is_there`` is
    uint8, 0 for a null, and None where there are no nulls.
    """

    data: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int32]
    is_there: npt.NDArray[np.uint8] | None

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """As those of `Scattered`."""
        return self.offsets[:-1].astype(np.int64)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """As those of `Scattered`."""
        lengths = np.diff(self.offsets).astype(np.int64)
        if self.is_there is not None:
            lengths[self.is_there == 0] = -1
        return lengths

    def take(self, rows: Array) -> Scattered:
        """Some rows, by a mask or by numbers."""
        return Scattered(self.data, self.positions[rows], self.lengths[rows])

    def to_list(self) -> list[bytes | None]:
        """The bytes themselves."""
        return Scattered(self.data, self.positions, self.lengths).to_list()


class HeaderColumns(NamedTuple):
    """Headers of rows: those of row i are entries ``offsets[i]`` to ``offsets[i + 1]`` of keys and values."""

    offsets: npt.NDArray[np.int64]
    keys: Scattered | Packed
    values: Scattered | Packed

    def take(self, rows: Array) -> HeaderColumns:
        """The headers of some rows, by a mask."""
        counts = np.diff(self.offsets)
        wanted = np.repeat(rows, counts)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts[rows])))
        return HeaderColumns(offsets, self.keys.take(wanted), self.values.take(wanted))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Records that lie one after the other, as columns of one length.

    ``numbers`` holds offset, timestamp (ms), producer_id (int64), partition_leader_epoch, base_sequence, sequence
    (int32), producer_epoch (int16), timestamp_type (int8), and `PLACE_COLUMNS`, those of them that were asked for.
    """

    row_count: int
    numbers: dict[str, Array]
    key: Scattered | Packed | None = None
    value: Scattered | Packed | None = None
    headers: HeaderColumns | None = None

    def __len__(self) -> int:
        return self.row_count

    def take(self, rows: Array) -> Chunk:
        """The rows that a mask wants."""
        if rows.all():
            return self
        return Chunk(
            int(np.count_nonzero(rows)),
            {name: column[rows] for name, column in self.numbers.items()},
            None if self.key is None else self.key.take(rows),
            None if self.value is None else self.value.take(rows),
            None if self.headers is None else self.headers.take(rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records, and what of them.

    Attributes:
        columns: of `COLUMNS` and `PLACE_COLUMNS`.
        start_offset, end_offset: the first offset, and the one after the last.
        since_ms, until_ms: the first timestamp, and the one after the last; None where it does not matter.
        before_log_start: of a partition (`Partition.chunks`), records that were deleted and still lie in its files,
            too; a file alone does not know of them (`read_chunks`).
        include_control: control records, too, which consumers do not see.
        aborted: transactions of which records are left out.
        checksums: whether those of batches are looked at.
        limit: the most bytes that one batch may take, stored or inflated.
    """

    columns: tuple[str, ...] = RECORD_COLUMNS
    start_offset: int = MIN_INT64
    end_offset: int = MAX_INT64 + 1
    since_ms: int | None = None
    until_ms: int | None = None
    before_log_start: bool = False
    include_control: bool = False
    aborted: Aborted | None = field(default=None, compare=False)
    checksums: bool = True
    limit: int = DEFAULT_INFLATE_LIMIT

    def __post_init__(self) -> None:
        known = (*COLUMNS, *PLACE_COLUMNS)
        unknown = [name for name in self.columns if name not in known]
        if unknown:
            raise UsageError(f"no column {', '.join(map(repr, unknown))}; there are {', '.join(known)}")

    @property
    def has_range(self) -> bool:
        """Whether not all offsets are wanted."""
        return self.start_offset > MIN_INT64 or self.end_offset <= MAX_INT64

    def takes(self, record: Record) -> bool:
        """Whether a record is in the ranges of offsets and times."""
        return (
            self.start_offset <= record.offset < self.end_offset
            and (self.since_ms is None or record.timestamp >= self.since_ms)
            and (self.until_ms is None or record.timestamp < self.until_ms)
        )

    def selected(self, chunk: Chunk) -> Chunk:
        """The rows of a chunk that are wanted, and of its columns those."""
        if self.has_range or self.since_ms is not None or self.until_ms is not None:
            rows = np.ones(len(chunk), np.bool_)
            if self.has_range:
                offsets = chunk.numbers["offset"]
                rows &= (offsets >= self.start_offset) & (offsets < self.end_offset)
            if self.since_ms is not None:
                rows &= chunk.numbers["timestamp"] >= self.since_ms
            if self.until_ms is not None:
                rows &= chunk.numbers["timestamp"] < self.until_ms
            chunk = chunk.take(rows)
        if chunk.numbers.keys() <= set(self.columns):
            return chunk
        numbers = {name: column for name, column in chunk.numbers.items() if name in self.columns}
        return replace(chunk, numbers=numbers)

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that have to be read, those among them that only say which rows are wanted."""
        timed = self.since_ms is not None or self.until_ms is not None
        return tuple(dict.fromkeys((*self.columns, "offset", *(("timestamp",) if timed else ()))))


ALL: Final = Wanted()


def read_chunks(
    file: Any,
    wanted: Wanted = ALL,
    start: int = 0,
    end: int | None = None,
    *,
    chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    allocate: Allocate | None = None,
    threads: Threads | None = None,
) -> Generator[Chunk, None, bool]:
    """The records of a segment's file as chunks of columns; chunks have at least one row.

    Returns, to `yield from`, whether the end of the range was reached: what follows in the log is not wanted.

    Zeros up to the end of the file, enough for a batch, are the room that `log.preallocate` makes.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; ``start`` must be that of a batch. What lies after the last offset that is
            wanted is not looked at.
        chunk_bytes: about how much of the file becomes one chunk.
        allocate: where it is given, bytes of rows are copied to lie one after the other (`Packed`), so that a chunk
            holds what was asked for and nothing else; it gives the memory for that, and for offsets and timestamps.
            What is few, or selected from more, is `Scattered` all the same.
        threads: what decodes chunks at the same time; they come in the same order. By default the caller's alone.

    Raises (while iterating):
        DataError: at the first batch or record that cannot be read, as `iter_batches` and `Batch.records` do, after
            all rows before it; ChecksumError for a batch whose checksum is wrong.
        OSError: the file cannot be read.
    """
    with ByteSource(file) as source:
        limit = source.size if end is None else min(end, source.size)
        reader = _Reader(source, wanted, start, limit, chunk_bytes, allocate, threads)
        for found in reader.found():
            selected = wanted.selected(found if isinstance(found, Chunk) else found.chunk(wanted.read))
            if len(selected):
                yield selected
        return reader.has_ended


def wrong_checksum(batch: AnyBatch) -> DataError:
    """What the codec says of a batch whose checksum is wrong."""
    try:
        batch.parse()
    except DataError as error:
        return error
    raise AssertionError("the codec accepts a checksum that a kernel refused")


class RecordReader:
    """Reads records, as `Record`s, out of the files of a log one after the other, or out of pieces of them.

    ``wrong_checksum`` makes the error for a batch whose checksum is wrong. ``next_offset`` is one above the last offset
    that was given, or what it was set to, if that is higher.
    """

    def __init__(self, wrong_checksum: Callable[[AnyBatch], DataError] = wrong_checksum) -> None:
        self._wrong_checksum, self.next_offset = wrong_checksum, MIN_INT64
        self._kernels = _Kernels(0 if "numba" in sys.modules else _BYTES_BY_CODEC)
        self._decoders: _Decoders | None = None

    def read(
        self, file: Any, start: int = 0, end: int | None = None, wanted: Wanted = ALL
    ) -> Generator[Iterable[Record], None, bool]:
        """The records of a segment's file, some at a time; each of these is to be iterated over once, before the next.

        Where bytes of magic 2 are read, records come from the kernels; which does not show. For the arguments, for
        what is returned, and for what is raised, after all records before it, see `read_chunks`.

        Args:
            file: as there; a ByteSource is used as it is.
            wanted: which; all columns that a record has are read.
        """
        wanted = replace(wanted, columns=(*RECORD_COLUMNS, "sequence"))
        before = None if self._decoders is None else self._decoders.wanted
        if self._decoders is None or before != wanted or before.aborted is not wanted.aborted:
            self._decoders = _Decoders(wanted, None, can_reuse=True)
        with contextlib.nullcontext(file) if isinstance(file, ByteSource) else ByteSource(file) as source:
            limit = source.size if end is None else min(end, source.size)
            kernels = self._kernels if limit - start > _SMALL_BYTES else _Kernels(MAX_INT64)
            reader = _Reader(
                *(source, wanted, start, limit, _RECORD_CHUNK_BYTES),
                kernels=kernels,
                decoders=self._decoders,
                wrong_checksum=self._wrong_checksum,
            )
            takes_all = not wanted.has_range and wanted.since_ms is None and wanted.until_ms is None
            for found in reader.found():
                if not isinstance(found, Chunk):
                    records = found.records if takes_all else list(filter(wanted.takes, found.records))
                    yield records
                    self.next_offset = max([self.next_offset, *(record.offset + 1 for record in records[-1:])])
                elif len(selected := wanted.selected(found)):
                    yield from records_of(selected)
                    self.next_offset = max(self.next_offset, int(selected.numbers["offset"][-1]) + 1)
            return reader.has_ended


def records_of(chunk: Chunk) -> Iterator[Iterable[Record]]:
    """The rows of a chunk with `RECORD_COLUMNS` as records, some at a time; without a column of sequence numbers they
    are -1."""
    numbers, headers = chunk.numbers, chunk.headers
    assert chunk.key is not None and chunk.value is not None and headers is not None
    kinds, sequences = numbers["timestamp_type"], numbers.get("sequence", np.full(1, -1, np.int32))
    first = int(kinds[0])
    kind = _TIMESTAMP_TYPES.get(first, first) if (kinds == first).all() else None
    without_sequences = bool((sequences == -1).all())
    key, value = map(_Cut, (chunk.key, chunk.value))
    pairs = _pairs(headers)
    for first in range(0, len(chunk), _RECORDS_AT_ONCE):
        rows = slice(first, min(first + _RECORDS_AT_ONCE, len(chunk)))
        # A tuple of its own class for each row, without a call of Python's.
        columns: tuple[Iterable[Any], ...] = (
            numbers["offset"][rows].tolist(),
            numbers["timestamp"][rows].tolist(),
            repeat(kind)
            if kind is not None
            else [_TIMESTAMP_TYPES.get(number, number) for number in kinds[rows].tolist()],
            key.rows(rows),
            value.rows(rows),
            repeat(()) if pairs is None else _tuples(pairs, headers.offsets[first : rows.stop + 1].tolist()),
            repeat(-1) if without_sequences else sequences[rows].tolist(),
        )
        yield map(tuple.__new__, repeat(Record), zip(*columns, strict=False))


def _pairs(headers: HeaderColumns) -> list[tuple[str, bytes | None]] | None:
    """All headers of a chunk; None where there are none."""
    if headers.offsets[0] == headers.offsets[-1]:
        return None
    keys, values = map(_Cut, (headers.keys, headers.values))
    every = slice(0, len(headers.keys.lengths))
    names = ["" if key is None else key.decode("utf-8", "surrogateescape") for key in keys.rows(every)]
    return list(zip(names, values.rows(every), strict=True))


def _tuples(pairs: list[Any], ends: list[int]) -> list[tuple[Any, ...]]:
    return [tuple(pairs[first:end]) for first, end in pairwise(ends)]


class _Cut:
    """A column of bytes that is cut into objects, some rows at a time.

    Rows of one length, as keys often are, numpy cuts. For others the bytes that they lie in are copied first, unless
    they are few: to cut bytes takes half the time that it takes to cut a view.
    """

    def __init__(self, column: Scattered | Packed) -> None:
        self.all, self.positions, self.lengths = column.data, column.positions, column.lengths

    @cached_property
    def data(self) -> tuple[bytes | memoryview, int]:
        """What they lie in, and the position of its first byte."""
        starts, lengths = self.positions[self.lengths > 0], self.lengths[self.lengths > 0]
        first, end = (int(starts.min()), int((starts + lengths).max())) if len(starts) else (0, 0)
        data = self.all[first:end]
        is_sparse = len(data) > _BYTES_PER_CUT * len(starts) + 4 * int(lengths.sum())
        return byte_view(data.data) if is_sparse else data.tobytes(), first

    def rows(self, rows: slice) -> list[bytes | None]:
        starts, lengths = self.positions[rows], self.lengths[rows]
        length = int(lengths[0]) if len(lengths) else 0
        if 0 < length <= _MOST_BYTES_OF_ROWS and (lengths == length).all():
            # A view of all bytes, as if a row began at each.
            whole = np.ndarray(len(self.all) - length + 1, np.dtype((np.void, length)), self.all, strides=(1,))
            evenly: list[bytes | None] = whole[starts].tolist()
            return evenly
        data, first = self.data
        places = zip((starts - first).tolist(), (starts + lengths - first).tolist(), strict=True)
        found: list[bytes | None]
        if isinstance(data, bytes):
            found = [data[start:end] for start, end in places]
        else:
            found = [bytes(data[start:end]) for start, end in places]
        for row in np.flatnonzero(lengths < 0).tolist():
            found[row] = None
        return found


class Threads:
    """So many threads for `read_chunks`, to be used with ``with``; a chunk more than that is in memory at once."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise UsageError(f"{count} threads; at least one is needed")
        self.count = count
        self.pool = ThreadPoolExecutor(count, "kformat-columns")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)


class _Reader:
    """One pass over a file."""

    def __init__(
        self,
        source: ByteSource,
        wanted: Wanted,
        start: int,
        end: int,
        chunk_bytes: int = DEFAULT_CHUNK_BYTES,
        allocate: Allocate | None = None,
        threads: Threads | None = None,
        kernels: _Kernels | None = None,
        decoders: _Decoders | None = None,
        wrong_checksum: Callable[[AnyBatch], DataError] = wrong_checksum,
    ) -> None:
        self.source, self.wanted, self.position, self.end = source, wanted, start, end
        self.chunk_bytes, self.threads = max(chunk_bytes, HEADER_BYTES), threads
        self.can_reuse = allocate is not None
        """Whether nothing is left of what was read once its chunks were made."""
        self.decoders = decoders or _Decoders(wanted, allocate, can_reuse=self.can_reuse)
        self.kernels = _Kernels() if kernels is None else kernels
        self.wrong_checksum = wrong_checksum
        self.has_ended = False
        """Whether the end of the range was reached."""

    def found(self) -> Iterator[Chunk | _ByCodec]:
        pending: deque[Future[_Told]] = deque()
        try:
            while self.position < self.end and not self.has_ended:
                data = self._read()
                if self.threads is None and (plain := self._plain(data)) is not None:
                    yield plain
                    continue
                block = self._block(data)
                if block is None:
                    while pending:
                        yield from self._finished(pending.popleft().result())
                    yield from self._slowly()
                    continue
                self.position, self.has_ended = self.position + block.size, block.end_range(self.wanted)
                if self.threads is None:
                    yield from self._finished(_Told(block, self.decoders.mine.chunks(block)))
                    continue
                pending.append(self.threads.pool.submit(self._told, block))
                if len(pending) > self.threads.count:
                    yield from self._finished(pending.popleft().result())
            while pending:
                yield from self._finished(pending.popleft().result())
        finally:
            for future in pending:
                future.cancel()

    def _told(self, block: _Block) -> _Told:
        """All of a block, by a thread of its own; what has to be looked at by the codec is left to the reader's."""
        plain = self.decoders.mine.plain(block.view[: block.size])
        if plain is not None:
            return _Told(block, [plain.chunk])
        chunks: list[Chunk] = []
        try:
            chunks.extend(self.decoders.mine.chunks(block))
        except _RefusedError as refused:
            return _Told(block, chunks, refused)
        return _Told(block, chunks)

    def _finished(self, told: _Told) -> Iterator[Chunk | _ByCodec]:
        """The chunks of a block, and what the codec says of the batch that was refused, if one was."""
        yield from self._all_of(told)
        self._give_back(told.block.data)

    def _all_of(self, told: _Told) -> Iterator[Chunk | _ByCodec]:
        refused = told.refused
        try:
            yield from told.chunks
        except _RefusedError as found:
            refused = found
        while refused is not None:
            rows = told.block.rows(self.wanted)
            yield from self._by_codec_behind(told.block, refused)
            if not refused.is_too_large:
                raise AssertionError("the codec accepts what a kernel refused")
            left, refused = rows[rows > refused.row], None
            try:
                yield from self.decoders.mine.chunks(told.block, left)
            except _RefusedError as found:
                refused = found

    def _plain(self, data: bytes | memoryview) -> Chunk | None:
        """What was read at the position, where a single kernel can make a chunk of it; None where it cannot."""
        try:
            plain = self.decoders.mine.plain(np.frombuffer(data, np.uint8)) if data else None
        except MissingDependencyError:
            self.kernels.are_missing = True
            return None
        if plain is None:
            return None
        self.position += plain.size
        self._give_back(data)
        return plain.chunk

    def _block(self, data: bytes | memoryview) -> _Block | None:
        """The batches of magic 2 at the position, of which that was read; None where the codec has to look."""
        if not self.kernels.are_wanted:
            return None
        try:
            headers = kernel("record_batch").decode(data, fields=_OF_BATCHES, room=_BATCHES_AT_FIRST)
        except MissingDependencyError:
            self.kernels.are_missing = True
            return None
        if not headers.rows[0]:
            frame = next(Walk(self.source, self.position, self.end), None)
            is_cut = frame is not None and frame.magic == CURRENT_MAGIC and frame.size > len(data)
            if frame is None or not is_cut or frame.size > self.wanted.limit:
                return None
            data = self.source.read_at(self.position, frame.size)
            headers = kernel("record_batch").decode(data, fields=_OF_BATCHES)
        block = _Block(self.position, headers, data) if headers.rows[0] else None
        return block if block is None or block.largest <= self.wanted.limit else None

    def _read(self) -> bytes | memoryview:
        """The bytes at the position, where they can be in memory that was used before: fresh pages cost as much as
        what is read to them."""
        if not self.kernels.are_wanted:
            return b""
        size = max(0, min(self.chunk_bytes, min(self.end, MAX_LOG_BYTES) - self.position))
        if not self.can_reuse:
            return self.source.read_at(self.position, size)
        try:
            room = _SPARE.pop()
        except IndexError:
            room = bytearray()
        if len(room) < size:
            room = bytearray(size)
        view = memoryview(room)
        return view[: self.source.read_into(self.position, view[:size])]

    def _give_back(self, data: bytes | memoryview) -> None:
        """Memory of which nothing is left in chunks. It is kept where it is no more than readers here ask for."""
        room = data.obj if isinstance(data, memoryview) else None
        if isinstance(room, bytearray) and len(room) <= LARGE_CHUNK_BYTES and not _SPARE:
            _SPARE.append(room)

    def _by_codec_behind(self, block: _Block, refused: _RefusedError) -> Iterator[_ByCodec]:
        """The records of one batch after the first ``skip``, up to the error that is in it."""
        frame = next(Walk(self.source, block.position + int(block.starts[refused.row]), self.end))
        seen = 0
        for found in self._by_codec(read_batch(self.source, frame, self.wanted.limit)):
            left, seen = found.records[max(0, refused.skip - seen) :], seen + len(found.records)
            if left:
                yield found._replace(records=left)

    # Batches that no kernel takes

    def _slowly(self) -> Iterator[_ByCodec]:
        """The batches at the position, by the codec, up to the first that kernels may take."""
        walk, has_end = Walk(self.source, self.position, self.end), self.wanted.end_offset <= MAX_INT64
        is_first = True
        for frame in walk:
            if not is_first and frame.magic >= CURRENT_MAGIC and self.kernels.are_wanted:
                return
            is_first = False
            batch, self.position = read_batch(self.source, frame, self.wanted.limit), walk.position
            self.kernels.bytes_before -= frame.size
            if batch.last_offset < self.wanted.start_offset:
                continue
            is_wrapper = isinstance(batch, LegacyBatch) and batch.compression
            if has_end and not is_wrapper and batch.base_offset >= self.wanted.end_offset:
                self.has_ended = True
                return
            self._verify(batch)
            # That of a wrapper had to be inflated for this.
            if has_end and is_wrapper and batch.base_offset >= self.wanted.end_offset:
                self.has_ended = True
                return
            yield from self._by_codec(batch)
            if has_end and batch.next_offset >= self.wanted.end_offset:
                self.has_ended = True
                return
        check_end(self.source, walk)
        self.position = self.end

    def _verify(self, batch: AnyBatch) -> None:
        if self.wanted.checksums and not batch.is_valid:
            raise self.wrong_checksum(batch)

    def _by_codec(self, batch: AnyBatch) -> Iterator[_ByCodec]:
        self._verify(batch)
        if (batch.is_control and not self.wanted.include_control) or self._is_aborted(batch):
            return
        records: list[Record] = []
        try:
            for record in batch.records():
                records.append(record)
                if len(records) == _MOST_RECORDS:
                    yield _ByCodec(batch, records)
                    records = []
        except DataError:
            if records:
                yield _ByCodec(batch, records)
            raise
        if records:
            yield _ByCodec(batch, records)

    def _is_aborted(self, batch: AnyBatch) -> bool:
        if self.wanted.aborted is None or not isinstance(batch, Batch):
            return False
        numbers = (batch.producer_id, batch.base_offset, batch.last_offset, int(batch.is_transactional))
        return bool(self.wanted.aborted.holds(*(np.array([number]) for number in numbers)).any())


class _Kernels:
    """Whether kernels are asked, from one file of a log to the next: they are there, and the codec has read so many
    bytes before."""

    def __init__(self, bytes_before: int = 0) -> None:
        self.bytes_before, self.are_missing = bytes_before, False

    @property
    def are_wanted(self) -> bool:
        return self.bytes_before <= 0 and not self.are_missing


class _ByCodec(NamedTuple):
    """Records of a batch, as the codec gives them."""

    batch: AnyBatch
    records: list[Record]

    def chunk(self, read: tuple[str, ...]) -> Chunk:
        """The same as columns."""
        batch, records = self
        count = len(records)
        numbers: dict[str, Array] = {
            "offset": np.array([record.offset for record in records], np.int64),
            "timestamp": np.array([record.timestamp for record in records], np.int64),
            "timestamp_type": np.array([int(record.timestamp_type) for record in records], np.int8),
            "sequence": np.array([record.sequence for record in records], np.int32),
        }
        for name in BATCH_COLUMNS:
            of_batch = getattr(batch, name) if isinstance(batch, Batch) else -1
            numbers[name] = np.full(count, of_batch, _KINDS[name])
        place = (batch.base_offset, batch.position, batch.compression, batch.is_transactional, batch.is_control)
        for (name, kind), value in zip(PLACE_COLUMNS.items(), place, strict=True):
            numbers[name] = np.full(count, value, kind)
        headers = None
        if "headers" in read:
            pairs = [pair for record in records for pair in record.headers]
            offsets = np.concatenate(
                (np.zeros(1, np.int64), np.cumsum([len(record.headers) for record in records], dtype=np.int64))
            )
            keys = [key.encode("utf-8", "surrogateescape") for key, _ in pairs]
            headers = HeaderColumns(offsets, _scattered(keys), _scattered([value for _, value in pairs]))
        return Chunk(
            count,
            {name: column for name, column in numbers.items() if name in read},
            _scattered([record.key for record in records]) if "key" in read else None,
            _scattered([record.value for record in records]) if "value" in read else None,
            headers,
        )


class _RefusedError(Exception):
    """A batch of a block that kernels did not read: after its first ``skip`` records the codec says why."""

    def __init__(self, row: int, skip: int = 0, *, is_too_large: bool = False) -> None:
        super().__init__(row, skip)
        self.row, self.skip, self.is_too_large = row, skip, is_too_large


class _Told(NamedTuple):
    """What came of a block."""

    block: _Block
    chunks: Iterable[Chunk]
    refused: _RefusedError | None = None


class _Plain(NamedTuple):
    """A chunk, and how many bytes it was made of."""

    chunk: Chunk
    size: int


class _Decoders(threading.local):
    """A decoder for each thread."""

    def __init__(self, wanted: Wanted, allocate: Allocate | None, *, can_reuse: bool) -> None:
        self.wanted, self.mine = wanted, _Decoder(wanted, allocate, can_reuse)


class _Decoder:
    """Makes chunks of blocks, by kernels. Raises _RefusedError at the first batch that they refuse.

    ``can_reuse``: nothing is left of what batches were inflated to when the next chunk is asked for.
    """

    def __init__(self, wanted: Wanted, allocate: Allocate | None, can_reuse: bool) -> None:
        self.wanted, self.allocate, self.can_reuse, self.read = wanted, allocate, can_reuse, wanted.read
        fields = list(dict.fromkeys(field for name in self.read for field in _FIELDS.get(name, ())))
        self.packed = {field: 1.0 for field in fields if field in _PACKABLE and allocate is not None}
        """Fields that are packed, and how many bytes of each there were for one byte of records; never more than 1."""
        self.fields = [field for field in fields if field not in self.packed]
        self.room: Array | None = None
        self.has_plain = not any(name in PLACE_COLUMNS for name in self.read) and wanted.limit >= LARGE_CHUNK_BYTES
        """Whether the kernel of plain batches makes all that is asked for."""
        self.pause = self.passes_over = 0
        """For how many chunks plain batches are not asked for, once there were none; and for how many more of them."""

    @cached_property
    def _rows(self) -> RowReader:
        wanted = self.wanted
        return RowReader(
            [name for name in self.read if name in NUMBERS],
            [field for field in self.fields if not field.endswith("_delta")],
            self.packed,
            first_offset=_as_int64(wanted.start_offset),
            last_offset=_as_int64(wanted.end_offset - 1),
            include_control=wanted.include_control,
            include_transactional=wanted.aborted is None,
            checksums=wanted.checksums,
            log_append_time=_LOG_APPEND_TIME,
            allocate=self.allocate,
        )

    def plain(self, data: Array) -> _Plain | None:
        """All the batches at the beginning of the data, where they are plain ones, and were so of late."""
        if not self.has_plain or self.passes_over or len(data) > MAX_PACKED_BYTES:
            self.passes_over = max(0, self.passes_over - 1)
            return None
        data.flags.writeable = False
        rows = self._rows.read(data)
        self.pause = min(2 * self.pause + 1, _MOST_PASSED_OVER) if rows is None else 0
        self.passes_over = self.pause
        return None if rows is None else _Plain(self._chunk_of(rows.numbers, data, rows.records), rows.size)

    def chunks(self, block: _Block, rows: Array | None = None) -> Iterator[Chunk]:
        """The records of a block, or of some of its batches, in runs of those that are compressed and those that are
        not."""
        if rows is None:
            rows = block.rows(self.wanted)
        sound = self._sound(block)
        good = rows[rows < sound] if sound < block.count else rows
        compressed = block.columns["attributes.compression", Part.VALUE][good] != 0
        edges = [0, *(np.flatnonzero(compressed[1:] != compressed[:-1]) + 1).tolist(), len(good)]
        for first, end in pairwise(edges):
            run = good[first:end]
            if not len(run):
                continue
            if compressed[first]:
                yield from self._inflated(block, run)
            else:
                windows = np.column_stack((block.payload[run], block.ends[run], block.counts[run]))
                yield from self._decoded(block, run, block.view, windows)
        if sound < block.count:
            raise _RefusedError(sound)

    def _sound(self, block: _Block) -> int:
        """The number of the first batch whose checksum is wrong, among those that have offsets which are wanted."""
        if self.wanted.checksums:
            rows = np.flatnonzero(block.has_offsets(self.wanted))
            starts = block.columns["crc", Part.COVERED_POSITION][rows]
            wrong = checksums(block.view, starts, block.ends[rows]) != block.columns["crc", Part.VALUE][rows]
            if wrong.any():
                return int(rows[wrong.argmax()])
        return block.count

    def _inflated(self, block: _Block, run: Array) -> Iterator[Chunk]:
        """The records of compressed batches: as many at once as inflate to a piece of memory."""
        room, first, ends = self._room(), 0, [0]
        data, inflating, limit = memoryview(block.data), room.data, self.wanted.limit
        codecs = block.columns["attributes.compression", Part.VALUE][run].tolist()

        def inflated(number: int) -> Iterator[Chunk]:
            """What came of those in front of a number, of the run."""
            windows = np.column_stack((ends[:-1], ends[1:], block.counts[run[first:number]]))
            return self._decoded(block, run[first:number], room, windows) if number > first else iter(())

        payloads = zip(codecs, block.payload[run].tolist(), block.ends[run].tolist(), strict=True)
        for number, (codec, start, end) in enumerate(payloads):
            payload, filled = data[start:end], ends[-1]
            try:
                size = decompress_into(codec, payload, inflating[filled : filled + limit])
                whole = decompress(codec, payload, limit=limit) if size is None else b""
            except (CompressionError, LimitError):
                yield from inflated(number)
                raise _RefusedError(int(run[number])) from None
            if size is None:
                size = len(whole)
                if size > len(room) - filled:
                    yield from inflated(number)
                    room, first, ends = self._room(size), number, [0]
                    inflating = room.data
                room[ends[-1] : ends[-1] + size] = np.frombuffer(whole, np.uint8)
            ends.append(ends[-1] + size)
        yield from inflated(len(run))

    def _room(self, size: int = 0) -> Array:
        """Memory to inflate to, for so many bytes; that of before again where nothing is left of what was in it."""
        size = max(size, _INFLATED_BYTES)
        if not self.can_reuse or self.room is None or len(self.room) < size:
            self.room = np.empty(size, np.uint8)
        return self.room

    def _decoded(self, block: _Block, run: Array, data: Array, windows: Array) -> Iterator[Chunk]:
        size = int((windows[:, 1] - windows[:, 0]).sum())
        if self.packed and size > MAX_PACKED_BYTES:  # a batch that inflates to more than Arrow's offsets hold
            raise _RefusedError(int(run[0]), is_too_large=True)
        packed = {field: int(1.02 * share * size) + 64 for field, share in self.packed.items()}
        decoded = kernel(_RECORD).decode(data, windows, fields=self.fields, packed=packed, allocate=self.allocate)
        for name in packed:
            self.packed[name] = len(decoded.columns[name, Part.BYTES]) / max(1, size)
        counts, problem = windows[:, 2], decoded.problem
        if problem is not None:
            counts = np.concatenate((counts[: problem.unit], [problem.row]))
        run_read = run[: len(counts)]
        if decoded.rows[0]:
            yield self._chunk(block, run_read, counts, data, decoded)
        if problem is not None:
            raise _RefusedError(int(run[problem.unit]), problem.row)

    def _chunk(self, block: _Block, run: Array, counts: Array, data: Array, decoded: Decoded) -> Chunk:
        read, columns = self.read, decoded.columns

        def spread(name: str) -> Array:
            return np.repeat(block.columns[name, Part.VALUE][run], counts)

        def added(bases: Array, factors: Array, deltas: Array) -> Array:
            target = None if self.allocate is None else self.allocate(8 * len(deltas)).view(np.int64)
            return spread_over(bases, factors, counts, deltas, target)

        numbers: dict[str, Array] = {}
        ones = np.ones(len(run), np.int64)
        if "offset" in read:
            bases = block.columns["base_offset", Part.VALUE][run]
            numbers["offset"] = added(bases, ones, columns["offset_delta", Part.VALUE])
        if "timestamp" in read:
            bases = block.columns["base_timestamp", Part.VALUE][run]
            is_appended = block.columns["attributes.timestamp_type", Part.VALUE][run] == _LOG_APPEND_TIME
            if is_appended.any():
                bases = np.where(is_appended, block.columns["max_timestamp", Part.VALUE][run], bases)
                ones = np.where(is_appended, 0, ones)
            numbers["timestamp"] = added(bases, ones, columns["timestamp_delta", Part.VALUE])
        if "timestamp_type" in read:
            numbers["timestamp_type"] = spread("attributes.timestamp_type").astype(np.int8)
        if "sequence" in read:
            numbers["sequence"] = add_sequences(spread("base_sequence"), columns["offset_delta", Part.VALUE])
        numbers |= {name: spread(name) for name in BATCH_COLUMNS if name in read}
        if not self.has_plain:
            bits = ("compression", "is_transactional", "is_control")
            places = {
                "batch_base_offset": block.first,
                "batch_position": block.starts + block.position,
                **{name: block.columns[f"attributes.{name}", Part.VALUE] for name in bits},
            }
            for name, kind in PLACE_COLUMNS.items():
                if name in read:
                    numbers[name] = np.repeat(places[name][run], counts).astype(kind)
        return self._chunk_of(numbers, data, decoded)

    def _chunk_of(self, numbers: dict[str, Array], data: Array, decoded: Decoded) -> Chunk:
        read, columns = self.read, decoded.columns

        def bytes_of(name: str) -> Scattered | Packed:
            if name not in self.packed:
                return Scattered(data, columns[name, Part.POSITION], columns[name, Part.LENGTH])
            is_there = columns[name, Part.IS_THERE]
            whole, offsets = columns[name, Part.BYTES], columns[name, Part.BYTE_OFFSETS]
            return Packed(whole, offsets, None if is_there.all() else is_there)

        return Chunk(
            decoded.rows[0],
            numbers,
            bytes_of("key") if "key" in read else None,
            bytes_of("value") if "value" in read else None,
            HeaderColumns(columns["headers", Part.OFFSETS], bytes_of("headers.key"), bytes_of("headers.value"))
            if "headers" in read
            else None,
        )


class _Block:
    """Batches that lie one after the other, as their kernel gives them: where in the bytes each begins, its payload,
    and where it ends. ``position`` is that of the block in the file."""

    def __init__(self, position: int, headers: Decoded, data: bytes | memoryview) -> None:
        self.position, self.columns, self.data, self.count = position, headers.columns, data, headers.rows[0]
        self.view = np.frombuffer(data, np.uint8)
        self.counts = headers.columns["records_count", Part.VALUE].astype(np.int64)
        self.payload = headers.columns["payload", Part.POSITION]
        self.ends = self.payload + headers.columns["payload", Part.LENGTH]
        self.starts = self.payload - HEADER_BYTES
        self.size = int(self.ends[-1])
        self.first = headers.columns["base_offset", Part.VALUE]
        self.last = last_offsets(self.first, headers.columns["last_offset_delta", Part.VALUE])
        self.looked_at = self.count
        """How many of them there are up to the range's end."""

    @property
    def largest(self) -> int:
        """Bytes of the largest batch."""
        return int((self.ends - self.starts).max())

    def end_range(self, wanted: Wanted) -> bool:
        """Find out where the range ends: whether in this block."""
        if wanted.end_offset > MAX_INT64:
            return False
        is_above = self.last >= wanted.start_offset
        begins_behind = is_above & (self.first >= wanted.end_offset)
        reaches_end = is_above & (self.last + 1 >= wanted.end_offset)  # wraps like Java's long
        ends = [int(mask.argmax()) + more for mask, more in ((begins_behind, 0), (reaches_end, 1)) if mask.any()]
        self.looked_at = min([self.count, *ends])
        return bool(ends)

    def has_offsets(self, wanted: Wanted) -> Array:
        """A mask of the batches that may have offsets in the range."""
        has_offsets: Array = self.last >= wanted.start_offset
        has_offsets[self.looked_at :] = False
        return has_offsets

    def rows(self, wanted: Wanted) -> Array:
        """The numbers of the batches of which records are wanted."""
        rows = self.counts > 0  # the payload of an empty batch is not looked at, as Kafka does not
        rows &= self.has_offsets(wanted)
        if not wanted.include_control:
            rows &= self.columns["attributes.is_control", Part.VALUE] == 0
        if wanted.aborted is not None:
            producers = self.columns["producer_id", Part.VALUE]
            rows &= ~wanted.aborted.holds(
                producers, self.first, self.last, self.columns["attributes.is_transactional", Part.VALUE]
            )
        return np.flatnonzero(rows)


def _as_int64(offset: int) -> int:
    """The nearest that an offset can be."""
    return max(MIN_INT64, min(offset, MAX_INT64))


def _scattered(values: Iterable[bytes | None]) -> Scattered:
    given = list(values)
    lengths = np.array([-1 if value is None else len(value) for value in given], np.int64)
    ends = np.cumsum(lengths.clip(0))
    data = np.frombuffer(b"".join(value for value in given if value), np.uint8)
    return Scattered(data, ends - lengths.clip(0), lengths)

"""Segments -> columns: kernels decode the records of a log into arrays, thousands at a time; also as `Record` objects
made from these arrays.

Rules:

* Records and their order are those of `Batch.records`, and so is the error after the last readable one: if a kernel
  refuses a batch, the codec reads it and reports what is wrong.
* A range of offsets gives the records of `Partition.records`, with and without numba: batches that end below the range
  are skipped; reading stops before a batch that begins after the range, or after a batch that reaches its end, whatever
  the order of offsets. Outside the range only the framing is checked.
* Only requested columns are made; a column costs its own writing and nothing else.
* Checksums are verified unless switched off; a wrong one is an error.
* Memory per chunk, and for one more chunk per thread: about ``chunk_bytes`` of the log, or one batch if that is larger;
  the same again if bytes are packed; a few integer columns; and decompressed batches, 4 MiB at once or one batch if
  that is larger.
* The codec reads batches of magic 0 and 1, and everything if numba is missing: the same columns, slower. `RecordReader`
  then takes records straight from the codec. It also does so for the first records until numba is loaded, because
  loading numba takes longer than reading a short log.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from kformat.errors import CompressionError, DataError, LimitError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import AnyBatch, check_end, read_batch
from kformat.kafka.batch.compression import decompress, decompress_into
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, MAX_LOG_BYTES, Walk, last_offsets
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequences
from kformat.kafka.columns.record_kernels import NUMBERS, VIEWABLE, DecodedRows, RowReader
from kformat.kafka.producers.isolation import Aborted
from kformat.kernels import MAX_PACKED_BYTES, Allocate, Decoded, Part, checksums, kernel, spread_over
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

Array = npt.NDArray[Any]

DEFAULT_CHUNK_BYTES: Final = 2 << 20
"""How much of a log is decoded at once: enough to spread the fixed cost, and little enough that it is still in the CPU
cache when its columns are used.
"""

LARGE_CHUNK_BYTES: Final = 4 << 20
"""As `DEFAULT_CHUNK_BYTES`, for callers that send chunks to another process, where the fixed cost is higher: Spark
scanned a topic 8 to 15 % faster than with half of it.
"""

_SPARE: Final[list[bytearray]] = []
"""Memory for the next reader: at most one buffer, no larger than `LARGE_CHUNK_BYTES`."""
_NOT_VIEWED: Final[Mapping[str, Viewed]] = {}
_INFLATED_BYTES: Final = 4 << 20
_MOST_PASSED_OVER: Final = 15
_BATCHES_AT_FIRST: Final = 1024
_RECORD: Final = "record_batch::record"
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])

BATCH_COLUMNS: Final = ("partition_leader_epoch", "producer_id", "producer_epoch", "base_sequence")
"""Batch fields that can be requested together with records; -1 for entries of magic 0 and 1."""
RECORD_COLUMNS: Final = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")
COLUMNS: Final = (*RECORD_COLUMNS, "sequence", *BATCH_COLUMNS)
"""The fields of records, and of their producer."""
PLACE_COLUMNS: Final = {
    "batch_base_offset": np.int64,
    "batch_position": np.int64,
    "compression": np.int8,
    "is_transactional": np.bool_,
    "is_control": np.bool_,
}
"""Optional columns about a record's batch: its base offset, its position in the file, and so on; with numpy's types."""

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
_RECORDS_AT_ONCE: Final = 1024  # made from columns: a third of a megabyte, which stays in the CPU cache
_RECORD_CHUNK_BYTES: Final = 1 << 20  # bytes of a log become records at once
_ASKED_AFTER: Final = 1 << 18
"""After so many bytes that the codec has read, it is checked again whether kernels pay."""
_MOST_BYTES_OF_ROWS: Final = 4096  # scattered rows of equal length
_BYTES_PER_CUT: Final = 512  # copying so many takes less time than each cut saves
_SMALL_BYTES: Final = 2048
"""Up to this size the codec is faster than calling a kernel."""
_TIMESTAMP_TYPES: Final = {int(kind): kind for kind in TimestampType}  # others, of magic 0, stay numbers
_KINDS: Final = {
    "partition_leader_epoch": np.int32,
    "producer_id": np.int64,
    "producer_epoch": np.int16,
    "base_sequence": np.int32,
}


class Scattered(NamedTuple):
    """Bytes of rows: row i is ``data[positions[i] : positions[i] + lengths[i]]``; a length of -1 is null.

    ``data`` is uint8, read-only; ``positions`` and ``lengths`` are int64.
    """

    data: npt.NDArray[np.uint8]
    positions: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def take(self, rows: Array) -> Scattered:
        """Select rows, by a mask or by numbers."""
        return Scattered(self.data, self.positions[rows], self.lengths[rows])

    def to_list(self) -> list[bytes | None]:
        """The rows as bytes objects."""
        view = byte_view(self.data.data)
        return [
            None if length < 0 else bytes(view[position : position + length])
            for position, length in zip(self.positions.tolist(), self.lengths.tolist(), strict=True)
        ]


class Packed(NamedTuple):
    """Bytes of rows, contiguous: row i is ``data[offsets[i] : offsets[i + 1]]``.

    ``data`` is uint8; ``offsets`` is int32, one longer than the rows, beginning with 0; ``is_there`` is uint8, 0 for
    null; None if there are no nulls.
    """

    data: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int32]
    is_there: npt.NDArray[np.uint8] | None

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """As in `Scattered`."""
        return self.offsets[:-1].astype(np.int64)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """As in `Scattered`."""
        lengths = np.diff(self.offsets).astype(np.int64)
        if self.is_there is not None:
            lengths[self.is_there == 0] = -1
        return lengths

    def take(self, rows: Array) -> Scattered:
        """Select rows, by a mask or by numbers."""
        return Scattered(self.data, self.positions[rows], self.lengths[rows])

    def to_list(self) -> list[bytes | None]:
        """The rows as bytes objects."""
        return Scattered(self.data, self.positions, self.lengths).to_list()


class Viewed(NamedTuple):
    """Bytes of rows as Arrow's views of ``data``, which is uint8.

    ``views`` is int64 of shape (rows, 2); ``is_there`` is uint8, 0 for null.
    """

    data: npt.NDArray[np.uint8]
    views: npt.NDArray[np.int64]
    is_there: npt.NDArray[np.uint8]

    def take(self, rows: Array) -> Viewed:
        """Select rows, by a mask or by numbers."""
        return Viewed(self.data, self.views[rows], self.is_there[rows])


class HeaderColumns(NamedTuple):
    """Headers of rows: those of row i are entries ``offsets[i]`` to ``offsets[i + 1]`` of keys and values."""

    offsets: npt.NDArray[np.int64]
    keys: Scattered | Packed
    values: Scattered | Packed

    def take(self, rows: Array) -> HeaderColumns:
        """The headers of the rows that a mask selects."""
        counts = np.diff(self.offsets)
        wanted = np.repeat(rows, counts)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts[rows])))
        return HeaderColumns(offsets, self.keys.take(wanted), self.values.take(wanted))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive records, as columns of one length.

    ``numbers`` holds the requested ones of offset, timestamp (ms), producer_id (int64), partition_leader_epoch,
    base_sequence, sequence (int32), producer_epoch (int16), timestamp_type (int8), and `PLACE_COLUMNS`.
    """

    row_count: int
    numbers: dict[str, Array]
    key: Scattered | Packed | None = None
    value: Scattered | Packed | None = None
    headers: HeaderColumns | None = None
    viewed: Mapping[str, Viewed] = field(default_factory=dict)
    """Key and value, in place of ``key`` and ``value``, if they are views."""

    def __len__(self) -> int:
        return self.row_count

    def take(self, rows: Array) -> Chunk:
        """The rows that a mask selects."""
        if rows.all():
            return self
        return Chunk(
            int(np.count_nonzero(rows)),
            {name: column[rows] for name, column in self.numbers.items()},
            None if self.key is None else self.key.take(rows),
            None if self.value is None else self.value.take(rows),
            None if self.headers is None else self.headers.take(rows),
            {name: column.take(rows) for name, column in self.viewed.items()},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records to read, and which columns.

    Attributes:
        columns: of `COLUMNS` and `PLACE_COLUMNS`.
        start_offset, end_offset: the first offset, and the one after the last.
        since_ms, until_ms: the first timestamp, and the one after the last; None for no bound.
        before_log_start: include a partition's deleted records that are still in its files (`Partition.chunks`);
            a single file does not know them (`read_chunks`).
        include_control: include control records, which consumers do not see.
        aborted: transactions whose records are left out.
        checksums: whether to verify checksums of batches.
        limit: the largest batch in bytes, stored or decompressed.
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
        """Whether the offsets are restricted."""
        return self.start_offset > MIN_INT64 or self.end_offset <= MAX_INT64

    def takes(self, record: Record) -> bool:
        """Whether a record is in the ranges of offsets and times."""
        return (
            self.start_offset <= record.offset < self.end_offset
            and (self.since_ms is None or record.timestamp >= self.since_ms)
            and (self.until_ms is None or record.timestamp < self.until_ms)
        )

    def selected(self, chunk: Chunk) -> Chunk:
        """The wanted rows of a chunk, with the wanted columns."""
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
        """The columns to read, including those that only select rows."""
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
    as_views: bool = False,
    threads: Threads | None = None,
    use_kernels: bool | None = None,
) -> Generator[Chunk, None, bool]:
    """Read the records of a segment file as chunks of columns; chunks have at least one row.

    The generator's return value (use `yield from`) is whether the end of the range was reached, so that later segments
    need not be read.

    Zeros up to the end of the file, enough for a batch, come from `log.preallocate` and are ignored.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; a batch must begin at ``start``. Bytes after the last wanted offset are not
            checked.
        chunk_bytes: about how much of the file becomes one chunk.
        allocate: if given, the bytes of rows are copied into contiguous memory (`Packed`), so that a chunk holds only
            the requested data; it allocates the memory for that, and for offsets and timestamps. Few rows, or
            selected rows, are `Scattered` anyway.
        as_views: keys and values of most chunks are in ``viewed``, and refer to the bytes that were read, in memory
            from ``allocate``; of others they are `Scattered`.
        threads: decode chunks in parallel; they come in the same order. By default only the caller's thread decodes.
        use_kernels: True or False if the caller knows better than `kformat.kernels.readiness` when they pay.

    Raises (while iterating):
        DataError: at the first batch or record that cannot be read, as `iter_batches` and `Batch.records` do, after
            all rows before it; ChecksumError for a batch with a wrong checksum.
        OSError: the file cannot be read.
    """
    with ByteSource(file) as source:
        limit = source.size if end is None else min(end, source.size)
        kernels = _Kernels(limit - start, use_kernels)
        reader = _Reader(
            *(source, wanted, start, limit, chunk_bytes, allocate, threads), as_views=as_views, kernels=kernels
        )
        for piece in reader.found():
            selected = wanted.selected(piece if isinstance(piece, Chunk) else piece.chunk(wanted.read))
            if len(selected):
                yield selected
        return reader.has_ended


def wrong_checksum(batch: AnyBatch) -> DataError:
    """The codec's error for a batch with a wrong checksum."""
    try:
        batch.parse()
    except DataError as error:
        return error
    raise AssertionError("the codec accepts a checksum that a kernel refused")


class RecordReader:
    """Reads `Record` objects from the files of a log, one after the other, or from parts of them.

    ``wrong_checksum`` makes the error for a batch with a wrong checksum. ``next_offset`` is one above the last offset
    yielded, or the value assigned to it if that is higher.
    """

    def __init__(self, wrong_checksum: Callable[[AnyBatch], DataError] = wrong_checksum) -> None:
        self._wrong_checksum, self.next_offset = wrong_checksum, MIN_INT64
        self._decoders: _Decoders | None = None

    def read(
        self, file: Any, start: int = 0, end: int | None = None, wanted: Wanted = ALL
    ) -> Generator[Iterable[Record], None, bool]:
        """Read the records of a segment file, in groups; iterate over each group once, before requesting the next.

        Kernels read batches of magic 2; the result does not show it. Arguments, return value and exceptions (after all
        records before the error) are those of `read_chunks`, except:

        Args:
            file: as there; a ByteSource is used as it is.
            wanted: which records; all columns of a record are read.
        """
        wanted = replace(wanted, columns=(*RECORD_COLUMNS, "sequence"))
        before = None if self._decoders is None else self._decoders.wanted
        if self._decoders is None or before != wanted or before.aborted is not wanted.aborted:
            self._decoders = _Decoders(wanted, None, can_reuse=True)
        with contextlib.nullcontext(file) if isinstance(file, ByteSource) else ByteSource(file) as source:
            limit = source.size if end is None else min(end, source.size)
            kernels = _Kernels(limit - start, None if limit - start > _SMALL_BYTES else False)
            reader = _Reader(
                *(source, wanted, start, limit, _RECORD_CHUNK_BYTES),
                kernels=kernels,
                decoders=self._decoders,
                wrong_checksum=self._wrong_checksum,
            )
            takes_all = not wanted.has_range and wanted.since_ms is None and wanted.until_ms is None
            for piece in reader.found():
                if not isinstance(piece, Chunk):
                    records = piece.records if takes_all else list(filter(wanted.takes, piece.records))
                    yield records
                    self.next_offset = max([self.next_offset, *(record.offset + 1 for record in records[-1:])])
                elif len(selected := wanted.selected(piece)):
                    yield from records_of(selected)
                    self.next_offset = max(self.next_offset, int(selected.numbers["offset"][-1]) + 1)
            return reader.has_ended


def records_of(chunk: Chunk) -> Iterator[Iterable[Record]]:
    """The rows of a chunk with `RECORD_COLUMNS` as records, in groups; without a sequence column, sequences are -1."""
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
        # Build the namedtuple of each row in C, without a Python call per row.
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
    """All headers of a chunk; None if there are none."""
    if headers.offsets[0] == headers.offsets[-1]:
        return None
    keys, values = map(_Cut, (headers.keys, headers.values))
    every = slice(0, len(headers.keys.lengths))
    names = ["" if key is None else key.decode("utf-8", "surrogateescape") for key in keys.rows(every)]
    return list(zip(names, values.rows(every), strict=True))


def _tuples(pairs: list[Any], ends: list[int]) -> list[tuple[Any, ...]]:
    return [tuple(pairs[first:end]) for first, end in pairwise(ends)]


class _Cut:
    """Cuts a column of bytes into objects, some rows at a time.

    numpy cuts rows of equal length, as keys often are. For other rows the underlying bytes are copied first, unless
    there are few rows: slicing bytes takes half the time of slicing a view.
    """

    def __init__(self, column: Scattered | Packed) -> None:
        self.all, self.positions, self.lengths = column.data, column.positions, column.lengths

    @cached_property
    def data(self) -> tuple[bytes | memoryview, int]:
        """The bytes that hold the rows, and the position of the first byte."""
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
        values: list[bytes | None]
        if isinstance(data, bytes):
            values = [data[start:end] for start, end in places]
        else:
            values = [bytes(data[start:end]) for start, end in places]
        for row in np.flatnonzero(lengths < 0).tolist():
            values[row] = None
        return values


class Threads:
    """A thread pool for `read_chunks`, used with ``with``; one chunk more than threads is in memory."""

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
        *,
        as_views: bool = False,
        kernels: _Kernels,
        decoders: _Decoders | None = None,
        wrong_checksum: Callable[[AnyBatch], DataError] = wrong_checksum,
    ) -> None:
        self.source, self.wanted, self.position, self.end = source, wanted, start, end
        self.chunk_bytes, self.threads = max(chunk_bytes, HEADER_BYTES), threads
        self.allocate, self.keeps = allocate or _allocated, allocate is None or as_views
        """Whether chunks refer to the bytes that were read."""
        self.can_reuse = not self.keeps or decoders is not None
        """Whether the memory of these bytes can be used again for the next chunk."""
        self.decoders = decoders or _Decoders(wanted, allocate, can_reuse=self.can_reuse, as_views=as_views)
        self.kernels = kernels
        self.wrong_checksum = wrong_checksum
        self.has_ended = False
        """Whether the end of the range was reached."""

    def found(self) -> Iterator[Chunk | _ByCodec]:
        pending: deque[Future[_Told]] = deque()
        try:
            while self.position < self.end and not self.has_ended:
                data = None
                if self.threads is None and self.kernels.are_wanted:
                    data = None if self.source.descriptor is not None else self._read()
                    if (plain := self._plain(data)) is not None:
                        yield plain.chunk
                        self._give_back(plain.data)
                        continue
                data = self._read() if data is None else data
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
        """Decode a whole block in a worker thread; batches for the codec are left to the reader's thread."""
        chunks, done = list[Chunk](), 0
        while done < block.size and (plain := self.decoders.mine.plain(block.view[done : block.size])) is not None:
            chunks.append(plain.chunk)
            done += plain.size
        if done == block.size:
            return _Told(block, chunks)
        chunks = []
        try:
            chunks.extend(self.decoders.mine.chunks(block))
        except _RefusedError as refused:
            return _Told(block, chunks, refused)
        return _Told(block, chunks)

    def _finished(self, result: _Told) -> Iterator[Chunk | _ByCodec]:
        """Yield the chunks of a block, and the records that the codec reads from a refused batch, if any."""
        yield from self._all_of(result)
        self._give_back(result.block.data)

    def _all_of(self, result: _Told) -> Iterator[Chunk | _ByCodec]:
        refused = result.refused
        try:
            yield from result.chunks
        except _RefusedError as error:
            refused = error
        while refused is not None:
            rows = result.block.rows(self.wanted)
            yield from self._by_codec_behind(result.block, refused)
            if not refused.is_too_large:
                raise AssertionError("the codec accepts what a kernel refused")
            left, refused = rows[rows > refused.row], None
            try:
                yield from self.decoders.mine.chunks(result.block, left)
            except _RefusedError as error:
                refused = error

    def _plain(self, data: bytes | memoryview | None) -> _Plain | None:
        """Read one chunk at the position with the single kernel for plain batches, which reads a local file itself if
        no data is given; None if it cannot.
        """
        decoder, plain = self.decoders.mine, None
        room = self._room(self._size()) if data is None else data
        try:
            if data is None and room:
                plain = decoder.plain_of_file(self.source.descriptor, self.position, room, keeps=self.keeps)
            elif room:
                plain = decoder.plain(np.frombuffer(room, np.uint8))
        except MissingDependencyError:
            self.kernels.are_missing = True
        if plain is not None:
            self.position += plain.size
            return plain._replace(data=room)
        if data is None:
            self._give_back(room)
        return None

    def _block(self, data: bytes | memoryview) -> _Block | None:
        """The batches of magic 2 in the bytes read at the position; None if the codec must read them."""
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

    def _size(self) -> int:
        """How much of the file is one chunk at the position."""
        return max(0, min(self.chunk_bytes, min(self.end, MAX_LOG_BYTES) - self.position))

    def _read(self) -> bytes | memoryview:
        """The bytes at the position, in reused memory if possible: fresh pages cost as much as the reading itself."""
        if not self.kernels.are_wanted:
            return b""
        size = self._size()
        if not self.can_reuse:
            return self.source.read_at(self.position, size)
        room = self._room(size)
        return room[: self.source.read_into(self.position, room)]

    def _room(self, size: int) -> memoryview:
        """Memory for so many bytes of the file."""
        if not self.can_reuse:
            return self.allocate(size).data
        room = _SPARE.pop() if _SPARE else bytearray()
        return memoryview(room if len(room) >= size else bytearray(size))[:size]

    def _give_back(self, data: bytes | memoryview) -> None:
        """Release memory that is no longer needed. It is kept for reuse if readers here ask for that size."""
        room = data.obj if isinstance(data, memoryview) else None
        if isinstance(room, bytearray) and len(room) <= LARGE_CHUNK_BYTES and not _SPARE:
            _SPARE.append(room)

    def _by_codec_behind(self, block: _Block, refused: _RefusedError) -> Iterator[_ByCodec]:
        """The records of one batch after the first ``skip``, up to its error."""
        frame = next(Walk(self.source, block.position + int(block.starts[refused.row]), self.end))
        seen = 0
        for piece in self._by_codec(read_batch(self.source, frame, self.wanted.limit)):
            left, seen = piece.records[max(0, refused.skip - seen) :], seen + len(piece.records)
            if left:
                yield piece._replace(records=left)

    # Batches that no kernel reads

    def _slowly(self) -> Iterator[_ByCodec]:
        """Read batches at the position by the codec, up to the first that kernels may read."""
        walk, has_end = Walk(self.source, self.position, self.end), self.wanted.end_offset <= MAX_INT64
        is_first = True
        for frame in walk:
            if not is_first and frame.magic >= CURRENT_MAGIC and self.kernels.are_wanted:
                return
            is_first = False
            batch, self.position = read_batch(self.source, frame, self.wanted.limit), walk.position
            self.kernels.read_by_codec(frame.size)
            if batch.last_offset < self.wanted.start_offset:
                continue
            is_wrapper = isinstance(batch, LegacyBatch) and batch.compression
            if has_end and not is_wrapper and batch.base_offset >= self.wanted.end_offset:
                self.has_ended = True
                return
            self._verify(batch)
            # A wrapper's base offset is known only after decompression.
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
    """Decides whether kernels read a file: they exist, and pay by now.

    Args:
        size: how many bytes are going to be read. use: True or False decides it; None leaves it to `RECORD_KERNELS`.
    """

    def __init__(self, size: int, use: bool | None = None) -> None:
        self.are_missing, self._use, self._unread = False, use, 0
        RECORD_KERNELS.is_there |= bool(use)
        if use is None and RECORD_KERNELS.is_there:
            self._use = True
        elif use is None and RECORD_KERNELS.would_be(size):
            self._use = RECORD_KERNELS.are_ready(size) or None

    @property
    def are_wanted(self) -> bool:
        return bool(self._use) and not self.are_missing

    def read_by_codec(self, size: int) -> None:
        """Count the bytes that the codec has read."""
        if self._use is None:
            self._unread += size
            if self._unread >= _ASKED_AFTER:
                self._use = RECORD_KERNELS.are_ready(self._unread) or None
                self._unread = 0


class _ByCodec(NamedTuple):
    """Records of a batch, read by the codec."""

    batch: AnyBatch
    records: list[Record]

    def chunk(self, read: tuple[str, ...]) -> Chunk:
        """The records as columns."""
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
    """Kernels refused a batch of a block: after its first ``skip`` records the codec reports why."""

    def __init__(self, row: int, skip: int = 0, *, is_too_large: bool = False) -> None:
        super().__init__(row, skip)
        self.row, self.skip, self.is_too_large = row, skip, is_too_large


class _Told(NamedTuple):
    """The result of decoding a block."""

    block: _Block
    chunks: Iterable[Chunk]
    refused: _RefusedError | None = None


class _Plain(NamedTuple):
    """A chunk, the number of log bytes it came from, and the memory into which they were read."""

    chunk: Chunk
    size: int
    data: bytes | memoryview = b""


class _Decoders(threading.local):
    """One decoder per thread."""

    def __init__(self, wanted: Wanted, allocate: Allocate | None, *, can_reuse: bool, as_views: bool = False) -> None:
        self.wanted, self.mine = wanted, _Decoder(wanted, allocate, can_reuse, as_views)


class _Decoder:
    """Decodes blocks into chunks, by kernels. Raises _RefusedError at the first batch that they refuse.

    ``can_reuse``: chunks keep no reference to decompressed bytes once the next chunk is requested.
    """

    def __init__(self, wanted: Wanted, allocate: Allocate | None, can_reuse: bool, as_views: bool) -> None:
        self.wanted, self.allocate, self.can_reuse, self.read = wanted, allocate, can_reuse, wanted.read
        fields = list(dict.fromkeys(field for name in self.read for field in _FIELDS.get(name, ())))
        self.viewed = [field for field in fields if field in VIEWABLE] if as_views else []
        self.packed = {field: 1.0 for field in fields if field in _PACKABLE and allocate is not None and not as_views}
        """Packed fields, and the bytes of each per byte of records; never more than 1."""
        self.fields = [field for field in fields if field not in self.packed]
        self.room: Array | None = None
        self.has_plain = not any(name in PLACE_COLUMNS for name in self.read) and wanted.limit >= LARGE_CHUNK_BYTES
        """Whether the kernel for plain batches makes all requested columns."""
        self.pause = self.passes_over = 0
        """How many chunks to wait before trying plain batches again after a failure; and how many of them are left."""

    @cached_property
    def _rows(self) -> RowReader:
        wanted = self.wanted
        return RowReader(
            [name for name in self.read if name in NUMBERS],
            [field for field in self.fields if not field.endswith("_delta")],
            self.packed,
            self.viewed,
            first_offset=_as_int64(wanted.start_offset),
            last_offset=_as_int64(wanted.end_offset - 1),
            include_control=wanted.include_control,
            include_transactional=wanted.aborted is None,
            checksums=wanted.checksums,
            log_append_time=_LOG_APPEND_TIME,
            allocate=self.allocate,
        )

    def plain(self, data: Array) -> _Plain | None:
        """Decode all batches at the beginning of the data if they are plain, and recent ones were."""
        if not self._tries_plain(len(data)):
            return None
        data.flags.writeable = False
        return self._plain(self._rows.read(data), data)

    def plain_of_file(
        self, descriptor: int | None, position: int, room: bytes | memoryview, *, keeps: bool
    ) -> _Plain | None:
        """As `plain`, of a local file, in memory for the chunk's bytes; for ``keeps`` see `RowReader.read_file`."""
        data = np.frombuffer(room, np.uint8)
        if descriptor is None or not self._tries_plain(len(data)):
            return None
        return self._plain(self._rows.read_file(descriptor, position, data, keeps=keeps), data)

    def _tries_plain(self, size: int) -> bool:
        if not self.has_plain or self.passes_over or size > MAX_PACKED_BYTES:
            self.passes_over = max(0, self.passes_over - 1)
            return False
        return True

    def _plain(self, rows: DecodedRows | None, data: Array) -> _Plain | None:
        self.pause = min(2 * self.pause + 1, _MOST_PASSED_OVER) if rows is None else 0
        self.passes_over = self.pause
        if rows is None:
            return None
        viewed = {name: Viewed(data, *views) for name, views in rows.views.items()}
        return _Plain(self._chunk_of(rows.numbers, data, rows.records, viewed), rows.size)

    def chunks(self, block: _Block, rows: Array | None = None) -> Iterator[Chunk]:
        """The records of a block, or of some of its batches, in runs of compressed and of uncompressed batches."""
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
        """The number of the first batch with a wrong checksum, among those with wanted offsets."""
        if self.wanted.checksums:
            rows = np.flatnonzero(block.has_offsets(self.wanted))
            starts = block.columns["crc", Part.COVERED_POSITION][rows]
            wrong = checksums(block.view, starts, block.ends[rows]) != block.columns["crc", Part.VALUE][rows]
            if wrong.any():
                return int(rows[wrong.argmax()])
        return block.count

    def _inflated(self, block: _Block, run: Array) -> Iterator[Chunk]:
        """The records of compressed batches: as many at once as fit decompressed into one buffer."""
        room, first, ends = self._room(), 0, [0]
        data, inflating, limit = memoryview(block.data), room.data, self.wanted.limit
        codecs = block.columns["attributes.compression", Part.VALUE][run].tolist()

        def inflated(number: int) -> Iterator[Chunk]:
            """Decode the batches of the run before a number."""
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
        """A buffer of ``size`` bytes or more to decompress into; the previous one is reused if nothing refers to it."""
        size = max(size, _INFLATED_BYTES)
        if not self.can_reuse or self.room is None or len(self.room) < size:
            self.room = np.empty(size, np.uint8)
        return self.room

    def _decoded(self, block: _Block, run: Array, data: Array, windows: Array) -> Iterator[Chunk]:
        size = int((windows[:, 1] - windows[:, 0]).sum())
        if self.packed and size > MAX_PACKED_BYTES:  # a batch whose decompressed size exceeds Arrow's offsets
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

    def _chunk_of(
        self, numbers: dict[str, Array], data: Array, decoded: Decoded, viewed: Mapping[str, Viewed] = _NOT_VIEWED
    ) -> Chunk:
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
            bytes_of("key") if "key" in read and not viewed else None,
            bytes_of("value") if "value" in read and not viewed else None,
            HeaderColumns(columns["headers", Part.OFFSETS], bytes_of("headers.key"), bytes_of("headers.value"))
            if "headers" in read
            else None,
            viewed,
        )


class _Block:
    """Consecutive batches, as their kernel returns them: the start of each, of its payload, and its end.

    ``position`` is the block's position in the file.
    """

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
        """How many of the batches come before the range's end."""

    @property
    def largest(self) -> int:
        """Bytes of the largest batch."""
        return int((self.ends - self.starts).max())

    def end_range(self, wanted: Wanted) -> bool:
        """Determine whether, and where, the range ends in this block."""
        if wanted.end_offset > MAX_INT64:
            return False
        is_above = self.last >= wanted.start_offset
        begins_above = is_above & (self.first >= wanted.end_offset)
        reaches_end = is_above & (self.last + 1 >= wanted.end_offset)  # wraps like Java's long
        ends = [int(mask.argmax()) + more for mask, more in ((begins_above, 0), (reaches_end, 1)) if mask.any()]
        self.looked_at = min([self.count, *ends])
        return bool(ends)

    def has_offsets(self, wanted: Wanted) -> Array:
        """A mask of the batches that may have offsets in the range."""
        has_offsets: Array = self.last >= wanted.start_offset
        has_offsets[self.looked_at :] = False
        return has_offsets

    def rows(self, wanted: Wanted) -> Array:
        """The numbers of the batches whose records are wanted."""
        rows = self.counts > 0  # Kafka does not read the payload of an empty batch, either
        rows &= self.has_offsets(wanted)
        if not wanted.include_control:
            rows &= self.columns["attributes.is_control", Part.VALUE] == 0
        if wanted.aborted is not None:
            producers = self.columns["producer_id", Part.VALUE]
            rows &= ~wanted.aborted.holds(
                producers, self.first, self.last, self.columns["attributes.is_transactional", Part.VALUE]
            )
        return np.flatnonzero(rows)


def _allocated(size: int) -> Array:
    return np.empty(size, np.uint8)


def _as_int64(offset: int) -> int:
    """Clamp to int64."""
    return max(MIN_INT64, min(offset, MAX_INT64))


def _scattered(values: Iterable[bytes | None]) -> Scattered:
    rows = list(values)
    lengths = np.array([-1 if value is None else len(value) for value in rows], np.int64)
    ends = np.cumsum(lengths.clip(0))
    data = np.frombuffer(b"".join(value for value in rows if value), np.uint8)
    return Scattered(data, ends - lengths.clip(0), lengths)


__all__ = ["RECORD_COLUMNS", "Chunk", "Packed", "Scattered", "Wanted", "read_chunks", "records_of"]

"""The `.log` of a segment: its bytes, and searches in its batches (FileRecords).

Rules:

* The file is opened when first needed; `release` closes it, and the next use opens it again.
* `lend` returns a view of the mapped file, which outlives `release`. While somebody holds one, the file cannot be cut.
* If the log contradicts an index entry, the search begins at the start of the file.

Not thread-safe: the log that owns the segment holds its lock.
"""

from __future__ import annotations

import mmap
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from kformat.codec.parsing import columns_reader
from kformat.codec.unfit import Unfit
from kformat.errors import CompressionError, LimitError
from kformat.integers import MAX_INT64, wrapped_int64
from kformat.kafka.batch.batches import AnyBatch, read_batch
from kformat.kafka.batch.compression import decompress
from kformat.kafka.batch.few_records import FileSearch, FoundRecords, stamp_from
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, Frame, Walk, borders, last_offset
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, TimestampType
from kformat.kafka.index.indexing import OffsetEntry
from kformat.kafka.log.fetched import TimestampOffset
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat_engine.errors import SegmentInUseError
from kformat_engine.storage import File, Storage, descriptors

_HEADER: Final = layout("record_batch")
_BASE_OFFSET: Final = _HEADER.reader("base_offset")
_MAX_TIMESTAMP: Final = _HEADER.reader("max_timestamp")
_STAMPS: Final = columns_reader(load_type("record_batch::record"), ("timestamp_delta", "offset_delta"))
_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]
_LARGE_BYTES: Final = 1024  # of a batch: the next header is not looked for in the same read
_WINDOW_BYTES: Final = 4096

NO_TIMESTAMP: Final = -1

# Mappings of which readers may hold views, each with its file: of all logs of the process, closed ones, too, because a
# view outlives its log, and reading bytes that were cut kills the process.
_lent: Final[weakref.WeakKeyDictionary[mmap.mmap, tuple[int, int]]] = weakref.WeakKeyDictionary()
_lent_guard: Final = threading.Lock()


def check_unused(log: Path) -> None:
    """Raise SegmentInUseError if somebody in this process holds a view of a log's bytes, even of a closed log."""
    status = log.stat()
    _check_not_lent(log, (status.st_dev, status.st_ino))


def _check_not_lent(log: Path, identity: tuple[int, int]) -> None:
    with _lent_guard:
        if _lent and identity in list(_lent.values()):
            raise _in_use(log)


def _in_use(log: Path) -> SegmentInUseError:
    return SegmentInUseError(f"{log.name}: bytes read from it are still in use, and the truncation would remove them")


class LogPosition(NamedTuple):
    """A batch found by offset: its last offset, its position and its size in bytes (LogOffsetPosition)."""

    offset: int
    position: int
    size: int


class _Written:
    """A reader of the written part of a `.log`."""

    def __init__(self, file: File, size: int) -> None:
        self.name, self.size, self._file = str(file.path), size, file

    def read_at(self, position: int, size: int) -> bytes:
        return self._file.read_at(position, min(size, self.size - position)) if position < self.size else b""


def max_timestamp_of(frame: Frame) -> int:
    """The largest timestamp of a framed batch, as its header has it; -1 for none."""
    if frame.magic < CURRENT_MAGIC:
        return LegacyBatch(frame.start).max_timestamp
    return _MAX_TIMESTAMP(frame.start, 0) if len(frame.start) >= HEADER_BYTES else NO_TIMESTAMP


def stamps(batch: AnyBatch) -> Iterable[tuple[int, int]]:
    """The timestamp and offset of each record, without making records of them; if that fails, the codec raises the
    error when it reaches the record that cannot be read."""
    if isinstance(batch, Batch) and batch.records_count > 0:
        try:
            if batch.compression:
                inflated = decompress(batch.compression, memoryview(batch.raw)[HEADER_BYTES:], limit=batch.limit)
                deltas, offset_deltas = _STAMPS(inflated, 0, batch.records_count)
            else:
                deltas, offset_deltas = _STAMPS(batch.raw, HEADER_BYTES, batch.records_count)
        except (Unfit, CompressionError, LimitError):
            pass
        else:
            base, offset = batch.base_timestamp, batch.base_offset
            offsets = [wrapped_int64(offset + delta) for delta in offset_deltas]
            if batch.timestamp_type == _LOG_APPEND_TIME:
                return [(batch.max_timestamp, record_offset) for record_offset in offsets]
            return [
                (wrapped_int64(base + delta), record_offset)
                for delta, record_offset in zip(deltas, offsets, strict=True)
            ]
    return ((record.timestamp, record.offset) for record in batch.records())


def _start_of(entry: OffsetEntry) -> tuple[int, int]:
    """Where a search begins, and the largest base offset that the batch there may have; -1 for any."""
    return (entry.position, entry.offset) if entry.position > 0 else (0, -1)


class FileRecords:
    """A `.log` whose first ``size`` bytes are batches; after them it may have preallocated room.

    ``before_open`` is called before the file is opened; ``was_used``: see `kformat_engine.storage.HasDescriptor`.
    """

    def __init__(self, path: Path, base_offset: int, storage: Storage, before_open: Callable[[], object]) -> None:
        self.path, self.base_offset, self.size = path, base_offset, 0
        self.was_used = True
        self._storage, self._before_open = storage, before_open
        self._file: File | None = None
        self._mapping: mmap.mmap | None = None

    # The file

    @property
    def file(self) -> File:
        """The open file."""
        if self._file is None:
            self._before_open()
            self._file = self._storage.open(self.path)
        return self._file

    def create(self, preallocated_bytes: int) -> None:
        """Create the file, unless it exists; an empty one gets the preallocated room, if any."""
        self._file = self._storage.open(self.path, create=True)
        if preallocated_bytes and self._file.size == 0:
            self._file.truncate(preallocated_bytes)
        elif not preallocated_bytes:
            self.size = self._file.size

    def append(self, data: Any) -> None:
        """Write bytes after the last batch. Raises OSError; the number of written bytes is then unknown."""
        position = self.size
        (self._file or self.file).write_at(data, position)
        self.size = position + len(data)

    def truncate_to(self, position: int) -> None:
        """Cut the file at a position, with the preallocated room."""
        self.file.truncate(position)
        self.size = position

    def trim(self) -> bool:
        """Cut the preallocated room; returns whether there was any."""
        is_longer = self.file.size != self.size
        if is_longer:
            self.file.truncate(self.size)
        return is_longer

    def moved_to(self, path: Path) -> None:
        """Set the new path of the renamed file."""
        self.path = path
        if self._file is not None:
            self._file.path = path

    def release(self) -> None:
        """Close the file as it is. Lent views stay valid."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._mapping = None  # a holder of a view keeps it; with the last one it is unmapped
        descriptors.remove(self)

    # Views

    def lend(self, position: int, size: int) -> memoryview:
        """Return a view of some bytes of a file that is not written to any more."""
        self.was_used = True
        mapping = self._mapping
        if mapping is None:
            descriptors.make_room()
            mapping = self._mapping = self.file.map(self.size)
            with _lent_guard:
                _lent[mapping] = self.file.identity
            descriptors.add(self)  # Python keeps a descriptor of a mapping
        return memoryview(mapping)[position : position + size]

    def give_up(self) -> None:
        """Release the mapping until bytes are lent again; lent views keep it."""
        self._mapping = None

    def check_unused(self) -> None:
        """Raise SegmentInUseError if somebody holds a view (`Fetched.data`); else unmap the file."""
        mapping = self._mapping
        if mapping is not None:
            try:
                mapping.close()
            except BufferError:
                raise _in_use(self.path) from None
            self._mapping = None
            descriptors.remove(self)
        del mapping  # or it would count as lent
        _check_not_lent(self.path, self.file.identity)

    # The batches

    def walk(self, position: int = 0) -> Walk:
        """The frames from a position on."""
        return Walk(_Written(self.file, self.size), max(position, 0))  # a damaged index may have any position

    def batch_of(self, frame: Frame) -> AnyBatch:
        """The batch of a frame; DataError if it cannot be read."""
        return read_batch(_Written(self.file, self.size), frame)

    def frames_from(self, entry: OffsetEntry, *, strict: bool = False) -> Iterator[Frame]:
        """Yield the frames from an entry's position on, or from the start if the log contradicts the entry.

        With ``strict`` DataError if they end before the log does: the bytes after them are not silently skipped.
        """
        walk = self.walk(entry.position)
        if entry.position > 0:
            first = next(walk, None)
            if first is not None and (first.magic < CURRENT_MAGIC or first.base_offset <= entry.offset):
                yield first
            else:
                walk = self.walk()
        yield from walk
        if strict and walk.problem is not None:
            raise walk.problem

    def frame_of(self, offset: int, entry: OffsetEntry) -> Frame | None:
        """The first frame, from an entry on, whose last offset is not below ``offset``; DataError at damage."""
        for frame in self.frames_from(entry, strict=True):
            if frame.last_offset >= offset:
                return frame
        return None

    def search_for_offset(self, offset: int, entry: OffsetEntry) -> LogPosition | None:
        """As `frame_of`, but its place only (searchForOffsetWithSize)."""
        position = self.search_headers(offset, entry)
        if position is not None:
            return position
        frame = self.frame_of(offset, entry)
        return None if frame is None else LogPosition(frame.last_offset, frame.position, frame.size)

    def search_headers(self, offset: int, entry: OffsetEntry) -> LogPosition | None:
        """As `search_for_offset`, if all frames on the way are sound and of magic 2; otherwise None."""
        position, end, read_at, size = max(entry.position, 0), self.size, self.file.read_at, 0
        while position < end:
            # After a large batch only the next header is read, after a small one those that follow, too.
            wanted = HEADER_BYTES if size > _LARGE_BYTES or not size else _WINDOW_BYTES
            data = read_at(position, min(wanted, end - position))
            bounds = borders(data)
            if len(bounds) < 2 or (position == entry.position > 0 and _BASE_OFFSET(data, 0) > entry.offset):
                return None  # damage, or the log contradicts the entry
            for at, following in pairwise(bounds):
                if position + following > end:
                    return None
                last = last_offset(data, at)
                if last >= offset:
                    return LogPosition(last, position + at, following - at)
            position, size = position + bounds[-1], bounds[-1] - bounds[-2]
        return None

    def first_records(self, offset: int, end_offset: int, entry: OffsetEntry) -> FoundRecords | None:
        """The records from an offset to another, exclusive, of the batch that holds the first; None if something else
        has to look."""
        position, entry_offset = _start_of(entry)
        return self.file.call(
            lambda descriptor: self._search(descriptor).records(offset, end_offset, position, entry_offset)
        )

    def _search(self, descriptor: int) -> FileSearch:
        return FileSearch(descriptor, str(self.path), self.size, self.base_offset)

    def search_for_timestamp(
        self, entry: OffsetEntry, first_offset: int, first_timestamp: int, last_timestamp: int = MAX_INT64
    ) -> TimestampOffset | None:
        """The first record in the ranges (inclusive) of offsets and timestamps, searched from an entry on, in batches
        whose largest timestamp is in the range, too (searchForTimestamp)."""
        position, entry_offset = _start_of(entry)
        ranges = first_offset, first_timestamp, last_timestamp
        found = self.file.call(lambda descriptor: self._search(descriptor).timestamp(*ranges, position, entry_offset))
        if found is not None:
            return TimestampOffset(*found[:2], found[2] if found[2] >= 0 else None)

        def suits(timestamp: int) -> bool:
            return first_timestamp <= timestamp <= last_timestamp

        for frame in self.frames_from(entry, strict=True):
            if frame.magic >= CURRENT_MAGIC and not suits(max_timestamp_of(frame)):
                continue
            batch = self.batch_of(frame)
            if not suits(batch.max_timestamp):
                continue
            stamp = stamp_from(batch, first_offset, first_timestamp, last_timestamp)
            if stamp is None:
                matches = (pair for pair in stamps(batch) if pair[1] >= first_offset and suits(pair[0]))
                stamp = next(matches, ())
            if stamp:
                epoch = batch.partition_leader_epoch
                return TimestampOffset(*stamp, epoch if epoch >= 0 else None)
        return None

    def largest_timestamp_after(self, entry: OffsetEntry, largest: TimestampOffset) -> TimestampOffset:
        """The largest timestamp, given that before an entry: that, or a larger one of a batch from the entry on
        (largestTimestampAfter)."""
        for frame in self.frames_from(entry):
            if max_timestamp_of(frame) > largest.timestamp:
                largest = TimestampOffset(max_timestamp_of(frame), frame.last_offset)
        return largest

    def scan(self, position: int = 0) -> Iterator[AnyBatch]:
        """Yield the batches from the one that starts at ``position`` on; DataError if one cannot be read."""
        walk = self.walk(position)
        for frame in walk:
            yield self.batch_of(frame)
        if walk.problem is not None:
            raise walk.problem

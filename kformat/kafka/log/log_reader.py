"""Read a log while another process may write, roll, trim, truncate, compact or delete it.

`LogReader` works alongside kformat's own writer, in this process or another one, alongside a live broker, and on a log
without a writer. It takes no lock, writes nothing, and maps nothing: files are read with ``pread``, because truncating
a mapped file kills the process that reads it. Its rules:

* **What exists.** A batch exists once its whole frame does and its checksum is right. Other bytes at the end of the
  last segment (zeros of a preallocated file, a half-copied write, leftovers of a crash) are *not there yet*. They are
  damage, a DataError with its position, in a segment that is no longer the last, and before further sound data: a
  batch right after them, or at a position in the offset index. Bytes after a batch that reaches the next segment are
  ignored: no record can be missing there.
* **Offsets continue.** A batch is accepted if it begins at the next wanted offset. One that leaves a gap, as after
  compaction, or that begins below that offset is accepted if the batch read before it is still in place. Otherwise the
  file was truncated and rewritten, and the next offset is looked up again, by index and scan.
* **Segments end** only after a later one appeared in the listing and the segment was read again after that. The new
  listing then decides which segment holds the next offset, so compaction can neither skip nor repeat records.
* **Files vanish and shrink.** A segment that is deleted or replaced while open is read to its end. If a file is gone
  when it is to be opened, or is shorter than before, the reader lists the folder again. While a `.swap` is being put in
  place the listing waits for it, half a second at most.
* **Out of range** means the same as for Kafka's consumers: an offset below the log's start (retention, deleted records)
  or above its end (truncation). `OffsetOutOfRangeError` holds both; with ``auto_offset_reset`` iteration continues at
  one of them. The start is the first segment's base offset, or the one in the root's log-start-offset-checkpoint if
  that is higher; an unreadable checkpoint is ignored, as by a broker. With ``before_log_start`` a reader begins with
  the first segment.
* **Overtaken**: retention or DeleteRecords deletes records that the reader has not reached. That is neither damage nor
  a wrong argument: RecordsDeletedError, with the same resets.
* **A tiered log** starts in remote storage, which is not read: it starts at `LogReader.log_start_offset`, and its local
  part at `LogReader.start_offset`. An offset between them is not out of range, as for Kafka's consumers; it raises
  RemoteOffsetError, whatever ``auto_offset_reset`` says.
* **Another log**: if the partition is deleted and created again (`kformat.kafka.log.positions.ids_of`), a reader of the
  old one raises LogError; a new one starts at the new log's beginning.
* **Unnoticed truncation**: if the log is truncated and grows above the next offset again before the reader looks, the
  reader does not notice, like a consumer that does not compare leader epochs. It continues at the next offset.
* **Indexes are hints**: an entry is used only if a sound batch at its position begins at or below its offset, and in
  the last segment only if the log confirms it (`kformat.kafka.index.index_trust`). Of an index in use only new entries
  are read, not the padding.
* Entries of magic 0 and 1 count as batches.
* **Committed data** (``isolation_level="read_committed"``): a cursor reads ahead with a second one, headers only, until
  it knows whether each transaction is committed. It returns no batch of an aborted one, and none from the first batch
  of the oldest open transaction on, until that has ended. If the batch up to which it read ahead is no longer in place,
  it begins again at a producer snapshot.

A reader belongs to one thread at a time and holds at most two descriptors; each cursor and each running iteration has
one more, or two for committed data, and another one once it has waited. Waiting ends within a few milliseconds of an
append, by this process or another one, where the kernel reports changes (`kformat.storage.changes`). Everything raises
OSError if the disk does, FileNotFoundError if the folder itself is gone, LogError if it has no segment left, and
LogClosedError after `LogReader.close`.
"""

from __future__ import annotations

import errno
import math
import os
import time
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar, Unpack, overload

import numpy as np

from kformat.errors import (
    DataError,
    InvalidError,
    LimitError,
    LogClosedError,
    LogError,
    OffsetOutOfRangeError,
    RecordsDeletedError,
    RemoteOffsetError,
    UsageError,
    whole_number,
)
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import AnyBatch, iter_batch_headers, read_batch
from kformat.kafka.batch.few_records import FileSearch, FoundRecords
from kformat.kafka.batch.framing import HEADER_BYTES, Walk
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, RecordBatchReader, Table, allocate, reader_of_chunks
from kformat.kafka.columns.chunks import Chunk, RecordReader, Wanted, read_chunks
from kformat.kafka.columns.declared import Given
from kformat.kafka.columns.messages import of_topic
from kformat.kafka.files.checkpoints import CHECKPOINTS
from kformat.kafka.files.file_kinds import FolderName, parse_file_name, parse_folder_name
from kformat.kafka.index.index_file import ends_with_zeros, read_entries
from kformat.kafka.index.index_trust import Indexes, prove
from kformat.kafka.index.indexing import EntryArray, floor_offset_entry, floor_time_entry
from kformat.kafka.index.lookup import Answer, Epochs, find_timestamp, largest_timestamp, refuse_remote
from kformat.kafka.log.fetched import Fetched, LocalTimestampOffset, LogReading, TimestampOffset, wrong_checksum
from kformat.kafka.log.partition import Partition, open_partition, was_closed
from kformat.kafka.log.partition import Segment as SegmentFiles
from kformat.kafka.log.positions import Position, another_log, ids_of, is_another
from kformat.kafka.producers.isolation import READ_UNCOMMITTED, Aborted, Stability, is_committed_only, newest_snapshot
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat.language.layout import layout
from kformat.results import counted, printable
from kformat.storage.address import local_path
from kformat.storage.byte_source import ByteSource
from kformat.storage.changes import FolderChanges
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.times import Moment, deadline, milliseconds

_LAYOUT: Final = layout("record_batch")

_CHUNK_SLOTS: Final = 1 << 12
SPAN_BYTES: Final = 16 << 20
_RECORD_SPAN_BYTES: Final = 1 << 20
_FIRST_SPAN_BYTES: Final = 1 << 15  # mostly one or two batches: a caller that wants one record gets few

# A directory's mtime does not distinguish two changes within one kernel tick.
_RACY_NS: Final = 100_000_000
_LIST_ATTEMPTS, _LIST_PAUSE_S = 100, 0.005
_SWAP_NS: Final = 500_000_000
_OPEN_ATTEMPTS, _OPEN_PAUSE_S = 100, 0.001
# How often apparent damage is read again, after a new listing, before it is reported.
_DOUBTS, _DOUBT_PAUSE_S = 3, 0.01
_WAIT_PAUSE_S: Final = 0.05
POLL_S: Final = 0.05
"""How long to wait for a change before looking again: where nothing reports changes, and nothing is open yet."""
_base_offset: Final = attrgetter("base_offset")
_STEPS: Final = 1000  # in one poll; a handful if nobody changes the log

Reset = Literal["error", "earliest", "latest"]
Found = TypeVar("Found")
_RESETS: Final = ("error", "earliest", "latest")


class _LogFile(ByteSource):
    """A `.log` that may grow and shrink: ``size`` is from the last `look`."""

    def is_at(self, path: Path) -> bool:
        return self._descriptor is not None and os.path.samestat(os.fstat(self._descriptor), os.stat(path))

    def look(self) -> None:
        if self._descriptor is not None:
            self.size = os.fstat(self._descriptor).st_size


class _SharedIndex:
    """An index that another process may append to or truncate: its entries as in the file."""

    def __init__(self, path: Path, format: str) -> None:
        self._path = path
        self._known: EntryArray = np.empty(0, layout(f"{format}::entry").dtype)
        self.is_trimmed, self.ends_with_zeros = True, False

    def read(self) -> EntryArray:
        """The valid entries, as delimited by `index_file.valid_entry_count`; reads only what was added since the last
        call.

        The last known entry shows whether the index is still the same one.
        """
        known = self._known
        try:
            source = ByteSource(self._path)
        except FileNotFoundError:
            self._known, self.is_trimmed, self.ends_with_zeros = known[:0], True, False
            return self._known
        with source:
            if source.size > MAX_INT32:  # Kafka stores the size in an int
                return known[:0]
            slot_bytes, count = known.itemsize, len(known)
            if count and source.read_at((count - 1) * slot_bytes, slot_bytes) != known[-1:].tobytes():
                known = known[:0]
            self._known = read_entries(source, known, _CHUNK_SLOTS)
            self.is_trimmed = source.size == self._known.nbytes
            self.ends_with_zeros = ends_with_zeros(source, self._known)
        return self._known

    def keep(self, count: int) -> None:
        """Make the next call read all entries from number ``count`` on again."""
        self._known = self._known[:count]


class _ListedSegment:
    """A listed segment, with the facts known about its indexes; the interface that `kformat.kafka.index.lookup` needs.

    ``following`` is the base offset of the next one, None in the last; each listing updates it.
    """

    def __init__(self, files: SegmentFiles, limit: int) -> None:
        self.base_offset, self.log, self.limit = files.base_offset, files.log, limit
        self.following: int | None = None
        self._offsets = _SharedIndex(files.log.with_suffix(".index"), "offset_index")
        self._times = _SharedIndex(files.log.with_suffix(".timeindex"), "time_index")
        self._proved: Indexes | None = None
        self._believed: Indexes | None = None
        self._seen_before: tuple[tuple[int, ...], ...] | None = None
        self._paths = [os.fspath(files.log.with_suffix(suffix)) for suffix in (".log", ".index", ".timeindex")]
        self._floor: _Floor | None = None
        self._largest: int | None = None

    def listed(self, following: int | None) -> None:
        """Note that a listing has it, and which base offset comes next."""
        self.following, self._largest = following, None

    def largest_timestamp(self) -> int:
        """The largest timestamp, ms, by which a lookup chooses segments; of a sealed one it is read once for each
        listing."""
        if self._largest is None or self.following is None:
            self._largest, _ = largest_timestamp(self)
        return self._largest

    @property
    def name(self) -> str:
        return self.log.name

    @property
    def path(self) -> str:
        """The path of the log."""
        return self._paths[0]

    @property
    def last_modified_ms(self) -> int:
        return self.log.stat().st_mtime_ns // 1_000_000

    def indexes(self) -> Indexes:
        """As `partition.Segment.indexes`; only what was added to the log since the last call is read."""
        now, seen = time.time_ns(), self._seen()
        if self._believed is None or seen != self._seen_before:
            self._believed = self._read_indexes()
            # A file's mtime does not distinguish two changes within one kernel tick.
            self._seen_before = seen if now - max(mtime_ns for *_, mtime_ns in seen) > _RACY_NS else None
        return self._believed

    def _seen(self) -> tuple[tuple[int, ...], ...]:
        """A key that changes when the log or one of its indexes changes."""
        keys = []
        for path in self._paths:
            try:
                keys.append(_identity(os.stat(path)))
            except FileNotFoundError:
                if path is self._paths[0]:
                    raise
                keys.append((0, 0, 0, 0))
        return (*keys, (0, 0, self.following or 0, 0))

    def floor(self, offset: int, file: ByteSource, identity: tuple[int, int, int, int]) -> tuple[int, int]:
        """Position and offset of the index entry from which to look for an offset; (0, -1) for none.

        Args:
            file, identity: the open log, and its device, inode, size and time of modification now.
        """
        if offset <= self.base_offset:
            return 0, -1
        floor = self._floor
        if floor is None or not floor.serves(offset, file, identity):
            floor = self._floor = _Floor(self.indexes().offset_entries, self.base_offset, file, identity)
        return floor.entry(offset)

    def _read_indexes(self) -> Indexes:
        offset_entries, time_entries = self._offsets.read(), self._times.read()
        is_trimmed = self._offsets.is_trimmed and self._times.is_trimmed
        is_opened_as_it_is = self.following is not None or was_closed(self.log.parent)
        if is_trimmed and is_opened_as_it_is:
            return Indexes(offset_entries, time_entries)
        with ByteSource(self.log) as source:
            proved = self._proved = prove(source, self.base_offset, offset_entries, time_entries, self._proved)
        # New entries may overwrite stale slots partly; the remaining stale slots must not hide the new entries.
        anchor = proved.anchor
        self._offsets.keep(0 if anchor is None else anchor.offset_count)
        self._times.keep(0 if anchor is None else anchor.time_count)
        return replace(proved, hides_from_brokers=is_opened_as_it_is and self._times.ends_with_zeros)

    @property
    def is_last(self) -> bool:
        """Whether no later segment was listed, so that a writer may append to it."""
        return self.following is None

    def scan(self, position: int) -> Iterator[AnyBatch]:
        """The existing batches from the one at ``position`` on; DataError at damage."""
        with _LogFile(self.log) as file:
            place = _ReadPosition(self, file, self.limit, position)
            while isinstance(result := place.batch_at(place.position), Batch | LegacyBatch):
                yield result
                place.take(result)
            problem = None if result is None else self.damage(place, result)
            if problem is not None:
                raise problem

    def damage(self, place: _ReadPosition, problem: DataError) -> DataError | None:
        """The problem at a place, if it is damage; None if the batches end there."""
        if isinstance(problem, LimitError):
            return problem
        if self.following is None:
            return problem if place.is_sound_behind() else None
        return None if place.end >= self.following else problem


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when a file does: device, inode, size and time of modification."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class _Floor:
    """The entries of an offset index, for many lookups in a log that may grow meanwhile."""

    def __init__(
        self, entries: EntryArray, base_offset: int, file: ByteSource, identity: tuple[int, int, int, int]
    ) -> None:
        self._offsets = (entries["relative_offset"].astype(np.int64) + base_offset).data
        self._positions = entries["position"].astype(np.int64).data
        self._identity = identity
        # A file's mtime does not distinguish two changes within one kernel tick.
        self._is_racy = time.time_ns() - identity[3] <= _RACY_NS
        is_placed = len(self._positions) > 0 and self._positions[-1] >= 0  # an index is a hint, and may be damaged
        self._last_start = file.read_at(self._positions[-1], HEADER_BYTES) if is_placed else b""

    def serves(self, offset: int, file: ByteSource, identity: tuple[int, int, int, int]) -> bool:
        """Whether the entries may be used: the log is as it was; or it has only grown, so that the batch at the last
        entry is still in place, and the offset is before that."""
        if identity == self._identity and not self._is_racy:
            return True
        if not self._last_start or identity[:2] != self._identity[:2] or identity[2] < self._identity[2]:
            return False
        is_before = offset < self._offsets[-1]
        return is_before and file.read_at(self._positions[-1], HEADER_BYTES) == self._last_start

    def entry(self, offset: int) -> tuple[int, int]:
        """Position and offset of the last entry that is not above an offset; (0, -1) for none."""
        number = bisect_right(self._offsets, offset) - 1
        if number < 0 or self._positions[number] < 0:
            return 0, -1
        return self._positions[number], self._offsets[number]


class _FirstBatches:
    """Reads the first batch of an iteration in one step: a caller that names an offset mostly wants its record, or few.

    One `.log` stays open in between; each read compares it with the file that has its name then.
    """

    def __init__(self) -> None:
        self._segment: _ListedSegment | None = None
        self._file: _LogFile | None = None
        self._inode: tuple[int, int] = (0, 0)

    def records(self, segment: _ListedSegment, offset: int, end_offset: int) -> FoundRecords | None:
        """The records from an offset to another, exclusive, of the first batch of the segment that ends at or above it;
        None if they have to be read in another way."""
        search = self._search(segment, offset)
        found = None if search is None else search[0].records(offset, end_offset, *search[1], verifies=True)
        if found is None:
            return None
        most = segment.base_offset + MAX_INT32 + 1 if segment.following is None else segment.following
        return found if segment.base_offset < found.next_offset <= most else None

    def timestamp(self, segment: _ListedSegment, timestamp_ms: int, start_offset: int) -> tuple[int, int, int] | None:
        """Timestamp, offset and leader epoch of the segment's first record from a time and from an offset on; None if
        it has to be found in another way."""
        entry = floor_time_entry(segment.indexes().time_entries, timestamp_ms, base_offset=segment.base_offset)
        search = self._search(segment, max(entry.offset, start_offset))
        if search is None:
            return None
        return search[0].timestamp(start_offset, timestamp_ms, MAX_INT64, *search[1], verifies=True)

    def _search(self, segment: _ListedSegment, offset: int) -> tuple[FileSearch, tuple[int, int]] | None:
        """A search in the segment's log, and the index entry from which to look for an offset."""
        try:
            identity = _identity(os.stat(segment.path))
            file = self._opened(segment, identity[:2])
            if file is None or file.descriptor is None:
                return None
            file.size = identity[2]
            entry = segment.floor(offset, file, identity)
        except FileNotFoundError:
            return None
        return FileSearch(file.descriptor, file.name, file.size, segment.base_offset, segment.limit), entry

    def _opened(self, segment: _ListedSegment, inode: tuple[int, int]) -> _LogFile | None:
        if segment is not self._segment or inode != self._inode:
            self.close()
            file = _LogFile(segment.log)
            self._segment, self._file = segment, file
            self._inode = inode if file.is_at(segment.log) else (0, 0)
        return self._file

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        self._segment = self._file = None


class _Mark(NamedTuple):
    """A batch already read: its place, its first bytes, and the offset after it."""

    position: int
    start: bytes
    next_offset: int


class BatchSpan(NamedTuple):
    """Consecutive whole batches of one segment; only the last one was verified beyond its header.

    Attributes:
        source: the segment's `.log`; read it before the cursor moves or is closed.
        position, size: of the first batch, and of all of them, bytes.
        base_offset, last_offset: of the first batch and of the last; for a wrapper of magic 0 and 1 both are the stored
            offset.
        is_end: whether they reach the end of the log at the time of the look.
    """

    source: ByteSource
    position: int
    size: int
    base_offset: int
    is_end: bool
    mark: _Mark

    @property
    def last_offset(self) -> int:
        return self.mark.next_offset - 1

    @property
    def next_offset(self) -> int:
        """One after the last offset."""
        return self.mark.next_offset

    def fetched(self, start_offset: int, limit: int) -> Fetched | None:
        """Its bytes, for the records from an offset on; None if they have changed since."""
        data, at = self.source.read_at(self.position, self.size), self.mark.position - self.position
        if len(data) < self.size or data[at : at + len(self.mark.start)] != self.mark.start:
            return None
        return Fetched(start_offset, self.base_offset, self.source.name, self.position, data, limit=limit)


class _ReadPosition:
    """How far an open segment was read: ``position`` is after the batch of ``mark``."""

    def __init__(self, segment: _ListedSegment | SegmentFiles, file: ByteSource, limit: int, position: int = 0) -> None:
        self.segment, self.file, self.limit = segment, file, limit
        self.position = position
        self.mark: _Mark | None = None

    @property
    def end(self) -> int:
        """The offset after the last batch read; the segment's base offset if there is none."""
        return self.segment.base_offset if self.mark is None else self.mark.next_offset

    def batch_at(self, position: int, file: ByteSource | None = None) -> AnyBatch | DataError | None:
        """The sound batch at a position; the problem if it is not sound; None at the end of the file."""
        file = self.file if file is None else file
        walk = Walk(file, position)
        frame = next(walk, None)
        if frame is None:
            return walk.problem
        try:
            batch = read_batch(file, frame, self.limit)
        except DataError as error:
            return error
        if not batch.is_valid:
            return wrong_checksum(batch)
        base_offset = self.segment.base_offset
        if not 0 <= batch.last_offset - base_offset <= MAX_INT32:
            return InvalidError(
                "an offset outside of the segment",
                source=file.name,
                position=position + _LAYOUT.position("base_offset"),
                path="record_batch.base_offset",
                expected=f"the last offset from {base_offset} to {base_offset + MAX_INT32}",
                found=batch.last_offset,
            )
        return batch

    def is_sound_behind(self) -> bool:
        """Whether sound data follows these bytes: right after them, or at an entry of the offset index."""
        walk = Walk(self.file, self.position)
        places = [] if next(walk, None) is None else [walk.position]
        positions = self.segment.indexes().offset_entries["position"]
        later_entries = np.flatnonzero(positions > self.position)
        places += [int(positions[number]) for number in later_entries[[0, -1]]] if len(later_entries) else []
        candidates = [self.batch_at(place) for place in places]
        return any(isinstance(batch, Batch | LegacyBatch) and batch.last_offset >= self.end for batch in candidates)

    def take(self, batch: AnyBatch | BatchSpan) -> None:
        if isinstance(batch, BatchSpan):
            self.mark = batch.mark
        else:
            self.mark = _Mark(batch.position, batch.raw[:HEADER_BYTES], batch.next_offset)
        self.position = batch.position + batch.size

    def seek(self, offset: int) -> AnyBatch | None:
        """Go to the first batch whose last offset is not below ``offset``, using the index; None if there is none."""
        batch = self._go_near(offset)
        return batch if batch is not None and batch.last_offset >= offset else self.run(offset)

    def _go_near(self, offset: int) -> AnyBatch | None:
        """Go to where the search for an offset starts: to the sound batch of an index entry, which is returned, or to
        the start."""
        self.position, self.mark = 0, None
        position, entry_offset = self._entry_before(offset)
        if entry_offset < 0:
            return None
        batch = self.batch_at(position)
        try:
            if not isinstance(batch, Batch | LegacyBatch) or batch.base_offset > entry_offset:
                return None
        except DataError:  # a wrapper's first offset is in its compressed payload
            return None
        self.position = position
        return batch

    def _entry_before(self, offset: int) -> tuple[int, int]:
        """As `_ListedSegment.floor`."""
        base_offset = self.segment.base_offset
        if offset <= base_offset:
            return 0, -1
        entry = floor_offset_entry(self.segment.indexes().offset_entries, offset, base_offset=base_offset)
        return (entry.position, entry.offset) if entry.number >= 0 and entry.position >= 0 else (0, -1)

    def run(self, offset: int) -> AnyBatch | None:
        """As `seek`, from the current position on. Only the headers of skipped batches are read.

        A batch before another one is complete; the last one must be verified.
        """
        walk, passed, before = Walk(self.file, self.position), False, self.mark
        for frame in walk:
            last = frame.last_offset
            if last >= offset or last < 0 or frame.magic < 0:
                break
            before, self.mark, passed = self.mark, _Mark(frame.position, frame.start[: frame.size], last + 1), True
            self.position = walk.position
        result = self.batch_at(self.position)
        if isinstance(result, Batch | LegacyBatch):
            return result if result.last_offset >= offset else None
        if passed and self.mark is not None:
            last_one = self.batch_at(self.mark.position)
            if self.segment.is_last and not isinstance(last_one, Batch | LegacyBatch):
                self.position, self.mark = self.mark.position, before
        return None

    def is_marked(self) -> bool:
        """Whether the last batch read is still in place."""
        if self.mark is None:
            return True
        return self.file.read_at(self.mark.position, len(self.mark.start)) == self.mark.start

    def goes_on(self) -> bool:
        """Whether the file still reaches the position, right after the last batch read."""
        return self.file.size >= self.position and self.is_marked()


class _OpenPlace(_ReadPosition):
    """A place in a file that stays open."""

    segment: _ListedSegment
    file: _LogFile

    def __init__(self, segment: _ListedSegment) -> None:
        super().__init__(segment, _LogFile(segment.log), segment.limit)

    def _entry_before(self, offset: int) -> tuple[int, int]:
        descriptor = self.file.descriptor
        if descriptor is None:
            return super()._entry_before(offset)
        return self.segment.floor(offset, self.file, _identity(os.fstat(descriptor)))

    def span(self, most_bytes: int, end_offset: int | None = None) -> BatchSpan | DataError | None:
        """The batches at the position, up to ``most_bytes``, that begin below ``end_offset``.

        They end at the last sound one, or, if a later segment exists, before that segment begins; their offsets must
        increase and belong to the segment. Returns the problem if there is no such batch, None at the end of the file.
        """
        following, base_offset = self.segment.following, self.segment.base_offset
        headers = next(iter_batch_headers(self.file, self.position, window_bytes=most_bytes), None)
        if headers is None or (following is not None and self.end >= following):
            return None
        is_next = (headers.last_offset >= base_offset) & (headers.last_offset <= base_offset + MAX_INT32)
        is_next[1:] &= headers.base_offset[1:] >= headers.next_offset[:-1]
        if end_offset is not None:
            is_next &= headers.base_offset < end_offset
        has_all = bool(is_next.all())
        count = len(headers) if has_all else int(is_next.argmin())
        if following is not None:
            count = min(count, int(np.count_nonzero(headers.next_offset < following)) + 1)
        else:
            positions = headers.position.tolist()
            while count and not isinstance(self.batch_at(positions[count - 1]), Batch | LegacyBatch):
                count -= 1
        if not count:
            problem = self.batch_at(self.position)
            return problem if isinstance(problem, DataError) else None
        at, size = int(headers.position[count - 1]), int(headers.size[count - 1])
        mark = _Mark(at, self.file.read_at(at, min(size, HEADER_BYTES)), int(headers.next_offset[count - 1]))
        is_last = following is None and has_all
        is_end = is_last and (headers.problem is not None or headers.valid_bytes >= self.file.size)
        return BatchSpan(self.file, self.position, at + size - self.position, int(headers.base_offset[0]), is_end, mark)

    def is_there(self) -> bool:
        """Whether the position is still right after that batch, in the file that now has the segment's name."""
        self.file.look()
        try:
            return self.goes_on() and self.file.is_at(self.segment.log)
        except FileNotFoundError:
            return False


def _unless_gone(look: Callable[[], Found], list_again: Callable[[], object]) -> Found:
    """The result of reading a log's files. A file may vanish between listing and opening; then the next listing no
    longer has it, unless the whole folder is gone.
    """
    for _ in range(_OPEN_ATTEMPTS):
        try:
            return look()
        except FileNotFoundError:
            list_again()
            time.sleep(_OPEN_PAUSE_S)
    return look()


class LogEnd:
    """Where a log ends, for repeated calls: each reads only what was added, and no file stays open in between."""

    def __init__(self, limit: int = DEFAULT_INFLATE_LIMIT) -> None:
        self._limit = limit
        self._place: _ReadPosition | None = None

    def offset(self, partition: Partition) -> int:
        """The offset after the last sound batch of a partition; the last segment's base offset if it has no batch.

        Lists the partition again if its last segment is gone. Raises OSError if it cannot be read.
        """
        segments = partition.segments

        def list_again() -> None:
            nonlocal segments
            segments = open_partition(partition.path).segments or segments

        return _unless_gone(lambda: self.of(segments[-1]), list_again)

    def of(self, last: _ListedSegment | SegmentFiles) -> int:
        """The offset after the last sound batch of the last segment; FileNotFoundError if the segment is gone."""
        with ByteSource(last.log) as file:
            place = self._place
            if place is None or place.segment.log != last.log:
                place = self._place = _ReadPosition(last, file, self._limit)
            place.segment, place.file = last, file
            (place.run if place.mark is not None and place.goes_on() else place.seek)(MAX_INT64)
            return place.end


class SpanCursor(AbstractContextManager["SpanCursor"]):
    """A position in a log that moves over batches, or over spans of them: `Cursor` shows users what they call.

    Attributes:
        from_offset: the offset that the last returned batch was requested for; the batch may begin below it.
        next_offset: the next offset to read; None before the first `poll` of a cursor that begins at the log's start.
        has_started: whether it has read something, or continues from a commit; records deleted ahead of it are then
            reported as missing.
        was_moved: whether at some time the batch that it read last was no longer in place.
    """

    def __init__(
        self,
        reader: LogReader,
        start_offset: int | None,
        auto_offset_reset: Reset,
        isolation_level: str = READ_UNCOMMITTED,
        *,
        has_started: bool = False,
    ) -> None:
        self._committed = _Committed(reader) if is_committed_only(isolation_level) else None
        self._read_count = 0
        if auto_offset_reset not in _RESETS:
            raise UsageError(f"auto_offset_reset is {auto_offset_reset!r}; it takes {', '.join(_RESETS)}")
        self._reader, self._reset, self.has_started = reader, auto_offset_reset, has_started
        offset = None if start_offset is None else whole_number(start_offset, "offset")
        self.from_offset = self.next_offset = offset
        self._place: _OpenPlace | None = None
        self._after: tuple[_ListedSegment, FoundRecords] | None = None
        self.was_moved = False
        self._doubted, self._doubts = offset, 0
        self._changes: FolderChanges | None = None
        self.is_closed = False

    @property
    def limit(self) -> int:
        """The largest batch in bytes, stored or decompressed."""
        return self._reader.limit

    @property
    def aborted(self) -> Aborted | None:
        """The aborted transactions whose records a span may have; None if uncommitted data is read."""
        if self._committed is None or self.from_offset is None:
            return None
        return self._committed.aborted_from(self.from_offset)

    @overload
    def poll(self, timeout_s: float | None = 0.0) -> AnyBatch | None: ...
    @overload
    def poll(
        self, timeout_s: float | None = 0.0, *, spans: Literal[True], most_bytes: int = SPAN_BYTES
    ) -> BatchSpan | None: ...
    def poll(
        self, timeout_s: float | None = 0.0, *, spans: bool = False, most_bytes: int = SPAN_BYTES
    ) -> AnyBatch | BatchSpan | None:
        """As `Cursor.poll`; with ``spans`` the next batches within about ``most_bytes`` of one segment, of which the
        caller reports a damaged one with `doubt`.
        """

        def look() -> AnyBatch | BatchSpan | None:
            return self._poll(most_bytes if spans else None)

        batch: AnyBatch | BatchSpan | None = self.awaited(look, timeout_s)
        if batch is not None and self._changes is not None:
            self._changes.restart()
        return batch

    def awaited(self, look: Callable[[], Any], timeout_s: float | None) -> Any:
        """Look into the log until there is a result, for so many seconds; None waits for ever."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while (result := look()) is None:
            left_s = POLL_S if until is None else min(POLL_S, until - time.monotonic())
            if left_s <= 0:
                return None
            self.pause(left_s)
        return result

    def pause(self, longest_s: float) -> None:
        """Wait until something changes in the log's folder, for some seconds at most. The first call does not wait: it
        begins to watch, and there may have been a change before."""
        if self._changes is None:
            self._changes = FolderChanges(self._reader.path)
        else:
            self._changes.wait(longest_s)

    def first_records(self, end_offset: int) -> FoundRecords | None:
        """The records below an offset of the batch with `next_offset`, read in one step; None if it has to be polled:
        nothing has moved then."""
        offset = self.next_offset
        if offset is None or self._committed is not None or self._place is not None:
            return None
        found = self._reader._first_records(offset, end_offset)
        if found is None:
            return None
        self.from_offset, self.next_offset, self.has_started = offset, found[1].next_offset, True
        self._after = found
        return found[1]

    def _poll(self, most_bytes: int | None) -> AnyBatch | BatchSpan | None:
        while True:
            try:
                batch = _unless_gone(lambda: self._step(most_bytes), self._lose)
                if isinstance(batch, Batch) and (aborted := self.aborted) is not None and aborted.has(batch):
                    continue
                return batch
            except (OffsetOutOfRangeError, RecordsDeletedError) as error:
                self._forget()
                if self._reset == "error":
                    raise
                self.next_offset = error.start_offset if self._reset == "earliest" else self._reader.end_offset

    def check_open(self) -> None:
        """Raise LogClosedError if the cursor or its reader was closed."""
        self._reader._check_open()
        if self.is_closed:
            raise LogClosedError(f"{self._reader.path}: the cursor is closed")

    def _lose(self) -> None:
        self.was_moved = True
        self._forget()
        self._reader.refresh()

    def doubt(self, problem: DataError, next_offset: int) -> None:
        """Resume at an offset of the last span that could not be read, after a new listing: the log may have been
        truncated or replaced. Raises the problem if it persists.
        """
        self.next_offset = next_offset
        self._doubt(problem)

    def resume_at(self, offset: int) -> None:
        """Look up an unreadable offset of the last span again."""
        self._forget()
        self.next_offset = offset

    def _step(self, most_bytes: int | None) -> AnyBatch | BatchSpan | None:
        """The next batch, or a span of up to ``most_bytes``."""
        self.check_open()
        for _ in range(_STEPS):
            result: AnyBatch | BatchSpan | DataError | None = self._locate() if self._place is None else None
            place = self._place
            assert place is not None and self.next_offset is not None
            if result is None or most_bytes is not None:
                place.file.look()
                result = place.batch_at(place.position) if most_bytes is None else place.span(most_bytes)
            if result is not None and not isinstance(result, DataError):
                if not self._continues(place, result):
                    self.was_moved = True
                    self._forget()
                    continue
                committed = self._committed
                part = result if committed is None else committed.part_of(result, place, most_bytes)
                if committed is not None and committed.read_count != self._read_count:
                    # The cursor ahead read the current files, from which compaction may have removed the batches of
                    # an aborted transaction that an older, open file still has.
                    self._read_count = committed.read_count
                    if not place.is_there():
                        self.was_moved = True
                        self._forget()
                        continue
                return None if part is None else self._take(place, part)
            if not place.is_there():
                self.was_moved = True
                self._forget()
                continue
            segments = self._reader._list()
            if result is not None:
                problem = place.segment.damage(place, result)
                if problem is not None:
                    self._doubt(problem)
                    continue
            if place.segment.following is None:
                start = self._reader._start_of(segments)
                if self.next_offset > (end := max(start, place.end)):
                    raise self._reader._out_of_range(self.next_offset, start, end)
                return None
            self._forget()  # there is a later segment: look the offset up there
        raise LogError(f"{self._reader.path}: the log changes faster than kformat can read it")

    def _continues(self, place: _OpenPlace, batch: AnyBatch | BatchSpan) -> bool:
        wanted = self.next_offset
        assert wanted is not None
        first = batch.last_offset if isinstance(batch, LegacyBatch) else batch.base_offset
        return first == wanted or (batch.last_offset >= wanted and place.is_marked())

    def _locate(self) -> AnyBatch | None:
        """Open the segment with the next offset, or the one after it, and return the batch if it exists. After
        `first_records` continue with the next batch, if its own is still in place."""
        after, self._after = self._after, None
        if after is not None:
            segment, found = after
            self._place = place = _OpenPlace(segment)
            place.position = found.position + found.size
            place.mark = _Mark(found.position, found.start, found.next_offset)
            if place.goes_on():
                return None
            self._forget()
        segments = self._reader._list()
        start = self._reader._start_of(segments)
        if self.next_offset is None:
            self.next_offset = start
        offset = self.next_offset
        if offset < start:
            error = self._reader._out_of_range(offset, start, self._reader.end_offset)
            if self.has_started and isinstance(error, OffsetOutOfRangeError):
                raise RecordsDeletedError(offset, error.start_offset, source=str(self._reader.path))
            raise error
        floor = max(0, bisect_right(segments, offset, key=_base_offset) - 1)
        for segment in segments[floor:]:
            self._forget()
            self._place = place = _OpenPlace(segment)
            batch = place.seek(offset)
            if batch is not None:
                return batch
            if place.position < place.file.size:  # not at its end: the next read finds out why
                break
        return None

    def _take(self, place: _OpenPlace, batch: AnyBatch | BatchSpan) -> AnyBatch | BatchSpan:
        place.take(batch)
        self.from_offset, self.next_offset, self.has_started = self.next_offset, batch.next_offset, True
        return batch

    def _doubt(self, problem: DataError) -> None:
        """Try again after a new listing: the bytes may be half-written, truncated or replaced. If not, it is damage."""
        self._forget()
        self._doubted, self._doubts = self.next_offset, self._doubts + 1 if self._doubted == self.next_offset else 1
        if self._doubts > _DOUBTS:
            raise problem
        time.sleep(_DOUBT_PAUSE_S)

    def is_there(self) -> bool:
        """Whether the cursor's next bytes are still in the log, not only in a file that it holds open."""
        return self._place is None or self._place.is_there()

    def _forget(self) -> None:
        if self._place is not None:
            self._place.file.close()
        self._place = self._after = None

    def close(self) -> None:
        """Close its file; closing twice is no error."""
        self._forget()
        if self._committed is not None:
            self._committed.close()
        if self._changes is not None:
            self._changes.close()
        self.is_closed = True

    def __exit__(self, *_: object) -> None:
        self.close()


class _Committed:
    """Which part of a log is decided, for one cursor: another cursor reads ahead to find it. ``read_count``: how many
    times that one looked into the files."""

    def __init__(self, reader: LogReader) -> None:
        self.read_count = 0
        self._path, self._limit = reader.path, reader.limit
        self._reader: LogReader | None = None
        self._ahead: SpanCursor | None = None
        self._stability = Stability(0)
        self._from = 0  # transactions that ended below are forgotten

    def part_of(
        self, batch: AnyBatch | BatchSpan, place: _OpenPlace, most_bytes: int | None
    ) -> AnyBatch | BatchSpan | None:
        """A batch, or the batches of a span, as far as they are decided; None if nothing is."""
        first = batch.last_offset if isinstance(batch, LegacyBatch) else batch.base_offset
        end = self.end_beyond(first)
        if end <= first:
            return None
        if isinstance(batch, BatchSpan) and batch.next_offset > end:
            assert most_bytes is not None
            part = place.span(most_bytes, end)
            return part if isinstance(part, BatchSpan) else None
        return batch

    def end_beyond(self, offset: int) -> int:
        """The offset up to which, exclusive, everything is known to be decided; reads ahead until it is above
        ``offset``, or the log ends."""
        for _ in range(_STEPS):
            try:
                if self._ahead is not None and (offset < self._from or not self._ahead.is_there()):
                    self._lose()
                ahead = self._begin(offset) if self._ahead is None else self._ahead
                while self._stability.stable_offset <= offset:
                    span = ahead.poll(spans=True)
                    if ahead.was_moved:
                        break
                    if span is None:
                        return self._stability.stable_offset
                    self._take(span)
                else:
                    return self._stability.stable_offset
            except (OffsetOutOfRangeError, RecordsDeletedError):
                pass
            self._lose()
        raise LogError(f"{self._path}: the log changes faster than kformat can read it")

    def _begin(self, offset: int) -> SpanCursor:
        """Start at the newest snapshot that is not above the offset, or where the log starts."""
        if self._reader is None:
            self._reader = LogReader(self._path, before_log_start=True, limit=self._limit)
        self._reader.refresh()
        start = self._reader.start_offset
        snapshot = newest_snapshot(self._reader._snapshots(), offset)
        if snapshot is None or snapshot[0] < start:
            snapshot = start, []
        self._stability, self._from = Stability(*snapshot), offset
        self.read_count += 1
        self._ahead = SpanCursor(self._reader, snapshot[0], "error")
        return self._ahead

    def _take(self, span: BatchSpan) -> None:
        self.read_count += 1
        end = span.position + span.size
        for headers in iter_batch_headers(span.source, span.position):
            is_inside = headers.position + headers.size <= end
            self._stability.take(
                headers.take(is_inside & (headers.next_offset > self._stability.next_offset)), span.source
            )
            if not is_inside.all() or int(headers.position[-1] + headers.size[-1]) >= end:
                return

    def has(self, batch: AnyBatch) -> bool:
        """Whether a batch is decided."""
        first = batch.last_offset if isinstance(batch, LegacyBatch) else batch.base_offset
        return self.end_beyond(first) > first

    def aborted_from(self, offset: int) -> Aborted:
        """See `Stability.aborted_from`."""
        self._from = max(self._from, offset)
        return self._stability.aborted_from(offset)

    def aborted_between(self, offset: int, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that may have records from an offset on, below another."""
        self.aborted_from(offset)
        return self._stability.aborted_before(end_offset)

    def _lose(self) -> None:
        if self._ahead is not None:
            self._ahead.close()
        self._ahead = None

    def close(self) -> None:
        """Close the reader that reads ahead."""
        self._lose()
        if self._reader is not None:
            self._reader.close()


def settled(partition: Partition) -> Partition:
    """The partition, listed again while compaction renames a `.swap` into place: it removes the old segments first. An
    old `.swap` is ignored.
    """
    for _ in range(_LIST_ATTEMPTS):
        is_moving = any(other.kind == "log" and other.state == "swap" for other in partition.others)
        if not is_moving or time.time_ns() - partition.folder.stat().st_mtime_ns > _SWAP_NS:
            break
        time.sleep(_LIST_PAUSE_S)
        partition = open_partition(partition.path)
    return partition


class LogReader(AbstractContextManager["LogReader"]):
    """Reads a log in a partition's folder while another process may write it; see the module.

    Iterating over it yields the existing records, from the log's start on. Use it as a context manager, or call
    `close`.

    Attributes:
        path: the folder, absolute. before_log_start, limit: see `open`.
        is_closed: whether `close` was called.
    """

    def __init__(self, path: str | os.PathLike[str], before_log_start: bool, limit: int) -> None:
        self.path, self.limit = local_path(path).absolute(), limit  # the working directory may change
        self.before_log_start = before_log_start
        is_there = self.path.exists()  # checked first: it may be created between the two
        if not self.path.is_dir():
            code = errno.ENOTDIR if is_there else errno.ENOENT
            raise OSError(code, os.strerror(code), str(path))
        self._checkpoint_path = os.fspath(self.path.parent / CHECKPOINTS["log_start_offset"])
        self.is_closed = False
        self._partition: Partition | None = None
        self._segments: tuple[_ListedSegment, ...] = ()
        self._listed: tuple[int, ...] | None = None
        self._ids: tuple[str, ...] = ()
        self._checkpoint: tuple[tuple[int, ...] | None, int] = (None, 0)
        self._remote: tuple[tuple[Partition, Any], range] | None = None
        self._end = LogEnd(limit)
        self._cursor = SpanCursor(self, None, "error")
        self._decided = _Committed(self)
        self._first = _FirstBatches()
        self._list()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        wait: float = 0.0,
        before_log_start: bool = False,
        limit: int = DEFAULT_INFLATE_LIMIT,
    ) -> LogReader:
        """Open a partition's folder for reading.

        Args:
            path: the folder.
            wait: seconds to wait for the folder and its first segment to appear; ``math.inf`` waits forever.
            before_log_start: include records below the log's start, which were deleted but are still in the files, as
                if the log started with its first file.
            limit: the largest batch in bytes, stored or decompressed.

        Raises:
            OSError: the folder does not exist, or cannot be read.
            LogError: the folder has no segment. UsageError: it is a folder of partitions; ``wait`` is not a number of
                at least 0.
        """
        until = deadline(wait)
        while True:
            try:
                return cls(path, before_log_start, limit)
            except (FileNotFoundError, LogError):
                left_s = until - time.monotonic()
                if left_s <= 0:
                    raise
                time.sleep(min(_WAIT_PAUSE_S, left_s))

    # What exists

    @property
    def start_offset(self) -> int:
        """The first readable offset: the log's start, or in a tiered log the start of its local part."""
        return self._start_of(self._list())

    @property
    def log_start_offset(self) -> int:
        """Where the log starts; below `start_offset` in a tiered log."""
        return min([self.start_offset, *self.remote_offsets[:1]])

    @property
    def remote_offsets(self) -> range:
        """The offsets that are only in remote storage, as `kformat.kafka.log.partition.Partition.remote_offsets`."""
        self._list()
        return self._remote_offsets()

    def _remote_offsets(self) -> range:
        """As of the last listing; read again when the root's checkpoint was replaced. (What is remote also depends on
        the leader epochs: a new file of them changes the folder, which is listed then.)"""
        partition = self._partition
        assert partition is not None
        if self.before_log_start:  # which does not follow the checkpoint
            return partition.remote_offsets
        self._checkpointed()
        known = (partition, self._checkpoint)
        if self._remote is None or self._remote[0] != known:
            self._remote = known, partition.remote_offsets
        return self._remote[1]

    def _out_of_range(self, offset: int, start: int, end: int) -> RemoteOffsetError | OffsetOutOfRangeError:
        """The error for an offset outside the local part, which goes from ``start`` to ``end``."""
        remote = self.remote_offsets
        if offset in remote:
            return RemoteOffsetError(offset, remote.start, remote.stop, source=str(self.path))
        return OffsetOutOfRangeError(offset, min([start, *remote[:1]]), end)

    @property
    def end_offset(self) -> int:
        """The offset after the last existing batch; each call reads only what was added."""

        def look() -> int:
            segments = self._list()
            return max(self._start_of(segments), self._end.of(segments[-1]))

        return _unless_gone(look, self.refresh)

    def wait(self, offset: int, timeout_s: float | None = None) -> bool:
        """Wait until the log reaches beyond an offset: until `end_offset` is above it. False after ``timeout_s``
        seconds; None waits for ever. Raises as `end_offset`.
        """
        return self._cursor.awaited(lambda: self.end_offset > offset or None, timeout_s) is not None

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which, exclusive, all transactions have ended; `end_offset` if none is open. Each call reads
        from the newest producer snapshot on."""
        committed, end = _Committed(self), self.end_offset
        try:
            return max(self.start_offset, min(committed.end_beyond(end), end))
        finally:
            committed.close()

    def _snapshots(self) -> list[tuple[int, Path]]:
        """Offset and file of the producer snapshots in the folder."""
        self._list()
        assert self._partition is not None
        named = ((parse_file_name(other.name), self.path / other.name) for other in self._partition.others)
        return [
            (name.offset, file)
            for name, file in named
            if name is not None and name.kind == "producer_snapshot" and not name.state
        ]

    def refresh(self) -> None:
        """List the folder again on the next access, even if it looks unchanged."""
        self._listed = None

    def _list(self) -> tuple[_ListedSegment, ...]:
        """The segments, listed again if the folder may have changed."""
        self._check_open()
        partition = self._partition
        for attempt in range(_LIST_ATTEMPTS):
            now, status = time.time_ns(), os.stat(self.path)
            key = (status.st_dev, status.st_ino, status.st_mtime_ns)
            if key == self._listed:
                return self._segments
            partition = settled(open_partition(self.path))
            # A file that is renamed during the listing may be missing in it.
            if partition.segments and os.stat(self.path).st_mtime_ns == status.st_mtime_ns:
                break
            if attempt:
                time.sleep(_LIST_PAUSE_S)
        assert partition is not None
        self._listed = key if now - status.st_mtime_ns > _RACY_NS else None
        if not partition.segments:
            raise LogError(f"{self.path}: no segment of a log lies in this folder")
        known = {segment.base_offset: segment for segment in self._segments}
        segments = [known.get(files.base_offset) or _ListedSegment(files, self.limit) for files in partition.segments]
        for segment, following in zip(segments, [*segments[1:], None], strict=True):
            segment.listed(None if following is None else following.base_offset)
        ids = ids_of(self.path)
        if is_another(self._ids, ids):
            self._listed = None
            raise another_log(self.path)
        self._ids = ids or self._ids
        self._partition, self._segments = partition, tuple(segments)
        return self._segments

    def _start_of(self, segments: tuple[_ListedSegment, ...]) -> int:
        return max(segments[0].base_offset, self._checkpointed())

    def _checkpointed(self) -> int:
        """The log's start from the root's checkpoint, if that matters; read again when the file was replaced."""
        assert self._partition is not None
        if self.before_log_start:
            return 0
        try:
            key = _identity(os.stat(self._checkpoint_path))
        except FileNotFoundError:
            self._checkpoint = (None, 0)
            return 0
        if key != self._checkpoint[0]:
            try:
                self._checkpoint = (key, self._partition.log_start_offset or 0)
            except DataError:
                self._checkpoint = (key, 0)
        return self._checkpoint[1]

    def _check_open(self) -> None:
        if self.is_closed:
            raise LogClosedError(f"{self.path}: the reader is closed")

    # Reading

    def cursor(
        self,
        start_offset: int | None = None,
        *,
        auto_offset_reset: Reset = "error",
        name: str | None = None,
        positions: str | os.PathLike[str] | None = None,
        isolation_level: str = READ_UNCOMMITTED,
        sync_ms: float = 0,
        include_control: bool = False,
    ) -> Cursor:
        """A position to read from, batch by batch, without waiting; close it after use.

        Args:
            start_offset: None is the log's start at the first `Cursor.poll`; in a tiered log the start of its local
                part.
            auto_offset_reset: ``error``, ``earliest`` or ``latest``, as for `batches`.
            name: continue at the last `Cursor.commit` under this name, by any process; if there is none, at
                ``start_offset``.
            positions: the folder that stores positions (`kformat.kafka.log.positions`); by default a folder of the
                user's, never the log's.
            isolation_level: ``read_committed`` leaves out the batches of aborted transactions, and ends at the first
                batch of the oldest open one until that has ended.
            sync_ms: how long a commit may stay in the page cache, ms. With 0 each is on disk when `Cursor.commit`
                returns. Else the next commit that comes so long after the last sync is, and `Cursor.close` syncs:
                ``math.inf`` leaves it to that. The death of the process loses no commit; if the machine dies, an
                earlier one may count, and records are read again.
            include_control: return control batches, too, whose records are the markers of transactions.

        Raises:
            UsageError: another reset; an unknown isolation level; a name that is not a valid topic name; positions
                inside a broker's folders, or without a name; ``sync_ms`` that is no number from 0 on.
            InvalidError, OSError: the stored position cannot be read.
        """
        self._check_open()
        if name is None and positions is not None:
            raise UsageError("positions are kept per name: a name is needed")
        if not isinstance(sync_ms, int | float) or not sync_ms >= 0:
            raise UsageError(f"sync_ms is {sync_ms!r}; it takes a number of ms from 0 on")
        position = None if name is None else Position(name, self.path, positions)
        return Cursor(self, start_offset, auto_offset_reset, position, isolation_level, sync_ms, include_control)

    def read(
        self,
        offset: int,
        max_bytes: int = 1 << 20,
        *,
        min_one_batch: bool = True,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Fetched:
        """The whole batches of one segment, from the one that holds ``offset`` or the next one on, up to ``max_bytes``.

        With ``min_one_batch`` the first batch is returned whatever its size; without, only the first ``max_bytes``
        bytes of a batch that is too large. Apart from that case, and unlike Kafka's own reads, a read never ends inside
        a batch. Continuing where the last read ended needs no lookup. Empty at the end of the log.

        With the isolation level ``read_committed`` it is empty from the first batch of the oldest open transaction on,
        too, and says which aborted transactions have records in it.

        Raises:
            OffsetOutOfRangeError: below the log's start or above its end. RemoteOffsetError: in remote storage.
            UsageError: ``max_bytes`` is below 0.
            DataError: the first batch is damaged.
        """
        offset, max_bytes = whole_number(offset, "offset"), whole_number(max_bytes, "max_bytes")
        if max_bytes < 0:
            raise UsageError(f"max_bytes is {max_bytes}; it takes a number from 0 on")
        decided = self._decided if is_committed_only(isolation_level) else None
        if self._cursor.next_offset != offset or not (self._is_readable(offset) and self._cursor.is_there()):
            self._cursor.close()
            self._cursor = SpanCursor(self, offset, "error")
        for _ in range(_STEPS):
            fetched = self._fetched(offset, max_bytes, min_one_batch, decided)
            if fetched is not None:
                return fetched
            self._cursor.close()
            self._cursor = SpanCursor(self, offset, "error")
        raise LogError(f"{self.path}: the log changes faster than kformat can read it")

    def _fetched(self, offset: int, max_bytes: int, min_one_batch: bool, decided: _Committed | None) -> Fetched | None:
        """The result of `read`; None if the files are not those that were read ahead, as in `SpanCursor._step`."""
        cursor, read_count = self._cursor, 0 if decided is None else decided.read_count
        cursor.has_started = False  # each read requests its own offset
        first = cursor.poll()
        place = cursor._place
        assert place is not None
        segment, source = place.segment, place.file.name
        none = None if decided is None else ()
        if first is None or (decided is not None and not decided.has(first)):
            at = place.position if first is None else first.position
            cursor.resume_at(offset)
            return Fetched(offset, segment.base_offset, source, at, b"", limit=self.limit, aborted_transactions=none)
        if first.size > max_bytes and not min_one_batch:
            cursor._forget()
            cursor.next_offset = None
            part = first.raw[:max_bytes]
            return Fetched(offset, segment.base_offset, source, first.position, part, bool(part), self.limit, none)
        parts = [first.raw]
        rest = place.file.read_at(place.position, max_bytes - first.size)
        with ByteSource(rest, source) as more:
            position, rest_start = 0, place.position
            while isinstance(batch := place.batch_at(position, more), Batch | LegacyBatch):
                batch = type(batch)(batch.raw, rest_start + position, source, self.limit)
                if not cursor._continues(place, batch) or (decided is not None and not decided.has(batch)):
                    break
                cursor._take(place, batch)
                parts.append(batch.raw)
                position += batch.size
        if decided is not None and decided.read_count != read_count and not place.is_there():
            return None
        assert cursor.next_offset is not None
        first_offset = min(offset, first.base_offset) if isinstance(first, Batch) else offset
        aborted = None if decided is None else decided.aborted_between(first_offset, cursor.next_offset)
        return Fetched(
            *(offset, segment.base_offset, source, first.position, b"".join(parts)),
            limit=self.limit,
            aborted_transactions=aborted,
        )

    def _is_readable(self, offset: int) -> bool:
        """Whether an offset is not below the log's start; records up to it may have been deleted since."""
        return offset >= self._start_of(self._list())

    def batches(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        poll_s: float = POLL_S,
        auto_offset_reset: Reset = "error",
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Iterator[AnyBatch]:
        """The batches with offsets from ``start_offset`` (inclusive) to ``end_offset`` (exclusive), in log order.

        The first and the last batch may extend beyond these bounds, and so may one after a truncation. Control batches
        are included.

        Args:
            start_offset: None is the log's start; in a tiered log the start of its local part.
            end_offset: None is the end of the log.
            follow: at the end of the log wait for more. An append ends the wait where the kernel reports it; besides,
                there is a look every ``poll_s`` seconds.
            timeout_s: stop following after this many seconds without new batches; None follows forever, 0 does not
                wait.
            auto_offset_reset: with ``earliest`` or ``latest``, continue at the log's start or end if the next offset is
                out of range; ``earliest`` silently skips records deleted by retention.
            isolation_level: as for `cursor`.

        Raises:
            OffsetOutOfRangeError, RecordsDeletedError, RemoteOffsetError, DataError, LogClosedError: as `Cursor.poll`,
                while iterating.
            UsageError: at once, for another ``auto_offset_reset``. RemoteOffsetError: at once, if ``start_offset`` is
                None and ``end_offset`` is before the local part.
        """
        cursor, end_offset = bounded(self, start_offset, end_offset, auto_offset_reset, isolation_level)
        return chain.from_iterable(_awaited(cursor, batch_groups(cursor, end_offset), follow, timeout_s, poll_s))

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        poll_s: float = POLL_S,
        auto_offset_reset: Reset = "error",
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Iterator[Record]:
        """The records of `batches` (with the same arguments), each once and none outside the bounds.

        Control records are left out, as by consumers, unless requested. Also raises DataError at the first record that
        cannot be read.
        """
        cursor, end_offset = bounded(self, start_offset, end_offset, auto_offset_reset, isolation_level)
        groups = record_groups(cursor, end_offset, include_control=include_control)
        return chain.from_iterable(_awaited(cursor, groups, follow, timeout_s, poll_s))

    def _first_records(self, offset: int, end_offset: int) -> tuple[_ListedSegment, FoundRecords] | None:
        segments = self._list()
        if offset < self._start_of(segments):
            return None
        number = bisect_right(segments, offset, key=_base_offset) - 1
        segment = segments[max(0, number)]
        found = self._first.records(segment, offset, end_offset)
        return None if found is None else (segment, found)

    def record_batches(
        self,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        *,
        start_offset: int | None = None,
        end_offset: int | None = None,
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
        value_as: Given = None,
        key_as: Given = None,
        enums: str = "names",
    ) -> RecordBatchReader:
        """The records as a stream of Arrow record batches, none of which is kept.

        Args:
            columns, value_as, key_as, enums: as for `kformat.kafka.log.partition.Partition.record_batches`.
            start_offset, end_offset: the first offset (None: the log's start), and the one after the last (None: the
                log's end at the time of the call).
            include_control, isolation_level: as for `records`.

        Raises as `records`, and UsageError for an unknown column, at once; MissingDependencyError without pyarrow
        (extra ``arrow``).
        """
        cursor, bound = bounded(self, start_offset, end_offset, "error", isolation_level)
        end = self.end_offset if bound is None else bound
        if bound is None and start_offset is not None and start_offset > end:
            raise self._out_of_range(start_offset, self.start_offset, end)
        wanted = Wanted(end_offset=end, include_control=include_control, limit=self.limit)
        name = parse_folder_name(self.path.name) or FolderName(self.path.name, -1, "")
        return reader_of_chunks(
            *(lambda wanted: _polled_chunks(cursor, wanted, end), wanted, columns, name.topic, name.partition),
            value_as=of_topic(value_as, name.topic, "value"),
            key_as=of_topic(key_as, name.topic, "key"),
            enums=enums,
        )

    def to_arrow(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[LogReading]) -> Table:
        """The records as one ``pyarrow.Table``, all of them in memory; the options, and what is raised, are those of
        `record_batches`."""
        return self.record_batches(columns, **options).read_all()

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    # By timestamp

    @overload
    def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[False] = False) -> TimestampOffset | None: ...
    @overload
    def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[True]) -> Answer: ...
    def offset_for_timestamp(self, timestamp: Moment, *, explain: bool = False) -> TimestampOffset | Answer | None:
        """The answer of Kafka's offsetsForTimes: the first record from a time on, as
        `kformat.kafka.index.lookup.find_timestamp`.

        A time is ms since 1970, ISO 8601 (UTC if it names no zone), or a datetime with a time zone. -1 is the log's
        end, -2 its start, -3 the record with the largest timestamp, -4 the start of the local part; UsageError for
        other values below 0, and invalid times. With ``explain`` the answer lists the steps taken. None if there is no
        such record. DataError at damage on the way.

        In a tiered log only the local part is searched, and the answer for a time says so (``may_be_remote``). If no
        local record has that time, RemoteOffsetError is raised instead of returning None; with ``explain`` the answer
        says so instead.
        """
        timestamp_ms, attempt = milliseconds(timestamp), 0
        if not explain and (found := self._found_at_once(timestamp_ms)) is not None:
            return found
        while True:
            self._check_open()
            try:
                segments = self._list()
                answer = find_timestamp(
                    segments,
                    timestamp_ms,
                    log_start_offset=self._start_of(segments),
                    remote_offsets=self.remote_offsets,
                    epochs=self._epochs() if timestamp_ms < 0 else (),
                )
                # A segment whose time index was just deleted seems to have its file's mtime as largest timestamp, and
                # the search there fails; the segment itself is deleted next.
                if answer.found or self._list() == segments:
                    break
            except (FileNotFoundError, DataError) as error:
                self.refresh()
                attempt += 1
                if attempt > (_DOUBTS if isinstance(error, DataError) else _OPEN_ATTEMPTS):
                    raise
                time.sleep(_DOUBT_PAUSE_S if isinstance(error, DataError) else _OPEN_PAUSE_S)
        if explain:
            return answer
        if answer.offset is None or answer.timestamp is None:
            if answer.may_be_remote:
                remote = self.remote_offsets
                raise RemoteOffsetError(None, remote.start, remote.stop, source=str(self.path))
            return None
        kind = LocalTimestampOffset if answer.may_be_remote else TimestampOffset
        return kind(answer.timestamp, answer.offset, answer.leader_epoch)

    def _found_at_once(self, timestamp_ms: int) -> TimestampOffset | None:
        """The first record from a time on, found in one step; None if that needs another look, or other segments."""
        segments = self._list()
        if timestamp_ms < 0 or self._remote_offsets():
            return None
        try:
            sealed = (segment for segment in segments[:-1] if segment.largest_timestamp() >= timestamp_ms)
            found = self._first.timestamp(next(sealed, segments[-1]), timestamp_ms, self._start_of(segments))
        except FileNotFoundError:
            return None
        return None if found is None else TimestampOffset(*found[:2], found[2] if found[2] >= 0 else None)

    def _epochs(self) -> Epochs:
        """The leader epochs in the folder; none if they cannot be read."""
        assert self._partition is not None
        try:
            return self._partition.leader_epochs
        except (DataError, OSError):
            return ()

    # The end

    def close(self) -> None:
        """Close the reader and all iterations over it; closing twice is no error."""
        self.is_closed = True
        self._cursor.close()
        self._decided.close()
        self._first.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        start = f" from offset {self._segments[0].base_offset} on" if self._segments else ""
        listed = counted(len(self._segments), "segment") + start
        return f"<LogReader {printable(str(self.path))}: {listed}, {'closed' if self.is_closed else 'open'}>"


class Cursor(AbstractContextManager["Cursor"]):
    """A position in a log: `poll` returns the next batch, or None while there is none. Made by `LogReader.cursor`.

    A cursor with a name continues at the last `commit` under this name. Close it after use, or use it as a context
    manager.

    Attributes:
        name: the name under which `commit` stores the position; None for a cursor without.
        committed_offset: the offset committed last, by this process or an earlier one; None if there is none.
    """

    def __init__(
        self,
        reader: LogReader,
        start_offset: int | None,
        auto_offset_reset: Reset,
        position: Position | None,
        isolation_level: str,
        sync_ms: float,
        include_control: bool,
    ) -> None:
        self._include_control = include_control
        self._sync_ms, self._synced_s, self._is_unsynced = sync_ms, -math.inf, False
        self.name = None if position is None else position.name
        self.committed_offset = None if position is None else position.read()
        offset = None if start_offset is None else whole_number(start_offset, "offset")
        self._path, self._position, has_started = reader.path, position, self.committed_offset is not None
        offset = self.committed_offset if has_started else offset
        self._steps = SpanCursor(reader, offset, auto_offset_reset, isolation_level, has_started=has_started)

    @property
    def from_offset(self) -> int | None:
        """The offset that the last returned batch was requested for; the batch may begin below it."""
        return self._steps.from_offset

    @property
    def next_offset(self) -> int | None:
        """The next offset to read; None before the first `poll` of a cursor that begins at the log's start."""
        return self._steps.next_offset

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._steps.is_closed

    def poll(self, timeout_s: float | None = 0.0) -> AnyBatch | None:
        """The next batch, None if the log ends here for now. Control batches are passed over, unless the cursor
        includes them.

        Args:
            timeout_s: how many seconds to wait for one at the end of the log; None waits for ever.

        Raises:
            OffsetOutOfRangeError: the next offset is below the log's start or above its end, unless
                ``auto_offset_reset`` says where to continue.
            RecordsDeletedError: it is below the log's start because records were deleted since this cursor, or an
                earlier one of its name, read the records before them; with the same resets.
            RemoteOffsetError: the next offset is in remote storage.
            DataError: damage, with its position. The next call reads it again.
            LogClosedError: the cursor or its reader was closed.
            FileNotFoundError: the folder is gone: the log was deleted or moved.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            batch = self._steps.poll(None if until is None else max(0.0, until - time.monotonic()))
            if batch is None or self._include_control or not batch.is_control:
                return batch

    def commit(self, next_offset: int | None = None) -> int | None:
        """Store the position under the cursor's name; returns the stored offset. It is on disk before this returns,
        unless the cursor has ``sync_ms``.

        Args:
            next_offset: where cursors of this name begin from now on; by default `next_offset`, after the batch that
                `poll` returned last, so commit after processing its records. Before the first poll of a cursor that
                begins at the log's start there is no such offset, and nothing is stored. An offset inside a batch is
                possible; `poll` returns that batch whole, and `from_offset` says what to skip.

        Raises:
            UsageError: the cursor has no name; a negative offset.
            LogClosedError: the cursor or its reader was closed.
            OSError: the position could not be written or synced; stored is the previous one, or this one.
        """
        self._steps.check_open()
        if self._position is None:
            raise UsageError("a cursor without a name keeps no position: LogReader.cursor(name=...)")
        offset = self._steps.next_offset if next_offset is None else whole_number(next_offset, "offset")
        if offset is None:
            return None
        if not 0 <= offset <= MAX_INT64:
            raise UsageError(f"offset {offset} cannot be committed; it is from 0 to {MAX_INT64}")
        now_s = time.monotonic()
        is_due = 1000 * (now_s - self._synced_s) >= self._sync_ms
        self._position.write(offset, sync=is_due)
        self._is_unsynced = not is_due
        if is_due:
            self._synced_s = now_s
        self.committed_offset = offset
        return offset

    def close(self) -> None:
        """Close its file, and sync the position committed last; closing twice is no error. OSError if that fails."""
        self._steps.close()
        if self._position is not None:
            try:
                if self._is_unsynced and self.committed_offset is not None:
                    self._is_unsynced = False
                    self._position.write(self.committed_offset)
            finally:
                self._position.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        name = "" if self.name is None else f" {self.name!r}"
        committed = "" if self.committed_offset is None else f", committed offset {self.committed_offset}"
        at = "at the log's start" if self.next_offset is None else f"next offset {self.next_offset}"
        state = "closed" if self.is_closed else "open"
        return f"<Cursor{name} of {printable(str(self._path))}: {at}{committed}, {state}>"


def bounded(
    reader: LogReader, start_offset: int | None, end_offset: int | None, auto_offset_reset: Reset, isolation_level: str
) -> tuple[SpanCursor, int | None]:
    """The cursor for `LogReader.batches`, and the offset at which they end."""
    end_offset = None if end_offset is None else whole_number(end_offset, "end offset")
    if start_offset is None and end_offset is not None:
        refuse_remote(reader.remote_offsets, None, end_offset, str(reader.path))
    reader._check_open()
    return SpanCursor(reader, start_offset, auto_offset_reset, isolation_level), end_offset


def _awaited(
    cursor: SpanCursor, groups: Iterator[Found | None], follow: bool, timeout_s: float | None, poll_s: float
) -> Iterator[Found]:
    """Groups of a cursor; waits where the log ends for now."""
    since = time.monotonic()
    for group in groups:
        if group is not None:
            yield group
            since = time.monotonic()
            continue
        waited_s = time.monotonic() - since
        if not follow or (timeout_s is not None and waited_s >= timeout_s):
            return
        cursor.pause(poll_s if timeout_s is None else min(poll_s, timeout_s - waited_s))


def _polled(cursor: SpanCursor, poll: Callable[[], Found | None], end_offset: int | None) -> Iterator[Found | None]:
    """The results of polling a cursor, up to an offset; None where the log ends for now."""
    with cursor:
        while end_offset is None or cursor.next_offset is None or cursor.next_offset < end_offset:
            yield poll()


def batch_groups(cursor: SpanCursor, end_offset: int | None) -> Generator[tuple[AnyBatch] | None, None, None]:
    """The batches from a cursor that begin below an offset, each by itself; None where the log ends for now. Closes the
    cursor at the end."""
    polled: Iterator[AnyBatch | None] = _polled(cursor, lambda: cursor.poll(), end_offset)
    for batch in polled:
        if end_offset is not None and isinstance(batch, Batch) and batch.base_offset >= end_offset:
            return
        yield None if batch is None else (batch,)


def read_span(cursor: SpanCursor, span: BatchSpan, wanted: Wanted, given_offset: int) -> Generator[Chunk, None, int]:
    """The wanted rows of the span that a cursor returned last, above an offset that was given before; the generator
    returns the last offset that is given then.

    After damage the cursor goes back, so that the next poll reads it again: it may be a batch that is being written.
    Raises DataError if it persists.
    """
    columns = tuple(dict.fromkeys((*wanted.columns, "offset")))  # the last offset says where to continue
    reached, end = cursor.from_offset or 0, span.position + span.size
    asked = replace(wanted, columns=columns, start_offset=max(wanted.start_offset, reached), aborted=cursor.aborted)
    try:
        for chunk in read_chunks(span.source, asked, span.position, end, allocate=allocate):
            news = chunk.take(chunk.numbers["offset"] > given_offset)
            if len(news):
                reached = given_offset = int(news.numbers["offset"][-1])
                yield wanted.selected(news)
    except DataError as problem:
        # The damage may be in the batch of the last record, after that record: read that batch again.
        cursor.doubt(problem, min(reached, span.next_offset))
    return given_offset


def _polled_chunks(cursor: SpanCursor, wanted: Wanted, end_offset: int) -> Iterator[Chunk]:
    """The wanted rows from a cursor on, up to an offset."""
    given_offset = MIN_INT64
    spans: Iterator[BatchSpan | None] = _polled(cursor, lambda: cursor.poll(spans=True), end_offset)
    for span in spans:
        if span is None:
            return
        given_offset = yield from read_span(cursor, span, wanted, given_offset)


def record_groups(
    cursor: SpanCursor, end_offset: int | None, *, include_control: bool = False
) -> Generator[Iterable[Record] | None, None, None]:
    """The records of the batches from a cursor, in groups, below an offset; None where the log ends for now. Closes the
    cursor at the end.

    Those of the first batch are read in one step where that is possible. The others are read from spans of batches. If
    a span cannot be read, its batches are read one by one: only a single batch shows whether it is damaged or not
    complete yet.
    """
    end = MAX_INT64 + 1 if end_offset is None else end_offset
    found = cursor.first_records(end)
    if found is not None:
        yield found.records
        if found.next_offset >= end:
            return
    wanted = Wanted(end_offset=end, include_control=include_control, limit=cursor.limit)
    reader, doubted_below, yielded_below = RecordReader(wrong_checksum), MIN_INT64, MIN_INT64
    is_first = True

    def poll() -> BatchSpan | AnyBatch | None:
        is_doubted = cursor.next_offset is not None and cursor.next_offset < doubted_below
        most_bytes = _FIRST_SPAN_BYTES if is_first else _RECORD_SPAN_BYTES
        return cursor.poll() if is_doubted else cursor.poll(spans=True, most_bytes=most_bytes)

    polled: Iterator[BatchSpan | AnyBatch | None] = _polled(cursor, poll, end_offset)
    for piece in polled:
        if piece is None:
            yield None
            continue
        reached = cursor.from_offset
        assert reached is not None
        if not isinstance(piece, BatchSpan):
            if isinstance(piece, Batch) and piece.base_offset >= wanted.end_offset:
                return
            if wanted.include_control or not piece.is_control:
                reached = max(reached, yielded_below)
                yield (record for record in piece.records() if reached <= record.offset < wanted.end_offset)
            continue
        fetched = piece.fetched(reached, wanted.limit)
        if fetched is None:  # it was truncated or rewritten meanwhile
            cursor.resume_at(reached)
            continue
        reader.next_offset, done = reached, 0
        wanted = replace(wanted, start_offset=reached, aborted=cursor.aborted)
        if is_first:
            is_first, first = False, fetched.first_records(wanted)
            if first is not None:
                records, batch = first
                yield records
                if wanted.end_offset <= batch.next_offset:
                    return
                reader.next_offset, done = max(reached, batch.next_offset), batch.size
        try:
            if done < len(fetched) and (yield from fetched.read_records(reader, wanted, done)):
                return
        except DataError:
            # The damage may be in the batch of the last yielded record.
            doubted_below, yielded_below = piece.next_offset, reader.next_offset
            cursor.resume_at(max(reached, yielded_below - 1))


__all__ = [
    "BatchSpan",
    "Cursor",
    "LogEnd",
    "LogReader",
    "Reset",
    "SpanCursor",
    "batch_groups",
    "bounded",
    "read_span",
    "record_groups",
    "settled",
]

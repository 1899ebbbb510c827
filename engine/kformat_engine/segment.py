"""One segment of a log: a `.log` with its two indexes, as Kafka's LogSegment has it.

Rules, each with Kafka's comparison:

* An append writes its bytes at the end, then checks batch by batch whether an index entry is due: when *more than*
  `index.interval.bytes` were appended since the last one. Writer profiles other than ``per-batch`` check once per
  append. (KAFKA-806; `kformat.kafka.index.indexing` computes the same for a whole log at once, and a test compares
  them.)
* The state in addition to the files - the largest timestamp so far, the bytes since the last entry, the timestamp of
  the first batch - is read from them on first use, except the bytes since the last entry: these are 0 then.
* Files are opened when first needed. `release` closes them; the next use of a sealed segment opens them again. (An
  active one is not used after it: the number of its index entries is in memory only.) A sealed segment's indexes are
  not written to.
* A full index does not fail an append that is already written: the entry is left out, and the next append rolls.

Changes of the `.log` alone, and searches in it: `file_records`.

Not thread-safe: the log that owns the segment holds its lock.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

from kformat.errors import UsageError
from kformat.integers import MAX_INT32, MIN_INT64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.few_records import FoundRecords
from kformat.kafka.batch.framing import CURRENT_MAGIC, Frame
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.index.index_trust import Indexes
from kformat.kafka.log.fetched import Fetched, TimestampOffset
from kformat_engine.batching import AppendBatch
from kformat_engine.config import LogConfig
from kformat_engine.errors import OffsetOverflowError
from kformat_engine.file_records import FileRecords, LogPosition, max_timestamp_of
from kformat_engine.index import OffsetIndex, TimeIndex
from kformat_engine.storage import DISK, Clock, File, Storage, wall_clock_ms
from kformat_engine.transaction_index import TransactionIndex

DELETED_SUFFIX: Final = ".deleted"
CLEANED_SUFFIX: Final = ".cleaned"
"""The suffix of a segment that a compaction or a split is writing."""
SWAP_SUFFIX: Final = ".swap"
"""The suffix of a segment that is complete, and about to replace others."""


class RollReason(Enum):
    """Why a segment is rolled before an append; the values are sentences."""

    SIZE = "the append would make the segment larger than segment.bytes"
    TIME = "the append is more than segment.ms later than the segment's first batch"
    OFFSET_INDEX_FULL = "the offset index is full"
    TIME_INDEX_FULL = "the time index is full"
    OFFSET_OVERFLOW = "the last offset is more than 2^31-1 above the segment's base offset"


def free_entries(index: OffsetIndex | TimeIndex) -> int:
    """The number of entries that an index can still take without becoming full."""
    return index.max_entry_count - 1 - index.entry_count


class LogSegment:
    """A segment, open for one owner; see `open`. ``records`` is its `.log`.
    ``grows``: an index of the active segment gets its full length when it is opened, because a close had cut it.

    ``before_open``, if set, is called before a file of a sealed segment is opened: a log of many segments has more
    files than a process may have open.
    """

    def __init__(
        self,
        folder: Path,
        base_offset: int,
        config: LogConfig,
        *,
        clock: Clock = wall_clock_ms,
        storage: Storage = DISK,
        suffix: str = "",
        chance: random.Random | None = None,
    ) -> None:
        self.folder, self.base_offset, self.config = folder, base_offset, config
        self.clock, self.storage, self.suffix = clock, storage, suffix
        self.created_ms = clock()
        self.jitter_ms = config.random_jitter_ms(chance or random.Random())
        self.records = FileRecords(self.log_path, base_offset, storage, self._announce)
        self.is_sealed = False
        self.grows = False
        self.before_open: Callable[[LogSegment], object] | None = None
        self._is_over = False
        self.bytes_since_last_index_entry = 0
        self._rolling_basis: int | None = None
        self._largest: TimestampOffset | None = None
        self._offset_index: OffsetIndex | None = None
        self._time_index: TimeIndex | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        base_offset: int,
        config: LogConfig,
        *,
        clock: Clock = wall_clock_ms,
        storage: Storage = DISK,
        suffix: str = "",
        chance: random.Random | None = None,
        already_exists: bool = False,
        size_bytes: int | None = None,
    ) -> LogSegment:
        """Open a segment with its `.log`, which is created (and preallocated, if so configured) if it is missing.

        With ``already_exists`` the log's whole length counts as written: recovery has checked it before. With
        ``size_bytes`` that length is known, and no file is accessed.
        Raises OSError.
        """
        segment = cls(folder, base_offset, config, clock=clock, storage=storage, suffix=suffix, chance=chance)
        path = segment.log_path
        if size_bytes is not None:
            segment.records.size = size_bytes
        elif already_exists and path.exists():
            segment.records.size = path.stat().st_size
        else:
            segment.records.create(config.segment_bytes if config.preallocate else 0)
        return segment

    def __repr__(self) -> str:
        return f"<LogSegment {self.log_path} of {self.size} bytes>"

    # Files

    def path_of(self, suffix: str) -> Path:
        """The segment's file with that suffix (``log``, ``index``, ``timeindex``, ``txnindex``)."""
        return self.folder / (file_name(self.base_offset, suffix) + self.suffix)

    @property
    def log_path(self) -> Path:
        return self.path_of("log")

    @property
    def size(self) -> int:
        """The length of the log in bytes, without preallocated room."""
        return self.records.size

    @property
    def transactions(self) -> TransactionIndex:
        """The `.txnindex`."""
        return TransactionIndex(self.path_of("txnindex"), self.storage)

    @property
    def offset_index(self) -> OffsetIndex:
        """The `.index`, created with its full length if it is missing."""
        if self._offset_index is None:
            self._announce()
            self._offset_index = OffsetIndex(
                self.path_of("index"), self.base_offset, self._index_bytes, storage=self.storage
            )
            self._prepare(self._offset_index)
        return self._offset_index

    @property
    def time_index(self) -> TimeIndex:
        """The `.timeindex`, created with its full length if it is missing."""
        if self._time_index is None:
            self._announce()
            self._time_index = TimeIndex(
                self.path_of("timeindex"), self.base_offset, self._index_bytes, storage=self.storage
            )
            self._prepare(self._time_index)
        return self._time_index

    def _prepare(self, index: OffsetIndex | TimeIndex) -> None:
        """Seal or resize an index that was just opened, as the segment requires."""
        if self.is_sealed:
            index.seal()
        elif self.grows:
            index.resize(max(self._index_bytes, index.size_bytes))

    def make_indexes(self) -> None:
        """Create missing indexes; Kafka does this when they are first needed, as the properties here."""
        for suffix, make in (("index", lambda: self.offset_index), ("timeindex", lambda: self.time_index)):
            if not self.path_of(suffix).exists():
                make()

    def _announce(self) -> None:
        if self.is_sealed and self.before_open is not None:
            self.before_open(self)

    @property
    def _index_bytes(self) -> int:
        return self.config.segment_index_bytes

    @property
    def name(self) -> str:
        """The name of the `.log`."""
        return self.log_path.name

    @property
    def last_modified_ms(self) -> int:
        """The modification time of the `.log`, ms since 1970."""
        return self.log_path.stat().st_mtime_ns // 1_000_000

    def set_modified_ms(self, timestamp_ms: int) -> None:
        """Set the modification time of the log and its indexes (LogSegment.setLastModified)."""
        for suffix in ("log", "index", "timeindex"):
            self.storage.set_modified_ms(self.path_of(suffix), timestamp_ms)

    def release(self) -> None:
        """Close all files as they are; those of a sealed segment are opened again when needed.

        Views that a read returned stay valid.
        """
        self._is_over = not self.is_sealed
        self.records.release()
        for index in (self._offset_index, self._time_index):
            if index is not None:
                index.release()
        self._offset_index = self._time_index = None

    def change_suffix(self, new_suffix: str) -> None:
        """Rename all existing files, e.g. to `.deleted` (LogSegment.changeFileSuffixes); "" for no suffix."""
        for suffix in ("log", "index", "timeindex", "txnindex"):
            old = self.path_of(suffix)
            if old.exists():
                self.storage.rename(old, self.folder / (file_name(self.base_offset, suffix) + new_suffix))
        self.suffix = new_suffix
        self.records.moved_to(self.log_path)
        if self._offset_index is not None:
            self._offset_index.moved_to(self.path_of("index"))
        if self._time_index is not None:
            self._time_index.moved_to(self.path_of("timeindex"))

    def delete(self) -> None:
        """Remove all files; missing ones are no error."""
        self.release()
        for suffix in ("log", "index", "timeindex", "txnindex"):
            self.storage.unlink(self.path_of(suffix))

    # State

    @property
    def first_batch_timestamp(self) -> int | None:
        """The largest timestamp of the first batch, from which rolling by time counts; None for an empty segment."""
        if self._rolling_basis is None:
            first = next(self.records.walk(), None)
            self._rolling_basis = None if first is None else max_timestamp_of(first)
        return self._rolling_basis

    @property
    def largest(self) -> TimestampOffset:
        """The largest timestamp so far and the last offset of the earliest batch with it; (-1, base) for none."""
        if self._largest is None:
            last = self.time_index.last_entry
            self._largest = TimestampOffset(last.timestamp, last.offset)
        return self._largest

    @property
    def max_timestamp_so_far(self) -> int:
        """The largest timestamp so far, ms; -1 for none."""
        return self.largest.timestamp

    @property
    def offset_of_max_timestamp_so_far(self) -> int:
        """The last offset of the earliest batch with it."""
        return self.largest.offset

    @property
    def largest_timestamp(self) -> int:
        """`max_timestamp_so_far`, or if there is none the modification time of the `.log`."""
        timestamp = self.max_timestamp_so_far
        return timestamp if timestamp >= 0 else self.last_modified_ms

    def next_offset(self) -> int:
        """The offset after the last one in the log, the base offset for an empty log (LogSegment.readNextOffset)."""
        last = deque(self._frames_from(self.offset_index.last_offset), maxlen=1)
        return last[0].last_offset + 1 if last else self.base_offset

    # Writing

    def append(self, data: Any, batches: Sequence[AppendBatch]) -> None:
        """Write batches at the end, and the index entries that are due.

        Args:
            data: the batches' bytes, one after the other.
            batches: what the indexes want to know of them, in the same order.

        Raises:
            OffsetOverflowError: the last offset is too far from the base offset; nothing was written.
            IndexOrderError: an entry is due whose offset is not above the last one's; the bytes are written then.
            OSError: the disk failed; how much was written is not known.
        """
        if not batches:
            return
        # As in Kafka, this creates the index: a broker rebuilds a segment that has a `.log` and no `.index`.
        offset_index = self._offset_index or self.offset_index
        if not 0 <= batches[-1].last_offset - self.base_offset <= MAX_INT32:
            raise OffsetOverflowError(
                f"{self.name}: last offset {batches[-1].last_offset} does not fit"
                f" {self.base_offset} to {self.base_offset + MAX_INT32}"
            )
        largest = self._largest or self.largest
        position = self.records.size
        self.records.append(data)
        if position == 0:
            self._rolling_basis = batches[0].max_timestamp
        interval, waiting = self.config.index_interval_bytes, self.bytes_since_last_index_entry
        if self.config.writer_profile == "per-batch":
            count = len(batches)
            if 1 < count <= free_entries(offset_index) and count <= free_entries(self.time_index):  # none becomes full
                self._add_due_entries(batches, position)
                return
            for batch in batches:
                if batch.max_timestamp > largest.timestamp:
                    self._largest = largest = TimestampOffset(batch.max_timestamp, batch.max_timestamp_offset)
                if waiting > interval:
                    self._add_entries(batch.last_offset, position)
                    waiting = self.bytes_since_last_index_entry
                position += batch.size
                waiting += batch.size
                self.bytes_since_last_index_entry = waiting
            return
        reaching = max(batches, key=lambda batch: batch.max_timestamp)  # the first on ties
        if reaching.max_timestamp > largest.timestamp:
            self._largest = TimestampOffset(reaching.max_timestamp, reaching.max_timestamp_offset)
        if self.bytes_since_last_index_entry > self.config.index_interval_bytes:
            by_first = self.config.writer_profile == "first-offset"
            self._add_entries(batches[0].base_offset if by_first else batches[-1].last_offset, position)
        self.bytes_since_last_index_entry += len(data)

    def _add_entries(self, offset: int, position: int) -> None:
        # An index can become full only in the middle of an append of several batches: before it, the log has rolled.
        offset_index, time_index, largest = self.offset_index, self.time_index, self.largest
        if offset_index.is_full or time_index.is_full:
            return
        offset_index.append(offset, position)
        time_index.maybe_append(largest.timestamp, largest.offset)
        self.bytes_since_last_index_entry = 0

    def _add_due_entries(self, batches: Sequence[AppendBatch], position: int) -> None:
        """Add the due entries of several batches, for which both indexes have room, with one write per index."""
        interval, waiting = self.config.index_interval_bytes, self.bytes_since_last_index_entry
        before, offset, _ = self.largest
        timestamp = before
        offsets, times = [], []
        for _, last, max_timestamp, max_timestamp_offset, size, _, _, _ in batches:
            if max_timestamp > timestamp:
                timestamp, offset = max_timestamp, max_timestamp_offset
            if waiting > interval:
                offsets.append((last, position))
                times.append((timestamp, offset))
                waiting = 0
            position += size
            waiting += size
        if timestamp > before:
            self._largest = TimestampOffset(timestamp, offset)
        if offsets:
            self.offset_index.append_all(offsets)
            self.time_index.maybe_append_all(times)
        self.bytes_since_last_index_entry = waiting

    def roll_reason(
        self, max_timestamp: int, last_offset: int, append_size: int, now_ms: int | None = None
    ) -> RollReason | None:
        """Why the log has to roll before an append, None if it need not (LogSegment.shouldRoll).

        Args:
            max_timestamp, last_offset: of the batches to be appended. append_size: their bytes.
        """
        config = self.config
        size = self.records.size
        if size > config.segment_bytes - append_size:
            return RollReason.SIZE
        if size > 0:
            # Usually the first batch is known, and recent.
            basis = self._rolling_basis
            if basis is None or not 0 <= basis <= max_timestamp <= basis + config.max_segment_ms - self.jitter_ms:
                waited = self._waited_ms(max_timestamp, self.clock() if now_ms is None else now_ms)
                if waited > config.max_segment_ms - self.jitter_ms:
                    return RollReason.TIME
        if (self._offset_index or self.offset_index).is_full:
            return RollReason.OFFSET_INDEX_FULL
        if (self._time_index or self.time_index).is_full:
            return RollReason.TIME_INDEX_FULL
        return None if 0 <= last_offset - self.base_offset <= MAX_INT32 else RollReason.OFFSET_OVERFLOW

    def _waited_ms(self, max_timestamp: int, now_ms: int) -> int:
        basis = self.first_batch_timestamp
        return max_timestamp - basis if basis is not None and basis >= 0 else now_ms - self.created_ms

    def on_become_inactive(self) -> None:
        """Write the last time entry, trim indexes and log to their content, and seal them."""
        self.time_index.maybe_append(
            self.max_timestamp_so_far, self.offset_of_max_timestamp_so_far, skip_full_check=True
        )
        self.offset_index.trim_to_valid_size()
        self.time_index.trim_to_valid_size()
        if self.records.trim():
            # If its old length reappeared after acknowledged batches of the next segment, recovery would cut here.
            self.sync_log()
        self.seal()

    def seal(self) -> None:
        """Seal the segment: its indexes refuse writes, and reads need not copy, until `truncate_to` or `unseal`."""
        self.is_sealed = True
        for index in (self._offset_index, self._time_index):
            if index is not None:
                index.seal()

    def unseal(self) -> None:
        """Make it the active segment: its indexes accept entries again, with room up to `segment.index.bytes`."""
        self.records.check_unused()
        self.is_sealed = False
        for index in (self._offset_index, self._time_index):
            if index is not None:
                index.unseal()
        self.resize_indexes(self._index_bytes)

    def resize_indexes(self, size_bytes: int) -> None:
        """Resize both indexes to ``size_bytes``, rounded down to whole entries, but at least to their entries.

        (Kafka fails if `segment.index.bytes` became smaller than the entries; here the index is full then.)
        """
        for index in (self.offset_index, self.time_index):
            index.resize(max(size_bytes, index.size_bytes))

    def sync(self) -> None:
        """Return when the log and its indexes have reached the disk."""
        self.sync_log()
        for suffix, index in (("index", self._offset_index), ("timeindex", self._time_index), ("txnindex", None)):
            # A missing one is not created only to be synced: it would keep its full length.
            if index is not None:
                index.sync()
            elif self.path_of(suffix).exists():
                self.storage.sync_file(self.path_of(suffix))

    def sync_log(self) -> None:
        """Return when the log has reached the disk; its indexes can be rebuilt from it."""
        self.records.file.sync()

    def duplicates(self) -> list[File]:
        """Open its files once more, to be synced and closed by a caller that does not hold the log's lock."""
        files: list[File] = []
        try:
            for path in map(self.path_of, ("log", "index", "timeindex", "txnindex")):
                if path.exists():
                    files.append(self.storage.open(path))
        except BaseException:
            for file in files:
                file.close()
            raise
        return files

    def finish(self) -> None:
        """Write the last time entry if the largest timestamp is known, and trim the files to their content.

        Does nothing for a sealed segment, and after `release`.
        """
        if not (self.is_sealed or self._is_over):
            if self._largest is not None:
                self.time_index.maybe_append(self._largest.timestamp, self._largest.offset, skip_full_check=True)
            if self._offset_index is not None:
                self._offset_index.trim_to_valid_size()
            if self._time_index is not None:
                self._time_index.trim_to_valid_size()
            self.records.trim()

    def close(self) -> None:
        """`finish` and `release` (LogSegment.close)."""
        self.finish()
        self.release()

    # Reading

    def _frames_from(self, offset: int) -> Iterator[Frame]:
        return self.records.frames_from(self.offset_index.lookup(offset))

    def translate_offset(self, offset: int) -> LogPosition | None:
        """The first batch whose last offset is not below ``offset``; None if there is none; DataError at damage."""
        return self.records.search_for_offset(offset, self.offset_index.lookup(offset))

    def read(
        self,
        start_offset: int,
        max_bytes: int,
        *,
        max_position: int | None = None,
        min_one_batch: bool = False,
        copy: bool = False,
    ) -> Fetched | None:
        """Read stored bytes from the batch that holds ``start_offset`` on; None if all batches end below it.

        Args:
            max_bytes: the most bytes to give; the last batch may be cut by it.
            max_position: the end of what may be shown, bytes; the segment's by default.
            min_one_batch: give the first batch whole, however large it is.
            copy: give bytes, not a view of the file.

        Raises:
            UsageError: ``max_bytes`` is below 0.
            DataError: what comes next is no batch: the file has decayed.
        """
        if max_bytes < 0:
            raise UsageError(f"max_bytes is {max_bytes}; it cannot be below 0")
        batch = self.translate_offset(start_offset)
        if batch is None:
            return None
        most_bytes = max(max_bytes, batch.size) if min_one_batch else max_bytes
        end = self.size if max_position is None else min(max_position, self.size)
        size = max(0, min(end - batch.position, most_bytes))
        records = self.records
        is_read = copy or not self.is_sealed or not size
        data = records.file.read_at(batch.position, size) if is_read else records.lend(batch.position, size)
        source = str(records.file.path)
        return Fetched(start_offset, self.base_offset, source, batch.position, data, 0 < most_bytes < batch.size)

    def first_records(self, offset: int, end_offset: int) -> FoundRecords | None:
        """The records from ``offset`` to another, exclusive, of the first batch that ends at or above it; None if there
        is none, or it has to be read in another way."""
        return self.records.first_records(offset, end_offset, self.offset_index.lookup(offset))

    def batches(self, offset: int | None = None) -> Iterator[AnyBatch]:
        """Yield the batches from the one that holds ``offset`` on; DataError if one cannot be read."""
        for frame in self._frames_from(self.base_offset if offset is None else offset):
            if offset is None or frame.last_offset >= offset:
                yield self.records.batch_of(frame)

    def find_offset_by_timestamp(self, timestamp_ms: int, starting_offset: int = 0) -> TimestampOffset | None:
        """The first record, in log order, not older than ``timestamp_ms`` and not below ``starting_offset``."""
        offset = max(self.time_index.lookup(timestamp_ms).offset, starting_offset)
        return self.records.search_for_timestamp(self.offset_index.lookup(offset), starting_offset, timestamp_ms)

    def find_max_timestamp(self) -> TimestampOffset | None:
        """The first record with the largest timestamp; None if no record has one."""
        timestamp, offset, _ = self.largest
        if timestamp < 0:
            return None
        return self.records.search_for_timestamp(self.offset_index.lookup(offset), MIN_INT64, timestamp, timestamp)

    # For the steps of an answer of `kformat.kafka.index.lookup`

    def offset_entries(self) -> Any:
        """The entries of the offset index, a copy."""
        return self.offset_index.entries()

    def time_entries(self) -> Any:
        """The entries of the time index, a copy; without the one that roll or close would add."""
        return self.time_index.entries()

    def indexes(self) -> Indexes:
        """Copies of both indexes: this process wrote them, or has verified them."""
        return Indexes(self.offset_entries(), self.time_entries())

    def scan(self, position: int = 0) -> Iterator[AnyBatch]:
        """Yield the batches from the one that starts at ``position`` on; DataError if one cannot be read."""
        return self.records.scan(position)

    # Cutting

    def truncate_to(self, offset: int) -> int:
        """Cut the batch that holds ``offset`` and all after it; returns the number of bytes cut.

        The whole batch goes, so the log may end below ``offset``. The segment is active from then on.

        Raises:
            SegmentInUseError: somebody holds a view of its bytes; nothing was cut.
            DataError: what lies before ``offset`` is damaged, so that nobody knows where to cut; nothing was cut.
        """
        self.unseal()
        largest = self.largest  # read before the time index is cut, because a segment just opened reads it from there
        frame = None if offset <= self.base_offset else self.records.frame_of(offset, self.offset_index.lookup(offset))
        # Entries of a record or of an append's first offset, as from writers up to Kafka 3.7, may be of the batch that
        # is cut and below the offset; with such a time entry left Kafka takes the segment for newer than it is.
        first = offset if frame is None or frame.magic < CURRENT_MAGIC else min(offset, frame.base_offset)
        for index in (self.offset_index, self.time_index):
            index.truncate_to(first)
            index.trim_to_valid_size()  # not to mislead concurrent readers: cut entries become zeros
        self.resize_indexes(self._index_bytes)
        self.transactions.truncate_to(offset)
        end = self.size if frame is None else frame.position
        if offset <= self.base_offset:
            end = 0  # also where it does not begin with a batch
        cut = self.size - end
        if cut:
            self.records.truncate_to(end)
        if self.size == 0:
            self.created_ms = self.clock()
            self._rolling_basis = None
        self.bytes_since_last_index_entry = 0
        if largest.timestamp >= 0:
            self._largest = self._read_largest()
        return cut

    def _read_largest(self) -> TimestampOffset:
        """The largest timestamp: that of the last time entry, or a larger one of the batches after it."""
        entry = self.time_index.last_entry
        largest = TimestampOffset(entry.timestamp, entry.offset)
        return self.records.largest_timestamp_after(self.offset_index.lookup(entry.offset), largest)

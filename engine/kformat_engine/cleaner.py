"""Compaction of a log's segments, as Kafka's cleaner does it (LogCleaner, Cleaner, LogCleanerManager).

`kformat_engine.compaction` decides which batches stay. This module decides which part of a log is compacted, and when,
and replaces its segments.

Rules:

* The *dirty* part begins at the cleaner's checkpoint, or at the log start offset if there is none or it is not in the
  log. It ends at the first of: the active segment; the last stable offset; the first dirty segment with a timestamp
  within `min.compaction.lag.ms`; rounded down to the base offset of a segment.
* A log is due if more than `min.cleanable.dirty.ratio` of its part below that end is dirty, or if the first batch of a
  dirty segment is older than `max.compaction.lag.ms`.
* The keys of the dirty part are put into a map of a fixed size. When it is full, the rest waits for the next time. Then
  all segments below the end of the mapped part are copied without records that the map supersedes.
* Consecutive segments become one, as long as their logs together are not larger than `segment.bytes`, nor their
  indexes than `segment.index.bytes`, nor their offsets too far apart. The new segment has the base offset of the first
  and the modification time of the last.
* The new segment is written to files that end in `.cleaned`, and synced. Then, with the log's lock held, these are
  renamed to `.swap`, the old ones to `.deleted`, and `.swap` is removed from the names; the folder is synced before and
  after each of the three. Recovery removes `.cleaned` files, and finishes a swap of which no `.cleaned` file is left.
* Reading and filtering is done without the log's lock: appends go on. Cutting the log, deleting segments, or closing it
  aborts a compaction, and removes its files; nothing waits for it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kformat.errors import DataError, TruncatedError, UsageError, whole_number
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.index.offset_map import DEFAULT_BUFFER_BYTES, DEFAULT_LOAD_FACTOR, ENTRY_BYTES, OffsetMap
from kformat.kafka.log.fetched import Slice
from kformat.kafka.producers.producer_state import AbortedTransaction, build_aborted
from kformat.results import counted, size_text
from kformat_engine.batching import AppendBatch
from kformat_engine.compaction import CleanedTransactions, Filtered, LastRecord, Retention, filtered, map_keys
from kformat_engine.config import LogConfig
from kformat_engine.errors import CompactionAbortedError, TieredLogError
from kformat_engine.local_log import LocalLog
from kformat_engine.log_guard import LogGuard
from kformat_engine.log_search import collect_aborted
from kformat_engine.segment import LogSegment
from kformat_engine.storage import Clock, sync_and_close

DEFAULT_IO_BUFFER_BYTES: Final = 524_288
"""Kafka's default of `log.cleaner.io.buffer.size`, half of which is read at once."""
_READ_BYTES: Final = 1 << 21
_MOST_READ_BYTES: Final = 1 << 28


# --- which part of a log, and when -----------------------------------------------------------------------------------


class OffsetsToClean(NamedTuple):
    """The dirty part of a log (LogCleanerManager.OffsetsToClean); ``is_reset``: the checkpoint is not in the log."""

    first_dirty_offset: int
    first_uncleanable_offset: int
    is_reset: bool


def cleanable_offsets(log: LocalLog, checkpoint: int | None, now_ms: int) -> OffsetsToClean:
    """The offsets where the dirty part of a log begins, and where it has to end at the latest."""
    start = log.offsets.log_start_offset
    first_dirty = start if checkpoint is None else checkpoint
    is_reset = not start <= first_dirty <= log.offsets.end_offset
    if is_reset:
        first_dirty = start
    ends = [log.last_stable_offset, log.active.base_offset]
    lag_ms = log.config.min_compaction_lag_ms
    if lag_ms > 0:
        for segment in _sealed_from(log, first_dirty):
            log.sealed.touch(segment)
            if segment.largest_timestamp > now_ms - lag_ms:
                ends.append(segment.base_offset)
                break
    return OffsetsToClean(first_dirty, max(first_dirty, min(ends)), is_reset)


def _sealed_from(log: LocalLog, offset: int) -> Sequence[LogSegment]:
    """The segments that may hold offsets from ``offset`` on, without the active one (nonActiveLogSegmentsFrom)."""
    active = log.active.base_offset
    return () if offset > active else log.segments.values(offset, active)


def compaction_delay_ms(log: LocalLog, first_dirty_offset: int, now_ms: int) -> int:
    """How long the log has been due because of `max.compaction.lag.ms`, ms; 0 if it is not (maxCompactionDelay)."""
    until = now_ms - log.config.max_compaction_lag_ms
    if until <= 0:
        return 0
    earliest = MAX_INT64
    for segment in _sealed_from(log, first_dirty_offset):
        log.sealed.touch(segment)
        timestamp = segment.first_batch_timestamp
        if timestamp is not None and timestamp > 0:
            earliest = min(earliest, timestamp)
    return max(0, until - earliest)


@dataclass(frozen=True, slots=True)
class LogToClean:
    """The part of a log that a compaction would read (LogToClean); sizes are bytes of `.log` files.

    Attributes:
        first_dirty_offset, first_uncleanable_offset: the dirty part, exclusive.
        clean_bytes, cleanable_bytes: of the segments before it, and of its own.
        delay_ms: see `compaction_delay_ms`. is_reset: see `OffsetsToClean`.
    """

    first_dirty_offset: int
    first_uncleanable_offset: int
    clean_bytes: int
    cleanable_bytes: int
    delay_ms: int
    is_reset: bool

    @property
    def total_bytes(self) -> int:
        return self.clean_bytes + self.cleanable_bytes

    @property
    def cleanable_ratio(self) -> float:
        """The fraction that is dirty; 0 for an empty log."""
        return self.cleanable_bytes / self.total_bytes if self.total_bytes else 0.0

    def is_due(self, config: LogConfig) -> bool:
        """Whether enough is dirty, or a dirty part is overdue (grabFilthiestCompactedLog)."""
        is_overdue = self.delay_ms > 0 and self.cleanable_bytes > 0
        return self.total_bytes > 0 and (is_overdue or self.cleanable_ratio > config.min_cleanable_dirty_ratio)


def log_to_clean(log: LocalLog, checkpoint: int | None, now_ms: int) -> LogToClean:
    """The part of a log that can be compacted."""
    offsets = cleanable_offsets(log, checkpoint, now_ms)
    delay_ms = compaction_delay_ms(log, offsets.first_dirty_offset, now_ms)
    return part_to_clean(log, offsets.first_dirty_offset, offsets.first_uncleanable_offset, delay_ms, offsets.is_reset)


def part_to_clean(
    log: LocalLog, first_dirty_offset: int, uncleanable_offset: int, delay_ms: int = 0, is_reset: bool = False
) -> LogToClean:
    """The part of a log between two offsets, to compact (calculateCleanableBytes)."""
    following = _sealed_from(log, uncleanable_offset)
    end = (following[0] if following else log.active).base_offset
    clean = log.segments.values(-1, first_dirty_offset)
    cleanable = log.segments.values(min(first_dirty_offset, end), end)
    return LogToClean(
        first_dirty_offset,
        end,
        sum(segment.size for segment in clean),
        sum(segment.size for segment in cleanable),
        delay_ms,
        is_reset,
    )


class Sizes(NamedTuple):
    """The sizes of a segment for grouping: bytes of its log and of the entries of its indexes."""

    base_offset: int
    log_bytes: int
    offset_index_bytes: int
    time_index_bytes: int


def grouped(
    segments: Sequence[Sizes], max_bytes: int, max_index_bytes: int, first_uncleanable_offset: int
) -> list[list[Sizes]]:
    """Group consecutive segments, each group to become one (groupSegmentsBySize)."""
    groups: list[list[Sizes]] = []
    for number, segment in enumerate(segments):
        group = groups[-1] if groups else []
        following = segments[number + 1].base_offset if number + 1 < len(segments) else first_uncleanable_offset
        fits = group and (
            sum(member.log_bytes for member in group) + segment.log_bytes <= max_bytes
            and sum(member.offset_index_bytes for member in group) + segment.offset_index_bytes <= max_index_bytes
            and sum(member.time_index_bytes for member in group) + segment.time_index_bytes <= max_index_bytes
            and (segment.log_bytes == 0 or following - 1 - group[0].base_offset <= MAX_INT32)
        )
        if fits:
            group.append(segment)
        else:
            groups.append([segment])
    return groups


# --- one compaction --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CleanerConfig:
    """A broker's settings of its cleaner that affect the result."""

    dedupe_buffer_bytes: int = DEFAULT_BUFFER_BYTES
    """`log.cleaner.dedupe.buffer.size`, of one thread: the memory for the map of the keys, at most 2^31 - 1."""
    dedupe_load_factor: float = DEFAULT_LOAD_FACTOR
    """`log.cleaner.io.buffer.load.factor`: the largest load of the map; above 0, to 1."""
    io_buffer_bytes: int = DEFAULT_IO_BUFFER_BYTES
    """`log.cleaner.io.buffer.size`, of one thread: with the writer profiles up to Kafka 3.9.0 half of it is read, and
    appended to the new segment, at once, which determines the positions of index entries."""

    def __post_init__(self) -> None:
        if not isinstance(self.dedupe_load_factor, int | float) or not 0 < self.dedupe_load_factor <= 1:
            raise UsageError(f"dedupe_load_factor is above 0, to 1, not {self.dedupe_load_factor!r}")
        if whole_number(self.io_buffer_bytes, "io_buffer_bytes") < 2:
            raise UsageError(f"io_buffer_bytes is {self.io_buffer_bytes}; it is from 2")
        if whole_number(self.dedupe_buffer_bytes, "dedupe_buffer_bytes") < 2 * ENTRY_BYTES:
            raise UsageError(
                f"dedupe_buffer_bytes is {self.dedupe_buffer_bytes}; it is from {2 * ENTRY_BYTES}, {ENTRY_BYTES} a key"
            )


class Cleaner:
    """A map of keys that compactions use one after the other, so that all of them share its memory.

    Raises UsageError if the map would be too small for a single key.
    """

    def __init__(self, config: CleanerConfig | None = None) -> None:
        if config is not None and not isinstance(config, CleanerConfig):
            raise UsageError(f"a Cleaner takes a CleanerConfig, not {type(config).__name__}")
        self.config = config or CleanerConfig()
        self.offsets = OffsetMap(min(self.config.dedupe_buffer_bytes, MAX_INT32))
        self.most_keys = self.offsets.most_keys(self.config.dedupe_load_factor)

    def __repr__(self) -> str:
        return f"<Cleaner with {size_text(self.config.dedupe_buffer_bytes)}, for {self.most_keys} keys>"


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction (CleanerStats).

    Attributes:
        first_dirty_offset: where the part began that was not compacted before.
        end_offset: the end of the compacted part, exclusive: the cleaner's checkpoint. first_uncleanable_offset: where
            it had to end at the latest; above ``end_offset`` if the map was full before.
        cleanable_ratio: the fraction that was dirty before.
        segment_count_before, segment_count_after, size_bytes_before, size_bytes_after: of the compacted part.
        read_count, retained_count: of records. without_key_count: of those that were removed for lack of a key.
        mapped_read_count, mapped_key_count: records of the dirty part, and keys in the map.
        buffer_utilization: the load of the map, 0 to 1.
        duration_ms: how long it took.
    """

    first_dirty_offset: int
    end_offset: int
    first_uncleanable_offset: int
    cleanable_ratio: float
    segment_count_before: int
    segment_count_after: int
    size_bytes_before: int
    size_bytes_after: int
    read_count: int
    retained_count: int
    without_key_count: int
    mapped_read_count: int
    mapped_key_count: int
    buffer_utilization: float
    duration_ms: int

    def __str__(self) -> str:
        before = f"{counted(self.segment_count_before, 'segment')} of {size_text(self.size_bytes_before)}"
        after = f"{self.segment_count_after} of {size_text(self.size_bytes_after)}"
        return (
            f"{counted(self.read_count, 'record')} read, {self.retained_count} kept, below offset {self.end_offset}; "
            f"{before} before, {after} after; {self.duration_ms} ms"
        )


@dataclass
class _Counts:
    """The counts of a running compaction."""

    segments_before: int = 0
    segments_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    read: int = 0
    retained: int = 0
    without_key: int = 0
    mapped_read: int = 0

    def take(self, result: Filtered) -> None:
        self.read += result.read_count
        self.retained += result.retained_count
        self.without_key += result.without_key_count
        self.bytes_after += len(result.data)


class _Aborted:
    """The entries of a log's transaction indexes, read once. Transactions that are aborted later lie above the
    compacted part."""

    def __init__(self, log: LocalLog) -> None:
        self._log_start = log.offsets.log_start_offset
        self._entries = [(segment.base_offset, segment.transactions.entries()) for segment in log.segments]

    def between(self, base_offset: int, end: int) -> Iterator[AbortedTransaction]:
        """Yield the transactions that may have batches from the segment that holds ``base_offset`` to ``end``
        (collectAbortedTransactions)."""
        floor = max((base for base, _ in self._entries if base <= base_offset), default=base_offset)
        for base, entries in self._entries:
            if base >= floor:
                aborted, is_complete = collect_aborted(entries, self._log_start, end)
                yield from aborted
                if is_complete:
                    return


class Cleaning:
    """One compaction of one log; see `run`.

    Args:
        log: the segments. guard: of the `Log` that owns them.
        is_dry_run: compute the result, and change nothing.
    """

    def __init__(
        self,
        log: LocalLog,
        to_clean: LogToClean,
        cleaner: Cleaner,
        *,
        now_ms: int,
        guard: LogGuard,
        is_dry_run: bool = False,
    ) -> None:
        self.log, self.to_clean, self.cleaner, self.config = log, to_clean, cleaner, log.config
        self.now_ms, self.is_dry_run = now_ms, is_dry_run
        self._guard = guard
        self._counts = _Counts()
        self._began_s = time.monotonic()
        self._transactions = CleanedTransactions()
        self._aborted: _Aborted
        self.dest: LogSegment | None = None
        self.thread = threading.current_thread()

    def check(self) -> None:
        """Raise CompactionAbortedError if the log was cut, or closed, since this began."""
        if self.log.cleaning is not self:
            raise CompactionAbortedError(f"{self.log.path} was cut or closed while it was compacted")

    def run(self) -> Compaction:
        """Compact; the caller has set `LocalLog.cleaning` to this object.

        Raises:
            CompactionAbortedError: the log was cut or closed meanwhile; groups that were replaced before stay replaced.
            DataError: a batch cannot be read, or has not its checksum; DamagedLogError.
            OSError: the disk failed.
        """
        try:
            return self._run()
        except (DataError, OSError) as error:
            if self.log.cleaning is not self:  # the log was cut while it was read
                raise CompactionAbortedError(f"{self.log.path} was cut or closed while it was compacted") from error
            raise
        finally:
            with self._guard.lock:
                if self.log.cleaning is self:
                    with contextlib.suppress(OSError):  # opening the log removes what is left
                        self.log.abort_cleaning()

    def _run(self) -> Compaction:
        to_clean, offsets, counts = self.to_clean, self.cleaner.offsets, self._counts
        with self._guard.lock, self._guard.reading():
            self.check()
            before = self.log.segments.values(0, to_clean.first_dirty_offset)
            legacy_horizon_ms = before[-1].last_modified_ms - self.config.delete_retention_ms if before else 0
            self._aborted = _Aborted(self.log)
        self._build_map()
        end_offset = offsets.latest_offset + 1
        with self._guard.lock, self._guard.reading():
            self.check()
            segments = {segment.base_offset: segment for segment in self.log.segments.values(0, max(0, end_offset))}
        sizes = [self._sizes(segment) for segment in segments.values()]
        limit = self.config.segment_index_bytes
        for group in grouped(sizes, self.config.segment_bytes, limit, to_clean.first_uncleanable_offset):
            self._clean([segments[member.base_offset] for member in group], legacy_horizon_ms)
        if not self.is_dry_run:
            with self._guard.lock:
                self.check()
                with self._guard.writing():
                    self.log.set_cleaner_offset(end_offset)
        return Compaction(
            to_clean.first_dirty_offset,
            end_offset,
            to_clean.first_uncleanable_offset,
            to_clean.cleanable_ratio,
            counts.segments_before,
            counts.segments_after,
            counts.bytes_before,
            counts.bytes_after,
            counts.read,
            counts.retained,
            counts.without_key,
            counts.mapped_read,
            offsets.size,
            offsets.utilization,
            round((time.monotonic() - self._began_s) * 1000),
        )

    def _sizes(self, segment: LogSegment) -> Sizes:
        with self._guard.lock, self._guard.reading():
            self.check()
            self.log.sealed.touch(segment)
            return Sizes(
                segment.base_offset,
                segment.size,
                segment.offset_index.size_bytes,
                segment.time_index.size_bytes,
            )

    def _pieces(self, segment: LogSegment, position: int = 0) -> Iterator[tuple[Slice, BatchHeaders, bytes]]:
        """Yield the batches of a segment from a position on, some at a time: their source, headers and bytes."""
        half = self.cleaner.config.io_buffer_bytes // 2
        chunk_bytes = _READ_BYTES if self.config.writer_profile == "per-batch" else half
        with self._guard.lock, self._guard.reading():
            self.check()
            file = self.log.open_to_clean(segment)
        end, name = segment.size, str(segment.log_path)
        try:
            while position < end:
                data = file.read_at(position, min(chunk_bytes, end - position))
                self.check()
                headers = read_batch_headers(Slice(name, position, data), position)
                if headers.problem is not None:
                    is_cut = isinstance(headers.problem, TruncatedError) and position + len(data) < end
                    if not is_cut or (not len(headers) and chunk_bytes > _MOST_READ_BYTES):
                        raise headers.problem
                    if not len(headers):
                        chunk_bytes *= 2
                        continue
                data = data[: headers.valid_bytes - position]
                yield Slice(name, position, data), headers, data
                position = headers.valid_bytes
        finally:
            file.close()

    # The map

    def _build_map(self) -> None:
        """Put the keys of the dirty part into the map (buildOffsetMap)."""
        offsets, start, end = (
            self.cleaner.offsets,
            self.to_clean.first_dirty_offset,
            self.to_clean.first_uncleanable_offset,
        )
        offsets.clear()
        with self._guard.lock, self._guard.reading():
            self.check()
            dirty = self.log.segments.values(start, end)
        following = [segment.base_offset for segment in dirty[1:]] + [end]
        transactions = CleanedTransactions(self._aborted.between(start, end))
        for segment, next_start in zip(dirty, following, strict=True):
            if self._map_segment(segment, start, transactions):
                return
            # If offsets are missing at the end of a segment, the map covers them, too.
            offsets.update_latest_offset(next_start - 1)

    def _map_segment(self, segment: LogSegment, start: int, transactions: CleanedTransactions) -> bool:
        """Put the keys of a segment into the map; returns whether it is full."""
        position = 0
        if segment.base_offset < start:
            with self._guard.lock, self._guard.reading():
                self.check()
                self.log.sealed.touch(segment)
                position = max(0, segment.offset_index.lookup(start).position)
        for source, headers, data in self._pieces(segment, position):
            mapped = map_keys(
                *(source, headers, data, self.cleaner.offsets, transactions),
                start_offset=start,
                most_keys=self.cleaner.most_keys,
            )
            self._counts.mapped_read += mapped.read_count
            if mapped.is_full:
                return True
        return False

    # The copy

    def _clean(self, group: Sequence[LogSegment], legacy_horizon_ms: int) -> None:
        """Replace a group of segments by one without the records that the map supersedes (cleanSegments)."""
        with self._guard.lock, self._guard.reading():
            self.check()
            if not self.is_dry_run:
                self.dest = self.log.begin_cleaned(group[0].base_offset)
            last_records = {
                producer_id: LastRecord(entry.last_offset if entry.last_offset >= 0 else None, entry.producer_epoch)
                for producer_id, entry in self.log.producers.state.entries.items()
            }
        transactions = self._transactions
        retention = Retention(
            self.cleaner.offsets,
            self.now_ms,
            self.config.delete_retention_ms,
            self.to_clean.first_uncleanable_offset,
            last_records,
            transactions,
        )
        for number, segment in enumerate(group):
            with self._guard.lock, self._guard.reading():
                self.check()
                is_last = number + 1 == len(group)
                end = self.log.next_offset_of(segment) if is_last else group[number + 1].base_offset
                modified_ms = segment.last_modified_ms
            transactions.add(self._aborted.between(segment.base_offset, end))
            for source, headers, data in self._pieces(segment):
                result = filtered(
                    *(source, headers, data, retention), retains_legacy_deletes=modified_ms > legacy_horizon_ms
                )
                self._counts.take(result)
                self._append(result)
            self._counts.bytes_before += segment.size
            self._counts.segments_before += 1
        self._counts.segments_after += 1
        retained, transactions.retained = transactions.retained, []
        if not self.is_dry_run:
            self._replace(group, retained)

    def _append(self, result: Filtered) -> None:
        if not result.data or self.is_dry_run:
            return
        headers = result.headers
        if self.config.writer_profile == "per-batch":
            batches = [
                AppendBatch(*row)
                for row in zip(
                    headers.base_offset.tolist(),
                    headers.last_offset.tolist(),
                    headers.max_timestamp.tolist(),
                    headers.last_offset.tolist(),
                    headers.size.tolist(),
                    headers.partition_leader_epoch.tolist(),
                    headers.magic.tolist(),
                    headers.producer_id.tolist(),
                    strict=True,
                )
            ]
        else:  # one append, which these writers index as a whole
            first = int(headers.base_offset[0])
            largest = result.max_timestamp, result.max_timestamp_offset
            batches = [AppendBatch(first, result.max_offset, *largest, len(result.data), -1, int(headers.magic[0]), -1)]
        with self._guard.lock, self._guard.reading():
            self.check()
            assert self.dest is not None
            self.dest.append(result.data, batches)

    def _replace(self, group: Sequence[LogSegment], retained: Sequence[AbortedTransaction]) -> None:
        dest = self.dest
        assert dest is not None
        with self._guard.lock, self._guard.reading():
            self.check()
            if retained:
                dest.transactions.append(build_aborted(retained))
            dest.on_become_inactive()
            dest.set_modified_ms(group[-1].last_modified_ms)
            files = dest.duplicates()
        sync_and_close(files)
        with self._guard.lock:
            self.check()
            with self._guard.writing():  # not around the check: an error inside makes the log fail
                self.dest = None
                self.log.replace_segments(dest, group)


def next_to_clean(local: LocalLog, guard: LogGuard, now_ms: int, *, reset: bool) -> LogToClean:
    """See `Log.to_clean`; under the lock."""
    to_clean = log_to_clean(local, local.root.cleaner_offset(local.topic, local.partition), now_ms)
    if reset and to_clean.is_reset:
        guard.check_writable()
        local.set_cleaner_offset(to_clean.first_dirty_offset)
    return to_clean


def cleaning_of(
    local: LocalLog, guard: LogGuard, cleaner: Cleaner, clock: Clock, *, force: bool, is_dry_run: bool
) -> Cleaning | None:
    """The compaction for `Log.compact`, which has the arguments; None for nothing to do. Under the lock."""
    guard.check_writable()
    if local.offsets.is_tiered:
        raise TieredLogError(f"{local.path}: {local.offsets.remote()}; what is remote cannot be compacted")
    going_on = local.cleaning
    if going_on is not None:
        if going_on.thread.is_alive() and going_on.thread is not threading.current_thread():
            raise UsageError(f"{local.path} is being compacted already")
        local.abort_cleaning()  # an interrupt ended it, and its cleanup, too
    to_clean, now_ms = next_to_clean(local, guard, clock(), reset=not is_dry_run), clock()
    if not to_clean.cleanable_bytes or not (force or to_clean.is_due(local.config)):
        return None
    cleaning = local.cleaning = Cleaning(local, to_clean, cleaner, now_ms=now_ms, guard=guard, is_dry_run=is_dry_run)
    return cleaning

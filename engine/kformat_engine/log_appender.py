"""Appends to a log: records and batches of its users, of producers, and of the transaction coordinator.

Preparing an append changes nothing; then it is written, and synced according to the policy. A sync after a roll does
not hold the log's lock all the time. The sync of an append never does: other threads append meanwhile, and the next
sync is that of all of them (`LogFlusher.sync_to`).
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kformat.errors import KformatError
from kformat.integers import MAX_INT32
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.producers.producer_state import EndMarker, Origin, ProducerState, build_marker
from kformat_engine.batching import (
    Plain,
    PlainPieces,
    Prepared,
    accepted,
    analyze_batches,
    give_back,
    given_records,
    numbered,
    prepare_batches,
    prepare_records,
)
from kformat_engine.errors import BatchesTooLargeError, LogError, OffsetOrderError
from kformat_engine.local_log import LocalLog
from kformat_engine.log_guard import LogGuard
from kformat_engine.producer import next_sequence
from kformat_engine.scheduler import Scheduler, Task
from kformat_engine.storage import Clock, File, sync_and_close


class LogFlusher:
    """Flushes a log; see `acknowledge` and `rolled`."""

    def __init__(self, local: LocalLog, guard: LogGuard, scheduler: Scheduler) -> None:
        self._local, self._guard, self._scheduler = local, guard, scheduler
        self._task: Task | None = None
        self._turn = threading.Lock()
        self._is_syncing = False
        self._held: dict[int, int] = {}  # thread -> how far it has appended without an acknowledgement

    def cancel(self) -> None:
        """Cancel the flush in the background."""
        if self._task is not None:
            self._task.cancel()

    def written(self) -> None:
        """Sync now or later, as the policy ``interval`` requires, and wake callers that wait for records."""
        local, offsets = self._local, self._local.offsets
        if local.config.sync_policy == "interval":
            if offsets.end_offset - offsets.synced_offset >= local.config.flush_messages:
                local.flush()
            elif self._task is None and offsets.synced_offset < offsets.end_offset:
                self._task = self._scheduler.schedule("flush", self._flush_when_due, local.config.flush_ms)
        if self._guard.bells:
            self._guard.wake()

    def acknowledge(self, end_offset: int) -> None:
        """Return when an append up to ``end_offset``, exclusive, may be acknowledged: under policy ``batch`` when it
        is on disk. Raises as `sync_to`; the caller does not hold the log's lock. Does nothing within
        `acknowledge_once`."""
        if self._held and (thread := threading.get_ident()) in self._held:
            self._held[thread] = max(self._held[thread], end_offset)
            return
        if self._local.config.sync_policy == "batch":
            self.sync_to(end_offset)

    def acknowledge_once(self, work: Callable[[], object]) -> None:
        """Call a function that appends several times, and then acknowledge all that it appended in this thread: with
        one sync under the policy ``batch``.

        Raises as `sync_to`, also if an append made the log fail: nothing of it is acknowledged then.
        """
        thread = threading.get_ident()
        self._held[thread] = -1
        try:
            work()
        finally:
            end_offset = self._held.pop(thread)
        if end_offset >= 0:
            with self._guard.taken(), self._guard.reading():
                self._guard.check_writable()
            self.acknowledge(end_offset)

    def sync_to(self, end_offset: int) -> None:
        """Return when all records below an offset are on disk; their indexes may be rebuilt after a crash.

        One thread at a time syncs. Those that come meanwhile wait for their turn; the first of them syncs what all have
        appended. A sync that fails or is interrupted makes the log fail, and all that wait raise.

        The caller does not hold the log's lock. Raises OSError; WriterFailedError, LogDirOfflineError if that happened
        in another thread, or before.
        """
        with self._turn:
            while end_offset > self._local.offsets.synced_offset:
                if not self._sync_all(end_offset):
                    return

    def _sync_all(self, end_offset: int) -> bool:
        """Sync all records, in this thread's turn; False if those below an offset are on disk already, or gone."""
        local, guard = self._local, self._guard
        with guard.lock:
            if self._is_syncing:
                guard.fail(LogError("a sync was interrupted"))
            if not self._is_left(end_offset):
                return False
            target, cut_count = local.offsets.end_offset, local.cut_count
            files = [segment.records.file for segment in local.unsynced(local.offsets.synced_offset)]
        self._is_syncing, began = True, time.perf_counter_ns()
        try:
            is_done = all(_was_synced(file) for file in files)
            with guard.lock:
                local.counts.count_sync(began)
                if guard.failure is not None:
                    guard.check_writable()
                # After a cut, other records may have these offsets, and those were not synced here.
                if is_done and local.cut_count == cut_count and local.offsets.synced_offset < target:
                    local.offsets.records_synced(target)
        except KformatError:
            self._is_syncing = False
            raise
        except BaseException as error:
            with guard.lock:
                guard.fail(error)
                guard.is_failure_told = True
            raise
        self._is_syncing = False
        return True

    def _is_left(self, end_offset: int) -> bool:
        """Whether records below an offset have to be synced: they may have been cut, or synced when the log was closed.
        Under the log's lock; syncs the names of files. Raises as `sync_to`."""
        guard, offsets = self._guard, self._local.offsets
        if guard.is_closed and guard.failure is None:
            return False
        if min(end_offset, offsets.end_offset) <= offsets.synced_offset:
            return False
        guard.check_writable()
        guard.root.check_online()
        with guard.writing(is_checked=True):
            self._local.sync_names()
        return True

    def _flush_when_due(self) -> None:
        with self._guard.lock:
            self._task = None
            if self._guard.is_sound:
                with self._guard.in_background():
                    self._local.flush()

    def rolled(self, offset: int) -> None:
        """Schedule a flush of everything below ``offset``, at which a new segment begins."""
        self._scheduler.schedule("flush-log", lambda: self._flush_to(offset), 0)

    def _flush_to(self, offset: int) -> None:
        """Flush everything below ``offset`` without holding the lock all the time (after a roll)."""
        with self._guard.lock:
            cut_count, segments = self._local.cut_count, self._local.unsynced(self._local.offsets.recovery_point)

        def is_due() -> bool:
            # After a cut, other records may have these offsets, and those were not synced here.
            is_well = self._guard.is_sound and self._local.cut_count == cut_count
            return is_well and self._local.offsets.recovery_point < offset <= self._local.offsets.end_offset

        for segment in segments:
            with self._guard.lock:
                if not is_due():
                    return
                files = segment.duplicates() if segment.base_offset < offset else []
            began = time.perf_counter_ns()
            with self._turn:  # These were opened just now, and may not see a failure that another thread has received.
                try:
                    sync_and_close(files)
                except BaseException as error:
                    with self._guard.lock:
                        self._guard.fail(error)
                    raise
            with self._guard.lock:
                if files:
                    self._local.counts.count_sync(began)
        with self._guard.lock:
            if is_due():
                with self._guard.in_background():
                    self._local.producers.sync()
                    self._local.sync_names()
                    self._local.offsets.recovery_point = offset
                    self._local.checkpoint()


def _was_synced(file: File) -> bool:
    """Sync a file; False if another thread had closed it, which does not sync it. OSError."""
    try:
        file.sync()
        return True
    except OSError as error:
        if file.is_closed and error.errno == errno.EBADF:
            return False
        raise


class LogAppender:
    """Appends to a log, under its lock. Raises as `Log.append`."""

    def __init__(self, local: LocalLog, guard: LogGuard, flusher: LogFlusher, clock: Clock) -> None:
        self._local, self._guard, self._flusher, self._clock = local, guard, flusher, clock

    @property
    def producers(self) -> ProducerState:
        """The log's state of producers."""
        return self._local.producers.state

    def prepared(self, records: Any, compression: str | None) -> Sequence[Prepared]:
        """Build batches of the records, with offsets from the log's end on."""
        local = self._local
        end, epoch = local.offsets.end_offset, local.leader_epoch
        return prepare_records(records, end, epoch, local.config, self._clock(), compression=compression)

    def append(self, records: Iterable[Any] | Table, *, compression: str | None = None) -> int:
        """Append records, also to ``__transaction_state``; returns the offset of the first."""
        # Before the lock: an iterator may fail, and may itself append to this log.
        rows = records if type(records) is list else given_records(records)
        guard, local = self._guard, self._local
        with guard.taken(), guard.reading():
            guard.check_writable()
            prepared = self.prepared(rows, compression)
            if type(prepared) is list and len(prepared) == 1 and local.fits(prepared[0]):
                with guard.writing(is_checked=True):
                    first = local.append_fitting(prepared[0])
                    local.counts.append_count += 1
                    self._flusher.written()
            else:
                first = self.write(prepared)
            end = local.offsets.end_offset
        self._flusher.acknowledge(end)
        return first

    def append_batches(self, data: Any, *, assign_offsets: bool, validate: bool) -> int:
        """See `Log.append_batches`."""
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            end, epoch = self._local.offsets.end_offset, self._local.leader_epoch
            origin: Origin = "replication"
            if assign_offsets:
                prepared = prepare_batches(data, end, epoch, self._local.config, self._clock(), validate=validate)
                origin = "client" if validate else "coordinator"
            else:
                followed = analyze_batches(data, self._local.config)
                prepared = [followed] if followed.batches else []
                first = followed.batches[0].base_offset if followed.batches else end
                if first < end:
                    raise OffsetOrderError(f"the first offset {first} is below the log end offset {end}")
            kept, first_offset = accepted(prepared, self.producers, origin)
            self.write(kept)
            give_back(prepared)
            first_offset = end if first_offset is None else first_offset
            end = self._local.offsets.end_offset
        self._flusher.acknowledge(end)
        return first_offset

    def write(self, prepared: Sequence[Prepared]) -> int:
        """Write prepared appends, whose preparation has changed nothing in the log; the caller acknowledges them."""
        segment_bytes = self._local.config.segment_bytes
        if type(prepared) is PlainPieces:
            pieces: Sequence[Sequence[Prepared]] = prepared.pieces
        else:
            pieces = (prepared,)
        are_small = all(type(piece) is Plain and piece.largest_bytes() <= segment_bytes for piece in pieces)
        for append in () if are_small else prepared:
            if len(append.data) > segment_bytes:
                raise BatchesTooLargeError(
                    f"an append of {len(append.data)} bytes does not fit segment.bytes, {segment_bytes}"
                )
            first, last = append.batches[0].base_offset, append.batches[-1].last_offset
            if last - first > MAX_INT32:
                raise BatchesTooLargeError(
                    f"an append of the offsets {first} to {last} does not fit a segment, which has room for 2^31"
                )
        if not prepared:
            return self._local.offsets.end_offset
        with self._guard.writing(is_checked=True):  # by the caller
            for piece in pieces:
                self._local.append(piece)
            self._local.counts.append_count += 1
            self._flusher.written()
        written = pieces[0] if type(pieces[0]) is Plain else prepared[0]
        return written.batches[0].base_offset

    # For the coordinator

    def sync_records(self) -> None:
        """Return when all records have reached the disk; their indexes may be rebuilt after a crash."""
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            end = self._local.offsets.end_offset
        self.sync_to(end)

    def sync_to(self, end_offset: int) -> None:
        """As `sync_records`, for the records below an offset; if they are on disk already, nothing is synced."""
        self._flusher.sync_to(end_offset)

    def producer_epoch(self, producer_id: int) -> int:
        """The latest epoch of a producer id in the log; -1 for none."""
        with self._guard.lock:
            entry = self.producers.entries.get(producer_id)
            return -1 if entry is None else entry.producer_epoch

    def append_transactional(self, records: Any, producer_id: int, producer_epoch: int, compression: str | None) -> int:
        """Append records of a transaction, for the coordinator; InvalidProducerEpochError if it was fenced."""
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            entry = self.producers.entries.get(producer_id)
            is_same = entry is not None and entry.producer_epoch == producer_epoch
            if entry is not None and entry.current_txn_first_offset is not None and not is_same:
                # A cut removed its marker, and the marker of this transaction must not end it.
                self._mark(EndMarker("abort", 0), producer_id, producer_epoch)
            first = next_sequence(entry) if is_same else 0
            prepared = self.prepared(records, compression)
            ours = numbered(prepared, producer_id, producer_epoch, first, is_transactional=True)
            first_offset = self.write(accepted(ours, self.producers, "coordinator")[0])
            end = self._local.offsets.end_offset
        self._flusher.acknowledge(end)
        return first_offset

    def end_transaction(
        self, marker: EndMarker, producer_id: int, producer_epoch: int, *, if_open: bool = False
    ) -> int:
        """Write the marker of a transaction, for the coordinator; returns the offset up to which the caller syncs.
        With ``if_open`` it is written if the producer has an open transaction. If a coordinator wrote here in a later
        epoch, the marker gets that epoch."""
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            entry = self.producers.entries.get(producer_id)
            if not if_open or (entry is not None and entry.current_txn_first_offset is not None):
                self._mark(marker, producer_id, producer_epoch)
            return self._local.offsets.end_offset

    def _mark(self, marker: EndMarker, producer_id: int, producer_epoch: int) -> None:
        """Write a marker, under the log's lock."""
        local, now_ms = self._local, self._clock()
        entry = self.producers.entries.get(producer_id)
        if entry is not None:
            marker = marker._replace(coordinator_epoch=max(marker.coordinator_epoch, entry.coordinator_epoch))
        is_stamped = local.config.message_timestamp_type == "LogAppendTime"
        data = build_marker(marker, producer_id, producer_epoch, now_ms, is_log_append_time=is_stamped)
        end, epoch = local.offsets.end_offset, local.leader_epoch
        prepared = prepare_batches(data, end, epoch, local.config, now_ms, validate=False)
        self.write(accepted(prepared, self.producers, "coordinator")[0])

"""Appends to a log: records and batches of its users, of producers, and of the transaction coordinator.

Preparing an append changes nothing; then it is written, and synced according to the policy. A sync after a roll does
not hold the log's lock all the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kformat.integers import MAX_INT32
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.producers.producer_state import EndMarker, Origin, ProducerState, build_marker
from kformat_engine.batching import (
    Plain,
    Prepared,
    accepted,
    analyze_batches,
    described,
    give_back,
    given_records,
    numbered,
    prepare_batches,
    prepare_records,
)
from kformat_engine.errors import BatchesTooLargeError, OffsetOrderError
from kformat_engine.local_log import LocalLog
from kformat_engine.log_guard import LogGuard
from kformat_engine.producer import next_sequence
from kformat_engine.scheduler import Scheduler, Task
from kformat_engine.storage import Clock, sync_and_close


class LogFlusher:
    """Flushes a log; see `acknowledge` and `rolled`.

    Attributes:
        is_held: `acknowledge` only notes, in ``is_due``, that it was called.
    """

    def __init__(self, local: LocalLog, guard: LogGuard, scheduler: Scheduler) -> None:
        self._local, self._guard, self._scheduler = local, guard, scheduler
        self._task: Task | None = None
        self.is_held = self.is_due = False

    def cancel(self) -> None:
        """Cancel the flush in the background."""
        if self._task is not None:
            self._task.cancel()

    def acknowledge(self) -> None:
        """Sync as the policy requires, and wake callers that wait for records."""
        if self.is_held:
            self.is_due = True
            return
        local, offsets, policy = self._local, self._local.offsets, self._local.config.sync_policy
        if policy == "batch":
            local.sync_log()
        elif offsets.end_offset - offsets.synced_offset >= self._local.config.flush_messages:
            local.flush()
        elif policy == "interval" and self._task is None and offsets.synced_offset < offsets.end_offset:
            self._task = self._scheduler.schedule("flush", self._flush_when_due, self._local.config.flush_ms)
        self._guard.wake()

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
            try:
                sync_and_close(files)
            except BaseException as error:
                with self._guard.lock:
                    self._guard.fail(error)
                raise
        with self._guard.lock:
            if is_due():
                with self._guard.in_background():
                    self._local.producers.sync()
                    self._local.sync_names()
                    self._local.offsets.recovery_point = offset
                    self._local.checkpoint()


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
        rows = given_records(records)  # before the lock: an iterator may fail, and may itself append to this log
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            return self.write(self.prepared(rows, compression))

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
            return end if first_offset is None else first_offset

    def write(self, prepared: Sequence[Prepared]) -> int:
        """Write prepared appends; their preparation has changed nothing in the log."""
        segment_bytes = self._local.config.segment_bytes
        for append in () if isinstance(prepared, Plain) and prepared.fit(segment_bytes) else prepared:
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
            self._local.append(prepared)
            self._flusher.acknowledge()
        return described(prepared)[0].base_offset

    def acknowledge_once(self, work: Callable[[], object]) -> None:
        """Call a function that appends several times, and then acknowledge all that it appended: with one sync under
        the policy ``batch``.

        Raises what that sync raises, WriterFailedError if an append made the log fail: nothing of it is acknowledged.
        """
        flusher = self._flusher
        with self._guard.taken():  # no other thread may be acknowledged meanwhile
            flusher.is_held, flusher.is_due = True, False
            try:
                work()
            finally:
                flusher.is_held = False
            if flusher.is_due:
                with self._guard.reading(), self._guard.writing():
                    flusher.acknowledge()

    # For the coordinator

    def sync_records(self) -> None:
        """Return when all records have reached the disk; their indexes may be rebuilt after a crash."""
        with self._guard.taken(), self._guard.writing():
            self._local.sync_log()

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
                self.end_transaction(EndMarker("abort", 0), producer_id, producer_epoch)
            first = next_sequence(entry) if is_same else 0
            prepared = self.prepared(records, compression)
            ours = numbered(prepared, producer_id, producer_epoch, first, is_transactional=True)
            return self.write(accepted(ours, self.producers, "coordinator")[0])

    def end_transaction(
        self, marker: EndMarker, producer_id: int, producer_epoch: int, *, if_open: bool = False
    ) -> None:
        """Write the marker of a transaction and sync it, for the coordinator; with ``if_open`` only if a transaction of
        the producer is open. If a coordinator wrote here in a later epoch, the marker gets that epoch."""
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            local, now_ms = self._local, self._clock()
            entry = self.producers.entries.get(producer_id)
            if entry is not None:
                if if_open and entry.current_txn_first_offset is None:
                    return
                later = max(marker.coordinator_epoch, entry.coordinator_epoch)
                marker = marker._replace(coordinator_epoch=later)
            elif if_open:
                return
            is_stamped = self._local.config.message_timestamp_type == "LogAppendTime"
            data = build_marker(marker, producer_id, producer_epoch, now_ms, is_log_append_time=is_stamped)
            end, epoch = local.offsets.end_offset, local.leader_epoch
            prepared = prepare_batches(data, end, epoch, self._local.config, now_ms, validate=False)
            self.write(accepted(prepared, self.producers, "coordinator")[0])
            with self._guard.writing():
                local.sync_log()

"""An open log as the other modules of the engine use it: `kformat_engine.log.Log` shows users what they call.

A root registers these objects. The transaction coordinator appends and reads through them. A manager copies a log with
them while it is moved.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

from kformat.errors import KformatError
from kformat.kafka.batch.records import Record
from kformat.kafka.log.fetched import fetched_records
from kformat.kafka.producers.isolation import READ_UNCOMMITTED
from kformat_engine.cleaner import LogToClean, next_to_clean
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import Coordinator
from kformat_engine.local_log import LocalLog
from kformat_engine.log_appender import LogAppender, LogFlusher
from kformat_engine.log_fetcher import LogFetcher
from kformat_engine.log_guard import LogGuard
from kformat_engine.named_producers import NamedProducers
from kformat_engine.root import Root
from kformat_engine.scheduler import Scheduler
from kformat_engine.storage import Clock, Storage


class LogInternals:
    """The parts of an open log, and its end.

    Attributes:
        path, topic, partition, root: see `kformat_engine.log.Log`.
        local, guard, flusher, appender, fetcher, producers: the parts.
        clock, storage, scheduler: those with which it was opened.
        coordinated_by: the coordinator of the transactions that were begun in it alone; None if there were none.
    """

    def __init__(
        self,
        path: Path,
        config: LogConfig,
        root: Root,
        *,
        clock: Clock,
        storage: Storage,
        scheduler: Scheduler,
        chance: random.Random,
    ) -> None:
        self.local = LocalLog(
            *(path, config, root),
            clock=clock,
            storage=storage,
            chance=chance,
            later=lambda *task: self.guard.later(*task),
            on_roll=lambda offset: self.flusher.rolled(offset),
        )
        self.path, self.topic, self.partition, self.root = path, self.local.topic, self.local.partition, root
        self.clock, self.storage, self.scheduler = clock, storage, scheduler
        self.guard = LogGuard(self.local, scheduler)
        self.flusher = LogFlusher(self.local, self.guard, scheduler)
        self.appender = LogAppender(self.local, self.guard, self.flusher, clock)
        self.fetcher = LogFetcher(self.local, self.guard)
        self.producers = NamedProducers(self.local, self.guard, self.appender, self.flusher, clock)
        self.coordinated_by: Coordinator | None = None
        self._is_released = False

    # For the coordinator

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""
        return self.local.offsets.end_offset

    @property
    def leader_epoch(self) -> int:
        """The leader epoch of appended batches."""
        return self.local.leader_epoch

    def records(self) -> Iterator[Record]:
        """All records, as `kformat_engine.log.Log.records` yields them."""
        return fetched_records(part for part, _ in self.fetcher.fetched(None, None, False, None, READ_UNCOMMITTED))

    # For a manager

    def note_offsets(self) -> None:
        """Pass this log's recovery point and start offset to the root; `Root.checkpoint` writes them."""
        with self.guard.taken(), self.guard.reading():
            if self.guard.failure is None and not self.local.is_changing:
                self.local.note_offsets()

    def files_to_copy(self) -> tuple[dict[str, int | None], int]:
        """The files of all segments, and the number of cuts and compactions: as long as that is the same, a copied part
        of a `.log` is still right. The files: name -> how many of its bytes are final; None: all, until the segment
        changes.
        """
        with self.guard.lock:
            return self.local.files_to_copy(), self.local.cut_count + self.local.swap_count

    def to_clean(self, *, reset: bool) -> LogToClean:
        """The part of the log that a compaction would read now; with ``reset`` a cleaner checkpoint outside of the log
        is set to the log's start."""
        with self.guard.taken(), self.guard.reading():
            return next_to_clean(self.local, self.guard, self.clock(), reset=reset)

    # The end

    def close(self) -> None:
        """See `kformat_engine.log.Log.close`."""
        self.guard.check_process()
        try:
            self.leave_coordinator()
        finally:
            self.close_to_move()

    def close_to_move(self) -> None:
        """Close the log, for a manager: the transactions that were begun in it continue in its new place."""
        try:
            with self.guard.lock:
                self.guard.notice_interrupt()
                if self.guard.failure is None and self.root.failure is not None:
                    self.guard.failure, self.guard.is_failure_told = self.root.failure, True
                if not self.guard.is_closed and (self.guard.failure is None or not self.guard.is_failure_told):
                    with self.guard.writing():
                        self.local.finish()
        finally:  # also after an interrupt; after one that comes here, another call does the rest
            with self.guard.lock:
                self.let_go()
            self.root.end_background()

    def delete(self) -> None:
        """See `kformat_engine.log.Log.delete`."""
        self.guard.check_process()
        self.leave_coordinator()
        with self.guard.lock:
            with self.guard.taken(), self.guard.writing():
                self.local.delete()
            self.let_go()
        self.root.end_background()

    def leave_coordinator(self) -> None:
        """Leave the coordinator, without the lock: see `kformat_engine.coordinator`."""
        if self.coordinated_by is not None:
            self.coordinated_by.leave(self)
            self.coordinated_by = None  # last: after an interrupt, the caller comes here again

    def let_go(self) -> None:
        """Release the log, under its lock; after an interrupt another call does the rest."""
        if self._is_released:
            return
        self.guard.notice_interrupt()
        self.guard.is_closed = True
        self.flusher.cancel()
        self.local.release()
        self.guard.wake()
        self.root.unregister(self, failed=self.guard.failure is not None)
        self._is_released = True

    def abandon(self) -> None:
        """Release everything, of a log that is not returned to the caller."""
        if self.coordinated_by is not None:
            with contextlib.suppress(KformatError, OSError):
                self.leave_coordinator()
        self.local.release()
        self.root.unregister(self, failed=True)

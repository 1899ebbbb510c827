"""Bringing a log to the disk: when its sync policy asks for it, and after a roll.

A sync after a roll does not hold the log's lock all the while.
"""

from __future__ import annotations

from kformat_engine.local_log import LocalLog
from kformat_engine.log_guard import LogGuard
from kformat_engine.scheduler import Scheduler, Task
from kformat_engine.storage import sync_and_close


class LogFlusher:
    """Flushes a log; see `acknowledge` and `rolled`."""

    def __init__(self, local: LocalLog, guard: LogGuard, scheduler: Scheduler) -> None:
        self._local, self._guard, self._scheduler = local, guard, scheduler
        self._task: Task | None = None

    def cancel(self) -> None:
        """Flush no more in the background."""
        if self._task is not None:
            self._task.cancel()

    def acknowledge(self) -> None:
        """Sync what the policy asks for, and wake those who wait for records."""
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
        """A segment was begun at an offset: have what lies below it brought to the disk."""
        self._scheduler.schedule("flush-log", lambda: self._flush_to(offset), 0)

    def _flush_to(self, offset: int) -> None:
        """Bring what lies below ``offset`` to the disk without holding the lock all the while (after a roll)."""
        with self._guard.lock:
            cut_count, segments = self._local.cut_count, self._local.unsynced(self._local.offsets.recovery_point)

        def is_due() -> bool:
            # What was cut since may have been appended again, and is not what was synced here.
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

"""The lock of a log, and the states in which calls cannot use it: it was closed, it has failed, or its root is gone.

An interrupt may come after any function call, see `scheduler`: so the caller's own `with` enters the lock,
``with guard.taken(), guard.reading(): ...``.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, Protocol

from kformat.errors import UsageError
from kformat.results import printable
from kformat_engine.errors import (
    LogClosedError,
    LogError,
    RollError,
    SegmentInUseError,
    TieredLogError,
    WriterFailedError,
)
from kformat_engine.local_log import LocalLog
from kformat_engine.scheduler import Scheduler, Task

LOG: Final = logging.getLogger(__name__)


class _Reading:
    """Guards a call that reads, under the log's lock. LogClosedError, LogDirOfflineError."""

    def __init__(self, guard: LogGuard) -> None:
        self.guard = guard

    def __enter__(self) -> None:
        self.guard.check_open()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.guard.root.note_failure(error)


class _Writing:
    """Guards a call that changes the log, under its lock: any error after the change began makes the log fail."""

    def __init__(self, guard: LogGuard, *, is_told: bool = True, is_checked: bool = False) -> None:
        self.guard, self.is_told, self.is_checked = guard, is_told, is_checked

    def __enter__(self) -> None:
        if not self.is_checked:
            self.guard.check_open()
            self.guard.check_writable()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        guard = self.guard
        if error is None:
            guard.local.is_changing = False
            return
        refused = isinstance(error, UsageError | RollError | SegmentInUseError | TieredLogError)
        if guard.local.is_changing or not refused:  # an interrupt, too: the state on disk is unknown
            guard.fail(error)
            guard.is_failure_told = self.is_told


class _Rung(Protocol):
    """A bell, of a thread or of an event loop."""

    def ring(self) -> None: ...


class LogGuard:
    """Lets calls use a `LocalLog`, one at a time.

    Attributes:
        lock: of the log. is_closed: whether the log was closed.
        failure: the error of a failed change, after which nothing is written. is_failure_told: whether a caller has
            received it.
        bells: of callers that wait for records, or for the end of the log.
    """

    def __init__(self, local: LocalLog, scheduler: Scheduler) -> None:
        self.local, self.root, self._scheduler = local, local.root, scheduler
        self.lock = threading.RLock()
        self.bells: list[_Rung] = []
        self.failure: BaseException | None = None
        self.is_failure_told = self.is_closed = False
        self._process_id = os.getpid()
        self._reading, self._writing = _Reading(self), _Writing(self)
        self._writing_checked = _Writing(self, is_checked=True)

    def check_process(self) -> None:
        """RootLockedError in a forked child, before it waits for a lock that a thread of its parent held then."""
        if os.getpid() != self._process_id:
            self.root.check_held()

    def taken(self) -> AbstractContextManager[bool]:
        """The lock, for the caller's `with`, which enters it."""
        self.check_process()
        return self.lock

    def reading(self) -> _Reading:
        """The context of readers, under the lock."""
        return self._reading

    def writing(self, *, is_checked: bool = False) -> _Writing:
        """The context of writers, under the lock; ``is_checked``: the caller did the checks of `check_writable`."""
        return self._writing_checked if is_checked else self._writing

    def in_background(self) -> _Writing:
        """As `writing`, for background work: the next call reports its error, even if that is `Log.close`."""
        return _Writing(self, is_told=False)

    def later(self, name: str, work: Callable[[], None], delay_ms: int) -> Task:
        """Schedule a change in the background; it is skipped if the log is closed or has failed by then."""

        def due() -> None:
            with self.lock:
                if self.is_sound:
                    with self.in_background():
                        work()

        return self._scheduler.schedule(name, due, delay_ms)

    @property
    def is_sound(self) -> bool:
        """Whether the log is neither closed nor failed."""
        return not self.is_closed and self.failure is None

    @property
    def state(self) -> str:
        """Open, closed, failed or offline, for people."""
        failure = self.failure or self.root.failure
        if failure is not None:
            return f"{'closed after a failure' if self.is_closed else 'failed'}: {printable(repr(failure))}"
        return "closed" if self.is_closed else "open"

    def check_open(self) -> None:
        """Raise LogClosedError or LogDirOfflineError if the log cannot be used."""
        if self.is_closed:
            raise LogClosedError(f"{self.local.path} was closed")
        self.root.check_online()

    def notice_interrupt(self) -> None:
        """Make the log fail if a change is incomplete because an interrupt hit the error handling, too."""
        if self.local.is_changing and self.failure is None:
            self.fail(LogError("it was interrupted"))
            self.is_failure_told = True

    def check_writable(self) -> None:
        """Raise WriterFailedError after a failed change; RootLockedError, LogClosedError."""
        self.notice_interrupt()
        if self.failure is not None:
            self.is_failure_told = True
            raise WriterFailedError(
                f"{self.local.path}: an earlier change failed ({self.failure!r}); open the log again"
            ) from self.failure
        self.root.check_held()

    def fail(self, error: BaseException) -> None:
        """Mark the log as failed: a change went wrong, and the state on disk is unknown."""
        if self.failure is None:
            self.failure = error
            LOG.error("%s: failed, and has to be opened again: %r", self.local.path, error)
        self.root.note_failure(error)
        self.wake()

    def wake(self) -> None:
        """Wake waiting callers, which then look at the log again."""
        if self.bells:
            for bell in list(self.bells):
                bell.ring()

"""Background work of logs: syncs of several appends at once, the removal of deleted files.

`ThreadScheduler` runs tasks in a thread of its own, which starts with the first task.

An error of a task is passed to ``on_error`` with the task's name, and later tasks still run. Without ``on_error``,
`close` raises it. Nothing is printed.

An interrupt (a signal whose handler raises, as for Ctrl-C) may come after any function call. So locks are taken by
``with`` and a lock that is written in C, which leaves no gap for one, here and everywhere in a log: not by a function
or a context manager written in Python, and `threading.Condition` is one. Threads wait for a `Bell`.
"""

from __future__ import annotations

import heapq
import itertools
import queue
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from kformat.errors import UsageError

OnError = Callable[[str, BaseException], None]
"""Gets the name of a task and its error."""


class Bell:
    """Wakes a waiting thread. Any thread may ring it, at any time; it wakes the next one that waits."""

    def __init__(self) -> None:
        self._rung: queue.SimpleQueue[None] = queue.SimpleQueue()

    def ring(self) -> None:
        """Wake the thread that waits, or that waits next; ringing twice before that is ringing once."""
        if self._rung.empty():
            self._rung.put(None)

    def wait(self, timeout_s: float | None = None) -> None:
        """Return when it was rung, or the time is over."""
        try:
            # `flush.ms` may be 292 million years, longer than Python can wait.
            self._rung.get(timeout=None if timeout_s is None else min(max(timeout_s, 0), threading.TIMEOUT_MAX))
        except queue.Empty:
            pass


class Task:
    """A scheduled task.

    Attributes:
        name: for people. due_ms: when it runs, by the scheduler's clock.
        is_cancelled: whether `cancel` was called.
    """

    def __init__(self, name: str, function: Callable[[], object], due_ms: float) -> None:
        self.name, self.function, self.due_ms = name, function, due_ms
        self.is_cancelled = False

    def cancel(self) -> None:
        """Do not run it any more; a running one continues to its end. Twice is no error."""
        self.is_cancelled = True


class Scheduler:
    """A queue of tasks by due time. Safe to call from several threads, and from tasks."""

    def __init__(self, on_error: OnError | None = None) -> None:
        self._on_error = on_error
        self._lock = threading.RLock()
        self._bell = Bell()
        self._queue: list[tuple[float, int, Task]] = []
        self._numbers = itertools.count()
        self._errors: list[BaseException] = []
        self.is_closed = False

    def now_ms(self) -> float:
        """The scheduler's clock, ms since some moment."""
        raise NotImplementedError

    def schedule(self, name: str, function: Callable[[], object], delay_ms: int = 0) -> Task:
        """Run a function once, in ``delay_ms``; UsageError when the scheduler was closed."""
        task = Task(name, function, self.now_ms() + max(delay_ms, 0))
        with self._lock:
            if self.is_closed:
                raise UsageError(f"{name}: the scheduler is closed")
            self._push(task)
        return task

    @property
    def pending(self) -> tuple[Task, ...]:
        """The waiting tasks, the next one first."""
        with self._lock:
            return tuple(task for _, _, task in sorted(self._queue) if not task.is_cancelled)

    def stop(self) -> None:
        """Drop waiting tasks, and accept no more; does not wait. Twice is no error."""
        with self._lock:
            self.is_closed = True
            self._queue.clear()
        self._bell.ring()

    def close(self) -> None:
        """Drop waiting tasks and wait for a running one; twice is no error. Raises errors that had no ``on_error``."""
        self.stop()
        self._raise_error()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _push(self, task: Task) -> None:
        heapq.heappush(self._queue, (task.due_ms, next(self._numbers), task))
        self._bell.ring()

    def _take_due(self, now_ms: float) -> Task | None:
        """The next task if it is due; cancelled ones are dropped on the way. Under the lock."""
        while self._queue and (self._queue[0][2].is_cancelled or self._queue[0][0] <= now_ms):
            task = heapq.heappop(self._queue)[2]
            if not task.is_cancelled:
                return task
        return None

    def _run(self, task: Task, what_is_kept: type[BaseException] = Exception) -> None:
        try:
            task.function()
        except what_is_kept as error:
            if self._on_error is None:
                with self._lock:
                    self._errors.append(error)
            else:
                self._on_error(task.name, error)

    def _raise_error(self) -> None:
        with self._lock:
            errors, self._errors = self._errors, []
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"another task failed, too: {other!r}")
            raise errors[0]


class ThreadScheduler(Scheduler):
    """Runs tasks in one daemon thread, one at a time, by the monotonic clock.

    A forked process has no thread: there, the first task starts a new one, without the parent's waiting tasks.
    """

    def __init__(self, on_error: OnError | None = None) -> None:
        super().__init__(on_error)
        self._thread: threading.Thread | None = None

    def now_ms(self) -> float:
        """Ms since some moment (time.monotonic)."""
        return time.monotonic() * 1000

    def close(self) -> None:
        """Drop waiting tasks, and return when the running one has ended; from inside a task, at once."""
        self.stop()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self._raise_error()

    def _push(self, task: Task) -> None:
        if self._thread is None or not (self._thread.is_alive() or self._thread is threading.current_thread()):
            self._queue.clear()
            thread = threading.Thread(target=self._work, name="kformat-scheduler", daemon=True)
            thread.start()
            self._thread = thread  # last: an interrupted start leaves one that nobody can join
        super()._push(task)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self.is_closed:
                    self._bell.ring()  # for the thread of a start that was interrupted, if there is one
                    return
                task = self._take_due(self.now_ms())
                wait_s = (self._queue[0][0] - self.now_ms()) / 1000 if self._queue else None
            if task is None:
                self._bell.wait(wait_s)
            else:
                self._run(task, BaseException)  # nobody would see an error that leaves this thread

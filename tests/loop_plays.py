"""What tests under asyncio share: cancellation at a chosen step, and what must not be left."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from kformat_engine.log import Log
from tests.engine.faults import FaultyStorage, Step

T = TypeVar("T")

WAYS: Final = ("at once", "when the result is there", "at a step of the disk")
"""When a task is cancelled that waits for something: before it can have begun; when it is done, but before the task is
resumed; or while the thread works."""


class CancelledAt(Generic[T]):
    """Awaits something, and cancels the task where it waits for the n-th time (``number``, from 1).

    Attributes:
        count: how many times it waited. was_cancelled: whether that came to pass.
    """

    def __init__(self, awaitable: Awaitable[T], number: int, way: str = "at once") -> None:
        self._awaitable, self._number, self._way = awaitable, number, way
        self.count = 0
        self.was_cancelled = False

    def __await__(self) -> Generator[Any, Any, T]:
        inner, task = self._awaitable.__await__(), asyncio.current_task()
        assert task is not None
        error: BaseException | None = None
        while True:
            try:
                waited = next(inner) if error is None else inner.throw(error)
            except StopIteration as end:
                value: T = end.value
                return value
            self.count += 1
            if self.count == self._number:
                self.was_cancelled = True
                if waited is None or self._way == "at once":
                    asyncio.get_running_loop().call_soon(task.cancel)
                else:
                    waited.add_done_callback(lambda _: task.cancel())
            error = None
            try:
                yield waited
            except BaseException as thrown:
                error = thrown


def cancelled_at_disk_step(number: int) -> tuple[FaultyStorage, Callable[[], bool]]:
    """A disk at whose n-th step the task that calls this is cancelled, while the thread waits; and whether it was."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    was_cancelled = False

    def before_step(step: Step) -> None:
        nonlocal was_cancelled
        if step.number == number:
            seen = threading.Event()

            def cancel() -> None:
                assert task is not None
                task.cancel()
                loop.call_soon(seen.set)

            was_cancelled = True
            loop.call_soon_threadsafe(cancel)
            assert seen.wait(60)

    return FaultyStorage(before_step=before_step), lambda: was_cancelled


async def quiet(seen: Sequence[object]) -> None:
    """Return once nothing was added to a list for a while; a program that looks again and again never lets it."""
    count = -1
    while len(seen) != count:
        count = len(seen)
        await asyncio.sleep(0.1)


async def waited(awaitable: Awaitable[T]) -> T:
    """Await it: tasks are made of coroutines alone."""
    return await awaitable


def threads() -> list[str]:
    """The threads that asyncio's classes have started and not ended."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kformat ")]


class Gate(FaultyStorage):
    """A disk on which syncs of a `.log` wait until they are let through.

    Attributes:
        sync_count: the syncs of `.log` files since `close`. failing_sync: the number of the one that fails, from 1.
    """

    def __init__(self) -> None:
        super().__init__(before_step=self._wait)
        self._is_open = threading.Event()
        self._is_open.set()
        self._is_reached = threading.Event()
        self.sync_count = 0
        self.failing_sync: int | None = None

    def _wait(self, step: Step) -> None:
        if step.operation == "sync" and step.name.endswith(".log"):
            self.sync_count += 1
            self._is_reached.set()
            assert self._is_open.wait(60)
            if self.sync_count == self.failing_sync:
                raise OSError(errno.EIO, os.strerror(errno.EIO))

    def close(self) -> None:
        self.sync_count = 0
        self._is_reached.clear()
        self._is_open.clear()

    async def reached(self) -> None:
        """Return when a sync waits."""
        assert await asyncio.to_thread(self._is_reached.wait, 60)

    def open_up(self) -> None:
        self._is_open.set()


def values_of(path: Path, isolation_level: str = "read_uncommitted") -> list[bytes | None]:
    """The values in a log, which opens without a lock and without recovery."""
    with Log.open(path) as log:
        assert not log.report.changes, str(log.report)
        return [record.value for record in log.records(isolation_level=isolation_level)]

"""A disk whose syncs wait until a test lets them go."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable

from kformat_engine.storage import File, Storage

WAIT_S = 20


class HeldFile(File):
    storage: HeldStorage

    def sync(self) -> None:
        self.storage.sync(self)


class HeldStorage(Storage):
    """A disk whose syncs of a `.log` wait for `let_go`, while `is_held`; other files are not synced.

    Attributes:
        topic: of which logs syncs wait; by default all.
        begun_count: how many syncs of a `.log` have begun. error: the errno with which they fail.
    """

    file_class = HeldFile

    def __init__(self, topic: str = "") -> None:
        self.topic = topic
        self.begun_count, self.is_held = 0, False
        self.error: int | None = None
        self._next = threading.Semaphore(0)

    def sync(self, file: File) -> None:
        if file.path.suffix != ".log" or not file.path.parent.name.startswith(self.topic):
            return
        self.begun_count += 1
        if self.is_held:
            assert self._next.acquire(timeout=WAIT_S)
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error), str(file.path))
        if file.is_closed:
            raise OSError(errno.EBADF, "the file was closed", str(file.path))

    def let_go(self) -> None:
        self._next.release()


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, at most `WAIT_S` seconds."""
    pause = threading.Event()
    for _ in range(WAIT_S * 1000):
        if is_so():
            return
        pause.wait(0.001)
    raise AssertionError("it did not come to that")

"""Who owns a root: one process, by a lock on the file `.lock` in it, the one that a broker takes.

Java's FileLock is a POSIX record lock, so this is one, too: `flock` would be granted beside a live broker. The system
lets go of it when the process ends, however it ends. Such locks belong to the process, not to who opened the file:

* The process that has one is granted it once more. A registry says what this process holds; folders are told by device
  and inode, so another path to the same folder is no way around it.
* The lock is gone when any descriptor of the file is closed in the process. `.lock` is therefore opened once; nothing
  else in the process may open and close it (a copy of the whole root does). `RootLock.refresh` takes a lock that was
  lost in this way again, or finds out that somebody else was faster.
* A forked child has the objects, but not the lock: there, they hold nothing.
"""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from typing import Final

from kformat_engine.errors import LogClosedError, RootLockedError
from kformat_engine.storage import Storage

LOCK_FILE: Final = ".lock"

Identity = tuple[int, int]

registry_guard = threading.RLock()
"""Held while this process's registry is looked at and changed."""

_held: dict[Identity, RootLock] = {}


class RootLock:
    """The lock on one root, held from `acquire` to `release`.

    Attributes:
        folder: the root. owner: whoever asked for it; None once it is released.
    """

    def __init__(self, folder: Path, identity: Identity, storage: Storage, owner: object) -> None:
        self.folder, self.identity, self.owner = folder, identity, owner
        self._process_id = os.getpid()
        self._file = storage.open(folder / LOCK_FILE, create=True)
        try:
            self._take()
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def acquire(cls, folder: Path, storage: Storage, owner: object) -> RootLock:
        """Take the lock of a folder that is there; RootLockedError, at once, where somebody has it. OSError."""
        with registry_guard:
            holder = cls.of(folder)
            if holder is not None:
                raise RootLockedError(f"{folder} is open in this process already")
            identity = _identity(folder)
            lock = _held[identity] = cls(folder, identity, storage, owner)
            return lock

    @classmethod
    def of(cls, folder: Path) -> RootLock | None:
        """This process's lock of a folder; None where it has none."""
        with registry_guard:
            lock = _held.get(_identity(folder))
            return lock if lock is not None and lock.is_held else None

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock, as far as it knows."""
        return not self._file.is_closed and self._process_id == os.getpid()

    def check(self) -> None:
        """LogClosedError where it was released, RootLockedError where it is that of the parent process."""
        if self.is_held:
            return
        if self._process_id != os.getpid():
            raise RootLockedError(f"{self.folder} is held by process {self._process_id}, of which this one was forked")
        raise LogClosedError(f"{self.folder} was closed")

    def refresh(self) -> None:
        """Make sure that the lock is there; RootLockedError where it was lost, and somebody else has it now.

        Or where it keeps nobody out any more, because `.lock` was removed.
        """
        self.check()
        self._take()
        try:
            found = os.stat(self.folder / LOCK_FILE)
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._file.identity:
            raise RootLockedError(f"{self.folder / LOCK_FILE} was removed: another process may own the root")

    def release(self) -> None:
        """Let go; twice is no error. The file stays, as a broker leaves it."""
        with registry_guard:
            if _held.get(self.identity) is self:
                del _held[self.identity]
            self._file.close()
            self.owner = None

    def _take(self) -> None:
        try:
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise RootLockedError(
                f"{self.folder} is locked by another process, a broker or a program that writes logs there"
            ) from error


def _identity(folder: Path) -> Identity:
    found = os.stat(folder)
    return found.st_dev, found.st_ino


def _forget_all() -> None:
    """In a forked child: close the descriptors now. Later it would cost the child a lock that it took itself."""
    global registry_guard
    registry_guard = threading.RLock()
    for lock in _held.values():
        lock._file.close()
    _held.clear()


os.register_at_fork(after_in_child=_forget_all)

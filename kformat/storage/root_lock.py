"""Who may write below a root: one process, and one owner in it, by a lock on the file `.lock`, which a broker takes.

Java's FileLock is a POSIX record lock, so this is one, too: `flock` would be granted next to a live broker. The system
lets go of it when the process ends, however it ends. Such locks belong to the process, not to who opened the file:

* The process that has one is granted it once more. So a registry says what this process holds. Folders are compared by
  device and inode, and by path: another path to the same folder is no way around it.
* The lock is gone when any descriptor of the file is closed in the process. So this module opens that file, once for
  each lock, and nothing else in the house does: readers do without it. `refuse_held` keeps them from it where they are
  given its name. `RootLock.refresh` takes a lock that was lost in spite of that again, or finds out that somebody else
  was faster.
* A forked child has the objects, but not the lock: there, they hold nothing.

`.lock` may have been put there by somebody hostile: a link is not followed, neither to what is there nor to what is
not, and only a file that is made here is given to the owner of the root.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from kformat.errors import RootLockedError
from kformat.storage.plain_file import StrPath, create_plain, give_away, open_plain

LOCK_FILE: Final = ".lock"
_POLL_S: Final = 0.05
_ATTEMPTS: Final = 10
"""How often the file is opened and made, where others make and remove it meanwhile."""

Identity = tuple[int, int]
"""Device and inode."""

registry_guard = threading.RLock()
"""Held while this process's registry is looked at and changed."""

_held: list[RootLock] = []


class RootLock:
    """The lock on one root: held from `take` to `release`. Use it as a context manager after `take`, or release it.

    It is made before it is taken, so that a caller that is interrupted in between has something to release.

    Attributes:
        folder: the root, which has to be there when the lock is taken. owner: the caller that asked for it.
    """

    def __init__(self, folder: StrPath, owner: object = None) -> None:
        self.folder, self.owner = Path(folder), owner
        self._real = ""
        self._identity: Identity | None = None
        self._file: Identity | None = None
        self._descriptor: int | None = None
        self._others: list[int] = []
        self._process_id = os.getpid()

    def take(self, *, wait_s: float = 0, before_create: Callable[[Path], object] | None = None) -> Self:
        """Take the lock; a `.lock` that is not there is made.

        Args:
            wait_s: how long to wait for somebody who has it.
            before_create: called with the path of a `.lock` that is about to be made.

        Raises:
            RootLockedError: somebody has it, in this process or another one; or `.lock` is a link, or no file.
            OSError: it cannot be opened or made.
        """
        end = time.monotonic() + wait_s
        while True:
            try:
                with registry_guard:
                    busy = self._take(before_create)
                    if busy is None:
                        return self
                    self.release()
            except BaseException:
                self.release()
                raise
            if time.monotonic() >= end:
                raise RootLockedError(busy)
            time.sleep(_POLL_S)

    @staticmethod
    def of(folder: StrPath) -> RootLock | None:
        """This process's lock of a folder; None where it has none. OSError."""
        with registry_guard:
            identity, real = _identity(os.stat(folder)), os.path.realpath(folder)
            return next((one for one in held() if one._identity == identity or one._real == real), None)

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock, as far as it knows."""
        return self._descriptor is not None and self._process_id == os.getpid()

    def check_process(self) -> None:
        """RootLockedError in a child that was forked while this was held."""
        if self._process_id != os.getpid():
            raise RootLockedError(
                f"{self.folder} is locked by process {self._process_id}, from which this one was forked"
            )

    def refresh(self) -> None:
        """Make sure that a held lock is there; RootLockedError where it was lost, and somebody else has it now.

        Or where it keeps nobody out any more, because `.lock` was removed.
        """
        self.check_process()
        busy = self._lock()
        if busy is not None:
            raise RootLockedError(busy)
        try:
            found = _identity(os.lstat(self.folder / LOCK_FILE))
        except FileNotFoundError:
            found = None
        if found != self._file:
            raise RootLockedError(f"{self.folder / LOCK_FILE} was removed: another process may own the root")

    def release(self) -> None:
        """Let go; twice is no error. The file stays, as a broker leaves it."""
        with registry_guard:
            if self in _held:
                _held.remove(self)
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    # Under the registry's guard

    def _take(self, before_create: Callable[[Path], object] | None) -> str | None:
        """Take it, or say who has it. RootLockedError where waiting is of no use."""
        if RootLock.of(self.folder) is not None:
            return f"{self.folder} is open in this process already"
        self._process_id = os.getpid()
        self._identity, self._real = _identity(os.stat(self.folder)), os.path.realpath(self.folder)
        self._descriptor = self._open(self.folder / LOCK_FILE, before_create)
        self._file = _identity(os.fstat(self._descriptor))
        other = _holder_of(self._file)
        if other is not None:  # it became that file after it was looked at; to close it would cost the other its lock
            other._others.append(self._descriptor)
            self._descriptor = None
            raise _same_file(self.folder, other)
        busy = self._lock()
        if busy is None:
            _held.append(self)
        return busy

    def _open(self, path: Path, before_create: Callable[[Path], object] | None) -> int:
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(FileNotFoundError):
                return self._open_found(path)
            if before_create is not None:
                before_create(path)
            with contextlib.suppress(FileExistsError):
                descriptor = create_plain(path)
                give_away(descriptor, os.stat(self.folder))  # a broker has to be able to open what root has made
                return descriptor
        raise RootLockedError(f"{path} is created and removed repeatedly by another process")

    def _open_found(self, path: Path) -> int:
        other = _holder_of(_identity(os.lstat(path)))
        if other is not None:
            raise _same_file(self.folder, other)
        try:
            return open_plain(path, os.O_RDWR)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EINVAL, errno.EISDIR):
                raise RootLockedError(
                    f"{path} is a link or not a file: kformat cannot know which process writes in "
                    f"{self.folder}. If no broker runs there, remove it"
                ) from None
            raise

    def _lock(self) -> str | None:
        """Lock the open file, once more if need be; None, or who has it."""
        assert self._descriptor is not None
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return f"{self.folder} is locked by another process, a broker or a program that writes logs there"
        return None

    def _close(self) -> None:
        # No call between taking a descriptor off and closing it: an interrupt comes after calls.
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
        while self._others:
            os.close(self._others.pop())


def held() -> Iterator[RootLock]:
    """The locks that this process has; under `registry_guard`, where that matters."""
    return (lock for lock in list(_held) if lock.is_held)


def _holder_of(file: Identity) -> RootLock | None:
    return next((lock for lock in held() if lock._file == file), None)


def refuse_held(path: StrPath) -> None:
    """RootLockedError for a file that this process has a lock on: to open and close it would give up the lock."""
    if not _held:
        return
    try:
        identity = _identity(os.stat(path))
    except (OSError, ValueError):
        return
    lock = _holder_of(identity)
    if lock is not None:
        raise RootLockedError(
            f"{os.fspath(path)} is the lock of {lock.folder}, which this process holds: reading it would release it"
        )


def _same_file(folder: Path, other: RootLock) -> RootLockedError:
    return RootLockedError(
        f"{folder / LOCK_FILE} is another name of the lock of {other.folder}, which this process holds: remove it"
    )


def _identity(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino


def _forget_all() -> None:
    """In a forked child: close the descriptors now. Later it would cost the child a lock that it took itself."""
    global registry_guard
    registry_guard = threading.RLock()
    for lock in _held:
        lock._close()
    _held.clear()


os.register_at_fork(after_in_child=_forget_all)


__all__ = ["RootLock"]

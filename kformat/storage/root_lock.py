"""The lock on a root: one process, and one owner in it, may write there. It is the broker's own lock file, `.lock`.

Java's FileLock is a POSIX record lock, so this is one, too: `flock` would be granted next to a live broker. The system
releases it when the process ends, however it ends. Such locks belong to the process, not to the opener of the file:

* A process that holds the lock can take it again. So a registry records the locks of this process. Folders are compared
  by device and inode, and by path: another path to the same folder does not bypass the lock.
* Closing any descriptor of the file in the process releases the lock. So only this module opens that file, once per
  lock; readers do not. `refuse_held` rejects the file if it is passed to a reader. If the lock is lost anyway,
  `RootLock.refresh` takes it again, or finds that another process was faster.
* A forked child has the objects, but not the locks: there, they hold nothing.

`.lock` may have been put there by an attacker: a link is not followed, even if it dangles, and only a file created here
is given to the owner of the root.
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
"""How often to try to open or create the file if other processes create and remove it."""

Identity = tuple[int, int]
"""Device and inode."""

registry_guard = threading.RLock()
"""Held while this process's registry is read or changed."""

HELD: list[RootLock] = []
"""The locks of this process, some of which may be lost by now (`held`)."""


class RootLock:
    """The lock on one root, held from `take` to `release`. Use it as a context manager after `take`, or release it.

    It is created before it is taken, so that a caller interrupted in between has an object to release.

    Attributes:
        folder: the root, which must exist when the lock is taken. owner: the caller that requested it.
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
        """Take the lock; creates a missing `.lock`.

        Args:
            wait_s: how long to wait for another holder.
            before_create: called with the path of a `.lock` before it is created.

        Raises:
            RootLockedError: it is held by this process or another one; or `.lock` is a link, or not a file.
            OSError: it cannot be opened or created.
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
        """This process's lock of a folder; None if it has none. OSError."""
        with registry_guard:
            identity, real = _identity(os.stat(folder)), os.path.realpath(folder)
            return next((lock for lock in held() if lock._identity == identity or lock._real == real), None)

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
        """Make sure that a held lock is still there. RootLockedError if it was lost and another process has it now, or
        if it no longer excludes anyone because `.lock` was removed.
        """
        self.check_process()
        busy = self._lock()
        if busy is not None:
            raise RootLockedError(busy)
        try:
            identity = _identity(os.lstat(self.folder / LOCK_FILE))
        except FileNotFoundError:
            identity = None
        if identity != self._file:
            raise RootLockedError(f"{self.folder / LOCK_FILE} was removed: another process may own the root")

    def release(self) -> None:
        """Release the lock; releasing twice is no error. The file stays, as after a broker."""
        with registry_guard:
            if self in HELD:
                HELD.remove(self)
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    # Under the registry's guard

    def _take(self, before_create: Callable[[Path], object] | None) -> str | None:
        """Take the lock, or return its holder. RootLockedError if waiting is useless."""
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
            HELD.append(self)
        return busy

    def _open(self, path: Path, before_create: Callable[[Path], object] | None) -> int:
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(FileNotFoundError):
                return self._open_found(path)
            if before_create is not None:
                before_create(path)
            with contextlib.suppress(FileExistsError):
                descriptor = create_plain(path)
                give_away(descriptor, os.stat(self.folder))  # a broker must be able to open a file that root created
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
        """Lock the open file, retrying once if needed; returns None, or the holder."""
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
    """The locks that this process holds; hold `registry_guard` if they must not change."""
    return (lock for lock in list(HELD) if lock.is_held)


def _holder_of(file: Identity) -> RootLock | None:
    return next((lock for lock in held() if lock._file == file), None)


def refuse_held(path: StrPath) -> None:
    """RootLockedError for a file that this process has locked: opening and closing it would release the lock."""
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


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def _forget_all() -> None:
    """In a forked child: close the descriptors now. Closing them later would release a lock taken by the child."""
    global registry_guard
    registry_guard = threading.RLock()
    for lock in HELD:
        lock._close()
    HELD.clear()


os.register_at_fork(after_in_child=_forget_all)


__all__ = ["RootLock"]

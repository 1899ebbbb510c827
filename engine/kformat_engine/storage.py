"""Everything the engine does to a disk, in one place, so that a test can intercept it.

Rules:

* Each operation that changes the disk calls `Storage.step` first, with its name: ``write``,
  ``truncate``, ``sync``, ``create``, ``rename``, ``unlink``, ``make_directory``, ``remove_directory``,
  ``sync_directory``, ``set_modified``. A test's storage raises there, ends the process there, or keeps a list.
* A write is complete or raises OSError; recovery handles an interrupted one.
* Mappings are for reading. Stores go through `write_at`: a full disk is then an error, while a store into a mapping
  of a hole is a signal that kills the process. The page cache shows a written page in every mapping of it.
* `write_atomically` is Kafka's way (CheckpointFile): write a temporary file, sync, rename, sync the directory. It is
  `kformat.storage.atomic_write` in steps that a test can stop at.
* Only regular files are written to: no link is followed, not even to create its target (`plain_file`).
* Descriptors are limited: at most `most_descriptors` files and mappings of the process have one. The least recently
  used file gives its descriptor up, and opens its path again on its next use. One that was written to is synced first:
  an error of the disk would be lost with its last descriptor, so it is kept, and raised by the next use.
* A file that has a second name (a hard link: what `kformat salvage --in-place` keeps, a snapshot by ``cp -al``) is
  copied before each change of its bytes or times, and the copy replaces it under the name here: the other name keeps
  the old file. After a crash the name here is of the old file or of the whole copy.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import resource
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from kformat.storage.atomic_write import BESIDE, sync_folder
from kformat.storage.plain_file import create_plain, give_away, open_plain, open_to_read

Result = TypeVar("Result")

_READ_BYTES: Final = 1 << 30  # Linux moves at most 2 GiB in one call
_COPY_BYTES: Final = 1 << 22
_CLONE: Final = 0x40049409  # Linux's FICLONE: XFS and Btrfs give a file the bytes of another one without copying them


_MOST_DESCRIPTORS: Final = 256


def most_descriptors() -> int:
    """The most files and mappings, of all logs of this process, that have a descriptor at once: 256, or a quarter of
    RLIMIT_NOFILE."""
    return max(4, min(_MOST_DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4))


class HasDescriptor(Protocol):
    """A file or a mapping, of which Python keeps a descriptor; ``was_used``: since `_Descriptors` last checked it."""

    was_used: bool

    def give_up(self) -> None:
        """Close the descriptor until the next use. Called in any thread, which may hold locks of other logs."""


class _Descriptors:
    """The holders of descriptors in this process, oldest first. Those that gave it up may still be listed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[HasDescriptor, None] = OrderedDict()

    def add(self, holder: HasDescriptor) -> None:
        with self._lock:
            self._held[holder] = None

    def remove(self, holder: HasDescriptor) -> None:
        with self._lock:
            self._held.pop(holder, None)

    def make_room(self) -> None:
        """Make others give up their descriptors until there is room for one more. The caller holds no file's lock."""
        most = most_descriptors()
        for _ in range(2 * len(self._held)):
            with self._lock:
                if len(self._held) < most:
                    return
                holder = self._held.popitem(last=False)[0]
                if holder.was_used:  # since the last check: it gets a second chance
                    holder.was_used = False
                    self._held[holder] = None
                    continue
            holder.give_up()

    def forget_all(self) -> None:
        """Reset in a forked child, whose parent may have held the lock: its files stay as they are."""
        self._lock = threading.Lock()
        self._held.clear()


descriptors: Final = _Descriptors()
os.register_at_fork(after_in_child=descriptors.forget_all)


class File:
    """An open file, read and written at positions; the caller that renames it sets ``path``.

    ``on_copied``, if set, is called before a copy replaces the file, because it has a second name.
    Several threads may use it. Operations on the descriptor hold the file's lock, so that nobody closes it meanwhile;
    a thread that holds that lock waits for no other file's.
    """

    def __init__(self, storage: Storage, path: Path, descriptor: int, writable: bool) -> None:
        self.storage, self.path, self.writable = storage, path, writable
        self.is_closed = False
        self.was_used = True
        self._lock = threading.RLock()
        self._syncing = threading.Lock()  # taken before the other
        self._descriptor: int | None = descriptor
        self._is_dirty = False
        self._failure: OSError | None = None
        self.on_copied: Callable[[], object] | None = None
        descriptors.add(self)

    @property
    def descriptor(self) -> int:
        """The descriptor, reopened if it was given up; under the file's lock. OSError if the file is gone."""
        self.was_used = True
        if self._failure is not None:
            raise self._failure  # each time: a sync that succeeds after one that failed means nothing
        if self._descriptor is None:
            if self.is_closed:
                raise OSError(errno.EBADF, "the file was closed", str(self.path))
            self._descriptor = self.storage.reopened(self.path, writable=self.writable)
            descriptors.add(self)
        return self._descriptor

    def _used(self) -> threading.RLock:
        """The file's lock, for `with`, after other files have made room for its descriptor."""
        if self._descriptor is None:
            descriptors.make_room()
        return self._lock

    def give_up(self) -> None:
        """Close the descriptor until the file is used again; writes are synced first."""
        with self._syncing, self._lock:
            if self._descriptor is None:
                return
            if self._is_dirty:
                try:
                    self.storage.step("sync", self.path)
                    self._sync_now(self._descriptor)
                except OSError as error:
                    self._failure = error
            self._close_descriptor()

    def _close_descriptor(self) -> None:
        # No call between clearing the attribute and closing it: an interrupt comes after calls.
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    @property
    def size(self) -> int:
        """The length in bytes; OSError if the file is gone."""
        with self._used():
            return os.fstat(self.descriptor).st_size

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode: equal for another name, or an earlier opening, of the same file."""
        with self._used():
            status = os.fstat(self.descriptor)
        return status.st_dev, status.st_ino

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only at the end of the file."""
        with self._used():
            data = os.pread(self.descriptor, min(size, _READ_BYTES), position)
            if len(data) == size or not data:
                return data
            parts = [data]
            while data and (size := size - len(data)) > 0:
                position += len(data)
                data = os.pread(self.descriptor, min(size, _READ_BYTES), position)
                parts.append(data)
            return b"".join(parts)

    def call(self, function: Callable[[int], Result]) -> Result:
        """The result of a function of the descriptor, which stays open until it returns."""
        with self._used():
            return function(self.descriptor)

    def write_at(self, data: Any, position: int) -> None:
        """Write all of ``data`` (bytes-like) at ``position``; OSError if the write is incomplete."""
        self.storage.step("write", self.path)
        if self._descriptor is None:
            descriptors.make_room()
        with self._lock:
            self._is_dirty = self.was_used = True
            descriptor = self._descriptor
            if descriptor is None or self._failure is not None:
                descriptor = self.descriptor
            if os.fstat(descriptor).st_nlink > 1:
                descriptor = self._make_own(descriptor)
            try:
                written = os.pwrite(descriptor, data, position)
                if written == len(data):
                    return
                view = memoryview(data)
                while written < len(view):
                    written += os.pwrite(descriptor, view[written:], position + written)
            except OSError as error:
                raise self._named(error) from None

    def truncate(self, size: int) -> None:
        """Cut to, or extend with zeros to, ``size`` bytes."""
        self.storage.step("truncate", self.path)
        with self._used():
            self._is_dirty = True
            descriptor = self._make_own(self.descriptor)
            try:
                os.ftruncate(descriptor, size)
            except OSError as error:
                raise self._named(error) from None

    def sync(self) -> None:
        """Return when the file's bytes and length have reached the disk (fdatasync, FileChannel.force). Other threads
        may write meanwhile; whether that is synced, too, is not known."""
        self.storage.step("sync", self.path)
        # One sync at a time: of two of one open file, also by duplicates of its descriptor, Linux tells only one that
        # writing failed. The other one finds the failure noted.
        with self._syncing:
            with self._used():
                descriptor = self.descriptor
                try:
                    own = os.dup(descriptor)  # nobody closes it meanwhile
                except OSError as error:
                    if error.errno not in (errno.EMFILE, errno.ENFILE):
                        raise self._named(error) from None
                    self._sync_now(descriptor)  # and writers wait
                    return
                self._is_dirty = False
            try:
                self._sync_now(own)
            finally:
                os.close(own)

    def _sync_now(self, descriptor: int) -> None:
        """Sync by a descriptor, one thread at a time; a failure is noted, and raised by all later calls, too."""
        try:
            os.fdatasync(descriptor)
        except OSError as error:
            self._is_dirty = True
            self._failure = self._named(error)
            raise self._failure from None
        self._is_dirty = False

    def make_own(self) -> None:
        """Replace a file that has a second name by a copy. OSError."""
        with self._used():
            self._make_own(self.descriptor)

    def _make_own(self, descriptor: int) -> int:
        """As `make_own`, under the file's lock; returns the descriptor to use from now on."""
        status = os.fstat(descriptor)
        if status.st_nlink <= 1:
            return descriptor
        beside = self.path.with_name(self.path.name + BESIDE)
        try:
            self._copy(descriptor, status, beside)
            # Closed first: after the rename, only another owner may have that file.
            self._close_descriptor()
            if self.on_copied is not None:
                self.on_copied()
            self.storage.rename(beside, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        self.storage.sync_directory(self.path.parent)
        return self.descriptor

    def _copy(self, descriptor: int, status: os.stat_result, path: Path) -> None:
        """Write a new file with the same bytes, mode, owner and times, and sync it; zeros become holes."""
        self.storage.unlink(path)
        self.storage.step("create", path)
        # Not a `File`: making room for its descriptor could wait for other files, whose owners wait for this one.
        copy = create_plain(path)
        try:
            give_away(copy, status)
            os.fchmod(copy, stat.S_IMODE(status.st_mode))
            self.storage.step("write", path)
            try:
                fcntl.ioctl(copy, _CLONE, descriptor)
            except OSError:
                for position in range(0, status.st_size, _COPY_BYTES):
                    data = self.read_at(position, min(_COPY_BYTES, status.st_size - position))
                    written = len(data) if data.count(0) == len(data) else 0
                    while written < len(data):
                        written += os.pwrite(copy, memoryview(data)[written:], position + written)
                os.ftruncate(copy, status.st_size)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
            self.storage.step("sync", path)
            os.fsync(copy)
        except OSError as error:
            error.filename = error.filename or str(path)
            raise
        finally:
            os.close(copy)

    def _named(self, error: OSError) -> OSError:
        """The error with the file's name, which the system does not know of a descriptor."""
        error.filename = str(self.path)
        return error

    def map(self, size: int) -> mmap.mmap:
        """Map the first ``size`` bytes for reading; never 0 bytes, never beyond the end."""
        with self._used():
            return mmap.mmap(self.descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)

    def close(self) -> None:
        """Close it; twice is no error."""
        with self._lock:
            if not self.is_closed:
                self.is_closed = True
                descriptors.remove(self)
                self._close_descriptor()


def sync_and_close(files: Sequence[File]) -> None:
    """Sync files in sequence, until one fails, and close them all. OSError."""
    with ExitStack() as closing:
        for file in files:
            closing.callback(file.close)
        for file in files:
            file.sync()


class Storage:
    """The real disk. Raises OSError, from the operation that failed."""

    file_class: type[File] = File

    def step(self, operation: str, path: Path) -> None:
        """Called before each change of the disk; here it does nothing."""

    def open(self, path: Path, *, create: bool = False, writable: bool = True) -> File:
        """Open a file; with ``create`` a missing one is created, else FileNotFoundError.

        A writable one must not be a link, which may lead to another log's file: OSError.
        """
        descriptors.make_room()
        if not writable:
            return self.file_class(self, path, open_to_read(path), writable)
        if create and not os.path.lexists(path):
            self.step("create", path)
            return self.file_class(self, path, create_plain(path), writable)
        return self.file_class(self, path, open_plain(path, os.O_RDWR), writable)

    def reopened(self, path: Path, *, writable: bool) -> int:
        """A new descriptor for a file that gave its own up, at its current path. OSError."""
        if writable:
            return open_plain(path, os.O_RDWR)
        return open_to_read(path)

    def rename(self, old: Path, new: Path) -> None:
        """Rename; an existing ``new`` is replaced."""
        self.step("rename", old)
        os.replace(old, new)

    def unlink(self, path: Path) -> bool:
        """Remove a file; False if there was none."""
        self.step("unlink", path)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return False
        return True

    def make_directory(self, path: Path) -> None:
        """Make a directory and its missing parents, and sync each that got a new entry; no effect if it exists."""
        if path.is_dir():
            return
        self.make_directory(path.parent)
        self.step("make_directory", path)
        path.mkdir(exist_ok=True)
        self.sync_directory(path.parent)

    def remove_directory(self, path: Path) -> None:
        """Remove an empty directory, and sync the one above it."""
        self.step("remove_directory", path)
        path.rmdir()
        self.sync_directory(path.parent)

    def sync_directory(self, path: Path) -> None:
        """Return when the names in a directory have reached the disk."""
        self.step("sync_directory", path)
        sync_folder(path)

    def set_modified_ms(self, path: Path, timestamp_ms: int) -> None:
        """Set a file's modification time (ms since 1970)."""
        self.step("set_modified", path)
        if os.stat(path).st_nlink > 1:
            file = self.open(path)
            try:
                file.make_own()
            finally:
                file.close()
        os.utime(path, ns=(timestamp_ms * 1_000_000, timestamp_ms * 1_000_000))

    def write_new(self, path: Path, data: bytes, *, sync: bool = True) -> None:
        """Write a file, replacing an existing one; after a crash it may be missing or incomplete."""
        self.unlink(path)
        file = self.open(path, create=True)
        try:
            file.write_at(data, 0)
            if sync:
                file.sync()
        finally:
            file.close()

    def sync_file(self, path: Path) -> None:
        """Return when a file that nobody holds open has reached the disk. FileNotFoundError if there is none."""
        file = self.open(path)
        try:
            file.sync()
        finally:
            file.close()

    def write_atomically(self, path: Path, data: bytes) -> None:
        """Replace a file's content with ``data``: after a crash it has either the old content or all of the new."""
        beside = path.with_name(path.name + BESIDE)
        self.write_new(beside, data)
        self.rename(beside, path)
        self.sync_directory(path.parent)


DISK: Final = Storage()

Clock = Callable[[], int]


def wall_clock_ms() -> int:
    """Now, in ms since 1970 (System.currentTimeMillis)."""
    return time.time_ns() // 1_000_000

"""Everything the engine does to a disk, in one place, so that a test can stand between the engine and the disk.

Rules:

* Whatever changes the disk calls `Storage.step` first, with the name of what it is about to do: ``write``,
  ``truncate``, ``sync``, ``create``, ``rename``, ``unlink``, ``make_directory``, ``remove_directory``,
  ``sync_directory``, ``set_modified``. A test's storage raises there, ends the process there, or keeps a list.
* A write is whole or an OSError; what an interrupted one left behind is recovery's business.
* Mappings are for reading. Stores go through `write_at`: a full disk is then an error, where a store into a mapping
  of a hole is a signal that kills the process. The page cache shows a written page in every mapping of it.
* `write_atomically` is Kafka's way (CheckpointFile): write a temporary file, sync, rename, sync the directory. It is
  `kformat.storage.atomic_write` in steps that a test can stop at.
* What is written to is a file of its own: no link is followed, also not to a file that it would make (`plain_file`).
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from kformat.storage.atomic_write import BESIDE, sync_folder
from kformat.storage.plain_file import create_plain, open_plain

_READ_BYTES: Final = 1 << 30  # Linux moves at most 2 GiB in one call


class File:
    """An open file, read and written at positions; the caller that renames it sets ``path``."""

    def __init__(self, storage: Storage, path: Path, descriptor: int, writable: bool) -> None:
        self.storage, self.path, self.descriptor, self.writable = storage, path, descriptor, writable
        self.is_closed = False

    @property
    def size(self) -> int:
        """The length in bytes; OSError where the descriptor is gone."""
        return os.fstat(self.descriptor).st_size

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode: what tells that another name, or an earlier opening, is of the same file."""
        status = os.fstat(self.descriptor)
        return status.st_dev, status.st_ino

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only where the file ends."""
        data = os.pread(self.descriptor, min(size, _READ_BYTES), position)
        if len(data) == size or not data:
            return data
        parts = [data]
        while data and (size := size - len(data)) > 0:
            position += len(data)
            data = os.pread(self.descriptor, min(size, _READ_BYTES), position)
            parts.append(data)
        return b"".join(parts)

    def write_at(self, data: Any, position: int) -> None:
        """Write all of ``data`` (bytes-like) at ``position``; OSError where not all of it could be written."""
        self.storage.step("write", self.path)
        try:
            written = os.pwrite(self.descriptor, data, position)
            if written == len(data):
                return
            view = memoryview(data)
            while written < len(view):
                written += os.pwrite(self.descriptor, view[written:], position + written)
        except OSError as error:
            raise self._named(error) from None

    def truncate(self, size: int) -> None:
        """Cut to, or extend with zeros to, ``size`` bytes."""
        self.storage.step("truncate", self.path)
        try:
            os.ftruncate(self.descriptor, size)
        except OSError as error:
            raise self._named(error) from None

    def sync(self) -> None:
        """Return when the file's bytes and length have reached the disk (fdatasync, FileChannel.force)."""
        self.storage.step("sync", self.path)
        try:
            os.fdatasync(self.descriptor)
        except OSError as error:
            raise self._named(error) from None

    def _named(self, error: OSError) -> OSError:
        """The error with the file's name, which the system does not tell of a descriptor."""
        error.filename = str(self.path)
        return error

    def map(self, size: int) -> mmap.mmap:
        """The first ``size`` bytes, for reading; never 0 bytes, never beyond the end."""
        return mmap.mmap(self.descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)

    def close(self) -> None:
        """Close it; twice is no error."""
        if not self.is_closed:
            self.is_closed = True
            os.close(self.descriptor)


class Storage:
    """The disk as it is. Raises OSError, from the operation that failed."""

    file_class: type[File] = File

    def step(self, operation: str, path: Path) -> None:
        """Called before each change of the disk; here it does nothing."""

    def open(self, path: Path, *, create: bool = False, writable: bool = True) -> File:
        """Open a file; with ``create`` it is made where it is not there, else FileNotFoundError.

        To be written to it has to be no link, which may lead to another log's file: OSError.
        """
        if not writable:
            return self.file_class(self, path, os.open(path, os.O_RDONLY | os.O_CLOEXEC), writable)
        if create and not os.path.lexists(path):
            self.step("create", path)
            return self.file_class(self, path, create_plain(path), writable)
        return self.file_class(self, path, open_plain(path, os.O_RDWR), writable)

    def rename(self, old: Path, new: Path) -> None:
        """Rename; what was called ``new`` is gone then."""
        self.step("rename", old)
        os.replace(old, new)

    def unlink(self, path: Path) -> bool:
        """Remove a file; False where there was none."""
        self.step("unlink", path)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return False
        return True

    def make_directory(self, path: Path) -> None:
        """Make a directory, and those above it, and sync the ones that got a new entry; nothing where it is there."""
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
        """Set when a file was last modified (ms since 1970)."""
        self.step("set_modified", path)
        os.utime(path, ns=(timestamp_ms * 1_000_000, timestamp_ms * 1_000_000))

    def write_atomically(self, path: Path, data: bytes) -> None:
        """Put ``data`` in the place of a file: after a crash there is the old content or the new one, whole."""
        beside = path.with_name(path.name + BESIDE)
        self.unlink(beside)
        file = self.open(beside, create=True)
        try:
            file.write_at(data, 0)
            file.sync()
        finally:
            file.close()
        self.rename(beside, path)
        self.sync_directory(path.parent)


DISK: Final = Storage()

Clock = Callable[[], int]


def wall_clock_ms() -> int:
    """Now, in ms since 1970 (System.currentTimeMillis)."""
    return time.time_ns() // 1_000_000

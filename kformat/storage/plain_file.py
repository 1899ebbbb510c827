"""Open files safely, for programs that write where other users may write, too, perhaps as root.

Rules:

* The last part of a path is never followed if it is a link. (Its parent folders are trusted: a process that can replace
  those can replace everything below.)
* Only regular files are opened. A pipe would wait for a writer, a device may do anything.
* Ownership is changed on an open descriptor, never on a path: the path may be replaced in between.
* A file with a second name elsewhere (a hard link) is neither given away nor changed in place.
* Errors name the file: the system's errors about an open descriptor name none (`named`).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from typing import IO, Any, Final

StrPath = str | os.PathLike[str]

NEW_FILE_MODE: Final = 0o644
_ALWAYS: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def named(error: OSError, path: StrPath) -> OSError:
    """Set the file name of an error that has none, and return the error."""
    if error.filename is None and error.errno is not None:
        error.filename = os.fspath(path)
    return error


@contextlib.contextmanager
def naming(path: StrPath) -> Iterator[None]:
    """Give the OSErrors of this context the name of the file."""
    try:
        yield
    except OSError as error:
        named(error, path)
        raise


class _NamedFile(io.FileIO):
    """A file opened for writing from a descriptor; its errors carry the file name."""

    def __init__(self, descriptor: int, path: StrPath) -> None:
        super().__init__(descriptor, "wb")
        self.name = os.fspath(path)

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            named(error, str(self.name))
            raise


def writer_of(descriptor: int, path: StrPath) -> IO[bytes]:
    """A file for writing that owns the descriptor and closes it; errors have the name ``path``."""
    return io.BufferedWriter(_NamedFile(descriptor, path))


def open_plain(path: StrPath, flags: int, mode: int = NEW_FILE_MODE) -> int:
    """A descriptor of a regular file that is not a link; ``flags`` and ``mode`` as for `os.open`.

    Raises OSError: ELOOP for a link, EINVAL for other than a regular file, and the system's own.
    """
    try:
        descriptor = os.open(path, flags | _ALWAYS, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise OSError(errno.ELOOP, "Is a link, and links are not followed here", os.fspath(path)) from None
        if error.errno == errno.ENXIO:  # a pipe without a reader, a socket
            raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path)) from None
        raise
    return _regular(descriptor, path)


def _regular(descriptor: int, path: StrPath) -> int:
    """The descriptor, if it is of a regular file; otherwise it is closed. OSError (EINVAL)."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))


def open_to_read(path: StrPath) -> int:
    """A read-only descriptor of a regular file; links are followed. OSError as `open_plain`."""
    return _regular(os.open(path, os.O_RDONLY | _ALWAYS & ~os.O_NOFOLLOW), path)


def open_own(path: StrPath, flags: int) -> int:
    """Open a file that is changed in place, as `open_plain`; OSError (EMLINK) if it has a second name."""
    descriptor = open_plain(path, flags)
    if os.fstat(descriptor).st_nlink == 1:
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EMLINK, "Has a second name (a hard link), and that file would change, too", os.fspath(path))


def create_plain(path: StrPath, mode: int = NEW_FILE_MODE) -> int:
    """A descriptor of a new file; FileExistsError if anything has that name, even a link."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _ALWAYS, mode)


def read_plain(path: StrPath, limit_bytes: int) -> bytes:
    """The content of a small file, at most ``limit_bytes`` of it; OSError as `open_plain`."""
    descriptor = open_plain(path, os.O_RDONLY)
    with open(descriptor, "rb") as file:
        return file.read(limit_bytes)


def give_away(descriptor: int, owner: os.stat_result) -> bool:
    """Give an open file or folder the owner and group of another one; returns whether it has them now. OSError.

    Nothing changes without permission, or if the file has a second name: that may belong to another user.
    """
    status = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) == (owner.st_uid, owner.st_gid):
        return True
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        return False
    try:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    except PermissionError:
        return False
    return True


__all__ = ["create_plain", "give_away", "named", "naming", "open_own", "open_plain", "open_to_read", "read_plain"]

"""Bytes at a position, from a path, an address (`kformat.storage.address`), an open file or a buffer.

Files are read with ``pread``, never mapped: if another process truncates the file, reads return fewer bytes, while a
mapping would kill this process. The size is fixed when the source is opened; bytes appended later are not seen.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from operator import itemgetter
from types import TracebackType
from typing import Any, Final, Self

from kformat.errors import UsageError
from kformat.storage.address import AddressReader, address
from kformat.storage.checksum import byte_view
from kformat.storage.plain_file import named
from kformat.storage.root_lock import HELD, refuse_held

# Without this flag, opening a pipe would wait for a writer; for files it makes no difference.
_CHUNK_BYTES: Final = 1 << 20
_HOW_TO_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC

Watch = Callable[[str, int, int], object]
"""Called after each read with the source's name, the position, and the position after what was read."""
_watch: Watch | None = None


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Call ``watch`` for each read of the files opened in this context. Other reads cost nothing more."""
    global _watch
    before, _watch = _watch, watch
    try:
        yield
    finally:
        _watch = before


class _Watched:
    """A reader that reports its reads."""

    def __init__(self, reader: AddressReader, name: str, watch: Watch) -> None:
        self._reader, self._name, self._watch = reader, name, watch
        self.size = reader.size

    def read_at(self, position: int, size: int) -> bytes:
        data = self._reader.read_at(position, size)
        self._watch(self._name, position, position + len(data))
        return data

    def close(self) -> None:
        self._reader.close()


class _File:
    """A reader of an open file."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor, self.size = descriptor, size

    def read_at(self, position: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, position)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _Patched:
    """A reader that gives other bytes at some positions."""

    def __init__(self, source: ByteSource, patches: Iterable[tuple[int, bytes]]) -> None:
        self._source, self.size = source, source.size
        self._patches = sorted(patches, key=itemgetter(0))
        self._longest = max((len(data) for _, data in self._patches), default=0)

    def read_at(self, position: int, size: int) -> bytes:
        original, end = self._source.read_at(position, size), position + size
        number = bisect_left(self._patches, position - self._longest, key=itemgetter(0))
        changed: bytearray | None = None
        while number < len(self._patches) and self._patches[number][0] < end:
            (at, data), number = self._patches[number], number + 1
            start, stop = max(at, position), min(at + len(data), position + len(original))
            if start < stop:
                changed = bytearray(original) if changed is None else changed
                changed[start - position : stop - position] = data[start - at : stop - at]
        return original if changed is None else bytes(changed)

    def close(self) -> None:
        pass


class _Joined:
    """A reader of parts of a source, one after the other."""

    def __init__(self, source: ByteSource, parts: Iterable[tuple[int, int]]) -> None:
        self._source, self._parts = source, [part for part in parts if part[0] < part[1]]
        self._starts = [0, *accumulate(end - start for start, end in self._parts)]
        self.size = self._starts[-1]

    def read_at(self, position: int, size: int) -> bytes:
        pieces = list[bytes]()
        number = bisect_right(self._starts, position) - 1
        while size > 0 and number < len(self._parts):
            start, end = self._parts[number]
            at = start + position - self._starts[number]
            data = self._source.read_at(at, min(size, end - at))
            pieces.append(data)
            position, size, number = self._starts[number + 1], size - len(data), number + 1
        return b"".join(pieces)

    def close(self) -> None:
        pass


class ByteSource:
    """``read_at`` returns bytes; ``size`` is their number and ``name`` their name in errors.

    ``is_in_memory``: whether it costs nothing to read more than is needed.

    Args:
        source: a path or an address, any buffer of bytes (also a numpy array), a ByteSource, or a binary file or memory
            map, which is not closed with the source.
        name: the name in errors, if not the path.

    Raises:
        OSError: the file cannot be opened.
        UsageError: the source is none of these, or a buffer that is not contiguous.
        RootLockedError: it is the `.lock` of a root that this process holds.
        MissingDependencyError, DataError: for an address, as `kformat.storage.address.Address.stat`.
    """

    def __init__(self, source: Any, name: str | None = None) -> None:
        self._descriptor: int | None = None
        self._buffer: memoryview | None = None
        self._file: Any = None
        self._reader: AddressReader | None = None
        self._owned = self.is_in_memory = False
        self.name: str
        self.size: int
        if isinstance(source, ByteSource):
            self._descriptor, self._buffer, self._file = source._descriptor, source._buffer, source._file
            self._reader, self.is_in_memory = source._reader, source.is_in_memory
            self.name, self.size = name or source.name, source.size
        elif isinstance(source, str | os.PathLike) and (remote := address(source)) is not None:
            self._reader, self._owned = remote.open(), True
            self.name, self.size = name or str(remote), self._reader.size
        elif isinstance(source, str | os.PathLike):
            if HELD:
                refuse_held(source)
            self._descriptor, self._owned = os.open(source, _HOW_TO_OPEN), True
            self.name = name or os.fspath(source)
            try:
                self.size = _regular_size(self._descriptor, self.name)
            except OSError:
                self.close()
                raise
            if _watch is not None:
                self._reader, self._descriptor = _File(self._descriptor, self.size), None
        elif hasattr(source, "read") and hasattr(source, "seek") and not isinstance(source, io.TextIOBase):
            self._file = source
            self.name = name or str(getattr(source, "name", "<file>"))
            source.seek(0, os.SEEK_END)
            self.size = source.tell()  # a memory map's seek returns nothing before Python 3.13
        elif _is_buffer(source):
            self._buffer, self.is_in_memory = byte_view(source), True
            self.name, self.size = name or "<bytes>", len(self._buffer)
        else:
            raise UsageError(f"a path, bytes or a binary file is expected, found {type(source).__name__}")
        if _watch is not None and self._owned and self._reader is not None:
            self._reader = _Watched(self._reader, self.name, _watch)

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only at the end of the source."""
        left = self.size - position
        if size > left:  # inlined for speed: this runs for each header of a log
            size = left
        if size <= 0:
            return b""
        if self._buffer is not None:
            return bytes(self._buffer[position : position + size])
        descriptor = self._descriptor
        try:
            data = self._read(position, size) if descriptor is None else os.pread(descriptor, size, position)
            while len(data) < size and (more := self._read(position + len(data), size - len(data))):
                data += more
        except OSError as error:
            named(error, self.name)
            raise
        return data

    def _read(self, position: int, size: int) -> bytes:
        if self._descriptor is not None:
            return os.pread(self._descriptor, size, position)
        if self._reader is not None:
            return self._reader.read_at(position, size)
        self._file.seek(position)
        data: bytes = self._file.read(size)
        return data

    def read_into(self, position: int, room: memoryview) -> int:
        """Read the bytes from ``position`` into an existing buffer; returns their number, as with `read_at`."""
        if self._descriptor is None:
            data = self.read_at(position, len(room))
            room[: len(data)] = data
            return len(data)
        wanted = max(0, min(len(room), self.size - position))
        done = 0
        try:
            while done < wanted and (size := os.preadv(self._descriptor, [room[done:wanted]], position + done)):
                done += size
        except OSError as error:
            named(error, self.name)
            raise
        return done

    @property
    def descriptor(self) -> int | None:
        """The open file, if bytes may be read from it by ``pread``: it is local, and nobody watches its reads."""
        return self._descriptor

    def is_zero(self, start: int, end: int | None = None) -> bool:
        """Whether all bytes between two positions are 0; ``end`` is the source's by default.

        False if the source is truncated meanwhile.
        """
        end = self.size if end is None else end
        while start < end and (part := self.read_at(start, min(_CHUNK_BYTES, end - start))):
            if part.strip(b"\0"):
                return False
            start += len(part)
        return start >= end

    def close(self) -> None:
        """Close the file if this object opened it."""
        if self._owned and self._descriptor is not None:
            os.close(self._descriptor)
        if self._owned and self._reader is not None:
            self._reader.close()
        self._descriptor, self._owned = None, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def patched(source: ByteSource, patches: Iterable[tuple[int, bytes]]) -> ByteSource:
    """The same source with other bytes at some positions; later patches override earlier ones. ``source`` has to stay
    open."""
    return _through(source, _Patched(source, patches))


def joined(source: ByteSource, parts: Iterable[tuple[int, int]]) -> ByteSource:
    """Parts of a source, by position and end position, as one source without what lies between them. ``source`` has to
    stay open."""
    return _through(source, _Joined(source, parts))


def _through(source: ByteSource, reader: AddressReader) -> ByteSource:
    """A view of the source, with its name, whose bytes come from the reader."""
    view = ByteSource(source)
    view._descriptor, view._buffer, view._file, view._reader = None, None, None, reader
    view.size = reader.size
    return view


def _is_buffer(source: Any) -> bool:
    try:
        memoryview(source).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def _regular_size(descriptor: int, name: str) -> int:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    try:
        return os.lseek(descriptor, 0, os.SEEK_END)
    except OSError:
        raise io.UnsupportedOperation(f"{name}: not a file that can be read at a position") from None


__all__ = ["ByteSource", "Watch", "joined", "patched", "watching"]

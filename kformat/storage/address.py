"""Files on local disks, in an archive, or behind an address that fsspec opens.

An address is a string in fsspec's notation: `s3://bucket/logs/orders-0`, `memory://orders-0`, or a chain, innermost
first: `tar://orders-0::/backups/disk.tar`, `zip://logs/orders-0::s3://bucket/disk.zip`. Everything else is a path, and
a `pathlib.Path` always is: local files have no overhead from this module.

Rules:

* Files are read by ranges, never copied as a whole. Ranges grow during sequential reading, and the next one is then
  fetched ahead; a lookup fetches little.
* A folder is listed once per caller that opens it; sizes and times are those of the listing.
* A plain `tar` is read in place: its members are ranges of it. A compressed one has no positions, and is refused.
  Compressed files in a `zip` are decompressed as they are read; seeking back restarts.
* Archives need only Python. Everything else needs fsspec (extra ``remote``), and the protocol's own library.
* Exceptions of remote libraries, and decompression errors, become OSError with the address. A file that is not an
  archive, or a damaged one, is a DataError.
* Archives may be malicious. The size of the listing is limited (`MAX_LISTED_BYTES`), and so are the reads for it; holes
  in sparse files take no memory; entries that share bytes count as damage.
"""

from __future__ import annotations

import calendar
import contextlib
import errno
import io
import os
import posixpath
import re
import stat
import struct
import tarfile
import threading
import zipfile
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol, TypeGuard, cast
from weakref import WeakValueDictionary

from kformat.errors import InvalidError, KformatError, LimitError, MissingDependencyError, UsageError
from kformat.times import parse_moment

_ADDRESS: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(://|::)")
_FIRST_RANGE_BYTES: Final = 256 << 10
LARGEST_RANGE_BYTES: Final = 8 << 20
"""The most bytes fetched at once, except for a larger batch."""
_RANGES_KEPT: Final = 3
_COMPRESSED: Final = {b"\x1f\x8b": "gunzip", b"BZh": "bunzip2", b"\xfd7zXZ\0": "unxz", b"\x28\xb5\x2f\xfd": "unzstd"}
_ARCHIVES: Final = ("tar", "zip")
_BROUGHT: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}
_BLOCK_BYTES: Final = tarfile.BLOCKSIZE
MAX_LISTED_BYTES: Final = 256 << 20
"""The most memory that the names in an archive may take: about 400,000 files."""
_ENTRY_BYTES: Final = 512
"""The memory for one file besides its path."""
_MAX_PATH_BYTES: Final = 4096
"""Linux's PATH_MAX: no path from a disk is longer."""
_MAX_DEPTH: Final = 100
_MAX_LINKS: Final = 40
"""The most links that are followed from one to another in a tar, as in Linux."""
_MAX_TAR_HEADER_BYTES: Final = 1 << 20
"""Per file in a tar: long names, extended headers and the places of its holes together."""
_MAX_PAX_BYTES: Final = 64 << 10
"""The limit for one extended header."""
_MAX_DIRECTORY_BYTES: Final = 32 << 20
"""The limit for a zip's central directory: some 250,000 files."""
_MOST_TIME_S: Final = 1 << 38
"""The largest time in a tar: the year 10680. Larger values are not times."""
_PAX_RECORD: Final = re.compile(rb"([0-9]{1,9}) [^=\n]+=")
_LOCAL_HEADER: Final = struct.Struct("<26x2H")
"""A zip's local file header: the lengths of the name and the extra field that follow it (APPNOTE.TXT, 4.3.7)."""
_ENCRYPTED: Final = 1
_DAMAGED: Final = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError)
_CODES: Final = (
    (FileNotFoundError, errno.ENOENT),
    (PermissionError, errno.EACCES),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (TimeoutError, errno.ETIMEDOUT),
    (ConnectionRefusedError, errno.ECONNREFUSED),
    (ConnectionError, errno.ECONNABORTED),
)


def is_address(path: Any) -> bool:
    """Whether a path is an address: an `Address`, or a string that begins with a protocol (`s3://`, `tar::`)."""
    return isinstance(path, Address) or _is_text(path)


def _is_text(path: Any) -> TypeGuard[str]:
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def address(path: str | os.PathLike[str]) -> Address | None:
    """The Address of a path; None for a local one."""
    return path if isinstance(path, Address) else Address(path) if _is_text(path) else None


def local_path(path: str | os.PathLike[str]) -> Path:
    """A local path; UsageError for an address."""
    if is_address(path):
        raise UsageError(f"{path}: a path on this machine is needed here, not an address")
    return _not_empty(path)


def place(path: str | os.PathLike[str]) -> Path:
    """A Path; for an address an `Address`, which has the part of Path's interface that readers use, and Path's type.

    Returns its argument if it is either already.
    """
    location = path if isinstance(path, Path | Address) else Address(path) if _is_text(path) else _not_empty(path)
    return cast(Path, location)


def _not_empty(path: str | os.PathLike[str]) -> Path:
    """A local path; UsageError for none, which pathlib takes for the current folder."""
    if not os.fspath(path):
        raise UsageError("a path is empty")
    return Path(path)


def base_name(path: str | os.PathLike[str]) -> str:
    """The last part of a path; of an address, the last part of the path in it."""
    return place(path).name if is_address(path) else os.path.basename(path)


def folder_name(path: str | os.PathLike[str]) -> str:
    """The name of a folder, also for ``.`` and ``..``."""
    return place(path).name if is_address(path) else os.path.basename(os.path.abspath(path))


def folder_of(path: str | os.PathLike[str]) -> str:
    """The folder around a file."""
    return str(place(path).parent) if is_address(path) else os.path.dirname(path) or "."


def absolute(path: str | os.PathLike[str]) -> str:
    """The absolute path; an address that ends in a local path gets that path made absolute."""
    if not is_address(path):
        return os.path.abspath(path)
    inner, chain, outer = str(path).rpartition("::")
    return f"{inner}::{os.path.abspath(outer)}" if chain and outer and not is_address(outer) else str(path)


def real_path(path: str | os.PathLike[str]) -> str:
    """The path with links resolved; addresses have none."""
    return str(path) if is_address(path) else os.path.realpath(path)


def status(path: str | os.PathLike[str]) -> os.stat_result | Status:
    """Type, size and time; OSError if it does not exist."""
    remote = address(path)
    return os.stat(path) if remote is None else remote.stat()


def size_of(path: str | os.PathLike[str]) -> int:
    """The size of a file in bytes; 0 if unknown; reading it then raises the reason."""
    try:
        return status(path).st_size
    except OSError:
        return 0


def is_dir(path: str | os.PathLike[str]) -> bool:
    """Whether a folder exists; for an address, raises as `Address.is_dir`."""
    return place(path).is_dir() if is_address(path) else os.path.isdir(path)


def scan(path: str | os.PathLike[str], *, keep: bool = False) -> list[ScannedEntry]:
    """The entries of a folder; OSError if it cannot be listed. ``keep``: see `Address.scan`."""
    remote = address(path)
    if remote is not None:
        return list(remote.scan(keep=keep))
    with os.scandir(path) as entries:
        return list(entries)


def is_folder(entry: ScannedEntry) -> bool:
    """Whether an entry is a folder; False if that is unknown."""
    try:
        return entry.is_dir()
    except OSError:
        return False


class Followed:
    """The folders that a walk enters where it follows links: none inside itself, and each at most `MOST_ENTERED` times.

    Links may lead to one folder by many paths, and to the folders below it by many times as many.
    """

    MOST_ENTERED: Final = 16

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def is_entered(self, path: str | os.PathLike[str], above: Collection[str] = ()) -> bool:
        """Whether to enter a folder now; ``above`` are the real paths of the folders around it. OSError."""
        real = real_path(path)
        if real in above:
            return False
        self._counts[real] += 1
        return self._counts[real] <= self.MOST_ENTERED


def files_below(path: str | os.PathLike[str]) -> Iterator[str]:
    """The names of all files below a folder, also through links, each folder once; skips folders it cannot list."""
    top = address(path) or path  # an archive stays open while an address in it is alive
    waiting, seen = [top], set[str]()
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            real = real_path(folder)
            if real in seen:
                continue
            seen.add(real)
            for entry in scan(folder):
                if is_folder(entry):
                    waiting.append(entry.address if isinstance(entry, FolderEntry) else entry.path)
                else:
                    yield entry.name


def plain_files_below(path: str | os.PathLike[str]) -> Iterator[str]:
    """The paths of the regular files below a folder, in the order of their names, level by level.

    Hidden files and folders (``.name``) are left out, and no link is followed. OSError for a folder that cannot be
    listed.
    """
    for entry in sorted(scan(path), key=lambda entry: entry.name):
        if entry.name.startswith("."):
            continue
        if isinstance(entry, os.DirEntry):
            kind = entry.stat(follow_symlinks=False).st_mode
        else:
            kind = entry.stat().st_mode
        if stat.S_ISDIR(kind):
            yield from plain_files_below(entry.path)
        elif stat.S_ISREG(kind):
            yield entry.path


# File status


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a file behind an address, with the attributes of `os.stat_result`."""

    st_mode: int
    st_size: int
    modified_ns: int | None = None

    @property
    def st_mtime_ns(self) -> int:
        """The modification time, ns since 1970; UnsupportedOperation (an OSError) if unknown."""
        if self.modified_ns is None:
            raise io.UnsupportedOperation("the time of the last modification is not known here")
        return self.modified_ns


_FOLDER: Final = Status(stat.S_IFDIR, 0)


class ScannedEntry(Protocol):
    """The part of `os.scandir`'s entries that is used here."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    def is_dir(self) -> bool: ...
    def stat(self) -> os.stat_result | Status: ...


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """An entry of a folder behind an address."""

    address: Address

    @property
    def name(self) -> str:
        return self.address.name

    @property
    def path(self) -> str:
        return str(self.address)

    def is_dir(self) -> bool:
        return self.address.is_dir()

    def stat(self) -> Status:
        return self.address.stat()


class AddressReader(Protocol):
    """Bytes at a position."""

    size: int

    def read_at(self, position: int, size: int) -> bytes: ...
    def close(self) -> None: ...


class _Store(Protocol):
    """A container of files: an archive, or an fsspec file system. Paths are those in an `Address`."""

    def status(self, address: Address) -> Status: ...
    def list(self, address: Address) -> dict[str, Status]: ...
    def open(self, address: Address) -> AddressReader: ...


# Addresses


class Address(os.PathLike[str]):
    """A file or folder behind an address, with the part of `pathlib.Path`'s interface that is used here.

    Type, size and time are cached on first access: an Address is a snapshot.
    """

    __slots__ = ("_before", "_behind", "_listed", "_path", "_status", "_store", "protocol")

    def __init__(self, text: str) -> None:
        links = text.split("::")
        number = 0
        while number + 1 < len(links) and "://" not in links[number] and links[number] not in _ARCHIVES:
            number += 1  # a cache, which has no path of its own: simplecache::s3://bucket/file
        protocol, slashes, path = links[number].rpartition("://") if "://" in links[number] else ("", "", links[number])
        if not protocol and path in _ARCHIVES:
            protocol, slashes, path = path, "://", ""
        self.protocol = protocol or "file"
        self._before = "".join(f"{link}::" for link in links[:number]) + protocol + slashes
        self._path = path.rstrip("/") or path[:1]
        self._behind = "".join(f"::{link}" for link in links[number + 1 :])
        self._store: _Store | None = None
        self._status: Status | None = None
        self._listed: list[FolderEntry] | None = None

    def _at(self, path: str) -> Address:
        other = Address.__new__(Address)
        other.protocol, other._before, other._behind = self.protocol, self._before, self._behind
        other._path, other._store, other._status, other._listed = path, self._store, None, None
        return other

    def __str__(self) -> str:
        return f"{self._before}{self._path}{self._behind}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __fspath__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Address) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __truediv__(self, name: str) -> Address:
        return self._at(f"{self._path.rstrip('/')}/{name}" if self._path else name)

    @property
    def path(self) -> str:
        """The path in the address, as it was given."""
        return self._path

    @property
    def outer(self) -> str:
        """The location of an archive: an address, or a path."""
        return self._behind.removeprefix("::")

    @property
    def name(self) -> str:
        """The last part of the path; empty for a root."""
        return self._path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The end of the name, from its last dot on, as of a Path."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> Address:
        """The parent folder; a root, or a single name such as a bucket, is its own parent."""
        folder, slash, _ = self._path.rpartition("/")
        if not slash and self.protocol not in _ARCHIVES:
            return self
        return self._at(folder or slash)

    def with_name(self, name: str) -> Address:
        """The sibling with another name."""
        return self.parent / name

    @property
    def store(self) -> _Store:
        """Its container; raises as `stat`."""
        if self._store is None:
            self._store = _archive(self) if self.protocol in _ARCHIVES else _Remote()
        return self._store

    def stat(self) -> Status:
        """Type, size and time.

        Raises:
            OSError: it does not exist, permission is denied, or there is no answer.
            MissingDependencyError: fsspec, or its library for this protocol, is not installed (extra ``remote``).
            UsageError: fsspec does not know the protocol; an archive that is compressed as a whole.
            DataError: an archive is damaged.
        """
        if self._status is None:
            self._status = self.store.status(self)
        return self._status

    def is_dir(self) -> bool:
        """Whether a folder exists; raises as `stat` if that is unknown."""
        try:
            return stat.S_ISDIR(self.stat().st_mode)
        except FileNotFoundError:
            return False

    def is_file(self) -> bool:
        """Whether a file exists; raises as `stat` if that is unknown."""
        try:
            return stat.S_ISREG(self.stat().st_mode)
        except FileNotFoundError:
            return False

    def scan(self, *, keep: bool = False) -> list[FolderEntry]:
        """The entries of the folder; ``keep`` caches the answer for the next caller. Raises as `stat`."""
        entries, self._listed = self._listed, None
        if entries is None:
            listed = self.store.list(self)
            entries = [FolderEntry((self / name)._told(listed[name])) for name in sorted(listed)]
        if keep:
            self._listed = entries
        return entries

    def _told(self, status: Status) -> Address:
        self._status = status
        return self

    def exists(self) -> bool:
        """Whether it exists; raises as `stat` if that is unknown."""
        return self.is_file() or self.is_dir()

    def open(self) -> AddressReader:
        """Open it for reading; raises as `stat`, and IsADirectoryError."""
        mode = self.stat().st_mode
        if not stat.S_ISREG(mode):
            code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            raise OSError(code, os.strerror(code), str(self))
        return self.store.open(self)


@contextlib.contextmanager
def _told(address: Address | str, *, damaged: bool = True) -> Iterator[None]:
    """Convert errors: to OSError with an address; to DataError, with ``damaged``, for a file that is not an archive."""
    try:
        yield
    except (KformatError, MemoryError):
        raise
    except _DAMAGED as error:
        text = f"a damaged archive ({error})"
        if damaged:
            raise InvalidError(text, source=str(address)) from error
        raise OSError(errno.EIO, text, str(address)) from error  # concerns one file: others may be readable
    except OSError as error:
        known = next((code for kind, code in _CODES if isinstance(error, kind)), errno.EIO)
        code = error.errno or known
        text = os.strerror(code) if code == errno.ENOENT else error.strerror or str(error) or os.strerror(code)
        raise OSError(code, " ".join(text.split()), str(address)) from error
    except Exception as error:  # a third-party library may raise anything
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise OSError(errno.EIO, text, str(address)) from error


# Ranges


class Ranges:
    """Reads a file in ranges that grow during sequential reading; thread-safe.

    The last few ranges are cached, so small steps back cost nothing.

    Args:
        fetch: returns the bytes between two positions; fewer only at the end of the file.
        size: of the file, bytes.
        is_slow: during sequential reading, fetch the next range ahead in a thread.
    """

    def __init__(self, fetch: Callable[[int, int], bytes], size: int, *, is_slow: bool) -> None:
        self.fetch, self.size, self.is_slow = fetch, size, is_slow
        self._kept: list[tuple[int, bytes]] = []
        self._ahead: tuple[int, int, Future[bytes]] | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._range_bytes = _FIRST_RANGE_BYTES
        self._lock = threading.Lock()

    def read_at(self, position: int, size: int) -> bytes:
        parts = []
        with self._lock:
            size = min(size, self.size - position)
            while size > 0:
                start, data = self._range(position, size)
                part = data[position - start : position - start + size]
                if not part:  # the file is shorter than its reported size
                    break
                parts.append(part)
                position, size = position + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _range(self, position: int, size: int) -> tuple[int, bytes]:
        for start, data in reversed(self._kept):
            if start <= position < start + len(data):
                return start, data
        is_next = bool(self._kept) and position == self._kept[-1][0] + len(self._kept[-1][1])
        self._range_bytes = min(2 * self._range_bytes, LARGEST_RANGE_BYTES) if is_next else _FIRST_RANGE_BYTES
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] <= position < ahead[1]:
            fetched = (ahead[0], ahead[2].result())
        else:
            fetched = (position, self.fetch(position, min(position + max(self._range_bytes, size), self.size)))
        self._kept = [*self._kept, fetched][-_RANGES_KEPT:]
        if is_next and self.is_slow:
            self._ask_ahead(fetched[0] + len(fetched[1]))
        return fetched

    def _ask_ahead(self, start: int) -> None:
        end = min(start + self._range_bytes, self.size)
        if start < end:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "kformat-ranges")
            self._ahead = (start, end, self._pool.submit(self.fetch, start, end))

    def close(self) -> None:
        with self._lock:
            self._kept, self._ahead = [], None
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None


# fsspec


class _Remote:
    """fsspec's file systems; fsspec caches one for each set of options."""

    def _of(self, address: Address) -> tuple[Any, str]:
        try:
            import fsspec
        except ImportError as error:
            raise MissingDependencyError("fsspec", extra="remote") from error
        try:
            with _told(address):
                try:
                    fs_and_path: tuple[Any, str] = fsspec.url_to_fs(str(address))
                    return fs_and_path
                except ImportError as error:
                    if address.protocol in _BROUGHT:
                        raise MissingDependencyError(_BROUGHT[address.protocol], extra="remote") from error
                    raise UsageError(f"{address}: {error}") from error  # fsspec names the missing package
        except OSError as error:
            if isinstance(error.__cause__, ValueError):  # fsspec raises it for an unknown protocol
                raise UsageError(f"{address}: {error.__cause__}") from error
            raise

    def status(self, address: Address) -> Status:
        fs, path = self._of(address)
        with _told(address):
            return _status_of(fs.info(path), path)

    def list(self, address: Address) -> dict[str, Status]:
        fs, path = self._of(address)
        with _told(address):
            fs.invalidate_cache(path)  # an earlier listing may be out of date
            infos = fs.ls(path, detail=True)
            own = path.rstrip("/")
            if not infos and not address.is_dir():
                raise FileNotFoundError(path)
            if [info["name"].rstrip("/") for info in infos] == [own] and infos[0]["type"] == "file":
                raise NotADirectoryError(path)
            return {
                info["name"].rstrip("/").rpartition("/")[2]: _status_of(info, path)
                for info in infos
                if info["name"].rstrip("/") != own  # an object that stands for the folder
            }

    def open(self, address: Address) -> AddressReader:
        fs, path = self._of(address)

        def fetch(start: int, end: int) -> bytes:
            with _told(address):
                data: bytes = fs.cat_file(path, start=start, end=end)
                if len(data) > end - start:
                    raise io.UnsupportedOperation("the server does not support byte ranges")
                return bytes(data)

        return Ranges(fetch, address.stat().st_size, is_slow=True)


def _status_of(info: dict[str, Any], path: str) -> Status:
    """The status from an fsspec file system; each has its own key for the time."""
    if info["type"] == "directory":
        return _FOLDER
    if info["type"] != "file":
        return Status(stat.S_IFIFO, 0)
    if info.get("size") is None:
        raise io.UnsupportedOperation(f"{path}: the size is not known here")
    times = (info.get(name) for name in ("LastModified", "mtime", "last_modified", "updated", "modified", "created"))
    return Status(stat.S_IFREG, int(info["size"]), next(filter(None, map(_nanoseconds, times)), None))


def _nanoseconds(moment: Any) -> int | None:
    """ns since 1970, from a datetime, ISO 8601 or seconds; None for anything else."""
    if isinstance(moment, str):
        try:
            moment = parse_moment(moment)
        except UsageError:
            return None
    if isinstance(moment, datetime):
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return int(moment * 1_000_000) * 1000 if isinstance(moment, int | float) else None


# Archives


@dataclass(frozen=True, slots=True)
class _Member:
    status: Status
    open: Callable[[_Archive, Address], AddressReader] | None = None


class _Archive:
    """The files of an archive, by their paths in it; listed on opening, closed with its last user.

    ``lock`` serializes all reads through the library's single file object.
    """

    def __init__(self, name: str, reader: AddressReader) -> None:
        self.name, self.reader, self.lock = name, reader, threading.Lock()
        self.members: dict[str, _Member] = {"": _Member(_FOLDER)}
        self.names: dict[str, set[str]] = {"": set()}
        self._room = MAX_LISTED_BYTES

    def add(self, path: str, member: _Member) -> None:
        """Add a file or folder, and its parents; LimitError beyond `MAX_LISTED_BYTES`, and for long paths."""
        if len(path) > _MAX_PATH_BYTES:
            raise self._limit("a path longer than any system allows", _MAX_PATH_BYTES, len(path))
        path = _inner(path)
        if path.count("/") >= _MAX_DEPTH:
            raise self._limit("folders in one another", _MAX_DEPTH, path.count("/") + 1)
        if not path:
            return
        self.members[path] = member
        self._room -= _ENTRY_BYTES + len(path)
        while path:
            folder, _, name = path.rpartition("/")
            self.names.setdefault(folder, set()).add(name)
            if folder not in self.members:
                self.members[folder] = _Member(_FOLDER)
                self._room -= _ENTRY_BYTES + len(folder)
            path = folder
        if self._room < 0:
            raise self._limit("more files than are listed of an archive", f"{MAX_LISTED_BYTES} bytes of memory", None)

    def _limit(self, what: str, most: object, found: object) -> LimitError:
        return LimitError(what, source=self.name, expected=f"at most {most}", found=found)

    def _member(self, address: Address) -> _Member:
        try:
            return self.members[_inner(address.path)]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(address)) from None

    def status(self, address: Address) -> Status:
        return self._member(address).status

    def list(self, address: Address) -> dict[str, Status]:
        if not stat.S_ISDIR(self._member(address).status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(address))
        path = _inner(address.path)
        return {name: self.members[f"{path}/{name}" if path else name].status for name in self.names.get(path, ())}

    def open(self, address: Address) -> AddressReader:
        opener = self._member(address).open
        assert opener is not None, "an address opens regular files only"
        return opener(self, address)

    def __del__(self) -> None:
        self.reader.close()


def _inner(path: str) -> str:
    """A path in an archive, without a leading slash, and without the ``./`` that `tar c .` adds."""
    return posixpath.normpath(f"/{path}").lstrip("/")


_archives: WeakValueDictionary[tuple[Any, ...], _Archive] = WeakValueDictionary()
_archives_lock = threading.RLock()  # an archive may contain an archive


def _archive(address: Address) -> _Archive:
    """The archive of an address: an open one is shared as long as an address in it is alive.

    A local file that was written again counts as another archive.
    """
    if not address.outer:
        raise UsageError(f"{address}: the address does not name the archive; write {address}::FILE")
    outer, moment = Address(address.outer) if is_address(address.outer) else None, None
    if outer is None:
        file = os.stat(address.outer)
        moment = (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns)
    key = (address.protocol, address.outer, moment)
    with _archives_lock:
        archive = _archives.get(key)
        if archive is None:
            reader = _Local(address.outer) if outer is None else outer.open()
            try:
                with _told(address.outer):
                    try:
                        archive = (_tar if address.protocol == "tar" else _zip)(address.outer, reader)
                    except (KformatError, OSError, MemoryError, *_DAMAGED):
                        raise
                    except Exception as error:  # tarfile and zipfile raise many types for malformed input
                        problem = f"a damaged archive ({type(error).__name__}: {error})"
                        raise InvalidError(problem, source=address.outer) from error
            except BaseException:
                reader.close()
                raise
            _archives[key] = archive
        return archive


def _tar(name: str, reader: AddressReader) -> _Archive:
    begin = reader.read_at(0, _BLOCK_BYTES)
    tool = next((tool for magic, tool in _COMPRESSED.items() if begin.startswith(magic)), None)
    if tool is not None:
        raise UsageError(f"{name}: a compressed archive cannot be read at a position; unpack it ({tool})")
    archive, links = _Archive(name, reader), []
    file = _LimitedFile(name, reader)
    file.allow(_MAX_TAR_HEADER_BYTES)
    tar: Any = tarfile.TarFile(fileobj=file, tarinfo=_TarInfo)
    while file.allow(_MAX_TAR_HEADER_BYTES) and (item := tar.next()) is not None:
        tar.members = []  # each keeps its header in memory
        if item.size < 0 or item.offset_data < 0:
            raise InvalidError("a negative size in a tar archive", source=name, position=max(0, item.offset))
        is_time = abs(item.mtime) < _MOST_TIME_S
        modified_ns = int(item.mtime * 1_000_000) * 1000 if is_time else None
        if item.issym() or item.islnk():
            links.append((item.name, item.islnk(), item.linkname))
            archive.add(item.name, _Member(Status(stat.S_IFLNK, 0)))
        elif item.isdir():
            archive.add(item.name, _Member(_FOLDER))
        elif not item.isreg():
            archive.add(item.name, _Member(Status(stat.S_IFIFO, 0)))
        else:
            status = Status(stat.S_IFREG, item.size, modified_ns)
            archive.add(item.name, _Member(status, _tar_opener(item, name)))
    if reader.read_at(tar.offset, _BLOCK_BYTES).strip(b"\0"):  # tarfile treats an invalid header as the end
        raise InvalidError("no header of a file in a tar archive", source=name, position=tar.offset)
    targets = {
        _inner(path): _inner(posixpath.join("" if is_hard else posixpath.dirname(path), to))
        for path, is_hard, to in links
    }
    for path, to in targets.items():
        for _ in range(_MAX_LINKS):  # one may lead to another, wherever in the archive that stands
            if to not in targets:
                break
            to = targets[to]
        target = archive.members.get(to)
        if target is not None and target.open:
            archive.members[path] = target
    return archive


class _TarInfo(tarfile.TarInfo):
    """A tar header. The records of an extended header are checked before tarfile parses them: if they overlap, tarfile
    needs time and memory quadratic in their size.
    """

    def _proc_pax(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        file: Any = tar.fileobj
        start, position = file.tell(), 0
        if not 0 <= self.size <= _MAX_PAX_BYTES:
            raise LimitError(
                "an extended header in a tar archive",
                source=file.source,
                position=start,
                expected=f"at most {_MAX_PAX_BYTES} bytes",
                found=self.size,
            )
        data = file.read(self.size)
        file.seek(start)
        while position < len(data) and data[position]:
            record = _PAX_RECORD.match(data, position)
            end = position + int(record[1]) if record else 0
            if record is None or end <= record.end() or end > len(data) or data[end - 1] != ord("\n"):
                text = "no record of an extended header in a tar archive"
                raise InvalidError(text, source=file.source, position=start + position)
            position = end
        info: tarfile.TarInfo = super()._proc_pax(tar)  # type: ignore[misc]
        if sum(map(len, tar.pax_headers)) + sum(map(len, tar.pax_headers.values())) > _MAX_TAR_HEADER_BYTES:
            raise LimitError("the global headers of a tar archive", source=file.source, position=start)
        return info


def _tar_opener(item: tarfile.TarInfo, name: str) -> Callable[[_Archive, Address], AddressReader]:
    """A member is a range of the archive, or several with holes between them."""
    start, size = item.offset_data, item.size
    holed: Any = item.sparse
    if holed is None:
        return lambda archive, address: _Slice(archive, start, size)
    pieces: list[tuple[int, int, int]] = []
    end, stored = 0, start
    for begin, length in holed:
        if not length:
            continue  # the end of the list, or of the file
        if begin < end or length < 0 or begin + length > size:
            raise InvalidError("a file with holes in a tar archive: its pieces are in no order", source=name)
        pieces.append((begin, length, stored))
        end, stored = begin + length, stored + length
    return lambda archive, address: _Holed(archive, pieces, size)


def _zip(name: str, reader: AddressReader) -> _Archive:
    archive = _Archive(name, reader)
    file = _LimitedFile(name, reader)
    file.allow(_MAX_DIRECTORY_BYTES)
    opened = zipfile.ZipFile(file)
    file.allow(None)
    items = opened.infolist()
    if sum(item.compress_size for item in items) > reader.size:
        raise InvalidError("files in a zip archive overlap", source=name)
    for item in items:
        if item.is_dir():
            archive.add(item.filename, _Member(_FOLDER))
            continue
        modified_ns: int | None = None
        with contextlib.suppress(ValueError):  # of month 0, which some write for a time that they do not know
            modified_ns = calendar.timegm(item.date_time) * 1_000_000_000
        status = Status(stat.S_IFREG, item.file_size, modified_ns)
        archive.add(item.filename, _Member(status, _zip_opener(opened, item)))
    return archive


def _zip_opener(opened: zipfile.ZipFile, item: zipfile.ZipInfo) -> Callable[[_Archive, Address], AddressReader]:
    def open_it(archive: _Archive, address: Address) -> AddressReader:
        with _told(address, damaged=False):
            file = opened.open(item)
            if item.compress_type != zipfile.ZIP_STORED or item.flag_bits & _ENCRYPTED:
                return _ranges_of(archive, file, item.file_size, address)
            if item.compress_size != item.file_size:
                raise zipfile.BadZipFile(f"{item.compress_size} bytes are stored for {item.file_size}")
            # A range of the archive, after zipfile has checked its header. zipfile's own seek in stored files returns
            # wrong bytes in CPython 3.13.0.
            file.close()
            header = archive.reader.read_at(item.header_offset, _LOCAL_HEADER.size)
            return _Slice(
                archive, item.header_offset + _LOCAL_HEADER.size + sum(_LOCAL_HEADER.unpack(header)), item.file_size
            )

    return open_it


def _ranges_of(archive: _Archive, file: Any, size: int, address: Address) -> Ranges:
    """A file that a library reads through the archive's own file."""

    def fetch(start: int, end: int) -> bytes:
        with _told(address, damaged=False), archive.lock:
            file.seek(start)
            data: bytes = file.read(end - start)
            return data

    return Ranges(fetch, size, is_slow=False)


class _Slice:
    """A range of an archive."""

    def __init__(self, archive: _Archive, start: int, size: int) -> None:
        self.archive, self.start, self.size = archive, start, size

    def read_at(self, position: int, size: int) -> bytes:
        return self.archive.reader.read_at(self.start + position, max(0, min(size, self.size - position)))

    def close(self) -> None:
        """The archive is closed with its last user."""


class _Holed:
    """A sparse file in an archive: ``pieces`` are (position in the file, size, position in the archive), in order."""

    def __init__(self, archive: _Archive, pieces: list[tuple[int, int, int]], size: int) -> None:
        self.archive, self.pieces, self.size = archive, pieces, size

    def read_at(self, position: int, size: int) -> bytes:
        end = min(position + max(0, size), self.size)
        parts: list[bytes] = []
        for begin, length, stored in self.pieces[self._first(position) :]:
            if begin >= end or position >= end:
                break
            parts.append(bytes(max(0, begin - position)))
            position = max(position, begin)
            wanted = min(begin + length, end) - position
            data = self.archive.reader.read_at(stored + position - begin, wanted)
            parts.append(data)
            position += len(data)
            if len(data) < wanted:  # the archive became shorter
                return b"".join(parts)
        parts.append(bytes(max(0, end - position)))
        return b"".join(parts)

    def _first(self, position: int) -> int:
        """The number of the first piece that ends after a position."""
        return bisect_right(self.pieces, position, key=lambda piece: piece[0] + piece[1])

    def close(self) -> None:
        """As in `_Slice`."""


class _Local:
    """A file on this machine."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self.size = os.fstat(self.descriptor).st_size

    def read_at(self, position: int, size: int) -> bytes:
        return os.pread(self.descriptor, size, position)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class _ReaderStream(io.RawIOBase):
    """A reader as a file, for the libraries that read archives."""

    def __init__(self, reader: AddressReader) -> None:
        self.reader, self.position = reader, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self.position, os.SEEK_END: self.reader.size}[whence]
        if begin + offset < 0:
            raise ValueError(f"position {begin + offset}")
        self.position = begin + offset
        return self.position

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any) -> int:
        data = self.reader.read_at(self.position, len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


class _LimitedFile(io.BufferedReader):
    """A reader as a file with a limit on reads, while a library lists an archive: it trusts the lengths in the archive,
    and keeps what it reads.
    """

    def __init__(self, source: str, reader: AddressReader) -> None:
        super().__init__(_ReaderStream(reader))
        self.source, self._size = source, reader.size
        self._room: int | None = None

    def allow(self, room: int | None) -> bool:
        """Allow so many more bytes; None for no limit."""
        self._room = room
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        position = self.tell()
        left = max(0, self._size - position)
        asked = left if size is None or size < 0 else min(size, left)
        if self._room is not None:
            self._room -= asked
            if self._room < 0:
                text = "an archive's list of files is larger than the limit"
                raise LimitError(text, source=self.source, position=position, found=asked)
        return super().read(asked)


__all__ = ["local_path"]

"""Stored positions of readers, by name: where `LogReader.cursor` with a name begins, and what `Cursor.commit` writes.

A position is the next offset to read, as committed by Kafka's consumer groups. Each is a small file of its own:

    FOLDER/NAME/ID.json     {"next_offset": 42, "name": "billing", "id": "5f0c...", "log": "/data/kafka-logs/orders-0"}

The first commit of a cursor replaces the file atomically (`kformat.storage.atomic_write`). Later ones overwrite the
number in place, which is padded with spaces to one width: its bytes are in the file's first sector, and a disk writes a
sector whole or not at all. So what is there after a crash is a committed offset, the last one that was synced or a
later one. A reader of the file reads it until it finds the same bytes twice.

ID identifies the log (`ids_of`), so that a position goes with the log when it is moved, and not to another log that is
created in its place: a hash of the topic's id and the partition's number; the id that the engine gives to a log of a
topic without one; for all others a hash of the path without links. A reader writes nothing next to the log: FOLDER
is the caller's, or ``kformat/positions`` in the user's state folder (``$XDG_STATE_HOME``, else ``~/.local/state``; on
macOS ``~/Library/Application Support``). If two readers use the same name, the last commit wins.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Final

from kformat.errors import DataError, InvalidError, LogError, UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.files.file_kinds import (
    LOG_ID_FILE,
    MAX_TOPIC_CHARACTERS,
    PROPERTIES_FILE,
    is_topic_name,
    parse_folder_name,
)
from kformat.kafka.files.text_files import PartitionMetadata, read_sidecar
from kformat.storage.address import local_path
from kformat.storage.atomic_write import atomic_write, sync_folder
from kformat.storage.plain_file import StrPath, naming, open_own, read_plain

_ID_CHARACTERS: Final = 32
_MOST_BYTES: Final = 1 << 20
_BEFORE: Final = b'{"next_offset": '
_DIGITS: Final = len(str(MAX_INT64))
_MOST_READS: Final = 100
_ID_FILES: Final = ("partition.metadata", LOG_ID_FILE)
_ID: Final = re.compile(rf"[0-9a-f]{{{_ID_CHARACTERS}}}")


def default_folder() -> Path:
    """The default folder for positions; UsageError if the user's home is unknown."""
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "kformat" / "positions"
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "state"
    except RuntimeError:
        raise UsageError("positions: there is no home folder to keep them in; name a folder") from None
    return state / "kformat" / "positions"


class Position:
    """The stored position of one name in one log.

    Attributes:
        name: the reader's name. log: the path of the partition's folder, without links. ids: see `ids_of`.
        path: the file that `write` writes.
    """

    def __init__(self, name: str, log: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> None:
        """UsageError for a name that is not valid for a topic or group in Kafka, and for a folder that a broker would
        treat as part of its log directory.
        """
        if not isinstance(name, str) or not is_topic_name(name):
            raise UsageError(
                f"{name!r} is not a valid name of a position: use ASCII letters, digits, '.', '_' and '-', at most "
                f"{MAX_TOPIC_CHARACTERS}, and neither '.' nor '..'"
            )
        self.name, self.log = name, os.path.realpath(log)
        top = Path(os.path.realpath(default_folder() if folder is None else local_path(folder)))
        partition = Path(self.log)
        is_brokers = (partition.parent / PROPERTIES_FILE).exists()
        if top.is_relative_to(partition.parent if is_brokers else partition):
            raise UsageError(f"{top}: positions are not kept in a broker's folders; name another folder")
        self._folder, self.ids = top / name, ids_of(self.log)
        self._file: io.FileIO | None = None
        self._rest = b""
        self._log_identity: tuple[tuple[int, int, int], ...] = ()
        self.path = self._folder / f"{(*self.ids, path_id(partition))[0]}.json"

    def read(self) -> int | None:
        """The next offset to read; None if nothing was committed.

        Raises InvalidError for a file that no commit of this name wrote, OSError if it cannot be read, is no regular
        file, or a link.
        """
        for known in self.ids or (path_id(Path(self.log)),):
            path = self._folder / f"{known}.json"
            try:
                data = _read_steadily(path)
            except FileNotFoundError:
                continue
            try:
                stored = json.loads(data)
                offset, log = stored["next_offset"], stored["log"]
                is_it = (
                    stored.get("id", _hash(os.fsencode(log))) == known and stored.get("name", self.name) == self.name
                )
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                offset, is_it = None, False
            if type(offset) is not int or not 0 <= offset <= MAX_INT64 or not is_it:
                raise InvalidError(
                    f"no position of {self.name} in this log", source=str(path), expected=_as_text(self.log)
                )
            return offset
        return None

    def write(self, next_offset: int, *, sync: bool = True) -> None:
        """Store a position; with ``sync`` it is on disk before this returns, else it may be lost if the machine dies,
        but not if the process does.

        Raises OSError: the old position remains, or this one is stored. LogError if another log lies there now.
        """
        self._check_log()
        file = self._file
        if file is None or not self._is_as_written(file.fileno()):
            self._replace(next_offset)
            return
        try:
            with naming(self.path):
                if os.pwrite(file.fileno(), _number(next_offset), len(_BEFORE)) != _DIGITS:
                    raise OSError(errno.EIO, "The position was written in part", str(self.path))
                if sync:
                    os.fdatasync(file.fileno())
        except BaseException:
            self.close()  # the next one replaces the file
            raise

    def _is_as_written(self, descriptor: int) -> bool:
        """Whether the file has its name, no other one, and what `_replace` wrote, but for the number."""
        try:
            status, own = os.stat(self.path, follow_symlinks=False), os.fstat(descriptor)
        except OSError:
            return False
        if (status.st_dev, status.st_ino, status.st_nlink) != (own.st_dev, own.st_ino, 1):
            return False
        data = os.pread(descriptor, len(_BEFORE) + _DIGITS + len(self._rest) + 1, 0)
        return data.startswith(_BEFORE) and data[len(_BEFORE) + _DIGITS :] == self._rest

    def close(self) -> None:
        """Close the file; a later `write` opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _check_log(self) -> None:
        """Raise LogError if another log lies there now; its ids are read when the files that hold them have changed."""
        files = tuple(_identity_of(f"{self.log}/{name}") for name in _ID_FILES)
        if files != self._log_identity:
            if is_another(self.ids, ids_of(self.log)):
                raise another_log(self.log)
            self._log_identity = files

    def _replace(self, next_offset: int) -> None:
        """Replace the file, synced, and keep it open."""
        self.close()
        folder = self.path.parent
        for missing in [part for part in reversed((folder, *folder.parents)) if not part.exists()]:
            missing.mkdir(exist_ok=True)
            sync_folder(missing.parent)
        kept = {"name": self.name, "id": self.path.stem, "log": _as_text(self.log)}
        self._rest = b", " + json.dumps(kept).encode()[1:] + b"\n"
        atomic_write(self.path, b"".join((_BEFORE, _number(next_offset), self._rest)))
        self._file = io.FileIO(open_own(self.path, os.O_RDWR), "r+")


def _read_steadily(path: Path) -> bytes:
    """The bytes of a position's file, which another process may overwrite meanwhile. OSError."""
    data = read_plain(path, _MOST_BYTES)
    for _ in range(_MOST_READS):
        again = read_plain(path, _MOST_BYTES)
        if again == data:
            break
        data = again
    return data


def _number(next_offset: int) -> bytes:
    """An offset as the file has it."""
    return b"%-*d" % (_DIGITS, next_offset)


def _identity_of(path: StrPath) -> tuple[int, int, int]:
    """Device, inode and the time of creation, renaming or the last change of a file that nobody writes in place; zeros
    if there is none."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return 0, 0, 0
    return status.st_dev, status.st_ino, status.st_ctime_ns


def ids_of(log: str | os.PathLike[str]) -> tuple[str, ...]:
    """The ids of a log, 32 hexadecimal digits each, the one to use first; moving the log does not change them. Empty
    for a log of a broker before 2.8."""
    folder, ids = Path(log), list[str]()
    name = parse_folder_name(folder.name)
    with contextlib.suppress(DataError, OSError):
        metadata = read_sidecar(folder / "partition.metadata")
        if isinstance(metadata, PartitionMetadata) and name is not None:
            ids.append(_hash(f"topic {metadata.topic_id} partition {name.partition}".encode()))
    with contextlib.suppress(OSError):
        own = read_plain(folder / LOG_ID_FILE, _ID_CHARACTERS + 1).strip().decode("latin-1")
        if _ID.fullmatch(own):
            ids.append(own)
    return tuple(ids)


def is_another(before: tuple[str, ...], now: tuple[str, ...]) -> bool:
    """Whether ids of a folder at two times (`ids_of`) show that another log was created there."""
    return bool(before and now) and not set(before) & set(now)


def another_log(log: str | os.PathLike[str]) -> LogError:
    """The error for a folder that holds another log now (`is_another`)."""
    return LogError(f"{os.fspath(log)}: another log was created in the place of the one that was read; open it again")


def path_id(log: Path) -> str:
    """The id of a log that has none, from its path; the engine gives the log this id when it moves it."""
    return _hash(os.fsencode(os.path.realpath(log)))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_ID_CHARACTERS]


def _as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


__all__ = ["Position", "another_log", "default_folder", "ids_of", "is_another", "path_id"]

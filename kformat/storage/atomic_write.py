"""A file that is there whole or not at all: written next to its place, synced, renamed; then the folder is synced.

After a crash there is the old content or the new one. What is written next to it is a new file (`plain_file`): neither
a link nor a pipe nor a file that somebody put there is written through.

The name next to it is ``<name>.tmp``, where a lock keeps out others that would use the same one: what a killed writer
left there is removed. Where no lock does, it is one that nobody else has.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from kformat.storage.plain_file import NEW_FILE_MODE, StrPath, create_plain, give_away

BESIDE: Final = ".tmp"
_MOST_STEM_CHARACTERS: Final = 40
"""Of a name in another one: a name has at most 255 bytes."""


def atomic_write(
    path: Path, data: bytes, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None, is_locked: bool = False
) -> None:
    """Put ``data`` in the place of a file; see `writing_beside`. OSError: the old content is there."""
    with writing_beside(path, mode=mode, owner=owner, is_locked=is_locked) as file:
        file.write(data)


@contextlib.contextmanager
def writing_beside(
    path: Path, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None, is_locked: bool = False
) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``path`` when all has been written, and is gone when something was raised.

    Args:
        mode: of the new file, less the process's umask.
        owner: whose owner and group it gets, where that is permitted.
        is_locked: nobody else writes this file now: see the module.
    """
    beside = path.with_name(f"{path.name}{BESIDE}" if is_locked else unique_name(path.name))
    try:
        with new_file(beside, mode=mode, owner=owner) as file:
            yield file
            sync_file(file)
        put_in_place([(beside, path)])
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


@contextlib.contextmanager
def filling(folder: Path) -> Iterator[None]:
    """A folder, empty or not there yet, that is filled inside; emptied again when something was raised."""
    was_there = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for path in folder.iterdir() if folder.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if not was_there:
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()
        raise


def put_in_place(files: Iterable[tuple[StrPath, StrPath]]) -> None:
    """Give files that are on the disk their names, in this order, and sync each folder that got some. OSError."""
    folders = dict[str, None]()
    for beside, path in files:
        os.replace(beside, path)
        folders[os.path.dirname(path) or os.curdir] = None
    for folder in folders:
        sync_folder(folder)


def unique_name(name: str) -> str:
    """A name for what will be called ``name``, which nobody else uses."""
    return f".{name[:_MOST_STEM_CHARACTERS]}.{uuid.uuid4().hex}.part"


def new_file(path: Path, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None) -> IO[bytes]:
    """A new file, for writing, in the place of whatever has that name; FileExistsError where somebody is faster."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    descriptor = create_plain(path, mode)
    try:
        if owner is not None:
            give_away(descriptor, owner)
        return open(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        raise


def sync_file(file: IO[bytes]) -> None:
    """Return when what was written has reached the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: StrPath) -> None:
    """Return when the names in a folder have reached the disk. OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["BESIDE", "filling", "sync_folder"]

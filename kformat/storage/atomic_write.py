"""Write a file atomically: write next to its place, sync, rename; then sync the folder.

A crash leaves either the old content or the new one. The temporary file is always a new file (`plain_file`): it never
writes through an existing link, pipe or file.

If a lock excludes other writers, the temporary name is ``<name>.tmp``, and one left by a killed writer is removed.
Otherwise the name is unique.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from kformat.storage.plain_file import NEW_FILE_MODE, StrPath, create_plain, give_away, naming, writer_of

BESIDE: Final = ".tmp"
_MOST_STEM_CHARACTERS: Final = 40
"""How much of one name goes into another: a name has at most 255 bytes."""


def atomic_write(
    path: Path, data: bytes, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None, is_locked: bool = False
) -> None:
    """Replace a file's content with ``data``; see `writing_beside`. On OSError the old content remains."""
    with writing_beside(path, mode=mode, owner=owner, is_locked=is_locked) as file:
        file.write(data)


@contextlib.contextmanager
def writing_beside(
    path: Path, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None, is_locked: bool = False
) -> Iterator[IO[bytes]]:
    """A new file that replaces ``path`` when all has been written, and is removed on an exception.

    Args:
        mode: of the new file, less the process's umask.
        owner: the file whose owner and group it gets, if that is permitted.
        is_locked: a lock excludes other writers of this file: see the module.
    """
    beside = path.with_name(f"{path.name}{BESIDE}" if is_locked else unique_name(path.name))
    try:
        with new_file(beside, mode=mode, owner=owner, called=path) as file:
            yield file
            sync_file(file)
        put_in_place([(beside, path)])
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


@contextlib.contextmanager
def filling(folder: Path) -> Iterator[None]:
    """Fill a folder that is empty or does not exist yet; on an exception it is emptied again."""
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
    """Rename files that are on disk to their final names, in this order, and sync each affected folder. OSError."""
    folders = dict[str, None]()
    for beside, path in files:
        os.replace(beside, path)
        folders[os.path.dirname(path) or os.curdir] = None
    for folder in folders:
        sync_folder(folder)


def unique_name(name: str) -> str:
    """A unique temporary name for a file that will be called ``name``."""
    return f".{name[:_MOST_STEM_CHARACTERS]}.{uuid.uuid4().hex}.part"


def new_file(
    path: Path, *, mode: int = NEW_FILE_MODE, owner: os.stat_result | None = None, called: Path | None = None
) -> IO[bytes]:
    """A new file, for writing, that replaces any file of that name; FileExistsError if another process is faster.

    Errors name it as ``called``, where it will be renamed to that.
    """
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    try:
        descriptor = create_plain(path, mode)
    except FileNotFoundError as error:  # the folder is missing, whatever the temporary name is
        error.filename = os.fspath(path.parent)
        raise
    try:
        if owner is not None:
            give_away(descriptor, owner)
        return writer_of(descriptor, called or path)
    except BaseException:
        os.close(descriptor)
        raise


def sync_file(file: IO[bytes]) -> None:
    """Return when the file's content has reached the disk. OSError, with the file's name."""
    with naming(file.name):
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: StrPath) -> None:
    """Return when the folder's entries have reached the disk. OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with naming(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["BESIDE", "filling", "sync_folder"]

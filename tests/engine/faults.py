"""Disks that fail, processes that die and machines that lose power, for tests of the engine.

* `FaultyStorage` counts the steps of a run, keeps a trace of them, and fails at a chosen one: with an OSError once or
  from there on, with half of a write done or none of it, or with `Death`, behind which nothing reaches the disk.
* `ForgetfulStorage` also knows what of a folder the disk has for certain, and makes a state that a loss of power may
  leave of the rest: see `ForgetfulStorage.crash`.
* `picture` and `put_back` copy a folder: what kill -9 leaves is what the kernel had been told at that moment.

What the disk is taken to do when the power goes, which is meant to be worse than any real one: what was synced stays;
of a file with unsynced changes every page is left at one of the contents it has had since, on its own, and the length
likewise; of a folder the changes of names since the last sync are there up to some moment; a file's sync says nothing
about its name. Two things are trusted: pages that were not written to keep what they have, and a name changes at once.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from kformat.storage import root_lock
from kformat_engine.root import Root
from kformat_engine.storage import File, Storage

PAGE_BYTES: Final = 4096
SECTOR_BYTES: Final = 512

Picture = dict[str, bytes | None]
"""Relative path -> content; None: a folder."""


class Death(BaseException):
    """The process ends here. No ``except Exception`` holds it up, and what a ``finally`` tries fails likewise."""


class Step(NamedTuple):
    """One change of the disk, before it is done."""

    number: int  # from 1
    operation: str
    name: str

    def __str__(self) -> str:
        return f"step {self.number} {self.operation} {self.name}"


@dataclass(frozen=True)
class Fault:
    """What happens at a step.

    Attributes:
        at: the number of the step, from 1.
        error: the errno of the OSError; None is `Death`.
        stays: every later step fails likewise (always so after a death).
        torn: if the step is a write, the first half of its bytes gets into the file.
    """

    at: int
    error: int | None = errno.EIO
    stays: bool = False
    torn: bool = False

    def __str__(self) -> str:
        name = "death" if self.error is None else errno.errorcode[self.error]
        return f"{name} at {self.at}{' and on' * self.stays}{', torn' * self.torn}"


class FaultyFile(File):
    """A file whose writes may stop half-way."""

    storage: FaultyStorage

    def write_at(self, data: Any, position: int) -> None:
        if self.storage.tears_next_write():
            half = memoryview(data).cast("B")
            half = half[: len(half) // 2]
            os.pwrite(self.descriptor, half, position)
            self.was_written(half, position)
        super().write_at(data, position)
        self.was_written(data, position)

    def was_written(self, data: Any, position: int) -> None:
        """These bytes have got into the file."""

    def sync(self) -> None:
        self.storage.step("sync", self.path)


class FaultyStorage(Storage):
    """A disk that fails at a step.

    Syncs are steps, and nothing else: no test pulls a plug, and a real sync takes as long as a hundred tests' steps.

    Attributes:
        fault: what fails and when; may be set at any time.
        trace: every step up to now, the failed ones as well.
        failed: the steps that failed.
        before_step: called with each step before it is done or fails.
    """

    file_class: type[File] = FaultyFile

    def __init__(self, fault: Fault | None = None, before_step: Callable[[Step], None] | None = None) -> None:
        self.fault, self.before_step = fault, before_step
        self.trace: list[Step] = []
        self.failed: list[Step] = []
        self._files: list[File] = []

    def step(self, operation: str, path: Path) -> None:
        step = Step(len(self.trace) + 1, operation, path.name)
        self.trace.append(step)
        if self.before_step is not None:
            self.before_step(step)
        fault = self.fault
        if fault is None or step.number < fault.at:
            return
        if step.number > fault.at and not fault.stays and fault.error is not None:
            return
        self.failed.append(step)
        if fault.error is None:
            raise Death(str(step))
        raise OSError(fault.error, os.strerror(fault.error), str(path))

    def tears_next_write(self) -> bool:
        """Whether the next step, if it is a write, gets half of its bytes into the file."""
        return self.fault is not None and self.fault.torn and self.fault.at == len(self.trace) + 1

    def open(self, path: Path, *, create: bool = False, writable: bool = True) -> File:
        file = super().open(path, create=create, writable=writable)
        self._files.append(file)
        return file

    def sync_directory(self, path: Path) -> None:
        self.step("sync_directory", path)

    def close_all(self) -> None:
        """Close every file that is still open, and let go of locks, as the end of a process does."""
        for file in self._files:
            file.close()
        self._files.clear()
        for lock in root_lock.held():
            if isinstance(lock.owner, Root) and lock.owner._storage is self:
                lock.release()

    def open_files(self) -> list[Path]:
        """The files that are open now."""
        return [file.path for file in self._files if not file.is_closed]


# What the power leaves


@dataclass
class _Content:
    """A file: what the program sees, and what the disk may have of it."""

    now: bytearray
    synced: bytes
    lengths: list[int] = field(default_factory=list)  # since the last sync, that one's first
    pages: dict[int, list[bytes]] = field(default_factory=dict)  # what each changed page has held since

    def __post_init__(self) -> None:
        self.lengths = [len(self.synced)]

    def write(self, data: Any, position: int) -> None:
        view = memoryview(data).cast("B")
        if len(self.now) < position + len(view):
            self.now.extend(bytes(position + len(view) - len(self.now)))
        self.now[position : position + len(view)] = view
        self._changed(position, position + len(view))

    def truncate(self, size: int) -> None:
        before = len(self.now)
        if size < before:
            del self.now[size:]
        else:
            self.now.extend(bytes(size - before))
        self._changed(min(size, before), max(size, before))

    def _changed(self, start: int, end: int) -> None:
        self.lengths.append(len(self.now))
        for number in range(start // PAGE_BYTES, -(-end // PAGE_BYTES)):
            self.pages.setdefault(number, []).append(_page(self.now, number))

    def sync(self) -> None:
        self.synced = bytes(self.now)
        self.lengths = [len(self.synced)]
        self.pages = {}

    def left(self, random: Random, arbitrary: bool) -> bytes:
        """What the disk may have; ``arbitrary``: a changed page may also be zeros or anything."""
        if not self.pages and len(self.lengths) == 1:
            return self.synced
        way = random.random()
        if way < 0.1:
            return self.synced
        if way < 0.2:
            return bytes(self.now)
        length = random.choice(self.lengths)
        if way < 0.3:  # the length got there, the bytes did not
            return self.synced[:length].ljust(length, b"\0")
        if random.random() < 0.3:
            length = random.randint(min(self.lengths), max(self.lengths))
        parts = []
        for number in range(-(-length // PAGE_BYTES)):
            kept = _page(self.synced, number)
            if number in self.pages:
                kept = self._left_page(random, [kept, *self.pages[number]], arbitrary)
            parts.append(kept)
        return b"".join(parts)[:length]

    def _left_page(self, random: Random, contents: list[bytes], arbitrary: bool) -> bytes:
        way = random.random()
        if arbitrary and way < 0.2:
            return bytes(PAGE_BYTES)
        if arbitrary and way < 0.4:
            return random.randbytes(PAGE_BYTES)
        if way < 0.6:
            return contents[-1]
        if way < 0.8:
            return random.choice(contents)
        return b"".join(  # a page that was being written: each sector by itself
            random.choice(contents)[start : start + SECTOR_BYTES] for start in range(0, PAGE_BYTES, SECTOR_BYTES)
        )


def _page(data: bytes | bytearray, number: int) -> bytes:
    return bytes(data[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]).ljust(PAGE_BYTES, b"\0")


@dataclass
class _Folder:
    """A folder: the names as the program sees them, as of the last sync, and each change since."""

    names: dict[str, _Content | _Folder] = field(default_factory=dict)
    synced: dict[str, _Content | _Folder] = field(default_factory=dict)
    changes: list[dict[str, _Content | _Folder | None]] = field(default_factory=list)

    def change(self, change: dict[str, _Content | _Folder | None]) -> None:
        _apply(self.names, change)
        self.changes.append(change)

    def sync(self) -> None:
        self.synced = dict(self.names)
        self.changes = []

    def left(self, random: Random) -> dict[str, _Content | _Folder]:
        names = dict(self.synced)
        done = random.choice((0, len(self.changes), random.randint(0, len(self.changes))))
        for change in self.changes[:done]:
            _apply(names, change)
        return names


def _apply(names: dict[str, _Content | _Folder], change: dict[str, _Content | _Folder | None]) -> None:
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def is_index(name: str) -> bool:
    """Whether a file is an offset or a time index, of which a crash may leave anything."""
    return name.removesuffix(".deleted").endswith((".index", ".timeindex"))


class ForgetfulFile(FaultyFile):
    """A file that keeps count of what was synced."""

    storage: ForgetfulStorage

    def __init__(self, storage: Storage, path: Path, descriptor: int, writable: bool) -> None:
        super().__init__(storage, path, descriptor, writable)
        self._content = self.storage.content_of(path)

    def was_written(self, data: Any, position: int) -> None:
        self._content.write(data, position)

    def truncate(self, size: int) -> None:
        super().truncate(size)
        self._content.truncate(size)

    def sync(self) -> None:
        super().sync()
        self._content.sync()


class ForgetfulStorage(FaultyStorage):
    """A disk under ``root`` that can lose power; what lies there when it is made counts as synced.

    The real files are written as usual. Nothing outside of ``root`` may be touched through it.
    """

    file_class: type[File] = ForgetfulFile

    def __init__(
        self, root: Path, fault: Fault | None = None, before_step: Callable[[Step], None] | None = None
    ) -> None:
        super().__init__(fault, before_step)
        self.root = root
        self._tree = _Folder()
        for relative, data in picture(root).items():
            folder = self._folder((root / relative).parent)
            folder.names[Path(relative).name] = _Folder() if data is None else _Content(bytearray(data), data)
        for folder in self._folders(self._tree):
            folder.sync()

    def _folders(self, folder: _Folder) -> Iterator[_Folder]:
        yield folder
        for node in folder.names.values():
            if isinstance(node, _Folder):
                yield from self._folders(node)

    def _folder(self, path: Path) -> _Folder:
        folder = self._tree
        for part in path.relative_to(self.root).parts:
            node = folder.names[part]
            assert isinstance(node, _Folder), f"{path} is no folder"
            folder = node
        return folder

    def content_of(self, path: Path) -> _Content:
        """The content of a file, which begins with the first call for its name."""
        folder = self._folder(path.parent)
        node = folder.names.get(path.name)
        if node is None:
            node = _Content(bytearray(), b"")
            folder.change({path.name: node})
        assert isinstance(node, _Content), f"{path} is no file"
        return node

    def step(self, operation: str, path: Path) -> None:
        super().step(operation, path)
        if operation == "make_directory":  # here, because the folder above is synced before the call returns
            self._folder(path.parent).change({path.name: _Folder()})
        elif operation == "create":  # also `.lock`, which no file of this storage's is opened for
            self.content_of(path)

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        assert old.parent == new.parent, "a rename from one folder to another is not modelled"
        folder = self._folder(old.parent)
        folder.change({old.name: None, new.name: folder.names[old.name]})

    def unlink(self, path: Path) -> bool:
        was_there = super().unlink(path)
        if was_there:
            self._folder(path.parent).change({path.name: None})
        return was_there

    def sync_directory(self, path: Path) -> None:
        super().sync_directory(path)
        self._folder(path).sync()

    def seen(self) -> Picture:
        """What a program sees under ``root``, as far as it went through this storage; `picture` must be equal."""
        return dict(_pictured(self._tree, lambda folder: folder.names, lambda name, content: bytes(content.now)))

    def crash(self, random: Random) -> Picture:
        """One of the states that the disk may be in when the power goes now."""

        def content_left(name: str, content: _Content) -> bytes:
            return content.left(random, is_index(name))

        return dict(_pictured(self._tree, lambda folder: folder.left(random), content_left))


def _pictured(
    folder: _Folder,
    names: Callable[[_Folder], dict[str, _Content | _Folder]],
    content: Callable[[str, _Content], bytes],
    above: str = "",
) -> Iterator[tuple[str, bytes | None]]:
    for name, node in names(folder).items():
        if isinstance(node, _Folder):
            yield above + name, None
            yield from _pictured(node, names, content, f"{above}{name}/")
        else:
            yield above + name, content(name, node)


# Copies of a folder


def picture(root: Path) -> Picture:
    """What lies under a folder, folders before what is in them."""
    found: Picture = {}
    for folder, folders, files in os.walk(root):
        folders.sort()
        relative = Path(folder).relative_to(root)
        if relative.parts:
            found[str(relative)] = None
        for name in sorted(files):
            found[str(relative / name)] = Path(folder, name).read_bytes()
    return found


def put_back(shown: Picture, root: Path) -> None:
    """Make a folder that has what a picture shows."""
    root.mkdir(parents=True, exist_ok=True)
    for relative, data in shown.items():
        if data is None:
            (root / relative).mkdir(exist_ok=True)
        else:
            (root / relative).write_bytes(data)


def torn_between(before: bytes, after: bytes) -> bytes:
    """What is there when a write that made ``after`` of ``before`` was stopped half-way."""
    size = max(len(before), len(after))
    old, new = before.ljust(size, b"\0"), after.ljust(size, b"\0")
    changed = [position for position in range(size) if old[position] != new[position]]
    if not changed:
        return before
    middle = (changed[0] + changed[-1] + 1) // 2
    return new[:middle] + before[middle:]

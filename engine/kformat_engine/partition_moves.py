"""Moving a partition to another directory of its manager, while it is written to.

A copy is made in ``<topic>-<partition>.<id>-future`` of the other directory. Then the log is closed, the rest copied,
and the two folders are swapped.

The order of a swap, each step on disk before the next one begins:

1. the copy is complete, and the other root's checkpoints have the partition's entries of this root's;
2. the source folder gets a file ``move-<id>``, then the copy a file ``move-complete``, which names the source folder;
3. the source folder is renamed to ``-delete``;
4. the copy is renamed to ``<topic>-<partition>``;
5. ``move-complete`` is removed, and the partition is removed from this root's checkpoints.

(Brokers ignore files of such names. Kafka renames the copy first. A crash between its two renames leaves two logs, and
it does not start.) After a crash at any step there is one log, with all records. Until 3 it is the old one: opening a
manager removes the copy, and `move` has to be called again. From then on it is the copy: opening a manager does the
remaining steps, if the source directory is among those of the manager, so that it is certain that no log is there any
more.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import uuid
from pathlib import Path
from typing import Final

from kformat.errors import KformatError, UsageError
from kformat.kafka.files.file_kinds import LOG_ID_FILE, FolderName, folder_name, parse_file_name
from kformat.kafka.log.positions import path_id
from kformat_engine.current_logs import CurrentLogs, DeletedPartitions, Key, remove_folder
from kformat_engine.errors import DuplicatePartitionError, LogDirOfflineError, LogError
from kformat_engine.local_log import check_no_folders
from kformat_engine.log import Log, internals_of
from kformat_engine.log_dirs import LogDirs, blamed
from kformat_engine.recovery.sidecars import METADATA_FILE
from kformat_engine.root import Root
from kformat_engine.storage import Storage

_MARK: Final = "move-"
_COMPLETE: Final = "move-complete"
_COPY_BYTES: Final = 4 << 20
_MOST_COMPLETE_BYTES: Final = 1 << 16
_MAX_NAME_BYTES: Final = 255

Folders = dict[Path, list[tuple[FolderName, Path]]]
"""Directory -> its folders of partitions, in any state."""


def name_key(name: FolderName) -> Key:
    """The partition of a folder."""
    return name.topic, name.partition


def _mark_of(copy: Path) -> str:
    """The name of the file that marks the source folder of a complete copy: another folder of that name has none."""
    return _MARK + copy.name.rpartition(".")[2].removesuffix("-future")


def _is_plain(path: Path) -> bool:
    """Whether it is a file, and no link: anything else of that name is not from this module."""
    return path.is_file() and not path.is_symlink()


class PartitionMoves:
    """The running moves, and the completion of those that a crash interrupted.

    Attributes:
        targets: the directories to which partitions are being moved.
        swap_lock: held while a log is replaced by its copy; taken after the manager's.
    """

    def __init__(self, current: CurrentLogs, dirs: LogDirs, deleted: DeletedPartitions, storage: Storage) -> None:
        self._current, self._dirs, self._deleted, self._storage = current, dirs, deleted, storage
        self.targets: dict[Key, Path] = {}
        self.swap_lock = threading.Lock()

    def check_not_moved(self, log: Log) -> None:
        """Raise UsageError while a log is being moved."""
        target = self.targets.get((log.topic, log.partition))
        if target is not None:
            raise UsageError(f"{log.topic}-{log.partition} is being moved to {target}")

    def plan(self, log: Log, target: Root) -> PartitionCopy:
        """Plan a copy; nothing is done yet. The caller puts the move into `targets`, and removes it again."""
        self.check_not_moved(log)
        topic, partition = log.topic, log.partition
        if log.root is target:
            raise UsageError(f"{topic}-{partition} lies in {target.path}")
        copy = target.path / folder_name(topic, partition, "future", uuid.uuid4().hex)
        if len(copy.name.encode()) > _MAX_NAME_BYTES:
            raise UsageError(f"{topic}-{partition} cannot be moved: the name of its copy would be too long")
        check_no_folders(log.path)
        return PartitionCopy(log, copy, target, self._storage)

    def swap(self, copying: PartitionCopy) -> Log:
        """End a move with the steps in the module's docstring; returns the log in its new place. Under both locks."""
        log, target = copying.log, copying.target
        key, source, leader_epoch = (log.topic, log.partition), log.root, log.leader_epoch
        with blamed(source):
            internals_of(log).close_to_move()
        copying.end()
        with blamed(target):
            target.forget(*key)
            source.copy_offsets(*key, target)
            target.checkpoint()
        with blamed(source):
            self._storage.open(log.path / _mark_of(copying.folder), create=True).close()
            self._storage.sync_directory(log.path)
        with blamed(target):
            origin = {"version": 1, "copied_from": str(log.path)}
            self._storage.write_atomically(copying.folder / _COMPLETE, json.dumps(origin).encode())
        with blamed(source):
            self._deleted.add(log)
        del self._current.logs[key]
        with blamed(target):
            self._promote(target, copying.folder, *key)
        with self._dirs.noted(source):
            source.forget(*key)
            source.checkpoint()
        with blamed(target):
            moved = self._current.open(target, *key)
        if moved is None:
            raise self._current.refused[key]
        if leader_epoch > moved.leader_epoch:
            moved.leader_epoch = leader_epoch
        return moved

    def undo(self, copying: PartitionCopy, error: BaseException) -> None:
        """Undo a failed move: reopen the old log if it still exists; else opening a manager again ends the move."""
        log, copy, target = copying.log, copying.folder, copying.target
        key = log.topic, log.partition
        if not log.path.exists():
            self._current.logs.pop(key, None)
            if key not in self._current.logs:
                cause = error if isinstance(error, KformatError) else LogError(f"the move of {copy} failed: {error!r}")
                self._current.refused.setdefault(key, cause)
            return
        if target.failure is None and copy.exists():
            with self._dirs.noted(target):
                self._remove_copy(copy, log.path)
        if log.is_closed and log.root.failure is None and not self._current.is_closed:
            self._current.logs.pop(key, None)
            with self._dirs.noted(log.root):
                self._current.open(log.root, *key)

    def _promote(self, root: Root, copy: Path, topic: str, partition: int) -> None:
        """Make a complete copy the log: steps 4 and 5."""
        final = root.path / folder_name(topic, partition)
        self._storage.rename(copy, final)
        self._storage.sync_directory(root.path)
        self._storage.unlink(final / _COMPLETE)
        self._storage.sync_directory(final)

    # After a crash

    def finish(self, root: Root, name: FolderName, path: Path, partition_folders: Folders) -> None:
        """Finish or undo the move of a copy that a crash left; see the module."""
        key = name.topic, name.partition
        if key in self._current.refused:
            return
        current = next(
            (
                at
                for folders in partition_folders.values()
                for other, at in folders
                if other.state == "" and name_key(other) == key
            ),
            None,
        )
        origin = self._origin_of(path)
        if current is not None:
            if origin is not None and not (current / _mark_of(path)).exists():
                raise DuplicatePartitionError(
                    f"{path} is a whole copy of {origin}, and there is {current}, too; move one of the two folders away"
                )
            self._remove_copy(path, current)
        elif origin is not None and origin.parent in partition_folders:
            self._promote(root, path, *key)
            partition_folders[root.path].append((FolderName(*key, ""), root.path / folder_name(*key)))
            self._dirs.roots[origin.parent].forget(*key)
            self._dirs.roots[origin.parent].checkpoint()
        elif origin is not None:
            self._current.refused[key] = LogDirOfflineError(
                f"{path} is a whole copy of {origin}, whose directory is not open: open both to end the move"
            )

    def _origin_of(self, copy: Path) -> Path | None:
        """The source folder of a complete copy; None for an incomplete one."""
        try:
            file = self._storage.open(copy / _COMPLETE, writable=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            if _is_plain(copy / _COMPLETE):
                raise
            raise LogError(f"{copy / _COMPLETE} cannot be read: {error.strerror}") from None
        try:
            return Path(json.loads(file.read_at(0, _MOST_COMPLETE_BYTES))["copied_from"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LogError(f"{copy / _COMPLETE} cannot be read: {error}") from None
        finally:
            file.close()

    def _remove_copy(self, copy: Path, current: Path) -> None:
        """Remove the copy of a move that did not reach its swap, then the mark."""
        remove_folder(copy, self._storage)
        mark = current / _mark_of(copy)
        if mark.exists():
            self._storage.unlink(mark)

    def forget_mark(self, folder: Path) -> None:
        """Remove the mark if a crash interrupted step 5."""
        if _is_plain(folder / _COMPLETE):
            self._storage.unlink(folder / _COMPLETE)


class PartitionCopy:
    """Copies a log's folder: `begin` while it is written to, `end` after it was closed."""

    def __init__(self, log: Log, folder: Path, target: Root, storage: Storage) -> None:
        self.log, self.folder, self.target, self._storage = log, folder, target, storage
        self._seen: dict[
            str, tuple[int, int]
        ] = {}  # of files that are copied as a whole: size, and modification time, ns
        self._logs: dict[str, int] = {}  # of `.log` files: how many bytes were copied
        self._cut_count = 0

    def begin(self) -> None:
        """Create the folder, and copy the current content of the log."""
        with blamed(self.target):
            self._storage.make_directory(self.folder)
        with blamed(self.log.root):
            files, self._cut_count = internals_of(self.log).files_to_copy()
        for name, size in files.items():
            with contextlib.suppress(FileNotFoundError):  # retention was faster
                if size is None:
                    self._copy_whole(name)
                else:
                    self._copy_log(name, size)

    def end(self) -> None:
        """Copy all changes since, and sync everything."""
        source, cut_count = self.log.path, internals_of(self.log).files_to_copy()[1]
        with blamed(self.log.root):
            names = [name for name in sorted(os.listdir(source)) if not name.endswith((".deleted", ".tmp"))]
        for name in names:
            parsed = parse_file_name(name)
            if parsed is not None and parsed.kind == "log" and not parsed.state:
                if cut_count != self._cut_count:
                    self._logs.pop(name, None)
                self._copy_log(name, (source / name).stat().st_size)
            else:
                self._copy_whole(name)
        if not {METADATA_FILE, LOG_ID_FILE} & set(names):  # until now, readers' positions are bound to the path
            names.append(LOG_ID_FILE)
            with blamed(self.target):
                self._storage.write_new(self.folder / LOG_ID_FILE, f"{path_id(source)}\n".encode())
        with blamed(self.target):
            for name in set(os.listdir(self.folder)) - set(names):
                self._storage.unlink(self.folder / name)
            self._storage.sync_directory(self.folder)

    def _copy_whole(self, name: str) -> None:
        with blamed(self.log.root):
            status = (self.log.path / name).stat()
        seen = status.st_size, status.st_mtime_ns
        if self._seen.get(name) != seen:
            with blamed(self.target):
                self._storage.unlink(self.folder / name)
            self._copy(name, 0, status.st_size)
            self._seen[name] = seen

    def _copy_log(self, name: str, size: int) -> None:
        start = self._logs.get(name)
        if start is None or start > size:
            start = 0
            with blamed(self.target):
                self._storage.unlink(self.folder / name)
        elif start == size:
            return
        self._copy(name, start, size)
        self._logs[name] = size
        with blamed(self.target):  # retention uses it if records have no timestamps
            self._storage.set_modified_ms(self.folder / name, (self.log.path / name).stat().st_mtime_ns // 1_000_000)

    def _copy(self, name: str, start: int, end: int) -> None:
        with blamed(self.log.root):
            origin = self._storage.open(self.log.path / name, writable=False)
        try:
            with blamed(self.target):
                copy = self._storage.open(self.folder / name, create=True)
            try:
                for position in range(start, end, _COPY_BYTES):
                    with blamed(self.log.root):
                        data = origin.read_at(position, min(_COPY_BYTES, end - position))
                    with blamed(self.target):
                        copy.write_at(data, position)
                with blamed(self.target):
                    copy.sync()
            finally:
                copy.close()
        finally:
            origin.close()

"""A root: the folder above the partitions' folders, with the files that a broker keeps there about all of them.

    .lock                               one process owns the root (`kformat.storage.root_lock`)
    recovery-point-offset-checkpoint    all of a log below this offset is on disk
    log-start-offset-checkpoint         where a log starts, if that is inside of its first segment, or if it is tiered
    replication-offset-checkpoint       high watermarks; a log with one replica has its end here
    cleaner-offset-checkpoint           up to where a log was compacted, by a broker or here
    .kafka_cleanshutdown                the logs were closed: nothing needs recovery

As for Kafka's LogManager:

* The marker is deleted, and the deletion synced, before any log of the root is touched. It is written when the root is
  closed, after the checkpoints, if then no log needs recovery: the marker was there when the root was opened, or each
  partition's folder was opened, and so recovered, since; and no log has failed.
* Entries of partitions that nobody opens here are kept. A log changes its own entries only, and only if they changed:
  see `Log`.
* A checkpoint that cannot be read counts as empty, and is in `Root.problems`. (A Kafka broker takes the whole log
  directory offline then, or counts the file as empty too and loses it with the next checkpoint.) A log in mode
  ``strict`` is not opened then, unless it is the cleaner's, which is left as it is until a log is compacted or cut. In
  the other modes the file is renamed to ``<name>.unreadable``, which brokers ignore, before there is a new one.
* KRaft's own log, `__cluster_metadata`, has no entry in any checkpoint: a broker recovers it at each start.
* `meta.properties` is a broker's: it is neither read nor written.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self, TypeVar, cast

from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.files.file_kinds import (
    CLEAN_SHUTDOWN_FILE,
    CLUSTER_METADATA,
    PROPERTIES_FILE,
    folder_name,
    parse_file_name,
    parse_folder_name,
)
from kformat.kafka.files.text_files import (
    DEFAULT_LIMIT_BYTES,
    CleanShutdown,
    TopicOffset,
    TopicOffsets,
    build_clean_shutdown,
    build_offsets,
    parse_offsets,
)
from kformat.results import counted, printable
from kformat.storage import root_lock as locks
from kformat.storage.address import local_path
from kformat.storage.root_lock import RootLock
from kformat.times import deadline
from kformat_engine.errors import LogClosedError, LogDirOfflineError, RootLockedError
from kformat_engine.scheduler import ThreadScheduler
from kformat_engine.storage import DISK, Storage

LOG: Final = logging.getLogger(__name__)

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
LOG_START_OFFSETS: Final = "log-start-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
CLEANER_OFFSETS: Final = "cleaner-offset-checkpoint"
CLEAN_MARKER: Final = CLEAN_SHUTDOWN_FILE

Opened = TypeVar("Opened")
Made = TypeVar("Made", bound="Closable")
_LOCK_PAUSE_S: Final = 0.05
_NO_BROKER_EPOCH: Final = -1
_CHECKPOINTS: Final = (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS, CLEANER_OFFSETS)


class RootProblem(NamedTuple):
    """A file of the root that could not be read and counts as empty; ``aside`` is its new path, once the root writes
    another one in its place."""

    path: Path
    message: str
    aside: Path


class OpenLog(Protocol):
    """The part of an open log that its root uses."""

    @property
    def path(self) -> Path:
        """The partition's folder."""

    def close(self) -> None:
        """Sync everything, set the offsets, and call `Root.unregister`."""


class Closable(Protocol):
    """An object that `Root.coordinator` keeps and closes."""

    is_closed: bool

    def close(self) -> None:
        """Close it."""


def once_unlocked(open_it: Callable[[], Opened], timeout_s: float) -> Opened:
    """The result of ``open_it``, which is repeated while somebody else holds the root, for at most ``timeout_s``.

    Raises RootLockedError after that time, and UsageError for an invalid number of seconds.
    """
    until = deadline(timeout_s)
    while True:
        try:
            return open_it()
        except RootLockedError:
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise
        time.sleep(min(_LOCK_PAUSE_S, left_s))


class _Checkpoint:
    """One of the checkpoint files: its offsets, and whether their changes have been written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offsets: dict[tuple[str, int], int] = {}
        self.is_changed = False
        self.problem: RootProblem | None = None

    def read(self, storage: Storage) -> None:
        try:
            file = storage.open(self.path, writable=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._cannot_be_read(error)
            return
        try:
            data = file.read_at(0, min(file.size, DEFAULT_LIMIT_BYTES + 1))
            self.offsets = parse_offsets(data, source=str(self.path)).as_dict()
        except (OSError, DataError) as error:
            self._cannot_be_read(error)
        finally:
            file.close()

    def _cannot_be_read(self, error: Exception) -> None:
        number, aside = 1, self.path.with_name(f"{self.path.name}.unreadable")
        while os.path.lexists(aside):
            number += 1
            aside = self.path.with_name(f"{self.path.name}.unreadable-{number}")
        self.problem = RootProblem(self.path, str(error), aside)

    def set(self, topic: str, partition: int, offset: int | None) -> None:
        key = (topic, partition)
        if self.offsets.get(key) == offset:
            return
        if offset is None:
            del self.offsets[key]
        else:
            self.offsets[key] = offset
        self.is_changed = True

    def write(self, storage: Storage) -> None:
        if self.is_changed:
            entries = tuple(TopicOffset(*key, offset) for key, offset in self.offsets.items())
            self.set_aside(storage)
            storage.write_atomically(self.path, build_offsets(TopicOffsets(entries)))
            self.is_changed = False

    def set_aside(self, storage: Storage) -> None:
        """Rename a file that could not be read; `write` then makes a new one."""
        if self.problem is not None:
            storage.rename(self.path, self.problem.aside)
            self.problem, self.is_changed = None, True


class Said(NamedTuple):
    """A root's entries for one log, on which recovery is based, whether it is done or only planned."""

    is_clean: bool
    recovery_point: int | None
    log_start_offset: int | None


class RootFiles:
    """The current content of a root's files; read without the lock, and nothing is changed.

    Attributes:
        checkpoints: of logs, and the cleaner's. marker: the content of the marker, None if the logs were not closed.
        problems: the files that could not be read and count as empty.
    """

    def __init__(self, path: Path, storage: Storage = DISK) -> None:
        """Read the files. Raises OSError if the marker cannot be read."""
        self.path = path
        self.recovery_points, self.start_offsets, self.high_watermarks = self.of_logs = tuple(
            _Checkpoint(path / name) for name in (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS)
        )
        self.cleaner_offsets = _Checkpoint(path / CLEANER_OFFSETS)
        self.checkpoints = (*self.of_logs, self.cleaner_offsets)
        for checkpoint in self.checkpoints:
            checkpoint.read(storage)
        self.problems = tuple(checkpoint.problem for checkpoint in self.checkpoints if checkpoint.problem is not None)
        self.marker = _content(storage, path / CLEAN_MARKER)

    @property
    def unreadable(self) -> tuple[RootProblem, ...]:
        """The problems of the three checkpoints that logs change, if not set aside yet."""
        return tuple(checkpoint.problem for checkpoint in self.of_logs if checkpoint.problem is not None)

    def said(self, topic: str, partition: int) -> Said:
        """The entries of a log."""
        key = topic, partition
        has_marker = self.marker is not None
        return Said(has_marker, self.recovery_points.offsets.get(key), self.start_offsets.offsets.get(key))


class Root:
    """A root that this process owns; made by `open`, or by `shared` for logs that are opened without one.

    Use it as a context manager, or call `close`. Safe to use from several threads.

    Attributes:
        path: the folder, absolute. problems: the files that could not be read when it was opened.
        scheduler: runs the background work of the root's logs in one thread.
        fails_as_one: whether an error of the disk in one log ends the use of all, as for a `LogManager`.
        failure: that error; None while there is none.
    """

    def __init__(self, path: Path, storage: Storage, *, is_shared: bool) -> None:
        self.path, self.is_shared = path, is_shared
        self._storage = storage
        self._guard = threading.RLock()
        self._logs: dict[str, OpenLog] = {}
        self._identities: dict[str, locks.Identity] = {}
        self._folders: set[locks.Identity] = set()
        self._holders: list[object] = []
        self._recovered: set[str] = set()
        self._failed: set[str] = set()
        self._has_written = False
        self.scheduler = ThreadScheduler(on_error=_report)
        self.fails_as_one = False
        self.failure: OSError | None = None
        self._coordinator: Closable | None = None
        self._lock = RootLock(path, self)
        try:
            self._lock.take(before_create=lambda lock_file: storage.step("create", lock_file))
            self._files = RootFiles(path, storage)
            self.problems, self._marker = self._files.problems, self._files.marker
            for problem in self.problems:
                LOG.warning("%s: cannot be read and counts as empty: %s", problem.path, problem.message)
            self._recovery_points, self._start_offsets = self._files.recovery_points, self._files.start_offsets
            self._high_watermarks, self._of_logs = self._files.high_watermarks, self._files.of_logs
            self._checkpoints, self._cleaner_offsets = self._files.checkpoints, self._files.cleaner_offsets
            self._had_marker = self._marker is not None
            if self._had_marker:
                storage.unlink(path / CLEAN_MARKER)
                storage.sync_directory(path)
        except BaseException:
            self._lock.release()
            raise

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        lock_timeout_s: float = 0.0,
        storage: Storage = DISK,
        create: bool = True,
    ) -> Root:
        """Lock a root for this process, and open it.

        Args:
            lock_timeout_s: for how long to wait, seconds, while somebody else has it; ``math.inf`` waits for ever.
            create: make a folder that is not there.

        Raises:
            RootLockedError: a broker, another process, or this one already, has it; at once, or when ``lock_timeout_s``
                have passed.
            UsageError: the folder is a partition's: it holds segments; a timeout that is no number from 0 on.
            FileNotFoundError: there is no such folder, and ``create`` is False.
            OSError.
        """
        return once_unlocked(lambda: cls(_prepared(path, storage, create), storage, is_shared=False), lock_timeout_s)

    @classmethod
    def shared(
        cls, path: str | os.PathLike[str], *, storage: Storage = DISK, create: bool = True, holder: object = None
    ) -> Root:
        """The root that logs of this process share, opened for the first of them. Raises as `open`.

        It is closed when nobody holds it any more: each call requires one `release`, and a registered log holds it,
        too. A root that `open` returned is not shared: pass it to the logs. With ``holder`` a caller can release it
        even if it was interrupted before the root was returned, or during the release: see `give_back`.
        """
        folder = _prepared(path, storage, create)
        with locks.registry_guard:
            lock = RootLock.of(folder)
            root = None if lock is None else lock.owner
            if not (isinstance(root, Root) and root.is_shared):
                if root is not None:
                    advice = "open the log with root=..."
                    if isinstance(root, Root) and root.fails_as_one:
                        advice = "a LogManager has it: manager.log(topic, partition)"
                    raise RootLockedError(f"{folder} is open in this process already: {advice}")
                root = cls(folder, storage, is_shared=True)
            root._holders.append(holder)
            return root

    def release(self, holder: object = None) -> None:
        """Release a root of `shared`; the last release closes it. No effect on a root that is not shared."""
        if self.is_shared:
            with locks.registry_guard:
                if holder in self._holders:
                    self._holders.remove(holder)
                self._close_unused()

    @staticmethod
    def give_back(path: Path, holder: object) -> None:
        """As `release`, for the shared root at a path, if there is one and the holder has it."""
        with locks.registry_guard:
            lock = RootLock.of(path) if path.is_dir() else None
            if lock is not None and isinstance(lock.owner, Root):
                lock.owner.release(holder)

    # Entries

    @property
    def was_clean(self) -> bool:
        """Whether a log that is opened now needs no recovery: there was a marker, and no log has failed since."""
        return self._had_marker and not self._failed

    @property
    def is_closed(self) -> bool:
        """Whether it was closed or abandoned; also in a forked child, which owns nothing."""
        return not self._lock.is_held

    def __repr__(self) -> str:
        state = "closed" if self.is_closed else "open" if self.failure is None else f"offline: {self.failure!r}"
        return f"<Root {printable(str(self.path))}: {counted(len(self._logs), 'open log')}, {printable(state)}>"

    def check_held(self) -> None:
        """Raise LogClosedError if it was closed; RootLockedError in a forked child."""
        if self.is_closed:
            self._lock.check_process()
            raise LogClosedError(f"{self.path} was closed")

    def _refresh_lock(self) -> None:
        self.check_held()
        self._lock.refresh()

    def said(self, topic: str, partition: int) -> Said:
        """The root's entries for a log that is opened now."""
        return self._files.said(topic, partition)._replace(is_clean=self.was_clean)

    def recovery_point(self, topic: str, partition: int) -> int | None:
        """The offset below which all of the log is on disk; None if unknown."""
        return self._recovery_points.offsets.get((topic, partition))

    def log_start_offset(self, topic: str, partition: int) -> int | None:
        """The log's start offset; None if that is its first segment's. If it is below that, the log is tiered, and the
        offsets between are in the remote storage."""
        return self._start_offsets.offsets.get((topic, partition))

    def high_watermark(self, topic: str, partition: int) -> int | None:
        """The offset, exclusive, up to which a broker first lets consumers read; None if unknown."""
        return self._high_watermarks.offsets.get((topic, partition))

    # Changes of entries

    def set_recovery_point(self, topic: str, partition: int, offset: int) -> None:
        """Set the offset up to which a log is on disk; `checkpoint` writes it."""
        self._set(self._recovery_points, topic, partition, offset)

    def set_log_start_offset(self, topic: str, partition: int, offset: int | None) -> None:
        """Set a log's start offset; None: that of its first segment. `checkpoint` writes it."""
        self._set(self._start_offsets, topic, partition, offset)

    def set_high_watermark(self, topic: str, partition: int, offset: int) -> None:
        """Set the offset up to which consumers may read; `checkpoint` writes it."""
        self._set(self._high_watermarks, topic, partition, offset)

    def cleaner_offset(self, topic: str, partition: int) -> int | None:
        """The offset, exclusive, up to which a log was compacted; None if unknown."""
        return self._cleaner_offsets.offsets.get((topic, partition))

    def set_cleaner_offset(self, topic: str, partition: int, offset: int) -> None:
        """Set the offset, exclusive, up to which a log was compacted; `checkpoint` writes it."""
        self._set(self._cleaner_offsets, topic, partition, offset)

    def lower_cleaner_offset(self, topic: str, partition: int, offset: int) -> None:
        """Lower the cleaner checkpoint of a log that was cut to the base offset of its last segment, which was never
        compacted (LogCleanerManager.maybeTruncateCheckpoint). No effect if it is not higher.
        """
        if self._cleaner_offsets.offsets.get((topic, partition), 0) > offset:
            self._set(self._cleaner_offsets, topic, partition, offset)

    def forget(self, topic: str, partition: int) -> None:
        """Remove a deleted partition from all checkpoints; `checkpoint` writes them."""
        for checkpoint in self._checkpoints:
            self._set(checkpoint, topic, partition, None)
        with self._guard:
            self._failed.discard(folder_name(topic, partition))

    def copy_offsets(self, topic: str, partition: int, other: Root) -> None:
        """Copy a partition's entries to another root; `checkpoint` of the other writes them."""
        for mine, theirs in zip(self._checkpoints, other._checkpoints, strict=True):
            other._set(theirs, topic, partition, mine.offsets.get((topic, partition)))

    def note_failure(self, error: BaseException) -> None:
        """Record an error of a log; if the root `fails_as_one`, an error of the disk ends the use of all its logs."""
        if self.fails_as_one and self.failure is None and isinstance(error, OSError):
            self.failure = error
            LOG.error("%s: offline with all its logs: %r", self.path, error)

    def check_online(self) -> None:
        """Raise LogDirOfflineError if the disk failed."""
        if self.failure is not None:
            raise LogDirOfflineError(f"{self.path} is offline: {self.failure}") from self.failure

    @property
    def unreadable(self) -> tuple[RootProblem, ...]:
        """The problems of the three checkpoints that logs change, if not set aside yet."""
        return self._files.unreadable

    def set_unreadable_aside(self) -> None:
        """Rename the checkpoints that could not be read, and write new ones with the known entries. OSError."""
        with self._guard:
            self._refresh_lock()
            for checkpoint in self._of_logs:
                checkpoint.set_aside(self._storage)
            self.checkpoint()

    def _set(self, checkpoint: _Checkpoint, topic: str, partition: int, offset: int | None) -> None:
        if offset is not None and not 0 <= offset <= MAX_INT64:  # it would prevent writing the others, too
            raise UsageError(f"{topic}-{partition}: no checkpoint holds offset {offset}; it is from 0 to {MAX_INT64}")
        with self._guard:
            checkpoint.set(topic, partition, None if topic == CLUSTER_METADATA else offset)

    def checkpoint(self) -> None:
        """Write the changed checkpoints, each atomically and synced; without changes nothing is written.

        OSError if that failed: each file then has the old content or the new one. RootLockedError if the lock was lost
        to somebody else. LogClosedError.
        """
        with self._guard:
            self._refresh_lock()
            for checkpoint in self._checkpoints:
                self._has_written = self._has_written or checkpoint.is_changed
                checkpoint.write(self._storage)

    def register(self, log: OpenLog) -> None:
        """Register a log that is about to be opened: until `unregister` nobody else can open it, and the root stays
        open.

        Raises RootLockedError if it is open already; UsageError for a folder that is not in this root, or is a link, or
        whose topic is not valid in a checkpoint; LogClosedError.
        """
        folder = log.path.name
        name = parse_folder_name(folder)
        if name is None or not os.path.samefile(log.path.parent, self.path):
            raise UsageError(f"{log.path} is not a partition's folder in {self.path}")
        build_offsets(TopicOffsets((TopicOffset(name.topic, name.partition, 0),)))
        if log.path.is_symlink():
            raise UsageError(
                f"{log.path} is a link to {log.path.resolve()}, which the lock of another root protects: "
                "open the log there, or move its folder here"
            )
        with self._guard:
            self.check_held()
            if folder in self._logs:
                raise RootLockedError(f"{log.path} is open in this process already")
            self._logs[folder] = log

    def log_in(self, folder: str) -> OpenLog | None:
        """The log that is open in a folder of that name, or is being opened; None if there is none."""
        return self._logs.get(folder)

    def coordinator(self, make: Callable[[], Made]) -> Made:
        """The coordinator of the root's transactions, which is created if there is none; `close` closes it."""
        with self._guard:
            self.check_held()
            if self._coordinator is None or self._coordinator.is_closed:
                self._coordinator = make()
            current = self._coordinator
            return cast(Made, current)

    @property
    def has_coordinator(self) -> bool:
        """Whether there is an open coordinator."""
        return self._coordinator is not None and not self._coordinator.is_closed

    def claim(self, log: OpenLog) -> None:
        """Claim the folder of a registered log, if it exists: until `unregister` this process cannot open it under
        another path.

        RootLockedError if it is open already, in this root or another one (a mount may show it there, too); the log is
        then no longer registered.
        """
        if not log.path.exists():  # it will be created, and cannot be open: it is claimed after that
            return
        status = os.stat(log.path)
        identity = status.st_dev, status.st_ino
        with locks.registry_guard:
            if self._identities.get(log.path.name) == identity:
                return
            if any(isinstance(lock.owner, Root) and identity in lock.owner._folders for lock in locks.held()):
                self.unregister(log, untouched=True)
                raise RootLockedError(f"{log.path} is open in this process already, under another path")
            self._identities[log.path.name] = identity
            self._folders.add(identity)

    def unregister(self, log: OpenLog, *, failed: bool = False, untouched: bool = False) -> None:
        """Unregister a closed log; ``failed``: it needs recovery; ``untouched``: it was not opened, and is unchanged.

        No error if it is not registered. May close a shared root; after an interrupt it may be called again.
        """
        folder = log.path.name
        with locks.registry_guard:
            with self._guard:
                if self._logs.get(folder) is log:
                    if untouched:
                        pass
                    elif failed:
                        self._failed.add(folder)
                        self._recovered.discard(folder)
                    else:
                        self._failed.discard(folder)
                        self._recovered.add(folder)
                    self._folders.discard(self._identities.pop(folder, (0, 0)))
                    del self._logs[folder]  # last: after an interrupt, the caller comes here again
            self._close_unused()

    # Closing

    def close(self) -> None:
        """Close the open logs, write the checkpoints, and the marker if no log needs recovery, and release the root.

        Twice is no error. The first error is raised after the root is released; there is no marker then.
        """
        if self.is_closed:
            return
        errors: list[BaseException] = []
        if self._coordinator is not None:
            self._coordinator.close()
        for log in list(self._logs.values()):
            try:
                log.close()
            except BaseException as error:  # an interrupt, too: the others, and the root, are still released
                errors.append(error)
                self.unregister(log, failed=True)
        try:
            self._finish(errors)
        finally:
            self.end_background()

    def end_background(self) -> None:
        """Wait for the end of a closed root's background thread; no effect while the root is open.

        The caller must not hold a lock that a task may wait for: neither a log's nor the root's.
        """
        if self.is_closed:
            self.scheduler.close()

    def abandon(self) -> None:
        """Release the root as it is: nothing is written, no log is closed. Twice is no error."""
        self.scheduler.stop()
        with locks.registry_guard, self._guard:
            self._logs.clear()
            self._identities.clear()
            self._folders.clear()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _close_unused(self) -> None:
        """Close a shared root that nobody holds; under the registry's guard."""
        if self.is_shared and not self._holders and not self._logs and not self.is_closed:
            self._finish([])

    def _finish(self, errors: list[BaseException]) -> None:
        with locks.registry_guard, self._guard:
            try:
                if self.is_closed:
                    return
                self.checkpoint()
                if not errors and not self._needs_recovery():
                    marker = build_clean_shutdown(CleanShutdown(broker_epoch=_NO_BROKER_EPOCH))
                    if self._marker is not None and not (self._recovered or self._has_written):
                        marker = self._marker  # no log was opened: a refusal leaves the root as it was
                    self._storage.write_atomically(self.path / CLEAN_MARKER, marker)
            except Exception as error:
                errors.append(error)
            finally:
                self._lock.release()
                self.scheduler.stop()
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"also: {other!r}")
            raise errors[0]

    def _needs_recovery(self) -> bool:
        """Whether any log was not closed properly: one that failed, or was not opened since a crash."""
        if self._failed or self._had_marker:
            return bool(self._failed)
        return not self._recovered.issuperset(
            entry.name for entry in os.scandir(self.path) if entry.is_dir() and _is_recovered_by_root(entry.name)
        )


def _report(name: str, error: BaseException) -> None:
    """Log an error of background work; it has also made its log fail, whose next call raises it."""
    LOG.warning("background work %r failed: %r", name, error)


def _content(storage: Storage, path: Path) -> bytes | None:
    """The bytes of a small file; None if there is none."""
    try:
        file = storage.open(path, writable=False)
    except FileNotFoundError:
        return None
    try:
        return file.read_at(0, min(file.size, DEFAULT_LIMIT_BYTES))
    finally:
        file.close()


def _is_recovered_by_root(folder: str) -> bool:
    """Whether a broker recovers this folder only if there is no marker.

    False for one that waits to be deleted, and for KRaft's own log, which is recovered in any case.
    """
    name = parse_folder_name(folder)
    return name is not None and name.state != "delete" and name.topic != CLUSTER_METADATA


def _prepared(path: str | os.PathLike[str], storage: Storage, create: bool) -> Path:
    """The root's absolute path; creates a missing folder."""
    folder = local_path(path).absolute()
    if not folder.is_dir():
        if not create and not folder.exists():
            raise FileNotFoundError(2, "No such root", str(folder))
        storage.make_directory(folder)
    check_is_root(folder)
    return folder


def check_is_root(folder: Path) -> None:
    """Refuse a partition's folder where a root is expected: UsageError. OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = parse_file_name(entry.name)
            if name is not None and name.kind == "log" and not name.state:
                raise UsageError(
                    f"{folder} is a partition's folder, it holds the segment {entry.name}: the root is the folder "
                    f"above it, {folder.parent}"
                )


def check_is_no_root(folder: Path) -> None:
    """Refuse a directory of logs where a partition's folder is expected; its name may look like one (kafka-1):
    UsageError. OSError."""
    entry_name = ""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            file = parse_file_name(entry.name)
            if file is not None and file.kind == "log":
                return
            is_partition = parse_folder_name(entry.name) is not None and entry.is_dir(follow_symlinks=False)
            if is_partition or entry.name in (CLEAN_MARKER, PROPERTIES_FILE, *_CHECKPOINTS):
                entry_name = entry.name
    if entry_name:
        raise UsageError(
            f"{folder} is a directory of logs: it holds {entry_name}; a partition's folder lies in it, such as "
            f"{folder / 'orders-0'}"
        )


class LogOffsets:
    """The start and end of one log, its recovery point, and their entries in the root's checkpoints.

    A tiered log is recognized by its entry in `log-start-offset-checkpoint`, below the first local segment: a broker
    copied the segments between to the remote storage, and finds the log's start in that entry alone, and the epochs of
    those segments in `leader-epoch-checkpoint` alone. So an existing entry stays, and has the log's start. No file
    records which local segments were copied; the last never is.

    Attributes:
        start_offset, log_start_offset: the first is above the second if a broker has tiered the log.
        end_offset: of the next record.
        stored_end: the end that opening the files would find: below `end_offset` if a cut took a batch that began
            earlier.
        recovery_point, synced_offset: below them everything, or everything but indexes, is on disk.
        counted_from: appends since opening took ``end_offset - counted_from`` offsets.
    """

    def __init__(self, root: Root, topic: str, partition: int) -> None:
        self._root, self._log = root, (topic, partition)
        self.start_offset = self.log_start_offset = self.end_offset = self.stored_end = 0
        self.recovery_point = self._synced_offset = self._loaded_start = self.counted_from = 0
        self._start_entry: int | None = None
        self._was_tiered = False

    def load(
        self, log_start_offset: int, start_offset: int, end_offset: int, recovery_point: int, *, has_remote: bool
    ) -> None:
        """Set the offsets of a log that was opened; ``has_remote``: whether it is a tiered one."""
        self.start_offset, self.end_offset, self.stored_end = start_offset, end_offset, end_offset
        self.counted_from = end_offset
        # An entry below the first segment, unless of a tiered log, is from a killed process.
        self.log_start_offset = self._loaded_start = log_start_offset if has_remote else start_offset
        self._start_entry, self._was_tiered = self._root.said(*self._log).log_start_offset, has_remote
        self.all_synced(recovery_point)

    @property
    def synced_offset(self) -> int:
        return max(self._synced_offset, self.recovery_point)

    def records_synced(self, offset: int) -> None:
        """Note that the records below an offset are on disk."""
        self._synced_offset = offset

    def all_synced(self, offset: int) -> None:
        """Note that everything below an offset is on disk; above it nothing is known."""
        self.recovery_point = self._synced_offset = offset

    def append_to(self, offset: int) -> None:
        """Note that the files hold batches up to an offset, exclusive."""
        self.end_offset = self.stored_end = offset

    def cut_end(self, offset: int) -> None:
        """Note that the log ends at another offset, without an append; not yet what its files hold."""
        self.counted_from += offset - self.end_offset
        self.end_offset = offset

    def raise_start(self, offset: int) -> None:
        """Raise the log's start to an offset."""
        # Kafka raises the recovery point, too. Here it stays: the start may lie inside of a segment that was not
        # synced, and its remains after a crash would look like damage of synced records.
        self.log_start_offset, self.start_offset = offset, max(self.start_offset, offset)

    def lower(self, offset: int, stored_end: int) -> None:
        """Prepare a cut at an offset; a crash may leave any part of it done, but nothing below ``stored_end``."""
        self.start_offset = min(self.start_offset, offset)
        self.log_start_offset = min(self.log_start_offset, offset)
        self.recovery_point = min(self.recovery_point, stored_end)
        self._synced_offset = min(self._synced_offset, stored_end)
        self.stored_end = min(self.stored_end, stored_end)

    def start_over(self, offset: int) -> None:
        """Note that the log is empty, and begins at an offset."""
        self.log_start_offset = self.start_offset = offset
        self.cut_end(offset)
        self.append_to(offset)
        self.all_synced(offset)

    def lower_recovery_point(self, offset: int) -> None:
        """Note that synced indexes from an offset on are about to change; the records stay on disk."""
        self._synced_offset, self.recovery_point = self.synced_offset, offset

    # Tiered logs

    @property
    def is_tiered(self) -> bool:
        """Whether segments are known to be in the remote storage, or were since the log was opened."""
        return self._was_tiered or self.log_start_offset < self.start_offset

    def remote(self) -> str:
        """The remote part of the log, for messages."""
        if self.log_start_offset == self.start_offset:
            return "the log is tiered"
        return f"the offsets {self.log_start_offset} to {self.start_offset} (exclusive) are in the remote storage"

    # The checkpoints

    @property
    def is_below_checkpoint(self) -> bool:
        """Whether the checkpoints are above the log's end."""
        offsets = self._root.high_watermark(*self._log), self._root.recovery_point(*self._log)
        return max(offset or 0 for offset in offsets) > self.end_offset

    def note(self, first_base_offset: int | None) -> None:
        """Set the root's entries: the log's start, given its first segment's base offset, its recovery point, and the
        end of its files."""
        starts_inside = first_base_offset is not None and self.start_offset > first_base_offset
        # An existing entry may be a tiered log's, for which a broker does not look at the first segment.
        start = self.log_start_offset if starts_inside or self._start_entry is not None else None
        if self._start_entry is not None and self.log_start_offset == self._loaded_start:
            start = self._start_entry
        self._root.set_log_start_offset(*self._log, start)
        self._root.set_recovery_point(*self._log, min(self.recovery_point, self.stored_end))
        self._root.set_high_watermark(*self._log, self.stored_end)

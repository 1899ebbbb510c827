"""Logs in several directories: Kafka's LogManager.

Each directory is a `Root` with its own lock, checkpoints, marker and background thread. Rules:

* A partition lies in one directory. One that is found in two is `refused`, and both folders are left alone. (Kafka does
  not start then.) `create_partition` that fails, or is interrupted, leaves no folder.
* A new partition goes to the directory with the fewest logs, the first of those that were given
  (LogManager.nextLogDirs). Where its folder cannot be made there, the directory is offline, and the next one is tried.
* An error of a directory's disk takes that directory offline, with all its partitions. The others go on.
* Deleting a partition renames its folder to ``<topic>-<partition>.<id>-delete``. What is in it is removed after
  `file.delete.delay.ms`, when the manager is closed, or when one is opened the next time.
* One thread for all directories compacts: always the log that has the most to compact, in relation to its size, of
  those that are due. Then it deletes what retention lets go of compacted logs. A log that cannot be compacted is left
  alone from then on, and the others go on (`LogManager.uncleanable`).
* `move` copies a partition to ``<topic>-<partition>.<id>-future`` in the other directory, while it is written to. Then
  it closes the log, copies what is left, and swaps the two folders by renaming.

The order of a swap, each step on disk before the next one begins:

1. the copy is whole, and the other root's checkpoints say of the partition what this root's say;
2. the folder it was copied from gets a file ``move-<id>``, then the copy a file ``move-complete``, which names that
   folder;
3. the folder it was copied from is renamed to ``-delete``;
4. the copy is renamed to ``<topic>-<partition>``;
5. ``move-complete`` is removed, and this root's checkpoints forget the partition.

(Brokers pass over files of such names. Kafka renames the copy first. A crash between its two renames leaves two logs,
and it does not start.) After a crash at any step there is one log, with all records. Until 3 it is the old one: opening
a manager removes the copy, and `move` has to be called again. From then on it is the copy: opening a manager does the
steps that are left, if the directory from which it was copied is among those of the manager, so that it is certain that
no log is there any more.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, NamedTuple, Self

from kformat.errors import KformatError, UsageError, whole_number
from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import (
    CLUSTER_METADATA,
    LOG_ID_FILE,
    FolderName,
    folder_name,
    is_topic_name,
    parse_file_name,
    parse_folder_name,
)
from kformat.kafka.log.positions import path_id
from kformat.storage.address import local_path
from kformat_engine.cleaner import Cleaner, CleanerConfig, Compaction, LogToClean
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import STATE_CONFIG, CoordinatedLog, Coordinator, state_partitions_in
from kformat_engine.errors import (
    CompactionAbortedError,
    DuplicatePartitionError,
    LogClosedError,
    LogDirOfflineError,
    LogError,
    TieredLogError,
    UnknownPartitionError,
)
from kformat_engine.local_log import check_no_folders
from kformat_engine.log import Log
from kformat_engine.recovery.opening import Approve
from kformat_engine.recovery.sidecars import METADATA_FILE
from kformat_engine.retention import Breach
from kformat_engine.root import Root, check_is_root
from kformat_engine.scheduler import Scheduler, Task, ThreadScheduler
from kformat_engine.storage import DISK, Clock, Storage, wall_clock_ms
from kformat_engine.transaction_log import TRANSACTION_STATE_TOPIC, TransactionMetadata
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, Transaction, checked_place

RETENTION_CHECK_INTERVAL_MS: Final = 300_000
"""`log.retention.check.interval.ms`: Kafka's default."""
CHECKPOINT_INTERVAL_MS: Final = 60_000
"""`log.flush.offset.checkpoint.interval.ms`: Kafka's default."""
INITIAL_TASK_DELAY_MS: Final = 30_000
"""`log.initial.task.delay.ms`: Kafka's default."""
CLEANER_BACKOFF_MS: Final = 15_000
"""`log.cleaner.backoff.ms`: Kafka's default."""

_MARK: Final = "move-"
_COMPLETE: Final = "move-complete"
_COPY_BYTES: Final = 4 << 20

_NO_FILE: Final = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO)
"""What the system says of a folder, a device, a pipe or a link in the place of a file: the disk is well."""
_MOST_COMPLETE_BYTES: Final = 1 << 16
_MAX_NAME_BYTES: Final = 255

_Key = tuple[str, int]


def _key(name: FolderName) -> _Key:
    return name.topic, name.partition


def _mark_of(copy: Path) -> str:
    """The file that the folder has of which a copy is whole: another one of the same name has none."""
    return _MARK + copy.name.rpartition(".")[2].removesuffix("-future")


class PartitionPlace(NamedTuple):
    """A partition and the directory that it lies in."""

    topic: str
    partition: int
    directory: Path


@dataclass(frozen=True)
class LogManagerMetrics:
    """What a manager has, and what its background work has done since it was opened.

    Attributes:
        directory_count, offline_directory_count: of those that were given.
        partition_count, segment_count, size_bytes: of the directories that are online; bytes of their `.log` files.
        retention_run_count, last_retention_ms: runs of one directory's retention, and when the last one ended (ms since
            1970); None before the first.
        deleted_segment_count: by these runs. checkpoint_count: runs that wrote a directory's checkpoints.
        compaction_count, last_compaction_check_ms: how many logs were compacted, and the time of the last check whether
            one is due (ms since 1970); None before the first. compacted_bytes_before, compacted_bytes_after: the total
            size of what these compactions read and wrote.
        max_dirty_ratio: of the log that had the most to compact at the last check (max-dirty-percent).
        uncleanable_partition_count: see `LogManager.uncleanable`.
        deleted_partition_count, moved_partition_count: by calls of `delete_partition` and `move`.
        error_count, last_error: of the work that `start` began, of removals and of moves.
    """

    directory_count: int
    offline_directory_count: int
    partition_count: int
    segment_count: int
    size_bytes: int
    retention_run_count: int
    last_retention_ms: int | None
    deleted_segment_count: int
    checkpoint_count: int
    compaction_count: int
    last_compaction_check_ms: int | None
    compacted_bytes_before: int
    compacted_bytes_after: int
    max_dirty_ratio: float
    uncleanable_partition_count: int
    deleted_partition_count: int
    moved_partition_count: int
    error_count: int
    last_error: str | None


class LogManager:
    """The logs of several directories; see `open`. Use it as a context manager, or call `close`.

    Safe to use from several threads. A `Log` that it gave is closed by `delete_partition`, by `move`, which opens
    another one, and by `close`.

    Attributes:
        directories: as they were given, absolute. config: of topics that have none of their own.
        refused: (topic, partition) -> the error with which its log was not opened, such as DamagedLogError.
        uncleanable: (topic, partition) -> the error with which compacting it failed; it is tried
            again when the manager is opened again.
    """

    def __init__(
        self,
        directories: Sequence[Path],
        config: LogConfig,
        configs: Mapping[str, LogConfig],
        mode: Literal["strict", "salvage", "kafka"],
        approve: Approve | None,
        clock: Clock,
        storage: Storage,
        scheduler: Callable[[Path], Scheduler] | None,
    ) -> None:
        self.directories, self.config = tuple(directories), config
        self.refused: dict[_Key, KformatError] = {}
        self._configs = {TRANSACTION_STATE_TOPIC: STATE_CONFIG, **configs}
        self._mode, self._approve, self._clock, self._storage = mode, approve, clock, storage
        self._scheduler_of = scheduler
        self._schedulers: dict[Path, Scheduler] = {}
        self._lock = threading.RLock()
        self._roots: dict[Path, Root] = {}
        self._never_opened: dict[Path, OSError] = {}
        self._logs: dict[_Key, Log] = {}
        self._moving: dict[_Key, Path] = {}
        self._swap_lock = threading.Lock()  # while a log is replaced by its copy; taken after the manager's
        self._doomed: dict[Path, Root] = {}
        self._is_closed = self._is_released = False
        self._is_started = False
        self.uncleanable: dict[_Key, Exception] = {}
        self._cleaner: Cleaner | None = None
        self._cleaner_config = CleanerConfig()
        self._cleaner_guard = threading.Lock()
        self._cleaner_scheduler: Scheduler | None = None
        counted = (
            "retention",
            "segments",
            "checkpoints",
            "compactions",
            "before",
            "after",
            "deleted",
            "moved",
            "errors",
        )
        self._counts = dict.fromkeys(counted, 0)
        self._last_retention_ms: int | None = None
        self._last_compaction_check_ms: int | None = None
        self._max_dirty_ratio = 0.0
        self._last_error: str | None = None
        self._coordinator = Coordinator(_ManagerPlaces(self), clock)

    @classmethod
    def open(
        cls,
        directories: Iterable[str | os.PathLike[str]],
        config: LogConfig | None = None,
        *,
        configs: Mapping[str, LogConfig] | None = None,
        lock_timeout_s: float = 0.0,
        mode: Literal["strict", "salvage", "kafka"] = "strict",
        create: bool = True,
        approve: Approve | None = None,
        clock: Clock = wall_clock_ms,
        storage: Storage = DISK,
        scheduler: Callable[[Path], Scheduler] | None = None,
    ) -> LogManager:
        """Take all directories for this process, and open all logs in them, recovering what has to be.

        A directory whose disk fails is `offline`; a log that recovery refuses, or that lies in two directories, is
        `refused`; the others are opened.
        Folders that are not a partition's, stray ones, and `__cluster_metadata-0` are left alone.

        Args:
            directories: the roots, in the order in which new partitions go to them. Each is made where it is missing,
                unless ``create`` is False.
            config, configs: of all topics, and topic -> its own.
            lock_timeout_s, mode, approve: as for `Log.open`; a log whose recovery ``approve`` forbids is `refused`.
            clock, storage, scheduler: time in ms, the disk, and directory -> what runs its background work, for tests.

        Raises:
            UsageError: no directory, one that is given twice, lies in another one, or is a partition's.
            RootLockedError: a broker, another process, or another owner in this one, has one of them.
            OSError: every directory failed; that of the first.
        """
        if isinstance(directories, str | bytes | os.PathLike):
            raise UsageError("LogManager.open takes a list of directories")
        folders = [local_path(one).absolute() for one in directories]
        if not folders:
            raise UsageError("LogManager.open takes at least one directory")
        real = [os.path.realpath(folder) for folder in folders]
        for number, folder in enumerate(real):
            if folder in real[:number]:
                raise UsageError(f"{folders[number]} is given twice")
        for inner, outer in itertools.permutations(range(len(real)), 2):
            if Path(real[inner]).is_relative_to(real[outer]):
                raise UsageError(f"{folders[inner]} lies in {folders[outer]}: a directory of logs holds no other one")
        manager = cls(folders, config or LogConfig(), configs or {}, mode, approve, clock, storage, scheduler)
        try:
            manager._open_roots(lock_timeout_s, create)
            manager._load()
            manager._resume_transactions()
        except BaseException:
            manager._let_go()
            raise
        return manager

    # Opening

    @contextlib.contextmanager
    def _offline_on_error(self, root: Root) -> Iterator[None]:
        """Go on without a directory whose disk fails."""
        try:
            yield
        except OSError as error:
            root.note_failure(error)

    def _open_roots(self, lock_timeout_s: float, create: bool) -> None:
        for folder in self.directories:
            try:
                root = Root.open(folder, lock_timeout_s=lock_timeout_s, storage=self._storage, create=create)
            except OSError as error:
                self._never_opened[folder] = error
                continue
            root.fails_as_one = True
            root.coordinator(lambda: self._coordinator)
            self._roots[folder] = root
            self._schedulers[folder] = root.scheduler if self._scheduler_of is None else self._scheduler_of(folder)
        if not self._roots:
            raise next(iter(self._never_opened.values()))

    def _load(self) -> None:
        """Open what lies in the directories."""
        found: dict[Path, list[tuple[FolderName, Path]]] = {}
        for folder, root in self._online():
            with self._offline_on_error(root):
                found[folder] = _partition_folders(folder)
        self._refuse_duplicates(found)
        for folder, root in self._online():
            with self._offline_on_error(root):
                for name, path in found[folder]:
                    if name.state == "future":
                        try:
                            self._finish_move(root, name, path, found)
                        except LogError as error:
                            self.refused.setdefault(_key(name), error)
        for folder, root in self._online():
            with self._offline_on_error(root):
                for name, path in found[folder]:
                    if name.state == "delete" and path.exists():
                        self._remove_folder(path)
                    elif name.state == "" and path.exists() and _key(name) not in self.refused:
                        if _is_plain(path / _COMPLETE):
                            self._storage.unlink(path / _COMPLETE)
                        self._open_log(root, name.topic, name.partition)
        if not self._online():
            raise next(iter(self.offline.values()))

    def _refuse_duplicates(self, found: Mapping[Path, Sequence[tuple[FolderName, Path]]]) -> None:
        places: dict[_Key, Path] = {}
        for name, path in itertools.chain.from_iterable(found.values()):
            if name.state != "":
                continue
            other = places.setdefault(_key(name), path)
            if other != path:
                advice = "move one of the two folders away"
                if name.topic == TRANSACTION_STATE_TOPIC:
                    advice = (
                        "a transaction was begun in a log that was opened alone. `kformat log transactions --log-dir "
                        "DIR` lists those of a directory: move away the folder whose transactions are all complete"
                    )
                self.refused[_key(name)] = DuplicatePartitionError(
                    f"{path.name} lies in {other.parent} and in {path.parent}; {advice}"
                )

    def _finish_move(
        self, root: Root, name: FolderName, path: Path, found: Mapping[Path, list[tuple[FolderName, Path]]]
    ) -> None:
        """Do with a copy what is left of a move; see the module."""
        key = name.topic, name.partition
        if key in self.refused:
            return
        current = next(
            (at for folders in found.values() for one, at in folders if one.state == "" and _key(one) == key), None
        )
        origin = self._origin_of(path)
        if current is not None:
            if origin is not None and not (current / _mark_of(path)).exists():
                raise DuplicatePartitionError(
                    f"{path} is a whole copy of {origin}, and there is {current}, too; move one of the two folders away"
                )
            self._remove_copy(path, current)
        elif origin is not None and origin.parent in found:
            self._promote(root, path, *key)
            found[root.path].append((FolderName(*key, ""), root.path / folder_name(*key)))
            self._roots[origin.parent].forget(*key)
            self._roots[origin.parent].checkpoint()
        elif origin is not None:
            self.refused[key] = LogDirOfflineError(
                f"{path} is a whole copy of {origin}, whose directory is not open: open both to end the move"
            )

    def _remove_copy(self, copy: Path, current: Path) -> None:
        """Remove what is left of a move that did not come to its swap; the mark goes after what it belongs to."""
        self._remove_folder(copy)
        mark = current / _mark_of(copy)
        if mark.exists():
            self._storage.unlink(mark)

    def _origin_of(self, copy: Path) -> Path | None:
        """Where a whole copy comes from; None for one that is not whole."""
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

    def _open_log(self, root: Root, topic: str, partition: int, topic_id: str | None = None) -> Log | None:
        """Open a log of a root; None where it is refused."""
        key = topic, partition
        try:
            log = Log.open(
                root.path / folder_name(topic, partition),
                self._configs.get(topic, self.config),
                root=root,
                mode=self._mode,
                approve=self._approve,
                topic_id=topic_id,
                clock=self._clock,
                storage=self._storage,
                scheduler=self._schedulers[root.path],
            )
        except LogError as error:
            self.refused[key] = error
            return None
        except OSError as error:
            if error.errno not in _NO_FILE or error.filename is None:
                raise
            self.refused[key] = LogError(f"{os.fsdecode(error.filename)}: {error.strerror}")
            return None
        except UsageError as error:
            if topic_id is not None:
                raise
            self.refused[key] = error
            return None
        self.refused.pop(key, None)
        self._logs[key] = log
        return log

    # What there is

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def offline(self) -> dict[Path, OSError]:
        """The directories that cannot be used, each with the error of its disk."""
        failed = {folder: root.failure for folder, root in self._roots.items() if root.failure is not None}
        return {**self._never_opened, **failed}

    def _online(self) -> list[tuple[Path, Root]]:
        return [(folder, root) for folder, root in self._roots.items() if root.failure is None]

    def partitions(self) -> tuple[PartitionPlace, ...]:
        """The partitions of the directories that are online, by topic and number."""
        found = [
            PartitionPlace(*key, log.root.path) for key, log in self._logs.copy().items() if log.root.failure is None
        ]
        return tuple(sorted(found))

    def log(self, topic: str, partition: int) -> Log:
        """The log of a partition.

        Raises:
            UnknownPartitionError: there is none in these directories.
            LogDirOfflineError: its directory is offline; or there is none, and it may lie in one that is offline.
            KformatError: it was `refused`.
            LogClosedError: the manager was closed.
            UsageError: the topic is no text, or the partition no number.
        """
        key = checked_place(topic, partition)
        with self._lock:
            self._check_open()
            log = self._logs.get(key)
            if log is not None:
                log.root.check_online()
                return log
            if key in self.refused:
                raise self.refused[key]
            offline = self.offline
            if offline:
                raise LogDirOfflineError(
                    f"there is no {topic}-{partition} here, but it may lie in a directory that is offline: "
                    f"{', '.join(map(str, offline))}"
                ) from next(iter(offline.values()))
            raise UnknownPartitionError(f"there is no {topic}-{partition} in {', '.join(map(str, self.directories))}")

    def __contains__(self, key: object) -> bool:
        return key in self._logs

    @property
    def metrics(self) -> LogManagerMetrics:
        """Counts as of now."""
        logs = [log for log in self._logs.copy().values() if log.root.failure is None]
        return LogManagerMetrics(
            directory_count=len(self.directories),
            offline_directory_count=len(self.offline),
            partition_count=len(logs),
            segment_count=sum(log.segment_count for log in logs),
            size_bytes=sum(log.size_bytes for log in logs),
            retention_run_count=self._counts["retention"],
            last_retention_ms=self._last_retention_ms,
            deleted_segment_count=self._counts["segments"],
            checkpoint_count=self._counts["checkpoints"],
            compaction_count=self._counts["compactions"],
            last_compaction_check_ms=self._last_compaction_check_ms,
            compacted_bytes_before=self._counts["before"],
            compacted_bytes_after=self._counts["after"],
            max_dirty_ratio=self._max_dirty_ratio,
            uncleanable_partition_count=sum(key in self._logs for key in self.uncleanable.copy()),
            deleted_partition_count=self._counts["deleted"],
            moved_partition_count=self._counts["moved"],
            error_count=self._counts["errors"],
            last_error=self._last_error,
        )

    def __repr__(self) -> str:
        return f"<LogManager {len(self._logs)} partitions in {', '.join(map(str, self.directories))}>"

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise LogClosedError("the manager was closed")

    # Transactions

    def transaction(self, transactional_id: str, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Transaction:
        """Begin a transaction over partitions of all directories: readers of committed data see all its records, or
        none. See engine/README.md.

        The object that was begun with the same id before is refused from then on, and its transaction aborted. What is
        known of the id is kept in a partition of ``__transaction_state``, which is made where it is not there.

        Args:
            timeout_ms: `transaction.timeout.ms`, after which it is aborted.

        Raises UsageError for what is no id or no time; LogClosedError; LogDirOfflineError, or what `log` raises, where
        ``__transaction_state`` cannot be used.
        """
        self._check_open()
        return self._coordinator.begin(transactional_id, timeout_ms)

    def transactions(self) -> tuple[TransactionMetadata, ...]:
        """What is known of each transactional id, by id. Raises as `transaction`."""
        self._check_open()
        return self._coordinator.transactions()

    def abort_transaction(self, transactional_id: str) -> TransactionMetadata:
        """Abort the open transaction of an id, also that of a broker's client, and fence its owner off; of one that is
        decided, write the markers that are missing.

        Raises UsageError where the id has no such transaction, and as `transaction`.
        """
        self._check_open()
        return self._coordinator.abort(transactional_id)

    def _resume_transactions(self) -> None:
        """End what an engine began here, and nobody goes on with."""
        if any(topic == TRANSACTION_STATE_TOPIC for topic, _ in self._logs):
            try:
                self._coordinator.resume()
            except (KformatError, OSError) as error:
                self._note(error)

    # Creating and deleting

    def create_partition(
        self,
        topic: str,
        partition: int,
        config: LogConfig | None = None,
        *,
        topic_id: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        is_new: bool = False,
    ) -> Log:
        """Make a partition, and open its log (LogManager.getOrCreateLog).

        Args:
            config: of the topic, from now on; by default the one that the topic has.
            topic_id: as for `Log.open`.
            directory: one of the manager's; by default that with the fewest logs.
            is_new: the caller knows that the partition is in no directory that is offline.

        Raises:
            UsageError: the name is no topic's, the number no partition's; the partition is there; another directory.
            LogDirOfflineError: a directory is offline, and may have the partition; or all that could take it failed.
        """
        _check_name(topic, partition)
        with self._lock:
            self._check_open()
            if (topic, partition) in self._logs or (topic, partition) in self.refused:
                raise UsageError(f"there is a partition {topic}-{partition} already")
            offline = self.offline
            if offline and not is_new:
                raise LogDirOfflineError(
                    f"{topic}-{partition} may lie in a directory that is offline: {', '.join(map(str, offline))}"
                ) from next(iter(offline.values()))
            roots = self._next_roots() if directory is None else [self._root_at(directory)]
            folder = folder_name(topic, partition)
            for _, there in self._online():
                if os.path.lexists(there.path / folder):  # of a call that was killed, or somebody else made it
                    if directory is not None and there is not roots[0]:
                        raise UsageError(f"{there.path / folder} is there already: a partition lies in one directory")
                    if not (there.path / folder).is_dir():
                        raise UsageError(f"{there.path / folder} is there already, and is no folder")
                    roots = [there]
            if config is not None:
                self._configs[topic] = config
            failure: BaseException | None = None
            for root in roots:
                was_there = os.path.lexists(root.path / folder)
                try:
                    with _blamed(root):
                        root.forget(topic, partition)  # what was said of an earlier one of that name
                        root.checkpoint()
                        log = self._open_log(root, topic, partition, topic_id)
                    if log is None:
                        raise self.refused.pop((topic, partition))
                    return log
                except BaseException as error:
                    if (topic, partition) not in self._logs and not was_there:
                        self._unmake(root, folder)
                    if not isinstance(error, OSError | LogDirOfflineError):
                        raise
                    failure = failure or error
            raise LogDirOfflineError(
                f"no directory could take {topic}-{partition}: {', '.join(str(root.path) for root in roots)}"
            ) from failure

    def _unmake(self, root: Root, folder: str) -> None:
        """Remove what a call that failed has made of a partition: left there, it would be the second of that name. (A
        disk that takes no change at all keeps it.)"""
        opened = root.log_in(folder)
        if opened is not None:  # interrupted before anybody had it
            with contextlib.suppress(KformatError, OSError):
                opened.close()
        with contextlib.suppress(OSError):
            if (root.path / folder).is_dir():
                self._remove_folder(root.path / folder)

    def _next_roots(self) -> list[Root]:
        """The directories that are online, that with the fewest logs first (LogManager.nextLogDirs)."""
        counts = {folder: 0 for folder, _ in self._online()}
        for folder in (*(log.root.path for log in self._logs.values()), *self._moving.values()):
            if folder in counts:
                counts[folder] += 1
        return [self._roots[folder] for folder in sorted(counts, key=lambda folder: counts[folder])]

    def _root_at(self, directory: str | os.PathLike[str]) -> Root:
        folder = local_path(directory).absolute()
        if folder not in self.directories:
            raise UsageError(f"{folder} is none of the directories {', '.join(map(str, self.directories))}")
        if folder in self._never_opened:
            error = self._never_opened[folder]
            raise LogDirOfflineError(f"{folder} is offline: {error}") from error
        root = self._roots[folder]
        root.check_online()
        return root

    def delete_partition(self, topic: str, partition: int) -> None:
        """Close a partition's log, and rename its folder to ``-delete``; what is in it is removed later
        (LogManager.asyncDelete). Raises as `log`, and UsageError while it is moved, or if there are folders in it."""
        with self._coordinator.held(), self._lock:
            log = self.log(topic, partition)
            if (topic, partition) in self._moving:
                raise UsageError(f"{topic}-{partition} is being moved to {self._moving[topic, partition]}")
            if log.path.exists():
                check_no_folders(log.path)
            with _blamed(log.root):
                with contextlib.suppress(KformatError):  # what it was about does not matter any more
                    log.close()
                log.root.check_online()
                if log.path.exists():  # else an earlier call was interrupted
                    self._doom(log)
                self._logs.pop((topic, partition), None)
                self.uncleanable.pop((topic, partition), None)
                log.root.forget(topic, partition)
                log.root.checkpoint()
            self._counts["deleted"] += 1

    def _doom(self, log: Log) -> None:
        """Rename the folder of a closed log, and have it removed later."""
        root = log.root
        doomed = root.path / folder_name(log.topic, log.partition, "delete", uuid.uuid4().hex)
        self._storage.rename(log.path, doomed)
        self._storage.sync_directory(root.path)
        self._doomed[doomed] = root
        self._schedulers[root.path].schedule(
            "delete-folder", lambda: self._remove_doomed(doomed), log.config.file_delete_delay_ms
        )

    def _remove_doomed(self, path: Path) -> None:
        root = self._doomed.pop(path, None)
        if root is not None and root.failure is None and path.exists():
            try:
                with self._noted(root):
                    self._remove_folder(path)
            except BaseException:  # an interrupt: the rest is for the next who comes here
                self._doomed[path] = root
                raise

    def _remove_folder(self, path: Path) -> None:
        """Remove a folder with all that is in it; of a link only the link."""
        for name in sorted(os.listdir(path)):
            inner = path / name
            if inner.is_dir() and not inner.is_symlink():
                self._remove_folder(inner)
            else:
                self._storage.unlink(inner)
        self._storage.remove_directory(path)

    # Moving

    def move(self, topic: str, partition: int, directory: str | os.PathLike[str]) -> Log:
        """Move a partition to another directory; its log, which is opened there.

        The log may be used meanwhile, except at the end: it is closed while the rest of it is copied, and stays closed.
        `Log.read` of a closed log raises LogClosedError: ask the manager for the new one. The module says what a crash
        leaves.

        Raises:
            UsageError: the partition lies there, or is being moved; another directory; there are folders in its folder;
                a name so long that Kafka cannot move it either.
            OSError: a disk failed: its directory is offline. If it is the one that was copied to, nothing has changed.
            Others as `log`.
        """
        target, key = self._root_at(directory), (topic, partition)
        with self._lock:
            log = self.log(topic, partition)
            if key in self._moving:
                raise UsageError(f"{topic}-{partition} is being moved to {self._moving[key]}")
            if log.root is target:
                raise UsageError(f"{topic}-{partition} lies in {target.path}")
            copy = target.path / folder_name(topic, partition, "future", uuid.uuid4().hex)
            if len(copy.name.encode()) > _MAX_NAME_BYTES:
                raise UsageError(f"{topic}-{partition} cannot be moved: the name of its copy would be too long")
            check_no_folders(log.path)
            self._moving[key] = target.path
        try:
            copying = _Copying(log, copy, target, self._storage)
            copying.begin()
            with self._lock, self._swap_lock:
                self._check_open()
                if log.is_closed:
                    raise LogClosedError(f"{log.path} was closed while it was moved")
                return self._swap(log, copying, target)
        except BaseException as error:
            self._undo_move(log, copy, target, error)
            raise
        finally:
            del self._moving[key]

    def _swap(self, log: Log, copying: _Copying, target: Root) -> Log:
        """End a move: the steps that the module names. Under the lock."""
        key, source, leader_epoch = (log.topic, log.partition), log.root, log.leader_epoch
        with _blamed(source):
            log.close_to_move()
        copying.end()
        with _blamed(target):
            target.forget(*key)
            source.copy_offsets(*key, target)
            target.checkpoint()
        with _blamed(source):
            self._storage.open(log.path / _mark_of(copying.folder), create=True).close()
            self._storage.sync_directory(log.path)
        with _blamed(target):
            origin = {"version": 1, "copied_from": str(log.path)}
            self._storage.write_atomically(copying.folder / _COMPLETE, json.dumps(origin).encode())
        with _blamed(source):
            self._doom(log)
        del self._logs[key]
        with _blamed(target):
            self._promote(target, copying.folder, *key)
        with self._noted(source):
            source.forget(*key)
            source.checkpoint()
        with _blamed(target):
            moved = self._open_log(target, *key)
        if moved is None:
            raise self.refused[key]
        if leader_epoch > moved.leader_epoch:
            moved.leader_epoch = leader_epoch
        self._counts["moved"] += 1
        return moved

    def _promote(self, root: Root, copy: Path, topic: str, partition: int) -> None:
        """Make a whole copy the log: steps 4 and 5."""
        final = root.path / folder_name(topic, partition)
        self._storage.rename(copy, final)
        self._storage.sync_directory(root.path)
        self._storage.unlink(final / _COMPLETE)
        self._storage.sync_directory(final)

    def _undo_move(self, log: Log, copy: Path, target: Root, error: BaseException) -> None:
        """After a move that failed: the old log goes on if it is there; else opening a manager again ends the move."""
        key = log.topic, log.partition
        if not log.path.exists():
            self._logs.pop(key, None)
            if key not in self._logs:
                cause = error if isinstance(error, KformatError) else LogError(f"the move of {copy} failed: {error!r}")
                self.refused.setdefault(key, cause)
            return
        if target.failure is None and copy.exists():
            with self._noted(target):
                self._remove_copy(copy, log.path)
        if log.is_closed and log.root.failure is None and not self._is_closed:
            self._logs.pop(key, None)
            with self._noted(log.root):
                self._open_log(log.root, *key)

    # Background work

    def start(
        self,
        *,
        retention_check_interval_ms: int = RETENTION_CHECK_INTERVAL_MS,
        checkpoint_interval_ms: int = CHECKPOINT_INTERVAL_MS,
        initial_task_delay_ms: int = INITIAL_TASK_DELAY_MS,
        cleaner_backoff_ms: int = CLEANER_BACKOFF_MS,
        cleaner: CleanerConfig | None = None,
    ) -> None:
        """Have retention, compaction and the writing of checkpoints done in the background, until the manager is
        closed.

        Each directory has one thread for retention and checkpoints; one more thread compacts logs of all. Errors are
        counted (`metrics`); an error of the disk takes its directory offline. (Logs sync themselves as `flush.ms` says,
        started or not.)

        Args:
            retention_check_interval_ms: `log.retention.check.interval.ms`, the time between two runs, ms. Logs whose
                `cleanup.policy` has ``compact`` are left out, as in LogManager.cleanupLogs: compaction does theirs.
            checkpoint_interval_ms: `log.flush.offset.checkpoint.interval.ms`, ms.
            initial_task_delay_ms: `log.initial.task.delay.ms`, the time until the first runs, ms.
            cleaner_backoff_ms: `log.cleaner.backoff.ms`, for how long compaction waits when no log is due, ms.
            cleaner: how much memory it takes; by default as much as a broker's.

        Raises UsageError where it was started, or an interval is not from 1.
        """
        if (
            min(retention_check_interval_ms, checkpoint_interval_ms, cleaner_backoff_ms) < 1
            or initial_task_delay_ms < 0
        ):
            raise UsageError("intervals are numbers of ms from 1, the initial delay from 0")
        with self._lock:
            self._check_open()
            if self._is_started:
                raise UsageError("the manager was started already")
            self._is_started = True
            for _, root in self._online():
                self._repeat(root, "retention", self._retain_in, retention_check_interval_ms, initial_task_delay_ms)
                self._repeat(root, "checkpoints", self._checkpoint_in, checkpoint_interval_ms, initial_task_delay_ms)
            self._cleaner_config = cleaner or self._cleaner_config
            self._start_cleaner(cleaner_backoff_ms, initial_task_delay_ms)

    def _repeat(self, root: Root, name: str, work: Callable[[Root], object], interval_ms: int, delay_ms: int) -> None:
        def due() -> None:
            if self._is_closed or root.failure is not None:
                return
            with self._noted(root):
                work(root)
            with contextlib.suppress(UsageError):  # closed meanwhile
                self._schedulers[root.path].schedule(name, due, interval_ms)

        self._schedulers[root.path].schedule(name, due, delay_ms)

    def _logs_in(self, root: Root) -> list[Log]:
        return [log for log in self._logs.copy().values() if log.root is root]

    def retain(self) -> list[tuple[PartitionPlace, int, Breach]]:
        """Delete now what retention lets go, in all directories: the partition, base offset and rule of each segment.

        What goes wrong with one log is counted, and does not keep the others from it.
        """
        self._check_open()
        return [one for _, root in self._online() for one in self._retain_in(root)]

    def _retain_in(self, root: Root) -> list[tuple[PartitionPlace, int, Breach]]:
        found: list[tuple[PartitionPlace, int, Breach]] = []
        for log in self._logs_in(root):
            if log.config.is_compacted:
                continue
            try:
                place = PartitionPlace(log.topic, log.partition, root.path)
                found += [(place, base_offset, breach) for base_offset, breach in log.retain()]
            except (LogClosedError, TieredLogError):  # it was deleted or moved; a broker has to do it
                continue
            except (KformatError, OSError) as error:
                self._note(error)
                if root.failure is not None:
                    break
        self._counts["segments"] += len(found)
        self._counts["retention"] += 1
        self._last_retention_ms = self._clock()
        return found

    # Compaction

    def _start_cleaner(self, backoff_ms: int, delay_ms: int) -> None:
        if self._scheduler_of is None:
            self._cleaner_scheduler = ThreadScheduler(on_error=lambda name, error: self._note(error))
        else:
            self._cleaner_scheduler = self._schedulers[self._online()[0][0]]
        scheduler = self._cleaner_scheduler

        def due() -> None:
            if self._is_closed:
                return
            was_due = False
            try:
                was_due = self.compact() is not None
            except LogClosedError:
                return
            finally:
                with contextlib.suppress(UsageError):  # closed meanwhile
                    scheduler.schedule("compaction", due, 0 if was_due else backoff_ms)

        scheduler.schedule("compaction", due, delay_ms)

    def compact(self) -> tuple[PartitionPlace, Compaction] | None:
        """Compact the log that has the most to compact, in relation to its size, if one is due; which one, and what
        was done (LogCleaner.cleanFilthiestLog). Then delete what retention lets go of the compacted logs.

        What goes wrong with a log is counted, and makes it `uncleanable`; an error of the disk takes its directory
        offline. A log that is cut or closed meanwhile is compacted another time. Where another thread does this,
        nothing is done.
        """
        self._check_open()
        if not self._cleaner_guard.acquire(blocking=False):
            return None
        try:
            self._last_compaction_check_ms = self._clock()
            logs = [
                log
                for key, log in self._logs.copy().items()
                if log.config.is_compacted and key not in self.uncleanable and log.root.failure is None
            ]
            found = self._compact_filthiest(logs)
            for log in logs:
                with self._uncleanable_on_error(log):
                    self._counts["segments"] += len(log.retain())
            return found
        finally:
            self._cleaner_guard.release()

    def _compact_filthiest(self, logs: Sequence[Log]) -> tuple[PartitionPlace, Compaction] | None:
        wanted: list[tuple[LogToClean, Log]] = []
        for log in logs:
            with self._uncleanable_on_error(log):
                if not log.is_being_compacted:
                    wanted.append((log.to_clean(reset=True), log))
        self._max_dirty_ratio = max((to_clean.cleanable_ratio for to_clean, _ in wanted), default=0.0)
        due = [(to_clean, log) for to_clean, log in wanted if to_clean.is_due(log.config)]
        if not due:
            return None
        _, log = max(due, key=lambda one: one[0].cleanable_ratio)
        with self._uncleanable_on_error(log):
            self._cleaner = self._cleaner or Cleaner(self._cleaner_config)
            done = log.compact(cleaner=self._cleaner)
            if done is not None:
                self._counts["compactions"] += 1
                self._counts["before"] += done.size_bytes_before
                self._counts["after"] += done.size_bytes_after
                return PartitionPlace(log.topic, log.partition, log.root.path), done
        return None

    @contextlib.contextmanager
    def _uncleanable_on_error(self, log: Log) -> Iterator[None]:
        """Go on without a log that cannot be compacted (markPartitionUncleanable)."""
        try:
            yield
        except (CompactionAbortedError, LogClosedError, LogDirOfflineError, TieredLogError):
            pass
        except OSError as error:
            log.root.note_failure(error)
            self._note(error)
        except Exception as error:
            self._note(error)
            self.uncleanable[log.topic, log.partition] = error

    def _checkpoint_in(self, root: Root) -> None:
        for log in self._logs_in(root):
            with contextlib.suppress(LogClosedError):
                log.note_offsets()
        root.checkpoint()
        self._counts["checkpoints"] += 1

    def _note(self, error: BaseException) -> None:
        self._counts["errors"] += 1
        self._last_error = f"{type(error).__name__}: {error}"

    @contextlib.contextmanager
    def _noted(self, root: Root) -> Iterator[None]:
        """Count an error, and go on; one of the disk takes the directory offline."""
        try:
            yield
        except (KformatError, OSError) as error:
            root.note_failure(error)
            self._note(error)

    # Closing

    def close(self) -> None:
        """Close all logs, write checkpoints and markers, and let go of the directories; twice is no error.

        What `delete_partition` left is removed. A directory that is offline is let go of as it is. The first error of
        the others is raised, when all have been let go of. Where an interrupt ends this, call it again.
        """
        if not self._is_released:
            self._coordinator.close()  # without the lock: see `kformat_engine.coordinator`
        errors: list[BaseException] = []
        with self._lock:
            if not self._is_released:
                for path in list(self._doomed):
                    self._remove_doomed(path)
                errors = self._let_go()
        if isinstance(self._cleaner_scheduler, ThreadScheduler):
            self._cleaner_scheduler.close()
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"also: {other!r}")
            raise errors[0]

    def _let_go(self) -> list[BaseException]:
        """The errors that were met. An interrupt in a directory does not keep the others from being let go of."""
        self._is_closed = True
        errors: list[BaseException] = []
        for root in self._roots.values():
            try:
                if root.failure is None:
                    root.close()
                else:
                    for log in self._logs_in(root):
                        with contextlib.suppress(KformatError, OSError):
                            log.close()
                    root.abandon()
                root.end_background()
            except BaseException as error:
                errors.append(error)
        self._is_released = all(root.is_closed for root in self._roots.values())
        return sorted(errors, key=lambda error: isinstance(error, Exception))


class _ManagerPlaces:
    """Where the coordinator of a manager finds logs. What runs in the background does not wait for the manager's lock,
    which `LogManager.close` holds while it waits for the background."""

    def __init__(self, manager: LogManager) -> None:
        self._manager = manager

    def state_partitions(self) -> Mapping[int, bool]:
        manager = self._manager
        found: dict[int, bool] = {}
        for _, root in manager._online():
            found |= state_partitions_in(root.path)
        return found

    def state_log(self, partition: int) -> Log:
        manager = self._manager
        log = self._find((TRANSACTION_STATE_TOPIC, partition))
        if log is not None:
            return log
        if (TRANSACTION_STATE_TOPIC, partition) in manager.refused:
            raise manager.refused[TRANSACTION_STATE_TOPIC, partition]
        # In one directory: where its disk fails, the record may be there, and must not be looked for in another one.
        roots = manager._next_roots()
        directory = roots[0].path if roots else None
        return manager.create_partition(TRANSACTION_STATE_TOPIC, partition, directory=directory)

    def _find(self, key: _Key) -> Log | None:
        """A log of the manager, in its new place if it is just being moved; LogClosedError where that failed: it must
        not be taken for one that was deleted, which needs no marker."""
        manager = self._manager
        log = manager._logs.get(key)
        if log is None or log.is_closed:
            with manager._swap_lock:
                log = manager._logs.get(key)
        if log is None and key in manager._moving:
            raise LogClosedError(f"{folder_name(*key)} was closed to be moved, and that failed")
        return log

    @contextlib.contextmanager
    def log(self, topic: str, partition: int) -> Iterator[Log | None]:
        manager = self._manager
        log = self._find((topic, partition))
        if log is None and (topic, partition) in manager.refused:
            raise manager.refused[topic, partition]
        if log is None and manager.offline:
            raise LogDirOfflineError(f"{topic}-{partition} may lie in a directory that is offline")
        yield log

    def was_replaced(self, log: CoordinatedLog) -> bool:
        manager = self._manager
        with manager._swap_lock:
            return manager._logs.get((log.topic, log.partition)) is not log

    def producer_epoch(self, producer_id: int) -> int:
        return max((log.producer_epoch(producer_id) for log in self._manager._logs.copy().values()), default=-1)

    def later(self, name: str, work: Callable[[], object], delay_ms: int) -> Task:
        manager = self._manager
        online = manager._online()
        if not online:
            raise UsageError("no directory is online")
        return manager._schedulers[online[0][0]].schedule(name, work, delay_ms)

    def note(self, error: BaseException) -> None:
        self._manager._note(error)

    def join(self, log: CoordinatedLog) -> None:
        """It is the manager's."""

    def leave(self, log: CoordinatedLog) -> bool:
        """Only the manager closes the coordinator."""
        return False

    def close(self) -> None:
        """The manager closes all logs."""


class _Copying:
    """A copy of a log's folder: `begin` while it is written to, `end` when it was closed."""

    def __init__(self, log: Log, folder: Path, target: Root, storage: Storage) -> None:
        self.log, self.folder, self.target, self._storage = log, folder, target, storage
        self._seen: dict[str, tuple[int, int]] = {}  # of files that were copied whole: length, and when modified, ns
        self._logs: dict[str, int] = {}  # of `.log` files: how many bytes were copied
        self._cut_count = 0

    def begin(self) -> None:
        """Make the folder, and copy what is in the log now."""
        with _blamed(self.target):
            self._storage.make_directory(self.folder)
        with _blamed(self.log.root):
            files, self._cut_count = self.log.files_to_copy()
        for name, size in files.items():
            with contextlib.suppress(FileNotFoundError):  # retention was faster
                if size is None:
                    self._copy_whole(name)
                else:
                    self._copy_log(name, size)

    def end(self) -> None:
        """Copy what has changed since, and sync all."""
        source, cut_count = self.log.path, self.log.files_to_copy()[1]
        with _blamed(self.log.root):
            names = [name for name in sorted(os.listdir(source)) if not name.endswith((".deleted", ".tmp"))]
        for name in names:
            parsed = parse_file_name(name)
            if parsed is not None and parsed.kind == "log" and not parsed.state:
                if cut_count != self._cut_count:
                    self._logs.pop(name, None)
                self._copy_log(name, (source / name).stat().st_size)
            else:
                self._copy_whole(name)
        if not {METADATA_FILE, LOG_ID_FILE} & set(names):  # positions of readers go by the path until now
            names.append(LOG_ID_FILE)
            with _blamed(self.target):
                self._storage.write_new(self.folder / LOG_ID_FILE, f"{path_id(source)}\n".encode())
        with _blamed(self.target):
            for name in set(os.listdir(self.folder)) - set(names):
                self._storage.unlink(self.folder / name)
            self._storage.sync_directory(self.folder)

    def _copy_whole(self, name: str) -> None:
        with _blamed(self.log.root):
            status = (self.log.path / name).stat()
        seen = status.st_size, status.st_mtime_ns
        if self._seen.get(name) != seen:
            with _blamed(self.target):
                self._storage.unlink(self.folder / name)
            self._copy(name, 0, status.st_size)
            self._seen[name] = seen

    def _copy_log(self, name: str, size: int) -> None:
        start = self._logs.get(name)
        if start is None or start > size:
            start = 0
            with _blamed(self.target):
                self._storage.unlink(self.folder / name)
        elif start == size:
            return
        self._copy(name, start, size)
        self._logs[name] = size
        with _blamed(self.target):  # retention looks at it where records have no timestamps
            self._storage.set_modified_ms(self.folder / name, (self.log.path / name).stat().st_mtime_ns // 1_000_000)

    def _copy(self, name: str, start: int, end: int) -> None:
        with _blamed(self.log.root):
            origin = self._storage.open(self.log.path / name, writable=False)
        try:
            with _blamed(self.target):
                copy = self._storage.open(self.folder / name, create=True)
            try:
                for position in range(start, end, _COPY_BYTES):
                    with _blamed(self.log.root):
                        data = origin.read_at(position, min(_COPY_BYTES, end - position))
                    with _blamed(self.target):
                        copy.write_at(data, position)
                with _blamed(self.target):
                    copy.sync()
            finally:
                copy.close()
        finally:
            origin.close()


def places_in(directory: str | os.PathLike[str]) -> list[PartitionPlace]:
    """The partitions in a directory, by topic and number; no lock is taken. UsageError for a partition's; OSError."""
    folder = local_path(directory).absolute()
    check_is_root(folder)
    names = [name for name, _ in _partition_folders(folder) if name.state == ""]
    return sorted(PartitionPlace(*_key(name), folder) for name in names)


def place_of(
    directories: Sequence[str | os.PathLike[str]], topic: str, partition: int, *, create: bool = False
) -> Path:
    """The folder of a partition in one of these directories; with ``create``, if none has it, where it has to be made:
    in the directory with the fewest. No lock is taken, and nothing is made.

    Raises UnknownPartitionError, DuplicatePartitionError, OSError.
    """
    _check_name(topic, partition)
    counts: dict[Path, int] = {}
    found: list[Path] = []
    for directory in directories:
        folder = local_path(directory).absolute()
        try:
            places = places_in(folder)
        except FileNotFoundError:
            if not create:
                raise
            places = []
        counts[folder] = len(places)
        found += [folder / folder_name(topic, partition) for place in places if place[:2] == (topic, partition)]
    if len(found) > 1:
        raise DuplicatePartitionError(f"{found[0].name} lies in {found[0].parent} and in {found[1].parent}")
    if found:
        return found[0]
    if not create:
        raise UnknownPartitionError(f"there is no {topic}-{partition} in {', '.join(map(str, directories))}")
    return min(counts, key=lambda folder: counts[folder]) / folder_name(topic, partition)


@contextlib.contextmanager
def _blamed(root: Root) -> Iterator[None]:
    """An error of the disk is this root's, which is offline from then on; it is raised all the same."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        root.note_failure(error)
        raise


def _is_plain(path: Path) -> bool:
    """Whether it is a file, and no link: what else has a name of ours, nobody here has made."""
    return path.is_file() and not path.is_symlink()


def _partition_folders(root: Path) -> list[tuple[FolderName, Path]]:
    """The folders of partitions in a root, by name; not the one of KRaft's own log, and no links."""
    found = []
    with os.scandir(root) as entries:
        for entry in entries:
            name = parse_folder_name(entry.name)
            if name is not None and name.topic != CLUSTER_METADATA and entry.is_dir(follow_symlinks=False):
                found.append((name, root / entry.name))
    return sorted(found, key=lambda one: one[1].name)


def _check_name(topic: str, partition: int) -> None:
    if topic == CLUSTER_METADATA:
        raise UsageError(f"{topic} is a broker's own log of the cluster, and no topic: a manager leaves it alone")
    if not is_topic_name(topic):
        raise UsageError(f"{topic!r} is not a valid topic name: use ASCII letters, digits, '.', '_' and '-'")
    if not 0 <= whole_number(partition, "partition") <= MAX_INT32:
        raise UsageError(f"{partition} is not a partition's number: it is from 0 to {MAX_INT32}")

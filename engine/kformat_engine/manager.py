"""Logs in several directories: Kafka's LogManager.

Each directory is a `Root` with its own lock, checkpoints, marker and background thread. Rules:

* A partition lies in one directory. One that is found in two is `refused`, and both folders are left alone. (Kafka does
  not start then.) If `create_partition` fails, or is interrupted, it leaves no folder.
* A new partition goes to the directory with the fewest logs, of several to the first in the given order
  (LogManager.nextLogDirs). If its folder cannot be created there, the directory is offline, and the next one is tried.
* An error of a directory's disk takes that directory offline, with all its partitions. The others stay online.
* Deleting a partition renames its folder to ``<topic>-<partition>.<id>-delete``. Its content is removed after
  `file.delete.delay.ms`, when the manager is closed, or when a manager is opened the next time.
* One thread for all directories compacts: of the logs that are due, always the one that has the most to compact in
  relation to its size. Then it applies retention to compacted logs. A log that cannot be compacted is skipped from then
  on (`LogManager.uncleanable`).
* `move` copies a partition to ``<topic>-<partition>.<id>-future`` in the other directory, while it is written to. Then
  it closes the log, copies the rest, and swaps the two folders by renaming: see `partition_moves`.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, NamedTuple, Self

from kformat.errors import KformatError, UsageError, whole_number
from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import CLUSTER_METADATA, FolderName, folder_name, is_topic_name, parse_folder_name
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC, TransactionMetadata
from kformat.results import counted, printable, size_text
from kformat.storage.address import local_path
from kformat_engine.cleaner import CleanerConfig, Compaction
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import CoordinatedLog, Coordinator, state_partitions_in
from kformat_engine.current_logs import CurrentLogs, DeletedPartitions, Key, remove_folder
from kformat_engine.errors import (
    DuplicatePartitionError,
    LogClosedError,
    LogDirOfflineError,
    LogError,
    TieredLogError,
    UnknownPartitionError,
)
from kformat_engine.local_log import check_no_folders
from kformat_engine.log import Log, internals_of
from kformat_engine.log_cleaner import LogCleaner
from kformat_engine.log_dirs import LogDirs, blamed
from kformat_engine.log_internals import LogInternals
from kformat_engine.partition_moves import Folders, PartitionMoves, name_key
from kformat_engine.recovery.opening import Approve
from kformat_engine.retention import Breach
from kformat_engine.root import Root, check_is_root
from kformat_engine.scheduler import Scheduler, Task
from kformat_engine.storage import DISK, Clock, Storage, wall_clock_ms
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, Durability, Transaction, checked_place, checked_places

LOG: Final = logging.getLogger(__name__)

RETENTION_CHECK_INTERVAL_MS: Final = 300_000
"""`log.retention.check.interval.ms`: Kafka's default."""
CHECKPOINT_INTERVAL_MS: Final = 60_000
"""`log.flush.offset.checkpoint.interval.ms`: Kafka's default."""
INITIAL_TASK_DELAY_MS: Final = 30_000
"""`log.initial.task.delay.ms`: Kafka's default."""
CLEANER_BACKOFF_MS: Final = 15_000
"""`log.cleaner.backoff.ms`: Kafka's default."""


class PartitionPlace(NamedTuple):
    """A partition and the directory that it lies in."""

    topic: str
    partition: int
    directory: Path

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} in {printable(str(self.directory))}"


@dataclass(frozen=True)
class LogManagerMetrics:
    """The size of a manager's logs, and the counts of its background work since it was opened.

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

    def __str__(self) -> str:
        offline = f" ({self.offline_directory_count} offline)" if self.offline_directory_count else ""
        directories = "1 directory" if self.directory_count == 1 else f"{self.directory_count} directories"
        parts = [
            f"{directories}{offline}",
            counted(self.partition_count, "partition"),
            counted(self.segment_count, "segment"),
            size_text(self.size_bytes),
            counted(self.deleted_segment_count, "deleted segment"),
            counted(self.compaction_count, "compaction"),
            counted(self.error_count, "error") + (f", the last one {self.last_error}" if self.last_error else ""),
        ]
        return ", ".join(parts)


@contextlib.contextmanager
def _offline_on_error(root: Root) -> Iterator[None]:
    """Take a directory offline if its disk fails in this context."""
    try:
        yield
    except OSError as error:
        root.note_failure(error)


def _place(log: Log) -> PartitionPlace:
    return PartitionPlace(log.topic, log.partition, log.root.path)


class LogManager:
    """The logs of several directories; see `open`. Use it as a context manager, or call `close`.

    Safe to use from several threads. `delete_partition`, `move`, which opens another one, and `close` close the `Log`s
    that it returned.

    Attributes:
        directories: as passed, absolute. config: of topics that have none of their own.
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
        self._clock, self._storage = clock, storage
        self._has_threads = scheduler is None
        self._lock = threading.RLock()
        self._dirs = LogDirs(directories, storage, scheduler)
        self._current = CurrentLogs(
            *(self._dirs, config, configs), mode=mode, approve=approve, clock=clock, storage=storage
        )
        self._deleted = DeletedPartitions(self._dirs, storage)
        self._moves = PartitionMoves(self._current, self._dirs, self._deleted, storage)
        self._cleaner = LogCleaner(self._current, self._dirs, clock)
        self.refused, self.uncleanable = self._current.refused, self._cleaner.uncleanable
        self._is_started = self._is_released = False
        self._retention_count = self._deleted_segment_count = self._checkpoint_count = 0
        self._deleted_count = self._moved_count = 0
        self._last_retention_ms: int | None = None
        places = _ManagerPlaces(self._dirs, self._current, self._moves, self._make_state_log)
        self._coordinator = Coordinator(places, clock)

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
        """Lock all directories for this process, and open all logs in them, with recovery where needed.

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
        folders = [local_path(directory).absolute() for directory in directories]
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
            manager._dirs.open(lock_timeout_s, create, manager._coordinator)
            manager._load()
            for key, error in manager.refused.items():
                LOG.error("%s was not opened: %r", folder_name(*key), error)
            manager._resume_transactions()
        except BaseException:
            manager._let_go()
            raise
        return manager

    # Opening

    def _load(self) -> None:
        """Open the logs in the directories."""
        folders: Folders = {}
        for root in self._dirs.online():
            with _offline_on_error(root):
                folders[root.path] = _partition_folders(root.path)
        self._refuse_duplicates(folders)
        for root in self._dirs.online():
            with _offline_on_error(root):
                for name, path in folders[root.path]:
                    if name.state == "future":
                        try:
                            self._moves.finish(root, name, path, folders)
                        except LogError as error:
                            self.refused.setdefault(name_key(name), error)
        for root in self._dirs.online():
            with _offline_on_error(root):
                for name, path in folders[root.path]:
                    if name.state == "delete" and path.exists():
                        remove_folder(path, self._storage)
                    elif name.state == "" and path.exists() and name_key(name) not in self.refused:
                        self._moves.forget_mark(path)
                        self._current.open(root, name.topic, name.partition)
        if not self._dirs.online():
            raise next(iter(self.offline.values()))

    def _refuse_duplicates(self, folders: Folders) -> None:
        places: dict[Key, Path] = {}
        for name, path in itertools.chain.from_iterable(folders.values()):
            if name.state != "":
                continue
            other = places.setdefault(name_key(name), path)
            if other != path:
                advice = "move one of the two folders away"
                if name.topic == TRANSACTION_STATE_TOPIC:
                    advice = (
                        "a transaction was begun in a log that was opened alone. `kformat log transactions --log-dir "
                        "DIR` lists those of a directory: move away the folder whose transactions are all complete"
                    )
                self.refused[name_key(name)] = DuplicatePartitionError(
                    f"{path.name} lies in {other.parent} and in {path.parent}; {advice}"
                )

    # State

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._current.is_closed

    @property
    def offline(self) -> dict[Path, OSError]:
        """The directories that cannot be used, each with the error of its disk."""
        return self._dirs.offline

    def partitions(self) -> tuple[PartitionPlace, ...]:
        """The partitions of the directories that are online, by topic and number."""
        return tuple(sorted(map(_place, self._current.online())))

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
            self._current.check_open()
            log = self._current.logs.get(key)
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
        return key in self._current.logs

    @property
    def metrics(self) -> LogManagerMetrics:
        """Counts as of now."""
        logs, cleaner = self._current.online(), self._cleaner
        return LogManagerMetrics(
            directory_count=len(self.directories),
            offline_directory_count=len(self.offline),
            partition_count=len(logs),
            segment_count=sum(log.segment_count for log in logs),
            size_bytes=sum(log.size_bytes for log in logs),
            retention_run_count=self._retention_count,
            last_retention_ms=self._last_retention_ms,
            deleted_segment_count=self._deleted_segment_count + cleaner.deleted_segment_count,
            checkpoint_count=self._checkpoint_count,
            compaction_count=cleaner.compaction_count,
            last_compaction_check_ms=cleaner.last_check_ms,
            compacted_bytes_before=cleaner.bytes_before,
            compacted_bytes_after=cleaner.bytes_after,
            max_dirty_ratio=cleaner.max_dirty_ratio,
            uncleanable_partition_count=sum(key in self._current.logs for key in self.uncleanable.copy()),
            deleted_partition_count=self._deleted_count,
            moved_partition_count=self._moved_count,
            error_count=self._dirs.error_count,
            last_error=self._dirs.last_error,
        )

    def __repr__(self) -> str:
        logs = self._current.online()
        parts = [counted(len(logs), "partition"), size_text(sum(log.size_bytes for log in logs))]
        parts += [f"{len(self.offline)} offline"] * bool(self.offline) + [f"{len(self.refused)} refused"] * bool(
            self.refused
        )
        where = ", ".join(printable(str(directory)) for directory in self.directories)
        return f"<LogManager of {where}: {', '.join(parts)}, {'closed' if self.is_closed else 'open'}>"

    def __enter__(self) -> Self:
        self._current.check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Transactions

    def transaction(
        self,
        transactional_id: str,
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        durability: Durability = "markers",
        partitions: Iterable[tuple[str, int]] = (),
    ) -> Transaction:
        """Begin a transaction over partitions of all directories: readers of committed data see all its records, or
        none. See engine/README.md.

        The object that was begun with the same id before is refused from then on, and its transaction aborted. What is
        known of the id is kept in a partition of ``__transaction_state``, which is created if it is missing.

        Args:
            timeout_ms: `transaction.timeout.ms`, after which it is aborted.
            durability: what is on disk when `Transaction.commit` returns, besides the records: the ``markers``, or the
                ``decision`` alone, which costs a sync less for each partition. Both are committed for good.
            partitions: topic and number of those that it will append to, if the caller knows them: the first append
                names them all in one record, which saves a sync for each but the first. Each gets a marker. It may
                append to others, too.

        Raises UsageError for what is no id, no time, no durability or no list of partitions; LogClosedError;
        LogDirOfflineError, or what `log` raises, where ``__transaction_state`` or one of the partitions cannot be used.
        """
        self._current.check_open()
        places = checked_places(partitions)
        for place in places:
            self.log(*place)
        return self._coordinator.begin(transactional_id, timeout_ms, durability, partitions=places)

    def transactions(self) -> tuple[TransactionMetadata, ...]:
        """The state of each transactional id, by id. Raises as `transaction`."""
        self._current.check_open()
        return self._coordinator.transactions()

    def abort_transaction(self, transactional_id: str) -> TransactionMetadata:
        """Abort the open transaction of an id, also that of a broker's client, and fence its owner off; for one that is
        decided, write the missing markers.

        Raises UsageError if the id has no such transaction, and as `transaction`.
        """
        self._current.check_open()
        return self._coordinator.abort(transactional_id)

    def _resume_transactions(self) -> None:
        """End transactions that an engine began here and that have no owner any more."""
        if any(topic == TRANSACTION_STATE_TOPIC for topic, _ in self._current.logs):
            try:
                self._coordinator.resume()
            except (KformatError, OSError) as error:
                self._dirs.note(error)

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
        """Create a partition, and open its log (LogManager.getOrCreateLog).

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
            self._current.check_open()
            if (topic, partition) in self._current.logs or (topic, partition) in self.refused:
                raise UsageError(f"there is a partition {topic}-{partition} already")
            offline = self.offline
            if offline and not is_new:
                raise LogDirOfflineError(
                    f"{topic}-{partition} may lie in a directory that is offline: {', '.join(map(str, offline))}"
                ) from next(iter(offline.values()))
            roots = self._next_roots() if directory is None else [self._dirs.root_at(directory)]
            folder = folder_name(topic, partition)
            for holder in self._dirs.online():
                if os.path.lexists(holder.path / folder):  # from a killed call, or from another program
                    if directory is not None and holder is not roots[0]:
                        raise UsageError(f"{holder.path / folder} is there already: a partition lies in one directory")
                    if not (holder.path / folder).is_dir():
                        raise UsageError(f"{holder.path / folder} is there already, and is no folder")
                    roots = [holder]
            if config is not None:
                self._current.configs[topic] = config
            failure: BaseException | None = None
            for root in roots:
                was_there = os.path.lexists(root.path / folder)
                try:
                    with blamed(root):
                        root.forget(topic, partition)  # the checkpoints of an earlier one of that name
                        root.checkpoint()
                        log = self._current.open(root, topic, partition, topic_id)
                    if log is None:
                        raise self.refused.pop((topic, partition))
                    return log
                except BaseException as error:
                    if (topic, partition) not in self._current.logs and not was_there:
                        self._unmake(root, folder)
                    if not isinstance(error, OSError | LogDirOfflineError):
                        raise
                    failure = failure or error
            raise LogDirOfflineError(
                f"no directory could take {topic}-{partition}: {', '.join(str(root.path) for root in roots)}"
            ) from failure

    def _unmake(self, root: Root, folder: str) -> None:
        """Remove the folder that a failed call created: left there, it would be the second of that name. (A disk that
        takes no change at all keeps it.)"""
        opened = root.log_in(folder)
        if opened is not None:  # interrupted before it was returned
            with contextlib.suppress(KformatError, OSError):
                opened.close()
        with contextlib.suppress(OSError):
            if (root.path / folder).is_dir():
                remove_folder(root.path / folder, self._storage)

    def _make_state_log(self, partition: int) -> Log:
        # In one directory: if its disk fails, the record may be there, and must not be searched in another one.
        roots = self._next_roots()
        directory = roots[0].path if roots else None
        return self.create_partition(TRANSACTION_STATE_TOPIC, partition, directory=directory)

    def _next_roots(self) -> list[Root]:
        """The online directories, the one with the fewest logs first (LogManager.nextLogDirs)."""
        logs = Counter([*(log.root.path for log in self._current.logs.values()), *self._moves.targets.values()])
        return sorted(self._dirs.online(), key=lambda root: logs[root.path])

    def delete_partition(self, topic: str, partition: int) -> None:
        """Close a partition's log, and rename its folder to ``-delete``; its content is removed later
        (LogManager.asyncDelete). Raises as `log`, and UsageError while it is moved, or if there are folders in it."""
        with self._coordinator.held(), self._lock:
            log = self.log(topic, partition)
            self._coordinator.complete_marked()  # a transaction that lacks a partition would wait for it
            self._moves.check_not_moved(log)
            if log.path.exists():
                check_no_folders(log.path)
            with blamed(log.root):
                with contextlib.suppress(KformatError):  # the log is deleted: its errors do not matter
                    log.close()
                log.root.check_online()
                if log.path.exists():  # else an earlier call was interrupted
                    self._deleted.add(log)
                self._current.logs.pop((topic, partition), None)
                self.uncleanable.pop((topic, partition), None)
                log.root.forget(topic, partition)
                log.root.checkpoint()
            self._deleted_count += 1
            LOG.info("%s: deleted", log.path)

    # Moving

    def move(self, topic: str, partition: int, directory: str | os.PathLike[str]) -> Log:
        """Move a partition to another directory; returns its log, which is opened there.

        The log may be used meanwhile, except at the end: it is closed while the rest of it is copied, and stays closed.
        `Log.read` of a closed log raises LogClosedError: ask the manager for the new one. For crashes see
        `kformat_engine.partition_moves`.

        Raises:
            UsageError: the partition lies there, or is being moved; another directory; there are folders in its folder;
                a name so long that Kafka cannot move it either.
            OSError: a disk failed: its directory is offline. If it is the one that was copied to, nothing has changed.
            Others as `log`.
        """
        target = self._dirs.root_at(directory)
        with self._lock:
            log = self.log(topic, partition)
            copying = self._moves.plan(log, target)
            self._moves.targets[topic, partition] = target.path  # last: an interrupt comes after calls
        try:
            copying.begin()
            with self._lock, self._moves.swap_lock:
                self._current.check_open()
                if log.is_closed:
                    raise LogClosedError(f"{log.path} was closed while it was moved")
                moved = self._moves.swap(copying)
                self._moved_count += 1
                LOG.info("%s: moved to %s", log.path, target.path)
                return moved
        except BaseException as error:
            self._moves.undo(copying, error)
            raise
        finally:
            del self._moves.targets[topic, partition]

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
        """Run retention, compaction and checkpoints in the background, until the manager is closed.

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
            self._current.check_open()
            if self._is_started:
                raise UsageError("the manager was started already")
            self._is_started = True
            for root in self._dirs.online():
                self._repeat(root, "retention", self._retain_in, retention_check_interval_ms, initial_task_delay_ms)
                self._repeat(root, "checkpoints", self._checkpoint_in, checkpoint_interval_ms, initial_task_delay_ms)
            scheduler = None if self._has_threads else self._dirs.schedulers[self._dirs.online()[0].path]
            self._cleaner.start(cleaner, scheduler, backoff_ms=cleaner_backoff_ms, delay_ms=initial_task_delay_ms)

    def _repeat(self, root: Root, name: str, work: Callable[[Root], object], interval_ms: int, delay_ms: int) -> None:
        def due() -> None:
            if self.is_closed or root.failure is not None:
                return
            with self._dirs.noted(root):
                work(root)
            with contextlib.suppress(UsageError):  # closed meanwhile
                self._dirs.schedulers[root.path].schedule(name, due, interval_ms)

        self._dirs.schedulers[root.path].schedule(name, due, delay_ms)

    def retain(self) -> list[tuple[PartitionPlace, int, Breach]]:
        """Apply retention now, in all directories; returns the partition, base offset and rule of each deleted segment.

        An error of one log is counted, and the others go on.
        """
        self._current.check_open()
        return [deletion for root in self._dirs.online() for deletion in self._retain_in(root)]

    def _retain_in(self, root: Root) -> list[tuple[PartitionPlace, int, Breach]]:
        deletions: list[tuple[PartitionPlace, int, Breach]] = []
        for log in self._current.of(root):
            if log.config.is_compacted:
                continue
            try:
                deletions += [(_place(log), base_offset, breach) for base_offset, breach in log.retain()]
            except (LogClosedError, TieredLogError):  # it was deleted or moved; or only a broker can do it
                continue
            except (KformatError, OSError) as error:
                self._dirs.note(error)
                if root.failure is not None:
                    break
        self._deleted_segment_count += len(deletions)
        self._retention_count += 1
        self._last_retention_ms = self._clock()
        return deletions

    def compact(self) -> tuple[PartitionPlace, Compaction] | None:
        """Compact the log that has the most to compact, in relation to its size, if one is due; returns its place and
        the result (LogCleaner.cleanFilthiestLog). Then apply retention to the compacted logs.

        An error of a log is counted, and makes it `uncleanable`; an error of the disk takes its directory offline. A
        log that is cut or closed meanwhile is compacted another time. While another thread does this, nothing is done.
        """
        cleaned = self._cleaner.clean_filthiest()
        return None if cleaned is None else (_place(cleaned[0]), cleaned[1])

    def _checkpoint_in(self, root: Root) -> None:
        for log in self._current.of(root):
            with contextlib.suppress(LogClosedError):
                internals_of(log).note_offsets()
        root.checkpoint()
        self._checkpoint_count += 1

    # Closing

    def close(self) -> None:
        """Close all logs, write checkpoints and markers, and release the directories; twice is no error.

        Folders that `delete_partition` renamed are removed. An offline directory is released as it is. After all are
        released, the first error of the others is raised. If an interrupt ends this, call it again.
        """
        if not self._is_released:
            self._coordinator.close()  # without the lock: see `kformat_engine.coordinator`
        errors: list[BaseException] = []
        with self._lock:
            if not self._is_released:
                self._deleted.remove_all()
                errors = self._let_go()
        self._cleaner.close()
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"also: {other!r}")
            raise errors[0]

    def _let_go(self) -> list[BaseException]:
        """Release all directories, and return the errors. After an interrupt in one, the others are still released."""
        self._current.is_closed = True
        errors: list[BaseException] = []
        for root in self._dirs.roots.values():
            try:
                if root.failure is None:
                    root.close()
                else:
                    for log in self._current.of(root):
                        with contextlib.suppress(KformatError, OSError):
                            log.close()
                    root.abandon()
                root.end_background()
            except BaseException as error:
                errors.append(error)
        self._is_released = all(root.is_closed for root in self._dirs.roots.values())
        return sorted(errors, key=lambda error: isinstance(error, Exception))


class _ManagerPlaces:
    """Finds logs for the coordinator of a manager. Background work does not wait for the manager's lock, which
    `LogManager.close` holds while it waits for the background."""

    def __init__(
        self, dirs: LogDirs, current: CurrentLogs, moves: PartitionMoves, make_state_log: Callable[[int], Log]
    ) -> None:
        self._dirs, self._current, self._moves, self._make_state_log = dirs, current, moves, make_state_log

    def state_partitions(self) -> Mapping[int, bool]:
        partitions: dict[int, bool] = {}
        for root in self._dirs.online():
            partitions |= state_partitions_in(root.path)
        return partitions

    def state_log(self, partition: int) -> LogInternals:
        key = TRANSACTION_STATE_TOPIC, partition
        log = self._find(key)
        if log is None:
            if key in self._current.refused:
                raise self._current.refused[key]
            log = self._make_state_log(partition)
        return internals_of(log)

    def _find(self, key: Key) -> Log | None:
        """A log of the manager, in its new place if it is just being moved; LogClosedError if the move failed: it must
        not be taken for a deleted one, which needs no marker."""
        log = self._current.logs.get(key)
        if log is None or log.is_closed:
            with self._moves.swap_lock:
                log = self._current.logs.get(key)
        if log is None and key in self._moves.targets:
            raise LogClosedError(f"{folder_name(*key)} was closed to be moved, and that failed")
        return log

    @contextlib.contextmanager
    def log(self, topic: str, partition: int) -> Iterator[LogInternals | None]:
        log = self._find((topic, partition))
        if log is None and (topic, partition) in self._current.refused:
            raise self._current.refused[topic, partition]
        if log is None and self._dirs.offline:
            raise LogDirOfflineError(f"{topic}-{partition} may lie in a directory that is offline")
        yield None if log is None else internals_of(log)

    def was_replaced(self, log: CoordinatedLog) -> bool:
        with self._moves.swap_lock:
            current = self._current.logs.get((log.topic, log.partition))
            return current is None or internals_of(current) is not log

    def producer_epoch(self, producer_id: int) -> int:
        logs = self._current.logs.copy().values()
        return max((internals_of(log).appender.producer_epoch(producer_id) for log in logs), default=-1)

    def later(self, name: str, work: Callable[[], object], delay_ms: int) -> Task:
        online = self._dirs.online()
        if not online:
            raise UsageError("no directory is online")
        return self._dirs.schedulers[online[0].path].schedule(name, work, delay_ms)

    def note(self, error: BaseException) -> None:
        self._dirs.note(error)

    def join(self, log: CoordinatedLog) -> None:
        """Does nothing: the log is the manager's."""

    def leave(self, log: CoordinatedLog) -> bool:
        """Only the manager closes the coordinator."""
        return False

    def close(self) -> None:
        """The manager closes all logs."""


def places_in(directory: str | os.PathLike[str]) -> list[PartitionPlace]:
    """The partitions in a directory, by topic and number; no lock is taken. UsageError for a partition's; OSError."""
    folder = local_path(directory).absolute()
    check_is_root(folder)
    names = [name for name, _ in _partition_folders(folder) if name.state == ""]
    return sorted(PartitionPlace(*name_key(name), folder) for name in names)


def place_of(
    directories: Sequence[str | os.PathLike[str]], topic: str, partition: int, *, create: bool = False
) -> Path:
    """The folder of a partition in one of these directories; with ``create``, if none has it, the path to create: in
    the directory with the fewest partitions. No lock is taken, and nothing is created.

    Raises UnknownPartitionError, DuplicatePartitionError, OSError.
    """
    _check_name(topic, partition)
    counts: dict[Path, int] = {}
    matches: list[Path] = []
    for directory in directories:
        folder = local_path(directory).absolute()
        try:
            places = places_in(folder)
        except FileNotFoundError:
            if not create:
                raise
            places = []
        counts[folder] = len(places)
        matches += [folder / folder_name(topic, partition) for place in places if place[:2] == (topic, partition)]
    if len(matches) > 1:
        raise DuplicatePartitionError(f"{matches[0].name} lies in {matches[0].parent} and in {matches[1].parent}")
    if matches:
        return matches[0]
    if not create:
        raise UnknownPartitionError(f"there is no {topic}-{partition} in {', '.join(map(str, directories))}")
    return min(counts, key=lambda folder: counts[folder]) / folder_name(topic, partition)


def _partition_folders(root: Path) -> list[tuple[FolderName, Path]]:
    """The folders of partitions in a root, by name, without the one of KRaft's own log, and without links."""
    folders = []
    with os.scandir(root) as entries:
        for entry in entries:
            name = parse_folder_name(entry.name)
            if name is not None and name.topic != CLUSTER_METADATA and entry.is_dir(follow_symlinks=False):
                folders.append((name, root / entry.name))
    return sorted(folders, key=lambda folder: folder[1].name)


def _check_name(topic: str, partition: int) -> None:
    if topic == CLUSTER_METADATA:
        raise UsageError(f"{topic} is a broker's own log of the cluster, and no topic: a manager leaves it alone")
    if not is_topic_name(topic):
        raise UsageError(f"{topic!r} is not a valid topic name: use ASCII letters, digits, '.', '_' and '-'")
    if not 0 <= whole_number(partition, "partition") <= MAX_INT32:
        raise UsageError(f"{partition} is not a partition's number: it is from 0 to {MAX_INT32}")

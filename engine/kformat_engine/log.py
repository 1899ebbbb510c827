"""A log: the segments of one partition folder, appended to by one writer, read by many.

Kafka's UnifiedLog for a log that is its own leader, without replicas: the high watermark is the log end offset. Here
are the lock, failures and waiting callers; the segments and what is on disk: `local_log`; compaction: `cleaner`;
transactions: `coordinator`.

Rules:

* One writer per root, held by the root's lock; inside the process, calls from several threads take turns.
* An append is checked whole before any of it is written. A refusal (UsageError) leaves the log as it was.
* Anything that goes wrong while the log is being changed, an interrupt, too, makes it fail: nothing is written any
  more, not even by `close`, and no clean-shutdown marker is left, because what is on disk is not known. Opening it
  again finds out. `close` lets go of the root in any case.
* What an append acknowledges is in the operating system's hands at once, and on disk according to the sync policy.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, cast, overload

from kformat.errors import (
    BuildError,
    DataError,
    InvalidProducerEpochError,
    KformatError,
    OutOfOrderSequenceError,
    RemoteOffsetError,
    UsageError,
    whole_number,
)
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.columns.declared import layouts_of
from kformat.kafka.columns.tables import is_table
from kformat.kafka.files.file_kinds import (
    LOG_ID_FILE,
    MAX_TOPIC_CHARACTERS,
    FolderName,
    is_topic_name,
    parse_folder_name,
)
from kformat.kafka.files.text_files import PartitionMetadata, build_partition_metadata, parse_partition_metadata
from kformat.kafka.index.lookup import Answer
from kformat.kafka.log.fetched import Fetched, TimestampOffset, fetched_records
from kformat.kafka.producers.producer_state import NO_SEQUENCE, EndMarker, Origin, build_marker
from kformat.kafka.producers.transactions import READ_UNCOMMITTED, Aborted, is_committed_only
from kformat.storage.address import local_path
from kformat.times import Moment, milliseconds, time_text
from kformat_engine.batching import (
    Plain,
    Prepared,
    accepted,
    analyze_batches,
    described,
    give_back,
    given_records,
    listed,
    numbered,
    prepare_batches,
    prepare_records,
)
from kformat_engine.built_columns import BuiltColumns
from kformat_engine.cleaner import Cleaner, CleanerConfig, Cleaning, Compaction, LogToClean, log_to_clean
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import Coordinator, RootPlaces, state_partitions_in
from kformat_engine.errors import (
    BatchesTooLargeError,
    DamagedLogError,
    LogClosedError,
    LogError,
    OffsetOrderError,
    OffsetOutOfRangeError,
    RecordsDeletedError,
    RollError,
    SegmentInUseError,
    TieredLogError,
    WriterFailedError,
)
from kformat_engine.local_log import LocalLog
from kformat_engine.log_search import SegmentInfo
from kformat_engine.producer import (
    FIRST_ID,
    MAX_EPOCH,
    Producer,
    checked_sequence,
    next_sequence,
    producer_id_of,
    repeated_count,
)
from kformat_engine.recovery.opening import Approve, examine_folder, mode_of
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.sidecars import METADATA_FILE
from kformat_engine.recovery.table import Mode
from kformat_engine.retention import Breach, breaches
from kformat_engine.root import LOG_START_OFFSETS, Root, RootFiles, RootProblem, check_is_no_root, once_unlocked
from kformat_engine.scheduler import Bell, Scheduler, Task
from kformat_engine.storage import DISK, Clock, Storage, sync_and_close, wall_clock_ms
from kformat_engine.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, LogTransaction

DEFAULT_READ_BYTES: Final = 1 << 20
_READ_BYTES: Final = (1, 1 << 16, DEFAULT_READ_BYTES)
"""Of an iteration's first read, the second, and the others: who wants one record gets one batch."""

Given = (
    Record
    | Mapping[str, Any]
    | tuple[bytes | bytearray | memoryview | None, bytes | bytearray | memoryview | None]
    | bytes
    | bytearray
    | memoryview
)
"""A record to append: see `kformat_engine.batching.prepare_records`."""


def _named(path: str | Path) -> tuple[Path, FolderName]:
    """A partition's folder, and what its name says; UsageError where it is none's."""
    folder = local_path(path).absolute()
    name = parse_folder_name(folder.name)
    if name is None or name.state or folder.name != f"{name.topic}-{name.partition}":
        raise UsageError(
            f"{folder.name!r} is not a partition's folder: it is called <topic>-<partition>, for example orders-0"
        )
    if not is_topic_name(name.topic):
        raise UsageError(
            f"{name.topic!r} is not a valid topic name: use ASCII letters, digits, '.', '_' and '-', at most "
            f"{MAX_TOPIC_CHARACTERS}, and neither '.' nor '..'"
        )
    return folder, name


def _unreadable(problem: RootProblem) -> DamagedLogError:
    message = "a checkpoint of the root cannot be read; move it away, or recover in another mode, to go on without it"
    if problem.path.name == LOG_START_OFFSETS:
        message += "; then a tiered log is taken to start with its first segment here"
    return DamagedLogError(f"{message} ({problem.message})", source=str(problem.path))


def _check_epoch(epoch: int, latest: int) -> None:
    whole_number(epoch, "leader epoch")
    if epoch < latest:
        raise UsageError(f"leader epochs do not go back: {epoch} after {latest}")
    if epoch > MAX_INT32:
        raise UsageError(f"leader epoch {epoch} is above {MAX_INT32}")


class _Reading:
    """A call that reads, under the log's lock. LogClosedError, LogDirOfflineError."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def __enter__(self) -> None:
        self.log._check_open()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.log.root.note_failure(error)


class _Writing:
    """A call that changes the log, under its lock: what goes wrong after a change began makes the log fail."""

    def __init__(self, log: Log, *, is_told: bool = True, is_checked: bool = False) -> None:
        self.log, self.is_told, self.is_checked = log, is_told, is_checked

    def __enter__(self) -> None:
        if not self.is_checked:
            self.log._check_open()
            self.log._check_writable()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        log = self.log
        if error is None:
            log._local.is_changing = False
            return
        refused = isinstance(error, UsageError | RollError | SegmentInUseError | TieredLogError)
        if log._local.is_changing or not refused:  # an interrupt, too: what it left behind is not known
            log._fail(error)
            log._is_failure_told = self.is_told


class Log:
    """An open log; see `open`. Use it as a context manager, or call `close`.

    Attributes:
        path: the partition's folder. topic, partition: what its name says.
        config: the effective `LogConfig`: the caller's, with a smaller ``segment_index_bytes`` where
            the untrimmed indexes of a killed broker show one.
        report: what opening it found and did (`kformat_engine.recovery.report.DumpReport`).
    """

    def __init__(
        self,
        path: Path,
        config: LogConfig,
        root: Root,
        *,
        clock: Clock,
        storage: Storage,
        scheduler: Scheduler,
        chance: random.Random,
    ) -> None:
        self._local = LocalLog(
            path,
            config,
            root,
            clock=clock,
            storage=storage,
            chance=chance,
            later=self._later,
            on_roll=lambda offset: scheduler.schedule("flush-log", lambda: self._flush_to(offset), 0),
        )
        self.path, self.topic, self.partition = path, self._local.topic, self._local.partition
        self.config, self.root = config, root
        self._clock, self._storage, self._scheduler = clock, storage, scheduler
        self._process_id = os.getpid()
        self._lock = threading.RLock()
        self._bells: list[Bell] = []
        self._producers: dict[int, Producer] = {}
        self._coordinated_by: Coordinator | None = None
        self._failure: BaseException | None = None
        self._is_failure_told = False
        self._is_closed = self._is_released = False
        self._flush_task: Task | None = None
        self.report: RecoveryReport

    @classmethod
    def open(
        cls,
        path: str | Path,
        config: LogConfig | None = None,
        *,
        root: Root | None = None,
        lock_timeout_s: float = 0.0,
        mode: Literal["strict", "salvage", "kafka"] = "strict",
        place_unanchored: bool = False,
        create: bool = True,
        topic_id: str | None = None,
        leader_epoch: int | None = None,
        verify: bool = False,
        approve: Approve | None = None,
        clock: Clock = wall_clock_ms,
        storage: Storage = DISK,
        scheduler: Scheduler | None = None,
        chance: random.Random | None = None,
    ) -> Log:
        """Open a partition's folder for writing, recovering what has to be.

        Args:
            path: ``<root>/<topic>-<partition>``; made where it is not there, unless ``create`` is False.
            root: the opened folder above; by default this log opens it, or shares it with other logs of this process.
            lock_timeout_s: for how long to wait, seconds, while somebody else holds the root; ``math.inf`` waits for
                ever.
            mode: what recovery does about damage, see `kformat_engine.recovery.table`.
            place_unanchored: in mode ``salvage`` also save batches that may be values of records, as `kformat.salvage`
                does; ``report.unanchored_batches`` says how many were not saved for that.
            topic_id: 22 characters as Kafka prints it, for `partition.metadata`; a file that is there has to agree.
            leader_epoch: stamped on what is appended, from the latest in `leader-epoch-checkpoint` on, which is the
                default, or 0.
            verify: after a clean shutdown, too, look at the indexes of every segment now, as `examine` does; by default
                those of a sealed segment are looked at, and rebuilt where they are unsound, when it is first used.
            approve: called with the report of what recovery is going to do, before anything is changed; a
                DamagedLogError that it raises leaves everything as it is.
            clock, storage, scheduler, chance: time in ms, the disk, background work and random numbers (jitter), for
                tests.

        Raises:
            UsageError: the path is no partition's, or a link to one, or a directory of logs, or that of a topic that
                Kafka would not make; the topic id is another one, or the leader epoch an earlier one;
                ``place_unanchored`` in another mode than ``salvage``.
            RootLockedError: a broker, another process, or another owner in this one holds the root; the log is open;
                at once, or when ``lock_timeout_s`` have passed.
            DamagedLogError: damage that recovery does not guess around, in the folder or in the root's checkpoints.
                (Without ``verify`` also from the call that first uses a damaged segment.)
            SegmentInUseError: this process still holds bytes that recovery would cut, see `read`.
            FileNotFoundError: there is no such folder and ``create`` is False.
            OSError.
        """
        folder, _ = _named(path)
        if not create and not folder.is_dir():
            raise FileNotFoundError(2, "No such log", str(folder))
        if config is not None and not isinstance(config, LogConfig):
            raise UsageError(f"a LogConfig is needed, not {type(config).__name__}; see LogConfig.from_properties")
        if leader_epoch is not None:
            _check_epoch(leader_epoch, -1)
        if root is not None and not isinstance(root, Root):
            raise UsageError(f"root takes a Root, as Root.open gives it, not {type(root).__name__}")

        check_is_no_root(folder)
        opened: list[Log] = []

        def attempt() -> Log:
            return cls._open(
                *(folder, config, root, opened),
                mode=mode,
                place_unanchored=place_unanchored,
                topic_id=topic_id,
                leader_epoch=leader_epoch,
                verify=verify,
                approve=approve,
                clock=clock,
                storage=storage,
                scheduler=scheduler,
                chance=chance,
            )

        try:
            return once_unlocked(attempt, lock_timeout_s)
        except BaseException:  # an interrupt may come when the log is open, before anybody has it
            for log in opened:
                log._abandon()
            raise

    def _abandon(self) -> None:
        """Let go of everything, of a log that nobody gets."""
        if self._coordinated_by is not None:
            with contextlib.suppress(KformatError, OSError):
                self._leave_coordinator()
        self._local.release()
        self.root.unregister(self, failed=True)

    @classmethod
    def _open(
        cls,
        folder: Path,
        config: LogConfig | None,
        root: Root | None,
        opened: list[Log],
        *,
        mode: str,
        place_unanchored: bool,
        topic_id: str | None,
        leader_epoch: int | None,
        verify: bool,
        approve: Approve | None,
        clock: Clock,
        storage: Storage,
        scheduler: Scheduler | None,
        chance: random.Random | None,
    ) -> Log:
        """One attempt of `open`; the log is put into ``opened`` as soon as it is."""
        holder = object() if root is None else None
        log: Log | None = None
        try:
            root = Root.shared(folder.parent, storage=storage, holder=holder) if root is None else root
            log = cls(
                folder,
                config or LogConfig(),
                root,
                clock=clock,
                storage=storage,
                scheduler=scheduler or root.scheduler,
                chance=chance or random.Random(),
            )
            try:
                root.register(log)
                if mode_of(mode) is Mode.STRICT:
                    for problem in root.unreadable:
                        raise _unreadable(problem)
                root.claim(log)
                log._load(mode, place_unanchored, topic_id, leader_epoch, verify, approve)
                root.claim(log)  # of a folder that was made
            except (UsageError, DamagedLogError, SegmentInUseError):  # refused before anything was changed
                root.unregister(log, untouched=True)
                raise
            root.release(holder)  # the log keeps it open from `register` on
            log._resume_transactions()
            opened.append(log)
            return log
        except BaseException:
            opened.clear()
            if log is not None:
                log._abandon()
            if holder is not None:
                Root.give_back(folder.parent, holder)
            raise

    @staticmethod
    def examine(
        path: str | Path,
        config: LogConfig | None = None,
        *,
        mode: Literal["strict", "salvage", "kafka"] = "strict",
        place_unanchored: bool = False,
        storage: Storage = DISK,
        files: RootFiles | None = None,
    ) -> RecoveryReport:
        """What `open` would find and do, by the same plan; nothing is changed, and no lock is taken.

        With a live writer the result is a snapshot, and may report a batch that is being written as damage.
        ``files`` are those of the log's root, where they were read for another of its logs; by default they are read
        now.

        Raises:
            UsageError: as `open`.
            DamagedLogError: a checkpoint of the root cannot be read, and the mode is strict.
            FileNotFoundError: there is no such folder.
            OSError.
        """
        folder, name = _named(path)
        if not folder.is_dir():
            raise FileNotFoundError(2, "No such log", str(folder))
        files = files or RootFiles(folder.parent, storage)
        if mode_of(mode) is Mode.STRICT:
            for problem in files.unreadable:
                raise _unreadable(problem)
        said = files.said(name.topic, name.partition)
        return examine_folder(
            folder, config or LogConfig(), mode=mode, place_unanchored=place_unanchored, **said._asdict()
        )

    def _load(
        self,
        mode: str,
        place_unanchored: bool,
        topic_id: str | None,
        leader_epoch: int | None,
        verify: bool,
        approve: Approve | None,
    ) -> None:
        metadata = None if topic_id is None else self._check_topic_id(topic_id)

        def go(report: RecoveryReport) -> None:
            if approve is not None:
                approve(report)
            if mode_of(mode) is not Mode.STRICT:  # a refusal leaves the root's files as they are, too
                self.root.set_unreadable_aside()

        is_new = not (self.path.is_dir() and any(one.suffix == ".log" for one in self.path.iterdir()))
        self.report = self._local.load(mode, go, place_unanchored=place_unanchored, is_lazy=not verify)
        self.config = self._local.config
        if metadata is not None and not (self.path / METADATA_FILE).exists():
            self._storage.write_atomically(self.path / METADATA_FILE, metadata)
        if is_new and not any((self.path / name).exists() for name in (METADATA_FILE, LOG_ID_FILE)):
            self._storage.write_atomically(self.path / LOG_ID_FILE, uuid.uuid4().hex.encode() + b"\n")
        if leader_epoch is not None:
            try:
                _check_epoch(leader_epoch, self._local.epochs.latest_epoch)
            except UsageError:
                self.close()
                raise
            self._local.leader_epoch = leader_epoch

    def _check_topic_id(self, topic_id: str) -> bytes:
        """What `partition.metadata` has to hold; UsageError where it holds another id."""
        try:
            data = build_partition_metadata(PartitionMetadata(version=0, topic_id=topic_id))
        except BuildError as error:
            raise UsageError(f"topic_id takes 22 characters as Kafka prints it, not {topic_id!r}: {error}") from None
        if self.topic_id not in (None, parse_partition_metadata(data).topic_id):
            raise UsageError(f"{self.path / METADATA_FILE} names the topic id {self.topic_id}, not {topic_id}")
        return data

    # State

    @property
    def start_offset(self) -> int:
        """The first offset that may be read here (localLogStartOffset)."""
        return self._local.offsets.start_offset

    @property
    def log_start_offset(self) -> int:
        """The log's first offset (logStartOffset); below `start_offset` where what lies between is in the remote
        storage of a broker, and cannot be read here."""
        return self._local.offsets.log_start_offset

    @property
    def topic_id(self) -> str | None:
        """The topic's id as Kafka prints it; None where `partition.metadata` is not there or cannot be read."""
        try:
            return parse_partition_metadata((self.path / METADATA_FILE).read_bytes()).topic_id
        except (FileNotFoundError, DataError):
            return None

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets (logEndOffset)."""
        return self._local.offsets.end_offset

    @property
    def last_stable_offset(self) -> int:
        """Up to which offset, exclusive, all transactions have ended: `end_offset`, or the first offset of the oldest
        open one (lastStableOffset)."""
        return self._local.last_stable_offset

    @property
    def recovery_point(self) -> int:
        """All below this offset is on disk, indexes included."""
        return self._local.offsets.recovery_point

    @property
    def synced_offset(self) -> int:
        """All records below this offset are on disk."""
        return self._local.offsets.synced_offset

    @property
    def leader_epoch(self) -> int:
        """What appended batches are stamped with; may be set to a later one."""
        return self._local.leader_epoch

    @leader_epoch.setter
    def leader_epoch(self, epoch: int) -> None:
        _check_epoch(epoch, self._local.leader_epoch)
        self._local.leader_epoch = epoch

    @property
    def leader_epochs(self) -> tuple[tuple[int, int], ...]:
        """(epoch, its first offset), ascending."""
        return tuple((entry.epoch, entry.start_offset) for entry in self._local.epochs.entries)

    @property
    def size_bytes(self) -> int:
        """All segments' `.log`s, bytes."""
        return sum(segment.size for segment in self._local.segments)

    @property
    def segment_count(self) -> int:
        """How many segments there are, without looking at any."""
        return len(self._local.segments)

    @property
    def has_failed(self) -> bool:
        """Whether a change went wrong; nothing is written any more then."""
        return self._failure is not None

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def segments(self) -> tuple[SegmentInfo, ...]:
        """The segments in the order of their base offsets."""
        with self._taken(), self._reading():
            return self._local.search.infos()

    def __repr__(self) -> str:
        return f"<Log {self.path} offsets {self._local.offsets.start_offset} to {self._local.offsets.end_offset}>"

    def __enter__(self) -> Self:
        with self._taken(), self._reading():
            return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_process(self) -> None:
        """RootLockedError in a forked child, before it waits for a lock that a thread of its parent held then."""
        if os.getpid() != self._process_id:
            self.root.check_held()

    def _taken(self) -> AbstractContextManager[bool]:
        """The lock, for `with`, which has to be the one that enters it: see `kformat_engine.scheduler`."""
        self._check_process()
        return self._lock

    def _reading(self) -> _Reading:
        """Under the lock: for readers."""
        return _Reading(self)

    def _writing(self) -> _Writing:
        """Under the lock: for writers."""
        return _Writing(self)

    def _in_background(self) -> _Writing:
        """As `_writing`, for what nobody waits for: the next call reports an error, be it `close`."""
        return _Writing(self, is_told=False)

    def _later(self, name: str, work: Callable[[], None], delay_ms: int) -> Task:
        """Have a change made in the background, unless the log is closed or has failed by then."""

        def due() -> None:
            with self._lock:
                if not self._is_closed and self._failure is None:
                    with self._in_background():
                        work()

        return self._scheduler.schedule(name, due, delay_ms)

    def _check_open(self) -> None:
        if self._is_closed:
            raise LogClosedError(f"{self.path} was closed")
        self.root.check_online()

    def _notice_interrupt(self) -> None:
        """Fail where a change did not come to its end, because what should have said so was interrupted, too."""
        if self._local.is_changing and self._failure is None:
            self._fail(LogError("it was interrupted"))
            self._is_failure_told = True

    def _check_writable(self) -> None:
        self._notice_interrupt()
        if self._failure is not None:
            self._is_failure_told = True
            raise WriterFailedError(
                f"{self.path}: an earlier change failed ({self._failure!r}); open the log again"
            ) from self._failure
        self.root.check_held()

    def _fail(self, error: BaseException) -> None:
        if self._failure is None:
            self._failure = error
        self.root.note_failure(error)
        self._wake()

    # Appending

    def append(
        self,
        records: Iterable[Given] | Table,
        *,
        compression: str | None = None,
        value_as: Any = None,
        key_as: Any = None,
    ) -> int:
        """Append records, in batches of up to 16 KB; the offset of the first of them.

        Args:
            records: each a `kformat.Record`, a mapping with any of ``key``, ``value``, ``headers``, ``timestamp``, a
                pair of key and value, or a value alone; offsets are assigned here. Without a timestamp it is now.
                Or anything that speaks Arrow, a table or a stream, with such columns, as `kformat.build_batches` takes
                it: all of it is read before any of it is appended.
            compression: ``none``, ``gzip``, ``snappy``, ``lz4`` or ``zstd``; by default the configuration's
                `compression.type`, and none where that leaves it to the producer.
            value_as, key_as: layouts, as for `kformat.open(...).to_arrow`: values, or keys, are what `kformat.build`
                takes for that format (what JSON can hold for ``json``), and their bytes are built. In a table they are
                structures, columns ``value.price``, or bytes in ``value_raw``, as `to_arrow` gives them.

        Raises:
            RecordTooLargeError, BatchesTooLargeError, InvalidRecordError: nothing was appended.
            BuildError: a value or key cannot be built; its path begins with the row in a table. Nothing was appended.
            UsageError: a table without values, or with a column of another type; in ``__transaction_state``, where the
                coordinator alone appends (as a broker refuses producers there, ReplicaManager.appendToLocalLog);
                nothing was appended.
            MissingDependencyError: there is no pyarrow to take a table with.
            WriterFailedError, LogClosedError, RootLockedError: nothing was appended.
            OSError: the disk failed; the log has to be opened again.
        """
        self._check_producible()
        if value_as is not None or key_as is not None:
            layouts = layouts_of(value_as), layouts_of(key_as, "key_as")
            columns = BuiltColumns(*(None if one is None else one.of(self.topic) for one in layouts))
            records = columns.table(records) if is_table(records) else map(columns.record, listed(records))
        return self.append_as_coordinator(records, compression=compression)

    def append_as_coordinator(self, records: Iterable[Given] | Table, *, compression: str | None = None) -> int:
        """As `append`, for the coordinator: it writes to ``__transaction_state``, too."""
        given = given_records(records)  # before the lock: what makes them may fail, and may itself append to this log
        with self._taken(), self._reading():
            self._check_writable()
            end, epoch = self._local.offsets.end_offset, self._local.leader_epoch
            prepared = prepare_records(given, end, epoch, self.config, self._clock(), compression=compression)
            return self._append(prepared)

    def _check_producible(self) -> None:
        """UsageError in the coordinator's own topic."""
        if self.topic == TRANSACTION_STATE_TOPIC:
            raise UsageError(f"{self.topic} is the coordinator's own topic: it alone appends there")

    def append_batches(self, data: Any, *, assign_offsets: bool = True, validate: bool = True) -> int:
        """Append ready-made batches; the offset of the first of them.

        Args:
            data: batches one after the other, as stored or as a producer sends them; never changed.
            assign_offsets: as a leader does: offsets and leader epoch are written into a copy (no checksum changes),
                and the batches are checked as those of a client are. False: as a follower, offsets stay as they are
                and may leave gaps, control batches are let through; they have to lie at or above the log's end.
            validate: False trusts a leader's batches: only their framing is looked at, and the epochs of producers and
                of their coordinators; control batches are let through.

        Of batches with a producer id a leader checks epoch and sequence. One that repeats one of its producer's last
        five is not written again; if the first does, the offset is that of the earlier batch. A follower takes what a
        leader has checked. What ends an aborted transaction is noted in the segment's `.txnindex`.

        Raises as `append`; OutOfOrderSequenceError, InvalidProducerEpochError, TransactionCoordinatorFencedError and
        InvalidTransactionStateError where a producer's state refuses it: nothing was appended; CorruptBatchError for
        bytes that are no sound batch, OffsetOrderError for a follower's offsets below the log's end or not growing. A
        partial batch at the end is left out. UsageError in ``__transaction_state`` for what neither a follower nor
        ``validate=False`` appends.
        """
        if assign_offsets and validate:
            self._check_producible()
        with self._taken(), self._reading():
            self._check_writable()
            end, epoch = self._local.offsets.end_offset, self._local.leader_epoch
            origin: Origin = "replication"
            if assign_offsets:
                prepared = prepare_batches(data, end, epoch, self.config, self._clock(), validate=validate)
                origin = "client" if validate else "coordinator"
            else:
                followed = analyze_batches(data, self.config)
                prepared = [followed] if followed.batches else []
                first = followed.batches[0].base_offset if followed.batches else end
                if first < end:
                    raise OffsetOrderError(f"the first offset {first} is below the log end offset {end}")
            kept, first_offset = accepted(prepared, self._local.producers.state, origin)
            self._append(kept)
            give_back(prepared)
            return end if first_offset is None else first_offset

    def producer(self, name: str) -> Producer:
        """A producer whose appends are numbered: one that is repeated, also after a restart, is stored once.

        It goes on where the producer of that name was; the object that was opened with the same name before, if any,
        is refused from then on. See `kformat_engine.producer`.

        A UserWarning says so where the timestamp of the producer's last record is `producer.id.expiration.ms` or more
        ago: it is forgotten when the log is opened, and what is repeated then is stored again.

        Raises UsageError for what is no name, and in ``__transaction_state``; WriterFailedError, LogClosedError,
        RootLockedError.
        """
        self._check_producible()
        producer_id = producer_id_of(name)
        with self._taken(), self._reading():
            self._check_writable()
            entry = self._local.producers.state.entries.get(producer_id)
            older = self._producers.get(producer_id)
            epoch = 0 if entry is None else max(entry.producer_epoch, 0)
            if older is not None:
                epoch = min(max(epoch, older.producer_epoch) + 1, MAX_EPOCH)
            found = self._producers[producer_id] = Producer(self, name, producer_id, epoch)
            producers = self._local.producers
            producers.kept.add(producer_id)
        self._warn_of_expiry(found)
        return found

    def _warn_of_expiry(self, producer: Producer) -> None:
        """Warn once where a producer was, or will be, forgotten because of its timestamps; called by a public call."""
        with self._taken(), self._reading():
            producers = self._local.producers
            entry, when = producers.state.entries.get(producer.producer_id), "was forgotten when the log was opened"
            timestamp = producers.forgotten.get(producer.producer_id)
            if entry is not None:
                is_old = producers.state.is_expired(entry, self._clock())
                timestamp, when = entry.last_timestamp if is_old else None, "is forgotten when the log is opened again"
        if timestamp is not None and not producer.is_warned:
            producer.is_warned = True
            expiration_ms = self.config.producer_id_expiration_ms
            warnings.warn(
                f"{self.path}: producer {producer.name!r} {when}: its last record's timestamp, {time_text(timestamp)}, "
                f"is producer.id.expiration.ms ({expiration_ms} ms) or more ago; what is repeated then is stored "
                "again. LogConfig(producer_id_expiration_ms=...) takes a longer time",
                stacklevel=3,
            )

    def _last_sequence(self, producer_id: int) -> int:
        with self._taken(), self._reading():
            entry = self._local.producers.state.entries.get(producer_id)
            return NO_SEQUENCE if entry is None else entry.last_sequence

    def _append_of(self, producer: Producer, records: Any, sequence: int | None, compression: str | None) -> int:
        """See `Producer.append`."""
        given = given_records(records)
        sequence = None if sequence is None else checked_sequence(sequence)
        with self._taken(), self._reading():
            self._check_writable()
            if self._producers.get(producer.producer_id) is not producer:
                raise InvalidProducerEpochError(
                    f"producer {producer.name!r} was opened again, so epoch {producer.producer_epoch} is too old"
                )
            local, count = self._local, len(given)
            if not count:
                return local.offsets.end_offset
            entry = local.producers.state.entries.get(producer.producer_id)
            first = next_sequence(entry) if sequence is None else sequence
            repeated = repeated_count(entry, first)
            if repeated < 0:
                raise OutOfOrderSequenceError(
                    f"producer {producer.name!r} begins with sequence {first}; {next_sequence(entry)} is expected"
                )
            earlier = local.offset_of_sequence(producer.producer_id, first) if repeated else None
            if repeated and earlier is None:
                raise OutOfOrderSequenceError(
                    f"sequence {first} of producer {producer.name!r} was acknowledged, and is not in the log any more"
                )
            if repeated < count:
                rest = given if not repeated else given.slice(repeated) if is_table(given) else given[repeated:]
                first = next_sequence(entry) if repeated else first
                end, epoch = local.offsets.end_offset, local.leader_epoch
                prepared = prepare_records(rest, end, epoch, self.config, self._clock(), compression=compression)
                offset = self._append(numbered(prepared, producer.producer_id, producer.producer_epoch, first))
                return offset if earlier is None else earlier
            assert earlier is not None
            return earlier

    # Transactions

    def transaction(self, transactional_id: str, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> LogTransaction:
        """Begin a transaction in this log: readers of committed data see all its records, or none.

        What is known of the id is kept in ``__transaction_state-<N>`` next to this log; the object that was begun with
        the same id before, in any log of the root, is refused from then on, and its transaction aborted. For several
        partitions: `LogManager.transaction`. See engine/README.md.

        Args:
            timeout_ms: `transaction.timeout.ms`, after which it is aborted.

        Raises UsageError for what is no id or no time, and in ``__transaction_state`` itself; WriterFailedError,
        LogClosedError, RootLockedError; what opening ``__transaction_state-<N>`` raises.
        """
        with self._taken(), self._reading():
            self._check_writable()
        place = self.topic, self.partition
        self._check_producible()
        return cast(LogTransaction, self._coordinator().begin(transactional_id, timeout_ms, place=place))

    def _coordinator(self) -> Coordinator:
        """That of the root, which stays there until this log, and others that have asked for it, are closed."""

        def open_log(path: Path, config: LogConfig | None) -> Log:
            return Log.open(
                *(path, config),
                root=self.root,
                clock=self._clock,
                storage=self._storage,
                scheduler=self._scheduler,
            )

        coordinator = self.root.coordinator(
            lambda: Coordinator(RootPlaces(self.root, open_log, self._scheduler), self._clock)
        )
        coordinator.places.join(self)
        self._coordinated_by = coordinator
        return coordinator

    def _resume_transactions(self) -> None:
        """After opening: have what an engine began in this log, and nobody goes on with, ended.

        What cannot be read of `__transaction_state` leaves it open; `transaction` says why.
        """
        entries = self._local.producers.state.entries.items()
        is_open = any(one.current_txn_first_offset is not None and id >= FIRST_ID for id, one in entries)
        if is_open and not self.root.has_coordinator and state_partitions_in(self.path.parent):
            with contextlib.suppress(KformatError, OSError):
                self._coordinator().resume()

    def sync_records(self) -> None:
        """Return when all records have reached the disk; their indexes may be rebuilt after a crash."""
        with self._taken(), self._writing():
            self._local.sync_log()

    def producer_epoch(self, producer_id: int) -> int:
        """The latest epoch of a producer id that the log knows; -1 for none."""
        with self._lock:
            entry = self._local.producers.state.entries.get(producer_id)
            return -1 if entry is None else entry.producer_epoch

    def append_transactional(self, given: Any, producer_id: int, producer_epoch: int, compression: str | None) -> int:
        """Append records of a transaction, for the coordinator; InvalidProducerEpochError where it was fenced."""
        with self._taken(), self._reading():
            self._check_writable()
            local = self._local
            entry = local.producers.state.entries.get(producer_id)
            is_same = entry is not None and entry.producer_epoch == producer_epoch
            if entry is not None and entry.current_txn_first_offset is not None and not is_same:
                # A cut took its marker away, and the one of this transaction must not decide about it.
                self.end_transaction(EndMarker("abort", 0), producer_id, producer_epoch)
            first = next_sequence(entry) if is_same else 0
            end, epoch = local.offsets.end_offset, local.leader_epoch
            prepared = prepare_records(given, end, epoch, self.config, self._clock(), compression=compression)
            ours = numbered(prepared, producer_id, producer_epoch, first, is_transactional=True)
            return self._append(accepted(ours, local.producers.state, "coordinator")[0])

    def end_transaction(
        self, marker: EndMarker, producer_id: int, producer_epoch: int, *, if_open: bool = False
    ) -> None:
        """Write the marker of a transaction, and bring it to the disk, for the coordinator; with ``if_open`` only where
        a transaction of the producer is open. A coordinator that wrote here in a later epoch does not hinder it."""
        with self._taken(), self._reading():
            self._check_writable()
            local, now_ms = self._local, self._clock()
            entry = local.producers.state.entries.get(producer_id)
            if entry is not None:
                if if_open and entry.current_txn_first_offset is None:
                    return
                later = max(marker.coordinator_epoch, entry.coordinator_epoch)
                marker = marker._replace(coordinator_epoch=later)
            elif if_open:
                return
            is_stamped = self.config.message_timestamp_type == "LogAppendTime"
            data = build_marker(marker, producer_id, producer_epoch, now_ms, is_log_append_time=is_stamped)
            end, epoch = local.offsets.end_offset, local.leader_epoch
            prepared = prepare_batches(data, end, epoch, self.config, now_ms, validate=False)
            self._append(accepted(prepared, local.producers.state, "coordinator")[0])
            with self._writing():
                local.sync_log()

    def _append(self, prepared: Sequence[Prepared]) -> int:
        """Write what is ready; what was done before, to make it ready, has changed nothing, however it ended."""
        segment_bytes = self.config.segment_bytes
        for one in () if isinstance(prepared, Plain) and prepared.fit(segment_bytes) else prepared:
            if len(one.data) > segment_bytes:
                raise BatchesTooLargeError(
                    f"an append of {len(one.data)} bytes does not fit segment.bytes, {segment_bytes}"
                )
            first, last = one.batches[0].base_offset, one.batches[-1].last_offset
            if last - first > MAX_INT32:
                raise BatchesTooLargeError(
                    f"an append of the offsets {first} to {last} does not fit a segment, which has room for 2^31"
                )
        if not prepared:
            return self._local.offsets.end_offset
        with _Writing(self, is_checked=True):  # by the caller
            self._local.append(prepared)
            self._acknowledge()
        return described(prepared)[0].base_offset

    def _acknowledge(self) -> None:
        """Sync what the policy asks for, and wake those who wait for records."""
        local, offsets, policy = self._local, self._local.offsets, self.config.sync_policy
        if policy == "batch":
            local.sync_log()
        elif offsets.end_offset - offsets.synced_offset >= self.config.flush_messages:
            local.flush()
        elif policy == "interval" and self._flush_task is None and offsets.synced_offset < offsets.end_offset:
            self._flush_task = self._scheduler.schedule("flush", self._flush_when_due, self.config.flush_ms)
        self._wake()

    def _flush_when_due(self) -> None:
        with self._lock:
            self._flush_task = None
            if not self._is_closed and self._failure is None:
                with self._in_background():
                    self._local.flush()

    # Durability

    def flush(self) -> None:
        """Return when all that was appended, its indexes and the names of its files have reached the disk."""
        with self._taken(), self._writing():
            self._local.flush()
            self._local.checkpoint()

    def _flush_to(self, offset: int) -> None:
        """Bring what lies below ``offset`` to the disk without holding the lock all the while (after a roll)."""
        with self._lock:
            cut_count, segments = self._local.cut_count, self._local.unsynced(self._local.offsets.recovery_point)

        def is_due() -> bool:
            # What was cut since may have been appended again, and is not what was synced here.
            is_well = not self._is_closed and self._failure is None and self._local.cut_count == cut_count
            return is_well and self._local.offsets.recovery_point < offset <= self._local.offsets.end_offset

        for segment in segments:
            with self._lock:
                if not is_due():
                    return
                files = segment.duplicates() if segment.base_offset < offset else []
            try:
                sync_and_close(files)
            except BaseException as error:
                with self._lock:
                    self._fail(error)
                raise
        with self._lock:
            if is_due():
                with self._in_background():
                    self._local.producers.sync()
                    self._local.sync_names()
                    self._local.offsets.recovery_point = offset
                    self._local.checkpoint()

    def note_offsets(self) -> None:
        """Tell the root how far this log is on disk, and where it starts; `Root.checkpoint` writes that."""
        with self._taken(), self._reading():
            if self._failure is None and not self._local.is_changing:
                self._local.note_offsets()

    def files_to_copy(self) -> tuple[dict[str, int | None], int]:
        """The files of all segments, and how many cuts and compactions there were: as long as that is the same, what
        was copied of a `.log` is right. name -> how many bytes of it are written to stay; None: all, until the segment
        changes.
        """
        with self._lock:
            return self._local.files_to_copy(), self._local.cut_count + self._local.swap_count

    # Rolling

    def roll(self) -> int:
        """Begin a new segment now, whatever the configuration says; its base offset."""
        with self._taken(), self._writing():
            return self._local.roll(None, None).base_offset

    # Reading

    def read(
        self,
        offset: int,
        max_bytes: int = DEFAULT_READ_BYTES,
        *,
        min_one_batch: bool = True,
        copy: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Fetched:
        """Stored batches from the one that holds ``offset`` on, at most ``max_bytes``, of one segment.

        Args:
            isolation_level: with ``read_committed`` nothing from `last_stable_offset` on, and the result says which
                aborted transactions have records in it.
            min_one_batch: give the first batch whole, even where it is larger; else it may be cut.
            copy: give bytes; by default those of a sealed segment are a view of its file.

        Raises:
            OffsetOutOfRangeError: below `log_start_offset` or above `end_offset`, at which nothing is read.
            RemoteOffsetError: from `log_start_offset` to `start_offset`, exclusive.
        """
        offset, max_bytes = whole_number(offset, "offset"), whole_number(max_bytes, "max_bytes")
        is_committed = is_committed_only(isolation_level)
        local = self._local
        with self._taken(), self._reading():
            if not local.offsets.start_offset <= offset <= local.offsets.end_offset:
                raise self._out_of_range(offset)
            end = local.last_stable_offset if is_committed else local.offsets.end_offset
            return local.search.read(
                *(offset, end, max_bytes), min_one_batch=min_one_batch, copy=copy, with_aborted=is_committed
            )

    def batches(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Iterator[AnyBatch]:
        """The batches from the one that holds ``start_offset`` (default: the first) on, one at a time.

        Args:
            isolation_level: ``read_committed`` leaves out the batches of aborted transactions, and everything from
                `last_stable_offset` on, until it moves.
            end_offset: batches that begin at or above it are left out; by default the end when the iteration begins.
            follow: go on with what is appended later, until the log is closed.
            timeout_s: with ``follow``: end when nothing came for so long.

        Raises:
            OffsetOutOfRangeError: at first, or when a truncation cut off what was read.
            RecordsDeletedError: retention, or `delete_records_before`, overtook the iteration.
            DataError: a batch cannot be read.
        """
        for fetched, end in self._fetched(start_offset, end_offset, follow, timeout_s, isolation_level):
            aborted = Aborted.of(fetched.aborted_transactions or ())
            for batch in fetched.batches():
                if end is not None and batch.base_offset >= end:
                    return
                if not aborted.has(batch):
                    yield batch

    def _fetched(
        self,
        start_offset: int | None,
        end_offset: int | None,
        follow: bool,
        timeout_s: float | None,
        isolation_level: str,
    ) -> Iterator[tuple[Fetched, int | None]]:
        """What one read after the other gives, never nothing, and the end: see `batches`, which has the arguments."""
        offset = self.start_offset if start_offset is None else whole_number(start_offset, "offset")
        if end_offset is not None:
            end_offset = whole_number(end_offset, "end offset")
        elif not follow:
            end_offset = self.end_offset
            if offset > end_offset:  # of committed data there may be less: reading ends there
                raise OffsetOutOfRangeError(offset, self.start_offset, end_offset)
        read_count = 0
        while end_offset is None or offset < end_offset:
            try:
                fetched = self.read(offset, _READ_BYTES[min(read_count, 2)], copy=True, isolation_level=isolation_level)
                read_count += 1
            except OffsetOutOfRangeError as error:
                if not read_count or offset >= error.start_offset:
                    raise
                raise RecordsDeletedError(offset, error.start_offset, source=str(self.path)) from None
            except LogClosedError:
                if follow:
                    return
                raise
            if len(fetched):
                yield fetched, end_offset
                offset = fetched.end[1]
            elif not follow or not self._wait(offset, timeout_s, is_committed_only(isolation_level)):
                return

    def _out_of_range(self, offset: int) -> OffsetOutOfRangeError | RemoteOffsetError:
        offsets = self._local.offsets
        if offsets.log_start_offset <= offset < offsets.start_offset:
            return RemoteOffsetError(offset, offsets.log_start_offset, offsets.start_offset, source=str(self.path))
        return OffsetOutOfRangeError(offset, offsets.log_start_offset, offsets.end_offset)

    def _wait(self, offset: int, timeout_s: float | None, is_committed: bool) -> bool:
        """Whether the log, or what is stable of it, came to end elsewhere than at ``offset`` in time."""
        end_s = None if timeout_s is None else time.monotonic() + timeout_s
        bell = Bell()
        try:
            self._bells.append(bell)
            while True:
                with self._lock:
                    local = self._local
                    # An iteration that begins above what is stable waits for that; a cut wakes it in any case.
                    is_more = local.last_stable_offset > offset if is_committed else local.offsets.end_offset != offset
                    if is_more or local.offsets.end_offset < offset or self._is_closed:
                        return not self._is_closed
                left_s = None if end_s is None else end_s - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return False
                bell.wait(left_s)
        finally:
            self._bells.remove(bell)

    def _wake(self) -> None:
        for bell in list(self._bells):
            bell.ring()

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Iterator[Record]:
        """The records from ``start_offset`` on, below ``end_offset``; the arguments are those of `batches`.

        Control records are left out unless asked for.
        """
        is_committed_only(isolation_level)
        fetches = (
            fetched for fetched, _ in self._fetched(start_offset, end_offset, follow, timeout_s, isolation_level)
        )
        return fetched_records(fetches, end_offset, include_control=include_control)

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    # Lookup by timestamp

    @overload
    def offset_for_timestamp(self, timestamp: Moment) -> TimestampOffset | None: ...
    @overload
    def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[False]) -> TimestampOffset | None: ...
    @overload
    def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[True]) -> Answer: ...

    def offset_for_timestamp(self, timestamp: Moment, *, explain: bool = False) -> TimestampOffset | Answer | None:
        """The first record, in log order, that is not older; None where there is none (fetchOffsetByTimestamp).

        Args:
            timestamp: ms since 1970, ISO 8601 (UTC where it names no zone), or a datetime with a time zone; or -1 for
                the log's end, -2 for its start, -4 for its first offset here, -3 for the record with the largest
                timestamp that is here, -5 for the end of what was tiered.
            explain: give a `kformat.kafka.index.lookup.Answer` with the steps instead.

        Of a tiered log the local part is searched, which the answer for a time says (``may_be_remote``).

        Raises:
            UsageError: other numbers below 0; what is no time; -5 where offsets of the log are remote.
            RemoteOffsetError: no record here is from the time on, but a remote one may be.
        """
        timestamp_ms = milliseconds(timestamp)
        with self._taken(), self._reading():
            return self._local.search.offset_for_timestamp(timestamp_ms, explain)

    # Retention and truncation

    def retain(self) -> list[tuple[int, Breach]]:
        """Delete the segments that retention lets go; their base offsets, each with the rule.

        Start offset first, then size, then time; see `kformat_engine.retention`. Where all segments go, a new, empty
        one is begun at the log's end.

        TieredLogError where the log's first segments are in the remote storage: the oldest go first, and of those only
        a broker knows the size and age.
        """
        gone = []
        with self._taken(), self._writing():
            if self._local.offsets.is_tiered:
                raise TieredLogError(f"{self.path}: {self._local.offsets.remote()}; a broker has to do their retention")
            # Each rule may let segments go that the one before kept.
            for _ in Breach:
                breach, found = breaches(
                    list(self._local.segments),
                    self.config,
                    now_ms=self._clock(),
                    log_start_offset=self._local.offsets.start_offset,
                    end_offset=self._local.offsets.end_offset,
                )
                if not found:
                    break
                gone += [(segment.base_offset, breach) for segment in found]
                self._local.delete_segments(found)
        return gone

    def delete_records_before(self, offset: int) -> int:
        """Move the log's start up to ``offset`` (-1: the end) and delete the segments below; the new start of the log.

        Kafka's DeleteRecords. An offset below the start changes nothing. What is remote below it, a broker deletes.

        Raises OffsetOutOfRangeError for one above the log's end.
        """
        offset = whole_number(offset, "offset")
        with self._taken(), self._writing():
            offset = self._local.offsets.end_offset if offset == -1 else offset
            if not 0 <= offset <= self._local.offsets.end_offset:
                raise self._out_of_range(offset)
            if offset > self._local.offsets.log_start_offset:
                self._local.delete_before(offset)
            return self._local.offsets.log_start_offset

    def truncate_to(self, offset: int) -> bool:
        """Cut the log so that ``offset`` is the next one; whether anything was cut.

        The whole batch that holds it goes: records in it before ``offset`` go, too, and a gap remains in their place.

        Raises:
            UsageError: a negative offset.
            TieredLogError: one before the last segment of a log whose first segments are, or were since it was opened,
                remote: what would be cut may be in the remote storage, too, and would stay there.
            SegmentInUseError: somebody holds bytes that would be cut, see `read`; nothing was cut.
            DataError: what lies before the offset is damaged; nothing was cut, and the log has to be opened again.
        """
        offset = whole_number(offset, "offset")
        with self._taken(), self._writing():
            if offset < 0:
                raise UsageError(f"cannot truncate to offset {offset}; it cannot be below 0")
            if offset >= self._local.offsets.end_offset:
                return False
            self._local.truncate_to(offset)
            self._wake()  # callers that wait for more after it have to know
            return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Delete all segments and begin again at ``offset`` (truncateFullyAndStartAt). Raises as `truncate_to`."""
        offset = whole_number(offset, "offset")
        with self._taken(), self._writing():
            if not 0 <= offset <= MAX_INT64:
                raise UsageError(f"cannot start at offset {offset}; it is from 0 to {MAX_INT64}")
            self._local.truncate_fully_and_start_at(offset)
            self._wake()

    # Compaction

    def to_clean(self, *, reset: bool = False) -> LogToClean:
        """What a compaction would go over now, and whether it is due. Raises as `segments`.

        With ``reset`` a checkpoint of the cleaner that is not in the log is set to the log's start; otherwise nothing
        is changed.
        """
        with self._taken(), self._reading():
            checkpoint = self.root.cleaner_offset(self.topic, self.partition)
            found = log_to_clean(self._local, checkpoint, self._clock())
            if reset and found.is_reset:
                self._check_writable()
                self._local.set_cleaner_offset(found.first_dirty_offset)
            return found

    @property
    def is_being_compacted(self) -> bool:
        """Whether a compaction is going on, in some thread."""
        cleaning = self._local.cleaning
        return cleaning is not None and cleaning.thread.is_alive()

    def compact(
        self, *, force: bool = False, dry_run: bool = False, cleaner: Cleaner | CleanerConfig | None = None
    ) -> Compaction | None:
        """Compact the log as a broker's cleaner does, if that is due; None where it is not, or nothing is to be done.

        Of each key the last record stays; see `kformat_engine.compaction`, and `kformat_engine.cleaner` for what is
        due. The active segment is never compacted (`roll` begins a new one); `to_clean` says how much there is. Appends
        and reads go on meanwhile.

        Args:
            force: do not wait until there is enough to do. What is within `min.compaction.lag.ms`, not yet stable, or
                in the active segment stays out of it all the same.
            dry_run: only find out what would stay.
            cleaner: has the memory that is used, or says how much; by default one with a broker's settings.

        Raises:
            UsageError: `cleanup.policy` has no ``compact``, or the log is being compacted already.
            TieredLogError: a broker has copied segments to its remote storage.
            CompactionAbortedError: another thread cut the log, deleted from it or closed it meanwhile.
            DataError, DamagedLogError: the log is damaged; it was not changed from there on.
            WriterFailedError, LogClosedError, RootLockedError.
            OSError: the disk failed. If segments were being replaced then, the log has to be opened again.
        """
        if not self.config.is_compacted:
            raise UsageError(
                f"{self.path}: cleanup.policy is {','.join(self.config.cleanup_policy)!r}, without compact; open the "
                'log with LogConfig(cleanup_policy=("compact",))'
            )
        if not isinstance(cleaner, Cleaner):
            cleaner = Cleaner(cleaner)
        with self._taken(), self._reading():
            self._check_writable()
            if self._local.offsets.is_tiered:
                raise TieredLogError(f"{self.path}: {self._local.offsets.remote()}; what is remote cannot be compacted")
            going_on = self._local.cleaning
            if going_on is not None:
                if going_on.thread.is_alive() and going_on.thread is not threading.current_thread():
                    raise UsageError(f"{self.path} is being compacted already")
                self._local.abort_cleaning()  # an interrupt ended it, and what should have cleared up after it, too
            to_clean, now_ms = self.to_clean(reset=not dry_run), self._clock()
            if not to_clean.cleanable_bytes or not (force or to_clean.is_due(self.config)):
                return None
            cleaning = self._local.cleaning = Cleaning(
                *(self._local, to_clean, cleaner),
                now_ms=now_ms,
                lock=self._lock,
                reading=self._reading,
                writing=self._writing,
                is_dry_run=dry_run,
            )
        return cleaning.run()

    # Closing

    def close(self) -> None:
        """Bring everything to the disk, cut indexes to what they hold, checkpoint, let go of the root; twice is fine.

        A log that has failed is let go of as it is, and no marker of a clean shutdown is left. WriterFailedError where
        that has not been reported yet, because it failed in the background. Transactions that were begun in it and are
        open are aborted.
        """
        self._check_process()
        try:
            self._leave_coordinator()
        finally:
            self.close_to_move()

    def close_to_move(self) -> None:
        """As `close`, for a manager: the transactions that were begun in it go on in its new place."""
        try:
            with self._lock:
                self._notice_interrupt()
                if self._failure is None and self.root.failure is not None:
                    self._failure, self._is_failure_told = self.root.failure, True
                if not self._is_closed and (self._failure is None or not self._is_failure_told):
                    with self._writing():
                        self._local.finish()
        finally:  # an interrupt comes here, too; one that comes while this is done leaves the rest to another call
            with self._lock:
                self._let_go()
            self.root.end_background()

    def delete(self) -> None:
        """Close the log and remove its folder with all files in it, and what the root's checkpoints say of it.

        The last segment goes first: what a crash on the way leaves is a log that ends earlier.

        Raises UsageError for a folder that has folders in it, which are not the log's; nothing was removed.
        """
        self._check_process()
        self._leave_coordinator()
        with self._lock:
            with self._taken(), self._writing():
                self._local.delete()
            self._let_go()
        self.root.end_background()

    def _leave_coordinator(self) -> None:
        """Without the lock: see `kformat_engine.coordinator`."""
        if self._coordinated_by is not None:
            self._coordinated_by.leave(self)
            self._coordinated_by = None  # not before: who was interrupted on the way comes here again

    def _let_go(self) -> None:
        """Also what was interrupted while it did."""
        if self._is_released:
            return
        self._notice_interrupt()
        self._is_closed = True
        if self._flush_task is not None:
            self._flush_task.cancel()
        self._local.release()
        self._wake()
        self.root.unregister(self, failed=self._failure is not None)
        self._is_released = True

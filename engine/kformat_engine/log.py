"""A log: the segments of one partition folder, appended to by one writer, read by many.

Kafka's UnifiedLog for a log that is its own leader, without replicas: the high watermark is the log end offset. Its
parts, and closing: `log_internals`; the lock and failures: `log_guard`; opening: `log_loader`; appending and syncing:
`log_appender`, `named_producers`; reading: `log_fetcher`; the segments and what is on disk: `local_log`; compaction:
`cleaner`; transactions: `coordinator`.

Rules:

* One writer per root, ensured by the root's lock; inside the process, calls from several threads take turns.
* An append is checked completely before any of it is written. A refusal (UsageError) leaves the log unchanged.
* Any error while the log is being changed, even an interrupt, makes it fail: nothing more is written, not even by
  `close`, and no clean-shutdown marker is left, because the state on disk is unknown. Opening it again examines the
  disk. `close` releases the root in any case.
* An acknowledged append is in the operating system's page cache at once, and on disk according to the sync policy.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, Unpack, cast, overload

from kformat.errors import KformatError, UsageError, whole_number
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, RecordBatchReader, reader_of_chunks
from kformat.kafka.columns.arrow import Table as ArrowTable
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.columns.chunks import Chunk, Wanted
from kformat.kafka.columns.declared import Given as DeclaredAs
from kformat.kafka.columns.declared import layouts_of
from kformat.kafka.columns.messages import of_topic
from kformat.kafka.columns.tables import is_table
from kformat.kafka.index.lookup import Answer
from kformat.kafka.log.fetched import Fetched, LogReading, TimestampOffset, fetched_chunks
from kformat.kafka.producers.isolation import READ_UNCOMMITTED, is_committed_only
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat.results import counted, printable, size_text
from kformat.times import Moment, milliseconds
from kformat_engine.batching import listed
from kformat_engine.built_columns import BuiltColumns
from kformat_engine.cleaner import Cleaner, CleanerConfig, Compaction, LogToClean, cleaning_of
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import Coordinator, RootPlaces, state_partitions_in
from kformat_engine.errors import TieredLogError
from kformat_engine.log_fetcher import DEFAULT_READ_BYTES
from kformat_engine.log_internals import LogInternals
from kformat_engine.log_loader import LogLoader, check_epoch, examine, named, topic_id_of
from kformat_engine.log_metrics import LogMetrics
from kformat_engine.log_search import SegmentInfo
from kformat_engine.producer import FIRST_ID, Producer
from kformat_engine.recovery.opening import Approve
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.retention import Breach, breaches
from kformat_engine.root import Root, RootFiles, check_is_no_root, once_unlocked
from kformat_engine.scheduler import Scheduler
from kformat_engine.storage import DISK, Clock, Storage, wall_clock_ms
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, Durability, LogTransaction

LOG: Final = logging.getLogger(__name__)

Given = (
    Record
    | Mapping[str, Any]
    | tuple[bytes | bytearray | memoryview | None, bytes | bytearray | memoryview | None]
    | bytes
    | bytearray
    | memoryview
)
"""A record to append: see `kformat_engine.batching.prepare_records`."""


class Log:
    """An open log, made by `Log.open`. Use it as a context manager, or call `close`.

    `append` writes records; `records`, `batches`, `read` and `to_arrow` read them, and iterating over the log yields
    all. Threads may share it: their calls take turns. If a change fails (`has_failed`), close it and open it again.

    Attributes:
        path: the partition's folder. topic, partition: what its name says. root: the `Root` above it.
        config: the effective `LogConfig`: the caller's, with a smaller ``segment_index_bytes`` where
            the untrimmed indexes of a killed broker show one.
        report: what opening it found and did (`kformat_engine.recovery.report.RecoveryReport`).
    """

    def __init__(self, internals: LogInternals) -> None:
        self._internals = internals
        self._local, self._guard, self._appender = internals.local, internals.guard, internals.appender
        self._fetcher, self._producers, self._clock = internals.fetcher, internals.producers, internals.clock
        self.path, self.topic, self.partition = internals.path, internals.topic, internals.partition
        self.config, self.root = internals.local.config, internals.root
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
        """Open a partition's folder for writing, with recovery where needed.

        Args:
            path: ``<root>/<topic>-<partition>``; made where it is not there, unless ``create`` is False.
            root: the opened folder above; by default this log opens it, or shares it with other logs of this process.
            lock_timeout_s: for how long to wait, seconds, while somebody else holds the root; ``math.inf`` waits
                forever.
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
        folder, _ = named(path)
        if not create and not folder.is_dir():
            raise FileNotFoundError(2, "No such log", str(folder))
        if config is not None and not isinstance(config, LogConfig):
            raise UsageError(f"a LogConfig is needed, not {type(config).__name__}; see LogConfig.from_properties")
        if leader_epoch is not None:
            check_epoch(leader_epoch, -1)
        if root is not None and not isinstance(root, Root):
            raise UsageError(f"root takes a Root, as Root.open gives it, not {type(root).__name__}")

        check_is_no_root(folder)
        loader = LogLoader(*(mode, place_unanchored, topic_id, leader_epoch, verify, approve, storage))
        opened: list[Log] = []

        def make(root: Root) -> Log:
            background, drawn = scheduler or root.scheduler, chance or random.Random()
            return cls(
                LogInternals(
                    *(folder, config or LogConfig(), root),
                    clock=clock,
                    storage=storage,
                    scheduler=background,
                    chance=drawn,
                )
            )

        try:
            return once_unlocked(lambda: cls._open(folder, root, make, loader, opened), lock_timeout_s)
        except BaseException:  # an interrupt may come when the log is open, before it is returned
            for log in opened:
                log._internals.abandon()
            raise

    @classmethod
    def _open(
        cls, folder: Path, root: Root | None, make: Callable[[Root], Log], loader: LogLoader, opened: list[Log]
    ) -> Log:
        """One attempt of `open`; the log is put into ``opened`` as soon as it is open."""
        holder = object() if root is None else None
        log: Log | None = None
        try:
            root = Root.shared(folder.parent, storage=loader.storage, holder=holder) if root is None else root
            log = make(root)
            log.report = loader.load(log._internals, log._local)
            log.config = log._local.config
            root.release(holder)  # the log keeps it open from `Root.register` on
            log._resume_transactions()
            opened.append(log)
            return log
        except BaseException:
            opened.clear()
            if log is not None:
                log._internals.abandon()
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
        """The findings and changes that `open` would have, by the same plan; nothing is changed, and no lock is taken.

        With a live writer the result is a snapshot, and may report a batch that is being written as damage.
        ``files`` are those of the log's root, if they were already read for another of its logs; by default they are
        read now.

        Raises:
            UsageError: as `open`.
            DamagedLogError: a checkpoint of the root cannot be read, and the mode is strict.
            FileNotFoundError: there is no such folder.
            OSError.
        """
        return examine(path, config, mode=mode, place_unanchored=place_unanchored, storage=storage, files=files)

    # State

    @property
    def start_offset(self) -> int:
        """The first offset that can be read here (localLogStartOffset)."""
        return self._local.offsets.start_offset

    @property
    def log_start_offset(self) -> int:
        """The log's first offset (logStartOffset); below `start_offset` if the offsets between are in the remote
        storage of a broker, and cannot be read here."""
        return self._local.offsets.log_start_offset

    @property
    def topic_id(self) -> str | None:
        """The topic's id as Kafka prints it; None if `partition.metadata` is missing or cannot be read."""
        return topic_id_of(self.path)

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets (logEndOffset)."""
        return self._local.offsets.end_offset

    @property
    def last_stable_offset(self) -> int:
        """The offset below which all transactions have ended: `end_offset`, or the first offset of the oldest open one
        (lastStableOffset)."""
        return self._local.last_stable_offset

    @property
    def recovery_point(self) -> int:
        """Everything below this offset is on disk, including indexes."""
        return self._local.offsets.recovery_point

    @property
    def synced_offset(self) -> int:
        """All records below this offset are on disk."""
        return self._local.offsets.synced_offset

    @property
    def leader_epoch(self) -> int:
        """The leader epoch of appended batches; may be set to a later one."""
        return self._local.leader_epoch

    @leader_epoch.setter
    def leader_epoch(self, epoch: int) -> None:
        check_epoch(epoch, self._local.leader_epoch)
        self._local.leader_epoch = epoch

    @property
    def leader_epochs(self) -> tuple[tuple[int, int], ...]:
        """(epoch, its first offset), ascending."""
        return tuple((entry.epoch, entry.start_offset) for entry in self._local.epochs.entries)

    @property
    def size_bytes(self) -> int:
        """The total size of the segments' `.log` files, bytes."""
        return self._local.segments.size_bytes

    @property
    def segment_count(self) -> int:
        """The number of segments; none is opened for it."""
        return len(self._local.segments)

    @property
    def has_failed(self) -> bool:
        """Whether a change failed; nothing is written any more then."""
        return self._guard.failure is not None

    @property
    def is_closed(self) -> bool:
        """Whether the log was closed, or deleted."""
        return self._guard.is_closed

    @property
    def metrics(self) -> LogMetrics:
        """Counts since the log was opened, and its state; also of a log that was closed or has failed.

        Reading it takes no lock and touches no file, so a monitor may do it at any time. Other threads may append
        meanwhile: then the numbers are not all of the same moment.
        """
        local, offsets = self._local, self._local.offsets
        failure = self._guard.failure
        return LogMetrics(
            **asdict(local.counts),
            record_count=offsets.end_offset - offsets.counted_from,
            cut_count=local.cut_count,
            recovery_change_count=len(self.report.changes),
            log_start_offset=offsets.log_start_offset,
            start_offset=offsets.start_offset,
            end_offset=offsets.end_offset,
            last_stable_offset=local.last_stable_offset,
            synced_offset=offsets.synced_offset,
            recovery_point=offsets.recovery_point,
            segment_count=len(local.segments),
            size_bytes=local.segments.size_bytes,
            failure=None if failure is None else f"{type(failure).__name__}: {failure}",
            is_closed=self._guard.is_closed,
        )

    @property
    def segments(self) -> tuple[SegmentInfo, ...]:
        """The segments in the order of their base offsets."""
        with self._guard.taken(), self._guard.reading():
            return self._local.search.infos()

    def __repr__(self) -> str:
        offsets, segments = self._local.offsets, self._local.segments
        return (
            f"<Log {printable(str(self.path))}: offsets {offsets.start_offset} to {offsets.end_offset}, "
            f"{counted(len(segments), 'segment')}, {size_text(segments.size_bytes)}, {self._guard.state}>"
        )

    def __enter__(self) -> Self:
        with self._guard.taken(), self._guard.reading():
            return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Appending

    def append(
        self,
        records: Iterable[Given] | Table,
        *,
        compression: str | None = None,
        value_as: Any = None,
        key_as: Any = None,
    ) -> int:
        """Append records, in batches of up to 16 KB; returns the offset of the first record.

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
            columns = BuiltColumns(*(None if layout is None else layout.of(self.topic) for layout in layouts))
            records = columns.table(records) if is_table(records) else map(columns.record, listed(records))
        return self._appender.append(records, compression=compression)

    def _check_producible(self) -> None:
        """Raise UsageError in the coordinator's own topic."""
        if self.topic == TRANSACTION_STATE_TOPIC:
            raise UsageError(f"{self.topic} is the coordinator's own topic: it alone appends there")

    def append_batches(self, data: Any, *, assign_offsets: bool = True, validate: bool = True) -> int:
        """Append ready-made batches; returns the offset of the first.

        Args:
            data: batches one after the other, as stored or as a producer sends them; never changed.
            assign_offsets: as a leader does: offsets and leader epoch are written into a copy (no checksum changes),
                and the batches are checked as those of a client are. False: as a follower, offsets stay as they are
                and may leave gaps, control batches are let through; they have to lie at or above the log's end.
            validate: False trusts a leader's batches: only their framing is looked at, and the epochs of producers and
                of their coordinators; control batches are let through.

        For batches with a producer id a leader checks epoch and sequence. One that repeats one of its producer's last
        five is not written again; if the first does, the offset is that of the earlier batch. A follower trusts the
        leader's checks. An aborted transaction is added to the segment's `.txnindex` when its marker is appended.

        Raises as `append`; OutOfOrderSequenceError, InvalidProducerEpochError, TransactionCoordinatorFencedError and
        InvalidTransactionStateError where a producer's state refuses it: nothing was appended; CorruptBatchError for
        bytes that are no sound batch, OffsetOrderError for a follower's offsets below the log's end or not growing. A
        partial batch at the end is left out. UsageError in ``__transaction_state``, except for a follower and with
        ``validate=False``.
        """
        if assign_offsets and validate:
            self._check_producible()
        return self._appender.append_batches(data, assign_offsets=assign_offsets, validate=validate)

    def producer(self, name: str) -> Producer:
        """A producer whose appends are numbered: a repeated append, also after a restart, is stored once.

        It continues the state of the producer of that name; an object that was opened with the same name before is
        refused from then on. See `kformat_engine.producer`.

        Warns (UserWarning) if the timestamp of the producer's last record is `producer.id.expiration.ms` or more ago:
        it is forgotten when the log is opened, and a repeated append is then stored again.

        Raises UsageError for an invalid name, and in ``__transaction_state``; WriterFailedError, LogClosedError,
        RootLockedError.
        """
        self._check_producible()
        opened = self._producers.open(name)
        self._producers.warn_of_expiry(opened)
        return opened

    # Transactions

    def transaction(
        self, transactional_id: str, *, timeout_ms: int = DEFAULT_TIMEOUT_MS, durability: Durability = "markers"
    ) -> LogTransaction:
        """Begin a transaction in this log: readers of committed data see all its records, or none.

        What is known of the id is kept in ``__transaction_state-<N>`` next to this log; the object that was begun with
        the same id before, in any log of the root, is refused from then on, and its transaction aborted. For several
        partitions: `LogManager.transaction`. See engine/README.md.

        Args:
            timeout_ms: `transaction.timeout.ms`, after which it is aborted.
            durability: what is on disk when `Transaction.commit` returns, besides the records: the ``markers``, or the
                ``decision`` alone, which costs a sync less. Both are committed for good.

        Raises UsageError for what is no id, no time or no durability, and in ``__transaction_state`` itself;
        WriterFailedError, LogClosedError, RootLockedError; what opening ``__transaction_state-<N>`` raises.
        """
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
        place = self.topic, self.partition
        self._check_producible()
        begun = self._coordinator().begin(transactional_id, timeout_ms, durability, place=place)
        return cast(LogTransaction, begun)

    def _coordinator(self) -> Coordinator:
        """The root's coordinator, which exists until this log, and all others that use it, are closed."""

        internals, root = self._internals, self.root
        clock, storage, scheduler = internals.clock, internals.storage, internals.scheduler

        def open_log(path: Path, config: LogConfig | None) -> LogInternals:
            log = Log.open(path, config, root=root, clock=clock, storage=storage, scheduler=scheduler)
            return internals_of(log)

        coordinator = root.coordinator(lambda: Coordinator(RootPlaces(root, open_log, scheduler), clock))
        coordinator.places.join(internals)
        internals.coordinated_by = coordinator
        return coordinator

    def _resume_transactions(self) -> None:
        """After opening: end transactions that an engine began in this log and that have no owner any more.

        If `__transaction_state` cannot be read, they stay open; `transaction` reports why.
        """
        entries = self._local.producers.state.entries.items()
        is_open = any(entry.current_txn_first_offset is not None and id >= FIRST_ID for id, entry in entries)
        if is_open and not self.root.has_coordinator and state_partitions_in(self.path.parent):
            try:
                self._coordinator().resume()
            except (KformatError, OSError) as error:
                LOG.warning("%s: open transactions could not be ended: %r", self.path, error)

    # Durability

    def flush(self) -> None:
        """Return when all appended records, the indexes and the names of the files have reached the disk."""
        with self._guard.taken(), self._guard.writing():
            self._local.flush()
            self._local.checkpoint()

    # Rolling

    def roll(self) -> int:
        """Begin a new segment now, regardless of the configuration; returns its base offset."""
        with self._guard.taken(), self._guard.writing():
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
        """Read stored batches from the one that holds ``offset`` on, at most ``max_bytes``, from one segment.

        Args:
            isolation_level: with ``read_committed`` nothing from `last_stable_offset` on, and the result says which
                aborted transactions have records in it.
            min_one_batch: give the first batch whole, even where it is larger; else it may be cut.
            copy: give bytes; by default those of a sealed segment are a view of its file.

        Raises:
            OffsetOutOfRangeError: below `log_start_offset` or above `end_offset`, at which nothing is read.
            RemoteOffsetError: from `log_start_offset` to `start_offset`, exclusive.
        """
        return self._fetcher.read(offset, max_bytes, isolation_level, min_one_batch=min_one_batch, copy=copy)

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
        return self._fetcher.batches(start_offset, end_offset, follow, timeout_s, isolation_level)

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
        return self._fetcher.records(
            *(start_offset, end_offset, follow, timeout_s, isolation_level), include_control=include_control
        )

    def record_batches(
        self,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        *,
        start_offset: int | None = None,
        end_offset: int | None = None,
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
        value_as: DeclaredAs = None,
        key_as: DeclaredAs = None,
        enums: str = "names",
    ) -> RecordBatchReader:
        """The records as a stream of Arrow record batches, none of which is kept.

        Args:
            columns, value_as, key_as, enums: as for `kformat.open(...).record_batches`.
            start_offset, end_offset: the first offset, and the one after the last; by default all records at the time
                of the call.
            include_control, isolation_level: as for `records`.

        Raises as `records`, mostly while reading; UsageError for an unknown column; MissingDependencyError without
        pyarrow (extra ``arrow``).
        """
        is_committed_only(isolation_level)
        end = self.end_offset if end_offset is None else whole_number(end_offset, "end offset")
        if end_offset is None and start_offset is not None and whole_number(start_offset, "offset") > end:
            raise self._fetcher.out_of_range(start_offset)

        def chunks(wanted: Wanted) -> Iterator[Chunk]:
            fetched = self._fetcher.fetched(start_offset, end, False, None, isolation_level)
            return fetched_chunks((part for part, _ in fetched), wanted)

        wanted = Wanted(end_offset=end, include_control=include_control)
        return reader_of_chunks(
            *(chunks, wanted, columns, self.topic, self.partition),
            value_as=of_topic(value_as, self.topic, "value"),
            key_as=of_topic(key_as, self.topic, "key"),
            enums=enums,
        )

    def to_arrow(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[LogReading]) -> ArrowTable:
        """The records as one ``pyarrow.Table``, all of them in memory; the options, and what is raised, are those of
        `record_batches`."""
        return self.record_batches(columns, **options).read_all()

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
        """The first record, in log order, that is not older; None if there is none (fetchOffsetByTimestamp).

        Args:
            timestamp: ms since 1970, ISO 8601 (UTC where it names no zone), or a datetime with a time zone; or -1 for
                the log's end, -2 for its start, -4 for its first offset here, -3 for the record with the largest
                timestamp that is here, -5 for the end of what was tiered.
            explain: give a `kformat.kafka.index.lookup.Answer` with the steps instead.

        Of a tiered log only the local part is searched; the answer for a time says so (``may_be_remote``).

        Raises:
            UsageError: other numbers below 0; what is no time; -5 where offsets of the log are remote.
            RemoteOffsetError: no record here is from the time on, but a remote one may be.
        """
        timestamp_ms = milliseconds(timestamp)
        with self._guard.taken(), self._guard.reading():
            return self._local.search.offset_for_timestamp(timestamp_ms, explain)

    # Retention and truncation

    def retain(self) -> list[tuple[int, Breach]]:
        """Delete the segments that exceed retention; returns their base offsets, each with the rule.

        Start offset first, then size, then time; see `kformat_engine.retention`. If all segments are deleted, a new,
        empty one begins at the log's end.

        TieredLogError if the log's first segments are in the remote storage: the oldest are deleted first, and only a
        broker knows the size and age of remote ones.
        """
        gone = []
        with self._guard.taken(), self._guard.writing():
            if self._local.offsets.is_tiered:
                raise TieredLogError(f"{self.path}: {self._local.offsets.remote()}; a broker has to do their retention")
            # Each rule may delete segments that the previous one kept.
            for _ in Breach:
                breach, segments = breaches(
                    list(self._local.segments),
                    self.config,
                    now_ms=self._clock(),
                    log_start_offset=self._local.offsets.start_offset,
                    end_offset=self._local.offsets.end_offset,
                )
                if not segments:
                    break
                gone += [(segment.base_offset, breach) for segment in segments]
                self._local.delete_segments(segments)
        return gone

    def delete_records_before(self, offset: int) -> int:
        """Move the log's start up to ``offset`` (-1: the end) and delete the segments below; returns the new start.

        Kafka's DeleteRecords. An offset below the start changes nothing. Remote segments below it are deleted by a
        broker.

        Raises OffsetOutOfRangeError for one above the log's end.
        """
        offset = whole_number(offset, "offset")
        with self._guard.taken(), self._guard.writing():
            offset = self._local.offsets.end_offset if offset == -1 else offset
            if not 0 <= offset <= self._local.offsets.end_offset:
                raise self._fetcher.out_of_range(offset)
            if offset > self._local.offsets.log_start_offset:
                self._local.delete_before(offset)
            return self._local.offsets.log_start_offset

    def truncate_to(self, offset: int) -> bool:
        """Cut the log so that ``offset`` is the next one; returns whether anything was cut.

        The whole batch that holds it is cut: records in it before ``offset``, too, which leaves a gap.

        Raises:
            UsageError: a negative offset.
            TieredLogError: one before the last segment of a log whose first segments are, or were since it was opened,
                remote: what would be cut may be in the remote storage, too, and would stay there.
            SegmentInUseError: somebody holds bytes that would be cut, see `read`; nothing was cut.
            DataError: what lies before the offset is damaged; nothing was cut, and the log has to be opened again.
        """
        offset = whole_number(offset, "offset")
        with self._guard.taken(), self._guard.writing():
            if offset < 0:
                raise UsageError(f"cannot truncate to offset {offset}; it cannot be below 0")
            if offset >= self._local.offsets.end_offset:
                return False
            self._local.truncate_to(offset)
            self._guard.wake()  # callers that wait for more after it have to know
            return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Delete all segments and begin again at ``offset`` (truncateFullyAndStartAt). Raises as `truncate_to`."""
        offset = whole_number(offset, "offset")
        with self._guard.taken(), self._guard.writing():
            if not 0 <= offset <= MAX_INT64:
                raise UsageError(f"cannot start at offset {offset}; it is from 0 to {MAX_INT64}")
            self._local.truncate_fully_and_start_at(offset)
            self._guard.wake()

    # Compaction

    def to_clean(self) -> LogToClean:
        """The part of the log that a compaction would read now, and whether it is due. Nothing is changed.

        Raises as `segments`.
        """
        return self._internals.to_clean(reset=False)

    @property
    def is_being_compacted(self) -> bool:
        """Whether a compaction is running, in any thread."""
        cleaning = self._local.cleaning
        return cleaning is not None and cleaning.thread.is_alive()

    def compact(
        self, *, force: bool = False, dry_run: bool = False, cleaner: Cleaner | CleanerConfig | None = None
    ) -> Compaction | None:
        """Compact the log as a broker's cleaner does, if that is due; None if it is not, or nothing is left to do.

        The last record of each key stays; see `kformat_engine.compaction`, and `kformat_engine.cleaner` for when it is
        due. The active segment is never compacted (`roll` begins a new one); `to_clean` returns how much there is to
        do. Appends and reads go on meanwhile.

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
        with self._guard.taken(), self._guard.reading():
            cleaning = cleaning_of(self._local, self._guard, cleaner, self._clock, force=force, is_dry_run=dry_run)
        if cleaning is None:
            return None
        done = cleaning.run()
        if done is not None and not dry_run:
            self._local.counts.compaction_count += 1
            LOG.info("%s: compacted: %s", self.path, done)
        return done

    # Closing

    def close(self) -> None:
        """Sync everything, trim the indexes to their entries, checkpoint, and release the root; twice is no error.

        A failed log is released as it is, and no marker of a clean shutdown is left. WriterFailedError if the failure
        has not been reported yet, because it happened in the background. Open transactions that were begun in it are
        aborted.
        """
        self._internals.close()

    def delete(self) -> None:
        """Close the log and remove its folder with all files in it, and its entries in the root's checkpoints.

        The last segment is removed first: a crash meanwhile leaves a log that ends earlier.

        Raises UsageError for a folder that has folders in it, which are not the log's; nothing was removed.
        """
        self._internals.delete()


def internals_of(log: Log) -> LogInternals:
    """The parts of a log, for other modules of the engine."""
    return log._internals

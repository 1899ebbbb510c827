"""`Log` for asyncio: the same log, with its blocking calls in threads.

    async with AsyncLog.open("data/orders-0") as log:
        first = await log.append([(b"key", b"value"), b"a value alone"])
        async for record in log.records(first): ...

Rules:

* One thread makes all changes, in the order of the calls; one reads; `AsyncLog.compact` has one of its own. Each starts
  when it is first used, and ends with `AsyncLog.close`. A task that waits for an append has no thread.
* Appends that wait at the same time are written together and synced once (`AppendWorker`). The records of one call get
  consecutive offsets; an error of its records is the error of that call alone.
* At most `most_waiting_bytes` of records wait or are being written. Further calls wait until there is room, in order.
* A cancelled call that has not begun leaves nothing. One that has begun goes on to its end: see
  `kformat.loop_worker`. `AsyncLog.append` does not wait for that end, so its records may be in the log or not; with
  `AsyncProducer.append` and a sequence number the append can be repeated. Opening, closing and the end of a transaction
  wait for it.
* `AsyncLog.close` waits for the calls that were made before it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self, TypedDict, TypeVar, Unpack, overload

from kformat.errors import UsageError
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS
from kformat.kafka.columns.arrow import Table as ArrowTable
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.columns.tables import is_table
from kformat.kafka.index.lookup import Answer
from kformat.kafka.log.fetched import Fetched, LogReading, TimestampOffset, fetched_records
from kformat.kafka.producers.isolation import READ_UNCOMMITTED, is_committed_only
from kformat.loop_worker import (
    MOST_WAITING_BYTES,
    CallResult,
    LoopBell,
    LoopCall,
    LoopWorker,
    Opening,
    called,
    iterated,
    settled,
)
from kformat.times import Moment, deadline
from kformat_engine.batching import DEFAULT_BATCH_BYTES, listed
from kformat_engine.cleaner import Cleaner, CleanerConfig, Compaction
from kformat_engine.config import LogConfig
from kformat_engine.errors import LogClosedError, RootLockedError
from kformat_engine.log import Given, Log
from kformat_engine.log_fetcher import DEFAULT_READ_BYTES, batches_of
from kformat_engine.log_metrics import LogMetrics
from kformat_engine.log_search import SegmentInfo
from kformat_engine.producer import Producer
from kformat_engine.recovery.opening import Approve
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.retention import Breach
from kformat_engine.root import Root
from kformat_engine.scheduler import Scheduler
from kformat_engine.storage import Clock, Storage
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, Durability, LogTransaction, Transaction

_RECORD_BYTES: Final = 40
"""The most that a record needs in a batch next to its key and value."""
_HEADER_BYTES: Final = 100
"""More than a batch's header."""
_GROUP_BYTES: Final = 4 << 20
"""So much is written under one lock: nobody reads meanwhile."""
_PLAIN_FIELDS: Final = frozenset(("key", "value", "timestamp"))
_LOCK_PAUSE_S: Final = 0.05

T = TypeVar("T")


class LogOptions(TypedDict, total=False):
    """The arguments of `Log.open` that `AsyncLog.open` passes on."""

    root: Root | None
    mode: Literal["strict", "salvage", "kafka"]
    place_unanchored: bool
    create: bool
    topic_id: str | None
    leader_epoch: int | None
    verify: bool
    approve: Approve | None
    clock: Clock
    storage: Storage
    scheduler: Scheduler | None
    chance: Random | None


class _AppendCall(LoopCall[int]):
    """A call that appends to a log.

    Attributes:
        log: where to. records: if they may share a batch with those of other calls; else None.
        compression: the codec of these.
    """

    __slots__ = ("compression", "log", "records")

    def __init__(
        self,
        log: Log,
        function: Callable[[], int],
        size_bytes: int,
        records: list[Any] | None = None,
        compression: str | None = None,
    ) -> None:
        super().__init__(function, size_bytes)
        self.log, self.records, self.compression = log, records, compression


class AppendWorker(LoopWorker):
    """A thread that changes logs. Appends that wait one after the other are run together:

    * Each log is synced once for all of them, if its policy is ``batch``.
    * Small ones share a batch of at most 16 KB, so that the records of one call stay in one batch. If that is refused,
      each is appended by itself, so that each call gets its own error.
    """

    def take(self, waiting: deque[LoopCall[Any]]) -> list[LoopCall[Any]]:
        """Take the appends at the left, 4 MiB of them or a little more; or one other call."""
        calls = [waiting.popleft()]
        if isinstance(calls[0], _AppendCall):
            size = calls[0].size_bytes
            while waiting and isinstance(waiting[0], _AppendCall) and size <= _GROUP_BYTES:
                calls.append(waiting.popleft())
                size += calls[-1].size_bytes
        return calls

    def run(self, calls: list[LoopCall[Any]]) -> list[CallResult]:
        """Run calls that were taken together."""
        if len(calls) == 1:
            return [called(calls[0])]
        of_logs: dict[Log, list[_AppendCall]] = {}
        for call in calls:
            assert isinstance(call, _AppendCall)
            of_logs.setdefault(call.log, []).append(call)
        return [outcome for log, appends in of_logs.items() for outcome in _appended(log, appends)]


def _appended(log: Log, appends: list[_AppendCall]) -> list[CallResult]:
    """Append for several calls, and acknowledge them together."""
    outcomes: list[CallResult] = []

    def append_all() -> None:
        for group in _groups(log, appends):
            outcomes.extend(_appended_as_one(log, group))

    try:
        log._internals.flusher.acknowledge_once(append_all)
    except BaseException as error:  # nothing was acknowledged
        failed = {outcome.call: outcome for outcome in outcomes if outcome.error is not None}
        return [failed.get(call) or CallResult(call, None, error) for call in appends]
    return outcomes


def _groups(log: Log, appends: list[_AppendCall]) -> list[list[_AppendCall]]:
    """Divide appends into those that fit into one batch together."""
    config = log.config
    most_bytes = min(DEFAULT_BATCH_BYTES, config.max_message_bytes, config.segment_bytes) - _HEADER_BYTES
    groups: list[list[_AppendCall]] = []
    size = 0
    for append in appends:
        size += append.size_bytes
        before = groups[-1][-1] if groups else None
        if (
            before is None
            or (append.records is None or before.records is None)
            or append.compression != before.compression
            or size > most_bytes
        ):
            groups.append([])
            size = append.size_bytes
        groups[-1].append(append)
    return groups


def _appended_as_one(log: Log, group: list[_AppendCall]) -> list[CallResult]:
    """Append records of several calls in one batch; if that is refused, each by itself."""
    if len(group) > 1:
        records = [record for append in group for record in append.records or ()]
        try:
            offset = log.append(records, compression=group[0].compression)
        except BaseException as error:
            if log.has_failed or log.is_closed or not isinstance(error, Exception):
                return [CallResult(append, None, error) for append in group]
        else:
            outcomes = []
            for append in group:
                outcomes.append(CallResult(append, offset, None))
                offset += len(append.records or ())
            return outcomes
    return [called(append) for append in group]


def _bytes_of(value: Any) -> int:
    if isinstance(value, bytes | bytearray):
        return len(value)
    return value.nbytes if isinstance(value, memoryview) else 0


def _measured(records: list[Any]) -> tuple[int, bool]:
    """About how many bytes records need, and whether that is certainly enough for a batch of them."""
    size, is_certain = _RECORD_BYTES * len(records), True
    for record in records:
        if type(record) is bytes:
            size += len(record)
        elif type(record) is tuple and len(record) == 2:
            size += _bytes_of(record[0]) + _bytes_of(record[1])
        elif isinstance(record, Record):
            size += _bytes_of(record.key) + _bytes_of(record.value)
            is_certain = is_certain and not record.headers
        elif isinstance(record, dict):
            size += _bytes_of(record.get("key")) + _bytes_of(record.get("value"))
            is_certain = is_certain and _PLAIN_FIELDS.issuperset(record)
        else:
            size += _bytes_of(record)
            is_certain = False
    return size, is_certain


def given_to_append(records: Iterable[Any] | Table) -> tuple[Any, int, bool]:
    """The caller's records, about how many bytes they have, and whether they may share a batch with others. Raises as
    `listed`."""
    if isinstance(records, list):
        rows = records.copy()
    elif is_table(records):
        size = getattr(records, "nbytes", None)  # a stream has none: it waits until it is alone
        return records, size if isinstance(size, int) else MOST_WAITING_BYTES, False
    else:
        rows = listed(records)
    return rows, *_measured(rows)


class LogThreads(NamedTuple):
    """The threads of an `AsyncLog`: one that changes the log, one that reads, and one that compacts."""

    writer: AppendWorker
    reader: LoopWorker
    compactor: LoopWorker

    @classmethod
    def of(cls, name: str, most_waiting_bytes: int) -> Self:
        """Threads for a log, or a manager; they start when they are used. UsageError for an invalid limit."""
        if type(most_waiting_bytes) is not int or most_waiting_bytes < 1:
            raise UsageError(f"most_waiting_bytes is {most_waiting_bytes!r:.60}; a number of bytes from 1 is expected")
        return cls(AppendWorker(name, most_waiting_bytes), LoopWorker(name), LoopWorker(name))

    def closed(self, close: Callable[[], None]) -> asyncio.Future[None]:
        """Refuse further calls, and begin to `close`."""
        for worker in self:
            worker.refuse()
        return asyncio.ensure_future(self.close(close))

    async def close(self, close: Callable[[], None]) -> None:
        """Call ``close`` after all changes that were asked for, and end the threads."""
        try:
            await self.writer.ensure(close)
        finally:
            for worker in self:
                await worker.end()


async def opened(threads: LogThreads, open_it: Callable[[], T], undo: Callable[[T], None], lock_timeout_s: float) -> T:
    """Open something in a thread; wait while somebody else holds the root, for some seconds. A cancellation waits until
    it is closed again, and ends the threads."""
    try:
        until = deadline(lock_timeout_s)
        while True:
            try:
                return await threads.writer.complete(open_it, undo)
            except RootLockedError:
                left_s = until - time.monotonic()
                if left_s <= 0:
                    raise
            await asyncio.sleep(min(_LOCK_PAUSE_S, left_s))
    except BaseException:
        for worker in threads:
            await worker.end()
        raise


class AsyncLog:
    """An open `Log` for asyncio; see `open`, and the module for order, waiting and cancellation.

    Tasks may share it. It belongs to the event loop in which it was opened. Arguments and errors of its methods are
    those of `Log`; UsageError in another event loop, LogClosedError after `close`. What `Log` has besides:
    engine/README.md.

    Attributes:
        path: the partition's folder. topic, partition: what its name says.
        config: the effective `LogConfig`. report: what opening it found and did.
    """

    def __init__(self, log: Log, threads: LogThreads, *, has_own_threads: bool = True) -> None:
        self._log, self._threads, self._has_own_threads = log, threads, has_own_threads
        self.path, self.topic, self.partition = log.path, log.topic, log.partition
        self.config: LogConfig = log.config
        self.report: RecoveryReport = log.report
        self._bell = LoopBell()
        log._internals.guard.bells.append(self._bell)
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def open(
        cls,
        path: str | Path,
        config: LogConfig | None = None,
        *,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
        lock_timeout_s: float = 0.0,
        **options: Unpack[LogOptions],
    ) -> Opening[AsyncLog]:
        """Open a partition's folder for writing: ``async with AsyncLog.open(...)``, or ``await`` it.

        A cancellation waits until the log is closed again; while the root is locked by somebody else it ends at once.

        Args:
            path, config, lock_timeout_s, options: as `Log.open` takes them, which lists the errors, too.
            most_waiting_bytes: how many bytes of records may wait for the thread, or be written by it. An `append`
                beyond it waits until there is room. By default Kafka's `buffer.memory`, 32 MiB.

        Raises UsageError for an invalid limit.
        """

        async def open_it() -> AsyncLog:
            threads = LogThreads.of(str(path), most_waiting_bytes)
            log = await opened(threads, lambda: Log.open(path, config, **options), Log.close, lock_timeout_s)
            return cls(log, threads)

        return Opening(open_it)

    # State

    @property
    def start_offset(self) -> int:
        """See `Log.start_offset`."""
        return self._log.start_offset

    @property
    def log_start_offset(self) -> int:
        """See `Log.log_start_offset`."""
        return self._log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets. While appends are written together, some of these may be above."""
        return self._log.end_offset

    @property
    def last_stable_offset(self) -> int:
        """See `Log.last_stable_offset`."""
        return self._log.last_stable_offset

    @property
    def synced_offset(self) -> int:
        """See `Log.synced_offset`."""
        return self._log.synced_offset

    @property
    def recovery_point(self) -> int:
        """See `Log.recovery_point`."""
        return self._log.recovery_point

    @property
    def leader_epochs(self) -> tuple[tuple[int, int], ...]:
        """See `Log.leader_epochs`."""
        return self._log.leader_epochs

    @property
    def size_bytes(self) -> int:
        """See `Log.size_bytes`."""
        return self._log.size_bytes

    @property
    def segment_count(self) -> int:
        """See `Log.segment_count`."""
        return self._log.segment_count

    @property
    def metrics(self) -> LogMetrics:
        """See `Log.metrics`. It waits for nothing, also while the log is closed or has failed."""
        return self._log.metrics

    @property
    def has_failed(self) -> bool:
        """See `Log.has_failed`."""
        return self._log.has_failed

    @property
    def is_closed(self) -> bool:
        """Whether the log was closed."""
        return self._log.is_closed

    def __repr__(self) -> str:
        return f"<Async{repr(self._log)[1:]}"

    # Changes

    async def call(self, function: Callable[[Log], T]) -> T:
        """The result of a function of the `Log`, called in its turn in the thread that makes the changes."""
        return await self._threads.writer.call(lambda: function(self._log))

    async def append(
        self,
        records: Iterable[Given] | Table,
        *,
        compression: str | None = None,
        value_as: Any = None,
        key_as: Any = None,
    ) -> int:
        """Append records; returns the offset of the first, as `Log.append`.

        An iterator is read at once. A table is read in the thread, and must not be changed meanwhile.
        """
        log = self._log
        given, size, is_plain = given_to_append(records)
        if value_as is not None or key_as is not None:
            is_plain = False

        def append_alone() -> int:
            return log.append(given, compression=compression, value_as=value_as, key_as=key_as)

        plain = given if is_plain else None
        return await self._threads.writer.awaited(_AppendCall(log, append_alone, size, plain, compression))

    async def append_batches(self, data: Any, *, assign_offsets: bool = True, validate: bool = True) -> int:
        """Append ready-made batches; returns the offset of the first, as `Log.append_batches`. Do not change ``data``
        meanwhile."""
        log = self._log

        def append() -> int:
            return log.append_batches(data, assign_offsets=assign_offsets, validate=validate)

        return await self._threads.writer.awaited(_AppendCall(log, append, _bytes_of(data)))

    async def producer(self, name: str) -> AsyncProducer:
        """A producer whose appends are numbered; see `Log.producer`."""
        return AsyncProducer(self, await self.call(lambda log: log.producer(name)))

    def transaction(
        self, transactional_id: str, *, timeout_ms: int = DEFAULT_TIMEOUT_MS, durability: Durability = "markers"
    ) -> Opening[AsyncLogTransaction]:
        """Begin a transaction: ``async with log.transaction(...)``, or ``await`` it; see `Log.transaction`."""

        async def begin() -> AsyncLogTransaction:
            writer = self._threads.writer
            begun = await writer.complete(
                lambda: self._log.transaction(transactional_id, timeout_ms=timeout_ms, durability=durability),
                undo=Transaction.abort,
            )
            return AsyncLogTransaction(writer, begun)

        return Opening(begin)

    async def roll(self) -> int:
        """See `Log.roll`."""
        return await self.call(Log.roll)

    async def flush(self) -> None:
        """See `Log.flush`."""
        await self.call(Log.flush)

    async def retain(self) -> list[tuple[int, Breach]]:
        """See `Log.retain`."""
        return await self.call(Log.retain)

    async def delete_records_before(self, offset: int) -> int:
        """See `Log.delete_records_before`."""
        return await self.call(lambda log: log.delete_records_before(offset))

    async def truncate_to(self, offset: int) -> bool:
        """See `Log.truncate_to`."""
        return await self.call(lambda log: log.truncate_to(offset))

    async def truncate_fully_and_start_at(self, offset: int) -> None:
        """See `Log.truncate_fully_and_start_at`."""
        await self.call(lambda log: log.truncate_fully_and_start_at(offset))

    async def compact(
        self, *, force: bool = False, dry_run: bool = False, cleaner: Cleaner | CleanerConfig | None = None
    ) -> Compaction | None:
        """See `Log.compact`. Appends and reads go on meanwhile; after a cancellation it goes on, too, until `close`."""
        return await self._threads.compactor.call(
            lambda: self._log.compact(force=force, dry_run=dry_run, cleaner=cleaner)
        )

    # Reading

    async def read(
        self,
        offset: int,
        max_bytes: int = DEFAULT_READ_BYTES,
        *,
        min_one_batch: bool = True,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Fetched:
        """Read stored batches, as bytes; see `Log.read`."""
        return await self._threads.reader.call(
            lambda: self._log.read(
                offset, max_bytes, min_one_batch=min_one_batch, copy=True, isolation_level=isolation_level
            )
        )

    def batches(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> AsyncGenerator[AnyBatch, None]:
        """The batches between two offsets: ``async for batch in log.batches(...)``; see `Log.batches`."""
        return self._iterated(batches_of, start_offset, end_offset, follow, timeout_s, isolation_level)

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> AsyncGenerator[Record, None]:
        """The records between two offsets: ``async for record in log.records(...)``; see `Log.records`."""

        def records_of(fetched: Fetched, end: int | None) -> Iterable[Record]:
            return fetched_records([fetched], end, include_control=include_control)

        return self._iterated(records_of, start_offset, end_offset, follow, timeout_s, isolation_level)

    def __aiter__(self) -> AsyncGenerator[Record, None]:
        return self.records()

    def _iterated(
        self,
        items_of: Callable[[Fetched, int | None], Iterable[T]],
        start_offset: int | None,
        end_offset: int | None,
        follow: bool,
        timeout_s: float | None,
        isolation_level: str,
    ) -> AsyncGenerator[T, None]:
        is_committed_only(isolation_level)
        fetcher = self._log._internals.fetcher

        def groups() -> Generator[Iterable[T] | None, None, None]:
            offset, end = fetcher.bounds(start_offset, end_offset, follow)
            for found in fetcher.reads(offset, end, follow, isolation_level):
                yield items_of(found, end) if isinstance(found, Fetched) else None

        return iterated(
            *(self._threads.reader, self._bell, groups()),
            follow=follow,
            timeout_s=timeout_s,
            ends_when_closed=follow,
        )

    @overload
    async def offset_for_timestamp(
        self, timestamp: Moment, *, explain: Literal[False] = False
    ) -> TimestampOffset | None: ...
    @overload
    async def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[True]) -> Answer: ...

    async def offset_for_timestamp(
        self, timestamp: Moment, *, explain: bool = False
    ) -> TimestampOffset | Answer | None:
        """The first record from a time on; see `Log.offset_for_timestamp`."""
        return await self._threads.reader.call(
            lambda: (
                self._log.offset_for_timestamp(timestamp, explain=True)
                if explain
                else self._log.offset_for_timestamp(timestamp)
            )
        )

    async def segments(self) -> tuple[SegmentInfo, ...]:
        """See `Log.segments`."""
        return await self._threads.reader.call(lambda: self._log.segments)

    async def to_arrow(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[LogReading]) -> ArrowTable:
        """The records as one ``pyarrow.Table``, read in the thread that reads; see `Log.to_arrow`. Other reads wait for
        it."""
        return await self._threads.reader.call(lambda: self._log.to_arrow(columns, **options))

    # Closing

    async def close(self) -> None:
        """Close the log as `Log.close`, after the changes that were asked for before; twice is no error.

        Iterations that follow the log end. A cancellation waits until the log is closed. The log of an
        `AsyncLogManager` keeps that one's threads.
        """
        if self._closing is None:
            if self._has_own_threads:
                self._closing = self._threads.closed(self._log.close)
            else:
                self._closing = asyncio.ensure_future(self._threads.writer.ensure(self._log.close))
        elif self._closing.done():
            return
        await settled(self._closing)
        self._closing.result()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncProducer:
    """A `Producer` for asyncio; made by `AsyncLog.producer`.

    Attributes:
        name: the name with which it was opened.
    """

    def __init__(self, log: AsyncLog, producer: Producer) -> None:
        self._log, self._producer, self.name = log, producer, producer.name

    def __repr__(self) -> str:
        return f"<Async{repr(self._producer)[1:]}"

    async def last_sequence(self) -> int:
        """The sequence number of the last record that was acknowledged; -1 for none. It waits for its turn, so that it
        tells whether a cancelled `append` was done."""
        return await self._log.call(lambda _: self._producer.last_sequence)

    async def append(
        self, records: Iterable[Any] | Table, *, sequence: int | None = None, compression: str | None = None
    ) -> int:
        """Append records, unless they were appended before; see `Producer.append`.

        After a cancellation, repeat it with the same ``sequence``: the records are stored once.
        """
        given, size, _ = given_to_append(records)
        producer = self._producer

        def append() -> int:
            return producer.append(given, sequence=sequence, compression=compression)

        call = _AppendCall(self._log._log, append, size)
        return await self._log._threads.writer.awaited(call)


class EndsTransaction:
    """The end of a transaction, for asyncio."""

    def __init__(self, worker: LoopWorker, transaction: Transaction) -> None:
        self._worker, self._transaction = worker, transaction
        self.transactional_id = transaction.transactional_id

    def __repr__(self) -> str:
        state = self._transaction._end or ("closed" if self._worker.is_refusing else "open")
        return f"<{type(self).__name__} {self.transactional_id!r}: {state}>"

    async def state(self) -> str:
        """See `Transaction.state`."""
        return await self._worker.ensure(lambda: self._transaction.state)

    async def commit(self) -> None:
        """See `Transaction.commit`. A cancelled call that has begun waits until the transaction is committed."""
        await self._worker.complete(self._transaction.commit)

    async def abort(self) -> None:
        """See `Transaction.abort`. A cancellation waits until it is aborted."""
        await self._worker.ensure(self._transaction.abort)

    async def __aenter__(self) -> Self:
        self._transaction.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commit; abort after an error or a cancellation, unless the commit has begun."""
        leave = self._transaction.__exit__
        if error is None:
            try:
                await self._worker.complete(lambda: leave(None, None, None))
                return
            except (asyncio.CancelledError, LogClosedError) as stopped:  # if it has not begun, the rest aborts it
                kind, error, trace = type(stopped), stopped, None
                await self._worker.ensure(lambda: leave(kind, error, trace))
                raise
        await self._worker.ensure(lambda: leave(kind, error, trace))


class AsyncLogTransaction(EndsTransaction):
    """A `LogTransaction` for asyncio; made by `AsyncLog.transaction`. It commits at the end of ``async with``; after an
    exception or a cancellation it aborts.

    Attributes:
        transactional_id: the id with which it was begun.
    """

    def __init__(self, worker: LoopWorker, transaction: LogTransaction) -> None:
        super().__init__(worker, transaction)
        self._begun = transaction

    async def append(self, records: Iterable[Any] | Table, *, compression: str | None = None) -> int:
        """Append records; returns the offset of the first. See `LogTransaction.append`."""
        given, size, _ = given_to_append(records)
        return await self._worker.call(lambda: self._begun.append(given, compression=compression), size)

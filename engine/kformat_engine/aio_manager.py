"""`LogManager` for asyncio: partitions in several directories, and transactions over them.

    async with AsyncLogManager.open(["disks/a", "disks/b"]) as manager:
        orders = await manager.create_partition("orders", 0)
        await orders.append([b"first"])
        async with manager.transaction("transfer") as t:
            await t.append("orders", 0, [b"second"])

All partitions share the threads of the manager: one makes all changes, one reads, one compacts. The rules are those of
`kformat_engine.aio`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypedDict, TypeVar, Unpack

from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.producers.transaction_log import TransactionMetadata
from kformat.loop_worker import MOST_WAITING_BYTES, LoopWorker, Opening, settled
from kformat_engine.aio import AsyncLog, EndsTransaction, LogThreads, given_to_append, opened
from kformat_engine.cleaner import CleanerConfig, Compaction
from kformat_engine.config import LogConfig
from kformat_engine.log import Log
from kformat_engine.manager import (
    CHECKPOINT_INTERVAL_MS,
    CLEANER_BACKOFF_MS,
    INITIAL_TASK_DELAY_MS,
    RETENTION_CHECK_INTERVAL_MS,
    LogManager,
    LogManagerMetrics,
    PartitionPlace,
)
from kformat_engine.recovery.opening import Approve
from kformat_engine.retention import Breach
from kformat_engine.scheduler import Scheduler
from kformat_engine.storage import Clock, Storage
from kformat_engine.transactions import DEFAULT_TIMEOUT_MS, Durability, Transaction

T = TypeVar("T")


class ManagerOptions(TypedDict, total=False):
    """The arguments of `LogManager.open` that `AsyncLogManager.open` passes on."""

    configs: Mapping[str, LogConfig] | None
    mode: Literal["strict", "salvage", "kafka"]
    create: bool
    approve: Approve | None
    clock: Clock
    storage: Storage
    scheduler: Callable[[Path], Scheduler] | None


class AsyncLogManager:
    """The logs of several directories, for asyncio; see `open`, and `LogManager` for arguments and errors.

    Tasks may share it. It belongs to the event loop in which it was opened.

    Attributes:
        directories, config, refused, uncleanable: those of the `LogManager`.
    """

    def __init__(self, manager: LogManager, threads: LogThreads) -> None:
        self._manager, self._threads = manager, threads
        self.directories, self.config = manager.directories, manager.config
        self.refused, self.uncleanable = manager.refused, manager.uncleanable
        self._logs: dict[tuple[str, int], tuple[Log, AsyncLog]] = {}
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def open(
        cls,
        directories: Iterable[str | os.PathLike[str]],
        config: LogConfig | None = None,
        *,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
        lock_timeout_s: float = 0.0,
        **options: Unpack[ManagerOptions],
    ) -> Opening[AsyncLogManager]:
        """Open all logs in directories: ``async with AsyncLogManager.open(...)``, or ``await`` it.

        Args:
            directories, config, lock_timeout_s, options: as `LogManager.open` takes them, which lists the errors, too.
            most_waiting_bytes: as for `AsyncLog.open`, for all logs together.
        """

        async def open_it() -> AsyncLogManager:
            threads = LogThreads.of("log manager", most_waiting_bytes)

            def open_manager() -> LogManager:
                return LogManager.open(directories, config, **options)

            return cls(await opened(threads, open_manager, LogManager.close, lock_timeout_s), threads)

        return Opening(open_it)

    @property
    def is_closed(self) -> bool:
        """Whether the manager was closed."""
        return self._manager.is_closed

    @property
    def offline(self) -> dict[Path, OSError]:
        """See `LogManager.offline`."""
        return self._manager.offline

    @property
    def metrics(self) -> LogManagerMetrics:
        """See `LogManager.metrics`; it waits for nothing."""
        return self._manager.metrics

    def partitions(self) -> tuple[PartitionPlace, ...]:
        """See `LogManager.partitions`; it waits for nothing, and is not awaited."""
        return self._manager.partitions()

    def __repr__(self) -> str:
        return f"<Async{repr(self._manager)[1:]}"

    async def call(self, function: Callable[[LogManager], T]) -> T:
        """The result of a function of the `LogManager`, called in its turn in the thread that makes the changes."""
        return await self._threads.writer.call(lambda: function(self._manager))

    async def log(self, topic: str, partition: int) -> AsyncLog:
        """The log of a partition; see `LogManager.log`. After `move` ask for it again."""
        return self._of(await self.call(lambda manager: manager.log(topic, partition)))

    async def create_partition(
        self,
        topic: str,
        partition: int,
        config: LogConfig | None = None,
        *,
        topic_id: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        is_new: bool = False,
    ) -> AsyncLog:
        """Create a partition, and open its log; see `LogManager.create_partition`."""

        def create(manager: LogManager) -> Log:
            return manager.create_partition(
                topic, partition, config, topic_id=topic_id, directory=directory, is_new=is_new
            )

        return self._of(await self.call(create))

    async def move(self, topic: str, partition: int, directory: str | os.PathLike[str]) -> AsyncLog:
        """Move a partition to another directory; see `LogManager.move`. Other changes wait for it."""
        return self._of(await self.call(lambda manager: manager.move(topic, partition, directory)))

    async def delete_partition(self, topic: str, partition: int) -> None:
        """See `LogManager.delete_partition`."""
        await self.call(lambda manager: manager.delete_partition(topic, partition))

    def _of(self, log: Log) -> AsyncLog:
        key = log.topic, log.partition
        known = self._logs.get(key)
        if known is None or known[0] is not log:
            known = self._logs[key] = log, AsyncLog(log, self._threads, has_own_threads=False)
        return known[1]

    async def start(
        self,
        *,
        retention_check_interval_ms: int = RETENTION_CHECK_INTERVAL_MS,
        checkpoint_interval_ms: int = CHECKPOINT_INTERVAL_MS,
        initial_task_delay_ms: int = INITIAL_TASK_DELAY_MS,
        cleaner_backoff_ms: int = CLEANER_BACKOFF_MS,
        cleaner: CleanerConfig | None = None,
    ) -> None:
        """Run retention, compaction and checkpoints in the background, until `close`; see `LogManager.start`."""
        await self.call(
            lambda manager: manager.start(
                retention_check_interval_ms=retention_check_interval_ms,
                checkpoint_interval_ms=checkpoint_interval_ms,
                initial_task_delay_ms=initial_task_delay_ms,
                cleaner_backoff_ms=cleaner_backoff_ms,
                cleaner=cleaner,
            )
        )

    async def retain(self) -> list[tuple[PartitionPlace, int, Breach]]:
        """See `LogManager.retain`."""
        return await self.call(LogManager.retain)

    async def compact(self) -> tuple[PartitionPlace, Compaction] | None:
        """See `LogManager.compact`. Appends and reads go on meanwhile."""
        return await self._threads.compactor.call(self._manager.compact)

    async def transactions(self) -> tuple[TransactionMetadata, ...]:
        """See `LogManager.transactions`."""
        return await self.call(LogManager.transactions)

    async def abort_transaction(self, transactional_id: str) -> TransactionMetadata:
        """See `LogManager.abort_transaction`."""
        return await self.call(lambda manager: manager.abort_transaction(transactional_id))

    def transaction(
        self,
        transactional_id: str,
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        durability: Durability = "markers",
        partitions: Iterable[tuple[str, int]] = (),
    ) -> Opening[AsyncTransaction]:
        """Begin a transaction over partitions: ``async with manager.transaction(...)``, or ``await`` it; see
        `LogManager.transaction`."""

        async def begin() -> AsyncTransaction:
            writer = self._threads.writer
            begun = await writer.complete(
                lambda: self._manager.transaction(
                    transactional_id, timeout_ms=timeout_ms, durability=durability, partitions=partitions
                ),
                undo=Transaction.abort,
            )
            return AsyncTransaction(writer, begun)

        return Opening(begin)

    async def close(self) -> None:
        """Close all logs, after the changes that were asked for before, as `LogManager.close`; twice is no error. A
        cancellation waits until they are closed."""
        if self._closing is None:
            self._closing = self._threads.closed(self._manager.close)
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


class AsyncTransaction(EndsTransaction):
    """A `Transaction` for asyncio; made by `AsyncLogManager.transaction`. It commits at the end of ``async with``;
    after an exception or a cancellation it aborts.

    Attributes:
        transactional_id: the id with which it was begun.
    """

    def __init__(self, worker: LoopWorker, transaction: Transaction) -> None:
        super().__init__(worker, transaction)
        self._begun = transaction

    async def append(
        self, topic: str, partition: int, records: Iterable[Any] | Table, *, compression: str | None = None
    ) -> int:
        """Append records to a partition; returns the offset of the first. See `Transaction.append`."""
        given, size, _ = given_to_append(records)
        return await self._worker.call(
            lambda: self._begun.append(topic, partition, given, compression=compression), size
        )

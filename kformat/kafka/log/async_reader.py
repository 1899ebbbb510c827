"""`LogReader` for asyncio: reads in a thread, and waits without one.

    async with AsyncLogReader.open("orders-0") as reader:
        async for record in reader.records(follow=True): ...

Each reader has one thread, which starts with the first read and ends with `AsyncLogReader.close`. A task that waits for
an append needs no thread: the event loop watches the descriptor on which the kernel reports changes of the folder
(`kformat.storage.changes`), and otherwise looks again and again.

What a cancellation leaves: no descriptor, and no lock, which readers do not have. A batch that `AsyncCursor.poll` had
already read when it was cancelled is returned by the next `AsyncCursor.poll`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from types import TracebackType
from typing import Literal, NamedTuple, Self, TypeVar, Unpack, overload
from weakref import WeakSet

from kformat.errors import LogError
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, Table
from kformat.kafka.index.lookup import Answer
from kformat.kafka.log.fetched import Fetched, LogReading, TimestampOffset
from kformat.kafka.log.log_reader import POLL_S, Cursor, LogReader, Reset, batch_groups, bounded, record_groups
from kformat.kafka.producers.isolation import READ_UNCOMMITTED
from kformat.loop_worker import LoopBell, LoopWorker, Opening, iterated
from kformat.results import printable
from kformat.storage.changes import FolderChanges
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.times import Moment, deadline

_OPEN_PAUSE_S = 0.05
T = TypeVar("T")


class _FolderBell(LoopBell):
    """Rings when something changes in a folder, as far as that is reported."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self._changes = FolderChanges(path)
        self._waiting_count = 0
        self._is_watching = False

    async def changed(self, count: int, timeout_s: float | None) -> None:
        """As `LoopBell.changed`; earlier where changes are not reported."""
        if self._changes.descriptor is None:
            timeout_s = self._changes.pause_s(POLL_S if timeout_s is None else timeout_s)
        elif not self._is_watching:
            self.loop.add_reader(self._changes.descriptor, self._noticed)
            self._is_watching = True
        self._waiting_count += 1
        try:
            await super().changed(count, timeout_s)
        finally:
            self._waiting_count -= 1
            if not self._waiting_count:
                self._watch_no_longer()

    def restart(self) -> None:
        """See `FolderChanges.restart`."""
        self._changes.restart()

    def _noticed(self) -> None:
        self._changes.take()
        self.ring()

    def _watch_no_longer(self) -> None:
        if self._is_watching and self._changes.descriptor is not None:
            self.loop.remove_reader(self._changes.descriptor)
        self._is_watching = False

    def close(self) -> None:
        """Wake all tasks, and watch no longer; closing twice is no error."""
        self._watch_no_longer()
        self._changes.close()
        self.ring()


class _Polled(NamedTuple):
    """A batch, and what the cursor's attributes are once it was returned."""

    batch: AnyBatch
    from_offset: int | None
    next_offset: int | None


class AsyncCursor:
    """A `Cursor` for asyncio; made by `AsyncLogReader.cursor`.

    Attributes:
        name: the name under which `commit` stores the position; None for a cursor without.
        from_offset: the offset that the last returned batch was requested for; the batch may begin below it.
        next_offset: the offset after the last returned batch, and after control batches that were passed over
            since; before the first one as in `Cursor`.
    """

    def __init__(self, cursor: Cursor, worker: LoopWorker, bell: _FolderBell) -> None:
        self._cursor, self._worker, self._bell = cursor, worker, bell
        self._ready: deque[_Polled] = deque()  # what was read for tasks that were cancelled
        self.name, self.from_offset, self.next_offset = cursor.name, cursor.from_offset, cursor.next_offset

    @property
    def committed_offset(self) -> int | None:
        """The offset committed last, by this process or an earlier one; None if there is none."""
        return self._cursor.committed_offset

    @property
    def is_closed(self) -> bool:
        """Whether it, or its reader, was closed."""
        return self._cursor.is_closed

    async def poll(self, timeout_s: float | None = 0.0) -> AnyBatch | None:
        """The next batch, None if the log ends here for now; waits, and raises, as `Cursor.poll`.

        A batch that was read by a cancelled call is returned by the next one.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            count = self._bell.count
            passed = None if self._ready else await self._worker.call(self._read)
            if self._ready:
                batch, self.from_offset, self.next_offset = self._ready.popleft()
                self._bell.restart()
                return batch
            if passed is not None:  # control batches at the log's end
                self.next_offset = max(passed, self.next_offset or 0)
            left_s = POLL_S if until is None else min(POLL_S, until - time.monotonic())
            if left_s <= 0:
                return None
            await self._bell.changed(count, left_s)

    def _read(self) -> int | None:
        """Read a batch, in the thread; returns the next offset to read, also if there is none."""
        batch = self._cursor.poll()
        if batch is not None:
            self._ready.append(_Polled(batch, self._cursor.from_offset, self._cursor.next_offset))
        return self._cursor.next_offset

    async def commit(self, next_offset: int | None = None) -> int | None:
        """Store the position under the cursor's name, as `Cursor.commit`: by default `next_offset`.

        A cancelled call that has begun waits until the position is stored.
        """
        offset = self.next_offset if next_offset is None else next_offset
        if offset is None and self.name is not None:
            return None
        return await self._worker.complete(lambda: self._cursor.commit(offset))

    async def close(self) -> None:
        """Close it; closing twice is no error."""
        await self._worker.ensure(self._cursor.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        name = "" if self.name is None else f" {self.name!r}"
        at = "at the log's start" if self.next_offset is None else f"next offset {self.next_offset}"
        return f"<AsyncCursor{name} of {printable(self._worker.name)}: {at}, {'closed' if self.is_closed else 'open'}>"


class AsyncLogReader:
    """Reads a log while another process may write it, for asyncio; see the module, and `LogReader` for the rules.

    Tasks may share it; their calls take turns. It belongs to the event loop in which it was opened.
    """

    def __init__(self, reader: LogReader, worker: LoopWorker) -> None:
        self._reader, self._worker, self.path = reader, worker, reader.path
        self._bell = _FolderBell(reader.path)
        self._cursors: WeakSet[AsyncCursor] = WeakSet()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        wait: float = 0.0,
        before_log_start: bool = False,
        limit: int = DEFAULT_INFLATE_LIMIT,
    ) -> Opening[AsyncLogReader]:
        """Open a partition's folder for reading: ``async with AsyncLogReader.open(...)``, or ``await`` it.

        Arguments and errors are those of `LogReader.open`.
        """

        async def open_it() -> AsyncLogReader:
            until = deadline(wait)
            worker = LoopWorker(os.fspath(path))
            try:
                while True:
                    try:
                        reader = await worker.complete(
                            lambda: LogReader.open(path, before_log_start=before_log_start, limit=limit),
                            undo=LogReader.close,
                        )
                        return cls(reader, worker)
                    except (FileNotFoundError, LogError):
                        left_s = until - time.monotonic()
                        if left_s <= 0:
                            raise
                    await asyncio.sleep(min(_OPEN_PAUSE_S, left_s))
            except BaseException:
                await worker.end()
                raise

        return Opening(open_it)

    @property
    def is_closed(self) -> bool:
        return self._reader.is_closed

    async def call(self, function: Callable[[LogReader], T]) -> T:
        """The result of a function of the `LogReader`, called in this reader's thread."""
        return await self._worker.call(lambda: function(self._reader))

    async def start_offset(self) -> int:
        """See `LogReader.start_offset`."""
        return await self.call(lambda reader: reader.start_offset)

    async def log_start_offset(self) -> int:
        """See `LogReader.log_start_offset`."""
        return await self.call(lambda reader: reader.log_start_offset)

    async def remote_offsets(self) -> range:
        """See `LogReader.remote_offsets`."""
        return await self.call(lambda reader: reader.remote_offsets)

    async def end_offset(self) -> int:
        """See `LogReader.end_offset`."""
        return await self.call(lambda reader: reader.end_offset)

    async def last_stable_offset(self) -> int:
        """See `LogReader.last_stable_offset`."""
        return await self.call(lambda reader: reader.last_stable_offset)

    @overload
    async def offset_for_timestamp(
        self, timestamp: Moment, *, explain: Literal[False] = False
    ) -> TimestampOffset | None: ...
    @overload
    async def offset_for_timestamp(self, timestamp: Moment, *, explain: Literal[True]) -> Answer: ...
    async def offset_for_timestamp(
        self, timestamp: Moment, *, explain: bool = False
    ) -> TimestampOffset | Answer | None:
        """The first record from a time on; see `LogReader.offset_for_timestamp`."""
        return await self.call(
            lambda reader: (
                reader.offset_for_timestamp(timestamp, explain=True)
                if explain
                else reader.offset_for_timestamp(timestamp)
            )
        )

    async def to_arrow(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[LogReading]) -> Table:
        """The records as one ``pyarrow.Table``, read in the thread; see `LogReader.to_arrow`. Other calls wait for
        it."""
        return await self.call(lambda reader: reader.to_arrow(columns, **options))

    async def refresh(self) -> None:
        """See `LogReader.refresh`."""
        await self.call(LogReader.refresh)

    async def read(
        self,
        offset: int,
        max_bytes: int = 1 << 20,
        *,
        min_one_batch: bool = True,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> Fetched:
        """The whole batches from an offset on; see `LogReader.read`."""
        return await self.call(
            lambda reader: reader.read(offset, max_bytes, min_one_batch=min_one_batch, isolation_level=isolation_level)
        )

    async def wait(self, offset: int, timeout_s: float | None = None) -> bool:
        """Wait until `end_offset` is above an offset; False after ``timeout_s`` seconds; None waits for ever."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            count = self._bell.count
            if await self.end_offset() > offset:
                self._bell.restart()
                return True
            left_s = POLL_S if until is None else min(POLL_S, until - time.monotonic())
            if left_s <= 0:
                return False
            await self._bell.changed(count, left_s)

    def cursor(
        self,
        start_offset: int | None = None,
        *,
        auto_offset_reset: Reset = "error",
        name: str | None = None,
        positions: str | os.PathLike[str] | None = None,
        isolation_level: str = READ_UNCOMMITTED,
        sync_ms: float = 0,
        include_control: bool = False,
    ) -> Opening[AsyncCursor]:
        """A position to read from, batch by batch: ``async with reader.cursor(...)``, or ``await`` it.

        Arguments and errors are those of `LogReader.cursor`.
        """

        def make() -> Cursor:
            return self._reader.cursor(
                start_offset,
                auto_offset_reset=auto_offset_reset,
                name=name,
                positions=positions,
                isolation_level=isolation_level,
                sync_ms=sync_ms,
                include_control=include_control,
            )

        async def open_it() -> AsyncCursor:
            cursor = await self._worker.complete(make, undo=Cursor.close)
            opened = AsyncCursor(cursor, self._worker, self._bell)
            self._cursors.add(opened)
            return opened

        return Opening(open_it)

    def batches(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        poll_s: float = POLL_S,
        auto_offset_reset: Reset = "error",
        isolation_level: str = READ_UNCOMMITTED,
    ) -> AsyncGenerator[AnyBatch, None]:
        """The batches between two offsets, in log order: ``async for batch in reader.batches(...)``.

        Arguments and errors are those of `LogReader.batches`; the iteration raises them, also those of arguments.
        """

        def groups() -> Generator[Iterable[AnyBatch] | None, None, None]:
            yield from batch_groups(
                *bounded(self._reader, start_offset, end_offset, auto_offset_reset, isolation_level)
            )

        return self._iterated(groups(), follow, timeout_s, poll_s)

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        follow: bool = False,
        timeout_s: float | None = None,
        poll_s: float = POLL_S,
        auto_offset_reset: Reset = "error",
        include_control: bool = False,
        isolation_level: str = READ_UNCOMMITTED,
    ) -> AsyncGenerator[Record, None]:
        """The records of `batches`, each once: ``async for record in reader.records(...)``.

        Arguments and errors are those of `LogReader.records` and of `batches`.
        """

        def groups() -> Generator[Iterable[Record] | None, None, None]:
            cursor, end = bounded(self._reader, start_offset, end_offset, auto_offset_reset, isolation_level)
            yield from record_groups(cursor, end, include_control=include_control)

        return self._iterated(groups(), follow, timeout_s, poll_s)

    def _iterated(
        self,
        groups: Generator[Iterable[T] | None, None, None],
        follow: bool,
        timeout_s: float | None,
        poll_s: float,
    ) -> AsyncGenerator[T, None]:
        return iterated(self._worker, self._bell, groups, follow=follow, timeout_s=timeout_s, longest_s=poll_s)

    async def close(self) -> None:
        """Close it, with all its cursors, and end its thread; closing twice is no error."""
        self._worker.refuse()
        self._bell.close()
        await self._worker.end()
        for cursor in self._cursors:
            await cursor.close()
        self._reader.close()

    def __aiter__(self) -> AsyncGenerator[Record, None]:
        return self.records()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncLogReader {printable(str(self.path))}: {'closed' if self.is_closed else 'open'}>"


__all__ = ["AsyncCursor", "AsyncLogReader"]

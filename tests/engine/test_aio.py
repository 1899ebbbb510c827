"""The engine under asyncio: the same log, appends that share syncs, room, cancellation, and nothing left."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import inspect
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, TypeVar, assert_type

import pytest

import kformat
from kformat.errors import InvalidProducerEpochError, LogClosedError, OffsetOutOfRangeError, UsageError
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log.fetched import Fetched
from kformat_engine import AsyncLog, AsyncLogManager, Log, LogConfig, LogManager, SegmentInfo
from kformat_engine.aio import LogOptions
from kformat_engine.aio_manager import ManagerOptions
from kformat_engine.errors import (
    CorruptBatchError,
    InvalidRecordError,
    InvalidTimestampError,
    RecordTooLargeError,
    RootLockedError,
    WriterFailedError,
)
from tests.draws import at_most, every
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import NOW_MS, UnsyncedStorage
from tests.loop_plays import WAYS, CancelledAt, Gate, cancelled_at_disk_step, quiet, threads, values_of, waited
from tools import documents

T = TypeVar("T")
BATCH = LogConfig().with_sync("batch")
LONG_S = 60


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a test; at its end no thread is left."""
    result = asyncio.run(asyncio.wait_for(main, LONG_S))
    assert not threads()
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log-0"


# The same log


RECORD = {"offset_delta": 0, "timestamp_delta": 0, "key": None, "value": b"v"}
BATCHES = 3 * kformat.build("record_batch", {"base_timestamp": 1, "max_timestamp": 1, "records": [RECORD]})


def stream() -> Iterator[bytes]:
    yield b"from"
    yield b"an iterator"


CALLS: dict[str, Callable[[Any], Any]] = {
    "append": lambda log: log.append([(b"key", b"value"), b"alone"]),
    "append a stream": lambda log: log.append(stream()),
    "append nothing": lambda log: log.append([]),
    "append compressed": lambda log: log.append([b"a" * 100] * 10, compression="zstd"),
    "append mappings": lambda log: log.append([{"value": b"v", "headers": {"h": b"1"}}, {"timestamp": NOW_MS + 5}]),
    "append values": lambda log: log.append([{"value": {"a": 1}}], value_as="json"),
    "append no records": lambda log: log.append(b"bytes"),
    "append what is none": lambda log: log.append([b"right", 7]),
    "append batches": lambda log: log.append_batches(BATCHES),
    "append no batch": lambda log: log.append_batches(b"x" * 100),
    "roll": lambda log: log.roll(),
    "flush": lambda log: log.flush(),
    "read": lambda log: log.read(1),
    "read beyond": lambda log: log.read(10_000),
    "find": lambda log: log.offset_for_timestamp(NOW_MS + 5),
    "explain": lambda log: log.offset_for_timestamp(NOW_MS + 5, explain=True),
    "table": lambda log: log.to_arrow(["offset", "value"], start_offset=2),
    "table of nothing": lambda log: log.to_arrow(["none"]),
    "cut": lambda log: log.truncate_to(9),
    "retain": lambda log: log.retain(),
    "delete": lambda log: log.delete_records_before(1),
    "compact": lambda log: log.compact(),
    "start over": lambda log: log.truncate_fully_and_start_at(50),
}


async def outcome(call: Callable[[Any], Any], log: Log | AsyncLog) -> object:
    """The result of a call, or its error."""
    try:
        result = call(log)
        if inspect.isawaitable(result):
            result = await result
        return result
    except (kformat.errors.KformatError, OSError) as error:
        return type(error), str(error).replace("async", "sync")


def extents(segments: Iterable[SegmentInfo]) -> list[tuple[int, int, int]]:
    return [(segment.base_offset, segment.end_offset, segment.size_bytes) for segment in segments]


def test_calls_do_what_those_of_a_log_do(tmp_path: Path) -> None:
    async def main() -> None:
        given: dict[str, Any] = {"clock": lambda: NOW_MS, "storage": UnsyncedStorage()}
        with Log.open(tmp_path / "sync" / "log-0", **given) as one:
            async with AsyncLog.open(tmp_path / "async" / "log-0", **given) as other:
                for name, call in CALLS.items():
                    expected, found = await outcome(call, one), await outcome(call, other)
                    if name == "read":
                        assert isinstance(found, Fetched)
                        expected, found = bytes(one.read(1).data), bytes(found.data)
                    assert found == expected, name
                    assert (other.start_offset, other.log_start_offset) == (one.start_offset, one.log_start_offset)
                    assert (other.end_offset, other.last_stable_offset) == (one.end_offset, one.last_stable_offset)
                    assert [record async for record in other] == list(one)
                    assert (other.size_bytes, other.segment_count) == (one.size_bytes, one.segment_count)
                    assert (other.recovery_point, other.leader_epochs) == (one.recovery_point, one.leader_epochs)
                    assert extents(await other.segments()) == extents(one.segments)
                    assert other.metrics.record_count == one.metrics.record_count
        names = {file.name for file in (tmp_path / "sync" / "log-0").iterdir()} - {"kformat-log-id"}
        for name in names:
            assert (tmp_path / "async/log-0" / name).read_bytes() == (tmp_path / "sync/log-0" / name).read_bytes(), name

    run(main())


@pytest.mark.parametrize(("options", "open_log"), [(LogOptions, Log.open), (ManagerOptions, LogManager.open)])
def test_every_argument_of_open_can_be_passed_on(options: type, open_log: Callable[..., object]) -> None:
    keywords = {
        name
        for name, parameter in inspect.signature(open_log).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert options.__annotations__.keys() == keywords - {"lock_timeout_s"}


def test_records_and_batches_are_typed(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log, kformat.AsyncLogReader.open(path) as reader:
            assert_type(log, AsyncLog)
            await log.append([b"a"])
            async for record in log.records():
                assert_type(record, kformat.Record)
            async for record in reader:
                assert_type(record, kformat.Record)
            async for batch in reader.batches():
                assert_type(batch, AnyBatch)
            async with log.transaction("id") as t:
                assert_type(await t.append([b"b"]), int)

    run(main())


@pytest.mark.parametrize("isolation_level", ["read_uncommitted", "read_committed"])
def test_iterations_give_what_those_of_a_log_give(path: Path, isolation_level: str) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log:
            for number in range(5):
                await log.append([b"%d" % number] * 3)
            with pytest.raises(ValueError, match="no"):
                async with log.transaction("aborted") as t:
                    await t.append([b"aborted"])
                    raise ValueError("no")
            await log.append([b"last"])
            with kformat.LogReader.open(path) as one:
                for bounds in ((None, None), (0, 7), (4, None), (15, 17), (17, None)):
                    wanted = list(one.records(*bounds, isolation_level=isolation_level))
                    assert [record async for record in log.records(*bounds, isolation_level=isolation_level)] == wanted
                    batches = [batch.base_offset for batch in one.batches(*bounds, isolation_level=isolation_level)]
                    async with kformat.AsyncLogReader.open(path) as reader:
                        for source in (log, reader):
                            found = source.batches(*bounds, isolation_level=isolation_level)
                            assert [batch.base_offset async for batch in found] == batches
                        found_records = reader.records(*bounds, isolation_level=isolation_level)
                        assert [record async for record in found_records] == wanted
            with pytest.raises(OffsetOutOfRangeError):
                await anext(log.records(100))
            with pytest.raises(UsageError, match="isolation"):
                log.records(isolation_level="none")

    run(main())


def test_records_before_damage_are_given_first(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log, kformat.AsyncLogReader.open(path) as reader:
            await log.append([b"sound"])
            await log.append([b"wrong"])
            await log.roll()
            with open(path / file_name(0, "log"), "r+b") as stream:
                stream.seek(-3, os.SEEK_END)
                stream.write(b"x")
            for source in (log, reader):
                found = []
                with pytest.raises(kformat.errors.ChecksumError):
                    async for record in source.records():
                        found.append(record.value)
                assert found == [b"sound"]

    run(main())


# Appends that share a sync


def test_appends_that_wait_for_a_sync_share_the_next_one(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            disk.close()
            first = asyncio.create_task(log.append([b"first"]))
            await disk.reached()
            tasks = [asyncio.create_task(log.append([b"%d" % task, b"%d again" % task])) for task in range(33)]
            await asyncio.sleep(0)
            assert log.synced_offset == 0
            disk.open_up()
            assert await first == 0
            offsets = await asyncio.gather(*tasks)
            assert offsets == [1 + 2 * task for task in range(33)]  # the order of the calls
            assert disk.sync_count == 2
            assert log.synced_offset == log.end_offset == 67
            assert [batch.base_offset async for batch in log.batches()] == [0, 1]

    run(main())
    assert values_of(path) == [b"first", *(value for n in range(33) for value in (b"%d" % n, b"%d again" % n))]


def test_an_append_of_several_records_is_never_divided_by_its_neighbours(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            disk.close()
            first = asyncio.create_task(log.append([b"first"]))
            await disk.reached()
            tasks = [asyncio.create_task(log.append([b"v" * 3000] * 3)) for _ in range(7)]
            await asyncio.sleep(0)
            disk.open_up()
            await asyncio.gather(first, *tasks)
            found = [(batch.base_offset, batch.last_offset) async for batch in log.batches()]
            assert found == [(0, 0), *((first, first + 2) for first in range(1, 22, 3))]
            assert disk.sync_count == 2

    run(main())


def test_an_error_is_that_of_one_caller(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            producer = await log.producer("p")
            other = await log.producer("p")
            disk.close()
            first = asyncio.create_task(log.append([b"first"]))
            await disk.reached()
            calls: dict[str, tuple[Awaitable[int], object]] = {
                "a": (log.append([b"a"]), 1),
                "time": (log.append([{"value": b"c", "timestamp": -5}]), InvalidTimestampError),
                "b": (log.append([(None, b"b")]), 2),  # the three would share a batch
                "text": (log.append([b"b", "no bytes"]), InvalidRecordError),  # type: ignore[list-item]
                "fenced": (producer.append([b"d"]), InvalidProducerEpochError),
                "e": (log.append([b"e"], compression="none"), 3),
                "large": (log.append([b"f" * 2_000_000]), RecordTooLargeError),
                "batch": (log.append_batches(b"no batch" * 20), CorruptBatchError),
                "g": (log.append([b"g"]), 4),
                "h": (other.append([b"h"], sequence=0), 5),
                "built": (log.append([{"value": {"a": 1}}], value_as="json"), 6),
            }
            tasks = [asyncio.ensure_future(call) for call, _ in calls.values()]
            await asyncio.sleep(0)
            disk.open_up()
            assert await first == 0
            found = await asyncio.gather(*tasks, return_exceptions=True)
            results = [result if isinstance(result, int) else type(result) for result in found]
            assert dict(zip(calls, results, strict=True)) == {name: result for name, (_, result) in calls.items()}
            assert disk.sync_count == 2

    run(main())
    assert values_of(path) == [b"first", b"a", b"b", b"e", b"g", b"h", b'{"a":1}']


def test_records_of_several_codecs_share_no_batch(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            disk.close()
            first = asyncio.create_task(log.append([b"first"]))
            await disk.reached()
            codecs = "zstd", "zstd", None, "none", "lz4"
            tasks = [asyncio.create_task(log.append([b"v" * 100], compression=codec)) for codec in codecs]
            await asyncio.sleep(0)
            disk.open_up()
            await asyncio.gather(first, *tasks)
            found = [(batch.base_offset, CODEC_NAMES[batch.compression]) async for batch in log.batches(1)]
            assert found == [(1, "zstd"), (3, "none"), (4, "none"), (5, "lz4")]

    run(main())


def test_a_sync_that_fails_acknowledges_no_append(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        log = await AsyncLog.open(path, BATCH, storage=disk)
        disk.close()
        first = asyncio.create_task(log.append([b"first"]))
        await disk.reached()
        disk.failing_sync = 2
        tasks = [asyncio.ensure_future(log.append([b"%d" % number] * 100)) for number in range(40)]
        wrong = asyncio.ensure_future(log.append([b"7", 7]))  # type: ignore[list-item]
        await asyncio.sleep(0)
        disk.open_up()
        assert await first == 0
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(error) for error in found} == {OSError}
        assert isinstance(await asyncio.wait_for(asyncio.gather(wrong, return_exceptions=True), LONG_S), list)
        assert isinstance(wrong.exception(), InvalidRecordError)
        assert log.has_failed and log.synced_offset == 1
        await log.close()

    run(main())


@pytest.mark.parametrize("operation", ["write", "sync"])
def test_no_append_is_acknowledged_whose_sync_failed(path: Path, operation: str) -> None:
    async def main() -> None:
        disk = FaultyStorage()
        log = await AsyncLog.open(path, BATCH, storage=disk)
        await log.append([b"kept"])
        number = next(step.number for step in disk.trace[::-1] if step.operation == operation)
        length = len(disk.trace) - number
        disk.fault = Fault(len(disk.trace) + 2 - length if operation == "sync" else len(disk.trace) + 1, errno.EIO)
        found = await asyncio.gather(*(log.append([b"%d" % n]) for n in range(5)), return_exceptions=True)
        assert all(isinstance(error, OSError | WriterFailedError) for error in found), found
        assert isinstance(found[0], OSError)
        assert log.has_failed
        with pytest.raises(WriterFailedError):
            await log.append([b"later"])
        await log.close()
        assert not disk.open_files()

    run(main())
    with Log.open(path) as log:
        assert next(log.records()).value == b"kept"


def test_appends_wait_for_room(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, most_waiting_bytes=3000, storage=disk) as log:
            worker = log._threads.writer
            disk.close()
            tasks = [asyncio.create_task(log.append([b"v" * 900])) for _ in range(20)]
            await disk.reached()
            assert worker._bytes == 3 * 940 and len(worker._held) == 17
            large = asyncio.create_task(log.append([b"v" * 10_000]))
            small = asyncio.create_task(log.append([b"s"]))  # overtakes none
            tasks[5].cancel()
            await asyncio.wait(tasks[5:6])
            disk.open_up()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert [result for result in done if isinstance(result, int)] == list(range(19))
            assert (await large, await small) == (19, 20)
            assert worker._bytes == 0 and not worker._held

    run(main())


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many", True])
def test_the_limit_is_a_number_of_bytes(path: Path, limit: Any) -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match="most_waiting_bytes"):
            await AsyncLog.open(path, most_waiting_bytes=limit)

    run(main())


# Cancellation


class Program:
    """A program on a log, which notes what was acknowledged."""

    APPENDS = ([b"a0"], [b"b0", b"b1"], [b"c0", b"c1", b"c2"])

    def __init__(self, path: Path, storage: FaultyStorage) -> None:
        self.path, self.storage = path, storage
        self.acknowledged: list[list[bytes]] = []
        self.committed: list[list[bytes]] = []

    async def main(self) -> None:
        async with AsyncLog.open(self.path, BATCH, storage=self.storage) as log:
            for values in self.APPENDS:
                await log.append(values)
                self.acknowledged.append(values)
            producer = await log.producer("p")
            await producer.append([b"p0", b"p1"], sequence=0)
            self.acknowledged.append([b"p0", b"p1"])
            for values in ([b"t0", b"t1"], [b"u0", b"u1"]):
                async with log.transaction("t") as t:
                    for value in values:
                        await t.append([value])
                self.committed.append(values)
            async for _ in log.records(follow=True, timeout_s=0.01):
                pass
            await log.roll()
            async with asyncio.TaskGroup() as group:
                group.create_task(log.append([b"g0"]))
            self.acknowledged.append([b"g0"])

    def check(self) -> None:
        """Check what a cancellation anywhere left."""
        assert not threads()
        assert not self.storage.open_files()
        if not self.path.is_dir():
            assert not self.acknowledged
            return
        values = values_of(self.path)
        assert len(set(values)) == len(values), values
        for group in (*self.APPENDS, [b"p0", b"p1"], [b"g0"]):
            found = [value for value in values if value in group]
            assert found == group if group in self.acknowledged else found in ([], group), values
        committed = values_of(self.path, "read_committed")
        for group in ([b"t0", b"t1"], [b"u0", b"u1"]):
            found = [value for value in committed if value in group]
            assert found == group if group in self.committed else found in ([], group), committed
        plain = {value for value in values if value not in (b"t0", b"t1", b"u0", b"u1")}
        assert plain.issubset(committed), "an open transaction was left"


async def cancelled_run(path: Path, number: int, way: str) -> tuple[Program, bool]:
    """Run the program and cancel it; returns it, and whether there was such a step."""
    if way == WAYS[2]:
        storage, was_cancelled = cancelled_at_disk_step(number)
        program = Program(path, storage)
        running: Awaitable[None] = program.main()
    else:
        program = Program(path, FaultyStorage())
        running = watched = CancelledAt(program.main(), number, way)

        def was_cancelled() -> bool:
            return watched.was_cancelled

    try:
        await running
    except asyncio.CancelledError:
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()
    return program, was_cancelled()


@pytest.mark.parametrize("way", WAYS)
def test_a_cancellation_at_any_step_leaves_nothing_half_done(tmp_path: Path, way: str) -> None:
    steps = every(3 if way == WAYS[2] else 2, range(1, 1000))
    for number in steps:
        program, was_cancelled = asyncio.run(cancelled_run(tmp_path / str(number) / "log-0", number, way))
        program.check()
        if not was_cancelled:
            break
    assert number > 15
    assert len(program.committed) == 2 and len(program.acknowledged) == 5


@pytest.mark.parametrize("way", WAYS[:2])
def test_a_cancelled_append_can_be_repeated(path: Path, way: str) -> None:
    """With a sequence number: whether it was done or not, its records are stored once."""

    async def main() -> None:
        async with AsyncLog.open(path, BATCH, storage=UnsyncedStorage()) as log:
            producer = await log.producer("p")
            for number in range(6):
                watched = CancelledAt(producer.append([b"%d" % number] * 2, sequence=2 * number), number % 3, way)
                task = asyncio.ensure_future(waited(watched))
                await asyncio.wait([task])
                assert task.cancelled() == watched.was_cancelled == (number % 3 == 1)
                assert await producer.append([b"%d" % number] * 2, sequence=2 * number) == 2 * number
                assert await producer.last_sequence() == 2 * number + 1

    run(main())
    assert values_of(path) == [b"%d" % number for number in range(6) for _ in range(2)]


@pytest.mark.parametrize("seed", range(3 * at_most(30) // 10))
def test_tasks_that_are_cancelled_at_random_lose_nothing(tmp_path: Path, seed: int) -> None:
    """What was acknowledged is there once, what was withdrawn may be; the order is that of each task."""
    random, path = Random(seed), tmp_path / "log-0"
    acknowledged: dict[bytes, int] = {}

    async def work(log: AsyncLog, task: int) -> None:
        for number in range(20):
            values = [b"%d %d %d" % (task, number, part) for part in range(random.choice((1, 1, 2, 50)))]
            try:
                async with asyncio.timeout(random.choice((None, None, 0, random.random() / 500))):
                    first = await log.append(values)
            except TimeoutError:
                continue
            acknowledged.update((value, first + part) for part, value in enumerate(values))

    async def main() -> None:
        config = LogConfig(segment_bytes=20_000).with_sync("batch")
        async with AsyncLog.open(path, config, most_waiting_bytes=random.choice((100, 5000, 1 << 20))) as log:
            await asyncio.gather(*(work(log, task) for task in range(12)))

    run(main())
    values = values_of(path)
    assert len(set(values)) == len(values)
    assert all(values[offset] == value for value, offset in acknowledged.items())
    for task in range(12):
        own = [tuple(map(int, value.split())) for value in values if value and value.startswith(b"%d " % task)]
        assert own == sorted(own)


def test_an_append_that_has_begun_is_completed(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            disk.close()
            begun = asyncio.create_task(log.append([b"begun"]))
            await disk.reached()
            waiting = asyncio.create_task(log.append([b"withdrawn"]))
            await asyncio.sleep(0)
            for task in (begun, waiting):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):  # at once: the disk still hangs
                    await task
            disk.open_up()

    run(main())
    assert values_of(path) == [b"begun"]


def test_a_commit_that_has_begun_is_completed(path: Path) -> None:
    async def main() -> str:
        disk = Gate()
        async with AsyncLog.open(path, storage=disk) as log:
            t = await log.transaction("t")
            await t.append([b"whole"])
            disk.close()
            task = asyncio.create_task(t.commit())
            await disk.reached()
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0)
            assert not task.done()
            disk.open_up()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await t.state()

    assert run(main()) == "CompleteCommit"
    assert values_of(path, "read_committed") == [b"whole"]


def test_a_commit_that_has_not_begun_becomes_an_abort(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLog.open(path, BATCH, storage=disk) as log:
            t = await log.transaction("t")
            await t.append([b"none of it"])
            disk.close()
            blocking = asyncio.create_task(log.append([b"first"]))
            await disk.reached()
            leaving = asyncio.create_task(t.__aexit__(None, None, None))
            await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.sleep(0)
            disk.open_up()
            await asyncio.wait([leaving, blocking])
            assert leaving.cancelled() and await t.state() == "CompleteAbort"
            assert log.last_stable_offset == log.end_offset

    run(main())


def test_a_timeout_aborts_the_transaction(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05), log.transaction("t") as t:
                    await t.append([b"late"])
                    await asyncio.sleep(LONG_S)
            assert await t.state() == "CompleteAbort"
            with pytest.raises(UsageError, match="was aborted"):
                await t.commit()

    run(main())


def test_opening_waits_for_the_root_and_can_be_cancelled(path: Path) -> None:
    async def main() -> None:
        with Log.open(path):
            with pytest.raises(RootLockedError):
                await AsyncLog.open(path)
            with pytest.raises(RootLockedError):
                await AsyncLog.open(path, lock_timeout_s=0.01)
            task = asyncio.create_task(waited(AsyncLog.open(path, lock_timeout_s=float("inf"))))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not threads()
            task = asyncio.create_task(waited(AsyncLog.open(path, lock_timeout_s=LONG_S)))
            await asyncio.sleep(0)
        log = await task
        await log.close()

    run(main())


# Following


def test_a_follower_gets_what_is_appended_and_does_not_look_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with AsyncLog.open(path, storage=UnsyncedStorage()) as log:
            reads = list[int]()
            fetcher = log._log._fetcher
            read = fetcher.read

            def counted(offset: int, *arguments: Any, **keywords: Any) -> Any:
                reads.append(offset)
                return read(offset, *arguments, **keywords)

            monkeypatch.setattr(fetcher, "read", counted)
            found = list[bytes | None]()

            async def follow() -> None:
                async for record in log.records(follow=True):
                    found.append(record.value)

            followers = [asyncio.create_task(follow()) for _ in range(3)]
            for number in range(10):
                await log.append([b"%d" % number])
                while len(found) < 3 * (number + 1):
                    await asyncio.sleep(0.001)
            await quiet(reads)
            assert sorted(found, key=str) == sorted([b"%d" % number for number in range(10)] * 3, key=str)
            followers[0].cancel()
            await asyncio.wait(followers[:1])
            assert followers[0].cancelled()
        await asyncio.gather(*followers[1:])  # they end when the log is closed

    run(main())


def test_a_follower_of_committed_data_waits_for_the_commit(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path, storage=UnsyncedStorage()) as log:
            records = log.records(follow=True, isolation_level="read_committed")
            async with log.transaction("t") as t:
                await t.append([b"a"])
                waiting = asyncio.ensure_future(anext(records))
                await log.append([b"b"])
                done, _ = await asyncio.wait([waiting], timeout=0.02)
                assert not done
            assert (await waiting).value == b"a"
            assert (await anext(records)).value == b"b"
            await records.aclose()

    run(main())


def test_following_ends_after_a_time_without_records(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log, kformat.AsyncLogReader.open(path) as reader:
            await log.append([b"a", b"b"])
            for source in (log, reader):
                found: AsyncIterator[kformat.Record] = source.records(follow=True, timeout_s=0.02)
                assert [record.value async for record in found] == [b"a", b"b"]

    run(main())


# Closing, event loops


def test_closing_waits_for_what_was_asked_for(path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        log = await AsyncLog.open(path, BATCH, storage=disk, most_waiting_bytes=100)
        disk.close()
        tasks = [asyncio.create_task(log.append([b"%d" % n])) for n in range(5)]
        await disk.reached()
        closing = [asyncio.create_task(log.close()) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(LogClosedError):
            await log.append([b"too late"])
        closing[0].cancel()
        await asyncio.sleep(0)
        assert not closing[0].done()
        disk.open_up()
        await asyncio.wait(closing)
        assert closing[0].cancelled() and closing[1].result() is None
        assert await asyncio.gather(*tasks) == list(range(5))
        assert log.is_closed and not disk.open_files()
        await log.close()
        for call in (lambda: log.append([b"a"]), lambda: log.read(0), lambda: anext(log.records()), log.flush):
            with pytest.raises(LogClosedError):
                await call()

    run(main())


def test_a_log_belongs_to_one_event_loop(path: Path) -> None:
    async def main() -> None:
        async with AsyncLog.open(path) as log:

            async def elsewhere() -> None:
                with pytest.raises(UsageError, match="another event loop"):
                    await log.append([b"a"])

            await asyncio.to_thread(asyncio.run, elsewhere())

    run(main())


def test_an_event_loop_that_ends_first_does_no_harm(path: Path) -> None:
    async def forgotten() -> AsyncLog:
        log = await AsyncLog.open(path)
        await log.append([b"a"])
        return log

    log = asyncio.run(forgotten())
    follower = log._bell
    follower._is_awaited = True  # as if a task had been waiting
    assert log._log.append([b"b"]) == 1
    log._log.close()

    async def end() -> None:
        log._threads.writer._ended = asyncio.get_running_loop().create_future()
        log._threads.writer._ring()

    asyncio.run(end())
    thread = log._threads.writer._thread
    assert thread is not None
    thread.join(LONG_S)
    assert values_of(path) == [b"a", b"b"]


# Several partitions


def test_a_manager_has_transactions_over_partitions(tmp_path: Path) -> None:
    async def main() -> None:
        places = [tmp_path / "a", tmp_path / "b"]
        async with AsyncLogManager.open(places) as manager:
            logs = [await manager.create_partition("t", number) for number in range(2)]
            assert await manager.log("t", 1) is logs[1]
            named: dict[str, Any] = {"durability": "decision", "partitions": [("t", 0), ("t", 1)]}
            async with manager.transaction("id", **named) as t:
                for number in range(2):
                    assert await t.append("t", number, [b"in"]) == 0
            assert await t.state() == (await manager.transactions())[0].state == "PrepareCommit"
            with pytest.raises(UsageError, match="nobody"):
                await manager.abort_transaction("nobody")
            with pytest.raises(UsageError, match="partitions is a list"):
                await manager.transaction("id", partitions=["t-0"])  # type: ignore[list-item]
            with pytest.raises(asyncio.CancelledError):
                async with manager.transaction("id") as t:
                    await t.append("t", 0, [b"out"])
                    raise asyncio.CancelledError
            assert await t.state() == "CompleteAbort"
            for log in logs:
                assert [record.value async for record in log.records(isolation_level="read_committed")] == [b"in"]
            moved = await manager.move("t", 0, places[1])
            assert logs[0].is_closed and await manager.log("t", 0) is moved
            assert await moved.append([b"moved"]) == 4
            await manager.delete_partition("t", 1)
            with pytest.raises(kformat.errors.KformatError):
                await manager.log("t", 1)
            assert manager.partitions() == await manager.call(LogManager.partitions)
            assert (manager.refused, manager.offline, manager.uncleanable) == ({}, {}, {})
            with pytest.raises(UsageError, match="from 1"):
                await manager.start(checkpoint_interval_ms=0)
            await manager.start()
            assert await manager.retain() == [] and await manager.compact() is None
            assert manager.metrics.partition_count == 2 == manager.metrics.retention_run_count
        with pytest.raises(LogClosedError):
            await moved.append([b"late"])
        with pytest.raises(LogClosedError):
            await manager.log("t", 0)
        await manager.close()

    run(main())
    with LogManager.open([tmp_path / "a", tmp_path / "b"]) as opened:
        assert [record.value for record in opened.log("t", 0)] == [b"in", b"out", b"moved"]


def test_appends_to_several_logs_share_the_syncs_of_each(tmp_path: Path) -> None:
    async def main() -> None:
        disk = Gate()
        async with AsyncLogManager.open([tmp_path], BATCH, storage=disk) as manager:
            logs = [await manager.create_partition("t", number) for number in range(3)]
            for log in logs:
                await log.append([b"first"])
            disk.close()
            held = asyncio.create_task(logs[0].append([b"second"]))
            await disk.reached()
            tasks = [asyncio.create_task(logs[number % 3].append([b"%d" % number])) for number in range(30)]
            await asyncio.sleep(0)
            disk.open_up()
            await held
            offsets = await asyncio.gather(*tasks)
            assert offsets == [number // 3 + (2 if number % 3 == 0 else 1) for number in range(30)]
            assert disk.sync_count == 4

    run(main())


# The page


SERVICE = """
async def main():
    is_listening = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(sys.argv[1], is_listening))
    print(await is_listening, flush=True)
    await serving

import sys
asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(at_most(20) // 5))
def test_lines_that_the_service_answered_survive_its_death(path: Path, seed: int) -> None:
    """Killed as by `kill -9`, at some moment: each answered line is there once, at the offset that was answered."""
    page = (documents.ROOT / "docs/asyncio-service.md").read_text(encoding="utf-8")
    program = next(block.body for block in documents.blocks(page) if block.language == "python") + SERVICE
    random, answered = Random(seed), dict[int, bytes]()

    async def put(port: int, client: int) -> None:
        with contextlib.suppress(ConnectionError, ValueError):  # the service has died
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for number in range(1000):
                writer.write(b"put %d %d\n" % (client, number))
                answered[int(await reader.readline())] = b"%d %d" % (client, number)

    async def main() -> None:
        service = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, str(path)), stdout=asyncio.subprocess.PIPE
        )
        assert service.stdout is not None
        try:
            port = int(await service.stdout.readline())
            clients = asyncio.gather(*(put(port, client) for client in range(10)))
            await asyncio.sleep(random.uniform(0.05, 0.3))
            service.kill()
            await clients
        finally:
            with contextlib.suppress(ProcessLookupError):
                service.kill()
            await service.wait()

    run(main())
    assert answered
    with Log.open(path) as log:
        values = [record.value for record in log]
    assert len(set(values)) == len(values)
    assert all(values[offset] == value for offset, value in answered.items())

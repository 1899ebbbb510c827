"""`AsyncLogReader`: what `LogReader` gives, awaited; tasks wake when something was appended, and cancelled ones leave
nothing."""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from kformat import AsyncLogReader, LogReader
from kformat.errors import LogClosedError, OffsetOutOfRangeError, UsageError
from kformat.storage import changes
from kformat_engine import Log
from tests.loop_plays import WAYS, CancelledAt, quiet, threads, waited

T = TypeVar("T")
LONG_S = 60
_APPEND = """
import sys
from kformat_engine import Log
with Log.open(sys.argv[1]) as log:
    sys.stdin.readline()
    log.append([b"from another process"])
    sys.stdin.readline()
"""
ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel reports no changes here")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a test; at its end no thread and no descriptor is left."""
    before = len(os.listdir("/proc/self/fd")) if ON_LINUX.args[0] is False else 0
    result = asyncio.run(asyncio.wait_for(main, LONG_S))
    assert not threads()
    assert not before or len(os.listdir("/proc/self/fd")) == before
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "log-0"
    with Log.open(folder) as log:
        for number in range(8):
            log.append([b"%d" % number] * 2)
    return folder


def test_calls_do_what_those_of_a_reader_do(path: Path) -> None:
    async def main() -> None:
        with LogReader.open(path) as one:
            async with AsyncLogReader.open(path) as other:
                assert await other.start_offset() == one.start_offset
                assert await other.end_offset() == one.end_offset == 16
                assert await other.last_stable_offset() == one.last_stable_offset
                assert await other.read(3) == one.read(3)
                assert await other.offset_for_timestamp(0) == one.offset_for_timestamp(0)
                found = await other.offset_for_timestamp(0, explain=True)
                assert found == one.offset_for_timestamp(0, explain=True) and found.steps
                assert await other.log_start_offset() == await other.call(lambda reader: reader.log_start_offset) == 0
                assert await other.remote_offsets() == one.remote_offsets
                await other.refresh()
                assert await other.to_arrow(["value"], start_offset=3) == one.to_arrow(["value"], start_offset=3)
                assert await other.wait(15) and not await other.wait(16, 0.01)
                with pytest.raises(OffsetOutOfRangeError):
                    await anext(other.records(17))
                with pytest.raises(UsageError, match="auto_offset_reset"):
                    await anext(other.records(auto_offset_reset="first"))  # type: ignore[arg-type]
            assert other.is_closed
            for call in (other.end_offset, lambda: anext(other.records()), lambda: waited(other.cursor())):
                with pytest.raises(LogClosedError):
                    await call()
            await other.close()

    run(main())


@ON_LINUX
@pytest.mark.parametrize("way", ["records", "batches", "poll", "wait"])
def test_an_append_of_another_process_wakes_a_task(path: Path, way: str) -> None:
    """The next look would be in a minute."""

    async def main() -> None:
        with subprocess.Popen([sys.executable, "-c", _APPEND, str(path)], stdin=subprocess.PIPE, text=True) as writer:
            assert writer.stdin is not None
            try:
                async with AsyncLogReader.open(path) as reader:
                    async with reader.cursor(16) as cursor:
                        waiting: asyncio.Task[Any] = asyncio.create_task(
                            {
                                "records": lambda: waited(anext(reader.records(16, follow=True, poll_s=60))),
                                "batches": lambda: waited(anext(reader.batches(16, follow=True, poll_s=60))),
                                "poll": lambda: waited(cursor.poll(60)),
                                "wait": lambda: waited(reader.wait(16)),
                            }[way]()
                        )
                        done, _ = await asyncio.wait([waiting], timeout=0.1)
                        assert not done
                        writer.stdin.write("\n")
                        writer.stdin.flush()
                        found = await waiting
                        assert found is True or getattr(found, "base_offset", getattr(found, "offset", None)) == 16
            finally:
                writer.stdin.close()
                writer.wait(LONG_S)

    run(main())


@ON_LINUX
def test_a_waiting_task_does_not_look(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with AsyncLogReader.open(path) as reader:
            looks = list[str]()
            list_files = LogReader._list

            def counted(self: LogReader) -> Any:
                looks.append("look")
                return list_files(self)

            monkeypatch.setattr(LogReader, "_list", counted)
            found = list[bytes | None]()

            async def follow() -> None:
                async for record in reader.records(16, follow=True, poll_s=60):
                    found.append(record.value)

            waiting = [asyncio.ensure_future(follow()) for _ in range(3)]
            for number in range(2):
                await quiet(looks)
                with Log.open(path) as log:
                    log.append([b"%d" % number])
                while len(found) < 3 * (number + 1):
                    await asyncio.sleep(0.001)
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
            assert found == [b"0"] * 3 + [b"1"] * 3

    run(main())


def test_a_task_looks_again_where_nothing_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_watch", lambda path: None)

    async def main() -> None:
        async with AsyncLogReader.open(path) as reader:
            waiting = asyncio.ensure_future(anext(reader.records(16, follow=True)))
            await asyncio.sleep(0.05)
            with Log.open(path) as log:
                log.append([b"later"])
            assert (await waiting).value == b"later"

    run(main())


@pytest.mark.parametrize("way", WAYS[:2])
def test_a_cancelled_poll_loses_no_batch(path: Path, way: str) -> None:
    async def main() -> None:
        async with AsyncLogReader.open(path) as reader, reader.cursor() as cursor:
            found, number = list[int](), 0
            while len(found) < 8:
                number += 1
                task = asyncio.create_task(waited(CancelledAt(cursor.poll(), number % 3, way)))
                await asyncio.wait([task])
                assert task.cancelled() == (number % 3 == 1)
                if not task.cancelled():
                    batch = task.result()
                    assert batch is not None
                    found.append(batch.base_offset)
                assert cursor.next_offset == (2 * len(found) or None)  # what `commit` would store
            assert found == list(range(0, 16, 2))
            assert await cursor.poll() is None

    run(main())


def test_a_named_cursor_commits_what_was_returned(path: Path, tmp_path: Path) -> None:
    async def main() -> None:
        positions = tmp_path / "positions"
        async with AsyncLogReader.open(path) as reader:
            async with reader.cursor(name="me", positions=positions) as cursor:
                assert cursor.committed_offset is None and await cursor.commit() is None
                assert (await cursor.poll()) is not None
                task = asyncio.create_task(waited(CancelledAt(cursor.poll(), 1, "when the result is there")))
                await asyncio.wait([task])
                assert task.cancelled()
                assert await cursor.commit() == 2  # the second batch was not returned
            cursor = await reader.cursor(name="me", positions=positions)
            batch = await cursor.poll()
            assert batch is not None and batch.base_offset == cursor.committed_offset == 2
            assert await cursor.commit(1) == cursor.committed_offset == 1
            plain = await reader.cursor()
            with pytest.raises(UsageError, match="without a name"):
                await plain.commit()
            with pytest.raises(UsageError, match="sync_ms is -1"):
                await reader.cursor(sync_ms=-1)

    run(main())


@pytest.mark.parametrize("include_control", [False, True])
def test_a_cursor_passes_over_markers_as_that_of_a_reader(path: Path, include_control: bool) -> None:
    with Log.open(path) as log, log.transaction("t") as t:
        t.append([b"in it"])

    async def main() -> None:
        with LogReader.open(path) as one, one.cursor(16, include_control=include_control) as expected:
            async with AsyncLogReader.open(path) as other, other.cursor(16, include_control=include_control) as cursor:
                for end in (17, 18, 18):
                    batch, found = expected.poll(), await cursor.poll()
                    assert (found is None) == (batch is None) and cursor.next_offset == expected.next_offset == end
                assert batch is None

    run(main())


def test_opening_waits_for_a_log_and_can_be_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        folder = tmp_path / "later-0"
        with pytest.raises(FileNotFoundError):
            await AsyncLogReader.open(folder)
        task = asyncio.create_task(waited(AsyncLogReader.open(folder, wait=math.inf)))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not threads()
        task = asyncio.create_task(waited(AsyncLogReader.open(folder, wait=LONG_S)))
        await asyncio.sleep(0.02)
        with Log.open(folder) as log:
            log.append([b"a"])
            async with await task as reader:
                assert [record.value async for record in reader] == [b"a"]

    run(main())


def test_closing_ends_those_that_wait(path: Path) -> None:
    async def main() -> None:
        reader = await AsyncLogReader.open(path)
        cursor = await reader.cursor(16)
        waiting = [
            asyncio.ensure_future(cursor.poll(None)),
            asyncio.ensure_future(anext(reader.records(16, follow=True, poll_s=60))),
            asyncio.ensure_future(reader.wait(16)),
        ]
        await asyncio.sleep(0.05)
        await reader.close()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(error) for error in found] == [LogClosedError] * 3
        await cursor.close()

    run(main())


def test_an_iteration_that_is_left_lets_go_of_its_file(path: Path) -> None:
    async def main() -> None:
        async with AsyncLogReader.open(path) as reader:
            before = len(os.listdir("/proc/self/fd")) if ON_LINUX.args[0] is False else 0
            for _ in range(3):
                records = reader.records(follow=True)
                assert (await anext(records)).offset == 0
                await records.aclose()
                task = asyncio.ensure_future(anext(reader.records(16, follow=True)))
                await asyncio.sleep(0.01)
                task.cancel()
                await asyncio.wait([task])
            await reader.end_offset()  # after what the thread closes
            assert not before or len(os.listdir("/proc/self/fd")) <= before + 1  # the reader's own

    run(main())

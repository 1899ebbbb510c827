"""Threads that append under policy ``batch`` share syncs, and each append is on disk before it returns."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kformat_engine import Log, LogConfig
from kformat_engine.errors import WriterFailedError
from kformat_engine.storage import File
from tests.engine.held import WAIT_S, HeldStorage, until
from tests.engine.manual import ManualClock, ManualScheduler

CONFIG = LogConfig().with_sync("batch")


class Appends:
    """Threads that append one record each: what they got, in the order in which they got it."""

    def __init__(self, log: Log) -> None:
        self.log, self.done = log, list[int | BaseException]()
        self._threads: list[threading.Thread] = []

    def _append(self) -> None:
        try:
            self.done.append(self.log.append([b"x"]))
        except BaseException as error:
            self.done.append(error)

    def begin(self, count: int = 1) -> None:
        """Begin appends, and return when their records are in the file."""
        end = self.log.end_offset + count
        for _ in range(count):
            self._threads.append(threading.Thread(target=self._append, daemon=True))
            self._threads[-1].start()
        until(lambda: self.log.end_offset == end)

    def end(self) -> None:
        """Return when all threads have ended."""
        for thread in self._threads:
            thread.join(WAIT_S)
        assert not any(thread.is_alive() for thread in self._threads)


@pytest.fixture
def storage() -> HeldStorage:
    return HeldStorage()


@pytest.fixture
def log(tmp_path: Path, storage: HeldStorage) -> Iterator[Log]:
    clock = ManualClock(1_700_000_000_000)
    log = Log.open(tmp_path / "orders-0", CONFIG, storage=storage, clock=clock, scheduler=ManualScheduler(clock))
    log.append([b"first"])
    storage.begun_count, storage.is_held = 0, True
    yield log
    storage.is_held = False
    log.close()


def test_32_threads_share_a_sync(log: Log, storage: HeldStorage) -> None:
    """Those that write during a sync return after the next one: it may not have been for them."""
    appends = Appends(log)
    appends.begin()
    until(lambda: storage.begun_count == 1)
    appends.begin(32)
    assert not appends.done and log.synced_offset == 1
    storage.let_go()
    until(lambda: storage.begun_count == 2)
    until(lambda: len(appends.done) == 1)
    assert log.synced_offset == 2
    storage.let_go()
    appends.end()
    assert sorted(offset for offset in appends.done if isinstance(offset, int)) == list(range(1, 34))
    assert storage.begun_count == 2 and log.synced_offset == 34


def test_a_lone_thread_syncs_each_append(log: Log, storage: HeldStorage) -> None:
    storage.is_held = False
    for number in range(5):
        log.append([b"x", b"y"])
        assert storage.begun_count == number + 1 and log.synced_offset == log.end_offset


def test_a_sync_that_fails_fails_all_that_wait(log: Log, storage: HeldStorage) -> None:
    appends = Appends(log)
    appends.begin()
    until(lambda: storage.begun_count == 1)
    appends.begin(4)
    storage.error = errno.EIO
    storage.let_go()
    appends.end()
    kinds = sorted(type(error).__name__ for error in appends.done)
    assert kinds == ["OSError", *["WriterFailedError"] * 4]
    assert storage.begun_count == 1 and log.synced_offset == 1
    storage.error = None
    for _ in range(2):
        with pytest.raises(WriterFailedError, match="Input/output error"):
            log.append([b"y"])
    assert log.has_failed


def test_an_interrupted_sync_fails_all_that_wait(log: Log, storage: HeldStorage) -> None:
    class Interrupted(Appends):
        def _append(self) -> None:
            sync = HeldStorage.sync

            def interrupted(self: HeldStorage, file: File) -> None:
                sync(self, file)
                raise KeyboardInterrupt

            storage.sync = interrupted.__get__(storage)  # type: ignore[method-assign]
            super()._append()

    first, others = Interrupted(log), Appends(log)
    first.begin()
    until(lambda: storage.begun_count == 1)
    others.begin(2)
    storage.let_go()
    first.end()
    others.end()
    assert [type(error) for error in first.done] == [KeyboardInterrupt]
    assert [type(error) for error in others.done] == [WriterFailedError] * 2
    assert log.synced_offset == 1


def test_close_does_not_wait_and_what_it_syncs_counts(log: Log, storage: HeldStorage) -> None:
    appends = Appends(log)
    appends.begin()
    until(lambda: storage.begun_count == 1)
    appends.begin(3)
    storage.is_held = False
    log.close()
    storage.let_go()
    appends.end()
    assert sorted(offset for offset in appends.done if isinstance(offset, int)) == [1, 2, 3, 4]


def test_a_cut_during_a_sync(log: Log, storage: HeldStorage) -> None:
    """The sync is not that of the records which were appended at the same offsets afterwards."""
    appends = Appends(log)
    appends.begin(1)
    until(lambda: storage.begun_count == 1)
    storage.is_held = False
    log.truncate_to(0)
    storage.is_held = True
    synced_count = storage.begun_count
    appends.begin(3)
    assert log.synced_offset == 0
    storage.let_go()
    until(lambda: storage.begun_count == synced_count + 1)
    assert log.synced_offset == 0
    storage.let_go()
    appends.end()
    assert sorted(offset for offset in appends.done if isinstance(offset, int)) == [0, 1, 1, 2]
    assert log.synced_offset == log.end_offset == 3


def test_appends_of_a_producer_wait_for_the_same_sync(log: Log, storage: HeldStorage) -> None:
    """A repeated append, too, returns when the first one is on disk."""
    appends, done, producer = Appends(log), list[int](), log.producer("p")
    appends.begin()
    until(lambda: storage.begun_count == 1)
    threads = [
        threading.Thread(target=lambda: done.append(producer.append([b"once"], sequence=0)), daemon=True)
        for _ in range(2)
    ]
    threads[0].start()
    until(lambda: log.end_offset == 3)
    threads[1].start()
    storage.let_go()
    until(lambda: storage.begun_count == 2)
    assert not done
    storage.let_go()
    for thread in threads:
        thread.join(WAIT_S)
    appends.end()
    assert done == [2, 2] and storage.begun_count == 2

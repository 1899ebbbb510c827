"""An interrupt at every place where one may come: the log fails, closes, and gives its root to the next.

Each place of the modules that take locks is tried once (tests/interrupts.py): a first run finds it, and another one is
interrupted there.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kformat import reindex
from kformat.errors import KformatError
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log import log_reader, positions
from kformat.kafka.log.log_reader import LogReader
from kformat.salvage import aside, in_place, salvage_in_place, saving, undo_salvage
from kformat.storage import atomic_write, root_lock
from kformat.storage.root_lock import RootLock
from kformat_engine import (
    Log,
    LogConfig,
    LogManager,
    coordinator,
    current_logs,
    local_log,
    log,
    log_appender,
    log_cleaner,
    log_dirs,
    log_fetcher,
    log_guard,
    log_internals,
    log_loader,
    log_search,
    manager,
    named_producers,
    partition_moves,
    root,
    scheduler,
    sealed_segments,
)
from kformat_engine.index import OffsetIndex
from kformat_engine.scheduler import ThreadScheduler
from kformat_engine.segments import LogSegments
from kformat_engine.storage import File, Storage
from tests.draws import IS_NIGHT
from tests.interrupts import Place, tracing

WAIT_S = 20
CONFIG = LogConfig(segment_bytes=300, flush_ms=0, file_delete_delay_ms=0)
ROOMS = (
    *(log, log_appender, log_fetcher, log_guard, log_internals, log_loader, named_producers),
    *(local_log, log_search, sealed_segments, root, root_lock, scheduler, threading),
)
WATCHED = {module.__file__ for module in ROOMS} | {
    sys.modules[LogSegments.__module__].__file__,
    contextmanager.__code__.co_filename,
}


class QuickFile(File):
    def sync(self) -> None:
        pass


class QuickStorage(Storage):
    file_class = QuickFile

    def sync_directory(self, path: Path) -> None:
        pass


QUICK = QuickStorage()


def _append(log: Log) -> int:
    for _ in range(3):
        log.append([bytes(100)])
    return 3


def _cut(log: Log) -> int:
    log.flush()
    log.truncate_to(2)
    log.delete_records_before(1)
    return 0


def _read(log: Log) -> int:
    assert [record.offset for record in log.records(0, follow=True, timeout_s=0.001)]
    assert log.segments and len(log.read(0))
    return 0


def _sync(log: Log) -> int:
    log.append([b"x"])
    log._internals.appender.sync_records()
    return 1


def _close(log: Log) -> int:
    log.close()
    return 0


WORK: dict[str, Callable[[Log], int]] = {"append": _append, "sync": _sync, "cut": _cut, "read": _read, "close": _close}


def in_another_thread(work: Callable[[], object]) -> None:
    """Do something where locks that this thread has not let go of are held by somebody else, in bounded time."""
    errors = list[BaseException]()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(WAIT_S)
    assert not thread.is_alive(), "a lock is held for ever"
    assert not errors, errors


def interrupted(path: Path, work: Callable[[Log], int], place: Place) -> bool:
    """Open a log, interrupt what it does at a place, and close it: False where it did not come there."""
    opened = Log.open(path, CONFIG, storage=QUICK)
    opened.append([b"a"])
    opened.append([b"b"])
    opened.append([b"c"])
    end = opened.end_offset
    done = list[Place]()

    def raise_once(here: Place) -> None:
        if here == place and not done:
            done.append(here)
            raise KeyboardInterrupt

    try:
        with tracing(raise_once, WATCHED):
            end += work(opened)
    except KeyboardInterrupt as error:
        # The traceback, with all that its frames hold, lives as long as this block, as in a `with`.
        assert done, error
        in_another_thread(lambda: _closed(opened))
    else:
        with suppress(KformatError):
            opened.close()
    assert opened.is_closed and opened.root.is_closed

    def again() -> None:
        with Log.open(path, CONFIG, storage=QUICK) as log:
            values = [record.value for record in log.records()]
            assert work is _cut or (values[:3] == [b"a", b"b", b"c"] and len(values) >= end), (values, end)
            log.append([b"d"])
            log.truncate_to(0)
            log.delete()

    in_another_thread(again)
    return bool(done)


def _closed(opened: Log) -> None:
    with suppress(KformatError):
        opened.close()


def places_of(path: Path, work: Callable[[Log], int]) -> list[Place]:
    """The places that some work comes to, each once."""
    found: dict[Place, None] = {}
    with Log.open(path, CONFIG, storage=QUICK) as opened:
        for value in (b"a", b"b", b"c"):
            opened.append([value])
        with tracing(lambda place: found.setdefault(place), WATCHED):
            work(opened)
    return list(found)


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="rest", marks=pytest.mark.slow)])
def test_an_interrupted_log_fails_and_closes(tmp_path: Path, name: str, part: int) -> None:
    places = places_of(tmp_path / "first-0", WORK[name])
    assert len(places) > 30
    here = [place for number, place in enumerate(places) if (number % 8 == 0) == (part == 0)]
    came = sum(interrupted(tmp_path / str(number) / "orders-0", WORK[name], place) for number, place in enumerate(here))
    assert came > len(here) / 2  # some depend on what the other thread is doing


@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="rest", marks=pytest.mark.slow)])
def test_an_interrupted_opening_lets_go_of_the_root(tmp_path: Path, part: int) -> None:
    """But for what the caller loses behind the call."""
    found: dict[Place, None] = {}
    with tracing(lambda place: found.setdefault(place), WATCHED):
        opened = Log.open(tmp_path / "first" / "orders-0", CONFIG, storage=QUICK)
    opened.close()
    places = [place for place in found if place[0].co_filename != contextmanager.__code__.co_filename]
    assert len(places) > 40
    for number, place in enumerate(places):
        if (number % 8 == 0) != (part == 0):
            continue
        path = tmp_path / str(number) / "orders-0"
        done = list[Place]()

        def raise_once(here: Place, place: Place = place, done: list[Place] = done) -> None:
            if here == place and not done:
                done.append(here)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), tracing(raise_once, WATCHED):
            Log.open(path, CONFIG, storage=QUICK)
        assert not path.parent.exists() or RootLock.of(path.parent) is None, place
        in_another_thread(lambda path=path: Log.open(path, CONFIG, storage=QUICK).close())  # type: ignore[misc]


def test_an_interrupt_behind_a_truncation_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It came out as an index that was shorter than it should be."""
    index = OffsetIndex(tmp_path / file_name(0, "index"), 0, 80)
    truncate = File.truncate

    def interrupted(file: File, size: int) -> None:
        truncate(file, size)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(File, "truncate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            index.resize(16)
    assert (index.length_bytes, index.max_entry_count) == (16, 2)
    index.append(1, 10)
    assert index.lookup(5) == (0, 1, 10)
    index.close()


def test_an_interrupted_start_of_the_thread_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler, done = ThreadScheduler(), threading.Event()

    def interrupted(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scheduler.schedule("task", done.set)
    scheduler.schedule("task", done.set)
    assert done.wait(10)
    scheduler.close()


# --- several directories ---------------------------------------------------------------------------------------------

MANAGED_ROOMS = (manager, coordinator, current_logs, log_cleaner, log_dirs, partition_moves)
MANAGED = WATCHED | {module.__file__ for module in MANAGED_ROOMS}


def _create(logs: LogManager) -> None:
    logs.create_partition("new", 0)


def _begin(logs: LogManager) -> None:
    with logs.transaction("payments") as transaction:
        transaction.append("t", 0, [b"in a transaction"])


def _delete(logs: LogManager) -> None:
    logs.delete_partition("t", 1)


def _move(logs: LogManager) -> None:
    log = logs.log("t", 0)
    logs.move("t", 0, next(folder for folder in logs.directories if folder != log.path.parent))


MANAGED_WORK: dict[str, Callable[[LogManager], None]] = {
    "create": _create,
    "transaction": _begin,
    "delete": _delete,
    "move": _move,
    "close": LogManager.close,
}


def managed(path: Path) -> LogManager:
    """A manager of two directories, each with a partition."""
    logs = LogManager.open([path / "a", path / "b"], CONFIG, storage=QUICK)
    for partition in range(2):
        logs.create_partition("t", partition).append([b"acknowledged"])
    return logs


def interrupted_manager(path: Path, name: str, place: Place) -> bool:
    """Interrupt a manager at a place of some work; False where it did not come there. Afterwards the same work can be
    done, and no partition is lost, or in two directories."""
    logs, work, done = managed(path), MANAGED_WORK[name], list[Place]()

    def raise_once(here: Place) -> None:
        if here == place and not done:
            done.append(here)
            raise KeyboardInterrupt

    try:
        with tracing(raise_once, MANAGED):
            work(logs)
    except KeyboardInterrupt as error:
        assert done, error
        in_another_thread(lambda: _again(logs, name))
    logs.close()

    def opened_again() -> None:
        with LogManager.open(logs.directories, CONFIG, storage=QUICK) as found:
            assert not found.refused and not found.offline, (found.refused, found.offline)
            names = [(topic, number) for topic, number, _ in found.partitions() if topic != "__transaction_state"]
            assert len(set(found.partitions())) == len(found.partitions())
            folders = sorted(str(one.relative_to(path)) for one in path.glob("*/*") if one.is_dir())
            assert len(folders) == len(found.partitions()), folders
            for topic, number in names:
                if topic == "t" and (name, number) != ("delete", 1):
                    assert [one.value for one in found.log(topic, number).records()][:1] == [b"acknowledged"]
            assert ("t", 0) in names and (name == "delete" or ("t", 1) in names)

    in_another_thread(opened_again)
    return bool(done)


def _again(logs: LogManager, name: str) -> None:
    if name == "close":
        logs.close()
        return
    for number in range(2, 5):
        logs.create_partition("t", number, directory=logs.directories[1]).append([b"acknowledged"])
    # What was done when the interrupt came need not be done again: it is there, gone, or where it was to be moved.
    with suppress(KformatError):
        MANAGED_WORK[name](logs)


@pytest.mark.parametrize("name", MANAGED_WORK)
@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="rest", marks=pytest.mark.slow)])
def test_an_interrupted_manager_goes_on_and_closes(tmp_path: Path, name: str, part: int) -> None:
    found: dict[Place, None] = {}
    logs = managed(tmp_path / "first")
    with tracing(lambda place: found.setdefault(place), MANAGED):
        MANAGED_WORK[name](logs)
    logs.close()
    assert len(found) > 30
    here = [place for number, place in enumerate(found) if (number % 48 == 0) == (part == 0)]
    came = sum(interrupted_manager(tmp_path / str(number), name, place) for number, place in enumerate(here))
    assert came > len(here) / 2


# --- readers, and salvage ---------------------------------------------------------------------------------------------

READERS = {log_reader.__file__, positions.__file__, atomic_write.__file__, contextmanager.__code__.co_filename}
SALVAGE = {aside.__file__, in_place.__file__, saving.__file__, atomic_write.__file__, reindex.__file__}


def each_place(files: Collection[str | None], work: Callable[[], object], most: int) -> Iterator[Callable[[], bool]]:
    """For some places of some work, by night for all: what does it, interrupted there, and whether it came there."""
    found: dict[Place, None] = {}
    with tracing(lambda place: found.setdefault(place), files):
        work()
    places = list(found)
    assert len(places) > 30
    for place in places if IS_NIGHT else places[:: len(places) // most]:

        def interrupted(place: Place = place) -> bool:
            done = list[Place]()

            def raise_once(here: Place) -> None:
                if here == place and not done:
                    done.append(here)
                    raise KeyboardInterrupt

            with suppress(KeyboardInterrupt), tracing(raise_once, files):
                work()
            return bool(done)

        yield interrupted


def test_an_interrupted_cursor_goes_on_where_it_committed(tmp_path: Path) -> None:
    """What was committed is the position before the commit or the one after it; no file of it is left half written."""
    with Log.open(tmp_path / "orders-0", CONFIG, storage=QUICK) as log:
        _append(log)
    kept, folder = [0], tmp_path / "positions"

    def work() -> None:
        with LogReader.open(log.path) as reader, reader.cursor(name="billing", positions=folder) as cursor:
            assert (cursor.committed_offset or 0) >= kept[0]
            kept[0] = cursor.committed_offset or 0
            batch = cursor.poll()
            if batch is None:
                kept[0] = cursor.commit(0) or 0
            else:
                assert cursor.from_offset == kept[0]
                kept[0] = cursor.commit() or 0

    count = 0
    for interrupted in each_place(READERS, work, 30):
        before = kept[0]
        count += interrupted()
        with LogReader.open(log.path) as reader, reader.cursor(name="billing", positions=folder) as cursor:
            assert (cursor.committed_offset or 0) in (before, kept[0], before + 1, 0), (before, kept)
            kept[0] = cursor.committed_offset or 0
        assert [path.suffix for path in folder.rglob("*") if path.is_file()] == [".json"]
    assert count > 15


def test_an_interrupted_salvage_in_place_is_taken_back_or_done(tmp_path: Path) -> None:
    original = tmp_path / "original"
    with Log.open(original / "orders-0", CONFIG, storage=QUICK) as log:
        for _ in range(3):
            _append(log)
    damaged = sorted((original / "orders-0").glob("*.log"))[1]
    data = damaged.read_bytes()
    damaged.write_bytes(data[:80] + b"?" + data[81:])
    root = tmp_path / "root"

    def bytes_of(folder: Path) -> dict[str, bytes]:
        return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}

    before = bytes_of(original / "orders-0")

    def fresh() -> None:
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(original, root)

    fresh()
    salvage_in_place(root)
    after = bytes_of(root / "orders-0")
    assert after != before
    verbs: dict[str, Callable[[Path], object]] = {"salvage": salvage_in_place, "undo": undo_salvage}
    for name, call in verbs.items():

        def work(name: str = name, call: Callable[[Path], object] = call) -> None:
            fresh()
            if name == "undo":
                salvage_in_place(root)
            call(root)

        for interrupted in each_place(SALVAGE, work, 10):
            interrupted()
            assert RootLock.of(root) is None
            found = bytes_of(root / "orders-0")
            if (root / "orders-0" / ".kformat-salvage").exists() or found == after:
                undo_salvage(root)
                found = bytes_of(root / "orders-0")
            assert found == before
            assert not [one for one in (root / "orders-0").iterdir() if one.is_dir()]


@pytest.mark.parametrize("call", [salvage_in_place, undo_salvage])
def test_the_locks_of_roots_are_released_by_an_interrupted_release(
    tmp_path: Path, call: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Log.open(tmp_path / "orders-0", CONFIG, storage=QUICK) as log:
        _append(log)
        _append(log)
    last = max(log.path.glob("*.log"))
    last.write_bytes(last.read_bytes()[:-5])
    salvage_in_place(tmp_path)
    if call is salvage_in_place:
        undo_salvage(tmp_path)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reindex.Roots, "__exit__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(tmp_path)
    assert RootLock.of(tmp_path) is None

"""What the disk is asked for, and how it says that it cannot."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.log import internals_of
from kformat_engine.storage import DISK, File
from tests.engine.faults import Death, Fault, FaultyStorage
from tests.engine.logs import UnsyncedStorage


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda file: file.write_at(b"x", 0), id="write"),
        pytest.param(lambda file: file.truncate(-1), id="truncate"),
        pytest.param(lambda file: (file.close(), file.sync()), id="sync"),
    ],
)
def test_an_error_of_the_disk_names_the_file(change: Callable[[File], Any]) -> None:
    """A disk that is full says so of a descriptor; somebody has to know which disk."""
    path = Path("/dev/full")
    file = File(DISK, path, os.open(path, os.O_RDWR), writable=True)
    with closing(file), pytest.raises(OSError, match="/dev/full"):
        change(file)


# --- files that have a second name: a snapshot by `cp -al`, what a salvage keeps --------------------------------------

CONFIG = LogConfig(segment_bytes=600, index_interval_bytes=0, cleanup_policy=("compact",), file_delete_delay_ms=0)
LOG = "orders-0"


def linked(folder: Path, copy: Path) -> dict[Path, bytes]:
    """Give every file a second name in another folder, as `cp -al` does; the bytes of those."""
    for path in sorted(folder.rglob("*")):
        target = copy / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(parents=True)
        elif path.name != ".lock":
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)
    return contents(copy)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def _append(log: Log) -> None:
    for number in range(12):
        log.append([(b"key %d" % (number % 3), b"new" * 40)])


def _abort(log: Log) -> None:
    with log.transaction("id") as transaction:
        transaction.append([(b"key", b"aborted")])
        transaction.abort()


def _crash(log: Log) -> None:
    log.append([(b"key", b"torn" * 9)])
    log._guard.fail(OSError())
    log._guard.is_failure_told = True
    log.close()
    path = max(log.path.glob("*.log"))
    size = path.stat().st_size
    path.rename(path.with_suffix(".x"))
    path.write_bytes(path.with_suffix(".x").read_bytes()[: size - 5])
    path.with_suffix(".x").unlink()


CHANGES: dict[str, Callable[[Log], object]] = {
    "append": _append,
    "abort": _abort,
    "roll": lambda log: log.roll(),
    "cut": lambda log: log.truncate_to(5),
    "cut the last batch": lambda log: log.truncate_to(log.end_offset - 1),
    "start over": lambda log: log.truncate_fully_and_start_at(3),
    "delete records": lambda log: log.delete_records_before(7),
    "compact": lambda log: log.compact(force=True),
    "flush": lambda log: log.flush(),
    "close": lambda log: log.close(),
    "crash": _crash,
    "delete": lambda log: log.delete(),
}


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_has_a_second_name_keeps_its_bytes_there(change: str, is_open: bool, tmp_path: Path) -> None:
    """Whether the log was open when its files got their second names, or is opened afterwards."""
    path = tmp_path / "root" / LOG
    log = Log.open(path, CONFIG, storage=UnsyncedStorage())
    _append(log)
    _abort(log)
    is_written = threading.Event()  # what rolls left to do: it renames checkpoints while `linked` walks
    internals_of(log).scheduler.schedule("is written", is_written.set)
    assert is_written.wait(60)
    if not is_open:
        log.close()
    before = linked(tmp_path / "root", tmp_path / "snapshot")
    times = {one: one.stat().st_mtime_ns for one in before}
    log = log if is_open else Log.open(path, CONFIG, storage=UnsyncedStorage())
    CHANGES[change](log)
    if change in ("crash", "close", "delete"):
        log = Log.open(path, CONFIG, storage=UnsyncedStorage())
    _append(log)
    while (entries := log._local.active.offset_index.entry_count) == 0:
        log.append([(b"key", b"more")])
    assert log._local.active.offset_index.lookup(log.end_offset).number == entries - 1
    found = [(one.offset, one.value) for one in log.records()]
    log.close()
    assert contents(tmp_path / "snapshot") == before
    assert {one: one.stat().st_mtime_ns for one in before} == times
    with Log.open(path, CONFIG, storage=UnsyncedStorage()) as log:
        assert [(one.offset, one.value) for one in log.records()] == found
        assert change == "crash" or not log.report.changes
    if not is_open:  # and the other way round: the snapshot is a log of its own
        before = contents(tmp_path / "root")
        with Log.open(tmp_path / "snapshot" / LOG, CONFIG, storage=UnsyncedStorage()) as other:
            assert len(list(other.records())) > 12
            CHANGES["cut"](other)
            _append(other)
        assert contents(tmp_path / "root") == before


def test_two_directories_that_share_files_do_not_write_into_each_other(tmp_path: Path) -> None:
    with Log.open(tmp_path / "a" / LOG, CONFIG) as log:
        _append(log)
    linked(tmp_path / "a", tmp_path / "b")
    mode = {one.name: one.stat().st_mode for one in (tmp_path / "a" / LOG).iterdir()}
    with LogManager.open([tmp_path / "a"], CONFIG) as one, LogManager.open([tmp_path / "b"], CONFIG) as two:
        for number in range(20):
            for name, manager in (("one", one), ("two", two)):
                manager.log("orders", 0).append([(b"key", f"{name} {number}".encode())])
        for name, manager in (("one", one), ("two", two)):
            values = [record.value for record in manager.log("orders", 0).records(12)]
            assert values == [f"{name} {number}".encode() for number in range(20)]
    assert mode.items() <= {one.name: one.stat().st_mode for one in (tmp_path / "a" / LOG).iterdir()}.items()
    last = max((tmp_path / "a" / LOG).glob("*.log"))
    assert last.stat().st_nlink == 1


def test_a_copy_that_is_ended_anywhere_leaves_the_log_and_what_is_linked(tmp_path: Path) -> None:
    """By an error, or a kill: the old bytes are there under both names, or the copy under one."""
    at, total = 1, 1
    while at <= total:
        root = tmp_path / str(at)
        log = Log.open(root / "root" / LOG, CONFIG, storage=UnsyncedStorage())
        log.append([(b"key", b"first")])
        log.close()
        before = linked(root / "root", root / "snapshot")
        storage = FaultyStorage(Fault(at, error=None))
        acknowledged = 1
        with suppress(Death):
            log = Log.open(root / "root" / LOG, CONFIG, storage=storage)
            for number in range(2):
                log.append([(b"key", b"%d" % number)])
                acknowledged += 1
            log.truncate_to(2)
            storage.fault = None
        total = len(storage.trace) if storage.fault is None else total + 1
        with suppress(Death):
            if storage.fault is None:
                log.close()
            else:
                log.root.abandon()
        storage.close_all()
        assert contents(root / "snapshot") == before
        with Log.open(root / "root" / LOG, CONFIG, storage=UnsyncedStorage()) as log:
            assert min(acknowledged, 2) <= log.end_offset <= 3
            assert not list(log.path.glob("*.tmp"))
        assert contents(root / "snapshot") == before
        at += 1
    assert at > 20


def test_a_failed_sync_is_told_to_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux tells it once, of all descriptors of one open file."""
    file = DISK.open(tmp_path / "file", create=True)
    file.write_at(b"data", 0)
    errors = [OSError(errno.EIO, "Input/output error")]
    monkeypatch.setattr(os, "fdatasync", lambda _: (_ for _ in ()).throw(errors.pop()) if errors else None)
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output error"):
            file.sync()
    with pytest.raises(OSError, match="Input/output error"):
        file.write_at(b"more", 4)
    file.close()


def test_a_sync_needs_no_free_descriptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = DISK.open(tmp_path / "file", create=True)
    file.write_at(b"data", 0)
    synced: list[int] = []

    def none_free(_: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "dup", none_free)
    monkeypatch.setattr(os, "fdatasync", synced.append)
    file.sync()
    assert synced == [file.descriptor]
    file.close()

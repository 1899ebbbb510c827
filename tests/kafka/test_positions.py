"""Positions that cursors commit under a name, and waiting for a log that is not there yet."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import (
    InvalidError,
    LogClosedError,
    LogError,
    OffsetOutOfRangeError,
    RecordsDeletedError,
    UsageError,
)
from kformat.integers import MAX_INT64
from kformat.kafka.log.log_reader import Cursor, LogReader
from kformat.kafka.log.positions import Position, default_folder
from kformat.testing import write_log
from kformat_engine import Log, LogManager


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of 60 records in batches of 5 and segments of 20, in a root of its own."""
    return write_log(tmp_path / "root", [b"%d" % n for n in range(60)], records_per_segment=20, records_per_batch=5)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "positions"


def taken(cursor: Cursor, count: int = 1000) -> list[int]:
    """The offsets of the records of the next batches."""
    found: list[int] = []
    for _ in range(count):
        batch = cursor.poll()
        if batch is None:
            break
        assert cursor.from_offset is not None
        found += [record.offset for record in batch.records() if record.offset >= cursor.from_offset]
    return found


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    found = {str(path): path.stat() for path in sorted(folder.rglob("*"))}
    return {name: (status.st_size, status.st_mtime_ns) for name, status in found.items()}


# --- commit ---------------------------------------------------------------------------------------------------------


def test_a_name_goes_on_where_it_committed_last(folder: Path, kept: Path) -> None:
    before = tree(folder.parent)
    with LogReader.open(folder) as reader:
        with reader.cursor(name="billing", positions=kept) as cursor:
            assert (cursor.name, cursor.committed_offset) == ("billing", None)
            assert cursor.commit() is None  # nothing was read yet
            assert taken(cursor, 3) == [*range(15)]
            assert cursor.commit() == cursor.committed_offset == 15
            assert taken(cursor, 2) == [*range(15, 25)]  # not committed: they come again
        with reader.cursor(name="billing", positions=kept) as cursor:
            assert cursor.committed_offset == cursor.next_offset == 15
            assert taken(cursor) == [*range(15, 60)]
            cursor.commit()
        with reader.cursor(5, name="audit", positions=kept) as cursor:  # each name has its own
            assert taken(cursor, 1) == [*range(5, 10)]
            cursor.commit(7)
    with LogReader.open(folder) as reader:
        with reader.cursor(name="billing", positions=kept) as cursor:
            assert taken(cursor) == []
        with reader.cursor(50, name="audit", positions=kept) as cursor:  # what was committed goes before start_offset
            assert taken(cursor, 1) == [7, 8, 9]
    assert tree(folder.parent) == before  # nothing is written next to the log


def test_another_process_goes_on(folder: Path, tmp_path: Path) -> None:
    """Without `positions`, in the user's folder; the process dies without closing anything."""
    code = f"""
import os, kformat
cursor = kformat.LogReader.open({str(folder)!r}).cursor(name="billing")
for _ in range(2):
    cursor.poll()
print(cursor.commit(), flush=True)
cursor.poll()
os._exit(9)
"""
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    for expected in ("10", "20"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **state}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout.strip()) == (9, expected), done.stderr
    if sys.platform != "darwin":
        (file,) = (tmp_path / "state" / "kformat" / "positions" / "billing").iterdir()
        kept = {"name": "billing", "id": file.stem, "log": os.path.realpath(folder), "next_offset": 20}
        assert json.loads(file.read_text()) == kept


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert default_folder() == tmp_path / ".local" / "state" / "kformat" / "positions"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    assert default_folder() == tmp_path / "kept" / "kformat" / "positions"


def test_a_log_is_known_by_its_path_without_links(folder: Path, kept: Path) -> None:
    (folder.parent.parent / "link").symlink_to(folder.parent)
    with LogReader.open(folder) as reader, reader.cursor(name="n", positions=kept) as cursor:
        cursor.commit(33)
    with LogReader.open(folder.parent.parent / "link" / folder.name) as reader:
        assert reader.cursor(name="n", positions=kept).next_offset == 33
    other = write_log(folder.parent, [b"v"], topic="other")
    with LogReader.open(other) as reader:
        assert reader.cursor(name="n", positions=kept).next_offset is None


def test_a_commit_that_fails(folder: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def stored() -> int | None:
        return Position("n", folder, kept).read()

    with LogReader.open(folder) as reader, reader.cursor(name="n", positions=kept) as cursor:
        for function in ("replace", "pwrite", "fdatasync"):  # of the first commit, and of those that overwrite it
            cursor.commit(10)
            with monkeypatch.context() as patch:
                patch.setattr(os, function, fails)
                if function == "replace":
                    cursor.close()
                    cursor = reader.cursor(name="n", positions=kept)
                with pytest.raises(OSError, match="No space"):
                    cursor.commit(20)
            assert cursor.committed_offset == 10 and stored() == (20 if function == "fdatasync" else 10)
            assert [path.suffix for path in (kept / "n").iterdir()] == [".json"]
            cursor.commit(30)
            assert stored() == 30
        cursor.close()


def test_commits_overwrite_the_number_in_the_first_sector(folder: Path, kept: Path) -> None:
    deep = kept / ("long" * 50) / ("path" * 50)
    with LogReader.open(folder) as reader, reader.cursor(name="n" * 200, positions=deep) as cursor:
        cursor.commit(1)
        (file,) = (deep / ("n" * 200)).iterdir()
        before, inode = file.read_bytes(), file.stat().st_ino
        for offset in (10, 9, MAX_INT64, 0):
            cursor.commit(offset)
            after = file.read_bytes()
            assert json.loads(after)["next_offset"] == offset and file.stat().st_ino == inode
            differing = [at for at in range(len(before)) if before[at] != after[at]]
            assert len(before) == len(after) and max(differing, default=0) < 512
        for replaced in (b"", b'{"name": "n", "next_offset": 1}\n', after[:-5]):  # in place, by an operator
            file.write_bytes(replaced)
            cursor.commit(7)
            assert json.loads(file.read_bytes())["next_offset"] == 7
        os.link(file, kept / "backup")  # whose bytes stay
        cursor.commit(8)
        assert json.loads((kept / "backup").read_bytes())["next_offset"] == 7
        shutil.rmtree(deep)  # by another program: the next commit makes it again
        cursor.commit(5)
        assert json.loads(file.read_bytes())["next_offset"] == 5


def test_commits_that_may_stay_in_the_page_cache(folder: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    sync = os.fdatasync

    def seen(descriptor: int) -> None:
        sync(descriptor)
        synced.append(json.loads(os.pread(descriptor, 1000, 0))["next_offset"])

    now_s = [0.0]
    monkeypatch.setattr(os, "fdatasync", seen)
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    with LogReader.open(folder) as reader:
        for wrong in (-1, math.nan, "5", None):
            with pytest.raises(UsageError, match="sync_ms is"):
                reader.cursor(name="n", positions=kept, sync_ms=wrong)  # type: ignore[arg-type]
        with reader.cursor(name="n", positions=kept, sync_ms=1000) as cursor:
            for offset in range(1, 6):  # the first replaces the file, which is synced before it is renamed
                now_s[0] += 0.4
                cursor.commit(offset)
                assert Position("n", folder, kept).read() == offset  # the death of this process would not lose it
            assert synced == [4]
        assert synced == [4, 5]
        with reader.cursor(name="n", positions=kept, sync_ms=math.inf) as cursor:
            for offset in range(10, 20):
                now_s[0] += 1e6
                cursor.commit(offset)
        assert synced == [4, 5, 19]
        cursor = reader.cursor(name="n", positions=kept, sync_ms=1000)
        for offset in (30, 31):
            cursor.commit(offset)
        now_s[0] += 1
        with monkeypatch.context() as patch, pytest.raises(OSError, match="broken"):
            patch.setattr(os, "fdatasync", lambda _: (_ for _ in ()).throw(OSError(5, "broken")))
            cursor.commit(32)
        cursor.close()  # the position committed last is stored again, synced
        assert Position("n", folder, kept).read() == 31


def test_what_is_refused(folder: Path, kept: Path) -> None:
    with LogReader.open(folder) as reader:
        cursor = reader.cursor()
        with pytest.raises(UsageError, match=r"a cursor without a name keeps no position"):
            cursor.commit()
        wrong: Any
        for wrong in ("", ".", "..", "a/b", "a\0", "x" * 250, "ä", 5):
            with pytest.raises(UsageError, match="is not a valid name of a position"):
                reader.cursor(name=wrong, positions=kept)
        with pytest.raises(UsageError, match="a name is needed"):
            reader.cursor(positions=kept)
        named = reader.cursor(name="n", positions=kept)
        for wrong in (-1, 2**63, "5", 1.5):
            with pytest.raises(UsageError):
                named.commit(wrong)
        assert not kept.exists()
        for inside in (folder, folder / "sub"):
            with pytest.raises(UsageError, match="positions are not kept in a broker's folders"):
                reader.cursor(name="n", positions=inside)
        reader.cursor(name="n", positions=folder.parent / "kept")  # nobody's root but ours
        (folder.parent / "meta.properties").write_text("version=1\n")
        with pytest.raises(UsageError, match="positions are not kept in a broker's folders"):
            reader.cursor(name="n", positions=folder.parent / "kept")
        named.close()
        with pytest.raises(LogClosedError):
            named.commit(5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"5",
        b'{"next_offset": -1, "log": "?"}',
        b'{"next_offset": true, "log": "?"}',
        b'{"next_offset": 5, "log": "another"}',
        b'{"next_offset": 5, "log": "?", "name": "another"}',
        b"[" * 99999,
        b" " * (1 << 20) + b'{"next_offset": 5, "log": "?"}',
    ],
)
def test_a_file_that_no_commit_writes(folder: Path, kept: Path, data: bytes) -> None:
    position = Position("n", folder, kept)
    position.write(5)
    assert position.read() == 5
    position.path.write_bytes(data.replace(b"?", os.fsencode(os.path.realpath(folder))))
    with LogReader.open(folder) as reader, pytest.raises(InvalidError, match="no position of n in this log"):
        reader.cursor(name="n", positions=kept)


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to("nowhere")],
    ids=["pipe", "folder", "device", "link"],
)
def test_what_is_no_file_is_refused(folder: Path, kept: Path, make: Callable[[Path], object]) -> None:
    """It neither waits for a writer nor reads for ever."""
    position = Position("n", folder, kept)
    position.path.parent.mkdir(parents=True)
    make(position.path)
    with LogReader.open(folder) as reader, pytest.raises(OSError, match=position.path.name):
        reader.cursor(name="n", positions=kept)


@pytest.mark.parametrize(("reset", "expected"), [("error", None), ("earliest", [*range(20, 60)]), ("latest", [])])
def test_retention_that_overtakes_a_name_between_two_processes(
    folder: Path, kept: Path, reset: Any, expected: Any
) -> None:
    Position("n", folder, kept).write(10)
    (folder / f"{0:020}.log").unlink()
    with LogReader.open(folder) as reader, reader.cursor(name="n", positions=kept, auto_offset_reset=reset) as cursor:
        if reset == "error":
            for _ in range(2):
                with pytest.raises(RecordsDeletedError) as caught:
                    cursor.poll()
                assert (caught.value.offset, caught.value.start_offset) == (10, 20)
        else:
            assert taken(cursor) == expected
    # An offset that a caller asks for is the caller's own, and so is one after the end.
    with LogReader.open(folder) as reader:
        with reader.cursor(10) as cursor, pytest.raises(OffsetOutOfRangeError):
            cursor.poll()
        Position("n", folder, kept).write(61)
        with reader.cursor(name="n", positions=kept) as cursor, pytest.raises(OffsetOutOfRangeError):
            cursor.poll()


def test_an_iteration_that_is_overtaken(folder: Path) -> None:
    with LogReader.open(folder) as reader:
        records = reader.records()
        assert next(records).offset == 0
        for base in (0, 20):
            (folder / f"{base:020}.log").unlink()
        with pytest.raises(RecordsDeletedError) as caught:
            list(records)
        assert (caught.value.offset, caught.value.start_offset) == (20, 40)
        with pytest.raises(OffsetOutOfRangeError):
            reader.read(10)


# --- wait -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["nothing", "root", "folder"])
def test_a_reader_waits_for_its_log(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "root" / "orders-0"
    if there == "root":
        folder.parent.mkdir()
    elif there == "folder":
        folder.mkdir(parents=True)
    expected = LogError if there == "folder" else FileNotFoundError
    with pytest.raises(expected):
        LogReader.open(folder)
    began = time.monotonic()
    with pytest.raises(expected):
        LogReader.open(folder, wait=0.2)
    assert 0.2 <= time.monotonic() - began < 5

    def write() -> None:
        if there == "folder":
            written = write_log(tmp_path / "other", [b"v"])
            next(written.glob("*.log")).rename(folder / f"{0:020}.log")
        else:
            write_log(tmp_path / "root", [b"v"])

    writer = threading.Timer(0.3, write)
    writer.start()
    with LogReader.open(folder, wait=60) as reader:
        assert [record.value for record in reader.records(follow=True, timeout_s=1)] == [b"v"]
    assert time.monotonic() - began < 30
    writer.join()


def test_what_will_never_be_a_log_is_not_waited_for(folder: Path) -> None:
    began = time.monotonic()
    with pytest.raises(UsageError, match="a folder of partitions"):
        LogReader.open(folder.parent, wait=60)
    with pytest.raises(NotADirectoryError):
        LogReader.open(next(folder.glob("*.log")), wait=60)
    wrong: Any
    for wrong in (-1, "5", float("nan"), None):
        with pytest.raises(UsageError, match="is not a number of seconds"):
            LogReader.open(folder, wait=wrong)
    assert time.monotonic() - began < 30
    assert kformat.LogReader.open(folder, wait=0).end_offset == 60


# --- what a log is known by -----------------------------------------------------------------------------------------

IDS = {"topic's id": "AAAAAAAAAAAAAAAAAAAAAQ", "own id": None}


def read_on(log: Path, kept: Path) -> tuple[int | None, list[bytes | None]]:
    """The position that a name has in a log, and the values from there on, which are committed then."""
    with LogReader.open(log) as reader, reader.cursor(name="billing", positions=kept) as cursor:
        before, found = cursor.committed_offset, list[bytes | None]()
        while (batch := cursor.poll()) is not None:
            found += [one.value for one in batch.records() if one.offset >= (cursor.from_offset or 0)]
        cursor.commit()
        return before, found


@pytest.mark.parametrize("kind", IDS)
def test_a_position_goes_with_its_log_and_not_with_its_place(kind: str, tmp_path: Path, kept: Path) -> None:
    with LogManager.open([tmp_path / "a", tmp_path / "b"]) as manager:
        log = manager.create_partition("orders", 0, topic_id=IDS[kind])
        log.append([b"1", b"2", b"3"])
        assert read_on(log.path, kept) == (None, [b"1", b"2", b"3"])
        for number in range(2):
            log = manager.move("orders", 0, next(one for one in manager.directories if one != log.path.parent))
            log.append([b"moved"])
            assert read_on(log.path, kept) == (3 + number, [b"moved"])
        place = log.path.parent
        manager.delete_partition("orders", 0)
        other = None if IDS[kind] is None else "AAAAAAAAAAAAAAAAAAAAAg"
        log = manager.create_partition("orders", 0, topic_id=other, directory=place)
        log.append([b"new %d" % number for number in range(9)])
        assert read_on(log.path, kept) == (None, [b"new %d" % number for number in range(9)])
    shutil.move(log.path, tmp_path / "elsewhere-0")
    if kind == "own id":  # the name of a topic does not matter
        assert read_on(tmp_path / "elsewhere-0", kept) == (9, [])


def test_a_log_without_an_id_is_known_by_its_path_until_it_is_moved(tmp_path: Path, kept: Path) -> None:
    for number in range(2):
        write_log(tmp_path / "a", [b"1", b"2"], partition=number, topic_id=None)
    topic = next((tmp_path / "a").glob("*-0")).name.removesuffix("-0")
    for number in range(2):
        assert read_on(tmp_path / "a" / f"{topic}-{number}", kept) == (None, [b"1", b"2"])
    with LogManager.open([tmp_path / "a", tmp_path / "b"]) as manager:
        log = manager.move(topic, 0, tmp_path / "b")
        assert read_on(log.path, kept) == (2, [])
        log.append([b"3"])
        log = manager.move(topic, 0, tmp_path / "a")
        assert read_on(log.path, kept) == (2, [b"3"])
        assert read_on(manager.log(topic, 1).path, kept) == (2, [])


def test_a_broker_that_gives_a_log_its_topic_s_id_loses_no_position(tmp_path: Path, kept: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"1", b"2"])
    assert read_on(log.path, kept) == (None, [b"1", b"2"])
    (log.path / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    assert read_on(log.path, kept) == (2, [])
    (log.path / "kformat-log-id").unlink()  # a broker moves it to another directory without
    assert read_on(log.path, kept) == (2, [])


@pytest.mark.parametrize("given", ["", "x" * 32, "0" * 31, "0" * 4096], ids=len)
def test_an_id_that_the_engine_does_not_write_is_none(given: str, tmp_path: Path, kept: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"1"])
    (log.path / "kformat-log-id").write_text(given)
    assert read_on(log.path, kept) == (None, [b"1"])
    assert read_on(log.path, kept) == (1, [])


def test_a_cursor_that_is_open_does_not_read_another_log(tmp_path: Path, kept: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"1", b"2", b"3"])
    reader = LogReader.open(log.path)
    cursor, alone = reader.cursor(name="billing", positions=kept), reader.cursor()
    for one in (cursor, alone):
        assert one.poll() is not None
    cursor.commit()
    with Log.open(tmp_path / "orders-0") as log:
        log.delete()
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"new %d" % number for number in range(9)])
    for call in (cursor.commit, cursor.poll, alone.poll):
        with pytest.raises(LogError, match="another log was created in the place"):
            call()
    assert read_on(log.path, kept)[0] is None

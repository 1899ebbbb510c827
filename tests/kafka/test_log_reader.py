"""`LogReader` on logs that brokers wrote, and on logs that change under it: they grow by bytes, roll, shrink, go away.

Who writes here is the test itself, so that each moment can be looked at. What a writer at full speed and a live broker
do to it is in test_beside_writer.
"""

from __future__ import annotations

import dataclasses
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import (
    ChecksumError,
    DataError,
    InvalidError,
    LimitError,
    LogClosedError,
    LogError,
    OffsetOutOfRangeError,
    RecordsDeletedError,
    TruncatedError,
    UsageError,
)
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.index.lookup import find_timestamp
from kformat.kafka.log import log_reader as module
from kformat.kafka.log.fetched import TimestampOffset
from kformat.kafka.log.log_reader import Cursor, LogReader
from kformat.kafka.log.partition import Partition
from kformat.language.layout import layout
from kformat.testing import ProducerTransaction, segment_files, write_log
from tests.draws import every
from tests.samples import ROOT, Sample, all_samples

BASE_MS = 1_700_000_000_000
ROLLED = ROOT / "4.3.1" / "rolled-by-bytes-0"


def values(count: int, first: int = 0) -> list[bytes]:
    """Values of different lengths, each with its number."""
    return [b"%d:" % number + b"x" * (number * 7 % 50) for number in range(first, first + count)]


def log_bytes(records: list[Any], **how: Any) -> bytes:
    """The `.log` of one segment."""
    files = segment_files(records, **how)
    return next(data for name, data in files.items() if name.endswith(".log"))


def log_name(base_offset: int) -> str:
    return f"{base_offset:020d}.log"


def append(path: Path, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(data)


def overwrite(path: Path, position: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(position)
        file.write(data)


def drained(cursor: Cursor) -> list[int]:
    """The offsets of the records that a cursor still has to give."""
    found: list[int] = []
    while (batch := cursor.poll()) is not None:
        wanted = cursor.from_offset
        assert wanted is not None
        found += [record.offset for record in batch.records() if record.offset >= wanted]
    return found


def offsets(reader: LogReader, start: int | None = None, **how: Any) -> list[int]:
    return [record.offset for record in reader.records(start, **how)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of 60 records in batches of 5 and segments of 20."""
    return write_log(tmp_path, values(60), records_per_segment=20, records_per_batch=5, index_interval_bytes=100)


@pytest.fixture
def log(folder: Path) -> Iterator[LogReader]:
    with LogReader.open(folder) as opened:
        yield opened


# What brokers wrote


@pytest.mark.parametrize("sample", every(3, all_samples()), ids=str)
def test_reads_what_brokers_wrote(sample: Sample) -> None:
    partition = sample.open()
    expected = list(partition.records())
    with LogReader.open(sample.path) as log:
        assert list(log.records(include_control=True)) == expected
        assert [batch.position for batch in log.batches()] == [
            batch.position for segment in partition.segments for batch in segment.scan()
        ]
        control = {record.offset for batch in log.batches() if batch.is_control for record in batch.records()}
        assert [record.offset for record in log] == [one.offset for one in expected if one.offset not in control]
        assert log.end_offset == log.end_offset >= (expected[-1].offset + 1 if expected else 0)
        start = random.Random(str(sample)).randint(log.start_offset, log.end_offset)
        wanted = [record for record in expected if record.offset >= start]
        assert list(log.records(start, include_control=True)) == wanted
        times = sorted({record.timestamp for record in expected if record.timestamp >= 0})
        for target in [-1, -2, -3, *times[len(times) // 3 :: max(1, len(times) // 2)]]:
            answer = find_timestamp(partition.segments, target, epochs=partition.leader_epochs)
            assert log.offset_for_timestamp(target, explain=True) == answer, target
            found = log.offset_for_timestamp(target)
            assert (found and found[:2]) == ((answer.timestamp, answer.offset) if answer.found else None)


def test_reads_from_every_offset_by_whatever_index(folder: Path) -> None:
    """Indexes are hints: without them, with others' entries, with garbage, the same records come."""
    other = segment_files(values(500), records_per_batch=1, index_interval_bytes=10)
    foreign = next(data for name, data in other.items() if name.endswith(".index"))
    noise = random.Random(3).randbytes(800)
    for index in (None, b"", bytes(800), foreign, noise, b"\x7f" * 80):
        for path in folder.glob("*.index"):
            if index is None:
                continue
            path.write_bytes(index)
        with LogReader.open(folder) as log:
            for start in range(61):
                assert offsets(log, start) == list(range(start, 60)), (index, start)
                assert [one.offset for one in log.read(start).records()] == list(
                    range(start, min(60, start // 20 * 20 + 20))
                )
    for path in folder.glob("*.index"):
        path.unlink()
    with LogReader.open(folder) as log:
        assert [offsets(log, start) for start in (0, 33, 60)] == [list(range(60)), list(range(33, 60)), []]


def test_bounds_of_batches_and_records(log: LogReader) -> None:
    assert offsets(log, 7, end_offset=23) == list(range(7, 23))
    assert [batch.base_offset for batch in log.batches(7, 23)] == [5, 10, 15, 20]
    assert offsets(log, 59) == [59]
    assert offsets(log, 60) == [] == offsets(log, 0, end_offset=0)
    assert offsets(log, 55, end_offset=1000) == list(range(55, 60))


def test_control_records_are_for_those_who_ask(tmp_path: Path) -> None:
    folder = write_log(tmp_path, [b"a", ProducerTransaction([b"b"]), b"c"])
    with LogReader.open(folder) as log:
        assert [record.value for record in log] == [b"a", b"b", b"c"]
        assert len(list(log.records(include_control=True))) == 4
        assert [record.value for record in log.read(0).records()] == [b"a", b"b", b"c"]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_messages_of_magic_0_and_1(tmp_path: Path, magic: int, codec: str) -> None:
    folder = write_log(
        tmp_path, values(40), records_per_segment=20, magic=magic, codec=codec, profile="first-offset",
        index_interval_bytes=50,
    )  # fmt: skip
    with LogReader.open(folder) as log:
        for start in range(41):
            assert offsets(log, start) == list(range(start, 40))
        assert log.end_offset == 40


# Reads


def test_reads_of_some_bytes(log: LogReader, folder: Path) -> None:
    sizes = [batch.size for batch in iter_batches(folder / log_name(0))]
    whole = (folder / log_name(0)).read_bytes()
    for limit, min_one, expected, incomplete in [
        (1 << 20, True, sum(sizes), False),
        (0, True, sizes[0], False),
        (sizes[0] + sizes[1], True, sizes[0] + sizes[1], False),
        (sizes[0] + sizes[1] - 1, False, sizes[0], False),
        (10, False, 10, True),
        (0, False, 0, False),
    ]:
        found = log.read(0, limit, min_one_batch=min_one)
        assert (len(found), found.first_entry_incomplete) == (expected, incomplete), limit
        assert found.data == whole[:expected]
        assert (found.base_offset, found.position, found.source) == (0, 0, str(folder / log_name(0)))
    inside = log.read(7, sizes[1])
    assert inside.position == sizes[0] and inside.data == whole[sizes[0] : sizes[0] + sizes[1]]
    assert [record.offset for record in inside.records()] == [7, 8, 9]
    assert [(batch.position, batch.is_valid) for batch in inside.batches()] == [(sizes[0], True)]
    assert list(log.read(0, 10, min_one_batch=False).batches()) == []


def test_reading_on_where_the_last_read_ended(log: LogReader, folder: Path) -> None:
    offset, data = 0, b""
    while found := log.read(offset, 300):
        data += found.data
        offset = list(found.batches())[-1].next_offset
    assert offset == 60 and data == b"".join(path.read_bytes() for path in sorted(folder.glob("*.log")))
    append(folder / log_name(40), log_bytes([b"new"], base_offset=60))
    assert [record.value for record in log.read(60).records()] == [b"new"]


def test_reads_out_of_range(log: LogReader, folder: Path) -> None:
    for offset in (-1, 61):
        with pytest.raises(OffsetOutOfRangeError) as caught:
            log.read(offset)
        assert (caught.value.offset, caught.value.start_offset, caught.value.end_offset) == (offset, 0, 60)
        with pytest.raises(OffsetOutOfRangeError):
            next(log.batches(offset))
        assert offsets(log, offset, auto_offset_reset="earliest") == list(range(60))
        assert offsets(log, offset, auto_offset_reset="latest") == []
    with pytest.raises(UsageError):
        log.read(0, -1)
    with pytest.raises(UsageError, match="auto_offset_reset"):
        log.batches(auto_offset_reset="none")  # type: ignore[arg-type]


# Growth


def visible(data: bytes, whole: bytes, ends: list[int]) -> int:
    """How many of the batches that end at ``ends`` in ``whole`` are there as far as ``data`` goes."""
    count, start = 0, 0
    for end in ends:
        if data[start:end] != whole[start:end]:
            break
        count, start = count + 1, end
    return count


@pytest.mark.parametrize("preallocated", [False, True])
def test_a_log_that_grows_byte_by_byte(tmp_path: Path, preallocated: bool) -> None:
    whole = log_bytes(values(12), records_per_batch=3)
    folder = tmp_path / "grown-0"
    folder.mkdir()
    path = folder / log_name(0)
    room = bytes(len(whole) + 100) if preallocated else b""
    path.write_bytes(room)
    batches = list(iter_batches(whole))
    ends = [batch.position + batch.size for batch in batches]
    with LogReader.open(folder) as log, log.cursor() as cursor:
        seen = 0
        for size in range(1, len(whole) + 1):
            overwrite(path, size - 1, whole[size - 1 : size])
            count = visible((whole[:size] + room[size:])[: len(whole)], whole, ends)
            if seen < count:
                batch = cursor.poll()
                assert batch is not None and batch.raw == batches[seen].raw
                seen += 1
            assert seen == count and cursor.poll() is None
            assert log.end_offset == (batches[count - 1].next_offset if count else 0)
    assert seen == len(batches)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_copied_in_pieces(tmp_path: Path, seed: int) -> None:
    """Whole segments of a broker, written piece by piece with their indexes behind them: each batch once, in order."""
    source = random.Random(seed)
    sample = source.choice([one for one in all_samples() if len(one.open().segments) > 1])
    segments = sample.open().segments
    expected = [batch.raw for segment in segments for batch in segment.scan()]
    folder = tmp_path / sample.name
    folder.mkdir()
    (folder / segments[0].name).touch()
    found: list[bytes] = []
    with LogReader.open(folder) as log, log.cursor(include_control=True) as cursor:
        for segment in segments:
            data, done = segment.log.read_bytes(), 0
            (folder / segment.name).touch()
            while done < len(data):
                size = source.choice((1, 7, 100, 1000, 5000))
                append(folder / segment.name, data[done : done + size])
                done += size
                if source.random() < 0.5:
                    while (batch := cursor.poll()) is not None:
                        found.append(batch.raw)
                        assert len(found) <= len(expected)
                    assert log.end_offset >= (cursor.next_offset or 0)
            for index in (segment.index, segment.timeindex):
                if index is not None:
                    shutil.copy(index, folder)
        while (batch := cursor.poll()) is not None:
            found.append(batch.raw)
    assert found == expected


def test_following_waits_for_more(folder: Path, log: LogReader) -> None:
    found: list[int] = []

    def write() -> None:
        for number in range(60, 70):
            time.sleep(0.01)
            if number == 65:
                (folder / log_name(65)).touch()
            append(folder / log_name(65 if number >= 65 else 40), log_bytes([b"more"], base_offset=number))

    writer = threading.Thread(target=write)
    writer.start()
    for record in log.records(55, 70, follow=True, timeout_s=20, poll_s=0.002):
        found.append(record.offset)
    writer.join()
    assert found == list(range(55, 70))
    began = time.monotonic()
    assert offsets(log, 70, follow=True, timeout_s=0.05, poll_s=1) == []
    assert 0.05 <= time.monotonic() - began < 1
    assert offsets(log, 68, follow=True, timeout_s=0) == [68, 69]


APPEND = """
import pathlib, sys, time
time.sleep(0.05)
with open(sys.argv[1], "ab") as file:
    file.write(pathlib.Path(sys.argv[2]).read_bytes())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel reports no changes here")
@pytest.mark.parametrize("file", [40, 60])
def test_an_append_by_another_process_ends_a_wait(
    folder: Path, log: LogReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: int
) -> None:
    """To the last segment, or to a new one: not the next look, which would come after ten minutes."""
    monkeypatch.setattr(module, "POLL_S", 600.0)
    cursor = log.cursor(60)
    (tmp_path / "more").write_bytes(log_bytes([b"more"], base_offset=60))
    append = [sys.executable, "-c", APPEND, str(folder / log_name(file)), str(tmp_path / "more")]
    with subprocess.Popen(append):
        batch = cursor.poll(300)
    assert batch is not None and batch.base_offset == 60
    (tmp_path / "more").write_bytes(log_bytes([b"more"], base_offset=61))
    with subprocess.Popen(append):
        assert log.wait(61, 300)


@pytest.mark.parametrize("is_reported", [True, False])
def test_a_wait_ends_without_news(
    folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch, is_reported: bool
) -> None:
    if not is_reported:
        monkeypatch.setattr("kformat.storage.changes._library", lambda: None)
    cursor, began = log.cursor(60), time.monotonic()
    assert cursor.poll(0.06) is None and not log.wait(60, 0.06)
    assert time.monotonic() - began >= 0.12
    assert cursor.poll() is None and not log.wait(60, 0) and log.wait(59, 0)
    writer = threading.Timer(0.05, lambda: append(folder / log_name(40), log_bytes([b"more"], base_offset=60)))
    writer.start()
    batch = cursor.poll(None)
    assert batch is not None and batch.base_offset == 60 and log.wait(60)
    writer.join()
    cursor.close()
    with pytest.raises(LogClosedError):
        cursor.poll(1)


def test_a_segment_ends_only_when_a_later_one_is_seen_and_its_size_looked_at_again(
    folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer appends and rolls just after the reader has found the end of the segment."""
    cursor = log.cursor(40)
    assert drained(cursor) == list(range(40, 60))
    listed = log._list

    def write_before_listing() -> Any:
        monkeypatch.setattr(log, "_list", listed)
        append(folder / log_name(40), log_bytes(values(5), base_offset=60))
        (folder / log_name(65)).write_bytes(log_bytes(values(5), base_offset=65))
        return listed()

    monkeypatch.setattr(log, "_list", write_before_listing)
    assert drained(cursor) == list(range(60, 70))
    cursor.close()


# Retention and deletion


def test_deleted_segments_that_are_open_are_read_to_their_end(folder: Path, log: LogReader) -> None:
    cursor = log.cursor()
    assert cursor.poll() is not None
    (folder / log_name(0)).rename(folder / (log_name(0) + ".deleted"))
    assert drained(cursor) == list(range(5, 60))
    with log.cursor(20) as other:
        assert other.poll() is not None
        (folder / log_name(20)).unlink()
        assert drained(other) == list(range(25, 60))
    cursor.close()


@pytest.mark.parametrize(
    ("reset", "expected"), [("error", RecordsDeletedError), ("earliest", list(range(40, 60))), ("latest", [])]
)
def test_retention_that_overtakes_a_reader(folder: Path, log: LogReader, reset: Any, expected: Any) -> None:
    with log.cursor(auto_offset_reset=reset) as cursor:
        assert cursor.poll() is not None
        (folder / log_name(0)).unlink()
        (folder / log_name(20)).unlink()
        for _ in range(3):
            assert cursor.poll() is not None  # the open one, to its end
        if reset == "error":
            with pytest.raises(expected) as caught:
                cursor.poll()
            assert (caught.value.offset, caught.value.start_offset, caught.value.source) == (20, 40, str(folder))
        else:
            assert drained(cursor) == expected
    assert (log.start_offset, log.end_offset) == (40, 60)
    with pytest.raises(OffsetOutOfRangeError):
        log.read(0)


def test_the_log_start_that_the_root_knows(folder: Path, log: LogReader) -> None:
    checkpoint = folder.parent / "log-start-offset-checkpoint"
    assert log.start_offset == 0
    for start in (7, 33):
        beside = checkpoint.with_suffix(".tmp")
        beside.write_text(f"0\n1\n{folder.name.rpartition('-')[0]} 0 {start}\n")
        beside.replace(checkpoint)
        assert log.start_offset == start
        assert offsets(log) == list(range(start, 60))
        with pytest.raises(OffsetOutOfRangeError):
            log.read(start - 1)
        assert log.offset_for_timestamp(-2) == TimestampOffset(-1, start, 0)
        # Kafka chooses the segment by its largest timestamp alone, and when its records are deleted looks no further.
        found = log.offset_for_timestamp(BASE_MS + 20 if start > 20 else 0)
        assert found is not None and found.offset == start
        assert log.offset_for_timestamp(0) == (found if start < 20 else None)
    assert len(log.read(40, 1)) > 0
    checkpoint.write_text("0\n1\norders 0 50\n")
    with pytest.raises(OffsetOutOfRangeError):
        log.read(45)  # where the last read ended
    checkpoint.write_text("0\n1\norders 0 100\n")
    assert (log.start_offset, log.end_offset, offsets(log)) == (100, 100, [])
    assert offsets(log, 5, auto_offset_reset="earliest") == []
    checkpoint.write_text("damaged")
    assert log.start_offset == 0


def test_files_that_vanish_between_listing_and_opening(
    folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first listing still has what is gone when its files are opened."""
    opened: list[Path] = []

    def list_and_delete(path: Path) -> Partition:
        found = kformat.open(path)
        if not opened:
            (folder / log_name(0)).unlink()
        opened.append(path)
        return found

    log.refresh()
    monkeypatch.setattr(module, "open_partition", list_and_delete)
    assert offsets(log, 0, auto_offset_reset="earliest") == list(range(20, 60))
    opened.clear()
    (folder / log_name(0)).write_bytes(log_bytes(values(20), base_offset=0))
    log.refresh()
    assert log.offset_for_timestamp(0) == TimestampOffset(1_700_000_000_000 + 20, 20, 0)


def test_a_time_index_that_vanishes_during_a_lookup(
    folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the old segment looks as new as its file, and would be searched in vain."""

    def find(*given: Any, **how: Any) -> Any:
        monkeypatch.undo()
        (folder / log_name(0)).with_suffix(".timeindex").unlink()
        answer = find_timestamp(*given, **how)
        (folder / log_name(0)).unlink()
        return answer

    monkeypatch.setattr(module, "find_timestamp", find)
    assert log.offset_for_timestamp(BASE_MS + 30) == TimestampOffset(BASE_MS + 30, 30, 0)


def test_a_name_that_was_missed_in_the_listing(folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is renamed while a directory is listed may be in the list under neither name; then it is listed again."""

    def list_partly(path: Path) -> Partition:
        monkeypatch.undo()
        found = kformat.open(path)
        (folder / "other").touch()
        return dataclasses.replace(found, segments=(found.segments[0], found.segments[2]))

    log.refresh()
    monkeypatch.setattr(module, "open_partition", list_partly)
    assert offsets(log, 25) == list(range(25, 60))


def test_changes_that_the_time_of_the_folder_does_not_tell(folder: Path, log: LogReader) -> None:
    """Two changes in one tick of the kernel's clock, the listing between them."""
    (folder / "other").touch()
    status = folder.stat()
    assert log.end_offset == 60
    (folder / log_name(60)).write_bytes(log_bytes([b"new"], base_offset=60))
    os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert log.end_offset == 61 and offsets(log, 58) == [58, 59, 60]


def test_a_log_that_becomes_empty_and_starts_anew(folder: Path, log: LogReader) -> None:
    """truncateFullyAndStartAt: all segments go, one comes."""
    with log.cursor() as cursor, log.cursor(auto_offset_reset="earliest") as other:
        for one in (cursor, other):
            assert len(drained(one)) == 60
        for path in folder.glob("*.log"):
            path.rename(path.with_name(path.name + ".deleted"))
        (folder / log_name(500)).write_bytes(log_bytes(values(5), base_offset=500))
        with pytest.raises(RecordsDeletedError):
            cursor.poll()
        assert drained(other) == list(range(500, 505))
        assert (log.start_offset, log.end_offset) == (500, 505)


def test_a_folder_that_goes(folder: Path, log: LogReader) -> None:
    with log.cursor() as cursor:
        assert cursor.poll() is not None
        shutil.rmtree(folder)
        for _ in range(3):
            assert cursor.poll() is not None
        with pytest.raises(FileNotFoundError):
            cursor.poll()
        with pytest.raises(FileNotFoundError):
            _ = log.end_offset


# Truncation


def cut(folder: Path, offset: int) -> None:
    """truncate_to of a batch's base offset, with the indexes cut too, as a writer does it."""
    partition = kformat.open(folder)
    for segment in reversed(partition.segments):
        if segment.base_offset >= offset and segment.base_offset:
            for path in (segment.log, segment.index, segment.timeindex):
                if path is not None:
                    path.unlink()
            continue
        position = next((b.position for b in segment.scan() if b.base_offset >= offset), None)
        if position is not None:
            os.truncate(segment.log, position)
        return


def test_truncation_below_the_reader(folder: Path, log: LogReader) -> None:
    with log.cursor() as cursor, log.cursor(auto_offset_reset="latest") as other:
        assert len(drained(cursor)) == len(drained(other)) == 60
        assert log.end_offset == 60
        cut(folder, 30)
        assert log.end_offset == 30
        for _ in range(2):
            with pytest.raises(OffsetOutOfRangeError) as caught:
                cursor.poll()
            assert (caught.value.offset, caught.value.start_offset, caught.value.end_offset) == (60, 0, 30)
        assert drained(other) == []
        append(folder / log_name(20), log_bytes(values(3), base_offset=30))
        assert drained(other) == [30, 31, 32]
        assert log.end_offset == 33
        assert offsets(log) == list(range(33))


def test_a_file_cut_inside_of_the_last_batch(folder: Path, log: LogReader) -> None:
    with log.cursor() as cursor:
        assert len(drained(cursor)) == 60
        os.truncate(folder / log_name(40), (folder / log_name(40)).stat().st_size - 1)
        with pytest.raises(OffsetOutOfRangeError) as caught:
            cursor.poll()
        assert caught.value.end_offset == log.end_offset == 55


def test_truncation_to_where_the_reader_is(folder: Path, log: LogReader) -> None:
    with log.cursor(40) as cursor:
        assert [cursor.poll() is not None for _ in range(2)] == [True, True]
        cut(folder, 50)
        assert cursor.poll() is None
        append(folder / log_name(40), log_bytes(values(4), base_offset=50))
        assert drained(cursor) == [50, 51, 52, 53]


@pytest.mark.parametrize("keep", [40, 45, 50, 55])
@pytest.mark.parametrize("per_batch", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("filler", [0, 1, 60])
def test_truncation_and_new_batches_before_the_reader_looks(
    folder: Path, log: LogReader, keep: int, per_batch: int, filler: int
) -> None:
    """Where the reader stood there may be the middle of a batch, or another batch: no record comes twice, none is left
    out."""
    with log.cursor(40) as cursor, log.cursor(40) as behind:
        assert len(drained(cursor)) == 20
        for _ in range(2):
            assert behind.poll() is not None
        assert log.end_offset == 60
        cut(folder, keep)
        new = [b"y" * filler for _ in range(keep, 75)]
        append(folder / log_name(40), log_bytes(new, base_offset=keep, records_per_batch=per_batch))
        assert log.end_offset == 75
        assert drained(cursor) == list(range(60, 75))
        assert drained(behind) == list(range(50, 75))


def test_truncation_and_a_roll_at_the_same_size(folder: Path, log: LogReader) -> None:
    """The new end of the segment is at the very byte where the reader stood, but at another offset."""
    path = folder / log_name(40)
    with log.cursor(40) as cursor:
        assert len(drained(cursor)) == 20
        size, kept = path.stat().st_size, 200
        cut(folder, 40)
        # 21 small batches and one that fills up.
        start = b"".join(log_bytes([b""], base_offset=40 + number) for number in range(5))
        last = log_bytes([b""] * 30, base_offset=45, records_per_batch=30)
        kept = size - len(start) - len(last)
        last = log_bytes([b"z" * kept, *[b""] * 29], base_offset=45, records_per_batch=30)
        last = log_bytes(
            [b"z" * (kept - (len(start) + len(last) - size)), *[b""] * 29], base_offset=45, records_per_batch=30
        )
        path.write_bytes(start + last)
        assert path.stat().st_size == size
        (folder / log_name(75)).write_bytes(log_bytes([b"after"], base_offset=75))
        assert drained(cursor) == list(range(60, 76))


# Compaction


def test_gaps_that_compaction_leaves(tmp_path: Path) -> None:
    kept = [0, 3, 4, 17, 18, 25, 31, 59]
    records = [{"offset": offset, "value": b"v"} for offset in kept]
    folder = write_log(tmp_path, segments=[records[:3], records[3:5], records[5:]], records_per_batch=1)
    (folder / log_name(17)).rename(folder / log_name(10))  # the segment began where it was rolled
    with LogReader.open(folder) as log:
        for start in range(61):
            assert offsets(log, start) == [offset for offset in kept if offset >= start]
            assert next((one.offset for one in log.read(start).records()), None) == next(
                (offset for offset in kept if offset >= start), None
            )


def test_segments_merged_under_a_reader(folder: Path, log: LogReader) -> None:
    """The cleaner puts one segment in the place of the first two, with fewer records."""
    with log.cursor() as first, log.cursor(20) as second, log.cursor(0) as late:
        assert first.poll() is not None and second.poll() is not None
        merged = [{"offset": offset, "value": b"kept"} for offset in range(0, 40, 3)]
        swap = folder / (log_name(0) + ".swap")
        swap.write_bytes(log_bytes(merged, base_offset=0, records_per_batch=2))
        for base in (0, 20):
            (folder / log_name(base)).rename(folder / (log_name(base) + ".deleted"))
        swap.rename(folder / log_name(0))
        assert drained(first) == [*range(5, 20), *range(21, 40, 3), *range(40, 60)]
        assert drained(second) == list(range(25, 60))
        assert drained(late) == [*range(0, 40, 3), *range(40, 60)]


def test_the_listing_waits_for_a_swap(folder: Path, log: LogReader) -> None:
    """Between the going of the old segment and the coming of the new one nothing has the name."""
    swap = folder / (log_name(20) + ".swap")
    (folder / log_name(20)).rename(swap)
    timer = threading.Timer(0.1, lambda: swap.rename(folder / log_name(20)))
    timer.start()
    assert offsets(log) == list(range(60))
    timer.join()


# What is there, and what is damage


def spoil(path: Path, position: int) -> None:
    byte = path.read_bytes()[position]
    overwrite(path, position, bytes([byte ^ 1]))


@pytest.mark.parametrize(
    "tail",
    [b"\0", bytes(11), bytes(12), bytes(5000), b"garbage, more of it", random.Random(2).randbytes(300)],
    ids=["zero", "zeros", "frame-of-zeros", "room", "garbage", "noise"],
)
def test_the_end_of_the_last_segment_is_where_sound_batches_end(folder: Path, log: LogReader, tail: bytes) -> None:
    path = folder / log_name(40)
    size = path.stat().st_size
    with log.cursor() as cursor:
        append(path, tail)
        assert drained(cursor) == list(range(60))
        assert (log.end_offset, offsets(log, 60)) == (60, [])
        with pytest.raises(OffsetOutOfRangeError):
            log.read(61)
        more = log_bytes(values(5), base_offset=60)
        os.truncate(path, size)
        append(path, more)
        assert drained(cursor) == list(range(60, 65))
        assert log.end_offset == 65


def test_a_last_batch_that_is_not_right_is_not_there_yet(folder: Path, log: LogReader) -> None:
    path = folder / log_name(40)
    last = list(iter_batches(path))[-1]
    spoil(path, last.position + 80)
    assert (log.end_offset, offsets(log)) == (55, list(range(55)))
    with pytest.raises(OffsetOutOfRangeError):
        log.read(57)
    spoil(path, last.position + 80)
    assert (log.end_offset, offsets(log)) == (60, list(range(60)))


def zero(path: Path, position: int, size: int) -> None:
    overwrite(path, position, bytes(size))


@pytest.mark.parametrize(
    ("base", "number", "change", "error"),
    [
        pytest.param(0, 1, lambda path, batch: spoil(path, batch.position + 80), ChecksumError, id="checksum"),
        pytest.param(0, 3, lambda path, batch: spoil(path, batch.position + 80), ChecksumError, id="last-of-old"),
        pytest.param(40, 1, lambda path, batch: spoil(path, batch.position + 80), ChecksumError, id="last-segment"),
        pytest.param(0, 2, lambda path, batch: zero(path, batch.position, batch.size), InvalidError, id="zeros"),
        pytest.param(40, 1, lambda path, batch: zero(path, batch.position, batch.size), InvalidError, id="zeros-last"),
        pytest.param(0, 3, lambda path, batch: zero(path, batch.position, batch.size), InvalidError, id="zeros-at-end"),
        pytest.param(20, 3, lambda path, batch: os.truncate(path, batch.position + 50), TruncatedError, id="cut"),
        pytest.param(20, 1, lambda path, batch: overwrite(path, batch.position, b"\x7f"), InvalidError, id="offset"),
    ],
)  # fmt: skip
def test_damage(
    folder: Path, log: LogReader, base: int, number: int, change: Callable[[Path, Any], None], error: type[DataError]
) -> None:
    path = folder / log_name(base)
    batches = list(iter_batches(path))
    batch = batches[number]
    change(path, batch)
    found: list[int] = []
    with pytest.raises(error) as caught:
        for record in log.records():
            found.append(record.offset)
    assert caught.value.source == str(path)
    assert caught.value.position is not None
    assert batch.position <= caught.value.position <= batch.position + HEADER_BYTES
    assert found == list(range(base + number * 5))
    after = base + number * 5 + 5
    if error is ChecksumError or after % 20 == 0:  # the frame is right, or the next segment is a beginning
        assert offsets(log, after) == list(range(after, 60))


def test_damage_is_seen_by_the_batch_behind_it_where_no_index_speaks(folder: Path, log: LogReader) -> None:
    path = folder / log_name(40)
    path.with_suffix(".index").unlink()
    spoil(path, list(iter_batches(path))[1].position + 80)
    with pytest.raises(ChecksumError):
        list(log)


def test_damage_is_looked_at_again_before_it_is_said_to_be(
    folder: Path, log: LogReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that was under way when the batch was read, and is done when it is read again."""
    path = folder / log_name(0)
    position = list(iter_batches(path))[1].position + 80
    spoil(path, position)

    def finish(_: float) -> None:
        monkeypatch.undo()
        spoil(path, position)

    monkeypatch.setattr("time.sleep", finish)
    assert offsets(log) == list(range(60))


@pytest.mark.parametrize("tail", [bytes(1000), b"xy", b"what no index speaks of"], ids=["room", "bytes", "text"])
def test_what_lies_behind_the_last_batch_of_an_older_segment_is_not_looked_at(
    folder: Path, log: LogReader, tail: bytes
) -> None:
    append(folder / log_name(0), tail)
    assert offsets(log) == list(range(60))
    assert offsets(log, 17, end_offset=23) == list(range(17, 23))
    # The segment is searched to its end, because its records are deleted.
    (folder.parent / "log-start-offset-checkpoint").write_text("0\n1\norders 0 20\n")
    assert log.offset_for_timestamp(0) is None


def test_a_batch_over_the_limit(folder: Path) -> None:
    with LogReader.open(folder, limit=100) as log:
        for start in (0, 59):
            with pytest.raises(LimitError):
                next(log.batches(start))


def test_damage_that_is_mended_is_read_on(folder: Path, log: LogReader) -> None:
    path = folder / log_name(0)
    position = list(iter_batches(path))[1].position + 80
    spoil(path, position)
    with log.cursor() as cursor:
        assert cursor.poll() is not None
        for _ in range(2):
            with pytest.raises(ChecksumError):
                cursor.poll()
        spoil(path, position)
        assert drained(cursor) == list(range(5, 60))


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_bytes_are_only_typed_errors_come(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    folder = write_log(tmp_path, values(60), records_per_segment=20, records_per_batch=5, index_interval_bytes=100)
    sound = list(kformat.open(folder).records())
    for path in source.sample(sorted(folder.iterdir()), k=3):
        data = bytearray(path.read_bytes())
        for _ in range(source.randint(1, 20)):
            if data:
                data[source.randrange(len(data))] = source.choice((0, 255, source.randrange(256)))
        path.write_bytes(data[: source.choice((len(data), source.randrange(len(data) + 1)))])
    with LogReader.open(folder) as log:
        found: list[kformat.Record] = []
        try:
            found.extend(log)
        except (DataError, OffsetOutOfRangeError):
            pass
        assert [one.offset for one in found] == sorted({one.offset for one in found})
        assert {one.value for one in found} <= {one.value for one in sound}
        for target in (-1, -2, -3, 0, BASE_MS + 30):
            try:
                log.offset_for_timestamp(target)
            except DataError:
                pass
        assert log.end_offset >= log.start_offset


# Lookups by time while the log changes


def test_timestamps_are_found_in_what_was_just_appended(folder: Path, log: LogReader) -> None:
    new = [{"value": b"new", "timestamp": BASE_MS + 10_000 + number} for number in range(5)]
    assert log.offset_for_timestamp(BASE_MS + 10_000) is None
    append(folder / log_name(40), log_bytes(new, base_offset=60))
    assert log.offset_for_timestamp(BASE_MS + 10_002) == TimestampOffset(BASE_MS + 10_002, 62, 0)
    assert log.offset_for_timestamp(-1) == TimestampOffset(-1, 65, 0)
    assert log.offset_for_timestamp(-3) == TimestampOffset(BASE_MS + 10_004, 64, 0)
    cut(folder, 50)
    assert log.offset_for_timestamp(BASE_MS + 10_002) is None
    assert log.offset_for_timestamp(-1) == TimestampOffset(-1, 50, 0)
    (folder / log_name(50)).write_bytes(log_bytes(new, base_offset=50))
    assert log.offset_for_timestamp(BASE_MS + 10_002) == TimestampOffset(BASE_MS + 10_002, 52, 0)
    with pytest.raises(UsageError):
        log.offset_for_timestamp(-7)


def test_an_index_in_use_is_read_on_and_a_cut_one_again(tmp_path: Path) -> None:
    """Entries, then the zeros of the preallocated file; the reader takes those that were added, and forgets none that
    hold for the log, which has not changed."""
    files = segment_files(values(400), records_per_batch=2, index_interval_bytes=100)
    folder = tmp_path / "indexed-0"
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with LogReader.open(folder) as log:
        (segment,) = log._list()
        for suffix, name in ((".index", "offset_entries"), (".timeindex", "time_entries")):
            path = (folder / log_name(0)).with_suffix(suffix)
            data = path.read_bytes()
            everything = getattr(segment.indexes(), name).tolist()
            slot, room = layout(f"{name.partition('_')[0]}_index::entry").size, bytes(40_000 - 40_000 % 24)
            assert getattr(segment.indexes(), name).tobytes() == data and len(everything) > 20
            for count in (0, 1, 2, 7, len(everything), 3, 10):
                path.write_bytes(data[: count * slot] + room)
                found = getattr(segment.indexes(), name).tolist()
                assert everything[:count] == found[:count] and found == everything[: len(found)]
            path.write_bytes(data[slot : 11 * slot] + room)  # as many others, after a truncation
            assert set(everything[1:11]) <= set(getattr(segment.indexes(), name).tolist()) <= set(everything)
            path.unlink()
            assert set(getattr(segment.indexes(), name).tolist()) <= set(everything)


# The reader itself


def test_what_cannot_be_opened(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        LogReader.open(tmp_path / "nothing-0")
    with pytest.raises(NotADirectoryError):
        LogReader.open(folder / log_name(0))
    (tmp_path / "empty-0").mkdir()
    with pytest.raises(LogError, match="no segment"):
        LogReader.open(tmp_path / "empty-0")
    with pytest.raises(UsageError, match="folder of partitions"):
        LogReader.open(tmp_path)


def test_a_closed_reader(folder: Path) -> None:
    log = LogReader.open(folder)
    cursor, records = log.cursor(), log.records()
    assert cursor.poll() is not None and next(records).offset == 0
    log.close()
    log.close()
    for use in (cursor.poll, lambda: log.read(0), lambda: log.end_offset, lambda: log.start_offset, lambda: list(log)):
        with pytest.raises(LogClosedError):
            use()
    cursor.close()
    with pytest.raises(LogClosedError):
        list(records)[10:]


def descriptors(folder: Path) -> int:
    found = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{name}").startswith(str(folder))
        except FileNotFoundError:
            pass
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of descriptors on this system")
def test_descriptors_are_few_and_given_back_and_nothing_is_mapped_or_written(folder: Path) -> None:
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}
    with LogReader.open(folder) as log:
        for start in range(60):
            log.read(start)
            log.offset_for_timestamp(BASE_MS + start)
        assert log.end_offset == 60
        assert descriptors(folder) == 2  # where `read` continues, and of what is found in one step
        iteration = log.records()
        next(iteration)
        assert descriptors(folder) == 3
        assert str(folder) not in Path("/proc/self/maps").read_text()
        del iteration
    assert descriptors(folder) == 0
    assert before == {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}

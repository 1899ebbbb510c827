"""What a log gives to who reads it: Kafka's cases of fetching by offset, in a log without replicas.

Everything below the log's end may be read: there is no high watermark below it. Kafka's `readLog` in these cases gives
the first batch whole, whatever the limit, unless told otherwise; so does `Log.read`.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kformat.errors import DataError, UsageError
from kformat.kafka.files.file_kinds import file_name, parse_file_name
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import errors
from kformat_engine.errors import OffsetOutOfRangeError, RecordsDeletedError
from kformat_engine.log import Log
from tests.damages import patched
from tests.engine.building import batch
from tests.engine.logs import NOW_MS, Stage, append_each, bases, read_offsets, read_values, record

ONE = len(batch(0, b"a", timestamps=NOW_MS))
"""Bytes of a batch of one record of a byte."""
WITH_GAPS = [*range(50), *range(50, 200, 7)]
"""The offsets of Kafka's cases: all up to 50, then every seventh."""


def with_gaps(stage: Stage) -> Log:
    """A log that has these offsets only, each in a batch and a segment of its own, as a follower gets them."""
    log = stage.open(segment_bytes=72)
    for number in WITH_GAPS:
        log.append_batches(batch(number, b"%d" % number, timestamps=NOW_MS), assign_offsets=False)
    return log


# Kafka: UnifiedLogTest.testLoadEmptyLog
def test_a_folder_with_an_empty_segment_is_opened_and_appended_to(stage: Stage) -> None:
    stage.lay_empty_segment(0)
    log = stage.open()
    assert (bases(log), log.start_offset, log.end_offset, read_values(log)) == ([0], 0, 0, [])
    assert log.append([record()]) == 0
    assert read_values(log) == [b"test"]


# Kafka: UnifiedLogTest.testFetchUpToLogEndOffset
def test_every_offset_below_the_end_can_be_read_and_says_where_it_lies(stage: Stage) -> None:
    log = stage.open(segment_bytes=1 << 20)
    log.append([b"0", b"1", b"2"])
    log.append([b"3", b"4"])
    first = len(log.read(0)) - len(log.read(3))
    for offset in range(log.start_offset, log.end_offset):
        found = log.read(offset)
        assert len(found) > 0
        assert not found.first_entry_incomplete
        assert (found.start_offset, found.base_offset, found.position) == (offset, 0, 0 if offset < 3 else first)
        assert [one.offset for one in found.records()] == list(range(offset, 5))


# Kafka: UnifiedLogTest.testAppendAndReadWithSequentialOffsets
def test_records_are_read_in_the_order_in_which_they_were_appended(stage: Stage) -> None:
    log = stage.open(segment_bytes=71)
    values = [b"%d" % number for number in range(0, 100, 2)]
    append_each(log, *values)
    assert len(bases(log)) == len(values), "no two batches fit a segment"
    for offset, value in enumerate(values):
        found = next(log.read(offset, 1).batches())
        assert found.last_offset == offset
        one = next(iter(found.records()))
        assert (one.key, one.value) == (None, value)
    assert read_offsets(log, len(values), 100) == []


# Kafka: UnifiedLogTest.testAppendAndReadWithNonSequentialOffsets
# Kafka: UnifiedLogTest.testReadWithMinMessage
def test_an_offset_in_a_gap_reads_the_next_one_that_is_there(stage: Stage) -> None:
    log = with_gaps(stage)
    assert log.end_offset == WITH_GAPS[-1] + 1
    for offset in range(50, WITH_GAPS[-1]):
        expected = next(number for number in WITH_GAPS if number >= offset)
        for max_bytes in (1, 100, 100_000):
            head = next(log.read(offset, max_bytes).records())
            assert (head.offset, head.value, head.timestamp) == (expected, b"%d" % expected, NOW_MS)


# Kafka: UnifiedLogTest.testReadWithTooSmallMaxLength
def test_without_the_promise_of_a_whole_batch_the_limit_cuts_it(stage: Stage) -> None:
    log = with_gaps(stage)
    for offset in range(50, WITH_GAPS[-1]):
        nothing = log.read(offset, 0, min_one_batch=False)
        assert (len(nothing), nothing.first_entry_incomplete) == (0, False)
        cut = log.read(offset, 1, min_one_batch=False)
        assert (len(cut), cut.first_entry_incomplete) == (1, True)
        assert list(cut.batches()) == []
        assert log.read(offset, 1 << 20, min_one_batch=False).first_entry_incomplete is False


# Kafka: UnifiedLogTest.testReadAtLogGap
def test_a_gap_at_the_end_of_a_segment_reads_the_next_segment(stage: Stage) -> None:
    """Kafka's test cuts the first of two segments behind the log's back; a follower's appends make the same gap."""
    log = stage.open(segment_bytes=300)
    log.append_batches(batch(0, b"42"), assign_offsets=False)
    log.roll()
    log.append_batches(batch(4, b"42"), assign_offsets=False)
    assert bases(log) == [0, 1]
    for offset in range(1, 5):
        found = log.read(offset, 200)
        assert (found.base_offset, [one.last_offset for one in found.batches()]) == (1, [4])

    log.append_batches(batch(9, b"42" * 100), assign_offsets=False)
    assert bases(log) == [0, 1, 9]
    assert [log.read(offset).base_offset for offset in (4, 5, 8, 9)] == [1, 9, 9, 9]


# Kafka: UnifiedLogTest.testReadOutOfRange
def test_the_end_reads_nothing_and_beyond_both_ends_is_an_error(stage: Stage) -> None:
    stage.lay_empty_segment(1024)
    log = stage.open(segment_bytes=1024)
    assert log.append([b"42"]) == 1024
    at_end = log.read(1025, 1000)
    assert (len(at_end), at_end.base_offset, at_end.position) == (0, 1024, log.size_bytes)
    assert list(log.records(1025)) == []
    for offset in (0, 1023, 1026):
        with pytest.raises(OffsetOutOfRangeError) as caught:
            log.read(offset, 1000)
        assert (caught.value.offset, caught.value.start_offset, caught.value.end_offset) == (offset, 1024, 1025)
        with pytest.raises(OffsetOutOfRangeError):
            list(log.records(offset, 2000))
        with pytest.raises(OffsetOutOfRangeError):
            list(log.records(offset))


def test_an_iteration_that_is_overtaken_says_so_and_one_that_was_cut_is_out_of_range(stage: Stage) -> None:
    log = stage.open()
    for _ in range(4):
        append_each(log, b"a")
        log.roll()
    overtaken, cut = log.records(), log.records(end_offset=10)
    assert [next(overtaken).offset, next(cut).offset, next(cut).offset, next(cut).offset] == [0, 0, 1, 2]
    log.delete_records_before(3)
    with pytest.raises(RecordsDeletedError) as caught:
        next(overtaken)
    assert (caught.value.offset, caught.value.start_offset, caught.value.source) == (1, 3, str(log.path))
    log.truncate_fully_and_start_at(1)
    with pytest.raises(OffsetOutOfRangeError):
        next(cut)


# Kafka: LocalLogTest.testWhenFetchOffsetHigherThanMaxOffset
def test_where_reads_below_at_and_above_the_end_lead(stage: Stage) -> None:
    """Kafka's cases have an end that is given with the read, and give nothing above it; here the log's own end is the
    only one, and above it is an error. (`LogSegment.read` takes an end, for who needs one.)"""
    log = stage.open()
    for number in range(5):
        append_each(log, b"a")
        if number % 2:
            log.roll()
    assert bases(log) == [0, 2, 4]
    found = log.read(3)
    assert (found.start_offset, found.base_offset, found.position) == (3, 2, ONE)
    assert [one.offset for one in found.records()] == [3], "a read ends with its segment"
    found = log.read(5)
    assert (found.start_offset, found.base_offset, found.position, len(found)) == (5, 4, ONE, 0)
    with pytest.raises(OffsetOutOfRangeError):
        log.read(6)


# Kafka: UnifiedLogTest.testCompressedMessages
def test_an_offset_inside_of_a_compressed_batch_gives_the_batch(stage: Stage) -> None:
    log = stage.open(segment_bytes=110)
    log.append([b"hello", b"there"], compression="gzip")
    log.append([b"alpha", b"beta"], compression="gzip")
    assert bases(log) == [0, 2], "a batch each"
    for offset, first in ((0, 0), (1, 0), (2, 2), (3, 2)):
        batches = list(log.read(offset, 4096).batches())
        assert [(one.base_offset, one.last_offset) for one in batches] == [(first, first + 1)]
        assert next(log.read(offset).records()).offset == offset, "of the records, those from the offset on"
    assert read_values(log) == [b"hello", b"there", b"alpha", b"beta"]


# Kafka: LocalLogTest.testLogAppend
def test_what_was_appended_is_read(stage: Stage) -> None:
    log = stage.open()
    assert read_offsets(log, 0, 1) == []
    stage.sleep(1)
    assert log.append([(b"abc", b"ABC"), (b"de", b"DE")]) == 0
    assert (log.end_offset, log.recovery_point) == (2, 0)
    assert [(one.key, one.value, one.timestamp) for one in log] == [
        (b"abc", b"ABC", NOW_MS + 1),
        (b"de", b"DE", NOW_MS + 1),
    ]


# Kafka: LocalLogTest.testOffsetFromFile
# Kafka: UnifiedLogTest.testOffsetFromProducerSnapshotFile
@pytest.mark.parametrize("suffix", ["log", "index", "timeindex", "txnindex", "snapshot"])
def test_a_file_s_name_gives_its_offset(suffix: str) -> None:
    name = file_name(23_423_423, suffix)
    assert name == f"00000000000023423423.{suffix}"
    found = parse_file_name(name)
    assert found is not None
    assert found.offset == 23_423_423


# Kafka, left out: UnifiedLogTest.testFetchUpToHighWatermark: no replicas, no high watermark below the end
# Kafka, left out: UnifiedLogTest.testHighWatermarkMaintenance: no replicas, no high watermark below the end
# Kafka, left out: UnifiedLogTest.testMaybeUpdateHighWatermarkAsFollower: no replicas, no high watermark below the end
# Kafka, left out: UnifiedLogTest.testOffsetSnapshot: no replicas, no high watermark below the end
# Kafka, left out: UnifiedLogTest.testLogOffsetsListener: tells of the high watermark
# Kafka, left out: UnifiedLogTest.testUpdateLogOffsetsListener: tells of the high watermark


CALLS: dict[str, Callable[[Any, Any], object]] = {
    "read": lambda log, given: log.read(given).data,
    "max_bytes": lambda log, given: log.read(0, given).data,
    "batches-from": lambda log, given: [one.base_offset for one in log.batches(given)],
    "batches-to": lambda log, given: [one.base_offset for one in log.batches(0, given)],
    "records-from": lambda log, given: [one.offset for one in log.records(given)],
    "records-to": lambda log, given: [one.offset for one in log.records(0, given)],
    "timestamp": lambda log, given: log.offset_for_timestamp(given),
}


@pytest.mark.parametrize("given", [1.0, "1", b"1", True])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_no_whole_number_is_refused_and_numpy_s_numbers_are_numbers(
    stage: Stage, call: Callable[[Any, Any], object], given: object
) -> None:
    log = stage.open()
    append_each(log, b"0", b"1", b"2")
    with LogReader.open(stage.path) as reader:
        for one in (log, reader):
            assert call(one, np.int64(1)) == call(one, 1)
            if call is not CALLS["timestamp"] or given != "1":  # a time may be text
                with pytest.raises(UsageError, match="a whole number is expected"):
                    call(one, given)


def test_decay_in_a_sealed_segment_is_no_end_of_it(stage: Stage) -> None:
    """Its batches behind the damage were passed over without a word."""
    with stage.open() as log:
        for _ in range(3):
            for _ in range(10):
                log.append([record(b"x" * 50, stage.now_ms)])
            log.roll()
    path = stage.path / file_name(10, "log")
    data = path.read_bytes()
    size = len(data) // 10
    for length in (2**31 - 1, 3):
        path.write_bytes(data[: 4 * size] + patched(data[4 * size :], mend=False, batch_length=length))
        with stage.open() as log:
            found = []
            with pytest.raises(DataError) as caught:
                for one in log:
                    found.append(one.offset)
            assert found == list(range(14)) and caught.value.position is not None
            assert caught.value.source == str(path) and caught.value.position >= 4 * size
            with pytest.raises(DataError):
                log.read(15)
            assert [one.offset for one in log.records(20)] == list(range(20, 30))
            assert not log.has_failed


def test_followers_wait_as_long_as_they_are_told_and_notice_a_truncation(tmp_path: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"old"] * 10)
        follower = log.records(9, follow=True, timeout_s=math.inf)
        assert next(follower).offset == 9
        timer = threading.Timer(0.05, log.truncate_to, (5,))
        timer.start()
        with pytest.raises(errors.OffsetOutOfRangeError) as caught:
            next(follower)
        timer.join()
        assert (caught.value.offset, caught.value.end_offset) == (10, 5)


def test_bytes_read_from_a_log_that_was_closed_are_not_cut_by_the_next(stage: Stage) -> None:
    """A look at them would have been the end of the process."""
    log = stage.open()
    log.append([b"x" * 20_000])
    log.roll()
    log.append([b"y"])
    held = log.read(0).data
    log.close()
    log = stage.open()
    with pytest.raises(errors.SegmentInUseError):
        log.truncate_to(0)
    assert not log.has_failed and b"x" * 20_000 in bytes(held)
    del held
    assert log.truncate_to(0) and log.size_bytes == 0


def test_a_reader_of_a_relative_path_goes_on_elsewhere(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with stage.open() as log:
        for _ in range(3):
            log.append([b"value"] * 3)
            log.roll()
        log.delete_records_before(1)
    monkeypatch.chdir(stage.root.parent)
    with LogReader.open(os.path.join(stage.root.name, stage.path.name)) as reader:
        assert reader.start_offset == 1
        monkeypatch.chdir("/")
        reader.refresh()
        assert [one.offset for one in reader] == list(range(1, 9))

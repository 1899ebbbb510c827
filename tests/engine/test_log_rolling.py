"""When a log begins a new segment, and what is told of its segments: Kafka's cases of rolling, flushing and splitting.

Log.roll takes no offset: a new segment begins at the log's end. (Kafka's takes one, for appends of a follower that
leave a gap; here that happens inside of `append_batches`.)
"""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import file_name
from kformat_engine.config import LogConfig
from kformat_engine.errors import LogClosedError, RollError, WriterFailedError
from kformat_engine.storage import DISK
from tests.damages_legacy import inner, plain, wrapper
from tests.engine.building import batch
from tests.engine.faults import FaultyStorage, Step
from tests.engine.logs import (
    NO_TIMESTAMP,
    NOW_MS,
    Stage,
    UnsyncedStorage,
    append_each,
    bases,
    read_offsets,
    read_values,
    record,
)

SEGMENT_MS = 60 * 60
SIZE = len(batch(0, b"test", timestamps=NOW_MS))
"""Bytes of a batch of one record `test`."""


# Kafka: UnifiedLogTest.testTimeBasedLogRollDuringAppend
def test_a_segment_without_timestamps_rolls_by_the_clock_one_with_by_its_own_time(stage: Stage) -> None:
    log = stage.open(segment_ms=SEGMENT_MS)
    timeless = [record(timestamp=NO_TIMESTAMP)]

    stage.sleep(SEGMENT_MS + 1)
    log.append(timeless)
    assert bases(log) == [0], "an empty segment is not rolled, however old"
    log.append(timeless)
    assert bases(log) == [0, 1], "it was made more than segment.ms ago"
    for count in (3, 4):
        stage.sleep(SEGMENT_MS + 1)
        log.append(timeless)
        assert len(bases(log)) == count

    later = [record(timestamp=stage.now_ms + SEGMENT_MS + 1)]
    log.append(later)
    assert len(bases(log)) == 4, "the first batch has no timestamp, so the clock counts, and it stood still"
    stage.sleep(SEGMENT_MS + 1)
    log.append(later)
    assert len(bases(log)) == 5
    stage.sleep(SEGMENT_MS + 1)
    log.append(later)
    assert len(bases(log)) == 5, "the first batch has a timestamp, so it counts, and this one is the same"
    log.append([record(timestamp=stage.now_ms)])
    assert len(bases(log)) == 6

    stage.sleep(SEGMENT_MS + 1)
    assert log.append([]) == log.append_batches(b"") == log.end_offset
    assert len(bases(log)) == 6, "an append of nothing rolls nothing"


@pytest.mark.parametrize(("later_ms", "rolls"), [(SEGMENT_MS - 1, False), (SEGMENT_MS, False), (SEGMENT_MS + 1, True)])
@pytest.mark.parametrize("timestamp", [NOW_MS, NO_TIMESTAMP])
def test_a_segment_rolls_when_more_than_segment_ms_have_passed(
    stage: Stage, timestamp: int, later_ms: int, rolls: bool
) -> None:
    log = stage.open(segment_ms=SEGMENT_MS)
    log.append([record(timestamp=timestamp)])
    stage.sleep(later_ms)
    log.append([record(timestamp=timestamp if timestamp == NO_TIMESTAMP else stage.now_ms)])
    assert len(bases(log)) == 1 + rolls


# Kafka: UnifiedLogTest.testTimeBasedLogRollJitter
def test_jitter_shortens_the_time_of_a_segment(stage: Stage) -> None:
    longest = 20 * 60
    config = LogConfig(segment_ms=SEGMENT_MS, segment_jitter_ms=longest)
    log = stage.open(config=config, chance=random.Random(7))
    jitter_ms = config.random_jitter_ms(random.Random(7))
    assert 0 < jitter_ms < longest
    append_each(log, b"test")

    stage.sleep(SEGMENT_MS - longest)
    append_each(log, b"test")
    assert len(bases(log)) == 1, "too early for any jitter"
    stage.sleep(longest - jitter_ms)
    append_each(log, b"test")
    assert len(bases(log)) == 1
    stage.sleep(1)
    append_each(log, b"test")
    assert len(bases(log)) == 2


# Kafka: UnifiedLogTest.testSizeBasedLogRoll
@pytest.mark.parametrize(
    ("segment_bytes", "count", "expected"),
    [
        pytest.param(10 * (SIZE - 1), 11, [0, 9], id="as-Kafka-has-it"),
        pytest.param(10 * SIZE, 10, [0], id="just-full"),
        pytest.param(10 * SIZE, 11, [0, 10], id="one-too-many"),
        pytest.param(10 * SIZE - 1, 10, [0, 9], id="a-byte-short"),
        pytest.param(SIZE, 3, [0, 1, 2], id="one-each"),
    ],
)
def test_a_segment_rolls_before_it_is_larger_than_segment_bytes(
    stage: Stage, segment_bytes: int, count: int, expected: list[int]
) -> None:
    log = stage.open(segment_bytes=segment_bytes)
    append_each(log, *[b"test"] * count)
    assert bases(log) == expected
    assert max(segment.size_bytes for segment in log.segments) <= segment_bytes


# Kafka: UnifiedLogTest.testLogRolls
def test_reading_over_many_segments_and_the_recovery_point_behind_them(stage: Stage) -> None:
    log = stage.open(segment_bytes=100)
    values = [b"%d" % number for number in range(100)]
    append_each(log, *values)
    assert len(bases(log)) > 50
    assert log.recovery_point == 0, "what a roll brings to the disk, it does in the background"
    stage.sleep(0)
    assert log.recovery_point == log.segments[-1].base_offset

    offset = 0
    for number, value in enumerate(values):
        head = next(log.read(offset).batches())
        found = next(iter(head.records()))
        assert (head.last_offset, found.key, found.value, found.timestamp) == (number, None, value, NOW_MS)
        offset = head.last_offset + 1
    assert read_offsets(log, 100) == []


# Kafka: LocalLogTest.testRollEmptyActiveSegment
def test_rolling_an_empty_segment_puts_a_new_one_in_its_place(stage: Stage) -> None:
    log = stage.open()
    assert log.roll() == 0
    assert bases(log) == [0]
    assert stage.names(".log") == [file_name(0, "log")]
    assert f"{file_name(0, 'log')}.deleted" in stage.names(".deleted")
    stage.sleep(log.config.file_delete_delay_ms)
    assert stage.names(".deleted") == []


# Kafka: LocalLogTest.testNewSegmentsAfterRoll
def test_a_roll_begins_at_the_log_s_end(stage: Stage) -> None:
    log = stage.open()
    assert (log.roll(), bases(log), log.end_offset) == (0, [0], 0)
    append_each(log, b"v1")
    assert (log.roll(), bases(log), log.end_offset) == (1, [0, 1], 1)
    append_each(log, b"v2")
    assert (log.roll(), bases(log), log.end_offset) == (2, [0, 1, 2], 2)


# Kafka: LocalLogTest.testRollSegmentThatAlreadyExists
# Kafka: UnifiedLogTest.testRollSegmentThatAlreadyExists
def test_after_rolling_an_empty_segment_the_new_one_is_as_good(stage: Stage) -> None:
    log = stage.open()
    log.roll()
    assert log.append_batches(batch(0, b"v1", timestamps=NOW_MS), assign_offsets=False) == 0
    assert bases(log) == [0]
    assert log.append_batches(batch(1, b"v2", timestamps=NOW_MS + 10), assign_offsets=False) == 1
    assert log.end_offset == 2
    assert (read_offsets(log, 0, 1), read_offsets(log, 1, 1)) == ([0], [1])
    assert read_values(log) == [b"v1", b"v2"]

    log.roll()
    assert (bases(log), log.end_offset) == ([0, 2], 2)


# Kafka's UnifiedLogTest.testRollSegmentThatAlreadyExists makes the index of the empty segment full by hand; with the
# smallest room that a time index may have, it is so by itself.
def test_a_full_index_of_an_empty_segment_rolls_it_once_and_the_append_goes_in(stage: Stage) -> None:
    log = stage.open(segment_index_bytes=12)
    append_each(log, b"v1", b"v2", b"v3")
    assert read_values(log) == [b"v1", b"v2", b"v3"]
    assert bases(log) == [0, 1, 2]


# Kafka: LocalLogTest.testRollSegmentErrorWhenNextOffsetIsIllegal
def test_a_roll_below_the_active_segment_is_refused(stage: Stage) -> None:
    """No call leads there: Kafka's test and this one set the log's end by hand."""
    log = stage.open()
    append_each(log, b"v1", b"v2", b"v3")
    log.roll()
    log._local.offsets.end_offset = 1
    with pytest.raises(RollError, match=r"a new segment 1 would lie below the active one, 0{19}3\.log"):
        log.roll()
    assert not log.has_failed
    log._local.offsets.end_offset = 3


# Kafka: UnifiedLogTest.testLogRollAfterLogHandlerClosed
def test_a_closed_log_does_not_roll(stage: Stage) -> None:
    log = stage.open()
    log.close()
    with pytest.raises(LogClosedError):
        log.roll()
    assert stage.names(".log") == [file_name(0, "log")]


# Kafka: LocalLogTest.testLogFlush
def test_a_roll_and_what_it_runs_in_the_background_move_the_recovery_point(stage: Stage) -> None:
    log = stage.open()
    assert log.recovery_point == 0
    append_each(log, b"a")
    log.roll()
    assert log.recovery_point == 0
    stage.sleep(1)
    assert log.recovery_point == 1
    append_each(log, b"b")
    assert log.recovery_point == 1
    log.flush()
    assert log.recovery_point == log.synced_offset == 2


# Kafka: UnifiedLogTest.testFlushingEmptyActiveSegments
def test_flushing_makes_no_index_for_a_segment_that_is_empty(stage: Stage) -> None:
    """Kafka's forced flush does, which a broker asks for when it stops; here closing does. A flush makes nothing that
    was not there: as long as a segment is empty, its indexes are made when the log is opened."""
    log = stage.open()
    append_each(log, b"Test")
    log.roll()
    assert (len(stage.names(".log")), len(stage.names(".index"))) == (2, 1)
    log.flush()
    assert (len(stage.names(".log")), len(stage.names(".index"))) == (2, 1)
    log.close()
    assert [len(stage.names(ending)) for ending in (".log", ".index", ".timeindex")] == [2, 2, 2]

    log = stage.open()
    assert (bases(log), log.end_offset, log.report.changes) == ([0, 1], 1, ())


# Kafka: LocalLogTest.testFlushingNonExistentDir
def test_a_folder_that_is_taken_away_makes_the_log_fail(stage: Stage) -> None:
    """Kafka passes over it: a broker itself renames the folder of a topic that is deleted. Here nobody may."""
    log = stage.open(storage=DISK)
    append_each(log, b"a")
    stage.path.rename(stage.root / "elsewhere-0")
    with pytest.raises(FileNotFoundError):
        log.flush()
    assert log.has_failed
    with pytest.raises(WriterFailedError):
        log.append([b"b"])


# Kafka: UnifiedLogTest.testLogSegmentsCallCorrect
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (10, 10, []),
        (15, 15, []),
        (0, 21, [0, 10, 20]),
        (1, 5, [0]),
        (13, 21, [10, 20]),
        (13, 17, [10]),
    ],
)
def test_the_segments_that_hold_a_range_of_offsets(stage: Stage, start: int, end: int, expected: list[int]) -> None:
    log = stage.open(segment_bytes=10 * SIZE)
    append_each(log, *[b"test"] * 22)
    assert [found.base_offset for found in log._local.segments.values(start, end)] == expected
    with pytest.raises(ValueError, match="10"):
        log._local.segments.values(10, 0)


# Kafka: LocalLogTest.testNonActiveSegmentsFrom
@pytest.mark.parametrize(("start", "expected"), [(0, [0, 1, 2, 3, 4]), (5, []), (2, [2, 3, 4]), (6, [])])
def test_the_segments_from_an_offset_on_but_for_the_active_one(stage: Stage, start: int, expected: list[int]) -> None:
    log = stage.open()
    for number in range(5):
        append_each(log, b"%d" % number)
        log.roll()
    assert [segment.is_active for segment in log.segments] == [False] * 5 + [True]
    assert log.segments[-1].base_offset == 5
    segments = log._local.segments
    found = segments.values(start, max(start, segments.active.base_offset))
    assert [segment.base_offset for segment in found] == expected


# --- appends of a follower -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "base_offset"),
    [
        pytest.param(batch(5, b"a", b"b"), 5, id="a-batch-says-where-it-begins"),
        pytest.param(plain(5), 1, id="a-message-rolls-at-the-log-s-end"),
        pytest.param(wrapper(5, *(inner(number) for number in range(3))), 1, id="a-wrapper-does-not-say"),
        pytest.param(plain(MAX_INT32 + 9), 9, id="a-message-that-is-too-far-from-the-end"),
        pytest.param(batch(MAX_INT32 + 9, b"a"), MAX_INT32 + 9, id="a-batch-that-is-too-far"),
    ],
)
def test_what_a_follower_s_roll_begins_at(stage: Stage, second: bytes, base_offset: int) -> None:
    """UnifiedLog.maybeRoll: entries of magic 0 and 1 do not say their first offset, so the new segment begins as low
    as it can, at the log's end, or 2^31-1 below the last offset."""
    first = batch(0, b"x")
    log = stage.open(segment_bytes=max(len(first), len(second)))
    log.append_batches(first, assign_offsets=False)
    log.append_batches(second, assign_offsets=False)
    assert bases(log) == [0, base_offset]
    assert read_offsets(log, 1)[-1] == log.end_offset - 1
    log.close()
    log = stage.open()
    assert bases(log) == [0, base_offset]


@pytest.mark.parametrize("later", [(SEGMENT_MS, 0), (SEGMENT_MS + 1, 0), (0, SEGMENT_MS + 1), (0, SEGMENT_MS)])
def test_of_several_batches_the_largest_timestamp_decides_about_a_roll(stage: Stage, later: tuple[int, int]) -> None:
    log = stage.open(segment_ms=SEGMENT_MS)
    log.append_batches(batch(0, timestamps=NOW_MS), assign_offsets=False)
    data = b"".join(batch(1 + number, timestamps=NOW_MS + later_ms) for number, later_ms in enumerate(later))
    log.append_batches(data, assign_offsets=False)
    assert bases(log) == ([0, 1] if max(later) > SEGMENT_MS else [0])


# --- splitting what Kafka before 1.1.1 could write -----------------------------------------------------------------


def sample_batches(base_offset: int) -> list[bytes]:
    """Three batches with as many offsets between them as a segment may span at most."""
    values = [b"%d" % (base_offset + number) for number in (0, 1, 2, MAX_INT32 - 1)]
    return [
        batch(base_offset, values[0]),
        batch(base_offset + 1, *values[1:3]),
        batch(base_offset + MAX_INT32 - 1, values[3]),
    ]


def lay(folder: Path, base_offset: int, *batches: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / file_name(base_offset, "log")).write_bytes(b"".join(batches))
    for suffix in ("index", "timeindex"):  # so that they are not missing, which asks for recovery by itself
        (folder / file_name(base_offset, suffix)).touch()


# Kafka: UnifiedLogTest.testSplitOnOffsetOverflow
def test_a_segment_whose_offsets_overflow_is_split_when_the_log_is_opened(stage: Stage) -> None:
    starts = [number * MAX_INT32 for number in range(4)]
    pieces = [sample_batches(start) for start in starts]
    lay(stage.path, starts[0], *pieces[0])
    lay(stage.path, starts[1], *pieces[1], *pieces[2])
    lay(stage.path, starts[3], *pieces[3])
    log = stage.open()
    assert bases(log) == [0, starts[1], starts[2] + 1, starts[3]], "what is 2^31-1 above the base offset still fits"
    assert read_values(log) == [b"%d" % (start + number) for start in starts for number in (0, 1, 2, MAX_INT32 - 1)]
    stored = b"".join((stage.path / name).read_bytes() for name in stage.names(".log"))
    assert stored == b"".join(one for piece in pieces for one in piece)


# Kafka: UnifiedLogTest.testDegenerateSegmentSplit
# Kafka: UnifiedLogTest.testDegenerateSegmentSplitWithOutOfRangeBatchLastOffset
@pytest.mark.parametrize(
    "batches",
    [
        pytest.param([batch(MAX_INT32 + 1, b"a"), batch(MAX_INT32 + 2, b"b")], id="all-batches"),
        pytest.param([batch(MAX_INT32 - 1, b"a", b"b", b"c")], id="the-last-offset-of-the-only-batch"),
    ],
)
def test_a_segment_in_which_all_overflows_is_only_called_otherwise(stage: Stage, batches: list[bytes]) -> None:
    lay(stage.path, 0, *batches)
    log = stage.open()
    first = next(log.read(log.start_offset).batches()).base_offset
    assert bases(log) == [first] == [MAX_INT32 + 1 if len(batches) == 2 else MAX_INT32 - 1]
    assert (stage.path / file_name(first, "log")).read_bytes() == b"".join(batches)
    assert b"".join(value or b"" for value in read_values(log)) == b"abc"[: len(list(log))]


def test_what_was_appended_anew_while_the_old_was_synced_is_not_taken_for_synced(stage: Stage) -> None:
    """The recovery point moved up to the roll's offset although a truncation came between, and other records."""

    def cut_and_append(step: Step) -> None:
        if step.operation == "sync" and step.name == file_name(0, "log"):
            storage.before_step = None
            log.truncate_to(50)
            for _ in range(60):
                log.append([b"new"])

    storage = FaultyStorage()
    log = stage.open(storage=storage)
    for _ in range(100):
        log.append([b"old"])
    log.roll()
    storage.before_step = cut_and_append
    stage.sleep(0)
    assert (log.end_offset, log.recovery_point) == (110, 0)
    log.roll()
    stage.sleep(0)
    assert log.recovery_point == 110


# Kafka: UnifiedLogTest.testRecoveryPointNotIncrementedOnProducerStateSnapshotFlushFailure
def test_the_recovery_point_waits_for_the_snapshot(stage: Stage) -> None:
    class NoSnapshots(UnsyncedStorage):
        def step(self, operation: str, path: Path) -> None:
            if operation == "sync" and path.suffix == ".snapshot":
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    log = stage.open(storage=NoSnapshots())
    log.append([b"a"])
    with pytest.raises(OSError, match="snapshot"):
        log.roll()
        log.flush()
    assert (log.recovery_point, log.has_failed) == (0, True)


# Kafka, left out: UnifiedLogTest.testHighWatermarkMetadataUpdatedAfterSegmentRoll: no replicas, no high watermark

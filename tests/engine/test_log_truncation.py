"""Cutting a log: Kafka's cases of truncation, with what becomes of segments, indexes, leader epochs and snapshots.

A truncation takes the whole batch that holds the offset. In Kafka's cases each batch has one record.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log, LogConfig, errors
from tests.engine.building import batch
from tests.engine.faults import Death, Fault, FaultyStorage, ForgetfulStorage
from tests.engine.logs import NOW_MS, Stage, append_each, bases, read_offsets, read_values, record
from tests.engine.manual import ManualClock, ManualScheduler

SIZE = len(batch(0, b"test", timestamps=NOW_MS))
PER_SEGMENT = 10


# Kafka: UnifiedLogTest.testTruncateTo
def test_cutting_and_growing_again(stage: Stage) -> None:
    log = stage.open(segment_bytes=PER_SEGMENT * SIZE)
    append_each(log, *[b"test"] * PER_SEGMENT)
    assert (bases(log), log.end_offset) == ([0], PER_SEGMENT)
    size = log.size_bytes
    assert size == PER_SEGMENT * SIZE

    for offset in (PER_SEGMENT, PER_SEGMENT + 1):
        assert not log.truncate_to(offset), "there is nothing to cut"
        assert (log.end_offset, log.size_bytes) == (PER_SEGMENT, size)
    assert log.truncate_to(5)
    assert (log.end_offset, log.size_bytes) == (5, 5 * SIZE)
    assert log.truncate_to(0)
    assert (log.end_offset, log.size_bytes) == (0, 0)

    append_each(log, *[b"test"] * PER_SEGMENT)
    assert (log.end_offset, log.size_bytes) == (PER_SEGMENT, size)
    log.truncate_fully_and_start_at(1)
    assert (log.start_offset, log.end_offset, log.size_bytes) == (1, 1, 0)
    append_each(log, *[b"test"] * PER_SEGMENT)
    assert (log.end_offset, log.size_bytes) == (PER_SEGMENT + 1, size)
    assert log.truncate_to(0), "below the log's start"
    assert (log.start_offset, log.end_offset, log.size_bytes, bases(log)) == (0, 0, 0, [0])


# Kafka: LocalLogTest.testTruncateTo
def test_a_cut_takes_whole_segments_and_the_end_of_one(stage: Stage) -> None:
    log = stage.open()
    for number in range(12):
        append_each(log, b"a")
        if number % 3 == 2:
            log.roll()
    assert (bases(log), log.end_offset) == ([0, 3, 6, 9, 12], 12)

    assert log.truncate_to(7)
    assert (bases(log), log.recovery_point, log.end_offset) == ([0, 3, 6], 0, 7)
    assert log.segments[-1].is_active
    assert stage.names(".log.deleted") == [f"{file_name(number, 'log')}.deleted" for number in (9, 12)]
    assert read_offsets(log, 6) == [6]
    append_each(log, b"b")
    assert (log.end_offset, bases(log)) == (8, [0, 3, 6])
    assert read_values(log) == [b"a"] * 7 + [b"b"]
    stage.sleep(log.config.file_delete_delay_ms)
    assert stage.names(".deleted") == []
    assert log.recovery_point <= 6, "rolls before the cut do not vouch for what came after it"


# Kafka: UnifiedLogTest.testIndexResizingAtTruncation
def test_a_cut_gives_the_indexes_their_room_back(stage: Stage) -> None:
    log = stage.open(segment_bytes=PER_SEGMENT * SIZE, index_interval_bytes=SIZE - 1)

    def fill() -> None:
        for number in range(1, PER_SEGMENT + 1):
            append_each(log, b"test", timestamp=stage.now_ms + number)

    fill()
    assert bases(log) == [0]
    stage.sleep(PER_SEGMENT)
    fill()
    assert bases(log) == [0, PER_SEGMENT]
    first = log._local.segments.floor(0)
    assert first is not None
    assert (first.offset_index.max_entry_count, first.time_index.max_entry_count) == (9, 9), "cut to what is in them"

    log.truncate_to(0)
    room = log.config.segment_index_bytes
    assert bases(log) == [0]
    active = log._local.segments.active
    assert (active.offset_index.max_entry_count, active.time_index.max_entry_count) == (room // 8, room // 12)
    stage.sleep(PER_SEGMENT)
    fill()
    assert bases(log) == [0]


# Kafka: LocalLogTest.testTruncateFullyAndStartAt
def test_starting_over_leaves_one_empty_segment(stage: Stage) -> None:
    log = stage.open()
    for number in range(13):
        append_each(log, b"a")
        if number < 8 and number % 2:
            log.roll()
    assert bases(log) == [0, 2, 4, 6, 8]
    log.truncate_fully_and_start_at(10)
    assert (bases(log), log.end_offset, log.start_offset, log.size_bytes) == ([10], 10, 10, 0)
    # Kafka's recovery point stays at 0: it may be anywhere up to the end, as there is nothing to recover.
    assert log.recovery_point <= 10
    assert read_offsets(log, 10) == []
    assert len(stage.names(".log.deleted")) == 5
    assert log.append([b"b"]) == 10


# Kafka: LocalLogTest.testCreateAndDeleteSegment
def test_a_new_segment_in_the_place_of_the_only_one(stage: Stage) -> None:
    log = stage.open()
    append_each(log, b"a")
    log.truncate_fully_and_start_at(1)
    assert (bases(log), log.end_offset) == ([1], 1)
    assert stage.names(".log", ".log.deleted") == [f"{file_name(0, 'log')}.deleted", file_name(1, "log")]
    assert read_offsets(log, 1) == []


# Kafka: UnifiedLogTest.testTruncateFullyAndStart
def test_starting_over_inside_of_the_old_range_after_opening_again(stage: Stage) -> None:
    """Kafka's case has a transaction that is open; and gives a start below the end, which only tiered storage does."""
    log = stage.open(segment_bytes=1 << 20)
    log.append([b"0", b"1", b"2"])
    log.append([b"3", b"4"])
    log.close()
    log = stage.open(segment_bytes=1 << 20)
    log.truncate_fully_and_start_at(2)
    assert (log.start_offset, log.end_offset, log.leader_epochs) == (2, 2, ())
    log.close()
    log = stage.open(segment_bytes=1 << 20)
    assert (log.start_offset, log.end_offset, bases(log)) == (2, 2, [2])


# Kafka: UnifiedLogTest.testTruncateToEndOffsetClearsEpochCache
def test_no_leader_epoch_is_left_that_begins_at_the_end(stage: Stage) -> None:
    """Kafka's leader puts its epoch into the cache before it has a batch, and a cut at the end takes it out again. Here
    an epoch begins with its first batch."""
    log = stage.open()
    log.append_batches(batch(27, b"a", b"b", leader_epoch=19), assign_offsets=False)
    assert (log.leader_epochs, log.end_offset) == (((19, 27),), 29)
    for epoch, offset in ((20, 29), (24, 30)):
        log.leader_epoch = epoch
        assert not log.truncate_to(offset)
        assert (log.leader_epochs, log.end_offset) == (((19, 27),), 29)
    append_each(log, b"c")
    assert list(log.leader_epochs) == [(19, 27), (24, 29)]
    log.truncate_to(29)
    assert list(log.leader_epochs) == [(19, 27)]


# Kafka: UnifiedLogTest.shouldTruncateLeaderEpochCheckpointFileWhenTruncatingLog
@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (20, ((0, 0), (1, 10), (2, 16))),
        (17, ((0, 0), (1, 10), (2, 16))),
        (16, ((0, 0), (1, 10))),
        (11, ((0, 0), (1, 10))),
        (10, ((0, 0),)),
        (0, ()),
    ],
)
def test_a_cut_takes_the_leader_epochs_that_begin_behind_it(
    stage: Stage, offset: int, expected: tuple[tuple[int, int], ...]
) -> None:
    log = stage.open(segment_bytes=10 * len(batch(0, b"value")))
    for epoch, first, count in ((0, 0, 10), (1, 10, 6), (2, 16, 4)):
        for number in range(count):
            log.append_batches(batch(first + number, b"value", leader_epoch=epoch), assign_offsets=False)
    assert (bases(log), log.end_offset) == ([0, 10], 20)
    log.truncate_to(offset)
    assert log.leader_epochs == expected
    stage.close()
    assert stage.open().leader_epochs == expected


def test_a_cut_goes_in_front_of_the_batch_and_the_end_is_the_offset(stage: Stage) -> None:
    """As Kafka's: the records of the batch below the offset are gone, and theirs are offsets that nothing has."""
    log = stage.open()
    log.append([b"0"])
    log.append([b"1", b"2", b"3"])
    assert log.truncate_to(3)
    assert (read_values(log), log.end_offset, log.append([b"new"])) == ([b"0"], 3, 3)
    assert [one.offset for one in log] == [0, 3]


@pytest.mark.parametrize(("offset", "start"), [(9, 7), (7, 7), (3, 3), (0, 0)])
def test_a_cut_below_the_log_s_start_moves_it_down(stage: Stage, offset: int, start: int) -> None:
    """UnifiedLog.truncateTo, where the start lies inside of the first segment; it is so after opening again, too."""
    log = stage.open()
    append_each(log, *[b"a"] * 10)
    log.delete_records_before(7)
    log.flush()
    log.truncate_to(offset)
    for _ in range(2):
        assert (log.start_offset, log.end_offset, len(read_values(log))) == (start, offset, offset - start)
        assert log.recovery_point <= offset
        log.close()
        log = stage.open()


@pytest.mark.parametrize("cut", ["truncate_to", "truncate_fully_and_start_at"])
def test_a_negative_offset_is_refused(stage: Stage, cut: str) -> None:
    log = stage.open()
    log.append([record()])
    with pytest.raises(UsageError, match="-1"):
        getattr(log, cut)(-1)
    assert (log.end_offset, log.has_failed) == (1, False)


# --- snapshots of producers ---------------------------------------------------------------------


# Kafka: UnifiedLogTest.testProducerIdMapTruncateTo
def test_a_cut_removes_the_snapshots_of_later_offsets(stage: Stage) -> None:
    """Those stay that do not speak of what is gone, and there is one of the log's end again."""
    log = stage.open()
    for value in (b"a", b"b", b"c"):
        append_each(log, value)
        log.roll()
    assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in (1, 2, 3)]
    for cut, left in ((2, [1, 2]), (1, [1]), (0, [])):
        log.truncate_to(cut)
        assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in left]


# Kafka: UnifiedLogTest.testProducerIdMapTruncateFullyAndStartAt
def test_starting_over_removes_all_snapshots(stage: Stage) -> None:
    log = stage.open(segment_bytes=len(batch(0, b"foo")))
    append_each(log, b"foo", b"bar", b"baz")
    assert bases(log) == [0, 1, 2]
    assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in (1, 2)]
    log.truncate_fully_and_start_at(29)
    assert (bases(log), stage.names(".snapshot")) == ([29], [])


def test_a_reader_beside_is_not_misled_by_entries_that_were_cut(stage: Stage) -> None:
    log = stage.open(index_interval_bytes=0)
    for timestamp in (10, 20, 30):
        log.append([record(b"v", timestamp)])
    log.truncate_to(1)
    with LogReader.open(stage.path) as reader:
        assert reader.offset_for_timestamp(-3) == (10, 0, 0)
        log.append([record(b"v", 40), record(b"v", 5)])
        assert reader.offset_for_timestamp(25) == reader.offset_for_timestamp(-3) == (40, 1, 0)


def test_a_reader_beside_does_not_go_on_in_a_file_that_is_gone(stage: Stage) -> None:
    log = stage.open()
    append_each(log, b"old", b"older")
    with LogReader.open(stage.path) as reader:
        assert [one.value for one in reader.read(0, 1).records()] == [b"old"]
        log.truncate_fully_and_start_at(0)
        append_each(log, b"new", b"newer")
        assert [one.value for one in reader.read(1).records()] == [b"newer"]


def test_a_log_cannot_start_beyond_int64(stage: Stage) -> None:
    log = stage.open()
    log.append([b"value"])
    with pytest.raises(UsageError, match="from 0 to 9223372036854775807"):
        log.truncate_fully_and_start_at(2**63)
    assert [one.value for one in log] == [b"value"]
    log.truncate_fully_and_start_at(2**63 - 1)
    with pytest.raises(errors.OffsetOrderError):
        log.append([b"no offset is left"])
    log.close()
    assert stage.open().end_offset == 2**63 - 1


def test_a_beginning_further_on_that_dies_gives_no_offset_twice(tmp_path: Path) -> None:
    """An empty log at offset 0 was left where the segments had gone and the new one had not come."""
    for at in range(1, 60):
        path = tmp_path / str(at) / "orders-0"
        storage = FaultyStorage()
        log = Log.open(path, storage=storage, scheduler=ManualScheduler(ManualClock()))
        log.append([b"a", b"b", b"c"])
        storage.fault = Fault(len(storage.trace) + at, None)
        try:
            log.truncate_fully_and_start_at(5000)
        except Death:
            log.root.abandon()
            storage.close_all()
            with Log.open(path, storage=FaultyStorage()) as again:
                assert again.end_offset in (3, 5000), at
        else:
            assert at > 5
            storage.fault = None
            log.close()
            return
    raise AssertionError("it never came to its end")


def test_a_truncation_is_on_disk_before_anything_is_appended_in_its_place(tmp_path: Path) -> None:
    """Else old batches may come back behind new ones, when the power goes."""
    storage = ForgetfulStorage(tmp_path)
    path = tmp_path / "orders-0"
    log = Log.open(path, LogConfig(segment_index_bytes=120), storage=storage)
    for _ in range(60):
        log.append([b"o" * 200])
    log.truncate_to(20)
    for _ in range(20):
        log.append([b"n" * 200])
    shown = [storage.crash(Random(seed))[f"orders-0/{file_name(0, 'log')}"] for seed in range(20)]
    log.close()
    size = path.joinpath(file_name(0, "log")).stat().st_size // 40
    assert all(data is not None and b"oooo" not in data[20 * size :] for data in shown)

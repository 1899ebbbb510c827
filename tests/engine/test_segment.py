"""One segment: Kafka's LogSegmentTest, one by one, then what the engine promises beyond it.

Kafka's suite writes batches of magic 1, one record each; here they are of magic 2, which hold several. So where a
record is asked for, the batch that holds it is found, and positions are those of batches.

Left out of LogSegmentTest:

* testRecoverTransactionIndex: transactions are not the engine's.
* testAppendFromFile: Kafka copies batches from file to file only to split a segment whose offsets overflow.
* testDeleteIfExistsWithGetParentIsNull: a path always has a parent here. That files which are gone are no error is
  tested below.
"""

from __future__ import annotations

import contextlib
import gc
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.index.indexing import PROFILES
from kformat.kafka.index.lookup import find_offset, find_timestamp
from kformat.kafka.log.fetched import TimestampOffset
from kformat.language.layout import layout
from kformat_engine.batching import AppendBatch
from kformat_engine.config import LogConfig
from kformat_engine.epochs import EpochCache
from kformat_engine.errors import IndexOrderError, IndexSealedError, OffsetOverflowError, SegmentInUseError
from kformat_engine.file_records import LogPosition
from kformat_engine.segment import LogSegment, RollReason
from tests.damages import marker_batch
from tests.draws import every
from tests.engine.building import (
    NO_TIMESTAMP,
    SetClock,
    append,
    batch,
    indexed,
    offsets,
    recovered,
    segment,
    sized,
    values,
)
from tests.samples import CURRENT_MAGIC, Sample, all_samples

OFFSET_ENTRY_BYTES = layout("offset_index::entry").size
TIME_ENTRY_BYTES = layout("time_index::entry").size


def nonsense(path: Path, position: int, size_bytes: int, chance: random.Random) -> None:
    """Overwrite a part of a file, or lengthen it, with bytes that mean nothing."""
    with path.open("r+b") as file:
        file.seek(position)
        file.write(chance.randbytes(size_bytes))


def is_full(one: LogSegment) -> tuple[bool, bool]:
    return one.offset_index.is_full, one.time_index.is_full


# --- Kafka's LogSegmentTest ----------------------------------------------------------------------------------------


# Kafka: LogSegmentTest.testAppendForLogSegmentOffsetOverflowException
@pytest.mark.parametrize(
    ("base_offset", "largest_offset"),
    [
        (0, -(2**31)),
        (0, 2**31),
        (1, 0),
        (100, 10),
        (2**31, 0),
        (-(2**31), 0),
        (2**31, 2**32),
    ],
)
def test_an_append_whose_last_offset_does_not_fit_writes_nothing(
    base_offset: int, largest_offset: int, tmp_path: Path
) -> None:
    data = batch(0)
    described = AppendBatch(largest_offset, largest_offset, 0, largest_offset, len(data), 0, CURRENT_MAGIC, -1)
    with segment(tmp_path, base_offset) as one:
        with pytest.raises(OffsetOverflowError, match=f"last offset {largest_offset} does not fit"):
            one.append(data, [described])
        assert one.size == one.log_path.stat().st_size == 0


# Kafka: LogSegmentTest.testReadOnEmptySegment
def test_an_empty_segment_has_nothing_to_read(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        assert one.read(40, 300) is None


# Kafka: LogSegmentTest.testReadBeforeFirstOffset
def test_a_read_below_the_first_offset_begins_with_the_first_batch(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        append(one, batch(50, b"hello", b"there", b"little", b"bee"))
        found = one.read(41, 300)
        assert found is not None and (found.start_offset, found.base_offset, found.position) == (41, 40, 0)
        assert values(found) == [b"hello", b"there", b"little", b"bee"]


# Kafka: LogSegmentTest.testReadAfterLast
def test_a_read_behind_the_last_offset_gives_nothing(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        append(one, batch(50, b"hello", b"there"))
        assert one.read(52, 200) is None
        assert values(one.read(51, 200)) == [b"hello", b"there"]


# Kafka: LogSegmentTest.testReadFromGap
def test_a_read_from_a_gap_begins_with_the_next_batch(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        append(one, batch(50, b"hello", b"there"))
        append(one, batch(60, b"alpha", b"beta"))
        assert values(one.read(55, 200)) == [b"alpha", b"beta"]


# Kafka: LogSegmentTest.testReadWhenNoMaxPosition
@pytest.mark.parametrize("min_one_batch", [False, True])
def test_where_nothing_may_be_shown_a_read_says_where_it_would_begin(min_one_batch: bool, tmp_path: Path) -> None:
    """Kafka leaves the position out; here it is 0, or any other that is not above the batch's."""
    with segment(tmp_path) as one:
        first = append(one, batch(50, b"hello"), batch(51, b"there"))[0].size
        for offset, position in ((48, 0), (50, 0), (51, first)):
            for end in (0, position):
                found = one.read(offset, 1, max_position=end, min_one_batch=min_one_batch)
                assert found is not None
                assert (found.start_offset, found.base_offset, found.position) == (offset, 40, position)
                assert len(found) == 0 and list(found.batches()) == []
        for offset in (52, 53):
            assert one.read(offset, 1, max_position=0, min_one_batch=min_one_batch) is None


# Kafka: LogSegmentTest.testTruncate
def test_what_was_truncated_is_not_read(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        for offset in range(40, 70):
            append(one, batch(offset))
            append(one, batch(offset + 1))
            assert offsets(one.read(offset, 10_000)) == [offset, offset + 1]
            assert one.truncate_to(offset + 1) == len(batch(offset + 1))
            assert offsets(one.read(offset, 10_000)) == [offset]


# Kafka: LogSegmentTest.testTruncateEmptySegment
def test_truncating_an_empty_segment_gives_its_indexes_room_again(tmp_path: Path) -> None:
    clock = SetClock()
    with segment(tmp_path, 0) as one:
        assert (one.offset_index.size_bytes, one.time_index.size_bytes) == (0, 0)
    settings: dict[str, Any] = {"segment_ms": 300_000, "segment_bytes": MAX_INT32, "clock": clock}
    with segment(tmp_path, 0, **settings) as one:
        assert is_full(one) == (True, True), "closing it left no room"
        clock.sleep(500)
        assert one.truncate_to(57) == 0
        assert one.created_ms == clock.now_ms
        assert is_full(one) == (False, False)
        assert one.roll_reason(NO_TIMESTAMP, 100, 1024) is None

        clock.sleep(300_001)
        assert one.roll_reason(NO_TIMESTAMP, 100, 1024) is None, "an empty segment is not rolled by time"
        assert one.roll_reason(NO_TIMESTAMP, MAX_INT32 + 200, 1024) is RollReason.OFFSET_OVERFLOW


# Kafka: LogSegmentTest.testReloadLargestTimestampAndNextOffsetAfterTruncation
def test_truncation_finds_the_largest_timestamp_again(tmp_path: Path) -> None:
    with segment(tmp_path, interval=2 * len(batch(0)) - 1) as one:
        for offset in range(40, 70):
            append(one, batch(offset, timestamps=10 * offset))
        assert one.next_offset() == 70
        assert one.time_index.entry_count == 14

        one.truncate_to(41)
        assert one.time_index.entry_count == 0
        assert one.largest_timestamp == 400
        assert one.next_offset() == 41


# Kafka: LogSegmentTest.testTruncateFull
def test_a_segment_that_was_truncated_to_nothing_is_as_new(tmp_path: Path) -> None:
    clock = SetClock()
    with segment(tmp_path, clock=clock, segment_ms=400) as one:
        append(one, batch(40, b"hello", b"there"))
        clock.sleep(500)
        assert one.roll_reason(NO_TIMESTAMP, 42, 10) is RollReason.TIME

        one.truncate_to(0)
        assert one.created_ms == clock.now_ms
        assert one.roll_reason(NO_TIMESTAMP, 42, 10) is None
        assert is_full(one) == (False, False)
        assert one.read(0, 1024) is None

        append(one, batch(40, b"hello", b"there"))
        assert one.roll_reason(NO_TIMESTAMP, 42, 10) is None
        assert offsets(one.read(0, 1024)) == [40, 41]


# Kafka: LogSegmentTest.testFindOffsetByTimestamp
@pytest.mark.parametrize(
    ("timestamp", "offset"),
    [
        pytest.param(420, 42, id="indexed"),
        pytest.param(421, 43, id="behind-indexed"),
        pytest.param(430, 43, id="not-indexed"),
        pytest.param(431, 44, id="behind-not-indexed"),
        pytest.param(491, None, id="behind-the-last"),
        pytest.param(401, 41, id="before-the-first-indexed"),
        pytest.param(399, 40, id="before-the-first"),
    ],
)
def test_offsets_are_found_by_timestamp(timestamp: int, offset: int | None, tmp_path: Path) -> None:
    with segment(tmp_path, interval=2 * len(batch(0, b"msg00")) - 1) as one:
        for number in range(40, 50):
            append(one, batch(number, b"msg%d" % number, timestamps=10 * number))
        assert one.largest_timestamp == 490
        found = one.find_offset_by_timestamp(timestamp)
        assert (found and found.offset) == offset


# Kafka: LogSegmentTest.testNextOffsetCalculation
def test_the_next_offset_is_one_behind_the_last(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        assert one.next_offset() == 40
        append(one, batch(50, b"hello", b"there", b"you"))
        assert one.next_offset() == 53


# Kafka: LogSegmentTest.testChangeFileSuffixes
def test_renaming_makes_no_files(tmp_path: Path) -> None:
    stem = f"{40:020}"
    with segment(tmp_path) as one:
        one.change_suffix(".deleted")
        assert [path.name for path in tmp_path.iterdir()] == [f"{stem}.log.deleted"]
        assert one.log_path == one.records.file.path == tmp_path / f"{stem}.log.deleted"
        assert one.offset_index.path == tmp_path / f"{stem}.index.deleted"
        assert one.time_index.path == tmp_path / f"{stem}.timeindex.deleted"
        assert all(path.exists() for path in (one.log_path, one.offset_index.path, one.time_index.path))


# Kafka: LogSegmentTest.testRecoveryFixesCorruptIndex
def test_recovery_makes_a_damaged_offset_index_anew(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        for offset in range(100):
            append(one, batch(offset, b"%d" % offset))
        wanted = indexed(one)
        nonsense(one.offset_index.path, 5, one.offset_index.length_bytes, random.Random(5))
        with contextlib.closing(recovered(one)) as again:
            assert indexed(again) == wanted
            for offset in range(100):
                assert offsets(again.read(offset, 1, min_one_batch=True)) == [offset]


# Kafka: LogSegmentTest.testRecoveryRebuildsEpochCache
def test_recovery_tells_the_leader_epochs(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        for base_offset, epoch in ((104, 0), (106, 1), (108, 1), (110, 2)):
            append(one, batch(base_offset, b"a", b"b", leader_epoch=epoch))
        epochs = EpochCache()
        recovered(one, epochs).close()
        assert [tuple(entry) for entry in epochs.entries] == [(0, 104), (1, 106), (2, 110)]


# Kafka: LogSegmentTest.testRecoveryFixesCorruptTimeIndex
def test_recovery_makes_a_damaged_time_index_anew(tmp_path: Path) -> None:
    with segment(tmp_path, 0, segment_index_bytes=2000) as one:
        for offset in range(100):
            append(one, batch(offset, b"%d" % offset, timestamps=10 * offset))
        wanted = indexed(one)
        nonsense(one.time_index.path, 5, one.time_index.length_bytes, random.Random(5))
        with contextlib.closing(recovered(one)) as again:
            assert indexed(again) == wanted
            for offset in range(100):
                assert again.find_offset_by_timestamp(10 * offset) == TimestampOffset(10 * offset, offset, 0)
                following = again.find_offset_by_timestamp(10 * offset + 1)
                assert (following and following.offset) == (offset + 1 if offset < 99 else None)


# Kafka: LogSegmentTest.testRecoveryWithCorruptMessage
@pytest.mark.parametrize("seed", range(10))
def test_recovery_cuts_the_first_damaged_batch_and_all_behind_it(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with segment(tmp_path, 0) as one:
        for offset in range(20):
            append(one, batch(offset, b"%d" % offset))
        first_damaged = chance.randrange(20)
        found = one.translate_offset(first_damaged)
        assert found is not None
        position = found.position + chance.randrange(15)
        nonsense(one.log_path, position, one.size - position, chance)
        with contextlib.closing(recovered(one)) as again:
            assert again.size == one.log_path.stat().st_size == found.position
            assert [each.last_offset for each in again.batches()] == list(range(first_damaged))
            again.delete()
        assert not list(tmp_path.glob(f"{0:020}.*"))


# Kafka: LogSegmentTest.testCreateWithInitFileSizeAppendMessage
def test_a_preallocated_segment_reads_what_was_written(tmp_path: Path) -> None:
    with segment(tmp_path, preallocate=True, segment_bytes=512 << 20) as one:
        append(one, batch(50, b"hello", b"there"))
        append(one, batch(60, b"alpha", b"beta"))
        assert values(one.read(55, 200)) == [b"alpha", b"beta"]


# Kafka: LogSegmentTest.testCreateWithInitFileSizeClearShutdown
def test_closing_trims_a_preallocated_segment(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"preallocate": True, "segment_bytes": 512 << 20}
    with segment(tmp_path, **settings) as one:
        append(one, batch(50, b"hello", b"there"))
        append(one, batch(60, b"alpha", b"beta"))
        size = one.size
        assert size == len(batch(50, b"hello", b"there") + batch(60, b"alpha", b"beta"))
        assert one.log_path.stat().st_size == 512 << 20
    assert one.log_path.stat().st_size == size
    with segment(tmp_path, already_exists=True, **settings) as one:
        assert one.size == one.records.file.size == size
        assert values(one.read(55, 200)) == [b"alpha", b"beta"]


# Kafka: LogSegmentTest.shouldTruncateEvenIfOffsetPointsToAGapInTheLog
def test_truncation_inside_of_a_gap_takes_the_batch_behind_it(tmp_path: Path) -> None:
    with segment(tmp_path) as one:
        append(one, batch(40, b"first message", timestamps=40_000))
        append(one, batch(43, b"message after gap", timestamps=43_000))
        one.truncate_to(41)
        assert offsets(one.read(40, 10_000)) == [40]


# Kafka: LogSegmentTest.testGetFirstBatchTimestamp
def test_the_first_batch_says_from_when_a_segment_is(tmp_path: Path) -> None:
    with segment(tmp_path, 1) as one:
        assert one.first_batch_timestamp is None
        append(one, batch(1, b"one", timestamps=1000))
        assert one.first_batch_timestamp == 1000


# --- rolling -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("timestamp", "reason"),
    [(1100, None), (1101, RollReason.TIME), (500, None), (NO_TIMESTAMP, None), (2**63 - 1, RollReason.TIME)],
)
@pytest.mark.parametrize("is_reopened", [False, True])
def test_a_segment_is_rolled_when_timestamps_are_further_apart_than_segment_ms(
    timestamp: int, reason: RollReason | None, is_reopened: bool, tmp_path: Path
) -> None:
    """The first batch counts, not the largest of the first append; live and after opening it again."""
    with segment(tmp_path, 0, segment_ms=100) as one:
        append(one, batch(0, timestamps=1000), batch(1, timestamps=5000))
        if not is_reopened:
            assert one.roll_reason(timestamp, 2, 78) is reason
            return
    with segment(tmp_path, 0, segment_ms=100, already_exists=True) as one:
        one.unseal()
        assert one.roll_reason(timestamp, 2, 78) is reason


def test_without_timestamps_the_clock_says_when_a_segment_is_rolled(tmp_path: Path) -> None:
    clock = SetClock()
    with segment(tmp_path, 0, segment_ms=100, clock=clock) as one:
        append(one, batch(0))
        for sleep_ms, reason in ((0, None), (100, None), (1, RollReason.TIME)):
            clock.sleep(sleep_ms)
            assert one.roll_reason(NO_TIMESTAMP, 1, 78) is one.roll_reason(7, 1, 78) is reason
            assert one.roll_reason(NO_TIMESTAMP, 1, 78, now_ms=clock.now_ms) is reason
    with segment(tmp_path, 0, segment_ms=100, clock=clock, already_exists=True) as one:
        one.unseal()
        assert one.roll_reason(NO_TIMESTAMP, 1, 78) is None, "opened again, it counts from then on"


class Drawn(random.Random):
    """Always draws the same number."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return -30


def test_jitter_shortens_segment_ms(tmp_path: Path) -> None:
    config = LogConfig(segment_ms=100, segment_jitter_ms=40)
    one = LogSegment.open(tmp_path, 0, config, chance=Drawn())
    assert one.jitter_ms == 30
    append(one, batch(0, timestamps=1000))
    assert one.roll_reason(1070, 1, 78) is None
    assert one.roll_reason(1071, 1, 78) is RollReason.TIME
    one.close()


def test_compaction_may_want_a_segment_to_be_rolled_sooner(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"segment_ms": 100, "cleanup_policy": ("compact",), "max_compaction_lag_ms": 20}
    with segment(tmp_path, 0, **settings) as one:
        append(one, batch(0, timestamps=1000))
        assert one.roll_reason(1020, 1, 78) is None
        assert one.roll_reason(1021, 1, 78) is RollReason.TIME


@pytest.mark.parametrize(("segment_bytes", "reason"), [(156, None), (155, RollReason.SIZE)])
def test_a_segment_may_be_filled_and_not_exceeded(
    segment_bytes: int, reason: RollReason | None, tmp_path: Path
) -> None:
    with segment(tmp_path, 0, segment_bytes=segment_bytes) as one:
        assert one.roll_reason(NO_TIMESTAMP, 0, segment_bytes) is None, "an empty one is not rolled by size"
        append(one, sized(0, 78))
        assert one.roll_reason(NO_TIMESTAMP, 1, 78) is reason


@pytest.mark.parametrize("base_offset", [0, 2**40])
@pytest.mark.parametrize(
    ("behind", "reason"),
    [(2**31 - 1, None), (2**31, RollReason.OFFSET_OVERFLOW), (-1, RollReason.OFFSET_OVERFLOW), (0, None)],
)
def test_a_segment_is_rolled_before_an_offset_that_does_not_fit(
    base_offset: int, behind: int, reason: RollReason | None, tmp_path: Path
) -> None:
    with segment(tmp_path, base_offset) as one:
        assert one.roll_reason(NO_TIMESTAMP, base_offset + behind, 78) is reason


def test_a_segment_is_rolled_when_its_offset_index_is_full(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=0, segment_index_bytes=3 * OFFSET_ENTRY_BYTES) as one:
        for offset in range(4):
            assert one.roll_reason(NO_TIMESTAMP, offset, 78) is None
            append(one, batch(offset))
        assert one.offset_index.entry_count == 3
        assert one.roll_reason(NO_TIMESTAMP, 4, 78) is RollReason.OFFSET_INDEX_FULL


def test_a_segment_is_rolled_when_its_time_index_has_one_slot_left(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=0, segment_index_bytes=3 * TIME_ENTRY_BYTES) as one:
        for offset in range(3):
            assert one.roll_reason(1000 + offset, offset, 78) is None
            append(one, batch(offset, timestamps=1000 + offset))
        assert one.time_index.entry_count == 2
        append(one, batch(3, timestamps=NO_TIMESTAMP))
        assert one.roll_reason(1004, 4, 78) is RollReason.TIME_INDEX_FULL
        append(one, batch(4, timestamps=1004))
        one.on_become_inactive()
        assert one.time_index.last_entry == (2, 1004, 4), "the slot is for the last timestamp"


def test_a_time_index_of_one_slot_is_full_without_an_entry(tmp_path: Path) -> None:
    with segment(tmp_path, 0, segment_index_bytes=TIME_ENTRY_BYTES) as one:
        assert one.roll_reason(NO_TIMESTAMP, 0, 78) is RollReason.TIME_INDEX_FULL
        append(one, *(batch(offset, timestamps=1000 + offset) for offset in range(4)))
        assert indexed(one) == ([], []), "the slot is kept back"
        one.on_become_inactive()
        assert indexed(one) == ([], [(1003, 3)])


def test_an_index_that_becomes_full_in_an_append_fails_nothing(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=0, segment_index_bytes=3 * OFFSET_ENTRY_BYTES) as one:
        append(one, *(batch(offset) for offset in range(9)))
        assert indexed(one)[0] == [(offset, offset * len(batch(0))) for offset in (1, 2, 3)]
        assert [offsets(one.read(offset, 1, min_one_batch=True)) for offset in range(9)] == [[o] for o in range(9)]
        assert one.roll_reason(NO_TIMESTAMP, 9, 78) is RollReason.OFFSET_INDEX_FULL


# --- worked examples, from Kafka's own classes ---------------------------------------------------------------------

A3_TIMESTAMPS = (1000, 1010, 1005, 1015, 1025, 1020, 1030, 1040)
A3_OFFSETS = [(2, 156), (4, 312), (6, 468)]
A3_TIMES = [(1010, 1), (1025, 4), (1030, 6)]


def test_entries_come_when_kafka_s_come(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=100, segment_index_bytes=300) as one:
        for offset, timestamp in enumerate(A3_TIMESTAMPS):
            append(one, sized(offset, 78, timestamps=timestamp))
            assert indexed(one) == (A3_OFFSETS[: offset // 2], A3_TIMES[: offset // 2])
        assert (one.offset_index.length_bytes, one.time_index.length_bytes) == (296, 300)
        one.on_become_inactive()
        finished = A3_OFFSETS, [*A3_TIMES, (1040, 7)]
        assert indexed(one) == finished
        files = [one.path_of(suffix).read_bytes() for suffix in ("index", "timeindex")]
        assert [len(data) for data in files] == [24, 48]

        with contextlib.closing(recovered(one)) as again:
            again.on_become_inactive()
            assert [one.path_of(suffix).read_bytes() for suffix in ("index", "timeindex")] == files
            assert again.largest == TimestampOffset(1040, 7)


A3_RECOVERED = (
    [(2, 156), (4, 312), (6, 468), (8, 624), (10, 780)],
    [(1002, 2), (1004, 4), (1006, 6), (1008, 8), (1010, 10), (1011, 11)],
)
A3_APPENDS = {
    "first-offset": ([(3, 234), (6, 468), (9, 702)], [(1005, 5), (1008, 8), (1011, 11)]),
    "last-offset": ([(5, 234), (8, 468), (11, 702)], [(1005, 5), (1008, 8), (1011, 11)]),
    "batch-time": ([(5, 234), (8, 468), (11, 702)], [(1005, 5), (1008, 8), (1011, 11)]),
    "per-batch": A3_RECOVERED,
}


@pytest.mark.parametrize("profile", PROFILES)
def test_several_batches_in_an_append_are_indexed_as_the_profile_says(profile: str, tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=100, writer_profile=profile) as one:
        for first in range(0, 12, 3):
            append(one, *(sized(offset, 78, timestamps=1000 + offset) for offset in range(first, first + 3)))
        one.on_become_inactive()
        assert indexed(one) == A3_APPENDS[profile]
        with contextlib.closing(recovered(one)) as again:
            assert indexed(again) == A3_RECOVERED


def test_truncation_takes_the_whole_batch_and_its_entries(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        for offset in (0, 5, 10):
            append(one, batch(offset, *[b"0123456789"] * 5, timestamps=1000 + offset))
        assert indexed(one)[0] == [(9, 146), (14, 292)]
        one.on_become_inactive()
        assert one.truncate_to(7) == 292
        assert one.next_offset() == 5
        assert one.size == one.log_path.stat().st_size == 146
        assert indexed(one) == ([], [])
        assert (one.offset_index.length_bytes, one.time_index.length_bytes) == (1000, 996)
        assert one.largest == TimestampOffset(1000, 4)


A6_TIMESTAMPS = (100, 300, 200, 400, 150, 350, 500)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_timestamps_out_of_order_are_searched_as_kafka_searches(is_sealed: bool, tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=200) as one:
        for offset, timestamp in enumerate(A6_TIMESTAMPS):
            append(one, sized(offset, 78, timestamps=timestamp))
        if is_sealed:
            one.on_become_inactive()
        assert indexed(one) == ([(3, 234), (6, 468)], [(400, 3), (500, 6)])
        answers = {50: (100, 0), 100: (100, 0), 101: (300, 1), 200: (300, 1), 300: (300, 1), 301: (400, 3)}
        answers |= {350: (400, 3), 400: (400, 3), 401: (500, 6), 500: (500, 6)}
        for target, answer in answers.items():
            found = one.find_offset_by_timestamp(target)
            assert found is not None and found[:2] == answer
        assert one.find_offset_by_timestamp(501) is None
        assert one.find_offset_by_timestamp(100, 2) == TimestampOffset(200, 2, 0)
        assert one.find_max_timestamp() == TimestampOffset(500, 6, 0)


# --- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_sealed", [False, True])
def test_how_much_a_read_gives(is_sealed: bool, tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=100) as one:
        for offset in (0, 3, 6):
            append(one, batch(offset, *[b"0123456789"] * 3))
        assert one.size == 3 * 112
        if is_sealed:
            one.on_become_inactive()
        whole = one.log_path.read_bytes()

        def read(offset: int, max_bytes: int, **how: Any) -> tuple[int, bytes, bool]:
            found = one.read(offset, max_bytes, **how)
            assert found is not None and found.source == str(one.log_path)
            return found.position, bytes(found.data), found.first_entry_incomplete

        assert read(0, 10, min_one_batch=True) == (0, whole[:112], False)
        assert read(0, 10) == (0, whole[:10], True)
        assert read(0, 111) == (0, whole[:111], True)
        assert read(0, 112) == (0, whole[:112], False)
        assert read(0, 150, min_one_batch=True) == (0, whole[:150], False)
        assert read(4, 150) == (112, whole[112:262], False)
        assert read(8, 10_000) == (224, whole[224:], False)
        assert read(0, 10_000, max_position=224) == (0, whole[:224], False)
        assert read(2, 10_000, max_position=10_000) == (0, whole, False)
        assert read(4, 10_000, max_position=100) == (112, b"", False)
        assert read(0, 0) == (0, b"", False), "Kafka, too, does not call this cut"
        assert read(0, 0, min_one_batch=True) == (0, whole[:112], False)
        assert one.read(9, 10) is None
        with pytest.raises(UsageError, match="max_bytes is -1"):
            one.read(0, -1)


def test_what_was_read_gives_whole_batches_and_the_records_asked_for(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, b"a", b"b"), marker_batch(2, 1000), batch(3, b"c", b"d", codec="zstd"))
        found = one.read(1, one.size - 1)
        assert found is not None
        assert [each.base_offset for each in found.batches()] == [0, 2], "the cut one is left out"
        whole = one.read(1, one.size)
        assert whole is not None and len(whole) == one.size
        assert [(record.offset, record.value) for record in whole.records()] == [(1, b"b"), (3, b"c"), (4, b"d")]


def test_damage_in_what_was_read_is_told_with_its_position(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, b"a", codec="zstd"), batch(1, b"b" * 100, codec="zstd"))
        position = len(batch(0, b"a", codec="zstd"))
        header = layout("record_batch").header_dtype.itemsize
        nonsense(one.log_path, position + header, 10, random.Random(1))
        found = one.read(0, one.size)
        assert found is not None
        with pytest.raises(DataError) as caught:
            list(found.records())
        assert caught.value.source == str(one.log_path) and (caught.value.position or 0) >= position


def test_a_sealed_segment_gives_views_and_an_active_one_copies(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0), batch(1))
        active = one.read(0, 1000)
        one.on_become_inactive()
        first, second, copied = one.read(0, 1000), one.read(1, 1000), one.read(0, 1000, copy=True)
        assert active is not None and first is not None and second is not None and copied is not None
        assert isinstance(active.data, bytes) and isinstance(copied.data, bytes)
        assert isinstance(first.data, memoryview) and isinstance(second.data, memoryview)
        assert first.data.readonly and first.data.obj is second.data.obj, "both are parts of one mapping"
        assert active.data == copied.data == bytes(first.data) == batch(0) + batch(1)
        assert bytes(second.data) == batch(1)


@pytest.mark.parametrize("cut", [LogSegment.unseal, lambda one: one.truncate_to(1)])
@pytest.mark.parametrize("is_released", [False, True])
def test_bytes_that_are_held_are_not_cut_away(
    cut: Callable[[LogSegment], object], is_released: bool, tmp_path: Path
) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, timestamps=5), batch(1, timestamps=6))
        one.on_become_inactive()
        held = one.read(0, 1000)
        assert held is not None
        if is_released:
            one.release()
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        with pytest.raises(SegmentInUseError, match="still in use"):
            cut(one)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert one.is_sealed and offsets(one.read(0, 1000)) == offsets(held) == [0, 1]
        del held
        gc.collect()
        cut(one)
        assert not one.is_sealed


@pytest.mark.parametrize("end", [LogSegment.delete, LogSegment.release, LogSegment.close])
def test_bytes_that_are_held_stay_good(end: Callable[[LogSegment], None], tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, b"kept"), batch(1))
        one.on_become_inactive()
        held = one.read(0, 1000)
        one.change_suffix(".deleted")
        end(one)
        assert held is not None and bytes(held.data) == batch(0, b"kept") + batch(1)
        assert values(held) == [b"kept", b"hello"]


def test_a_sealed_segment_that_was_released_is_opened_again_when_it_is_needed(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        for offset in range(20):
            append(one, batch(offset, timestamps=1000 + offset))
        one.on_become_inactive()
        before = indexed(one), one.largest
        for _ in range(2):
            one.release()
            assert (indexed(one), one.largest) == before
            assert offsets(one.read(13, 1)) == []
            assert offsets(one.read(13, 1, min_one_batch=True)) == [13]
            assert one.find_offset_by_timestamp(1007) == TimestampOffset(1007, 7, 0)
            assert one.next_offset() == 20
            assert [each.base_offset for each in one.batches(17)] == [17, 18, 19]
            with pytest.raises(IndexSealedError):
                one.offset_index.append(20, one.size)


def test_entries_that_the_log_does_not_bear_out_mislead_no_read(tmp_path: Path) -> None:
    """Kafka would miss the records; the scan from the start of the segment finds them."""
    with segment(tmp_path, 0) as one:
        for offset in range(10):
            append(one, batch(offset, timestamps=1000 + offset))
        one.on_become_inactive()
        wrong = np.array([(1, 5 * len(batch(0))), (4, 7), (6, 2**31 - 1)], layout("offset_index::entry").dtype)
        one.release()
        one.path_of("index").write_bytes(wrong.tobytes())
        for offset in range(10):
            assert one.translate_offset(offset) == LogPosition(offset, offset * len(batch(0)), len(batch(0)))
            assert one.find_offset_by_timestamp(1000 + offset) == TimestampOffset(1000 + offset, offset, 0)
        assert one.next_offset() == 10


# --- what stays, what goes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_of_batches_of_one_time_the_first_is_remembered(profile: str, tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=4096, writer_profile=profile) as one:
        append(one, batch(0, timestamps=1500), batch(1, timestamps=2000), batch(2, timestamps=2000))
        assert one.largest == TimestampOffset(2000, 1)


def test_closing_writes_the_last_time_entry_and_opening_finds_it(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=4096) as one:
        append(one, batch(0, timestamps=2000), batch(1, timestamps=1500))
        assert indexed(one) == ([], [])
    assert one.path_of("timeindex").stat().st_size == TIME_ENTRY_BYTES
    with segment(tmp_path, 0, already_exists=True) as one:
        assert one.largest == TimestampOffset(2000, 0)
        assert one.max_timestamp_so_far == one.largest_timestamp == 2000
        assert one.offset_of_max_timestamp_so_far == 0


def test_without_timestamps_the_file_s_time_is_the_largest(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0))
        one.storage.set_modified_ms(one.log_path, 1_234_567)
        assert (one.max_timestamp_so_far, one.largest_timestamp, one.last_modified_ms) == (-1, 1_234_567, 1_234_567)
        assert one.find_max_timestamp() is None and one.find_offset_by_timestamp(0) is None


def test_a_segment_that_becomes_active_again_takes_entries_up_to_its_size(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=0) as one:
        append(one, *(batch(offset) for offset in range(5)))
        one.on_become_inactive()
        assert one.offset_index.is_full and one.roll_reason(NO_TIMESTAMP, 5, 78) is RollReason.OFFSET_INDEX_FULL
        one.unseal()
        assert one.roll_reason(NO_TIMESTAMP, 5, 78) is None
        append(one, batch(5))
        append(one, batch(6))
        assert [offset for offset, _ in indexed(one)[0]] == [1, 2, 3, 4, 5, 6]
        assert offsets(one.read(0, 1000)) == list(range(7))


def test_indexes_are_not_made_smaller_than_their_entries(tmp_path: Path) -> None:
    """`segment.index.bytes` may have been lowered: the segment is full then. Kafka fails to load such a log."""
    with segment(tmp_path, 0, interval=0) as one:
        append(one, *(batch(offset, timestamps=offset) for offset in range(9)))
    entries = indexed(one)
    with segment(tmp_path, 0, interval=0, segment_index_bytes=2 * TIME_ENTRY_BYTES, already_exists=True) as one:
        one.unseal()
        assert indexed(one) == entries
        assert one.roll_reason(NO_TIMESTAMP, 9, 78) is RollReason.OFFSET_INDEX_FULL
        one.truncate_to(1)
        assert (one.offset_index.length_bytes, one.time_index.length_bytes) == (24, 24)


def test_an_index_refuses_an_append_below_its_last_entry(tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=0) as one:
        append(one, batch(5))
        append(one, batch(9))
        with pytest.raises(IndexOrderError, match="offset 7 is not above the last one, 9"):
            append(one, batch(7))


def test_an_append_of_nothing_is_none(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        one.append(b"", [])
        assert one.size == 0 and [path.name for path in tmp_path.iterdir()] == [one.name]


def test_an_active_segment_that_was_released_is_left_as_it_was(tmp_path: Path) -> None:
    """What a crash leaves: closing it later adds nothing to its files."""
    with segment(tmp_path, 0) as one:
        append(one, batch(0, timestamps=7), batch(1, timestamps=9))
        one.release()
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert one.path_of("timeindex").stat().st_size == 996


@pytest.mark.parametrize(
    ("profile", "before"),
    [
        ("first-offset", ([(10, 88), (20, 176)], [(1010, 11), (1020, 21)])),
        ("last-offset", ([(12, 88), (22, 176)], [(1010, 11), (1020, 21)])),
    ],
)
def test_entries_that_name_an_offset_inside_of_a_batch_go_with_it(
    profile: str, before: tuple[list[tuple[int, int]], list[tuple[int, int]]], tmp_path: Path
) -> None:
    """Kafka up to 3.7 leaves (1020, 21) behind, and takes the segment for one with records as new as that."""
    with segment(tmp_path, 0, writer_profile=profile) as one:
        for offset in (0, 10, 20):
            newest = 1000 + offset
            append(one, batch(offset, b"12", b"12", b"12", timestamps=[newest - 1, newest, newest - 2]))
        assert indexed(one) == before
        one.truncate_to(22)
        assert indexed(one) == tuple(entries[:1] for entries in before)
        assert one.largest == TimestampOffset(1010, 11)
        assert one.find_offset_by_timestamp(1020) is None


def truncated(offset: int) -> Callable[[LogSegment], LogSegment]:
    def cut(one: LogSegment) -> LogSegment:
        one.truncate_to(offset)
        return one

    return cut


@pytest.mark.parametrize("cut", [recovered, truncated(2)])
def test_after_a_cut_entries_are_counted_anew(cut: Callable[[LogSegment], LogSegment], tmp_path: Path) -> None:
    with segment(tmp_path, 0, interval=len(batch(0))) as one:
        append(one, batch(0), batch(1))
        with contextlib.closing(cut(one)) as again:
            append(again, batch(2))
            append(again, batch(3))
            assert indexed(again)[0] == []
            append(again, batch(4))
            assert indexed(again)[0] == [(4, 4 * len(batch(0)))]


def damage_and_recover(one: LogSegment) -> LogSegment:
    nonsense(one.log_path, 0, 20, random.Random(3))
    return recovered(one)


@pytest.mark.parametrize("cut", [damage_and_recover, truncated(0)])
def test_a_segment_that_lost_its_first_batch_has_another(
    cut: Callable[[LogSegment], LogSegment], tmp_path: Path
) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, timestamps=7), batch(1, timestamps=9))
        before = one.first_batch_timestamp
        with contextlib.closing(cut(one)) as again:
            assert (before, again.first_batch_timestamp) == (7, None)
            assert (again.size, again.largest) == (0, TimestampOffset(-1, 0))


def test_truncation_behind_the_end_cuts_nothing(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0, timestamps=7), batch(1, timestamps=9))
        before = indexed(one), one.largest, one.size
        assert one.truncate_to(2) == 0
        assert (indexed(one), one.largest, one.size) == before


def test_truncation_cuts_the_transaction_index_that_a_broker_left(tmp_path: Path) -> None:
    entries = [
        {"producer_id": 7, "first_offset": 0, "last_offset": last, "last_stable_offset": last} for last in (3, 6, 9)
    ]
    with segment(tmp_path, 0) as one:
        append(one, *(batch(offset) for offset in range(10)))
        path = one.path_of("txnindex")
        path.write_bytes(kformat.build("transaction_index", {"entries": entries}))
        for offset, left in ((10, [3, 6, 9]), (9, [3, 6]), (6, [3]), (4, [3]), (0, [])):
            one.truncate_to(offset)
            found = kformat.parse("transaction_index", path.read_bytes())
            assert [entry.last_offset for entry in found.entries] == left


def test_preallocated_room_is_no_part_of_a_segment(tmp_path: Path) -> None:
    with segment(tmp_path, 0, preallocate=True, segment_bytes=4096) as one:
        append(one, batch(0))
        assert one.size == len(batch(0)) and one.log_path.stat().st_size == 4096
        assert one.next_offset() == 1 and [each.base_offset for each in one.batches()] == [0]
        one.on_become_inactive()
        assert one.log_path.stat().st_size == len(batch(0))


def test_recovery_cuts_preallocated_room(tmp_path: Path) -> None:
    with segment(tmp_path, 0, preallocate=True, segment_bytes=4096) as one:
        append(one, batch(0, timestamps=5))
        one.sync()
        one.release()
        assert one.log_path.stat().st_size == 4096
        with contextlib.closing(recovered(one)) as again:
            assert again.size == again.log_path.stat().st_size == len(batch(0))
            assert again.largest == TimestampOffset(5, 0)


def test_a_renamed_segment_is_used_under_its_new_name_and_deleted(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as one:
        append(one, batch(0), batch(1))
        one.change_suffix(".deleted")
        append(one, batch(2))
        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".deleted"] * 3
        assert offsets(one.read(0, 1000)) == [0, 1, 2]
        one.delete()
        assert list(tmp_path.iterdir()) == []
        one.delete()  # what is gone is no error


# --- what brokers wrote before 0.11 --------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", every(3, [one for one in all_samples() if one.magic < CURRENT_MAGIC]), ids=str)
def test_messages_of_older_magics_are_read_and_found_as_kformat_finds_them(sample: Sample, tmp_path: Path) -> None:
    folder = tmp_path / sample.name
    shutil.copytree(sample.path, folder)
    partition = kformat.open(folder)
    assert partition.segments
    for theirs in partition.segments:
        batches = list(iter_batches(theirs.log))
        wanted = [record for each in batches for record in each.records()]
        settings: dict[str, Any] = {"interval": sample.index_interval_bytes, "writer_profile": sample.profile}
        if sample.is_untrimmed:
            with segment(folder, theirs.base_offset, already_exists=True, **settings) as one:
                recovered(one).close()
        with segment(folder, theirs.base_offset, already_exists=True, **settings) as one:
            one.seal()
            assert [(each.position, each.last_offset) for each in one.batches()] == [
                (each.position, each.last_offset) for each in batches
            ]
            found = one.read(theirs.base_offset, 1 << 30)
            assert [] == wanted if found is None else list(found.records()) == wanted
            last = wanted[-1].offset if wanted else theirs.base_offset
            assert one.next_offset() == (last + 1 if wanted else theirs.base_offset)
            for offset in {*range(theirs.base_offset, last + 3, 7), last, last + 1}:
                answer, position = find_offset([one], offset), one.translate_offset(offset)
                assert (position and position.position) == answer.position
            times = sorted({record.timestamp for record in wanted} | {0})
            for timestamp in [*times[:: max(1, len(times) // 20)], times[-1], times[-1] + 1]:
                if timestamp >= 0:
                    answer = find_timestamp([theirs], timestamp)
                    got = one.find_offset_by_timestamp(timestamp, theirs.base_offset)
                    assert (got and (got.timestamp, got.offset)) == (
                        (answer.timestamp, answer.offset) if answer.found else None
                    )


# Kafka, left out: LogSegmentTest.testAppendFromFile: only a split copies batches from file to file, see LogLoaderTest
# Kafka, left out: LogSegmentTest.testDeleteIfExistsWithGetParentIsNull: the folder of a segment is never missing

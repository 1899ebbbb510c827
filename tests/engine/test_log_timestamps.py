"""Looking up offsets by timestamp in an open log: Kafka's cases, in a log whose leader epoch may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from kformat.errors import UsageError
from kformat.kafka.log.fetched import TimestampOffset
from kformat_engine.log_search import LATEST_TIERED_TIMESTAMP
from tests.engine.building import append, batch, segment
from tests.engine.logs import NO_TIMESTAMP, NOW_MS, Stage, append_each, bases

LATEST, EARLIEST, MAX, EARLIEST_LOCAL = -1, -2, -3, -4
TEN = b"0123456789"


# Kafka: UnifiedLogTest.testBuildTimeIndexWhenNotAssigningOffsets
def test_a_follower_s_appends_fill_the_time_index(stage: Stage) -> None:
    log = stage.open(segment_bytes=10_000, index_interval_bytes=1)
    for number in range(100):
        one = batch(100 + number, b"%d" % number, timestamps=NOW_MS + number)
        log.append_batches(one, assign_offsets=False)
    assert [found.time_entry_count for found in log.segments] == [99]
    last = log._local.segments.active.time_index.last_entry
    assert (last.timestamp, last.offset) == (NOW_MS + 99, 199)
    assert [log.offset_for_timestamp(NOW_MS + number) for number in (0, 50, 99)] == [
        TimestampOffset(NOW_MS + number, 100 + number, 0) for number in (0, 50, 99)
    ]


# Kafka: UnifiedLogTest.testFetchOffsetByTimestampIncludesLeaderEpoch
def test_a_lookup_tells_the_leader_epoch(stage: Stage) -> None:
    log = stage.open(segment_bytes=200, index_interval_bytes=1)
    assert log.offset_for_timestamp(0) is None
    append_each(log, TEN, timestamp=NOW_MS)
    log.leader_epoch = 1
    append_each(log, TEN, timestamp=NOW_MS + 1)

    assert log.offset_for_timestamp(NOW_MS) == TimestampOffset(NOW_MS, 0, 0)
    assert log.offset_for_timestamp(NOW_MS + 1) == TimestampOffset(NOW_MS + 1, 1, 1)
    assert log.offset_for_timestamp(EARLIEST) == TimestampOffset(NO_TIMESTAMP, 0, 0)
    assert log.offset_for_timestamp(EARLIEST_LOCAL) == TimestampOffset(NO_TIMESTAMP, 0, 0)
    assert log.offset_for_timestamp(LATEST) == TimestampOffset(NO_TIMESTAMP, 2, 1)

    # Kafka's leader puts its epoch into the cache when it begins to lead. Here an epoch begins with its first batch:
    # nobody has been told of one that has none.
    log.leader_epoch = 2
    assert log.offset_for_timestamp(LATEST) == TimestampOffset(NO_TIMESTAMP, 2, 1)
    append_each(log, TEN, timestamp=NOW_MS + 2)
    assert log.offset_for_timestamp(LATEST) == TimestampOffset(NO_TIMESTAMP, 3, 2)


# Kafka: UnifiedLogTest.testFetchOffsetByTimestampWithMaxTimestampIncludesTimestamp
def test_the_record_with_the_largest_timestamp(stage: Stage) -> None:
    log = stage.open(segment_bytes=200, index_interval_bytes=1)
    assert log.offset_for_timestamp(MAX) is None
    for timestamp in (NOW_MS, NOW_MS + 1, NOW_MS):
        append_each(log, TEN, timestamp=timestamp)
    assert log.offset_for_timestamp(MAX) == TimestampOffset(NOW_MS + 1, 1, 0)


@pytest.mark.parametrize(
    ("timestamps", "expected"),
    [
        pytest.param([5, 5, 5], 0, id="the-first-of-several"),
        pytest.param([1, 9, 3, 9, 2], 1, id="the-first-of-several-segments"),
        pytest.param([NO_TIMESTAMP, NO_TIMESTAMP], None, id="none-has-one"),
        pytest.param([NO_TIMESTAMP, 0], 1, id="the-least-that-is-one"),
    ],
)
def test_the_first_record_with_the_largest_timestamp(stage: Stage, timestamps: list[int], expected: int | None) -> None:
    log = stage.open(segment_bytes=100)
    for timestamp in timestamps:
        append_each(log, TEN, timestamp=timestamp)
    found = log.offset_for_timestamp(MAX)
    assert found == (None if expected is None else TimestampOffset(max(timestamps), expected, 0))


# Kafka: UnifiedLogTest.testFetchLatestTieredTimestampNoRemoteStorage
def test_nothing_is_tiered(stage: Stage) -> None:
    log = stage.open(segment_bytes=200, index_interval_bytes=1)
    nothing = TimestampOffset(NO_TIMESTAMP, -1, -1)
    assert log.offset_for_timestamp(LATEST_TIERED_TIMESTAMP) == nothing
    append_each(log, TEN, TEN)
    assert log.offset_for_timestamp(LATEST_TIERED_TIMESTAMP) == nothing
    for number in (-6, -(2**63)):
        with pytest.raises(UsageError, match=f"{number} is not a timestamp"):
            log.offset_for_timestamp(number)


# Kafka: UnifiedLogTest.testGetFirstBatchTimestampForSegments
def test_the_timestamp_of_a_segment_s_first_batch(tmp_path: Path) -> None:
    """Kafka has the largest long there for an empty segment."""
    with segment(tmp_path, 1) as first, segment(tmp_path, 2) as second:
        assert [first.first_batch_timestamp, second.first_batch_timestamp] == [None, None]
        append(first, batch(1, b"one", timestamps=1000))
        append(second, batch(2, b"two", timestamps=2000))
        assert [first.first_batch_timestamp, second.first_batch_timestamp] == [1000, 2000]


def test_records_below_the_log_s_start_are_not_found(stage: Stage) -> None:
    """UnifiedLog.fetchOffsetByTimestamp hands the start to the segment."""
    log = stage.open(segment_bytes=1 << 20)
    log.append([{"value": TEN, "timestamp": NOW_MS + number} for number in range(6)])
    assert log.offset_for_timestamp(NOW_MS) == TimestampOffset(NOW_MS, 0, 0)
    log.delete_records_before(4)
    assert bases(log) == [0]
    assert log.offset_for_timestamp(NOW_MS) == TimestampOffset(NOW_MS + 4, 4, 0)
    assert log.offset_for_timestamp(EARLIEST) == TimestampOffset(NO_TIMESTAMP, 4, 0)
    assert log.offset_for_timestamp(NOW_MS + 6) is None


# Kafka, left out: UnifiedLogTest.testFetchOffsetByTimestampFromRemoteStorage: remote storage
# Kafka, left out: UnifiedLogTest.testFetchLatestTieredTimestampWithRemoteStorage: remote storage
# Kafka, left out: UnifiedLogTest.testFetchOffsetByTimestampShouldReadOnlyLocalLogWhenLogIsEmpty: remote storage

"""Which segments retention lets go: the cases of Kafka's UnifiedLogTest on the rules alone, then every boundary.

Kafka's cases set the high watermark to the log's end; a log that has no replicas knows no other. So those with a
watermark below the end are left out: testCannotDeleteSegmentsAtOrAboveHighWatermark,
testSegmentDeletionWithHighWatermarkInitialization, testCannotIncrementLogStartOffsetPastHighWatermark; and
testDeleteOldSegments, which is of watermarks and leader epochs. So are those of tiered storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat_engine.config import LogConfig
from kformat_engine.retention import Breach, breached, breaches
from tests.engine.building import append, batch, segment

NOW_MS = 1_700_000_000_000
SIZE = 70
"""Bytes of a batch of one record; Kafka's cases put five of them into a segment."""


@dataclass
class Piece:
    """As much of a segment as the rules look at."""

    base_offset: int
    size: int = 5 * SIZE
    largest_timestamp: int = NOW_MS


def pieces(count: int = 3, timestamp: int = NOW_MS, offsets_each: int = 5) -> list[Piece]:
    """Segments of five batches of one record, the last one not full where ``offsets_each`` is less."""
    return [Piece(number * offsets_each, offsets_each * SIZE, timestamp) for number in range(count)]


def gone(
    segments: Sequence[Piece],
    end_offset: int,
    *,
    log_start_offset: int = 0,
    now_ms: int = NOW_MS,
    **settings: Any,
) -> list[tuple[Breach, int]]:
    """What one run of retention deletes, as the log runs it: each rule once, in order; with the rule's name.

    What is deleted raises the log's start; where all goes, there is a new, empty segment at the end.
    """
    config = LogConfig(**{"retention_ms": -1, **settings})
    left, found = list(segments), []
    for breach in Breach if "delete" in config.cleanup_policy else (Breach.START_OFFSET,):
        now = breached(breach, left, config, now_ms, log_start_offset, end_offset)
        assert now == left[: len(now)]
        found += [(breach, piece.base_offset) for piece in now]
        left = left[len(now) :] or [Piece(end_offset, 0)]
        log_start_offset = max(log_start_offset, left[0].base_offset)
    return found


# --- Kafka's UnifiedLogTest ----------------------------------------------------------------------------------------


# Kafka: UnifiedLogTest.shouldDeleteSizeBasedSegments
def test_what_is_above_retention_bytes_goes() -> None:
    assert gone(pieces(), 15, retention_bytes=10 * SIZE) == [(Breach.SIZE, 0)]


# Kafka: UnifiedLogTest.shouldNotDeleteSizeBasedSegmentsWhenUnderRetentionSize
def test_a_log_of_retention_bytes_stays() -> None:
    assert gone(pieces(), 15, retention_bytes=15 * SIZE) == []


# Kafka: UnifiedLogTest.shouldDeleteTimeBasedSegmentsReadyToBeDeleted
def test_all_segments_go_that_are_old_the_active_one_too() -> None:
    found = gone(pieces(timestamp=10), 15, retention_ms=10_000)
    assert found == [(Breach.TIME, 0), (Breach.TIME, 5), (Breach.TIME, 10)]


# Kafka: UnifiedLogTest.shouldNotDeleteTimeBasedSegmentsWhenNoneReadyToBeDeleted
def test_segments_that_are_not_old_stay() -> None:
    assert gone(pieces(timestamp=NOW_MS), 15, retention_ms=10_000_000) == []


# Kafka: UnifiedLogTest.shouldNotDeleteSegmentsWhenPolicyDoesNotIncludeDelete
@pytest.mark.parametrize("policy", [("compact",), ()])
def test_without_the_policy_delete_age_and_size_do_not_matter(policy: tuple[str, ...]) -> None:
    assert gone(pieces(timestamp=10), 15, retention_ms=10_000, retention_bytes=0, cleanup_policy=policy) == []


# Kafka: UnifiedLogTest.shouldDeleteSegmentsReadyToBeDeletedWhenCleanupPolicyIsCompactAndDelete
def test_compaction_beside_deletion_changes_nothing() -> None:
    found = gone(pieces(timestamp=10), 15, retention_ms=10_000, cleanup_policy=("compact", "delete"))
    assert [offset for _, offset in found] == [0, 5, 10]


# Kafka: UnifiedLogTest.shouldDeleteStartOffsetBreachedSegmentsWhenPolicyDoesNotIncludeDelete
@pytest.mark.parametrize(("start", "expected"), [(4, []), (5, [0]), (9, [0]), (10, [0, 5]), (15, [0, 5])])
def test_what_lies_below_the_log_s_start_goes_whatever_the_policy(start: int, expected: list[int]) -> None:
    found = gone(pieces(timestamp=10), 15, log_start_offset=start, retention_ms=10_000, cleanup_policy=("compact",))
    assert found == [(Breach.START_OFFSET, offset) for offset in expected]


# Kafka: UnifiedLogTest.testLogDeletionAfterDeleteRecords
def test_deleting_records_deletes_the_segments_that_have_no_others() -> None:
    for start, left in ((1, [0, 5, 10]), (6, [5, 10]), (15, [10])):
        deleted = [offset for _, offset in gone(pieces(), 15, log_start_offset=start)]
        assert [piece.base_offset for piece in pieces()[len(deleted) :]] == left


# Kafka: UnifiedLogTest.testRetentionIdempotency
def test_a_newer_segment_that_goes_by_offset_frees_older_ones_behind_it() -> None:
    segments = [Piece(0, 69, NOW_MS + 100), Piece(1, 69, NOW_MS), Piece(2, 69, NOW_MS + 100)]
    later = NOW_MS + 901
    assert gone(segments, 3, now_ms=later, retention_ms=900) == []
    found = gone(segments, 3, now_ms=later, retention_ms=900, log_start_offset=1)
    assert found == [(Breach.START_OFFSET, 0), (Breach.TIME, 1)]
    assert gone(segments[2:], 3, now_ms=later, retention_ms=900, log_start_offset=2) == []


# Kafka: UnifiedLogTest.testDeletableSegmentsFilter
def test_segments_go_from_the_oldest_to_the_first_that_stays() -> None:
    """Nine segments of a record each and an empty one; the rule is time, as the predicate of Kafka's case."""
    old, new = 0, NOW_MS
    some = [Piece(number, SIZE, old if number <= 5 else new) for number in range(9)] + [Piece(9, 0, new)]
    assert [offset for _, offset in gone(some, 9, retention_ms=1)] == [0, 1, 2, 3, 4, 5]
    some[3].largest_timestamp = new
    assert [offset for _, offset in gone(some, 9, retention_ms=1)] == [0, 1, 2], "and none behind it"

    all_old = [Piece(number, SIZE, old) for number in range(9)]
    assert len(gone([*all_old, Piece(9, 0, old)], 9, retention_ms=1)) == 9, "an empty last one stays"
    assert len(gone([*all_old, Piece(9, SIZE, old)], 10, retention_ms=1)) == 10


# Kafka: UnifiedLogTest.testDeletableSegmentsIteration
def test_a_rule_sees_each_segment_once_and_in_order() -> None:
    seen: list[int] = []

    @dataclass
    class Watched:
        base_offset: int
        size: int

        @property
        def largest_timestamp(self) -> int:
            seen.append(self.base_offset)
            return 0

    watched = [Watched(number, SIZE) for number in range(9)] + [Watched(9, 0)]
    assert breached(Breach.TIME, watched, LogConfig(retention_ms=1), NOW_MS, 0, 9) == watched[:9]
    assert seen == list(range(9))


# --- every boundary ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retention_bytes", "expected"),
    [
        pytest.param(-1, [], id="no-limit"),
        pytest.param(-(2**63), [], id="any-negative-is-none"),
        pytest.param(301, [], id="smaller-than-that"),
        pytest.param(300, [], id="as-large-as-that"),
        pytest.param(201, [], id="less-than-a-segment-too-much"),
        pytest.param(200, [0], id="a-segment-too-much"),
        pytest.param(101, [0], id="nearly-two"),
        pytest.param(100, [0, 1], id="two"),
        pytest.param(1, [0, 1], id="all-but-a-byte"),
        pytest.param(0, [0, 1, 2], id="nothing-has-to-stay"),
    ],
)
def test_the_log_keeps_at_least_retention_bytes(retention_bytes: int, expected: list[int]) -> None:
    segments = [Piece(number, 100) for number in range(3)]
    assert gone(segments, 3, retention_bytes=retention_bytes) == [(Breach.SIZE, offset) for offset in expected]


def test_a_large_segment_shields_those_behind_it_from_the_rule_of_size() -> None:
    segments = [Piece(0, 100), Piece(1, 500), Piece(2, 10), Piece(3, 10)]
    assert gone(segments, 4, retention_bytes=200) == [(Breach.SIZE, 0)]
    assert gone(segments, 4, retention_bytes=20) == [(Breach.SIZE, 0), (Breach.SIZE, 1)]


@pytest.mark.parametrize(
    ("age_ms", "retention_ms", "goes"),
    [(1000, 1000, False), (1001, 1000, True), (0, 0, False), (1, 0, True), (10**12, -1, False), (-1000, 0, False)],
)
def test_a_segment_goes_when_it_is_older_than_retention_ms(age_ms: int, retention_ms: int, goes: bool) -> None:
    """A timestamp in the future keeps it for as long."""
    segments = [Piece(0, 100, NOW_MS - age_ms), Piece(1, 100, NOW_MS + 1000)]
    assert gone(segments, 2, retention_ms=retention_ms) == ([(Breach.TIME, 0)] if goes else [])


def test_one_new_segment_keeps_all_older_ones_behind_it() -> None:
    segments = [Piece(0, 100, NOW_MS + 10**9), *pieces(3, timestamp=0)[1:]]
    assert gone(segments, 15, retention_ms=1) == []


@pytest.mark.parametrize("settings", [{"retention_bytes": 0}, {"retention_ms": 0}, {"log_start_offset": 10}])
@pytest.mark.parametrize("segments", [[], [Piece(10, 0, 0)]])
def test_an_empty_log_stays(segments: list[Piece], settings: dict[str, Any]) -> None:
    assert gone(segments, 10, **settings) == []


def test_the_last_segment_does_not_go_by_the_log_s_start() -> None:
    """Kafka leaves it, too, though all of it lies below; by time it goes."""
    segments = [Piece(0, 100, 0)]
    assert gone(segments, 5, log_start_offset=5) == []
    assert gone(segments, 5, log_start_offset=5, retention_ms=1) == [(Breach.TIME, 0)]


def test_empty_segments_between_others_go_with_them() -> None:
    """What compaction leaves."""
    segments = [Piece(0, 0, 0), Piece(5, 100, 0), Piece(10, 0, 0), Piece(15, 100, NOW_MS)]
    assert [offset for _, offset in gone(segments, 16, retention_ms=1)] == [0, 5, 10]
    assert [offset for _, offset in gone(segments, 16, retention_bytes=100)] == [0, 5, 10]
    assert [offset for _, offset in gone(segments, 16, retention_bytes=101)] == [0]
    assert [offset for _, offset in gone(segments, 16, retention_bytes=200)] == [0], "an empty one costs nothing"
    assert gone(segments, 16, retention_bytes=201) == []


def test_a_segment_that_ends_above_the_end_offset_stays() -> None:
    """Kafka's guard of the high watermark, which is the log's end here."""
    segments = pieces(3, timestamp=0)
    assert [offset for _, offset in gone(segments, 9, retention_ms=1)] == [0]
    assert gone(segments, 4, retention_ms=1, retention_bytes=0, log_start_offset=10) == []


def test_the_rules_run_one_after_the_other() -> None:
    """Start, size, time; each looks at what the one before has left."""
    segments = [Piece(number, 100, NOW_MS - 100 + number) for number in range(6)]
    found = gone(segments, 6, log_start_offset=1, retention_bytes=300, retention_ms=96)
    assert found == [
        (Breach.START_OFFSET, 0),
        (Breach.SIZE, 1),
        (Breach.SIZE, 2),
        (Breach.TIME, 3),
    ]


@pytest.mark.parametrize(
    ("settings", "start", "expected"),
    [
        ({"retention_bytes": 0, "retention_ms": 0}, 5, (Breach.START_OFFSET, [0])),
        ({"retention_bytes": 10 * SIZE, "retention_ms": 0}, 0, (Breach.SIZE, [0])),
        ({"retention_bytes": -1, "retention_ms": 0}, 0, (Breach.TIME, [0, 5, 10])),
        ({"retention_bytes": -1, "retention_ms": -1}, 0, (Breach.TIME, [])),
        ({"retention_bytes": 0, "retention_ms": 0, "cleanup_policy": ("compact",)}, 0, (Breach.TIME, [])),
    ],
)
def test_breaches_tells_the_first_rule_that_lets_segments_go(
    settings: dict[str, Any], start: int, expected: tuple[Breach, list[int]]
) -> None:
    found = breaches(pieces(timestamp=0), LogConfig(**settings), now_ms=NOW_MS, log_start_offset=start, end_offset=15)
    assert (found[0], [piece.base_offset for piece in found[1]]) == expected


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(NOW_MS - 20, NOW_MS + 5)), max_size=8),
    st.integers(-1, 200),
    st.integers(-1, 20),
    st.integers(0, 9),
)
def test_what_is_left_after_retention(
    drawn: list[tuple[int, int]], retention_bytes: int, retention_ms: int, start: int
) -> None:
    """From the rules' purpose: what went had to go, what stays begins with a segment that had to stay, and a second
    run finds nothing."""
    segments = [Piece(number, size, timestamp) for number, (size, timestamp) in enumerate(drawn)]
    end = len(segments)
    settings = {"retention_bytes": retention_bytes, "retention_ms": retention_ms}
    found = gone(segments, end, log_start_offset=start, **settings)
    assert [offset for _, offset in found] == list(range(len(found)))
    total = sum(piece.size for piece in segments)
    for rule, number in found:
        following = segments[number + 1] if number + 1 < end else None
        total -= segments[number].size
        assert following is not None or segments[number].size
        match rule:
            case Breach.START_OFFSET:
                assert following is not None and following.base_offset <= start
            case Breach.SIZE:
                assert 0 <= retention_bytes <= total
            case Breach.TIME:
                assert 0 <= retention_ms < NOW_MS - segments[number].largest_timestamp
    left = segments[len(found) :]
    if left and (len(left) > 1 or left[0].size):
        assert len(left) == 1 or left[1].base_offset > start
        assert retention_bytes < 0 or total - left[0].size < retention_bytes
        assert retention_ms < 0 or NOW_MS - left[0].largest_timestamp <= retention_ms
    new_start = max(start, left[0].base_offset if left else end)
    assert gone(left or [Piece(end, 0)], end, log_start_offset=new_start, **settings) == []


def test_segments_of_files_are_judged_by_their_largest_timestamp_or_the_file_s_time(tmp_path: Path) -> None:
    with segment(tmp_path, 0) as first, segment(tmp_path, 1) as second, segment(tmp_path, 2) as third:
        append(first, batch(0, timestamps=NOW_MS - 1001))
        append(second, batch(1))
        append(third, batch(2, timestamps=NOW_MS))
        segments, config = [first, second, third], LogConfig(retention_ms=1000)
        for modified_ms, expected in ((NOW_MS - 1000, [0]), (NOW_MS - 1001, [0, 1])):
            second.storage.set_modified_ms(second.log_path, modified_ms)
            first.storage.set_modified_ms(first.log_path, NOW_MS)
            found = breaches(segments, config, now_ms=NOW_MS, log_start_offset=0, end_offset=3)
            assert (found[0], [one.base_offset for one in found[1]]) == (Breach.TIME, expected)

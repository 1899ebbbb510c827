"""Lookups by offset and by timestamp: Kafka's answers as tables, the descriptions' figures, a brute-force model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat.errors import InvalidError, TruncatedError, UsageError
from kformat.kafka.index.index_trust import Indexes
from kformat.kafka.index.indexing import EntryArray, IndexedBatches, index_entries
from kformat.kafka.index.lookup import (
    Answer,
    BatchScan,
    CutOff,
    IndexDisregarded,
    IndexFloor,
    LookupStep,
    SegmentByOffset,
    SegmentByTimestamp,
    batches_from,
    find_earliest,
    find_latest,
    find_max_timestamp,
    find_offset,
    find_timestamp,
)
from kformat.language.layout import layout

OFFSET_ENTRY = layout("offset_index::entry").dtype
TIME_ENTRY = layout("time_index::entry").dtype


@dataclass
class FakeRecord:
    offset: int
    timestamp: int


@dataclass
class FakeBatch:
    position: int
    size: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    partition_leader_epoch: int
    content: list[FakeRecord]

    def records(self) -> Iterator[FakeRecord]:
        return iter(self.content)


@dataclass
class FakeSegment:
    base_offset: int
    batches: list[FakeBatch]
    offsets: EntryArray = field(default_factory=lambda: np.empty(0, OFFSET_ENTRY))
    times: EntryArray = field(default_factory=lambda: np.empty(0, TIME_ENTRY))
    last_modified_ms: int = 0
    cut_off: bool = False

    @property
    def name(self) -> str:
        return f"{self.base_offset:020}.log"

    def indexes(self) -> Indexes:
        return Indexes(self.offsets, self.times)

    def scan(self, position: int) -> Iterator[FakeBatch]:
        if position not in {batch.position for batch in self.batches} | {0}:
            raise InvalidError("no batch", source=self.name, position=position)
        yield from (batch for batch in self.batches if batch.position >= position)
        if self.cut_off:
            raise TruncatedError("cut", source=self.name, position=self.batches[-1].position + self.batches[-1].size)


def batch(position: int, records: list[tuple[int, int]], *, size: int = 78, last: int | None = None,
          base: int | None = None, max_timestamp: int | None = None, epoch: int = 0) -> FakeBatch:  # fmt: skip
    """A batch of (offset, timestamp) records; what is not given follows from them."""
    base = records[0][0] if base is None else base
    last = records[-1][0] if last is None else last
    largest = max(timestamp for _, timestamp in records) if max_timestamp is None else max_timestamp
    return FakeBatch(position, size, base, last, largest, epoch, [FakeRecord(*record) for record in records])


def segment(base_offset: int, batches: list[FakeBatch], *, interval: int = 4096, closed: bool = True) -> FakeSegment:
    """A segment with the indexes that current brokers write for these batches."""
    indexed = IndexedBatches(
        [each.position for each in batches],
        [each.size for each in batches],
        [each.base_offset for each in batches],
        [each.last_offset for each in batches],
        [each.max_timestamp for each in batches],
    )
    entries = index_entries(indexed, base_offset=base_offset, index_interval_bytes=interval, closed=closed)
    return FakeSegment(base_offset, batches, entries.offset_index, entries.time_index)


def single_records(timestamps: list[int], base_offset: int = 0) -> list[FakeBatch]:
    return [batch(78 * number, [(base_offset + number, ts)]) for number, ts in enumerate(timestamps)]


def of(kind: type[LookupStep], answer: Answer) -> list[Any]:
    return [step for step in answer.steps if isinstance(step, kind)]


# What Kafka's classes answered


A6 = [100, 300, 200, 400, 150, 350, 500]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (0, (100, 0)), (50, (100, 0)), (100, (100, 0)), (101, (300, 1)), (200, (300, 1)), (300, (300, 1)),
        (301, (400, 3)), (350, (400, 3)), (400, (400, 3)), (401, (500, 6)), (500, (500, 6)), (501, (None, None)),
    ],
)  # fmt: skip
def test_timestamps_out_of_order(target: int, expected: tuple[int | None, int | None]) -> None:  # W15
    log = segment(0, single_records(A6), interval=200)
    assert log.offsets.tolist() == [(3, 234), (6, 468)] and log.times.tolist() == [(400, 3), (500, 6)]
    answer = find_timestamp([log], target)
    assert (answer.timestamp, answer.offset) == expected
    assert answer.found == (expected[0] is not None)


def test_timestamps_from_a_log_start_on() -> None:
    log = segment(0, single_records(A6), interval=200)
    answer = find_timestamp([log], 100, log_start_offset=2)
    assert (answer.timestamp, answer.offset) == (200, 2)


# The figures of the descriptions


W3_ENTRIES = np.array([(6, 156), (14, 459), (22, 656), (26, 838), (31, 1050)], OFFSET_ENTRY)
W3_BATCHES = [
    batch(position, [(offset, 1526384718000 + 10 * offset) for offset in range(first, last + 1)], size=size)
    for position, size, first, last in [
        (0, 156, 0, 5), (156, 303, 6, 6), (459, 197, 7, 14), (656, 182, 15, 22), (838, 212, 23, 26), (1050, 90, 27, 31),
    ]
]  # fmt: skip


def test_an_offset_between_entries() -> None:  # W3
    answer = find_offset([FakeSegment(0, W3_BATCHES, W3_ENTRIES)], 23)
    (floor,) = of(IndexFloor, answer)
    assert (floor.entry_number, floor.entry) == (2, (22, 656))
    assert of(BatchScan, answer) == [BatchScan("00000000000000000000.log", 656, 2, 838)]
    assert (answer.offset, answer.position) == (23, 838)


def test_a_timestamp_through_both_indexes() -> None:  # W4
    times = np.array([(1526384718100, 14), (1526384718283, 28), (1526384718300, 31)], TIME_ENTRY)
    answer = find_timestamp([FakeSegment(0, W3_BATCHES, W3_ENTRIES, times)], 1526384718288)
    by_time, by_offset = of(IndexFloor, answer)
    assert (by_time.index, by_time.entry) == ("time_index", (1526384718283, 28))
    assert (by_offset.index, by_offset.target, by_offset.entry) == ("offset_index", 28, (26, 838))
    assert of(BatchScan, answer)[0].start_position == 838
    assert (answer.offset, answer.timestamp) == (29, 1526384718290)


def test_a_segment_by_its_base_offset() -> None:  # W5
    first = segment(0, [batch(0, [(offset, offset) for offset in range(251)])])
    second = segment(251, [batch(78 * n, [(251 + n, n)]) for n in range(40)], interval=300)
    third = segment(500, [batch(0, [(500, 1)])])
    answer = find_offset([first, second, third], 268)
    (chosen,) = of(SegmentByOffset, answer)
    assert (chosen.base_offset, chosen.target - chosen.base_offset, chosen.next_base_offset) == (251, 17, 500)
    assert (answer.segment, answer.offset) == ("00000000000000000251.log", 268)
    (floor,) = of(IndexFloor, answer)
    assert (floor.entry_number, floor.entry) == (3, (267, 1248))


@pytest.mark.parametrize(("entry", "target"), [((400, 800), 500), ((20, 320), 23)])  # W6, W7
def test_the_scan_begins_at_the_floor_entry(entry: tuple[int, int], target: int) -> None:
    batches = [batch(0, [(0, 1)], size=entry[1]), batch(entry[1], [(entry[0], 2)]), batch(entry[1] + 78, [(target, 3)])]
    answer = find_offset([FakeSegment(0, batches, np.array([entry], OFFSET_ENTRY))], target)
    assert of(IndexFloor, answer)[0].entry == entry
    assert of(BatchScan, answer)[0].start_position == entry[1]
    assert answer.offset == target


def test_the_segment_for_a_timestamp() -> None:  # W14
    segments = [
        segment(0, single_records([10, 50, 20])),
        segment(3, single_records([30, 40], 3)),
        segment(5, single_records([60], 5)),
        segment(6, single_records([70], 6)),
    ]
    chosen = {target: find_timestamp(segments, target).segment for target in (50, 51, 60, 61)}
    assert [name and int(name[:20]) for name in chosen.values()] == [0, 5, 5, 6]
    steps = of(SegmentByTimestamp, find_timestamp(segments, 51))
    assert [(step.largest_timestamp, step.source, step.chosen) for step in steps] == [
        (50, "time_index", False), (40, "time_index", False), (60, "time_index", True),
    ]  # fmt: skip


def test_a_timestamp_of_0_counts_and_none_means_the_files_time() -> None:  # W14, where the descriptions say "> 0"
    zero = segment(0, single_records([0]))
    without = segment(1, single_records([-1], 1))
    without.last_modified_ms = 40
    last = segment(2, single_records([50], 2))
    assert find_timestamp([zero, without, last], 0).offset == 0
    zero.last_modified_ms = 10**9  # has a timestamp, so nobody asks
    assert find_timestamp([zero, last], 30).offset == 2
    # The middle segment looks recent up to 40, has nothing, and the last one is not asked any more.
    answer = find_timestamp([zero, without, last], 40)
    assert not answer.found
    assert of(SegmentByTimestamp, answer)[-1] == SegmentByTimestamp(without.name, 40, 40, "file_time", True)
    assert find_timestamp([zero, without, last], 41).offset == 2


# Kafka's rules, one by one


def test_the_last_segments_time_index_may_lag_behind() -> None:
    closed, open_ = segment(0, single_records([1, 2])), segment(2, single_records([3, 4], 2), closed=False)
    assert len(open_.times) == 0
    assert find_timestamp([closed, open_], 4).offset == 3
    assert not find_timestamp([closed, open_], 5).found
    assert of(SegmentByTimestamp, find_timestamp([closed, open_], 4))[-1].source == "last_segment"


def test_a_segment_below_the_log_start_is_chosen_all_the_same() -> None:
    segments = [segment(0, single_records([10, 90])), segment(2, single_records([20, 95], 2))]
    assert find_timestamp(segments, 15, log_start_offset=2).offset is None
    assert find_timestamp(segments, 92, log_start_offset=2).offset == 3


def test_a_batch_may_promise_a_timestamp_that_compaction_took() -> None:
    batches = [
        batch(0, [(0, 10)]),
        batch(78, [], base=1, last=4, max_timestamp=50),
        batch(139, [(5, 20), (9, 50)]),
    ]
    log = segment(0, batches, interval=0)
    assert find_timestamp([log], 30).offset == 9
    assert find_offset([log], 2).offset == 5
    assert find_offset([log], 6).offset == 9
    # The final time entry names the empty batch; the first record that carries the timestamp lies behind it.
    assert (find_max_timestamp([log]).offset, find_max_timestamp([log]).timestamp) == (9, 50)


def test_offsets_in_gaps_go_on_to_the_next_record() -> None:
    segments = [
        segment(0, [batch(0, [(0, 1), (3, 1)]), batch(78, [(10, 2)], last=19)]),
        segment(20, []),
        segment(30, [batch(0, [(33, 3)], base=32)]),
    ]
    found = {offset: find_offset(segments, offset) for offset in (0, 1, 4, 10, 11, 25, 33, 34)}
    assert {offset: answer.offset for offset, answer in found.items()} == {
        0: 0, 1: 3, 4: 10, 10: 10, 11: 33, 25: 33, 33: 33, 34: None,
    }  # fmt: skip
    assert found[11].segment == segments[2].name
    assert [step.segment for step in of(BatchScan, found[11])] == [each.name for each in segments]


@pytest.mark.parametrize(("log_start", "limit"), [(None, 100), (50, 100), (101, 101)])
def test_below_the_log_start(log_start: int | None, limit: int) -> None:
    answer = find_offset([segment(100, single_records([1, 2], 100))], limit - 1, log_start_offset=log_start)
    assert not answer.found and answer.explain() == f"offset {limit - 1} is below the log start offset {limit}"


def test_no_segments() -> None:
    for answer in (
        find_offset([], 0),
        find_timestamp([], 0),
        find_earliest([]),
        find_latest([]),
        find_max_timestamp([]),
    ):
        assert not answer.found and len(answer.steps) == 1


def test_leader_epochs() -> None:
    log = segment(0, [batch(0, [(0, 1)], epoch=7), batch(78, [(1, 2)], epoch=-1)])
    assert [find_offset([log], offset).leader_epoch for offset in (0, 1)] == [7, None]


# Targets that are no time


def test_earliest_latest_and_largest() -> None:
    segments = [
        segment(5, single_records([10, 90, 30], 5)),
        segment(8, single_records([90, 20, 50], 8), interval=100, closed=False),
    ]
    assert find_timestamp(segments, -2) == find_earliest(segments)
    assert (find_earliest(segments).offset, find_earliest(segments).timestamp) == (5, -1)
    late = find_timestamp(segments, -4, log_start_offset=7)
    assert (late.offset, late.segment, late.position) == (7, segments[0].name, 156)
    assert find_timestamp(segments, -1) == find_latest(segments)
    latest = find_latest(segments)
    assert (latest.offset, latest.timestamp, latest.position) == (11, -1, 156)
    assert of(BatchScan, latest)[0].start_position == 156
    assert find_timestamp(segments, -3) == find_max_timestamp(segments)
    largest = find_max_timestamp(segments)
    assert (largest.offset, largest.timestamp, largest.segment) == (6, 90, segments[0].name)  # the first on ties
    with pytest.raises(UsageError, match="-9 is not a timestamp"):
        find_timestamp(segments, -9)


def test_the_largest_timestamp_may_be_missing_from_the_last_time_index() -> None:
    segments = [segment(0, single_records([10])), segment(1, single_records([5, 99, 7], 1), closed=False)]
    answer = find_max_timestamp(segments)
    assert (answer.offset, answer.timestamp) == (2, 99)
    assert of(SegmentByTimestamp, answer)[-1].source == "batches"
    nothing = find_max_timestamp([segment(0, single_records([-1, -1]))])
    assert not nothing.found and nothing.explain().endswith("no record has a timestamp")


def test_ends_of_empty_logs() -> None:
    empty = [segment(9, [])]
    assert (find_latest(empty).offset, find_earliest(empty).offset) == (9, 9)
    assert find_latest(empty).position is None
    assert not find_max_timestamp(empty).found and not find_offset(empty, 9).found


# An index is a hint


@pytest.mark.parametrize(
    ("entry", "found_offset"),
    [((1, 234), 3), ((1, 100), None), ((1, 10**6), None), ((1, -8), None)],
    ids=["too far", "inside a batch", "behind the end", "negative"],
)
def test_an_entry_that_the_log_contradicts(entry: tuple[int, int], found_offset: int | None) -> None:
    log = FakeSegment(0, single_records([10, 20, 30, 40]), np.array([entry], OFFSET_ENTRY))
    answer = find_offset([log], 2)
    assert answer.offset == 2
    assert of(IndexDisregarded, answer) == [IndexDisregarded(log.name, entry, found_offset)]
    assert [each.base_offset for each in batches_from(log, 2)] == [0, 1, 2, 3]


def test_a_batch_that_is_not_all_there_ends_the_log() -> None:
    log = segment(0, single_records([10, 20]))
    log.cut_off = True
    for answer in (find_offset([log], 2), find_timestamp([log], 21), find_latest([log])):
        assert CutOff(log.name, 156) in answer.steps
    assert not find_offset([log], 2).found and find_latest([log]).offset == 2
    assert find_offset([log], 1).offset == 1
    assert "the batch at 156 is not all there" in find_offset([log], 2).explain()


def test_damage_on_the_way_is_an_error() -> None:
    class Damaged(FakeSegment):
        def scan(self, position: int) -> Iterator[FakeBatch]:
            yield self.batches[0]
            raise InvalidError("no batch begins here", source=self.name, position=78)

    log = Damaged(0, single_records([10, 20]))
    assert find_offset([log], 0).found
    for find in (lambda: find_offset([log], 1), lambda: find_timestamp([log], 20), lambda: find_latest([log])):
        with pytest.raises(InvalidError, match="no batch begins here"):
            find()


def test_an_index_of_another_writer() -> None:
    """An entry of several batches: its offset is the last of them, its position the start of the first."""
    log = FakeSegment(0, single_records([1, 2, 3, 4, 5, 6]), np.array([(4, 78)], OFFSET_ENTRY))
    assert [each.base_offset for each in batches_from(log, 4)] == [1, 2, 3, 4, 5]
    assert find_offset([log], 5).offset == 5 and find_offset([log], 3).offset == 3


# The steps


def test_steps_are_data_and_sentences() -> None:
    log = segment(0, single_records(A6), interval=200)
    answer = find_timestamp([segment(0, []), log], 401)
    assert json.loads(json.dumps([step.as_dict() for step in answer.steps]))[1]["kind"] == "segment_by_timestamp"
    assert [step.kind for step in answer.steps] == [
        "segment_by_timestamp", "segment_by_timestamp", "index_floor", "index_floor", "scan",
    ]  # fmt: skip
    name = log.name
    assert answer.explain().splitlines()[1:] == [
        f"{name}: the last segment is always searched, because its time index may lag behind",
        f"{name}, time index: 401 was compared with 500 (entry 1), 400 (entry 0); floor entry [400, 3]",
        f"{name}, offset index: 3 was compared with 6 (entry 1), 3 (entry 0); floor entry [3, 234]",
        f"{name}: scanned 4 batches from position 234, found at 468",
    ]
    texts = "\n".join(
        find_timestamp([segment(0, single_records([ts])), log], 401).explain() for ts in (-1, 300, 401)
    ) + "\n".join(
        each.explain() for each in (find_offset([log], 4), find_offset([log], 0), find_offset([log], 99),
                                    find_max_timestamp([log]), find_latest([log]),
                                    find_timestamp([segment(0, single_records([-1]))], 5))
    )  # fmt: skip
    for sentence in (
        "no timestamp in the time index, last modified at 0 < 401: passed over",
        "largest timestamp 300 < 401: passed over",
        "largest timestamp 401, not below 401: search here",
        "base offset 0 is the largest not above 4 (it is the last segment)",
        "no entry is that low, so [0, 0]",
        "scanned 1 batch from position 468, none has it",
        "no segment holds a record at or after offset 99",
        "largest timestamp 500, the largest of all",
        "the log ends before offset 7",
        "no entries, so [-1, 0]",
    ):
        assert sentence in texts, sentence


# Against brute force


@st.composite
def logs(draw: st.DrawFn) -> list[FakeSegment]:
    """A few segments of batches with gaps, missing records, empty batches, timestamps in any order or none."""
    offset, segments = draw(st.sampled_from([0, 7, 2**33])), []
    count = draw(st.integers(1, 4))
    for number in range(count):
        base_offset, batches, position = offset, [], 0
        for _ in range(draw(st.integers(0, 8))):
            base = offset + draw(st.integers(0, 2))
            last = base + draw(st.integers(0, 4))
            kept = draw(st.lists(st.sampled_from(range(base, last + 1)), unique=True))
            records = [(each, draw(st.sampled_from([-1, *range(0, 30, 3)]))) for each in sorted(kept)]
            left_over = draw(st.integers(-1, 32)) if not records else None
            size = draw(st.integers(61, 200))
            batches.append(batch(position, records, base=base, last=last, size=size, max_timestamp=left_over))
            position, offset = position + size, last + 1
        is_last = number == count - 1
        made = segment(base_offset, batches, interval=draw(st.sampled_from([0, 61, 150, 400, 4096])),
                       closed=not is_last or draw(st.booleans()))  # fmt: skip
        made.last_modified_ms = draw(st.sampled_from([0, 10, 1000]))
        if draw(st.integers(0, 9)) == 0:
            made.times = made.times[:0]  # the file is missing; Kafka does not rebuild it
        if draw(st.integers(0, 9)) == 0:
            made.offsets = made.offsets[:0]
        segments.append(made)
        offset += draw(st.integers(0, 3)) + (0 if batches else 1)
    return segments


def every_record(log: FakeSegment) -> list[FakeRecord]:
    return [record for each in log.batches for record in each.content]


@given(logs(), st.integers(-2, 60))
def test_offsets_as_by_brute_force(segments: list[FakeSegment], ahead: int) -> None:
    target = segments[0].base_offset + ahead
    answer = find_offset(segments, target)
    offsets = [record.offset for log in segments for record in every_record(log) if record.offset >= target]
    assert answer.offset == (None if ahead < 0 else min(offsets, default=None))


@given(logs(), st.integers(0, 33), st.integers(-3, 25))
def test_timestamps_as_by_brute_force(segments: list[FakeSegment], target: int, ahead: int) -> None:
    log_start = segments[0].base_offset + ahead

    def largest_timestamp(log: FakeSegment) -> int:
        """What a broker has in memory: of the last segment the truth, of the others what their time index says."""
        known = max((each.max_timestamp for each in log.batches), default=-1)
        known = known if len(log.times) or log is segments[-1] else -1
        return known if known >= 0 else log.last_modified_ms

    chosen = next((log for log in segments if largest_timestamp(log) >= target), None)
    expected = next(
        (r for r in (every_record(chosen) if chosen else []) if r.timestamp >= target and r.offset >= log_start), None
    )
    answer = find_timestamp(segments, target, log_start_offset=log_start)
    assert (answer.offset, answer.timestamp) == ((expected.offset, expected.timestamp) if expected else (None, None))


@given(logs())
def test_ends_as_by_brute_force(segments: list[FakeSegment]) -> None:
    last = segments[-1]
    ends = [each.last_offset + 1 for each in last.batches]
    assert find_latest(segments).offset == max(ends, default=last.base_offset)
    # Compaction may have left timestamps behind that no record carries, and a missing time index hides its own.
    if all(each.content for log in segments for each in log.batches) and all(
        len(log.times) or max((each.max_timestamp for each in log.batches), default=-1) < 0 for log in segments[:-1]
    ):
        records = [record for log in segments for record in every_record(log) if record.timestamp >= 0]
        best = max(records, key=lambda record: record.timestamp, default=None)
        answer = find_max_timestamp(segments)
        assert (answer.offset, answer.timestamp) == ((best.offset, best.timestamp) if best else (None, None))

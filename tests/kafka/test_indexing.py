"""Index entries by writer profile, sizes, padding, floor lookups: tables from Kafka's own classes, and a slow model."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kformat
from kformat.errors import InvalidError, UsageError
from kformat.kafka.index.index_file import valid_entry_count
from kformat.kafka.index.indexing import (
    PROFILES,
    Entries,
    EntryArray,
    IndexedBatches,
    OffsetEntry,
    TimeEntry,
    floor_offset_entry,
    floor_time_entry,
    index_entries,
    lookup_many,
    max_entry_count,
    recovered_entries,
    round_index_size,
)
from kformat.language.layout import layout
from tests import judges
from tests.judges import releases
from tests.judges.required import require

Pairs = list[tuple[int, int]]

OFFSET_ENTRY = layout("offset_index::entry")
TIME_ENTRY = layout("time_index::entry")
MAX_INT32 = 2**31 - 1
SMALLEST_BATCH_BYTES = 68


def offset_entries(*pairs: tuple[int, int]) -> EntryArray:
    return np.array(list(pairs), OFFSET_ENTRY.dtype)


def time_entries(*pairs: tuple[int, int]) -> EntryArray:
    return np.array(list(pairs), TIME_ENTRY.dtype)


def pairs(entries: EntryArray) -> Pairs:
    return [tuple(entry) for entry in entries.tolist()]


def both(entries: Entries) -> tuple[Pairs, Pairs]:
    return pairs(entries.offset_index), pairs(entries.time_index)


def single_records(timestamps: Sequence[int], size: int = 78, append_id: list[int] | None = None) -> IndexedBatches:
    """Batches of one record each, offsets from 0."""
    offsets = np.arange(len(timestamps))
    return IndexedBatches(
        offsets * size, np.full(len(timestamps), size), offsets, offsets, timestamps, append_id=append_id
    )


# What Kafka's classes gave


A3 = single_records([1000, 1010, 1005, 1015, 1025, 1020, 1030, 1040])


@pytest.mark.parametrize("profile", PROFILES)
def test_single_batch_appends(profile: str) -> None:
    expected = [(2, 156), (4, 312), (6, 468)], [(1010, 1), (1025, 4), (1030, 6), (1040, 7)]
    entries = index_entries(A3, base_offset=0, profile=profile, index_interval_bytes=100, max_index_size_bytes=300)
    assert both(entries) == expected
    assert both(recovered_entries(A3, base_offset=0, profile=profile, index_interval_bytes=100)) == expected
    assert len(entries.offset_index.tobytes()) == 24 and len(entries.time_index.tobytes()) == 48


def test_the_final_entry_comes_with_roll_or_close() -> None:
    entries = index_entries(A3, base_offset=0, index_interval_bytes=100, closed=False)
    assert both(entries) == ([(2, 156), (4, 312), (6, 468)], [(1010, 1), (1025, 4), (1030, 6)])


def test_appends_of_several_batches() -> None:
    batches = single_records([1000 + offset for offset in range(12)], append_id=[0] * 3 + [1] * 3 + [2] * 3 + [3] * 3)
    live = {profile: index_entries(batches, base_offset=0, profile=profile, index_interval_bytes=100)
            for profile in PROFILES}  # fmt: skip
    recovered = (
        [(2, 156), (4, 312), (6, 468), (8, 624), (10, 780)],
        [(1002, 2), (1004, 4), (1006, 6), (1008, 8), (1010, 10), (1011, 11)],
    )
    assert both(live["last-offset"]) == ([(5, 234), (8, 468), (11, 702)], [(1005, 5), (1008, 8), (1011, 11)])
    assert both(live["batch-time"]) == both(live["last-offset"])
    assert both(live["first-offset"])[0] == [(3, 234), (6, 468), (9, 702)]
    assert both(live["per-batch"]) == recovered
    assert both(recovered_entries(batches, base_offset=0, index_interval_bytes=100)) == recovered


W17_BASE = 1778276
W17 = IndexedBatches(
    position=[0, 44169, 79128, 86925, 120070],
    size=[44169, 34959, 7797, 33145, 9309],
    base_offset=[1778276, 1778363, 1778432, 1778447, 1778512],
    last_offset=[1778362, 1778431, 1778446, 1778511, 1778529],
    max_timestamp=[1645765269680, 1645765272680, 1645765272681, 1645765275680, 1645765275681],
    max_timestamp_offset=[1778362, 1778427, 1778442, 1778507, 1778521],
)


@pytest.mark.parametrize(
    ("profile", "time_offsets"),
    [
        ("last-offset", [1778427, 1778442, 1778507, 1778521]),
        ("per-batch", [1778431, 1778446, 1778511, 1778529]),
    ],
)
def test_a_listing_of_a_real_broker(profile: str, time_offsets: list[int]) -> None:
    offset_index, time_index = both(index_entries(W17, base_offset=W17_BASE, profile=profile))
    assert [(offset + W17_BASE, position) for offset, position in offset_index] == [
        (1778431, 44169), (1778446, 79128), (1778511, 86925), (1778529, 120070),
    ]  # fmt: skip
    assert [(timestamp, offset + W17_BASE) for timestamp, offset in time_index] == list(
        zip(W17.max_timestamp.tolist()[1:], time_offsets, strict=True)
    )


def test_offsets_are_stored_relative_in_four_bytes() -> None:  # W8
    batches = IndexedBatches([0, 100], [100, 100], [1000, 1005], [1004, 1005], [1, 2])
    offset_index, _ = index_entries(batches, base_offset=1000, index_interval_bytes=99)
    assert pairs(offset_index) == [(5, 100)]
    assert [offset_index.dtype[name].itemsize for name in ("relative_offset", "position")] == [4, 4]
    assert offset_index.tobytes() == bytes([0, 0, 0, 5, 0, 0, 0, 100])


# Kafka's comparisons, one by one


@pytest.mark.parametrize(
    ("interval", "indexed"),
    [(0, [1, 2, 3, 4]), (77, [1, 2, 3, 4]), (78, [2, 4]), (79, [2, 4]), (155, [2, 4]), (156, [3]), (312, [])],
)
def test_more_than_the_interval(interval: int, indexed: list[int]) -> None:
    batches = single_records([0] * 5)
    for build in (index_entries, recovered_entries):
        entries = build(batches, base_offset=0, index_interval_bytes=interval)
        assert [offset for offset, _ in pairs(entries.offset_index)] == indexed


def test_a_large_first_append_gets_no_entry_but_makes_the_next_one_due() -> None:
    batches = IndexedBatches([0, 50_000], [50_000, 78], [0, 500], [499, 500], [7, 9])
    assert both(index_entries(batches, base_offset=0)) == ([(500, 50_000)], [(9, 500)])


@pytest.mark.parametrize(
    ("timestamps", "expected"),
    [
        ([5, 5, 5], [(5, 0)]),  # W12: never again for the same timestamp
        ([5, 4, 6], [(5, 0), (6, 2)]),
        ([-1, -1, -1], []),
        ([-1, 0, 0], [(0, 1)]),
        ([-9, -5, -2], []),
        ([0, 0, 0], [(0, 0)]),
        ([1, 2, 3], [(2, 1), (3, 2)]),
        ([3, 2, 1], [(3, 0)]),
    ],
)
def test_time_entries_only_when_the_timestamp_grows(timestamps: list[int], expected: Pairs) -> None:
    batches = single_records(timestamps)
    assert both(index_entries(batches, base_offset=0, index_interval_bytes=0))[1] == expected


def test_offsets_of_the_two_indexes_need_not_be_equal() -> None:  # W12
    offset_index, time_index = both(index_entries(A3, base_offset=0, index_interval_bytes=100))
    assert {offset for offset, _ in offset_index} != {offset for _, offset in time_index}


def test_a_time_index_keeps_its_last_slot_for_the_end() -> None:
    batches = single_records([1, 2, 3, 4])
    # 48 bytes: 6 offset slots, 4 time slots, of which the appends may use 3.
    full = index_entries(batches, base_offset=0, index_interval_bytes=0, max_index_size_bytes=48)
    assert len(full.time_index) == 3
    with pytest.raises(UsageError, match=r"time index is full with 2 entries and one slot kept back"):
        index_entries(batches, base_offset=0, index_interval_bytes=0, max_index_size_bytes=36)
    last = single_records([9, 2, 3, 10])
    closed = index_entries(last, base_offset=0, index_interval_bytes=200, max_index_size_bytes=24)
    assert both(closed)[1] == [(10, 3)]
    with pytest.raises(UsageError, match="time index is full with 0 entries"):
        index_entries(last, base_offset=0, index_interval_bytes=200, max_index_size_bytes=23)


def test_a_time_index_is_full_even_for_an_entry_it_would_pass_over() -> None:
    batches = single_records([5, 5, 5, 5, 5])
    kept = index_entries(batches, base_offset=0, index_interval_bytes=0, max_index_size_bytes=36)
    assert len(kept.time_index) == 1 and len(kept.offset_index) == 4
    with pytest.raises(UsageError, match="time index is full with 1 entries"):
        index_entries(batches, base_offset=0, index_interval_bytes=0, max_index_size_bytes=32)


def test_an_offset_index_is_full_at_its_last_slot() -> None:
    without_timestamps = single_records([-1] * 6)
    assert len(index_entries(without_timestamps, base_offset=0, index_interval_bytes=0,
                             max_index_size_bytes=40).offset_index) == 5  # fmt: skip
    with pytest.raises(UsageError, match="offset index is full with 4 entries, and 5 are needed"):
        index_entries(without_timestamps, base_offset=0, index_interval_bytes=0, max_index_size_bytes=39)


@pytest.mark.parametrize("build", [index_entries, recovered_entries])
@pytest.mark.parametrize(
    ("base_offset", "last_offset", "fits"),
    [(0, MAX_INT32, True), (0, MAX_INT32 + 1, False), (5, 4, False), (10**12, 10**12 + MAX_INT32, True)],
)
def test_last_offsets_stay_in_the_segments_range(build, base_offset: int, last_offset: int, fits: bool) -> None:  # type: ignore[no-untyped-def]
    batches = IndexedBatches([0, 78], [78, 78], [base_offset, last_offset], [base_offset, last_offset], [1, 2])
    if fits:
        entries = build(batches, base_offset=base_offset, index_interval_bytes=0)
        assert pairs(entries.offset_index) == [(last_offset - base_offset, 78)]
        return
    with pytest.raises(InvalidError) as caught:
        build(batches, base_offset=base_offset, index_interval_bytes=0, source="x.log")
    assert (caught.value.source, caught.value.position, caught.value.found) == ("x.log", 78, last_offset)


@pytest.mark.parametrize("second", [7, 6])
def test_offsets_that_do_not_grow_are_refused_where_an_entry_is_due(second: int) -> None:
    batches = IndexedBatches([0, 78, 156], [78] * 3, [0, 7, second], [0, 7, second], [-1] * 3)
    with pytest.raises(InvalidError, match=r"above 7, found") as caught:
        index_entries(batches, base_offset=0, index_interval_bytes=0)
    assert (caught.value.position, caught.value.path) == (156, "offset_index.entries[1]")
    # Nothing is due, nothing is noticed: as in Kafka.
    assert both(index_entries(batches, base_offset=0)) == ([], [])


def test_a_time_entry_whose_offset_falls_is_refused() -> None:
    batches = IndexedBatches([0, 78, 156], [78] * 3, [5, 6, 7], [5, 6, 7], [1, 2, 3], max_timestamp_offset=[5, 9, 7])
    with pytest.raises(InvalidError, match="not below 9") as caught:
        index_entries(batches, base_offset=5, profile="last-offset", index_interval_bytes=0)
    assert caught.value.path == "time_index.entries[1]"


@pytest.mark.parametrize(
    ("profile", "first", "at_largest"),
    [("first-offset", 4, 7), ("last-offset", 7, 4), ("last-offset", 7, 5 + MAX_INT32 + 1)],
)
def test_entries_stay_in_the_segments_range(profile: str, first: int, at_largest: int) -> None:
    batches = IndexedBatches([0, 78], [78, 78], [5, first], [6, 8], [-1, 2], max_timestamp_offset=[6, at_largest])
    with pytest.raises(InvalidError, match=f"from 5 to {5 + MAX_INT32}"):
        index_entries(batches, base_offset=5, profile=profile, index_interval_bytes=0)


def test_a_position_beyond_2_gib_is_refused() -> None:
    batches = IndexedBatches([0, 2**31], [2**31, 78], [0, 1], [0, 1], [1, 2])
    with pytest.raises(InvalidError, match="below 2 GiB"):
        index_entries(batches, base_offset=0)


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="no writer profile 'newest'; there are first-offset"):
        index_entries(A3, base_offset=0, profile="newest")
    with pytest.raises(UsageError, match="no writer profile"):
        recovered_entries(A3, base_offset=0, profile="")
    with pytest.raises(UsageError, match="must be 0 or more"):
        index_entries(A3, base_offset=0, index_interval_bytes=-1)
    with pytest.raises(UsageError, match="last_offset has shape"):
        IndexedBatches([0], [78], [0], [0, 1], [5])
    with pytest.raises(UsageError, match="negative size"):
        index_entries(IndexedBatches([0], [-78], [0], [0], [5]), base_offset=0)


def test_no_batches_no_entries() -> None:
    for profile in PROFILES:
        assert both(index_entries(IndexedBatches([], [], [], [], []), base_offset=9, profile=profile)) == ([], [])
    assert both(recovered_entries(IndexedBatches([], [], [], [], []), base_offset=9)) == ([], [])


# Against a model that goes append by append, as Kafka does


@dataclass
class SlowSegment:
    """LogSegment.append with plain integers."""

    base_offset: int
    profile: str
    interval: int
    offset_index: Pairs = field(default_factory=list)
    time_index: Pairs = field(default_factory=list)
    size: int = 0
    counter: int = 0
    largest: tuple[int, int] = (-1, -1)

    def append(self, batches: list[dict[str, int]]) -> None:
        for batch in batches:
            if batch["max_timestamp"] > self.largest[0]:
                by_record = self.profile in ("first-offset", "last-offset")
                at = batch["max_timestamp_offset" if by_record else "last_offset"]
                self.largest = batch["max_timestamp"], at
        if self.counter > self.interval:
            offset = batches[0]["base_offset"] if self.profile == "first-offset" else batches[-1]["last_offset"]
            self.offset_index.append((offset - self.base_offset, self.size))
            self.maybe_add_time()
            self.counter = 0
        appended = sum(batch["size"] for batch in batches)
        self.size += appended
        self.counter += appended

    def maybe_add_time(self) -> None:
        if self.largest[0] > (self.time_index[-1][0] if self.time_index else -1):
            self.time_index.append((self.largest[0], self.largest[1] - self.base_offset))


@st.composite
def segments(draw: st.DrawFn) -> tuple[int, IndexedBatches]:
    base_offset = offset = draw(st.sampled_from([0, 1, 1000, 2**40]))
    columns: dict[str, list[int]] = {name: [] for name in IndexedBatches.__dataclass_fields__}
    position = 0
    for number in range(draw(st.integers(0, 25))):
        first = offset + draw(st.integers(0, 3))
        last = first + draw(st.integers(0, 4))
        size = draw(st.integers(61, 130))
        values = (position, size, first, last, draw(st.integers(-2, 20)), draw(st.integers(first, last)),
                  number if draw(st.booleans()) or not number else columns["append_id"][-1])  # fmt: skip
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
        position, offset = position + size, last + 1
    return base_offset, IndexedBatches(**columns)


@given(segments(), st.sampled_from(PROFILES), st.sampled_from([0, 60, 61, 100, 250, 4096]), st.booleans())
def test_as_append_by_append(segment: tuple[int, IndexedBatches], profile: str, interval: int, closed: bool) -> None:
    base_offset, batches = segment
    rows = [
        {name: int(getattr(batches, name)[number]) for name in batches.__dataclass_fields__}
        for number in range(len(batches))
    ]
    slow = SlowSegment(base_offset, profile, interval)
    groups: dict[int, list[dict[str, int]]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(number if profile == "per-batch" else row["append_id"], []).append(row)
    for group in groups.values():
        slow.append(group)
    if closed:
        slow.maybe_add_time()
    entries = index_entries(
        batches, base_offset=base_offset, profile=profile, index_interval_bytes=interval, closed=closed
    )
    assert both(entries) == (slow.offset_index, slow.time_index)


@given(segments(), st.sampled_from([0, 61, 100, 250]))
def test_recovery_writes_what_current_brokers_write_live(segment: tuple[int, IndexedBatches], interval: int) -> None:
    base_offset, batches = segment
    live = index_entries(batches, base_offset=base_offset, index_interval_bytes=interval)
    assert both(live) == both(recovered_entries(batches, base_offset=base_offset, index_interval_bytes=interval))


def test_recovery_of_a_first_offset_segment_keeps_first_offsets() -> None:
    batches = IndexedBatches([0, 100], [100, 100], [0, 5], [4, 9], [1, 2], max_timestamp_offset=[0, 6])
    entries = recovered_entries(batches, base_offset=0, profile="first-offset", index_interval_bytes=10)
    assert both(entries) == ([(5, 100)], [(2, 9)])


# Against Kafka's own LogSegment


def random_log(rng: random.Random, base_offset: int) -> tuple[bytes, IndexedBatches]:
    """Batches with offset gaps, timestamps in any order or none, sizes up to a few hundred bytes."""
    data, offset = b"", base_offset + rng.randint(0, 3)
    columns: dict[str, list[int]] = {
        name: [] for name in ("position", "size", "base_offset", "last_offset", "max_timestamp")
    }
    for _ in range(rng.randint(1, 60)):
        timestamps = [rng.choice((-1, rng.randint(0, 50), rng.randint(0, 5000))) for _ in range(rng.randint(1, 4))]
        records: list[dict[str, object]] = [
            {"offset_delta": delta, "timestamp_delta": timestamp - timestamps[0], "key": None, "headers": [],
             "value": bytes(rng.randint(0, 60))}
            for delta, timestamp in enumerate(timestamps)
        ]  # fmt: skip
        batch = kformat.build("record_batch", {
            "base_offset": offset, "partition_leader_epoch": 0, "attributes": {}, "base_timestamp": timestamps[0],
            "max_timestamp": max(timestamps), "records": records,
        })  # fmt: skip
        values = len(data), len(batch), offset, offset + len(records) - 1, max(timestamps)
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
        data, offset = data + batch, offset + len(records) + rng.choice((0, 0, 0, 5))
    return data, IndexedBatches(**columns)


@pytest.mark.judge
@pytest.mark.parametrize(
    ("version", "profile"), [("3.8.1", "batch-time"), (releases.OLDER, "per-batch"), (releases.NEWEST, "per-batch")]
)
def test_as_kafkas_classes_write_them(tmp_path: Path, version: str, profile: str) -> None:
    """Closed, still open, and recovered; one batch an append, or several."""
    require(version)
    rng = random.Random(version)
    asked, expected = [], []
    for number in range(60):
        base_offset, interval = rng.choice((0, 1000, 2**40)), rng.choice((0, 80, 100, 300, 1000, 4096))
        data, batches = random_log(rng, base_offset)
        groups = rng.choice(((1,), (2,), (3, 1), (4, 2, 5)))
        mode: Literal["close", "open", "recover"] = ("close", "open", "recover")[number % 3]
        log = tmp_path / f"{number:020}.log"
        log.write_bytes(data)
        asked.append(judges.Segment(log, base_offset, interval, batches_per_append=groups, mode=mode))
        if mode == "recover":
            entries = recovered_entries(
                batches, base_offset=base_offset, profile=profile, index_interval_bytes=interval
            )
        else:
            sizes = itertools.islice(itertools.cycle(groups), len(batches))
            append_id = np.repeat(np.arange(len(batches)), list(sizes))[: len(batches)]
            entries = index_entries(
                dataclasses.replace(batches, append_id=append_id), base_offset=base_offset, profile=profile,
                index_interval_bytes=interval, closed=mode == "close",
            )  # fmt: skip
        expected.append(entries)
    for segment, entries, found in zip(asked, expected, judges.build_indexes(version, asked), strict=True):
        offset_index, time_index = entries.offset_index.tobytes(), entries.time_index.tobytes()
        if segment.mode == "open":
            offset_index = offset_index.ljust(round_index_size(segment.segment_index_bytes, OFFSET_ENTRY.size), b"\0")
            time_index = time_index.ljust(round_index_size(segment.segment_index_bytes, TIME_ENTRY.size), b"\0")
        assert (found.index, found.timeindex) == (offset_index, time_index), segment


# Sizes


@pytest.mark.parametrize(
    ("size", "offset_index", "time_index"),
    [
        (67, 64, 60),  # W1
        (300, 296, 300),  # W2
        (10485760, 10485760, 10485756),  # W10, preallocated
        (12, 8, 12),
        (8, 8, None),
        (7, None, None),
        (0, None, None),
        (-1, None, None),
    ],
)
def test_index_sizes_are_whole_entries(size: int, offset_index: int | None, time_index: int | None) -> None:
    for entry, expected in ((OFFSET_ENTRY, offset_index), (TIME_ENTRY, time_index)):
        if expected is None:
            with pytest.raises(UsageError, match=rf"at most {size} bytes holds no entry of {entry.size}"):
                round_index_size(size, entry.size)
        else:
            assert round_index_size(size, entry.size) == expected


def test_trimmed_sizes_are_whole_entries() -> None:  # W10, inactive segments
    assert (245432, 343392) == (30679 * OFFSET_ENTRY.size, 28616 * TIME_ENTRY.size)


def test_entries_that_fit_a_gibibyte() -> None:  # W11
    assert max_entry_count(2**30) == (2**30 - 68) // 4097 == 262_079
    assert max_entry_count(0) == 0
    with pytest.raises(UsageError):
        max_entry_count(-1)


@pytest.mark.parametrize("size", [4097 * 5 + 67, 4097 * 5 + 68, 4097 * 5 + 69])
def test_the_bound_is_reached(size: int) -> None:
    """The densest log there can be: batches of one byte more than the interval, and a smallest one at the end."""
    sizes = [4097] * ((size - SMALLEST_BATCH_BYTES) // 4097) + [SMALLEST_BATCH_BYTES]
    offsets = np.arange(len(sizes))
    batches = IndexedBatches(np.cumsum([0, *sizes[:-1]]), sizes, offsets, offsets, offsets)
    assert sum(sizes) <= size
    assert len(index_entries(batches, base_offset=0).offset_index) == max_entry_count(size)


# Where entries end


@pytest.mark.parametrize(
    ("slots", "count"),
    [
        (offset_entries(), 0),
        (offset_entries((0, 0)), 0),
        (offset_entries((0, 0), (0, 0), (0, 0)), 0),
        (offset_entries((6, 156), (14, 459)), 2),
        (offset_entries((6, 156), (14, 459), (0, 0), (0, 0)), 2),
        (offset_entries((6, 156), (0, 0), (14, 459)), 1),
        (offset_entries((6, 156), (6, 459)), 1),
        (offset_entries((6, 156), (5, 459), (7, 500)), 1),
        (offset_entries((0, 156), (0, 0)), 1),  # an entry for the base offset, not at the start of the log
        (offset_entries((0, 0), (5, 100), (0, 0)), 2),  # Kafka never writes the first; what follows shows it is meant
        (offset_entries((-3, 100), (5, 200)), 0),
        (time_entries((0, 0)), 1),  # what closing writes when 0 is the largest timestamp
        (time_entries((0, 0), (0, 0)), 0),
        (time_entries((0, 0), (7, 3), (0, 0)), 2),
        (time_entries((0, 3), (0, 0)), 1),
        (time_entries((5, 0), (0, 0)), 1),
        (time_entries((5, 0), (6, 0)), 1),
        (time_entries((5, 3), (6, 2)), 1),
        (time_entries((5, 3), (6, 3), (6, 4)), 2),
        (time_entries((-1, 3), (6, 4)), 0),
    ],
)
def test_where_entries_end(slots: EntryArray, count: int) -> None:
    assert valid_entry_count(slots) == count


# A preallocated file has more slots than one: a single slot of zeros is what closing writes (see above).
@given(segments(), st.sampled_from((0, 2, 3, 5)))
def test_padding_is_never_counted(segment: tuple[int, IndexedBatches], padding: int) -> None:
    base_offset, batches = segment
    for entries in index_entries(batches, base_offset=base_offset, index_interval_bytes=61):
        slots = np.concatenate((entries, np.zeros(padding, entries.dtype)))
        # One entry nobody can tell from padding: timestamp 0 at the base offset. No lookup needs it.
        expected = 0 if padding and pairs(entries) == [(0, 0)] else len(entries)
        assert valid_entry_count(slots) == expected


# Floor lookups


W3 = offset_entries((6, 156), (14, 459), (22, 656), (26, 838), (31, 1050))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (23, OffsetEntry(2, 22, 656)),  # W3
        (22, OffsetEntry(2, 22, 656)),
        (28, OffsetEntry(3, 26, 838)),  # W4, second half
        (5, OffsetEntry(-1, 0, 0)),
        (-5, OffsetEntry(-1, 0, 0)),
        (31, OffsetEntry(4, 31, 1050)),
        (2**62, OffsetEntry(4, 31, 1050)),
    ],
)
def test_offset_floor(target: int, expected: OffsetEntry) -> None:
    assert floor_offset_entry(W3, target) == expected


def test_offset_floor_far_from_zero() -> None:
    base_offset = 2**62
    assert floor_offset_entry(W3, base_offset + 23, base_offset=base_offset) == (2, base_offset + 22, 656)
    assert floor_offset_entry(W3, base_offset, base_offset=base_offset) == (-1, base_offset, 0)
    assert floor_offset_entry(offset_entries(), 7, base_offset=7) == (-1, 7, 0)
    assert floor_offset_entry(offset_entries((20, 320)), 23) == (0, 20, 320)  # W7
    assert floor_offset_entry(offset_entries((400, 800)), 500) == (0, 400, 800)  # W6


def test_time_floor() -> None:
    entries = time_entries((1526384718200, 14), (1526384718283, 28), (1526384718290, 31))
    assert floor_time_entry(entries, 1526384718288) == TimeEntry(1, 1526384718283, 28)  # W4, first half
    assert floor_time_entry(entries, 1526384718283, base_offset=1000) == TimeEntry(1, 1526384718283, 1028)
    assert floor_time_entry(entries, 0, base_offset=1000) == TimeEntry(-1, -1, 1000)
    assert floor_time_entry(time_entries(), 5, base_offset=45) == TimeEntry(-1, -1, 45)


def test_comparisons_are_told() -> None:
    compared: list[tuple[int, int]] = []
    floor_offset_entry(W3, 1023, base_offset=1000, compared=compared)
    assert compared == [(2, 1022), (4, 1031), (3, 1026)]


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), unique_by=lambda pair: pair[0], max_size=20),
    st.lists(st.integers(-5, 70), min_size=1, max_size=8),
    st.sampled_from([0, 45, 2**40]),
)
def test_floors_agree_with_a_scan(unsorted: Pairs, targets: list[int], base_offset: int) -> None:
    entries = sorted(unsorted)
    as_offsets, as_times = offset_entries(*entries), time_entries(*entries)
    offset_targets = [base_offset + target for target in targets]
    for target, offset_target in zip(targets, offset_targets, strict=True):
        below = [pair for pair in entries if pair[0] <= target]
        number = len(below) - 1
        key, value = below[-1] if below else (0, 0)
        assert floor_offset_entry(as_offsets, offset_target, base_offset=base_offset) == (
            number,
            base_offset + key,
            value,
        )
        time_key = key if below else -1
        assert floor_time_entry(as_times, target, base_offset=base_offset) == (number, time_key, base_offset + value)
    offsets, positions = lookup_many(as_offsets, offset_targets, base_offset=base_offset)
    singles = [floor_offset_entry(as_offsets, target, base_offset=base_offset) for target in offset_targets]
    assert list(zip(offsets.tolist(), positions.tolist(), strict=True)) == [entry[1:] for entry in singles]
    timestamps, time_offsets = lookup_many(as_times, targets, base_offset=base_offset)
    time_singles = [floor_time_entry(as_times, target, base_offset=base_offset) for target in targets]
    assert list(zip(timestamps.tolist(), time_offsets.tolist(), strict=True)) == [entry[1:] for entry in time_singles]


class CountingColumn:
    """A column that counts what is read of it."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.probes = values, 0

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, number: int) -> int:
        self.probes += 1
        return int(self.values[number])


def test_a_floor_reads_only_what_it_compares() -> None:
    column = CountingColumn(np.arange(1_000_000) * 3)
    entry = {"relative_offset": column}
    with pytest.raises(KeyError):  # it finds its entry, and only then asks for the entry itself
        floor_offset_entry(entry, 1_500_000)  # type: ignore[arg-type]
    assert 0 < column.probes <= 20

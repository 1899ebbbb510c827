"""The time index: Kafka's TimeIndexTest, one by one, then what the engine promises beyond it.

What both indexes share is in `test_offset_index.py`; `test_index_objects_judge.py` holds both against Kafka's classes.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat.errors import UsageError
from kformat_engine.errors import IndexFullError, IndexOrderError, IndexSealedError, OffsetOverflowError
from kformat_engine.index import TimeIndex
from tests.engine.faults import Fault, FaultyStorage

BASE = 45
ENTRY_BYTES = 12
MAX_ENTRIES = 30
MAX_INT32 = 2**31 - 1


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TimeIndex]:
    path = tmp_path / "00000000000000000045.timeindex"
    with contextlib.closing(TimeIndex(path, BASE, MAX_ENTRIES * ENTRY_BYTES)) as made:
        yield made


def filled(index: TimeIndex, count: int = MAX_ENTRIES - 1) -> TimeIndex:
    """With entries (10, base offset + 10), (20, base offset + 20), ..."""
    for number in range(1, count + 1):
        index.maybe_append(number * 10, BASE + number * 10)
    return index


# Kafka: TimeIndexTest.testLookUp
def test_lookups_give_the_floor(index: TimeIndex) -> None:
    assert index.lookup(100) == (-1, -1, BASE)
    filled(index)
    assert index.lookup(9) == (-1, -1, BASE)
    assert index.lookup(25) == (1, 20, 65)
    assert index.lookup(30) == (2, 30, 75)
    assert index.lookup(2**63) == (28, 290, 335) and index.lookup(-(2**63)) == (-1, -1, BASE)


# Kafka: TimeIndexTest.testEntry
def test_entries_by_number(index: TimeIndex) -> None:
    filled(index)
    assert [index.entry(n) for n in range(4)] == [(0, 10, 55), (1, 20, 65), (2, 30, 75), (3, 40, 85)]


# Kafka: TimeIndexTest.testEntryOverflow
@pytest.mark.parametrize("number", [0, MAX_ENTRIES, -1])
def test_an_entry_that_is_not_there(index: TimeIndex, number: int) -> None:
    with pytest.raises(UsageError, match=f"no entry {number}, there are 0"):
        index.entry(number)


# Kafka: TimeIndexTest.testTruncate
def test_truncation(index: TimeIndex) -> None:
    filled(index).truncate()
    assert index.entry_count == 0 and index.last_entry == (-1, -1, BASE)
    filled(index).truncate_to(10 + BASE)
    assert index.entry_count == 0
    filled(index, 5).truncate_to(BASE + 31)
    assert index.last_entry == (2, 30, BASE + 30), "by offset, and the entry below stays"
    index.truncate_to(BASE + 30)
    assert index.last_entry == (1, 20, BASE + 20)
    index.truncate_to(BASE + 500)
    assert index.entry_count == 2 and index.length_bytes == MAX_ENTRIES * ENTRY_BYTES


# Kafka: TimeIndexTest.testAppend
def test_the_last_slot_is_kept_for_roll_and_close(index: TimeIndex) -> None:
    filled(index)
    with pytest.raises(IndexFullError, match="full with 29 entries"):
        index.maybe_append(10_000, 1000)
    with pytest.raises(IndexOrderError, match=f"offset {(MAX_ENTRIES - 2) * 10} lies below the last one"):
        index.maybe_append(10_000, (MAX_ENTRIES - 2) * 10, True)
    index.maybe_append(10_000, 1000, True)
    assert index.last_entry == index.entry(29) == (29, 10_000, 1000)
    with pytest.raises(IndexFullError, match="full with 30 entries"):
        index.maybe_append(10_001, 1001, skip_full_check=True)
    index.maybe_append(10_000, 1001, skip_full_check=True)
    assert index.entry_count == 30 and index.path.stat().st_size == 360


# Kafka, left out: TimeIndexTest.testSanityCheck: recovery holds indexes against their log.


# Kafka: TimeIndexTest.testIsFull
def test_it_is_full_while_a_slot_is_left(index: TimeIndex) -> None:
    seen = [index.is_full]
    for number in range(1, MAX_ENTRIES):
        index.maybe_append(number * 10, BASE + number * 10)
        seen.append(index.is_full)
    assert seen == [False] * 29 + [True] and (index.entry_count, index.max_entry_count) == (29, 30)


def test_with_one_slot_it_is_full_while_empty(tmp_path: Path) -> None:
    with contextlib.closing(TimeIndex(tmp_path / "0.timeindex", 0, 23)) as index:
        assert index.is_full and index.entry_count == 0 and index.max_entry_count == 1
        with pytest.raises(IndexFullError, match="full with 0 entries"):
            index.maybe_append(1, 0)
        index.maybe_append(1, 0, skip_full_check=True)
        assert index.last_entry == (0, 1, 0)


# Kafka: TimeIndexTest.testLastEntry
def test_the_last_entry_has_a_default(index: TimeIndex) -> None:
    assert index.last_entry == (-1, -1, BASE)
    index.maybe_append(1, 1 + BASE)
    assert index.last_entry == (0, 1, BASE + 1)


# Kafka: TimeIndexTest.testResize
def test_resize_says_whether_the_length_changed(index: TimeIndex) -> None:
    assert not index.resize(MAX_ENTRIES * ENTRY_BYTES)
    assert index.resize(MAX_ENTRIES // 2 * ENTRY_BYTES)
    assert index.resize(MAX_ENTRIES * 2 * ENTRY_BYTES)
    filled(index, 40)
    assert index.resize(500) and index.length_bytes == 492
    assert index.last_entry == index.entry(39) == (39, 400, BASE + 400)


# Kafka: TimeIndexTest.testEntrySize
def test_an_entry_takes_twelve_bytes(index: TimeIndex) -> None:
    index.maybe_append(1, BASE)
    assert index.size_bytes == ENTRY_BYTES
    index.close()
    assert index.path.stat().st_size == ENTRY_BYTES


# Kafka: TimeIndexTest.testParseEntry
def test_an_entry_is_a_timestamp_and_a_relative_offset(index: TimeIndex) -> None:
    index.maybe_append(1, 1 + BASE)
    assert index.path.read_bytes()[: index.size_bytes].hex(" ", 4) == "00000000 00000001 00000001"
    assert index.entries().tolist() == [(1, 1)]
    reopened = TimeIndex(index.path, BASE, writable=False)
    assert reopened.entry(0) == (0, 1, BASE + 1)
    reopened.release()


# What is appended, and what is not


@pytest.mark.parametrize(
    ("timestamp", "offset", "is_added"),
    [
        pytest.param(10, BASE + 10, False, id="the same again"),
        pytest.param(10, BASE + 11, False, id="the same timestamp, a later offset"),
        pytest.param(11, BASE + 10, True, id="a later timestamp, the same offset"),
        pytest.param(10, 2**40, False, id="an offset that fits no entry, which is not asked for"),
    ],
)
def test_only_a_later_timestamp_is_an_entry(index: TimeIndex, timestamp: int, offset: int, is_added: bool) -> None:
    filled(index, 1).maybe_append(timestamp, offset)
    assert index.entry_count == 1 + is_added


@pytest.mark.parametrize("timestamp", [-1, -2])
def test_an_empty_index_takes_no_missing_timestamp(index: TimeIndex, timestamp: int) -> None:
    index.maybe_append(timestamp, BASE)
    assert index.entry_count == 0
    index.maybe_append(0, BASE)
    assert index.last_entry == (0, 0, BASE)


def test_timestamps_do_not_fall(index: TimeIndex) -> None:
    filled(index, 2)
    with pytest.raises(IndexOrderError, match="timestamp 19 lies below the last one, 20"):
        index.maybe_append(19, BASE + 30)
    with pytest.raises(IndexOrderError, match=f"offset {BASE + 19} lies below"):
        index.maybe_append(30, BASE + 19)
    index.maybe_append(30, BASE + 30)
    assert index.entries()["timestamp"].tolist() == [10, 20, 30]


@pytest.mark.parametrize("offset", [BASE - 1, BASE + MAX_INT32 + 1])
def test_what_is_refused_leaves_no_half_entry(index: TimeIndex, offset: int) -> None:
    """Kafka has put the timestamp by then, and every later append of that index fails."""
    with pytest.raises(OffsetOverflowError):
        index.maybe_append(5, offset)
    with pytest.raises(UsageError, match="timestamp 9223372036854775808 is above"):
        index.maybe_append(2**63, BASE)
    index.maybe_append(2**63 - 1, BASE + MAX_INT32)
    assert index.lookup(2**63 - 1) == (0, 2**63 - 1, BASE + MAX_INT32)


def test_equal_offsets_are_truncated_where_the_search_stops(index: TimeIndex) -> None:
    """Kafka's search as it is: of the offsets 3, 7, 7, 7 it meets the second 7 first, and the first one stays."""
    for timestamp, offset in ((1, 3), (2, 7), (3, 7), (4, 7)):
        index.maybe_append(timestamp, BASE + offset)
    index.truncate_to(BASE + 7)
    assert index.last_entry == (1, 2, BASE + 7)


def test_a_sealed_index_refuses_the_last_entry_too(index: TimeIndex) -> None:
    filled(index, 1)
    index.trim_to_valid_size()
    mode = index.path.stat().st_mode
    index.seal()
    with pytest.raises(IndexSealedError):
        index.maybe_append(20, BASE + 20, skip_full_check=True)
    assert index.path.stat().st_mode == mode and index.path.stat().st_size == ENTRY_BYTES


def test_an_append_that_failed_left_no_entry(tmp_path: Path) -> None:
    storage = FaultyStorage()
    index = filled(TimeIndex(tmp_path / "0.timeindex", BASE, 360, storage=storage), 2)
    assert [step.operation for step in storage.trace] == ["create", "truncate", "write", "write"]
    index.maybe_append(20, BASE + 25)
    assert len(storage.trace) == 4, "what is no entry is no write"
    storage.fault = Fault(5, errno.EIO, torn=True)
    with pytest.raises(OSError, match="Input/output"):
        index.maybe_append(2**50, BASE + 2**20)
    assert index.last_entry == (1, 20, BASE + 20)
    index.maybe_append(30, BASE + 30)
    index.close()
    with contextlib.closing(TimeIndex(index.path, BASE)) as again:
        assert again.entries().tolist() == [(10, 10), (20, 20), (30, 30)]


@given(
    steps=st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 50)), max_size=60),
    repeats=st.sampled_from([1, 1, 30]),
    targets=st.lists(st.integers(-5, 40_000), min_size=1),
)
def test_lookup_is_the_floor_of_a_sorted_map(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]], repeats: int, targets: list[int]
) -> None:
    """Beyond 682 entries the search asks the warm end first."""
    path = tmp_path_factory.mktemp("index") / "0.timeindex"
    with contextlib.closing(TimeIndex(path, BASE, (len(steps) * repeats + 2) * ENTRY_BYTES)) as index:
        timestamp, offset, model = -1, BASE, []
        for more_ms, more_offsets in steps * repeats:
            timestamp, offset = timestamp + more_ms, offset + more_offsets
            index.maybe_append(timestamp, offset)
            if more_ms:
                model.append((timestamp, offset))
        wanted = [*targets, *(known for known, _ in model[-3:]), timestamp + 1]
        found = [index.lookup(target) for target in wanted]
        for target, entry in zip(wanted, found, strict=True):
            number = sum(known <= target for known, _ in model) - 1
            assert entry == (number, *(model[number] if number >= 0 else (-1, BASE)))
        timestamps, offsets = index.lookup_many(wanted)
        assert list(zip(timestamps.tolist(), offsets.tolist(), strict=True)) == [entry[1:] for entry in found]
        assert index.last_entry[1:] == (model[-1] if model else (-1, BASE))

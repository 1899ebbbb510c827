"""The ordered map of segments: Kafka's LogSegmentsTest, one by one, then what a copy per change promises."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat.errors import UsageError
from kformat_engine.segments import LogSegments

MAX_INT32 = 2**31 - 1


@dataclass(eq=False)
class Piece:
    """As much of a segment as the map looks at."""

    base_offset: int
    size: int = 0
    folder: Path = Path("orders-0")
    done: list[str] = field(default_factory=list)

    def close(self) -> None:
        self.done.append("close")

    def release(self) -> None:
        self.done.append("release")

    def moved_to(self, folder: Path) -> None:
        self.folder = folder


def pieces(*base_offsets: int) -> list[Piece]:
    return [Piece(offset) for offset in base_offsets]


# Kafka: LogSegmentsTest.testBasicOperations
def test_segments_are_added_replaced_and_removed_by_base_offset() -> None:
    first, second, instead = pieces(40, 80, 40)
    segments: LogSegments[Piece] = LogSegments()
    assert not segments and len(segments) == 0

    assert segments.add(first) is None
    assert len(segments) == 1 and 40 in segments and segments.get(40) is first
    assert segments.add(second) is None
    assert len(segments) == 2 and 80 in segments and segments.get(80) is second

    assert segments.add(instead) is first
    assert len(segments) == 2 and segments.contains(40) and segments.get(40) is instead
    assert segments.remove(80) is second
    assert len(segments) == 1 and 80 not in segments and segments.get(80) is None
    assert segments.remove(80) is None

    segments.clear()
    assert not segments and not segments.contains(40) and segments.first is None and segments.last is None


# Kafka: LogSegmentsTest.testSegmentAccess
def test_first_last_active_and_ranges() -> None:
    segments: LogSegments[Piece] = LogSegments()
    all_four = one, two, three, four = pieces(1, 2, 3, 4)
    for segment in all_four:
        segments.add(segment)
        assert segments.first is one and segments.last is segment and segments.active is segment

    assert segments.base_offsets == (1, 2, 3, 4)
    assert list(segments) == list(segments.values()) == all_four
    with pytest.raises(UsageError, match="from 2 to 1"):
        segments.values(2, 1)
    assert segments.values(1, 1) == segments.values(4, 4) == ()
    assert segments.values(1, 2) == (one,)
    assert segments.values(1, 3) == (one, two)
    assert segments.values(1, 4) == (one, two, three)
    assert segments.values(2, 4) == (two, three)
    assert segments.values(3, 4) == (three,)
    assert segments.values(4, 5) == (four,)


# Kafka: LogSegmentsTest.testClosestMatchOperations
def test_floor_lower_and_higher() -> None:
    one, three, five, seven = pieces(1, 3, 5, 7)
    segments = LogSegments([seven, one, five, three])
    assert segments.floor(2) is one and segments.floor(3) is three and segments.floor(0) is None
    assert segments.lower(3) is one and segments.lower(4) is three and segments.lower(1) is None
    assert segments.higher(4) is five and segments.higher(5) is seven and segments.higher(7) is None


# Kafka: LogSegmentsTest.testHigherSegments
def test_all_higher_segments_in_order() -> None:
    all_five = pieces(1, 3, 5, 7, 9)
    segments = LogSegments(all_five)
    assert list(segments.higher_segments(0)) == all_five
    assert list(segments.higher_segments(1)) == all_five[1:]
    assert list(segments.higher_segments(8)) == all_five[4:]
    assert segments.higher_segments(9) == ()


# Kafka: LogSegmentsTest.testSizeForLargeLogs
def test_the_size_of_all_is_no_int32() -> None:
    segments = LogSegments([Piece(0, MAX_INT32)])
    assert segments.size_bytes == MAX_INT32
    segments.add(Piece(1, MAX_INT32))
    assert segments.size_bytes == 2 * MAX_INT32


# Kafka: LogSegmentsTest.testUpdateDir
def test_all_segments_hear_that_their_folder_was_renamed() -> None:
    """What a segment does with it is the segment's own test."""
    segments = LogSegments(pieces(1, 5))
    segments.moved_to(Path("renamed"))
    assert [segment.folder for segment in segments] == [Path("renamed")] * 2


def test_close_and_release_reach_all_segments() -> None:
    segments = LogSegments(pieces(1, 5))
    segments.close()
    segments.release()
    assert [segment.done for segment in segments] == [["close", "release"]] * 2


def test_an_empty_map_has_no_active_segment() -> None:
    segments: LogSegments[Piece] = LogSegments(name="orders-0")
    with pytest.raises(UsageError, match="orders-0: there is no segment"):
        segments.active  # noqa: B018
    assert segments.values(0, 5) == () and segments.floor(5) is None


OFFSETS = st.integers(0, 12)


@given(changes=st.lists(st.tuples(st.booleans(), OFFSETS)), start=OFFSETS, length=st.integers(0, 12))
def test_the_map_is_a_sorted_dictionary(changes: list[tuple[bool, int]], start: int, length: int) -> None:
    segments: LogSegments[Piece] = LogSegments()
    model: dict[int, Piece] = {}
    for adds, offset in changes:
        if adds:
            piece = Piece(offset)
            assert segments.add(piece) is model.get(offset)
            model[offset] = piece
        else:
            assert segments.remove(offset) is model.pop(offset, None)
    offsets = sorted(model)
    assert segments.base_offsets == tuple(offsets) and list(segments) == [model[offset] for offset in offsets]
    for offset in range(-1, 14):
        below, above = [o for o in offsets if o < offset], [o for o in offsets if o > offset]
        assert segments.get(offset) is model.get(offset)
        assert segments.lower(offset) is (model[below[-1]] if below else None)
        assert segments.higher(offset) is (model[above[0]] if above else None)
        assert segments.floor(offset) is model.get(offset, segments.lower(offset))
        assert segments.higher_segments(offset) == tuple(model[o] for o in above)
    end = start + length
    floor = max((o for o in offsets if o <= start), default=start)
    expected = [model[o] for o in offsets if floor <= o < end] if length else []
    assert list(segments.values(start, end)) == expected


def test_an_iteration_sees_the_map_as_it_was_when_it_began() -> None:
    one, two = pieces(1, 2)
    segments = LogSegments([one, two])
    iteration = iter(segments)
    assert next(iteration) is one
    segments.remove(2)
    segments.add(Piece(3))
    assert list(iteration) == [two]


def test_readers_beside_a_writer_never_see_half_a_change() -> None:
    """A log that rolls at its end and is cut at its start: each look finds base offsets without a hole."""
    segments = LogSegments(pieces(*range(20)))
    wrong: list[tuple[int, ...]] = []
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            for found in (tuple(segments), segments.values(5, 4000), segments.higher_segments(10)):
                seen = tuple(segment.base_offset for segment in found)
                if not seen or seen != tuple(range(seen[0], seen[-1] + 1)):
                    wrong.append(seen)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for offset in range(20, 3000):
        segments.add(Piece(offset))
        segments.remove(offset - 20)
    is_over.set()
    for reader in readers:
        reader.join()
    assert not wrong


def test_changes_of_several_threads_are_all_kept() -> None:
    segments: LogSegments[Piece] = LogSegments()
    writers = [
        threading.Thread(target=lambda start=start: [segments.add(Piece(o)) for o in range(start, 2000, 4)])
        for start in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert segments.base_offsets == tuple(range(2000))

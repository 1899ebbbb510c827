"""The segments of a log in order: a map from base offset to segment with floor, lower and higher (LogSegments).

Kafka has a concurrent skip list here. This is a sorted tuple that each change replaces as a whole: a lookup in any
thread uses the current tuple and needs no lock, an iteration sees the map as it was when it began, and a lookup is a
binary search in C. A change costs a copy, which is negligible compared with the files that a new segment creates.
Changes of several threads take turns.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from kformat.errors import UsageError


class MappedSegment(Protocol):
    """The part of a segment that the map uses."""

    @property
    def base_offset(self) -> int: ...

    @property
    def size(self) -> int:
        """The size of its log in bytes."""

    def close(self) -> None: ...

    def release(self) -> None: ...


class MovableSegment(MappedSegment, Protocol):
    """A segment whose folder may be renamed."""

    def moved_to(self, folder: Path) -> None:
        """Note that its files lie in this folder now."""


SegmentT = TypeVar("SegmentT", bound=MappedSegment)
MovableT = TypeVar("MovableT", bound=MovableSegment)


class _Snapshot(NamedTuple, Generic[SegmentT]):
    """Base offsets and segments, which are always replaced together."""

    base_offsets: tuple[int, ...]
    segments: tuple[SegmentT, ...]

    def at(self, number: int) -> SegmentT | None:
        return self.segments[number] if 0 <= number < len(self.segments) else None


class LogSegments(Generic[SegmentT]):
    """An ordered map from base offset to segment; ``name`` is the partition's, for messages.

    Attributes:
        last: the segment with the largest base offset; None if there is none.

    Lookups return None if there is no such segment. Methods that return several return a tuple, in the order of base
    offsets.
    """

    def __init__(self, segments: Iterable[SegmentT] = (), *, name: str = "") -> None:
        self.name = name
        self._lock = threading.Lock()
        by_offset = {segment.base_offset: segment for segment in segments}
        self._replace(tuple(sorted(by_offset)), tuple(by_offset[offset] for offset in sorted(by_offset)))

    def _replace(self, base_offsets: tuple[int, ...], segments: tuple[SegmentT, ...]) -> None:
        self._now = _Snapshot(base_offsets, segments)
        self.last: SegmentT | None = segments[-1] if segments else None

    # Changing

    def add(self, segment: SegmentT) -> SegmentT | None:
        """Add a segment; returns the one with its base offset that it replaces, if there was one."""
        with self._lock:
            offsets, segments = self._now
            number = bisect_left(offsets, segment.base_offset)
            after = bisect_right(offsets, segment.base_offset)
            self._replace(
                (*offsets[:number], segment.base_offset, *offsets[after:]),
                (*segments[:number], segment, *segments[after:]),
            )
            return segments[number] if after > number else None

    def remove(self, base_offset: int) -> SegmentT | None:
        """Remove and return the segment with this base offset; None if there is none."""
        with self._lock:
            offsets, segments = self._now
            number = bisect_left(offsets, base_offset)
            after = bisect_right(offsets, base_offset)
            self._replace(offsets[:number] + offsets[after:], segments[:number] + segments[after:])
            return segments[number] if after > number else None

    def clear(self) -> None:
        """Remove all segments; they are not closed."""
        with self._lock:
            self._replace((), ())

    # Looking up

    def get(self, base_offset: int) -> SegmentT | None:
        """The segment with this base offset."""
        now = self._now
        number = bisect_left(now.base_offsets, base_offset)
        segment = now.at(number)
        return segment if segment is not None and now.base_offsets[number] == base_offset else None

    def __contains__(self, base_offset: int) -> bool:
        return self.contains(base_offset)

    def contains(self, base_offset: int) -> bool:
        """Whether a segment has this base offset."""
        return self.get(base_offset) is not None

    def floor(self, offset: int) -> SegmentT | None:
        """The segment with the largest base offset not above ``offset``."""
        now = self._now
        return now.at(bisect_right(now.base_offsets, offset) - 1)

    def lower(self, offset: int) -> SegmentT | None:
        """The segment with the largest base offset below ``offset``."""
        now = self._now
        return now.at(bisect_left(now.base_offsets, offset) - 1)

    def higher(self, offset: int) -> SegmentT | None:
        """The segment with the smallest base offset above ``offset``."""
        now = self._now
        return now.at(bisect_right(now.base_offsets, offset))

    def higher_segments(self, offset: int) -> tuple[SegmentT, ...]:
        """The segments with a base offset above ``offset``."""
        now = self._now
        return now.segments[bisect_right(now.base_offsets, offset) :]

    @property
    def first(self) -> SegmentT | None:
        """The segment with the smallest base offset."""
        return self._now.at(0)

    @property
    def active(self) -> SegmentT:
        """The last segment, to which appends go; UsageError if the map is empty (NoSuchElementException)."""
        segments = self._now.segments
        if not segments:
            raise UsageError(f"{self.name}: there is no segment".removeprefix(": "))
        return segments[-1]

    def values(self, start: int | None = None, end: int | None = None) -> tuple[SegmentT, ...]:
        """All segments; with bounds, those that may hold offsets from ``start`` to ``end`` (exclusive).

        The first one is the floor of ``start``, or else the first of all. None if ``start`` equals ``end``; UsageError
        if it is above.
        """
        now = self._now
        if start is not None and end is not None and start >= end:
            if start > end:
                raise UsageError(f"{self.name}: no segments from {start} to {end}, which is less".removeprefix(": "))
            return ()
        first = 0 if start is None else max(0, bisect_right(now.base_offsets, start) - 1)
        stop = len(now.segments) if end is None else bisect_left(now.base_offsets, end)
        return now.segments[first:stop]

    @property
    def base_offsets(self) -> tuple[int, ...]:
        """The base offsets, ascending."""
        return self._now.base_offsets

    @property
    def size_bytes(self) -> int:
        """The total size of all logs in bytes."""
        return sum(segment.size for segment in self._now.segments)

    def __len__(self) -> int:
        return len(self._now.segments)

    def __iter__(self) -> Iterator[SegmentT]:
        return iter(self._now.segments)

    # All of them

    def moved_to(self: LogSegments[MovableT], folder: Path) -> None:
        """Set the new path of all segments' folder, which was renamed (updateParentDir)."""
        for segment in self:
            segment.moved_to(folder)

    def close(self) -> None:
        """Close all segments."""
        for segment in self:
            segment.close()

    def release(self) -> None:
        """Close all segments' files as they are (closeHandlers)."""
        for segment in self:
            segment.release()

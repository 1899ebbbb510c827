"""Read on after damage: determine which bytes are skipped, and which offsets may be missing as a result.

Rules:

* Damage is skipped to the end of its batch if the framing gives that end, or to a proved batch before it, wherever one
  begins (`evidence`); without an end, to the next entry of the offset index at which a batch begins, or to a proved
  batch before that, or to the end of the segment.
* Records before the damage were already yielded, also those of the damaged batch.
* Nothing is skipped silently: each stretch is reported as a `Skipped`. Its offsets are those that may be missing: from
  the one after the last readable offset to the next readable one. If no record can be missing, the range is empty.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from typing import Final, NamedTuple, Protocol, TypeVar

import numpy as np

from kformat.errors import ChecksumError, DataError, TruncatedError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batches import read_batch, sound_batch
from kformat.kafka.evidence import Content, Lost, Offsets, find_batches
from kformat.kafka.framing import MAX_LOG_BYTES, Frame, Walk
from kformat.kafka.index_trust import Indexes
from kformat.storage.byte_source import ByteSource

ON_CORRUPT: Final = ("error", "skip", "report")
"""What to do about damage: raise it, skip it, or skip it and log a warning."""

LOG: Final = logging.getLogger("kformat")
Item = TypeVar("Item")


class Skipped(NamedTuple):
    """A skipped stretch of a segment file.

    Attributes:
        source: the file.
        position, end_position: in bytes, the second exclusive.
        start_offset, end_offset: of the records that may be missing, the second exclusive; None if unknown.
        problem: why the bytes cannot be read.
    """

    source: str
    position: int
    end_position: int
    start_offset: int | None
    end_offset: int | None
    problem: DataError

    @property
    def size_bytes(self) -> int:
        """How many bytes were skipped."""
        return self.end_position - self.position

    @property
    def offsets_count(self) -> int | None:
        """How many offsets may be missing; None if unknown."""
        if self.start_offset is None or self.end_offset is None:
            return None
        return max(0, self.end_offset - self.start_offset)

    @property
    def offsets(self) -> str:
        """The offsets as text: ``offsets 5-9``."""
        if self.offsets_count == 0:
            return "no offsets"
        if self.start_offset is None and self.end_offset is None:
            return "offsets unknown"
        if self.end_offset is None:
            return f"offsets from {self.start_offset} on"
        first = "" if self.start_offset is None else f"{self.start_offset}-"
        return f"offsets {first or 'up to '}{self.end_offset - 1}"

    def __str__(self) -> str:
        what = str(self.problem).removeprefix(self.problem.place).lstrip(" :")
        return f"{self.source}: positions {self.position}-{self.end_position - 1}, {self.offsets}: {what}"


OnSkipped = Callable[[Skipped], object]
"""A callback for each skipped stretch."""


class SegmentFiles(Protocol):
    """The files of a segment whose log is damaged."""

    @property
    def base_offset(self) -> int: ...
    def indexes(self) -> Indexes: ...


class Damaged:
    """A segment's log, read on after damage.

    Args:
        source: the log.
        segment: called to get the segment's base offset and its indexes when they are needed.
        end: reading ends at this position.
        following: the base offset of the next segment; None if there is none.
    """

    def __init__(
        self,
        source: ByteSource,
        segment: Callable[[], SegmentFiles],
        end: int | None = None,
        following: int | None = None,
    ) -> None:
        self.source, self.segment, self.following = source, segment, following
        self.end = source.size if end is None else min(end, source.size)
        self._reached: tuple[int, int] | None = None
        """The last position where reading resumed, and the offset expected there."""

    def behind(self, problem: DataError, start: int) -> tuple[int | None, Skipped, bool]:
        """Where to resume after an error in a read from ``start`` on, None if nothing follows; what is skipped; and
        whether that is an incomplete batch, like the last one while a writer appends it.
        """
        walk, before = Walk(self.source, start, self.end), None
        bad: Frame | None = None
        for frame in walk:
            if problem.position is None or problem.position < frame.position + frame.size:
                bad = frame
                break
            before = frame
        position = walk.position if bad is None else bad.position
        first = self._first_missing(problem, bad, before, position)
        behind = self._entry_behind(position) if bad is None else bad.position + bad.size
        proved = self._proved_behind(position, first, isinstance(walk.problem, TruncatedError) and bad is None)
        if behind is None or (proved is not None and proved < behind):
            behind = proved
        if behind is not None and behind >= self.end:
            behind = None
        following = None if behind is None else self._first_offset(behind)
        if following is None and bad is not None and _is_plausible(bad, first):
            following = bad.last_offset + 1
        elif following is None and behind is None:
            following = self.following
        end = self.end if behind is None else behind
        if behind is not None and following is not None:
            self._reached = (behind, following)
        skipped = Skipped(self.source.name, position, end, first, following, problem)
        is_cut = bad is None and behind is None and isinstance(walk.problem, TruncatedError)
        return behind, skipped, is_cut

    def _first_missing(self, problem: DataError, bad: Frame | None, before: Frame | None, position: int) -> int | None:
        """The offset after the last readable one."""
        if bad is not None and not isinstance(problem, ChecksumError):
            last = self._last_read(bad)
            if last is not None:
                return last + 1
        if before is not None and before.last_offset >= 0:
            return before.last_offset + 1
        if self._reached is not None and self._reached[0] == position:
            return self._reached[1]
        if position == 0:
            return self.segment().base_offset
        return bad.base_offset if bad is not None and _is_plausible(bad, None) else None

    def _last_read(self, bad: Frame) -> int | None:
        """The offset of the last readable record of a damaged batch."""
        last = None
        try:
            for record in read_batch(self.source, bad).records():
                last = record.offset
        except DataError:
            pass
        return last

    def _first_offset(self, position: int) -> int | None:
        """The first offset of the sound batch at a position; None if there is none."""
        batch = sound_batch(self.source, next(Walk(self.source, position, self.end), None))
        try:
            return None if batch is None else batch.base_offset
        except DataError:
            return None

    def _proved_behind(self, position: int, first_offset: int | None, is_cut: bool) -> int | None:
        """Where the first proved batch after a position begins, as stored, with an offset that fits to those after it.

        If the bytes end in a batch, they may be all that there is of it, and what is found a part of its value: so
        batches have to follow each other up to the end then.
        """
        try:
            known = self.segment().indexes().offset_entries["position"]
        except DataError:
            known = np.empty(0, np.int64)
        behind = None
        end = min(self.end, MAX_LOG_BYTES)  # an archive may say that a file has 2^50 bytes
        for item in find_batches(
            self.source, position, end, known=known, weakest=Content.STRUCTURAL, end_offset=self.following
        ):
            if isinstance(item, Lost):
                if behind is not None and is_cut:
                    behind = None
            elif item.position == position:
                is_cut = False  # its length was wrong
            elif behind is None and item.is_as_stored:
                fits = first_offset is None or first_offset <= item.base_offset
                if item.content is Content.PROVED and item.offsets is Offsets.STORED and fits:
                    behind = item.position
            if behind is not None and not is_cut:
                break
        return behind

    def _entry_behind(self, position: int) -> int | None:
        """The first entry of the offset index after a position at which a batch begins."""
        try:
            positions = self.segment().indexes().offset_entries["position"].astype(np.int64)
        except DataError:
            return None
        for found in positions[(positions > position) & (positions < self.end)].tolist():
            if next(Walk(self.source, found, self.end), None) is not None:
                return int(found)
        return None

    def read(
        self,
        read: Callable[[int], Generator[Item, None, bool]],
        start: int,
        on_skipped: OnSkipped | None,
        *,
        is_open: bool = False,
    ) -> Generator[Item, None, bool]:
        """Yield from ``read`` at a position, and again after each stretch of damage.

        ``on_skipped`` is called with each stretch; without it the damage is raised. If the log ``is_open``, another
        process may be writing to it, and an incomplete batch at its end is skipped without a report.
        """
        position: int | None = start
        while position is not None:
            try:
                return (yield from read(position))
            except DataError as error:
                if on_skipped is None and not is_open:
                    raise
                behind, skipped, is_cut = self.behind(error, position)
                if not (is_cut and is_open):
                    if on_skipped is None:
                        raise
                    on_skipped(skipped)
                position = behind
        return False


def passing_over(how: str, on_skipped: OnSkipped | None = None, log: logging.Logger = LOG) -> OnSkipped | None:
    """The callback for skipped stretches; None if damage is an error.

    Args:
        how: of `ON_CORRUPT`; with ``report`` a warning is logged for each stretch.
        on_skipped: is also called; ``list.append`` works.

    Raises UsageError for a value that is not in `ON_CORRUPT`.
    """
    if how not in ON_CORRUPT:
        raise UsageError(f"no on_corrupt {how!r}; there are {', '.join(ON_CORRUPT)}")

    def passed(skipped: Skipped) -> None:
        if how == "report":
            context = {"source": skipped.source, "position": str(skipped.problem.position)}
            log.warning("%s", skipped, extra={"context": context})
        if on_skipped is not None:
            on_skipped(skipped)

    return None if how == "error" else passed


def _is_plausible(frame: Frame, first_offset: int | None) -> bool:
    """Whether the offsets of a damaged frame may still be the original ones."""
    least = 0 if first_offset is None else first_offset
    return least <= frame.base_offset <= frame.last_offset <= frame.base_offset + MAX_INT32


__all__ = ["ON_CORRUPT", "Damaged", "OnSkipped", "Skipped", "passing_over"]

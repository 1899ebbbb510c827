"""Read on after damage: what can be saved of a damaged log is read, and what is passed over is reported.

Rules:

* Only if damage is met, or the headers show that offsets are not in order, is it looked for what can be saved
  (`saved_ranges`). From there on exactly the batches are read that `kformat.salvage` writes by default, as it restores
  them.
* Records before the damage were already yielded, also those of a batch whose checksum holds and whose records do not:
  of such a batch the rest is passed over.
* Nothing is passed over silently: each stretch is reported as a `Skipped`. Its offsets are those that may be missing:
  from the one after the last readable offset to the next readable one. If no record can be missing, the range is empty.
  A batch that was restored is reported, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from kformat.columns.skipped import OnSkipped, Skipped
from kformat.errors import ChecksumError, DataError, InvalidError, TruncatedError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import is_room, iter_batch_headers, read_batch, sound_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MAX_LOG_BYTES, Frame, Walk
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.damage.evidence import Content, FoundBatch, Offsets, find_batches
from kformat.kafka.damage.saved_ranges import (
    UNREADABLE,
    PatientSource,
    SavedRange,
    SegmentFilesLike,
    entries_in_order,
    held_batches,
    known_positions,
    patches_of,
    ranges_of,
    saved_in_order,
)
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource, patched

_BASE_OFFSET: Final = layout("record_batch").reader("base_offset")
Item = TypeVar("Item")
Read = Callable[[ByteSource, int, int], Generator[Item, None, bool]]
"""Reads a log between two positions; returns whether all that is wanted was read."""


class _Plan(NamedTuple):
    """What is read of a damaged log: pieces in the order of their offsets, by position and end position; the bytes that
    are restored in them, by position; and the stretches to report.
    """

    pieces: list[tuple[int, int]]
    patches: list[tuple[int, bytes]]
    skipped: list[Skipped]


def position_of(
    problem: DataError | OSError, source: ByteSource, start: int, end: int
) -> tuple[int, Frame | None, bool]:
    """Locate an error of a read between two positions: where the unreadable batch begins, its frame if its framing is
    sound, and whether it is incomplete, like the last one while a writer appends it.
    """
    walk = Walk(PatientSource(source), start, end)
    at = problem.position if isinstance(problem, DataError) else None
    for frame in walk:
        if isinstance(problem, DataError) and (at is None or at < frame.position + frame.size):
            return frame.position, frame, False
    return walk.position, None, isinstance(walk.problem, TruncatedError)


class DamagedLog:
    """A segment's log, read on after damage.

    Args:
        source: the log.
        find_segments: called to get the segment's files and those of the next segment, if there is one, once they are
            needed.
        end: reading ends at this position.
    """

    def __init__(
        self,
        source: ByteSource,
        find_segments: Callable[[], tuple[SegmentFilesLike, SegmentFilesLike | None]],
        end: int | None = None,
    ) -> None:
        self.source, self._find_segments = source, find_segments
        self.end = source.size if end is None else min(end, source.size)

    @cached_property
    def _segments(self) -> tuple[SegmentFilesLike, SegmentFilesLike | None]:
        return self._find_segments()

    def read(
        self, read: Read[Item], start: int, on_skipped: OnSkipped | None, *, is_open: bool = False
    ) -> Generator[Item, None, bool]:
        """Yield what ``read`` yields from a position on, and go on after damage.

        ``on_skipped`` is called with each stretch; without it the damage is raised. If the log ``is_open``, another
        process may be writing to it, and an incomplete batch at its end is skipped without a report.
        """
        if on_skipped is not None and not self.is_in_order():
            return (yield from self._read_planned(read, start, on_skipped, is_open))
        try:
            return (yield from read(self.source, start, self.end))
        except (DataError, OSError) as error:
            if is_open and self.is_unfinished(error, start):
                return False
            at, frame, _ = position_of(error, self.source, start, self.end)
            if on_skipped is None or (isinstance(error, OSError) and error.errno not in UNREADABLE):
                raise
            position = self._after_records(error, at, frame, on_skipped)
        return (yield from self._read_planned(read, position, on_skipped, is_open))

    def is_unfinished(self, error: DataError | OSError, start: int) -> bool:
        """Whether reading from a position on failed at an incomplete batch that no batch comes after."""
        at, _, is_cut = position_of(error, self.source, start, self.end)
        return is_cut and not self._goes_on(at)

    def _read_planned(
        self, read: Read[Item], start: int, on_skipped: OnSkipped, is_open: bool
    ) -> Generator[Item, None, bool]:
        """Read what is planned between ``start`` and the end."""
        plan = self._plan()
        source, reports = patched(self.source, plan.patches), _Reports(plan, start, is_open)
        for begin, stop in plan.pieces:
            position, end = max(begin, start), min(stop, self.end)
            while position < end:
                for skipped in reports.before(position):
                    on_skipped(skipped)
                try:
                    if (yield from read(source, position, end)):
                        return True
                    break
                except DataError as error:
                    at, frame, _ = position_of(error, source, position, end)
                    if frame is None:  # the file was changed meanwhile
                        on_skipped(Skipped(source.name, at, end, None, None, error))
                        break
                    position = self._after(error, frame, on_skipped)
        for skipped in reports.before(self.end):
            on_skipped(skipped)
        return False

    def _after_records(
        self, problem: DataError | OSError, position: int, frame: Frame | None, on_skipped: OnSkipped
    ) -> int:
        """Where to go on after an error: where the batch begins, or after it if records of it were read already."""
        if frame is None or not isinstance(problem, DataError) or self._is_unread(problem, frame):
            return position
        return self._after(problem, frame, on_skipped)

    def _is_unread(self, problem: DataError, frame: Frame) -> bool:
        """Whether an error came before the records of a batch: its checksum comes before these."""
        if problem.inflated_position is not None or problem.position is None:
            return False
        is_in_header = problem.position < frame.position + HEADER_BYTES
        return isinstance(problem, ChecksumError) or (is_in_header and sound_batch(self.source, frame) is None)

    def _after(self, problem: DataError, frame: Frame, on_skipped: OnSkipped) -> int:
        """Pass over the rest of a batch of which the first records were read."""
        position, end, last = frame.position, frame.position + frame.size, None
        try:
            for record in read_batch(self.source, frame).records():
                last = record.offset
        except DataError:
            pass
        first = frame.base_offset if last is None else last + 1
        on_skipped(Skipped(self.source.name, position, end, first, frame.last_offset + 1, problem))
        return end

    def _goes_on(self, position: int) -> bool:
        """Whether there are batches from an incomplete one on, so that its length is wrong."""
        segment, following = self._segments
        end_offset = None if following is None else following.base_offset
        items = find_batches(
            PatientSource(self.source),
            position,
            min(self.end, MAX_LOG_BYTES),
            known=known_positions(segment),
            weakest=Content.CORRECTED,
            base_offset=segment.base_offset,
            end_offset=end_offset,
            entries=entries_in_order(segment),
        )
        found = [item.offsets for item in items if isinstance(item, FoundBatch)]
        if not found or any(offsets is not Offsets.UNKNOWN for offsets in found):
            return bool(found)
        return any(stop > position for _, stop in self._plan().pieces)  # what is around them may place them

    def is_in_order(self) -> bool:
        """Whether the framing is sound up to the end, and batches have the offsets that are expected."""
        is_ordered, cut_at = _of_segments(_order, self.source, *self._segments)
        return is_ordered and (cut_at is None or not self._goes_on(cut_at))

    def _plan(self) -> _Plan:
        return _of_segments(_planned, self.source, *self._segments)


class _Reports:
    """The stretches of a plan that begin at a position or after it, and were not reported yet."""

    def __init__(self, plan: _Plan, start: int, is_open: bool) -> None:
        self._left = [skipped for skipped in reversed(plan.skipped) if skipped.position >= start]
        self._is_open = is_open

    def before(self, position: int) -> Iterator[Skipped]:
        """Yield those that begin before a position, but for an incomplete batch at the end of an open log."""
        while self._left and self._left[-1].position < position:
            skipped = self._left.pop()
            if not (self._is_open and not self._left and isinstance(skipped.problem, TruncatedError)):
                yield skipped


Judge = Callable[[ByteSource, SegmentFilesLike, SegmentFilesLike | None], Item]
"""Judges a log by the segment's files and the next one's."""


def _of_segments(
    judge: Judge[Item], source: ByteSource, segment: SegmentFilesLike, following: SegmentFilesLike | None
) -> Item:
    """Judge a log. The result is cached for a file on this machine until that changes: parts of one log are often read
    one after the other."""
    try:
        status = os.stat(segment.log)
    except (OSError, TypeError, ValueError):
        return judge(source, segment, following)
    made: Item = _remembered(judge, segment, following, status.st_size, status.st_mtime_ns)
    return made


@lru_cache(maxsize=16)
def _remembered(
    judge: Judge[Any], segment: SegmentFilesLike, following: SegmentFilesLike | None, size: int, time_ns: int
) -> Any:
    """``size`` and ``time_ns`` are of the log: another file has others."""
    with ByteSource(segment.log) as source:
        return judge(source, segment, following)


def _order(
    source: ByteSource, segment: SegmentFilesLike, following: SegmentFilesLike | None
) -> tuple[bool, int | None]:
    """Whether the framing is sound, and batches have the offsets that `kformat.kafka.damage.placing` expects, by their
    headers; and where the last one begins if it is incomplete. It may be False for a sound log, too."""
    last_position = 0
    least, magic, most = segment.base_offset, 0, segment.base_offset + MAX_INT32 + 1
    most = most if following is None else min(most, following.base_offset)
    if source.size > MAX_LOG_BYTES:
        return True, None
    for headers in iter_batch_headers(source):
        if len(headers):
            last = headers.last_offset
            first = np.where(headers.magic < CURRENT_MAGIC, last, headers.base_offset)
            for row in np.flatnonzero((headers.magic < CURRENT_MAGIC) & (headers.compression != 0)).tolist():
                position, size = int(headers.position[row]), int(headers.size[row])
                try:
                    more = LegacyBatch(source.read_at(position, size), position, source.name).records_count - 1
                except DataError:
                    return False, None
                if first[row] < more:
                    return False, None
                first[row] -= more
            lowest = np.concatenate(([least], last[:-1] + 1))
            magics = np.concatenate(([magic], headers.magic))
            if (first < lowest).any() or (last < first).any() or (last >= most).any() or (np.diff(magics) < 0).any():
                return False, None
            least, magic = int(last[-1]) + 1, int(headers.magic[-1])
        if len(headers):
            last_position = int(headers.position[-1])
        if isinstance(headers.problem, TruncatedError):
            # Where bytes are missing in a batch, its length may lead to what looks like the start of another one.
            frame = next(Walk(source, last_position, headers.valid_bytes), None)
            return frame is None or sound_batch(source, frame) is not None, headers.valid_bytes
        if headers.problem is not None:
            if not is_room(source, headers.valid_bytes):
                return False, None
            if held_batches(source, segment, following, headers.valid_bytes, least):
                return False, None
    return True, None


def _planned(source: ByteSource, segment: SegmentFilesLike, following: SegmentFilesLike | None) -> _Plan:
    """Plan what is read of a damaged log."""
    plan, waiting = _Plan([], [], []), list[SavedRange]()
    patient, ranges = PatientSource(source), ranges_of(segment, following)
    next_offset: int | None = segment.base_offset
    ends = [None if following is None else following.base_offset]
    for made in reversed(ranges):
        ends.append(made.first_offset if made.outcome == "saved" and not made.is_displaced else ends[-1])
    for number, made in enumerate(ranges, 1):
        if made.outcome not in ("saved", "room"):
            waiting.append(made)
            continue
        if waiting:
            plan.skipped.append(_skipped(patient, waiting, next_offset, ends[-number]))
            waiting = []
        if made.outcome == "room":
            continue
        if made.found is not None:
            plan.patches.extend(patches_of(made, patient))
            plan.skipped.append(_skipped(patient, [made], made.first_offset, made.first_offset))
        if not made.is_displaced:
            next_offset = None if made.last_offset is None else made.last_offset + 1
    if waiting:
        plan.skipped.append(_skipped(patient, waiting, next_offset, ends[0]))
    for made in saved_in_order(ranges):
        if plan.pieces and plan.pieces[-1][1] == made.position:
            plan.pieces[-1] = (plan.pieces[-1][0], made.end_position)
        else:
            plan.pieces.append((made.position, made.end_position))
    return plan


def _skipped(source: PatientSource, ranges: list[SavedRange], first: int | None, end: int | None) -> Skipped:
    """The report of ranges that follow each other."""
    position, end_position = ranges[0].position, ranges[-1].end_position
    lost = [made for made in ranges if made.outcome == "lost"]
    if lost:
        first, end = lost[0].first_offset, None if lost[-1].last_offset is None else lost[-1].last_offset + 1
    restored = ranges[0].reason if ranges[0].outcome == "saved" else ""
    return Skipped(source.name, position, end_position, first, end, _problem(source, ranges[0]), restored)


def _problem(source: PatientSource, made: SavedRange) -> DataError:
    """Why the first batch of a range cannot be read as it is stored."""
    walk = Walk(source, made.position, source.size)
    try:
        frame = next(walk, None)
        if frame is not None:
            read_batch(source, frame).parse()
        elif walk.problem is not None:
            return walk.problem
    except DataError as error:
        return error
    except OSError as error:
        return InvalidError(str(error), source=source.name, position=made.position)
    if made.found is None:
        return InvalidError(made.reason or "no batch can be proved", source=source.name, position=made.position)
    return InvalidError(
        "the offset does not fit to the batches around it",
        source=source.name,
        position=made.position,
        path="record_batch.base_offset",
        expected=made.first_offset if made.outcome == "saved" else None,
        found=_BASE_OFFSET(source.read_at(made.position, FRAME_BYTES), 0),
    )


__all__ = ["DamagedLog", "position_of"]

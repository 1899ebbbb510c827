"""Choose among the copies of a partition, each damaged elsewhere: every batch that is sound in any of them, in order.

Rules:

* What can be saved of each copy is found first, as for one alone (`kformat.kafka.damage.saved_ranges`).
* A batch that is unanchored in one copy is anchored where the batches of all copies lead to its position.
* Batches with the same last offset, size and checksum are the same one. It is taken from the copy before it in the new
  log, if that has it, and as it is stored, if it is so anywhere.
* A leader appends after all of the epochs before its own (KIP-101). So where a batch of an epoch begins, all batches
  of lower epochs from there on, in whichever copy, were never committed: they are in conflict, and left out. No
  checksum covers the epoch of a batch. Where copies of one batch disagree, the one that most have counts, or the lowest
  that follows the batches before it; and an epoch that only one batch of one copy has, and no copy's
  leader-epoch-checkpoint, refuses no other batch.
* Batches of a copy that are, with the very same bytes, within a batch of another copy are values in it, or messages of
  a wrapper: they are in conflict with that batch.
* Of batches with one last offset that differ, compaction has made one of the other if one has fewer records, or a
  horizon for deletes: the one with more is taken, and compaction will come again. All else is a conflict, of which the
  batch of more copies is taken, then that of the copy named first. Batches are never cut or mixed.
* Records may be missing where one copy has lost bytes and no other shows that there are none. Bytes that are lost at
  the end of a copy held nothing more than what is saved from there on if that has exactly their size.
* The new logs begin where those of the copy begin of which most is saved, also its empty ones.

Memory: a `SavedRange` for each change from one copy to another, and one batch's header of each copy.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kformat.errors import DataError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import legacy_header, read_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, Walk
from kformat.kafka.batch.framing import last_offset as last_offset_of
from kformat.kafka.damage.evidence import Content
from kformat.kafka.damage.missing import Offsets
from kformat.kafka.damage.saved_ranges import (
    Outcome,
    PatientSource,
    SavedRange,
    last_time_offset,
    ranges_of,
    saved_in_order,
)
from kformat.kafka.files.checkpoints import named_end
from kformat.kafka.files.text_files import EpochEntry
from kformat.kafka.log.partition import Partition, Segment
from kformat.language.layout import layout
from kformat.salvage.saving import NewLog
from kformat.storage.address import size_of
from kformat.storage.byte_source import ByteSource
from kformat.storage.plain_file import named

_LAYOUT: Final = layout("record_batch")
_BASE_OFFSET = _LAYOUT.reader("base_offset")
_EPOCH = _LAYOUT.reader("partition_leader_epoch")
_CRC = _LAYOUT.reader(_LAYOUT.checksum()[1])
_RECORDS_COUNT = _LAYOUT.reader("records_count")
_ATTRIBUTES = _LAYOUT.reader("attributes")
_BITS = _LAYOUT.bits("attributes")
_GRADES: Final = tuple(Content)
_NO_EPOCH: Final = -1
_ENDLESS: Final = 1 << 63


@dataclass
class Copy:
    """A folder of a partition: its logs, each with its ranges. ``unread``: why logs could not be read; of such a log
    all bytes are lost."""

    partition: Partition
    segments: list[tuple[Segment, list[SavedRange]]]
    unread: list[OSError] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Its path, and all ranges by log."""
        logs = [
            {"file": segment.name, "ranges": [made.as_dict() for made in ranges]} for segment, ranges in self.segments
        ]
        return {"path": str(self.partition.folder), "logs": logs}


def read_copy(
    partition: Partition,
    content: str,
    *,
    place_unanchored: bool = False,
    starts: Mapping[int, frozenset[int]] = MappingProxyType({}),
) -> Copy:
    """What can be saved of a folder.

    ``starts``: positions at which batches begin in the logs of other copies, by base offset.
    """
    copy = Copy(partition, [])
    for segment, following in zip_longest(partition.segments, partition.segments[1:]):
        known = starts.get(segment.base_offset, frozenset())
        try:
            ranges = ranges_of(segment, following, content, place_unanchored=place_unanchored, starts=known)
        except OSError as error:
            copy.unread.append(named(error, segment.log))
            reason = f"the log cannot be read: {error.strerror or error}"
            ranges = [SavedRange(0, size_of(segment.log), "lost", reason=reason)]
        copy.segments.append((segment, ranges))
    return copy


def read_copies(partitions: Sequence[Partition], content: str, *, place_unanchored: bool = False) -> list[Copy]:
    """What can be saved of each copy. A batch that is unanchored in one is the log's where the batches of all copies
    lead to its position without a byte between: replicas have the same bytes.
    """
    copies = [read_copy(partition, content) for partition in partitions]
    segments = [pair for copy in copies for pair in copy.segments]
    bases = {segment.base_offset for segment, ranges in segments if any(made.is_unanchored for made in ranges)}
    starts = {base: _reached(copies, base) for base in bases}
    for number, copy in enumerate(copies):
        if any(made.is_unanchored for _, ranges in copy.segments for made in ranges):
            copies[number] = read_copy(copy.partition, content, place_unanchored=place_unanchored, starts=starts)
    _yield_to_anchored(copies)
    return copies


def _reached(copies: Sequence[Copy], base_offset: int) -> frozenset[int]:
    """The positions to which anchored batches of the logs of one base offset lead, or others that follow these."""
    reached, following = {0}, dict[int, list[int]]()
    for copy in copies:
        for segment, ranges in copy.segments:
            if segment.base_offset != base_offset or not any(made.batches_count for made in ranges):
                continue
            with ByteSource(segment.log) as source:
                for made in ranges:
                    if made.is_unanchored:
                        following.setdefault(made.position, []).append(made.end_position)
                    elif made.outcome == "saved" and not made.is_displaced:
                        frames = Walk(PatientSource(source), made.position, made.end_position)
                        reached.update([made.position] if made.found else (frame.position for frame in frames))
                        reached.add(made.end_position)
    left = [position for position in following if position in reached]
    while left:
        for end in following[left.pop()]:
            if end not in reached:
                reached.add(end)
                left += [end] if end in following else []
    for position in sorted(following, reverse=True):  # and those from which batches lead to where anchored ones begin
        if any(end in reached for end in following[position]):
            reached.add(position)
    return frozenset(reached)


def _yield_to_anchored(copies: Sequence[Copy]) -> None:
    """Take the places from unanchored batches that have an offset of an anchored one in any copy."""
    saved = [made for copy in copies for _, ranges in copy.segments for made in ranges if made.outcome == "saved"]
    anchored_spans = _united(_span(made) for made in saved if not made.is_unanchored)
    for made in (made for made in saved if made.is_unanchored):
        if _common([_span(made)], anchored_spans):
            made.outcome, made.reason = "unplaced", "an anchored batch of one of the copies has its offsets"


def cut_off(copy: Copy) -> Iterator[tuple[int, int]]:
    """Yield ranges of offsets, first and last, that logs had once after all of their bytes, by the files next to them;
    the last log may have had more."""
    segments = [segment for segment, _ in copy.segments]
    for (segment, ranges), following in zip_longest(copy.segments, segments[1:]):
        if any(made.outcome in ("lost", "unplaced") for made in ranges[-1:]):
            continue
        offsets = [made.last_offset for made in saved_in_order(ranges)]
        next_offset = segment.base_offset if not offsets else (offsets[-1] or 0) + 1
        if following is None:
            end = named_end(segment.log)
            if next_offset < end:
                yield next_offset, end - 1
        elif next_offset < following.base_offset and last_time_offset(segment) >= next_offset:
            yield next_offset, following.base_offset - 1


def _span(made: SavedRange) -> tuple[int, int]:
    """First and end (exclusive) of the offsets of what is saved."""
    return made.first_offset or 0, (made.last_offset or 0) + 1


_Place = tuple[int, int, int]
"""A batch: its copy, the number of its segment in that, and its position."""


class _BatchOfCopy(NamedTuple):
    """A batch of a copy. Batches that are the same have equal `key_of`; they sort by last offset."""

    last: int
    size: int
    crc: int
    copy: int
    first: int
    epoch: int
    records_count: int
    has_horizon: bool
    segment: int
    position: int
    range: SavedRange

    def key_of(self) -> tuple[int, int, int]:
        """A key that is equal for batches that are the same."""
        return self[:3]

    @property
    def place(self) -> _Place:
        return self.copy, self.segment, self.position

    @property
    def grade(self) -> int:
        """The grade of its content; the best is 0."""
        return _GRADES.index(self.range.content or Content.PROVED)

    @property
    def is_plain(self) -> bool:
        """Whether it is saved as it is stored."""
        return self.range.found is None


class _CopiedBatch(NamedTuple):
    """A batch, and the copies that have it."""

    entries: list[_BatchOfCopy]
    epoch: int

    @property
    def first(self) -> int:
        return max(entry.first for entry in self.entries)

    @property
    def last(self) -> int:
        return self.entries[0].last


def _entries(copy: Copy, number: int) -> Iterator[_BatchOfCopy]:
    """The batches of a copy that can be saved, in order."""
    for segment_number, (segment, ranges) in enumerate(copy.segments):
        saved = saved_in_order(ranges)
        if not saved:  # it may be a log that cannot be read
            continue
        with ExitStack() as stack:
            source = PatientSource(stack.enter_context(ByteSource(segment.log)))
            for made in saved:
                if made.found is None:
                    first = made.first_offset
                    for frame in Walk(source, made.position, made.end_position):
                        is_old = frame.magic < CURRENT_MAGIC
                        header = legacy_header(frame.start) if is_old else frame.start
                        entry = _entry(header, frame.size, number, segment_number, frame.position, made, first)
                        if entry.records_count < 0:  # of an old wrapper, which does not say it
                            count = sum(1 for _ in read_batch(source, frame).records())
                            entry = entry._replace(records_count=count)
                        yield entry
                        first = entry.last + 1
                else:
                    header = made.found.header
                    header = header if made.found.magic >= CURRENT_MAGIC else legacy_header(header)
                    entry = _entry(header, made.size, number, segment_number, made.position, made, made.first_offset)
                    yield entry._replace(records_count=made.records_count)


def _entry(
    header: bytes, size: int, copy: int, segment: int, position: int, made: SavedRange, first: int | None
) -> _BatchOfCopy:
    """The batch of a header; ``first`` is the first offset of an old wrapper, whose header has the last alone."""
    last, base = last_offset_of(header), _BASE_OFFSET(header, 0)
    attributes, count = _ATTRIBUTES(header, 0), _RECORDS_COUNT(header, 0)
    return _BatchOfCopy(
        last=last,
        size=size,
        crc=_CRC(header, 0),
        copy=copy,
        first=base if count >= 0 or first is None else min(base, first),
        epoch=_EPOCH(header, 0),
        records_count=0 if _BITS["is_control"].of(attributes) else count,
        has_horizon=bool(_BITS["has_delete_horizon"].of(attributes)),
        segment=segment,
        position=position,
        range=made,
    )


def _enclosed(copies: Sequence[Copy]) -> dict[_Place, int]:
    """The batches that are, with the same bytes, within a batch of another copy, and the number of that."""
    enclosed = dict[_Place, int]()
    for number, copy in enumerate(copies):
        for segment_number, (segment, ranges) in enumerate(copy.segments):
            for made in ranges:
                if made.outcome != "saved" or not made.position or made.is_displaced:
                    continue
                for other_number, other in enumerate(copies):
                    if other is copy:
                        continue
                    end = _end_around(other, segment, made)
                    if end is not None:
                        places = _positions_until(segment, made, end)
                        enclosed |= {(number, segment_number, place): other_number for place in places}
    return enclosed


def _end_around(copy: Copy, segment: Segment, made: SavedRange) -> int | None:
    """The end of a copy's batch within which a range of another copy's log begins; None if there is none with the same
    bytes from there on."""
    for other, ranges in copy.segments:
        for around in ranges if other.base_offset == segment.base_offset else ():
            is_plain = around.outcome == "saved" and around.found is None and not around.is_unanchored
            if not is_plain or not around.position < made.position < around.end_position:
                continue
            with ByteSource(other.log) as source, ByteSource(segment.log) as mine:
                for frame in Walk(PatientSource(source), around.position, around.end_position):
                    end = frame.position + frame.size
                    if frame.position < made.position < end:
                        size = min(end, made.end_position) - made.position
                        is_same = source.read_at(made.position, size) == mine.read_at(made.position, size)
                        return end if is_same else None
                    if end > made.position:
                        return None
    return None


def _positions_until(segment: Segment, made: SavedRange, end: int) -> list[int]:
    """Where the batches of a range begin that end at a position or before it."""
    if made.found is not None:
        return [made.position] if made.end_position <= end else []
    with ByteSource(segment.log) as source:
        frames = Walk(PatientSource(source), made.position, min(made.end_position, end))
        return [frame.position for frame in frames if frame.position + frame.size <= end]


def _batches(copies: Sequence[Copy], without: Container[_Place] = ()) -> Iterator[_CopiedBatch]:
    """The batches of all copies, by last offset, but those at some places."""
    all_entries = (_entries(copy, number) for number, copy in enumerate(copies))
    merged = heapq.merge(*((entry for entry in of_copy if entry.place not in without) for of_copy in all_entries))
    before = _NO_EPOCH
    for _, same in groupby(merged, _BatchOfCopy.key_of):
        entries = list(same)
        counts = Counter(entry.epoch for entry in entries)
        most = max(counts.values())
        claimed = sorted(epoch for epoch, count in counts.items() if count == most)
        epoch = next((candidate for candidate in claimed if candidate >= before), claimed[-1])
        before = max(before, epoch)
        yield _CopiedBatch(entries, epoch)


class _Epochs:
    """Where leader epochs begin, in any copy."""

    def __init__(self, copies: Sequence[Copy], without: Container[_Place]) -> None:
        known = {entry.epoch for copy in copies for entry in _checkpointed(copy.partition)}
        starts, batches, holders = dict[int, tuple[int, int]](), Counter[int](), Counter[int]()
        for batch in _batches(copies, without):
            if batch.epoch != _NO_EPOCH and not all(entry.range.is_unanchored for entry in batch.entries):
                starts[batch.epoch] = min(starts.get(batch.epoch, (_ENDLESS, 0)), (batch.first, batch.entries[0].copy))
                batches[batch.epoch] += 1
                holders[batch.epoch] += len(batch.entries)
        counting = [epoch for epoch in starts if epoch in known or batches[epoch] > 1 or holders[epoch] > 1]
        self.ahead = sorted(((*starts[epoch], epoch) for epoch in counting), reverse=True)
        self.begun = (0, 0, _NO_EPOCH)

    def later_than(self, batch: _CopiedBatch) -> tuple[int, int, int] | None:
        """The start of a later epoch at or before a batch's end, the copy that has it, and its number.

        Call it for batches in the order of their last offsets.
        """
        while self.ahead and self.ahead[-1][0] <= batch.last:
            self.begun = max(self.begun, self.ahead.pop(), key=lambda start: start[2])
        return self.begun if _NO_EPOCH < batch.epoch < self.begun[2] else None


def _checkpointed(partition: Partition) -> Iterable[EpochEntry]:
    try:
        return partition.leader_epochs
    except (DataError, OSError):
        return ()


def merge_copies(copies: Sequence[Copy]) -> tuple[list[NewLog], list[Offsets]]:
    """The logs that are written of some copies of one partition, and the offsets of which records may be missing.

    The ranges of the copies are changed to what becomes of them. Raises OSError if a log cannot be read.
    """
    enclosed = _enclosed(copies)
    epochs = _Epochs(copies, enclosed)
    merged = _Merged(copies)
    for number, copy in enumerate(copies) if enclosed else ():
        for entry in _entries(copy, number):
            if (around := enclosed.get(entry.place)) is not None:
                reason = f"these bytes are within a batch of {_path(copies[around])}"
                merged.leave(_CopiedBatch([entry], entry.epoch), "conflict", reason)
    for _, same_end in groupby(_batches(copies, enclosed), lambda batch: batch.last):
        candidates = list[_CopiedBatch]()
        for batch in same_end:
            later = epochs.later_than(batch)
            if later is not None:
                start, number, epoch = later
                merged.leave(batch, "conflict", f"leader epoch {epoch} begins at {start} in {_path(copies[number])}")
            elif batch.first < merged.next_offset:
                merged.leave(batch, "conflict", f"what is saved has the offsets up to {merged.next_offset - 1}")
            else:
                candidates.append(batch)
        if candidates:
            candidates.sort(key=_preference)
            merged.take(candidates[0])
            for batch in candidates[1:]:
                merged.leave(batch, *_why_left(batch, candidates[0], copies))
    return merged.end()


def _preference(batch: _CopiedBatch) -> tuple[Any, ...]:
    """The key that sorts batches with one last offset: the first is saved."""
    first, is_doubtful = batch.entries[0], all(entry.range.is_unanchored for entry in batch.entries)
    records = max(entry.records_count for entry in batch.entries)
    return is_doubtful, -batch.epoch, -records, first.has_horizon, -len(batch.entries), first.copy


def _why_left(batch: _CopiedBatch, chosen: _CopiedBatch, copies: Sequence[Copy]) -> tuple[Outcome, str]:
    entry, other = batch.entries[0], chosen.entries[0]
    where = _path(copies[other.copy])
    if entry.records_count < other.records_count:
        return "compacted", f"{where} has {other.records_count} records of it"
    if entry.has_horizon != other.has_horizon:
        return "compacted", f"{where} has it without a horizon for deletes"
    return "conflict", f"another batch of these offsets is saved, of {where}"


def _path(copy: Copy) -> Path:
    return copy.partition.folder


class _Merged:
    """The new logs, while batches are taken by their last offset."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        self.copies = copies
        self.next_offset = 0
        self.logs: list[NewLog] = []
        self.size = 0
        best = max(copies, key=_saved_bytes)
        self.copy = next(number for number, copy in enumerate(copies) if copy is best)
        self.bases = _bases(copies, best)
        self.empty = {
            segment.base_offset for segment, ranges in best.segments if all(made.outcome == "room" for made in ranges)
        }
        self.missing = _Missing(copies)
        self.made: dict[tuple[int, int], list[SavedRange]] = {}

    def take(self, batch: _CopiedBatch) -> None:
        """Save a batch, from the copy of the batch before it, if that is as good as another."""
        entry = min(
            batch.entries,
            key=lambda candidate: (
                candidate.epoch != batch.epoch,
                not candidate.is_plain,
                candidate.grade,
                candidate.copy != self.copy,
                candidate.copy,
            ),
        )
        for other in batch.entries:
            if other is not entry:
                self._note(other, "same", "")
        made = self._note(entry, "saved", entry.range.reason)
        self.copy = entry.copy
        log = self._log(entry)
        if not log.pieces or log.pieces[-1][1] is not made:
            log.pieces.append((self.copies[entry.copy].segments[entry.segment][0].log, made))
        self.size += entry.size
        self.missing.take(batch.first, batch.last, entry.size)
        self.next_offset = batch.last + 1

    def leave(self, batch: _CopiedBatch, outcome: Outcome, reason: str) -> None:
        """Do not save a batch."""
        for entry in batch.entries:
            self._note(entry, outcome, reason)

    def end(self) -> tuple[list[NewLog], list[Offsets]]:
        """The logs and the missing offsets; the copies' ranges are put in place."""
        for base in reversed(self.bases):
            self._keep_empty(base)
        last_base = max((segment.base_offset for copy in self.copies for segment, _ in copy.segments), default=None)
        if last_base is not None and last_base >= self.next_offset:
            if not self.logs or self.logs[-1].base_offset < last_base:
                self.logs.append(NewLog(last_base, []))
        for number, copy in enumerate(self.copies):
            for segment, (_, ranges) in enumerate(copy.segments):
                others = [made for made in ranges if made.outcome != "saved"]
                ranges[:] = sorted([*others, *self.made.get((number, segment), ())], key=lambda made: made.position)
        return self.logs, self.missing.found()

    def _log(self, entry: _BatchOfCopy) -> NewLog:
        """The new log for a batch; begins it if need be."""
        base = None
        while self.bases and self.bases[-1] <= entry.first:
            if base is not None:
                self._keep_empty(base)
            base = self.bases.pop()
        if base is not None and base < self.next_offset:
            base = None  # a batch before it reaches beyond the border
        is_full = self.logs and (
            self.size + entry.size > MAX_INT32 or entry.last - self.logs[-1].base_offset > MAX_INT32
        )
        if base is None and (is_full or not self.logs):
            base = entry.first
        if base is not None:
            self.logs.append(NewLog(base, []))
            self.size = 0
        return self.logs[-1]

    def _keep_empty(self, base: int) -> None:
        """Add a log without records, where the best copy has one."""
        if base in self.empty and base >= self.next_offset:
            self.logs.append(NewLog(base, []))

    def _note(self, entry: _BatchOfCopy, outcome: Outcome, reason: str) -> SavedRange:
        """Note what becomes of a batch: one range with the batch before it where both have the same outcome."""
        ranges = self.made.setdefault((entry.copy, entry.segment), [])
        end = entry.position + entry.size
        last = ranges[-1] if ranges else None
        if (
            last is not None
            and last.end_position == entry.position
            and (last.outcome, last.reason, last.found) == (outcome, reason, None)
            and entry.is_plain
            and (outcome != "saved" or self.is_next(last))
        ):
            last.end_position, last.last_offset = end, entry.last
            last.batches_count += 1
            last.records_count += entry.records_count
            return last
        source = entry.range
        made = SavedRange(entry.position, end, outcome, source.content, source.offsets, entry.first, entry.last)
        made.batches_count, made.records_count, made.reason, made.found = 1, entry.records_count, reason, source.found
        ranges.append(made)
        return made

    def is_next(self, made: SavedRange) -> bool:
        """Whether a range is the last one that was saved, so that another batch may follow in it."""
        return bool(self.logs) and bool(self.logs[-1].pieces) and self.logs[-1].pieces[-1][1] is made


def _saved_bytes(copy: Copy) -> int:
    return sum(made.size for _, ranges in copy.segments for made in ranges if made.outcome == "saved")


def _bases(copies: Sequence[Copy], best_copy: Copy) -> list[int]:
    """The base offsets of new logs, the last first: those of ``best_copy``, of which most can be saved; before and
    after them, those of the other copies."""
    best_bases = sorted(segment.base_offset for segment, _ in best_copy.segments)
    bases = set(best_bases)
    for copy in copies:
        for segment, _ in copy.segments:
            if not best_bases or not best_bases[0] <= segment.base_offset <= best_bases[-1]:
                bases.add(segment.base_offset)
    return sorted(bases, reverse=True)


class _Missing:
    """The offsets of which records may be missing: of each copy those at lost bytes and those before and after it; of
    these what all copies have in common and at least one has lost; and of these what is not saved."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        lost = [_united(_lost(copy)) for copy in copies]
        missing = [(0, _ENDLESS)]
        for copy, spans in zip(copies, lost, strict=True):
            missing = _common(missing, _united([*spans, *_outside(copy)]))
        self.left = _common(missing, _united([span for spans in lost for span in spans]))
        self.left.reverse()
        self.done: list[tuple[int, int]] = []
        self.tails = [[made.first_offset or 0, made.size] for copy in copies if (made := _lost_tail(copy)) is not None]

    def take(self, first: int, last: int, size: int) -> None:
        """Take out the offsets of a saved batch of ``size`` bytes. Batches come in order."""
        for tail in self.tails:
            if first >= tail[0]:
                tail[1] -= size
        while self.left and self.left[-1][0] <= last:
            start, end = self.left.pop()
            if start < first:
                self.done.append((start, min(end, first)))
            if end > last + 1:
                self.left.append((last + 1, end))
                return

    def found(self) -> list[Offsets]:
        """The offsets that are left."""
        spans = [*self.done, *reversed(self.left)]
        if self.tails and not any(size for _, size in self.tails):
            spans = [span for span in spans if span[1] != _ENDLESS]
        return [(start, None if end == _ENDLESS else end - 1) for start, end in spans if start < end]


def _lost(copy: Copy) -> Iterator[tuple[int, int]]:
    for _, ranges in copy.segments:
        for made in ranges:
            if made.outcome == "lost":
                yield made.first_offset or 0, _ENDLESS if made.last_offset is None else made.last_offset + 1
    for first, last in cut_off(copy):
        yield first, last + 1


def _lost_tail(copy: Copy) -> SavedRange | None:
    """The bytes that are lost at the end of a copy's last log."""
    last_ranges = [made for _, ranges in copy.segments[-1:] for made in ranges if made.outcome != "room"]
    return last_ranges[-1] if last_ranges and last_ranges[-1].outcome == "lost" else None


def _outside(copy: Copy) -> Iterator[tuple[int, int]]:
    """The offsets before a copy's first log, and after its last batch."""
    if not copy.segments:
        yield 0, _ENDLESS
        return
    yield 0, copy.segments[0][0].base_offset
    last = copy.segments[-1]
    ends = [made.last_offset for made in last[1] if made.outcome == "saved" and made.last_offset is not None]
    yield max([last[0].base_offset, *(end + 1 for end in ends)]), _ENDLESS


def _united(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch as one; empty ones are left out."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return united


def _common(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What two lists of spans in order have in common."""
    common: list[tuple[int, int]] = []
    index = other = 0
    while index < len(spans) and other < len(others):
        start, end = max(spans[index][0], others[other][0]), min(spans[index][1], others[other][1])
        if start < end:
            common.append((start, end))
        if spans[index][1] < others[other][1]:
            index += 1
        else:
            other += 1
    return common


__all__ = ["Copy", "cut_off", "merge_copies", "read_copies", "read_copy"]

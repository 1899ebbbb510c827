"""What of one damaged log can be saved, and why the rest cannot: every byte in exactly one range. Reads, never writes.

Rules:

* A batch is saved if it is proved at least as well as asked for, and its offset is known: stored, or inferred from its
  neighbours (`kformat.kafka.damage.evidence`). A batch whose offset is unknown is unplaced.
* Batches that are saved as they are stored and follow each other are one range; every other batch is one of its own.
* Ranges are in the order of the file, and what is saved is read and written in that of the offsets: a batch may lie at
  a place where it does not belong (`kformat.kafka.damage.displaced`).
* Bytes that the disk does not give count as lost, and so do batches that need them. Reading goes on after them.
* Zeros up to the end of a log are the room that a broker allocates before it writes, not a loss; unless offsets are
  missing before the next segment, an index names what would be there, or another file next to the last log names an
  offset that was reached (`kformat.kafka.files.checkpoints`).
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.batches import is_room, sound_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, MAX_LOG_BYTES, PEEK_BYTES, Walk, WalkSource
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.damage.anchoring import NO_ENTRIES, KnownStarts
from kformat.kafka.damage.displaced import DisplacedPart, put_back, without
from kformat.kafka.damage.effort import Effort
from kformat.kafka.damage.evidence import Content, FoundBatch, Lost, Offsets, find_batches
from kformat.kafka.damage.found_batch import Standing, times_of
from kformat.kafka.damage.moved_pages import Moved, moved_pages
from kformat.kafka.files.checkpoints import named_end
from kformat.kafka.index.index_file import read_index
from kformat.kafka.index.indexing import EntryArray
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource, joined, patched

CONTENTS: Final = {"proved": Content.CORRECTED, "structural": Content.STRUCTURAL, "guessed": Content.GUESSED}
"""Value of ``content`` -> the weakest grade that is saved. Corrected batches are proved: their checksum holds."""

Outcome = Literal["saved", "same", "compacted", "conflict", "unplaced", "lost", "room"]

_SECTOR_BYTES: Final = 4096
_FIRST_BATCHES: Final = 5
_PAGE_EFFORT: Final = 8, 256 << 20
"""How many bytes of a log may be looked at again to find moved pages: for each byte, and on top of that. Pages that are
found may lead to more."""
_UNPLACED: Final = {
    Standing.ANCHORED: "its offset does not fit to the batches around it",
    Standing.UNANCHORED: "it may be the value of a record: no unbroken chain of batches leads to it",
    Standing.ENCLOSED: "it lies in a record of a broken batch",
}
UNREADABLE: Final = (errno.EIO, errno.EUCLEAN, getattr(errno, "EREMOTEIO", errno.EIO), errno.ENODATA)
_RECORDS_COUNT: Final = layout("record_batch").reader("records_count")
_ATTRIBUTES: Final = layout("record_batch").reader("attributes")
_IS_CONTROL: Final = layout("record_batch").bit_readers("attributes")["is_control"]


def check_content(content: str) -> None:
    """Raise UsageError if ``content`` is not one of `CONTENTS`."""
    if content not in CONTENTS:
        raise UsageError(f"no content {content!r}; there are {', '.join(CONTENTS)}")


class SegmentFilesLike(Protocol):
    """The files of a segment, as `kformat.kafka.log.partition.Segment` has them."""

    def __hash__(self) -> int: ...
    @property
    def base_offset(self) -> int: ...
    @property
    def log(self) -> Any: ...
    @property
    def timeindex(self) -> Any: ...
    def offset_entries(self) -> EntryArray: ...


class Unreadable(NamedTuple):
    """Bytes that the disk did not give: position and end position."""

    position: int
    end_position: int


class PatientSource:
    """A `ByteSource` that gives zeros for what the disk cannot read, sector by sector, and remembers where."""

    def __init__(self, source: ByteSource) -> None:
        self.source, self.name, self.size = source, source.name, source.size
        self.bad_sectors: set[int] = set()

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``, with zeros for those of unreadable sectors. OSError for other errors."""
        try:
            return self.source.read_at(position, size)
        except OSError as error:
            if error.errno not in UNREADABLE:
                raise
        parts, end = list[bytes](), min(position + size, self.size)
        while position < end:
            part = min(end, (position // _SECTOR_BYTES + 1) * _SECTOR_BYTES) - position
            try:
                parts.append(self.source.read_at(position, part))
            except OSError as error:
                if error.errno not in UNREADABLE:
                    raise
                self.bad_sectors.add(position // _SECTOR_BYTES)
                parts.append(bytes(part))
            position += part
        return b"".join(parts)

    def unreadable(self) -> list[Unreadable]:
        """The ranges that could not be read so far, in order."""
        ranges: list[Unreadable] = []
        for sector in sorted(self.bad_sectors):
            position = sector * _SECTOR_BYTES
            end = min(position + _SECTOR_BYTES, self.size)
            if ranges and ranges[-1].end_position == position:
                ranges[-1] = Unreadable(ranges[-1].position, end)
            else:
                ranges.append(Unreadable(position, end))
        return ranges


@dataclass(slots=True)
class SavedRange:
    """A range of bytes of a log, and what becomes of it.

    Attributes:
        position, end_position: in bytes, the second exclusive.
        outcome: ``saved``, ``unplaced``, ``lost``, or ``room`` for zeros that a broker has allocated. Of one of several
            copies also ``same``: another copy's batch is saved, which is the same; ``compacted``: another's is saved
            that has more of the records; ``conflict``: it disagrees with what is saved.
        content, offsets: the grades of batches, as in `kformat.kafka.damage.evidence`; None for other bytes.
        first_offset, last_offset: of its batches, as restored; of lost bytes those of the records that may be missing,
            as far as they are known.
        batches_count, records_count: control records do not count as records.
        reason: what was restored or corrected, or why bytes are lost.
        found: the batch, where it is not as stored, or not proved, or not at its place.
        is_displaced: whether it is saved, and lies at another place than where it belongs.
        first, last: the batches at its ends, if it is saved.
    """

    position: int
    end_position: int
    outcome: Outcome
    content: Content | None = None
    offsets: Offsets | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    batches_count: int = 0
    records_count: int = 0
    reason: str = ""
    found: FoundBatch | None = field(default=None, repr=False)
    is_displaced: bool = False
    first: FoundBatch | None = field(default=None, repr=False)
    last: FoundBatch | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """In bytes."""
        return self.end_position - self.position

    @property
    def standing(self) -> Standing | None:
        """Whether its batch belongs to the log, if that is in doubt or the batch is not plain; None of other ranges."""
        return None if self.found is None else self.found.standing

    @property
    def is_unanchored(self) -> bool:
        """Whether it is a batch that may be the value of a record (`kformat.kafka.damage.anchoring`)."""
        return self.standing is Standing.UNANCHORED

    def as_dict(self) -> dict[str, Any]:
        """All but the batches, as JSON values."""
        return {
            "position": self.position,
            "end_position": self.end_position,
            "outcome": self.outcome,
            "content": None if self.content is None else str(self.content),
            "offsets": None if self.offsets is None else str(self.offsets),
            "first_offset": self.first_offset,
            "last_offset": self.last_offset,
            "batches_count": self.batches_count,
            "records_count": self.records_count,
            "reason": self.reason or None,
        }


def records_of(batch: FoundBatch, source: WalkSource) -> list[Record]:
    """The records of a batch that can be read, in order."""
    records: list[Record] = []
    try:
        decoded = batch.batch(source)
        if isinstance(decoded, LegacyBatch):
            return list(decoded.records())
        for record in decoded.records():
            records.append(record)
    except DataError:
        pass
    return records


def _is_control(batch: FoundBatch) -> bool:
    return batch.magic >= CURRENT_MAGIC and bool(_IS_CONTROL(_ATTRIBUTES(batch.header, 0)))


def records_count(batch: FoundBatch, source: WalkSource) -> int:
    """How many records of a batch can be read; control records do not count."""
    if _is_control(batch):
        return 0
    if batch.magic >= CURRENT_MAGIC and batch.content is not Content.GUESSED:
        return max(0, _RECORDS_COUNT(batch.header, 0))
    return len(records_of(batch, source))


def _first_offset(batch: FoundBatch, source: WalkSource) -> int:
    """The first offset of a batch; of an old wrapper that cannot be read its last."""
    if batch.magic >= CURRENT_MAGIC:
        return batch.base_offset
    return next((record.offset for record in records_of(batch, source)), batch.base_offset)


def _changed(batch: FoundBatch) -> str:
    """Say what of a batch is not as stored."""
    parts = []
    if batch.restored:
        parts.append(f"restored: {', '.join(batch.restored)}")
    if batch.flipped is not None:
        parts.append(f"one bit corrected at position {batch.position + batch.flipped // 8}")
    if batch.content is Content.GUESSED:
        parts.append("the records before the damage")
    if batch.standing is Standing.UNANCHORED and batch.offsets is not Offsets.UNKNOWN:
        parts.append("it may be the value of a record")
    return "; ".join(parts)


def _first_epoch(segment: SegmentFilesLike) -> int | None:
    """The leader epoch at the start of a log: the middle one of its first batches of magic 2 that are sound, because no
    checksum covers it; None if there is none."""
    epochs = list[int]()
    try:
        with ByteSource(segment.log) as log:
            for frame in islice(Walk(log, 0, log.size), _FIRST_BATCHES):
                first = sound_batch(log, frame)
                if not isinstance(first, Batch):
                    break
                epochs.append(first.partition_leader_epoch)
    except OSError:
        pass
    return sorted(epochs)[(len(epochs) - 1) // 2] if epochs else None


def known_positions(segment: SegmentFilesLike) -> npt.NDArray[np.int64]:
    """Positions at which batches may begin, by the offset index; none if it cannot be read."""
    try:
        return segment.offset_entries()["position"].astype(np.int64)
    except (DataError, OSError):
        return np.empty(0, np.int64)


def entries_in_order(segment: SegmentFilesLike) -> KnownStarts:
    """The entries of the offset index that are in order with those next to them; none if it cannot be read."""
    try:
        entries = segment.offset_entries()
    except (DataError, OSError):
        return NO_ENTRIES
    offsets, positions = (entries[name].astype(np.int64) for name in ("relative_offset", "position"))
    grows = (np.diff(offsets) > 0) & (np.diff(positions) > 0)
    is_right = np.append(True, grows) & np.append(grows, True) & (offsets >= 0) & (positions >= 0)
    return KnownStarts(positions[is_right].tolist(), (offsets[is_right] + segment.base_offset).tolist())


def held_batches(
    source: ByteSource, segment: SegmentFilesLike, following: SegmentFilesLike | None, position: int, next_offset: int
) -> bool:
    """Whether there were batches in the zeros at the end of a log: offsets are missing before the next segment, or a
    file next to it names what would be there."""
    if following is not None and next_offset < following.base_offset:
        return True
    if (known_positions(segment) >= position).any() or last_time_offset(segment) >= next_offset:
        return True
    # A broker that is running may have written in the meantime, and named what it wrote.
    return following is None and next_offset < named_end(segment.log) and is_room(source, position)


def last_time_offset(segment: SegmentFilesLike) -> int:
    """The highest offset in the time index; -1 if there is none, or it cannot be read."""
    try:
        times = None if segment.timeindex is None else read_index(segment.timeindex, "time_index").entries
    except (DataError, OSError):
        return -1
    if times is None or not len(times):
        return -1
    return segment.base_offset + int(times["relative_offset"].max())


def ranges_of(
    segment: SegmentFilesLike,
    following: SegmentFilesLike | None,
    content: str = "proved",
    *,
    place_unanchored: bool = False,
    starts: frozenset[int] = frozenset(),
) -> list[SavedRange]:
    """What becomes of each byte of a segment's log, in order.

    Args:
        segment: the files; an index that can be read says where batches may begin.
        following: the next segment, whose base offset is above all offsets here, and whose first leader epoch is not
            below any; None for the last one.
        content: of `CONTENTS`.
        place_unanchored: save batches that may be values of records, too (`kformat.kafka.damage.anchoring`).
        starts: positions at which batches of this log begin, as another copy of it shows.

    Memory: a `SavedRange` for each damage, and the largest batch. Raises OSError if the log cannot be opened.
    """
    entries = entries_in_order(segment)._replace(starts=starts)
    look = partial(_ranges_of, segment, following, content, place_unanchored)
    ranges = look(entries, overflows=False)
    size = max((part.end_position for part in ranges), default=0)
    effort = Effort(0, *_PAGE_EFFORT)
    effort.reach(size)
    while not place_unanchored and any(part.is_unanchored for part in ranges) and effort.allows(size):
        moved = _moved(segment, ranges, effort)
        more = entries._replace(starts=entries.starts | moved.starts, foreign=entries.foreign | moved.places)
        more = more._replace(is_foreign_known=moved.is_whole and more[:-1] == entries[:-1])
        if more == entries:
            break
        entries = more  # what is anchored then may show more
        ranges = look(entries, overflows=False)
    most = segment.base_offset + MAX_INT32
    if any(part.outcome == "unplaced" and part.found is not None and part.found.last_offset > most for part in ranges):
        others = look(entries, overflows=True)
        if _overflows(others, most):
            return others
    return ranges


def _moved(segment: SegmentFilesLike, ranges: Sequence[SavedRange], effort: Effort) -> Moved:
    """The pages that lie where others belong, in the parts of a log that are not saved."""
    spans, end_position = list[list[tuple[int, int]]](), -1
    for made in ranges:
        if made.outcome == "saved":
            continue
        if made.position != end_position:
            spans.append([])
        if made.outcome == "lost":
            spans[-1].append((made.position, made.end_position))
        end_position = made.end_position
    spans = [span for span in spans if span]
    with ByteSource(segment.log) as source:
        return moved_pages(source, spans, effort)


def _overflows(ranges: Sequence[SavedRange], most: int) -> bool:
    """Whether offsets above ``most``, the highest that a segment has room for, are right: the first range with such
    offsets comes directly after a saved one, and begins below them, or another such batch comes directly after."""
    for before, made, after in zip([None, *ranges], ranges, [*ranges[1:], None], strict=False):
        if made.outcome != "saved" or made.last is None or made.last.last_offset <= most:
            continue
        is_next = before is None or before.outcome == "saved"
        is_two = made.batches_count > 1 or (after is not None and after.outcome == "saved")
        return is_next and (is_two or (made.first_offset or 0) <= most)
    return False


def _ranges_of(
    segment: SegmentFilesLike,
    following: SegmentFilesLike | None,
    content: str,
    place_unanchored: bool,
    entries: KnownStarts,
    *,
    overflows: bool,
) -> list[SavedRange]:
    """``overflows``: as in `kformat.kafka.damage.evidence.find_batches`."""
    end_offset = None if following is None else following.base_offset
    with ByteSource(segment.log) as opened:
        source = PatientSource(opened)
        items = find_batches(
            source,
            end=min(opened.size, MAX_LOG_BYTES),
            known=known_positions(segment),
            weakest=CONTENTS[content],
            base_offset=segment.base_offset,
            end_offset=end_offset,
            end_epoch=None if following is None else _first_epoch(following),
            overflows=overflows,
            entries=entries,
            place_unanchored=place_unanchored,
        )
        return _Ranges(source, opened, segment, following).of(items)


def patches_of(made: SavedRange, source: WalkSource) -> list[tuple[int, bytes]]:
    """The bytes of a saved, proved batch that are not as stored, by position; none of other ranges."""
    if made.found is None:
        return []
    patches = [(made.position, made.found.header)]
    if made.found.flipped is not None:
        at, bit = divmod(made.found.flipped, 8)
        (stored,) = source.read_at(made.position + at, 1)
        patches.append((made.position + at, bytes([stored ^ 1 << bit])))
    return patches


def saved_in_order(ranges: Iterable[SavedRange]) -> list[SavedRange]:
    """What is saved of a log, in the order of the offsets."""
    saved = [made for made in ranges if made.outcome == "saved"]
    if any(made.is_displaced for made in saved):
        saved.sort(key=_end_offset)
    return saved


def divided(base_offset: int, saved: Iterable[SavedRange]) -> list[tuple[int, list[SavedRange]]]:
    """Split the saved ranges of one log into new logs, by base offset, in order: several if it has more offsets than a
    segment has room for (LocalLog.splitOverflowedSegment)."""
    logs: list[tuple[int, list[SavedRange]]] = [(base_offset, [])]
    for made in saved:
        if _end_offset(made) - logs[-1][0] > MAX_INT32 and made.first_offset is not None:
            logs.append((made.first_offset, []))
        logs[-1][1].append(made)
    return logs


def _end_offset(made: SavedRange) -> int:
    assert made.last is not None
    return made.last.last_offset


def missing_of(ranges: Iterable[SavedRange], base_offset: int, end_offset: int | None) -> list[tuple[int, int | None]]:
    """Ranges of offsets whose records may be lost, first and last of each: the gaps around bytes that are not saved, or
    that lie where they do not belong. The last is None at the end of a log if it is not known.

    ``base_offset`` is the log's, ``end_offset`` that of the next one, if there is one.
    """
    spans, displaced = list[tuple[int, int]](), list[tuple[int, int]]()
    next_offset, outcomes = base_offset, set[str]()
    for made in ranges:
        if made.is_displaced:
            displaced.append((made.first_offset or 0, made.last_offset or 0))
        if made.outcome != "saved" or made.is_displaced:
            outcomes.add(made.outcome)
            continue
        first = _first_of(made)
        if outcomes and next_offset < first:
            spans.append((next_offset, first - 1))
        next_offset, outcomes = _end_offset(made) + 1, set()
    if end_offset is not None and outcomes - {"room"}:
        spans.append((next_offset, end_offset - 1))
    elif end_offset is None and "lost" in outcomes:
        spans.append((next_offset, MAX_INT64))
    displaced.sort()
    left = [rest for span in spans for rest in without(span, displaced)]
    return [(first, last if last < MAX_INT64 else None) for first, last in left]


def _first_of(made: SavedRange) -> int:
    assert made.first is not None
    return made.first.base_offset if made.first_offset is None else made.first_offset


def saved_log(source: ByteSource, ranges: list[SavedRange]) -> ByteSource:
    """The log that is saved of another, as `kformat.salvage` writes it by default. ``source`` has to stay open."""
    saved = saved_in_order(ranges)
    patches = [patch for made in saved for patch in patches_of(made, source)]
    return joined(patched(source, patches), [(made.position, made.end_position) for made in saved])


class _Ranges:
    """Makes ranges of the batches and lost bytes of one log."""

    def __init__(
        self, source: PatientSource, opened: ByteSource, segment: SegmentFilesLike, following: SegmentFilesLike | None
    ) -> None:
        self.source, self.opened, self.segment, self.following = source, opened, segment, following
        self.base_offset = self.log_base = segment.base_offset
        self.end_offset = None if following is None else following.base_offset
        self.made: list[SavedRange] = []
        self.is_timely = self.is_dense = True
        self.latest = -1

    def of(self, items: Iterator[FoundBatch | Lost]) -> list[SavedRange]:
        for item in items:
            if isinstance(item, Lost):
                self._lost(item.position, item.end_position)
            elif item.offsets is Offsets.UNKNOWN:
                self._single(item, "unplaced", self._why_unplaced(item))
            else:
                self._saved(item)
        if self.source.size > MAX_LOG_BYTES:
            self.made.append(SavedRange(MAX_LOG_BYTES, self.source.size, "lost", reason="no log is as large"))
        self._put_back()
        self._missing()
        return self.made

    def _saved(self, batch: FoundBatch) -> None:
        lowest, largest = times_of(batch)
        self.is_timely = self.is_timely and self.latest <= lowest
        self.latest = largest
        last = self.made[-1] if self.made and self.made[-1].outcome == "saved" else None
        if last is not None:
            self.is_dense = self.is_dense and batch.base_offset == (last.last_offset or 0) + 1
        count = records_count(batch, self.source)
        is_plain = batch.content is Content.PROVED and batch.is_as_stored and batch.offsets is Offsets.STORED
        is_plain = is_plain and batch.standing is Standing.ANCHORED
        is_beyond = batch.last_offset - self.log_base > MAX_INT32
        if is_plain and not is_beyond and last is not None and last.found is None:
            last.end_position, last.last_offset, last.last = batch.end_position, batch.last_offset, batch
            last.batches_count += 1
            last.records_count += count
            return
        first = _first_offset(batch, self.source)  # of an old wrapper it takes decompressing
        self.log_base = first if is_beyond else self.log_base
        made = SavedRange(batch.position, batch.end_position, "saved", batch.content, batch.offsets, first)
        made.last_offset, made.batches_count, made.records_count = batch.last_offset, 1, count
        if batch.content is Content.GUESSED:  # the new batch ends with the last record that can be read
            made.last_offset = max((record.offset for record in records_of(batch, self.source)), default=None)
        made.reason, made.found = _changed(batch), None if is_plain else batch
        made.first = made.last = batch
        self.made.append(made)

    def _single(self, batch: FoundBatch, outcome: Outcome, reason: str) -> None:
        made = SavedRange(batch.position, batch.end_position, outcome, batch.content, batch.offsets, batch.base_offset)
        made.last_offset, made.batches_count = batch.last_offset, 1
        made.records_count, made.reason, made.found = records_count(batch, self.source), reason, batch
        self.made.append(made)

    def _why_unplaced(self, batch: FoundBatch) -> str:
        changed, reason = _changed(batch), _UNPLACED[batch.standing]
        if batch.rival is not None:
            position, epoch = batch.rival
            own = f", this one {batch.leader_epoch}" if batch.magic >= CURRENT_MAGIC else ""
            reason = f"the batch at position {position} has its offset, too, and leader epoch {epoch}{own}"
        return f"{reason}{'; ' if changed else ''}{changed}"

    def _lost(self, position: int, end: int) -> None:
        if end == self.source.size and not self.source.bad_sectors and is_room(self.opened, position):
            saved = [made.last_offset for made in self.made if made.outcome == "saved"]
            next_offset = self.base_offset if not saved else (saved[-1] or 0) + 1
            held = held_batches(self.opened, self.segment, self.following, position, next_offset)
            held = held or end - position < PEEK_BYTES  # an incomplete batch for every reader
            outcome: Outcome = "lost" if held else "room"
            self.made.append(SavedRange(position, end, outcome, reason="zeros up to the end of the log"))
            return
        at = position
        for bad in self.source.unreadable():
            start, stop = max(bad.position, at), min(bad.end_position, end)
            if start < stop:
                if at < start:
                    self.made.append(SavedRange(at, start, "lost", reason=self._why_lost(at, start)))
                self.made.append(SavedRange(start, stop, "lost", reason="the disk could not read it"))
                at = stop
        if at < end:
            self.made.append(SavedRange(at, end, "lost", reason=self._why_lost(at, end)))

    def _why_lost(self, position: int, end: int) -> str:
        """Why no batch was found in some bytes."""
        walk = Walk(self.source, position, self.source.size)
        try:
            frame = next(walk, None)
        except OSError as error:
            return str(error)
        if frame is not None:
            return "a checksum is wrong and cannot be made right"
        if walk.problem is None:
            return "no batch can be proved here"
        return str(walk.problem).removeprefix(walk.problem.place).lstrip(" :")

    def _put_back(self) -> None:
        """Save batches that lie at another place than where they belong."""
        if not any(made.outcome == "unplaced" for made in self.made):
            return
        places = list(map(self._place, (made for made in self.made if made.outcome != "room")))
        for number in put_back(places, self.base_offset, self.end_offset, self.is_dense, self.is_timely):
            made = self.made[number]
            assert made.found is not None
            made.first_offset, made.is_displaced = places[number].first_offset, True
            offsets = Offsets.INFERRED if "base_offset" in made.found.restored else Offsets.STORED
            made.found = made.first = made.last = replace(made.found, offsets=offsets)
            made.outcome, made.offsets = "saved", offsets
            made.reason = "; ".join(
                filter(None, ["it lies at another place than where it belongs", _changed(made.found)])
            )

    def _place(self, made: SavedRange) -> DisplacedPart:
        if made.outcome == "unplaced" and made.found is not None:
            # A wrapper may have more messages than there are offsets up to the one that it says.
            spare = made.records_count - 1 if made.found.magic < CURRENT_MAGIC else 0
            first = min(_first_offset(made.found, self.source), made.found.last_offset - spare)
            return DisplacedPart(made.size, first, made.found.last_offset, single=made.found)
        if made.first is None or made.last is None:
            return DisplacedPart(made.size)
        return DisplacedPart(made.size, _first_of(made), made.last.last_offset, made.first, made.last)

    def _missing(self) -> None:
        """Set the offsets that may be missing in lost bytes: those between what was saved before and after them, but
        for what was put back there (`missing_of`)."""
        next_offset: int | None = None
        is_anything_saved = False
        waiting: list[SavedRange] = []
        for made in self.made:
            if made.is_displaced:
                continue
            if made.outcome == "lost":
                made.first_offset = next_offset if is_anything_saved else self.base_offset
                waiting.append(made)
            elif made.outcome == "saved":
                for before in waiting:
                    before.last_offset = None if made.first_offset is None else made.first_offset - 1
                waiting.clear()
                is_anything_saved = True
                next_offset = None if made.last_offset is None else made.last_offset + 1
        for before in waiting:
            before.last_offset = None if self.end_offset is None else self.end_offset - 1


__all__ = [
    "CONTENTS",
    "UNREADABLE",
    "Outcome",
    "PatientSource",
    "SavedRange",
    "SegmentFilesLike",
    "check_content",
    "divided",
    "entries_in_order",
    "held_batches",
    "known_positions",
    "last_time_offset",
    "missing_of",
    "patches_of",
    "ranges_of",
    "records_count",
    "records_of",
    "saved_in_order",
    "saved_log",
]

"""Whether batches that were found after lost bytes belong to the log, or may be the value of a record; see `evidence`.

A client may put whole batches into a record. While the batch around them is sound, nobody looks for them. Once it is
broken they are found, and their checksums are right. So a batch needs more than a checksum: it has to be *anchored*.

Rules:

* Batches that follow each other without a byte between are a chain. A chain is anchored from where it comes to a place
  that no value can be at: the start of the log, the end of an anchored batch, the end of a broken batch that begins at
  such a place, or a position that the offset index names.
* Where bytes were put in or taken out, the index names positions that are as far off as those of the last anchored
  batches are.
* Where so few bytes are lost that no batch has room in them, the chain after them is anchored.
* A broken batch with a usual header does not extend over the start of a chain that goes on long after the batch's end:
  bytes are missing. A chain in a value goes on after that end only as far as bytes were put into the batch.
* If the end of such a batch is so near before a chain that no other batch has room between, some were put in.
* The last two hold once pages were looked for that belong elsewhere (`moved_pages`), and not in these. No length leads
  into such a page, or out of it.
* A broken batch ends where its own length leads, or where its records or its compressed payload end, read from their
  start by their own lengths. Where one such length leads to the start of a chain, it is confirmed.
* A chain that ends at the end of the log, or where an anchored one begins, or that is longer than any batch, is
  anchored, too; unless the header of the broken batch before it says that the batch extends to there. A header's value
  ends where the batch around it may end. So where a record is found before the chain that ends where a later batch of
  it begins, the chain is unanchored up to there. Where no record is found that ends at the chain's start, or later, it
  is unanchored up to its last gap of offsets, as far as a few batches reach.
* A chain that begins in a record of a broken batch and ends in it is *enclosed*: it is a part of that record. One that
  goes on after the record's end shows that bytes are missing, and that the batch does not extend as far as it says.
  One that goes on where the batch ends is the log's from there on, if it does not end soon in lost bytes.
* Whatever else comes after lost bytes is *unanchored*: it is the log's, or it is not, and its bytes do not say which.
  Its offsets prove nothing, because the writer of a value chooses them.

Memory: the batches of one chain that is not longer than the longest batch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

from kformat.codec.reader import Reader, Varint
from kformat.errors import DataError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.compression import payload_ends
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, WalkSource
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.damage.candidates import broken_rules, is_legacy_header
from kformat.kafka.damage.effort import Effort
from kformat.kafka.damage.found_batch import UNCOVERED_BYTES, Content, FoundBatch, Lost, Offsets, Standing, legacy_size
from kformat.language.layout import layout
from kformat.language.program import load_program
from kformat.language.steps import ReadVarint

_BATCH: Final = layout("record_batch")
_LENGTH: Final = _BATCH.reader("batch_length")
_MAGIC: Final = _BATCH.reader("magic")
_ATTRIBUTES: Final = _BATCH.reader("attributes")
_COMPRESSION: Final = _BATCH.bit_readers("attributes")["compression"]

MOST_BATCH_BYTES: Final = (1 << 20) + FRAME_BYTES
"""The largest batch by default: ``max.message.bytes`` (ServerLogConfigs.MAX_MESSAGE_BYTES_DEFAULT)."""
_PART_BYTES: Final = 1 << 14
_LEGACY_TIMES: Final = 4
_LEGACY_BYTES: Final = 1024
_SMALLEST_RECORD: Final = 7
"""How many bytes a record has at least before what lies in it: one for each of its fields."""
_LOOK_BACK: Final = 1 << 14
"""How many bytes before a chain are searched for the start of a record that leads to one of its batches."""
_MOST_PUT_IN: Final = 1 << 13
"""How many bytes may have been put into a batch: two pages."""
_MOST_HOPS: Final = 1024
"""How many broken batches that follow each other are walked."""
_EFFORT: Final = 8
"""How many bytes may be looked at again for each one that is searched, on top of a fixed number."""


def _varint_of(kind: str, name: str) -> Varint:
    steps = load_program("record_batch").types[f"record_batch::{kind}"].steps
    step = next(step for step in steps if isinstance(step, ReadVarint) and step.name == name)
    return Varint(step.max_bytes, step.zigzag, step.kind.bits)


RECORD_LENGTH: Final = _varint_of("record", "length")
_TIMESTAMP_DELTA: Final = _varint_of("record_body", "timestamp_delta")
_OFFSET_DELTA: Final = _varint_of("record_body", "offset_delta")
_LONGEST_START: Final = 1 + sum(varint.max_bytes for varint in (RECORD_LENGTH, _TIMESTAMP_DELTA, _OFFSET_DELTA))
"""What is read of a record: its length, attributes, and two deltas."""


Peek = Callable[[int, int], bytes]


class KnownStarts(NamedTuple):
    """Where batches of the log begin, for another reason than their bytes.

    Attributes:
        positions, offsets: what an offset index says, in order: where batches begin, and offsets that they have.
        starts: where other batches begin, whatever their offsets are.
        foreign: parts of the log, by position and end position, in which pages lie that belong elsewhere.
        is_foreign_known: whether these are all, as far as the log's batches show.
    """

    positions: Sequence[int] = ()
    offsets: Sequence[int] = ()
    starts: frozenset[int] = frozenset()
    foreign: frozenset[tuple[int, int]] = frozenset()
    is_foreign_known: bool = False


NO_ENTRIES: Final = KnownStarts()


class _NamedStarts:
    """What the offset index names, in a log in which bytes may have been put in or taken out.

    Attributes:
        shift: how many bytes further the last anchored batches lie than the index says.
    """

    def __init__(self, entries: KnownStarts) -> None:
        self._positions, self._offsets = entries.positions, entries.offsets
        self.shift = self._other = 0
        """The shift, and the one before it."""
        self._is_of_appends = False
        """Whether entries name appends of several batches: by the first one's position and the last one's offset."""

    def names(self, batch: FoundBatch) -> bool:
        """Whether an entry names a batch: by its position, and an offset that it or its append has."""
        return any(self._entry_at(batch, batch.position - shift) is not None for shift in {self.shift, self._other, 0})

    def last_before(self, position: int) -> int | None:
        """The last position before another that an entry names."""
        at = bisect_left(self._positions, position - self.shift)
        return self._positions[at - 1] + self.shift if at else None

    def _entry_at(self, batch: FoundBatch, position: int) -> int | None:
        """The offset in the entry of a position, if it fits to a batch and to the entries before and after."""
        at, offsets = bisect_left(self._positions, position), self._offsets
        if at == len(self._positions) or self._positions[at] != position:
            return None
        is_after = at == 0 or offsets[at - 1] < batch.base_offset
        is_before = at + 1 == len(offsets) or batch.last_offset < offsets[at + 1]
        is_own = batch.magic < CURRENT_MAGIC or offsets[at] >= batch.base_offset
        return offsets[at] if is_after and is_before and is_own else None

    def passed(self, batch: FoundBatch) -> None:
        """Learn from an anchored batch: its bytes and its offset are the log's."""
        offsets = self._offsets
        if not offsets or self._is_of_appends:
            return
        entry = self._entry_at(batch, batch.position - self.shift)
        if entry is not None and entry != batch.last_offset:
            self._is_of_appends = True
            return
        at = bisect_left(offsets, batch.last_offset)
        if at < len(offsets) and offsets[at] == batch.last_offset:
            shift = batch.position - self._positions[at]
            if shift != self.shift:
                self.shift, self._other = shift, self.shift


class _RecordWalk:
    """Where uncompressed records begin and end, from the first one on, by their own lengths.

    Attributes:
        position: where the next record would begin.
    """

    def __init__(self, peek: Peek, position: int, effort: Effort) -> None:
        self._peek, self.position, self._effort = peek, position, effort
        self._most = position + MAX_INT32
        self._delta, self._is_over = -1, False
        self._reader, self._start = Reader(b""), 0

    def end_at(self, position: int) -> int | None:
        """Where the record ends that covers a byte; the position itself if a record, or another batch, may begin there;
        None if the records cannot be read so far."""
        while self.position < position:
            end = None if self._is_over else self._after(self.position)
            if end is None:
                self._is_over = True
                return None
            self.position = end
        return self.position

    def _after(self, position: int) -> int | None:
        """Where the record ends that begins at a position; None if none begins there."""
        reader, at = self._reader, position - self._start
        if not 0 <= at <= reader.limit - _LONGEST_START:
            reader = self._reader = Reader(self._peek(position, _PART_BYTES))
            self._start, at = position, 0
        reader.position = at
        try:
            length = RECORD_LENGTH.read(reader)
            start = reader.position
            reader.position += 1  # the attributes, which nobody uses
            _TIMESTAMP_DELTA.read(reader)
            delta = _OFFSET_DELTA.read(reader)
        except DataError:
            return None
        if reader.data[start] or not self._delta < delta <= MAX_INT32 or length < reader.position - start:
            return None
        self._delta, end = delta, position + start - at + length
        return end if end <= self._most and self._effort.allows(reader.position - at) else None


class _Broken:
    """A batch at an anchored position that cannot be proved.

    Attributes:
        position: where it begins.
        magic: what its header says, if that is usual; else that of the batch before it, None if there is none.
        is_usual: whether its header holds only possible values.
        end_position: where it ends by its own length; None if that is the length of no batch.
    """

    def __init__(self, peek: Peek, position: int, magic: int | None, effort: Effort) -> None:
        self._peek, self._effort, self.position = peek, effort, position
        self.header = header = peek(position, HEADER_BYTES)
        stored = _MAGIC(header, 0) if len(header) >= LEGACY_MINIMUM_BYTES else -1
        is_legacy = stored in (0, 1) and is_legacy_header(header, stored)
        is_current = stored == CURRENT_MAGIC and len(header) == HEADER_BYTES and not broken_rules(header, most=0)
        self.is_usual = (is_legacy or is_current) and stored >= (magic or 0)
        self.magic = stored if self.is_usual else magic
        length = _LENGTH(header, 0) if stored >= 0 else 0
        self.end_position = position + FRAME_BYTES + length if length >= MINIMUM_LENGTH else None

    def ends_near(self, position: int) -> bool:
        """Whether its length leads so near before a position that no batch has room between."""
        if not self.is_usual or self.end_position is None:
            return False
        return 0 < position - self.end_position < _room(self.magic)

    @cached_property
    def _records(self) -> _RecordWalk | None:
        """The records of a batch of magic 2 that may be uncompressed."""
        if self.magic in (0, 1) or (self.is_usual and self._codec):
            return None
        records = _RecordWalk(self._peek, self.position + HEADER_BYTES, self._effort)
        return records if records.end_at(records.position + 1) is not None else None

    @property
    def _codec(self) -> int:
        return _COMPRESSION(_ATTRIBUTES(self.header, 0))

    @cached_property
    def _ends(self) -> list[int]:
        """Where it ends by its compressed payload, or by the lengths in a message of magic 0 and 1."""
        if self._records is not None:
            return []
        start = self.position + HEADER_BYTES
        if self.magic in (0, 1):
            size = legacy_size(self.header, self.magic, lambda at, count: self._peek(self.position + at, count))
            own = None if self.end_position is None or not self.is_usual else self.end_position - self.position
            return [] if size is None or size < 0 or own not in (None, size) else [self.position + size]
        if not self._effort.allows(MOST_BATCH_BYTES):
            return []
        codec = self._codec if self.is_usual else None
        return [start + end for end in payload_ends(codec, memoryview(self._peek(start, MOST_BATCH_BYTES)))]

    def ends_at(self, position: int) -> bool:
        """Whether one of its lengths leads to a position."""
        if position == self.end_position or position in self._ends:
            return True
        return self._records is not None and self._records.end_at(position) == position

    def encloses_until(self, position: int) -> int:
        """The end of the record, or of the message, that covers a position; 0 if none is known."""
        if self.magic in (0, 1):
            return max((end for end in self._ends if end > position), default=0)
        end = None if self._records is None else self._records.end_at(position)
        return 0 if end is None or end == position else end

    def following(self, limit: int) -> _Broken | None:
        """The next batch, which is broken, too, and begins before a position."""
        ends = list[tuple[int, int | None]]()
        if self.is_usual and self.end_position is not None:
            ends.append((self.end_position, self.magic))
        ends += [(end, self.magic) for end in self._ends[-1:]]
        if self._records is not None and self._records.end_at(limit) is None:
            ends.append((self._records.position, CURRENT_MAGIC))
        for number, (end, magic) in enumerate(ends):
            if self.position < end < limit:
                other = _Broken(self._peek, end, magic, self._effort)
                if other.is_usual or (number == 0 and self.is_usual and not self.encloses_until(limit)):
                    return other
        return None


def _room(magic: int | None) -> int:
    """How many bytes a batch has at least before its content; of an unknown magic those of the smallest batch."""
    return HEADER_BYTES if magic == CURRENT_MAGIC else LEGACY_MINIMUM_BYTES


class _Anchoring:
    """Decides for the items of a search, in order, whether they belong to the log."""

    def __init__(
        self,
        source: WalkSource,
        start: int,
        end: int,
        entries: KnownStarts,
        base_offset: int | None,
        place_unanchored: bool,
    ) -> None:
        self._next_offset = base_offset
        """The lowest offset that a batch can have now; None if any."""
        self._source, self._end, self._entries, self._index = source, end, entries, _NamedStarts(entries)
        self._place_unanchored = place_unanchored
        self._effort = Effort(start, _EFFORT)
        self._anchor = start
        """Where the last anchored batch ends."""
        self._magic: int | None = None
        """The magic of that batch."""
        self._most_bytes = MOST_BATCH_BYTES
        self._largest = 0
        """How many bytes the largest anchored batch has."""
        self._broken: _Broken | None = None
        """The last broken batch that is known after the anchor."""
        self._chain: list[FoundBatch] = []
        """The waiting chain: batches that follow each other, of which the first one is not anchored."""
        self._chain_bytes = 0
        self._seam: int | None = None
        """Where the log may go on within the chain, because the broken batch that it begins in ends there."""
        self._enclosed_until = self._claimed_until = 0
        """Where a record ends in which the chain begins; where a broken batch ends in which it begins."""
        self._is_near = False
        self._outer_magic: int | None = None
        """Whether the broken batch ends near before the chain; and its magic."""

    def _peek(self, position: int, size: int) -> bytes:
        return self._source.read_at(position, max(0, min(size, self._end - position)))

    def of(self, items: Iterable[FoundBatch | Lost]) -> Iterator[FoundBatch | Lost]:
        """Yield the items; batches that are not anchored are marked as such, and have no offset."""
        for item in items:
            if isinstance(item, Lost) or item.content is Content.GUESSED:  # it ends where something seems to begin
                yield from self._ended()
                yield item if isinstance(item, Lost) or item.position == self._anchor else self._unanchored(item)
                continue
            if not self._chain and (item.position == self._anchor or self._reaches(item)):
                yield self._anchored(item)
                continue
            if self._seam is None and self._chain and item.position in (self._enclosed_until, self._claimed_until):
                self._seam = item.position
            if self._is_named(item):
                yield from self._ended(is_at_anchor=True)
                yield self._anchored(item)
                continue
            self._chain.append(item)
            self._chain_bytes += item.size
            is_beyond = self._seam is not None and item.end_position - self._seam > _MOST_PUT_IN
            if self._chain_bytes > self._most_bytes or item.end_position == self._end or is_beyond:
                yield from self._ended(is_at_anchor=True)
        yield from self._ended()

    def _anchored(self, batch: FoundBatch) -> FoundBatch:
        self._anchor, self._magic, self._broken = batch.end_position, batch.magic, None
        self._largest, self._next_offset = max(self._largest, batch.size), batch.last_offset + 1
        self._most_bytes = max(self._most_bytes, batch.size)
        self._index.passed(batch)
        return batch

    def _unanchored(self, batch: FoundBatch) -> FoundBatch:
        if self._place_unanchored:
            return replace(batch, standing=Standing.UNANCHORED)
        return replace(batch, offsets=Offsets.UNKNOWN, has_no_offset=True, standing=Standing.UNANCHORED)

    def _ended(self, *, is_at_anchor: bool = False) -> Iterator[FoundBatch]:
        """Yield the batches of the waiting chain, which ends here: where an anchored batch begins, or the log ends."""
        chain, self._chain = self._chain, []
        size, self._chain_bytes = self._chain_bytes, 0
        seam, self._seam = self._seam, None
        if not chain:
            return
        if seam is not None:
            yield from self._ended_after(seam, chain, is_at_anchor)
            return
        start, end = chain[0].position, chain[-1].end_position
        is_long = size > self._most_bytes
        is_missing = start < self._claimed_until < end - _MOST_PUT_IN
        is_beyond = self._entries.is_foreign_known and (self._is_near or is_missing)
        is_beyond = is_beyond and not any(start < last and first < end for first, last in self._entries.foreign)
        if end <= self._enclosed_until and not is_long:
            for batch in chain:
                yield replace(batch, offsets=Offsets.UNKNOWN, has_no_offset=True, standing=Standing.ENCLOSED)
            return
        if is_beyond and is_missing:
            doubtful = _bytes_until(chain, self._claimed_until)
        elif is_beyond and (is_at_anchor or size > _MOST_PUT_IN):
            doubtful = max(self._record_ends(chain), default=start) - start
        elif is_long or (is_at_anchor and (self._claimed_until < end or self._enclosed_until)):
            doubtful = self._doubtful_bytes(chain)
        else:
            doubtful = size
        for batch in chain:
            yield self._anchored(batch) if batch.end_position - start > doubtful else self._unanchored(batch)

    def _ended_after(self, seam: int, chain: Sequence[FoundBatch], is_at_anchor: bool) -> Iterator[FoundBatch]:
        """Yield the batches of a chain that begins in a broken batch and goes on where that ends.

        The log goes on there, unless bytes were put into the batch and one of its value's begins there by chance: the
        chain ends soon then, in lost bytes.
        """
        for batch in chain:
            if batch.position < seam:
                yield replace(batch, offsets=Offsets.UNKNOWN, has_no_offset=True, standing=Standing.ENCLOSED)
            elif is_at_anchor:
                yield self._anchored(batch)
            else:
                yield self._unanchored(batch)

    def _doubtful_bytes(self, chain: Sequence[FoundBatch]) -> int:
        """How many bytes of a chain may be in a value though it goes on to where the log ends, or to an anchored batch.

        A chain in a value that ends with the batch around it goes on with the log's own batches: a message of magic 0
        or 1 ends with its value, a batch of magic 2 with the value of a header. A record that begins before the chain
        and ends where one of its batches begins shows where. If no record is found, there is usually a gap of offsets;
        or if there is none, the value's first batch has the offset of the batch around it, which is the first one that
        is lost. A chain in a value is a few times as long as usual batches. (A writer who knows that offset, and leaves
        out the first one of several, is not found out so.)
        """
        start, most = chain[0].position, _LEGACY_TIMES * max(self._largest, _LEGACY_BYTES)
        if self._outer_magic == CURRENT_MAGIC or (self._outer_magic is None and chain[-1].magic == CURRENT_MAGIC):
            if start - self._anchor < HEADER_BYTES + _SMALLEST_RECORD:
                return 0
            if self._enclosed_until:
                return _bytes_until(chain, self._enclosed_until)
            if ends := self._record_ends(chain):
                return max(ends) - start
        doubtful, expected = 0, self._next_offset
        for batch in chain:
            if batch.position - start > most:
                break
            first = _first_offset(batch, self._source)
            if batch is chain[0] and batch.bytes_in_first_sector <= UNCOVERED_BYTES:
                expected = None  # the offset may be lost with the bytes before
                continue
            if batch is chain[0]:
                if first is None or (expected is not None and first <= expected):
                    doubtful = batch.size
            elif first != expected and expected is not None:
                doubtful = batch.position - start
            expected = batch.last_offset + 1
        return doubtful

    def _record_ends(self, chain: Sequence[FoundBatch]) -> set[int]:
        """The borders of a chain's batches at which a record ends that begins in the lost bytes before it."""
        start, most = chain[0].position, self._anchor + self._most_bytes
        ends = {start} | {batch.end_position for batch in chain if batch.end_position <= most}
        first = max(self._anchor, start - _LOOK_BACK)
        if not self._effort.allows(start - first):
            return set()
        record_ends, reader = set[int](), Reader(self._peek(first, max(ends) - first))
        for position in range(first, start):
            if not reader.data[position - first]:
                continue  # no record has so few bytes
            reader.position = position - first
            try:
                end = first + RECORD_LENGTH.read(reader) + reader.position
            except DataError:
                continue
            if end in ends and _is_record(reader, end - first):
                record_ends.add(end)
        return record_ends

    def _foreign_page(self, position: int) -> tuple[int, int] | None:
        """The page in which a position is, if it belongs elsewhere."""
        return next((page for page in self._entries.foreign if page[0] <= position < page[1]), None)

    def _is_named(self, batch: FoundBatch) -> bool:
        """Whether a batch is known to begin there, or the offset index names its position and one of its offsets."""
        return batch.position in self._entries.starts or self._index.names(batch)

    def _reaches(self, batch: FoundBatch) -> bool:
        """Whether the lengths of broken batches lead to a batch, from the anchor or a named position on."""
        position = batch.position
        self._effort.reach(position)
        self._enclosed_until = self._claimed_until = 0
        magic = self._magic
        self._is_near = 0 < position - self._anchor < _room(magic)
        self._outer_magic = magic
        if self._foreign_page(self._anchor - 1) != self._foreign_page(position):
            self._is_near = False
            return False  # what follows the anchor lies elsewhere, and no length leads into such a page
        broken = self._broken or _Broken(self._peek, self._anchor, magic, self._effort)
        self._broken, leads = self._followed(broken, position)
        if leads:
            return True
        broken, start = self._broken, self._index.last_before(position)
        if start is not None and start > broken.position:
            named = _Broken(self._peek, start, magic, self._effort)
            broken, leads = self._followed(named, position)
            if leads:
                return True
        until = broken.encloses_until(position)
        self._enclosed_until = until if until - broken.position <= self._most_bytes else 0
        self._outer_magic = broken.magic
        if broken.is_usual and broken.end_position is not None:
            self._claimed_until = broken.end_position
        return False

    def _followed(self, broken: _Broken, position: int) -> tuple[_Broken, bool]:
        """Follow broken batches from one on: the last one before a position, and whether it ends there."""
        for _ in range(_MOST_HOPS):
            if broken.ends_at(position):
                return broken, True
            self._is_near = self._is_near or broken.ends_near(position)
            following = broken.following(position)
            if following is None:
                break
            broken = following
        return broken, False


def _is_record(reader: Reader, end: int) -> bool:
    """Whether the bytes after a record's length are a record that ends at a position, by the lengths in it."""
    data, start = reader.data, reader.position
    try:
        if start >= end or data[start]:
            return False
        reader.position = start + 1
        _TIMESTAMP_DELTA.read(reader)
        if _OFFSET_DELTA.read(reader) < 0:
            return False
        for _ in range(2):  # the key, and the value
            size = RECORD_LENGTH.read(reader)
            if size < -1:
                return False
            reader.position += max(0, size)
            if reader.position >= end:
                return False
        count = RECORD_LENGTH.read(reader)
        if not 0 <= count <= end - reader.position:
            return False
        for _ in range(2 * count):
            size = RECORD_LENGTH.read(reader)
            if size < -1 or reader.position + size > end:
                return False
            reader.position += max(0, size)
    except (DataError, IndexError):
        return False
    return reader.position == end


def _bytes_until(chain: Sequence[FoundBatch], position: int) -> int:
    """How many bytes the batches of a chain have that end at a position or before it."""
    start = chain[0].position
    return max((batch.end_position for batch in chain if batch.end_position <= position), default=start) - start


def _first_offset(batch: FoundBatch, source: WalkSource) -> int | None:
    """The first offset of a batch; None of a wrapper that cannot be read."""
    if batch.magic >= CURRENT_MAGIC:
        return batch.base_offset
    decoded = batch.batch(source)
    assert isinstance(decoded, LegacyBatch)
    try:
        return batch.last_offset - decoded.records_count + 1
    except DataError:
        return None


def anchored(
    items: Iterable[FoundBatch | Lost],
    source: WalkSource,
    start: int,
    end: int,
    entries: KnownStarts,
    base_offset: int | None,
    *,
    place_unanchored: bool = False,
) -> Iterator[FoundBatch | Lost]:
    """Yield the items in order: enclosed and unanchored batches are marked as such, and their offsets are unknown.

    Args:
        start, end: positions in the source; ``start`` is anchored.
        entries: those of the offset index that are in order.
        base_offset: the segment's; None if the bytes are no log.
        place_unanchored: take unanchored batches for the log's; not enclosed ones.
    """
    return _Anchoring(source, start, end, entries, base_offset, place_unanchored).of(items)


__all__ = ["MOST_BATCH_BYTES", "KnownStarts", "anchored"]

"""Find batches in any bytes, prove them, and grade the proof: for logs whose framing is damaged, and for what is left
of a disk.

* A batch is *proved* if its checksum holds: as it is stored, or after one header field that the checksum does not cover
  was restored, its length or its magic. The sum itself says where a batch of unknown length ends.
* It is *corrected* if the checksum holds after one bit was flipped, which the checksum names, or after one field of the
  header was replaced by what something else says: its records, the batch before, or that a producer has to be there.
* It is *structural* if its records can be read to its end, though no checksum holds.
* It is *guessed* if records can be read up to the damage.

No checksum covers a batch's offset. It counts as stored if it fits to the batches around it; as inferred if it does
not, and the batches between two that do fill bytes and offsets between these exactly; otherwise as unknown, like that
of a batch that may be the value of a record that was lost (`anchoring`). Neither is the leader epoch covered: it is
restored where the batches before and after have one that this one cannot be between.

A batch that begins where another ends, at a known position, or at the start is looked at more closely than one that
begins anywhere. What is inside a proved batch is never looked at.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.codec.reader import Reader
from kformat.errors import DataError
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT64
from kformat.kafka.batch.framing import (
    CURRENT_MAGIC,
    FRAME_BYTES,
    HEADER_BYTES,
    MINIMUM_LENGTH,
    WalkSource,
    borders,
    headers_at,
)
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.records import Batch, add_sequence
from kformat.kafka.damage.anchoring import NO_ENTRIES, RECORD_LENGTH, KnownStarts, anchored
from kformat.kafka.damage.candidates import ATTRIBUTES, broken_rules, candidates, is_legacy_header, kernels_for
from kformat.kafka.damage.effort import Effort
from kformat.kafka.damage.found_batch import (
    CURRENT,
    LEGACY,
    ChecksumKind,
    Content,
    FoundBatch,
    Lost,
    Offsets,
    Standing,
    is_ordered,
    kind_of,
    legacy_size,
    reader_of,
    reads,
    record_deltas,
    restored,
    with_size,
    writer_of,
)
from kformat.kafka.damage.placing import placed
from kformat.language.layout import layout
from kformat.storage.algorithms import algorithm_of
from kformat.storage.checksum import crc32c_of_parts, crc32c_of_two
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.storage.syndrome import MOST_BYTES, flipped_bit, table_of

_BATCH: Final = layout("record_batch")
_LENGTH: Final = _BATCH.reader("batch_length")
_MAGIC: Final = _BATCH.reader("magic")
_COUNT: Final = _BATCH.reader("records_count")
_ATTRIBUTES: Final = _BATCH.reader("attributes")
_COMPRESSION: Final = _BATCH.bit_readers("attributes")["compression"]
_FIELDS: Final = tuple((name, _BATCH.position(name), _BATCH.end(name)) for name in _BATCH.header_dtype.names or ())
_USED_ATTRIBUTES: Final = (1 << _BATCH.bits("attributes")["reserved"].shift) - 1

SUMMED_BYTES: Final = 1 << 20
"""How far the end of a batch of unknown length is looked for byte by byte; farther only where something begins."""
_SUMMED_STEPS: Final = (1 << 13, 1 << 16, SUMMED_BYTES)
_SLOWER: Final = 4
"""How many times as long it takes to sum bytes one by one."""
_MOST_ENDS: Final = 16
_MOST_HITS: Final = 8
_RUN_BYTES: Final = 1 << 18
_CACHED_BYTES: Final = 1 << 20
_LOOK_BYTES: Final = 1 << 16
"""The cost of a close look at a position where nothing is known to begin."""
_EFFORT: Final = 32
"""How many bytes may be summed for each byte that is searched, on top of a fixed number, whatever the bytes are."""


class _Cached:
    """A source that is read in larger pieces, one after the other; a window that is searched for candidates is kept, so
    that looking at these reads nothing again."""

    def __init__(self, source: WalkSource) -> None:
        self._source, self.name, self.size = source, source.name, source.size
        self._data, self._start = b"", 0

    def read_at(self, position: int, size: int) -> bytes:
        at = position - self._start
        if at < 0 or at + size > len(self._data):
            if size > 2 * _CACHED_BYTES:
                return self._source.read_at(position, size)
            self._data, self._start, at = self._source.read_at(position, max(size, _CACHED_BYTES)), position, 0
        return self._data[at : at + size]

    def peek_at(self, position: int, size: int) -> bytes:
        """Read as `read_at` does, and leave the kept window as it is."""
        at = position - self._start
        is_kept = at >= 0 and at + size <= len(self._data)
        return self._data[at : at + size] if is_kept else self._source.read_at(position, size)


def _are_records(data: bytes) -> bool:
    """Whether records fill bytes, by their lengths."""
    reader = Reader(data)
    while reader.position < reader.limit:
        try:
            length = RECORD_LENGTH.read(reader)
        except DataError:
            return False
        if length <= 0:
            return False
        reader.position += length
    return reader.position == reader.limit


def _attributes_by_sum(header: bytearray, difference: int, computed: Callable[[], int]) -> int | None:
    """The attributes that explain a difference between stored and computed checksum, if any do. The change that each
    bit makes in the sum does not depend on the others."""
    first, stored = difference ^ CURRENT.stored(bytes(header)), _ATTRIBUTES(header, 0)

    def change(bits: int) -> int:
        writer_of("attributes")(header, 0, stored ^ bits)
        effect = computed() ^ first
        writer_of("attributes")(header, 0, stored)
        return effect

    unused = stored & ~_USED_ATTRIBUTES
    sums = [change(unused) if unused else 0]
    for bit in range(_USED_ATTRIBUTES.bit_length()):
        of_bit = change(1 << bit)
        sums += [total ^ of_bit for total in sums]
    changed = sums.index(difference) if difference in sums else None
    value = None if changed is None else (stored & _USED_ATTRIBUTES) ^ changed
    return value if value in ATTRIBUTES else None


class _Search:
    """The batches between two positions, in order, not yet with grades of offsets: see `find_batches`."""

    def __init__(
        self, source: WalkSource, start: int, end: int, known: npt.ArrayLike, weakest: Content, limit: int
    ) -> None:
        self.source, self.start, self.end, self.limit = source, start, end, limit
        self.known: list[int] = np.unique(np.asarray(known, np.int64)).tolist()
        self._known = set(self.known)
        grades = list(Content)
        self.allowed = frozenset(grades[: grades.index(Content(weakest)) + 1])
        self._cached = _Cached(source)
        self._effort, self._effort_as_stored = Effort(start, _EFFORT), Effort(start, _EFFORT)
        self._before: FoundBatch | None = None

    def __iter__(self) -> Iterator[FoundBatch | Lost]:
        position = self.start
        while position < self.end:
            for batch in self._run(position):
                position = batch.end_position
                yield batch
                self._before = batch
            if position >= self.end:
                return
            following = self._next(position)
            if following is None:
                yield Lost(position, self.end)
                return
            if following.position > position:
                yield Lost(position, following.position)
            yield following
            self._before = following
            position = following.end_position

    def _read(self, position: int, size: int) -> bytes:
        return self._cached.read_at(position, max(0, min(size, self.end - position)))

    def _peek(self, position: int, size: int) -> bytes:
        return self._cached.peek_at(position, max(0, min(size, self.end - position)))

    def _run(self, position: int) -> Iterator[FoundBatch]:
        """The batches from a position on whose framing and checksums are right."""
        while position < self.end:
            data = self._read(position, _RUN_BYTES)
            edges = borders(data, most_magic=CURRENT_MAGIC)
            if edges[-1] > len(data):
                edges.pop()
            if len(edges) < 2:  # none, a large one, or one of an older format
                batch = self._as_stored(position, data[:HEADER_BYTES])
                if batch is None:
                    return
                yield batch
                position = batch.end_position
                continue
            ends = np.array(edges, np.int64)
            stored = headers_at(data, ends[:-1])[CURRENT.field]
            is_right = stored == crc32c_of_parts(
                np.frombuffer(data, np.uint8), ends[:-1] + CURRENT.covered_from, ends[1:]
            )
            count = len(is_right) if is_right.all() else int(is_right.argmin())
            for at, end in itertools.pairwise(edges[: count + 1]):
                yield FoundBatch(position + at, end - at, Content.PROVED, data[at : at + HEADER_BYTES])
            position += edges[count]
            if count < len(is_right):
                return

    def _next(self, position: int) -> FoundBatch | None:
        """The first batch at or after a position at which no sound one begins."""
        batch = self._at(position, is_expected=True)
        if batch is not None:
            return batch
        known = self.known[bisect_right(self.known, position) :]
        last = position
        for candidate in heapq.merge(candidates(self._cached, position + 1, self.end), known):
            if last < candidate < self.end:
                last = candidate
                batch = self._at(candidate, is_expected=candidate in self._known)
                if batch is not None:
                    return batch
        return None

    def _at(self, position: int, *, is_expected: bool) -> FoundBatch | None:
        """The batch at a position, as stored or restored."""
        header = self._read(position, HEADER_BYTES)
        if len(header) < LEGACY_MINIMUM_BYTES:
            return None
        batch = self._as_stored(position, header) if is_expected else self._spotted(position, header)
        return batch or self._restored(position, header, is_expected)

    def _allows(self, position: int, size: int, *, is_as_stored: bool = False) -> bool:
        """Whether so many bytes may be summed for a batch at a position. Restoring batches does not use up the effort
        that is left for sound ones."""
        effort = self._effort_as_stored if is_as_stored else self._effort
        effort.reach(position)
        return effort.allows(size)

    # As stored

    def _sum(self, position: int, size: int, kind: ChecksumKind) -> int:
        """The checksum of a batch of that size."""
        return algorithm_of(kind.algorithm).compute(self._read(position + kind.covered_from, size - kind.covered_from))

    def _fits(self, position: int, size: int, kind: ChecksumKind) -> bool:
        return kind.least_bytes <= size <= self.limit and position + size <= self.end

    def _as_stored(self, position: int, header: bytes) -> FoundBatch | None:
        """The batch at a position if nothing is wrong with it."""
        if len(header) < LEGACY_MINIMUM_BYTES or not 0 <= _MAGIC(header, 0) <= CURRENT_MAGIC:
            return None
        kind, size = kind_of(_MAGIC(header, 0)), FRAME_BYTES + _LENGTH(header, 0)
        if not self._fits(position, size, kind) or not self._allows(position, size, is_as_stored=True):
            return None
        if self._sum(position, size, kind) != kind.stored(header):
            return None
        return FoundBatch(position, size, Content.PROVED, header[:size])

    def _spotted(self, position: int, header: bytes) -> FoundBatch | None:
        """The batch at a candidate if nothing is wrong with it.

        Random bytes hold many headers of large batches, and summing all would take most of the time. So key and value
        have to fill a message, and a batch above `SUMMED_BYTES` has a usual header, or something begins at its end.
        """
        if len(header) < LEGACY_MINIMUM_BYTES:
            return None
        size = FRAME_BYTES + _LENGTH(header, 0)
        if _MAGIC(header, 0) in (0, 1):
            if self._message_size(position, header) != size:
                return None
        elif size > SUMMED_BYTES and broken_rules(header, most=0) and not self._is_border(position + size):
            return None
        return self._as_stored(position, header)

    # Restored

    def _restored(self, position: int, header: bytes, is_expected: bool) -> FoundBatch | None:
        """The batch at a position, where something is wrong with it."""
        magic, batch, broken = _MAGIC(header, 0), None, 1
        is_legacy = is_expected and magic in (0, 1) and is_legacy_header(header, magic)
        if is_legacy:
            batch = self._legacy(position, header)
        is_whole = len(header) == HEADER_BYTES
        if is_whole:
            broken = broken_rules(header, most=1)
        is_current = is_whole and magic == CURRENT_MAGIC and (is_expected or broken <= 1)
        if not is_expected and not (is_current or not broken):
            return None
        if not is_expected and not self._allows(position, _LOOK_BYTES):
            return None
        if batch is None and is_current:
            batch = self._corrected(position, header, CURRENT)
        if batch is None and not broken and not self._ends_before_proved(position, header):
            batch = self._with_length(position, header)
        if batch is None and is_expected:
            batch = self._corrected(position, header, LEGACY)
        if batch is None and is_legacy and Content.STRUCTURAL in self.allowed:
            size = FRAME_BYTES + _LENGTH(header, 0)
            if self._fits(position, size, LEGACY) and self._allows(position, size):
                structural = FoundBatch(position, size, Content.STRUCTURAL, header[:size])
                is_read = reads(structural.batch(self.source, self.limit)) and not self._overlaps(structural)
                batch = structural if is_read else None
        if batch is None and is_current:
            batch = self._weaker(position, header, is_expected or self._ends_before_proved(position, header))
        return batch

    def _ends_before_proved(self, position: int, header: bytes) -> bool:
        """Whether the length of a batch of magic 2 leads to a batch whose checksum is right."""
        end = position + FRAME_BYTES + _LENGTH(header, 0)
        if _MAGIC(header, 0) != CURRENT_MAGIC or not position < end < self.end:
            return False
        return self._as_stored(end, self._peek(end, HEADER_BYTES)) is not None

    def _message_size(self, position: int, header: bytes) -> int | None:
        return legacy_size(header, _MAGIC(header, 0), lambda at, size: self._peek(position + at, size))

    def _legacy(self, position: int, header: bytes) -> FoundBatch | None:
        """A message whose size is what the lengths of key and value say."""
        size = self._message_size(position, header)
        if size is None or not self._fits(position, size, LEGACY) or not self._allows(position, size):
            return None
        if self._sum(position, size, LEGACY) != LEGACY.stored(header):
            return None
        return with_size(FoundBatch(position, size, Content.PROVED, header[:size]))

    def _with_length(self, position: int, header: bytes) -> FoundBatch | None:
        """A batch whose magic or length is wrong, and nothing else of what its checksum needs."""
        stored = CURRENT.stored(header)

        def of_size(size: int) -> FoundBatch:
            return restored(with_size(FoundBatch(position, size, Content.PROVED, header)), magic=CURRENT_MAGIC)

        def is_proved(size: int) -> bool:
            return self._sum(position, size, CURRENT) == stored

        size = FRAME_BYTES + _LENGTH(header, 0)
        if not _COUNT(header, 0):  # an emptied batch is its header: zeros after anything look like one
            return of_size(HEADER_BYTES) if is_proved(HEADER_BYTES) else None
        if _MAGIC(header, 0) != CURRENT_MAGIC and self._fits(position, size, CURRENT):
            if self._allows(position, size) and is_proved(size):
                return of_size(size)
        first = HEADER_BYTES - CURRENT.covered_from
        for most in _SUMMED_STEPS:
            data = self._read(position + CURRENT.covered_from, most)
            if not self._allows(position, _SLOWER * len(data)):
                return None
            for covered in _ends_of_sum(data, first, stored):
                batch = of_size(CURRENT.covered_from + covered)
                if self._is_border(batch.end_position) or reads(batch.batch(self.source, self.limit)):
                    return batch
            if len(data) < most:
                break
            first = most + 1
        for end in self._ends(position + CURRENT.covered_from + SUMMED_BYTES, position + self.limit):
            if not self._allows(position, end - position):
                return None
            if is_proved(end - position):
                return of_size(end - position)
        return None

    def _corrected(self, position: int, header: bytes, kind: ChecksumKind) -> FoundBatch | None:
        """A batch of which one bit is wrong. Where a proved one begins in it and goes on after it, a byte was lost."""
        size = FRAME_BYTES + _LENGTH(header, 0)
        is_small = size - kind.covered_from <= MOST_BYTES
        if Content.CORRECTED not in self.allowed or not self._fits(position, size, kind) or not is_small:
            return None
        if not self._allows(position, size):
            return None
        difference = self._sum(position, size, kind) ^ kind.stored(header)
        if not difference:
            return None
        if difference & (difference - 1) == 0:  # a bit of the checksum itself
            value = kind.stored(header) ^ difference
            changed = bytearray(header[:size])
            kind.layout.writer(kind.field)(changed, kind.at, value)
            batch = FoundBatch(position, size, Content.CORRECTED, bytes(changed), restored=(kind.field,))
        else:
            bit = flipped_bit(kind.algorithm, difference, size - kind.covered_from)
            if bit is None:
                return None
            bit += 8 * kind.covered_from
            if bit < 8 * len(header):
                changed = bytearray(header[:size])
                changed[bit // 8] ^= 1 << bit % 8
                names = tuple(name for name, start, end in _FIELDS if kind is CURRENT and start <= bit // 8 < end)
                batch = FoundBatch(position, size, Content.CORRECTED, bytes(changed), restored=names or ("message",))
            else:
                batch = FoundBatch(position, size, Content.CORRECTED, header[:size], flipped=bit)
        return batch if reads(batch.batch(self.source, self.limit)) and not self._overlaps(batch) else None

    def _weaker(self, position: int, header: bytes, is_likely: bool) -> FoundBatch | None:
        """What can be read of a batch of magic 2 whose checksum does not hold."""
        size = FRAME_BYTES + _LENGTH(header, 0)
        if self._fits(position, size, CURRENT) and self._allows(position, size):
            structural = FoundBatch(position, size, Content.STRUCTURAL, header)
            records = self._read(position + HEADER_BYTES, size - HEADER_BYTES)
            batch = self._with_field(structural, records) or self._structural(structural)
            if batch is not None:
                return batch
        else:
            size = 0
        return self._guessed(position, header, size) if is_likely and Content.GUESSED in self.allowed else None

    def _with_field(self, batch: FoundBatch, records: bytes) -> FoundBatch | None:
        """A batch whose checksum holds once one field of its header has a value from elsewhere."""
        if Content.CORRECTED not in self.allowed or len(records) > SUMMED_BYTES:
            return None
        covered_from, stored = CURRENT.covered_from, CURRENT.stored(batch.header)
        header = bytearray(batch.header)

        def computed() -> int:
            return crc32c_of_two(bytes(header[covered_from:]), records)

        difference = computed() ^ stored
        attributes = _attributes_by_sum(header, difference, computed)
        values = itertools.chain(
            [] if attributes is None else [("attributes", attributes)], self._values(batch, records)
        )
        for name, value in values:
            before = reader_of(name)(header, 0)
            writer_of(name)(header, 0, value)
            if computed() == stored:
                changed = replace(restored(batch, **{name: value}), content=Content.CORRECTED)
                return changed if reads(changed.batch(self.source, self.limit)) else None
            writer_of(name)(header, 0, before)
        return None

    def _values(self, batch: FoundBatch, records: bytes) -> Iterator[tuple[str, int]]:
        """Yield fields under the checksum, but for the attributes, and values that they may have had."""
        before = self._before
        for name in ("producer_id", "producer_epoch", "base_sequence"):
            yield name, -1
            if before is not None and before.magic == CURRENT_MAGIC:
                yield name, reader_of(name)(before.header, 0)
        if before is not None and before.magic == CURRENT_MAGIC:
            sequence = reader_of("base_sequence")(before.header, 0)
            yield "base_sequence", add_sequence(sequence, before.last_offset - before.base_offset + 1)
        if _COMPRESSION(_ATTRIBUTES(batch.header, 0)) == 0 and not _are_records(records):
            return
        decoded = batch.batch(self.source, self.limit)
        assert isinstance(decoded, Batch)
        deltas, is_whole = record_deltas(decoded)
        if not is_whole or not deltas:
            return
        yield "records_count", len(deltas)
        yield "last_offset_delta", deltas[-1].offset
        largest = max(delta.timestamp for delta in deltas)
        for name, value in (
            ("max_timestamp", decoded.base_timestamp + largest),
            ("base_timestamp", decoded.max_timestamp - largest),
        ):
            if MIN_INT64 <= value <= MAX_INT64:
                yield name, value

    def _structural(self, batch: FoundBatch) -> FoundBatch | None:
        """A batch that can be read to its end, with the counts of its records where the header's are wrong."""
        if Content.STRUCTURAL not in self.allowed:
            return None
        decoded = batch.batch(self.source, self.limit)
        assert isinstance(decoded, Batch)
        deltas, is_whole = record_deltas(decoded)
        last = deltas[-1].offset if deltas else decoded.last_offset_delta
        if not is_whole or not is_ordered(deltas, last):
            return None
        if self._overlaps(batch):
            return None
        batch = restored(batch, records_count=len(deltas))
        if not is_ordered(deltas, decoded.last_offset_delta):
            batch = restored(batch, last_offset_delta=last)
        largest = decoded.base_timestamp + max((delta.timestamp for delta in deltas), default=0)
        is_own = decoded.timestamp_type == 0 and decoded.delete_horizon_ms is None
        if deltas and is_own and MIN_INT64 <= largest <= MAX_INT64:
            batch = restored(batch, max_timestamp=largest)
        if (
            decoded.producer_id >= 0
            and not decoded.is_transactional
            and min(decoded.producer_epoch, decoded.base_sequence) < 0
        ):
            batch = restored(batch, producer_id=-1, producer_epoch=-1, base_sequence=-1)
        return batch

    def _guessed(self, position: int, header: bytes, size: int) -> FoundBatch | None:
        """A batch of which some records can be read. It ends where its length says or where the next one begins."""
        end = position + size
        if not size or not self._is_border(end):
            end = next(self._ends(position + HEADER_BYTES, position + self.limit), 0)
        if not end:
            return None
        inner = self._proved_between(position + 1, end)
        end = end if inner is None else inner.position
        if end - position < HEADER_BYTES or not self._allows(position, end - position):
            return None
        batch = with_size(FoundBatch(position, end - position, Content.GUESSED, header))
        decoded = batch.batch(self.source, self.limit)
        assert isinstance(decoded, Batch)
        deltas, _ = record_deltas(decoded)
        return batch if deltas and is_ordered(deltas[:1], decoded.last_offset_delta) else None

    def _proved_between(self, start: int, end: int) -> FoundBatch | None:
        """The first batch with a right checksum that begins between two positions."""
        for candidate in candidates(self.source, start, min(self.end, end + HEADER_BYTES)):
            if candidate >= end:
                break
            batch = self._spotted(candidate, self._read(candidate, HEADER_BYTES))
            if batch is not None:
                return batch
        return None

    def _overlaps(self, batch: FoundBatch) -> bool:
        """Whether a proved batch begins in a batch and ends after it: so it is not a value there."""
        start = batch.position + 1
        while (inner := self._proved_between(start, batch.end_position)) is not None:
            if inner.end_position > batch.end_position:
                return True
            start = inner.end_position
        return False

    def _is_border(self, position: int) -> bool:
        """Whether something ends or begins at a position."""
        if position == self.end or position in self._known:
            return True
        header = self._peek(position, HEADER_BYTES)
        if len(header) < LEGACY_MINIMUM_BYTES or _LENGTH(header, 0) < MINIMUM_LENGTH:
            return False
        magic = _MAGIC(header, 0)
        return (magic in (0, 1) and is_legacy_header(header, magic)) or (
            magic == CURRENT_MAGIC and not broken_rules(header, most=0)
        )

    def _ends(self, after: int, most: int) -> Iterator[int]:
        """A few positions at which a batch may end, after one position and up to another."""
        if after >= self.end:
            return
        most = min(most, self.end)
        known = self.known[bisect_right(self.known, after) :]
        last, count = after, 0
        for end in heapq.merge(candidates(self.source, after, most), known, [most] if most == self.end else []):
            if last < end <= most and (end == self.end or self._is_border(end)):
                last, count = end, count + 1
                yield end
                if count == _MOST_ENDS:
                    return


def _ends_of_sum(data: bytes, first: int, stored: int) -> list[int]:
    """The lengths, from ``first`` on, of prefixes of the data whose checksum of magic 2 is ``stored``; a few."""
    if len(data) < first:
        return []
    table, module = table_of(CURRENT.algorithm), kernels_for(8 * len(data))
    if module is not None:
        room = np.empty(_MOST_HITS, np.int64)
        count = module.ends_of_sum(np.frombuffer(data, np.uint8), first, table, stored, room)
        ends: list[int] = room[:count].tolist()
        return ends
    register, target, entries = 0xFFFFFFFF, stored ^ 0xFFFFFFFF, table.tolist()
    ends = []
    for end, byte in enumerate(data, 1):
        register = entries[(register ^ byte) & 0xFF] ^ (register >> 8)
        if register == target and end >= first:
            ends.append(end)
            if len(ends) == _MOST_HITS:
                break
    return ends


def find_batches(
    source: WalkSource,
    start: int = 0,
    end: int | None = None,
    *,
    known: npt.ArrayLike = (),
    weakest: Content = Content.GUESSED,
    base_offset: int | None = None,
    end_offset: int | None = None,
    end_epoch: int | None = None,
    limit: int = DEFAULT_INFLATE_LIMIT,
    overflows: bool = False,
    entries: KnownStarts = NO_ENTRIES,
    place_unanchored: bool = False,
) -> Iterator[FoundBatch | Lost]:
    """Find the batches of all magics between two positions: every byte is in exactly one of what is yielded, in order.

    Args:
        source: usually a `ByteSource`; it may be larger than any log.
        start, end: positions in bytes; ``end`` is the source's by default.
        known: positions at which batches may begin, as of an offset index; they need not be right.
        weakest: nothing that is graded lower is found.
        base_offset: that of the segment, if it is one.
        end_offset: the one above the highest that a batch can have, as the base offset of the next segment.
        end_epoch: the leader epoch of the next segment's first batch, if it is known: no batch here has a higher one.
        limit: the largest batch in bytes, stored or decompressed.
        overflows: whether batches may have offsets for which a segment has no room, so that it has to be split.
        entries: of the segment's offset index, those that are in order: batches that these name are anchored.
        place_unanchored: give batches that may be values of records the offsets that they say. So it is where there is
            no ``base_offset``, because the bytes are no log then.

    Memory is bounded by the largest batch, and the known positions. Raises OSError if the source cannot be read; the
    bytes raise nothing, whatever they are.
    """
    end = source.size if end is None else min(end, source.size)
    if base_offset is not None:
        most = MAX_INT64 if overflows else min(base_offset + MAX_INT32 + 1, MAX_INT64)  # a log ends at an offset, too
        end_offset = most if end_offset is None else min(end_offset, most)
    search = _Search(source, start, end, known, weakest, limit)
    is_free = place_unanchored or base_offset is None
    items = anchored(search, source, start, end, entries, base_offset, place_unanchored=is_free)
    return placed(items, source, start, base_offset, end_offset, end_epoch)


__all__ = ["Content", "FoundBatch", "Lost", "Offsets", "Standing", "find_batches"]

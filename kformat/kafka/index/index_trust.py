"""Decide which index entries match the log, for an index that was not closed cleanly.

A broker truncates a mapped index by lowering a count (AbstractIndex.truncateToEntries). The slots keep their old
content until new entries overwrite them from the front, or until a clean close or a roll trims the file. On a live or
killed broker the index of an active segment may therefore end with *stale* slots of the truncated branch. They can look
like entries: increasing, and inside the log.

`prove` tells them apart by comparing them with the log. It relies on these facts:

* Stale slots are a suffix: all entries of the present log come before them.
* LogSegment.append adds an entry whenever more than `index.interval.bytes` were appended since the last one. So the log
  after its last entry is shorter than the interval plus one append. A stale slot that points before that tail is
  harmless: if the log contradicted it, the append of a later entry would have overwritten it, or left it out of order.
* Hence entries that point more than a tail's length before the end of the log are valid. The log after the last of them
  is read: the last few MiB. An entry there is valid if a batch begins at its position, above all offsets before it;
  a time entry also needs its batch to be the first to reach its timestamp.

Entries of the present log can be wrong, too. After truncating, a broker continues with the largest timestamp of the
time index, and forgets larger ones that came after its last entry (LogSegment.truncateTo, readLargestTimestamp). The
next entries may then hold smaller timestamps. A log is truncated when its leader epoch changes, so the headers around
each change are read, and later time entries that do not exceed the timestamps before the change are left out.

The length of a tail is not on disk. `TAIL_BYTES` covers what a follower appends at once (1 MiB by default:
`replica.fetch.max.bytes`); if entries are farther apart than that, their distance is used.

`BatchesByPosition` and `BatchesByOffset` consume the batches of a log during one pass, and keep the facts needed for
each entry: memory grows with the entries, not with the log. `check` uses them to verify entries, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from kformat.errors import DataError
from kformat.integers import MAX_INT32, MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders, iter_batch_headers, read_batch_headers, sound_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, Walk
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.index.indexing import EntryArray
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

TAIL_BYTES: Final = 2 << 20
"""The minimum length of the tail of a log that is compared with the entries."""

_MOST_TRIED: Final = 4096
"""How many entries are tried in order to continue after damage."""
_NAMING_WINDOW_BYTES: Final = 1 << 16

_MAGIC: Final = layout("record_batch").reader("magic")
_LEADER_EPOCH: Final = layout("record_batch").reader("partition_leader_epoch")
_NATIVE_HEADER: Final = layout("record_batch").header_dtype.newbyteorder("=")
_NO_OFFSET: Final = MIN_INT64


class Batches(Protocol):
    """Some batches of a log, in the form of a `Block`."""

    @property
    def headers(self) -> BatchHeaders: ...
    @property
    def is_sound(self) -> BoolArray: ...
    @property
    def after_hole(self) -> BoolArray: ...


class BatchesByPosition:
    """The batch at each of some positions.

    Attributes, one value per position given: ``state`` is UNKNOWN (after or in damage), START of a sound batch, or
    INSIDE of one; for START ``base_offset``, ``last_offset``, and ``previous_offset``: the last offset of the batch
    before, the lowest int64 if unknown; ``max_before``: the largest timestamp of all sound batches before it, ms, or
    the given value if that is larger.
    """

    UNKNOWN: Final = 0
    START: Final = 1
    INSIDE: Final = 2

    def __init__(self, position: Int64Array, *, max_before: int = -1) -> None:
        self.position = position
        self._max = max_before
        self._order = np.argsort(position, kind="stable")
        self._sorted = position[self._order]
        self.state = np.zeros(len(position), dtype=np.int8)
        self.base_offset = np.zeros(len(position), dtype=np.int64)
        self.last_offset = np.zeros(len(position), dtype=np.int64)
        self.previous_offset = np.full(len(position), _NO_OFFSET, dtype=np.int64)
        self.max_before = np.full(len(position), max_before, dtype=np.int64)
        self._previous = _NO_OFFSET

    def feed(self, block: Batches) -> None:
        """Process a block; blocks come in order of position."""
        headers = block.headers
        end = headers.position + headers.size
        last_offset = headers.last_offset
        low, high = np.searchsorted(self._sorted, (int(headers.position[0]), int(end[-1])))
        entries = self._order[low:high]
        position = self.position[entries]
        row = np.searchsorted(headers.position, position, side="right") - 1
        is_start = headers.position[row] == position
        inside = ~is_start & (position < end[row]) & block.is_sound[row]
        good = is_start & block.is_sound[row]
        self.state[entries[inside]] = self.INSIDE
        self.state[entries[good]] = self.START
        entries, row = entries[good], row[good]
        previous = np.concatenate(([self._previous], last_offset[:-1]))
        previous[block.after_hole] = _NO_OFFSET
        self.base_offset[entries] = headers.base_offset[row]
        self.last_offset[entries] = last_offset[row]
        self.previous_offset[entries] = previous[row]
        self._previous = int(last_offset[-1])
        so_far = np.maximum.accumulate(np.where(block.is_sound, headers.max_timestamp, self._max))
        self.max_before[entries] = np.maximum(np.concatenate(([self._max], so_far[:-1])), self._max)[row]
        self._max = max(self._max, int(so_far[-1]))


class BatchesByOffset:
    """The first sound batch that ends at or above each of some offsets.

    Attributes, one value per offset given: ``is_found``; then ``position``, ``base_offset``, ``last_offset`` and
    ``max_timestamp`` of that batch, ``has_gaps`` (fewer records than offsets, or the number is unknown), ``has_time``
    (magic 0 has none), ``after_hole`` as in `Block`, and ``max_before``: the largest timestamp of all sound batches
    before it, or the given value if that is larger, -1 for none. With ``keep_headers`` also ``headers``: the batches'
    headers as one array.
    """

    def __init__(self, offset: Int64Array, *, keep_headers: bool = False, max_before: int = -1) -> None:
        count = len(offset)
        self.headers = np.zeros(count, dtype=_NATIVE_HEADER) if keep_headers else None
        self.offset = offset
        self._order = np.argsort(offset, kind="stable")
        self._sorted = offset[self._order]
        self._done = 0
        self._max = max_before
        self.is_found, self.has_gaps, self.has_time, self.after_hole = (np.zeros(count, np.bool_) for _ in range(4))
        self.position, self.base_offset, self.last_offset, self.max_timestamp, self.max_before = (
            np.zeros(count, dtype=np.int64) for _ in range(5)
        )

    def feed(self, block: Batches) -> tuple[Int64Array, Int64Array]:
        """Process a block; blocks come in order of position. Returns the numbers of the offsets found now, and their
        rows.
        """
        headers = block.headers
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return rows, rows
        highest = np.maximum.accumulate(headers.last_offset[rows])
        so_far = np.maximum.accumulate(np.maximum(headers.max_timestamp[rows], -1))
        before = np.maximum(np.concatenate(([-1], so_far[:-1])), self._max)
        done = max(self._done, int(np.searchsorted(self._sorted, highest[-1], side="right")))
        entries = self._order[self._done : done]
        at = np.searchsorted(highest, self.offset[entries])
        row = rows[at]
        self.is_found[entries] = True
        self.position[entries] = headers.position[row]
        self.base_offset[entries] = headers.base_offset[row]
        self.last_offset[entries] = headers.last_offset[row]
        self.max_timestamp[entries] = headers.max_timestamp[row]
        self.max_before[entries] = before[at]
        self.has_gaps[entries] = headers.records_count[row] <= headers.last_offset_delta[row]
        self.has_time[entries] = headers.magic[row] > 0
        self.after_hole[entries] = block.after_hole[row]
        if self.headers is not None:
            self.headers[entries] = headers.columns[row]
        self._done, self._max = done, max(self._max, int(so_far[-1]))
        return entries, row


@dataclass(frozen=True, eq=False)
class Anchor:
    """Where a later proof may continue: the batch of the last proved offset entry.

    Attributes:
        position: of the batch, bytes. first_offset: its own.
        start: its first bytes; as long as they are unchanged, nothing before them has changed.
        offset_count, time_count: how many entries come before the batch's own, and before those in the batch.
        max_before: largest timestamp before the batch, ms; -1 for none.
    """

    position: int
    first_offset: int
    start: bytes
    offset_count: int
    time_count: int
    max_before: int

    def holds(self, source: ByteSource) -> bool:
        """Whether the batch is still there."""
        return source.read_at(self.position, len(self.start)) == self.start


@dataclass(frozen=True, eq=False)
class Indexes:
    """A segment's trusted index entries.

    Attributes:
        offset_entries, time_entries: structured arrays as in the files, ascending.
        largest_timestamp: of the segment's batches, ms, -1 for none; None if the log was not read; the last time entry
            then gives it.
        offset_left_count, time_left_count: entries of the files that the log does not confirm.
        anchor: where a later proof may begin.
        hides_from_brokers: the time index ends with zeros, which a broker that starts with these files counts as
            entries: it takes 0 for the segment's largest timestamp, and skips the segment in lookups by time.
    """

    offset_entries: EntryArray
    time_entries: EntryArray
    largest_timestamp: int | None = None
    offset_left_count: int = 0
    time_left_count: int = 0
    anchor: Anchor | None = None
    hides_from_brokers: bool = False


@dataclass(frozen=True, eq=False)
class _Piece:
    """Consecutive batches, as `Batches`; the first may follow damage."""

    headers: BatchHeaders
    is_sound: BoolArray
    after_hole: BoolArray


class _Tail:
    """The batches from a position on, in order.

    Damage does not end them if an entry leads to a sound batch after it. Batches with offsets that the segment cannot
    have count as damaged: no checksum covers the base offset. ``end`` is the end of the batches so far.
    """

    def __init__(
        self, source: ByteSource, base_offset: int, start: int, positions: Int64Array, offsets: Int64Array
    ) -> None:
        self.source, self.base_offset, self.end = source, base_offset, start
        self._positions, self._offsets = positions, offsets

    def __iter__(self) -> Iterator[_Piece]:
        position: int | None = self.end
        last_offset, is_after_hole = _NO_OFFSET, False
        while position is not None:
            problem = None
            for headers in iter_batch_headers(self.source, position, checksums=True):
                problem, self.end = headers.problem, headers.valid_bytes
                if len(headers):
                    last = headers.last_offset
                    is_sound = (headers.base_offset >= self.base_offset) & (last >= headers.base_offset)
                    is_sound &= last - self.base_offset <= MAX_INT32
                    yield _Piece(headers, is_sound, np.concatenate(([is_after_hole], ~is_sound[:-1])))
                    last_offset = int(last[is_sound][-1]) if is_sound.any() else last_offset
                    is_after_hole = not is_sound[-1]
            position = None if problem is None else self._resume_at(last_offset)
            is_after_hole = True

    def _resume_at(self, last_offset: int) -> int | None:
        """The position of the next entry that leads to a sound batch with larger offsets."""
        first, stop = np.searchsorted(self._positions, (self.end, self.source.size), side="right").tolist()
        for number in range(first, min(stop, first + _MOST_TRIED)):
            position = int(self._positions[number])
            base_offset = _first_offset_at(self.source, position)
            if base_offset is not None and last_offset < base_offset <= self._offsets[number]:
                return position
        return None


def _first_offset_at(source: ByteSource, position: int) -> int | None:
    """The first offset of the batch at a position; None if there is no batch with a right checksum."""
    batch = sound_batch(source, next(Walk(source, position), None))
    try:
        return None if batch is None else batch.base_offset
    except DataError:  # a wrapper that cannot be decompressed
        return None


def prove(
    source: ByteSource,
    base_offset: int,
    offset_entries: EntryArray,
    time_entries: EntryArray,
    known: Indexes | None = None,
) -> Indexes:
    """The trusted entries for a segment's log; see the module for the definition.

    Args:
        source: the log. base_offset: the segment's.
        offset_entries, time_entries: the files' entries, as delimited by `index_file.valid_entry_count`.
        known: the result of an earlier call for the same log, which may have grown or been truncated since. The entries
            up to its anchor are reused.

    Raises OSError if the log cannot be read; damage raises nothing. Memory is bounded by the number of batches that fit
    into the log, whatever the files hold.
    """
    counts, most = (len(offset_entries), len(time_entries)), source.size // LEGACY_MINIMUM_BYTES + 1
    offset_entries, time_entries = offset_entries[:most], time_entries[:most]
    proof = None if known is None else _continued(source, base_offset, offset_entries, time_entries, known)
    if proof is not None:
        return proof.result(*counts)
    count, offsets, positions = _ordered(offset_entries, base_offset)
    candidates = offset_entries[:count]
    distances = np.diff(positions[positions < source.size], prepend=0)
    tail_bytes = max(TAIL_BYTES, 2 * int(distances.max(initial=0)))
    end = source.size
    while proof is None:
        number = _anchor_before(source, offsets, positions, end - tail_bytes)
        if number < 0:
            proof = _Proof(source, base_offset, 0, candidates[:0], candidates, time_entries[:0], time_entries, -1)
            break
        held, first = _harmless(source, base_offset, offsets[: number + 1], positions[: number + 1], time_entries)
        held, forgotten = _without_forgetful(source, base_offset, positions[: number + 1], held)
        max_before = max(forgotten, int(held["timestamp"][-1]) if len(held) else -1)
        start, later, times = int(positions[number]), candidates[number:], time_entries[first:]
        proof = _Proof(source, base_offset, start, candidates[:number], later, held, times, max_before)
        if proof.end - start < tail_bytes:  # zeros of a preallocated log, or damage, come after it
            end, proof = proof.end, None
    return proof.result(*counts)


def _ordered(entries: EntryArray, base_offset: int) -> tuple[int, Int64Array, Int64Array]:
    """How many offset entries increase in offset and position, and their positions; the others are stale or damaged."""
    offsets, positions = _absolute(entries, base_offset), entries["position"].astype(np.int64)
    goes_on = (offsets[1:] > offsets[:-1]) & (positions[1:] > positions[:-1])
    count = len(goes_on) + 1 if goes_on.all() else int(goes_on.argmin()) + 1
    if not len(entries) or offsets[0] < 0 or positions[0] < 0:
        count = 0
    return count, offsets[:count], positions[:count]


def _continued(
    source: ByteSource, base_offset: int, offset_entries: EntryArray, time_entries: EntryArray, known: Indexes
) -> _Proof | None:
    """The proof continued from an earlier one; None if the log before its anchor has changed."""
    anchor = known.anchor
    if anchor is None or not anchor.holds(source):
        return None
    own, later = known.offset_entries[anchor.offset_count :][:1], offset_entries[anchor.offset_count :]
    later = later[_absolute(later, base_offset) > _absolute(own, base_offset)]
    times = time_entries[anchor.time_count :]
    return _Proof(
        source,
        base_offset,
        anchor.position,
        known.offset_entries[: anchor.offset_count],
        _joined(own, later[: _ordered(later, base_offset)[0]]),
        known.time_entries[: anchor.time_count],
        times[_absolute(times, base_offset) >= anchor.first_offset],
        anchor.max_before,
    )


def _absolute(entries: EntryArray, base_offset: int) -> Int64Array:
    offsets: Int64Array = entries["relative_offset"].astype(np.int64) + base_offset
    return offsets


def _anchor_before(source: ByteSource, offsets: Int64Array, positions: Int64Array, end: int) -> int:
    """The number of the last entry up to a position that leads to its own sound batch; -1 for none.

    Damage to a batch, or a log that ends before its file does, invalidates an entry; the search then steps back, in
    increasing steps.
    """
    number, step = int(np.searchsorted(positions, end, side="right")) - 1, 1
    while number >= 0:
        first_offset = _first_offset_at(source, int(positions[number]))
        if first_offset is not None and first_offset <= offsets[number]:
            return number
        number, step = number - step, 2 * step
    return -1


def _harmless(
    source: ByteSource, base_offset: int, offsets: Int64Array, positions: Int64Array, time_entries: EntryArray
) -> tuple[EntryArray, int]:
    """The time entries of batches before the last offset entry's; and the number of the first entry after them.

    All of their offsets are valid. But a stale entry's timestamp may belong to no record, and the last timestamp must
    be the largest one. So entries are left out from the first whose batch does not have its timestamp.
    """
    time_offsets = _absolute(time_entries, base_offset)
    first_offset = _first_offset_at(source, int(positions[-1]))
    following = 0 if first_offset is None else int(np.searchsorted(time_offsets, first_offset))

    def is_borne_out(number: int) -> bool:
        entry = int(np.searchsorted(offsets, time_offsets[number], side="right")) - 1
        start = int(positions[entry]) if entry >= 0 else 0
        for headers in iter_batch_headers(source, start, window_bytes=_NAMING_WINDOW_BYTES):
            rows = np.flatnonzero(headers.last_offset >= time_offsets[number])
            if len(rows):
                has_no_time = headers.magic[rows[0]] == 0
                return bool(has_no_time or headers.max_timestamp[rows[0]] == time_entries["timestamp"][number])
        return False

    high, low, step = following, following - 1, 1
    while low >= 0 and not is_borne_out(low):
        high, low, step = low, low - step, 2 * step
    low = max(low, -1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_borne_out(middle) else (low, middle)
    return time_entries[: low + 1], following


def _without_forgetful(
    source: ByteSource, base_offset: int, positions: Int64Array, time_entries: EntryArray
) -> tuple[EntryArray, int]:
    """Time entries without those that miss a larger timestamp before a change of leader epoch; and the largest
    timestamp before such a change, -1 if there is none.
    """
    places = np.concatenate(([0], positions))
    forgotten = -1
    for number in _epoch_changes(source, places):
        # Up to 1.1 an entry has an append's first offset: it may survive truncation of the time entry written with it.
        before = int(places[max(number - 1, 0)])
        headers = read_batch_headers(source, before, int(places[number + 1]))
        changes = np.flatnonzero(np.diff(headers.partition_leader_epoch)) + 1
        # The batch at the later position belongs to the region in which all other batches have one epoch.
        for row in [*changes.tolist(), len(headers)] if len(headers) else []:
            largest = int(headers.max_timestamp[:row].max())
            first_offset = int(headers.base_offset[row] if row < len(headers) else headers.next_offset[-1])
            is_earlier = _absolute(time_entries, base_offset) < first_offset
            time_entries = time_entries[is_earlier | (time_entries["timestamp"] > largest)]
            forgotten = max(forgotten, largest)
    return time_entries, forgotten


def _epoch_changes(source: ByteSource, places: Int64Array) -> Iterator[int]:
    """The numbers of the places where the leader epoch changes before the next place. Epochs never decrease in a log,
    so two places with one epoch enclose no others.
    """
    known: dict[int, int] = {}

    def epoch(number: int) -> int:
        if number not in known:
            start = source.read_at(int(places[number]), HEADER_BYTES)
            is_current = len(start) == HEADER_BYTES and _MAGIC(start, 0) >= CURRENT_MAGIC
            known[number] = _LEADER_EPOCH(start, 0) if is_current else -1
        return known[number]

    spans = [(0, len(places) - 1)]
    while spans:
        first, last = spans.pop()
        if first == last or epoch(first) == epoch(last):
            continue
        if last - first == 1:
            yield first
        else:
            middle = (first + last) // 2
            spans += [(middle, last), (first, middle)]


class _Proof:
    """Entries compared with the batches from a position on; ``held`` are the entries before it.

    The first offset entry to compare is that of the batch at the position, unless that is 0.
    """

    def __init__(
        self,
        source: ByteSource,
        base_offset: int,
        start: int,
        held_offsets: EntryArray,
        offset_candidates: EntryArray,
        held_times: EntryArray,
        time_candidates: EntryArray,
        max_before: int,
    ) -> None:
        self.source, self.base_offset = source, base_offset
        self.held_offsets, self.offset_candidates = held_offsets, offset_candidates
        self.held_times, self.time_candidates = held_times, time_candidates
        self.largest_timestamp = max_before
        offsets, positions = _absolute(offset_candidates, base_offset), offset_candidates["position"].astype(np.int64)
        at = BatchesByPosition(positions, max_before=max_before)
        of_time = BatchesByOffset(_absolute(time_candidates, base_offset), max_before=max_before)
        tail = _Tail(source, base_offset, start, positions, offsets)
        for piece in tail:
            at.feed(piece)
            of_time.feed(piece)
            stamps = piece.headers.max_timestamp[piece.is_sound]
            self.largest_timestamp = max(self.largest_timestamp, int(stamps.max(initial=-1)))
        self.end, self.at = tail.end, at
        self.offset_holds = (at.state == at.START) & (at.previous_offset < offsets)
        self.offset_holds &= (at.previous_offset != _NO_OFFSET) | (at.base_offset <= offsets)
        timestamps = time_candidates["timestamp"].astype(np.int64)
        is_first = (of_time.max_before < timestamps) & (of_time.max_timestamp == timestamps)
        self.time_holds = of_time.is_found & (is_first | ~of_time.has_time)

    def result(self, offset_count: int, time_count: int) -> Indexes:
        """The valid entries; the counts are those of the files."""
        offset_entries = _joined(self.held_offsets, self.offset_candidates[self.offset_holds])
        time_entries = _joined(self.held_times, self.time_candidates[self.time_holds])
        return Indexes(
            offset_entries,
            time_entries,
            self.largest_timestamp,
            max(0, offset_count - len(offset_entries)),
            max(0, time_count - len(time_entries)),
            self._anchor(len(offset_entries) - 1),
        )

    def _time_count_before(self, offset: int) -> int:
        """How many of the valid time entries have a smaller offset."""
        return int((_absolute(self.time_candidates, self.base_offset) < offset)[self.time_holds].sum())

    def _anchor(self, offset_count: int) -> Anchor | None:
        if not self.offset_holds.any():
            return None
        last = int(np.flatnonzero(self.offset_holds)[-1])
        position = int(self.at.position[last])
        first_offset = _first_offset_at(self.source, position)
        if first_offset is None:
            return None
        return Anchor(
            position,
            first_offset,
            self.source.read_at(position, HEADER_BYTES),
            offset_count,
            len(self.held_times) + self._time_count_before(first_offset),
            int(self.at.max_before[last]),
        )


def _joined(first: EntryArray, second: EntryArray) -> EntryArray:
    """Concatenate entries in the file's byte order, which `numpy.concatenate` would change."""
    if not len(first) or not len(second):
        return first if len(first) else second
    return np.concatenate((first, second), dtype=first.dtype)


__all__ = ["Indexes", "prove"]

"""Batches in, index entries out: what Kafka writes to `.index` and `.timeindex`, and how it looks entries up.

Pure: arrays in, arrays out, no files. Sources: Kafka's LogSegment, OffsetIndex, TimeIndex, AbstractIndex and, for
changes between versions, KAFKA-806, KAFKA-16310, KAFKA-16341.

Rules, in Kafka's own comparisons:

* An entry is due when *more than* `index.interval.bytes` were appended since the last one. The bytes of the current
  append count only for the next one, so the first append of a segment never gets an entry.
* The time index gets an entry at the same moments, but only if the largest timestamp so far has grown. Rolling or
  closing a segment adds one more, so the last entry of a finished segment holds its largest timestamp.
* Offsets in the offset index increase strictly and are within [base offset, base offset + 2^31-1]. A time index
  reserves its last slot for the entry of roll or close.
* Which offset an entry holds, and what counts as one append, depends on the Kafka version, the *writer profile*:

  ============  =============  ===========================  =====================================  ==========
  profile       Kafka          offset in `.index`           offset in `.timeindex`                 indexed
  ============  =============  ===========================  =====================================  ==========
  first-offset  0.8 to 1.1     first of the append          record with the largest timestamp      per append
  last-offset   2.0 to 3.7     last of the append           record with the largest timestamp      per append
  batch-time    3.8 to 3.9.0   last of the append           last of the batch that holds it        per append
  per-batch     3.9.1, 4.0 on  last of the batch            last of the batch that holds it        per batch
  ============  =============  ===========================  =====================================  ==========

  "Record" applies to uncompressed batches that a leader appended; for all others it is the batch's last offset, so the
  caller passes it (`IndexedBatches.max_timestamp_offset`). Before 0.10.1 there is no time index.
* Recovery rebuilds an index per batch, whatever the profile (`recovered_entries`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.errors import InvalidError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kernels.compiled import PaysAfter, compiled_by_hand
from kformat.language.layout import layout
from kformat.language.program import load_type

if TYPE_CHECKING:
    from kformat.kafka.batch.batches import BatchHeaders

Int64Array = npt.NDArray[np.int64]
EntryArray = npt.NDArray[np.void]
"""One-dimensional, of the dtype of `offset_index::entry` or `time_index::entry`: big-endian, as in the file."""

PROFILES: Final = ("first-offset", "last-offset", "batch-time", "per-batch")
DEFAULT_PROFILE: Final = "per-batch"
DEFAULT_INDEX_INTERVAL_BYTES: Final = 4096

_INDEXES: Final = ("offset_index", "time_index")


class Entries(NamedTuple):
    """The entries of one segment's two indexes, each array as its file holds them (``.tobytes()``)."""

    offset_index: EntryArray
    time_index: EntryArray


@dataclass(frozen=True, eq=False, init=False)
class IndexedBatches:
    """The batches of a segment, as far as indexing needs them: one-dimensional int64 arrays of one length, in log
    order.

    Attributes:
        position, size: start in the `.log` and whole length of the batch, bytes.
        base_offset, last_offset: first and last offset of the batch.
        max_timestamp: the header's, ms; below 0 for none.
        max_timestamp_offset: offset of the first record with the largest timestamp, if the writer looked at records;
            otherwise the last offset (the default).
        append_id: the same for all batches of one append call; by default each batch has its own, as every append of a
            leader since message format 2.

    Raises UsageError for arrays of different shape.
    """

    position: Int64Array
    size: Int64Array
    base_offset: Int64Array
    last_offset: Int64Array
    max_timestamp: Int64Array
    max_timestamp_offset: Int64Array
    append_id: Int64Array

    def __init__(
        self,
        position: npt.ArrayLike,
        size: npt.ArrayLike,
        base_offset: npt.ArrayLike,
        last_offset: npt.ArrayLike,
        max_timestamp: npt.ArrayLike,
        max_timestamp_offset: npt.ArrayLike | None = None,
        append_id: npt.ArrayLike | None = None,
    ) -> None:
        columns = {
            "position": position,
            "size": size,
            "base_offset": base_offset,
            "last_offset": last_offset,
            "max_timestamp": max_timestamp,
            "max_timestamp_offset": last_offset if max_timestamp_offset is None else max_timestamp_offset,
            "append_id": np.arange(np.size(position)) if append_id is None else append_id,
        }
        for name, value in columns.items():
            array = np.asarray(value, dtype=np.int64)
            if array.ndim != 1 or array.shape != np.shape(position):
                raise UsageError(f"IndexedBatches.{name} has shape {array.shape}, position {np.shape(position)}")
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.position)

    @classmethod
    def from_headers(
        cls,
        headers: BatchHeaders,
        *,
        max_timestamp_offset: npt.ArrayLike | None = None,
        append_id: npt.ArrayLike | None = None,
    ) -> IndexedBatches:
        """The batches of a header walk; the two arguments supply what headers do not contain."""
        return cls(
            position=headers.position,
            size=headers.size,
            base_offset=headers.base_offset,
            last_offset=headers.last_offset,
            max_timestamp=headers.max_timestamp,
            max_timestamp_offset=max_timestamp_offset,
            append_id=append_id,
        )


def index_entries(
    batches: IndexedBatches,
    *,
    base_offset: int,
    profile: str = DEFAULT_PROFILE,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    closed: bool = True,
    max_index_size_bytes: int | None = None,
    source: str = "",
) -> Entries:
    """The entries that a broker writes while it appends these batches to an empty segment.

    ``closed`` adds the time entry of roll and close. ``max_index_size_bytes`` is Kafka's `segment.index.bytes`; None
    sets no bound. ``source`` names the log in errors.

    Raises UsageError for an unknown profile, a negative interval or size, an index size below one entry, or more
    entries than the bound allows (Kafka would have rolled the segment before). Raises InvalidError, with the position
    of the batch, if Kafka refuses the append: an offset outside the segment's range, or an entry's offset that is not
    above the one before.
    """
    _known(profile)
    if np.any(batches.size < 0):
        raise UsageError("a batch cannot have a negative size")
    firsts, lasts = _appends(batches, profile)
    appended = np.cumsum(batches.size)
    _check_range(batches, base_offset, source)
    by_record = profile in ("first-offset", "last-offset")
    # An append's timestamp is the largest of its batches, its offset that of the first batch to reach it.
    largest = np.maximum.reduceat(batches.max_timestamp, firsts)
    reaches = np.flatnonzero(batches.max_timestamp == np.repeat(largest, lasts - firsts + 1))
    reaching = reaches[np.searchsorted(reaches, firsts)]
    return _entries(
        _Candidates(
            bytes_before=appended[firsts] - batches.size[firsts],
            position=batches.position[firsts],
            offset=batches.base_offset[firsts] if profile == "first-offset" else batches.last_offset[lasts],
            max_timestamp=largest,
            timestamp_offset=(batches.max_timestamp_offset if by_record else batches.last_offset)[reaching],
        ),
        base_offset,
        index_interval_bytes,
        closed,
        max_index_size_bytes,
        source,
    )


def recovered_entries(
    batches: IndexedBatches,
    *,
    base_offset: int,
    profile: str = DEFAULT_PROFILE,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    max_index_size_bytes: int | None = None,
    source: str = "",
) -> Entries:
    """The entries that LogSegment.recover writes for these batches when it rebuilds the indexes.

    An entry per batch that starts more than the interval after the last indexed one, or after the start of the file;
    the final time entry always. The profile only decides between first offset (up to 1.1) and last offset (from 2.0
    on); time entries always hold the batch's last offset. Raises as `index_entries`.
    """
    _known(profile)
    _check_range(batches, base_offset, source)
    return _entries(
        _Candidates(
            bytes_before=batches.position,
            position=batches.position,
            offset=batches.base_offset if profile == "first-offset" else batches.last_offset,
            max_timestamp=batches.max_timestamp,
            timestamp_offset=batches.last_offset,
        ),
        base_offset,
        index_interval_bytes,
        True,
        max_index_size_bytes,
        source,
    )


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The appends (or batches) that may get an entry; ``bytes_before`` is the log's length when each began."""

    bytes_before: Int64Array
    position: Int64Array
    offset: Int64Array
    max_timestamp: Int64Array
    timestamp_offset: Int64Array


def _known(profile: str) -> None:
    if profile not in PROFILES:
        raise UsageError(f"no writer profile {profile!r}; there are {', '.join(PROFILES)}")


def _appends(batches: IndexedBatches, profile: str) -> tuple[Int64Array, Int64Array]:
    """The first and the last batch of each append, by number; with per-batch each batch is its own append."""
    numbers = np.arange(len(batches))
    if profile == "per-batch" or not len(batches):
        return numbers, numbers
    firsts = np.flatnonzero(np.diff(batches.append_id, prepend=batches.append_id[0] - 1))
    return firsts, np.append(firsts[1:], len(batches)) - 1


def _check_range(batches: IndexedBatches, base_offset: int, source: str) -> None:
    relative = batches.last_offset - base_offset
    wrong = np.flatnonzero((relative < 0) | (relative > MAX_INT32))
    if len(wrong):
        raise InvalidError(
            "the last offset does not fit the segment",
            source=source,
            position=int(batches.position[wrong[0]]),
            path="record_batch.last_offset_delta",
            expected=f"an offset from {base_offset} to {base_offset + MAX_INT32}",
            found=int(batches.last_offset[wrong[0]]),
        )


def _entries(
    candidates: _Candidates,
    base_offset: int,
    index_interval_bytes: int,
    closed: bool,
    max_index_size_bytes: int | None,
    source: str,
) -> Entries:
    due = _due(candidates.bytes_before, index_interval_bytes)

    # The largest timestamp so far, and the first candidate that reached it; -1 is Kafka's "none yet".
    so_far = np.maximum(np.maximum.accumulate(candidates.max_timestamp), -1)
    grew = so_far > np.concatenate(([-1], so_far[:-1]))
    reached_by = np.maximum.accumulate(np.where(grew, np.arange(len(grew)), 0))
    moments = np.append(due, len(so_far) - 1) if closed and len(so_far) else due
    timestamp = so_far[moments]
    kept = timestamp > np.concatenate(([-1], timestamp[:-1]))  # compare each moment with the entry before, or -1
    time_offset = candidates.timestamp_offset[reached_by[moments[kept]]]

    if max_index_size_bytes is not None:
        _check_room(len(due), np.cumsum(kept)[: len(due)] - kept[: len(due)], max_index_size_bytes)
    offset, position = candidates.offset[due], candidates.position[due]
    _check_growth(offset, position, 1, base_offset, "offset_index", source)
    _check_growth(time_offset, candidates.position[moments[kept]], 0, base_offset, "time_index", source)

    offset_index = np.empty(len(due), layout("offset_index::entry").dtype)
    offset_index["relative_offset"] = offset - base_offset
    offset_index["position"] = position
    time_index = np.empty(len(time_offset), layout("time_index::entry").dtype)
    time_index["timestamp"] = timestamp[kept]
    time_index["relative_offset"] = time_offset - base_offset
    return Entries(offset_index, time_index)


def _due(bytes_before: Int64Array, index_interval_bytes: int) -> Int64Array:
    """The numbers of the candidates that get an entry.

    Each entry resets the counter, so the next one depends on the last. But the next candidate depends on the last entry
    alone, so one vectorised search finds the successor of every candidate, and the loop then goes entry by entry, not
    batch by batch. The start of the segment acts as an entry at 0 bytes.
    """
    if index_interval_bytes < 0:
        raise UsageError(f"index_interval_bytes is {index_interval_bytes}; it must be 0 or more")
    successor = np.searchsorted(bytes_before, bytes_before + index_interval_bytes, side="right")
    origin = bytes_before[0] if len(bytes_before) else 0
    number = int(np.searchsorted(bytes_before, origin + index_interval_bytes, side="right"))
    due = []
    while number < len(bytes_before):
        due.append(number)
        number = successor.item(number)
    return np.array(due, dtype=np.int64)


def _check_room(offset_count: int, time_counts_before: Int64Array, max_index_size_bytes: int) -> None:
    """Kafka's isFull: `entries >= max` for the offset index, `entries >= max - 1` for the time index."""
    offset_max, time_max = (
        round_index_size(max_index_size_bytes, layout(f"{index}::entry").size) // layout(f"{index}::entry").size
        for index in _INDEXES
    )
    if offset_count > offset_max:
        raise UsageError(f"the offset index is full with {offset_max} entries, and {offset_count} are needed")
    if np.any(time_counts_before >= time_max - 1):
        raise UsageError(
            f"the time index is full with {time_max - 1} entries and one slot kept back, and more entries are needed"
        )


def _check_growth(
    offset: Int64Array, position: Int64Array, least: int, base_offset: int, index: str, source: str
) -> None:
    """Offsets increase by at least `least` per entry, within the segment's range; positions fit an int32."""
    relative = offset - base_offset
    outside = (relative < 0) | (relative > MAX_INT32) | (position > MAX_INT32)
    slow = np.concatenate(([False], np.diff(relative) < least))[: len(relative)]
    wrong = np.flatnonzero(outside | slow)
    if not len(wrong):
        return
    number = int(wrong[0])
    raise InvalidError(
        "Kafka refuses this index entry",
        source=source,
        position=int(position[number]),
        path=f"{index}.entries[{number}]",
        expected=f"an offset from {base_offset} to {base_offset + MAX_INT32} and a position below 2 GiB"
        if outside[number]
        else f"an offset {'above' if least else 'not below'} {offset[number - 1]}",
        found=int(offset[number]),
    )


# Sizes


def round_index_size(size_bytes: int, entry_size_bytes: int) -> int:
    """`segment.index.bytes` rounded down to whole entries: 67 gives 64 for entries of 8 bytes and 60 for 12.

    Raises UsageError if not even one entry fits, like Kafka's "Invalid max index size".
    """
    if entry_size_bytes < 1 or size_bytes < entry_size_bytes:
        raise UsageError(f"an index of at most {size_bytes} bytes holds no entry of {entry_size_bytes} bytes")
    return size_bytes // entry_size_bytes * entry_size_bytes


def max_entry_count(log_size_bytes: int, *, index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES) -> int:
    """The most offset-index entries that a log of this many bytes can have.

    Entry k is at least k * (interval + 1) bytes into the log, and a batch begins there: at least a header with the
    shortest record.
    """
    of_a_record = ("record_batch::record", "record_batch::record_body")  # its length, and the bytes that it counts
    smallest_batch_bytes = sum(load_type(name).minimum_size for name in ("record_batch", *of_a_record))
    if log_size_bytes < 0 or index_interval_bytes < 0:
        raise UsageError("sizes cannot be below 0")
    return max(0, (log_size_bytes - smallest_batch_bytes) // (index_interval_bytes + 1))


# Floor lookups


class OffsetEntry(NamedTuple):
    """An entry of an offset index, absolute; ``number`` counts from 0 and is -1 for no entry."""

    number: int
    offset: int
    position: int


class TimeEntry(NamedTuple):
    """An entry of a time index, absolute; ``number`` counts from 0 and is -1 for no entry."""

    number: int
    timestamp: int
    offset: int


Comparisons = list[tuple[int, int]]
"""The comparisons of a search, in order: (number of the entry, its absolute offset or timestamp)."""


def floor_offset_entry(
    entries: EntryArray, target: int, *, base_offset: int = 0, compared: Comparisons | None = None
) -> OffsetEntry:
    """The entry with the largest offset not above ``target``, else (-1, base_offset, 0): OffsetIndex.lookup.

    O(log n) probes of the array as stored, big-endian or mapped, without converting a column. ``compared`` collects
    them.
    """
    number = _floor(entries["relative_offset"], target - base_offset, base_offset, compared)
    return OffsetEntry(-1, base_offset, 0) if number < 0 else offset_entry(entries, number, base_offset)


def floor_time_entry(
    entries: EntryArray, target: int, *, base_offset: int = 0, compared: Comparisons | None = None
) -> TimeEntry:
    """The entry with the largest timestamp not above ``target`` (ms), else (-1, -1, base_offset): TimeIndex.lookup."""
    number = _floor(entries["timestamp"], target, 0, compared)
    return TimeEntry(-1, -1, base_offset) if number < 0 else time_entry(entries, number, base_offset)


def offset_entry(entries: EntryArray, number: int, base_offset: int) -> OffsetEntry:
    """Entry ``number`` of an offset index, with its absolute offset."""
    slot = entries[number]
    return OffsetEntry(number, base_offset + int(slot["relative_offset"]), int(slot["position"]))


def time_entry(entries: EntryArray, number: int, base_offset: int) -> TimeEntry:
    """Entry ``number`` of a time index, with its absolute offset."""
    slot = entries[number]
    return TimeEntry(number, int(slot["timestamp"]), base_offset + int(slot["relative_offset"]))


def _floor(column: npt.NDArray[Any], target: int, shown_from: int, compared: Comparisons | None) -> int:
    # Not np.searchsorted: it converts all of a big-endian, strided column, a thousand times the work.
    low, high = 0, len(column)
    while low < high:
        middle = (low + high) // 2
        key = int(column[middle])
        if compared is not None:
            compared.append((middle, shown_from + key))
        if key <= target:
            low = middle + 1
        else:
            high = middle
    return low - 1


def lookup_many(entries: EntryArray, targets: npt.ArrayLike, *, base_offset: int = 0) -> tuple[Int64Array, Int64Array]:
    """The floor lookups of many targets at once.

    Returns int64 arrays of the targets' shape: (offset, position) for an offset index, (timestamp, offset) for a time
    index, with the defaults of the single lookups if no entry is low enough. With numba (extra ``fast``) many targets
    are searched in the entries as stored; otherwise the column is converted once.
    """
    wanted = np.asarray(targets, dtype=np.int64)
    is_time = "timestamp" in (entries.dtype.names or ())
    kernels = search_kernels(wanted.size)
    if kernels is not None and 0 <= base_offset <= MAX_INT64 - 2 * MAX_INT32 and _is_as_in_a_file(entries):
        return _lookup_by_kernel(kernels, entries, wanted, base_offset, is_time)
    relative = entries["relative_offset"].astype(np.int64) + base_offset
    key, value = (
        (entries["timestamp"].astype(np.int64), relative)
        if is_time
        else (relative, entries["position"].astype(np.int64))
    )
    number = np.searchsorted(key, wanted, side="right")
    # Slot 0 of the padded columns is the default, so `number` needs no adjustment.
    default_key, default_value = (-1, base_offset) if is_time else (base_offset, 0)
    return np.concatenate(([default_key], key))[number], np.concatenate(([default_value], value))[number]


def _lookup_by_kernel(
    kernels: Any, entries: EntryArray, targets: Int64Array, base_offset: int, is_time: bool
) -> tuple[Int64Array, Int64Array]:
    names = ("timestamp", "relative_offset") if is_time else ("relative_offset", "position")
    flat = np.ascontiguousarray(targets.reshape(-1))
    if not is_time:  # no entry exceeds an int32, whatever the target
        flat = np.clip(flat, base_offset - MAX_INT32 - 2, base_offset + MAX_INT32) - base_offset
    key, value = np.full(flat.size, -1 if is_time else 0, np.int64), np.zeros(flat.size, np.int64)
    kernels.look_up(entry_bytes(entries), entries.itemsize, *field_places(entries.dtype, *names), flat, key, value)
    absolute = value if is_time else key
    absolute += base_offset
    return key.reshape(targets.shape), value.reshape(targets.shape)


def field_places(dtype: np.dtype[Any], *names: str) -> tuple[int, ...]:
    """Position and size of each field of an entry, bytes, in order."""
    fields: Any = dtype.fields
    members = [fields[name][:2] for name in names]
    return tuple(number for kind, position in members for number in (position, kind.itemsize))


def _is_as_in_a_file(entries: EntryArray) -> bool:
    return entries.ndim == 1 and entries.dtype in [layout(f"{index}::entry").dtype for index in _INDEXES]


def entry_bytes(entries: EntryArray) -> npt.NDArray[np.uint8]:
    """The bytes of entries for the search kernels: read-only, and not copied if they are contiguous."""
    view: npt.NDArray[np.uint8] = np.ascontiguousarray(entries).view(np.uint8)
    view.flags.writeable = False
    return view


_SEARCHES_BEFORE_KERNELS: Final = 100_000
_pays = PaysAfter(_SEARCHES_BEFORE_KERNELS + 1)


def search_kernels(count: int = 1) -> Any:
    """The search kernels (`kformat.kernels.searching`), for a caller about to do so many searches.

    None if numba is missing, and until enough searches were done to be worth the third of a second that loading numba
    takes.
    """
    return _kernels() if _pays.does(count) else None


@functools.cache
def _kernels() -> Any:
    try:
        return compiled_by_hand("kformat.kernels.searching")
    except MissingDependencyError:
        return None


__all__ = [
    "DEFAULT_INDEX_INTERVAL_BYTES",
    "DEFAULT_PROFILE",
    "PROFILES",
    "Entries",
    "EntryArray",
    "IndexedBatches",
    "Int64Array",
    "OffsetEntry",
    "TimeEntry",
    "entry_bytes",
    "field_places",
    "floor_offset_entry",
    "recovered_entries",
    "round_index_size",
    "search_kernels",
]

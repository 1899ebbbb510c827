"""The two sparse indexes of a segment: offsets to positions, timestamps to offsets, as Kafka keeps them on disk.

Sources: Kafka's AbstractIndex, OffsetIndex, TimeIndex. An index is one file of entries without header or checksum;
positions and types come from `formats/offset_index.ksy` and `formats/time_index.ksy`.

Rules:

* Lookups read a mapping, stores go through `File.write_at` (storage.py says why).
* The file of an active segment has its full, preallocated length and zeros after the last entry. The number of entries
  is in memory only: an existing file has as many entries as fit its length, whatever their values. This module does
  not check them; recovery does.
* Searches make Kafka's comparisons, in its order, so that even damaged entries give its results.
* No view of the mapping leaves an index: `entries` copies, lookups return integers. If somebody holds one all the same,
  a change of the file's length is refused before it happens, as a view after a file's end kills the process.
* A call that raises has changed nothing, and the index can be used as before; it closes only if it cannot be mapped.
* Every method may be called from any thread; calls of one index take turns.
* A sealed index, and one that was opened for reading, has no descriptor of its own, only the mapping's, and gives that
  up if the process has many (`storage`). A file of 0 bytes cannot be mapped; it has no entries either.
"""

from __future__ import annotations

import mmap
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Final, NoReturn

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.index import indexing
from kformat.kafka.index.indexing import (
    EntryArray,
    Int64Array,
    OffsetEntry,
    TimeEntry,
    entry_bytes,
    field_places,
    round_index_size,
    search_kernels,
)
from kformat.language.layout import layout
from kformat_engine.errors import (
    CorruptIndexError,
    IndexFullError,
    IndexOrderError,
    IndexSealedError,
    LogClosedError,
    OffsetOverflowError,
    SegmentInUseError,
)
from kformat_engine.storage import DISK, File, Storage, descriptors

_WARM_BYTES: Final = 8192  # the end of an index that lookups near the log's end keep in memory (AbstractIndex)
_NO_TIMESTAMP: Final = -1


def _search(at: Callable[[int], int], count: int, warm_count: int, target: int) -> int:
    """The number of the largest of ``count`` entries not above ``target``, -1 for none; times two, plus whether met.

    AbstractIndex.indexSlotRangeFor: first checks whether the target lies in the warm end, so that lookups there always
    touch the same few pages. "Met" means that the search stopped at an equal entry; it does not see an equal entry 0.
    The kernel `kformat.kernels.searching.search` does the same.
    """
    if not count:
        return -2
    low, high = 0, max(0, count - 1 - warm_count)
    if at(high) < target:
        low, high = high, count - 1
    elif at(0) > target:
        return -2
    while low < high:
        middle = (low + high + 1) >> 1
        value = at(middle)
        if value > target:
            high = middle - 1
        elif value < target:
            low = middle
        else:
            return 2 * middle + 1
    return 2 * low


_QuickSearches = dict[str, Callable[[int, int, int], int]]


class _View:
    """The slots of a mapped file, and readers of their fields; as long as it is held, the mapping is kept."""

    __slots__ = ("key_at", "quick_searches", "slots", "value_at")

    def __init__(self, slots: EntryArray, key: str, value: str) -> None:
        # Not a reader of the layout, nor bisect with a key: an array's `item` is the fastest way to a single number.
        self.slots = slots
        self.key_at: Callable[[int], int] = slots[key].item
        self.value_at: Callable[[int], int] = slots[value].item
        self.quick_searches: _QuickSearches | None = None


class _Index:
    """The base of both indexes (AbstractIndex).

    Attributes:
        path: the file. base_offset: the segment's, to which entries are relative.
        entry_count: slots that are entries. max_entry_count: slots of the file. length_bytes: its length.
        is_sealed: whether changes are refused. is_closed: whether everything is.

    The constructor opens the file; a missing one is created with its full length, ``max_size_bytes`` rounded down to
    whole entries. Raises FileNotFoundError if it is missing and ``writable`` is False, UsageError if it is missing and
    ``max_size_bytes`` holds no entry (nothing is created), OSError.
    """

    _FORMAT: ClassVar[str]
    _KEY: ClassVar[str]
    _VALUE: ClassVar[str]
    _OFFSET: ClassVar[str] = "relative_offset"

    def __init__(
        self, path: Path, base_offset: int, max_size_bytes: int = -1, *, writable: bool = True, storage: Storage = DISK
    ) -> None:
        self.path, self.base_offset = path, base_offset
        self.writable, self.is_sealed, self.is_closed = writable, False, False
        self._storage = storage
        entry = layout(self._FORMAT)
        self._dtype, self._entry_bytes = entry.dtype, entry.size
        self._pack = entry.unpacker(self._KEY, self._VALUE).pack
        self._warm_count = _WARM_BYTES // entry.size
        self._lock = threading.RLock()
        self._file: File | None = None
        self.was_used = True
        self._view: _View | None = None
        self._mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()  # all that exist, given up or not

        is_new = writable and not path.exists()
        size_bytes = round_index_size(max_size_bytes, entry.size) if is_new else 0
        file = self._file = storage.open(path, create=is_new, writable=writable)
        try:
            if is_new:
                file.truncate(size_bytes)
            self._map(file.size)
        except BaseException:
            file.close()
            raise
        self.entry_count = 0 if is_new else self.max_entry_count
        self._set_last()
        if not writable:
            self._close_file()

    # Sizes

    @property
    def size_bytes(self) -> int:
        """The size of the entries in bytes."""
        return self.entry_count * self._entry_bytes

    @property
    def is_full(self) -> bool:
        """Whether no further entry is accepted."""
        return self.entry_count >= self.max_entry_count

    def can_append_offset(self, offset: int) -> bool:
        """Whether an entry can hold this offset: base offset to base offset + 2^31-1."""
        return 0 <= offset - self.base_offset <= MAX_INT32

    # Reading

    def entries(self) -> EntryArray:
        """A copy of all entries, as in the file (big-endian, offsets relative)."""
        with self._lock:
            self._check_open()
            return self._shown.slots[: self.entry_count].copy()

    def lookup_many(self, targets: npt.ArrayLike) -> tuple[Int64Array, Int64Array]:
        """`lookup` of many targets at once, as two int64 arrays of their shape: one pass over the whole index."""
        wanted = np.asarray(targets, dtype=np.int64)
        with self._lock:
            self._check_open()
            return indexing.lookup_many(self._shown.slots[: self.entry_count], wanted, base_offset=self.base_offset)

    # Changing

    def truncate(self) -> None:
        """Remove all entries; the file's length stays."""
        with self._lock:
            self._check_changeable()
            self._keep(0)

    def truncate_to(self, offset: int) -> None:
        """Remove the entries with this offset or a greater one; the file's length stays."""
        with self._lock:
            self._check_changeable()
            at = self._at(self._OFFSET)
            relative = offset - self.base_offset
            number = self._search(self._OFFSET, relative) >> 1
            self._keep(number if number >= 0 and at(number) == relative else number + 1)

    def trim_to_valid_size(self) -> bool:
        """Cut the file after its last entry; returns whether its length changed."""
        with self._lock:
            return self.resize(self.size_bytes)

    def resize(self, size_bytes: int) -> bool:
        """Set the file's length, rounded down to whole entries, and keep the entries; returns whether it changed.

        Raises UsageError if entries would be lost (Kafka cuts the file, then fails), SegmentInUseError if somebody
        holds a view of the mapping, OSError; the file then has its old length.
        """
        with self._lock:
            self._check_open()
            rounded = size_bytes // self._entry_bytes * self._entry_bytes
            if rounded < self.size_bytes:
                raise UsageError(
                    f"{self.path}: a length of {size_bytes} bytes would cut entries, which take {self.size_bytes}"
                )
            if rounded == self.length_bytes:
                return False
            self._check_changeable()
            file = self._opened()
            self._unmap()
            try:
                file.truncate(rounded)
            finally:
                self._map(file.size)  # with its actual size: an interrupt may come before the truncation or after it
            return True

    def seal(self) -> None:
        """Refuse changes from now on: the segment is no longer the active one. The file's mode is left alone."""
        with self._lock:
            self._check_open()
            self.is_sealed = True
            self._close_file()

    def unseal(self) -> None:
        """Accept changes again: a truncation made the segment the active one."""
        with self._lock:
            self._check_open()
            self.is_sealed = False

    def sync(self) -> None:
        """Return when the entries have reached the disk."""
        with self._lock:
            self._check_open()
            self._opened().sync()
            if self.is_sealed or not self.writable:
                self._close_file()

    def moved_to(self, path: Path) -> None:
        """Set the new path of a renamed file."""
        with self._lock:
            self.path = path
            if self._file is not None:
                self._file.path = path

    # Closing

    def close(self) -> None:
        """Cut the file after its last entry, unless it must not be changed, and close it; twice is no error."""
        with self._lock:
            try:
                if self.writable and not self.is_sealed and not self.is_closed:
                    self.trim_to_valid_size()
            finally:
                self.release()

    def release(self) -> None:
        """Close the file as it is (closeHandler); twice is no error."""
        with self._lock:
            self.is_closed = True
            self._close_file()
            try:
                self._unmap()
            except SegmentInUseError:
                descriptors.remove(self)  # the mapping goes with the view

    def delete(self) -> bool:
        """Close and remove the file; False if there was none."""
        with self._lock:
            self.release()
            return self._storage.unlink(self.path)

    def _search(self, name: str, target: int) -> int:
        """Search as the function `_search`, by the field of that name."""
        view = self._shown
        quick = view.quick_searches
        if quick is None:
            quick = view.quick_searches = self._load_quick_searches(view)
        if quick is not None and -MAX_INT64 <= target <= MAX_INT64:
            return quick[name](self.entry_count, self._warm_count, target)
        return _search(self._at(name), self.entry_count, self._warm_count, target)

    def _load_quick_searches(self, view: _View) -> _QuickSearches | None:
        """The kernel bound to each field of the mapping; None as long as there is no kernel."""
        kernels = search_kernels()
        if kernels is None:
            return None
        data = entry_bytes(view.slots)
        return {
            name: partial(kernels.search, data, self._entry_bytes, *field_places(self._dtype, name))
            for name in (self._KEY, self._VALUE)
        }

    # The file and its mapping

    def _map(self, length_bytes: int) -> None:
        self.length_bytes = length_bytes
        self.max_entry_count = length_bytes // self._entry_bytes
        self._remap()

    def _remap(self) -> _View:
        """Map the file; under the lock."""
        if self.is_closed or not self.max_entry_count:
            view = self._view = _View(np.zeros(0, self._dtype), self._KEY, self._VALUE)
            return view
        descriptors.make_room()
        try:
            mapping = self._opened().map(self.length_bytes)
        except BaseException as error:
            self.release()  # entries that cannot be read are worse than none
            if isinstance(error, ValueError):
                raise CorruptIndexError(
                    f"{self.path}: the file is shorter than the {self.length_bytes} bytes it had"
                ) from error
            raise
        if self.is_sealed or not self.writable:
            self._close_file()
        slots = np.frombuffer(mapping, self._dtype, self.max_entry_count)
        view = self._view = _View(slots, self._KEY, self._VALUE)
        self._mapped.add(mapping)
        descriptors.add(self)  # Python keeps a descriptor of a mapping
        return view

    @property
    def _shown(self) -> _View:
        """The mapping, mapped again if it was given up; under the lock."""
        self.was_used = True
        return self._view or self._remap()

    def give_up(self) -> None:
        """Release the mapping until the index is used again. A thread that is reading it keeps it until then."""
        self._view = None

    def _unmap(self) -> None:
        """Unmap the file. SegmentInUseError if somebody holds a view."""
        self._view = None
        try:
            for mapping in list(self._mapped):
                mapping.close()
        except BufferError as error:
            raise SegmentInUseError(f"{self.path}: a view of this index is still in use") from error
        descriptors.remove(self)

    def _at(self, name: str) -> Callable[[int], int]:
        view = self._shown
        return view.key_at if name == self._KEY else view.value_at

    def _opened(self) -> File:
        if self._file is None:
            self._file = self._storage.open(self.path, writable=self.writable)
        self._file.on_copied = self.give_up
        return self._file

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _store(self, slots: bytes, count: int = 1) -> None:
        """Write the next slots; the caller has checked the room and the ranges."""
        (self._file or self._opened()).write_at(slots, self.entry_count * self._entry_bytes)
        self.entry_count += count

    @property
    def _is_changeable(self) -> bool:
        return self.writable and not (self.is_closed or self.is_sealed)

    def _keep(self, count: int) -> None:
        self.entry_count = count
        self._set_last()

    # Checks

    def _check_open(self) -> None:
        if self.is_closed:
            raise LogClosedError(f"{self.path}: the index was closed")

    def _check_changeable(self) -> None:
        self._check_open()
        if not self.writable:
            raise IndexSealedError(f"{self.path}: the index was opened for reading")
        if self.is_sealed:
            raise IndexSealedError(f"{self.path}: the index of a sealed segment is not changed")

    def _check_number(self, number: int) -> None:
        self._check_open()
        if not 0 <= number < self.entry_count:
            raise UsageError(f"{self.path}: no entry {number}, there are {self.entry_count}")

    def _relative(self, offset: int) -> int:
        if not self.can_append_offset(offset):
            raise OffsetOverflowError(
                f"{self.path}: offset {offset} is not from {self.base_offset} to {self.base_offset + MAX_INT32}"
            )
        return offset - self.base_offset

    def _set_last(self) -> None:
        raise NotImplementedError


class OffsetIndex(_Index):
    """The `.index` of a segment: from offsets to positions in the `.log`, bytes (OffsetIndex).

    ``last_offset`` is the last entry's, or the base offset if there is none.
    """

    _FORMAT, _KEY, _VALUE = "offset_index::entry", "relative_offset", "position"
    last_offset: int

    def entry(self, number: int) -> OffsetEntry:
        """Entry ``number``, counted from 0; UsageError if there is none."""
        with self._lock:
            self._check_number(number)
            return self._entry(number)

    def lookup(self, offset: int) -> OffsetEntry:
        """The entry with the largest offset not above ``offset``, else (-1, base offset, 0)."""
        with self._lock:
            self._check_open()
            number = self._search(self._KEY, offset - self.base_offset) >> 1
            if number < 0:
                return OffsetEntry(-1, self.base_offset, 0)
            return OffsetEntry(number, self.base_offset + self._shown.key_at(number), self._shown.value_at(number))

    def upper_bound(self, entry: OffsetEntry, fetch_size: int) -> OffsetEntry | None:
        """The first entry at or after the end of a fetch of ``fetch_size`` bytes from ``entry``; None if there is none.

        As in Kafka, an entry 0 exactly at the end is skipped.
        """
        with self._lock:
            self._check_open()
            target = entry.position + fetch_size
            slot = self._search(self._VALUE, target)
            number = (slot >> 1) + (slot & 1 == 0)  # the entry itself if it was met
            return self._entry(number) if number < self.entry_count else None

    def append(self, offset: int, position: int) -> None:
        """Add an entry.

        Raises IndexFullError; IndexOrderError for an offset not above the last entry's; OffsetOverflowError for one
        that does not fit the segment; UsageError for a position that is no int32 from 0; IndexSealedError; OSError.
        """
        with self._lock:
            relative, count = offset - self.base_offset, self.entry_count
            if (
                (count and offset <= self.last_offset)
                or not (0 <= relative <= MAX_INT32 and 0 <= position <= MAX_INT32)
                or count >= self.max_entry_count
                or not self._is_changeable
            ):
                self._refuse(offset, position)
            self._store(self._pack(relative, position))
            self.last_offset = offset

    def append_all(self, entries: Sequence[tuple[int, int]]) -> None:
        """`append` of each (offset, position), with one write if none of them is refused."""
        with self._lock:
            base, last, slots, pack = self.base_offset, self.last_offset, [], self._pack
            most = base + MAX_INT32
            if self.entry_count == 0:
                last -= 1
            if self._is_changeable and self.entry_count + len(entries) <= self.max_entry_count:
                for offset, position in entries:
                    if not (last < offset <= most and 0 <= position <= MAX_INT32):
                        break
                    slots.append(pack(offset - base, position))
                    last = offset
                else:
                    if slots:
                        self._store(b"".join(slots), len(slots))
                        self.last_offset = last
                    return
            for offset, position in entries:
                self.append(offset, position)

    def _refuse(self, offset: int, position: int) -> NoReturn:
        """Raise the error of a refused entry."""
        self._check_changeable()
        if self.is_full:
            raise IndexFullError(f"{self.path}: the index is full with {self.entry_count} entries")
        if self.entry_count and offset <= self.last_offset:
            raise IndexOrderError(f"{self.path}: offset {offset} is not above the last one, {self.last_offset}")
        self._relative(offset)
        raise UsageError(f"{self.path}: position {position} is not from 0 to {MAX_INT32}")

    def _entry(self, number: int) -> OffsetEntry:
        return OffsetEntry(number, self.base_offset + self._shown.key_at(number), self._shown.value_at(number))

    def _set_last(self) -> None:
        self.last_offset = self._entry(self.entry_count - 1).offset if self.entry_count else self.base_offset


class TimeIndex(_Index):
    """The `.timeindex` of a segment: from timestamps, ms, to offsets (TimeIndex).

    An entry (T, O) means that records with a timestamp above T have offsets above O. ``last_entry`` is the last one, or
    (-1, -1, base offset) if there is none. One slot is reserved for the entry of roll and close.
    """

    _FORMAT, _KEY, _VALUE = "time_index::entry", "timestamp", "relative_offset"
    last_entry: TimeEntry

    @property
    def is_full(self) -> bool:
        """Whether only the slot for the entry of roll and close is left."""
        return self.entry_count >= self.max_entry_count - 1

    def entry(self, number: int) -> TimeEntry:
        """Entry ``number``, counted from 0; UsageError if there is none."""
        with self._lock:
            self._check_number(number)
            return self._entry(number)

    def lookup(self, timestamp: int) -> TimeEntry:
        """The entry with the largest timestamp not above ``timestamp`` (ms), else (-1, -1, base offset)."""
        with self._lock:
            self._check_open()
            number = self._search(self._KEY, timestamp) >> 1
            return TimeEntry(-1, _NO_TIMESTAMP, self.base_offset) if number < 0 else self._entry(number)

    def maybe_append(self, timestamp: int, offset: int, skip_full_check: bool = False) -> None:
        """Add an entry, unless the timestamp is the last entry's (or -1, if there is none).

        ``skip_full_check`` is for the entry of roll and close, which takes the last slot. Raises IndexFullError;
        IndexOrderError for an offset or a timestamp below the last entry's; OffsetOverflowError for an offset that does
        not fit the segment; UsageError for a timestamp beyond int64; IndexSealedError; OSError.
        """
        with self._lock:
            last, count, relative = self.last_entry, self.entry_count, offset - self.base_offset
            if (
                (count and (offset < last.offset or timestamp < last.timestamp))
                or not (0 <= relative <= MAX_INT32 and timestamp <= MAX_INT64)
                or count >= self.max_entry_count - 1
                or not self._is_changeable
            ):
                self._check(timestamp, offset, skip_full_check)
            if timestamp > last.timestamp:
                self._store(self._pack(timestamp, relative))
                self.last_entry = TimeEntry(count, timestamp, offset)

    def maybe_append_all(self, entries: Sequence[tuple[int, int]]) -> None:
        """`maybe_append` of each (timestamp, offset), with one write if none of them is refused."""
        with self._lock:
            base, last, slots, pack = self.base_offset, self.last_entry, [], self._pack
            most, largest, least = base + MAX_INT32, last.timestamp, last.offset
            if self._is_changeable and self.entry_count + len(entries) < self.max_entry_count:
                for timestamp, offset in entries:
                    if not (largest <= timestamp <= MAX_INT64 and least <= offset <= most):
                        break
                    if timestamp > largest:
                        slots.append(pack(timestamp, offset - base))
                        largest, least = timestamp, offset
                else:
                    if slots:
                        self._store(b"".join(slots), len(slots))
                        self.last_entry = TimeEntry(self.entry_count - 1, largest, least)
                    return
            for timestamp, offset in entries:
                self.maybe_append(timestamp, offset)

    def _check(self, timestamp: int, offset: int, skip_full_check: bool) -> None:
        """Raise the error if an entry is refused."""
        self._check_changeable()
        if not skip_full_check and self.is_full:
            raise self._full()
        last = self.last_entry
        if self.entry_count and offset < last.offset:
            raise IndexOrderError(f"{self.path}: offset {offset} lies below the last one, {last.offset}")
        if self.entry_count and timestamp < last.timestamp:
            raise IndexOrderError(f"{self.path}: timestamp {timestamp} lies below the last one, {last.timestamp}")
        if timestamp > last.timestamp:
            self._relative(offset)
            if timestamp > MAX_INT64:
                raise UsageError(f"{self.path}: timestamp {timestamp} is above {MAX_INT64}")
            if self.entry_count >= self.max_entry_count:
                raise self._full()

    def _full(self) -> IndexFullError:
        return IndexFullError(f"{self.path}: the time index is full with {self.entry_count} entries")

    def _entry(self, number: int) -> TimeEntry:
        return TimeEntry(number, self._shown.key_at(number), self.base_offset + self._shown.value_at(number))

    def _set_last(self) -> None:
        count = self.entry_count
        self.last_entry = self._entry(count - 1) if count else TimeEntry(-1, _NO_TIMESTAMP, self.base_offset)

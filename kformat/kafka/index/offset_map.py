"""The map of a compaction: the last offset of each key, in memory of a fixed size (Kafka's SkimpyOffsetMap).

Rules:

* Keys are not stored, but their MD5 is: an entry has 16 bytes of it and 8 of the offset, so that a map
  has room for one key per 24 bytes of its memory (`OffsetMap.slots`). Keys with the same MD5 are one key, as for Kafka.
* Memory is reserved when the map is made, and used as keys come: most systems give a page only when it is written to.
* Entries are put and looked up many at a time, with the same result as one after the other. An entry
  may lie in another place than in Kafka's map; nothing depends on it.
* Kernels (`kformat.kernels.offset_maps`) do the same in the same table, if the caller says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.kernels.compiled import compiled_by_hand

Array = npt.NDArray[Any]

DEFAULT_BUFFER_BYTES: Final = 134_217_728
"""Kafka's default of `log.cleaner.dedupe.buffer.size`."""

DEFAULT_LOAD_FACTOR: Final = 0.9
"""Kafka's default of `log.cleaner.io.buffer.load.factor`: how full the map may get."""

ABSENT: Final = -1
"""The offset of a key that is not in the map."""

_WORDS: Final = 3  # of an entry: two of the hash, and the offset
ENTRY_BYTES: Final = 8 * _WORDS
_JUMPS: Final = 8
"""After so many occupied places the search goes on from place to place, in order."""
try:
    _md5: Any = import_module("_md5").md5
    """CPython's own, which takes a third of the time of OpenSSL's for keys of a few bytes."""
except ImportError:  # built without it
    _md5 = partial(hashlib.md5, usedforsecurity=False)


def key_hashes(keys: Iterable[bytes]) -> Array:
    """The hashes of keys, two words each, as `OffsetMap` takes them."""
    digests = b"".join([_md5(key).digest() for key in keys])
    return np.frombuffer(digests, np.uint64).reshape(-1, _WORDS - 1)


def hashes_at(
    data: npt.NDArray[np.uint8], positions: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], *, use_kernels: bool
) -> Array:
    """`key_hashes` of bytes scattered in ``data``, none of which is null.

    Raises MissingDependencyError if kernels are to be used, and numba is missing.
    """
    if not len(positions):
        return np.empty((0, _WORDS - 1), np.uint64)
    if use_kernels:
        hashes = np.empty((len(positions), _WORDS - 1), np.uint64)
        words = hashes.view(np.uint32).reshape(-1)
        map_kernels().hashes(_unwritable(data), _unwritable(positions), _unwritable(lengths), words)
        return hashes
    ends = positions + lengths
    first = int(positions.min())
    near = data[first : int(ends.max())].tobytes()  # to slice bytes takes half the time of slicing a view
    return key_hashes(
        [near[start:end] for start, end in zip((positions - first).tolist(), (ends - first).tolist(), strict=True)]
    )


def _unwritable(array: Array) -> Array:
    """A view with one dimension that is not writeable: a kernel is compiled for each kind of array that it gets."""
    view = np.ascontiguousarray(array).reshape(-1).view()
    view.flags.writeable = False
    return view


def map_kernels() -> Any:
    """The kernels of maps; MissingDependencyError without numba."""
    return compiled_by_hand("kformat.kernels.offset_maps")


class OffsetMap:
    """A map from keys to offsets that never takes more memory than it was made with.

    Attributes:
        slots: how many keys it has room for. size: how many there are.
        latest_offset: the last offset that was put, or set with `update_latest_offset`; -1 for none.
        use_kernels: whether kernels search in it; the caller sets it, if numba is there. It may change at any time.

    Raises UsageError for memory without room for a key.
    """

    def __init__(self, memory_bytes: int = DEFAULT_BUFFER_BYTES) -> None:
        self.slots = memory_bytes // ENTRY_BYTES
        if self.slots < 1:
            raise UsageError(f"a map of {memory_bytes} bytes has no room for a key, which takes {ENTRY_BYTES}")
        self.use_kernels = False
        self.clear()

    def clear(self) -> None:
        """Forget all keys."""
        self._table: Array = np.zeros((self.slots, _WORDS), np.uint64)
        self.size = 0
        self.latest_offset = ABSENT

    def __repr__(self) -> str:
        return f"<OffsetMap of {self.size} keys up to offset {self.latest_offset}, with room for {self.slots}>"

    @property
    def utilization(self) -> float:
        """How full it is; 1 is full."""
        return self.size / self.slots

    def most_keys(self, load_factor: float = DEFAULT_LOAD_FACTOR) -> int:
        """How many keys a compaction puts in it; UsageError if that is not even one."""
        if self.slots * load_factor <= 1:
            raise UsageError(
                f"a map with room for {self.slots} keys, filled to {load_factor:g} of that, is too small for compaction"
            )
        return int(self.slots * load_factor)

    def update_latest_offset(self, offset: int) -> None:
        """Set the offset up to which the map covers the log."""
        self.latest_offset = offset

    def put(self, key: bytes, offset: int) -> None:
        """Put one key; raises as `put_hashes`."""
        self.put_hashes(key_hashes([key]), [offset])

    def get(self, key: bytes) -> int:
        """The offset of a key; -1 for none."""
        return int(self.get_hashes(key_hashes([key]))[0])

    def put_hashes(self, hashes: Array, offsets: Sequence[int] | Array) -> None:
        """Put keys with their offsets, in order: the last offset of a key stays.

        Raises UsageError at the first key after the map is full, even a key that it has; the keys before it were put.
        """
        if self.put_until(hashes, offsets, self.slots) < len(hashes):
            raise UsageError(f"the map is full: it has {self.size} keys, and room for {self.slots}")

    def put_until(self, hashes: Array, offsets: Sequence[int] | Array, most_keys: int) -> int:
        """Put keys with their offsets, in order, until the map has so many keys; returns how many were put.

        A key after that is not put, even one that the map has. ``most_keys`` is at most `slots`.
        """
        count = len(hashes)
        if not count or self.size >= most_keys:
            return 0
        if self.use_kernels:
            values = _unwritable(np.asarray(offsets, np.int64))
            room = most_keys - self.size
            put, new = map_kernels().put(self._table.reshape(-1), _JUMPS, _unwritable(hashes), values, room)
            self.size += new
            self.latest_offset = int(values[put - 1])
            return int(put)
        if self.size + count > most_keys and count > 1:  # perhaps: count how many of them are new
            middle = count // 2
            put = self.put_until(hashes[:middle], offsets[:middle], most_keys)
            if put < middle:
                return put
            return middle + self.put_until(hashes[middle:], offsets[middle:], most_keys)
        table = self._table
        values = np.asarray(offsets, np.int64).view(np.uint64)
        left = np.arange(count)
        attempt = 0
        while len(left):
            places = self._places(hashes[left], attempt)
            entries = table[places]
            is_free = ~entries.any(axis=1)
            if is_free.any():
                free = np.flatnonzero(is_free)
                self.size += len(np.unique(places[free]))
                # Of several keys for one place the last one gets it: numpy assigns in order.
                table[places[free], :2] = hashes[left[free]]
                entries = table[places]
            is_own = (entries[:, :2] == hashes[left]).all(axis=1)
            table[places[is_own], 2] = values[left[is_own]]
            left = left[~is_own]
            attempt += 1
        self.latest_offset = int(offsets[-1])
        return count

    def get_hashes(self, hashes: Array) -> npt.NDArray[np.int64]:
        """The offsets of keys; -1 where there is none."""
        offsets = np.full(len(hashes), ABSENT, np.int64)
        if self.use_kernels:
            map_kernels().get(self._table.reshape(-1), _JUMPS, _unwritable(hashes), offsets)
            return offsets
        left = np.arange(len(hashes))
        attempt = 0
        while len(left) and attempt < self.slots + _JUMPS:
            entries = self._table[self._places(hashes[left], attempt)]
            is_own = (entries[:, :2] == hashes[left]).all(axis=1)
            offsets[left[is_own]] = entries[is_own, 2].view(np.int64)
            left = left[~is_own & entries.any(axis=1)]
            attempt += 1
        return offsets

    def _places(self, hashes: Array, attempt: int) -> npt.NDArray[np.int64]:
        """Where to look for keys at an attempt: jumps by the second word of the hash, then one after the other."""
        jumps = np.uint64(min(attempt, _JUMPS))
        first = (hashes[:, 0] + hashes[:, 1] * jumps) % np.uint64(self.slots)
        return ((first + np.uint64(max(0, attempt - _JUMPS))) % np.uint64(self.slots)).astype(np.int64)


__all__ = [
    "ABSENT",
    "DEFAULT_BUFFER_BYTES",
    "DEFAULT_LOAD_FACTOR",
    "ENTRY_BYTES",
    "OffsetMap",
    "hashes_at",
    "key_hashes",
    "map_kernels",
]

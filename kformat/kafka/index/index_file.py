"""Index files on disk: read whole slots in blocks, find where their entries end, and what follows the entries.

A slot is room for one entry. `valid_entry_count` says how many slots are entries; zeros after them are the preallocated
room of an index in use. Whether an entry matches its log is decided in `kformat.kafka.index.index_trust`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from kformat.errors import InvalidError
from kformat.integers import MAX_INT32
from kformat.kafka.index.indexing import EntryArray
from kformat.language.layout import layout
from kformat.storage.address import place
from kformat.storage.byte_source import ByteSource

BLOCK_SLOTS: Final = 1 << 16
"""How many slots are read at once."""
_READ_BYTES: Final = 1 << 20


class IndexSource(Protocol):
    """The input of an index, usually a `ByteSource`."""

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only at the end."""
        ...


def read_slots(source: IndexSource, dtype: np.dtype[Any], start: int, count: int) -> EntryArray:
    """Slots ``start`` to ``start + count - 1`` of an index, entries or padding; fewer at the end of the whole slots."""
    data = source.read_at(start * dtype.itemsize, count * dtype.itemsize)
    return np.frombuffer(data, dtype, len(data) // dtype.itemsize)


def valid_entry_count(slots: EntryArray) -> int:
    """How many of a file's slots are entries; the rest is the zero padding of a preallocated file, or damage.

    Entries end before the first slot that is not strictly greater than its predecessor (by relative offset, or by
    timestamp with an offset that does not decrease), and before the first slot, other than slot 0, whose relative
    offset is 0, as in Kafka's dump tool. An all-zero slot 0 is padding unless a greater slot follows: Kafka never
    indexes position 0. The only exception is a time index of exactly one slot: closing a segment writes (0, base
    offset) if 0 is its largest timestamp, and a preallocated file has more than one slot. A negative first value is not
    an entry.
    """
    if not len(slots):
        return 0
    relative = slots["relative_offset"].astype(np.int64)
    is_time = "timestamp" in (slots.dtype.names or ())
    key = slots["timestamp"].astype(np.int64) if is_time else relative
    follows = (key[1:] > key[:-1]) & (relative[1:] > 0) & (relative[1:] >= relative[:-1])
    count = 1 + (len(follows) if follows.all() else int(follows.argmin()))
    if key[0] < 0 or relative[0] < 0:
        return 0
    if count == 1 and not any(slots[0].tolist()) and not (is_time and len(slots) == 1):
        return 0
    return count


def read_entries(source: IndexSource, known: EntryArray, block_slots: int = BLOCK_SLOTS) -> EntryArray:
    """The entries of an index, as delimited by `valid_entry_count`; padding is not read to its end.

    ``known``: entries that the file is known to begin with, initially none; the result has their dtype.
    """
    blocks, count = [known], len(known)
    while len(block := read_slots(source, known.dtype, count, block_slots)):
        before = blocks[-1][-1:]
        valid = max(0, valid_entry_count(np.concatenate((before, block))) - len(before))
        blocks.append(block[:valid])
        count += valid
        if valid < block_slots:
            break
    # Without the dtype numpy converts the result to native byte order.
    return np.concatenate(blocks, dtype=known.dtype) if count > len(known) else known


def used_bytes(source: IndexSource, end: int) -> int:
    """The position after the last nonzero byte before ``end``; the bytes after it are padding."""
    while end > 0:  # from the end: padding ends soon, or is most of the file
        start = max(0, end - _READ_BYTES)
        kept = source.read_at(start, end - start).rstrip(b"\0")
        if kept:
            return start + len(kept)
        end = start
    return 0


def used_count(source: ByteSource, dtype: np.dtype[Any]) -> int:
    """How many slots there are up to the last nonzero one; those after it are padding."""
    return -(-used_bytes(source, source.size // dtype.itemsize * dtype.itemsize) // dtype.itemsize)


def ends_with_zeros(source: ByteSource, entries: EntryArray) -> bool:
    """Whether an index file's last slot is not an entry and all zeros."""
    slot_count = source.size // entries.itemsize
    if slot_count <= len(entries):
        return False
    return not source.read_at((slot_count - 1) * entries.itemsize, entries.itemsize).strip(b"\0")


@dataclass(frozen=True, eq=False)
class IndexFile:
    """An index file.

    Attributes:
        path: the file. size_bytes: its length.
        entries: its valid entries, a structured array as in the file (big-endian).
        padding_bytes: zeros after them, up to the end of the whole slots: the file is, or was, in use.
        unsound_bytes: bytes between entries and padding: slots that break the order. 0 in a sound file.
        odd_bytes: after the last whole slot. 0 in a sound file.
    """

    path: Path
    size_bytes: int
    entries: EntryArray
    padding_bytes: int
    unsound_bytes: int
    odd_bytes: int

    @property
    def entry_count(self) -> int:
        return len(self.entries)

    @property
    def is_trimmed(self) -> bool:
        """Whether the file ends with its last entry, as it does once its segment is closed."""
        return self.size_bytes == self.entries.nbytes


def read_index(path: str | os.PathLike[str], format: str) -> IndexFile:
    """Read an index file; ``format`` is ``offset_index`` or ``time_index``.

    Memory is needed for the entries, not for the padding. Raises OSError if the file cannot be read, and InvalidError
    if it is larger than any index can be (Kafka stores the size in an int).
    """
    dtype = layout(f"{format}::entry").dtype
    with ByteSource(path) as source:
        _check_size(source)
        entries = read_entries(source, np.empty(0, dtype))
        count = used = total = len(entries)
        while len(block := read_slots(source, dtype, total, BLOCK_SLOTS)):
            if kept := block.tobytes().rstrip(b"\0"):
                used = total - (-len(kept) // dtype.itemsize)
            total += len(block)
        odd_bytes = len(source.read_at(total * dtype.itemsize, dtype.itemsize))
        return IndexFile(
            path=place(path),
            size_bytes=total * dtype.itemsize + odd_bytes,  # as read: another process may be trimming the file
            entries=entries,
            padding_bytes=(total - used) * dtype.itemsize,
            unsound_bytes=(used - count) * dtype.itemsize,
            odd_bytes=odd_bytes,
        )


class FoundEntries(NamedTuple):
    """The valid entries of an index file, whether the file ends with them, and whether its last slot is all zeros.
    Reading these does not need all of the padding.
    """

    entries: EntryArray
    is_trimmed: bool = True
    ends_with_zeros: bool = False

    @classmethod
    def read(cls, path: Path | None, format: str) -> FoundEntries:
        """Read them; empty if there is no file. Raises as `read_index`."""
        none = np.empty(0, layout(f"{format}::entry").dtype)
        if path is None:
            return cls(none)
        with ByteSource(path) as source:
            _check_size(source)
            entries = read_entries(source, none)
            return cls(entries, source.size == entries.nbytes, ends_with_zeros(source, entries))


def _check_size(source: ByteSource) -> None:
    if source.size > MAX_INT32:
        raise InvalidError(
            "too large for an index", source=source.name, expected=f"<= {MAX_INT32} bytes", found=source.size
        )


__all__ = ["IndexFile", "ends_with_zeros", "read_entries", "read_index", "read_slots"]

"""A segment as a broker leaves it when it is killed: the log, and indexes whose stale slots nobody has cleared.

Kafka's LogSegment and AbstractIndex in a few lines, written from their rules and not with the code under test: an index
is a row of slots and a count; truncation lowers the count, and new entries overwrite the slots from there on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kformat.language.layout import layout
from tests.damages import Folder, stem
from tests.damages import write as write_files
from tests.engine.building import batch

START_MS = 1_700_000_000_000
INDEXES = {".index": layout("offset_index::entry").dtype, ".timeindex": layout("time_index::entry").dtype}
"""Suffix of an index file -> its slots."""
MOST_INDEX_BYTES = 2400
"""`segment.index.bytes`; an index that has more slots is as large as they are."""


@dataclass(frozen=True)
class Written:
    """A batch in the log: its place, its offsets, its records' timestamps, and its bytes."""

    position: int
    base_offset: int
    timestamps: tuple[int, ...]
    epoch: int
    data: bytes

    @property
    def last_offset(self) -> int:
        return self.base_offset + len(self.timestamps) - 1


@dataclass
class _Slots:
    """An AbstractIndex: entries are (offset, position) or (timestamp, offset), the count says how many are valid."""

    slots: list[tuple[int, int]] = field(default_factory=list)
    count: int = 0

    def append(self, entry: tuple[int, int]) -> None:
        self.slots[self.count : self.count + 1] = [entry]
        self.count += 1

    def last(self, default: tuple[int, int]) -> tuple[int, int]:
        return self.slots[self.count - 1] if self.count else default

    @property
    def left_count(self) -> int:
        """How many slots hold what is no entry any more."""
        return len(self.slots) - self.count


class BrokerSegment:
    """The active segment of a broker.

    ``interval`` is `index.interval.bytes`, ``profile`` a writer profile of `kformat.kafka.index.indexing`: up to
    ``batch-time`` an append of several batches gets one entry.
    """

    def __init__(self, base_offset: int = 0, interval: int = 100, profile: str = "per-batch") -> None:
        self.base_offset, self.interval, self.profile = base_offset, interval, profile
        self.batches: list[Written] = []
        self.offset_index, self.time_index = _Slots(), _Slots()
        self._since_entry = 0
        self._largest = (-1, base_offset)

    @property
    def size(self) -> int:
        return self.batches[-1].position + len(self.batches[-1].data) if self.batches else 0

    @property
    def end_offset(self) -> int:
        return self.batches[-1].last_offset + 1 if self.batches else self.base_offset

    @property
    def left_counts(self) -> tuple[int, int]:
        """How many stale slots the two indexes have."""
        return self.offset_index.left_count, self.time_index.left_count

    @property
    def misled_from(self) -> int | None:
        """The first time entry in use that the log contradicts, because a truncation forgot the largest timestamp.

        LogSegment.truncateTo takes the last entry's for it, whatever batches came after that entry; a smaller one, or
        the same one at a later offset, becomes an entry then.
        """
        for number, (timestamp, offset) in enumerate(self.time_index.slots[: self.time_index.count]):
            before = [max(one.timestamps) for one in self.batches if one.base_offset <= offset]
            if max(before) > timestamp or timestamp in before[:-1]:
                return number
        return None

    def append(self, timestamps: tuple[int, ...], value: bytes = b"value", epoch: int = 0) -> None:
        """LogSegment.append of one batch: a record with each of the timestamps."""
        self.append_together([(timestamps, value)], epoch)

    def append_together(self, added: Sequence[tuple[tuple[int, ...], bytes]], epoch: int = 0) -> None:
        """LogSegment.append of several batches, each with its timestamps and its value."""
        if self.profile == "per-batch":
            for one in added:
                self._append([self._write(*one, epoch)])
        elif added:
            self._append([self._write(*one, epoch) for one in added])

    def _write(self, timestamps: tuple[int, ...], value: bytes, epoch: int) -> Written:
        first = self.end_offset
        data = batch(first, *[value] * len(timestamps), timestamps=timestamps, leader_epoch=epoch)
        self.batches.append(Written(self.size, first, timestamps, epoch, data))
        return self.batches[-1]

    def _append(self, written: list[Written]) -> None:
        holder = max(written, key=lambda one: max(one.timestamps))  # the first on ties
        largest = max(holder.timestamps)
        by_record = self.profile in ("first-offset", "last-offset")
        if largest > self._largest[0]:
            first = holder.base_offset + holder.timestamps.index(largest)
            self._largest = largest, first if by_record else holder.last_offset
        if self._since_entry > self.interval:
            offset = written[0].base_offset if self.profile == "first-offset" else written[-1].last_offset
            self.offset_index.append((offset, written[0].position))
            if self._largest[0] > self.time_index.last((-1, 0))[0]:
                self.time_index.append(self._largest)
            self._since_entry = 0
        self._since_entry += sum(len(one.data) for one in written)

    def truncate(self, count: int) -> None:
        """LogSegment.truncateTo, with the first offset of batch number ``count``."""
        offset = self.batches[count].base_offset if count < len(self.batches) else self.end_offset
        for index, offset_at in ((self.offset_index, 0), (self.time_index, 1)):
            index.count = sum(entry[offset_at] < offset for entry in index.slots[: index.count])
        del self.batches[count:]
        self._since_entry = 0
        if self._largest[0] >= 0:
            self._largest = self.time_index.last((-1, self.base_offset))

    def files(self, most_index_bytes: int = MOST_INDEX_BYTES) -> Folder:
        """The files as kill -9 leaves them."""
        found = {f"{stem(self.base_offset)}.log": b"".join(written.data for written in self.batches)}
        for (suffix, dtype), index in zip(INDEXES.items(), (self.offset_index, self.time_index), strict=True):
            slots = np.zeros(max(most_index_bytes // dtype.itemsize, len(index.slots)), dtype)
            for number, (key, value) in enumerate(index.slots):
                is_offset = suffix == ".index"
                slots[number] = (key - self.base_offset, value) if is_offset else (key, value - self.base_offset)
            found[f"{stem(self.base_offset)}{suffix}"] = slots.tobytes()
        return found

    def write(self, folder: Path, *, with_indexes: bool = True) -> Path:
        """Put them into a folder."""
        files = self.files()
        return write_files(files if with_indexes else dict(list(files.items())[:1]), folder)

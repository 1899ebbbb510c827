"""Growing partitions, for streams: where each ends now, how far the next batch goes, the tasks between two ends.

Rules:

* An end is an offset after a whole batch with a right checksum, as for `kformat.LogReader`; a batch being written does
  not count. While compaction replaces segments, the listing waits for it.
* A batch of a stream is defined by its two ends, whatever has grown since: planned again, it has the same records.
* A new partition begins with its first offset. A partition that is gone, or whose files no longer contain the stream's
  position, is lost data. One that ends before the stream's position is refused: logs do not shrink, except for a
  replica whose leader changed, and then the records read before are no longer valid. A partition that was truncated and
  has grown beyond the position since cannot be distinguished from one that only grew.
* A log begins at the start set by DeleteRecords, as for `plan`: from the checkpoint, which a live broker writes once a
  minute. Records deleted before a stream reads them are lost data, too.
* Gaps between offsets come from compaction and control batches, and are not lost data.

This module is independent of Spark: ends are keyed by partition name (``orders-0``), and limits are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from kformat.errors import RecordsDeletedError, UsageError
from kformat.kafka.batch.framing import CURRENT_MAGIC, Walk
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.log.log_reader import LogEnd, settled
from kformat.kafka.log.partition import Partition
from kformat.spark.options import LATEST, Request
from kformat.spark.plan import (
    NO_END,
    Index,
    OffsetRange,
    Split,
    Task,
    check_all_are_named,
    cut,
    first_of,
    lost,
    partitions,
    splits_of,
    start_of,
    warn_of_starts,
)
from kformat.storage.byte_source import ByteSource

Ends = dict[str, int]
"""Partition -> the next offset to read."""


class Tail:
    """The partitions of a request, as they grow."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._ends: dict[str, LogEnd] = {}

    def first(self) -> Ends:
        """The offsets where a new stream begins, by its options; raises as `plan.plan`."""
        by_name = self._partitions()
        bound, starts = self.request.start, {}
        check_all_are_named(bound, partitions(self.request))
        warn_of_starts(by_name.values(), self.request)
        for name, partition in by_name.items():
            offset = (bound.offsets or {}).get((partition.topic, partition.partition))
            if bound.is_latest or offset == LATEST:
                starts[name] = self._committed(name, partition)
            else:
                starts[name] = max(start_of(partition, self.request), first_of(partition, self.request))
        return starts

    def ends(self) -> Ends:
        """The current ends of the partitions. Raises OSError if they cannot be read."""
        return {name: self._committed(name, partition) for name, partition in self._partitions().items()}

    def until(
        self, start: Mapping[str, int], ends: Ends, *, most_offsets: int | None = None, most_bytes: int | None = None
    ) -> Ends:
        """The end of the next batch: the ends, or less if the number of offsets, or about the number of bytes of log,
        is limited. Each partition gets its share of the rest, and advances by at least one batch. A new partition
        advances to its beginning, so that its beginning is known from then on.

        Raises UsageError for a partition that is gone, unless data may be lost, and for one that shrank.
        """
        # List partitions only if needed: a stream asks several times a second.
        by_name = self._partitions() if most_bytes is not None or not ends.keys() <= start.keys() else {}
        for name, offset in start.items():
            if name not in ends:
                lost(self.request, f"{name}: its files are gone, it was read up to offset {offset}")
            elif ends[name] < offset:
                raise UsageError(f"{name}: it was read up to offset {offset}, and ends in front of {ends[name]} now")
        ends = {
            name: first_of(by_name[name], self.request) if name not in start and name in by_name else end
            for name, end in ends.items()
        }
        begins = {name: start.get(name, end) for name, end in ends.items()}
        sizes = {name: end - begins[name] for name, end in ends.items() if end > begins[name]}
        if most_bytes is not None:
            sizes = {
                name: sum(split.size_bytes for split, _ in self._splits(by_name[name], begins[name], ends[name]))
                for name in sizes
                if name in by_name
            }
        total, limit = sum(sizes.values()), most_offsets if most_bytes is None else most_bytes
        reached = dict(ends)
        if limit is not None and total > limit:
            for name, size in sizes.items():
                share = limit * size / total
                if most_bytes is None:  # as KafkaMicroBatchStream.rateLimit
                    further = begins[name] + (math.ceil(share) if share < 1 else math.floor(share))
                    reached[name] = min(reached[name], further)
                else:
                    reached[name] = self._offset_after(by_name[name], begins[name], ends[name], share)
        return {**{name: offset for name, offset in start.items() if name not in ends}, **reached}

    def tasks(self, start: Mapping[str, int], end: Mapping[str, int]) -> list[Task]:
        """Cut the offsets between two ends into tasks. Raises as `plan.plan`, UsageError for a log that shrank, and
        RecordsDeletedError for one whose records were deleted first."""
        by_name = self._partitions()
        splits: list[tuple[Split, Index]] = []
        for name, stop in sorted(end.items()):
            if name not in by_name:
                if name not in start or start[name] < stop:
                    lost(self.request, f"{name}: its files are gone, it was to be read up to offset {stop}")
                continue
            partition = by_name[name]
            first = first_of(partition, self.request)
            begin = start.get(name, first)
            if begin > stop:
                raise UsageError(f"{name}: it was read up to offset {begin}, and is to be read up to {stop}")
            if begin == stop:
                continue
            if (latest := max(first, self._end(name, partition))) < stop:
                raise UsageError(f"{name}: it is to be read up to offset {stop}, and ends in front of {latest} now")
            if begin < first:
                lost(self.request, RecordsDeletedError(begin, first, source=name))
                begin = first
            splits += [(_ended(split, index), index) for split, index in self._splits(partition, begin, stop)]
        return cut(splits, self.request)

    def _partitions(self) -> dict[str, Partition]:
        by_name: dict[str, Partition] = {}
        for partition in partitions(self.request):
            name = f"{partition.topic}-{partition.partition}"
            if name in by_name:
                raise UsageError(f"{name} lies in {by_name[name].path} and in {partition.path}: a stream follows one")
            partition = settled(partition)
            if partition.segments:
                by_name[name] = partition
        return by_name

    def _splits(self, partition: Partition, start: int, end: int) -> list[tuple[Split, Index]]:
        return list(splits_of(partition, self.request, OffsetRange(start, end)))

    def _end(self, name: str, partition: Partition) -> int:
        """The offset after the last whole batch."""
        return self._ends.setdefault(name, LogEnd()).offset(partition)

    def _committed(self, name: str, partition: Partition) -> int:
        end = self._end(name, partition)
        if self.request.is_committed_only:
            end = min(end, partition.committed(Wanted()).end_offset)
        return max(end, first_of(partition, self.request))

    def _offset_after(self, partition: Partition, start: int, end: int, most_bytes: float) -> int:
        """The offset after about ``most_bytes`` bytes, after at least one batch."""
        filled, reached = 0, start
        for split, _ in self._splits(partition, start, end):
            with ByteSource(split.log) as source:
                for frame in Walk(source, split.start, split.end):
                    next_offset = frame.last_offset + 1
                    if next_offset <= start:
                        continue
                    if reached > start and filled + frame.size > most_bytes:
                        return reached
                    filled, reached = filled + frame.size, next_offset
                    if reached >= end:
                        return end
        return end


def _ended(split: Split, index: Index) -> Split:
    """End a split where its last batch ends: the bytes after it may be being written. If there is damage before it, the
    split's end stays, and reading it reports the damage."""
    if split.end_offset >= NO_END:
        return replace(split, is_last=False)
    position = max(split.start, index.position(index.number_above(split.end_offset) - 1, split.start))
    with ByteSource(index.segment.log) as source:
        for frame in Walk(source, position, split.end):
            if frame.magic >= CURRENT_MAGIC and frame.base_offset >= split.end_offset:
                break
            position = frame.position + frame.size
            if frame.last_offset >= split.end_offset - 1:
                break
        else:
            return replace(split, is_last=False)
    return replace(split, end=min(split.end, position), is_last=False)

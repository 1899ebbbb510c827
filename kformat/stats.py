"""Numbers about partitions: sizes, rates, gaps, codecs, producers; and about records: keys, values, headers.

Rules:

* Most numbers come from batch headers alone. The exceptions are the types of control records, the decompressed size of
  a few batches, and the contents of wrappers of magic 0 and 1. Records are read on request.
* Memory does not grow with the log: headers come window by window, records chunk by chunk. Collections that would grow
  (distinct keys, producers, header names, time intervals) are limited; beyond the limit the result is marked as an
  estimate, or the rest is summed up as "others".
* Damage ends its segment. Batches before it are counted, the rest is `Stats.unread_bytes`, and the error is in
  `Stats.problems`; later segments are read. If damage is to be skipped, the batches after it are counted, too.
* Everything can be added up: segments to partitions, partitions to a total.
* Deleted records are not counted (`Partition.deleted_before`), unless requested. Batches that hold only deleted records
  are `deleted_bytes`. A batch that contains the log's start is read to count the remaining records; its bytes are
  counted whole.
* For a tiered topic the local files are counted; `remote_offsets_count` is the number of offsets that exist only in
  remote storage.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import parse_prefix
from kformat.columns.counts import RowCounts
from kformat.columns.skipped import OnSkipped, Skipped, passing_over
from kformat.errors import CompressionError, DataError, InvalidError, KformatError, LimitError, UsageError
from kformat.integers import MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders, is_room, iter_batch_headers, iter_batches
from kformat.kafka.batch.compression import CODEC_LABELS, decompress
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES
from kformat.kafka.batch.records import Batch, TimestampType
from kformat.kafka.columns.chunks import Chunk, Wanted, read_chunks
from kformat.kafka.columns.declared import SIDES, DeclaredColumns, Given, Layouts, layouts_of
from kformat.kafka.damage.corrupt import DamagedLog, position_of
from kformat.kafka.log.chosen import chosen
from kformat.kafka.log.partition import Partition, Segment, open_partition, partitions_in, start_position
from kformat.kafka.producers.producer_state import ProducerEntry
from kformat.results import Results
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.times import time_text

Numbers = npt.NDArray[np.int64]

DEFAULT_LIMIT: Final = 1 << 28
"""Approximate limit, in bytes, for the keys of a partition; beyond it, their number is estimated."""

BY: Final = ("partition", "segment", "total")
"""The units that numbers can be grouped by."""

_KEY_OVERHEAD_BYTES: Final = 100
_MOST_GAPS: Final = 5
_MOST_NAMED: Final = 1000
_SAMPLED_BATCHES: Final = 8
_LARGEST_LEVEL: Final = 64
_MIX: Final = 0x9E3779B97F4A7C15
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_TIMESTAMP_TYPES: Final = {int(kind): kind.name for kind in TimestampType}

# --- parts of the numbers ---------------------------------------------------------------------------------------------


class Distribution:
    """How sizes are distributed. The smallest, the largest, the sum and the number are exact.

    A quantile is the smallest size such that at least that share of all sizes is at or below it. Above 127 it is
    rounded up to the end of a step, by at most 1/64.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(0, np.int64)
        self.minimum: int | None = None
        self.maximum: int | None = None
        self.total = 0

    @property
    def count(self) -> int:
        return int(self.counts.sum())

    def add(self, values: Numbers) -> None:
        """Count sizes, all of them at least 0."""
        if not len(values):
            return
        _, exponents = np.frexp(values.astype(np.float64))  # exact enough: values that are rounded up are corrected
        shifts = (exponents.astype(np.int64) - _STEP_BITS).clip(0)
        shifts -= (values >> shifts) < _STEPS * (shifts > 0)
        self._sum(np.bincount(shifts * _STEPS + (values >> shifts)))
        self._widen(int(values.min()), int(values.max()))
        self.total += (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())  # a plain sum may overflow

    def merge(self, other: Distribution) -> None:
        if other.minimum is not None and other.maximum is not None:
            self._sum(other.counts)
            self._widen(other.minimum, other.maximum)
            self.total += other.total

    def _sum(self, counts: Numbers) -> None:
        longer, shorter = (self.counts, counts) if len(self.counts) >= len(counts) else (counts, self.counts)
        self.counts = longer.astype(np.int64)
        self.counts[: len(shorter)] += shorter

    def _widen(self, minimum: int, maximum: int) -> None:
        self.minimum = minimum if self.minimum is None else min(self.minimum, minimum)
        self.maximum = maximum if self.maximum is None else max(self.maximum, maximum)

    def quantile(self, share: float) -> int | None:
        """A quantile as defined above; None if nothing was counted."""
        if self.maximum is None or self.minimum is None:
            return None
        so_far = np.cumsum(self.counts)
        step = int(np.searchsorted(so_far, max(1, int(np.ceil(share * so_far[-1])))))
        shift = max(0, step // _STEPS - 1)
        return min(self.maximum, ((step - shift * _STEPS + 1) << shift) - 1)

    def as_dict(self) -> dict[str, Any]:
        mean = round(self.total / self.count, 1) if self.count else None
        return {
            "count": self.count,
            "min": self.minimum,
            "median": self.quantile(0.5),
            "p95": self.quantile(0.95),
            "p99": self.quantile(0.99),
            "max": self.maximum,
            "mean": mean,
            "sum": self.total,
        }


_STEP_BITS: Final = 7
_STEPS: Final = 1 << (_STEP_BITS - 1)


class DistinctKeys:
    """How many distinct keys there are: exact while they fit into a limit, then estimated from a sample.

    The sample holds the keys whose hash begins with a given number of zero bits; when it becomes too large, one more
    zero is required. The sample's share of all keys is known, so its size gives the estimate (M. Wegman's adaptive
    sampling).
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.level, self.kept, self.size_bytes = limit, 0, set[bytes](), 0

    def add(self, keys: Iterable[bytes | None]) -> None:
        """Count keys; None is not counted."""
        new: set[Any] = set(keys).difference(self.kept)
        new.discard(None)
        if self.level:
            new = {key for key in new if self._is_sampled(key)}
        self.kept |= new
        self.size_bytes += sum(map(len, new)) + _KEY_OVERHEAD_BYTES * len(new)
        while self.size_bytes > self.limit and self.level < _LARGEST_LEVEL:
            self._thin(self.level + 1)

    def merge(self, other: DistinctKeys) -> None:
        self._thin(max(self.level, other.level))
        self.add(other.kept)

    def _thin(self, level: int) -> None:
        if level > self.level:
            self.level = level
            self.kept = set(filter(self._is_sampled, self.kept))
            self.size_bytes = sum(map(len, self.kept)) + _KEY_OVERHEAD_BYTES * len(self.kept)

    def _is_sampled(self, key: bytes) -> bool:
        return not (zlib.crc32(key) * _MIX % 2**64) >> (64 - self.level)

    @property
    def count(self) -> int:
        """The number of distinct keys, or its estimate."""
        return len(self.kept) << self.level

    @property
    def error(self) -> int:
        """The standard error of the estimate; 0 if the number is exact."""
        return round(self.count / max(1, len(self.kept)) ** 0.5) if self.level else 0


class Timeline:
    """Records and bytes in each interval of time; the interval grows so that there are never many.

    Empty intervals are left out. Intervals begin at multiples of their length since 1970.
    """

    def __init__(self, interval_ms: int, most: int) -> None:
        self.interval_ms, self.most = interval_ms, most
        self.rows: dict[int, tuple[int, int]] = {}

    def add(self, timestamps: Numbers, records: Numbers, size_bytes: Numbers) -> None:
        """Count rows by their timestamps, all of them at least 0."""
        starts, places = np.unique(timestamps // self.interval_ms, return_inverse=True)
        counted = np.zeros((len(starts), 2), np.int64)
        np.add.at(counted, places, np.column_stack((records, size_bytes)))
        self._add(zip((starts * self.interval_ms).tolist(), map(tuple, counted.tolist()), strict=True))

    def merge(self, other: Timeline) -> None:
        while self.interval_ms < other.interval_ms:
            self._widen()
        self._add(other.rows.items())

    def _add(self, rows: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        for start, (records, size_bytes) in rows:
            at = start // self.interval_ms * self.interval_ms
            before = self.rows.get(at, (0, 0))
            self.rows[at] = before[0] + records, before[1] + size_bytes
            while len(self.rows) > self.most:
                self._widen()

    def _widen(self) -> None:
        factor = next((longer for longer in _NICE_MS if longer > self.interval_ms), self.interval_ms * 2)
        if factor % self.interval_ms:
            factor = self.interval_ms * 2
        self.interval_ms, rows = factor, self.rows
        self.rows = {}
        self._add(rows.items())

    @property
    def busiest(self) -> tuple[int, int, int] | None:
        """The start of the interval with the most records, and its records and bytes; in case of a tie the first."""
        if not self.rows:
            return None
        start = min(self.rows, key=lambda start: (-self.rows[start][0], start))
        return start, *self.rows[start]

    def as_list(self) -> list[dict[str, int]]:
        return [
            {"start": start, "records_count": records, "size_bytes": size_bytes}
            for start, (records, size_bytes) in sorted(self.rows.items())
        ]


_NICE_MS: Final = tuple(1000 * seconds for seconds in (1, 10, 60, 600, 3600, 21_600, 86_400, 604_800))


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """A gap: ``size`` milliseconds, or offsets, between two existing offsets."""

    size: int
    after_offset: int
    before_offset: int


class Gaps:
    """The largest of many gaps; in case of a tie, the first ones."""

    def __init__(self) -> None:
        self.largest: list[Gap] = []
        self.count = self.total = 0

    def add(self, sizes: Numbers, after: Numbers, before: Numbers) -> None:
        """Count gaps; a size of 0 or less is not a gap."""
        rows = np.flatnonzero(sizes > 0)
        self.count, self.total = self.count + len(rows), self.total + int(sizes[rows].sum())
        rows = rows[np.argsort(-sizes[rows], kind="stable")[:_MOST_GAPS]]
        self._keep(map(Gap, sizes[rows].tolist(), after[rows].tolist(), before[rows].tolist()))

    def merge(self, other: Gaps) -> None:
        self.count, self.total = self.count + other.count, self.total + other.total
        self._keep(other.largest)

    def _keep(self, gaps: Iterable[Gap]) -> None:
        self.largest = heapq.nsmallest(_MOST_GAPS, [*self.largest, *gaps], key=lambda gap: -gap.size)

    def as_list(self, unit: str) -> list[dict[str, int]]:
        return [
            {unit: gap.size, "after_offset": gap.after_offset, "before_offset": gap.before_offset}
            for gap in self.largest
        ]


class Tally:
    """Sums by name, for at most a thousand names; ``others`` holds the sums of all further names."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.rows, self.others = names, dict[Any, list[int]](), [0] * len(names)

    def add(self, keys: npt.NDArray[Any], *columns: npt.NDArray[Any]) -> None:
        """Add columns of numbers, each to the sum of its row's key."""
        if len(keys):
            distinct, places = np.unique(keys, return_inverse=True)
            sums = np.zeros((len(distinct), len(columns)), np.int64)
            np.add.at(sums, places, np.column_stack(columns).astype(np.int64))
            self.sum(zip(distinct.tolist(), sums.tolist(), strict=True))

    def sum(self, rows: Iterable[tuple[Any, list[int]]]) -> None:
        for key, numbers in rows:
            target = self.rows.get(key)
            if target is None:
                target = self.others if len(self.rows) >= _MOST_NAMED else self.rows.setdefault(key, [0] * len(numbers))
            target[:] = [a + b for a, b in zip(target, numbers, strict=True)]

    def merge(self, other: Tally) -> None:
        self.sum(other.rows.items())
        self.others = [a + b for a, b in zip(self.others, other.others, strict=True)]

    def largest(self) -> list[tuple[Any, list[int]]]:
        """Names and sums, sorted by the first sum, largest first."""
        return sorted(self.rows.items(), key=lambda row: (-row[1][0], row[0]))


# --- the numbers ------------------------------------------------------------------------------------------------


class UnreadRecords(NamedTuple):
    """Records of a segment that were not read, because of damage: those from the batch at a position on.

    ``batches_count`` counts that batch and those after it, as far as their framing is sound. The offsets are the first
    and the last of these batches; ``records_count`` is by their headers, without control records.
    """

    file: str
    position: int
    batches_count: int
    records_count: int
    first_offset: int
    last_offset: int

    def __str__(self) -> str:
        batches = f"{self.batches_count} batch{'es' * (self.batches_count != 1)}"
        records = f"{self.records_count} record{'s' * (self.records_count != 1)}"
        text = f"{self.file}: records from position {self.position} on were not read: {records} in {batches}"
        return f"{text}, offsets {self.first_offset} to {self.last_offset}"


@dataclass(eq=False)
class Stats:
    """Numbers about some segments, as far as they could be read; see the module's rules and `as_dict`.

    Attributes:
        name: the path that was counted. topic, partition: of a partition or a segment; None for a total.
        has_records: whether records were read.
        problems: what could not be read, and why.
        unread_records: of each segment whose records could not be read to the end, which are left.
        values: numbers about declared values and keys; None if no layout was given.
    """

    name: str
    topic: str | None = None
    partition: int | None = None
    has_records: bool = False
    limit: int = DEFAULT_LIMIT
    interval_ms: int = 1000
    most_intervals: int = 60
    problems: list[DataError] = field(default_factory=list)
    unread_records: list[UnreadRecords] = field(default_factory=list)
    values: ValueStats | None = None

    def __post_init__(self) -> None:
        self.counts = Counter[str]()
        """Keyed by the names of `as_dict`."""
        self.first_offset: int | None = None
        self.next_offset: int | None = None
        self.first_timestamp: int | None = None
        self.last_timestamp: int | None = None
        self.batch_bytes, self.records_per_batch = Distribution(), Distribution()
        self.key_bytes, self.value_bytes, self.headers_per_record = Distribution(), Distribution(), Distribution()
        self.time_gaps, self.offset_gaps = Gaps(), Gaps()
        self.timeline = Timeline(self.interval_ms, self.most_intervals)
        self.codecs = Tally(("batches_count", "records_count", "size_bytes"))
        self.inflated = Tally(("sampled_batches_count", "stored_bytes", "inflated_bytes"))
        self.magics, self.timestamp_types = Tally(("batches_count",)), Tally(("batches_count",))
        self.leader_epochs = Tally(("records_count", "batches_count"))
        self.producers = Tally(("records_count", "batches_count", "transactional_batches_count"))
        self.control_types, self.header_keys = Tally(("records_count",)), Tally(("count",))
        self.distinct_keys = DistinctKeys(self.limit)
        self.last_stable_offset: int | None = None
        self.open_transactions: list[ProducerEntry] = []
        self._latest_record = MIN_INT64
        self._last_timed_offset = -1

    # Counting

    def add_segment(
        self,
        segment: Segment,
        deleted_before: int | None = None,
        on_skipped: OnSkipped | None = None,
        following: Segment | None = None,
    ) -> None:
        """Count the next segment, without the records below an offset if one is given.

        If ``on_skipped`` is given, damage is skipped, and ``on_skipped`` is called with each skipped stretch;
        ``following`` is the next segment. Raises OSError if the segment cannot be read.
        """
        self.counts["segments_count"] += 1
        for index in (segment.index, segment.timeindex):
            self.counts["index_bytes"] += 0 if index is None else index.stat().st_size
        with ByteSource(segment.log) as source:
            self.counts["size_bytes"] += source.size
            start, wanted, data_before = 0, _RECORDS, self._data_count
            if deleted_before is not None:
                wanted = replace(_RECORDS, start_offset=deleted_before)
                with contextlib.suppress(DataError):  # the loop below reports it
                    start = start_position(segment, deleted_before) or 0
            self.counts["deleted_bytes"] += start
            damaged = DamagedLog(source, lambda: (segment, following))
            stretches: list[Skipped] = []

            def passed(skipped: Skipped) -> None:
                if any(skipped.position == known.position for known in stretches):
                    return  # once by headers, and again by records
                stretches.append(skipped)
                assert on_skipped is not None
                on_skipped(skipped)

            skips = None if on_skipped is None else passed
            try:
                for log, headers in damaged.read(_windows, start, skips):
                    if isinstance(headers, BatchHeaders):
                        self._add_headers(log, headers, deleted_before)
                    else:
                        self.counts["room_bytes"] += headers
            except DataError as error:
                self.problems.append(error)
                self.counts["unread_bytes"] += source.size - position_of(error, source, start, source.size)[0]
            self.counts["unread_bytes"] += sum(skipped.size_bytes for skipped in stretches)
            if self.has_records:
                read_before = self.counts["records_read_count"]
                try:
                    for chunk in damaged.read(partial(_chunks, wanted), start, skips):
                        self._add_records(chunk)
                except DataError as error:
                    left = self._data_count - data_before - (self.counts["records_read_count"] - read_before)
                    self._add_unread(source, position_of(error, source, start, source.size)[0], left)
                    if not any(str(error) == str(reported) for reported in self.problems):
                        self.problems.append(error)
            if stretches:  # problems of its samples are reported already
                self.problems = [problem for problem in self.problems if not _lies_in(problem, stretches)]

    def add_transactions(self, partition: Partition) -> None:
        """Count the transactions that are open at the end of a partition, all of which was counted. OSError."""
        if partition.is_file or self.counts["unread_bytes"]:
            return
        has_snapshot = any(other.kind == "producer_snapshot" for other in partition.others)
        if has_snapshot or self.counts["transactional_batches_count"] or self.counts["deleted_bytes"]:
            stability = partition.stability()
            if stability.problem is None:
                self.open_transactions = stability.open_entries
                self.counts["open_transactions_count"] = len(self.open_transactions)
                self.last_stable_offset = partition.last_stable_offset(stability)
        else:
            self.last_stable_offset = self.next_offset

    @property
    def _data_count(self) -> int:
        """How many records there are that are no control records."""
        return self.counts["records_count"] - self.counts["control_records_count"]

    def _add_unread(self, source: ByteSource, position: int, records_count: int) -> None:
        count, first, last = 0, 0, 0
        for headers in iter_batch_headers(source, position):
            if len(headers):
                first = first if count else int(headers.base_offset[0])
                count, last = count + len(headers), int(headers.last_offset[-1])
        if count and records_count > 0:
            self.unread_records.append(UnreadRecords(source.name, position, count, records_count, first, last))

    def _add_headers(self, source: ByteSource, headers: BatchHeaders, deleted_before: int | None) -> None:
        to_read = (headers.magic < CURRENT_MAGIC) & (headers.records_count < 0)
        if deleted_before is not None:
            is_left = headers.last_offset >= deleted_before
            self.counts["deleted_bytes"] += int(headers.size[~is_left].sum())
            to_read = (to_read | (headers.base_offset < deleted_before))[is_left]
            left = (headers.position[is_left], headers.size[is_left], headers.columns[is_left])
            headers = replace(headers, position=left[0], size=left[1], columns=left[2])
            if not len(headers):
                return
        first_offsets, first_timestamps = headers.base_offset.copy(), headers.first_timestamp
        next_offsets, last_timestamps = headers.next_offset, headers.max_timestamp.copy()
        records = headers.records_count.astype(np.int64).clip(0)
        for row in np.flatnonzero(to_read).tolist():
            batch = self._read(source, headers, row, deleted_before)
            first_offsets[row], first_timestamps[row] = batch.first_offset, batch.smallest
            records[row] = batch.records_count
            if batch.is_cut:
                last_timestamps[row] = batch.largest
        is_control, is_transactional = headers.is_control != 0, headers.is_transactional != 0
        self.counts.update(
            {
                "batches_count": len(headers),
                "records_count": int(records.sum()),
                "empty_batches_count": int(np.count_nonzero(records == 0)),
                "control_batches_count": int(np.count_nonzero(is_control)),
                "control_records_count": int(records[is_control].sum()),
                "transactional_batches_count": int(np.count_nonzero(is_transactional & ~is_control)),
                "idempotent_batches_count": int(np.count_nonzero((headers.producer_id >= 0) & ~is_control)),
            }
        )
        self.batch_bytes.add(headers.size)
        self.records_per_batch.add(records)
        self.codecs.add(headers.compression, np.ones(len(headers)), records, headers.size)
        self.magics.add(headers.magic, np.ones(len(headers)))
        kinds = np.where(headers.magic == 0, -1, headers.timestamp_type.astype(np.int64))
        self.timestamp_types.add(kinds, np.ones(len(headers)))
        self.leader_epochs.add(headers.partition_leader_epoch, records, np.ones(len(headers)))
        rows = np.flatnonzero((headers.producer_id >= 0) & ~is_control)
        self.producers.add(headers.producer_id[rows], records[rows], np.ones(len(rows)), is_transactional[rows])
        self._add_offsets(first_offsets, next_offsets)
        rows = np.flatnonzero((last_timestamps >= 0) & ~is_control)
        self.timeline.add(last_timestamps[rows], records[rows], headers.size[rows])
        if len(rows):
            self._add_times(first_timestamps[rows], last_timestamps[rows], first_offsets[rows], next_offsets[rows])
        self._sample(source, headers)
        self._add_control(source, headers, np.flatnonzero(is_control & (records > 0)))

    def _read(self, source: ByteSource, headers: BatchHeaders, row: int, deleted_before: int | None) -> _Read:
        """Count what the header does not say: a wrapper of magic 0 or 1, or a batch that contains the log's start.
        Stops at the first record that cannot be read.
        """
        start, count, smallest, largest, is_first, is_cut = int(headers.base_offset[row]), 0, -1, -1, True, False
        position = int(headers.position[row])
        try:
            for batch in iter_batches(source, position, position + int(headers.size[row])):
                for record in batch.records():
                    start, is_first = record.offset if is_first else start, False
                    if deleted_before is not None and record.offset < deleted_before:
                        is_cut = True
                        continue
                    count += 1
                    smallest = min(smallest, record.timestamp) if smallest >= 0 else record.timestamp
                    largest = max(largest, record.timestamp)
        except DataError as error:
            self.problems.append(error)
        return _Read(start if deleted_before is None else max(start, deleted_before), smallest, largest, count, is_cut)

    def _add_offsets(self, first: Numbers, following: Numbers) -> None:
        if self.next_offset is None:
            self.first_offset = self.next_offset = int(first[0])
        before = np.concatenate(([self.next_offset], following[:-1]))
        self.offset_gaps.add(first - before, before - 1, first)
        self.counts["overlapping_batches_count"] += int(np.count_nonzero(first < before))
        self.next_offset = int(following[-1])

    def _add_times(self, first: Numbers, last: Numbers, first_offsets: Numbers, following: Numbers) -> None:
        """Count the times of batches that have one and that consumers see: markers carry the broker's time."""
        first = np.where(first >= 0, first, last)
        so_far = -1 if self.last_timestamp is None else self.last_timestamp
        before = np.maximum.accumulate(np.concatenate(([so_far], last)))
        after = np.concatenate(([self._last_timed_offset], following - 1))
        self.time_gaps.add(np.where(before[:-1] >= 0, first - before[:-1], 0), after[:-1], first_offsets)
        self.counts["timed_batches_count"] += len(last)
        self.counts["late_batches_count"] += int(np.count_nonzero(last < before[:-1]))
        self._last_timed_offset = int(after[-1])
        smallest = int(first.min())
        self.first_timestamp = smallest if self.first_timestamp is None else min(self.first_timestamp, smallest)
        self.last_timestamp = int(before[-1])

    def _sample(self, source: ByteSource, headers: BatchHeaders) -> None:
        """Decompress a few of the compressed batches, evenly spread, to measure their decompressed size."""
        for codec in sorted(set(headers.compression.tolist())):
            is_one = (headers.compression == codec) & (headers.magic >= CURRENT_MAGIC) & (headers.records_count > 0)
            rows = np.flatnonzero(is_one)
            if not codec or not len(rows):
                continue
            for row in rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLED_BATCHES).astype(np.int64))].tolist():
                raw = source.read_at(int(headers.position[row]), int(headers.size[row]))
                payload = raw[HEADER_BYTES:]
                try:
                    inflated = decompress(codec, payload, limit=DEFAULT_INFLATE_LIMIT)
                except (CompressionError, LimitError):
                    self._tell(Batch(raw, int(headers.position[row]), source.name))
                    continue
                self.inflated.sum([(codec, [1, len(payload), len(inflated)])])

    def _tell(self, batch: Batch) -> None:
        """Keep the codec's error for a batch that cannot be decompressed."""
        try:
            batch.parse(checksums=False)
        except DataError as error:
            self.problems.append(error)

    def _add_control(self, source: ByteSource, headers: BatchHeaders, rows: npt.NDArray[Any]) -> None:
        """Count control records by type; only their batches are read."""
        if not len(rows):
            return
        places = list(zip(headers.position[rows].tolist(), headers.size[rows].tolist(), strict=True))
        try:
            joined = b"".join([source.read_at(position, size) for position, size in places])
            keys = [key for chunk in read_chunks(joined, _CONTROL) if chunk.key for key in chunk.key.to_list()]
            self._add_control_keys(keys)
        except DataError:
            for position, size in places:  # one of them is damaged: count those before it, and report its position
                try:
                    for batch in iter_batches(source, position, position + size):
                        self._add_control_keys([record.key for record in batch.records()])
                except DataError as error:
                    self.problems.append(error)

    def _add_control_keys(self, keys: list[bytes | None]) -> None:
        counts = Counter(keys)
        named = Counter[str]()
        for key, count in counts.items():
            parsed: Any = None if key is None else parse_prefix("control_record_type_schema", key)[0]
            named[getattr(getattr(parsed, "type", None), "name", "unknown")] += count
        self.control_types.sum((name, [count]) for name, count in sorted(named.items()))

    def _add_records(self, chunk: Chunk) -> None:
        assert chunk.key is not None and chunk.value is not None and chunk.headers is not None
        key_lengths, value_lengths = chunk.key.lengths, chunk.value.lengths
        has_key, has_value = key_lengths >= 0, value_lengths >= 0
        self.key_bytes.add(key_lengths[has_key])
        self.value_bytes.add(value_lengths[has_value])
        header_counts = np.diff(chunk.headers.offsets).astype(np.int64)
        self.headers_per_record.add(header_counts)
        timestamps = chunk.numbers["timestamp"]
        before = np.maximum.accumulate(np.concatenate(([self._latest_record], timestamps)))
        self._latest_record = int(before[-1])
        self.counts.update(
            {
                "records_read_count": len(chunk),
                "null_keys_count": int(np.count_nonzero(~has_key)),
                "null_values_count": int(np.count_nonzero(~has_value)),
                "tombstones_count": int(np.count_nonzero(has_key & ~has_value)),
                "late_records_count": int(np.count_nonzero(timestamps < before[:-1])),
            }
        )
        self.distinct_keys.add(chunk.key.to_list())
        if header_counts.any():
            names = Counter(chunk.headers.keys.to_list())
            self.header_keys.sum((name or b"", [count]) for name, count in names.items())

    def merge(self, other: Stats) -> None:
        """Add the numbers of another partition. Offsets, gaps and leader epochs belong to one partition, and do not
        change.
        """
        self.counts.update(other.counts)
        self.problems += other.problems
        self.unread_records += other.unread_records
        for name in _MERGED:
            getattr(self, name).merge(getattr(other, name))
        for name, choose in (("first_timestamp", min), ("last_timestamp", max)):
            both = [value for value in (getattr(self, name), getattr(other, name)) if value is not None]
            setattr(self, name, choose(both, default=None))

    # What is reported

    @property
    def offsets_count(self) -> int | None:
        """How many offsets there are between the first and the last; None for a total."""
        if self.first_offset is None or self.next_offset is None:
            return None
        return self.next_offset - self.first_offset

    @property
    def missing_offsets_count(self) -> int | None:
        """How many of these have no record: removed by compaction, or never written because of a transaction."""
        offsets = self.offsets_count
        return None if offsets is None else max(0, offsets - self.counts["records_count"])

    def rate(self, count: int) -> float | None:
        """A count per second, between the first and the last timestamp, with six digits; None if these are equal."""
        if self.first_timestamp is None or self.last_timestamp is None or self.last_timestamp <= self.first_timestamp:
            return None
        return float(f"{count * 1000 / (self.last_timestamp - self.first_timestamp):.6g}")

    def as_dict(self) -> dict[str, Any]:
        """All numbers, in types that JSON supports; docs/cli.md explains each."""
        numbers: dict[str, Any] = {
            "name": self.name,
            "topic": self.topic,
            "partition": self.partition,
            **{name: self.counts[name] for name in _COUNTS},
            "first_offset": self.first_offset,
            "next_offset": self.next_offset,
            "missing_offsets_count": self.missing_offsets_count,
            "offset_gaps": self.offset_gaps.as_list("offsets_count"),
            "first_timestamp": self.first_timestamp,
            "last_timestamp": self.last_timestamp,
            "records_per_second": self.rate(self.counts["records_count"]),
            "bytes_per_second": self.rate(self.counts["size_bytes"] - self.counts["deleted_bytes"]),
            "time_gaps": self.time_gaps.as_list("gap_ms"),
            "interval_ms": self.timeline.interval_ms,
            "timeline": self.timeline.as_list(),
            "batch_bytes": self.batch_bytes.as_dict(),
            "records_per_batch": self.records_per_batch.as_dict(),
            "codecs": self.codec_rows(),
            "magics": _named(self.magics, str),
            "timestamp_types": _named(self.timestamp_types, lambda kind: _TIMESTAMP_TYPES.get(kind, "none")),
            "leader_epochs": self._rows(self.leader_epochs, "leader_epoch"),
            "producers_count": len(self.producers.rows),
            "producers_are_all": not any(self.producers.others),
            "producers": self._rows(self.producers, "producer_id"),
            "control_types": _named(self.control_types, str),
            "last_stable_offset": self.last_stable_offset,
            "open_transactions": [
                {
                    "producer_id": entry.producer_id,
                    "producer_epoch": entry.producer_epoch,
                    "start_offset": entry.current_txn_first_offset,
                    "last_timestamp": entry.last_timestamp,
                }
                for entry in self.open_transactions
            ],
            "problems": [str(problem) for problem in self.problems],
        }
        if self.has_records:
            numbers |= {
                **{name: self.counts[name] for name in _RECORD_COUNTS},
                "unread_records_count": sum(unread.records_count for unread in self.unread_records),
                "unread_records": [unread._asdict() for unread in self.unread_records],
                "distinct_keys_count": self.distinct_keys.count,
                "distinct_keys_error": self.distinct_keys.error,
                "key_bytes": self.key_bytes.as_dict(),
                "value_bytes": self.value_bytes.as_dict(),
                "headers_per_record": self.headers_per_record.as_dict(),
                "header_keys": [
                    {"key": key.decode("utf-8", "surrogateescape"), "count": count}
                    for key, (count,) in self.header_keys.largest()
                ],
                "other_header_keys_count": self.header_keys.others[0],
            }
        return numbers

    def codec_rows(self) -> list[dict[str, Any]]:
        """Batches, records and bytes of each codec, and its compression ratio: decompressed bytes per stored byte,
        measured on a few batches.
        """
        rows = []
        for codec, numbers in sorted(self.codecs.rows.items()):
            sampled, stored, inflated = self.inflated.rows.get(codec, [0, 0, 0])
            ratio = {"ratio": round(inflated / stored, 2) if stored else None, "sampled_batches_count": sampled}
            rows.append({"codec": CODEC_LABELS[codec], **dict(zip(self.codecs.names, numbers, strict=True)), **ratio})
        return rows

    @staticmethod
    def _rows(tally: Tally, name: str) -> list[dict[str, int]]:
        return [{name: key, **dict(zip(tally.names, numbers, strict=True))} for key, numbers in tally.largest()]


@dataclass(frozen=True)
class ValueStats:
    """Numbers about the values and keys of a partition as declared formats.

    Attributes:
        columns: of each part of them its extremes, sizes and most frequent values.
        layouts: of each layout how many were parsed, and how many do not parse.
        problem: why the partition could not be read to its end; None: it was.
    """

    columns: RowCounts
    layouts: list[dict[str, Any]]
    problem: KformatError | OSError | None

    def as_dict(self) -> dict[str, Any]:
        """The numbers, for JSON; bytes stay bytes."""
        columns = [column.as_dict() for column in self.columns.columns.values()]
        return {"rows_count": self.columns.rows_count, "layouts": self.layouts, "columns": columns}


def value_stats(
    partition: Partition,
    value_as: Layouts | None,
    key_as: Layouts | None,
    columns: Iterable[str] | None = None,
    *,
    before_log_start: bool = False,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
) -> ValueStats:
    """Count the declared values and keys of a partition; ``columns`` are parts of them (``value.price``).

    Raises UsageError for a column that is not there. Damage ends reading, and is in the result.
    """
    own = {"value": value_as, "key": key_as}
    layouts = {side: by_topic.of(partition.topic) for side, by_topic in own.items() if by_topic is not None}
    layouts = {side: layout for side, layout in layouts.items() if layout is not None}
    absent = [side for side in SIDES if side not in layouts]  # no part of these is a column
    names = tuple(name for name in columns or layouts if not name.startswith(tuple(f"{side}." for side in absent)))
    names = names or ("offset",)
    declared = DeclaredColumns(names, layouts.get("value"), layouts.get("key"))
    counts, problem = RowCounts(), None
    counts.enums = declared.numbers_of_names
    how: dict[str, Any] = {"on_corrupt": on_corrupt, "on_skipped": on_skipped}
    batches = partition.record_batches(value_as=declared, before_log_start=before_log_start, **how)
    try:
        for batch in batches:
            counts.add(batch if layouts else batch.select([]))
    except (KformatError, OSError) as error:
        problem = error
    return ValueStats(counts, list(declared.as_dicts()), problem)


class _Read(NamedTuple):
    """The numbers of a batch that was read: the first offset, timestamps (-1: none) and number of the counted records,
    and whether it has records that are not counted.
    """

    first_offset: int
    smallest: int
    largest: int
    records_count: int
    is_cut: bool


_RECORDS: Final = Wanted(columns=("timestamp", "key", "value", "headers"))
_CONTROL: Final = Wanted(columns=("key",), include_control=True, checksums=False)
_COUNTS: Final = (
    "segments_count",
    "size_bytes",
    "index_bytes",
    "room_bytes",
    "unread_bytes",
    "deleted_bytes",
    "batches_count",
    "empty_batches_count",
    "overlapping_batches_count",
    "timed_batches_count",
    "late_batches_count",
    "control_batches_count",
    "idempotent_batches_count",
    "transactional_batches_count",
    "records_count",
    "control_records_count",
    "remote_offsets_count",
    "open_transactions_count",
)
_RECORD_COUNTS: Final = (
    "records_read_count",
    "late_records_count",
    "null_keys_count",
    "null_values_count",
    "tombstones_count",
)
_MERGED: Final = (
    "batch_bytes",
    "records_per_batch",
    "key_bytes",
    "value_bytes",
    "headers_per_record",
    "timeline",
    "codecs",
    "inflated",
    "magics",
    "timestamp_types",
    "producers",
    "control_types",
    "header_keys",
    "distinct_keys",
)


def _named(tally: Tally, name: Any) -> dict[str, int]:
    return {name(key): numbers[0] for key, numbers in sorted(tally.rows.items())}


def _lies_in(problem: DataError, stretches: list[Skipped]) -> bool:
    at = problem.position
    return at is not None and any(
        problem.source == skipped.source and skipped.position <= at < skipped.end_position for skipped in stretches
    )


def _windows(source: ByteSource, start: int, end: int) -> Generator[tuple[ByteSource, BatchHeaders | int], None, bool]:
    """The headers of a segment between two positions, for at most some MiB of the log at a time, with the source; then
    the number of preallocated bytes after them, or the error that ended reading.
    """
    for headers in iter_batch_headers(source, start, end):
        if len(headers):
            yield source, headers
        if headers.problem is not None:
            if not (isinstance(headers.problem, InvalidError) and is_room(source, headers.valid_bytes)):
                raise headers.problem
            yield source, source.size - headers.valid_bytes
    return False


def _chunks(wanted: Wanted, source: ByteSource, start: int, end: int) -> Generator[Chunk, None, bool]:
    return read_chunks(source, wanted, start, end)


def stats(
    source: Partition | str | os.PathLike[str],
    *,
    records: bool = False,
    by: str = "partition",
    before_log_start: bool = False,
    limit: int = DEFAULT_LIMIT,
    interval_ms: int = 1000,
    most_intervals: int = 60,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    value_as: Given = None,
    key_as: Given = None,
    columns: Iterable[str] | None = None,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
) -> Results[Stats]:
    """Numbers about partitions: yields one `Stats` for each, as soon as it is counted.

    Args:
        source: a `Partition`, or the path of one, of a root that holds many, or of a `.log` file.
        records: also read the records, for numbers that headers do not give: keys, values, headers, records out of
            order. This verifies checksums.
        by: the unit of each `Stats`: ``partition``, ``segment``, or everything (``total``).
        before_log_start: include records below the log's start, which were deleted but are still in the files.
        limit: about how many bytes of memory the keys of a partition may take before their number is estimated.
        interval_ms: the length of the intervals of `Stats.timeline`, or
        most_intervals: the largest number of intervals; they get longer if there would be more.
        topics, exclude, partitions: which partitions of a root, as for `LogDirectory.select`.
        value_as, key_as: which declared format values, or keys, are, as for `Partition.record_batches`. They are read
            then, and counted in `Stats.values` (extra ``arrow``).
        columns: the parts of these that are counted (``value.price``); by default all.
        on_corrupt, on_skipped: see `Partition.record_batches`; with ``error`` damage ends its segment and is in
            `Stats.problems`, otherwise only the damaged bytes are `unread_bytes`.

    Raises:
        UsageError: a wrong argument; no partition is chosen; columns without a layout, or layouts with another ``by``
            than ``partition``.
        OSError: while iterating: a file cannot be read. Damaged bytes raise nothing, see `Stats.problems`.
    """
    layouts = layouts_of(value_as), layouts_of(key_as, "key_as")
    if layouts == (None, None) and columns is not None:
        raise UsageError("columns are parts of declared values and keys: give value_as or key_as, too")
    if layouts != (None, None) and by != "partition":
        raise UsageError(f"declared values and keys are counted by partition, not by {by}")
    if by not in BY:
        raise UsageError(f"cannot count by {by!r}; expected one of {', '.join(BY)}")
    if interval_ms < 1 or most_intervals < 1:
        raise UsageError("an interval must be at least one millisecond, and there must be at least one")
    found = partitions_in(source, chosen(topics, exclude, partitions))
    name = str(source.path if isinstance(source, Partition) else source)
    how = {"has_records": records, "limit": limit, "interval_ms": interval_ms, "most_intervals": most_intervals}
    passed = passing_over(on_corrupt, on_skipped)
    if layouts == (None, None):
        return _shown(_counted(found, by, name, how, before_log_start, passed))
    names = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    DeclaredColumns(tuple(names or ()), *layouts)  # before anything is read

    def with_values() -> Iterator[Stats]:
        read: dict[str, Any] = {"before_log_start": before_log_start}
        read["on_corrupt"] = "error" if on_corrupt == "error" else "skip"
        for partition in found:
            for part in _counted(iter([partition]), by, name, how, before_log_start, passed):
                part.values = value_stats(partition, *layouts, names, **read)
                yield part

    return _shown(with_values())


_TIMES_SHOWN: Final = ("first_timestamp", "last_timestamp")
_SHOWN: Final = ("segments_count", "size_bytes", "batches_count", "records_count", "first_offset", "next_offset")


def _shown(counted: Iterator[Stats]) -> Results[Stats]:
    """The results as a table: a row for each, with the problems' number at its end."""

    def cells(item: Stats) -> list[Any]:
        numbers = item.as_dict()
        times = [None if numbers[name] is None else time_text(numbers[name]) for name in _TIMES_SHOWN]
        return [item.name, *(numbers[name] for name in _SHOWN), *times, len(item.problems) or None]

    return Results("Stats", ("name", *_SHOWN, *_TIMES_SHOWN, "problems"), counted, cells)


def _counted(
    partitions: Iterator[Partition],
    by: str,
    name: str,
    how: dict[str, Any],
    before_log_start: bool,
    passed: OnSkipped | None,
) -> Iterator[Stats]:
    if by == "total":
        total = Stats(name, **how)
        for part in _counted(partitions, "partition", name, how, before_log_start, passed):
            total.merge(part)
        yield total
        return
    for partition in partitions:
        partition.require_logs()
        current, deleted_before = None, None if before_log_start else partition.deleted_before
        following = [*partition.segments[1:], None]
        for segment, next_segment in zip(partition.segments, following, strict=False):
            if current is None or by == "segment":
                path = segment.log if by == "segment" else partition.path
                current = Stats(str(path), partition.topic, partition.partition, **how)
            current.add_segment(segment, deleted_before, passed, next_segment)
            if by == "segment":
                yield current
        if by == "partition":
            current = current or Stats(str(partition.path), partition.topic, partition.partition, **how)
            current.counts["remote_offsets_count"] = len(partition.remote_offsets)
            current.add_transactions(partition)
            yield current


Unread = KformatError | OSError
"""Why a path could not be read."""


@dataclass(frozen=True)
class Counting:
    """The arguments of `stats`, for callers that count many paths: ``by`` and the others as there."""

    records: bool = False
    by: str = "partition"
    limit: int = DEFAULT_LIMIT
    interval_ms: int = 1000
    most_intervals: int = 60
    before_log_start: bool = False
    on_corrupt: str = "error"

    def __post_init__(self) -> None:
        if self.by not in BY:
            raise UsageError(f"cannot count by {self.by!r}; expected one of {', '.join(BY)}")

    def parts(
        self, paths: Iterable[str | os.PathLike[str]], on_skipped: OnSkipped | None = None
    ) -> Iterator[Stats | Unread]:
        """Partitions, or segments, one after the other; and the errors of those that cannot be read."""
        by = "segment" if self.by == "segment" else "partition"
        for path in paths:
            try:
                how = {**self._how, "before_log_start": self.before_log_start, "on_corrupt": self.on_corrupt}
                yield from stats(open_partition(path), by=by, on_skipped=on_skipped, **how)
            except (KformatError, OSError) as error:
                yield error

    def rows(
        self, parts: Iterable[Stats | KformatError | OSError]
    ) -> Iterator[dict[str, Any] | KformatError | OSError]:
        """The numbers of each part, as from `Stats.as_dict`, and errors as they occur; a total comes last."""
        total = Stats("total", None, None, self.records, self.limit, self.interval_ms, self.most_intervals)
        for part in parts:
            if not isinstance(part, Stats):
                yield part
            elif self.by == "total":
                total.merge(part)
            else:
                yield part.as_dict()
        if self.by == "total":
            yield total.as_dict()

    @property
    def _how(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "limit": self.limit,
            "interval_ms": self.interval_ms,
            "most_intervals": self.most_intervals,
        }

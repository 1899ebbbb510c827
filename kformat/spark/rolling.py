"""Rows in, whole segments out: the work of one write task. Independent of Spark; the rows bring pyarrow.

Rules:

* Segments are written to a folder of the task's own attempt (named by `kformat.spark.commit`), complete, with their
  indexes, and on disk before the task ends. They are invisible until they are committed.
* A segment ends before it would exceed its size limit, or before an offset would be too far from its first
  (`segment.bytes`, and LogSegment.canConvertToRelativeOffset). Kafka's rolling by time is left out: a task has no
  equivalent of the log's clock.
* Rows of a partition come in log order. Those of several partitions may be mixed; each has its own segments. Given
  offsets must increase; without them a task counts from 0, and the commit adds the log's end offset.
* Memory is bounded by the rows waiting to fill batches: `MOST_PENDING_BYTES`, plus one batch of Spark's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.errors import BuildError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.columns.batch_builder import BuiltBatch, build_batches
from kformat.kafka.columns.tables import milliseconds, rows_of
from kformat.kafka.files.file_kinds import is_topic_name
from kformat.kafka.index.indexing import IndexedBatches, index_entries
from kformat.spark.commit import LARGEST_OFFSET, Staged, staged_name
from kformat.spark.partitioner import partitions_of
from kformat.spark.target import Target
from kformat.storage.atomic_write import new_file, sync_file
from kformat.storage.plain_file import open_own

if TYPE_CHECKING:
    import pyarrow as pa

Key: TypeAlias = tuple[str, int]
"""Topic and partition."""

MOST_PENDING_BYTES: Final = 64 << 20
_BLOCK_BYTES: Final = 8 << 20
"""From so many bytes on, pending rows of one partition become batches; the last of these may be smaller."""
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_TIMESTAMP_TYPES: Final = (-1, *map(int, TimestampType))  # magic 0 has none


def write_segments(
    batches: Iterable[pa.RecordBatch], target: Target, folder: Path, *, first_turn: int = 0
) -> list[Staged]:
    """Write rows as segments into an existing folder; return the segments, in the order of the log.

    The first record without partition and key goes to partition ``first_turn`` of its topic, so that tasks with few
    records each do not all begin with the same partition.

    Raises:
        UsageError: a row without a topic or offset, offsets that do not grow, a partition below 0, no name of a topic.
        BuildError: a record that does not fit into a batch.
        OSError: the disk is full, and the like.
    """
    logs: dict[Key, _RollingLog] = {}
    router = _Router(target, first_turn)
    for batch in batches:
        for key, rows in router.by_partition(batch):
            log = logs.get(key)
            if log is None:
                log = logs[key] = _RollingLog(key, target, folder / str(len(logs)))
            log.take(rows)
        pending = sum(log.pending_bytes for log in logs.values())
        while pending > MOST_PENDING_BYTES:
            largest = max(logs.values(), key=lambda log: log.pending_bytes)
            pending -= largest.pending_bytes
            largest.flush()
    return [staged for _, log in sorted(logs.items()) for staged in log.close()]


# --- which rows go where -------------------------------------------------------------------------------------------


class _Router:
    """Assigns rows to partitions: to the partition that they name, or as a producer would choose."""

    def __init__(self, target: Target, first_turn: int) -> None:
        self.target, self.first_turn = target, first_turn
        self.counts: dict[str, int] = {}
        """Topic -> the number of its partitions."""
        self.turns: dict[str, int] = {}
        """Topic -> the partition of the next record without a key."""

    def by_partition(self, batch: pa.RecordBatch) -> Iterator[tuple[Key, pa.RecordBatch]]:
        """The rows of each partition, in their order."""
        if not batch.num_rows:
            return
        for topic, rows in self._by_topic(batch):
            if not is_topic_name(topic):
                raise UsageError(f"column topic: {topic[:300]!r} is not a valid topic name")
            for partition, part in _divided(rows, self._partitions(rows, topic)):
                yield (topic, partition), part

    def _by_topic(self, batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
        if self.target.topic is not None:
            yield self.target.topic, batch
            return
        encoded = batch.column("topic").dictionary_encode()
        if encoded.null_count:
            raise UsageError(f"column topic: {encoded.null_count} rows have none, and no option topic is there")
        try:
            names = encoded.dictionary.to_pylist()
        except UnicodeDecodeError as error:
            raise UsageError(f"column topic: bytes that are not text: {error}") from None
        for number, rows in _divided(batch, encoded.indices.to_numpy()):
            yield names[number], rows

    def _partitions(self, batch: pa.RecordBatch, topic: str) -> npt.NDArray[Any]:
        column = batch.column("partition") if "partition" in batch.schema.names else None
        if column is not None and not column.null_count:
            numbers = column.to_numpy()
        else:
            numbers = self._chosen(batch, topic)
            if column is not None:
                numbers = np.where(column.is_null(), numbers, column.fill_null(0).to_numpy())
        if not 0 <= int(numbers.min()) <= int(numbers.max()) <= MAX_INT32:
            wrong = next(number for number in numbers.tolist() if not 0 <= number <= MAX_INT32)
            raise UsageError(f"column partition: {wrong} is not a partition number")
        return numbers

    def _chosen(self, batch: pa.RecordBatch, topic: str) -> npt.NDArray[Any]:
        if topic not in self.counts:
            self.counts[topic], self.turns[topic] = self.target.topic_partitions(topic), self.first_turn
        key = rows_of(batch.select([name for name in ("key", "value") if name in batch.schema.names]), 0).key
        numbers = partitions_of(key, batch.num_rows, self.counts[topic], self.turns[topic])
        self.turns[topic] += batch.num_rows if key is None else int((key.lengths < 0).sum())
        return numbers


def _divided(batch: pa.RecordBatch, groups: npt.NDArray[Any]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each group, by a number for each row: slices if the groups are contiguous, else copies."""
    import pyarrow as pa

    first = int(groups[0])
    if (groups == first).all():
        yield first, batch
        return
    edges = np.flatnonzero(np.diff(groups)) + 1
    starts, ends = [0, *edges.tolist()], [*edges.tolist(), len(groups)]
    if len(starts) == len(np.unique(groups)):
        for start, end in zip(starts, ends, strict=True):
            yield int(groups[start]), batch.slice(start, end - start)
        return
    order = np.argsort(groups, kind="stable")
    yield from _divided(batch.take(pa.array(order)), groups[order])


# --- one partition -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Open:
    """A segment that is being written: its first offset, its path, and the data of each batch for its indexes."""

    base_offset: int
    path: str
    size: int
    batches: list[npt.NDArray[np.int64]]
    """Arrays of four columns: base offset, last offset, size, largest timestamp."""
    records: int


class _RollingLog:
    """The segments of one partition that a task writes."""

    def __init__(self, key: Key, target: Target, path: Path) -> None:
        self.key, self.target, self.path = key, target, path
        self.pending: list[pa.RecordBatch] = []
        self.pending_bytes = self.next_offset = 0
        self.open: _Open | None = None
        self.done: list[Staged] = []

    def take(self, rows: pa.RecordBatch) -> None:
        if rows.nbytes * 2 < rows.get_total_buffer_size():
            rows = rows.take(np.arange(rows.num_rows))  # a copy does not keep the other rows in memory
        self.pending.append(rows)
        self.pending_bytes += rows.nbytes
        if self.pending_bytes >= _BLOCK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Make batches of the pending rows, and write them."""
        import pyarrow as pa

        rows, self.pending, self.pending_bytes = self.pending, [], 0
        if not rows:
            return
        for part in self._near(pa.Table.from_batches(rows)):
            for table, append_time in _by_append_time(part):
                try:
                    self._write(list(self._batches(table, append_time)))
                except BuildError as error:
                    error.add_note(f"in rows of {self.key[0]}-{self.key[1]}")
                    raise

    def _near(self, table: pa.Table) -> Iterator[pa.Table]:
        """Rows that may share a batch: a batch can hold the distance between their offsets."""
        if not self.target.has_offsets:
            yield table
            return
        column = table.column("offset")
        if column.null_count:
            raise UsageError(f"column offset: {column.null_count} rows have none")
        offsets = column.to_numpy().astype(np.int64)
        before = np.concatenate(([self.next_offset - 1], offsets[:-1]))
        wrong = np.flatnonzero((offsets <= before) | (offsets > LARGEST_OFFSET))
        if len(wrong):
            raise UsageError(f"column offset: {self._what_is_wrong(int(offsets[wrong[0]]), int(before[wrong[0]]))}")
        start = 0
        while start < len(offsets):
            end = start + int(np.searchsorted(offsets[start:] - offsets[start], MAX_INT32, side="right"))
            yield table.slice(start, end - start)
            start = end

    def _what_is_wrong(self, offset: int, before: int) -> str:
        name = f"{self.key[0]}-{self.key[1]}"
        if not 0 <= offset <= LARGEST_OFFSET:
            return f"{offset} in {name} is not a valid offset; offsets are from 0 to {LARGEST_OFFSET}"
        if offset == before:
            return f"{offset} is there twice in {name}"
        return f"{offset} comes after {before} in {name}; kformat.spark.jobs.write(df, path) sorts rows first"

    def _batches(self, table: pa.Table, append_time: int | None) -> Iterator[BuiltBatch]:
        target = self.target
        return build_batches(
            table,
            base_offset=self.next_offset,
            max_batch_bytes=target.batch_bytes,
            max_records=target.records_per_batch,
            compression=target.compression,
            level=target.level,
            append_time=append_time,
            partition_leader_epoch=0,
            keep_offsets=target.has_offsets,
        )

    def _write(self, built: list[BuiltBatch]) -> None:
        """Append batches to the open segment, and to as many new ones as needed."""
        columns = np.array(
            [(batch.base_offset, batch.last_offset, len(batch.raw), batch.max_timestamp) for batch in built], np.int64
        )
        start = 0
        while start < len(built):
            if self.open is None:
                base = int(columns[start, 0])
                self.open = _Open(base, f"{self.path}-{len(self.done)}", 0, [], 0)
            now = self.open
            is_too_much = np.cumsum(columns[start:, 2]) > self.target.segment_bytes - now.size
            is_too_far = columns[start:, 1] - now.base_offset > MAX_INT32
            over = np.flatnonzero(is_too_much | is_too_far)
            end = start + int(over[0]) if len(over) else len(built)
            if end == start and not now.size:
                end += 1  # a batch larger than a segment may be gets its own segment; Kafka would refuse it
            if end > start:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                with open(open_own(staged_name(now.path, "log"), flags), "ab") as file:
                    file.writelines(batch.raw for batch in built[start:end])
                now.batches.append(columns[start:end])
                now.size += int(columns[start:end, 2].sum())
                now.records += sum(batch.records_count for batch in built[start:end])
            if end < len(built):
                self._roll()
            start = end
        self.next_offset = built[-1].last_offset + 1 if built else self.next_offset

    def _roll(self) -> None:
        """Finish the open segment: write its indexes, and sync everything to disk."""
        now, self.open = self.open, None
        assert now is not None
        columns = np.concatenate(now.batches)
        batches = IndexedBatches(
            position=np.cumsum(columns[:, 2]) - columns[:, 2],
            size=columns[:, 2],
            base_offset=columns[:, 0],
            last_offset=columns[:, 1],
            max_timestamp=columns[:, 3],
        )
        entries = index_entries(
            batches, base_offset=now.base_offset, index_interval_bytes=self.target.index_interval_bytes
        )
        path = now.path
        for suffix, made in (("index", entries.offset_index), ("timeindex", entries.time_index)):
            with new_file(Path(staged_name(path, suffix))) as file:
                file.write(made.tobytes())
                sync_file(file)
        with open(open_own(staged_name(path, "log"), os.O_RDWR), "rb+") as file:
            sync_file(file)
        self.done.append(
            Staged(
                topic=self.key[0],
                partition=self.key[1],
                path=path,
                base_offset=now.base_offset,
                last_offset=int(columns[-1, 1]),
                size_bytes=now.size,
                records_count=now.records,
                is_counted=not self.target.has_offsets,
            )
        )

    def close(self) -> list[Staged]:
        """Write the pending rows, and finish; return the segments in order."""
        self.flush()
        if self.open is not None:
            self._roll()
        return self.done


def _by_append_time(table: pa.Table) -> Iterator[tuple[pa.Table, int | None]]:
    """Rows that may share a batch by their timestamps: records of LogAppendTime only with those of the same ms."""
    if "timestampType" not in table.schema.names:
        yield table, None
        return
    kinds = table.column("timestampType").fill_null(0).to_numpy()
    unknown = np.setdiff1d(kinds, _TIMESTAMP_TYPES)
    if len(unknown):
        raise UsageError(f"column timestampType: {unknown[0]} is none; 0 is CreateTime, 1 LogAppendTime, -1 none")
    if "timestamp" not in table.schema.names or not (kinds == _LOG_APPEND_TIME).any():
        yield table, None
        return
    times = table.column("timestamp")
    is_stamped = (kinds == _LOG_APPEND_TIME) & times.is_valid().to_numpy()
    moments = np.concatenate([milliseconds(chunk, 0) for chunk in times.chunks])
    moments[~is_stamped] = 0
    edges = np.flatnonzero((np.diff(moments) != 0) | (np.diff(is_stamped) != 0)) + 1
    for start, end in zip([0, *edges.tolist()], [*edges.tolist(), len(moments)], strict=True):
        yield table.slice(start, end - start), int(moments[start]) if is_stamped[start] else None

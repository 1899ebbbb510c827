"""Producers' state with its `.snapshot` files: when a broker takes one, removes one, and rebuilds the state from them.

`Producers` is the part of Kafka's ProducerStateManager that handles files, and UnifiedLog.rebuildProducerState. A
`SnapshotStore` keeps the snapshots: those of an open log are files (`FolderSnapshots`), those of a recovery plan are in
memory, so that nothing is changed before everything is planned.

Rules:

* A snapshot is taken at the base offset of each new segment, at the log's end when the log is closed, and after the
  state was rebuilt; never at an offset that is not above that of the one before.
* A rebuild begins with the newest snapshot that can be read, and reads the batches after it. A snapshot that cannot be
  read is removed, and the one before it is used.
* A log without any snapshot that was closed in order was written by a broker older than 0.11: its producers are not
  searched, and empty snapshots are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from kformat.errors import DataError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.batches import BatchHeaders, iter_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.files.file_kinds import file_name, parse_file_name
from kformat.kafka.producers.producer_state import (
    AbortedTransaction,
    Markers,
    ProducerBatch,
    ProducerState,
    batches_of,
    last_of_each,
    parse_snapshot,
)
from kformat.storage.byte_source import ByteSource
from kformat_engine.producer import FIRST_ID
from kformat_engine.storage import Clock, Storage

SNAPSHOT_SUFFIX: Final = "snapshot"
EXPIRY_INTERVAL_MS: Final = 600_000
"""Kafka's default of `producer.id.expiration.check.interval.ms`."""


@dataclass(frozen=True)
class SegmentStretch:
    """The batches of one segment, at their current place: bytes from ``start`` to ``end`` of a file.

    ``without_producers`` is set if no batch is known to have a producer, so that nothing has to be read: the last
    offset of the batches of magic 2, -1 for none.
    """

    base_offset: int
    path: Path | ByteSource
    start: int
    end: int
    without_producers: int | None = None

    def headers(self) -> Iterator[tuple[BatchHeaders, Callable[[int], bytes]]]:
        """Yield the headers of its batches, some at a time, with a reader of the batch of a row. Raises OSError."""
        if self.start >= self.end or self.without_producers is not None:
            return
        with ByteSource(self.path) as source:
            for headers in iter_batch_headers(source, self.start):
                is_inside = headers.position + headers.size <= self.end
                inside = headers if is_inside.all() else headers.take(is_inside)
                yield inside, _reader(source, inside)
                if len(inside) < len(headers):
                    return

    def batches_between(self, offset: int, end_offset: int, markers: Markers) -> list[ProducerBatch]:
        """The batches of producers that end at ``offset`` or above, and below ``end_offset``; only those that one
        append of all of them needs."""
        batches: list[ProducerBatch] = []
        for headers, _ in self.headers():
            last_offset = headers.last_offset
            lasts = last_of_each(headers.take((last_offset >= offset) & (last_offset < end_offset)))
            if len(lasts):
                with ByteSource(self.path) as source:
                    batches += batches_of(lasts, _reader(source, lasts), markers)
        return batches

    def offset_of_sequence(self, producer_id: int, sequence: int) -> int | None:
        """The offset of a producer's last record here with a sequence number; None if there is none."""
        offset = None
        for headers, _ in self.headers():
            deltas = (sequence - headers.base_sequence.astype(np.int64)) & MAX_INT32
            is_own = (headers.magic >= CURRENT_MAGIC) & (headers.producer_id == producer_id)
            rows = np.flatnonzero(is_own & (headers.base_sequence >= 0) & (deltas <= headers.last_offset_delta))
            if len(rows):
                offset = int(headers.base_offset[rows[-1]] + deltas[rows[-1]])
        return offset

    def each_batch(self, markers: Markers) -> Iterator[tuple[list[ProducerBatch], int]]:
        """Yield each batch of a producer alone, and after some of them the last offset of magic 2 so far."""
        if self.without_producers is not None and self.without_producers >= 0:
            yield [], self.without_producers
        for headers, raw in self.headers():
            for batch in batches_of(headers, raw, markers):
                yield [batch], batch.last_offset
            current = headers.last_offset[headers.magic >= CURRENT_MAGIC]
            if len(current):
                yield [], int(current[-1])


def _reader(source: ByteSource, headers: BatchHeaders) -> Callable[[int], bytes]:
    """A function that reads the bytes of the batch of a row."""
    return lambda row: source.read_at(int(headers.position[row]), int(headers.size[row]))


def offset_of_sequence(
    state: ProducerState,
    producer_id: int,
    sequence: int,
    stretches: Callable[[], Sequence[SegmentStretch]],
    start_offset: int,
) -> int | None:
    """The offset of a producer's record with a sequence number; None if it is not in a log that starts at an offset.

    Unless it is in one of the producer's last batches, headers are read, from the log's end backwards.
    """
    entry = state.entries.get(producer_id)
    for batch in () if entry is None else entry.batches:
        delta = (sequence - batch.first_sequence) & MAX_INT32
        if delta <= batch.offset_delta:
            return batch.first_offset + delta
    for stretch in reversed(stretches()):
        if (offset := stretch.offset_of_sequence(producer_id, sequence)) is not None:
            return offset if offset >= start_offset else None
    return None


class SnapshotStore(Protocol):
    """Snapshots by the offset in their names."""

    def offsets(self) -> list[int]:
        """The offsets of the existing snapshots, ascending."""

    def read(self, offset: int) -> bytes:
        """A snapshot's bytes. Raises OSError."""

    def write(self, offset: int, data: bytes, sync: bool) -> None:
        """Write a snapshot, and with ``sync`` sync it."""

    def remove(self, offset: int) -> None:
        """Remove a snapshot; a missing one is no error."""

    def sync(self, offset: int) -> None:
        """Return when a snapshot has reached the disk; no effect if it was removed."""


class FolderSnapshots:
    """The `.snapshot` files of an open log."""

    def __init__(self, folder: Path, storage: Storage) -> None:
        self.folder, self.storage = folder, storage

    def path(self, offset: int) -> Path:
        """The path of the snapshot at an offset."""
        return self.folder / file_name(offset, SNAPSHOT_SUFFIX)

    def offsets(self) -> list[int]:
        parsed = (parse_file_name(path.name) for path in self.folder.iterdir())
        return sorted(
            name.offset for name in parsed if name is not None and name.kind == "producer_snapshot" and not name.state
        )

    def read(self, offset: int) -> bytes:
        return self.path(offset).read_bytes()

    def write(self, offset: int, data: bytes, sync: bool) -> None:
        self.storage.write_new(self.path(offset), data, sync=sync)

    def remove(self, offset: int) -> None:
        self.storage.unlink(self.path(offset))

    def sync(self, offset: int) -> None:
        with suppress(FileNotFoundError):
            self.storage.sync_file(self.path(offset))


class Producers:
    """The state of a log's producers, with its snapshots.

    Attributes:
        state: the `ProducerState`.
        last_snapshot_offset: of the last one that was taken or loaded.
        kept: ids of producers that do not expire, because they are in use.
        unsound: offsets of snapshots that were removed because they cannot be read.
        forgotten: of named producers that had expired when a snapshot was loaded, the last timestamp (ms).
    """

    def __init__(self, store: SnapshotStore, expiration_ms: int, clock: Clock) -> None:
        self.store, self._clock = store, clock
        self.state = ProducerState(expiration_ms)
        self.last_snapshot_offset = 0
        self.kept: set[int] = set()
        self.unsound: list[int] = []
        self.forgotten: dict[int, int] = {}
        self._known = set(store.offsets())
        self._unsynced: set[int] = set()
        self._markers = Markers()
        self._expiry_checked_ms = clock()

    # Snapshots

    def take_snapshot(self, *, sync: bool = True) -> None:
        """Take a snapshot at the state's end, unless there is one already (takeSnapshot). Raises OSError."""
        offset = self.state.map_end_offset
        if self.last_snapshot_offset < offset <= MAX_INT64:
            self.store.write(offset, self.state.snapshot(), sync)
            self._known.add(offset)
            self.last_snapshot_offset = offset

    def remove(self, offset: int) -> None:
        """Remove a snapshot; a missing one is no error."""
        self._known.discard(offset)
        self.store.remove(offset)

    def open_in(self, folder: Path, storage: Storage) -> None:
        """Use the files of a folder as snapshots from now on."""
        self.store = FolderSnapshots(folder, storage)

    def forget(self, offset: int) -> bool:
        """Forget the snapshot of a removed segment; returns whether there was one. The caller removes the file."""
        is_known = offset in self._known
        self._known.discard(offset)
        return is_known

    def remove_strays(self, base_offsets: Sequence[int]) -> None:
        """Remove snapshots that are at no segment's base offset, except one above all of these, which a close took
        (removeStraySnapshots)."""
        strays = sorted(self._known - set(base_offsets))
        kept = strays[-1:] if strays and (not base_offsets or strays[-1] >= max(base_offsets)) else []
        for offset in strays:
            if offset not in kept:
                self.remove(offset)

    def sync(self) -> None:
        """Sync the snapshots that rolling took."""
        while self._unsynced:
            self.store.sync(self._unsynced.pop())

    # Changes of the log

    def append(self, batches: Sequence[ProducerBatch]) -> list[AbortedTransaction]:
        """Apply stored batches to the state; returns the entries for their segment's `.txnindex`.

        Every ten minutes, if there is an append, expired producers are removed first
        (`producer.id.expiration.check.interval.ms`).
        """
        now_ms = self._clock()
        if not 0 <= now_ms - self._expiry_checked_ms < EXPIRY_INTERVAL_MS:
            self._expiry_checked_ms = now_ms
            self.state.remove_expired(now_ms, self.kept)
        return self.state.append(batches, "log")

    def rolled(self, base_offset: int) -> None:
        """Take the snapshot of a new segment; it is synced with the segments before it (UnifiedLog.roll)."""
        self.state.map_end_offset = base_offset
        self.take_snapshot(sync=False)
        self._unsynced.add(base_offset)

    def start_raised(self, log_start_offset: int) -> None:
        """Adapt to a raised log start offset (onLogStartOffsetIncremented)."""
        self.state.map_end_offset = max(self.state.map_end_offset, log_start_offset)
        self.last_snapshot_offset = max(self._known, default=log_start_offset)

    def start_over(self, offset: int) -> None:
        """Forget everything (truncateFullyAndStartAt)."""
        self.state.clear()
        for known in sorted(self._known):
            self.remove(known)
        self.last_snapshot_offset = 0
        self.state.map_end_offset = offset

    # Rebuilding

    def rebuild(
        self, stretches: Sequence[SegmentStretch], log_start_offset: int, end_offset: int, *, is_clean: bool = False
    ) -> None:
        """Rebuild the state up to ``end_offset`` (UnifiedLog.rebuildProducerState). Raises OSError.

        Args:
            stretches: the segments, ascending.
            is_clean: the log was closed in order, and is opened now.
        """
        state = self.state
        wanted = [stretch.base_offset for stretch in stretches[-2:]] + [end_offset]
        if is_clean and not self._known:
            for offset in wanted:
                state.map_end_offset = offset
                self.take_snapshot()
            return
        was_empty = not state.entries and state.map_end_offset >= end_offset
        self._truncate_and_reload(log_start_offset, end_offset)
        if end_offset > state.map_end_offset and not was_empty:
            for stretch in _between(stretches, state.map_end_offset, end_offset):
                state.map_end_offset = max(stretch.base_offset, state.map_end_offset, log_start_offset)
                if stretch.base_offset in wanted:
                    self.take_snapshot()
                state.append(stretch.batches_between(state.map_end_offset, end_offset, self._markers), "log")
        state.map_end_offset = end_offset
        self.take_snapshot()

    def _truncate_and_reload(self, log_start_offset: int, end_offset: int) -> None:
        for offset in sorted(self._known):
            if offset > end_offset or offset <= log_start_offset:
                self.remove(offset)
        if end_offset == self.state.map_end_offset:
            self.start_raised(log_start_offset)
            return
        self.state.clear()
        now_ms = self._clock()
        while self._known:
            newest = max(self._known)
            try:
                entries = parse_snapshot(self.store.read(newest))
            except DataError:
                self.unsound.append(newest)
                self.remove(newest)
                continue
            self.state.load(entries, now_ms)
            named = (entry for entry in entries if entry.producer_id >= FIRST_ID)
            gone = (entry for entry in named if entry.producer_id not in self.state.entries)
            self.forgotten = {entry.producer_id: entry.last_timestamp for entry in gone}
            self.last_snapshot_offset = self.state.map_end_offset = newest
            return
        self.last_snapshot_offset = self.state.map_end_offset = log_start_offset

    def recover(self, stretch: SegmentStretch) -> list[AbortedTransaction]:
        """Apply all batches of a segment to the state before it, and take a snapshot; returns the entries for its
        `.txnindex` (LogSegment.recover)."""
        aborted: list[AbortedTransaction] = []
        for batches, last_offset in stretch.each_batch(self._markers):
            if batches:
                aborted += self.state.append(batches, "log")
            self.state.map_end_offset = last_offset + 1
        self.take_snapshot()
        return aborted


def _between(stretches: Sequence[SegmentStretch], start: int, end: int) -> Sequence[SegmentStretch]:
    """The segments that may have records from ``start`` on, and begin below ``end`` (LogSegments.values)."""
    floor = max((number for number, stretch in enumerate(stretches) if stretch.base_offset <= start), default=0)
    return [stretch for stretch in stretches[floor:] if stretch.base_offset < end]

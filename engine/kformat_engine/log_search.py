"""Lookups in a log's segments: batches from an offset on, the first record from a time on, sizes.

Not thread-safe: the log that owns the segments holds its lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kformat.errors import RemoteOffsetError, UsageError
from kformat.kafka.batch.few_records import FoundRecords
from kformat.kafka.index.lookup import (
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    Answer,
    find_timestamp,
)
from kformat.kafka.log.fetched import Fetched, LocalTimestampOffset, TimestampOffset
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat.results import printable, size_text
from kformat.times import time_text
from kformat_engine.epochs import EpochCache
from kformat_engine.root import LogOffsets
from kformat_engine.sealed_segments import SealedSegments
from kformat_engine.segment import LogSegment
from kformat_engine.segments import LogSegments

LATEST_TIERED_TIMESTAMP: Final = -5


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """One segment, as `Log.segments` reports it; ``end_offset`` is exclusive; sizes are bytes, times ms."""

    base_offset: int
    end_offset: int
    size_bytes: int
    offset_entry_count: int
    time_entry_count: int
    largest_timestamp: int
    is_active: bool
    path: Path

    def __str__(self) -> str:
        newest = f", newest {time_text(self.largest_timestamp)}" if self.largest_timestamp >= 0 else ""
        entries = f"{self.offset_entry_count} offset and {self.time_entry_count} time entries"
        return (
            f"{printable(self.path.name)}: offsets {self.base_offset} to {self.end_offset}, "
            f"{size_text(self.size_bytes)}, {entries}{newest}{', active' if self.is_active else ''}"
        )


def collect_aborted(
    entries: Sequence[AbortedTransaction], offset: int, end_offset: int
) -> tuple[list[AbortedTransaction], bool]:
    """The entries of a `.txnindex` that have records from ``offset`` to ``end_offset``, exclusive, and whether later
    segments have no more of them (TransactionIndex.collectAbortedTxns)."""
    aborted = []
    for transaction in entries:
        if transaction.last_offset >= offset and transaction.first_offset < end_offset:
            aborted.append(transaction)
        if transaction.last_stable_offset >= end_offset:
            return aborted, True
    return aborted, False


class LogSearch:
    """Searches the segments of the log in a folder."""

    def __init__(
        self,
        path: Path,
        segments: LogSegments[LogSegment],
        offsets: LogOffsets,
        sealed: SealedSegments,
        epochs: EpochCache,
    ) -> None:
        self._path, self._segments, self._offsets, self._sealed, self._epochs = path, segments, offsets, sealed, epochs

    def infos(self) -> tuple[SegmentInfo, ...]:
        """The segments in the order of their base offsets."""
        segments = list(self._segments)
        ends = [segment.base_offset for segment in segments[1:]] + [self._offsets.end_offset]
        return tuple(self._info(segment, end) for segment, end in zip(segments, ends, strict=True))

    def _info(self, segment: LogSegment, end_offset: int) -> SegmentInfo:
        self._sealed.touch(segment)
        return SegmentInfo(
            segment.base_offset,
            end_offset,
            segment.size,
            segment.offset_index.entry_count,
            segment.time_index.entry_count,
            segment.largest_timestamp,
            segment is self._segments.active,
            segment.log_path,
        )

    def read(
        self, offset: int, end_offset: int, max_bytes: int, *, min_one_batch: bool, copy: bool, with_aborted: bool
    ) -> Fetched:
        """Stored batches from the one that holds ``offset`` up to ``end_offset``, which begins a batch or ends the log;
        from one segment. See `Log.read`."""
        segment = self._segments.floor(offset)
        while segment is not None and offset < end_offset:
            self._sealed.touch(segment)
            following = self._segments.higher(segment.base_offset)
            max_position = None
            if end_offset < self._offsets.end_offset and (following is None or following.base_offset > end_offset):
                found_end = segment.translate_offset(end_offset)
                max_position = None if found_end is None else found_end.position
            fetched = segment.read(offset, max_bytes, max_position=max_position, min_one_batch=min_one_batch, copy=copy)
            if fetched is not None:
                if with_aborted:
                    aborted = self._aborted_in(segment, offset, fetched.end[1])
                    fetched = replace(fetched, aborted_transactions=aborted)
                return fetched
            segment = following
        active = self._segments.active
        return Fetched(
            *(offset, active.base_offset, str(active.log_path), active.size, b""),
            aborted_transactions=() if with_aborted else None,
        )

    def first_records(self, offset: int, end_offset: int) -> FoundRecords | None:
        """See `LogSegment.first_records`, of the segment that may hold the offset."""
        segment = self._segments.floor(offset)
        if segment is None:
            return None
        self._sealed.touch(segment)
        return segment.first_records(offset, end_offset)

    def _aborted_in(self, segment: LogSegment, offset: int, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that have records from ``offset``, which is in a segment, to ``end_offset``,
        exclusive (TransactionIndex.collectAbortedTxns)."""
        aborted: list[AbortedTransaction] = []
        for entry_segment in self._segments.values(segment.base_offset, self._offsets.end_offset + 1):
            matches, is_complete = collect_aborted(entry_segment.transactions.entries(), offset, end_offset)
            aborted += matches
            if is_complete:
                break
        return tuple(aborted)

    def offset_for_timestamp(self, timestamp_ms: int, explain: bool) -> TimestampOffset | Answer | None:
        """See `Log.offset_for_timestamp`."""
        remote = range(self._offsets.log_start_offset, self._offsets.start_offset)
        if remote and timestamp_ms == LATEST_TIERED_TIMESTAMP:
            raise UsageError(f"{self._path}: {self._offsets.remote()}; a broker knows how far it has copied them")
        if explain:
            return find_timestamp(
                list(self._segments),
                timestamp_ms,
                log_start_offset=self._offsets.start_offset,
                remote_offsets=remote,
                epochs=self._epochs.entries,
            )
        match timestamp_ms:
            case _ if timestamp_ms >= 0:
                result = self._first_from(timestamp_ms)
                if not remote:
                    return result
                if result is None:
                    raise RemoteOffsetError(None, remote.start, remote.stop, source=str(self._path))
                return LocalTimestampOffset(*result)
            case _ if timestamp_ms == LATEST_TIMESTAMP:
                epoch = self._epochs.latest_epoch
                return TimestampOffset(-1, self._offsets.end_offset, epoch if epoch >= 0 else None)
            case _ if timestamp_ms in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
                is_local = timestamp_ms == EARLIEST_LOCAL_TIMESTAMP
                start = self._offsets.start_offset if is_local else self._offsets.log_start_offset
                epoch = self._epochs.epoch_for_offset(start)
                return TimestampOffset(-1, start, epoch if epoch >= 0 else None)
            case _ if timestamp_ms == MAX_TIMESTAMP:
                return self._find_max_timestamp()
            case _ if timestamp_ms == LATEST_TIERED_TIMESTAMP:
                return TimestampOffset(-1, -1, -1)
        raise UsageError(f"{timestamp_ms} is not a timestamp; -1 is latest, -2 earliest, -3 the largest timestamp")

    def _first_from(self, timestamp_ms: int) -> TimestampOffset | None:
        for segment in self._segments:
            self._sealed.touch(segment)
            if segment.largest_timestamp >= timestamp_ms:
                return segment.find_offset_by_timestamp(timestamp_ms, self._offsets.start_offset)
        return None

    def _find_max_timestamp(self) -> TimestampOffset | None:
        best: LogSegment | None = None
        for segment in self._segments:
            self._sealed.touch(segment)
            if best is None or segment.max_timestamp_so_far > best.max_timestamp_so_far:
                best = segment
        return None if best is None else best.find_max_timestamp()

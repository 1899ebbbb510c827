"""Counts of what was done to an open log: plain integers, which cost an addition each and are read on demand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kformat.results import counted, size_text


@dataclass(slots=True)
class LogCounts:
    """The counts of one log since it was opened; see `LogMetrics`. Changed under the log's lock."""

    append_count: int = 0
    batch_count: int = 0
    appended_bytes: int = 0
    read_count: int = 0
    read_bytes: int = 0
    sync_count: int = 0
    sync_ns: int = 0
    roll_count: int = 0
    deleted_segment_count: int = 0
    compaction_count: int = 0

    def appended(self, batch_count: int, size_bytes: int) -> None:
        """Count batches that were written."""
        self.batch_count += batch_count
        self.appended_bytes += size_bytes

    def synced(self, syncs: Iterable[Callable[[], object]]) -> None:
        """Sync some segments, and count that, with its time."""
        began = time.perf_counter_ns()
        for sync in syncs:
            sync()
        self.count_sync(began)

    def count_sync(self, began: int) -> None:
        """Count a sync that began at a time of `time.perf_counter_ns`."""
        self.sync_count += 1
        self.sync_ns += time.perf_counter_ns() - began


@dataclass(frozen=True, slots=True)
class LogMetrics:
    """The metrics of a log: counts since it was opened, and its current state.

    Attributes:
        append_count: calls that wrote something. batch_count, record_count, appended_bytes: of what they wrote, as
            stored. Records are counted by offsets: gaps between batches that kept their own may count, too.
        read_count, read_bytes: reads of stored batches, by `read` and by iterations; of bytes as stored.
        sync_count, sync_ns: syncs of records to the disk, by appends, `flush` and the background, and the total time
            that they took, ns.
        roll_count: segments that were begun. deleted_segment_count: by retention and `delete_records_before`.
        cut_count: `truncate_to` and `truncate_fully_and_start_at`. compaction_count: compactions that changed the log.
        recovery_change_count: what opening the log changed on disk; 1 for a new log, 0 after a clean shutdown.
        log_start_offset, start_offset, end_offset, last_stable_offset, synced_offset, recovery_point, segment_count,
            size_bytes: see the properties of `Log`.
        failure: the error after which nothing is written any more; None if there was none. is_closed: whether the log
            was closed.
    """

    append_count: int
    batch_count: int
    record_count: int
    appended_bytes: int
    read_count: int
    read_bytes: int
    sync_count: int
    sync_ns: int
    roll_count: int
    deleted_segment_count: int
    cut_count: int
    compaction_count: int
    recovery_change_count: int
    log_start_offset: int
    start_offset: int
    end_offset: int
    last_stable_offset: int
    synced_offset: int
    recovery_point: int
    segment_count: int
    size_bytes: int
    failure: str | None
    is_closed: bool

    def __str__(self) -> str:
        parts = [
            f"offsets {self.start_offset} to {self.end_offset}, synced to {self.synced_offset}",
            f"{counted(self.segment_count, 'segment')} of {size_text(self.size_bytes)}",
            f"{counted(self.append_count, 'append')} of {size_text(self.appended_bytes)}",
            f"{counted(self.read_count, 'read')} of {size_text(self.read_bytes)}",
            f"{counted(self.sync_count, 'sync')} in {self.sync_ns / 1e9:.3f} s",
        ]
        return ", ".join([*parts, *([f"failed: {self.failure}"] if self.failure else [])])

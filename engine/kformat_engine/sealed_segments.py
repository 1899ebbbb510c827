"""Segments that are not appended to any more: their files are closed while nobody uses them, and removed some time
after the segments left the log.

Not thread-safe: the log that owns them holds its lock.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from kformat_engine.config import LogConfig
from kformat_engine.producer_snapshots import SNAPSHOT_SUFFIX
from kformat_engine.recovery.opening import examine_segment
from kformat_engine.root import LogOffsets
from kformat_engine.scheduler import Task
from kformat_engine.segment import DELETED_SUFFIX, LogSegment
from kformat_engine.segments import LogSegments
from kformat_engine.storage import Storage

_OPEN_SEALED_SEGMENTS: Final = 64
"""The most sealed segments whose indexes stay mapped; `storage` limits descriptors."""


class SealedSegments:
    """The sealed segments of a log: those with open files, and those, ``unread``, whose indexes are not checked yet."""

    def __init__(
        self,
        segments: LogSegments[LogSegment],
        offsets: LogOffsets,
        config: LogConfig,
        storage: Storage,
        unread: Iterable[int],
    ) -> None:
        self._segments, self._offsets, self._config, self._storage = segments, offsets, config, storage
        self._unread = set(unread)
        self._opened: OrderedDict[int, LogSegment] = OrderedDict()

    def prepare(self, segment: LogSegment) -> None:
        """Check the indexes of a sealed segment before its files are opened. DamagedLogError."""
        if segment.base_offset in self._unread:
            following = self._segments.higher(segment.base_offset)
            end = self._offsets.end_offset if following is None else following.base_offset
            examine_segment(segment.folder, segment.base_offset, end, self._config, self._storage)
            self._unread.discard(segment.base_offset)
        self.touch(segment)

    def touch(self, segment: LogSegment) -> None:
        """Note that a sealed segment's files are open, and close the least recently used one if too many are."""
        if segment.is_sealed:
            self._opened[segment.base_offset] = segment
            self._opened.move_to_end(segment.base_offset)
            if len(self._opened) > _OPEN_SEALED_SEGMENTS:
                _, oldest = self._opened.popitem(last=False)
                if oldest.is_sealed:
                    oldest.release()

    def forget(self, base_offset: int) -> None:
        """Forget a segment that leaves the log, or is appended to again."""
        self._unread.discard(base_offset)
        self._opened.pop(base_offset, None)


class DeletedSegments:
    """Segments that left a log, with files that end in `.deleted` (asyncDeleteFiles). ``later`` schedules background
    work, with a name and a delay in ms."""

    def __init__(self, storage: Storage, later: Callable[[str, Callable[[], None], int], Task]) -> None:
        self._storage, self._later = storage, later
        self._tasks: dict[Path, Task] = {}

    def add(self, segment: LogSegment, delay_ms: int) -> None:
        """Schedule the removal of a segment's files."""
        log = segment.log_path

        def remove() -> None:
            if self._tasks.pop(log, None) is not None:
                segment.delete()
                self._storage.unlink(_deleted(log, SNAPSHOT_SUFFIX))

        if log in self._tasks:  # an earlier segment of that base offset, whose files these replace
            self._tasks.pop(log).cancel()
        self._tasks[log] = self._later("delete-file", remove, delay_ms)

    def remove_all(self) -> None:
        """Remove all files now."""
        for log, task in list(self._tasks.items()):
            task.cancel()
            for suffix in ("log", "index", "timeindex", "txnindex", SNAPSHOT_SUFFIX):
                self._storage.unlink(_deleted(log, suffix))
        self._tasks.clear()

    def release(self) -> None:
        """Leave the files where they are."""
        for task in self._tasks.values():
            task.cancel()


def _deleted(log: Path, suffix: str) -> Path:
    """The path of another file of a deleted segment, from that of its `.log`."""
    return log.with_name(f"{log.name.split('.')[0]}.{suffix}{DELETED_SUFFIX}")

"""The first offset of each leader epoch: the content of a partition's `leader-epoch-checkpoint`.

Kafka's LeaderEpochFileCache. The list is ordered by epoch, and so by offset: entries that would break the order are
removed from its end. It is small (an entry per change of leader).

The object holds the list only; `save` writes it. Kafka writes at once when an epoch is added and later when entries are
removed: surplus entries, after a crash, are cut again when the log is loaded, but a missing one is lost.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.files import text_files
from kformat.kafka.files.text_files import EpochEntry
from kformat_engine.errors import DamagedLogError
from kformat_engine.storage import Storage

UNDEFINED: Final = -1
"""The epoch and the end offset that mean none."""


class EpochEnd(NamedTuple):
    """A leader epoch and the offset after its last record; both -1 if unknown."""

    epoch: int
    end_offset: int


class EpochCache:
    """Epochs (int32) and the offsets (int64) of the first records written in them; neither is negative.

    Not for several threads at once: the log that owns it holds its lock.
    """

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        """Add entries one after the other, as `assign` does; UsageError for a negative one."""
        self._entries: list[EpochEntry] = []
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)

    @classmethod
    def load(cls, storage: Storage, path: Path) -> EpochCache:
        """The epochs in a file; none if there is no file. DamagedLogError if it cannot be parsed; OSError.

        Entries out of order are corrected as in Kafka: each removes those before it that contradict it.
        """
        try:
            file = storage.open(path, writable=False)
        except FileNotFoundError:
            return cls()
        try:
            data = file.read_at(0, min(file.size, text_files.DEFAULT_LIMIT_BYTES + 1))
        finally:
            file.close()
        try:
            return cls(text_files.parse_leader_epochs(data, source=str(path)).entries)
        except DataError as error:
            raise DamagedLogError(f"the leader epochs cannot be read: {error}", source=str(path)) from error
        except UsageError as error:
            raise DamagedLogError(str(error), source=str(path)) from error

    def save(self, storage: Storage, path: Path) -> None:
        """Replace the file by the entries, and return when they have reached the disk. OSError."""
        data = text_files.build_leader_epochs(text_files.LeaderEpochs(self.entries))
        storage.write_atomically(path, data)

    @property
    def entries(self) -> tuple[EpochEntry, ...]:
        """All entries, the earliest first."""
        return tuple(self._entries)

    @property
    def latest(self) -> EpochEntry | None:
        """The entry of the latest epoch."""
        return self._entries[-1] if self._entries else None

    @property
    def latest_epoch(self) -> int:
        """The latest epoch; -1 if there is none."""
        return self._entries[-1].epoch if self._entries else UNDEFINED

    @property
    def earliest(self) -> EpochEntry | None:
        """The entry of the earliest epoch."""
        return self._entries[0] if self._entries else None

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Add an epoch that begins at an offset; returns whether that changed anything.

        Nothing changes if the epoch is the latest already and does not begin later. Otherwise the new entry replaces
        those at the end that are of this or a later epoch, or begin at this offset or after it.
        """
        if not (0 <= epoch <= MAX_INT32 and 0 <= start_offset <= MAX_INT64):
            raise UsageError(f"leader epoch {epoch} from offset {start_offset}: one of them is out of range")
        entries = self._entries
        if entries and entries[-1].epoch == epoch and entries[-1].start_offset <= start_offset:
            return False
        while entries and (entries[-1].epoch >= epoch or entries[-1].start_offset >= start_offset):
            entries.pop()
        entries.append(EpochEntry(epoch, start_offset))
        return True

    def truncate_from_end(self, end_offset: int) -> bool:
        """Remove the epochs that begin at an offset or after it; returns whether there were any. Below 0: none."""
        count = len(self._entries)
        if end_offset >= 0:
            del self._entries[bisect.bisect_left(self._entries, end_offset, key=_start_offset) :]
        return len(self._entries) < count

    def truncate_from_start(self, start_offset: int) -> bool:
        """Remove the epochs before an offset, the log's new start; the epoch of that offset begins there.

        Returns whether that changed anything.
        """
        before = self.entries
        count = bisect.bisect_right(self._entries, start_offset, key=_start_offset)
        if count:
            self._entries[:count] = [EpochEntry(self._entries[count - 1].epoch, start_offset)]
        return self.entries != before

    def clear(self) -> bool:
        """Remove all entries; returns whether there were any."""
        had_entries = bool(self._entries)
        self._entries.clear()
        return had_entries

    def epoch_for_offset(self, offset: int) -> int:
        """The epoch in which an offset was written; -1 below the first known one."""
        number = bisect.bisect_right(self._entries, offset, key=_start_offset)
        return self._entries[number - 1].epoch if number else UNDEFINED

    def end_offset_for(self, epoch: int, log_end_offset: int) -> EpochEnd:
        """The latest epoch up to the requested one, and its end offset: where a follower of that epoch must cut.

        The latest epoch ends where the log does. Above the latest, and for -1, the result is undefined (-1). Below the
        earliest, it is the requested epoch, and the offset where the earliest begins.
        """
        if epoch == UNDEFINED:
            return EpochEnd(UNDEFINED, UNDEFINED)
        if self._entries and epoch == self._entries[-1].epoch:
            return EpochEnd(epoch, log_end_offset)
        higher = bisect.bisect_right(self._entries, epoch, key=lambda entry: entry.epoch)
        if higher == len(self._entries):
            return EpochEnd(UNDEFINED, UNDEFINED)
        floor = self._entries[higher - 1].epoch if higher else epoch
        return EpochEnd(floor, self._entries[higher].start_offset)


def _start_offset(entry: EpochEntry) -> int:
    return entry.start_offset

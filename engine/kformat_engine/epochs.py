"""Which leader epoch began at which offset: what stands in a partition's `leader-epoch-checkpoint`.

Kafka's LeaderEpochFileCache. The list is ordered by epoch, and so by offset: what would break the order is taken out
from its end. It is small (an entry per change of leader), so it is searched from one end to the other.

The object holds the list only; `save` writes it. Kafka writes at once when an epoch is added and later when entries are
taken out: entries too many, after a crash, are cut again when the log is loaded, but a missing one is gone.
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
"""The epoch and the end offset that stand for none."""


class EpochEnd(NamedTuple):
    """A leader epoch and the offset after its last record; both -1 where none is known."""

    epoch: int
    end_offset: int


class EpochCache:
    """Epochs (int32) and the offsets (int64) of the first records written in them; neither is negative.

    Not for several threads at once: the log that owns it holds its lock.
    """

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        """Take entries one after the other, as `assign` does; UsageError for a negative one."""
        self._entries: list[EpochEntry] = []
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)

    @classmethod
    def load(cls, storage: Storage, path: Path) -> EpochCache:
        """What a file says; nothing where there is none. DamagedLogError where it cannot be understood; OSError.

        Entries out of order are put right as Kafka does: each takes out what stands before it and contradicts it.
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
        """Put the entries in the place of the file, and return when they have reached the disk. OSError."""
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
        """The latest epoch; -1 where there is none."""
        return self._entries[-1].epoch if self._entries else UNDEFINED

    @property
    def earliest(self) -> EpochEntry | None:
        """The entry of the earliest epoch."""
        return self._entries[0] if self._entries else None

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Say that an epoch begins at an offset; whether that changed anything.

        Nothing changes where the epoch is the latest already and does not begin later. Else the entries at the end that
        are of this or a later epoch, or begin at this offset or after it, make room for the new one.
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
        """Forget the epochs that begin at an offset or after it; whether there were any. Below 0: nothing."""
        count = len(self._entries)
        if end_offset >= 0:
            del self._entries[bisect.bisect_left(self._entries, end_offset, key=_start_offset) :]
        return len(self._entries) < count

    def truncate_from_start(self, start_offset: int) -> bool:
        """Let the log begin at an offset: what lies before is forgotten, and the epoch of that offset begins there.

        Whether that changed anything.
        """
        before = self.entries
        count = bisect.bisect_right(self._entries, start_offset, key=_start_offset)
        if count:
            self._entries[:count] = [EpochEntry(self._entries[count - 1].epoch, start_offset)]
        return self.entries != before

    def clear(self) -> bool:
        """Forget all; whether there was anything."""
        had_entries = bool(self._entries)
        self._entries.clear()
        return had_entries

    def epoch_for_offset(self, offset: int) -> int:
        """The epoch in which an offset was written; -1 below the first that is known."""
        number = bisect.bisect_right(self._entries, offset, key=_start_offset)
        return self._entries[number - 1].epoch if number else UNDEFINED

    def end_offset_for(self, epoch: int, log_end_offset: int) -> EpochEnd:
        """The latest epoch up to the one asked for, and where it ended: where a follower of that epoch must cut.

        The latest epoch ends where the log does. Above the latest, and for -1, nothing is known. Below the earliest, it
        is the epoch asked for, and the offset where the earliest begins.
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

"""The values of the strategies in `kformat.testing`: bytes, and the records that a reader must find in them.

`LogPart` is one batch, or one entry of magic 0 or 1: ``data``, ``records``, and facts from its header. The others
consist of parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kformat.corpus.parts import LogPart as LogPart
from kformat.kafka.batch.records import Record
from kformat.kafka.files.file_kinds import file_name


@dataclass(frozen=True)
class DrawnLog:
    """Consecutive batches: the content of a `.log` file.

    ``base_offset`` is the segment's, at most the first batch's.
    """

    base_offset: int
    parts: tuple[LogPart, ...]

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        return b"".join(part.data for part in self.parts)

    @property
    def name(self) -> str:
        """Kafka's name for the file."""
        return file_name(self.base_offset, "log")

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All records in order, including control records and those of aborted transactions."""
        return tuple(record for part in self.parts for record in part.records)

    @cached_property
    def uncommitted(self) -> tuple[Record, ...]:
        """The records that a consumer sees with `isolation.level=read_uncommitted`: all but control records."""
        return tuple(record for part in self.parts if not part.controls for record in part.records)

    @cached_property
    def committed(self) -> tuple[Record, ...]:
        """The records that a consumer sees with `isolation.level=read_committed`: no control records, none of aborted
        transactions, and none from the start of the oldest open transaction on.
        """
        return committed_records(self.parts)


def committed_records(parts: tuple[LogPart, ...]) -> tuple[Record, ...]:
    """The records up to the last stable offset whose transactions, if any, were committed."""
    seen: list[LogPart] = []
    ends: dict[int, str] = {}  # producer -> how its transaction ends, going backwards
    for part in reversed(parts):
        if part.producer is not None and part.is_transactional:
            if part.controls:
                (ends[part.producer.id],) = part.controls
                continue
            end = ends.get(part.producer.id)
            if end is None:
                seen = []  # open: nothing from here on is stable
                continue
            if end == "abort":
                continue
        if not part.controls:
            seen.append(part)
    return tuple(record for part in reversed(seen) for record in part.records)


@dataclass(frozen=True)
class IndexFiles:
    """One closed segment: its log, and the indexes that a broker of this writer profile puts next to it.

    ``offset_entries`` are (offset, position), ``time_entries`` (timestamp, offset), with absolute offsets; ``files``
    has the bytes by name: `.log`, `.index`, `.timeindex`, and `.txnindex` where a transaction was aborted.
    """

    log: DrawnLog
    profile: str
    index_interval_bytes: int
    offset_entries: tuple[tuple[int, int], ...]
    time_entries: tuple[tuple[int, int], ...]
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def data(self) -> bytes:
        """The bytes of the log."""
        return self.log.data

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the log."""
        return self.log.records

    @property
    def index(self) -> bytes:
        """The bytes of the offset index."""
        return self.files[file_name(self.log.base_offset, "index")]

    @property
    def timeindex(self) -> bytes:
        """The bytes of the time index."""
        return self.files[file_name(self.log.base_offset, "timeindex")]

    def write(self, folder: Path) -> Path:
        """Put the files into a folder, which is made, and return the log's path."""
        write_files(self.files, folder)
        return folder / self.log.name


@dataclass(frozen=True)
class DrawnPartition:
    """The folder of one partition, as a broker leaves it after a clean stop: all files by name."""

    name: str
    segments: tuple[DrawnLog, ...]
    profile: str
    index_interval_bytes: int
    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def data(self) -> bytes:
        """The bytes of all logs, one after the other."""
        return b"".join(segment.data for segment in self.segments)

    @property
    def _parts(self) -> tuple[LogPart, ...]:
        return tuple(part for segment in self.segments for part in segment.parts)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """See `DrawnLog`."""
        return tuple(record for segment in self.segments for record in segment.records)

    @cached_property
    def uncommitted(self) -> tuple[Record, ...]:
        """See `DrawnLog`."""
        return tuple(record for segment in self.segments for record in segment.uncommitted)

    @cached_property
    def committed(self) -> tuple[Record, ...]:
        """See `DrawnLog`; transactions may span segments."""
        return committed_records(self._parts)

    def write(self, root: Path) -> Path:
        """Make the partition's folder in ``root``, and return its path."""
        return write_files(self.files, root / self.name)


def write_files(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files into a folder, created if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


__all__ = ["DrawnLog", "DrawnPartition", "IndexFiles", "LogPart", "committed_records", "write_files"]

"""The files of one partition directory: segments with their indexes, everything else by name, read-only.

What a directory holds in addition to its segments is listed with what it is, and is never in the way: odd names,
folders, links to nowhere, empty files. Only regular files are opened. Files are read with `read`, never mapped, because
a broker that truncates a mapped file kills its reader.

Where an index's entries end: a closed index is cut to its entries, one in use is preallocated and zero-padded. See
`index_file.valid_entry_count`; `IndexFile` tells what lies after the entries as data.

Partitions may also lie in an archive or behind an address (`kformat.storage.address`): what is a Path of a local one is
then an `Address`, which has as much of a Path as readers use.

A `Partition` is the listing of a moment, its file contents are read when asked for: open it again to see new segments.

The folder above is the root (`kformat.kafka.root`); its checkpoints say of each partition where its log starts, how far
it is committed, and how far it is safely on disk (`checkpointed_offsets`).

DeleteRecords raises a log's start at once, while its files keep the records until the broker deletes whole segments.
Those before `Partition.log_start_offset` are left out by whatever reads a partition's records, as a broker serves them
no more, unless it is asked for them (``before_log_start``); a batch that the start lies in is cut there, as consumers
cut it. Without a checkpoint nothing is left out, and one that cannot be read counts for nothing, as for a broker.
A `Segment` is its files: all that lies in them is read.

A tiered topic's older segments lie in remote storage, and local retention deletes them here. Its offsets from
`Partition.log_start_offset` up to `Partition.local_log_start_offset` are *remote*: not deleted, and not in these files.
What is asked for by such an offset raises RemoteOffsetError; what is read without a bound is the local part. A folder
of Kafka's LocalTieredStorage (names of its files: `kformat.kafka.file_kinds`) is a partition like others.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar, Unpack

from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.arrow import (
    DEFAULT_COLUMNS,
    Converter,
    RecordBatchReader,
    Table,
    allocate,
    arrow_schema,
    columns_to_read,
    reader_of,
)
from kformat.kafka.batches import AnyBatch, BatchHeaders, check_end, read_batch, read_batch_headers
from kformat.kafka.columns import ALL as ALL_RECORDS
from kformat.kafka.columns import DEFAULT_CHUNK_BYTES, RECORD_COLUMNS, Chunk, RecordReader, Threads, Wanted, read_chunks
from kformat.kafka.corrupt import Damaged, OnSkipped, passing_over
from kformat.kafka.file_kinds import (
    CLEAN_SHUTDOWN_FILE,
    FileName,
    FolderName,
    describe_file,
    parse_file_name,
    parse_folder_name,
    parse_remote_file_name,
    parse_remote_folder_name,
)
from kformat.kafka.frames import DataFrame, PartitionReading, pandas, polars
from kformat.kafka.framing import Walk
from kformat.kafka.index_file import FoundEntries, IndexFile, read_index
from kformat.kafka.index_trust import Indexes, prove
from kformat.kafka.indexing import EntryArray
from kformat.kafka.lookup import batches_from, find_latest, find_timestamp, refuse_remote
from kformat.kafka.records import Record
from kformat.kafka.shown import partition_html, partition_line
from kformat.kafka.text_files import EpochEntry, LeaderEpochs, PartitionMetadata, TopicOffsets, read_sidecar
from kformat.kafka.transactions import last_stable_offset, read_aborted
from kformat.kernels import Allocate
from kformat.storage.address import Found, absolute, folder_name, is_dir, is_folder, place, real_path, scan, status
from kformat.storage.byte_source import ByteSource
from kformat.times import Moment, milliseconds

ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
"""As consumers have them."""
_RACY_NS: Final = 100_000_000  # a file's time does not tell two changes apart that follow each other so fast
Read = TypeVar("Read")
_NOWHERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
IRREGULAR: Final = {
    "directory": "a directory",
    "dangling_link": "a link to nowhere",
    "not_regular": "not a regular file",
}


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A directory entry that is no segment's log or index.

    Attributes:
        name: in the directory; may hold surrogates where it is no UTF-8.
        kind: ``transaction_index``, ``producer_snapshot``, ``leader_epoch_checkpoint``, ``partition_metadata``,
            ``metadata_snapshot``, ``log``, ``offset_index``, ``time_index``, ``quorum_state``, ``temporary``,
            ``directory``, ``dangling_link``, ``not_regular`` or ``unknown``.
        state: ``deleted``, ``cleaned``, ``swap`` or ``part`` where the name ends in it, else ``""``.
        size_bytes: None where there is no regular file, or it may not be looked at.
        description: one line for people.
    """

    name: str
    kind: str
    state: str
    size_bytes: int | None
    description: str


def was_closed(folder: Path) -> bool:
    """Whether the root above a partition's folder says that its logs were closed: it has the marker of a broker's clean
    shutdown. False where there is no root to look into."""
    try:
        return stat.S_ISREG((place(absolute(folder)).parent / CLEAN_SHUTDOWN_FILE).stat().st_mode)
    except (OSError, DataError):
        return False


@dataclass(frozen=True)
class Segment:
    """One segment's files; ``index`` and ``timeindex`` are None where there is no such file.

    ``is_last``: somebody may be writing to it, or was when a broker died, as far as the listing tells.
    """

    base_offset: int
    log: Path
    index: Path | None = None
    timeindex: Path | None = None
    is_last: bool = True

    @property
    def name(self) -> str:
        """The name of the `.log`."""
        return self.log.name

    @property
    def size_bytes(self) -> int:
        """Length of the `.log`; OSError where it is gone."""
        return self.log.stat().st_size

    @property
    def last_modified_ms(self) -> int:
        """When the `.log` was last modified, ms since 1970 (Java's File.lastModified); OSError where it is gone."""
        return self.log.stat().st_mtime_ns // 1_000_000

    def offset_index(self) -> IndexFile | None:
        """The `.index` as it lies on disk; raises as `read_index`."""
        return None if self.index is None else read_index(self.index, "offset_index")

    def time_index(self) -> IndexFile | None:
        """The `.timeindex` as it lies on disk; raises as `read_index`."""
        return None if self.timeindex is None else read_index(self.timeindex, "time_index")

    def offset_entries(self) -> EntryArray:
        """The valid entries of the offset index as the file has them, none where there is no file; see `indexes`."""
        return FoundEntries.read(self.index, "offset_index").entries

    def time_entries(self) -> EntryArray:
        """The valid entries of the time index as the file has them, none where there is no file; see `indexes`."""
        return FoundEntries.read(self.timeindex, "time_index").entries

    def indexes(self) -> Indexes:
        """The entries of both indexes, as far as they are believed; none where there is no file.

        What a roll or a clean close has trimmed is believed, as Kafka believes it: there a broker would not look at the
        log, either. Where a file ends with more than its entries, and in the last segment of a log whose root has no
        marker of a clean shutdown, or that lies in no root, the log decides (`kformat.kafka.index_trust`): its last few
        MiB are read.

        Raises OSError where a file cannot be read, and InvalidError as `read_index`.
        """
        offsets, times = FoundEntries.read(self.index, "offset_index"), FoundEntries.read(self.timeindex, "time_index")
        is_opened_as_it_is = not self.is_last or was_closed(self.log.parent)
        if offsets.is_trimmed and times.is_trimmed and is_opened_as_it_is:
            return Indexes(offsets.entries, times.entries)
        with ByteSource(self.log) as source:
            proved = prove(source, self.base_offset, offsets.entries, times.entries)
        return replace(proved, hides_from_brokers=is_opened_as_it_is and times.ends_with_zeros)

    def headers(self) -> BatchHeaders:
        """The headers of all batches as columns; a header's bytes of memory per batch."""
        return read_batch_headers(self.log)

    def scan(self, position: int = 0) -> Iterator[AnyBatch]:
        """The batches from the one that starts at ``position`` on; raises as `batches.iter_batches`.

        Zeros up to the end of the file, enough for a batch, are the room that `log.preallocate` makes: the batches end
        in front of them.
        """
        with ByteSource(self.log) as source:
            walk = Walk(source, position)
            for frame in walk:
                yield read_batch(source, frame)
            check_end(source, walk)


CHECKPOINTS: Final = {
    "log_start_offset": "log-start-offset-checkpoint",
    "high_watermark": "replication-offset-checkpoint",
    "recovery_point": "recovery-point-offset-checkpoint",
}
"""What the root's checkpoints say of a partition -> the file that says it."""


def checkpointed_offsets(root: Path, name: str) -> dict[tuple[str, int], int]:
    """What an offset checkpoint of a root says: (topic, partition) -> offset; nothing where there is no such file.

    Raises OSError where it cannot be read, DataError where it is damaged. Kafka then goes on as if it were empty.
    """
    path = root / name
    try:
        found = status(path)
        if isinstance(found, os.stat_result) and time.time_ns() - found.st_mtime_ns > _RACY_NS:
            identity = found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
            return dict(_offsets_as_of(path, identity))
        return _offsets_in(path)
    except FileNotFoundError:
        return {}


def _offsets_in(path: Path) -> dict[tuple[str, int], int]:
    found = read_sidecar(path)
    assert isinstance(found, TopicOffsets)
    return found.as_dict()


@lru_cache(maxsize=16)
def _offsets_as_of(path: Path, identity: tuple[int, ...]) -> dict[tuple[str, int], int]:
    """As `_offsets_in`, for the many partitions of one root that ask for the same file."""
    return _offsets_in(path)


def other_files(root: Path) -> tuple[OtherFile, ...]:
    """What lies in a root and is not a partition's folder, in the order of the names; OSError where that is unknown."""
    _, others = _list(root)
    is_partition = {other: other.kind == "directory" and _parsed_folder(other.name) is not None for other in others}
    return tuple(other for other in others if not is_partition[other])


@dataclass(frozen=True)
class Partition:
    """A partition directory, or a single `.log` file taken as one.

    Attributes:
        path: as opened.
        topic, partition: from the folder's name (of a single file: that of its folder). Where the name is no
            partition's, topic is the whole name and partition is -1.
        state: ``""``, ``delete``, ``future`` or ``stray``.
        segments: in the order of their base offsets.
        others: what else lies there, in the order of the names.
        remote_topic_id: the topic's id in the name of a folder in remote storage; None for other folders.
    """

    path: Path
    topic: str
    partition: int
    state: str
    segments: tuple[Segment, ...]
    others: tuple[OtherFile, ...]
    remote_topic_id: str | None = None

    @property
    def folder(self) -> Path:
        """The partition's folder: ``path``, or where that is a file the folder that it lies in."""
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def is_remote(self) -> bool:
        """Whether the segments are those of remote storage, by the names of their files."""
        return any(map(_is_remote, self.segments[:1]))

    @property
    def topic_id(self) -> str | None:
        """The topic's id as Kafka prints it, from partition.metadata, or from the name of a folder in remote storage;
        None where there is none (brokers up to 2.7).

        This and `leader_epochs` raise OSError where the file cannot be read, DataError where it is damaged.
        """
        if self.remote_topic_id is not None:
            return self.remote_topic_id
        try:
            found = read_sidecar(self.folder / "partition.metadata")
        except FileNotFoundError:
            return None
        assert isinstance(found, PartitionMetadata)
        return found.topic_id

    @property
    def leader_epochs(self) -> tuple[EpochEntry, ...]:
        """Leader epochs with their start offsets; none where there is no leader-epoch-checkpoint (up to 0.10.2).

        Those of a folder in remote storage are the last segment's.
        """
        return self._epochs() or ()

    def _epochs(self) -> tuple[EpochEntry, ...] | None:
        """The same; None where there is no such file."""
        name = "leader-epoch-checkpoint"
        if self.is_remote:
            name = self.segments[-1].log.with_suffix(".leader_epoch_checkpoint").name
        try:
            found = read_sidecar(self.folder / name)
        except FileNotFoundError:
            return None
        assert isinstance(found, LeaderEpochs)
        return found.entries

    @property
    def log_start_offset(self) -> int | None:
        """What is below was deleted, as the root's checkpoint has it; None where it has nothing, as for most logs: they
        start with the first segment.

        Below `local_log_start_offset` in a tiered log alone; see `remote_offsets`. This, `local_log_start_offset`,
        `high_watermark` and `recovery_point` raise as `checkpointed_offsets`.
        """
        entry = self._checkpointed("log_start_offset")
        return entry if entry is None else self._start_as_of(entry)

    def _start_as_of(self, entry: int) -> int:
        """Where the log starts, when the root's checkpoint has this entry for it."""
        first = self._first_here
        if first is None or entry >= first or self._keeps_epochs_below(first):
            return entry
        return first

    @property
    def local_log_start_offset(self) -> int | None:
        """The first offset in the files here: the first segment's base offset, or the log's start where that is higher;
        None where there is no segment."""
        if not self.segments:
            return None
        return max(self.segments[0].base_offset, self._checkpointed("log_start_offset") or 0)

    @property
    def remote_offsets(self) -> range:
        """The offsets that are in remote storage and no longer here; empty for a log that is not tiered.

        They are known by the root's log-start-offset-checkpoint alone: a broker writes an entry for every tiered
        partition, and takes the log's start from it, also below the first segment here (LogLoader). Of other logs it
        writes one where the start lies inside the first segment, which the deletion of that segment leaves in place
        until the file is written again. The leader epochs distinguish the two: a tiered log keeps those of its remote
        offsets (RemoteLogManager finds remote segments by them), and another one drops them with the segment. A
        checkpoint that cannot be read says nothing, as for a broker; `log_start_offset` raises for it.
        """
        return self._remote_offsets(self._readable_entry())

    @property
    def deleted_before(self) -> int | None:
        """The log's start, where the files here hold offsets below it: those records were deleted. None where they hold
        none, and where the root's checkpoint says nothing or cannot be read; `log_start_offset` raises for that.

        Of a `.log` file alone it is the same: it is a part of its partition, unless it lies there as ``.deleted``,
        ``.cleaned`` or ``.swap``.
        """
        return self._deleted_before(self._readable_entry())

    def _readable_entry(self) -> int | None:
        try:
            return self._checkpointed("log_start_offset")
        except (OSError, DataError):
            return None

    def _remote_offsets(self, entry: int | None) -> range:
        return range(0) if entry is None else self.remote_offsets_from(entry)

    def _deleted_before(self, entry: int | None) -> int | None:
        return entry if entry is not None and self.segments and entry > self.segments[0].base_offset else None

    def remote_offsets_from(self, log_start_offset: int) -> range:
        """The same, when the root's checkpoint has this log start offset: for a copy without that file."""
        start, first = self._start_as_of(log_start_offset), self._first_here
        return range(0) if first is None or start >= first else range(max(0, start), first)

    @property
    def end_offset(self) -> int | None:
        """The offset after the last batch in the files; None where there is no segment.

        Of the last segment the end is read, from its last index entry on. Raises DataError where it is damaged there,
        OSError where it cannot be read.
        """
        return find_latest(self.segments).offset if self.segments else None

    @property
    def _first_here(self) -> int | None:
        """The base offset of the folder's first segment; of a file alone it is not known whether it is the first."""
        return None if not self.segments or self.is_file else self.segments[0].base_offset

    @property
    def is_file(self) -> bool:
        """Whether it is a `.log` file that was taken for a partition."""
        return bool(self.segments) and self.segments[0].log == self.path

    def _keeps_epochs_below(self, offset: int) -> bool:
        """Whether leader epochs begin below an offset; True where nothing tells."""
        try:
            epochs = self._epochs()
        except (OSError, DataError):
            return True
        return epochs is None or any(entry.start_offset < offset for entry in epochs[:1])

    @property
    def high_watermark(self) -> int | None:
        """The end (exclusive) of what was committed, as the root's checkpoint has it; None where it has nothing."""
        return self._checkpointed("high_watermark")

    @property
    def recovery_point(self) -> int | None:
        """The end (exclusive) of what was flushed, as the root's checkpoint has it; None where it has nothing."""
        return self._checkpointed("recovery_point")

    @property
    def checkpoint_key(self) -> tuple[str, int] | None:
        """What stands for this partition in the root's checkpoints; None for a folder that they do not speak of.

        Those on their way out (-delete, -stray) are forgotten, and their names may be cut. A file alone that is on its
        way out or in (.deleted, .cleaned, .swap) is no part of the log.
        """
        is_part = not self.is_file or self.path.name.endswith(".log")
        known = self.partition >= 0 and self.state in ("", "future") and is_part and not self.is_remote
        return (self.topic, self.partition) if known else None

    def _checkpointed(self, what: str) -> int | None:
        if self.checkpoint_key is None:
            return None
        root = place(absolute(self.folder)).parent
        return checkpointed_offsets(root, CHECKPOINTS[what]).get(self.checkpoint_key)

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        *,
        before_log_start: bool = False,
        checksums: bool = True,
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> Iterator[Record]:
        """The records with offsets from ``start_offset`` (inclusive) to ``end_offset`` (exclusive), in log order.

        Records of control batches are among them; those in front of the log's start only with ``before_log_start``
        (`deleted_before`). Memory is that of a few MiB of the log, or of one batch where that is larger; with the extra
        ``fast`` it is many times faster. For ``on_corrupt`` and ``on_skipped`` see `record_batches`.

        Raises (while iterating):
            DataError: at the first batch or record that cannot be read, after all before it: TruncatedError where a
                segment ends inside of a batch, as the last one may while somebody writes to it or after a crash;
                ChecksumError for a batch whose checksum is wrong, unless ``checksums`` is False.
            RemoteOffsetError: the bounds ask for `remote_offsets`; without bounds the local part is read.
            OSError: a file cannot be read.
        """
        wanted = wanted_records(
            RECORD_COLUMNS,
            *(start_offset, end_offset, None, None),
            before_log_start=before_log_start,
            include_control=True,
            checksums=checksums,
        )

        passed = passing_over(on_corrupt, on_skipped)

        def found() -> Iterator[Iterable[Record]]:
            reader = RecordReader()
            return self._read(
                wanted, lambda segment, position, seen: reader.read(segment.log, position, wanted=seen), passed
            )

        return chain.from_iterable(found())

    def chunks(
        self,
        wanted: Wanted = ALL_RECORDS,
        *,
        chunk_bytes: int = DEFAULT_CHUNK_BYTES,
        allocate: Allocate | None = None,
        threads: int = 1,
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> Iterator[Chunk]:
        """The records that are wanted as columns, a chunk of the log at a time, in log order.

        Where to begin is asked of the indexes, for an offset and for a time; for the arguments see `read_chunks`, which
        says, too, what is raised while iterating. Deleted records are left out, unless they are wanted
        (`deleted_before`). For ``on_corrupt`` and ``on_skipped`` see `record_batches`.
        """
        passed = passing_over(on_corrupt, on_skipped)
        with contextlib.ExitStack() as stack:
            pool = stack.enter_context(Threads(threads)) if threads > 1 else None
            how: dict[str, Any] = {"chunk_bytes": chunk_bytes, "allocate": allocate, "threads": pool}
            yield from self._read(
                wanted, lambda segment, position, seen: read_chunks(segment.log, seen, position, **how), passed
            )

    def _read(
        self,
        wanted: Wanted,
        read: Callable[[Segment, int, Wanted], Generator[Read, None, bool]],
        passed: OnSkipped | None,
    ) -> Iterator[Read]:
        """What is read from one segment after the other, in each from a position on."""
        entry, start = self._readable_entry(), wanted.start_offset
        refuse_remote(
            self._remote_offsets(entry),
            None if start < 0 else start,
            None if wanted.end_offset >= MAX_INT64 else wanted.end_offset,
            str(self.path),
        )
        deleted_before = None if wanted.before_log_start else self._deleted_before(entry)
        if deleted_before is not None and deleted_before > start:
            start = deleted_before
            wanted = replace(wanted, start_offset=start)
        if wanted.since_ms is not None:
            found = None
            with contextlib.ExitStack() if passed is None else contextlib.suppress(DataError):
                found = find_timestamp(self.segments, max(wanted.since_ms, 0)) if wanted.since_ms > 0 else None
            if found is not None:
                if found.offset is None:
                    return
                start = max(start, found.offset)
        floor = self._floor(start)
        for number, segment in enumerate(self.segments[floor:], floor):
            if segment.base_offset >= wanted.end_offset:
                return
            position: int | None = 0
            with contextlib.ExitStack() if passed is None else contextlib.suppress(DataError):
                position = start_position(segment, start)
            if position is None:
                continue
            if passed is None:
                has_ended = yield from read(segment, position, wanted)
            else:
                has_ended = yield from self._read_behind(number, partial(read, segment), position, wanted, passed)
            if has_ended:
                return

    def _read_behind(
        self,
        number: int,
        read: Callable[[int, Wanted], Generator[Read, None, bool]],
        position: int,
        wanted: Wanted,
        passed: OnSkipped,
    ) -> Generator[Read, None, bool]:
        """What is read from one segment, also after damage."""
        # As of a log that was not closed: where a log is damaged, entries of its index count only if it confirms them.
        segment = replace(self.segments[number], is_last=True)
        following = self.segments[number + 1 : number + 2]
        with ByteSource(segment.log) as source:
            damaged = Damaged(source, lambda: segment, following=following[0].base_offset if following else None)
            return (yield from damaged.read(lambda position: read(position, wanted), position, passed))

    def committed(self, wanted: Wanted = ALL_RECORDS) -> Wanted:
        """The same, without what consumers of committed data do not see.

        Raises OSError, DataError where a `.txnindex` is damaged, and UsageError for a file of a partition alone.
        """
        if self.is_file:
            raise UsageError(f"{self.path}: read_committed needs all files of a partition's directory")
        beside: dict[str, list[tuple[int, Path]]] = {"transaction_index": [], "producer_snapshot": []}
        for other in self.others:
            parsed = parse_file_name(other.name) or self._remote_file(other.name)
            if parsed is not None and not parsed.state and parsed.kind in beside:
                beside[parsed.kind].append((parsed.offset, self.folder / other.name))
        first = self.segments[self._floor(wanted.start_offset)].base_offset if self.segments else 0
        aborted = read_aborted(file for offset, file in beside["transaction_index"] if offset >= first)
        logs = [(segment.base_offset, segment.log) for segment in self.segments]
        stable = last_stable_offset(logs, beside["producer_snapshot"])
        end = wanted.end_offset if stable is None else min(wanted.end_offset, stable)
        return replace(wanted, aborted=aborted, end_offset=end)

    def _remote_file(self, name: str) -> FileName | None:
        """What a remote file's name says; of a producer snapshot with the offset that it is of: its segment's end."""
        parsed = parse_remote_file_name(name)
        if parsed is None or parsed.kind != "producer_snapshot":
            return parsed
        log = name.removesuffix(".snapshot") + ".log"
        number = next((number for number, segment in enumerate(self.segments) if segment.log.name == log), None)
        if number is None:
            return None
        for following in self.segments[number + 1 :]:
            return replace(parsed, offset=following.base_offset)
        try:
            end = find_latest(self.segments[number:]).offset
        except DataError:
            end = None
        return None if end is None else replace(parsed, offset=end)

    def to_arrow(
        self,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        *,
        start_offset: int | None = None,
        end_offset: int | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        before_log_start: bool = False,
        include_control: bool = False,
        isolation_level: str = "read_uncommitted",
        checksums: bool = True,
        threads: int = 1,
        as_views: bool = False,
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> Table:
        """The records as one Arrow table, all of them in memory; see `record_batches` for the arguments."""
        return self.record_batches(
            columns,
            start_offset=start_offset,
            end_offset=end_offset,
            since=since,
            until=until,
            before_log_start=before_log_start,
            include_control=include_control,
            isolation_level=isolation_level,
            checksums=checksums,
            threads=threads,
            as_views=as_views,
            on_corrupt=on_corrupt,
            on_skipped=on_skipped,
        ).read_all()

    def record_batches(
        self,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        *,
        start_offset: int | None = None,
        end_offset: int | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        before_log_start: bool = False,
        include_control: bool = False,
        isolation_level: str = "read_uncommitted",
        checksums: bool = True,
        threads: int = 1,
        as_views: bool = False,
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> RecordBatchReader:
        """The records as a stream of Arrow record batches, of which none is kept.

        Args:
            columns: see `kformat.kafka.arrow`; by default those of Spark's Kafka source.
            start_offset, end_offset: the first offset, and the one after the last.
            since, until: the first timestamp, and the one after the last: a datetime with a time zone, ISO 8601 (UTC
                where it names no zone), or ms since 1970.
            before_log_start: with records in front of the log's start, which were deleted and still lie in the files
                (`deleted_before`).
            include_control: control records, too, which consumers do not see.
            isolation_level: ``read_committed`` leaves out what aborted transactions wrote, and all from the first one
                on that is still open, as a consumer of that level does; see `kformat.kafka.transactions`.
            checksums: False reads batches whose checksum is wrong.
            threads: how many decode at the same time; record batches come in log order all the same.
            as_views: keys and values as ``binary_view`` of the bytes that were read, which are not copied.
            on_corrupt: what is done about damage, as Spark's option ``onCorrupt``: ``error`` raises it; ``skip`` passes
                over it and goes on at the next batch, or, where the bytes do not say where one begins, at the next
                entry of the offset index; ``report`` also logs a warning (logger ``kformat``) for each stretch of bytes
                that was passed over.
            on_skipped: is called with a `kformat.kafka.corrupt.Skipped` for each such stretch, which says the positions
                in the file and the offsets that may be missing; ``[].append`` collects them.

        Raises:
            UsageError: a column, an isolation level or an ``on_corrupt`` that there is not; text that is no time; a
                datetime without a time zone.
            MissingDependencyError: pyarrow is not installed (extra ``arrow``).
            RemoteOffsetError: while reading, where the bounds ask for `remote_offsets`. Without bounds the local part
                is read.
            DataError, OSError: while reading, as `chunks`.
        """
        names = [columns] if isinstance(columns, str) else list(columns)
        schema = arrow_schema(names, as_views=as_views)
        wanted = wanted_records(
            columns_to_read(names),
            *(start_offset, end_offset, since, until),
            before_log_start=before_log_start,
            include_control=include_control,
            checksums=checksums,
        )
        check_isolation_level(isolation_level)
        if isolation_level == "read_committed":
            wanted = self.committed(wanted)
        passing_over(on_corrupt)
        converter = Converter(schema, self.topic, self.partition)
        how: dict[str, Any] = {"threads": threads, "on_corrupt": on_corrupt, "on_skipped": on_skipped}
        return reader_of(schema, converter.batches(self.chunks(wanted, allocate=None if as_views else allocate, **how)))

    def to_pandas(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[PartitionReading]) -> DataFrame:
        """The same as a ``pandas.DataFrame``; MissingDependencyError without pandas (extra ``pandas``)."""
        pandas()
        return self.to_arrow(columns, **options).to_pandas()

    def to_polars(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[PartitionReading]) -> DataFrame:
        """The same as a ``polars.DataFrame``; MissingDependencyError without polars (extra ``polars``)."""
        library = polars()
        return library.from_arrow(self.to_arrow(columns, **options))

    def __repr__(self) -> str:
        return f"<Partition {partition_line(self)}>"

    def _repr_html_(self) -> str:
        return partition_html(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface: ``polars.from_arrow(partition)``, ``duckdb.from_arrow``, and their like."""
        return self.record_batches().__arrow_c_stream__(requested_schema)

    def _floor(self, offset: int) -> int:
        """The number of the segment to begin with: the last whose base offset is not above the offset, or the first."""
        return max(0, bisect_right(self.segments, offset, key=lambda segment: segment.base_offset) - 1)


def start_position(segment: Segment, offset: int) -> int | None:
    """The position of a batch from which on a segment has all records that are not below an offset, by its indexes;
    None where no batch comes there.

    Raises DataError where the batch there cannot be read, OSError where a file cannot.
    """
    if offset <= segment.base_offset:
        return 0
    first = next(batches_from(segment, offset), None)
    return None if first is None else first.position


def open_partition(path: str | os.PathLike[str]) -> Partition:
    """List a partition directory, or take one `.log` file with the indexes next to it for a partition.

    A single file's name has to begin with its base offset in digits, or be that of a remote segment; the former may end
    in `.deleted`, `.cleaned` or `.swap`.
    No file is opened. Raises OSError where the path cannot be read, UsageError for a file that is no `.log`, and for a
    folder of partition folders (`iter_partitions` opens each of those).
    """
    path = place(path)
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        folder, (segments, others) = _folder_name(path), _list(path)
        if not segments and folder.partition < 0 and (below := _first_partition(others)):
            raise UsageError(f"{path}: a folder of partitions ({below}, ...); open one of them, or use iter_partitions")
        if any(map(_is_remote, segments[:1])):
            folder = parse_remote_folder_name(folder_name(path)) or folder
        return Partition(path, folder.topic, folder.partition, folder.state, segments, others, folder.topic_id)
    remote = parse_remote_file_name(path.name)
    name = r"(?P<stem>(?P<offset>0*[0-9]{1,19})%s)\.log(?P<state>\.deleted|\.cleaned|\.swap)?"
    match = re.fullmatch(name % ("" if remote is None else f"-{remote.segment_id}"), path.name)
    if not stat.S_ISREG(status.st_mode) or match is None or int(match["offset"]) > MAX_INT64:
        raise UsageError(f"{path}: neither a directory nor a .log file named by its base offset")
    beside = {kind: path.with_name(f"{match['stem']}.{kind}{match['state'] or ''}") for kind in ("index", "timeindex")}
    found = {kind: beside[kind] if beside[kind].is_file() else None for kind in beside}
    folder = _folder_name(path.parent)
    segment = Segment(int(match["offset"]), path, found["index"], found["timeindex"])
    return Partition(path, folder.topic, folder.partition, folder.state, (segment,), ())


def iter_partitions(root: str | os.PathLike[str], *, all_states: bool = False) -> Iterator[Partition]:
    """The partitions of a path, in order: a partition's folder or one `.log` file is itself the only one, a root has
    many, and a folder with roots below it, at any depth, has those of each.

    A path is itself a partition if it is a file or a segment's log lies directly in it, or, failing both, if it has
    a partition's name and no partition below it. (A log that somebody left next to partitions, in a folder of another
    name, does not hide them.) Those of a root come by topic and partition, its folders with other names are passed
    over, and so, without ``all_states``, are those on their way out or in (-delete, -future, -stray): what they hold
    is not, or not yet, the topic's. A folder in which no partition lies directly is a folder with roots; those come
    by name. Raises as `open_partition`.
    """
    return map(open_partition, partition_paths(root, all_states=all_states))


def partition_paths(root: str | os.PathLike[str], *, all_states: bool = False) -> list[Path]:
    """The paths that `iter_partitions` opens, for callers that go on after one that cannot be opened.

    A folder further down that cannot be listed is among them: opening it says why. Raises OSError where ``root`` itself
    cannot be.
    """
    root = place(root)
    return _partitions_in(root, all_states, ()) if is_dir(root) else [root]


def _partitions_in(folder: Path, all_states: bool, above: tuple[str, ...]) -> list[Path]:
    """See `iter_partitions`; ``above`` are the real paths of the folders around it: links lead in no circles."""
    entries = scan(folder, keep=True)
    is_named, has_log = _parsed_folder(folder_name(folder)) is not None, _has_log(entries)
    folders = [(_parsed_folder(entry.name), folder / entry.name) for entry in entries if is_folder(entry)]
    partitions = [(parsed, path) for parsed, path in folders if parsed is not None]
    # What is listed here is the answer to who opens it next.
    has_logs_below = not (is_named and has_log) and any(_holds_a_log(path) for _, path in partitions)
    if has_log and not has_logs_below:
        return [folder]
    partitions.sort(key=lambda found: (found[0].topic, found[0].partition, found[0].state, found[1].name))
    named = [path for parsed, path in partitions if all_states or not parsed.state]
    around = (*above, real_path(folder))
    if has_logs_below:
        return named
    if partitions:  # none of them has a log: they may be roots that are called like partitions (kafka-1)
        return [path for one in named for path in (_below(one, all_states, around) if _has_partitions(one) else [one])]
    if is_named:
        return [folder]
    inner = sorted((path for _, path in folders), key=lambda path: path.name)
    return [path for one in inner if real_path(one) not in around for path in _below(one, all_states, around)]


def _below(folder: Path, all_states: bool, above: tuple[str, ...]) -> list[Path]:
    try:
        return _partitions_in(folder, all_states, above)
    except OSError:
        return [folder]


def _has_partitions(folder: Path) -> bool:
    """Whether folders with partitions' names lie in a folder; False where that cannot be known."""
    try:
        return any(_parsed_folder(entry.name) is not None and is_folder(entry) for entry in scan(folder, keep=True))
    except OSError:
        return False


def wanted_records(
    columns: tuple[str, ...],
    start_offset: int | None,
    end_offset: int | None,
    since: Moment | None,
    until: Moment | None,
    *,
    before_log_start: bool,
    include_control: bool,
    checksums: bool,
) -> Wanted:
    """The records in a range as readers are asked for them: None is no bound. Raises as `milliseconds`."""
    return Wanted(
        columns=columns,
        before_log_start=before_log_start,
        start_offset=MIN_INT64 if start_offset is None else start_offset,
        end_offset=MAX_INT64 + 1 if end_offset is None else end_offset,
        since_ms=None if since is None else milliseconds(since),
        until_ms=None if until is None else milliseconds(until),
        include_control=include_control,
        checksums=checksums,
    )


def check_isolation_level(level: str) -> None:
    """Raise UsageError for one that there is not."""
    if level not in ISOLATION_LEVELS:
        raise UsageError(f"no isolation level {level!r}; there are {' and '.join(ISOLATION_LEVELS)}")


def _folder_name(path: Path) -> FolderName:
    name = folder_name(path)
    return _parsed_folder(name) or FolderName(name, -1, "")


def _parsed_folder(name: str) -> FolderName | None:
    """What a partition folder's name says, a broker's or one in remote storage; None for any other name."""
    return parse_folder_name(name) or parse_remote_folder_name(name)


def _is_remote(segment: Segment) -> bool:
    return parse_remote_file_name(segment.log.name) is not None


def _first_partition(others: tuple[OtherFile, ...]) -> str | None:
    """The first folder with a partition's name among what lies in a folder."""
    return next((other.name for other in others if other.kind == "directory" and _parsed_folder(other.name)), None)


def _has_log(entries: Iterable[Found]) -> bool:
    return any(_is_log(entry.name) for entry in entries)


def _holds_a_log(path: Path) -> bool:
    """Whether a segment's log lies in a folder; False where that cannot be known."""
    try:
        return _has_log(scan(path, keep=True))
    except OSError:
        return False


def _is_log(name: str) -> bool:
    parsed = parse_file_name(name) or parse_remote_file_name(name)
    return parsed is not None and parsed.kind == "log" and not parsed.state


def _list(path: Path) -> tuple[tuple[Segment, ...], tuple[OtherFile, ...]]:
    files = {entry.name: _look_at(entry) for entry in scan(path)}
    regular = [name for name, (kind, _) in files.items() if kind == "regular"]
    names = {name: parse_file_name(name) for name in regular}
    if not any(parsed is not None and parsed.kind == "log" and not parsed.state for parsed in names.values()):
        names = {name: parse_file_name(name) or parse_remote_file_name(name) for name in regular}
    placed = {
        (parsed.offset, parsed.segment_id or "", parsed.kind): name
        for name, parsed in names.items()
        if parsed is not None and not parsed.state
    }
    segments: list[Segment] = []
    taken: set[str] = set()
    for offset, segment_id in sorted(key[:2] for key in placed if key[2] == "log"):
        own = {kind: placed.get((offset, segment_id, kind)) for kind in ("log", "offset_index", "time_index")}
        taken.update(name for name in own.values() if name is not None)
        log, index, timeindex = (None if name is None else path / name for name in own.values())
        assert log is not None
        segments.append(Segment(offset, log, index, timeindex, is_last=False))
    if segments:
        segments[-1] = replace(segments[-1], is_last=True)
    others = tuple(_other(name, *files[name], names.get(name)) for name in sorted(files) if name not in taken)
    return tuple(segments), others


def _look_at(entry: Found) -> tuple[str, int | None]:
    """``regular`` or the kind of an entry that is no regular file, and its size."""
    try:
        status = entry.stat()
    except OSError as error:
        # What may not be looked at, or lies on a disk that fails, is taken for the file that its name says: opening it
        # tells what is the matter. To pass over it would make a shorter log of the partition, without a word.
        return ("dangling_link" if error.errno in _NOWHERE else "regular"), None
    if stat.S_ISREG(status.st_mode):
        return "regular", status.st_size
    return ("directory" if stat.S_ISDIR(status.st_mode) else "not_regular"), None


def _other(name: str, kind: str, size_bytes: int | None, parsed: FileName | None) -> OtherFile:
    if kind == "regular":
        kind, description = describe_file(name)
    else:
        description = IRREGULAR[kind]
    state = "" if parsed is None else parsed.state
    if kind in ("offset_index", "time_index") and not state:
        description += " without a log"
    return OtherFile(name, kind, state, size_bytes, description)


__all__ = [
    "CHECKPOINTS",
    "Partition",
    "Segment",
    "open_partition",
    "other_files",
    "partition_paths",
    "was_closed",
]

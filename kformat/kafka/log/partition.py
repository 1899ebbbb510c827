"""The files of one partition directory: segments with their indexes, and all other files by name, read-only.

Everything else in a directory is listed with its kind, and never causes an error: odd names, folders, dangling links,
empty files. Only regular files are opened. Files are read with `read`, never mapped, because a broker that truncates a
mapped file kills its reader.

A closed index is cut to its entries; one in use is preallocated and zero-padded. `index_file.valid_entry_count` finds
where the entries end; `IndexFile` reports the bytes after them.

Partitions may also be in an archive or behind an address (`kformat.storage.address`): then an `Address` takes the place
of a Path, with as much of its interface as readers use.

A `Partition` is a snapshot of the listing; file contents are read on access. Open it again to see new segments.

The folder above is the root (`kformat.kafka.root`); its checkpoints hold for each partition the log start offset,
the high watermark, and the recovery point (`checkpointed_offsets`).

DeleteRecords raises a log's start at once, while its files keep the records until the broker deletes whole segments.
All readers of a partition leave out records before `Partition.log_start_offset`, as a broker no longer serves them,
unless they are requested (``before_log_start``); they cut a batch that contains the start, as consumers do. Without a
checkpoint nothing is left out, and an unreadable one is ignored, as by a broker. A `Segment` is its files: everything
in them is read.

A tiered topic's older segments are in remote storage, and local retention deletes them here. Its offsets from
`Partition.log_start_offset` up to `Partition.local_log_start_offset` are *remote*: not deleted, and not in these files.
Requests for such an offset raise RemoteOffsetError; reads without a bound give the local part. A folder of Kafka's
LocalTieredStorage (its file names: `kformat.kafka.files.file_kinds`) is a partition like others.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar, Unpack

from kformat.columns.skipped import OnSkipped, passing_over
from kformat.errors import DataError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import AnyBatch, BatchHeaders, check_end, read_batch, read_batch_headers
from kformat.kafka.batch.framing import Walk
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.arrow import (
    DEFAULT_COLUMNS,
    Converter,
    RecordBatchReader,
    Table,
    allocate,
    arrow_schema,
    columns_to_read,
    declared_columns,
    reader_of,
)
from kformat.kafka.columns.chunks import ALL as ALL_RECORDS
from kformat.kafka.columns.chunks import (
    DEFAULT_CHUNK_BYTES,
    RECORD_COLUMNS,
    Chunk,
    RecordReader,
    Threads,
    Wanted,
    read_chunks,
)
from kformat.kafka.columns.declared import Given
from kformat.kafka.columns.messages import of_topic
from kformat.kafka.damage.corrupt import DamagedLog
from kformat.kafka.damage.frames import DataFrame, PartitionReading, pandas, polars
from kformat.kafka.files.checkpoints import CHECKPOINTS, EPOCHS_FILE, checkpointed_offsets
from kformat.kafka.files.file_kinds import (
    CLEAN_SHUTDOWN_FILE,
    FileName,
    FolderName,
    describe_file,
    parse_file_name,
    parse_folder_name,
    parse_remote_file_name,
    parse_remote_folder_name,
)
from kformat.kafka.files.text_files import EpochEntry, LeaderEpochs, PartitionMetadata, read_sidecar
from kformat.kafka.index.index_file import FoundEntries, IndexFile, read_index
from kformat.kafka.index.index_trust import Indexes, prove
from kformat.kafka.index.indexing import EntryArray
from kformat.kafka.index.lookup import batches_from, find_latest, find_timestamp, refuse_remote
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.log.display import partition_html, partition_line
from kformat.kafka.producers.isolation import Stability, is_committed_only, read_aborted, stability_of
from kformat.kernels import Allocate
from kformat.storage.address import (
    Followed,
    ScannedEntry,
    absolute,
    folder_name,
    folder_of,
    is_dir,
    is_folder,
    place,
    real_path,
    scan,
)
from kformat.storage.byte_source import ByteSource
from kformat.times import Moment, milliseconds

Read = TypeVar("Read")
_NOWHERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
IRREGULAR: Final = {
    "directory": "a directory",
    "dangling_link": "a link to nowhere",
    "not_regular": "not a regular file",
}


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A directory entry that is not a segment's log or index.

    Attributes:
        name: in the directory; may hold surrogates if it is not UTF-8.
        kind: ``transaction_index``, ``producer_snapshot``, ``leader_epoch_checkpoint``, ``partition_metadata``,
            ``metadata_snapshot``, ``log``, ``offset_index``, ``time_index``, ``quorum_state``, ``temporary``,
            ``directory``, ``dangling_link``, ``not_regular`` or ``unknown``.
        state: ``deleted``, ``cleaned``, ``swap`` or ``part`` if the name ends in it, else ``""``.
        size_bytes: None if it is not a regular file, or permissions forbid to look.
        description: one line for people.
    """

    name: str
    kind: str
    state: str
    size_bytes: int | None
    description: str


def was_closed(folder: Path) -> bool:
    """Whether the root above a partition's folder has the marker of a broker's clean shutdown, so that its logs were
    closed. False if there is no readable root.
    """
    try:
        return stat.S_ISREG((place(absolute(folder)).parent / CLEAN_SHUTDOWN_FILE).stat().st_mode)
    except (OSError, DataError):
        return False


@dataclass(frozen=True)
class Segment:
    """One segment's files; ``index`` and ``timeindex`` are None if the file does not exist.

    ``is_last``: by the listing, a process may be writing to it, or was when a broker died.
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
        """Length of the `.log`; OSError if it is gone."""
        return self.log.stat().st_size

    @property
    def last_modified_ms(self) -> int:
        """When the `.log` was last modified, ms since 1970 (Java's File.lastModified); OSError if it is gone."""
        return self.log.stat().st_mtime_ns // 1_000_000

    def offset_index(self) -> IndexFile | None:
        """The `.index` file; raises as `read_index`."""
        return None if self.index is None else read_index(self.index, "offset_index")

    def time_index(self) -> IndexFile | None:
        """The `.timeindex` file; raises as `read_index`."""
        return None if self.timeindex is None else read_index(self.timeindex, "time_index")

    def offset_entries(self) -> EntryArray:
        """The valid entries in the offset index file, none if there is no file; see `indexes`."""
        return FoundEntries.read(self.index, "offset_index").entries

    def time_entries(self) -> EntryArray:
        """The valid entries in the time index file, none if there is no file; see `indexes`."""
        return FoundEntries.read(self.timeindex, "time_index").entries

    def indexes(self) -> Indexes:
        """The trusted entries of both indexes; none if there is no file.

        An index that was trimmed by a roll or a clean close is trusted without reading the log, as in Kafka. The log
        decides (`kformat.kafka.index.index_trust`), and its last few MiB are read, if a file has more than its entries,
        and for the last segment of a log whose root is missing or has no marker of a clean shutdown.

        Raises OSError if a file cannot be read, and InvalidError as `read_index`.
        """
        offsets, times = FoundEntries.read(self.index, "offset_index"), FoundEntries.read(self.timeindex, "time_index")
        is_opened_as_it_is = not self.is_last or was_closed(self.log.parent)
        if offsets.is_trimmed and times.is_trimmed and is_opened_as_it_is:
            return Indexes(offsets.entries, times.entries)
        with ByteSource(self.log) as source:
            proved = prove(source, self.base_offset, offsets.entries, times.entries)
        return replace(proved, hides_from_brokers=is_opened_as_it_is and times.ends_with_zeros)

    def headers(self) -> BatchHeaders:
        """The headers of all batches as columns; memory: one header per batch."""
        return read_batch_headers(self.log)

    def scan(self, position: int = 0) -> Iterator[AnyBatch]:
        """The batches from the one that starts at ``position`` on; raises as `batches.iter_batches`.

        Zeros up to the end of the file, enough for a batch, come from `log.preallocate`: the batches end before them.
        """
        with ByteSource(self.log) as source:
            walk = Walk(source, position)
            for frame in walk:
                yield read_batch(source, frame)
            check_end(source, walk)


def other_files(root: Path) -> tuple[OtherFile, ...]:
    """All entries of a root that are not partition folders, sorted by name; OSError if the root cannot be listed."""
    _, others = _list(root)
    is_partition = {other: other.kind == "directory" and _parsed_folder(other.name) is not None for other in others}
    return tuple(other for other in others if not is_partition[other])


@dataclass(frozen=True)
class Partition:
    """A partition directory, or a single `.log` file treated as one.

    Attributes:
        path: as opened.
        topic, partition: from the folder's name (for a single file: that of its folder). If the name is not a
            partition's, topic is the whole name and partition is -1.
        state: ``""``, ``delete``, ``future`` or ``stray``.
        segments: in the order of their base offsets.
        others: all other entries, sorted by name.
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
        """The partition's folder: ``path``, or the folder of a single file."""
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def is_remote(self) -> bool:
        """Whether the segments are from remote storage, by their file names."""
        return any(map(_is_remote, self.segments[:1]))

    @property
    def topic_id(self) -> str | None:
        """The topic's id as Kafka prints it, from partition.metadata, or from the name of a folder in remote storage;
        None if there is none (brokers up to 2.7).

        This and `leader_epochs` raise OSError if the file cannot be read, DataError if it is damaged.
        """
        if self.remote_topic_id is not None:
            return self.remote_topic_id
        try:
            metadata = read_sidecar(self.folder / "partition.metadata")
        except FileNotFoundError:
            return None
        assert isinstance(metadata, PartitionMetadata)
        return metadata.topic_id

    @property
    def known_topic_id(self) -> str | None:
        """As `topic_id`; None also if the file cannot be read, or is damaged."""
        try:
            return self.topic_id
        except (DataError, OSError):
            return None

    @property
    def leader_epochs(self) -> tuple[EpochEntry, ...]:
        """Leader epochs with their start offsets; none if there is no leader-epoch-checkpoint (up to 0.10.2).

        In remote storage they are the last segment's.
        """
        return self._epochs() or ()

    def _epochs(self) -> tuple[EpochEntry, ...] | None:
        """As `leader_epochs`; None if the file does not exist."""
        name = EPOCHS_FILE
        if self.is_remote:
            name = self.segments[-1].log.with_suffix(".leader_epoch_checkpoint").name
        try:
            checkpoint = read_sidecar(self.folder / name)
        except FileNotFoundError:
            return None
        assert isinstance(checkpoint, LeaderEpochs)
        return checkpoint.entries

    @property
    def log_start_offset(self) -> int | None:
        """The log start offset in the root's checkpoint: records below it were deleted. None without an entry, as for
        most logs: they start with the first segment.

        It is below `local_log_start_offset` only in a tiered log; see `remote_offsets`. This, `local_log_start_offset`,
        `high_watermark` and `recovery_point` raise as `checkpointed_offsets`.
        """
        entry = self._checkpointed("log_start_offset")
        return entry if entry is None else self._start_as_of(entry)

    def _start_as_of(self, entry: int) -> int:
        """Where the log starts, given its entry in the root's checkpoint."""
        first = self._first_here
        if first is None or entry >= first or self._keeps_epochs_below(first):
            return entry
        return first

    @property
    def local_log_start_offset(self) -> int | None:
        """The first offset in the local files: the first segment's base offset, or the log's start if that is higher;
        None if there is no segment.
        """
        if not self.segments:
            return None
        return max(self.segments[0].base_offset, self._checkpointed("log_start_offset") or 0)

    @property
    def remote_offsets(self) -> range:
        """The offsets that are only in remote storage; empty for a log that is not tiered.

        They follow from the root's log-start-offset-checkpoint: a broker writes an entry for every tiered partition,
        and takes the log's start from it, even below the first local segment (LogLoader). For other logs it writes an
        entry if the start is inside the first segment; the entry outlives that segment until the file is written again.
        Leader epochs distinguish the two: a tiered log keeps those of its remote offsets (RemoteLogManager finds remote
        segments by them), and another log drops them with the segment. An unreadable checkpoint is ignored, as by a
        broker; `log_start_offset` raises for it.
        """
        return self._remote_offsets(self._readable_entry())

    @property
    def deleted_before(self) -> int | None:
        """The log's start, if the local files hold deleted records below it. None if they do not, or if the root's
        checkpoint has no entry or cannot be read; `log_start_offset` raises for that.

        The same applies to a single `.log` file, as part of its partition, unless its name ends in ``.deleted``,
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
        """As `remote_offsets`, for a given log start offset: for a copy without the root's checkpoint."""
        start, first = self._start_as_of(log_start_offset), self._first_here
        return range(0) if first is None or start >= first else range(max(0, start), first)

    @property
    def end_offset(self) -> int | None:
        """The offset after the last batch in the files; None if there is no segment.

        Reads the last segment from its last index entry on. Raises DataError if it is damaged there, OSError if it
        cannot be read.
        """
        return find_latest(self.segments).offset if self.segments else None

    @property
    def _first_here(self) -> int | None:
        """The base offset of the folder's first segment; unknown for a single file, which may not be the first."""
        return None if not self.segments or self.is_file else self.segments[0].base_offset

    @property
    def is_file(self) -> bool:
        """Whether it is a single `.log` file treated as a partition."""
        return bool(self.segments) and self.segments[0].log == self.path

    def _keeps_epochs_below(self, offset: int) -> bool:
        """Whether leader epochs begin below an offset; True if that is unknown."""
        try:
            epochs = self._epochs()
        except (OSError, DataError):
            return True
        return epochs is None or any(entry.start_offset < offset for entry in epochs[:1])

    @property
    def high_watermark(self) -> int | None:
        """The high watermark (exclusive end of the committed records) in the root's checkpoint; None if it has none."""
        return self._checkpointed("high_watermark")

    @property
    def recovery_point(self) -> int | None:
        """The recovery point (exclusive end of the flushed records) in the root's checkpoint; None without an entry."""
        return self._checkpointed("recovery_point")

    @property
    def checkpoint_key(self) -> tuple[str, int] | None:
        """The key of this partition in the root's checkpoints; None for a folder that they do not contain.

        Checkpoints drop partitions to be deleted (-delete) and stray ones, whose names may be shortened. A single file
        with a suffix (.deleted, .cleaned, .swap) is not part of the log.
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

        Control records are included; records before the log's start only with ``before_log_start`` (`deleted_before`).
        Memory: a few MiB of the log, or one batch if that is larger. The extra ``fast`` makes it many times faster. For
        ``on_corrupt`` and ``on_skipped`` see `record_batches`.

        Raises (while iterating):
            DataError: at the first batch or record that cannot be read, after all before it: TruncatedError if a
                segment ends inside a batch, as the last one may while a process writes to it or after a crash;
                ChecksumError for a batch with a wrong checksum, unless ``checksums`` is False.
            RemoteOffsetError: the bounds include `remote_offsets`; without bounds the local part is read.
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

        def groups() -> Iterator[Iterable[Record]]:
            reader = RecordReader()
            return self._read(
                wanted, lambda log, position, end, seen: reader.read(log, position, end, wanted=seen), passed
            )

        return chain.from_iterable(groups())

    def chunks(
        self,
        wanted: Wanted = ALL_RECORDS,
        *,
        chunk_bytes: int = DEFAULT_CHUNK_BYTES,
        allocate: Allocate | None = None,
        as_views: bool = False,
        threads: int = 1,
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> Iterator[Chunk]:
        """The wanted records as columns, one chunk of the log at a time, in log order.

        The indexes give the starting position, for an offset and for a time. Arguments and exceptions while iterating
        are those of `read_chunks`. Deleted records are left out, unless they are wanted (`deleted_before`). For
        ``on_corrupt`` and ``on_skipped`` see `record_batches`.
        """
        passed = passing_over(on_corrupt, on_skipped)
        with contextlib.ExitStack() as stack:
            pool = stack.enter_context(Threads(threads)) if threads > 1 else None
            how: dict[str, Any] = {"chunk_bytes": chunk_bytes, "allocate": allocate, "threads": pool}
            how["as_views"] = as_views
            yield from self._read(
                wanted, lambda log, position, end, seen: read_chunks(log, seen, position, end, **how), passed
            )

    def _read(
        self,
        wanted: Wanted,
        read: Callable[[Any, int, int | None, Wanted], Generator[Read, None, bool]],
        passed: OnSkipped | None,
    ) -> Iterator[Read]:
        """Read the segments one after the other, each from a position on."""
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
            answer = None
            with contextlib.ExitStack() if passed is None else contextlib.suppress(DataError):
                answer = find_timestamp(self.segments, max(wanted.since_ms, 0)) if wanted.since_ms > 0 else None
            if answer is not None:
                if answer.offset is None:
                    return
                start = max(start, answer.offset)
        floor, read_until, has_strange = self._floor(start), start, bool(self.strange_logs)
        for number, segment in enumerate(self.segments[floor:], floor):
            if has_strange:  # checked once: a log may have ten thousand segments
                self.require_logs(read_until, min(segment.base_offset, wanted.end_offset))
            if segment.base_offset >= wanted.end_offset:
                return
            read_until = max(start, segment.base_offset)
            position: int | None = 0
            with contextlib.ExitStack() if passed is None else contextlib.suppress(DataError):
                position = start_position(segment, start)
            if position is None:
                continue
            if passed is None:
                has_ended = yield from read(segment.log, position, None, wanted)
            else:
                has_ended = yield from self._read_behind(number, read, position, wanted, passed)
            if has_ended:
                return
        self.require_logs(read_until, min(wanted.end_offset, MAX_INT64))

    def _read_behind(
        self,
        number: int,
        read: Callable[[Any, int, int | None, Wanted], Generator[Read, None, bool]],
        position: int,
        wanted: Wanted,
        passed: OnSkipped,
    ) -> Generator[Read, None, bool]:
        """Read one segment, continuing after damage."""
        # Treat the log as not closed: with a damaged log, index entries count only if it confirms them.
        segment = replace(self.segments[number], is_last=True)
        following = next(iter(self.segments[number + 1 : number + 2]), None)
        with ByteSource(segment.log) as source:
            damaged = DamagedLog(source, lambda: (segment, following))
            if position and not damaged.is_in_order():
                position = 0  # where the framing ends, or bytes were moved, an index is useless
            return (yield from damaged.read(lambda log, at, end: read(log, at, end, wanted), position, passed))

    def committed(self, wanted: Wanted = ALL_RECORDS) -> Wanted:
        """Restrict the wanted records to those that read_committed consumers see.

        Raises OSError, DataError if a `.txnindex` is damaged, and UsageError for a single file of a partition.
        """
        if self.is_file:
            raise UsageError(f"{self.path}: read_committed needs all files of a partition's directory")
        first = self.segments[self._floor(wanted.start_offset)].base_offset if self.segments else 0
        aborted = read_aborted(file for offset, file in self._sidecars("transaction_index") if offset >= first)
        stable = self.stability().first_open_offset
        end = wanted.end_offset if stable is None else min(wanted.end_offset, stable)
        return replace(wanted, aborted=aborted, end_offset=end)

    def stability(self, until_ms: int | None = None) -> Stability:
        """What is decided at the log's end, or as of a time: open transactions, and the last stable offset.

        Raises OSError. Reading a segment stops at damage (`Stability.problem`).
        """
        logs = [(segment.base_offset, segment.log) for segment in self.segments]
        return stability_of(logs, self._sidecars("producer_snapshot"), until_ms)

    def last_stable_offset(self, stability: Stability) -> int | None:
        """The last stable offset, at least the log's start (UnifiedLog.maybeIncrementFirstUnstableOffset); None for a
        folder without segments.
        """
        if not self.segments:
            return None
        start = self.deleted_before
        return stability.stable_offset if start is None else max(stability.stable_offset, start)

    def _sidecars(self, kind: str) -> list[tuple[int, Path]]:
        """Offsets and paths of the files of a kind that lie next to the segments."""
        found = []
        for other in self.others:
            parsed = parse_file_name(other.name) or self._remote_file(other.name)
            if parsed is not None and not parsed.state and parsed.kind == kind:
                found.append((parsed.offset, self.folder / other.name))
        return found

    @property
    def producer_snapshot_offsets(self) -> tuple[int, ...]:
        """The offsets in the names of the producer snapshots, in order: the log's end was there once."""
        return tuple(sorted(offset for offset, _ in self._sidecars("producer_snapshot")))

    def _remote_file(self, name: str) -> FileName | None:
        """The parsed name of a remote file; a producer snapshot gets the offset of its segment's end."""
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
        value_as: Given = None,
        key_as: Given = None,
        enums: str = "names",
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
            value_as=value_as,
            key_as=key_as,
            enums=enums,
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
        value_as: Given = None,
        key_as: Given = None,
        enums: str = "names",
        on_corrupt: str = "error",
        on_skipped: OnSkipped | None = None,
    ) -> RecordBatchReader:
        """The records as a stream of Arrow record batches, none of which is kept.

        Args:
            columns: see `kformat.kafka.columns.arrow`; by default those of Spark's Kafka source.
            start_offset, end_offset: the first offset, and the one after the last.
            since, until: the first timestamp, and the one after the last: a datetime with a time zone, ISO 8601 (UTC if
                it names no zone), or ms since 1970.
            before_log_start: include records below the log's start, which were deleted but are still in the files
                (`deleted_before`).
            include_control: include control records, which consumers do not see.
            isolation_level: ``read_committed`` leaves out the records of aborted transactions, and everything from the
                first open transaction on, as a consumer of that level does; see `kformat.kafka.producers.isolation`.
            checksums: False reads batches with a wrong checksum.
            threads: how many threads decode in parallel; record batches still come in log order.
            as_views: keys and values as ``binary_view`` of the bytes that were read, which are not copied.
            value_as, key_as: which declared format values, or keys, are: a format (as for `kformat.parse`), ``"json"``,
                ``"kafka"`` (what Kafka writes into its own topics), or a mapping from topics to these. ``value`` is
                then a structure, and parts of it are columns (``"value.price"``); ``value_raw`` and ``value_error``
                have the bytes of values that do not parse, and why: see `kformat.kafka.columns.declared`. Without
                ``columns`` all three are there. Also `DeclaredColumns` in ``value_as``, which have both, the columns,
                and ``enums``.
            enums: how members of enums are written there: ``names`` or ``numbers``.
            on_corrupt: how to handle damage, as Spark's option ``onCorrupt``: ``error`` raises it; ``skip`` goes on
                with what `kformat.salvage` would save, restored where checksums prove it; ``report`` also logs a
                warning (logger ``kformat``) for each stretch of bytes that was skipped or restored.
            on_skipped: called with a `kformat.columns.skipped.Skipped` for each such stretch, with its positions in
                the file and the offsets that may be missing; ``[].append`` collects them.

        Raises:
            UsageError: an unknown column, isolation level or ``on_corrupt``; an invalid time; a datetime without a time
                zone.
            MissingDependencyError: pyarrow is not installed (extra ``arrow``).
            RemoteOffsetError: while reading, if the bounds include `remote_offsets`. Without bounds the local part is
                read.
            DataError, OSError: while reading, as `chunks`.
        """
        value_as, key_as = of_topic(value_as, self.topic, "value"), of_topic(key_as, self.topic, "key")
        names, declared = declared_columns(columns, value_as, key_as, enums)
        schema = arrow_schema(names, as_views=as_views, declared=declared)
        wanted = wanted_records(
            columns_to_read(names if declared is None else declared.base),
            *(start_offset, end_offset, since, until),
            before_log_start=before_log_start,
            include_control=include_control,
            checksums=checksums,
        )
        if is_committed_only(isolation_level):
            wanted = self.committed(wanted)
        passing_over(on_corrupt)
        converter = Converter(schema, self.topic, self.partition, declared=declared)
        how: dict[str, Any] = {"threads": threads, "on_corrupt": on_corrupt, "on_skipped": on_skipped}
        is_viewed = as_views and declared is None
        chunks = self.chunks(wanted, allocate=allocate, as_views=is_viewed, **how)
        return reader_of(schema, converter.batches(chunks))

    def to_pandas(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[PartitionReading]) -> DataFrame:
        """The records as a ``pandas.DataFrame``; MissingDependencyError without pandas (extra ``pandas``)."""
        pandas()
        return self.to_arrow(columns, **options).to_pandas()

    def to_polars(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[PartitionReading]) -> DataFrame:
        """The records as a ``polars.DataFrame``; MissingDependencyError without polars (extra ``polars``)."""
        library = polars()
        return library.from_arrow(self.to_arrow(columns, **options))

    def __repr__(self) -> str:
        return f"<Partition {partition_line(self)}>"

    def _repr_html_(self) -> str:
        return partition_html(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface, for ``polars.from_arrow(partition)``, ``duckdb.from_arrow`` and others."""
        return self.record_batches().__arrow_c_stream__(requested_schema)

    @property
    def strange_logs(self) -> dict[int, str]:
        """Base offset -> the name of a segment's log that is no file: a link to nowhere, a folder, a device."""
        names = {}
        for other in self.others:
            parsed = parse_file_name(other.name) if other.kind in IRREGULAR else None
            if parsed is not None and parsed.kind == "log" and not parsed.state:
                names[parsed.offset] = other.name
        return dict(sorted(names.items()))

    def require_logs(self, start_offset: int = MIN_INT64, end_offset: int = MAX_INT64) -> None:
        """Raise OSError for the first log that is no file and may have records from one offset on, below another."""
        strange = self.strange_logs
        bases = (
            sorted((*strange, *(segment.base_offset for segment in self.segments), MAX_INT64 + 1)) if strange else []
        )
        for base_offset, name in strange.items():
            if base_offset < end_offset and bases[bisect_right(bases, base_offset)] > start_offset:
                path = self.folder / name
                with ByteSource(path):
                    raise OSError(errno.EINVAL, "not a regular file", str(path))

    def _floor(self, offset: int) -> int:
        """The number of the segment to begin with: the last whose base offset is not above the offset, or the first."""
        return max(0, bisect_right(self.segments, offset, key=lambda segment: segment.base_offset) - 1)


def start_position(segment: Segment, offset: int) -> int | None:
    """The position of a batch from which on a segment has all records not below an offset, from its indexes; None if no
    batch follows there.

    Raises DataError if the batch there cannot be read, OSError if a file cannot.
    """
    if offset <= segment.base_offset:
        return 0
    first = next(batches_from(segment, offset), None)
    return None if first is None else first.position


def open_partition(path: str | os.PathLike[str]) -> Partition:
    """List a partition directory, or open one `.log` file with the indexes next to it as a partition.

    A single file's name must begin with its base offset in digits, or be a remote segment's; the former may end in
    `.deleted`, `.cleaned` or `.swap`. No file is opened. Raises OSError if the path cannot be read, UsageError for a
    file that is not a `.log`, and for a folder of partition folders (`iter_partitions` opens each of those).
    """
    path = place(path)
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        folder, (segments, others) = _folder_name(path), _list(path)
        if not segments and folder.partition < 0 and (below := _first_partition(others)):
            raise UsageError(f"{path}: a folder of partitions ({below}, ...); kformat.open_root opens it")
        if any(map(_is_remote, segments[:1])):
            folder = parse_remote_folder_name(folder_name(path)) or folder
        return Partition(path, folder.topic, folder.partition, folder.state, segments, others, folder.topic_id)
    remote = parse_remote_file_name(path.name)
    name = r"(?P<stem>(?P<offset>0*[0-9]{1,19})%s)\.log(?P<state>\.deleted|\.cleaned|\.swap)?"
    match = re.fullmatch(name % ("" if remote is None else f"-{remote.segment_id}"), path.name)
    if not stat.S_ISREG(status.st_mode) or match is None or int(match["offset"]) > MAX_INT64:
        message = "neither a directory nor a .log file named by its base offset; if it has another format, name that"
        raise UsageError(f"{path}: {message} with --as x.ksy")
    index_paths = {
        kind: path.with_name(f"{match['stem']}.{kind}{match['state'] or ''}") for kind in ("index", "timeindex")
    }
    indexes = {kind: index_paths[kind] if index_paths[kind].is_file() else None for kind in index_paths}
    folder = _folder_name(path.parent)
    segment = Segment(int(match["offset"]), path, indexes["index"], indexes["timeindex"])
    return Partition(path, folder.topic, folder.partition, folder.state, (segment,), ())


def iter_partitions(
    root: str | os.PathLike[str],
    *,
    all_states: bool = False,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
) -> Iterator[Partition]:
    """The partitions of a path, in order: one for a partition's folder or a `.log` file, many for a root, and those of
    all roots for a folder with roots below it, at any depth.

    A path is itself a partition if it is a file, or a segment's log is directly in it, or, failing both, if it has a
    partition's name and no partition below it. (A stray log next to partitions, in a folder without a partition's name,
    does not hide them.) A root's partitions are sorted by topic and partition; its other folders are skipped, and
    without ``all_states`` also those being deleted or moved, and stray ones (-delete, -future, -stray): their records
    do not, or not yet, belong to the topic. A folder without partitions directly in it is a folder with roots; these
    are sorted by name. Raises as `open_partition`.

    ``topics``, ``exclude``, ``partitions``: only those of topics with these names or patterns (``orders*``), not with
    those, and of these numbers. Raises UsageError if there are partitions and none of them is chosen.
    """
    return map(open_partition, chosen_paths([root], chosen(topics, exclude, partitions), all_states=all_states))


def chosen_paths(roots: Iterable[str | os.PathLike[str]], which: Chosen, *, all_states: bool = False) -> list[Path]:
    """The paths of the chosen partitions of several roots; raises as `partition_paths` and `Chosen.of_each`."""
    listings = which.of_each([partition_paths(root, all_states=all_states) for root in roots])
    return [path for paths in listings for path in paths]


def partitions_in(source: Partition | str | os.PathLike[str], which: Chosen) -> Iterator[Partition]:
    """A partition that is open, or the chosen ones of a path, as `iter_partitions` has them."""
    if not isinstance(source, Partition):
        return map(open_partition, chosen_paths([source], which))
    if which:
        which.check({(source.topic, source.partition)})
    return iter([source])


def partition_paths(root: str | os.PathLike[str], *, all_states: bool = False) -> list[Path]:
    """The paths that `iter_partitions` opens, for callers that continue after one that cannot be opened.

    They include subfolders that cannot be listed: opening one raises the reason. Raises OSError if ``root`` itself
    cannot be listed.
    """
    root = place(root)
    return _partitions_in(root, all_states, (), Followed()) if is_dir(root) else [root]


def _partitions_in(folder: Path, all_states: bool, above: tuple[str, ...], followed: Followed) -> list[Path]:
    """See `iter_partitions`; ``above`` are the real paths of the parent folders."""
    entries = scan(folder, keep=True)
    is_named, has_log = _parsed_folder(folder_name(folder)) is not None, _has_log(entries)
    around = (*above, real_path(folder))
    folders = [
        (_parsed_folder(entry.name), folder / entry.name)
        for entry in entries
        if is_folder(entry) and not (_is_link(entry) and real_path(entry.path) in around)
    ]
    partitions = [(parsed, path) for parsed, path in folders if parsed is not None]
    # These listings are reused when the partitions are opened.
    has_logs_below = not (is_named and has_log) and any(_holds_a_log(path) for _, path in partitions)
    if has_log and not has_logs_below:
        return [folder]
    partitions.sort(key=lambda pair: (pair[0].topic, pair[0].partition, pair[0].state, pair[1].name))
    named = [path for parsed, path in partitions if all_states or not parsed.state]
    if has_logs_below:
        return named
    if partitions:  # none of them has a log: they may be roots named like partitions (kafka-1)
        return [
            path
            for subfolder in named
            for path in (_below(subfolder, all_states, around, followed) if _has_partitions(subfolder) else [subfolder])
        ]
    if is_named:
        return [folder]
    inner = sorted((path for _, path in folders), key=lambda path: path.name)
    return [path for subfolder in inner for path in _below(subfolder, all_states, around, followed)]


def _below(folder: Path, all_states: bool, above: tuple[str, ...], followed: Followed) -> list[Path]:
    try:
        return _partitions_in(folder, all_states, above, followed) if followed.is_entered(folder, above) else []
    except OSError:
        return [folder]


def _has_partitions(folder: Path) -> bool:
    """Whether a folder contains folders with partitions' names; False if that is unknown."""
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
    """The wanted records for a reader's arguments: None is no bound. Raises as `milliseconds`."""
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


def topic_of(path: str | os.PathLike[str]) -> str:
    """The topic of a partition's folder, or of any file in one, by the folder's name; of a folder with another name,
    that name. Raises OSError for an address that cannot be reached.
    """
    found = place(path)
    return _folder_name(found if is_dir(found) else place(folder_of(path))).topic


def _folder_name(path: Path) -> FolderName:
    name = folder_name(path)
    return _parsed_folder(name) or FolderName(name, -1, "")


def _parsed_folder(name: str) -> FolderName | None:
    """The parts of a partition folder's name, a broker's or one in remote storage; None for any other name."""
    return parse_folder_name(name) or parse_remote_folder_name(name)


def _is_remote(segment: Segment) -> bool:
    return parse_remote_file_name(segment.log.name) is not None


def _is_link(entry: ScannedEntry) -> bool:
    return isinstance(entry, os.DirEntry) and entry.is_symlink()


def _first_partition(others: tuple[OtherFile, ...]) -> str | None:
    """The first folder with a partition's name among a folder's entries."""
    return next((other.name for other in others if other.kind == "directory" and _parsed_folder(other.name)), None)


def _has_log(entries: Iterable[ScannedEntry]) -> bool:
    return any(_is_log(entry.name) for entry in entries)


def _holds_a_log(path: Path) -> bool:
    """Whether a folder contains a segment's log; False if that is unknown."""
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
    segment_files: set[str] = set()
    for offset, segment_id in sorted(key[:2] for key in placed if key[2] == "log"):
        own = {kind: placed.get((offset, segment_id, kind)) for kind in ("log", "offset_index", "time_index")}
        segment_files.update(name for name in own.values() if name is not None)
        log, index, timeindex = (None if name is None else path / name for name in own.values())
        assert log is not None
        segments.append(Segment(offset, log, index, timeindex, is_last=False))
    if segments:
        segments[-1] = replace(segments[-1], is_last=True)
    others = tuple(_other(name, *files[name], names.get(name)) for name in sorted(files) if name not in segment_files)
    return tuple(segments), others


def _look_at(entry: ScannedEntry) -> tuple[str, int | None]:
    """``regular``, or the kind of an entry that is not a regular file, and its size."""
    try:
        status = entry.stat()
    except OSError as error:
        # An entry that cannot be examined (permissions, a failing disk) is treated as the file its name says, and
        # opening it raises the reason. Skipping it would silently shorten the partition's log.
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
    "Partition",
    "Segment",
    "chosen_paths",
    "open_partition",
    "other_files",
    "partition_paths",
    "partitions_in",
    "topic_of",
    "was_closed",
]

"""Read the files of a segment, item by item."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import parse
from kformat.dump.report import MAX_BYTES, DumpReport, Options, Pairs
from kformat.errors import ChecksumError, DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import AnyBatch, check_end, iter_batches, read_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, Frame, Walk
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record, parse_control_record
from kformat.kafka.files import text_files
from kformat.kafka.files.file_kinds import (
    SUFFIXES,
    TEXT,
    kind_by_ending,
    kind_of,
    parse_file_name,
    parse_remote_file_name,
)
from kformat.kafka.index.index_file import BLOCK_SLOTS, read_index, read_slots
from kformat.kafka.index.indexing import EntryArray, floor_offset_entry
from kformat.kafka.log.fetched import wrong_checksum
from kformat.language.layout import layout
from kformat.storage.address import absolute, base_name, is_address, place
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_MAX_OFFSET: Final = MAX_INT64
_BASE_OFFSET: Final = re.compile(r"[+-]?\d+")


class LogStart(NamedTuple):
    """The base offset in the name of a `.log`."""

    base_offset: int


class SnapshotStart(NamedTuple):
    """Offset and epoch in the name of a `.checkpoint`; None and None for the bootstrap snapshot."""

    end_offset: int | None
    epoch: int | None


class RecordOf(NamedTuple):
    """A record with its batch; ``control`` is (key, value) as the codec sees them, in a control batch.

    The value is None if the record has none or its type is not declared; ``control`` is None if it is damaged. ``crc``
    and ``is_valid`` are a message's own, in magic 0 and 1; else None.
    """

    batch: AnyBatch
    record: Record
    control: tuple[Any, Any] | None = None
    crc: int | None = None
    is_valid: bool | None = None


class TrailingBytes(NamedTuple):
    """Bytes at the end of a `.log` that are not a batch."""

    position: int
    size: int


class OffsetIndexEntry(NamedTuple):
    """An entry of a `.index`: the offset is absolute, the position in the `.log` in bytes."""

    offset: int
    position: int


class TimeIndexEntry(NamedTuple):
    """An entry of a `.timeindex`: ms, and the absolute offset."""

    timestamp: int
    offset: int


class TransactionIndexEntry(NamedTuple):
    """An entry of a `.txnindex`: an aborted transaction."""

    version: int
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class ProducerSnapshotEntry(NamedTuple):
    """An entry of a `.snapshot`: a partition's state of a producer; -1 for unknown values."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int
    current_txn_first_offset: int


class SidecarFile(NamedTuple):
    """The content of a text file next to the logs; ``name`` is the file's."""

    name: str
    value: text_files.Sidecar


class Remark(NamedTuple):
    """A remark about the whole file: ``kind`` is ``empty`` or ``sane``."""

    kind: str


Item = (
    LogStart
    | SnapshotStart
    | Batch
    | LegacyBatch
    | RecordOf
    | TrailingBytes
    | OffsetIndexEntry
    | TimeIndexEntry
    | TransactionIndexEntry
    | ProducerSnapshotEntry
    | SidecarFile
    | Remark
)


def items(path: str | os.PathLike[str], options: Options, report: DumpReport, *, source: Any = None) -> Iterator[Item]:
    """Read the items of one file, in order. The name says what the file is: `.log`, `.index`, `.timeindex`,
    `.txnindex`, `.snapshot` (of producers), `.checkpoint` (of KRaft metadata), or one of those that
    `kformat.kafka.files.text_files` reads.

    Args:
        path: the file; its name begins with the base offset.
        options: see `Options`.
        report: gets damage and inconsistencies.
        source: what to read instead of ``path`` (see `kformat.storage.byte_source.ByteSource`).

    Raises:
        UsageError: a file of another kind, or an index whose name holds no base offset.
        OSError: the file cannot be read.
    """
    name = base_name(path)
    with opened(path, source) as file:
        match _shown_as(name):
            case "log":
                log = LogPass(file, options, report)
                yield from log.start()
                for frame in log.walk:
                    yield from log.of_frame(frame)
                yield from log.end()
            case "index":
                base_offset = _base_offset(name)
                if base_offset is None:
                    raise UsageError(f"{path}: the name of an index begins with the base offset of its segment")
                yield from _index(file, place(path), base_offset, options, report)
            case "transactions":
                yield from _transaction_index(file, options, report)
            case "producers":
                yield from _producer_snapshot(file, report)
            case "text":
                yield from _sidecar(file, name, report)
            case _:
                known = ", ".join(f".{suffix}" for suffix in SUFFIXES)
                raise UsageError(f"{path}: not a kind of file that dump reads ({known})")


def opened(path: str | os.PathLike[str], source: Any = None) -> ByteSource:
    """Open the file, or its replacement under the file's name."""
    return ByteSource(os.fspath(path) if source is None else source, os.fspath(path))


def shown_path(path: str) -> str:
    """A path as java.io.File prints it: no double slashes, none at the end. An address is unchanged: Java has none."""
    if is_address(path):
        return path
    short = re.sub("/+", "/", path)
    return short if short == "/" else short.rstrip("/")


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether `items` reads batches from a file of this name."""
    return _shown_as(base_name(path)) == "log"


def is_known(path: str | os.PathLike[str]) -> bool:
    """Whether `items` reads a file of this name; the tool treats others, and text files, as unknown."""
    return _shown_as(base_name(path)) is not None


def _shown_as(name: str) -> str | None:
    """How the table of files says that a file is dumped; a binary file may have any name with the right ending."""
    row = kind_by_ending(name) or kind_of(name)
    return row.dump if row is not None and (row.format == TEXT or kind_by_ending(name)) else None


def _base_offset(name: str) -> int | None:
    remote = parse_remote_file_name(name)
    if remote is not None:
        return remote.offset
    number = name.partition(".")[0]
    offset = int(number) if _BASE_OFFSET.fullmatch(number) else None
    return offset if offset is not None and MIN_INT64 <= offset < 2**63 else None


def _snapshot_start(name: str) -> SnapshotStart | None:
    """Parse the name of a metadata snapshot (Snapshots.parse); None if it is not one of Kafka's."""
    if name == "bootstrap.checkpoint":
        return SnapshotStart(None, None)
    parsed = parse_file_name(name)
    return None if parsed is None else SnapshotStart(parsed.offset, parsed.epoch)


# A log, or a metadata snapshot, which has the same format


class LogPass:
    """One pass over a log. Each frame's items can be read, or be passed over."""

    def __init__(self, source: ByteSource, options: Options, report: DumpReport) -> None:
        self.source, self.options, self.report, self.limit = source, options, report, DEFAULT_INFLATE_LIMIT
        self.walk = Walk(source, 0, options.max_bytes if options.max_bytes < MAX_BYTES else None)
        self._previous_offset = -1

    def start(self) -> Iterator[Item]:
        """The facts in the file's name."""
        name = base_name(self.source.name)
        if (row := kind_by_ending(name)) is not None and row.kind == "metadata_snapshot":
            snapshot = _snapshot_start(name)
            if snapshot is not None:
                yield snapshot
        else:
            base_offset = _base_offset(name)
            if base_offset is not None:
                yield LogStart(base_offset)

    def of_frame(self, frame: Frame) -> Iterator[Item]:
        """The batch in a frame, and its records."""
        batch = self._batch(frame)
        for item in () if batch is None else _of_batch(batch, self.options, self.report):
            if isinstance(item, RecordOf):
                offset = item.record.offset
                if offset != self._previous_offset + 1 and not self.options.has_range:
                    self._jumps.add(self._previous_offset, offset)
                self._previous_offset = offset
            yield item

    def report_checksum(self, position: int) -> None:
        """Report a batch that was printed and whose checksum is wrong, by its position."""
        batch = self._batch(next(Walk(self.source, position, self.walk.end)))
        if batch is not None:
            self.report.on_damage(wrong_checksum(batch))

    def _batch(self, frame: Frame) -> AnyBatch | None:
        try:
            return read_batch(self.source, frame, self.limit)
        except DataError as error:
            self.report.on_damage(error)
            return None

    def pass_over(self, offsets: npt.NDArray[np.int64]) -> None:
        """Report jumps of offsets as `of_frame` does, for the next records, which have these offsets."""
        if len(offsets):
            before = np.concatenate((np.array([self._previous_offset], np.int64), offsets[:-1]))
            is_jump = (offsets != before + 1) | (before == _MAX_OFFSET)  # no offset can follow the largest
            if is_jump.any() and not self.options.has_range:
                self._jumps.extend(before[is_jump], offsets[is_jump])
            self._previous_offset = int(offsets[-1])

    @cached_property
    def _jumps(self) -> Pairs:
        return self.report.non_consecutive.setdefault(absolute(self.source.name), Pairs())

    def end(self) -> Iterator[Item]:
        """The bytes after the last frame; call this when the walk has ended."""
        walk = self.walk
        left = walk.end - walk.position
        if walk.end == self.source.size or not isinstance(walk.problem, TruncatedError):  # else --max-bytes cuts it off
            try:
                check_end(self.source, walk)
            except DataError as error:
                self.report.on_damage(error)
        if left > 0 and self.options.max_bytes == MAX_BYTES:
            yield TrailingBytes(walk.position, left)


def _of_batch(batch: AnyBatch, options: Options, report: DumpReport) -> Iterator[Item]:
    """The batch and its wanted records; nothing if there are none."""
    if not _may_hold(batch, options):
        return
    is_shown = not options.has_time_range or (not options.is_deep and _is_shown_by_header(batch, options))
    if is_shown:
        yield _reported(batch, report)
        if not options.is_deep:
            return
    for item in _records(batch, options, report):
        if options.has_offset(item.record.offset) and options.has_timestamp(item.record.timestamp):
            if not is_shown:
                yield _reported(batch, report)
                is_shown = True
            if not options.is_deep:
                return
            if item.is_valid is False and batch.compression:  # else it is the batch that was reported
                report.on_damage(_wrong_message(item))
            yield item


def _reported(batch: AnyBatch, report: DumpReport) -> AnyBatch:
    """Return the batch, and report it if its checksum is wrong."""
    if not batch.is_valid:
        report.on_damage(wrong_checksum(batch))
    return batch


def _wrong_message(item: RecordOf) -> ChecksumError:
    return ChecksumError(
        f"the checksum of the message with offset {item.record.offset} in a wrapper differs",
        source=item.batch.source,
        position=item.batch.position,
        path="legacy_message.message.message_set.messages",
        found=f"{item.crc:08x}",
    )


def _may_hold(batch: AnyBatch, options: Options) -> bool:
    """False if the header rules out that a record is in the ranges."""
    if options.from_offset is not None and batch.last_offset < options.from_offset:
        return False
    if options.to_offset is not None and _begins_after(batch, options.to_offset):
        return False
    return options.since_ms is None or batch.max_timestamp >= options.since_ms


def _begins_after(batch: AnyBatch, offset: int) -> bool:
    """Whether no record of a batch is before an offset; False for a wrapper that cannot be decompressed."""
    try:
        return batch.base_offset >= offset
    except DataError:  # reported when the messages are read
        return False


def _is_shown_by_header(batch: AnyBatch, options: Options) -> bool:
    """True if the header shows that a record is in the range of time: the one with the largest timestamp."""
    has_records = isinstance(batch, LegacyBatch) or batch.records_count > 0
    return not options.has_offset_range and has_records and options.has_timestamp(batch.max_timestamp)


def _records(batch: AnyBatch, options: Options, report: DumpReport) -> Iterator[RecordOf]:
    try:
        if isinstance(batch, LegacyBatch):
            for message in batch.messages():
                yield RecordOf(batch, message.record, crc=message.crc, is_valid=message.is_valid)
            return
        for record in batch.records():
            control = None
            if batch.is_control and not options.skip_record_metadata:
                try:
                    control = parse_control_record(record, f"{batch.source}, offset {record.offset}")
                except DataError as error:
                    report.on_damage(error)
            yield RecordOf(batch, record, control)
    except DataError as error:
        report.on_damage(error)


# The indexes


def _index(source: ByteSource, path: Path, base_offset: int, options: Options, report: DumpReport) -> Iterator[Item]:
    is_time = path.suffix == ".timeindex"
    slot_layout = layout("time_index::entry" if is_time else "offset_index::entry")
    count = source.size // slot_layout.size
    if not is_time and not count:
        yield Remark("empty")
        return
    if options.index_sanity_check:
        problem = _insanity(source, slot_layout.dtype, count)
        if problem is None:
            yield Remark("sane")
        else:
            report.on_damage(problem)
        return
    judge = _judge(path, base_offset, is_time, report)
    try:
        for slot in _entries(source, slot_layout.dtype, count):
            offset = base_offset + slot["relative_offset"].item()
            entry: TimeIndexEntry | OffsetIndexEntry
            if is_time:
                entry = TimeIndexEntry(slot["timestamp"].item(), offset)
            else:
                entry = OffsetIndexEntry(offset, slot["position"].item())
            if judge is not None:
                judge.look_at(entry)
            wanted = options.has_offset(offset) and (not is_time or options.has_timestamp(slot["timestamp"].item()))
            if wanted and not options.verify_index_only:
                yield entry
    finally:
        if judge is not None:
            judge.close()


def _entries(source: ByteSource, dtype: np.dtype[Any], count: int) -> Iterator[np.void]:
    """The slots that the tool prints: up to the first, other than the very first, that holds the base offset."""
    for start in range(0, count, BLOCK_SLOTS):
        slots = read_slots(source, dtype, start, min(BLOCK_SLOTS, count - start))
        for number, slot in enumerate(slots, start):
            if number and not slot["relative_offset"]:
                return
            yield slot


def _insanity(source: ByteSource, dtype: np.dtype[Any], count: int) -> InvalidError | None:
    """The error for which AbstractIndex.sanityCheck would refuse the file, counting all its slots."""
    if count:
        first, last = read_slots(source, dtype, 0, 1)[0], read_slots(source, dtype, count - 1, 1)[0]
        at = (count - 1) * dtype.itemsize
        for name in dtype.names or ():
            least = first["timestamp"].item() if name == "timestamp" else 0
            if name != "position" and last[name] < least:
                return InvalidError(
                    f"the last {name} is too small",
                    source=source.name,
                    position=at,
                    path=f"entries[{count - 1}].{name}",
                    expected=f">= {least}",
                    found=last[name].item(),
                )
    if source.size % dtype.itemsize:
        return InvalidError(
            "not a whole number of entries",
            source=source.name,
            position=count * dtype.itemsize,
            expected=f"a multiple of {dtype.itemsize} bytes",
            found=source.size,
        )
    return None


def _judge(path: Path, base_offset: int, is_time: bool, report: DumpReport) -> _Judge | None:
    """Compares the entries with the `.log` next to the index; None if there is no log.

    Next to an empty log an offset index is not judged: it is zeros, on which the tool crashes.
    """
    stem = path.name.partition(".")[0]
    try:
        log = ByteSource(path.with_name(stem + ".log"))
    except OSError:
        return None
    if not log.size and not is_time:
        log.close()
        return None
    entries = _offset_entries(path.with_name(stem + ".index")) if is_time else None
    return _Judge(log, str(path), base_offset, report, entries)


def _offset_entries(path: Path) -> EntryArray | None:
    try:
        return read_index(path, "offset_index").entries
    except (OSError, DataError):
        return None


class _Judge:
    """Compares index entries with the log, for the tool's reports."""

    def __init__(
        self, log: ByteSource, path: str, base_offset: int, report: DumpReport, offset_entries: EntryArray | None
    ) -> None:
        self.log, self.path, self.base_offset, self.report = log, path, base_offset, report
        self.absolute = absolute(path)
        self.offset_entries = offset_entries
        self.previous: TimeIndexEntry | None = None
        self.found_position = 0

    def close(self) -> None:
        self.log.close()

    def look_at(self, entry: OffsetIndexEntry | TimeIndexEntry) -> None:
        if isinstance(entry, TimeIndexEntry):
            self.time_entry(entry)
            self.previous = entry
        else:
            self.offset_entry(entry)

    def offset_entry(self, entry: OffsetIndexEntry) -> None:
        batch = next(self.batches(entry.position), None) if entry.position >= 0 else None
        if batch is None:
            self.report.on_damage(
                InvalidError(
                    "an entry does not point to a batch",
                    source=self.path,
                    path="offset_index.entries",
                    found=tuple(entry),
                )
            )
        elif batch.last_offset != entry.offset:
            self.report.mismatches.setdefault(self.absolute, Pairs()).add(entry.offset, batch.last_offset)

    def time_entry(self, entry: TimeIndexEntry) -> None:
        batch = next((batch for batch in self.from_floor(entry) if batch.last_offset >= entry.offset), None)
        if batch is None or batch.last_offset != entry.offset:
            log_offset = -1 if batch is None else batch.last_offset
            self.report.not_found.setdefault(self.absolute, Pairs()).add(entry.offset, log_offset)
            return
        self.found_position = batch.position
        # If the header agrees with the entry, records are not read, if there are any: for a batch that the cleaner has
        # emptied the tool reports -1, although the entry is right.
        is_empty = isinstance(batch, Batch) and not batch.records_count
        if is_empty or batch.max_timestamp != entry.timestamp:
            largest = self.largest_timestamp(batch)
            if largest != entry.timestamp:
                self.report.timestamp_mismatches.setdefault(self.absolute, Pairs()).add(entry.timestamp, largest)
        previous = -1 if self.previous is None else self.previous.timestamp
        if previous >= entry.timestamp:
            self.report.out_of_order.setdefault(self.absolute, Pairs()).add(entry.timestamp, previous)

    def from_floor(self, entry: TimeIndexEntry) -> Iterator[AnyBatch]:
        """The batches from the floor of the entry's offset on, or from the position of the entry before."""
        position = 0
        if self.offset_entries is not None:
            floor = floor_offset_entry(self.offset_entries, entry.offset, base_offset=self.base_offset)
            position = max(floor.position, 0)
            if floor.position < 0:  # the tool crashes
                self.report.on_damage(
                    InvalidError(
                        "an entry of the offset index points before the log; this one is looked for from its start",
                        source=self.path,
                        path="offset_index.entries",
                        expected=">= 0",
                        found=floor.position,
                    )
                )
        if self.previous is not None and self.previous.offset <= entry.offset:
            position = max(position, self.found_position)
        return self.batches(position)

    def batches(self, position: int) -> Iterator[AnyBatch]:
        """The batches from a position on, their headers alone."""
        for frame in Walk(self.log, position):
            kind = Batch if frame.magic >= CURRENT_MAGIC else LegacyBatch
            try:
                yield kind(frame.start[: frame.size], frame.position, self.log.name)
            except TruncatedError:  # too short for its magic
                return

    def largest_timestamp(self, batch: AnyBatch) -> int:
        largest = -1
        try:
            for whole in iter_batches(self.log, batch.position):
                for record in whole.records():
                    largest = max(largest, record.timestamp)
                break
        except DataError as error:
            self.report.on_damage(error)
        return largest


# Aborted transactions, and producers


def _transaction_index(source: ByteSource, options: Options, report: DumpReport) -> Iterator[TransactionIndexEntry]:
    """The entries. An entry of an unknown version is reported, and none are yielded: it may have other fields and
    another length."""
    slot_layout = layout("transaction_index::entry")
    count = source.size // slot_layout.size

    def blocks() -> Iterator[tuple[int, EntryArray]]:
        for start in range(0, count, BLOCK_SLOTS):
            yield start, read_slots(source, slot_layout.dtype, start, min(BLOCK_SLOTS, count - start))

    for start, slots in blocks():
        for row in np.flatnonzero(slots["version"])[:1].tolist():
            number, version = start + row, int(slots["version"][row])
            at = number * slot_layout.size + slot_layout.position("version")
            path = f"transaction_index.entries[{number}].version"
            message = "an unknown version"
            report.on_damage(
                InvalidError(message, source=source.name, position=at, path=path, expected=0, found=version)
            )
            return
    for _, slots in blocks():
        for slot in slots:
            entry = TransactionIndexEntry(*slot.item())
            if _overlaps(entry, options):
                yield entry
    left = source.size % slot_layout.size
    if left:
        report.on_damage(
            TruncatedError(
                "the bytes end inside of an entry",
                source=source.name,
                position=source.size - left,
                path=f"transaction_index.entries[{count}]",
                expected=f"{slot_layout.size} bytes",
                found=left,
            )
        )


def _overlaps(entry: TransactionIndexEntry, options: Options) -> bool:
    """Whether an offset of the transaction, its marker's among them, lies in the range."""
    ends_after = options.from_offset is None or entry.last_offset >= options.from_offset
    return ends_after and (options.to_offset is None or entry.first_offset < options.to_offset)


def _producer_snapshot(source: ByteSource, report: DumpReport) -> Iterator[ProducerSnapshotEntry]:
    try:
        if source.size > DEFAULT_INFLATE_LIMIT:
            raise LimitError(
                "a producer snapshot over the limit",
                source=source.name,
                expected=f"<= {DEFAULT_INFLATE_LIMIT} bytes",
                found=source.size,
            )
        snapshot: Any = parse("producer_snapshot", source.read_at(0, source.size), source=source.name)
    except DataError as error:
        report.on_damage(error)
        return
    for entry in snapshot.entries:
        yield ProducerSnapshotEntry(**entry._asdict())


# Text files


def _sidecar(source: ByteSource, name: str, report: DumpReport) -> Iterator[SidecarFile]:
    try:
        # One byte above the limit is enough to be refused.
        data = source.read_at(0, text_files.DEFAULT_LIMIT_BYTES + 1)
        yield SidecarFile(name, text_files.parse_sidecar(name, data, source=source.name))
    except DataError as error:
        report.on_damage(error)

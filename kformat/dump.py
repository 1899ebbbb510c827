"""What lies in a segment's files, as text and as plain objects.

The text is that of Kafka's own tool (DumpLogSegments, `kafka-dump-log.sh`) in 4.3.1, byte for byte on standard output;
what that tool reports on standard error is collected in a `Report`. `items` reads a file, `text_lines` and `objects`
say what was read. Everything is read as it is asked for; memory grows with one batch, not with the file.

Rules, where the tool has none:

* Nothing is written. (The tool cuts an index of odd length to whole entries, and creates a missing one.)
* Damage is told to the report and the dump goes on behind it, where the tool ends with a stack trace. A batch with a
  wrong checksum is printed, as the tool does; of a batch that cannot be read to its end, the records in front.
* The indexes need no other file. The `.log` beside them is looked at for the reports alone.
* A batch, stored or inflated, may take `kformat.compression.DEFAULT_INFLATE_LIMIT` bytes, and a producer snapshot as
  many. Of a producer snapshot with a wrong checksum nothing is printed, as the tool does.

Sources: Kafka's DumpLogSegments, FileLogInputStream, OffsetIndex and TimeIndex (`sanityCheck`), TransactionIndex,
ProducerStateManager (`readSnapshot`).
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from kformat import sidecars
from kformat.batches import AnyBatch, iter_batches, read_batch
from kformat.codec import parse
from kformat.compression import DEFAULT_INFLATE_LIMIT
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.filenames import KINDS, parse_file_name
from kformat.framing import CURRENT_MAGIC, PEEK_BYTES, Frame, Walk
from kformat.indexing import EntryArray, floor_offset_entry
from kformat.layout import layout
from kformat.legacy import TIMESTAMP_TYPE_LABELS, LegacyBatch
from kformat.partition import read_index
from kformat.places import absolute, base_name, is_address, place
from kformat.program import load_program
from kformat.records import Batch, Record, parse_control_record, subtract_sequence
from kformat.source import ByteSource
from kformat.values import Value

MAX_BYTES: Final = 2**31 - 1
"""The tool's default for `--max-bytes`, which stands for no limit."""

KEPT_REPORTS: Final = 10_000
"""Lines of one report that are kept; more are counted, so that a dump's memory stays what it is."""

_CONTROL_TYPES: Final = load_program("control_record").enums["control_record::control_type"].members
_CHUNK_ENTRIES: Final = 1 << 16
_BASE_OFFSET: Final = re.compile(r"[+-]?\d+")


# What is to be dumped


@dataclass(frozen=True, slots=True)
class Options:
    """What to print; the names up to ``max_bytes`` are the tool's.

    ``deep_iteration`` is implied by ``print_data_log``. The ranges take an offset or a timestamp (ms) from the first
    (inclusive) to the second (exclusive), None for no bound: records outside of them are left out, batches of which
    nothing remains, index entries, and transactions with no offset inside.
    """

    print_data_log: bool = False
    deep_iteration: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    skip_record_metadata: bool = False
    max_bytes: int = MAX_BYTES
    from_offset: int | None = None
    to_offset: int | None = None
    since_ms: int | None = None
    until_ms: int | None = None

    @property
    def is_deep(self) -> bool:
        return self.deep_iteration or self.print_data_log

    @property
    def has_range(self) -> bool:
        return self.has_offset_range or self.has_time_range

    @property
    def has_offset_range(self) -> bool:
        return self.from_offset is not None or self.to_offset is not None

    @property
    def has_time_range(self) -> bool:
        return self.since_ms is not None or self.until_ms is not None

    def has_offset(self, offset: int) -> bool:
        return _within(offset, self.from_offset, self.to_offset)

    def has_timestamp(self, timestamp_ms: int) -> bool:
        return _within(timestamp_ms, self.since_ms, self.until_ms)


def _within(value: int, start: int | None, end: int | None) -> bool:
    return (start is None or value >= start) and (end is None or value < end)


@dataclass
class _Pairs:
    """The pairs of one report for one file, the first `KEPT_REPORTS` of them."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    more: int = 0

    def add(self, first: int, second: int) -> None:
        if len(self.pairs) < KEPT_REPORTS:
            self.pairs.append((first, second))
        else:
            self.more += 1


class Report:
    """What is wrong, but no reason to stop: the tool's reports, and damage.

    ``on_damage`` is called with each error at the moment it is met; `lines` gives the tool's reports when all files are
    done, in its words and order.
    """

    def __init__(self, on_damage: Callable[[DataError], None]) -> None:
        self.on_damage = on_damage
        self.mismatches: dict[str, _Pairs] = {}
        self.timestamp_mismatches: dict[str, _Pairs] = {}
        self.out_of_order: dict[str, _Pairs] = {}
        self.not_found: dict[str, _Pairs] = {}
        self.non_consecutive: dict[str, _Pairs] = {}

    def lines(self) -> Iterator[str]:
        """The reports as the tool prints them on standard error."""
        # The tool keeps the first and the last kind in sorted maps, where a later pair with the same first number
        # takes the earlier one's place.
        for pairs in self.mismatches.values():
            pairs.pairs = sorted(dict(pairs.pairs).items(), reverse=True)
        for pairs in self.non_consecutive.values():
            pairs.pairs = sorted(dict(pairs.pairs).items())
        yield from _report(self.mismatches, "Mismatches in :{}", "  Index offset: {}, log offset: {}")
        head = "Found timestamp mismatch in :{}"
        yield from _report(self.timestamp_mismatches, head, "  Index timestamp: {}, log timestamp: {}")
        head = "Found out of order timestamp in :{}"
        yield from _report(self.out_of_order, head, "  Index timestamp: {}, Previously indexed timestamp: {}")
        head = "The following indexed offsets are not found in :{}"
        yield from _report(self.not_found, head, "Indexed offset: {}, found log offset: {}")
        yield from _report(self.non_consecutive, "Non-consecutive offsets in {}", "  {} is followed by {}")


def _report(found: dict[str, _Pairs], head: str, line: str) -> Iterator[str]:
    for path, pairs in found.items():
        yield head.format(path)
        for pair in pairs.pairs:
            yield line.format(*pair)
        if pairs.more:
            yield f"  and {pairs.more} more"


# What is read


class LogStart(NamedTuple):
    """The base offset that a `.log` has in its name."""

    base_offset: int


class SnapshotStart(NamedTuple):
    """What a `.checkpoint` has in its name; None and None in the name of the bootstrap snapshot."""

    end_offset: int | None
    epoch: int | None


class RecordOf(NamedTuple):
    """A record with the batch it lies in; ``control`` is (key, value) as the codec sees them, in a control batch.

    The value is None where the record has none or its type is not declared; ``control`` is None where it is damaged.
    ``crc`` and ``is_valid`` are a message's own, in magic 0 and 1; else None.
    """

    batch: AnyBatch
    record: Record
    control: tuple[Any, Any] | None = None
    crc: int | None = None
    is_valid: bool | None = None


class TrailingBytes(NamedTuple):
    """Bytes at the end of a `.log` that are no batch."""

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
    """An entry of a `.snapshot`: what a partition knows of a producer; -1 where it does not."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int
    current_txn_first_offset: int


class SidecarFile(NamedTuple):
    """What a text file beside the logs says; ``name`` is the file's."""

    name: str
    value: sidecars.Sidecar


class Remark(NamedTuple):
    """Something said of the whole file: ``kind`` is ``empty`` or ``sane``."""

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

_SUFFIXES: Final = tuple(f".{suffix}" for suffix in KINDS)


def items(path: str | os.PathLike[str], options: Options, report: Report, *, source: Any = None) -> Iterator[Item]:
    """What one file holds, in order; what the file is, its name says: `.log`, `.index`, `.timeindex`, `.txnindex`,
    `.snapshot` (of producers), `.checkpoint` (of KRaft metadata), or one of those that `kformat.sidecars` reads.

    Args:
        path: the file; its name begins with the base offset.
        options: see `Options`.
        report: gets damage and inconsistencies.
        source: what to read instead of ``path`` (see `kformat.source.ByteSource`).

    Raises:
        UsageError: a file of another kind, or an index whose name holds no base offset.
        OSError: the file cannot be read.
    """
    name = base_name(path)
    with ByteSource(os.fspath(path) if source is None else source, os.fspath(path)) as opened:
        match _suffix(name):
            case ".log":
                base_offset = _base_offset(name)
                yield from _log(opened, None if base_offset is None else LogStart(base_offset), options, report)
            case ".checkpoint":
                yield from _log(opened, _snapshot_start(name), options, report)
            case ".index" | ".timeindex":
                base_offset = _base_offset(name)
                if base_offset is None:
                    raise UsageError(f"{path}: the name of an index begins with the base offset of its segment")
                yield from _index(opened, place(path), base_offset, options, report)
            case ".txnindex":
                yield from _transaction_index(opened, options, report)
            case ".snapshot":
                yield from _producer_snapshot(opened, report)
            case _ if sidecars.is_sidecar(name):
                yield from _sidecar(opened, name, report)
            case _:
                raise UsageError(f"{path}: no file of a kind that can be dumped ({', '.join(_SUFFIXES)})")


def is_known(path: str | os.PathLike[str]) -> bool:
    """Whether `items` takes a file of this name; the tool passes over the others, and over text files, as unknown."""
    name = base_name(path)
    return _suffix(name) in _SUFFIXES or sidecars.is_sidecar(name)


def _suffix(name: str) -> str:
    return name[name.rfind(".") :] if "." in name else ""


def _base_offset(name: str) -> int | None:
    number = name.partition(".")[0]
    found = int(number) if _BASE_OFFSET.fullmatch(number) else None
    return found if found is not None and -(2**63) <= found < 2**63 else None


def _snapshot_start(name: str) -> SnapshotStart | None:
    """What the name of a metadata snapshot says (Snapshots.parse); None where it is not one of Kafka's."""
    if name == "bootstrap.checkpoint":
        return SnapshotStart(None, None)
    found = parse_file_name(name)
    return None if found is None else SnapshotStart(found.offset, found.epoch)


# A log, or a metadata snapshot, which is made like one


def _log(source: ByteSource, start: Item | None, options: Options, report: Report) -> Iterator[Item]:
    if start is not None:
        yield start
    walk = Walk(source, 0, options.max_bytes if options.max_bytes < MAX_BYTES else None)
    previous_offset = -1
    for frame in walk:
        batch = _batch(source, frame, report)
        for item in () if batch is None else _of_batch(batch, options, report):
            if isinstance(item, RecordOf):
                if item.record.offset != previous_offset + 1 and not options.has_range:
                    pairs = report.non_consecutive.setdefault(absolute(source.name), _Pairs())
                    pairs.add(previous_offset, item.record.offset)
                previous_offset = item.record.offset
            yield item
    left = walk.end - walk.position
    if walk.problem is not None and not isinstance(walk.problem, TruncatedError) and left > PEEK_BYTES:
        report.on_damage(walk.problem)
    if left > 0 and options.max_bytes == MAX_BYTES:
        yield TrailingBytes(walk.position, left)


def _batch(source: ByteSource, frame: Frame, report: Report) -> AnyBatch | None:
    try:
        return read_batch(source, frame, DEFAULT_INFLATE_LIMIT)
    except DataError as error:
        report.on_damage(error)
        return None


def _of_batch(batch: AnyBatch, options: Options, report: Report) -> Iterator[Item]:
    """The batch and the records of it that are wanted; nothing where none is."""
    if not _may_hold(batch, options):
        return
    told = not options.has_time_range or (not options.is_deep and _is_told_by_header(batch, options))
    if told:
        yield batch
        if not options.is_deep:
            return
    for item in _records(batch, options, report):
        if options.has_offset(item.record.offset) and options.has_timestamp(item.record.timestamp):
            if not told:
                yield batch
                told = True
            if not options.is_deep:
                return
            yield item


def _may_hold(batch: AnyBatch, options: Options) -> bool:
    """False where it is ruled out, without a look at the records, that one lies in the ranges."""
    if options.from_offset is not None and batch.last_offset < options.from_offset:
        return False
    if options.to_offset is not None and _begins_behind(batch, options.to_offset):
        return False
    return options.since_ms is None or batch.max_timestamp >= options.since_ms


def _begins_behind(batch: AnyBatch, offset: int) -> bool:
    """Whether there is nothing in front of an offset; False where that lies in a wrapper that cannot be inflated."""
    try:
        return batch.base_offset >= offset
    except DataError:  # told when the messages are read
        return False


def _is_told_by_header(batch: AnyBatch, options: Options) -> bool:
    """True where the header alone says that a record lies in the range of time: the one with the largest timestamp."""
    has_records = isinstance(batch, LegacyBatch) or batch.records_count > 0
    return not options.has_offset_range and has_records and options.has_timestamp(batch.max_timestamp)


def _records(batch: AnyBatch, options: Options, report: Report) -> Iterator[RecordOf]:
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


def _index(source: ByteSource, path: Path, base_offset: int, options: Options, report: Report) -> Iterator[Item]:
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


def _slots(source: ByteSource, dtype: np.dtype[Any], start: int, count: int) -> EntryArray:
    """Slots ``start`` to ``start + count - 1`` of an index, entries or padding; fewer where the file has shrunk."""
    data = source.read_at(start * dtype.itemsize, count * dtype.itemsize)
    return np.frombuffer(data, dtype, count=len(data) // dtype.itemsize)


def _entries(source: ByteSource, dtype: np.dtype[Any], count: int) -> Iterator[np.void]:
    """The slots that the tool prints: up to the first, other than the very first, that holds the base offset."""
    for start in range(0, count, _CHUNK_ENTRIES):
        slots = _slots(source, dtype, start, min(_CHUNK_ENTRIES, count - start))
        for number, slot in enumerate(slots, start):
            if number and not slot["relative_offset"]:
                return
            yield slot


def _insanity(source: ByteSource, dtype: np.dtype[Any], count: int) -> InvalidError | None:
    """What AbstractIndex.sanityCheck would refuse, by all slots of the file."""
    if count:
        first, last = _slots(source, dtype, 0, 1)[0], _slots(source, dtype, count - 1, 1)[0]
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


def _judge(path: Path, base_offset: int, is_time: bool, report: Report) -> _Judge | None:
    """What holds the entries against the `.log` beside the index; None where there is no log.

    Beside an empty log an offset index is not judged: it is zeros, on which the tool dies.
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
    """Holds index entries against the log, for the tool's reports."""

    def __init__(
        self, log: ByteSource, path: str, base_offset: int, report: Report, offset_entries: EntryArray | None
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
                    "an entry points to no batch", source=self.path, path="offset_index.entries", found=tuple(entry)
                )
            )
        elif batch.last_offset != entry.offset:
            self.report.mismatches.setdefault(self.absolute, _Pairs()).add(entry.offset, batch.last_offset)

    def time_entry(self, entry: TimeIndexEntry) -> None:
        batch = next((batch for batch in self.from_floor(entry) if batch.last_offset >= entry.offset), None)
        if batch is None or batch.last_offset != entry.offset:
            found = -1 if batch is None else batch.last_offset
            self.report.not_found.setdefault(self.absolute, _Pairs()).add(entry.offset, found)
            return
        self.found_position = batch.position
        # Where the header agrees with the entry, the records are not asked, if there are any: of a batch that the
        # cleaner has emptied the tool says -1, though the entry is right.
        is_empty = isinstance(batch, Batch) and not batch.records_count
        if is_empty or batch.max_timestamp != entry.timestamp:
            largest = self.largest_timestamp(batch)
            if largest != entry.timestamp:
                self.report.timestamp_mismatches.setdefault(self.absolute, _Pairs()).add(entry.timestamp, largest)
        previous = -1 if self.previous is None else self.previous.timestamp
        if previous >= entry.timestamp:
            self.report.out_of_order.setdefault(self.absolute, _Pairs()).add(entry.timestamp, previous)

    def from_floor(self, entry: TimeIndexEntry) -> Iterator[AnyBatch]:
        """The batches from the floor of the entry's offset on, or from where the entry before was found."""
        position = 0
        if self.offset_entries is not None:
            position = floor_offset_entry(self.offset_entries, entry.offset, base_offset=self.base_offset).position
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


def _transaction_index(source: ByteSource, options: Options, report: Report) -> Iterator[TransactionIndexEntry]:
    """The entries; one of a version that nobody knows is told, and shown as if its fields lay where they always do."""
    slot_layout = layout("transaction_index::entry")
    count = source.size // slot_layout.size
    for start in range(0, count, _CHUNK_ENTRIES):
        slots = _slots(source, slot_layout.dtype, start, min(_CHUNK_ENTRIES, count - start))
        for number, slot in enumerate(slots, start):
            entry = TransactionIndexEntry(*slot.item())
            if entry.version:
                at = number * slot_layout.size + slot_layout.position("version")
                path = f"transaction_index.entries[{number}].version"
                message = "a version that nobody knows"
                report.on_damage(
                    InvalidError(message, source=source.name, position=at, path=path, expected=0, found=entry.version)
                )
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
    is_behind = options.from_offset is None or entry.last_offset >= options.from_offset
    return is_behind and (options.to_offset is None or entry.first_offset < options.to_offset)


def _producer_snapshot(source: ByteSource, report: Report) -> Iterator[ProducerSnapshotEntry]:
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


def _sidecar(source: ByteSource, name: str, report: Report) -> Iterator[SidecarFile]:
    try:
        # One byte above the limit is enough to be refused.
        data = source.read_at(0, sidecars.DEFAULT_LIMIT_BYTES + 1)
        yield SidecarFile(name, sidecars.parse_sidecar(name, data, source=source.name))
    except DataError as error:
        report.on_damage(error)


# As text


def text_lines(found: Iterable[Item], shown_path: str, options: Options) -> Iterator[str]:
    """The lines, without line ends, that the tool prints for what `items` found in the file it calls ``shown_path``."""
    for item in found:
        match item:
            case LogStart():
                yield f"Log starting offset: {item.base_offset}"
            case SnapshotStart(None):
                yield "KRaft bootstrap snapshot"
            case SnapshotStart():
                yield f"Snapshot end offset: {item.end_offset}, epoch: {item.epoch}"
            case Batch():
                yield _batch_line(item)
            case LegacyBatch():
                yield f"offset: {item.last_offset}{_common_text(item)}"
            case RecordOf():
                yield _record_line(item, options)
            case TrailingBytes():
                yield f"Found {item.size} invalid bytes at the end of {base_name(shown_path)}"
            case OffsetIndexEntry():
                yield f"offset: {item.offset} position: {item.position}"
            case TimeIndexEntry():
                yield f"timestamp: {item.timestamp} offset: {item.offset}"
            case TransactionIndexEntry():
                yield (
                    f"version: {item.version} producerId: {item.producer_id} firstOffset: {item.first_offset}"
                    f" lastOffset: {item.last_offset} lastStableOffset: {item.last_stable_offset}"
                )
            case ProducerSnapshotEntry():
                yield _producer_line(item)
            case SidecarFile():
                yield from sidecars.text_lines(item.name, item.value)
            case Remark("empty"):
                yield f"{shown_path} is empty."
            case Remark():
                yield f"{shown_path} passed sanity check."


def shown_path(path: str) -> str:
    """A path as java.io.File prints it: no double slashes, none at the end. An address, which it knows nothing of, is
    as it was given."""
    if is_address(path):
        return path
    short = re.sub("/+", "/", path)
    return short if short == "/" else short.rstrip("/")


def java_text(data: bytes) -> str:
    """Text as Java's ``new String(bytes, UTF_8)`` reads it.

    Malformed bytes become U+FFFD one by one as in Python, except an encoded surrogate, whole or cut off: Python takes
    each of its bytes for an error of its own, Java all of them for one.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _ENCODED_SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


_ENCODED_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def _java_key(key: str) -> str:
    """A header's key as Java reads it; kformat keeps bytes that are no UTF-8 as lone surrogates."""
    return key if key.isascii() else java_text(key.encode("utf-8", "surrogateescape"))


def _java_boolean(value: bool) -> str:
    return "true" if value else "false"


def _java_optional(value: int | None) -> str:
    return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"


def _producer_line(entry: ProducerSnapshotEntry) -> str:
    first_offset = entry.current_txn_first_offset
    line = (
        f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch}"
        f" coordinatorEpoch: {entry.coordinator_epoch}"
        f" currentTxnFirstOffset: {_java_optional(first_offset if first_offset >= 0 else None)}"
        f" lastTimestamp: {entry.timestamp}"
    )
    if entry.last_offset < 0:
        return line
    return (
        f"{line} firstSequence: {subtract_sequence(entry.last_sequence, entry.offset_delta)}"
        f" lastSequence: {entry.last_sequence} lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta}"
        f" timestamp: {entry.timestamp}"
    )


def _batch_line(batch: Batch) -> str:
    return (
        f"baseOffset: {batch.base_offset} lastOffset: {batch.last_offset} count: {batch.records_count}"
        f" baseSequence: {batch.base_sequence} lastSequence: {batch.last_sequence}"
        f" producerId: {batch.producer_id} producerEpoch: {batch.producer_epoch}"
        f" partitionLeaderEpoch: {batch.partition_leader_epoch}"
        f" isTransactional: {_java_boolean(batch.is_transactional)} isControl: {_java_boolean(batch.is_control)}"
        f" deleteHorizonMs: {_java_optional(batch.delete_horizon_ms)}"
        f"{_common_text(batch)}"
    )


def _common_text(batch: AnyBatch) -> str:
    return (
        f" position: {batch.position} {TIMESTAMP_TYPE_LABELS[batch.timestamp_type]}: {batch.max_timestamp}"
        f" size: {batch.size}"
        f" magic: {batch.magic} compresscodec: {batch.compression_name} crc: {batch.crc}"
        f" isvalid: {_java_boolean(batch.is_valid)}"
    )


def _record_line(item: RecordOf, options: Options) -> str:
    batch, record = item.batch, item.record
    parts = []
    if not options.skip_record_metadata:
        parts.append(
            f"| offset: {record.offset} {TIMESTAMP_TYPE_LABELS[batch.timestamp_type]}: {record.timestamp}"
            f" keySize: {_size(record.key)} valueSize: {_size(record.value)} "
        )
        if item.is_valid is None:
            keys = ",".join(_java_key(key) for key, _ in record.headers)
            parts.append(f"sequence: {record.sequence} headerKeys: [{keys}]")
        else:
            parts.append(f"isValid: {_java_boolean(item.is_valid)} crc: {item.crc}")
        if item.control is not None:
            parts.append(_control_text(*item.control))
    if options.print_data_log and not batch.is_control:
        # With the metadata left out the bar stands before what comes first.
        if record.key is not None:
            parts.append(f"{'' if parts else '|'} key: {java_text(record.key)}")
        if record.value is not None:
            parts.append(f"{'' if parts else '|'} payload: {java_text(record.value)}")
    return "".join(parts)


def _size(data: bytes | None) -> int:
    return -1 if data is None else len(data)


def _control_text(key: Any, value: Any) -> str:
    name = _CONTROL_TYPES.get(int(key.type))
    if value is None or name is None:
        return f" controlType: {(name or 'unknown').upper()}({int(key.type)})"
    if name in ("abort", "commit"):
        return f" endTxnMarker: {name.upper()} coordinatorEpoch: {value.coordinator_epoch}"
    return f" {_CONTROL_LABELS[name]} {_message_text(value)}"


_CONTROL_LABELS: Final = {
    "leader_change": "LeaderChange:",
    "snapshot_header": "SnapshotHeader",
    "snapshot_footer": "SnapshotFooter",
    "kraft_version": "KRaftVersion",
    "kraft_voters": "KRaftVoters",
}


def _message_text(value: Any) -> str:
    """A message of Kafka's as its JSON converters write it: fields in order, without lengths and tagged fields."""
    match value:
        case Value():
            fields = {
                _camel(field.original_id or field.name): getattr(value, field.name)
                for field in value._type.fields
                if not field.computed and field.name != "tags"
            }
            inside = ",".join(f'"{name}":{_message_text(it)}' for name, it in fields.items() if it is not None)
            return f"{{{inside}}}"
        case list():
            return f"[{','.join(map(_message_text, value))}]"
        case bytes():  # a UUID; Kafka writes it so
            return f'"{base64.urlsafe_b64encode(value).decode().rstrip("=")}"'
        case str():
            return f'"{_JSON_ESCAPED.sub(_json_escape, _java_key(value))}"'
        case _:
            return str(int(value))


_JSON_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_JSON_SHORT: Final = {'"': r"\"", "\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def _json_escape(found: re.Match[str]) -> str:
    """One character as Jackson writes it: digits in capitals, where Python's are small."""
    return _JSON_SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}"


def _camel(name: str) -> str:
    return name[:1].lower() + name[1:]


# As objects


def objects(found: Iterable[Item], path: str, options: Options) -> Iterator[dict[str, Any]]:
    """What `items` found as flat dictionaries for JSON: ``kind`` says what, ``file`` where; bytes stay bytes.

    Kinds: ``log``, ``metadata_snapshot``, ``batch``, ``record``, ``trailing_bytes``, ``offset_index_entry``,
    ``time_index_entry``, ``transaction_index_entry``, ``producer_snapshot_entry``, ``empty``, ``sane``, and those of
    `kformat.sidecars.objects`. Names are those of the declarations; integers are exact.

    An entry of magic 0 or 1 is a ``batch``, too. What it does not have is None, or the -1 that Kafka gives it; what
    lies compressed in a wrapper (``base_offset``, ``records_count``) is None.
    """
    for item in found:
        match item:
            case Batch() | LegacyBatch():
                yield {"kind": "batch", "file": path, **_batch_object(item)}
            case RecordOf():
                yield {"kind": "record", "file": path, **_record_object(item, options)}
            case SidecarFile():
                for found_object in sidecars.objects(item.name, item.value):
                    yield {"kind": found_object["kind"], "file": path, **found_object}
            case Remark():
                yield {"kind": item.kind, "file": path}
            case _:
                yield {"kind": _KINDS[type(item)], "file": path, **item._asdict()}


_KINDS: Final = {
    LogStart: "log",
    SnapshotStart: "metadata_snapshot",
    TrailingBytes: "trailing_bytes",
    OffsetIndexEntry: "offset_index_entry",
    TimeIndexEntry: "time_index_entry",
    TransactionIndexEntry: "transaction_index_entry",
    ProducerSnapshotEntry: "producer_snapshot_entry",
}
_TIMESTAMP_TYPES: Final = load_program("record_batch").enums["record_batch::timestamp_type"].members


def _batch_object(batch: AnyBatch) -> dict[str, Any]:
    is_legacy = isinstance(batch, LegacyBatch)
    is_wrapper = is_legacy and batch.compression != 0
    return {
        "position": batch.position,
        "size": batch.size,
        "base_offset": None if is_wrapper else batch.base_offset,
        "last_offset": batch.last_offset,
        "records_count": None if is_wrapper else batch.records_count,
        "partition_leader_epoch": batch.partition_leader_epoch,
        "magic": batch.magic,
        "crc": batch.crc,
        "is_valid": batch.is_valid,
        "compression": batch.compression_name,
        "timestamp_type": _TIMESTAMP_TYPES.get(batch.timestamp_type),
        "is_transactional": batch.is_transactional,
        "is_control": batch.is_control,
        "delete_horizon_ms": batch.delete_horizon_ms,
        "base_timestamp": None if is_legacy else batch.base_timestamp,
        "max_timestamp": batch.max_timestamp,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
    }


def _record_object(item: RecordOf, options: Options) -> dict[str, Any]:
    record = item.record
    found: dict[str, Any] = {
        "batch_position": item.batch.position,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "timestamp_type": _TIMESTAMP_TYPES.get(record.timestamp_type),
        "sequence": record.sequence,
        "key_size": _size(record.key),
        "value_size": _size(record.value),
    }
    if item.is_valid is not None:
        found["crc"], found["is_valid"] = item.crc, item.is_valid
    if item.control is not None:
        key, value = item.control
        found["control_type"] = _CONTROL_TYPES.get(int(key.type), int(key.type))
        found["control"] = None if value is None else value._asdict()
    if options.print_data_log:
        found["key"], found["value"] = record.key, record.value
        found["headers"] = [{"key": key, "value": value} for key, value in record.headers]
    else:
        found["header_keys"] = [key for key, _ in record.headers]
    return found

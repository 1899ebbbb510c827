"""Kafka's two lookups over a log's segments, by offset and by timestamp, with the steps they took as data.

Pure: this module asks segments for their index entries and batches (`SegmentLike` below) and opens no file itself.
Sources: Kafka's UnifiedLog.fetchOffsetByTimestamp, LogSegment.findOffsetByTimestamp and translateOffset,
FileRecords.searchForTimestamp.

By offset: the segment with the largest base offset not above the target; the floor entry of its offset index; from that
position the first batch whose last offset is not below the target; in it the first record not below the target. If a
batch, or the rest of a segment, holds no such record (compaction leaves gaps), the search continues after it.

By timestamp: (1) the first segment, by base offset, whose largest timestamp is not below the target; (2) in it the
floor entry of the time index, the floor entry of the offset index for that entry's offset, and from there the first
record, in log order, that is neither older than the target nor below the log start offset. If (2) finds nothing, (1) is
not repeated. The largest timestamp of a segment is that of its last time entry if it is 0 or above, and otherwise the
time its `.log` was last modified.

kformat differs from Kafka in three ways, which change no answer on sound files:

* The last segment is searched whatever its time index says. A broker knows the largest timestamp of the segment it
  writes to from memory; on disk the time index lags behind the log until the segment is closed.
* If an index was not closed cleanly, only entries that the log confirms are used (`SegmentLike.indexes`,
  `kformat.kafka.index.index_trust`). A broker knows from memory how many of the slots are entries; on disk stale ones
  may follow them.
* An index is a hint. If the batch at an entry's position begins above the entry's offset, or cannot be read, the entry
  is ignored, and the scan begins at the start of the segment. Kafka would miss records.

In a tiered log the segments here are the local ones, and ``remote_offsets`` are those between the log's start and
theirs (`kformat.kafka.log.partition.Partition.remote_offsets`). For a lookup by time a broker searches remote segments
first, in the first one whose largest timestamp is not below the target (RemoteLogManager.findOffsetByTimestamp). Local
files do not bound the timestamps of remote records, so every answer for a time says that it may be another one. The
largest timestamp is that of the local segments, for a broker, too.

The leader epochs of the log's start and end come from the broker's cache, leader-epoch-checkpoint, if it is given: the
last epoch that begins at or below the start, and the last of all (UnifiedLog.fetchOffsetByTimestamp).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from kformat.errors import DataError, RemoteOffsetError, TruncatedError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.few_records import stamp_from
from kformat.kafka.batch.records import Batch as CurrentBatch
from kformat.kafka.index.index_trust import Indexes
from kformat.kafka.index.indexing import (
    Comparisons,
    OffsetEntry,
    TimeEntry,
    floor_offset_entry,
    floor_time_entry,
    offset_entry,
    time_entry,
)

LATEST_TIMESTAMP: Final = -1
EARLIEST_TIMESTAMP: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL_TIMESTAMP: Final = -4
"""Targets below 0 have special meanings, as in Kafka's ListOffsets request."""

Epochs = Sequence[tuple[int, int]]
"""Leader epochs and their start offsets, in order, as in a partition's leader-epoch-checkpoint."""


# Input of a lookup


class RecordLike(Protocol):
    """A record as `kformat.kafka.batch.records` reads it; timestamp in ms, -1 for none."""

    @property
    def offset(self) -> int: ...
    @property
    def timestamp(self) -> int: ...


class BatchLike(Protocol):
    """A batch as `kformat.kafka.batch.records` reads it; ``position`` is its start in the `.log`, bytes."""

    @property
    def position(self) -> int: ...
    @property
    def base_offset(self) -> int: ...
    @property
    def last_offset(self) -> int: ...
    @property
    def max_timestamp(self) -> int: ...
    @property
    def partition_leader_epoch(self) -> int: ...
    def records(self) -> Iterable[RecordLike]: ...


BatchT = TypeVar("BatchT", bound=BatchLike)
BatchT_co = TypeVar("BatchT_co", bound=BatchLike, covariant=True)


class SegmentLike(Protocol[BatchT_co]):
    """One segment of a log. ``name`` is the name of the `.log`, for messages."""

    @property
    def base_offset(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def last_modified_ms(self) -> int: ...
    def indexes(self) -> Indexes:
        """The trusted entries of both indexes; empty if there is no index."""
        ...

    def scan(self, position: int) -> Iterator[BatchT_co]:
        """The batches from the one that starts at ``position`` on; DataError if a batch cannot be read."""
        ...


class KeptSegment(Generic[BatchT_co]):
    """A segment whose index entries are read once, for one lookup or several."""

    def __init__(self, segment: SegmentLike[BatchT_co]) -> None:
        self._segment = segment
        self.base_offset, self.name, self.scan = segment.base_offset, segment.name, segment.scan

    @property
    def last_modified_ms(self) -> int:
        return self._segment.last_modified_ms

    @cached_property
    def _indexes(self) -> Indexes:
        return self._segment.indexes()

    def indexes(self) -> Indexes:
        """The segment's entries, read on the first call."""
        return self._indexes


# Steps of a lookup


@dataclass(frozen=True, slots=True)
class LookupStep:
    """One step of a lookup. ``kind`` names it, the fields hold the numbers, ``str()`` is a sentence."""

    kind: ClassVar[str]

    def as_dict(self) -> dict[str, Any]:
        """The kind and the fields, ready for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class SegmentByOffset(LookupStep):
    """The segment with the largest base offset not above the target was selected; ``next_base_offset`` bounds it."""

    kind: ClassVar[str] = "segment_by_offset"
    segment: str
    target: int
    base_offset: int
    next_base_offset: int | None

    def __str__(self) -> str:
        until = "it is the last segment" if self.next_base_offset is None else f"the next is {self.next_base_offset}"
        return f"{self.segment}: base offset {self.base_offset} is the largest not above {self.target} ({until})"


@dataclass(frozen=True, slots=True)
class SegmentByTimestamp(LookupStep):
    """A segment's largest timestamp was compared with the target.

    ``source`` says where it came from: ``time_index`` (its last entry), ``file_time`` (no entry: the time of the last
    modification), ``last_segment`` (selected whatever its index says) or ``batches`` (read from the log, because the
    index was not closed). ``target`` is None in a lookup of the largest timestamp.
    """

    kind: ClassVar[str] = "segment_by_timestamp"
    segment: str
    target: int | None
    largest_timestamp: int
    source: str
    chosen: bool

    def __str__(self) -> str:
        text = f"{self.segment}: "
        match self.source:
            case "file_time":
                text += f"no timestamp in the time index, last modified at {self.largest_timestamp}"
            case "last_segment":
                return text + "the last segment is always searched, because its time index may lag behind"
            case "batches":
                text += f"largest timestamp {self.largest_timestamp}, read from its batches"
            case _:
                text += f"largest timestamp {self.largest_timestamp}"
        if self.target is None:
            return text + (", the largest of all" if self.chosen else "")
        return text + (f", not below {self.target}: search here" if self.chosen else f" < {self.target}: passed over")


@dataclass(frozen=True, slots=True)
class IndexFloor(LookupStep):
    """The floor entry of an index was looked up.

    ``index`` is ``offset_index`` or ``time_index``. ``entry_number`` counts from 0 and is -1 if no entry is as low as
    the target. ``entry`` is [offset, position] or [timestamp, offset], absolute, and the default if there is none.
    ``compared`` lists the entries that the binary search read: (number, offset or timestamp), in order.
    """

    kind: ClassVar[str] = "index_floor"
    segment: str
    index: str
    target: int
    entry_count: int
    entry_number: int
    entry: tuple[int, int]
    compared: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        index = self.index.replace("_", " ")
        key, value = self.entry
        text = f"{self.segment}, {index}: "
        if not self.entry_count:
            return text + f"no entries, so [{key}, {value}]"
        compared = ", ".join(f"{probe} (entry {number})" for number, probe in self.compared)
        text += f"{self.target} was compared with {compared}; "
        return text + ("floor entry" if self.entry_number >= 0 else "no entry is that low, so") + f" [{key}, {value}]"


@dataclass(frozen=True, slots=True)
class EntriesDisregarded(LookupStep):
    """Some entries of a segment's indexes, which were not closed, were ignored: the log does not confirm them."""

    kind: ClassVar[str] = "entries_disregarded"
    segment: str
    offset_entry_count: int
    time_entry_count: int

    def __str__(self) -> str:
        counts = ((self.offset_entry_count, "offset index"), (self.time_entry_count, "time index"))
        phrases = [f"{count} {'entry' if count == 1 else 'entries'} of the {index}" for count, index in counts if count]
        return f"{self.segment}: the log does not confirm {' and '.join(phrases)} (left by a truncation?); not used"


@dataclass(frozen=True, slots=True)
class IndexDisregarded(LookupStep):
    """The log contradicts an index entry; the batch at its position begins at ``found_offset``, None: no batch."""

    kind: ClassVar[str] = "index_disregarded"
    segment: str
    entry: tuple[int, int]
    found_offset: int | None

    def __str__(self) -> str:
        offset, position = self.entry
        what = (
            "no batch can be read" if self.found_offset is None else f"a batch with offset {self.found_offset} begins"
        )
        return f"{self.segment}: entry [{offset}, {position}] is wrong, {what} at {position}; scan from 0 instead"


@dataclass(frozen=True, slots=True)
class BrokerDiffers(LookupStep):
    """A broker that starts with these files answers ``offset`` (None: no record), because it skips the segment: it
    counts the zeros at the end of the time index as entries, and takes 0 for the largest timestamp.
    """

    kind: ClassVar[str] = "broker_differs"
    segment: str
    offset: int | None

    def __str__(self) -> str:
        answer = "no record" if self.offset is None else f"offset {self.offset}"
        return (
            f"{self.segment}: the time index ends with zeros; a broker that starts with it passes this segment over, "
            f"and answers {answer}"
        )


@dataclass(frozen=True, slots=True)
class BatchScan(LookupStep):
    """Batches were read from ``start_position`` on; the answer's batch is at ``found_position``, if any."""

    kind: ClassVar[str] = "scan"
    segment: str
    start_position: int
    batch_count: int
    found_position: int | None

    def __str__(self) -> str:
        plural = "" if self.batch_count == 1 else "es"
        text = f"{self.segment}: scanned {self.batch_count} batch{plural} from position {self.start_position}"
        return text + (", none has it" if self.found_position is None else f", found at {self.found_position}")


@dataclass(frozen=True, slots=True)
class CutOff(LookupStep):
    """The segment ends inside a batch, at ``position``; Kafka's reader ends there, too."""

    kind: ClassVar[str] = "cut_off"
    segment: str
    position: int | None

    def __str__(self) -> str:
        return f"{self.segment}: the batch at {self.position} is not all there, so the segment ends before it"


@dataclass(frozen=True, slots=True)
class Remote(LookupStep):
    """The log's offsets up to ``local_log_start_offset`` are in remote storage, also the wanted ``offset``. In a lookup
    by time ``offset`` is None, and the answer may be one of them.
    """

    kind: ClassVar[str] = "remote"
    log_start_offset: int
    local_log_start_offset: int
    offset: int | None = None

    def __str__(self) -> str:
        return str(RemoteOffsetError(self.offset, self.log_start_offset, self.local_log_start_offset))


@dataclass(frozen=True, slots=True)
class NothingFound(LookupStep):
    """The lookup found no record: ``reason`` is a sentence; ``limit`` the offset that decided, if one did."""

    kind: ClassVar[str] = "outcome"
    reason: str
    limit: int | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a lookup, and its steps.

    Attributes:
        offset, timestamp: of the record found (ms, -1 for none); both None if nothing was found.
        segment: name of its `.log`; position: start of its batch there, bytes.
        leader_epoch: of its batch; None if the batch has none. For the log's start and end it comes from the epoch
            cache.
        is_remote: the requested offset, or the log's start, is in remote storage: there is no segment or position.
        may_be_remote: in a lookup by time, a record in remote storage may be the right answer instead.
        steps: what was done, in order.
    """

    steps: tuple[LookupStep, ...]
    offset: int | None = None
    timestamp: int | None = None
    segment: str | None = None
    position: int | None = None
    leader_epoch: int | None = None
    is_remote: bool = False
    may_be_remote: bool = False

    @property
    def found(self) -> bool:
        return self.offset is not None

    def explain(self) -> str:
        """The steps as sentences, one a line."""
        return "\n".join(str(step) for step in self.steps)


# Remote storage

NOT_TIERED: Final = range(0)
"""The ``remote_offsets`` of a log that is not tiered."""


def refuse_remote(remote_offsets: range, start_offset: int | None, end_offset: int | None, source: str = "") -> None:
    """Raise RemoteOffsetError if a range of wanted offsets includes some in remote storage.

    Without ``start_offset`` (inclusive) the range begins with the local part, unless ``end_offset`` (exclusive) is
    before that.
    """
    first = remote_offsets.start if start_offset is None else max(start_offset, remote_offsets.start)
    end = remote_offsets.stop if end_offset is None else min(end_offset, remote_offsets.stop)
    if first < end and (start_offset is not None or (end_offset is not None and end_offset <= remote_offsets.stop)):
        raise RemoteOffsetError(first, remote_offsets.start, remote_offsets.stop, source=source)


def _perhaps_remote(answer: Answer, remote_offsets: range) -> Answer:
    """The answer for a time, marked as uncertain if records in remote storage were not searched."""
    if not remote_offsets:
        return answer
    doubt = Remote(remote_offsets.start, remote_offsets.stop)
    return replace(answer, steps=(*answer.steps, doubt), may_be_remote=True)


# By offset


def find_offset(
    segments: Sequence[SegmentLike[BatchLike]],
    offset: int,
    *,
    log_start_offset: int | None = None,
    remote_offsets: range = NOT_TIERED,
) -> Answer:
    """The record with this offset, or the next existing one.

    ``segments`` are in the order of their base offsets. Nothing is found below the log start (the first base offset, or
    ``log_start_offset`` if that is higher), where Kafka raises OffsetOutOfRange, and after the last record; and nothing
    among ``remote_offsets``, where the answer has `is_remote`. Raises DataError if a batch on the way cannot be read.
    """
    steps: list[LookupStep] = []
    if not segments:
        return Answer((NothingFound("the log has no segments"),))
    if offset in remote_offsets:
        return Answer((Remote(remote_offsets.start, remote_offsets.stop, offset),), is_remote=True)
    start = remote_offsets.start if remote_offsets else _log_start(segments, log_start_offset)
    if offset < start:
        return Answer((NothingFound(f"offset {offset} is below the log start offset {start}", start),))
    number = bisect_right(segments, offset, key=lambda segment: segment.base_offset) - 1
    following = segments[number + 1].base_offset if number + 1 < len(segments) else None
    steps.append(SegmentByOffset(segments[number].name, offset, segments[number].base_offset, following))
    for segment in map(KeptSegment, segments[number:]):
        _tell_disregarded(segment, steps)
        answer = _search(segment, offset, steps, lambda batch: _first_from(batch, offset))
        if answer is not None:
            return answer
    steps.append(NothingFound(f"no segment holds a record at or after offset {offset}"))
    return Answer(tuple(steps))


def _tell_disregarded(segment: SegmentLike[BatchLike], steps: list[LookupStep]) -> None:
    indexes = segment.indexes()
    if indexes.offset_left_count or indexes.time_left_count:
        steps.append(EntriesDisregarded(segment.name, indexes.offset_left_count, indexes.time_left_count))


def _first_from(batch: BatchLike, offset: int) -> tuple[int, int] | None:
    if batch.last_offset < offset:
        return None
    return _first(batch, offset)


def _first(
    batch: BatchLike, first_offset: int, since_ms: int = MIN_INT64, until_ms: int = MAX_INT64
) -> tuple[int, int] | None:
    """Timestamp and offset of the first record in the ranges (inclusive); the batch's largest timestamp is in them."""
    if isinstance(batch, CurrentBatch):
        stamp = stamp_from(batch, first_offset, since_ms, until_ms)
        if stamp is not None:
            return stamp or None
    for record in batch.records():
        if record.offset >= first_offset and since_ms <= record.timestamp <= until_ms:
            return record.timestamp, record.offset
    return None


def batches_from(segment: SegmentLike[BatchT], offset: int, steps: list[LookupStep] | None = None) -> Iterator[BatchT]:
    """The segment's batches from the floor entry of its offset index for ``offset`` on.

    All batches before them are below ``offset``; the first ones returned may be, too. ``steps`` collects the steps.
    Raises DataError if a batch cannot be read.
    """
    steps = [] if steps is None else steps
    entry = _offset_floor(segment, offset, steps)
    if entry.number >= 0:
        batches: Iterator[BatchT] = iter(())
        try:
            if entry.position >= 0:
                batches = segment.scan(entry.position)
            first = next(batches, None)
        except DataError:
            first = None
        if first is not None and first.base_offset <= entry.offset:
            return chain((first,), batches)
        found_offset = None if first is None else first.base_offset
        steps.append(IndexDisregarded(segment.name, (entry.offset, entry.position), found_offset))
    return segment.scan(0)


def _whole_batches_from(segment: SegmentLike[BatchT], offset: int, steps: list[LookupStep]) -> Iterator[BatchT]:
    """As `batches_from`; an incomplete batch is the end of the segment, as for Kafka's reader."""
    try:
        yield from batches_from(segment, offset, steps)
    except TruncatedError as error:
        steps.append(CutOff(segment.name, error.position))


def _search(
    segment: SegmentLike[BatchLike],
    from_offset: int,
    steps: list[LookupStep],
    choose: Callable[[BatchLike], tuple[int, int] | None],
) -> Answer | None:
    """The first record that `choose` selects in a batch, from the batch that holds `from_offset` on."""
    count, start_position = 0, None
    for batch in _whole_batches_from(segment, from_offset, steps):
        count += 1
        start_position = batch.position if start_position is None else start_position
        stamp = choose(batch)
        if stamp is not None:
            steps.append(BatchScan(segment.name, start_position, count, batch.position))
            return _answer(steps, segment, batch, stamp[1], stamp[0])
    steps.append(BatchScan(segment.name, start_position or 0, count, None))
    return None


def _answer(
    steps: list[LookupStep], segment: SegmentLike[BatchLike], batch: BatchLike, offset: int, timestamp: int
) -> Answer:
    epoch = batch.partition_leader_epoch
    return Answer(tuple(steps), offset, timestamp, segment.name, batch.position, epoch if epoch >= 0 else None)


def _offset_floor(segment: SegmentLike[BatchLike], offset: int, steps: list[LookupStep]) -> OffsetEntry:
    entries, compared = segment.indexes().offset_entries, Comparisons()
    entry = floor_offset_entry(entries, offset, base_offset=segment.base_offset, compared=compared)
    steps.append(
        IndexFloor(segment.name, "offset_index", offset, len(entries), entry.number, entry[1:], tuple(compared))
    )
    return entry


def _log_start(segments: Sequence[SegmentLike[BatchLike]], log_start_offset: int | None) -> int:
    first = segments[0].base_offset
    return first if log_start_offset is None else max(first, log_start_offset)


# By timestamp


def find_timestamp(
    segments: Sequence[SegmentLike[BatchLike]],
    timestamp_ms: int,
    *,
    log_start_offset: int | None = None,
    remote_offsets: range = NOT_TIERED,
    epochs: Epochs = (),
) -> Answer:
    """The answer of Kafka's offsetsForTimes: a record's offset and its own timestamp (not the target).

    ``segments`` are in the order of their base offsets; ``log_start_offset`` is the log's checkpointed one, None for
    the first base offset. With ``remote_offsets`` the answer for a time has `may_be_remote`. The targets -1, -2, -3, -4
    (latest, earliest, max timestamp, earliest local) are delegated to their functions, with ``epochs``; UsageError for
    others below 0. Raises DataError if a batch on the way cannot be read.
    """
    if timestamp_ms == LATEST_TIMESTAMP:
        return find_latest(segments, epochs=epochs)
    if timestamp_ms in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
        remote_offsets = remote_offsets if timestamp_ms == EARLIEST_TIMESTAMP else NOT_TIERED
        return find_earliest(segments, log_start_offset=log_start_offset, remote_offsets=remote_offsets, epochs=epochs)
    if timestamp_ms == MAX_TIMESTAMP:
        return find_max_timestamp(segments)
    if timestamp_ms < 0:
        raise UsageError(
            f"{timestamp_ms} is not a timestamp; -1 is latest, -2 earliest, -3 the largest timestamp, -4 earliest local"
        )
    if not segments:
        return Answer((NothingFound("the log has no segments"),))
    start = _log_start(segments, log_start_offset)
    steps: list[LookupStep] = []
    number, segment = _segment_for(segments, timestamp_ms, steps)
    _tell_disregarded(segment, steps)
    if segment.indexes().hides_from_brokers and timestamp_ms > 0:
        later = find_timestamp(segments[number + 1 :], timestamp_ms, log_start_offset=log_start_offset)
        others = [step.offset for step in later.steps if isinstance(step, BrokerDiffers)]
        steps.append(BrokerDiffers(segment.name, others[0] if others else later.offset))
    entry = _time_floor(segment, timestamp_ms, steps)
    answer = _search(
        segment, max(entry.offset, start), steps, lambda batch: _first_not_older(batch, timestamp_ms, start)
    )
    if answer is not None:
        return _perhaps_remote(answer, remote_offsets)
    reason = f"{segment.name} has no record from {timestamp_ms} on"
    if number + 1 < len(segments):
        reason += ", and later segments are not asked"
    steps.append(NothingFound(reason))
    return _perhaps_remote(Answer(tuple(steps)), remote_offsets)


def _segment_for(
    segments: Sequence[SegmentLike[BatchLike]], timestamp_ms: int, steps: list[LookupStep]
) -> tuple[int, SegmentLike[BatchLike]]:
    """The segment to search, and its number."""
    for number, candidate in enumerate(segments[:-1]):
        segment = KeptSegment(candidate)
        largest, source = largest_timestamp(segment)
        chosen = largest >= timestamp_ms
        steps.append(SegmentByTimestamp(segment.name, timestamp_ms, largest, source, chosen))
        if chosen:
            return number, segment
    segment = KeptSegment(segments[-1])
    largest, _ = largest_timestamp(segment)
    steps.append(SegmentByTimestamp(segment.name, timestamp_ms, largest, "last_segment", True))
    return len(segments) - 1, segment


def largest_timestamp(segment: SegmentLike[BatchLike]) -> tuple[int, str]:
    """A segment's largest timestamp, ms, and its source, see `SegmentByTimestamp`."""
    indexes = segment.indexes()
    if indexes.largest_timestamp is not None and indexes.largest_timestamp >= 0:
        return indexes.largest_timestamp, "batches"
    last = _last_time_entry(segment)
    return (last.timestamp, "time_index") if last.timestamp >= 0 else (segment.last_modified_ms, "file_time")


def _last_time_entry(segment: SegmentLike[BatchLike]) -> TimeEntry:
    entries = segment.indexes().time_entries
    if not len(entries):
        return TimeEntry(-1, -1, segment.base_offset)
    return time_entry(entries, len(entries) - 1, segment.base_offset)


def _time_floor(segment: SegmentLike[BatchLike], timestamp_ms: int, steps: list[LookupStep]) -> TimeEntry:
    entries, compared = segment.indexes().time_entries, Comparisons()
    entry = floor_time_entry(entries, timestamp_ms, base_offset=segment.base_offset, compared=compared)
    steps.append(
        IndexFloor(segment.name, "time_index", timestamp_ms, len(entries), entry.number, entry[1:], tuple(compared))
    )
    return entry


def _first_not_older(batch: BatchLike, timestamp_ms: int, start: int) -> tuple[int, int] | None:
    if batch.max_timestamp < timestamp_ms:
        return None
    return _first(batch, start, timestamp_ms)


# The other targets


def find_earliest(
    segments: Sequence[SegmentLike[BatchLike]],
    *,
    log_start_offset: int | None = None,
    remote_offsets: range = NOT_TIERED,
    epochs: Epochs = (),
) -> Answer:
    """The log start offset, timestamp -1: Kafka's answer for -2; without ``remote_offsets`` the local one, as for -4.

    Segment and position are those of the batch there; None if the log starts in remote storage. If no batch is left at
    or after it, the position is None. The epoch is the one in ``epochs`` at the log's start; without any, that of the
    batch.
    """
    if not segments:
        return Answer((NothingFound("the log has no segments"),))
    if remote_offsets:
        start = remote_offsets.start
        steps = Remote(start, remote_offsets.stop, start), NothingFound(f"the log starts at offset {start}", start)
        return Answer(steps, start, -1, leader_epoch=_epoch_at(epochs, start, None), is_remote=True)
    start = _log_start(segments, log_start_offset)
    answer = find_offset(segments, start)
    outcome = NothingFound(f"the log starts at offset {start}", start)
    name, epoch = answer.segment or segments[0].name, _epoch_at(epochs, start, answer.leader_epoch)
    return Answer((*answer.steps, outcome), start, -1, name, answer.position, epoch)


def _epoch_at(epochs: Epochs, offset: int, of_batch: int | None) -> int | None:
    """The epoch in a broker's cache for the log's start. The broker drops the entries below the start, and has none for
    a start below the first one.
    """
    return next((epoch for epoch, start in reversed(epochs) if start <= offset), None) if epochs else of_batch


def find_latest(segments: Sequence[SegmentLike[BatchLike]], *, epochs: Epochs = ()) -> Answer:
    """The log end offset (one after the last batch), timestamp -1: Kafka's answer for -1 for a log without replicas.

    The position is that of the last batch, None if the last segment has no batch. The epoch is the last of ``epochs``;
    without any, that of the last batch.
    """
    if not segments:
        return Answer((NothingFound("the log has no segments"),))
    segment, steps = KeptSegment(segments[-1]), list[LookupStep]()
    _tell_disregarded(segment, steps)
    entries = segment.indexes().offset_entries
    indexed = offset_entry(entries, len(entries) - 1, segment.base_offset).offset if len(entries) else None
    last, count, start_position = None, 0, 0
    for batch in _whole_batches_from(segment, segment.base_offset if indexed is None else indexed, steps):
        start_position = start_position if count else batch.position
        last, count = batch, count + 1
    steps.append(BatchScan(segment.name, start_position, count, None if last is None else last.position))
    end = segment.base_offset if last is None else last.last_offset + 1
    steps.append(NothingFound(f"the log ends before offset {end}", end))
    if last is None:
        answer = Answer(tuple(steps), end, -1, segment.name)
    else:
        answer = _answer(steps, segment, last, end, -1)
    return replace(answer, leader_epoch=epochs[-1][0]) if epochs else answer


def find_max_timestamp(segments: Sequence[SegmentLike[BatchLike]]) -> Answer:
    """The first record with the largest timestamp: Kafka's answer for -3; nothing if no record has a timestamp.

    The segment is the first of those with the largest last time entry. The last segment's is completed from its
    batches, because its time index may lag behind.
    """
    steps: list[LookupStep] = []
    best: tuple[int, TimeEntry] | None = None
    compared = []
    for number, segment in enumerate(map(KeptSegment, segments)):
        entry, source = _last_time_entry(segment), "time_index"
        if number == len(segments) - 1 or segment.indexes().largest_timestamp is not None:
            _tell_disregarded(segment, steps)
            for batch in _whole_batches_from(segment, entry.offset, []):
                if batch.max_timestamp > entry.timestamp:
                    entry = TimeEntry(-1, batch.max_timestamp, batch.last_offset)
                    source = "batches"
        compared.append((segment.name, entry, source))
        if entry.timestamp >= 0 and (best is None or entry.timestamp > best[1].timestamp):
            best = number, entry
    for number, (name, entry, source) in enumerate(compared):
        chosen = best is not None and number == best[0]
        steps.append(SegmentByTimestamp(name, None, entry.timestamp, source, chosen))
    if best is not None:
        best_segment, largest = KeptSegment(segments[best[0]]), best[1].timestamp
        answer = _search(best_segment, best[1].offset, steps, lambda batch: _first_at(batch, largest))
        if answer is not None:
            return answer
    steps.append(NothingFound("no record has a timestamp" if best is None else "its record is gone"))
    return Answer(tuple(steps))


def _first_at(batch: BatchLike, timestamp_ms: int) -> tuple[int, int] | None:
    if batch.max_timestamp != timestamp_ms:
        return None
    return _first(batch, MIN_INT64, timestamp_ms, timestamp_ms)


__all__ = [
    "EARLIEST_LOCAL_TIMESTAMP",
    "EARLIEST_TIMESTAMP",
    "LATEST_TIMESTAMP",
    "MAX_TIMESTAMP",
    "Answer",
    "Epochs",
    "find_timestamp",
    "largest_timestamp",
    "refuse_remote",
]

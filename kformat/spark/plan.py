"""Plan a read before anything is decoded: which partitions, from where to where, cut into tasks.

Rules:

* This module is independent of Spark and Arrow: a request in, plain picklable values out. ``source`` passes them to
  Spark.
* Planning reads names, sizes and indexes. Of logs it reads the beginning of a batch at each cut, because an index is a
  hint; the last few batches, if the end is requested; and what a lookup by timestamp reads.
* A split ends at the end of the file at planning time, so two runs of one plan read the same bytes of a segment that is
  still growing.
* Records before a log's start are deleted (`Partition.deleted_before`): rows begin at the start, unless they are
  requested. Rows that are batches, segments or index entries cover the files as they are.
* A split's positions in the file are coarse, its offsets are exact. The scan leaves out what a query's filters exclude;
  Spark applies its filters again.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from kformat.errors import DataError, RecordsDeletedError, UsageError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC, Walk
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.index.index_trust import Indexes
from kformat.kafka.index.indexing import EntryArray
from kformat.kafka.index.lookup import find_latest, find_timestamp
from kformat.kafka.log.partition import Partition, Segment, iter_partitions
from kformat.kafka.producers.isolation import Aborted
from kformat.spark.options import EARLIEST, INTERNAL_TOPICS, LATEST, Bound, Key, Request
from kformat.spark.tables import nearest
from kformat.storage.address import absolute, folder_of, real_path
from kformat.storage.byte_source import ByteSource

LOG: Final = logging.getLogger("kformat.spark")

_MIN, NO_END = -(1 << 63), 1 << 63
_OPENING_BYTES: Final = 1 << 20
"""The cost of opening a file, in bytes that a task could have read."""
_MOST_PARTS: Final = 100_000
"""The largest number of parts of one segment."""


@dataclass(frozen=True, slots=True)
class Split:
    """A part of one segment.

    Attributes:
        topic, partition: from the folder's name.
        base_offset: the segment's, from the file's name.
        log: absolute path or address of the segment's log; its indexes lie next to it.
        start, end: positions in the log, in bytes; ``end`` is exclusive.
        is_last: as far as is known no segment comes after it, so that somebody may be writing to it.
        start_offset, end_offset: of the records that belong to it; ``end_offset`` is exclusive.
        since_ms: older records are left out.
        aborted: transactions of which records are left out.
    """

    topic: str
    partition: int
    base_offset: int
    log: str
    start: int
    end: int
    is_last: bool = True
    start_offset: int = _MIN
    end_offset: int = NO_END
    since_ms: int | None = None
    aborted: Aborted | None = field(default=None, compare=False)

    @property
    def size_bytes(self) -> int:
        return self.end - self.start

    @property
    def has_range(self) -> bool:
        """Whether its offsets are limited, so that its bytes may hold others."""
        return self.start_offset > _MIN or self.end_offset < NO_END


Task = tuple[Split, ...]
"""The splits that one of Spark's partitions reads, in order."""


class Condition(NamedTuple):
    """A filter of a query: ``operator`` is one of ``_HOLDS``; for timestamps ``value`` is ms, rounded so that no row is
    left out that the filter selects."""

    column: str
    operator: str
    value: Any


_HOLDS: Final = {
    "=": lambda actual, value: actual == value,
    "!=": lambda actual, value: actual != value,
    "<": lambda actual, value: actual < value,
    "<=": lambda actual, value: actual <= value,
    ">": lambda actual, value: actual > value,
    ">=": lambda actual, value: actual >= value,
    "in": lambda actual, value: actual in value,
    "starts": lambda actual, value: actual.startswith(value),
    "ends": lambda actual, value: actual.endswith(value),
    "contains": lambda actual, value: value in actual,
}


class OffsetRange(NamedTuple):
    """Offsets, the second exclusive, and the oldest timestamp in ms."""

    start: int = _MIN
    end: int = NO_END
    since_ms: int | None = None


def plan(request: Request, conditions: Sequence[Condition] = ()) -> list[Task]:
    """Cut a request into tasks, in the order of topic, partition and offset. Without segments there are no tasks.

    A path is a log directory (partition folders in it), a partition folder, or one ``.log`` file. A partition that two
    paths lead to is read once. Folders of a log directory that are on their way out or in are skipped, as
    `partition.iter_partitions` does, and so are Kafka's internal topics; name either to read it.

    Raises:
        OSError: a path, or an index, cannot be read.
        UsageError: a topic or partition that there is not; a path that is a file and no ``.log``; offsets that lie in
            no file, unless ``failOnDataLoss`` is off; no record as new as a starting timestamp.
        DataError: an index, or what lies next to the logs for transactions, is damaged.
    """
    selected = partitions(request)
    warn_of_starts(selected, request)
    for bound in (request.start, request.end):
        check_all_are_named(bound, selected)
    splits: list[tuple[Split, Index]] = []
    for partition in selected:
        partition.require_logs()
        if partition.segments and _may_hold(partition, conditions):
            splits += splits_of(partition, request, _range(partition, request, conditions))
    return cut(splits, request)


def cut(splits: Sequence[tuple[Split, Index]], request: Request) -> list[Task]:
    """Cut splits, each with its segment's index, and pack them into tasks of about the requested size."""
    size = request.split_bytes
    if request.min_partitions is not None:
        size = min(size, max(1, -(-sum(split.size_bytes for split, _ in splits) // request.min_partitions)))
    pieces = [piece for split, index in splits for piece in _pieces(split, index, request, size)]
    return list(_packed(pieces, request, size))


# Which partitions


def partitions(request: Request) -> list[Partition]:
    """The requested partitions, by topic and number; raises as `plan`."""
    by_path: dict[str, Partition] = {}
    named: set[str] = set()
    for path in request.paths:
        for partition in iter_partitions(path):
            at = real_path(partition.path)
            by_path.setdefault(at, partition)
            if at == real_path(path):
                named.add(at)
    for at, partition in list(by_path.items()):
        if _is_file(partition) and real_path(partition.folder) in by_path:
            del by_path[at]
    chosen = [partition for at, partition in by_path.items() if _is_chosen(partition, request, is_named=at in named)]
    known = {(partition.topic, partition.partition) for partition in by_path.values()}
    for layouts in request.reading.layout:
        if layouts is not None:
            layouts.check_topics(topic for topic, _ in known)
    _check_there(request, known)
    return sorted(
        _read_once(chosen, request), key=lambda replica: (replica.topic, replica.partition, absolute(replica.path))
    )


def _read_once(candidates: list[Partition], request: Request) -> list[Partition]:
    """Choose one replica per partition, as ``replica`` asks. Folders are replicas if they have one topic id."""
    if request.replica == "each":
        return candidates
    by_key: dict[tuple[str, int, str], list[Partition]] = {}
    for partition in candidates:
        topic_id = partition.known_topic_id
        # Without an id this is unknown: it may be a topic of the same name in another cluster.
        by_key.setdefault((partition.topic, partition.partition, topic_id or absolute(partition.path)), []).append(
            partition
        )
    kept = list[Partition]()
    for (topic, number, _), replicas in by_key.items():
        if len(replicas) > 1 and request.replica == "error":
            places = " and in ".join(str(replica.folder) for replica in replicas)
            raise UsageError(f"{topic}-{number} lies in {places}: option replica=best reads one, each all of them")
        best = replicas[0] if len(replicas) == 1 else max(replicas, key=_reach)
        if len(replicas) > 1:
            LOG.info("%s-%s: read from %s, one of %s replicas", topic, number, best.folder, len(replicas))
        kept.append(best)
    return kept


def _reach(partition: Partition) -> tuple[int, int]:
    """How far a replica reaches: its latest leader epoch, and its end offset. Records of a later epoch's leader replace
    those of other replicas."""
    epoch, end = -1, -1
    with contextlib.suppress(DataError, OSError):
        epoch = max((entry.epoch for entry in partition.leader_epochs), default=-1)
    for segment in reversed(partition.segments):
        with contextlib.suppress(DataError, OSError):
            positions = segment.offset_entries()["position"]
            headers = read_batch_headers(segment.log, int(positions[-1]) if len(positions) else 0)
            if len(headers):
                return max(epoch, int(headers.partition_leader_epoch[-1])), int(headers.next_offset[-1])
        end = max(end, segment.base_offset)
    return epoch, end


def _is_file(partition: Partition) -> bool:
    return len(partition.segments) == 1 and partition.segments[0].log == partition.path


def _is_chosen(partition: Partition, request: Request, *, is_named: bool) -> bool:
    if not request.which.takes(partition.topic, partition.partition):
        return False
    if request.assigned is not None:
        return (partition.topic, partition.partition) in request.assigned
    if request.topics is not None:
        return partition.topic in request.topics
    if not is_named and partition.topic in INTERNAL_TOPICS:
        return any(fnmatchcase(partition.topic, name) for name in request.which.topics or () if name[:2] == "__")
    return request.pattern is None or re.fullmatch(request.pattern, partition.topic) is not None


def _check_there(request: Request, known: set[Key]) -> None:
    topics = sorted({topic for topic, _ in known})
    for topic in request.topics or ():
        if topic not in topics:
            raise UsageError(f"option subscribe: no topic {topic!r} here{nearest(topic, topics)}")
    if known and not request.is_stream:
        request.which.check(known, "option topics: ")
    request.which.check_names(topics, "option topics: ")  # of a pattern there may be topics later
    missing = sorted((request.assigned or frozenset()) - known)
    if missing:
        names = ", ".join(f"{topic}-{partition}" for topic, partition in missing)
        raise UsageError(f"option assign: no {names} here; there are {_key_names(known)}")


def warn_of_starts(selected: Iterable[Partition], request: Request) -> None:
    """Log checkpoints that cannot be read: it is then not known which records were deleted."""
    if request.before_log_start or request.reading.rows != "records":
        return
    known = [partition for partition in selected if partition.checkpoint_key is not None]
    of_roots = {str(folder_of(absolute(partition.folder))): partition for partition in known}
    for partition in of_roots.values():
        try:
            _ = partition.log_start_offset
        except (DataError, OSError) as error:
            LOG.warning("%s", error)


def check_all_are_named(bound: Bound, selected: Iterable[Partition]) -> None:
    """Refuse offsets or timestamps that do not name exactly the partitions that are read, as Spark's Kafka source."""
    named_keys = bound.offsets if bound.timestamps is None else bound.timestamps
    if named_keys is None:
        return
    assigned = {(partition.topic, partition.partition) for partition in selected}
    if named_keys.keys() != assigned:
        every = "; -1 is latest, -2 earliest" if bound.timestamps is None else ""
        raise UsageError(
            f"option {bound.option}: it must name all partitions that are read, and no others{every}. "
            f"Named: {_key_names(named_keys)}; read: {_key_names(assigned)}"
        )


def _key_names(keys: Iterable[Key]) -> str:
    names = [f"{topic}-{partition}" for topic, partition in sorted(keys)]
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "") or "none"


def _may_hold(partition: Partition, conditions: Iterable[Condition]) -> bool:
    own = {"topic": partition.topic, "partition": partition.partition}
    return all(
        _HOLDS[condition.operator](own[condition.column], condition.value)
        for condition in conditions
        if condition.column in own
    )


# From where to where


def _range(partition: Partition, request: Request, conditions: Iterable[Condition]) -> OffsetRange:
    start, end, since = start_of(partition, request), _end(partition, request), None
    for column, operator, value in conditions if request.reading.rows == "records" else ():
        if column == "offset":
            least, most = _offsets_of(operator, value)
            start, end = max(start, least), min(end, most)
        elif column == "timestamp" and operator in ("=", ">", ">="):
            since = value if since is None else max(since, value)
        elif column == "timestamp" and operator in ("<", "<=") and request.is_ordered_by_time and value >= 0:
            stop = _record_from(partition, request, value + (operator == "<="))
            end = end if stop is None else min(end, stop)
    return OffsetRange(start, end, since)


def _offsets_of(operator: str, value: Any) -> tuple[int, int]:
    match operator:
        case "=":
            return value, value + 1
        case "in":
            return min(value, default=NO_END), max(value, default=_MIN) + 1
        case ">" | ">=":
            return value + (operator == ">"), NO_END
        case "<" | "<=":
            return _MIN, value + (operator == "<=")
    return _MIN, NO_END


def start_of(partition: Partition, request: Request) -> int:
    """The first requested offset; raises UsageError as `plan`."""
    bound, key = request.start, (partition.topic, partition.partition)
    timestamp = bound.timestamp if bound.timestamps is None else bound.timestamps[key]
    if timestamp is not None:
        time_offset = _at_time(partition, request, bound, timestamp)
        if time_offset is None and not request.latest_for_none:
            raise UsageError(
                f"option {bound.option}: {key[0]}-{key[1]} has no record from {timestamp} ms on; with "
                "startingOffsetsByTimestampStrategy=latest it is read from its end"
            )
        return _latest(partition.segments) if time_offset is None else time_offset
    offset = EARLIEST if bound.offsets is None else bound.offsets[key]
    remote = partition.remote_offsets
    where = f"its offsets {remote.start} to {remote.stop - 1} are in remote storage" if remote else ""
    if offset == EARLIEST:
        if where:
            LOG.warning("%s-%s: %s; read from offset %s on", *key, where, remote.stop)
        deleted_before = deleted_before_of(partition, request)
        return _MIN if deleted_before is None else deleted_before
    first = first_of(partition, request)
    if offset in remote:
        lost(request, f"{key[0]}-{key[1]}: asked for from offset {offset} on, {where}")
    elif offset < first:
        lost(request, f"{key[0]}-{key[1]}: asked for from offset {offset} on, the first that is here is {first}")
        return first
    else:
        _check_reaches(partition, request, offset, f"asked for from offset {offset} on")
    return offset


def _end(partition: Partition, request: Request) -> int:
    bound, key = request.end, (partition.topic, partition.partition)
    timestamp = bound.timestamp if bound.timestamps is None else bound.timestamps[key]
    if timestamp is not None:
        time_offset = _at_time(partition, request, bound, timestamp)
        return NO_END if time_offset is None else time_offset
    offset = LATEST if bound.offsets is None else bound.offsets[key]
    if offset == LATEST:
        return NO_END
    _check_reaches(partition, request, offset, f"asked for up to offset {offset}")
    return offset


def _check_reaches(partition: Partition, request: Request, offset: int, asked: str) -> None:
    latest = _latest_known(partition.segments, request)
    if latest is not None and offset > latest:
        lost(request, f"{partition.topic}-{partition.partition}: {asked}, the log ends in front of {latest}")


def deleted_before_of(partition: Partition, request: Request) -> int | None:
    """The log's start, if rows are records, and the files hold deleted records before it that are not requested."""
    return None if request.before_log_start or request.reading.rows != "records" else partition.deleted_before


def first_of(partition: Partition, request: Request) -> int:
    """The first offset that can be read."""
    deleted_before = deleted_before_of(partition, request)
    return partition.segments[0].base_offset if deleted_before is None else deleted_before


def _at_time(partition: Partition, request: Request, bound: Bound, timestamp: int) -> int | None:
    if timestamp < 0:
        raise UsageError(f"option {bound.option}: {timestamp} is not a timestamp; they are ms since 1970, from 0 on")
    return _record_from(partition, request, timestamp)


def _record_from(partition: Partition, request: Request, timestamp: int) -> int | None:
    """The offset of the first record from a time on.

    A broker searches one segment, the first with such a timestamp. If only a deleted record in it has one, the broker
    finds nothing; here the later segments are searched.
    """
    start, segments = deleted_before_of(partition, request), partition.segments
    if start is None:
        return find_timestamp(segments, timestamp).offset
    left = segments[bisect_right(segments, start, key=lambda segment: segment.base_offset) - 1 :]
    offset = find_timestamp(left, timestamp, log_start_offset=start).offset
    return find_timestamp(left[1:], timestamp).offset if offset is None else offset


def _latest(segments: Sequence[Segment]) -> int:
    """The offset after the last one in the segments."""
    offset = find_latest(segments).offset
    assert offset is not None
    return offset


def _latest_known(segments: Sequence[Segment], request: Request) -> int | None:
    """The offset after the last one; None if damage hides it, and damage is to be skipped."""
    try:
        return _latest(segments)
    except DataError as error:
        if request.reading.on_corrupt == "error":
            raise
        LOG.warning("%s", error)
        return None


def lost(request: Request, problem: str | RecordsDeletedError) -> None:
    """Raise UsageError for lost data, or log it, as ``failOnDataLoss`` says.

    If retention overtook a stream, its RecordsDeletedError is raised instead.
    """
    if request.reading.fail_on_data_loss:
        hint = "With failOnDataLoss=false the offsets that are there are read"
        if isinstance(problem, RecordsDeletedError):
            problem.add_note(hint)
            raise problem
        raise UsageError(f"{problem}. {hint}")
    LOG.warning("%s", problem)


# Segments, and parts of them


def splits_of(partition: Partition, request: Request, wanted: OffsetRange) -> Iterator[tuple[Split, Index]]:
    """The splits of a partition: one for each segment that may have wanted offsets, by its indexes."""
    start, end, since = wanted
    aborted = None
    if request.is_committed_only and request.reading.rows == "records":
        committed = partition.committed(Wanted(start_offset=start, end_offset=end))
        end, aborted = committed.end_offset, committed.aborted
    bases = [*(segment.base_offset for segment in partition.segments), NO_END]
    for segment, next_base in zip(partition.segments, bases[1:], strict=True):
        is_last = next_base == NO_END
        if segment.base_offset >= end or next_base <= start:
            continue
        index = Index(segment)
        least = start if since is None else max(start, index.first_as_new(since))
        if next_base <= least or end <= least:
            continue
        try:
            size_bytes = segment.size_bytes
        except FileNotFoundError as error:
            lost(request, str(error))
            continue
        split = Split(
            topic=partition.topic,
            partition=partition.partition,
            base_offset=segment.base_offset,
            log=absolute(segment.log),
            start=0,
            end=size_bytes,
            is_last=is_last,
            start_offset=least if least > segment.base_offset else _MIN,
            end_offset=end if end < next_base else NO_END,
            since_ms=since,
            aborted=None if aborted is None else _of_segment(aborted, segment.base_offset, next_base),
        )
        if split.has_range and request.reading.rows in ("records", "batches"):
            split = _narrowed(split, index)
        yield split, index


def _of_segment(aborted: Aborted, base_offset: int, end_offset: int) -> Aborted:
    rows = (aborted.last_offset >= base_offset) & (aborted.first_offset < min(end_offset, NO_END - 1))
    return Aborted(*(column[rows] for column in aborted))


def _narrowed(split: Split, index: Index) -> Split:
    """The part of a segment that can have the split's offsets: from the floor entry of its index, and up to the entry
    after the first that is not below the end. A batch's entry has an offset of the batch, and its position."""
    start, end = split.start, split.end
    if split.start_offset > _MIN:
        start = index.position(index.number_above(split.start_offset + 1) - 1, start)
    if split.end_offset < NO_END:
        end = index.position(index.number_above(split.end_offset) + 1, end, least_offset=split.end_offset)
    end = max(start, min(end, split.end))
    return replace(split, start=start, end=end, is_last=split.is_last and end == split.end)


def _pieces(split: Split, index: Index, request: Request, size: int) -> Iterator[Split]:
    """Cut a split at entries of its offset index, so that no part is larger than necessary."""
    if request.reading.rows not in ("records", "batches"):
        yield split
        return
    if request.max_records is not None and request.reading.rows == "records":
        yield from _by_count(split, index, request)
        return
    count = -(-split.size_bytes // size) if split.size_bytes else 1
    cuts = [split.start]
    for entry in index.first_of_parts(split.start, split.size_bytes, count) if count > 1 else ():
        cut = index.position(entry, -1)
        if cuts[-1] < cut < split.end:
            cuts.append(cut)
    for start, end in itertools.pairwise([*cuts, split.end]):
        yield replace(split, start=start, end=end, is_last=split.is_last and end == split.end)


def _by_count(split: Split, index: Index, request: Request) -> Iterator[Split]:
    """Cut a split by the largest number of offsets: into as few parts of equal length as possible, as Spark's Kafka
    source does (KafkaOffsetRangeCalculator)."""
    most = request.max_records
    assert most is not None
    latest = _latest_known([index.segment], request)
    first, end = max(split.start_offset, split.base_offset), split.end_offset
    end = end if latest is None else min(end, latest)
    count = max(1, -(-(end - first) // most))
    if count > _MOST_PARTS:
        if request.reading.on_corrupt == "error":
            raise UsageError(
                f"option maxRecordsPerPartition={most}: {split.log} would be cut into {count} parts, for offsets from "
                f"{first} to {end}; {_MOST_PARTS} are the most"
            )
        count = _MOST_PARTS  # offsets that a damaged batch may have
    if count == 1:
        yield replace(split, end_offset=max(end, first))
        return
    edges = [first + (end - first) * number // count for number in range(count + 1)]
    for start_offset, end_offset in itertools.pairwise(edges):
        yield _narrowed(replace(split, start_offset=start_offset, end_offset=end_offset), index)


class Index:
    """A segment's indexes, as far as the log agrees with them. The files are read once, on first use. Entries for
    batches of magic 0 and 1 are not used: they may have the first offset or the last, and wrappers have only the last.
    """

    def __init__(self, segment: Segment) -> None:
        self.segment = segment

    @cached_property
    def _indexes(self) -> Indexes:
        return self.segment.indexes()

    @property
    def _entries(self) -> EntryArray:
        return self._indexes.offset_entries

    def first_as_new(self, since_ms: int) -> int:
        """An offset before which all records are older, by the time index."""
        entries = self._indexes.time_entries
        number = int(np.searchsorted(entries["timestamp"].astype(np.int64), since_ms))
        return self.segment.base_offset + int(entries["relative_offset"][number - 1]) + 1 if number else _MIN

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """The absolute offset of each entry; int64."""
        return self._entries["relative_offset"].astype(np.int64) + self.segment.base_offset

    @cached_property
    def positions(self) -> npt.NDArray[np.int64]:
        """The position of each entry in bytes; int64."""
        return self._entries["position"].astype(np.int64)

    def number_above(self, offset: int) -> int:
        """The number of the first entry whose offset is not below this one."""
        return int(np.searchsorted(self.offsets, min(max(offset, _MIN), NO_END - 1)))

    def first_of_parts(self, start: int, size: int, count: int) -> list[int]:
        """The numbers of the first entries in or after each of ``count`` equal parts of the log, except the first part;
        the parts are the ``size`` bytes from ``start`` on. Each entry occurs once, also if parts are small."""
        parts = np.clip(((self.positions - start + 1) * count - 1) // size, 0, count - 1)
        return np.flatnonzero(np.diff(parts, prepend=0) > 0).tolist()

    def position(self, number: int, otherwise: int, *, least_offset: int = _MIN) -> int:
        """The position of an entry; ``otherwise`` if there is no such entry, or no batch of the entry begins there with
        an offset of at least ``least_offset``."""
        if not 0 <= number < len(self.offsets):
            return otherwise
        position = int(self.positions[number])
        if position < 0:
            return otherwise
        with ByteSource(self.segment.log) as source:
            frame = next(Walk(source, position), None)
        if frame is None or frame.magic != CURRENT_MAGIC:
            return otherwise
        return position if least_offset <= frame.base_offset <= int(self.offsets[number]) else otherwise


def _packed(pieces: Iterable[Split], request: Request, size: int) -> Iterator[Task]:
    most = request.max_records if request.reading.rows == "records" else None
    return packed(pieces, size, most, lambda split: split.end_offset - max(split.start_offset, split.base_offset))


class _HasSize(Protocol):
    @property
    def size_bytes(self) -> int: ...


_Sized = TypeVar("_Sized", bound=_HasSize)


def packed(
    pieces: Iterable[_Sized],
    size: int,
    most: int | None = None,
    count_of: Callable[[_Sized], int] = lambda piece: 0,
) -> Iterator[tuple[_Sized, ...]]:
    """Pack neighbours into one task, as long as they have together no more than ``size`` bytes, including the cost of
    opening them, and no more records than ``most``.
    """
    task: list[_Sized] = []
    filled = records = 0
    for piece in pieces:
        cost = piece.size_bytes + _OPENING_BYTES
        count = count_of(piece) if most is not None else 0
        if task and (filled + cost > size or (most is not None and records + count > most)):
            yield tuple(task)
            task, filled, records = [], 0, 0
        task.append(piece)
        filled, records = filled + cost, records + count
    if task:
        yield tuple(task)

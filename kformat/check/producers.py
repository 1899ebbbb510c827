"""A partition's producers: their state as the log shows it, and the snapshots that brokers take.

A `Recorder` reads the blocks of one log and keeps the few relevant batches, as `Evidence`; a `Journal` takes the
evidence of all logs of a folder, in order, and derives what is certain about the requested producers, and about open
transactions. The result does not depend on how many blocks a piece of evidence covers, so several processes can read
logs in any order before their evidence is taken in the right one.

Compaction and retention remove evidence, and brokers forget producers that were silent for long; so only what
contradicts the log is reported:

* A gap between batches may have held anything: after it no transaction counts as open.
* A producer without an entry may have been forgotten, unless it has an open transaction, which is never forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.records import TimestampType, add_sequence
from kformat.kafka.findings.entries import BatchesByOffset, BoolArray, Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import MOST_FINDINGS, Finding, Rule, at_most, rule
from kformat.kafka.producers.producer_state import EndMarker, Markers
from kformat.language.layout import layout
from kformat.storage.algorithms import algorithm_of
from kformat.storage.byte_source import ByteSource

VERSION: Final = rule(
    "KF0701",
    "warning",
    "The version of a snapshot is 1.",
    source="ProducerStateManager.readSnapshot",
    kafka="Deletes the snapshot when it loads the log, and reads an older one and the log from there on.",
)
CHECKSUM: Final = rule(
    "KF0702",
    "warning",
    "`crc` of a snapshot is the CRC-32C of the bytes after it.",
    source="ProducerStateManager.readSnapshot",
    kafka="Deletes the snapshot when it loads the log, and reads an older one and the log from there on.",
)
SIZE: Final = rule(
    "KF0703",
    "warning",
    "A snapshot holds as many entries as it says, and nothing after them.",
    source="ProducerStateManager.readSnapshot, writeSnapshot",
    kafka="Deletes the snapshot when it loads the log, and reads an older one and the log from there on.",
)
VALUE: Final = rule(
    "KF0704",
    "error",
    "Producer ids are not negative, and nothing in an entry is below -1.",
    source="ProducerStateEntry, ProducerAppendInfo",
    kafka="Accepts it: duplicates pass, or valid batches are refused.",
)
TWICE: Final = rule(
    "KF0705",
    "error",
    "No producer has two entries in a snapshot.",
    source="ProducerStateManager.writeSnapshot",
    kafka="The later one counts.",
)
ABOVE: Final = rule(
    "KF0706",
    "error",
    "The offsets in a snapshot are below the one in its name.",
    source="ProducerStateManager.takeSnapshot",
    kafka="Takes them as they are, and gets the log's own batches for duplicates.",
)
LAST_BATCH: Final = rule(
    "KF0707",
    "error",
    "An entry's last offset, sequence and delta are those of a batch of the producer, where the log has that offset.",
    source="ProducerStateEntry.addBatch",
    kafka="Takes the producer's next batch for a duplicate or out of order, or lets a duplicate pass.",
)
OLDER: Final = rule(
    "KF0708",
    "error",
    "An entry knows the producer's last batch and epoch below the snapshot's offset.",
    source="ProducerStateManager.takeSnapshot",
    kafka="Refuses the producer's next batch as out of order, or lets a duplicate or a fenced producer pass.",
)
OPEN: Final = rule(
    "KF0709",
    "error",
    "The open transactions of a snapshot are those of the log.",
    source="ProducerAppendInfo.append, appendEndTxnMarker",
    kafka="Consumers of committed data wait for a transaction that has ended, or get the records of one that has not.",
)
COORDINATOR: Final = rule(
    "KF0710",
    "error",
    "An entry's coordinator epoch is that of the producer's last marker.",
    source="ProducerAppendInfo.checkCoordinatorEpoch",
    kafka="Refuses the markers of the coordinator, or takes those of an old one.",
)
BEYOND: Final = rule(
    "KF0711",
    "warning",
    "The log reaches to the offset in a snapshot's name.",
    source="ProducerStateManager.truncateAndReload, LogLoader",
    kafka="Deletes the snapshot when it loads the log. What lay between in the log is not there any more.",
)

HANGS: Final = rule(
    "KF0712",
    "warning",
    "No transaction is open for longer than `transaction.max.timeout.ms` (15 minutes), by times of brokers: those "
    "of later markers, of log append time, of the newest record of the metadata log next to it.",
    source="TransactionCoordinator.abortTimedOutTransactions; kafka-transactions.sh find-hanging (KIP-664)",
    kafka="Consumers of committed records do not get past it, and compaction stops there, until an operator aborts it.",
)

_MOST_OPEN_MS: Final = (15 + 5) * 60_000
"""As in Kafka's find-hanging: the longest timeout, and five minutes in which the coordinator may end it."""
_SNAPSHOT: Final = layout("producer_snapshot")
_ENTRY: Final = layout("producer_snapshot::entry")
_ALGORITHM, _, _COVERED_FROM = _SNAPSHOT.checksum()
_ENTRIES_FROM: Final = _SNAPSHOT.position("entries")
_READ_VERSION, _READ_CRC, _READ_COUNT = (_SNAPSHOT.reader(name) for name in ("version", "crc", "entries_count"))
_PATH: Final = "producer_snapshot"
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_LEAST, _MOST = MIN_INT64, MAX_INT64


@dataclass(frozen=True, slots=True)
class AbortedInLog:
    """A transaction that the log shows to be aborted: its first remaining batch, and its marker.

    ``position`` is the marker's in its log; ``after`` the offset of the producer's previous marker, None if unknown;
    ``open_from`` the start of the oldest transaction open at that time, None for none. Nothing is known of offsets
    before ``since``.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    position: int
    after: int | None
    open_from: int | None
    since: int


@dataclass(slots=True)
class _OpenTransaction:
    first_offset: int
    has_records: bool
    after: int | None
    file: str
    position: int
    seen_ms: int | None = None
    """A time of the broker's when it was open: that of its first batch or, where that has any time that the producer
    gives, of the first later batch with a time of the broker's: a marker, or one of log append time."""


@dataclass(frozen=True, slots=True)
class _Marker:
    offset: int
    coordinator_epoch: int | None


@dataclass
class Snapshot:
    """A snapshot as read; ``entries`` is empty if the file cannot be trusted."""

    file: str
    offset: int | None
    entries: Any
    findings: list[Finding] = field(default_factory=list)

    def at(
        self, broken: Rule, number: int, name: str, message: str, expected: Any = None, found: Any = None
    ) -> Finding:
        """A finding about a field of an entry."""
        position = _ENTRIES_FROM + number * _ENTRY.size + _ENTRY.position(name)
        text = f"producer {self.entries['producer_id'][number]}: {message}"
        return broken.at(self.file, position, f"{_PATH}.entries[{number}].{name}", text, expected, found)


def read_snapshot(source: ByteSource, file: str, offset: int | None) -> Snapshot:
    """Read a snapshot and apply the rules that need no log; raises OSError. ``offset`` is the one in its name."""
    nothing = np.zeros(0, dtype=_ENTRY.dtype)
    data = source.read_at(0, source.size)
    if len(data) < _ENTRIES_FROM:
        message = f"{len(data)} bytes, but a snapshot without entries has {_ENTRIES_FROM}"
        finding = SIZE.at(file, len(data), _PATH, message, f">= {_ENTRIES_FROM}", len(data))
        return Snapshot(file, offset, nothing, [finding])
    version, stored, count = _READ_VERSION(data, 0), _READ_CRC(data, 0), _READ_COUNT(data, 0)
    if version != 1:
        message = f"no snapshot has version {version}"
        finding = VERSION.at(file, _SNAPSHOT.position("version"), f"{_PATH}.version", message, 1, version)
        return Snapshot(file, offset, nothing, [finding])
    end = _ENTRIES_FROM + max(count, 0) * _ENTRY.size
    if count < 0 or end != len(data):
        message = f"{count} entries, and {len(data) - _ENTRIES_FROM} bytes for them"
        position = _SNAPSHOT.position("entries_count")
        finding = SIZE.at(file, position, f"{_PATH}.entries_count", message, end, len(data))
        return Snapshot(file, offset, nothing, [finding])
    computed = algorithm_of(_ALGORITHM).compute(memoryview(data)[_COVERED_FROM:])
    if computed != stored:
        message = f"stored {stored:08x}, computed {computed:08x}"
        position = _SNAPSHOT.position("crc")
        finding = CHECKSUM.at(file, position, f"{_PATH}.crc", message, f"{computed:08x}", f"{stored:08x}")
        return Snapshot(file, offset, nothing, [finding])
    snapshot = Snapshot(file, offset, np.frombuffer(data, dtype=_ENTRY.dtype, offset=_ENTRIES_FROM))
    snapshot.findings = at_most(_entry_findings(snapshot))
    return snapshot


def _entry_findings(snapshot: Snapshot) -> Iterator[Finding]:
    entries, offset = snapshot.entries, snapshot.offset
    for name in entries.dtype.names:
        least = 0 if name in ("producer_id", "offset_delta") else -1
        for number in np.flatnonzero(entries[name] < least)[: MOST_FINDINGS + 1].tolist():
            value = int(entries[name][number])
            yield snapshot.at(VALUE, number, name, f"{name} {value} is below {least}", f">= {least}", value)
    _, first = np.unique(entries["producer_id"], return_index=True)
    for number in np.setdiff1d(np.arange(len(entries)), first)[: MOST_FINDINGS + 1].tolist():
        yield snapshot.at(TWICE, number, "producer_id", "it has an entry before this one")
    for name in ("last_offset", "current_txn_first_offset") if offset is not None else ():
        for number in np.flatnonzero(entries[name] >= offset)[: MOST_FINDINGS + 1].tolist():
            value = int(entries[name][number])
            yield snapshot.at(ABOVE, number, name, f"{name} {value} in a snapshot at {offset}", f"< {offset}", value)


@dataclass(frozen=True, eq=False)
class Asked:
    """What a journal needs to know from the logs to judge snapshots; all arrays ascend.

    ``producers``: those with entries. ``offsets``: those that entries name. ``snapshots``: the offsets in the names of
    the snapshots.
    """

    producers: Int64Array
    offsets: Int64Array
    snapshots: Int64Array

    def between(self, base_offset: int | None, next_base_offset: int | None) -> Asked:
        """The part to ask of a segment; None for an unknown start or end."""
        low = _LEAST if base_offset is None else base_offset
        high = _MOST if next_base_offset is None else next_base_offset
        offsets, snapshots = (
            column[np.searchsorted(column, low, side="right") : np.searchsorted(column, high)]
            for column in (self.offsets, self.snapshots)
        )
        return Asked(self.producers, offsets, snapshots)


_NO_NUMBERS: Final[Int64Array] = np.zeros(0, dtype=np.int64)
NOTHING_ASKED: Final = Asked(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Some sound batches of a log, in order: those that a `Journal` needs.

    Attributes:
        headers: their headers.
        after_hole: bool per batch: between it and the one before lies something that is no sound batch, or offsets are
            missing. Whether the first batch continues the previous evidence is checked by the journal.
        said: number of a batch that ends a transaction -> what it says.
    """

    headers: BatchHeaders
    after_hole: BoolArray
    said: dict[int, EndMarker | None]

    @property
    def is_sound(self) -> BoolArray:
        """True for each batch; a `BatchBlock` has the same attribute."""
        return np.ones(len(self.headers), dtype=np.bool_)


class Recorder:
    """Keeps the batches of one log that a journal needs: feed its blocks in order of position.

    Args:
        asked: what is asked of this log (`Asked.between`).
        base_offset, next_base_offset: of its segment; batches that lie outside of it are kept, whatever is asked.
    """

    def __init__(self, asked: Asked, base_offset: int | None, next_base_offset: int | None) -> None:
        self._asked = asked
        self._low = _LEAST if base_offset is None else base_offset
        self._high = _MOST if next_base_offset is None else next_base_offset
        self._markers = Markers()
        self._next_offset: int | None = None

    def feed(self, block: BatchBlock) -> Evidence | None:
        """The evidence of a block; None if it has no sound batch."""
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return None
        headers = block.headers.take(rows)
        first, last = headers.base_offset, headers.last_offset
        after_hole = block.after_hole[rows].copy()
        after_hole[1:] |= first[1:] != last[:-1] + 1
        after_hole[0] |= self._next_offset is not None and self._next_offset != int(first[0])
        self._next_offset = int(last[-1]) + 1
        ends = np.flatnonzero((headers.magic >= CURRENT_MAGIC) & (headers.producer_id >= 0))
        ends = ends[(headers.is_transactional[ends] == 1) & (headers.is_control[ends] == 1)]
        said = {row: self._markers.said(block.raw(int(rows[row]))) for row in ends.tolist()}
        return self._condensed(Evidence(headers, after_hole, said))

    def joined(self, pieces: list[Evidence]) -> list[Evidence]:
        """Merge the pieces; empty if there are none."""
        if not pieces:
            return []
        starts = np.cumsum([0, *(len(piece.headers) for piece in pieces)]).tolist()
        headers = replace(
            pieces[-1].headers,
            position=np.concatenate([piece.headers.position for piece in pieces]),
            size=np.concatenate([piece.headers.size for piece in pieces]),
            columns=np.concatenate([piece.headers.columns for piece in pieces]),
        )
        said = {
            start + row: text for start, piece in zip(starts, pieces, strict=False) for row, text in piece.said.items()
        }
        return [self._condensed(Evidence(headers, np.concatenate([piece.after_hole for piece in pieces]), said))]

    def _condensed(self, evidence: Evidence) -> Evidence:
        """The evidence without the batches that change nothing."""
        kept = np.flatnonzero(self._matters(evidence))
        # A hole before a batch that is left out becomes a hole before the next batch kept.
        after_hole = np.logical_or.reduceat(evidence.after_hole, np.concatenate(([0], kept[:-1] + 1)))
        number = {row: index for index, row in enumerate(kept.tolist())}
        said = {number[row]: text for row, text in evidence.said.items()}
        return Evidence(evidence.headers.take(kept), after_hole, said)

    def _matters(self, evidence: Evidence) -> BoolArray:
        headers, last = evidence.headers, evidence.headers.last_offset
        highest = np.maximum.accumulate(last)
        matters = np.zeros(len(headers), dtype=np.bool_)
        matters[[0, int(highest.argmax()), -1]] = True
        outside = (last < self._low) | (last >= self._high)
        matters |= outside
        matters[1:] |= outside[:-1]
        matters[:-1] |= outside[1:]
        matters[_first_at(highest, self._asked.offsets)] = True
        crossed = _first_at(highest, self._asked.snapshots)
        matters[crossed] = True
        matters[crossed[crossed > 0] - 1] = True
        producer = np.where(headers.magic >= CURRENT_MAGIC, headers.producer_id, -1)
        self._mark_producers(headers, producer, crossed, matters)
        self._mark_transactions(evidence, producer, matters)
        return matters

    def _mark_producers(
        self, headers: BatchHeaders, producer: Int64Array, crossed: Int64Array, matters: BoolArray
    ) -> None:
        """Mark, for each producer asked for, between two snapshots, its last batch with data and its highest epoch."""
        rows = np.flatnonzero(np.isin(producer, self._asked.producers))
        if not len(rows):
            return
        window = np.searchsorted(crossed, rows, side="right")
        key = window * len(self._asked.producers) + np.searchsorted(self._asked.producers, producer[rows])
        by_epoch = np.lexsort((headers.producer_epoch[rows], key))
        matters[rows[by_epoch[np.flatnonzero(np.diff(key[by_epoch], append=-1))]]] = True
        is_data = _is_data(headers)[rows]
        data, key = rows[is_data][::-1], key[is_data][::-1]
        matters[data[np.unique(key, return_index=True)[1]]] = True

    @staticmethod
    def _mark_transactions(evidence: Evidence, producer: Int64Array, matters: BoolArray) -> None:
        """Mark all ends of transactions; before an end or a gap, a producer's first batch, and first with records."""
        headers = evidence.headers
        rows = np.flatnonzero((producer >= 0) & (headers.is_transactional == 1))
        gaps = np.cumsum(evidence.after_hole)[rows]
        columns = rows, gaps, producer[rows], headers.is_control[rows], headers.records_count[rows] > 0
        seen: dict[int, bool] = {}
        gap_before = -1
        for row, gap, id, is_control, has_records in zip(*(column.tolist() for column in columns), strict=True):
            if gap != gap_before:
                seen.clear()
                gap_before = gap
            if is_control:
                seen.pop(id, None)
                matters[row] = True
            elif id not in seen or has_records > seen[id]:
                seen[id] = has_records
                matters[row] = True


def _first_at(highest: Int64Array, offsets: Int64Array) -> Int64Array:
    """The first row to reach each of the offsets; ascending, without duplicates."""
    rows = np.searchsorted(highest, offsets)
    first_rows: Int64Array = np.unique(rows[rows < len(highest)])
    return first_rows


def _is_data(headers: BatchHeaders) -> BoolArray:
    is_data: BoolArray = (headers.is_control == 0) & (headers.base_sequence >= 0)
    return is_data


class Journal:
    """The state of producers according to the logs of a folder: take the evidence of its segments in order.

    Args:
        snapshots: those to be held against the logs.

    ``asked`` is what the evidence is asked for. ``aborted`` collects the aborted transactions seen; a caller removes
    them segment by segment.
    """

    def __init__(self, snapshots: list[Snapshot]) -> None:
        self._waiting = sorted(
            (item for item in snapshots if item.offset is not None), key=lambda item: item.offset or 0
        )
        ids = [item.entries["producer_id"].astype(np.int64) for item in snapshots]
        offsets = [item.entries[name].astype(np.int64) for item in self._waiting for name in _OFFSETS]
        of_entries = np.concatenate(offsets) if offsets else np.zeros(0, np.int64)
        self.asked = Asked(
            np.unique(np.concatenate(ids)) if ids else np.zeros(0, dtype=np.int64),
            np.unique(of_entries[of_entries >= 0]),
            np.unique(np.array([item.offset for item in self._waiting], dtype=np.int64)),
        )
        self._watched = set(self.asked.producers.tolist())
        self._places = BatchesByOffset(of_entries, keep_headers=True)
        self._snapshots = list(self._waiting)
        self._next_offset: int | None = None
        self._data: dict[int, tuple[int, int]] = {}  # producer -> last offset of its last batch with data, epoch
        self._open: dict[int, _OpenTransaction] = {}  # in the order in which they began
        self._since, self._newest_ms = 0, -1
        self._not_seen: list[_OpenTransaction] = []  # that began after the last time of a broker's
        self._markers: dict[int, _Marker] = {}
        self._gaps = self._gaps_seen = 0
        self._findings: list[Finding] = []
        self.aborted: list[AbortedInLog] = []

    def watch(self, producers: Int64Array) -> None:
        """From now on, until the next call, keep the last markers of these producers, too."""
        self._watched = set(self.asked.producers.tolist()) | set(producers.tolist())

    def take(self, evidence: Evidence) -> None:
        """Process evidence: of a log in order of position, of segments in order of their base offsets."""
        self._places.feed(evidence)
        headers = evidence.headers
        first, last = headers.base_offset, headers.last_offset
        has_gap = evidence.after_hole.copy()
        has_gap[0] |= self._next_offset != int(first[0])
        gaps = self._gaps + np.cumsum(has_gap)
        highest = np.maximum.accumulate(last)
        start = 0
        while self._waiting:
            offset = self._waiting[0].offset or 0
            end = int(np.searchsorted(highest, offset))
            if end == len(headers):
                break
            self._take(evidence, start, end, gaps)
            before = int(last[end - 1]) + 1 if end else self._next_offset
            self._judge(self._waiting.pop(0), before == offset, int(gaps[end - 1]) if end else self._gaps)
            start = end
        self._take(evidence, start, len(headers), gaps)
        self._gaps, self._next_offset = int(gaps[-1]), int(last[-1]) + 1

    def _take(self, evidence: Evidence, start: int, end: int, gaps: Int64Array) -> None:
        """Process some of the batches."""
        headers, rows = evidence.headers, np.arange(start, end)
        seen_at, seen_ms = self._times_of_brokers(headers, rows)
        rows = rows[(headers.magic[rows] >= CURRENT_MAGIC) & (headers.producer_id[rows] >= 0)]
        if not len(rows):
            return
        of_asked = rows[np.isin(headers.producer_id[rows], self.asked.producers)]
        columns = headers.producer_id, headers.producer_epoch, headers.last_offset, _is_data(headers)
        for id, epoch, last, is_data in zip(*(column[of_asked].tolist() for column in columns), strict=True):
            before = self._data.get(id, (-1, -1))
            self._data[id] = (last if is_data else before[0]), max(before[1], epoch)
        rows = rows[headers.is_transactional[rows] == 1]
        columns = (
            rows,
            gaps[rows],
            *(
                column[rows]
                for column in (headers.producer_id, headers.is_control, headers.base_offset, headers.records_count)
            ),
        )
        for row, gap, id, is_control, offset, count in zip(*(column.tolist() for column in columns), strict=True):
            if gap != self._gaps_seen:
                self._settle(gap)
                self._since = offset
            if is_control:
                self._end(evidence, row, id, offset)
                continue
            known = self._open.get(id)
            if known is None:
                marker = self._markers.get(id)
                after = None if marker is None else marker.offset
                known = _OpenTransaction(offset, count > 0, after, headers.source, int(headers.position[row]))
                self._open[id] = known
                later = int(np.searchsorted(seen_at, row))
                if later < len(seen_at):
                    known.seen_ms = int(seen_ms[later])
                else:
                    self._not_seen.append(known)
            else:
                known.has_records |= count > 0

    def _times_of_brokers(self, headers: BatchHeaders, rows: Int64Array) -> tuple[Int64Array, Int64Array]:
        """The rows of batches with a time of the broker's, and the newest such time up to each of them."""
        is_one = (headers.timestamp_type == _LOG_APPEND_TIME) | (headers.is_control == 1)
        seen_at = rows[(is_one & (headers.magic >= CURRENT_MAGIC))[rows]]
        seen_ms = np.maximum.accumulate(np.maximum(headers.max_timestamp[seen_at], self._newest_ms))
        if len(seen_at):
            for known in self._not_seen:
                known.seen_ms = int(seen_ms[0])
            self._not_seen.clear()
            self._newest_ms = int(seen_ms[-1])
        return seen_at, seen_ms

    def _settle(self, gap: int) -> None:
        """Forget open transactions and last markers after a gap: the missing batches may have changed both."""
        if gap != self._gaps_seen:
            self._open.clear()
            self._markers.clear()
            self._gaps_seen = gap

    def _end(self, evidence: Evidence, row: int, id: int, offset: int) -> None:
        known = self._open.pop(id, None)
        if known is None and id not in self._watched:
            return
        said = evidence.said[row]
        if known is not None and known.has_records and said is not None and said.kind == "abort":
            position = int(evidence.headers.position[row])
            oldest = next((other.first_offset for other in self._open.values()), None)
            self.aborted.append(
                AbortedInLog(id, known.first_offset, offset, position, known.after, oldest, self._since)
            )
        if id in self._watched:
            self._markers[id] = _Marker(offset, None if said is None else said.coordinator_epoch)

    @property
    def has_open(self) -> bool:
        """Whether a transaction is open."""
        return bool(self._open)

    def findings(self, log_end_offset: int | None, clock_ms: int | None = None) -> Iterator[Finding]:
        """All contradictions to the logs, once all of them were fed; ``log_end_offset``: None if unknown.

        ``clock_ms``: a time that the cluster has reached since, if one is known.
        """
        while self._waiting:
            snapshot = self._waiting.pop(0)
            offset = snapshot.offset or 0
            if self._next_offset is None:
                continue
            if log_end_offset is not None and offset > log_end_offset:
                message = f"a snapshot at {offset}, and the log ends at {log_end_offset}"
                self._findings.append(BEYOND.at(snapshot.file, None, "", message, f"<= {log_end_offset}", offset))
                continue
            self._judge(snapshot, self._next_offset == offset, self._gaps)
        for number, snapshot in enumerate(self._snapshots):
            self._findings += at_most(self._placed(snapshot, number))
        self._findings += self._hanging(max(self._newest_ms, clock_ms or -1))
        yield from sorted(self._findings, key=lambda finding: (finding.file, finding.position or 0))

    def _hanging(self, now_ms: int) -> Iterator[Finding]:
        """Findings on transactions that are open at the end of the log and should have been ended."""
        for id, known in self._open.items():
            age_ms = 0 if known.seen_ms is None else now_ms - known.seen_ms
            if age_ms > _MOST_OPEN_MS:
                minutes = f"{age_ms // 60_000} minutes"
                text = f"producer {id} has a transaction open since offset {known.first_offset}, for {minutes} at least"
                path = "record_batch.producer_id"
                yield HANGS.at(known.file, known.position, path, text, f"<= {_MOST_OPEN_MS // 60_000} minutes", minutes)

    def _judge(self, snapshot: Snapshot, is_apart: bool, gap: int) -> None:
        """Compare a snapshot with the log below its offset; ``is_apart``: the batches there end at the offset."""
        self._findings += at_most(self._state_findings(snapshot, is_apart, gap))

    def _state_findings(self, snapshot: Snapshot, is_apart: bool, gap: int) -> Iterator[Finding]:
        self._settle(gap)
        entries = snapshot.entries
        if snapshot.findings:  # what is wrong by itself is not judged against the log
            return
        numbers = {id: number for number, id in enumerate(entries["producer_id"].tolist())}
        for id, number in numbers.items():
            last_offset, epoch = (int(entries[name][number]) for name in ("last_offset", "producer_epoch"))
            seen_offset, seen_epoch = self._data.get(id, (-1, -1))
            if -1 < last_offset < seen_offset:
                message = f"last offset {last_offset}, and the log has a batch of it that ends at {seen_offset}"
                yield snapshot.at(OLDER, number, "last_offset", message, f">= {seen_offset}", last_offset)
            if epoch < seen_epoch:
                message = f"epoch {epoch}, and the log has {seen_epoch}"
                yield snapshot.at(OLDER, number, "producer_epoch", message, f">= {seen_epoch}", epoch)
            marker = self._markers.get(id)
            if not is_apart or marker is None:
                continue
            stored = int(entries["coordinator_epoch"][number])
            if marker.coordinator_epoch is not None and stored not in (-1, marker.coordinator_epoch):
                message = (
                    f"coordinator epoch {stored}, and its marker at {marker.offset} has {marker.coordinator_epoch}"
                )
                yield snapshot.at(COORDINATOR, number, "coordinator_epoch", message, marker.coordinator_epoch, stored)
            first = int(entries[_TRANSACTION][number])
            if -1 < first < marker.offset:
                message = f"a transaction open since {first}, and its marker at {marker.offset} has ended it"
                yield snapshot.at(OPEN, number, _TRANSACTION, message, -1, first)
        for id, known in self._open.items() if is_apart else ():
            number = numbers.get(id, -1)
            first = int(entries[_TRANSACTION][number]) if number >= 0 else -1
            message = f"the log has a transaction that is open since {known.first_offset}"
            if number < 0:
                yield OPEN.at(snapshot.file, None, _PATH, f"producer {id} has no entry, and {message}", id, None)
            elif not -1 < first <= known.first_offset:
                yield snapshot.at(OPEN, number, _TRANSACTION, message, f"<= {known.first_offset}", first)

    def _placed(self, snapshot: Snapshot, number: int) -> Iterator[Finding]:
        """Findings on the batches that the log has at the entries' offsets."""
        if snapshot.findings:
            return
        at, entries = self._places, snapshot.entries
        assert at.headers is not None
        start = len(_OFFSETS) * sum(len(item.entries) for item in self._snapshots[:number])
        for index, name in enumerate(_OFFSETS):
            rows = np.arange(start + index * len(entries), start + (index + 1) * len(entries))
            offset, header = at.offset[rows], at.headers[rows]
            known = (offset >= 0) & at.is_found[rows] & (at.base_offset[rows] <= offset)
            for entry in np.flatnonzero(known).tolist():
                message = _differs(header[entry], entries[entry], name, int(at.last_offset[rows[entry]]))
                if message:
                    broken = LAST_BATCH if name == "last_offset" else OPEN
                    text = f"{name} {offset[entry]}: {message}"
                    yield snapshot.at(broken, entry, name, text, None, int(offset[entry]))


_TRANSACTION: Final = "current_txn_first_offset"
_OFFSETS: Final = ("last_offset", _TRANSACTION)
_BITS: Final = layout("record_batch").bit_readers("attributes")


def _differs(header: Any, entry: Any, name: str, last_offset: int) -> str:
    """How the batch at an entry's offset contradicts the entry; "" if it does not."""
    id = int(header["producer_id"])
    if header["magic"] < 2 or id != entry["producer_id"]:
        return f"the batch there is of producer {id}" if id >= 0 else "the batch there has no producer id"
    attributes = int(header["attributes"])
    is_control, is_transactional = (_BITS[bit](attributes) for bit in ("is_control", "is_transactional"))
    if is_control:
        return "the batch there is a marker" if name == _TRANSACTION else ""  # the first versions noted markers, too
    if name == _TRANSACTION:
        if not is_transactional:
            return "the batch there is in no transaction"
        return "" if header["base_offset"] == entry[name] else f"the batch there begins at {header['base_offset']}"
    sequence = add_sequence(int(header["base_sequence"]), int(header["last_offset_delta"]))
    for what, expected, found in (
        ("ends at", last_offset, int(entry["last_offset"])),
        ("ends with sequence", sequence, int(entry["last_sequence"])),
        ("has last offset delta", int(header["last_offset_delta"]), int(entry["offset_delta"])),
    ):
        if expected != found:
            return f"the batch there {what} {expected}, the entry says {found}"
    return ""

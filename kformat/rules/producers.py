"""What a partition knows of its producers: the log's own account of it, and the snapshots that brokers take of it.

`Journal` is fed with the blocks of all logs of a folder, in order, and keeps what can be said for certain of the
producers that somebody asks about, and of the transactions that are open. Compaction and retention remove evidence, and
brokers forget producers that were silent for long; so only what contradicts the log is found:

* A gap between batches may have held anything: behind it no transaction counts as open.
* A producer without an entry may have been forgotten, unless it has an open transaction, which is never forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from kformat.checksum import ALGORITHMS
from kformat.errors import DataError
from kformat.framing import HEADER_BYTES
from kformat.layout import layout
from kformat.records import Batch, add_sequence, parse_control_record
from kformat.rules import MOST_FINDINGS, Finding, Rule, at_most, rule
from kformat.rules.entries import BatchesByOffset, Int64Array
from kformat.rules.framing import Block
from kformat.source import ByteSource

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
    "`crc` of a snapshot is the CRC-32C of the bytes behind it.",
    source="ProducerStateManager.readSnapshot",
    kafka="Deletes the snapshot when it loads the log, and reads an older one and the log from there on.",
)
SIZE: Final = rule(
    "KF0703",
    "warning",
    "A snapshot holds as many entries as it says, and nothing behind them.",
    source="ProducerStateManager.readSnapshot, writeSnapshot",
    kafka="Deletes the snapshot when it loads the log, and reads an older one and the log from there on.",
)
VALUE: Final = rule(
    "KF0704",
    "error",
    "Producer ids are not negative, and nothing in an entry is below -1.",
    source="ProducerStateEntry, ProducerAppendInfo",
    kafka="Takes it as it is: duplicates pass, or what is none is refused.",
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

_SNAPSHOT: Final = layout("producer_snapshot")
_ENTRY: Final = layout("producer_snapshot::entry")
_ALGORITHM, _, _COVERED_FROM = _SNAPSHOT.checksum()
_ENTRIES_FROM: Final = _SNAPSHOT.position("entries")
_READ_VERSION, _READ_CRC, _READ_COUNT = (_SNAPSHOT.reader(name) for name in ("version", "crc", "entries_count"))
_PATH: Final = "producer_snapshot"
_MOST_MARKERS: Final = 4096


@dataclass(frozen=True, slots=True)
class Aborted:
    """A transaction that the log shows to be aborted: its first batch that is there, and its marker.

    ``position`` is the marker's in its log; ``after`` the offset of the producer's marker before, None where it is not
    known; ``open_from`` where the oldest transaction begins that is open then, None for none. Of what lies before
    ``since`` nothing is known.
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


@dataclass(frozen=True, slots=True)
class _Marker:
    offset: int
    coordinator_epoch: int | None


@dataclass
class Snapshot:
    """A snapshot as read; ``entries`` has no element where they cannot be trusted."""

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
        message = f"{len(data)} bytes, and a snapshot without entries has {_ENTRIES_FROM}"
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
    computed = ALGORITHMS[_ALGORITHM](memoryview(data)[_COVERED_FROM:])
    if computed != stored:
        message = f"stored {stored:08x}, computed {computed:08x}"
        position = _SNAPSHOT.position("crc")
        finding = CHECKSUM.at(file, position, f"{_PATH}.crc", message, f"{computed:08x}", f"{stored:08x}")
        return Snapshot(file, offset, nothing, [finding])
    found = Snapshot(file, offset, np.frombuffer(data, dtype=_ENTRY.dtype, offset=_ENTRIES_FROM))
    found.findings = at_most(_entry_findings(found))
    return found


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


class Journal:
    """What the logs of a folder say of producers: feed the blocks of its segments in order.

    Args:
        snapshots: those to be held against the logs.

    ``aborted`` collects the aborted transactions that are seen; a caller takes them out segment by segment.
    """

    def __init__(self, snapshots: list[Snapshot]) -> None:
        self._waiting = sorted(
            (item for item in snapshots if item.offset is not None), key=lambda item: item.offset or 0
        )
        ids = [item.entries["producer_id"].astype(np.int64) for item in snapshots]
        self._asked: Int64Array = np.unique(np.concatenate(ids)) if ids else np.zeros(0, dtype=np.int64)
        self._watched = self._asked
        self._watched_set = set(self._watched.tolist())
        offsets = [item.entries[name].astype(np.int64) for item in self._waiting for name in _OFFSETS]
        self._places = BatchesByOffset(np.concatenate(offsets) if offsets else np.zeros(0, np.int64), keep_headers=True)
        self._snapshots = list(self._waiting)
        self._next_offset: int | None = None
        self._data: dict[int, tuple[int, int]] = {}  # producer -> last offset of its last batch with data, epoch
        self._open: dict[int, _OpenTransaction] = {}  # in the order in which they began
        self._since = 0
        self._markers: dict[int, _Marker] = {}
        self._gaps = self._gaps_seen = 0
        self._parsed: dict[bytes, tuple[str, int] | None] = {}
        self._findings: list[Finding] = []
        self.aborted: list[Aborted] = []

    def watch(self, producers: Int64Array) -> None:
        """Keep the last markers of these producers, too, from now on, until the next call."""
        self._watched = np.union1d(self._asked, producers)
        self._watched_set = set(self._watched.tolist())

    def feed(self, block: Block) -> None:
        """Take in a block; blocks come in order of position, segments in order of their base offsets."""
        self._places.feed(block)
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        headers = block.headers
        first, last = headers.base_offset[rows], headers.last_offset[rows]
        has_gap = block.after_hole[rows].copy()
        has_gap[1:] |= first[1:] != last[:-1] + 1
        has_gap[0] |= self._next_offset != int(first[0])
        gaps = self._gaps + np.cumsum(has_gap)
        highest = np.maximum.accumulate(last)
        start = 0
        while self._waiting:
            offset = self._waiting[0].offset or 0
            end = int(np.searchsorted(highest, offset))
            if end == len(rows):
                break
            self._take(block, rows[start:end], gaps[start:end])
            before = int(last[end - 1]) + 1 if end else self._next_offset
            self._judge(self._waiting.pop(0), before == offset, int(gaps[end - 1]) if end else self._gaps)
            start = end
        self._take(block, rows[start:], gaps[start:])
        self._gaps, self._next_offset = int(gaps[-1]), int(last[-1]) + 1

    def _take(self, block: Block, rows: Any, gaps: Any) -> None:
        """Note what some sound batches say."""
        headers = block.headers
        producer = headers.producer_id[rows]
        if block.is_legacy or not np.any(producer >= 0):
            return
        if len(self._watched):
            is_data = (headers.is_control[rows] == 0) & (headers.base_sequence[rows] >= 0)
            epoch = headers.producer_epoch[rows]
            of_watched = np.flatnonzero(np.isin(producer, self._watched))[::-1]
            for index in of_watched[np.unique(producer[of_watched], return_index=True)[1]].tolist():
                before = self._data.get(int(producer[index]), (-1, -1))
                self._data[int(producer[index])] = before[0], max(before[1], int(epoch[index]))
            of_watched = of_watched[is_data[of_watched]]
            for index in of_watched[np.unique(producer[of_watched], return_index=True)[1]].tolist():
                before = self._data[int(producer[index])]
                self._data[int(producer[index])] = int(headers.last_offset[rows[index]]), before[1]
        chosen = np.flatnonzero((headers.is_transactional[rows] == 1) & (producer >= 0))
        picked = rows[chosen]
        columns = (
            picked,
            gaps[chosen],
            producer[chosen],
            headers.is_control[picked],
            headers.base_offset[picked],
            headers.records_count[picked],
        )
        for row, gap, id, is_control, offset, count in zip(*(column.tolist() for column in columns), strict=True):
            if gap != self._gaps_seen:
                self._settle(gap)
                self._since = offset
            if is_control:
                self._end(block, row, id, offset)
                continue
            known = self._open.get(id)
            if known is None:
                marker = self._markers.get(id)
                self._open[id] = _OpenTransaction(offset, count > 0, None if marker is None else marker.offset)
            else:
                known.has_records |= count > 0

    def _settle(self, gap: int) -> None:
        """Behind a gap nothing is known to be open, nor which marker was the last."""
        if gap != self._gaps_seen:
            self._open.clear()
            self._markers.clear()
            self._gaps_seen = gap

    def _end(self, block: Block, row: int, id: int, offset: int) -> None:
        known = self._open.pop(id, None)
        if known is None and id not in self._watched_set:
            return
        said = self.parse_marker(block.raw(row))
        if known is not None and known.has_records and said is not None and said[0] == "abort":
            position = int(block.headers.position[row])
            oldest = next((other.first_offset for other in self._open.values()), None)
            self.aborted.append(Aborted(id, known.first_offset, offset, position, known.after, oldest, self._since))
        if id in self._watched_set:
            self._markers[id] = _Marker(offset, None if said is None else said[1])

    def parse_marker(self, raw: bytes) -> tuple[str, int] | None:
        """``abort`` or ``commit``, and the coordinator's epoch; None for anything else. Most markers look alike."""
        payload = raw[HEADER_BYTES:]
        if payload not in self._parsed:
            if len(self._parsed) >= _MOST_MARKERS:
                self._parsed.clear()
            self._parsed[payload] = parse_marker(raw)
        return self._parsed[payload]

    def findings(self, log_end_offset: int | None) -> Iterator[Finding]:
        """What contradicts the logs, when all of them have been fed; ``log_end_offset``: None where it is not known."""
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
        yield from sorted(self._findings, key=lambda finding: (finding.file, finding.position or 0))

    def _judge(self, snapshot: Snapshot, is_apart: bool, gap: int) -> None:
        """Hold a snapshot against the log below its offset; ``is_apart``: the batches there end at the offset."""
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
            found = int(entries["coordinator_epoch"][number])
            if marker.coordinator_epoch is not None and found not in (-1, marker.coordinator_epoch):
                message = f"coordinator epoch {found}, and its marker at {marker.offset} has {marker.coordinator_epoch}"
                yield snapshot.at(COORDINATOR, number, "coordinator_epoch", message, marker.coordinator_epoch, found)
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
        """What the log has at the offsets that the entries name."""
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
_BITS: Final = layout("record_batch").bits("attributes")


def _differs(header: Any, entry: Any, name: str, last_offset: int) -> str:
    """How the batch at an entry's offset contradicts the entry; "" where it does not."""
    id = int(header["producer_id"])
    if header["magic"] < 2 or id != entry["producer_id"]:
        return f"the batch there is of producer {id}" if id >= 0 else "the batch there is of no producer"
    attributes = int(header["attributes"])
    is_control, is_transactional = (
        attributes >> _BITS[bit].shift & _BITS[bit].mask for bit in ("is_control", "is_transactional")
    )
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


def parse_marker(raw: bytes) -> tuple[str, int] | None:
    """What the end of a transaction says: ``abort`` or ``commit``, and the coordinator's epoch; None for others."""
    try:
        batch = Batch(raw)
        if not batch.is_control:
            return None
        key, value = parse_control_record(next(batch.records()))
    except (DataError, StopIteration):
        return None
    name = getattr(key.type, "name", None)
    return (name, int(value.coordinator_epoch)) if name in ("abort", "commit") and value is not None else None

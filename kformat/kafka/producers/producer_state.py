"""What a partition knows of its idempotent and transactional producers: Kafka's ProducerStateManager, without files.

`ProducerState` takes batches in the order of the log and keeps for each producer the epoch, the last five batches, the
open transaction and the coordinator's epoch. From these follow which batches are duplicates, which are refused, which
transactions a marker aborts (the entries of `.txnindex`), the first offset that is not decided yet, and the bytes of a
`.snapshot`.

Rules (ProducerStateManager, ProducerAppendInfo, ProducerStateEntry):

* The batches of one append are checked together before any of them changes the state; a refusal leaves it as it was.
* Sequence numbers go up by one per record, and 0 comes after 2147483647. An unknown producer may begin with any
  sequence number; a new epoch begins with 0.
* ``origin`` says how much is checked. ``client``: epoch and sequence. ``coordinator``: epochs alone. ``replication``:
  none of these, because a leader has checked them. All three refuse a batch outside of the open transaction of its
  producer. ``log``: stored batches are accepted as they are.
* A transaction that a marker has ended is stable at once: there are no replicas, so the high watermark is the log's
  end.
* A snapshot's entries have the order of Java's HashMap with the same history, so that the bytes are a broker's.
  (Java orders the entries of a bucket differently where more than eight producer ids fall into it.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from kformat.codec.constructs import build, parse
from kformat.errors import (
    DataError,
    InvalidProducerEpochError,
    InvalidTransactionStateError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
)
from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import BatchHeaders
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES
from kformat.kafka.batch.records import Batch, add_sequence, add_sequences, parse_control_record, subtract_sequence
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.language.layout import layout

Origin = Literal["client", "coordinator", "replication", "log"]
"""Where a batch comes from (AppendOrigin). Kafka has no ``log``: it does not start if a stored batch is refused."""

BATCHES_KEPT: Final = 5
"""How many of a producer's batches are searched for duplicates (NUM_BATCHES_TO_RETAIN)."""

DEFAULT_EXPIRATION_MS: Final = 86_400_000
"""Kafka's default of `producer.id.expiration.ms`."""

NO_EPOCH: Final = -1
NO_SEQUENCE: Final = -1
NO_TIMESTAMP: Final = -1
_NONE: Final = -1
_MOST_MARKERS: Final = 4096
_JAVA_CAPACITY: Final = 16
_SNAPSHOT: Final = layout("producer_snapshot")
_ENTRY: Final = layout("producer_snapshot::entry")
_ENTRIES_FROM: Final = _SNAPSHOT.position("entries")
_SET_VERSION: Final = _SNAPSHOT.writer("version")
_SET_COUNT: Final = _SNAPSHOT.writer("entries_count")
_ABORTED: Final = layout("transaction_index::entry")


class EndMarker(NamedTuple):
    """The content of a marker: ``abort`` or ``commit``, and the coordinator's epoch."""

    kind: str
    coordinator_epoch: int


class ProducerBatch(NamedTuple):
    """The facts of a batch that a producer's state needs; ``marker`` is None if a control batch has none."""

    producer_id: int
    producer_epoch: int
    base_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    is_transactional: bool
    is_control: bool
    marker: EndMarker | None


class BatchMetadata(NamedTuple):
    """A batch that a producer has appended; ``offset_delta`` is the last offset less the first."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        return subtract_sequence(self.last_sequence, self.offset_delta)

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class CompletedTransaction(NamedTuple):
    """A transaction that a marker has ended; ``last_offset`` is the marker's."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class AbortedTransaction(NamedTuple):
    """An entry of a `.txnindex` (AbortedTxn)."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


def _kept() -> deque[BatchMetadata]:
    return deque(maxlen=BATCHES_KEPT)


@dataclass(slots=True)
class ProducerEntry:
    """The state of one producer (ProducerStateEntry); -1 and None for what is unknown."""

    producer_id: int
    producer_epoch: int = NO_EPOCH
    coordinator_epoch: int = NO_EPOCH
    last_timestamp: int = NO_TIMESTAMP
    current_txn_first_offset: int | None = None
    batches: deque[BatchMetadata] = field(default_factory=_kept)

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_offset(self) -> int:
        """Of the last batch with records of the producer; -1 for none."""
        return self.batches[-1].last_offset if self.batches else _NONE

    @property
    def last_offset_delta(self) -> int:
        return self.batches[-1].offset_delta if self.batches else 0

    def duplicate_of(self, batch: ProducerBatch) -> BatchMetadata | None:
        """The batch that was appended with this epoch and exactly these sequence numbers (findDuplicateBatch)."""
        if batch.producer_epoch == self.producer_epoch:
            for known in self.batches:
                if known.last_sequence == batch.last_sequence and known.first_sequence == batch.base_sequence:
                    return known
        return None

    def without_batches(self) -> ProducerEntry:
        """The same producer, with none of its batches."""
        return replace(self, batches=_kept())

    def copy(self) -> ProducerEntry:
        """A copy that can be changed independently."""
        return replace(self, batches=deque(self.batches, maxlen=BATCHES_KEPT))

    def set_epoch(self, epoch: int) -> None:
        """Begin another epoch, which forgets the batches of the one before (maybeUpdateProducerEpoch)."""
        if epoch != self.producer_epoch:
            self.batches.clear()
            self.producer_epoch = epoch

    def take(self, newer: ProducerEntry) -> None:
        """Apply the result of an append (ProducerStateEntry.update)."""
        self.set_epoch(newer.producer_epoch)
        self.batches.extend(newer.batches)
        self.coordinator_epoch = newer.coordinator_epoch
        self.current_txn_first_offset = newer.current_txn_first_offset
        self.last_timestamp = newer.last_timestamp


class _Append:
    """The effect of one append on one producer (ProducerAppendInfo)."""

    __slots__ = ("current", "origin", "started", "updated")

    def __init__(self, current: ProducerEntry | None, producer_id: int, origin: Origin) -> None:
        self.current = ProducerEntry(producer_id) if current is None else current
        self.updated = self.current.without_batches()
        self.origin = origin
        self.started: list[int] = []

    def take(self, batch: ProducerBatch) -> CompletedTransaction | None:
        if not batch.is_control:
            self._data(batch)
            return None
        return None if batch.marker is None else self._marker(batch, batch.marker)

    def _data(self, batch: ProducerBatch) -> None:
        updated = self.updated
        if self.origin in ("client", "coordinator"):
            self._check_epoch(batch)
        if self.origin == "client":
            self._check_sequence(batch)
        updated.set_epoch(batch.producer_epoch)
        first, last = batch.base_offset, batch.last_offset
        updated.batches.append(BatchMetadata(batch.last_sequence, last, last - first, batch.max_timestamp))
        updated.last_timestamp = batch.max_timestamp
        if batch.is_transactional:
            if updated.current_txn_first_offset is None:
                updated.current_txn_first_offset = first
                self.started.append(first)
        elif updated.current_txn_first_offset is not None and self.origin != "log":
            raise InvalidTransactionStateError(
                f"producer {batch.producer_id} has a transaction that is open since offset "
                f"{updated.current_txn_first_offset}; its batch at offset {first} is not transactional"
            )

    def _marker(self, batch: ProducerBatch, marker: EndMarker) -> CompletedTransaction | None:
        updated = self.updated
        if self.origin in ("client", "coordinator"):
            self._check_epoch(batch)
            if updated.coordinator_epoch > marker.coordinator_epoch:
                raise TransactionCoordinatorFencedError(
                    f"the marker of producer {batch.producer_id} at offset {batch.base_offset} has coordinator epoch "
                    f"{marker.coordinator_epoch}; {updated.coordinator_epoch} was seen before"
                )
        first = updated.current_txn_first_offset
        updated.set_epoch(batch.producer_epoch)
        updated.coordinator_epoch = marker.coordinator_epoch
        updated.current_txn_first_offset = None
        updated.last_timestamp = batch.max_timestamp
        if first is None:
            return None
        return CompletedTransaction(batch.producer_id, first, batch.base_offset, marker.kind == "abort")

    def _check_epoch(self, batch: ProducerBatch) -> None:
        if batch.producer_epoch < self.updated.producer_epoch:
            raise InvalidProducerEpochError(
                f"the batch of producer {batch.producer_id} at offset {batch.base_offset} has epoch "
                f"{batch.producer_epoch}; {self.updated.producer_epoch} was seen before"
            )

    def _check_sequence(self, batch: ProducerBatch) -> None:
        updated, current, sequence = self.updated, self.current, batch.base_sequence
        if batch.producer_epoch != updated.producer_epoch:
            if sequence != 0 and updated.producer_epoch != NO_EPOCH:
                raise OutOfOrderSequenceError(
                    f"epoch {batch.producer_epoch} of producer {batch.producer_id} begins at offset "
                    f"{batch.base_offset} with sequence {sequence}; 0 is expected after epoch {updated.producer_epoch}"
                )
            return
        if updated.batches:
            last = updated.last_sequence
        else:
            last = current.last_sequence if batch.producer_epoch == current.producer_epoch else NO_SEQUENCE
        if current.producer_epoch == NO_EPOCH or sequence == last + 1 or (sequence == 0 and last == MAX_INT32):
            return
        raise OutOfOrderSequenceError(
            f"the batch of producer {batch.producer_id} at offset {batch.base_offset} begins with sequence {sequence}; "
            f"{add_sequence(last, 1) if last >= 0 else 0} is expected after {last}"
        )


class _OpenTransactions:
    """The first offsets of open transactions. All it does takes the logarithm of their number: a segment that is loaded
    is one append, and may have a million.
    """

    def __init__(self) -> None:
        self._producers: dict[int, int] = {}  # first offset -> producer id
        self._own: dict[int, list[int]] = {}  # producer id -> heap of its offsets, also of some that have ended
        # A heap of each producer's first offset, and the producer; also of some that have ended.
        self._firsts: list[tuple[int, int]] = []

    def add(self, first_offset: int, producer_id: int) -> None:
        self._producers[first_offset] = producer_id
        own = self._own.setdefault(producer_id, [])
        heappush(own, first_offset)
        if own[0] == first_offset:
            heappush(self._firsts, (first_offset, producer_id))

    def remove(self, first_offset: int) -> None:
        producer_id = self._producers.pop(first_offset, None)
        if producer_id is None:
            return
        own = self._own[producer_id]
        had = own[0]
        while own and self._producers.get(own[0]) != producer_id:
            heappop(own)
        if not own:
            del self._own[producer_id]
        elif own[0] != had:
            heappush(self._firsts, (own[0], producer_id))

    def first(self) -> int | None:
        """The first of all; None if none is open."""
        while self._firsts and self._own.get(self._firsts[0][1], [None])[0] != self._firsts[0][0]:
            heappop(self._firsts)
        return self._firsts[0][0] if self._firsts else None

    def first_of_others(self, producer_id: int) -> int | None:
        """The first that is not of a producer."""
        first = self.first()
        if first is None or self._firsts[0][1] != producer_id:
            return first
        own = heappop(self._firsts)
        while self._firsts and self._firsts[0] == own:  # it became the first more than once
            heappop(self._firsts)
        other = self.first()
        heappush(self._firsts, own)
        return other


class ProducerState:
    """The state of all producers; see the module.

    Attributes:
        entries: producer id -> entry.
        map_end_offset: one above the last offset that the state covers.
        expiration_ms: how long after its last timestamp a producer without an open transaction is forgotten.
    """

    def __init__(self, expiration_ms: int = DEFAULT_EXPIRATION_MS) -> None:
        self.entries: dict[int, ProducerEntry] = {}
        self.map_end_offset = 0
        self.expiration_ms = expiration_ms
        self._open = _OpenTransactions()
        self._capacity = _JAVA_CAPACITY

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<ProducerState of {len(self.entries)} producers below offset {self.map_end_offset}>"

    # What is known

    @property
    def first_unstable_offset(self) -> int | None:
        """The first offset of the oldest open transaction; None where none is open."""
        return self._open.first()

    def last_stable_offset(self, completed: CompletedTransaction) -> int:
        """The last stable offset once a transaction is completed: the first open one of another producer, or one after
        the marker."""
        first = self._open.first_of_others(completed.producer_id)
        return completed.last_offset + 1 if first is None else first

    def duplicate_of(self, batch: ProducerBatch) -> BatchMetadata | None:
        """The batch that this one repeats, if it is among its producer's last five."""
        entry = self.entries.get(batch.producer_id)
        return None if entry is None else entry.duplicate_of(batch)

    def is_expired(self, entry: ProducerEntry, now_ms: int) -> bool:
        """Whether a producer can be forgotten; never while it has an open transaction."""
        return entry.current_txn_first_offset is None and now_ms - entry.last_timestamp >= self.expiration_ms

    # What changes it

    def append(self, batches: Iterable[ProducerBatch], origin: Origin = "replication") -> list[AbortedTransaction]:
        """Apply the batches of one append, in order; return the transactions that it aborts, as `.txnindex` has them.

        Raises:
            InvalidProducerEpochError, OutOfOrderSequenceError, TransactionCoordinatorFencedError,
            InvalidTransactionStateError: see `Origin`; the state is as it was.
        """
        infos: dict[int, _Append] = {}
        completed: list[CompletedTransaction] = []
        for batch in batches:
            info = infos.get(batch.producer_id)
            if info is None:
                current = self.entries.get(batch.producer_id)
                info = infos[batch.producer_id] = _Append(current, batch.producer_id, origin)
            done = info.take(batch)
            if done is not None:
                completed.append(done)
        for producer_id, info in infos.items():
            known = self.entries.get(producer_id)
            if known is None:
                self._add(info.updated)
            else:
                known.take(info.updated)
            for first in info.started:
                self._open.add(first, producer_id)
        aborted = []
        for done in completed:
            if done.is_aborted:
                aborted.append(AbortedTransaction(*done[:3], self.last_stable_offset(done)))
            self._open.remove(done.first_offset)
        return aborted

    def reopen(self, aborted: Iterable[AbortedTransaction]) -> None:
        """Open transactions again that `append` has just aborted, because no `.txnindex` lists them (UnifiedLog
        completes them after it has written that)."""
        for transaction in aborted:
            self._open.add(transaction.first_offset, transaction.producer_id)

    def scratch(self, producer_ids: Iterable[int]) -> ProducerState:
        """A state with copies of these producers' entries, to find out which appends would be refused."""
        copy = ProducerState(self.expiration_ms)
        for producer_id in producer_ids:
            if (entry := self.entries.get(producer_id)) is not None:
                copy.entries[producer_id] = entry.copy()
        return copy

    def load(self, entries: Iterable[ProducerEntry], now_ms: int) -> None:
        """Load the entries of a snapshot, except those that have expired (loadFromSnapshot)."""
        for entry in entries:
            if not self.is_expired(entry, now_ms):
                self._add(entry)
                if entry.current_txn_first_offset is not None:
                    self._open.add(entry.current_txn_first_offset, entry.producer_id)

    def remove_expired(self, now_ms: int, kept: Collection[int] = ()) -> None:
        """Forget the producers that were silent for `expiration_ms` and more, except ``kept``
        (removeExpiredProducers)."""
        for producer_id in [id for id, entry in self.entries.items() if self.is_expired(entry, now_ms)]:
            if producer_id not in kept:
                del self.entries[producer_id]

    def clear(self) -> None:
        """Forget all producers and transactions."""
        self.entries.clear()
        self._open = _OpenTransactions()

    def _add(self, entry: ProducerEntry) -> None:
        self.entries[entry.producer_id] = entry
        while len(self.entries) * 4 > self._capacity * 3:  # Java's load factor of 0.75
            self._capacity *= 2

    # Snapshots

    def snapshot(self) -> bytes:
        """The bytes of a `.snapshot` (writeSnapshot)."""
        entries = sorted(self.entries.values(), key=lambda entry: _bucket(entry.producer_id, self._capacity))
        data = bytearray(_ENTRIES_FROM) + build_entries(entries)
        _SET_VERSION(data, 0, 1)
        _SET_COUNT(data, 0, len(entries))
        _SNAPSHOT.mend(data)
        return bytes(data)


def _bucket(producer_id: int, capacity: int) -> int:
    """The bucket that a Long has in a Java HashMap of that capacity."""
    value = producer_id & (1 << 64) - 1
    hashed = (value ^ value >> 32) & (1 << 32) - 1
    return (hashed ^ hashed >> 16) & capacity - 1


def build_entries(entries: Sequence[ProducerEntry]) -> bytes:
    """The entries of a `.snapshot`, in the order given."""
    rows = np.zeros(len(entries), dtype=_ENTRY.dtype)
    for number, entry in enumerate(entries):
        first = entry.current_txn_first_offset
        rows[number] = (
            entry.producer_id,
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_offset,
            entry.last_offset_delta,
            entry.last_timestamp,
            entry.coordinator_epoch,
            _NONE if first is None else first,
        )
    return rows.tobytes()


def parse_snapshot(data: bytes, source: str = "<bytes>") -> list[ProducerEntry]:
    """The entries of a `.snapshot` (readSnapshot); DataError for one that a broker would remove."""
    parsed: Any = parse("producer_snapshot", data, source=source)
    return [_entry(entry) for entry in parsed.entries]


def _entry(stored: Any) -> ProducerEntry:
    first = int(stored.current_txn_first_offset)
    entry = ProducerEntry(
        int(stored.producer_id),
        int(stored.producer_epoch),
        int(stored.coordinator_epoch),
        int(stored.timestamp),
        first if first >= 0 else None,
    )
    if stored.last_offset >= 0:
        entry.batches.append(
            BatchMetadata(
                int(stored.last_sequence), int(stored.last_offset), int(stored.offset_delta), int(stored.timestamp)
            )
        )
    return entry


def build_aborted(transactions: Sequence[AbortedTransaction]) -> bytes:
    """The entries of a `.txnindex`."""
    rows = np.zeros(len(transactions), dtype=_ABORTED.dtype)
    for name in AbortedTransaction._fields:
        rows[name] = [getattr(transaction, name) for transaction in transactions]
    return rows.tobytes()


# --- batches -------------------------------------------------------------------------------------------------------


def batch_of(batch: Batch, *, markers: Markers | None = None) -> ProducerBatch | None:
    """The facts of a batch of magic 2 that the state needs; None if the batch has no producer id."""
    if batch.producer_id < 0:
        return None
    sequence = batch.base_sequence
    marker = None
    if batch.is_control:
        marker = parse_marker(batch.raw) if markers is None else markers.said(batch.raw)
    return ProducerBatch(
        batch.producer_id,
        batch.producer_epoch,
        sequence,
        add_sequence(sequence, batch.last_offset_delta) if sequence >= 0 else NO_SEQUENCE,
        batch.base_offset,
        batch.last_offset,
        batch.max_timestamp,
        bool(batch.is_transactional),
        bool(batch.is_control),
        marker,
    )


def batches_of(
    headers: BatchHeaders, raw: Callable[[int], bytes], markers: Markers | None = None
) -> Iterator[ProducerBatch]:
    """The facts of batches that the state needs, for those of magic 2 that have a producer id.

    ``raw`` returns the bytes of the batch of a row; it is called only for control batches.
    """
    rows = np.flatnonzero((headers.magic >= CURRENT_MAGIC) & (headers.producer_id >= 0))
    if not len(rows):
        return
    markers = markers or Markers()
    selected = headers.take(rows)
    columns = (
        *(selected.producer_id, selected.producer_epoch, selected.base_sequence),
        add_sequences(selected.base_sequence, selected.last_offset_delta),
        *(
            selected.base_offset,
            selected.last_offset,
            selected.max_timestamp,
            selected.is_transactional != 0,
            selected.is_control != 0,
        ),
    )
    for row, *values in zip(rows.tolist(), *(column.tolist() for column in columns), strict=True):
        yield ProducerBatch._make((*values, markers.said(raw(row)) if values[-1] else None))


def last_of_each(headers: BatchHeaders) -> BatchHeaders:
    """Select the batches of one read that matter to a state which takes them as one append.

    For a producer without a transactional batch among them, these are the last five; for others all.
    """
    rows = np.flatnonzero((headers.magic >= CURRENT_MAGIC) & (headers.producer_id >= 0))
    producers = headers.producer_id[rows]
    if len(rows) <= BATCHES_KEPT:
        return headers.take(rows)
    order = np.argsort(producers, kind="stable")
    ranked = producers[order]
    ends = np.searchsorted(ranked, ranked, side="right")
    is_late = ends - np.arange(len(ranked)) <= BATCHES_KEPT
    special = np.unique(producers[(headers.is_transactional[rows] != 0) | (headers.is_control[rows] != 0)])
    kept = np.zeros(len(rows), dtype=np.bool_)
    kept[order] = is_late | np.isin(ranked, special)
    return headers.take(rows[kept])


class Markers:
    """Reads markers. Most of them look alike, and each is parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[bytes, EndMarker | None] = {}

    def said(self, raw: bytes) -> EndMarker | None:
        """As `parse_marker`."""
        payload = bytes(raw[HEADER_BYTES:])
        if payload not in self._parsed:
            if len(self._parsed) >= _MOST_MARKERS:
                self._parsed.clear()
            self._parsed[payload] = parse_marker(raw)
        return self._parsed[payload]


def build_marker(
    marker: EndMarker,
    producer_id: int,
    producer_epoch: int,
    timestamp_ms: int,
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
    is_log_append_time: bool = False,
) -> bytes:
    """The batch that ends a transaction in a partition (MemoryRecords.withEndTransactionMarker)."""
    key, value = _marker_record(marker)
    return build_batch(
        Columns([timestamp_ms], [key], [value]),
        base_offset=base_offset,
        fields=BatchFields(
            leader_epoch=leader_epoch,
            append_time=timestamp_ms if is_log_append_time else None,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=NO_SEQUENCE,
            is_transactional=True,
            is_control=True,
        ),
    )


@lru_cache(maxsize=64)
def _marker_record(marker: EndMarker) -> tuple[bytes, bytes]:
    """The key and value of a marker's record."""
    value = build("end_txn_marker", {"coordinator_epoch": marker.coordinator_epoch})
    return build("control_record_type_schema", {"type": marker.kind}), value


def parse_marker(raw: bytes) -> EndMarker | None:
    """Parse the marker of a batch that ends a transaction; None for other batches."""
    try:
        batch = Batch(raw)
        if not batch.is_control:
            return None
        key, value = parse_control_record(next(batch.records()))
    except (DataError, StopIteration):
        return None
    name = getattr(key.type, "name", None)
    return EndMarker(name, int(value.coordinator_epoch)) if name in ("abort", "commit") and value is not None else None


__all__ = [
    "BATCHES_KEPT",
    "DEFAULT_EXPIRATION_MS",
    "NO_SEQUENCE",
    "AbortedTransaction",
    "BatchMetadata",
    "EndMarker",
    "Markers",
    "Origin",
    "ProducerBatch",
    "ProducerEntry",
    "ProducerState",
    "batch_of",
    "batches_of",
    "build_aborted",
    "build_marker",
    "last_of_each",
    "parse_marker",
    "parse_snapshot",
]

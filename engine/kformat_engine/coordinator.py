"""The transaction coordinator of a process: Kafka's TransactionCoordinator and TransactionStateManager.

It keeps the state of each transactional id in `__transaction_state`, in Kafka's format, so that a broker that opens the
same directory continues from it. Rules:

* The record ``Ongoing`` that names a partition is on disk before the first batch is appended to that partition: no
  batch of a transaction is ever without a record of its owner.
* A commit first syncs the transaction's batches, then the record ``PrepareCommit``. That record is the decision: before
  it, the transaction is aborted at the latest at its timeout; from then on, it is committed. Then the markers are
  written and synced, one per partition, and after all of them ``CompleteCommit``.
* With the durability ``decision``, `Transaction.commit` returns when the markers are written. They are synced, and
  ``CompleteCommit`` is written, within `MARKERS_DELAY_MS`, or before the id begins again, its log is closed or a
  partition is deleted. Until then ``PrepareCommit`` is the last record of the id, so that opening the logs, here or by
  a broker, writes the markers that are missing.
* Beginning an id again, and its timeout, raise the epoch and abort with it. A later batch of the older epoch is refused
  by its partition's log.
* Producer ids are derived from the transactional id, 2^62 and above, where brokers assign none. An id to which a broker
  assigned one of its own gets a derived one; so does an id whose epochs are exhausted.
* A partition that was deleted during its transaction needs no marker. One that is missing when the logs are opened
  again may lie in a directory that was not opened: then the transaction stays decided, but not complete.
* A log that is moved meanwhile is found in its new place. A move takes no lock of the coordinator.
* Opening logs does not touch transactions that a broker's coordinator began (producer ids below 2^62), because the root
  may hold a follower's copy of `__transaction_state`. They end when the id is begun here, or by `abort`.
* Locks are taken in this order: a transaction's, the coordinator's, a manager's, a log's. A manager that is about to
  delete a log, which then leaves the coordinator, takes the coordinator's lock first (`Coordinator.held`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from kformat.errors import InvalidProducerEpochError, KformatError, UsageError
from kformat.kafka.batch.records import Record
from kformat.kafka.files.file_kinds import folder_name, is_topic_name, parse_folder_name
from kformat.kafka.producers.producer_state import EndMarker
from kformat.kafka.producers.transaction_log import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    DEFAULT_STATE_PARTITIONS,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    TRANSACTION_STATE_TOPIC,
    TopicPartition,
    TransactionMetadata,
    build_transaction,
    check_transactional_id,
    latest_transactions,
    partition_for,
)
from kformat_engine.batching import given_records
from kformat_engine.config import LogConfig
from kformat_engine.errors import LogClosedError, UnknownPartitionError
from kformat_engine.log_appender import LogAppender
from kformat_engine.producer import FIRST_ID, MAX_EPOCH, id_from_hash
from kformat_engine.recovery.sidecars import METADATA_FILE
from kformat_engine.root import Root
from kformat_engine.scheduler import Scheduler, Task
from kformat_engine.storage import Clock
from kformat_engine.transactions import Durability, LogTransaction, Transaction, checked_durability, checked_timeout

LOG: Final = logging.getLogger(__name__)

STATE_CONFIG: Final = LogConfig(cleanup_policy=("compact",), compression_type="uncompressed", segment_bytes=100 << 20)
"""The configuration of `__transaction_state`, as a broker creates that topic."""

MARKERS_DELAY_MS: Final = 1_000
"""How long after a commit of the durability ``decision`` its markers are synced at the latest, ms."""

_HASHED_AS: Final = b"kformat transaction\0"
_PREPARED: Final = (PREPARE_COMMIT, PREPARE_ABORT)
_NO_EPOCH: Final = -1
_NO_TIMESTAMP: Final = -1


def transactional_producer_id(transactional_id: str, previous: int | None = None) -> int:
    """The producer id of a transactional id: 2^62 and above; ``previous`` is the one whose epochs are exhausted."""
    digest = hashlib.sha256(_HASHED_AS + transactional_id.encode())
    if previous is not None:
        digest.update(b"\0%d" % previous)
    return id_from_hash(digest.hexdigest())


class CoordinatedLog(Protocol):
    """The part of a `kformat_engine.log_internals.LogInternals` that the coordinator uses."""

    path: Path
    topic: str
    partition: int

    @property
    def end_offset(self) -> int: ...

    @property
    def leader_epoch(self) -> int: ...

    appender: LogAppender

    def records(self) -> Iterator[Record]: ...

    def close(self) -> None: ...


class LogFinder(Protocol):
    """Finds and opens logs for a coordinator."""

    def state_partitions(self) -> Mapping[int, bool]:
        """The existing partitions of `__transaction_state`, and whether a broker created them."""

    def state_log(self, partition: int) -> CoordinatedLog:
        """The log of one of them, which is created if it is missing."""

    def log(self, topic: str, partition: int) -> AbstractContextManager[CoordinatedLog | None]:
        """A log, or None if it was deleted; raises if the log exists and cannot be used."""

    def was_replaced(self, log: CoordinatedLog) -> bool:
        """Whether a log was closed because it was moved: `log` gives another one, or none."""

    def producer_epoch(self, producer_id: int) -> int:
        """The latest epoch of a producer id that the open logs know; -1 for none."""

    def later(self, name: str, work: Callable[[], object], delay_ms: int) -> Task:
        """Schedule work in the background."""

    def note(self, error: BaseException) -> None:
        """Record an error of background work."""

    def join(self, log: CoordinatedLog) -> None:
        """Register a log as a user of the coordinator, until `leave`."""

    def leave(self, log: CoordinatedLog) -> bool:
        """Unregister a log that is about to be closed; returns whether the coordinator has no more users."""

    def close(self) -> None:
        """Close the logs that were opened for the coordinator alone."""


class _StateRecord(NamedTuple):
    """A record of `__transaction_state` that may not be on disk: its content, its log, and the offset after it."""

    metadata: TransactionMetadata
    log: CoordinatedLog
    end_offset: int

    def sync(self) -> None:
        """Return when it is on disk. The caller needs no lock of the coordinator's: threads share syncs."""
        self.log.appender.sync_to(self.end_offset)


class Coordinator:
    """See the module. Safe to use from several threads.

    Attributes:
        is_closed: whether `close` was called.
    """

    def __init__(self, places: LogFinder, clock: Clock) -> None:
        self.places, self._clock = places, clock
        self._lock = threading.RLock()
        self._known: dict[str, TransactionMetadata] = {}
        self._owners: dict[str, Transaction] = {}
        self._last_states: WeakKeyDictionary[Transaction, str] = WeakKeyDictionary()
        self._named: WeakKeyDictionary[Transaction, frozenset[TopicPartition]] = WeakKeyDictionary()
        """The partitions that the records of a transaction on disk name."""
        self._ongoing: set[str] = set()
        self._begun: set[str] = set()
        self._decisions: dict[str, _StateRecord] = {}
        """The records of ``_PREPARED`` states that were written here."""
        self._marked: dict[str, dict[TopicPartition, tuple[CoordinatedLog, int]]] = {}
        """The committed ids whose markers are written: partition -> its log, and up to which offset to sync that."""
        self._partition_count = DEFAULT_STATE_PARTITIONS
        self._is_loaded = False
        self._task: Task | None = None
        self._task_due_ms = 0
        self._marked_task: Task | None = None
        self.is_closed = False

    def held(self) -> AbstractContextManager[object]:
        """The coordinator's lock, for `with`: other threads cannot use the coordinator meanwhile."""
        return self._lock

    # State

    def transactions(self) -> tuple[TransactionMetadata, ...]:
        """The state of each transactional id, by id. Raises what reading `__transaction_state` raises."""
        with self._lock:
            self._load()
            return tuple(self._known[transactional_id] for transactional_id in sorted(self._known))

    def state_of(self, transaction: Transaction) -> str:
        """The state of a transaction, ended or not."""
        with self._lock:
            known = self._known.get(transaction.transactional_id)
            is_it = known is not None and known.producer_id == transaction.producer_id
            if known is not None and is_it and known.producer_epoch == transaction.producer_epoch:
                return known.state
            last = self._last_states.get(transaction, EMPTY)
            # The id was begun again, which completes a commit first.
            return COMPLETE_COMMIT if last == PREPARE_COMMIT else last

    def _load(self) -> None:
        if self._is_loaded:
            return
        partitions = self.places.state_partitions()
        count = _partition_count(partitions)
        known: dict[str, TransactionMetadata] = {}
        for partition in sorted(partitions):
            log = self.places.state_log(partition)
            for transactional_id, metadata in latest_transactions(log.records(), str(log.path)).items():
                if partition_for(transactional_id, count) != partition:
                    expected = partition_for(transactional_id, count)
                    raise UsageError(
                        f"{log.path}: if {TRANSACTION_STATE_TOPIC} had {count} partitions, the transactional id "
                        f"{transactional_id!r} would be in partition {expected}; transactions need a root that has all "
                        "partitions of that topic"
                    )
                known[transactional_id] = metadata
        self._known, self._partition_count, self._is_loaded = known, count, True
        self._ongoing = {
            transaction.transactional_id
            for transaction in known.values()
            if transaction.state == ONGOING and _is_own(transaction)
        }

    # Transactions

    def begin(
        self,
        transactional_id: str,
        timeout_ms: int,
        durability: Durability,
        *,
        partitions: Iterable[TopicPartition] = (),
        place: TopicPartition | None = None,
    ) -> Transaction:
        """Begin a transaction; ``partitions`` are named by its first record, with ``place`` it is one of that partition
        alone. The previous object of the same id is fenced, and its transaction aborted."""
        check_transactional_id(transactional_id)
        checked_timeout(timeout_ms)
        checked_durability(durability)
        with self._lock:
            self._check_open()
            self._load()
            known = self._known.get(transactional_id)
            if known is not None and known.state == ONGOING:
                self._fence(known)
            elif known is not None and known.state in _PREPARED:
                missing = self._complete(known, if_open=True)
                if missing and known.state == PREPARE_COMMIT:
                    raise UnknownPartitionError(
                        f"the transaction {transactional_id!r} is committed, and there is no partition "
                        f"{folder_name(*missing[0])} here to write its marker to; open the directory that has it, or "
                        "abort the transactional id to go on without it"
                    )
            self._forget_owner(transactional_id)
            producer_id, epoch = self._next_epoch(transactional_id)
            arguments = self, transactional_id, producer_id, epoch, timeout_ms, durability
            transaction = Transaction(*arguments) if place is None else LogTransaction(*arguments, *place)
            transaction.partitions = frozenset(partitions)
            self._known[transactional_id] = TransactionMetadata(
                *(transactional_id, producer_id, epoch, EMPTY, timeout_ms, frozenset(), _NO_TIMESTAMP, self._clock())
            )
            self._owners[transactional_id] = transaction
            return transaction

    def _next_epoch(self, transactional_id: str) -> tuple[int, int]:
        """The producer id and epoch of the id's next transaction."""
        known = self._known.get(transactional_id)
        if known is None:
            producer_id, epoch = transactional_producer_id(transactional_id), _NO_EPOCH
        else:
            producer_id, epoch = known.producer_id, known.producer_epoch
        if transactional_id not in self._begun:  # the logs may have a later one: its record was lost, or lies elsewhere
            epoch = max(epoch, self.places.producer_epoch(producer_id))
            self._begun.add(transactional_id)
        if producer_id < FIRST_ID or epoch >= MAX_EPOCH - 1:  # the last one is kept for fencing (isEpochExhausted)
            return transactional_producer_id(transactional_id, producer_id), 0
        return producer_id, max(epoch, _NO_EPOCH) + 1

    def append(
        self, transaction: Transaction, topic: str, partition: int, records: Any, compression: str | None
    ) -> int:
        """See `Transaction.append`."""
        if topic == TRANSACTION_STATE_TOPIC:
            raise UsageError(f"{topic} is the coordinator's own topic")
        rows = given_records(records)
        with self._lock:
            known = self._owned(transaction)
            with self._found(topic, partition) as log:
                if not len(rows):
                    return log.end_offset
                place, written = (topic, partition), None
                if place not in self._named.get(transaction, ()):
                    written = self._write_ongoing(known, transaction.partitions | {place})
        if written is not None:
            written.sync()
            self._named[transaction] = self._named.get(transaction, frozenset()) | written.metadata.partitions
        offsets: list[int] = []

        def put(log: CoordinatedLog) -> None:
            ids = transaction.producer_id, transaction.producer_epoch
            offsets.append(log.appender.append_transactional(rows, *ids, compression))

        if not _have_done(self.places, place, put):
            raise UnknownPartitionError(f"there is no partition {topic}-{partition}")
        return offsets[0]

    def _write_ongoing(self, known: TransactionMetadata, partitions: frozenset[TopicPartition]) -> _StateRecord:
        """Write a record that names more partitions. It may name them already: then it may not be on disk."""
        now_ms = self._clock()
        start_ms = known.start_timestamp if known.state == ONGOING else now_ms
        changed = replace(
            known,
            state=ONGOING,
            partitions=known.partitions | partitions,
            start_timestamp=start_ms,
            last_update_timestamp=now_ms,
        )
        written = self._write(changed)
        self._watch()
        return written

    @contextmanager
    def _found(self, topic: str, partition: int) -> Iterator[CoordinatedLog]:
        with self.places.log(topic, partition) as log:
            if log is None:
                raise UnknownPartitionError(f"there is no partition {topic}-{partition}")
            yield log

    def end(self, transaction: Transaction, is_commit: bool) -> None:
        """See `Transaction.commit` and `Transaction.abort`."""
        with self._lock:
            if self._end_again(transaction, is_commit):
                return
            known = self._owned(transaction)
            if known.state != ONGOING:  # nothing was appended
                self._forget_owner(transaction.transactional_id)
                return
        partitions = known.partitions
        if is_commit:  # a partition that was deleted meanwhile is not named: nobody could write its marker later
            is_synced = [
                _have_done(self.places, place, lambda log: log.appender.sync_records()) for place in sorted(partitions)
            ]
            partitions = frozenset(
                place for place, is_here in zip(sorted(partitions), is_synced, strict=True) if is_here
            )
        with self._lock:
            known = self._owned(transaction)
            if not is_commit:
                self._abort(known)
                return
            written = self._decide(replace(known, partitions=known.partitions & partitions), PREPARE_COMMIT)
        self._commit(transaction, written)

    def _commit(self, transaction: Transaction, written: _StateRecord) -> None:
        """Bring a commit's decision to the disk, then its markers. Others use the coordinator during the syncs, and may
        complete it: they sync the decision first."""
        written.sync()
        decided, markers = written.metadata, dict[TopicPartition, tuple[CoordinatedLog, int]]()
        with self._lock:
            if self._is_latest(decided):
                self._complete(decided, is_lazy=True)
                markers = self._marked.get(decided.transactional_id, {}).copy()
                if transaction.durability == "decision":
                    self._complete_later()
        if transaction.durability == "markers":
            with suppress(KformatError, OSError):  # `_complete` meets it, too
                for log, end_offset in markers.values():
                    log.appender.sync_to(end_offset)
            with self._lock:
                if self._is_latest(decided):
                    self._complete(decided, if_open=True)

    def _is_latest(self, decided: TransactionMetadata) -> bool:
        """Whether a transaction is decided, and nobody has completed it. LogClosedError if nobody will do it here."""
        is_latest = self._known[decided.transactional_id] is decided
        if is_latest:
            self._check_open()
        return is_latest

    def _end_again(self, transaction: Transaction, is_commit: bool) -> bool:
        """Complete a transaction that was decided before an error or an interrupt; returns whether it was decided so.
        UsageError for an abort of a committed one."""
        self._check_open()
        known = self._known.get(transaction.transactional_id)
        ids = transaction.producer_id, transaction.producer_epoch
        if known is None or (known.producer_id, known.producer_epoch) != ids or known.state in (EMPTY, ONGOING):
            return False
        is_committed = known.state in (PREPARE_COMMIT, COMPLETE_COMMIT)
        if is_committed and not is_commit:
            raise UsageError(f"the transaction {transaction.transactional_id!r} is committed: {known.state}")
        if is_committed is not is_commit:
            return False
        self._forget_owner(transaction.transactional_id)
        if known.state in _PREPARED:
            self._complete(known, if_open=True)
            self._last_states[transaction] = self._known[transaction.transactional_id].state
        return True

    def _decide(self, known: TransactionMetadata, state: str, *, is_fenced: bool = False) -> _StateRecord:
        """Write the first record of a transaction's end, which is the decision, and forget its owner."""
        decided = replace(
            known,
            state=state,
            producer_epoch=min(known.producer_epoch + is_fenced, MAX_EPOCH),
            last_update_timestamp=self._clock(),
        )
        written = self._decisions[known.transactional_id] = self._write(decided)
        self._forget_owner(known.transactional_id)
        return written

    def _abort(self, known: TransactionMetadata, *, is_fenced: bool = False) -> None:
        """Abort an open transaction; with ``is_fenced`` its owner's batches are refused from then on."""
        owner = self._owners.get(known.transactional_id)
        decided = self._decide(known, PREPARE_ABORT, is_fenced=is_fenced).metadata
        self._complete(decided, may_lack=owner is not None)
        if owner is not None:
            self._last_states[owner] = self._known[known.transactional_id].state

    def _complete(
        self, decided: TransactionMetadata, *, if_open: bool = False, may_lack: bool = False, is_lazy: bool = False
    ) -> list[TopicPartition]:
        """Write the markers and sync them, then the record ``Complete...``; with ``if_open`` only missing markers. With
        ``is_lazy``, for a transaction that was begun here, write the markers alone, and note them in ``_marked``.

        A commit's decision is synced before. A missing partition may be in a directory that is not open: then the
        transaction stays as it is, and those partitions are returned. With ``may_lack`` it was deleted, and needs no
        marker: it was here before.
        """
        is_commit = decided.state == PREPARE_COMMIT
        transactional_id = decided.transactional_id
        state_log = self._state_log(transactional_id)
        if is_commit:
            self._decisions.get(transactional_id, _StateRecord(decided, state_log, state_log.end_offset)).sync()
        marker = EndMarker("commit" if is_commit else "abort", state_log.leader_epoch)
        may_lack = may_lack or is_lazy or transactional_id in self._marked
        errors: list[Exception] = []
        missing: list[TopicPartition] = []
        marked = self._marked.setdefault(transactional_id, {}) if is_lazy else self._marked.get(transactional_id, {})

        def mark(log: CoordinatedLog) -> None:
            ids = decided.producer_id, decided.producer_epoch
            known, end = marked.get((log.topic, log.partition), (None, 0))
            if known is not log:  # else the marker is in it
                end = log.appender.end_transaction(marker, *ids, if_open=if_open)
            if is_lazy:
                marked[log.topic, log.partition] = log, end
            else:
                log.appender.sync_to(end)

        for place in sorted(decided.partitions):
            try:
                if not _have_done(self.places, place, mark) and not may_lack:
                    missing.append(place)
            except (KformatError, OSError) as error:
                errors.append(error)
        if errors:
            errors[0].add_note(
                f"the transaction {transactional_id!r} is {'committed' if is_commit else 'aborted'}; what is "
                "missing is written when it is ended again, or when the logs are opened again"
            )
            for other in errors[1:]:
                errors[0].add_note(f"also: {other!r}")
            raise errors[0]
        if missing or is_lazy:
            return missing
        self._marked.pop(transactional_id, None)
        done = replace(
            decided,
            state=COMPLETE_COMMIT if is_commit else COMPLETE_ABORT,
            partitions=frozenset(),
            last_update_timestamp=self._clock(),
        )
        if decided.next_producer_id >= 0:
            done = replace(done, producer_id=decided.next_producer_id, producer_epoch=0, next_producer_id=-1)
        self._write(done)
        self._decisions.pop(transactional_id, None)
        return []

    def _complete_later(self) -> None:
        """Schedule `complete_marked`."""
        if self._marked_task is None:
            with suppress(UsageError):  # the scheduler was closed
                self._marked_task = self.places.later("transaction-markers", self.complete_marked, MARKERS_DELAY_MS)

    def complete_marked(self) -> None:
        """Sync the markers that were only written, and write the records ``Complete...``; errors are noted, and the
        transaction stays as it is."""
        with self._lock:
            if self._marked_task is not None:
                self._marked_task.cancel()
                self._marked_task = None
            for transactional_id in list(self._marked) if not self.is_closed else ():
                try:
                    self._complete(self._known[transactional_id], if_open=True)
                except (KformatError, OSError) as error:
                    self.places.note(error)

    def _fence(self, known: TransactionMetadata) -> None:
        """Abort an open transaction with the next epoch, so that its owner is refused from then on."""
        self._abort(known, is_fenced=True)

    def abort(self, transactional_id: str) -> TransactionMetadata:
        """Abort the open transaction of an id, also that of a broker's client; for one that is decided, write the
        missing markers, except those of missing partitions.

        Raises UsageError if the id has no such transaction.
        """
        with self._lock:
            self._check_open()
            self._load()
            known = self._known.get(transactional_id)
            if known is None:
                raise UsageError(f"no transactional id {transactional_id!r} is known")
            if known.state == ONGOING:
                self._fence(known)
            elif known.state in _PREPARED:
                self._complete(known, if_open=True, may_lack=True)
            else:
                raise UsageError(f"the transactional id {transactional_id!r} has no open transaction: {known.state}")
            return self._known[transactional_id]

    def _owned(self, transaction: Transaction) -> TransactionMetadata:
        """The state of a transaction, if it is still its owner's; else InvalidProducerEpochError."""
        self._check_open()
        if self._owners.get(transaction.transactional_id) is not transaction:
            raise InvalidProducerEpochError(
                f"the transaction {transaction.transactional_id!r} of epoch {transaction.producer_epoch} was aborted: "
                "the id was begun again, or its time was over"
            )
        return self._known[transaction.transactional_id]

    def _forget_owner(self, transactional_id: str) -> None:
        self._owners.pop(transactional_id, None)

    # The log of transactions

    def _partition_of(self, transactional_id: str) -> int:
        return partition_for(transactional_id, self._partition_count)

    def _state_log(self, transactional_id: str) -> CoordinatedLog:
        return self.places.state_log(self._partition_of(transactional_id))

    def _write(self, metadata: TransactionMetadata) -> _StateRecord:
        key, value = build_transaction(metadata)
        log = self._state_log(metadata.transactional_id)
        record = {"key": key, "value": value, "timestamp": metadata.last_update_timestamp}
        end_offset = log.appender.append([record], compression="none") + 1
        self._known[metadata.transactional_id] = metadata
        owner = self._owners.get(metadata.transactional_id)
        if owner is not None:
            self._last_states[owner] = metadata.state
        if metadata.state == ONGOING:
            self._ongoing.add(metadata.transactional_id)
        else:
            self._ongoing.discard(metadata.transactional_id)
        return _StateRecord(metadata, log, end_offset)

    # Incomplete transactions and timeouts

    def resume(self) -> None:
        """After opening: complete decided transactions; abort the open ones at their timeout.

        Errors are noted, and the transaction stays as it is. Raises what reading `__transaction_state` raises.
        """
        with self._lock:
            self._load()
            for known in list(self._known.values()):
                if known.state in _PREPARED and _is_own(known):
                    try:
                        self._complete(known, if_open=True)
                    except (KformatError, OSError) as error:
                        self.places.note(error)
            self._abort_late()

    def _watch(self) -> None:
        """Schedule the check of open transactions for the earliest timeout, unless it comes earlier."""
        dues = [_due_ms(self._known[transactional_id]) for transactional_id in self._ongoing]
        if not dues or self.is_closed:
            return
        due_ms = min(dues)
        if self._task is not None:
            if self._task_due_ms <= due_ms:
                return
            self._task.cancel()
        self._task, self._task_due_ms = None, due_ms
        with suppress(UsageError):  # the scheduler was closed
            delay_ms = max(0, due_ms - self._clock())
            self._task = self.places.later("transaction-timeouts", self._abort_late, delay_ms)

    def _abort_late(self) -> None:
        with self._lock:
            if self.is_closed:
                return
            self._task = None
            now_ms = self._clock()
            for transactional_id in sorted(self._ongoing):
                known = self._known[transactional_id]
                if _due_ms(known) <= now_ms:
                    try:
                        self._fence(known)
                    except (KformatError, OSError) as error:
                        self._ongoing.discard(transactional_id)  # until the logs are opened again
                        self.places.note(error)
            self._watch()

    # Closing

    def _check_open(self) -> None:
        if self.is_closed:
            raise LogClosedError("the logs of the transaction were closed")

    def leave(self, log: CoordinatedLog) -> None:
        """Abort the transactions that were begun in a log, which is about to be closed."""
        with self._lock:
            for owner in list(self._owners.values()):
                if isinstance(owner, LogTransaction) and owner.place == (log.topic, log.partition):
                    self._give_up(owner)
            self.complete_marked()
            if not self.places.leave(log):
                return
        self.close()

    def close(self) -> None:
        """Abort the transactions that were begun here, and close logs opened for them; twice is no error."""
        with self._lock:
            for owner in list(self._owners.values()):
                self._give_up(owner)
            self.complete_marked()
            for task in filter(None, (self._task, self._marked_task)):
                task.cancel()
            self.is_closed = True
            self.places.close()

    def _give_up(self, owner: Transaction) -> None:
        """Abort a transaction that has no owner any more. If that fails, the log has failed; opening it aborts."""
        known = self._known[owner.transactional_id]
        if known.state == ONGOING:
            with suppress(KformatError, OSError):
                self._abort(known)
        self._forget_owner(owner.transactional_id)


def _have_done(places: LogFinder, place: TopicPartition, act: Callable[[CoordinatedLog], object]) -> bool:
    """Call ``act`` with a log, in its new place if it is moved meanwhile; False if there is none."""
    while True:
        with places.log(*place) as log:
            if log is None:
                return False
            try:
                act(log)
                return True
            except LogClosedError:
                if not places.was_replaced(log):
                    raise


def _due_ms(known: TransactionMetadata) -> int:
    """When an open transaction is aborted, ms since 1970."""
    return known.start_timestamp + known.timeout_ms + 1


def _is_own(metadata: TransactionMetadata) -> bool:
    """Whether an id's latest transaction was begun by an engine."""
    return metadata.producer_id >= FIRST_ID


def _partition_count(partitions: Mapping[int, bool]) -> int:
    """The number of partitions of `__transaction_state`: of a broker's topic, or Kafka's default; UsageError."""
    if not any(partitions.values()):
        return DEFAULT_STATE_PARTITIONS
    count = max(partitions) + 1
    if len(partitions) != count:
        raise UsageError(
            f"only {len(partitions)} of at least {count} partitions of {TRANSACTION_STATE_TOPIC}, which a broker made, "
            "are here; transactions need all of them"
        )
    return count


class RootPlaces:
    """The logs of one root without a manager: the open ones, and others, opened for as long as they are needed.

    ``open_log`` opens a folder of the root with a configuration, or the default one.
    """

    def __init__(
        self, root: Root, open_log: Callable[[Path, LogConfig | None], CoordinatedLog], scheduler: Scheduler
    ) -> None:
        self._root, self._open_log, self._scheduler = root, open_log, scheduler
        self._opened: set[str] = set()
        self._users: list[CoordinatedLog] = []

    def join(self, log: CoordinatedLog) -> None:
        if log not in self._users:
            self._users.append(log)

    def state_partitions(self) -> Mapping[int, bool]:
        return state_partitions_in(self._root.path)

    def state_log(self, partition: int) -> CoordinatedLog:
        folder = folder_name(TRANSACTION_STATE_TOPIC, partition)
        log = self._log_in(folder)
        return self._open(folder, STATE_CONFIG) if log is None else log

    def _log_in(self, folder: str) -> CoordinatedLog | None:
        log: Any = self._root.log_in(folder)
        opened: CoordinatedLog | None = log
        return opened

    def _open(self, folder: str, config: LogConfig | None) -> CoordinatedLog:
        """Open a log that is not open; `_close` closes it, also if an interrupt comes before it is returned."""
        self._opened.add(folder)
        try:
            return self._open_log(self._root.path / folder, config)
        except BaseException:
            if self._log_in(folder) is None:
                self._opened.discard(folder)
            raise

    def _close(self, folder: str) -> None:
        log = self._log_in(folder)
        if log is not None:
            log.close()
        self._opened.discard(folder)

    @contextmanager
    def log(self, topic: str, partition: int) -> Iterator[CoordinatedLog | None]:
        folder = folder_name(topic, partition)
        log = self._log_in(folder)
        if log is not None:
            yield log
        elif is_topic_name(topic) and (self._root.path / folder).is_dir():
            try:
                yield self._open(folder, None)
            finally:
                self._close(folder)
        else:
            yield None

    def was_replaced(self, log: CoordinatedLog) -> bool:
        return False

    def producer_epoch(self, producer_id: int) -> int:
        return max((log.appender.producer_epoch(producer_id) for log in self._users), default=_NO_EPOCH)

    def later(self, name: str, work: Callable[[], object], delay_ms: int) -> Task:
        return self._scheduler.schedule(name, work, delay_ms)

    def note(self, error: BaseException) -> None:
        """Log an error; the transaction stays as it is."""
        LOG.warning("a transaction in %s could not be ended: %r", self._root.path, error)

    def leave(self, log: CoordinatedLog) -> bool:
        if log in self._users:
            self._users.remove(log)
        return not self._users

    def close(self) -> None:
        self._users.clear()
        for folder in sorted(self._opened):
            self._close(folder)


def state_partitions_in(root: Path) -> dict[int, bool]:
    """The partitions of `__transaction_state` in a root, and whether a broker created them; takes no lock. OSError."""
    partitions = {}
    with os.scandir(root) as entries:
        for entry in entries:
            name = parse_folder_name(entry.name)
            if name is not None and name.topic == TRANSACTION_STATE_TOPIC and not name.state and entry.is_dir():
                partitions[name.partition] = (root / entry.name / METADATA_FILE).exists()
    return partitions

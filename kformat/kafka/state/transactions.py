"""Transactions, as ``__transaction_state`` and the partitions themselves have them, and those that hang.

A partition's producer state says which transactions are open in it, and from which offset on. Such a transaction hangs
if its coordinator will never end it (TransactionsCommand.FindHangingTransactionsCommand, KIP-664): no transactional id
has its producer id, or the id's transaction does not have the partition; and if it was silent for longer than a
transaction may last. All but the time is known from disks, whether or not markers follow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kformat.columns.skipped import Skipped
from kformat.errors import DataError
from kformat.kafka.batch.records import Record
from kformat.kafka.log.partition import Partition
from kformat.kafka.producers.isolation import Stability
from kformat.kafka.producers.producer_state import ProducerEntry
from kformat.kafka.producers.transaction_log import (
    DEFAULT_STATE_PARTITIONS,
    TRANSACTION_STATE_TOPIC,
    TransactionMetadata,
    parse_transaction,
)
from kformat.kafka.state.cluster import Disks
from kformat.kafka.state.image import METADATA_TOPIC
from kformat.kafka.state.latest import NOW, LatestRecord, Moment, Trouble

TRANSACTION_COLUMNS: Final = (
    *("transactional_id", "coordinator_id", "producer_id", "producer_epoch", "coordinator_epoch", "state"),
    *("timeout_ms", "start_timestamp", "last_update_timestamp", "topic", "partition", "start_offset"),
    *("last_timestamp", "last_stable_offset", "log_end_offset", "is_hanging"),
)
DEFAULT_MAX_TIMEOUT_MS: Final = 15 * 60_000
"""Kafka's default of `transaction.max.timeout.ms`, and of find-hanging."""

Place = tuple[str, int]


@dataclass
class Transactions:
    """The transactional ids of a cluster.

    Attributes:
        by_id: their latest states. coordinators: the partition of ``__transaction_state`` that has each.
        trouble: what is wrong with their records.
        timestamp: of the latest record, in ms; -1 without records.
    """

    by_id: dict[str, TransactionMetadata] = field(default_factory=dict)
    coordinators: dict[str, int] = field(default_factory=dict)
    trouble: Trouble = field(default_factory=Trouble)
    timestamp: int = -1


def load_transactions(partitions: Iterable[Partition], moment: Moment = NOW, **reading: Any) -> Transactions:
    """The transactional ids that partitions of ``__transaction_state`` have.

    ``reading``: ``on_corrupt`` and ``on_skipped``, as for `Partition.record_batches`. Damage ends its partition. Raises
    OSError; UsageError for a time where records have none.
    """
    loaded = Transactions()
    for partition in partitions:
        for record in loaded.trouble.records(partition, moment, **reading):
            loaded.timestamp = max(loaded.timestamp, record.timestamp)
            _take(loaded, record, partition)
    loaded.by_id = dict(sorted(loaded.by_id.items()))
    return loaded


def _take(loaded: Transactions, record: LatestRecord, partition: Partition) -> None:
    try:
        parsed = parse_transaction(Record(record.offset, record.timestamp, 0, record.key, record.value))
    except DataError as error:
        loaded.trouble.refuse(partition, record, error)
        return
    if parsed is not None and parsed[1] is not None:
        loaded.by_id[parsed[0]], loaded.coordinators[parsed[0]] = parsed[1], partition.partition


class ClusterTransactions:
    """The transactions on some disks at their moment; raises as `load_transactions`.

    An offset is one of ``__transaction_state``: the partitions are as of the time of the last record up to it.
    """

    def __init__(self, disks: Disks, *, now_ms: int | None = None, max_timeout_ms: int | None = None) -> None:
        self._disks = disks
        disks.read_metadata()
        logs = disks.of_topic(TRANSACTION_STATE_TOPIC)
        disks.check_offset(logs)
        self._open: dict[Place, list[ProducerEntry]] = {}
        self._stable: dict[Place, int | None] = {}
        self._ends: dict[Place, int | None] = {}
        self._damaged = set[Place]()
        # Partitions come first: what a running broker ends meanwhile was silent for a short time only.
        if disks.moment.offset is None:
            self._read_partitions(disks.moment.time_ms)
        lost = list[Skipped]()
        self.loaded = load_transactions(logs, disks.moment, **self._reading(lost))
        if disks.moment.offset is not None:
            self._read_partitions(self.loaded.timestamp)
            now_ms = self.loaded.timestamp if now_ms is None else now_ms
        trouble = self.loaded.trouble
        disks.problems += trouble.problems
        self._is_sound = not (lost or trouble.refused_count or trouble.is_damaged) and all(map(self._is_complete, logs))
        self._has_all = self._is_sound and self._has_all_partitions({log.partition for log in logs})
        self._now_ms = int(time.time() * 1000) if now_ms is None else now_ms
        self._max_timeout_ms = DEFAULT_MAX_TIMEOUT_MS if max_timeout_ms is None else max_timeout_ms

    def _reading(self, lost: list[Skipped]) -> dict[str, Any]:
        """How logs are read; what is skipped is kept, too."""
        reading = self._disks.reading
        told = reading.get("on_skipped")
        if told is None:
            return reading

        def skipped(one: Skipped) -> None:
            lost.append(one)
            told(one)

        return reading | {"on_skipped": skipped}

    def _read_partitions(self, until_ms: int | None) -> None:
        for place, replica in self._disks.replicas.items():
            partition = replica.partition
            stability: Stability | None = None
            if place[0] != METADATA_TOPIC:
                stability = self._disks.attempt(lambda one=partition: one.stability(until_ms))  # type: ignore[misc]
            if stability is None:
                continue
            if stability.problem is not None:
                self._damaged.add(place)
                self._disks.problems.append(stability.problem)
            else:
                self._stable[place] = partition.last_stable_offset(stability)
                self._ends[place] = stability.next_offset if partition.segments else None
            if entries := stability.open_entries:
                self._open[place] = entries

    def _is_complete(self, log: Partition) -> bool:
        """Whether a log is one of the cluster's, and reaches as far as the files next to it say that it did."""
        place = log.topic, log.partition
        marks = [self._disks.attempt(lambda: log.high_watermark), self._disks.attempt(lambda: log.recovery_point)]
        known = [mark for mark in (*marks, *log.producer_snapshot_offsets) if mark is not None]
        return self._disks.state_of(place) in ("present", None) and self._disks.replicas[place].end_offset >= max(
            known, default=0
        )

    def _has_all_partitions(self, here: set[int]) -> bool:
        """Whether each partition of the topic is here, so that an id which none of them has is nowhere."""
        topic = self._disks.topics.get(TRANSACTION_STATE_TOPIC)
        count = DEFAULT_STATE_PARTITIONS if topic is None else len(topic.partitions)
        return here.issuperset(range(count))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each partition of a transaction, and for each in which its producer has one open; one for an id
        with neither. Those that no id has come last. Columns are `TRANSACTION_COLUMNS`.
        """
        left = {(place, entry.producer_id): entry for place, entries in self._open.items() for entry in entries}
        owners: dict[int, list[TransactionMetadata]] = {}
        for known in self.loaded.by_id.values():
            owners.setdefault(known.producer_id, []).append(known)
        for id, known in self.loaded.by_id.items():
            head, of_producer = self._head(id, known), owners[known.producer_id]
            places = set(known.partitions)
            if known is of_producer[0]:  # more than one has the producer id only if somebody else wrote them
                elsewhere = {place for one in of_producer for place in one.partitions}
                places |= {place for place, producer_id in left if producer_id == known.producer_id} - elsewhere
            for place in sorted(places):
                yield self._row(head, place, left.pop((place, known.producer_id), None), of_producer)
            if not places:
                yield head
        for (place, producer_id), entry in sorted(left.items(), key=lambda one: one[0]):
            head = dict.fromkeys(TRANSACTION_COLUMNS) | {"producer_id": producer_id}
            yield self._row(head, place, entry, [])

    def _head(self, id: str, known: TransactionMetadata) -> dict[str, Any]:
        return dict.fromkeys(TRANSACTION_COLUMNS) | {
            "transactional_id": id,
            "coordinator_id": self._leader((TRANSACTION_STATE_TOPIC, self.loaded.coordinators[id])),
            "producer_id": known.producer_id,
            "producer_epoch": known.producer_epoch,
            "state": known.state,
            "timeout_ms": known.timeout_ms,
            "start_timestamp": _or_none(known.start_timestamp),
            "last_update_timestamp": _or_none(known.last_update_timestamp),
        }

    def _leader(self, place: Place) -> int | None:
        topic = self._disks.topics.get(place[0])
        there = None if topic is None else topic.partitions.get(place[1])
        return None if there is None else _or_none(there.leader)

    def _row(
        self, head: Mapping[str, Any], place: Place, entry: ProducerEntry | None, owners: list[TransactionMetadata]
    ) -> dict[str, Any]:
        row = dict(head) | {"topic": place[0], "partition": place[1], "last_stable_offset": self._stable.get(place)}
        row["log_end_offset"] = self._ends.get(place)
        if entry is not None:
            row |= {
                "producer_epoch": entry.producer_epoch,
                "coordinator_epoch": _or_none(entry.coordinator_epoch),
                "start_offset": entry.current_txn_first_offset,
                "last_timestamp": _or_none(entry.last_timestamp),
                "is_hanging": self._is_hanging(place, entry, owners),
            }
        return row

    def _is_hanging(self, place: Place, entry: ProducerEntry, owners: list[TransactionMetadata]) -> bool | None:
        """Whether nobody will end a transaction; None if that cannot be known from these disks. ``owners``: the ids of
        its producer.
        """
        if place in self._damaged or not self._is_sound:
            return None
        if any(place in known.partitions for known in owners) or self._is_young(entry.last_timestamp):
            return False
        if owners:
            # Data has any time that its producer gives: what the coordinator has just done may be in front of it.
            return not any(self._is_young(known.last_update_timestamp) for known in owners)
        return True if self._has_all and self._disks.moment == NOW else None

    def _is_young(self, timestamp: int) -> bool:
        return self._now_ms - timestamp <= self._max_timeout_ms


def _or_none(value: int) -> int | None:
    return None if value < 0 else value


__all__ = [
    "DEFAULT_MAX_TIMEOUT_MS",
    "TRANSACTION_COLUMNS",
    "ClusterTransactions",
    "Transactions",
    "load_transactions",
]

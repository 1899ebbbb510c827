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

from kformat.errors import DataError
from kformat.kafka.batch.records import Record
from kformat.kafka.log.partition import Partition
from kformat.kafka.producers.producer_state import ProducerEntry
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC, TransactionMetadata, parse_transaction
from kformat.kafka.state.cluster import Disks, Replica
from kformat.kafka.state.image import METADATA_TOPIC
from kformat.kafka.state.latest import NOW, LatestRecord, Moment, latest_records

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
        refused: how many records do not parse.
        timestamp: of the latest record, in ms; -1 without records.
    """

    by_id: dict[str, TransactionMetadata] = field(default_factory=dict)
    coordinators: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    timestamp: int = -1

    def by_producer(self) -> dict[int, TransactionMetadata]:
        """The same by producer id."""
        return {one.producer_id: one for one in self.by_id.values()}


def load_transactions(partitions: Iterable[Partition], moment: Moment = NOW, **reading: Any) -> Transactions:
    """The transactional ids that partitions of ``__transaction_state`` have.

    ``reading``: ``on_corrupt`` and ``on_skipped``, as for `Partition.record_batches`. Raises as that.
    """
    loaded = Transactions()
    for partition in partitions:
        for record in latest_records(partition, moment, **reading):
            loaded.timestamp = max(loaded.timestamp, record.timestamp)
            _take(loaded, record, partition.partition)
    loaded.by_id = dict(sorted(loaded.by_id.items()))
    return loaded


def _take(loaded: Transactions, record: LatestRecord, partition: int) -> None:
    try:
        parsed = parse_transaction(Record(record.offset, record.timestamp, 0, record.key, record.value))
    except DataError:
        loaded.refused += 1
        return
    if parsed is not None and parsed[1] is not None:
        loaded.by_id[parsed[0]], loaded.coordinators[parsed[0]] = parsed[1], partition


class ClusterTransactions:
    """The transactions on some disks at their moment; raises as `load_transactions`.

    An offset is one of ``__transaction_state``: the partitions are as of the time of the last record up to it.
    """

    def __init__(self, disks: Disks, *, now_ms: int | None = None, max_timeout_ms: int | None = None) -> None:
        self._disks = disks
        disks.read_metadata()
        logs = disks.of_topic(TRANSACTION_STATE_TOPIC)
        disks.check_offset(logs)
        # Partitions come first: of a broker that runs, what ends meanwhile is open here and has ended there, and is too
        # young to hang.
        self._open: dict[Place, list[ProducerEntry]] = {}
        self._stable: dict[Place, int] = {}
        self._damaged = set[Place]()
        if disks.moment.offset is None:
            self._read_partitions(disks.moment.time_ms)
        self.loaded = load_transactions(logs, disks.moment, **disks.reading)
        if disks.moment.offset is not None:
            self._read_partitions(self.loaded.timestamp)
        self._has_all = self._knows_all_ids(logs)
        self._now_ms = int(time.time() * 1000) if now_ms is None else now_ms
        self._max_timeout_ms = DEFAULT_MAX_TIMEOUT_MS if max_timeout_ms is None else max_timeout_ms

    def _read_partitions(self, until_ms: int | None) -> None:
        for place, replica in self._disks.replicas.items():
            partition = replica.partition
            stability = None
            if place[0] != METADATA_TOPIC:
                stability = self._disks.attempt(lambda one=partition: one.stability(until_ms))  # type: ignore[misc]
            if stability is not None:
                self._stable[place] = stability.stable_offset
                if not stability.is_whole:
                    self._damaged.add(place)
                if entries := stability.open_entries:
                    self._open[place] = entries

    def _knows_all_ids(self, logs: list[Partition]) -> bool:
        """Whether each partition of the topic is here, so that an id which none of them has is nowhere."""
        image = self._disks.image
        topic = None if image is None else image.by_name().get(TRANSACTION_STATE_TOPIC)
        here = {partition.partition for partition in logs}
        count = max(here, default=-1) + 1 if topic is None else len(topic.partitions)
        return bool(here) and not self.loaded.refused and here.issuperset(range(count))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each partition of a transaction, and for each in which its producer has one open; one for an id
        with neither. Those that no id has come last. Columns are `TRANSACTION_COLUMNS`.
        """
        left = {(place, entry.producer_id): entry for place, entries in self._open.items() for entry in entries}
        for id, known in self.loaded.by_id.items():
            head = self._head(id, known)
            places = {place for place, producer_id in left if producer_id == known.producer_id} | known.partitions
            for place in sorted(places):
                yield self._row(head, place, left.pop((place, known.producer_id), None), known)
            if not places:
                yield head
        for (place, producer_id), entry in sorted(left.items(), key=lambda one: one[0]):
            head = dict.fromkeys(TRANSACTION_COLUMNS) | {"producer_id": producer_id}
            yield self._row(head, place, entry, None)

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
        image = self._disks.image
        topic = None if image is None else image.by_name().get(place[0])
        there = None if topic is None else topic.partitions.get(place[1])
        return None if there is None else _or_none(there.leader)

    def _row(
        self, head: Mapping[str, Any], place: Place, entry: ProducerEntry | None, known: TransactionMetadata | None
    ) -> dict[str, Any]:
        replica: Replica | None = self._disks.replicas.get(place)
        row = dict(head) | {"topic": place[0], "partition": place[1], "last_stable_offset": self._stable.get(place)}
        row["log_end_offset"] = None if replica is None else _or_none(replica.end_offset)
        if entry is not None:
            row |= {
                "producer_epoch": entry.producer_epoch,
                "coordinator_epoch": _or_none(entry.coordinator_epoch),
                "start_offset": entry.current_txn_first_offset,
                "last_timestamp": _or_none(entry.last_timestamp),
                "is_hanging": self._is_hanging(place, entry, known),
            }
        return row

    def _is_hanging(self, place: Place, entry: ProducerEntry, known: TransactionMetadata | None) -> bool | None:
        """Whether nobody will end a transaction; None if that cannot be known from these disks."""
        if self._now_ms - entry.last_timestamp <= self._max_timeout_ms:
            return False
        if place in self._damaged or (known is None and not self._has_all):
            return None
        return known is None or place not in known.partitions


def _or_none(value: int) -> int | None:
    return None if value < 0 else value


__all__ = [
    "DEFAULT_MAX_TIMEOUT_MS",
    "TRANSACTION_COLUMNS",
    "ClusterTransactions",
    "Transactions",
    "load_transactions",
]

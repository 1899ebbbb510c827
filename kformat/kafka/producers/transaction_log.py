"""Records of `__transaction_state`: the state that a transaction coordinator keeps of each transactional id.

Rules (TransactionLog, TransactionStateManager):

* The latest record of an id counts. One without a value means that the coordinator has forgotten the id.
* An id's records are in one partition of the topic, which follows from Java's hash code of the id and the number of the
  topic's partitions.
* Records are built in version 0, which every broker reads. Version 1 is read, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from kformat.codec.constructs import build, parse
from kformat.errors import DataError, InvalidError, UsageError
from kformat.integers import MAX_INT32, java_hash_code
from kformat.kafka.batch.records import Record
from kformat.language.layout import layout

TRANSACTION_STATE_TOPIC: Final = "__transaction_state"
DEFAULT_STATE_PARTITIONS: Final = 50
"""Kafka's default of `transaction.state.log.num.partitions`."""

EMPTY: Final = "Empty"
ONGOING: Final = "Ongoing"
PREPARE_COMMIT: Final = "PrepareCommit"
PREPARE_ABORT: Final = "PrepareAbort"
COMPLETE_COMMIT: Final = "CompleteCommit"
COMPLETE_ABORT: Final = "CompleteAbort"

_KEY: Final = layout("transaction_log_key")
_KEY_TYPE: Final = _KEY.reader("type")
_TYPE_BYTES: Final = _KEY.position("transactional_id_length")
_KNOWN_TYPE: Final = 0
_MAX_ID_BYTES: Final = 2**15 - 1
_NO_PRODUCER_ID: Final = -1

TopicPartition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class TransactionMetadata:
    """A coordinator's state of a transactional id.

    Attributes:
        state: Kafka's word: ``Empty``, ``Ongoing``, ``PrepareCommit``, ``PrepareAbort``, ``CompleteCommit``,
            ``CompleteAbort``.
        timeout_ms: how long a transaction may stay open.
        partitions: topic and number of those that may still miss the end marker.
        start_timestamp, last_update_timestamp: ms since 1970; -1 where no transaction has begun.
        next_producer_id: of the next transaction, where a broker has used up the epochs of this one; else -1.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    state: str
    timeout_ms: int
    partitions: frozenset[TopicPartition]
    start_timestamp: int
    last_update_timestamp: int
    next_producer_id: int = _NO_PRODUCER_ID


def check_transactional_id(transactional_id: Any) -> str:
    """Check and return the id; UsageError for one that Kafka's format cannot hold."""
    if not isinstance(transactional_id, str) or not transactional_id:
        raise UsageError(f"a transactional id is a text that is not empty, not {transactional_id!r:.60}")
    try:
        size = len(transactional_id.encode())
    except UnicodeEncodeError:
        raise UsageError(f"{transactional_id!r:.60} is no transactional id: it is not valid Unicode") from None
    if size > _MAX_ID_BYTES:
        raise UsageError(f"a transactional id has at most {_MAX_ID_BYTES} bytes in UTF-8, this one {size}")
    return transactional_id


def partition_for(transactional_id: str, partition_count: int) -> int:
    """The partition of `__transaction_state` that has an id's records (TransactionStateManager.partitionFor)."""
    hashed = java_hash_code(transactional_id)
    return (0 if hashed == -MAX_INT32 - 1 else abs(hashed)) % partition_count


def build_transaction(metadata: TransactionMetadata) -> tuple[bytes, bytes]:
    """The key and value of the record of this state, in version 0."""
    value: Any = parse("transaction_log_value", _value_with(metadata.state, metadata.partitions))
    value.producer_id = metadata.producer_id
    value.producer_epoch = metadata.producer_epoch
    value.transaction_timeout_ms = metadata.timeout_ms
    value.transaction_last_update_timestamp_ms = metadata.last_update_timestamp
    value.transaction_start_timestamp_ms = metadata.start_timestamp
    return _key_of(metadata.transactional_id), build("transaction_log_value", value)


@lru_cache(maxsize=1024)
def _key_of(transactional_id: str) -> bytes:
    return build("transaction_log_key", {"transactional_id": transactional_id})


@lru_cache(maxsize=1024)
def _value_with(state: str, partitions: frozenset[TopicPartition]) -> bytes:
    """A value in which the numbers are still missing: a parsed value is written faster than a mapping."""
    topics: Any = None
    if state != EMPTY:
        by_topic = groupby(sorted(partitions), key=lambda place: place[0])
        topics = [{"topic": topic, "partition_ids": [number for _, number in group]} for topic, group in by_topic]
    numbers = (
        *("producer_id", "producer_epoch", "transaction_timeout_ms"),
        *("transaction_last_update_timestamp_ms", "transaction_start_timestamp_ms"),
    )
    given = {"version": 0, "transaction_status": _snake_case(state), "transaction_partitions": topics}
    return build("transaction_log_value", dict.fromkeys(numbers, 0) | given)


def parse_transaction(record: Record, source: str = "<bytes>") -> tuple[str, TransactionMetadata | None] | None:
    """The record's transactional id, and its metadata: None if the coordinator has forgotten the id.

    None for a record whose key has a later version, which coordinators skip. Raises DataError for other bytes.
    """
    if record.key is None:
        raise InvalidError("a record of the transaction log without a key", source=source, path="transaction_log_key")
    if len(record.key) >= _TYPE_BYTES and _KEY_TYPE(record.key, 0) > _KNOWN_TYPE:
        return None
    key: Any = parse("transaction_log_key", record.key, source=source)
    transactional_id = str(key.transactional_id)
    if record.value is None:
        return transactional_id, None
    value: Any = parse("transaction_log_value", record.value, source=source)
    state = getattr(value.transaction_status, "name", None)
    if state is None:
        raise InvalidError(
            "no state of a transaction",
            source=source,
            path="transaction_log_value.transaction_status",
            found=str(value.transaction_status),
        )
    topics = value.transaction_partitions or ()
    return transactional_id, TransactionMetadata(
        transactional_id,
        int(value.producer_id),
        int(value.producer_epoch),
        state.title().replace("_", ""),
        int(value.transaction_timeout_ms),
        frozenset((str(topic.topic), int(number)) for topic in topics for number in topic.partition_ids),
        int(value.transaction_start_timestamp_ms),
        int(value.transaction_last_update_timestamp_ms),
        int(value.next_producer_id),
    )


def latest_transactions(records: Iterable[Record], source: str = "<bytes>") -> dict[str, TransactionMetadata]:
    """The metadata of each id, from the records of a partition of the topic. DataError."""
    transactions: dict[str, TransactionMetadata] = {}
    for record in records:
        try:
            parsed = parse_transaction(record, source)
        except DataError as error:
            error.add_note(f"in the record at offset {record.offset}")
            raise
        if parsed is not None:
            transactional_id, metadata = parsed
            if metadata is None:
                transactions.pop(transactional_id, None)
            else:
                transactions[transactional_id] = metadata
    return transactions


def _snake_case(state: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in state).lstrip("_")


__all__ = [
    "COMPLETE_ABORT",
    "COMPLETE_COMMIT",
    "DEFAULT_STATE_PARTITIONS",
    "EMPTY",
    "ONGOING",
    "PREPARE_ABORT",
    "PREPARE_COMMIT",
    "TRANSACTION_STATE_TOPIC",
    "TopicPartition",
    "TransactionMetadata",
    "build_transaction",
    "check_transactional_id",
    "latest_transactions",
    "parse_transaction",
    "partition_for",
]

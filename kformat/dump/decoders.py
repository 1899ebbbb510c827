"""Records of Kafka's own topics as its dump tool prints them with a decoder.

The text is that of 4.4.0; a release that prints another one is `LIKE`. What cannot be read has Kafka's words around the
reason, which is ours.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from kformat.codec.constructs import build, parse_prefix
from kformat.dump.java import jackson, java_boolean, java_key
from kformat.errors import DataError, UsageError
from kformat.integers import java_hash_code
from kformat.kafka.batch.records import Record
from kformat.kafka.messages.decoding import (
    CLUSTER_METADATA,
    OFFSETS,
    REMOTE_METADATA,
    TRANSACTIONS,
    KafkaMessage,
    UnknownTypeError,
    UnknownVersionError,
    decoder,
)
from kformat.kafka.messages.kafka_json import kafka_json
from kformat.kafka.messages.schemas import SchemaField, schema
from kformat.language.logical import uuid_text

LIKE: Final = ("4.4.0", "4.3.1", "3.9.2")
"""The releases whose text there is, the newest first."""
NEWEST: Final = LIKE[0]
_VERSION: Final = "kafka_types::record_type"
_GROUP_METADATA: Final = "GroupMetadataValue"
_INNER: Final = {"subscription": "consumer_protocol_subscription", "assignment": "consumer_protocol_assignment"}
"""Bytes in the members of a classic group of consumers -> what they are."""
_DELETED: Final = "<DELETE>"
_LAST_TYPE_OF_3_9: Final = 8
"""Of the records of groups: 3.9.2 writes others in a preview, and its tool knows none of them."""


class RecordText:
    """The texts of records; ``like`` is a release of `LIKE`. Raises UsageError for another."""

    def __init__(self, name: str, like: str = NEWEST) -> None:
        if like not in LIKE:
            raise UsageError(f"there is no text of {like!r:.20}; there is that of {', '.join(LIKE)}")
        self.decoder, self.like = decoder(name), like

    def of(self, record: Record) -> tuple[str | None, str | None]:
        """The text in place of a record's key, and of its value; None where nothing is printed."""
        if self.decoder.name == TRANSACTIONS and self.like < "4":
            return self._old_transaction(record)
        if self.decoder.has_keys:
            return self._coordinators(record)
        if record.value is None:
            return None, None
        return None, self._metadata(record)

    def fields(self, record: Record) -> dict[str, Any]:
        """The key and the value as objects: what `of` has as text, or their bytes with the reason in ``key_error`` and
        ``value_error``."""
        made: dict[str, Any] = {"key": record.key, "value": record.value}
        for side in ("key", "value") if self.decoder.has_keys else ("value",):
            made[f"{side}_error"] = None
            try:
                if side == "key":
                    key = self.decoder.key(record.key or b"")
                    made[side] = {"type": key.schema.id.removesuffix("_key"), "data": self._json(key)}
                elif record.value is not None:
                    value = self.decoder.value(record.value, record.key)
                    head = {} if self.decoder.has_keys else {"type": value.schema.id}
                    made[side] = {**head, "version": value.version, "data": self._value(value)}
            except DataError as error:
                made[f"{side}_error"] = str(error)
        return made

    def _coordinators(self, record: Record) -> tuple[str | None, str | None]:
        try:
            key = self.decoder.key(record.key or b"", whole=False)
            value = None
            if record.value is not None:
                value = self.decoder.value(record.value, record.key, whole=False)
        except UnknownTypeError as error:
            return f"Unknown record type {error.number} at offset {record.offset}, skipping.", None
        except UnknownVersionError as error:
            words = f"Found an unknown record version {error.version} for {error.number} type"
            return f"Error at offset {record.offset}, skipping. {words}", None
        except DataError as error:
            return f"Error at offset {record.offset}, skipping. {error}", None
        if self.decoder.name == OFFSETS and self.like < "4" and (key.schema.key or 0) > _LAST_TYPE_OF_3_9:
            return f"Unknown record type {key.schema.key} at offset {record.offset}, skipping.", None
        text = jackson({"type": str(key.schema.key), "data": self._json(key)})
        return text, _DELETED if value is None else jackson({"version": str(value.version), "data": self._value(value)})

    def _json(self, message: KafkaMessage) -> dict[str, Any]:
        return kafka_json(message.schema, message.version, message.value, is_wanted=self._is_wanted)

    def _is_wanted(self, it: SchemaField) -> bool:
        return not it.since or it.since <= self.like

    def _value(self, message: KafkaMessage) -> dict[str, Any]:
        made = self._json(message)
        if message.schema.name == _GROUP_METADATA and made["protocolType"] == "consumer":
            for member in made["members"]:
                for name, inner in _INNER.items():
                    member[name] = _inner(inner, member[name])
        if self.decoder.name == TRANSACTIONS and self.like >= "4.4":
            made["transactionStatus"] = _state(message.value)
        return made

    def _metadata(self, record: Record) -> str:
        assert record.value is not None
        at = f"offset {record.offset}" if self.decoder.name == REMOTE_METADATA else f"{record.offset}"
        try:
            message = self.decoder.value(record.value, None, whole=True)
        except DataError as error:
            return f"Error at {at}, skipping. {error}"
        if self.decoder.name == CLUSTER_METADATA:
            kind = message.schema.id.upper()
            return jackson({"type": kind, "version": message.version, "data": self._json(message)})
        return _REMOTE[message.schema.name](message.value, self.like)

    def _old_transaction(self, record: Record) -> tuple[str | None, str | None]:
        """As 3.9.2, whose decoder of transactions has a form of its own."""
        try:
            key: Any = self.decoder.key(record.key or b"", whole=False).value
            value: Any = None
            if record.value is not None:
                value = self.decoder.value(record.value, record.key, whole=False).value
        except UnknownTypeError as error:
            return f"unknown::version={error.number}", None
        except DataError as error:
            return f"Error at offset {record.offset}, skipping. {error}", None
        head = f"transaction_metadata::transactionalId={java_key(key.transactional_id)}"
        if value is None:
            return head, _DELETED
        has_begun = _state(value) != "Empty"
        topics = (value.transaction_partitions or []) if has_begun else []
        places = scala_order([[(topic.topic, number) for number in topic.partition_ids] for topic in topics])
        return head, (
            f"producerId:{value.producer_id},producerEpoch:{value.producer_epoch},state={_state(value)},"
            f"partitions=[{','.join(f'{java_key(topic)}-{number}' for topic, number in places)}],"
            f"txnLastUpdateTimestamp={value.transaction_last_update_timestamp_ms},"
            f"txnTimeoutMs={value.transaction_timeout_ms}"
        )


def _inner(name: str, data: str | None) -> Any:
    """Bytes in base64 as the message that they are, or as they are if they are none."""
    if data is None:
        return None
    raw, known = base64.b64decode(data), schema(name)
    try:
        read, end = parse_prefix(_VERSION, raw)
        version: Any = read
        nearest = known.versions.clamp(int(version.number))  # Kafka reads a later version as the last
        value = parse_prefix(name, build(_VERSION, {"number": nearest}) + raw[end:])[0]
    except DataError:
        return data
    structures = (it for it in known.fields if it.is_structure and nearest in it.versions)
    if version.number != nearest and any(getattr(value, known.attribute(it)) for it in structures):
        return data  # but not the structures in it
    return kafka_json(known, nearest, value)


def _state(value: Any) -> str:
    """The state of a transaction in Kafka's words: ``PrepareCommit``; a number that has none as it is."""
    name = getattr(value.transaction_status, "name", None)
    return str(int(value.transaction_status)) if name is None else name.title().replace("_", "")


# --- remote log metadata: the text of Kafka's objects ----------------------------------------------------------------


def _partition(value: Any) -> str:
    return f"{uuid_text(value.id)}:{java_key(value.name)}-{value.partition}"


def _segment_id(value: Any) -> str:
    return f"RemoteLogSegmentId{{topicIdPartition={_partition(value.topic_id_partition)}, id={uuid_text(value.id)}}}"


def _constant(value: Any) -> str:
    return str(getattr(value, "name", value)).upper()


def _custom(data: bytes | None) -> str:
    return "Optional.empty" if data is None else f"Optional[CustomMetadata{{{len(data)} bytes}}]"


def _segment(value: Any, like: str) -> str:
    epochs = sorted({entry.leader_epoch: entry.offset for entry in value.segment_leader_epochs}.items())
    more = f", txnIdxEmpty={java_boolean(value.txn_index_empty != 0)}" if like >= "4" else ""
    return (
        f"RemoteLogSegmentMetadata{{remoteLogSegmentId={_segment_id(value.remote_log_segment_id)},"
        f" startOffset={value.start_offset}, endOffset={value.end_offset}, brokerId={value.broker_id},"
        f" maxTimestampMs={value.max_timestamp_ms}, eventTimestampMs={value.event_timestamp_ms},"
        f" segmentLeaderEpochs={{{', '.join(f'{epoch}={offset}' for epoch, offset in epochs)}}},"
        f" segmentSizeInBytes={value.segment_size_in_bytes}, customMetadata={_custom(value.custom_metadata)},"
        f" state={_constant(value.remote_log_segment_state)}{more}}}"
    )


def _update(value: Any, like: str) -> str:
    return (
        f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={_segment_id(value.remote_log_segment_id)},"
        f" customMetadata={_custom(value.custom_metadata)}, state={_constant(value.remote_log_segment_state)},"
        f" eventTimestampMs={value.event_timestamp_ms}, brokerId={value.broker_id}}}"
    )


def _deletion(value: Any, like: str) -> str:
    return (
        f"RemotePartitionDeleteMetadata{{topicPartition={_partition(value.topic_id_partition)},"
        f" state={_constant(value.remote_partition_delete_state)}, eventTimestampMs={value.event_timestamp_ms},"
        f" brokerId={value.broker_id}}}"
    )


_REMOTE: Final[dict[str, Callable[[Any, str], str]]] = {
    "RemoteLogSegmentMetadataRecord": _segment,
    "RemoteLogSegmentMetadataUpdateRecord": _update,
    "RemotePartitionDeleteMetadataRecord": _deletion,
}


# --- the order of Scala's sets ---------------------------------------------------------------------------------------


_LEAST_TABLE: Final = 16
_LARGEST_SMALL_SET: Final = 4
"""Sets of Scala up to this size are no hash sets, and are added element by element."""


def scala_order(groups: Iterable[Sequence[tuple[str, int]]]) -> list[tuple[str, int]]:
    """Partitions in the order in which a mutable set of Scala 2.13 gives them, to which sets were added: by their hash
    codes in its table (mutable.HashSet).

    The table grows before an element that fills it to three quarters; of a hash set that is added its size alone
    counts, and not how full the table is.
    """
    unique = dict[tuple[str, int], None]()
    size = _LEAST_TABLE
    for group in map(dict.fromkeys, groups):
        if len(group) > _LARGEST_SMALL_SET:
            size = max(size, 1 << (int((len(group) + 1) / 0.75) - 1).bit_length())
            unique |= group
            continue
        for one in group:
            if len(unique) + 1 >= size * 0.75:
                size *= 2
            unique[one] = None

    def place(one: tuple[str, int]) -> tuple[int, int]:
        topic, partition = one
        code = 31 * (31 + partition) + java_hash_code(topic) & 0xFFFFFFFF  # TopicPartition.hashCode
        improved = code ^ code >> 16
        return improved & (size - 1), improved - (1 << 32 if improved >> 31 else 0)

    return sorted(unique, key=place)


__all__ = ["LIKE", "NEWEST", "RecordText"]

"""The classes of parsed values by name, for annotations and isinstance: `from kformat.generated.values import Record`.

Made from formats/*.ksy by `make generate`; do not edit. The stub next to this file has their fields.
"""

from __future__ import annotations

from typing import Any

from kformat.language.program import load_program, load_type
from kformat.codec.values import enum_class, value_class

_TYPES = {
    "CompactPartitions": "transaction_log_value::compact_partitions",
    "CompactTopicPartitions": "transaction_log_value::compact_topic_partitions",
    "ControlRecord": "control_record",
    "EndTransactionMarker": "control_record::end_transaction_marker",
    "Endpoint": "control_record::endpoint",
    "Header": "record_batch::header",
    "KraftVersion": "control_record::kraft_version",
    "KraftVersionFeature": "control_record::kraft_version_feature",
    "KraftVoter": "control_record::kraft_voter",
    "KraftVoters": "control_record::kraft_voters",
    "LeaderChange": "control_record::leader_change",
    "LegacyMessage": "legacy_message",
    "LegacyMessageAttributes": "legacy_message::attributes",
    "Message": "legacy_message::message",
    "MessageSet": "legacy_message::message_set",
    "NextProducerId": "transaction_log_value::next_producer_id",
    "OffsetIndex": "offset_index",
    "OffsetIndexEntry": "offset_index::entry",
    "Partitions": "transaction_log_value::partitions",
    "PlainMessage": "legacy_message::plain_message",
    "ProducerSnapshot": "producer_snapshot",
    "ProducerSnapshotEntry": "producer_snapshot::entry",
    "Record": "record_batch::record",
    "RecordBatch": "record_batch",
    "RecordBatchAttributes": "record_batch::attributes",
    "SnapshotFooter": "control_record::snapshot_footer",
    "SnapshotHeader": "control_record::snapshot_header",
    "TaggedField": "control_record::tagged_field",
    "TaggedFields": "control_record::tagged_fields",
    "TimeIndex": "time_index",
    "TimeIndexEntry": "time_index::entry",
    "TopicPartitions": "transaction_log_value::topic_partitions",
    "TransactionIndex": "transaction_index",
    "TransactionIndexEntry": "transaction_index::entry",
    "TransactionLogKey": "transaction_log_key",
    "TransactionLogValue": "transaction_log_value",
    "Voter": "control_record::voter",
    "WrappedMessage": "legacy_message::wrapped_message",
}
_ENUMS = {
    "ControlType": "control_record::control_type",
    "LegacyMessageCompressionType": "legacy_message::compression_type",
    "LegacyMessageTimestampType": "legacy_message::timestamp_type",
    "RecordBatchCompressionType": "record_batch::compression_type",
    "RecordBatchTimestampType": "record_batch::timestamp_type",
    "TransactionState": "transaction_log_value::transaction_state",
}

__all__ = sorted([*_TYPES, *_ENUMS])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _TYPES:
        return value_class(load_type(_TYPES[name]))
    if name in _ENUMS:
        return enum_class(load_program(_ENUMS[name].partition("::")[0]).enums[_ENUMS[name]])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

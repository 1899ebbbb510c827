"""The classes of parsed values by name, for annotations and isinstance: `from kformat.generated.values import Record`.

Made from formats/*.ksy by `make generate`; do not edit. The stub next to this file has their fields.
"""

from __future__ import annotations

from typing import Any

from kformat.language.program import load_program, load_type
from kformat.codec.values import enum_class, value_class

_TYPES = {
    "ControlRecordTypeSchema": "control_record_type_schema",
    "EndTxnMarker": "end_txn_marker",
    "Endpoint": "voters_record::endpoint",
    "Header": "record_batch::header",
    "KraftVersionFeature": "voters_record::kraft_version_feature",
    "KraftVersionRecord": "kraft_version_record",
    "LeaderChangeMessage": "leader_change_message",
    "LeaderChangeMessageVoter": "leader_change_message::voter",
    "LegacyMessage": "legacy_message",
    "LegacyMessageAttributes": "legacy_message::attributes",
    "Message": "legacy_message::message",
    "MessageSet": "legacy_message::message_set",
    "OffsetIndex": "offset_index",
    "OffsetIndexEntry": "offset_index::entry",
    "PartitionsSchema": "transaction_log_value::partitions_schema",
    "PlainMessage": "legacy_message::plain_message",
    "ProducerSnapshot": "producer_snapshot",
    "ProducerSnapshotEntry": "producer_snapshot::entry",
    "Record": "record_batch::record",
    "RecordBatch": "record_batch",
    "RecordBatchAttributes": "record_batch::attributes",
    "SnapshotFooterRecord": "snapshot_footer_record",
    "SnapshotHeaderRecord": "snapshot_header_record",
    "TaggedField": "kafka_types::tagged_field",
    "TaggedFields": "kafka_types::tagged_fields",
    "TimeIndex": "time_index",
    "TimeIndexEntry": "time_index::entry",
    "TransactionIndex": "transaction_index",
    "TransactionIndexEntry": "transaction_index::entry",
    "TransactionLogKey": "transaction_log_key",
    "TransactionLogValue": "transaction_log_value",
    "TransactionLogValueClientTransactionVersionTag": "transaction_log_value::transaction_log_value_client_transaction_version_tag",
    "TransactionLogValueNextProducerEpochTag": "transaction_log_value::transaction_log_value_next_producer_epoch_tag",
    "TransactionLogValueNextProducerIdTag": "transaction_log_value::transaction_log_value_next_producer_id_tag",
    "TransactionLogValuePreviousProducerIdTag": "transaction_log_value::transaction_log_value_previous_producer_id_tag",
    "TransactionLogValueTaggedField": "transaction_log_value::transaction_log_value_tagged_field",
    "TransactionLogValueTaggedFields": "transaction_log_value::transaction_log_value_tagged_fields",
    "VotersRecord": "voters_record",
    "VotersRecordVoter": "voters_record::voter",
    "WrappedMessage": "legacy_message::wrapped_message",
}
_ENUMS = {
    "ControlType": "control_record_type_schema::control_type",
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

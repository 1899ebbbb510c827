# Made from formats/*.ksy by `make generate`; do not edit.

from typing import Any, Literal, overload

from kformat.generated import values

@overload
def parse(
    format: Literal["control_record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.ControlRecord: ...

@overload
def parse(
    format: Literal["control_record::end_transaction_marker"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.EndTransactionMarker: ...

@overload
def parse(
    format: Literal["control_record::tagged_field"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TaggedField: ...

@overload
def parse(
    format: Literal["control_record::tagged_fields"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TaggedFields: ...

@overload
def parse(
    format: Literal["control_record::leader_change"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.LeaderChange: ...

@overload
def parse(
    format: Literal["control_record::snapshot_header"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.SnapshotHeader: ...

@overload
def parse(
    format: Literal["control_record::snapshot_footer"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.SnapshotFooter: ...

@overload
def parse(
    format: Literal["control_record::kraft_version"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.KraftVersion: ...

@overload
def parse(
    format: Literal["control_record::endpoint"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.Endpoint: ...

@overload
def parse(
    format: Literal["control_record::kraft_version_feature"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.KraftVersionFeature: ...

@overload
def parse(
    format: Literal["control_record::kraft_voter"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.KraftVoter: ...

@overload
def parse(
    format: Literal["control_record::kraft_voters"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.KraftVoters: ...

@overload
def parse(
    format: Literal["legacy_message"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.LegacyMessage: ...

@overload
def parse(
    format: Literal["legacy_message::attributes"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.LegacyMessageAttributes: ...

@overload
def parse(
    format: Literal["legacy_message::plain_message"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.PlainMessage: ...

@overload
def parse(
    format: Literal["legacy_message::wrapped_message"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.WrappedMessage: ...

@overload
def parse(
    format: Literal["legacy_message::message_set"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.MessageSet: ...

@overload
def parse(
    format: Literal["legacy_message::message"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.Message: ...

@overload
def parse(
    format: Literal["offset_index"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.OffsetIndex: ...

@overload
def parse(
    format: Literal["offset_index::entry"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.OffsetIndexEntry: ...

@overload
def parse(
    format: Literal["producer_snapshot"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.ProducerSnapshot: ...

@overload
def parse(
    format: Literal["producer_snapshot::entry"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.ProducerSnapshotEntry: ...

@overload
def parse(
    format: Literal["record_batch"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.RecordBatch: ...

@overload
def parse(
    format: Literal["record_batch::attributes"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.RecordBatchAttributes: ...

@overload
def parse(
    format: Literal["record_batch::header"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.Header: ...

@overload
def parse(
    format: Literal["record_batch::record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.Record: ...

@overload
def parse(
    format: Literal["time_index"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TimeIndex: ...

@overload
def parse(
    format: Literal["time_index::entry"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TimeIndexEntry: ...

@overload
def parse(
    format: Literal["transaction_index"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TransactionIndex: ...

@overload
def parse(
    format: Literal["transaction_index::entry"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TransactionIndexEntry: ...

@overload
def parse(
    format: Literal["transaction_log_key"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TransactionLogKey: ...

@overload
def parse(
    format: Literal["transaction_log_value"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TransactionLogValue: ...

@overload
def parse(
    format: Literal["transaction_log_value::topic_partitions"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.TopicPartitions: ...

@overload
def parse(
    format: Literal["transaction_log_value::partitions"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.Partitions: ...

@overload
def parse(
    format: Literal["transaction_log_value::compact_topic_partitions"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.CompactTopicPartitions: ...

@overload
def parse(
    format: Literal["transaction_log_value::compact_partitions"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.CompactPartitions: ...

@overload
def parse(
    format: Literal["transaction_log_value::next_producer_id"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> values.NextProducerId: ...

@overload
def parse(
    format: Any,
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: bool = ...,
    trailing: Literal['error', 'keep'] = ...,
) -> Any: ...

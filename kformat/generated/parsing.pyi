# Made from formats/*.ksy by `make generate`; do not edit.

from collections.abc import Callable
from typing import Any, Literal, overload

from kformat.errors import DataError
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
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
    partial: bool | Callable[[DataError], object] = ...,
) -> Any: ...

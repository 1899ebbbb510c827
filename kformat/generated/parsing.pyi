# Made from formats/*.ksy by `make generate`; do not edit.

from collections.abc import Callable
from typing import Any, Literal, overload

from kformat.errors import DataError
from kformat.generated import values

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
    format: Literal["control_record_type_schema"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.ControlRecordTypeSchema: ...

@overload
def parse(
    format: Literal["end_txn_marker"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.EndTxnMarker: ...

@overload
def parse(
    format: Literal["leader_change_message"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.LeaderChangeMessage: ...

@overload
def parse(
    format: Literal["kafka_types::tagged_field"],
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
    format: Literal["kafka_types::tagged_fields"],
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
    format: Literal["snapshot_header_record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.SnapshotHeaderRecord: ...

@overload
def parse(
    format: Literal["snapshot_footer_record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.SnapshotFooterRecord: ...

@overload
def parse(
    format: Literal["kraft_version_record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.KraftVersionRecord: ...

@overload
def parse(
    format: Literal["voters_record"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.VotersRecord: ...

@overload
def parse(
    format: Literal["voters_record::endpoint"],
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
    format: Literal["voters_record::kraft_version_feature"],
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
    format: Literal["voters_record::voter"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.VotersRecordVoter: ...

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
    format: Literal["transaction_log_value::transaction_log_value_previous_producer_id_tag"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValuePreviousProducerIdTag: ...

@overload
def parse(
    format: Literal["transaction_log_value::transaction_log_value_next_producer_id_tag"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValueNextProducerIdTag: ...

@overload
def parse(
    format: Literal["transaction_log_value::transaction_log_value_client_transaction_version_tag"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValueClientTransactionVersionTag: ...

@overload
def parse(
    format: Literal["transaction_log_value::transaction_log_value_next_producer_epoch_tag"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValueNextProducerEpochTag: ...

@overload
def parse(
    format: Literal["transaction_log_value::transaction_log_value_tagged_field"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValueTaggedField: ...

@overload
def parse(
    format: Literal["transaction_log_value::transaction_log_value_tagged_fields"],
    data: Any,
    *,
    source: str = ...,
    position: int = ...,
    checksums: bool = ...,
    inflate_limit: int = ...,
    raw: Literal[False] = ...,
    trailing: Literal['error', 'keep'] = ...,
    partial: bool | Callable[[DataError], object] = ...,
) -> values.TransactionLogValueTaggedFields: ...

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

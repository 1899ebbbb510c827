"""The items of a dump as plain objects, for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kformat.dump.inputs import (
    Item,
    LogStart,
    OffsetIndexEntry,
    ProducerSnapshotEntry,
    RecordOf,
    Remark,
    SidecarFile,
    SnapshotStart,
    TimeIndexEntry,
    TrailingBytes,
    TransactionIndexEntry,
)
from kformat.dump.lines import size_of
from kformat.dump.report import Options
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import CONTROL_TYPES, Batch
from kformat.kafka.files import text_files
from kformat.language.program import load_program


def objects(items: Iterable[Item], path: str, options: Options) -> Iterator[dict[str, Any]]:
    """Convert `items` to flat dictionaries for JSON: ``kind`` says what, ``file`` where; bytes stay bytes.

    Kinds: ``log``, ``metadata_snapshot``, ``batch``, ``record``, ``trailing_bytes``, ``offset_index_entry``,
    ``time_index_entry``, ``transaction_index_entry``, ``producer_snapshot_entry``, ``empty``, ``sane``, and those of
    `kformat.kafka.files.text_files.objects`. Names are those of the declarations; integers are exact.

    An entry of magic 0 or 1 is a ``batch``, too. Fields that it does not have are None, or -1 as in Kafka; fields that
    are compressed in a wrapper (``base_offset``, ``records_count``) are None.
    """
    for item in items:
        match item:
            case Batch() | LegacyBatch():
                yield {"kind": "batch", "file": path, **_batch_object(item)}
            case RecordOf():
                yield {"kind": "record", "file": path, **_record_object(item, options)}
            case SidecarFile():
                for entry in text_files.objects(item.name, item.value):
                    yield {"kind": entry["kind"], "file": path, **entry}
            case Remark():
                yield {"kind": item.kind, "file": path}
            case _:
                yield {"kind": _KINDS[type(item)], "file": path, **item._asdict()}


_KINDS: Final = {
    LogStart: "log",
    SnapshotStart: "metadata_snapshot",
    TrailingBytes: "trailing_bytes",
    OffsetIndexEntry: "offset_index_entry",
    TimeIndexEntry: "time_index_entry",
    TransactionIndexEntry: "transaction_index_entry",
    ProducerSnapshotEntry: "producer_snapshot_entry",
}
_TIMESTAMP_TYPES: Final = load_program("record_batch").enums["record_batch::timestamp_type"].members


def _batch_object(batch: AnyBatch) -> dict[str, Any]:
    is_legacy = isinstance(batch, LegacyBatch)
    is_wrapper = is_legacy and batch.compression != 0
    return {
        "position": batch.position,
        "size": batch.size,
        "base_offset": None if is_wrapper else batch.base_offset,
        "last_offset": batch.last_offset,
        "records_count": None if is_wrapper else batch.records_count,
        "partition_leader_epoch": batch.partition_leader_epoch,
        "magic": batch.magic,
        "crc": batch.crc,
        "is_valid": batch.is_valid,
        "compression": batch.compression_name,
        "timestamp_type": _TIMESTAMP_TYPES.get(batch.timestamp_type),
        "is_transactional": batch.is_transactional,
        "is_control": batch.is_control,
        "delete_horizon_ms": batch.delete_horizon_ms,
        "base_timestamp": None if is_legacy else batch.base_timestamp,
        "max_timestamp": batch.max_timestamp,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
    }


def _record_object(item: RecordOf, options: Options) -> dict[str, Any]:
    record = item.record
    fields: dict[str, Any] = {
        "batch_position": item.batch.position,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "timestamp_type": _TIMESTAMP_TYPES.get(record.timestamp_type),
        "sequence": record.sequence,
        "key_size": size_of(record.key),
        "value_size": size_of(record.value),
    }
    if item.is_valid is not None:
        fields["crc"], fields["is_valid"] = item.crc, item.is_valid
    if item.control is not None:
        key, value = item.control
        fields["control_type"] = CONTROL_TYPES.get(int(key.type), int(key.type))
        fields["control"] = None if value is None else value._asdict()
    if options.records is not None and not item.batch.is_control:
        fields |= options.records.fields(record)
        fields["headers"] = [{"key": key, "value": value} for key, value in record.headers]
    elif options.print_data_log:
        for side, data in (("key", record.key), ("value", record.value)):
            shown = None if item.batch.is_control else options.shown
            fields |= {side: data} if shown is None else shown.fields(side, data, record.key)
        fields["headers"] = [{"key": key, "value": value} for key, value in record.headers]
    else:
        fields["header_keys"] = [key for key, _ in record.headers]
    return fields

"""Format the items of a dump as the tool's lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy.typing as npt

from kformat.dump.decoders import NEWEST
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
from kformat.dump.java import jackson, java_boolean, java_key, java_optional, java_text
from kformat.dump.report import Options
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import CODEC_LABELS
from kformat.kafka.batch.legacy import TIMESTAMP_TYPE_LABELS, LegacyBatch
from kformat.kafka.batch.records import CONTROL_TYPES, Batch, add_sequence, subtract_sequence
from kformat.kafka.columns.declared import Shown
from kformat.kafka.files import text_files
from kformat.kafka.messages.kafka_json import kafka_json
from kformat.kafka.messages.schemas import schema
from kformat.storage.address import base_name


def text_lines(items: Iterable[Item], shown_path: str, options: Options) -> Iterator[str]:
    """The tool's lines, without line ends, for the `items` of the file it calls ``shown_path``."""
    for item in items:
        match item:
            case LogStart():
                yield f"Log starting offset: {item.base_offset}"
            case SnapshotStart(None):
                yield "KRaft bootstrap snapshot"
            case SnapshotStart():
                yield f"Snapshot end offset: {item.end_offset}, epoch: {item.epoch}"
            case Batch():
                yield _batch_line(item)
            case LegacyBatch():
                yield f"offset: {item.last_offset}{_common_text(item)}"
            case RecordOf():
                yield _record_line(item, options)
            case TrailingBytes():
                yield f"Found {item.size} invalid bytes at the end of {base_name(shown_path)}"
            case OffsetIndexEntry():
                yield f"offset: {item.offset} position: {item.position}"
            case TimeIndexEntry():
                yield f"timestamp: {item.timestamp} offset: {item.offset}"
            case TransactionIndexEntry():
                yield (
                    f"version: {item.version} producerId: {item.producer_id} firstOffset: {item.first_offset}"
                    f" lastOffset: {item.last_offset} lastStableOffset: {item.last_stable_offset}"
                )
            case ProducerSnapshotEntry():
                yield _producer_line(item)
            case SidecarFile():
                yield from text_files.text_lines(item.name, item.value)
            case Remark("empty"):
                yield f"{shown_path} is empty."
            case Remark():
                yield f"{shown_path} passed sanity check."


def _producer_line(entry: ProducerSnapshotEntry) -> str:
    first_offset = entry.current_txn_first_offset
    line = (
        f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch}"
        f" coordinatorEpoch: {entry.coordinator_epoch}"
        f" currentTxnFirstOffset: {java_optional(first_offset if first_offset >= 0 else None)}"
        f" lastTimestamp: {entry.timestamp}"
    )
    if entry.last_offset < 0:
        return line
    return (
        f"{line} firstSequence: {subtract_sequence(entry.last_sequence, entry.offset_delta)}"
        f" lastSequence: {entry.last_sequence} lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta}"
        f" timestamp: {entry.timestamp}"
    )


_BATCH_LINE: Final = (
    "baseOffset: %d lastOffset: %d count: %d baseSequence: %d lastSequence: %d producerId: %d producerEpoch: %d"
    " partitionLeaderEpoch: %d isTransactional: %s isControl: %s deleteHorizonMs: %s"
)
_COMMON: Final = " position: %d %s: %d size: %d magic: %d compresscodec: %s crc: %d isvalid: %s"


def _batch_line(batch: Batch) -> str:
    return _BATCH_LINE % (
        batch.base_offset,
        batch.last_offset,
        batch.records_count,
        batch.base_sequence,
        batch.last_sequence,
        batch.producer_id,
        batch.producer_epoch,
        batch.partition_leader_epoch,
        java_boolean(batch.is_transactional),
        java_boolean(batch.is_control),
        java_optional(batch.delete_horizon_ms),
    ) + _common_text(batch)


def _common_text(batch: AnyBatch) -> str:
    return _COMMON % (
        batch.position,
        TIMESTAMP_TYPE_LABELS[batch.timestamp_type],
        batch.max_timestamp,
        batch.size,
        batch.magic,
        batch.compression_name,
        batch.crc,
        java_boolean(batch.is_valid),
    )


def batch_lines(columns: Mapping[str, npt.NDArray[Any]]) -> list[str]:
    """The lines of many batches of magic 2: what their headers hold by the names of `Batch`, as arrays."""
    booleans, labels = ("false", "true"), tuple(TIMESTAMP_TYPE_LABELS[number] for number in (0, 1))

    def of(name: str, words: Sequence[str] | None = None) -> list[Any]:
        column: list[Any] = columns[name].tolist()
        return column if words is None else [words[number] for number in column]

    horizons = [
        java_optional(timestamp if has_horizon else None)
        for timestamp, has_horizon in zip(of("base_timestamp"), of("has_delete_horizon"), strict=True)
    ]
    sequences = [
        -1 if sequence == -1 else add_sequence(sequence, delta)
        for sequence, delta in zip(of("base_sequence"), of("last_offset_delta"), strict=True)
    ]
    values = zip(
        of("base_offset"),
        of("last_offset"),
        of("records_count"),
        of("base_sequence"),
        sequences,
        of("producer_id"),
        of("producer_epoch"),
        of("partition_leader_epoch"),
        of("is_transactional", booleans),
        of("is_control", booleans),
        horizons,
        of("position"),
        of("timestamp_type", labels),
        of("max_timestamp"),
        of("size"),
        of("magic"),
        of("compression", CODEC_LABELS),
        of("crc"),
        of("is_valid", booleans),
        strict=True,
    )
    return [(_BATCH_LINE + _COMMON) % row for row in values]


def _record_line(item: RecordOf, options: Options) -> str:
    batch, record = item.batch, item.record
    parts = []
    if not options.skip_record_metadata:
        parts.append(
            f"| offset: {record.offset} {TIMESTAMP_TYPE_LABELS[batch.timestamp_type]}: {record.timestamp}"
            f" keySize: {size_of(record.key)} valueSize: {size_of(record.value)} "
        )
        if item.is_valid is None:
            keys = ",".join(java_key(key) for key, _ in record.headers)
            parts.append(f"sequence: {record.sequence} headerKeys: [{keys}]")
        else:
            parts.append(f"isValid: {java_boolean(item.is_valid)} crc: {item.crc}")
        if item.control is not None:
            parts.append(control_text(*item.control, options.like))
    if options.records is not None and not batch.is_control:
        for label, text in zip(("key", "payload"), options.records.of(record), strict=True):
            if text is not None:  # without metadata the bar precedes the first part, before 4.0 the key alone
                has_bar = not parts and (label == "key" or options.like >= "4")
                parts.append(f"{'|' * has_bar} {label}: {text}")
    elif options.print_data_log and not batch.is_control:
        # Without metadata the bar precedes the first part.
        for side, label, data in (("key", "key", record.key), ("value", "payload", record.value)):
            if data is not None:
                parts.append(
                    f"{'' if parts else '|'} {label}: {bytes_text(side, label, data, options.shown, record.key)}"
                )
    return "".join(parts)


def bytes_text(side: str, label: str, data: bytes, shown: Shown | None, key: bytes | None = None) -> str:
    """A key or a value as text; if its format is declared, as JSON, or as text with the error if it does not parse."""
    if shown is None or side not in shown.readers:
        return java_text(data)
    value, problem = shown.show(side, data, key)
    return json.dumps(value) if problem is None else f"{java_text(data)} {label}Error: {problem}"


def size_of(data: bytes | None) -> int:
    """The size of a key or a value in bytes, as Kafka's tools print it: -1 for null."""
    return -1 if data is None else len(data)


def control_text(key: Any, value: Any, like: str = NEWEST) -> str:
    """The text of a control record; before 4.0 that of a new leader has no more than its type."""
    name = CONTROL_TYPES.get(int(key.type))
    if value is None or name is None or (name == "leader_change" and like < "4"):
        return f" controlType: {(name or 'unknown').upper()}({int(key.type)})"
    if name in ("abort", "commit"):
        return f" endTxnMarker: {name.upper()} coordinatorEpoch: {value.coordinator_epoch}"
    message = schema(value._type.name)
    return f" {_CONTROL_LABELS[name]} {jackson(kafka_json(message, message.versions.clamp(value.version), value))}"


_CONTROL_LABELS: Final = {
    "leader_change": "LeaderChange:",
    "snapshot_header": "SnapshotHeader",
    "snapshot_footer": "SnapshotFooter",
    "kraft_version": "KRaftVersion",
    "kraft_voters": "KRaftVoters",
}

"""Sound bytes to damage: of every format and each of its types that stands alone, by name.

Golden vectors of Kafka's own classes, values with extremes that kformat builds, and what brokers wrote: of every kind
of batch a few small ones, and the beginnings of index files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import kformat
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.log.file_trace import format_of
from kformat.language.layout import layout
from tests.samples import ROOT as SAMPLES
from tests.vectors import BATCHES, CONTROL_BATCHES, LEGACY, SMALL_FILES

LARGEST_BYTES = 600
OF_A_KIND = 4
ENTRIES = 12
LOG_FORMATS = ("record_batch", "legacy_message")


@dataclass(frozen=True)
class Input:
    """Sound bytes of a format."""

    format: str
    name: str
    data: bytes


@cache
def inputs() -> dict[str, tuple[Input, ...]]:
    """All inputs by format."""
    found: dict[str, dict[bytes, Input]] = {}
    for item in (*_golden(), *_extremes(), *_of_brokers()):
        found.setdefault(item.format, {}).setdefault(item.data, item)
    return {format: tuple(items.values()) for format, items in sorted(found.items())}


def log_format(magic: int) -> str:
    """What a batch of that magic is declared as."""
    return "record_batch" if magic == CURRENT_MAGIC else "legacy_message"


def _golden() -> Iterator[Input]:
    for vector in BATCHES:
        yield Input("record_batch", vector.name, vector.data)
    for old in LEGACY:
        for number, batch in enumerate(iter_batches(old.data)):
            yield Input("legacy_message", f"{old.name} {number}", batch.raw)
    for small in SMALL_FILES:
        yield Input(small.type, small.name, small.data)
    for number, batch in enumerate(iter_batches(CONTROL_BATCHES)):
        yield Input("record_batch", f"control batch {number}", batch.raw)


HEADERS = [{"key": "h", "value": b"x"}, {"key": "", "value": None}, {"key": "zo\u00eb", "value": b""}]
RECORDS: list[dict[str, Any]] = [
    {"offset_delta": 0, "timestamp_delta": 0, "key": b"key", "value": b"value", "headers": HEADERS},
    {"offset_delta": 1, "timestamp_delta": -70_000, "key": None, "value": b"\0" * 70, "headers": []},
    {"offset_delta": 300, "timestamp_delta": 2**40, "key": b"", "value": None, "headers": HEADERS[:1]},
    {"offset_delta": 301, "timestamp_delta": 3, "key": None, "value": None, "headers": [], "attributes": -1},
]
PRODUCER = {"producer_id": 77, "producer_epoch": 4, "base_sequence": 2**31 - 2}
EXTREME_RECORDS = [
    {"offset_delta": 2**31 - 1, "timestamp_delta": -(2**63), "key": b"", "value": b"v", "headers": HEADERS[1:]},
    {"offset_delta": -(2**31), "timestamp_delta": 2**63 - 1, "key": None, "value": None, "headers": []},
]
FLAGS = {"reserved": 511, "has_delete_horizon": 1, "is_control": 1, "is_transactional": 1, "timestamp_type": 1}


def _extremes() -> Iterator[Input]:
    batch: dict[str, Any] = {
        "base_offset": 10**12,
        "base_timestamp": 1_600_000_000_000,
        "max_timestamp": 1_700_000_000_000,
    }
    for codec in range(5):
        attributes = {"compression": codec, "is_transactional": 1}
        value = {**batch, **PRODUCER, "attributes": attributes, "last_offset_delta": 301, "records": RECORDS}
        yield Input("record_batch", f"every kind of field, codec {codec}", kformat.build("record_batch", value))
        extreme: dict[str, Any] = {"base_offset": 2**63 - 1, "base_timestamp": -(2**63), "max_timestamp": -1}
        extreme |= {"producer_id": 2**63 - 1}
        extreme |= {"attributes": {**FLAGS, "compression": codec}, "records": EXTREME_RECORDS}
        yield Input("record_batch", f"extremes, codec {codec}", kformat.build("record_batch", extreme))
    for magic in (0, 1):
        for codec in range(4):
            yield Input("legacy_message", f"made, magic {magic}, codec {codec}", _legacy(magic, codec))
    tagged = {"fields": [{"tag": 300, "data": b"abc"}, {"tag": 2**32 - 1, "data": b""}]}
    voter = {"voter_id": 1, "voter_directory_id": bytes(range(16)), "tagged_fields": {"fields": []}}
    change = {"version": 1, "leader_id": 1, "voters": [voter] * 2, "granting_voters": [voter], "tagged_fields": tagged}
    snapshot = {
        "producer_id": 2**63 - 1, "producer_epoch": -1, "last_sequence": 2**31 - 1, "last_offset": -1,
        "offset_delta": -(2**31), "timestamp": -1, "coordinator_epoch": -1, "current_txn_first_offset": -(2**63),
    }  # fmt: skip
    values: dict[str, dict[str, Any]] = {
        "offset_index": {"entries": [{"relative_offset": 7, "position": 2**31 - 1}] * 3},
        "time_index": {"entries": [{"timestamp": -(2**63), "relative_offset": 0}]},
        "producer_snapshot": {"entries": [snapshot] * 2},
        "control_record_type_schema": {"version": 3, "type": 99},
        "leader_change_message": change,
        "snapshot_footer_record": {"version": 5, "tagged_fields": tagged},
    }
    for format, given in values.items():
        yield Input(format, "extremes", kformat.build(format, given))
    for number, record in enumerate((*RECORDS, *EXTREME_RECORDS)):
        yield Input("record_batch::record", f"record {number}", kformat.build("record_batch::record", record))


def _legacy(magic: int, codec: int) -> bytes:
    message: dict[str, Any] = {"magic": magic, "attributes": {"compression": codec, "reserved": 3 * (codec == 1)}}
    if magic:
        message["timestamp"] = 1_500_000_000_000
    if not codec:
        message |= {"key": b"", "value": None}
    else:
        inner = []
        for number, (key, value) in enumerate(((b"k", b"v" * 40), (None, b"v" * 40), (b"", None))):
            plain = {"magic": magic, "attributes": {}, "key": key, "value": value}
            if magic:
                plain["timestamp"] = 1_500_000_000_000 - number
            inner.append({"offset": number * 2 + (0 if magic else 10**9), "message": plain})
        message |= {"key": None, "message_set": {"messages": inner}}
    return kformat.build("legacy_message", {"offset": 10**9 + 4, "message": message})


def _of_brokers() -> Iterator[Input]:
    seen: dict[tuple[Any, ...], int] = {}
    for path in sorted(path for path in SAMPLES.glob("*/*/*") if path.is_file()):
        format, place = format_of(path.name), str(path.relative_to(SAMPLES))
        if format is None or path.stat().st_size > 1 << 20:
            continue
        if format in LOG_FORMATS:
            for batch in iter_batches(path):
                kind: tuple[Any, ...] = (
                    batch.magic,
                    batch.compression,
                    batch.is_control,
                    batch.delete_horizon_ms is None,
                )
                kind += batch.timestamp_type, batch.producer_id >= 0, batch.size < 150
                if not isinstance(batch, LegacyBatch):
                    kind += min(batch.records_count, 2), batch.is_transactional
                if batch.size <= LARGEST_BYTES and seen.get(kind, 0) < OF_A_KIND:
                    seen[kind] = seen.get(kind, 0) + 1
                    yield Input(log_format(batch.magic), f"{place}:{batch.position}", batch.raw)
        elif seen.get((format,), 0) < 3 * OF_A_KIND:
            seen[format,] = seen.get((format,), 0) + 1
            yield Input(format, place, _beginning(format, path))


def _beginning(format: str, path: Path) -> bytes:
    """Whole entries from the beginning of an index; a small file is taken whole."""
    data = path.read_bytes()
    if format == "producer_snapshot":
        return data
    return data[: ENTRIES * layout(f"{format}::entry").size]

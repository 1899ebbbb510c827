"""What each reader makes of bytes, in one shape.

Of a log: a `Log`, that is what was read batch by batch. Header fields have Kafka's names; a reader leaves out what it
does not know. Records are tuples (offset, timestamp, key, value, headers); no timestamp is -1.

kafka-python and aiokafka are asked through their `MemoryRecords`, as their consumers ask them; aiokafka twice, with its
C extension and, loaded a second time, without. What must not be asked is not (`hazards`).
"""

from __future__ import annotations

import base64
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.errors import DataError
from kformat.kafka.batch.batches import AnyBatch, iter_batches
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.legacy import MINIMUM_BYTES, LegacyBatch
from kformat.kafka.batch.records import CONTROL_VALUES
from tests.differential.hazards import Hazard, look_out
from tests.judges import read_batches, read_values, releases

RecordTuple = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]

KAFKA: Final = releases.NEWEST
PEERS: Final = ("kafka-python", "aiokafka", "aiokafka (Python)")


@dataclass(slots=True)
class Read:
    """One batch: header fields; records, as far as they could be read; the complaint that ended reading, or None."""

    header: dict[str, Any] = field(default_factory=dict)
    records: list[RecordTuple] = field(default_factory=list)
    error: str | None = None
    sequences: list[int] | None = None


@dataclass(slots=True)
class Log:
    """All batches, and what is said of what lies behind them: "" for nothing."""

    batches: list[Read] = field(default_factory=list)
    tail: str = ""


# --- kformat ----------------------------------------------------------------------------------------------------------

HEADER_NAMES: Final = (
    "last_offset", "magic", "crc", "is_valid", "partition_leader_epoch", "timestamp_type", "max_timestamp",
    "producer_id", "producer_epoch", "base_sequence", "last_sequence", "is_transactional", "is_control",
    "delete_horizon_ms",
)  # fmt: skip


def kformat_log(data: bytes) -> Log:
    """What `iter_batches` and `records` give."""
    found = Log()
    try:
        for batch in iter_batches(data):
            found.batches.append(_kformat_batch(batch))
    except DataError as error:
        found.tail = text_of(error)
    return found


def _kformat_batch(batch: AnyBatch) -> Read:
    read = Read({name: getattr(batch, name) for name in HEADER_NAMES}, sequences=[])
    read.header["compression"] = batch.compression_name
    if not isinstance(batch, LegacyBatch):
        read.header["base_offset"] = batch.base_offset
        read.header["records_count"] = batch.records_count
    assert read.sequences is not None
    try:
        for item in batch.records():
            read.records.append((item.offset, item.timestamp, item.key, item.value, item.headers))
            read.sequences.append(item.sequence)
    except DataError as error:
        read.error = text_of(error)
    return read


def text_of(error: DataError) -> str:
    """Type, path and message of an error, without places."""
    inside = "" if error.inflated_position is None else " (inflated)"
    return f"{type(error).__name__} {error.path}: {error.message}; {error.expected} != {error.found}{inside}"


# --- kafka-python and aiokafka ----------------------------------------------------------------------------------------

NAMES: Final = {
    "base_offset": "base_offset", "leader_epoch": "partition_leader_epoch", "magic": "magic", "crc": "crc",
    "max_timestamp": "max_timestamp", "producer_id": "producer_id", "producer_epoch": "producer_epoch",
    "base_sequence": "base_sequence", "last_sequence": "last_sequence", "last_offset": "last_offset",
    "is_transactional": "is_transactional", "is_control_batch": "is_control", "records_count": "records_count",
}  # fmt: skip
"""Their names of header fields -> ours."""


@cache
def memory_records(peer: str) -> Any:
    """Its class of that name."""
    if peer == "kafka-python":
        return importlib.import_module("kafka.record.memory_records").MemoryRecords
    if peer == "aiokafka":
        return importlib.import_module("aiokafka.record.memory_records").MemoryRecords
    return python_aiokafka("aiokafka.record.memory_records").MemoryRecords


@cache
def python_aiokafka(module: str) -> Any:
    """A module of aiokafka as it is without its C extension; the other ones stay as they are."""
    importlib.import_module("aiokafka.record.memory_records")
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "aiokafka"}
    before = os.environ.get("AIOKAFKA_NO_EXTENSIONS")
    os.environ["AIOKAFKA_NO_EXTENSIONS"] = "1"
    try:
        return importlib.import_module(module)
    finally:
        if before is None:
            del os.environ["AIOKAFKA_NO_EXTENSIONS"]
        else:
            os.environ["AIOKAFKA_NO_EXTENSIONS"] = before
        for name in [name for name in sys.modules if name.split(".")[0] == "aiokafka"]:
            del sys.modules[name]
        sys.modules.update(kept)


def peer_log(peer: str, data: bytes) -> Log | Hazard:
    """What a peer reads; every exception of its own is a refusal."""
    hazard = look_out(peer, data)
    if hazard is not None:
        return hazard
    found = Log()
    try:
        records = memory_records(peer)(data)
        while records.has_next():
            batch = records.next_batch()
            if batch is None:
                break
            found.batches.append(_peer_batch(batch))
    except Exception as error:
        found.tail = f"{type(error).__name__}: {error}"
    else:
        left = records.size_in_bytes() - _consumed(data)
        found.tail = f"{left} bytes are passed over" if left else ""
    return found


def _consumed(data: bytes) -> int:
    """Where the last batch that is all there ends."""
    end = 0
    try:
        for batch in iter_batches(data):
            end = batch.position + batch.size
    except DataError:
        pass
    return end


def _peer_batch(batch: Any) -> Read:
    read = Read()
    try:
        names = {ours: getattr(batch, theirs) for theirs, ours in NAMES.items() if hasattr(batch, theirs)}
        read.header = {name: value for name, value in names.items() if value is not None}
        if "magic" not in read.header or read.header["magic"] < 2:
            read.header = {}  # what they put there for a message of magic 0 or 1 is no field of it
        read.header["is_valid"] = batch.validate_crc()
        for record in batch:
            timestamp = -1 if record.timestamp is None else record.timestamp
            headers = tuple((key, value) for key, value in record.headers)
            read.records.append((record.offset, timestamp, record.key, record.value, headers))
    except Exception as error:
        read.error = f"{type(error).__name__}: {error}"
    return read


# --- Kafka ------------------------------------------------------------------------------------------------------------


def kafka_logs(cases: Sequence[bytes]) -> list[Log]:
    """What Kafka's own classes read, in one JVM; batches with sound frames share a file."""
    shared = [number for number, data in enumerate(cases) if _stands_alone(data)]
    with tempfile.TemporaryDirectory(prefix="kformat-differential-") as work:
        files = [Path(work) / "shared.log"]
        files[0].write_bytes(b"".join(cases[number] for number in shared))
        others = sorted(set(range(len(cases))) - set(shared))
        for number in others:
            files.append(Path(work) / f"{number}.log")
            files[-1].write_bytes(cases[number])
        answers = read_batches(KAFKA, files)
    found = [Log() for _ in cases]
    if len(answers[0]) != len(shared):
        raise AssertionError(f"Kafka read {len(answers[0])} batches where {len(shared)} lie: {answers[0][-1:]}")
    for number, line in zip(shared, answers[0], strict=True):
        found[number].batches.append(_kafka_batch(line))
    for number, lines in zip(others, answers[1:], strict=True):
        for line in lines:
            if "size" in line:
                found[number].batches.append(_kafka_batch(line))
            else:
                found[number].tail = line["error"]
    return found


def _stands_alone(data: bytes) -> bool:
    """Whether bytes are one batch that Kafka's file reader sees as such, whatever lies behind it."""
    try:
        (batch,) = iter_batches(data)
    except (DataError, ValueError):
        return False
    return batch.size >= (HEADER_BYTES if batch.magic >= 2 else MINIMUM_BYTES)


def _kafka_batch(line: dict[str, Any]) -> Read:
    header = {name: value for name, value in line.items() if name not in ("records", "error", "position", "size")}
    if header.get("timestamp_type") is not None:
        header["timestamp_type"] = KAFKA_TYPES[header["timestamp_type"]]
    if line["magic"] < 2:
        header.pop("base_offset", None)
        header.pop("records_count", None)
    records, sequences = [], []
    for item in line["records"]:
        headers = tuple((name, _bytes(value)) for name, value in item["headers"])
        records.append((item["offset"], item["timestamp"], _bytes(item["key"]), _bytes(item["value"]), headers))
        sequences.append(item["sequence"])
    return Read(header, records, line.get("error"), sequences)


KAFKA_TYPES: Final = {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


# --- Kafka's classes for what is no log -------------------------------------------------------------------------------

VALUES: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "control_record_type_schema": lambda value: {"type": int(value.type)},
    "end_txn_marker": lambda value: {"coordinator_epoch": value.coordinator_epoch},
    "leader_change_message": lambda value: {
        "leader_id": value.leader_id,
        "voters": [voter.voter_id for voter in value.voters],
        "granting_voters": [voter.voter_id for voter in value.granting_voters],
    },
    "snapshot_header_record": lambda value: {"last_contained_log_timestamp": value.last_contained_log_timestamp},
    "snapshot_footer_record": lambda value: {},
    "kraft_version_record": lambda value: {"kraft_version": value.kraft_version},
    "voters_record": lambda value: {
        "voters": [
            [
                voter.voter_id,
                [[endpoint.name, endpoint.host, endpoint.port] for endpoint in voter.endpoints],
                voter.kraft_version_feature.min_supported_version,
                voter.kraft_version_feature.max_supported_version,
            ]
            for voter in value.voters
        ]
    },
    "transaction_index": lambda value: {
        "entries": [
            [entry.version, entry.producer_id, entry.first_offset, entry.last_offset, entry.last_stable_offset]
            for entry in value.entries
        ]
    },
    "producer_snapshot": lambda value: {
        "entries": [
            [
                entry.producer_id,
                entry.producer_epoch,
                entry.coordinator_epoch,
                entry.timestamp,
                entry.current_txn_first_offset if entry.current_txn_first_offset >= 0 else -1,
            ]
            for entry in value.entries
        ]
    },
}
"""Formats that Kafka's classes are asked about -> what they are asked for, of a value of ours."""


def kformat_value(format: str, data: bytes) -> dict[str, Any] | str:
    """What kformat reads, as far as Kafka's classes tell it; behind a control record other bytes may lie."""
    try:
        if format in ("control_record_type_schema", *CONTROL_VALUES.values()):
            return VALUES[format](parse_prefix(format, data)[0])
        return VALUES[format](kformat.parse(format, data))
    except DataError as error:
        return text_of(error)


def kafka_values(cases: Sequence[tuple[str, bytes]]) -> list[dict[str, Any] | str]:
    """What Kafka's classes read, in one JVM; the complaint where they do not."""
    return [answer.get("error", answer) for answer in read_values(KAFKA, cases)]

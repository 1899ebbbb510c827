"""The parts of a log in the corpus: the bytes of one batch or message, and the records in them.

The bytes come from `kformat.build`; the caller gives the records, with absolute offsets and timestamps. So the expected
records do not come from kformat's own parser.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import build
from kformat.kafka.batch.legacy import NO_TIMESTAMP, NO_TIMESTAMP_TYPE
from kformat.kafka.batch.records import Record, TimestampType, add_sequence

CREATE_TIME: Final = int(TimestampType["create_time"])
LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
EPOCH_MS: Final = 1_700_000_000_000
"""The timestamps of the corpus are around this, in milliseconds since 1970."""

_WORDS: Final = (
    "log", "batch", "offset", "segment", "broker", "leader", "epoch", "fetch", "commit", "topic", "位移", "größe",
)  # fmt: skip


class Dice:
    """Random numbers that are the same for the same names on every machine and under every Python.

    They come from `random.Random.random` alone, the only sequence that Python guarantees to stay the same.
    """

    def __init__(self, seed: int, *names: str) -> None:
        self._random = random.Random("/".join((str(seed), *names))).random

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included; they are less than 2^53 apart."""
        return low + int(self._random() * (high - low + 1))

    def noise(self, size: int) -> bytes:
        """Bytes that no codec compresses."""
        return bytes(int(self._random() * 256) for _ in range(size))

    def text(self, size: int) -> bytes:
        """Words in UTF-8, ``size`` bytes, padded with dots."""
        parts, left = [], size
        while left > 0:
            word = _WORDS[int(self._random() * len(_WORDS))].encode() + b" "
            if len(word) > left:
                word = b"." * left
            parts.append(word)
            left -= len(word)
        return b"".join(parts)


@dataclass(frozen=True)
class PlannedRecord:
    """A record to be written: its offset and timestamp (ms), both absolute, and its content."""

    offset: int
    timestamp: int
    key: bytes | None = None
    value: bytes | None = b""
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def fields(self, base_offset: int, base_timestamp: int, attributes: int) -> dict[str, Any]:
        """The stored fields of the record in a batch of magic 2."""
        return {
            "attributes": attributes,
            "timestamp_delta": self.timestamp - base_timestamp,
            "offset_delta": self.offset - base_offset,
            "key": self.key,
            "value": self.value,
            "headers": [{"key": name, "value": value} for name, value in self.headers],
        }

    def read(self, append_time: int | None, base_offset: int, base_sequence: int) -> Record:
        """The record that a reader must find in such a batch."""
        return Record(
            self.offset,
            self.timestamp if append_time is None else append_time,
            CREATE_TIME if append_time is None else LOG_APPEND_TIME,
            self.key,
            self.value,
            self.headers,
            -1 if base_sequence < 0 else add_sequence(base_sequence, self.offset - base_offset),
        )


class ProducerFields(NamedTuple):
    """An idempotent producer in a batch header; ``sequence`` is that of the first record."""

    id: int
    epoch: int = 0
    sequence: int = 0


@dataclass(frozen=True)
class LogPart:
    """One batch, or one entry of magic 0 or 1.

    ``records`` are what a reader must find, ``controls`` the control type of each by name (empty if it is no control
    batch). ``epoch`` is the leader's. ``coordinator_epoch`` is that of a transaction's end.
    """

    data: bytes
    magic: int
    codec: str
    base_offset: int
    last_offset: int
    max_timestamp: int
    records: tuple[Record, ...]
    attributes: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    epoch: int = -1
    producer: ProducerFields | None = None
    coordinator_epoch: int = -1

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def is_transactional(self) -> bool:
        return "transactional" in self.attributes

    @property
    def max_timestamp_offset(self) -> int:
        """The offset in time indexes of writers up to 3.7: in an uncompressed create_time batch, that of the record."""
        if self.codec == "none" and "log_append_time" not in self.attributes:
            for record in self.records:
                if record.timestamp == self.max_timestamp:
                    return record.offset
        return self.last_offset


def batch(
    contents: Sequence[PlannedRecord],
    *,
    codec: str = "none",
    append_time: int | None = None,
    transactional: bool = False,
    horizon: int | None = None,
    producer: ProducerFields | None = None,
    epoch: int = 0,
    base_offset: int | None = None,
    last_offset: int | None = None,
    max_timestamp: int | None = None,
    base_timestamp: int | None = None,
    compress_by: Callable[[bytes], bytes] | None = None,
    controls: tuple[str, ...] = (),
    reserved: int = 0,
    record_attributes: int = 0,
) -> LogPart:
    """A batch of magic 2.

    Args:
        contents: its records, in the order of their offsets.
        append_time: the broker's time (ms): the batch is a log_append_time one, and the records' own timestamps are
            stored, but not seen.
        horizon: the time from which tombstones may be dropped (ms).
        base_offset, last_offset: where they are not those of the first and last record, as after compaction.
        max_timestamp, base_timestamp: where they are not the largest and the first of the records.
        compress_by: makes the payload of the records' bytes, where Kafka reads another framing than it writes.
        controls: the records' control types by name; they are control records then.
        reserved, record_attributes: what stands in the bits that nobody uses.
    """
    base_offset = contents[0].offset if base_offset is None else base_offset
    last_offset = contents[-1].offset if last_offset is None else last_offset
    if base_timestamp is None:
        base_timestamp = horizon if horizon is not None else contents[0].timestamp if contents else -1
    if max_timestamp is None:
        max_timestamp = append_time if append_time is not None else max(content.timestamp for content in contents)
    producer_fields = producer or ProducerFields(-1, -1, -1)
    records = [content.fields(base_offset, base_timestamp, record_attributes) for content in contents]
    fields: dict[str, Any] = {
        "base_offset": base_offset,
        "partition_leader_epoch": epoch,
        "attributes": {
            "reserved": reserved,
            "has_delete_horizon": horizon is not None,
            "is_control": bool(controls),
            "is_transactional": transactional,
            "timestamp_type": "create_time" if append_time is None else "log_append_time",
            "compression": codec,
        },
        "last_offset_delta": last_offset - base_offset,
        "base_timestamp": base_timestamp,
        "max_timestamp": max_timestamp,
        "producer_id": producer_fields.id,
        "producer_epoch": producer_fields.epoch,
        "base_sequence": producer_fields.sequence,
    }
    if compress_by is None:
        fields["records"] = records
    else:
        fields |= {"payload": compress_by(payload_of(records)), "records_count": len(records)}
    attributes = ["create_time" if append_time is None else "log_append_time"]
    attributes += ["transactional"] * transactional + ["control"] * bool(controls)
    attributes += ["delete_horizon"] * (horizon is not None) + ["idempotent"] * (producer_fields.sequence >= 0)
    return LogPart(
        data=build("record_batch", fields),
        magic=2,
        codec=codec,
        base_offset=base_offset,
        last_offset=last_offset,
        max_timestamp=max_timestamp,
        records=tuple(content.read(append_time, base_offset, producer_fields.sequence) for content in contents),
        attributes=tuple(attributes),
        controls=controls,
        epoch=epoch,
        producer=producer,
    )


def payload_of(records: Sequence[dict[str, Any]]) -> bytes:
    """The bytes of records in an uncompressed batch."""
    return b"".join(build("record_batch::record", record) for record in records)


def empty_batch(of: LogPart, max_timestamp: int | None = None) -> LogPart:
    """The batch that compaction leaves when all records are removed, to keep the sequence and the offsets."""
    made = batch(
        (),
        append_time=of.max_timestamp if "log_append_time" in of.attributes else None,
        transactional=of.is_transactional,
        producer=of.producer,
        epoch=of.epoch,
        base_offset=of.base_offset,
        last_offset=of.last_offset,
        base_timestamp=-1,
        max_timestamp=of.max_timestamp if max_timestamp is None else max_timestamp,
        controls=of.controls,
    )
    return replace(made, controls=())


def control_batch(
    offset: int,
    timestamp: int,
    records: Sequence[tuple[str, bytes | None]],
    *,
    producer: ProducerFields | None = None,
    epoch: int = 0,
    transactional: bool = False,
    coordinator_epoch: int = -1,
) -> LogPart:
    """A control batch; ``records`` are (type by name, value)."""
    contents = [
        PlannedRecord(offset + number, timestamp, build("control_record_type_schema", {"type": kind}), value)
        for number, (kind, value) in enumerate(records)
    ]
    kinds = tuple(kind for kind, _ in records)
    made = batch(contents, producer=producer, epoch=epoch, transactional=transactional, controls=kinds)
    return replace(made, coordinator_epoch=coordinator_epoch)


def end_of_transaction(
    kind: str, offset: int, timestamp: int, producer: ProducerFields, *, coordinator_epoch: int = 0, epoch: int = 0
) -> LogPart:
    """The marker that ends a transaction in a partition; ``kind`` is ``commit`` or ``abort``."""
    value = build("end_txn_marker", {"coordinator_epoch": coordinator_epoch})
    return control_batch(
        offset,
        timestamp,
        [(kind, value)],
        producer=producer._replace(sequence=-1),
        epoch=epoch,
        transactional=True,
        coordinator_epoch=coordinator_epoch,
    )


# --- magic 0 and 1 -------------------------------------------------------------------------------------------------


def _message(magic: int, content: PlannedRecord, **fields: Any) -> dict[str, Any]:
    stamped = {"timestamp": content.timestamp} if magic else {}
    return {"magic": magic, "attributes": {}, **stamped, "key": content.key, "value": content.value, **fields}


def message(content: PlannedRecord, magic: int, *, append_time: int | None = None, reserved: int = 0) -> LogPart:
    """An uncompressed message; in magic 0 without the timestamp. ``reserved``: the unused bits."""
    if append_time is not None:
        content = replace(content, timestamp=append_time)
    kind = {"timestamp_type": "create_time" if append_time is None else "log_append_time", "reserved": reserved}
    data = build("legacy_message", {"offset": content.offset, "message": _message(magic, content, attributes=kind)})
    return _legacy(data, magic, "none", [(content, magic)], content.offset, content.timestamp, append_time)


def wrapper(
    contents: Sequence[PlannedRecord],
    magic: int,
    codec: str,
    *,
    append_time: int | None = None,
    offset: int | None = None,
    stored: Sequence[int] | None = None,
    inner_magics: Sequence[int] | None = None,
    inner_bits: dict[str, Any] | None = None,
    compress_by: Callable[[bytes], bytes] | None = None,
    max_timestamp: int | None = None,
) -> LogPart:
    """Compressed messages in a message.

    Args:
        contents: what is in it; offsets are those that a reader sees.
        append_time: as for `batch`; the messages keep their own timestamps in the bytes.
        offset: the wrapper's, where it is not the last message's.
        stored: what stands as the messages' offsets; in magic 1 they are numbered, in magic 0 they have their own.
        inner_magics: of the messages, where they are not the wrapper's.
        inner_bits: the messages' attributes: a broker that wrote the wrapper again set their timestamp types, too, one
            that only put its time into the wrapper did not.
        compress_by: as for `batch`.
    """
    offset = contents[-1].offset if offset is None else offset
    if stored is None:
        stored = [content.offset - (contents[0].offset if magic else 0) for content in contents]
    magics = [magic] * len(contents) if inner_magics is None else list(inner_magics)
    entries: list[Any] = [
        {"offset": number, "message": _message(of, content, attributes=inner_bits or {})}
        for number, of, content in zip(stored, magics, contents, strict=True)
    ]
    if max_timestamp is None:
        max_timestamp = max(content.timestamp for content in contents) if append_time is None else append_time
    kind = "create_time" if append_time is None else "log_append_time"
    outer: dict[str, Any] = {
        "magic": magic,
        "attributes": {"compression": codec, "timestamp_type": kind},
        **({"timestamp": max_timestamp} if magic else {}),
        "key": None,
    }
    if compress_by is None:
        outer["message_set"] = {"messages": entries}
    else:
        outer["message_set"] = compress_by(build("legacy_message::message_set", {"messages": entries}))
    data = build("legacy_message", {"offset": offset, "message": outer})
    part = _legacy(data, magic, codec, list(zip(contents, magics, strict=True)), offset, max_timestamp, append_time)
    return replace(part, attributes=(*part.attributes, "wrapper"))


def _legacy(
    data: bytes,
    magic: int,
    codec: str,
    contents: Sequence[tuple[PlannedRecord, int]],
    last_offset: int,
    max_timestamp: int,
    append_time: int | None,
) -> LogPart:
    kind = CREATE_TIME if append_time is None else LOG_APPEND_TIME
    records = []
    for content, of in contents:
        if of == 0:  # a message of magic 0 has no timestamp, even in a wrapper of magic 1
            timestamp, timestamp_type = NO_TIMESTAMP, NO_TIMESTAMP_TYPE
        else:
            timestamp, timestamp_type = (content.timestamp if append_time is None else append_time), kind
        if not magic:
            timestamp_type = NO_TIMESTAMP_TYPE
        records.append(Record(content.offset, timestamp, timestamp_type, content.key, content.value))
    return LogPart(
        data=data,
        magic=magic,
        codec=codec,
        base_offset=records[0].offset,
        last_offset=last_offset,
        max_timestamp=max_timestamp if magic else NO_TIMESTAMP,
        records=tuple(records),
        attributes=() if not magic else ("create_time" if append_time is None else "log_append_time",),
    )


# --- files ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Covers:
    """What a file covers, in words. ``edge``: its edge cases."""

    magic: tuple[int, ...] = ()
    codec: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    edge: tuple[str, ...] = ()


@dataclass(frozen=True)
class CorpusFile:
    """A file: its path below the corpus with ``/`` as separator, its bytes, and its content.

    ``kind`` is that of `file_kinds.describe_file`. ``parts`` are a log's; ``entries`` the content of another file, for
    JSON. ``source`` is the path of the sound file that this is a copy of, damaged or not; "" for that file itself.
    """

    path: str
    data: bytes
    kind: str
    covers: Covers = field(default_factory=Covers)
    parts: tuple[LogPart, ...] = ()
    entries: Any = None
    source: str = ""


__all__ = [
    "CREATE_TIME",
    "EPOCH_MS",
    "LOG_APPEND_TIME",
    "CorpusFile",
    "Covers",
    "Dice",
    "LogPart",
    "PlannedRecord",
    "ProducerFields",
    "batch",
    "control_batch",
    "empty_batch",
    "end_of_transaction",
    "message",
    "payload_of",
    "wrapper",
]

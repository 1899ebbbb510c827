"""How Kafka 4.4.0 reads a file: a model of its readers and of its dump tool, from the bytes alone.

`reader` models Kafka's record classes on a file: FileLogInputStream, which does not verify checksums, then each batch's
records. `dump` is DumpLogSegments with `--print-data-log`. Records of magic 2 are read with kformat's codec, which
accepts what Kafka accepts; magic 0 and 1, where Kafka checks less than a parser must, follow LegacyRecord step by step.
tests/corpus/test_judge.py compares all of it with Kafka itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from kformat.codec.constructs import parse_prefix
from kformat.errors import CompressionError, DataError
from kformat.kafka.batch.compression import CODEC_NAMES, CURRENT_MAGIC, ZSTD, decompress
from kformat.kafka.batch.framing import FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, PEEK_BYTES
from kformat.kafka.batch.records import Batch, parse_control_record
from kformat.kafka.files.text_files import is_sidecar, parse_sidecar
from kformat.language.layout import layout
from kformat.language.program import ReadInteger, load_program
from kformat.storage.algorithms import algorithm_of

VERSION: Final = "4.4.0"
READS: Final = "reads"
STOPS: Final = "stops"
REFUSES: Final = "refuses"
"""Kafka raises an exception; which one depends on how much of a damaged payload can be inflated before it."""

# Exceptions of Kafka's and Java's.
_CORRUPT: Final = "CorruptRecordException"
_INVALID: Final = "InvalidRecordException"
_KAFKA: Final = "KafkaException"
_ARGUMENT: Final = "IllegalArgumentException"
_BOUNDS: Final = "IndexOutOfBoundsException"
_NO_ELEMENT: Final = "NoSuchElementException"

_MOST_DECOMPRESSED: Final = 2**31 - 9
"""No record or message that was compressed may be longer, bytes."""

_BATCH: Final = layout("record_batch")
_LENGTH: Final = _BATCH.reader("batch_length")
_MAGIC: Final = _BATCH.reader("magic")


class _Ends(Exception):
    """Kafka raises the exception of this name."""


def frames(data: bytes) -> tuple[list[tuple[int, bytes]], str]:
    """The batches that FileLogInputStream finds, with their positions, and how reading ends."""
    batches: list[tuple[int, bytes]] = []
    position = 0
    while position < len(data) - PEEK_BYTES:
        length = _LENGTH(data, position)
        if length < MINIMUM_LENGTH:
            return batches, _CORRUPT
        if position > len(data) - FRAME_BYTES - length:
            break
        end = position + FRAME_BYTES + length
        batches.append((position, data[position:end]))
        position = end
    return batches, READS if position == len(data) else STOPS


def log_verdict(data: bytes) -> dict[str, Any]:
    """How Kafka reads a log or a metadata snapshot.

    ``reader`` is ``reads``; ``stops`` if it silently takes the rest for the end of the log; the name of the exception;
    or `REFUSES`. ``at`` is the position where it ends; None for ``reads``. ``invalid``: positions of the batches with a
    wrong checksum, at which consumers and followers end. ``dump``: ``reads`` or the exception.
    """
    batches, end = frames(data)
    reader, at, dump = end, None, _CORRUPT if end == _CORRUPT else READS
    if end != READS:
        at = sum(len(raw) for _, raw in batches)
    invalid = []
    for position, raw in reversed(batches):  # the first that goes wrong is what counts
        magic = _MAGIC(raw, 0)
        view: Any = _Current if magic >= CURRENT_MAGIC else _Legacy
        left = len(data) - position
        try:
            batch = view(raw, position, left)
            if not batch.is_valid():
                invalid.append(position)
            batch.read()
        except _Ends as problem:
            reader, at = str(problem), position
        try:
            view(raw, position, left).dump()
        except _Ends as problem:
            dump = str(problem)
    return {"reader": reader, "at": at, "invalid": sorted(invalid), "dump": dump}


class _Current:
    """A batch of magic 2, or of a higher magic, which Kafka's file reader takes for 2."""

    def __init__(self, raw: bytes, position: int, left: int) -> None:
        self.raw, self.left = raw, left
        self.batch = Batch(raw, position) if len(raw) >= HEADER_BYTES else None

    def is_valid(self) -> bool:
        return self.batch is not None and self.batch.is_valid

    def read(self) -> None:
        if len(self.raw) >= _BATCH.end("attributes"):
            if _BATCH.bits("attributes")["compression"].of(_BATCH.reader("attributes")(self.raw, 0)) > ZSTD:
                raise _Ends(_ARGUMENT)
        if self.batch is None:
            raise _Ends(_BOUNDS)
        try:
            for _ in self.batch.records():
                pass
        except DataError as error:
            raise _Ends(self._exception(error, self.batch)) from None

    def _exception(self, error: DataError, batch: Batch) -> str:
        if isinstance(error, CompressionError):
            return REFUSES
        if batch.compression and batch.records_count < 0:
            return REFUSES  # Kafka starts decompressing before it checks the count
        if not batch.compression and error.path.endswith("].length") and error.message.startswith("a varint"):
            return _ARGUMENT
        return _INVALID

    def dump(self) -> None:
        if self.left < HEADER_BYTES:  # Kafka reads whole headers from the file, even of shorter batches
            raise _Ends(_BOUNDS)
        self.read()
        if self.batch is None or not self.batch.is_control:
            return
        for record in self.batch.records():
            try:
                key, value = parse_control_record(record)
            except DataError as error:
                raise _Ends(_INVALID if error.path.startswith("control_record_type_schema.") else REFUSES) from None
            if getattr(key.type, "name", "") == "leader_change" and value is not None and value.version:
                raise _Ends(REFUSES)  # Kafka reads every leader change as version 0


def _bytes_of(name: str) -> int:
    """The size in bytes of a message's number field, which is the same in all messages."""
    for step in load_program("legacy_message").types["legacy_message::head"].steps:
        if step.name == name and isinstance(step, ReadInteger):
            return step.kind.bits // 8
    raise KeyError(name)


_ENTRY: Final = layout("legacy_message")
_INNER: Final = layout("legacy_message::wrapped_message")
_MESSAGE: Final = layout("legacy_message::message")
_START: Final = _ENTRY.end("message_size")
_COMPRESSION: Final = _MESSAGE.bits("attributes")["compression"]
_INT: Final = np.dtype(np.int32).newbyteorder(">")
_TIMESTAMP_BYTES: Final = _bytes_of("timestamp")


class _Message:
    """LegacyRecord: it checks only what is read. Any magic except 0 is read as 1."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.magic: int = _MESSAGE.reader("magic")(data, 0)
        self.key_at = _MESSAGE.end("attributes") + (_TIMESTAMP_BYTES if self.magic else 0)

    @property
    def codec(self) -> int:
        codec: int = _COMPRESSION.of(_MESSAGE.reader("attributes")(self.data, 0))
        if codec >= len(CODEC_NAMES):
            raise _Ends(_ARGUMENT)
        return codec

    def integer(self, position: int) -> int:
        if position < 0 or position + _INT.itemsize > len(self.data):
            raise _Ends(_BOUNDS)
        return int(np.frombuffer(self.data, _INT, 1, position)[0])

    def delimited(self, position: int) -> bytes | None:
        """The bytes after the length at a position; None if the length is negative."""
        size, start = self.integer(position), position + _INT.itemsize
        if size < 0:
            return None
        if size > len(self.data) - start:
            raise _Ends(_ARGUMENT)
        return self.data[start : start + size]

    @property
    def value_at(self) -> int:
        return self.key_at + _INT.itemsize + max(0, self.integer(self.key_at))

    def sizes(self) -> None:
        """Read the sizes, which the dump tool prints first."""
        self.integer(self.value_at)

    def contents(self) -> None:
        self.delimited(self.key_at)
        self.delimited(self.value_at)


class _Legacy:
    """An entry of magic 0 or 1, or below, which Kafka's file reader takes for one: AbstractLegacyRecordBatch."""

    def __init__(self, raw: bytes, position: int, left: int) -> None:
        self.raw = raw
        if _MAGIC(raw, 0) < 0:
            raise _Ends(_ARGUMENT)
        self.message = _Message(raw[_START:])
        self.offset: int = _ENTRY.reader("offset")(raw, 0)

    def is_valid(self) -> bool:
        algorithm, name, covered = _MESSAGE.checksum()
        data = self.message.data
        return bool(algorithm_of(algorithm).compute(memoryview(data)[covered:]) == _MESSAGE.reader(name)(data, 0))

    def messages(self) -> list[_Message]:
        codec, magic = self.message.codec, self.message.magic
        if not codec:
            return [self.message]
        if codec == ZSTD:
            raise _Ends(_INVALID)
        value = self.message.delimited(self.message.value_at)
        if value is None:
            raise _Ends(_INVALID)
        try:
            inflated = decompress(codec, value, magic=magic)
        except CompressionError:
            raise _Ends(REFUSES) from None
        entries = list(self._entries(inflated))
        if not entries:
            raise _Ends(_INVALID)
        last = entries[-1][0]
        if magic and self.offset and self.offset < last:
            raise _Ends(_INVALID)
        for _, message in entries:
            if message.codec:
                raise _Ends(_INVALID)
        return [message for _, message in entries]

    def _entries(self, inflated: bytes) -> Iterator[tuple[int, _Message]]:
        position, head = 0, _INNER.end("message_size")
        while position + head <= len(inflated):
            size = _INNER.reader("message_size")(inflated, position)
            if size < MINIMUM_LENGTH:
                raise _Ends(_CORRUPT)
            if size > _MOST_DECOMPRESSED:
                raise _Ends(_INVALID)
            start = position + head
            if start + size > len(inflated):
                return  # Kafka takes this for the end of the stream
            yield _INNER.reader("offset")(inflated, position), _Message(inflated[start : start + size])
            position = start + size

    def read(self) -> None:
        for message in self.messages():
            message.contents()

    def dump(self) -> None:
        for message in self.messages():
            message.sizes()
            message.contents()


def _index_dump(data: bytes, log: bytes) -> str:
    """The dump tool's outcome for an offset index next to a log: it reads a batch at the position of each entry."""
    shape = layout("offset_index::entry")
    slots = np.frombuffer(data, shape.dtype, len(data) // shape.size)
    for number, slot in enumerate(slots):
        if number and not slot["relative_offset"]:
            return READS
        position = int(slot["position"])
        if not 0 <= position <= len(log):
            return _ARGUMENT
        batches, end = frames(log[position:])
        if not batches:
            return _CORRUPT if end == _CORRUPT else _NO_ELEMENT
    return READS


def _snapshot(data: bytes) -> str:
    """ProducerStateManager.readSnapshot, which accepts bytes after the entries if the checksum is right."""
    algorithm, name, covered = layout("producer_snapshot").checksum()
    try:
        snapshot, _ = parse_prefix("producer_snapshot", data, checksums=False)
    except DataError as error:
        if not error.path.endswith("end_of_entries"):
            return "CorruptSnapshotException"
        snapshot = error.partial
    right = getattr(snapshot, name) == algorithm_of(algorithm).compute(memoryview(data)[covered:])
    return READS if right else "CorruptSnapshotException"


def _as_kafka_sees(kind: str, data: bytes) -> bytes:
    """The part of a text file that Kafka reads, if that is less than kformat reads.

    Jackson reads one JSON value and ignores what follows; PartitionMetadataFile ignores the names before the colons.
    """
    if kind in ("clean_shutdown", "quorum_state"):
        try:
            text = data.decode()
            return text[: json.JSONDecoder().raw_decode(text)[1]].encode()
        except ValueError:
            return data
    if kind == "partition_metadata":
        names = (b"version", b"topic_id")
        lines = data.split(b"\n", len(names))
        named = [
            name + line[line.index(b":") :] if b":" in line else line for name, line in zip(names, lines, strict=False)
        ]
        return b"\n".join([*named, *lines[len(named) :]])
    return data


def verdict_of(kind: str, name: str, data: bytes, beside: Mapping[str, bytes]) -> dict[str, Any]:
    """How Kafka reads a file of any kind; see `log_verdict` for logs.

    For other files ``dump`` is the tool's outcome: ``reads``, ``ignores`` (a file it does not know), or the exception;
    ``reader`` is that of Kafka's own class for the file. ``beside``: the files of the folder by name.
    """
    if kind in ("log", "metadata_snapshot"):
        return log_verdict(data)
    if is_sidecar(name):
        try:
            parse_sidecar(name, _as_kafka_sees(kind, data))
        except DataError:
            return {"reader": REFUSES, "dump": "ignores"}
        return {"reader": READS, "dump": "ignores"}
    if kind == "producer_snapshot":
        outcome = _snapshot(data)
        return {"reader": outcome, "dump": outcome}
    if kind == "offset_index":
        return {"reader": READS, "dump": _index_dump(data, beside.get(f"{name.partition('.')[0]}.log", b""))}
    if kind == "transaction_index":
        shape = layout("transaction_index::entry")
        versions = np.frombuffer(data, shape.dtype, len(data) // shape.size)["version"]
        outcome = _KAFKA if np.any(versions) else READS
        return {"reader": outcome, "dump": outcome}
    return {"reader": READS, "dump": READS}


__all__ = ["READS", "REFUSES", "VERSION", "frames", "log_verdict", "verdict_of"]

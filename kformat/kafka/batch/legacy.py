"""Messages of magic 0 and 1, from before Kafka 0.11: an entry is a plain message or a wrapper of compressed ones.

A `LegacyBatch` has the interface of `records.Batch`, so most callers need not distinguish the two. Fields that magic 0
and 1 lack (producers, epochs, transactions) have Kafka's values for them: -1, False, None.

Kafka's rules for a wrapper (AbstractLegacyRecordBatch.DeepRecordsIterator):

* Its offset is the last message's. In magic 0 the inner messages have their own offsets; in magic 1 they are numbered,
  and the wrapper's offset minus the last number is added, or nothing if the wrapper's offset is 0 (old librdkafka).
* Its timestamp type applies to all inner messages; with `log_append_time` so does its timestamp.
* It has at least one inner message, and none of these is compressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import element_parser, iterate, parse
from kformat.codec.reader import Reader
from kformat.errors import DataError, InvalidError
from kformat.integers import wrapped_int64
from kformat.kafka.batch.framing import FRAME_BYTES, MINIMUM_LENGTH
from kformat.kafka.batch.records import Record, StoredBatch, TimestampType
from kformat.language.layout import layout
from kformat.language.program import load_program
from kformat.storage.algorithms import algorithm_of
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_ENTRY: Final = layout("legacy_message")
_MESSAGE: Final = layout("legacy_message::message")
_INNER_ENTRY: Final = layout("legacy_message::wrapped_message")
_ATTRIBUTES: Final = _MESSAGE.bit_readers("attributes")
_ALGORITHM, _, _COVERED = _MESSAGE.checksum()
_OFFSET: Final = _ENTRY.reader("offset")
_SIZE: Final = _ENTRY.reader("message_size")
_CRC: Final = _MESSAGE.reader("crc")
_MAGIC: Final = _MESSAGE.reader("magic")
_FLAGS: Final = _MESSAGE.reader("attributes")
_TIMESTAMP: Final = _MESSAGE.reader("timestamp")
_INNER_FRAME: Final = _INNER_ENTRY.unpacker("offset", "message_size")
_PLAIN: Final = layout("legacy_message::plain_message")
_PLAIN_HEAD: Final = _PLAIN.unpacker("crc", "magic", "attributes")
_PLAIN_TIME: Final = _PLAIN.unpacker("timestamp")
_KEY_LENGTH: Final = _PLAIN.unpacker("key_length")
_VALUE_LENGTH: Final = _PLAIN.unpacker("value_length")
_LEAST_PLAIN: Final = load_program("legacy_message").types["legacy_message::plain_message"].minimum_size
_CODEC: Final = _ATTRIBUTES["compression"]
_INNER_ATTRIBUTES: Final = _INNER_ENTRY.end("message_size") + _MESSAGE.position("attributes")
_COMPRESSION_TYPES: Final = load_program("legacy_message").enums["legacy_message::compression_type"]
_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]

LEGACY_CODECS: Final = tuple(_COMPRESSION_TYPES.members[number] for number in sorted(_COMPRESSION_TYPES.members))
"""Names of the codecs that a wrapper may have, by number; ``none`` is for plain messages."""

MINIMUM_BYTES: Final = FRAME_BYTES + MINIMUM_LENGTH
"""Bytes of an entry of magic 0 with neither key nor value."""

NO_TIMESTAMP: Final = -1
"""The timestamp of a message of magic 0."""

NO_TIMESTAMP_TYPE: Final = -1
"""The timestamp type of a message of magic 0, which has no timestamp."""

TIMESTAMP_TYPE_LABELS: Final = {
    **load_program("record_batch").enums["record_batch::timestamp_type"].original_ids,
    NO_TIMESTAMP_TYPE: "NoTimestampType",
}
"""Timestamp type -> Kafka's name for it, whatever the magic."""


NO_MESSAGES: Final = "a wrapper without messages"
"""Reported for a wrapper whose value is null or decompresses to nothing."""


class Message(NamedTuple):
    """A message of an entry: its record, and the checksum stored with it.

    ``stored_offset`` is the number in the bytes: inside a wrapper of magic 1 it is relative.
    """

    record: Record
    crc: int
    is_valid: bool
    magic: int
    stored_offset: int


class _Inner(NamedTuple):
    """A message in a wrapper: start and end of its entry in the decompressed bytes, and its content."""

    start: int
    end: int
    stored_offset: int
    crc: int
    magic: int
    timestamp: int
    key: bytes | None
    value: bytes | None


def _inner_at(data: Any, start: int, limit: int) -> _Inner | None:
    """The entry at a position, as the codec reads it; None if the codec would refuse it, or if it is compressed."""
    position = start + FRAME_BYTES + _PLAIN_HEAD.size
    if position > limit:
        return None
    stored_offset, size = _INNER_FRAME.unpack_from(data, start)
    crc, magic, attributes = _PLAIN_HEAD.unpack_from(data, start + FRAME_BYTES)
    end = start + FRAME_BYTES + size
    if size < _LEAST_PLAIN or end > limit or magic not in (0, 1) or _CODEC(attributes):
        return None
    timestamp = NO_TIMESTAMP
    if magic:
        ((timestamp,), position) = _PLAIN_TIME.unpack_from(data, position), position + _PLAIN_TIME.size
    if position + 2 * _KEY_LENGTH.size > end:
        return None
    ((length,), position) = _KEY_LENGTH.unpack_from(data, position), position + _KEY_LENGTH.size
    key = value = None
    if length >= 0:
        key, position = data[position : position + length], position + length
    if position + _VALUE_LENGTH.size > end:
        return None
    ((length,), position) = _VALUE_LENGTH.unpack_from(data, position), position + _VALUE_LENGTH.size
    if length >= 0:
        value, position = data[position : position + length], position + length
    return _Inner(start, end, stored_offset, crc, magic, timestamp, key, value) if position == end else None


class LegacyBatch(StoredBatch):
    """One entry of magic 0 or 1: ``raw`` bytes, ``position`` and ``size`` in the file; the interface of
    `records.Batch`.

    ``attributes`` is the byte as an integer; ``max_timestamp`` is the entry's own timestamp in milliseconds, -1 in
    magic 0; ``last_offset`` is the stored offset.
    """

    partition_leader_epoch: Final = -1
    producer_id: Final = -1
    producer_epoch: Final = -1
    base_sequence: Final = -1
    last_sequence: Final = -1
    is_transactional: Final = False
    is_control: Final = False
    delete_horizon_ms: Final = None

    _FORMAT, _NOUN, _LEAST_BYTES = "legacy_message", "message", MINIMUM_BYTES
    _BITS, _COVERED_FROM, _SUM = _ATTRIBUTES, FRAME_BYTES + _COVERED, algorithm_of(_ALGORITHM).compute

    def __init__(
        self, raw: bytes, position: int = 0, source: str = "<bytes>", limit: int = DEFAULT_INFLATE_LIMIT
    ) -> None:
        super().__init__(raw, position, source, limit)
        self.last_offset: int = _OFFSET(raw, 0)
        self.batch_length: int = _SIZE(raw, 0)
        self.crc: int = _CRC(raw, FRAME_BYTES)
        self.magic: int = _MAGIC(raw, FRAME_BYTES)
        self.attributes: int = _FLAGS(raw, FRAME_BYTES)
        self.max_timestamp: int = _TIMESTAMP(raw, FRAME_BYTES) if self.magic else NO_TIMESTAMP

    @property
    def next_offset(self) -> int:
        """One after `last_offset`."""
        return wrapped_int64(self.last_offset + 1)

    @property
    def timestamp_type(self) -> int:
        """Of `records.TimestampType`, or `NO_TIMESTAMP_TYPE` in magic 0."""
        return TimestampType(_ATTRIBUTES["timestamp_type"](self.attributes)) if self.magic else NO_TIMESTAMP_TYPE

    @property
    def base_timestamp(self) -> int:
        """The entry's own timestamp, the same as `max_timestamp`."""
        return self.max_timestamp

    @cached_property
    def base_offset(self) -> int:
        """The first message's offset; decompresses a wrapper, and raises as `records`."""
        return next(self._numbered())[0] if self.compression else self.last_offset

    @property
    def last_offset_delta(self) -> int:
        """`last_offset` minus `base_offset`; raises as `base_offset`."""
        return self.last_offset - self.base_offset

    @cached_property
    def records_count(self) -> int:
        """How many messages there are; decompresses a wrapper, and raises as `records`."""
        return sum(1 for _ in self._numbered()) if self.compression else 1

    @cached_property
    def _message(self) -> Any:
        """The entry's message as the codec sees it; a wrapper's messages stay compressed bytes."""
        entry: Any = parse(
            "legacy_message", self.raw, source=self.source, position=self.position, checksums=False, raw=True
        )
        return entry.message

    def _inflated(self) -> Reader:
        """A reader of a wrapper's decompressed content."""
        message = self._message
        if message.message_set is None:
            whole = Reader(self.raw, source=self.source, origin=self.position)
            raise _wrong(whole, 0, NO_MESSAGES, "value_length", ">= 0", message.value_length)
        reader = Reader(self.raw, source=self.source, origin=self.position, checksums=False, inflate_limit=self.limit)
        reader.position = self.size - len(message.message_set)
        reader.end_is_cut = False  # the entry is complete; reading beyond it means damage
        size, path = len(message.message_set), "legacy_message.message.message_set"
        return reader.inflate(self.compression, size, path, self.magic)

    def _base(self, reader: Reader) -> int:
        """The number to add to the offsets in a wrapper.

        If an inner message is cut off, the last complete one decides, as in Kafka; invalid sizes are reported when they
        are read.
        """
        position, last, last_position = reader.position, None, 0
        while position + FRAME_BYTES <= reader.limit:
            offset, size = _INNER_FRAME.unpack_from(reader.data, position)
            end = position + FRAME_BYTES + max(size, 0)
            if end <= reader.limit:
                last, last_position = offset, position
            position = end
        if last is None and reader.position == reader.limit:
            raise _wrong(reader, position, NO_MESSAGES, "message_set.messages", "at least one", 0)
        if not self.magic or last is None or self.last_offset == 0:
            return 0
        if self.last_offset < last:
            message = "the last message's number is above the wrapper's offset"
            raise _wrong(reader, last_position, message, "message_set.messages", f"<= {self.last_offset}", last)
        return self.last_offset - last

    def _numbered(self) -> Iterator[tuple[int, _Inner, Reader]]:
        """The messages in a wrapper: the absolute offset, the message, and the reader of the decompressed bytes.

        For an unreadable message the codec reports the reason. Messages are read lazily: a few kilobytes may decompress
        to millions.
        """
        reader = self._inflated()
        base, number = self._base(reader), 0
        while (inner := _inner_at(reader.data, reader.position, reader.limit)) is not None:
            reader.position = inner.end
            yield wrapped_int64(base + inner.stored_offset), inner, reader
            number += 1
        if reader.position == reader.limit:
            return
        start, path = reader.position, "legacy_message.message.message_set.messages"
        for value in iterate(element_parser(_INNER_ENTRY.type), reader, 1, path, number):
            item: Any = value
            codec = item.message.attributes.compression.name
            message, at = "compressed messages inside of compressed messages", start + _INNER_ATTRIBUTES
            field = f"message_set.messages[{number}].message.attributes.compression"
            raise _wrong(reader, at, message, field, "none", codec)

    def messages(self) -> Iterator[Message]:
        """The messages with their checksums, one at a time; a plain entry is its only message."""
        if not self.compression:
            message = self._message
            timestamp_type = self.timestamp_type
            record = Record(self.last_offset, self.max_timestamp, timestamp_type, message.key, message.value)
            yield Message(record, self.crc, self.is_valid, self.magic, self.last_offset)
            return
        sum_of, own_type = algorithm_of(_ALGORITHM).compute, self.timestamp_type
        for offset, inner, reader in self._numbered():
            timestamp, timestamp_type = inner.timestamp, NO_TIMESTAMP_TYPE
            if inner.magic:
                timestamp_type = own_type
                timestamp = self.max_timestamp if timestamp_type == _LOG_APPEND_TIME else timestamp
            record = Record(offset, timestamp, timestamp_type, inner.key, inner.value)
            computed = sum_of(reader.data[inner.start + FRAME_BYTES + _COVERED : inner.end])
            yield Message(record, inner.crc, computed == inner.crc, inner.magic, inner.stored_offset)

    def records(self) -> Iterator[Record]:
        """The messages as records, with absolute offsets and Kafka's timestamps, one at a time.

        No checksum is verified: see `is_valid`, and `messages` for each message's.

        Raises:
            InvalidError, CompressionError, LimitError: at the first unreadable message, with its path; the messages
                before it have been yielded by then.
        """
        return (message.record for message in self.messages())

    def __repr__(self) -> str:
        return (
            f"<LegacyBatch {self.source}:{self.position} magic {self.magic}, offset {self.last_offset}, "
            f"{self.compression_name}, {self.size} bytes>"
        )


def _wrong(reader: Reader, position: int, message: str, field: str, expected: object, found: object) -> DataError:
    path = f"legacy_message.message.{field}"
    return reader.fail(InvalidError, message, position, path=path, expected=expected, found=found)


__all__ = ["MINIMUM_BYTES", "LegacyBatch"]

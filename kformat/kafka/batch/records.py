"""Kafka's semantics on top of the codec: batches of magic 2, their records with absolute offsets and timestamps, and
the contents of control records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import element_parser, iterate, parse, parse_prefix
from kformat.codec.parsing import Parser
from kformat.codec.reader import Reader
from kformat.codec.values import Value, enum_class
from kformat.errors import InvalidError, TruncatedError
from kformat.integers import MAX_INT32, wrapped_int32, wrapped_int64
from kformat.kafka.batch.compression import CODEC_LABELS, CODEC_NAMES
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.language.layout import layout
from kformat.language.program import load_program
from kformat.storage.algorithms import algorithm_of
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_LAYOUT: Final = layout("record_batch")
_RECORD: Final = layout("record_batch::record").type
_HEADER: Final = _LAYOUT.header_dtype
_ALGORITHM, _, _COVERED = _LAYOUT.checksum()

TimestampType: Final = enum_class(load_program("record_batch").enums["record_batch::timestamp_type"])


@cache
def _record_parser(traced: bool) -> Parser:
    return element_parser(_RECORD, traced=traced)


_BASES: Final = {field.name: field.base for field in _RECORD.fields if field.base is not None}


class Record(NamedTuple):
    """A record with its absolute offset and timestamp, as a named tuple.

    ``timestamp`` is in milliseconds; in a log_append_time batch it is the batch's. ``headers`` holds (key, value) in
    order, with duplicates; null values are None. A header key that is not UTF-8 holds lone surrogates (PEP 383).
    ``sequence`` is -1 if the producer was not idempotent.
    """

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    sequence: int = -1


def add_sequence(sequence: int, delta: int) -> int:
    """A sequence number ``delta`` later; 0 comes after 2147483647 (DefaultRecordBatch.incrementSequence).

    A negative delta, which occurs only in damaged batches, wraps like Java's arithmetic.
    """
    if sequence > wrapped_int32(MAX_INT32 - delta):
        return wrapped_int32(delta - (MAX_INT32 - sequence) - 1)
    return wrapped_int32(sequence + delta)


def add_sequences(sequences: npt.NDArray[Any], deltas: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """`add_sequence` of columns of one length; -1 if the batch has no sequence number."""
    first, later = sequences.astype(np.int64), deltas.astype(np.int64)
    wraps = first > (MAX_INT32 - later).astype(np.int32)
    added = np.where(wraps, later - (MAX_INT32 - first) - 1, first + later).astype(np.int32)
    return np.where(first < 0, np.int32(-1), added)


def subtract_sequence(sequence: int, delta: int) -> int:
    """A sequence number ``delta`` earlier; 2147483647 comes before 0 (DefaultRecordBatch.decrementSequence)."""
    if sequence < delta:
        return wrapped_int32(MAX_INT32 - (delta - sequence) + 1)
    return wrapped_int32(sequence - delta)


class StoredBatch:
    """The common base of batches of all magics: ``raw`` bytes, their ``position`` and ``size`` in the file, and
    properties derived from their fields.
    """

    _FORMAT: ClassVar[str]
    _NOUN: ClassVar[str]
    _LEAST_BYTES: ClassVar[int]
    _BITS: ClassVar[Mapping[str, Callable[[Any], Any]]]
    _COVERED_FROM: ClassVar[int]
    _SUM: ClassVar[Callable[[Any], int]]
    attributes: int
    crc: int

    def __init__(
        self, raw: bytes, position: int = 0, source: str = "<bytes>", limit: int = DEFAULT_INFLATE_LIMIT
    ) -> None:
        self.raw, self.position, self.size, self.source, self.limit = raw, position, len(raw), source, limit
        if len(raw) < self._LEAST_BYTES:
            raise TruncatedError(
                f"the bytes end inside of a {self._NOUN}",
                source=source,
                position=position,
                path=self._FORMAT,
                expected=f"{self._LEAST_BYTES} bytes",
                found=len(raw),
            )

    @property
    def compression(self) -> int:
        """The codec's number, 0 for none; in a damaged batch it may be unknown, or not allowed for this magic."""
        return self._BITS["compression"](self.attributes)

    @property
    def compression_name(self) -> str:
        """``none``, ``gzip``, ...; ``unknown(5)`` for a number that Kafka does not define."""
        return CODEC_LABELS[self.compression]

    @cached_property
    def computed_crc(self) -> int:
        """The checksum computed over the bytes."""
        return type(self)._SUM(memoryview(self.raw)[self._COVERED_FROM :])

    @property
    def is_valid(self) -> bool:
        """Whether the stored checksum matches the bytes (isValid of DefaultRecordBatch and LegacyRecord)."""
        return self.computed_crc == self.crc

    def parse(self, *, checksums: bool = True) -> Value:
        """The batch as the codec sees it, records included; raises what `kformat.parse` raises."""
        return parse(
            self._FORMAT,
            self.raw,
            source=self.source,
            position=self.position,
            checksums=checksums,
            inflate_limit=self.limit,
        )


class Batch(StoredBatch):
    """One magic 2 batch of a segment: its header's fields as attributes (``base_offset``, ``crc``, ...), ``raw`` bytes,
    ``position`` and ``size`` in the file."""

    _FORMAT, _NOUN, _LEAST_BYTES = "record_batch", "batch", HEADER_BYTES
    _BITS, _COVERED_FROM, _SUM = _LAYOUT.bit_readers("attributes"), _COVERED, algorithm_of(_ALGORITHM).compute

    def __init__(
        self, raw: bytes, position: int = 0, source: str = "<bytes>", limit: int = DEFAULT_INFLATE_LIMIT
    ) -> None:
        super().__init__(raw, position, source, limit)
        (header,) = np.frombuffer(raw, dtype=_HEADER, count=1).tolist()
        self.__dict__.update(zip(_HEADER.names, header, strict=True))  # type: ignore[arg-type]

    # Set from the declaration's names; listed here for readers and type checkers.
    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    records_count: int

    @property
    def last_offset(self) -> int:
        """The last offset that the batch covers, even if compaction removed its record; wraps like Java's long."""
        return wrapped_int64(self.base_offset + self.last_offset_delta)

    @property
    def next_offset(self) -> int:
        """One after `last_offset`."""
        return wrapped_int64(self.last_offset + 1)

    @property
    def last_sequence(self) -> int:
        """The sequence number at `last_offset`; -1 without a producer."""
        return -1 if self.base_sequence == -1 else add_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def timestamp_type(self) -> int:
        """Of `TimestampType`."""
        return TimestampType(self._BITS["timestamp_type"](self.attributes))

    @property
    def is_transactional(self) -> bool:
        """Whether it is part of a transaction, which may have been aborted, or the marker that ends one."""
        return bool(self._BITS["is_transactional"](self.attributes))

    @property
    def is_control(self) -> bool:
        """Whether its records are control records, which consumers do not see."""
        return bool(self._BITS["is_control"](self.attributes))

    @property
    def delete_horizon_ms(self) -> int | None:
        """The time from which tombstones may be dropped, in milliseconds since 1970; None if there is none."""
        return self.base_timestamp if self._BITS["has_delete_horizon"](self.attributes) else None

    def _payload(self) -> Reader:
        reader = Reader(self.raw, source=self.source, origin=self.position, inflate_limit=self.limit)
        reader.position = HEADER_BYTES
        reader.end_is_cut = False  # the batch is complete; reading beyond it means damage
        if not self.compression:
            return reader
        return reader.inflate(self.compression, self.size - HEADER_BYTES, "record_batch.payload")

    def values(self) -> Iterator[Value]:
        """The records as the codec sees them (deltas, lengths), one at a time; raises as `records`."""
        if self.records_count < 0 or self.compression >= len(CODEC_NAMES):
            self.parse(checksums=False)  # which raises the error, with its place
        if self.records_count:  # Kafka does not read the payload of an empty batch, either
            payload = self._payload()
            parse_record = _record_parser(payload.observer is not None)
            yield from iterate(parse_record, payload, self.records_count, "record_batch.records")

    def records(self) -> Iterator[Record]:
        """The records, one at a time; the payload is decompressed, at most to the limit, and the records are not
        collected.

        The checksum is not verified: see `is_valid`.

        Raises:
            InvalidError, CompressionError, LimitError: at the first record that cannot be read, with its path; the
                records before it have been yielded by then.
        """
        log_append_time = self.timestamp_type == TimestampType["log_append_time"]
        timestamp_base, offset_base = getattr(self, _BASES["timestamp_delta"]), getattr(self, _BASES["offset_delta"])
        kind, sequence = self.timestamp_type, self.base_sequence
        for value in self.values():
            item: Any = value
            timestamp = wrapped_int64(timestamp_base + item.timestamp_delta)
            yield Record(
                wrapped_int64(offset_base + item.offset_delta),
                self.max_timestamp if log_append_time else timestamp,
                kind,
                item.key,
                item.value,
                tuple([(header.key, header.value) for header in item.headers]),
                -1 if sequence < 0 else add_sequence(sequence, item.offset_delta),
            )

    def __repr__(self) -> str:
        return (
            f"<Batch {self.source}:{self.position} offsets {self.base_offset}..{self.last_offset}, "
            f"{self.records_count} records, {self.compression_name}, {self.size} bytes>"
        )


_CONTROL_KEY: Final = "control_record_type_schema"
CONTROL_TYPES: Final = load_program(_CONTROL_KEY).enums[f"{_CONTROL_KEY}::control_type"].members
"""The types of control records -> their names."""
CONTROL_VALUES: Final = {
    "abort": "end_txn_marker",
    "commit": "end_txn_marker",
    "leader_change": "leader_change_message",
    "snapshot_header": "snapshot_header_record",
    "snapshot_footer": "snapshot_footer_record",
    "kraft_version": "kraft_version_record",
    "kraft_voters": "voters_record",
}
"""Their names -> the declarations of the records' values."""


def parse_control_record(record: Record, source: str = "<bytes>") -> tuple[Any, Any]:
    """Key and value of a control record as the codec sees them (formats/messages).

    The value is None for undeclared types, or if the record has none. Bytes after the declared fields are ignored,
    because newer versions put fields there.

    Raises:
        InvalidError, TruncatedError: the key or value does not match its type, or there is no key.
    """
    if record.key is None:
        raise InvalidError("a control record without a key", source=source, path=_CONTROL_KEY)
    key, _ = parse_prefix(_CONTROL_KEY, record.key, source=source)
    kind: Any = key
    name = getattr(kind.type, "name", None)
    if name not in CONTROL_VALUES or record.value is None:
        return key, None
    return key, parse_prefix(CONTROL_VALUES[name], record.value, source=source)[0]


__all__ = ["CONTROL_TYPES", "CONTROL_VALUES", "Batch", "Record", "TimestampType", "add_sequence"]

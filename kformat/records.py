"""Kafka's meaning over the codec: walking the batches of a segment, and records with absolute offsets and timestamps.

A walk looks at one frame after the other: base offset, length, magic. It needs no memory that grows with the file, goes
as far as the framing is sound, and says where and why it stopped. What Kafka's own file reader passes over in silence
(trailing bytes too few for a batch, a batch that is not all there) is told as a `problem`.

Walks do not look at checksums and records; `Batch.is_valid` and `Batch.records` do. Magic 0 and 1 (before Kafka 0.11)
are recognised, not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.checksum import ALGORITHMS
from kformat.codec import iterate, parse, parse_prefix
from kformat.compression import CODEC_NAMES, DEFAULT_INFLATE_LIMIT
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError
from kformat.layout import layout
from kformat.program import load_program
from kformat.reader import Reader
from kformat.source import ByteSource
from kformat.values import Value, enum_class

_LAYOUT: Final = layout("record_batch")
_RECORD: Final = layout("record_batch::record").type
_HEADER: Final = _LAYOUT.header_dtype
_NATIVE: Final = _HEADER.newbyteorder("=")
_ATTRIBUTES: Final = _LAYOUT.bits("attributes")
_ALGORITHM, _, _COVERED_FROM = _LAYOUT.checksum()
_BATCH_LENGTH: Final = _LAYOUT.reader("batch_length")
_MAGIC: Final = _LAYOUT.reader("magic")

FRAME_BYTES: Final = _LAYOUT.end("batch_length")
"""Bytes in front of a batch that its length does not count; the same for all magics (Kafka's "log overhead")."""

HEADER_BYTES: Final = _HEADER.itemsize
"""Bytes of a magic 2 batch in front of its records."""

PEEK_BYTES: Final = _LAYOUT.end("magic")
"""Bytes that have to be there before anything can be said about a batch."""

MINIMUM_LENGTH: Final = 14
"""Smallest length of any batch: an empty magic 0 message (LegacyRecord.RECORD_OVERHEAD_V0)."""

CURRENT_MAGIC: Final = 2

TimestampType: Final = enum_class(load_program("record_batch").enums["record_batch::timestamp_type"])

_WINDOW_BYTES: Final = 4096
_BASES: Final = {field.name: field.base for field in _RECORD.fields if field.base is not None}


@dataclass(frozen=True, slots=True)
class Frame:
    """One batch as the framing shows it: ``position`` and ``size`` in bytes; ``start``: its first bytes."""

    position: int
    size: int
    magic: int
    start: bytes


class Walk:
    """An iterator over the frames between two positions. When it ends, ``position`` is where the sound framing ends
    and ``problem`` says why it is not the end: None, TruncatedError (cut off) or InvalidError (no batch there)."""

    def __init__(self, source: ByteSource, start: int = 0, end: int | None = None) -> None:
        self.source, self.position = source, start
        self.end = source.size if end is None else min(end, source.size)
        self.problem: DataError | None = None
        self._window, self._window_start = b"", start

    def __iter__(self) -> Iterator[Frame]:
        return self

    def _peek(self, size: int) -> bytes:
        at = self.position - self._window_start
        if at < 0 or at + size > len(self._window):
            wanted = min(max(size, _WINDOW_BYTES), self.end - self.position)
            self._window, self._window_start, at = self.source.read_at(self.position, wanted), self.position, 0
        return self._window[at : at + size]

    def _stop(self, kind: type[DataError], message: str, field: str, expected: Any, found: Any) -> None:
        at = self.position + _LAYOUT.position(field)
        path = f"record_batch.{field}"
        self.problem = kind(message, source=self.source.name, position=at, path=path, expected=expected, found=found)

    def shortened(self, frame: Frame, found: int) -> None:
        """A frame that was there is not any more: the file was cut after its size was taken."""
        self.position = frame.position
        self._stop(TruncatedError, "the bytes end inside of a batch", "batch_length", f"{frame.size} bytes", found)

    def __next__(self) -> Frame:
        left = self.end - self.position
        if self.problem is not None or left <= 0:
            raise StopIteration
        start = self._peek(min(HEADER_BYTES, left))
        if len(start) < PEEK_BYTES:
            self._stop(
                TruncatedError, "the bytes end inside of a batch", "base_offset", f"{PEEK_BYTES} bytes", len(start)
            )
            raise StopIteration
        length = _BATCH_LENGTH(start, 0)
        if length < MINIMUM_LENGTH:
            self._stop(InvalidError, "no batch begins here", "batch_length", f">= {MINIMUM_LENGTH}", length)
            raise StopIteration
        size = FRAME_BYTES + length
        if size > left or len(start) < min(HEADER_BYTES, size):  # the latter: the file became shorter on the way
            found = left if size > left else len(start)
            self._stop(TruncatedError, "the bytes end inside of a batch", "batch_length", f"{size} bytes", found)
            raise StopIteration
        frame = Frame(self.position, size, _MAGIC(start, 0), start)
        self.position += size
        return frame


@dataclass(frozen=True, eq=False)
class BatchHeaders:
    """The headers of consecutive batches as columns: 1-D arrays of one length, in native byte order.

    ``position`` and ``size`` are int64, in bytes; the others have the declared name, width and sign
    (``base_offset`` int64, ``crc`` uint32, ``attributes`` uint16, ...). `last_offset` and the columns taken from the
    bits of ``attributes`` are computed when asked for.
    """

    source: str
    position: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    columns: npt.NDArray[Any]
    """All declared fields as one structured array; its columns are this object's attributes, too."""
    valid_bytes: int
    """Position where the sound framing ends."""
    problem: DataError | None
    """Why it ends before the bytes do; None where it does not."""
    legacy_magic: int | None
    """0 or 1 where the walk stopped because batches of an older format begin."""

    def __len__(self) -> int:
        return len(self.position)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        if name in _NATIVE.names:  # type: ignore[operator]
            return self.columns[name]
        if name in _ATTRIBUTES:
            bit = _ATTRIBUTES[name]
            return (self.columns["attributes"] >> bit.shift) & bit.mask
        raise AttributeError(name)

    @property
    def last_offset(self) -> npt.NDArray[np.int64]:
        """int64; wraps like Java's long where a damaged header asks for it."""
        found: npt.NDArray[np.int64] = self.columns["base_offset"] + self.columns["last_offset_delta"].astype(np.int64)
        return found

    @property
    def next_offset(self) -> npt.NDArray[np.int64]:
        """int64: one behind `last_offset`."""
        return self.last_offset + 1


def read_batch_headers(file: Any, start: int = 0, end: int | None = None) -> BatchHeaders:
    """Walk over a segment file and collect the headers of its batches.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; ``start`` must be that of a batch.

    Takes a header's bytes of memory per batch. Raises OSError where the file cannot be read; nothing for damaged bytes,
    see `BatchHeaders.problem`.
    """
    positions: list[int] = []
    sizes: list[int] = []
    rows = bytearray()
    legacy, problem, valid_bytes = None, None, start
    with ByteSource(file) as source:
        walk = Walk(source, start, end)
        for frame in walk:
            if 0 <= frame.magic < CURRENT_MAGIC:
                legacy = frame.magic
                break
            if frame.size < HEADER_BYTES or frame.magic < 0:
                problem = _not_current(source.name, frame)
                break
            positions.append(frame.position)
            sizes.append(frame.size)
            rows += frame.start
            valid_bytes = walk.position
        name = source.name
    columns = np.frombuffer(bytes(rows), dtype=_HEADER).astype(_NATIVE)
    return BatchHeaders(
        source=name,
        position=np.array(positions, dtype=np.int64),
        size=np.array(sizes, dtype=np.int64),
        columns=columns,
        valid_bytes=valid_bytes,
        problem=problem or walk.problem,
        legacy_magic=legacy,
    )


def _not_current(source: str, frame: Frame) -> InvalidError:
    """Why a frame is no batch of magic 2."""
    message, field = "no batch of magic 2", "magic"
    expected: int | str
    if frame.magic < 0:
        expected, found = ">= 0", frame.magic
    elif frame.magic < CURRENT_MAGIC:
        message = "a batch of the format before Kafka 0.11, which is not read yet"
        expected, found = CURRENT_MAGIC, frame.magic
    else:
        field = "batch_length"
        expected, found = f">= {HEADER_BYTES - FRAME_BYTES}", frame.size - FRAME_BYTES
    position = frame.position + _LAYOUT.position(field)
    path = f"record_batch.{field}"
    return InvalidError(message, source=source, position=position, path=path, expected=expected, found=found)


@dataclass(frozen=True, slots=True)
class Record:
    """A record with its absolute offset and timestamp.

    ``timestamp`` is in milliseconds; in a log_append_time batch it is the batch's. ``headers`` holds (key, value) in
    order, duplicates kept; null values are None. A header key that is no UTF-8 holds lone surrogates (PEP 383).
    ``sequence`` is -1 where the producer was not idempotent.
    """

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    sequence: int = -1


def _int64(value: int) -> int:
    """Java's long addition wraps; so does a timestamp or offset made from a base and a delta."""
    return (value + 2**63) % 2**64 - 2**63


def _int32(value: int) -> int:
    """Java's int wraps likewise."""
    return (value + 2**31) % 2**32 - 2**31


def add_sequence(sequence: int, delta: int) -> int:
    """A sequence number ``delta`` later; 0 comes behind 2147483647 (DefaultRecordBatch.incrementSequence).

    A negative delta, which only damage brings about, gives what Java's wrapping arithmetic makes of it.
    """
    if sequence > _int32(2**31 - 1 - delta):
        return _int32(delta - (2**31 - 1 - sequence) - 1)
    return _int32(sequence + delta)


class Batch:
    """One magic 2 batch of a segment: its header's fields as attributes (``base_offset``, ``crc``, ...), ``raw`` bytes,
    ``position`` and ``size`` in the file."""

    def __init__(
        self, raw: bytes, position: int = 0, source: str = "<bytes>", limit: int = DEFAULT_INFLATE_LIMIT
    ) -> None:
        self.raw, self.position, self.size, self.source, self.limit = raw, position, len(raw), source, limit
        if len(raw) < HEADER_BYTES:
            raise TruncatedError(
                "the bytes end inside of a batch",
                source=source,
                position=position,
                path="record_batch",
                expected=f"{HEADER_BYTES} bytes",
                found=len(raw),
            )
        (header,) = np.frombuffer(raw, dtype=_HEADER, count=1).tolist()
        self.__dict__.update(zip(_HEADER.names, header, strict=True))  # type: ignore[arg-type]

    # Set from the declaration's names; stated here for readers and type checkers.
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

    def _bits(self, name: str) -> int:
        bit = _ATTRIBUTES[name]
        return self.attributes >> bit.shift & bit.mask

    @property
    def last_offset(self) -> int:
        return _int64(self.base_offset + self.last_offset_delta)

    @property
    def next_offset(self) -> int:
        return _int64(self.last_offset + 1)

    @property
    def last_sequence(self) -> int:
        return -1 if self.base_sequence == -1 else add_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def compression(self) -> int:
        """The codec's number; 5, 6 and 7 are none of Kafka's."""
        return self._bits("compression")

    @property
    def compression_name(self) -> str:
        """``none``, ``gzip``, ...; ``unknown(5)`` for a number that is none of Kafka's."""
        return CODEC_NAMES[self.compression] if self.compression < len(CODEC_NAMES) else f"unknown({self.compression})"

    @property
    def timestamp_type(self) -> int:
        return TimestampType(self._bits("timestamp_type"))

    @property
    def is_transactional(self) -> bool:
        return bool(self._bits("is_transactional"))

    @property
    def is_control(self) -> bool:
        return bool(self._bits("is_control"))

    @property
    def delete_horizon_ms(self) -> int | None:
        """From when on tombstones may be dropped, in milliseconds since 1970; None where there is no such time."""
        return self.base_timestamp if self._bits("has_delete_horizon") else None

    @cached_property
    def computed_crc(self) -> int:
        """The checksum of the bytes as they are."""
        return ALGORITHMS[_ALGORITHM](memoryview(self.raw)[_COVERED_FROM:])

    @property
    def is_valid(self) -> bool:
        """Whether the stored checksum is that of the bytes (DefaultRecordBatch.isValid)."""
        return self.computed_crc == self.crc

    def parse(self, *, checksums: bool = True) -> Value:
        """The batch as the codec sees it, records included; raises what `kformat.parse` raises."""
        return parse(
            "record_batch",
            self.raw,
            source=self.source,
            position=self.position,
            checksums=checksums,
            inflate_limit=self.limit,
        )

    def _payload(self) -> Reader:
        reader = Reader(self.raw, source=self.source, origin=self.position, inflate_limit=self.limit)
        reader.position = HEADER_BYTES
        reader.end_is_cut = False  # the batch is all there; running out of it is damage
        if not self.compression:
            return reader
        return reader.inflate(self.compression, self.size - HEADER_BYTES, "record_batch.payload")

    def values(self) -> Iterator[Value]:
        """The records as the codec sees them (deltas, lengths), one at a time; see `records` for what it raises."""
        if self.records_count < 0 or self.compression >= len(CODEC_NAMES):
            self.parse(checksums=False)  # which says what is wrong, and where
        if self.records_count:  # the payload of an empty batch is not looked at, as Kafka does not
            yield from iterate("record_batch::record", self._payload(), self.records_count, "record_batch.records")

    def records(self) -> Iterator[Record]:
        """The records, one at a time; the payload is inflated, at most to the limit, the records are not collected.

        The checksum is not looked at: `is_valid` says.

        Raises:
            InvalidError, CompressionError, LimitError: at the first record that cannot be read, with its path; the
                records before it have been yielded by then.
        """
        log_append_time = self.timestamp_type == TimestampType["log_append_time"]
        timestamp_base, offset_base = getattr(self, _BASES["timestamp_delta"]), getattr(self, _BASES["offset_delta"])
        kind, sequence = self.timestamp_type, self.base_sequence
        for value in self.values():
            item: Any = value
            yield Record(
                offset=_int64(offset_base + item.offset_delta),
                timestamp=self.max_timestamp if log_append_time else _int64(timestamp_base + item.timestamp_delta),
                timestamp_type=kind,
                key=item.key,
                value=item.value,
                headers=tuple((header.key, header.value) for header in item.headers),
                sequence=-1 if sequence < 0 else add_sequence(sequence, item.offset_delta),
            )

    def __repr__(self) -> str:
        return (
            f"<Batch {self.source}:{self.position} offsets {self.base_offset}..{self.last_offset}, "
            f"{self.records_count} records, {self.compression_name}, {self.size} bytes>"
        )


def iter_batches(
    file: Any, start: int = 0, end: int | None = None, *, limit: int = DEFAULT_INFLATE_LIMIT
) -> Iterator[Batch]:
    """The batches of a segment file, one at a time.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; ``start`` must be that of a batch.
        limit: the most bytes that one batch may take, stored or inflated.

    Raises:
        TruncatedError, InvalidError: where the framing stops being sound; the batches before it have been yielded.
            Batches of magic 0 and 1 count as such.
        LimitError: a batch is larger than the limit.
        OSError: the file cannot be read.
    """
    with ByteSource(file) as source:
        walk = Walk(source, start, end)
        for frame in walk:
            if frame.size < HEADER_BYTES or frame.magic < CURRENT_MAGIC:
                raise _not_current(source.name, frame)
            if frame.size > limit:
                at = frame.position + _LAYOUT.position("batch_length")
                path = "record_batch.batch_length"
                raise LimitError(
                    "a batch over the limit",
                    source=source.name,
                    position=at,
                    path=path,
                    expected=f"<= {limit} bytes",
                    found=frame.size,
                )
            raw = source.read_at(frame.position, frame.size)
            if len(raw) < frame.size:
                walk.shortened(frame, len(raw))
                break
            yield Batch(raw, frame.position, source.name, limit)
        if walk.problem is not None:
            raise walk.problem


_CONTROL_VALUES: Final = {
    "abort": "control_record::end_transaction_marker",
    "commit": "control_record::end_transaction_marker",
    "leader_change": "control_record::leader_change",
}


def parse_control_record(record: Record, source: str = "<bytes>") -> tuple[Any, Any]:
    """Key and value of a control record as the codec sees them (formats/control_record.ksy).

    The value is None for types that are not declared, or where the record has none. Bytes behind what is declared are
    passed over, because newer versions put fields there.

    Raises:
        InvalidError, TruncatedError: the key or value is not what its type says, or there is no key.
    """
    if record.key is None:
        raise InvalidError("a control record without a key", source=source, path="control_record")
    key, _ = parse_prefix("control_record", record.key, source=source)
    kind: Any = key
    name = getattr(kind.type, "name", None)
    if name not in _CONTROL_VALUES or record.value is None:
        return key, None
    return key, parse_prefix(_CONTROL_VALUES[name], record.value, source=source)[0]

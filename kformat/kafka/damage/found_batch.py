"""A batch that was found in any bytes, with the grades of the proof; see `evidence`, which finds them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import element_parser, iterate
from kformat.codec.reader import Reader
from kformat.errors import DataError
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import CODEC_NAMES, decompress, decompress_some
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, WalkSource
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch
from kformat.language.layout import Layout, layout
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_BATCH: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")
_MESSAGE_AT: Final = layout("legacy_message").position("message")
_BASE_OFFSET: Final = _BATCH.reader("base_offset")
_LAST_OFFSET_DELTA: Final = _BATCH.reader("last_offset_delta")
_MAGIC: Final = _BATCH.reader("magic")
_LEADER_EPOCH: Final = _BATCH.reader("partition_leader_epoch")
_COMPRESSION: Final = _BATCH.bits("attributes")["compression"]
_SECTOR_BYTES: Final = 512
UNCOVERED_BYTES: Final = _BATCH.position("magic")
"""The bytes of a batch that no checksum covers: a message of magic 0 or 1 has its checksum in the last four."""
_PLAIN: Final = layout("legacy_message::plain_message")
_KEY_LENGTH: Final = _PLAIN.unpacker("key_length")
_VALUE_LENGTH: Final = _PLAIN.unpacker("value_length")
_KEY_AT: Final = {
    0: _MESSAGE_AT + _MESSAGE.end("attributes"),
    1: _MESSAGE_AT + _MESSAGE.end("attributes") + _PLAIN.unpacker("timestamp").size,
}
"""Where the length of the key is in a message, by magic."""


class Content(StrEnum):
    """How sure it is that a batch is what was written; see the module."""

    PROVED = "proved"
    CORRECTED = "corrected"
    STRUCTURAL = "structural"
    GUESSED = "guessed"


class Offsets(StrEnum):
    """How sure the offset of a batch is; see the module."""

    STORED = "stored"
    INFERRED = "inferred"
    UNKNOWN = "unknown"


class Standing(StrEnum):
    """Whether a batch belongs to the log; see `kformat.kafka.damage.anchoring`."""

    ANCHORED = "anchored"
    UNANCHORED = "unanchored"
    ENCLOSED = "enclosed"


@dataclass(frozen=True, slots=True)
class FoundBatch:
    """A batch of any magic that was found.

    Attributes:
        position, size: in bytes, in the source.
        content, offsets: the grades.
        header: its first bytes, at most `HEADER_BYTES`, as restored.
        restored: names of the header's fields (as in `record_batch`, whatever the magic) that are not as stored.
        flipped: the bit that was corrected after the header: 8 times the number of the byte in the batch, plus that of
            the bit, the lowest being 0; None if there is none.
        rival: position and leader epoch of the batch that has its offset, too, and keeps it.
        has_no_offset: whether the stored offset says nothing of its place: it may be the value of a record of a damaged
            batch, or was in a wrapper, or its offset was in bytes that are zeros now.
        standing: whether it is one of the log's batches.
        magic, base_offset, last_offset, leader_epoch: as restored. A message of magic 0 or 1 says its last offset only,
            which stands for its first, too; its leader epoch is -1.
    """

    position: int
    size: int
    content: Content
    header: bytes
    offsets: Offsets = Offsets.STORED
    restored: tuple[str, ...] = ()
    flipped: int | None = None
    rival: tuple[int, int] | None = None
    has_no_offset: bool = False
    standing: Standing = Standing.ANCHORED
    magic: int = field(init=False, repr=False, compare=False)
    base_offset: int = field(init=False, repr=False, compare=False)
    last_offset: int = field(init=False, repr=False, compare=False)
    leader_epoch: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        header, put = self.header, object.__setattr__
        base_offset, is_current = _BASE_OFFSET(header, 0), _MAGIC(header, 0) >= CURRENT_MAGIC
        put(self, "magic", _MAGIC(header, 0))
        put(self, "base_offset", base_offset)
        put(self, "last_offset", base_offset + (_LAST_OFFSET_DELTA(header, 0) if is_current else 0))
        put(self, "leader_epoch", _LEADER_EPOCH(header, 0) if is_current else -1)

    @property
    def end_position(self) -> int:
        """The position after the last byte."""
        return self.position + self.size

    @property
    def bytes_in_first_sector(self) -> int:
        """How many of its bytes lie in the sector in which it begins: they are lost where the sector is."""
        return -self.position % _SECTOR_BYTES or _SECTOR_BYTES

    @property
    def is_as_stored(self) -> bool:
        """Whether the batch's bytes are those of the source."""
        return not self.restored and self.flipped is None

    def raw(self, source: WalkSource) -> bytes:
        """The bytes of the batch, as restored: the checksum is that of the bytes, and holds for every reader.

        Not for a guessed batch, whose bytes nobody can read to the end. Raises OSError.
        """
        data = bytearray(source.read_at(self.position, self.size))
        data[: len(self.header)] = self.header
        if self.flipped is not None:
            data[self.flipped // 8] ^= 1 << self.flipped % 8
        if self.content is Content.STRUCTURAL:
            kind = kind_of(self.magic)
            kind.layout.mend(data, kind.at)
        return bytes(data)

    def batch(self, source: WalkSource, limit: int = DEFAULT_INFLATE_LIMIT) -> AnyBatch:
        """The batch, as restored. The records of a guessed one raise DataError where the damage is; a compressed one
        has what can be decompressed."""
        kind = Batch if self.magic >= CURRENT_MAGIC else LegacyBatch
        made = kind(self.raw(source), self.position, source.name, limit)
        if self.content is not Content.GUESSED or not 0 < made.compression < len(CODEC_NAMES):
            return made
        header = bytearray(self.header)
        writer_of("attributes")(header, 0, made.attributes & ~(_COMPRESSION.mask << _COMPRESSION.shift))
        payload = decompress_some(made.compression, memoryview(made.raw)[HEADER_BYTES:], limit=limit)
        return kind(bytes(header) + payload, self.position, source.name, limit)


@dataclass(frozen=True, slots=True)
class Lost:
    """Bytes in which there is no batch, from ``position`` to ``end_position`` (exclusive)."""

    position: int
    end_position: int

    @property
    def size(self) -> int:
        """In bytes."""
        return self.end_position - self.position


class ChecksumKind(NamedTuple):
    """The checksum of a kind of batch: which structure has it, and where; and the fewest bytes of such a batch."""

    layout: Layout
    at: int
    algorithm: str
    field: str
    covered_from: int
    least_bytes: int

    def stored(self, header: bytes) -> int:
        return int(self.layout.reader(self.field)(header, self.at))


def _kind(source: Layout, at: int, least_bytes: int) -> ChecksumKind:
    algorithm, field, covered = source.checksum()
    return ChecksumKind(source, at, algorithm, field, at + covered, least_bytes)


CURRENT: Final = _kind(_BATCH, 0, HEADER_BYTES)
LEGACY: Final = _kind(_MESSAGE, _MESSAGE_AT, LEGACY_MINIMUM_BYTES)


def kind_of(magic: int) -> ChecksumKind:
    return CURRENT if magic >= CURRENT_MAGIC else LEGACY


reader_of: Final = lru_cache(_BATCH.reader)
"""As `Layout.reader` of `record_batch`, made once for each field."""
writer_of: Final = lru_cache(_BATCH.writer)


def legacy_size(header: bytes, magic: int, peek: Callable[[int, int], bytes]) -> int | None:
    """The size of a message of magic 0 or 1 by the lengths of its key and value; None if the bytes end before these.

    ``peek(at, size)`` gives bytes of the message from a place in it on.
    """
    key_at = _KEY_AT[magic]
    if len(header) < key_at + _KEY_LENGTH.size:
        return None
    value_at = key_at + _KEY_LENGTH.size + max(0, _KEY_LENGTH.unpack_from(header, key_at)[0])
    length = peek(value_at, _VALUE_LENGTH.size)
    if len(length) < _VALUE_LENGTH.size:
        return None
    return int(value_at + _VALUE_LENGTH.size + max(0, _VALUE_LENGTH.unpack(length)[0]))


def times_of(batch: FoundBatch) -> tuple[int, int]:
    """Base and largest timestamp of a batch of magic 2; both -1 of others."""
    if batch.magic < CURRENT_MAGIC:
        return -1, -1
    return reader_of("base_timestamp")(batch.header, 0), reader_of("max_timestamp")(batch.header, 0)


def restored(batch: FoundBatch, **fields: int) -> FoundBatch:
    """A batch with other values in fields of its header, by their names in `record_batch`; those that change are
    `restored`."""
    header, names = bytearray(batch.header), list(batch.restored)
    for name, value in fields.items():
        if reader_of(name)(header, 0) != value:
            writer_of(name)(header, 0, value)
            names += [name] if name not in names else []
    return replace(batch, header=bytes(header), restored=tuple(names))


def with_size(batch: FoundBatch) -> FoundBatch:
    """A batch with the length field that fits its size."""
    return restored(batch, batch_length=batch.size - FRAME_BYTES)


class Delta(NamedTuple):
    """A record's own part of its offset and of its timestamp."""

    offset: int
    timestamp: int


def record_deltas(batch: Batch) -> tuple[list[Delta], bool]:
    """The deltas of all records that can be read, however many the header says; and whether they fill the payload."""
    deltas: list[Delta] = []
    if batch.compression >= len(CODEC_NAMES):
        return deltas, False
    try:
        payload = decompress(batch.compression, memoryview(batch.raw)[HEADER_BYTES:], limit=batch.limit)
    except DataError:
        return deltas, False
    try:
        for value in iterate(
            element_parser(layout("record_batch::record").type), Reader(payload), None, "record_batch.records"
        ):
            item: Any = value
            deltas.append(Delta(item.offset_delta, item.timestamp_delta))
    except DataError:
        return deltas, False
    return deltas, True


def reads(batch: AnyBatch) -> bool:
    """Whether all records can be read, and nothing in the header contradicts them."""
    if isinstance(batch, Batch):
        deltas, is_whole = record_deltas(batch)
        return is_whole and len(deltas) == batch.records_count and is_ordered(deltas, batch.last_offset_delta)
    try:
        batch.parse(checksums=False)
    except DataError:
        return False
    return True


def is_ordered(deltas: list[Delta], last: int) -> bool:
    """Whether offset deltas grow, and lie between 0 and the last one."""
    offsets = [-1, *(delta.offset for delta in deltas), last + 1]
    return all(offset < other for offset, other in itertools.pairwise(offsets))

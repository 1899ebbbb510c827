"""Where one batch ends and the next begins: the frames of a segment, whatever the magic.

A walk looks at one frame after the other: base offset, length, magic. It needs no memory that grows with the file, goes
as far as the framing is sound and as a log may reach, and says where and why it stopped. What Kafka's own file reader
passes over in silence (trailing bytes too few for a batch, a batch that is not all there) is told as a `problem`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

from kformat.errors import DataError, InvalidError, TruncatedError
from kformat.integers import MAX_INT32
from kformat.kafka.compression import CURRENT_MAGIC as CURRENT_MAGIC
from kformat.language.layout import layout

_LAYOUT: Final = layout("record_batch")
_BATCH_LENGTH: Final = _LAYOUT.reader("batch_length")
_MAGIC: Final = _LAYOUT.reader("magic")

FRAME_BYTES: Final = _LAYOUT.end("batch_length")
"""Bytes in front of a batch that its length does not count; the same for all magics (Kafka's "log overhead")."""

HEADER_BYTES: Final = _LAYOUT.header_dtype.itemsize
"""Bytes of a magic 2 batch in front of its records."""

PEEK_BYTES: Final = _LAYOUT.end("magic")
"""Bytes that have to be there before anything can be said about a batch."""

MINIMUM_LENGTH: Final = 14
"""Smallest length of any batch: an empty magic 0 message (LegacyRecord.RECORD_OVERHEAD_V0)."""

MAX_LOG_BYTES: Final = MAX_INT32
"""The largest file of a segment: its size is an int to Kafka, whose FileRecords refuses a larger one."""

_WINDOW_BYTES: Final = 4096


def format_of_magic(magic: int) -> str:
    """The declaration that a batch of a magic is read by; one above 2 by that of 2, as Kafka's file reader does."""
    return "record_batch" if magic >= CURRENT_MAGIC else "legacy_message"


class Bytes(Protocol):
    """What a walk goes over, a `ByteSource` as a rule: ``size`` bytes, which errors call ``name``."""

    name: str
    size: int

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only where they end."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """One batch as the framing shows it: ``position`` and ``size`` in bytes; ``start``: its first bytes."""

    position: int
    size: int
    magic: int
    start: bytes


class Walk:
    """An iterator over the frames between two positions. When it ends, ``position`` is where the sound framing ends
    and ``problem`` says why it is not the end: None, TruncatedError (cut off) or InvalidError (no batch there, or one
    that ends beyond `MAX_LOG_BYTES`)."""

    def __init__(self, source: Bytes, start: int = 0, end: int | None = None) -> None:
        self.source, self.position = source, start
        self.end = source.size if end is None else min(end, source.size)
        self.problem: DataError | None = None
        self._window, self._window_start = b"", start

    def __iter__(self) -> Self:
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
        if self.position + size > MAX_LOG_BYTES:
            most, found = f"a log of at most {MAX_LOG_BYTES} bytes", self.position + size
            self._stop(InvalidError, "a batch ends beyond what a log may hold", "batch_length", most, found)
            raise StopIteration
        frame = Frame(self.position, size, _MAGIC(start, 0), start)
        self.position += size
        return frame


__all__ = [
    "CURRENT_MAGIC",
    "FRAME_BYTES",
    "HEADER_BYTES",
    "MAX_LOG_BYTES",
    "MINIMUM_LENGTH",
    "PEEK_BYTES",
    "Frame",
    "Walk",
]

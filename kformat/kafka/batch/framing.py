"""The frames of a segment: where one batch ends and the next begins, whatever the magic.

A `Walk` reads one frame after the other: base offset, length, magic. Its memory does not grow with the file. It stops
where the framing is no longer sound, or at the largest possible log, and reports where and why. Bytes that Kafka's own
file reader ignores silently (too few for a batch, or an incomplete batch) are reported as a `problem`.

`borders` is the fast walk over bytes in memory. It handles batches of magic 2, and leaves everything else to a `Walk`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

import numpy as np
import numpy.typing as npt

from kformat.errors import DataError, InvalidError, TruncatedError
from kformat.integers import MAX_INT32, wrapped_int64
from kformat.kafka.batch.compression import CURRENT_MAGIC as CURRENT_MAGIC
from kformat.language.layout import layout
from kformat.language.program import load_type

_LAYOUT: Final = layout("record_batch")
_BATCH_LENGTH: Final = _LAYOUT.reader("batch_length")
_MAGIC: Final = _LAYOUT.reader("magic")
_MAGIC_AT: Final = _LAYOUT.position("magic")
_BASE_OFFSET: Final = _LAYOUT.reader("base_offset")
_LAST_OFFSET_DELTA: Final = _LAYOUT.reader("last_offset_delta")

FRAME_BYTES: Final = _LAYOUT.end("batch_length")
"""Bytes before a batch that its length does not count; the same for all magics (Kafka's "log overhead")."""

HEADER_BYTES: Final = _LAYOUT.header_dtype.itemsize
"""Bytes of a magic 2 batch before its records."""

PEEK_BYTES: Final = _LAYOUT.end("magic")
"""The fewest bytes needed to identify a batch."""

MINIMUM_LENGTH: Final = load_type("legacy_message::message").minimum_size
"""Smallest length of any batch: an empty magic 0 message (LegacyRecord.RECORD_OVERHEAD_V0)."""

MAX_LOG_BYTES: Final = MAX_INT32
"""The largest segment file: Kafka stores the size in an int, and FileRecords refuses a larger one."""

_WINDOW_BYTES: Final = 4096
_MAX_MAGIC: Final = 127  # magic is signed; indexing bytes gives unsigned values


def format_of_magic(magic: int) -> str:
    """The declaration for batches of a magic; above 2 that of magic 2, as in Kafka's file reader."""
    return "record_batch" if magic >= CURRENT_MAGIC else "legacy_message"


def borders(
    data: bytes | memoryview,
    at: int = 0,
    *,
    most_count: int = MAX_LOG_BYTES,
    most_bytes: int = MAX_LOG_BYTES,
    most_magic: int = _MAX_MAGIC,
) -> list[int]:
    """The fast walk: where consecutive batches of magic 2 begin in some bytes, from ``at`` on.

    Only headers must be in ``data``. The last border is the end of the last batch, which may be after the data; it is
    the only one, ``at``, if no such batch begins there. The walk stops after ``most_count`` batches, and before a batch
    larger than ``most_bytes`` or above ``most_magic``.
    """
    positions, last_header = [at], len(data) - HEADER_BYTES
    while at <= last_header and CURRENT_MAGIC <= data[at + _MAGIC_AT] <= most_magic and len(positions) <= most_count:
        size = FRAME_BYTES + _BATCH_LENGTH(data, at)
        if not HEADER_BYTES <= size <= most_bytes:
            break
        at += size
        positions.append(at)
    return positions


def headers_at(data: bytes | memoryview, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.void]:
    """The headers at some positions in bytes, which must hold all of them: one structured array, as stored."""
    # A view of all bytes, as if a header began at each.
    return np.ndarray(len(data) - HEADER_BYTES + 1, _LAYOUT.header_dtype, data, strides=(1,))[starts]


def last_offset(header: bytes | memoryview, at: int = 0) -> int:
    """The last offset of the batch of magic 2 whose header is given; it wraps like Java's long."""
    return wrapped_int64(_BASE_OFFSET(header, at) + _LAST_OFFSET_DELTA(header, at))


def last_offsets(base_offset: npt.NDArray[np.int64], last_offset_delta: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """`last_offset` of columns of any one length; int64."""
    offsets: npt.NDArray[np.int64] = base_offset + last_offset_delta.astype(np.int64)
    return offsets


class WalkSource(Protocol):
    """The input of a walk, usually a `ByteSource`: ``size`` bytes, called ``name`` in errors."""

    name: str
    size: int

    def read_at(self, position: int, size: int) -> bytes:
        """The bytes from ``position``; fewer than ``size`` only at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """One batch as framed: ``position`` and ``size`` in bytes; ``start``: its first bytes."""

    position: int
    size: int
    magic: int
    start: bytes

    @property
    def base_offset(self) -> int:
        """The stored offset; for magic 0 and 1 that is the last message's."""
        return _BASE_OFFSET(self.start, 0)

    @property
    def last_offset(self) -> int:
        """From the header, for any magic; -1 for a frame too short for a header of magic 2."""
        if self.magic < CURRENT_MAGIC:
            return self.base_offset
        return last_offset(self.start) if len(self.start) >= HEADER_BYTES else -1


class Walk:
    """An iterator over the frames between two positions. When it ends, ``position`` is the end of the sound framing and
    ``problem`` says why that is not the end of the file: None, TruncatedError (cut off) or InvalidError (no batch
    there, or one that ends beyond `MAX_LOG_BYTES`).
    """

    def __init__(self, source: WalkSource, start: int = 0, end: int | None = None) -> None:
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
        if size > left or len(start) < min(HEADER_BYTES, size):  # in the latter case, the file was truncated meanwhile
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
    "borders",
    "last_offset",
]

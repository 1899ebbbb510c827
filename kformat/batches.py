"""The batches of a segment one after the other, whole or their headers as columns, whatever their magic.

Walks do not look at checksums and records; a batch's `is_valid` and `records` do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.compression import DEFAULT_INFLATE_LIMIT
from kformat.errors import DataError, InvalidError, LimitError
from kformat.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, Frame, Walk
from kformat.layout import layout
from kformat.records import Batch
from kformat.source import ByteSource

_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_NATIVE: Final = _HEADER.newbyteorder("=")
_ATTRIBUTES: Final = _LAYOUT.bits("attributes")


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

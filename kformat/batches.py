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
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError
from kformat.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, Bytes, Frame, Walk
from kformat.layout import layout
from kformat.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.legacy import LegacyBatch
from kformat.records import Batch
from kformat.source import ByteSource

_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_NATIVE: Final = _HEADER.newbyteorder("=")
_ATTRIBUTES: Final = _LAYOUT.bits("attributes")
_LEGACY_MASK: Final = sum(
    bit.mask << bit.shift
    for name, bit in layout("legacy_message::message").bits("attributes").items()
    if name in _ATTRIBUTES and (_ATTRIBUTES[name].shift, _ATTRIBUTES[name].width) == (bit.shift, bit.width)
)

AnyBatch = Batch | LegacyBatch


@dataclass(frozen=True, eq=False)
class BatchHeaders:
    """The headers of consecutive batches as columns: 1-D arrays of one length, in native byte order.

    ``position`` and ``size`` are int64, in bytes; the others have the declared name, width and sign
    (``base_offset`` int64, ``crc`` uint32, ``attributes`` uint16, ...). `last_offset` and the columns taken from the
    bits of ``attributes`` are computed when asked for. Entries of magic 0 and 1 are rows like others, see
    `legacy_header`.
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
    problem, valid_bytes = None, start
    with ByteSource(file) as source:
        walk = Walk(source, start, end)
        for frame in walk:
            problem = _refused(source.name, frame)
            if problem is not None:
                break
            positions.append(frame.position)
            sizes.append(frame.size)
            rows += frame.start if frame.magic >= CURRENT_MAGIC else legacy_header(frame.start)
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
    )


def legacy_header(start: bytes) -> bytes:
    """An entry of magic 0 or 1, of which these are the first bytes, as a header of magic 2.

    The bits of ``attributes`` mean the same; what the old formats do not know is -1. A wrapper's ``base_offset`` is
    that of its last message and its ``records_count`` is -1: what they really are lies compressed.
    """
    batch = LegacyBatch(start)
    known = {
        "base_offset": batch.last_offset,
        "batch_length": batch.batch_length,
        "magic": batch.magic,
        "crc": batch.crc,
        "attributes": batch.attributes & _LEGACY_MASK,
        "last_offset_delta": 0,
        "base_timestamp": batch.max_timestamp,
        "max_timestamp": batch.max_timestamp,
        "records_count": -1 if batch.compression else 1,
    }
    return np.array([tuple(known.get(name, -1) for name in _HEADER.names or ())], dtype=_HEADER).tobytes()


def _refused(source: str, frame: Frame) -> InvalidError | None:
    """Why a frame is no batch of its magic; None where it may be one."""
    least = HEADER_BYTES if frame.magic >= CURRENT_MAGIC else LEGACY_MINIMUM_BYTES
    expected: int | str
    if frame.magic < 0:
        message, field, expected, found = "no batch of any magic", "magic", ">= 0", frame.magic
    elif frame.size < least:
        message, field = f"no batch of magic {frame.magic}", "batch_length"
        expected, found = f">= {least - FRAME_BYTES}", frame.size - FRAME_BYTES
    else:
        return None
    position = frame.position + _LAYOUT.position(field)
    path = f"record_batch.{field}"
    return InvalidError(message, source=source, position=position, path=path, expected=expected, found=found)


def read_batch(source: Bytes, frame: Frame, limit: int = DEFAULT_INFLATE_LIMIT) -> AnyBatch:
    """The batch that a walk has found.

    Raises:
        InvalidError: the frame is too short for its magic, or the magic is negative.
        LimitError: the batch is larger than the limit.
        TruncatedError: the file became shorter on the way.
        OSError: the file cannot be read.
    """
    problem: DataError | None = _refused(source.name, frame)
    if problem is None and frame.size > limit:
        problem = LimitError(
            "a batch over the limit",
            source=source.name,
            position=frame.position + _LAYOUT.position("batch_length"),
            path="record_batch.batch_length",
            expected=f"<= {limit} bytes",
            found=frame.size,
        )
    if problem is not None:
        raise problem
    raw = source.read_at(frame.position, frame.size)
    if len(raw) < frame.size:
        raise TruncatedError(
            "the bytes end inside of a batch",
            source=source.name,
            position=frame.position + _LAYOUT.position("batch_length"),
            path="record_batch.batch_length",
            expected=f"{frame.size} bytes",
            found=len(raw),
        )
    kind = Batch if frame.magic >= CURRENT_MAGIC else LegacyBatch
    return kind(raw, frame.position, source.name, limit)


def check_end(source: ByteSource, walk: Walk) -> None:
    """Raise why a walk over ``source`` ended before the bytes did.

    Zeros up to the end, enough for a batch, are the room that `log.preallocate` makes: nothing is raised for them.
    """
    is_room = isinstance(walk.problem, InvalidError) and source.is_zero(walk.position)
    if walk.problem is not None and not is_room:
        raise walk.problem


def iter_batches(
    file: Any, start: int = 0, end: int | None = None, *, limit: int = DEFAULT_INFLATE_LIMIT
) -> Iterator[AnyBatch]:
    """The batches of a segment file, one at a time; an entry of magic 0 or 1 counts as one.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; ``start`` must be that of a batch.
        limit: the most bytes that one batch may take, stored or inflated.

    Raises:
        TruncatedError, InvalidError: where the framing stops being sound; the batches before it have been yielded.
        LimitError: a batch is larger than the limit.
        OSError: the file cannot be read.
    """
    with ByteSource(file) as source:
        walk = Walk(source, start, end)
        for frame in walk:
            yield read_batch(source, frame, limit)
        if walk.problem is not None:
            raise walk.problem

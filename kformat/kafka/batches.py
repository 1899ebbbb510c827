"""The batches of a segment one after the other, whole or their headers as columns, whatever their magic.

Walks look at no records, and at checksums only where the caller asks for that; a batch's `records` and `is_valid` do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import ChecksumError, DataError, InvalidError, LimitError, TruncatedError
from kformat.kafka.framing import (
    CURRENT_MAGIC,
    FRAME_BYTES,
    HEADER_BYTES,
    MAX_LOG_BYTES,
    Bytes,
    Frame,
    Walk,
    borders,
    headers_at,
    last_offsets,
)
from kformat.kafka.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.legacy import LegacyBatch
from kformat.kafka.records import Batch, TimestampType
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import crc32c_of_parts
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_NATIVE: Final = _HEADER.newbyteorder("=")
_ATTRIBUTES: Final = _LAYOUT.bits("attributes")
_, _CRC_NAME, _COVERED_FROM = _LAYOUT.checksum()
_CRC_PATH: Final = f"record_batch.{_CRC_NAME}"
_MESSAGE: Final = layout("legacy_message::message")
_LEGACY_CRC: Final = (
    layout("legacy_message").position("message") + _MESSAGE.position(_MESSAGE.checksum()[1]),
    f"legacy_message.message.{_MESSAGE.checksum()[1]}",
)
_LEGACY_MASK: Final = sum(
    bit.mask << bit.shift
    for name, bit in _MESSAGE.bits("attributes").items()
    if name in _ATTRIBUTES and (_ATTRIBUTES[name].shift, _ATTRIBUTES[name].width) == (bit.shift, bit.width)
)

_BATCHES_PER_STEP: Final = 4096
_LARGE_BYTES: Final = 4096  # of a batch: from here on to read its header costs less than to read it whole
_WINDOW_BYTES: Final = 1 << 16
_READ_BYTES: Final = 1 << 20  # stays in the processor's cache between the read and the checksum

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
            found: npt.NDArray[Any] = _ATTRIBUTES[name].of(self.columns["attributes"])
            return found
        raise AttributeError(name)

    def take(self, rows: slice | npt.NDArray[Any]) -> BatchHeaders:
        """Some of the batches, by number or as a mask; where the framing ends is as it was."""
        return replace(self, position=self.position[rows], size=self.size[rows], columns=self.columns[rows])

    @property
    def last_offset(self) -> npt.NDArray[np.int64]:
        """int64; wraps like Java's long where a damaged header asks for it."""
        return last_offsets(self.columns["base_offset"], self.columns["last_offset_delta"])

    @property
    def next_offset(self) -> npt.NDArray[np.int64]:
        """int64: one after `last_offset`."""
        return self.last_offset + 1

    @property
    def first_timestamp(self) -> npt.NDArray[np.int64]:
        """int64, ms: the base timestamp; the largest of the batch where that is the time of no record, being a delete
        horizon, below 0, or set by a client where the broker's clock counts."""
        own_base = (self.has_delete_horizon == 0) & (self.timestamp_type != TimestampType["log_append_time"])
        found: npt.NDArray[np.int64] = np.where(
            own_base & (self.base_timestamp >= 0), self.base_timestamp, self.max_timestamp
        )
        return found


def read_batch_headers(
    file: Any,
    start: int = 0,
    end: int | None = None,
    *,
    checksums: bool = False,
    progress: Callable[[int], object] | None = None,
) -> BatchHeaders:
    """Walk over a segment file and collect the headers of its batches.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; ``start`` must be that of a batch.
        checksums: end in front of the first batch whose checksum is wrong, too: all bytes are read then, else of large
            batches the headers alone.
        progress: called now and then with the position that is reached.

    Takes a header's bytes of memory per batch, and with ``checksums`` the bytes of the largest batch. Raises OSError
    where the file cannot be read; nothing for damaged bytes, see `BatchHeaders.problem`.
    """
    with ByteSource(file) as source:
        scan = _Scan(source, start, source.size if end is None else min(end, source.size), checksums)
        problem = scan.run(progress)
        name = source.name
    columns = np.frombuffer(scan.rows, dtype=_HEADER).astype(_NATIVE)
    size = columns["batch_length"].astype(np.int64) + FRAME_BYTES
    return BatchHeaders(
        source=name,
        position=start + np.cumsum(size) - size,
        size=size,
        columns=columns,
        valid_bytes=scan.position,
        problem=problem,
    )


def iter_batch_headers(
    source: ByteSource, start: int = 0, *, window_bytes: int = 16 << 20, checksums: bool = False
) -> Iterator[BatchHeaders]:
    """The headers of all batches from ``start`` on, those of about ``window_bytes`` of the log at a time.

    ``checksums`` is as for `read_batch_headers`.
    Memory is bounded by the window, or by the headers of one batch where that is larger. Only the last piece has a
    `BatchHeaders.problem`; it may be without batches. Raises OSError where the file cannot be read.
    """
    position, window = start, window_bytes
    while position < source.size:
        end = min(position + window, source.size)
        headers = read_batch_headers(source, position, end, checksums=checksums)
        if end < source.size and isinstance(headers.problem, TruncatedError):  # the window ends inside of a batch
            if not len(headers):
                window *= 2
                continue
            headers = replace(headers, problem=None)
        yield headers
        if headers.problem is not None:
            return
        position, window = headers.valid_bytes, window_bytes


class _Scan:
    """One pass over the batches of a file: ``position`` is where the sound ones end so far, ``rows`` their headers.

    Batches of magic 2 are taken in a quick loop. Whatever is not a sound one of them is left to `Walk` and
    `read_batch`, which say what is the matter.
    """

    def __init__(self, source: ByteSource, start: int, end: int, checksums: bool) -> None:
        self.source, self.position, self.end, self.checksums = source, start, end, checksums
        self.plain_end = min(end, MAX_LOG_BYTES)
        self.rows = bytearray()

    def run(self, progress: Callable[[int], object] | None) -> DataError | None:
        """Go as far as the batches are sound; what is the matter there, None at the end."""
        problem: DataError | None = None
        while self.position < self.end and problem is None:
            if not self._step():
                problem = self._slowly()
            if progress is not None:
                progress(self.position)
        return problem

    def _step(self) -> bool:
        """Take the batches of magic 2 that come, a few thousand at most; whether there was one."""
        return self._whole() if self.checksums else self._headers()

    def _headers(self) -> bool:
        read_at, rows, position, plain_end, size = self.source.read_at, self.rows, self.position, self.plain_end, 0
        enough = len(rows) + _BATCHES_PER_STEP * HEADER_BYTES
        while len(rows) < enough:
            # After a large batch the next header is read alone, after a small one those that follow, too.
            data = read_at(position, HEADER_BYTES if size > _LARGE_BYTES else _WINDOW_BYTES)
            found = borders(data)
            while len(found) > 1 and position + found[-1] > plain_end:
                found.pop()
            end = found.pop()
            if not found:
                break
            for at in found:
                rows += data[at : at + HEADER_BYTES]
            size = end - at
            position += end
        has_moved, self.position = position > self.position, position
        return has_moved

    def _whole(self) -> bool:
        """As `_headers`, with a look at the checksums."""
        left = self.plain_end - self.position
        if left <= 0:
            return False
        data = self.source.read_at(self.position, min(_READ_BYTES, left))
        found = borders(data)
        if len(found) == 2 and len(data) < found[1] <= left:
            data = self.source.read_at(self.position, found[1])
        if found[-1] > len(data):
            found.pop()
        ends = np.array(found, np.int64)
        if len(ends) < 2:
            return False
        headers = headers_at(data, ends[:-1])
        computed = crc32c_of_parts(np.frombuffer(data, np.uint8), ends[:-1] + _COVERED_FROM, ends[1:])
        is_wrong = computed != headers[_CRC_NAME]
        count = int(is_wrong.argmax()) if is_wrong.any() else len(is_wrong)
        self.rows += headers[:count].tobytes()
        self.position += found[count]
        return count > 0

    def _slowly(self) -> DataError | None:
        """Take batches of older magics; what is the matter where no sound batch begins after them."""
        walk = Walk(self.source, self.position, self.end)
        for frame in walk:
            is_legacy = frame.magic < CURRENT_MAGIC
            problem = self._judged(frame)
            if problem is not None:
                return problem
            self.rows += legacy_header(frame.start) if is_legacy else frame.start
            self.position = walk.position
            if not is_legacy:
                break
        return walk.problem

    def _judged(self, frame: Frame) -> DataError | None:
        """Why a frame holds no sound batch."""
        if not self.checksums:
            return _refused(self.source.name, frame)
        try:
            batch = read_batch(self.source, frame, frame.size)
        except DataError as error:
            return error
        if batch.is_valid:
            return None
        at, path = _LEGACY_CRC if frame.magic < CURRENT_MAGIC else (_LAYOUT.position(_CRC_NAME), _CRC_PATH)
        return ChecksumError(
            "checksum mismatch",
            source=self.source.name,
            position=frame.position + at,
            path=path,
            expected=f"{batch.computed_crc:08x}",
            found=f"{batch.crc:08x}",
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


def sound_batch(source: Bytes, frame: Frame | None, limit: int = DEFAULT_INFLATE_LIMIT) -> AnyBatch | None:
    """The batch that a walk has found, if it found one that can be read, with a right checksum; raises OSError."""
    if frame is None:
        return None
    try:
        batch = read_batch(source, frame, limit)
    except DataError:
        return None
    return batch if batch.is_valid else None


def is_room(source: ByteSource, position: int) -> bool:
    """Whether there are only zeros from a position on, as `log.preallocate` leaves them; False of a file larger than a
    log may be, at which nobody looks for hours."""
    return source.size <= MAX_LOG_BYTES and source.is_zero(position)


def check_end(source: ByteSource, walk: Walk) -> None:
    """Raise why a walk over ``source`` ended before the bytes did.

    Zeros up to the end, enough for a batch, are the room that `log.preallocate` makes: nothing is raised for them.
    """
    if walk.problem is not None and not (isinstance(walk.problem, InvalidError) and is_room(source, walk.position)):
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


__all__ = [
    "AnyBatch",
    "BatchHeaders",
    "iter_batch_headers",
    "iter_batches",
    "read_batch",
    "read_batch_headers",
    "sound_batch",
]

"""Iterate over the batches of a segment, whole or as columns of their headers, whatever their magic.

Iteration does not read records, and verifies checksums only on request; see a batch's `records` and `is_valid`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import ChecksumError, DataError, InvalidError, LimitError, TruncatedError
from kformat.kafka.batch.framing import (
    CURRENT_MAGIC,
    FRAME_BYTES,
    HEADER_BYTES,
    MAX_LOG_BYTES,
    Frame,
    Walk,
    WalkSource,
    borders,
    headers_at,
    last_offsets,
)
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, TimestampType
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import crc32c_of_parts
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_NATIVE: Final = _HEADER.newbyteorder("=")
_ATTRIBUTES: Final = _LAYOUT.bits("attributes")
_READ_BITS: Final = _LAYOUT.bit_readers("attributes")
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
_LARGE_BYTES: Final = 4096  # batches from this size on: reading only the header is cheaper
_FEW: Final = 16  # headers; more of them numpy takes at once
_WINDOW_BYTES: Final = 1 << 16
_READ_BYTES: Final = 1 << 20  # stays in the CPU cache between the read and the checksum

AnyBatch = Batch | LegacyBatch


@dataclass(frozen=True, eq=False)
class BatchHeaders:
    """The headers of consecutive batches as columns: 1-D arrays of one length, in native byte order.

    ``position`` and ``size`` are int64, in bytes; the others have the declared name, width and sign (``base_offset``
    int64, ``crc`` uint32, ``attributes`` uint16, ...). `last_offset` and the columns from the bits of ``attributes``
    are computed on access. Entries of magic 0 and 1 are rows, too; see `legacy_header`.
    """

    source: str
    position: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    columns: npt.NDArray[Any]
    """All declared fields as one structured array; its columns are also attributes of this object."""
    valid_bytes: int
    """Position where the sound framing ends."""
    problem: DataError | None
    """Why the framing ends before the bytes do; None if it does not."""

    def __len__(self) -> int:
        return len(self.position)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        if name in _NATIVE.names:  # type: ignore[operator]
            return self.columns[name]
        if name in _ATTRIBUTES:
            column: npt.NDArray[Any] = _READ_BITS[name](self.columns["attributes"])
            return column
        raise AttributeError(name)

    def take(self, rows: slice | npt.NDArray[Any]) -> BatchHeaders:
        """Select batches, by number or by mask; the end of the framing stays the same."""
        return replace(self, position=self.position[rows], size=self.size[rows], columns=self.columns[rows])

    @property
    def last_offset(self) -> npt.NDArray[np.int64]:
        """int64; wraps like Java's long if a header is damaged."""
        return last_offsets(self.columns["base_offset"], self.columns["last_offset_delta"])

    @property
    def next_offset(self) -> npt.NDArray[np.int64]:
        """int64: one after `last_offset`."""
        return self.last_offset + 1

    @property
    def first_timestamp(self) -> npt.NDArray[np.int64]:
        """int64, ms: the base timestamp. It is the batch's largest timestamp instead if the base timestamp belongs to
        no record: it is a delete horizon, below 0, or a client's in a log_append_time batch.
        """
        own_base = (self.has_delete_horizon == 0) & (self.timestamp_type != TimestampType["log_append_time"])
        timestamps: npt.NDArray[np.int64] = np.where(
            own_base & (self.base_timestamp >= 0), self.base_timestamp, self.max_timestamp
        )
        return timestamps


def read_batch_headers(
    file: Any,
    start: int = 0,
    end: int | None = None,
    *,
    checksums: bool = False,
    progress: Callable[[int], object] | None = None,
) -> BatchHeaders:
    """Read the headers of all batches of a segment file.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; a batch must begin at ``start``.
        checksums: also stop before the first batch with a wrong checksum. This reads all bytes; otherwise only the
            headers of large batches are read.
        progress: called now and then with the current position.

    Memory: one header per batch, and with ``checksums`` the largest batch. Raises OSError if the file cannot be read;
    damaged bytes raise nothing, see `BatchHeaders.problem`.
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
    source: ByteSource,
    start: int = 0,
    end: int | None = None,
    *,
    window_bytes: int = 16 << 20,
    checksums: bool = False,
) -> Iterator[BatchHeaders]:
    """Yield the headers of all batches between two positions, for about ``window_bytes`` of the log at a time.

    ``checksums`` is as for `read_batch_headers`. Memory is bounded by the window, or by one batch's headers if those
    are larger. Only the last piece has a `BatchHeaders.problem`; it may have no batches. Raises OSError if the file
    cannot be read.
    """
    position, window, end = start, window_bytes, source.size if end is None else min(end, source.size)
    while position < end:
        stop = min(position + window, end)
        headers = read_batch_headers(source, position, stop, checksums=checksums)
        if stop < end and isinstance(headers.problem, TruncatedError):  # the window ends inside a batch
            if not len(headers):
                window *= 2
                continue
            headers = replace(headers, problem=None)
        yield headers
        if headers.problem is not None:
            return
        position, window = headers.valid_bytes, window_bytes


class _Scan:
    """One pass over the batches of a file: ``position`` is the end of the sound batches so far, ``rows`` their headers.

    A fast loop reads batches of magic 2. Everything else goes to `Walk` and `read_batch`, which report what is wrong.
    """

    def __init__(self, source: ByteSource, start: int, end: int, checksums: bool) -> None:
        self.source, self.position, self.end, self.checksums = source, start, end, checksums
        self.plain_end = min(end, MAX_LOG_BYTES)
        self.rows = bytearray()

    def run(self, progress: Callable[[int], object] | None) -> DataError | None:
        """Go as far as the batches are sound; return the problem there, None at the end."""
        problem: DataError | None = None
        while self.position < self.end and problem is None:
            if not self._step():
                problem = self._slowly()
            if progress is not None:
                progress(self.position)
        return problem

    def _step(self) -> bool:
        """Read the next batches of magic 2, a few thousand at most; return whether there was one."""
        return self._whole() if self.checksums else self._headers()

    def _headers(self) -> bool:
        read_at, rows, position, plain_end, size = self.source.read_at, self.rows, self.position, self.plain_end, 0
        enough, is_in_memory = len(rows) + _BATCHES_PER_STEP * HEADER_BYTES, self.source.is_in_memory
        window = _READ_BYTES if is_in_memory else _WINDOW_BYTES
        while len(rows) < enough:
            # After a large batch read only the next header; after a small one also the headers after it.
            data = read_at(position, HEADER_BYTES if size > _LARGE_BYTES and not is_in_memory else window)
            positions = borders(data)
            while len(positions) > 1 and position + positions[-1] > plain_end:
                positions.pop()
            end = positions.pop()
            if not positions:
                break
            if len(positions) > _FEW:
                rows += headers_at(data, np.array(positions)).tobytes()
            else:
                for at in positions:
                    rows += data[at : at + HEADER_BYTES]
            size = end - positions[-1]
            position += end
        has_moved, self.position = position > self.position, position
        return has_moved

    def _whole(self) -> bool:
        """As `_headers`, and verify checksums."""
        left = self.plain_end - self.position
        if left <= 0:
            return False
        data = self.source.read_at(self.position, min(_READ_BYTES, left))
        positions = borders(data)
        if len(positions) == 2 and len(data) < positions[1] <= left:
            data = self.source.read_at(self.position, positions[1])
        if positions[-1] > len(data):
            positions.pop()
        ends = np.array(positions, np.int64)
        if len(ends) < 2:
            return False
        headers = headers_at(data, ends[:-1])
        computed = crc32c_of_parts(np.frombuffer(data, np.uint8), ends[:-1] + _COVERED_FROM, ends[1:])
        is_wrong = computed != headers[_CRC_NAME]
        count = int(is_wrong.argmax()) if is_wrong.any() else len(is_wrong)
        self.rows += headers[:count].tobytes()
        self.position += positions[count]
        return count > 0

    def _slowly(self) -> DataError | None:
        """Read batches of older magics; return the problem if no sound batch follows them."""
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
        """Why a frame does not hold a sound batch."""
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
    """An entry of magic 0 or 1, given by its first bytes, as a header of magic 2.

    The bits of ``attributes`` mean the same; fields that the old formats lack are -1. A wrapper's ``base_offset`` is
    its last message's offset and its ``records_count`` is -1: the real values are inside the compressed payload.
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
    """Why a frame cannot be a batch of its magic; None if it may be one."""
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


def read_batch(source: WalkSource, frame: Frame, limit: int = DEFAULT_INFLATE_LIMIT) -> AnyBatch:
    """Read the batch of a frame that a walk found."""
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


def sound_batch(source: WalkSource, frame: Frame | None, limit: int = DEFAULT_INFLATE_LIMIT) -> AnyBatch | None:
    """Read the batch of a frame if it is readable and its checksum is right, else None; raises OSError."""
    if frame is None:
        return None
    try:
        batch = read_batch(source, frame, limit)
    except DataError:
        return None
    return batch if batch.is_valid else None


def is_room(source: ByteSource, position: int) -> bool:
    """Whether all bytes from a position on are zeros, as after `log.preallocate`. False for a file larger than any log,
    because checking it could take hours.
    """
    return source.size <= MAX_LOG_BYTES and source.is_zero(position)


def check_end(source: ByteSource, walk: Walk) -> None:
    """Raise the reason why a walk over ``source`` ended before the bytes did.

    Zeros up to the end, enough for a batch, come from `log.preallocate` and raise nothing.
    """
    if walk.problem is not None and not (isinstance(walk.problem, InvalidError) and is_room(source, walk.position)):
        raise walk.problem


def iter_batches(
    file: Any, start: int = 0, end: int | None = None, *, limit: int = DEFAULT_INFLATE_LIMIT
) -> Iterator[AnyBatch]:
    """Yield the batches of a segment file, one at a time; an entry of magic 0 or 1 counts as one.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        start, end: positions in bytes; a batch must begin at ``start``.
        limit: the largest batch in bytes, stored or decompressed.

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

"""A check of every byte of a segment's log: where its sound batches end, and why, and their index entries.

The checks of LogSegment.recover, batch by batch in log order: framing, size for the magic, checksum, last offset within
[base offset, base offset + 2^31-1]. Nothing is decompressed and no record is read. Beyond Kafka, unless the caller
disables it: offsets grow from batch to batch. It reads only, and needs only kformat.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import ChecksumError, DataError, InvalidError, TruncatedError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.framing import MAX_LOG_BYTES as MAX_LOG_BYTES
from kformat.kafka.index.indexing import (
    DEFAULT_INDEX_INTERVAL_BYTES,
    DEFAULT_PROFILE,
    Entries,
    IndexedBatches,
    recovered_entries,
)
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource

_LAYOUT: Final = layout("record_batch")
MAX_RELATIVE_OFFSET: Final = MAX_INT32
"""The largest offset of a segment relative to its base offset: an index holds it in an int."""
MAX_OFFSET: Final = 2**63 - 2
"""The largest offset of a record: the one after it, where the log ends, has to fit, too."""


class EndReason(StrEnum):
    """Why the sound batches of a log end where they end."""

    SOUND = "sound"
    """The file ends there."""
    ZEROS = "zeros"
    """Zeros up to the end of the file: preallocated, or never written before the power went."""
    TORN = "torn"
    """The file ends inside a batch."""
    FRAME = "frame"
    """No batch begins there: the length or the magic is impossible."""
    CHECKSUM = "checksum"
    """A whole batch with a wrong checksum."""
    OVERFLOW = "overflow"
    """A sound batch whose last offset is more than 2^31-1 above the segment's base offset."""
    BEFORE = "before"
    """A sound batch whose last offset is below the segment's base offset."""
    ORDER = "order"
    """A sound batch whose offsets are not above those before it."""
    EXHAUSTED = "exhausted"
    """A sound batch that ends at 2^63-1, which leaves no offset for the end of the log."""


EpochRuns = npt.NDArray[np.int64]
"""A row for each stretch of batches with the same leader epoch: the epoch, and the base offsets of its first and last
batch."""
NO_RUNS: Final[EpochRuns] = np.zeros((0, 3), np.int64)


def rises(runs: EpochRuns) -> list[tuple[int, int]]:
    """(epoch, offset of the first batch) of each run whose leader epoch is above all before it."""
    before = np.maximum.accumulate(np.append(-1, runs[:, 0]))[: len(runs)]
    return [(int(epoch), int(first)) for epoch, first, _ in runs[runs[:, 0] > before].tolist()]


@dataclass(frozen=True, eq=False)
class Verified:
    """The result of checking every byte of a log.

    Attributes:
        headers: of the sound batches from the beginning on, as columns.
        size_bytes: the length of the file.
        end: why the sound batches end there.
        problem: the same with position, expected and found; None if they end with the file.
    """

    headers: BatchHeaders
    base_offset: int
    index_interval_bytes: int
    profile: str
    size_bytes: int
    end: EndReason
    problem: DataError | None

    def until(self, row: int, end: EndReason, problem: DataError) -> Verified:
        """The same result with the sound batches ending before this one, for a reason that the caller found."""
        valid_bytes = int(self.headers.position[row])
        headers = replace(self.headers.take(slice(row)), valid_bytes=valid_bytes, problem=problem)
        return replace(self, headers=headers, end=end, problem=problem)

    @property
    def valid_bytes(self) -> int:
        """The position where the sound batches end."""
        return self.headers.valid_bytes

    @property
    def next_offset(self) -> int:
        """The offset after the last sound batch; the base offset if there is none."""
        return int(self.headers.last_offset[-1]) + 1 if len(self.headers) else self.base_offset

    @cached_property
    def entries(self) -> Entries:
        """The index entries that Kafka's recover writes for the sound batches.

        Raises InvalidError if it refuses one (InvalidOffsetException): offsets go back, which is only detected here if
        the log was verified with ``order="index"``.
        """
        return recovered_entries(
            IndexedBatches.from_headers(self.headers),
            base_offset=self.base_offset,
            profile=self.profile,
            index_interval_bytes=self.index_interval_bytes,
            source=self.headers.source,
        )

    @property
    def max_timestamp(self) -> int:
        """The largest timestamp of the sound batches, ms; -1 if there is none (Kafka's maxTimestampSoFar)."""
        return max(-1, int(self.headers.max_timestamp.max())) if len(self.headers) else -1

    @property
    def max_timestamp_offset(self) -> int:
        """The last offset of the first batch with it; the base offset if there is none."""
        if self.max_timestamp < 0:
            return self.base_offset
        return int(self.headers.last_offset[int(self.headers.max_timestamp.argmax())])

    @property
    def leader_epochs(self) -> EpochRuns:
        """The leader epochs of the batches, without those of older magics, and those that have none."""
        known = (self.headers.magic >= CURRENT_MAGIC) & (self.headers.partition_leader_epoch >= 0)
        epochs = self.headers.partition_leader_epoch[known].astype(np.int64)
        offsets = np.maximum(self.headers.base_offset[known], 0)  # Kafka accepts a batch that begins below 0
        starts = np.flatnonzero(np.diff(epochs, prepend=-1))
        last = np.append(starts[1:], len(epochs))[: len(starts)] - 1
        return np.stack((epochs[starts], offsets[starts], offsets[last]), axis=1)


@dataclass(frozen=True, eq=False)
class Frames:
    """The batches of a log whose framing and checksums are sound, read once, regardless of their offsets.

    ``end``, ``problem`` and ``size_bytes`` are as in `Verified`.
    """

    headers: BatchHeaders
    size_bytes: int
    end: EndReason
    problem: DataError | None

    def verified(
        self,
        row: int,
        base_offset: int,
        index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
        *,
        profile: str = DEFAULT_PROFILE,
        order: str = "batches",
        after_offset: int | None = None,
        end_offset: int | None = None,
    ) -> Verified:
        """Verify the batches from ``row`` on, as a segment of their own; no byte is read again.

        Args:
            order: ``batches``: each batch's offsets must be above the last one's; ``index``: Kafka's way, in which only
                an index entry reveals it, see `Verified.entries`.
            after_offset, end_offset: with order ``batches``: the first batch must be above the one, and the last below
                the other.
        """
        headers, end, problem = self.headers, self.end, self.problem
        if row:
            headers = headers.take(slice(row, None))
        result = Verified(headers, base_offset, index_interval_bytes, profile, self.size_bytes, end, problem)
        refused = _first_refused(headers, base_offset, order, after_offset, end_offset)
        return result if refused is None else result.until(*refused)


def read_frames(path: str | os.PathLike[str] | ByteSource, start: int = 0, size_bytes: int | None = None) -> Frames:
    """Read every byte of a log once, from the position of a batch on, to its end or to ``size_bytes``.

    Takes a header's bytes of memory per batch, and the bytes of the largest batch. Damaged bytes raise nothing. Raises
    OSError if the file cannot be read.
    """
    with ByteSource(path) as source:
        size_bytes = source.size if size_bytes is None else min(size_bytes, source.size)
        headers = read_batch_headers(source, start, size_bytes, checksums=True)
        end, problem = EndReason.SOUND, headers.problem
        if problem is not None:
            is_zero = source.is_zero(headers.valid_bytes, size_bytes)
            end = EndReason.ZEROS if is_zero else _END_OF[type(problem)]
    return Frames(headers, size_bytes, end, problem)


_END_OF: Final = {TruncatedError: EndReason.TORN, InvalidError: EndReason.FRAME, ChecksumError: EndReason.CHECKSUM}


def _first_refused(
    headers: BatchHeaders, base_offset: int, order: str, after_offset: int | None, end_offset: int | None
) -> tuple[int, EndReason, InvalidError] | None:
    """The first batch whose offsets are invalid here: its row, the kind of problem, and the error."""
    if not len(headers):
        return None
    first, last = headers.base_offset, headers.last_offset
    # Java's long wraps; a difference that wraps around is still negative or too large.
    relative = last - np.int64(base_offset)
    outside = (relative < 0) | (relative > MAX_RELATIVE_OFFSET)
    backwards, beyond = np.zeros((2, len(headers)), dtype=np.bool_)
    if order == "batches":
        backwards = (last < first) | (first < 0)
        backwards[1:] |= first[1:] <= last[:-1]
        if after_offset is not None:
            backwards[0] |= bool(first[0] <= after_offset)
        if end_offset is not None:
            beyond = last >= end_offset
    rows = np.flatnonzero(outside | backwards | beyond | (last > MAX_OFFSET))
    if not len(rows):
        return None
    row = int(rows[0])
    expected: Any
    if beyond[row] and not backwards[row]:
        end, field, found = EndReason.ORDER, "last_offset_delta", int(last[row])
        message, expected = "the offsets reach into the next segment", f"< {end_offset}"
    elif outside[row] and order == "batches" and last[row] > base_offset and np.any(first[row + 1 :] <= last[row]):
        # Not a case for a split: a base offset, which no checksum covers, was changed.
        end, field, found = EndReason.ORDER, "base_offset", int(first[row])
        message, expected = "the offsets leap, and come back", f"< {int(first[row + 1 :].min())}"
    elif outside[row]:
        end = EndReason.OVERFLOW if last[row] > base_offset else EndReason.BEFORE
        field, found = "last_offset_delta", int(last[row])
        expected = f"an offset from {base_offset} to {base_offset + MAX_RELATIVE_OFFSET}"
        message = "the last offset does not fit the segment"
    elif last[row] > MAX_OFFSET and not backwards[row]:
        end, field, found = EndReason.EXHAUSTED, "last_offset_delta", int(last[row])
        message, expected = "no offset is left for the end of the log", f"<= {MAX_OFFSET}"
    elif row and _before(last, row - 1, base_offset, after_offset) < first[row] < first[row - 1]:
        # The batch fits after those before the last one, so the last one is out of place.
        end, field, found = EndReason.ORDER, "base_offset", int(first[row - 1])
        message, expected = "the offsets leap, and come back", f"< {int(first[row])}"
        row -= 1
    else:
        before = int(last[row - 1]) if row else after_offset
        is_own = bool(last[row] < first[row])
        end, field = EndReason.ORDER, "last_offset_delta" if is_own else "base_offset"
        message = "the batch ends before it begins" if is_own else "the offsets go back"
        expected = f">= {int(first[row])}" if is_own else f"> {before}" if first[row] >= 0 else ">= 0"
        found = int(last[row]) if is_own else int(first[row])
    problem = InvalidError(
        message,
        source=headers.source,
        position=int(headers.position[row]) + _LAYOUT.position(field),
        path=f"record_batch.{field}",
        expected=expected,
        found=found,
    )
    return row, end, problem


def _before(last: Any, row: int, base_offset: int, after_offset: int | None) -> int:
    """The offset above which a batch must be."""
    if row:
        return int(last[row - 1])
    return base_offset - 1 if after_offset is None else after_offset

"""Facts about one segment's files, none of which is trusted: whether an index agrees with its log, where a log stops
being readable. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.errors import DataError, InvalidError, LimitError
from kformat.kafka.batch.batches import AnyBatch, read_batch, sound_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, Frame, Walk
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.files.file_kinds import parse_file_name
from kformat.kafka.findings.segment_indexes import first_errors
from kformat.kafka.index.index_file import IndexFile, ends_with_zeros, read_entries, read_index, read_slots
from kformat.kafka.index.indexing import EntryArray
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat_engine.recovery.table import IndexCondition
from kformat_engine.recovery.verification import MAX_LOG_BYTES, EndReason, Verified

SHORT_INDEX_BYTES: Final = 1 << 20
"""An offset index is short if a batch begins this far, or an index interval, after its last entry. Cleaners and old
brokers write entries that far apart and more; rebuilding such an index costs one read of the log."""


@dataclass(frozen=True)
class SegmentFiles:
    """The current paths of one segment's files; None if there is none."""

    base_offset: int
    log: Path
    index: Path | None
    timeindex: Path | None
    txnindex: Path | None

    def offset_entries(self) -> EntryArray:
        """The valid entries of the offset index. Raises DataError, OSError."""
        if self.index is None:
            return np.empty(0, layout("offset_index::entry").dtype)
        return read_index(self.index, "offset_index").entries


@dataclass
class FoundIndex:
    """The condition of an index, and its last entry: offset and position, or for a time index the offset."""

    condition: IndexCondition
    detail: str = ""
    last_offset: int | None = None
    last_position: int = 0
    is_beyond: bool = False
    """It has entries for missing batches, so the log was longer."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a log, or of its saved part, that becomes a segment: bytes from ``start`` to ``end``."""

    base_offset: int
    start: int
    end: int


def read_transactions(path: Path, base_offset: int) -> Any:
    """The entries of a transaction index; InvalidError if they are invalid (TransactionIndex.sanityCheck)."""
    dtype = layout("transaction_index::entry").dtype
    with ByteSource(path) as source:
        if source.size % dtype.itemsize or source.size > MAX_LOG_BYTES:
            raise InvalidError(
                "no whole number of transactions",
                source=source.name,
                position=source.size - source.size % dtype.itemsize,
                expected=f"a multiple of {dtype.itemsize} bytes",
                found=source.size,
            )
        entries = read_slots(source, dtype, 0, source.size // dtype.itemsize)
        ends = entries["last_offset"].astype(np.int64)
        wrong = np.flatnonzero((ends < base_offset) | (np.diff(ends, prepend=ends[:1]) < 0))
        if len(wrong):
            raise InvalidError(
                "transactions that do not follow each other in this segment",
                source=source.name,
                position=int(wrong[0]) * dtype.itemsize,
                path=f"transaction_index.entries[{int(wrong[0])}].last_offset",
                expected=f">= {base_offset}, and growing",
                found=int(ends[wrong[0]]),
            )
    return entries


# Indexes


def _judge(path: Path | None, format: str, is_untrimmed: bool) -> tuple[FoundIndex, IndexFile | None]:
    """Judge an index by itself: whether it exists, and its entries; ``is_untrimmed``: zeros may follow them."""
    if path is None:
        return FoundIndex(IndexCondition.MISSING), None
    try:
        index_file = read_index(path, format)
    except DataError as error:
        return FoundIndex(IndexCondition.UNSOUND, str(error)), None
    if index_file.unsound_bytes:
        return FoundIndex(IndexCondition.UNSOUND, f"after {index_file.entry_count} entries the order breaks"), None
    if index_file.odd_bytes:
        return FoundIndex(IndexCondition.ODD, f"{index_file.size_bytes} bytes"), None
    if index_file.padding_bytes and is_untrimmed:
        detail = f"{index_file.entry_count} entries, then {index_file.padding_bytes} bytes of zeros"
        return FoundIndex(IndexCondition.UNTRIMMED, detail), index_file
    if index_file.padding_bytes:
        return FoundIndex(IndexCondition.PADDED, f"{index_file.padding_bytes} bytes of zeros"), None
    return FoundIndex(IndexCondition.SOUND, f"{index_file.entry_count} entries"), index_file


def judge_offset_index(
    files: SegmentFiles, size_bytes: int, following: int | None, interval_bytes: int, *, is_untrimmed: bool = False
) -> FoundIndex:
    """Judge an offset index with its log: its order, and whether its first and last entries agree with the log."""
    index, index_file = _judge(files.index, "offset_index", is_untrimmed)
    if index_file is None:
        return index
    unsound = IndexCondition.UNSOUND
    positions = index_file.entries["position"].astype(np.int64)
    offsets = index_file.entries["relative_offset"].astype(np.int64) + files.base_offset
    if len(positions):
        if positions[0] <= 0 or np.any(np.diff(positions) <= 0):
            return FoundIndex(unsound, "its positions do not grow")
        if positions[-1] >= size_bytes:
            return FoundIndex(
                unsound,
                f"position {positions[-1]} is after the end of the log ({size_bytes} bytes)",
                # Old brokers left one exactly at the end after they had cut off a batch in the middle.
                is_beyond=bool(positions[-1] > size_bytes),
            )
        if following is not None and offsets[-1] >= following:
            return FoundIndex(unsound, f"offset {offsets[-1]} lies in the next segment")
        for number in {0, len(positions) - 1}:
            position, offset = int(positions[number]), int(offsets[number])
            batch = batch_at(files.log, position)
            if batch is None or (batch.magic >= CURRENT_MAGIC and batch.base_offset > offset):
                return FoundIndex(unsound, f"no sound batch of offset {offset} begins at {position}")
        index.last_offset, index.last_position = int(offsets[-1]), int(positions[-1])
    gap_bytes = max(interval_bytes, SHORT_INDEX_BYTES)
    if size_bytes - index.last_position > gap_bytes:
        with ByteSource(files.log) as source:
            walk = Walk(source, index.last_position, index.last_position + 2 * gap_bytes)
            if any(frame.position - index.last_position > gap_bytes for frame in walk):
                index.condition = IndexCondition.SHORT
                index.detail += f", the last at {index.last_position} of {size_bytes} bytes"
    return index


def judge_time_index(
    files: SegmentFiles, following: int | None, size_bytes: int, *, is_untrimmed: bool = False
) -> FoundIndex:
    """Judge a time index with its log: its order, its range, and whether it has entries if it must have some."""
    index, index_file = _judge(files.timeindex, "time_index", is_untrimmed)
    if index_file is None:
        return index
    offsets = index_file.entries["relative_offset"].astype(np.int64) + files.base_offset
    if len(offsets):
        index.last_offset = int(offsets[-1])
        if following is not None and index.last_offset >= following:
            return FoundIndex(IndexCondition.UNSOUND, f"offset {index.last_offset} lies in the next segment")
    elif size_bytes:
        first = batch_at(files.log, 0)
        # Cleaners of 1.1 write no entry for a batch without records; older magics have no such batch.
        if first is not None and first.max_timestamp >= 0 and (first.magic < CURRENT_MAGIC or first.records_count):
            return FoundIndex(IndexCondition.SHORT, "no entry, though the batches have timestamps")
    return index


def believe_rules(files: SegmentFiles, offsets: FoundIndex, times: FoundIndex) -> None:
    """Mark an index as unsound if a rule of `check` finds an error; rules read each entry and the whole log."""
    errors: dict[str, str] | None = None
    for kind, index, path in (("offset_index", offsets, files.index), ("time_index", times, files.timeindex)):
        if index.condition not in (IndexCondition.SOUND, IndexCondition.UNTRIMMED) or path is None:
            continue
        name = parse_file_name(path.name)
        if name is None or name.state:
            index.condition, index.detail = IndexCondition.UNSOUND, f"as {path.name} nobody checks it"
            continue
        if errors is None:
            errors = first_errors(str(path.parent), files.base_offset)
        if kind in errors:
            index.condition, index.detail = IndexCondition.UNSOUND, errors[kind]


def untrimmed_bytes(files: SegmentFiles) -> int | None:
    """The `segment.index.bytes` of the process that wrote to a segment and did not close it, rounded to entries; None
    if neither index ends in zeros, or if their lengths do not follow from one setting."""
    if files.index is None or files.timeindex is None:
        return None
    lowest, highest, is_any = 0, MAX_LOG_BYTES, False
    for path, name in ((files.index, "offset_index"), (files.timeindex, "time_index")):
        dtype = layout(f"{name}::entry").dtype
        with ByteSource(path) as source:
            is_any = is_any or ends_with_zeros(source, read_entries(source, np.empty(0, dtype)))
            lowest, highest = max(lowest, source.size), min(highest, source.size + dtype.itemsize - 1)
    return lowest if is_any and lowest <= highest else None


def batch_at(log: Path, position: int) -> AnyBatch | None:
    """The batch that begins at a position, if its checksum is right."""
    with ByteSource(log) as source:
        frame = next(Walk(source, position), None)
        return sound_batch(source, frame, _limit(frame))


def _limit(frame: Frame | None) -> int:
    """The decompression limit for a frame: stored bytes are read, regardless of their size."""
    return DEFAULT_INFLATE_LIMIT if frame is None else max(frame.size, DEFAULT_INFLATE_LIMIT)


# Replacing a segment


def readable(log: Path | ByteSource, verified: Verified, after_offset: int | None) -> Verified:
    """The verified batches, up to the first that begins below the segment, or has an unknown magic, or one older than
    the batch before, with offsets missing between the two; or up to the first old wrapper that cannot be decompressed,
    whose messages are not all above those before it, or whose offset is not that of its last message.

    No checksum of magic 2 covers the magic, and the header of a wrapper has its last offset only. A foreign batch from
    another log may be of an older format (`kformat.kafka.damage.placing`).
    """
    unknown = np.flatnonzero(verified.headers.magic > CURRENT_MAGIC)
    if len(unknown):
        row = int(unknown[0])
        problem = InvalidError(
            "no batch of a known magic",
            source=verified.headers.source,
            position=int(verified.headers.position[row]) + layout("record_batch").position("magic"),
            path="record_batch.magic",
            expected=f"<= {CURRENT_MAGIC}",
            found=int(verified.headers.magic[row]),
        )
        verified = verified.until(row, EndReason.FRAME, problem)
    below = np.flatnonzero(
        (verified.headers.magic >= CURRENT_MAGIC) & (verified.headers.base_offset < verified.base_offset)
    )
    if len(below):
        row = int(below[0])
        problem = InvalidError(
            "a batch begins below its segment",
            source=verified.headers.source,
            position=int(verified.headers.position[row]),
            path="record_batch.base_offset",
            expected=f">= {verified.base_offset}",
            found=int(verified.headers.base_offset[row]),
        )
        verified = verified.until(row, EndReason.ORDER, problem)
    headers = verified.headers
    before = np.concatenate(([verified.base_offset - 1 if after_offset is None else after_offset], headers.last_offset))
    with ByteSource(log) as source:
        is_older = np.diff(headers.magic, prepend=headers.magic[:1]) < 0
        is_wrapper = (headers.magic < CURRENT_MAGIC) & (headers.compression != 0)
        for row in np.flatnonzero(is_wrapper | is_older).tolist():
            position, end = int(headers.position[row]), EndReason.ORDER
            batch = read_batch(source, next(Walk(source, position)), int(headers.size[row]))
            batch.limit = DEFAULT_INFLATE_LIMIT
            try:
                # The first message has its offset; if that is wrong, there may be more messages than offsets.
                lowest_here = batch.last_offset - _records_count(batch) + 1
                lowest = min(batch.base_offset, lowest_here)
                if not before[row] < lowest <= batch.last_offset:
                    message, path = "the messages of a wrapper lie among those before it", "message.message_set"
                    expected, first = f"> {int(before[row])}", lowest
                elif is_older[row] and batch.base_offset != before[row] + 1:
                    message, path = "a batch of an older format comes after missing offsets", "offset"
                    expected = f"{int(before[row]) + 1}, or magic {int(headers.magic[row - 1])}"
                    first = batch.base_offset
                elif (inner := _inner_last(batch)) not in (None, batch.last_offset) and lowest_here != before[row] + 1:
                    message, path = "the offset of a wrapper is not that of its last message", "offset"
                    expected, first = str(inner), batch.last_offset
                else:
                    continue
                wrong: DataError = InvalidError(
                    message,
                    source=headers.source,
                    position=position,
                    path=f"legacy_message.{path}",
                    expected=expected,
                    found=first,
                )
            except LimitError:
                continue  # its size is no evidence of damage
            except DataError as error:
                wrong, end = error, EndReason.FRAME
            return verified.until(row, end, wrong)
    return verified


def _inner_last(batch: AnyBatch) -> int | None:
    """The last offset of several messages in a wrapper of magic 0, which its checksum covers; None of other batches."""
    if not isinstance(batch, LegacyBatch) or batch.magic or _records_count(batch) < 2:
        return None
    return max(message.offset for message in batch.records())


def _records_count(batch: AnyBatch) -> int:
    return batch.records_count if isinstance(batch, LegacyBatch) else 1


def first_offset(batch: AnyBatch) -> int:
    """A batch's first offset; if that is in an unreadable payload, its last."""
    try:
        return batch.base_offset
    except DataError:
        return batch.last_offset

"""Columns -> batches: encode an Arrow table, or `kformat.kafka.batch.writing.Columns`, as a producer's batches.

Rules:

* Bytes and errors are those of `kformat.kafka.batch.writing.build_batch` for the same rows: it encodes the rows that a
  kernel refuses. Without numba it encodes all rows, which is slower.
* A table is read piece by piece. Memory holds a few dozen batches with their columns, plus what the table's own stream
  holds.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.errors import BuildError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.framing import FRAME_BYTES, HEADER_BYTES
from kformat.kafka.batch.records import add_sequence
from kformat.kafka.batch.writing import BatchFields, Columns, divided, header_of
from kformat.kafka.columns.arrow import RecordBatch
from kformat.kafka.columns.chunks import Scattered
from kformat.kafka.columns.tables import (
    ArrowArray,
    ArrowStream,
    RecordRows,
    joined,
    record_batches,
    rows_of,
    rows_of_columns,
)
from kformat.kernels import Encoded, Part, encoder, seal
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat.storage.checksum import crc32c_of_pairs
from kformat.times import Moment, milliseconds

Array: TypeAlias = npt.NDArray[Any]
Table: TypeAlias = ArrowStream | ArrowArray
"""An object with Arrow's interface: ``__arrow_c_stream__`` or ``__arrow_c_array__``."""

DEFAULT_BATCH_BYTES: Final = 16384
"""The default of the producer's `batch.size`."""

_ROWS_AT_FIRST: Final = 1 << 14
_BATCHES_AT_ONCE: Final = 256
_MOST_BESIDE: Final = HEADER_BYTES
"""Estimate of the bytes of a record, or of a batch, that are neither key nor value nor header; it may be wrong."""
LEAST_ROWS: Final = 256
"""For fewer Python objects the arrays and the kernel's call cost more than they save."""
_pays: Final = PaysAfter(300_000)  # rows of Python objects
_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_, _CHECKSUM, _COVERED_FROM = _LAYOUT.checksum()
_CHECKSUM_POSITION: Final = _LAYOUT.position(_CHECKSUM)
_MAX_TIMESTAMP: Final = _LAYOUT.reader("max_timestamp")


class BuiltBatch(NamedTuple):
    """A batch as bytes, and facts from its header: offsets (both inclusive), number of records, largest timestamp.

    ``raw`` is bytes, or a read-only view; the view keeps memory alive that also holds other batches.
    """

    raw: bytes | memoryview
    base_offset: int
    last_offset: int
    records_count: int
    max_timestamp: int


def build_batches(
    table: Table | Columns,
    *,
    base_offset: int = 0,
    max_batch_bytes: int = DEFAULT_BATCH_BYTES,
    max_records: int | None = None,
    compression: str = "none",
    level: int | None = None,
    timestamp: Moment | None = None,
    append_time: Moment | None = None,
    partition_leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    is_transactional: bool = False,
    keep_offsets: bool = False,
) -> Iterator[BuiltBatch]:
    """Encode the rows of a table as batches, one after the other; a table without rows gives none.

    Args:
        table: an object with Arrow's interface (``__arrow_c_stream__``, ``__arrow_c_array__``: a table, a record batch
            or a reader of pyarrow, a frame of polars or pandas, ...; the extra ``arrow``), or
            `kformat.kafka.batch.writing.Columns`. Its columns: ``value`` (required; binary or string, also large ones
            and views; null differs from empty), and optionally ``key`` (likewise), ``timestamp`` (of any unit, rounded
            down to ms, or integers in ms) and ``headers`` (lists of structures of key and value; null means none).
            All others are ignored, also topic and partition: the caller decides where batches go.
        base_offset: of the first record; each next record's offset is one higher.
        keep_offsets: take offsets from the column ``offset`` (strictly increasing integers; gaps stay, as in a
            compacted log), or from ``Columns.offsets``, and ignore ``base_offset``.
        max_batch_bytes: the largest batch, including its header, before compression, as for the producer's
            `batch.size`; a larger record gets its own batch.
        max_records: the largest number of records in a batch.
        compression, level: as for `kformat.kafka.batch.compression.compress`, the codec by name.
        timestamp: for rows without one: ms since 1970, ISO 8601 (UTC if it names no zone), or a datetime with a
            time zone; by default the time when the first batch is requested.
        append_time: write log_append_time batches with this broker time, in the same forms.
        producer_id, producer_epoch, base_sequence: of an idempotent producer; the sequence continues from batch to
            batch.

    Raises UsageError for invalid sizes, an invalid time and an unknown codec; while iterating:
        UsageError: a column is missing, or its type is not supported; an unknown level.
        BuildError: a value does not fit a batch; its path counts from the batch's first record. Earlier batches may
            have been yielded, also before a UsageError for offsets that do not increase.
        MissingDependencyError: pyarrow, needed to read the table, is missing.
    """
    if max_batch_bytes < 1 or (max_records is not None and max_records < 1):
        raise UsageError(f"a batch has room for at least 1: {max_batch_bytes} bytes, {max_records} records")
    if compression not in CODEC_NAMES:
        raise UsageError(f"no codec {compression!r}; there are {', '.join(CODEC_NAMES)}")
    fields = BatchFields(
        leader_epoch=partition_leader_epoch,
        compression=compression,
        level=level,
        append_time=None if append_time is None else milliseconds(append_time),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
    )
    builder = TableEncoder(base_offset, min(max_batch_bytes, MAX_INT32), max_records, fields, keep_offsets)
    return (
        builder.of_columns(table)
        if isinstance(table, Columns)
        else builder.of_table(table, None if timestamp is None else milliseconds(timestamp))
    )


def built_batches(
    divisions: Iterable[tuple[int, bytes]], next_offset: int, offsets: Sequence[int] | None = None
) -> list[BuiltBatch]:
    """The result of `kformat.kafka.batch.writing.divided` as `BuiltBatch`; ``offsets`` are the records' own."""
    made, at = [], 0
    for count, raw in divisions:
        first, last = (next_offset + at, next_offset + at + count - 1)
        if offsets is not None:
            first, last = offsets[at], offsets[at + count - 1]
        made.append(BuiltBatch(raw, first, last, count, _MAX_TIMESTAMP(raw, 0)))
        at += count
    return made


def _gathered(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    """The record batches of a table, small ones in one piece: rows that do not fill a batch are encoded again with the
    next ones.
    """
    held: list[RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_AT_FIRST:
            yield joined(held)
            held, rows = [], 0
    if rows:
        yield joined(held)


class BatchesInPlace(NamedTuple):
    """Uncompressed batches in one piece of memory, one after the other: their bytes, and their headers, a structured
    array as stored."""

    data: memoryview
    headers: Array


class TableEncoder:
    """The encoding of one table into batches; see `build_batches` for the arguments."""

    def __init__(
        self,
        next_offset: int,
        max_bytes: int,
        max_records: int | None,
        fields: BatchFields,
        keep_offsets: bool = False,
    ) -> None:
        self.next_offset, self.max_bytes, self.max_records, self.fields = next_offset, max_bytes, max_records, fields
        self.keep_offsets = keep_offsets
        if keep_offsets:
            self.next_offset = 0  # the lowest allowed offset
        self.sequence = fields.base_sequence
        self.codec = CODEC_NAMES.index(fields.compression)
        self.block_rows = _ROWS_AT_FIRST
        self.has_kernels = True

    def of_columns(self, columns: Columns) -> Iterator[BuiltBatch]:
        if not self.keep_offsets:
            columns = columns._replace(offsets=None)
        elif columns.offsets is None:
            raise UsageError("offsets are to be kept, but the rows have none")
        else:
            _check_growth(np.asarray(columns.offsets, np.int64), 0)
        if not len(columns.timestamps):
            return
        is_worth_it = len(columns.timestamps) >= LEAST_ROWS and _pays.does(len(columns.timestamps))
        made = self.columns_by_kernels(columns) if is_worth_it else None
        yield from self.numbered(self.plainly(columns) if made is None else made)

    def columns_by_kernels(self, columns: Columns) -> list[BuiltBatch] | None:
        """Encode all rows; None if a kernel refuses one, or there is no kernel."""
        rows = rows_of_columns(columns)
        made = None if rows is None else self.blocks(rows)
        if not self.has_kernels:
            _pays.is_missing()
        return None if made is None else [batch for block in made for batch in block.batches]

    def blocks(self, rows: RecordRows) -> list[MadeBatches] | None:
        """Encode all rows, some at a time; None if a kernel refuses one, or there is no kernel. The numbering stays."""
        before, blocks = (self.next_offset, self.sequence), list[MadeBatches]()
        try:
            while len(rows):
                block = rows.fitting(self.max_bytes * _BATCHES_AT_ONCE)
                made = self.by_kernels(block, is_last=len(block) == len(rows))
                if made is None:
                    return None
                blocks.append(made)
                self.go_on_after(block, made.rows)
                rows = rows.after(made.rows)
        finally:
            self.next_offset, self.sequence = before
        return blocks

    def in_place(self, rows: RecordRows) -> list[BatchesInPlace] | None:
        """All rows as batches in few pieces of memory; None as `blocks`, and if they are compressed."""
        blocks = None if self.codec else self.blocks(rows)
        return None if blocks is None else [block.in_place for block in blocks if block.in_place is not None]

    def of_table(self, table: Table, timestamp: int | None) -> Iterator[BuiltBatch]:
        if timestamp is None:
            timestamp = time.time_ns() // 1_000_000
        rest: Any = None  # the rows not yet in a batch
        for batch in _gathered(record_batches(table, with_offsets=self.keep_offsets)):
            at = 0
            while at < batch.num_rows:
                piece = batch.slice(at, self.block_rows)
                at += piece.num_rows
                block = piece if rest is None else joined([rest, piece])
                made, done, _ = self.of_rows(rows_of(block, timestamp), is_last=False)
                yield from made
                rest = block.slice(done) if done < block.num_rows else None
                if not done and block.num_rows >= self.block_rows:
                    self.block_rows *= 2
                if rest is not None and rest.num_rows <= piece.num_rows and (done or at < batch.num_rows):
                    rest, at = None, at - rest.num_rows  # they are in one piece
        while rest is not None:
            made, done, _ = self.of_rows(rows_of(rest, timestamp), is_last=True)
            yield from made
            rest = rest.slice(done) if done < rest.num_rows else None

    def of_rows(self, rows: RecordRows, is_last: bool) -> MadeBatches:
        """Encode the first rows as batches; return how many rows these hold. The rest may share a batch with later
        rows.
        """
        block = rows.fitting(self.max_bytes * _BATCHES_AT_ONCE)
        if block.offsets is not None:
            _check_growth(block.offsets, self.next_offset)
        is_last = is_last and len(block) == len(rows)
        made = self.by_kernels(block, is_last) if self.has_kernels else None
        if made is None:
            plain = self.plainly(block.plain())
            plain = plain if is_last else plain[:-1]
            return MadeBatches(self.numbered(plain), sum(batch.records_count for batch in plain))
        self.go_on_after(block, made.rows)
        return made

    def go_on_after(self, rows: RecordRows, count: int) -> None:
        """Continue the numbering after the first ``count`` rows."""
        if rows.offsets is None:
            self.next_offset += count
        elif count:
            self.next_offset = int(rows.offsets[count - 1]) + 1
        if self.sequence >= 0:
            self.sequence = add_sequence(self.sequence, count)

    def numbered(self, made: Iterable[BuiltBatch]) -> Iterator[BuiltBatch]:
        """Yield these batches, and continue the numbering after them."""
        for batch in made:
            if batch.last_offset > MAX_INT64:
                raise BuildError("offsets end at 2^63 - 1", found=batch.last_offset)
            self.next_offset = batch.last_offset + 1
            if self.sequence >= 0:
                self.sequence = add_sequence(self.sequence, batch.records_count)
            yield batch

    def plainly(self, columns: Columns) -> list[BuiltBatch]:
        """Encode some records by the slow path, which reports errors in detail."""
        fields = replace(self.fields, base_sequence=self.sequence)
        divisions = divided(
            columns, self.max_bytes, max_records=self.max_records, base_offset=self.next_offset, fields=fields
        )
        return built_batches(divisions, self.next_offset, columns.offsets)

    def by_kernels(self, rows: RecordRows, is_last: bool) -> MadeBatches | None:
        """Encode rows by kernels, without the last batch if more records may belong to it. None if a kernel refuses."""
        offsets = rows.offsets
        if offsets is None:
            if not -MAX_INT64 <= self.next_offset <= MAX_INT64 - len(rows):
                return None
            offsets = self.next_offset + np.arange(len(rows))
        deltas = offsets - offsets[:1]
        if abs(self.sequence) > MAX_INT32 or (len(rows) and deltas[-1] > MAX_INT32):
            return None
        columns: dict[tuple[str, Part], Any] = {
            ("timestamp_delta", Part.VALUE): rows.timestamps,
            ("offset_delta", Part.VALUE): deltas.astype(np.int32),
            **_of_bytes("value", rows.value),
        }
        if rows.key is not None:
            columns |= _of_bytes("key", rows.key)
        if rows.headers is not None:
            columns["headers", Part.OFFSETS] = rows.headers.offsets
            columns |= _of_bytes("headers.key", rows.headers.keys) | _of_bytes("headers.value", rows.headers.values)
        room = None
        if rows.headers is None:
            room = rows.most_bytes() + _MOST_BESIDE * (len(rows) + 1)
        try:
            payload = encoder("record_batch::record").encode(
                columns,
                room=room,
                unit_bytes=self.max_bytes - HEADER_BYTES,
                unit_rows=self.max_records,
                unit_gap=HEADER_BYTES,
            )
        except MissingDependencyError:  # numba
            self.has_kernels = False
            return None
        if payload.problem is not None:
            return None
        edges = np.append(payload.firsts, len(rows))
        if not is_last:
            edges = edges[:-1]
        return self.headed(rows.timestamps[: edges[-1]], offsets, edges, payload)

    def headed(self, timestamps: Array, offsets: Array, edges: Array, payload: Encoded) -> MadeBatches | None:
        """Batches of encoded records; ``edges``: the number of the first record of each batch, and the end."""
        firsts, counts, fields = edges[:-1], np.diff(edges), self.fields
        if not len(firsts):
            return MadeBatches((), 0)
        positions = np.zeros(len(edges), np.int64)
        positions[1:] = payload.ends[edges[1:] - 1]
        data, parts = payload.data, list[Any]()
        if self.codec:
            inner = [data[start + HEADER_BYTES : end].data for start, end in pairwise(positions.tolist())]
            parts = [compress(self.codec, part, level=fields.level) for part in inner]
            lengths = np.array([len(part) for part in parts]) + (HEADER_BYTES - FRAME_BYTES)
        else:
            lengths = np.diff(positions) - FRAME_BYTES
        if lengths.max() > MAX_INT32:
            return None
        sequences = [self.sequence] * len(firsts)
        if self.sequence >= 0:
            sequences = [add_sequence(self.sequence, row) for row in firsts.tolist()]
        template = header_of(self.codec, fields.append_time is not None, fields.is_transactional, fields.is_control)
        headers = np.frombuffer(template, _HEADER).repeat(len(firsts))
        largest = np.maximum.reduceat(timestamps, firsts) if fields.append_time is None else fields.append_time
        try:
            for name, column in (
                ("base_offset", offsets[firsts]),
                ("batch_length", lengths),
                ("partition_leader_epoch", fields.leader_epoch),
                ("last_offset_delta", offsets[edges[1:] - 1] - offsets[firsts]),
                ("base_timestamp", timestamps[firsts]),
                ("max_timestamp", largest),
                ("producer_id", fields.producer_id),
                ("producer_epoch", fields.producer_epoch),
                ("base_sequence", sequences),
                ("records_count", counts),
            ):
                headers[name] = column
        except OverflowError:  # a field overflows
            return None
        rows = int(counts.sum())
        if not self.codec:
            return _in_their_places(headers, data, positions, rows)
        covered = headers.view(np.uint8).reshape(len(firsts), HEADER_BYTES)[:, _COVERED_FROM:]
        headers[_CHECKSUM] = crc32c_of_pairs(np.ascontiguousarray(covered), parts)
        return MadeBatches(_put_together(headers, parts), rows)


def _check_growth(offsets: Array, least: int) -> None:
    """Raise unless offsets start at a minimum or above and strictly increase."""
    before = np.concatenate(([least - 1], offsets[:-1]))
    wrong = np.flatnonzero(offsets <= before)
    if len(wrong):
        offset, last = int(offsets[wrong[0]]), int(before[wrong[0]])
        raise UsageError(f"column offset: offsets must increase from row to row, but {offset} comes after {last}")


class MadeBatches(NamedTuple):
    """Batches, and the number of their rows; the second form if they are not compressed."""

    batches: Iterable[BuiltBatch]
    rows: int
    in_place: BatchesInPlace | None = None


def _in_their_places(headers: Array, data: Array, positions: Array, rows: int) -> MadeBatches:
    """Write each header into the room reserved before its records: nothing is copied."""
    seal(data, positions, headers.view(np.uint8), _COVERED_FROM, _CHECKSUM_POSITION)
    whole = data.data.toreadonly()
    pieces = (whole[start:end] for start, end in pairwise(positions.tolist()))
    return MadeBatches(_built(pieces, headers), rows, BatchesInPlace(whole[: positions[-1]], headers))


def _put_together(headers: Array, parts: list[Any]) -> Iterator[BuiltBatch]:
    """Join each header with its records, lazily: the records are then still in the CPU cache."""
    pairs: Iterator[tuple[Any, Any]] = zip(
        headers.view(np.uint8).reshape(len(headers), HEADER_BYTES), parts, strict=True
    )
    return _built(map(b"".join, pairs), headers)


def _built(raws: Iterable[bytes | memoryview], headers: Array) -> Iterator[BuiltBatch]:
    """Batches from their headers, without Python code per batch: there are many."""
    firsts, counts = headers["base_offset"], headers["records_count"]
    lasts = firsts.astype(np.int64) + headers["last_offset_delta"]
    lists = [column.tolist() for column in (firsts, lasts, counts, headers["max_timestamp"])]
    return map(partial(tuple.__new__, BuiltBatch), zip(raws, *lists, strict=True))


def _of_bytes(name: str, column: Scattered) -> dict[tuple[str, Part], Any]:
    return {
        (name, Part.POSITION): column.positions,
        (name, Part.LENGTH): column.lengths,
        (name, Part.BYTES): column.data,
    }


__all__ = ["LEAST_ROWS", "BatchesInPlace", "BuiltBatch", "Table", "TableEncoder", "build_batches", "built_batches"]

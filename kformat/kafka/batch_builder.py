"""Columns -> batches: a table of Arrow, or `kformat.kafka.writing.Columns`, as a producer's batches of magic 2.

Rules:

* The bytes are those of `kformat.kafka.writing.build_batch` for the same rows, and so are the errors: what a kernel
  refuses is given to it. Without numba everything is, which is slower.
* A table is taken piece by piece: memory is that of a few dozen batches with their columns, and of what the table's own
  stream holds at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.errors import BuildError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.columns import Scattered
from kformat.kafka.compression import CODEC_NAMES, compress
from kformat.kafka.framing import FRAME_BYTES, HEADER_BYTES
from kformat.kafka.records import add_sequence
from kformat.kafka.tables import ArrowArray, ArrowStream, Rows, joined, record_batches, rows_of
from kformat.kafka.writing import BatchFields, Columns, divided, header_of
from kformat.kernels import Encoded, Part, encoder, seal
from kformat.language.layout import layout
from kformat.storage.checksum import crc32c_of_pairs
from kformat.times import Moment, milliseconds

Array: TypeAlias = npt.NDArray[Any]
Table: TypeAlias = ArrowStream | ArrowArray
"""Anything that speaks Arrow: it has ``__arrow_c_stream__`` or ``__arrow_c_array__``."""

DEFAULT_BATCH_BYTES: Final = 16384
"""As the producer's `batch.size`."""

_ROWS_AT_FIRST: Final = 1 << 14
_BATCHES_AT_ONCE: Final = 256
_MOST_BESIDE: Final = HEADER_BYTES
"""About as many bytes of a record, or of a batch, are neither key nor value nor header: a guess, which may be wrong."""
_LAYOUT: Final = layout("record_batch")
_HEADER: Final = _LAYOUT.header_dtype
_, _CHECKSUM, _COVERED_FROM = _LAYOUT.checksum()
_CHECKSUM_POSITION: Final = _LAYOUT.position(_CHECKSUM)
_MAX_TIMESTAMP: Final = _LAYOUT.reader("max_timestamp")


class BuiltBatch(NamedTuple):
    """A batch as bytes, and what its header says: offsets (both inclusive), how many records, the largest timestamp.

    ``raw`` is bytes, or a read-only view of memory in which other batches lie, too, which it keeps.
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
    """The rows of a table as batches, one after the other; none of no rows.

    Args:
        table: anything that speaks Arrow (``__arrow_c_stream__``, ``__arrow_c_array__``: a table, a record batch or a
            reader of pyarrow, a frame of polars or pandas, ...; the extra ``arrow``), or
            `kformat.kafka.writing.Columns`. Of its columns are taken ``value`` (binary or string, also large ones and
            views; null is not empty), and where they are there ``key`` (likewise), ``timestamp`` (of any unit, rounded
            down to ms, or integers in ms) and ``headers`` (lists of structures of key and value; null is none). All
            others are passed over, topic and
            partition among them: the caller says where batches go.
        base_offset: of the first record; offsets go on one by one.
        keep_offsets: records have the offsets of the column ``offset`` (integers that grow from row to row; what is
            skipped stays a gap, as in a compacted log), or of ``Columns.offsets``, and ``base_offset`` does not count.
        max_batch_bytes: a batch ends before it would be larger, its header counted, before it is compressed, as the
            producer's `batch.size` counts; a record that is larger by itself has a batch by itself.
        max_records: most records of a batch.
        compression, level: as `kformat.kafka.compression.compress` takes them, the codec by name.
        timestamp: of rows that have none: ms since 1970, ISO 8601 (UTC where it names no zone), or a datetime with a
            time zone; by default the time when the first batch is asked for.
        append_time: makes log_append_time batches, with this time of the broker's clock, given likewise.
        producer_id, producer_epoch, base_sequence: of an idempotent producer; the sequence goes on from batch to batch.

    Raises UsageError for numbers that are no sizes, what is no time and an unknown codec; while iterating:
        UsageError: a column is missing, or of a type that it cannot have; an unknown level.
        BuildError: what does not fit a batch; its path counts from the batch's first record. Batches before it may have
            been given. So, too, with a UsageError for offsets that do not grow.
        MissingDependencyError: there is no pyarrow to take the table with.
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
    builder = _Builder(base_offset, min(max_batch_bytes, MAX_INT32), max_records, fields, keep_offsets)
    return (
        builder.of_columns(table)
        if isinstance(table, Columns)
        else builder.of_table(table, None if timestamp is None else milliseconds(timestamp))
    )


class _Builder:
    """One table on its way into batches."""

    def __init__(
        self, next_offset: int, max_bytes: int, max_records: int | None, fields: BatchFields, keep_offsets: bool
    ) -> None:
        self.next_offset, self.max_bytes, self.max_records, self.fields = next_offset, max_bytes, max_records, fields
        self.keep_offsets = keep_offsets
        if keep_offsets:
            self.next_offset = 0  # the least that may come
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
        if len(columns.timestamps):
            yield from self.numbered(self.plainly(columns))

    def of_table(self, table: Table, timestamp: int | None) -> Iterator[BuiltBatch]:
        if timestamp is None:
            timestamp = time.time_ns() // 1_000_000
        rest: Any = None  # the rows that are in no batch yet
        for batch in record_batches(table, with_offsets=self.keep_offsets):
            at = 0
            while at < batch.num_rows:
                taken = batch.slice(at, self.block_rows)
                at += taken.num_rows
                block = taken if rest is None else joined([rest, taken])
                made, done = self.of_rows(rows_of(block, timestamp), is_last=False)
                yield from made
                rest = block.slice(done) if done < block.num_rows else None
                if not done:
                    self.block_rows *= 2
                if rest is not None and rest.num_rows <= taken.num_rows and (done or at < batch.num_rows):
                    rest, at = None, at - rest.num_rows  # they still lie in one piece
        while rest is not None:
            made, done = self.of_rows(rows_of(rest, timestamp), is_last=True)
            yield from made
            rest = rest.slice(done) if done < rest.num_rows else None

    def of_rows(self, rows: Rows, is_last: bool) -> _Made:
        """Batches of the first rows; how many of these are in them. The others may share a batch with later ones."""
        some = rows.fitting(self.max_bytes * _BATCHES_AT_ONCE)
        if some.offsets is not None:
            _check_growth(some.offsets, self.next_offset)
        is_last = is_last and len(some) == len(rows)
        made = self.by_kernels(some, is_last) if self.has_kernels else None
        if made is None:
            plain = self.plainly(some.plain())
            plain = plain if is_last else plain[:-1]
            return _Made(self.numbered(plain), sum(batch.records_count for batch in plain))
        if some.offsets is None:
            self.next_offset += made.rows
        elif made.rows:
            self.next_offset = int(some.offsets[made.rows - 1]) + 1
        if self.sequence >= 0:
            self.sequence = add_sequence(self.sequence, made.rows)
        return made

    def numbered(self, made: Iterable[BuiltBatch]) -> Iterator[BuiltBatch]:
        """These batches; what comes after them goes on from there."""
        for batch in made:
            if batch.last_offset > MAX_INT64:
                raise BuildError("offsets end at 2^63 - 1", found=batch.last_offset)
            self.next_offset = batch.last_offset + 1
            if self.sequence >= 0:
                self.sequence = add_sequence(self.sequence, batch.records_count)
            yield batch

    def plainly(self, columns: Columns) -> list[BuiltBatch]:
        """All batches of some records, the slow way, which knows what is wrong with them."""
        made, at, start = [], 0, self.next_offset
        offsets = columns.offsets or range(start, start + len(columns.timestamps))
        fields = replace(self.fields, base_sequence=self.sequence)
        for count, raw in divided(
            columns, self.max_bytes, max_records=self.max_records, base_offset=start, fields=fields
        ):
            made.append(BuiltBatch(raw, offsets[at], offsets[at + count - 1], count, _MAX_TIMESTAMP(raw, 0)))
            at += count
        return made

    def by_kernels(self, rows: Rows, is_last: bool) -> _Made | None:
        """The same; without the last batch where more records may belong to it. None where a kernel refuses."""
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

    def headed(self, timestamps: Array, offsets: Array, edges: Array, payload: Encoded) -> _Made | None:
        """Batches of encoded records; ``edges``: the number of the first of each batch, and the one after all."""
        firsts, counts, fields = edges[:-1], np.diff(edges), self.fields
        if not len(firsts):
            return _Made((), 0)
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
        template = header_of(self.codec, fields.append_time is not None, fields.is_transactional)
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
        except OverflowError:  # a field that does not fit
            return None
        rows = int(counts.sum())
        if not self.codec:
            return _Made(_in_their_places(headers, data, positions), rows)
        covered = headers.view(np.uint8).reshape(len(firsts), HEADER_BYTES)[:, _COVERED_FROM:]
        headers[_CHECKSUM] = crc32c_of_pairs(np.ascontiguousarray(covered), parts)
        return _Made(_put_together(headers, parts), rows)


def _check_growth(offsets: Array, least: int) -> None:
    """Refuse offsets that do not grow from row to row, from a least one on."""
    before = np.concatenate(([least - 1], offsets[:-1]))
    wrong = np.flatnonzero(offsets <= before)
    if len(wrong):
        found, last = int(offsets[wrong[0]]), int(before[wrong[0]])
        raise UsageError(f"column offset: offsets must increase from row to row, but {found} comes after {last}")


class _Made(NamedTuple):
    """Batches, and how many rows are in them."""

    batches: Iterable[BuiltBatch]
    rows: int


def _in_their_places(headers: Array, data: Array, positions: Array) -> Iterator[BuiltBatch]:
    """Each header in front of what belongs after it, where room was left for it: nothing is copied."""
    seal(data, positions, headers.view(np.uint8), _COVERED_FROM, _CHECKSUM_POSITION)
    whole = data.data.toreadonly()
    return _built([whole[start:end] for start, end in pairwise(positions.tolist())], headers)


def _put_together(headers: Array, parts: list[Any]) -> Iterator[BuiltBatch]:
    """Each header with what belongs after it, made when it is asked for: it is still in the processor's cache then."""
    pairs: Iterator[tuple[Any, Any]] = zip(
        headers.view(np.uint8).reshape(len(headers), HEADER_BYTES), parts, strict=True
    )
    return _built(map(b"".join, pairs), headers)


def _built(raws: Iterable[bytes | memoryview], headers: Array) -> Iterator[BuiltBatch]:
    """Batches by their headers. There are many of them, so that nothing is done with each in Python's own words."""
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


__all__ = ["Table", "build_batches"]

"""Compaction of batches: which records and batches stay, and their bytes (Kafka's Cleaner, MemoryRecords.filterTo,
CleanedTransactionMetadata). Pure: bytes in, bytes out; files and logs are handled by other modules.

A compaction reads a log twice. `map_keys` puts the last offset of each key of the dirty part into an `OffsetMap`.
`filtered` then copies the log, without the records for which the map has a later one.

Rules for records:

* One above the last offset of the map stays; so do control records.
* One without a key is removed.
* Others stay if the map has no later offset for their key, and they have a value or are a tombstone that is still
  needed. In magic 2 a tombstone is needed until its batch's *delete horizon* has passed, which the first compaction
  sets to ``now + delete.retention.ms``; in magic 0 and 1 while its segment is newer than a time that the caller
  computes.

Rules for batches:

* Those of an aborted transaction lose all their records. A marker is removed when no batch of its transaction is left
  in the log, and its horizon has passed; a marker without a horizon gets one then, as a batch with tombstones does.
* A batch without records stays, as a header, if it is the last one of a producer that is still known, or the last one
  below the end of the compacted part. This keeps its last offset and last sequence number.
* A batch that keeps all its records, and needs no horizon, is copied byte by byte. Any other is rebuilt from the
  records that stay, with the same codec, offsets, producer and last offset; its largest timestamp is computed again.
* A wrapper of magic 0 or 1 whose messages are of another magic is rebuilt, too (KAFKA-4298).

Unlike Kafka, this verifies checksums: otherwise a rebuild would give a damaged batch a right one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain, islice, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import build
from kformat.codec.unfit import Unfit
from kformat.codec.writing import rows_writer
from kformat.errors import InvalidError, UsageError
from kformat.integers import wrapped_int64
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record, TimestampType
from kformat.kafka.columns.chunks import RECORD_COLUMNS, Chunk, Packed, Scattered, Wanted, read_chunks, records_of
from kformat.kafka.index.offset_map import OffsetMap, key_hashes
from kformat.kafka.log.fetched import wrong_checksum
from kformat.kafka.producers.producer_state import AbortedTransaction, Markers
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat.storage.byte_source import ByteSource

Array = npt.NDArray[Any]

NO_TIMESTAMP: Final = -1
_LAYOUT: Final = layout("record_batch")
_PUT_LENGTH: Final = _LAYOUT.writer("batch_length")
_PUT_ATTRIBUTES: Final = _LAYOUT.writer("attributes")
_PUT_BASE_TIMESTAMP: Final = _LAYOUT.writer("base_timestamp")
_PUT_MAX_TIMESTAMP: Final = _LAYOUT.writer("max_timestamp")
_PUT_COUNT: Final = _LAYOUT.writer("records_count")
_BITS: Final = _LAYOUT.bits("attributes")
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_WRITE: Final = rows_writer(
    load_type("record_batch::record"), ("timestamp_delta", "offset_delta", "key", "value", "headers")
)
_COLUMNS: Final = (*RECORD_COLUMNS, "batch_position")
_KEY_COLUMNS: Final = ("offset", "key", "batch_position")
_HELD_BYTES: Final = 16 << 20
_RECORDS_AT_ONCE: Final = 2048
_pays: Final = PaysAfter(1 << 20)  # bytes of batches


def _mask(*names: str) -> int:
    return sum(_BITS[name].mask << _BITS[name].shift for name in names)


_KEPT_BITS: Final = _mask("compression", "timestamp_type", "is_transactional", "is_control")
_KEPT_BITS_OF_EMPTY: Final = _mask("timestamp_type", "is_transactional", "is_control")
_HAS_HORIZON: Final = _mask("has_delete_horizon")


class LastRecord(NamedTuple):
    """The last batch of an active producer; ``last_data_offset`` is None if that is a marker."""

    last_data_offset: int | None
    producer_epoch: int


class _OngoingAborted:
    """An aborted transaction before its marker, and whether a batch of it was seen."""

    __slots__ = ("transaction", "was_seen")

    def __init__(self, transaction: AbortedTransaction) -> None:
        self.transaction, self.was_seen = transaction, False


class CleanedTransactions:
    """The transactions that are open at the current position of a compaction (CleanedTransactionMetadata).

    ``retained`` collects the aborted transactions whose markers stay, for the new `.txnindex`.
    """

    def __init__(self, aborted: Iterable[AbortedTransaction] = ()) -> None:
        self._coming: list[tuple[int, AbortedTransaction]] = []
        self._committed: set[int] = set()
        self._aborted: dict[int, _OngoingAborted] = {}
        self._markers = Markers()
        self.retained: list[AbortedTransaction] = []
        self.add(aborted)

    def add(self, aborted: Iterable[AbortedTransaction]) -> None:
        """Add the aborted transactions of the next part of the log; it may include known ones."""
        for transaction in aborted:
            heapq.heappush(self._coming, (transaction.first_offset, transaction))

    def discardable(self, headers: BatchHeaders, data: Any) -> npt.NDArray[np.bool_]:
        """Advance over these batches, whose bytes are ``data``: a mask of those that are part of an aborted
        transaction, and of markers without any remaining batch."""
        is_discardable = np.zeros(len(headers), np.bool_)
        is_concerned = (headers.magic >= CURRENT_MAGIC) & ((headers.is_transactional != 0) | (headers.is_control != 0))
        rows = np.flatnonzero(is_concerned)
        if not len(rows):
            return is_discardable
        concerned = headers.take(rows)
        start = int(headers.position[0])
        for row, last_offset, producer_id, is_control, is_transactional, count, position, size in zip(
            rows.tolist(),
            *(concerned.last_offset.tolist(), concerned.producer_id.tolist()),
            *(
                (concerned.is_control != 0).tolist(),
                (concerned.is_transactional != 0).tolist(),
                concerned.records_count.tolist(),
            ),
            *(concerned.position.tolist(), concerned.size.tolist()),
            strict=True,
        ):
            self._come_to(last_offset)
            if not is_control:
                is_discardable[row] = self._on_batch(producer_id) if is_transactional else False
            elif not count:
                is_discardable[row] = True  # it was compacted before
            else:
                said = self._markers.said(data[position - start : position - start + size])
                is_discardable[row] = self._on_marker(None if said is None else said.kind, producer_id)
        return is_discardable

    def _come_to(self, offset: int) -> None:
        while self._coming and self._coming[0][0] <= offset:
            transaction = heapq.heappop(self._coming)[1]
            self._aborted.setdefault(transaction.producer_id, _OngoingAborted(transaction))

    def _on_batch(self, producer_id: int) -> bool:
        ongoing = self._aborted.get(producer_id)
        if ongoing is None:
            self._committed.add(producer_id)
            return False
        ongoing.was_seen = True
        return True

    def _on_marker(self, kind: str | None, producer_id: int) -> bool:
        if kind == "abort":
            ongoing = self._aborted.pop(producer_id, None)
            if ongoing is not None and ongoing.was_seen:
                self.retained.append(ongoing.transaction)
                return False
            return True
        if kind == "commit":
            if producer_id in self._committed:
                self._committed.discard(producer_id)
                return False
            return True
        return False


# --- first pass: the map of keys -------------------------------------------------------------------------------------


@dataclass
class Mapped:
    """The result of `map_keys`: whether the map is full, and how many records were read."""

    is_full: bool
    read_count: int


def map_keys(
    source: ByteSource,
    headers: BatchHeaders,
    data: Any,
    offsets: OffsetMap,
    transactions: CleanedTransactions,
    *,
    start_offset: int,
    most_keys: int,
) -> Mapped:
    """Put the keys of some consecutive batches into a map (Cleaner.buildOffsetMapForSegment).

    Args:
        source: the source of the batches; ``data``: their bytes.
        start_offset: records below it are skipped.
        most_keys: of the map. When it has so many, the next record with a key ends the first pass.

    Raises DataError for batches that cannot be read, OSError.
    """
    is_left_out = transactions.discardable(headers, data) | (headers.is_control != 0)
    counts = headers.records_count
    read_count = int(counts[is_left_out & (counts > 0)].sum())
    lasts = headers.last_offset
    for rows, chunk in _chunks(source, headers, ~is_left_out, _KEY_COLUMNS):
        assert chunk.key is not None
        read_count += len(chunk)
        numbers = chunk.numbers["offset"]
        wanted = np.flatnonzero((chunk.key.lengths >= 0) & (numbers >= start_offset))
        if not len(wanted):
            continue
        hashes = _hashes(chunk.key, wanted)
        chosen = numbers[wanted]
        if offsets.size + len(wanted) <= most_keys:
            offsets.put_hashes(hashes, chosen)
            continue
        for number, row in enumerate(wanted.tolist()):
            if offsets.size >= most_keys:
                batch = int(rows[row])
                passed = lasts[:batch][lasts[:batch] >= start_offset]
                is_first = not number or rows[wanted[number - 1]] != batch
                if is_first and len(passed):
                    offsets.update_latest_offset(int(passed[-1]))
                return Mapped(True, read_count)
            offsets.put_hashes(hashes[number : number + 1], chosen[number : number + 1])
    passed = lasts[lasts >= start_offset]
    if len(passed):
        offsets.update_latest_offset(int(passed[-1]))
    return Mapped(False, read_count)


def _hashes(keys: Scattered | Packed, rows: Array) -> Array:
    """The hashes of the keys of some rows, none of which is null."""
    starts = keys.positions[rows]
    ends = starts + keys.lengths[rows]
    first = int(starts.min())
    data = keys.data[first : int(ends.max())].tobytes()  # to slice bytes takes half the time of slicing a view
    return key_hashes(
        [data[start:end] for start, end in zip((starts - first).tolist(), (ends - first).tolist(), strict=True)]
    )


def _chunks(
    source: ByteSource, headers: BatchHeaders, wanted: npt.NDArray[np.bool_], columns: tuple[str, ...]
) -> Iterator[tuple[Array, Chunk]]:
    """Yield the records of the batches that a mask selects, with the number of each record's batch."""
    rows = np.flatnonzero(wanted & (headers.records_count != 0))
    how = Wanted(columns=columns, include_control=True)
    for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(rows) else ():
        start, end = int(headers.position[run[0]]), int(headers.position[run[-1]] + headers.size[run[-1]])
        use_kernels = _pays.does(end - start)
        for chunk in read_chunks(source, how, start, end, chunk_bytes=end - start, use_kernels=use_kernels):
            yield np.searchsorted(headers.position, chunk.numbers["batch_position"]), chunk


# --- second pass: the copy -------------------------------------------------------------------------------------------


@dataclass
class Retention:
    """The parameters by which a compaction keeps records.

    Attributes:
        offsets: the map of the keys.
        now_ms: when it began. delete_retention_ms: `delete.retention.ms`.
        upper_bound_offset: the end of the compacted part, exclusive: a batch that ends there stays.
        last_records: producer id -> its last batch, of the active producers.
        transactions: the state of transactions before the next batch.
    """

    offsets: OffsetMap
    now_ms: int
    delete_retention_ms: int
    upper_bound_offset: int
    last_records: Mapping[int, LastRecord] = field(default_factory=dict)
    transactions: CleanedTransactions = field(default_factory=CleanedTransactions)


class Filtered(NamedTuple):
    """The result of `filtered` (MemoryRecords.FilterResult).

    Attributes:
        data: the batches that stay. headers: theirs, with positions in ``data``.
        read_count, retained_count: of records. without_key_count: of records that were removed for lack of a key.
        max_offset: the largest offset of a record that stays, or the last one of a batch that is as it was; -1 if
            nothing stays.
        max_timestamp, max_timestamp_offset: the largest timestamp, and the last offset of the first batch with it.
    """

    data: bytes
    headers: BatchHeaders
    read_count: int
    retained_count: int
    without_key_count: int
    max_offset: int
    max_timestamp: int
    max_timestamp_offset: int


def filtered(
    source: ByteSource, headers: BatchHeaders, data: Any, retention: Retention, *, retains_legacy_deletes: bool = True
) -> Filtered:
    """Filter consecutive batches.

    Args:
        source: the source of the batches; ``data``: their bytes.
        retains_legacy_deletes: whether tombstones of magic 0 and 1 are still wanted here.

    Raises:
        DataError: a batch cannot be read, or has not its checksum.
        InvalidError: a batch of magic 0 or 1 would have to stay without records, which only magic 2 can. (Kafka
            throws IllegalStateException, and does not clean the log then, either.)
        OSError.
    """
    return _Filter(source, headers, data, retention, retains_legacy_deletes).filtered()


class _Fate(IntEnum):
    """What happens to a batch."""

    GONE = 0
    COPIED = 1
    REBUILT = 2
    EMPTY = 3


class _Judged(NamedTuple):
    """Some records, the number of each one's batch, and a mask of those that stay."""

    rows: Array
    chunk: Chunk
    kept: npt.NDArray[np.bool_]


class _Filter:
    """Filters the batches of one call of `filtered`."""

    def __init__(
        self, source: ByteSource, headers: BatchHeaders, data: Any, retention: Retention, retains_legacy_deletes: bool
    ) -> None:
        self.source, self.headers, self.data, self.retention = source, headers, memoryview(data), retention
        self.retains_legacy_deletes = retains_legacy_deletes
        count = len(headers)
        self.is_current = headers.magic >= CURRENT_MAGIC
        self.is_control = self.is_current & (headers.is_control != 0)
        self.has_horizon = self.is_current & (headers.has_delete_horizon != 0)
        self.can_discard = retention.transactions.discardable(headers, data)
        is_over = self.has_horizon & (headers.base_timestamp <= retention.now_ms)
        self.loses_all = self.can_discard & (~self.is_control | is_over)
        self.retains_empty = self._last_of_producers() | (headers.next_offset == retention.upper_bound_offset)
        self.read_counts, self.kept_counts = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.has_tombstones, self.has_other_magic = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        self.needs_horizon = np.zeros(count, np.bool_)
        self.max_offsets = np.full(count, -1, np.int64)
        self.without_key_count = 0

    def _last_of_producers(self) -> npt.NDArray[np.bool_]:
        """A mask of the batches that hold the last record of a producer that is active."""
        is_last = np.zeros(len(self.headers), np.bool_)
        rows = np.flatnonzero(self.is_current & (self.headers.producer_id >= 0))
        known = self.retention.last_records
        if not len(rows) or not known:
            return is_last
        candidates = self.headers.take(rows)
        ids, inverse = np.unique(candidates.producer_id, return_inverse=True)
        lasts = [known.get(producer_id) for producer_id in ids.tolist()]
        has_data = np.array([last is not None and last.last_data_offset is not None for last in lasts])[inverse]
        offsets = np.array([-1 if last is None else last.last_data_offset or 0 for last in lasts], np.int64)[inverse]
        is_known = np.array([last is not None for last in lasts])[inverse]
        epochs = np.array([-2 if last is None else last.producer_epoch for last in lasts])[inverse]
        is_last_data = has_data & (candidates.last_offset == offsets)
        is_last_marker = is_known & ~has_data & (candidates.is_control != 0) & (candidates.producer_epoch == epochs)
        is_last[rows] = is_last_data | is_last_marker
        return is_last

    def filtered(self) -> Filtered:
        headers = self.headers
        # Kafka counts the records of a batch that loses all of them only if its header stays.
        counted = self.loses_all & self.retains_empty
        self.read_counts[counted] = headers.records_count[counted]
        parts: list[Any] = []
        for first, end, decoded in self._judged():
            parts += self._parts(first, end, decoded)
        return self._result(b"".join(parts))

    def _judged(self) -> Iterator[tuple[int, int, list[_Judged]]]:
        """Yield all batches, some at a time: first and end of their rows, and their records. So at most the records of
        one batch, or of `_HELD_BYTES`, are in memory, regardless of the decompressed size of all."""
        first, size, held = 0, 0, list[_Judged]()
        for rows, chunk in _chunks(self.source, self.headers, self.is_current & ~self.loses_all, _COLUMNS):
            begun = int(rows[0])
            if size > _HELD_BYTES and int(held[-1].rows[-1]) < begun:
                yield first, begun, held
                first, size, held = begun, 0, []
            held.append(_Judged(rows, chunk, self._judge(rows, chunk)))
            assert isinstance(chunk.value, Scattered)
            size += chunk.value.data.nbytes
        yield first, len(self.headers), held

    def _parts(self, first_row: int, end_row: int, decoded: list[_Judged]) -> Iterator[Any]:
        """Yield the bytes of the batches that stay, of some consecutive ones."""
        headers, span = self.headers, slice(first_row, end_row)
        for row in (first_row + np.flatnonzero(~self.is_current[span])).tolist():
            self._judge_legacy(row)
        fates = self._fates(span)
        is_rebuilt = np.zeros(len(headers), np.bool_)
        is_rebuilt[span] = fates == _Fate.REBUILT
        records = chain.from_iterable(
            chain.from_iterable(records_of(chunk.take(mask)))
            for rows, chunk, kept in decoded
            if (mask := kept & is_rebuilt[rows]).any()
        )
        runs = (first_row + np.append(np.flatnonzero(np.diff(fates, prepend=-1)), len(fates))).tolist()
        for first, end in pairwise(runs):
            match fates[first - first_row]:
                case _Fate.COPIED:
                    yield self._bytes(first, end)
                case _Fate.EMPTY:
                    yield from (empty_batch(self._sound(row)) for row in range(first, end))
                case _Fate.REBUILT:
                    for row in range(first, end):
                        if self.is_current[row]:
                            its = islice(records, int(self.kept_counts[row]))
                            yield rebuilt_batch(self._batch(row), its, self._horizon(row))
                        else:
                            yield rebuilt_wrapper(self._legacy(row), self._staying_legacy(row))
        is_as_it_was = (fates == _Fate.COPIED) | (fates == _Fate.EMPTY)
        self.max_offsets[span][is_as_it_was] = headers.last_offset[span][is_as_it_was]

    def _fates(self, span: slice) -> npt.NDArray[np.int8]:
        """The `_Fate` of each batch of a range of rows. InvalidError, see `filtered`."""
        kept_counts, is_current, headers = self.kept_counts[span], self.is_current[span], self.headers
        has_any = kept_counts > 0
        is_whole = ~self.loses_all[span] & (kept_counts == self.read_counts[span]) & ~self.has_other_magic[span]
        is_marked = self.has_tombstones[span] | (self.can_discard[span] & self.is_control[span])
        needs_horizon = is_current & is_marked & ~self.has_horizon[span]
        self.needs_horizon[span] = needs_horizon
        is_empty = ~has_any & self.retains_empty[span]
        wrong = span.start + np.flatnonzero(is_empty & ~is_current)
        if len(wrong):
            raise InvalidError(
                "a batch of magic 0 or 1 cannot stay without records, and this one is the last that is compacted",
                source=self.source.name,
                position=int(headers.position[wrong[0]]),
                path="legacy_message",
                found=f"offset {int(headers.last_offset[wrong[0]])}",
            )
        fates = np.full(len(has_any), _Fate.GONE, np.int8)
        fates[has_any] = _Fate.REBUILT
        fates[has_any & is_whole & ~needs_horizon] = _Fate.COPIED
        fates[is_empty] = _Fate.EMPTY
        return fates

    def _result(self, data: bytes) -> Filtered:
        headers = read_batch_headers(data)
        largest, largest_offset = NO_TIMESTAMP, -1
        if len(headers):
            at = int(headers.max_timestamp.argmax())  # the first on ties
            if headers.max_timestamp[at] > NO_TIMESTAMP:
                largest, largest_offset = int(headers.max_timestamp[at]), int(headers.last_offset[at])
        return Filtered(
            data,
            headers,
            int(self.read_counts.sum()),
            int(self.kept_counts.sum()),
            self.without_key_count,
            int(self.max_offsets.max(initial=-1)),
            largest,
            largest_offset,
        )

    def _horizon(self, row: int) -> int | None:
        if self.needs_horizon[row]:
            return self.retention.now_ms + self.retention.delete_retention_ms
        return int(self.headers.base_timestamp[row]) if self.has_horizon[row] else None

    def _bytes(self, first: int, end: int) -> memoryview:
        """The stored bytes of consecutive batches."""
        start, headers = int(self.headers.position[0]), self.headers
        return self.data[
            int(headers.position[first]) - start : int(headers.position[end - 1] + headers.size[end - 1]) - start
        ]

    def _batch(self, row: int) -> Batch:
        return Batch(bytes(self._bytes(row, row + 1)), int(self.headers.position[row]), self.source.name)

    def _sound(self, row: int) -> Batch:
        """A batch whose records were not read, and whose header is rewritten; ChecksumError."""
        batch = self._batch(row)
        if not batch.is_valid:
            raise wrong_checksum(batch)
        return batch

    def _legacy(self, row: int) -> LegacyBatch:
        return LegacyBatch(bytes(self._bytes(row, row + 1)), int(self.headers.position[row]), self.source.name)

    # Records

    def _judge(self, rows: Array, chunk: Chunk) -> npt.NDArray[np.bool_]:
        """A mask of the records of a chunk that stay."""
        key, value, offsets = chunk.key, chunk.value, chunk.numbers["offset"]
        assert key is not None and value is not None
        known = self.retention.offsets
        kept = self.is_control[rows] | (offsets > known.latest_offset)
        judged = np.flatnonzero(~kept)
        has_key = key.lengths[judged] >= 0
        self.without_key_count += int(len(judged) - has_key.sum())
        judged = judged[has_key]
        if len(judged):
            later = known.get_hashes(_hashes(key, judged)) if known.size else np.full(len(judged), -1)
            batches = rows[judged]
            horizon = self.headers.base_timestamp[batches]
            is_wanted = ~self.has_horizon[batches] | (self.retention.now_ms < horizon)
            kept[judged] = (offsets[judged] >= later) & ((value.lengths[judged] >= 0) | is_wanted)
        count = len(self.headers)
        self.read_counts += np.bincount(rows, minlength=count)
        staying = rows[kept]
        self.kept_counts += np.bincount(staying, minlength=count)
        self.has_tombstones[rows[kept & (value.lengths < 0)]] = True
        np.maximum.at(self.max_offsets, staying, offsets[kept])
        return kept

    def _judge_legacy(self, row: int) -> None:
        """Count the messages of an entry of magic 0 or 1 that are read, and those that stay."""
        batch = self._legacy(row)
        if not batch.is_valid:
            raise wrong_checksum(batch)
        for message in batch.messages():
            record = message.record
            self.read_counts[row] += 1
            if not self._keeps_legacy(record):
                known = self.retention.offsets.latest_offset
                self.without_key_count += record.key is None and record.offset <= known
                continue
            self.kept_counts[row] += 1
            self.has_other_magic[row] |= message.magic != batch.magic
            self.max_offsets[row] = max(self.max_offsets[row], record.offset)

    def _keeps_legacy(self, record: Record) -> bool:
        known = self.retention.offsets
        if record.offset > known.latest_offset:
            return True
        if record.key is None or record.offset < known.get(record.key):
            return False
        return record.value is not None or self.retains_legacy_deletes

    def _staying_legacy(self, row: int) -> list[Record]:
        """The records of an entry of magic 0 or 1 that stay."""
        return [message.record for message in self._legacy(row).messages() if self._keeps_legacy(message.record)]


# --- bytes -----------------------------------------------------------------------------------------------------------


def rebuilt_batch(batch: Batch, records: Iterable[Record], horizon_ms: int | None = None) -> bytes:
    """Rebuild a batch of magic 2 from some of its records, with the same last offset (buildRetainedRecordsInto).

    The base timestamp is the delete horizon, if given; otherwise the first record's timestamp.
    """
    base, largest, count, first = horizon_ms, NO_TIMESTAMP, 0, batch.base_offset
    written: list[bytes] = []
    groups = iter(records)
    while chunk := list(islice(groups, _RECORDS_AT_ONCE)):
        if base is None:
            base = chunk[0].timestamp
        rows = [
            (timestamp - base, offset - first, key, value, headers)
            for offset, timestamp, _, key, value, headers, _ in chunk
        ]
        try:
            written.append(b"".join(_WRITE(rows)))
        except Unfit:  # timestamps so far apart that Java's difference wraps
            written.append(b"".join(_WRITE([(wrapped_int64(row[0]), *row[1:]) for row in rows])))
        largest = max(largest, *(record.timestamp for record in chunk))
        count += len(chunk)
    if base is None or not count:
        raise UsageError("a batch is rebuilt from at least one record; see empty_batch")
    payload = b"".join(written)
    if batch.compression:
        payload = compress(batch.compression, payload)
    if batch.timestamp_type == _LOG_APPEND_TIME:
        largest = batch.max_timestamp
    data = bytearray(batch.raw[:HEADER_BYTES])
    data += payload
    attributes = batch.attributes & _KEPT_BITS | (0 if horizon_ms is None else _HAS_HORIZON)
    _set(data, attributes, base, largest, count)
    return bytes(data)


def empty_batch(batch: Batch) -> bytes:
    """The header of a batch of magic 2 without its records (DefaultRecordBatch.writeEmptyHeader)."""
    data = bytearray(batch.raw[:HEADER_BYTES])
    _set(data, batch.attributes & _KEPT_BITS_OF_EMPTY, NO_TIMESTAMP, batch.max_timestamp, 0)
    return bytes(data)


def _set(data: bytearray, attributes: int, base_timestamp: int, max_timestamp: int, count: int) -> None:
    _PUT_LENGTH(data, 0, len(data) - FRAME_BYTES)
    _PUT_ATTRIBUTES(data, 0, attributes)
    _PUT_BASE_TIMESTAMP(data, 0, base_timestamp)
    _PUT_MAX_TIMESTAMP(data, 0, max_timestamp)
    _PUT_COUNT(data, 0, count)
    _LAYOUT.mend(data)


def rebuilt_wrapper(batch: LegacyBatch, records: list[Record]) -> bytes:
    """Rebuild a wrapper of magic 0 or 1 from some of its messages; its offset becomes that of the last one."""
    if not records:
        raise UsageError("a wrapper has at least one message")
    magic, base = batch.magic, records[0].offset
    is_stamped = bool(magic) and batch.timestamp_type == _LOG_APPEND_TIME
    kind = {"timestamp_type": "log_append_time" if is_stamped else "create_time"}
    messages = [
        {
            "offset": record.offset - (base if magic else 0),
            "message": {
                "magic": magic,
                "attributes": kind,
                **({"timestamp": batch.max_timestamp if is_stamped else record.timestamp} if magic else {}),
                "key": record.key,
                "value": record.value,
            },
        }
        for record in records
    ]
    largest = batch.max_timestamp if is_stamped else max(NO_TIMESTAMP, *(record.timestamp for record in records))
    return build(
        "legacy_message",
        {
            "offset": records[-1].offset,
            "message": {
                "magic": magic,
                "attributes": {"compression": CODEC_NAMES[batch.compression], **kind},
                **({"timestamp": largest} if magic else {}),
                "key": None,
                "message_set": {"messages": messages},
            },
        },
    )


__all__ = [
    "CleanedTransactions",
    "Filtered",
    "LastRecord",
    "Mapped",
    "Retention",
    "empty_batch",
    "filtered",
    "map_keys",
    "rebuilt_batch",
    "rebuilt_wrapper",
]

"""Compaction of batches: which records and batches stay, and their bytes (Kafka's Cleaner, MemoryRecords.filterTo,
CleanedTransactionMetadata). Pure: bytes in, bytes out; files and logs are handled by other modules, and the bytes of
changed batches made by `kformat_engine.rebuilding`.

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

Kernels read the records, search the map and rebuild batches once that pays (`COMPACTION_KERNELS`). What stays does not
depend on it, nor on when that is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.errors import InvalidError, MissingDependencyError
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.batch.writing import Columns
from kformat.kafka.columns import record_kernels
from kformat.kafka.columns.batch_builder import build_batches
from kformat.kafka.columns.chunks import RECORD_COLUMNS, Chunk, Packed, Scattered, Wanted, read_chunks, records_of
from kformat.kafka.index.offset_map import ENTRY_BYTES, OffsetMap, hashes_at, map_kernels
from kformat.kafka.log.fetched import Slice, wrong_checksum
from kformat.kafka.producers.producer_state import AbortedTransaction, Markers
from kformat.kernels.readiness import Job, Readiness
from kformat.storage.byte_source import ByteSource
from kformat_engine import rebuilding
from kformat_engine.rebuilding import NO_TIMESTAMP, empty_batch, rebuilt_batch, rebuilt_batches, rebuilt_wrapper

Array = npt.NDArray[Any]

_KEY_COLUMNS: Final = ("offset", "key")
_HELD_BYTES: Final = 16 << 20
COMPACTION_KERNELS: Final = Readiness(
    lambda: Job(__name__, "compile_kernels"),
    lambda: "".join(Path(str(made.__file__)).read_text(encoding="utf-8") for made in (rebuilding, record_kernels)),
    load_bytes=4 << 20,
    compile_bytes=64 << 20,
)
"""Of all kernels that compaction uses, also of those that read records. Without them a pass takes a second for 10 MB;
compiling takes 18 seconds, and loading six tenths (2 cores, 2026-12-01)."""


def _use_kernels(more_bytes: int) -> bool:
    """Whether kernels compact so many more bytes."""
    if not COMPACTION_KERNELS.are_ready(more_bytes):
        return False
    try:
        map_kernels()
    except MissingDependencyError:
        return False
    return True


def compile_kernels() -> None:
    """Compile the kernels, by using each of them once."""
    COMPACTION_KERNELS.is_there = True
    rows = Columns([0, 0], [b"a", b"b"], [b"", b""])
    for codec in ("none", "gzip"):
        data, offsets = bytes(next(build_batches(rows, compression=codec)).raw), OffsetMap(4 * ENTRY_BYTES)
        source = Slice("", 0, data)
        headers = read_batch_headers(source)
        map_keys(source, headers, data, offsets, CleanedTransactions(), start_offset=1, most_keys=2)
        offsets.put(b"a", 1)  # so that one record goes, and the batch is rebuilt
        filtered(source, headers, data, Retention(offsets, 0, 0, -1))


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
    use_kernels = offsets.use_kernels = _use_kernels(len(data))
    is_left_out = transactions.discardable(headers, data) | (headers.is_control != 0)
    left_out_counts = np.where(is_left_out, headers.records_count.clip(0), 0).astype(np.int64)
    read_count, lasts = 0, headers.last_offset
    for rows, chunk in _chunks(source, headers, ~is_left_out, _KEY_COLUMNS, use_kernels):
        assert chunk.key is not None
        numbers = chunk.numbers["offset"]
        wanted = np.flatnonzero((chunk.key.lengths >= 0) & (numbers >= start_offset))
        put = offsets.put_until(_hashes(chunk.key, wanted, use_kernels), numbers[wanted], most_keys)
        if put < len(wanted):
            batch = int(rows[wanted[put]])
            passed = lasts[:batch][lasts[:batch] >= start_offset]
            is_first = not put or rows[wanted[put - 1]] != batch
            if is_first and len(passed):
                offsets.update_latest_offset(int(passed[-1]))
            return Mapped(True, read_count + int(wanted[put]) + int(left_out_counts[:batch].sum()))
        read_count += len(chunk)
    passed = lasts[lasts >= start_offset]
    if len(passed):
        offsets.update_latest_offset(int(passed[-1]))
    return Mapped(False, read_count + int(left_out_counts.sum()))


def _hashes(keys: Scattered | Packed, rows: Array, use_kernels: bool) -> Array:
    """The hashes of the keys of some rows, none of which is null."""
    return hashes_at(keys.data, keys.positions[rows], keys.lengths[rows], use_kernels=use_kernels)


def _chunks(
    source: ByteSource,
    headers: BatchHeaders,
    wanted: npt.NDArray[np.bool_],
    columns: tuple[str, ...],
    use_kernels: bool,
) -> Iterator[tuple[Array, Chunk]]:
    """Yield the records of the batches that a mask selects, with the number of each record's batch."""
    batches = np.flatnonzero(wanted & (headers.records_count != 0))
    for run in np.split(batches, np.flatnonzero(np.diff(batches) > 1) + 1) if len(batches) else ():
        start, end = int(headers.position[run[0]]), int(headers.position[run[-1]] + headers.size[run[-1]])
        counts = headers.records_count[run]
        has_counts = bool((counts >= 0).all())  # a wrapper of magic 0 or 1 has none
        ends, done = np.cumsum(counts, dtype=np.int64), 0
        how = Wanted(columns=columns if has_counts else (*columns, "batch_position"), include_control=True)
        for chunk in read_chunks(source, how, start, end, chunk_bytes=end - start, use_kernels=use_kernels):
            if not has_counts:
                yield np.searchsorted(headers.position, chunk.numbers["batch_position"]), chunk
                continue
            until = done + len(chunk)
            first, last = np.searchsorted(ends, (done, until - 1), side="right").tolist()
            of_chunk = np.diff(ends[first : last + 1].clip(max=until), prepend=done)
            yield np.repeat(run[first : last + 1], of_chunk), chunk
            done = until


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

    @property
    def horizon_ms(self) -> int:
        """The delete horizon of a batch that needs one."""
        return self.now_ms + self.delete_retention_ms


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


_GONE, _COPIED, _REBUILT, _EMPTY = range(4)
"""What happens to a batch. This is no enumeration: asking one for a member takes longer than the rest of a step."""


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
        self.use_kernels = retention.offsets.use_kernels = _use_kernels(len(data))
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
        for rows, chunk in _chunks(
            self.source, self.headers, self.is_current & ~self.loses_all, RECORD_COLUMNS, self.use_kernels
        ):
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
        is_rebuilt[span] = fates == _REBUILT
        rebuilt = self._rebuilt(decoded, is_rebuilt)
        starts = np.flatnonzero(np.diff(fates, prepend=-1))
        runs = pairwise([*(first_row + starts).tolist(), end_row])
        for (first, end), fate in zip(runs, fates[starts].tolist(), strict=True):
            if fate == _COPIED:
                yield self._bytes(first, end)
            elif fate == _EMPTY:
                yield from (empty_batch(self._sound(row)) for row in range(first, end))
            elif fate == _REBUILT:
                for row in range(first, end):
                    if self.is_current[row]:
                        yield from next(rebuilt)
                    else:
                        yield rebuilt_wrapper(self._legacy(row), self._staying_legacy(row))
        is_as_it_was = (fates == _COPIED) | (fates == _EMPTY)
        self.max_offsets[span][is_as_it_was] = headers.last_offset[span][is_as_it_was]

    def _rebuilt(self, decoded: list[_Judged], is_rebuilt: npt.NDArray[np.bool_]) -> Iterator[Iterable[Any]]:
        """Yield the bytes of each batch of magic 2 that is rebuilt, in parts: those of all their records."""
        staying = [
            (rows[mask], chunk.take(mask)) for rows, chunk, kept in decoded if (mask := kept & is_rebuilt[rows]).any()
        ]
        if self.use_kernels and all(before[0][-1] < after[0][0] for before, after in pairwise(staying)):
            for rows, chunk in staying:
                yield from self._rebuilt_at_once(rows, chunk)
            return
        yield from self._rebuilt_singly(staying)

    def _rebuilt_singly(self, staying: list[tuple[Array, Chunk]]) -> Iterator[Iterable[Any]]:
        """`_rebuilt`, one batch after the other, whose records may be in several chunks."""
        records = chain.from_iterable(chain.from_iterable(records_of(chunk)) for _, chunk in staying)
        for row in dict.fromkeys(chain.from_iterable(rows.tolist() for rows, _ in staying)):
            its = islice(records, int(self.kept_counts[row]))
            yield (rebuilt_batch(self._batch(row), its, self._horizon(row)),)

    def _rebuilt_at_once(self, rows: Array, chunk: Chunk) -> Iterator[Iterable[Any]]:
        """`_rebuilt` of batches whose records are in one chunk."""
        batches = rows[np.flatnonzero(np.diff(rows, prepend=-1))]
        parts = rebuilt_batches(
            *(self.headers.columns[batches], chunk, self.kept_counts[batches]),
            self.needs_horizon[batches] | self.has_horizon[batches],
            np.where(self.needs_horizon, self.retention.horizon_ms, self.headers.base_timestamp)[batches],
        )
        yield from self._rebuilt_singly([(rows, chunk)]) if parts is None else parts

    def _fates(self, span: slice) -> npt.NDArray[np.int8]:
        """What happens to each batch of a range of rows. InvalidError, see `filtered`."""
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
        fates = np.full(len(has_any), _GONE, np.int8)
        fates[has_any] = _REBUILT
        fates[has_any & is_whole & ~needs_horizon] = _COPIED
        fates[is_empty] = _EMPTY
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
            return self.retention.horizon_ms
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
            later = known.get_hashes(_hashes(key, judged, self.use_kernels)) if known.size else np.full(len(judged), -1)
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


__all__ = [
    "CleanedTransactions",
    "Filtered",
    "LastRecord",
    "Mapped",
    "Retention",
    "filtered",
    "map_keys",
]

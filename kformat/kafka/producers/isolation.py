"""Filter out what read_committed consumers do not see: aborted transactions, and everything from the first open one on.

This is what a broker and a consumer do with ``isolation.level=read_committed`` (UnifiedLog.read and
collectAbortedTransactions, CompletedFetch.nextFetchedRecord):

* The `.txnindex` files next to the segments list the aborted transactions; a segment without the file has none.
  `kformat check` verifies these files.
* A transaction is open if it begins in the newest producer snapshot, or in the log after it, and its marker is missing.
  Nothing is read from the offset of the first open one on, the last stable offset.
* A reader of a growing log (`kformat.kafka.log.log_reader`) uses no `.txnindex`: `Stability` reads ahead, from the
  newest snapshot before the reader on, and finds the markers that the reader needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import parse
from kformat.errors import DataError, InvalidError, TruncatedError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders, is_room, read_batch_headers
from kformat.kafka.batch.records import Batch
from kformat.kafka.producers.producer_state import (
    AbortedTransaction,
    ProducerEntry,
    ProducerState,
    batches_of,
    parse_snapshot,
)
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

Int64Array = npt.NDArray[np.int64]

READ_UNCOMMITTED: Final = "read_uncommitted"
READ_COMMITTED: Final = "read_committed"
ISOLATION_LEVELS: Final = (READ_UNCOMMITTED, READ_COMMITTED)


def is_committed_only(isolation_level: str) -> bool:
    """Whether an isolation level is ``read_committed``; UsageError for an unknown one."""
    if isolation_level not in ISOLATION_LEVELS:
        raise UsageError(f"no isolation level {isolation_level!r}; there are {' and '.join(ISOLATION_LEVELS)}")
    return isolation_level == READ_COMMITTED


class Aborted(NamedTuple):
    """Aborted transactions, sorted by producer and then by offset: int64 arrays of one length.

    ``last_offset`` is the marker's offset.
    """

    producer_id: Int64Array
    first_offset: Int64Array
    last_offset: Int64Array

    @classmethod
    def of(cls, transactions: Iterable[Any]) -> Aborted:
        """Build from transactions, each once: those of `kformat.kafka.producers.producer_state`, or entries of a
        `.txnindex`.
        """
        rows = {
            (transaction.producer_id, transaction.last_offset, transaction.first_offset) for transaction in transactions
        }
        if not rows:
            return NONE_ABORTED
        columns = np.array(sorted(rows), np.int64).reshape(-1, 3)
        return cls(columns[:, 0].copy(), columns[:, 2].copy(), columns[:, 1].copy())

    def has(self, batch: Any) -> bool:
        """Whether a `Batch` belongs to one of them."""
        if not len(self.producer_id) or not getattr(batch, "is_transactional", False) or batch.is_control:
            return False
        producer, first, last = (
            np.array([number], np.int64) for number in (batch.producer_id, batch.base_offset, batch.last_offset)
        )
        return bool(self.holds(producer, first, last, np.ones(1, np.int8))[0])

    def holds(
        self, producer_id: Int64Array, base_offset: Int64Array, last_offset: Int64Array, is_transactional: Any
    ) -> npt.NDArray[np.bool_]:
        """A mask of the batches that belong to one of them; all arrays are of one length."""
        held = np.zeros(len(base_offset), np.bool_)
        for producer in sorted(set(producer_id[is_transactional != 0].tolist())):
            first, end = np.searchsorted(self.producer_id, [producer, producer + 1]).tolist()
            if first == end:
                continue
            rows = np.flatnonzero((producer_id == producer) & (is_transactional != 0))
            ending = first + np.searchsorted(self.last_offset[first:end], base_offset[rows], "right")
            is_after_all = ending == end  # after all of this producer's markers
            begins = self.first_offset[np.minimum(ending, end - 1)]
            held[rows] = ~is_after_all & (begins <= last_offset[rows])
        return held


NONE_ABORTED: Final = Aborted(*(np.empty(0, np.int64) for _ in range(3)))


def read_aborted(files: Iterable[Path]) -> Aborted:
    """The entries of some `.txnindex` files.

    Raises OSError, and DataError for a damaged file.
    """
    return Aborted.of(entry for file in files for entry in _parsed("transaction_index", file).entries)


class Stability:
    """Which part of a log is decided, as its batches are read one after the other.

    It begins with a producer snapshot; batches before that are not needed. Its memory is bounded by the open
    transactions, and by the aborted ones that a reader has not reached.

    Attributes:
        next_offset: the offset after the last batch.
        problem: damage that may hide the end of what is open, if there is some.
    """

    def __init__(self, next_offset: int, entries: Iterable[ProducerEntry] = ()) -> None:
        """Begin with the ``entries`` of a snapshot at ``next_offset``."""
        self.next_offset = next_offset
        self.problem: DataError | None = None
        self._state = ProducerState()
        self._state.load(entries, MIN_INT64)  # what has expired has no open transaction
        self._found: list[AbortedTransaction] = []
        self._aborted = NONE_ABORTED

    @property
    def first_open_offset(self) -> int | None:
        """The start of the oldest transaction that is open; None if there is none."""
        return self._state.first_unstable_offset

    @property
    def open_entries(self) -> list[ProducerEntry]:
        """The producers with an open transaction, by its first offset."""
        entries = [entry for entry in self._state.entries.values() if entry.current_txn_first_offset is not None]
        return sorted(entries, key=lambda entry: (entry.current_txn_first_offset, entry.producer_id))

    @property
    def stable_offset(self) -> int:
        """The offset up to which, exclusive, everything is decided."""
        first = self._state.first_unstable_offset
        return self.next_offset if first is None else first

    def take(self, headers: BatchHeaders, source: ByteSource, *, verify: bool = False) -> None:
        """Apply the batches that follow; ``source`` has their bytes. ``verify``: note damage of those that begin or end
        what is open, for which these are read.
        """
        transactional = headers.take(headers.is_transactional != 0)
        if len(transactional):

            def raw(row: int) -> bytes:
                return source.read_at(int(transactional.position[row]), int(transactional.size[row]))

            def verified(row: int) -> bytes:
                data = raw(row)
                self._verify(data, int(transactional.position[row]), source.name)
                return data

            aborted = self._state.append(batches_of(transactional, verified if verify else raw), "log")
            for row in self._opening(transactional) if verify else ():
                verified(row)
            if aborted:
                self._found += aborted
                self._aborted = Aborted.of(self._found)
            self._state.remove_expired(MAX_INT64)
        if len(headers):
            self.next_offset = int(headers.next_offset[-1])

    def _opening(self, headers: BatchHeaders) -> list[int]:
        """The rows of batches that begin what is open."""
        firsts = np.array([entry.current_txn_first_offset for entry in self.open_entries], np.int64)
        rows: list[int] = np.flatnonzero(np.isin(headers.base_offset, firsts) & (headers.is_control == 0)).tolist()
        return rows

    def _verify(self, raw: bytes, position: int, source: str) -> None:
        """Note the first batch, of those that begin or end a transaction, that is not as it was written."""
        if self.problem is None:
            try:
                batch = Batch(raw, position, source)
                if not batch.is_valid:
                    batch.parse()
            except DataError as error:
                error.partial = None
                self.problem = error

    def aborted_from(self, offset: int) -> Aborted:
        """The aborted transactions that end at an offset or later; those that end before it are forgotten."""
        if self._found and self._found[0].last_offset < offset:
            self._found = [transaction for transaction in self._found if transaction.last_offset >= offset]
            self._aborted = Aborted.of(self._found)
        return self._aborted

    def aborted_before(self, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that begin below an offset, without the forgotten ones."""
        return tuple(transaction for transaction in self._found if transaction.first_offset < end_offset)


def newest_snapshot(snapshots: Iterable[tuple[int, Path]], offset: int) -> tuple[int, list[ProducerEntry]] | None:
    """Offset and entries of the newest producer snapshot up to an offset that can be read."""
    for at, file in sorted(snapshots, reverse=True):
        if at <= offset:
            try:
                with ByteSource(file) as source:
                    if source.size <= DEFAULT_INFLATE_LIMIT:
                        return at, parse_snapshot(source.read_at(0, source.size), source.name)
            except (DataError, OSError):
                continue
    return None


def stability_of(
    logs: Iterable[tuple[int, Path]], snapshots: Iterable[tuple[int, Path]], until_ms: int | None = None
) -> Stability:
    """What is decided at the end of a log.

    Args:
        logs: base offset and `.log` of all segments, in order.
        snapshots: offset and `.snapshot` of the producer snapshots next to them. The newest readable one that is not
            after the log's end saves reading the headers of all batches before it.
        until_ms: as of this time: batches with later records are left out, and snapshots after the first of these.

    Raises OSError. Reading a segment stops at damage (`Stability.problem`).
    """
    segments = list(logs)
    last = _headers(segments[-1][1]) if segments else None
    known = newest_snapshot(snapshots, _end_offset(segments, last, until_ms))
    start, entries = known or (MIN_INT64, [])
    stability = Stability(start if known else segments[0][0] if segments else 0, entries)
    gap: tuple[int, str] | None = None
    following: int | None = None
    for number, (base_offset, file) in enumerate(segments):
        is_last = number == len(segments) - 1
        if is_last or segments[number + 1][0] > start:
            headers = last if is_last and last is not None else _headers(file)
            with ByteSource(file) as source:
                if stability.problem is None:
                    stability.problem = _problem(headers, source, is_last)
                gap = _last_gap(headers, following, source.name) or gap
                if len(headers):
                    following = int(headers.next_offset[-1])
                headers = _until(headers, until_ms)
                stability.take(headers.take(headers.base_offset >= start), source, verify=True)
            if until_ms is None:
                stability.next_offset = max(stability.next_offset, base_offset)
    first = stability.first_open_offset
    if gap is not None and first is not None and gap[0] >= first and stability.problem is None:
        # The cleaner and retention never pass the last stable offset.
        message = f"offsets before {gap[0]} are missing after a transaction that begins at {first}"
        stability.problem = InvalidError(message, source=gap[1], path="record_batch.base_offset")
    return stability


def _last_gap(headers: BatchHeaders, following: int | None, source: str) -> tuple[int, str] | None:
    """The offset after the last gap in a segment, ``following`` the offset expected at its start; and its file."""
    if not len(headers):
        return None
    gaps = np.flatnonzero(headers.base_offset[1:] > headers.next_offset[:-1])
    if len(gaps):
        return int(headers.base_offset[gaps[-1] + 1]), source
    first = int(headers.base_offset[0])
    return (first, source) if following is not None and first > following else None


def _end_offset(segments: list[tuple[int, Path]], last: BatchHeaders | None, until_ms: int | None) -> int:
    """Where a log ends, of whose last segment the headers are given; or, as of a time, where its first batch with later
    records begins. -1 without segments.
    """
    if last is None:
        return -1
    for _, file in segments if until_ms is not None else ():
        headers = _headers(file)
        late = np.flatnonzero(headers.max_timestamp > until_ms)
        if len(late):
            return int(headers.base_offset[late[0]])
    return int(last.next_offset[-1]) if len(last) else segments[-1][0]


def _problem(headers: BatchHeaders, source: ByteSource, is_last: bool) -> DataError | None:
    """Why batches may follow those that were read; None if none can: a broker cuts them off, or has not written them
    yet.
    """
    problem = headers.problem
    if problem is None or (is_last and (isinstance(problem, TruncatedError) or is_room(source, headers.valid_bytes))):
        return None
    return problem


def _until(headers: BatchHeaders, until_ms: int | None) -> BatchHeaders:
    return headers if until_ms is None else headers.take(headers.max_timestamp <= until_ms)


def _headers(file: Path) -> BatchHeaders:
    return read_batch_headers(file)


def _parsed(format: str, file: Path) -> Any:
    with ByteSource(file) as source:
        return parse(format, source.read_at(0, source.size), source=source.name)


__all__ = ["ISOLATION_LEVELS", "READ_COMMITTED", "READ_UNCOMMITTED", "Aborted", "is_committed_only"]

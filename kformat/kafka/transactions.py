"""Filter out what read_committed consumers do not see: aborted transactions, and everything from the first open one on.

This is what a broker and a consumer do with ``isolation.level=read_committed`` (UnifiedLog.read and
collectAbortedTransactions, CompletedFetch.nextFetchedRecord):

* The `.txnindex` files next to the segments list the aborted transactions; a segment without the file has none.
  `kformat check` verifies these files.
* A transaction is open if it begins in the newest producer snapshot, or in the log after it, and its marker is missing.
  Nothing is read from the offset of the first open one on, the last stable offset.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import parse
from kformat.errors import DataError
from kformat.integers import MIN_INT64
from kformat.kafka.batches import BatchHeaders, read_batch_headers
from kformat.kafka.producer_state import ProducerState, batches_of, parse_snapshot
from kformat.storage.byte_source import ByteSource

Int64Array = npt.NDArray[np.int64]


class Aborted(NamedTuple):
    """Aborted transactions, sorted by producer and then by offset: int64 arrays of one length.

    ``last_offset`` is the marker's offset.
    """

    producer_id: Int64Array
    first_offset: Int64Array
    last_offset: Int64Array

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
            behind = ending == end  # after all of this producer's markers
            begins = self.first_offset[np.minimum(ending, end - 1)]
            held[rows] = ~behind & (begins <= last_offset[rows])
        return held


def read_aborted(files: Iterable[Path]) -> Aborted:
    """The entries of some `.txnindex` files.

    Raises OSError, and DataError for a damaged file.
    """
    found: list[tuple[int, int, int]] = []
    for file in files:
        for entry in _parsed("transaction_index", file).entries:
            found.append((entry.producer_id, entry.last_offset, entry.first_offset))
    columns = np.array(sorted(set(found)), np.int64).reshape(-1, 3)
    return Aborted(columns[:, 0].copy(), columns[:, 2].copy(), columns[:, 1].copy())


def last_stable_offset(logs: Iterable[tuple[int, Path]], snapshots: Iterable[tuple[int, Path]]) -> int | None:
    """The start of the first transaction that is open at the end of a log; None if there is none.

    Args:
        logs: base offset and `.log` of all segments, in order.
        snapshots: offset and `.snapshot` of the producer snapshots next to them. The newest readable one that is not
            after the log's end saves reading the headers of all batches before it.

    Raises OSError. Reading stops at damage.
    """
    segments = list(logs)
    if not segments:
        return None
    last = _headers(segments[-1][1])
    end = int(last.next_offset[-1]) if len(last) else segments[-1][0]
    start, state = -1, ProducerState()
    for offset, file in sorted(snapshots, reverse=True):
        if offset > end:
            continue
        try:
            with ByteSource(file) as source:
                entries = parse_snapshot(source.read_at(0, source.size), source.name)
        except DataError:
            continue
        start = offset
        state.load(entries, MIN_INT64)  # what has expired has no open transaction
        break
    for number, (_, file) in enumerate(segments):
        is_last = number == len(segments) - 1
        if is_last or segments[number + 1][0] > start:
            _follow(state, last if is_last else _headers(file), file, start)
    return state.first_unstable_offset


def _headers(file: Path) -> BatchHeaders:
    return read_batch_headers(file)


def _follow(state: ProducerState, headers: BatchHeaders, file: Path, start: int) -> None:
    """Open and close transactions, by the batches from an offset on."""
    some = headers.take((headers.is_transactional != 0) & (headers.base_offset >= start))
    if len(some):
        with ByteSource(file) as source:
            read = source.read_at
            state.append(batches_of(some, lambda row: read(int(some.position[row]), int(some.size[row]))), "log")


def _parsed(format: str, file: Path) -> Any:
    with ByteSource(file) as source:
        return parse(format, source.read_at(0, source.size), source=source.name)

"""A fast path: find, by columns, whole blocks of batches whose records break no rule.

The rules themselves are in `records`: they judge batch by batch and report what is wrong. This module checks the same
conditions on columns made by kernels, and returns only a mask of the batches without findings. All other batches, also
doubtful ones, are judged by the rules.

Rules:

* A batch passes only if every condition of `records.record_findings` holds for it.
* Transaction markers look alike: one that passed the rules once need not be judged again.
* Without columns, as `kformat.kafka.findings.record_columns` says, no batch passes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.check.records import record_findings
from kformat.codec.reader import BYTES_PER_ELEMENT
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.findings.entries import BoolArray, Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.record_columns import FIELDS, RecordColumns

_MOST_MARKERS: Final = 4096
_MARKER_BYTES: Final = 256
_SAFE: Final = 2**62
"""Two numbers between the negative of this and this can be added in 64 bits."""

_CREATE_TIME: Final = int(TimestampType["create_time"])

Array = npt.NDArray[Any]


class SoundRecords:
    """Finds the batches of blocks whose records break no rule."""

    def __init__(self) -> None:
        self.records = RecordColumns()
        self._markers: set[tuple[bool, bytes]] = set()

    def rows(self, block: BatchBlock) -> BoolArray:
        """Per batch of a block of magic 2, whether its records pass, given that its checksum is right."""
        headers = block.headers
        sound = np.zeros(len(headers), np.bool_)
        rows = np.flatnonzero(block.is_sound & (headers.records_count > 0))
        if not self.records.is_ready(len(block.data)):
            return sound
        # Batches that the rules ignore, or judge by size alone.
        sound |= (headers.records_count < 0) | ((headers.records_count == 0) & (headers.size == HEADER_BYTES))
        for judged, counts, columns in self.records.columns(block, rows, FIELDS):
            sound[judged] = _holds(block, judged, counts, columns)
        for row in np.flatnonzero(sound & (headers.is_control == 1) & (headers.records_count > 0)).tolist():
            sound[row] = self._is_known_marker(block, row)
        return sound

    def _is_known_marker(self, block: BatchBlock, row: int) -> bool:
        """Whether a batch of control records, which is otherwise right, breaks no rule."""
        headers = block.headers
        if headers.records_count[row] != 1 or headers.compression[row] or headers.size[row] > _MARKER_BYTES:
            return False
        batch = block.batch(row, "")
        key = batch.is_transactional, batch.raw[HEADER_BYTES:]
        if key not in self._markers:
            if next(record_findings(batch, ""), None) is not None:
                return False
            if len(self._markers) >= _MOST_MARKERS:
                self._markers.clear()
            self._markers.add(key)
        return True


def _holds(block: BatchBlock, rows: Int64Array, counts: Int64Array, columns: dict[str, Array]) -> BoolArray:
    """Per batch, whether its records keep the rules; ``columns`` have the records of all batches, in order."""
    headers = block.headers
    ends = np.cumsum(counts)
    firsts = ends - counts
    delta = columns["offset_delta"]
    # If they rise, the first and the last decide whether all of them are in the batch's range.
    holds = (delta[firsts] >= 0) & (delta[ends - 1] <= headers.last_offset_delta[rows])
    falls = delta[1:] <= delta[:-1]
    falls[ends[:-1] - 1] = False  # from one batch to the next they may
    wrong = columns["attributes"] != 0
    wrong[1:] |= falls
    if wrong.any():
        holds &= ~np.logical_or.reduceat(wrong, firsts)
    largest = np.maximum.reduceat(columns["timestamp_delta"], firsts)
    base = headers.base_timestamp[rows]
    fits = (largest > -_SAFE) & (largest < _SAFE) & (base > -_SAFE) & (base < _SAFE)
    is_largest = np.maximum(base + largest, -1) == headers.max_timestamp[rows]
    holds &= (headers.timestamp_type[rows] != _CREATE_TIME) | (fits & is_largest)
    # The codec limits the number of elements in decompressed bytes.
    few = np.maximum.reduceat(columns["headers_count"], firsts) <= block.limit // BYTES_PER_ELEMENT
    return holds & (few | (headers.compression[rows] == 0))

"""A fast path: find, by columns, whole blocks of batches whose records break no rule.

The rules themselves are in `records`: they judge batch by batch and report what is wrong. This module checks the same
conditions on columns made by kernels, and returns only a mask of the batches without findings. All other batches, also
doubtful ones, are judged by the rules.

Rules:

* A batch passes only if every condition of `records.record_findings` holds for it; a kernel accepts exactly what the
  codec accepts.
* Transaction markers look alike: one that passed the rules once need not be judged again.
* Memory is bounded by a group of batches: about `_GROUP_BYTES` plus their columns, or one batch.
* numba is loaded when it pays, which `RECORD_KERNELS` says. Without numba no batch passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.check.entries import BoolArray, Int64Array
from kformat.check.log_blocks import BatchBlock
from kformat.check.records import record_findings
from kformat.codec.reader import BYTES_PER_ELEMENT
from kformat.errors import CompressionError, LimitError, MissingDependencyError
from kformat.kafka.batch.compression import decompress
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import TimestampType
from kformat.kernels import Kernel, kernel

_GROUP_BYTES: Final = 1 << 20
_GROUP_BATCHES: Final = 512
_MOST_RECORDS: Final = 1 << 20
"""A batch with more records than this is left to the rules, which read them one by one: its columns would be large."""

_MOST_MARKERS: Final = 4096
_MARKER_BYTES: Final = 256
_SAFE: Final = 2**62
"""Two numbers between this and its negative can be added in 64 bits."""

_CREATE_TIME: Final = int(TimestampType["create_time"])
_FIELDS: Final = ("attributes", "timestamp_delta", "offset_delta", "headers_count")

Array = npt.NDArray[Any]


class SoundRecords:
    """Says of blocks which of their batches have records that the rules would find nothing wrong with."""

    def __init__(self) -> None:
        self._kernel: Kernel | None = None
        self._is_missing = False
        self._markers: set[tuple[bool, bytes]] = set()

    def rows(self, block: BatchBlock) -> BoolArray:
        """Per batch of a block of magic 2, whether its records pass, given that its checksum is right."""
        headers = block.headers
        sound = np.zeros(len(headers), np.bool_)
        rows = np.flatnonzero(block.is_sound & (headers.records_count > 0))
        if not self.is_ready(len(block.data)):
            return sound
        # What the rules do not look at, or have no more to say of than its size.
        sound |= (headers.records_count < 0) | ((headers.records_count == 0) & (headers.size == HEADER_BYTES))
        for judged, counts, columns in self.columns(block, rows, _FIELDS):
            sound[judged] = _holds(block, judged, counts, columns)
        for row in np.flatnonzero(sound & (headers.is_control == 1) & (headers.records_count > 0)).tolist():
            sound[row] = self._is_known_marker(block, row)
        return sound

    def is_ready(self, more_bytes: int) -> bool:
        """Whether there is a kernel by now: it is loaded when enough bytes have come by."""
        if self._kernel is None and not self._is_missing and RECORD_KERNELS.are_ready(more_bytes):
            loaded = kernel("record_batch::record")
            try:
                loaded.decode(b"", fields=_FIELDS)
                self._kernel = loaded
            except MissingDependencyError:
                self._is_missing = True
        return self._kernel is not None

    def columns(
        self, block: BatchBlock, rows: Int64Array, fields: tuple[str, ...]
    ) -> Iterator[tuple[Int64Array, Int64Array, dict[str, Array]]]:
        """Columns of the records of some batches, which have any: some of the rows, how many records each of these has,
        and the fields of all of them, one batch's after the other's. Batches that the codec would refuse are left out.
        """
        assert self._kernel is not None
        for data, group, windows in _groups(block, rows[block.headers.records_count[rows] <= _MOST_RECORDS]):
            while len(group):
                decoded = self._kernel.decode(data, windows, fields=fields)
                whole = len(group) if decoded.problem is None else decoded.problem.unit
                if whole:
                    counts = windows[:whole, 2]
                    yield group[:whole], counts, {name: decoded[name][: int(counts.sum())] for name in fields}
                group, windows = group[whole + 1 :], windows[whole + 1 :]

    def _is_known_marker(self, block: BatchBlock, row: int) -> bool:
        """Whether the rules find nothing wrong with a batch of control records, all else about it being right."""
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
    """Per batch, whether the columns of its records, one batch's after the other's, keep the rules."""
    headers = block.headers
    ends = np.cumsum(counts)
    firsts = ends - counts
    delta = columns["offset_delta"]
    # Where they rise, the first and the last of them say whether all of them are in the batch's range.
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
    # The codec has a limit on elements of what was inflated.
    few = np.maximum.reduceat(columns["headers_count"], firsts) <= block.limit // BYTES_PER_ELEMENT
    return holds & (few | (headers.compression[rows] == 0))


def _groups(block: BatchBlock, rows: Int64Array) -> Iterator[tuple[Any, Int64Array, Int64Array]]:
    """Bytes, some of the rows, and where in the bytes the records of each lie; of all rows that inflate."""
    codecs = block.headers.compression
    counts = block.headers.records_count.astype(np.int64)
    ends = block.headers.position - block.start + block.headers.size
    starts = block.headers.position - block.start + HEADER_BYTES
    plain = rows[codecs[rows] == 0]
    windows = np.column_stack((starts[plain], ends[plain], counts[plain]))
    for number in range(0, len(plain), _GROUP_BATCHES):
        few = slice(number, number + _GROUP_BATCHES)
        yield block.data, plain[few], windows[few]
    view = memoryview(block.data)
    payloads: list[bytes] = []
    group: list[int] = []
    size = 0
    for row in rows[codecs[rows] > 0].tolist():
        try:
            payload = decompress(int(codecs[row]), view[int(starts[row]) : int(ends[row])], limit=block.limit)
        except (CompressionError, LimitError):
            continue
        if group and (size + len(payload) > _GROUP_BYTES or len(group) == _GROUP_BATCHES):
            yield _joined(payloads, group, counts)
            payloads, group, size = [], [], 0
        payloads.append(payload)
        group.append(row)
        size += len(payload)
    if group:
        yield _joined(payloads, group, counts)


def _joined(payloads: list[bytes], group: list[int], counts: Int64Array) -> tuple[Any, Int64Array, Int64Array]:
    rows = np.array(group, np.int64)
    ends = np.cumsum([len(payload) for payload in payloads])
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    data = payloads[0] if len(payloads) == 1 else b"".join(payloads)
    return data, rows, np.column_stack((starts, ends, counts[rows]))

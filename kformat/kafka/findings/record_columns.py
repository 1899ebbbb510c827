"""Columns of the records of some batches in a block, made by kernels.

Rules:

* A kernel accepts exactly what the codec accepts.
* Memory is bounded by a group of batches: about `_GROUP_BYTES` plus their columns, or one batch.
* numba is loaded when it pays, which `RECORD_KERNELS` says. Without numba there are no columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import CompressionError, LimitError, MissingDependencyError
from kformat.kafka.batch.compression import decompress
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.findings.entries import Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kernels import Kernel, kernel

_GROUP_BYTES: Final = 1 << 20
_GROUP_BATCHES: Final = 512
_MOST_RECORDS: Final = 1 << 20
"""A batch with more records than this is left to the rules, which read them one by one: its columns would be large."""

FIELDS: Final = ("attributes", "timestamp_delta", "offset_delta", "headers_count")
"""The fields that the rules about records need."""

Array = npt.NDArray[Any]


class RecordColumns:
    """Reads records of blocks as columns, once enough bytes have come by."""

    def __init__(self) -> None:
        self._kernel: Kernel | None = None
        self._is_missing = False

    def is_ready(self, more_bytes: int) -> bool:
        """Whether there is a kernel by now: it is loaded when enough bytes have come by."""
        if self._kernel is None and not self._is_missing and RECORD_KERNELS.are_ready(more_bytes):
            loaded = kernel("record_batch::record")
            try:
                loaded.decode(b"", fields=FIELDS)
                self._kernel = loaded
            except MissingDependencyError:
                self._is_missing = True
        return self._kernel is not None

    def columns(
        self, block: BatchBlock, rows: Int64Array, fields: tuple[str, ...]
    ) -> Iterator[tuple[Int64Array, Int64Array, dict[str, Array]]]:
        """Yield columns of the records of batches that have any: some of the rows, the records count of each of these,
        and the fields of all records, batch after batch. Batches that the codec would refuse are left out.
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


def _groups(block: BatchBlock, rows: Int64Array) -> Iterator[tuple[Any, Int64Array, Int64Array]]:
    """Yield groups of the rows that can be decompressed: bytes, the rows, and where in the bytes the records of each
    lie."""
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

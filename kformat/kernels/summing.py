"""CRC-32C of many parts at once, by the C function of google-crc32c. Handwritten, to call it without an interpreter:
for short batches a Python call takes as long as the checksum itself, and holds the GIL.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from typing import Any

import numpy as np

from kformat.kernels.runtime import U, copy, kernel, store_4, sum_at

SUM = "crc32c_value"
"""``uint32_t crc32c_value(const uint8_t *data, size_t count)``"""


@functools.cache
def address_of_sum() -> int | None:
    """The address of the function; None if the library does not export it."""
    try:
        library = ctypes.CDLL(importlib.import_module("google_crc32c._crc32c").__file__)
        return ctypes.cast(getattr(library, SUM), ctypes.c_void_p).value
    except (ImportError, OSError, AttributeError):
        return None


@kernel
def sums(address: Any, data: Any, starts: Any, ends: Any, target: Any) -> None:
    """The checksum of each ``data[start:end]``, all of which must be inside the data."""
    for row in range(len(starts)):
        start = starts[U(row)]
        target[U(row)] = sum_at(address, data, start, ends[U(row)] - start)  # type: ignore[call-arg]


@kernel
def seal(address: Any, data: Any, edges: Any, headers: Any, covered_from: Any, sum_position: Any) -> None:
    """Write each header at the beginning of its ``data[edges[i]:edges[i + 1]]``, and into it, big-endian, the checksum
    of the bytes from another position on. Headers are of one size, contiguous; everything must be inside the data.
    """
    count = len(edges) - 1
    size = len(headers) // count
    for row in range(count):
        start, end = edges[U(row)], edges[U(row + 1)]
        copy(data, start, headers, row * size, size)
        covered = start + covered_from
        store_4(data, start + sum_position, np.int64(sum_at(address, data, covered, end - covered)))  # type: ignore[call-arg]

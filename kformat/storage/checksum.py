"""CRC-32C and CRC-32 of any contiguous buffer, without copying it.

CRC-32C is Castagnoli's (RFC 3720), CRC-32 is zlib's. ``bytes``, ``bytearray``, ``memoryview`` (also read-only, and
slices of a memory map) and numpy arrays are accepted; a checksum is an int in 0 .. 2**32 - 1. A buffer that is not
contiguous is a UsageError.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

with warnings.catch_warnings():
    # Without its C extension google-crc32c computes in Python: slow but right. Do not warn every user of this package.
    warnings.simplefilter("ignore", RuntimeWarning)
    import google_crc32c

# The C extension takes bytes and numpy arrays but neither bytearray nor memoryview; the Python one needs items that
# are Python ints, which a memoryview gives and a numpy array does not.
_HAS_C_EXTENSION = google_crc32c.implementation == "c"


def byte_view(buffer: ReadableBuffer) -> memoryview:
    """``buffer`` as a one-dimensional memoryview of unsigned bytes, not copied.

    Raises UsageError when it is no buffer or not contiguous.
    """
    try:
        view = memoryview(buffer)
    except (TypeError, ValueError, BufferError):
        hint = "; of a file, give the bytes that it holds" if isinstance(buffer, str) or hasattr(buffer, "read") else ""
        raise UsageError(f"bytes in a contiguous buffer are needed, found {type(buffer).__name__}{hint}") from None
    try:
        return view.cast("B")
    except (TypeError, ValueError) as error:
        raise UsageError(f"bytes in a contiguous buffer are needed: {error}") from None


def crc32c(buffer: ReadableBuffer) -> int:
    """CRC-32C (Castagnoli) of the bytes in ``buffer``."""
    if not _HAS_C_EXTENSION:
        return int(google_crc32c.value(byte_view(buffer)))
    if isinstance(buffer, bytes):
        return int(google_crc32c.value(buffer))
    return int(google_crc32c.value(np.frombuffer(byte_view(buffer), np.uint8)))


def crc32c_of_parts(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint32]:
    """CRC-32C of each ``data[start:end]``, uint32: as `crc32c` on each, with less overhead per part."""
    value: Callable[[Any], int] = google_crc32c.value if _HAS_C_EXTENSION else crc32c
    parts = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.array([value(data[start:end]) for start, end in parts], np.uint32)


def crc32c_of_two(first: Any, second: Any) -> int:
    """CRC-32C of the concatenation of two buffers (bytes, or contiguous uint8)."""
    if not _HAS_C_EXTENSION:
        return int(google_crc32c.value(bytes(first) + bytes(second)))
    return int(google_crc32c.extend(google_crc32c.value(first), second))


def crc32c_of_pairs(heads: npt.NDArray[np.uint8], parts: Iterable[Any]) -> npt.NDArray[np.uint32]:
    """CRC-32C of each row of ``heads`` (contiguous) concatenated with its part (bytes or uint8)."""
    return np.array([crc32c_of_two(head, part) for head, part in zip(heads, parts, strict=True)], np.uint32)


def crc32(buffer: ReadableBuffer) -> int:
    """CRC-32 (IEEE, that of zlib and gzip) of the bytes in ``buffer``."""
    return zlib.crc32(byte_view(buffer))


__all__ = ["byte_view", "crc32c", "crc32c_of_pairs"]

"""Which bit is wrong, from the difference between a stored checksum and the one of the bytes.

The checksums of `kformat.storage.checksum` have 32 bits, take the lowest bit of a byte first, and are linear but for a
constant: the difference depends only on which bits differ. Each single bit of up to 2^31 - 1 has a difference of its
own; but of all differences that other damage leaves, one in 2^32 is that of a given bit. So in longer bytes a bit is
named by chance more often, and `MOST_BYTES` is where to stop.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.storage.checksum import ALGORITHMS

MOST_BYTES: Final = 1 << 16
"""The largest number of bytes in which a bit is looked for: by chance one is named in 1 of 8000 cases at most."""

_BITS: Final = 8 * MOST_BYTES
_WIDTH: Final = 32


@functools.cache
def table_of(algorithm: str) -> npt.NDArray[np.int64]:
    """int64: the 256 entries of the table with which a checksum is computed byte by byte."""
    sum_of = ALGORITHMS[algorithm]
    nothing = sum_of(bytes(1))
    return np.array([sum_of(bytes([byte])) ^ nothing for byte in range(256)], np.int64)


@functools.cache
def _differences(algorithm: str) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """The difference that each single bit makes, in ascending order; and which bit that is, counted from the last."""
    found = np.empty(_BITS, np.uint32)
    found[0] = table_of(algorithm)[128]
    generator, known = int(found[0]), 1
    while known < _BITS:  # a bit `known` places before another one: multiply by a power of x
        # The first difference is x^32; as everywhere here the highest bit is the coefficient of x^0.
        first = 1 << (_WIDTH - 1 - known) if known < _WIDTH else int(found[known - _WIDTH])
        power = [first]  # x^known, times each of x^0 ... x^31
        for _ in range(_WIDTH - 1):
            last = power[-1]
            power.append((last >> 1) ^ (generator if last & 1 else 0))
        part, product = found[:known], np.zeros(known, np.uint32)
        for bit, factor in enumerate(power):
            product ^= np.where((part >> np.uint32(_WIDTH - 1 - bit)) & 1, np.uint32(factor), np.uint32(0))
        found[known : 2 * known] = product
        known *= 2
    order = np.argsort(found)
    return found[order], order


def flipped_bit(algorithm: str, difference: int, size: int) -> int | None:
    """The bit, of ``size`` bytes, that alone makes this difference: 8 times the byte's number plus the bit's, the
    lowest being 0. None if no single bit does, or if the bytes are more than `MOST_BYTES`.
    """
    if not 0 < size <= MOST_BYTES:
        return None
    differences, bits = _differences(algorithm)
    row = int(np.searchsorted(differences, np.uint32(difference)))
    if row == len(differences) or int(differences[row]) != difference or int(bits[row]) >= 8 * size:
        return None
    return 8 * size - 1 - int(bits[row])


__all__ = ["MOST_BYTES", "flipped_bit", "table_of"]

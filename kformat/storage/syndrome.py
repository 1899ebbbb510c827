"""Find the flipped bit from the difference (XOR) between a stored checksum and the computed one.

The checksums of `kformat.storage.checksum` have 32 bits, take the lowest bit of a byte first, and are linear but for a
constant: the difference depends only on which bits differ. Among up to 2^31 - 1 bits, each single bit has a unique
difference; but of all differences that other damage leaves, one in 2^32 equals that of a given bit. So the longer the
data, the more often a bit is named by chance; `MOST_BYTES` is the limit.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.storage.algorithms import algorithm_of

MOST_BYTES: Final = 1 << 16
"""The largest number of bytes in which a bit is searched: at most 1 of 8000 cases names a bit by chance."""

_BITS: Final = 8 * MOST_BYTES
_WIDTH: Final = 32


@functools.cache
def table_of(algorithm: str) -> npt.NDArray[np.int64]:
    """int64: the 256 entries of the lookup table that computes a checksum byte by byte."""
    sum_of = algorithm_of(algorithm).compute
    nothing = sum_of(bytes(1))
    return np.array([sum_of(bytes([byte])) ^ nothing for byte in range(256)], np.int64)


@functools.cache
def _differences(algorithm: str) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """The differences that single bits make, in ascending order; and the bit of each, counted from the last."""
    differences = np.empty(_BITS, np.uint32)
    differences[0] = table_of(algorithm)[128]
    generator, known = int(differences[0]), 1
    while known < _BITS:  # a bit `known` places before another one: multiply by a power of x
        # The first difference is x^32; as everywhere here the highest bit is the coefficient of x^0.
        first = 1 << (_WIDTH - 1 - known) if known < _WIDTH else int(differences[known - _WIDTH])
        power = [first]  # x^known, times each of x^0 ... x^31
        for _ in range(_WIDTH - 1):
            last = power[-1]
            power.append((last >> 1) ^ (generator if last & 1 else 0))
        part, product = differences[:known], np.zeros(known, np.uint32)
        for bit, factor in enumerate(power):
            product ^= np.where((part >> np.uint32(_WIDTH - 1 - bit)) & 1, np.uint32(factor), np.uint32(0))
        differences[known : 2 * known] = product
        known *= 2
    order = np.argsort(differences)
    return differences[order], order


def flipped_bit(algorithm: str, difference: int, size: int) -> int | None:
    """The single bit of ``size`` bytes that makes this difference: 8 times the byte's number plus the bit's, the
    lowest being 0. None if no single bit does, or if ``size`` exceeds `MOST_BYTES`.
    """
    if not 0 < size <= MOST_BYTES:
        return None
    differences, bits = _differences(algorithm)
    row = int(np.searchsorted(differences, np.uint32(difference)))
    if row == len(differences) or int(differences[row]) != difference or int(bits[row]) >= 8 * size:
        return None
    return 8 * size - 1 - int(bits[row])


__all__ = ["MOST_BYTES", "flipped_bit", "table_of"]

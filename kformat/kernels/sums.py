"""Sums of many parts at once: those of `kformat.storage.sums`. Handwritten, one kernel for each kind."""

from __future__ import annotations

from typing import Any

from kformat.kernels.runtime import U, kernel


@kernel
def added(data: Any, starts: Any, ends: Any, size: Any, is_little: Any, target: Any) -> None:
    """The sum modulo 2**64 of the words of ``size`` bytes of each ``data[start:end]``, all inside the data.

    What a last word lacks is zeros. So each byte counts with the weight of its place in a word.
    """
    for row in range(len(starts)):
        start, total, eight = starts[U(row)], U(0), U(8)
        for at in range(start, ends[U(row)]):
            place = U(at - start) % U(size)
            total += U(data[U(at)]) << eight * (place if is_little else U(size - 1) - place)
        target[U(row)] = total


@kernel
def xored(data: Any, starts: Any, ends: Any, size: Any, is_little: Any, target: Any) -> None:
    """As `added`, by exclusive or."""
    for row in range(len(starts)):
        start, total, eight = starts[U(row)], U(0), U(8)
        for at in range(start, ends[U(row)]):
            place = U(at - start) % U(size)
            total ^= U(data[U(at)]) << eight * (place if is_little else U(size - 1) - place)
        target[U(row)] = total


@kernel
def fletcher(data: Any, starts: Any, ends: Any, size: Any, modulus: Any, begin: Any, shift: Any, target: Any) -> None:
    """Fletcher's sums of little-endian words; ``begin``: the first sum before the first word (1: Adler's); ``shift``:
    that of the second sum in the result.
    """
    eight = U(8)
    for row in range(len(starts)):
        first, second, at, end = U(begin), U(0), starts[U(row)], ends[U(row)]
        while at < end:
            word = U(0)
            for place in range(min(size, end - at)):
                word |= U(data[U(at + place)]) << eight * U(place)
            first = (first + word) % U(modulus)
            second = (second + first) % U(modulus)
            at += size
        target[U(row)] = second << U(shift) | first


@kernel
def rotated(data: Any, starts: Any, ends: Any, target: Any) -> None:
    """The 16 bits of ``sum -r``, which rotate right before each byte is added."""
    low = U(0xFFFF)
    for row in range(len(starts)):
        total = U(0)
        for at in range(starts[U(row)], ends[U(row)]):
            total = (total >> U(1) | (total & U(1)) << U(15)) + U(data[U(at)]) & low
        target[U(row)] = total

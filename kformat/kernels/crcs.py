"""CRCs of many parts at once, of any parameters up to 64 bits. Handwritten, one kernel for all of them."""

from __future__ import annotations

from typing import Any

from kformat.kernels.runtime import U, kernel


@kernel
def registers(
    data: Any, starts: Any, ends: Any, tables: Any, register: Any, bits: Any, is_reflected: Any, target: Any
) -> None:
    """The register after each ``data[start:end]``, all of which must be inside the data.

    Eight bytes at a time ("slicing", Kounavis and Berry 2005): each of them has a table of its own, of what it makes of
    the register when the bytes after it are read, too. In 2026-11 that took a third of the time of single bytes.

    ``tables`` are those of `kformat.storage.crc.sliced_tables`, ``register`` is the first one, uint64; ``bits`` (at
    least 8) is the width in which the register is kept.
    """
    eight, low, top, aligned = U(8), U(255), U(bits - 8), U(64 - bits)
    mask = U(0xFFFFFFFFFFFFFFFF) >> aligned
    for row in range(len(starts)):
        now, at, end = register, starts[U(row)], ends[U(row)]
        while at + 8 <= end:
            here = U(at)
            word = U(0)
            if is_reflected:
                for number in range(8):
                    word |= U(data[here + U(number)]) << U(8 * number)
                word ^= now
                now = U(0)
                for number in range(8):
                    now ^= tables[U(7 - number), word >> U(8 * number) & low]
            else:
                for number in range(8):
                    word |= U(data[here + U(number)]) << U(56 - 8 * number)
                word ^= now << aligned
                now = U(0)
                for number in range(8):
                    now ^= tables[U(7 - number), word >> U(56 - 8 * number) & low]
            at += 8
        while at < end:
            byte = U(data[U(at)])
            if is_reflected:
                now = now >> eight ^ tables[U(0), (now ^ byte) & low]
            else:
                now = now << eight & mask ^ tables[U(0), now >> top ^ byte]
            at += 1
        target[U(row)] = now

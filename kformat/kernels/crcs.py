"""CRCs of many parts at once, of any parameters up to 64 bits. Handwritten, one kernel for all of them."""

from __future__ import annotations

from typing import Any

from kformat.kernels.runtime import U, kernel


@kernel
def registers(
    data: Any, starts: Any, ends: Any, table: Any, register: Any, bits: Any, is_reflected: Any, target: Any
) -> None:
    """The register after each ``data[start:end]``, all of which must be inside the data, a byte at a time.

    ``table`` and the first ``register`` are those of `kformat.storage.crc.by_table`, uint64; ``bits`` (at least 8) is
    the width in which the register is kept.
    """
    eight, low, top = U(8), U(255), U(bits - 8)
    mask = U(0xFFFFFFFFFFFFFFFF) >> U(64 - bits)
    for row in range(len(starts)):
        now = register
        if is_reflected:
            for at in range(starts[U(row)], ends[U(row)]):
                now = now >> eight ^ table[(now ^ U(data[U(at)])) & low]
        else:
            for at in range(starts[U(row)], ends[U(row)]):
                now = now << eight & mask ^ table[now >> top ^ U(data[U(at)])]
        target[U(row)] = now

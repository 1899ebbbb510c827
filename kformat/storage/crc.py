"""Cyclic redundancy checks of any parameters, in the model of the RevEng catalogue (Rocksoft's)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kformat.storage.checksum import byte_view

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

try:
    import anycrc
except ImportError:  # where kformat was brought without it: slow, but right
    anycrc = None

_ANYCRC_BITS = 64
"""The widest CRC that anycrc computes."""


class Crc(NamedTuple):
    """The parameters of a CRC.

    Attributes:
        width: bits of the result.
        poly: the polynomial without its highest term, the term of x^0 in the lowest bit.
        init: the register before the first byte, not reflected.
        refin: whether each byte is taken from its lowest bit on.
        refout: whether the register is reflected before ``xorout``.
        xorout: what the register is combined with at the end.
    """

    width: int
    poly: int
    init: int = 0
    refin: bool = False
    refout: bool = False
    xorout: int = 0

    def function(self) -> Callable[[ReadableBuffer], int]:
        """What computes the CRC of bytes in a contiguous buffer: 0 to 2**width - 1. UsageError for anything else."""
        if anycrc is None or self.width > _ANYCRC_BITS:
            return lambda data: by_table(self, byte_view(data))
        calculate: Any = anycrc.CRC(*self).calc
        return lambda data: int(calculate(byte_view(data)))


def by_table(crc: Crc, data: memoryview) -> int:
    """The CRC of bytes, a byte at a time in Python: for those that are too wide for the library."""
    table, register = table_of(crc), first_register(crc)
    if crc.refin:
        for byte in data:
            register = register >> 8 ^ table[(register ^ byte) & 0xFF]
    else:
        bits = max(8, crc.width)
        mask = (1 << bits) - 1
        for byte in data:
            register = (register << 8 & mask) ^ table[register >> bits - 8 ^ byte]
    return int(finished(crc, register))


def first_register(crc: Crc) -> int:
    """The register before the first byte: reflected where ``refin`` is, else at the upper end of at least a byte."""
    return reflected(crc.init, crc.width) if crc.refin else crc.init << max(0, 8 - crc.width)


def finished(crc: Crc, register: Any) -> Any:
    """The CRC from the register after the last byte: an int, or a uint64 array of many."""
    if not crc.refin and crc.width < 8:
        register = register >> (8 - crc.width)
    if crc.refin != crc.refout:
        if isinstance(register, int):
            register = reflected(register, crc.width)
        else:
            register = np.array([reflected(number, crc.width) for number in register.tolist()], np.uint64)
    return register ^ (crc.xorout if isinstance(register, int) else np.uint64(crc.xorout))


@cache
def table_of(crc: Crc) -> tuple[int, ...]:
    """The registers after each byte 0 to 255, from a register of 0: reflected where ``refin`` is; of a width below 8,
    not reflected, shifted to the upper end of a byte.
    """
    table = []
    bits = max(8, crc.width)
    for byte in range(256):
        if crc.refin:
            register, poly = byte, reflected(crc.poly, crc.width)
            for _ in range(8):
                register = register >> 1 ^ (poly if register & 1 else 0)
        else:
            register, poly = byte << bits - 8, crc.poly << bits - crc.width
            for _ in range(8):
                carry = register >> bits - 1 & 1
                register = (register << 1 ^ (poly if carry else 0)) & (1 << bits) - 1
        table.append(register)
    return tuple(table)


@cache
def sliced_tables(crc: Crc) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The registers after each byte and 0 to 7 zeros, from a register of 0: (8, 256), uint64; of a width of
    at most 64.
    """
    tables = [np.array(table_of(crc), np.uint64)]
    bits, first = max(8, crc.width), tables[0]
    mask = np.uint64((1 << bits) - 1)
    for _ in range(7):
        now = tables[-1]
        if crc.refin:
            tables.append(now >> np.uint64(8) ^ first[now & np.uint64(255)])
        else:
            tables.append(now << np.uint64(8) & mask ^ first[now >> np.uint64(bits - 8)])
    made = np.stack(tables)
    made.flags.writeable = False
    return made


def reflected(value: int, width: int) -> int:
    """The lowest ``width`` bits in the opposite order."""
    return int(f"{value:0{width}b}"[::-1], 2)


__all__ = ["Crc"]

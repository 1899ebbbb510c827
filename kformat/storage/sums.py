"""Sums of bytes and of words: plain, complemented, exclusive or, Fletcher's, Adler's, Internet's, and `sum`'s.

Words are unsigned, and a part of one at the end counts as if zeros followed.
"""

from __future__ import annotations

import zlib
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

_FEW_BYTES: Final = 192
"""Up to so many bytes Python adds faster than numpy begins (measured in November 2026)."""


def _words(data: memoryview, size: int, little: bool) -> npt.NDArray[np.uint64]:
    spare = -len(data) % size
    if spare:
        data = memoryview(bytes(data) + bytes(spare))
    return np.frombuffer(data, f"{'<' if little else '>'}u{size}").astype(np.uint64)


def add(data: memoryview, size: int, little: bool) -> int:
    """The sum of all words of ``size`` bytes, of any length."""
    if size == 1:
        if len(data) <= _FEW_BYTES:
            return sum(data)
        return int(np.frombuffer(data, np.uint8).sum(dtype=np.uint64))
    if size < 8:  # 2**32 words do not overflow
        return int(_words(data, size, little).sum(dtype=np.uint64))
    return sum(_words(data, size, little).tolist())


def exclusive_or(data: memoryview, size: int, little: bool) -> int:
    """All words of ``size`` bytes combined by exclusive or."""
    return int(np.bitwise_xor.reduce(_words(data, size, little), initial=np.uint64(0)))


def fletcher(data: memoryview, size: int, modulus: int) -> int:
    """Fletcher's sums of little-endian words of ``size`` bytes: the second in the upper half, the first in the lower.

    Reference: J. G. Fletcher, "An arithmetic checksum for serial transmissions", 1982.
    """
    words = _words(data, size, True)
    first = second = 0
    for start in range(0, len(words), 256):  # the products below stay in 64 bits
        block = words[start : start + 256].tolist() if size > 2 else words[start : start + 256]
        count = len(block)
        if isinstance(block, list):
            weighted = sum(word * (count - index) for index, word in enumerate(block))
            total = sum(block)
        else:
            weighted = int((block * np.arange(count, 0, -1, dtype=np.uint64)).sum())
            total = int(block.sum())
        second = (second + count * first + weighted) % modulus
        first = (first + total) % modulus
    return second << 8 * size | first


def bsd(data: memoryview) -> int:
    """The 16 bits of ``sum -r``, which rotate right before each byte is added."""
    total = 0
    for byte in data:
        total = (total >> 1 | (total & 1) << 15) + byte & 0xFFFF
    return total


class Sum(NamedTuple):
    """A sum of words.

    Attributes:
        bits: of the result.
        kind: ``add``; ``xor``; ``fletcher``; ``adler``; ``rotate`` (`bsd`).
        size: bytes of a word. little: whether it is little-endian.
        complement: what ``add`` gives: the sum (0), its ones' complement (1), or its two's complement (2).
        folds: whether what is above 16 bits is added to the rest before that (RFC 1071). wraps: bits of the sum that
            are kept before (System V's ``sum`` has 32).
        modulus: of ``fletcher`` and ``adler``.
    """

    bits: int
    kind: str = "add"
    size: int = 1
    little: bool = True
    complement: int = 0
    folds: bool = False
    wraps: int = 64
    modulus: int = 0

    def compute(self, data: memoryview) -> int:
        """The sum of the words, 0 to 2**bits - 1."""
        match self.kind:
            case "xor":
                return exclusive_or(data, self.size, self.little)
            case "fletcher":
                return fletcher(data, self.size, self.modulus)
            case "adler":
                return zlib.adler32(data)
            case "rotate":
                return bsd(data)
        return self.finished(add(data, self.size, self.little))

    def finished(self, total: Any) -> Any:
        """What ``add`` gives of a sum of words: an int, or a uint64 array of many."""
        total = total & (1 << self.wraps) - 1
        for _ in range(4 if self.folds else 0):  # of 64 bits
            total = (total & 0xFFFF) + (total >> 16)
        if self.complement:
            total = ~total + (self.complement - 1)
        return total & (1 << self.bits) - 1


def _sums() -> dict[str, Sum]:
    made: dict[str, Sum] = {}
    complements = {"": 0, "ones_complement_": 1, "twos_complement_": 2}
    for bits in (8, 16, 32, 64):
        for prefix, complement in complements.items():
            made[f"{prefix}sum{bits}"] = Sum(bits, complement=complement)
        for order in ("le", "be") if bits > 8 else ():
            little = order == "le"
            for prefix, complement in complements.items():
                made[f"{prefix}sum{bits}{order}"] = Sum(bits, "add", bits // 8, little, complement)
            made[f"xor{bits}{order}"] = Sum(bits, "xor", bits // 8, little)
    made["xor8"] = Sum(8, "xor")
    for size, modulus in ((1, 255), (2, 0xFFFF), (4, 0xFFFFFFFF)):
        made[f"fletcher{16 * size}"] = Sum(16 * size, "fletcher", size, modulus=modulus)
    made["fletcher16_mod256"] = Sum(16, "fletcher", modulus=256)
    made["adler32"] = Sum(32, "adler", modulus=65521)
    made["internet"] = Sum(16, size=2, little=False, complement=1, folds=True)
    made["bsd_sum"] = Sum(16, "rotate")
    made["sysv_sum"] = Sum(16, folds=True, wraps=32)
    return made


SUMS: Final = _sums()
"""By name.

``sum16`` adds bytes, ``sum16le`` and ``sum16be`` words of its width in that order; so does ``xor``. The two complements
make what, with the sum, gives 0 or all ones. ``fletcher16_mod256`` is that of RFC 1145 and of u-blox's receivers.
``internet`` is the complement of the ones' complement sum of big-endian words of 16 bits (RFC 1071), ``sysv_sum`` that
of ``sum -s``: the sum of all bytes, folded.
"""

ALIASES: Final = {
    "lrc": "twos_complement_sum8",
    "bcc": "xor8",
    "rfc1071": "internet",
    "ubx": "fletcher16_mod256",
    "rfc1145": "fletcher16_mod256",
}

__all__ = ["ALIASES", "SUMS", "Sum"]

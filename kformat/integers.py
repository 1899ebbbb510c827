"""The limits of Java's integers, and how its arithmetic wraps. No other module defines them."""

from __future__ import annotations

from typing import Final

MAX_INT16: Final = 2**15 - 1
MAX_INT32: Final = 2**31 - 1
MAX_INT64: Final = 2**63 - 1
MIN_INT16: Final = -(2**15)
MIN_INT32: Final = -(2**31)
MIN_INT64: Final = -(2**63)


def wrapped_int32(value: int) -> int:
    """Wrap a sum at 32 bits, like Java's ``int``."""
    return (value - MIN_INT32) % 2**32 + MIN_INT32


def wrapped_int64(value: int) -> int:
    """Wrap a sum at 64 bits, like Java's ``long``; a base plus a delta can exceed them."""
    return (value - MIN_INT64) % 2**64 + MIN_INT64


def java_hash_code(text: str) -> int:
    """Java's ``String.hashCode``: 32 bits, signed."""
    units = text.encode("utf-16-be", "surrogatepass")
    code = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = code * 31 + high * 256 + low & 0xFFFFFFFF
    return wrapped_int32(code)


__all__ = [
    "MAX_INT16",
    "MAX_INT32",
    "MAX_INT64",
    "MIN_INT16",
    "MIN_INT32",
    "MIN_INT64",
    "java_hash_code",
    "wrapped_int32",
    "wrapped_int64",
]

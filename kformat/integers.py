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


__all__ = [
    "MAX_INT16",
    "MAX_INT32",
    "MAX_INT64",
    "MIN_INT16",
    "MIN_INT32",
    "MIN_INT64",
    "wrapped_int32",
    "wrapped_int64",
]

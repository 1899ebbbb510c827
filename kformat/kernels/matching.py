"""Find the rows that contain some bytes. Handwritten: independent of declarations."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kformat.kernels.runtime import U, helper, kernel, load_8

_WORD: Final = 8
_BLOCK: Final = 16
_EACH: Final = np.uint64(0x0101010101010101)
_LOW: Final = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH: Final = np.uint64(0x8080808080808080)
_ZERO: Final = np.uint64(0)


@helper
def _folded(byte: Any) -> Any:
    """An ASCII letter in lower case; any other byte unchanged."""
    value = np.int64(byte)
    return value | 32 if 65 <= value <= 90 else value


@helper
def _lies_at(data: Any, position: int, pattern: Any, ignores_case: bool) -> bool:
    for index in range(len(pattern)):
        byte = np.int64(data[U(position + index)])
        if (_folded(byte) if ignores_case else byte) != np.int64(pattern[U(index)]):
            return False
    return True


@helper
def _letter_bit(byte: Any, ignores_case: bool) -> Any:
    """The bit that distinguishes upper from lower case if a pattern's byte is a letter; else 0."""
    return np.uint64(32) if ignores_case and 97 <= np.int64(byte) <= 122 else _ZERO


@helper
def _zeros(word: Any) -> Any:
    """Sets the highest bit of each byte that is zero."""
    return ~(((word & _LOW) + _LOW) | word) & _HIGH


@kernel
def contains(data: Any, positions: Any, lengths: Any, pattern: Any, ignores_case: bool, matches: Any) -> int:
    """Set ``matches`` to 1 or 0 for each row, depending on whether it contains the pattern. Returns the number of
    matches.

    The pattern has at least one byte; its ASCII letters are in lower case if case is ignored. A row of length -1 never
    matches.

    Sixteen places are compared at once with the pattern's first and last byte: where both match, a byte of the
    differences is zero. A sum shows whether there is any; only then the rest of the pattern is compared.
    """
    size, count = len(pattern), 0
    first, last = pattern[U(0)], pattern[U(size - 1)]
    first_bit, last_bit = _letter_bit(first, ignores_case) * _EACH, _letter_bit(last, ignores_case) * _EACH
    firsts, lasts = np.uint64(first) * _EACH, np.uint64(last) * _EACH
    end_of_blocks = len(data) - _BLOCK - (size - 1)
    for row in range(len(positions)):
        position = positions[U(row)]
        last_start = position + lengths[U(row)] - size
        is_there = False
        while position <= last_start and not is_there:
            if position > end_of_blocks:
                is_there = _lies_at(data, position, pattern, ignores_case)
                position += 1
                continue
            alarm = _ZERO
            for word in range(0, _BLOCK, _WORD):
                start = position + word
                differs = (np.uint64(load_8(data, start)) | first_bit) ^ firsts
                differs |= (np.uint64(load_8(data, start + size - 1)) | last_bit) ^ lasts
                alarm |= _zeros(differs)
            if alarm != _ZERO:
                for start in range(position, min(position + _BLOCK, last_start + 1)):
                    if _lies_at(data, start, pattern, ignores_case):
                        is_there = True
                        break
            position += _BLOCK
        matches[U(row)] = is_there
        count += is_there
    return count

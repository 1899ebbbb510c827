"""Searches in index entries as stored in a file. Handwritten: the places of the fields are arguments.

Keys are signed, big-endian, of 4 or 8 bytes, one every ``stride`` bytes from ``at`` on. Unsorted keys give an arbitrary
entry, but never one out of bounds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kformat.kernels.runtime import U, helper, kernel, load_4, load_8

WIDTH: Final = 16
"""Searches that run in step: while one waits for its key, the keys of the others are being fetched."""


@helper
def _number(data: Any, position: int, size: int) -> Any:
    return np.int64(np.int32(load_4(data, position))) if size == 4 else load_8(data, position)


@kernel
def look_up(
    data: Any,
    stride: int,
    key_at: int,
    key_size: int,
    value_at: int,
    value_size: int,
    targets: Any,
    keys: Any,
    values: Any,
) -> None:
    """The key and the value of the last entry whose key is not above a target, for each target; if all are above it,
    ``keys`` and ``values`` are unchanged.
    """
    lows = np.empty(WIDTH, np.int64)
    wanted = np.empty(WIDTH, np.int64)
    for first in range(0, len(targets), WIDTH):
        width = min(WIDTH, len(targets) - first)
        for lane in range(WIDTH):
            lows[U(lane)] = -1
            wanted[U(lane)] = targets[U(first + min(lane, width - 1))]
        left = len(data) // stride
        while left > 0:  # the result is one of so many entries after the lowest, or the lowest
            half = (left + 1) >> 1
            for lane in range(WIDTH):
                middle = lows[U(lane)] + half
                key = _number(data, middle * stride + key_at, key_size)
                lows[U(lane)] = middle if key <= wanted[U(lane)] else lows[U(lane)]
            left -= half
        for lane in range(width):
            number = lows[U(lane)]
            if number >= 0:
                keys[U(first + lane)] = _number(data, number * stride + key_at, key_size)
                values[U(first + lane)] = _number(data, number * stride + value_at, value_size)


@kernel
def search(data: Any, stride: int, at: int, size: int, count: int, warm_count: int, target: int) -> int:
    """Binary search, comparison by comparison: the number of the largest of ``count`` entries not above
    ``target``, -1 for none. Returns the number times two, plus one if the search stopped at an equal entry. The last
    entries, of which ``warm_count`` are kept warm, are searched first.
    """
    if count <= 0:
        return -2
    low, high = 0, max(0, count - 1 - warm_count)
    if _number(data, high * stride + at, size) < target:
        low, high = high, count - 1
    elif _number(data, at, size) > target:
        return -2
    while low < high:
        middle = (low + high + 1) >> 1
        key = _number(data, middle * stride + at, size)
        if key > target:
            high = middle - 1
        elif key < target:
            low = middle
        else:
            return 2 * middle + 1
    return 2 * low

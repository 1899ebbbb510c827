"""Bytes that lie scattered, one behind the other. Written by hand: no declaration says anything of it."""

from __future__ import annotations

from typing import Any

from kformat.kernels.runtime import U, copy, kernel


@kernel
def gather(data: Any, positions: Any, lengths: Any, ends: Any, target: Any) -> int:
    """Copy the bytes at positions of one array to another, one behind the other, and say where each ends.

    A length of -1 is one of nothing. The arrays are as long as each other, ``target`` as the sum of the lengths.
    Returns that sum.
    """
    end = 0
    for row in range(len(positions)):
        size = lengths[U(row)]
        if size > 0:
            copy(target, end, data, positions[U(row)], size)
            end += size
        ends[U(row)] = end
    return end

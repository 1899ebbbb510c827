"""What is done with columns after a decode kernel. Written by hand: no declaration says anything of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kformat.kernels.runtime import U, copy, kernel


@kernel
def gather(data: Any, positions: Any, lengths: Any, ends: Any, target: Any) -> int:
    """Copy the bytes at positions of one array to another, one after the other, and say where each ends.

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


@kernel
def spread(bases: Any, factors: Any, counts: Any, deltas: Any, target: Any) -> None:
    """Of the rows of groups, ``counts[i]`` of them in group i: its base and so many times the row's delta.

    Sums wrap around, as those of numpy do. ``deltas`` and ``target`` are as long as the sum of the counts.
    """
    row = 0
    for group in range(len(counts)):
        base, factor = bases[U(group)], factors[U(group)]
        for _ in range(counts[U(group)]):
            target[U(row)] = np.int64(U(base) + U(factor) * U(deltas[U(row)]))  # without signs nothing overflows
            row += 1


@kernel
def view(data: Any, positions: Any, lengths: Any, target: Any) -> None:
    """Arrow's view of each row's bytes, 16 bytes in the processor's order (little-endian), zeros before: the length,
    and after it the bytes themselves where there are at most 12, or else the first four, the number of the buffer (0)
    and the position in it. A length of -1 is one of nothing."""
    for row in range(len(positions)):
        size, at = lengths[U(row)], 16 * row
        if size <= 0:
            continue
        for index in range(4):
            target[U(at + index)] = np.uint8((size >> (8 * index)) & 255)
        if size <= 12:
            copy(target, at + 4, data, positions[U(row)], size)
            continue
        copy(target, at + 4, data, positions[U(row)], 4)
        for index in range(4):
            target[U(at + 12 + index)] = np.uint8((positions[U(row)] >> (8 * index)) & 255)

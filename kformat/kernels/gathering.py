"""Operations on columns after a decode kernel. Handwritten: independent of declarations."""

from __future__ import annotations

from typing import Any

import numpy as np

from kformat.kernels.runtime import U, append, copy, kernel


@kernel
def gather(data: Any, positions: Any, lengths: Any, ends: Any, target: Any) -> int:
    """Copy the bytes at positions of one array into contiguous memory, and record the end of each.

    A length of -1 counts as 0. The arrays have the same length, ``target`` that of the sum of the lengths. Returns that
    sum.
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
def ends_of(codes: Any, edges: Any, ends: Any) -> Any:
    """Where the text of each code ends, after those before it; text i has ``edges[i + 1] - edges[i]`` bytes.
    Returns the last end, which may be too large for ``ends``.
    """
    end, ends[0] = np.int64(0), 0
    for row in range(len(codes)):
        code = codes[U(row)]
        end += np.int64(edges[U(code + 1)]) - np.int64(edges[U(code)])
        ends[U(row + 1)] = end
    return end


@kernel
def texts(codes: Any, edges: Any, data: Any, ends: Any, target: Any) -> None:
    """Copy the text of each code to where `ends_of` says."""
    for row in range(len(codes)):
        begin = np.int64(ends[U(row)])
        append(target, begin, data, np.int64(edges[U(codes[U(row)])]), np.int64(ends[U(row + 1)]) - begin)


@kernel
def spread(bases: Any, factors: Any, counts: Any, deltas: Any, target: Any) -> None:
    """For rows in groups, ``counts[i]`` of them in group i: the group's base plus its factor times the row's delta.

    Sums wrap around, as in numpy. ``deltas`` and ``target`` are as long as the sum of the counts.
    """
    row = 0
    for group in range(len(counts)):
        base, factor = bases[U(group)], factors[U(group)]
        for _ in range(counts[U(group)]):
            target[U(row)] = np.int64(U(base) + U(factor) * U(deltas[U(row)]))  # unsigned: no undefined overflow
            row += 1


@kernel
def view(data: Any, positions: Any, lengths: Any, target: Any) -> None:
    """Arrow's view of each row's bytes: 16 bytes, little-endian, zeroed before. They hold the length, and the bytes
    themselves if there are at most 12; otherwise the first four bytes, the buffer number (0) and the position in it. A
    length of -1 counts as 0.
    """
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

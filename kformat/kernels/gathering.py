"""Operations on columns after a decode kernel. Handwritten: independent of declarations."""

from __future__ import annotations

from typing import Any

import numpy as np

from kformat.kernels.runtime import (
    U,
    address,
    append,
    byte_at,
    copy,
    helper,
    inlined,
    kernel,
    put_8,
    word_4_le,
    word_8_le,
)


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


@helper
def word_at(data: int, position: int, size: int) -> Any:
    """Up to 8 bytes at a position, the first one the lowest, by the address of the first byte."""
    word: Any = np.int64(0)
    for index in range(size):
        word |= byte_at(data, position + index) << 8 * index
    return word


@inlined
def put_view(views: int, row: int, data: int, position: int, size: int, room: int) -> None:
    """Write Arrow's view of some bytes to a row of views, 16 bytes each, by the addresses of the first view and of the
    data, of which there are ``room`` bytes from the position on.

    A view is the length, and the bytes themselves if there are at most 12; otherwise the first four bytes, the buffer
    number (0) and the position in it. A length of -1 counts as 0.
    """
    to = views + 16 * row
    if size > 12:
        put_8(to, 0, size | word_4_le(data, position) << 32)
        put_8(to, 1, position << 32)
    elif size > 4 and room >= 12:
        unused = U(96 - 8 * size)  # bits of the next eight bytes
        put_8(to, 0, size | word_4_le(data, position) << 32)
        put_8(to, 1, np.int64(U(word_8_le(data, position + 4)) << unused >> unused))
    else:
        put_8(to, 0, max(size, 0) | word_at(data, position, min(size, 4)) << 32)
        put_8(to, 1, word_at(data, position + 4, size - 4))


@kernel
def view(data: Any, positions: Any, lengths: Any, target: Any) -> None:
    """`put_view` of each row's bytes."""
    first, views, end = address(data), address(target), len(data)
    for row in range(len(positions)):
        position = positions[U(row)]
        put_view(views, row, first, position, lengths[U(row)], end - position)

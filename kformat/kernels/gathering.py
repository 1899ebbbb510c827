"""What is done with columns behind a decode kernel. Written by hand: no declaration says anything of it."""

from __future__ import annotations

from typing import Any

import numpy as np

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

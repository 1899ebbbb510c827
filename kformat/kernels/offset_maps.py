"""A map from keys to offsets in a table of fixed size, for many keys at once. Handwritten.

The key is its MD5 (RFC 1321), which is computed for `LANES` keys in step: what is one number there is a vector here.
An entry of the table is three words of 8 bytes: two of the hash, and the offset; a free one is 0. A key is searched
from the place that its first word says, in steps of its second word, and after ``jumps`` of these from place to place.
All sums wrap around.
"""

from __future__ import annotations

from math import sin
from typing import Any, Final

import numpy as np
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from kformat.kernels.gathering import word_at
from kformat.kernels.runtime import U, address, helper, kernel, put_4, word_8_le

_ir: Any = cgutils.ir  # type: ignore[attr-defined]  # llvmlite's

LANES: Final = 16
_BLOCK: Final = 64
_LENGTH_BYTES: Final = 8
_START: Final = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
_ROUNDS: Final = (((7, 12, 17, 22), 1, 0), ((5, 9, 14, 20), 5, 1), ((4, 11, 16, 23), 3, 5), ((6, 10, 15, 21), 7, 0))
"""Of each round of 16 steps: the rotations, and the word of a step, as a factor and a summand."""


@intrinsic
def _digest_block(typingcontext: Any, state: Any, words: Any) -> Any:
    """Go on with the digests of all lanes by a block each. By address: the four words of the state, and the sixteen of
    the block, of 4 bytes; each of all lanes, one after the other.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = _ir.VectorType(context.get_value_type(types.uint32), LANES)
        rotate = cgutils.get_or_insert_function(
            builder.module, _ir.FunctionType(kind, [kind] * 3), f"llvm.fshl.v{LANES}i32"
        )

        def at(start: Any, index: int) -> Any:
            vectors = builder.inttoptr(start, kind.as_pointer())
            return builder.gep(vectors, [context.get_constant(types.int64, index)])

        def same(value: int) -> Any:
            return _ir.Constant(kind, [value] * LANES)

        before = [builder.load(at(arguments[0], index), align=4) for index in range(4)]
        block = [builder.load(at(arguments[1], index), align=4) for index in range(16)]
        a, b, c, d = before
        for step in range(64):
            shifts, factor, summand = _ROUNDS[step // 16]
            match step // 16:
                case 0:
                    mixed = builder.xor(d, builder.and_(b, builder.xor(c, d)))
                case 1:
                    mixed = builder.xor(c, builder.and_(d, builder.xor(b, c)))
                case 2:
                    mixed = builder.xor(b, builder.xor(c, d))
                case _:
                    mixed = builder.xor(c, builder.or_(b, builder.not_(d)))
            of_step = builder.add(same(int(abs(sin(step + 1)) * 2**32)), block[(factor * step + summand) % 16])
            total = builder.add(builder.add(a, mixed), of_step)
            turned = builder.call(rotate, [total, total, same(shifts[step % 4])])
            a, b, c, d = d, builder.add(b, turned), b, c
        for index, (old, new) in enumerate(zip(before, (a, b, c, d), strict=True)):
            builder.store(builder.add(old, new), at(arguments[0], index), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


digest_block: Any = _digest_block  # type checkers take what numba makes of a function for one that never returns


@helper
def _put_block(data: int, position: int, room: int, left: int, size: int, words: int, lane: int) -> None:
    """Write the next block of a key to a lane of the words: of ``left`` bytes of ``size``, at a position with ``room``
    bytes up to the end of the data."""
    for index in range(_BLOCK // 8):
        at = 8 * index
        bytes_left: Any = left - at
        word: Any = np.int64(0)
        if bytes_left >= 8:
            word = word_8_le(data, position + at)
        elif bytes_left >= 0:
            if room - at >= 8:
                word = word_8_le(data, position + at) & ((1 << 8 * bytes_left) - 1)
            else:
                word = word_at(data, position + at, bytes_left)
            word |= 128 << 8 * bytes_left
        if index == _BLOCK // 8 - 1 and left < _BLOCK - _LENGTH_BYTES:
            word = size << 3
        put_4(words, 2 * LANES * index + lane, word)
        put_4(words, 2 * LANES * index + LANES + lane, word >> 32)


@kernel
def hashes(data: Any, positions: Any, lengths: Any, target: Any) -> None:
    """The MD5 of the bytes at each position, none of which is null, as four words of 4 bytes."""
    words, state = np.zeros(_BLOCK // 4 * LANES, np.uint32), np.empty(4 * LANES, np.uint32)
    start, end, count = address(data), len(data), len(positions)
    for first in range(0, count, LANES):
        width, longest = min(LANES, count - first), np.int64(0)
        for lane in range(width):
            longest = max(longest, lengths[U(first + lane)])
        for lane in range(LANES):
            for index in range(4):
                state[U(LANES * index + lane)] = _START[index]
        for number in range((longest + _LENGTH_BYTES) // _BLOCK + 1):
            for lane in range(width):
                size, done = lengths[U(first + lane)], _BLOCK * number
                position = positions[U(first + lane)] + done
                _put_block(start, position, end - position, size - done, size, address(words), lane)
            digest_block(address(state), address(words))
            for lane in range(width):
                if number == (lengths[U(first + lane)] + _LENGTH_BYTES) // _BLOCK:  # its last
                    for index in range(4):
                        target[U(4 * (first + lane) + index)] = state[U(LANES * index + lane)]


@helper
def _found(table: Any, slots: Any, jumps: int, low: Any, high: Any) -> Any:
    """Where the entry of a key is in the table, or else the free one for it; -1 for neither."""
    place = low % slots
    for attempt in range(jumps + np.int64(slots)):
        if attempt > jumps:
            place = place + U(1) if place + U(1) < slots else U(0)
        elif attempt > 0:
            place = (low + high * U(attempt)) % slots
        at = U(3) * place
        first, second = table[at], table[at + U(1)]
        if (first == low and second == high) or (first == U(0) and second == U(0) and table[at + U(2)] == U(0)):
            return np.int64(at)
    return np.int64(-1)


@kernel
def put(table: Any, jumps: int, hashes: Any, offsets: Any, room: int) -> Any:
    """Put keys in order, until so many new ones are there: how many were put, and how many of them are new.

    The table has so many free entries, or more.
    """
    slots, new = U(len(table) // 3), np.int64(0)
    for row in range(len(offsets)):
        if new >= room:
            return row, new
        low, high = hashes[U(2 * row)], hashes[U(2 * row + 1)]
        at = U(_found(table, slots, jumps, low, high))
        if table[at] != low or table[at + U(1)] != high:
            table[at], table[at + U(1)] = low, high
            new += 1
        table[at + U(2)] = U(offsets[U(row)])
    return len(offsets), new


@kernel
def get(table: Any, jumps: int, hashes: Any, offsets: Any) -> None:
    """Write the offset of each key that is there."""
    slots = U(len(table) // 3)
    for row in range(len(offsets)):
        low, high = hashes[U(2 * row)], hashes[U(2 * row + 1)]
        at = _found(table, slots, jumps, low, high)
        if at >= 0 and table[U(at)] == low and table[U(at + 1)] == high:
            offsets[U(row)] = np.int64(table[U(at + 2)])

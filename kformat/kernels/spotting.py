"""Find the positions at which a structure may begin, and where a checksum comes out. Handwritten: fields, their ranges
and the tables of sums are arguments.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kformat.kernels.runtime import U, helper, kernel, load_2, load_4, load_8

_WORD: Final = 8
_EACH: Final = np.uint64(0x0101010101010101)
_HIGH: Final = np.uint64(0x8080808080808080)
_FIRST: Final = np.uint64(1 << 63)
_ZERO: Final = np.uint64(0)


@helper
def _below(word: Any, each: Any) -> Any:
    """Sets the highest bit of each byte below a number up to 128, given as a word of that number eight times; perhaps
    also of bytes before it."""
    return (word - each) & ~word & _HIGH


@helper
def _zeros_end(data: Any, position: int, end: int) -> int:
    """Where the words of zeros from a position on end, at or after ``end`` if all before it are zeros."""
    while position < end and load_8(data, position) == 0:
        position += _WORD
    return position


@helper
def _is_chain(data: Any, position: int, size_place: int, uncounted: int, length_place: int) -> bool:
    """Whether two fields of bytes, each after its length, fill a structure; true if the second is outside the data."""
    size = np.int64(np.int32(load_4(data, position + size_place))) + uncounted
    length = np.int64(np.int32(load_4(data, position + length_place)))
    place = length_place + 4 + (length if length > 0 else 0)
    if position + place + 4 > len(data):
        return bool(size >= place + 4)
    length = np.int64(np.int32(load_4(data, position + place)))
    return bool(size == place + 4 + (length if length > 0 else 0))


@helper
def _are_right(data: Any, position: int, rules: Any, limits: Any, group: int) -> bool:
    """Whether as many rules of a group hold at a position as have to."""
    first, last, most = limits[U(group), U(0)], limits[U(group), U(1)], limits[U(group), U(2)]
    for row in range(first, last):
        at, size = position + rules[U(row), U(0)], rules[U(row), U(1)]
        if size == 1:
            value = np.int64(data[U(at)])
        elif size == 2:
            value = load_2(data, at)
        elif size == 4:
            value = np.int64(np.int32(load_4(data, at)))
        else:
            value = load_8(data, at)
        value &= rules[U(row), U(2)]
        low, high = rules[U(row), U(3)], rules[U(row), U(4)]
        if low <= high:
            is_right = low <= value and value <= high
        else:
            is_right = value >= low or value <= high
        if not is_right:
            most -= 1
            if most < 0:
                return False
    return True


@helper
def _holds(data: Any, position: int, rules: Any, limits: Any, group: int) -> bool:
    """Whether a group holds at a position: its rules, and its condition."""
    if not _are_right(data, position, rules, limits, group):
        return False
    kind, first, second, third = (
        limits[U(group), U(3)],
        limits[U(group), U(4)],
        limits[U(group), U(5)],
        limits[U(group), U(6)],
    )
    if kind == 1:
        return _is_chain(data, position, first, second, third)
    if kind == 2:
        lower, upper = (
            np.int64(np.int32(load_4(data, position + first))),
            np.int64(np.int32(load_4(data, position + second))),
        )
        return lower - upper <= third
    if kind == 3:
        size = np.int64(np.int32(load_4(data, position + first)))
        return bool(0 <= size and size <= second) or _are_right(data, position, rules, limits, third)
    return True


@kernel
def spot(
    data: Any,
    first: int,
    end: int,
    size: int,
    places: Any,
    below: Any,
    groups: Any,
    rules: Any,
    limits: Any,
    positions: Any,
) -> int:
    """Write the positions from ``first`` to ``end`` at which a structure may begin to ``positions``; returns their
    number. It stops when ``positions`` is full. None begins where there are only zeros.

    Args:
        data: uint8; ``size`` bytes, and 8 more, must follow each position in it, and the rules look at no others.
        places, below: int64, two: the places of two bytes in the structure, and numbers up to 128 that one of them has
            to be below.
        groups: int64, shape (2, 256): for each value of each of these bytes the number of a group of rules, -1 for
            none. A structure may begin where one of the two groups holds.
        rules: int64, shape (rules, 5): place, size (1 or 2, unsigned; 4 or 8, signed; big-endian), mask, lowest and
            highest value; if the lowest is above the highest, a value must not be between them.
        limits: int64, shape (groups, 7): first rule, the one after the last, and how many of them need not hold; and
            the kind and three numbers of one more condition, see below.

    The kinds: 0, none. 1: the structure ends with two fields of bytes, each after its length of 4 bytes; the numbers
    are the place of its own size, how many bytes that does not count, and the place of the first length. 2: a number of
    4 bytes is not above another one by more than that; the numbers are both places and by how much it may be above.
    3: a number of 4 bytes is from 0 to another one, or else the rules of a second group hold; the numbers are the
    place, the highest value, and the group.
    """
    count, position = 0, first
    one_place, two_place = places[U(0)], places[U(1)]
    one_below, two_below = np.uint64(below[U(0)]) * _EACH, np.uint64(below[U(1)]) * _EACH
    while position < end:
        ones, twos = np.uint64(load_8(data, position + one_place)), np.uint64(load_8(data, position + two_place))
        low = _below(ones, one_below) | _below(twos, two_below)
        if low == _ZERO:
            position += _WORD
            continue
        if ones == _ZERO:
            zeros = _zeros_end(data, position, end + size) - size
            if zeros >= position + _WORD:
                position = zeros
                continue
        for index in range(min(_WORD, end - position)):
            if low & (_FIRST >> np.uint64(8 * index)) == _ZERO:
                continue
            at = position + index
            first_group = groups[U(0), U(data[U(at + one_place)])]
            second_group = groups[U(1), U(data[U(at + two_place)])]
            if (first_group >= 0 and _holds(data, at, rules, limits, first_group)) or (
                second_group >= 0 and _holds(data, at, rules, limits, second_group)
            ):
                positions[U(count)] = at
                count += 1
                if count == len(positions):
                    return count
        position += _WORD
    return count


@kernel
def ends_of_sum(data: Any, first: int, table: Any, wanted: int, ends: Any) -> int:
    """Write the ends of all parts ``data[:end]``, from ``first`` bytes on, with the wanted sum to ``ends``; returns
    their number. It stops when ``ends`` is full.

    ``table``: int64, the 256 sums of one byte, of a checksum of 32 bits that takes the lowest bit first, begins with
    all bits set and inverts them at the end.
    """
    register, target, count = np.int64(0xFFFFFFFF), wanted ^ 0xFFFFFFFF, 0
    for position in range(len(data)):
        register = table[U((register ^ np.int64(data[U(position)])) & 0xFF)] ^ (register >> 8)
        if register == target and position + 1 >= first:
            ends[U(count)] = position + 1
            count += 1
            if count == len(ends):
                break
    return count

"""Kernels of formats/offset_index.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    helper,
    kernel,
    load_4,
    store_4,
)
from kformat.kernels.state import (
    CAPACITY,
    DONE,
    ERROR_POSITION,
    FIRST_TABLE,
    POSITION,
    ROW,
    UNIT,
)


@helper
def leave_decode_offset_index__entry(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_offset_index__entry(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
):
    # c0: relative_offset, value
    # c1: position, value
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    cap0 = capacities[0]
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    start = p
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            if n0 >= cap0:
                return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 4:
                return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_relative_offset = (load_4(data, p) << 32) >> 32
            p += 4
            if w0:
                c0[U(n0)] = v1_relative_offset
            if not (v1_relative_offset >= 0):
                return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            if end - p < 4:
                return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v2_position = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_position
            if not (v2_position >= 0):
                return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_offset_index__entry(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_offset_index__entry(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_offset_index__entry(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
):
    # c0: relative_offset, value
    # c1: position, value
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_relative_offset = np.int64(c0[U(n0)])
        v2_position = np.int64(c1[U(n0)])
        v3_total = np.int64(0)
        v3_total += 4
        v3_total += 4
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_offset_index__entry(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        store_4(out, p, v1_relative_offset)
        p += 4
        if not (v1_relative_offset >= 0):
            return leave_encode_offset_index__entry(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        store_4(out, p, v2_position)
        p += 4
        if not (v2_position >= 0):
            return leave_encode_offset_index__entry(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_offset_index__entry(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_offset_index(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_offset_index(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
):
    # c0: entries, offsets
    # c1: entries.relative_offset, value, per element of entries
    # c2: entries.position, value, per element of entries
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    cap0 = capacities[0]
    cap1 = capacities[1]
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    n1 = state[FIRST_TABLE + 0]
    start = p
    s1 = n1
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            s1 = n1
            if n0 >= cap0:
                return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            while p < end:
                if n1 >= cap1:
                    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + 1)
                if end - p < 4:
                    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                v1_relative_offset = (load_4(data, p) << 32) >> 32
                p += 4
                if w1:
                    c1[U(n1)] = v1_relative_offset
                if not (v1_relative_offset >= 0):
                    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
                if end - p < 4:
                    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                v2_position = (load_4(data, p) << 32) >> 32
                p += 4
                if w2:
                    c2[U(n1)] = v2_position
                if not (v2_position >= 0):
                    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                n1 += 1
            if w0:
                c0[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_offset_index(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_offset_index(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_offset_index(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
):
    # c0: entries, offsets
    # c1: entries.relative_offset, value, per element of entries
    # c2: entries.position, value, per element of entries
    size1 = sizes[1]
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_begin, v2_end = np.int64(0), np.int64(0)
        if len(c0):
            v1_begin = c0[U(n0)]
            v2_end = c0[U(n0 + 1)]
        if v1_begin < 0 or v2_end < v1_begin or v2_end > size1:
            return leave_encode_offset_index(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_total = np.int64(0)
        v3_total += (v2_end - v1_begin) * 8
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_offset_index(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        for v4_element in range(v1_begin, v2_end):
            v5_relative_offset = np.int64(c1[U(v4_element)])
            v6_position = np.int64(c2[U(v4_element)])
            store_4(out, p, v5_relative_offset)
            p += 4
            if not (v5_relative_offset >= 0):
                return leave_encode_offset_index(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            store_4(out, p, v6_position)
            p += 4
            if not (v6_position >= 0):
                return leave_encode_offset_index(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_offset_index(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))

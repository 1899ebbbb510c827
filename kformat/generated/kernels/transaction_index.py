"""Kernels of formats/transaction_index.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    helper,
    kernel,
    load_2,
    load_8,
    store_2,
    store_8,
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
def leave_decode_transaction_index__entry(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_transaction_index__entry(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
):
    # c0: version, value
    # c1: producer_id, value
    # c2: first_offset, value
    # c3: last_offset, value
    # c4: last_stable_offset, value
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
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
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if not (v1_version == 0):
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            if end - p < 8:
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v2_producer_id = load_8(data, p)
            p += 8
            if w1:
                c1[U(n0)] = v2_producer_id
            if end - p < 8:
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v3_first_offset = load_8(data, p)
            p += 8
            if w2:
                c2[U(n0)] = v3_first_offset
            if end - p < 8:
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            v4_last_offset = load_8(data, p)
            p += 8
            if w3:
                c3[U(n0)] = v4_last_offset
            if end - p < 8:
                return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
            v5_last_stable_offset = load_8(data, p)
            p += 8
            if w4:
                c4[U(n0)] = v5_last_stable_offset
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_transaction_index__entry(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_transaction_index__entry(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_transaction_index__entry(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
):
    # c0: version, value
    # c1: producer_id, value
    # c2: first_offset, value
    # c3: last_offset, value
    # c4: last_stable_offset, value
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_version = np.int64(c0[U(n0)]) if len(c0) else 0
        v2_producer_id = np.int64(c1[U(n0)])
        v3_first_offset = np.int64(c2[U(n0)])
        v4_last_offset = np.int64(c3[U(n0)])
        v5_last_stable_offset = np.int64(c4[U(n0)])
        v6_total = np.int64(0)
        v6_total += 2
        v6_total += 8
        v6_total += 8
        v6_total += 8
        v6_total += 8
        if most_rows > 0 and n0 > first and v6_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v6_total > len(out) - p:
            return leave_encode_transaction_index__entry(state, n0, start, units, first, begin, np.int64(-1), p, p + v6_total)
        store_2(out, p, v1_version)
        p += 2
        if not (v1_version == 0):
            return leave_encode_transaction_index__entry(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        store_8(out, p, v2_producer_id)
        p += 8
        store_8(out, p, v3_first_offset)
        p += 8
        store_8(out, p, v4_last_offset)
        p += 8
        store_8(out, p, v5_last_stable_offset)
        p += 8
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_transaction_index__entry(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_transaction_index(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_transaction_index(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
):
    # c0: entries, offsets
    # c1: entries.version, value, per element of entries
    # c2: entries.producer_id, value, per element of entries
    # c3: entries.first_offset, value, per element of entries
    # c4: entries.last_offset, value, per element of entries
    # c5: entries.last_stable_offset, value, per element of entries
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
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
                return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            while p < end:
                if n1 >= cap1:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + 1)
                if end - p < 2:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                v1_version = (load_2(data, p) << 48) >> 48
                p += 2
                if w1:
                    c1[U(n1)] = v1_version
                if not (v1_version == 0):
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
                if end - p < 8:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                v2_producer_id = load_8(data, p)
                p += 8
                if w2:
                    c2[U(n1)] = v2_producer_id
                if end - p < 8:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                v3_first_offset = load_8(data, p)
                p += 8
                if w3:
                    c3[U(n1)] = v3_first_offset
                if end - p < 8:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                v4_last_offset = load_8(data, p)
                p += 8
                if w4:
                    c4[U(n1)] = v4_last_offset
                if end - p < 8:
                    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                v5_last_stable_offset = load_8(data, p)
                p += 8
                if w5:
                    c5[U(n1)] = v5_last_stable_offset
                n1 += 1
            if w0:
                c0[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_transaction_index(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_transaction_index(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_transaction_index(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
):
    # c0: entries, offsets
    # c1: entries.version, value, per element of entries
    # c2: entries.producer_id, value, per element of entries
    # c3: entries.first_offset, value, per element of entries
    # c4: entries.last_offset, value, per element of entries
    # c5: entries.last_stable_offset, value, per element of entries
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
            return leave_encode_transaction_index(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_total = np.int64(0)
        v3_total += (v2_end - v1_begin) * 34
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_transaction_index(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        for v4_element in range(v1_begin, v2_end):
            v5_version = np.int64(c1[U(v4_element)]) if len(c1) else 0
            v6_producer_id = np.int64(c2[U(v4_element)])
            v7_first_offset = np.int64(c3[U(v4_element)])
            v8_last_offset = np.int64(c4[U(v4_element)])
            v9_last_stable_offset = np.int64(c5[U(v4_element)])
            store_2(out, p, v5_version)
            p += 2
            if not (v5_version == 0):
                return leave_encode_transaction_index(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            store_8(out, p, v6_producer_id)
            p += 8
            store_8(out, p, v7_first_offset)
            p += 8
            store_8(out, p, v8_last_offset)
            p += 8
            store_8(out, p, v9_last_stable_offset)
            p += 8
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_transaction_index(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))

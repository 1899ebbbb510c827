"""Kernels of formats/producer_snapshot.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    helper,
    kernel,
    load_2,
    load_4,
    load_8,
    store_2,
    store_4,
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
def leave_decode_producer_snapshot__entry(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_producer_snapshot__entry(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
    c7,
):
    # c0: producer_id, value
    # c1: producer_epoch, value
    # c2: last_sequence, value
    # c3: last_offset, value
    # c4: offset_delta, value
    # c5: timestamp, value
    # c6: coordinator_epoch, value
    # c7: current_txn_first_offset, value
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
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
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 8:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_producer_id = load_8(data, p)
            p += 8
            if w0:
                c0[U(n0)] = v1_producer_id
            if end - p < 2:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_producer_epoch = (load_2(data, p) << 48) >> 48
            p += 2
            if w1:
                c1[U(n0)] = v2_producer_epoch
            if end - p < 4:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v3_last_sequence = (load_4(data, p) << 32) >> 32
            p += 4
            if w2:
                c2[U(n0)] = v3_last_sequence
            if end - p < 8:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v4_last_offset = load_8(data, p)
            p += 8
            if w3:
                c3[U(n0)] = v4_last_offset
            if end - p < 4:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            v5_offset_delta = (load_4(data, p) << 32) >> 32
            p += 4
            if w4:
                c4[U(n0)] = v5_offset_delta
            if end - p < 8:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
            v6_timestamp = load_8(data, p)
            p += 8
            if w5:
                c5[U(n0)] = v6_timestamp
            if end - p < 4:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v7_coordinator_epoch = (load_4(data, p) << 32) >> 32
            p += 4
            if w6:
                c6[U(n0)] = v7_coordinator_epoch
            if end - p < 8:
                return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
            v8_current_txn_first_offset = load_8(data, p)
            p += 8
            if w7:
                c7[U(n0)] = v8_current_txn_first_offset
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_producer_snapshot__entry(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_producer_snapshot__entry(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_producer_snapshot__entry(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
    c7,
):
    # c0: producer_id, value
    # c1: producer_epoch, value
    # c2: last_sequence, value
    # c3: last_offset, value
    # c4: offset_delta, value
    # c5: timestamp, value
    # c6: coordinator_epoch, value
    # c7: current_txn_first_offset, value
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_producer_id = np.int64(c0[U(n0)])
        v2_producer_epoch = np.int64(c1[U(n0)])
        v3_last_sequence = np.int64(c2[U(n0)])
        v4_last_offset = np.int64(c3[U(n0)])
        v5_offset_delta = np.int64(c4[U(n0)])
        v6_timestamp = np.int64(c5[U(n0)])
        v7_coordinator_epoch = np.int64(c6[U(n0)])
        v8_current_txn_first_offset = np.int64(c7[U(n0)])
        v9_total = np.int64(0)
        v9_total += 8
        v9_total += 2
        v9_total += 4
        v9_total += 8
        v9_total += 4
        v9_total += 8
        v9_total += 4
        v9_total += 8
        if most_rows > 0 and n0 > first and v9_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v9_total > len(out) - p:
            return leave_encode_producer_snapshot__entry(state, n0, start, units, first, begin, np.int64(-1), p, p + v9_total)
        store_8(out, p, v1_producer_id)
        p += 8
        store_2(out, p, v2_producer_epoch)
        p += 2
        store_4(out, p, v3_last_sequence)
        p += 4
        store_8(out, p, v4_last_offset)
        p += 8
        store_4(out, p, v5_offset_delta)
        p += 4
        store_8(out, p, v6_timestamp)
        p += 8
        store_4(out, p, v7_coordinator_epoch)
        p += 4
        store_8(out, p, v8_current_txn_first_offset)
        p += 8
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_producer_snapshot__entry(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_producer_snapshot(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_producer_snapshot(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
    c7,
    c8,
    c9,
    c10,
    c11,
    c12,
    c13,
):
    # c0: version, value
    # c1: crc, value
    # c2: crc, covered position
    # c3: crc, covered length
    # c4: entries_count, value
    # c5: entries, offsets
    # c6: entries.producer_id, value, per element of entries
    # c7: entries.producer_epoch, value, per element of entries
    # c8: entries.last_sequence, value, per element of entries
    # c9: entries.last_offset, value, per element of entries
    # c10: entries.offset_delta, value, per element of entries
    # c11: entries.timestamp, value, per element of entries
    # c12: entries.coordinator_epoch, value, per element of entries
    # c13: entries.current_txn_first_offset, value, per element of entries
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
    w8 = wanted[8] != 0
    w9 = wanted[9] != 0
    w10 = wanted[10] != 0
    w11 = wanted[11] != 0
    w12 = wanted[12] != 0
    w13 = wanted[13] != 0
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
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if not (v1_version == 1):
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            if end - p < 4:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
            v2_crc = load_4(data, p)
            p += 4
            if w1:
                c1[U(n0)] = v2_crc
            if w2:
                c2[U(n0)] = p
            if w3:
                c3[U(n0)] = end - p
            if end - p < 4:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            v3_entries_count = (load_4(data, p) << 32) >> 32
            p += 4
            if w4:
                c4[U(n0)] = v3_entries_count
            if not (v3_entries_count >= 0):
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
            v4_count = v3_entries_count
            if v4_count < 0 or v4_count > (end - p) // 46:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
            if n1 + v4_count > cap1:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v4_count)
            for _ in range(v4_count):
                if end - p < 8:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                v5_producer_id = load_8(data, p)
                p += 8
                if w6:
                    c6[U(n1)] = v5_producer_id
                if end - p < 2:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
                v6_producer_epoch = (load_2(data, p) << 48) >> 48
                p += 2
                if w7:
                    c7[U(n1)] = v6_producer_epoch
                if end - p < 4:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
                v7_last_sequence = (load_4(data, p) << 32) >> 32
                p += 4
                if w8:
                    c8[U(n1)] = v7_last_sequence
                if end - p < 8:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                v8_last_offset = load_8(data, p)
                p += 8
                if w9:
                    c9[U(n1)] = v8_last_offset
                if end - p < 4:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
                v9_offset_delta = (load_4(data, p) << 32) >> 32
                p += 4
                if w10:
                    c10[U(n1)] = v9_offset_delta
                if end - p < 8:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                v10_timestamp = load_8(data, p)
                p += 8
                if w11:
                    c11[U(n1)] = v10_timestamp
                if end - p < 4:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                v11_coordinator_epoch = (load_4(data, p) << 32) >> 32
                p += 4
                if w12:
                    c12[U(n1)] = v11_coordinator_epoch
                if end - p < 8:
                    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v12_current_txn_first_offset = load_8(data, p)
                p += 8
                if w13:
                    c13[U(n1)] = v12_current_txn_first_offset
                n1 += 1
            if w5:
                c5[U(n0 + 1)] = n1
            if p < end:
                return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_producer_snapshot(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_producer_snapshot(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_producer_snapshot(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
    c7,
    c8,
    c9,
    c10,
):
    # c0: version, value
    # c1: crc, value
    # c2: entries, offsets
    # c3: entries.producer_id, value, per element of entries
    # c4: entries.producer_epoch, value, per element of entries
    # c5: entries.last_sequence, value, per element of entries
    # c6: entries.last_offset, value, per element of entries
    # c7: entries.offset_delta, value, per element of entries
    # c8: entries.timestamp, value, per element of entries
    # c9: entries.coordinator_epoch, value, per element of entries
    # c10: entries.current_txn_first_offset, value, per element of entries
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
        v1_entries_count = np.int64(0)
        v2_measured = False
        v3_version = np.int64(c0[U(n0)]) if len(c0) else 1
        v4_crc = np.int64(c1[U(n0)]) if len(c1) else np.int64(0)
        v5_begin, v6_end = np.int64(0), np.int64(0)
        if len(c2):
            v5_begin = c2[U(n0)]
            v6_end = c2[U(n0 + 1)]
        if v5_begin < 0 or v6_end < v5_begin or v6_end > size1:
            return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v1_entries_count = v6_end - v5_begin
        v7_total = np.int64(0)
        v7_total += 2
        v7_total += 4
        v7_total += 4
        v7_total += (v6_end - v5_begin) * 46
        if most_rows > 0 and n0 > first and v7_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v7_total > len(out) - p:
            return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(-1), p, p + v7_total)
        store_2(out, p, v3_version)
        p += 2
        if not (v3_version == 1):
            return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        store_4(out, p, v4_crc)
        p += 4
        if v1_entries_count < -2147483648 or v1_entries_count > 2147483647:
            return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        store_4(out, p, v1_entries_count)
        p += 4
        if not (v1_entries_count >= 0):
            return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        for v8_element in range(v5_begin, v6_end):
            v9_producer_id = np.int64(c3[U(v8_element)])
            v10_producer_epoch = np.int64(c4[U(v8_element)])
            v11_last_sequence = np.int64(c5[U(v8_element)])
            v12_last_offset = np.int64(c6[U(v8_element)])
            v13_offset_delta = np.int64(c7[U(v8_element)])
            v14_timestamp = np.int64(c8[U(v8_element)])
            v15_coordinator_epoch = np.int64(c9[U(v8_element)])
            v16_current_txn_first_offset = np.int64(c10[U(v8_element)])
            store_8(out, p, v9_producer_id)
            p += 8
            store_2(out, p, v10_producer_epoch)
            p += 2
            store_4(out, p, v11_last_sequence)
            p += 4
            store_8(out, p, v12_last_offset)
            p += 8
            store_4(out, p, v13_offset_delta)
            p += 4
            store_8(out, p, v14_timestamp)
            p += 8
            store_4(out, p, v15_coordinator_epoch)
            p += 4
            store_8(out, p, v16_current_txn_first_offset)
            p += 8
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_producer_snapshot(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))

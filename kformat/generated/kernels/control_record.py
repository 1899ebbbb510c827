"""Kernels of formats/control_record.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    copy,
    helper,
    kernel,
    load_2,
    load_4,
    load_8,
    long_varint,
    store_2,
    store_4,
    store_8,
    store_varint,
    varint_size,
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
def leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_control_record__end_transaction_marker(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
):
    # c0: version, value
    # c1: coordinator_epoch, value
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
                return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if not (v1_version >= 0):
                return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            if end - p < 4:
                return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v2_coordinator_epoch = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_coordinator_epoch
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__end_transaction_marker(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__end_transaction_marker(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__end_transaction_marker(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
):
    # c0: version, value
    # c1: coordinator_epoch, value
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
        v2_coordinator_epoch = np.int64(c1[U(n0)])
        v3_total = np.int64(0)
        v3_total += 2
        v3_total += 4
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_control_record__end_transaction_marker(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        store_2(out, p, v1_version)
        p += 2
        if not (v1_version >= 0):
            return leave_encode_control_record__end_transaction_marker(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        store_4(out, p, v2_coordinator_epoch)
        p += 4
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__end_transaction_marker(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__tagged_field(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_control_record__tagged_field(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
):
    # c0: tag, value
    # c1: data_length, value
    # c2: data, position
    # c3: data, length
    # c4: data, bytes
    # c5: data, byte offsets
    # c6: data, is there
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
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
                return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if p < end and data[U(p)] < 128:
                v1_tag = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v1_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v1_tag, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
                p = v2_behind
            if w0:
                c0[U(n0)] = v1_tag
            if p < end and data[U(p)] < 128:
                v3_data_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v3_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v3_data_length, v4_behind = long_varint(data, p, end, 5)
                if v4_behind < 0:
                    return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
                p = v4_behind
            if w1:
                c1[U(n0)] = v3_data_length
            v5_size = v3_data_length
            if v5_size > end - p:
                return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v6_begin = p
            if w2:
                c2[U(n0)] = v6_begin
            if w3:
                c3[U(n0)] = v5_size
            if w4:
                v7_packed = np.int64(c5[U(n0)])
                if v5_size > len(c4) - v7_packed:
                    return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(-65540), p, v7_packed + v5_size)
                copy(c4, v7_packed, data, v6_begin, v5_size)
                c5[U(n0 + 1)] = v7_packed + v5_size
                c6[U(n0)] = 1
            p += v5_size
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__tagged_field(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__tagged_field(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
):
    # c0: tag, value
    # c1: data, position
    # c2: data, length
    # c3: data, bytes
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_data_length = np.int64(0)
        v2_measured = False
        v3_tag = np.int64(c0[U(n0)])
        v4_data = np.int64(c1[U(n0)])
        v5_data = np.int64(c2[U(n0)])
        if v5_data >= 0 and (v4_data < 0 or v5_data > len(c3) - v4_data):
            return leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v1_data_length = v5_data
        v6_total = np.int64(0)
        v6_total += varint_size(v3_tag)
        v6_total += varint_size(v1_data_length)
        v6_total += max(v5_data, 0)
        if most_rows > 0 and n0 > first and v6_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v6_total > len(out) - p:
            return leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, np.int64(-1), p, p + v6_total)
        p = store_varint(out, p, v3_tag)
        if v1_data_length < 0 or v1_data_length > 4294967295:
            return leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        p = store_varint(out, p, v1_data_length)
        if v5_data < 0:
            return leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        copy(out, p, c3, v4_data, v5_data)
        p += v5_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__tagged_field(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__tagged_fields(
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
):
    # c0: fields_count, value
    # c1: fields, offsets
    # c2: fields.tag, value, per element of fields
    # c3: fields.data_length, value, per element of fields
    # c4: fields.data, position, per element of fields
    # c5: fields.data, length, per element of fields
    # c6: fields.data, bytes, per element of fields
    # c7: fields.data, byte offsets, per element of fields
    # c8: fields.data, is there, per element of fields
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
    w8 = wanted[8] != 0
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
                return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if p < end and data[U(p)] < 128:
                v1_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v1_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v1_fields_count, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                p = v2_behind
            if w0:
                c0[U(n0)] = v1_fields_count
            v3_count = v1_fields_count
            if v3_count < 0 or v3_count > (end - p) // 2:
                return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            if n1 + v3_count > cap1:
                return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v3_count)
            for _ in range(v3_count):
                if p < end and data[U(p)] < 128:
                    v4_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v4_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v4_tag, v5_behind = long_varint(data, p, end, 5)
                    if v5_behind < 0:
                        return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                    p = v5_behind
                if w2:
                    c2[U(n1)] = v4_tag
                if p < end and data[U(p)] < 128:
                    v6_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v6_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v6_data_length, v7_behind = long_varint(data, p, end, 5)
                    if v7_behind < 0:
                        return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                    p = v7_behind
                if w3:
                    c3[U(n1)] = v6_data_length
                v8_size = v6_data_length
                if v8_size > end - p:
                    return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                v9_begin = p
                if w4:
                    c4[U(n1)] = v9_begin
                if w5:
                    c5[U(n1)] = v8_size
                if w6:
                    v10_packed = np.int64(c7[U(n1)])
                    if v8_size > len(c6) - v10_packed:
                        return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(-65542), p, v10_packed + v8_size)
                    copy(c6, v10_packed, data, v9_begin, v8_size)
                    c7[U(n1 + 1)] = v10_packed + v8_size
                    c8[U(n1)] = 1
                p += v8_size
                n1 += 1
            if w1:
                c1[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__tagged_fields(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__tagged_fields(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
):
    # c0: fields, offsets
    # c1: fields.tag, value, per element of fields
    # c2: fields.data, position, per element of fields
    # c3: fields.data, length, per element of fields
    # c4: fields.data, bytes, per element of fields
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
        v1_fields_count = np.int64(0)
        v2_measured = False
        v3_begin, v4_end = np.int64(0), np.int64(0)
        if len(c0):
            v3_begin = c0[U(n0)]
            v4_end = c0[U(n0 + 1)]
        if v3_begin < 0 or v4_end < v3_begin or v4_end > size1:
            return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v1_fields_count = v4_end - v3_begin
        v5_total = np.int64(0)
        v5_total += varint_size(v1_fields_count)
        for v6_element in range(v3_begin, v4_end):
            v7_data_length = np.int64(0)
            v8_measured = False
            v9_tag = np.int64(c1[U(v6_element)])
            v10_data = np.int64(c2[U(v6_element)])
            v11_data = np.int64(c3[U(v6_element)])
            if v11_data >= 0 and (v10_data < 0 or v11_data > len(c4) - v10_data):
                return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v7_data_length = v11_data
            v5_total += varint_size(v9_tag)
            v5_total += varint_size(v7_data_length)
            v5_total += max(v11_data, 0)
        if most_rows > 0 and n0 > first and v5_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v5_total > len(out) - p:
            return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(-1), p, p + v5_total)
        if v1_fields_count < 0 or v1_fields_count > 4294967295:
            return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        p = store_varint(out, p, v1_fields_count)
        for v12_element in range(v3_begin, v4_end):
            v13_data_length = np.int64(0)
            v14_measured = False
            v15_tag = np.int64(c1[U(v12_element)])
            v16_data = np.int64(c2[U(v12_element)])
            v17_data = np.int64(c3[U(v12_element)])
            if v17_data >= 0 and (v16_data < 0 or v17_data > len(c4) - v16_data):
                return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v13_data_length = v17_data
            p = store_varint(out, p, v15_tag)
            if v13_data_length < 0 or v13_data_length > 4294967295:
                return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            p = store_varint(out, p, v13_data_length)
            if v17_data < 0:
                return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            copy(out, p, c4, v16_data, v17_data)
            p += v17_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__tagged_fields(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    state[FIRST_TABLE + 1] = s2
    state[FIRST_TABLE + 2] = s3
    state[FIRST_TABLE + 3] = s4
    state[FIRST_TABLE + 4] = s5
    return site


@kernel
def decode_control_record__leader_change(
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
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
    c27,
    c28,
    c29,
    c30,
    c31,
    c32,
    c33,
    c34,
    c35,
    c36,
    c37,
    c38,
    c39,
    c40,
    c41,
    c42,
    c43,
    c44,
):
    # c0: version, value
    # c1: leader_id, value
    # c2: voters_length, value
    # c3: voters, offsets
    # c4: voters.voter_id, value, per element of voters
    # c5: voters.voter_directory_id, position, per element of voters
    # c6: voters.voter_directory_id, length, per element of voters
    # c7: voters.voter_directory_id, bytes, per element of voters
    # c8: voters.voter_directory_id, byte offsets, per element of voters
    # c9: voters.voter_directory_id, is there, per element of voters
    # c10: voters.tags.fields_count, value, per element of voters
    # c11: voters.tags.fields, offsets, per element of voters
    # c12: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c13: voters.tags.fields.data_length, value, per element of voters.tags.fields
    # c14: voters.tags.fields.data, position, per element of voters.tags.fields
    # c15: voters.tags.fields.data, length, per element of voters.tags.fields
    # c16: voters.tags.fields.data, bytes, per element of voters.tags.fields
    # c17: voters.tags.fields.data, byte offsets, per element of voters.tags.fields
    # c18: voters.tags.fields.data, is there, per element of voters.tags.fields
    # c19: granting_voters_length, value
    # c20: granting_voters, offsets
    # c21: granting_voters.voter_id, value, per element of granting_voters
    # c22: granting_voters.voter_directory_id, position, per element of granting_voters
    # c23: granting_voters.voter_directory_id, length, per element of granting_voters
    # c24: granting_voters.voter_directory_id, bytes, per element of granting_voters
    # c25: granting_voters.voter_directory_id, byte offsets, per element of granting_voters
    # c26: granting_voters.voter_directory_id, is there, per element of granting_voters
    # c27: granting_voters.tags.fields_count, value, per element of granting_voters
    # c28: granting_voters.tags.fields, offsets, per element of granting_voters
    # c29: granting_voters.tags.fields.tag, value, per element of granting_voters.tags.fields
    # c30: granting_voters.tags.fields.data_length, value, per element of granting_voters.tags.fields
    # c31: granting_voters.tags.fields.data, position, per element of granting_voters.tags.fields
    # c32: granting_voters.tags.fields.data, length, per element of granting_voters.tags.fields
    # c33: granting_voters.tags.fields.data, bytes, per element of granting_voters.tags.fields
    # c34: granting_voters.tags.fields.data, byte offsets, per element of granting_voters.tags.fields
    # c35: granting_voters.tags.fields.data, is there, per element of granting_voters.tags.fields
    # c36: tags.fields_count, value
    # c37: tags.fields, offsets
    # c38: tags.fields.tag, value, per element of tags.fields
    # c39: tags.fields.data_length, value, per element of tags.fields
    # c40: tags.fields.data, position, per element of tags.fields
    # c41: tags.fields.data, length, per element of tags.fields
    # c42: tags.fields.data, bytes, per element of tags.fields
    # c43: tags.fields.data, byte offsets, per element of tags.fields
    # c44: tags.fields.data, is there, per element of tags.fields
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
    w14 = wanted[14] != 0
    w15 = wanted[15] != 0
    w16 = wanted[16] != 0
    w17 = wanted[17] != 0
    w18 = wanted[18] != 0
    w19 = wanted[19] != 0
    w20 = wanted[20] != 0
    w21 = wanted[21] != 0
    w22 = wanted[22] != 0
    w23 = wanted[23] != 0
    w24 = wanted[24] != 0
    w25 = wanted[25] != 0
    w26 = wanted[26] != 0
    w27 = wanted[27] != 0
    w28 = wanted[28] != 0
    w29 = wanted[29] != 0
    w30 = wanted[30] != 0
    w31 = wanted[31] != 0
    w32 = wanted[32] != 0
    w33 = wanted[33] != 0
    w34 = wanted[34] != 0
    w35 = wanted[35] != 0
    w36 = wanted[36] != 0
    w37 = wanted[37] != 0
    w38 = wanted[38] != 0
    w39 = wanted[39] != 0
    w40 = wanted[40] != 0
    w41 = wanted[41] != 0
    w42 = wanted[42] != 0
    w43 = wanted[43] != 0
    w44 = wanted[44] != 0
    cap0 = capacities[0]
    cap1 = capacities[1]
    cap2 = capacities[2]
    cap3 = capacities[3]
    cap4 = capacities[4]
    cap5 = capacities[5]
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    n1 = state[FIRST_TABLE + 0]
    n2 = state[FIRST_TABLE + 1]
    n3 = state[FIRST_TABLE + 2]
    n4 = state[FIRST_TABLE + 3]
    n5 = state[FIRST_TABLE + 4]
    start = p
    s1 = n1
    s2 = n2
    s3 = n3
    s4 = n4
    s5 = n5
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            s1 = n1
            s2 = n2
            s3 = n3
            s4 = n4
            s5 = n5
            if n0 >= cap0:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if not (v1_version >= 0):
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(3), p, np.int64(0))
            if end - p < 4:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(4), p, np.int64(0))
            v2_leader_id = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_leader_id
            if p < end and data[U(p)] < 128:
                v3_voters_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v3_voters_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v3_voters_length, v4_behind = long_varint(data, p, end, 5)
                if v4_behind < 0:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(5), p, np.int64(0))
                p = v4_behind
            if w2:
                c2[U(n0)] = v3_voters_length
            if not (v3_voters_length >= 1):
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(6), p, np.int64(0))
            v6_ = 1
            v5_count = (v3_voters_length - v6_)
            if v5_count < 0 or v5_count > (end - p) // 5:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(7), p, np.int64(0))
            if n1 + v5_count > cap1:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-2), p, n1 + v5_count)
            for _ in range(v5_count):
                v7_version = v1_version
                if end - p < 4:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(8), p, np.int64(0))
                v8_voter_id = (load_4(data, p) << 32) >> 32
                p += 4
                if w4:
                    c4[U(n1)] = v8_voter_id
                if (v7_version >= 1):
                    v9_size = 16
                    if v9_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(9), p, np.int64(0))
                    v10_begin = p
                    if w5:
                        c5[U(n1)] = v10_begin
                    if w6:
                        c6[U(n1)] = v9_size
                    if w7:
                        v11_packed = np.int64(c8[U(n1)])
                        if v9_size > len(c7) - v11_packed:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-65543), p, v11_packed + v9_size)
                        copy(c7, v11_packed, data, v10_begin, v9_size)
                        c8[U(n1 + 1)] = v11_packed + v9_size
                        c9[U(n1)] = 1
                    p += v9_size
                else:
                    if w5:
                        c5[U(n1)] = 0
                    if w6:
                        c6[U(n1)] = -1
                    if w8:
                        c8[U(n1 + 1)] = c8[U(n1)]
                    if w9:
                        c9[U(n1)] = 0
                if p < end and data[U(p)] < 128:
                    v12_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v12_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v12_fields_count, v13_behind = long_varint(data, p, end, 5)
                    if v13_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(10), p, np.int64(0))
                    p = v13_behind
                if w10:
                    c10[U(n1)] = v12_fields_count
                v14_count = v12_fields_count
                if v14_count < 0 or v14_count > (end - p) // 2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(11), p, np.int64(0))
                if n2 + v14_count > cap2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-3), p, n2 + v14_count)
                for _ in range(v14_count):
                    if p < end and data[U(p)] < 128:
                        v15_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v15_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v15_tag, v16_behind = long_varint(data, p, end, 5)
                        if v16_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(12), p, np.int64(0))
                        p = v16_behind
                    if w12:
                        c12[U(n2)] = v15_tag
                    if p < end and data[U(p)] < 128:
                        v17_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v17_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v17_data_length, v18_behind = long_varint(data, p, end, 5)
                        if v18_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(13), p, np.int64(0))
                        p = v18_behind
                    if w13:
                        c13[U(n2)] = v17_data_length
                    v19_size = v17_data_length
                    if v19_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(14), p, np.int64(0))
                    v20_begin = p
                    if w14:
                        c14[U(n2)] = v20_begin
                    if w15:
                        c15[U(n2)] = v19_size
                    if w16:
                        v21_packed = np.int64(c17[U(n2)])
                        if v19_size > len(c16) - v21_packed:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-65552), p, v21_packed + v19_size)
                        copy(c16, v21_packed, data, v20_begin, v19_size)
                        c17[U(n2 + 1)] = v21_packed + v19_size
                        c18[U(n2)] = 1
                    p += v19_size
                    n2 += 1
                if w11:
                    c11[U(n1 + 1)] = n2
                n1 += 1
            if w3:
                c3[U(n0 + 1)] = n1
            if p < end and data[U(p)] < 128:
                v22_granting_voters_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v22_granting_voters_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v22_granting_voters_length, v23_behind = long_varint(data, p, end, 5)
                if v23_behind < 0:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(15), p, np.int64(0))
                p = v23_behind
            if w19:
                c19[U(n0)] = v22_granting_voters_length
            if not (v22_granting_voters_length >= 1):
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(16), p, np.int64(0))
            v25_ = 1
            v24_count = (v22_granting_voters_length - v25_)
            if v24_count < 0 or v24_count > (end - p) // 5:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(17), p, np.int64(0))
            if n3 + v24_count > cap3:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-4), p, n3 + v24_count)
            for _ in range(v24_count):
                v26_version = v1_version
                if end - p < 4:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(18), p, np.int64(0))
                v27_voter_id = (load_4(data, p) << 32) >> 32
                p += 4
                if w21:
                    c21[U(n3)] = v27_voter_id
                if (v26_version >= 1):
                    v28_size = 16
                    if v28_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(19), p, np.int64(0))
                    v29_begin = p
                    if w22:
                        c22[U(n3)] = v29_begin
                    if w23:
                        c23[U(n3)] = v28_size
                    if w24:
                        v30_packed = np.int64(c25[U(n3)])
                        if v28_size > len(c24) - v30_packed:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-65560), p, v30_packed + v28_size)
                        copy(c24, v30_packed, data, v29_begin, v28_size)
                        c25[U(n3 + 1)] = v30_packed + v28_size
                        c26[U(n3)] = 1
                    p += v28_size
                else:
                    if w22:
                        c22[U(n3)] = 0
                    if w23:
                        c23[U(n3)] = -1
                    if w25:
                        c25[U(n3 + 1)] = c25[U(n3)]
                    if w26:
                        c26[U(n3)] = 0
                if p < end and data[U(p)] < 128:
                    v31_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v31_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v31_fields_count, v32_behind = long_varint(data, p, end, 5)
                    if v32_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(20), p, np.int64(0))
                    p = v32_behind
                if w27:
                    c27[U(n3)] = v31_fields_count
                v33_count = v31_fields_count
                if v33_count < 0 or v33_count > (end - p) // 2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(21), p, np.int64(0))
                if n4 + v33_count > cap4:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-5), p, n4 + v33_count)
                for _ in range(v33_count):
                    if p < end and data[U(p)] < 128:
                        v34_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v34_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v34_tag, v35_behind = long_varint(data, p, end, 5)
                        if v35_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(22), p, np.int64(0))
                        p = v35_behind
                    if w29:
                        c29[U(n4)] = v34_tag
                    if p < end and data[U(p)] < 128:
                        v36_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v36_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v36_data_length, v37_behind = long_varint(data, p, end, 5)
                        if v37_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(23), p, np.int64(0))
                        p = v37_behind
                    if w30:
                        c30[U(n4)] = v36_data_length
                    v38_size = v36_data_length
                    if v38_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(24), p, np.int64(0))
                    v39_begin = p
                    if w31:
                        c31[U(n4)] = v39_begin
                    if w32:
                        c32[U(n4)] = v38_size
                    if w33:
                        v40_packed = np.int64(c34[U(n4)])
                        if v38_size > len(c33) - v40_packed:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-65569), p, v40_packed + v38_size)
                        copy(c33, v40_packed, data, v39_begin, v38_size)
                        c34[U(n4 + 1)] = v40_packed + v38_size
                        c35[U(n4)] = 1
                    p += v38_size
                    n4 += 1
                if w28:
                    c28[U(n3 + 1)] = n4
                n3 += 1
            if w20:
                c20[U(n0 + 1)] = n3
            if p < end and data[U(p)] < 128:
                v41_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v41_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v41_fields_count, v42_behind = long_varint(data, p, end, 5)
                if v42_behind < 0:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(25), p, np.int64(0))
                p = v42_behind
            if w36:
                c36[U(n0)] = v41_fields_count
            v43_count = v41_fields_count
            if v43_count < 0 or v43_count > (end - p) // 2:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(26), p, np.int64(0))
            if n5 + v43_count > cap5:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-6), p, n5 + v43_count)
            for _ in range(v43_count):
                if p < end and data[U(p)] < 128:
                    v44_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v44_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v44_tag, v45_behind = long_varint(data, p, end, 5)
                    if v45_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(27), p, np.int64(0))
                    p = v45_behind
                if w38:
                    c38[U(n5)] = v44_tag
                if p < end and data[U(p)] < 128:
                    v46_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v46_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v46_data_length, v47_behind = long_varint(data, p, end, 5)
                    if v47_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(28), p, np.int64(0))
                    p = v47_behind
                if w39:
                    c39[U(n5)] = v46_data_length
                v48_size = v46_data_length
                if v48_size > end - p:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(29), p, np.int64(0))
                v49_begin = p
                if w40:
                    c40[U(n5)] = v49_begin
                if w41:
                    c41[U(n5)] = v48_size
                if w42:
                    v50_packed = np.int64(c43[U(n5)])
                    if v48_size > len(c42) - v50_packed:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-65578), p, v50_packed + v48_size)
                    copy(c42, v50_packed, data, v49_begin, v48_size)
                    c43[U(n5 + 1)] = v50_packed + v48_size
                    c44[U(n5)] = 1
                p += v48_size
                n5 += 1
            if w37:
                c37[U(n0 + 1)] = n5
            n0 += 1
            done += 1
        start = p
        s1 = n1
        s2 = n2
        s3 = n3
        s4 = n4
        s5 = n5
        if p < end:
            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__leader_change(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__leader_change(
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
    c11,
    c12,
    c13,
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
):
    # c0: version, value
    # c1: leader_id, value
    # c2: voters, offsets
    # c3: granting_voters, offsets
    # c4: tags.fields, offsets
    # c5: voters.voter_id, value, per element of voters
    # c6: voters.voter_directory_id, position, per element of voters
    # c7: voters.voter_directory_id, length, per element of voters
    # c8: voters.voter_directory_id, bytes, per element of voters
    # c9: voters.tags.fields, offsets, per element of voters
    # c10: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c11: voters.tags.fields.data, position, per element of voters.tags.fields
    # c12: voters.tags.fields.data, length, per element of voters.tags.fields
    # c13: voters.tags.fields.data, bytes, per element of voters.tags.fields
    # c14: granting_voters.voter_id, value, per element of granting_voters
    # c15: granting_voters.voter_directory_id, position, per element of granting_voters
    # c16: granting_voters.voter_directory_id, length, per element of granting_voters
    # c17: granting_voters.voter_directory_id, bytes, per element of granting_voters
    # c18: granting_voters.tags.fields, offsets, per element of granting_voters
    # c19: granting_voters.tags.fields.tag, value, per element of granting_voters.tags.fields
    # c20: granting_voters.tags.fields.data, position, per element of granting_voters.tags.fields
    # c21: granting_voters.tags.fields.data, length, per element of granting_voters.tags.fields
    # c22: granting_voters.tags.fields.data, bytes, per element of granting_voters.tags.fields
    # c23: tags.fields.tag, value, per element of tags.fields
    # c24: tags.fields.data, position, per element of tags.fields
    # c25: tags.fields.data, length, per element of tags.fields
    # c26: tags.fields.data, bytes, per element of tags.fields
    size1 = sizes[1]
    size2 = sizes[2]
    size3 = sizes[3]
    size4 = sizes[4]
    size5 = sizes[5]
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_voters_length = np.int64(0)
        v2_measured = False
        v3_granting_voters_length = np.int64(0)
        v4_measured = False
        v5_version = np.int64(c0[U(n0)])
        v6_leader_id = np.int64(c1[U(n0)])
        v7_begin, v8_end = np.int64(0), np.int64(0)
        if len(c2):
            v7_begin = c2[U(n0)]
            v8_end = c2[U(n0 + 1)]
        if v7_begin < 0 or v8_end < v7_begin or v8_end > size1:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v9_begin, v10_end = np.int64(0), np.int64(0)
        if len(c3):
            v9_begin = c3[U(n0)]
            v10_end = c3[U(n0 + 1)]
        if v9_begin < 0 or v10_end < v9_begin or v10_end > size2:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v11_fields_count = np.int64(0)
        v12_measured = False
        v13_begin, v14_end = np.int64(0), np.int64(0)
        if len(c4):
            v13_begin = c4[U(n0)]
            v14_end = c4[U(n0 + 1)]
        if v13_begin < 0 or v14_end < v13_begin or v14_end > size3:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        v11_fields_count = v14_end - v13_begin
        v1_voters_length = v8_end - v7_begin + 1
        v3_granting_voters_length = v10_end - v9_begin + 1
        v15_total = np.int64(0)
        v15_total += 2
        v15_total += 4
        v15_total += varint_size(v1_voters_length)
        for v16_element in range(v7_begin, v8_end):
            v17_version = v5_version
            v18_voter_id = np.int64(c5[U(v16_element)])
            v19_voter_directory_id, v20_voter_directory_id = np.int64(0), np.int64(-1)
            if len(c7):
                v19_voter_directory_id = np.int64(c6[U(v16_element)])
                v20_voter_directory_id = np.int64(c7[U(v16_element)])
            if v20_voter_directory_id >= 0 and (v19_voter_directory_id < 0 or v20_voter_directory_id > len(c8) - v19_voter_directory_id):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v21_fields_count = np.int64(0)
            v22_measured = False
            v23_begin, v24_end = np.int64(0), np.int64(0)
            if len(c9):
                v23_begin = c9[U(v16_element)]
                v24_end = c9[U(v16_element + 1)]
            if v23_begin < 0 or v24_end < v23_begin or v24_end > size4:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            v21_fields_count = v24_end - v23_begin
            v15_total += 4
            if v20_voter_directory_id >= 0:
                v15_total += max(v20_voter_directory_id, 0)
            v15_total += varint_size(v21_fields_count)
            for v25_element in range(v23_begin, v24_end):
                v26_data_length = np.int64(0)
                v27_measured = False
                v28_tag = np.int64(c10[U(v25_element)])
                v29_data = np.int64(c11[U(v25_element)])
                v30_data = np.int64(c12[U(v25_element)])
                if v30_data >= 0 and (v29_data < 0 or v30_data > len(c13) - v29_data):
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
                v26_data_length = v30_data
                v15_total += varint_size(v28_tag)
                v15_total += varint_size(v26_data_length)
                v15_total += max(v30_data, 0)
        v15_total += varint_size(v3_granting_voters_length)
        for v31_element in range(v9_begin, v10_end):
            v32_version = v5_version
            v33_voter_id = np.int64(c14[U(v31_element)])
            v34_voter_directory_id, v35_voter_directory_id = np.int64(0), np.int64(-1)
            if len(c16):
                v34_voter_directory_id = np.int64(c15[U(v31_element)])
                v35_voter_directory_id = np.int64(c16[U(v31_element)])
            if v35_voter_directory_id >= 0 and (v34_voter_directory_id < 0 or v35_voter_directory_id > len(c17) - v34_voter_directory_id):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
            v36_fields_count = np.int64(0)
            v37_measured = False
            v38_begin, v39_end = np.int64(0), np.int64(0)
            if len(c18):
                v38_begin = c18[U(v31_element)]
                v39_end = c18[U(v31_element + 1)]
            if v38_begin < 0 or v39_end < v38_begin or v39_end > size5:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
            v36_fields_count = v39_end - v38_begin
            v15_total += 4
            if v35_voter_directory_id >= 0:
                v15_total += max(v35_voter_directory_id, 0)
            v15_total += varint_size(v36_fields_count)
            for v40_element in range(v38_begin, v39_end):
                v41_data_length = np.int64(0)
                v42_measured = False
                v43_tag = np.int64(c19[U(v40_element)])
                v44_data = np.int64(c20[U(v40_element)])
                v45_data = np.int64(c21[U(v40_element)])
                if v45_data >= 0 and (v44_data < 0 or v45_data > len(c22) - v44_data):
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
                v41_data_length = v45_data
                v15_total += varint_size(v43_tag)
                v15_total += varint_size(v41_data_length)
                v15_total += max(v45_data, 0)
        v15_total += varint_size(v11_fields_count)
        for v46_element in range(v13_begin, v14_end):
            v47_data_length = np.int64(0)
            v48_measured = False
            v49_tag = np.int64(c23[U(v46_element)])
            v50_data = np.int64(c24[U(v46_element)])
            v51_data = np.int64(c25[U(v46_element)])
            if v51_data >= 0 and (v50_data < 0 or v51_data > len(c26) - v50_data):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
            v47_data_length = v51_data
            v15_total += varint_size(v49_tag)
            v15_total += varint_size(v47_data_length)
            v15_total += max(v51_data, 0)
        if most_rows > 0 and n0 > first and v15_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v15_total > len(out) - p:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(-1), p, p + v15_total)
        store_2(out, p, v5_version)
        p += 2
        if not (v5_version >= 0):
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        store_4(out, p, v6_leader_id)
        p += 4
        if v1_voters_length < 0 or v1_voters_length > 4294967295:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
        p = store_varint(out, p, v1_voters_length)
        if not (v1_voters_length >= 1):
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
        for v52_element in range(v7_begin, v8_end):
            v53_version = v5_version
            v54_voter_id = np.int64(c5[U(v52_element)])
            v55_voter_directory_id, v56_voter_directory_id = np.int64(0), np.int64(-1)
            if len(c7):
                v55_voter_directory_id = np.int64(c6[U(v52_element)])
                v56_voter_directory_id = np.int64(c7[U(v52_element)])
            if v56_voter_directory_id >= 0 and (v55_voter_directory_id < 0 or v56_voter_directory_id > len(c8) - v55_voter_directory_id):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            v57_fields_count = np.int64(0)
            v58_measured = False
            v59_begin, v60_end = np.int64(0), np.int64(0)
            if len(c9):
                v59_begin = c9[U(v52_element)]
                v60_end = c9[U(v52_element + 1)]
            if v59_begin < 0 or v60_end < v59_begin or v60_end > size4:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
            v57_fields_count = v60_end - v59_begin
            store_4(out, p, v54_voter_id)
            p += 4
            if (v56_voter_directory_id >= 0) != ((v53_version >= 1)):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
            if (v53_version >= 1):
                if v56_voter_directory_id < 0:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
                if v56_voter_directory_id != 16:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
                copy(out, p, c8, v55_voter_directory_id, v56_voter_directory_id)
                p += v56_voter_directory_id
            if v57_fields_count < 0 or v57_fields_count > 4294967295:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            p = store_varint(out, p, v57_fields_count)
            for v61_element in range(v59_begin, v60_end):
                v62_data_length = np.int64(0)
                v63_measured = False
                v64_tag = np.int64(c10[U(v61_element)])
                v65_data = np.int64(c11[U(v61_element)])
                v66_data = np.int64(c12[U(v61_element)])
                if v66_data >= 0 and (v65_data < 0 or v66_data > len(c13) - v65_data):
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
                v62_data_length = v66_data
                p = store_varint(out, p, v64_tag)
                if v62_data_length < 0 or v62_data_length > 4294967295:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
                p = store_varint(out, p, v62_data_length)
                if v66_data < 0:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(23), p, np.int64(0))
                copy(out, p, c13, v65_data, v66_data)
                p += v66_data
        if v3_granting_voters_length < 0 or v3_granting_voters_length > 4294967295:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(24), p, np.int64(0))
        p = store_varint(out, p, v3_granting_voters_length)
        if not (v3_granting_voters_length >= 1):
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(25), p, np.int64(0))
        for v67_element in range(v9_begin, v10_end):
            v68_version = v5_version
            v69_voter_id = np.int64(c14[U(v67_element)])
            v70_voter_directory_id, v71_voter_directory_id = np.int64(0), np.int64(-1)
            if len(c16):
                v70_voter_directory_id = np.int64(c15[U(v67_element)])
                v71_voter_directory_id = np.int64(c16[U(v67_element)])
            if v71_voter_directory_id >= 0 and (v70_voter_directory_id < 0 or v71_voter_directory_id > len(c17) - v70_voter_directory_id):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(26), p, np.int64(0))
            v72_fields_count = np.int64(0)
            v73_measured = False
            v74_begin, v75_end = np.int64(0), np.int64(0)
            if len(c18):
                v74_begin = c18[U(v67_element)]
                v75_end = c18[U(v67_element + 1)]
            if v74_begin < 0 or v75_end < v74_begin or v75_end > size5:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(27), p, np.int64(0))
            v72_fields_count = v75_end - v74_begin
            store_4(out, p, v69_voter_id)
            p += 4
            if (v71_voter_directory_id >= 0) != ((v68_version >= 1)):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(28), p, np.int64(0))
            if (v68_version >= 1):
                if v71_voter_directory_id < 0:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(29), p, np.int64(0))
                if v71_voter_directory_id != 16:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(30), p, np.int64(0))
                copy(out, p, c17, v70_voter_directory_id, v71_voter_directory_id)
                p += v71_voter_directory_id
            if v72_fields_count < 0 or v72_fields_count > 4294967295:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(31), p, np.int64(0))
            p = store_varint(out, p, v72_fields_count)
            for v76_element in range(v74_begin, v75_end):
                v77_data_length = np.int64(0)
                v78_measured = False
                v79_tag = np.int64(c19[U(v76_element)])
                v80_data = np.int64(c20[U(v76_element)])
                v81_data = np.int64(c21[U(v76_element)])
                if v81_data >= 0 and (v80_data < 0 or v81_data > len(c22) - v80_data):
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(32), p, np.int64(0))
                v77_data_length = v81_data
                p = store_varint(out, p, v79_tag)
                if v77_data_length < 0 or v77_data_length > 4294967295:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(33), p, np.int64(0))
                p = store_varint(out, p, v77_data_length)
                if v81_data < 0:
                    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(34), p, np.int64(0))
                copy(out, p, c22, v80_data, v81_data)
                p += v81_data
        if v11_fields_count < 0 or v11_fields_count > 4294967295:
            return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(35), p, np.int64(0))
        p = store_varint(out, p, v11_fields_count)
        for v82_element in range(v13_begin, v14_end):
            v83_data_length = np.int64(0)
            v84_measured = False
            v85_tag = np.int64(c23[U(v82_element)])
            v86_data = np.int64(c24[U(v82_element)])
            v87_data = np.int64(c25[U(v82_element)])
            if v87_data >= 0 and (v86_data < 0 or v87_data > len(c26) - v86_data):
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(36), p, np.int64(0))
            v83_data_length = v87_data
            p = store_varint(out, p, v85_tag)
            if v83_data_length < 0 or v83_data_length > 4294967295:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(37), p, np.int64(0))
            p = store_varint(out, p, v83_data_length)
            if v87_data < 0:
                return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(38), p, np.int64(0))
            copy(out, p, c26, v86_data, v87_data)
            p += v87_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__leader_change(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__snapshot_header(
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
):
    # c0: version, value
    # c1: last_contained_log_timestamp, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    # c8: tags.fields.data, bytes, per element of tags.fields
    # c9: tags.fields.data, byte offsets, per element of tags.fields
    # c10: tags.fields.data, is there, per element of tags.fields
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
                return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if end - p < 8:
                return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v2_last_contained_log_timestamp = load_8(data, p)
            p += 8
            if w1:
                c1[U(n0)] = v2_last_contained_log_timestamp
            if p < end and data[U(p)] < 128:
                v3_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v3_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v3_fields_count, v4_behind = long_varint(data, p, end, 5)
                if v4_behind < 0:
                    return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                p = v4_behind
            if w2:
                c2[U(n0)] = v3_fields_count
            v5_count = v3_fields_count
            if v5_count < 0 or v5_count > (end - p) // 2:
                return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            if n1 + v5_count > cap1:
                return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v5_count)
            for _ in range(v5_count):
                if p < end and data[U(p)] < 128:
                    v6_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v6_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v6_tag, v7_behind = long_varint(data, p, end, 5)
                    if v7_behind < 0:
                        return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                    p = v7_behind
                if w4:
                    c4[U(n1)] = v6_tag
                if p < end and data[U(p)] < 128:
                    v8_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v8_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v8_data_length, v9_behind = long_varint(data, p, end, 5)
                    if v9_behind < 0:
                        return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                    p = v9_behind
                if w5:
                    c5[U(n1)] = v8_data_length
                v10_size = v8_data_length
                if v10_size > end - p:
                    return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                v11_begin = p
                if w6:
                    c6[U(n1)] = v11_begin
                if w7:
                    c7[U(n1)] = v10_size
                if w8:
                    v12_packed = np.int64(c9[U(n1)])
                    if v10_size > len(c8) - v12_packed:
                        return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(-65544), p, v12_packed + v10_size)
                    copy(c8, v12_packed, data, v11_begin, v10_size)
                    c9[U(n1 + 1)] = v12_packed + v10_size
                    c10[U(n1)] = 1
                p += v10_size
                n1 += 1
            if w3:
                c3[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__snapshot_header(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__snapshot_header(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
):
    # c0: version, value
    # c1: last_contained_log_timestamp, value
    # c2: tags.fields, offsets
    # c3: tags.fields.tag, value, per element of tags.fields
    # c4: tags.fields.data, position, per element of tags.fields
    # c5: tags.fields.data, length, per element of tags.fields
    # c6: tags.fields.data, bytes, per element of tags.fields
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
        v1_version = np.int64(c0[U(n0)]) if len(c0) else 0
        v2_last_contained_log_timestamp = np.int64(c1[U(n0)])
        v3_fields_count = np.int64(0)
        v4_measured = False
        v5_begin, v6_end = np.int64(0), np.int64(0)
        if len(c2):
            v5_begin = c2[U(n0)]
            v6_end = c2[U(n0 + 1)]
        if v5_begin < 0 or v6_end < v5_begin or v6_end > size1:
            return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_fields_count = v6_end - v5_begin
        v7_total = np.int64(0)
        v7_total += 2
        v7_total += 8
        v7_total += varint_size(v3_fields_count)
        for v8_element in range(v5_begin, v6_end):
            v9_data_length = np.int64(0)
            v10_measured = False
            v11_tag = np.int64(c3[U(v8_element)])
            v12_data = np.int64(c4[U(v8_element)])
            v13_data = np.int64(c5[U(v8_element)])
            if v13_data >= 0 and (v12_data < 0 or v13_data > len(c6) - v12_data):
                return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v9_data_length = v13_data
            v7_total += varint_size(v11_tag)
            v7_total += varint_size(v9_data_length)
            v7_total += max(v13_data, 0)
        if most_rows > 0 and n0 > first and v7_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v7_total > len(out) - p:
            return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(-1), p, p + v7_total)
        store_2(out, p, v1_version)
        p += 2
        store_8(out, p, v2_last_contained_log_timestamp)
        p += 8
        if v3_fields_count < 0 or v3_fields_count > 4294967295:
            return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        p = store_varint(out, p, v3_fields_count)
        for v14_element in range(v5_begin, v6_end):
            v15_data_length = np.int64(0)
            v16_measured = False
            v17_tag = np.int64(c3[U(v14_element)])
            v18_data = np.int64(c4[U(v14_element)])
            v19_data = np.int64(c5[U(v14_element)])
            if v19_data >= 0 and (v18_data < 0 or v19_data > len(c6) - v18_data):
                return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v15_data_length = v19_data
            p = store_varint(out, p, v17_tag)
            if v15_data_length < 0 or v15_data_length > 4294967295:
                return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            p = store_varint(out, p, v15_data_length)
            if v19_data < 0:
                return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            copy(out, p, c6, v18_data, v19_data)
            p += v19_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__snapshot_header(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__snapshot_footer(
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
):
    # c0: version, value
    # c1: tags.fields_count, value
    # c2: tags.fields, offsets
    # c3: tags.fields.tag, value, per element of tags.fields
    # c4: tags.fields.data_length, value, per element of tags.fields
    # c5: tags.fields.data, position, per element of tags.fields
    # c6: tags.fields.data, length, per element of tags.fields
    # c7: tags.fields.data, bytes, per element of tags.fields
    # c8: tags.fields.data, byte offsets, per element of tags.fields
    # c9: tags.fields.data, is there, per element of tags.fields
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
                return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if p < end and data[U(p)] < 128:
                v2_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v2_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v2_fields_count, v3_behind = long_varint(data, p, end, 5)
                if v3_behind < 0:
                    return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
                p = v3_behind
            if w1:
                c1[U(n0)] = v2_fields_count
            v4_count = v2_fields_count
            if v4_count < 0 or v4_count > (end - p) // 2:
                return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
            if n1 + v4_count > cap1:
                return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v4_count)
            for _ in range(v4_count):
                if p < end and data[U(p)] < 128:
                    v5_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v5_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v5_tag, v6_behind = long_varint(data, p, end, 5)
                    if v6_behind < 0:
                        return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                    p = v6_behind
                if w3:
                    c3[U(n1)] = v5_tag
                if p < end and data[U(p)] < 128:
                    v7_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v7_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v7_data_length, v8_behind = long_varint(data, p, end, 5)
                    if v8_behind < 0:
                        return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                    p = v8_behind
                if w4:
                    c4[U(n1)] = v7_data_length
                v9_size = v7_data_length
                if v9_size > end - p:
                    return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                v10_begin = p
                if w5:
                    c5[U(n1)] = v10_begin
                if w6:
                    c6[U(n1)] = v9_size
                if w7:
                    v11_packed = np.int64(c8[U(n1)])
                    if v9_size > len(c7) - v11_packed:
                        return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(-65543), p, v11_packed + v9_size)
                    copy(c7, v11_packed, data, v10_begin, v9_size)
                    c8[U(n1 + 1)] = v11_packed + v9_size
                    c9[U(n1)] = 1
                p += v9_size
                n1 += 1
            if w2:
                c2[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__snapshot_footer(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__snapshot_footer(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
):
    # c0: version, value
    # c1: tags.fields, offsets
    # c2: tags.fields.tag, value, per element of tags.fields
    # c3: tags.fields.data, position, per element of tags.fields
    # c4: tags.fields.data, length, per element of tags.fields
    # c5: tags.fields.data, bytes, per element of tags.fields
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
        v1_version = np.int64(c0[U(n0)]) if len(c0) else 0
        v2_fields_count = np.int64(0)
        v3_measured = False
        v4_begin, v5_end = np.int64(0), np.int64(0)
        if len(c1):
            v4_begin = c1[U(n0)]
            v5_end = c1[U(n0 + 1)]
        if v4_begin < 0 or v5_end < v4_begin or v5_end > size1:
            return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v2_fields_count = v5_end - v4_begin
        v6_total = np.int64(0)
        v6_total += 2
        v6_total += varint_size(v2_fields_count)
        for v7_element in range(v4_begin, v5_end):
            v8_data_length = np.int64(0)
            v9_measured = False
            v10_tag = np.int64(c2[U(v7_element)])
            v11_data = np.int64(c3[U(v7_element)])
            v12_data = np.int64(c4[U(v7_element)])
            if v12_data >= 0 and (v11_data < 0 or v12_data > len(c5) - v11_data):
                return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v8_data_length = v12_data
            v6_total += varint_size(v10_tag)
            v6_total += varint_size(v8_data_length)
            v6_total += max(v12_data, 0)
        if most_rows > 0 and n0 > first and v6_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v6_total > len(out) - p:
            return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(-1), p, p + v6_total)
        store_2(out, p, v1_version)
        p += 2
        if v2_fields_count < 0 or v2_fields_count > 4294967295:
            return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        p = store_varint(out, p, v2_fields_count)
        for v13_element in range(v4_begin, v5_end):
            v14_data_length = np.int64(0)
            v15_measured = False
            v16_tag = np.int64(c2[U(v13_element)])
            v17_data = np.int64(c3[U(v13_element)])
            v18_data = np.int64(c4[U(v13_element)])
            if v18_data >= 0 and (v17_data < 0 or v18_data > len(c5) - v17_data):
                return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v14_data_length = v18_data
            p = store_varint(out, p, v16_tag)
            if v14_data_length < 0 or v14_data_length > 4294967295:
                return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            p = store_varint(out, p, v14_data_length)
            if v18_data < 0:
                return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            copy(out, p, c5, v17_data, v18_data)
            p += v18_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__snapshot_footer(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__kraft_version(
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
):
    # c0: version, value
    # c1: kraft_version, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    # c8: tags.fields.data, bytes, per element of tags.fields
    # c9: tags.fields.data, byte offsets, per element of tags.fields
    # c10: tags.fields.data, is there, per element of tags.fields
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
                return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if end - p < 2:
                return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v2_kraft_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w1:
                c1[U(n0)] = v2_kraft_version
            if p < end and data[U(p)] < 128:
                v3_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v3_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v3_fields_count, v4_behind = long_varint(data, p, end, 5)
                if v4_behind < 0:
                    return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                p = v4_behind
            if w2:
                c2[U(n0)] = v3_fields_count
            v5_count = v3_fields_count
            if v5_count < 0 or v5_count > (end - p) // 2:
                return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            if n1 + v5_count > cap1:
                return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v5_count)
            for _ in range(v5_count):
                if p < end and data[U(p)] < 128:
                    v6_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v6_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v6_tag, v7_behind = long_varint(data, p, end, 5)
                    if v7_behind < 0:
                        return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                    p = v7_behind
                if w4:
                    c4[U(n1)] = v6_tag
                if p < end and data[U(p)] < 128:
                    v8_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v8_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v8_data_length, v9_behind = long_varint(data, p, end, 5)
                    if v9_behind < 0:
                        return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                    p = v9_behind
                if w5:
                    c5[U(n1)] = v8_data_length
                v10_size = v8_data_length
                if v10_size > end - p:
                    return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                v11_begin = p
                if w6:
                    c6[U(n1)] = v11_begin
                if w7:
                    c7[U(n1)] = v10_size
                if w8:
                    v12_packed = np.int64(c9[U(n1)])
                    if v10_size > len(c8) - v12_packed:
                        return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(-65544), p, v12_packed + v10_size)
                    copy(c8, v12_packed, data, v11_begin, v10_size)
                    c9[U(n1 + 1)] = v12_packed + v10_size
                    c10[U(n1)] = 1
                p += v10_size
                n1 += 1
            if w3:
                c3[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__kraft_version(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__kraft_version(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
):
    # c0: version, value
    # c1: kraft_version, value
    # c2: tags.fields, offsets
    # c3: tags.fields.tag, value, per element of tags.fields
    # c4: tags.fields.data, position, per element of tags.fields
    # c5: tags.fields.data, length, per element of tags.fields
    # c6: tags.fields.data, bytes, per element of tags.fields
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
        v1_version = np.int64(c0[U(n0)]) if len(c0) else 0
        v2_kraft_version = np.int64(c1[U(n0)])
        v3_fields_count = np.int64(0)
        v4_measured = False
        v5_begin, v6_end = np.int64(0), np.int64(0)
        if len(c2):
            v5_begin = c2[U(n0)]
            v6_end = c2[U(n0 + 1)]
        if v5_begin < 0 or v6_end < v5_begin or v6_end > size1:
            return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_fields_count = v6_end - v5_begin
        v7_total = np.int64(0)
        v7_total += 2
        v7_total += 2
        v7_total += varint_size(v3_fields_count)
        for v8_element in range(v5_begin, v6_end):
            v9_data_length = np.int64(0)
            v10_measured = False
            v11_tag = np.int64(c3[U(v8_element)])
            v12_data = np.int64(c4[U(v8_element)])
            v13_data = np.int64(c5[U(v8_element)])
            if v13_data >= 0 and (v12_data < 0 or v13_data > len(c6) - v12_data):
                return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v9_data_length = v13_data
            v7_total += varint_size(v11_tag)
            v7_total += varint_size(v9_data_length)
            v7_total += max(v13_data, 0)
        if most_rows > 0 and n0 > first and v7_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v7_total > len(out) - p:
            return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(-1), p, p + v7_total)
        store_2(out, p, v1_version)
        p += 2
        store_2(out, p, v2_kraft_version)
        p += 2
        if v3_fields_count < 0 or v3_fields_count > 4294967295:
            return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        p = store_varint(out, p, v3_fields_count)
        for v14_element in range(v5_begin, v6_end):
            v15_data_length = np.int64(0)
            v16_measured = False
            v17_tag = np.int64(c3[U(v14_element)])
            v18_data = np.int64(c4[U(v14_element)])
            v19_data = np.int64(c5[U(v14_element)])
            if v19_data >= 0 and (v18_data < 0 or v19_data > len(c6) - v18_data):
                return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v15_data_length = v19_data
            p = store_varint(out, p, v17_tag)
            if v15_data_length < 0 or v15_data_length > 4294967295:
                return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            p = store_varint(out, p, v15_data_length)
            if v19_data < 0:
                return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            copy(out, p, c6, v18_data, v19_data)
            p += v19_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__kraft_version(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__endpoint(
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
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
):
    # c0: name_length, value
    # c1: name, position
    # c2: name, length
    # c3: name, bytes
    # c4: name, byte offsets
    # c5: name, is there
    # c6: host_length, value
    # c7: host, position
    # c8: host, length
    # c9: host, bytes
    # c10: host, byte offsets
    # c11: host, is there
    # c12: port, value
    # c13: tags.fields_count, value
    # c14: tags.fields, offsets
    # c15: tags.fields.tag, value, per element of tags.fields
    # c16: tags.fields.data_length, value, per element of tags.fields
    # c17: tags.fields.data, position, per element of tags.fields
    # c18: tags.fields.data, length, per element of tags.fields
    # c19: tags.fields.data, bytes, per element of tags.fields
    # c20: tags.fields.data, byte offsets, per element of tags.fields
    # c21: tags.fields.data, is there, per element of tags.fields
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
    w14 = wanted[14] != 0
    w15 = wanted[15] != 0
    w16 = wanted[16] != 0
    w17 = wanted[17] != 0
    w18 = wanted[18] != 0
    w19 = wanted[19] != 0
    w20 = wanted[20] != 0
    w21 = wanted[21] != 0
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
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if p < end and data[U(p)] < 128:
                v1_name_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v1_name_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v1_name_length, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                p = v2_behind
            if w0:
                c0[U(n0)] = v1_name_length
            if not (v1_name_length >= 1):
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v4_ = 1
            v3_size = (v1_name_length - v4_)
            if v3_size < 0:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
            if v3_size > end - p:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            v5_begin = p
            if w1:
                c1[U(n0)] = v5_begin
            if w2:
                c2[U(n0)] = v3_size
            if w3:
                v6_packed = np.int64(c4[U(n0)])
                if v3_size > len(c3) - v6_packed:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-65539), p, v6_packed + v3_size)
                copy(c3, v6_packed, data, v5_begin, v3_size)
                c4[U(n0 + 1)] = v6_packed + v3_size
                c5[U(n0)] = 1
            p += v3_size
            if p < end and data[U(p)] < 128:
                v7_host_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v7_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v7_host_length, v8_behind = long_varint(data, p, end, 5)
                if v8_behind < 0:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                p = v8_behind
            if w6:
                c6[U(n0)] = v7_host_length
            if not (v7_host_length >= 1):
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
            v10_ = 1
            v9_size = (v7_host_length - v10_)
            if v9_size < 0:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
            if v9_size > end - p:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
            v11_begin = p
            if w7:
                c7[U(n0)] = v11_begin
            if w8:
                c8[U(n0)] = v9_size
            if w9:
                v12_packed = np.int64(c10[U(n0)])
                if v9_size > len(c9) - v12_packed:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-65545), p, v12_packed + v9_size)
                copy(c9, v12_packed, data, v11_begin, v9_size)
                c10[U(n0 + 1)] = v12_packed + v9_size
                c11[U(n0)] = 1
            p += v9_size
            if end - p < 2:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
            v13_port = load_2(data, p)
            p += 2
            if w12:
                c12[U(n0)] = v13_port
            if p < end and data[U(p)] < 128:
                v14_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v14_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v14_fields_count, v15_behind = long_varint(data, p, end, 5)
                if v15_behind < 0:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                p = v15_behind
            if w13:
                c13[U(n0)] = v14_fields_count
            v16_count = v14_fields_count
            if v16_count < 0 or v16_count > (end - p) // 2:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
            if n1 + v16_count > cap1:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v16_count)
            for _ in range(v16_count):
                if p < end and data[U(p)] < 128:
                    v17_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v17_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v17_tag, v18_behind = long_varint(data, p, end, 5)
                    if v18_behind < 0:
                        return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                    p = v18_behind
                if w15:
                    c15[U(n1)] = v17_tag
                if p < end and data[U(p)] < 128:
                    v19_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v19_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v19_data_length, v20_behind = long_varint(data, p, end, 5)
                    if v20_behind < 0:
                        return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                    p = v20_behind
                if w16:
                    c16[U(n1)] = v19_data_length
                v21_size = v19_data_length
                if v21_size > end - p:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v22_begin = p
                if w17:
                    c17[U(n1)] = v22_begin
                if w18:
                    c18[U(n1)] = v21_size
                if w19:
                    v23_packed = np.int64(c20[U(n1)])
                    if v21_size > len(c19) - v23_packed:
                        return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-65555), p, v23_packed + v21_size)
                    copy(c19, v23_packed, data, v22_begin, v21_size)
                    c20[U(n1 + 1)] = v23_packed + v21_size
                    c21[U(n1)] = 1
                p += v21_size
                n1 += 1
            if w14:
                c14[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__endpoint(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__endpoint(
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
    c11,
):
    # c0: name, position
    # c1: name, length
    # c2: name, bytes
    # c3: host, position
    # c4: host, length
    # c5: host, bytes
    # c6: port, value
    # c7: tags.fields, offsets
    # c8: tags.fields.tag, value, per element of tags.fields
    # c9: tags.fields.data, position, per element of tags.fields
    # c10: tags.fields.data, length, per element of tags.fields
    # c11: tags.fields.data, bytes, per element of tags.fields
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
        v1_name_length = np.int64(0)
        v2_measured = False
        v3_host_length = np.int64(0)
        v4_measured = False
        v5_name = np.int64(c0[U(n0)])
        v6_name = np.int64(c1[U(n0)])
        if v6_name >= 0 and (v5_name < 0 or v6_name > len(c2) - v5_name):
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v7_host = np.int64(c3[U(n0)])
        v8_host = np.int64(c4[U(n0)])
        if v8_host >= 0 and (v7_host < 0 or v8_host > len(c5) - v7_host):
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v9_port = np.int64(c6[U(n0)])
        v10_fields_count = np.int64(0)
        v11_measured = False
        v12_begin, v13_end = np.int64(0), np.int64(0)
        if len(c7):
            v12_begin = c7[U(n0)]
            v13_end = c7[U(n0 + 1)]
        if v12_begin < 0 or v13_end < v12_begin or v13_end > size1:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        v10_fields_count = v13_end - v12_begin
        v1_name_length = v6_name + 1
        v3_host_length = v8_host + 1
        v14_total = np.int64(0)
        v14_total += varint_size(v1_name_length)
        v14_total += max(v6_name, 0)
        v14_total += varint_size(v3_host_length)
        v14_total += max(v8_host, 0)
        v14_total += 2
        v14_total += varint_size(v10_fields_count)
        for v15_element in range(v12_begin, v13_end):
            v16_data_length = np.int64(0)
            v17_measured = False
            v18_tag = np.int64(c8[U(v15_element)])
            v19_data = np.int64(c9[U(v15_element)])
            v20_data = np.int64(c10[U(v15_element)])
            if v20_data >= 0 and (v19_data < 0 or v20_data > len(c11) - v19_data):
                return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v16_data_length = v20_data
            v14_total += varint_size(v18_tag)
            v14_total += varint_size(v16_data_length)
            v14_total += max(v20_data, 0)
        if most_rows > 0 and n0 > first and v14_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v14_total > len(out) - p:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(-1), p, p + v14_total)
        if v1_name_length < 0 or v1_name_length > 4294967295:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        p = store_varint(out, p, v1_name_length)
        if not (v1_name_length >= 1):
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        if v6_name < 0:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        copy(out, p, c2, v5_name, v6_name)
        p += v6_name
        if v3_host_length < 0 or v3_host_length > 4294967295:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        p = store_varint(out, p, v3_host_length)
        if not (v3_host_length >= 1):
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        if v8_host < 0:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        copy(out, p, c5, v7_host, v8_host)
        p += v8_host
        store_2(out, p, v9_port)
        p += 2
        if v10_fields_count < 0 or v10_fields_count > 4294967295:
            return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        p = store_varint(out, p, v10_fields_count)
        for v21_element in range(v12_begin, v13_end):
            v22_data_length = np.int64(0)
            v23_measured = False
            v24_tag = np.int64(c8[U(v21_element)])
            v25_data = np.int64(c9[U(v21_element)])
            v26_data = np.int64(c10[U(v21_element)])
            if v26_data >= 0 and (v25_data < 0 or v26_data > len(c11) - v25_data):
                return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
            v22_data_length = v26_data
            p = store_varint(out, p, v24_tag)
            if v22_data_length < 0 or v22_data_length > 4294967295:
                return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            p = store_varint(out, p, v22_data_length)
            if v26_data < 0:
                return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            copy(out, p, c11, v25_data, v26_data)
            p += v26_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__endpoint(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_control_record__kraft_version_feature(
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
):
    # c0: min_supported_version, value
    # c1: max_supported_version, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    # c8: tags.fields.data, bytes, per element of tags.fields
    # c9: tags.fields.data, byte offsets, per element of tags.fields
    # c10: tags.fields.data, is there, per element of tags.fields
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
                return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_min_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_min_supported_version
            if end - p < 2:
                return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v2_max_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w1:
                c1[U(n0)] = v2_max_supported_version
            if p < end and data[U(p)] < 128:
                v3_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v3_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v3_fields_count, v4_behind = long_varint(data, p, end, 5)
                if v4_behind < 0:
                    return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                p = v4_behind
            if w2:
                c2[U(n0)] = v3_fields_count
            v5_count = v3_fields_count
            if v5_count < 0 or v5_count > (end - p) // 2:
                return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            if n1 + v5_count > cap1:
                return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v5_count)
            for _ in range(v5_count):
                if p < end and data[U(p)] < 128:
                    v6_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v6_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v6_tag, v7_behind = long_varint(data, p, end, 5)
                    if v7_behind < 0:
                        return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                    p = v7_behind
                if w4:
                    c4[U(n1)] = v6_tag
                if p < end and data[U(p)] < 128:
                    v8_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v8_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v8_data_length, v9_behind = long_varint(data, p, end, 5)
                    if v9_behind < 0:
                        return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                    p = v9_behind
                if w5:
                    c5[U(n1)] = v8_data_length
                v10_size = v8_data_length
                if v10_size > end - p:
                    return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                v11_begin = p
                if w6:
                    c6[U(n1)] = v11_begin
                if w7:
                    c7[U(n1)] = v10_size
                if w8:
                    v12_packed = np.int64(c9[U(n1)])
                    if v10_size > len(c8) - v12_packed:
                        return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(-65544), p, v12_packed + v10_size)
                    copy(c8, v12_packed, data, v11_begin, v10_size)
                    c9[U(n1 + 1)] = v12_packed + v10_size
                    c10[U(n1)] = 1
                p += v10_size
                n1 += 1
            if w3:
                c3[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__kraft_version_feature(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__kraft_version_feature(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
):
    # c0: min_supported_version, value
    # c1: max_supported_version, value
    # c2: tags.fields, offsets
    # c3: tags.fields.tag, value, per element of tags.fields
    # c4: tags.fields.data, position, per element of tags.fields
    # c5: tags.fields.data, length, per element of tags.fields
    # c6: tags.fields.data, bytes, per element of tags.fields
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
        v1_min_supported_version = np.int64(c0[U(n0)])
        v2_max_supported_version = np.int64(c1[U(n0)])
        v3_fields_count = np.int64(0)
        v4_measured = False
        v5_begin, v6_end = np.int64(0), np.int64(0)
        if len(c2):
            v5_begin = c2[U(n0)]
            v6_end = c2[U(n0 + 1)]
        if v5_begin < 0 or v6_end < v5_begin or v6_end > size1:
            return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_fields_count = v6_end - v5_begin
        v7_total = np.int64(0)
        v7_total += 2
        v7_total += 2
        v7_total += varint_size(v3_fields_count)
        for v8_element in range(v5_begin, v6_end):
            v9_data_length = np.int64(0)
            v10_measured = False
            v11_tag = np.int64(c3[U(v8_element)])
            v12_data = np.int64(c4[U(v8_element)])
            v13_data = np.int64(c5[U(v8_element)])
            if v13_data >= 0 and (v12_data < 0 or v13_data > len(c6) - v12_data):
                return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v9_data_length = v13_data
            v7_total += varint_size(v11_tag)
            v7_total += varint_size(v9_data_length)
            v7_total += max(v13_data, 0)
        if most_rows > 0 and n0 > first and v7_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v7_total > len(out) - p:
            return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(-1), p, p + v7_total)
        store_2(out, p, v1_min_supported_version)
        p += 2
        store_2(out, p, v2_max_supported_version)
        p += 2
        if v3_fields_count < 0 or v3_fields_count > 4294967295:
            return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        p = store_varint(out, p, v3_fields_count)
        for v14_element in range(v5_begin, v6_end):
            v15_data_length = np.int64(0)
            v16_measured = False
            v17_tag = np.int64(c3[U(v14_element)])
            v18_data = np.int64(c4[U(v14_element)])
            v19_data = np.int64(c5[U(v14_element)])
            if v19_data >= 0 and (v18_data < 0 or v19_data > len(c6) - v18_data):
                return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v15_data_length = v19_data
            p = store_varint(out, p, v17_tag)
            if v15_data_length < 0 or v15_data_length > 4294967295:
                return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            p = store_varint(out, p, v15_data_length)
            if v19_data < 0:
                return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            copy(out, p, c6, v18_data, v19_data)
            p += v19_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__kraft_version_feature(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    state[FIRST_TABLE + 1] = s2
    state[FIRST_TABLE + 2] = s3
    state[FIRST_TABLE + 3] = s4
    return site


@kernel
def decode_control_record__kraft_voter(
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
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
    c27,
    c28,
    c29,
    c30,
    c31,
    c32,
    c33,
    c34,
    c35,
    c36,
    c37,
    c38,
    c39,
    c40,
    c41,
    c42,
    c43,
    c44,
    c45,
    c46,
    c47,
    c48,
    c49,
):
    # c0: voter_id, value
    # c1: voter_directory_id, position
    # c2: voter_directory_id, length
    # c3: voter_directory_id, bytes
    # c4: voter_directory_id, byte offsets
    # c5: voter_directory_id, is there
    # c6: endpoints_length, value
    # c7: endpoints, offsets
    # c8: endpoints.name_length, value, per element of endpoints
    # c9: endpoints.name, position, per element of endpoints
    # c10: endpoints.name, length, per element of endpoints
    # c11: endpoints.name, bytes, per element of endpoints
    # c12: endpoints.name, byte offsets, per element of endpoints
    # c13: endpoints.name, is there, per element of endpoints
    # c14: endpoints.host_length, value, per element of endpoints
    # c15: endpoints.host, position, per element of endpoints
    # c16: endpoints.host, length, per element of endpoints
    # c17: endpoints.host, bytes, per element of endpoints
    # c18: endpoints.host, byte offsets, per element of endpoints
    # c19: endpoints.host, is there, per element of endpoints
    # c20: endpoints.port, value, per element of endpoints
    # c21: endpoints.tags.fields_count, value, per element of endpoints
    # c22: endpoints.tags.fields, offsets, per element of endpoints
    # c23: endpoints.tags.fields.tag, value, per element of endpoints.tags.fields
    # c24: endpoints.tags.fields.data_length, value, per element of endpoints.tags.fields
    # c25: endpoints.tags.fields.data, position, per element of endpoints.tags.fields
    # c26: endpoints.tags.fields.data, length, per element of endpoints.tags.fields
    # c27: endpoints.tags.fields.data, bytes, per element of endpoints.tags.fields
    # c28: endpoints.tags.fields.data, byte offsets, per element of endpoints.tags.fields
    # c29: endpoints.tags.fields.data, is there, per element of endpoints.tags.fields
    # c30: kraft_version_feature.min_supported_version, value
    # c31: kraft_version_feature.max_supported_version, value
    # c32: kraft_version_feature.tags.fields_count, value
    # c33: kraft_version_feature.tags.fields, offsets
    # c34: kraft_version_feature.tags.fields.tag, value, per element of kraft_version_feature.tags.fields
    # c35: kraft_version_feature.tags.fields.data_length, value, per element of kraft_version_feature.tags.fields
    # c36: kraft_version_feature.tags.fields.data, position, per element of kraft_version_feature.tags.fields
    # c37: kraft_version_feature.tags.fields.data, length, per element of kraft_version_feature.tags.fields
    # c38: kraft_version_feature.tags.fields.data, bytes, per element of kraft_version_feature.tags.fields
    # c39: kraft_version_feature.tags.fields.data, byte offsets, per element of kraft_version_feature.tags.fields
    # c40: kraft_version_feature.tags.fields.data, is there, per element of kraft_version_feature.tags.fields
    # c41: tags.fields_count, value
    # c42: tags.fields, offsets
    # c43: tags.fields.tag, value, per element of tags.fields
    # c44: tags.fields.data_length, value, per element of tags.fields
    # c45: tags.fields.data, position, per element of tags.fields
    # c46: tags.fields.data, length, per element of tags.fields
    # c47: tags.fields.data, bytes, per element of tags.fields
    # c48: tags.fields.data, byte offsets, per element of tags.fields
    # c49: tags.fields.data, is there, per element of tags.fields
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
    w14 = wanted[14] != 0
    w15 = wanted[15] != 0
    w16 = wanted[16] != 0
    w17 = wanted[17] != 0
    w18 = wanted[18] != 0
    w19 = wanted[19] != 0
    w20 = wanted[20] != 0
    w21 = wanted[21] != 0
    w22 = wanted[22] != 0
    w23 = wanted[23] != 0
    w24 = wanted[24] != 0
    w25 = wanted[25] != 0
    w26 = wanted[26] != 0
    w27 = wanted[27] != 0
    w28 = wanted[28] != 0
    w29 = wanted[29] != 0
    w30 = wanted[30] != 0
    w31 = wanted[31] != 0
    w32 = wanted[32] != 0
    w33 = wanted[33] != 0
    w34 = wanted[34] != 0
    w35 = wanted[35] != 0
    w36 = wanted[36] != 0
    w37 = wanted[37] != 0
    w38 = wanted[38] != 0
    w39 = wanted[39] != 0
    w40 = wanted[40] != 0
    w41 = wanted[41] != 0
    w42 = wanted[42] != 0
    w43 = wanted[43] != 0
    w44 = wanted[44] != 0
    w45 = wanted[45] != 0
    w46 = wanted[46] != 0
    w47 = wanted[47] != 0
    w48 = wanted[48] != 0
    w49 = wanted[49] != 0
    cap0 = capacities[0]
    cap1 = capacities[1]
    cap2 = capacities[2]
    cap3 = capacities[3]
    cap4 = capacities[4]
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    n1 = state[FIRST_TABLE + 0]
    n2 = state[FIRST_TABLE + 1]
    n3 = state[FIRST_TABLE + 2]
    n4 = state[FIRST_TABLE + 3]
    start = p
    s1 = n1
    s2 = n2
    s3 = n3
    s4 = n4
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            s1 = n1
            s2 = n2
            s3 = n3
            s4 = n4
            if n0 >= cap0:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-1), p, n0 + 1)
            if end - p < 4:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(2), p, np.int64(0))
            v1_voter_id = (load_4(data, p) << 32) >> 32
            p += 4
            if w0:
                c0[U(n0)] = v1_voter_id
            v2_size = 16
            if v2_size > end - p:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(3), p, np.int64(0))
            v3_begin = p
            if w1:
                c1[U(n0)] = v3_begin
            if w2:
                c2[U(n0)] = v2_size
            if w3:
                v4_packed = np.int64(c4[U(n0)])
                if v2_size > len(c3) - v4_packed:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65539), p, v4_packed + v2_size)
                copy(c3, v4_packed, data, v3_begin, v2_size)
                c4[U(n0 + 1)] = v4_packed + v2_size
                c5[U(n0)] = 1
            p += v2_size
            if p < end and data[U(p)] < 128:
                v5_endpoints_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v5_endpoints_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v5_endpoints_length, v6_behind = long_varint(data, p, end, 5)
                if v6_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(4), p, np.int64(0))
                p = v6_behind
            if w6:
                c6[U(n0)] = v5_endpoints_length
            if not (v5_endpoints_length >= 1):
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(5), p, np.int64(0))
            v8_ = 1
            v7_count = (v5_endpoints_length - v8_)
            if v7_count < 0 or v7_count > (end - p) // 5:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(6), p, np.int64(0))
            if n1 + v7_count > cap1:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-2), p, n1 + v7_count)
            for _ in range(v7_count):
                if p < end and data[U(p)] < 128:
                    v9_name_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v9_name_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v9_name_length, v10_behind = long_varint(data, p, end, 5)
                    if v10_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(7), p, np.int64(0))
                    p = v10_behind
                if w8:
                    c8[U(n1)] = v9_name_length
                if not (v9_name_length >= 1):
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(8), p, np.int64(0))
                v12_ = 1
                v11_size = (v9_name_length - v12_)
                if v11_size < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(9), p, np.int64(0))
                if v11_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(10), p, np.int64(0))
                v13_begin = p
                if w9:
                    c9[U(n1)] = v13_begin
                if w10:
                    c10[U(n1)] = v11_size
                if w11:
                    v14_packed = np.int64(c12[U(n1)])
                    if v11_size > len(c11) - v14_packed:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65547), p, v14_packed + v11_size)
                    copy(c11, v14_packed, data, v13_begin, v11_size)
                    c12[U(n1 + 1)] = v14_packed + v11_size
                    c13[U(n1)] = 1
                p += v11_size
                if p < end and data[U(p)] < 128:
                    v15_host_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v15_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v15_host_length, v16_behind = long_varint(data, p, end, 5)
                    if v16_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(11), p, np.int64(0))
                    p = v16_behind
                if w14:
                    c14[U(n1)] = v15_host_length
                if not (v15_host_length >= 1):
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(12), p, np.int64(0))
                v18_ = 1
                v17_size = (v15_host_length - v18_)
                if v17_size < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(13), p, np.int64(0))
                if v17_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(14), p, np.int64(0))
                v19_begin = p
                if w15:
                    c15[U(n1)] = v19_begin
                if w16:
                    c16[U(n1)] = v17_size
                if w17:
                    v20_packed = np.int64(c18[U(n1)])
                    if v17_size > len(c17) - v20_packed:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65553), p, v20_packed + v17_size)
                    copy(c17, v20_packed, data, v19_begin, v17_size)
                    c18[U(n1 + 1)] = v20_packed + v17_size
                    c19[U(n1)] = 1
                p += v17_size
                if end - p < 2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(15), p, np.int64(0))
                v21_port = load_2(data, p)
                p += 2
                if w20:
                    c20[U(n1)] = v21_port
                if p < end and data[U(p)] < 128:
                    v22_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v22_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v22_fields_count, v23_behind = long_varint(data, p, end, 5)
                    if v23_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(16), p, np.int64(0))
                    p = v23_behind
                if w21:
                    c21[U(n1)] = v22_fields_count
                v24_count = v22_fields_count
                if v24_count < 0 or v24_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(17), p, np.int64(0))
                if n2 + v24_count > cap2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-3), p, n2 + v24_count)
                for _ in range(v24_count):
                    if p < end and data[U(p)] < 128:
                        v25_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v25_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v25_tag, v26_behind = long_varint(data, p, end, 5)
                        if v26_behind < 0:
                            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(18), p, np.int64(0))
                        p = v26_behind
                    if w23:
                        c23[U(n2)] = v25_tag
                    if p < end and data[U(p)] < 128:
                        v27_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v27_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v27_data_length, v28_behind = long_varint(data, p, end, 5)
                        if v28_behind < 0:
                            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(19), p, np.int64(0))
                        p = v28_behind
                    if w24:
                        c24[U(n2)] = v27_data_length
                    v29_size = v27_data_length
                    if v29_size > end - p:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(20), p, np.int64(0))
                    v30_begin = p
                    if w25:
                        c25[U(n2)] = v30_begin
                    if w26:
                        c26[U(n2)] = v29_size
                    if w27:
                        v31_packed = np.int64(c28[U(n2)])
                        if v29_size > len(c27) - v31_packed:
                            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65563), p, v31_packed + v29_size)
                        copy(c27, v31_packed, data, v30_begin, v29_size)
                        c28[U(n2 + 1)] = v31_packed + v29_size
                        c29[U(n2)] = 1
                    p += v29_size
                    n2 += 1
                if w22:
                    c22[U(n1 + 1)] = n2
                n1 += 1
            if w7:
                c7[U(n0 + 1)] = n1
            if end - p < 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(21), p, np.int64(0))
            v32_min_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w30:
                c30[U(n0)] = v32_min_supported_version
            if end - p < 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(22), p, np.int64(0))
            v33_max_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w31:
                c31[U(n0)] = v33_max_supported_version
            if p < end and data[U(p)] < 128:
                v34_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v34_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v34_fields_count, v35_behind = long_varint(data, p, end, 5)
                if v35_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(23), p, np.int64(0))
                p = v35_behind
            if w32:
                c32[U(n0)] = v34_fields_count
            v36_count = v34_fields_count
            if v36_count < 0 or v36_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(24), p, np.int64(0))
            if n3 + v36_count > cap3:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-4), p, n3 + v36_count)
            for _ in range(v36_count):
                if p < end and data[U(p)] < 128:
                    v37_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v37_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v37_tag, v38_behind = long_varint(data, p, end, 5)
                    if v38_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(25), p, np.int64(0))
                    p = v38_behind
                if w34:
                    c34[U(n3)] = v37_tag
                if p < end and data[U(p)] < 128:
                    v39_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v39_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v39_data_length, v40_behind = long_varint(data, p, end, 5)
                    if v40_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(26), p, np.int64(0))
                    p = v40_behind
                if w35:
                    c35[U(n3)] = v39_data_length
                v41_size = v39_data_length
                if v41_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(27), p, np.int64(0))
                v42_begin = p
                if w36:
                    c36[U(n3)] = v42_begin
                if w37:
                    c37[U(n3)] = v41_size
                if w38:
                    v43_packed = np.int64(c39[U(n3)])
                    if v41_size > len(c38) - v43_packed:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65574), p, v43_packed + v41_size)
                    copy(c38, v43_packed, data, v42_begin, v41_size)
                    c39[U(n3 + 1)] = v43_packed + v41_size
                    c40[U(n3)] = 1
                p += v41_size
                n3 += 1
            if w33:
                c33[U(n0 + 1)] = n3
            if p < end and data[U(p)] < 128:
                v44_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v44_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v44_fields_count, v45_behind = long_varint(data, p, end, 5)
                if v45_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(28), p, np.int64(0))
                p = v45_behind
            if w41:
                c41[U(n0)] = v44_fields_count
            v46_count = v44_fields_count
            if v46_count < 0 or v46_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(29), p, np.int64(0))
            if n4 + v46_count > cap4:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-5), p, n4 + v46_count)
            for _ in range(v46_count):
                if p < end and data[U(p)] < 128:
                    v47_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v47_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v47_tag, v48_behind = long_varint(data, p, end, 5)
                    if v48_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(30), p, np.int64(0))
                    p = v48_behind
                if w43:
                    c43[U(n4)] = v47_tag
                if p < end and data[U(p)] < 128:
                    v49_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v49_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v49_data_length, v50_behind = long_varint(data, p, end, 5)
                    if v50_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(31), p, np.int64(0))
                    p = v50_behind
                if w44:
                    c44[U(n4)] = v49_data_length
                v51_size = v49_data_length
                if v51_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(32), p, np.int64(0))
                v52_begin = p
                if w45:
                    c45[U(n4)] = v52_begin
                if w46:
                    c46[U(n4)] = v51_size
                if w47:
                    v53_packed = np.int64(c48[U(n4)])
                    if v51_size > len(c47) - v53_packed:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-65583), p, v53_packed + v51_size)
                    copy(c47, v53_packed, data, v52_begin, v51_size)
                    c48[U(n4 + 1)] = v53_packed + v51_size
                    c49[U(n4)] = 1
                p += v51_size
                n4 += 1
            if w42:
                c42[U(n0 + 1)] = n4
            n0 += 1
            done += 1
        start = p
        s1 = n1
        s2 = n2
        s3 = n3
        s4 = n4
        if p < end:
            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__kraft_voter(
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
    c11,
    c12,
    c13,
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
    c27,
    c28,
):
    # c0: voter_id, value
    # c1: voter_directory_id, position
    # c2: voter_directory_id, length
    # c3: voter_directory_id, bytes
    # c4: endpoints, offsets
    # c5: kraft_version_feature.min_supported_version, value
    # c6: kraft_version_feature.max_supported_version, value
    # c7: kraft_version_feature.tags.fields, offsets
    # c8: tags.fields, offsets
    # c9: endpoints.name, position, per element of endpoints
    # c10: endpoints.name, length, per element of endpoints
    # c11: endpoints.name, bytes, per element of endpoints
    # c12: endpoints.host, position, per element of endpoints
    # c13: endpoints.host, length, per element of endpoints
    # c14: endpoints.host, bytes, per element of endpoints
    # c15: endpoints.port, value, per element of endpoints
    # c16: endpoints.tags.fields, offsets, per element of endpoints
    # c17: endpoints.tags.fields.tag, value, per element of endpoints.tags.fields
    # c18: endpoints.tags.fields.data, position, per element of endpoints.tags.fields
    # c19: endpoints.tags.fields.data, length, per element of endpoints.tags.fields
    # c20: endpoints.tags.fields.data, bytes, per element of endpoints.tags.fields
    # c21: kraft_version_feature.tags.fields.tag, value, per element of kraft_version_feature.tags.fields
    # c22: kraft_version_feature.tags.fields.data, position, per element of kraft_version_feature.tags.fields
    # c23: kraft_version_feature.tags.fields.data, length, per element of kraft_version_feature.tags.fields
    # c24: kraft_version_feature.tags.fields.data, bytes, per element of kraft_version_feature.tags.fields
    # c25: tags.fields.tag, value, per element of tags.fields
    # c26: tags.fields.data, position, per element of tags.fields
    # c27: tags.fields.data, length, per element of tags.fields
    # c28: tags.fields.data, bytes, per element of tags.fields
    size1 = sizes[1]
    size2 = sizes[2]
    size3 = sizes[3]
    size4 = sizes[4]
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_endpoints_length = np.int64(0)
        v2_measured = False
        v3_voter_id = np.int64(c0[U(n0)])
        v4_voter_directory_id = np.int64(c1[U(n0)])
        v5_voter_directory_id = np.int64(c2[U(n0)])
        if v5_voter_directory_id >= 0 and (v4_voter_directory_id < 0 or v5_voter_directory_id > len(c3) - v4_voter_directory_id):
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v6_begin, v7_end = np.int64(0), np.int64(0)
        if len(c4):
            v6_begin = c4[U(n0)]
            v7_end = c4[U(n0 + 1)]
        if v6_begin < 0 or v7_end < v6_begin or v7_end > size1:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v8_min_supported_version = np.int64(c5[U(n0)])
        v9_max_supported_version = np.int64(c6[U(n0)])
        v10_fields_count = np.int64(0)
        v11_measured = False
        v12_begin, v13_end = np.int64(0), np.int64(0)
        if len(c7):
            v12_begin = c7[U(n0)]
            v13_end = c7[U(n0 + 1)]
        if v12_begin < 0 or v13_end < v12_begin or v13_end > size2:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        v10_fields_count = v13_end - v12_begin
        v14_fields_count = np.int64(0)
        v15_measured = False
        v16_begin, v17_end = np.int64(0), np.int64(0)
        if len(c8):
            v16_begin = c8[U(n0)]
            v17_end = c8[U(n0 + 1)]
        if v16_begin < 0 or v17_end < v16_begin or v17_end > size3:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        v14_fields_count = v17_end - v16_begin
        v1_endpoints_length = v7_end - v6_begin + 1
        v18_total = np.int64(0)
        v18_total += 4
        v18_total += max(v5_voter_directory_id, 0)
        v18_total += varint_size(v1_endpoints_length)
        for v19_element in range(v6_begin, v7_end):
            v20_name_length = np.int64(0)
            v21_measured = False
            v22_host_length = np.int64(0)
            v23_measured = False
            v24_name = np.int64(c9[U(v19_element)])
            v25_name = np.int64(c10[U(v19_element)])
            if v25_name >= 0 and (v24_name < 0 or v25_name > len(c11) - v24_name):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            v26_host = np.int64(c12[U(v19_element)])
            v27_host = np.int64(c13[U(v19_element)])
            if v27_host >= 0 and (v26_host < 0 or v27_host > len(c14) - v26_host):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            v28_port = np.int64(c15[U(v19_element)])
            v29_fields_count = np.int64(0)
            v30_measured = False
            v31_begin, v32_end = np.int64(0), np.int64(0)
            if len(c16):
                v31_begin = c16[U(v19_element)]
                v32_end = c16[U(v19_element + 1)]
            if v31_begin < 0 or v32_end < v31_begin or v32_end > size4:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
            v29_fields_count = v32_end - v31_begin
            v20_name_length = v25_name + 1
            v22_host_length = v27_host + 1
            v18_total += varint_size(v20_name_length)
            v18_total += max(v25_name, 0)
            v18_total += varint_size(v22_host_length)
            v18_total += max(v27_host, 0)
            v18_total += 2
            v18_total += varint_size(v29_fields_count)
            for v33_element in range(v31_begin, v32_end):
                v34_data_length = np.int64(0)
                v35_measured = False
                v36_tag = np.int64(c17[U(v33_element)])
                v37_data = np.int64(c18[U(v33_element)])
                v38_data = np.int64(c19[U(v33_element)])
                if v38_data >= 0 and (v37_data < 0 or v38_data > len(c20) - v37_data):
                    return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
                v34_data_length = v38_data
                v18_total += varint_size(v36_tag)
                v18_total += varint_size(v34_data_length)
                v18_total += max(v38_data, 0)
        v18_total += 2
        v18_total += 2
        v18_total += varint_size(v10_fields_count)
        for v39_element in range(v12_begin, v13_end):
            v40_data_length = np.int64(0)
            v41_measured = False
            v42_tag = np.int64(c21[U(v39_element)])
            v43_data = np.int64(c22[U(v39_element)])
            v44_data = np.int64(c23[U(v39_element)])
            if v44_data >= 0 and (v43_data < 0 or v44_data > len(c24) - v43_data):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
            v40_data_length = v44_data
            v18_total += varint_size(v42_tag)
            v18_total += varint_size(v40_data_length)
            v18_total += max(v44_data, 0)
        v18_total += varint_size(v14_fields_count)
        for v45_element in range(v16_begin, v17_end):
            v46_data_length = np.int64(0)
            v47_measured = False
            v48_tag = np.int64(c25[U(v45_element)])
            v49_data = np.int64(c26[U(v45_element)])
            v50_data = np.int64(c27[U(v45_element)])
            if v50_data >= 0 and (v49_data < 0 or v50_data > len(c28) - v49_data):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
            v46_data_length = v50_data
            v18_total += varint_size(v48_tag)
            v18_total += varint_size(v46_data_length)
            v18_total += max(v50_data, 0)
        if most_rows > 0 and n0 > first and v18_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v18_total > len(out) - p:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(-1), p, p + v18_total)
        store_4(out, p, v3_voter_id)
        p += 4
        if v5_voter_directory_id < 0:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        if v5_voter_directory_id != 16:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
        copy(out, p, c3, v4_voter_directory_id, v5_voter_directory_id)
        p += v5_voter_directory_id
        if v1_endpoints_length < 0 or v1_endpoints_length > 4294967295:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
        p = store_varint(out, p, v1_endpoints_length)
        if not (v1_endpoints_length >= 1):
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
        for v51_element in range(v6_begin, v7_end):
            v52_name_length = np.int64(0)
            v53_measured = False
            v54_host_length = np.int64(0)
            v55_measured = False
            v56_name = np.int64(c9[U(v51_element)])
            v57_name = np.int64(c10[U(v51_element)])
            if v57_name >= 0 and (v56_name < 0 or v57_name > len(c11) - v56_name):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
            v58_host = np.int64(c12[U(v51_element)])
            v59_host = np.int64(c13[U(v51_element)])
            if v59_host >= 0 and (v58_host < 0 or v59_host > len(c14) - v58_host):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
            v60_port = np.int64(c15[U(v51_element)])
            v61_fields_count = np.int64(0)
            v62_measured = False
            v63_begin, v64_end = np.int64(0), np.int64(0)
            if len(c16):
                v63_begin = c16[U(v51_element)]
                v64_end = c16[U(v51_element + 1)]
            if v63_begin < 0 or v64_end < v63_begin or v64_end > size4:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
            v61_fields_count = v64_end - v63_begin
            v52_name_length = v57_name + 1
            v54_host_length = v59_host + 1
            if v52_name_length < 0 or v52_name_length > 4294967295:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            p = store_varint(out, p, v52_name_length)
            if not (v52_name_length >= 1):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            if v57_name < 0:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
            copy(out, p, c11, v56_name, v57_name)
            p += v57_name
            if v54_host_length < 0 or v54_host_length > 4294967295:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
            p = store_varint(out, p, v54_host_length)
            if not (v54_host_length >= 1):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(23), p, np.int64(0))
            if v59_host < 0:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(24), p, np.int64(0))
            copy(out, p, c14, v58_host, v59_host)
            p += v59_host
            store_2(out, p, v60_port)
            p += 2
            if v61_fields_count < 0 or v61_fields_count > 4294967295:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(25), p, np.int64(0))
            p = store_varint(out, p, v61_fields_count)
            for v65_element in range(v63_begin, v64_end):
                v66_data_length = np.int64(0)
                v67_measured = False
                v68_tag = np.int64(c17[U(v65_element)])
                v69_data = np.int64(c18[U(v65_element)])
                v70_data = np.int64(c19[U(v65_element)])
                if v70_data >= 0 and (v69_data < 0 or v70_data > len(c20) - v69_data):
                    return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(26), p, np.int64(0))
                v66_data_length = v70_data
                p = store_varint(out, p, v68_tag)
                if v66_data_length < 0 or v66_data_length > 4294967295:
                    return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(27), p, np.int64(0))
                p = store_varint(out, p, v66_data_length)
                if v70_data < 0:
                    return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(28), p, np.int64(0))
                copy(out, p, c20, v69_data, v70_data)
                p += v70_data
        store_2(out, p, v8_min_supported_version)
        p += 2
        store_2(out, p, v9_max_supported_version)
        p += 2
        if v10_fields_count < 0 or v10_fields_count > 4294967295:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(29), p, np.int64(0))
        p = store_varint(out, p, v10_fields_count)
        for v71_element in range(v12_begin, v13_end):
            v72_data_length = np.int64(0)
            v73_measured = False
            v74_tag = np.int64(c21[U(v71_element)])
            v75_data = np.int64(c22[U(v71_element)])
            v76_data = np.int64(c23[U(v71_element)])
            if v76_data >= 0 and (v75_data < 0 or v76_data > len(c24) - v75_data):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(30), p, np.int64(0))
            v72_data_length = v76_data
            p = store_varint(out, p, v74_tag)
            if v72_data_length < 0 or v72_data_length > 4294967295:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(31), p, np.int64(0))
            p = store_varint(out, p, v72_data_length)
            if v76_data < 0:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(32), p, np.int64(0))
            copy(out, p, c24, v75_data, v76_data)
            p += v76_data
        if v14_fields_count < 0 or v14_fields_count > 4294967295:
            return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(33), p, np.int64(0))
        p = store_varint(out, p, v14_fields_count)
        for v77_element in range(v16_begin, v17_end):
            v78_data_length = np.int64(0)
            v79_measured = False
            v80_tag = np.int64(c25[U(v77_element)])
            v81_data = np.int64(c26[U(v77_element)])
            v82_data = np.int64(c27[U(v77_element)])
            if v82_data >= 0 and (v81_data < 0 or v82_data > len(c28) - v81_data):
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(34), p, np.int64(0))
            v78_data_length = v82_data
            p = store_varint(out, p, v80_tag)
            if v78_data_length < 0 or v78_data_length > 4294967295:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(35), p, np.int64(0))
            p = store_varint(out, p, v78_data_length)
            if v82_data < 0:
                return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(36), p, np.int64(0))
            copy(out, p, c28, v81_data, v82_data)
            p += v82_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__kraft_voter(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    state[FIRST_TABLE + 1] = s2
    state[FIRST_TABLE + 2] = s3
    state[FIRST_TABLE + 3] = s4
    state[FIRST_TABLE + 4] = s5
    state[FIRST_TABLE + 5] = s6
    return site


@kernel
def decode_control_record__kraft_voters(
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
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
    c27,
    c28,
    c29,
    c30,
    c31,
    c32,
    c33,
    c34,
    c35,
    c36,
    c37,
    c38,
    c39,
    c40,
    c41,
    c42,
    c43,
    c44,
    c45,
    c46,
    c47,
    c48,
    c49,
    c50,
    c51,
    c52,
    c53,
    c54,
    c55,
    c56,
    c57,
    c58,
    c59,
    c60,
    c61,
):
    # c0: version, value
    # c1: voters_length, value
    # c2: voters, offsets
    # c3: voters.voter_id, value, per element of voters
    # c4: voters.voter_directory_id, position, per element of voters
    # c5: voters.voter_directory_id, length, per element of voters
    # c6: voters.voter_directory_id, bytes, per element of voters
    # c7: voters.voter_directory_id, byte offsets, per element of voters
    # c8: voters.voter_directory_id, is there, per element of voters
    # c9: voters.endpoints_length, value, per element of voters
    # c10: voters.endpoints, offsets, per element of voters
    # c11: voters.endpoints.name_length, value, per element of voters.endpoints
    # c12: voters.endpoints.name, position, per element of voters.endpoints
    # c13: voters.endpoints.name, length, per element of voters.endpoints
    # c14: voters.endpoints.name, bytes, per element of voters.endpoints
    # c15: voters.endpoints.name, byte offsets, per element of voters.endpoints
    # c16: voters.endpoints.name, is there, per element of voters.endpoints
    # c17: voters.endpoints.host_length, value, per element of voters.endpoints
    # c18: voters.endpoints.host, position, per element of voters.endpoints
    # c19: voters.endpoints.host, length, per element of voters.endpoints
    # c20: voters.endpoints.host, bytes, per element of voters.endpoints
    # c21: voters.endpoints.host, byte offsets, per element of voters.endpoints
    # c22: voters.endpoints.host, is there, per element of voters.endpoints
    # c23: voters.endpoints.port, value, per element of voters.endpoints
    # c24: voters.endpoints.tags.fields_count, value, per element of voters.endpoints
    # c25: voters.endpoints.tags.fields, offsets, per element of voters.endpoints
    # c26: voters.endpoints.tags.fields.tag, value, per element of voters.endpoints.tags.fields
    # c27: voters.endpoints.tags.fields.data_length, value, per element of voters.endpoints.tags.fields
    # c28: voters.endpoints.tags.fields.data, position, per element of voters.endpoints.tags.fields
    # c29: voters.endpoints.tags.fields.data, length, per element of voters.endpoints.tags.fields
    # c30: voters.endpoints.tags.fields.data, bytes, per element of voters.endpoints.tags.fields
    # c31: voters.endpoints.tags.fields.data, byte offsets, per element of voters.endpoints.tags.fields
    # c32: voters.endpoints.tags.fields.data, is there, per element of voters.endpoints.tags.fields
    # c33: voters.kraft_version_feature.min_supported_version, value, per element of voters
    # c34: voters.kraft_version_feature.max_supported_version, value, per element of voters
    # c35: voters.kraft_version_feature.tags.fields_count, value, per element of voters
    # c36: voters.kraft_version_feature.tags.fields, offsets, per element of voters
    # c37: voters.kraft_version_feature.tags.fields.tag, value, per element of voters.kraft_version_feature.tags.fields
    # c38: voters.kraft_version_feature.tags.fields.data_length, value, per element of voters.kraft_version_feature.tags.fields
    # c39: voters.kraft_version_feature.tags.fields.data, position, per element of voters.kraft_version_feature.tags.fields
    # c40: voters.kraft_version_feature.tags.fields.data, length, per element of voters.kraft_version_feature.tags.fields
    # c41: voters.kraft_version_feature.tags.fields.data, bytes, per element of voters.kraft_version_feature.tags.fields
    # c42: voters.kraft_version_feature.tags.fields.data, byte offsets, per element of voters.kraft_version_feature.tags.fields
    # c43: voters.kraft_version_feature.tags.fields.data, is there, per element of voters.kraft_version_feature.tags.fields
    # c44: voters.tags.fields_count, value, per element of voters
    # c45: voters.tags.fields, offsets, per element of voters
    # c46: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c47: voters.tags.fields.data_length, value, per element of voters.tags.fields
    # c48: voters.tags.fields.data, position, per element of voters.tags.fields
    # c49: voters.tags.fields.data, length, per element of voters.tags.fields
    # c50: voters.tags.fields.data, bytes, per element of voters.tags.fields
    # c51: voters.tags.fields.data, byte offsets, per element of voters.tags.fields
    # c52: voters.tags.fields.data, is there, per element of voters.tags.fields
    # c53: tags.fields_count, value
    # c54: tags.fields, offsets
    # c55: tags.fields.tag, value, per element of tags.fields
    # c56: tags.fields.data_length, value, per element of tags.fields
    # c57: tags.fields.data, position, per element of tags.fields
    # c58: tags.fields.data, length, per element of tags.fields
    # c59: tags.fields.data, bytes, per element of tags.fields
    # c60: tags.fields.data, byte offsets, per element of tags.fields
    # c61: tags.fields.data, is there, per element of tags.fields
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
    w14 = wanted[14] != 0
    w15 = wanted[15] != 0
    w16 = wanted[16] != 0
    w17 = wanted[17] != 0
    w18 = wanted[18] != 0
    w19 = wanted[19] != 0
    w20 = wanted[20] != 0
    w21 = wanted[21] != 0
    w22 = wanted[22] != 0
    w23 = wanted[23] != 0
    w24 = wanted[24] != 0
    w25 = wanted[25] != 0
    w26 = wanted[26] != 0
    w27 = wanted[27] != 0
    w28 = wanted[28] != 0
    w29 = wanted[29] != 0
    w30 = wanted[30] != 0
    w31 = wanted[31] != 0
    w32 = wanted[32] != 0
    w33 = wanted[33] != 0
    w34 = wanted[34] != 0
    w35 = wanted[35] != 0
    w36 = wanted[36] != 0
    w37 = wanted[37] != 0
    w38 = wanted[38] != 0
    w39 = wanted[39] != 0
    w40 = wanted[40] != 0
    w41 = wanted[41] != 0
    w42 = wanted[42] != 0
    w43 = wanted[43] != 0
    w44 = wanted[44] != 0
    w45 = wanted[45] != 0
    w46 = wanted[46] != 0
    w47 = wanted[47] != 0
    w48 = wanted[48] != 0
    w49 = wanted[49] != 0
    w50 = wanted[50] != 0
    w51 = wanted[51] != 0
    w52 = wanted[52] != 0
    w53 = wanted[53] != 0
    w54 = wanted[54] != 0
    w55 = wanted[55] != 0
    w56 = wanted[56] != 0
    w57 = wanted[57] != 0
    w58 = wanted[58] != 0
    w59 = wanted[59] != 0
    w60 = wanted[60] != 0
    w61 = wanted[61] != 0
    cap0 = capacities[0]
    cap1 = capacities[1]
    cap2 = capacities[2]
    cap3 = capacities[3]
    cap4 = capacities[4]
    cap5 = capacities[5]
    cap6 = capacities[6]
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    n1 = state[FIRST_TABLE + 0]
    n2 = state[FIRST_TABLE + 1]
    n3 = state[FIRST_TABLE + 2]
    n4 = state[FIRST_TABLE + 3]
    n5 = state[FIRST_TABLE + 4]
    n6 = state[FIRST_TABLE + 5]
    start = p
    s1 = n1
    s2 = n2
    s3 = n3
    s4 = n4
    s5 = n5
    s6 = n6
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            s1 = n1
            s2 = n2
            s3 = n3
            s4 = n4
            s5 = n5
            s6 = n6
            if n0 >= cap0:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if p < end and data[U(p)] < 128:
                v2_voters_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v2_voters_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v2_voters_length, v3_behind = long_varint(data, p, end, 5)
                if v3_behind < 0:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(3), p, np.int64(0))
                p = v3_behind
            if w1:
                c1[U(n0)] = v2_voters_length
            if not (v2_voters_length >= 1):
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(4), p, np.int64(0))
            v5_ = 1
            v4_count = (v2_voters_length - v5_)
            if v4_count < 0 or v4_count > (end - p) // 27:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(5), p, np.int64(0))
            if n1 + v4_count > cap1:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-2), p, n1 + v4_count)
            for _ in range(v4_count):
                if end - p < 4:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(6), p, np.int64(0))
                v6_voter_id = (load_4(data, p) << 32) >> 32
                p += 4
                if w3:
                    c3[U(n1)] = v6_voter_id
                v7_size = 16
                if v7_size > end - p:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(7), p, np.int64(0))
                v8_begin = p
                if w4:
                    c4[U(n1)] = v8_begin
                if w5:
                    c5[U(n1)] = v7_size
                if w6:
                    v9_packed = np.int64(c7[U(n1)])
                    if v7_size > len(c6) - v9_packed:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65542), p, v9_packed + v7_size)
                    copy(c6, v9_packed, data, v8_begin, v7_size)
                    c7[U(n1 + 1)] = v9_packed + v7_size
                    c8[U(n1)] = 1
                p += v7_size
                if p < end and data[U(p)] < 128:
                    v10_endpoints_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v10_endpoints_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v10_endpoints_length, v11_behind = long_varint(data, p, end, 5)
                    if v11_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(8), p, np.int64(0))
                    p = v11_behind
                if w9:
                    c9[U(n1)] = v10_endpoints_length
                if not (v10_endpoints_length >= 1):
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(9), p, np.int64(0))
                v13_ = 1
                v12_count = (v10_endpoints_length - v13_)
                if v12_count < 0 or v12_count > (end - p) // 5:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(10), p, np.int64(0))
                if n2 + v12_count > cap2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-3), p, n2 + v12_count)
                for _ in range(v12_count):
                    if p < end and data[U(p)] < 128:
                        v14_name_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v14_name_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v14_name_length, v15_behind = long_varint(data, p, end, 5)
                        if v15_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(11), p, np.int64(0))
                        p = v15_behind
                    if w11:
                        c11[U(n2)] = v14_name_length
                    if not (v14_name_length >= 1):
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(12), p, np.int64(0))
                    v17_ = 1
                    v16_size = (v14_name_length - v17_)
                    if v16_size < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(13), p, np.int64(0))
                    if v16_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(14), p, np.int64(0))
                    v18_begin = p
                    if w12:
                        c12[U(n2)] = v18_begin
                    if w13:
                        c13[U(n2)] = v16_size
                    if w14:
                        v19_packed = np.int64(c15[U(n2)])
                        if v16_size > len(c14) - v19_packed:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65550), p, v19_packed + v16_size)
                        copy(c14, v19_packed, data, v18_begin, v16_size)
                        c15[U(n2 + 1)] = v19_packed + v16_size
                        c16[U(n2)] = 1
                    p += v16_size
                    if p < end and data[U(p)] < 128:
                        v20_host_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v20_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v20_host_length, v21_behind = long_varint(data, p, end, 5)
                        if v21_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(15), p, np.int64(0))
                        p = v21_behind
                    if w17:
                        c17[U(n2)] = v20_host_length
                    if not (v20_host_length >= 1):
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(16), p, np.int64(0))
                    v23_ = 1
                    v22_size = (v20_host_length - v23_)
                    if v22_size < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(17), p, np.int64(0))
                    if v22_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(18), p, np.int64(0))
                    v24_begin = p
                    if w18:
                        c18[U(n2)] = v24_begin
                    if w19:
                        c19[U(n2)] = v22_size
                    if w20:
                        v25_packed = np.int64(c21[U(n2)])
                        if v22_size > len(c20) - v25_packed:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65556), p, v25_packed + v22_size)
                        copy(c20, v25_packed, data, v24_begin, v22_size)
                        c21[U(n2 + 1)] = v25_packed + v22_size
                        c22[U(n2)] = 1
                    p += v22_size
                    if end - p < 2:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(19), p, np.int64(0))
                    v26_port = load_2(data, p)
                    p += 2
                    if w23:
                        c23[U(n2)] = v26_port
                    if p < end and data[U(p)] < 128:
                        v27_fields_count = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v27_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v27_fields_count, v28_behind = long_varint(data, p, end, 5)
                        if v28_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(20), p, np.int64(0))
                        p = v28_behind
                    if w24:
                        c24[U(n2)] = v27_fields_count
                    v29_count = v27_fields_count
                    if v29_count < 0 or v29_count > (end - p) // 2:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(21), p, np.int64(0))
                    if n3 + v29_count > cap3:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-4), p, n3 + v29_count)
                    for _ in range(v29_count):
                        if p < end and data[U(p)] < 128:
                            v30_tag = np.int64(data[U(p)])
                            p += 1
                        elif p + 1 < end and data[U(p + 1)] < 128:
                            v30_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                            p += 2
                        else:
                            v30_tag, v31_behind = long_varint(data, p, end, 5)
                            if v31_behind < 0:
                                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(22), p, np.int64(0))
                            p = v31_behind
                        if w26:
                            c26[U(n3)] = v30_tag
                        if p < end and data[U(p)] < 128:
                            v32_data_length = np.int64(data[U(p)])
                            p += 1
                        elif p + 1 < end and data[U(p + 1)] < 128:
                            v32_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                            p += 2
                        else:
                            v32_data_length, v33_behind = long_varint(data, p, end, 5)
                            if v33_behind < 0:
                                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(23), p, np.int64(0))
                            p = v33_behind
                        if w27:
                            c27[U(n3)] = v32_data_length
                        v34_size = v32_data_length
                        if v34_size > end - p:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(24), p, np.int64(0))
                        v35_begin = p
                        if w28:
                            c28[U(n3)] = v35_begin
                        if w29:
                            c29[U(n3)] = v34_size
                        if w30:
                            v36_packed = np.int64(c31[U(n3)])
                            if v34_size > len(c30) - v36_packed:
                                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65566), p, v36_packed + v34_size)
                            copy(c30, v36_packed, data, v35_begin, v34_size)
                            c31[U(n3 + 1)] = v36_packed + v34_size
                            c32[U(n3)] = 1
                        p += v34_size
                        n3 += 1
                    if w25:
                        c25[U(n2 + 1)] = n3
                    n2 += 1
                if w10:
                    c10[U(n1 + 1)] = n2
                if end - p < 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(25), p, np.int64(0))
                v37_min_supported_version = (load_2(data, p) << 48) >> 48
                p += 2
                if w33:
                    c33[U(n1)] = v37_min_supported_version
                if end - p < 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(26), p, np.int64(0))
                v38_max_supported_version = (load_2(data, p) << 48) >> 48
                p += 2
                if w34:
                    c34[U(n1)] = v38_max_supported_version
                if p < end and data[U(p)] < 128:
                    v39_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v39_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v39_fields_count, v40_behind = long_varint(data, p, end, 5)
                    if v40_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(27), p, np.int64(0))
                    p = v40_behind
                if w35:
                    c35[U(n1)] = v39_fields_count
                v41_count = v39_fields_count
                if v41_count < 0 or v41_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(28), p, np.int64(0))
                if n4 + v41_count > cap4:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-5), p, n4 + v41_count)
                for _ in range(v41_count):
                    if p < end and data[U(p)] < 128:
                        v42_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v42_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v42_tag, v43_behind = long_varint(data, p, end, 5)
                        if v43_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(29), p, np.int64(0))
                        p = v43_behind
                    if w37:
                        c37[U(n4)] = v42_tag
                    if p < end and data[U(p)] < 128:
                        v44_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v44_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v44_data_length, v45_behind = long_varint(data, p, end, 5)
                        if v45_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(30), p, np.int64(0))
                        p = v45_behind
                    if w38:
                        c38[U(n4)] = v44_data_length
                    v46_size = v44_data_length
                    if v46_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(31), p, np.int64(0))
                    v47_begin = p
                    if w39:
                        c39[U(n4)] = v47_begin
                    if w40:
                        c40[U(n4)] = v46_size
                    if w41:
                        v48_packed = np.int64(c42[U(n4)])
                        if v46_size > len(c41) - v48_packed:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65577), p, v48_packed + v46_size)
                        copy(c41, v48_packed, data, v47_begin, v46_size)
                        c42[U(n4 + 1)] = v48_packed + v46_size
                        c43[U(n4)] = 1
                    p += v46_size
                    n4 += 1
                if w36:
                    c36[U(n1 + 1)] = n4
                if p < end and data[U(p)] < 128:
                    v49_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v49_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v49_fields_count, v50_behind = long_varint(data, p, end, 5)
                    if v50_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(32), p, np.int64(0))
                    p = v50_behind
                if w44:
                    c44[U(n1)] = v49_fields_count
                v51_count = v49_fields_count
                if v51_count < 0 or v51_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(33), p, np.int64(0))
                if n5 + v51_count > cap5:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-6), p, n5 + v51_count)
                for _ in range(v51_count):
                    if p < end and data[U(p)] < 128:
                        v52_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v52_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v52_tag, v53_behind = long_varint(data, p, end, 5)
                        if v53_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(34), p, np.int64(0))
                        p = v53_behind
                    if w46:
                        c46[U(n5)] = v52_tag
                    if p < end and data[U(p)] < 128:
                        v54_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v54_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v54_data_length, v55_behind = long_varint(data, p, end, 5)
                        if v55_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(35), p, np.int64(0))
                        p = v55_behind
                    if w47:
                        c47[U(n5)] = v54_data_length
                    v56_size = v54_data_length
                    if v56_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(36), p, np.int64(0))
                    v57_begin = p
                    if w48:
                        c48[U(n5)] = v57_begin
                    if w49:
                        c49[U(n5)] = v56_size
                    if w50:
                        v58_packed = np.int64(c51[U(n5)])
                        if v56_size > len(c50) - v58_packed:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65586), p, v58_packed + v56_size)
                        copy(c50, v58_packed, data, v57_begin, v56_size)
                        c51[U(n5 + 1)] = v58_packed + v56_size
                        c52[U(n5)] = 1
                    p += v56_size
                    n5 += 1
                if w45:
                    c45[U(n1 + 1)] = n5
                n1 += 1
            if w2:
                c2[U(n0 + 1)] = n1
            if p < end and data[U(p)] < 128:
                v59_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v59_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v59_fields_count, v60_behind = long_varint(data, p, end, 5)
                if v60_behind < 0:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(37), p, np.int64(0))
                p = v60_behind
            if w53:
                c53[U(n0)] = v59_fields_count
            v61_count = v59_fields_count
            if v61_count < 0 or v61_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(38), p, np.int64(0))
            if n6 + v61_count > cap6:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-7), p, n6 + v61_count)
            for _ in range(v61_count):
                if p < end and data[U(p)] < 128:
                    v62_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v62_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v62_tag, v63_behind = long_varint(data, p, end, 5)
                    if v63_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(39), p, np.int64(0))
                    p = v63_behind
                if w55:
                    c55[U(n6)] = v62_tag
                if p < end and data[U(p)] < 128:
                    v64_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v64_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v64_data_length, v65_behind = long_varint(data, p, end, 5)
                    if v65_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(40), p, np.int64(0))
                    p = v65_behind
                if w56:
                    c56[U(n6)] = v64_data_length
                v66_size = v64_data_length
                if v66_size > end - p:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(41), p, np.int64(0))
                v67_begin = p
                if w57:
                    c57[U(n6)] = v67_begin
                if w58:
                    c58[U(n6)] = v66_size
                if w59:
                    v68_packed = np.int64(c60[U(n6)])
                    if v66_size > len(c59) - v68_packed:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-65595), p, v68_packed + v66_size)
                    copy(c59, v68_packed, data, v67_begin, v66_size)
                    c60[U(n6 + 1)] = v68_packed + v66_size
                    c61[U(n6)] = 1
                p += v66_size
                n6 += 1
            if w54:
                c54[U(n0 + 1)] = n6
            n0 += 1
            done += 1
        start = p
        s1 = n1
        s2 = n2
        s3 = n3
        s4 = n4
        s5 = n5
        s6 = n6
        if p < end:
            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record__kraft_voters(
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
    c11,
    c12,
    c13,
    c14,
    c15,
    c16,
    c17,
    c18,
    c19,
    c20,
    c21,
    c22,
    c23,
    c24,
    c25,
    c26,
    c27,
    c28,
    c29,
    c30,
    c31,
    c32,
    c33,
    c34,
    c35,
):
    # c0: version, value
    # c1: voters, offsets
    # c2: tags.fields, offsets
    # c3: voters.voter_id, value, per element of voters
    # c4: voters.voter_directory_id, position, per element of voters
    # c5: voters.voter_directory_id, length, per element of voters
    # c6: voters.voter_directory_id, bytes, per element of voters
    # c7: voters.endpoints, offsets, per element of voters
    # c8: voters.kraft_version_feature.min_supported_version, value, per element of voters
    # c9: voters.kraft_version_feature.max_supported_version, value, per element of voters
    # c10: voters.kraft_version_feature.tags.fields, offsets, per element of voters
    # c11: voters.tags.fields, offsets, per element of voters
    # c12: voters.endpoints.name, position, per element of voters.endpoints
    # c13: voters.endpoints.name, length, per element of voters.endpoints
    # c14: voters.endpoints.name, bytes, per element of voters.endpoints
    # c15: voters.endpoints.host, position, per element of voters.endpoints
    # c16: voters.endpoints.host, length, per element of voters.endpoints
    # c17: voters.endpoints.host, bytes, per element of voters.endpoints
    # c18: voters.endpoints.port, value, per element of voters.endpoints
    # c19: voters.endpoints.tags.fields, offsets, per element of voters.endpoints
    # c20: voters.endpoints.tags.fields.tag, value, per element of voters.endpoints.tags.fields
    # c21: voters.endpoints.tags.fields.data, position, per element of voters.endpoints.tags.fields
    # c22: voters.endpoints.tags.fields.data, length, per element of voters.endpoints.tags.fields
    # c23: voters.endpoints.tags.fields.data, bytes, per element of voters.endpoints.tags.fields
    # c24: voters.kraft_version_feature.tags.fields.tag, value, per element of voters.kraft_version_feature.tags.fields
    # c25: voters.kraft_version_feature.tags.fields.data, position, per element of voters.kraft_version_feature.tags.fields
    # c26: voters.kraft_version_feature.tags.fields.data, length, per element of voters.kraft_version_feature.tags.fields
    # c27: voters.kraft_version_feature.tags.fields.data, bytes, per element of voters.kraft_version_feature.tags.fields
    # c28: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c29: voters.tags.fields.data, position, per element of voters.tags.fields
    # c30: voters.tags.fields.data, length, per element of voters.tags.fields
    # c31: voters.tags.fields.data, bytes, per element of voters.tags.fields
    # c32: tags.fields.tag, value, per element of tags.fields
    # c33: tags.fields.data, position, per element of tags.fields
    # c34: tags.fields.data, length, per element of tags.fields
    # c35: tags.fields.data, bytes, per element of tags.fields
    size1 = sizes[1]
    size2 = sizes[2]
    size3 = sizes[3]
    size4 = sizes[4]
    size5 = sizes[5]
    size6 = sizes[6]
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_voters_length = np.int64(0)
        v2_measured = False
        v3_version = np.int64(c0[U(n0)]) if len(c0) else 0
        v4_begin, v5_end = np.int64(0), np.int64(0)
        if len(c1):
            v4_begin = c1[U(n0)]
            v5_end = c1[U(n0 + 1)]
        if v4_begin < 0 or v5_end < v4_begin or v5_end > size1:
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v6_fields_count = np.int64(0)
        v7_measured = False
        v8_begin, v9_end = np.int64(0), np.int64(0)
        if len(c2):
            v8_begin = c2[U(n0)]
            v9_end = c2[U(n0 + 1)]
        if v8_begin < 0 or v9_end < v8_begin or v9_end > size2:
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v6_fields_count = v9_end - v8_begin
        v1_voters_length = v5_end - v4_begin + 1
        v10_total = np.int64(0)
        v10_total += 2
        v10_total += varint_size(v1_voters_length)
        for v11_element in range(v4_begin, v5_end):
            v12_endpoints_length = np.int64(0)
            v13_measured = False
            v14_voter_id = np.int64(c3[U(v11_element)])
            v15_voter_directory_id = np.int64(c4[U(v11_element)])
            v16_voter_directory_id = np.int64(c5[U(v11_element)])
            if v16_voter_directory_id >= 0 and (v15_voter_directory_id < 0 or v16_voter_directory_id > len(c6) - v15_voter_directory_id):
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
            v17_begin, v18_end = np.int64(0), np.int64(0)
            if len(c7):
                v17_begin = c7[U(v11_element)]
                v18_end = c7[U(v11_element + 1)]
            if v17_begin < 0 or v18_end < v17_begin or v18_end > size3:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v19_min_supported_version = np.int64(c8[U(v11_element)])
            v20_max_supported_version = np.int64(c9[U(v11_element)])
            v21_fields_count = np.int64(0)
            v22_measured = False
            v23_begin, v24_end = np.int64(0), np.int64(0)
            if len(c10):
                v23_begin = c10[U(v11_element)]
                v24_end = c10[U(v11_element + 1)]
            if v23_begin < 0 or v24_end < v23_begin or v24_end > size4:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            v21_fields_count = v24_end - v23_begin
            v25_fields_count = np.int64(0)
            v26_measured = False
            v27_begin, v28_end = np.int64(0), np.int64(0)
            if len(c11):
                v27_begin = c11[U(v11_element)]
                v28_end = c11[U(v11_element + 1)]
            if v27_begin < 0 or v28_end < v27_begin or v28_end > size5:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            v25_fields_count = v28_end - v27_begin
            v12_endpoints_length = v18_end - v17_begin + 1
            v10_total += 4
            v10_total += max(v16_voter_directory_id, 0)
            v10_total += varint_size(v12_endpoints_length)
            for v29_element in range(v17_begin, v18_end):
                v30_name_length = np.int64(0)
                v31_measured = False
                v32_host_length = np.int64(0)
                v33_measured = False
                v34_name = np.int64(c12[U(v29_element)])
                v35_name = np.int64(c13[U(v29_element)])
                if v35_name >= 0 and (v34_name < 0 or v35_name > len(c14) - v34_name):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
                v36_host = np.int64(c15[U(v29_element)])
                v37_host = np.int64(c16[U(v29_element)])
                if v37_host >= 0 and (v36_host < 0 or v37_host > len(c17) - v36_host):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
                v38_port = np.int64(c18[U(v29_element)])
                v39_fields_count = np.int64(0)
                v40_measured = False
                v41_begin, v42_end = np.int64(0), np.int64(0)
                if len(c19):
                    v41_begin = c19[U(v29_element)]
                    v42_end = c19[U(v29_element + 1)]
                if v41_begin < 0 or v42_end < v41_begin or v42_end > size6:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
                v39_fields_count = v42_end - v41_begin
                v30_name_length = v35_name + 1
                v32_host_length = v37_host + 1
                v10_total += varint_size(v30_name_length)
                v10_total += max(v35_name, 0)
                v10_total += varint_size(v32_host_length)
                v10_total += max(v37_host, 0)
                v10_total += 2
                v10_total += varint_size(v39_fields_count)
                for v43_element in range(v41_begin, v42_end):
                    v44_data_length = np.int64(0)
                    v45_measured = False
                    v46_tag = np.int64(c20[U(v43_element)])
                    v47_data = np.int64(c21[U(v43_element)])
                    v48_data = np.int64(c22[U(v43_element)])
                    if v48_data >= 0 and (v47_data < 0 or v48_data > len(c23) - v47_data):
                        return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
                    v44_data_length = v48_data
                    v10_total += varint_size(v46_tag)
                    v10_total += varint_size(v44_data_length)
                    v10_total += max(v48_data, 0)
            v10_total += 2
            v10_total += 2
            v10_total += varint_size(v21_fields_count)
            for v49_element in range(v23_begin, v24_end):
                v50_data_length = np.int64(0)
                v51_measured = False
                v52_tag = np.int64(c24[U(v49_element)])
                v53_data = np.int64(c25[U(v49_element)])
                v54_data = np.int64(c26[U(v49_element)])
                if v54_data >= 0 and (v53_data < 0 or v54_data > len(c27) - v53_data):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
                v50_data_length = v54_data
                v10_total += varint_size(v52_tag)
                v10_total += varint_size(v50_data_length)
                v10_total += max(v54_data, 0)
            v10_total += varint_size(v25_fields_count)
            for v55_element in range(v27_begin, v28_end):
                v56_data_length = np.int64(0)
                v57_measured = False
                v58_tag = np.int64(c28[U(v55_element)])
                v59_data = np.int64(c29[U(v55_element)])
                v60_data = np.int64(c30[U(v55_element)])
                if v60_data >= 0 and (v59_data < 0 or v60_data > len(c31) - v59_data):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
                v56_data_length = v60_data
                v10_total += varint_size(v58_tag)
                v10_total += varint_size(v56_data_length)
                v10_total += max(v60_data, 0)
        v10_total += varint_size(v6_fields_count)
        for v61_element in range(v8_begin, v9_end):
            v62_data_length = np.int64(0)
            v63_measured = False
            v64_tag = np.int64(c32[U(v61_element)])
            v65_data = np.int64(c33[U(v61_element)])
            v66_data = np.int64(c34[U(v61_element)])
            if v66_data >= 0 and (v65_data < 0 or v66_data > len(c35) - v65_data):
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            v62_data_length = v66_data
            v10_total += varint_size(v64_tag)
            v10_total += varint_size(v62_data_length)
            v10_total += max(v66_data, 0)
        if most_rows > 0 and n0 > first and v10_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v10_total > len(out) - p:
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(-1), p, p + v10_total)
        store_2(out, p, v3_version)
        p += 2
        if v1_voters_length < 0 or v1_voters_length > 4294967295:
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
        p = store_varint(out, p, v1_voters_length)
        if not (v1_voters_length >= 1):
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
        for v67_element in range(v4_begin, v5_end):
            v68_endpoints_length = np.int64(0)
            v69_measured = False
            v70_voter_id = np.int64(c3[U(v67_element)])
            v71_voter_directory_id = np.int64(c4[U(v67_element)])
            v72_voter_directory_id = np.int64(c5[U(v67_element)])
            if v72_voter_directory_id >= 0 and (v71_voter_directory_id < 0 or v72_voter_directory_id > len(c6) - v71_voter_directory_id):
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
            v73_begin, v74_end = np.int64(0), np.int64(0)
            if len(c7):
                v73_begin = c7[U(v67_element)]
                v74_end = c7[U(v67_element + 1)]
            if v73_begin < 0 or v74_end < v73_begin or v74_end > size3:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
            v75_min_supported_version = np.int64(c8[U(v67_element)])
            v76_max_supported_version = np.int64(c9[U(v67_element)])
            v77_fields_count = np.int64(0)
            v78_measured = False
            v79_begin, v80_end = np.int64(0), np.int64(0)
            if len(c10):
                v79_begin = c10[U(v67_element)]
                v80_end = c10[U(v67_element + 1)]
            if v79_begin < 0 or v80_end < v79_begin or v80_end > size4:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            v77_fields_count = v80_end - v79_begin
            v81_fields_count = np.int64(0)
            v82_measured = False
            v83_begin, v84_end = np.int64(0), np.int64(0)
            if len(c11):
                v83_begin = c11[U(v67_element)]
                v84_end = c11[U(v67_element + 1)]
            if v83_begin < 0 or v84_end < v83_begin or v84_end > size5:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            v81_fields_count = v84_end - v83_begin
            v68_endpoints_length = v74_end - v73_begin + 1
            store_4(out, p, v70_voter_id)
            p += 4
            if v72_voter_directory_id < 0:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
            if v72_voter_directory_id != 16:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
            copy(out, p, c6, v71_voter_directory_id, v72_voter_directory_id)
            p += v72_voter_directory_id
            if v68_endpoints_length < 0 or v68_endpoints_length > 4294967295:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(23), p, np.int64(0))
            p = store_varint(out, p, v68_endpoints_length)
            if not (v68_endpoints_length >= 1):
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(24), p, np.int64(0))
            for v85_element in range(v73_begin, v74_end):
                v86_name_length = np.int64(0)
                v87_measured = False
                v88_host_length = np.int64(0)
                v89_measured = False
                v90_name = np.int64(c12[U(v85_element)])
                v91_name = np.int64(c13[U(v85_element)])
                if v91_name >= 0 and (v90_name < 0 or v91_name > len(c14) - v90_name):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(25), p, np.int64(0))
                v92_host = np.int64(c15[U(v85_element)])
                v93_host = np.int64(c16[U(v85_element)])
                if v93_host >= 0 and (v92_host < 0 or v93_host > len(c17) - v92_host):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(26), p, np.int64(0))
                v94_port = np.int64(c18[U(v85_element)])
                v95_fields_count = np.int64(0)
                v96_measured = False
                v97_begin, v98_end = np.int64(0), np.int64(0)
                if len(c19):
                    v97_begin = c19[U(v85_element)]
                    v98_end = c19[U(v85_element + 1)]
                if v97_begin < 0 or v98_end < v97_begin or v98_end > size6:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(27), p, np.int64(0))
                v95_fields_count = v98_end - v97_begin
                v86_name_length = v91_name + 1
                v88_host_length = v93_host + 1
                if v86_name_length < 0 or v86_name_length > 4294967295:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(28), p, np.int64(0))
                p = store_varint(out, p, v86_name_length)
                if not (v86_name_length >= 1):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(29), p, np.int64(0))
                if v91_name < 0:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(30), p, np.int64(0))
                copy(out, p, c14, v90_name, v91_name)
                p += v91_name
                if v88_host_length < 0 or v88_host_length > 4294967295:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(31), p, np.int64(0))
                p = store_varint(out, p, v88_host_length)
                if not (v88_host_length >= 1):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(32), p, np.int64(0))
                if v93_host < 0:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(33), p, np.int64(0))
                copy(out, p, c17, v92_host, v93_host)
                p += v93_host
                store_2(out, p, v94_port)
                p += 2
                if v95_fields_count < 0 or v95_fields_count > 4294967295:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(34), p, np.int64(0))
                p = store_varint(out, p, v95_fields_count)
                for v99_element in range(v97_begin, v98_end):
                    v100_data_length = np.int64(0)
                    v101_measured = False
                    v102_tag = np.int64(c20[U(v99_element)])
                    v103_data = np.int64(c21[U(v99_element)])
                    v104_data = np.int64(c22[U(v99_element)])
                    if v104_data >= 0 and (v103_data < 0 or v104_data > len(c23) - v103_data):
                        return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(35), p, np.int64(0))
                    v100_data_length = v104_data
                    p = store_varint(out, p, v102_tag)
                    if v100_data_length < 0 or v100_data_length > 4294967295:
                        return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(36), p, np.int64(0))
                    p = store_varint(out, p, v100_data_length)
                    if v104_data < 0:
                        return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(37), p, np.int64(0))
                    copy(out, p, c23, v103_data, v104_data)
                    p += v104_data
            store_2(out, p, v75_min_supported_version)
            p += 2
            store_2(out, p, v76_max_supported_version)
            p += 2
            if v77_fields_count < 0 or v77_fields_count > 4294967295:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(38), p, np.int64(0))
            p = store_varint(out, p, v77_fields_count)
            for v105_element in range(v79_begin, v80_end):
                v106_data_length = np.int64(0)
                v107_measured = False
                v108_tag = np.int64(c24[U(v105_element)])
                v109_data = np.int64(c25[U(v105_element)])
                v110_data = np.int64(c26[U(v105_element)])
                if v110_data >= 0 and (v109_data < 0 or v110_data > len(c27) - v109_data):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(39), p, np.int64(0))
                v106_data_length = v110_data
                p = store_varint(out, p, v108_tag)
                if v106_data_length < 0 or v106_data_length > 4294967295:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(40), p, np.int64(0))
                p = store_varint(out, p, v106_data_length)
                if v110_data < 0:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(41), p, np.int64(0))
                copy(out, p, c27, v109_data, v110_data)
                p += v110_data
            if v81_fields_count < 0 or v81_fields_count > 4294967295:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(42), p, np.int64(0))
            p = store_varint(out, p, v81_fields_count)
            for v111_element in range(v83_begin, v84_end):
                v112_data_length = np.int64(0)
                v113_measured = False
                v114_tag = np.int64(c28[U(v111_element)])
                v115_data = np.int64(c29[U(v111_element)])
                v116_data = np.int64(c30[U(v111_element)])
                if v116_data >= 0 and (v115_data < 0 or v116_data > len(c31) - v115_data):
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(43), p, np.int64(0))
                v112_data_length = v116_data
                p = store_varint(out, p, v114_tag)
                if v112_data_length < 0 or v112_data_length > 4294967295:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(44), p, np.int64(0))
                p = store_varint(out, p, v112_data_length)
                if v116_data < 0:
                    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(45), p, np.int64(0))
                copy(out, p, c31, v115_data, v116_data)
                p += v116_data
        if v6_fields_count < 0 or v6_fields_count > 4294967295:
            return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(46), p, np.int64(0))
        p = store_varint(out, p, v6_fields_count)
        for v117_element in range(v8_begin, v9_end):
            v118_data_length = np.int64(0)
            v119_measured = False
            v120_tag = np.int64(c32[U(v117_element)])
            v121_data = np.int64(c33[U(v117_element)])
            v122_data = np.int64(c34[U(v117_element)])
            if v122_data >= 0 and (v121_data < 0 or v122_data > len(c35) - v121_data):
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(47), p, np.int64(0))
            v118_data_length = v122_data
            p = store_varint(out, p, v120_tag)
            if v118_data_length < 0 or v118_data_length > 4294967295:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(48), p, np.int64(0))
            p = store_varint(out, p, v118_data_length)
            if v122_data < 0:
                return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(49), p, np.int64(0))
            copy(out, p, c35, v121_data, v122_data)
            p += v122_data
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record__kraft_voters(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_control_record(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_control_record(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
):
    # c0: version, value
    # c1: type, value
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
                return leave_decode_control_record(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 2:
                return leave_decode_control_record(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w0:
                c0[U(n0)] = v1_version
            if not (v1_version >= 0):
                return leave_decode_control_record(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            if end - p < 2:
                return leave_decode_control_record(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v2_type = (load_2(data, p) << 48) >> 48
            p += 2
            if w1:
                c1[U(n0)] = v2_type
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_control_record(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_control_record(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_control_record(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_control_record(
    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,
    c0,
    c1,
):
    # c0: version, value
    # c1: type, value
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
        v2_type = np.int64(c1[U(n0)])
        v3_total = np.int64(0)
        v3_total += 2
        v3_total += 2
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_control_record(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        store_2(out, p, v1_version)
        p += 2
        if not (v1_version >= 0):
            return leave_encode_control_record(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        store_2(out, p, v2_type)
        p += 2
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_control_record(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))

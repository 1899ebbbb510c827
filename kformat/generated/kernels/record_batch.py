"""Decode kernels of formats/record_batch.ksy: bytes to columns.

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
    long_varint,
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
def leave_decode_record_batch__header(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_record_batch__header(
    data, starts, ends, counts, capacities, wanted, state,
    c0,
    c1,
    c2,
    c3,
    c4,
    c5,
):
    # c0: key_length, value
    # c1: key, position
    # c2: key, length
    # c3: value_length, value
    # c4: value, position
    # c5: value, length
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
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
                return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if p < end and data[U(p)] < 128:
                v1_key_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v1_key_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v1_key_length, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
                p = v2_behind
            v1_key_length = (v1_key_length >> 1) ^ -(v1_key_length & 1)
            if w0:
                c0[U(n0)] = v1_key_length
            if not (v1_key_length >= 0):
                return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v3_size = v1_key_length
            if v3_size < 0:
                return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if v3_size > end - p:
                return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v4_begin = p
            if w1:
                c1[U(n0)] = v4_begin
            if w2:
                c2[U(n0)] = v3_size
            p += v3_size
            if p < end and data[U(p)] < 128:
                v5_value_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v5_value_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v5_value_length, v6_behind = long_varint(data, p, end, 5)
                if v6_behind < 0:
                    return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
                p = v6_behind
            v5_value_length = (v5_value_length >> 1) ^ -(v5_value_length & 1)
            if w3:
                c3[U(n0)] = v5_value_length
            if (v5_value_length >= 0):
                v7_size = v5_value_length
                if v7_size < 0:
                    return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
                if v7_size > end - p:
                    return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
                v8_begin = p
                if w4:
                    c4[U(n0)] = v8_begin
                if w5:
                    c5[U(n0)] = v7_size
                p += v7_size
            else:
                if w4:
                    c4[U(n0)] = 0
                if w5:
                    c5[U(n0)] = -1
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch__header(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_decode_record_batch__record(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_record_batch__record(
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
):
    # c0: length, value
    # c1: attributes, value
    # c2: timestamp_delta, value
    # c3: offset_delta, value
    # c4: key_length, value
    # c5: key, position
    # c6: key, length
    # c7: value_length, value
    # c8: value, position
    # c9: value, length
    # c10: headers_count, value
    # c11: headers, offsets
    # c12: headers.key_length, value, per element of headers
    # c13: headers.key, position, per element of headers
    # c14: headers.key, length, per element of headers
    # c15: headers.value_length, value, per element of headers
    # c16: headers.value, position, per element of headers
    # c17: headers.value, length, per element of headers
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
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if p < end and data[U(p)] < 128:
                v1_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v1_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v1_length, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                p = v2_behind
            v1_length = (v1_length >> 1) ^ -(v1_length & 1)
            if w0:
                c0[U(n0)] = v1_length
            if not (v1_length >= 0):
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v3_size = v1_length
            if v3_size < 0:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
            if v3_size > end - p:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            v4_end = p + v3_size
            if v4_end - p < 1:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
            v5_attributes = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w1:
                c1[U(n0)] = v5_attributes
            if p < v4_end and data[U(p)] < 128:
                v6_timestamp_delta = np.int64(data[U(p)])
                p += 1
            elif p + 1 < v4_end and data[U(p + 1)] < 128:
                v6_timestamp_delta = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v6_timestamp_delta, v7_behind = long_varint(data, p, v4_end, 10)
                if v7_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                p = v7_behind
            v6_timestamp_delta = ((v6_timestamp_delta >> 1) & 0x7FFFFFFFFFFFFFFF) ^ -(v6_timestamp_delta & 1)
            if w2:
                c2[U(n0)] = v6_timestamp_delta
            if p < v4_end and data[U(p)] < 128:
                v8_offset_delta = np.int64(data[U(p)])
                p += 1
            elif p + 1 < v4_end and data[U(p + 1)] < 128:
                v8_offset_delta = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v8_offset_delta, v9_behind = long_varint(data, p, v4_end, 5)
                if v9_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                p = v9_behind
            v8_offset_delta = (v8_offset_delta >> 1) ^ -(v8_offset_delta & 1)
            if w3:
                c3[U(n0)] = v8_offset_delta
            if p < v4_end and data[U(p)] < 128:
                v10_key_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < v4_end and data[U(p + 1)] < 128:
                v10_key_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v10_key_length, v11_behind = long_varint(data, p, v4_end, 5)
                if v11_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
                p = v11_behind
            v10_key_length = (v10_key_length >> 1) ^ -(v10_key_length & 1)
            if w4:
                c4[U(n0)] = v10_key_length
            if (v10_key_length >= 0):
                v12_size = v10_key_length
                if v12_size < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
                if v12_size > v4_end - p:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                v13_begin = p
                if w5:
                    c5[U(n0)] = v13_begin
                if w6:
                    c6[U(n0)] = v12_size
                p += v12_size
            else:
                if w5:
                    c5[U(n0)] = 0
                if w6:
                    c6[U(n0)] = -1
            if p < v4_end and data[U(p)] < 128:
                v14_value_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < v4_end and data[U(p + 1)] < 128:
                v14_value_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v14_value_length, v15_behind = long_varint(data, p, v4_end, 5)
                if v15_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
                p = v15_behind
            v14_value_length = (v14_value_length >> 1) ^ -(v14_value_length & 1)
            if w7:
                c7[U(n0)] = v14_value_length
            if (v14_value_length >= 0):
                v16_size = v14_value_length
                if v16_size < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                if v16_size > v4_end - p:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                v17_begin = p
                if w8:
                    c8[U(n0)] = v17_begin
                if w9:
                    c9[U(n0)] = v16_size
                p += v16_size
            else:
                if w8:
                    c8[U(n0)] = 0
                if w9:
                    c9[U(n0)] = -1
            if p < v4_end and data[U(p)] < 128:
                v18_headers_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < v4_end and data[U(p + 1)] < 128:
                v18_headers_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v18_headers_count, v19_behind = long_varint(data, p, v4_end, 5)
                if v19_behind < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                p = v19_behind
            v18_headers_count = (v18_headers_count >> 1) ^ -(v18_headers_count & 1)
            if w10:
                c10[U(n0)] = v18_headers_count
            if not (v18_headers_count >= 0):
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
            v20_count = v18_headers_count
            if v20_count < 0 or v20_count > (v4_end - p) // 2:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(17), p, np.int64(0))
            if n1 + v20_count > cap1:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v20_count)
            for _ in range(v20_count):
                if p < v4_end and data[U(p)] < 128:
                    v21_key_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < v4_end and data[U(p + 1)] < 128:
                    v21_key_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v21_key_length, v22_behind = long_varint(data, p, v4_end, 5)
                    if v22_behind < 0:
                        return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(18), p, np.int64(0))
                    p = v22_behind
                v21_key_length = (v21_key_length >> 1) ^ -(v21_key_length & 1)
                if w12:
                    c12[U(n1)] = v21_key_length
                if not (v21_key_length >= 0):
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(19), p, np.int64(0))
                v23_size = v21_key_length
                if v23_size < 0:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(20), p, np.int64(0))
                if v23_size > v4_end - p:
                    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(21), p, np.int64(0))
                v24_begin = p
                if w13:
                    c13[U(n1)] = v24_begin
                if w14:
                    c14[U(n1)] = v23_size
                p += v23_size
                if p < v4_end and data[U(p)] < 128:
                    v25_value_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < v4_end and data[U(p + 1)] < 128:
                    v25_value_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v25_value_length, v26_behind = long_varint(data, p, v4_end, 5)
                    if v26_behind < 0:
                        return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(22), p, np.int64(0))
                    p = v26_behind
                v25_value_length = (v25_value_length >> 1) ^ -(v25_value_length & 1)
                if w15:
                    c15[U(n1)] = v25_value_length
                if (v25_value_length >= 0):
                    v27_size = v25_value_length
                    if v27_size < 0:
                        return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(23), p, np.int64(0))
                    if v27_size > v4_end - p:
                        return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(24), p, np.int64(0))
                    v28_begin = p
                    if w16:
                        c16[U(n1)] = v28_begin
                    if w17:
                        c17[U(n1)] = v27_size
                    p += v27_size
                else:
                    if w16:
                        c16[U(n1)] = 0
                    if w17:
                        c17[U(n1)] = -1
                n1 += 1
            if w11:
                c11[U(n0 + 1)] = n1
            if p < v4_end:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(25), p, np.int64(0))
            if p < v4_end:
                return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(26), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch__record(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_record_batch__record_body(
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
):
    # c0: attributes, value
    # c1: timestamp_delta, value
    # c2: offset_delta, value
    # c3: key_length, value
    # c4: key, position
    # c5: key, length
    # c6: value_length, value
    # c7: value, position
    # c8: value, length
    # c9: headers_count, value
    # c10: headers, offsets
    # c11: headers.key_length, value, per element of headers
    # c12: headers.key, position, per element of headers
    # c13: headers.key, length, per element of headers
    # c14: headers.value_length, value, per element of headers
    # c15: headers.value, position, per element of headers
    # c16: headers.value, length, per element of headers
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
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if end - p < 1:
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
            v1_attributes = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w0:
                c0[U(n0)] = v1_attributes
            if p < end and data[U(p)] < 128:
                v2_timestamp_delta = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v2_timestamp_delta = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v2_timestamp_delta, v3_behind = long_varint(data, p, end, 10)
                if v3_behind < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
                p = v3_behind
            v2_timestamp_delta = ((v2_timestamp_delta >> 1) & 0x7FFFFFFFFFFFFFFF) ^ -(v2_timestamp_delta & 1)
            if w1:
                c1[U(n0)] = v2_timestamp_delta
            if p < end and data[U(p)] < 128:
                v4_offset_delta = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v4_offset_delta = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v4_offset_delta, v5_behind = long_varint(data, p, end, 5)
                if v5_behind < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                p = v5_behind
            v4_offset_delta = (v4_offset_delta >> 1) ^ -(v4_offset_delta & 1)
            if w2:
                c2[U(n0)] = v4_offset_delta
            if p < end and data[U(p)] < 128:
                v6_key_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v6_key_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v6_key_length, v7_behind = long_varint(data, p, end, 5)
                if v7_behind < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                p = v7_behind
            v6_key_length = (v6_key_length >> 1) ^ -(v6_key_length & 1)
            if w3:
                c3[U(n0)] = v6_key_length
            if (v6_key_length >= 0):
                v8_size = v6_key_length
                if v8_size < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                if v8_size > end - p:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                v9_begin = p
                if w4:
                    c4[U(n0)] = v9_begin
                if w5:
                    c5[U(n0)] = v8_size
                p += v8_size
            else:
                if w4:
                    c4[U(n0)] = 0
                if w5:
                    c5[U(n0)] = -1
            if p < end and data[U(p)] < 128:
                v10_value_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v10_value_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v10_value_length, v11_behind = long_varint(data, p, end, 5)
                if v11_behind < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                p = v11_behind
            v10_value_length = (v10_value_length >> 1) ^ -(v10_value_length & 1)
            if w6:
                c6[U(n0)] = v10_value_length
            if (v10_value_length >= 0):
                v12_size = v10_value_length
                if v12_size < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
                if v12_size > end - p:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
                v13_begin = p
                if w7:
                    c7[U(n0)] = v13_begin
                if w8:
                    c8[U(n0)] = v12_size
                p += v12_size
            else:
                if w7:
                    c7[U(n0)] = 0
                if w8:
                    c8[U(n0)] = -1
            if p < end and data[U(p)] < 128:
                v14_headers_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v14_headers_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v14_headers_count, v15_behind = long_varint(data, p, end, 5)
                if v15_behind < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                p = v15_behind
            v14_headers_count = (v14_headers_count >> 1) ^ -(v14_headers_count & 1)
            if w9:
                c9[U(n0)] = v14_headers_count
            if not (v14_headers_count >= 0):
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
            v16_count = v14_headers_count
            if v16_count < 0 or v16_count > (end - p) // 2:
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
            if n1 + v16_count > cap1:
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v16_count)
            for _ in range(v16_count):
                if p < end and data[U(p)] < 128:
                    v17_key_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v17_key_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v17_key_length, v18_behind = long_varint(data, p, end, 5)
                    if v18_behind < 0:
                        return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                    p = v18_behind
                v17_key_length = (v17_key_length >> 1) ^ -(v17_key_length & 1)
                if w11:
                    c11[U(n1)] = v17_key_length
                if not (v17_key_length >= 0):
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v19_size = v17_key_length
                if v19_size < 0:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
                if v19_size > end - p:
                    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(17), p, np.int64(0))
                v20_begin = p
                if w12:
                    c12[U(n1)] = v20_begin
                if w13:
                    c13[U(n1)] = v19_size
                p += v19_size
                if p < end and data[U(p)] < 128:
                    v21_value_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v21_value_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v21_value_length, v22_behind = long_varint(data, p, end, 5)
                    if v22_behind < 0:
                        return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(18), p, np.int64(0))
                    p = v22_behind
                v21_value_length = (v21_value_length >> 1) ^ -(v21_value_length & 1)
                if w14:
                    c14[U(n1)] = v21_value_length
                if (v21_value_length >= 0):
                    v23_size = v21_value_length
                    if v23_size < 0:
                        return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(19), p, np.int64(0))
                    if v23_size > end - p:
                        return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(20), p, np.int64(0))
                    v24_begin = p
                    if w15:
                        c15[U(n1)] = v24_begin
                    if w16:
                        c16[U(n1)] = v23_size
                    p += v23_size
                else:
                    if w15:
                        c15[U(n1)] = 0
                    if w16:
                        c16[U(n1)] = -1
                n1 += 1
            if w10:
                c10[U(n0 + 1)] = n1
            if p < end:
                return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(21), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch__record_body(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_decode_record_batch(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_record_batch(
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
    # c0: base_offset, value
    # c1: batch_length, value
    # c2: partition_leader_epoch, value
    # c3: magic, value
    # c4: crc, value
    # c5: crc, covered position
    # c6: crc, covered length
    # c7: attributes.reserved, value
    # c8: attributes.has_delete_horizon, value
    # c9: attributes.is_control, value
    # c10: attributes.is_transactional, value
    # c11: attributes.timestamp_type, value
    # c12: attributes.compression, value
    # c13: last_offset_delta, value
    # c14: base_timestamp, value
    # c15: max_timestamp, value
    # c16: producer_id, value
    # c17: producer_epoch, value
    # c18: base_sequence, value
    # c19: records_count, value
    # c20: payload, position
    # c21: payload, length
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
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    start = p
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            if n0 >= cap0:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 8:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_base_offset = load_8(data, p)
            p += 8
            if w0:
                c0[U(n0)] = v1_base_offset
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_batch_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_batch_length
            if not (v2_batch_length >= 49):
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v3_partition_leader_epoch = (load_4(data, p) << 32) >> 32
            p += 4
            if w2:
                c2[U(n0)] = v3_partition_leader_epoch
            if end - p < 1:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            v4_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w3:
                c3[U(n0)] = v4_magic
            if not (v4_magic == 2):
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v5_crc = load_4(data, p)
            p += 4
            if w4:
                c4[U(n0)] = v5_crc
            v6_ = 40
            v7_ = 49
            v8_ = (v2_batch_length - v7_)
            if w5:
                c5[U(n0)] = p
            if w6:
                c6[U(n0)] = (v6_ + v8_)
            if end - p < 2:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
            v9_attributes = load_2(data, p)
            p += 2
            v10_reserved = (v9_attributes >> 7) & 511
            if w7:
                c7[U(n0)] = v10_reserved
            v11_has_delete_horizon = (v9_attributes >> 6) & 1
            if w8:
                c8[U(n0)] = v11_has_delete_horizon
            v12_is_control = (v9_attributes >> 5) & 1
            if w9:
                c9[U(n0)] = v12_is_control
            v13_is_transactional = (v9_attributes >> 4) & 1
            if w10:
                c10[U(n0)] = v13_is_transactional
            v14_timestamp_type = (v9_attributes >> 3) & 1
            if w11:
                c11[U(n0)] = v14_timestamp_type
            v15_compression = (v9_attributes) & 7
            if w12:
                c12[U(n0)] = v15_compression
            if not (((v15_compression == 0) or (v15_compression == 1)) or ((v15_compression == 2) or ((v15_compression == 3) or (v15_compression == 4)))):
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v16_last_offset_delta = (load_4(data, p) << 32) >> 32
            p += 4
            if w13:
                c13[U(n0)] = v16_last_offset_delta
            if end - p < 8:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
            v17_base_timestamp = load_8(data, p)
            p += 8
            if w14:
                c14[U(n0)] = v17_base_timestamp
            if end - p < 8:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
            v18_max_timestamp = load_8(data, p)
            p += 8
            if w15:
                c15[U(n0)] = v18_max_timestamp
            if end - p < 8:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
            v19_producer_id = load_8(data, p)
            p += 8
            if w16:
                c16[U(n0)] = v19_producer_id
            if end - p < 2:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
            v20_producer_epoch = (load_2(data, p) << 48) >> 48
            p += 2
            if w17:
                c17[U(n0)] = v20_producer_epoch
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
            v21_base_sequence = (load_4(data, p) << 32) >> 32
            p += 4
            if w18:
                c18[U(n0)] = v21_base_sequence
            if end - p < 4:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(17), p, np.int64(0))
            v22_records_count = (load_4(data, p) << 32) >> 32
            p += 4
            if w19:
                c19[U(n0)] = v22_records_count
            if not (v22_records_count >= 0):
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(18), p, np.int64(0))
            v24_ = 49
            v23_size = (v2_batch_length - v24_)
            if v23_size > end - p:
                return leave_decode_record_batch(state, unit, done, start, n0, np.int64(19), p, np.int64(0))
            v25_begin = p
            if w20:
                c20[U(n0)] = v25_begin
            if w21:
                c21[U(n0)] = v23_size
            p += v23_size
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_record_batch(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch(state, unit, done, start, n0, np.int64(0), p, np.int64(0))

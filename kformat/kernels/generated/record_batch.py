"""Kernels of formats/record_batch.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    address,
    append,
    byte_at,
    copy,
    difference_overflows,
    get_4,
    helper,
    kernel,
    long_varint,
    put_1,
    put_2,
    put_4,
    put_8,
    store_varint,
    varint_size,
    word_2,
    word_4,
    word_8,
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


# i4 i1 i8 i4 i4 i8 i8 u1 i4 u1 i4 i8 i8 u1 i4 u1 i4 i8 i4 i8 i8 u1 i4 u1 i4 i8 i8 u1 i4 u1
@helper
def leave_decode_record_batch__record(at, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    put_8(at, UNIT, unit)
    put_8(at, DONE, done)
    put_8(at, POSITION, start)
    put_8(at, ROW, n0)
    put_8(at, ERROR_POSITION, position)
    put_8(at, CAPACITY, wanted)
    put_8(at, FIRST_TABLE + 0, s1)
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
):
    # c0: length, value
    # c1: attributes, value
    # c2: timestamp_delta, value
    # c3: offset_delta, value
    # c4: key_length, value
    # c5: key, position
    # c6: key, length
    # c7: key, bytes
    # c8: key, byte offsets
    # c9: key, is there
    # c10: value_length, value
    # c11: value, position
    # c12: value, length
    # c13: value, bytes
    # c14: value, byte offsets
    # c15: value, is there
    # c16: headers_count, value
    # c17: headers, offsets
    # c18: headers.key_length, value, per element of headers
    # c19: headers.key, position, per element of headers
    # c20: headers.key, length, per element of headers
    # c21: headers.key, bytes, per element of headers
    # c22: headers.key, byte offsets, per element of headers
    # c23: headers.key, is there, per element of headers
    # c24: headers.value_length, value, per element of headers
    # c25: headers.value, position, per element of headers
    # c26: headers.value, length, per element of headers
    # c27: headers.value, bytes, per element of headers
    # c28: headers.value, byte offsets, per element of headers
    # c29: headers.value, is there, per element of headers
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
    a0 = address(c0)
    a1 = address(c1)
    a2 = address(c2)
    a3 = address(c3)
    a4 = address(c4)
    a5 = address(c5)
    a6 = address(c6)
    a7 = address(c7)
    a8 = address(c8)
    a9 = address(c9)
    a10 = address(c10)
    a11 = address(c11)
    a12 = address(c12)
    a13 = address(c13)
    a14 = address(c14)
    a15 = address(c15)
    a16 = address(c16)
    a17 = address(c17)
    a18 = address(c18)
    a19 = address(c19)
    a20 = address(c20)
    a21 = address(c21)
    a22 = address(c22)
    a23 = address(c23)
    a24 = address(c24)
    a25 = address(c25)
    a26 = address(c26)
    a27 = address(c27)
    a28 = address(c28)
    a29 = address(c29)
    d, at = address(data), address(state)
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
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            if p < end and byte_at(d, p) < 128:
                v1_length = byte_at(d, p)
                p += 1
            elif p + 1 < end and byte_at(d, p + 1) < 128:
                v1_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v1_length, v2_behind = long_varint(data, p, end, 5)
                if v2_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                p = v2_behind
            v1_length = (v1_length >> 1) ^ -(v1_length & 1)
            if w0:
                put_4(a0, n0, v1_length)
            if not (v1_length >= 0):
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
            v4_size = v1_length
            if v4_size < 0:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
            if v4_size > end - p:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
            v3_end = p + v4_size
            if v3_end - p < 1:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
            v5_attributes = (byte_at(d, p) << 56) >> 56
            p += 1
            if w1:
                put_1(a1, n0, v5_attributes)
            if p < v3_end and byte_at(d, p) < 128:
                v6_timestamp_delta = byte_at(d, p)
                p += 1
            elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                v6_timestamp_delta = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v6_timestamp_delta, v7_behind = long_varint(data, p, v3_end, 10)
                if v7_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                p = v7_behind
            v6_timestamp_delta = ((v6_timestamp_delta >> 1) & 0x7FFFFFFFFFFFFFFF) ^ -(v6_timestamp_delta & 1)
            if w2:
                put_8(a2, n0, v6_timestamp_delta)
            if p < v3_end and byte_at(d, p) < 128:
                v8_offset_delta = byte_at(d, p)
                p += 1
            elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                v8_offset_delta = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v8_offset_delta, v9_behind = long_varint(data, p, v3_end, 5)
                if v9_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                p = v9_behind
            v8_offset_delta = (v8_offset_delta >> 1) ^ -(v8_offset_delta & 1)
            if w3:
                put_4(a3, n0, v8_offset_delta)
            if p < v3_end and byte_at(d, p) < 128:
                v10_key_length = byte_at(d, p)
                p += 1
            elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                v10_key_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v10_key_length, v11_behind = long_varint(data, p, v3_end, 5)
                if v11_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
                p = v11_behind
            v10_key_length = (v10_key_length >> 1) ^ -(v10_key_length & 1)
            if w4:
                put_4(a4, n0, v10_key_length)
            if (v10_key_length >= 0):
                v12_size = v10_key_length
                if v12_size < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
                if v12_size > v3_end - p:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                v13_begin = p
                if w5:
                    put_8(a5, n0, v13_begin)
                if w6:
                    put_8(a6, n0, v12_size)
                if w7:
                    v14_packed = get_4(a8, n0)
                    if v12_size > len(c7) - v14_packed:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-65543), p, v14_packed + v12_size)
                    append(c7, v14_packed, data, v13_begin, v12_size)
                    put_4(a8, n0 + 1, v14_packed + v12_size)
                    put_1(a9, n0, 1)
                p += v12_size
            else:
                if w5:
                    put_8(a5, n0, 0)
                if w6:
                    put_8(a6, n0, -1)
                if w8:
                    put_4(a8, n0 + 1, get_4(a8, n0))
                if w9:
                    put_1(a9, n0, 0)
            if p < v3_end and byte_at(d, p) < 128:
                v15_value_length = byte_at(d, p)
                p += 1
            elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                v15_value_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v15_value_length, v16_behind = long_varint(data, p, v3_end, 5)
                if v16_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
                p = v16_behind
            v15_value_length = (v15_value_length >> 1) ^ -(v15_value_length & 1)
            if w10:
                put_4(a10, n0, v15_value_length)
            if (v15_value_length >= 0):
                v17_size = v15_value_length
                if v17_size < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                if v17_size > v3_end - p:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                v18_begin = p
                if w11:
                    put_8(a11, n0, v18_begin)
                if w12:
                    put_8(a12, n0, v17_size)
                if w13:
                    v19_packed = get_4(a14, n0)
                    if v17_size > len(c13) - v19_packed:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-65549), p, v19_packed + v17_size)
                    append(c13, v19_packed, data, v18_begin, v17_size)
                    put_4(a14, n0 + 1, v19_packed + v17_size)
                    put_1(a15, n0, 1)
                p += v17_size
            else:
                if w11:
                    put_8(a11, n0, 0)
                if w12:
                    put_8(a12, n0, -1)
                if w14:
                    put_4(a14, n0 + 1, get_4(a14, n0))
                if w15:
                    put_1(a15, n0, 0)
            if p < v3_end and byte_at(d, p) < 128:
                v20_headers_count = byte_at(d, p)
                p += 1
            elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                v20_headers_count = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                p += 2
            else:
                v20_headers_count, v21_behind = long_varint(data, p, v3_end, 5)
                if v21_behind < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                p = v21_behind
            v20_headers_count = (v20_headers_count >> 1) ^ -(v20_headers_count & 1)
            if w16:
                put_4(a16, n0, v20_headers_count)
            if not (v20_headers_count >= 0):
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
            v22_count = v20_headers_count
            if v22_count < 0:
                v22_count = 0
            if v22_count > (v3_end - p) // 2:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(17), p, np.int64(0))
            if n1 + v22_count > cap1:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-2), p, n1 + v22_count)
            for _ in range(v22_count):
                if p < v3_end and byte_at(d, p) < 128:
                    v23_key_length = byte_at(d, p)
                    p += 1
                elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                    v23_key_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                    p += 2
                else:
                    v23_key_length, v24_behind = long_varint(data, p, v3_end, 5)
                    if v24_behind < 0:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(18), p, np.int64(0))
                    p = v24_behind
                v23_key_length = (v23_key_length >> 1) ^ -(v23_key_length & 1)
                if w18:
                    put_4(a18, n1, v23_key_length)
                if not (v23_key_length >= 0):
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(19), p, np.int64(0))
                v25_size = v23_key_length
                if v25_size < 0:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(20), p, np.int64(0))
                if v25_size > v3_end - p:
                    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(21), p, np.int64(0))
                v26_begin = p
                if w19:
                    put_8(a19, n1, v26_begin)
                if w20:
                    put_8(a20, n1, v25_size)
                if w21:
                    v27_packed = get_4(a22, n1)
                    if v25_size > len(c21) - v27_packed:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-65557), p, v27_packed + v25_size)
                    append(c21, v27_packed, data, v26_begin, v25_size)
                    put_4(a22, n1 + 1, v27_packed + v25_size)
                    put_1(a23, n1, 1)
                p += v25_size
                if p < v3_end and byte_at(d, p) < 128:
                    v28_value_length = byte_at(d, p)
                    p += 1
                elif p + 1 < v3_end and byte_at(d, p + 1) < 128:
                    v28_value_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
                    p += 2
                else:
                    v28_value_length, v29_behind = long_varint(data, p, v3_end, 5)
                    if v29_behind < 0:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(22), p, np.int64(0))
                    p = v29_behind
                v28_value_length = (v28_value_length >> 1) ^ -(v28_value_length & 1)
                if w24:
                    put_4(a24, n1, v28_value_length)
                if (v28_value_length >= 0):
                    v30_size = v28_value_length
                    if v30_size < 0:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(23), p, np.int64(0))
                    if v30_size > v3_end - p:
                        return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(24), p, np.int64(0))
                    v31_begin = p
                    if w25:
                        put_8(a25, n1, v31_begin)
                    if w26:
                        put_8(a26, n1, v30_size)
                    if w27:
                        v32_packed = get_4(a28, n1)
                        if v30_size > len(c27) - v32_packed:
                            return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(-65563), p, v32_packed + v30_size)
                        append(c27, v32_packed, data, v31_begin, v30_size)
                        put_4(a28, n1 + 1, v32_packed + v30_size)
                        put_1(a29, n1, 1)
                    p += v30_size
                else:
                    if w25:
                        put_8(a25, n1, 0)
                    if w26:
                        put_8(a26, n1, -1)
                    if w28:
                        put_4(a28, n1 + 1, get_4(a28, n1))
                    if w29:
                        put_1(a29, n1, 0)
                n1 += 1
            if w17:
                put_8(a17, n0 + 1, n1)
            if p < v3_end:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(25), p, np.int64(0))
            if p < v3_end:
                return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(26), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch__record(at, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


# i1 i8 i4 i8 i8 u1 i8 i8 u1 i8 i8 i8 u1 i8 i8 u1
@helper
def leave_encode_record_batch__record(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_record_batch__record(
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
):
    # c0: attributes, value
    # c1: timestamp_delta, value
    # c2: offset_delta, value
    # c3: key, position
    # c4: key, length
    # c5: key, bytes
    # c6: value, position
    # c7: value, length
    # c8: value, bytes
    # c9: headers, offsets
    # c10: headers.key, position, per element of headers
    # c11: headers.key, length, per element of headers
    # c12: headers.key, bytes, per element of headers
    # c13: headers.value, position, per element of headers
    # c14: headers.value, length, per element of headers
    # c15: headers.value, bytes, per element of headers
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
        v1_length = np.int64(0)
        v2_measured = False
        v3_key_length = np.int64(0)
        v4_measured = False
        v5_value_length = np.int64(0)
        v6_measured = False
        v7_headers_count = np.int64(0)
        v8_measured = False
        v9_attributes = np.int64(c0[U(n0)]) if len(c0) else 0
        v10_timestamp_delta = np.int64(c1[U(n0)]) if len(c1) else 0
        if most_rows > 0 and len(c1):
            v11_base = np.int64(c1[U(first)])
            if difference_overflows(v10_timestamp_delta, v11_base):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
            v10_timestamp_delta = v10_timestamp_delta - v11_base
        v12_offset_delta = np.int64(c2[U(n0)])
        if most_rows > 0 and len(c2):
            v13_base = np.int64(c2[U(first)])
            if difference_overflows(v12_offset_delta, v13_base):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v12_offset_delta = v12_offset_delta - v13_base
            if v12_offset_delta < -2147483648 or v12_offset_delta > 2147483647:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        v14_key, v15_key = np.int64(0), np.int64(-1)
        if len(c4):
            v14_key = np.int64(c3[U(n0)])
            v15_key = np.int64(c4[U(n0)])
        if v15_key >= 0 and (v14_key < 0 or v15_key > len(c5) - v14_key):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        v16_value, v17_value = np.int64(0), np.int64(-1)
        if len(c7):
            v16_value = np.int64(c6[U(n0)])
            v17_value = np.int64(c7[U(n0)])
        if v17_value >= 0 and (v16_value < 0 or v17_value > len(c8) - v16_value):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        v18_begin, v19_end = np.int64(0), np.int64(0)
        if len(c9):
            v18_begin = c9[U(n0)]
            v19_end = c9[U(n0 + 1)]
        if v18_begin < 0 or v19_end < v18_begin or v19_end > size1:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        if v15_key >= 0:
            v3_key_length = v15_key
            v4_measured = True
        elif not v4_measured:
            v3_key_length = np.int64(-1)
        if v17_value >= 0:
            v5_value_length = v17_value
            v6_measured = True
        elif not v6_measured:
            v5_value_length = np.int64(-1)
        v7_headers_count = v19_end - v18_begin
        v20_size = np.int64(0)
        v20_size += 1
        v20_size += varint_size((v10_timestamp_delta << 1) ^ (v10_timestamp_delta >> 63))
        v20_size += varint_size((v12_offset_delta << 1) ^ (v12_offset_delta >> 63))
        v20_size += varint_size((v3_key_length << 1) ^ (v3_key_length >> 63))
        if v15_key >= 0:
            v20_size += max(v15_key, 0)
        v20_size += varint_size((v5_value_length << 1) ^ (v5_value_length >> 63))
        if v17_value >= 0:
            v20_size += max(v17_value, 0)
        v20_size += varint_size((v7_headers_count << 1) ^ (v7_headers_count >> 63))
        for v21_element in range(v18_begin, v19_end):
            v22_key_length = np.int64(0)
            v23_measured = False
            v24_value_length = np.int64(0)
            v25_measured = False
            v26_key = np.int64(c10[U(v21_element)])
            v27_key = np.int64(c11[U(v21_element)])
            if v27_key >= 0 and (v26_key < 0 or v27_key > len(c12) - v26_key):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
            v28_value, v29_value = np.int64(0), np.int64(-1)
            if len(c14):
                v28_value = np.int64(c13[U(v21_element)])
                v29_value = np.int64(c14[U(v21_element)])
            if v29_value >= 0 and (v28_value < 0 or v29_value > len(c15) - v28_value):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
            v22_key_length = v27_key
            if v29_value >= 0:
                v24_value_length = v29_value
                v25_measured = True
            elif not v25_measured:
                v24_value_length = np.int64(-1)
            v20_size += varint_size((v22_key_length << 1) ^ (v22_key_length >> 63))
            v20_size += max(v27_key, 0)
            v20_size += varint_size((v24_value_length << 1) ^ (v24_value_length >> 63))
            if v29_value >= 0:
                v20_size += max(v29_value, 0)
        v1_length = v20_size
        v30_total = np.int64(0)
        v30_total += varint_size((v1_length << 1) ^ (v1_length >> 63))
        v30_total += v20_size
        if most_rows > 0 and n0 > first and v30_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v30_total > len(out) - p:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(-1), p, p + v30_total)
        if v1_length < -2147483648 or v1_length > 2147483647:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        p = store_varint(out, p, (v1_length << 1) ^ (v1_length >> 63))
        if not (v1_length >= 0):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        out[U(p)] = np.uint8(v9_attributes & 255)
        p += 1
        p = store_varint(out, p, (v10_timestamp_delta << 1) ^ (v10_timestamp_delta >> 63))
        p = store_varint(out, p, (v12_offset_delta << 1) ^ (v12_offset_delta >> 63))
        if v3_key_length < -2147483648 or v3_key_length > 2147483647:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        p = store_varint(out, p, (v3_key_length << 1) ^ (v3_key_length >> 63))
        if (v15_key >= 0) != ((v3_key_length >= 0)):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
        if (v3_key_length >= 0):
            if v15_key < 0:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            if v15_key != v3_key_length:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            copy(out, p, c5, v14_key, v15_key)
            p += v15_key
        if v5_value_length < -2147483648 or v5_value_length > 2147483647:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
        p = store_varint(out, p, (v5_value_length << 1) ^ (v5_value_length >> 63))
        if (v17_value >= 0) != ((v5_value_length >= 0)):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
        if (v5_value_length >= 0):
            if v17_value < 0:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
            if v17_value != v5_value_length:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            copy(out, p, c8, v16_value, v17_value)
            p += v17_value
        if v7_headers_count < -2147483648 or v7_headers_count > 2147483647:
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
        p = store_varint(out, p, (v7_headers_count << 1) ^ (v7_headers_count >> 63))
        if not (v7_headers_count >= 0):
            return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
        for v31_element in range(v18_begin, v19_end):
            v32_key_length = np.int64(0)
            v33_measured = False
            v34_value_length = np.int64(0)
            v35_measured = False
            v36_key = np.int64(c10[U(v31_element)])
            v37_key = np.int64(c11[U(v31_element)])
            if v37_key >= 0 and (v36_key < 0 or v37_key > len(c12) - v36_key):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
            v38_value, v39_value = np.int64(0), np.int64(-1)
            if len(c14):
                v38_value = np.int64(c13[U(v31_element)])
                v39_value = np.int64(c14[U(v31_element)])
            if v39_value >= 0 and (v38_value < 0 or v39_value > len(c15) - v38_value):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(23), p, np.int64(0))
            v32_key_length = v37_key
            if v39_value >= 0:
                v34_value_length = v39_value
                v35_measured = True
            elif not v35_measured:
                v34_value_length = np.int64(-1)
            if v32_key_length < -2147483648 or v32_key_length > 2147483647:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(24), p, np.int64(0))
            p = store_varint(out, p, (v32_key_length << 1) ^ (v32_key_length >> 63))
            if not (v32_key_length >= 0):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(25), p, np.int64(0))
            if v37_key < 0:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(26), p, np.int64(0))
            copy(out, p, c12, v36_key, v37_key)
            p += v37_key
            if v34_value_length < -2147483648 or v34_value_length > 2147483647:
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(27), p, np.int64(0))
            p = store_varint(out, p, (v34_value_length << 1) ^ (v34_value_length >> 63))
            if (v39_value >= 0) != ((v34_value_length >= 0)):
                return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(28), p, np.int64(0))
            if (v34_value_length >= 0):
                if v39_value < 0:
                    return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(29), p, np.int64(0))
                if v39_value != v34_value_length:
                    return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(30), p, np.int64(0))
                copy(out, p, c15, v38_value, v39_value)
                p += v39_value
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_record_batch__record(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


# i8 i4 i4 i1 u4 i8 i8 u2 u1 u1 u1 u1 u1 i4 i8 i8 i8 i2 i4 i4 i8 i8
@helper
def leave_decode_record_batch(at, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    put_8(at, UNIT, unit)
    put_8(at, DONE, done)
    put_8(at, POSITION, start)
    put_8(at, ROW, n0)
    put_8(at, ERROR_POSITION, position)
    put_8(at, CAPACITY, wanted)
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
    a0 = address(c0)
    a1 = address(c1)
    a2 = address(c2)
    a3 = address(c3)
    a4 = address(c4)
    a5 = address(c5)
    a6 = address(c6)
    a7 = address(c7)
    a8 = address(c8)
    a9 = address(c9)
    a10 = address(c10)
    a11 = address(c11)
    a12 = address(c12)
    a13 = address(c13)
    a14 = address(c14)
    a15 = address(c15)
    a16 = address(c16)
    a17 = address(c17)
    a18 = address(c18)
    a19 = address(c19)
    a20 = address(c20)
    a21 = address(c21)
    d, at = address(data), address(state)
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
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 12:
                if end - p < 8:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(2), p, np.int64(0))
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(3), p + 8, np.int64(0))
            v1_base_offset = word_8(d, p)
            p += 8
            if w0:
                put_8(a0, n0, v1_base_offset)
            v2_batch_length = (word_4(d, p) << 32) >> 32
            p += 4
            if w1:
                put_4(a1, n0, v2_batch_length)
            if not (v2_batch_length >= 49):
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if end - p < 5:
                if end - p < 4:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(5), p, np.int64(0))
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(6), p + 4, np.int64(0))
            v3_partition_leader_epoch = (word_4(d, p) << 32) >> 32
            p += 4
            if w2:
                put_4(a2, n0, v3_partition_leader_epoch)
            v4_magic = (byte_at(d, p) << 56) >> 56
            p += 1
            if w3:
                put_1(a3, n0, v4_magic)
            if not (v4_magic == 2):
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(7), p, np.int64(0))
            if end - p < 4:
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v5_crc = word_4(d, p)
            p += 4
            if w4:
                put_4(a4, n0, v5_crc)
            v6_ = 40
            v7_ = 49
            v8_ = (v2_batch_length - v7_)
            if w5:
                put_8(a5, n0, p)
            if w6:
                put_8(a6, n0, (v6_ + v8_))
            if end - p < 2:
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(9), p, np.int64(0))
            v9_attributes = word_2(d, p)
            p += 2
            v10_reserved = (v9_attributes >> 7) & 511
            if w7:
                put_2(a7, n0, v10_reserved)
            v11_has_delete_horizon = (v9_attributes >> 6) & 1
            if w8:
                put_1(a8, n0, v11_has_delete_horizon)
            v12_is_control = (v9_attributes >> 5) & 1
            if w9:
                put_1(a9, n0, v12_is_control)
            v13_is_transactional = (v9_attributes >> 4) & 1
            if w10:
                put_1(a10, n0, v13_is_transactional)
            v14_timestamp_type = (v9_attributes >> 3) & 1
            if w11:
                put_1(a11, n0, v14_timestamp_type)
            v15_compression = (v9_attributes) & 7
            if w12:
                put_1(a12, n0, v15_compression)
            if not (((v15_compression == 0) or (v15_compression == 1)) or ((v15_compression == 2) or ((v15_compression == 3) or (v15_compression == 4)))):
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(10), p, np.int64(0))
            if end - p < 38:
                if end - p < 4:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(11), p, np.int64(0))
                if end - p < 12:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(12), p + 4, np.int64(0))
                if end - p < 20:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(13), p + 12, np.int64(0))
                if end - p < 28:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(14), p + 20, np.int64(0))
                if end - p < 30:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(15), p + 28, np.int64(0))
                if end - p < 34:
                    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(16), p + 30, np.int64(0))
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(17), p + 34, np.int64(0))
            v16_last_offset_delta = (word_4(d, p) << 32) >> 32
            p += 4
            if w13:
                put_4(a13, n0, v16_last_offset_delta)
            v17_base_timestamp = word_8(d, p)
            p += 8
            if w14:
                put_8(a14, n0, v17_base_timestamp)
            v18_max_timestamp = word_8(d, p)
            p += 8
            if w15:
                put_8(a15, n0, v18_max_timestamp)
            v19_producer_id = word_8(d, p)
            p += 8
            if w16:
                put_8(a16, n0, v19_producer_id)
            v20_producer_epoch = (word_2(d, p) << 48) >> 48
            p += 2
            if w17:
                put_2(a17, n0, v20_producer_epoch)
            v21_base_sequence = (word_4(d, p) << 32) >> 32
            p += 4
            if w18:
                put_4(a18, n0, v21_base_sequence)
            v22_records_count = (word_4(d, p) << 32) >> 32
            p += 4
            if w19:
                put_4(a19, n0, v22_records_count)
            if not (v22_records_count >= 0):
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(18), p, np.int64(0))
            v24_ = 49
            v23_size = (v2_batch_length - v24_)
            if v23_size > end - p:
                return leave_decode_record_batch(at, unit, done, start, n0, np.int64(19), p, np.int64(0))
            v25_begin = p
            if w20:
                put_8(a20, n0, v25_begin)
            if w21:
                put_8(a21, n0, v23_size)
            p += v23_size
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_record_batch(at, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_record_batch(at, unit, done, start, n0, np.int64(0), p, np.int64(0))

"""Kernels of formats/legacy_message.ksy: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    copy,
    helper,
    kernel,
    load_4,
    load_8,
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
def leave_decode_legacy_message__plain_message(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_legacy_message__plain_message(
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
):
    # c0: crc, value
    # c1: crc, covered position
    # c2: crc, covered length
    # c3: magic, value
    # c4: attributes.reserved, value
    # c5: attributes.timestamp_type, value
    # c6: attributes.compression, value
    # c7: timestamp, valid
    # c8: timestamp, value
    # c9: key_length, value
    # c10: key, position
    # c11: key, length
    # c12: key, bytes
    # c13: key, byte offsets
    # c14: key, is there
    # c15: value_length, value
    # c16: value, position
    # c17: value, length
    # c18: value, bytes
    # c19: value, byte offsets
    # c20: value, is there
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
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 4:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_crc = load_4(data, p)
            p += 4
            if w0:
                c0[U(n0)] = v1_crc
            if w1:
                c1[U(n0)] = p
            if w2:
                c2[U(n0)] = end - p
            if end - p < 1:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w3:
                c3[U(n0)] = v2_magic
            if not ((v2_magic == 0) or (v2_magic == 1)):
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if end - p < 1:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v3_attributes = np.int64(data[U(p)])
            p += 1
            v4_reserved = (v3_attributes >> 4) & 15
            if w4:
                c4[U(n0)] = v4_reserved
            v5_timestamp_type = (v3_attributes >> 3) & 1
            if w5:
                c5[U(n0)] = v5_timestamp_type
            v6_compression = (v3_attributes) & 7
            if w6:
                c6[U(n0)] = v6_compression
            if not (((v6_compression == 0) or (v6_compression == 1)) or ((v6_compression == 2) or (v6_compression == 3))):
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            if (v2_magic >= 1):
                if w7:
                    c7[U(n0)] = 1
                if end - p < 8:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
                v7_timestamp = load_8(data, p)
                p += 8
                if w8:
                    c8[U(n0)] = v7_timestamp
            else:
                if w7:
                    c7[U(n0)] = 0
                if w8:
                    c8[U(n0)] = 0
                v7_timestamp = np.int64(0)
            if end - p < 4:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v8_key_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w9:
                c9[U(n0)] = v8_key_length
            if (v8_key_length >= 0):
                v9_size = v8_key_length
                if v9_size < 0:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
                if v9_size > end - p:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
                v10_begin = p
                if w10:
                    c10[U(n0)] = v10_begin
                if w11:
                    c11[U(n0)] = v9_size
                if w12:
                    v11_packed = np.int64(c13[U(n0)])
                    if v9_size > len(c12) - v11_packed:
                        return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(-65548), p, v11_packed + v9_size)
                    copy(c12, v11_packed, data, v10_begin, v9_size)
                    c13[U(n0 + 1)] = v11_packed + v9_size
                    c14[U(n0)] = 1
                p += v9_size
            else:
                if w10:
                    c10[U(n0)] = 0
                if w11:
                    c11[U(n0)] = -1
                if w13:
                    c13[U(n0 + 1)] = c13[U(n0)]
                if w14:
                    c14[U(n0)] = 0
            if end - p < 4:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v12_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w15:
                c15[U(n0)] = v12_value_length
            if (v12_value_length >= 0):
                v13_size = v12_value_length
                if v13_size < 0:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
                if v13_size > end - p:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                v14_begin = p
                if w16:
                    c16[U(n0)] = v14_begin
                if w17:
                    c17[U(n0)] = v13_size
                if w18:
                    v15_packed = np.int64(c19[U(n0)])
                    if v13_size > len(c18) - v15_packed:
                        return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(-65554), p, v15_packed + v13_size)
                    copy(c18, v15_packed, data, v14_begin, v13_size)
                    c19[U(n0 + 1)] = v15_packed + v13_size
                    c20[U(n0)] = 1
                p += v13_size
            else:
                if w16:
                    c16[U(n0)] = 0
                if w17:
                    c17[U(n0)] = -1
                if w19:
                    c19[U(n0 + 1)] = c19[U(n0)]
                if w20:
                    c20[U(n0)] = 0
            if p < end:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message__plain_message(
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
):
    # c0: crc, value
    # c1: magic, value
    # c2: attributes.reserved, value
    # c3: attributes.timestamp_type, value
    # c4: attributes.compression, value
    # c5: timestamp, valid
    # c6: timestamp, value
    # c7: key, position
    # c8: key, length
    # c9: key, bytes
    # c10: value, position
    # c11: value, length
    # c12: value, bytes
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_key_length = np.int64(0)
        v2_measured = False
        v3_value_length = np.int64(0)
        v4_measured = False
        v5_crc = np.int64(c0[U(n0)]) if len(c0) else np.int64(0)
        v6_magic = np.int64(c1[U(n0)]) if len(c1) else 1
        v7_attributes_reserved = np.int64(c2[U(n0)]) if len(c2) else np.int64(0)
        v8_attributes_timestamp_type = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)
        v9_attributes_compression = np.int64(c4[U(n0)]) if len(c4) else np.int64(0)
        v10_timestamp = np.int64(c5[U(n0)])
        v11_timestamp = np.int64(c6[U(n0)])
        v12_key, v13_key = np.int64(0), np.int64(-1)
        if len(c8):
            v12_key = np.int64(c7[U(n0)])
            v13_key = np.int64(c8[U(n0)])
        if v13_key >= 0 and (v12_key < 0 or v13_key > len(c9) - v12_key):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v14_value, v15_value = np.int64(0), np.int64(-1)
        if len(c11):
            v14_value = np.int64(c10[U(n0)])
            v15_value = np.int64(c11[U(n0)])
        if v15_value >= 0 and (v14_value < 0 or v15_value > len(c12) - v14_value):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        if v13_key >= 0:
            v1_key_length = v13_key
            v2_measured = True
        elif not v2_measured:
            v1_key_length = np.int64(-1)
        if v15_value >= 0:
            v3_value_length = v15_value
            v4_measured = True
        elif not v4_measured:
            v3_value_length = np.int64(-1)
        v16_total = np.int64(0)
        v16_total += 4
        v16_total += 1
        v16_total += 1
        if v10_timestamp != 0:
            v16_total += 8
        v16_total += 4
        if v13_key >= 0:
            v16_total += max(v13_key, 0)
        v16_total += 4
        if v15_value >= 0:
            v16_total += max(v15_value, 0)
        if most_rows > 0 and n0 > first and v16_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v16_total > len(out) - p:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(-1), p, p + v16_total)
        store_4(out, p, v5_crc)
        p += 4
        out[U(p)] = np.uint8(v6_magic & 255)
        p += 1
        if not ((v6_magic == 0) or (v6_magic == 1)):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        if v7_attributes_reserved < 0 or v7_attributes_reserved > 15:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        if v8_attributes_timestamp_type < 0 or v8_attributes_timestamp_type > 1:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        if v9_attributes_compression < 0 or v9_attributes_compression > 7:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        v17_attributes = v7_attributes_reserved << 4 | v8_attributes_timestamp_type << 3 | v9_attributes_compression
        if not (((v9_attributes_compression == 0) or (v9_attributes_compression == 1)) or ((v9_attributes_compression == 2) or (v9_attributes_compression == 3))):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        out[U(p)] = np.uint8(v17_attributes & 255)
        p += 1
        if (v10_timestamp != 0) != ((v6_magic >= 1)):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        if (v6_magic >= 1):
            store_8(out, p, v11_timestamp)
            p += 8
        if v1_key_length < -2147483648 or v1_key_length > 2147483647:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        store_4(out, p, v1_key_length)
        p += 4
        if (v13_key >= 0) != ((v1_key_length >= 0)):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        if (v1_key_length >= 0):
            if v13_key < 0:
                return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
            if v13_key != v1_key_length:
                return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
            copy(out, p, c9, v12_key, v13_key)
            p += v13_key
        if v3_value_length < -2147483648 or v3_value_length > 2147483647:
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
        store_4(out, p, v3_value_length)
        p += 4
        if (v15_value >= 0) != ((v3_value_length >= 0)):
            return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
        if (v3_value_length >= 0):
            if v15_value < 0:
                return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
            if v15_value != v3_value_length:
                return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
            copy(out, p, c12, v14_value, v15_value)
            p += v15_value
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message__plain_message(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_legacy_message__wrapped_message(
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
):
    # c0: offset, value
    # c1: message_size, value
    # c2: message.crc, value
    # c3: message.crc, covered position
    # c4: message.crc, covered length
    # c5: message.magic, value
    # c6: message.attributes.reserved, value
    # c7: message.attributes.timestamp_type, value
    # c8: message.attributes.compression, value
    # c9: message.timestamp, valid
    # c10: message.timestamp, value
    # c11: message.key_length, value
    # c12: message.key, position
    # c13: message.key, length
    # c14: message.key, bytes
    # c15: message.key, byte offsets
    # c16: message.key, is there
    # c17: message.value_length, value
    # c18: message.value, position
    # c19: message.value, length
    # c20: message.value, bytes
    # c21: message.value, byte offsets
    # c22: message.value, is there
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
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 8:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_offset = load_8(data, p)
            p += 8
            if w0:
                c0[U(n0)] = v1_offset
            if end - p < 4:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_message_size = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_message_size
            if not (v2_message_size >= 14):
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v3_size = v2_message_size
            if v3_size > end - p:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v4_end = p + v3_size
            if v4_end - p < 4:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            v5_crc = load_4(data, p)
            p += 4
            if w2:
                c2[U(n0)] = v5_crc
            if w3:
                c3[U(n0)] = p
            if w4:
                c4[U(n0)] = v4_end - p
            if v4_end - p < 1:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
            v6_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w5:
                c5[U(n0)] = v6_magic
            if not ((v6_magic == 0) or (v6_magic == 1)):
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            if v4_end - p < 1:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
            v7_attributes = np.int64(data[U(p)])
            p += 1
            v8_reserved = (v7_attributes >> 4) & 15
            if w6:
                c6[U(n0)] = v8_reserved
            v9_timestamp_type = (v7_attributes >> 3) & 1
            if w7:
                c7[U(n0)] = v9_timestamp_type
            v10_compression = (v7_attributes) & 7
            if w8:
                c8[U(n0)] = v10_compression
            if not (((v10_compression == 0) or (v10_compression == 1)) or ((v10_compression == 2) or (v10_compression == 3))):
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
            if (v6_magic >= 1):
                if w9:
                    c9[U(n0)] = 1
                if v4_end - p < 8:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
                v11_timestamp = load_8(data, p)
                p += 8
                if w10:
                    c10[U(n0)] = v11_timestamp
            else:
                if w9:
                    c9[U(n0)] = 0
                if w10:
                    c10[U(n0)] = 0
                v11_timestamp = np.int64(0)
            if v4_end - p < 4:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
            v12_key_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w11:
                c11[U(n0)] = v12_key_length
            if (v12_key_length >= 0):
                v13_size = v12_key_length
                if v13_size < 0:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                if v13_size > v4_end - p:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
                v14_begin = p
                if w12:
                    c12[U(n0)] = v14_begin
                if w13:
                    c13[U(n0)] = v13_size
                if w14:
                    v15_packed = np.int64(c15[U(n0)])
                    if v13_size > len(c14) - v15_packed:
                        return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(-65550), p, v15_packed + v13_size)
                    copy(c14, v15_packed, data, v14_begin, v13_size)
                    c15[U(n0 + 1)] = v15_packed + v13_size
                    c16[U(n0)] = 1
                p += v13_size
            else:
                if w12:
                    c12[U(n0)] = 0
                if w13:
                    c13[U(n0)] = -1
                if w15:
                    c15[U(n0 + 1)] = c15[U(n0)]
                if w16:
                    c16[U(n0)] = 0
            if v4_end - p < 4:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
            v16_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w17:
                c17[U(n0)] = v16_value_length
            if (v16_value_length >= 0):
                v17_size = v16_value_length
                if v17_size < 0:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
                if v17_size > v4_end - p:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(17), p, np.int64(0))
                v18_begin = p
                if w18:
                    c18[U(n0)] = v18_begin
                if w19:
                    c19[U(n0)] = v17_size
                if w20:
                    v19_packed = np.int64(c21[U(n0)])
                    if v17_size > len(c20) - v19_packed:
                        return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(-65556), p, v19_packed + v17_size)
                    copy(c20, v19_packed, data, v18_begin, v17_size)
                    c21[U(n0 + 1)] = v19_packed + v17_size
                    c22[U(n0)] = 1
                p += v17_size
            else:
                if w18:
                    c18[U(n0)] = 0
                if w19:
                    c19[U(n0)] = -1
                if w21:
                    c21[U(n0 + 1)] = c21[U(n0)]
                if w22:
                    c22[U(n0)] = 0
            if p < v4_end:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(18), p, np.int64(0))
            if p < v4_end:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(19), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message__wrapped_message(
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
):
    # c0: offset, value
    # c1: message.crc, value
    # c2: message.magic, value
    # c3: message.attributes.reserved, value
    # c4: message.attributes.timestamp_type, value
    # c5: message.attributes.compression, value
    # c6: message.timestamp, valid
    # c7: message.timestamp, value
    # c8: message.key, position
    # c9: message.key, length
    # c10: message.key, bytes
    # c11: message.value, position
    # c12: message.value, length
    # c13: message.value, bytes
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_message_size = np.int64(0)
        v2_measured = False
        v3_offset = np.int64(c0[U(n0)]) if len(c0) else 0
        v4_key_length = np.int64(0)
        v5_measured = False
        v6_value_length = np.int64(0)
        v7_measured = False
        v8_crc = np.int64(c1[U(n0)])
        v9_magic = np.int64(c2[U(n0)]) if len(c2) else 1
        v10_attributes_reserved = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)
        v11_attributes_timestamp_type = np.int64(c4[U(n0)]) if len(c4) else np.int64(0)
        v12_attributes_compression = np.int64(c5[U(n0)]) if len(c5) else np.int64(0)
        v13_timestamp = np.int64(c6[U(n0)])
        v14_timestamp = np.int64(c7[U(n0)])
        v15_key, v16_key = np.int64(0), np.int64(-1)
        if len(c9):
            v15_key = np.int64(c8[U(n0)])
            v16_key = np.int64(c9[U(n0)])
        if v16_key >= 0 and (v15_key < 0 or v16_key > len(c10) - v15_key):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v17_value, v18_value = np.int64(0), np.int64(-1)
        if len(c12):
            v17_value = np.int64(c11[U(n0)])
            v18_value = np.int64(c12[U(n0)])
        if v18_value >= 0 and (v17_value < 0 or v18_value > len(c13) - v17_value):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        if v16_key >= 0:
            v4_key_length = v16_key
            v5_measured = True
        elif not v5_measured:
            v4_key_length = np.int64(-1)
        if v18_value >= 0:
            v6_value_length = v18_value
            v7_measured = True
        elif not v7_measured:
            v6_value_length = np.int64(-1)
        v19_size = np.int64(0)
        v19_size += 4
        v19_size += 1
        v19_size += 1
        if v13_timestamp != 0:
            v19_size += 8
        v19_size += 4
        if v16_key >= 0:
            v19_size += max(v16_key, 0)
        v19_size += 4
        if v18_value >= 0:
            v19_size += max(v18_value, 0)
        v1_message_size = v19_size
        v20_total = np.int64(0)
        v20_total += 8
        v20_total += 4
        v20_total += v19_size
        if most_rows > 0 and n0 > first and v20_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v20_total > len(out) - p:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(-1), p, p + v20_total)
        store_8(out, p, v3_offset)
        p += 8
        if v1_message_size < -2147483648 or v1_message_size > 2147483647:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        store_4(out, p, v1_message_size)
        p += 4
        if not (v1_message_size >= 14):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        store_4(out, p, v8_crc)
        p += 4
        out[U(p)] = np.uint8(v9_magic & 255)
        p += 1
        if not ((v9_magic == 0) or (v9_magic == 1)):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        if v10_attributes_reserved < 0 or v10_attributes_reserved > 15:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        if v11_attributes_timestamp_type < 0 or v11_attributes_timestamp_type > 1:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        if v12_attributes_compression < 0 or v12_attributes_compression > 7:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        v21_attributes = v10_attributes_reserved << 4 | v11_attributes_timestamp_type << 3 | v12_attributes_compression
        if not (((v12_attributes_compression == 0) or (v12_attributes_compression == 1)) or ((v12_attributes_compression == 2) or (v12_attributes_compression == 3))):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        out[U(p)] = np.uint8(v21_attributes & 255)
        p += 1
        if (v13_timestamp != 0) != ((v9_magic >= 1)):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        if (v9_magic >= 1):
            store_8(out, p, v14_timestamp)
            p += 8
        if v4_key_length < -2147483648 or v4_key_length > 2147483647:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        store_4(out, p, v4_key_length)
        p += 4
        if (v16_key >= 0) != ((v4_key_length >= 0)):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
        if (v4_key_length >= 0):
            if v16_key < 0:
                return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            if v16_key != v4_key_length:
                return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            copy(out, p, c10, v15_key, v16_key)
            p += v16_key
        if v6_value_length < -2147483648 or v6_value_length > 2147483647:
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
        store_4(out, p, v6_value_length)
        p += 4
        if (v18_value >= 0) != ((v6_value_length >= 0)):
            return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
        if (v6_value_length >= 0):
            if v18_value < 0:
                return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
            if v18_value != v6_value_length:
                return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            copy(out, p, c13, v17_value, v18_value)
            p += v18_value
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message__wrapped_message(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    state[FIRST_TABLE + 0] = s1
    return site


@kernel
def decode_legacy_message__message_set(
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
):
    # c0: messages, offsets
    # c1: messages.offset, value, per element of messages
    # c2: messages.message_size, value, per element of messages
    # c3: messages.message.crc, value, per element of messages
    # c4: messages.message.crc, covered position, per element of messages
    # c5: messages.message.crc, covered length, per element of messages
    # c6: messages.message.magic, value, per element of messages
    # c7: messages.message.attributes.reserved, value, per element of messages
    # c8: messages.message.attributes.timestamp_type, value, per element of messages
    # c9: messages.message.attributes.compression, value, per element of messages
    # c10: messages.message.timestamp, valid, per element of messages
    # c11: messages.message.timestamp, value, per element of messages
    # c12: messages.message.key_length, value, per element of messages
    # c13: messages.message.key, position, per element of messages
    # c14: messages.message.key, length, per element of messages
    # c15: messages.message.key, bytes, per element of messages
    # c16: messages.message.key, byte offsets, per element of messages
    # c17: messages.message.key, is there, per element of messages
    # c18: messages.message.value_length, value, per element of messages
    # c19: messages.message.value, position, per element of messages
    # c20: messages.message.value, length, per element of messages
    # c21: messages.message.value, bytes, per element of messages
    # c22: messages.message.value, byte offsets, per element of messages
    # c23: messages.message.value, is there, per element of messages
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
                return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(-1), p, n0 + 1)
            while p < end:
                if n1 >= cap1:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + 1)
                if end - p < 8:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(2), p, np.int64(0))
                v1_offset = load_8(data, p)
                p += 8
                if w1:
                    c1[U(n1)] = v1_offset
                if end - p < 4:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(3), p, np.int64(0))
                v2_message_size = (load_4(data, p) << 32) >> 32
                p += 4
                if w2:
                    c2[U(n1)] = v2_message_size
                if not (v2_message_size >= 14):
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(4), p, np.int64(0))
                v3_size = v2_message_size
                if v3_size > end - p:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(5), p, np.int64(0))
                v4_end = p + v3_size
                if v4_end - p < 4:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                v5_crc = load_4(data, p)
                p += 4
                if w3:
                    c3[U(n1)] = v5_crc
                if w4:
                    c4[U(n1)] = p
                if w5:
                    c5[U(n1)] = v4_end - p
                if v4_end - p < 1:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
                v6_magic = (np.int64(data[U(p)]) << 56) >> 56
                p += 1
                if w6:
                    c6[U(n1)] = v6_magic
                if not ((v6_magic == 0) or (v6_magic == 1)):
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
                if v4_end - p < 1:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
                v7_attributes = np.int64(data[U(p)])
                p += 1
                v8_reserved = (v7_attributes >> 4) & 15
                if w7:
                    c7[U(n1)] = v8_reserved
                v9_timestamp_type = (v7_attributes >> 3) & 1
                if w8:
                    c8[U(n1)] = v9_timestamp_type
                v10_compression = (v7_attributes) & 7
                if w9:
                    c9[U(n1)] = v10_compression
                if not (((v10_compression == 0) or (v10_compression == 1)) or ((v10_compression == 2) or (v10_compression == 3))):
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
                if (v6_magic >= 1):
                    if w10:
                        c10[U(n1)] = 1
                    if v4_end - p < 8:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                    v11_timestamp = load_8(data, p)
                    p += 8
                    if w11:
                        c11[U(n1)] = v11_timestamp
                else:
                    if w10:
                        c10[U(n1)] = 0
                    if w11:
                        c11[U(n1)] = 0
                    v11_timestamp = np.int64(0)
                if v4_end - p < 4:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
                v12_key_length = (load_4(data, p) << 32) >> 32
                p += 4
                if w12:
                    c12[U(n1)] = v12_key_length
                if (v12_key_length >= 0):
                    v13_size = v12_key_length
                    if v13_size < 0:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                    if v13_size > v4_end - p:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                    v14_begin = p
                    if w13:
                        c13[U(n1)] = v14_begin
                    if w14:
                        c14[U(n1)] = v13_size
                    if w15:
                        v15_packed = np.int64(c16[U(n1)])
                        if v13_size > len(c15) - v15_packed:
                            return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(-65551), p, v15_packed + v13_size)
                        copy(c15, v15_packed, data, v14_begin, v13_size)
                        c16[U(n1 + 1)] = v15_packed + v13_size
                        c17[U(n1)] = 1
                    p += v13_size
                else:
                    if w13:
                        c13[U(n1)] = 0
                    if w14:
                        c14[U(n1)] = -1
                    if w16:
                        c16[U(n1 + 1)] = c16[U(n1)]
                    if w17:
                        c17[U(n1)] = 0
                if v4_end - p < 4:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v16_value_length = (load_4(data, p) << 32) >> 32
                p += 4
                if w18:
                    c18[U(n1)] = v16_value_length
                if (v16_value_length >= 0):
                    v17_size = v16_value_length
                    if v17_size < 0:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
                    if v17_size > v4_end - p:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(17), p, np.int64(0))
                    v18_begin = p
                    if w19:
                        c19[U(n1)] = v18_begin
                    if w20:
                        c20[U(n1)] = v17_size
                    if w21:
                        v19_packed = np.int64(c22[U(n1)])
                        if v17_size > len(c21) - v19_packed:
                            return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(-65557), p, v19_packed + v17_size)
                        copy(c21, v19_packed, data, v18_begin, v17_size)
                        c22[U(n1 + 1)] = v19_packed + v17_size
                        c23[U(n1)] = 1
                    p += v17_size
                else:
                    if w19:
                        c19[U(n1)] = 0
                    if w20:
                        c20[U(n1)] = -1
                    if w22:
                        c22[U(n1 + 1)] = c22[U(n1)]
                    if w23:
                        c23[U(n1)] = 0
                if p < v4_end:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(18), p, np.int64(0))
                if p < v4_end:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(19), p, np.int64(0))
                n1 += 1
            if w0:
                c0[U(n0 + 1)] = n1
            n0 += 1
            done += 1
        start = p
        s1 = n1
        if p < end:
            return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message__message_set(
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
):
    # c0: messages, offsets
    # c1: messages.offset, value, per element of messages
    # c2: messages.message.crc, value, per element of messages
    # c3: messages.message.magic, value, per element of messages
    # c4: messages.message.attributes.reserved, value, per element of messages
    # c5: messages.message.attributes.timestamp_type, value, per element of messages
    # c6: messages.message.attributes.compression, value, per element of messages
    # c7: messages.message.timestamp, valid, per element of messages
    # c8: messages.message.timestamp, value, per element of messages
    # c9: messages.message.key, position, per element of messages
    # c10: messages.message.key, length, per element of messages
    # c11: messages.message.key, bytes, per element of messages
    # c12: messages.message.value, position, per element of messages
    # c13: messages.message.value, length, per element of messages
    # c14: messages.message.value, bytes, per element of messages
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
            return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v3_total = np.int64(0)
        for v4_element in range(v1_begin, v2_end):
            v5_message_size = np.int64(0)
            v6_measured = False
            v7_offset = np.int64(c1[U(v4_element)]) if len(c1) else 0
            v8_key_length = np.int64(0)
            v9_measured = False
            v10_value_length = np.int64(0)
            v11_measured = False
            v12_crc = np.int64(c2[U(v4_element)])
            v13_magic = np.int64(c3[U(v4_element)]) if len(c3) else 1
            v14_attributes_reserved = np.int64(c4[U(v4_element)]) if len(c4) else np.int64(0)
            v15_attributes_timestamp_type = np.int64(c5[U(v4_element)]) if len(c5) else np.int64(0)
            v16_attributes_compression = np.int64(c6[U(v4_element)]) if len(c6) else np.int64(0)
            v17_timestamp = np.int64(c7[U(v4_element)])
            v18_timestamp = np.int64(c8[U(v4_element)])
            v19_key, v20_key = np.int64(0), np.int64(-1)
            if len(c10):
                v19_key = np.int64(c9[U(v4_element)])
                v20_key = np.int64(c10[U(v4_element)])
            if v20_key >= 0 and (v19_key < 0 or v20_key > len(c11) - v19_key):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
            v21_value, v22_value = np.int64(0), np.int64(-1)
            if len(c13):
                v21_value = np.int64(c12[U(v4_element)])
                v22_value = np.int64(c13[U(v4_element)])
            if v22_value >= 0 and (v21_value < 0 or v22_value > len(c14) - v21_value):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
            if v20_key >= 0:
                v8_key_length = v20_key
                v9_measured = True
            elif not v9_measured:
                v8_key_length = np.int64(-1)
            if v22_value >= 0:
                v10_value_length = v22_value
                v11_measured = True
            elif not v11_measured:
                v10_value_length = np.int64(-1)
            v23_size = np.int64(0)
            v23_size += 4
            v23_size += 1
            v23_size += 1
            if v17_timestamp != 0:
                v23_size += 8
            v23_size += 4
            if v20_key >= 0:
                v23_size += max(v20_key, 0)
            v23_size += 4
            if v22_value >= 0:
                v23_size += max(v22_value, 0)
            v5_message_size = v23_size
            v3_total += 8
            v3_total += 4
            v3_total += v23_size
        if most_rows > 0 and n0 > first and v3_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v3_total > len(out) - p:
            return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(-1), p, p + v3_total)
        for v24_element in range(v1_begin, v2_end):
            v25_message_size = np.int64(0)
            v26_measured = False
            v27_offset = np.int64(c1[U(v24_element)]) if len(c1) else 0
            v28_key_length = np.int64(0)
            v29_measured = False
            v30_value_length = np.int64(0)
            v31_measured = False
            v32_crc = np.int64(c2[U(v24_element)])
            v33_magic = np.int64(c3[U(v24_element)]) if len(c3) else 1
            v34_attributes_reserved = np.int64(c4[U(v24_element)]) if len(c4) else np.int64(0)
            v35_attributes_timestamp_type = np.int64(c5[U(v24_element)]) if len(c5) else np.int64(0)
            v36_attributes_compression = np.int64(c6[U(v24_element)]) if len(c6) else np.int64(0)
            v37_timestamp = np.int64(c7[U(v24_element)])
            v38_timestamp = np.int64(c8[U(v24_element)])
            v39_key, v40_key = np.int64(0), np.int64(-1)
            if len(c10):
                v39_key = np.int64(c9[U(v24_element)])
                v40_key = np.int64(c10[U(v24_element)])
            if v40_key >= 0 and (v39_key < 0 or v40_key > len(c11) - v39_key):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
            v41_value, v42_value = np.int64(0), np.int64(-1)
            if len(c13):
                v41_value = np.int64(c12[U(v24_element)])
                v42_value = np.int64(c13[U(v24_element)])
            if v42_value >= 0 and (v41_value < 0 or v42_value > len(c14) - v41_value):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
            if v40_key >= 0:
                v28_key_length = v40_key
                v29_measured = True
            elif not v29_measured:
                v28_key_length = np.int64(-1)
            if v42_value >= 0:
                v30_value_length = v42_value
                v31_measured = True
            elif not v31_measured:
                v30_value_length = np.int64(-1)
            v43_size = np.int64(0)
            v43_size += 4
            v43_size += 1
            v43_size += 1
            if v37_timestamp != 0:
                v43_size += 8
            v43_size += 4
            if v40_key >= 0:
                v43_size += max(v40_key, 0)
            v43_size += 4
            if v42_value >= 0:
                v43_size += max(v42_value, 0)
            v25_message_size = v43_size
            store_8(out, p, v27_offset)
            p += 8
            if v25_message_size < -2147483648 or v25_message_size > 2147483647:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
            store_4(out, p, v25_message_size)
            p += 4
            if not (v25_message_size >= 14):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
            store_4(out, p, v32_crc)
            p += 4
            out[U(p)] = np.uint8(v33_magic & 255)
            p += 1
            if not ((v33_magic == 0) or (v33_magic == 1)):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
            if v34_attributes_reserved < 0 or v34_attributes_reserved > 15:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
            if v35_attributes_timestamp_type < 0 or v35_attributes_timestamp_type > 1:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
            if v36_attributes_compression < 0 or v36_attributes_compression > 7:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
            v44_attributes = v34_attributes_reserved << 4 | v35_attributes_timestamp_type << 3 | v36_attributes_compression
            if not (((v36_attributes_compression == 0) or (v36_attributes_compression == 1)) or ((v36_attributes_compression == 2) or (v36_attributes_compression == 3))):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
            out[U(p)] = np.uint8(v44_attributes & 255)
            p += 1
            if (v37_timestamp != 0) != ((v33_magic >= 1)):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            if (v33_magic >= 1):
                store_8(out, p, v38_timestamp)
                p += 8
            if v28_key_length < -2147483648 or v28_key_length > 2147483647:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            store_4(out, p, v28_key_length)
            p += 4
            if (v40_key >= 0) != ((v28_key_length >= 0)):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
            if (v28_key_length >= 0):
                if v40_key < 0:
                    return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
                if v40_key != v28_key_length:
                    return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
                copy(out, p, c11, v39_key, v40_key)
                p += v40_key
            if v30_value_length < -2147483648 or v30_value_length > 2147483647:
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            store_4(out, p, v30_value_length)
            p += 4
            if (v42_value >= 0) != ((v30_value_length >= 0)):
                return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            if (v30_value_length >= 0):
                if v42_value < 0:
                    return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
                if v42_value != v30_value_length:
                    return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
                copy(out, p, c14, v41_value, v42_value)
                p += v42_value
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message__message_set(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_legacy_message__message(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_legacy_message__message(
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
):
    # c0: crc, value
    # c1: crc, covered position
    # c2: crc, covered length
    # c3: magic, value
    # c4: attributes.reserved, value
    # c5: attributes.timestamp_type, value
    # c6: attributes.compression, value
    # c7: timestamp, valid
    # c8: timestamp, value
    # c9: key_length, value
    # c10: key, position
    # c11: key, length
    # c12: key, bytes
    # c13: key, byte offsets
    # c14: key, is there
    # c15: value_length, value
    # c16: value, position
    # c17: value, length
    # c18: value, bytes
    # c19: value, byte offsets
    # c20: value, is there
    # c21: message_set, position
    # c22: message_set, length
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
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 4:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_crc = load_4(data, p)
            p += 4
            if w0:
                c0[U(n0)] = v1_crc
            if w1:
                c1[U(n0)] = p
            if w2:
                c2[U(n0)] = end - p
            if end - p < 1:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w3:
                c3[U(n0)] = v2_magic
            if not ((v2_magic == 0) or (v2_magic == 1)):
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if end - p < 1:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v3_attributes = np.int64(data[U(p)])
            p += 1
            v4_reserved = (v3_attributes >> 4) & 15
            if w4:
                c4[U(n0)] = v4_reserved
            v5_timestamp_type = (v3_attributes >> 3) & 1
            if w5:
                c5[U(n0)] = v5_timestamp_type
            v6_compression = (v3_attributes) & 7
            if w6:
                c6[U(n0)] = v6_compression
            if not (((v6_compression == 0) or (v6_compression == 1)) or ((v6_compression == 2) or (v6_compression == 3))):
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            if (v2_magic >= 1):
                if w7:
                    c7[U(n0)] = 1
                if end - p < 8:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
                v7_timestamp = load_8(data, p)
                p += 8
                if w8:
                    c8[U(n0)] = v7_timestamp
            else:
                if w7:
                    c7[U(n0)] = 0
                if w8:
                    c8[U(n0)] = 0
                v7_timestamp = np.int64(0)
            if end - p < 4:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v8_key_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w9:
                c9[U(n0)] = v8_key_length
            if (v8_key_length >= 0):
                v9_size = v8_key_length
                if v9_size < 0:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
                if v9_size > end - p:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
                v10_begin = p
                if w10:
                    c10[U(n0)] = v10_begin
                if w11:
                    c11[U(n0)] = v9_size
                if w12:
                    v11_packed = np.int64(c13[U(n0)])
                    if v9_size > len(c12) - v11_packed:
                        return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(-65548), p, v11_packed + v9_size)
                    copy(c12, v11_packed, data, v10_begin, v9_size)
                    c13[U(n0 + 1)] = v11_packed + v9_size
                    c14[U(n0)] = 1
                p += v9_size
            else:
                if w10:
                    c10[U(n0)] = 0
                if w11:
                    c11[U(n0)] = -1
                if w13:
                    c13[U(n0 + 1)] = c13[U(n0)]
                if w14:
                    c14[U(n0)] = 0
            if end - p < 4:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v12_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w15:
                c15[U(n0)] = v12_value_length
            if ((v12_value_length >= 0) and (v6_compression == 0)):
                v13_size = v12_value_length
                if v13_size < 0:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
                if v13_size > end - p:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                v14_begin = p
                if w16:
                    c16[U(n0)] = v14_begin
                if w17:
                    c17[U(n0)] = v13_size
                if w18:
                    v15_packed = np.int64(c19[U(n0)])
                    if v13_size > len(c18) - v15_packed:
                        return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(-65554), p, v15_packed + v13_size)
                    copy(c18, v15_packed, data, v14_begin, v13_size)
                    c19[U(n0 + 1)] = v15_packed + v13_size
                    c20[U(n0)] = 1
                p += v13_size
            else:
                if w16:
                    c16[U(n0)] = 0
                if w17:
                    c17[U(n0)] = -1
                if w19:
                    c19[U(n0 + 1)] = c19[U(n0)]
                if w20:
                    c20[U(n0)] = 0
            if ((v12_value_length >= 0) and (v6_compression != 0)):
                v16_size = v12_value_length
                if v16_size < 0:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
                if v16_size > end - p:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
                v17_begin = p
                if w21:
                    c21[U(n0)] = v17_begin
                if w22:
                    c22[U(n0)] = v16_size
                p += v16_size
            else:
                if w21:
                    c21[U(n0)] = 0
                if w22:
                    c22[U(n0)] = -1
            if p < end:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message__message(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message__message(
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
    # c0: crc, value
    # c1: magic, value
    # c2: attributes.reserved, value
    # c3: attributes.timestamp_type, value
    # c4: attributes.compression, value
    # c5: timestamp, valid
    # c6: timestamp, value
    # c7: key, position
    # c8: key, length
    # c9: key, bytes
    # c10: value, position
    # c11: value, length
    # c12: value, bytes
    # c13: message_set, position
    # c14: message_set, length
    # c15: message_set, bytes
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_key_length = np.int64(0)
        v2_measured = False
        v3_value_length = np.int64(0)
        v4_measured = False
        v5_crc = np.int64(c0[U(n0)]) if len(c0) else np.int64(0)
        v6_magic = np.int64(c1[U(n0)]) if len(c1) else 1
        v7_attributes_reserved = np.int64(c2[U(n0)]) if len(c2) else np.int64(0)
        v8_attributes_timestamp_type = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)
        v9_attributes_compression = np.int64(c4[U(n0)]) if len(c4) else np.int64(0)
        v10_timestamp = np.int64(c5[U(n0)])
        v11_timestamp = np.int64(c6[U(n0)])
        v12_key, v13_key = np.int64(0), np.int64(-1)
        if len(c8):
            v12_key = np.int64(c7[U(n0)])
            v13_key = np.int64(c8[U(n0)])
        if v13_key >= 0 and (v12_key < 0 or v13_key > len(c9) - v12_key):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v14_value, v15_value = np.int64(0), np.int64(-1)
        if len(c11):
            v14_value = np.int64(c10[U(n0)])
            v15_value = np.int64(c11[U(n0)])
        if v15_value >= 0 and (v14_value < 0 or v15_value > len(c12) - v14_value):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v16_message_set, v17_message_set = np.int64(0), np.int64(-1)
        if len(c14):
            v16_message_set = np.int64(c13[U(n0)])
            v17_message_set = np.int64(c14[U(n0)])
        if v17_message_set >= 0 and (v16_message_set < 0 or v17_message_set > len(c15) - v16_message_set):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        if v13_key >= 0:
            v1_key_length = v13_key
            v2_measured = True
        elif not v2_measured:
            v1_key_length = np.int64(-1)
        if v15_value >= 0:
            v3_value_length = v15_value
            v4_measured = True
        elif not v4_measured:
            v3_value_length = np.int64(-1)
        if v17_message_set >= 0:
            v3_value_length = v17_message_set
            v4_measured = True
        elif not v4_measured:
            v3_value_length = np.int64(-1)
        v18_total = np.int64(0)
        v18_total += 4
        v18_total += 1
        v18_total += 1
        if v10_timestamp != 0:
            v18_total += 8
        v18_total += 4
        if v13_key >= 0:
            v18_total += max(v13_key, 0)
        v18_total += 4
        if v15_value >= 0:
            v18_total += max(v15_value, 0)
        if v17_message_set >= 0:
            v18_total += max(v17_message_set, 0)
        if most_rows > 0 and n0 > first and v18_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v18_total > len(out) - p:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(-1), p, p + v18_total)
        store_4(out, p, v5_crc)
        p += 4
        out[U(p)] = np.uint8(v6_magic & 255)
        p += 1
        if not ((v6_magic == 0) or (v6_magic == 1)):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        if v7_attributes_reserved < 0 or v7_attributes_reserved > 15:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        if v8_attributes_timestamp_type < 0 or v8_attributes_timestamp_type > 1:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        if v9_attributes_compression < 0 or v9_attributes_compression > 7:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        v19_attributes = v7_attributes_reserved << 4 | v8_attributes_timestamp_type << 3 | v9_attributes_compression
        if not (((v9_attributes_compression == 0) or (v9_attributes_compression == 1)) or ((v9_attributes_compression == 2) or (v9_attributes_compression == 3))):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        out[U(p)] = np.uint8(v19_attributes & 255)
        p += 1
        if (v10_timestamp != 0) != ((v6_magic >= 1)):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        if (v6_magic >= 1):
            store_8(out, p, v11_timestamp)
            p += 8
        if v1_key_length < -2147483648 or v1_key_length > 2147483647:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        store_4(out, p, v1_key_length)
        p += 4
        if (v13_key >= 0) != ((v1_key_length >= 0)):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        if (v1_key_length >= 0):
            if v13_key < 0:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
            if v13_key != v1_key_length:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
            copy(out, p, c9, v12_key, v13_key)
            p += v13_key
        if v3_value_length < -2147483648 or v3_value_length > 2147483647:
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
        store_4(out, p, v3_value_length)
        p += 4
        if (v15_value >= 0) != (((v3_value_length >= 0) and (v9_attributes_compression == 0))):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
        if ((v3_value_length >= 0) and (v9_attributes_compression == 0)):
            if v15_value < 0:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
            if v15_value != v3_value_length:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
            copy(out, p, c12, v14_value, v15_value)
            p += v15_value
        if (v17_message_set >= 0) != (((v3_value_length >= 0) and (v9_attributes_compression != 0))):
            return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
        if ((v3_value_length >= 0) and (v9_attributes_compression != 0)):
            if v17_message_set < 0:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            if v17_message_set != v3_value_length:
                return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
            copy(out, p, c15, v16_message_set, v17_message_set)
            p += v17_message_set
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message__message(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_legacy_message__head(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_legacy_message__head(
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
    # c0: crc, value
    # c1: magic, value
    # c2: attributes.reserved, value
    # c3: attributes.timestamp_type, value
    # c4: attributes.compression, value
    # c5: timestamp, valid
    # c6: timestamp, value
    # c7: key_length, value
    # c8: key, position
    # c9: key, length
    # c10: key, bytes
    # c11: key, byte offsets
    # c12: key, is there
    # c13: value_length, value
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
    unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
    start = p
    while unit < len(starts):
        end, count = ends[U(unit)], counts[U(unit)]
        if done < 0:
            done, p = np.int64(0), starts[U(unit)]
        while done < count or (count < 0 and p < end):
            start = p
            if n0 >= cap0:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 4:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_crc = load_4(data, p)
            p += 4
            if w0:
                c0[U(n0)] = v1_crc
            if end - p < 1:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w1:
                c1[U(n0)] = v2_magic
            if not ((v2_magic == 0) or (v2_magic == 1)):
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            if end - p < 1:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v3_attributes = np.int64(data[U(p)])
            p += 1
            v4_reserved = (v3_attributes >> 4) & 15
            if w2:
                c2[U(n0)] = v4_reserved
            v5_timestamp_type = (v3_attributes >> 3) & 1
            if w3:
                c3[U(n0)] = v5_timestamp_type
            v6_compression = (v3_attributes) & 7
            if w4:
                c4[U(n0)] = v6_compression
            if not (((v6_compression == 0) or (v6_compression == 1)) or ((v6_compression == 2) or (v6_compression == 3))):
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            if (v2_magic >= 1):
                if w5:
                    c5[U(n0)] = 1
                if end - p < 8:
                    return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
                v7_timestamp = load_8(data, p)
                p += 8
                if w6:
                    c6[U(n0)] = v7_timestamp
            else:
                if w5:
                    c5[U(n0)] = 0
                if w6:
                    c6[U(n0)] = 0
                v7_timestamp = np.int64(0)
            if end - p < 4:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            v8_key_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w7:
                c7[U(n0)] = v8_key_length
            if (v8_key_length >= 0):
                v9_size = v8_key_length
                if v9_size < 0:
                    return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
                if v9_size > end - p:
                    return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
                v10_begin = p
                if w8:
                    c8[U(n0)] = v10_begin
                if w9:
                    c9[U(n0)] = v9_size
                if w10:
                    v11_packed = np.int64(c11[U(n0)])
                    if v9_size > len(c10) - v11_packed:
                        return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(-65546), p, v11_packed + v9_size)
                    copy(c10, v11_packed, data, v10_begin, v9_size)
                    c11[U(n0 + 1)] = v11_packed + v9_size
                    c12[U(n0)] = 1
                p += v9_size
            else:
                if w8:
                    c8[U(n0)] = 0
                if w9:
                    c9[U(n0)] = -1
                if w11:
                    c11[U(n0 + 1)] = c11[U(n0)]
                if w12:
                    c12[U(n0)] = 0
            if end - p < 4:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v12_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w13:
                c13[U(n0)] = v12_value_length
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message__head(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message__head(
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
    # c0: crc, value
    # c1: magic, value
    # c2: attributes.reserved, value
    # c3: attributes.timestamp_type, value
    # c4: attributes.compression, value
    # c5: timestamp, valid
    # c6: timestamp, value
    # c7: key, position
    # c8: key, length
    # c9: key, bytes
    # c10: value_length, value
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_key_length = np.int64(0)
        v2_measured = False
        v3_crc = np.int64(c0[U(n0)])
        v4_magic = np.int64(c1[U(n0)]) if len(c1) else 1
        v5_attributes_reserved = np.int64(c2[U(n0)]) if len(c2) else np.int64(0)
        v6_attributes_timestamp_type = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)
        v7_attributes_compression = np.int64(c4[U(n0)]) if len(c4) else np.int64(0)
        v8_timestamp = np.int64(c5[U(n0)])
        v9_timestamp = np.int64(c6[U(n0)])
        v10_key, v11_key = np.int64(0), np.int64(-1)
        if len(c8):
            v10_key = np.int64(c7[U(n0)])
            v11_key = np.int64(c8[U(n0)])
        if v11_key >= 0 and (v10_key < 0 or v11_key > len(c9) - v10_key):
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v12_value_length = np.int64(c10[U(n0)])
        if v11_key >= 0:
            v1_key_length = v11_key
            v2_measured = True
        elif not v2_measured:
            v1_key_length = np.int64(-1)
        v13_total = np.int64(0)
        v13_total += 4
        v13_total += 1
        v13_total += 1
        if v8_timestamp != 0:
            v13_total += 8
        v13_total += 4
        if v11_key >= 0:
            v13_total += max(v11_key, 0)
        v13_total += 4
        if most_rows > 0 and n0 > first and v13_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v13_total > len(out) - p:
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(-1), p, p + v13_total)
        store_4(out, p, v3_crc)
        p += 4
        out[U(p)] = np.uint8(v4_magic & 255)
        p += 1
        if not ((v4_magic == 0) or (v4_magic == 1)):
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        if v5_attributes_reserved < 0 or v5_attributes_reserved > 15:
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        if v6_attributes_timestamp_type < 0 or v6_attributes_timestamp_type > 1:
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        if v7_attributes_compression < 0 or v7_attributes_compression > 7:
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        v14_attributes = v5_attributes_reserved << 4 | v6_attributes_timestamp_type << 3 | v7_attributes_compression
        if not (((v7_attributes_compression == 0) or (v7_attributes_compression == 1)) or ((v7_attributes_compression == 2) or (v7_attributes_compression == 3))):
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        out[U(p)] = np.uint8(v14_attributes & 255)
        p += 1
        if (v8_timestamp != 0) != ((v4_magic >= 1)):
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        if (v4_magic >= 1):
            store_8(out, p, v9_timestamp)
            p += 8
        if v1_key_length < -2147483648 or v1_key_length > 2147483647:
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        store_4(out, p, v1_key_length)
        p += 4
        if (v11_key >= 0) != ((v1_key_length >= 0)):
            return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        if (v1_key_length >= 0):
            if v11_key < 0:
                return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
            if v11_key != v1_key_length:
                return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
            copy(out, p, c9, v10_key, v11_key)
            p += v11_key
        store_4(out, p, v12_value_length)
        p += 4
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message__head(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))


@helper
def leave_decode_legacy_message(state, unit, done, start, n0, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[UNIT], state[DONE], state[POSITION], state[ROW] = unit, done, start, n0
    state[ERROR_POSITION], state[CAPACITY] = position, wanted
    return site


@kernel
def decode_legacy_message(
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
):
    # c0: offset, value
    # c1: message_size, value
    # c2: message.crc, value
    # c3: message.crc, covered position
    # c4: message.crc, covered length
    # c5: message.magic, value
    # c6: message.attributes.reserved, value
    # c7: message.attributes.timestamp_type, value
    # c8: message.attributes.compression, value
    # c9: message.timestamp, valid
    # c10: message.timestamp, value
    # c11: message.key_length, value
    # c12: message.key, position
    # c13: message.key, length
    # c14: message.key, bytes
    # c15: message.key, byte offsets
    # c16: message.key, is there
    # c17: message.value_length, value
    # c18: message.value, position
    # c19: message.value, length
    # c20: message.value, bytes
    # c21: message.value, byte offsets
    # c22: message.value, is there
    # c23: message.message_set, position
    # c24: message.message_set, length
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
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(-1), p, n0 + 1)
            if end - p < 8:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(2), p, np.int64(0))
            v1_offset = load_8(data, p)
            p += 8
            if w0:
                c0[U(n0)] = v1_offset
            if end - p < 4:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(3), p, np.int64(0))
            v2_message_size = (load_4(data, p) << 32) >> 32
            p += 4
            if w1:
                c1[U(n0)] = v2_message_size
            if not (v2_message_size >= 14):
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(4), p, np.int64(0))
            v3_size = v2_message_size
            if v3_size > end - p:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(5), p, np.int64(0))
            v4_end = p + v3_size
            if v4_end - p < 4:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(6), p, np.int64(0))
            v5_crc = load_4(data, p)
            p += 4
            if w2:
                c2[U(n0)] = v5_crc
            if w3:
                c3[U(n0)] = p
            if w4:
                c4[U(n0)] = v4_end - p
            if v4_end - p < 1:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(7), p, np.int64(0))
            v6_magic = (np.int64(data[U(p)]) << 56) >> 56
            p += 1
            if w5:
                c5[U(n0)] = v6_magic
            if not ((v6_magic == 0) or (v6_magic == 1)):
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(8), p, np.int64(0))
            if v4_end - p < 1:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(9), p, np.int64(0))
            v7_attributes = np.int64(data[U(p)])
            p += 1
            v8_reserved = (v7_attributes >> 4) & 15
            if w6:
                c6[U(n0)] = v8_reserved
            v9_timestamp_type = (v7_attributes >> 3) & 1
            if w7:
                c7[U(n0)] = v9_timestamp_type
            v10_compression = (v7_attributes) & 7
            if w8:
                c8[U(n0)] = v10_compression
            if not (((v10_compression == 0) or (v10_compression == 1)) or ((v10_compression == 2) or (v10_compression == 3))):
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(10), p, np.int64(0))
            if (v6_magic >= 1):
                if w9:
                    c9[U(n0)] = 1
                if v4_end - p < 8:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
                v11_timestamp = load_8(data, p)
                p += 8
                if w10:
                    c10[U(n0)] = v11_timestamp
            else:
                if w9:
                    c9[U(n0)] = 0
                if w10:
                    c10[U(n0)] = 0
                v11_timestamp = np.int64(0)
            if v4_end - p < 4:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
            v12_key_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w11:
                c11[U(n0)] = v12_key_length
            if (v12_key_length >= 0):
                v13_size = v12_key_length
                if v13_size < 0:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                if v13_size > v4_end - p:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
                v14_begin = p
                if w12:
                    c12[U(n0)] = v14_begin
                if w13:
                    c13[U(n0)] = v13_size
                if w14:
                    v15_packed = np.int64(c15[U(n0)])
                    if v13_size > len(c14) - v15_packed:
                        return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(-65550), p, v15_packed + v13_size)
                    copy(c14, v15_packed, data, v14_begin, v13_size)
                    c15[U(n0 + 1)] = v15_packed + v13_size
                    c16[U(n0)] = 1
                p += v13_size
            else:
                if w12:
                    c12[U(n0)] = 0
                if w13:
                    c13[U(n0)] = -1
                if w15:
                    c15[U(n0 + 1)] = c15[U(n0)]
                if w16:
                    c16[U(n0)] = 0
            if v4_end - p < 4:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
            v16_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w17:
                c17[U(n0)] = v16_value_length
            if ((v16_value_length >= 0) and (v10_compression == 0)):
                v17_size = v16_value_length
                if v17_size < 0:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
                if v17_size > v4_end - p:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(17), p, np.int64(0))
                v18_begin = p
                if w18:
                    c18[U(n0)] = v18_begin
                if w19:
                    c19[U(n0)] = v17_size
                if w20:
                    v19_packed = np.int64(c21[U(n0)])
                    if v17_size > len(c20) - v19_packed:
                        return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(-65556), p, v19_packed + v17_size)
                    copy(c20, v19_packed, data, v18_begin, v17_size)
                    c21[U(n0 + 1)] = v19_packed + v17_size
                    c22[U(n0)] = 1
                p += v17_size
            else:
                if w18:
                    c18[U(n0)] = 0
                if w19:
                    c19[U(n0)] = -1
                if w21:
                    c21[U(n0 + 1)] = c21[U(n0)]
                if w22:
                    c22[U(n0)] = 0
            if ((v16_value_length >= 0) and (v10_compression != 0)):
                v20_size = v16_value_length
                if v20_size < 0:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(18), p, np.int64(0))
                if v20_size > v4_end - p:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(19), p, np.int64(0))
                v21_begin = p
                if w23:
                    c23[U(n0)] = v21_begin
                if w24:
                    c24[U(n0)] = v20_size
                p += v20_size
            else:
                if w23:
                    c23[U(n0)] = 0
                if w24:
                    c24[U(n0)] = -1
            if p < v4_end:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(20), p, np.int64(0))
            if p < v4_end:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(21), p, np.int64(0))
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


@helper
def leave_encode_legacy_message(state, n0, start, units, first, begin, site, position, wanted):
    """Remember where it stopped, in front of the row that was begun."""
    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted
    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin
    return site


@kernel
def encode_legacy_message(
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
):
    # c0: offset, value
    # c1: message.crc, value
    # c2: message.magic, value
    # c3: message.attributes.reserved, value
    # c4: message.attributes.timestamp_type, value
    # c5: message.attributes.compression, value
    # c6: message.timestamp, valid
    # c7: message.timestamp, value
    # c8: message.key, position
    # c9: message.key, length
    # c10: message.key, bytes
    # c11: message.value, position
    # c12: message.value, length
    # c13: message.value, bytes
    # c14: message.message_set, position
    # c15: message.message_set, length
    # c16: message.message_set, bytes
    n0, p = state[ROW], state[POSITION]
    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]
    start, is_full = p, False
    while n0 < rows:
        start = p
        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):
            firsts[U(units)] = n0
            p += gap
            start, units, first, begin, is_full = p, units + 1, n0, p, False
        v1_message_size = np.int64(0)
        v2_measured = False
        v3_offset = np.int64(c0[U(n0)]) if len(c0) else 0
        v4_key_length = np.int64(0)
        v5_measured = False
        v6_value_length = np.int64(0)
        v7_measured = False
        v8_crc = np.int64(c1[U(n0)])
        v9_magic = np.int64(c2[U(n0)]) if len(c2) else 1
        v10_attributes_reserved = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)
        v11_attributes_timestamp_type = np.int64(c4[U(n0)]) if len(c4) else np.int64(0)
        v12_attributes_compression = np.int64(c5[U(n0)]) if len(c5) else np.int64(0)
        v13_timestamp = np.int64(c6[U(n0)])
        v14_timestamp = np.int64(c7[U(n0)])
        v15_key, v16_key = np.int64(0), np.int64(-1)
        if len(c9):
            v15_key = np.int64(c8[U(n0)])
            v16_key = np.int64(c9[U(n0)])
        if v16_key >= 0 and (v15_key < 0 or v16_key > len(c10) - v15_key):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(2), p, np.int64(0))
        v17_value, v18_value = np.int64(0), np.int64(-1)
        if len(c12):
            v17_value = np.int64(c11[U(n0)])
            v18_value = np.int64(c12[U(n0)])
        if v18_value >= 0 and (v17_value < 0 or v18_value > len(c13) - v17_value):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(3), p, np.int64(0))
        v19_message_set, v20_message_set = np.int64(0), np.int64(-1)
        if len(c15):
            v19_message_set = np.int64(c14[U(n0)])
            v20_message_set = np.int64(c15[U(n0)])
        if v20_message_set >= 0 and (v19_message_set < 0 or v20_message_set > len(c16) - v19_message_set):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(4), p, np.int64(0))
        if v16_key >= 0:
            v4_key_length = v16_key
            v5_measured = True
        elif not v5_measured:
            v4_key_length = np.int64(-1)
        if v18_value >= 0:
            v6_value_length = v18_value
            v7_measured = True
        elif not v7_measured:
            v6_value_length = np.int64(-1)
        if v20_message_set >= 0:
            v6_value_length = v20_message_set
            v7_measured = True
        elif not v7_measured:
            v6_value_length = np.int64(-1)
        v21_size = np.int64(0)
        v21_size += 4
        v21_size += 1
        v21_size += 1
        if v13_timestamp != 0:
            v21_size += 8
        v21_size += 4
        if v16_key >= 0:
            v21_size += max(v16_key, 0)
        v21_size += 4
        if v18_value >= 0:
            v21_size += max(v18_value, 0)
        if v20_message_set >= 0:
            v21_size += max(v20_message_set, 0)
        v1_message_size = v21_size
        v22_total = np.int64(0)
        v22_total += 8
        v22_total += 4
        v22_total += v21_size
        if most_rows > 0 and n0 > first and v22_total > most_bytes - (p - begin):
            is_full = True
            continue
        if v22_total > len(out) - p:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(-1), p, p + v22_total)
        store_8(out, p, v3_offset)
        p += 8
        if v1_message_size < -2147483648 or v1_message_size > 2147483647:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(5), p, np.int64(0))
        store_4(out, p, v1_message_size)
        p += 4
        if not (v1_message_size >= 14):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(6), p, np.int64(0))
        store_4(out, p, v8_crc)
        p += 4
        out[U(p)] = np.uint8(v9_magic & 255)
        p += 1
        if not ((v9_magic == 0) or (v9_magic == 1)):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(7), p, np.int64(0))
        if v10_attributes_reserved < 0 or v10_attributes_reserved > 15:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(8), p, np.int64(0))
        if v11_attributes_timestamp_type < 0 or v11_attributes_timestamp_type > 1:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(9), p, np.int64(0))
        if v12_attributes_compression < 0 or v12_attributes_compression > 7:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(10), p, np.int64(0))
        v23_attributes = v10_attributes_reserved << 4 | v11_attributes_timestamp_type << 3 | v12_attributes_compression
        if not (((v12_attributes_compression == 0) or (v12_attributes_compression == 1)) or ((v12_attributes_compression == 2) or (v12_attributes_compression == 3))):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(11), p, np.int64(0))
        out[U(p)] = np.uint8(v23_attributes & 255)
        p += 1
        if (v13_timestamp != 0) != ((v9_magic >= 1)):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(12), p, np.int64(0))
        if (v9_magic >= 1):
            store_8(out, p, v14_timestamp)
            p += 8
        if v4_key_length < -2147483648 or v4_key_length > 2147483647:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(13), p, np.int64(0))
        store_4(out, p, v4_key_length)
        p += 4
        if (v16_key >= 0) != ((v4_key_length >= 0)):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(14), p, np.int64(0))
        if (v4_key_length >= 0):
            if v16_key < 0:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(15), p, np.int64(0))
            if v16_key != v4_key_length:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(16), p, np.int64(0))
            copy(out, p, c10, v15_key, v16_key)
            p += v16_key
        if v6_value_length < -2147483648 or v6_value_length > 2147483647:
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(17), p, np.int64(0))
        store_4(out, p, v6_value_length)
        p += 4
        if (v18_value >= 0) != (((v6_value_length >= 0) and (v12_attributes_compression == 0))):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(18), p, np.int64(0))
        if ((v6_value_length >= 0) and (v12_attributes_compression == 0)):
            if v18_value < 0:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(19), p, np.int64(0))
            if v18_value != v6_value_length:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(20), p, np.int64(0))
            copy(out, p, c13, v17_value, v18_value)
            p += v18_value
        if (v20_message_set >= 0) != (((v6_value_length >= 0) and (v12_attributes_compression != 0))):
            return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(21), p, np.int64(0))
        if ((v6_value_length >= 0) and (v12_attributes_compression != 0)):
            if v20_message_set < 0:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(22), p, np.int64(0))
            if v20_message_set != v6_value_length:
                return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(23), p, np.int64(0))
            copy(out, p, c16, v19_message_set, v20_message_set)
            p += v20_message_set
        out_ends[U(n0)] = p
        n0 += 1
    start = p
    return leave_encode_legacy_message(state, n0, start, units, first, begin, np.int64(0), p, np.int64(0))

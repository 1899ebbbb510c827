"""Decode kernels of formats/legacy_message.ksy: bytes to columns.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

import numpy as np

from kformat.kernels.runtime import (
    U,
    helper,
    kernel,
    load_4,
    load_8,
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
    # c12: value_length, value
    # c13: value, position
    # c14: value, length
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
                p += v9_size
            else:
                if w10:
                    c10[U(n0)] = 0
                if w11:
                    c11[U(n0)] = -1
            if end - p < 4:
                return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v11_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w12:
                c12[U(n0)] = v11_value_length
            if (v11_value_length >= 0):
                v12_size = v11_value_length
                if v12_size < 0:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
                if v12_size > end - p:
                    return leave_decode_legacy_message__plain_message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                v13_begin = p
                if w13:
                    c13[U(n0)] = v13_begin
                if w14:
                    c14[U(n0)] = v12_size
                p += v12_size
            else:
                if w13:
                    c13[U(n0)] = 0
                if w14:
                    c14[U(n0)] = -1
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
    # c14: message.value_length, value
    # c15: message.value, position
    # c16: message.value, length
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
                p += v13_size
            else:
                if w12:
                    c12[U(n0)] = 0
                if w13:
                    c13[U(n0)] = -1
            if v4_end - p < 4:
                return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
            v15_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w14:
                c14[U(n0)] = v15_value_length
            if (v15_value_length >= 0):
                v16_size = v15_value_length
                if v16_size < 0:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
                if v16_size > v4_end - p:
                    return leave_decode_legacy_message__wrapped_message(state, unit, done, start, n0, np.int64(17), p, np.int64(0))
                v17_begin = p
                if w15:
                    c15[U(n0)] = v17_begin
                if w16:
                    c16[U(n0)] = v16_size
                p += v16_size
            else:
                if w15:
                    c15[U(n0)] = 0
                if w16:
                    c16[U(n0)] = -1
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
    # c15: messages.message.value_length, value, per element of messages
    # c16: messages.message.value, position, per element of messages
    # c17: messages.message.value, length, per element of messages
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
                    p += v13_size
                else:
                    if w13:
                        c13[U(n1)] = 0
                    if w14:
                        c14[U(n1)] = -1
                if v4_end - p < 4:
                    return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v15_value_length = (load_4(data, p) << 32) >> 32
                p += 4
                if w15:
                    c15[U(n1)] = v15_value_length
                if (v15_value_length >= 0):
                    v16_size = v15_value_length
                    if v16_size < 0:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(16), p, np.int64(0))
                    if v16_size > v4_end - p:
                        return leave_decode_legacy_message__message_set(state, unit, done, start, n0, s1, np.int64(17), p, np.int64(0))
                    v17_begin = p
                    if w16:
                        c16[U(n1)] = v17_begin
                    if w17:
                        c17[U(n1)] = v16_size
                    p += v16_size
                else:
                    if w16:
                        c16[U(n1)] = 0
                    if w17:
                        c17[U(n1)] = -1
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
    # c12: value_length, value
    # c13: value, position
    # c14: value, length
    # c15: message_set, position
    # c16: message_set, length
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
                p += v9_size
            else:
                if w10:
                    c10[U(n0)] = 0
                if w11:
                    c11[U(n0)] = -1
            if end - p < 4:
                return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v11_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w12:
                c12[U(n0)] = v11_value_length
            if ((v11_value_length >= 0) and (v6_compression == 0)):
                v12_size = v11_value_length
                if v12_size < 0:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(12), p, np.int64(0))
                if v12_size > end - p:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(13), p, np.int64(0))
                v13_begin = p
                if w13:
                    c13[U(n0)] = v13_begin
                if w14:
                    c14[U(n0)] = v12_size
                p += v12_size
            else:
                if w13:
                    c13[U(n0)] = 0
                if w14:
                    c14[U(n0)] = -1
            if ((v11_value_length >= 0) and (v6_compression != 0)):
                v14_size = v11_value_length
                if v14_size < 0:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(14), p, np.int64(0))
                if v14_size > end - p:
                    return leave_decode_legacy_message__message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
                v15_begin = p
                if w15:
                    c15[U(n0)] = v15_begin
                if w16:
                    c16[U(n0)] = v14_size
                p += v14_size
            else:
                if w15:
                    c15[U(n0)] = 0
                if w16:
                    c16[U(n0)] = -1
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
    # c10: value_length, value
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
                p += v9_size
            else:
                if w8:
                    c8[U(n0)] = 0
                if w9:
                    c9[U(n0)] = -1
            if end - p < 4:
                return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(11), p, np.int64(0))
            v11_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w10:
                c10[U(n0)] = v11_value_length
            n0 += 1
            done += 1
        start = p
        if p < end:
            return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(1), p, np.int64(0))
        unit += 1
        done = np.int64(-1)
    return leave_decode_legacy_message__head(state, unit, done, start, n0, np.int64(0), p, np.int64(0))


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
    # c14: message.value_length, value
    # c15: message.value, position
    # c16: message.value, length
    # c17: message.message_set, position
    # c18: message.message_set, length
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
                p += v13_size
            else:
                if w12:
                    c12[U(n0)] = 0
                if w13:
                    c13[U(n0)] = -1
            if v4_end - p < 4:
                return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(15), p, np.int64(0))
            v15_value_length = (load_4(data, p) << 32) >> 32
            p += 4
            if w14:
                c14[U(n0)] = v15_value_length
            if ((v15_value_length >= 0) and (v10_compression == 0)):
                v16_size = v15_value_length
                if v16_size < 0:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(16), p, np.int64(0))
                if v16_size > v4_end - p:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(17), p, np.int64(0))
                v17_begin = p
                if w15:
                    c15[U(n0)] = v17_begin
                if w16:
                    c16[U(n0)] = v16_size
                p += v16_size
            else:
                if w15:
                    c15[U(n0)] = 0
                if w16:
                    c16[U(n0)] = -1
            if ((v15_value_length >= 0) and (v10_compression != 0)):
                v18_size = v15_value_length
                if v18_size < 0:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(18), p, np.int64(0))
                if v18_size > v4_end - p:
                    return leave_decode_legacy_message(state, unit, done, start, n0, np.int64(19), p, np.int64(0))
                v19_begin = p
                if w17:
                    c17[U(n0)] = v19_begin
                if w18:
                    c18[U(n0)] = v18_size
                p += v18_size
            else:
                if w17:
                    c17[U(n0)] = 0
                if w18:
                    c18[U(n0)] = -1
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

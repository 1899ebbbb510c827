"""Decode kernels of formats/control_record.ksy: bytes to columns.

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
):
    # c0: tag, value
    # c1: data_length, value
    # c2: data, position
    # c3: data, length
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
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
):
    # c0: fields_count, value
    # c1: fields, offsets
    # c2: fields.tag, value, per element of fields
    # c3: fields.data_length, value, per element of fields
    # c4: fields.data, position, per element of fields
    # c5: fields.data, length, per element of fields
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
):
    # c0: version, value
    # c1: leader_id, value
    # c2: voters_length, value
    # c3: voters, offsets
    # c4: voters.voter_id, value, per element of voters
    # c5: voters.voter_directory_id, position, per element of voters
    # c6: voters.voter_directory_id, length, per element of voters
    # c7: voters.tags.fields_count, value, per element of voters
    # c8: voters.tags.fields, offsets, per element of voters
    # c9: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c10: voters.tags.fields.data_length, value, per element of voters.tags.fields
    # c11: voters.tags.fields.data, position, per element of voters.tags.fields
    # c12: voters.tags.fields.data, length, per element of voters.tags.fields
    # c13: granting_voters_length, value
    # c14: granting_voters, offsets
    # c15: granting_voters.voter_id, value, per element of granting_voters
    # c16: granting_voters.voter_directory_id, position, per element of granting_voters
    # c17: granting_voters.voter_directory_id, length, per element of granting_voters
    # c18: granting_voters.tags.fields_count, value, per element of granting_voters
    # c19: granting_voters.tags.fields, offsets, per element of granting_voters
    # c20: granting_voters.tags.fields.tag, value, per element of granting_voters.tags.fields
    # c21: granting_voters.tags.fields.data_length, value, per element of granting_voters.tags.fields
    # c22: granting_voters.tags.fields.data, position, per element of granting_voters.tags.fields
    # c23: granting_voters.tags.fields.data, length, per element of granting_voters.tags.fields
    # c24: tags.fields_count, value
    # c25: tags.fields, offsets
    # c26: tags.fields.tag, value, per element of tags.fields
    # c27: tags.fields.data_length, value, per element of tags.fields
    # c28: tags.fields.data, position, per element of tags.fields
    # c29: tags.fields.data, length, per element of tags.fields
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
                    p += v9_size
                else:
                    if w5:
                        c5[U(n1)] = 0
                    if w6:
                        c6[U(n1)] = -1
                if p < end and data[U(p)] < 128:
                    v11_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v11_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v11_fields_count, v12_behind = long_varint(data, p, end, 5)
                    if v12_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(10), p, np.int64(0))
                    p = v12_behind
                if w7:
                    c7[U(n1)] = v11_fields_count
                v13_count = v11_fields_count
                if v13_count < 0 or v13_count > (end - p) // 2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(11), p, np.int64(0))
                if n2 + v13_count > cap2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-3), p, n2 + v13_count)
                for _ in range(v13_count):
                    if p < end and data[U(p)] < 128:
                        v14_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v14_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v14_tag, v15_behind = long_varint(data, p, end, 5)
                        if v15_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(12), p, np.int64(0))
                        p = v15_behind
                    if w9:
                        c9[U(n2)] = v14_tag
                    if p < end and data[U(p)] < 128:
                        v16_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v16_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v16_data_length, v17_behind = long_varint(data, p, end, 5)
                        if v17_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(13), p, np.int64(0))
                        p = v17_behind
                    if w10:
                        c10[U(n2)] = v16_data_length
                    v18_size = v16_data_length
                    if v18_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(14), p, np.int64(0))
                    v19_begin = p
                    if w11:
                        c11[U(n2)] = v19_begin
                    if w12:
                        c12[U(n2)] = v18_size
                    p += v18_size
                    n2 += 1
                if w8:
                    c8[U(n1 + 1)] = n2
                n1 += 1
            if w3:
                c3[U(n0 + 1)] = n1
            if p < end and data[U(p)] < 128:
                v20_granting_voters_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v20_granting_voters_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v20_granting_voters_length, v21_behind = long_varint(data, p, end, 5)
                if v21_behind < 0:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(15), p, np.int64(0))
                p = v21_behind
            if w13:
                c13[U(n0)] = v20_granting_voters_length
            if not (v20_granting_voters_length >= 1):
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(16), p, np.int64(0))
            v23_ = 1
            v22_count = (v20_granting_voters_length - v23_)
            if v22_count < 0 or v22_count > (end - p) // 5:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(17), p, np.int64(0))
            if n3 + v22_count > cap3:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-4), p, n3 + v22_count)
            for _ in range(v22_count):
                v24_version = v1_version
                if end - p < 4:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(18), p, np.int64(0))
                v25_voter_id = (load_4(data, p) << 32) >> 32
                p += 4
                if w15:
                    c15[U(n3)] = v25_voter_id
                if (v24_version >= 1):
                    v26_size = 16
                    if v26_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(19), p, np.int64(0))
                    v27_begin = p
                    if w16:
                        c16[U(n3)] = v27_begin
                    if w17:
                        c17[U(n3)] = v26_size
                    p += v26_size
                else:
                    if w16:
                        c16[U(n3)] = 0
                    if w17:
                        c17[U(n3)] = -1
                if p < end and data[U(p)] < 128:
                    v28_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v28_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v28_fields_count, v29_behind = long_varint(data, p, end, 5)
                    if v29_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(20), p, np.int64(0))
                    p = v29_behind
                if w18:
                    c18[U(n3)] = v28_fields_count
                v30_count = v28_fields_count
                if v30_count < 0 or v30_count > (end - p) // 2:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(21), p, np.int64(0))
                if n4 + v30_count > cap4:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-5), p, n4 + v30_count)
                for _ in range(v30_count):
                    if p < end and data[U(p)] < 128:
                        v31_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v31_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v31_tag, v32_behind = long_varint(data, p, end, 5)
                        if v32_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(22), p, np.int64(0))
                        p = v32_behind
                    if w20:
                        c20[U(n4)] = v31_tag
                    if p < end and data[U(p)] < 128:
                        v33_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v33_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v33_data_length, v34_behind = long_varint(data, p, end, 5)
                        if v34_behind < 0:
                            return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(23), p, np.int64(0))
                        p = v34_behind
                    if w21:
                        c21[U(n4)] = v33_data_length
                    v35_size = v33_data_length
                    if v35_size > end - p:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(24), p, np.int64(0))
                    v36_begin = p
                    if w22:
                        c22[U(n4)] = v36_begin
                    if w23:
                        c23[U(n4)] = v35_size
                    p += v35_size
                    n4 += 1
                if w19:
                    c19[U(n3 + 1)] = n4
                n3 += 1
            if w14:
                c14[U(n0 + 1)] = n3
            if p < end and data[U(p)] < 128:
                v37_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v37_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v37_fields_count, v38_behind = long_varint(data, p, end, 5)
                if v38_behind < 0:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(25), p, np.int64(0))
                p = v38_behind
            if w24:
                c24[U(n0)] = v37_fields_count
            v39_count = v37_fields_count
            if v39_count < 0 or v39_count > (end - p) // 2:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(26), p, np.int64(0))
            if n5 + v39_count > cap5:
                return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(-6), p, n5 + v39_count)
            for _ in range(v39_count):
                if p < end and data[U(p)] < 128:
                    v40_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v40_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v40_tag, v41_behind = long_varint(data, p, end, 5)
                    if v41_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(27), p, np.int64(0))
                    p = v41_behind
                if w26:
                    c26[U(n5)] = v40_tag
                if p < end and data[U(p)] < 128:
                    v42_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v42_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v42_data_length, v43_behind = long_varint(data, p, end, 5)
                    if v43_behind < 0:
                        return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(28), p, np.int64(0))
                    p = v43_behind
                if w27:
                    c27[U(n5)] = v42_data_length
                v44_size = v42_data_length
                if v44_size > end - p:
                    return leave_decode_control_record__leader_change(state, unit, done, start, n0, s1, s2, s3, s4, s5, np.int64(29), p, np.int64(0))
                v45_begin = p
                if w28:
                    c28[U(n5)] = v45_begin
                if w29:
                    c29[U(n5)] = v44_size
                p += v44_size
                n5 += 1
            if w25:
                c25[U(n0 + 1)] = n5
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
):
    # c0: version, value
    # c1: last_contained_log_timestamp, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
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
):
    # c0: version, value
    # c1: tags.fields_count, value
    # c2: tags.fields, offsets
    # c3: tags.fields.tag, value, per element of tags.fields
    # c4: tags.fields.data_length, value, per element of tags.fields
    # c5: tags.fields.data, position, per element of tags.fields
    # c6: tags.fields.data, length, per element of tags.fields
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
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
):
    # c0: version, value
    # c1: kraft_version, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
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
):
    # c0: name_length, value
    # c1: name, position
    # c2: name, length
    # c3: host_length, value
    # c4: host, position
    # c5: host, length
    # c6: port, value
    # c7: tags.fields_count, value
    # c8: tags.fields, offsets
    # c9: tags.fields.tag, value, per element of tags.fields
    # c10: tags.fields.data_length, value, per element of tags.fields
    # c11: tags.fields.data, position, per element of tags.fields
    # c12: tags.fields.data, length, per element of tags.fields
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
            p += v3_size
            if p < end and data[U(p)] < 128:
                v6_host_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v6_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v6_host_length, v7_behind = long_varint(data, p, end, 5)
                if v7_behind < 0:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(6), p, np.int64(0))
                p = v7_behind
            if w3:
                c3[U(n0)] = v6_host_length
            if not (v6_host_length >= 1):
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(7), p, np.int64(0))
            v9_ = 1
            v8_size = (v6_host_length - v9_)
            if v8_size < 0:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(8), p, np.int64(0))
            if v8_size > end - p:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(9), p, np.int64(0))
            v10_begin = p
            if w4:
                c4[U(n0)] = v10_begin
            if w5:
                c5[U(n0)] = v8_size
            p += v8_size
            if end - p < 2:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(10), p, np.int64(0))
            v11_port = load_2(data, p)
            p += 2
            if w6:
                c6[U(n0)] = v11_port
            if p < end and data[U(p)] < 128:
                v12_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v12_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v12_fields_count, v13_behind = long_varint(data, p, end, 5)
                if v13_behind < 0:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(11), p, np.int64(0))
                p = v13_behind
            if w7:
                c7[U(n0)] = v12_fields_count
            v14_count = v12_fields_count
            if v14_count < 0 or v14_count > (end - p) // 2:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(12), p, np.int64(0))
            if n1 + v14_count > cap1:
                return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(-2), p, n1 + v14_count)
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
                        return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(13), p, np.int64(0))
                    p = v16_behind
                if w9:
                    c9[U(n1)] = v15_tag
                if p < end and data[U(p)] < 128:
                    v17_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v17_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v17_data_length, v18_behind = long_varint(data, p, end, 5)
                    if v18_behind < 0:
                        return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(14), p, np.int64(0))
                    p = v18_behind
                if w10:
                    c10[U(n1)] = v17_data_length
                v19_size = v17_data_length
                if v19_size > end - p:
                    return leave_decode_control_record__endpoint(state, unit, done, start, n0, s1, np.int64(15), p, np.int64(0))
                v20_begin = p
                if w11:
                    c11[U(n1)] = v20_begin
                if w12:
                    c12[U(n1)] = v19_size
                p += v19_size
                n1 += 1
            if w8:
                c8[U(n0 + 1)] = n1
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
):
    # c0: min_supported_version, value
    # c1: max_supported_version, value
    # c2: tags.fields_count, value
    # c3: tags.fields, offsets
    # c4: tags.fields.tag, value, per element of tags.fields
    # c5: tags.fields.data_length, value, per element of tags.fields
    # c6: tags.fields.data, position, per element of tags.fields
    # c7: tags.fields.data, length, per element of tags.fields
    w0 = wanted[0] != 0
    w1 = wanted[1] != 0
    w2 = wanted[2] != 0
    w3 = wanted[3] != 0
    w4 = wanted[4] != 0
    w5 = wanted[5] != 0
    w6 = wanted[6] != 0
    w7 = wanted[7] != 0
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
):
    # c0: voter_id, value
    # c1: voter_directory_id, position
    # c2: voter_directory_id, length
    # c3: endpoints_length, value
    # c4: endpoints, offsets
    # c5: endpoints.name_length, value, per element of endpoints
    # c6: endpoints.name, position, per element of endpoints
    # c7: endpoints.name, length, per element of endpoints
    # c8: endpoints.host_length, value, per element of endpoints
    # c9: endpoints.host, position, per element of endpoints
    # c10: endpoints.host, length, per element of endpoints
    # c11: endpoints.port, value, per element of endpoints
    # c12: endpoints.tags.fields_count, value, per element of endpoints
    # c13: endpoints.tags.fields, offsets, per element of endpoints
    # c14: endpoints.tags.fields.tag, value, per element of endpoints.tags.fields
    # c15: endpoints.tags.fields.data_length, value, per element of endpoints.tags.fields
    # c16: endpoints.tags.fields.data, position, per element of endpoints.tags.fields
    # c17: endpoints.tags.fields.data, length, per element of endpoints.tags.fields
    # c18: kraft_version_feature.min_supported_version, value
    # c19: kraft_version_feature.max_supported_version, value
    # c20: kraft_version_feature.tags.fields_count, value
    # c21: kraft_version_feature.tags.fields, offsets
    # c22: kraft_version_feature.tags.fields.tag, value, per element of kraft_version_feature.tags.fields
    # c23: kraft_version_feature.tags.fields.data_length, value, per element of kraft_version_feature.tags.fields
    # c24: kraft_version_feature.tags.fields.data, position, per element of kraft_version_feature.tags.fields
    # c25: kraft_version_feature.tags.fields.data, length, per element of kraft_version_feature.tags.fields
    # c26: tags.fields_count, value
    # c27: tags.fields, offsets
    # c28: tags.fields.tag, value, per element of tags.fields
    # c29: tags.fields.data_length, value, per element of tags.fields
    # c30: tags.fields.data, position, per element of tags.fields
    # c31: tags.fields.data, length, per element of tags.fields
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
            p += v2_size
            if p < end and data[U(p)] < 128:
                v4_endpoints_length = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v4_endpoints_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v4_endpoints_length, v5_behind = long_varint(data, p, end, 5)
                if v5_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(4), p, np.int64(0))
                p = v5_behind
            if w3:
                c3[U(n0)] = v4_endpoints_length
            if not (v4_endpoints_length >= 1):
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(5), p, np.int64(0))
            v7_ = 1
            v6_count = (v4_endpoints_length - v7_)
            if v6_count < 0 or v6_count > (end - p) // 5:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(6), p, np.int64(0))
            if n1 + v6_count > cap1:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-2), p, n1 + v6_count)
            for _ in range(v6_count):
                if p < end and data[U(p)] < 128:
                    v8_name_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v8_name_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v8_name_length, v9_behind = long_varint(data, p, end, 5)
                    if v9_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(7), p, np.int64(0))
                    p = v9_behind
                if w5:
                    c5[U(n1)] = v8_name_length
                if not (v8_name_length >= 1):
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(8), p, np.int64(0))
                v11_ = 1
                v10_size = (v8_name_length - v11_)
                if v10_size < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(9), p, np.int64(0))
                if v10_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(10), p, np.int64(0))
                v12_begin = p
                if w6:
                    c6[U(n1)] = v12_begin
                if w7:
                    c7[U(n1)] = v10_size
                p += v10_size
                if p < end and data[U(p)] < 128:
                    v13_host_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v13_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v13_host_length, v14_behind = long_varint(data, p, end, 5)
                    if v14_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(11), p, np.int64(0))
                    p = v14_behind
                if w8:
                    c8[U(n1)] = v13_host_length
                if not (v13_host_length >= 1):
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(12), p, np.int64(0))
                v16_ = 1
                v15_size = (v13_host_length - v16_)
                if v15_size < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(13), p, np.int64(0))
                if v15_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(14), p, np.int64(0))
                v17_begin = p
                if w9:
                    c9[U(n1)] = v17_begin
                if w10:
                    c10[U(n1)] = v15_size
                p += v15_size
                if end - p < 2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(15), p, np.int64(0))
                v18_port = load_2(data, p)
                p += 2
                if w11:
                    c11[U(n1)] = v18_port
                if p < end and data[U(p)] < 128:
                    v19_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v19_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v19_fields_count, v20_behind = long_varint(data, p, end, 5)
                    if v20_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(16), p, np.int64(0))
                    p = v20_behind
                if w12:
                    c12[U(n1)] = v19_fields_count
                v21_count = v19_fields_count
                if v21_count < 0 or v21_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(17), p, np.int64(0))
                if n2 + v21_count > cap2:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-3), p, n2 + v21_count)
                for _ in range(v21_count):
                    if p < end and data[U(p)] < 128:
                        v22_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v22_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v22_tag, v23_behind = long_varint(data, p, end, 5)
                        if v23_behind < 0:
                            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(18), p, np.int64(0))
                        p = v23_behind
                    if w14:
                        c14[U(n2)] = v22_tag
                    if p < end and data[U(p)] < 128:
                        v24_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v24_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v24_data_length, v25_behind = long_varint(data, p, end, 5)
                        if v25_behind < 0:
                            return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(19), p, np.int64(0))
                        p = v25_behind
                    if w15:
                        c15[U(n2)] = v24_data_length
                    v26_size = v24_data_length
                    if v26_size > end - p:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(20), p, np.int64(0))
                    v27_begin = p
                    if w16:
                        c16[U(n2)] = v27_begin
                    if w17:
                        c17[U(n2)] = v26_size
                    p += v26_size
                    n2 += 1
                if w13:
                    c13[U(n1 + 1)] = n2
                n1 += 1
            if w4:
                c4[U(n0 + 1)] = n1
            if end - p < 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(21), p, np.int64(0))
            v28_min_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w18:
                c18[U(n0)] = v28_min_supported_version
            if end - p < 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(22), p, np.int64(0))
            v29_max_supported_version = (load_2(data, p) << 48) >> 48
            p += 2
            if w19:
                c19[U(n0)] = v29_max_supported_version
            if p < end and data[U(p)] < 128:
                v30_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v30_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v30_fields_count, v31_behind = long_varint(data, p, end, 5)
                if v31_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(23), p, np.int64(0))
                p = v31_behind
            if w20:
                c20[U(n0)] = v30_fields_count
            v32_count = v30_fields_count
            if v32_count < 0 or v32_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(24), p, np.int64(0))
            if n3 + v32_count > cap3:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-4), p, n3 + v32_count)
            for _ in range(v32_count):
                if p < end and data[U(p)] < 128:
                    v33_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v33_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v33_tag, v34_behind = long_varint(data, p, end, 5)
                    if v34_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(25), p, np.int64(0))
                    p = v34_behind
                if w22:
                    c22[U(n3)] = v33_tag
                if p < end and data[U(p)] < 128:
                    v35_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v35_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v35_data_length, v36_behind = long_varint(data, p, end, 5)
                    if v36_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(26), p, np.int64(0))
                    p = v36_behind
                if w23:
                    c23[U(n3)] = v35_data_length
                v37_size = v35_data_length
                if v37_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(27), p, np.int64(0))
                v38_begin = p
                if w24:
                    c24[U(n3)] = v38_begin
                if w25:
                    c25[U(n3)] = v37_size
                p += v37_size
                n3 += 1
            if w21:
                c21[U(n0 + 1)] = n3
            if p < end and data[U(p)] < 128:
                v39_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v39_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v39_fields_count, v40_behind = long_varint(data, p, end, 5)
                if v40_behind < 0:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(28), p, np.int64(0))
                p = v40_behind
            if w26:
                c26[U(n0)] = v39_fields_count
            v41_count = v39_fields_count
            if v41_count < 0 or v41_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(29), p, np.int64(0))
            if n4 + v41_count > cap4:
                return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(-5), p, n4 + v41_count)
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
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(30), p, np.int64(0))
                    p = v43_behind
                if w28:
                    c28[U(n4)] = v42_tag
                if p < end and data[U(p)] < 128:
                    v44_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v44_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v44_data_length, v45_behind = long_varint(data, p, end, 5)
                    if v45_behind < 0:
                        return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(31), p, np.int64(0))
                    p = v45_behind
                if w29:
                    c29[U(n4)] = v44_data_length
                v46_size = v44_data_length
                if v46_size > end - p:
                    return leave_decode_control_record__kraft_voter(state, unit, done, start, n0, s1, s2, s3, s4, np.int64(32), p, np.int64(0))
                v47_begin = p
                if w30:
                    c30[U(n4)] = v47_begin
                if w31:
                    c31[U(n4)] = v46_size
                p += v46_size
                n4 += 1
            if w27:
                c27[U(n0 + 1)] = n4
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
):
    # c0: version, value
    # c1: voters_length, value
    # c2: voters, offsets
    # c3: voters.voter_id, value, per element of voters
    # c4: voters.voter_directory_id, position, per element of voters
    # c5: voters.voter_directory_id, length, per element of voters
    # c6: voters.endpoints_length, value, per element of voters
    # c7: voters.endpoints, offsets, per element of voters
    # c8: voters.endpoints.name_length, value, per element of voters.endpoints
    # c9: voters.endpoints.name, position, per element of voters.endpoints
    # c10: voters.endpoints.name, length, per element of voters.endpoints
    # c11: voters.endpoints.host_length, value, per element of voters.endpoints
    # c12: voters.endpoints.host, position, per element of voters.endpoints
    # c13: voters.endpoints.host, length, per element of voters.endpoints
    # c14: voters.endpoints.port, value, per element of voters.endpoints
    # c15: voters.endpoints.tags.fields_count, value, per element of voters.endpoints
    # c16: voters.endpoints.tags.fields, offsets, per element of voters.endpoints
    # c17: voters.endpoints.tags.fields.tag, value, per element of voters.endpoints.tags.fields
    # c18: voters.endpoints.tags.fields.data_length, value, per element of voters.endpoints.tags.fields
    # c19: voters.endpoints.tags.fields.data, position, per element of voters.endpoints.tags.fields
    # c20: voters.endpoints.tags.fields.data, length, per element of voters.endpoints.tags.fields
    # c21: voters.kraft_version_feature.min_supported_version, value, per element of voters
    # c22: voters.kraft_version_feature.max_supported_version, value, per element of voters
    # c23: voters.kraft_version_feature.tags.fields_count, value, per element of voters
    # c24: voters.kraft_version_feature.tags.fields, offsets, per element of voters
    # c25: voters.kraft_version_feature.tags.fields.tag, value, per element of voters.kraft_version_feature.tags.fields
    # c26: voters.kraft_version_feature.tags.fields.data_length, value, per element of voters.kraft_version_feature.tags.fields
    # c27: voters.kraft_version_feature.tags.fields.data, position, per element of voters.kraft_version_feature.tags.fields
    # c28: voters.kraft_version_feature.tags.fields.data, length, per element of voters.kraft_version_feature.tags.fields
    # c29: voters.tags.fields_count, value, per element of voters
    # c30: voters.tags.fields, offsets, per element of voters
    # c31: voters.tags.fields.tag, value, per element of voters.tags.fields
    # c32: voters.tags.fields.data_length, value, per element of voters.tags.fields
    # c33: voters.tags.fields.data, position, per element of voters.tags.fields
    # c34: voters.tags.fields.data, length, per element of voters.tags.fields
    # c35: tags.fields_count, value
    # c36: tags.fields, offsets
    # c37: tags.fields.tag, value, per element of tags.fields
    # c38: tags.fields.data_length, value, per element of tags.fields
    # c39: tags.fields.data, position, per element of tags.fields
    # c40: tags.fields.data, length, per element of tags.fields
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
                p += v7_size
                if p < end and data[U(p)] < 128:
                    v9_endpoints_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v9_endpoints_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v9_endpoints_length, v10_behind = long_varint(data, p, end, 5)
                    if v10_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(8), p, np.int64(0))
                    p = v10_behind
                if w6:
                    c6[U(n1)] = v9_endpoints_length
                if not (v9_endpoints_length >= 1):
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(9), p, np.int64(0))
                v12_ = 1
                v11_count = (v9_endpoints_length - v12_)
                if v11_count < 0 or v11_count > (end - p) // 5:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(10), p, np.int64(0))
                if n2 + v11_count > cap2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-3), p, n2 + v11_count)
                for _ in range(v11_count):
                    if p < end and data[U(p)] < 128:
                        v13_name_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v13_name_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v13_name_length, v14_behind = long_varint(data, p, end, 5)
                        if v14_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(11), p, np.int64(0))
                        p = v14_behind
                    if w8:
                        c8[U(n2)] = v13_name_length
                    if not (v13_name_length >= 1):
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(12), p, np.int64(0))
                    v16_ = 1
                    v15_size = (v13_name_length - v16_)
                    if v15_size < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(13), p, np.int64(0))
                    if v15_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(14), p, np.int64(0))
                    v17_begin = p
                    if w9:
                        c9[U(n2)] = v17_begin
                    if w10:
                        c10[U(n2)] = v15_size
                    p += v15_size
                    if p < end and data[U(p)] < 128:
                        v18_host_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v18_host_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v18_host_length, v19_behind = long_varint(data, p, end, 5)
                        if v19_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(15), p, np.int64(0))
                        p = v19_behind
                    if w11:
                        c11[U(n2)] = v18_host_length
                    if not (v18_host_length >= 1):
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(16), p, np.int64(0))
                    v21_ = 1
                    v20_size = (v18_host_length - v21_)
                    if v20_size < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(17), p, np.int64(0))
                    if v20_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(18), p, np.int64(0))
                    v22_begin = p
                    if w12:
                        c12[U(n2)] = v22_begin
                    if w13:
                        c13[U(n2)] = v20_size
                    p += v20_size
                    if end - p < 2:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(19), p, np.int64(0))
                    v23_port = load_2(data, p)
                    p += 2
                    if w14:
                        c14[U(n2)] = v23_port
                    if p < end and data[U(p)] < 128:
                        v24_fields_count = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v24_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v24_fields_count, v25_behind = long_varint(data, p, end, 5)
                        if v25_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(20), p, np.int64(0))
                        p = v25_behind
                    if w15:
                        c15[U(n2)] = v24_fields_count
                    v26_count = v24_fields_count
                    if v26_count < 0 or v26_count > (end - p) // 2:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(21), p, np.int64(0))
                    if n3 + v26_count > cap3:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-4), p, n3 + v26_count)
                    for _ in range(v26_count):
                        if p < end and data[U(p)] < 128:
                            v27_tag = np.int64(data[U(p)])
                            p += 1
                        elif p + 1 < end and data[U(p + 1)] < 128:
                            v27_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                            p += 2
                        else:
                            v27_tag, v28_behind = long_varint(data, p, end, 5)
                            if v28_behind < 0:
                                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(22), p, np.int64(0))
                            p = v28_behind
                        if w17:
                            c17[U(n3)] = v27_tag
                        if p < end and data[U(p)] < 128:
                            v29_data_length = np.int64(data[U(p)])
                            p += 1
                        elif p + 1 < end and data[U(p + 1)] < 128:
                            v29_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                            p += 2
                        else:
                            v29_data_length, v30_behind = long_varint(data, p, end, 5)
                            if v30_behind < 0:
                                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(23), p, np.int64(0))
                            p = v30_behind
                        if w18:
                            c18[U(n3)] = v29_data_length
                        v31_size = v29_data_length
                        if v31_size > end - p:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(24), p, np.int64(0))
                        v32_begin = p
                        if w19:
                            c19[U(n3)] = v32_begin
                        if w20:
                            c20[U(n3)] = v31_size
                        p += v31_size
                        n3 += 1
                    if w16:
                        c16[U(n2 + 1)] = n3
                    n2 += 1
                if w7:
                    c7[U(n1 + 1)] = n2
                if end - p < 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(25), p, np.int64(0))
                v33_min_supported_version = (load_2(data, p) << 48) >> 48
                p += 2
                if w21:
                    c21[U(n1)] = v33_min_supported_version
                if end - p < 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(26), p, np.int64(0))
                v34_max_supported_version = (load_2(data, p) << 48) >> 48
                p += 2
                if w22:
                    c22[U(n1)] = v34_max_supported_version
                if p < end and data[U(p)] < 128:
                    v35_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v35_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v35_fields_count, v36_behind = long_varint(data, p, end, 5)
                    if v36_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(27), p, np.int64(0))
                    p = v36_behind
                if w23:
                    c23[U(n1)] = v35_fields_count
                v37_count = v35_fields_count
                if v37_count < 0 or v37_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(28), p, np.int64(0))
                if n4 + v37_count > cap4:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-5), p, n4 + v37_count)
                for _ in range(v37_count):
                    if p < end and data[U(p)] < 128:
                        v38_tag = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v38_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v38_tag, v39_behind = long_varint(data, p, end, 5)
                        if v39_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(29), p, np.int64(0))
                        p = v39_behind
                    if w25:
                        c25[U(n4)] = v38_tag
                    if p < end and data[U(p)] < 128:
                        v40_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v40_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v40_data_length, v41_behind = long_varint(data, p, end, 5)
                        if v41_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(30), p, np.int64(0))
                        p = v41_behind
                    if w26:
                        c26[U(n4)] = v40_data_length
                    v42_size = v40_data_length
                    if v42_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(31), p, np.int64(0))
                    v43_begin = p
                    if w27:
                        c27[U(n4)] = v43_begin
                    if w28:
                        c28[U(n4)] = v42_size
                    p += v42_size
                    n4 += 1
                if w24:
                    c24[U(n1 + 1)] = n4
                if p < end and data[U(p)] < 128:
                    v44_fields_count = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v44_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v44_fields_count, v45_behind = long_varint(data, p, end, 5)
                    if v45_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(32), p, np.int64(0))
                    p = v45_behind
                if w29:
                    c29[U(n1)] = v44_fields_count
                v46_count = v44_fields_count
                if v46_count < 0 or v46_count > (end - p) // 2:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(33), p, np.int64(0))
                if n5 + v46_count > cap5:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-6), p, n5 + v46_count)
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
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(34), p, np.int64(0))
                        p = v48_behind
                    if w31:
                        c31[U(n5)] = v47_tag
                    if p < end and data[U(p)] < 128:
                        v49_data_length = np.int64(data[U(p)])
                        p += 1
                    elif p + 1 < end and data[U(p + 1)] < 128:
                        v49_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                        p += 2
                    else:
                        v49_data_length, v50_behind = long_varint(data, p, end, 5)
                        if v50_behind < 0:
                            return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(35), p, np.int64(0))
                        p = v50_behind
                    if w32:
                        c32[U(n5)] = v49_data_length
                    v51_size = v49_data_length
                    if v51_size > end - p:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(36), p, np.int64(0))
                    v52_begin = p
                    if w33:
                        c33[U(n5)] = v52_begin
                    if w34:
                        c34[U(n5)] = v51_size
                    p += v51_size
                    n5 += 1
                if w30:
                    c30[U(n1 + 1)] = n5
                n1 += 1
            if w2:
                c2[U(n0 + 1)] = n1
            if p < end and data[U(p)] < 128:
                v53_fields_count = np.int64(data[U(p)])
                p += 1
            elif p + 1 < end and data[U(p + 1)] < 128:
                v53_fields_count = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                p += 2
            else:
                v53_fields_count, v54_behind = long_varint(data, p, end, 5)
                if v54_behind < 0:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(37), p, np.int64(0))
                p = v54_behind
            if w35:
                c35[U(n0)] = v53_fields_count
            v55_count = v53_fields_count
            if v55_count < 0 or v55_count > (end - p) // 2:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(38), p, np.int64(0))
            if n6 + v55_count > cap6:
                return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(-7), p, n6 + v55_count)
            for _ in range(v55_count):
                if p < end and data[U(p)] < 128:
                    v56_tag = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v56_tag = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v56_tag, v57_behind = long_varint(data, p, end, 5)
                    if v57_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(39), p, np.int64(0))
                    p = v57_behind
                if w37:
                    c37[U(n6)] = v56_tag
                if p < end and data[U(p)] < 128:
                    v58_data_length = np.int64(data[U(p)])
                    p += 1
                elif p + 1 < end and data[U(p + 1)] < 128:
                    v58_data_length = np.int64(data[U(p)]) & 127 | np.int64(data[U(p + 1)]) << 7
                    p += 2
                else:
                    v58_data_length, v59_behind = long_varint(data, p, end, 5)
                    if v59_behind < 0:
                        return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(40), p, np.int64(0))
                    p = v59_behind
                if w38:
                    c38[U(n6)] = v58_data_length
                v60_size = v58_data_length
                if v60_size > end - p:
                    return leave_decode_control_record__kraft_voters(state, unit, done, start, n0, s1, s2, s3, s4, s5, s6, np.int64(41), p, np.int64(0))
                v61_begin = p
                if w39:
                    c39[U(n6)] = v61_begin
                if w40:
                    c40[U(n6)] = v60_size
                p += v60_size
                n6 += 1
            if w36:
                c36[U(n0 + 1)] = n6
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

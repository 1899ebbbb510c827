"""Print the lines of Kafka's dump tool for many batches and records at once. Written by hand: declarations do not
describe these lines.

The words are those of `kformat.dump.lines`, which prints one line after the other; tests compare both. Text is decoded
as in Java, also if bytes are not UTF-8: see `put_text`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kernels.runtime import U, copy, helper, kernel, load_8

BATCH_FIELDS: Final = (
    "base_offset",
    "last_offset",
    "records_count",
    "base_sequence",
    "last_offset_delta",
    "producer_id",
    "producer_epoch",
    "partition_leader_epoch",
    "is_transactional",
    "is_control",
    "has_delete_horizon",
    "base_timestamp",
    "max_timestamp",
    "timestamp_type",
    "position",
    "size",
    "compression",
    "crc",
    "is_valid",
    "is_shown",
    "rows",
)
"""The fields of a batch, in the order of the rows of ``batches``. Some are no fields of the declaration: ``position``
in the file, ``size`` in bytes, ``is_valid``: whether its checksum is right, ``is_shown``: whether it is printed,
``rows``: how many rows of the columns of records belong to it."""

(
    BASE_OFFSET, LAST_OFFSET, RECORDS_COUNT, BASE_SEQUENCE, LAST_OFFSET_DELTA, PRODUCER_ID, PRODUCER_EPOCH,
    LEADER_EPOCH, IS_TRANSACTIONAL, IS_CONTROL, HAS_DELETE_HORIZON, BASE_TIMESTAMP, MAX_TIMESTAMP, TIMESTAMP_TYPE,
    POSITION, SIZE, COMPRESSION, CRC, IS_VALID, IS_SHOWN, ROWS,
) = map(U, range(len(BATCH_FIELDS)))  # fmt: skip

BATCH, ROW_OF_BATCH, ROW, CONTROL_ROW, WANTED = range(5)
"""The words of ``state``: the next batch; its next row, -1 before the batch's own line; that row's number among all
rows, and among those of control batches; and the smallest size in bytes that ``out`` needs."""
STATE_WORDS: Final = 5

METADATA, CONTENTS = 1, 2
"""The printed parts of a record, as bits: the metadata in front of key and value; key and value."""


def _text(words: str) -> Any:
    return np.frombuffer(words.encode(), np.uint8)


_PAIRS: Final = _text("".join(f"{number:02}" for number in range(100)))
_TRUE, _FALSE = _text("true"), _text("false")
_CREATE_TIME, _LOG_APPEND_TIME = _text(" CreateTime: "), _text(" LogAppendTime: ")
_CODECS: Final = _text("".join(f"{name:8}" for name in CODEC_NAMES))
_CODEC_SIZES: Final = np.array([len(name) for name in CODEC_NAMES], np.int64)

_BASE_OFFSET, _LAST_OFFSET, _COUNT = _text("baseOffset: "), _text(" lastOffset: "), _text(" count: ")
_BASE_SEQUENCE, _LAST_SEQUENCE = _text(" baseSequence: "), _text(" lastSequence: ")
_PRODUCER_ID, _PRODUCER_EPOCH = _text(" producerId: "), _text(" producerEpoch: ")
_LEADER_EPOCH, _IS_TRANSACTIONAL = _text(" partitionLeaderEpoch: "), _text(" isTransactional: ")
_IS_CONTROL, _DELETE_HORIZON = _text(" isControl: "), _text(" deleteHorizonMs: OptionalLong")
_POSITION, _SIZE, _CODEC = _text(" position: "), _text(" size: "), _text(" magic: 2 compresscodec: ")
_CRC, _IS_VALID, _EMPTY = _text(" crc: "), _text(" isvalid: "), _text(".empty")

_OFFSET, _KEY_SIZE, _VALUE_SIZE = _text("| offset: "), _text(" keySize: "), _text(" valueSize: ")
_SEQUENCE, _HEADER_KEYS = _text(" sequence: "), _text(" headerKeys: [")
_KEY, _PAYLOAD = _text(" key: "), _text(" payload: ")

_BATCH_ROOM: Final = 1024
"""More bytes than the longest line of a batch."""
_RECORD_ROOM: Final = 256
"""More bytes than the longest line of a record without keys, value and what follows."""
_NOT_ASCII: Final = np.int64(-(2**63) | 0x0080808080808080)
_LINE_END, _BAR, _COMMA, _MINUS, _ZERO = (np.uint8(ord(letter)) for letter in "\n|,-0")
_OPEN, _CLOSE = np.uint8(ord("[")), np.uint8(ord("]"))


@helper
def put(out: Any, at: int, text: Any) -> int:
    copy(out, at, text, 0, len(text))
    return at + len(text)


@helper
def put_byte(out: Any, at: int, byte: int) -> int:
    out[U(at)] = byte
    return at + 1


@helper
def put_number(out: Any, at: int, value: int) -> int:
    """An int64 in decimal."""
    rest = U(value)
    if value < 0:
        at = put_byte(out, at, _MINUS)
        rest = U(-(value + 1)) + U(1)  # also right for the lowest int64
    size, above = 1, rest
    while above >= U(1000):
        size, above = size + 3, above // U(1000)
    if above >= U(10):
        size += 1 if above < U(100) else 2
    end = at + size
    place = end
    while rest >= U(100):
        pair = (rest % U(100)) * U(2)
        rest = rest // U(100)
        place -= 2
        out[U(place)], out[U(place + 1)] = _PAIRS[pair], _PAIRS[pair + U(1)]
    if rest >= U(10):
        pair = rest * U(2)
        out[U(at)], out[U(at + 1)] = _PAIRS[pair], _PAIRS[pair + U(1)]
    else:
        out[U(at)] = np.uint8(rest) + _ZERO
    return end


@helper
def put_boolean(out: Any, at: int, value: int) -> int:
    return put(out, at, _TRUE) if value else put(out, at, _FALSE)


@helper
def is_ascii(data: Any, position: int, size: int) -> bool:
    end = position + size
    if size < 8:
        for index in range(position, end):
            if data[U(index)] >= 128:
                return False
        return True
    bits = load_8(data, end - 8)
    for index in range(position, end - 8, 8):
        bits |= load_8(data, index)
    return bits & _NOT_ASCII == 0


@helper
def is_continued(data: Any, position: int, end: int) -> bool:
    return position < end and data[U(position)] & 0xC0 == 0x80


@helper
def sequence_at(data: Any, position: int, end: int) -> Any:
    """(number of bytes, whether they are a character) of the sequence at a byte above 127, as Java's decoder divides.

    A malformed sequence is as long as the valid beginning of a character, at least one byte. An encoded surrogate is
    one sequence; other decoders count each of its bytes as an error.
    """
    first = np.int64(data[U(position)])
    if first < 0xC2 or first > 0xF4 or position + 1 >= end:
        return 1, False
    second = np.int64(data[U(position + 1)])
    if second & 0xC0 != 0x80:
        return 1, False
    if first < 0xE0:
        return 2, True
    if (first == 0xE0 and second < 0xA0) or (first == 0xF0 and second < 0x90) or (first == 0xF4 and second > 0x8F):
        return 1, False
    if not is_continued(data, position + 2, end):
        return 2, False
    if first < 0xF0:
        return 3, first != 0xED or second < 0xA0
    if not is_continued(data, position + 3, end):
        return 3, False
    return 4, True


@helper
def put_text(out: Any, at: int, data: Any, position: int, size: int) -> int:
    """Copy UTF-8; each malformed sequence becomes U+FFFD. Writes at most three times as many bytes."""
    if is_ascii(data, position, size):
        copy(out, at, data, position, size)
        return at + size
    end = position + size
    while position < end:
        byte = data[U(position)]
        if byte < 128:
            at, position = put_byte(out, at, byte), position + 1
            continue
        length, is_character = sequence_at(data, position, end)
        if is_character:
            for index in range(length):
                at = put_byte(out, at, data[U(position + index)])
        else:
            out[U(at)], out[U(at + 1)], out[U(at + 2)] = 0xEF, 0xBF, 0xBD
            at += 3
        position += length
    return at


@helper
def add_sequence(sequence: int, delta: int) -> int:
    """As `kformat.kafka.batch.records.add_sequence`, for numbers of 32 bits."""
    if sequence > int32(2147483647 - delta):
        return int32(delta - (2147483647 - sequence) - 1)
    return int32(sequence + delta)


@helper
def int32(value: int) -> int:
    """Java's int, which wraps."""
    return ((value + 2147483648) & 0xFFFFFFFF) - 2147483648


@helper
def put_batch(out: Any, at: int, batches: Any, number: Any) -> int:
    """A batch's line."""
    at = put_number(out, put(out, at, _BASE_OFFSET), batches[BASE_OFFSET, number])
    at = put_number(out, put(out, at, _LAST_OFFSET), batches[LAST_OFFSET, number])
    at = put_number(out, put(out, at, _COUNT), batches[RECORDS_COUNT, number])
    sequence = batches[BASE_SEQUENCE, number]
    at = put_number(out, put(out, at, _BASE_SEQUENCE), sequence)
    if sequence != -1:
        sequence = add_sequence(sequence, batches[LAST_OFFSET_DELTA, number])
    at = put_number(out, put(out, at, _LAST_SEQUENCE), sequence)
    at = put_number(out, put(out, at, _PRODUCER_ID), batches[PRODUCER_ID, number])
    at = put_number(out, put(out, at, _PRODUCER_EPOCH), batches[PRODUCER_EPOCH, number])
    at = put_number(out, put(out, at, _LEADER_EPOCH), batches[LEADER_EPOCH, number])
    at = put_boolean(out, put(out, at, _IS_TRANSACTIONAL), batches[IS_TRANSACTIONAL, number])
    at = put_boolean(out, put(out, at, _IS_CONTROL), batches[IS_CONTROL, number])
    at = put(out, at, _DELETE_HORIZON)
    if batches[HAS_DELETE_HORIZON, number]:
        at = put_number(out, put_byte(out, at, _OPEN), batches[BASE_TIMESTAMP, number])
        at = put_byte(out, at, _CLOSE)
    else:
        at = put(out, at, _EMPTY)
    at = put_number(out, put(out, at, _POSITION), batches[POSITION, number])
    at = put_time(out, at, batches[TIMESTAMP_TYPE, number], batches[MAX_TIMESTAMP, number])
    at = put(out, put_number(out, put(out, at, _SIZE), batches[SIZE, number]), _CODEC)
    codec = batches[COMPRESSION, number]
    copy(out, at, _CODECS, 8 * codec, _CODEC_SIZES[U(codec)])
    at += _CODEC_SIZES[U(codec)]
    at = put_number(out, put(out, at, _CRC), batches[CRC, number])
    return put_byte(out, put_boolean(out, put(out, at, _IS_VALID), batches[IS_VALID, number]), _LINE_END)


@helper
def put_time(out: Any, at: int, timestamp_type: int, timestamp: int) -> int:
    at = put(out, at, _LOG_APPEND_TIME) if timestamp_type else put(out, at, _CREATE_TIME)
    return put_number(out, at, timestamp)


@helper
def put_contents(
    out: Any, at: int, has_bar: bool, data: Any, key: int, key_size: int, value: int, value_size: int
) -> int:
    """Key and value of a record, if they are not null, after a bar if there is none yet; sizes in bytes."""
    if not has_bar and (key_size >= 0 or value_size >= 0):
        at = put_byte(out, at, _BAR)
    if key_size >= 0:
        at = put_text(out, put(out, at, _KEY), data, key, key_size)
    if value_size >= 0:
        at = put_text(out, put(out, at, _PAYLOAD), data, value, value_size)
    return at


@kernel
def print_lines(
    out: Any,
    state: Any,
    what: int,
    batches: Any,
    data: Any,
    offsets: Any,
    timestamps: Any,
    offset_deltas: Any,
    key_positions: Any,
    key_lengths: Any,
    value_positions: Any,
    value_lengths: Any,
    header_offsets: Any,
    header_positions: Any,
    header_lengths: Any,
    is_wanted: Any,
    control_text: Any,
    control_ends: Any,
) -> int:
    """Print from ``state`` on to the end, or until ``out`` is full; return how many bytes were written.

    Args:
        out: uint8. Where it has no room for one more line, nothing of that is written, and ``state[WANTED]`` says how
            much it takes.
        state: int64, zeros but for -1 in ROW_OF_BATCH to begin with; all is printed when ``state[BATCH]`` is the number
            of batches.
        what: METADATA and CONTENTS, or one of them, or neither.
        batches: int64, a row for each of `BATCH_FIELDS`, a column for each batch.
        data: uint8, read-only: what positions of keys, values and headers are of.
        offsets, ..., header_lengths: columns of the records of all batches; int64, ``offset_deltas`` int32.
        is_wanted: uint8, 0 for records that are left out; empty where none is.
        control_text, control_ends: what stands after the metadata of records of control batches, one after the other,
            and where it ends, beginning with a 0.
    """
    batch, row_of_batch, row, control_row = state[BATCH], state[ROW_OF_BATCH], state[ROW], state[CONTROL_ROW]
    at, wanted = 0, 0
    has_metadata, has_contents, leaves_out = what & METADATA != 0, what & CONTENTS != 0, len(is_wanted) > 0
    while batch < batches.shape[1]:
        number = U(batch)
        if row_of_batch < 0:
            if at + _BATCH_ROOM > len(out):
                wanted = _BATCH_ROOM
                break
            if batches[IS_SHOWN, number]:
                at = put_batch(out, at, batches, number)
            row_of_batch = 0
        is_control, timestamp_type = batches[IS_CONTROL, number] != 0, batches[TIMESTAMP_TYPE, number]
        base_sequence, rows = batches[BASE_SEQUENCE, number], batches[ROWS, number]
        while row_of_batch < rows:
            index = U(row)
            if leaves_out and is_wanted[index] == 0:
                row, row_of_batch, control_row = row + 1, row_of_batch + 1, control_row + is_control
                continue
            key_size, value_size = key_lengths[index], value_lengths[index]
            header, last_header = header_offsets[index], header_offsets[U(row + 1)]
            room = _RECORD_ROOM + 3 * max(key_size, 0) + 3 * max(value_size, 0)
            for header_row in range(header, last_header):
                room += 1 + 3 * header_lengths[U(header_row)]
            if is_control:
                room += control_ends[U(control_row + 1)] - control_ends[U(control_row)]
            if room > len(out) - at:
                wanted = room
                break
            if has_metadata:
                at = put_number(out, put(out, at, _OFFSET), offsets[index])
                at = put_time(out, at, timestamp_type, timestamps[index])
                at = put_number(out, put(out, at, _KEY_SIZE), key_size)
                at = put_number(out, put(out, at, _VALUE_SIZE), value_size)
                sequence = add_sequence(base_sequence, np.int64(offset_deltas[index])) if base_sequence >= 0 else -1
                at = put(out, put_number(out, put(out, at, _SEQUENCE), sequence), _HEADER_KEYS)
                for header_row in range(header, last_header):
                    if header_row > header:
                        at = put_byte(out, at, _COMMA)
                    at = put_text(out, at, data, header_positions[U(header_row)], header_lengths[U(header_row)])
                at = put_byte(out, at, _CLOSE)
            if is_control:
                start, end = control_ends[U(control_row)], control_ends[U(control_row + 1)]
                copy(out, at, control_text, start, end - start)
                at += end - start
                control_row += 1
            elif has_contents:
                key, value = key_positions[index], value_positions[index]
                at = put_contents(out, at, has_metadata, data, key, key_size, value, value_size)
            at = put_byte(out, at, _LINE_END)
            row, row_of_batch = row + 1, row_of_batch + 1
        if wanted:
            break
        batch, row_of_batch = batch + 1, -1
    state[BATCH], state[ROW_OF_BATCH], state[ROW], state[CONTROL_ROW] = batch, row_of_batch, row, control_row
    state[WANTED] = wanted
    return at

"""Where a batch may begin in any bytes: positions at which the fields of a header hold what they can hold.

This proves nothing, and overlooks little: one field of a header of magic 2 may be wrong, or its magic. Its offset,
length and leader epoch may be anything, because other things than the header can supply them; a length that no batch
has, where nothing else in the header is wrong. `evidence` does the rest.

A kernel looks at every byte. Until enough bytes were searched to be worth loading numba, and without it, numpy does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.errors import MissingDependencyError
from kformat.integers import MAX_INT16, MAX_INT32, MAX_INT64
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, WalkSource
from kformat.kafka.batch.legacy import LEGACY_CODECS
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEAST_BYTES
from kformat.kernels.compiled import PaysAfter, compiled_by_hand
from kformat.language.layout import Layout, layout
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_BATCH: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")
_PLAIN: Final = layout("legacy_message::plain_message")
_MESSAGE_AT: Final = layout("legacy_message").position("message")

_MOST_MS: Final = 1 << 53
"""Times above are not used as evidence: in microseconds, and far from now."""
_FIRST_WINDOW_BYTES: Final = 20 << 10
"""A batch of the size that producers make is not longer."""
_WINDOW_BYTES: Final = 1 << 20
_ROOM: Final = 256
_FOLLOWING_BYTES: Final = HEADER_BYTES + 16  # a kernel looks at eight positions at once
_pays: Final = PaysAfter(32 << 20)  # bytes


class _Rule(NamedTuple):
    """A number in a header: its place, its size, the bits that count; its lowest and highest value, or, if the first is
    above the second, values that it is not between. Numbers of 1 or 2 bytes are unsigned."""

    place: int
    size: int
    mask: int
    low: int
    high: int


def _rule(source: Layout, name: str, low: int, high: int, mask: int = -1, at: int = 0) -> _Rule:
    return _Rule(at + source.position(name), source.header_dtype[name].itemsize, mask, low, high)


def _mask(source: Layout, names: tuple[str, ...]) -> int:
    bits = source.bits("attributes")
    return sum(bits[name].mask << bits[name].shift for name in names)


_NOT_ZERO: Final = 1, -1
_INT16_FROM_MINUS_1: Final = 2 * MAX_INT16 + 1, MAX_INT16
_COVERED: Final = (
    _rule(_BATCH, "crc", *_NOT_ZERO),
    _rule(_BATCH, "attributes", 0, 0, _mask(_BATCH, ("reserved",))),
    _rule(_BATCH, "attributes", 0, len(CODEC_NAMES) - 1, _mask(_BATCH, ("compression",))),
    _rule(_BATCH, "last_offset_delta", 0, MAX_INT32),
    _rule(_BATCH, "records_count", 0, MAX_INT32),
    _rule(_BATCH, "base_sequence", -1, MAX_INT32),
    _rule(_BATCH, "producer_epoch", *_INT16_FROM_MINUS_1),
    _rule(_BATCH, "producer_id", -1, MAX_INT64),
    _rule(_BATCH, "base_timestamp", -1, MAX_INT64),
    _rule(_BATCH, "max_timestamp", -1, MAX_INT64),
)
ATTRIBUTES: Final = tuple(
    value
    for value in range(1 << _BATCH.bits("attributes")["reserved"].shift)
    if _BATCH.bit_readers("attributes")["compression"](value) < len(CODEC_NAMES)
)
"""All that the attributes of a batch of magic 2 can be."""
_UNCOVERED: Final = (
    _rule(_BATCH, "base_offset", 0, MAX_INT64),
    _rule(_BATCH, "batch_length", HEADER_BYTES - FRAME_BYTES, DEFAULT_INFLATE_LIMIT),
    _rule(_BATCH, "partition_leader_epoch", -1, MAX_INT32),
)
_TIMES: Final = (_rule(_BATCH, "base_timestamp", -1, _MOST_MS), _rule(_BATCH, "max_timestamp", -1, _MOST_MS))


def _legacy(magic: int) -> tuple[_Rule, ...]:
    used = ("compression",) if magic == 0 else ("compression", "timestamp_type")
    attributes = _MESSAGE.header_dtype["attributes"].itemsize
    unused = (1 << 8 * attributes) - 1 - _mask(_MESSAGE, used)
    key_at = _MESSAGE_AT + _MESSAGE.end("attributes")
    rules = [
        _rule(_MESSAGE, "crc", *_NOT_ZERO, at=_MESSAGE_AT),
        _rule(_MESSAGE, "attributes", 0, 0, unused, at=_MESSAGE_AT),
        _rule(_MESSAGE, "attributes", 0, len(LEGACY_CODECS) - 1, _mask(_MESSAGE, ("compression",)), at=_MESSAGE_AT),
    ]
    if magic:
        size = _PLAIN.unpacker("timestamp").size
        rules.append(_Rule(key_at, size, -1, -1, MAX_INT64))
        key_at += size
    rules.append(_Rule(key_at, _PLAIN.unpacker("key_length").size, -1, -1, DEFAULT_INFLATE_LIMIT))
    return tuple(rules)


_LEGACY: Final = _legacy(0), _legacy(1)
_SIZE: Final = _rule(layout("legacy_message"), "message_size", 0, DEFAULT_INFLATE_LIMIT)
_GROUPS: Final = (
    *(((_SIZE, *rules), 0) for rules in _LEGACY),
    (_COVERED, 1),
    (_COVERED + _TIMES + _UNCOVERED, 0),
    (_COVERED + _TIMES, 0),
)
"""The rules of a header by its magic, then those of a header of magic 2 with another magic, and with a length that no
batch has; and how many need not hold."""
_OTHER_MAGIC, _OTHER_LENGTH = CURRENT_MAGIC + 1, CURRENT_MAGIC + 2
_RULES: Final = np.array([rule for rules, _ in _GROUPS for rule in rules], np.int64)
_SIZE_PLACE: Final = _BATCH.position("batch_length")
_COUNTS: Final = (_BATCH.position("records_count"), _BATCH.position("last_offset_delta"))

# The two bytes to look at first: the upper half of the attributes is not used.
_PLACES: Final = np.array([_BATCH.position("magic"), _BATCH.position("attributes")], np.int64)
_BELOW: Final = np.array([CURRENT_MAGIC + 1, 1], np.int64)


def _limits() -> npt.NDArray[np.int64]:
    rows, end = [], 0
    for number, (rules, most) in enumerate(_GROUPS):
        start, end = end, end + len(rules)
        more = (1, _SIZE_PLACE, FRAME_BYTES, rules[-1].place)  # key and value fill a message
        if number == CURRENT_MAGIC:
            more = (3, _SIZE_PLACE, DEFAULT_INFLATE_LIMIT, _OTHER_LENGTH)
        elif number > CURRENT_MAGIC:
            more = (2, *_COUNTS, 1)  # no more records than offsets
        rows.append((start, end, most, *more))
    return np.array(rows, np.int64)


def _by_byte() -> npt.NDArray[np.int64]:
    groups = np.full((2, 256), -1, np.int64)
    groups[0, : CURRENT_MAGIC + 1] = np.arange(CURRENT_MAGIC + 1)
    groups[1, 0] = _OTHER_MAGIC
    return groups


_LIMITS: Final = _limits()
_BY_BYTE: Final = _by_byte()


@cache
def kernels() -> Any:
    """The module of kernels; None if numba is missing."""
    try:
        return compiled_by_hand("kformat.kernels.spotting")
    except MissingDependencyError:
        return None


def kernels_for(count: int) -> Any:
    """The module of kernels for a caller about to look at so many bytes; None where numpy is to be used."""
    return kernels() if _pays.does(count) else None


def _numbers(data: npt.NDArray[np.uint8], positions: npt.NDArray[np.int64], size: int = 4) -> npt.NDArray[np.int64]:
    """The big-endian numbers at some positions; of 1 or 2 bytes they are unsigned."""
    dtype = np.dtype(f">{'u' if size <= 2 else 'i'}{size}")
    overlapping = np.ndarray(len(data) - size + 1, dtype, data, strides=(1,))
    return overlapping[positions].astype(np.int64)


def _allowed(
    data: npt.NDArray[np.uint8], positions: npt.NDArray[np.int64], rules: Iterable[_Rule], most: int
) -> npt.NDArray[np.int64]:
    """The positions at which no more rules than ``most`` do not hold."""
    broken = np.zeros(len(positions), np.int64)
    for place, size, mask, low, high in rules:
        value = _numbers(data, positions + place, size) & mask
        broken += ~((value >= low) & (value <= high) if low <= high else (value >= low) | (value <= high))
        is_allowed = broken <= most
        positions, broken = positions[is_allowed], broken[is_allowed]
    return positions


def _are_chains(data: npt.NDArray[np.uint8], positions: npt.NDArray[np.int64], key_place: int) -> Any:
    """Whether key and value fill a message; true if the value is outside the data."""
    size = _numbers(data, positions + _SIZE_PLACE) + FRAME_BYTES
    place = key_place + 4 + np.maximum(_numbers(data, positions + key_place), 0)
    is_inside = positions + place + 4 <= len(data)
    value = _numbers(data, np.where(is_inside, positions + place, 0))
    return np.where(is_inside, size == place + 4 + np.maximum(value, 0), size >= place + 4)


def _spotted(data: npt.NDArray[np.uint8], end: int) -> Iterator[npt.NDArray[np.int64]]:
    """The positions below ``end`` at which a batch may begin; `_FOLLOWING_BYTES` must follow each in the data."""
    module = kernels_for(end)
    if module is None:
        holds = np.zeros(end, np.bool_)
        for place, by_byte in zip(_PLACES, _BY_BYTE, strict=True):
            groups = by_byte[data[place : place + end]]
            for number, (rules, most) in enumerate(_GROUPS):
                positions = _allowed(data, np.flatnonzero(groups == number), rules, most)
                if number < CURRENT_MAGIC:
                    positions = positions[_are_chains(data, positions, rules[-1].place)]
                elif number == CURRENT_MAGIC:
                    size = _numbers(data, positions + _SIZE_PLACE)
                    is_size = (size >= 0) & (size <= DEFAULT_INFLATE_LIMIT)
                    holds[_allowed(data, positions[~is_size], *_GROUPS[_OTHER_LENGTH])] = True
                    positions = positions[is_size]
                elif number > CURRENT_MAGIC:
                    count, delta = (_numbers(data, positions + place) for place in _COUNTS)
                    positions = positions[count - delta <= 1]
                holds[positions] = True
        yield np.flatnonzero(holds)
        return
    start, room = 0, np.empty(_ROOM, np.int64)
    while start < end:
        count = module.spot(data, start, end, HEADER_BYTES, _PLACES, _BELOW, _BY_BYTE, _RULES, _LIMITS, room)
        yield room[:count].copy()
        if count < len(room):
            return
        start = int(room[-1]) + 1


def candidates(source: WalkSource, start: int, end: int) -> Iterator[int]:
    """The positions between two others at which a batch may begin, in order; constant memory. Raises OSError."""
    window = _FIRST_WINDOW_BYTES
    while start < end:
        part = source.read_at(start, min(window + _FOLLOWING_BYTES, end - start))
        size = min(window, len(part))
        if not size:
            return
        words = len(part) // 8
        if np.frombuffer(part, np.uint64, words).any() or any(part[8 * words :]):  # zeros are no length
            for positions in _spotted(np.frombuffer(part + bytes(_FOLLOWING_BYTES), np.uint8), size):
                yield from (positions + start).tolist()
        start, window = start + size, min(2 * window, _WINDOW_BYTES)


def _broken_of(header: bytes, rules: tuple[_Rule, ...], most: int) -> int:
    """How many rules do not hold in one header, for which numpy is slow; at most one above ``most``."""
    header, broken = header.ljust(HEADER_BYTES, b"\0"), 0
    for place, size, mask, low, high in rules:
        value = 0
        for byte in header[place : place + size]:
            value = value << 8 | byte
        if size > 2 and value >> (8 * size - 1):
            value -= 1 << 8 * size
        value &= mask
        broken += not (low <= value <= high if low <= high else value >= low or value <= high)
        if broken > most:
            break
    return broken


def broken_rules(header: bytes, most: int) -> int:
    """How many fields of a header of magic 2 under its checksum hold impossible values, or are no evidence. No more are
    counted than one above ``most``."""
    return _broken_of(header, _COVERED + _TIMES, most)


def is_legacy_header(header: bytes, magic: int) -> bool:
    """Whether the fields at fixed places of a message of magic 0 or 1 hold possible values."""
    return not _broken_of(header, _LEGACY[magic], 0)


__all__ = ["LEAST_BYTES", "candidates"]

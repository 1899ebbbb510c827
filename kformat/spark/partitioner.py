"""Choose the partition of records that name none: by the key, as Kafka's producer in Java does, else in turn.

Source: `Utils.murmur2` and `BuiltInPartitioner.partitionForKey` of Kafka's clients. For records without a key, a
producer fills a batch for one partition after another; here each record goes to the next partition, which gives the
same shares, and the same result for the same rows.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.kafka.columns.chunks import Scattered

_SEED: Final = 0x9747B28C
_M: Final = np.uint32(0x5BD1E995)
_ROTATED: Final = np.uint32(24)
_WORD: Final = np.dtype(np.uint32).newbyteorder("little")
_SIGN: Final = np.uint32(0x7FFFFFFF)


def murmur2(keys: Scattered) -> npt.NDArray[np.uint32]:
    """Kafka's hash of each key, 32 bits; a null key has the hash of an empty one."""
    hashes = np.empty(len(keys.lengths), np.uint32)
    lengths = keys.lengths.clip(0)
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        places = keys.positions[rows, None] + np.arange(length)
        hashes[rows] = _murmur2_of(np.asarray(keys.data[places], np.uint8), length)
    return hashes


def _murmur2_of(keys: npt.NDArray[np.uint8], length: int) -> npt.NDArray[np.uint32]:
    """The hashes of keys of one length, a row each."""
    whole = length & ~3
    words = np.ascontiguousarray(keys[:, :whole]).view(_WORD).reshape(len(keys), whole // 4)
    hashes = np.full(len(keys), _SEED ^ length, np.uint32)
    for column in range(whole // 4):
        mixed = words[:, column] * _M
        mixed ^= mixed >> _ROTATED
        hashes *= _M
        hashes ^= mixed * _M
    if length > whole:
        for place in range(length - 1, whole - 1, -1):
            hashes ^= keys[:, place].astype(np.uint32) << np.uint32(8 * (place - whole))
        hashes *= _M
    hashes ^= hashes >> np.uint32(13)
    hashes *= _M
    hashes ^= hashes >> np.uint32(15)
    return hashes


def partitions_of(keys: Scattered | None, count: int, partitions: int, turn: int) -> npt.NDArray[np.int32]:
    """Assign a partition to each record: by its key, or without a key in turn, from number ``turn`` on.

    ``partitions`` is how many the topic has. The next turn is ``turn`` and the number of records without a key.
    """
    is_null = np.ones(count, np.bool_) if keys is None else keys.lengths < 0
    assigned: npt.NDArray[Any] = np.zeros(count, np.int64)
    if keys is not None:
        assigned = (murmur2(keys) & _SIGN).astype(np.int64) % partitions
    assigned[is_null] = (turn + np.arange(int(is_null.sum()))) % partitions
    return assigned.astype(np.int32)

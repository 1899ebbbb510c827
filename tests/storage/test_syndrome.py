"""Which bit was flipped, from two checksums."""

from __future__ import annotations

import random

import pytest

from kformat.storage.algorithms import algorithm_of
from kformat.storage.syndrome import MOST_BYTES, flipped_bit, table_of
from tests.draws import at_most


@pytest.mark.parametrize("algorithm", ["crc32", "crc32c"])
def test_a_flipped_bit_is_named(algorithm: str) -> None:
    chance, sum_of = random.Random(3), algorithm_of(algorithm).compute
    for size in (1, 2, 3, 5, 100, 4097, MOST_BYTES):
        data = chance.randbytes(size)
        for bit in {0, 7, 8 * size - 1, *(chance.randrange(8 * size) for _ in range(at_most(200)))}:
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            assert flipped_bit(algorithm, sum_of(data) ^ sum_of(bytes(changed)), size) == bit


@pytest.mark.parametrize("algorithm", ["crc32", "crc32c"])
def test_two_bits_are_not_one(algorithm: str) -> None:
    chance, sum_of = random.Random(4), algorithm_of(algorithm).compute
    for _ in range(at_most(1000)):
        data = chance.randbytes(1000)
        changed = bytearray(data)
        for bit in chance.sample(range(8000), 2):
            changed[bit // 8] ^= 1 << bit % 8
        assert flipped_bit(algorithm, sum_of(data) ^ sum_of(bytes(changed)), 1000) is None
    assert flipped_bit(algorithm, 0, 1000) is None
    assert flipped_bit(algorithm, int(table_of(algorithm)[128]), MOST_BYTES + 1) is None

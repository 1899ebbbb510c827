"""The map of a compaction: what Kafka's OffsetMapTest says, and the same as a dictionary."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from random import Random

import numpy as np
import pytest

from kformat.errors import UsageError
from kformat.kafka.index.offset_map import ABSENT, ENTRY_BYTES, OffsetMap, hashes_at, key_hashes

MEMORY_BYTES = 4096
WAYS = [False, pytest.param(True, marks=pytest.mark.skipif(find_spec("numba") is None, reason="numba is missing"))]


def key(number: int) -> bytes:
    return b"%d" % number


def full(use_kernels: bool) -> tuple[OffsetMap, int]:
    """A map without room, and the key after the last one."""
    found, number = OffsetMap(MEMORY_BYTES), 37
    found.use_kernels = use_kernels
    while found.size < found.slots:
        found.put(key(number), number)
        number += 1
    return found, number


# Kafka: OffsetMapTest.testBasicValidation
@pytest.mark.parametrize("count", [10, 100, 1000, 5000])
def test_what_was_put_is_found(count: int) -> None:
    found = OffsetMap(count * 48)
    found.put_hashes(key_hashes(map(key, range(count))), range(count))
    assert found.get_hashes(key_hashes(map(key, range(count)))).tolist() == list(range(count))
    assert found.size == count and found.slots == 2 * count


# Kafka: OffsetMapTest.testClear
def test_what_was_cleared_is_not_found() -> None:
    found = OffsetMap(MEMORY_BYTES)
    for number in range(10):
        found.put(key(number), number)
    assert [found.get(key(number)) for number in range(10)] == list(range(10))
    found.clear()
    assert [found.get(key(number)) for number in range(10)] == [ABSENT] * 10
    assert (found.size, found.latest_offset) == (0, -1)


# Kafka: OffsetMapTest.testGetWhenFull
# Kafka: OffsetMapTest.testUpdateLatestOffset
# Kafka: OffsetMapTest.testLatestOffset
@pytest.mark.parametrize("use_kernels", WAYS)
def test_a_full_map(use_kernels: bool) -> None:
    found, number = full(use_kernels)
    assert (found.get(key(number)), found.get(key(number - 1))) == (ABSENT, number - 1)
    assert found.latest_offset == number - 1 and found.utilization == 1.0
    found.update_latest_offset(40)
    assert found.latest_offset == found.get(key(40)) == 40
    for again in (number, number - 1):  # a key that is there, too
        with pytest.raises(UsageError, match="full"):
            found.put(key(again), 1)


# Kafka: OffsetMapTest.testUtilization
def test_how_full_a_map_is() -> None:
    found = OffsetMap(MEMORY_BYTES)
    assert found.utilization == 0.0
    for number in range(20):
        found.put(key(number), number)
        assert found.utilization == (number + 1) / found.slots


@pytest.mark.parametrize("use_kernels", WAYS)
@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 1.0])
def test_it_is_a_dictionary(load: float, use_kernels: bool) -> None:
    slots, random, known = 700, Random(int(load * 10)), dict[bytes, int]()
    found = OffsetMap(slots * ENTRY_BYTES + 5)
    found.use_kernels = use_kernels
    keys = [random.randbytes(random.choice((0, 1, 8, 30))) for _ in range(slots)]
    keys = keys[: int(slots * load)]
    for start in range(0, 4000, 50):
        if found.size == found.slots:
            break
        some = [random.choice(keys) for _ in range(50)] if found.size < found.slots - 50 else [random.choice(keys)]
        offsets = range(start, start + len(some))
        found.put_hashes(key_hashes(some), np.array(offsets))
        known.update(zip(some, offsets, strict=True))
    assert found.size == len(known)
    asked = [*keys, *(random.randbytes(9) for _ in range(100))]
    assert found.get_hashes(key_hashes(asked)).tolist() == [known.get(one, ABSENT) for one in asked]


def test_a_map_without_room() -> None:
    with pytest.raises(UsageError, match="no room"):
        OffsetMap(ENTRY_BYTES - 1)
    with pytest.raises(UsageError, match="too small"):
        OffsetMap(ENTRY_BYTES).most_keys()
    assert OffsetMap(2 * ENTRY_BYTES).most_keys() == 1
    assert OffsetMap(1000 * ENTRY_BYTES).most_keys(0.75) == 750


def test_memory_is_what_was_asked_for() -> None:
    found = OffsetMap(10_000)
    assert found._table.nbytes <= 10_000
    found.put_hashes(key_hashes(map(key, range(300))), range(300))
    assert found._table.nbytes <= 10_000


@pytest.mark.parametrize("use_kernels", WAYS)
def test_no_more_keys_than_so_many(use_kernels: bool) -> None:
    """Those before the first that finds so many are put, also keys that are there already."""
    found = OffsetMap(MEMORY_BYTES)
    found.use_kernels = use_kernels
    hashes = key_hashes([b"a", b"b", b"a", b"c", b"a", b"d"])
    assert found.put_until(hashes, range(6), 3) == 4
    assert (found.size, found.latest_offset) == (3, 3)
    assert found.get_hashes(hashes).tolist() == [2, 1, 2, 3, 2, ABSENT]
    assert found.put_until(hashes, range(6), 3) == 0 and found.latest_offset == 3
    assert found.put_until(hashes[:0], [], 9) == 0
    assert found.put_until(hashes, range(6), 9) == 6 and (found.size, found.latest_offset) == (4, 5)


@pytest.mark.parametrize("use_kernels", WAYS)
def test_maps_have_the_same_entries(use_kernels: bool) -> None:
    """What one way puts, the other one finds, in a full map, too."""
    found, random = OffsetMap(MEMORY_BYTES), Random(3)
    keys = [key(random.randrange(99)) for _ in range(1000)]
    known = {one: offset for offset, one in enumerate(keys)}
    for start in range(0, 1000, 10):
        found.use_kernels = use_kernels and start % 20 == 0
        found.put_hashes(key_hashes(keys[start : start + 10]), range(start, start + 10))
    for found.use_kernels in {False, use_kernels}:
        assert [found.get(one) for one in known] == list(known.values())


@pytest.mark.parametrize("use_kernels", WAYS)
def test_the_hash_is_md5(use_kernels: bool) -> None:
    """Of keys of each length, also at the end of the data, next to shorter and longer ones."""
    random = Random(5)
    keys = [
        random.randbytes(size) for size in [*range(200), *(random.choice((0, 3, 10, 55, 56, 1000)) for _ in range(50))]
    ]
    for some in (random.sample(keys, len(keys)), keys[:1], keys[2:3], keys[:20], [b"no block of its own" * 5]):
        lengths = np.array([len(one) for one in some])
        data = np.frombuffer(b"".join(some), np.uint8)
        found = hashes_at(data, np.cumsum(lengths) - lengths, lengths, use_kernels=use_kernels)
        assert found.tobytes() == b"".join(hashlib.md5(one).digest() for one in some)
    assert hashes_at(data, lengths[:0], lengths[:0], use_kernels=use_kernels).shape == (0, 2)

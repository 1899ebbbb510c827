"""The map of a compaction: what Kafka's OffsetMapTest says, and the same as a dictionary."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kformat.errors import UsageError
from kformat.kafka.index.offset_map import ABSENT, ENTRY_BYTES, OffsetMap, key_hashes

MEMORY_BYTES = 4096


def key(number: int) -> bytes:
    return b"%d" % number


def full() -> tuple[OffsetMap, int]:
    """A map without room, and the key after the last one."""
    found, number = OffsetMap(MEMORY_BYTES), 37
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
def test_a_full_map() -> None:
    found, number = full()
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


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 1.0])
def test_it_is_a_dictionary(load: float) -> None:
    slots, random, known = 700, Random(int(load * 10)), dict[bytes, int]()
    found = OffsetMap(slots * ENTRY_BYTES + 5)
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

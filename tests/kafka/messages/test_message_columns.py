"""Kafka's messages as columns: kernels make what the codec makes, of every version, and of bytes that are damaged."""

from __future__ import annotations

import random

import pytest

import kformat
from kformat.columns.values import Values
from kformat.kafka.messages.kafka_json import from_kafka_json
from kformat.kafka.messages.schemas import schema
from tests.draws import IS_NIGHT
from tests.kafka.messages.drawn import drawn
from tests.kafka.messages.test_messages import ON_DISK

BY_DAY = ("offset_commit_value", "partition_change_record")
COUNT = 200 if IS_NIGHT else 40
"""Of each version."""


@pytest.mark.parametrize("name", ON_DISK if IS_NIGHT else BY_DAY)
def test_columns_by_a_kernel_are_those_of_the_codec(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("numba")
    one, by = schema(name), random.Random(name)
    values: list[bytes | None] = [None, b""]
    for version in one.versions:
        for _ in range(COUNT):
            data = bytearray(kformat.build(name, from_kafka_json(one, version, drawn(one, version, by))))
            if by.random() < 0.2:
                at = by.randrange(len(data))
                data[at:] = by.choice((data[at + 1 :], bytes([by.randrange(256)]) + data[at + 1 :], b""))
            values.append(bytes(data))
    by.shuffle(values)
    array = pa.array(values, pa.binary())
    ways = [
        list(Values(name, with_fixed=with_kernels, with_kernels=with_kernels).parse(array))
        for with_kernels in (True, False)
    ]
    for part in ("array", "raw", "error"):
        fast, slow = (pa.concat_arrays([getattr(one, part) for one in way]) for way in ways)
        assert fast.equals(slow), (part, fast.type)
    assert sum(one.refused_count for one in ways[0]) == sum(one.refused_count for one in ways[1]) > 0
    assert ways[0][0].array.null_count < len(array) // 2

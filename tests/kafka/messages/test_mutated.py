"""Records of Kafka's own topics with bytes that were changed: raw bytes beside a reason, never a foreign error."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import kformat
from kformat.errors import DataError
from kformat.kafka.columns.messages import KafkaRecords
from kformat.kafka.messages.decoding import DECODERS, TOPICS, decoder
from kformat.kafka.messages.kafka_json import from_kafka_json
from kformat.kafka.messages.schemas import Schema
from tests.draws import IS_NIGHT
from tests.kafka.messages.drawn import drawn

pa = pytest.importorskip("pyarrow")

COUNT = 1_000_000 if IS_NIGHT else 20_000
AT_ONCE = 500


def built(schema: Schema, by: random.Random) -> bytes:
    version = by.choice(list(schema.versions))
    return kformat.build(schema.id, from_kafka_json(schema, version, drawn(schema, version, by)))


def sound(name: str, by: random.Random) -> list[tuple[bytes | None, bytes]]:
    """Keys and values of a topic, some of each type."""
    known = decoder(name)
    pairs = list[tuple[bytes | None, bytes]]()
    for number, schema in known.values.items():
        for _ in range(4):
            pairs.append((built(known.keys[number], by) if known.has_keys else None, built(schema, by)))
    return pairs


def mutated(data: bytes, by: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(by.choice((1, 1, 2, 5))):
        at = by.randrange(len(changed) + 1)
        match by.randrange(5):
            case 0:
                changed[at : at + 1] = by.randbytes(1)
            case 1:
                changed[at : at + by.randrange(9)] = b""
            case 2:
                changed[at:at] = by.randbytes(by.randrange(9))
            case 3:
                changed[at : at + 4] = by.choice((b"\xff" * 4, b"\x7f\xff\xff\xff", bytes(4)))
            case _:
                del changed[at:]
    return bytes(changed)


def batches(name: str, by: random.Random, count: int) -> Iterator[list[tuple[bytes | None, bytes]]]:
    pool = sound(name, by)
    for first in range(0, count, AT_ONCE):
        chosen = [by.choice(pool) for _ in range(min(AT_ONCE, count - first))]
        yield [(key and (mutated(key, by) if by.random() < 0.3 else key), mutated(value, by)) for key, value in chosen]


@pytest.mark.parametrize("name", DECODERS)
def test_mutated_records_are_read_or_kept_raw_with_a_reason(name: str) -> None:
    by = random.Random(name)
    topic = next(topic for topic, its in TOPICS.items() if its == name)
    readers = {side: KafkaRecords(f"kafka:{name}", side) for side in ("key", "value")[not decoder(name).has_keys :]}
    read = refused = 0
    for pairs in batches(name, by, COUNT // len(DECODERS)):
        keys, values = (pa.array(side, pa.binary()) for side in zip(*pairs, strict=True))
        for side, reader in readers.items():
            given = keys if side == "key" else values
            parsed = list(reader.parse(given, keys, topic))
            structures, raw, errors = (
                pa.concat_arrays([getattr(one, part) for one in parsed]) for part in ("array", "raw", "error")
            )
            assert len(structures) == len(given)
            bad = errors.is_valid()
            assert raw.filter(bad).equals(given.filter(bad)) and raw.null_count == errors.null_count
            assert structures.is_null().equals(bad)
            read, refused = read + errors.null_count, refused + len(errors) - errors.null_count
        for key, value in pairs[:: 1 if IS_NIGHT else 20]:
            try:
                decoder(name).value(value, key)
            except DataError as problem:
                assert problem.source == "value" and str(problem)
    assert read > COUNT // 100 and refused > COUNT // 100

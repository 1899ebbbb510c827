"""Lookups held against a running broker: what `find` says of its files is what the broker says of its topic."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from kformat.lookup import find_earliest, find_latest, find_max_timestamp, find_offset, find_timestamp
from kformat.partition import Segment, open_partition
from tests.judges.broker import Broker
from tests.judges.required import require

VERSION = "4.3.1"
TOPIC = "late"
RECORD_COUNT = 4000
START_MS, SPAN_MS = 1_700_000_000_000, 3_600_000
# Index files of 10 time entries make many segments of few records.
TOPIC_CONFIG = {"segment.index.bytes": "120", "index.interval.bytes": "200"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    require(VERSION)
    with Broker(VERSION, tmp_path_factory.mktemp("late"), lifetime_s=300) as broker:
        feed(broker)
        yield broker


def feed(broker: Broker) -> None:
    """Records with timestamps that rise on the whole and are out of order nearly everywhere."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    created = admin.create_topics([NewTopic(TOPIC, num_partitions=1, config=TOPIC_CONFIG)])
    created[TOPIC].result(60)
    rng = random.Random(7)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "batch.num.messages": 4, "linger.ms": 5})
    for number in range(RECORD_COUNT):
        timestamp = START_MS + number * SPAN_MS // RECORD_COUNT + rng.randint(-200_000, 200_000)
        producer.produce(TOPIC, b"%d" % number, partition=0, timestamp=timestamp)
        if not number % 500:
            producer.flush(60)
    assert producer.flush(60) == 0


def ask(broker: Broker, specs: list[Any]) -> list[tuple[int, int, int | None]]:
    """(offset, timestamp, leader epoch) as the broker answers each of them."""
    from confluent_kafka import IsolationLevel, TopicPartition
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    partition = TopicPartition(TOPIC, 0)
    asked: list[Future[Any]] = [
        admin.list_offsets({partition: spec}, isolation_level=IsolationLevel.READ_UNCOMMITTED)[partition]
        for spec in specs
    ]
    answers = [each.result(60) for each in asked]
    return [(answer.offset, answer.timestamp, answer.leader_epoch) for answer in answers]


def segments(broker: Broker) -> tuple[Segment, ...]:
    return open_partition(broker.data / f"{TOPIC}-0").segments


@pytest.mark.judge
@pytest.mark.broker
def test_a_thousand_timestamps(running: Broker) -> None:
    from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

    rng = random.Random(8)
    targets = [START_MS + rng.randint(-300_000, SPAN_MS + 300_000) for _ in range(1000)]
    found = segments(running)
    assert len(found) > 10
    answers = [find_timestamp(found, target) for target in targets]
    expected = ask(running, [OffsetSpec.for_timestamp(target) for target in targets])
    ours = [(a.offset, a.timestamp, a.leader_epoch) if a.found else (-1, -1, None) for a in answers]
    assert ours == expected
    assert not all(answer.found for answer in answers) and len({answer.segment for answer in answers}) > 10


@pytest.mark.judge
@pytest.mark.broker
def test_ends_and_the_largest_timestamp(running: Broker) -> None:
    from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

    found = segments(running)
    answers = [find(found) for find in (find_earliest, find_latest, find_max_timestamp)]
    expected = ask(running, [OffsetSpec.earliest(), OffsetSpec.latest(), OffsetSpec.max_timestamp()])
    assert [(answer.offset, answer.timestamp) for answer in answers] == [each[:2] for each in expected]
    assert (answers[0].offset, answers[1].offset) == (0, RECORD_COUNT)
    assert all(find_offset(found, offset).offset == offset for offset in range(0, RECORD_COUNT, 97))

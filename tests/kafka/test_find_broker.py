"""`find` against a live broker: the same answers as its own ListOffsets, while it runs and after it has stopped.

One broker of 4.4.0 on loopback holds topics of several segments: `late`, whose CreateTime runs out of order and whose
beginning has been deleted; `marked`, in whose log lie transaction markers, with times of the broker's clock; `sparse`,
which the cleaner has been through; `stamped`, where the broker sets the times; and `empty`. It is asked for the offset
of 1,000 timestamps of `late`, drawn with a seed, and of some of the others. kformat looks into the same directories:
first while the broker has them open, when the active segments' indexes are preallocated and their time indexes lag
behind, then after a clean stop.
"""

from __future__ import annotations

import importlib
import json
import random
import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.kafka.index.lookup import (
    Answer,
    find_earliest,
    find_latest,
    find_max_timestamp,
    find_offset,
    find_timestamp,
)
from kformat.kafka.log.partition import Partition, open_partition
from tests.judges import Broker, broker, releases
from tests.judges.required import require

# Not importorskip: the tests bring it, and without it what a broker says would go unasked without a word.
confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

VERSION = releases.NEWEST
SEED = 20260
BASE_MS = 1_700_000_000_000
TIMEOUT_S = 30
CODECS = ("none", "none", "gzip", "snappy", "lz4", "zstd")
SMALLEST_SEGMENT_BYTES = 1 << 20  # what a topic of 4.x may have

pytestmark = [pytest.mark.judge, pytest.mark.broker]


@dataclass(frozen=True)
class Topic:
    """A topic: its settings, and how many of its timestamps are asked for."""

    name: str
    config: dict[str, str]
    target_count: int


# The indexes are a megabyte where their default is ten: preallocated all the same, and read for each lookup.
COMMON = {"segment.index.bytes": "1048576"}
TOPICS = (
    Topic("late", {"segment.bytes": str(SMALLEST_SEGMENT_BYTES), "index.interval.bytes": "1024"}, 1000),
    Topic("marked", {"segment.ms": "120000", "index.interval.bytes": "300"}, 300),
    Topic(
        "sparse",
        {
            "cleanup.policy": "compact",
            "segment.ms": "60000",
            "min.cleanable.dirty.ratio": "0.01",
            "index.interval.bytes": "512",
        },
        300,
    ),
    Topic(
        "stamped", {"message.timestamp.type": "LogAppendTime", "segment.ms": "100", "index.interval.bytes": "100"}, 50
    ),
    Topic("empty", {}, 20),
)


@dataclass
class Asked:
    """One topic's directory and the broker's answers: by timestamp and special target, (offset, timestamp, epoch).

    ``consumed`` holds offset and timestamp of the records that a read_uncommitted consumer got, ``for_times`` what its
    offsetsForTimes gave: the offset, or a number below 0.
    """

    topic: str
    path: Path
    log_start_offset: int = 0
    by_timestamp: dict[int, tuple[int, int, int | None]] = field(default_factory=dict)
    by_name: dict[str, tuple[int, int, int | None]] = field(default_factory=dict)
    consumed: list[tuple[int, int]] = field(default_factory=list)
    for_times: dict[int, int] = field(default_factory=dict)


class Feed:
    """Writes batch after batch; each `batch` is one of Kafka's."""

    def __init__(self, bootstrap: str, source: random.Random) -> None:
        self.source = source
        common = {"bootstrap.servers": bootstrap, "linger.ms": 1000, "acks": "all", "log_level": 0}
        make = confluent_kafka.Producer
        self.plain = {codec: make(common | {"compression.type": codec}) for codec in dict.fromkeys(CODECS)}
        self.transactional = make(common | {"transactional.id": "marks"})
        self.transactional.init_transactions(TIMEOUT_S)

    def batch(self, producer: Any, topic: str, records: list[tuple[bytes, bytes, int]]) -> None:
        failures: list[object] = []
        for key, value, timestamp in records:
            producer.produce(
                topic, value, key, 0, lambda error, _: failures.append(error) if error else None, timestamp=timestamp
            )
        assert producer.flush(TIMEOUT_S) == 0 and not failures, (topic, failures[:1])

    def late(self, path: Path) -> None:
        """Four and a half segments in every codec, a second a record; records and whole batches hours early or late."""
        clock, number = BASE_MS, 0
        while sum(log.stat().st_size for log in path.glob("*.log")) < 4.5 * SMALLEST_SEGMENT_BYTES:
            shift = self.source.choice((0, 0, 0, 0, -3_600_000, 40_000, -7_200_000))
            records = []
            for _ in range(self.source.randint(1, 60)):
                clock, number = clock + 1000, number + 1
                jitter = self.source.choice((0, 0, 0, 0, 0, 0, 0, 0, 0, 2_000, -2_000, -1_800_000, 120_000))
                value = self.source.randbytes(self.source.randint(0, 60)) * 8
                records.append((b"%d" % number, value, clock + shift + jitter))
            self.batch(self.plain[self.source.choice(CODECS)], "late", records)
        # The largest of all, several times: the first one counts.
        for _ in range(2):
            self.batch(self.plain["none"], "late", [(b"last", b"", clock + by) for by in (0, 86_400_000, 86_400_000)])

    def marked(self) -> None:
        """Transactions, one in three aborted, between batches of others; times half a minute apart, so that it rolls.

        The markers carry the broker's own time, years above the records'.
        """
        for number in range(36):
            self.transactional.begin_transaction()
            stamp = BASE_MS + number * 30_000
            records = [(b"k", b"v" * 40, stamp + self.source.randint(-20_000, 20_000)) for _ in range(number % 4 + 1)]
            self.batch(self.transactional, "marked", records)
            (self.transactional.abort_transaction if number % 3 == 1 else self.transactional.commit_transaction)(
                TIMEOUT_S
            )
            self.batch(self.plain["none"], "marked", [(b"k", b"outside", stamp + 1)])

    def sparse(self) -> None:
        """Forty keys written over and over with jumping times, so that the cleaner leaves gaps everywhere."""
        for number in range(120):
            stamp = BASE_MS + number * 3_000
            records = [
                (b"%d" % self.source.randrange(40), b"x" * 50, stamp + self.source.randint(-30_000, 5_000))
                for _ in range(self.source.randint(1, 5))
            ]
            self.batch(self.plain["none"], "sparse", records)

    def stamped(self) -> None:
        """Times of the producer, to which nobody listens; the broker's clock goes on while the batches come in."""
        for number in range(12):
            records = [(b"k", b"v" * 30, BASE_MS - number) for _ in range(4)]
            self.batch(self.plain[CODECS[number % len(CODECS)]], "stamped", records)
            time.sleep(0.03)


def wait_for_cleaner(running: Broker, path: Path) -> None:
    """Until the cleaner has noted the partition and its files have rested for a while."""
    checkpoint = running.data / "cleaner-offset-checkpoint"
    deadline, seen, since = time.monotonic() + TIMEOUT_S, object(), time.monotonic()
    while time.monotonic() < deadline:
        state = sorted((entry.name, entry.stat().st_size) for entry in path.iterdir())
        if state != seen or not checkpoint.exists() or f"{path.name.rpartition('-')[0]} " not in checkpoint.read_text():
            seen, since = state, time.monotonic()
        elif time.monotonic() - since > 2:
            return
        time.sleep(0.1)
    raise TimeoutError("the cleaner did not finish")


def targets(source: random.Random, partition: Partition, count: int) -> list[int]:
    """Different timestamps of every kind: those of records and one beside, before, behind, and at segments' ends."""
    stamps, edges = [], {0, 1, BASE_MS - 1, BASE_MS, 2**62, 2**63 - 1}
    for segment in partition.segments:
        own = [record.timestamp for batch in segment.scan() for record in batch.records()]
        if own:
            stamps += own
            edges |= {edge + by for edge in (own[0], own[-1], min(own), max(own)) for by in (-1, 0, 1)}
        edges |= {entry + by for entry in segment.time_entries()["timestamp"].tolist()[-3:] for by in (-1, 0, 1)}
    stamps = stamps or [BASE_MS]
    low, high = min(stamps), max(stamps)
    found = dict.fromkeys(sorted(edges))
    while len(found) < count:
        # The last of these: where the records are, if not the markers.
        near = low + source.randint(-(10**5), 10**6)
        drawn = source.choice(stamps), source.choice(stamps) + source.choice((-1, 1)), source.randint(low, high), near
        found.update(dict.fromkeys(drawn))
    return list(found)[:count]


def ask(admin: Any, topic: str, specs: dict[Any, Any]) -> dict[Any, tuple[int, int, int | None]]:
    """The broker's answers to ListOffsets, for each key its own request.

    One after another: with hundreds under way the client was seen to die of a segmentation fault.
    """
    partition = confluent_kafka.TopicPartition(topic, 0)
    found = {}
    for key, spec in specs.items():
        info = admin.list_offsets({partition: spec}, request_timeout=TIMEOUT_S)[partition].result(TIMEOUT_S)
        found[key] = (info.offset, info.timestamp, info.leader_epoch)
    return found


def consume(bootstrap: str, topic: str) -> list[tuple[int, int]]:
    """Offset and timestamp of all records of a topic."""
    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": bootstrap, "group.id": "reader", "enable.auto.commit": False, "enable.partition.eof": True,
        "auto.offset.reset": "error", "log_level": 0, "isolation.level": "read_uncommitted",
    })  # fmt: skip
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
    found: list[tuple[int, int]] = []
    while (message := consumer.poll(TIMEOUT_S)) is not None and not message.error():
        found.append((message.offset(), message.timestamp()[1]))
    assert message is not None and message.error().name() == "_PARTITION_EOF", f"{topic} did not reach its end"
    consumer.close()
    return found


def offsets_for_times(bootstrap: str, topic: str, wanted: list[int]) -> dict[int, int]:
    """The answers as consumers ask for them: offsets alone, one timestamp of a partition in a request."""
    consumer = confluent_kafka.Consumer({"bootstrap.servers": bootstrap, "group.id": "times", "log_level": 0})
    found = {}
    for target in wanted:
        (answer,) = consumer.offsets_for_times([confluent_kafka.TopicPartition(topic, 0, target)], TIMEOUT_S)
        assert answer.error is None
        found[target] = answer.offset
    consumer.close()
    return found


def watch(running: Broker, admin: Any, asked: Asked, source: random.Random, count: int) -> None:
    """Ask the broker for everything about one topic."""
    spec = admin_client.OffsetSpec
    wanted = targets(source, open_partition(asked.path), count)
    asked.by_timestamp = ask(admin, asked.topic, {target: spec.for_timestamp(target) for target in wanted})
    names = {"earliest": spec.earliest(), "latest": spec.latest(), "max_timestamp": spec.max_timestamp()}
    asked.by_name = ask(admin, asked.topic, names)
    asked.consumed = consume(running.bootstrap, asked.topic)
    asked.for_times = offsets_for_times(running.bootstrap, asked.topic, wanted)


def compare(asked: Asked) -> None:
    """kformat's answers from the directory are the broker's: offset, timestamp, leader epoch."""
    partition = open_partition(asked.path)
    segments, epochs = partition.segments, partition.leader_epochs
    start = asked.log_start_offset
    different = []
    for target, answer in asked.by_timestamp.items():
        ours = triple(find_timestamp(segments, target, log_start_offset=start))
        if ours != answer:
            different.append((target, ours, answer))
    assert different == [], asked.topic
    assert {target: max(offset, -1) for target, offset in asked.for_times.items()} == {
        target: offset for target, (offset, _, _) in asked.by_timestamp.items()
    }
    assert triple(find_earliest(segments, log_start_offset=start, epochs=epochs)) == asked.by_name["earliest"]
    assert triple(find_latest(segments, epochs=epochs)) == asked.by_name["latest"]
    assert triple(find_max_timestamp(segments)) == asked.by_name["max_timestamp"]


def triple(answer: Answer) -> tuple[int, int, int | None]:
    """An answer as ListOffsets gives it; -1 for an offset and a time that there are not."""
    if answer.offset is None or answer.timestamp is None:
        return -1, -1, None
    return answer.offset, answer.timestamp, answer.leader_epoch


@pytest.fixture(scope="module")
def stopped() -> Iterator[dict[str, Asked]]:
    """The answers of a broker that has been compared with while it ran, and then stopped; its directories are there."""
    require(VERSION)
    source = random.Random(SEED)
    config = {"log.cleaner.backoff.ms": "200", "log.cleaner.dedupe.buffer.size": "10485760"}
    with broker(VERSION, config) as running:
        admin = admin_client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
        new = [admin_client.NewTopic(topic.name, 1, 1, config=COMMON | topic.config) for topic in TOPICS]
        for future in admin.create_topics(new).values():
            future.result(TIMEOUT_S)
        feed = Feed(running.bootstrap, source)
        asked = {topic.name: Asked(topic.name, running.data / f"{topic.name}-0") for topic in TOPICS}
        feed.sparse()
        feed.marked()
        feed.stamped()
        feed.late(asked["late"].path)
        first = confluent_kafka.TopicPartition("late", 0, 200)
        admin.delete_records([first])[first].result(TIMEOUT_S)
        asked["late"].log_start_offset = 200
        wait_for_cleaner(running, asked["sparse"].path)
        for topic in TOPICS:
            watch(running, admin, asked[topic.name], source, topic.target_count)
            compare(asked[topic.name])
        running.stop()
        yield asked


@pytest.mark.parametrize("topic", [topic.name for topic in TOPICS])
def test_find_equals_the_broker(stopped: dict[str, Asked], topic: str) -> None:
    """After a clean stop, when indexes are trimmed, the answers are still those that the broker gave, and ours then."""
    compare(stopped[topic])


@pytest.mark.parametrize("topic", ["marked", "sparse", "stamped", "empty"])
def test_the_command_equals_the_broker(stopped: dict[str, Asked], topic: str) -> None:
    """`kformat find` says it in JSON; its exit status tells whether there is an answer."""
    asked = stopped[topic]
    expected = {str(target): asked.by_timestamp[target] for target in list(asked.by_timestamp)[::4]}
    names = {"latest": "latest", "earliest": "earliest", "earliest-local": "earliest", "max": "max_timestamp"}
    expected |= {word: asked.by_name[name] for word, name in names.items()}
    for target, (offset, timestamp, epoch) in expected.items():
        done = CliRunner().invoke(main, ["find", str(asked.path), "--timestamp", target, "--format", "json"])
        found = json.loads(done.stdout)
        answer = (offset, timestamp, epoch) if offset >= 0 else (None, None, None)
        assert (found["offset"], found["timestamp"], found["leader_epoch"]) == answer, target
        assert done.exit_code == (0 if offset >= 0 else 1)


def test_what_was_asked(stopped: dict[str, Asked]) -> None:
    """Enough timestamps, found and not found, in all segments; out of order, with gaps, with a deleted beginning."""
    late = stopped["late"]
    assert len(late.by_timestamp) == 1000
    found = {offset for offset, _, _ in late.by_timestamp.values()}
    assert -1 in found and len(found) > 300
    assert min(found - {-1}) == late.log_start_offset == late.by_name["earliest"][0]
    segments = open_partition(late.path).segments
    assert len(segments) == 5
    for segment, end in zip(segments, [*(s.base_offset for s in segments[1:]), late.by_name["latest"][0]], strict=True):
        assert any(segment.base_offset <= offset < end for offset in found)
    assert {0, 1, 2, 3, 4} == {codec for segment in segments for codec in segment.headers().compression.tolist()}
    sparse = open_partition(stopped["sparse"].path)
    offsets = [record.offset for record in sparse.records()]
    assert len(sparse.segments) > 1 and len(offsets) < offsets[-1] // 2
    assert any(
        batch.is_control for segment in open_partition(stopped["marked"].path).segments for batch in segment.scan()
    )


@pytest.mark.parametrize("topic", [topic.name for topic in TOPICS])
def test_find_offset_equals_a_consumer(stopped: dict[str, Asked], topic: str) -> None:
    """From any offset on, the first record is the next one that the consumer got, or a marker that it is not shown."""
    asked = stopped[topic]
    segments = open_partition(asked.path).segments
    end = asked.by_name["latest"][0]
    for offset in range(asked.log_start_offset, end, max(1, end // 300)):
        answer = find_offset(segments, offset, log_start_offset=asked.log_start_offset)
        shown = bisect_left(asked.consumed, (offset,))
        following = asked.consumed[shown] if shown < len(asked.consumed) else None
        if (answer.offset, answer.timestamp) != following:
            (batch,) = (b for s in segments for b in s.scan() if answer.offset == b.base_offset and b.is_control)
            assert offset <= batch.base_offset and (following is None or batch.base_offset < following[0])
    assert asked.consumed or topic == "empty"
    assert not find_offset(segments, end).found
    assert not find_offset(segments, asked.log_start_offset - 1, log_start_offset=asked.log_start_offset).found

"""What the sink wrote is a broker's: real ones adopt it, serve it to consumers and to Spark's own source, go on in it.

One story per version (`Story`), in one root, which the broker and Spark have in turn:

1. A broker makes the topics, writes to one of them, and stops.
2. Spark writes into its root: all records of the samples with the offsets that they had, gaps and all; more behind what
   the broker wrote, without offsets; and one topic is overwritten. Beside them lies what a driver left that died.
3. The broker starts as on a clean root, a consumer and Spark's own source read everything, and each topic gets one more
   record; the broker stops.
4. The marker of the clean shutdown and the recovery points are taken away: the broker recovers all, and is asked again.
"""

from __future__ import annotations

import importlib
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kformat.check.checker import check
from kformat.kafka.log.partition import iter_partitions
from kformat.spark.commit import begin, make_folder, new_job, staged_name
from kformat.spark.jobs import write
from tests.judges import Broker, releases, spark_kafka
from tests.judges.required import require
from tests.samples import ROOT as SAMPLES
from tests.spark.test_plan import seen_by_a_consumer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("confluent_kafka", reason="confluent-kafka comes with the extra `test`")
confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

pytestmark = [pytest.mark.judge, pytest.mark.broker, pytest.mark.spark]

VERSIONS = (releases.OLDER, releases.NEWEST)
TIMEOUT_S = 60
APPENDED, OVERWRITTEN, SPREAD = "appended", "overwritten", "spread"
CONFIG = {"log.cleaner.dedupe.buffer.size": "10485760", "log.segment.delete.delay.ms": "1000"}
CLEAN_MARKER, RECOVERY_POINTS = ".kafka_cleanshutdown", "recovery-point-offset-checkpoint"

Row = tuple[Any, ...]
"""Topic, partition, offset, timestamp (ms), its type, key, value, headers."""


def rows_of(root: Path) -> list[Row]:
    """What our own reader finds in a root."""
    return [
        (
            *(partition.topic, partition.partition, record.offset, record.timestamp, int(record.timestamp_type)),
            *(record.key, record.value, tuple(record.headers)),
        )
        for partition in iter_partitions(root)
        if not partition.topic.startswith("__")
        for record in seen_by_a_consumer(partition)
    ]


def rows_of_table(table: Any) -> list[Row]:
    """Those that a Spark's source found."""
    import pyarrow as pa

    times = table.column("timestamp").cast(pa.int64()).to_pylist()
    return [
        (
            *(row["topic"], row["partition"], row["offset"], time_us // 1000, row["timestampType"]),
            *(row["key"], row["value"], tuple((one["key"], one["value"]) for one in row["headers"] or ())),
        )
        for row, time_us in zip(table.to_pylist(), times, strict=True)
    ]


def consumed(running: Broker, topics: dict[str, int]) -> list[Row]:
    """What a consumer gets of all partitions, to their ends."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": running.bootstrap,
            "group.id": "none",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "check.crcs": True,
            "log_level": 0,
        }
    )
    places = [
        confluent_kafka.TopicPartition(topic, number, confluent_kafka.OFFSET_BEGINNING)
        for topic, count in topics.items()
        for number in range(count)
    ]
    consumer.assign(places)
    rows, ended, deadline = list[Row](), set[tuple[str, int]](), time.monotonic() + TIMEOUT_S
    while len(ended) < len(places):
        assert time.monotonic() < deadline, f"{len(ended)} of {len(places)} partitions were read"
        for message in consumer.consume(500, 1):
            key = message.topic(), message.partition()
            if message.error() is not None:
                assert message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF, message.error()
                ended.add(key)
                continue
            kind, at = message.timestamp()
            # The client calls CreateTime 1 and LogAppendTime 2, and has no timestamp below 0.
            said = (*key, message.offset(), at, kind - 1)
            rows.append((*said, message.key(), message.value(), tuple(message.headers() or ())))
    consumer.close()
    return sorted(rows, key=lambda row: row[:3])


class Story:
    """What happened; see the module."""

    def __init__(self, version: str, directory: Path, spark: SparkSession) -> None:
        self.broker = Broker(version, directory, CONFIG)
        self.root, self.spark = self.broker.data, spark
        self.samples = spark.read.format("kformat").option("includeHeaders", "true").load(str(SAMPLES / "4.3.1"))
        counted = self.samples.groupBy("topic").agg({"partition": "max"}).collect()
        self.topics = {topic: last + 1 for topic, last in counted} | {APPENDED: 1, OVERWRITTEN: 2, SPREAD: 3}
        self.expected: list[Row] = []
        self.findings: list[str] = []
        self.found: dict[str, list[Row]] = {}
        self.staging: list[Path] = []

    def play(self) -> None:
        with self.broker as running:
            admin = admin_client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
            new = [admin_client.NewTopic(topic, count, 1) for topic, count in self.topics.items()]
            for future in admin.create_topics(new).values():
                future.result(TIMEOUT_S)
            self.produce([APPENDED, OVERWRITTEN], 300)
        self.write()
        self.expected = rows_of(self.root)
        self.findings = [
            str(finding)
            for partition in iter_partitions(self.root)
            for finding in check(partition.path)
            if finding.severity == "error"
        ]
        with self.broker as running:
            self.found["adopted"] = consumed(running, self.topics)
            if running.version == VERSIONS[-1]:
                names = ",".join(self.topics)
                (table,) = spark_kafka.read([spark_kafka.of_broker(running.bootstrap, subscribe=names)])
                self.found["by Spark's own source"] = rows_of_table(table)
            self.produce(list(self.topics), 1)
            self.wait_for_the_staging_to_go()
        (self.root / CLEAN_MARKER).unlink()
        (self.root / RECOVERY_POINTS).unlink()
        with self.broker as running:
            self.found["recovered"] = consumed(running, self.topics)

    def produce(self, topics: Sequence[str], count: int) -> None:
        producer = confluent_kafka.Producer({"bootstrap.servers": self.broker.bootstrap, "log_level": 0})
        for topic in topics:
            for number in range(count):
                producer.produce(topic, b"of the broker %d" % number, b"k", partition=0)
        assert producer.flush(TIMEOUT_S) == 0

    def write(self) -> None:
        root = str(self.root)
        write(self.samples, root, tasks=4, segment_bytes="150k", compression="lz4")
        spread = "cast(id as string) key", "repeat('value ', 20) value"
        more: DataFrame = self.spark.range(0, 5000, 1, 4).selectExpr(*spread)
        write(more, root, topic=APPENDED, compression="zstd")
        write(more, root, topic=SPREAD, segment_bytes="200k")
        write(more.limit(70), root, mode="overwrite", topic=OVERWRITTEN, num_partitions=1)
        begin(root, job := new_job())
        orphan = make_folder(root, job)
        Path(staged_name(str(orphan / "t-0-0"), "log")).write_bytes(b"half of a segment")
        (orphan / "new").mkdir()
        self.staging.append(orphan.parent)

    def wait_for_the_staging_to_go(self) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while any(folder.exists() for folder in self.staging) and time.monotonic() < deadline:
            time.sleep(0.2)


@pytest.fixture(scope="module", params=[pytest.param(VERSIONS[0], marks=pytest.mark.slow), VERSIONS[1]])
def story(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Story]:
    require(request.param)
    if request.param == VERSIONS[-1]:
        require(spark_kafka.NAME)
    directory = tmp_path_factory.mktemp("broker")
    told = Story(request.param, directory, spark)
    told.play()
    yield told
    shutil.rmtree(directory)


def test_what_was_written_is_sound_and_complete(story: Story) -> None:
    assert story.findings == []
    samples = {row[:3]: row for row in rows_of(SAMPLES / "4.3.1")}
    written = {row[:3]: row for row in story.expected}
    assert len(samples) > 5000
    mine = [row for row in samples.values() if row[:3] in written]
    # Compaction keeps records of transactions that were aborted; a source that reads them has written them, too.
    assert len(mine) == len(samples) and all(written[row[:3]] == row for row in mine)
    ends: dict[tuple[str, int], int] = {}
    for row in story.expected:
        ends[row[:2]] = row[2] + 1
    assert ends[APPENDED, 0] == 5300 and sum(ends[SPREAD, number] for number in range(3)) == 5000
    assert (ends[OVERWRITTEN, 0], (OVERWRITTEN, 1) in ends) == (70, False)


def test_a_consumer_gets_what_was_written(story: Story) -> None:
    assert comparable(story.found["adopted"]) == comparable(story.expected)


def test_sparks_own_source_reads_what_was_written(story: Story) -> None:
    if story.broker.version == VERSIONS[-1]:
        assert story.found["by Spark's own source"] == story.expected


def test_the_broker_goes_on_behind_it_and_recovers_it(story: Story) -> None:
    last: dict[str, int] = {}
    for row in story.expected:
        if row[1] == 0:
            last[row[0]] = row[2]
    recovered = story.found["recovered"]
    more = [row for row in recovered if row[6] == b"of the broker 0" and row[2] == last.get(row[0], -1) + 1]
    assert {row[0] for row in more} == set(story.topics)
    assert comparable([row for row in recovered if row not in more]) == comparable(story.expected)


def test_the_broker_removed_what_a_driver_left(story: Story) -> None:
    assert not any(folder.exists() for folder in story.staging)


def comparable(rows: list[Row]) -> list[Row]:
    """Without what the client does not tell: the type of a timestamp that there is not."""
    return [(*row[:4], row[4] if row[3] >= 0 else 0, *row[5:]) for row in rows]

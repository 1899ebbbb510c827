"""Our source beside Spark's own Kafka source, in one session: the broker runs, one asks it, the other reads its files.

The topics are those of the samples. What is compacted is left out: the cleaner might work between the two.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from kformat.kafka.producers.isolation import ISOLATION_LEVELS
from tests.judges import broker, releases, spark_kafka
from tests.judges.releases import version_tuple
from tests.judges.required import require

pytest.importorskip("confluent_kafka", reason="confluent-kafka comes with the extra `test`")
topics: Any = importlib.import_module("samples.topics")

pytestmark = [pytest.mark.broker, pytest.mark.spark, pytest.mark.slow]

VERSION = releases.NEWEST
TOPICS = [topic for topic in topics.TOPICS if topic.when == "clean" and not topic.compacted and topic.until > (4, 3)]
MIDDLE_MS = topics.BASE_TIMESTAMP_MS + 1000
CASES: dict[str, dict[str, str]] = {
    **{f"{level}, all topics": {"kafka.isolation.level": level, "subscribe": "*"} for level in ISOLATION_LEVELS},
    "offsets": {
        "assign": '{"plain":[1],"producer-zstd":[0]}',
        "startingOffsets": '{"plain":{"1":17},"producer-zstd":{"0":-2}}',
        "endingOffsets": '{"plain":{"1":-1},"producer-zstd":{"0":33}}',
    },
    "timestamps": {
        "subscribePattern": "late|plain|rolled-.*",
        "startingTimestamp": str(MIDDLE_MS),
        "endingTimestamp": str(MIDDLE_MS + 70_000),
        "startingOffsetsByTimestampStrategy": "latest",
    },
}


@pytest.fixture(scope="module")
def pairs() -> Iterator[dict[str, tuple[Any, Any]]]:
    """What each side read, by the name of the case."""
    require(spark_kafka.NAME)
    require(VERSION)
    with broker(VERSION) as running:
        topics.create(running.bootstrap, version_tuple(VERSION), TOPICS)
        topics.feed(running.bootstrap, version_tuple(VERSION), TOPICS)
        reads = []
        for options in CASES.values():
            if options.get("subscribe") == "*":
                options = options | {"subscribe": ",".join(topic.name for topic in TOPICS)}
            reads.append(spark_kafka.of_broker(running.bootstrap, **options))
            reads.append(spark_kafka.of_files(running.data, **options))
        tables = spark_kafka.read(reads)
    topics.OPEN.clear()
    yield dict(zip(CASES, zip(tables[::2], tables[1::2], strict=True), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_rows_are_those_of_sparks_own_source(pairs: dict[str, tuple[Any, Any]], case: str) -> None:
    theirs, ours = pairs[case]
    assert ours.schema.remove_metadata() == theirs.schema.remove_metadata()
    assert theirs.num_rows > 20
    assert ours.num_rows == theirs.num_rows
    assert ours.to_pylist() == theirs.to_pylist()


def test_what_was_read_has_everything(pairs: dict[str, tuple[Any, Any]]) -> None:
    """All topics with records; headers, nulls, both kinds of timestamps; and aborted transactions make a difference."""
    uncommitted, committed = (pairs[f"{level}, all topics"][0] for level in ("read_uncommitted", "read_committed"))
    assert set(uncommitted["topic"].to_pylist()) == {topic.name for topic in TOPICS} - {"empty"}
    assert 0 < uncommitted["headers"].null_count < uncommitted.num_rows
    assert uncommitted["key"].null_count > 0 and uncommitted["value"].null_count > 0
    assert set(uncommitted["timestampType"].to_pylist()) == {0, 1}
    assert 20 < uncommitted.num_rows - committed.num_rows < 200

"""Spark and the engine in one root: rows are equal in both isolation levels, a stream follows transactions, and the
engine goes on in folders of the sink.

The root is that of tests/engine/test_rows_of_all_readers.py.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kformat
from kformat.kafka.log.partition import iter_partitions
from kformat.spark.jobs import write
from kformat_engine import Log, LogManager
from tests.engine.committed_root import LEVELS, STATE, append_plain, fill, records_of, snapshot, transact
from tests.engine.logs import UnsyncedStorage
from tests.spark.test_plan import micros
from tests.spark.test_scan import collected, load
from tests.spark.test_stream import TIMEOUT_S, Sink, follow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ORDER = ["topic", "partition", "offset"]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LogManager]:
    with fill([tmp_path / "a", tmp_path / "b"]) as manager:
        yield manager


def expected(manager: LogManager, level: str) -> list[dict[str, Any]]:
    return [
        {
            "key": record.key,
            "value": record.value,
            "topic": topic,
            "partition": partition,
            "offset": record.offset,
            "timestamp": micros(record.timestamp),
            "timestampType": int(record.timestamp_type),
            "headers": [{"key": key, "value": value} for key, value in record.headers] or None,
        }
        for (topic, partition), records in sorted(records_of(manager, level).items())
        for record in records
    ]


def places(manager: LogManager, level: str) -> list[tuple[str, int, int]]:
    return [(row["topic"], row["partition"], row["offset"]) for row in expected(manager, level)]


def test_rows_are_those_of_the_engine(spark: SparkSession, live: LogManager, tmp_path: Path) -> None:
    """Next to the open manager, and in a closed copy; without the coordinator's topic, which is read when named."""
    closed = snapshot(live.directories, tmp_path / "copy")
    for paths, level in (live.directories, LEVELS[1]), (closed, LEVELS[0]), (closed, LEVELS[1]):
        options = {"includeHeaders": "true", "kafka.isolation.level": level}
        frame = load(spark, [str(path) for path in paths], **options)
        assert collected(frame, ORDER) == expected(live, level), (paths, level)
    states = [place.partition for place in live.partitions() if place.topic == STATE]
    named = load(spark, [str(path) for path in closed], subscribe=STATE)
    written = {(number, record.offset) for number in states for record in live.log(STATE, number).records()}
    assert {(row["partition"], row["offset"]) for row in collected(named, ORDER)} == written and len(states) > 1


@pytest.mark.long
def test_a_stream_has_each_committed_record_once(spark: SparkSession, live: LogManager, tmp_path: Path) -> None:
    """With a query that ends, one that runs, and one that is started again, while the engine goes on."""
    sink, checkpoint, both = Sink(), tmp_path / "checkpoint", tmp_path / "[ab]"
    options: dict[str, Any] = {
        "kafka.isolation.level": "read_committed",
        "columns": "topic,partition,offset",
    }

    def seen() -> Counter[tuple[str, int, int]]:
        return Counter(tuple(row) for row in sink.rows)

    follow(spark, both, checkpoint, sink, **options)
    assert seen() == Counter(places(live, "read_committed"))
    (opened,) = (one for one in live.transactions() if one.state == "Ongoing")
    before = len(sink.rows)
    for number in range(2):
        query = follow(spark, both, checkpoint, sink, ends=False, **options)
        try:
            for step in range(3):
                append_plain(live, 20 + step)
                transact(live, 20 + 3 * number + step, "abort" if step == 1 else "commit")
                query.processAllAvailable()
            if number == 0:
                assert len(sink.rows) == before + 6, "of views alone: the others wait for the open transaction"
                live.abort_transaction(opened.transactional_id)
            end, wanted = time.monotonic() + TIMEOUT_S, places(live, "read_committed")
            while len(sink.rows) < len(wanted) and time.monotonic() < end:
                query.processAllAvailable()
        finally:
            query.stop()
        assert seen() == Counter(wanted)
    assert len(sink.rows) > before + 30


def test_the_engine_goes_on_where_the_sink_wrote(spark: SparkSession, tmp_path: Path) -> None:
    """And the sink after the engine: no record is lost, none is there twice, and check finds nothing."""
    root = tmp_path / "logs"
    rows = "SELECT 't' topic, cast(id % 2 as int) partition, cast(id as string) value, 'k' key FROM range({}, {})"

    def values() -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {0: [], 1: []}
        for row in collected(load(spark, root, **{"kafka.isolation.level": "read_committed"}), ORDER):
            found[row["partition"]].append(row["value"])
        return found

    def findings() -> list[str]:
        return [str(one) for one in kformat.check(root)]

    write(spark.sql(rows.format(0, 40)), str(root), segment_bytes="1k")
    assert findings() == []
    for number in range(2):
        with Log.open(root / f"t-{number}", storage=UnsyncedStorage()) as log:
            assert log.start_offset == 0 and log.end_offset == 20
            log.append([b"plain"])
            log.producer("p").append([b"numbered"])
            with log.transaction("id") as t:
                t.append([b"committed"])
            t = log.transaction("id")
            t.append([b"aborted"])
            t.abort()
    assert findings() == []
    ours = [b"plain", b"numbered", b"committed"]
    assert values() == {number: [*(b"%d" % one for one in range(number, 40, 2)), *ours] for number in range(2)}
    write(spark.sql(rows.format(40, 60)), str(root))
    assert findings() == []
    then = {
        number: [
            *(b"%d" % one for one in range(number, 40, 2)),
            *ours,
            *(b"%d" % one for one in range(40 + number, 60, 2)),
        ]
        for number in range(2)
    }
    assert values() == then
    with LogManager.open([root], storage=UnsyncedStorage()) as manager:
        assert manager.refused == {}
        found = records_of(manager, "read_committed")
    assert {number: [one.value for one in found["t", number]] for number in range(2)} == then
    assert {path.path.name for path in iter_partitions(root)} > {"t-0", "t-1"}

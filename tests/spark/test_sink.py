"""The sink in a real Spark: what is written is read back equal, a job that fails leaves nothing, a stream commits once.

What rows become and what a commit does is shown without Spark in tests/spark/test_commit.py; executors that die and
tasks that run twice in tests/spark/test_cluster.py.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kformat.check.checker import check
from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.log.partition import iter_partitions
from kformat.spark.jobs import write
from kformat.storage.root_lock import LOCK_FILE
from tests.samples import ROOT as SAMPLES
from tests.spark.test_plan import batch, segment
from tests.spark.test_scan import collected, load

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ORDER = ["topic", "partition", "offset"]


def errors(root: Path) -> list[str]:
    """What `check` finds in a root, but for offsets that rows did not have."""
    return [
        str(finding)
        for partition in iter_partitions(root)
        for finding in check(partition.path)
        if finding.rule != "KF0008"
    ]


def left_over(root: Path) -> list[str]:
    return [name for name in os.listdir(root) if (named := parse_folder_name(name)) is not None and named.state]


def test_what_a_broker_wrote_comes_back_row_by_row(spark: SparkSession, tmp_path: Path) -> None:
    frame = load(spark, SAMPLES / "4.3.1", includeHeaders="true", includeMetadata="true")
    plain = [
        name for name in frame.columns if name in ("key", "value", "headers", *ORDER, "timestamp", "timestampType")
    ]
    write(frame, str(tmp_path / "logs"), tasks=3, segment_bytes="100k", compression="zstd", records_per_batch=50)
    back = load(spark, tmp_path / "logs", includeHeaders="true")
    expected = collected(frame.select(*plain), ORDER)
    assert len(expected) > 5000 and {row["timestampType"] for row in expected} == {0, 1}
    assert collected(back, ORDER) == expected
    assert errors(tmp_path / "logs") == [] and left_over(tmp_path / "logs") == []
    batches = load(spark, tmp_path / "logs", rows="batches").selectExpr("max(records_count)", "min(compression)")
    assert tuple(batches.first() or ()) == (50, "zstd")
    sizes = [one.size_bytes for partition in iter_partitions(tmp_path / "logs") for one in partition.segments]
    assert max(sizes) <= 100 << 10 and len(sizes) > 30


def test_offsets_are_assigned_where_there_are_none(spark: SparkSession, tmp_path: Path) -> None:
    """In the order of rows, behind what is there; with the words of Spark's Kafka sink."""
    for first in (0, 100):
        rows = spark.range(first, first + 100, 1, 4).selectExpr("cast(id as string) value", "'key' key")
        options = {"topic": "t", "kafka.bootstrap.servers": "elsewhere:9092", "kafka.compression.type": "lz4"}
        rows.write.format("kformat").mode("append").options(**options, numPartitions="3").save(str(tmp_path))
    (partition,) = iter_partitions(tmp_path)
    found = [(record.offset, int(record.value or b"")) for record in partition.records()]
    assert found == [(number, number) for number in range(200)]
    assert len(partition.segments) == 8 and errors(tmp_path) == []


def test_overwriting_replaces_the_partitions_that_rows_go_to(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.sql("SELECT 't' topic, cast(id % 2 as int) partition, id offset, 'v' value FROM range(10)")
    write(frame, str(tmp_path))
    write(frame.where("partition = 1 AND offset > 5"), str(tmp_path), mode="overwrite")
    found = [(row["partition"], row["offset"]) for row in collected(load(spark, tmp_path), ORDER)]
    assert found == [*((0, number) for number in range(0, 10, 2)), (1, 7), (1, 9)]
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ("SELECT 'v' valve, 't' topic", {}, "column 'valve' is none of a record's: did you mean value?"),
        ("SELECT 'v' value, 't' topic", {"segmentbites": "1"}, "did you mean segmentBytes?"),
        (
            "SELECT 'v' value, 't' topic, 9 - id offset FROM range(4)",
            {},
            "kformat.spark.jobs.write(df, path) sorts",
        ),
        ("SELECT if(id = 1999, NULL, 't') topic, 'v' value FROM range(2000)", {}, "1 rows have none"),
    ],
)
def test_what_is_refused_is_told_and_leaves_nothing(
    spark: SparkSession, tmp_path: Path, query: str, options: dict[str, str], message: str
) -> None:
    from pyspark.errors import PySparkException

    root = tmp_path / "logs"
    with pytest.raises(PySparkException) as caught:
        spark.sql(query).write.format("kformat").mode("append").options(**options).save(str(root))
    assert message in str(caught.value)
    assert not root.exists() or set(os.listdir(root)) == {LOCK_FILE}
    with pytest.raises(UsageError, match="expected append or overwrite"):
        write(spark.sql(query), str(root), mode="errorifexists")


def _fails_late(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a task; the task with the last of them fails when it has written them."""
    last = None
    for one in batches:
        last = one.column("value")[-1].as_py()
        yield one
    if last == "1999":
        raise RuntimeError("this task fails")


@pytest.mark.long
def test_a_job_that_fails_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    rows = spark.range(0, 2000, 1, 4).selectExpr("cast(id as string) value", "'t' topic")
    failing = rows.mapInArrow(_fails_late, rows.schema)
    with pytest.raises(PySparkException, match="this task fails"):
        write(failing, str(tmp_path))
    assert set(os.listdir(tmp_path)) == {LOCK_FILE}
    write(rows, str(tmp_path))
    with pytest.raises(PySparkException, match="this task fails"):
        write(failing, str(tmp_path), mode="overwrite")
    (partition,) = iter_partitions(tmp_path)
    assert sum(1 for _ in partition.records()) == 2000 and left_over(tmp_path) == []


def follow(spark: SparkSession, source: Path, sink: Path, checkpoint: Path, **options: str) -> Any:
    """A stream from logs to logs, until all is there; the query."""
    frame = spark.readStream.format("kformat").option("startingOffsets", "earliest").load(str(source))
    writer = frame.writeStream.format("kformat").option("checkpointLocation", str(checkpoint)).options(**options)
    query = writer.trigger(availableNow=True).start(str(sink))
    try:
        query.awaitTermination(60)
    except Exception:  # which the query has, too
        assert query.exception() is not None
    return query


@pytest.mark.long
def test_a_stream_writes_each_batch_once(spark: SparkSession, tmp_path: Path) -> None:
    """A commit dies between two segments, the query is started again, and the batch comes again."""
    source, logs, checkpoint = tmp_path / "source", tmp_path / "logs", tmp_path / "checkpoint"
    source_log = segment(source / "t-0", 0, *(batch(first) for first in range(0, 30, 3)))
    segment(source / "u-0", 0, batch(0))
    assert follow(spark, source, logs, checkpoint).exception() is None
    source_log.write_bytes(source_log.read_bytes() + b"".join(batch(first) for first in range(30, 60, 3)))
    segment(source / "w-0", 0, batch(0))
    # The folder into which the last segment of the next batch belongs cannot be made.
    (logs / "w-0").write_bytes(b"")
    assert "w-0" in str(follow(spark, source, logs, checkpoint).exception())
    (logs / "w-0").unlink()
    assert follow(spark, source, logs, checkpoint).exception() is None
    assert follow(spark, source, logs, checkpoint).exception() is None
    found = {partition.path.name: [one.offset for one in partition.records()] for partition in iter_partitions(logs)}
    assert found == {"t-0": [*range(60)], "u-0": [0, 1, 2], "w-0": [0, 1, 2]}
    assert errors(logs) == [] and left_over(logs) == []


def test_a_batch_that_was_committed_is_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    """The query dies behind the commit, in front of Spark's own note of it."""
    source, logs, checkpoint = tmp_path / "source", tmp_path / "logs", tmp_path / "checkpoint"
    segment(source / "t-0", 0, *(batch(first) for first in range(0, 30, 3)))
    assert follow(spark, source, logs, checkpoint).exception() is None
    shutil.rmtree(checkpoint / "commits")
    assert follow(spark, source, logs, checkpoint).exception() is None
    (partition,) = iter_partitions(logs)
    assert [record.offset for record in partition.records()] == [*range(30)]
    assert left_over(logs) == []


def test_a_stream_that_would_overwrite_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    frame = spark.readStream.format("rate").load().groupBy("value").count().selectExpr("'v' value")
    writer = frame.writeStream.format("kformat").outputMode("complete").option("topic", "t")
    with pytest.raises(PySparkException, match="a stream can only append"):
        query = writer.option("checkpointLocation", str(tmp_path / "c")).start(str(tmp_path / "logs"))
        query.processAllAvailable()
    for query in spark.streams.active:
        query.stop()

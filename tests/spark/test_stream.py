"""Streams in a real Spark: every record once, through restarts and failures.

What ends and limits are is shown without Spark in tests/spark/test_tail.py, a writer that goes on in
tests/spark/test_follow.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kformat
from tests.samples import ROOT as SAMPLES
from tests.spark.test_plan import batch, segment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

TIMEOUT_S = 60


class Sink:
    """Takes batches, and may be told to fail."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, list[Any]]] = []
        self.seen_at: list[float] = []
        self.failures: list[int] = []

    def __call__(self, frame: DataFrame, number: int) -> None:
        rows = frame.collect()
        self.seen_at.append(time.time())
        self.batches.append((number, rows))
        if number in self.failures:
            self.failures.remove(number)
            raise RuntimeError("the sink fails")

    @property
    def rows(self) -> list[Any]:
        return [row for _, rows in self.batches for row in rows]


def follow(
    session: SparkSession, path: Path, checkpoint: Path, sink: Callable[..., None], *, ends: bool = True, **options: str
) -> Any:
    """A query over a path; one that ends is waited for."""
    from pyspark.errors import StreamingQueryException

    options.setdefault("startingOffsets", "earliest")
    frame = session.readStream.format("kformat").options(**options).load(str(path))
    writer = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    query = (writer.trigger(availableNow=True) if ends else writer.trigger(processingTime="500 milliseconds")).start()
    if ends:
        with contextlib.suppress(StreamingQueryException):  # which is asked for where one is expected
            assert query.awaitTermination(TIMEOUT_S)
    return query


has_limits = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is not None and metadata.version("pyspark") < "4.2",
    reason="Spark before 4.2 has no limits",
)


@pytest.mark.long
@pytest.mark.parametrize(
    "limit",
    [
        {},
        pytest.param({"maxOffsetsPerTrigger": "100"}, marks=has_limits),
        pytest.param({"maxBytesPerTrigger": "9000"}, marks=has_limits),
    ],
    ids=str,
)
def test_what_is_there_comes_once_in_batches_as_small_as_asked(
    spark: SparkSession, tmp_path: Path, limit: dict[str, Any]
) -> None:
    sink = Sink()
    follow(
        spark, SAMPLES / "4.3.1", tmp_path / "checkpoint", sink, subscribe="plain", columns="partition,offset", **limit
    )
    expected = {
        (number, record.offset)
        for number in (0, 1)
        for record in kformat.open(SAMPLES / "4.3.1" / f"plain-{number}").records()
    }
    assert sorted(map(tuple, sink.rows)) == sorted(expected)
    assert len(sink.batches) == 1 if not limit else len(sink.batches) > 3
    assert "maxOffsetsPerTrigger" not in limit or max(len(rows) for _, rows in sink.batches) <= 100
    again = Sink()
    follow(
        spark, SAMPLES / "4.3.1", tmp_path / "checkpoint", again, subscribe="plain", columns="partition,offset", **limit
    )
    assert again.rows == []


@has_limits
def test_a_batch_that_failed_comes_again_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    root, checkpoint = tmp_path / "logs", tmp_path / "checkpoint"
    log = segment(root / "t-0", 0, *(batch(first) for first in range(0, 30, 3)))
    sink = Sink()
    sink.failures = [1]
    query = follow(spark, root, checkpoint, sink, maxOffsetsPerTrigger="9", columns="topic,offset")
    assert "the sink fails" in str(query.exception())
    assert [number for number, _ in sink.batches] == [0, 1]
    # Meanwhile the log grew, a torn batch lies behind it, and there is another partition.
    log.write_bytes(log.read_bytes() + batch(30) + batch(33)[:50])
    segment(root / "u-0", 7, batch(7))
    again = Sink()
    follow(spark, root, checkpoint, again, maxOffsetsPerTrigger="9", columns="topic,offset")
    assert again.batches[0] == sink.batches[1]
    rows = [tuple(row) for row in sink.batches[0][1] + again.rows]
    assert sorted(rows) == [("t", offset) for offset in range(33)] + [("u", offset) for offset in (7, 8, 9)]


def test_a_log_that_shrank_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    root, checkpoint, sink = tmp_path / "logs", tmp_path / "checkpoint", Sink()
    log = segment(root / "t-0", 0, batch(0), batch(3))
    follow(spark, root, checkpoint, sink)
    log.write_bytes(batch(0))
    query = follow(spark, root, checkpoint, sink)
    assert "t-0: it was read up to offset 6, and" in str(query.exception())


def test_files_that_are_gone_before_they_were_read_are_told(spark: SparkSession, tmp_path: Path) -> None:
    root, checkpoint, sink = tmp_path / "logs", tmp_path / "checkpoint", Sink()
    segment(root / "t-0", 0, batch(0), batch(3))
    follow(spark, root, checkpoint, sink)
    segment(root / "t-0", 20, batch(20))
    (root / "t-0" / f"{0:020}.log").unlink()
    query = follow(spark, root, checkpoint, sink)
    said = str(query.exception())
    assert "RecordsDeletedError: t-0: records were deleted before they were read: offset 6 was next" in said
    assert (
        "the log starts at offset 20" in said
        and "With failOnDataLoss=false the offsets that are there are read" in said
    )
    follow(spark, root, checkpoint, sink, failOnDataLoss="false")
    assert [row["offset"] for row in sink.rows] == [*range(6), 20, 21, 22]

"""A stream in a real Spark behind a writer that is killed now and then: every record once, for as long as CI asks.

It is a file of its own, so that others are run beside it: most of its time it waits.
"""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kformat
from kformat.errors import TruncatedError
from tests.spark.test_stream import Sink, follow
from tools.documents import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.long]

TAIL_S = float(os.environ.get("KFORMAT_STREAM_SECONDS", "10"))
"""For how long a writer is followed: CI and the nightly run follow it for longer."""


def test_a_writer_is_followed_through_kills_and_restarts(spark: SparkSession, tmp_path: Path) -> None:
    """The engine writes, is killed and started again; the query, too, is ended and started again: every record once, in
    order, soon after it was written."""
    root, checkpoint, sink = tmp_path / "logs", tmp_path / "checkpoint", Sink()
    folder = root / "orders-0"

    def writer() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "tests.stream_writer", str(folder)], cwd=ROOT)

    process, end = writer(), time.monotonic() + TAIL_S
    try:
        while not list(folder.glob("*.log")):
            time.sleep(0.1)
        rounds = 0
        while time.monotonic() < end or rounds < 2:
            query = follow(spark, root, checkpoint, sink, ends=False, columns="offset,value")
            time.sleep(TAIL_S / 3)
            assert query.isActive, query.exception()
            process.send_signal(signal.SIGKILL)
            process.wait()
            process = writer()
            time.sleep(TAIL_S / 6)
            query.stop()
            rounds += 1
    finally:
        process.kill()
        process.wait()
    seen = -1
    while len(sink.batches) > seen:  # before Spark 4.2, availableNow may end after the batch that was under way
        seen = len(sink.batches)
        follow(spark, root, checkpoint, sink, columns="offset,value")
    partition = kformat.open(folder)
    expected: list[tuple[int, bytes | None]] = []
    with contextlib.suppress(TruncatedError):  # the writer was killed: what it was about to write is not there
        for record in partition.records():
            expected.append((record.offset, record.value))
    # A query that is ended while a batch is in the sink has it again, with its number: a sink that knows numbers takes
    # it once.
    batches: dict[int, list[Any]] = {}
    for number, rows in sink.batches:
        assert batches.setdefault(number, rows) == rows
    found = [(row["offset"], bytes(row["value"])) for number in sorted(batches) for row in batches[number]]
    assert found == expected
    assert all(int((value or b"").split()[0]) == offset for offset, value in expected)
    assert len(expected) > 1000 and len(partition.segments) > 1
    delays = [
        seen - float(bytes(row["value"]).split()[1])
        for seen, (_, rows) in zip(sink.seen_at, sink.batches, strict=True)
        for row in rows
    ]
    print(
        f"{len(expected)} records in {len(sink.batches)} batches, {statistics.median(delays):.2f} s behind the writer"
    )

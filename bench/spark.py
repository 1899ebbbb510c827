"""The same topic read in Spark by kformat, from its files, and by Spark's own Kafka source 4.2.0, from the broker
that serves them: both in one session of Spark 4.2.0 with `local[2]`, warm, by turns; wall-clock seconds, and CPU
seconds of all processes, the broker's too. Session, tasks and broker share two processors. The topic has one partition
of 9.3 million records, keys of 10 and values of 100 bytes that do not repeat, uncompressed; those in lz4 and zstd have
2 million. Files are in the page cache. *Defaults* of Spark's source are what it does without options, with one task,
and with `minPartitions` of 2; its *best* are the options found for it: `minPartitions` of 2, `kafka.max.poll.records`
of 5000, larger fetches, and `kafka.fetch.max.wait.ms` of 10. kformat has two tasks, too, by `splitBytes` of 2g and
`minPartitions` of 2. Native Parquet has the same rows without dictionaries, in Spark's own codec and files. Before
anything is timed, all have given the same rows: count, sums and a checksum of all columns. What it does not show:
disks, networks, and a broker on processors of its own.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.columns import RECORDS, START_MS, from_disk, write_log
from bench.jvm import VERSION
from kformat.kafka.files.file_kinds import file_name
from tests.judges import spark_kafka
from tests.judges.broker import Broker
from tests.judges.required import IS_FAILURE, why_missing

MOST_ROUNDS = 5
BATCHES: Final = {"uncompressed": 67_884, "lz4": 14_600, "zstd": 14_600}
SMALL_BATCHES: Final = 200
BATCH_BYTES: Final = 16_384
STREAM_SECONDS: Final = 30
TIMEOUT_S: Final = 3600

BARS: Final[Mapping[tuple[str, str], float]] = {
    ("all columns, uncompressed", "Spark's source, 2 tasks"): 3,
    ("all columns, uncompressed", "Spark's source, best"): 1.5,
    ("all columns, lz4", "Spark's source, best"): 1.5,
    ("all columns, zstd", "Spark's source, best"): 1.5,
    ("sum(length(value))", "Spark's source, best"): 2.4,
    ("count()", "Spark's source, best"): 3,
}
"""How many times as long as kformat somebody else has to take, at the least."""
RANGE: Final = "a thousandth by time"
MOST_OF_BYTES, MOST_SECONDS, MOST_DELAY_S = 0.01, 0.5, 0.6
"""Of the range: what of the log the plan has read, and the answer's time. Of the stream: the median delay."""


def why_not_here() -> str | None:
    """Why this cannot be measured here; None where it can. SystemExit where judges are required."""
    reason = why_missing(VERSION) or why_missing(spark_kafka.NAME)
    if reason is not None and IS_FAILURE:
        raise SystemExit(reason)
    return reason


def text(rounds: int) -> str:
    """Markdown: the tables. One round is of few records, and shows that the answers are the same."""
    if rounds == 1:
        with processors(2), topics(is_small=True) as ground:
            return tables(measure(ground, rounds), {})
    load = os.getloadavg()[0]  # of others, as yet
    with processors(2), topics(is_small=False) as ground:
        told = tables(measure(ground, rounds), BARS)
    return f"{told}\n\nOther work on the machine when this began: a load of {load:.1f}."


def measure(ground: Mapping[str, Any], rounds: int) -> dict[str, Any]:
    """Have `bench.spark_session` measure in the judge's environment; returns what it says, from JSON."""
    asked = json.dumps({**ground, "rounds": rounds})
    answer = spark_kafka.run("bench.spark_session", stdin=asked, timeout_s=TIMEOUT_S, shows_errors=True)
    return dict(json.loads(answer.splitlines()[-1]))


@contextmanager
def processors(count: int) -> Iterator[None]:
    """For as long as it takes, what is started has so many processors, whatever it had before."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def topics(*, is_small: bool) -> Iterator[dict[str, Any]]:
    """A broker that has the topics, for as long as it takes: what `bench.spark_session` has to know of them.

    The broker makes them; then it is stopped, gets our log for its own, and, having lost its mark of a clean end, goes
    over it and makes the indexes.
    """
    client = importlib.import_module("confluent_kafka.admin")
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as work:
        running = Broker(VERSION, Path(work) / "broker", lifetime_s=TIMEOUT_S, is_fast=True)
        try:
            running.start()
            # One segment each, as large as they come: how ours are cut into two tasks is part of what is measured.
            config = {"segment.bytes": str((1 << 31) - 1), "retention.ms": "-1"}
            new = [client.NewTopic(name, 1, 1, config=config) for name in BATCHES]
            admin = client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
            for created in admin.create_topics(new).values():
                created.result(30)
            del admin
            running.stop()
            records = {}
            for name, batches in BATCHES.items():
                batches = SMALL_BATCHES if is_small else batches
                codec = "none" if name == "uncompressed" else name
                log = write_log(Path(work) / "written" / f"{name}-0", codec, batches * BATCH_BYTES)
                from_disk(log)
                for path in (running.data / f"{name}-0").glob(f"{log.stem}.*"):
                    path.unlink()
                log.rename(running.data / f"{name}-0" / file_name(0, "log"))
                records[name] = batches * RECORDS
            (running.data / ".kafka_cleanshutdown").unlink()
            running.start()
            yield {
                "bootstrap": running.bootstrap,
                "root": str(running.data),
                "scratch": work,
                "records": records,
                "start_ms": START_MS,
                "is_small": is_small,
                "stream_seconds": 5 if is_small else STREAM_SECONDS,
            }
            running.stop()
        finally:
            running.kill()


def tables(measured: Mapping[str, Any], bars: Mapping[tuple[str, str], float]) -> str:
    """Markdown: a row per case and way, and what is no comparison. Where ``bars`` are none, nothing is measured by
    them."""
    lines = [
        "| work | by | s | million records/s | kformat = 1 | min-max | bar | CPU s |",
        "|---|---|---:|---:|---:|---:|---|---:|",
    ]
    for case in measured["cases"]:
        ours = statistics.median(next(iter(case["seconds"].values())))
        for way, seconds in case["seconds"].items():
            median = statistics.median(seconds)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            bar = bars.get((case["name"], way))
            lines.append(
                f"| {case['name']} | {way} | {median:.2f} | {case['count'] / median / 1e6:.2g} | {median / ours:.3g} "
                f"| {spread} | {'' if bar is None else held(f'≥ {bar:g}', median / ours >= bar)} "
                f"| {statistics.median(case['cpu'][way]):.2f} |"
            )
    if not bars:
        return "\n".join(lines)
    share, stream, seconds = measured["range_share"], measured["stream"], _median(measured, RANGE, "kformat")
    bytes_told = held(f"≤ {MOST_OF_BYTES:.0%}", share <= MOST_OF_BYTES)
    seconds_told = held(f"< {MOST_SECONDS} s", seconds < MOST_SECONDS)
    delay_told = held(f"< {MOST_DELAY_S} s", stream["median_s"] < MOST_DELAY_S)
    lines += [
        "",
        f"Of the log, the plan for {RANGE} has {share:.2%} read (bar: {bytes_told}), and the answer takes"
        f" {seconds:.2f} s (bar: {seconds_told}). A stream follows an engine's writer, {stream['records']:,} records in"
        f" {stream['batches']} batches in {measured['stream_seconds']} s: from a record's append until `foreachBatch`"
        f" has its row in the driver, {stream['median_s']:.2f} s in the median (bar: {delay_told}), at most"
        f" {stream['p90_s']:.2f} s for nine of ten.",
    ]
    return "\n".join(lines)


def _median(measured: Mapping[str, Any], name: str, way: str) -> float:
    (seconds,) = (case["seconds"][way] for case in measured["cases"] if case["name"] == name)
    return statistics.median(seconds)


def held(bar: str, is_met: bool) -> str:
    """A bar, and whether it is missed."""
    return bar if is_met else f"{bar}, **missed**"

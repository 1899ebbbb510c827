"""Run by `bench.spark` in the environment of `tests.judges.spark_kafka`: measures both sources in one session.

What there is to read comes as JSON on standard input, what was measured leaves as JSON on standard output. A case is a
function that takes the `Ground` and gives what `bench.compare` runs; it stands in `CASES`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bench.compare import Case, run
from kformat.spark import session
from kformat.spark.options import parse_options
from kformat.spark.plan import plan
from tests.judges.jars import ROOT
from tests.judges.spark_kafka import settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TASKS = 2
OURS = {"splitBytes": "2g", "minPartitions": str(TASKS)}
BEST = {
    "minPartitions": str(TASKS),
    "kafka.max.poll.records": "5000",
    "kafka.max.partition.fetch.bytes": "10485760",
    "kafka.fetch.max.bytes": "52428800",
    "kafka.receive.buffer.bytes": "1048576",
    "kafka.fetch.max.wait.ms": "10",  # at its 500, scans up to the end of a topic take up to half a second more
}
THEIRS = {
    "Spark's source, defaults": {},
    "Spark's source, 2 tasks": {"minPartitions": str(TASKS)},
    "Spark's source, best": BEST,
}
WARM_UP_S = 3
"""How much of a stream is left out at its beginning."""

Frames = dict[str, Callable[[], "DataFrame"]]


@dataclass(frozen=True)
class Ground:
    """What there is to read.

    Attributes:
        bootstrap, root: of the broker, and its log directory.
        scratch: a folder for what is made on the way.
        records: how many a topic has; record number n has the timestamp ``start_ms`` + n.
    """

    spark: SparkSession
    bootstrap: str
    root: Path
    scratch: Path
    records: dict[str, int]
    start_ms: int
    stream_seconds: int
    is_small: bool

    def ours(self, topic: str, schema: str | None = None, **options: str) -> DataFrame:
        reader = self.spark.read.format("kformat").options(**OURS, **options)
        return (reader if schema is None else reader.schema(schema)).load(str(self.root / f"{topic}-0"))

    def theirs(self, topic: str, **options: str) -> DataFrame:
        reader = self.spark.read.format("kafka").option("kafka.bootstrap.servers", self.bootstrap)
        return reader.option("subscribe", topic).options(**options).load()

    def parquet(self, topic: str) -> DataFrame:
        """The rows of a topic in Parquet, made at the first call."""
        folder = self.scratch / f"{topic}.parquet"
        if not folder.exists():
            self.ours(topic).write.option("parquet.enable.dictionary", "false").parquet(str(folder))
        return self.spark.read.parquet(str(folder))

    def all_of(self, topic: str, *ways: str, schema: str | None = None) -> Frames:
        """Ours, and Spark's source in some of ``THEIRS``."""
        frames: Frames = {"kformat": partial(self.ours, topic, schema)}
        return frames | {way: partial(self.theirs, topic, **THEIRS[way]) for way in ways}

    def case(self, name: str, topic: str, ways: Mapping[str, Callable[[], Any]], count: int | None = None) -> Case:
        size = sum(path.stat().st_size for path in (self.root / f"{topic}-0").glob("*.log"))
        count = self.records[topic] if count is None else count
        # With something to be done before, work is not tried to see how often it has to be repeated: it never has.
        return Case(name, "wall", count, size, ways, before=lambda: None)


def fingerprint(frame: DataFrame) -> tuple[Any, ...]:
    """What tells whether two frames have the same rows, in whatever order."""
    from pyspark.sql import functions as F

    names = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
    row = frame.agg(
        F.count("*"),
        F.sum("offset"),
        F.min("timestamp"),
        F.max("timestamp"),
        F.sum(F.length("key")),
        F.sum(F.length("value")),
        F.bit_xor(F.xxhash64(*names)),
    ).first()
    assert row is not None
    return tuple(row)


def same_rows(frames: Frames, count: int) -> None:
    """AssertionError unless all frames have the same rows, and as many as there should be."""
    (first, expected), *others = ((way, fingerprint(frame())) for way, frame in frames.items())
    assert expected[0] == count, f"{first}: {expected[0]} records, not {count}"
    for way, found in others:
        assert found == expected, f"{way}: {found}, {first}: {expected}"


def noop(frame: Callable[[], DataFrame]) -> None:
    frame().write.format("noop").mode("overwrite").save()


def sum_of(frame: Callable[[], DataFrame], expression: str) -> int:
    row = frame().selectExpr(f"sum({expression})").first()
    assert row is not None
    return int(row[0])


def counted(frame: Callable[[], DataFrame]) -> int:
    return frame().count()


def scan(topic: str, ground: Ground) -> Case:
    """All columns, to nowhere."""
    frames = ground.all_of(topic, *THEIRS) if not ground.is_small else ground.all_of(topic, "Spark's source, best")
    if topic == "uncompressed":
        frames["native Parquet"] = partial(ground.parquet, topic)
    same_rows(frames, ground.records[topic])
    tasks = {way: frame().rdd.getNumPartitions() for way, frame in frames.items()}
    assert tasks["kformat"] == tasks["Spark's source, best"] == TASKS, tasks
    return ground.case(f"all columns, {topic}", topic, {way: partial(noop, frame) for way, frame in frames.items()})


def lengths(ground: Ground) -> Case:
    frames = ground.all_of("uncompressed", "Spark's source, best", schema="value binary")
    frames["native Parquet"] = partial(ground.parquet, "uncompressed")
    ways = {way: partial(sum_of, frame, "length(value)") for way, frame in frames.items()}
    return ground.case("sum(length(value))", "uncompressed", ways)


def count(ground: Ground) -> Case:
    frames = ground.all_of("uncompressed", "Spark's source, best", schema="offset bigint")
    frames["native Parquet"] = partial(ground.parquet, "uncompressed")
    ways: dict[str, Callable[[], Any]] = {way: partial(counted, frame) for way, frame in frames.items()}
    batches = partial(ground.ours, "uncompressed", rows="batches")
    ways["kformat, sum(records_count) of rows=batches"] = partial(sum_of, batches, "records_count")
    return ground.case("count()", "uncompressed", ways)


def _range(ground: Ground) -> tuple[int, dict[str, str]]:
    """How many records the range has, and the options that ask for it."""
    total = ground.records["uncompressed"]
    start, records = ground.start_ms + total * 6 // 10, total // 1000
    return records, {"startingTimestamp": str(start), "endingTimestamp": str(start + records)}


def by_time(ground: Ground) -> Case:
    records, options = _range(ground)
    frames: Frames = {
        "kformat": partial(ground.ours, "uncompressed", **options),
        "Spark's source, best": partial(ground.theirs, "uncompressed", **BEST, **options),
    }
    same_rows(frames, records)
    ways = {way: partial(noop, frame) for way, frame in frames.items()}
    return ground.case("a thousandth by time", "uncompressed", ways, records)


def range_share(ground: Ground) -> float:
    """What of the log the plan for a range of time has read."""
    folder = ground.root / "uncompressed-0"
    tasks = plan(parse_options({**OURS, **_range(ground)[1], "path": str(folder)}))
    read = sum(split.size_bytes for task in tasks for split in task)
    return read / sum(path.stat().st_size for path in folder.glob("*.log"))


def stream(ground: Ground) -> dict[str, float]:
    """Seconds from a record's append by an engine to its row in the driver. AssertionError unless each came once."""
    folder, delays, offsets, batches = ground.scratch / "stream" / "ticks-0", list[float](), list[int](), 0
    begun = time.time()

    def take(frame: DataFrame, number: int) -> None:
        nonlocal batches
        rows = frame.collect()
        now = time.time()
        offsets.extend(row["offset"] for row in rows)
        if now - begun > WARM_UP_S:
            batches += 1
            delays.extend(now - float(bytes(row["value"]).split()[1]) for row in rows)

    command = [sys.executable, "-m", "tests.stream_writer", str(folder)]
    with subprocess.Popen(command, cwd=ROOT) as writer:
        try:
            while not list(folder.glob("*.log")):
                assert writer.poll() is None, "the writer ended"
                time.sleep(0.1)
            options = {"startingOffsets": "earliest", "columns": "offset,value"}
            frame = ground.spark.readStream.format("kformat").options(**options).load(str(folder))
            out = frame.writeStream.foreachBatch(take).option("checkpointLocation", str(ground.scratch / "checkpoint"))
            query = out.trigger(processingTime="0 seconds").start()
            begun = time.time()
            time.sleep(ground.stream_seconds)
            assert query.isActive, query.exception()
        finally:
            writer.kill()
    query.processAllAvailable()  # a batch that is cut short leaves a trace as long as the log
    query.stop()
    assert offsets == list(range(len(offsets))) and delays
    p90 = statistics.quantiles(delays, n=10)[-1]
    return {"records": len(delays), "batches": batches, "median_s": statistics.median(delays), "p90_s": p90}


def cpu_seconds() -> dict[int, float]:
    """CPU time so far of the process that started this one and of all below it, by their ids: session, workers and
    broker. Nothing where /proc does not tell."""
    parents, seconds = dict[int, int](), dict[int, float]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it ended
            continue
        pid = int(path.parent.name)
        parents[pid], seconds[pid] = int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_ours(pid: int) -> bool:
        return pid == top or (pid in parents and is_ours(parents[pid]))

    top = os.getppid()
    return {pid: spent for pid, spent in seconds.items() if is_ours(pid)}


def metered(work: Callable[[], Any], spent: list[float]) -> Any:
    """Do some work, and note the CPU time that it took; that of processes which ended meanwhile is not known."""
    before = cpu_seconds()
    answer = work()
    spent.append(sum(seconds - before.get(pid, 0) for pid, seconds in cpu_seconds().items()))
    return answer


CASES: tuple[Callable[[Ground], Case], ...] = (
    *(partial(scan, topic) for topic in ("uncompressed", "lz4", "zstd")),
    lengths,
    count,
    by_time,
)


def main() -> None:
    with os.fdopen(os.dup(2), "w") as shown:
        asked = json.load(sys.stdin)
        with open(
            Path(asked["scratch"]) / "session.log", "w"
        ) as log:  # Spark tells of workers that it ends for having nothing to do, and of more
            os.dup2(log.fileno(), 2)
        try:
            measure(asked, shown)
        except BaseException:
            traceback.print_exc(file=shown)
            raise


def measure(asked: dict[str, Any], shown: TextIO) -> None:
    """Measure everything, and print it as JSON; how far it has got is shown."""
    spark = session(
        "bench",
        master=f"local[{TASKS}]",
        settings={
            "spark.driver.memory": "2g",
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": str(TASKS),
            "spark.sql.warehouse.dir": str(Path(asked["scratch"]) / "warehouse"),
            "spark.ui.enabled": "false",
            **settings(),
        },
        quiet=True,
    )
    ground = Ground(
        spark,
        asked["bootstrap"],
        Path(asked["root"]),
        Path(asked["scratch"]),
        asked["records"],
        asked["start_ms"],
        asked["stream_seconds"],
        asked["is_small"],
    )
    answers = []
    for make in CASES:
        case = make(ground)
        cpu: dict[str, list[float]] = {way: [] for way in case.ways}
        ways = {way: partial(metered, work, cpu[way]) for way, work in case.ways.items()}
        result = run(replace(case, ways=ways), asked["rounds"])
        cpu = {way: spent[-asked["rounds"] :] for way, spent in cpu.items()}
        told = {"name": case.name, "count": case.count, "size_bytes": case.size_bytes}
        answers.append({**told, "seconds": result.seconds, "cpu": cpu})
        medians = {way: round(statistics.median(seconds), 2) for way, seconds in result.seconds.items()}
        print(f"{case.name}: {medians}", file=shown, flush=True)
    others = {"stream": stream(ground), "stream_seconds": ground.stream_seconds, "range_share": range_share(ground)}
    spark.stop()
    print(json.dumps({"cases": answers, **others}))


if __name__ == "__main__":
    main()

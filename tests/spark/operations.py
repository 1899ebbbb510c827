"""What a pipeline does with kformat, operation by operation, with a digest of the rows of each: so that rows of one
Spark can be held next to those of another, however it is reached.

    python -m tests.spark.operations LOGS SCRATCH [--remote URL] [--master URL] [--artifact FILE] [--set KEY=VALUE]...
                                     [--only NAME;...]

prints a line of JSON: name -> number of rows and digest, or the error. LOGS and SCRATCH are folders that the workers
see.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from kformat.spark import jobs, session

Operation = Callable[[Any, str, Path], Any]
"""A session, the folder of logs, a folder of its own -> a DataFrame, or rows."""
TOPIC: Final = "compacted"
DECLARED: Final = "offset_index"


def _load(spark: Any, logs: str, **options: Any) -> Any:
    return spark.read.format("kformat").options(**options).load(logs)


def _read(**options: Any) -> Operation:
    return lambda spark, logs, scratch: _load(spark, logs, **options)


def _where(condition: str, **options: Any) -> Operation:
    return lambda spark, logs, scratch: _load(spark, logs, **options).where(condition)


def _damaged(logs: str, scratch: Path) -> str:
    """A copy of a partition with 200 bytes of zeros in its log."""
    shutil.copytree(Path(logs) / "rolled-by-bytes-0", scratch / "damaged" / "rolled-by-bytes-0")
    log = min((scratch / "damaged" / "rolled-by-bytes-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[3000:3200] = bytes(200)
    log.write_bytes(data)
    return str(scratch / "damaged")


def _skipping(how: str) -> Operation:
    return lambda spark, logs, scratch: _load(spark, _damaged(logs, scratch), onCorrupt=how)


def _streamed(spark: Any, logs: str, scratch: Path) -> Any:
    """Twice with one checkpoint: nothing comes twice."""
    for _ in range(2):
        stream = spark.readStream.format("kformat").options(startingOffsets="earliest")
        query = (
            stream.load(logs)
            .selectExpr("topic", "partition", "offset", "value")
            .writeStream.format("parquet")
            .option("checkpointLocation", str(scratch / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(scratch / "streamed"))
        )
        query.awaitTermination()
    return spark.read.parquet(str(scratch / "streamed"))


def _stream_to_segments(spark: Any, logs: str, scratch: Path) -> Any:
    stream = spark.readStream.format("kformat").options(startingOffsets="earliest", subscribe=TOPIC).load(logs)
    query = (
        stream.selectExpr("key", "value", "'copied' AS topic", "0 AS partition")
        .writeStream.format("kformat")
        .option("checkpointLocation", str(scratch / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(scratch / "segments"))
    )
    query.awaitTermination()
    return _load(spark, str(scratch / "segments")).drop("timestamp")


def _written(**how: Any) -> Operation:
    def operation(spark: Any, logs: str, scratch: Path) -> Any:
        rows = _load(spark, logs, includeHeaders="true", subscribe=f"{TOPIC},headers")
        for _ in range(2 if how.get("mode") == "overwrite" else 1):
            jobs.write(rows, str(scratch / "written"), **how)
        return _load(spark, str(scratch / "written"), includeHeaders="true")

    return operation


def _to_parquet(spark: Any, logs: str, scratch: Path) -> Any:
    jobs.to_parquet(spark, logs, str(scratch / "parquet"))
    return spark.read.parquet(str(scratch / "parquet"))


def _reindexed(is_dry: bool) -> Operation:
    def operation(spark: Any, logs: str, scratch: Path) -> Any:
        shutil.copytree(logs, scratch / "logs")
        for index in sorted((scratch / "logs").rglob("*.index"))[::2]:
            index.write_bytes(index.read_bytes()[:-8] if index.stat().st_size else b"\1" * 8)
        made = jobs.reindex(spark, str(scratch / "logs"), rules=jobs.Rules(dry_run=is_dry)).collect()
        return [tuple(row) for row in made] + _files(scratch / "logs", "*.index")

    return operation


def _files(folder: Path, pattern: str) -> list[tuple[str, str]]:
    return [
        (str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.rglob(pattern))
    ]


def _salvaged(spark: Any, logs: str, scratch: Path) -> Any:
    rows = jobs.salvage(spark, _damaged(logs, scratch), str(scratch / "saved")).collect()
    return [tuple(row) for row in rows] + _files(scratch / "saved", "*.log")


def _corpus(spark: Any, logs: str, scratch: Path) -> Any:
    jobs.corpus(spark, str(scratch / "corpus"), seed=7, count=2, only=("attributes-none-create-idempotent",))
    return _files(scratch / "corpus", "*.log")


def _bulk(spark: Any, logs: str, scratch: Path) -> Any:
    jobs.bulk(spark, str(scratch / "bulk"), jobs.Bulk(size_bytes=1 << 20, partitions=2, segment_bytes=1 << 18))
    return _files(scratch / "bulk", "*.log")


def _checked(spark: Any, logs: str, scratch: Path) -> Any:
    return jobs.check(spark, _damaged(logs, scratch)).drop("file")


def _declared(spark: Any, logs: str, scratch: Path) -> Any:
    indexes = [str(path) for path in sorted(Path(logs).rglob("*.index")) if path.stat().st_size]
    return jobs.read(spark, indexes[:3], declaration=DECLARED)


OPERATIONS: Final[dict[str, Operation]] = {
    "records": _read(),
    "headers": _read(includeHeaders="true"),
    "metadata": _read(includeMetadata="true"),
    "some columns": lambda spark, logs, scratch: _load(spark, logs).select("offset", "value"),
    "batches": _read(rows="batches"),
    "segments": lambda spark, logs, scratch: _load(spark, logs, rows="segments").selectExpr("* EXCEPT (segment)"),
    "index entries": _read(rows="index"),
    "by topic": _where(f"topic = '{TOPIC}'"),
    "by offset": _where("offset BETWEEN 20 AND 60"),
    "by time": _where("timestamp >= '2020-01-01T00:00:00Z'"),
    "by what is not pushed": _where("length(value) % 3 = 1"),
    "subscribed": _read(subscribe=f"{TOPIC},headers"),
    "a pattern": _read(subscribePattern="[a-c].*"),
    "bounds": _read(startingOffsetsByTimestampStrategy="latest", startingTimestamp="1500000000000"),
    "committed": _read(**{"kafka.isolation.level": "read_committed"}),
    "control records": _read(includeControl="true", includeMetadata="true"),
    "small splits": _read(splitBytes="10k"),
    "few records in a task": _read(maxRecordsPerPartition="17"),
    "what is skipped": _skipping("skip"),
    "what is reported": _skipping("report"),
    "a count": lambda spark, logs, scratch: [(_load(spark, logs).count(),)],
    "an aggregate": lambda spark, logs, scratch: _load(spark, logs).groupBy("topic").count(),
    "declared rows": _declared,
    "a stream": _streamed,
    "a stream into segments": _stream_to_segments,
    "write": _written(),
    "overwrite": _written(mode="overwrite"),
    "write in order": _written(tasks=3),
    "check": _checked,
    "stats": lambda spark, logs, scratch: jobs.stats(spark, logs).drop("path"),
    "stats by segment": lambda spark, logs, scratch: jobs.stats(spark, logs, by="segment").drop("path"),
    "to Parquet": _to_parquet,
    "reindex, dry": _reindexed(True),
    "reindex": _reindexed(False),
    "salvage": _salvaged,
    "corpus": _corpus,
    "bulk": _bulk,
    "read": lambda spark, logs, scratch: jobs.read(spark, logs, subscribe=[TOPIC], include_headers=True),
}


def rows_of(found: Any) -> list[str]:
    """Rows as text, in an order that does not depend on Spark; times in milliseconds."""
    if not isinstance(found, list):
        times = (
            f"unix_millis(`{name}`) AS `{name}`" if kind == "timestamp" else f"`{name}`" for name, kind in found.dtypes
        )
        found = [tuple(row) for row in found.selectExpr(*times).collect()]
    return sorted(repr(_plain(row)) for row in found)


def _plain(value: Any) -> Any:
    match value:
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case dict():
            return sorted((key, _plain(one)) for key, one in value.items())
        case list() | tuple():
            return [_plain(one) for one in value]
    return value


def outcome(spark: Any, name: str, logs: str, scratch: Path) -> list[Any]:
    """How many rows an operation gives, and their digest; of one that fails the error."""
    folder = scratch / name.replace(" ", "-")
    folder.mkdir(parents=True)
    try:
        rows = rows_of(OPERATIONS[name](spark, logs, folder))
    except Exception as error:
        return ["failed", f"{type(error).__name__}: {str(error).strip().splitlines()[0][:500]}"]
    return [len(rows), hashlib.sha256("\n".join(rows).replace(str(folder), "").encode()).hexdigest()[:16]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("logs")
    parser.add_argument("scratch", type=Path)
    for name in ("--remote", "--master", "--artifact", "--only"):
        parser.add_argument(name)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    given = parser.parse_args()
    settings = dict(text.split("=", 1) for text in ["spark.sql.session.timeZone=UTC", *given.settings])
    started = session(master=given.master, remote=given.remote, artifact=given.artifact, settings=settings, quiet=True)
    names = given.only.split(";") if given.only else list(OPERATIONS)
    json.dump({name: outcome(started, name, given.logs, given.scratch) for name in names}, sys.stdout)
    started.stop()


if __name__ == "__main__":
    main()

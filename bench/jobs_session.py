"""Run by `bench.jobs`: a session of Spark with so many cores, bound to so many processors, that does as it is told.

    python -m bench.jobs_session CORES
    python -m bench.jobs_session sc://HOST:PORT      over Spark Connect: the server has the cores

Each line of standard input is a job, as JSON: its name and its arguments. Each line of standard output says what it
took: seconds of the wall's clock, and what came of it, in a number.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kformat.spark import jobs, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check(spark: SparkSession, root: str, scratch: str) -> int:
    return jobs.check(spark, root).where("severity <> 'info'").count()


def reindex(spark: SparkSession, root: str, scratch: str) -> int:
    return jobs.reindex(spark, root).where("offset_index = 'made'").count()


def to_parquet(spark: SparkSession, root: str, scratch: str) -> int:
    return int(jobs.to_parquet(spark, root, scratch).agg({"records_count": "sum"}).collect()[0][0])


def declared(spark: SparkSession, root: str, scratch: str) -> int:
    """`to_parquet` of rows of a fixed size: the file and its declaration are in the folder."""
    folder = Path(root)
    made = jobs.to_parquet(spark, str(folder / "rows.bin"), scratch, declaration=str(folder / "rows.ksy"))
    return int(made.agg({"rows_count": "sum"}).collect()[0][0])


def scan(spark: SparkSession, root: str, scratch: str) -> int:
    """Every column of every record, in Spark."""
    columns = "count(offset), sum(length(value)), sum(length(key)), max(timestamp)"
    return int(jobs.read(spark, root).selectExpr(*columns.split(", ")).collect()[0][0])


def stats(spark: SparkSession, root: str, scratch: str) -> int:
    return int(jobs.stats(spark, root, by="segment").agg({"records_count": "sum"}).collect()[0][0])


def bulk(spark: SparkSession, root: str, scratch: str) -> int:
    size_bytes, segment_bytes = (int(number) for number in root.split("/"))
    made = jobs.bulk(spark, scratch, jobs.Bulk(size_bytes, segment_bytes=segment_bytes, partitions=2))
    return int(made.agg({"size_bytes": "sum"}).collect()[0][0])


def write(spark: SparkSession, root: str, scratch: str) -> int:
    jobs.write(jobs.read(spark, root), scratch, assume_sorted=True)
    return sum(1 for _ in Path(scratch).glob("*/*.log"))


JOBS: Final[dict[str, Callable[[SparkSession, str, str], int]]] = {
    function.__name__: function for function in (check, reindex, to_parquet, declared, scan, stats, bulk, write)
}


def prepare(name: str, root: str, scratch: str) -> None:
    """What is not the job's: the room that it writes to, and indexes that are lost."""
    shutil.rmtree(scratch, ignore_errors=True)
    if name == "reindex":
        for path in Path(root).glob("*/*index"):
            path.unlink()


def main(where: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if where.startswith("sc://"):
        spark = session("bench", remote=where, quiet=True)
    else:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-int(where) :])
        settings = {"spark.driver.memory": "1g", "spark.log.level": "OFF", "spark.ui.enabled": "false"}
        spark = session("bench", master=f"local[{where}]", settings=settings, quiet=True)
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        prepare(**asked)
        began = time.perf_counter()
        found = JOBS[asked["name"]](spark, asked["root"], asked["scratch"])
        print(json.dumps({"seconds": time.perf_counter() - began, "found": found}), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])

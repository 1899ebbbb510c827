"""A tour of kformat in Spark over segments that real brokers wrote: `make spark-demo`.

One session for all of it, as in a notebook: each step shows the code and what it prints, shortened. It runs in a
temporary directory that holds a link to `samples/`, so nothing in the tree changes. The summary at the end says what
was seen, with numbers taken from the output; the exit status is 1 when a step failed or printed something unexpected.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from tools import documents
from tools.demo import shortened


@dataclass(frozen=True)
class Step:
    """One thing to show. `expected` is a regular expression that has to be found in what `code` prints (or, of a
    `command`, in what the shell prints); its groups fill `{0}`, `{1}`, ... of `summary`."""

    title: str
    code: str
    expected: str
    summary: str
    is_command: bool = False
    lines: int = 14


STEPS = (
    Step(
        "A session: a Java is found, or brought along, and the settings that matter are set",
        """
from kformat.spark import jobs, session
spark = session(master="local[2]", settings={
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.shuffle.partitions": "2"})
""",
        r"Spark (\S+), Python (\S+),",
        "session   started Spark {0} with Python {1}, without a word of configuration",
    ),
    Step(
        "A broker's disk as a table of segments",
        """
segments = jobs.read(spark, "samples/4.3.1", rows="segments")
segments.groupBy("topic").agg({"segment": "count", "records_count": "sum", "size_bytes": "sum"}) \\
    .orderBy("sum(size_bytes)", ascending=False).show(5)
print(f"{segments.count()} segments")
""",
        r"(\d+) segments",
        "read      listed {0} segments from the headers of their batches",
    ),
    Step(
        "Its records, with the columns of Spark's own Kafka source",
        """
records = jobs.read(spark, "samples/4.3.1", include_headers=True)
records.createOrReplaceTempView("records")
spark.sql('''
    SELECT topic, count(*) AS records, sum(length(value)) AS bytes, min(timestamp) AS since, max(timestamp) AS until
    FROM records GROUP BY topic ORDER BY records DESC, topic
''').show(5)
print(f"{records.count()} records")
""",
        r"(\d+) records",
        "          and counted {0} records, with keys, values, headers and times",
    ),
    Step(
        "Which codec saves most? Headers of batches are enough",
        """
jobs.read(spark, "samples/4.3.1", rows="batches").groupBy("compression").agg(
    {"position": "count", "records_count": "sum", "size": "sum"}).orderBy("compression").show()
""",
        r"\| +zstd\|",
        "",
    ),
    Step(
        "A stream goes through what is there, and would go on with what comes",
        """
stream = spark.readStream.format("kformat").option("startingOffsets", "earliest").load("samples/4.3.1")
query = stream.groupBy("topic").count().writeStream.outputMode("complete").format("memory").queryName("seen") \\
    .option("checkpointLocation", "checkpoint").trigger(availableNow=True).start()
query.awaitTermination()
spark.sql("SELECT count(*) AS topics, sum(count) AS records FROM seen").show()
""",
        r"\| +(\d+)\| +(\d+)\|",
        "stream    saw the same {1} records of {0} topics come in",
    ),
    Step(
        "A disk that was damaged: one byte of one segment is another",
        """
import shutil
for name in ("plain-0", "plain-1", "rolled-by-bytes-0"):
    shutil.copytree(f"samples/4.3.1/{name}", f"disk/{name}")
with open("disk/rolled-by-bytes-0/00000000000000000200.log", "r+b") as log:
    log.seek(5000)
    log.write(b"X")
jobs.check(spark, "disk").select("severity", "rule", "position", "message").show(truncate=60)
""",
        r"error\|(KF\d+)\| +(\d+)\|",
        "check     found the checksum at byte {1} wrong (rule {0}), and nothing else",
    ),
    Step(
        "Its indexes are lost, too: they are rebuilt from the logs, but for the damaged one",
        """
from pathlib import Path
for path in [*Path("disk").rglob("*.index"), *Path("disk").rglob("*.timeindex")]:
    path.unlink()
jobs.reindex(spark, "disk").select("partition", "file", "offset_index", "time_index", "remark").show()
print(f"{len(list(Path('disk').rglob('*index')))} indexes")
""",
        r"refused(?s:.*?)(\d+) indexes",
        "reindex   rebuilt {0} indexes, and refused to rebuild those of the damaged log",
    ),
    Step(
        "What can be read becomes Parquet, a file for each segment, written inside the tasks",
        """
jobs.to_parquet(spark, "disk", "parquet", on_corrupt="report").select(
    "topic", "partition", "base_offset", "records_count", "problems").show(truncate=50)
print(f"{spark.read.parquet('parquet').count()} records in Parquet")
""",
        r"(\d+) records in Parquet",
        "parquet   rescued {0} records into Parquet files, and reported what could not be",
    ),
    Step(
        "The same from the command line: everything that seven generations of brokers wrote is sound",
        "kformat spark check --ignore KF0814 samples/[0-9]* && echo sound",
        r"sound",
        "          `kformat spark ...` does all of this from the command line, here and on a cluster",
        is_command=True,
    ),
)


def run(step: Step, namespace: dict[str, Any]) -> str:
    """What a step prints; raises whatever it raises."""
    if step.is_command:
        return documents.shell(step.code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        exec(compile(step.code, step.title, "exec"), namespace)
    return printed.getvalue()


@contextlib.contextmanager
def errors_apart() -> Iterator[IO[bytes]]:
    """Where Spark's processes complain meanwhile."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as apart:
        os.dup2(apart.fileno(), 2)
        try:
            yield apart
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def show(number: int, step: Step, namespace: dict[str, Any]) -> str | None:
    """Run one step before the reader's eyes; its line of the summary, or None when it failed."""
    typed = f"$ {step.code}" if step.is_command else textwrap.indent(step.code.strip(), "    ")
    print(f"\n[{number}/{len(STEPS)}] {step.title}\n\n{typed}\n", flush=True)
    began = time.monotonic()
    output, failure = "", ""
    try:
        output = run(step, namespace)
    except Exception:  # a step is anybody's code: whatever it raises is shown
        failure = traceback.format_exc()
    print(shortened(output.strip("\n"), step.lines) + f"\n({time.monotonic() - began:.1f} s)", flush=True)
    found = re.search(step.expected, output)
    if found and not failure:
        return step.summary.format(*found.groups())
    print(f"THIS STEP FAILED: expected output that matches {step.expected!r}\n{shortened(failure, 60)}", flush=True)
    return None


def main() -> int:
    """Show all steps; the exit status is 1 when one failed."""
    began = time.monotonic()
    summaries: list[str | None] = []
    print("kformat reads what Kafka's brokers leave on disk, in Spark. Everything below is in samples/.", flush=True)
    with documents.working_directory(), errors_apart() as complaints:
        namespace: dict[str, Any] = {"__name__": "__main__"}
        summaries += [show(number, step, namespace) for number, step in enumerate(STEPS, 1)]
        if "spark" in namespace:
            namespace["spark"].stop()
        complaints.seek(0)
        said = complaints.read().decode("utf-8", "replace")
    print(f"\nWhat you saw, in {time.monotonic() - began:.0f} seconds:\n")
    print("\n".join(f"  {summary}" for summary in summaries if summary))
    if None in summaries:
        print(f"\nFAILED. What Spark said:\n{shortened(said[-4000:], 40)}")
        return 1
    print("\ndocs/spark.md has all of it: options, streams, jobs, and a cookbook.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

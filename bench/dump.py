"""`kformat dump` and Kafka's own dump tool on the same segment, as whole commands that write to a file, which is in
memory if the machine has /dev/shm, each started fresh: keys of 10 and values of 100 bytes that do not repeat,
uncompressed, in batches of 16 KB, checksums verified by both, 1 GiB (with `--rounds 1` 64 MiB). With keys and values,
and the lines of batches alone. The segment is in the page cache, and our kernels are compiled; the tool has the JVM
options of Kafka's own script. Both print the same text in each round. Also `kformat export` of the same records to
Parquet (zstd), its rows counted. CPU counts all threads. What it does not show: disks, a terminal that has to show the
lines.
"""

from __future__ import annotations

import hashlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.columns import write_log
from bench.compare import Case, Result
from bench.jvm import VERSION
from kformat.kafka.batch.batches import read_batch_headers
from tests.judges.java_tools import class_path, dump_class
from tests.judges.required import why_missing

MOST_ROUNDS = 5
SCRIPT_OPTIONS = ("-Xmx256M", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                  "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent")  # fmt: skip
"""What kafka-run-class.sh gives to Java."""
UTF_8 = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")


class Command:
    """A command to be run again and again, whose output goes to a file; ``cpu_seconds`` of each time."""

    def __init__(self, out: Path, *words: str, makes: Path | None = None) -> None:
        self.out, self.words, self.makes = out, words, makes
        self.cpu_seconds: list[float] = []

    def __call__(self) -> Command:
        """Run it; `made` says what came of it."""
        for path in (self.out, self.makes):
            if path is not None:
                path.unlink(missing_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with self.out.open("wb") as out:
            subprocess.run(self.words, stdout=out, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu_seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return self

    def made(self) -> str | int:
        """The digest of the text that was printed, or the number of rows in the file that was made."""
        if self.makes is None:
            with self.out.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        from pyarrow import parquet

        return int(parquet.ParquetFile(self.makes).metadata.num_rows)


def ours(out: Path, path: Path, *flags: str) -> Command:
    words = ("-c", "from kformat.cli import main; main()", "dump", "--files", str(path), *flags)
    return Command(out, sys.executable, *words)


def kafkas(out: Path, path: Path, *flags: str) -> Command:
    tool = ("-cp", class_path(VERSION), dump_class(VERSION))
    return Command(out, "java", *SCRIPT_OPTIONS, *UTF_8, *tool, "--files", str(path), *flags)


def exported(out: Path, path: Path) -> Command:
    """The same records to Parquet."""
    made = path.with_name("out.parquet")
    words = ("-c", "from kformat.cli import main; main()", "export", str(path.parent), "--output", str(made))
    return Command(out, sys.executable, *words, makes=made)


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases; their file is removed at the end."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(f"{reason}: nothing to compare dumps with\n")
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="kformat-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as scratch,
    ):
        path, out = write_log(Path(folder) / "dump-0", "none", (64 if is_small else 1024) << 20), Path(scratch) / "out"
        headers = read_batch_headers(path)
        counts = {"records": int(headers.records_count.sum()), "batches": len(headers)}
        flags = {"records": ("--print-data-log",), "batches": ()}
        cases = []
        for unit, count in counts.items():
            ways = {"kformat dump": ours(out, path, *flags[unit])}
            if reason is None:
                ways[f"Kafka's tool ({VERSION})"] = kafkas(out, path, *flags[unit])
            text = ways["kformat dump"]().made()
            if unit == "records":
                ways["kformat export, Parquet"] = exported(out, path)
            expected: dict[bool, Any] = {False: text, True: count}
            seen = partial(_is_as_expected, expected)
            cases.append(Case(f"dump, {unit}", unit, count, path.stat().st_size, ways, seen, before=lambda: None))
        yield cases


def _is_as_expected(expected: dict[bool, Any], done: Command) -> bool:
    """Whether a command printed the text, or made a file of all records; AssertionError if not."""
    made = done.made()
    assert made == expected[done.makes is not None], (done.words, made)
    return True


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way. Seconds are medians."""
    lines = ["| work | by | seconds | min-max | CPU seconds | MB/s | time, kformat = 1 | CPU, kformat = 1 |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|")
    for result in results:
        cpu = {
            way: statistics.median(command.cpu_seconds[-len(result.seconds[way]) :])
            for way, command in result.case.ways.items()
            if isinstance(command, Command)
        }
        first = next(iter(cpu))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            lines.append(
                f"| {result.case.name} | {way} | {median:.2f} | {min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
                f" | {cpu[way]:.2f} | {result.case.size_bytes / median / 1e6:,.0f}"
                f" | {median / result.median(first):.3g} | {cpu[way] / cpu[first]:.3g} |"
            )
    return "\n".join(lines)

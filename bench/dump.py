"""`kformat dump` and Kafka's own dump tool on the same segment, as whole commands that write to /dev/null, each started
fresh: keys of 10 and values of 100 bytes that do not repeat, uncompressed, in batches of 16 KB, checksums verified by
both, 1 GiB (with `--rounds 1` 64 MiB). With keys and values, and the lines of batches alone. The file is in the page
cache, and our kernels are compiled; the tool has the JVM options of Kafka's own script. Both printed the same text
before the timing. Also `kformat export` of the same records to Parquet (zstd), its rows counted. CPU counts all
threads. What it does not show: disks, a terminal that has to show the lines.
"""

from __future__ import annotations

import hashlib
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.columns import write_log
from bench.compare import Case, Result
from kformat.kafka.batches import read_batch_headers
from tests.judges.java_tools import class_path, dump_class
from tests.judges.required import why_missing

VERSION = "4.3.1"
MOST_ROUNDS = 5
SCRIPT_OPTIONS = ("-Xmx256M", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                  "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent")  # fmt: skip
"""What kafka-run-class.sh gives to Java."""
UTF_8 = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")
PIECE_BYTES = 1 << 20


class Command:
    """A command to be run again and again; ``cpu_seconds`` of each time."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.cpu_seconds: list[float] = []

    def __call__(self) -> int:
        """Run it, with its output to nowhere; the exit status."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu_seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return done.returncode

    def digest(self) -> str:
        """That of all it prints."""
        found = hashlib.sha256()
        with subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            while piece := process.stdout.read(PIECE_BYTES):
                found.update(piece)
        if process.returncode:
            raise RuntimeError(f"{self.words}: exit status {process.returncode}")
        return found.hexdigest()


def ours(path: Path, *flags: str) -> Command:
    return Command(sys.executable, "-c", "from kformat.cli import main; main()", "dump", "--files", str(path), *flags)


def kafkas(path: Path, *flags: str) -> Command:
    tool = ("-cp", class_path(VERSION), dump_class(VERSION))
    return Command("java", *SCRIPT_OPTIONS, *UTF_8, *tool, "--files", str(path), *flags)


def exported(path: Path, count: int) -> Command:
    """The same records to Parquet; AssertionError where they are not as many."""
    from pyarrow import parquet

    words = ("export", str(path.parent), "--output", str(path.with_name("out.parquet")))
    command = Command(sys.executable, "-c", "from kformat.cli import main; main()", *words)
    command()
    assert parquet.ParquetFile(words[-1]).metadata.num_rows == count
    return command


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases; their file is removed at the end."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(f"{reason}: nothing to compare dumps with\n")
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as folder:
        path = write_log(Path(folder) / "dump-0", "none", (64 if is_small else 1024) << 20)
        headers = read_batch_headers(path)
        counts = {"records": int(headers.records_count.sum()), "batches": len(headers)}
        flags = {"records": ("--print-data-log",), "batches": ()}
        cases = []
        for unit, count in counts.items():
            ways = {"kformat dump": ours(path, *flags[unit])}
            if reason is None:
                ways[f"Kafka's tool ({VERSION})"] = kafkas(path, *flags[unit])
            texts = {command.digest() for command in ways.values()}
            assert len(texts) == 1, f"{unit}: the texts are not the same"
            if unit == "records":
                ways["kformat export, Parquet"] = exported(path, count)
            cases.append(Case(f"dump, {unit}", unit, count, path.stat().st_size, ways, before=lambda: None))
        yield cases


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

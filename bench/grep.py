"""Searching a segment's records by content: `kformat grep` compared with Kafka's own dump tool and grep, each as a
whole command that starts, reads, and prints what it finds: CPU seconds of all their processes. Keys of 10 and values of
100 bytes, uncompressed and lz4; one record is found, or one in forty. The file is in the page cache, and what is found
is compared. kformat's kernels have been compiled before. What it does not show: disks, and a JVM that is warm.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import kformat
from bench.columns import write_log
from bench.compare import Case, Result
from bench.jvm import VERSION
from tests.judges.java_tools import class_path, dump_class
from tests.judges.required import why_missing

MOST_ROUNDS = 3
TIMEOUT_S = 600
CODECS = ("none", "lz4")
WANTED_OFFSET = 70_007

_OFFSET = re.compile(rb"^(?:\| )?offset: ([0-9]+)", re.MULTILINE)


def by_kformat(path: Path, pattern: str) -> list[int]:
    program = "from kformat.cli import main; main()"
    return _offsets([sys.executable, "-c", program, "grep", pattern, str(path)])


def by_kafkas_tool(path: Path, pattern: str) -> list[int]:
    java = ["java", "-Xmx256m", "-cp", class_path(VERSION), dump_class(VERSION)]
    command = [*java, "--print-data-log", "--files", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tool:
        return _offsets(["grep", "-F", pattern], stdin=tool.stdout)


def _offsets(command: Sequence[str], stdin: object = None) -> list[int]:
    done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, timeout=TIMEOUT_S, check=True)  # type: ignore[call-overload]
    return [int(offset) for offset in _OFFSET.findall(done.stdout)]


def cpu_seconds() -> float:
    """Of all processes that were waited for."""
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; without Kafka's tool where it is missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
        size = (16 if is_small else 256) << 20
        paths = {codec: write_log(Path(folder) / f"{codec}-0", codec, size) for codec in CODECS}
        yield [
            _case(codec, path, what, pattern, reason is None)
            for codec, path in paths.items()
            for what, pattern in {"one record": _end_of_a_value(path), "one in forty": "abc"}.items()
        ]


def _end_of_a_value(path: Path) -> str:
    """Letters that one record has: digits would be found in the tool's lines, too, in offsets and timestamps."""
    value = next(kformat.open(path).records(WANTED_OFFSET)).value
    assert value is not None
    return value[-20:].decode()


def _case(codec: str, path: Path, what: str, pattern: str, has_kafka: bool) -> Case:
    ways: dict[str, Callable[[], list[int]]] = {"kformat grep": partial(by_kformat, path, pattern)}
    if has_kafka:
        ways["kafka-dump-log.sh and grep"] = partial(by_kafkas_tool, path, pattern)
    name = f"find {what}, {codec if codec != 'none' else 'uncompressed'}"
    clocks = dict.fromkeys(ways, cpu_seconds)
    return Case(name, "CPU", 1, path.stat().st_size, ways, clocks=clocks)


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| work | by | CPU s | MB/s of the file | kformat = 1 | min-max |", "|---|---|---:|---:|---:|---:|"]
    for result in results:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            rate = result.case.size_bytes / median / 1e6
            lines.append(f"| {result.case.name} | {way} | {median:.2f} | {rate:.0f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)

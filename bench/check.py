"""`kformat check` of a segment with its indexes, records judged: CPU seconds beyond start-up. Start-up is what the
command takes for 8 MB, which are then not counted; it includes loading numba. Keys of 10 and values of 100 bytes, in
batches of 16 KB, uncompressed (1 GiB) and in the codecs that producers prefer. The file is in the page cache. Limits:
reading the file piece by piece, and CRC-32C of the pieces. Peers: Kafka's dump tool as a command, with the option that
compares the offset index with the log: it prints a line per batch, and reads no record (with the option for records it
prints a line for each) and no time index, which would take time with the square of the segment (33 s for 128 MiB); and
Kafka's classes in a warm JVM, which verify checksums and visit every record. GB are those of the file on disk. What it
does not show: damaged files, where the codec reads the doubtful parts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import kformat
from bench.columns import write_log
from bench.compare import Case, Result
from bench.jvm import VERSION, Kafka
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.index.indexing import IndexedBatches, index_entries
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import crc32c
from tests.judges.java_tools import class_path, dump_class
from tests.judges.required import why_missing

MOST_ROUNDS = 3
PIECE_BYTES = 1 << 20
SIZES_MB = {"none": 1024, "lz4": 256, "zstd": 256}
START, START_BYTES = "start-up", 8 << 20
COMMAND = "kformat check, command"
TOOL = "Kafka's dump tool, command"


def write_segment(folder: Path, compression: str, size_bytes: int) -> Path:
    """A segment with its indexes, as a broker of today closes it; the path of its log."""
    log = write_log(folder, compression, size_bytes)
    entries = index_entries(IndexedBatches.from_headers(read_batch_headers(log)), base_offset=0)
    log.with_suffix(".index").write_bytes(entries.offset_index.tobytes())
    log.with_suffix(".timeindex").write_bytes(entries.time_index.tobytes())
    return log


def checked(log: Path) -> int:
    """All ways give the size of what they have read, and fail where they found something."""
    read = 0

    def progress(file: str, done: int, size: int) -> None:
        nonlocal read
        read = done

    found = list(kformat.check(log.parent, progress=progress))
    assert not found, found[0]
    return read


def checked_by_command(log: Path) -> int:
    subprocess.run(
        [sys.executable, "-c", "import sys, kformat.cli; sys.exit(kformat.cli.main())", "check", str(log.parent)],
        check=True,
    )
    return log.stat().st_size


def dumped_by_kafka(log: Path, classes: str) -> int:
    files = ",".join(str(log.with_suffix(suffix)) for suffix in (".log", ".index"))
    options = ["--verify-index-only", "--files", files]
    command = ["java", "-Xmx1g", "-cp", classes, dump_class(VERSION), *options]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    assert b"isvalid: false" not in printed and b"ismatches" not in printed
    return sum(map(int, re.findall(rb"^baseOffset: .* size: ([0-9]+) ", printed, re.MULTILINE)))


def read_by_kafka(log: Path, kafka: Kafka, count: int) -> int:
    assert kafka.ask_all("read", log)[0] == count
    return log.stat().st_size


def read_alone(log: Path, use: Callable[[bytes], Any] = len) -> int:
    size = 0
    with ByteSource(log) as source:
        for position in range(0, source.size, PIECE_BYTES):
            piece = source.read_at(position, PIECE_BYTES)
            use(piece)
            size += len(piece)
    return size


def of_children() -> float:
    """CPU seconds of the commands that have ended."""
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; without Kafka's where that is missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    kafka = Kafka("BenchRead") if reason is None else None
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    try:
        with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as name:
            root = Path(name)
            cases = [_case(START, write_segment(root / "start-0", "none", START_BYTES), None)]
            for codec, size_mb in SIZES_MB.items():
                log = write_segment(root / f"{codec}-0", codec, (16 if is_small else size_mb) << 20)
                what = "uncompressed" if codec == "none" else codec
                cases.append(_case(what, log, kafka))
            yield cases
    finally:
        if kafka is not None:
            kafka.close()


def _case(what: str, log: Path, kafka: Kafka | None) -> Case:
    is_start, headers = what == START, read_batch_headers(log)
    ways: dict[str, Callable[[], Any]] = {} if is_start else {"kformat.check": partial(checked, log)}
    ways[COMMAND] = partial(checked_by_command, log)
    if why_missing(VERSION) is None:
        ways[TOOL] = partial(dumped_by_kafka, log, class_path(VERSION))
    if kafka is not None:
        ways["Kafka's classes, warm"] = partial(read_by_kafka, log, kafka, int(headers.records_count.sum()))
    if not is_start:
        ways["CRC-32C alone"] = partial(read_alone, log, crc32c)
        ways["reading alone"] = partial(read_alone, log)
    clocks: dict[str, Callable[[], float]] = dict.fromkeys(ways, time.process_time)
    clocks |= dict.fromkeys((COMMAND, TOOL), of_children)
    if kafka is not None:
        clocks["Kafka's classes, warm"] = kafka.cpu_seconds
    return Case(what, "CPU", len(headers), log.stat().st_size, ways, clocks=clocks)


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per segment and way; start-up is that of the commands."""
    start, *others = results
    lines = [
        "| segment | by | CPU s | of it start-up | GB/s beyond | kformat = 1 | min-max |",
        "|---|---|" + "---:|" * 5,
    ]
    for result in others:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            before, known = (start.median(way), start.case.size_bytes) if way in start.seconds else (0.0, 0)
            beyond = max(median - before, 1e-9)
            rate = (result.case.size_bytes - known) / beyond / 1e9
            figures = f"{median:.2f} | {before:.2f} | {rate:.2f} | {result.case.size_bytes / ours / rate / 1e9:.3g}"
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            lines.append(f"| {result.case.name} | {way} | {figures} | {spread} |")
    return "\n".join(lines)

"""Rebuilding a segment's indexes with the whole command `kformat reindex`, compared with a fresh JVM with Kafka's own
LogSegment.recover: processes from start to end, CPU seconds of all their threads, and wall-clock seconds. Also the walk
over the segment's headers, with which many operations begin, in this process, by the wall clock. 1 GiB in batches of 16
KB with keys of 10 and values of 100 bytes, in the page cache; the files are identical. What it does not show: disks.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.columns import write_log
from bench.compare import Case, Result
from bench.jvm import VERSION
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.files.file_kinds import file_name
from tests.judges.java_tools import class_path
from tests.judges.required import why_missing

MOST_ROUNDS = 5
INDEX_INTERVAL_BYTES, INDEX_BYTES = 4096, 10 << 20
KFORMAT = "import sys; from kformat.cli import main; sys.argv[0] = 'kformat'; main()"


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Bench:
    """A log that lies in a folder for each way, and the commands."""

    def __init__(self, folder: Path, size_bytes: int) -> None:
        self.log = write_log(folder / "written-0", "none", size_bytes)
        self.folder = folder

    def fresh(self, name: str) -> Path:
        """A folder with the log and no index."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.link(self.log, folder / file_name(0, "log"))
        return folder

    def ours(self) -> Path:
        folder = self.fresh("ours-0")
        self._run(sys.executable, "-c", KFORMAT, "reindex", folder)
        return folder

    def kafkas(self) -> Path:
        folder = self.fresh("judged-0")
        sizes = INDEX_INTERVAL_BYTES, INDEX_BYTES
        self._run("java", "-Xmx1g", "-cp", class_path(VERSION), "BuildIndexes", "recover", folder, 0, *sizes)
        return folder

    @staticmethod
    def _run(*words: object) -> None:
        subprocess.run([str(word) for word in words], check=True, capture_output=True)

    @staticmethod
    def checksums(folder: Path) -> list[int]:
        return [zlib.crc32((folder / file_name(0, suffix)).read_bytes()) for suffix in ("index", "timeindex")]

    def cases(self, with_kafka: bool) -> list[Case]:
        size, count = self.log.stat().st_size, len(read_batch_headers(self.log))
        ways: dict[str, Callable[[], Any]] = {"kformat reindex": self.ours}
        if with_kafka:
            ways["Kafka LogSegment.recover, a fresh JVM"] = self.kafkas
        clocks = dict.fromkeys(ways, _children_cpu)
        walks: dict[str, Callable[[], Any]] = {
            "read_batch_headers": lambda: len(read_batch_headers(self.log)),
            "read_batch_headers, checksums": lambda: len(read_batch_headers(self.log, checksums=True)),
            "iter_batches": lambda: sum(1 for _ in iter_batches(self.log)),
        }
        return [
            Case("rebuild the indexes, CPU", "s", count, size, ways, self.checksums, clocks),
            Case("rebuild the indexes, wall", "s", count, size, ways, self.checksums),
            Case("walk over the headers, wall", "s", count, size, walks),
        ]


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; without Kafka's classes where they are missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
        yield Bench(Path(folder), (64 if is_small else 1024) << 20).cases(reason is None)


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| work | by | s/GiB | kformat = 1 | min-max |", "|---|---|---:|---:|---:|"]
    for result in results:
        case = result.case
        ours = result.median(next(iter(case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            rate = median / case.size_bytes * 2**30
            lines.append(f"| {case.name} | {way} | {rate:.2f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)

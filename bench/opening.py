"""Opening after a clean shutdown: one log of 10,000 segments, and a directory of 1,000 partitions of one segment each;
and `kformat ls` of both, which reads the headers in each segment, and prints a line for it. CPU seconds of the process,
which are the wall's too on an idle machine: all files are in memory if it has /dev/shm.
There is no other embedded log in Kafka's files to compare with, so next to it stands what any program has to do: list
the folders, and ask for the length of each file. What it does not show: disks, and logs that have to be recovered.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from bench.compare import Case, Result
from kformat.cli import main
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.storage import File, Storage

SEGMENTS, PARTITIONS = 10_000, 1000
SMALL_SEGMENTS, SMALL_PARTITIONS = 300, 30
_ONE_RECORD = LogConfig(segment_bytes=100, segment_index_bytes=24)


class _UnsyncedFile(File):
    def sync(self) -> None:
        pass


class _UnsyncedStorage(Storage):
    """To make the files sooner; they are opened with the disk as it is."""

    file_class = _UnsyncedFile

    def sync_directory(self, path: Path) -> None:
        pass


@dataclass
class _Bench:
    """The files, and what is open."""

    folder: Path
    segments: int
    partitions: int
    opened: Log | LogManager | None = None

    def make(self) -> None:
        with Log.open(self.folder / "many" / "orders-0", _ONE_RECORD, storage=_UnsyncedStorage()) as log:
            for number in range(self.segments):
                log.append([{"value": b"v" * 20, "timestamp": number}])
        with LogManager.open([self.folder / "parts"], storage=_UnsyncedStorage()) as manager:
            for number in range(self.partitions):
                manager.create_partition("orders", number).append([b"value"])

    def close(self) -> None:
        opened, self.opened = self.opened, None
        if opened is not None:
            opened.close()

    def open_log(self) -> int:
        self.opened = log = Log.open(self.folder / "many" / "orders-0", _ONE_RECORD)
        return log.segment_count

    def open_partitions(self) -> int:
        self.opened = manager = LogManager.open([self.folder / "parts"])
        return len(manager.partitions())

    def list_all(self, folder: Path) -> int:
        """How many segments `kformat ls` prints."""
        done = CliRunner().invoke(main, ["ls", str(folder)])
        assert done.exit_code == 0, done.output
        return done.stdout.count(".log ")

    def walk(self, folder: Path) -> int:
        """How many `.log` files there are; all names are listed, and all lengths asked for."""
        count = 0
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    count += self.walk(Path(entry.path))
                else:
                    count += entry.name.endswith(".log") and entry.stat().st_size > 0
        return count

    def cases(self) -> list[Case]:
        def case(name: str, unit: str, count: int, work: Callable[[], Any], folder: str) -> Case:
            ways = {"kformat": work, "os.scandir": lambda: self.walk(self.folder / folder)}
            ways |= {"kformat ls": lambda: self.list_all(self.folder / folder)}
            return Case(name, unit, count, 0, ways, clocks=dict.fromkeys(ways, time.process_time), before=self.close)

        return [
            case("one log", "segments", self.segments, self.open_log, "many"),
            case("one directory", "partitions", self.partitions, self.open_partitions, "parts"),
        ]


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and their files for as long as it takes."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
        sizes = (SMALL_SEGMENTS, SMALL_PARTITIONS) if is_small else (SEGMENTS, PARTITIONS)
        made = _Bench(Path(folder), *sizes)
        made.make()
        with closing(made):
            yield made.cases()


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| opened | by | seconds | kformat = 1 | min-max |", "|---|---|---:|---:|---:|"]
    for result in results:
        case = result.case
        ours = result.median(next(iter(case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            what = f"{case.name} of {case.count:,} {case.unit}"
            lines.append(f"| {what} | {way} | {median:.3f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)

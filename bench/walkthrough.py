"""Worked example W16: ten million lines `hello kangkang N` in segments of 104857600 bytes (with `--rounds 1` 200,000 in
segments of a fiftieth), appended ten thousand at a time and never synced before the log is closed. Then all files are
dumped, in this process and by Kafka's own tool in a fresh JVM, which prints the same; and lines are read by offset,
from their batches of 16 KB, and found by time. Files are in memory if the machine has /dev/shm. One counted round. What
it does not show: disks, and Kafka appending (see `engine`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import kformat
from bench.compare import Case, table
from bench.jvm import VERSION
from kformat_engine import Log, LogConfig
from tests.engine import lines
from tests.judges import dump_many
from tests.judges.required import why_missing

MOST_ROUNDS = 1
OFFSETS, TIMES = 200, 20

__all__ = ["MOST_ROUNDS", "bench", "table"]


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases; their files are removed at the end."""
    size = lines.SMALL if is_small else lines.LARGE
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as name:
        root = Path(name)
        folder = lines.write(root / "closed", size)
        segments = kformat.open(folder).segments
        assert tuple(segment.base_offset for segment in segments) == size.base_offsets
        size_bytes = sum(segment.size_bytes for segment in segments)
        paths = sorted(path for path in folder.iterdir() if path.suffix in (".log", ".index", ".timeindex"))
        dumping: dict[str, Callable[[], Any]] = {"kformat dump": lambda: [lines.dumped(path) for path in paths]}
        reason = why_missing(VERSION)
        if reason is None:
            dumping[f"Kafka's tool ({VERSION})"] = partial(_dumped_by_kafka, paths)
        else:
            print(f"{reason}: nothing to compare dumps with")
        shutil.copytree(root / "closed", root / "open")
        with Log.open(root / "open" / folder.name, LogConfig(segment_bytes=size.segment_bytes)) as log:
            yield [
                Case(
                    "append and roll",
                    "lines",
                    size.count,
                    size_bytes,
                    {"kformat_engine": lambda: lines.write(root / "again", size)},
                    seen_as=partial(_is_as_before, folder),
                    before=lambda: shutil.rmtree(root / "again", ignore_errors=True),
                ),
                Case("dump logs and indexes", "lines", size.count, size_bytes, dumping),
                Case(
                    "read a line by its offset",
                    "lookups",
                    OFFSETS,
                    OFFSETS * len(lines.line(size.count)),
                    {"kformat_engine": lambda: lines.find_offsets(log, size, OFFSETS)},
                ),
                Case(
                    "find a line by its time",
                    "lookups",
                    2 * TIMES,
                    2 * TIMES * len(lines.line(size.count)),
                    {"kformat_engine": lambda: lines.find_timestamps(log, size, TIMES)},
                ),
            ]


def _is_as_before(folder: Path, written: Path) -> bool:
    """Whether a log has the segments of another; AssertionError if not."""
    assert _segments(written) == _segments(folder)
    return True


def _segments(folder: Path) -> list[tuple[int, int]]:
    """Where the segments of a log begin, and how long they are."""
    return [(segment.base_offset, segment.size_bytes) for segment in kformat.open(folder).segments]


def _dumped_by_kafka(paths: list[Path]) -> list[bytes]:
    return [run.stdout for run in dump_many(VERSION, [["--files", str(path)] for path in paths])]

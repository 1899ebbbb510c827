"""The loop that everybody writes first: `for record in kformat.open(folder).records()`, which reads offset, timestamp,
key and value of each record, compared with the same loop over the records of aiokafka in C and of kafka-python. CPU
seconds, the checksums of all batches verified by all. Keys of 10 and values of 100 bytes that do not repeat, in batches
of 16 KB, uncompressed and lz4; the file is in the page cache. Ours is with numba (extra `fast`), and as it is without.
What it does not show: disks, headers.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import kformat
from bench.columns import LEAST_SECONDS, Sums, by_records, from_disk, table, write_log
from bench.compare import Case
from kformat.errors import MissingDependencyError
from kformat.kafka.columns import chunks as columns

CODECS = {"none": "uncompressed", "lz4": "lz4"}
__all__ = ["bench", "table"]


def by_loop(path: Path) -> Sums:
    count = offsets = timestamps = keys = values = 0
    for record in kformat.open(path.parent).records():
        count += 1
        offsets += record.offset
        timestamps += record.timestamp
        keys += len(record.key or b"")
        values += len(record.value or b"")
    return count, offsets, timestamps, keys, values


def without_numba(path: Path) -> Sums:
    """The same where loading a kernel fails."""

    def missing(*_: object, **__: object) -> object:
        raise MissingDependencyError("numba", "fast")

    with patch.multiple(columns, kernel=missing, RowReader=missing):
        return by_loop(path)


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes."""
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as folder:
        paths = {
            codec: write_log(Path(folder) / f"{codec}-0", codec, (4 if is_small else 16) << 20) for codec in CODECS
        }
        for path in paths.values():
            from_disk(path)
        yield [_case(CODECS[codec], path) for codec, path in paths.items()]


def _case(what: str, path: Path) -> Case:
    ways: dict[str, Callable[[], Sums]] = {
        "kformat": partial(by_loop, path),
        "kformat, without numba": partial(without_numba, path),
        "aiokafka": partial(by_records("aiokafka"), path),
        "kafka-python": partial(by_records("kafka"), path),
    }
    clocks = dict.fromkeys(ways, time.process_time)
    count, size = by_loop(path)[0], path.stat().st_size
    return Case(f"loop, {what}", "CPU", count, size, ways, clocks=clocks, least_seconds=LEAST_SECONDS)

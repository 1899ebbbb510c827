"""Reading a segment's file to Arrow columns (key, value, offset, timestamp), compared with Kafka's own classes,
aiokafka in C and kafka-python, which create an object for each record: CPU seconds of each process, the checksums of
all batches verified. Keys of 10 and values of 100 bytes that do not repeat, in batches of 16 KB, uncompressed and in
each codec that Kafka's producers prefer. The file is in the page cache, read from the disk; in one case it was just
written, batch by batch: the kernel then holds it in smaller pieces, which slows every reader. Kafka's classes are warm.
kformat reads a stream of record batches, each dropped before the next; as views it copies no keys and values, and a
batch keeps the bytes of its log. The last cases are those of a small machine: a process next to them copies memory,
which takes most of the memory's bandwidth. What it does not show: disks, several threads.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import kformat
from bench.compare import Case, Result
from bench.jvm import VERSION, Kafka
from bench.neighbour import Neighbour, neighbour
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.files.file_kinds import file_name
from tests.judges.required import why_missing

START_MS = 1_700_000_000_000
RECORDS = 137  # of 10 and 100 bytes: a batch of 16 KB
COLUMNS = ("key", "value", "offset", "timestamp")
CODECS = ("none", "lz4", "zstd")
LEAST_SECONDS = 0.5  # a JVM's clock of CPU time goes by hundredths of a second

Sums = tuple[int, int, int, int, int]
"""Records, and the sums of offsets, timestamps, lengths of keys and of values."""


def write_log(folder: Path, compression: str, size_bytes: int, value_bytes: int = 100) -> Path:
    """A segment of so many bytes before compression. The values are text-like: a codec makes about half of them."""
    folder.mkdir(parents=True)
    path, chance, offset, written = folder / file_name(0, "log"), random.Random(7), 0, 0
    letters = bytes(b"abcdefghijklmnop"[number % 16] for number in range(256))
    records, drawn = RECORDS * 100 // value_bytes, value_bytes - 10
    with open(path, "wb") as file:
        while written < size_bytes:
            numbers = range(offset, offset + records)
            bodies = chance.randbytes(drawn * records).translate(letters)
            columns = Columns(
                [START_MS + number for number in numbers],
                [b"%010d" % number for number in numbers],
                [b"%010d" % number + bodies[at * drawn : (at + 1) * drawn] for at, number in enumerate(numbers)],
            )
            batch = build_batch(columns, base_offset=offset, fields=BatchFields(compression=compression))
            file.write(batch)
            offset, written = offset + records, written + 16_384
    return path


def from_disk(path: Path) -> None:
    """Have a file that was written come back to the page cache as it comes when it is read, where that can be done."""
    if not hasattr(os, "posix_fadvise"):
        return
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass


def by_columns(path: Path, as_views: bool = False) -> Sums:
    count = offsets = timestamps = keys = values = 0
    for batch in kformat.open(path.parent).record_batches(COLUMNS, as_views=as_views):
        count += batch.num_rows
        offsets += int(batch["offset"].to_numpy().sum())
        timestamps += int(batch["timestamp"].view(pa.int64()).to_numpy().sum())
        keys += _length(batch["key"])
        values += _length(batch["value"])
    return count, offsets, timestamps, keys, values


def _length(column: Any) -> int:
    """Bytes of all of a column's values, by the length of each."""
    numbers = np.frombuffer(column.buffers()[1], np.int32)  # ends of values, or views, which begin with the length
    lengths = numbers[::4] if column.type == pa.binary_view() else np.diff(numbers)
    return int(lengths.sum(dtype=np.int32))


def by_records(module: str) -> Callable[[Path], Sums]:
    memory_records = __import__(f"{module}.record.memory_records", fromlist=["MemoryRecords"]).MemoryRecords

    def read(path: Path) -> Sums:
        count = offsets = timestamps = keys = values = 0
        records = memory_records(path.read_bytes())
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise ValueError("a wrong checksum")
            for record in batch:
                count += 1
                offsets += record.offset
                timestamps += record.timestamp
                keys += len(record.key)
                values += len(record.value)
        return count, offsets, timestamps, keys, values

    return read


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; without Kafka's classes where they are missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    kafka = Kafka("BenchRead") if reason is None else None
    try:
        with tempfile.TemporaryDirectory(prefix="kformat-bench-") as folder, neighbour() as copying:
            size = (16 if is_small else 64) << 20
            paths = {codec: write_log(Path(folder) / f"{codec}-0", codec, size) for codec in CODECS}
            for path in paths.values():
                from_disk(path)
            written = write_log(Path(folder) / "written-0", "none", size)
            large = write_log(Path(folder) / "none-1", "none", size, value_bytes=1000)
            from_disk(large)
            yield [
                *(_case(codec if codec != "none" else "uncompressed", path, kafka) for codec, path in paths.items()),
                _case("uncompressed, just written", written, kafka, without=["kafka-python"]),
                _case("uncompressed, values of 1,000 bytes", large, kafka, without=["kafka-python"]),
                *(
                    _case(f"{what}, next to copying", path, kafka, without=["kafka-python"], beside=copying)
                    for what, path in (("uncompressed", paths["none"]), ("values of 1,000 bytes", large))
                ),
            ]
    finally:
        if kafka is not None:
            kafka.close()


def _case(
    what: str, path: Path, kafka: Kafka | None, without: Sequence[str] = (), beside: Neighbour | None = None
) -> Case:
    readers: dict[str, Callable[[], Sums]] = {"kformat, Arrow": partial(by_columns, path)}
    if path.parent.name.startswith(("none", "written")):
        readers["kformat, Arrow's views"] = partial(by_columns, path, as_views=True)
    if kafka is not None:
        readers["Kafka's classes"] = lambda: _sums(*kafka.ask_all("read", path))
    for name, module in (("aiokafka", "aiokafka"), ("kafka-python", "kafka")):
        if name not in without:
            readers[name] = partial(by_records(module), path)
    if beside is not None:
        readers = {name: partial(beside.beside, work) for name, work in readers.items()}
    clocks: dict[str, Callable[[], float]] = dict.fromkeys(readers, time.process_time)
    if kafka is not None:
        clocks["Kafka's classes"] = kafka.cpu_seconds
    count, size = by_columns(path)[0], path.stat().st_size
    return Case(f"read, {what}", "CPU", count, size, readers, clocks=clocks, least_seconds=LEAST_SECONDS)


def _sums(count: int, offsets: int, timestamps: int, keys: int, values: int) -> Sums:
    return count, offsets, timestamps, keys, values


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| work | by | million records/s | kformat = 1 | min-max |", "|---|---|---:|---:|---:|"]
    for result in results:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            rate = result.case.count / median / 1e6
            lines.append(f"| {result.case.name} | {way} | {rate:.2f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)

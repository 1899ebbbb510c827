"""Building a producer's batches from records, compared with Kafka's own MemoryRecordsBuilder, aiokafka in C and
kafka-python, which take the records one by one: CPU seconds of each process. Keys of 10 and values of 100 bytes that do
not repeat, in batches of 16 KB before compression, uncompressed and in each codec that Kafka's producers prefer; each
batch is dropped before the next. The records are in memory: an Arrow table for kformat, arrays or objects of bytes for
the others; Kafka's classes are warm, and get the number of records per batch in advance. What it does not show:
building the table.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import kformat
from bench.columns import table as table
from bench.compare import Case
from bench.jvm import VERSION, Kafka
from kformat.kafka.batch.compression import CODEC_NAMES
from tests.judges.required import why_missing

START_MS = 1_700_000_000_000
KEY_BYTES, VALUE_BYTES = 10, 100
CODECS = ("none", "lz4", "zstd")
LEAST_SECONDS = 0.5  # a JVM's clock of CPU time goes by hundredths of a second


class Records:
    """The same records in the form that each of them takes."""

    def __init__(self, path: Path, count: int) -> None:
        chance, letters = random.Random(7), bytes(b"abcdefghijklmnop"[number % 16] for number in range(256))
        whole = bytearray()
        for number in range(count):
            whole += b"%010d%010d" % (number, number) + chance.randbytes(VALUE_BYTES - 10).translate(letters)
        path.write_bytes(whole)
        self.path, self.count = path, count
        rows = np.frombuffer(whole, np.uint8).reshape(count, KEY_BYTES + VALUE_BYTES)
        self.table = pa.table(
            {
                "key": _binary(rows[:, :KEY_BYTES]),
                "value": _binary(rows[:, KEY_BYTES:]),
                "timestamp": pa.array(START_MS + np.arange(count)).cast(pa.timestamp("ms", "UTC")),
            }
        )
        self.keys, self.values = self.table["key"].to_pylist(), self.table["value"].to_pylist()
        self.per_batch = next(kformat.build_batches(self.table)).records_count


def _binary(rows: np.ndarray[Any, Any]) -> Any:
    count, size = rows.shape
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(size)
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(rows.tobytes())])


def from_table(records: Records, codec: str) -> int:
    """How many bytes the batches have."""
    return sum(
        len(batch.raw)
        for batch in kformat.build_batches(records.table, max_records=records.per_batch, compression=codec)
    )


def one_by_one(make: Callable[[], Any], add: Callable[..., Any], records: Records) -> int:
    size = 0
    for start in range(0, records.count, records.per_batch):
        builder = make()
        for number in range(start, min(start + records.per_batch, records.count)):
            add(builder, number - start, START_MS + number, records.keys[number], records.values[number])
        size += len(builder.build())
    return size


def aiokafka_builder(codec: int) -> Any:
    from aiokafka.record.default_records import DefaultRecordBatchBuilder

    return DefaultRecordBatchBuilder(2, codec, 0, -1, -1, -1, 1 << 20)


def add_to_aiokafka(builder: Any, offset: int, timestamp: int, key: bytes, value: bytes) -> None:
    builder.append(offset, timestamp, key, value, [])


def kafka_python_builder(codec: int) -> Any:
    from kafka.record.default_records import DefaultRecordBatchBuilder

    return DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1 << 20,
    )


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; without Kafka's classes where they are missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    kafka = Kafka("BenchBuild") if reason is None else None
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    try:
        with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
            records = Records(Path(folder) / "records", 40_000 if is_small else 400_000)
            if kafka is not None:
                kafka.ask("load", records.path, KEY_BYTES, VALUE_BYTES, START_MS)
            yield [_case(codec, records, kafka) for codec in CODECS]
    finally:
        if kafka is not None:
            kafka.close()


def _case(codec: str, records: Records, kafka: Kafka | None) -> Case:
    number = CODEC_NAMES.index(codec)
    ways: dict[str, Callable[[], Any]] = {"kformat.build_batches": partial(from_table, records, codec)}
    if kafka is not None:
        ways["Kafka's builder"] = lambda: kafka.ask("build", codec, records.per_batch)
    ways["aiokafka"] = partial(one_by_one, partial(aiokafka_builder, number), add_to_aiokafka, records)
    ways["kafka-python"] = partial(one_by_one, partial(kafka_python_builder, number), add_to_aiokafka, records)
    clocks: dict[str, Callable[[], float]] = dict.fromkeys(ways, time.process_time)
    if kafka is not None:
        clocks["Kafka's builder"] = kafka.cpu_seconds
    # Sizes are the same where nothing is compressed: each library has its own compressor.
    seen_as: Callable[[Any], Any] = (lambda size: size) if codec == "none" else bool
    what = f"build, {codec if codec != 'none' else 'uncompressed'}"
    return Case(
        what, "CPU", records.count, records.path.stat().st_size, ways, seen_as, clocks, least_seconds=LEAST_SECONDS
    )

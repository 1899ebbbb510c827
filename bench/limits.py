"""Where the time of reading goes: the steps from a segment's file to Arrow columns, each alone over the same whole
file, next to what every reader must do (bring the bytes to the processor, compute CRC-32C) and the total. Nanoseconds
of CPU per record of 10 and 100 bytes, uncompressed, in batches of 16 KB; the median of the rounds. Each step alone
reads the file from memory again; in the total the bytes are in the processor's cache after the first step, so the total
is less than the sum.

Then what a chunk of 2 MiB costs besides the time of its records: calls of Python and C functions, reads of the file,
pieces of memory allocated, page faults, and CPU time, which follows from chunks of one batch. Also the bytes that are
read and written for a record: those of the log, in a buffer that stays in the CPU's cache, or (views) that the batch
keeps; and those of its columns.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cramjam
import numpy as np
import pyarrow as pa
import zstandard

import kformat
from bench.columns import COLUMNS, by_columns, from_disk, write_log
from kformat.kafka.columns.arrow import Converter, allocate, arrow_schema, columns_to_read
from kformat.kafka.columns.chunks import DEFAULT_CHUNK_BYTES, Chunk, Packed, Wanted
from kformat.kafka.columns.record_kernels import RowReader
from kformat.kernels import Part, kernel, spread_over
from kformat.kernels import checksums as checksums_of

_ONE_BATCH = 24 << 10
HEADERS = ("base_offset", "base_timestamp", "records_count", "payload", "crc")


class _Piece:
    """A chunk of the file with what the steps need of one another."""

    def __init__(self, data: bytes) -> None:
        self.data, self.view = data, np.frombuffer(data, np.uint8)
        self.headers = kernel("record_batch").decode(data, fields=HEADERS).columns
        self.payload = self.headers["payload", Part.POSITION]
        self.ends = self.payload + self.headers["payload", Part.LENGTH]
        self.counts = self.headers["records_count", Part.VALUE].astype(np.int64)
        self.windows = np.column_stack((self.payload, self.ends, self.counts))
        self.room = {name: 64 + len(self.records(name)) for name in ("key", "value")}

    def records(self, name: str) -> Any:
        return self.decode({name: 0})[name, Part.BYTES]

    def decode(self, room: dict[str, int]) -> Any:
        fields = ("offset_delta", "timestamp_delta")
        return (
            kernel("record_batch::record")
            .decode(self.data, self.windows, fields=fields, packed=room, allocate=allocate)
            .columns
        )


def steps(path: Path) -> tuple[int, dict[str, Callable[[], object]]]:
    """How many records there are, and the steps by name, each over the whole file; what one gives says what it did."""
    size = path.stat().st_size
    descriptor = os.open(path, os.O_RDONLY)
    pieces, position = [], 0
    while position < size:
        piece = _Piece(os.pread(descriptor, DEFAULT_CHUNK_BYTES, position))
        position += int(piece.ends[-1])
        pieces.append(piece)
    decoded = [piece.decode(piece.room) for piece in pieces]
    hot, room = np.empty(DEFAULT_CHUNK_BYTES, np.uint8), memoryview(bytearray(DEFAULT_CHUNK_BYTES))
    converter = Converter(arrow_schema(COLUMNS), "topic", 0)

    def chunk(piece: _Piece, found: Any) -> Chunk:
        deltas = {name: found[f"{name}_delta", Part.VALUE].astype(np.int64) for name in ("offset", "timestamp")}
        key, value = (
            Packed(found[name, Part.BYTES], found[name, Part.BYTE_OFFSETS], None) for name in ("key", "value")
        )
        return Chunk(int(piece.counts.sum()), deltas, key, value)

    ready = [chunk(piece, found) for piece, found in zip(pieces, decoded, strict=True)]

    def read() -> int:
        return sum(os.preadv(descriptor, [room], start) for start in range(0, size, DEFAULT_CHUNK_BYTES))

    def copy() -> int:
        copied = 0
        for piece in pieces:
            hot[: len(piece.view)] = piece.view
            copied += len(piece.view)
        return copied

    def checksums() -> int:
        found = (checksums_of(piece.view, piece.headers["crc", Part.COVERED_POSITION], piece.ends) for piece in pieces)
        return sum(int(crcs.sum(dtype=np.int64)) for crcs in found)

    def headers() -> int:
        found = (kernel("record_batch").decode(piece.data, fields=HEADERS, room=1024) for piece in pieces)
        return sum(len(one.columns["payload", Part.POSITION]) for one in found)

    def records() -> int:
        return sum(len(piece.decode(piece.room)["value", Part.BYTES]) for piece in pieces)

    def sums() -> int:
        last = 0
        for piece, found in zip(pieces, decoded, strict=True):
            ones = np.ones(len(piece.counts), np.int64)
            for base, delta in (("base_offset", "offset_delta"), ("base_timestamp", "timestamp_delta")):
                target = allocate(8 * len(found[delta, Part.VALUE])).view(np.int64)
                spread_over(piece.headers[base, Part.VALUE], ones, piece.counts, found[delta, Part.VALUE], target)
                last = int(target[-1])
        return last

    def arrow() -> int:
        return sum(batch.num_rows for batch in converter.batches(ready))

    reader = RowReader(
        *(("offset", "timestamp"), (), ("key", "value")),
        first_offset=0,
        last_offset=2**63 - 1,
        include_control=False,
        include_transactional=True,
        checksums=True,
        log_append_time=1,
        allocate=allocate,
    )

    def rows() -> int:
        done = 0
        for piece in pieces:
            start = 0
            while start < int(piece.ends[-1]):  # a chunk ends early if its columns are full
                found = reader.read(piece.view[start:])
                assert found is not None
                start += found.size
            done += 1
        return done

    count = sum(int(piece.counts.sum()) for piece in pieces)
    return count, {
        "limit: copy the bytes in memory (memcpy)": copy,
        "limit: CRC-32C of all batches (google-crc32c)": checksums,
        "read the file from the page cache (pread)": read,
        "batch headers, by their kernel": headers,
        "records, by their kernel: keys and values copied to where Arrow wants them": records,
        "offsets and timestamps from their deltas": sums,
        "checksums, headers, records and deltas in one kernel, as plain batches are read": rows,
        "record batches of Arrow": arrow,
        "the whole: file to Arrow, checksums verified": lambda: by_columns(path),
    }


def text(rounds: int) -> str:
    """The table."""
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as folder:
        path = write_log(Path(folder) / "none-0", "none", (16 if rounds == 1 else 128) << 20)
        from_disk(path)
        count, ways = steps(path)
        size = path.stat().st_size
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        seen = dict[str, object]()
        for number in range(rounds + 1):
            for name, work in ways.items():
                start = time.process_time()
                answer = work()
                if number:
                    seconds[name].append(time.process_time() - start)
                assert answer and answer == seen.setdefault(name, answer), name
        lines = [
            "",
            "| codec | it alone, ns per record | file to Arrow, ns per record | whole / (codec + uncompressed) |",
        ]
        lines.append("|---|---:|---:|---:|")
        plain = statistics.median(seconds["the whole: file to Arrow, checksums verified"]) / count
        for codec in ("lz4", "zstd"):
            alone, whole = _inflating(Path(folder), codec, (16 if rounds == 1 else 64) << 20, rounds)
            ratio = whole / (alone + plain)
            lines.append(f"| {codec} | {alone * 1e9:.1f} | {whole * 1e9:.1f} | {ratio:.2f} |")
        lines += _chunks(path, rounds)
    inflated = lines
    lines = ["| step | ns per record | GB/s of the file |", "|---|---:|---:|"]
    for name, found in seconds.items():
        median = statistics.median(found)
        lines.append(f"| {name} | {median / count * 1e9:.1f} | {size / median / 1e9:.1f} |")
    return "\n".join(lines + inflated)


class _Reading:
    """Reads a log as record batches of Arrow, and counts what that takes."""

    def __init__(self, path: Path, as_views: bool) -> None:
        self.partition, self.as_views = kformat.open(path.parent), as_views
        self.wanted = Wanted(columns=columns_to_read(COLUMNS))
        self.converter = Converter(arrow_schema(COLUMNS, as_views=as_views), "topic", 0)
        self.allocations = 0

    def batches(self, chunk_bytes: int) -> Iterator[pa.RecordBatch]:
        chunks = self.partition.chunks(
            self.wanted, chunk_bytes=chunk_bytes, allocate=self.allocate, as_views=self.as_views
        )
        return self.converter.batches(chunks)

    def allocate(self, size: int) -> Any:
        self.allocations += 1
        return allocate(size)

    def seconds(self, chunk_bytes: int, rounds: int) -> tuple[float, int]:
        """CPU seconds, and how many chunks that makes."""
        taken = list[float]()
        for _ in range(rounds):
            start = time.process_time()
            count = sum(1 for _ in self.batches(chunk_bytes))
            taken.append(time.process_time() - start)
        return statistics.median(taken), count

    def calls(self) -> int:
        """Calls of functions in one pass, in Python and in C."""
        count = 0

        def called(frame: Any, event: str, argument: Any) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(called)
        try:
            for _ in self.batches(DEFAULT_CHUNK_BYTES):
                pass
        finally:
            sys.setprofile(None)
        return count


def _chunks(path: Path, rounds: int) -> list[str]:
    """What chunks and records take, with keys and values copied and as views."""
    lines = [
        "",
        "| a chunk, with keys and values as | calls | reads | allocations | page faults | µs |"
        " bytes of the log, per record | of columns |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, as_views in (("copies", False), ("views", True)):
        reading = _Reading(path, as_views)
        large, chunks = reading.seconds(DEFAULT_CHUNK_BYTES, rounds)
        small, batches = reading.seconds(_ONE_BATCH, rounds)
        reading.seconds(DEFAULT_CHUNK_BYTES, 1)  # what was allocated for small chunks is gone
        reading.allocations, before, reads = 0, resource.getrusage(resource.RUSAGE_SELF), _reads()
        rows = size = 0
        for batch in reading.batches(DEFAULT_CHUNK_BYTES):
            rows += batch.num_rows
            size += sum(
                buffer.size for column in batch.columns for buffer in column.buffers()[:3] if buffer is not None
            )
            if as_views:
                size -= sum(batch[name].buffers()[2].size for name in ("key", "value"))
        reads, faults = _reads() - reads, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before.ru_minflt
        costs = (reading.calls(), reads, reading.allocations, faults)
        fixed = (small - large) / max(1, batches - chunks)
        figures = " | ".join(f"{cost / chunks:.0f}" for cost in costs)
        lines.append(
            f"| {name} | {figures} | {fixed * 1e6:.0f} | {path.stat().st_size / rows:.0f} | {size / rows:.0f} |"
        )
    return lines


def _reads() -> int:
    """How many times this process has read from files; 0 if the system does not count."""
    try:
        counters = Path("/proc/self/io").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(counters.split("syscr:")[1].split()[0])


def _inflating(folder: Path, codec: str, size: int, rounds: int) -> tuple[float, float]:
    """Seconds per record of the codec's library alone, and of the whole way to Arrow."""
    path = write_log(folder / f"{codec}-0", codec, size)
    from_disk(path)
    data = path.read_bytes()
    found = kernel("record_batch").decode(data, fields=("payload", "records_count"))
    starts = found.columns["payload", Part.POSITION].tolist()
    sizes = found.columns["payload", Part.LENGTH].tolist()
    parts = [memoryview(data)[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    count, room = int(found["records_count"].sum()), bytearray(1 << 20)
    ways: dict[str, Callable[[memoryview], object]] = {
        "lz4": lambda part: cramjam.lz4.decompress_into(part, room),
        "zstd": partial(zstandard.ZstdDecompressor().decompress, max_output_size=128 << 10),
    }
    inflate = ways[codec]

    def alone() -> int:
        done = 0
        for part in parts:
            inflate(part)
            done += 1
        return done

    seconds: list[list[float]] = [[], []]
    seen = dict[int, object]()
    for _ in range(rounds):
        for number, work in enumerate((alone, lambda: by_columns(path))):
            start = time.process_time()
            answer = work()
            seconds[number].append(time.process_time() - start)
            assert answer and answer == seen.setdefault(number, answer), codec
    return statistics.median(seconds[0]) / count, statistics.median(seconds[1]) / count

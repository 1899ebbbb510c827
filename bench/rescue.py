"""What a damaged disk still gives, and how fast batches are found. The search goes over 256 MB on one core: a log of
16 KB batches of which each hundredth, or each tenth, has a page of zeros; random bytes; text. Next to it CRC-32C of
the same bytes, piece by piece. Then a log of 560 records in three segments (Kafka 4.3.1 wrote it) with one kind of
damage after the other: records that `kformat salvage` saves, with and without indexes; that Kafka's recovery keeps
(`kformat log recover --mode kafka`, which tests hold next to brokers); and that a reader gets that stops at damage.
What it does not show: disks that fail while they are read.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import numpy
from click.testing import CliRunner

import kformat
from bench.columns import write_log
from bench.compare import Case, Result
from kformat.cli import main
from kformat.errors import DataError
from kformat.kafka.damage.evidence import Content, find_batches
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import crc32c
from tests.salvage.test_saving import DAMAGES, FIRST, SAMPLE

SIZE_BYTES: Final = 256 << 20
PIECE_BYTES: Final = 1 << 20
PAGE_BYTES: Final = 4096
DRAWS: Final = 5
"""Of each kind of damage."""
SEARCH, SUM = "kformat's search", "CRC-32C, piece by piece"


def damaged(path: Path, every: int) -> Path:
    """Put a page of zeros into each ``every``-th batch of a log."""
    headers = kformat.read_batch_headers(path)
    data, chance = bytearray(path.read_bytes()), random.Random(1)
    for position, size in zip(headers.position[::every].tolist(), headers.size[::every].tolist(), strict=True):
        at = position + chance.randrange(max(1, size - PAGE_BYTES))
        data[at : at + PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)
    return path


def searched(path: Path) -> int:
    """How many bytes were looked at: what is found, and what lies between."""
    with ByteSource(path) as source:
        return sum(item.size for item in find_batches(source, weakest=Content.CORRECTED))


def summed(path: Path) -> int:
    size = 0
    with ByteSource(path) as source:
        for position in range(0, source.size, PIECE_BYTES):
            piece = source.read_at(position, PIECE_BYTES)
            crc32c(piece)
            size += len(piece)
    return size


@contextmanager
def bench(*, is_small: bool = False) -> Iterator[list[Case]]:
    size_bytes = SIZE_BYTES // 8 if is_small else SIZE_BYTES
    with tempfile.TemporaryDirectory() as scratch:
        folder, chance = Path(scratch), random.Random(2)
        noise, text = folder / "noise", folder / "text"
        noise.write_bytes(numpy.random.default_rng(2).bytes(size_bytes))
        words = [chance.randbytes(chance.randrange(2, 9)).hex().encode() + b" " for _ in range(5000)]
        block = b"".join(chance.choices(words, k=100_000))
        text.write_bytes((block * (size_bytes // len(block) + 1))[:size_bytes])
        logs = {every: damaged(write_log(folder / str(every), "none", size_bytes), every) for every in (100, 10)}
        files = {f"a log, each {every}th batch damaged": path for every, path in logs.items()}
        files |= {"random bytes": noise, "text": text}
        yield [
            Case(name, "file", 1, path.stat().st_size, {SEARCH: partial(searched, path), SUM: partial(summed, path)})
            for name, path in files.items()
        ]


def records_of(folder: Path) -> int:
    """How many records can be read before an error."""
    count = 0
    try:
        for _ in kformat.open(folder).records(before_log_start=True):
            count += 1
    except DataError:
        pass
    return count


def rescued(damage: str, draw: int, has_index: bool) -> tuple[int, int, int]:
    """Records that are saved, that Kafka's recovery keeps, and that are read up to the damage."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "disk" / SAMPLE.name
        shutil.copytree(SAMPLE, folder)
        log = folder / f"{FIRST}.log"
        log.write_bytes(DAMAGES[damage](log.read_bytes(), random.Random(f"{damage} {draw}")))
        for path in [] if has_index else [*folder.glob("*.index"), *folder.glob("*.timeindex")]:
            path.unlink()
        report = kformat.salvage(folder, Path(scratch) / "new")
        saved, read = sum(one["records_count"] for one in report.summary()), records_of(folder)
        CliRunner().invoke(main, ["log", "recover", str(folder), "--mode", "kafka", "--yes"], catch_exceptions=False)
        return saved, records_of(folder), read


def table(results: list[Result]) -> str:
    lines = ["| bytes | search, GB/s | CRC-32C, GB/s | search ÷ CRC-32C |", "|---|---:|---:|---:|"]
    for result in results:
        search, total = (result.case.size_bytes / result.median(way) / 1e9 for way in (SEARCH, SUM))
        lines.append(f"| {result.case.name} | {search:.2f} | {total:.2f} | {search / total:.2f} |")
    lines += [
        "",
        f"| damage: records of 560, mean of {DRAWS} | salvage | without indexes | Kafka's recovery | up to it |",
        "|---|---:|---:|---:|---:|",
    ]
    for damage in DAMAGES:
        found = [rescued(damage, draw, has_index=True) for draw in range(DRAWS)]
        without = [rescued(damage, draw, has_index=False)[0] for draw in range(DRAWS)]
        means = [sum(column) / DRAWS for column in zip(*found, strict=True)]
        row = (means[0], sum(without) / DRAWS, means[1], means[2])
        lines.append(f"| {damage.replace('_', ' ')} | " + " | ".join(f"{number:.0f}" for number in row) + " |")
    return "\n".join(lines)

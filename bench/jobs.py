"""The jobs of kformat in Spark, by one core and by two: sessions with `local[1]`, bound to one processor, and
`local[2]`, bound to two, warm, by turns; seconds of the wall's clock for 2 GB of log in 16 segments, records with keys
of 10 and values of 100 bytes, uncompressed, in the page cache. `write` is the sink, to which rows come through Spark
from the source; all others make no rows. `declared` is `to_parquet` of as many bytes of declared rows, of 32
bytes each. What it does not show: disks, networks, and more than one machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench.spark import held, processors
from kformat.corpus.bulk import Bulk
from kformat.language.layout import layout
from kformat.language.program import load_type
from tests.judges.jars import ROOT

MOST_ROUNDS = 5
CORES: Final = (1, 2)
JOBS: Final = ("check", "reindex", "stats", "to_parquet", "declared", "bulk", "write")
BARS: Final[Mapping[str, float]] = {"check": 0.6, "reindex": 0.6, "to_parquet": 0.35, "declared": 0.2}
"""GB/s that two cores have to do, at the least."""
MANY_SEGMENTS: Final = 2_000
MODELLED: Final = (100, 1_000)
"""Cores."""
DISK_BYTES, DISK_SEGMENT_BYTES = 100_000_000_000_000, 1 << 30


DECLARATION: Final = """
meta: {id: ticks, endian: be}
seq: [{id: ticks, type: tick, repeat: eos}]
types:
  tick:
    seq:
      - {id: time, type: s8}
      - {id: instrument, type: u4}
      - {id: side, type: u1, enum: side}
      - {id: venue, type: u1}
      - {id: flags, type: u2}
      - {id: price, type: f8}
      - {id: size, type: u8}
enums: {side: {1: buy, 2: sell}}
"""


class Sizes(NamedTuple):
    """What there is: of all logs, of a segment of theirs, how many small segments, and how large one is."""

    size_bytes: int
    segment_bytes: int
    many: int
    small_bytes: int


FULL: Final = Sizes(2_000_000_000, 125_000_000, MANY_SEGMENTS, 100_000)
SMALL: Final = Sizes(4_000_000, 1_000_000, 20, 50_000)


class Worker:
    """A session in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self.process, self.scratch = process, scratch

    def run(self, name: str, root: Path | str) -> tuple[float, int]:
        """The seconds that a job took, and what it found."""
        assert self.process.stdin is not None and self.process.stdout is not None
        asked = {"name": name, "root": str(root), "scratch": str(self.scratch)}
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        assert answer, f"{name}: the session ended"
        told = json.loads(answer)
        return told["seconds"], told["found"]


@contextmanager
def worker(cores: int | str, scratch: Path) -> Iterator[Worker]:
    """A session with so many cores, or over Connect by a URL."""
    command = [sys.executable, "-m", "bench.jobs_session", str(cores)]
    with (
        open(scratch.with_suffix(".log"), "w", encoding="utf-8") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT
        ) as process,
    ):
        try:
            yield Worker(process, scratch)
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)
        finally:
            process.kill()


def text(rounds: int) -> str:
    """Markdown: a table, and the model. One round is of few records."""
    sizes = SMALL if rounds == 1 else FULL
    load = os.getloadavg()[0]
    with processors(max(CORES)), tempfile.TemporaryDirectory(prefix="kformat-bench-") as work:
        big, many, one = (Path(work) / name for name in ("big", "many", "one"))
        made = make(big, Bulk(sizes.size_bytes, segment_bytes=sizes.segment_bytes, partitions=2))
        tiny = make(many, Bulk(sizes.many * sizes.small_bytes, segment_bytes=sizes.small_bytes, partitions=10))
        make(one, Bulk(sizes.small_bytes, segment_bytes=sizes.small_bytes))
        make_declared(Path(work) / "declared", made)
        with worker(1, Path(work) / "out1") as single, worker(2, Path(work) / "out2") as double:
            workers = dict(zip(CORES, (single, double), strict=True))
            seconds = measured(workers, big, sizes, rounds)
            small = [double.run("check", one)[0] for _ in range(rounds + 1)][1:]
            lots = [double.run("check", many)[0] for _ in range(rounds + 1)][1:]
    lines = table(seconds, made, {} if rounds == 1 else BARS)
    if rounds > 1:
        lines += ["", modelled(seconds, made, statistics.median(small), statistics.median(lots), tiny)]
        lines += ["", f"Other work on the machine when this began: a load of {load:.1f}."]
    return "\n".join(lines)


def make(folder: Path, what: Bulk) -> int:
    """Write data; how many bytes its logs have."""
    for piece in what.pieces():
        place = folder / what.folder(piece)
        place.mkdir(parents=True, exist_ok=True)
        what.write(piece, str(place))
    return sum(path.stat().st_size for path in folder.glob("*/*.log"))


def make_declared(folder: Path, size_bytes: int) -> None:
    """Write ticks in a declared format: their times rise, and their prices walk."""
    folder.mkdir()
    (folder / "rows.ksy").write_text(DECLARATION, encoding="utf-8")
    rng = np.random.default_rng(7)
    dtype = layout(load_type(f"{folder / 'rows.ksy'}::tick")).dtype
    with (folder / "rows.bin").open("wb") as file:
        for start in range(0, size_bytes // dtype.itemsize, 1 << 20):
            rows = np.zeros(min(1 << 20, size_bytes // dtype.itemsize - start), dtype)
            rows["time"] = 1_700_000_000_000_000 + (start + np.arange(len(rows))) * 40 + rng.integers(0, 40, len(rows))
            rows["instrument"], rows["side"] = rng.integers(0, 500, len(rows)), rng.integers(1, 3, len(rows))
            rows["venue"], rows["size"] = rng.integers(0, 8, len(rows)), rng.integers(1, 1000, len(rows)) * 100
            rows["price"] = 100 + np.round(np.cumsum(rng.normal(0, 0.01, len(rows))), 2)
            file.write(rows.tobytes())


Seconds = dict[str, dict[int, list[float]]]
"""Of each job, by cores."""


def measured(workers: Mapping[int, Worker], root: Path, sizes: Sizes, rounds: int) -> Seconds:
    """Have the sessions do each job in turn. AssertionError unless both found the same, and what there is."""
    seconds: Seconds = {}
    for name in JOBS:
        given: Path | str = root
        if name in ("bulk", "declared"):
            given = f"{sizes.size_bytes}/{sizes.segment_bytes}" if name == "bulk" else root.parent / name
        seconds[name] = {cores: [] for cores in workers}
        found = set()
        for number in range(rounds + 1):
            for cores, one in workers.items():
                took, what = one.run(name, given)
                found.add(what)
                if number:
                    seconds[name][cores].append(took)
        assert len(found) == 1 or name == "write", f"{name}: {found}"  # its tasks have segments of their own
        assert (found == {0}) == (name == "check"), f"{name}: {found}"
    return seconds


def table(seconds: Seconds, size_bytes: int, bars: Mapping[str, float]) -> list[str]:
    lines = [
        "| job | one core, s | two cores, s | min-max | two for one | GB/s, two cores | bar |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for name, by_cores in seconds.items():
        one, two = (statistics.median(by_cores[cores]) for cores in CORES)
        rate, bar = size_bytes / two / 1e9, bars.get(name)
        spread = f"{min(by_cores[2]) / two:.2f}-{max(by_cores[2]) / two:.2f}"
        told = "" if bar is None else held(f"≥ {bar:g}", rate >= bar)
        lines.append(f"| {name} | {one:.2f} | {two:.2f} | {spread} | {one / two:.2f} | {rate:.2f} | {told} |")
    return lines


def modelled(seconds: Seconds, size_bytes: int, small: float, lots: float, tiny_bytes: int) -> str:
    """What `check` would take on a large disk, and how well the same model tells what was measured.

    A job takes a start, something for each segment (which is counted as if one after another did it, on the driver),
    and the bytes, by as many cores as there are. The three come from one core and from many small segments.
    """
    one, two = (statistics.median(seconds["check"][cores]) for cores in CORES)
    rate = size_bytes / (one - small)
    each = max(0.0, lots - small - tiny_bytes / (2 * rate)) / MANY_SEGMENTS

    def model(total: int, segments: int, cores: int) -> float:
        return small + each * segments + total / (cores * rate)

    segments = DISK_BYTES // DISK_SEGMENT_BYTES
    told = [f"{model(DISK_BYTES, segments, cores) / 60:.0f} minutes with {cores:,} cores" for cores in MODELLED]
    needs = [f"{cores * rate / 1e9:,.0f}" for cores in MODELLED]
    predicted = model(size_bytes, round(size_bytes / FULL.segment_bytes), 2)
    return (
        f"A model of `check`: a start of {small:.2f} s, {each * 1e3:.2f} ms for each segment, as if one after another,"
        f" and {rate / 1e9:.2f} GB/s for each core, as one core has it here. For two cores it says {predicted:.2f} s,"
        f" and {two:.2f} s were measured ({predicted / two - 1:+.0%}). Of 100 TB in {segments:,} segments of 1 GiB it"
        f" says {' and '.join(told)}, where disks give them {' and '.join(needs)} GB/s: they are what there will be to"
        " wait for."
    )

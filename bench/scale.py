"""Commands over directories from 1 MB to 10 GB, each in its own process: peak memory, and how CPU time grows with the
input. Segments of 100 MB with their indexes, records of 10 and 100 bytes, uncompressed; `export` writes Parquet (zstd),
`dump` prints every record to /dev/null. The cost per additional GB is computed from 100 MB to 1 GB, and from 1 GB to 10
GB: the same, if cost is proportional.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from bench.columns import RECORDS, write_log
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.files.file_kinds import file_name
from kformat.language.layout import layout

SIZES = tuple(10**power for power in range(6, 11))
SEGMENT_BYTES = 100 * 10**6
COMMANDS: dict[str, tuple[str, ...]] = {
    "ls": ("ls", "{folder}"),
    "check": ("check", "{folder}"),
    "dump --print-data-log": ("dump", "--print-data-log", "{segments}"),
    "export --format parquet": ("export", "{folder}", "--format", "parquet", "--output", "{scratch}"),
}


class Cost(NamedTuple):
    """Of one command over one directory."""

    size_bytes: int
    seconds: float
    """CPU, of all its threads."""
    peak_bytes: int


def write_directory(folder: Path, size_bytes: int) -> None:
    """A partition of about so many bytes; its segments differ in their offsets."""
    log = write_log(folder, "none", min(size_bytes, SEGMENT_BYTES))
    headers = read_batch_headers(log)
    data, write = bytearray(log.read_bytes()), layout("record_batch").writer("base_offset")
    positions, offsets, records = headers.position.tolist(), headers.base_offset.tolist(), len(headers) * RECORDS
    total = len(data)
    while total + len(data) // 2 < size_bytes:
        first = total // len(data) * records
        for position, offset in zip(positions, offsets, strict=True):
            write(data, position, first + offset)
        (folder / file_name(first, "log")).write_bytes(data)
        total += len(data)
    for path in sorted(folder.glob("*.log")):
        subprocess.run([sys.executable, "-m", "kformat", "reindex", str(path)], check=True, capture_output=True)


# A small process starts the command: what the one that starts it has in memory counts for what is started.
_STARTED_BY: Final = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def cost(command: Sequence[str], size_bytes: int) -> Cost:
    """Run a command. AssertionError where it fails."""
    words = [sys.executable, "-c", _STARTED_BY, sys.executable, "-m", "kformat", *command]
    status, seconds, peak = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert status == "0", (command, status)
    return Cost(size_bytes, float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024))


def costs(sizes: Sequence[int]) -> Iterator[tuple[str, Cost]]:
    """Each command over each size, by its name."""
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="kformat-bench-") as scratch:
            folder = Path(scratch) / "bench-0"
            # By a process of its own: what this one had in memory would count for those that it starts.
            code = "import sys; from pathlib import Path; from bench.scale import write_directory as write;"
            code += "write(Path(sys.argv[1]), int(sys.argv[2]))"
            subprocess.run([sys.executable, "-c", code, str(folder), str(size)], check=True)
            segments = [str(path) for path in sorted(folder.glob("*.log"))]
            total = sum(path.stat().st_size for path in folder.glob("*.log"))
            for name, words in COMMANDS.items():
                parts = (segments if word == "{segments}" else [word] for word in words)
                where = {"folder": folder, "scratch": Path(scratch) / "out.parquet"}
                yield name, cost([word.format(**where) for part in parts for word in part], total)


def plot(found: dict[str, list[Cost]], path: Path) -> None:
    """CPU time by size, both logarithmic, with what a cost in proportion would be."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for name, of_sizes in found.items():
        axes.plot([c.size_bytes for c in of_sizes], [c.seconds for c in of_sizes], marker="o", label=f"kformat {name}")
    sizes = [c.size_bytes for c in next(iter(found.values()))]
    axes.plot(sizes, [size / 1e9 for size in sizes], color="grey", linestyle=":", label="1 GB/s")
    axes.set(xscale="log", yscale="log", xlabel="bytes of segments", ylabel="CPU seconds of the process")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def text(rounds: int, image: Path | None = None) -> str:
    """The table; the plot goes to ``image``."""
    found: dict[str, list[Cost]] = {name: [] for name in COMMANDS}
    for name, of in costs(SIZES[:2] if rounds == 1 else SIZES):
        found[name].append(of)
    if image is not None:
        plot(found, image)
    sizes = [c.size_bytes for c in next(iter(found.values()))]
    lines = [
        "| command | " + " | ".join(f"{_size(size)}: peak, CPU" for size in sizes) + " | CPU per GB more |",
        "|---|" + "---:|" * (len(sizes) + 1),
    ]
    for name, of_sizes in found.items():
        cells = [f"{c.peak_bytes / 1e6:.0f} MB, {c.seconds:.2f} s" for c in of_sizes]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {_growth(of_sizes)} |")
    return "\n".join(lines)


def _size(size: int) -> str:
    return f"{size / 1e9:.0f} GB" if size >= 0.5e9 else f"{size / 1e6:.0f} MB"


def _growth(of_sizes: list[Cost]) -> str:
    """What each further GB costs, from one size to the next: the same where cost is in proportion, start-up aside."""
    large = [c for c in of_sizes if c.size_bytes > 0.5e8]
    steps = [1e9 * (b.seconds - a.seconds) / (b.size_bytes - a.size_bytes) for a, b in pairwise(large)]
    return ", ".join(f"{step:.2f} s" for step in steps)

"""Two built wheels of kformat measured against each other, row by row, by turns.

    python -m bench.wheels BEFORE.whl AFTER.whl [--rounds 5] [--megabytes 200] [--only TEXT] [--cpu]

Every row is a command, or a few lines of Python that measure themselves, in a process of its own. Each wheel is
unpacked into a folder that comes first on the path; everything else is this environment's. One round warms up and does
not count; then the wheels take turns. The ratio is that of the medians: after / before. The exit status is 1 where one
is above `MOST`. With ``--cpu`` times are those of the processor, user's and system's, which other work on the machine
changes less than the clock's; what a row waits for does not count then.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST = 1.10
READER = "kformat.LogReader if hasattr(kformat, 'LogReader') else __import__('kformat_engine').LogReader"
"""It moved from the engine into kformat."""


@dataclass(frozen=True)
class Row:
    """``words`` are those of a command, its time is the wall's; ``code`` measures what `timed` is called with."""

    name: str
    words: tuple[str, ...] = ()
    code: str = ""
    makes: str = ""
    """What is deleted before each run."""


PRELUDE = """
import sys, time, kformat
folder, log, small, scratch, clock = sys.argv[1:6]
def timed(work, times=1):
    work()
    start = getattr(time, clock)()
    for _ in range(times):
        work()
    print(getattr(time, clock)() - start)
"""


def rows(folder: Path, scratch: Path) -> Iterator[Row]:
    """What users run, and what programs call. ``folder`` holds `bulk-0`, and `small/bulk-0` of a tenth of it."""
    partition, small = str(folder / "bulk-0"), str(folder / "small" / "bulk-0")
    log = str(next((folder / "small" / "bulk-0").glob("*.log")))
    yield Row("kformat --help", ("--help",))
    yield Row("ls", ("ls", partition))
    yield Row("find by time", ("find", partition, "--timestamp", "1700000001000"))
    yield Row("find by offset", ("find", partition, "--offset", "100000"))
    yield Row("check", ("check", partition))
    yield Row("check, headers alone", ("check", "--no-records", partition))
    yield Row("dump", ("dump", log))
    yield Row("dump --print-data-log", ("dump", "--print-data-log", log))
    yield Row("grep", ("grep", "no such needle", partition))
    yield Row("stats", ("stats", partition))
    yield Row("diff", ("diff", small, small))
    yield Row("export Parquet", ("export", partition, "-o", f"{scratch}/x.parquet"), makes=f"{scratch}/x.parquet")
    yield Row("to_arrow", code="p = kformat.open(folder)\ntimed(lambda: p.to_arrow().num_rows)")
    yield Row("records()", code="p = kformat.open(small)\ntimed(lambda: sum(1 for _ in p.records()))")
    yield Row("follow", code="timed(lambda: sum(c.num_rows for c in kformat.follow(folder, timeout_s=0)))")
    yield Row("iter_batches", code="timed(lambda: sum(1 for _ in kformat.iter_batches(log)))")
    yield Row(
        "parse and build",
        code="data = open(log, 'rb').read(1 << 20)\nimport itertools\n"
        "some = list(itertools.islice(kformat.iter_batches(log), 20))\n"
        "raw = [open(log, 'rb').read()[b.position : b.position + b.size] for b in some]\n"
        "timed(lambda: [kformat.build('record_batch', kformat.parse('record_batch', one)) for one in raw])",
    )
    yield Row(
        "build_batches",
        code="table = kformat.open(small).to_arrow(columns=['key', 'value', 'timestamp'])\n"
        "timed(lambda: sum(len(b) for b in kformat.build_batches(table)), 3)",
    )
    yield Row(
        "LogReader.records",
        code=f"Reader = {READER}\n"
        "def work():\n    with Reader.open(small) as r:\n        return sum(1 for _ in r.records())\ntimed(work)",
    )
    yield Row(
        "LogReader: 1,000 lookups by time",
        code=f"Reader = {READER}\nr = Reader.open(folder)\n"
        "timed(lambda: [r.offset_for_timestamp(1700000000000 + n) for n in range(1000)])",
    )
    appended = "import itertools, kformat_engine as e\nnumber = itertools.count()\n"
    opened = "e.Log.open(f'{scratch}/log{next(number)}/t-0')"
    yield Row(
        "Log.append one by one",
        code=appended + f"def work():\n    with {opened} as log:\n"
        "        for _ in range(20_000): log.append([b'x' * 100])\ntimed(work)",
    )
    yield Row(
        "Log.append 100 at once",
        code=appended + f"some = [b'x' * 100] * 100\ndef work():\n    with {opened} as log:\n"
        "        for _ in range(2_000): log.append(some)\ntimed(work)",
    )
    yield Row(
        "Log.read",
        code=appended + f"log = {opened}\nfor _ in range(1000): log.append([b'x' * 100] * 100)\n"
        "timed(lambda: [len(log.read(n * 97 % 100_000)) for n in range(5_000)])",
    )
    yield Row("open after a clean close", code="import kformat_engine as e\n" + REOPENED)
    yield Row("Spark: plan and scan", code=SPARK)


REOPENED = """
config = e.LogConfig(segment_bytes=1 << 14)
with e.Log.open(f"{scratch}/many/t-0", config) as log:
    for _ in range(300): log.append([b"x" * 8000])
def work():
    with e.Log.open(f"{scratch}/many/t-0", config): pass
timed(work, 3)
"""
SPARK = """
import json
from kformat.spark.options import parse_options
from kformat.spark.plan import plan
from kformat.spark.scan import scan
def work():
    asked = parse_options({"paths": json.dumps([folder])})
    for task in plan(asked, []):
        for split in task:
            for _ in scan(split, ["offset", "key", "value", "timestamp"], asked.reading): pass
timed(work)
"""


def seconds(
    row: Row, wheel: Path, arguments: list[str], is_cpu: bool = False, seen: dict[str, tuple[int, str]] | None = None
) -> float:
    """Run it once with a wheel. ``seen``: what commands of it have printed, with their exit status; SystemExit where
    one prints something else this time."""
    if row.makes:
        Path(row.makes).unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(wheel), "KFORMAT_CACHE": str(wheel.parent / f"{wheel.name}-cache")}
    if row.words:
        command = [sys.executable, "-m", "kformat", *row.words]
    else:
        command = [sys.executable, "-c", PRELUDE + row.code, *arguments]
    started, used = time.perf_counter(), children_cpu()
    done = subprocess.run(command, env=environment, cwd="/", stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1:  # 1: nothing is found
        raise SystemExit(f"{row.name}: exit status {done.returncode}")
    if not row.words:
        return float(done.stdout)
    took = children_cpu() - used if is_cpu else time.perf_counter() - started
    told = done.returncode, hashlib.sha256(done.stdout.encode()).hexdigest()
    if seen is not None and told != seen.setdefault(row.name, told):
        raise SystemExit(f"{row.name}: not the answer of the round before")
    if row.makes and not Path(row.makes).stat().st_size:
        raise SystemExit(f"{row.name}: {row.makes} is empty")
    return took


def children_cpu() -> float:
    """Seconds of processor that ended children of this process have had."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.wheels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=200, help="of the log that is read")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--cpu", action="store_true", help="measure time of the processor, not the clock's")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    slow = 0
    with tempfile.TemporaryDirectory(prefix="kformat-wheels-") as name:
        home = Path(name)
        wheels = {"before": home / "before", "after": home / "after"}
        for which, folder in wheels.items():
            zipfile.ZipFile(getattr(options, which)).extractall(folder)
        size_bytes = options.megabytes << 20
        for folder, size in ((home / "data", size_bytes), (home / "data" / "small", size_bytes // 10)):
            words = ["corpus", "bulk", str(folder), "--size", str(size)]
            seconds(Row("corpus", tuple(words)), wheels["before"], [])
        scratch = home / "scratch"
        data = home / "data"
        log = next((data / "small" / "bulk-0").glob("*.log"))
        print("| row | before, s | after, s | after / before |\n|---|--:|--:|--:|")
        for row in rows(data, scratch):
            if options.only not in row.name:
                continue
            found: dict[str, list[float]] = {which: [] for which in wheels}
            seen: dict[str, dict[str, tuple[int, str]]] = {which: {} for which in wheels}
            for number in range(options.rounds + 1):
                for which, folder in wheels.items():
                    shutil.rmtree(scratch, ignore_errors=True)
                    scratch.mkdir()
                    clock = "process_time" if options.cpu else "perf_counter"
                    arguments = [str(data / "bulk-0"), str(log), str(log.parent), str(scratch), clock]
                    taken = seconds(row, folder, arguments, options.cpu, seen[which])
                    if number:
                        found[which].append(taken)
            before, after = (statistics.median(found[which]) for which in wheels)
            slow += after / before > MOST
            print(f"| {row.name} | {before:.3f} | {after:.3f} | {after / before:.2f} |", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())

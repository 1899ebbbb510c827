"""The first use on a new machine, where nothing is compiled, and with a cache that `kformat warm` has filled: CPU
seconds of a new Python process and of all that it starts, imports included. Small: a sample of 560 records, 41 KB; and
a file of a declaration whose rows have a text and a list. Large: 14 MB of such rows (1.4 MB with `--rounds 1`). Next to
it stands a new process in which pyarrow reads the same rows from a Parquet file. What it does not show: what a second
call in the same process takes, which is in the other tables.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow.parquet as parquet

import kformat
from bench.compare import Case, Result
from tools.documents import ROOT

SAMPLE = ROOT / "samples" / "4.4.0" / "rolled-by-bytes-0"
LARGE_BYTES, SMALL_BYTES = 14 << 20, 1 << 14
DECLARATION = """
meta: {id: first_use, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: time, type: u8}
      - {id: length, type: u2}
      - {id: name, type: str, encoding: UTF-8, size: length}
      - {id: count, type: u1}
      - {id: values, type: u4, repeat: expr, repeat-expr: count}
"""
COMMAND = "from kformat.cli import main; main({}, standalone_mode=False)"
LINES = (
    "from click.testing import CliRunner; from kformat.cli import main; "
    "print(len(CliRunner().invoke(main, {}).stdout.splitlines()))"
)
ROWS = "import pyarrow.parquet as parquet; print(parquet.read_table({!r}).num_rows)"


def seconds_of_children() -> float:
    """CPU seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Bench:
    """The files, and two caches."""

    def __init__(self, folder: Path, large_bytes: int) -> None:
        self.folder, self.large_bytes = folder, large_bytes
        self.declaration = folder / "first_use.ksy"
        self.declaration.write_text(DECLARATION)

    def run(self, cache: str, program: str) -> str:
        """The last line that a program prints in a process of its own."""
        environment = {**os.environ, "KFORMAT_CACHE": str(self.folder / cache)}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    def rows(self, name: str, size: int) -> Path:
        chance, data = random.Random(size), bytearray()
        while len(data) < size:
            text, count = chance.randbytes(chance.randrange(5, 40)).hex().encode(), chance.randrange(4)
            data += len(data).to_bytes(8) + len(text).to_bytes(2) + text + bytes([count]) + chance.randbytes(4 * count)
        path = self.folder / name
        path.write_bytes(data)
        return path

    def case(self, name: str, count: int, program: str, table: Path | None = None) -> Case:
        def work(cache: str) -> str:
            return self.run(cache, program)

        ways: dict[str, Callable[[], str]] = {
            "kformat, nothing compiled": partial(work, "empty"),
            "kformat, warm": partial(work, "filled"),
        }
        if table is not None:
            ways["pyarrow, from Parquet"] = lambda: self.run("empty", ROWS.format(str(table)))
        clocks = dict.fromkeys(ways, seconds_of_children)
        return Case(name, "rows", count, 0, ways, clocks=clocks, before=self.empty, least_seconds=0)

    def empty(self) -> None:
        shutil.rmtree(self.folder / "empty", ignore_errors=True)

    def cases(self) -> Iterator[Case]:
        """What a first user does."""
        records = self.folder / "records.parquet"
        partition = kformat.open(SAMPLE)
        count = partition.to_arrow().num_rows
        self.run("filled", COMMAND.format(["export", str(SAMPLE), "-o", str(records)]) + "; print()")
        self.run("filled", COMMAND.format(["warm"]))
        self.run("filled", COMMAND.format(["warm", str(self.declaration)]))
        one = f"import kformat; print(kformat.open({str(SAMPLE)!r}).{{}})"
        yield self.case("to_arrow", count, one.format("to_arrow().num_rows"), records)
        found = f"sum(1 for _ in kformat.open({str(SAMPLE)!r}).records())"
        yield self.case("records", count, f"import kformat; print({found})", records)
        out = str(self.folder / "exported.parquet")
        export = COMMAND.format(["export", str(SAMPLE), "-o", out])
        yield self.case("export", count, f"{export}; {ROWS.format(out)}", records)
        for verb in (["grep", "e", str(SAMPLE)], ["check", str(SAMPLE), "--severity", "info"]):
            yield self.case(verb[0], count, LINES.format(verb))
        for name, size in (("small", SMALL_BYTES), ("large", self.large_bytes)):
            path, table = self.rows(name, size), self.folder / f"{name}.parquet"
            scan = f"import kformat; print(kformat.scan({str(path)!r}, {str(self.declaration)!r}).to_arrow().num_rows)"
            rows = kformat.scan(path, str(self.declaration)).to_arrow()
            parquet.write_table(rows, table)
            yield self.case(f"scan, {name}", rows.num_rows, scan, table)


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and their files for as long as it takes."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
        yield list(_Bench(Path(folder), LARGE_BYTES // (10 if is_small else 1)).cases())


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| first use | by | CPU seconds | kformat = 1 | min-max |", "|---|---|---:|---:|---:|"]
    for result in results:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            what = f"{result.case.name} ({result.case.count:,} rows)"
            lines.append(f"| {what} | {way} | {median:.2f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)

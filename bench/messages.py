"""Kafka's own topics, as whole commands, each started fresh, bytecode and kernels compiled before. Five million
committed offsets of 500 groups, decoded: ours into an Arrow table, also in a process that has read some before; Kafka's
dump tool, with its decoder of offsets and the JVM options of its script, into text in a file; the committed offsets of
all records are added up from both. Then what an operator asks: `kformat groups` over them, `kformat topics` of a
metadata log of 200,000 records (with `--rounds 1`: a hundredth of each), and a shipped declaration by its name, next
to a process that only imports kformat. Seconds are the wall's. What it does not show: disks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as compute

import kformat
from bench.compare import Case, Result
from bench.dump import SCRIPT_OPTIONS, UTF_8
from bench.jvm import VERSION
from tests.judges.java_tools import class_path, dump_class
from tests.judges.required import why_missing

MOST_ROUNDS = 3
_MILLION: Final = 1_000_000
_FIRST: Final = 1_790_000_000_000
_OURS: Final = """
import sys, kformat, pyarrow.compute as pc
table = kformat.open(sys.argv[1]).to_arrow(["key", "value"], key_as="kafka", value_as="kafka")
print(pc.sum(pc.struct_field(table["value"], ["offset_commit", "offset"])).as_py())
"""


def write_offsets(folder: Path, count: int) -> int:
    """A partition of ``__consumer_offsets``; returns the sum of the committed offsets."""
    folder.mkdir(parents=True)
    keys = [
        kformat.build(
            "offset_commit_key", {"group": f"group-{i % 500}", "topic": f"orders-{i % 97}", "partition": i % 24}
        )
        for i in range(12_000)
    ]
    given = {"version": 3, "leader_epoch": 4, "metadata": ""}
    values = [
        kformat.build("offset_commit_value", given | {"offset": i * 7, "commit_timestamp": _FIRST + i})
        for i in range(20_000)
    ]
    with (folder / f"{0:020}.log").open("wb") as log:
        for first in range(0, count, _MILLION):
            numbers = range(first, min(first + _MILLION, count))
            table = {"key": [keys[i % 12_000] for i in numbers], "value": [values[i % 20_000] for i in numbers]}
            rows = pa.table({name: pa.array(column, pa.binary()) for name, column in table.items()})
            log.writelines(batch.raw for batch in kformat.build_batches(rows, base_offset=first))
    return sum(i % 20_000 * 7 for i in range(count))


def write_metadata(folder: Path, count: int) -> int:
    """A metadata log of topics with partitions that change; returns the number of topics."""
    folder.mkdir(parents=True)
    frame = {"frame_version": 1}
    topics = count // 200
    values = []
    for number in range(topics):
        id = number.to_bytes(16, "big")
        values.append(kformat.build("topic_record", frame | {"name": f"orders-{number}", "topic_id": id}))
        place: dict[str, Any] = frame | {"version": 0, "topic_id": id}
        replicas = {"replicas": [1, 2, 3], "isr": [1, 2, 3], "removing_replicas": [], "adding_replicas": []}
        for partition in range(10):
            made = place | replicas | {"partition_id": partition, "leader": 1, "leader_epoch": 0, "partition_epoch": 0}
            values.append(kformat.build("partition_record", made))
        change = place | {"isr": [1, 2], "leader": 2}
        changes = [kformat.build("partition_change_record", change | {"partition_id": number}) for number in range(10)]
        values += [changes[number % 10] for number in range(189)]
    rows = pa.table({"key": pa.nulls(len(values), pa.binary()), "value": pa.array(values, pa.binary())})
    with (folder / f"{0:020}.log").open("wb") as log:
        log.writelines(batch.raw for batch in kformat.build_batches(rows))
    return topics * 10


def _command(words: Sequence[str], out: Path | None = None) -> Callable[[], str]:
    """Run a command; returns what it prints, or, with ``out``, the name of the file that it prints into."""

    def run() -> str:
        if out is None:
            return subprocess.run(
                words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True
            ).stdout
        with out.open("wb") as file:
            subprocess.run(words, stdout=file, stderr=subprocess.DEVNULL, check=True)
        return str(out)

    return run


def _decoded(folder: Path) -> Callable[[], str]:
    """The same in this process."""

    def run() -> str:
        table = kformat.open(folder).to_arrow(["key", "value"], key_as="kafka", value_as="kafka")
        return str(compute.sum(compute.struct_field(table["value"], ["offset_commit", "offset"])).as_py())

    return run


def _sum(answer: str) -> int:
    """The sum of the committed offsets: as it was printed, or of the tool's text."""
    if not answer.startswith("/"):
        return int(answer)
    with Path(answer).open(encoding="utf-8") as lines:
        return sum(int(found[1]) for line in lines if (found := re.search(r'"data":\{"offset":(\d+)', line)))


def _verb(*words: str) -> Callable[[], str]:
    return _command([sys.executable, "-c", "from kformat.cli import main; main()", *words])


def _lines(answer: str) -> int:
    return answer.count("\n") - 1


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases; their files are removed at the end."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(f"{reason}: nothing to compare decoders with\n")
    part = 100 if is_small else 1
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as work:
        offsets, cluster = Path(work) / "offsets", Path(work) / "cluster"
        most, records = 5 * _MILLION // part, 200_000 // part
        total = write_offsets(offsets / "__consumer_offsets-0", most)
        partitions = write_metadata(cluster / "__cluster_metadata-0", records)
        log = offsets / "__consumer_offsets-0" / f"{0:020}.log"
        ways = {
            "kformat, Arrow": _decoded(log.parent),
            "kformat, Arrow, a new process": _command([sys.executable, "-c", _OURS, str(log.parent)]),
        }
        if reason is None:
            tool = ("-cp", class_path(VERSION), dump_class(VERSION), "--offsets-decoder", "--files", str(log))
            ways[f"Kafka's tool ({VERSION})"] = _command(
                ["java", *SCRIPT_OPTIONS, *UTF_8, *tool], Path(work) / "tool.txt"
            )
        assert all(_sum(way()) == total for name, way in ways.items() if name.startswith("kformat"))
        load = "import kformat, time; {}from kformat.language.program import load_type; load_type('partition_record')"
        size = log.stat().st_size
        yield [
            Case("decode committed offsets", "records", most, size, ways, _sum, before=_nothing),
            Case("kformat groups", "records", most, size,
                 {"kformat": _verb("groups", str(offsets), "--format", "csv")}, _lines, before=_nothing),
            Case("kformat topics", "records", records, 0,
                 {"kformat": _verb("topics", str(cluster), "--format", "csv")},
                 lambda answer: _lines(answer) == partitions + 1, before=_nothing),
            Case("load a declaration by its name", "declarations", 1, 0,
                 {"kformat": _command([sys.executable, "-c", load.format("")]),
                  "without it": _command([sys.executable, "-c", load.format("0;").partition("0;")[0]])},
                 before=_nothing),
        ]  # fmt: skip


def _nothing() -> None:
    """Each command is started once for each round."""


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way. Seconds are medians."""
    lines = ["| work | by | seconds | min-max | thousand/s | time, kformat = 1 |", "|---|---|---:|---:|---:|---:|"]
    for result in results:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            what = f"{result.case.name}, {result.case.count:,} {result.case.unit}"
            rate = result.case.count / median / 1000
            lines.append(f"| {what} | {way} | {median:.2f} | {spread} | {rate:,.0f} | {median / ours:.3g} |")
    return "\n".join(lines)

"""What verbs do grows with the segments, and the partitions, that there are, and no faster.

The calls of functions are counted, which no other work on the machine changes: of twice as many, the further half may
cost little more than the first.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main, output
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.files.checkpoints import CHECKPOINTS
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import TopicOffset, TopicOffsets, build_offsets
from kformat_engine import LogManager

SIZES = (25, 50, 100)
MOST = 2.1
"""What goes with the square has 4 here."""

BATCH = BatchFields(leader_epoch=0)


def lay(root: Path, partitions: int, segments: int) -> None:
    """A root of partitions with segments of one batch, and checkpoints that name all of them.

    Everything was changed long ago: what was written just now is read again and again.
    """
    for partition in range(partitions):
        folder = root / f"t-{partition}"
        folder.mkdir(parents=True)
        for offset in range(segments):
            batch = build_batch(Columns([1_700_000_000_000 + offset], [b"k"], [b"v"]), base_offset=offset, fields=BATCH)
            for kind, data in (("log", batch), ("index", b""), ("timeindex", b"")):
                (folder / file_name(offset, kind)).write_bytes(data)
        os.utime(folder, (1_700_000_000, 1_700_000_000))
    for what, name in CHECKPOINTS.items():
        offset = 0 if what == "log_start_offset" else segments
        entries = tuple(TopicOffset("t", number, offset) for number in range(partitions))
        (root / name).write_bytes(build_offsets(TopicOffsets(entries)))
        os.utime(root / name, (1_700_000_000, 1_700_000_000))


def calls_of(work: Callable[[Path], object], root: Path) -> int:
    """How many calls some work makes."""
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work(root)
    finally:
        sys.setprofile(before)
    return count


def command(*words: str, given: str = ".") -> Callable[[Path], None]:
    """Runs a command with what a glob matches in a root."""

    def run(root: Path) -> None:
        paths = [root] if given == "." else sorted(root.glob(given))
        result = CliRunner().invoke(main, [*words, *map(str, paths)])
        assert result.exit_code in (0, 1), result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception

    return run


def merge_plan(root: Path) -> None:
    copy = root.with_name(f"{root.name}-copy")
    if not copy.exists():
        shutil.copytree(root, copy)
    kformat.merge([root, copy], root.with_name("new"), dry_run=True)


def salvaged(root: Path) -> None:
    new = root.with_name("new")
    shutil.rmtree(new, ignore_errors=True)
    kformat.salvage(root, new)


def opened(root: Path) -> None:
    with LogManager.open([root]) as manager:
        assert manager.partitions()


def read(root: Path) -> None:
    with kformat.LogReader.open(root / "t-0") as reader:
        assert sum(1 for _ in reader.records()) == len(list(root.glob("t-0/*.log")))


WORK: dict[str, Callable[[Path], object]] = {
    "ls": command("ls"),
    "ls --format csv": command("ls", "--format", "csv"),
    "find": command("find", "--offset", "1"),
    "check": command("check"),
    "check FILE...": command("check", given="*/*.log"),
    "stats": command("stats"),
    "reindex --dry-run": command("reindex", "--dry-run"),
    "salvage": salvaged,
    "salvage --in-place --dry-run": command("salvage", "--in-place", "--dry-run"),
    "merge": merge_plan,
    "log recover --dry-run": command("log", "recover", "--dry-run"),
    "log recover": command("log", "recover"),
    "LogManager": opened,
    "LogReader": read,
}


@pytest.mark.long
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("what", ["segments", "partitions"])
def test_calls_grow_with_what_there_is(what: str, work: str, tmp_path: Path) -> None:
    counts = list[int]()
    for size in (SIZES[0], *SIZES):  # the first time modules are imported, and more
        root = tmp_path / f"{len(counts)}"
        lay(root, *((1, size) if what == "segments" else (size, 1)))
        counts.append(calls_of(WORK[work], root))
    _, few, some, many = counts
    assert (many - some) / (some - few) < MOST, counts


def test_a_table_of_many_rows_is_printed_in_time() -> None:
    stream = BytesIO()
    out: Any = SimpleNamespace(parts=lambda part: stream.write(str(part).encode()))
    started = time.process_time()
    output.write_rows(out, ({"a": number, "b": "x"} for number in range(10_000)), ("a", "b"), "table")
    assert time.process_time() - started < 5  # with the square of the rows it is a minute
    assert stream.getvalue().endswith(b"9999  x")

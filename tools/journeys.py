"""Five journeys through the code, followed call by call: which files (rooms) a batch or a record passes.

    python -m tools.journeys            the five, with their rooms in the order in which they are entered
    python -m tools.journeys --table    the same as a table in Markdown

`python -m tools.generate` writes them into docs/architecture.md.

A *room* is a file of kformat or of the engine in which a function runs on the way; a *step* is a pair of rooms where a
function of the first calls one of the second. The way is walked twice before it is followed, so that imports, generated
functions and caches do not count, nor what the second append is the first to ask for; kernels are compiled, and what
runs as machine code is no step.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import kformat
import kformat_engine
from kformat.cli import main as command
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.spark.options import SplitReading, parse_options
from kformat.spark.plan import plan
from kformat.spark.scan import scan
from tools.documents import ROOT

HOMES = (Path(next(iter(kformat.__path__))), Path(next(iter(kformat_engine.__path__))))
LOG = ROOT / "samples" / "4.3.1" / "plain-0" / "00000000000000000000.log"

TRANSACTIONS = ROOT / "samples" / "4.3.1" / "transactions-0"
TRADE = """
meta: {id: trade, endian: be}
seq:
  - {id: count, type: u1}
  - {id: prices, type: u2, repeat: expr, repeat-expr: count}
"""


def is_machine_code(frame: FrameType) -> bool:
    """Whether numba shows a kernel that it runs as a call of the function that it was made of, which it does up to
    Python 3.11: in a frame without the arguments.
    """
    return frame.f_code.co_argcount > 0 and not frame.f_locals


@dataclass
class Journey:
    """Rooms in the order in which they are entered, and who called whom."""

    rooms: list[str] = field(default_factory=list)
    steps: set[tuple[str, str]] = field(default_factory=set)


def room_of(frame: FrameType | None) -> str | None:
    """`kafka/batch/batches` or `kformat_engine/log`; None for what is not ours."""
    path = Path(frame.f_code.co_filename) if frame is not None else None
    for home in HOMES:
        if path is not None and path.is_relative_to(home):
            name = path.relative_to(home).with_suffix("").as_posix()
            return name if home is HOMES[0] else f"{home.name}/{name}"
    return None


def follow(work: Callable[[], Any]) -> Journey:
    """Do it three times, and follow the third."""
    work()
    work()
    journey = Journey()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or is_machine_code(frame) or (room := room_of(frame)) is None:
            return
        if room not in journey.rooms:
            journey.rooms.append(room)
        caller, above = frame.f_back, None
        while caller is not None and (above := room_of(caller)) is None:
            caller = caller.f_back
        if above is not None and above != room:
            journey.steps.add((above, room))

    gc.collect()
    gc.disable()  # what others left would be finished on the way
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return journey


def journeys(folder: Path) -> Iterator[tuple[str, Journey]]:
    """A batch from disk to a dump line and to a row of Spark, a record into the engine, a file of a declared format to
    an object, and a transaction back to a consumer."""
    are_there, RECORD_KERNELS.is_there = RECORD_KERNELS.is_there, True

    def dump() -> None:
        shown = sys.stdout
        with open(folder / "lines", "w", encoding="utf-8") as sys.stdout:
            try:
                command(["dump", "--print-data-log", str(LOG)], standalone_mode=False)
            finally:
                sys.stdout = shown

    def rows() -> None:
        for task in plan(parse_options({"paths": json.dumps([str(LOG.parent)])}), []):
            for split in task:
                for _ in scan(split, ["offset", "key", "value", "timestamp"], SplitReading()):
                    pass

    yield "a batch from disk to a dump line", follow(dump)
    yield "a batch from disk to a row of Spark", follow(rows)
    with kformat_engine.Log.open(folder / "orders-0") as log:
        yield "a record into the engine", follow(lambda: log.append([(b"key", b"value")]))
    declaration = folder / "trade.ksy"
    declaration.write_text(TRADE, encoding="utf-8")
    yield "bytes and a .ksy file of one's own to an object", follow(lambda: kformat.parse(declaration, b"\2abcd"))

    def committed() -> None:
        with kformat.LogReader.open(TRANSACTIONS) as reader:
            list(reader.records(isolation_level="read_committed"))

    yield "a transaction back to a consumer", follow(committed)
    RECORD_KERNELS.is_there = are_there


BEFORE: Mapping[str, tuple[int, int]] = {
    "a batch from disk to a dump line": (25, 41),
    "a batch from disk to a row of Spark": (20, 29),
    "a record into the engine": (16, 17),
    "bytes and a .ksy file of one's own to an object": (8, 8),
    "a transaction back to a consumer": (35, 74),
}
"""Rooms and steps at f985f30c, before the code was divided by kind and by room."""
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- made by tools/journeys.py -->\n", "<!-- end -->\n"


def table() -> str:
    """The journeys in Markdown: how many rooms and steps, and the rooms.

    They are followed in a process of their own: a lock that this one holds leads each open file into another room.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", "tools.journeys", "--table"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(f"the journeys could not be followed:\n{done.stderr}")
    return done.stdout


def followed_table() -> str:
    """The table, of journeys followed in this process."""
    lines = ["| journey | rooms before | after | steps before | after |", "|---|--:|--:|--:|--:|"]
    rooms = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, journey) in enumerate(journeys(Path(folder)), 1):
            before = BEFORE[title]
            lines.append(f"| {title} | {before[0]} | {len(journey.rooms)} | {before[1]} | {len(journey.steps)} |")
            names = ", ".join(f"`{name}`" for name in journey.rooms)
            rooms += textwrap.wrap(f"{number}. {title[0].upper()}{title[1:]}: {names}.", 118, subsequent_indent="   ")
    return "\n".join([*lines, "", "Their rooms, in the order in which they are entered:", "", *rooms]) + "\n"


def page() -> str:
    """docs/architecture.md with the journeys as they are."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Print them."""
    if "--table" in sys.argv[1:]:
        print(followed_table(), end="")
        return
    with tempfile.TemporaryDirectory() as folder:
        for title, journey in journeys(Path(folder)):
            print(f"{title}: {len(journey.rooms)} rooms, {len(journey.steps)} steps")
            print("   ", ", ".join(journey.rooms))


if __name__ == "__main__":
    main()

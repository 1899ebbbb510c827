"""Three journeys through the code, followed call by call: which files (rooms) a batch or a record passes.

    python -m tools.journeys            the three, with their rooms in the order in which they are entered

A *room* is a file of kformat or of the engine in which a function runs on the way; a *step* is a pair of rooms where a
function of the first calls one of the second. The way is walked twice before it is followed, so that imports, generated
functions and caches do not count, nor what the second append is the first to ask for. docs/architecture.md has the
counts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import kformat
import kformat_engine
from kformat.cli import main as command
from kformat.spark.options import SplitReading, parse_options
from kformat.spark.plan import plan
from kformat.spark.scan import scan
from tools.documents import ROOT

HOMES = (Path(next(iter(kformat.__path__))), Path(next(iter(kformat_engine.__path__))))
LOG = ROOT / "samples" / "4.3.1" / "plain-0" / "00000000000000000000.log"


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
        if event != "call" or (room := room_of(frame)) is None:
            return
        if room not in journey.rooms:
            journey.rooms.append(room)
        caller, above = frame.f_back, None
        while caller is not None and (above := room_of(caller)) is None:
            caller = caller.f_back
        if above is not None and above != room:
            journey.steps.add((above, room))

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return journey


def journeys(folder: Path) -> Iterator[tuple[str, Journey]]:
    """A batch from disk to a dump line, from disk to a row of Spark, and a record into the engine."""

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


def main() -> None:
    """Print them."""
    with tempfile.TemporaryDirectory() as folder:
        for title, journey in journeys(Path(folder)):
            print(f"{title}: {len(journey.rooms)} rooms, {len(journey.steps)} steps")
            print("   ", ", ".join(journey.rooms))


if __name__ == "__main__":
    main()

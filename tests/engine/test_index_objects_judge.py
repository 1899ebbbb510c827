"""The engine's indexes do what Kafka's OffsetIndex and TimeIndex do, step by step, of 3.9.2 and 4.4.0.

Random steps on new files and on files that were there: sound, padded with zeros, damaged, noise, of an odd length.
What each step gives, its error, the sizes behind it, and the bytes of the file in the end are compared. Left out is
where the engine is meant to differ: a resize that would cut entries, and the time entry whose offset fits no slot,
after which Kafka's index is broken.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from kformat.errors import KformatError, UsageError
from kformat.kafka.index import indexing
from kformat.kafka.index.indexing import OffsetEntry, TimeEntry
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat_engine.errors import IndexFullError, IndexOrderError, OffsetOverflowError
from kformat_engine.index import OffsetIndex, TimeIndex
from tests.draws import newest_by_day
from tests.judges import java_tools, releases
from tests.judges.required import require

KAFKAS_NAMES: dict[type[KformatError], tuple[str, ...]] = {
    # A time entry behind the last slot meets the end of Java's buffer.
    IndexFullError: ("IllegalArgumentException", "BufferOverflowException"),
    IndexOrderError: ("InvalidOffsetException", "IllegalStateException"),
    OffsetOverflowError: ("IndexOffsetOverflowException",),
    UsageError: ("IllegalArgumentException",),
}
BASE = 1000
SCRIPTS, STEPS = 120, 60

pytestmark = pytest.mark.judge


def content(random: Random, entry: np.dtype[np.void]) -> bytes | None:
    """A file that is there before the index is made; None: none is."""
    kind = random.choice(["none", "none", "sound", "padded", "damaged", "noise", "empty"])
    if kind in ("none", "empty"):
        return None if kind == "none" else b""
    count = random.choice([1, 2, 5, 40, 700, 1100, 2500])
    entries = np.zeros(count, entry)
    for name in entry.names or ():
        steps = [random.randint(0 if name != "timestamp" else 1, 9) for _ in range(count)]
        entries[name] = np.cumsum(steps)
    if kind == "noise":
        return random.randbytes(count * entry.itemsize + random.choice([0, 3, 7]))
    if kind == "damaged":
        for _ in range(random.randint(1, 1 + count // 8)):
            entries[random.randrange(count)] = tuple(random.randint(-5, 5 * count) for _ in entry.names or ())
    data = entries.tobytes()
    if kind == "padded":
        data += bytes(entry.itemsize * random.choice([1, 50, 2000]) + random.choice([0, 5]))
    return data


def shown(value: object) -> str:
    """As PlayIndexes prints it."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case OffsetEntry() | TimeEntry():
            return f"{value[1]}:{value[2]}"
    raise AssertionError(value)


class Player:
    """Draws steps, does them to an index of ours, and keeps what came of them."""

    def __init__(self, random: Random, folder: Path, number: int) -> None:
        self.random, self.is_time = random, number % 2 == 1
        self.name = f"{number}.{'timeindex' if self.is_time else 'index'}"
        self.before = content(random, layout("time_index::entry" if self.is_time else "offset_index::entry").dtype)
        self.path = folder / self.name
        if self.before is not None:
            self.path.write_bytes(self.before)
        room = random.choice([-1, 30, 67, 300, 9000]) if self.before is not None else random.choice([30, 67, 300, 9000])
        made: OffsetIndex | TimeIndex = (TimeIndex if self.is_time else OffsetIndex)(self.path, BASE, room)
        self.index = made
        self.steps: list[str] = []
        self.answers: list[tuple[tuple[str, ...], str]] = []
        self.tell(f"{'time' if self.is_time else 'offset'} {self.name} {BASE} {room}", lambda: None)
        for _ in range(STEPS):
            self.step()
        self.tell(*random.choice([("close", made.close), ("release", made.release)]))

    def tell(self, step: str, do: Callable[[], object]) -> None:
        """A step whose result is that it is done."""
        self.keep(step, lambda: (do(), "done")[1])

    def ask(self, step: str, do: Callable[[], object]) -> None:
        """A step that gives something."""
        self.keep(step, lambda: shown(do()))

    def keep(self, step: str, do: Callable[[], str]) -> None:
        try:
            results: tuple[str, ...] = (do(),)
        except KformatError as error:
            results = KAFKAS_NAMES[type(error)]
        last = shown(self.index.last_entry) if isinstance(self.index, TimeIndex) else str(self.index.last_offset)
        index = self.index
        self.steps.append(step)
        self.answers.append((results, f"{index.entry_count} {index.max_entry_count} {index.length_bytes} {last}"))

    def offset(self) -> int:
        """Around what the index holds."""
        index, random = self.index, self.random
        last = index.last_entry.offset if isinstance(index, TimeIndex) else index.last_offset
        return random.choice([last, last + 1, last + random.randint(-3, 9), BASE + random.randint(-2, 9000), BASE])

    def step(self) -> None:
        random, index = self.random, self.index
        match random.choice(["append"] * 8 + ["lookup"] * 8 + ["other"] * 5):
            case "append" if isinstance(index, TimeIndex):
                timestamp = index.last_entry.timestamp + random.randint(-1, 5)
                offset, skip = max(BASE, self.offset()), random.random() < 0.3
                self.tell(
                    f"append {timestamp} {offset} {int(skip)}", lambda: index.maybe_append(timestamp, offset, skip)
                )
            case "append":
                offset, position = self.offset(), random.randint(0, 5000)
                offset = random.choice([offset] * 9 + [BASE + 2**31, BASE - 1])
                assert isinstance(index, OffsetIndex)
                self.tell(f"append {offset} {position}", lambda: index.append(offset, position))
            case "lookup":
                self.look_up()
            case _:
                self.change()

    def look_up(self) -> None:
        random, index = self.random, self.index
        match random.choice(["lookup"] * 4 + ["entry", "upper_bound", "can_append"]):
            case "entry":
                number = random.randint(0, index.entry_count + 1)
                self.ask(f"entry {number}", lambda: index.entry(number))
            case "upper_bound" if isinstance(index, OffsetIndex):
                position, size = random.randint(0, 6000), random.choice([0, 1, random.randint(0, 6000)])
                self.ask(
                    f"upper_bound {position} {size}", lambda: index.upper_bound(OffsetEntry(0, BASE, position), size)
                )
            case "can_append":
                offset = random.choice([BASE, BASE - 1, BASE + 2**31 - 1, BASE + 2**31])
                self.ask(f"can_append {offset}", lambda: index.can_append_offset(offset))
            case _:
                target = self.offset() - (BASE if self.is_time else 0)
                self.ask(f"lookup {target}", lambda: index.lookup(target))

    def change(self) -> None:
        random, index = self.random, self.index
        match random.choice(["truncate_to", "truncate_to", "resize", "trim", "is_full"]):
            case "truncate_to":
                offset = self.offset()
                self.tell(f"truncate_to {offset}", lambda: index.truncate_to(offset))
            case "resize":
                size = index.size_bytes + random.randint(0, 500)
                self.ask(f"resize {size}", lambda: index.resize(size))
            case "trim":
                self.tell("trim", lambda: index.trim_to_valid_size())
            case _:
                self.ask("is_full", lambda: index.is_full)


@pytest.mark.parametrize("version", newest_by_day(*releases.LIVE))
@pytest.mark.parametrize("by_kernels", [False, True])
def test_indexes_do_what_kafkas_do(
    version: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(version)
    if by_kernels:
        pytest.importorskip("numba")
        monkeypatch.setattr(indexing, "_pays", PaysAfter(0))
    else:
        monkeypatch.setattr(indexing, "_kernels", lambda: None)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    random = Random(f"indexes {version}")
    players = [Player(random, ours, number) for number in range(SCRIPTS)]
    for player in players:
        if player.before is not None:
            (theirs / player.name).write_bytes(player.before)
    stdin = "".join(f"{step}\n" for player in players for step in player.steps).encode()
    done = java_tools.java(version, "PlayIndexes", [], stdin=stdin, cwd=theirs)
    assert done.returncode == 0, done.stderr.decode()
    lines = iter(done.stdout.decode().splitlines())
    for player in players:
        for step, (results, state) in zip(player.steps, player.answers, strict=True):
            found, found_state = next(lines).split(" | ")
            assert (found in results, found_state) == (True, state), f"{player.name}: {step}: {found}, not {results}"
        assert (theirs / player.name).read_bytes() == player.path.read_bytes(), player.name
    seen = {result for player in players for results, _ in player.answers for result in results}
    assert seen >= {name for names in KAFKAS_NAMES.values() for name in names}, "each error came up"

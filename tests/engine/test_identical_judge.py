"""The same life of a log through Kafka's own log, of 3.9.2 and 4.4.0, and through the engine: the same answers on the
way, and the same bytes in every `.log`, `.index`, `.timeindex`, `.txnindex` and `.snapshot` at the end.

What is drawn, and what an operation answers: tests/engine/plays.py, tests/judges/java/PlayLog.java. Two things are not
compared: whether an empty segment has empty indexes (Kafka makes one when it is first asked for something), and what
Kafka does after one of its indexes refused an entry, which leaves its log broken.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from kformat_engine.segment import LogSegment, RollReason
from tests.draws import newest_by_day
from tests.engine.plays import (
    BROKEN,
    PARTITION,
    START_MS,
    Play,
    Player,
    Shape,
    agree,
    drawn,
    drawn_producing,
    files,
    judged,
)
from tests.judges import releases
from tests.judges.required import require

VERSIONS = releases.LIVE
PLAYS = 500
"""Of both versions together."""

pytestmark = pytest.mark.judge


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory, where the machine has that: thousands of small files are made in it."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-plays-", dir=where) as folder:
        yield Path(folder)


@dataclass(frozen=True)
class Difference:
    """A play that the engine does not play as Kafka does, and how it shows."""

    play: Play
    what: str


def differences(version: str, told: Sequence[Play], folder: Path) -> list[Difference]:
    """Those of the plays, each up to the first answer that differs; the shortest first."""
    theirs = judged(version, told, folder / "theirs")
    found, broken = [], 0
    for number, play in enumerate(told):
        ours = Player(play, folder / "ours" / str(number))
        wanted = theirs[number]
        is_broken = BROKEN in wanted
        broken += is_broken
        compared = wanted.index(BROKEN) if is_broken else len(wanted)
        answers = ours.play(compared)
        different = [at for at in range(compared) if not agree(answers[at], wanted[at])]
        if different:
            at = different[0]
            found.append(Difference(play.until(at), f"ours   {answers[at]}\ntheirs {wanted[at]}"))
        elif not is_broken:
            mine, kafkas = files(ours.folder), files(folder / "theirs" / str(number) / PARTITION)
            names = sorted(name for name in mine.keys() | kafkas.keys() if mine.get(name) != kafkas.get(name))
            if names:
                found.append(Difference(play, f"different at the end: {', '.join(names)}"))
    assert broken <= len(told) // 10 + 1, f"Kafka's own log broke in {broken} of {len(told)} plays: they show little"
    return sorted(found, key=lambda difference: len(difference.play.operations))


def complain(version: str, found: list[Difference], folder: Path) -> None:
    """Fail, with the shortest play that still shows a difference, if there is one at all."""
    if not found:
        return
    shortest = found[0]
    for number in range(20):
        parts = list(shortest.play.parts())
        if not (shorter := differences(version, parts, folder / f"shorter-{number}")):
            break
        shortest = shorter[0]
    pytest.fail(f"{len(found)} plays differ, for example:\n{shortest.play}\n{shortest.what}", pytrace=False)


@pytest.fixture
def rolls(monkeypatch: pytest.MonkeyPatch) -> Counter[RollReason]:
    """How often the engine's log rolled for which reason."""
    seen: Counter[RollReason] = Counter()
    asked = LogSegment.roll_reason

    def counted(*arguments: object, **named: object) -> RollReason | None:
        reason = asked(*arguments, **named)  # type: ignore[arg-type]
        if reason is not None:
            seen[reason] += 1
        return reason

    monkeypatch.setattr(LogSegment, "roll_reason", counted)
    return seen


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_log_leaves_the_same_files(version: str, memory: Path, rolls: Counter[RollReason]) -> None:
    require(version)
    told = drawn(PLAYS, 0)[VERSIONS.index(version) :: len(VERSIONS)]
    complain(version, differences(version, told, memory), memory)
    # Every condition to roll came about, and so did everything else that makes indexes anew.
    assert all(rolls[reason] >= 10 for reason in RollReason), rolls
    done = Counter(str(operation[0]) for play in told for operation in play.operations)
    assert min(done[name] for name in ("truncate", "abandon", "delete", "cut", "spoil", "retain")) >= 20, done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_log_leaves_the_same_files_ten_times_as_often(version: str, seed: int, memory: Path) -> None:
    require(version)
    told = drawn(PLAYS // 2, seed)
    complain(version, differences(version, told, memory), memory)


PRODUCING = 80
"""Plays with idempotent and transactional producers, of both versions together."""


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_log_knows_the_same_of_producers(version: str, memory: Path) -> None:
    """The same refusals, and the same bytes in every `.snapshot` and `.txnindex`."""
    require(version)
    told = drawn_producing(PRODUCING, 0)[VERSIONS.index(version) :: len(VERSIONS)]
    complain(version, differences(version, told, memory), memory)
    left = [path for path in (memory / "theirs").rglob("*") if path.stat().st_size > 10]
    kinds = Counter(path.suffix for path in left)
    assert kinds[".snapshot"] >= 20 and kinds[".txnindex"] >= 10, kinds


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_log_knows_the_same_of_producers_more_often(version: str, seed: int, memory: Path) -> None:
    require(version)
    complain(version, differences(version, drawn_producing(4 * PRODUCING, seed), memory), memory)


# --- without chance ------------------------------------------------------------------------------------------------

BATCH_BYTES = 78
"""Of one record as in the examples of Kafka's behaviour."""


def appends(
    *timestamps: int | None, at: int = 0, per_append: int = 1, value_bytes: int = 9
) -> tuple[tuple[str | int | bytes, ...], ...]:
    """Follower's appends of batches of one record each, from offset ``at`` on."""
    batches = [
        Shape((0,), value_bytes).batch(at + number, -1 if time is None else time, 0)
        for number, time in enumerate(timestamps)
    ]
    assert value_bytes != 9 or {len(one) for one in batches} == {BATCH_BYTES}
    groups = [b"".join(batches[first : first + per_append]) for first in range(0, len(batches), per_append)]
    return tuple(("append", "follower", 0, group) for group in groups)


TIME = {"segment.ms": 100}
SIZE = {"segment.bytes": 2 * BATCH_BYTES}
ONE_LESS = {"segment.bytes": 2 * BATCH_BYTES - 1}
FIRST_FAR = 2**31 - 1

ROLLS: dict[str, tuple[dict[str, int], tuple[tuple[str | int | bytes, ...], ...], tuple[int, ...]]] = {
    "exactly full": (SIZE, appends(1000, 1000), (0,)),
    "a byte too many": (ONE_LESS, appends(1000, 1000), (0, 1)),
    "as late as may be": (TIME, appends(1000, 1100), (0,)),
    "a millisecond later": (TIME, appends(1000, 1101), (0, 1)),
    "earlier": (TIME, appends(1000, 500, 1100), (0,)),
    "without a timestamp behind one": (TIME, (*appends(1000), ("clock", START_MS + 10**6), *appends(None, at=1)), (0,)),
    "no timestamps, by the clock": (TIME, (*appends(None), ("clock", START_MS + 100), *appends(None, at=1)), (0,)),
    "no timestamps, a ms more": (TIME, (*appends(None), ("clock", START_MS + 101), *appends(None, at=1)), (0, 1)),
    "by the first batch of an append": (TIME, appends(1000, 1090, 1101, 1101, per_append=2), (0, 2)),
    "the first batch is known after reopening": (
        TIME,
        (*appends(1000, 1090, per_append=2), ("close",), ("open", "clean", 0), *appends(1101, at=2)),
        (0, 2),
    ),
    "the last offset that fits": (
        {},
        (*appends(1000), *appends(1000, at=FIRST_FAR)),
        (0,),
    ),
    "the first offset that does not": ({}, (*appends(1000), *appends(1000, at=FIRST_FAR + 1)), (0, FIRST_FAR + 1)),
    "an offset index full": (
        {"segment.index.bytes": 36, "index.interval.bytes": 0},  # four entries, and three: without timestamps
        appends(*[None] * 7),
        (0, 5),
    ),
    "a time index full": (
        {"segment.index.bytes": 36, "index.interval.bytes": 0},  # its third is kept for the roll
        appends(*range(1000, 1007)),
        (0, 3, 6),
    ),
    "an empty index full": ({"segment.index.bytes": 12}, appends(1000, 1001), (0, 1)),
}
OPENED = ("open", "clean", 0)


def in_full(config: dict[str, int], operations: Sequence[tuple[str | int | bytes, ...]]) -> Play:
    wide = {"message.timestamp.before.max.ms": 2**63 - 1, "message.timestamp.after.max.ms": 2**63 - 1}
    config = {"segment.bytes": 1 << 20, "segment.index.bytes": 4096, "segment.ms": 10**15, **wide, **config}
    return Play(config, (OPENED, *operations, ("state",), ("close",)))


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_both_roll_at_kafkas_comparisons(version: str, memory: Path) -> None:
    require(version)
    told = [in_full(config, operations) for config, operations, _ in ROLLS.values()]
    complain(version, differences(version, told, memory), memory)
    for number, (name, (_, _, bases)) in enumerate(ROLLS.items()):
        logs = [
            int(file.split(".")[0]) for file in files(memory / "theirs" / str(number) / PARTITION) if ".log" in file
        ]
        assert tuple(logs) == bases, name


OUT_OF_ORDER = (100, 300, 200, 400, 150, 350, 500)
FOUND = {
    50: "100 0 0", 100: "100 0 0", 101: "300 1 0", 200: "300 1 0", 300: "300 1 0", 301: "400 3 0", 350: "400 3 0",
    400: "400 3 0", 401: "500 6 0", 500: "500 6 0", 501: "none",
}  # fmt: skip


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_both_find_timestamps_out_of_order(version: str, memory: Path) -> None:
    require(version)
    asked = tuple(("time", timestamp) for timestamp in FOUND)
    play = in_full({"index.interval.bytes": 200}, (*appends(*OUT_OF_ORDER), *asked))
    complain(version, differences(version, [play], memory), memory)
    (answers,) = judged(version, [play], memory / "again")
    assert dict(zip(FOUND, answers[1 + len(OUT_OF_ORDER) :], strict=False)) == FOUND


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_a_recovery_without_indexes_makes_those_of_the_appends(version: str, memory: Path) -> None:
    """Per batch, appends of several batches give what recovery gives: the files do not tell which it was."""
    require(version)
    config = {"index.interval.bytes": 100}
    batches = appends(*range(1000, 1012), per_append=3)
    written = in_full(config, batches)
    recovered = in_full(
        config, (*batches, ("abandon",), ("delete", ".index"), ("delete", ".timeindex"), ("open", "unclean", 0))
    )
    complain(version, differences(version, [written, recovered], memory), memory)
    first, second = (files(memory / "theirs" / str(number) / PARTITION) for number in range(2))
    assert first == second
    # The last is the snapshot of no producers.
    assert [len(data) for data in first.values()] == [5 * 8, 12 * BATCH_BYTES, 6 * 12, 10]

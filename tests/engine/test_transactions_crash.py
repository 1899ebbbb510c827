"""Transactions over two directories after the death of the process and after a loss of power, at every step: what was
acknowledged is there in all partitions, and nothing is there in some of them only, under every sync policy."""

from __future__ import annotations

import copy
import errno
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from kformat.errors import KformatError
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.config import SyncPolicy
from kformat_engine.coordinator import STATE_CONFIG
from kformat_engine.transactions import Durability
from tests.draws import IS_NIGHT, every
from tests.engine.crash_child import POLICIES
from tests.engine.faults import Death, Fault, FaultyStorage, ForgetfulStorage, Picture, Step, picture, put_back
from tests.engine.ledger import errors_in
from tests.engine.manual import ManualClock, ManualScheduler
from tests.engine.test_crash import told

pytestmark = pytest.mark.drawn

STARTED_MS = 1_700_000_000_000
TIMEOUT_MS = 60_000
PARTITIONS = 2
DURABILITIES = get_args(Durability)

STATE = replace(STATE_CONFIG, segment_bytes=600, segment_index_bytes=600)  # which pictures of the disks have room for

OPEN, COMMITTING, COMMITTED, ABORTED = "open", "committing", "committed", "aborted"


@dataclass
class Promise:
    """A transaction: the values of each partition, and how far it has come."""

    values: dict[int, list[bytes]] = field(default_factory=dict)
    state: str = OPEN


def config(policy: SyncPolicy) -> LogConfig:
    return LogConfig(segment_bytes=500, index_interval_bytes=0, segment_index_bytes=600).with_sync(policy)


class Disks:
    def __init__(
        self, path: Path, storage: FaultyStorage, policy: SyncPolicy, durability: Durability = "markers"
    ) -> None:
        self.path, self.storage, self.policy, self.durability = path, storage, policy, durability
        self.clock = ManualClock(STARTED_MS)

    def open(self) -> LogManager:
        return LogManager.open(
            [self.path / name for name in "ab"],
            config(self.policy),
            configs={TRANSACTION_STATE_TOPIC: STATE},
            clock=self.clock,
            storage=self.storage,
            scheduler=lambda folder: ManualScheduler(self.clock),
        )


class Script:
    """Transactions of every kind; what they promise is noted before and after each call."""

    def __init__(self, disks: Disks, promises: list[Promise]) -> None:
        self.disks, self.promises, self.manager = disks, promises, disks.open()
        self.number = 0

    def run(self, name: str, partitions: tuple[int, ...], end: str) -> None:
        promise = Promise()
        self.promises.append(promise)
        t = self.manager.transaction(name, timeout_ms=TIMEOUT_MS, durability=self.disks.durability)
        for partition in partitions:
            self.number += 1
            value = b"%d-" % self.number + b"x" * (self.number * 37 % 90)
            promise.values.setdefault(partition, []).append(value)
            t.append("orders", partition, [value])
        if end == COMMITTED:
            promise.state = COMMITTING
            t.commit()
            promise.state = COMMITTED
        elif end == ABORTED:
            t.abort()
            promise.state = ABORTED

    def play(self) -> None:
        for number in range(PARTITIONS):
            self.manager.create_partition("orders", number)
        self.run("a", (0, 1), COMMITTED)
        self.run("b", (1, 0, 1), ABORTED)
        self.run("c", (1,), OPEN)
        self.manager.log("orders", 0).append([b"plain"])
        self.run("a", (0, 1, 0), COMMITTED)
        self.run("c", (0, 1), COMMITTED)  # which aborts the one before
        self.run("d", (0, 1), OPEN)
        self.disks.clock.sleep(TIMEOUT_MS + 1)  # its time is over
        self.manager.log("orders", 1).roll()
        self.run("a", (1, 0), COMMITTED)
        self.run("b", (0, 1), COMMITTED)  # whose records are synced with the markers of the one before
        self.run("a", (1,), COMMITTED)
        self.run("d", (0, 1), OPEN)
        self.manager.close()


def judge(path: Path, promises: list[Promise], policy: SyncPolicy) -> None:
    """Open what is there, let the time of all be over, and look; and go on with each id."""
    disks = Disks(path, FaultyStorage(), policy)
    with disks.open() as manager:
        assert not manager.refused and not manager.offline and not manager.metrics.error_count
        disks.clock.sleep(3 * TIMEOUT_MS)
        there = [number for number in range(PARTITIONS) if ("orders", number) in manager]
        seen: dict[int, list[bytes | None]] = {}
        for number in there:
            log = manager.log("orders", number)
            assert log.last_stable_offset == log.end_offset
            seen[number] = [one.value for one in log.records(isolation_level="read_committed") if one.value != b"plain"]
        certain = []
        for promise in promises:
            found = {all(value in seen.get(one, []) for value in values) for one, values in promise.values.items()}
            some = {value in seen.get(one, []) for one, values in promise.values.items() for value in values}
            assert len(some) <= 1, f"half of it is there: {promise}"
            if promise.state == COMMITTED:
                assert found == {True}, f"it is lost: {promise}"
            if promise.state in (OPEN, ABORTED):
                assert True not in found, f"it was not committed: {promise}"
            if True in found:
                certain.append(promise)
        for number in there:
            assert seen[number] == [value for promise in certain for value in promise.values.get(number, [])]
        for number in set(range(PARTITIONS)) - set(there):
            manager.create_partition("orders", number)
        for name in "abcd":
            with manager.transaction(name) as t:
                for number in range(PARTITIONS):
                    t.append("orders", number, [b"more " + name.encode()])
        for number in range(PARTITIONS):
            values = [one.value for one in manager.log("orders", number).records(isolation_level="read_committed")]
            assert values[-4:] == [b"more " + name.encode() for name in "abcd"]
    disks.storage.close_all()
    assert errors_in(path / "a") == errors_in(path / "b") == []


Left = tuple[str, Picture, list[Promise]]


def played(
    path: Path, storage: FaultyStorage, policy: SyncPolicy, durability: Durability, look: Callable[[Step], Picture]
) -> list[Left]:
    """What is left on the disks before each step of the script, each once."""
    left: list[Left] = []
    promises: list[Promise] = []

    def keep(step: Step) -> None:
        shown = look(step)
        if not left or left[-1][1] != shown:
            left.append((str(step), shown, copy.deepcopy(promises)))

    path.mkdir(exist_ok=True)
    storage.before_step = keep
    Script(Disks(path, storage, policy, durability), promises).play()
    storage.close_all()
    left.append(("the end", picture(path), promises))
    return left


@pytest.mark.parametrize("durability", DURABILITIES)
def test_death_at_every_step(tmp_path: Path, durability: Durability) -> None:
    path = tmp_path / "run"
    left = played(path, FaultyStorage(), "never", durability, lambda step: picture(path))
    assert len(left) > 150
    for what, shown, promises in [*every(60, left, DURABILITIES.index(durability)), left[-1]]:
        with told(what):
            shutil.rmtree(path, ignore_errors=True)
            put_back(shown, path)
            judge(path, promises, "never")


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("policy", POLICIES)
def test_loss_of_power(tmp_path: Path, policy: SyncPolicy, durability: Durability) -> None:
    """Commits survive it under every policy, and with every durability."""
    path = tmp_path / "run"
    path.mkdir()
    seed = POLICIES.index(policy) + len(POLICIES) * DURABILITIES.index(durability)
    storage, random = ForgetfulStorage(path), Random(seed)
    left = played(path, storage, policy, durability, lambda step: storage.crash(Random(random.getrandbits(32))))
    assert storage.seen() == picture(path), "the engine changes the disk past its storage"
    for number, (what, shown, promises) in enumerate(every(110, left, seed)):
        with told(what):
            where = tmp_path / str(number)
            put_back(shown, where)
            judge(where, promises, policy)


@pytest.mark.parametrize("durability", DURABILITIES)
def test_a_disk_that_fails(tmp_path: Path, durability: Durability) -> None:
    """A call raises, or what it has acknowledged is there; opened again, everything is decided."""
    first = FaultyStorage()
    steps_count = len(played(tmp_path / "first", first, "batch", durability, lambda step: {str(step): None}))
    created = next(step.number for step in first.trace if step.name.startswith(TRANSACTION_STATE_TOPIC))
    for at in range(created, steps_count, 3 if IS_NIGHT else 97):
        path, promises = tmp_path / str(at), list[Promise]()
        path.mkdir()
        storage = FaultyStorage(Fault(at, errno.EIO))
        disks = Disks(path, storage, "batch", durability)
        script = None
        with told(f"step {at}"):
            with suppress(OSError, KformatError):
                script = Script(disks, promises)
                script.play()
            if script is not None:
                with suppress(OSError, KformatError):
                    script.manager.close()
            storage.fault = None
            storage.close_all()
            judge(path, promises, "batch")


# Logs without a manager


def lone(root: Path, storage: FaultyStorage, number: int, clock: ManualClock) -> Log:
    path = root / f"orders-{number}"
    return Log.open(path, config("never"), storage=storage, clock=clock, scheduler=ManualScheduler(clock))


def play_alone(root: Path, storage: FaultyStorage, promises: list[Promise]) -> None:
    """Transactions in two logs of one root, by turns, with ids of their own and one in common."""
    clock = ManualClock(STARTED_MS)
    logs = [lone(root, storage, number, clock) for number in range(PARTITIONS)]
    for number, (name, end) in enumerate(
        (("a", COMMITTED), ("b", ABORTED), ("both", COMMITTED), ("a", OPEN), ("both", OPEN), ("both", COMMITTED))
    ):
        partition = number % PARTITIONS
        promise = Promise({partition: [b"%d-" % number + b"x" * 60 for _ in range(2)]})
        promises.append(promise)
        t = logs[partition].transaction(name)
        for value in promise.values[partition]:
            t.append([value])
        if end == COMMITTED:
            promise.state = COMMITTING
            t.commit()
            promise.state = COMMITTED
        elif end == ABORTED:
            t.abort()
            promise.state = ABORTED
    for log in logs:
        log.close()


def test_death_with_logs_that_have_no_manager(tmp_path: Path) -> None:
    """Opening one log of the root ends what was left in it, and goes on with the ids."""
    first = FaultyStorage()
    (tmp_path / "first").mkdir()
    play_alone(tmp_path / "first", first, [])
    first.close_all()
    started = next(step.number for step in first.trace if step.name.startswith(TRANSACTION_STATE_TOPIC))
    for at in range(started, len(first.trace), 3 if IS_NIGHT else 73):
        root, promises, storage = tmp_path / str(at), list[Promise](), FaultyStorage(Fault(at, None))
        root.mkdir()
        with told(first.trace[at - 1]):
            with suppress(Death):
                play_alone(root, storage, promises)
            assert storage.failed
            storage.close_all()
            clock = ManualClock(STARTED_MS + 3 * TIMEOUT_MS)
            for number in range(PARTITIONS):
                log = lone(root, FaultyStorage(), number, clock)
                assert log.last_stable_offset == log.end_offset
                seen = [record.value for record in log.records(isolation_level="read_committed")]
                expected: list[bytes | None] = []
                for promise in promises:
                    values = promise.values.get(number, [])
                    if promise.state == COMMITTED or (promise.state == COMMITTING and values and values[0] in seen):
                        expected += values
                assert seen == expected
                for name in ("a", "both"):
                    with log.transaction(name) as t:
                        t.append([b"more"])
                assert [one.value for one in log.records(isolation_level="read_committed")] == [
                    *expected,
                    *[b"more"] * 2,
                ]
                log.close()
            assert errors_in(root) == []

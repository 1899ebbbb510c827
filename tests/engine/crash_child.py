"""A log at work, what it has promised so far, and the process that works until it is killed.

`Worker` does operations on a log, drawn or scripted, and reports each before it begins and when it has returned.
A `Ledger` takes these reports, in the same process or through a pipe.
`main` is the process: it works until somebody kills it, or kills itself at a step.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Final

from kformat_engine.config import LogConfig, SyncPolicy
from kformat_engine.log import Log
from tests.engine.faults import Death, Fault, FaultyStorage, Step
from tests.engine.ledger import Event, Ledger, errors_in, value
from tests.engine.manual import ManualClock, ManualScheduler

POLICIES: Final[tuple[SyncPolicy, ...]] = ("never", "interval", "batch")
TOPIC: Final = "orders-0"
STARTED_MS: Final = 1_700_000_000_000


def config(policy: SyncPolicy, preallocate: bool = False) -> LogConfig:
    """Segments, indexes and what is retained so small that every operation is met often."""
    return LogConfig(
        segment_bytes=6000,
        max_message_bytes=5000,
        segment_ms=60_000,
        segment_index_bytes=96,
        index_interval_bytes=500,
        retention_bytes=20_000,
        retention_ms=600_000,
        file_delete_delay_ms=2000,
        preallocate=preallocate,
    ).with_sync(policy)


# The worker


class Worker:
    """Operations on a log, each reported."""

    def __init__(
        self, log: Log, clock: ManualClock, policy: SyncPolicy, first_number: int, report: Callable[[Event], None]
    ) -> None:
        self.log, self.clock, self.policy, self.report = log, clock, policy, report
        self.number = first_number
        self.starts: list[int] = []  # where appends began, which batches do too

    def done(self, certain: bool = False) -> None:
        certain = certain or self.policy == "batch"
        end = self.log.end_offset
        self.report(("done", self.log.start_offset, end, end if certain else self.log.recovery_point))

    def append(self, *sizes: int) -> None:
        self.report(("append", self.number, len(sizes)))
        self.starts.append(self.log.end_offset)
        records = [
            {"value": value(self.number + index, size), "timestamp": self.clock() + index}
            for index, size in enumerate(sizes)
        ]
        self.number += len(sizes)
        self.log.append(records)
        self.done()

    def truncate(self, offset: int) -> None:
        self.report(("truncate", offset))
        self.log.truncate_to(offset)
        self.starts = [start for start in self.starts if start < offset]
        self.done()

    def delete(self, offset: int) -> None:
        self.report(("delete", offset))
        self.log.delete_records_before(offset)
        self.done()

    def retain(self) -> None:
        self.report(("retain",))
        self.log.retain()
        self.done()

    def roll(self) -> None:
        self.report(("roll",))
        self.log.roll()
        self.done()

    def flush(self) -> None:
        self.report(("flush",))
        self.log.flush()
        self.done(certain=True)

    def wait(self, ms: int) -> None:
        """Let time pass: what was delayed is done."""
        self.report(("wait",))
        self.clock.sleep(ms)
        self.done()

    def some_start(self, random: Random) -> int:
        """An offset at which a batch begins, rather a late one."""
        starts = [start for start in self.starts if start >= self.log.start_offset][-8:]
        return random.choice(starts) if starts else self.log.end_offset

    def draw(self, random: Random) -> None:
        """One operation."""
        way = random.random()
        if way < 0.70:
            self.append(*(int(10 ** random.uniform(0, 3.3)) for _ in range(random.choice((1, 1, 1, 2, 5, 20)))))
        elif way < 0.76:
            self.truncate(self.some_start(random))
        elif way < 0.80:
            self.delete(random.randint(self.log.start_offset, self.log.end_offset))
        elif way < 0.84:
            self.retain()
        elif way < 0.88:
            self.roll()
        elif way < 0.94:
            self.flush()
        else:
            self.wait(random.choice((0, 1000, 1000, 3000, 70_000)))

    def script(self) -> None:
        """A run that has every operation, and rolls by size, by time and because an index is full."""
        for _ in range(3):
            self.append(100, 200, 300)
        self.append(2500)
        self.append(2500)  # rolls: size
        self.flush()
        for _ in range(4):
            self.append(900)
        self.truncate(self.starts[-2])
        self.append(10, 10)
        self.wait(70_000)
        self.append(1200)  # rolls: time
        self.delete(self.starts[1])
        self.append(3000)
        self.append(3000)
        self.append(3000)
        self.retain()
        self.wait(3000)
        self.roll()
        self.append(50)
        self.append(60)
        self.truncate(self.starts[-4])  # back over a roll
        self.append(70)
        self.flush()
        self.append(80, 90)


# Opening, and what must hold then


@dataclass
class Opened:
    """A log with everything that a process has of it."""

    log: Log
    storage: FaultyStorage
    clock: ManualClock

    def die(self) -> None:
        """End it as a process ends that was killed: not a step is done any more, and all its files are closed."""
        storage = self.storage
        trace, failed = storage.trace, storage.failed
        storage.trace, storage.failed, storage.before_step = [], [], None
        storage.fault = Fault(0, None)
        with suppress(Death):
            self.log.close()
        storage.close_all()
        storage.trace, storage.failed = trace, failed


def open_log(
    root: Path,
    policy: SyncPolicy,
    storage: FaultyStorage | None = None,
    clock_ms: int = STARTED_MS,
    *,
    preallocate: bool = False,
) -> Opened:
    """Open the log under ``root``, with time and delays in our hands."""
    storage = storage or FaultyStorage()
    clock, settings = ManualClock(clock_ms), config(policy, preallocate)
    log = Log.open(root / TOPIC, settings, storage=storage, clock=clock, scheduler=ManualScheduler(clock))
    return Opened(log, storage, clock)


def judge_log(log: Log, ledger: Ledger, *, lost_power: bool) -> None:
    """What must hold of a log that was opened again. The ledger has what the log has afterwards."""
    found = [(record.offset, record.value) for record in log.records(log.start_offset)]
    ledger.judge(log.start_offset, log.end_offset, found, lost_power=lost_power)


def judge_and_append(opened: Opened, root: Path, policy: SyncPolicy, ledger: Ledger, *, lost_power: bool) -> None:
    """All that must hold after a crash: the promises, nothing to complain about, and an append that is read back."""
    judge_log(opened.log, ledger, lost_power=lost_power)
    worker = Worker(opened.log, opened.clock, policy, ledger.last_number + 1, ledger.take)
    worker.append(30, 40)
    worker.append(700)
    judge_log(opened.log, ledger, lost_power=False)
    found = errors_in(root)
    assert not found, "\n".join(found)


# The process


class MortalStorage(FaultyStorage):
    """Ends the process at a step, by the signal that cannot be caught."""

    def __init__(self, last_step: int | None) -> None:
        super().__init__(before_step=self.live_or_die)
        self.last_step = last_step

    def live_or_die(self, step: Step) -> None:
        if step.number == self.last_step:
            os.kill(os.getpid(), signal.SIGKILL)


def main(
    connection: Connection, root: Path, policy: SyncPolicy, seed: int, first_number: int, last_step: int | None
) -> None:
    """Work and report through a pipe, until killed."""
    random = Random(seed)
    opened = open_log(root, policy, MortalStorage(last_step), STARTED_MS + seed, preallocate=bool(seed % 2))
    connection.send(("opened",))
    worker = Worker(opened.log, opened.clock, policy, first_number, connection.send)
    while True:
        worker.draw(random)

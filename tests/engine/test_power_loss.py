"""What a log holds after the power was lost: everything that was certain then.

Certain is what was acknowledged under policy ``batch``, what lay in the log when a `flush` returned, and what lies
below the recovery point. `faults` says what a disk is taken to forget. A run is made once; at many of its steps the
states that a crash would leave are made beside it, and opened.
"""

from __future__ import annotations

import copy
import itertools
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from kformat_engine.config import SyncPolicy
from kformat_engine.errors import WriterFailedError
from tests.draws import IS_NIGHT, every
from tests.engine.crash_child import POLICIES, STARTED_MS, Worker, judge_and_append, open_log
from tests.engine.faults import Fault, ForgetfulStorage, Picture, Step, picture, put_back
from tests.engine.ledger import Ledger
from tests.engine.test_crash import told

pytestmark = pytest.mark.drawn

Left = tuple[str, Picture, Ledger]
"""Which crash, what it left, what had been promised."""


def open_left(left: Left, root: Path, policy: SyncPolicy, preallocate: bool = False) -> Ledger:
    """Open what a crash has left, and judge it; the ledger is that of the log as it is then."""
    what, shown, ledger = left
    with told(what):
        put_back(shown, root)
        opened = open_log(root, policy, preallocate=preallocate)
        judge_and_append(opened, root, policy, ledger, lost_power=True)
        opened.die()
    return ledger


@pytest.mark.parametrize(
    ("policy", "preallocate"), [*((policy, False) for policy in POLICIES), ("batch", True), ("interval", True)]
)
def test_loss_of_power_at_every_step_of_the_script(tmp_path: Path, policy: SyncPolicy, preallocate: bool) -> None:
    ledger = Ledger()
    (tmp_path / "run").mkdir()
    storage = ForgetfulStorage(tmp_path / "run")
    left = keep_some(storage, ledger, "script", Random(1), one_in=1)
    opened = open_log(tmp_path / "run", policy, storage, preallocate=preallocate)
    Worker(opened.log, opened.clock, policy, 0, ledger.take).script()
    assert storage.seen() == picture(tmp_path / "run"), "the engine changes the disk past its storage"
    opened.log.close()
    storage.close_all()
    for number, state in every(12, list(enumerate(left)), POLICIES.index(policy) + preallocate):
        open_left(state, tmp_path / str(number), policy, preallocate)


def keep_some(storage: ForgetfulStorage, ledger: Ledger, what: str, random: Random, one_in: int) -> list[Left]:
    """A list that gets what a loss of power would leave, before one in so many steps."""
    left: list[Left] = []

    def keep(step: Step) -> None:
        if random.random() * one_in < 1:
            left.append((f"{what}, {step}", storage.crash(Random(random.getrandbits(32))), copy.deepcopy(ledger)))

    storage.before_step = keep
    return left


def generations(
    folder: Path, policy: SyncPolicy, seed: int, count: int = 3, operations: int = 25, one_in: int = 40
) -> int:
    """Work, lose power, open, work on what was left, ...; beside that, open what a crash at other moments leaves.

    Returns how many states were opened.
    """
    random, ledger, opened_count, preallocate = Random(seed), Ledger(), 0, bool(seed % 2)
    root = folder / "0"
    root.mkdir(parents=True)
    for generation in range(count):
        storage = ForgetfulStorage(root)
        left = keep_some(storage, ledger, f"seed {seed}, generation {generation}", random, one_in)
        opened = open_log(root, policy, storage, STARTED_MS + generation * 1000, preallocate=preallocate)
        worker = Worker(opened.log, opened.clock, policy, ledger.last_number + 1, ledger.take)
        for _ in range(operations):
            worker.draw(random)
        opened.die()
        for number, state in enumerate(left):
            open_left(state, folder / f"{generation}-{number}", policy, preallocate)
        opened_count += len(left) + 1
        end = (f"seed {seed}, end of generation {generation}", storage.crash(random), ledger)
        root = folder / f"{generation + 1}"
        open_left(end, root, policy, preallocate)
    return opened_count


@pytest.mark.parametrize("policy", POLICIES)
def test_loss_of_power_at_random(tmp_path: Path, policy: SyncPolicy) -> None:
    seeds = range(6) if IS_NIGHT else [POLICIES.index(policy)]
    assert sum(generations(tmp_path / str(seed), policy, seed) for seed in seeds) > 8 * len(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_loss_of_power_at_random_all_night(tmp_path: Path, policy: SyncPolicy) -> None:
    for seed in range(1000, 1300):
        generations(tmp_path / str(seed), policy, seed)


def test_loss_of_power_after_a_failed_sync(tmp_path: Path) -> None:
    """A sync that failed has made nothing certain, and nothing was acknowledged on its word."""
    opened_count = 0
    for number in itertools.count(1, 1 if IS_NIGHT else 3):
        root, ledger = tmp_path / f"run-{number}", Ledger()
        root.mkdir()
        storage = ForgetfulStorage(root)
        syncs = 0

        def fail_a_sync(step: Step, storage: ForgetfulStorage = storage, number: int = number) -> None:
            nonlocal syncs
            if step.operation == "sync":
                syncs += 1
                if syncs == number:
                    storage.fault = Fault(step.number)

        storage.before_step, opened = fail_a_sync, None
        try:
            opened = open_log(root, "batch", storage)
            Worker(opened.log, opened.clock, "batch", 0, ledger.take).script()
            opened.log.close()
        except (OSError, WriterFailedError):
            with suppress(WriterFailedError):
                if opened is not None:
                    opened.log.close()  # which lets go of its files as they are
        storage.close_all()
        if not storage.failed:
            break
        for seed in every(3, range(3), number // 3):
            state = (f"{storage.failed[0]}, seed {seed}", storage.crash(Random(seed)), copy.deepcopy(ledger))
            open_left(state, tmp_path / f"{number}-{seed}", "batch")
            opened_count += 1
    assert number > 30 and opened_count >= number // 3

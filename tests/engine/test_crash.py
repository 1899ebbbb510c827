"""What a log holds after kill -9 and after a disk that failed: everything it had acknowledged, once.

The kernel survives both, so what was written is there under every sync policy. `test_power_loss` has the rest.
"""

from __future__ import annotations

import copy
import errno
import functools
import itertools
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kformat_engine.config import SyncPolicy
from kformat_engine.errors import WriterFailedError
from tests.draws import every
from tests.engine.crash_child import POLICIES, Opened, Worker, judge_and_append, judge_log, main, open_log
from tests.engine.faults import Death, Fault, FaultyStorage, Picture, Step, picture, put_back, torn_between
from tests.engine.ledger import Ledger

pytestmark = pytest.mark.drawn

OPERATIONS = ("write", "sync", "truncate", "create", "rename", "unlink", "make_directory", "sync_directory")


@contextmanager
def told(what: object) -> Iterator[None]:
    """Says in a failure where it happened."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"at {what}")
        raise


def run_script(root: Path, policy: SyncPolicy, storage: FaultyStorage, ledger: Ledger) -> Opened:
    root.mkdir(exist_ok=True)
    opened = open_log(root, policy, storage)
    Worker(opened.log, opened.clock, policy, 0, ledger.take).script()
    return opened


# Death


@functools.cache
def moments(policy: SyncPolicy) -> list[tuple[Step, Picture, Ledger]]:
    """What lies on the disk, and what was promised, before each step of the scripted run, its opening and its close."""
    seen: list[tuple[Step, Picture, Ledger]] = []
    ledger = Ledger()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        storage = FaultyStorage()
        storage.before_step = lambda step: seen.append((step, picture(root), copy.deepcopy(ledger)))
        opened = run_script(root, policy, storage, ledger)
        opened.log.close()
        storage.close_all()
    return seen


def test_the_script_has_every_kind_of_step() -> None:
    steps = [step for step, _, _ in moments("batch")]
    assert {step.operation for step in steps} >= set(OPERATIONS)
    assert {Path(step.name).suffix for step in steps if step.operation == "write"} >= {".log", ".index", ".timeindex"}


@pytest.mark.parametrize("policy", POLICIES)
def test_death_before_every_step(tmp_path: Path, policy: SyncPolicy) -> None:
    different: list[tuple[Step, Picture, Ledger]] = []
    for moment in moments(policy):  # a sync changes nothing, nor what finds nothing to remove
        if not different or moment[1:] != different[-1][1:]:
            different.append(moment)
    for step, shown, ledger in every(8, different, POLICIES.index(policy)):
        with told(step):
            root = tmp_path / str(step.number)
            put_back(shown, root)
            opened = open_log(root, policy)
            judge_and_append(opened, root, policy, copy.deepcopy(ledger), lost_power=False)
            opened.die()


@pytest.mark.parametrize("policy", ["never", "batch"])
def test_death_in_the_middle_of_every_write(tmp_path: Path, policy: SyncPolicy) -> None:
    seen = moments(policy)
    writes = [pair for pair in itertools.pairwise(seen) if pair[0][0].operation == "write"]
    for (step, before, ledger), (_, after, _) in every(2, writes, POLICIES.index(policy) // 2):
        with told(step):
            shown = dict(before)
            for name, data in after.items():
                was = before.get(name)
                if data is not None and was is not None:
                    shown[name] = torn_between(was, data)
            root = tmp_path / str(step.number)
            put_back(shown, root)
            opened = open_log(root, policy)
            judge_and_append(opened, root, policy, copy.deepcopy(ledger), lost_power=False)
            opened.die()


def test_death_of_the_running_process_at_every_eighth_step(tmp_path: Path) -> None:
    """What the pictures stand for: here the run itself ends, torn writes among it."""
    for number in range(1, len(moments("never")) + 1, 8):
        fault = Fault(number, None, torn=True)
        with told(fault):
            root, ledger = tmp_path / str(number), Ledger()
            storage = FaultyStorage(fault)
            with pytest.raises(Death):
                opened = run_script(root, "never", storage, ledger)
                opened.log.close()
            storage.close_all()
            opened = open_log(root, "never")
            judge_and_append(opened, root, "never", ledger, lost_power=False)
            opened.die()


def test_death_at_every_step_of_a_recovery(tmp_path: Path) -> None:
    seen = moments("never")
    for step, shown, ledger in seen[5 :: len(seen) // 8]:
        put_back(shown, tmp_path / str(step.number))
        storage = FaultyStorage()
        open_log(tmp_path / str(step.number), "never", storage).die()
        for number in every(5, range(1, len(storage.trace) + 1), step.number):
            with told(f"{step}, then {storage.trace[number - 1]} of the recovery"):
                root = tmp_path / f"{step.number}-{number}"
                put_back(shown, root)
                dying = FaultyStorage(Fault(number, None))
                with pytest.raises(Death):
                    open_log(root, "never", dying)
                dying.close_all()
                opened = open_log(root, "never")
                judge_and_append(opened, root, "never", copy.deepcopy(ledger), lost_power=False)
                opened.die()


# Killed by the parent, or by its own hand at a step

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.engine.crash_child"])  # imported once, not by every process


def kill_cycles(root: Path, policy: SyncPolicy, cycles: int, seed: int) -> Ledger:
    """Let a process work until it is killed, open the log, judge it, and so on, in one folder."""
    random, ledger = Random(seed), Ledger()
    for cycle in range(cycles):
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        own_hand = random.random() < 0.5
        last_step = int(10 ** random.uniform(0, 2.7)) if own_hand else None
        arguments = (theirs, root, policy, random.getrandbits(32), ledger.last_number + 1, last_step)
        process = _CONTEXT.Process(target=main, args=arguments, daemon=True)
        process.start()
        theirs.close()
        with told(f"seed {seed}, cycle {cycle}, step {last_step}"):
            kill_after = None if own_hand else random.randint(0, 50)
            _take_until_killed(process, ours, ledger, kill_after, random.uniform(0, 0.003))
            process.join(30)
            assert process.exitcode == -signal.SIGKILL, f"it ended by itself: {process.exitcode}"
            opened = open_log(root, policy)
            judge_and_append(opened, root, policy, ledger, lost_power=False)
            if random.random() < 0.5:
                opened.log.close()
                opened.storage.close_all()
            else:
                opened.die()
    return ledger


def _take_until_killed(process: Any, pipe: Any, ledger: Ledger, kill_after: int | None, seconds: float) -> None:
    """Take reports until the process is gone; kill it a moment after so many of them, unless it does that itself."""
    taken = 0
    try:
        while True:
            event = pipe.recv()
            if event != ("opened",):
                ledger.take(event)
            if taken == kill_after:
                time.sleep(seconds)
                os.kill(process.pid, signal.SIGKILL)
            taken += 1
    except (EOFError, ConnectionResetError):  # what it had reported before is still taken
        pass


@pytest.mark.parametrize(("policy", "cycles"), [("never", 20), ("interval", 15), ("batch", 15)])
def test_kill_at_random(tmp_path: Path, policy: SyncPolicy, cycles: int) -> None:
    ledger = kill_cycles(tmp_path, policy, cycles, seed=1)
    assert ledger.operations_count > 5 * cycles


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_kill_at_random_all_night(tmp_path: Path, policy: SyncPolicy) -> None:
    for seed in range(10):
        kill_cycles(tmp_path / str(seed), policy, 34, seed=100 + seed)


# A disk that fails


def fail_script(root: Path, policy: SyncPolicy, fault: Fault, close: bool) -> str:
    """Run the script on a disk that fails, then open the log on one that does not. What became of the run."""
    root.mkdir()  # so that the steps are those of `moments`
    storage, ledger = FaultyStorage(fault), Ledger()
    opened = None
    try:
        opened = open_log(root, policy, storage)
    except OSError:
        storage.close_all()
    outcome = "not opened"
    if opened is not None:
        outcome = "went on"
        worker = Worker(opened.log, opened.clock, policy, 0, ledger.take)
        try:
            worker.script()
        except (OSError, WriterFailedError):
            outcome = "failed"
            refuses_and_reads(opened, storage, ledger)
        if close:
            try:
                opened.log.close()
            except (OSError, WriterFailedError):
                outcome += ", close failed"
            storage.close_all()
        else:
            opened.die()
    if not storage.failed:
        return "never came to it"
    opened = open_log(root, policy)
    judge_and_append(opened, root, policy, ledger, lost_power=False)
    opened.die()
    return f"{storage.failed[0].operation} {Path(storage.failed[0].name).suffix}: {outcome}"


def refuses_and_reads(opened: Opened, storage: FaultyStorage, ledger: Ledger) -> None:
    """After a failure nothing is written any more, and what was acknowledged can be read."""
    storage.fault = None
    steps = len(storage.trace)
    log = opened.log
    for refused in (lambda: log.append([b"more"]), log.flush, log.roll, lambda: log.truncate_to(log.start_offset)):
        with pytest.raises(WriterFailedError):
            refused()
    changed = [step for step in storage.trace[steps:] if step.operation in ("write", "truncate", "rename", "sync")]
    assert not changed, f"done after the failure: {', '.join(map(str, changed))}"
    judge_log(log, copy.deepcopy(ledger), lost_power=False)


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        pytest.param("batch", errno.EIO, id="batch-EIO"),
        pytest.param("never", errno.ENOSPC, id="never-ENOSPC"),
        pytest.param("batch", errno.ENOSPC, id="batch-ENOSPC", marks=pytest.mark.slow),
        pytest.param("never", errno.EIO, id="never-EIO", marks=pytest.mark.slow),
        pytest.param("interval", errno.EIO, id="interval-EIO", marks=pytest.mark.slow),
    ],
)
def test_an_error_at_every_step(tmp_path: Path, policy: SyncPolicy, error: int) -> None:
    """Where the script opens, writes, syncs, renames: each step once, by itself or for good, writes torn or not."""
    outcomes = set()
    for step, _, _ in every(18, moments(policy), error):
        fault = Fault(step.number, error, stays=step.number % 3 == 0, torn=error == errno.ENOSPC)
        with told(f"{fault}: {step}"):
            outcomes.add(fail_script(tmp_path / str(step.number), policy, fault, close=step.number % 2 == 0))
    assert {outcome for outcome in outcomes if outcome.startswith(("write .log", "sync .log"))} <= {
        "write .log: failed",
        "write .log: failed, close failed",
        "sync .log: failed",
        "sync .log: failed, close failed",
        "sync .log: went on, close failed",
    }


def test_a_failed_sync_is_not_tried_again(tmp_path: Path) -> None:
    """The kernel may have dropped what it could not write: another sync would succeed, and mean nothing."""
    syncs = [step for step, _, _ in moments("batch") if step.operation == "sync" and step.name.endswith(".log")]
    for step in syncs:
        with told(step):
            root, ledger = tmp_path / str(step.number), Ledger()
            storage = FaultyStorage(Fault(step.number))
            root.mkdir()
            opened = open_log(root, "batch", storage)
            with pytest.raises((OSError, WriterFailedError)):
                Worker(opened.log, opened.clock, "batch", 0, ledger.take).script()
                opened.log.close()
            certain = opened.log.recovery_point
            if not opened.log.is_closed:
                with pytest.raises(WriterFailedError):
                    opened.log.flush()
                opened.log.close()
            later = [other for other in storage.trace[step.number :] if other[1:] == step[1:]]
            assert not later, f"synced again: {later}"
            assert opened.log.recovery_point == certain <= ledger.end
            storage.close_all()
            opened = open_log(root, "batch")
            judge_and_append(opened, root, "batch", ledger, lost_power=False)
            opened.die()

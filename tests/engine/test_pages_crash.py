"""The programs of docs/embedded-log.md, and `kformat log import`, after kill -9 at any step and at any time: started
again, they lose nothing and store nothing twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log
from tests.draws import IS_NIGHT
from tests.engine.ledger import errors_in
from tests.engine.mortal_program import run
from tests.engine.test_crash import told
from tools import documents

pytestmark = pytest.mark.drawn

PAGE = "docs/embedded-log.md"
IMPORT = """
import sys
from kformat.cli import main
main(["-q", "log", "import", "copied/names-0", "--sqlite", "names.db", "--table", "names", "--value", "name"])
"""
TIMEOUT_S = 300
MOST_RUNS = 40
KILLS = 4
NAMES = [f"name-{number}" for number in range(7)]
JOBS = ["5", "none", "crash", "4"]
COMMANDS = [("ann", 1), ("bob", 2), ("ann", 4), ("bob", -100), ("ann", 8), ("bob", 16), ("ann", 32)]

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.engine.mortal_program"])


@dataclass(frozen=True)
class Program:
    """A program and its task.

    ``prepare`` makes what it needs in a folder; ``arguments`` are those with which it goes on there; ``results`` reads
    what it has stored, which is ``expected`` at the end. ``most_by_day``: at how many steps it is killed by day.
    """

    name: str
    prepare: Callable[[Path], object]
    results: Callable[[Path], Any]
    expected: Any
    arguments: Callable[[Path], list[str]] = lambda folder: ["0"]
    most_by_day: int = 7


def append(log: str, lines: list[str]) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        with Log.open(folder / log) as opened:
            for line in lines:
                opened.append([line.encode()])

    return prepare


def values(folder: Path, log: str) -> list[str]:
    """The committed values of a log."""
    with LogReader.open(folder / log) as reader:
        return [(record.value or b"").decode() for record in reader.records(isolation_level="read_committed")]


def outcomes(folder: Path) -> dict[str, list[str]]:
    """The keys of the results, and of the dead letters: the jobs."""
    found = {}
    for topic in ("done", "dead"):
        with LogReader.open(folder / f"work/{topic}-0") as reader:
            records = reader.records(isolation_level="read_committed")
            found[topic] = [(record.key or b"").decode() for record in records]
    return found


def write_commands(folder: Path) -> None:
    (folder / "input").write_text("".join(f"{account} {amount}\n" for account, amount in COMMANDS))


def balances(folder: Path) -> tuple[dict[str, int], int]:
    """The state from the last snapshot and the events after it, and how many events there were."""
    with LogReader.open(folder / "bank/snapshots-0") as snapshots, LogReader.open(folder / "bank/events-0") as events:
        *_, snapshot = snapshots
        state, offset = json.loads(snapshot.value or b"")
        for record in events.records(offset):
            event = json.loads(record.value or b"")
            state[event["account"]] += event["amount"]
        return state, events.end_offset


def column(folder: Path, table: str, name: str) -> list[Any]:
    """A column of a table of the shop; nothing if there is no such table yet."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        try:
            return [value for (value,) in connection.execute(f"SELECT {name} FROM {table} ORDER BY id")]
        except sqlite3.OperationalError as error:
            assert "no such table" in str(error)
            return []


def ordered(folder: Path) -> tuple[list[str], list[str]]:
    return column(folder, "orders", "item"), [value.decode() for value in column(folder, "outbox", "value")]


def fill_outbox(folder: Path) -> None:
    assert start(SHOP, folder)[0] == 0


def fill_table(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "names.db")) as connection, connection:
        connection.execute("CREATE TABLE names (name TEXT PRIMARY KEY)")
        connection.executemany("INSERT INTO names VALUES (?)", [(name,) for name in NAMES])


ANNOUNCED = [f"order {number}: {name}" for number, name in enumerate(NAMES, 1)]
SHOP = Program(
    "shop.py",
    prepare=lambda folder: None,
    results=ordered,
    expected=(NAMES, ANNOUNCED),
    arguments=lambda folder: NAMES[len(column(folder, "orders", "item")) :],
)
PROGRAMS = (
    Program(
        "follower.py",
        append("shop/payments-0", NAMES),
        lambda folder: values(folder, "till/receipts-0"),
        [f"receipt for {name}" for name in NAMES],
    ),
    Program(
        "worker.py",
        append("queue/jobs-0", JOBS),
        outcomes,
        {"done": ["5", "4"], "dead": ["none", "crash"]},
        most_by_day=2,
    ),
    Program("bank.py", write_commands, balances, ({"ann": 45, "bob": 18}, len(COMMANDS))),
    SHOP,
    Program(
        "relay.py",
        fill_outbox,
        lambda folder: (values(folder, "announced/orders-0"), column(folder, "outbox", "id")),
        (ANNOUNCED, []),
        lambda folder: ["once"],
    ),
    Program("import.py", fill_table, lambda folder: values(folder, "copied/names-0"), NAMES, lambda folder: []),
)
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


def new_folder(program: Program, folder: Path) -> Path:
    """A folder with the program and what it needs."""
    folder.mkdir()
    blocks = documents.blocks((documents.ROOT / PAGE).read_text(encoding="utf-8"))
    for name, text in [(block.name, block.body) for block in blocks if block.name] + [("import.py", IMPORT)]:
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "input").touch()
    program.prepare(folder)
    return folder


def spawned(program: Program, folder: Path, arguments: list[str], last_step: int | None = None) -> tuple[Any, Any]:
    """A process that runs a program, and the pipe through which it sends the kinds of its steps."""
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(
        target=run, args=(theirs, folder / program.name, arguments, folder, last_step), daemon=True
    )
    process.start()
    theirs.close()
    return process, ours


def kill(process: Any) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.join(TIMEOUT_S)
    assert process.exitcode is not None


def start(
    program: Program, folder: Path, last_step: int | None = None, kill_after_s: float | None = None
) -> tuple[int, list[str]]:
    """Run a program until it ends, or is killed; its status, and the kinds of its steps if it ended by itself."""
    process, pipe = spawned(program, folder, program.arguments(folder), last_step)
    with closing(pipe):
        process.join(TIMEOUT_S if kill_after_s is None else kill_after_s)
        if process.is_alive():
            assert kill_after_s is not None, "it does not end"
            kill(process)
        try:
            return process.exitcode, pipe.recv()
        except EOFError:
            return process.exitcode, []


def finish(program: Program, folder: Path) -> list[list[str]]:
    """Start a program until it ends well; the kinds of the steps of each run."""
    runs = []
    for _ in range(MOST_RUNS):
        status, kinds = start(program, folder)
        assert kinds and status in (0, 1)
        runs.append(kinds)
        if not status:
            return runs
    raise AssertionError("it never ends well")


def judge(program: Program, folder: Path) -> None:
    assert program.results(folder) == program.expected
    for root in folder.iterdir():
        if root.is_dir() and root.name != "positions":
            assert not errors_in(root)


def moments(runs: list[list[str]], random: Random, most: int) -> list[tuple[int, int]]:
    """The number of a run, and a step in it, from 1 on: by night all, by day one of each kind, the rare ones first."""
    found = [(kind, (number, step)) for number, kinds in enumerate(runs) for step, kind in enumerate(kinds, 1)]
    if IS_NIGHT:
        return [moment for _, moment in found]
    counts = Counter(kind for kind, _ in found)
    random.shuffle(found)
    one_of_each = dict(found)
    return [one_of_each[kind] for kind, _ in reversed(counts.most_common())][:most]


@each_program
def test_a_program_that_is_killed_at_a_step_goes_on(program: Program, tmp_path: Path) -> None:
    folder, random = new_folder(program, tmp_path / "whole"), Random(1)
    runs = finish(program, folder)
    judge(program, folder)
    for number, step in moments(runs, random, program.most_by_day):
        again = random.randint(1, max(map(len, runs)))
        with told(f"run {number}, step {step} ({runs[number][step - 1]}), then step {again}"):
            folder = new_folder(program, tmp_path / f"{number}-{step}")
            for _ in range(number):
                start(program, folder)
            assert start(program, folder, step) == (-signal.SIGKILL, [])
            start(program, folder, again)
            finish(program, folder)
            judge(program, folder)


@each_program
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_a_program_that_is_killed_at_any_time_goes_on(program: Program, seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    began = time.monotonic()
    finish(program, new_folder(program, tmp_path / "whole"))
    longest_s = time.monotonic() - began
    folder = new_folder(program, tmp_path / "killed")
    for _ in range(KILLS):
        start(program, folder, kill_after_s=random.uniform(0, longest_s))
    finish(program, folder)
    found = program.results(folder)
    if program.name == "worker.py":  # a job that is killed three times is a dead letter, too
        assert sorted(found["done"] + found["dead"]) == sorted(JOBS)
    else:
        judge(program, folder)


def test_a_follower_that_runs_for_ever_is_killed_while_payments_come(tmp_path: Path) -> None:
    program = PROGRAMS[0]
    folder = new_folder(replace(program, prepare=append("shop/payments-0", [])), tmp_path / "live")
    random, process = Random(1), None
    with Log.open(folder / "shop/payments-0") as payments:
        for name in NAMES:
            if process is None:
                process, pipe = spawned(program, folder, [])
                pipe.close()
            payments.append([name.encode()])
            if random.random() < 0.5:
                time.sleep(random.uniform(0, 0.1))
                kill(process)
                process = None
        if process is None:
            process, pipe = spawned(program, folder, [])
            pipe.close()
        with LogReader.open(folder / "till/receipts-0", wait=TIMEOUT_S) as receipts:
            assert receipts.wait(len(NAMES) - 1, TIMEOUT_S)
    kill(process)
    judge(program, folder)

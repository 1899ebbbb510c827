"""One writer at a time: of the six that write below a root each keeps out each, in its process and in others."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

from kformat.errors import RootLockedError
from tests.engine.writers import WRITERS, lay, values_of

ROUNDS = 300
PAIRS = list(itertools.combinations_with_replacement(WRITERS, 2))


@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_a_writer_refuses_another_one_in_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda descriptor: None)
    there = [b"%d" % number for number in range(20)]
    lay(tmp_path, there)
    refusals = list[str]()

    def meanwhile() -> None:
        if not refusals:
            with pytest.raises(RootLockedError) as caught:
                WRITERS[second](tmp_path, [b"of the second"], lambda: None)
            refusals.append(str(caught.value))

    there += WRITERS[first](tmp_path, [b"of the first"] * 3, meanwhile)
    assert "in this process already" in refusals[0]
    there += WRITERS[second](tmp_path, [b"later"], lambda: None)
    assert values_of(tmp_path) == there


def _work(pipe: Connection) -> None:
    """A process that writes what it is told to, when it is told to."""
    while (task := pipe.recv()) is not None:
        name, root, values, pause = task
        pipe.send("ready")
        pipe.recv()
        for _ in range(pause):
            pass
        answer: Any
        try:
            answer = list(WRITERS[name](root, values, lambda: None))
        except RootLockedError:
            answer = None
        except BaseException:
            answer = traceback.format_exc()
        pipe.send(answer)


@pytest.mark.slow
def test_two_processes_and_one_root(tmp_path: Path) -> None:
    """Whoever is not refused loses nothing, and at most one is refused: they meet, or go one after the other."""
    context, chance = multiprocessing.get_context("spawn"), random.Random(17)
    pipes = []
    for _ in range(2):
        mine, other = context.Pipe()
        context.Process(target=_work, args=(other,), daemon=True).start()
        pipes.append(mine)
    outcomes = Counter[tuple[str, ...]]()
    for number in range(ROUNDS):
        pair, root = PAIRS[number % len(PAIRS)], tmp_path / str(number)
        there = [b"%d" % value for value in range(30)]
        lay(root, there)
        if chance.random() < 0.3:
            (root / ".lock").unlink()
        for turn, (name, pipe) in enumerate(zip(chance.sample(pair, 2), pipes, strict=True)):
            values = [b"%d of %d" % (value, turn) for value in range(5)]
            pipe.send((name, root, values, chance.randrange(200_000)))
        answers = list[Any]()
        assert [_received(pipe) for pipe in pipes] == ["ready"] * 2
        for pipe in pipes:
            pipe.send("go")
        answers = [_received(pipe) for pipe in pipes]
        assert not [answer for answer in answers if isinstance(answer, str)], answers
        acknowledged = [answer for answer in answers if answer is not None]
        assert acknowledged, f"round {number}: {pair} were both refused"
        found = values_of(root)
        orders = [[*there, *itertools.chain(*order)] for order in itertools.permutations(acknowledged)]
        assert found in orders, f"round {number}: {pair}"
        outcomes[(*pair, "in turn" if len(acknowledged) == 2 else "one refused")] += 1
    for pipe in pipes:
        pipe.send(None)
    assert {count for pair in PAIRS if (count := sum(outcomes[(*pair, way)] for way in WAYS)) < 10} == set()
    assert sum(count for (*_, way), count in outcomes.items() if way == "one refused") > ROUNDS // 10, outcomes


WAYS = ("in turn", "one refused")


def _received(pipe: Connection) -> Any:
    assert pipe.poll(60), "a process hangs"
    return pipe.recv()

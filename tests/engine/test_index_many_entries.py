"""Several entries that are added with one write are those that are added one after the other; so is what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kformat.integers import MAX_INT32, MAX_INT64
from kformat_engine.index import OffsetIndex, TimeIndex

BASE = 1000
ROOM = 12


def outcome(index: Any, path: Path, work: Callable[[], object]) -> Any:
    error = ""
    try:
        work()
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}".replace(str(index.path), "PATH")
    last = index.last_offset if isinstance(index, OffsetIndex) else index.last_entry
    return error, index.entry_count, last, path.read_bytes()


def one_by_one(add: Callable[[int, int], object], entries: list[tuple[int, int]]) -> None:
    for entry in entries:
        add(*entry)


def rising(chance: random.Random, count: int, start: int) -> list[int]:
    """Numbers that mostly rise."""
    found = []
    for _ in range(count):
        start += chance.choice((1, 1, 1, 7, 0, -1)) if chance.random() < 0.3 else 1
        found.append(start)
    return found


@pytest.mark.parametrize("kind", [OffsetIndex, TimeIndex])
def test_many_entries_are_the_same_one_by_one(kind: Any, tmp_path: Path) -> None:
    chance, refused = random.Random(kind.__name__), 0
    for number in range(150):
        indexes = []
        for name in ("many", "each"):
            path = tmp_path / f"{number}-{name}"
            indexes.append((kind(path, BASE, 12 * ROOM), path))
        first = 0
        for _ in range(3):
            count = chance.randrange(6)
            keys, values = rising(chance, count, BASE + first), rising(chance, count, 5 + first)
            if kind is TimeIndex:
                keys, values = rising(chance, count, 5 + first), keys
            entries = list(zip(keys, values, strict=True))
            if entries and chance.random() < 0.2:
                edge = chance.choice((BASE + MAX_INT32, BASE + MAX_INT32 + 1, MAX_INT64, MAX_INT64 + 1, BASE - 1, -1))
                entries[-1] = chance.choice(((edge, entries[-1][1]), (entries[-1][0], edge)))
            if chance.random() < 0.05:
                for index, _ in indexes:
                    index.seal()
            (many, one), (each, other) = indexes
            add_all = many.append_all if kind is OffsetIndex else many.maybe_append_all
            add = each.append if kind is OffsetIndex else each.maybe_append
            found = outcome(many, one, partial(add_all, entries))
            assert found == outcome(each, other, partial(one_by_one, add, entries))
            refused += bool(found[0])
            first += count + 1
        for index, _ in indexes:
            index.release()
    assert 20 < refused < 300

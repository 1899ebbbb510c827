"""Benchmarks measure work that is done: in every round, and not only before the first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import compare, engine


def lazy_after(count: int) -> Callable[[], int]:
    """Work that is done so many times, and then no more."""
    done = 0

    def work() -> int:
        nonlocal done
        done += 1
        return 7 if done <= count else 0

    return work


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_round_without_work_is_no_round(count: int) -> None:
    ways = {"ours": lambda: 7, "theirs": lazy_after(count)}
    case = compare.Case("work", "pieces", 1, 1, ways, before=lambda: None)
    with pytest.raises(AssertionError, match="theirs and ours do not agree"):
        compare.run(case, 2)
    assert compare.run(compare.Case("work", "pieces", 1, 1, {"ours": lazy_after(4)}, before=lambda: None), 2).seconds


@pytest.mark.long
def test_every_round_of_the_engines_benchmark_does_its_work(tmp_path: Path) -> None:
    """The cases that leave something behind, and compaction above all: the root says up to where that went."""
    work = engine.Bench(tmp_path, engine.Sizes(1 << 20, 1000, 10, 10, 20_000, 1 << 18), None)
    compacted = list[int]()
    for case in work.cases():
        if case.name in ("compact a log", "rebuild the indexes", "append to a segment"):
            compare.run(case, 2)
        if case.name == "compact a log":
            for _ in range(2):
                work.lay_keyed()
                compacted.append(sum(path.stat().st_size for path in work.compact().glob("*.log")))
    work.log.close()
    assert len(set(compacted)) == 1
    assert compacted[0] < sum(path.stat().st_size for path in work.keyed.glob("*.log")) / 2

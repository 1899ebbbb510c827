"""Time named ways of doing the same work in turn, and say the medians and their ratios.

Rules: the ways take turns (A B C A B C ...), so that a machine that slows down slows all of them; one round warms up
and does not count; each way must give the same answer, which is compared before anything is timed, and after each
round, outside of the time: work that is not done again shows. Time is the wall's, unless a case brings clocks of its
own. CI asks for a single round to compare the answers: then these are the warm-up, and short work is not repeated.
"""

from __future__ import annotations

import gc
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

ROUNDS = 7
SMALLEST_SECONDS = 0.05


@dataclass(frozen=True)
class Case:
    """One kind of work: ``ways`` by name (the first is ours), each a function that does it and gives an answer."""

    name: str
    unit: str
    count: int
    """How many units the work handles."""
    size_bytes: int
    ways: Mapping[str, Callable[[], Any]]
    seen_as: Callable[[Any], Any] = lambda answer: answer
    """What of an answer has to be the same for all; not part of the time."""
    clocks: Mapping[str, Callable[[], float]] = field(default_factory=dict)
    """Seconds so far, for the ways that are not to be timed by the wall's clock."""
    before: Callable[[], None] | None = None
    """Done before each piece of work; not part of the time."""
    least_seconds: float = SMALLEST_SECONDS
    """Work that takes less is done again and again for so long; what counts is the mean of it."""


@dataclass(frozen=True)
class Result:
    """Seconds per way and round."""

    case: Case
    seconds: Mapping[str, list[float]]

    def median(self, way: str) -> float:
        return statistics.median(self.seconds[way])


def run(case: Case, rounds: int = ROUNDS) -> Result:
    """Measure one case; AssertionError where two ways disagree, or one with itself, in any round."""
    before = case.before or (lambda: None)
    seen = list[tuple[str, Any]]()

    def compare(way: str, answer: Any, number: int) -> None:
        seen.append((way, case.seen_as(answer)))
        (first, expected), (_, found) = seen[0], seen[-1]
        del seen[1:]
        assert found == expected, f"{case.name}, round {number}: {way} and {first} do not agree"

    for way, work in case.ways.items():
        before()
        compare(way, work(), 0)
    is_once = case.before is not None or rounds == 1
    repeats = {way: 1 if is_once else _repeats(work, case.least_seconds) for way, work in case.ways.items()}
    seconds: dict[str, list[float]] = {way: [] for way in case.ways}
    warm_up = 0 if rounds == 1 else 1
    for number in range(rounds + warm_up):
        for way, work in case.ways.items():
            gc.collect()
            before()
            clock = case.clocks.get(way, time.perf_counter)
            start = clock()
            for _ in range(repeats[way]):
                answer = work()
            taken = (clock() - start) / repeats[way]
            if number >= warm_up:
                seconds[way].append(taken)
            compare(way, answer, number + 1)
            del answer
    return Result(case, seconds)


def _repeats(work: Callable[[], Any], least_seconds: float) -> int:
    start = time.perf_counter()
    work()
    return max(1, round(least_seconds / max(time.perf_counter() - start, 1e-9)))


def table(results: list[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| work | by | thousand/s | MB/s | time, kformat = 1 | min-max |", "|---|---|---:|---:|---:|---:|"]
    for result in results:
        ours = result.median(next(iter(result.case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            rate, volume = result.case.count / median / 1000, result.case.size_bytes / median / 1e6
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}"
            work = f"{result.case.name} ({result.case.unit})"
            lines.append(f"| {work} | {way} | {rate:,.1f} | {volume:,.1f} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)


def versions(*distributions: str) -> str:
    """What was measured on: Python and the versions of the libraries named."""
    found = ", ".join(f"{name} {metadata.version(name)}" for name in distributions)
    return f"Python {platform.python_version()} on {platform.machine()}; {found}"

"""The options of a dump, and the problems that it reports besides its output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.dump.decoders import NEWEST, RecordText
from kformat.errors import DataError
from kformat.integers import MAX_INT32
from kformat.kafka.columns.declared import Shown

MAX_BYTES: Final = MAX_INT32
"""The tool's default for `--max-bytes`, which stands for no limit."""

KEPT_REPORTS: Final = 10_000
"""How many lines of one report are kept; more are counted, so that a dump's memory does not grow."""


@dataclass(frozen=True)
class Options:
    """What to print; the names up to ``max_bytes`` are the tool's.

    ``deep_iteration`` is implied by ``print_data_log``. The ranges take an offset or a timestamp (ms) from the first
    (inclusive) to the second (exclusive), None for no bound: records outside of them are left out, batches of which
    nothing remains, index entries, and transactions with no offset inside.
    """

    print_data_log: bool = False
    deep_iteration: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    skip_record_metadata: bool = False
    max_bytes: int = MAX_BYTES
    from_offset: int | None = None
    to_offset: int | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    shown: Shown | None = None
    """How keys and values of the file's topic are printed; None: as text."""
    records: RecordText | None = None
    """How records of Kafka's own topics are printed."""
    like: str = NEWEST
    """The release whose text of control records it is."""

    @cached_property
    def is_deep(self) -> bool:
        return self.deep_iteration or self.print_data_log

    @cached_property
    def has_range(self) -> bool:
        return self.has_offset_range or self.has_time_range

    @cached_property
    def has_offset_range(self) -> bool:
        return self.from_offset is not None or self.to_offset is not None

    @cached_property
    def has_time_range(self) -> bool:
        return self.since_ms is not None or self.until_ms is not None

    def has_offset(self, offset: int) -> bool:
        return _within(offset, self.from_offset, self.to_offset)

    def has_timestamp(self, timestamp_ms: int) -> bool:
        return _within(timestamp_ms, self.since_ms, self.until_ms)


def _within(value: int, start: int | None, end: int | None) -> bool:
    return (start is None or value >= start) and (end is None or value < end)


@dataclass
class Pairs:
    """The pairs of one report for one file, the first `KEPT_REPORTS` of them."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    more: int = 0

    def add(self, first: int, second: int) -> None:
        if len(self.pairs) < KEPT_REPORTS:
            self.pairs.append((first, second))
        else:
            self.more += 1

    def extend(self, firsts: npt.NDArray[np.int64], seconds: npt.NDArray[np.int64]) -> None:
        """Add many."""
        room = max(0, KEPT_REPORTS - len(self.pairs))
        self.pairs += zip(firsts[:room].tolist(), seconds[:room].tolist(), strict=True)
        self.more += len(firsts[room:])


class DumpReport:
    """Problems that do not stop the dump: the tool's reports, and damage.

    ``on_damage`` is called with each error as it occurs; `lines` returns the tool's reports when all files are done, in
    its words and order.
    """

    def __init__(self, on_damage: Callable[[DataError], None]) -> None:
        self.on_damage = on_damage
        self.mismatches: dict[str, Pairs] = {}
        self.timestamp_mismatches: dict[str, Pairs] = {}
        self.out_of_order: dict[str, Pairs] = {}
        self.not_found: dict[str, Pairs] = {}
        self.non_consecutive: dict[str, Pairs] = {}

    @property
    def doubted(self) -> set[str]:
        """The absolute paths of indexes that a report of the tool's is about. Not all are wrong: the tool expects what
        the newest brokers write (`kformat.check` knows what others did). Offsets that do not follow one another are no
        fault of a log."""
        return {*self.mismatches, *self.timestamp_mismatches, *self.out_of_order, *self.not_found}

    def lines(self) -> Iterator[str]:
        """The reports as the tool prints them on standard error."""
        # The tool keeps the first and the last kind in sorted maps, where a later pair with the same first number
        # takes the earlier one's place.
        for pairs in self.mismatches.values():
            pairs.pairs = sorted(dict(pairs.pairs).items(), reverse=True)
        for pairs in self.non_consecutive.values():
            pairs.pairs = sorted(dict(pairs.pairs).items())
        yield from _report(self.mismatches, "Mismatches in :{}", "  Index offset: {}, log offset: {}")
        head = "Found timestamp mismatch in :{}"
        yield from _report(self.timestamp_mismatches, head, "  Index timestamp: {}, log timestamp: {}")
        head = "Found out of order timestamp in :{}"
        yield from _report(self.out_of_order, head, "  Index timestamp: {}, Previously indexed timestamp: {}")
        head = "The following indexed offsets are not found in :{}"
        yield from _report(self.not_found, head, "Indexed offset: {}, found log offset: {}")
        yield from _report(self.non_consecutive, "Non-consecutive offsets in {}", "  {} is followed by {}")


def _report(reports: dict[str, Pairs], head: str, line: str) -> Iterator[str]:
    for path, pairs in reports.items():
        yield head.format(path)
        for pair in pairs.pairs:
            yield line.format(*pair)
        if pairs.more:
            yield f"  and {pairs.more} more"

"""What a log has promised, and the judge of what it holds after a crash: nothing acknowledged is lost, nothing is there
twice, nothing is there that was never appended.

Each record's value carries a number, never used again, and bytes made from that number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import kformat

Event = tuple[str, *tuple[int, ...]]
"""What is done, then its numbers; see `Ledger.take`."""


def value(number: int, size: int) -> bytes:
    """The record's value of a number; ``size`` bytes behind it."""
    head = b"%d:" % number
    return head + hashlib.shake_128(head).digest(size)


def number_of(data: bytes | None) -> int:
    """The number of an intact value."""
    assert data is not None, "a record without its value"
    head, found, rest = data.partition(b":")
    assert found and head.isdigit(), f"no value of ours: {data[:40]!r}"
    assert value(int(head), len(rest)) == data, f"the value of number {int(head)} has changed"
    return int(head)


@dataclass
class Ledger:
    """What a log has acknowledged, by the reports of its worker.

    Attributes:
        start, end: the offsets between which records lie.
        records: offset -> number, of everything acknowledged and not taken away since.
        certain_end: records below it were promised to survive a loss of power.
        holes: offsets between start and end that have no record: what a loss of power took from the middle.
        pending: the operation that began and has not returned.
        ever: offset -> every number that an append was to have there.
        last_number: the highest number that was used.
    """

    start: int = 0
    end: int = 0
    records: dict[int, int] = field(default_factory=dict)
    certain_end: int = 0
    holes: set[int] = field(default_factory=set)
    pending: Event | None = None
    ever: dict[int, set[int]] = field(default_factory=dict)
    last_number: int = -1
    operations_count: int = 0

    def take(self, event: Event) -> None:
        """Take a report.

        An operation begins with ("append", first number, count), ("truncate", offset), ("delete", offset) or another
        name; it has returned with ("done", start offset, end offset, offset up to which all is certain).
        """
        kind, *numbers = event
        if kind != "done":
            assert self.pending is None, f"{event} began before {self.pending} returned"
            self.pending = event
            if kind == "append":
                first, count = numbers
                assert first > self.last_number
                self.last_number = first + count - 1
                for index in range(count):
                    self.ever.setdefault(self.end + index, set()).add(first + index)
            return
        assert self.pending is not None
        self.operations_count += 1
        start, end, certain_end = numbers
        kind, *asked = self.pending
        self.pending = None
        if kind == "append":
            first, count = asked
            assert end == self.end + count, f"{count} records moved the end from {self.end} to {end}"
            self.records.update((self.end + index, first + index) for index in range(count))
        else:
            assert end == self.end or kind == "truncate", f"{kind} moved the end from {self.end} to {end}"
            self.records = {offset: number for offset, number in self.records.items() if start <= offset < end}
        self.certain_end = max(min(self.certain_end, end), certain_end)
        self.start, self.end = start, end

    def judge(self, start: int, end: int, found: Iterable[tuple[int, bytes | None]], *, lost_power: bool) -> None:
        """Hold what an opened log holds against what was promised, and take it as the state from now on.

        A loss of power may take what is not certain from the middle, too: an earlier segment may have lost its unsynced
        end, and the next one not. Kafka takes that for a gap, as compaction leaves them, and so does the engine.

        Raises:
            AssertionError: a promise was broken.
        """
        self.judge_start(start, lost_power)
        numbers = dict(self._numbers(start, end, found, lost_power))
        kind, *asked = self.pending or ("nothing",)
        required_end = self.certain_end if lost_power else self.end
        if kind == "truncate":
            required_end = min(required_end, asked[0])
        assert end >= required_end, f"acknowledged up to {required_end}, and the log ends at {end}"
        allowed_end = self.end + (asked[1] if kind == "append" else 0)
        if lost_power:
            allowed_end = max(allowed_end, max(self.ever, default=-1) + 1)
        assert end <= allowed_end, f"nothing was ever appended from {allowed_end} on, and the log ends at {end}"
        for offset, number in numbers.items():
            if offset < required_end and offset in self.records:
                assert number == self.records[offset], f"{offset} holds {number}, not {self.records[offset]}"
            else:
                allowed = self.ever.get(offset, set())
                if not lost_power and offset < self.end and offset in self.records:
                    allowed = {self.records[offset]}
                elif not lost_power and offset >= self.end:
                    allowed = {asked[0] + offset - self.end}
                assert number in allowed, f"{offset} holds {number}, none of {sorted(allowed)}"
        self.holes = set(range(start, end)) - numbers.keys()
        self.start, self.end, self.records, self.pending = start, end, numbers, None
        self.certain_end = end if lost_power else min(self.certain_end, end)

    def judge_start(self, start: int, lost_power: bool) -> None:
        """What was deleted at the front stays deleted, and nothing else is."""
        kind, *asked = self.pending or ("nothing",)
        highest = {"delete": asked[0] if asked else 0, "retain": self.end}.get(kind, self.start)
        assert start <= max(self.start, highest), f"the log began at {self.start}, and now at {start}"
        if not lost_power:
            assert start >= self.start, f"the log had begun at {self.start}, and now does at {start}"

    def _numbers(
        self, start: int, end: int, found: Iterable[tuple[int, bytes | None]], lost_power: bool
    ) -> Iterator[tuple[int, int]]:
        expected, seen = start, set()
        for offset, data in (*found, (end, None)):
            assert expected <= offset <= end, f"offset {offset} where {expected} was due, and the log ends at {end}"
            missing = set(range(expected, offset)) - self.holes
            if lost_power:
                missing &= self.records.keys()
                missing = {other for other in missing if other < self.certain_end}
            assert not missing, f"offset {offset} where {min(missing, default=None)} was due"
            if offset == end:
                return
            number = number_of(data)
            assert number not in seen, f"number {number} is there twice, the second time at {offset}"
            seen.add(number)
            yield offset, number
            expected = offset + 1


def errors_in(root: Path) -> list[str]:
    """What kformat finds wrong."""
    return [str(finding) for finding in kformat.check(root) if finding.severity == "error"]

"""The parts shared by both indexes: whole entries, the declaration's own rules, zero padding; and where entries point.

The rules about values and neighbours are the declaration's (`valid` and `-check` of the entry type) and are not
repeated here. An entry that breaks one is not judged against the log.

A broker truncates a mapped index by lowering its count of entries; the slots keep their content until others are
written over them or the file is trimmed. `JudgedIndex.set_apart` finds these stale slots by the rule described there.

`kformat.kafka.index.index_trust.BatchesByPosition` and `BatchesByOffset` tell where entries point.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.findings.rules import MOST_FINDINGS, Finding, Rule
from kformat.kafka.index.index_file import BLOCK_SLOTS, read_slots, used_count
from kformat.kafka.index.index_trust import BatchesByOffset as BatchesByOffset
from kformat.kafka.index.index_trust import BatchesByPosition as BatchesByPosition
from kformat.kafka.index.index_trust import BoolArray as BoolArray
from kformat.kafka.index.index_trust import Int64Array as Int64Array
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES, EntryArray
from kformat.language.expression import compile_expression
from kformat.language.layout import layout
from kformat.language.program import Check, load_type
from kformat.storage.byte_source import ByteSource

_ROW_CHECKS: Final[dict[str, tuple[Callable[[Any, Any], Any], str]]] = {
    "increasing": (operator.gt, "above"),
    "non_decreasing": (operator.ge, "at or above"),
}
_MOST_TRUNCATIONS: Final = 12
MOST_OF_AN_APPEND: Final = 256
"""How many stale slots may describe one append, which gets one entry up to 3.9.0: the number of intervals of 4096 bytes
in the 1 MiB that a follower fetches by default.
"""
_LONGEST_APPEND_BYTES: Final = 1 << 24


@dataclass(frozen=True)
class IndexRules:
    """The rules of one kind of index that need only its file: ``format`` is the declared name."""

    format: str
    odd_size: Rule
    value: Rule
    order: Rule
    padding: Rule
    left: Rule | None = None
    closed: Rule | None = None


@dataclass
class JudgedIndex:
    """An index as read: the slots up to the last nonzero one, and which of them are judged against the log.

    Attributes:
        slots: as in the file, without the zeros at the end; if there are more than batches fit into the log, only the
            first of them, one of which is wrong then.
        judged: numbers of the slots that keep the declaration's rules; in the last segment also of those that break
            only the order (``disordered``), because a truncation leaves such slots.
        disordered: per judged slot, whether it breaks the order.
        used_count: slots of the file up to the last nonzero one.
        padding_count: slots of zeros at the end.
        findings: of the file by itself.
        is_in_use: there is room to grow, in a segment that may be written to: the file was not trimmed.
        unordered_from: the first slot that breaks the order, or the number of slots.
        noise_until: the number after that of the last slot that no writer writes: zeros, a value out of range, or an
            offset below the slot's own number (each of the slots before it was written with a lower offset).
    """

    file: str
    rules: IndexRules
    slots: EntryArray
    judged: Int64Array
    disordered: BoolArray
    used_count: int
    padding_count: int
    findings: list[Finding]
    is_in_use: bool
    unordered_from: int
    noise_until: int

    def untrimmed(self) -> Finding | None:
        """The finding if a clean shutdown marker says that the broker has closed the index.

        A single slot of zeros is no finding: closing a segment whose largest timestamp is 0 writes such an entry.
        """
        if self.rules.closed is None or not self.padding_count or self.used_count + self.padding_count == 1:
            return None
        message = f"{self.padding_count} slots of zeros at the end, although the root has a clean shutdown marker"
        end = self.used_count * self.slots.dtype.itemsize
        return self.rules.closed.at(self.file, end, "", message, end, self.size_bytes)

    def column(self, name: str) -> Int64Array:
        """A column of the judged entries."""
        values: Int64Array = self.slots[name][self.judged].astype(np.int64)
        return values

    @property
    def size_bytes(self) -> int:
        """The size of the slots, including those of zeros at the end."""
        return (self.used_count + self.padding_count) * self.slots.dtype.itemsize

    def set_apart(
        self, first_wrong: int | None = None, rising: Int64Array | None = None, most_right: int = 0, *, may: bool = True
    ) -> BoolArray:
        """Find the judged entries that no rule is about: those left by a truncation (one finding), or out of order.

        `AbstractIndex.truncateTo` lowers the count of entries to that of the offsets below the truncation point, and
        later appends write over the slots from there on. So the slots in use are as of an index that was never
        truncated, and those left are the rest, up to the last that is not zero: of one older branch of the log, or of
        several, each increasing by itself. They may describe the log by chance; those before the first that does not
        are harmless, and count as in use.

        So in an index in use everything from the first wrong slot on was left by a truncation, unless that cannot be:

        * Among these slots is one that no branch of any log has (``noise_until``).
        * More than ``most_right`` of them describe the log and go on in order from those before. Slots of one branch
          lie more than the index interval apart, and after a truncation the log grows by no more than the interval
          until a new entry is written over the first slot left. So of an offset index at most one slot left describes
          a batch of what has grown, and of a time index at most two, whose timestamp may be reached before the append
          at which the entry is due. More of them are in use, and one before them is damaged. (Each further truncation
          could leave as many again, if its branch had by chance the same batches at the same offsets. A writer known to
          index an append of several batches once may leave `MOST_OF_AN_APPEND`.)
        * ``may`` is False: the log is too long after the entries in use (`longest_tail`).

        Args:
            first_wrong: the first judged entry that is wrong, in a log that is known; None: the order alone tells.
            rising: where the log is known, of the judged entries that describe it a column that rises with the log,
                -1 of all others.
        """
        assert first_wrong is None or rising is not None
        first = self.unordered_from
        if first_wrong is not None and first_wrong < len(self.judged):
            first = min(first, int(self.judged[first_wrong]))
        if self.rules.left is None or not self.is_in_use or not may:
            return self.disordered
        if first == len(self.slots) or first < self.noise_until:
            return self.disordered
        is_left = self.judged >= first
        if rising is not None and _longest_rise(rising[is_left], rising[~is_left].max(initial=-1)) > most_right:
            return self.disordered
        self.findings = [item for item in self.findings if item.rule != self.rules.order.id]
        count, itemsize = self.used_count - first, self.slots.dtype.itemsize
        message = "1 slot left by a truncation; the broker rebuilds it"
        if count > 1:
            message = f"{count} slots left by a truncation; the broker rebuilds them"
        self.findings.append(
            _at(self.file, self.rules, self.rules.left, first, message, first * itemsize, self.used_count * itemsize)
        )
        return is_left

    def at(self, broken: Rule, index: int, message: str, expected: Any = None, found: Any = None) -> Finding:
        """A finding about a judged entry."""
        return _at(self.file, self.rules, broken, int(self.judged[index]), message, expected, found)

    def folded(self, violations: Iterable[tuple[Rule, int, str, Any, Any]]) -> Iterator[Finding]:
        """Findings about judged entries (rule, entry, message, expected, found), ascending by entry.

        For consecutive entries that break the same rule only the first is reported: an index next to another log is one
        damage.
        """
        run: tuple[Rule, int, str, Any, Any] | None = None
        following, more = 0, 0
        for violation in violations:
            if run is not None and violation[0] is run[0] and violation[1] == following:
                following, more = following + 1, more + 1
                continue
            if run is not None:
                yield self._run(run, more)
            run, following, more = violation, violation[1] + 1, 0
        if run is not None:
            yield self._run(run, more)

    def _run(self, run: tuple[Rule, int, str, Any, Any], more: int) -> Finding:
        broken, index, message, expected, found = run
        return self.at(broken, index, message + (f", and {more} more after it" if more else ""), expected, found)


def _longest_rise(values: Int64Array, above: int) -> int:
    """The length of the longest increasing subsequence of the values above a minimum."""
    last: list[int] = []  # the lowest last value for each length
    for value in values[values > above].tolist():
        place = bisect_left(last, value)
        last[place : place + 1] = [value]
    return len(last)


def share_use(first: JudgedIndex, second: JudgedIndex) -> None:
    """Compare an index without zeros at the end with the segment's other index: it may be in use, and full.

    A broker preallocates both with `segment.index.bytes`, rounded down to whole entries.
    """
    if first.is_in_use != second.is_in_use and abs(first.size_bytes - second.size_bytes) < max(
        index.slots.dtype.itemsize for index in (first, second)
    ):
        first.is_in_use = second.is_in_use = True


def longest_tail(positions: Int64Array) -> int:
    """The most bytes that a log can have after the last entry in use of an index with stale slots.

    A truncation resets the count of bytes since the last entry, so each can add the index interval and one append. The
    interval is below the distance of two entries. The limit allows a dozen truncations in a row, and appends of 16 MiB
    by a follower, which up to 3.9.0 get one entry (by default they have up to 1 MiB).
    """
    widest = int(np.diff(positions).max(initial=DEFAULT_INDEX_INTERVAL_BYTES))
    return _MOST_TRUNCATIONS * widest + _LONGEST_APPEND_BYTES


def _at(file: str, rules: IndexRules, broken: Rule, number: int, message: str, expected: Any, found: Any) -> Finding:
    position = number * layout(f"{rules.format}::entry").size
    return broken.at(file, position, f"{rules.format}.entries[{number}]", message, expected, found)


def judge_index(source: ByteSource, file: str, rules: IndexRules, *, is_last: bool, log_size_bytes: int) -> JudgedIndex:
    """Read an index and apply the rules that need no log; raises OSError.

    ``is_last``: the segment may be in use, so zeros at the end are its room to grow.
    """
    dtype = layout(f"{rules.format}::entry").dtype
    total, odd = divmod(source.size, dtype.itemsize)
    findings = []
    if odd:
        message = f"{source.size} bytes are {total} entries of {dtype.itemsize} bytes and {odd} more"
        findings.append(rules.odd_size.at(file, total * dtype.itemsize, "", message, 0, odd))
    used = used_count(source, dtype)
    if rules.format == "time_index" and total == 1 and not is_last:
        # Closing a segment whose largest timestamp is 0 writes one entry of zeros; in a segment that may be in use one
        # zero slot is instead an index preallocated with room for one entry.
        used = 1
    most_batches = log_size_bytes // HEADER_BYTES + 1
    slots = read_slots(source, dtype, 0, min(used, max(most_batches, BLOCK_SLOTS)))
    bad = np.zeros(len(slots), dtype=np.bool_)
    for field, is_bad, expected in _values(rules.format, slots):
        column = slots[field]
        findings += _runs(file, rules, rules.value, is_bad, partial(_value_says, field, column), column, expected)
        bad |= is_bad
    noise = bad | (slots == np.zeros(1, dtype=dtype))
    if rules.left is not None:
        noise |= slots["relative_offset"] < np.arange(len(slots))
    unordered_from, disordered = len(slots), np.zeros(len(slots), dtype=np.bool_)
    for check, field in load_type(f"{rules.format}::entry").row_checks:
        compare, word = _ROW_CHECKS[check]
        column = slots[field].astype(np.int64)
        is_bad = np.zeros(len(slots), dtype=np.bool_)
        is_bad[1:] = ~compare(column[1:], column[:-1])
        is_bad &= ~bad
        says = partial(_order_says, field, column)
        if is_bad.any():
            unordered_from = min(unordered_from, int(is_bad.argmax()))
        findings += _runs(file, rules, rules.order, is_bad, says, column, f"{word} the entry before")
        disordered |= is_bad
        bad |= is_bad
    findings.sort(key=lambda finding: finding.position or 0)
    padding_count = total - used
    if padding_count and not is_last:
        message = f"{padding_count} slots of zeros at the end, of an index that has no room to grow"
        end = used * dtype.itemsize
        findings.append(rules.padding.at(file, end, "", message, end, source.size))
    judged = np.flatnonzero(~bad | (disordered & is_last))[:most_batches]
    return JudgedIndex(
        file,
        rules,
        slots,
        judged=judged,
        disordered=disordered[judged],
        used_count=used,
        padding_count=padding_count,
        findings=findings,
        is_in_use=is_last and padding_count > 0,
        unordered_from=unordered_from,
        noise_until=int(np.flatnonzero(noise)[-1]) + 1 if noise.any() else 0,
    )


def _values(format: str, slots: EntryArray) -> Iterator[tuple[str, BoolArray, str]]:
    """(field, mask of slots that break its declared rule, expected) for every rule about one field of an entry."""
    columns = SimpleNamespace(**{name: slots[name].astype(np.int64) for name in slots.dtype.names or ()})
    for step in load_type(f"{format}::entry").steps:
        if isinstance(step, Check) and step.rule is not None:
            yield step.name, ~np.asarray(compile_expression(step.rule)(columns), dtype=np.bool_), step.expected


def _value_says(field: str, column: Any, number: int) -> str:
    return f"{field} {column[number]}"


def _order_says(field: str, column: Any, number: int) -> str:
    return f"{field} {column[number]} comes after {column[number - 1]}"


def _runs(
    file: str, rules: IndexRules, broken: Rule, bad: BoolArray, says: Callable[[int], str], column: Any, expected: str
) -> list[Finding]:
    """One finding per run of slots that break a rule: a page of zeros is one damage, not five hundred.

    The last finding kept stands for all after it: an index of noise is one kind of damage, too.
    """
    rows = np.flatnonzero(bad)
    firsts = np.flatnonzero(np.diff(rows, prepend=-2) > 1)[:MOST_FINDINGS]
    lengths = np.diff(firsts, append=len(rows))
    findings = []
    for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True):
        number = int(rows[first])
        message = says(number) + (f", and {length - 1} more after it" if length > 1 else "")
        findings.append(_at(file, rules, broken, number, message, expected, int(column[number])))
    return findings

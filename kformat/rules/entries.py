"""What both indexes have in common: whole entries, the declaration's own rules, zero padding; and where entries point.

The rules about values and neighbours are the declaration's (`valid` and `-check` of the entry type); nothing is stated
again here. An entry that breaks one is not judged against the log.

A broker truncates an index that it has mapped by counting fewer entries; their slots keep what they held until others
are written over them or the file is trimmed. `JudgedIndex.set_apart` finds these slots.

`BatchesByPosition` and `BatchesByOffset` are fed with the blocks of a log as it is walked over, and keep for each entry
what the index rules ask: memory grows with the entries, not with the log.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from kformat.batches import BatchHeaders
from kformat.expression import compile_expression
from kformat.framing import HEADER_BYTES
from kformat.indexing import EntryArray
from kformat.layout import layout
from kformat.program import Check, load_type
from kformat.rules import MOST_FINDINGS, Finding, Rule
from kformat.rules.framing import Block
from kformat.source import ByteSource

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_ROW_CHECKS: Final[dict[str, tuple[Callable[[Any, Any], Any], str]]] = {
    "increasing": (operator.gt, "above"),
    "non_decreasing": (operator.ge, "at or above"),
}
_READ_BYTES: Final = 1 << 20

_LEAST_SLOTS: Final = 1 << 16
_NATIVE_HEADER: Final = layout("record_batch").header_dtype.newbyteorder("=")
_NO_OFFSET: Final = -(2**63)


@dataclass(frozen=True)
class IndexRules:
    """The rules of one kind of index that need nothing else: ``format`` is the declared name."""

    format: str
    odd_size: Rule
    value: Rule
    order: Rule
    padding: Rule
    left: Rule | None = None


@dataclass
class JudgedIndex:
    """An index as read: the slots up to the last that is not zero, and which of them are judged against the log.

    Attributes:
        slots: as in the file, without the zeros at the end; where there are more than the log has room for batches,
            the first of them, among which one is wrong then.
        judged: numbers of the slots that keep the declaration's rules.
        used_count: slots of the file up to the last that is not zero.
        padding_count: slots of zeros at the end.
        findings: of the file by itself.
        is_in_use: there is room to grow, in a segment that may be written to: nobody has trimmed the file.
        unordered_from: the first slot that breaks the order, or how many slots there are.
        noise_until: the number behind the last slot that no writer writes: of zeros, or with a value out of range.
    """

    file: str
    rules: IndexRules
    slots: EntryArray
    judged: Int64Array
    used_count: int
    padding_count: int
    findings: list[Finding]
    is_in_use: bool
    unordered_from: int
    noise_until: int

    def column(self, name: str) -> Int64Array:
        """A column of the judged entries."""
        found: Int64Array = self.slots[name][self.judged].astype(np.int64)
        return found

    def set_apart(self, is_behind_end: BoolArray | None = None, last_is_right: bool = False) -> BoolArray:
        """Which judged entries a truncation has left: they become one finding, and no other is made about them.

        They begin in an index in use with the first that breaks the order or lies behind the log's end. Where the last
        slot goes on in order from those before and is right (``last_is_right``: it describes a batch of the log), all
        of them are in use, and one in between is damaged. Neither has a truncation left slots that nobody writes.

        ``is_behind_end``: per judged entry, whether the log ends before it.
        """
        first = self.unordered_from
        if is_behind_end is not None and is_behind_end.any():
            first = min(first, int(self.judged[is_behind_end.argmax()]))
        in_use = np.zeros(len(self.judged), dtype=np.bool_)
        if self.rules.left is None or not self.is_in_use or first == len(self.slots) or first < self.noise_until:
            return in_use
        is_last_judged = len(self.judged) > 0 and int(self.judged[-1]) == self.used_count - 1
        if last_is_right and is_last_judged and (first == 0 or self._goes_on(first - 1)):
            return in_use
        self.findings = [item for item in self.findings if item.rule != self.rules.order.id]
        count, itemsize = self.used_count - first, self.slots.dtype.itemsize
        entries = "1 entry" if count == 1 else f"{count} entries"
        message = f"{entries} left by a truncation behind the {first} of the log (or newer than the log as it was read)"
        self.findings.append(
            _at(self.file, self.rules, self.rules.left, first, message, first * itemsize, self.used_count * itemsize)
        )
        return self.judged >= first

    def _goes_on(self, number: int) -> bool:
        """Whether the last slot lies above another one."""
        last, other = self.slots[-1].tolist(), self.slots[number].tolist()
        return last != other and all(value >= least for value, least in zip(last, other, strict=True))

    def at(self, broken: Rule, index: int, message: str, expected: Any = None, found: Any = None) -> Finding:
        """A finding about a judged entry."""
        return _at(self.file, self.rules, broken, int(self.judged[index]), message, expected, found)

    def folded(self, found: Iterable[tuple[Rule, int, str, Any, Any]]) -> Iterator[Finding]:
        """Findings about judged entries (rule, entry, message, what is expected and found), ascending by entry.

        Of entries that follow each other and break the same rule the first one stands for all: an index beside another
        log is one damage.
        """
        run: tuple[Rule, int, str, Any, Any] | None = None
        following, more = 0, 0
        for item in found:
            if run is not None and item[0] is run[0] and item[1] == following:
                following, more = following + 1, more + 1
                continue
            if run is not None:
                yield self._run(run, more)
            run, following, more = item, item[1] + 1, 0
        if run is not None:
            yield self._run(run, more)

    def _run(self, run: tuple[Rule, int, str, Any, Any], more: int) -> Finding:
        broken, index, message, expected, found = run
        return self.at(broken, index, message + (f", and {more} more behind it" if more else ""), expected, found)


def _at(file: str, rules: IndexRules, broken: Rule, number: int, message: str, expected: Any, found: Any) -> Finding:
    position = number * layout(f"{rules.format}::entry").size
    return broken.at(file, position, f"{rules.format}.entries[{number}]", message, expected, found)


def judge_index(source: ByteSource, file: str, rules: IndexRules, *, is_last: bool, log_size_bytes: int) -> JudgedIndex:
    """Read an index and apply the rules that need no log; raises OSError.

    ``is_last``: the segment may be in use, so that zeros at the end are its room to grow.
    """
    dtype = layout(f"{rules.format}::entry").dtype
    total, odd = divmod(source.size, dtype.itemsize)
    findings = []
    if odd:
        message = f"{source.size} bytes are {total} entries of {dtype.itemsize} bytes and {odd} more"
        findings.append(rules.odd_size.at(file, total * dtype.itemsize, "", message, 0, odd))
    used = -(-_used_bytes(source, total * dtype.itemsize) // dtype.itemsize)
    if rules.format == "time_index" and total == 1 and not is_last:
        # Closing a segment whose largest timestamp is 0 writes one entry of zeros; in a segment that may be in use it
        # is the whole of an index preallocated with room for one.
        used = 1
    most_batches = log_size_bytes // HEADER_BYTES + 1
    data = source.read_at(0, min(used, max(most_batches, _LEAST_SLOTS)) * dtype.itemsize)
    slots = np.frombuffer(data, dtype=dtype, count=len(data) // dtype.itemsize)
    bad = np.zeros(len(slots), dtype=np.bool_)
    for field, is_bad, expected in _values(rules.format, slots):
        column = slots[field]
        findings += _runs(file, rules, rules.value, is_bad, partial(_value_says, field, column), column, expected)
        bad |= is_bad
    noise = np.flatnonzero(bad | (slots == np.zeros(1, dtype=dtype)))
    unordered_from = len(slots)
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
        bad |= is_bad
    findings.sort(key=lambda finding: finding.position or 0)
    padding_count = total - used
    if padding_count and not is_last:
        message = f"{padding_count} slots of zeros at the end, of an index that has no room to grow"
        end = used * dtype.itemsize
        findings.append(rules.padding.at(file, end, "", message, end, source.size))
    return JudgedIndex(
        file,
        rules,
        slots,
        judged=np.flatnonzero(~bad)[:most_batches],
        used_count=used,
        padding_count=padding_count,
        findings=findings,
        is_in_use=is_last and padding_count > 0,
        unordered_from=unordered_from,
        noise_until=int(noise[-1]) + 1 if len(noise) else 0,
    )


def _used_bytes(source: ByteSource, size: int) -> int:
    """Bytes up to the last that is not zero, looking from the end."""
    while size > 0:
        start = max(0, size - _READ_BYTES)
        kept = source.read_at(start, size - start).rstrip(b"\0")
        if kept:
            return start + len(kept)
        size = start
    return 0


def _values(format: str, slots: EntryArray) -> Iterator[tuple[str, BoolArray, str]]:
    """(field, which slots break its declared rule, what is expected) for every rule about one field of an entry."""
    columns = SimpleNamespace(**{name: slots[name].astype(np.int64) for name in slots.dtype.names or ()})
    for step in load_type(f"{format}::entry").steps:
        if isinstance(step, Check) and step.rule is not None:
            yield step.name, ~np.asarray(compile_expression(step.rule)(columns), dtype=np.bool_), step.expected


def _value_says(field: str, column: Any, number: int) -> str:
    return f"{field} {column[number]}"


def _order_says(field: str, column: Any, number: int) -> str:
    return f"{field} {column[number]} comes behind {column[number - 1]}"


def _runs(
    file: str, rules: IndexRules, broken: Rule, bad: BoolArray, says: Callable[[int], str], found: Any, expected: str
) -> list[Finding]:
    """One finding per run of slots that break a rule: a page of zeros is one damage, not five hundred.

    The last one that is kept stands for all behind it: an index of noise is damage of one kind, too.
    """
    rows = np.flatnonzero(bad)
    firsts = np.flatnonzero(np.diff(rows, prepend=-2) > 1)[:MOST_FINDINGS]
    lengths = np.diff(firsts, append=len(rows))
    findings = []
    for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True):
        number = int(rows[first])
        message = says(number) + (f", and {length - 1} more behind it" if length > 1 else "")
        findings.append(_at(file, rules, broken, number, message, expected, int(found[number])))
    return findings


class BatchesByPosition:
    """The batch at each of some positions.

    Attributes, one value per position given: ``state`` is UNKNOWN (behind or in something that cannot be judged), START
    of a sound batch, or INSIDE of one; for START ``base_offset``, ``last_offset``, and ``previous_offset``: the
    last offset of the batch before, the lowest int64 where that is not known.
    """

    UNKNOWN: Final = 0
    START: Final = 1
    INSIDE: Final = 2

    def __init__(self, position: Int64Array) -> None:
        self.position = position
        self._order = np.argsort(position, kind="stable")
        self._sorted = position[self._order]
        self.state = np.zeros(len(position), dtype=np.int8)
        self.base_offset = np.zeros(len(position), dtype=np.int64)
        self.last_offset = np.zeros(len(position), dtype=np.int64)
        self.previous_offset = np.full(len(position), _NO_OFFSET, dtype=np.int64)
        self._previous = _NO_OFFSET

    def feed(self, block: Block) -> None:
        """Take in a block; blocks come in order of position."""
        headers, end = block.headers, block.end
        last_offset = headers.last_offset
        low, high = np.searchsorted(self._sorted, (int(headers.position[0]), int(end[-1])))
        entries = self._order[low:high]
        position = self.position[entries]
        row = np.searchsorted(headers.position, position, side="right") - 1
        is_start = headers.position[row] == position
        inside = ~is_start & (position < end[row]) & block.is_sound[row]
        good = is_start & block.is_sound[row]
        self.state[entries[inside]] = self.INSIDE
        self.state[entries[good]] = self.START
        entries, row = entries[good], row[good]
        previous = np.concatenate(([self._previous], last_offset[:-1]))
        previous[block.after_hole] = _NO_OFFSET
        self.base_offset[entries] = headers.base_offset[row]
        self.last_offset[entries] = last_offset[row]
        self.previous_offset[entries] = previous[row]
        self._previous = int(last_offset[-1])


class Batches(Protocol):
    """Some batches of a log, as a `Block` has them."""

    @property
    def headers(self) -> BatchHeaders: ...
    @property
    def is_sound(self) -> BoolArray: ...
    @property
    def after_hole(self) -> BoolArray: ...


class BatchesByOffset:
    """The first sound batch that ends at or above each of some offsets.

    Attributes, one value per offset given: ``is_found``; then ``position``, ``base_offset``, ``last_offset`` and
    ``max_timestamp`` of that batch, ``has_gaps`` (fewer records than offsets, or it is not known how many),
    ``has_time`` (magic 0 has none), ``after_hole`` as in `Block`, and ``max_before``: the largest timestamp of all
    sound batches before it, -1 for none. With ``keep_headers`` also ``headers``: the batches' headers as one array.
    """

    def __init__(self, offset: Int64Array, *, keep_headers: bool = False) -> None:
        count = len(offset)
        self.headers = np.zeros(count, dtype=_NATIVE_HEADER) if keep_headers else None
        self.offset = offset
        self._order = np.argsort(offset, kind="stable")
        self._sorted = offset[self._order]
        self._done = 0
        self._max = -1
        self.is_found, self.has_gaps, self.has_time, self.after_hole = (np.zeros(count, np.bool_) for _ in range(4))
        self.position, self.base_offset, self.last_offset, self.max_timestamp, self.max_before = (
            np.zeros(count, dtype=np.int64) for _ in range(5)
        )

    def feed(self, block: Batches) -> tuple[Int64Array, Int64Array]:
        """Take in a block; blocks come in order of position. Gives the offsets found now, by number, and their rows."""
        headers = block.headers
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return rows, rows
        highest = np.maximum.accumulate(headers.last_offset[rows])
        so_far = np.maximum.accumulate(np.maximum(headers.max_timestamp[rows], -1))
        before = np.maximum(np.concatenate(([-1], so_far[:-1])), self._max)
        done = max(self._done, int(np.searchsorted(self._sorted, highest[-1], side="right")))
        entries = self._order[self._done : done]
        at = np.searchsorted(highest, self.offset[entries])
        row = rows[at]
        self.is_found[entries] = True
        self.position[entries] = headers.position[row]
        self.base_offset[entries] = headers.base_offset[row]
        self.last_offset[entries] = headers.last_offset[row]
        self.max_timestamp[entries] = headers.max_timestamp[row]
        self.max_before[entries] = before[at]
        self.has_gaps[entries] = headers.records_count[row] <= headers.last_offset_delta[row]
        self.has_time[entries] = headers.magic[row] > 0
        self.after_hole[entries] = block.after_hole[row]
        if self.headers is not None:
            self.headers[entries] = headers.columns[row]
        self._done, self._max = done, max(self._max, int(so_far[-1]))
        return entries, row

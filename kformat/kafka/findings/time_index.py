"""The time index, and what it says of the log.

An entry (T, O) promises that every record with a timestamp above T has an offset above O. Writers make it of the
largest timestamp so far and the offset at which it was reached: the last offset of the batch, or (profiles up to 3.7,
in an uncompressed batch that a leader appended) that of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from kformat.errors import DataError
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.findings.entries import (
    MOST_OF_AN_APPEND,
    BatchesByOffset,
    BoolArray,
    IndexRules,
    Int64Array,
    JudgedIndex,
)
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.profiles import Explained, explained_count
from kformat.kafka.findings.record_columns import RecordColumns
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.language.layout import layout

ODD_SIZE: Final = rule(
    "KF0501",
    "warning",
    f"The size of a `.timeindex` is a multiple of its entries' {layout('time_index::entry').size} bytes.",
    source="TimeIndex.sanityCheck (called by tools only)",
    kafka="Passes over the bytes that are left.",
)
VALUE: Final = rule(
    "KF0502",
    "error",
    "The offset of an entry is not negative.",
    source="AbstractIndex.toRelative",
    kafka="Begins its search by time at a wrong offset.",
)
ORDER: Final = rule(
    "KF0503",
    "error",
    "Timestamps increase from entry to entry, and offsets do not fall.",
    source="TimeIndex.maybeAppend",
    kafka="Its binary search goes astray: records are not found by time, or later ones are.",
)
PADDING: Final = rule(
    "KF0504",
    "error",
    "The `.timeindex` of a segment that is not the last has been cut to its entries.",
    source="AbstractIndex.trimToValidSize, LogSegment.onBecomeInactiveSegment",
    kafka="Counts the zeros as entries and takes the last one's time, 0, for the largest of the segment: lookups by "
    "time pass the segment over and give later offsets, retention by time deletes it too early.",
)
NOT_IN_LOG: Final = rule(
    "KF0505",
    "error",
    "The offset of an entry lies in a batch of the log.",
    source="LogSegment.append, LogSegment.truncateTo",
    kafka="Begins its search by time after the records that it should find.",
)
MISSES: Final = rule(
    "KF0506",
    "error",
    "No record up to an entry's offset has a larger timestamp than the entry.",
    source="TimeIndex (the meaning of an entry)",
    kafka="Misses these records when it searches by time.",
)
TIMESTAMP: Final = rule(
    "KF0507",
    "error",
    "The batch with an entry's offset has the entry's timestamp as its largest.",
    source="LogSegment.append",
    kafka="Begins its search by time too late or too early.",
)
OFFSET: Final = rule(
    "KF0508",
    "error",
    "The offset of an entry is the one that the writer profile says, where the timestamp was first reached.",
    source="LogSegment.append, KAFKA-16310; see the profiles",
    kafka="Searches by time from there; nothing is missed.",
)
FINAL: Final = rule(
    "KF0509",
    "error",
    "The last entry of a segment that is not written to has the largest timestamp of the segment.",
    source="LogSegment.onBecomeInactiveSegment, LogSegment.close",
    kafka="Takes the last entry's timestamp for it: lookups by time skip the segment, retention by time is too early.",
)

LEFT: Final = rule(
    "KF0510",
    "info",
    "All slots of a `.timeindex` in use (of the last segment, with room to grow) are entries of the log. (A truncation "
    "leaves others: from the first that is wrong to the last that is used. They are no error.)",
    source="TimeIndex.truncateToEntries, AbstractIndex.truncateToEntries0 (the count falls, the slots stay)",
    kafka="Does not look at the other slots, writes over them, and cuts them off when it trims the file.",
)

CLOSED: Final = rule(
    "KF0511",
    "error",
    "Where the root has a clean shutdown marker, and the partition a recovery point, the `.timeindex` of the last "
    "segment has been cut to its entries, too.",
    source="LogSegment.close (AbstractIndex.trimToValidSize), LogManager.shutdown (which then writes the marker)",
    kafka="Believes the index, and takes the time of the zeros, 0, for the largest of the segment: lookups by time "
    "find none of its records, retention by time deletes it too early.",
)

_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]
_NOT_ASKED: Final = -1
_MOST_RIGHT: Final = 2
"""How many slots that a truncation left may describe the log by chance, see `JudgedIndex.set_apart`."""

RULES_ALONE: Final = IndexRules("time_index", ODD_SIZE, VALUE, ORDER, PADDING, LEFT, CLOSED)


class TimeIndexCheck:
    """The rules of one `.timeindex` next to its log: feed the blocks of the log, then ask.

    ``read_batch`` gives the batch at a position of the log; the rules that are about a record read a part of it, unless
    ``records`` has looked at its columns when it came by. ``tail_from``: the position up to which the log has entries
    even where truncations left some of the slots, see `longest_tail`.
    """

    def __init__(
        self,
        index: JudgedIndex,
        base_offset: int,
        read_batch: Callable[[int], AnyBatch],
        records: RecordColumns,
        tail_from: int,
    ) -> None:
        self.index = index
        self.timestamps = index.column("timestamp")
        self.offsets = index.column("relative_offset") + base_offset
        self.by_offset = BatchesByOffset(self.offsets)
        self.left = np.zeros(len(self.offsets), dtype=np.bool_)
        self.read_batch, self.records = read_batch, records
        self._is_first = np.full(len(self.offsets), _NOT_ASKED, dtype=np.int8)
        self.tail_from, self._before_tail = tail_from, -1

    def feed(self, block: BatchBlock) -> None:
        """Take in a block; blocks come in order of position."""
        settled = np.flatnonzero(block.is_sound & (block.end <= self.tail_from))
        self._before_tail = max(self._before_tail, int(block.headers.max_timestamp[settled].max(initial=-1)))
        entries, rows = self.by_offset.feed(block)
        if block.is_legacy or not len(entries):
            return
        at, offsets, timestamps = self.by_offset, self.offsets[entries], self.timestamps[entries]
        # Those that `explained` is going to check; a leader looks for the record in uncompressed batches.
        asked = (at.base_offset[entries] <= offsets) & (offsets < at.last_offset[entries])
        asked &= (at.max_before[entries] < timestamps) & (at.max_timestamp[entries] == timestamps)
        headers = block.headers
        asked &= (headers.compression[rows] == 0) & (headers.records_count[rows] > 0)
        asked &= headers.last_offset_delta[rows] >= 0
        entries, rows = entries[asked], rows[asked]
        chosen = np.unique(rows)
        if not len(chosen) or not self.records.is_ready(int(headers.size[chosen].sum())):
            return
        first = np.full(len(headers), -1, dtype=np.int64)
        for decoded_rows, counts, columns in self.records.columns(block, chosen, ("timestamp_delta", "offset_delta")):
            first[decoded_rows] = _first_deltas(block, decoded_rows, counts, columns)
        delta = first[rows]
        known = delta >= 0
        self._is_first[entries[known]] = (offsets[asked] - at.base_offset[entries] == delta)[known]

    def set_apart(self, last_offset: int | None, profile: str | None, is_per_append: bool) -> None:
        """Exclude stale slots, and slots out of order.

        ``last_offset``: the log's, None where it is not known. ``profile``: the writer's, None where it is inferred.
        ``is_per_append``: the writer is known to give an append of several batches one entry.
        """
        at, is_whole = self.by_offset, last_offset is not None
        wrong = np.logical_or.reduce(list(self._wrong(is_whole).values()))
        if last_offset is not None:
            wrong |= self.offsets > last_offset
        explained = self.explained(is_whole)
        first_wrong = explained_count({name: right & ~wrong for name, right in explained.items()}, profile)
        is_right = at.is_found & (self.offsets >= at.base_offset) & at.has_time & ~wrong
        is_right &= np.logical_or.reduce(list(explained.values()))
        last = int(self.timestamps[first_wrong - 1]) if first_wrong else -1
        rising = np.where(is_right, self.timestamps, -1)
        most_right = MOST_OF_AN_APPEND if is_per_append else _MOST_RIGHT
        self.left = self.index.set_apart(first_wrong, rising, most_right, may=last >= self._before_tail)

    def _wrong(self, log_is_whole: bool) -> dict[str, BoolArray]:
        """Rule id -> the entries that are wrong under every profile; an entry breaks at most one of the rules."""
        at = self.by_offset
        inside = at.is_found & (self.offsets >= at.base_offset)
        known_absent = at.is_found & ~inside & ~at.after_hole
        absent = (~at.is_found | known_absent) if log_is_whole else known_absent
        is_last = self.offsets == at.last_offset
        misses = inside & ((at.max_before > self.timestamps) | (is_last & (at.max_timestamp > self.timestamps)))
        reached_before = at.max_before == self.timestamps
        other = inside & ~misses & ~reached_before & at.has_time & (at.max_timestamp != self.timestamps)
        return {NOT_IN_LOG.id: absent & ~self.left, MISSES.id: misses & ~self.left, TIMESTAMP.id: other & ~self.left}

    def explained(self, log_is_whole: bool) -> Explained:
        """Per profile, which entries can have been written under it.

        Those that cannot be judged, or that are wrong under every profile, count as explained.
        """
        at = self.by_offset
        inside = at.is_found & (self.offsets >= at.base_offset)
        # A broker knows the time of what it stores as magic 0, the log does not.
        settled = self.left | ~inside | ~at.has_time
        for wrong in self._wrong(log_is_whole).values():
            settled |= wrong
        first_reached = at.max_before < self.timestamps
        of_batch = settled | (first_reached & (self.offsets == at.last_offset))
        of_record = of_batch.copy()
        for index in np.flatnonzero(~of_batch & first_reached).tolist():
            of_record[index] = self._is_first_record(int(index))
        return {"first-offset": of_record, "last-offset": of_record, "batch-time": of_batch, "per-batch": of_batch}

    def _is_first_record(self, index: int) -> bool:
        """Whether the entry's offset is that of the first record which has the entry's timestamp."""
        if self._is_first[index] != _NOT_ASKED:
            return bool(self._is_first[index])
        try:
            for record in self.read_batch(int(self.by_offset.position[index])).records():
                if record.timestamp == self.timestamps[index]:
                    return record.offset == self.offsets[index]
        except DataError:
            return True  # the rules about records say what is wrong
        return False

    def findings(self, right: BoolArray, profile: str, log_is_whole: bool, max_timestamp: int) -> Iterator[Finding]:
        """Findings about the entries; ``right``: those that the profile explains; ``max_timestamp``: the log's."""
        at, wrong = self.by_offset, self._wrong(log_is_whole)
        says: tuple[tuple[Rule, BoolArray, Callable[[int], str]], ...] = (
            (NOT_IN_LOG, wrong[NOT_IN_LOG.id], lambda n: "no batch of the log has the offset"),
            (
                MISSES,
                wrong[MISSES.id],
                lambda n: f"up to there the log has timestamp {max(at.max_before[n], at.max_timestamp[n])}",
            ),
            (
                TIMESTAMP,
                wrong[TIMESTAMP.id],
                lambda n: (
                    f"the batch {at.base_offset[n]}..{at.last_offset[n]} has {at.max_timestamp[n]} as its largest"
                ),
            ),
            (
                OFFSET,
                ~right,
                lambda n: (
                    f"{profile} has another one for the batch {at.base_offset[n]}..{at.last_offset[n]}"
                    if at.max_before[n] < self.timestamps[n]
                    else f"the timestamp was reached before the batch {at.base_offset[n]}..{at.last_offset[n]}"
                ),
            ),
        )
        violations = [
            (
                broken,
                index,
                f"timestamp {self.timestamps[index]}, offset {self.offsets[index]}: {message(index)}",
                None,
                int(self.offsets[index]),
            )
            for broken, bad, message in says
            for index in np.flatnonzero(bad).tolist()
        ]
        yield from self.index.folded(sorted(violations, key=lambda violation: violation[1]))
        yield from self._final(log_is_whole, max_timestamp)

    def _final(self, log_is_whole: bool, max_timestamp: int) -> Iterator[Finding]:
        """Check the final entry. It is yet to come if the index is in use, or was when its broker died."""
        if not log_is_whole or self.index.is_in_use:
            return
        last = int(self.index.slots["timestamp"][-1]) if len(self.index.slots) else -1
        if last < max_timestamp:
            message = (
                f"the last timestamp is {last}, the log has {max_timestamp}"
                if last >= 0
                else (f"there is no entry, the log has timestamp {max_timestamp}")
            )
            number = max(0, len(self.index.slots) - 1)
            path = f"time_index.entries[{number}]" if len(self.index.slots) else ""
            position = number * self.index.slots.dtype.itemsize
            yield FINAL.at(self.index.file, position, path, message, max_timestamp, last)


def _first_deltas(
    block: BatchBlock, rows: Int64Array, counts: Int64Array, columns: dict[str, Int64Array]
) -> Int64Array:
    """Per batch the offset delta of the first record that has the batch's largest timestamp, or a negative number."""
    headers = block.headers
    ends = np.cumsum(counts)
    firsts = ends - counts
    wanted = headers.max_timestamp[rows] - headers.base_timestamp[rows]
    hits = np.append(np.flatnonzero(columns["timestamp_delta"] == np.repeat(wanted, counts)), ends[-1])
    hit = hits[np.searchsorted(hits, firsts)]
    hit = np.where(headers.timestamp_type[rows] == _LOG_APPEND_TIME, firsts, hit)
    return np.where(hit < ends, columns["offset_delta"][hit.clip(max=ends[-1] - 1)], -1)

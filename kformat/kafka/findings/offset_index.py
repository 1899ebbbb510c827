"""The offset index, and what it says of the log: where a batch begins, and the offset that its writer put to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from kformat.integers import MAX_INT64
from kformat.kafka.findings.entries import (
    MOST_OF_AN_APPEND,
    BatchesByOffset,
    BatchesByPosition,
    BoolArray,
    IndexRules,
    Int64Array,
    JudgedIndex,
    longest_tail,
)
from kformat.kafka.findings.profiles import Explained, explained_count
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.language.layout import layout

ODD_SIZE: Final = rule(
    "KF0401",
    "warning",
    f"The size of an `.index` is a multiple of its entries' {layout('offset_index::entry').size} bytes.",
    source="OffsetIndex.sanityCheck (called by tools only)",
    kafka="Passes over the bytes that are left.",
)
VALUE: Final = rule(
    "KF0402",
    "error",
    "Offset and position of an entry are not negative.",
    source="AbstractIndex.toRelative",
    kafka="Looks up wrong positions.",
)
ORDER: Final = rule(
    "KF0403",
    "error",
    "Offsets and positions increase from entry to entry.",
    source="OffsetIndex.append (InvalidOffsetException)",
    kafka="Its binary search goes astray: offsets are not found, or the wrong ones are.",
)
PADDING: Final = rule(
    "KF0404",
    "warning",
    "The `.index` of a segment that is not the last has been cut to its entries.",
    source="AbstractIndex.trimToValidSize, LogSegment.onBecomeInactiveSegment",
    kafka="Counts the zeros as entries, all of the base offset: lookups scan the log from its start. They take longer, "
    "and find what they should.",
)
BEYOND: Final = rule(
    "KF0405",
    "error",
    "The position of an entry lies in the log.",
    source="LogSegment.append, LogSegment.truncateTo",
    kafka="Fails, or finds nothing, for the offsets from the entry on.",
)
NOT_A_BATCH: Final = rule(
    "KF0406",
    "error",
    "The position of an entry is the start of a batch.",
    source="LogSegment.append, LogSegment.recover",
    kafka="Reads from the middle of a batch: CorruptRecordException, or nothing is found.",
)
OFFSET: Final = rule(
    "KF0407",
    "error",
    "The offset of an entry is the one that the writer profile says, for the batch at its position.",
    source="LogSegment.append, KAFKA-806; see the profiles",
    kafka="Where it is too low, misses the offsets between it and the batch.",
)
SPACING: Final = rule(
    "KF0408",
    "warning",
    "An entry lies more than `index.interval.bytes` after the previous one. (Judged where the interval is given.)",
    source="LogSegment.append",
    kafka="Ignores it.",
)

LEFT: Final = rule(
    "KF0409",
    "info",
    "All slots of an `.index` in use (of the last segment, with room to grow) are entries of the log. (A truncation "
    "leaves others: from the first that is wrong to the last that is used. They are no error.)",
    source="OffsetIndex.truncateToEntries, AbstractIndex.truncateToEntries0 (the count falls, the slots stay)",
    kafka="Does not look at the other slots, writes over them, and cuts them off when it trims the file.",
)

_NO_END: Final = MAX_INT64
_MOST_RIGHT: Final = 1
"""How many stale slots may describe the log by chance, see `JudgedIndex.set_apart`."""

CLOSED: Final = rule(
    "KF0410",
    "warning",
    "Where the root has a clean shutdown marker, and the partition a recovery point, the `.index` of the last segment "
    "has been cut to its entries, too.",
    source="LogSegment.close (AbstractIndex.trimToValidSize), LogManager.shutdown (which then writes the marker)",
    kafka="Believes the index: counts the zeros as entries, scans the log from its start, and rolls at the next "
    "append, because the index is full.",
)

RULES_ALONE: Final = IndexRules("offset_index", ODD_SIZE, VALUE, ORDER, PADDING, LEFT, CLOSED)


class OffsetIndexCheck:
    """The rules of one `.index` next to its log: feed the blocks of the log, then ask.

    ``positions`` are those of the judged entries, ascending where the index is sound. ``is_per_append``: the writer is
    known to give an append of several batches one entry.
    """

    def __init__(self, index: JudgedIndex, base_offset: int) -> None:
        self.index = index
        self.positions = index.column("position")
        self.offsets = index.column("relative_offset") + base_offset
        self.by_position = BatchesByPosition(self.positions)
        self.by_offset = BatchesByOffset(self.offsets)
        self.left = np.zeros(len(self.positions), dtype=np.bool_)
        self.is_per_append = False

    @property
    def resume_at(self) -> Int64Array:
        """Positions, ascending, at which batches may begin; those of an index in use up to where its order breaks."""
        index = self.index
        kept = index.judged < index.unordered_from if index.is_in_use else np.ones(len(index.judged), dtype=np.bool_)
        return np.sort(self.positions[kept])

    def set_apart(self, log_size_bytes: int, last_offset: int | None, profile: str | None) -> None:
        """Exclude stale slots, and slots out of order.

        ``last_offset``: the log's, None if unknown. ``profile``: the writer's, None if inferred.
        """
        at = self.by_position
        self.is_per_append = profile not in (None, "per-batch")
        beyond = self.positions >= log_size_bytes
        if last_offset is not None:
            beyond |= self.offsets > last_offset
        beyond |= at.state == at.INSIDE
        explained = self._explained(last_offset is not None, np.append(self.positions[1:], _NO_END)[: len(beyond)])
        first_wrong = explained_count({name: right & ~beyond for name, right in explained.items()}, profile)
        if first_wrong < len(self.positions):
            # The last entry in use of an append of several batches ends where the log does, not at a slot left.
            alone = self._explained(last_offset is not None, np.full(len(self.positions), _NO_END))
            names = ("last-offset", "batch-time") if profile is None else (profile,)
            first_wrong += any(bool((alone[name] & ~beyond)[first_wrong]) for name in names)
        is_right = (at.state == at.START) & ~beyond & np.logical_or.reduce(list(explained.values()))
        may = True
        if first_wrong < len(self.positions):
            in_use = self.positions[:first_wrong]
            tail = log_size_bytes - int(in_use[-1] if len(in_use) else 0)
            may = tail <= longest_tail(self.positions)
        if not explained["per-batch"][:first_wrong].all():
            self.is_per_append = True
        most_right = MOST_OF_AN_APPEND if self.is_per_append else _MOST_RIGHT
        self.left = self.index.set_apart(first_wrong, np.where(is_right, self.positions, -1), most_right, may=may)

    def explained(self, log_is_whole: bool) -> Explained:
        """Per profile, a mask of entries that can have been written under it, or that cannot be judged."""
        ascending = np.argsort(self.positions, kind="stable")
        ascending = ascending[~self.left[ascending]]
        until = np.full(len(self.offsets), _NO_END)
        until[ascending[:-1]] = self.positions[ascending[1:]]
        return self._explained(log_is_whole, until)

    def _explained(self, log_is_whole: bool, until: Int64Array) -> Explained:
        """``until``: per entry the position before which its append ends, at the latest."""
        at, by_offset, offset = self.by_position, self.by_offset, self.offsets
        is_first = (at.previous_offset < offset) & (offset <= at.base_offset)
        of_a_batch = (offset == by_offset.last_offset) | (by_offset.has_gaps & (offset >= by_offset.base_offset))
        in_append = (by_offset.position >= self.positions) & (by_offset.position < until)
        unknown = self.left | (at.state != at.START)
        if not log_is_whole:
            unknown |= ~by_offset.is_found | (by_offset.after_hole & (offset < by_offset.base_offset))
        is_last = by_offset.is_found & of_a_batch & in_append
        return {
            "first-offset": is_first | unknown,
            "last-offset": is_last | unknown,
            "batch-time": is_last | unknown,
            "per-batch": (offset == at.last_offset) | unknown,
        }

    def findings(
        self, right: BoolArray, profile: str, log_size_bytes: int, interval_bytes: int | None
    ) -> Iterator[Finding]:
        """Findings about the entries; ``right``: those that the profile explains."""
        yield from self.index.folded(self._wrong(right, profile, log_size_bytes))
        if interval_bytes is not None:
            yield from self._spacing(interval_bytes)

    def _wrong(self, right: BoolArray, profile: str, log_size_bytes: int) -> Iterator[tuple[Rule, int, str, Any, Any]]:
        at = self.by_position
        wrong = (self.positions >= log_size_bytes) | (at.state == at.INSIDE) | ~right
        for index in np.flatnonzero(wrong & ~self.left).tolist():
            position, offset = int(self.positions[index]), int(self.offsets[index])
            if position >= log_size_bytes:
                message = f"position {position} in a log of {log_size_bytes} bytes"
                yield BEYOND, index, message, f"< {log_size_bytes}", position
            elif at.state[index] == at.INSIDE:
                yield NOT_A_BATCH, index, f"no batch begins at {position}", None, position
            else:
                first, last = int(at.base_offset[index]), int(at.last_offset[index])
                message = (
                    f"offset {offset} for the batch {first}..{last} at {position}, which is not what {profile} writes"
                )
                yield OFFSET, index, message, first if profile == "first-offset" else last, offset

    def _spacing(self, interval_bytes: int) -> Iterator[Finding]:
        """In an index in use a truncation may have left the last entries, which describe the log by chance."""
        distance = np.diff(self.positions, prepend=0)
        is_close = (distance <= interval_bytes) & ~self.left
        if self.index.is_in_use and is_close.any():
            first = int(is_close.argmax())
            if (~self.left[first:]).sum() <= (MOST_OF_AN_APPEND if self.is_per_append else _MOST_RIGHT):
                return
        says = "{} bytes after the previous entry, with an interval of {}".format
        yield from self.index.folded(
            (SPACING, index, says(distance[index], interval_bytes), f"> {interval_bytes}", int(distance[index]))
            for index in np.flatnonzero(is_close).tolist()
        )

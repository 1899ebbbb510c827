"""The transaction index: the aborted transactions reported to read_committed consumers, compared with the log.

An entry is written with the abort marker of a transaction in this partition, in the marker's segment. A cleaner drops
the entry with the marker, or before it. So an entry without its marker is damage, but a marker without an entry is
damage only if the log still holds records of the transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from kformat.check.producers import AbortedInLog
from kformat.integers import MAX_INT64
from kformat.kafka.findings.entries import BatchesByOffset, BoolArray, IndexRules, Int64Array, JudgedIndex
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.language.layout import layout

ODD_SIZE: Final = rule(
    "KF0601",
    "error",
    f"The size of a `.txnindex` is a multiple of its entries' {layout('transaction_index::entry').size} bytes.",
    source="TransactionIndex.append, TransactionIndex.iterable",
    kafka="Ignores the bytes that are left, and puts the next entry after them, where no reader finds it.",
)
VERSION: Final = rule(
    "KF0602",
    "error",
    "The version of an entry is 0.",
    source="AbortedTxn, TransactionIndex.iterable",
    kafka="Fails reads of committed data (KafkaException) if the first byte is not 0; does not look at the second.",
)
ORDER: Final = rule(
    "KF0603",
    "error",
    "The last offsets of the entries increase.",
    source="TransactionIndex.append",
    kafka="Truncates the index at the wrong entry.",
)
ZEROS: Final = rule(
    "KF0604",
    "error",
    "A `.txnindex` does not end in zeros.",
    source="TransactionIndex.append (it is never preallocated)",
    kafka="Takes them for entries of producer 0; above offset 0 rebuilds the segment's indexes when it loads the log.",
)
OFFSETS: Final = rule(
    "KF0605",
    "error",
    "A transaction's first offset is not negative, and its marker does not come before it. (Up to 1.1 one that wrote "
    "nothing has an entry, too: its first offset is the marker's.)",
    source="ProducerAppendInfo.appendEndTxnMarker",
    kafka="Hands out aborted records as committed ones, or the other way round.",
)
OUT_OF_SEGMENT: Final = rule(
    "KF0606",
    "error",
    "The last offset of an entry lies in the segment.",
    source="TransactionIndex.sanityCheck",
    kafka="Below the segment: rebuilds its indexes when it loads the log. Above: does not find the entry.",
)
STABLE: Final = rule(
    "KF0607",
    "error",
    "The last stable offset of an entry is where another open transaction begins, or the one after its last offset.",
    source="ProducerStateManager.lastStableOffset (a follower counts what came with the marker as open, too)",
    kafka="Stops its search for aborted transactions too early, and hands out their records.",
)
MARKER: Final = rule(
    "KF0608",
    "error",
    "At the last offset of an entry lies an abort marker of its producer.",
    source="UnifiedLog.append, LogSegment.updateProducerState, Cleaner",
    kafka="Consumers of committed data pass over the producer's records up to its next abort marker.",
)
MISSING: Final = rule(
    "KF0609",
    "error",
    "An aborted transaction with records in the log has an entry.",
    source="UnifiedLog.append, LogSegment.updateProducerState",
    kafka="Hands out its records to consumers of committed data.",
)
FIRST: Final = rule(
    "KF0610",
    "error",
    "The first offset of an entry is where the transaction begins in the log.",
    source="ProducerAppendInfo.appendEndTxnMarker",
    kafka="Hands out records from before it to consumers of committed data, or hides those of an earlier transaction.",
)

RULES_ALONE: Final = IndexRules("transaction_index", ODD_SIZE, VERSION, ORDER, ZEROS)

_BITS: Final = layout("record_batch").bits("attributes")
_IS_TRANSACTIONAL, _IS_CONTROL = (_BITS[name].mask << _BITS[name].shift for name in ("is_transactional", "is_control"))

_Found = tuple[Rule, int, str, Any, Any]


class TransactionIndexCheck:
    """The rules of one `.txnindex`: feed the blocks of the log, let it look at markers, then ask for findings.

    ``known`` are the last offsets of all entries, including those that break other rules.
    """

    def __init__(self, index: JudgedIndex, base_offset: int | None, next_base_offset: int | None) -> None:
        self.index = index
        self._aborts: set[int] = set()  # entries at whose last offset an abort marker lies
        self.producers, self.firsts, self.lasts = (
            index.column(name) for name in ("producer_id", "first_offset", "last_offset")
        )
        self.known: Int64Array = index.slots["last_offset"].astype(np.int64)
        self.stable = index.column("last_stable_offset")
        self.by_offset = BatchesByOffset(self.lasts, keep_headers=True)
        self._stable_at = BatchesByOffset(self.stable, keep_headers=True)
        self._first_at = BatchesByOffset(self.firsts, keep_headers=True)
        low = -1 if base_offset is None else base_offset
        high = MAX_INT64 if next_base_offset is None else next_base_offset
        self.expected = f"{low} to {high - 1}"
        self.outside: BoolArray = (self.lasts < low) | (self.lasts >= high)
        self.disordered: BoolArray = (self.firsts < 0) | (self.firsts > self.lasts)
        self.unstable: BoolArray = (self.stable < 0) | (self.stable == self.lasts) | (self.stable > high)

    def feed(self, block: BatchBlock) -> None:
        """Process a block; blocks come in order of position."""
        self.by_offset.feed(block)
        self._stable_at.feed(block)
        self._first_at.feed(block)

    def look_at_markers(self, is_abort: Callable[[int], bool]) -> None:
        """Look for abort markers; ``is_abort``, called only now: whether the batch at a position is an abort marker."""
        at = self.by_offset
        inside = at.is_found & (self.lasts >= at.base_offset)
        self._aborts = {n for n in np.flatnonzero(inside).tolist() if is_abort(int(at.position[n]))}

    def alone(self) -> Iterator[Finding]:
        """Findings that need no log."""
        yield from self.index.findings
        says: tuple[tuple[Rule, BoolArray, Callable[[int], tuple[str, Any, Any]]], ...] = (
            (
                OUT_OF_SEGMENT,
                self.outside,
                lambda n: (f"last offset {self.lasts[n]} is not in the segment", self.expected, int(self.lasts[n])),
            ),
            (
                OFFSETS,
                self.disordered,
                lambda n: (
                    f"first offset {self.firsts[n]}, last offset {self.lasts[n]}",
                    f"0 to {int(self.lasts[n]) - 1}",
                    int(self.firsts[n]),
                ),
            ),
            (
                STABLE,
                self.unstable,
                lambda n: (
                    f"last stable offset {self.stable[n]}, last offset {self.lasts[n]}",
                    f"< {self.lasts[n]} or > {self.lasts[n]}, in the segment",
                    int(self.stable[n]),
                ),
            ),
        )
        violations = [(broken, n, *text(n)) for broken, bad, text in says for n in np.flatnonzero(bad).tolist()]
        yield from self.index.folded(sorted(violations, key=lambda item: item[1]))

    def findings(self, log_is_whole: bool, aborted: list[AbortedInLog]) -> Iterator[Finding]:
        """Findings on the entries; ``aborted``: the transactions that the log shows to be aborted."""
        yield from self.index.folded(sorted(self._against(log_is_whole, aborted), key=lambda item: item[1]))

    def _against(self, log_is_whole: bool, aborted: list[AbortedInLog]) -> Iterator[_Found]:
        at = self.by_offset
        assert at.headers is not None
        inside = at.is_found & (self.lasts >= at.base_offset)
        absent = ~inside & ~self.outside & (log_is_whole | (at.is_found & ~at.after_hole))
        for n in np.flatnonzero(inside | absent).tolist():
            says = self._marker_says(n) if inside[n] else "no batch of the log has that offset"
            if says:
                yield MARKER, n, f"last offset {self.lasts[n]}, producer {self.producers[n]}: {says}", None, None
        begins, producer = _begins(self._first_at)
        inside = self._first_at.is_found & (self.firsts >= self._first_at.base_offset) & ~self.disordered
        inside &= self.firsts < self.lasts
        apart = inside & ~(begins & (producer == self.producers))
        for n in np.flatnonzero(apart).tolist():
            text = (
                f"first offset {self.firsts[n]}: no batch of a transaction of producer {self.producers[n]} begins there"
            )
            yield FIRST, n, text, None, int(self.firsts[n])
        numbers = {offset: n for n, offset in enumerate(self.lasts.tolist())}
        of_log = {row: item for item in aborted if (row := numbers.get(item.last_offset)) is not None}
        begins, producer = _begins(self._stable_at)
        inside = self._stable_at.is_found & (self.stable >= self._stable_at.base_offset)
        inside |= ~self._stable_at.is_found & (self.stable > self.lasts) & log_is_whole
        wrong = inside & ~(begins & (producer != self.producers)) & (self.stable - 1 != self.lasts)
        for n in np.flatnonzero(~self.unstable).tolist():
            text, expected = self._stable_says(n, of_log.get(n), bool(wrong[n]))
            if text:
                yield STABLE, n, f"last stable offset {self.stable[n]}: {text}", expected, int(self.stable[n])
        for n, item in of_log.items():
            if int(self.producers[n]) != item.producer_id or self.disordered[n] or apart[n]:
                continue
            first = int(self.firsts[n])
            if first > item.first_offset:
                text = f"first offset {first}, and the log has a batch of the transaction at {item.first_offset}"
                yield FIRST, n, text, f"<= {item.first_offset}", first
            elif item.after is not None and first <= item.after:
                text = f"first offset {first}, but the producer's previous transaction ends at {item.after}"
                yield FIRST, n, text, f"> {item.after}", first

    def _stable_says(self, n: int, aborted: AbortedInLog | None, begins_nothing: bool) -> tuple[str, int]:
        """What is wrong with an entry's last stable offset, "" if it is right; and the right offset."""
        stable, behind = int(self.stable[n]), int(self.lasts[n]) + 1
        if aborted is not None:
            oldest = aborted.open_from
            if oldest is not None and stable >= aborted.since and stable != oldest:
                return f"a transaction is open then that begins at {oldest}", oldest
            if oldest is None and aborted.since <= stable < behind:
                return "no other transaction is open then", behind
        return ("no transaction of another producer begins there" if begins_nothing else ""), behind

    def _marker_says(self, n: int) -> str:
        """What is wrong with the batch at an entry's last offset; "" if it is right."""
        assert self.by_offset.headers is not None
        header = self.by_offset.headers[n]
        if header["magic"] < 2 or int(header["producer_id"]) != self.producers[n]:
            return f"the batch there is of producer {header['producer_id']}"
        if n not in self._aborts:
            return "the batch there is not an abort marker"
        return ""


def _begins(at: BatchesByOffset) -> tuple[BoolArray, Int64Array]:
    """For each offset, whether a batch of a transaction, not a marker, begins there; and its producer."""
    assert at.headers is not None
    bits = at.headers["attributes"]
    in_transaction = (bits & _IS_TRANSACTIONAL != 0) & (bits & _IS_CONTROL == 0)
    return in_transaction & (at.base_offset == at.offset), at.headers["producer_id"]


def missing_entries(aborted: list[AbortedInLog], indexed: Int64Array, log: str) -> Iterator[Finding]:
    """Findings on aborted transactions in the log that have no entry; ``indexed``: the entries' last offsets."""
    known = set(indexed.tolist())
    for item in aborted:
        if item.last_offset not in known:
            message = (
                f"producer {item.producer_id} aborts its records from offset {item.first_offset} on, "
                f"but no .txnindex has an entry for that"
            )
            yield MISSING.at(log, item.position, "record_batch", message, item.last_offset, None)

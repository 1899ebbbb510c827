"""The sequence numbers of producers, from batch to batch.

Only what the log itself contradicts is reported:

* Two batches of a producer are compared only if no offset is missing between them: compaction may have removed batches
  between them, and lost batches are reported by other rules.
* A broker forgets a producer that is silent for `producer.id.expiration.ms` (a day), and then takes any sequence.

A `SequenceCheck` judges the blocks of one log. The facts about the log's two ends, `Sequences`, go to a
`SequenceJournal`, which takes the segments of a folder in order, so that several processes can read logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import BatchHeaders
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.records import add_sequences
from kformat.kafka.findings.entries import Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import Finding, rule
from kformat.kafka.producers.producer_state import DEFAULT_EXPIRATION_MS
from kformat.language.layout import layout

SEQUENCE: Final = rule(
    "KF0713",
    "warning",
    "The sequence numbers of a producer go on from batch to batch; a new epoch may begin again with 0.",
    source="ProducerAppendInfo.checkSequence, checkProducerEpoch",
    kafka="Takes stored batches as they are. A leader refuses such a batch, or takes it for one that it has.",
)
_POSITION: Final = layout("record_batch").position("base_sequence")


class _SequencedBatch(NamedTuple):
    """The compared fields of a batch. ``next_sequence`` is the one after its last."""

    position: int
    epoch: int
    base_sequence: int
    next_sequence: int
    max_timestamp: int


@dataclass
class Sequences:
    """The two ends of a log: for each producer, its first batch before any missing offset, and its last after the last.

    ``start_offset`` and ``next_offset`` are the log's; ``is_unbroken``: no offset is missing in it.
    """

    file: str
    start_offset: int | None = None
    next_offset: int | None = None
    is_unbroken: bool = True
    first: dict[int, _SequencedBatch] = field(default_factory=dict)
    last: dict[int, _SequencedBatch] = field(default_factory=dict)


def _judged(file: str, id: int, before: _SequencedBatch, batch: _SequencedBatch) -> Finding | None:
    """The finding on a batch that comes after another one of its producer; None if it is right."""
    if batch.max_timestamp - before.max_timestamp >= DEFAULT_EXPIRATION_MS:
        return None
    path, at = "record_batch.base_sequence", batch.position + _POSITION
    if batch.epoch < before.epoch:
        text = f"producer {id} has epoch {batch.epoch} here, and {before.epoch} in the batch at {before.position}"
        return SEQUENCE.at(file, at, path, text, f">= {before.epoch}", batch.epoch)
    expected = before.next_sequence if batch.epoch == before.epoch else 0
    if batch.base_sequence in (expected, before.next_sequence):  # named producers of kformat_engine go on
        return None
    text = f"producer {id} goes on with sequence {batch.base_sequence}; {expected} comes after its batch before"
    return SEQUENCE.at(file, at, path, text, expected, batch.base_sequence)


class SequenceCheck:
    """The rule over the blocks of one log, in order of position."""

    def __init__(self, file: str) -> None:
        self.ends = Sequences(file)

    def findings(self, block: BatchBlock) -> Iterator[Finding]:
        """All findings of a block, in order of position."""
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        ends, headers = self.ends, block.headers.take(rows)
        next_offset = int(headers.base_offset[0]) if ends.next_offset is None else ends.next_offset
        if ends.start_offset is None:
            ends.start_offset = next_offset
        before = np.concatenate(([next_offset], headers.last_offset[:-1] + 1))
        ends.next_offset = int(headers.last_offset[-1]) + 1
        # Unsound batches between sound ones take offsets, or do not matter.
        gaps = np.cumsum(headers.base_offset != before)
        yield from sorted(self._judged(headers, gaps), key=lambda finding: finding.position or 0)

    def _judged(self, headers: BatchHeaders, gaps: Int64Array) -> Iterator[Finding]:
        """Compare batches; ``gaps``: the number of offset gaps before each batch, in these headers or just before."""
        ends, last_gap = self.ends, int(gaps[-1])
        is_data = (headers.magic >= CURRENT_MAGIC) & (headers.producer_id >= 0)
        is_data &= (headers.is_control == 0) & (headers.base_sequence >= 0)
        rows = np.flatnonzero(is_data)
        rows = rows[np.argsort(headers.producer_id[rows], kind="stable")]
        id, epoch, gap = headers.producer_id[rows], headers.producer_epoch[rows], gaps[rows]
        last = add_sequences(headers.base_sequence[rows], headers.last_offset_delta[rows]).astype(np.int64)
        following = np.where(last == MAX_INT32, 0, last + 1)
        is_same = (id[1:] == id[:-1]) & (gap[1:] == gap[:-1])
        expected = np.where(epoch[1:] == epoch[:-1], following[:-1], 0)
        is_wrong = is_same & ((headers.base_sequence[rows][1:] != expected) | (epoch[1:] < epoch[:-1]))

        def batch(number: int) -> _SequencedBatch:
            row = int(rows[number])
            return _SequencedBatch(
                int(headers.position[row]),
                int(epoch[number]),
                int(headers.base_sequence[row]),
                int(following[number]),
                int(headers.max_timestamp[row]),
            )

        pairs = [(int(id[number]), batch(number), batch(number + 1)) for number in np.flatnonzero(is_wrong).tolist()]
        is_first = np.concatenate(([True], ~is_same))[: len(rows)]
        for number in np.flatnonzero(is_first & (gap == 0)).tolist():
            producer, current = int(id[number]), batch(number)
            if producer in ends.last:
                pairs.append((producer, ends.last[producer], current))
            if ends.is_unbroken:
                ends.first.setdefault(producer, current)
        if last_gap:
            ends.is_unbroken = False
            ends.last.clear()
        is_last = np.concatenate((~is_same, [True]))[: len(rows)]
        for number in np.flatnonzero(is_last & (gap == last_gap)).tolist():
            ends.last[int(id[number])] = batch(number)
        for producer, known, current in pairs:
            finding = _judged(ends.file, producer, known, current)
            if finding is not None:
                yield finding


class SequenceJournal:
    """The rule from segment to segment: take the ends of a folder's logs in order."""

    def __init__(self) -> None:
        self._next_offset: int | None = None
        self._last: dict[int, _SequencedBatch] = {}

    def findings(self, ends: Sequences | None) -> Iterator[Finding]:
        """The findings at the beginning of a log; ``ends`` None: nothing is known of the log."""
        if ends is None or ends.start_offset is None:
            self._next_offset = None
            return
        goes_on = ends.start_offset == self._next_offset
        for id, batch in ends.first.items() if goes_on else ():
            known = self._last.get(id)
            finding = None if known is None else _judged(ends.file, id, known, batch)
            if finding is not None:
                yield finding
        kept = self._last if goes_on and ends.is_unbroken else {}
        self._last, self._next_offset = {**kept, **ends.last}, ends.next_offset

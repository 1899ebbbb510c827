"""Which offsets of batches fit to those around them; see `evidence`.

Rules:

* Offsets grow from batch to batch, with gaps where compaction removed records.
* A batch that follows another without a byte or an offset between them is placed as that one is: a page of another log
  that came in is placed nowhere as a whole, though some of its offsets would fit.
* Where two batches begin at one offset, the one of the higher leader epoch keeps it, unless a batch after it has a
  lower epoch.
* Where offsets do not grow otherwise, those of as many batches as possible are kept, those that follow each other
  without a gap counting twice.
* A page from elsewhere in the log holds batches that fit to each other. So batches far ahead decide after a gap: the
  page has no place if more bytes of them belong into the gap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from kformat.errors import DataError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, WalkSource
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.damage.found_batch import UNCOVERED_BYTES, FoundBatch, Lost, Offsets, restored, times_of
from kformat.language.layout import layout

_ALL_BITS: Final = (1 << 64) - 1
_LARGEST_GAP: Final = 1 << 48
"""No log has a gap of more offsets: to come to so many takes ten years with a million records a second."""
_EPOCH_FROM: Final = layout("record_batch").position("partition_leader_epoch")
_LOOKAHEAD: Final = 16
"""How many batches after a batch are compared with its offset."""
_FAR: Final = 1024
"""The same after a gap: a page of 64 KiB has no more batches, unless they have a record or two each."""
_REMEMBERED: Final = 1024
"""How many batches before a batch are searched for the same batch."""


class _Placing:
    """The batches that are not yet graded, in order, and what is known of those before them."""

    def __init__(
        self, source: WalkSource, start: int, base_offset: int | None, end_offset: int | None, end_epoch: int | None
    ) -> None:
        self.source, self.end_epoch = source, end_epoch
        self.position = start
        """The end of the last batch whose offset is known."""
        self._most = MAX_INT64 if base_offset is None else min(base_offset + MAX_INT32 + 1, MAX_INT64)
        """The highest end offset of a log that no other log follows."""
        self._is_dense = base_offset is not None
        """Whether no offset is missing between adjacent batches, from the log's start on."""
        self._end = start
        """Where the last batch ends."""
        self.next_offset = base_offset
        """The lowest offset that a batch can have now; None if any."""
        self.magic = 0
        """The magic of the last batch whose offset is known."""
        self.end_offset = MAX_INT64 if end_offset is None else end_offset
        self.foreign: FoundBatch | None = None
        """The batch before, if it is of another log by its offset."""
        self.recent: deque[FoundBatch] = deque(maxlen=_REMEMBERED)
        """The last batches that were placed."""
        self.epoch: int | None = None
        self.waiting: deque[FoundBatch] = deque()
        self._are_behind: deque[bool] = deque()
        """Of each waiting batch: whether its base offset is not above the last offset of the one before."""
        self._counts: dict[int, int | None] = {}
        """The records counts of messages of magic 0 and 1, by position: those of a wrapper have to be decompressed."""
        self._lows: deque[FoundBatch] = deque()
        """The waiting batches with a lower base offset than all batches after them."""

    def wait(self, batch: FoundBatch) -> None:
        """Add a batch after the waiting ones."""
        last = self.waiting[-1].last_offset if self.waiting else -1
        self.waiting.append(batch)
        self._are_behind.append(batch.base_offset <= last)
        while self._lows and self._lows[-1].base_offset >= batch.base_offset:
            self._lows.pop()
        self._lows.append(batch)

    def _near(self, more: int = 0) -> list[FoundBatch]:
        """The next waiting batches."""
        return list(islice(self.waiting, _LOOKAHEAD + more))

    def first(self) -> FoundBatch:
        """Take the first waiting batch, and grade its offset."""
        batch = self.waiting.popleft()
        self._are_behind.popleft()
        if self._lows[0] is batch:
            self._lows.popleft()
        is_after_lost, self._end = batch.position != self._end, batch.end_position
        rival = self._rival(batch) if any(islice(self._are_behind, _LOOKAHEAD)) else None
        if rival is not None:
            self.foreign = batch = replace(batch, offsets=Offsets.UNKNOWN, rival=(rival.position, rival.leader_epoch))
            return batch
        following, foreign = self.waiting[0] if self.waiting else None, self.foreign
        self.foreign = None
        if is_after_lost and self._is_of_wrapper(batch, following):
            return replace(batch, offsets=Offsets.UNKNOWN, has_no_offset=True)
        batch = self._reread(batch, following, is_after_lost)
        if batch.offsets is Offsets.UNKNOWN:
            return batch
        is_possible = self._is_possible(batch)
        if is_possible and batch.position == self.position and self._lowest(batch) == self.next_offset:
            self._goes_on_after(batch)
        elif foreign is not None and self._continues(foreign, batch):
            self.foreign, batch = batch, replace(batch, offsets=Offsets.UNKNOWN)
        elif is_possible and (following is None or batch.last_offset < following.base_offset):
            stranger = self._strangers(batch)
            if not stranger:
                self._goes_on_after(batch)
            elif stranger > _LOOKAHEAD or (following is not None and self._continues(batch, following)):
                self.foreign = batch = replace(batch, offsets=Offsets.UNKNOWN)
            else:
                batch = self._doubted(batch, stranger)
                self.foreign = batch if batch.offsets is Offsets.UNKNOWN else None
        else:
            batch = self._doubted(batch)
            if not is_possible and self._is_foreign(batch):
                self.foreign = batch
        if batch.offsets is Offsets.STORED and "base_offset" in batch.restored:
            batch = replace(batch, offsets=Offsets.INFERRED)
        return self._with_epoch(batch)

    def _goes_on_after(self, batch: FoundBatch) -> None:
        if batch.position == self.position and self._lowest(batch) != self.next_offset:
            self._is_dense = False
        self.next_offset, self.position, self.magic = batch.last_offset + 1, batch.end_position, batch.magic
        self.recent.append(batch)

    def _rival(self, batch: FoundBatch) -> FoundBatch | None:
        """The waiting batch that begins at the same offset and has a higher leader epoch, if no waiting batch after it
        has a lower one."""
        if batch.magic < CURRENT_MAGIC or not self._is_possible(batch):
            return None
        lowest = self.end_epoch
        for other in reversed(self._near()):
            if other.magic < CURRENT_MAGIC:
                continue
            epoch = other.leader_epoch
            if lowest is None or epoch <= lowest:
                if other.base_offset == batch.base_offset and epoch > batch.leader_epoch >= (self.epoch or 0):
                    return other
                lowest = epoch
        return None

    def _is_foreign(self, batch: FoundBatch) -> bool:
        """Whether a batch without a place belongs to another log, by its offset. A batch that comes twice does not."""
        if batch.offsets is not Offsets.UNKNOWN or batch.base_offset < 0:
            return False
        return not any(_identity(other) == _identity(batch) for other in self.recent)

    def _placed_rival(self, batch: FoundBatch) -> tuple[int, int] | None:
        """Position and leader epoch of a recently placed batch that has the offset of another."""
        for other in reversed(self.recent):
            if other.base_offset <= batch.base_offset <= other.last_offset:
                return other.position, other.leader_epoch
        return None

    def _continues(self, before: FoundBatch, batch: FoundBatch) -> bool:
        """Whether a batch follows another without a byte or an offset between them."""
        return batch.position == before.end_position and self._lowest(batch) == before.last_offset + 1

    def _is_possible(self, batch: FoundBatch, before: FoundBatch | None = None) -> bool:
        """Whether a batch may come next, or after another one.

        A format that is older than that of the batch before means that a page of another log has come in, unless not
        one offset is missing between the two.
        """
        least = self.next_offset if before is None else before.last_offset + 1
        if not max(least or 0, 0) <= batch.base_offset <= batch.last_offset < self.end_offset:
            return False
        magic = self.magic if before is None else before.magic
        if batch.magic >= CURRENT_MAGIC:
            return batch.magic >= magic
        lowest = self._lowest(batch)  # a wrapper's header has its last offset
        return lowest is None or lowest == least or (lowest >= max(least or 0, 0) and batch.magic >= magic)

    def _strangers(self, batch: FoundBatch) -> int:
        """How many batches, from this one on, come after a gap and have fewer bytes than later batches that belong into
        the gap, or that follow these without a byte or an offset between; 0 if there are none."""
        if not self._lows or self._lows[0].base_offset >= batch.base_offset:
            return 0
        count, next_offset, last = 0, self.next_offset or 0, None
        strange_bytes = belonging_bytes = 0
        for number, other in enumerate(self.waiting, 1):
            belongs = next_offset <= other.base_offset < batch.base_offset
            if belongs or (last is not None and self._continues(last, other)):
                if last is None:
                    count, strange_bytes = number, other.position - batch.position
                belonging_bytes += other.size
                next_offset, last = other.last_offset + 1, other
        return count if belonging_bytes > strange_bytes else 0

    def _doubted(self, batch: FoundBatch, more: int = 0) -> FoundBatch:
        """Grade a batch that does not fit, or whose following one does not."""
        batches = [batch, *self._near(more)]
        kept = self._kept(batches)
        if kept and kept[0] == 0:
            self._goes_on_after(batch)
            return batch
        count = self._count(batch)
        if kept and self.next_offset is not None and count is not None:
            anchor = batches[kept[0]]
            between = [self._count(other) for other in batches[: kept[0]]]
            first = self._lowest(anchor)
            total = sum(number or 0 for number in between)
            ends = [self.position, *(other.end_position for other in batches[: kept[0]])]
            is_filled = ends == [other.position for other in batches[: kept[0] + 1]]
            if is_filled and None not in between and self.next_offset + total == first:
                base = self.next_offset if batch.magic >= CURRENT_MAGIC else self.next_offset + count - 1
                if self._is_of_elsewhere(batch, base, count, anchor):
                    return replace(batch, offsets=Offsets.UNKNOWN)
                batch = restored(batch, base_offset=base)
                self.next_offset, self.position, self.magic = self.next_offset + count, batch.end_position, batch.magic
                return replace(batch, offsets=Offsets.INFERRED)
        other = self._by_position(batch)
        if other is not None:
            self._goes_on_after(other)
            return other
        return replace(batch, offsets=Offsets.UNKNOWN, rival=self._placed_rival(batch))

    def _is_of_elsewhere(self, batch: FoundBatch, base: int, count: int, following: FoundBatch) -> bool:
        """Whether the stored offset of a batch is right, and its place is wrong, though with the offset ``base`` it
        would fill the place.

        That is so if the log lacks exactly the offsets that it says it has; if the messages of a wrapper of magic 0
        have them; or if more than one bit would have to be wrong in an offset that the log may have, and the batch's
        times are not between those around it.
        """
        last, first = batch.last_offset, batch.last_offset - count + 1
        if batch.magic == 0 and count > 1:
            return self._inner_last(batch) == last
        lowest_here = base if batch.magic >= CURRENT_MAGIC else base - count + 1
        if last < lowest_here or lowest_here + count <= first:
            known = [*self.recent, *self.waiting]
            is_lacking = not any(first <= other.last_offset <= last for other in known)
            ends = {other.last_offset + 1 for other in known} | {0}
            if is_lacking and first in ends and any(self._lowest(other) == last + 1 for other in known):
                return True
        is_possible = 0 <= first and last < self.end_offset and abs(batch.base_offset - base) <= MAX_INT32
        if batch.magic < CURRENT_MAGIC or not is_possible or (batch.base_offset ^ base).bit_count() == 1:
            return False
        before = times_of(self.recent[-1])[1] if self.recent else -1
        (lowest, largest), after = times_of(batch), times_of(following)[0]
        return not (before <= lowest and (largest <= after or after < 0))

    def _inner_last(self, batch: FoundBatch) -> int | None:
        """The last offset of the messages in a wrapper of magic 0, which its checksum covers; None of other batches."""
        count = None if batch.magic else self._count(batch)
        if count is None or count < 2:
            return None
        decoded = batch.batch(self.source)
        assert isinstance(decoded, LegacyBatch)
        try:
            return max(message.offset for message in decoded.records())
        except DataError:
            return None

    def _by_position(self, batch: FoundBatch) -> FoundBatch | None:
        """A batch directly after another one, with the next offset: the last batch, if no log has its stored offset and
        no offset is missing before it; or a batch whose stored offset differs in one high bit."""
        count = self._count(batch)
        if count is None or self.next_offset is None or batch.position != self.position:
            return None
        base = self.next_offset + (0 if batch.magic >= CURRENT_MAGIC else count - 1)
        wrong = (base ^ batch.base_offset) & _ALL_BITS
        is_last = not self.waiting and self.end_offset in (self._most, self.next_offset + count)
        is_no_offset = not 0 <= batch.base_offset <= self.next_offset + _LARGEST_GAP
        is_next = is_last and self._is_dense and is_no_offset  # compaction leaves gaps, but none at the end of a log
        if not is_next and (not base or wrong.bit_count() != 1 or wrong <= MAX_INT32):
            return None
        if batch.leader_epoch != -1 and self.recent and batch.leader_epoch != self.recent[-1].leader_epoch:
            return None
        other = restored(batch, base_offset=base)
        is_before = not self.waiting or other.last_offset < (self._lowest(self.waiting[0]) or 0)
        return replace(other, offsets=Offsets.INFERRED) if is_before and self._is_possible(other) else None

    def _reread(self, batch: FoundBatch, following: FoundBatch | None, is_after_lost: bool) -> FoundBatch:
        """A batch with the offset that it was written with, where its content or its neighbours show that.

        The messages in a wrapper of magic 0 have its offset. After lost bytes, the first bytes of a batch may be lost,
        too: up to the end of a sector, or all of the offset is zeros. What is left of the offset, and the batches
        before and directly after, say what it was.
        """
        if batch.magic >= CURRENT_MAGIC and not is_after_lost:
            return batch
        count, inner = self._count(batch), None
        if self._lowest(batch) != self.next_offset:
            inner = self._inner_last(batch)
        if inner is not None and inner != batch.last_offset:
            other = restored(batch, base_offset=inner)
            return other if self._is_possible(other) else batch
        if count is None or not is_after_lost:
            return batch
        lost = batch.bytes_in_first_sector
        kept = _ALL_BITS >> 8 * min(lost, 8)
        end = None if following is None or batch.end_position != following.position else self._lowest(following)
        if end is not None:
            base = end - (count if batch.magic >= CURRENT_MAGIC else 1)
            is_zero = batch.base_offset == (base & kept if lost <= 8 else 0)
            is_wrong = batch.base_offset < 0 or batch.last_offset >= end or not self._is_possible(batch)
            is_right = lost <= UNCOVERED_BYTES and not (base ^ batch.base_offset) & kept and is_wrong
            if base > 0 and (is_zero or is_right):
                is_epoch_lost = _EPOCH_FROM < lost <= UNCOVERED_BYTES and batch.magic >= CURRENT_MAGIC
                epoch = {"partition_leader_epoch": following.leader_epoch} if following and is_epoch_lost else {}
                return restored(batch, base_offset=base, **epoch)
        if lost <= 4 and self.next_offset is not None and not self._is_possible(batch):
            other = restored(batch, base_offset=self.next_offset & ~kept | batch.base_offset & kept)
            if self._is_possible(other) and (following is None or other.last_offset < following.base_offset):
                return other
        if 8 <= lost <= UNCOVERED_BYTES and not batch.base_offset:  # what it was is in the zeros
            return replace(batch, offsets=Offsets.UNKNOWN, has_no_offset=True)
        return batch

    def _is_of_wrapper(self, batch: FoundBatch, following: FoundBatch | None) -> bool:
        """Whether a message of magic 1 between lost bytes may have been in a wrapper, because wrappers are near: its
        offset is a relative one then."""
        is_last = following is None or batch.end_position != following.position
        if batch.magic != 1 or not is_last or self._is_wrapper(batch):
            return False
        return any(map(self._is_wrapper, [*islice(reversed(self.recent), _LOOKAHEAD), *self._near()]))

    def _is_wrapper(self, batch: FoundBatch) -> bool:
        return batch.magic == 1 and bool(batch.batch(self.source).compression)

    def _kept(self, batches: list[FoundBatch]) -> list[int]:
        """The numbers of the batches whose offsets are kept, in order."""
        scores: list[tuple[int, int | None]] = []
        counts = [self._count(batch) for batch in batches]
        for number, batch in enumerate(batches):
            best: tuple[int, int | None] = (-1, None)
            if self._is_possible(batch):
                best = (1 + self._follows(self.next_offset, counts[:number], batch), None)
            for before in range(number):
                score, end = scores[before][0], batches[before].last_offset + 1
                if score > 0 and self._is_possible(batch, batches[before]):
                    score += 1 + self._follows(end, counts[before + 1 : number], batch)
                    if score > best[0]:
                        best = score, before
            scores.append(best)
        last: int | None = max(range(len(scores)), key=lambda number: scores[number][0])
        if scores[last or 0][0] <= 0:
            return []
        numbers = []
        while last is not None:
            numbers.append(last)
            last = scores[last][1]
        return numbers[::-1]

    def _follows(self, offset: int | None, counts: list[int | None], batch: FoundBatch) -> int:
        """1 if a batch begins at ``offset`` plus the sum of ``counts``, else 0."""
        if offset is None or None in counts:
            return 0
        return int(offset + sum(count or 0 for count in counts) == self._lowest(batch))

    def _lowest(self, batch: FoundBatch) -> int | None:
        """The first offset of a batch; None if unknown."""
        if batch.magic >= CURRENT_MAGIC:
            return batch.base_offset
        count = self._count(batch)
        return None if count is None else batch.last_offset - count + 1

    def _count(self, batch: FoundBatch) -> int | None:
        """How many offsets a batch takes; None if unknown."""
        if batch.magic >= CURRENT_MAGIC:
            return batch.last_offset - batch.base_offset + 1
        if batch.position not in self._counts:
            decoded = batch.batch(self.source)
            assert isinstance(decoded, LegacyBatch)
            if len(self._counts) > 8 * _FAR:  # those that may be asked for again are two times as many
                self._counts.clear()
            try:
                self._counts[batch.position] = decoded.records_count
            except DataError:
                self._counts[batch.position] = None
        return self._counts[batch.position]

    def _with_epoch(self, batch: FoundBatch) -> FoundBatch:
        """A batch with the leader epoch of its neighbours, if they have one and its own is not between theirs."""
        if batch.magic < CURRENT_MAGIC or batch.offsets is Offsets.UNKNOWN:
            return batch
        epoch = batch.leader_epoch
        if epoch == self.epoch:
            return batch
        later, last_offset = list[int](), batch.last_offset
        for other in self._near():
            if other.base_offset <= last_offset:
                break
            later, last_offset = [*later, other.leader_epoch], other.last_offset
        later = [other_epoch for other_epoch in later if other_epoch >= 0]
        later = later or ([] if self.end_epoch is None else [self.end_epoch])
        is_beyond = self.end_epoch is not None and epoch > self.end_epoch
        is_too_high = is_beyond or 2 * sum(other_epoch < epoch for other_epoch in later) > len(later)
        if is_too_high or (self.epoch is not None and epoch < self.epoch):
            known = [*later, *([] if self.end_epoch is None else [self.end_epoch])]
            epoch = (
                max(other_epoch for other_epoch in known if other_epoch < epoch) if self.epoch is None else self.epoch
            )
            batch = restored(batch, partition_leader_epoch=epoch)
        self.epoch = epoch
        return batch


def _identity(batch: FoundBatch) -> tuple[int, bytes]:
    return batch.last_offset, batch.header[FRAME_BYTES:]


def placed(
    items: Iterable[FoundBatch | Lost],
    source: WalkSource,
    start: int,
    base_offset: int | None,
    end_offset: int | None,
    end_epoch: int | None,
) -> Iterator[FoundBatch | Lost]:
    """Yield the items in the same order, with the grades of their offsets, and with inferred offsets. Unknown offsets
    stay unknown."""
    placing = _Placing(source, start, base_offset, end_offset, end_epoch)
    pending: deque[FoundBatch | Lost | None] = deque()  # None: the first waiting batch
    for item in items:
        if isinstance(item, FoundBatch) and item.offsets is not Offsets.UNKNOWN:
            placing.wait(item)
            pending.append(None)
        else:
            pending.append(item)
        while len(placing.waiting) > _FAR:
            pending_item = pending.popleft()
            yield placing.first() if pending_item is None else pending_item
    for pending_item in pending:
        yield placing.first() if pending_item is None else pending_item


__all__ = ["placed"]

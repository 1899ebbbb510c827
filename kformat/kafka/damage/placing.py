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
"""How many batches after one are asked whether its offset fits."""
_FAR: Final = 1024
"""After a gap: a page of 64 KiB has no more, unless they have a record or two each."""
_REMEMBERED: Final = 1024
"""How many batches before one are asked whether it is the same again."""


class _Placing:
    """The batches that are not yet graded, in order, and what is known of those before them."""

    def __init__(
        self, source: WalkSource, start: int, base_offset: int | None, end_offset: int | None, end_epoch: int | None
    ) -> None:
        self.source, self.end_epoch = source, end_epoch
        self.position = start
        """Where the last batch ends of which the offset is known."""
        self._most = MAX_INT64 if base_offset is None else min(base_offset + MAX_INT32 + 1, MAX_INT64)
        """Where a log ends at most, if no other one comes after it."""
        self._is_dense = base_offset is not None
        """Whether no offset is missing between batches without a byte between, from the log's start on."""
        self._end = start
        """Where the last batch ends."""
        self.next_offset = base_offset
        """The lowest offset that a batch can have now; None if any."""
        self.magic = 0
        """That of the last batch of which the offset is known."""
        self.end_offset = MAX_INT64 if end_offset is None else end_offset
        self.foreign: FoundBatch | None = None
        """The batch before, if it is of another log by its offset."""
        self.recent: deque[FoundBatch] = deque(maxlen=_REMEMBERED)
        """The last batches that were placed."""
        self.epoch: int | None = None
        self.waiting: deque[FoundBatch] = deque()
        self._are_behind: deque[bool] = deque()
        """Of each that waits: whether it begins below the end of the one before."""
        self._counts: dict[int, int | None] = {}
        """By position, how many records messages of magic 0 and 1 have: those of a wrapper have to be decompressed."""
        self._lows: deque[FoundBatch] = deque()
        """Of the batches that wait, those with a lower base offset than all batches after them."""

    def wait(self, found: FoundBatch) -> None:
        """Put a batch after those that wait."""
        last = self.waiting[-1].last_offset if self.waiting else -1
        self.waiting.append(found)
        self._are_behind.append(found.base_offset <= last)
        while self._lows and self._lows[-1].base_offset >= found.base_offset:
            self._lows.pop()
        self._lows.append(found)

    def _near(self, more: int = 0) -> list[FoundBatch]:
        """The next batches that wait."""
        return list(islice(self.waiting, _LOOKAHEAD + more))

    def first(self) -> FoundBatch:
        """Take the first one that waits, with its grade."""
        found = self.waiting.popleft()
        self._are_behind.popleft()
        if self._lows[0] is found:
            self._lows.popleft()
        is_after_lost, self._end = found.position != self._end, found.end_position
        rival = self._rival(found) if any(islice(self._are_behind, _LOOKAHEAD)) else None
        if rival is not None:
            self.foreign = found = replace(found, offsets=Offsets.UNKNOWN, rival=(rival.position, rival.leader_epoch))
            return found
        following, foreign = self.waiting[0] if self.waiting else None, self.foreign
        self.foreign = None
        if is_after_lost and self._is_of_wrapper(found, following):
            return replace(found, offsets=Offsets.UNKNOWN, has_no_offset=True)
        found = self._reread(found, following, is_after_lost)
        if found.offsets is Offsets.UNKNOWN:
            return found
        is_possible = self._is_possible(found)
        if is_possible and found.position == self.position and self._lowest(found) == self.next_offset:
            self._goes_on_after(found)
        elif foreign is not None and self._continues(foreign, found):
            self.foreign, found = found, replace(found, offsets=Offsets.UNKNOWN)
        elif is_possible and (following is None or found.last_offset < following.base_offset):
            stranger = self._strangers(found)
            if not stranger:
                self._goes_on_after(found)
            elif stranger > _LOOKAHEAD or (following is not None and self._continues(found, following)):
                self.foreign = found = replace(found, offsets=Offsets.UNKNOWN)
            else:
                found = self._doubted(found, stranger)
                self.foreign = found if found.offsets is Offsets.UNKNOWN else None
        else:
            found = self._doubted(found)
            if not is_possible and self._is_foreign(found):
                self.foreign = found
        if found.offsets is Offsets.STORED and "base_offset" in found.restored:
            found = replace(found, offsets=Offsets.INFERRED)
        return self._with_epoch(found)

    def _goes_on_after(self, found: FoundBatch) -> None:
        if found.position == self.position and self._lowest(found) != self.next_offset:
            self._is_dense = False
        self.next_offset, self.position, self.magic = found.last_offset + 1, found.end_position, found.magic
        self.recent.append(found)

    def _rival(self, found: FoundBatch) -> FoundBatch | None:
        """The batch that waits, begins at the same offset, and has a higher leader epoch; none that waits after it has
        a lower one."""
        if found.magic < CURRENT_MAGIC or not self._is_possible(found):
            return None
        lowest = self.end_epoch
        for other in reversed(self._near()):
            if other.magic < CURRENT_MAGIC:
                continue
            epoch = other.leader_epoch
            if lowest is None or epoch <= lowest:
                if other.base_offset == found.base_offset and epoch > found.leader_epoch >= (self.epoch or 0):
                    return other
                lowest = epoch
        return None

    def _is_foreign(self, found: FoundBatch) -> bool:
        """Whether a batch without a place was one in another log, by its offset: not a batch that comes twice."""
        if found.offsets is not Offsets.UNKNOWN or found.base_offset < 0:
            return False
        return not any(_identity(other) == _identity(found) for other in self.recent)

    def _placed_rival(self, found: FoundBatch) -> tuple[int, int] | None:
        """Position and leader epoch of the batch with the offset of another, if it was placed not long ago."""
        for other in reversed(self.recent):
            if other.base_offset <= found.base_offset <= other.last_offset:
                return other.position, other.leader_epoch
        return None

    def _continues(self, before: FoundBatch, found: FoundBatch) -> bool:
        """Whether a batch follows another without a byte or an offset between them."""
        return found.position == before.end_position and self._lowest(found) == before.last_offset + 1

    def _is_possible(self, found: FoundBatch, before: FoundBatch | None = None) -> bool:
        """Whether a batch may come next, or after another one.

        A format that is older than that of the batch before means that a page of another log has come in, unless not
        one offset is missing between the two.
        """
        least = self.next_offset if before is None else before.last_offset + 1
        if not max(least or 0, 0) <= found.base_offset <= found.last_offset < self.end_offset:
            return False
        magic = self.magic if before is None else before.magic
        if found.magic >= CURRENT_MAGIC:
            return found.magic >= magic
        lowest = self._lowest(found)  # a wrapper's header has its last offset
        return lowest is None or lowest == least or (lowest >= max(least or 0, 0) and found.magic >= magic)

    def _strangers(self, found: FoundBatch) -> int:
        """How many batches, the first of them given, come after a gap, and have fewer bytes than those after them that
        belong into the gap, or go on from these without a byte or an offset between; 0 if that is not so."""
        if not self._lows or self._lows[0].base_offset >= found.base_offset:
            return 0
        count, next_offset, last = 0, self.next_offset or 0, None
        strange_bytes = belonging_bytes = 0
        for number, other in enumerate(self.waiting, 1):
            belongs = next_offset <= other.base_offset < found.base_offset
            if belongs or (last is not None and self._continues(last, other)):
                if last is None:
                    count, strange_bytes = number, other.position - found.position
                belonging_bytes += other.size
                next_offset, last = other.last_offset + 1, other
        return count if belonging_bytes > strange_bytes else 0

    def _doubted(self, found: FoundBatch, more: int = 0) -> FoundBatch:
        """A batch that does not fit, or whose following one does not."""
        batches = [found, *self._near(more)]
        kept = self._kept(batches)
        if kept and kept[0] == 0:
            self._goes_on_after(found)
            return found
        count = self._count(found)
        if kept and self.next_offset is not None and count is not None:
            anchor = batches[kept[0]]
            between = [self._count(other) for other in batches[: kept[0]]]
            first = self._lowest(anchor)
            total = sum(number or 0 for number in between)
            ends = [self.position, *(other.end_position for other in batches[: kept[0]])]
            is_filled = ends == [other.position for other in batches[: kept[0] + 1]]
            if is_filled and None not in between and self.next_offset + total == first:
                base = self.next_offset if found.magic >= CURRENT_MAGIC else self.next_offset + count - 1
                if self._is_of_elsewhere(found, base, count, anchor):
                    return replace(found, offsets=Offsets.UNKNOWN)
                found = restored(found, base_offset=base)
                self.next_offset, self.position, self.magic = self.next_offset + count, found.end_position, found.magic
                return replace(found, offsets=Offsets.INFERRED)
        other = self._by_position(found)
        if other is not None:
            self._goes_on_after(other)
            return other
        return replace(found, offsets=Offsets.UNKNOWN, rival=self._placed_rival(found))

    def _is_of_elsewhere(self, found: FoundBatch, base: int, count: int, following: FoundBatch) -> bool:
        """Whether a batch rather has the offset that is stored, and lies where it does not belong, though it would fill
        the place if it had another one, ``base``.

        That is so if the log lacks exactly the offsets that it says it has; if the messages of a wrapper of magic 0
        have them; or if more than one bit would have to be wrong in an offset that the log may have, and the batch's
        times are not between those around it.
        """
        last, first = found.last_offset, found.last_offset - count + 1
        if found.magic == 0 and count > 1:
            return self._inner_last(found) == last
        lowest_here = base if found.magic >= CURRENT_MAGIC else base - count + 1
        if last < lowest_here or lowest_here + count <= first:
            known = [*self.recent, *self.waiting]
            is_lacking = not any(first <= other.last_offset <= last for other in known)
            ends = {other.last_offset + 1 for other in known} | {0}
            if is_lacking and first in ends and any(self._lowest(other) == last + 1 for other in known):
                return True
        is_possible = 0 <= first and last < self.end_offset and abs(found.base_offset - base) <= MAX_INT32
        if found.magic < CURRENT_MAGIC or not is_possible or (found.base_offset ^ base).bit_count() == 1:
            return False
        before = times_of(self.recent[-1])[1] if self.recent else -1
        (lowest, largest), after = times_of(found), times_of(following)[0]
        return not (before <= lowest and (largest <= after or after < 0))

    def _inner_last(self, found: FoundBatch) -> int | None:
        """The last offset of the messages in a wrapper of magic 0, which its checksum covers; None of other batches."""
        count = None if found.magic else self._count(found)
        if count is None or count < 2:
            return None
        batch = found.batch(self.source)
        assert isinstance(batch, LegacyBatch)
        try:
            return max(message.offset for message in batch.records())
        except DataError:
            return None

    def _by_position(self, found: FoundBatch) -> FoundBatch | None:
        """A batch that comes directly after another one, with the next offset: the last one, if what is stored is no
        offset of a log, and none is missing before it; or one whose stored offset differs in one high bit."""
        count = self._count(found)
        if count is None or self.next_offset is None or found.position != self.position:
            return None
        base = self.next_offset + (0 if found.magic >= CURRENT_MAGIC else count - 1)
        wrong = (base ^ found.base_offset) & _ALL_BITS
        is_last = not self.waiting and self.end_offset in (self._most, self.next_offset + count)
        is_no_offset = not 0 <= found.base_offset <= self.next_offset + _LARGEST_GAP
        is_next = is_last and self._is_dense and is_no_offset  # compaction leaves gaps, but none at the end of a log
        if not is_next and (not base or wrong.bit_count() != 1 or wrong <= MAX_INT32):
            return None
        if found.leader_epoch != -1 and self.recent and found.leader_epoch != self.recent[-1].leader_epoch:
            return None
        other = restored(found, base_offset=base)
        is_before = not self.waiting or other.last_offset < (self._lowest(self.waiting[0]) or 0)
        return replace(other, offsets=Offsets.INFERRED) if is_before and self._is_possible(other) else None

    def _reread(self, found: FoundBatch, following: FoundBatch | None, is_after_lost: bool) -> FoundBatch:
        """A batch with the offset that it had before, where what lies in it or around it says that.

        The messages in a wrapper of magic 0 have its offset. After lost bytes, the first bytes of a batch may be lost,
        too: up to the end of a sector, or all of the offset is zeros. What is left of the offset, and the batches
        before and directly after, say what it was.
        """
        if found.magic >= CURRENT_MAGIC and not is_after_lost:
            return found
        count, inner = self._count(found), None
        if self._lowest(found) != self.next_offset:
            inner = self._inner_last(found)
        if inner is not None and inner != found.last_offset:
            other = restored(found, base_offset=inner)
            return other if self._is_possible(other) else found
        if count is None or not is_after_lost:
            return found
        lost = found.bytes_in_first_sector
        kept = _ALL_BITS >> 8 * min(lost, 8)
        end = None if following is None or found.end_position != following.position else self._lowest(following)
        if end is not None:
            base = end - (count if found.magic >= CURRENT_MAGIC else 1)
            is_zero = found.base_offset == (base & kept if lost <= 8 else 0)
            is_wrong = found.base_offset < 0 or found.last_offset >= end or not self._is_possible(found)
            is_right = lost <= UNCOVERED_BYTES and not (base ^ found.base_offset) & kept and is_wrong
            if base > 0 and (is_zero or is_right):
                is_epoch_lost = _EPOCH_FROM < lost <= UNCOVERED_BYTES and found.magic >= CURRENT_MAGIC
                epoch = {"partition_leader_epoch": following.leader_epoch} if following and is_epoch_lost else {}
                return restored(found, base_offset=base, **epoch)
        if lost <= 4 and self.next_offset is not None and not self._is_possible(found):
            other = restored(found, base_offset=self.next_offset & ~kept | found.base_offset & kept)
            if self._is_possible(other) and (following is None or other.last_offset < following.base_offset):
                return other
        if 8 <= lost <= UNCOVERED_BYTES and not found.base_offset:  # what it was is in the zeros
            return replace(found, offsets=Offsets.UNKNOWN, has_no_offset=True)
        return found

    def _is_of_wrapper(self, found: FoundBatch, following: FoundBatch | None) -> bool:
        """Whether a message of magic 1 between lost bytes may have been in a wrapper, as those near to it are: its
        offset is a relative one then."""
        is_last = following is None or found.end_position != following.position
        if found.magic != 1 or not is_last or self._is_wrapper(found):
            return False
        return any(map(self._is_wrapper, [*islice(reversed(self.recent), _LOOKAHEAD), *self._near()]))

    def _is_wrapper(self, found: FoundBatch) -> bool:
        return found.magic == 1 and bool(found.batch(self.source).compression)

    def _kept(self, batches: list[FoundBatch]) -> list[int]:
        """The numbers of those whose offsets are kept, the first of them first."""
        scores: list[tuple[int, int | None]] = []
        counts = [self._count(found) for found in batches]
        for number, found in enumerate(batches):
            best: tuple[int, int | None] = (-1, None)
            if self._is_possible(found):
                best = (1 + self._follows(self.next_offset, counts[:number], found), None)
            for before in range(number):
                score, end = scores[before][0], batches[before].last_offset + 1
                if score > 0 and self._is_possible(found, batches[before]):
                    score += 1 + self._follows(end, counts[before + 1 : number], found)
                    if score > best[0]:
                        best = score, before
            scores.append(best)
        last: int | None = max(range(len(scores)), key=lambda number: scores[number][0])
        if scores[last or 0][0] <= 0:
            return []
        found_numbers = []
        while last is not None:
            found_numbers.append(last)
            last = scores[last][1]
        return found_numbers[::-1]

    def _follows(self, offset: int | None, counts: list[int | None], found: FoundBatch) -> int:
        """1 if a batch begins at an offset once so many offsets of others are taken."""
        if offset is None or None in counts:
            return 0
        return int(offset + sum(count or 0 for count in counts) == self._lowest(found))

    def _lowest(self, found: FoundBatch) -> int | None:
        """The first offset of a batch; None if nobody knows."""
        if found.magic >= CURRENT_MAGIC:
            return found.base_offset
        count = self._count(found)
        return None if count is None else found.last_offset - count + 1

    def _count(self, found: FoundBatch) -> int | None:
        """How many offsets a batch takes; None if nobody knows."""
        if found.magic >= CURRENT_MAGIC:
            return found.last_offset - found.base_offset + 1
        if found.position not in self._counts:
            batch = found.batch(self.source)
            assert isinstance(batch, LegacyBatch)
            if len(self._counts) > 8 * _FAR:  # those that may be asked for again are two times as many
                self._counts.clear()
            try:
                self._counts[found.position] = batch.records_count
            except DataError:
                self._counts[found.position] = None
        return self._counts[found.position]

    def _with_epoch(self, found: FoundBatch) -> FoundBatch:
        """With the leader epoch of those before and after it, if they have one and its own is not between."""
        if found.magic < CURRENT_MAGIC or found.offsets is Offsets.UNKNOWN:
            return found
        epoch = found.leader_epoch
        if epoch == self.epoch:
            return found
        later, last_offset = list[int](), found.last_offset
        for other in self._near():
            if other.base_offset <= last_offset:
                break
            later, last_offset = [*later, other.leader_epoch], other.last_offset
        later = [one for one in later if one >= 0]
        later = later or ([] if self.end_epoch is None else [self.end_epoch])
        is_beyond = self.end_epoch is not None and epoch > self.end_epoch
        is_too_high = is_beyond or 2 * sum(one < epoch for one in later) > len(later)
        if is_too_high or (self.epoch is not None and epoch < self.epoch):
            known = [*later, *([] if self.end_epoch is None else [self.end_epoch])]
            epoch = max(one for one in known if one < epoch) if self.epoch is None else self.epoch
            found = restored(found, partition_leader_epoch=epoch)
        self.epoch = epoch
        return found


def _identity(found: FoundBatch) -> tuple[int, bytes]:
    return found.last_offset, found.header[FRAME_BYTES:]


def placed(
    items: Iterable[FoundBatch | Lost],
    source: WalkSource,
    start: int,
    base_offset: int | None,
    end_offset: int | None,
    end_epoch: int | None,
) -> Iterator[FoundBatch | Lost]:
    """The same, in the same order, with the grades of their offsets, and with the offsets that are inferred. What is
    unknown stays so."""
    placing = _Placing(source, start, base_offset, end_offset, end_epoch)
    pending: deque[FoundBatch | Lost | None] = deque()  # None: the first that waits
    for item in items:
        if isinstance(item, FoundBatch) and item.offsets is not Offsets.UNKNOWN:
            placing.wait(item)
            pending.append(None)
        else:
            pending.append(item)
        while len(placing.waiting) > _FAR:
            taken = pending.popleft()
            yield placing.first() if taken is None else taken
    for taken in pending:
        yield placing.first() if taken is None else taken


__all__ = ["placed"]

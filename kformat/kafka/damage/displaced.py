"""Batches that lie somewhere else in a log than they belong, as they do where a disk has swapped two sectors.

Rules:

* A batch without a place has the offset that is stored if its offsets are missing between two batches of the log that
  follow each other, and bytes are lost there, or no offset is missing elsewhere. It comes between these two then.
* It has to fit there: by its leader epoch and format, and by its times, if those of the log are in order.
* A batch whose stored offset says nothing, as that of one that may be the value of a record, belongs nowhere.
* Of those for one gap as many as possible are taken whose epochs and formats do not fall.
* Of a batch that lies in two places one is put back; of two that have an offset in common, neither; nor one that has an
  offset in common with another batch that may be the value of a record, and may be the log's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kformat.integers import MAX_INT64
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.damage.found_batch import Content, FoundBatch, Standing, times_of


class DisplacedPart(NamedTuple):
    """A part of a log: its batches, and their offsets.

    ``first`` and ``last`` are the batches at its ends, if it is saved; ``single`` is the batch, if it is without a
    place, and the offsets are those that are stored.
    """

    size: int
    first_offset: int = -1
    last_offset: int = -1
    first: FoundBatch | None = None
    last: FoundBatch | None = None
    single: FoundBatch | None = None


class _Gap(NamedTuple):
    """Offsets from ``first`` to ``end`` (exclusive) that no batch has, between two batches."""

    first: int
    end: int
    before: FoundBatch | None
    after: FoundBatch | None


def put_back(
    places: Sequence[DisplacedPart], base_offset: int, end_offset: int | None, is_dense: bool, is_timely: bool
) -> list[int]:
    """The numbers of the unplaced batches for which there is a place.

    ``places`` is a log from its start to its end, without the room of zeros after that. ``end_offset`` is the next
    segment's; None for the last one. ``is_dense``: whether no offset is missing between batches that follow each other
    without a byte between; ``is_timely``: whether no batch begins before the times of the one before it.
    """
    gaps = list(_gaps(places, base_offset, end_offset, is_dense))
    starts = [gap.first for gap in gaps]
    fitting: dict[int, list[int]] = {}
    doubtful: dict[int, list[int]] = {}
    for number, place in enumerate(places):
        at = bisect_right(starts, place.first_offset) - 1
        if place.single is None or at < 0:
            continue
        if _fits(place, place.single, gaps[at], is_timely):
            fitting.setdefault(at, []).append(number)
        elif place.single.standing is Standing.UNANCHORED:
            doubtful.setdefault(at, []).append(number)
    return [number for at, numbers in fitting.items() for number in _chosen(places, numbers, doubtful.get(at, []))]


def _gaps(places: Sequence[DisplacedPart], base_offset: int, end_offset: int | None, is_dense: bool) -> Iterator[_Gap]:
    next_offset, size, before = base_offset, 0, None
    for place in places:
        if place.first is None:
            size += place.size
            continue
        if (size or is_dense) and next_offset < place.first_offset:
            yield _Gap(next_offset, place.first_offset, before, place.first)
        next_offset, size, before = place.last_offset + 1, 0, place.last
    if size:
        # Nobody knows how many offsets the last log had; a record takes more than one byte.
        end = min(next_offset + size, MAX_INT64) if end_offset is None else end_offset
        if next_offset < end:
            yield _Gap(next_offset, end, before, None)


def _fits(place: DisplacedPart, batch: FoundBatch, gap: _Gap, is_timely: bool) -> bool:
    is_sure = batch.content in (Content.PROVED, Content.CORRECTED) and batch.rival is None and not batch.has_no_offset
    if not is_sure or not gap.first <= place.first_offset <= place.last_offset < gap.end:
        return False
    before, after = gap.before, gap.after
    if not (before is None or before.magic <= batch.magic) or not (after is None or batch.magic <= after.magic):
        return False
    if batch.magic < CURRENT_MAGIC:
        return True
    if before is not None and before.leader_epoch > batch.leader_epoch:
        return False
    if after is not None and batch.leader_epoch > after.leader_epoch:
        return False
    if not is_timely:
        return True
    lowest, largest = times_of(batch)
    is_after = before is None or times_of(before)[1] <= lowest
    return is_after and (after is None or largest <= times_of(after)[0])


def _chosen(places: Sequence[DisplacedPart], numbers: Sequence[int], doubtful: Sequence[int]) -> list[int]:
    """Choose what is put into a gap, of batches that fit there, next to doubtful ones that may be the log's."""
    once = {(places[number].last_offset, _header(places[number])): number for number in [*doubtful, *numbers[::-1]]}
    ordered = sorted(once.values(), key=lambda number: (places[number].first_offset, places[number].last_offset))
    contested, widest = set(doubtful), ordered[0]
    for number in ordered[1:]:
        if places[widest].last_offset >= places[number].first_offset:
            contested |= {widest, number}
        widest = max(widest, number, key=lambda other: places[other].last_offset)
    return _growing([number for number in ordered if number not in contested], lambda number: _age(places[number]))


def _header(place: DisplacedPart) -> bytes:
    assert place.single is not None
    return place.single.header


def _age(place: DisplacedPart) -> tuple[int, int]:
    """Format and leader epoch, which do not fall from batch to batch."""
    assert place.single is not None
    return place.single.magic, place.single.leader_epoch


def _growing(items: Sequence[int], key: Callable[[int], tuple[int, int]]) -> list[int]:
    """The longest subsequence of the items whose keys do not fall."""
    ends, keys, before = list[int](), list[tuple[int, int]](), dict[int, int | None]()
    for item in items:
        at = bisect_right(keys, key(item))
        before[item] = ends[at - 1] if at else None
        ends[at : at + 1], keys[at : at + 1] = [item], [key(item)]
    chosen, last = list[int](), ends[-1] if ends else None
    while last is not None:
        chosen.append(last)
        last = before[last]
    return chosen[::-1]


def without(span: tuple[int, int], excluded: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is left of a span of offsets, first and last, without ``excluded`` spans, which are in order."""
    left, (first, last) = list[tuple[int, int]](), span
    for start, end in excluded:
        if start > last or end < first:
            continue
        if first < start:
            left.append((first, start - 1))
        first = end + 1
    return [*left, (first, last)] if first <= last else left


__all__ = ["DisplacedPart", "put_back", "without"]

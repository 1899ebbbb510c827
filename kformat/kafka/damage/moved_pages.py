"""Find pages of a log that lie where another one belongs, as where a disk has swapped two of them.

Rules:

* A page belongs to a place if batches are sound with it there, and one of them reaches over one of its edges: the
  checksum of that batch lies before the edge, and it covers some bytes after it. Fewer may be alike by chance: a batch
  without its first bytes, of which none is covered, fits wherever these are zeros.
* The log up to that batch has to be sound where pages are exchanged: two pages next to each other fit each other in
  another place, too.
* If only what no checksum covers lies before the edge, its length among it, the next batch has to be sound, too, and
  its offset has to be the next one.
* No value can do that. So batches that lie in such a page, from the first one on that begins in it, are the log's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kformat.kafka.batch.batches import sound_batch
from kformat.kafka.batch.framing import HEADER_BYTES, Walk
from kformat.kafka.damage.effort import Effort
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource, patched

_PAGE_BYTES: Final = (4096, 512)
_LEAST_BEFORE: Final = layout("record_batch").position("attributes")
_LEAST_AFTER: Final = 8
"""How many bytes a batch has at least before and after the edge of a page that it proves."""
_UNCOVERED: Final = layout("record_batch").position("magic")
"""How many it has at least before an edge if it proves the page with the next batch."""
_MOST_READ: Final = 1 << 14
_MOST_PAGES: Final = 256
"""If more are in doubt, no pages are compared. A page of one repeated byte, such as zeros, does not count as moved."""


class Moved(NamedTuple):
    """Pages that lie where others belong.

    Attributes:
        starts: positions at which batches begin in pages that belong elsewhere, and after the places of these.
        places: where others belong, by position and end position.
        is_whole: whether all pages were compared.
    """

    starts: frozenset[int]
    places: frozenset[tuple[int, int]]
    is_whole: bool


def moved_pages(source: ByteSource, spans: Sequence[Sequence[tuple[int, int]]], effort: Effort) -> Moved:
    """The pages that belong elsewhere in a log.

    ``spans`` are parts of the log of which no batch has a place, each as the bytes in it that are lost: positions and
    end positions, in order. Each span begins where a batch of the log ends. ``effort`` bounds what is looked at. Raises
    OSError.
    """
    all_starts, places, is_whole = set[int](), set[tuple[int, int]](), True
    for size in _PAGE_BYTES:
        parts = {page for span in spans for part in span for page in _pages(source, part, size)}
        if len(parts) > _MOST_READ:
            is_whole = False
            continue
        content = {page: source.read_at(page, size) for page in sorted(parts)}
        pages = [page for page, data in content.items() if data.count(data[0]) < size]
        if len(pages) > _MOST_PAGES:
            is_whole = False
            continue
        for (start, end), *_ in spans:
            if any(first <= start < last for first, last in places):
                continue  # no batch of the log ends in a page that belongs elsewhere
            for place in filter(content.__contains__, _places(source, start, end, size)):
                for page in pages:
                    if page == place or page < start < page + size:
                        continue
                    for patches in _exchanges(content, place, page):
                        log, exchanged = patched(source, patches), [at for at, _ in patches]
                        starts, after, looked_at = _starts_in(log, start, place, size, exchanged)
                        if not effort.allows(looked_at):
                            return Moved(frozenset(all_starts), frozenset(places), False)
                        all_starts.update(page + at - place for at in starts)
                        if after is not None:
                            is_moved = len(patches) > 1 and page <= after < page + size
                            all_starts.add(place + after - page if is_moved else after)
                        if starts or after is not None:
                            places |= {(at, at + size) for at, _ in patches}
    return Moved(frozenset(all_starts), frozenset(places), is_whole)


def _pages(source: ByteSource, part: tuple[int, int], size: int) -> range:
    """The starts of the pages that have bytes of a part, and of the page after: the first bytes of a batch have no
    checksum, so a batch may seem to begin before the page that it was moved with."""
    return range(part[0] // size * size, min(part[1] + size, source.size - size + 1), size)


def _places(source: ByteSource, start: int, end: int, size: int) -> list[int]:
    """The starts of pages between two positions that may belong elsewhere: pages of a batch that is not sound, or of
    its header if that does not say how long the batch is. ``start`` is where a batch of the log ends."""
    candidates, walk = set[int](), Walk(source, start)
    for frame in walk:
        if frame.position >= end:
            break
        if sound_batch(source, frame) is None:
            candidates.update(_pages(source, (frame.position, min(frame.position + frame.size, end)), size))
    if walk.position < end:
        candidates.update(_pages(source, (walk.position, walk.position + HEADER_BYTES), size))
    return sorted(place for place in candidates if place >= start)


def _exchanges(content: Mapping[int, bytes], place: int, page: int) -> Iterator[list[tuple[int, bytes]]]:
    """Yield patches, by position, that put a page into a place: both pages exchanged, then, for neighbours, that page
    alone."""
    yield [(place, content[page]), (page, content[place])]
    if abs(place - page) == len(content[page]):
        yield [(place, content[page])]


def _starts_in(
    source: ByteSource, start: int, place: int, size: int, exchanged: Sequence[int]
) -> tuple[list[int], int | None, int]:
    """The starts of batches in a page that belongs to its place, where the log goes on after the page, if that is
    known, and how many bytes were looked at. A page that does not belong there has no starts. ``exchanged`` are the
    places of pages that the source has exchanged."""
    starts, is_proved, looked_at, is_sound, after = list[int](), False, 0, True, start
    expected, end = None, place + size
    for frame in Walk(source, start):
        looked_at += frame.size
        batch = sound_batch(source, frame)
        was_sound, is_sound = is_sound, batch is not None
        after = frame.position + frame.size
        if batch is not None:
            before = [edge - frame.position for edge in (place, end) if edge <= after - _LEAST_AFTER]
            is_proved = is_proved or max(before, default=0) >= _LEAST_BEFORE or batch.base_offset == expected
            expected = batch.next_offset if max(before, default=0) >= _UNCOVERED else None
        elif not is_proved and any(at < after and frame.position < at + size for at in exchanged):
            break
        if place <= frame.position and after <= end and (is_sound or was_sound):
            starts.append(frame.position)
        if after >= end or frame.position >= end:
            break
    if not is_proved:
        return [], None, looked_at
    return starts, after if is_sound and after >= end else None, looked_at


__all__ = ["Moved", "moved_pages"]

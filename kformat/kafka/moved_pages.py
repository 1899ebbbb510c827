"""Find pages of a log that lie where another one belongs, as where a disk has swapped two of them.

Rules:

* A page belongs to a place if batches are sound with it there, and one of them reaches over one of its edges: the
  checksum of that batch covers bytes of the page and bytes next to it.
* No value can do that. So batches that lie in such a page, from the first one on that begins in it, are the log's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kformat.kafka.batches import sound_batch
from kformat.kafka.framing import Walk
from kformat.storage.byte_source import ByteSource, patched

_PAGE_BYTES: Final = (512, 4096)
_MOST_PAGES: Final = 256
"""Where more are in doubt, no two of them are compared."""
_MOST_BYTES: Final = 64 << 20
"""How many bytes are looked at."""


class Moved(NamedTuple):
    """What is known of pages that lie where others belong.

    Attributes:
        starts: positions at which batches begin in pages that belong elsewhere, and after the places of these.
        places: where others belong, by position and end position.
    """

    starts: frozenset[int]
    places: frozenset[tuple[int, int]]


def moved_pages(source: ByteSource, spans: Sequence[tuple[int, int]]) -> Moved:
    """The pages that belong elsewhere in a log.

    ``spans`` are the parts of the log, by position and end position, of which no batch has a place; each begins where a
    batch of the log ends. Raises OSError.
    """
    found, places, left = set[int](), set[tuple[int, int]](), _MOST_BYTES
    for size in _PAGE_BYTES:
        last = source.size - size
        pages = [at for start, end in spans for at in range(-(-start // size) * size, min(end, last + 1), size)]
        if not 2 <= len(pages) <= _MOST_PAGES:
            continue
        content = {page: source.read_at(page, size) for page in pages}
        for start, end in spans:
            for place in range(-(-start // size) * size, min(end, last + 1), size):
                if _starts_in(source, start, place, place + size)[0]:
                    continue  # its own page is there
                for page in pages:
                    if page == place:
                        continue
                    for patches in _exchanges(content, place, page):
                        if left < 0:
                            return Moved(frozenset(found), frozenset(places))
                        starts, after, looked_at = _starts_in(patched(source, patches), start, place, place + size)
                        left -= looked_at
                        found.update(page + at - place for at in starts)
                        found.update(() if after is None else (after,))
                        if starts or after is not None:
                            places |= {(at, at + size) for at, _ in patches}
    return Moved(frozenset(found), frozenset(places))


def _exchanges(content: Mapping[int, bytes], place: int, page: int) -> Iterator[list[tuple[int, bytes]]]:
    """What is read instead, by position, if a page belongs to a place: and that one to the page's, or not."""
    yield [(place, content[page]), (page, content[place])]
    if abs(place - page) == len(content[page]):
        yield [(place, content[page])]


def _starts_in(source: ByteSource, start: int, place: int, end: int) -> tuple[list[int], int | None, int]:
    """Where batches begin in a page that belongs to its place, and where the log goes on after it, if that is known;
    none of both if it does not belong there. And how many bytes were looked at."""
    starts, is_proved, looked_at, is_sound, after = list[int](), False, 0, True, start
    for frame in Walk(source, start):
        looked_at += frame.size
        was_sound, is_sound = is_sound, sound_batch(source, frame) is not None
        after = frame.position + frame.size
        is_proved = is_proved or (is_sound and any(frame.position < edge < after for edge in (place, end)))
        if place <= frame.position and after <= end and (is_sound or was_sound):
            starts.append(frame.position)
        if after >= end or frame.position >= end:
            break
    if not is_proved:
        return [], None, looked_at
    return starts, after if is_sound and after >= end else None, looked_at


__all__ = ["Moved", "moved_pages"]

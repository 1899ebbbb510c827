"""A reader of a source that is not in memory as a whole: it holds a stretch of it, which slides on.

The parser that yields the elements of a list (`parser.rows`) runs a step again when it needs bytes after those
that are held: it catches `More`, calls `Sliding.more`, and begins the step again. A step that ends exactly where the
held bytes end runs again, too: it may have taken that for the end of the source.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from typing import Any, Final, Literal, NamedTuple

from kformat.codec.leftover import found_bytes
from kformat.codec.reader import FREE_FACTOR, Reader, State
from kformat.errors import DataError, InvalidError, KformatError, LimitError, TruncatedError
from kformat.language.program import MAX_FREE_ELEMENTS, Trim
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

STRETCH_BYTES: Final = 4 << 20
"""How many bytes are read at once; more for a step that needs more."""
_BETWEEN_COLLECTIONS: Final = 32 << 20
"""Values refer to each other, and to readers with the bytes of a stretch: few objects that hold much, of which Python's
collector does not know. It is called after so many bytes.
"""
_READ_AGAIN: Final = 1 << 16
"""So many bytes are read again, where a stretch begins with the end of another: less work than a copy of all."""


class More(KformatError):
    """A step needs bytes after those that are held. Never leaves this package."""


class PartEnds(KformatError):
    """The rows of a part were read, and it is not the last. Never leaves `columns.scanning`."""


class FilePart(NamedTuple):
    """The rows of one size that begin at positions from ``start`` to ``end``, exclusive; ``end`` None: to the end of
    the source, and what follows the rows.
    """

    start: int
    end: int | None


class Block(NamedTuple):
    """``rows`` rows of one size in ``data``, from ``start`` on."""

    data: Any
    start: int
    rows: int


class Stretch(NamedTuple):
    """Bytes from ``start`` to ``end`` in ``data``, where rows begin, at most ``most`` (-1: any number). ``width``: each
    is in a part of so many bytes.
    """

    data: Any
    start: int
    end: int
    most: int
    width: int | None = None


class Sliding(Reader):
    """The stream of a whole source. Indices are those of the held bytes: ``origin`` grows, and ``base`` falls, with
    each stretch. ``is_whole``: the held bytes are the last. At most ``most_held`` are, and a stretch more.

    ``passes_over``: the error of a row whose extent is known is yielded in the row's place. ``in_row``: one is being
    read.

    Of the limits, that on inflated bytes is for each element of the list alone (`begin`).

    ``part``: of rows of one size, only these are read. `PartEnds` is raised after the last of them.
    """

    def __init__(
        self,
        source: ByteSource,
        *,
        stretch_bytes: int = STRETCH_BYTES,
        most_held: int,
        passes_over: bool = False,
        part: FilePart | None = None,
        checksums: bool = True,
        inflate_limit: int = DEFAULT_INFLATE_LIMIT,
        trailing: Literal["error", "keep"] = "error",
    ) -> None:
        data = source.read_at(0, stretch_bytes)
        state = State(source.size, trailing)
        super().__init__(
            data, source=source.name, checksums=checksums, inflate_limit=inflate_limit, trailing=trailing, state=state
        )
        self.bytes_of, self.stretch_bytes = source, stretch_bytes
        self.most_held = most_held
        self.passes_over, self.part = passes_over, part
        self.in_row = self.has_begun = False
        self.moved = 0
        """Bytes of stretches since the last collection, if a row was read as an object."""
        self.traces = False
        """Whether the next row is reported to the observer (`parser.rows`)."""
        self.partial: Any = None
        """The partial value of the row that was left."""
        self.first_row: int | None = None
        """The position of the first row in the source, or of the first in the part, once it is known."""
        self.list_start: int | None = None
        """Where the first list of rows begins in the source, once it is known."""
        self.root: Any = None
        """The value of the whole source, as far as it was read."""
        self.places: dict[int, int] = {}
        """The index of the current element in each list around the rows, by how many names lead from the list to the
        rows. A new dictionary for each element.
        """
        self._holds(data)

    def _holds(self, data: bytes) -> None:
        self.data, self.limit = data, len(data)
        self.edge = self.limit
        self.is_whole = self.end_is_cut = self.origin + self.limit >= self.bytes_of.size

    def more(self) -> None:
        """Drop what lies before the position, and hold more after it."""
        position = self.position
        if self.limit - position > self.most_held:
            message = "a row, or what is before or after the rows, takes more bytes than are held"
            raise self.fail(LimitError, message, position, expected=f"at most {self.most_held}")
        self._hold_from(position, bytes(self.data[position:]))

    def _hold_from(self, position: int, rest: bytes) -> None:
        """Hold what begins at a position: ``rest``, and more after it."""
        self.origin += position
        self.base -= position
        self.start -= position
        self.position = 0
        size = max(self.stretch_bytes, len(rest))
        self.moved += size if self.has_begun else 0
        if self.moved >= _BETWEEN_COLLECTIONS:
            self.moved, self.has_begun = 0, False
            gc.collect()
        if len(rest) <= _READ_AGAIN:
            held = self.bytes_of.read_at(self.origin, len(rest) + size)
        else:
            held = rest + self.bytes_of.read_at(self.origin + len(rest), size)
        self._holds(held if len(held) > len(rest) else rest)
        if len(held) <= len(rest):  # the file is shorter than it was
            self.is_whole = self.end_is_cut = True

    def leave(self, error: DataError, start: int, extent: Callable[[DataError], int | None]) -> bool:
        """Go on after the row that began at ``start`` and has an error; False if it is not known where it ends."""
        size = extent(error) if self.passes_over else None
        if size is None or self.origin + start + size > self.bytes_of.size:
            return False
        self.partial = error.partial
        self.limit, self.end_is_cut = self.edge, self.is_whole  # as they were before a part was entered
        self.position = start + size
        self.align()
        if self.position > self.limit:
            self._hold_from(self.position, b"")
        return True

    def rewind(self, place: int, bits: tuple[int, int]) -> int:
        """Go back to a place in the source, which is held, as it was before a row was read; returns the position."""
        self.limit, self.end_is_cut = self.edge, self.is_whole
        self.position = place - self.origin
        self.bits, self.bits_left = bits
        return self.position

    def blocks(
        self, count: int | None, size: int, holder: Any, index: int
    ) -> Generator[tuple[Block, int, int, Any], int | None, int]:
        """Yield rows of one size, as many as are held at once; up to ``count``, or to the end. A caller that does not
        take all rows of a block sends how many it takes. Returns how many were taken.
        """
        done = 0
        if self.part is not None:
            done = self._skip(self.part.start, count, size)
        if self.first_row is None:
            self.first_row = self.origin + self.position
        while count is None or done < count:
            held = (self.limit - self.position) // size
            held = held if count is None else min(held, count - done)
            if self.part is not None and self.part.end is not None:
                held = min(held, -(-(self.part.end - self.origin - self.position) // size))
                if self.origin + self.position >= self.part.end:
                    break
            if held > 0:
                block = Block(self.data, self.position, held)
                rows = yield block, self.origin + self.position, index + done, holder
                rows = held if rows is None else rows
                done += rows
                self.position += rows * size
                if rows < held:
                    return done
            elif self.is_whole:
                break
            else:
                self.more()
        if self.part is not None and self.part.end is not None:
            raise PartEnds
        return done

    def _skip(self, start: int, count: int | None, size: int) -> int:
        """Go on to the first row at ``start`` or after it, if there is one; return how many rows are before it."""
        position = self.origin + self.position
        there = (self.bytes_of.size - position) // size
        rows = max(0, min(-(-(start - position) // size), there if count is None else min(there, count)))
        self.position += rows * size
        if self.position > self.limit:
            self._hold_from(self.position, b"")
        return rows

    def stretches(
        self, count: int | None, holder: Any, index: int, width: int | None = None
    ) -> Generator[tuple[Stretch, int, int, Any], tuple[int, int], int]:
        """Yield the held bytes, with at most ``count`` rows, as long as the caller takes about all of them. It sends
        how many rows it takes, and their size. Returns how many were taken; the next row is then to be read alone.
        """
        done = 0
        while self.position < self.limit and not self.bits_left and (count is None or done < count):
            stretch = Stretch(self.data, self.position, self.limit, -1 if count is None else count - done, width)
            rows, size = yield stretch, self.origin + self.position, index + done, holder
            self.position += size
            done += rows
            if not rows or self.is_whole or (self.limit - self.position) * 4 > self.stretch_bytes:
                break
            self.more()  # what is left is probably a part of a row
        return done

    def list_begins(self, position: int) -> None:
        """Note where a list of rows begins."""
        if self.list_start is None:
            self.list_start = self.origin + position

    def begin(self) -> None:
        """Begin the next element, which has a limit on inflated bytes of its own. Elements without bytes are counted
        for all, as in a parse: a small file could hold any number of them otherwise."""
        self.has_begun = True
        self.state.inflated = 0
        self.state.computed.clear()  # rows that are read are not edited

    def free_row(self, left: int) -> None:
        """Count one more element of the list that took no bytes; LimitError if there are too many, with the ``left``
        elements that are known to take none either (-1: without end).
        """
        most = FREE_FACTOR * self.state.size + MAX_FREE_ELEMENTS
        if left < 0 or self.state.free_elements + 1 + left > most:
            message = "more elements that take no bytes than are allowed"
            raise self.fail(LimitError, message, self.position, expected=f"at most {most}")
        self.free()

    def check_end(self) -> None:
        """Raise the error of bytes that are left over, if there are any."""
        left = self.left
        if left:
            found = f"{left} bytes" if self.root is None else found_bytes(left, self.root._type)
            raise self.fail(InvalidError, "bytes are left over", self.position, expected="the end", found=found)

    @property
    def left(self) -> int:
        """Bytes of the source after the position; none if it is shorter than it was."""
        is_end = self.is_whole and self.position >= self.limit
        return 0 if is_end else max(0, self.bytes_of.size - self.origin - self.position)

    @property
    def size(self) -> int:
        """Bytes of the source in all."""
        return self.bytes_of.size

    @property
    def eof(self) -> bool:
        """Whether neither bytes nor bits of the source are left."""
        if self.position >= self.limit and self._is_at_edge:
            raise More
        return self.position >= self.limit and not self.bits_left

    @property
    def _is_at_edge(self) -> bool:
        return not self.is_whole and self.limit >= self.edge

    def short(self, size: int) -> DataError:
        """As `Reader.short`; raises More if bytes are missing that are not held yet."""
        if not self._is_at_edge:
            return super().short(size)
        left = self.bytes_of.size - self.origin - self.position
        if size <= left:
            raise More
        found = f"{left}"
        return self.fail(TruncatedError, "the bytes end here", self.position, expected=f"{size} more", found=found)

    def read_until(self, trim: Trim) -> tuple[bytes, bytes]:
        """As `Reader.read_until`; raises More if the terminator may be among bytes that are not held yet."""
        position = self.position
        try:
            result = super().read_until(trim)
        except DataError:
            if self._is_at_edge:
                raise More from None
            raise
        if self.position >= self.limit and self._is_at_edge:
            self.position = position
            raise More
        return result

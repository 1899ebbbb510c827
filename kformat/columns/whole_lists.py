"""The lists of rows in a file that is in memory as a whole: numpy or a kernel decodes them, the codec reads the rest.

If anything is wrong, or refers to rows, there is no result, and the codec reads the whole file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kformat.codec.parsing import read_value
from kformat.codec.reader import Reader
from kformat.codec.taken import First, NotKept
from kformat.columns.arrow import RecordBatch, pyarrow
from kformat.columns.compiled_rows import Compiled
from kformat.columns.filling import RowBatch, misfits, schema_of
from kformat.columns.fixed import Fixed, Unsound, list_of
from kformat.columns.places import end_in_stream
from kformat.columns.plan import INDEX, PARENT, POSITION, Plan
from kformat.errors import DataError
from kformat.language.program import ReadType
from kformat.language.steps import end_position

_MOST_TOGETHER: Final = 1 << 24
"""Bytes of lists with few rows that are decoded at once."""


class _Many(NamedTuple):
    """Rows of a list from a position on, ``taken`` in number: decoded by a kernel (`Decoded`), or as numpy's view."""

    rows: Any
    taken: int
    position: int


class _List(NamedTuple):
    """A list of rows of a structure: numpy or a kernel decodes ``first``, the codec reads ``rest`` after them. Or
    ``later``: the start and end of all rows in the file, which are decoded together with those of other lists.
    """

    holder: Any
    first: list[_Many]
    rest: list[Any]
    later: tuple[int, int] | None = None


class WholeLists:
    """The lists of rows of one file.

    Attributes:
        has_first: whether numpy or a kernel decoded rows. has_rest: whether the codec read some.
    """

    def __init__(
        self,
        data: bytes,
        name: str,
        plan: Plan,
        by: Fixed | Compiled,
        reading: Mapping[str, Any],
        *,
        few_rows: int,
        batch_rows: int,
        block_rows: int,
        stretch_bytes: int,
    ) -> None:
        """``by`` decodes rows; ``reading`` are arguments of `codec.reader.Reader`."""
        self.data, self.name, self.plan, self.by, self.reading = data, name, plan, by, reading
        self.few_rows, self.batch_rows, self.block_rows = few_rows, batch_rows, block_rows
        self.stretch_bytes = stretch_bytes
        self.root: Any = None
        self.lists: list[_List] = []
        self.has_places = any(chosen.origin == POSITION for chosen in plan.columns)
        self.together = self._are_alike()
        """Whether the rows of several lists are decoded together."""

    @property
    def has_first(self) -> bool:
        return any(row_list.first or row_list.later for row_list in self.lists)

    @property
    def has_rest(self) -> bool:
        return any(row_list.rest for row_list in self.lists)

    def batches(self) -> list[RecordBatch] | None:
        """The rows of all lists; None if something is wrong, or refers to rows."""
        reader = Reader(self.data, source=self.name, **self.reading)
        reader.state.take = self._take
        problems: tuple[type[Exception], ...] = (DataError, NotKept, Unsound, AttributeError, *misfits())
        try:
            self.root = read_value(self.plan.rows.root, reader, path=self.plan.rows.path)
            return self._batches_of_lists()
        except problems:
            return None
        finally:
            reader.state.take = None

    def _are_alike(self) -> bool:
        """Whether rows do not depend on their list: neither they nor columns use what is around it."""
        if any(chosen.origin in (INDEX, PARENT) for chosen in self.plan.columns):
            return False
        if self.has_places and isinstance(self.by, Fixed):
            return False
        rows, _ = list_of(self.plan)
        if isinstance(self.by, Fixed) or rows is None:
            return isinstance(self.by, Fixed)
        asks = rows.until is not None or rows.checks or self.by.sums or self.by.kernel.source.context
        return not asks and isinstance(rows.element, ReadType)

    def _take(
        self,
        reader: Reader,
        holder: Any,
        position: int,
        limit: int,
        count: int | None,
        width: int | None,
        rest: list[Any],
    ) -> First | None:
        """The first rows of a list (`State.take`)."""
        data, parts, index, size = reader.data, list[_Many](), 0, self.stretch_bytes
        self.lists.append(_List(holder, parts, rest))
        if self.has_places and (reader.outer is not None or data is not self.data):
            raise NotKept
        row_list, _ = list_of(self.plan)
        if row_list is not None and end_position(row_list) is not None:
            end_in = end_in_stream(row_list, holder)
            if end_in is None:
                return None
            limit = min(limit, end_in + reader.base)
        held = (limit - position) // max(1, self.plan.rows.type.minimum_size if width is None else width)
        held = held if count is None else min(held, count)
        if held < 1 or width == 0 or reader.bits_left or reader.room is not None:  # a position may be after the limit
            return None
        if isinstance(self.by, Fixed) and width not in (None, self.by.size):
            return None
        if held < self.few_rows:
            end = limit if count is None else position + count * self.by.size if isinstance(self.by, Fixed) else 0
            if not self.together or data is not self.data or not position < end <= limit:
                return None
            self.lists[-1] = _List(holder, parts, rest, (position, end))
            return First(count or 0, end)
        if isinstance(self.by, Fixed):
            rows = self.by.rows(data, position, held)
            index = self.by.sound(rows)
            parts.append(_Many(rows[:index], index, position))
            return First(index, position + index * self.by.size) if index else None
        root = getattr(holder, "_root", None)
        if width is not None:
            size = limit - position if count is None else held * width
        while position < limit and index != count:
            end, most = min(limit, position + size), -1 if count is None else min(count - index, limit)
            how = {"root": root, "holder": holder, "index": index, "checksums": self.reading["checksums"]}
            decoded = self.by.decode(data, position, end, most, width=width, **how)
            if decoded is None or not (decoded[1] or (end < limit and width is None)):
                break
            columns, row_count, stop = decoded
            if row_count:
                parts.append(_Many(columns, row_count, 0))
                index, position = index + row_count, stop
            else:  # the row is larger
                size *= 2
        return First(index, position) if index else None

    def _batches_of_lists(self) -> list[RecordBatch]:
        """The rows of all lists. Raises the errors of making columns."""
        made: list[RecordBatch] = []
        batch, later, left = RowBatch(self.plan, self.name), list[tuple[int, int]](), 0
        batch.root = self.root

        def finish() -> None:
            nonlocal left
            if batch.values:
                made.append(batch.record_batch())
                batch.values, batch.places = [], []
            if later:
                made.append(self._together(batch, later))
                later.clear()
                left = 0

        for holder, first, rest, part in self.lists:
            if part is not None:
                if batch.values or left > _MOST_TOGETHER:
                    finish()
                later.append(part)
                left += part[1] - part[0]
                continue
            index = 0
            for many in first:
                finish()
                made.append(self._columns(batch, many.rows, index, holder, many.position).slice(0, many.taken))
                index += many.taken
            if rest and self.has_places:
                raise NotKept
            for number, value in enumerate(rest, index):
                if later or len(batch.values) >= self.batch_rows:
                    finish()
                batch.values.append(value)
                batch.places.append((None, number, holder))
        finish()
        whole = pyarrow().Table.from_batches(made, schema_of(self.plan))
        whole = whole.combine_chunks() if len(made) > 1 else whole
        batches: list[RecordBatch] = whole.to_batches(self.block_rows)
        return batches

    def _columns(self, batch: RowBatch, rows: Any, index: int, holder: Any, position: int = 0) -> RecordBatch:
        """All rows, as decoded by a kernel or viewed by numpy, as columns; raises Unsound for undecodable text."""
        if isinstance(self.by, Fixed):
            return batch.fixed(self.by, rows, position, index, holder)
        self.by.check_texts(rows)
        return batch.compiled(self.by, rows, 0, index, holder)

    def _together(self, batch: RowBatch, parts: Sequence[tuple[int, int]]) -> RecordBatch:
        """The rows of some lists, decoded together; raises NotKept or Unsound unless all are sound."""
        data = self.data
        if isinstance(self.by, Fixed):
            size = self.by.size
            rows: Any = b"".join(data[start:end] for start, end in parts)
            if any((end - start) % size for start, end in parts):
                raise NotKept
            rows = self.by.rows(rows, 0, len(rows) // size)
            is_sound = self.by.sound(rows) == len(rows)
        else:
            size = sum(end - start for start, end in parts)
            rows = self.by.found(data, [(start, end, -1) for start, end in parts], size, ())
            is_sound = rows.problem is None
        if not is_sound:
            raise NotKept
        return self._columns(batch, rows, -1, None)


__all__ = ["WholeLists"]

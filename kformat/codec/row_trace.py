"""Map the bytes of a file to fields row by row: what `trace` says, without keeping more than a row.

The parser that yields the elements of a list (`parser.rows`) reports to the observer of `trace`; its events become
spans at each row, and are forgotten. Rows that nobody wants to know more of are read without an observer, several times
as fast, and one of them can be reported after it was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from kformat.codec.parsing import rooted, rows_of
from kformat.codec.sliding import STRETCH_BYTES, Sliding
from kformat.codec.trace import BYTES_PER_ELEMENT, CodecWatch, Span, Telling, zero_runs
from kformat.codec.values import Value
from kformat.errors import DataError, join_path
from kformat.language.program import TypeProgram
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_CHUNK: Final = 1 << 20
_LINE: Final = 16
"""What no field has is cut at multiples of so many bytes, as a dump's lines are."""


@dataclass(slots=True)
class TracedPart:
    """A part of a file, in order.

    Attributes:
        position, end: its first byte, and that after its last one.
        spans: of its bytes; None for a row that was not to be traced.
        value: of a row, else None. index: of a row, in its list, else -1.
        path: of a row from the root on; that of the whole value else.
    """

    position: int
    end: int
    spans: Iterable[Span] | None
    value: Any = None
    index: int = -1
    path: str = ""


class RowTrace:
    """The parts of one file of a format whose rows can be read one after the other, and whose instances read nothing.

    Args:
        source, program, path: the file, its type, and the path to the list of rows, which is one list.
        most_held: as for `sliding.Sliding`.
        trailing: ``keep``: bytes that nothing declares are no error.
        whole: whether what follows the value belongs to it.

    Attributes:
        traces: whether the next row is traced; what is around the rows always is.
        problem: the damage at which reading ended; None if it did not.
        root: the value of the whole file, without the rows, as far as it was read.
        holder: the structure that has the list of rows.
    """

    def __init__(
        self,
        source: ByteSource,
        program: TypeProgram,
        path: tuple[str, ...],
        *,
        most_held: int,
        inflate_limit: int = DEFAULT_INFLATE_LIMIT,
        trailing: Literal["error", "keep"] = "error",
        whole: bool = True,
        stretch_bytes: int = STRETCH_BYTES,
    ) -> None:
        self.source, self.program, self.path, self.whole = source, program, path, whole
        self.traces = True
        self.problem: DataError | None = None
        self.holder: Value | None = None
        how: dict[str, Any] = {"most_held": most_held, "stretch_bytes": stretch_bytes, "inflate_limit": inflate_limit}
        self._reader = Sliding(source, trailing="keep", **how)
        self._reader.room = inflate_limit // BYTES_PER_ELEMENT
        self._watch = self._reader.observer = CodecWatch(program.label, self._reader)
        self._rows = rows_of(program, path, None, True)(self._reader)
        self._leftover = program.label if trailing == "error" else ""
        self._start = 0
        self._list = ".".join((program.label, *path))

    @property
    def root(self) -> Value | None:
        """The value of the whole file without the rows."""
        root: Value | None = self._reader.root
        return root

    @property
    def end(self) -> int:
        """The position up to which parts were given."""
        return self._start

    def parts(self) -> Iterator[TracedPart]:
        """The parts, in order: what is before the rows, each row, and what follows them. Damage is in the last part's
        spans, and in `problem`.
        """
        reader = self._reader
        while True:
            reader.traces = self.traces
            try:
                row = next(self._rows)
            except StopIteration:
                break
            except DataError as error:
                self._failed(error)
                break
            end, start = reader.origin + reader.position, self._start
            if row is None:
                yield TracedPart(start, end, self._taken(end), path=self.program.label)
                continue
            value, _, index, self.holder = row
            spans = self._taken(end) if reader.traces else None
            self._start = end
            yield TracedPart(start, end, spans, value, index, f"{self._list}[{index}]")
        start, end = self._start, self.source.size
        if not self.whole and self.problem is None:
            end = reader.origin + reader.position
            yield TracedPart(start, end, self._taken(end), path=self.program.label)
        else:
            yield TracedPart(start, end, self._rest(), path=self.program.label)
        self._start = end
        self.close()

    def close(self) -> None:
        """End reading; the reader, which the values hold that refer to each other, holds no bytes then."""
        self._rows.close()
        self._reader.data = b""

    def again(self, part: TracedPart) -> list[Span]:
        """The spans of the row that `parts` gave last."""
        self._start = part.position
        self._rows.send(True)
        return self._taken(part.end)

    def bytes_of(self, part: TracedPart) -> bytes:
        """The bytes of the part that `parts` gave last."""
        origin = self._reader.origin
        return bytes(self._reader.data[part.position - origin : part.end - origin])

    def _taken(self, end: int) -> list[Span]:
        """The spans of all events, which end at a position in the source; they are forgotten."""
        spans = list(self._spans(end))
        self._start = end
        return spans

    def _spans(self, end: int, beyond: int = 0) -> Iterator[Span]:
        watch, origin = self._watch, self._reader.origin
        windows, root = watch.root.windows, next(iter(watch.root.windows.values()))
        whole = -origin, self.source.size - origin
        watch.root.windows = {whole: root, **{window: level for window, level in windows.items() if level is not root}}
        telling = Telling(watch, end - origin, self._leftover, self.program)
        telling.beyond = beyond
        yield from telling.stream(watch.root, self._start - origin, end - origin)
        self._leftover = telling.leftover
        watch.root.events, watch.root.windows = [], {whole: root}
        watch.order.clear()
        watch.opened.clear()
        watch.levels.clear()
        watch.streams = {id(self._reader): (self._reader, watch.root)}

    def _failed(self, error: DataError) -> None:
        if hasattr(error, "owner"):
            rooted(error, self._reader.root)
        else:
            error.path = join_path(self.program.label, error.path)
        self.problem = error.with_traceback(None)
        self.problem.__context__ = None
        self._watch.failed(self.problem, self._reader)

    def _rest(self) -> Iterator[Span]:
        """The spans up to the end of the source: of what follows the rows, or of the damage, and of what is left."""
        reader, size = self._reader, self.source.size
        end = min(reader.origin + len(reader.data), size)
        failure = self._watch.failure
        read = max((event.end for event in self._watch.root.events), default=reader.position)
        read = read if failure is None else max(failure.position, read)
        if end < size and end - reader.origin - read < _LINE:  # the first of what is left over has the error
            reader.data = bytes(reader.data) + self.source.read_at(end, _LINE)
            end = min(end + _LINE, size)
        root = next(iter(self._watch.root.windows.values()))
        cuts = {window[1] for window, level in self._watch.root.windows.items() if level is not root}
        aligned = end - (end - reader.origin - read) % _LINE
        if end < size and max(cuts, default=0) <= aligned - reader.origin:
            end = aligned
        last = None
        for last in self._spans(end, size - end):
            yield last
        remark = "not declared" if failure is None else ""
        goes_on = last is not None and last.kind == "unread" and end - reader.origin not in cuts
        path = last.path if last is not None and goes_on else self.program.label
        for start in range(end, size, _CHUNK):
            data = self.source.read_at(start, min(_CHUNK, size - start))
            for first, after, is_zero in zero_runs(data) if remark else [(0, len(data), False)]:
                span = Span(start + first, after - first, path, kind="zeros" if is_zero else "unread", remark=remark)
                yield span if is_zero else replace(span, data=data[first:after])


__all__ = ["RowTrace", "TracedPart"]

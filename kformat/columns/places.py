"""The positions of rows in a file that is in memory as a whole, as far as it can be read."""

from __future__ import annotations

from typing import Any

from kformat.codec.reader import Reader
from kformat.errors import DataError, KformatError
from kformat.language.expression import FAILURES, EvaluationError, compile_expression
from kformat.language.program import ReadList, TypeProgram
from kformat.language.steps import end_position


class RowPlaces:
    """An observer (`codec.reader.Observer`) that notes the positions of the values of one type.

    ``found``: the start and end of each value in the source, by its identity; the end is None while the value is read,
    and stays None if an error ends it. Values in decoded bytes have no position.
    """

    def __init__(self, type: TypeProgram) -> None:
        self.type = type
        self.found: dict[int, tuple[int, int | None]] = {}
        self.inside: list[tuple[Reader, Any]] = []
        self.heights: list[int] = []

    def start_of_last(self) -> int | None:
        """Where the last value begins, if it was not read to its end."""
        start, end = next(reversed(self.found.values()), (None, 0))
        return start if end is None else None

    def enter(self, reader: Reader, value: Any) -> None:
        self.inside.append((reader, value))
        if value._type is self.type and reader.outer is None:
            self.found.setdefault(id(value), (reader.origin + reader.position - (reader.bits_left > 0), None))

    def leave(self) -> None:
        reader, value = self.inside.pop()
        if id(value) in self.found:
            self.found[id(value)] = self.found[id(value)][0], reader.origin + reader.position

    def verified(self, name: str, error: DataError | None) -> None:
        reader, value = self.inside[-1]
        if error is not None and not reader.state.passes_over(error, value, name):
            raise error

    def instance(self, value: Any, name: str, reader: Reader) -> None:
        self.heights.append(len(self.inside))
        self.inside.append((reader, value))

    def returned(self) -> None:
        del self.inside[self.heights.pop() :]

    def step(self, name: str, reader: Reader) -> None: ...

    def done(self) -> None: ...

    def leaf(self, name: str, start: int, end: int, value: Any) -> None: ...

    def element(self, reader: Reader, start: int, value: Any) -> None: ...

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None: ...

    def decoded(self, reader: Reader, position: int, name: str, inner: Reader, process: str) -> None: ...

    def trimmed(self, name: str, start: int, end: int) -> None: ...


def end_of_list(step: ReadList | None, holder: Any) -> int | None:
    """The end, in the source, of a list that goes on up to a position (``repeat-until: _io.pos >= footer``); None if
    unknown.
    """
    position, stream = end_in_stream(step, holder), getattr(holder, "_io", None)
    is_plain = position is not None and stream is not None and stream.outer is None
    return position + stream.origin + stream.base if is_plain and position is not None and stream is not None else None


def end_in_stream(step: ReadList | None, holder: Any) -> int | None:
    """The end of a list that goes on up to a position, in its stream; None if unknown."""
    known = None if step is None else end_position(step)
    if known is None:
        return None
    position, more = known
    try:
        return int(compile_expression(position)(holder)) + more
    except (KformatError, EvaluationError, *FAILURES):
        return None

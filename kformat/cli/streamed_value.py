"""A file of rows as one line of JSON, written while it is read: only a few MiB are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from kformat.codec.values import Value
from kformat.columns.rows import Rows, ends_with_rows, holder_of, one_after_the_other, step_of
from kformat.columns.scanning import ValueStream
from kformat.errors import DataError
from kformat.language.program import ReadList, ReadType, Window, load_type, standalone
from kformat.storage.byte_source import ByteSource

FROM_BYTES: Final = 1 << 18
"""Smaller files are read as a whole: all of what `build` would make of them is compared."""
_SAMPLE_BYTES: Final = 1 << 15
_ROWS_AT_ONCE: Final = 256


class StreamedValue:
    """The value of a file, whose rows are read one after the other.

    ``form_of`` makes the form of a value that is printed. After `pieces`, ``sample`` has the form of the first rows and
    of what is before them, and ``sample_end`` where they end, if a file that ends there is one, too; and ``problem``
    the damage at which reading ended.
    """

    def __init__(self, source: ByteSource, rows: Rows, form_of: Callable[[Value], Any], *, checksums: bool) -> None:
        self.source, self.rows, self.form_of = source, rows, form_of
        self.stream = ValueStream(source, rows, trailing="error", checksums=checksums)
        self.problem: DataError | None = None
        self.holder: Value | None = None
        self.sample: dict[str, Any] | None = None
        self.sample_end = 0

    def pieces(self) -> Iterator[str]:
        """The text. After damage, and the rows before it, it is cut off, which is no JSON."""
        stream, has_begun, is_first = self.stream.rows(), False, True
        forms: list[Any] = []
        sampled: list[Any] | None = [] if ends_with_rows(self.rows) else None
        while True:
            try:
                value, _, _, self.holder, _ = next(stream)
            except StopIteration:
                break
            except DataError as error:
                self.problem = error
                break
            if not has_begun:
                has_begun = True
                yield self._head()
            forms.append(self.form_of(value))
            if sampled is not None and self.sample is None:
                sampled.append(forms[-1])
                self._keep(sampled, self.stream.end)
            if len(forms) >= _ROWS_AT_ONCE:
                yield self._rows(forms, is_first)
                forms, is_first = [], False
        if not has_begun and self.problem is None:
            yield self._head()
        if forms:
            yield self._rows(forms, is_first)
        if self.problem is None:
            yield self._tail()

    def _rows(self, forms: list[Any], is_first: bool) -> str:
        return ("" if is_first else ", ") + json.dumps(forms)[1:-1]

    def _holders(self) -> list[dict[str, Any]]:
        """The forms of the root and of the structure in it that has the rows, without the rows."""
        values: list[Any] = [self.stream.root]
        if len(self.rows.path) > 1:
            values.append(self.holder or getattr(self.stream.root, self.rows.path[0], None))
        return [{} if value is None else self.form_of(value) for value in values]

    def _head(self) -> str:
        self.before = [dict(self._members(number, form, False)) for number, form in enumerate(self._holders())]
        parts = list[str]()
        for members, name in zip(self.before, self.rows.path, strict=True):
            text = json.dumps(members)[1:-1]
            parts.append("{" + text + ", " * bool(text) + json.dumps(name) + ": ")
        return "".join(parts) + "["

    def _tail(self) -> str:
        parts = ["]"]
        for number, form in reversed(list(enumerate(self._holders()))):
            text = json.dumps(dict(self._members(number, form, True)))[1:-1]
            parts.append(", " * bool(text) + text + "}")
        return "".join(parts)

    def _members(self, number: int, form: dict[str, Any], are_after: bool) -> Iterator[tuple[str, Any]]:
        """The members of a holder that are before the rows, or after them."""
        program = self.rows.root if number == 0 else holder_of(self.rows)
        names = [field.name for field in program.fields] if program is not None else []
        name = self.rows.path[number]
        before = {*names[: names.index(name)]}
        return ((key, value) for key, value in form.items() if key != name and (key not in before) == are_after)

    def _keep(self, sampled: list[Any], end: int) -> None:
        """Make the sample of these rows, if they are enough."""
        if end >= _SAMPLE_BYTES:
            inner: Any = sampled
            for holder, name in reversed(list(zip(self.before, self.rows.path, strict=True))):
                inner = {**holder, name: inner}
            self.sample, self.sample_end = inner, end


def streamed_value(
    source: ByteSource, format: str, form_of: Callable[[Value], Any], *, checksums: bool
) -> StreamedValue | None:
    """The value of a large file whose rows can be read one after the other; None: it is to be read as a whole."""
    rows = one_after_the_other(standalone(load_type(format))) if source.size >= FROM_BYTES else None
    if rows is None or not _are_structures(rows):
        return None
    return StreamedValue(source, rows, form_of, checksums=checksums)


def _are_structures(rows: Rows) -> bool:
    """Whether each row is a structure: what a switch chooses may be something else."""
    step = step_of(rows)
    element = step.element if isinstance(step, ReadList) else step
    if isinstance(element, Window):
        element = next((inner for inner in element.steps if inner.name == element.name), None)
    return isinstance(element, ReadType)


__all__ = ["streamed_value"]

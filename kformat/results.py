"""What functions give that find many things: an iterator that shows its first items where one looks at it."""

from __future__ import annotations

import html
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, Generic, Self, TypeVar

_Item = TypeVar("_Item")
MOST_LINES: Final = 20
_MOST_ROWS: Final = 50
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")
_MOST_AHEAD: Final = 1000
_WIDEST: Final = 60
"""Characters of a cell in text; the last column may take twice as many."""


def printable(text: str) -> str:
    """A text in one line, with Python's escapes if it contains unprintable characters."""
    return text if text.isprintable() else repr(text)[1:-1]


def counted(count: int | str, what: str) -> str:
    """``1 segment``, ``3 segments``."""
    return f"{count} {what}" if str(count) == "1" else f"{count} {what}s"


def size_text(size_bytes: int, like_bytes: int | None = None) -> str:
    """A number of bytes in its largest unit (41.6 kB is 41,600 bytes); or in the largest unit of ``like_bytes``,
    without naming the unit."""
    power = min((len(str(size_bytes if like_bytes is None else like_bytes)) - 1) // 3, len(_UNITS) - 1)
    shown = f"{size_bytes / 1000**power:.1f}" if power else str(size_bytes)
    return shown if like_bytes is not None else f"{shown} {_UNITS[power]}"


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """A title and a table of the first of ``count`` rows; -1: more than are shown, and nobody knows how many."""

    def row(tag: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(printable(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row("td", cells) for cells in islice(rows, _MOST_ROWS))
    left = f"<p>and {count - _MOST_ROWS} more</p>" if count > _MOST_ROWS else "<p>and more</p>" if count < 0 else ""
    return (
        f"<div><p><code>{html.escape(title)}</code></p><table><thead>{row('th', columns)}</thead>"
        f"<tbody>{body}</tbody></table>{left}</div>"
    )


def text_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], has_more: bool) -> str:
    """A title and a table of the first rows, without columns that are empty in all of them."""
    head, rows = f"<{printable(title)}>", rows[:MOST_LINES]
    shown = [number for number in range(len(columns)) if any(row[number] for row in rows)]
    if not shown:
        return head
    table = [[columns[number] for number in shown], *([row[number] for number in shown] for row in rows)]
    most = [_WIDEST] * (len(shown) - 1) + [2 * _WIDEST]
    lines = [[_short(printable(cell), size) for cell, size in zip(row, most, strict=True)] for row in table]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = ["  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in lines]
    return "\n".join([head, *texts, *["..."] * has_more])


Members = Callable[[Any], Iterator[tuple[str, Any]] | None]
"""The names and values within a value; None of a leaf."""
_MOST_NODES: Final = 5000
"""Nodes of a tree, so that a notebook stays usable."""


def html_tree(name: str, value: Any, members: Members, *, most: int) -> str:
    """A value as a tree that opens and closes; of each node at most so many members, of all 5,000 nodes."""
    parts, count = list[str](), 0

    def add(name: str, value: Any, is_open: bool) -> None:
        nonlocal count
        count += 1
        inner = members(value) if count < _MOST_NODES else None
        if inner is None:
            text = _short(printable(repr(value)), 4 * _WIDEST)
            parts.append(f"<div><code>{html.escape(name)}</code>: <code>{html.escape(text)}</code></div>")
            return
        size = f" ({len(value)})" if isinstance(value, list) else f" {type(value).__name__}"
        parts.append(
            f"<details{' open' * is_open}><summary><code>{html.escape(name)}</code>{html.escape(size)}</summary>"
        )
        parts.append('<div style="margin-left: 1.5em">')
        for number, (inner_name, item) in enumerate(inner):
            if number == most:
                parts.append("<div>and more</div>")
                break
            add(inner_name, item, False)
        parts.append("</div></details>")

    add(name, value, True)
    return "".join(parts)


class Results(Iterator[_Item], Generic[_Item]):
    """An iterator over items that are found one after the other.

    `repr`, and a notebook, show the first ones as a table: they are read for that, and iterating gives them all the
    same. An error of reading is shown in the table, and raised where iterating comes to it.

    Args:
        title: what they are.
        columns: their names in the table.
        items: the items.
        cells: makes the cells of an item, one for each column.
        worth: whether an item is shown as long as there are such; others are only counted.
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[str],
        items: Iterable[_Item],
        cells: Callable[[_Item], Sequence[Any]],
        worth: Callable[[_Item], bool] = lambda item: True,
    ) -> None:
        self._worth = worth
        self._title, self._columns, self._items, self._cells = title, tuple(columns), iter(items), cells
        self._ahead = deque[_Item]()
        self._error: Exception | None = None
        self._begun = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _Item:
        self._begun = True
        if self._ahead:
            return self._ahead.popleft()
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return next(self._items)

    def close(self) -> None:
        """End reading; what was looked at already is given all the same."""
        close = getattr(self._items, "close", None)
        if close is not None:
            close()

    def _look(self, count: int) -> bool:
        """Read until so many items that are worth it are ahead; returns whether there are more, as far as is known."""
        found = sum(map(self._worth, self._ahead))
        while found < count + 1 and len(self._ahead) < _MOST_AHEAD and self._error is None:
            try:
                self._ahead.append(next(self._items))
                found += self._worth(self._ahead[-1])
            except StopIteration:
                break
            except Exception as error:
                self._error = error
        return found > count or len(self._ahead) >= _MOST_AHEAD or (not found and len(self._ahead) > count)

    def _rows(self, count: int) -> list[list[str]]:
        shown = list(filter(self._worth, self._ahead)) or self._ahead
        return [[cell_text(value) for value in self._cells(item)] for item in islice(shown, count)]

    def _head(self, has_more: bool) -> str:
        what = f"{self._title}: more than {len(self._ahead) - 1}" if has_more else f"{self._title}: {len(self._ahead)}"
        what += " left" if self._begun else ""
        found = sum(map(self._worth, self._ahead))
        what += f", the {len(self._ahead) - found} of least weight not shown" if 0 < found < len(self._ahead) else ""
        return what if self._error is None else f"{what}, then {type(self._error).__name__}: {self._error}"

    def __repr__(self) -> str:
        has_more = self._look(MOST_LINES)
        return text_table(self._head(has_more), self._columns, self._rows(MOST_LINES), has_more)

    def _repr_html_(self) -> str:
        has_more = self._look(_MOST_ROWS)
        return html_table(self._head(has_more), self._columns, self._rows(_MOST_ROWS), -1 if has_more else 0)


def cell_text(value: Any, most: int = sys.maxsize) -> str:
    """A value as the text of a cell, of at most so many characters."""
    if isinstance(value, bytes):
        return _short(value.decode("utf-8", "backslashreplace"), most)
    return "" if value is None else _short(str(value), most)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


__all__ = [
    "MOST_LINES",
    "Results",
    "cell_text",
    "counted",
    "html_table",
    "html_tree",
    "printable",
    "size_text",
    "text_table",
]

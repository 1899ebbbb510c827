"""Write data to standard output: JSON, lines of JSON, CSV, tables; and parse times and offsets from the command line.

If standard output is a terminal, control characters (escape sequences, in records or in names) are escaped in every
line, unless a verb's `--no-escape` disables it. JSON contains none.

JSON is ASCII; integers are exact (an int64 does not fit into a double: read them as integers). Bytes become text in the
encoding given by `--bytes`. Text that is not UTF-8 keeps its bytes as lone surrogates (``\\udc80``, PEP 383).
"""

from __future__ import annotations

import base64
import csv
import functools
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import IntEnum
from typing import IO, Any, Final, NamedTuple, TypeVar, cast

import click

from kformat.cli import escaped, one_line, remark, standard_output, wanted_colour
from kformat.cli.rare import meant
from kformat.errors import UsageError
from kformat.times import parse_milliseconds, time_text

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
_Row = TypeVar("_Row", bound=Mapping[str, Any])

_SECONDS_PROBABLY: Final = range(500_000_000, 5_000_000_000)
"""Times of 1985 to 2128 in seconds; in milliseconds they are of January and February 1970."""

_YEARS: Final = range(1970, 2200)

BYTES: Final[dict[str, Callable[[bytes], str]]] = {
    "base64": lambda data: base64.b64encode(data).decode(),
    "hex": bytes.hex,
    "text": lambda data: data.decode("utf-8", "replace"),
}
"""How bytes are shown in JSON: name -> encoder. ``text`` loses what is no UTF-8."""


def plain_value(item: Any, encode: Callable[[bytes], str]) -> Any:
    """A value of Arrow as JSON can hold it: bytes through ``encode``, floats that are no numbers as text."""
    match item:
        case bytes():
            return encode(item)
        case bytearray():  # as Spark 4.0 has binary values
            return encode(bytes(item))
        case Decimal():
            return int(item) if item == item.to_integral_value() and int(item.as_tuple().exponent) >= 0 else f"{item:f}"
        case float() if not math.isfinite(item):
            return "NaN" if math.isnan(item) else "Infinity" if item > 0 else "-Infinity"
        case dict():
            return {key: plain_value(value, encode) for key, value in item.items()}
        case list():
            return [plain_value(element, encode) for element in item]
    return item


_LEAST_WIDTH: Final = 24
"""Texts in a table are not cut shorter than this: the name of a log file fits."""
_NAMES: Final = ("partition", "file", "name")
"""Columns whose end says more than their beginning."""
_HEADING: Final[dict[str, Any]] = {"bold": True}


class Styled(NamedTuple):
    """A part of a line, with how a terminal shows it: arguments of `click.style`."""

    text: str
    style: Mapping[str, Any]


def is_coloured(stream: IO[Any]) -> bool:
    """Whether lines for a stream are coloured: as `kformat --color` says, else if it is a terminal and neither NO_COLOR
    (https://no-color.org) nor TERM=dumb is set."""
    if (wanted := wanted_colour()) is not None:
        return wanted
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(parts: Iterable[str | Styled], stream: IO[Any]) -> str:
    """Join parts to a line: escaped if the stream is a terminal, with their styles if it is coloured."""
    has_colour, escapes = is_coloured(stream), stream.isatty()

    def shown(part: str | Styled) -> str:
        text, style = part if isinstance(part, Styled) else (part, {})
        text = escaped(text) if escapes else text
        return click.style(text, **style) if has_colour and style and text else text

    return "".join(map(shown, parts))


def output_options(*formats: str, parameter: str = "mode") -> Callable[[_Decorated], _Decorated]:
    """The option `--format`; the first format is the default. ``parameter`` gets the format's name, or None for
    ``text``."""
    return click.option(
        "--format",
        parameter,
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        callback=lambda ctx, option, value: None if value == "text" else value,
        help=f"What is printed{'; nl: an object of JSON per line' if 'nl' in formats else ''}.",
    )


def together(*options: Callable[[Any], Any]) -> Callable[[_Decorated], _Decorated]:
    """Arguments and options of several verbs as one decorator; `--help` shows them in this order."""

    def decorate(function: _Decorated) -> _Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def bytes_option(function: _Decorated) -> _Decorated:
    """The option `--bytes`; the parameter is ``bytes_as``, a key of `BYTES`."""
    return click.option(
        "--bytes",
        "bytes_as",
        type=click.Choice(list(BYTES)),
        default="base64",
        show_default=True,
        help="How bytes are shown in JSON; text loses what is no UTF-8.",
    )(function)


def escape_option(function: _Decorated) -> _Decorated:
    """The option `--escape`; the parameter is ``escape``, for `Output`."""
    return click.option(
        "--escape/--no-escape",
        default=None,
        help="Print what a terminal would obey as \\x1b and the like; by default on a terminal.",
    )(function)


class Output:
    """Standard output as a stream of lines. Bytes, so that text is UTF-8 whatever the locale says.

    ``escape``: whether what a terminal obeys is escaped (`kformat.cli.escaped`); None is for a terminal alone.
    """

    def __init__(self, escape: bool | None = None) -> None:
        self.stream = standard_output()
        self.escapes = sys.stdout.isatty() if escape is None else escape

    def line(self, text: str) -> None:
        """Write a line; what is no text (a file name that is no UTF-8) comes out as the bytes it was."""
        self.stream.write((escaped(text) if self.escapes else text).encode("utf-8", "surrogateescape") + b"\n")

    def parts(self, *parts: str | Styled) -> None:
        """Write a line of parts, coloured where standard output is; see `styled`."""
        self.stream.write(styled(parts, sys.stdout).encode("utf-8", "surrogateescape") + b"\n")

    def write(self, data: bytes | memoryview) -> None:
        """Write bytes that are text, for the most part."""
        if self.escapes:
            data = escaped(bytes(data).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        self.stream.write(data)

    def flush(self) -> None:
        """Flush the output, before something goes to standard error."""
        self.stream.flush()


def plain(value: Any, encode: Callable[[bytes], str]) -> Any:
    """A value as JSON can hold it: members of enums by name, bytes through ``encode``."""
    match value:
        case bytes():
            return encode(value)
        case IntEnum():
            return value.name.removesuffix("_")
        case Mapping():
            return {key: plain(item, encode) for key, item in value.items()}
        case list() | tuple():
            return [plain(item, encode) for item in value]
    return value


def write_objects(out: Output, objects: Iterable[Mapping[str, Any]], mode: str, encode: Callable[[bytes], str]) -> None:
    """Write objects as they come, as a JSON array (``json``) or one on a line (``nl``)."""
    started = False
    for item in objects:
        text = json.dumps(plain(item, encode)).replace("\x7f", "\\u007f")
        if mode == "nl":
            out.line(text)
        else:
            out.stream.write((",\n" if started else "[\n").encode() + text.encode())
            started = True
    if mode == "json":
        out.line("\n]" if started else "[]")


class TableChoice(NamedTuple):
    """The printed columns of a table, and the column by which rows are sorted; see `table_options`."""

    columns: tuple[str, ...] | None = None
    sort: str | None = None


def table_options(*known: str) -> Callable[[_Decorated], _Decorated]:
    """The options `--columns` and `--sort`, for columns with these names; the parameter is ``chosen``."""

    def is_known(name: str) -> str:
        if name not in known:
            raise UsageError(f"no column {name!r}; " + meant(name, known, f"there are {', '.join(known)}"))
        return name

    def decorate(function: _Decorated) -> _Decorated:
        @functools.wraps(function)
        def wrapper(*arguments: Any, columns: str | None, sort: str | None, **keywords: Any) -> Any:
            has_own = any(keywords.get(name) for name in ("declaration", "value_as", "key_as"))
            known_name = str if has_own else is_known  # a declaration has its own columns
            if sort is not None:
                known_name(sort.removeprefix("-"))
            names = None if columns is None else tuple(known_name(name.strip()) for name in columns.split(","))
            return function(*arguments, chosen=TableChoice(names, sort), **keywords)

        return together(
            click.option("--columns", metavar="NAME,...", help="Print these columns, in this order."),
            click.option("--sort", metavar="NAME", help="Order rows by a column; -NAME: the largest first."),
        )(cast(_Decorated, wrapper))

    return decorate


def in_order(rows: Iterable[_Row], sort: str, cells: Callable[[_Row], Mapping[str, Any]] = dict) -> list[_Row]:
    """Rows in the order of a column; those without a value last. ``cells`` gives the columns of a row."""
    name = sort.removeprefix("-")
    pairs = [(_comparable(cells(row)[name]), row) for row in rows]
    with_value = sorted((pair for pair in pairs if pair[0] is not None), key=lambda pair: pair[0], reverse=name != sort)
    return [*(row for _, row in with_value), *(row for value, row in pairs if value is None)]


def _comparable(value: Any) -> Any:
    """A value of a column as rows can be ordered by it."""
    return sorted(value.items()) if isinstance(value, Mapping) else value


def write_rows(
    out: Output,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    mode: str,
    chosen: TableChoice = TableChoice(),  # noqa: B008 (it cannot be changed)
) -> None:
    """Write rows in any of the four modes. ``columns`` are those of CSV and table, where None is an empty cell.

    In tables, columns that end in ``timestamp`` are shown as time, and on a terminal what does not fit is shortened or
    left out.
    """
    if chosen.sort is not None:
        rows = in_order(rows, chosen.sort)
    if chosen.columns is not None:
        columns = chosen.columns
        rows = ({name: row[name] for name in columns} for row in rows)
    if mode in ("json", "nl"):
        write_objects(out, rows, mode, BYTES["base64"])
    elif mode == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="")
        for row in ({name: name for name in columns}, *rows):
            writer.writerow([_cell(row[name]) for name in columns])
            out.line(buffer.getvalue())
            buffer.seek(0)
            buffer.truncate()
    else:
        _write_table(out, rows, columns, is_chosen=chosen.columns is not None)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case list() | tuple() if not any(isinstance(item, Mapping | list) for item in value):
            return " ".join(map(str, value))
        case Mapping() | list() | tuple():
            return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


class _TableColumn:
    """A column of a table as text, as wide as its widest cell."""

    def __init__(self, name: str, cells: list[str], is_right: bool) -> None:
        self.name, self.cells, self.is_right = name, cells, is_right
        self.width = max(map(len, (name, *cells)))


def _write_table(out: Output, rows: Iterable[Mapping[str, Any]], names: Sequence[str], *, is_chosen: bool) -> None:
    all_rows = list(rows)
    if not all_rows:  # column names without rows say nothing
        return
    columns = []
    for name in names:
        values = [row[name] for row in all_rows]
        is_right = all(value is None or isinstance(value, int) for value in values)
        if name.endswith("timestamp"):
            is_right &= not any(isinstance(value, int) for value in values)
            values = [time_text(value) if isinstance(value, int) else value for value in values]
        columns.append(_TableColumn(name, [one_line(_cell(value)) for value in values], is_right))
    left_out = list[str]()
    if sys.stdout.isatty():
        columns, left_out = _fitted(columns, shutil.get_terminal_size().columns, is_chosen=is_chosen)
    lines = zip(*([column.name, *column.cells] for column in columns), strict=True)
    for number, cells in enumerate(lines):
        padded = [
            cell.rjust(column.width) if column.is_right else cell.ljust(column.width)
            for cell, column in zip(cells, columns, strict=True)
        ]
        line = "  ".join(padded).rstrip()
        out.parts(line if number else Styled(line, _HEADING))
    if left_out:
        out.flush()
        more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
        remark(f"no room for the column {left_out[0]}{more}; --columns chooses")


def _fitted(columns: list[_TableColumn], room: int, *, is_chosen: bool) -> tuple[list[_TableColumn], list[str]]:
    """Columns that fit into a line, and the names of those that do not: empty ones go first, then long texts are
    shortened, then columns go from the right, but for the first and a remark."""

    def excess() -> int:
        return sum(column.width + 2 for column in columns) - 2 - room

    columns = list(columns)
    if excess() > 0 and not is_chosen and columns[0].cells:
        columns = [column for column in columns if any(column.cells)]
    left_out = list[str]()
    while excess() > 0:
        texts = {it.name: it.width - max(_LEAST_WIDTH, len(it.name)) for it in columns if not it.is_right}
        spare = {name: more for name, more in texts.items() if more > 0}
        droppable = [it for it in columns[1:] if it.name != "remark"] or columns[1:]
        if spare and (sum(spare.values()) >= excess() or not droppable):
            at, widest = max(
                ((at, it) for at, it in enumerate(columns) if it.name in spare), key=lambda item: item[1].width
            )
            width = widest.width - min(spare[widest.name], excess())
            shortened = [_shortened(cell, width, widest.name) for cell in widest.cells]
            columns[at] = _TableColumn(widest.name, shortened, widest.is_right)
        elif droppable:
            left_out.insert(0, droppable[-1].name)
            columns.remove(droppable[-1])
        else:
            break
    return columns, left_out


def _shortened(text: str, width: int, column: str) -> str:
    if len(text) <= width:
        return text
    return "…" + text[1 - width :] if column in _NAMES else text[: width - 1] + "…"


class Timestamp(click.ParamType):
    """Milliseconds since 1970, or ISO 8601 (UTC where it names no zone); optionally words that stand for a number."""

    name = "time"

    def __init__(self, words: Mapping[str, int] | None = None) -> None:
        self.words = dict(words or {})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if value in self.words:
            return self.words[value]
        try:
            timestamp = parse_milliseconds(value)
        except UsageError:
            known = ", ".join(["milliseconds since 1970", "ISO 8601", "-1h", *self.words])
            self.fail(f"{value!r} is not a time ({known})", param, ctx)
        if timestamp in _SECONDS_PROBABLY and value.strip().isdigit():
            seen = time_text(timestamp)
            remark(f"{value} is taken as milliseconds, {seen}; as seconds it needs three zeros")
        if timestamp in _YEARS and value.strip().isdigit():
            remark(f"{value} is taken as milliseconds, {time_text(timestamp)}; the year begins at {value}-01-01")
        return timestamp


class Between(click.ParamType):
    """``A:B``: whole numbers from A to B, exclusive; either may be left out, and ``A`` alone is one number."""

    name = "range"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, int | None]:
        if isinstance(value, tuple):
            return value
        first, colon, last = str(value).partition(":")
        try:
            start, stop = (int(text, 0) if text.strip() else None for text in (first, last))
        except ValueError:
            start, stop, colon = None, None, ""
        if not colon and start is not None:
            stop = start + 1
        if (start is None and stop is None) or (start or 0) < 0 or (stop is not None and stop < (start or 0)):
            self.fail(f"{value!r} is no range; A:B, A:, :B or A of whole numbers is expected", param, ctx)
        return start, stop


__all__ = [
    "BYTES",
    "Between",
    "Output",
    "Styled",
    "TableChoice",
    "Timestamp",
    "bytes_option",
    "escape_option",
    "in_order",
    "is_coloured",
    "output_options",
    "styled",
    "table_options",
    "write_objects",
    "write_rows",
]

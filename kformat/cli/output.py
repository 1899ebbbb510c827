"""Writing data to standard output: JSON, lines of JSON, CSV, tables; and reading times and offsets from the call.

Where standard output is a terminal, what a terminal obeys (escape sequences, in records or in names) is escaped in
every line, unless a verb's `--no-escape` says otherwise. JSON has nothing of that kind.

JSON is ASCII; integers are exact (an int64 does not fit into a double: read them as integers). Bytes become text in
the encoding that `--bytes` names. Text that is no UTF-8 keeps its bytes as lone surrogates (``\\udc80``, PEP 383).
"""

from __future__ import annotations

import base64
import csv
import functools
import io
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, TypeVar, cast

import click

from kformat.cli import escaped, one_line
from kformat.errors import UsageError
from kformat.times import parse_milliseconds, time_text

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

_SECONDS_PROBABLY: Final = range(500_000_000, 5_000_000_000)
"""Times of 1985 to 2128 in seconds; in milliseconds they are of January and February 1970."""

BYTES: Final[dict[str, Callable[[bytes], str]]] = {
    "base64": lambda data: base64.b64encode(data).decode(),
    "hex": bytes.hex,
    "text": lambda data: data.decode("utf-8", "replace"),
}
"""How bytes are shown in JSON: name -> encoder. ``text`` loses what is no UTF-8."""


_PROGRESS_S: Final = 0.5


class ProgressLine:
    """How far something is, on one line of standard error; nothing where that is no terminal, and not at once."""

    def __init__(self) -> None:
        self.is_shown, self.has_text, self.next_s = sys.stderr.isatty(), False, time.monotonic() + _PROGRESS_S

    def show(self, text: str, name: str) -> None:
        """A text and, behind it, as much of the end of a name as the line has room for."""
        if self.is_shown and time.monotonic() >= self.next_s:
            self.next_s, self.has_text = time.monotonic() + _PROGRESS_S, True
            room = shutil.get_terminal_size().columns - len(text) - 1  # a line that wraps could not be cleared
            click.echo(f"\r\x1b[K{text}{one_line(name)[-max(room, 1) :]}", err=True, nl=False)

    def share(self, name: str, done_bytes: int, size_bytes: int) -> None:
        """A file, and how much of it is done."""
        self.show(f"{done_bytes * 100 // size_bytes if size_bytes else 100:3}% of ", name)

    def clear(self) -> None:
        """Leave the line to something else."""
        if self.has_text:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.has_text = False


def output_options(*modes: str, **own: str) -> Callable[[_Decorated], _Decorated]:
    """The options `--json`, `--nl`, `--csv`, `--table`, as many as a verb has, and its own, with what they do; the
    parameter is ``mode``, the name of one, or None.

    Two of them together are a usage error: neither is what would be printed.
    """
    helps = {
        "json": "Print JSON.",
        "nl": "Print one JSON object per line.",
        "csv": "Print CSV with a header line.",
        "table": "Print a table.",
        **own,
    }
    options = {mode: f"--{mode.replace('_', '-')}" for mode in (*modes, *own)}

    def decorate(function: _Decorated) -> _Decorated:
        @functools.wraps(function)
        def chosen(*arguments: Any, **given: Any) -> Any:
            asked = [mode for mode in options if given.pop(f"as_{mode}")]
            if len(asked) > 1:
                raise UsageError(f"{' and '.join(options[mode] for mode in asked)}: only one of them can be printed")
            return function(*arguments, mode=asked[0] if asked else None, **given)

        command: Any = chosen
        for mode in reversed(options):
            command = click.option(options[mode], f"as_{mode}", is_flag=True, help=helps[mode])(command)
        return cast(_Decorated, command)

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
        self.stream = sys.stdout.buffer
        self.escapes = sys.stdout.isatty() if escape is None else escape

    def line(self, text: str) -> None:
        """Write a line; what is no text (a file name that is no UTF-8) comes out as the bytes it was."""
        self.stream.write((escaped(text) if self.escapes else text).encode("utf-8", "surrogateescape") + b"\n")

    def write(self, data: bytes | memoryview) -> None:
        """Write bytes that are text, for the most part."""
        if self.escapes:
            data = escaped(bytes(data).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        self.stream.write(data)

    def flush(self) -> None:
        """Hand over what is buffered, before something goes to standard error."""
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


def write_rows(out: Output, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], mode: str) -> None:
    """Write rows in any of the four modes. ``columns`` are those of CSV and table, where None is an empty cell.

    In tables, columns that end in ``timestamp`` are shown as time.
    """
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
        for line in _table(rows, columns):
            out.line(line)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case list() | tuple():
            return " ".join(map(str, value))
    return str(value)


def _table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    table, right = [list(columns)], [True] * len(columns)
    for row in rows:
        cells = []
        for number, name in enumerate(columns):
            value = row[name]
            if name.endswith("timestamp") and isinstance(value, int):
                value = time_text(value)
            right[number] &= value is None or isinstance(value, int)
            cells.append(one_line(_cell(value)))
        table.append(cells)
    widths = [max(len(cells[number]) for cells in table) for number in range(len(columns))]
    for cells in table:
        padded = [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(cells, widths, right, strict=True)
        ]
        yield "  ".join(padded).rstrip()


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
            found = parse_milliseconds(value)
        except UsageError:
            known = ", ".join(["milliseconds since 1970", "ISO 8601", *self.words])
            self.fail(f"{value!r} is no time ({known})", param, ctx)
        if found in _SECONDS_PROBABLY and value.strip().isdigit():
            seen = time_text(found)
            click.echo(f"kformat: {value} is taken as milliseconds, {seen}; as seconds it needs three zeros", err=True)
        return found


__all__ = [
    "BYTES",
    "Output",
    "Timestamp",
    "bytes_option",
    "escape_option",
    "output_options",
    "write_objects",
    "write_rows",
]

"""`kformat dump --hex`: every byte of a file with its position, field and value.

One line per field: the position in decimal (as in Kafka's dump tool and indexes, and in kformat's errors), up to 8
bytes, the path without the format's name, the value in words. Further bytes of a long value follow, 16 on a line.

    position  bytes, in hex           path                    value

* `+12` is a position in the decoded bytes of the payload above; those are not bytes of the file.
* A line without bytes is of a field that has none, or whose bytes are those of a line above: bits in the same byte
  (`bits 12.3-12.5`: byte, and bit in the order of reading), or an instance that reads them again. `...` in front of a
  path: more bytes of that field. `(not declared)`: bytes that neither a field nor an instance reads.
* A line that begins with `#` describes the next lines; one with `!` says what is wrong with the bytes below it.
* `*` stands for zeros that belong to no field, `...` for bytes left out on request; their number follows.

So the bytes of all lines without a `+`, one after the other, are the file.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import IO, Any, Final, Literal

from kformat.cli import one_line, remark
from kformat.cli.output import Output, write_objects
from kformat.codec.trace import Span
from kformat.codec.values import Value
from kformat.dump import MAX_BYTES, Options
from kformat.errors import ChecksumError, KformatError, UsageError
from kformat.kafka.log.file_trace import FilePiece, TraceRange, trace_file
from kformat.language.checksums import checksum_text
from kformat.language.logical import meaning_words
from kformat.language.program import Field
from kformat.storage.byte_source import ByteSource
from kformat.times import time_text

_FIRST, _NEXT = 8, 16
"""Bytes on a value's first line, and on those below it."""
_HEX_WIDTH: Final = 3 * _FIRST - 1

_LOOK_AHEAD: Final = 256
"""Spans of a piece whose paths are measured, so that the values below each other begin in one column."""

_WIDEST_PATH: Final = 52
_SHOWN: Final = 48
"""Characters of a text that are shown."""
_PRINTABLE: Final = bytes(byte if 0x20 <= byte < 0x7F else ord(".") for byte in range(256))


class HexLines:
    """The call's options: ``format`` where names do not say it, ``value_bytes`` to show of each value (None: all).
    ``on_damage`` is called with each error, ``on_marked`` with those that a line of the text has. ``only``: the first
    position and that after the last one, and rows likewise.
    """

    def __init__(
        self,
        format: str | None,
        options: Options,
        value_bytes: int | None,
        on_damage: Callable[[BaseException], None],
        trailing: Literal["error", "keep"] = "error",
        *,
        on_marked: Callable[[BaseException], None],
        only: tuple[tuple[int | None, int | None], tuple[int | None, int | None]] = ((None, None), (None, None)),
    ) -> None:
        for name in ("verify_index_only", "index_sanity_check", "skip_record_metadata", "since_ms", "until_ms"):
            if getattr(options, name) is not getattr(Options(), name):
                option = f"--{name.removesuffix('_ms').replace('_', '-')}"
                raise UsageError(f"{option} does not go with --hex")
        self.format, self.value_bytes, self.on_damage, self.trailing = format, value_bytes, on_damage, trailing
        self.on_marked = on_marked
        max_bytes = None if options.max_bytes == MAX_BYTES else options.max_bytes
        (start, stop), rows = only
        self.only = TraceRange(max_bytes, options.from_offset, options.to_offset, start or 0, stop, *rows)

    def write(
        self,
        out: Output,
        names: Iterable[str],
        mode: str | None,
        encode: Callable[[bytes], str],
        standard_input: Callable[[], IO[bytes]],
    ) -> None:
        """Write the files in the call's mode; what is wrong with one goes to ``on_damage``, and the next follows."""

        def each(render: Callable[[ByteSource], Iterator[Any]]) -> Iterator[Any]:
            for name in names:
                try:
                    if name == "-":
                        with standard_input() as file, ByteSource(file, "<stdin>.log") as source:
                            yield from render(source)
                    else:
                        with ByteSource(name) as source:
                            yield from render(source)
                except BrokenPipeError:
                    raise
                except (KformatError, OSError) as error:
                    self.on_damage(error)

        if mode is None:
            for line in each(self.lines):
                out.line(line)
        else:
            write_objects(out, each(self.objects), mode, encode)
        out.flush()

    def lines(self, source: ByteSource) -> Iterator[str]:
        """The lines of a file. Raises as `trace_file`."""
        width, path_width = max(8, len(str(source.size)) + 1), 24
        pieces, is_empty = self._pieces(source), True
        first = next(pieces, None)  # which raises where there is no format, before anything is printed
        yield f"# {one_line(source.name)}, {source.size} bytes"
        for piece in itertools.chain([] if first is None else [first], pieces):
            size = "" if piece.size is None else f", {piece.size} bytes"
            yield f"# {piece.position}: {piece.title}{size}"
            start = list(itertools.islice(piece.spans, _LOOK_AHEAD))
            longest = max((len(_path(span, piece)) for span in start), default=0)
            path_width = max(path_width, min(longest, _WIDEST_PATH))
            plain = _PlainLine(piece, width, path_width)
            is_empty = is_empty and not start
            for span in itertools.chain(start, piece.spans):
                line = plain.of(span) if self.value_bytes is None else None
                if line is not None:
                    yield line
                    continue
                if span.error is not None:
                    self.on_marked(span.error)
                yield from _lines(span, _path(span, piece), width, path_width, self.value_bytes)
        if is_empty and self.only != TraceRange(self.only.max_bytes):
            remark(f"{one_line(source.name)}: nothing lies within the range that was asked for")

    def objects(self, source: ByteSource) -> Iterator[dict[str, Any]]:
        """The spans of a file as plain objects. Raises as `trace_file`."""
        for piece in self._pieces(source):
            for span in piece.spans:
                if span.error is not None:
                    self.on_damage(span.error)
                yield {
                    "kind": span.kind,
                    "file": source.name,
                    "position": span.position,
                    "inflated_position": span.inflated_position,
                    "size": span.size,
                    "path": span.path,
                    "value": span.value._asdict() if isinstance(span.value, Value) else span.value,
                    "absolute": span.absolute,
                    "bits": span.bits,
                    "bytes": None if span.kind == "zeros" else span.data[: self.value_bytes],
                    "error": None if span.error is None else f"{type(span.error).__name__}: {span.error}",
                }

    def _pieces(self, source: ByteSource) -> Iterator[FilePiece]:
        return trace_file(source, self.format, only=self.only, trailing=self.trailing)


class _PlainLine:
    """Makes the lines of plain numbers and short bytes, which most are, several times as fast as `_lines`."""

    def __init__(self, piece: FilePiece, width: int, path_width: int) -> None:
        self.label = f"{_label(piece)}."
        self.width, self.path_width = width, path_width
        self.plain: dict[int, tuple[Field, bool]] = {}
        """Whether a declaration's numbers are shown as they are; by identity, since comparing fields takes long."""

    def of(self, span: Span) -> str | None:
        """The line; None for a span that `_lines` shows."""
        value, data, declared = span.value, span.data, span.declared
        if declared is None or len(data) > _FIRST or span.kind != "field" or span.error is not None or span.remark:
            return None
        kind = type(value)
        if kind is int:
            known = self.plain.get(id(declared))
            if known is None:
                known = self.plain[id(declared)] = declared, _is_plain(declared)
            if not known[1] or value < 0 or span.absolute is not None:
                return None
            words = str(value)
        elif kind is bytes and value == data and data and declared.logical is None:
            words = _text(data)
        else:
            return None
        if span.bits is not None or span.inflated_position is not None:
            return None
        path = span.path.removeprefix(self.label)
        place, path_width = self.width, self.path_width
        return f"{span.position:>{place}}  {data.hex(' '):<{_HEX_WIDTH}}  {path:<{path_width}}  {words}".rstrip()


def _is_plain(declared: Field) -> bool:
    """Whether numbers of a field that are not negative are shown without words."""
    name = declared.name
    is_time = name == "timestamp" or name.endswith("_timestamp")
    return declared.logical is None and not is_time and name.isprintable()


def _label(piece: FilePiece) -> str:
    return "" if piece.format is None else piece.format.rsplit("::", 1)[-1]


def _path(span: Span, piece: FilePiece) -> str:
    if span.kind == "zeros" or (span.kind == "unread" and not span.remark):
        return ""
    label = _label(piece)
    path = span.path.removeprefix(f"{label}.")
    if span.kind == "unread":
        return f"({span.remark})" if path == label else f"{path} ({span.remark})"
    return "... " * (span.kind == "more") + path


def _lines(span: Span, path: str, width: int, path_width: int, value_bytes: int | None) -> Iterator[str]:
    inside = span.inflated_position
    at = span.position if inside is None else inside

    def place(offset: int) -> str:
        return f"{at + offset}".rjust(width) if inside is None else f"+{at + offset}".rjust(width)

    if span.error is not None:
        yield f"{'!':>{width}}  {type(span.error).__name__}: {one_line(str(span.error))}"
    if span.kind == "zeros":
        more = f" ({span.remark})" if span.remark else ""
        yield f"{place(0)}  *  {span.size} zeros{more}"
        return
    shown = span.data if value_bytes is None else span.data[:value_bytes]
    first = _FIRST if path or span.kind != "unread" else _NEXT
    words = _words(span, shown[:first])
    if first == _NEXT:
        if shown:
            yield _below(place(0), shown[:first], _HEX_WIDTH + 2 + path_width)
    else:
        yield f"{place(0)}  {shown[:first].hex(' '):<{_HEX_WIDTH}}  {one_line(path):<{path_width}}  {words}".rstrip()
    for offset in range(first, len(shown), _NEXT):
        yield _below(place(offset), shown[offset : offset + _NEXT], _HEX_WIDTH + 2 + path_width)
    if len(shown) < span.size:
        yield f"{place(len(shown))}  ...  {span.size - len(shown)} bytes more"


def _below(place: str, data: bytes, text_column: int) -> str:
    return f"{place}  {data.hex(' '):<{text_column}}  {_text(data)}"


def _text(data: bytes) -> str:
    return f"|{data.translate(_PRINTABLE).decode('ascii')}|"


def _words(span: Span, shown: bytes) -> str:
    """A value as people read it."""
    if span.bits is not None:
        first, last = span.bits[0], span.bits[0] + span.bits[1] - 1
        range = f"{first // 8}.{first % 8}" + (f"-{last // 8}.{last % 8}" if last > first else "")
        return f"{_value(span, shown)} ({'bit' if last == first else 'bits'} {range})"
    return _value(span, shown)


def _value(span: Span, shown: bytes) -> str:
    value, declared = span.value, span.declared
    if span.kind == "payload":
        return span.remark
    if span.kind in ("more", "unread"):
        return span.remark if span.remark and span.kind == "more" else _text(shown)
    if value is None:
        return span.remark or "null"
    if isinstance(value, Value):
        return _bits(value)
    if declared is not None and declared.logical is not None and not span.remark and span.error is None:
        words = meaning_words(declared.logical, value, 1)
        if words is not None:
            return words
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | str):
        return _bytes_words(value, span, shown)
    if isinstance(value, IntEnum):
        return f"{int(value)}, {value.name.removesuffix('_')}"
    if not isinstance(value, int):
        return str(value)
    if span.remark or isinstance(span.error, ChecksumError):
        text = checksum_text(value, span.size)
        return f"{text}, {span.remark}" if span.remark else text
    name = declared.name if declared is not None else ""
    if span.absolute is not None:
        base = declared.base if declared is not None else None
        return f"{value} = {_timed(base or '', span.absolute)}"
    if value < 0 and name.endswith("_length"):
        return f"{value}, null"
    if value == -1 and declared is not None and "-1 for none" in declared.doc:
        return "-1, none"
    return _timed(name, value)


def _bytes_words(value: bytes | str, span: Span, shown: bytes) -> str:
    """The bytes as text, or what they stand for where that is something else: decoded bytes, another encoding."""
    if not value:
        return _text(shown) if span.size else "empty"
    if isinstance(value, str):
        try:
            content = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a surrogate that stands for no byte
            content = value.encode("utf-8", "surrogatepass")
    else:
        content = value
    if content in span.data:
        return _text(shown)
    return f"= {one_line(value)[:_SHOWN]}" if isinstance(value, str) else f"= {_text(value[:_NEXT])}"


def _timed(name: str, value: int) -> str:
    text = time_text(value) if name == "timestamp" or name.endswith("_timestamp") else str(value)
    return str(value) if text == str(value) else f"{value}, {text}"


def _bits(value: Value) -> str:
    """The names in a structure of bits: those with words for their values, and those that are not 0."""
    words = []
    for bit in value._type.bits:
        bit_value = getattr(value, bit.name)
        if isinstance(bit_value, IntEnum):
            words.append(f"{bit.name} {bit_value.name.removesuffix('_')}")
        elif bit_value:
            words.append(f"{bit.name}" if bit.width == 1 else f"{bit.name} {bit_value}")
    return ", ".join(words) or "0"

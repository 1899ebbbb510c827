"""`kformat parse` and `build`: bytes of any declared format to JSON and back (`jsonform`).

`parse` rebuilds its output at once, to report if `build` would make other bytes.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import json
import math
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NoReturn

import click

from kformat.cli import complain, remark
from kformat.cli.declared import decode_flag, language_options, trailing_option
from kformat.cli.decoders import topic_named
from kformat.cli.output import Output, output_options, together, write_objects
from kformat.cli.row_files import read_rows, read_table
from kformat.cli.streamed_value import streamed_value
from kformat.cli.tables import has_lines, opened_output
from kformat.codec.constructs import build, parse, parse_prefix
from kformat.codec.json_form import BYTES, from_json, to_json, types_in
from kformat.codec.trace import trace
from kformat.codec.values import Value
from kformat.columns.build import build as build_of_rows
from kformat.errors import BuildError, DataError, UsageError
from kformat.kafka.batch.batches import read_batch
from kformat.kafka.batch.framing import Walk, format_of_magic
from kformat.kafka.columns.declared import Shown, refused_remarks, shown_messages
from kformat.kafka.columns.log_values import LOG, LOG_FORMATS, log_format
from kformat.language.program import load_type
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.storage.plain_file import naming

_TEXT: Final = re.compile(r"[^ \t\n\r]")
_CHUNK: Final = 1 << 20
_SHOWN_BYTES: Final = 12


_declaration: Final = together(
    click.option(
        "--as",
        "format",
        required=True,
        metavar="FORMAT",
        help='A shipped format, a type in it, a .ksy file, or "log": a whole segment file or snapshot of KRaft\'s.',
    ),
    language_options,
)


@dataclass(frozen=True)
class _PrintedValue:
    """A value with the bytes that it was read from; ``data`` is None where it could not be finished."""

    format: str
    value: Value
    position: int
    data: bytes | None


@click.command("parse")
@click.argument("file", metavar="FILE")
@_declaration
@click.option(
    "--position",
    type=click.IntRange(0),
    metavar="N",
    help="Begin at this byte; bytes after the value are ignored.",
)
@click.option("--all", "many", is_flag=True, help="Parse one value after the other to the end.")
@click.option("--raw", is_flag=True, help="Leave compressed payloads as they are, so that build gives the same bytes.")
@click.option("--no-checksums", is_flag=True, help="Read past a wrong checksum.")
@click.option("--instances", is_flag=True, help="Print instances, too: what they read, and what they compute.")
@trailing_option("print them as _rest, which build writes again.")
@click.option("--partial", is_flag=True, help="Where the data is damaged, print what was read before.")
@decode_flag("Of the logs of Kafka's own topics (__consumer_offsets, ...): print keys and values as what they are.")
@output_options("json", "nl")
@click.option(
    "--bytes",
    "bytes_as",
    type=click.Choice(BYTES),
    default="base64",
    show_default=True,
    help="How bytes are written; hex and text say so in front (hex:00ff), and build takes all three.",
)
@click.option(
    "--int64-as-strings",
    is_flag=True,
    help="Write integers of 64 bits as strings, for readers whose numbers are doubles (JavaScript, jq).",
)
def parse_command(
    format: str,
    file: str,
    position: int | None,
    many: bool,
    raw: bool,
    no_checksums: bool,
    instances: bool,
    trailing: str,
    partial: bool,
    decode: bool,
    mode: str,
    bytes_as: str,
    int64_as_strings: bool,
) -> None:
    """Parse FILE (- is standard input) and print it as JSON, which build takes back: declared names, bytes in base64.

    FORMAT is a shipped name, a type in it, a .ksy file, or "log": a whole segment file or KRaft snapshot, batches and
    entries of any magic.

    The file has to be one value, no more and no less, unless --position or --all says otherwise or it is a log. At most
    128 MiB are read of it, of a log at most that much at a time. With --format nl a large file of rows is printed while
    it is read, of any size: where it is damaged, the line ends, and is no JSON.

    Where build would make other bytes of what is printed, a remark on standard error says so (of a file that is printed
    while it is read, the first rows are looked at). Instances that cannot be read are damage: _errors has the reasons,
    by name.

    With --decode, FILE is a log in a folder of the topic's name. key and value are objects, as `kformat grep --decode`
    prints them; of what does not parse the bytes are in key_raw and value_raw, and the reason is in key_error and
    value_error. Control records stay as they are. build does not take these records back.
    """
    failures, unread, watch = list[DataError](), list[DataError](), _RebuildWatch(instances)
    form_of = functools.partial(to_json, bytes_as=bytes_as, int64_as_strings=int64_as_strings, unread=unread)
    how = {"checksums": not no_checksums, "raw": raw, "trailing": trailing}
    if decode and format not in (LOG, *LOG_FORMATS):
        raise UsageError(f"--decode is for the records of logs, and goes with --as {LOG}")
    shown = shown_messages(topic_named(file) if decode else "", bytes_as, int64_as_strings)
    if format == LOG:
        many, values = True, _log(file, position or 0, how)
    else:
        load_type(format)
        values = _values(format, file, position, many, how)

    def forms() -> Iterator[dict[str, Any]]:
        try:
            for item in values:
                form = form_of(item.value, instances=instances)
                if shown.readers:
                    yield _decoded(shown, item.value, form)
                else:
                    yield form
                    watch.look(item, form)
        except DataError as error:
            failures.append(error)
            if partial and error.partial is not None:
                yield _decoded(shown, error.partial, form_of(error.partial))

    out = Output()
    is_plain = mode == "nl" and trailing == "error" and not (many or raw or instances or partial or shown.readers)
    if many:
        write_objects(out, forms(), mode, str)
    elif not (is_plain and position is None and _streams(out, file, format, form_of, how, watch, failures)):
        for form in forms():
            out.line(json.dumps(form, indent=None if mode == "nl" else 1))
    out.flush()
    said = watch.remark("<stdin>" if file == "-" else file)
    if said:
        remark(said)
    status = max([complain(error) for error in (*unread[:1], *failures)], default=0)
    if len(unread) > 1:
        remark(f"{len(unread)} instances cannot be read; the error is of the first, _errors has the others")
    for line in refused_remarks(shown.counts):
        remark(line)
    click.get_current_context().exit(status)


def _streams(
    out: Output,
    file: str,
    format: str,
    form_of: Callable[[Value], Any],
    how: dict[str, Any],
    watch: _RebuildWatch,
    failures: list[DataError],
) -> bool:
    """Write a large file of rows while it is read; False if it has to be read as a whole."""
    if file == "-":
        return False
    with ByteSource(file) as source:
        streamed = streamed_value(source, format, form_of, checksums=how["checksums"])
        if streamed is None:
            return False
        for piece in streamed.pieces():
            out.write(piece.encode())
        out.write(b"\n")
        if streamed.problem is not None:
            failures.append(streamed.problem)
        root = streamed.stream.root
        if streamed.sample is not None and root is not None:
            data = source.read_at(0, streamed.sample_end)
            watch.look(_PrintedValue(format, root, 0, data), streamed.sample)
    return True


def _decoded(shown: Shown, value: Value, form: dict[str, Any]) -> dict[str, Any]:
    """The form of a batch, or of an entry of magic 0 or 1, with what ``shown`` shows of keys and values in it; a
    control batch stays as it is.
    """
    attributes = getattr(value, "attributes", None)
    if getattr(attributes, "is_control", 0):
        return form
    has_record = "key" in form and "value" in form and not getattr(attributes, "compression", 0)  # else a wrapper
    made: dict[str, Any] = {}
    for name, part in form.items():
        inner = getattr(value, name, None)
        if has_record and name in shown.readers:
            decoded, problem = shown.show(name, inner, getattr(value, "key", None))
            made |= {name: decoded, f"{name}_raw": None if problem is None else part, f"{name}_error": problem}
        elif isinstance(inner, Value) and isinstance(part, dict):
            made[name] = _decoded(shown, inner, part)
        elif isinstance(inner, list) and inner and isinstance(inner[0], Value):
            made[name] = [_decoded(shown, *pair) for pair in zip(inner, part, strict=True)]
        else:
            made[name] = part
    return made


def _values(format: str, file: str, position: int | None, many: bool, how: dict[str, Any]) -> Iterator[_PrintedValue]:
    data = _read(file, position or 0)
    source, at = "<stdin>" if file == "-" else file, 0
    if not many and position is None:
        yield _PrintedValue(format, parse(format, data, source=source, **how), 0, data)
        return
    origin = position or 0
    while True:
        value, end = parse_prefix(format, data, at, source=source, origin=origin, **how)
        yield _PrintedValue(format, value, origin + at, data[at:end])
        at = end
        if not many or at >= len(data):
            return


def _log(file: str, position: int, how: dict[str, Any]) -> Iterator[_PrintedValue]:
    """The batches of a log, each in the format that its magic asks for."""
    with ByteSource(_read(file, 0), "<stdin>") if file == "-" else ByteSource(file) as source:
        walk = Walk(source, position)
        for frame in walk:
            format = format_of_magic(frame.magic)
            data = read_batch(source, frame).raw
            yield _PrintedValue(
                format, parse(format, data, source=source.name, position=frame.position, **how), frame.position, data
            )
        if walk.problem is not None:
            raise walk.problem


def _read(file: str, position: int) -> bytes:
    if file == "-":
        stream = sys.stdin.buffer
        while position > 0 and (passed_over := len(stream.read(min(position, _CHUNK)))):
            position -= passed_over
        data = stream.read(DEFAULT_INFLATE_LIMIT + 1)
    else:
        with ByteSource(file) as source:
            data = source.read_at(position, DEFAULT_INFLATE_LIMIT + 1)
    if len(data) > DEFAULT_INFLATE_LIMIT:
        raise UsageError(f"{file}: more than {DEFAULT_INFLATE_LIMIT} bytes")
    return data


_WITH_INSTANCES: Final = "with `--instances` what they read is built, too, and "


class _RebuildWatch:
    """Builds the printed values again, with ``instances`` or without, and remembers those that give other bytes."""

    def __init__(self, instances: bool) -> None:
        self.instances = instances
        self.seen = self.others = 0
        self.first: tuple[_PrintedValue, bytes | BuildError] | None = None

    def look(self, printed: _PrintedValue, form: dict[str, Any]) -> None:
        if printed.data is None:
            return
        self.seen += 1
        built: bytes | BuildError
        try:
            built = build(printed.format, from_json(printed.format, form))
        except BuildError as error:
            built = error
        if built != printed.data:
            self.others += 1
            self.first = self.first or (printed, built)

    def remark(self, source: str) -> str:
        """The remark about all values together; "" if there is none."""
        if self.first is None:
            return ""
        printed, built = self.first
        many = "" if self.seen == 1 else f"; {self.others} of {self.seen} values, this is the first"
        if isinstance(built, BuildError):
            return f"{source}:{printed.position}: cannot be built again: {built}{many}"
        position, path, what = _difference(printed, printed.data or b"", built)
        may_read = any(
            instance.value is None for it in types_in(load_type(printed.format)) for instance in it.instances
        )
        is_short = may_read and len(built) < len(printed.data or b"")
        way = f"; {'' if self.instances else _WITH_INSTANCES}`build --onto FILE` keeps the others" if is_short else ""
        return f"{source}:{position} {path}: build would write different bytes: {what}{many}{way}"


def _difference(printed: _PrintedValue, data: bytes, built: bytes) -> tuple[int, str, str]:
    """The field that makes the built bytes differ: its position, its path, and the difference in words.

    It is a field with the same value in other bytes; else the last that differs, since lengths and checksums come
    first. If a value has too many fields to be traced, it is the whole value.
    """
    new = {span.path: span for span in trace(printed.format, built)}
    difference = printed.position, load_type(printed.format).label, f"{len(built)} bytes for {len(data)}"
    for span in trace(printed.format, data, position=printed.position):
        other = new.get(span.path)
        if other is None or other.data == span.data or span.kind == "unread":
            continue
        if span.kind == "payload":
            return span.position, span.path, "it is compressed again (--raw keeps the original bytes)"
        difference = span.position, span.path, f"{_hex(other.data)} for {_hex(span.data)}"
        if other.value == span.value:
            break
    return difference


def _hex(data: bytes) -> str:
    return data[:_SHOWN_BYTES].hex() + "..." * (len(data) > _SHOWN_BYTES)


@click.command("build")
@click.argument("file", metavar="[FILE]", default="-")
@_declaration
@click.option("-o", "--output", "target", metavar="FILE", help="Write there instead of standard output.")
@click.option(
    "--onto",
    metavar="FILE",
    help="Write the value over the bytes of FILE (its original): what the declaration does not describe stays.",
)
@click.option(
    "--bytes",
    "bytes_as",
    type=click.Choice(BYTES),
    default="base64",
    show_default=True,
    help="How bytes are written where they do not say it themselves (hex:00ff, text:key-1).",
)
@click.option(
    "--rows",
    "has_rows",
    is_flag=True,
    help="FILE has rows, a JSON object on a line each, as export writes them. Of Arrow and Parquet that is clear.",
)
@click.option("--row", metavar="ROW", help="What the rows are: the path of their list, or their type.")
@click.option(
    "--around",
    metavar="FILE",
    help="What is around the rows: JSON as parse prints it (.json), or a file of FORMAT, whose own rows do not count.",
)
def build_command(
    format: str,
    file: str,
    target: str | None,
    onto: str | None,
    bytes_as: str,
    has_rows: bool,
    row: str | None,
    around: str | None,
) -> None:
    """Build bytes of FORMAT from JSON as parse prints it; several values are built one after the other. Or build a file
    from its rows, as export writes them: Arrow, Parquet, or with --rows lines of JSON; --around has the other fields.

    Lengths, counts and checksums are computed, whatever the JSON says of them; fields that can be derived may be left
    out. Members of enums go by name ("gzip") or number.
    """
    if format != LOG:
        load_type(format)
    elif onto is not None:
        raise UsageError("--onto is for one value, not for a log")
    under = None if onto is None else _read(onto, 0)
    with tempfile.SpooledTemporaryFile(_CHUNK * 64) as built:  # nothing is written unless everything can be
        table = read_rows(file, format, row, bytes_as) if has_rows else read_table(file)
        if table is not None:
            if format == LOG:
                raise UsageError("records become a log by `kformat log append`")
            fields = None if around is None else _around(around, format, bytes_as)
            with naming(tempfile.gettempdir()), _hinting(around is None, _AROUND):
                built.write(build_of_rows(format, table, row=row, around=fields, onto=under))
        elif row is not None or around is not None:
            raise UsageError("--row and --around are for rows: Arrow, Parquet, or lines of JSON with --rows")
        else:
            with _hinting(has_lines(file), _ROWS):
                for data in _built(file, format, bytes_as, under):
                    with naming(tempfile.gettempdir()):
                        built.write(data)
        built.seek(0)
        if target is not None:
            with opened_output(target) as opened:
                shutil.copyfileobj(built, opened)
            return
        out = sys.stdout.buffer
        if out.isatty():
            raise UsageError("standard output is a terminal, and what is built is not text; see --output")
        shutil.copyfileobj(built, out)
        out.flush()


_AROUND: Final = "the fields before and after the rows come from --around FILE"
_ROWS: Final = "if each line is a row, as export writes them, add --rows"


@contextlib.contextmanager
def _hinting(is_likely: bool, hint: str) -> Iterator[None]:
    """Say after a BuildError what the caller may have left out."""
    try:
        yield
    except BuildError:
        if is_likely:
            remark(hint)
        raise


def _built(file: str, format: str, bytes_as: str, under: bytes | None) -> Iterator[bytes]:
    """The bytes of the values in a file of JSON."""
    for place, value in _JsonText(file, may_be_empty=format == LOG).values():
        kind = log_format(value) if format == LOG else format
        if place and under is not None:
            raise UsageError(f"{file}: --onto is for one value, and here are several")
        try:
            yield build(kind, from_json(kind, value, bytes_as=bytes_as), onto=under)
        except BuildError as error:
            error.path = place + "." * bool(place) + error.path
            raise


def _around(file: str, format: str, bytes_as: str) -> Any:
    """What is around rows: the value of a JSON file, or the one that the bytes of a file hold."""
    if not file.endswith(".json"):
        return parse(format, _read(file, 0), source=file, trailing="keep")
    _, value = next(_JsonText(file, may_be_empty=False).values())
    return from_json(format, value, bytes_as=bytes_as)


class _JsonText:
    """JSON values in a file: one, one after the other, or in lists. No more is read than the next value takes."""

    def __init__(self, file: str, *, may_be_empty: bool) -> None:
        self.file, self.may_be_empty = file, may_be_empty
        self.stream: BinaryIO = sys.stdin.buffer
        self.decoder = json.JSONDecoder(object_pairs_hook=self.object, parse_float=self.float)
        self.decode = codecs.getincrementaldecoder("utf-8")().decode
        self.text, self.at, self.ended = "", 0, False
        self.line = 1
        """The line number of the text's first character."""

    def values(self) -> Iterator[tuple[str, Any]]:
        """Each value with its place: ``[3]``; "" if it is the first and not in a list."""
        if self.file == "-":
            yield from self._values()
        else:
            with open(self.file, "rb") as self.stream:
                yield from self._values()

    def _values(self) -> Iterator[tuple[str, Any]]:
        number, is_list, anything = 0, False, False
        while following := self.peek():
            anything = True
            if not is_list and following == "[":
                self.at += 1
                is_list = self.peek() != "]"
                self.at += not is_list
                continue
            yield f"[{number}]" if is_list or number else "", self.value()
            number += 1
            if is_list:
                following = self.peek()
                if following not in (",", "]"):
                    self.refuse(f"a list that {'goes on without a comma' if following else 'does not end'}")
                self.at += 1
                is_list = following == ","
        if is_list:
            self.refuse("a list that does not end")
        if not anything and not self.may_be_empty:
            self.refuse("nothing there")

    def peek(self) -> str:
        """Skip white space, and return the next character; "" at the end."""
        while (match := _TEXT.search(self.text, self.at)) is None:
            self.skip(len(self.text))
            if not self.more():
                return ""
        self.at = match.start()
        return match[0]

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, self.at = self.decoder.raw_decode(self.text, self.at)
                return value  # a number may go on, but no number is a value of a format
            except UsageError:
                raise
            except RecursionError:
                self.refuse("nested too deeply")
            except ValueError as error:
                if not self.more():
                    place = getattr(error, "pos", self.at)
                    self.refuse(getattr(error, "msg", str(error)), self.line + self.text.count("\n", 0, place))

    def skip(self, end: int) -> None:
        self.line += self.text.count("\n", 0, end)
        self.text, self.at = self.text[end:], 0

    def more(self) -> bool:
        """Read on, as many bytes as there are characters already; False at the end."""
        self.skip(self.at)
        if self.ended:
            return False
        if len(self.text) > DEFAULT_INFLATE_LIMIT:
            self.refuse(f"a value that does not end within {DEFAULT_INFLATE_LIMIT} characters", self.line)
        data = self.stream.read(max(_CHUNK, len(self.text)))
        self.ended = not data
        try:
            self.text += self.decode(data, self.ended)
        except UnicodeDecodeError as error:
            self.refuse(f"not UTF-8: {error.reason}")
        return True

    def refuse(self, why: str, line: int | None = None) -> NoReturn:
        raise UsageError(f"{self.file}: not JSON: {why}" + ("" if line is None else f" (line {line})"))

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
            self.refuse(f"{twice!r} is twice in an object")
        return members

    def float(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            self.refuse(f"{text[:40]} does not fit into a double")
        return value

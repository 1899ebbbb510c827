"""`kformat parse` and `build`: bytes of any declared format to JSON and back."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import click

from kformat.cli import complain
from kformat.cli.output import BYTES, Output, bytes_option, output_options, plain, write_objects
from kformat.codec import build, parse, parse_prefix
from kformat.compression import DEFAULT_INFLATE_LIMIT
from kformat.errors import BuildError, DataError, UsageError
from kformat.program import ReadBytes, ReadList, Step, TypeProgram, Window, load_type
from kformat.source import ByteSource

_FROM_TEXT: Final[dict[str, Callable[[str], bytes]]] = {
    "base64": lambda text: base64.b64decode(text, validate=True),
    "hex": bytes.fromhex,
}
_NO_SPACE: Final = re.compile(r"\S").search


@click.command("parse")
@click.argument("format", metavar="FORMAT")
@click.argument("file", metavar="FILE")
@click.option(
    "--position",
    type=click.IntRange(0),
    metavar="N",
    help="Begin at this byte; what lies behind the value is left alone.",
)
@click.option("--all", "many", is_flag=True, help="Parse one value after the other to the end.")
@click.option("--no-checksums", is_flag=True, help="Read past a wrong checksum.")
@click.option("--partial", is_flag=True, help="Where the data is damaged, print what was read before.")
@output_options("json", "nl")
@bytes_option
def parse_command(
    format: str,
    file: str,
    position: int | None,
    many: bool,
    no_checksums: bool,
    partial: bool,
    mode: str | None,
    bytes_as: str,
) -> None:
    """Parse FILE (- is standard input) and print it as JSON: names as declared, bytes in base64.

    The file has to be one value, no more and no less, unless --position or --all says otherwise. At most 128 MiB are
    read; for long logs there is dump.
    """
    load_type(format)
    data = _read(file, position or 0)
    source = "<stdin>" if file == "-" else file
    encode, failures = BYTES[bytes_as], list[DataError]()

    def values() -> Iterator[Any]:
        at = 0
        try:
            if not many and position is None:
                yield parse(format, data, source=source, checksums=not no_checksums)
                return
            while True:
                value, at = parse_prefix(
                    format, data, at, source=source, origin=position or 0, checksums=not no_checksums
                )
                yield value
                if not many or at >= len(data):
                    return
        except DataError as error:
            failures.append(error)
            if partial and error.partial is not None:
                yield error.partial

    out = Output()
    if many:
        write_objects(out, (value._asdict() for value in values()), mode or "json", encode)
    else:
        for value in values():
            out.line(json.dumps(plain(value._asdict(), encode), indent=None if mode == "nl" else 1))
    out.flush()
    click.get_current_context().exit(max([complain(error) for error in failures], default=0))


def _read(file: str, position: int) -> bytes:
    if file == "-":
        stream = sys.stdin.buffer
        data = stream.read(position + DEFAULT_INFLATE_LIMIT + 1)[position:]
    else:
        with ByteSource(file) as source:
            data = source.read_at(position, DEFAULT_INFLATE_LIMIT + 1)
    if len(data) > DEFAULT_INFLATE_LIMIT:
        raise UsageError(f"{file}: more than {DEFAULT_INFLATE_LIMIT} bytes")
    return data


@click.command("build")
@click.argument("format", metavar="FORMAT")
@click.argument("file", metavar="[FILE]", default="-")
@click.option("-o", "--output", "target", metavar="FILE", help="Write there instead of standard output.")
@click.option(
    "--bytes",
    "bytes_as",
    type=click.Choice(list(_FROM_TEXT)),
    default="base64",
    show_default=True,
    help="How bytes are written in the JSON.",
)
def build_command(format: str, file: str, target: str | None, bytes_as: str) -> None:
    """Build bytes of FORMAT from JSON as parse prints it; several values are built one behind the other.

    Lengths, counts and checksums are computed, whatever the JSON says of them; fields that can be derived may be left
    out. Members of enums go by name ("gzip") or number.
    """
    program = load_type(format)
    text = _read(file, 0)
    built = [
        build(format, _from_json(program, value, _FROM_TEXT[bytes_as], program.label))
        for value in _json_values(text, file)
    ]
    if target is not None:
        with open(target, "wb") as opened:
            opened.writelines(built)
        return
    out = sys.stdout.buffer
    if out.isatty():
        raise UsageError("standard output is a terminal, and what is built is not text; see --output")
    out.writelines(built)
    out.flush()


def _json_values(data: bytes, file: str) -> Iterable[Any]:
    """The JSON values of a text, which may be one, one behind the other, or in one list."""
    decoder, values = json.JSONDecoder(), []
    try:
        text = data.decode()
        at = _NO_SPACE(text, 0)
        while at is not None:
            value, end = decoder.raw_decode(text, at.start())
            values.append(value)
            at = _NO_SPACE(text, end)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: no JSON: {error}") from None
    if len(values) == 1 and isinstance(values[0], list):
        return values[0]
    if not values:
        raise UsageError(f"{file}: no JSON: nothing there")
    return values


def _from_json(program: TypeProgram, value: Any, decode: Callable[[str], bytes], path: str) -> Any:
    """A value as `kformat.build` takes it: the texts of fields that hold bytes are decoded."""
    if not isinstance(value, dict):
        return value  # the builder says what it thinks of it
    found = dict(value)
    for field in program.fields:
        if found.get(field.name) is None:
            continue
        item, here = found[field.name], f"{path}.{field.name}"
        if field.kind == "bytes":
            found[field.name] = _bytes(item, decode, here)
        elif field.kind == "structure" and field.type is not None:
            found[field.name] = _from_json(field.type, item, decode, here)
        elif field.kind == "list" and isinstance(item, list):
            if field.type is not None:
                found[field.name] = [
                    _from_json(field.type, it, decode, f"{here}[{number}]") for number, it in enumerate(item)
                ]
            elif _holds_bytes(program.steps, field.name):
                found[field.name] = [_bytes(it, decode, f"{here}[{number}]") for number, it in enumerate(item)]
    return found


def _bytes(value: Any, decode: Callable[[str], bytes], path: str) -> bytes:
    if not isinstance(value, str):
        raise BuildError("bytes are expected, written as text", path=path, found=type(value).__name__)
    try:
        return decode(value)
    except ValueError as error:
        raise BuildError(f"bytes are not written as --bytes says: {error}", path=path) from None


def _holds_bytes(steps: Iterable[Step], name: str) -> bool:
    """Whether the elements of a list are bytes."""
    for step in steps:
        if isinstance(step, Window) and _holds_bytes(step.steps, name):
            return True
        if isinstance(step, ReadList) and step.name == name:
            return isinstance(step.element, ReadBytes) and step.element.encoding is None
    return False

"""Rows that `export` wrote, for `build`: Arrow, Parquet, lines of JSON."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from kformat.cli.tables import COMPRESSED
from kformat.codec.json_form import bytes_of
from kformat.columns.arrow import is_table_file, pyarrow, table_batches
from kformat.columns.filling import schema_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.errors import UsageError

_BEGINNING: Final = 8
"""So many bytes say whether a file is Arrow's or Parquet's."""


def opened_input(file: str) -> contextlib.AbstractContextManager[Any]:
    """A file, or for ``-`` standard input, which stays open."""
    return contextlib.nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb")


def read_table(file: str) -> Any:
    """The rows in a file of Arrow or Parquet, as a table; None for another file. Raises InvalidError for damage."""
    with opened_input(file) as stream:
        if not _may_be_table(_peeked(stream)) or not is_table_file(stream):
            return None
        batches = list(table_batches(stream, file))
    return pyarrow().Table.from_batches(batches) if batches else pyarrow().table({})


def _peeked(stream: Any) -> bytes:
    if hasattr(stream, "peek"):
        return bytes(stream.peek(_BEGINNING))
    start: bytes = stream.read(_BEGINNING)
    stream.seek(-len(start), 1)
    return start


def _may_be_table(data: bytes) -> bool:
    """Whether the first bytes are not those of JSON: those need no pyarrow."""
    return data[:1] not in (b"{", b"[", b" ", b"\n", b"\t", b"\r", b"")


def read_rows(file: str, format: str, row: str | None, bytes_as: str) -> Any:
    """The rows in lines of JSON, or in a list of objects on lines of their own, as a table of the columns that rows of
    a format have. Compressed files are known by their names.

    Raises UsageError for a line that is none, with its number and the column.
    """
    pa = pyarrow()
    schema = schema_of(plan_of(find(format, row), None, "names"))
    readers = {field.name: _reader(field.type, bytes_as, field.name) for field in schema}
    columns: dict[str, list[Any]] = {}
    count = at = 0
    with opened_input(file) as opened:
        codec = COMPRESSED.get(Path(file).suffix)
        try:
            lines: Any = opened
            if codec is not None:
                lines = io.BufferedReader(_Lines(pa.CompressedInputStream(opened, codec)))
            for at, line in enumerate(lines, 1):  # noqa: B007 (the line's number is for the error)
                text = line.strip()
                if not text or text in (b"[", b"]", b"[]"):
                    continue
                item = json.loads(text.removesuffix(b","))
                if not isinstance(item, dict):
                    raise ValueError("an object is expected")
                for name, value in item.items():
                    column = columns.get(name)
                    if column is None:
                        column = columns[name] = [None] * count
                    reader = readers.get(name)
                    column.append(value if reader is None or value is None else reader(value))
                count += 1
                for column in columns.values():
                    column += [None] * (count - len(column))
        except (ValueError, TypeError, AttributeError, OSError, pa.ArrowException) as error:
            raise UsageError(f"{file}: line {max(at, 1)}: {error!s:.200}") from None
    kinds = {field.name: field.type for field in schema}
    try:
        return pa.table({name: pa.array(column, kinds.get(name)) for name, column in columns.items()})
    except (pa.ArrowException, OverflowError) as error:
        raise UsageError(f"{file}: {error!s:.200}") from None


class _Lines(io.RawIOBase):
    """What can be read, for a reader of text."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _reader(kind: Any, bytes_as: str, path: str) -> Callable[[Any], Any]:
    """A function that makes what Arrow takes for a type of what JSON has for it; ValueError with the path."""
    pa = pyarrow()
    types = pa.types
    if types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        parts = {field.name: _reader(field.type, bytes_as, f"{path}.{field.name}") for field in fields}
        return lambda item: {
            name: None if value is None else parts[name](value) if name in parts else _refuse(f"{path}.{name}", parts)
            for name, value in item.items()
        }
    if types.is_list(kind) or types.is_large_list(kind):
        element = _reader(kind.value_type, bytes_as, path)
        return lambda item: [None if value is None else element(value) for value in item]
    if types.is_dictionary(kind):
        return _reader(kind.value_type, bytes_as, path)

    leaf = _leaf(kind, bytes_as)

    def read(item: Any) -> Any:
        try:
            return leaf(item)
        except (ValueError, TypeError, OverflowError, AttributeError, pa.ArrowException) as error:
            raise ValueError(f"{path}: {error}") from None

    return read


def _refuse(path: str, there: Iterable[str]) -> Any:
    raise ValueError(f"{path}: there is no such column; there are {', '.join(there)}")


def _leaf(kind: Any, bytes_as: str) -> Callable[[Any], Any]:
    """A function that makes what Arrow takes for a type without parts."""
    pa = pyarrow()
    types = pa.types
    if types.is_integer(kind):
        return _integers(kind)
    if types.is_floating(kind):
        return float
    if types.is_string(kind) or types.is_large_string(kind):  # a member of an enum may be a number
        return lambda item: str(item) if type(item) is int else item
    if any(getattr(types, f"is_{name}")(kind) for name in ("binary", "large_binary", "fixed_size_binary")):
        return lambda item: bytes_of(item, bytes_as)
    if types.is_boolean(kind) or types.is_null(kind):
        return lambda item: item
    return lambda item: pa.scalar(item).cast(kind).as_py() if isinstance(item, str) else item


def _integers(kind: Any) -> Callable[[Any], int]:
    low = -(1 << (kind.bit_width - 1)) if pyarrow().types.is_signed_integer(kind) else 0
    high = low + (1 << kind.bit_width) - 1

    def read(item: Any) -> int:
        if type(item) is not int:
            raise ValueError(f"an integer is expected, found {json.dumps(item):.40}")
        if not low <= item <= high:
            raise ValueError(f"{item} is not within {low} to {high}")
        return item

    return read


__all__ = ["read_rows", "read_table"]

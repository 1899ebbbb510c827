"""Dump files of any declared format: what is in one, in order, with names.

Rows that can be read one after the other (`columns.rows`) are read so, in constant memory, with the fields before and
after them; other files are in memory as a whole. At damage everything before it is printed, and the error is raised.

    # frames.bin, 217 bytes: log
    version: 1
    frames[0]:                      # byte 1
      number: 0
      kind: real (1)
      ratio = 33

`:` is what the bytes hold, `=` an instance. `lines_of` and `objects_of` are the two forms; the second one's values are
those of `kformat.to_json`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from kformat.codec.json_form import to_json
from kformat.codec.parsing import path_of, read_value
from kformat.codec.reader import Reader
from kformat.codec.values import MISSING, REST, Value, asked, held
from kformat.columns.rows import one_after_the_other
from kformat.columns.scanning import MOST_HELD, ValueStream
from kformat.errors import DataError, LimitError
from kformat.language.logical import meaning_words
from kformat.language.program import MAX_NESTING, LogicalType, TypeProgram, load_type, standalone
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

MOST_ELEMENTS: Final = 16
MOST_BYTES: Final = 32
"""Elements of a list of numbers, and bytes of a value, that a line shows."""

OnUnread = Callable[[DataError], object]
"""Called with the error of each instance that cannot be read."""


class TreePart(NamedTuple):
    """A part of a file: fields ``names`` of ``value``, at a path; ``position`` is that of a row. ``is_cut``: it ends in
    damage, so that its instances may be unknown.
    """

    path: str
    value: Value
    names: tuple[str, ...]
    position: int | None = None
    is_cut: bool = False


class _LeftOver:
    """Lets reading continue after bytes that are left over in a part of known size; each is kept as an error."""

    def __init__(self) -> None:
        self.noted: dict[tuple[int | None, int | None], tuple[DataError, Any]] = {}

    def passes(self, error: DataError, value: Any, path: str) -> bool:
        if path:
            return False
        self.noted.setdefault((error.position, error.inflated_position), (error, value))  # a step may run again
        return True

    def take(self, root: Value | None, label: str, row: Value | None = None, row_path: str = "") -> list[DataError]:
        """The errors since the last call, with their paths."""
        noted, self.noted = list(self.noted.values()), {}
        for error, value in noted:
            path = path_of(value, row if row is not None else root)
            is_in_row = row is not None and (path + ".").startswith((f"{row._type.label}.", f"{row._type.label}["))
            error.path = row_path + path[len(row._type.label) :] if is_in_row and row is not None else path
        return [error for error, _ in noted]


def parts_of(
    source: ByteSource, format: Any, trailing: Literal["error", "keep"], on_left_over: OnUnread
) -> Iterator[TreePart]:
    """The parts of a file in order; raises DataError after those before the damage. Bytes that are left over in a part
    of known size do not end it: ``on_left_over`` is called with the error.
    """
    root = standalone(load_type(format))
    rows = one_after_the_other(root)
    if rows is None:
        yield from _whole(source, root, trailing, on_left_over)
        return
    left_over = _LeftOver()
    reading: dict[str, Any] = {"trailing": trailing, "checksums": True, "inflate_limit": DEFAULT_INFLATE_LIMIT}
    stream = ValueStream(source, rows, passes=left_over.passes, **reading)
    around: list[tuple[Value, str, set[str]]] = []  # the structures that hold the rows, and their fields that are done
    problem: DataError | None = None
    stream_rows = stream.rows()
    while True:
        try:
            value, position, index, holder, prefix = next(stream_rows)
        except StopIteration:
            break
        except DataError as error:
            problem = error
            break
        assert stream.root is not None
        if not around:
            around.append((stream.root, root.label, {rows.path[0]}))
            if holder is not stream.root:
                around.append((holder, prefix.rpartition(".")[0], {rows.path[-1]}))
            for container, path, names in around:
                new = tuple(itertools.takewhile(lambda name: name not in names, _there(container, set())))  # noqa: B023
                if new:
                    yield TreePart(path, container, new)
                names.update(new)
        path = f"{prefix}[{index}]"
        yield TreePart(path, value, _all(value), position)
        if left_over.noted:
            for left in left_over.take(stream.root, root.label, value, path):
                on_left_over(left)
    if not around and stream.root is not None:
        around.append((stream.root, root.label, set()))
    for container, path, names in reversed(around):
        new = tuple(name for name in _all(container) if name not in names)
        if new:
            yield TreePart(path, container, new, is_cut=problem is not None)
    for left in left_over.take(stream.root, root.label):
        on_left_over(left)
    if problem is not None:
        raise problem


def _whole(
    source: ByteSource, root: TypeProgram, trailing: Literal["error", "keep"], on_left_over: OnUnread
) -> Iterator[TreePart]:
    if source.size > MOST_HELD:
        expected = f"at most {MOST_HELD} bytes"
        message = "the file has to be in memory as a whole, and is too large"
        raise LimitError(message, source=source.name, path=root.label, expected=expected, found=source.size)
    reader, left_over = Reader(source.read_at(0, source.size), source=source.name, trailing=trailing), _LeftOver()
    reader.state.passes = left_over.passes
    problem: DataError | None = None
    try:
        value = read_value(root, reader)
    except DataError as error:
        value, problem = error.partial, error
    if isinstance(value, Value):
        is_cut = problem is not None
        yield TreePart(root.label, value, tuple(_there(value, set())) if is_cut else _all(value), is_cut=is_cut)
        for left in left_over.take(value, root.label):
            on_left_over(left)
    if problem is not None:
        raise problem


def _there(value: Value, but: set[str]) -> Iterator[str]:
    """The fields of a value that are set."""
    return (name for name in value._fields if name not in but and held(value, name) is not MISSING)


def _all(value: Value) -> tuple[str, ...]:
    names = [name for name in value._fields if held(value, name) is not MISSING]
    names += value._instances
    return (*names, REST) if getattr(value, REST, b"") else tuple(names)


# --- text ----------------------------------------------------------------------------------------------------------


def lines_of(part: TreePart, label: str, on_unread: OnUnread) -> Iterator[str]:
    """The lines of a part; paths are shown without the format's name, ``label``."""
    path = part.path.removeprefix(label).lstrip(".")
    if path:
        place = "" if part.position is None else f"  # byte {part.position}"
        yield f"{path}:{place}"
    yield from _fields(part.value, part.names, "  " if path else "", 0, None if part.is_cut else on_unread)


def row_lines(path: str, position: int | None, row: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a row of columns: plain values."""
    place = "" if position is None else f"  # byte {position}"
    yield f"{path}:{place}"
    for name, value in row.items():
        yield from _lines(name, value, "  ", 0, ":", None)


def _fields(value: Value, names: Iterable[str], indent: str, depth: int, on_unread: OnUnread | None) -> Iterator[str]:
    """``on_unread`` None: no instances."""
    computed, instances, logical = _computed(value._type), value._instances, _logical(value._type)
    for name in names:
        is_instance = name in instances
        if name in logical and not is_instance:
            words = meaning_words(logical[name], held(value, name), MOST_ELEMENTS)
            if words is not None:
                yield f"{indent}{name}: {words}"
                continue
        if not is_instance:  # most lines are fields
            field_value = getattr(value, name, MISSING)
            text = _TEXTS[type(field_value)]
            if text is not None:
                yield f"{indent}{name}: {text(field_value)}"
                continue
        if is_instance and on_unread is None:
            continue
        errors: dict[str, DataError] = {}
        field_value = asked(value, name, errors)
        for error in errors.values():
            if on_unread is not None:
                on_unread(error)
            yield f"{indent}{name} = (cannot be read: {error.message})"
        if field_value is MISSING or (name in computed and not _is_plain(field_value)):
            continue  # a computed structure is shown where it is read
        if name in logical and (words := meaning_words(logical[name], field_value, MOST_ELEMENTS)) is not None:
            yield f"{indent}{name} = {words}"
            continue
        yield from _lines(name, field_value, indent, depth + is_instance, " =" if is_instance else ":", on_unread)


@lru_cache(maxsize=1024)
def _computed(program: TypeProgram) -> frozenset[str]:
    return frozenset(instance.field.name for instance in program.instances if instance.value is not None)


@lru_cache(maxsize=1024)
def _logical(program: TypeProgram) -> dict[str, LogicalType]:
    """The fields and instances with a logical type."""
    fields = (*program.fields, *(instance.field for instance in program.instances))
    return {field.name: field.logical for field in fields if field.logical is not None}


def _lines(name: str, value: Any, indent: str, depth: int, sign: str, on_unread: OnUnread | None) -> Iterator[str]:
    match value:
        case Value() if depth > MAX_NESTING:
            yield f"{indent}{name}{sign} (nested too deeply)"
        case Value():
            yield f"{indent}{name}{sign}"
            yield from _fields(value, _all(value), indent + "  ", depth, on_unread)
        case dict():
            yield f"{indent}{name}{sign}"
            for key, item in value.items():
                yield from _lines(key, item, indent + "  ", depth, ":", on_unread)
        case list() if any(isinstance(item, Value | dict | list) for item in value):
            for index, item in enumerate(value):
                yield from _lines(f"{name}[{index}]", item, indent, depth, sign, on_unread)
        case list():
            shown = ", ".join(map(text_of, value[:MOST_ELEMENTS]))
            more = f", ... ({len(value)} elements)" if len(value) > MOST_ELEMENTS else ""
            yield f"{indent}{name}{sign} [{shown}{more}]"
        case _:
            yield f"{indent}{name}{sign} {text_of(value)}"


def text_of(value: Any) -> str:
    """A value that is no structure, on one line; bytes as text if they are printable."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case IntEnum():
            return f"{value.name.removesuffix('_')} ({int(value)})"
        case bytes():
            more = f"... ({len(value)} bytes)" if len(value) > MOST_BYTES else ""
            shown = value[:MOST_BYTES]
            is_text = shown.isascii() and shown.decode("ascii").isprintable()
            return (f"'{shown.decode('ascii')}'" if is_text else shown.hex(" ")) + more
        case str():
            return f'"{value}"'
    return str(value)


class _Texts(dict[type, Callable[[Any], str] | None]):
    """The function that makes the text of a value with one line, by the value's type; None: it may have more lines."""

    def __missing__(self, kind: type) -> Callable[[Any], str] | None:
        is_text = issubclass(kind, bytes | str | bool | IntEnum) or kind is type(None)
        self[kind] = made = str if kind in (int, float) else text_of if is_text else None
        return made


_TEXTS: Final = _Texts()


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, Value)


# --- JSON ----------------------------------------------------------------------------------------------------------


def object_of(part: TreePart, file: str, bytes_as: str, unread: list[DataError]) -> dict[str, Any]:
    """A part as a plain object for JSON: ``file``, ``path``, ``position`` of a row, and the ``value``."""
    with_instances = not part.is_cut and set(part.value._instances) <= {*part.names}
    form = to_json(part.value, bytes_as=bytes_as, instances=with_instances, unread=unread)
    names = {*part.names, "_errors"}
    value = {name: item for name, item in form.items() if name in names}
    return {"file": file, "path": part.path, "position": part.position, "value": value}


__all__ = ["lines_of", "object_of", "parts_of", "row_lines", "text_of"]

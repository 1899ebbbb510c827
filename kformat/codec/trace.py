"""Map bytes to fields: every byte of a value, with its position, path and value.

The codec itself (`constructs`) reads the bytes and reports to an observer; there is no second reader. So the values are
those of `kformat.parse`.

Rules:

* Spans without an `inflated_position` cover the source from the first byte to the last, without gap or overlap. Spans
  of a compressed payload's decompressed bytes follow the payload's own span and cover those bytes in the same way.
* A field without bytes (null, or empty) has a span of size 0 at its position. An empty list has none, and neither has
  an absent structure or payload.
* A structure of bits that is one number is one span, whose value has the names. Other bits are a span each: the first
  of a byte has it, those after it have none, so that no byte is reported several times.
* Damage ends a value: the fields read so far are followed by one span ``unread`` with the typed error and the remaining
  bytes. A wrong checksum does not: its field has the error.

Memory is bounded by the number of a value's elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kformat.codec.constructs import Structure, construct_of
from kformat.codec.reader import Reader
from kformat.codec.values import MISSING, Value
from kformat.errors import DataError, InvalidError, join_path
from kformat.integers import wrapped_int64
from kformat.language.program import Field, ReadBit
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

BYTES_PER_ELEMENT: Final = 512
"""An element of a list takes far more memory as spans than as bytes: it counts as so many bytes of the limit."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes and their meaning.

    Attributes:
        position: bytes from the start of the source. For decompressed bytes: the position of their batch.
        size: number of bytes.
        path: as in errors: ``record_batch.records[3].key``.
        value: as from `kformat.parse`; None for null and if there is none.
        inflated_position: in the decompressed bytes of the payload before; None for bytes of the source itself.
        kind: ``field``; ``payload``: compressed, the spans of its decompressed bytes follow; ``unread``: not a field,
            ``error`` says why, or the bytes are after the declared fields; ``zeros``: the same, all of them 0.
        data: the bytes; empty for ``zeros``.
        declared: the field's declaration, for a ``field``.
        absolute: the absolute value of a delta (base plus delta), or of an index's relative offset.
        remark: additional facts, in words.
        error: what is wrong with the bytes.
    """

    position: int
    size: int
    path: str
    value: Any = None
    inflated_position: int | None = None
    kind: str = "field"
    data: bytes = b""
    declared: Field | None = None
    absolute: int | None = None
    remark: str = ""
    error: DataError | None = None


# --- observing the codec -------------------------------------------------------------------------------------------


class _Level:
    """A structure being read: its name, and the current step."""

    __slots__ = ("before", "fields", "label", "name", "outer", "reader", "start", "value")

    def __init__(self, outer: _Level | None, label: str, reader: Reader, value: Any) -> None:
        self.outer, self.label, self.reader, self.value = outer, label, reader, value
        self.name, self.start, self.before = "", reader.position, 0
        self.fields: dict[str, Field] = {}

    def path(self) -> str:
        return self.label if self.outer is None else join_path(self.outer.path(), self.label)


@dataclass(slots=True)
class _Event:
    """A future span: its path and bytes are made on demand."""

    level: _Level
    name: str
    reader: Reader
    start: int
    end: int
    value: Any
    kind: str = "field"
    remark: str = ""
    error: DataError | None = None


class _Watch:
    """Observes the codec (`reader.Observer`) and records events."""

    def __init__(self, label: str, fields: dict[str, Field]) -> None:
        self.label, self.fields = label, fields
        self.level: _Level | None = None
        self.events: list[_Event] = []
        self.entered = 0

    def enter(self, reader: Reader, value: Any) -> None:
        self.entered += 1
        self.level = self._enter(self.level, reader, value)

    def step(self, name: str, reader: Reader) -> None:
        level = self.level
        assert level is not None
        level.name, level.start, level.before = name, reader.position, self.entered

    def done(self) -> None:
        level = self.level
        assert level is not None
        if self.entered == level.before:
            self._leaf(level)

    def element(self, reader: Reader, start: int, value: Any) -> None:
        self.entered += 1
        outer = self.level
        assert outer is not None
        if reader.position > start:
            held = getattr(outer.value, outer.name)
            level = _Level(outer, f"{outer.name}[{len(held) - 1}]", reader, value)
            self.events.append(_Event(level, "", reader, start, reader.position, value))

    def leave(self) -> None:
        assert self.level is not None
        self.level = self.level.outer

    def _enter(self, outer: _Level | None, reader: Reader, value: Any) -> _Level:
        if outer is None:
            level = _Level(None, self.label, reader, value)
        elif outer.value is value:  # a window around some of the steps
            level = _Level(outer, "", reader, value)
            level.fields = outer.fields
            return level
        else:
            held = getattr(outer.value, outer.name, None)
            label = outer.name
            if isinstance(held, list):  # an element is stored after it is read
                label += f"[{len(held)}]"
            level = _Level(outer, label, reader, value)
        if isinstance(value, Value):
            level.fields = _fields(type(value))
        return level

    def _leaf(self, level: _Level, failed: bool = False) -> None:
        """A step without nested steps is done."""
        name, start, end = level.name, level.start, level.reader.position
        if name == "":  # an element of a list of scalars, bits by themselves, or an empty window
            value = getattr(level.value, "_element", level.value)
            if end == start or (isinstance(value, Value) and not value._type.bits):
                return
        elif name not in level.fields:  # the check that nothing follows
            return
        else:
            value = getattr(level.value, name, MISSING)
            # A field without bytes is null or empty, or bits of a byte that an earlier field has. Any other number has
            # bytes: this is the check of a checksum.
            if value is MISSING or (end == start and isinstance(value, list | int) and not _is_bits(level, name)):
                return
        self.events.append(_Event(level, name, level.reader, start, end, value))

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None:
        level = self.level
        assert level is not None
        self.entered += 1
        inner.room = min(inner.inflate_limit // BYTES_PER_ELEMENT, inner.room or 0)
        remark = f"inflates to {inner.limit} bytes"
        self.events.append(_Event(level, name, reader, position, reader.position, None, "payload", remark))

    def verified(self, name: str, error: DataError | None) -> None:
        level = self.level
        assert level is not None
        path = join_path(level.path(), name)
        for event in reversed(self.events):
            if event.name == name and join_path(event.level.path(), name) == path:
                event.remark, event.error = ("is that of the bytes" if error is None else ""), error
                break
        if error is not None:
            error.path = path

    def failed(self, error: DataError, reader: Reader, end: int) -> None:
        """Reading failed: report the step's bytes, if it took any, and the remaining bytes."""
        level = self.level
        if level is not None and self.entered == level.before:
            self._leaf(level)
        readers, told = list[tuple[Reader, _Level | None]](), False
        while level is not None:
            if not readers or readers[-1][0] is not level.reader:
                readers.append((level.reader, level))
            level = level.outer
        for inner, where in readers or [(reader, None)]:
            start = max((event.end for event in self.events if event.reader is inner), default=inner.start)
            stop = end if inner is reader else len(inner.data)
            if start < stop or not told:
                top = where or _Level(None, self.label, inner, None)
                found = None if told else error
                self.events.append(_Event(top, "", inner, start, stop, None, "unread", error=found))
            told = True


def _is_bits(level: _Level, name: str) -> bool:
    steps = type(level.value)._type.steps
    return any(isinstance(step, ReadBit) and step.name == name for step in steps)


def _fields(kind: type[Value]) -> dict[str, Field]:
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = {field.name: field for field in kind._type.fields}
    return found


_FIELDS: Final[dict[type[Value], dict[str, Field]]] = {}


def _span(event: _Event) -> Span:
    reader, level = event.reader, event.level
    inside = reader.outer is not None
    path = join_path(level.path(), event.name) if event.name else level.path()
    if event.kind == "unread" and event.error is not None:
        path = event.error.path
    declared = level.fields.get(event.name)
    absolute = None
    if declared is not None and declared.base is not None and isinstance(event.value, int):
        base = _above(level, declared.base)
        absolute = None if base is None else wrapped_int64(base + event.value)
    return Span(
        position=reader.outer if reader.outer is not None else reader.origin + event.start,
        size=event.end - event.start,
        path=path,
        value=event.value,
        inflated_position=event.start if inside else None,
        kind=event.kind,
        data=bytes(reader.data[event.start : event.end]),
        declared=declared,
        absolute=absolute,
        remark=event.remark,
        error=event.error,
    )


def _above(level: _Level | None, name: str) -> int | None:
    """The integer of that name in the enclosing structures."""
    while level is not None:
        found = getattr(level.value, name, None)
        if isinstance(found, int):
            return found
        level = level.outer
    return None


def spans_of(structure: Structure, reader: Reader, label: str, *, whole: bool = True) -> Iterator[Span]:
    """The spans of the next value of a reader; ``whole``: no bytes may follow it."""
    program = structure.program
    reader.room = reader.inflate_limit // BYTES_PER_ELEMENT
    watch = reader.observer = _Watch(label, {field.name: field for field in program.fields})
    try:
        structure.read(reader)
        if whole and reader.position < reader.limit:
            watch.level = None
            found = f"{reader.limit - reader.position} bytes"
            raise reader.fail(
                InvalidError,
                "bytes are left over",
                reader.position,
                path=program.label,
                expected="the end",
                found=found,
            )
    except DataError as error:
        error.path = label + error.path.removeprefix(program.label)
        problem = error.with_traceback(None)
        problem.__context__ = None
        watch.failed(problem, reader, reader.limit if watch.level is None else len(reader.data))
        reader.position = len(reader.data)
    return map(_span, watch.events)


def trace(
    format: Any,
    data: Any,
    *,
    source: str = "<bytes>",
    position: int = 0,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
) -> Iterator[Span]:
    """The spans of bytes that hold exactly one value; arguments as for `kformat.parse`.

    Damage is reported in spans, not raised, and checksums are verified.

    Raises:
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    structure = construct_of(format)
    reader = Reader(data, source=source, origin=position, inflate_limit=inflate_limit)
    return spans_of(structure, reader, structure.program.label)


__all__ = ["BYTES_PER_ELEMENT", "Span", "spans_of", "trace"]

"""Map bytes to fields: every byte of a value, with its position, path and value.

The codec itself (`constructs`) reads the bytes and reports to an observer; there is no second reader. So the values are
those of `kformat.parse`. Instances that are read from bytes are read, too, of all structures.

Rules:

* Spans without an `inflated_position` cover the source from the first byte to the last, without gap or overlap. Spans
  of a payload's decoded bytes (decompressed, or of a ``process``) follow the payload's own span and cover those bytes
  in the same way. So spans are in the order of bytes, not of reading.
* Bytes that are read several times belong to the field that read them first, fields before instances. Another one has
  a span with the bytes that are left for it, perhaps of size 0; more of its bytes further on are spans ``more``. An
  instance of several fields whose bytes all have been read before is one span of size 0.
* A field without bytes (null, or empty) has a span of size 0 at its position. An empty list has none, and neither has
  an absent structure or payload.
* A structure of bits that is one number is one span, whose value has the names. Other bits are a span each, with their
  places in `bits`: the first of a byte has it, those after it have none, so that no byte is reported several times.
* What nothing declares is ``unread``. If it is left over (`kformat.parse` would refuse it), the first has the error.
* Damage ends a value: the fields read so far are followed by one span ``unread`` with the typed error and the remaining
  bytes. A wrong checksum does not: its field has the error. An instance that cannot be read has a remark at its
  structure's start; no bytes are its own.

Memory is bounded by the number of a value's elements.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from kformat.codec.constructs import TypeConstruct, construct_of
from kformat.codec.leftover import found_bytes, reads_elsewhere
from kformat.codec.reader import Reader, State
from kformat.codec.values import MISSING, Value, held
from kformat.errors import DataError, InvalidError, LimitError, join_path
from kformat.integers import wrapped_int64
from kformat.language.program import MAX_NESTING, Case, Field, ReadBit, ReadList, ReadSwitch, Step, TypeProgram, Window
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

BYTES_PER_ELEMENT: Final = 512
"""An element of a list takes far more memory as spans than as bytes: it counts as so many bytes of the limit."""

_MOST_WINDOWS: Final = 64
"""So many windows before a position are looked at for the one around it."""

_ZEROS: Final = re.compile(b"\0{64,}")
"""So many zeros, and more, that belong to no field are counted, not kept."""


def zero_runs(data: Any) -> Iterator[tuple[int, int, bool]]:
    """Start, end, and whether they are all zeros, of parts of bytes that belong to no field."""
    at = 0
    for match in _ZEROS.finditer(data):
        if match.start() > at:
            yield at, match.start(), False
        yield match.start(), match.end(), True
        at = match.end()
    if at < len(data):
        yield at, len(data), False


@dataclass(slots=True)
class Span:
    """Bytes and their meaning. (Not frozen: that would take three times as long to make, and a trace is many.)

    Attributes:
        position: bytes from the start of the source. For decompressed bytes: the position of their batch.
        size: number of bytes.
        path: as in errors: ``record_batch.records[3].key``.
        value: as from `kformat.parse`; None for null and if there is none.
        inflated_position: in the decompressed bytes of the payload before; None for bytes of the source itself.
        kind: ``field``; ``more``: further bytes of a field; ``payload``: encoded, the spans of its decoded bytes
            follow; ``unread``: not a field, ``error`` says why, or nothing declares them; ``zeros``: the same, all of
            them 0.
        data: the bytes; empty for ``zeros``.
        declared: the field's declaration, for a ``field``.
        absolute: the absolute value of a delta (base plus delta), or of an index's relative offset.
        remark: additional facts, in words.
        error: what is wrong with the bytes.
        bits: of bits that are no whole number: the first, counted from the source's start (or the decoded bytes') in
            the order of reading, and how many.
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
    bits: tuple[int, int] | None = None


# --- observing the codec -------------------------------------------------------------------------------------------


class _Stream:
    """The source, or decoded bytes: all readers in it share their data. ``events`` are of its bytes."""

    __slots__ = ("events", "reader", "windows")

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.events: list[_FutureSpan] = []
        self.windows: dict[tuple[int, int], _Level] = {}
        """Start and end of the readers in it, and what they hold."""


class _Level:
    """A structure being read: its name, and the current step."""

    __slots__ = (
        "_path",
        "before",
        "bit",
        "fields",
        "label",
        "name",
        "outer",
        "reader",
        "start",
        "stream",
        "told",
        "value",
    )

    def __init__(self, outer: _Level | None, label: str, reader: Reader, value: Any, stream: _Stream) -> None:
        self.outer, self.label, self.reader, self.value, self.stream = outer, label, reader, value, stream
        self.name, self.start, self.before, self.told, self.bit = "", reader.position, 0, 0, 0
        self.fields: dict[str, Field] = {}
        self._path: str | None = None

    def path(self) -> str:
        """Its path, made once: a structure has many fields."""
        if self._path is None:
            self._path = self.label if self.outer is None else join_path(self.outer.path(), self.label)
        return self._path


@dataclass(slots=True)
class _FutureSpan:
    """A future span: its path and bytes are made on demand."""

    level: _Level
    name: str
    start: int
    end: int
    value: Any
    kind: str = "field"
    remark: str = ""
    error: DataError | None = None
    inner: _Stream | None = None
    instance: _Instance | None = None
    bits: tuple[int, int] | None = None


@dataclass(eq=False, slots=True)
class _Instance:
    """An instance that is read from bytes; ``shown``: its one span was reported, if it has no bytes of its own."""

    level: _Level
    name: str
    events: int = 0
    has_bytes: bool = False
    shown: bool = False


@dataclass(slots=True)
class _Failure:
    """Where reading ended: the stream, and the position in it."""

    error: DataError
    stream: _Stream
    position: int


class CodecWatch:
    """Observes the codec (`reader.Observer`) and records events."""

    def __init__(self, label: str, reader: Reader) -> None:
        self.label = label
        self.level: _Level | None = None
        self.root = _Stream(reader)
        self.order: list[_Stream] = []
        """The stream of each event, in the order of reading."""
        self.opened: list[tuple[_Stream, tuple[int, int]]] = []
        """The windows, likewise."""
        self.entered = 0
        self.failure: _Failure | None = None
        self.levels: dict[int, _Level] = {}
        """The level of every structure, by its id: instances are read later."""
        self.streams: dict[int, tuple[Reader, _Stream]] = {id(reader): (reader, self.root)}
        self.outside: list[tuple[_Level | None, int]] = []
        """The levels, and counts of entered structures, that reading an instance has interrupted."""
        self.reading: _Instance | None = None
        """The outermost instance that is being read."""
        self.list: tuple[Value, str] | None = None
        """The structure, and its list, whose elements are rows: they are not kept (`parser.rows`)."""
        self.index = 0
        """The index of the row that is read."""

    def stream(self, reader: Reader) -> _Stream:
        known = self.streams.get(id(reader))
        if known is not None:
            return known[1]
        level = self.level  # a window
        reader_stream = level.stream if level is not None and level.reader.data is reader.data else _Stream(reader)
        self.streams[id(reader)] = reader, reader_stream
        return reader_stream

    def tell(self, event: _FutureSpan) -> None:
        if self.reading is not None:
            event.instance = self.reading
            self.reading.events += 1
        event.level.stream.events.append(event)
        self.order.append(event.level.stream)

    def enter(self, reader: Reader, value: Any) -> None:
        self.entered += 1
        self.level = self._enter(self.level, reader, value)

    def open(self, stream: _Stream, reader: Reader, level: _Level) -> None:
        window = reader.base, reader.limit
        if window not in stream.windows:
            self.opened.append((stream, window))
        stream.windows[window] = level

    def next_index(self, level: _Level, is_stored: bool = False, name: str | None = None) -> int | None:
        """The index in its list of what a level's step reads, which is stored after it is read; None: no list."""
        name = level.name if name is None else name
        if self.list is not None and self.list[1] == name and self.list[0] is level.value:
            return self.index
        there = held(level.value, name)
        return len(there) - is_stored if isinstance(there, list) else None

    def step(self, name: str, reader: Reader) -> None:
        level = self.level
        assert level is not None
        level.name, level.start, level.before = name, reader.position, self.entered
        level.told, level.bit = self.entered, 8 * reader.position - reader.bits_left

    def done(self) -> None:
        level = self.level
        assert level is not None
        if self.entered == level.before:
            self._leaf(level)
        level.before = -1

    def leaf(self, name: str, start: int, end: int, value: Any) -> None:
        level = self.level
        assert level is not None
        level.before = -1  # where reading fails next, this step has been reported
        if name in level.fields:
            self.tell(_FutureSpan(level, name, start, end, value))

    def element(self, reader: Reader, start: int, value: Any) -> None:
        outer = self.level
        assert outer is not None
        has_told = self.entered != outer.told
        self.entered += 1
        outer.told = self.entered
        if has_told and isinstance(value, Value):  # the structure has said what is in it
            return
        step = _bits(type(outer.value)).get(outer.name)
        bits = None
        if step is not None:
            end = 8 * reader.position - reader.bits_left
            first = outer.bit if step.width is None else end - step.width
            bits, outer.bit = (first, end - first), end
        if reader.position > start or bits is not None:
            index = self.next_index(outer, True)
            level = _Level(outer, f"{outer.name}[{index}]", reader, value, outer.stream)
            level.fields = {"": outer.fields[outer.name]} if outer.name in outer.fields else {}
            self.tell(_FutureSpan(level, "", start, reader.position, value, bits=bits))

    def leave(self) -> None:
        assert self.level is not None
        self.level = self.level.outer

    def _enter(self, outer: _Level | None, reader: Reader, value: Any) -> _Level:
        stream = self.stream(reader)
        if outer is None:
            level = _Level(None, self.label, reader, value, stream)
        elif outer.value is value:  # a window around some of the steps
            level = _Level(outer, "", reader, value, stream)
            level.fields, level.name = outer.fields, outer.name
            self.open(stream, reader, level)
            return level
        else:
            index = self.next_index(outer)
            label = outer.name if index is None else f"{outer.name}[{index}]"
            level = _Level(outer, label, reader, value, stream)
        if isinstance(value, Value):
            level.fields = _fields(type(value))
            self.levels[id(value)] = level
        if outer is None or outer.reader is not reader or outer.label == "":
            self.open(stream, reader, level)
        return level

    def _leaf(self, level: _Level) -> None:
        """A step without nested steps is done."""
        name, start, end, bits = level.name, level.start, level.reader.position, None
        if name == "":  # bits by themselves, or an empty window
            value = getattr(level.value, "_element", level.value)
            if end == start or (isinstance(value, Value) and not value._type.bits):
                return
        elif name not in level.fields:  # the check that nothing follows
            return
        else:
            value = held(level.value, name)
            step = _bits(type(level.value)).get(name)
            # A field without bytes is null or empty, or bits of a byte that an earlier field has. Any other number has
            # bytes: this is the check of a checksum.
            has_bytes = isinstance(value, list | int) or (isinstance(value, bytes) and value != b"")
            if value is MISSING or (end == start and has_bytes and step is None):
                return
            if step is not None and isinstance(value, int):
                last = 8 * end - level.reader.bits_left
                first = level.bit if step.width is None else last - step.width
                bits = first, last - first
                start = min(start, first // 8)
        self.tell(_FutureSpan(level, name, start, end, value, bits=bits))

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None:
        self.payload(reader, position, name, inner, f"inflates to {inner.limit} bytes")

    def decoded(self, reader: Reader, position: int, name: str, inner: Reader, process: str) -> None:
        self.payload(reader, position, name, inner, f"{process}: {inner.limit} bytes")

    def payload(self, reader: Reader, position: int, name: str, inner: Reader, remark: str) -> None:
        level = self.level
        assert level is not None
        self.entered += 1
        inner.room = min(inner.inflate_limit // BYTES_PER_ELEMENT, inner.room or 0)
        stream = _Stream(inner)
        self.streams[id(inner)] = inner, stream
        index = self.next_index(level, name=name)
        if index is not None:
            name += f"[{index}]"
        event = _FutureSpan(level, name, position, reader.position, None, "payload", remark, inner=stream)
        self.tell(event)

    def trimmed(self, name: str, start: int, end: int) -> None:
        level = self.level
        assert level is not None
        if start < end:
            event = _FutureSpan(level, name, start, end, None, "more", "terminator or padding")
            self.tell(event)

    def verified(self, name: str, error: DataError | None) -> None:
        level = self.level
        assert level is not None
        path, last = join_path(level.path(), name), name.rpartition(".")[2]
        for event in reversed(level.stream.events):
            if event.name == last and join_path(event.level.path(), last) == path:
                event.remark, event.error = ("is that of the bytes" if error is None else ""), error
                break
        if error is not None:
            error.path = path

    # instances

    def instance(self, value: Any, name: str, reader: Reader) -> None:
        owner = self.levels.get(id(value))
        self.outside.append((self.level, self.entered))
        level = _Level(None, self.label, reader, value, self.stream(reader))
        if owner is not None:
            level.outer, level.label = owner.outer, owner.label
        level.fields = {item.field.name: item.field for item in type(value)._type.instances}
        self.level = level
        if len(self.outside) == 1:
            self.reading = _Instance(level, name)

    def returned(self) -> None:
        self.level, self.entered = self.outside.pop()
        if not self.outside:
            self.reading = None

    def read_instances(self, root: Value) -> None:
        """Read the instances of all structures, in the order of their fields; of several structures of one type that
        were read from the same place only those of the first. An instance that cannot be read is a remark.
        """
        pending: list[tuple[Any, int]] = [(root, 0)]
        seen: set[int | tuple[int, int, int, TypeProgram]] = set()
        while pending:
            value, depth = pending.pop()
            if isinstance(value, list):
                pending += [(item, depth) for item in reversed(value) if isinstance(item, Value | list)]
            elif isinstance(value, Value) and id(value) not in seen:
                seen.add(id(value))
                parts = [(held(value, name), depth) for name in value._fields]
                level = self.levels.get(id(value))
                if level is not None and depth < MAX_NESTING:
                    place = id(level.stream), level.start, level.reader.limit, value._type
                    if place not in seen:
                        for instance in value._type.instances:
                            if instance.value is None:
                                parts.append((self._instance(value, instance.field.name, level), depth + 1))
                    seen.add(place)
                pending += reversed(parts)

    def _instance(self, value: Value, name: str, level: _Level) -> Any:
        before, opened = len(self.order), len(self.opened)
        try:
            return getattr(value, name)
        except LimitError:
            raise
        except DataError as error:
            self.forget(before, opened)
            self.tell(_FutureSpan(level, name, level.start, level.start, None, remark="cannot be read", error=error))
            return None

    # rows, which are not kept: see `parser.rows`

    def list_begins(self, name: str, reader: Reader) -> None:
        """A list of rows, or what has it, begins."""
        self.step(name, reader)
        self.entered += 1  # so that it is no leaf

    def row(self, holder: Value, name: str, index: int, reader: Reader) -> None:
        """A row of a list begins."""
        self.step(name, reader)
        self.list, self.index = (holder, name), index
        reader.room = reader.inflate_limit // BYTES_PER_ELEMENT

    def mark(self) -> tuple[Any, ...]:
        """What `take_back` goes back to."""
        return len(self.order), len(self.opened), self.level, self.entered, len(self.outside), self.reading

    def take_back(self, mark: tuple[Any, ...]) -> None:
        """Forget what was reported since a mark: it is read again."""
        order, opened, self.level, self.entered, outside, self.reading = mark
        self.forget(order, opened)
        del self.outside[outside:]

    def forget(self, order: int, opened: int) -> None:
        """Forget the events, and the windows, after so many."""
        while len(self.order) > order:
            self.order.pop().events.pop()
        while len(self.opened) > opened:
            stream, window = self.opened.pop()
            stream.windows.pop(window, None)

    # the end

    def failed(self, error: DataError, reader: Reader) -> None:
        """Reading failed: report the step's bytes, if it took any, and where it was."""
        level = self.level
        if level is not None and self.entered == level.before:
            self._leaf(level)
        where, inside = (reader, self.root) if level is None else (level.reader, level.stream)
        position = error.inflated_position if where.outer is not None else None
        if position is None:
            position = (error.position or 0) - where.origin if where.outer is None else where.position
        self.failure = _Failure(error, inside, position)


@dataclass(frozen=True, slots=True)
class _Bits:
    width: int | None


_BITS: Final[dict[type[Value], dict[str, _Bits]]] = {}
_FIELDS: Final[dict[type[Value], dict[str, Field]]] = {}


def _bits(kind: type[Value]) -> dict[str, _Bits]:
    """The fields and instances that are bits, with their widths; None where a switch chooses the width."""
    bits = _BITS.get(kind)
    if bits is None:
        program, bits = kind._type, {}
        _BITS[kind] = bits
        for steps in (program.steps, *(instance.steps for instance in program.instances)):
            for step in steps:
                _bits_of(step, bits)
    return bits


def _bits_of(step: Step | Case, bits: dict[str, _Bits], is_chosen: bool = False) -> None:
    match step:
        case ReadBit():
            bits[step.name] = _Bits(None if is_chosen else step.width)
        case ReadList():
            _bits_of(step.element, bits, is_chosen)
        case ReadSwitch():
            for case in step.cases:
                for inner in case.steps:
                    _bits_of(inner, bits, True)
        case Window():
            for inner in step.steps:
                _bits_of(inner, bits, is_chosen)


def _fields(kind: type[Value]) -> dict[str, Field]:
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = {field.name: field for field in kind._type.fields}
    return fields


# --- events to spans -----------------------------------------------------------------------------------------------


def _span(event: _FutureSpan, start: int, end: int, kind: str = "") -> Span:
    """The span of an event's bytes, or of a part of them."""
    level = event.level
    declared = level.fields.get(event.name)
    absolute = None
    if declared is not None and declared.base is not None and isinstance(event.value, int):
        base = _above(level, declared.base)
        absolute = None if base is None else wrapped_int64(base + event.value)
    path = f"{level.path()}.{event.name}" if event.name else level.path()
    reader, bits = level.stream.reader, event.bits
    if bits is not None:
        bits = bits[0] + 8 * reader.origin, bits[1]
    return Span(
        reader.origin + start if reader.outer is None else reader.outer,
        end - start,
        path,
        event.value,
        None if reader.outer is None else start,
        kind or event.kind,
        bytes(reader.data[start:end]),
        declared,
        absolute,
        event.remark,
        event.error,
        bits,
    )


def _bytes(reader: Reader, start: int, end: int, kind: str, path: str) -> Span:
    inside = reader.outer is not None
    return Span(
        position=reader.outer if reader.outer is not None else reader.origin + start,
        size=end - start,
        path=path,
        inflated_position=start if inside else None,
        kind=kind,
        data=bytes(reader.data[start:end]),
    )


def _above(level: _Level | None, name: str) -> int | None:
    """The integer of that name in the enclosing structures."""
    while level is not None:
        value = getattr(level.value, name, None)
        if isinstance(value, int):
            return value
        level = level.outer
    return None


@dataclass(slots=True)
class _Cover:
    """The parts of a stream that events have, in order; most follow each other."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def take(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of these bytes that no event has yet, and mark them as covered."""
        if start >= end:
            return []
        if not self.ends or start >= self.ends[-1]:
            free = [(start, end)]
        else:
            free, at = [], start
            index = bisect_right(self.ends, start)
            while index < len(self.starts) and self.starts[index] < end:
                if at < self.starts[index]:
                    free.append((at, self.starts[index]))
                at = max(at, self.ends[index])
                index += 1
            if at < end:
                free.append((at, end))
        for first, last in free:
            self._add(first, last)
        return free

    def _add(self, start: int, end: int) -> None:
        index = bisect_right(self.starts, start)
        if index and self.ends[index - 1] == start:
            self.ends[index - 1] = end
            index -= 1
        else:
            self.starts.insert(index, start)
            self.ends.insert(index, end)
        if index + 1 < len(self.starts) and self.starts[index + 1] == end:
            self.ends[index] = self.ends.pop(index + 1)
            del self.starts[index + 1]


class Telling:
    """The spans of a watched value, in the order of its bytes."""

    def __init__(self, watch: CodecWatch, end: int, leftover: str, program: TypeProgram) -> None:
        self.watch, self.end, self.leftover, self.program = watch, end, leftover, program
        self.failure = watch.failure
        self.beyond = 0
        """Bytes of the source after ``end``."""

    def spans(self) -> Iterator[Span]:
        yield from self.stream(self.watch.root, self.watch.root.reader.start, self.end)

    def stream(self, stream: _Stream, start: int, end: int) -> Iterator[Span]:
        at = start
        for event in stream.events:
            if event.start < at or event.end > end or event.instance is not None or event.bits is not None:
                break
            at = event.end
        else:  # as most are: one after the other
            yield from self._in_order(stream, start, end)
            return
        cover = _Cover()
        parts: list[tuple[int, int, _FutureSpan, bool]] = []
        for event in stream.events:
            free = cover.take(max(event.start, start), min(event.end, end))
            if event.instance is not None and (free or event.inner is not None):
                event.instance.has_bytes = True
            if free and (free[0][0] == event.start or event.bits is not None):
                parts.append((*free.pop(0), event, False))
            else:
                parts.append((event.start, event.start, event, False))
            parts += [(*part, event, True) for part in free]
        parts.sort(key=lambda part: part[0])
        at = start
        for first, last, event, is_more in parts:
            if first > at and last > first:
                yield from self.gap(stream, at, min(first, end))
            again = event.instance
            if again is not None and again.events > 1 and not again.has_bytes:
                if not again.shown and event.end > event.start:
                    again.shown = True
                    path = join_path(again.level.path(), again.name)
                    span = _bytes(stream.reader, first, first, "field", path)
                    yield replace(span, remark="the same bytes, read again")
            elif is_more:
                yield replace(_span(event, first, last, "more"), value=None, error=None)
            else:
                yield _span(event, first, last)
            if event.inner is not None and not is_more:
                yield from self.stream(event.inner, 0, len(event.inner.reader.data))
            at = max(at, last)
        yield from self._ended(stream, at, end)

    def _in_order(self, stream: _Stream, start: int, end: int) -> Iterator[Span]:
        """As `stream`, of events that follow each other and share no bytes."""
        at = start
        for event in stream.events:
            if event.start > at and event.end > event.start:
                yield from self.gap(stream, at, event.start)
            yield _span(event, event.start, event.end)
            if event.inner is not None:
                yield from self.stream(event.inner, 0, len(event.inner.reader.data))
            at = event.end if event.end > event.start else at
        yield from self._ended(stream, at, end)

    def _ended(self, stream: _Stream, at: int, end: int) -> Iterator[Span]:
        yield from self.gap(stream, at, end)
        failure = self.failure
        if failure is not None and failure.stream is stream:
            self.failure = None
            yield replace(_bytes(stream.reader, end, end, "unread", failure.error.path), error=failure.error)

    def gap(self, stream: _Stream, start: int, end: int) -> Iterator[Span]:
        """Bytes that nothing has read, cut where windows begin and end, and where reading failed."""
        if start >= end:
            return
        cuts = sorted({place for window in stream.windows for place in window})
        windows = sorted(
            ((first, last, level) for (first, last), level in stream.windows.items()), key=lambda it: (it[0], -it[1])
        )
        while start < end:
            index = bisect_right(cuts, start)
            stop = min(end, cuts[index]) if index < len(cuts) else end
            failure = self.failure
            if failure is not None and failure.stream is stream and start < failure.position < stop:
                stop = failure.position
            error, path = None, self.owner(windows, start)
            if failure is not None and failure.stream is stream and failure.position <= start:
                error, path, self.failure = failure.error, failure.error.path, None
            elif self.leftover and self.watch.failure is None:
                more = {
                    "path": path,
                    "expected": "the end",
                    "found": found_bytes(stop - start + self.beyond, self.program),
                }
                error, self.leftover = stream.reader.fail(InvalidError, "bytes are left over", start, **more), ""
            remark = "" if self.watch.failure is not None else "not declared"
            for first, last, is_zero in (
                zero_runs(stream.reader.data[start:stop]) if remark else [(0, stop - start, False)]
            ):
                span = _bytes(stream.reader, start + first, start + last, "zeros" if is_zero else "unread", path)
                yield replace(span, error=error, remark=remark, data=b"" if is_zero else span.data)
                error = None
            start = stop

    def owner(self, windows: list[tuple[int, int, _Level]], start: int) -> str:
        """The path of what is in the smallest window around a position."""
        index = bisect_right(windows, start, key=lambda window: window[0])
        for _, last, level in reversed(windows[max(0, index - _MOST_WINDOWS) : index]):
            if start < last:
                return join_path(level.path(), level.name) if level.label == "" else level.path()
        return self.watch.label


def spans_of(
    structure: TypeConstruct,
    reader: Reader,
    label: str,
    *,
    whole: bool = True,
    trailing: Literal["error", "keep"] = "error",
) -> Iterator[Span]:
    """The spans of the next value of a reader; ``whole``: no bytes may follow it, unless ``trailing`` keeps them."""
    program, start = structure.program, reader.position
    watch = _watched(structure, reader, label, "keep")  # so that left-over bytes end nothing
    if watch.failure is not None and trailing == "error" and program.keeps_context:
        reader.align()
        reader.position, reader.covered = start, None
        reader.state = State(len(reader.data), trailing)
        watch = _watched(structure, reader, label, trailing)
    if whole or watch.failure is not None:
        reader.position = len(reader.data)
    return Telling(watch, reader.position, "" if trailing == "keep" else label, program).spans()


def _watched(structure: TypeConstruct, reader: Reader, label: str, trailing: Literal["error", "keep"]) -> CodecWatch:
    """Parse a value with that ``trailing``, and record its events and its failure."""
    program = structure.program
    reader.room = reader.inflate_limit // BYTES_PER_ELEMENT
    reader.state.trailing = trailing
    watch = reader.observer = CodecWatch(label, reader)
    try:
        value = structure.read(reader)
        watch.level = None
        if reads_elsewhere(program):
            end = reader.position
            watch.read_instances(value)
            reader.position = end
    except DataError as error:
        error.path = label + error.path.removeprefix(program.label)
        problem = error.with_traceback(None)
        problem.__context__ = None
        watch.failed(problem, reader)
    return watch


def trace(
    format: Any,
    data: Any,
    *,
    source: str = "<bytes>",
    position: int = 0,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    trailing: Literal["error", "keep"] = "error",
) -> Iterator[Span]:
    """The spans of bytes that hold exactly one value; arguments as for `kformat.parse`.

    Damage is reported in spans, not raised, and checksums are verified.

    Raises:
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    structure = construct_of(format)
    reader = Reader(data, source=source, origin=position, inflate_limit=inflate_limit)
    return spans_of(structure, reader, structure.program.label, trailing=trailing)


__all__ = ["BYTES_PER_ELEMENT", "Span", "spans_of", "trace", "zero_runs"]

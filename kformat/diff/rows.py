"""The differences of two files of one declared format whose rows are read one after the other, a few rows at a time.

Rows are aligned by key fields; by their indices; or so that as many as possible within a window are equal. Rows of the
same bytes are not looked at again, and those that differ are traced, so that each difference has its position.
What is around the rows is compared when the rows begin, and at the end.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import eq
from typing import Any, Final, Literal, NamedTuple

from kformat.codec.row_trace import RowTrace, TracedPart
from kformat.codec.trace import Span
from kformat.codec.values import MISSING, Value, asked
from kformat.columns.rows import Rows, depends_on_its_context, holder_of
from kformat.columns.scanning import MOST_HELD
from kformat.diff.fields import KEYS, Difference, OneSided, compare_values, same
from kformat.errors import DataError, UsageError
from kformat.language.program import TypeProgram
from kformat.storage.byte_source import ByteSource

Align = Literal["rows", "index"]
UNDECLARED: Final = " (not declared)"
_WINDOW: Final = 32
"""So many rows of each side are looked at for equal ones."""
_SURE: Final = 4
"""After so many equal rows the ones before them are taken for the same rows, changed."""
_MOST_PENDING: Final = 4096
"""So many rows of a side wait for the row with their key."""
_MOST_TOGETHER: Final = 100
"""So many rows that one side alone has are one difference."""


class Tell(NamedTuple):
    """How differences are made: of a value that changed, by its path; of elements of one side; of damage in a side."""

    changed: Callable[[str, Any, Any], Iterator[Difference]]
    one_sided: Callable[[OneSided], Iterator[Difference]]
    damaged: Callable[[int, DataError], Difference]
    ignored: Callable[[str], bool]


@dataclass(slots=True, eq=False)
class _SideRow:
    """A row of one side: ``data`` are its bytes, ``spans`` None where it was not traced."""

    index: int
    path: str
    value: Any
    data: bytes
    spans: list[Span] | None
    part: TracedPart
    key: Any = None


_Pending = tuple[dict[Any, _SideRow], dict[Any, _SideRow]]
"""The rows of both sides that wait for their key."""


class _Side:
    """The rows of one side: ``ahead`` were read, and are not compared yet; all but a single one are traced."""

    def __init__(
        self, number: int, source: ByteSource, rows: Rows, limit: int, trailing: Literal["error", "keep"]
    ) -> None:
        self.number, self.source = number, source
        how: dict[str, Any] = {"most_held": MOST_HELD, "inflate_limit": limit, "trailing": trailing}
        self.trace = RowTrace(source, rows.root, rows.path, **how)
        self.trace.traces = False
        self.with_places = rows.root.keeps_context
        self.parts = self.trace.parts()
        self.ahead = deque[_SideRow]()
        self.places = Places()
        """Of what is around the rows."""
        self.damage = list[DataError]()
        """What is wrong, not reported yet."""
        self.is_damaged = self.is_done = self.has_begun = False

    def begin(self) -> None:
        """Read what is before the rows, and the first row."""
        row = self._next()
        if row is not None:
            self.ahead.append(row)
        self.has_begun = True

    def head(self) -> _SideRow | None:
        """The next row; None at the end."""
        if not self.ahead:
            self.look_ahead(1)
        return self.ahead[0] if self.ahead else None

    def look_ahead(self, count: int) -> None:
        """Read until so many rows are ahead. All but a single one are traced."""
        while len(self.ahead) < count and (row := self._next()) is not None:
            if self.ahead or count > 1:
                self.traced(row)
            self.ahead.append(row)

    def traced(self, row: _SideRow) -> None:
        """Trace a row, if it is the last one that was read and was not traced."""
        if row.spans is None and self.with_places:
            row.spans = self.trace.again(row.part)

    def _next(self) -> _SideRow | None:
        for part in self.parts:
            if part.index < 0:
                self._around(part.spans or ())
                continue
            spans = None if part.spans is None else list(part.spans)
            return _SideRow(part.index, part.path, part.value, self.trace.bytes_of(part), spans, part)
        if not self.is_done:
            self.is_done = True
            if self.trace.problem is not None and self.trace.problem not in self.damage:
                self.damage.append(self.trace.problem)
        return None

    def _around(self, spans: Iterable[Span]) -> None:
        for span in spans:
            if span.error is not None:
                self.damage.append(span.error)
            self.places.note(span)

    def taken_damage(self) -> list[DataError]:
        """The damage that was not reported."""
        damage, self.damage = self.damage, []
        self.is_damaged = self.is_damaged or bool(damage)
        return damage


class Places:
    """The positions of values, by path, and the bytes that nothing declares, by path and number.

    Args:
        wanted: what the paths of the values begin with whose positions are kept.
    """

    def __init__(self, wanted: tuple[str, ...] = ("",)) -> None:
        self.positions: dict[str, int | None] = {}
        self.undeclared: dict[tuple[str, int], Span] = {}
        self._wanted, self._counts = wanted, Counter[str]()

    def note(self, span: Span) -> None:
        """Keep a span's position, or its bytes if nothing declares them."""
        if span.kind in ("unread", "zeros"):
            data = bytes(span.size) if span.kind == "zeros" else span.data
            self.undeclared[span.path, self._counts[span.path]] = replace(span, data=data)
            self._counts[span.path] += 1
        elif span.kind != "more" and span.path.startswith(self._wanted):
            self.positions.setdefault(span.path, place(span))


def undeclared_differences(path: str, first: Places, second: Places, tell: Tell) -> Iterator[list[Difference]]:
    """Of each run of bytes that nothing declares and that differs what is reported, with ``path`` in front of its own;
    a position is None where one side has no such bytes.
    """
    for here, number in {**first.undeclared, **second.undeclared}:
        x, y = (places.undeclared.get((here, number)) for places in (first, second))
        mine, other = (b"" if span is None else span.data for span in (x, y))
        if mine != other:
            a_position, b_position = (None if span is None else place(span) for span in (x, y))
            yield [
                replace(difference, a_position=a_position, b_position=b_position)
                for difference in tell.changed(path + here + UNDECLARED, mine, other)
            ]


def place(span: Span) -> int | None:
    """The position of a span in its file; None in decoded bytes."""
    return span.position if span.inflated_position is None else None


@dataclass
class RowDifferences:
    """The differences of two files; ``seen`` says whether there is one, ``is_damaged`` whether a file is damaged.

    Args:
        sources, rows: the two files, and what their rows are.
        tell: what makes differences.
        key: fields of a row by which rows are aligned. align: how they are aligned without.
        limit, trailing: as for `kformat.diff`.
    """

    sources: Sequence[ByteSource]
    rows: Rows
    tell: Tell
    limit: int
    trailing: Literal["error", "keep"]
    key: tuple[str, ...] = ()
    align: Align = "rows"
    seen: bool = False
    only: OneSided | None = None
    only_position: int | None = None
    told: set[str] = field(default_factory=set)
    """The paths of the differences around the rows that were reported when the rows began."""
    same_around: bool = True
    """Whether rows of the same bytes have the same values, whatever is before them."""

    is_told: bool = False
    """Whether there is a difference between rows, though it may be ignored."""
    has_moved: bool = False
    """Whether rows of the same key are in another order."""

    def __iter__(self) -> Iterator[Difference]:
        for difference in self._all():
            self.seen = True
            yield difference
        if not self.seen and not self.is_told and not self.told:
            words = "the same rows in another order" if self.has_moved else "the same values in other bytes"
            yield Difference("encoding", "", self.rows.root.label, None, None, words)

    def _all(self) -> Iterator[Difference]:
        key = key_of(self.rows.type, self.key) if self.key else None
        sides = [
            _Side(number, source, self.rows, self.limit, self.trailing) for number, source in enumerate(self.sources)
        ]
        self.sides = sides
        for side in sides:
            side.begin()
        yield from self._around(at_the_end=False)
        yield from self._keyed(key) if key is not None else self._in_order()
        yield from self._ended()
        yield from self._around(at_the_end=True)

    # around the rows

    def _around(self, at_the_end: bool) -> Iterator[Difference]:
        """The differences of what is around the rows, as far as it was read; each once."""
        a, b = self.sides
        yield from self._damage()
        if a.trace.root is None or b.trace.root is None:
            return
        is_partial = a.is_damaged or b.is_damaged
        how: dict[str, Any] = {"partial": is_partial or not at_the_end, "ignored": self.tell.ignored}
        differences = compare_values(self.rows.root.label, a.trace.root, b.trace.root, keeps=True, **how)
        follows = self._counts() if not at_the_end or self.is_told else set()
        for entry in differences.told:
            path = entry.path if isinstance(entry, OneSided) else entry[0]
            if path in self.told or path in follows:
                continue
            self.told.add(path)
            self.same_around = self.same_around and not depends_on_its_context(self.rows)
            if isinstance(entry, OneSided):
                yield from self.tell.one_sided(entry)
            else:
                for difference in self.tell.changed(*entry):
                    yield self._placed(difference, a.places.positions.get(path), b.places.positions.get(path))
        if at_the_end and not is_partial and a.with_places:
            yield from self._undeclared("", a.places, b.places)

    def _counts(self) -> set[str]:
        """The paths of lengths and counts next to the rows, which follow from them."""
        root, holder = self.rows.root, holder_of(self.rows)
        inner = ".".join((root.label, *self.rows.path[:-1]))
        named = [(root.label, root), *([(inner, holder)] if holder is not None else [])]
        return {f"{path}.{field.name}" for path, program in named for field in program.fields if field.computed}

    def _placed(self, difference: Difference, first: int | None, second: int | None) -> Difference:
        return replace(difference, a_position=first, b_position=second)

    def _undeclared(self, path: str, first: Places, second: Places) -> Iterator[Difference]:
        for differences in undeclared_differences(path, first, second, self.tell):
            self.is_told = True
            yield from differences

    def _damage(self) -> Iterator[Difference]:
        for side in self.sides:
            for error in side.taken_damage():
                yield self.tell.damaged(side.number, error)

    # rows in their order

    def _in_order(self) -> Iterator[Difference]:
        a, b = self.sides
        while (x := a.head()) is not None and (y := b.head()) is not None:
            if x.data == y.data and (self.same_around or not self._differ(x, y)):
                a.ahead.popleft()
                b.ahead.popleft()
                continue
            a.traced(x)
            b.traced(y)
            changed, first, second = self._next_equal()
            for _ in range(changed):
                yield from self._pair(a.ahead.popleft(), b.ahead.popleft())
            for side, count in ((a, first), (b, second)):
                for _ in range(count):
                    yield from self._one_side(side, side.ahead.popleft())
        for side, other in ((a, b), (b, a)):
            while (row := side.head()) is not None and not other.trace.problem:
                yield from self._one_side(side, row)
                side.ahead.popleft()
            while side.head() is not None:  # the other side ended in damage: nothing is known of these rows
                side.ahead.clear()

    def _next_equal(self) -> tuple[int, int, int]:
        """How many of the next rows are the same ones, changed; and how many after them one side alone has."""
        a, b = self.sides
        if self.align == "index" or not self.same_around:
            return 1, 0, 0
        for side in (a, b):
            side.look_ahead(_SURE + 1)
        pairs = zip(list(a.ahead)[1 : _SURE + 1], list(b.ahead)[1 : _SURE + 1], strict=False)
        if len(a.ahead) > _SURE and len(b.ahead) > _SURE and all(x.data == y.data for x, y in pairs):
            return 1, 0, 0
        for side in (a, b):
            side.look_ahead(_WINDOW)
        rows = [[row.data for row in side.ahead] for side in (a, b)]
        most = sum((Counter(rows[0]) & Counter(rows[1])).values())
        if sum(map(eq, *rows)) == most:  # as they are, as many are equal as in any other order
            return 1, 0, 0
        first, second = first_equal(*rows)
        changed = min(first, second)
        return changed, first - changed, second - changed

    def _pair(self, x: _SideRow, y: _SideRow, name: str = "") -> Iterator[Difference]:
        """The differences of two rows that are the same one, changed."""
        yield from self._ended()
        if x.data == y.data and self.same_around:
            return
        a, b = self.sides
        for side, row in ((a, x), (b, y)):
            side.damage += (span.error for span in row.spans or () if span.error is not None)
        has_damage = bool(a.damage or b.damage)
        yield from self._damage()
        label = name or (str(x.index) if x.index == y.index else f"{x.index}/{y.index}")
        path = f"{self.rows.whole_path}[{label}]"
        for entry in self._compared(path, x, y, has_damage):
            self.is_told = True
            if isinstance(entry, OneSided):
                yield from self.tell.one_sided(entry)
                continue
            below = entry[0][len(path) :]
            for difference in self.tell.changed(*entry):
                yield self._placed(difference, _position(x, below), _position(y, below))
        if not has_damage:
            yield from self._undeclared(path, *(_undeclared_in(row) for row in (x, y)))

    def _compared(self, path: str, x: _SideRow, y: _SideRow, partial: bool) -> list[Any]:
        if not (isinstance(x.value, Value) and isinstance(y.value, Value) and x.value._type == y.value._type):
            return [] if same(x.value, y.value) else [(path, x.value, y.value)]
        a, b = self.sides
        within = ((a.trace.holder, b.trace.holder), (a.trace.root, b.trace.root))
        how: dict[str, Any] = {"partial": partial, "ignored": self.tell.ignored, "within": within, "keeps": True}
        differences = compare_values(path, x.value, y.value, **how)
        return differences.told or differences.computed

    def _differ(self, x: _SideRow, y: _SideRow) -> bool:
        """Whether rows of the same bytes have different values, since what is before the rows differs."""
        return bool(self._compared("", x, y, False))

    def _one_side(self, side: _Side, row: _SideRow) -> Iterator[Difference]:
        """A row that one side alone has; those that follow each other are one difference."""
        self.is_told = True
        side.traced(row)
        side.damage += (span.error for span in row.spans or () if span.error is not None)
        if side.damage:
            yield from self._ended()
            yield from self._damage()
        key: Any = row.index if row.key is None else ", ".join(map(str, row.key))
        only = self.only
        follows = only is not None and only.side == side.number and only.count < _MOST_TOGETHER
        if only is not None and follows and (row.key is not None or only.found[-1] == row.index - 1):
            only.and_also(key, row.value)
            return
        yield from self._ended()
        label = ", ".join(self.key) if row.key is not None else ""
        self.only = OneSided(side.number, self.rows.whole_path, label, [key], values=[row.value])
        self.only_position = row.part.position

    def _ended(self) -> Iterator[Difference]:
        """The rows of one side that were noted."""
        if self.only is not None:
            only, self.only = self.only, None
            places = (self.only_position, None) if only.side == 0 else (None, self.only_position)
            for difference in self.tell.one_sided(only):
                yield self._placed(difference, *places)

    # rows by their keys

    def _keyed(self, key: Callable[[Any], Any]) -> Iterator[Difference]:
        pending: _Pending = ({}, {})
        a, b = self.sides
        while True:
            x, y = a.head(), b.head()
            if x is None and y is None:
                break
            for side, row in ((a, x), (b, y)):
                if row is not None:
                    side.ahead.popleft()
                    row.key = key(row.value)
            if (
                x is not None
                and y is not None
                and x.key == y.key
                and x.key not in pending[0]
                and x.key not in pending[1]
            ):
                yield from self._same_key(x, y)
                continue
            for side, row in ((a, x), (b, y)):
                if row is not None:
                    yield from self._meets(side, row, pending)
        for side, rows in zip(self.sides, pending, strict=True):
            if not self.sides[1 - side.number].trace.problem:
                for row in rows.values():
                    yield from self._one_side(side, row)

    def _meets(self, side: _Side, row: _SideRow, pending: _Pending) -> Iterator[Difference]:
        """Compare a row with that of its key, if the other side had it, or let it wait."""
        other = pending[1 - side.number].pop(row.key, None)
        side.traced(row)
        if other is not None:
            self.has_moved = True
            yield from self._same_key(*((row, other) if side.number == 0 else (other, row)))
            return
        waiting = pending[side.number]
        before = waiting.pop(row.key, None)
        if before is not None:  # the key is there twice
            yield from self._one_side(side, before)
        waiting[row.key] = row
        if len(waiting) > _MOST_PENDING:
            yield from self._one_side(side, waiting.pop(next(iter(waiting))))

    def _same_key(self, x: _SideRow, y: _SideRow) -> Iterator[Difference]:
        if x.data == y.data and (self.same_around or not self._differ(x, y)):
            return
        for side, row in zip(self.sides, (x, y), strict=True):
            side.traced(row)
        yield from self._pair(x, y, f"{', '.join(self.key)}={', '.join(map(str, x.key))}")


def _position(row: _SideRow, below: str) -> int | None:
    """The position of what is at a path below a row: of a field, or of the first one in a structure."""
    path = row.path + below
    fields = [span for span in row.spans or () if span.kind in ("field", "payload")]
    exact = next((span for span in fields if span.path == path), None)
    found = exact or next((span for span in fields if span.path.startswith((f"{path}.", f"{path}["))), None)
    return None if found is None else place(found)


def _undeclared_in(row: _SideRow) -> Places:
    places = Places()
    for span in row.spans or ():
        if span.kind in ("unread", "zeros"):
            places.note(replace(span, path=span.path[len(row.path) :]))
    return places


def first_equal(a: Sequence[bytes], b: Sequence[bytes]) -> tuple[int, int]:
    """The first two items that are the same where as many as possible are, in their order; of none, the second ones."""
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of the longest common subsequence from there on
    for i in range(len(a) - 1, -1, -1):
        item, row, below = a[i], lengths[i], lengths[i + 1]
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if item == b[j] else max(below[j], row[j + 1])
    i = j = 0
    if not lengths[0][0]:
        return 1, 1
    while a[i] != b[j]:
        if lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return i, j


def has_key(rows: Rows) -> bool:
    """Whether `fields.KEYS` has the key of the rows."""
    holder = holder_of(rows)
    return holder is not None and (holder.name, rows.path[-1]) in KEYS


def _require_path(type: TypeProgram, name: str) -> None:
    """Raise UsageError for a path that no value of a type has; what a switch chooses may have any."""
    program: TypeProgram | None = type
    for part in name.split("."):
        if program is None:
            raise UsageError(f"{type.label}: {name!r:.100} is no field: {part!r} is within a plain value")
        fields = [*program.fields, *(instance.field for instance in program.instances)]
        field = next((field for field in fields if field.name == part), None)
        if field is None:
            there = ", ".join(field.name for field in fields)
            raise UsageError(f"{program.label} has no field {part!r:.100}; there are {there}")
        if field.kind == "any":
            return
        program = field.type


def key_of(type: TypeProgram, names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """The function that gives the key of a row: the values of these fields, by paths.

    Raises UsageError for a name that the row does not have.
    """
    for name in names:
        _require_path(type, name)

    def value_at(row: Any, path: list[str]) -> Any:
        value: Any = row
        for name in path:
            value = asked(value, name) if isinstance(value, Value) else MISSING
        if value != value:
            return "NaN"
        return value if isinstance(value, int | float | str | bytes | None) else repr(value)

    paths = [name.split(".") for name in names]
    return lambda row: tuple(value_at(row, path) for path in paths)


__all__ = [
    "UNDECLARED",
    "Align",
    "RowDifferences",
    "Tell",
    "has_key",
    "key_of",
    "undeclared_differences",
]

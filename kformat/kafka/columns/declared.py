"""Values and keys of records as declared formats: which topic has which, and the columns made from them.

A layout is the name of a format, the path of a ``.ksy`` file, with ``::type`` a type in it, ``json``, or ``kafka``,
which is what Kafka itself writes into its own topics (`messages`). The columns:

    value               the parsed value: a structure; text for ``json``. With layouts that differ by topic a structure
                        of structures, one for each layout by its name, of which only the topic's own is not null, as
                        for a ``switch-on``
    value.price         a part of it
    value_raw           binary: the bytes of a value that does not parse, or whose topic has no layout
    value_error         string: why it does not parse

The same for ``key``. A null value is null in all of them. Each column is null where it does not apply.
`kformat_engine.built_columns` goes the other way.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from kformat.codec.constructs import build
from kformat.codec.json_form import from_json, to_json
from kformat.columns.arrow import pyarrow
from kformat.columns.plan import numbers_of_names
from kformat.columns.values import MOST_ERROR, JsonTexts, Parsed, Values
from kformat.errors import BuildError, DataError, LimitError, UsageError, kind_of
from kformat.kafka.columns.messages import KAFKA, KafkaRecords, check_kafka, is_kafka, of_topic
from kformat.kafka.messages.decoding import TOPICS
from kformat.language.program import MAX_NESTING, load_type, standalone

JSON: Final = "json"
SIDES: Final = ("value", "key")
Given: TypeAlias = Any
"""How callers name layouts: a layout, an option's text ``[TOPIC=]LAYOUT``, several of them, or a mapping by topic."""

_TOPIC: Final = re.compile(r"([A-Za-z0-9._-]+)=(.+)", re.DOTALL)
_in_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Layouts(NamedTuple):
    """The layouts of values, or of keys: ``by_topic``, and ``others`` for all other topics (None: those have none).

    It pickles if all layouts are texts.
    """

    by_topic: dict[str, Any]
    others: Any = None

    def of(self, topic: str) -> Any:
        """The layout of a topic; None if it has none."""
        return self.by_topic.get(topic, self.others)

    @property
    def all(self) -> list[Any]:
        """All layouts, each once."""
        layouts = [*([] if self.others is None else [self.others]), *self.by_topic.values()]
        return [layout for number, layout in enumerate(layouts) if layout not in layouts[:number]]

    def check_topics(self, topics: Iterable[str]) -> None:
        """Raise UsageError for a topic that is not there."""
        known = sorted(set(topics))
        for topic in self.by_topic:
            if topic not in known:
                there = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
                raise UsageError(f"there is no topic {topic!r} here; there are {there or 'none'}")


def layouts_of(spec: Given, what: str = "value_as") -> Layouts | None:
    """The layouts that a caller names; None for None, or for nothing.

    ``spec`` is a layout; a text ``TOPIC=LAYOUT``, or several; or a mapping from topics to layouts, where None stands
    for all other topics. A path in which a ``=`` follows what might be a topic has a folder in front: ``./a=b``.

    Raises UsageError for two layouts of one topic, a format that does not exist, or a type with parameters; also what
    `kformat.parse` raises for a format.
    """
    if spec is None or isinstance(spec, Layouts):
        return spec
    if isinstance(spec, Mapping):
        pairs = list(spec.items())
    elif isinstance(spec, list | tuple | set | frozenset):
        pairs = [_pair(option) for option in spec]
    else:
        pairs = [_pair(spec)]
    by_topic: dict[Any, Any] = {}
    for topic, layout in pairs:
        if topic is not None and not isinstance(topic, str):
            raise UsageError(f"{what}: {topic!r:.60} is no topic")
        if topic in by_topic:
            of = "all topics" if topic is None else f"topic {topic!r}"
            raise UsageError(f"{what}: there are two layouts for {of}")
        if is_kafka(layout):
            check_kafka(layout)
        elif layout != JSON:
            standalone(load_type(layout))
        by_topic[topic] = layout
    others = by_topic.pop(None, None)
    return Layouts(by_topic, others) if by_topic or others is not None else None


def _pair(option: Any) -> tuple[str | None, Any]:
    match = _TOPIC.fullmatch(option) if isinstance(option, str) else None
    return (None, option) if match is None else (match[1], match[2])


Reader: TypeAlias = Values | JsonTexts | KafkaRecords


def reader_of(layout: Any, side: str, columns: list[str] | None = None, enums: str = "names") -> Reader:
    """The parser of a layout's values, or keys. Raises UsageError for a column that is not in them."""
    if is_kafka(layout):
        return KafkaRecords(layout, side, columns, enums)
    if layout != JSON:
        return Values(layout, columns, enums=enums, source=side)
    if columns is not None:
        raise UsageError(f"{side}.{columns[0]}: JSON stays text, without columns of its own")
    return JsonTexts(source=side)


def built(layout: Any, value: Any, bytes_as: str) -> bytes | None:
    """Build the bytes of a value from its JSON form (`kformat.from_json`); None for null.

    Raises BuildError, with the path of what does not fit; what `kformat.build` raises for the format.
    """
    if value is None:
        return None
    if layout == JSON:
        try:
            return _in_json(value).encode()
        except UnicodeEncodeError:
            return json.dumps(value, separators=(",", ":")).encode()
        except ValueError:
            raise BuildError("a number that JSON does not have") from None
    program = load_type(layout)
    if not isinstance(value, dict):
        raise BuildError("an object is expected", path=program.label, found=kind_of(value))
    return build(program, from_json(program, value, bytes_as=bytes_as))


class Shown:
    """The values and keys of one topic as JSON shows them; counts those that do not parse.

    Args:
        value_as, key_as: the layouts; None for none.
        bytes_as, int64_as_strings: as for `kformat.to_json`.
    """

    def __init__(
        self,
        topic: str,
        value_as: Layouts | None,
        key_as: Layouts | None,
        bytes_as: str = "base64",
        int64_as_strings: bool = False,
    ) -> None:
        by_side = {"value": value_as, "key": key_as}
        layouts = {side: None if by_topic is None else by_topic.of(topic) for side, by_topic in by_side.items()}
        layouts = {side: of_topic(layout, topic, side) for side, layout in layouts.items()}
        self.readers = {side: reader_of(layout, side) for side, layout in layouts.items() if layout is not None}
        self.topic = topic
        self.form_of = partial(to_json, bytes_as=bytes_as, int64_as_strings=int64_as_strings)
        self.counts = Counter[tuple[str, str, bool]]()
        """By side, layout, and whether they were parsed."""

    def show(self, side: str, data: bytes | None, key: bytes | None = None) -> tuple[Any, str | None]:
        """The parsed value and None; or None and why it does not parse. Null gives None and None. ``key``: that of the
        record.
        """
        if data is None:
            return None, None
        reader = self.readers[side]
        try:
            value = reader.one(data, key, self.topic) if isinstance(reader, KafkaRecords) else reader.one(data)
            shown = value if isinstance(reader, JsonTexts) else self.form_of(value)
            if _is_deeper(shown, MAX_NESTING):
                raise LimitError("nested too deeply to be shown", source=side, expected=f"at most {MAX_NESTING} levels")
        except DataError as error:
            self.counts[side, reader.label, False] += 1
            return None, str(error)[:MOST_ERROR]
        self.counts[side, reader.label, True] += 1
        return shown, None

    def fields(self, side: str, data: bytes | None, key: bytes | None = None) -> dict[str, Any]:
        """A value's fields in an object: the parsed value, and its bytes and the reason if it does not parse; without a
        layout the bytes.
        """
        if side not in self.readers:
            return {side: data}
        value, problem = self.show(side, data, key)
        return {side: value, f"{side}_raw": None if problem is None else data, f"{side}_error": problem}


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether a value has more than ``levels`` levels of objects and lists."""
    pending = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        pending = [
            item
            for parent in pending
            for item in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(item, dict | list)
        ]
    return bool(pending)


def shown_messages(topic: str, bytes_as: str = "base64", int64_as_strings: bool = False) -> Shown:
    """The keys and values of a topic as Kafka's messages, if it is one of Kafka's own."""
    layouts = layouts_of(KAFKA)
    return Shown(topic, layouts, layouts, bytes_as, int64_as_strings)


def refused_remarks(counts: Mapping[tuple[str, str, bool], int]) -> Iterator[str]:
    """How many values and keys do not parse, a line for each layout that has some."""
    for (side, label, is_good), count in sorted(counts.items(), key=lambda item: (item[0][0] == "key", item[0])):
        if not is_good and count:
            yield f"{count} of {count + counts.get((side, label, True), 0)} {side}s do not parse as {label}"


class _Case(NamedTuple):
    name: str
    reader: Reader
    columns: list[str]
    """The names in the result of the reader's columns; empty: the whole value, if it is wanted at all."""


class _SideColumns:
    """The columns of values, or of keys."""

    def __init__(self, name: str, layouts: Layouts, wanted: Iterable[str], enums: str) -> None:
        self.name, self.layouts = name, layouts
        self.wanted = [column for column in wanted if column == name or column.startswith((f"{name}.", f"{name}_"))]
        paths = [column.removeprefix(f"{name}.") for column in self.wanted if column.startswith(f"{name}.")]
        if paths and name in self.wanted:
            raise UsageError(f"{name}.{paths[0]} is in {name} already: name one of them")
        kinds = layouts.all
        names = _names(kinds)
        self.is_union = len(kinds) > 1
        for path in paths:
            first = path.split(".")[0]
            if self.is_union and first not in names:
                raise UsageError(f"{name}.{path}: there is no layout {first!r:.60}; there are {', '.join(names)}")
        self.cases: list[_Case] = []
        for layout, case in zip(kinds, names, strict=True):
            prefix = f"{case}." if self.is_union else ""
            own = [path for path in paths if path.startswith(prefix)]
            inner = [path.removeprefix(prefix) for path in own]
            try:
                reader = reader_of(layout, name, inner or None, enums)
            except UsageError as error:
                raise UsageError(f"{name}: {error}") from None
            self.cases.append(_Case(case, reader, [f"{name}.{path}" for path in own]))
        self.counts = Counter[tuple[str, bool]]()
        """How many values of each case, by its name, were parsed (True), and how many do not parse."""

    @property
    def type(self) -> Any:
        """The Arrow type of the whole value."""
        pa = pyarrow()
        if not self.is_union:
            return self.cases[0].reader.type
        return pa.struct([pa.field(case.name, case.reader.type) for case in self.cases])

    def fields(self) -> dict[str, Any]:
        """The wanted columns' types by their names."""
        pa = pyarrow()
        by_name = {self.name: self.type} if self.name in self.wanted else {}
        for case in self.cases:
            types = list(case.reader.type) if case.columns else []
            by_name |= {name: field.type for name, field in zip(case.columns, types, strict=True)}
        by_name |= {f"{self.name}_raw": pa.binary(), f"{self.name}_error": pa.string()}
        return {name: by_name[name] for name in self.wanted if name in by_name}

    def case_of(self, topic: str) -> _Case | None:
        layout = self.layouts.of(topic)
        if is_kafka(layout) and topic not in TOPICS:
            return None
        return None if layout is None else self.cases[self.layouts.all.index(layout)]

    @property
    def needs_keys(self) -> bool:
        """Whether values are read with the keys of their records."""
        return self.name == "value" and any(isinstance(case.reader, KafkaRecords) for case in self.cases)

    def parse(self, topic: str, array: Any, keys: Any) -> Iterator[Parsed]:
        """Parse an Arrow array of binary; a topic without a layout keeps its bytes."""
        pa, case = pyarrow(), self.case_of(topic)
        if case is None:
            yield Parsed(None, array, pa.nulls(len(array), pa.string()), 0)
            return
        reader = case.reader
        for parsed in reader.parse(array, keys, topic) if isinstance(reader, KafkaRecords) else reader.parse(array):
            nulls = parsed.array.null_count
            self.counts[case.name, True] += len(parsed.array) - nulls
            self.counts[case.name, False] += parsed.refused_count
            yield parsed

    def arrays(self, topic: str, parsed: Parsed, types: Mapping[str, Any]) -> dict[str, Any]:
        """The wanted columns."""
        pa, case, count = pyarrow(), self.case_of(topic), len(parsed.raw)
        columns = {f"{self.name}_raw": parsed.raw, f"{self.name}_error": parsed.error}
        if case is not None and case.columns:
            columns |= zip(case.columns, parsed.array.flatten(), strict=True)
        elif case is not None and not self.is_union:
            columns[self.name] = parsed.array
        elif case is not None and self.name in types:
            kinds = list(types[self.name])
            parts = [parsed.array if kind.name == case.name else pa.nulls(count, kind.type) for kind in kinds]
            columns[self.name] = pa.StructArray.from_arrays(parts, fields=kinds, mask=parsed.array.is_null())
        return {name: columns[name] if name in columns else pa.nulls(count, kind) for name, kind in types.items()}


def _names(layouts: list[Any]) -> list[str]:
    names: list[str] = []
    for layout in layouts:
        name = JSON if layout == JSON else KAFKA if is_kafka(layout) else load_type(layout).label
        while name in names:
            name += "_"
        names.append(name)
    return names


@dataclass(slots=True)
class DeclaredColumns:
    """The columns made from layouts, among some columns of records.

    Args:
        columns: of the result, in order: those of `kformat.kafka.columns.arrow`, and those that the module's text
            lists.
        value_as, key_as: see `layouts_of`.
        enums: as for `kformat.scan`.

    Raises UsageError, DeclarationError, OSError: as `layouts_of`, and for a column that is not in a value.
    """

    columns: tuple[str, ...]
    value_as: Given = None
    key_as: Given = None
    enums: str = "names"
    sides: dict[str, _SideColumns] = field(init=False)

    def __post_init__(self) -> None:
        by_side = {"value": layouts_of(self.value_as), "key": layouts_of(self.key_as, "key_as")}
        self.sides = {
            name: _SideColumns(name, layouts, self.columns, self.enums)
            for name, layouts in by_side.items()
            if layouts is not None
        }

    @property
    def base(self) -> tuple[str, ...]:
        """The columns of records that have to be read to make these."""
        names: dict[str, None] = {}
        for name in self.columns:
            side = next((side for side in self.sides if name in self.sides[side].wanted), None)
            names[name if side is None else side] = None
        return tuple(dict.fromkeys((*names, *self.binaries)))

    @property
    def binaries(self) -> tuple[str, ...]:
        """The sides whose bytes `parts` takes."""
        wanted = [name for name, side in self.sides.items() if side.wanted]
        keys = any(self.sides[name].needs_keys for name in wanted)
        return tuple(dict.fromkeys((*wanted, *(["key"] if keys else []))))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns made from layouts, without their parts."""
        return tuple(f"{side}{more}" for side in self.sides for more in ("", "_raw", "_error"))

    def fields(self) -> dict[str, Any]:
        """The Arrow types of the columns made from layouts, by their names."""
        return {name: kind for side in self.sides.values() for name, kind in side.fields().items()}

    @property
    def numbers_of_names(self) -> dict[str, dict[str, int]]:
        """The numbers of an enum's names, by the path of each column that has such names."""
        numbers: dict[str, dict[str, int]] = {}
        for side in self.sides.values():
            for case in side.cases:
                if isinstance(case.reader, Values):
                    above = f"{side.name}.{case.name}." if side.is_union else f"{side.name}."
                    for number, chosen in enumerate(case.reader.plan.columns):
                        path = case.columns[number] if case.columns else above + chosen.column.name
                        numbers |= numbers_of_names(chosen.column, path)
        return numbers

    @property
    def has_topics(self) -> bool:
        """Whether a layout is for one topic."""
        return any(side.layouts.by_topic for side in self.sides.values())

    def check_topics(self, topics: Iterable[str]) -> None:
        """Raise UsageError for a layout of a topic that is not there."""
        known = list(topics)
        for side in self.sides.values():
            side.layouts.check_topics(known)

    def parts(
        self, topic: str, binaries: Mapping[str, Any], count: int, keys: Any = None
    ) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """The columns of some records of a topic, in one or more parts: where each begins, its rows, and its arrays.

        ``binaries`` has the keys and values (Arrow, binary) of the sides whose columns are wanted; ``keys`` are the
        keys, if they are not among them and `binaries` of this object has them.
        """
        sides = [(side, side.fields()) for side in self.sides.values() if side.name in binaries and side.wanted]
        keys, start = binaries.get("key", keys), 0
        for size, arrays in _together(
            topic, [(side, types, binaries[side.name]) for side, types in sides], keys, count
        ):
            yield start, size, arrays
            start += size

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """The counts of parsed and refused values, for JSON: an object for each layout that was met."""
        for side in self.sides.values():
            for case in side.cases:
                good, bad = side.counts[case.name, True], side.counts[case.name, False]
                if good or bad:
                    yield {"side": side.name, "layout": case.name, "parsed_count": good, "refused_count": bad}

    def remarks(self) -> Iterator[str]:
        """How many values and keys do not parse, a line for each layout that has some."""
        for side in self.sides.values():
            yield from refused_remarks({(side.name, *case): count for case, count in side.counts.items()})


def _together(
    topic: str, sides: list[tuple[_SideColumns, Any, Any]], keys: Any, count: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    if not sides:
        yield count, {}
        return
    (side, types, array), *others = sides
    start = 0
    for parsed in side.parse(topic, array, keys):
        arrays, size, first = side.arrays(topic, parsed, types), len(parsed.raw), 0
        rest = [(other, kinds, more.slice(start, size)) for other, kinds, more in others]
        more_keys = None if keys is None else keys.slice(start, size)
        for inner, inner_arrays in _together(topic, rest, more_keys, size):
            yield inner, {name: column.slice(first, inner) for name, column in arrays.items()} | inner_arrays
            first += inner
        start += size


def with_layouts(columns: Iterable[str], value_as: Given, key_as: Given) -> tuple[str, ...]:
    """The default columns, with ``_raw`` and ``_error`` after the values and keys that have a layout."""
    names: list[str] = []
    for name in columns:
        option = value_as if name == "value" else key_as if name == "key" else None
        names += [name] if option in (None, (), [], {}) else [name, f"{name}_raw", f"{name}_error"]
    return tuple(names)


__all__ = [
    "JSON",
    "SIDES",
    "DeclaredColumns",
    "Given",
    "Layouts",
    "Shown",
    "built",
    "layouts_of",
    "refused_remarks",
    "shown_messages",
    "with_layouts",
]

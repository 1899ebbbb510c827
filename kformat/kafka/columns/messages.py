"""Keys and values of Kafka's own topics as columns: a nullable structure for each type of record.

The name of a type is that of its message without the last word: ``offset_commit``, ``group_metadata``, ``topic``. Key
and value belong together: the key's type says which message the value is; in the metadata log the value says it itself.
A null value is null in all columns: with a key it is a tombstone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.codec.values import Value
from kformat.columns.arrow import arrow_compute, pyarrow
from kformat.columns.values import MOST_ERROR, Parsed, Values
from kformat.errors import DataError, InvalidError, UsageError
from kformat.kafka.messages.decoding import DECODERS, TOPICS, TYPE, Decoder, UnknownTypeError, decoder, frame_of
from kformat.kafka.messages.schemas import Schema
from kformat.language.layout import layout
from kformat.language.mark import nearest

Array = npt.NDArray[Any]

KAFKA: Final = "kafka"
"""The layout of keys and values that are Kafka's messages; ``kafka:offsets`` that of one topic."""
_SUFFIXES: Final = ("_key", "_value", "_record")
_NONE: Final = -1
"""The type of a record that has none."""
_MANY: Final = 1 << 12


def is_kafka(layout: Any) -> bool:
    """Whether a layout is Kafka's messages."""
    return isinstance(layout, str) and layout.partition(":")[0] == KAFKA


def check_kafka(layout: str) -> tuple[str, ...]:
    """The decoders of a layout. Raises UsageError for one that there is not."""
    _, colon, name = layout.partition(":")
    if colon and name not in DECODERS:
        raise UsageError(f"there is no decoder {name!r:.60}{nearest(name, DECODERS)}; there are {', '.join(DECODERS)}")
    return (name,) if colon else DECODERS


def of_topic(layout: Any, topic: str, side: str) -> Any:
    """The layout of one topic: that of its messages, in place of that of all; None for a topic that is not Kafka's, and
    for keys where there are none.
    """
    if layout != KAFKA:
        return layout
    has_some = topic in TOPICS and (side == "value" or decoder(TOPICS[topic]).has_keys)
    return f"{KAFKA}:{TOPICS[topic]}" if has_some else None


def type_name(schema: Schema) -> str:
    """The name of a type of records."""
    for suffix in _SUFFIXES:
        if schema.id.endswith(suffix):
            return schema.id.removesuffix(suffix)
    return schema.id


class KafkaRecords:
    """Reads the keys, or the values, of Kafka's own topics; used as `kformat.columns.values.Values`.

    Args:
        layout: ``kafka``, or ``kafka:`` and one of `DECODERS`.
        side: ``key`` or ``value``.
        columns: paths (``offset_commit.offset``, ``topic``), each a column of that name; by default all types.
        enums: as for `kformat.scan`.

    Raises UsageError, as `Values`, and for a type of records that there is not.
    """

    label: Final = KAFKA

    def __init__(self, layout: str, side: str, columns: Iterable[str] | None = None, enums: str = "names") -> None:
        self.side, self.enums = side, enums
        self._null_columns: dict[int, Any] = {}
        self.decoders = {name: decoder(name) for name in check_kafka(layout)}
        self.names: dict[str, Schema] = {
            type_name(schema): schema
            for one in self.decoders.values()
            for schema in (one.keys if side == "key" else one.values).values()
        }
        paths: dict[str, list[str]] = {}
        self.order: list[tuple[str, str | None]] = []
        """The columns: the type of records, and the path in it."""
        for path in self.names if columns is None else columns:
            name, _, inner = path.partition(".")
            if name not in self.names:
                there = ", ".join(self.names) or "none"
                raise UsageError(f"no record has a {side} {name!r:.60}{nearest(name, self.names)}; there are {there}")
            self.order.append((name, inner or None))
            if inner:
                paths.setdefault(name, []).append(inner)
        whole = {name for name, inner in self.order if inner is None}
        both = whole & paths.keys()
        if both:
            raise UsageError(f"{min(both)}.{paths[min(both)][0]} is in {min(both)} already: name one of them")
        self.readers = {
            name: Values(self.names[name].id, paths.get(name), enums=enums, source=side)
            for name in dict.fromkeys(name for name, _ in self.order)
        }

    @property
    def left_out(self) -> dict[str, str]:
        """The paths of parts without a column -> the reason."""
        return {f"{name}.{path}": why for name, reader in self.readers.items() for path, why in reader.left_out.items()}

    @cached_property
    def type(self) -> Any:
        """The Arrow type of the whole: a structure of nullable structures, one for each column."""
        pa = pyarrow()
        fields = []
        for name, inner in self.order:
            kind = self.readers[name].type
            fields.append(
                pa.field(name, kind) if inner is None else pa.field(f"{name}.{inner}", kind.field(inner).type)
            )
        return pa.struct(fields)

    def one(self, data: bytes, key: bytes | None = None, topic: str | None = None) -> Value:
        """One key or value; raises DataError."""
        known = self._decoder(topic)
        return known.key(data).value if self.side == "key" else known.value(data, key).value

    def _decoder(self, topic: str | None) -> Decoder:
        name = TOPICS.get(topic or "", "")
        return self.decoders[name] if name in self.decoders else next(iter(self.decoders.values()))

    def parse(self, array: Any, keys: Any = None, topic: str | None = None) -> Iterator[Parsed]:
        """The keys or values of an Arrow array of binary; ``keys``: the keys of the same records, as such an array."""
        pa, known, count = pyarrow(), self._decoder(topic), len(array)
        kinds, problems = self._kinds(known, array, keys)
        names = {number: type_name(schema) for number, schema in self._schemas(known).items()}
        parts: dict[str, Any] = {}
        raw, error = pa.nulls(count, pa.binary()), pa.nulls(count, pa.string())
        refused = 0
        for number in np.unique(kinds[kinds != _NONE]).tolist():
            name = names.get(number)
            rows = np.flatnonzero(kinds == number)
            if name is None:
                why = str(UnknownTypeError(number, known.name, self.side))
                problems.update(dict.fromkeys(rows.tolist(), why))
                continue
            reader = self.readers.get(name) or Values(self.names[name].id, source=self.side)
            is_all = len(rows) == count
            read = list(reader.parse(array if is_all else array.take(pa.array(rows))))
            made, raws, errors = (
                pa.concat_arrays([getattr(one, part) for one in read]) for part in ("array", "raw", "error")
            )
            refused += sum(one.refused_count for one in read)
            index = None if is_all else _index(rows, count)
            if name in self.readers:
                parts[name] = made if index is None else made.take(index)
            if errors.null_count < len(errors):
                raw, error = _either(raw, raws, index), _either(error, errors, index)
        if problems:
            rows = np.array(sorted(problems), np.int64)
            index = _index(rows, count)
            raw = _either(raw, array.take(pa.array(rows)), index)
            words = pa.array([problems[row][:MOST_ERROR] for row in rows.tolist()], pa.string())
            error, refused = _either(error, words, index), refused + len(rows)
        yield Parsed(self._together(parts, count, array, error), raw, error, refused)

    def _schemas(self, known: Decoder) -> dict[int, Schema]:
        return known.keys if self.side == "key" else known.values

    def _together(self, parts: dict[str, Any], count: int, array: Any, error: Any) -> Any:
        """The structure of all columns, null where the bytes are or do not parse."""
        pa, kind, columns = pyarrow(), self.type, []
        for place, ((name, inner), field) in enumerate(zip(self.order, kind, strict=True)):
            made = parts.get(name)
            if made is None:
                columns.append(self._nulls(place, field.type, count))
            elif inner is None:
                columns.append(made)
            else:
                at = made.type.get_field_index(inner)
                columns.append(made.flatten()[at])
        there = np.asarray(array.is_valid()) & np.asarray(error.is_null())
        mask = None if there.all() else pa.array(~there)
        return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)

    def _nulls(self, place: int, kind: Any, count: int) -> Any:
        """A column of nulls, which all batches share: most of the types are in none of the records."""
        known = self._null_columns.get(place)
        if known is None or len(known) < count:
            known = self._null_columns[place] = pyarrow().nulls(max(count, _MANY), kind)
        return known.slice(0, count)

    def _kinds(self, known: Decoder, array: Any, keys: Any) -> tuple[Array, dict[int, str]]:
        """The type of each record whose bytes are there, `_NONE` of the others; why some have none, by row."""
        problems: dict[int, str] = {}
        there = np.asarray(array.is_valid())
        if known.has_keys:
            from_keys = array if self.side == "key" else keys
            kinds = _first_numbers(from_keys)
            for row in np.flatnonzero(there & (kinds == _NONE)).tolist():
                problems[row] = str(InvalidError("the key does not say what the record is", source=self.side))
            return np.where(there, kinds, _NONE), problems
        kinds = np.full(len(array), _NONE, np.int64)
        for row, data in enumerate(array.to_pylist()):
            if data is None or self.side == "key":
                continue
            try:
                kinds[row] = frame_of(data, self.side)[1]
            except DataError as problem:
                problems[row] = str(problem)
        return kinds, problems


def _first_numbers(array: Any) -> Array:
    """What the bytes of each value begin with, as the type of a record; `_NONE` of nulls and shorter ones."""
    kind = layout(TYPE).dtype
    size = kind.itemsize
    _, ends, data = array.buffers()
    offsets = np.frombuffer(ends, np.int32, len(array) + 1, 4 * array.offset).astype(np.int64)
    content = np.frombuffer(b"" if data is None else data, np.uint8)
    numbers = np.full(len(array), _NONE, np.int64)
    rows = np.flatnonzero(np.asarray(array.is_valid()) & (np.diff(offsets) >= size))
    if len(rows):
        read = content[offsets[rows][:, None] + np.arange(size)].reshape(-1).view(kind)
        numbers[rows] = read["number"]
    return numbers


def _index(rows: Array, count: int) -> Any:
    """For each of ``count`` rows its place among ``rows``; null for the others."""
    places = np.zeros(count, np.int64)
    places[rows] = np.arange(len(rows))
    absent = np.ones(count, np.bool_)
    absent[rows] = False
    return pyarrow().array(places, mask=absent)


def _either(first: Any, second: Any, index: Any) -> Any:
    """The first array, with the second's elements where its own are null."""
    return arrow_compute().coalesce(first, second if index is None else second.take(index))


__all__ = ["KAFKA", "KafkaRecords", "check_kafka", "is_kafka", "of_topic"]

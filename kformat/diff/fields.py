"""The differences between two parsed values of one type, field by field; and how a difference is reported.

Elements of lists are aligned by their key (a record's offset, a producer's id) if it is known, else by index.
Differences that follow from another one are not reported: lengths, counts and checksums, and deltas whose base and
delta together are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Self

from kformat.codec.values import MISSING, Value, asked
from kformat.errors import DataError
from kformat.integers import wrapped_int64
from kformat.language.program import MAX_NESTING

SIDES: Final = ("a", "b")
_SHOWN: Final = 40
"""Bytes or characters of a value that a message shows."""
_SHOWN_JSON: Final = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference.

    Attributes:
        kind: ``changed``: ``a`` and ``b`` are the values; ``only_in_a``, ``only_in_b``; ``batching``: the same offsets
            lie in other batches; ``encoding``: the same values in other bytes; ``damaged_a``, ``damaged_b``.
        file: the file's name below the two directories; ``""`` where two files were given.
        path: what differs: ``record_batch[base_offset=42].records[offset=43].value``.
        a, b: the values of ``changed``; None for null and where there is none. Of files of a declared format, ``a`` of
            ``only_in_a``, and ``b`` of ``only_in_b``, is the list of the elements.
        message: all of it in words, without file and path.
        error: what is wrong, of damage.
        a_position, b_position: where the two values are in their files; None if that is not known, as in logs, whose
            paths say it, or in decoded bytes.
    """

    kind: str
    file: str
    path: str
    a: Any
    b: Any
    message: str
    error: DataError | None = None
    a_position: int | None = None
    b_position: int | None = None

    def __str__(self) -> str:
        path = self.path if self.error is None else ""  # an error has its own path
        places = [str(place) for place in (self.a_position, self.b_position) if place is not None]
        at = f" (at {' and '.join(dict.fromkeys(places))})" if places else ""
        return ": ".join(part for part in (self.file, path, self.message) if part) + at


def unequal(a: Any, b: Any) -> str:
    """Two values in words; of long values the part with the first difference."""
    if type(a) is type(b) and isinstance(a, bytes | str) and max(len(a), len(b)) > _SHOWN:
        pairs = enumerate(zip(a, b, strict=False))
        first = next((number for number, (x, y) in pairs if x != y), min(len(a), len(b)))
        start = max(0, first - _SHOWN // 4)
        unit = "byte" if isinstance(a, bytes) else "character"
        return f"{_part(a, start)} != {_part(b, start)} (from {unit} {first} of {len(a)} and {len(b)} on)"
    return f"{_shown(a)} != {_shown(b)}"


def _part(value: bytes | str, start: int) -> str:
    end = start + _SHOWN
    return "..." * (start > 0) + repr(value[start:end]) + "..." * (end < len(value))


def _part_of_json(text: str) -> str:
    return text if len(text) <= _SHOWN_JSON else f"{text[:_SHOWN_JSON]}..."


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bytes | str):
        return _part(value, 0)
    if isinstance(value, Value):
        return f"a {value._type.label}"
    if isinstance(value, dict):
        return _part_of_json(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return f"a list of {len(value)}"
    name = getattr(value, "name", None)
    return name.removesuffix("_") if isinstance(name, str) else str(value)


@dataclass(slots=True)
class OneSided:
    """Consecutive elements, by their keys, that one side alone has."""

    side: int
    path: str
    key: str
    found: list[Any]
    count: int = 1
    values: list[Any] | None = None
    """The elements, where they are kept."""

    def and_also(self, key: Any, value: Any = None) -> Self:
        self.found[1:], self.count = [key], self.count + 1
        if self.values is not None:
            self.values.append(value)
        return self

    def difference(self, file: str) -> Difference:
        first, last = self.found[0], self.found[-1]
        where = ("first", "second")[self.side]
        keys = f"{first}" if self.count == 1 else f"{first}..{last}"
        message = f"only in the {where}" + (f": {self.count} of them" if self.count > 1 else "")
        kind = f"only_in_{SIDES[self.side]}"
        path = f"{self.path}[{self.key}={keys}]" if self.key else f"{self.path}[{keys}]"
        a, b = (self.values if side == self.side else None for side in (0, 1))
        return Difference(kind, file, path, a, b, message)


Told = tuple[str, Any, Any] | OneSided


Keys = dict[tuple[str, str], tuple[str, Callable[[Any, Any], Any]]]
KEYS: Final[Keys] = {
    ("record_batch", "records"): ("offset", lambda batch, item: wrapped_int64(batch.base_offset + item.offset_delta)),
    ("legacy_message::message_set", "messages"): ("offset", lambda _, item: item.offset),
    ("producer_snapshot", "entries"): ("producer_id", lambda _, item: item.producer_id),
    ("transaction_index", "entries"): (
        "producer_id, first_offset",
        lambda _, item: f"{item.producer_id}, {item.first_offset}",
    ),
    ("offset_index", "entries"): ("relative_offset", lambda _, item: item.relative_offset),
    ("time_index", "entries"): ("timestamp", lambda _, item: item.timestamp),
}
"""(type, list) -> the key by which its elements are aligned: its name, and its function of (structure, element)."""


@dataclass
class FieldDifferences:
    """Differences of two values, and the numbers of equal and different elements of keyed lists."""

    ignored: Callable[[str], bool]
    decoded: Callable[[str, str, Any, Any], list[Told] | None]
    told: list[Told] = field(default_factory=list)
    computed: list[Told] = field(default_factory=list)
    """Differing lengths, counts and checksums of the whole value. Without other differences, only the encodings differ.
    """
    equal: int = 0
    changed: int = 0
    only_in_a: int = 0
    only_in_b: int = 0
    keeps: bool = False
    """Whether elements that one side alone has are kept."""
    keys: Keys = field(default_factory=lambda: KEYS)
    moved: int = 0
    """The number of equal deltas of different bases: the base is reported, the deltas are not."""


_COUNTED: Final = {"records", "messages"}
_DECODED: Final = {"key", "value"}


def _as_bytes(path: str, side: str, a: Any, b: Any) -> None:
    """Keys and values of records are bytes."""


def compare_values(
    path: str,
    a: Any,
    b: Any,
    *,
    partial: bool,
    ignored: Callable[[str], bool],
    decoded: Callable[[str, str, Any, Any], list[Told] | None] = _as_bytes,
    within: tuple[tuple[Any, Any], ...] = (),
    keeps: bool = False,
    keys: Keys = KEYS,
) -> FieldDifferences:
    """Compare two parsed values of one type, which ``path`` names; None for a value that could not be read at all.

    ``partial``: parts missing in one value may just not have been read. ``ignored``: whether a path is ignored; such
    differences are returned all the same. ``decoded``: the differences of keys, or of values, that differ, by their
    path, which it is, and both records; None for what is bytes. ``within``: the pairs of values around them, inner ones
    first. ``keeps``: `OneSided` has the elements. ``keys``: of elements of lists.
    """
    differences = FieldDifferences(ignored, decoded, keeps=keeps, keys=keys)
    if a is not None and b is not None:
        differences.told, differences.computed = _fields(path, a, b, within, differences, partial)
        if partial and not differences.told:
            differences.told, differences.computed = differences.computed, []
    return differences


def _structures(
    path: str, a: Any, b: Any, outer: tuple[tuple[Any, Any], ...], differences: FieldDifferences, partial: bool
) -> list[Told]:
    reported, computed = _fields(path, a, b, outer, differences, partial)
    return reported or computed


def _fields(
    path: str, a: Any, b: Any, outer: tuple[tuple[Any, Any], ...], differences: FieldDifferences, partial: bool
) -> tuple[list[Told], list[Told]]:
    """The differences of two structures; and separately, those of their own lengths, counts and checksums."""
    reported: list[Told] = []
    computed: list[Told] = []
    within = ((a, b), *outer)
    read = [instance.field for instance in a._type.instances if instance.value is None]
    for declared in (*a._type.fields, *(read if len(outer) < MAX_NESTING else ())):
        name = declared.name
        x, y, here = asked(a, name), asked(b, name), f"{path}.{name}"
        if x is MISSING or y is MISSING:
            if not partial and x is not y:
                reported.append((here, None if x is MISSING else x, None if y is MISSING else y))
        elif isinstance(x, list) and isinstance(y, list):
            reported += _lists(here, x, y, within, differences, partial, (a._type.name, name))
        elif isinstance(x, Value) and isinstance(y, Value) and x._type == y._type:
            reported += _structures(here, x, y, within, differences, partial)
        elif not same(_absolute(x, declared.base, within, 0), _absolute(y, declared.base, within, 1)):
            if x == y:
                differences.moved += 1
            elif name in _DECODED and (within_them := differences.decoded(here, name, a, b)) is not None:
                reported += within_them
            else:
                follows = declared.computed and x is not None and y is not None
                (computed if follows else reported).append((here, x, y))
    return reported, computed


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same; NaN is equal to NaN here."""
    return bool(a == b or (a != a and b != b))


def _absolute(value: Any, base: str | None, within: tuple[tuple[Any, Any], ...], side: int) -> Any:
    """A delta plus its base; any other value unchanged."""
    if base is None or not isinstance(value, int):
        return value
    for pair in within:
        base_value = getattr(pair[side], base, None)
        if isinstance(base_value, int):
            return wrapped_int64(base_value + value)
    return value


def _lists(
    path: str,
    a: list[Any],
    b: list[Any],
    within: tuple[tuple[Any, Any], ...],
    differences: FieldDifferences,
    partial: bool,
    which: tuple[str, str],
) -> list[Told]:
    label, key_of = differences.keys.get(which, ("", None))
    x, y = (_by_key(items, within[0][side], key_of) for side, items in enumerate((a, b)))
    if x is None or y is None:
        label, x, y = "", dict(enumerate(a)), dict(enumerate(b))
    counted = which[1] in _COUNTED
    reported: list[Told] = []
    only: OneSided | None = None
    keys = list(x) if x.keys() == y.keys() else _merged(list(x), list(y))
    for key in keys:
        side = None if key in x and key in y else 0 if key in x else 1
        if side is not None:
            if partial:
                continue
            if counted:
                setattr(differences, f"only_in_{SIDES[side]}", getattr(differences, f"only_in_{SIDES[side]}") + 1)
            if only is not None and only.side == side:
                only.and_also(key, (x, y)[side][key])
            else:
                only = OneSided(side, path, label, [key], values=[(x, y)[side][key]] if differences.keeps else None)
                reported.append(only)
            continue
        only = None
        here = f"{path}[{label}={key}]" if label else f"{path}[{key}]"
        first, second, moved = x[key], y[key], differences.moved
        if isinstance(first, Value) and isinstance(second, Value):
            more = _structures(here, first, second, within, differences, partial)
        else:
            more = [] if same(first, second) else [(here, first, second)]
        reported += more
        if counted:
            paths = [entry.path if isinstance(entry, OneSided) else entry[0] for entry in more]
            is_equal = all(map(differences.ignored, paths)) and differences.moved == moved
            differences.equal += is_equal
            differences.changed += not is_equal
    return reported


def _by_key(items: list[Any], holder: Any, key_of: Callable[[Any, Any], Any] | None) -> dict[Any, Any] | None:
    """Elements by key; None if keys repeat, or are unknown because reading ended in an element."""
    if key_of is None:
        return None
    try:
        by_key = {key_of(holder, item): item for item in items}
    except AttributeError:
        by_key = {}
        for item in items[:-1]:
            by_key[key_of(holder, item)] = item
        return by_key if len(by_key) == len(items) - 1 else None
    return by_key if len(by_key) == len(items) else None


def _merged(a: list[Any], b: list[Any]) -> list[Any]:
    try:
        return sorted({*a, *b})
    except TypeError:
        return [*a, *(key for key in b if key not in a)]

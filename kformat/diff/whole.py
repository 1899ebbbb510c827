"""The differences of two files of one declared format that are in memory as a whole, one value each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, Literal

from kformat.codec.constructs import construct_of, parse
from kformat.codec.trace import trace
from kformat.codec.values import Value
from kformat.columns.rows import find, holder_of
from kformat.diff.fields import Difference, Keys, OneSided, compare_values
from kformat.diff.rows import Places, Tell, key_of, undeclared_differences
from kformat.errors import ChecksumError, DataError, LimitError, UsageError
from kformat.storage.byte_source import ByteSource

_MOST_WANTED: Final = 50


def value_differences(
    format: Any,
    sources: Sequence[ByteSource],
    tell: Tell,
    *,
    limit: int,
    trailing: Literal["error", "keep"],
    key: tuple[str, ...] = (),
) -> Iterator[Difference]:
    """The differences of two files; ``limit``, ``trailing`` and ``key`` as for `kformat.diff`.

    Raises UsageError for a key that the rows do not have.
    """
    values: list[Value | None] = []
    damage = False
    for side, source in enumerate(sources):
        value, errors = _whole(format, source, limit, trailing)
        values.append(value)
        for error in errors:
            damage = True
            yield tell.damaged(side, error)
    label = construct_of(format).program.label
    how: dict[str, Any] = {"partial": damage, "ignored": tell.ignored, "keeps": True}
    if key:
        how["keys"] = _keys_of(format, key)
    differences = compare_values(label, values[0], values[1], **how)
    told = [entry[0] for entry in differences.told if not isinstance(entry, OneSided)]
    has_places = values[0] is not None and values[0]._type.keeps_context
    places = _ValuePlaces(format, sources, limit, told) if has_places else None
    for entry in differences.told:
        if isinstance(entry, OneSided):
            yield from tell.one_sided(entry)
        else:
            for difference in tell.changed(*entry):
                yield difference if places is None else places.placed(difference)
    others = [] if places is None or damage else list(undeclared_differences("", *places.of_sides, tell))
    yield from chain.from_iterable(others)
    if not differences.told and not others and not damage:
        yield Difference("encoding", "", label, None, None, "the same values in other bytes")


def _keys_of(format: Any, names: tuple[str, ...]) -> Keys:
    rows = find(format)
    holder = holder_of(rows)
    if holder is None:
        raise UsageError(f"{rows.root.label}: its rows ({rows}) cannot be aligned by a key")
    key = key_of(rows.type, names)
    return {(holder.name, rows.path[-1]): (", ".join(names), lambda _, item: ", ".join(map(str, key(item))))}


class _ValuePlaces:
    """The positions of values in two files, of those at some paths and below, and the undeclared bytes in these.

    ``of_sides``: those of each file.
    """

    def __init__(self, format: Any, sources: Sequence[ByteSource], limit: int, wanted: Iterable[str] = ()) -> None:
        beginnings = tuple(set(wanted))
        if len(beginnings) > _MOST_WANTED:  # then looking for all of them takes longer than keeping every position
            beginnings = ("",)
        self.of_sides = Places(beginnings), Places(beginnings)
        for source, places in zip(sources, self.of_sides, strict=True):
            data = source.read_at(0, source.size)
            for span in trace(format, data, source=source.name, inflate_limit=limit, trailing="keep"):
                places.note(span)

    def placed(self, difference: Difference) -> Difference:
        first, second = (places.positions.get(difference.path) for places in self.of_sides)
        return replace(difference, a_position=first, b_position=second)


def _whole(
    format: Any, source: ByteSource, limit: int, trailing: Literal["error", "keep"]
) -> tuple[Value | None, list[DataError]]:
    """The parsed value of a file that is one value, as far as it can be read, and its errors."""
    if source.size > limit:
        label = construct_of(format).program.label
        error = LimitError("a value over the limit", source=source.name, position=0, path=label)
        error.expected, error.found = f"<= {limit} bytes", source.size
        return None, [error]
    data, errors = source.read_at(0, source.size), list[DataError]()
    how: dict[str, Any] = {"source": source.name, "inflate_limit": limit, "trailing": trailing}
    for checksums in (True, False):
        try:
            return parse(format, data, checksums=checksums, **how), errors
        except DataError as problem:
            errors.append(problem)
            if not isinstance(problem, ChecksumError):
                return problem.partial, errors
    raise AssertionError(errors)


__all__ = ["value_differences"]

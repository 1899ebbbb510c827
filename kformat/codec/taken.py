"""Lists whose first elements are decoded by a kernel, or numpy, and not by the codec.

A parser made for a path (`parsing.read_value`) calls `State.take` where a list at the path begins, and continues after
the elements that this took. In the structure a `Taken` stands for the list. An expression that asks for an element, or
for the length, gets `NotKept`; the caller then parses again without `State.take`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kformat.errors import KformatError


class NotKept(KformatError):
    """An element is asked for that the codec did not make. Never leaves `columns.scanning`."""


class First(NamedTuple):
    """The first ``taken`` elements of a list; what follows them is at the index ``end`` in the reader's data."""

    taken: int
    end: int


def _not_kept(*_: Any) -> Any:
    raise NotKept


class Taken(list[Any]):
    """Stands for a list of which some elements were taken."""

    __slots__ = ()
    __getitem__ = __len__ = __iter__ = __reversed__ = __contains__ = __eq__ = __ne__ = _not_kept
    __add__ = __radd__ = __mul__ = __lt__ = __le__ = __gt__ = __ge__ = __repr__ = _not_kept


def take(
    reader: Any, value: Any, position: int, limit: int, count: int | None, width: int | None, rest: list[Any]
) -> tuple[int, int, list[Any]]:
    """Called by a parser at the beginning of a list: returns how many elements were taken, the position after them, and
    the list for the structure. The parser adds the other elements to ``rest``.
    """
    ask = reader.state.take
    first = None if ask is None else ask(reader, value, position, limit, count, width, rest)
    return (0, position, rest) if first is None else (first.taken, first.end, Taken())


__all__ = ["First", "NotKept", "Taken", "take"]

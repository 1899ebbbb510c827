"""What changed in a cluster's state between two moments: its rows, compared by their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

Row = Mapping[str, Any]
ADDED, CHANGED, REMOVED = "added", "changed", "removed"
NOTHING: Final[tuple[Any, ...]] = (None, [], {}, "")
"""Values of a row that say nothing of one that was added or removed."""


def changes(
    before: Iterable[Row], after: Iterable[Row], keys: Sequence[str], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The rows that were added, changed or removed: ``change``, the keys, and ``before`` and ``after`` with those of
    the columns that differ, or None. In the order of the keys; rows of one key are compared in their order.
    """
    sides = _by_key(before, keys), _by_key(after, keys)
    for key in sorted(sides[0].keys() | sides[1].keys(), key=_order):
        rows = [side.get(key, []) for side in sides]
        for number in range(max(map(len, rows))):
            old, new = (side[number] if number < len(side) else None for side in rows)
            if old is None or new is None:
                change = ADDED if old is None else REMOVED
                parts = [None if row is None else _shown(row, keys, columns) for row in (old, new)]
            else:
                differing = [name for name in columns if name not in keys and old[name] != new[name]]
                if not differing:
                    continue
                change, parts = CHANGED, [{name: row[name] for name in differing} for row in (old, new)]
            yield {"change": change, **dict(zip(keys, key, strict=True)), "before": parts[0], "after": parts[1]}


def _by_key(rows: Iterable[Row], keys: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in keys), []).append(row)
    return found


def _order(key: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """Nothing comes last."""
    return [(part is None, part) for part in key]


def _shown(row: Row, keys: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in columns if name not in keys and row[name] not in NOTHING}


__all__ = ["ADDED", "CHANGED", "NOTHING", "REMOVED", "changes"]

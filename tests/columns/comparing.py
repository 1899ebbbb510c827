"""Rows of a scan, and whether they are those that the codec reads."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import kformat
from kformat.columns.scanning import Scan
from kformat.errors import DataError
from tests.columns.reference import Outcome


def scanned(found: Scan, **inner: Any) -> Outcome:
    """All rows of a scan as plain values, and the error after them. ``inner``: what no caller chooses."""
    made, rows, error = Scan(found._paths, found._plan, **found._how | inner), list[Any](), None
    try:
        for batch in made:
            batch.validate(full=True)
            rows += batch.to_pylist()
    except DataError as problem:
        error = problem
    return Outcome(rows, error)


def differing(found: Any, wanted: Any, path: str = "") -> str | None:
    """The first place where two plain values differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        if found.keys() != wanted.keys():
            return f"{path}: {sorted(found)} and {sorted(wanted)}"
        places = ((found[key], wanted[key], f"{path}.{key}") for key in found)
        return next((bad for place in places if (bad := differing(*place)) is not None), None)
    if isinstance(found, list) and isinstance(wanted, list):
        if len(found) != len(wanted):
            return f"{path}: {len(found)} and {len(wanted)} elements"
        pairs = enumerate(zip(found, wanted, strict=True))
        return next((bad for n, pair in pairs if (bad := differing(*pair, f"{path}[{n}]")) is not None), None)
    if isinstance(found, Decimal) and not isinstance(wanted, Decimal):
        found = int(found)
    are_nan = isinstance(found, float) and isinstance(wanted, float) and found != found and wanted != wanted
    if are_nan or (type(found) is type(wanted) and found == wanted):
        return None
    return f"{path}: {found!r:.80} and {wanted!r:.80}"


def assert_same(found: Outcome, wanted: Outcome, about: str) -> None:
    """The same rows, and then the same error in the same place."""
    bad = differing(found.rows, wanted.rows)
    assert bad is None, f"{about}{bad}"
    assert found.place == wanted.place, f"{about}: {found.error}; {wanted.error}"


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Bytes with a few changes: of single bytes, cut off, left out, put in."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        kind, place = rng.random(), rng.randrange(len(changed) + 1)
        if kind < 0.5 and place < len(changed):
            changed[place] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind < 0.7:
            del changed[place:]
        elif kind < 0.85:
            del changed[place : place + rng.randrange(1, 9)]
        else:
            changed[place:place] = rng.randbytes(rng.randrange(1, 5))
    return bytes(changed)


def declared(text: str) -> Any:
    """A declaration from its text."""
    return kformat.parse_declaration(text)

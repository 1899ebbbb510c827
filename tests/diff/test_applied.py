"""Differences are all there is: the first file, with the differences applied to it, is the second one."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pytest

import kformat
from kformat.codec.values import Value
from kformat.columns.rows import one_after_the_other
from kformat.diff.comparison import Difference
from kformat.errors import DataError, KformatError
from kformat.language.program import load_type, standalone
from tests.columns.mutations import FORMATS, SLOW
from tests.draws import EXAMPLES
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants

pytestmark = pytest.mark.drawn

MOST_BYTES = 8_000
_PART = re.compile(r"\.?([a-z_0-9]+)|\[(\d+)(?:/(\d+))?(?:\.\.(\d+))?\]")


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value._asdict() if isinstance(value, Value) else value


def parts_of(path: str) -> list[Any]:
    """``packets[5/6].body`` -> ``["packets", (5, 6, 5), "body"]``: an index on each side, the last one of several."""
    parts = list[Any]()
    for name, first, second, last in _PART.findall(path):
        parts.append(name or (int(first), int(second or first), int(last or first)))
    return parts[1:]


def applied(form: Any, differences: list[Difference]) -> Any:
    """A plain value with the differences applied: what changed, then what goes, then what comes. KeyError for one in an
    instance, which the value does not have.
    """
    made, gone, new = copy.deepcopy(form), list[tuple[list[Any], int]](), list[tuple[list[Any], int, list[Any]]]()
    for difference in differences:
        *way, last = parts_of(difference.path)
        holder = made
        for part in way:
            holder = holder[part] if isinstance(part, str) else holder[part[0]]
        if difference.kind == "changed":
            if isinstance(last, str) and last not in holder:
                raise KeyError(last)
            holder[last if isinstance(last, str) else last[0]] = plain(difference.b)
        elif difference.kind == "only_in_a":
            gone += ((holder, index) for index in range(last[0], last[2] + 1))
        elif difference.kind == "only_in_b":
            new.append((holder, last[0], plain(difference.b)))
        else:
            raise AssertionError(difference)
    for holder, index in sorted(gone, key=lambda item: -item[1]):
        del holder[index]
    for holder, index, items in new:  # in the order of the second file
        holder[index:index] = items
    return made


@lru_cache
def files_of(name: str, folder: Path) -> tuple[bytes, ...]:
    try:
        found = mutants.write([name], folder)[name]
    except Missing as error:
        is_missing(str(error))
    return tuple(sorted((data for data in found if len(data) < MOST_BYTES), key=len))


def is_built(declaration: Any, form: Any, data: bytes) -> bool:
    """Whether a plain value has all that its bytes have."""
    try:
        return kformat.build(declaration, form) == data
    except KformatError:
        return False


def pairs(
    declaration: Any, files: tuple[bytes, ...], count: int, chance: random.Random
) -> Iterator[tuple[bytes, bytes]]:
    """Two files of a format, the second one with rows taken out, put in or moved, or with its bytes changed."""
    rows = one_after_the_other(standalone(load_type(declaration)))
    tries = 0
    while count and tries < 200:
        tries += 1
        first = chance.choice(files)
        second = mutants.mutated(first, [(0, 1), (len(first) // 2, 2)], chance)
        if rows is not None and chance.random() < 0.6:
            form = kformat.parse(declaration, first, trailing="keep")._asdict()
            holder = form
            for name in rows.path[:-1]:
                holder = holder[name]
            items = holder[rows.path[-1]]
            for _ in range(chance.randint(1, 3)):
                at = chance.randint(0, len(items or ()))
                if items and chance.random() < 0.5:
                    items[at:at] = copy.deepcopy(items[: chance.randint(1, 3)])
                elif items:
                    del items[at : at + chance.randint(1, 3)]
            try:
                second = kformat.build(declaration, form)
            except KformatError:
                continue
        try:
            values = [kformat.parse(declaration, data) for data in (first, second)]
        except DataError:
            continue
        if first != second and all(map(is_built, [declaration] * 2, map(plain, values), (first, second))):
            count -= 1
            yield first, second


@pytest.mark.long
@pytest.mark.parametrize("align", ["rows", "index"])
def test_the_first_file_and_the_differences_are_the_second(align: Literal["rows", "index"], tmp_path: Path) -> None:
    chance, compared, with_rows = random.Random(f"apply {align}"), 0, 0
    each = max(EXAMPLES // 25, 2)
    for name in FORMATS:
        declaration = kformat.load_declaration(HERE / f"{name}.ksy")
        files = files_of(name, tmp_path / align)
        for first, second in pairs(declaration, files, each // 2 if name in SLOW else each, chance) if files else ():
            a, b = tmp_path / "a.bin", tmp_path / "b.bin"
            a.write_bytes(first)
            b.write_bytes(second)
            found = list(kformat.diff(a, b, format=declaration, align=align))
            if any(difference.kind == "encoding" or "(not declared)" in difference.path for difference in found):
                continue
            try:
                made = applied(kformat.parse(declaration, first)._asdict(), found)
            except KeyError:
                continue
            assert kformat.build(declaration, made) == second, (name, [str(difference) for difference in found])
            compared += 1
            with_rows += any(difference.kind.startswith("only_in") for difference in found)
    assert compared > 20 and with_rows > 5, (compared, with_rows)

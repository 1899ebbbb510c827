"""`kformat.scan`, then `kformat.build`: the same bytes, of every public format with rows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.columns.rows import find, holder_of
from kformat.errors import BuildError, DataError, KformatError, UsageError
from tests.columns.mutations import FORMATS, ROWS, SLOW
from tests.draws import EXAMPLES, IS_NIGHT
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants, written, written_more

pytestmark = pytest.mark.drawn

pa = pytest.importorskip("pyarrow")

UNDECLARED = {*written.UNDECLARED, *written_more.UNDECLARED}
MOST_BYTES = 20_000
MUTANTS = 6 * EXAMPLES if IS_NIGHT else EXAMPLES // 5
"""Of each format; of slow ones a tenth."""
NOT_BUILT = {"cbor", "iso_media", "java_class"}
"""Their types hold themselves, and have parts without a column (`Scan.left_out`)."""


def how_built(declaration: Any, data: bytes) -> dict[str, Any] | None:
    """How the codec builds the same bytes of the parsed fields: alone, or over the file where instances read the rest;
    None if it does not.
    """
    hows: list[dict[str, Any]] = [{}, {"onto": data}]
    for how in hows:
        try:
            if kformat.build(declaration, kformat.parse(declaration, data)._asdict(), **how) == data:
                return how
        except KformatError:
            continue
    return None


def cases(name: str, folder: Path, count: int) -> Iterator[bytes]:
    try:
        found = mutants.write([name], folder)[name]
    except Missing as error:
        is_missing(str(error))
    files = [data for data in found if len(data) < MOST_BYTES] or [min(found, key=len)]
    yield from files
    chance = random.Random(name)
    for _ in range(count):
        data = chance.choice(files)
        yield mutants.mutated(data, [(0, 1), (len(data) // 2, 2)], chance)


@pytest.mark.parametrize("name", sorted({*FORMATS} - UNDECLARED))
def test_rows_go_back(name: str, tmp_path: Path) -> None:
    """Where the codec builds the file of its fields, it builds it of its rows, with what is around them."""
    declaration, row = kformat.load_declaration(HERE / f"{name}.ksy"), ROWS.get(name)
    rows = find(declaration, row)
    if rows.path and holder_of(rows) is None:
        pytest.skip("rows of several lists, or below an instance")
    built = 0
    for data in cases(name, tmp_path, MUTANTS // (10 if name in SLOW else 1)):
        how = how_built(declaration, data)
        if how is None:
            continue
        scan = kformat.scan(data, declaration, row)
        if scan.left_out:
            continue
        try:
            table = scan.to_arrow()
        except DataError:  # without a column: a value that Arrow's types do not hold
            continue
        how |= {"around": data} if rows.path and not how else {}
        try:
            found = kformat.build(declaration, table, row=row, **how)
        except UsageError as error:
            if isinstance(error, BuildError):
                raise
            assert "is no list that is built by itself" in str(error)
            return
        assert found == data, data
        built += 1
    assert bool(built) == (name not in NOT_BUILT), built

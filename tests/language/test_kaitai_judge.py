"""Kaitai's own compiler as the judge of the language: our declarations, one or more per feature and per pair of
features that meet (`features/*.ksy`), compiled by it to Python, read the same bytes, sound and mutated.

Values are compared one by one, instances included (`beside_kaitai`). One difference is on purpose: text that is no
UTF-8 or ASCII is refused by Kaitai, and kept here (PEP 383). The bytes to read stand at the head of each declaration.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat
from tests.draws import at_most
from tests.judges.kaitai import KAITAI
from tests.judges.required import require
from tests.language.beside_kaitai import class_of, compared, compile_all, mutated

FEATURES = Path(__file__).parent / "features"
FILES = sorted(FEATURES.glob("*.ksy"))
MUTATIONS = 400


def inputs(path: Path) -> list[bytes]:
    """The bytes that a declaration is to read."""
    lines = path.read_text("utf-8").splitlines()
    return [bytes.fromhex(line.removeprefix("# in: ")) for line in lines if line.startswith("# in: ")]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], type[Any]]:
    """Name -> the class that Kaitai's compiler makes of that declaration."""
    require(KAITAI)
    folder = tmp_path_factory.mktemp("kaitai")
    compile_all(FILES, folder)
    return lambda name: class_of(name, folder)


@pytest.mark.judge
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kaitai_reads_the_same(path: Path, theirs: Callable[[str], type[Any]]) -> None:
    kind, declaration = theirs(path.stem), kformat.load_declaration(path)
    assert inputs(path), "no bytes to read"
    for data in inputs(path):
        assert compared(declaration, data, kind).difference is None, data.hex()


@pytest.mark.judge
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kaitai_reads_mutated_bytes_the_same(path: Path, theirs: Callable[[str], type[Any]]) -> None:
    kind, declaration, chance = theirs(path.stem), kformat.load_declaration(path), random.Random(path.stem)
    for number in range(at_most(MUTATIONS)):
        data = mutated(inputs(path)[number % len(inputs(path))], chance)
        assert compared(declaration, data, kind).difference is None, data.hex()

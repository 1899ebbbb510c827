"""Declarations that are made at random (`drawn`), next to the classes that Kaitai's compiler makes of them.

20,000 of them and a million inputs at night (`tools.nightly`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.judges.kaitai import KAITAI
from tests.judges.required import require
from tests.language.drawn import judging, making
from tests.language.public import mutants

SEED, DECLARATIONS, INPUTS = 1, 300, 60
KERNELS = 45
"""Made for kernels; at least 30 of them have rows that one decodes."""
PLACES = (
    "value", "if", "size", "repeat-expr", "repeat-until", "eq", "min", "max", "any-of", "expr", "switch-on", "pos",
    "io", "process", "type",
)  # fmt: skip
"""Every key with an expression; of a type, its arguments."""


def expressions(text: str) -> Iterator[tuple[str, str]]:
    """The key and the text of everything in a declaration that may be an expression, as `making` writes them."""
    yield from re.findall(r"([a-z-]+): (\"[^\"]*(?:\\.[^\"]*)*\"|[\w.]+)", text)
    yield from (("any-of", inner) for inner in re.findall(r"any-of: \[(.*?)\]", text))
    yield from (("type", inner) for inner in re.findall(r"cases: \{(.*?)\}", text))


def test_every_place_asks_for_what_changes() -> None:
    """A stream's position, end and size, a stream around, and a list that is not read to its end."""
    asks = (r"(?<!\.)_io\.pos", r"(?<!\.)_io\.(eof|size)", r"_(root|parent)\._io\.", r"f\d+\.size")
    found: Counter[tuple[str, str]] = Counter()
    for one in making.drawn(SEED, range(DECLARATIONS), KERNELS):
        for key, text in expressions(one.text):
            found.update((key, pattern) for pattern in asks if re.search(pattern, text))
            found[key, "stream"] += text.strip('"').endswith("_io")
    missing = [(place, ask) for place in PLACES for ask in asks if place != "io" and found[place, ask] < 2]
    assert missing == []
    assert found["io", "stream"] > 10


@pytest.fixture(scope="module")
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> mutants.Result:
    """What all of them gave."""
    require(KAITAI)
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    folder = tmp_path_factory.mktemp("drawn")
    classes = folder / "classes" if cache is None else cache.mkdir("drawn-classes")
    return judging.run(folder, SEED, range(DECLARATIONS), KERNELS, INPUTS, classes)


def shown(result: mutants.Result) -> str:
    """Failures in full, so that each can be asked again."""
    return "\n".join(("", *result.failures))


@pytest.mark.judge
def test_values_are_kaitais_in_every_order_of_asking(result: mutants.Result) -> None:
    assert result.classes[judging.READING] == 0, shown(result)
    assert result.count == DECLARATIONS * INPUTS, shown(result)
    assert result.read_count > 0.4 * result.count
    assert result.classes["kernel"] >= 30 * 3, result.classes


@pytest.mark.judge
def test_what_was_read_is_built_and_edits_as_a_reader_will_read_them(result: mutants.Result) -> None:
    assert result.classes[judging.BUILDING] == 0, shown(result)
    assert result.failures == []
    assert result.classes[judging.REFUSED] <= 0.002 * result.classes["edits"], result.classes

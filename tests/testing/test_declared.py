"""Strategies and the fixture for any declared format: what is drawn is sound, shrinks, and differs from run to run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

import kformat
from kformat.errors import UsageError
from kformat.testing import damaged, declared_corpus, files_of, values_of
from tests.draws import EXAMPLES
from tests.testing.test_plugin import run

pytestmark = pytest.mark.drawn

TESTS = Path(__file__).resolve().parents[1]
LETTER, TELEMETRY = (str(TESTS / "declarations" / f"{name}.ksy") for name in ("letter", "telemetry"))
RULES = str(TESTS / "language" / "features" / "rules.ksy")
FORMATS = (
    LETTER,
    RULES,
    TELEMETRY,
    *(
        str(TESTS / "language" / "features" / f"{name}.ksy")
        for name in ("switch_sized_default", "repeat_until", "recursive_windows")
    ),
    "offset_index",
    f"{LETTER}::paragraph",
)
MANY = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)


@pytest.mark.parametrize("format", [name for name in FORMATS if not name.endswith("::paragraph")])
@MANY
@given(data=st.data())
def test_files_are_sound(format: Any, data: st.DataObject) -> None:
    file = data.draw(files_of(format))
    assert kformat.parse(format, file.data, trailing=file.trailing) == file.value
    assert kformat.build(format, file.value) == file.data


@MANY
@given(damaged(files_of(LETTER).filter(lambda file: file.data)))
def test_files_can_be_damaged(hurt: Any) -> None:
    assert hurt.data != hurt.sound.data
    try:
        kformat.parse(LETTER, hurt.data)
    except kformat.errors.DataError:
        pass


def test_a_case_is_found_and_shrinks() -> None:
    plain = settings(database=None, derandomize=True, max_examples=2000, deadline=None)
    small = find(values_of(RULES), lambda value: value.kind == 2, settings=plain)
    assert (small.kind, small.each, small.between) == (2, [0, 0], 0)


def test_nan_is_drawn_on_request() -> None:
    plain = settings(database=None, derandomize=True, max_examples=500, deadline=None)
    has_nan = lambda value: any(math.isnan(reading.temperature) for reading in value.readings)  # noqa: E731
    find(values_of(TELEMETRY, allow_nan=True), has_nan, settings=plain)


def test_the_corpus_is_made_once() -> None:
    corpus = declared_corpus(LETTER)
    assert corpus is declared_corpus(LETTER, seed=0)
    assert corpus.sound and corpus.damaged and not declared_corpus(LETTER, damage=False).damaged


def test_a_format_that_does_not_exist_is_refused() -> None:
    """When a file is drawn, and not when tests are collected."""

    @given(files_of("no_such_format"))
    def draw(file: object) -> None: ...

    with pytest.raises(UsageError):
        draw()


OWN_TEST = f"""
def test_corpus(declared_corpus):
    corpus = declared_corpus({LETTER!r}, seed=3)
    assert len(corpus.sound) > 3 and not corpus.unreached
    assert all(file.damage.finding.path for file in corpus.damaged)
"""


def test_the_fixture_in_a_run_of_its_own(tmp_path: Path) -> None:
    status, output = run(tmp_path, OWN_TEST)
    assert (status, "1 passed" in output) == (0, True), output

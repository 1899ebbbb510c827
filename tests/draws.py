"""How many examples properties are tried with, and how many of many steps are.

By day few; the variable KFORMAT_EXAMPLES has them tried so many times, as `make nightly` does. With KFORMAT_SHARE=10
one test of ten is run, which is enough to learn what a wheel has forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

EXAMPLES = int(os.environ.get("KFORMAT_EXAMPLES", "10"))
"""Wherever a test does not say how many at most."""

SHARE = int(os.environ.get("KFORMAT_SHARE", "1"))
"""One of so many tests is run, always the same: of a test with many cases, cases all over its table."""

IS_NIGHT = EXAMPLES >= 500


def every(count: int, items: Sequence[T], first: int = 0) -> Sequence[T]:
    """By day every n-th, by night all: for tests that go the same way many times, each from another ``first``."""
    return items if IS_NIGHT else items[first % count :: count]


def newest_by_day(*versions: str) -> tuple[Any, ...]:
    """Parameters of a test that asks judges of several versions: the newest by day, by night the others, too."""
    newest = max(versions, key=lambda version: tuple(map(int, version.split("."))))
    return tuple(one if one == newest else pytest.param(one, marks=pytest.mark.slow) for one in versions)


def at_most(count: int) -> int:
    """So many, or what is asked for of all where that is less."""
    return min(count, EXAMPLES)

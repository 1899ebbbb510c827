"""How many examples properties are tried with.

By day few; the variable KFORMAT_EXAMPLES has them tried so many times, as `make nightly` does.
"""

from __future__ import annotations

import os

EXAMPLES = int(os.environ.get("KFORMAT_EXAMPLES", "20"))
"""Wherever a test does not say how many at most."""


def at_most(count: int) -> int:
    """So many, or what is asked for of all where that is less."""
    return min(count, EXAMPLES)

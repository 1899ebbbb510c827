"""Bounds of declarations and of what is read with them, and the environment variables that raise them."""

from __future__ import annotations

import os
import sys
from typing import Final

MAX_DECLARATION: Final = "KFORMAT_MAX_DECLARATION_BYTES"
"""Largest declaration file, in bytes; also the most YAML nodes, those that aliases repeat counted each time."""

NESTING: Final = "KFORMAT_MAX_NESTING"
"""Deepest nesting of values, in levels. Read once, when the module is imported."""

_DEFAULTS: Final = {MAX_DECLARATION: 1 << 21, NESTING: 200}
_MOST: Final = {NESTING: 2000}
"""Upper limits of the variables: deeper calls could use up the stack of a thread."""
_CALLS: Final = 12
"""Most Python calls per level."""


def bound(variable: str) -> int:
    """The value of a bound: the environment variable, if it is a positive number, or else the default."""
    text = os.environ.get(variable, "")
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    return min(value, _MOST.get(variable, value)) or _DEFAULTS[variable]


def most_nesting() -> int:
    """The bound on nesting. Where it is raised, raises Python's recursion limit, too."""
    levels = bound(NESTING)
    if levels > _DEFAULTS[NESTING]:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + _CALLS * levels))
    return levels

"""Bounds of declarations and of what is read with them, and the environment variables that raise them."""

from __future__ import annotations

import os
from typing import Final

MAX_DECLARATION: Final = "KFORMAT_MAX_DECLARATION_BYTES"
"""Largest declaration file, in bytes; also the most YAML nodes, those that aliases repeat counted each time."""

_DEFAULTS: Final = {MAX_DECLARATION: 1 << 21}


def bound(variable: str) -> int:
    """The value of a bound: the environment variable, if it is a positive number, or else the default."""
    text = os.environ.get(variable, "")
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text) else _DEFAULTS[variable]

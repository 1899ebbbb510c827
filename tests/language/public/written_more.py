"""More files of public formats: what other libraries write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

WRITTEN: dict[str, Callable[[Path], Iterable[bytes]]] = {}

UNDECLARED: dict[str, str] = {}
"""As in `written`."""

NOT_FROM_PLAIN: dict[str, str] = {}
"""As in `written`."""

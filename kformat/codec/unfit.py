"""The exception that generated code raises where it does not apply."""

from __future__ import annotations

from typing import Any


class Unfit(Exception):
    """The codec proper has to read the bytes, or write the value, or report what is wrong."""


def unfit(*_: Any) -> Any:
    """The function of a type for which no code is generated."""
    raise Unfit


__all__ = ["Unfit", "unfit"]

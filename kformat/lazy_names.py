"""The names of a package, each loaded from its module when it is first used, so that importing the package is cheap."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package (PEP 562).

    Args:
        package: its ``__name__``.
        modules: name -> the module that has it, or, where it has another name there, ``module:name``. What `dir` shows
            is the package's ``__all__``.
    """

    def load(name: str) -> Any:
        place = modules.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, own = place.partition(":")
        value = getattr(importlib.import_module(module), own or name)
        sys.modules[package].__dict__[name] = value
        return value

    def names() -> list[str]:
        held = sys.modules[package].__dict__
        return [*held["__all__"], *(name for name in held if name.startswith("__") and name.endswith("__"))]

    return load, names


__all__ = ["lazy_names"]

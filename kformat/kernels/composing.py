"""Texts of kernels that call generated ones: the columns that those take are known when the text is made."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from kformat.kernels.compiled import function_of, module_of
from kformat.kernels.source import Part, Source
from kformat.kernels.state import DONE, FIRST_TABLE, ROW


def column_names(source: Source, wanted: Container[tuple[str, Part]]) -> dict[str, str]:
    """The argument of a decode kernel that holds each column of these, by names that a text can use."""
    names: dict[str, str] = {}
    for number, column in enumerate(source.columns):
        if (column.name, column.part) in wanted:
            plain = column.name.rsplit(".", 1)[-1]
            special = {Part.VALUE: plain, Part.COVERED_POSITION: "covered"}
            names[special.get(column.part, f"{plain}_{column.part.value}")] = f"c{number}"
    return names


def column_lines(source: Source, wanted: Container[tuple[str, Part]]) -> list[str]:
    """Lines that make ``columns`` of a decode kernel, those that are wanted with ``room`` rows, what it has to know of
    them, and its ``state``."""
    lines = [f"wanted = np.zeros({len(source.columns)}, np.uint8)"]
    lines += [f"capacities = np.full({len(source.tables)}, {2**62})", "capacities[0] = room"]
    for number, column in enumerate(source.columns):
        is_wanted = (column.name, column.part) in wanted
        kind = np.dtype(column.storage).name
        lines.append(f"c{number} = np.empty({'room' if is_wanted else 0}, np.{kind})")
        if is_wanted:
            lines.append(f"wanted[{number}] = 1")
    return [*lines, f"state = np.zeros({FIRST_TABLE + len(source.tables) - 1}, np.int64)", f"state[{DONE}] = -1"]


def arguments(source: Source) -> str:
    """The columns of a decode kernel, as it takes them."""
    return ", ".join(f"c{number}" for number in range(len(source.columns)))


def places(prefix: str, fields: Iterable[str]) -> dict[str, int]:
    """The number of each field of an array that a kernel is handed, by names that a text can use."""
    return {f"{prefix}_{name}": number for number, name in enumerate(fields)}


def composed(text: str, title: str, called: dict[str, Source], **names: object) -> Any:
    """The module of a text with these names filled in, in which kernels are known by the names of ``called``.

    The digest of what they are made of stands in the text, so that machine code is compiled again when they change.
    """
    digest = hashlib.sha256("".join(source.text for source in called.values()).encode()).hexdigest()
    filled = text.format(digest=digest, done=DONE, row=ROW, **names)
    return module_of(filled, title, {name: function_of(source) for name, source in called.items()})

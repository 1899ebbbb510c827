"""Text templates of kernels that call generated ones, whose columns are known only when the text is made."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from kformat.kernels.compiled import function_of, module_of
from kformat.kernels.source import Part, Source, module_text
from kformat.kernels.state import DONE, FIRST_TABLE, ROW


def column_names(source: Source, wanted: Container[tuple[str, Part]]) -> dict[str, str]:
    """For each column of a decode kernel, the variable that holds it in the text."""
    names: dict[str, str] = {}
    for number, column in enumerate(source.columns):
        if (column.name, column.part) in wanted:
            plain = column.name.rsplit(".", 1)[-1]
            special = {Part.VALUE: plain, Part.COVERED_POSITION: "covered"}
            names[special.get(column.part, f"{plain}_{column.part.value}")] = f"c{number}"
    return names


def column_lines(source: Source, wanted: Container[tuple[str, Part]]) -> list[str]:
    """Lines that create ``columns`` of a decode kernel (the wanted ones with ``room`` rows), its other arguments, and
    its ``state``.
    """
    lines = [f"wanted = np.zeros({len(source.columns)}, np.uint8)"]
    lines += [f"capacities = np.full({len(source.tables)}, {2**62})", "capacities[0] = room"]
    kinds = [np.dtype(column.storage).name for column in source.columns]
    # Most columns are not wanted; one empty array for all of them of a kind saves as many allocations in each call.
    lines += [f"no_{kind} = np.empty(0, np.{kind})" for kind in dict.fromkeys(kinds)]
    for number, (column, kind) in enumerate(zip(source.columns, kinds, strict=True)):
        if (column.name, column.part) in wanted:
            made = "zeros" if column.is_zeroed else "empty"
            lines += [f"c{number} = np.{made}(room, np.{kind})", f"wanted[{number}] = 1"]
        else:
            lines.append(f"c{number} = no_{kind}")
    return [*lines, f"state = np.zeros({FIRST_TABLE + len(source.tables) - 1}, np.int64)", f"state[{DONE}] = -1"]


def arguments(source: Source, prefix: str = "c") -> str:
    """The columns of a decode kernel, as its arguments."""
    return ", ".join(f"{prefix}{number}" for number in range(len(source.columns)))


def places(prefix: str, fields: Iterable[str]) -> dict[str, int]:
    """The index of each field in an array passed to a kernel, by names for the text."""
    return {f"{prefix}_{name}": number for number, name in enumerate(fields)}


def composed(text: str, title: str, called: dict[str, Source], **names: object) -> Any:
    """The module of a template with these names filled in; ``called`` maps names to the kernels it calls.

    The text contains a digest of those kernels, so that the machine code is compiled again when they change.
    """
    texts = (module_text([source], source.program.name) for source in called.values())
    digest = hashlib.sha256("".join(texts).encode()).hexdigest()
    filled = text.format(digest=digest, done=DONE, row=ROW, **names)
    return module_of(filled, title, {name: function_of(source) for name, source in called.items()})


__all__ = ["arguments", "column_lines", "column_names", "composed", "places"]

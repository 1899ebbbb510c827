"""Integers next to each other, which are packed at once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from kformat.codec.drafts import once_per_object
from kformat.language.layout import struct_format
from kformat.language.program import Checksum, ReadInteger, Step

RunOfIntegers = tuple[tuple[str, ...], Callable[..., bytes]]


@once_per_object(4096)
def runs_of(steps: tuple[Step, ...]) -> tuple[tuple[RunOfIntegers | None, Any], ...]:
    """The steps, with unconditional integers next to each other packed at once."""
    checksums = {step.name for step in steps if isinstance(step, Checksum)}
    made: list[tuple[RunOfIntegers | None, Any]] = []
    run: list[ReadInteger] = []

    def close() -> None:
        if len(run) == 1:
            made.append((None, run[0]))
        elif run:
            codes = [struct_format(step) or "" for step in run]
            pack = struct.Struct(codes[0][0] + "".join(code[1] for code in codes)).pack
            made.append(((tuple(step.name for step in run), pack), tuple(run)))
        run.clear()

    for step in steps:
        fits = isinstance(step, ReadInteger) and step.condition is None and not step.by_type
        if fits and isinstance(step, ReadInteger) and step.name not in checksums:
            if run and (struct_format(run[0]) or "")[0] != (struct_format(step) or "")[0]:
                close()
            run.append(step)
        else:
            close()
            made.append((None, step))
    close()
    return tuple(made)

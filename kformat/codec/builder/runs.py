"""Integers next to each other, which are packed at once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from kformat.language.layout import struct_format
from kformat.language.program import Checksum, ReadInteger, Step

_RUNS: Final[dict[int, tuple[tuple[Step, ...], tuple[tuple[RunOfIntegers | None, Any], ...]]]] = {}


RunOfIntegers = tuple[tuple[str, ...], Callable[..., bytes]]


def runs_of(steps: tuple[Step, ...]) -> tuple[tuple[RunOfIntegers | None, Any], ...]:
    """The steps, with unconditional integers next to each other packed at once."""
    cached = _RUNS.get(id(steps))
    if cached is None or cached[0] is not steps:
        if len(_RUNS) > 4096:
            _RUNS.clear()
        cached = _RUNS[id(steps)] = steps, _make_runs(steps)
    return cached[1]


def _make_runs(steps: tuple[Step, ...]) -> tuple[tuple[RunOfIntegers | None, Any], ...]:
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

"""The steps of a structure one after the other: their conditions, and the numbers that follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile

from kformat.kernels.decode.bits import align
from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.numbers import is_only_read, width_of
from kformat.kernels.expressions import value_of
from kformat.kernels.source import KernelScope, Part
from kformat.language.program import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBits,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Window,
)

_SETS_NOTHING = Check | CheckEnd | Checksum | Align


def decode_steps(out: DecodeFunction, steps: Sequence[Step], scope: KernelScope, end: str) -> None:
    """The lines of the steps of a structure. Of an optional one.

    ::

        if (v1_version > 2):
            if w4: put_1(a4, n0, 1)
            ...
            v2_present = True
        else:
            v2_present = False
            if w4: put_1(a4, n0, 0)
    """
    outer, out.at_end = out.at_end, []
    for number, step in enumerate(steps):
        if step.condition is None:
            if not out.are_there:
                look_ahead(out, steps[number:], scope, end)
            out.emit(step, scope, end)
            continue
        condition = value_of(out, step.condition, scope, step.name)
        if isinstance(step, Align):
            with out.block(f"if {condition}:"):
                align(out)
            continue
        first, variables = len(out.used), dict(scope.variables)
        valid = presence(out, step, scope)
        is_asked = (step.name in out.asked or isinstance(step, Window)) and not isinstance(step, _SETS_NOTHING)
        present = out.variable("present") if is_asked else None
        with out.block(f"if {condition}:"):
            if valid is not None:
                out.fill(valid, "1")
            out.emit(step, scope, end)
            if present is not None:
                out.put(f"{present} = True")
        if isinstance(step, _SETS_NOTHING):
            continue
        if present is not None:
            scope.absent[step.name,] = present
        with out.block("else:"):
            if present is not None:
                out.put(f"{present} = False")
            out.nothing(first, scope.table)
            for path, name in scope.variables.items():
                if path not in variables:
                    out.put(f"{name} = np.int64(0)")
                    if present is not None and path[0] != step.name:  # a field in a window of several
                        known = scope.absent.setdefault(path[:1], present)
                        if known != present:
                            out.put(f"{known} = False")
    for position, length, start in out.at_end:
        out.fill(position, start)
        out.fill(length, f"p - {start}")
    out.at_end = outer


def look_ahead(out: DecodeFunction, steps: Sequence[Step], scope: KernelScope, end: str) -> None:
    """Compare the bytes that are left with what the numbers at the beginning of some steps take, at once.

    ::

        if end - p < 12:
            if end - p < 8:
                return leave_decode_record(..., p, np.int64(0))
            return leave_decode_record(..., p + 8, np.int64(0))
    """
    numbers = list(takewhile(is_only_read, steps))
    if len(numbers) < 2:
        return
    sizes = list(accumulate(map(width_of, numbers)))
    with out.block(f"if {end} - p < {sizes[-1]}:"):
        for step, before, size in zip(numbers, [0, *sizes], sizes, strict=False):
            left = out.fail(scope, step.name, "the bytes end")._replace(position=f"p + {before}" if before else "p")
            if size < sizes[-1]:
                with out.block(f"if {end} - p < {size}:"):
                    out.put(left)
            else:
                out.put(left)
    out.are_there = len(numbers)


def presence(out: DecodeFunction, step: Step, scope: KernelScope) -> int | None:
    """The column that says whether an optional field is present, if its other columns do not."""
    plain_window = isinstance(step, Window) and step.codec is None
    kinds = ReadInteger | ReadFloat | ReadVarint | ReadBit | ReadBits | ReadType | ReadList | ReadSwitch
    if plain_window or isinstance(step, kinds):
        return out.column(scope, step.name, Part.VALID, "u1")
    return None

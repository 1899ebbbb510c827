"""Checksums: the bytes that they cover."""

from __future__ import annotations

from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.expressions import value_of
from kformat.kernels.source import KernelScope, Part
from kformat.language.program import Checksum


def decode_checksum(out: DecodeFunction, step: Checksum, scope: KernelScope, end: str) -> None:
    """Where the covered bytes begin, and how many they are: ``if w4: put_8(a4, n0, p)``. The caller verifies."""
    name = f"{scope.prefix}{step.path}"
    if step.part == "from":
        out.covered[name] = out.variable("covered")
        out.put(f"{out.covered[name]} = p")
    if step.part in ("from", "check"):
        return
    position = out.column(scope, step.path, Part.COVERED_POSITION, "i8")
    length = out.column(scope, step.path, Part.COVERED_LENGTH, "i8")
    if step.part == "to":
        out.fill(position, out.covered[name])
        out.fill(length, f"p - {out.covered[name]}")
        return
    if step.length is None and not step.to_limit:
        start = out.variable("covered")
        out.put(f"{start} = p")
        out.at_end.append((position, length, start))
        return
    size = f"{end} - p" if step.length is None else value_of(out, step.length, scope, step.name)
    out.fill(position, "p")
    out.fill(length, size)

"""Bits: types of them, and those between other fields."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.numbers import check_fits
from kformat.codec.builder.rules import check_rule
from kformat.codec.builder.state import Build, is_missing
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.codec.values import MISSING
from kformat.errors import BuildError
from kformat.language.program import Check, ReadBit


def packed_bits(build: Build, draft: Draft, path: Path) -> bytes:
    """The bytes of a type of bits."""
    whole = 0
    for bit in draft._program.bits:
        value = draft.__dict__.get(bit.name, MISSING)
        if value is MISSING:
            raise BuildError(is_missing(draft, bit.name), path=shown((path, bit.name)))
        check_fits(value, 0, bit.mask, (path, bit.name))
        whole |= int(value) << bit.shift
    for step in draft._program.steps:
        if isinstance(step, Check):
            check_rule(build, step, draft.__dict__[step.name], draft, (path, step.name))
    return whole.to_bytes(sum(bit.width for bit in draft._program.bits) // 8, "big")


def write_bit(build: Build, step: ReadBit, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Bits between other fields; BuildError if they do not fit."""
    check_fits(value, 0, (1 << step.width) - 1, path)
    out.bits(int(value), step.width, step.little_endian)

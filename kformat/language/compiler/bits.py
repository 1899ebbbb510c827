"""Bits: one field of them, and types that are one integer."""

from __future__ import annotations

import re

from kformat.language import types
from kformat.language.compiler.checks import checks_of
from kformat.language.compiler.one_type import OneType, Use
from kformat.language.declaration import FieldDeclaration
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames
from kformat.language.steps import BitField, Check, Enum, ReadBit, Step


def one_word(of: OneType) -> tuple[tuple[BitField, ...], list[Step]]:
    """The bits of a type that is read as one integer, and the rules on them."""
    items = of.scope.declared.fields
    widths = [int(str(item.type)[1:]) for item in items]
    shift, bits, steps = sum(widths), [], []
    for item, width in zip(items, widths, strict=True):
        shift -= width

        def field(item: FieldDeclaration = item) -> tuple[Enum | None, list[Check]]:
            of.only(item, "bits")
            enum = of.enum(item)
            checks = checks_of(of, item, None)
            of.fields.append(of.described(item, False))
            return enum, checks

        made = of.guard(field)
        if made is None:
            of.world.failed.add((of.scope.name, item.id))
        else:
            bits.append(BitField(item.id, shift, width, made[0]))
            steps += made[1]
        of.read.add(item.id)
    return tuple(bits), [*steps]


def read_bit(of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None) -> Step:
    enum = of.enum(item)
    match = re.fullmatch(r"b([0-9]+)(le|be)?", str(use))
    assert match is not None
    width = int(match[1])
    if width > types.MAX_EXACT_BITS:
        item.mark.refuse(f"{width} bits in one field; {types.MAX_EXACT_BITS} are supported")
    return ReadBit(
        name=item.id, condition=condition, width=width, little_endian=(match[2] or of.bit_endian) == "le",
        boolean=width == 1 and enum is None, enum=enum,
    )  # fmt: skip

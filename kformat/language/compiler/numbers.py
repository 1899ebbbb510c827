"""Integers and floats."""

from __future__ import annotations

from kformat.language.compiler.one_type import OneType, Use
from kformat.language.declaration import EndianSwitch, FieldDeclaration
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames, primitive_type
from kformat.language.steps import ReadFloat, ReadInteger, Step
from kformat.language.types import Float, Integer


def read_number(
    of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None
) -> Step:
    assert isinstance(use, str)
    enum = of.enum(item)
    little, by_type = byte_order_of(of, item, use)
    kind = primitive_type(use)
    if isinstance(kind, Float):
        return ReadFloat(name=item.id, condition=condition, bits=kind.bits, little_endian=little, by_type=by_type)
    assert isinstance(kind, Integer)
    return ReadInteger(name=item.id, condition=condition, kind=kind, little_endian=little, enum=enum, by_type=by_type)


def byte_order_of(of: OneType, item: FieldDeclaration, use: str) -> tuple[bool, bool]:
    """Whether a number is little-endian, and whether only the value knows."""
    if use[2:] or use[1] == "1":
        return use[2:] == "le", False
    if of.endian is None:
        item.mark.refuse(f"{use} needs a byte order: endian in meta, or {use}be or {use}le")
    return of.endian == "le", isinstance(of.endian, EndianSwitch)

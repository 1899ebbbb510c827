"""Bits: types of them, and those between other fields."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kformat.codec import runtime
from kformat.codec.expressions import assignment
from kformat.codec.parser.checksums import position_of_field
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.items import Item
from kformat.codec.values import enum_values, parsed_class, value_class
from kformat.language.layout import struct_format
from kformat.language.program import Check, ReadBit, ReadBits


def split_bits(out: ParserFunction, item: Item, local: str) -> Iterator[tuple[str, str]]:
    """The fields of a group, and their values: ``x1 >> 4 & 15``."""
    bits = [step for step in item.steps if isinstance(step, ReadBit)]
    if item.code.endswith("s"):
        out.put(f"{local} = int_from_({local}, {'little_' if bits[0].little_endian else 'big_'})")
    shift = 0 if bits[0].little_endian else sum(bit.width for bit in bits)
    for bit in bits:
        shift -= 0 if bit.little_endian else bit.width
        mask = (1 << bit.width) - 1
        value = f"({local} & {mask << shift}) != 0" if bit.boolean else f"{local} >> {shift} & {mask}"
        if bit.enum is not None:
            out.put(f"x = {value}")
            value = f"{out.const(enum_values(bit.enum))}.get(x, x)"
        yield bit.name, value
        shift += bit.width if bit.little_endian else 0


def read_bits(out: ParserFunction, step: ReadBits) -> None:
    """A type of bits as a value of its own: `read_bits_into` a local, and that into its field."""
    read_bits_into(out, step, out.new("b"), step.name)


def read_bit(out: ParserFunction, step: ReadBit) -> None:
    """Bits that end within a byte: ``r.position = p; x = r.read_bits_be(3); p = r.position``."""
    order = "le" if step.little_endian else "be"
    position_of_field(out, step)
    out.put(f"r.position = p; x = r.read_bits_{order}({int(step.width)}); p = r.position")
    out.store(step.name, "x != 0" if step.boolean else out.members(step.enum, "x"))


def read_bits_into(out: ParserFunction, step: ReadBits, local: str, name: str | None) -> None:
    """A type of bits.

    ::

        x = k1(d, p)[0]
        s1 = p; p = q1
        b1 = k2()
        b1.high = x >> 4 & 15
        b1.low = x & 15
        b1.__class__ = k3
    """
    end = out.need(str(step.size), True)
    code = struct_format(step)
    if code is not None:
        out.put(f"x = {out.const(struct.Struct(code).unpack_from)}(d, p)[0]")
    else:
        out.put(f"x = int_from_(d[p:{end}], big_)")
    start = out.new("s")
    out.put(f"{start} = p; p = {end}")
    made, finished = parsed_class(step.type), value_class(step.type)
    if local != "v":
        out.put(f"{local} = {out.const(made)}()")
        if step.type.is_watched:
            out.put(f"{local}._io = r")
    for bit in step.bits:
        value = out.members(bit.enum, f"x >> {int(bit.shift)} & {int(bit.mask)}")
        out.put(assignment(local, bit.name, value, out.space))
    if local != "v":
        out.put(f"{local}.__class__ = {out.const(finished)}")
    if name is not None:
        out.store(name, local)
    for check in step.type.steps:
        if isinstance(check, Check):
            rule = out.const(runtime.bit_check(check))
            (bit,) = (candidate for candidate in step.bits if candidate.name == check.name)
            before = (8 * step.size - int(bit.shift) - int(bit.width)) // 8
            out.put(f"{rule}(r, {local}, {f'{start} + {before}' if before else start})")

"""Numbers: integers, floats and varints."""

from __future__ import annotations

import struct

from kformat.codec import runtime
from kformat.codec.parser.checksums import position_of_field
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.items import in_order
from kformat.language.layout import struct_format
from kformat.language.program import ReadFloat, ReadInteger, ReadVarint


def read_number(out: ParserFunction, step: ReadInteger | ReadFloat) -> None:
    """An integer or a float::

        q1 = p + 4
        if q1 > lim:
            raise short_(r, p, 4)
        x = k1(d, p)[0]
        p = q1
        v.length = x

    Where the value says its byte order: ``x = (k1 if little_endian else k2)(d, p)[0]``.
    """
    position_of_field(out, step)
    little = struct_format(in_order(step, True))
    big = struct_format(in_order(step, False))
    assert little is not None and big is not None
    size = struct.calcsize(little)
    if step.by_type:
        with out.block(f"if {out.order} is None:"):
            out.put("raise undecided_(r, p)")
    end = out.need(str(size), True)
    if step.by_type:
        both = [out.const(struct.Struct(code).unpack_from) for code in (little, big)]
        out.put(f"x = ({both[0]} if {out.order} else {both[1]})(d, p)[0]")
    elif little[1] == "B":
        out.put("x = d[p]")
    else:
        code = little if step.little_endian else big
        out.put(f"x = {out.const(struct.Struct(code).unpack_from)}(d, p)[0]")
    if isinstance(step, ReadFloat):
        keep_nan(out, step, "x", "p")
    out.put(f"p = {end}")
    out.store(step.name, out.members(step.enum if isinstance(step, ReadInteger) else None, "x"))


def read_varint(out: ParserFunction, step: ReadVarint) -> None:
    """A varint, of one byte as nearly always, or of more.

    ::

        if p < lim and d[p] < 128:
            x = d[p]; p += 1
        else:
            r.position = p; x = k1(r); p = r.position
        v.length = x
    """
    read = out.const(runtime.varint_reader(step.max_bytes, step.zigzag, step.kind.bits))
    with out.block("if p < lim and d[p] < 128:"):
        out.put("x = (d[p] >> 1) ^ -(d[p] & 1); p += 1" if step.zigzag else "x = d[p]; p += 1")
    with out.block("else:"):
        out.put(f"r.position = p; x = {read}(r); p = r.position")
    out.store(step.name, out.members(step.enum, "x"))


def keep_nan(out: ParserFunction, step: ReadFloat, local: str, position: str) -> None:
    """Remember the bytes of a NaN, of which Python keeps one: ``if x != x: keep_float_(v, k1, x, d[p:p + 4], k2)``."""
    name = out.kept_name(step) if step.bits == 32 else None
    if name is not None:
        with out.block(f"if {local} != {local}:"):
            code = out.const(struct_format(in_order(step, step.little_endian)))
            if step.by_type:
                little, big = (out.const(struct_format(in_order(step, order))) for order in (True, False))
                code = f"{little} if {out.order} else {big}"
            out.put(f"keep_float_(v, {name}, {local}, bytes_(d[{position}:{position} + 4]), {code})")

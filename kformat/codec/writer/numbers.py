"""Numbers: integers, floats and varints."""

from __future__ import annotations

import struct

from kformat.codec.reader import Varint
from kformat.codec.unfit import Unfit
from kformat.codec.writer.function import WriterFunction
from kformat.language.layout import struct_format
from kformat.language.program import ReadFloat, ReadInteger, ReadVarint


def write_number(out: WriterFunction, step: ReadInteger | ReadFloat) -> None:
    """A number, packed with those next to it: ``o += k1(v.length, v.count)``. Where the value says its byte order.

    ::

        if not (little is not None): raise unfit_
        o += (k1 if little else k2)(v.length)
    """
    code = struct_format(step)
    if code is None:
        raise Unfit
    value = out.value(step.name)
    out.plain(value, "floats_" if isinstance(step, ReadFloat) else "ints_")
    if not step.by_type:
        out.number(code, value)
        return
    out.flush()
    out.unless("little is not None")
    little, big = (out.const(struct.Struct(order + code[1:]).pack) for order in "<>")
    out.put(f"o += ({little} if little else {big})({value})")


def write_varint(out: WriterFunction, step: ReadVarint) -> None:
    """A varint, of one byte as nearly always, or of more.

    ::

        x1 = v.length
        if 0 <= x1 < 128: o.append(x1)
        elif 0 <= x1 <= 4294967295: o += k1(int_(x1))
        else: raise unfit_
    """
    out.flush()
    encode = out.const(Varint(step.max_bytes, step.zigzag, step.kind.bits).encode)
    value = out.new("x")
    out.put(f"{value} = {out.value(step.name)}")
    out.plain(value)
    if step.zigzag:
        out.put(f"if -64 <= {value} < 64: o.append(({value} << 1) ^ ({value} >> 63))")
    else:
        out.put(f"if 0 <= {value} < 128: o.append({value})")
    out.put(f"elif {step.kind.low} <= {value} <= {step.kind.high}: o += {encode}(int_({value}))")
    out.put("else: raise unfit_")

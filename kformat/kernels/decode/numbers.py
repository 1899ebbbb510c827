"""Numbers: integers, floats and varints."""

from __future__ import annotations

from kformat.kernels.decode.function import BYTE_ORDER, DecodeFunction
from kformat.kernels.source import KernelScope, Part
from kformat.language.program import Check, ReadBits, ReadFloat, ReadInteger, ReadVarint, Step


def decode_integer(out: DecodeFunction, step: ReadInteger, scope: KernelScope, end: str) -> None:
    """An integer: `fixed`, and its column."""
    value = fixed(out, step, scope, end, step.kind.bits // 8, step.little_endian, step.kind.signed)
    keep_number(out, step.name, value, scope, f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}")


def decode_float(out: DecodeFunction, step: ReadFloat, scope: KernelScope, end: str) -> None:
    """A float, as bits: `fixed`, and its column."""
    value = fixed(out, step, scope, end, step.bits // 8, step.little_endian, False)
    out.fill(out.column(scope, step.name, Part.VALUE, f"f{step.bits // 8}"), value)


def decode_varint(out: DecodeFunction, step: ReadVarint, scope: KernelScope, end: str) -> None:
    """A varint, and its column."""
    value = varint(out, step, scope, end)
    keep_number(out, step.name, value, scope, f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}")


def fixed(
    out: DecodeFunction, step: Step, scope: KernelScope, end: str, size: int, little_endian: bool, signed: bool
) -> str:
    """A variable with the integer of so many bytes at the position; advances the position.

    ::

        if end - p < 4:
            return leave_decode_record(...)
        v1_length = (word_4(d, p) << 32) >> 32
        p += 4
    """
    if out.are_there:
        out.are_there -= 1
    else:
        with out.block(f"if {end} - p < {size}:"):
            out.put(out.fail(scope, step.name, "the bytes end"))
    variable = out.variable(step.name)
    if size == 1:
        value = "byte_at(d, p)"
    elif isinstance(step, ReadInteger | ReadFloat) and step.by_type:
        value = f"(word_{size}_le(d, p) if {out.around(BYTE_ORDER)} != 0 else word_{size}(d, p))"
    elif size in (2, 4, 8):
        value = f"word_{size}{'_le' if little_endian else ''}(d, p)"
    else:
        value = f"load(data, p, {size}, {little_endian})"
    if signed and size < 8:
        shift = 64 - 8 * size
        value = f"({value} << {shift}) >> {shift}"
    out.put(f"{variable} = {value}", f"p += {size}")
    return variable


def keep_number(out: DecodeFunction, name: str, value: str, scope: KernelScope, kind: str) -> None:
    """``if w3: put_4(a3, n0, v1_length)``, and the variable for expressions."""
    out.fill(out.column(scope, name, Part.VALUE, kind), value)
    scope.variables[(name,)] = value


def varint(out: DecodeFunction, step: ReadVarint, scope: KernelScope, end: str) -> str:
    """A variable with a varint, of one byte, of two, or of more.

    ::

        if p < end and byte_at(d, p) < 128:
            v1_length = byte_at(d, p)
            p += 1
        elif p + 1 < end and byte_at(d, p + 1) < 128:
            v1_length = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7
            p += 2
        else:
            v1_length, v2_behind = long_varint(data, p, end, 5)
            ...
        v1_length = (v1_length >> 1) ^ -(v1_length & 1)
    """
    raw = out.variable(step.name)
    with out.block(f"if p < {end} and byte_at(d, p) < 128:"):
        out.put(f"{raw} = byte_at(d, p)", "p += 1")
    with out.block(f"elif p + 1 < {end} and byte_at(d, p + 1) < 128:"):
        out.put(f"{raw} = byte_at(d, p) & 127 | byte_at(d, p + 1) << 7", "p += 2")
    with out.block("else:"):
        behind = out.variable("behind")
        out.put(f"{raw}, {behind} = long_varint(data, p, {end}, {step.max_bytes})")
        with out.block(f"if {behind} < 0:"):
            out.put(out.fail(scope, step.name, "a varint that does not end"))
        out.put(f"p = {behind}")
    if step.zigzag:
        shifted = f"{raw} >> 1" if step.kind.bits < 64 else f"({raw} >> 1) & 0x7FFFFFFFFFFFFFFF"
        out.put(f"{raw} = ({shifted}) ^ -({raw} & 1)")
    return raw


def is_only_read(step: Step) -> bool:
    """Whether a step reads a number, without a condition or rules."""
    is_free = isinstance(step, ReadInteger | ReadFloat | ReadBits) and step.condition is None
    return is_free and not (isinstance(step, ReadBits) and any(isinstance(inner, Check) for inner in step.type.steps))


def width_of(step: Step) -> int:
    """How many bytes a number takes."""
    match step:
        case ReadInteger():
            return step.kind.bits // 8
        case ReadFloat():
            return step.bits // 8
        case ReadBits():
            return step.size
    raise AssertionError(step)


def bytes_for(width: int) -> int:
    """The size of numpy's smallest type of so many bits."""
    return next(size for size in (1, 2, 4, 8) if width <= 8 * size)
